"""Files cut into pieces between sentences, as bytes: reading them is left to whoever takes a piece, maybe another process."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from divproj.data.errors import FormatError, Where
from divproj.io.conllu import LONGEST

CHUNK = 1 << 20
"""Bytes of CoNLL-U that make a piece: enough work to send off, little enough to keep many."""
_BLANK = re.compile(rb"\n(?:\r?\n)+")
_LEADING = re.compile(rb"(?:\xef\xbb\xbf)?(?:\r?\n)*")


@dataclass(frozen=True)
class Part:
    """Some sentences, or lines of links, of a file, as they stand there; `line` is the number of the first line."""

    text: bytes = b""
    line: int = 1
    count: int = 0
    path: str = ""
    """Name of the file, for messages."""


class Blocks:
    """The sentences of a CoNLL-U file, to be taken in parts. They are counted, not read."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream, self._path = stream, path
        self._text, self._line, self._ended = b"", 1, False
        self._ends: list[int] = []  # of the sentences in the text, with the blank lines after each

    def fill(self) -> int:
        """Sentences that are ready: those of a chunk, 0 at the end of the file."""
        while not self._ends and not self._ended:
            new = self._stream.read(CHUNK)
            self._text += new
            self._ended = len(new) == 0
            self._find()
            if not self._ends and len(self._text) > LONGEST:
                what = f"no blank line in {LONGEST >> 20} MB"
                raise FormatError(what, Where(self._path, self._line), "is this a CoNLL-U file?")
        return len(self._ends)

    def _find(self) -> None:
        text = self._text
        leading = _LEADING.match(text)
        start = leading.end() if leading and self._line == 1 else 0
        last = len(text) if self._ended else len(text) - 2  # blank lines at the end may go on in the next chunk
        self._ends = [end for end in _blanks(text, start) if end <= last]
        if self._ended and text[self._ends[-1] if self._ends else start :].strip(b"\n"):
            self._ends.append(len(text))

    def take(self, count: int) -> Part:
        """The next sentences, fewer when the file ends before; all bytes of the file come in some part."""
        texts, taken, line = [], 0, self._line
        while taken < count and self.fill():
            some = min(count - taken, len(self._ends))
            cut = self._ends[some - 1]
            texts.append(self._text[:cut])
            self._text = self._text[cut:]
            self._ends = [end - cut for end in self._ends[some:]]
            self._line += texts[-1].count(b"\n")
            taken += some
        return Part(b"".join(texts), line, taken, self._path)


def _blanks(text: bytes, start: int) -> list[int]:
    """Where the blank lines between sentences end."""
    if b"\r" in text:
        return [found.end() for found in _BLANK.finditer(text, start)]
    ends, end = [], text.find(b"\n\n") + 2
    while end > 1:
        while text.startswith(b"\n", end):
            end += 1
        if end > start:
            ends.append(end)
        end = text.find(b"\n\n", end) + 2
    return ends


class Lines:
    """The lines of a file, to be taken in parts."""

    def __init__(self, stream: BinaryIO, path: str = "") -> None:
        self._stream, self._path, self._line = stream, path, 1

    def take(self, count: int) -> Part:
        lines = list(islice(self._stream, count))
        self._line += len(lines)
        return Part(b"".join(lines), self._line - len(lines), len(lines), self._path)


class Joined:
    """Several files, one after the other, to be taken in parts that are of one file each."""

    def __init__(self, files: Sequence[Blocks | Lines]) -> None:
        self._files, self._now = files, 0

    def take(self, count: int) -> tuple[Part, ...]:
        """The next `count` sentences or lines, fewer when the last file ends before."""
        found: list[Part] = []
        while count and self._now < len(self._files):
            part = self._files[self._now].take(count)
            if part.count < count:
                self._now += 1
            if part.count:
                found.append(part)
            count -= part.count
        return tuple(found)
