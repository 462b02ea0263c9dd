"""The results folder: the cached outputs of stages, with a record of what they were made from.

A stage writes into `stages/.NAME.part`, which is renamed to `stages/NAME` when it is complete. `done.json` in it records the
inputs, options and versions behind the outputs, and their digests; if any of these has changed, the stage is run again. Only
one process at a time works in a folder.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from divproj import __version__
from divproj.core.errors import ProjError, Where
from divproj.io.files import writing

VERSION = 2
"""Of the layout of the folder."""
STAGES, LOCK, LOG, DONE, PUBLISHED = "stages", ".lock", "log.txt", "done.json", "published.json"
PACKAGES = ("numba", "numpy", "scipy")
SUM = "sum"
"""Key of the checksum of a record: what is changed there is no record."""
KEPT = 20
"""Digests remembered of each published file, to tell our own from one that a person changed."""


def versions() -> dict[str, str]:
    """Return the versions of the packages that results may depend on."""
    return {"divproj": __version__, **_package_versions()}


@lru_cache(maxsize=1)
def _package_versions() -> dict[str, str]:
    return {name: metadata.version(name) for name in PACKAGES}


def file_digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ProjError(f"cannot be read: {error.strerror}", Where(str(path))) from None


def tree_digests(folder: Path) -> dict[str, str]:
    """Digest of every file below a folder, by its name from there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): file_digest(path) for path in files}


def digest_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class StageRecord:
    """The record of a completed stage: what it was made from, its outputs, and facts and warnings for the report."""

    parts: dict[str, Any]
    outputs: dict[str, str]
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Return one digest of the outputs and facts, on which later stages depend."""
        return digest_of([self.outputs, self.facts])


class Store:
    """A results folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stages = folder / STAGES

    def at(self, stage: str) -> Path:
        return self.stages / stage

    def path(self, name: str) -> Path:
        return self.folder / name

    def check(self) -> None:
        """Refuse a folder that holds other things: its files could be overwritten."""
        if not self.folder.is_dir() or self.stages.is_dir():
            return
        others = sorted(path.name for path in self.folder.iterdir() if path.name not in (LOCK, LOG))
        if others:
            message = f"the folder holds other things ({others[0]})"
            raise ProjError(message, Where(str(self.folder)), "give the results a new folder, or empty this one")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for this process; the lock ends with the process."""
        self.check()
        try:
            self.stages.mkdir(parents=True, exist_ok=True)
            with (self.folder / LOCK).open("a+", encoding="utf-8") as file:
                if not _lock(file.fileno()):
                    file.seek(0)
                    who = file.read(200).strip() or "another process"
                    raise ProjError(
                        f"another run is at work here ({who})",
                        Where(str(self.folder)),
                        "wait for it, or give other results with -o",
                    )
                file.truncate(0)
                file.write(f"process {os.getpid()}")
                file.flush()
                self._sweep()
                yield
        except OSError as error:
            where = Where(str(error.filename or self.folder))
            raise ProjError(
                f"could not be written: {error.strerror}", where, "is there room, and may you write here?"
            ) from None

    def _sweep(self) -> None:
        """Remove what a run that was cut off has left."""
        for folder in (self.stages, self.folder):
            for path in folder.glob(".*.part"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for path in folder.glob(".*.old"):
                shutil.rmtree(path)

    def done(self, stage: str) -> StageRecord | None:
        """Return the record of a stage; None if it was not completed, changed, or by another version."""
        try:
            record = json.loads((self.at(stage) / DONE).read_text(encoding="utf-8"))
            checksum = record.pop(SUM)
            if record["version"] != VERSION or not all(isinstance(record[k], dict) for k in ("parts", "outputs", "facts")):
                return None
            if checksum != digest_of(record):
                return None
            return StageRecord(record["parts"], record["outputs"], record["facts"], tuple(map(str, record["warnings"])))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def damage(self, stage: str, done: StageRecord) -> str:
        """Return an output that was changed or removed since it was written; '' if there is none."""
        digests = tree_digests(self.at(stage))
        digests.pop(DONE, None)
        names = sorted({*digests, *done.outputs})
        return next((name for name in names if digests.get(name) != done.outputs.get(name)), "")

    def part(self, stage: str) -> Path:
        """An empty folder for a stage to write into."""
        path = self.stages / f".{stage}.part"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        return path

    def abandon(self, stage: str) -> None:
        """Remove the part folder of a stage that failed."""
        shutil.rmtree(self.stages / f".{stage}.part", ignore_errors=True)

    def commit(self, stage: str, parts: dict[str, Any], facts: dict[str, Any], warnings: list[str]) -> StageRecord:
        """Make the part folder the output of the stage, and return its record."""
        part = self.stages / f".{stage}.part"
        facts = json.loads(json.dumps(facts))  # as it will be read again
        record = StageRecord(parts, tree_digests(part), facts, tuple(warnings))
        about = {"version": VERSION, "parts": parts, "outputs": record.outputs, "facts": facts, "warnings": warnings}
        text = json.dumps({**about, SUM: digest_of(about)}, ensure_ascii=False, indent=1, sort_keys=True)
        (part / DONE).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        _swap(part, self.at(stage))
        return record

    def drop(self, stage: str) -> None:
        """Forget a stage that the config no longer has."""
        if self.at(stage).is_dir():
            old = self.stages / f".{stage}.old"
            self.at(stage).rename(old)
            shutil.rmtree(old)

    def publish(self, files: Mapping[str, Path]) -> list[str]:
        """Copy files and folders to the top of the results folder; what a person changed there is kept under another name.

        The names that earlier runs published and this one does not have are removed. Returns the names of what was kept.
        """
        known = self._published_digests()
        fresh = {name: _digest(path) for name, path in files.items()}
        for name, digest in fresh.items():
            known[name] = [digest, *(d for d in known.get(name, []) if d != digest)][:KEPT]
        with writing(self.stages / PUBLISHED) as out:  # first, so that a run cut off here knows its own files again
            out.write(json.dumps(known, indent=1, sort_keys=True) + "\n")
        kept = []
        for name in sorted(known):
            target = self.path(name)
            there = _digest(target) if target.exists() else ""
            if there and there not in known[name]:
                kept.append(self._set_aside(target).name)
                there = ""
            if name not in fresh and there:
                shutil.rmtree(target) if target.is_dir() else target.unlink()
            elif name in fresh and there != fresh[name]:
                _copy(files[name], self.path(f".{name}.part"))
                _swap(self.path(f".{name}.part"), target)
        return kept

    def _published_digests(self) -> dict[str, list[str]]:
        try:
            digests = json.loads((self.stages / PUBLISHED).read_text(encoding="utf-8"))
            return {name: list(map(str, old)) for name, old in digests.items() if "/" not in name and name[:1] not in ("", ".")}
        except (OSError, ValueError, AttributeError, TypeError, RecursionError):
            return {}

    def _set_aside(self, target: Path) -> Path:
        """Rename a result that a person changed, and return its new name."""
        number = 1
        while (new := target.with_name(f"{target.stem}.yours-{number}{target.suffix}")).exists():
            number += 1
        target.rename(new)
        return new

    def log(self, text: str) -> None:
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        with (self.folder / LOG).open("a", encoding="utf-8", errors="backslashreplace") as out:
            out.write(f"{now} {' '.join(text.split())}\n")


def _digest(path: Path) -> str:
    return digest_of(tree_digests(path)) if path.is_dir() else file_digest(path)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or folder; a full disk leaves nothing."""
    try:
        shutil.copytree(source, target, copy_function=shutil.copyfile) if source.is_dir() else shutil.copyfile(source, target)
    except BaseException as error:
        shutil.rmtree(target) if target.is_dir() else target.unlink(missing_ok=True)
        if isinstance(error, shutil.Error):  # a list of what failed
            raise OSError(errno.EIO, str(error.args[0][0][2]), str(target)) from None
        raise


def _swap(new: Path, target: Path) -> None:
    """Put a finished file or folder in its place; cut off in between, the old is gone and the new is made again."""
    if target.is_dir():
        old = target.with_name(f".{target.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        new.rename(target)
        shutil.rmtree(old)
    else:
        new.replace(target)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
