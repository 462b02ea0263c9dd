"""Pharaoh alignments: one sentence per line, links `i-j` (F-E) counted from 0, possible (not sure) links as `i?j`.

This is the only place where words are counted from 0. A probability after a link, `i-j:0.93`, is accepted and ignored.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import BinaryIO, TextIO

from divproj.core.errors import AlignmentError, Faults, Where
from divproj.core.links import Links
from divproj.io.files import Digest, Source, name_of, reading


def load(source: Source, digest: Digest | None = None) -> Iterator[tuple[Where, str]]:
    """(place, line) of each sentence's links; `parse` them when the sentences' lengths are known."""
    with reading(source, digest) as stream:
        yield from read(stream, name_of(source))


def read(stream: BinaryIO, path: str, line: int = 1) -> Iterator[tuple[Where, str]]:
    """`load` for a stream that starts at a line of a file."""
    for number, raw in enumerate(stream, line):
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        yield Where(path, number), raw.decode("utf-8", "replace")


def loads(text: str, shapes: Iterable[tuple[int, int]]) -> list[Links]:
    """Alignments of a text, given the lengths of each sentence pair.

    >>> loads("0-0 1?0", [(2, 1)])[0].possible
    frozenset({(2, 1)})
    """
    lines = read(io.BytesIO(text.encode()), "")
    return [parse(line, shape, where) for (where, line), shape in zip(lines, shapes, strict=True)]


def dump(alignments: Iterable[Links], out: TextIO) -> None:
    for alignment in alignments:
        out.write(dumps(alignment) + "\n")


def dumps(alignment: Links) -> str:
    """
    >>> dumps(Links(frozenset({(1, 2)}), (1, 2)))
    '0-1'
    """
    mark = alignment.possible
    return " ".join(f"{i - 1}{'?' if (i, j) in mark else '-'}{j - 1}" for i, j in sorted(alignment.links))


def parse(line: str, shape: tuple[int, int], where: Where | None = None, faults: Faults | None = None) -> Links:
    """One line of links; a link that cannot be used goes to `faults` (None: raise) and is left out."""
    faults = faults or Faults()
    n, m = shape
    links, possible = set(), set()
    for text in line.split():
        link = _link(text)
        if link is None:
            faults.word(AlignmentError(f"'{text}' is not a link, 'i-j' expected (two numbers counted from 0)", where))
            continue
        i, j, dash = link
        if not (0 <= i < n and 0 <= j < m):
            problem = f"link {text} is out of range: the sentences have {n} and {m} words, so 0-0 to {n - 1}-{m - 1} expected"
            remedy = "links are F-E and counted from 0" if n and m and ((i < m and j < n) or i in (n, m)) else ""
            faults.word(AlignmentError(problem, where, remedy))
            continue
        links.add((i + 1, j + 1))
        if dash == "?":
            possible.add((i + 1, j + 1))
    return Links(frozenset(links), shape, frozenset(possible))


@lru_cache(maxsize=10_000)
def _link(text: str) -> tuple[int, int, str] | None:
    """Both words of a link and the mark between them; None where it is none. The same few come again and again."""
    pair, _, _ = text.partition(":")
    first, dash, second = pair.partition("-")
    if not dash:
        first, dash, second = pair.partition("?")
    if not (first + second).isascii() or not (first.isdecimal() and second.removeprefix("-").isdecimal()):
        return None
    try:
        return int(first), int(second), dash
    except ValueError:  # more digits than Python makes a number of
        return None
