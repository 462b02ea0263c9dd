"""What survives a crash: a log to which every change is added before it is acknowledged, and files that appear whole.

A line of the log is a checksum, a blank and a JSON object. A last line that is broken was never acknowledged and goes; a
broken line before others means that the file was damaged, and nothing is done with it.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from divproj.data.errors import ModelError, ProjError, Where
from divproj.data.wording import shell_word
from divproj.io.files import reading, replacing
from divproj.runtime.leftovers import name_beside

try:
    import fcntl
except ImportError:  # not POSIX: two reviews of one file are not noticed there
    fcntl = None  # type: ignore[assignment]

FORMAT, VERSION = "divproj review journal", 1
Entry = dict[str, Any]
ANEW = "review the file itself (proj review {}), name another with -o, or begin anew with `fresh`"


class Journal:
    """An open log; `entries` are those that it held when it was opened, each with its line number."""

    def __init__(self, path: Path, about: Entry, reviewed: Path | None = None) -> None:
        """`reviewed` is the file that was made with it: where that is there, a journal without a beginning is damaged."""
        self.reviewed = reviewed if reviewed is not None and reviewed.exists() else None
        self.path, self.header = path, {"format": FORMAT, "version": VERSION, **about}
        self.entries: list[tuple[int, Entry]] = []
        self.broken = ""
        try:
            self._file: BinaryIO = open(path, "a+b", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise ProjError(f"the journal cannot be opened: {error.strerror}", Where(str(path))) from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ProjError(
                "another `proj review` has this file open", Where(str(self.path)), "use its page, or end it first"
            ) from None

    def _read(self) -> None:
        self._file.seek(0)
        data = self._file.read()
        lines = data.split(b"\n")
        kept = 0
        for number, line in enumerate(lines[:-1], 1):
            entry = _entry(line)
            if entry is None:
                if number < len(lines) - 1 and any(map(_entry, lines[number:])):
                    raise ModelError("this line is damaged", Where(str(self.path), number), "put a copy of the journal back")
                break
            kept += len(line) + 1
            self.entries.append((number, entry))
        if not self.entries:
            if lines[0] and not _torn(lines):
                raise ModelError("this is no journal of `proj review`", Where(str(self.path)), "move it away")
            if self.reviewed is not None:
                what = f"the journal is empty or cut off, and {self.reviewed.name} has what it cannot give back"
                raise ModelError(
                    what,
                    Where(str(self.path)),
                    f"put a copy of the journal back, {ANEW.format(shell_word(self.reviewed.name))}",
                )
            self._file.truncate(0)
            self._write(self.header)
            sync_folder(self.path.parent)
            return
        self._check(self.entries.pop(0)[1])
        if kept < len(data):
            self._file.truncate(kept)

    def _check(self, found: Entry) -> None:
        where = Where(str(self.path))
        if found.get("format") != FORMAT:
            raise ModelError("this is no journal of `proj review`", where, "move it away")
        if found.get("version") != VERSION:
            raise ModelError(f"version {found.get('version')} of the journal, {VERSION} expected", where)
        if found.get("sha256") != self.header.get("sha256"):
            raise ProjError(
                f"{found.get('input', 'the file')} has changed since its review began",
                where,
                "put the earlier file back, or begin anew with `fresh`, which keeps the old review under another name",
            )

    def append(self, entry: Entry) -> None:
        """The entry is on disk when this returns; when it raises, the log is as it was."""
        if self.broken:
            raise ProjError(f"the journal is no longer written to: {self.broken}", Where(str(self.path)))
        self._write(entry)

    def _write(self, entry: Entry) -> None:
        text = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        size = os.fstat(self._file.fileno()).st_size
        try:
            while line:
                line = line[self._file.write(line) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            try:
                self._file.truncate(size)
            except OSError:
                self.broken = error.strerror or "write error"
            raise ProjError(f"the change could not be journalled: {error.strerror}", Where(str(self.path))) from None

    def close(self) -> None:
        self._file.close()


def _entry(line: bytes) -> Entry | None:
    check, _, text = line.partition(b" ")
    try:
        if len(check) != 8 or int(check, 16) != zlib.crc32(text):
            return None
        found = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _torn(lines: list[bytes]) -> bool:
    """Whether this is the beginning of a first line that was never ended."""
    return len(lines) == 1 and (len(lines[0]) < 9 or lines[0][9:].startswith(b'{"format":"divproj'[: len(lines[0]) - 9]))


def save(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file whole or not at all, and only return when it is on disk; `.gz` is packed."""
    with replacing(path, durable=True) as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                packed.writelines(chunks)
        else:
            raw.writelines(chunks)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """The names in it are on disk, where the system can say so."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def keep_other(path: Path, known: Callable[[bytes], bool]) -> Path | None:
    """Keep a copy of a reviewed file that its journal does not know, and that would be written over; None where it does."""
    if not path.exists():
        return None
    with reading(path) as stream:
        found = stream.read()
    if known(found):
        return None
    name = _old_name(path)
    save(name, (found,))
    return name


def set_aside(path: Path) -> Path | None:
    """Give an old file another name, `.old`, `.old2` …; None when there is none."""
    if not path.exists():
        return None
    name = _old_name(path)
    path.replace(name)
    return name


def _old_name(path: Path) -> Path:
    name = path.with_name(name_beside(path.name, ".old"))
    count = 1
    while name.exists():
        count += 1
        name = path.with_name(name_beside(path.name, f".old{count}"))
    return name
