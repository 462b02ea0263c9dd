"""Fingerprints of code and of files: whether another machine would do the same work with the same things."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from divproj.data.errors import ProjError
from divproj.runtime.resources import folder


@cache
def of_code() -> str:
    """Of the sources of divproj, and of the rules and languages that come with it."""
    package = Path(__file__).resolve().parents[1]
    tops = [package]
    with suppress(ProjError):
        tops += [folder("rules"), folder("languages")]
    return _digest(
        (f"{top.name}/{path.relative_to(top).as_posix()}", path)
        for top in tops
        for path in sorted(top.rglob("*"))
        if path.suffix in (".py", ".json", ".npz", ".tsv") and path.is_file() and "shipped" not in path.relative_to(top).parts
    )


_known: dict[Path, tuple[tuple[tuple[str, int, int], ...], str]] = {}
"""Fingerprints by path, with the names, sizes and times of the files that they are of."""


def of_path(path: Path) -> str:
    """Of the bytes of a file, or of the files in a folder; '' where there is nothing. Read again only when it has changed."""
    try:
        files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path] if path.is_file() else []
        seen = tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
        if _known.get(path, ((), ""))[0] != seen:
            _known[path] = seen, _digest((file.name, file) for file in files)
    except OSError:
        return ""
    return _known[path][1] if files else ""


def _digest(files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, path in files:
        digest.update(f"{len(name)} {name} {path.stat().st_size} ".encode("utf-8", "surrogateescape"))
        with open(path, "rb") as stream:
            while data := stream.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()
