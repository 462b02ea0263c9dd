"""Read CoNLL-U and Pharaoh files into arrays with compiled kernels.

`scan_conllu` and `scan_links` go through the bytes of a file once. They accept only sentences without any irregularity:

    1<TAB>Hunde<TAB>…<TAB>NOUN<TAB>…<TAB>2<TAB>nsubj<TAB>…      heads -1 2 0, relations 0 nsubj root (as codes);
    2<TAB>bellen<TAB>…<TAB>VERB<TAB>…<TAB>0<TAB>root<TAB>…      the first place of a sentence is its artificial root

All others are marked and parsed by the ordinary reader (`careful`), which can say what is wrong with them. `batches` puts both
together again, in the order of the files.

Tags and relations become integer codes through an open-addressing hash table: the FNV-1a hash of a string (64 bits) gives the
slot, and strings with the same hash are compared byte by byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from itertools import pairwise
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from divproj.core.pair import Ints, LabelCodes, Pair, PairBatch, SideArrays
from divproj.runtime.jit import kernel

TAB, LF, SPACE, HASH, DASH, DOT, EQUALS = 9, 10, 32, 35, 45, 46, 61


@kernel("b1(u1[::1], i8, i8, u1[::1], i8, i8)")
def same_bytes(a, a0, a1, b, b0, b1):  # type: ignore[no-untyped-def]
    if a1 - a0 != b1 - b0:
        return False
    for k in range(a1 - a0):
        if a[a0 + k] != b[b0 + k]:
            return False
    return True


@kernel("i8(u1[::1], i8, i8, u8[::1], i4[::1], i8[::1], i8[:, ::1], u1[::1])")
def string_code(text, start, end, keys, codes, size, bounds, pool):  # type: ignore[no-untyped-def]
    """Code of the bytes; a new string gets the next one and is kept in the pool, at found[code].

    `size` is how many there are, and how much of the pool they take. -1 where there is no room for another.
    """
    value = np.uint64(14695981039346656037)
    for k in range(start, end):
        value = (value ^ np.uint64(text[k])) * np.uint64(1099511628211)
    if value == 0:
        value = np.uint64(1)
    mask = np.uint64(len(keys) - 1)
    slot = value & mask
    while keys[slot] != 0:
        if keys[slot] == value:  # strings of one hash may differ
            code = codes[slot]
            if same_bytes(text, start, end, pool, bounds[code, 0], bounds[code, 1]):
                return code
        slot = (slot + np.uint64(1)) & mask
    code, place = size[0], size[1]
    if code >= len(bounds) or place + end - start > len(pool):
        return -1
    keys[slot] = value
    codes[slot] = code
    for k in range(start, end):
        pool[place + k - start] = text[k]
    bounds[code, 0] = place
    bounds[code, 1] = place + end - start
    size[0] += 1
    size[1] = bounds[code, 1]
    return code


@kernel("b1(i4[::1], i8, i8, i4[::1])")
def is_tree(heads, first, n, mark):  # type: ignore[no-untyped-def]
    """Whether words 1..n with heads from place `first` on make a tree with one root; `mark` is scratch."""
    roots = 0
    for k in range(1, n + 1):
        mark[k] = 0
        if heads[first + k] == 0:
            roots += 1
        if heads[first + k] > n:
            return False
    if roots != 1:
        return False
    for start in range(1, n + 1):
        k = start
        while k > 0 and mark[k] == 0:
            mark[k] = start
            k = heads[first + k]
        if k > 0 and mark[k] == start:
            return False
    return True


@kernel(
    "UniTuple(i8, 2)(u1[::1], u8[::1], i4[::1], i8[::1], i8[:, ::1], u1[::1], i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i8[:, ::1], b1[::1])"
)
def scan_conllu(text, keys, codes, size, bounds, pool, at, heads, deprels, upos, xpos, spans, good):  # type: ignore[no-untyped-def]
    """Sentences of a text that ends with its last row: how many, and how many places they fill.

    spans[k] = start, end, line (from 0), start and end of the sent_id. A sentence with `good` False fills no place.
    """
    end = len(text)
    mark = np.zeros(end // 18 + 2, np.int32)  # a row has 18 bytes at least, the tabs and one byte a field
    pos, line, n_sentences, n_places = 0, 0, 0, 0
    while pos < end:
        if text[pos] == LF:
            pos += 1
            line += 1
            continue
        spans[n_sentences, 0] = pos
        spans[n_sentences, 2] = line
        spans[n_sentences, 3] = spans[n_sentences, 4] = 0
        first = n_places
        fine, n, reach = True, 0, 0
        heads[first] = -1
        deprels[first] = upos[first] = xpos[first] = 0
        while pos < end and text[pos] != LF:
            if text[pos] == HASH:
                fine = fine and n == 0
                start = pos
                while pos < end and text[pos] != LF:
                    fine = fine and text[pos] != 0
                    pos += 1
                a = start + 1
                while a < pos and text[a] <= SPACE:
                    a += 1
                if (
                    a + 7 < pos
                    and text[a] == 115
                    and text[a + 1] == 101
                    and text[a + 2] == 110
                    and text[a + 3] == 116
                    and text[a + 4] == 95
                    and text[a + 5] == 105
                    and text[a + 6] == 100
                    and spans[n_sentences, 4] == 0
                ):
                    plain = a == start + 2 and text[start + 1] == SPACE
                    a += 7
                    while a < pos and text[a] == SPACE:
                        a += 1
                    fine = fine and plain and a < pos and text[a] == EQUALS
                    a += 1
                    while a < pos and text[a] == SPACE:
                        a += 1
                    b = pos
                    while b > a and text[b - 1] == SPACE:
                        b -= 1
                    spans[n_sentences, 3] = a
                    spans[n_sentences, 4] = b
            else:
                low, start = 0, pos
                while pos < end and 48 <= text[pos] <= 57 and pos - start < 7:
                    low = low * 10 + text[pos] - 48
                    pos += 1
                fine = fine and pos > start and (text[start] != 48 or pos == start + 1)
                word = pos < end and text[pos] == TAB
                if word:
                    n += 1
                    fine = fine and low == n
                else:  # a multiword token or an empty node: checked and passed over
                    dash = pos < end and text[pos] == DASH
                    fine = fine and (dash or (pos < end and text[pos] == DOT))
                    if pos < end and text[pos] != LF:
                        pos += 1
                    high, start = 0, pos
                    while pos < end and 48 <= text[pos] <= 57 and pos - start < 7:
                        high = high * 10 + text[pos] - 48
                        pos += 1
                    fine = fine and pos > start and pos < end and text[pos] == TAB
                    if dash:
                        fine = fine and low == n + 1 and high >= low and low > reach
                        reach = high
                    else:
                        fine = fine and low == n
                place = first + n
                column, start, number = 0, pos, 0
                while True:
                    byte = text[pos] if pos < end else LF
                    if byte == TAB or byte == LF:
                        if column > 0:
                            fine = fine and pos > start
                        if word and (column == 3 or column == 4 or column == 7):
                            code = string_code(text, start, pos, keys, codes, size, bounds, pool)
                            fine = fine and code >= 0
                            if column == 3:
                                upos[place] = code
                            elif column == 4:
                                xpos[place] = code
                            else:
                                deprels[place] = code
                        elif word and column == 6:
                            fine = fine and number != n
                            heads[place] = number
                        column += 1
                        number = 0
                        start = pos + 1
                        if byte == LF:
                            break
                    elif word and column == 6:
                        fine = fine and 48 <= byte <= 57 and number < 1000000
                        number = number * 10 + byte - 48
                    elif byte == 0:
                        fine = False
                    pos += 1
                fine = fine and column == 10
                if not fine:  # on to the blank line
                    while pos < end and not (text[pos] == LF and (pos + 1 >= end or text[pos + 1] == LF)):
                        if text[pos] == LF:
                            line += 1
                        pos += 1
            if pos < end:
                pos += 1
            line += 1
        spans[n_sentences, 1] = pos
        good[n_sentences] = fine and n > 0 and reach <= n and is_tree(heads, first, n, mark)
        if good[n_sentences]:
            n_places = first + n + 1
        at[n_sentences + 1] = n_places
        n_sentences += 1
    return n_sentences, n_places


@kernel("i8(u1[::1], i8[::1], i8[::1], i4[:, ::1], b1[::1])")
def scan_links(text, line_at, link_at, ends, good):  # type: ignore[no-untyped-def]
    """Lines of links `i-j`, counted from 0, to rows counted from 1; `line_at` gets where each line starts."""
    pos, n_lines, n_links = 0, 0, 0
    end = len(text)
    while pos < end:
        line_at[n_lines] = pos
        fine = True
        while pos < end and text[pos] != LF:
            if text[pos] == SPACE:
                pos += 1
                continue
            i, j, digits = 0, 0, 0
            while pos < end and 48 <= text[pos] <= 57 and digits < 9:
                i = i * 10 + text[pos] - 48
                digits += 1
                pos += 1
            fine = fine and digits > 0 and pos < end and text[pos] == DASH
            if pos < end and text[pos] != LF:
                pos += 1
            digits = 0
            while pos < end and 48 <= text[pos] <= 57 and digits < 9:
                j = j * 10 + text[pos] - 48
                digits += 1
                pos += 1
            fine = fine and digits > 0 and (pos >= end or text[pos] == SPACE or text[pos] == LF)
            if not fine:
                while pos < end and text[pos] != LF:
                    pos += 1
                break
            ends[n_links, 0] = i + 1
            ends[n_links, 1] = j + 1
            n_links += 1
        if not fine:
            n_links = link_at[n_lines]
        good[n_lines] = fine
        n_lines += 1
        link_at[n_lines] = n_links
        pos += 1
    line_at[n_lines] = end
    return n_lines


@kernel("b1(i4[:, ::1], i8, i8, i8, i8)")
def in_range(ends, start, end, n, m):  # type: ignore[no-untyped-def]
    """Whether links fit sentences of n and m words, and stand sorted with none twice."""
    for k in range(start, end):
        if ends[k, 0] > n or ends[k, 1] > m:
            return False
        if k > start and (ends[k, 0] < ends[k - 1, 0] or (ends[k, 0] == ends[k - 1, 0] and ends[k, 1] <= ends[k - 1, 1])):
            return False
    return True


@kernel(
    "void(i8, b1[::1], u1[::1], i8[:, ::1], b1[::1], i8[::1], i8, u1[::1], i8[:, ::1], b1[::1], i8[::1], i8, i4[:, ::1], i8[::1], b1[::1], i8, b1)"
)
def check_pairs(  # type: ignore[no-untyped-def]
    count,
    plain,
    f_text,
    f_spans,
    f_good,
    f_at,
    f_from,
    e_text,
    e_spans,
    e_good,
    e_at,
    e_from,
    ends,
    link_at,
    l_good,
    l_from,
    ids,
):
    """plain[k]: both sentences, their ids and their links are without peculiarity."""
    for k in range(count):
        f, e, a = f_from + k, e_from + k, l_from + k
        n, m = f_at[f + 1] - f_at[f] - 1, e_at[e + 1] - e_at[e] - 1
        plain[k] = (
            f_good[f]
            and e_good[e]
            and l_good[a]
            and in_range(ends, link_at[a], link_at[a + 1], n, m)
            and (not ids or same_bytes(f_text, f_spans[f, 3], f_spans[f, 4], e_text, e_spans[e, 3], e_spans[e, 4]))
        )


CHUNK = 1 << 20
SLOTS = 1 << 17
MOST = 1 << 16  # distinct tags and relations; sentences with more go the careful way
POOL = 1 << 22  # bytes of all of them


Bytes = NDArray[np.uint8]


class ScanVocabulary(LabelCodes):
    """A vocabulary whose codes are assigned by the compiled scanner."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = np.zeros(SLOTS, np.uint64)
        self.slots = np.zeros(SLOTS, np.int32)
        self.size = np.zeros(2, np.int64)
        self.bounds = np.zeros((MOST, 2), np.int64)
        self.pool = np.zeros(POOL, np.uint8)
        self.code("_")

    def code(self, name: str) -> int:
        code = self.codes.get(name)
        if code is None or not self.size[0]:
            text = np.frombuffer(bytearray(name, "utf-8", "surrogatepass"), np.uint8)
            code = int(string_code.compiled(text, 0, len(text), self.keys, self.slots, self.size, self.bounds, self.pool))
            if code < 0:  # the scanner's table is full and stays so: codes past it are ours
                code = self.codes[name] = len(self.names)
                self.names.append(name)
            else:
                self.learn()
        return code

    def learn(self) -> None:
        """Add the strings that the scanner has met since the last call."""
        for code in range(len(self.names), int(self.size[0])):
            start, end = self.bounds[code].tolist()
            name = self.pool[start:end].tobytes().decode("utf-8", "replace")
            self.names.append(name)
            self.codes[name] = code
        self.codes["_"] = 0


class ItemReader:
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


class SentenceTable(ItemReader):
    """The sentences of one side."""

    def __init__(self, stream: BinaryIO, book: ScanVocabulary, line: int = 1) -> None:
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
        self.count, _ = scan_conllu.compiled(
            self.text, book.keys, book.slots, book.size, book.bounds, book.pool, self.at,
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

    def side(self, first: int, count: int) -> SideArrays:
        start, end = int(self.at[first]), int(self.at[first + count])
        columns = (self.heads, self.rels, self.upos, self.xpos)
        return SideArrays(self.at[first : first + count + 1] - start, *(values[start:end] for values in columns))


class LinkTable(ItemReader):
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
        self.count = scan_links.compiled(self.text, self.line_at, self.link_at, self.ends, self.good)
        self.taken = 0

    def text_of(self, k: int) -> str:
        start, end = self.line_at[k : k + 2].tolist()
        return self.text[start:end].tobytes().decode("utf-8", "replace")


Careful = Callable[[bytes, int, bytes, int, str, int], Pair | None]


def batches(
    f: SentenceTable, e: SentenceTable, links: LinkTable, careful: Careful, ids: bool, counts: list[int]
) -> Iterator[PairBatch]:
    """Batches from three streams; `careful` makes a pair (or None) of what the scanner would not take.

    `counts` gets the number of sentences in each file.
    """
    sides: tuple[ItemReader, ...] = (f, e, links)
    while True:
        more = [side.fill() for side in sides]
        if not all(more):
            break
        count = min(side.count - side.taken for side in sides)
        plain = np.zeros(count, np.bool_)
        check_pairs.compiled(
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


def _runs(
    f: SentenceTable, e: SentenceTable, links: LinkTable, careful: Careful, plain: NDArray[np.bool_]
) -> Iterator[PairBatch]:
    """Yield runs of regular pairs as slices of the arrays, runs of irregular ones built from `Pair` objects."""
    borders = [0, *(np.flatnonzero(np.diff(plain)) + 1).tolist(), len(plain)]
    for first, last in pairwise(borders):
        a, b, c = f.taken + first, e.taken + first, links.taken + first
        if last > first and plain[first]:
            yield _plain_batch(f, e, links, a, b, c, last - first, careful)
        elif last > first:
            careful_pairs = (_object(f, e, links, a + k, b + k, c + k, careful) for k in range(last - first))
            pairs = [pair for pair in careful_pairs if pair is not None]
            if pairs:
                yield PairBatch.of(pairs, f.book)


def _object(f: SentenceTable, e: SentenceTable, links: LinkTable, a: int, b: int, c: int, careful: Careful) -> Pair | None:
    return careful(f.block(a), f.line_of(a), e.block(b), e.line_of(b), links.text_of(c), links.line + c)


def _plain_batch(
    f: SentenceTable, e: SentenceTable, links: LinkTable, a: int, b: int, c: int, count: int, careful: Careful
) -> PairBatch:
    f, e, links = copy(f), copy(e), copy(links)  # reading on puts new arrays in the place of these

    def pair(k: int) -> Pair:
        sentence_pair = _object(f, e, links, a + k, b + k, c + k, careful)
        assert sentence_pair is not None
        return sentence_pair

    link_at: Ints = links.link_at[c : c + count + 1] - links.link_at[c]
    ends = links.ends[links.link_at[c] : links.link_at[c + count]]
    return PairBatch(f.side(a, count), e.side(b, count), link_at, ends, f.book, pair)
