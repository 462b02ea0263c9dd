"""Opening and writing files: gzip by content, `-` for standard input, whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

from divproj.errors import ProjError, Where

Source = str | os.PathLike[str]
_UMASK = os.umask(0o022)
os.umask(_UMASK)  # there is no other way to ask for it


class Digest(Protocol):
    """What `hashlib.sha256()` gives."""

    def update(self, data: bytes, /) -> None: ...


class _Hashing(io.RawIOBase):
    """A stream that shows what it reads to a digest."""

    def __init__(self, stream: BinaryIO, digest: Digest) -> None:
        self._stream, self._digest = stream, digest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._digest.update(data)
        return len(data)


def name_of(source: Source) -> str:
    return "<stdin>" if os.fspath(source) == "-" else os.fspath(source)


@contextmanager
def reading(source: Source, digest: Digest | None = None) -> Iterator[BinaryIO]:
    """Bytes of a file, of standard input for `-`, unzipped when they are gzip."""
    where = Where(name_of(source))
    try:
        opened = sys.stdin.buffer if os.fspath(source) == "-" else open(source, "rb")  # noqa: SIM115
    except FileNotFoundError:
        raise ProjError("no such file", where) from None
    except IsADirectoryError:
        raise ProjError("this is a folder, a file was expected", where) from None
    except OSError as error:
        raise ProjError(f"cannot be opened: {error.strerror}", where) from None
    with opened:
        raw: Any = opened
        if raw.peek(2)[:2] == b"\x1f\x8b":
            raw = gzip.GzipFile(fileobj=raw)
        buffered: BinaryIO = raw if digest is None else cast(BinaryIO, io.BufferedReader(_Hashing(raw, digest), 1 << 20))
        try:
            yield buffered
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ProjError(f"broken gzip data: {error}", where, "unpack it or fetch it again") from None


@contextmanager
def writing(target: Source) -> Iterator[TextIO]:
    """Text to a file that appears whole, under its name, only when the block ends well; `-` is standard output."""
    if os.fspath(target) == "-":
        yield sys.stdout
        return
    path = Path(target)
    folder = path.parent
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=folder)
    except OSError as error:
        raise ProjError(f"cannot write here: {error.strerror}", Where(str(path))) from None
    try:
        with os.fdopen(handle, "wb") as raw:
            packed: Any = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
            with io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as out:
                yield out
        Path(temporary).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_UMASK)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise ProjError(f"could not be written: {error.strerror}", Where(str(path))) from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
