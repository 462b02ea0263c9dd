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
DENSEST, SAFE = 400, 16 << 20
"""How many times its size gzip data may unpack to (one sentence repeated: 150; zeros: 1030), once past so many bytes."""
_UMASK = os.umask(0o022)
os.umask(_UMASK)  # there is no other way to ask for it


class Digest(Protocol):
    """What `hashlib.sha256()` gives."""

    def update(self, data: bytes, /) -> None: ...


class _Watched(io.RawIOBase):
    """A stream that shows what it reads to a digest, and says which file it is that cannot be unzipped."""

    def __init__(self, stream: BinaryIO, digest: Digest | None, where: Where) -> None:
        self._stream, self._digest, self._where = stream, digest, where

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ProjError(f"broken gzip data: {error}", self._where, "unpack it or fetch it again") from None
        buffer[: len(data)] = data
        if self._digest is not None:
            self._digest.update(data)
        return len(data)


class _Counted:
    """A stream that knows how much was read of it; all that gzip asks for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data


class _Unpacked:
    """Gzip data that is text: a small file must not unpack to fill the machine."""

    def __init__(self, stream: BinaryIO, where: Where) -> None:
        self._packed, self._where, self._count = _Counted(stream), where, 0
        self._plain = gzip.GzipFile(fileobj=cast(Any, self._packed))

    def read(self, size: int = -1) -> bytes:
        data = self._plain.read(size)
        self._count += len(data)
        if self._count > max(SAFE, DENSEST * self._packed.count):
            raise ProjError(f"unpacks to more than {DENSEST} times its size, which text does not do", self._where, "unpack it")
        return data


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
        zipped = cast(Any, opened).peek(2)[:2] == b"\x1f\x8b"
        if not zipped and digest is None:
            yield cast(BinaryIO, opened)
            return
        raw = cast(BinaryIO, _Unpacked(opened, where) if zipped else opened)
        yield cast(BinaryIO, io.BufferedReader(_Watched(raw, digest, where), 1 << 20))


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
