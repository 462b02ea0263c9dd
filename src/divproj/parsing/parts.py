"""Sentences too long to be parsed as one: cut into parts, parsed, and put together again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divproj.data.limits import PARSED_WHOLE, PART
from divproj.data.tree import DepTree
from divproj.parsing.atoms import ParserInput

_ENDS = frozenset(".!?;:…。！？।,")
JOINED = "parataxis"
"""The relation of a part's root to the root of the first."""


def cut(seen: ParserInput, whole: int = PARSED_WHOLE, most: int = PART) -> list[ParserInput]:
    """The sentence, or its parts of at most so many words, cut after a mark in their second half where there is one.

    >>> [len(part) for part in cut(ParserInput(tuple("abc.defgh"), tuple("xxx.xxxxx")), 8, 5)]
    [4, 5]
    """
    if len(seen) <= whole:
        return [seen]
    made, start = [], 0
    while start < len(seen):
        end = min(start + most, len(seen))
        if end < len(seen):
            marks = (k + 1 for k in range(end - 1, start + most // 2 - 1, -1) if seen.forms[k] in _ENDS)
            end = next(marks, end)
        own = slice(start, end)
        made.append(ParserInput(seen.forms[own], seen.tags[own], tuple(column[own] for column in seen.more)))
        start = end
    return made


def joined(trees: Sequence[DepTree]) -> DepTree:
    """One tree of the trees of the parts: the roots of the later ones hang on the first."""
    if len(trees) == 1:
        return trees[0]
    heads: list[int] = []
    rels: list[str] = []
    root = trees[0].heads.index(0) + 1
    for tree in trees:
        shift = len(heads)
        for head, rel in zip(tree.heads, tree.rels, strict=True):
            heads.append(shift + head if head > 0 else root if shift else head)
            rels.append(JOINED if shift and head == 0 else rel)
    forms, tags = tuple(form for tree in trees for form in tree.forms), tuple(tag for tree in trees for tag in tree.upos)
    return DepTree(forms, tuple(heads), tuple(rels), tags)


@dataclass(frozen=True)
class Chances:
    """How probable edges are: within a part as found there, and that a part's root hangs on the first as that it is a root."""

    parts: tuple[NDArray[np.float64], ...]

    def __getitem__(self, edge: tuple[int, int]) -> float:
        head, child = edge
        shift = 0
        for part in self.parts:
            if child - shift < len(part):
                own = head - shift
                return float(part[own if 0 < own < len(part) else 0, child - shift])
            shift += len(part) - 1
        raise IndexError(edge)


def shared_out(found: Iterator[NDArray[np.float64]], counts: Sequence[int]) -> Iterator[NDArray[np.float64] | Chances]:
    """For each sentence the chances of its parts."""
    for count in counts:
        parts = tuple(next(found) for _ in range(count))
        yield parts[0] if count == 1 else Chances(parts)
