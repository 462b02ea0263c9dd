"""Open and write files: gzip by content, `-` for standard input and output, and output files complete or not at all."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

from divproj.core.errors import ProjError, Where
from divproj.runtime.leftovers import new_part
from divproj.runtime.resources import folder

Source = str | os.PathLike[str]
F_FILE, E_FILE, LINKS_FILE, IGT_FILE = "f.conllu", "e.conllu", "align.txt", "igt.txt"
REVIEWED = ".reviewed.conllu"
"""End of the name of a file with the trees of a review."""
"""Files of a corpus folder: the language studied, its translation, word links; interlinear text."""
DENSEST, SAFE = 400, 16 << 20
"""How many times its size gzip data may unpack to (one sentence repeated: 150; zeros: 1030), once past so many bytes."""
HEAD = 1 << 16
"""Bytes read to recognise a format."""
_UMASK = os.umask(0o022)
os.umask(_UMASK)  # there is no other way to ask for it


class Digest(Protocol):
    """What `hashlib.sha256()` gives."""

    def update(self, data: bytes, /) -> None: ...


class _DigestStream(io.RawIOBase):
    """A stream that updates a digest with the bytes read, and names the file if it cannot be unzipped."""

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


class _CountingStream:
    """A stream that knows how much was read of it; all that gzip asks for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data


class _GzipStream:
    """Gzip data that is text: a small file must not unpack to fill the machine."""

    def __init__(self, stream: BinaryIO, where: Where) -> None:
        self._packed, self._where, self._count = _CountingStream(stream), where, 0
        self._plain = gzip.GzipFile(fileobj=cast(Any, self._packed))

    def read(self, size: int = -1) -> bytes:
        data = self._plain.read(size)
        self._count += len(data)
        if self._count > max(SAFE, DENSEST * self._packed.count):
            raise ProjError(f"unpacks to more than {DENSEST} times its size, which text does not do", self._where, "unpack it")
        return data


def unzip(data: bytes) -> bytes:
    """Bytes in memory, unzipped when they are gzip.

    >>> unzip(gzip.compress(b"Hunde")), unzip(b"bellen")
    (b'Hunde', b'bellen')
    """
    where = Where("<text>")
    plain = cast(BinaryIO, _GzipStream(io.BytesIO(data), where)) if data[:2] == b"\x1f\x8b" else io.BytesIO(data)
    return io.BufferedReader(_DigestStream(plain, None, where)).read()


def name_of(source: Source) -> str:
    """How a source is called in messages: its path, or `<stdin>`."""
    return "<stdin>" if os.fspath(source) == "-" else os.fspath(source)


def in_folder(place: Path, name: str) -> Path | None:
    """A file of a corpus folder, packed with gzip or not; None where it is not there."""
    return next((path for path in (place / name, place / f"{name}.gz") if path.exists()), None)


def locate(name: str) -> Path:
    """A path as given, or the shipped corpus of this name."""
    path = Path(name)
    if not path.exists() and "/" not in name and (folder("corpora") / name).is_dir():
        return folder("corpora") / name
    return path


def samples() -> str:
    """Names of the sample corpora."""
    return ", ".join(sorted(p.name for p in folder("corpora").iterdir() if p.is_dir()))


class PrefixedStream(io.RawIOBase):
    """A stream whose first bytes were read already, from its beginning."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :] if self._head else b""
        buffer[: len(data)] = data
        return len(data)


def rewind(head: bytes, rest: BinaryIO) -> BinaryIO:
    """The stream from its beginning, after `head` was read from it."""
    return cast(BinaryIO, io.BufferedReader(PrefixedStream(head, rest), 1 << 20))


@dataclass
class _Pipe:
    """A source that can be read only once; its first bytes may be inspected before."""

    stream: BinaryIO
    head: bytes = b""
    is_read: bool = False


_pipes: dict[tuple[Any, ...], _Pipe] = {}
"""Pipes that were opened, by what tells them apart."""


def is_pipe(source: Source) -> bool:
    """Whether a source can be read only once: standard input, or a pipe, such as the shell makes of `<(command)`."""
    return os.fspath(source) == "-" or Path(source).is_fifo()


def _pipe(source: Source) -> _Pipe:
    name = os.fspath(source)
    if name == "-" and sys.stdin is None:
        raise ProjError("standard input is closed", Where(name_of(source)), "give a file, or something to read")
    about = None if name == "-" else Path(source).stat()
    key = (name, about.st_dev, about.st_ino) if about else (name, id(sys.stdin.buffer))
    if key not in _pipes:
        _pipes[key] = _Pipe(_open(source) if about else sys.stdin.buffer)
    return _pipes[key]


def head_of(source: Source) -> bytes:
    """The first bytes of a file, unzipped; those of a pipe are kept for whoever reads it."""
    if not is_pipe(source):
        with reading(source) as stream:
            return stream.read(HEAD)
    pipe = _pipe(source)
    if not pipe.is_read and not pipe.head:
        pipe.head = pipe.stream.read(HEAD)
    zipped = pipe.head[:2] == b"\x1f\x8b"
    return zlib.decompressobj(31).decompress(pipe.head, HEAD) if zipped else pipe.head


@contextmanager
def reading(source: Source, digest: Digest | None = None) -> Iterator[BinaryIO]:
    """Bytes of a file, of standard input for `-`, unzipped when they are gzip."""
    where = Where(name_of(source))
    with _once(source, where) if is_pipe(source) else _open(source) as opened:
        zipped = cast(Any, opened).peek(2)[:2] == b"\x1f\x8b"
        if not zipped and digest is None:
            yield opened
            return
        raw = cast(BinaryIO, _GzipStream(opened, where) if zipped else opened)
        yield cast(BinaryIO, io.BufferedReader(_DigestStream(raw, digest, where), 1 << 20))


@contextmanager
def _once(source: Source, where: Where) -> Iterator[BinaryIO]:
    pipe = _pipe(source)
    if pipe.is_read:
        raise ProjError("this is read twice, but the text of a pipe comes once", where, "give a file")
    pipe.is_read = True
    with pipe.stream:
        yield rewind(pipe.head, pipe.stream) if pipe.head else pipe.stream


def _open(source: Source) -> BinaryIO:
    where = Where(name_of(source))
    try:
        return open(source, "rb")
    except FileNotFoundError:
        raise ProjError("no such file", where) from None
    except IsADirectoryError:
        raise ProjError("this is a folder, a file was expected", where) from None
    except OSError as error:
        raise ProjError(f"cannot be opened: {error.strerror}", where) from None


def permissions(path: Path) -> int:
    """The mode of the file that takes this path: as the one before it, or as the user's new files have it."""
    return path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_UMASK


@contextmanager
def writing(target: Source) -> Iterator[TextIO]:
    """Write UTF-8 text to a file that appears under its name only if the block ends without error; `-` is standard output.

    Links are written through, and so are devices and pipes, which get the text as it comes.
    """
    if os.fspath(target) == "-":
        yield sys.stdout
        return
    path = Path(target)
    with streaming(path) if is_stream(path) else replacing(path) as raw, text_on(raw, path) as out:
        yield out


def flush_together(*outs: TextIO | None) -> None:
    """Write out what is buffered of files that belong together, before the first appears: a full disk then leaves none of them."""
    for out in outs:
        if out is not None and out is not sys.stdout:
            out.flush()


@contextmanager
def text_on(raw: BinaryIO, path: Path) -> Iterator[TextIO]:
    """Text for a file of this name: `.gz` is packed, and what is no character (half of one, an odd file name) is escaped."""
    packed: Any = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
    out = io.TextIOWrapper(packed, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        yield out
    except BaseException:
        with suppress(ProjError):  # the block's error is the one to hear of
            out.detach()
        raise
    out.detach()
    if packed is not raw:
        packed.close()


def is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe or one of this process's own streams: nothing may be renamed onto that."""
    try:
        return not stat.S_ISREG(path.stat().st_mode) or str(path.absolute()).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    except (OSError, ValueError):
        return False


@contextmanager
def streaming(path: Path) -> Iterator[BinaryIO]:
    """Bytes to a device or a pipe."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise ProjError(f"cannot write here: {error.strerror}", Where(str(path))) from None
    with _buffered_writer(handle, path) as raw:
        yield raw


@contextmanager
def replacing(path: Path, durable: bool = False) -> Iterator[BinaryIO]:
    """Write bytes to a new file, which replaces the old one if the block ends without error.

    Files left beside it by a killed run are removed. `durable` waits until all is on the disk.
    """
    where = Where(str(path))
    try:
        real = Path(os.path.realpath(path))
        if real.is_symlink():  # links in a circle
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        handle, part = new_part(real)
    except (OSError, ValueError) as error:
        raise ProjError(f"cannot write here: {getattr(error, 'strerror', None) or error}", where) from None
    try:
        with _buffered_writer(handle, path) as raw:
            yield raw
            raw.flush()
            try:
                if durable:
                    os.fsync(raw.fileno())
                part.chmod(permissions(real))
                part.replace(real)
            except OSError as error:
                raise ProjError(f"could not be written: {error.strerror}", where) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def _buffered_writer(handle: int, path: Path) -> Iterator[BinaryIO]:
    out = io.BufferedWriter(_OutputFile(handle, path), 1 << 16)
    try:
        yield out
    except BaseException:
        with suppress(ProjError):
            out.close()
        raise
    out.close()


class _OutputFile(io.FileIO):
    """A file whose write errors name it; other errors raised while it is open are left as they are."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, data: Any, /) -> int:
        whole = memoryview(data).cast("B")
        done = 0
        while done < len(whole):
            try:
                done += super().write(whole[done:])
            except OSError as error:
                raise ProjError(f"could not be written: {error.strerror}", Where(str(self._path))) from None
        return done
