"""The fast lane of a corpus: files to arrays through compiled scanning, peculiar sentences through the careful reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from divproj.data.pair import Pair
from divproj.data.pair_arrays import Book, Ints, PairBatch, Side
from divproj.io import scan

CHUNK = 1 << 20
SLOTS = 1 << 17
MOST = 1 << 16  # distinct tags and relations; sentences with more go the careful way
POOL = 1 << 22  # bytes of all of them

Bytes = NDArray[np.uint8]


class ScanBook(Book):
    """A book whose codes the scanner hands out."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = np.zeros(SLOTS, np.uint64)
        self.slots = np.zeros(SLOTS, np.int32)
        self.size = np.zeros(2, np.int64)
        self.found = np.zeros((MOST, 2), np.int64)
        self.pool = np.zeros(POOL, np.uint8)
        self.code("_")

    def code(self, name: str) -> int:
        found = self.codes.get(name)
        if found is None or not self.size[0]:
            text = np.frombuffer(bytearray(name, "utf-8", "surrogatepass"), np.uint8)
            found = int(scan.string_code.compiled(text, 0, len(text), self.keys, self.slots, self.size, self.found, self.pool))
            if found < 0:  # the scanner's table is full and stays so: codes past it are ours
                found = self.codes[name] = len(self.names)
                self.names.append(name)
            else:
                self.learn()
        return found

    def learn(self) -> None:
        """Take in the strings that the scanner met."""
        for code in range(len(self.names), int(self.size[0])):
            start, end = self.found[code].tolist()
            name = self.pool[start:end].tobytes().decode("utf-8", "replace")
            self.names.append(name)
            self.codes[name] = code
        self.codes["_"] = 0


class Supply:
    """Items of a file, `count` of them read, `taken` of them used up."""

    def __init__(self, stream: BinaryIO, line: int = 1) -> None:
        self.stream = stream
        self.rest, self.line, self.taken, self.count = b"", line, 0, 0
        self.ended = False

    def fill(self) -> bool:
        """Read on when all is used up; False at the end of the file."""
        while self.taken == self.count:
            if self.ended:
                return False
            self._read()
        return True

    def _read(self) -> None:
        raise NotImplementedError


class Table(Supply):
    """The sentences of one side."""

    def __init__(self, stream: BinaryIO, book: ScanBook, line: int = 1) -> None:
        super().__init__(stream, line)
        self.book = book

    def _read(self) -> None:
        new = self.stream.read(CHUNK)
        chunk = self.rest + new
        if self.line == 1 and not self.rest and chunk.startswith(b"\xef\xbb\xbf"):
            chunk = chunk[3:]
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n")
        self.ended = not new
        cut = len(chunk) if self.ended else chunk.rfind(b"\n\n", 0, len(chunk.rstrip(b"\n"))) + 2
        if cut < 2 and not self.ended:
            self.rest = chunk
            return
        self.rest = chunk[cut:]
        self._scan(chunk[:cut])

    def _scan(self, chunk: bytes) -> None:
        self.start_line = self.line
        self.line += chunk.count(b"\n")
        body = chunk.rstrip(b"\n") + b"\n"
        self.text: Bytes = np.frombuffer(bytearray(body), np.uint8)
        most = body.count(b"\n") + 2
        self.at = np.zeros(most + 1, np.int64)
        self.heads, self.rels, self.upos, self.xpos = (np.zeros(2 * most, np.int32) for _ in range(4))
        self.spans = np.zeros((most, 5), np.int64)
        self.good = np.zeros(most, np.bool_)
        book = self.book
        self.count, _ = scan.scan_conllu.compiled(
            self.text, book.keys, book.slots, book.size, book.found, book.pool, self.at,
            self.heads, self.rels, self.upos, self.xpos, self.spans, self.good,
        )  # fmt: skip
        book.learn()
        self.taken = 0
        try:
            body.decode("utf-8")
        except UnicodeDecodeError:
            self._mark_broken()

    def _mark_broken(self) -> None:
        for k in range(self.count):
            try:
                self.block(k).decode("utf-8")
            except UnicodeDecodeError:
                self.good[k] = False

    def block(self, k: int) -> bytes:
        """The bytes of sentence k, without the blank line after it."""
        start, end = self.spans[k, :2].tolist()
        return self.text[start:end].tobytes().rstrip(b"\n")

    def line_of(self, k: int) -> int:
        return self.start_line + int(self.spans[k, 2])

    def side(self, first: int, count: int) -> Side:
        start, end = int(self.at[first]), int(self.at[first + count])
        columns = (self.heads, self.rels, self.upos, self.xpos)
        return Side(self.at[first : first + count + 1] - start, *(values[start:end] for values in columns))


class LinkTable(Supply):
    """The lines of links."""

    def _read(self) -> None:
        new = self.stream.read(CHUNK)
        self.ended = not new
        self.line += self.count
        chunk = self.rest + new
        if self.line == 1 and not self.rest:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        cut = len(chunk) if self.ended else chunk.rfind(b"\n") + 1
        self.rest = chunk[cut:]
        body = chunk[:cut].replace(b"\r\n", b"\n")
        self.text: Bytes = np.frombuffer(bytearray(body), np.uint8)
        most = body.count(b"\n") + 2
        self.line_at, self.link_at = np.zeros(most, np.int64), np.zeros(most, np.int64)
        self.ends = np.zeros((len(body) // 3 + 2, 2), np.int32)
        self.good = np.zeros(most, np.bool_)
        self.count = scan.scan_links.compiled(self.text, self.line_at, self.link_at, self.ends, self.good)
        self.taken = 0

    def text_of(self, k: int) -> str:
        start, end = self.line_at[k : k + 2].tolist()
        return self.text[start:end].tobytes().decode("utf-8", "replace")


Careful = Callable[[bytes, int, bytes, int, str, int], Pair | None]


def batches(f: Table, e: Table, links: LinkTable, careful: Careful, ids: bool, counts: list[int]) -> Iterator[PairBatch]:
    """Batches from three streams; `careful` makes a pair (or None) of what the scanner would not take.

    `counts` gets the number of sentences in each file.
    """
    sides: tuple[Supply, ...] = (f, e, links)
    while True:
        more = [side.fill() for side in sides]
        if not all(more):
            break
        count = min(side.count - side.taken for side in sides)
        plain = np.zeros(count, np.bool_)
        scan.check_pairs.compiled(
            count, plain, f.text, f.spans, f.good, f.at, f.taken, e.text, e.spans, e.good, e.at, e.taken,
            links.ends, links.link_at, links.good, links.taken, ids,
        )  # fmt: skip
        yield from _runs(f, e, links, careful, plain)
        for k, side in enumerate(sides):
            side.taken += count
            counts[k] += count
    for k, side in enumerate(sides):
        while side.fill():
            blank = k == 2 and counts[2] >= max(counts[:2])
            lines = range(side.taken, side.count)
            counts[k] += sum(1 for i in lines if links.text_of(i).strip()) if blank else len(lines)
            side.taken = side.count


def _runs(f: Table, e: Table, links: LinkTable, careful: Careful, plain: NDArray[np.bool_]) -> Iterator[PairBatch]:
    """Stretches of plain pairs as they are, stretches of peculiar ones through objects."""
    borders = [0, *(np.flatnonzero(np.diff(plain)) + 1).tolist(), len(plain)]
    for first, last in pairwise(borders):
        a, b, c = f.taken + first, e.taken + first, links.taken + first
        if last > first and plain[first]:
            yield _plain_batch(f, e, links, a, b, c, last - first, careful)
        elif last > first:
            made = (_object(f, e, links, a + k, b + k, c + k, careful) for k in range(last - first))
            pairs = [pair for pair in made if pair is not None]
            if pairs:
                yield PairBatch.of(pairs, f.book)


def _object(f: Table, e: Table, links: LinkTable, a: int, b: int, c: int, careful: Careful) -> Pair | None:
    return careful(f.block(a), f.line_of(a), e.block(b), e.line_of(b), links.text_of(c), links.line + c)


def _plain_batch(f: Table, e: Table, links: LinkTable, a: int, b: int, c: int, count: int, careful: Careful) -> PairBatch:
    f, e, links = copy(f), copy(e), copy(links)  # reading on puts new arrays in the place of these

    def pair(k: int) -> Pair:
        made = _object(f, e, links, a + k, b + k, c + k, careful)
        assert made is not None
        return made

    link_at: Ints = links.link_at[c : c + count + 1] - links.link_at[c]
    ends = links.ends[links.link_at[c] : links.link_at[c + count]]
    return PairBatch(f.side(a, count), e.side(b, count), link_at, ends, f.book, pair)
