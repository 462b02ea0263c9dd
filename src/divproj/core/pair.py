"""A pair of sentences with the links between their words: what every step takes and gives.

`PairBatch` has the trees and links of a batch of pairs as arrays, end to end, as the numeric kernels read them. F sides of 2 and 3 words: `heads` [-1, 2, 0, -1, 2, 0, 2], the root of each tree before its words, and `at` [0, 3, 7].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import FormatError, Where
from divproj.core.links import Links
from divproj.core.sentence import Rows, Sentence
from divproj.core.tree import DepTree, cycles


class WordAnswer(NamedTuple):
    """What the user says of a word by its type: the universal tags that it may have, and its relation; nothing where empty."""

    tags: tuple[str, ...] = ()
    deprel: str = ""


@dataclass(frozen=True)
class Pair:
    """An aligned sentence pair (F, E, A): the language you study, its translation, and links (f, e).

    Each side has words, tags and glosses, and a tree where there is one (`pair.f.tree` is None where there is none).
    After projection `reasons` says where the head of each F word came from and `confidence` how sure it is.

    >>> f, e = DepTree(("Hunde", "bellen"), (2, 0)), DepTree(("Dogs", "bark"), (2, 0))
    >>> pair = Pair(f, e, Links.of([(1, 1), (2, 2)], (2, 2)))
    >>> pair.f.tree.heads, pair.e.forms, sorted(pair.links)
    ((2, 0), ('Dogs', 'bark'), [(1, 1), (2, 2)])
    """

    f: DepTree
    e: DepTree
    links: Links
    sent_id: str = ""
    translation: str = field(default="", compare=False)
    """The translation as written; empty when only its words are known."""
    glosses: tuple[str, ...] = ()
    """The gloss of each word of F; empty where there is none."""
    reasons: tuple[str, ...] = field(default=(), compare=False)
    confidence: tuple[float, ...] = field(default=(), compare=False)
    f_rows: Rows | None = field(default=None, compare=False, repr=False)
    """The rows of F as they were read, so that nothing of them is lost when the pair is written."""
    sentence: Sentence | None = field(default=None, compare=False, repr=False)
    """The glossed instance that F came from, where it is one."""
    where: Where = field(default=Where(), compare=False, repr=False)
    e_language: str = field(default="", compare=False)
    """Code of the language of the translation, once that was asked; with an E of no words there is no parser of it."""
    answers: tuple[WordAnswer | None, ...] = field(default=(), compare=False, repr=False)
    """What the user says of each word of F by its type; empty where nothing."""

    @property
    def transpose(self) -> Pair:
        """The pair with the roles of F and E exchanged."""
        return Pair(self.e, self.f, self.links.transpose, self.sent_id)

    @property
    def coverage(self) -> float:
        """Share of the F words that have a link."""
        return len({i for i, _ in self.links}) / max(1, len(self.f))

    def to_conllu(self) -> str:
        """The F side as CoNLL-U: the rows as read with this pair's tree, or rows made from its words.

        >>> print(Pair(DepTree(("Hunde",), (0,), ("root",)), DepTree((), ()), Links.of([], (1, 0)), "s1").to_conllu(), end="")
        # sent_id = s1
        # text = Hunde
        1	Hunde	_	_	_	_	0	root	_	_
        <BLANKLINE>
        """
        if self.f_rows is not None:
            return self.f_rows.to_conllu()
        return self.f.to_conllu(self.sent_id, self.glosses)

    def with_tree(self, tree: DepTree) -> Pair:
        """The pair with another tree of F."""
        return replace(self, f=tree)

    def _repr_svg_(self) -> str:
        from divproj.drawing.svg import pair_svg  # imported late: core needs drawing only in notebooks

        return pair_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()


Ints = NDArray[np.integer[Any]]
SIZE = 512
"""Pairs in a batch."""


@dataclass
class LabelCodes:
    """Relations and tags as consecutive numbers; 0 is '_'."""

    names: list[str] = field(default_factory=lambda: ["_"])
    codes: dict[str, int] = field(default_factory=lambda: {"_": 0})

    def code(self, name: str) -> int:
        number = self.codes.get(name)
        if number is None:
            number = self.codes[name] = len(self.names)
            self.names.append(name)
        return number

    def encode(self, names: Sequence[str]) -> list[int]:
        for new in set(names).difference(self.codes):
            self.code(new)
        return [*map(self.codes.__getitem__, names)]

    def label_codes(self) -> Ints:
        """Code → code of the relation without its subtype; -1 for '_' and 'dep', which say nothing."""
        k = 0
        bases = []
        while k < len(self.names):  # a base may be new to the book
            base = self.names[k].partition(":")[0]
            bases.append(-1 if base in ("_", "", "dep") else self.code(base))
            k += 1
        return np.array(bases, np.int32)


@dataclass(frozen=True)
class SideArrays:
    """One side of a batch: sentence k takes places `at[k]:at[k+1]`, the root first; strings are codes."""

    at: Ints
    heads: Ints
    deprels: Ints
    upos: Ints
    xpos: Ints

    @classmethod
    def of(cls, trees: Sequence[DepTree], book: LabelCodes) -> SideArrays:
        at = np.zeros(len(trees) + 1, np.int64)
        np.cumsum([len(tree) + 1 for tree in trees], out=at[1:])
        heads: list[int] = []
        columns: tuple[list[int], list[int], list[int]] = ([], [], [])
        for tree in trees:
            if max(tree.heads, default=0) > len(tree) or cycles(tree.heads):
                raise FormatError(f"heads {tree.heads} make no tree of {len(tree)} words")
            heads.append(-1)
            heads += tree.heads
            for column, names in zip(columns, (tree.deprels, tree.upos, tree.xpos), strict=True):
                column.append(0)
                column += book.encode(names) if names else [0] * len(tree)
        return cls(at, *(np.array(values, np.int32) for values in (heads, *columns)))

    def tags(self, kind: str) -> Ints:
        """Tag codes: `upos`, `xpos`, or (`auto`) for each sentence the first of the two that is filled."""
        if kind != "auto":
            return self.upos if kind == "upos" else self.xpos
        filled = np.add.reduceat(self.upos > 0, self.at[:-1]) > 0
        return np.where(np.repeat(filled, np.diff(self.at)), self.upos, self.xpos)


@dataclass(frozen=True)
class PairBatch:
    """Pairs as arrays; links of pair k are rows `link_at[k]:link_at[k+1]` of `ends`, sorted, none twice.

    `pair(k)` returns the k-th pair as an object, which is made on demand.
    """

    f: SideArrays
    e: SideArrays
    link_at: Ints
    ends: Ints
    book: LabelCodes
    pair: Callable[[int], Pair]

    def __len__(self) -> int:
        return len(self.link_at) - 1

    @property
    def words(self) -> int:
        return len(self.f.heads) + len(self.e.heads) - 2 * len(self)

    @property
    def longest(self) -> int:
        """Words of the longest sentence."""
        return int(max(np.diff(self.f.at).max(initial=1), np.diff(self.e.at).max(initial=1))) - 1

    @classmethod
    def of(cls, pairs: Sequence[Pair], book: LabelCodes) -> PairBatch:
        links = [sorted(pair.links.links) for pair in pairs]
        link_at = np.zeros(len(pairs) + 1, np.int64)
        np.cumsum([len(x) for x in links], out=link_at[1:])
        ends = np.array([link for of_pair in links for link in of_pair], np.int32).reshape(-1, 2)
        f = SideArrays.of([pair.f for pair in pairs], book)
        e = SideArrays.of([pair.e for pair in pairs], book)
        return cls(f, e, link_at, ends, book, pairs.__getitem__)


def in_batches(pairs: Iterable[Pair], size: int = SIZE) -> Iterator[PairBatch]:
    """Yield the pairs in batches, which share one table of codes."""
    book = LabelCodes()
    stream = iter(pairs)
    while chunk := list(islice(stream, size)):
        yield PairBatch.of(chunk, book)
