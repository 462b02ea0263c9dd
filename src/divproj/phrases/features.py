"""Attributes of phrases and the seven feature families (§5.2), as arrays.

All features look only at the semantic head and the category of a phrase. So phrases of one kind share their features, and a pair
of forests needs a table of kinds by kinds, not of nodes by nodes. The last row and column of the table stand for τ∅.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from divproj.forest.categories import CLASSES, NULL, class_codes
from divproj.forest.hypergraph import Forest

SURFACE, WORDNET, EMBEDDING, PREPOSITIONS, SAME_CATEGORY, LINKED = 1, 2, 4, 8, 16, 32
FLAGS = 6
"""Families 2, 3, 4, 5 and 7: one weight each. Departs: an eighth says that the heads are candidates for a word link."""
CATEGORIES = len(CLASSES)
FIXED = FLAGS + CATEGORIES * CATEGORIES
"""Weights before those of family 1: flags, then category pairs (family 6)."""
PREP = CLASSES.index("PREP")
UNKNOWN, EMPTY = 0, 1
"""Numbers of lemmas that are not in the vocabulary, and of τ∅."""

Relation = Callable[[str, str], int]
"""Flags SURFACE, WORDNET, EMBEDDING of two lemmas."""
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Kinds:
    """The kinds of phrases in one forest."""

    of_node: Ints
    lemma: tuple[str, ...]
    category: Ints
    preposition: NDArray[np.bool_]
    """Whether the head word is a preposition."""
    count: NDArray[np.float64]
    """Phrases of each kind."""

    @classmethod
    def of(cls, forest: Forest, scheme: str = "") -> Kinds:
        codes = class_codes(forest, scheme).tolist()
        word_class = {node.start: code for node, code in zip(forest.nodes, codes, strict=True) if node.end - node.start == 1}
        lemmas = lemmas_of(forest)
        numbers: dict[tuple[str, int, bool], int] = {}
        of_node = np.empty(len(forest), np.int32)
        for k, code in enumerate(codes):
            word = head_word(forest, k)
            key = (lemmas[word], code, word_class[word] == PREP)
            of_node[k] = numbers.setdefault(key, len(numbers))
        kinds = list(numbers)
        return cls(
            of_node,
            tuple(lemma for lemma, _, _ in kinds),
            np.array([code for _, code, _ in kinds], np.int32),
            np.array([prep for _, _, prep in kinds], bool),
            np.bincount(of_node, minlength=len(kinds)).astype(np.float64),
        )

    def __len__(self) -> int:
        return len(self.lemma)


def head_word(forest: Forest, node: int) -> int:
    """The semantic head, or the lexical one, or, where neither is known, the last word."""
    phrase = forest.nodes[node]
    return phrase.sem_head if phrase.sem_head >= 0 else phrase.head if phrase.head >= 0 else phrase.end - 1


def lemmas_of(forest: Forest) -> list[str]:
    """Lemmas in lower case, forms where there are none."""
    given = forest.lemmas or forest.forms
    return [(lemma if lemma not in ("_", "") else form).lower() for lemma, form in zip(given, forest.forms, strict=True)]


def surface(a: str, b: str) -> int:
    """Family 2: equal, or the shorter (three characters or more) within the longer.

    >>> surface("work", "worker"), surface("a", "cat"), surface("a", "a")
    (1, 0, 1)
    """
    short, long = sorted((a, b), key=len)
    return SURFACE if a == b or (len(short) > 2 and short in long) else 0


@dataclass(frozen=True)
class Table:
    """Features of all pairs of kinds; shape (kinds_s + 1, kinds_t + 1) with τ∅ last."""

    src: Kinds
    tgt: Kinds
    flags: NDArray[np.uint8]
    category: NDArray[np.int32]
    """Weight number of the category pair."""
    keys: NDArray[np.int64]
    """Family 1: (lemma, category, lemma, category) as one number; -1 where a lemma is unknown."""


class Encoder:
    """Makes tables; remembers how lemmas relate. The vocabulary grows only while `learning`."""

    def __init__(self, relation: Relation | None = None, vocabulary: Sequence[str] = ()) -> None:
        self.relation = relation or surface
        self.numbers = {lemma: k for k, lemma in enumerate(("", "∅", *vocabulary))}
        self.learning = False
        self._known: dict[tuple[str, str], int] = {}

    @property
    def vocabulary(self) -> list[str]:
        return list(self.numbers)[2:]

    def number(self, lemma: str) -> int:
        if self.learning and lemma:
            return self.numbers.setdefault(lemma, len(self.numbers))
        return self.numbers.get(lemma, UNKNOWN)

    def table(self, src: Kinds, tgt: Kinds, linked: Container[tuple[str, str]] = ()) -> Table:
        """Features of two forests; `linked` are the lemmas of word candidates."""
        n, m = len(src), len(tgt)
        flags = np.zeros((n + 1, m + 1), np.uint8)
        flags[:n, :m] = self._relations(src.lemma, tgt.lemma)
        flags[:n, :m] |= (src.preposition[:, None] & tgt.preposition[None, :]).astype(np.uint8) * np.uint8(PREPOSITIONS)
        if linked:
            flags[:n, :m] |= np.array([[LINKED * ((a, b) in linked) for b in tgt.lemma] for a in src.lemma], np.uint8)
        cat_s, cat_t = np.append(src.category, NULL), np.append(tgt.category, NULL)
        flags[:n, :m] |= (src.category[:, None] == tgt.category[None, :]).astype(np.uint8) * np.uint8(SAME_CATEGORY)
        category = (FLAGS + cat_s[:, None] * CATEGORIES + cat_t[None, :]).astype(np.int32)
        key_s, key_t = (
            np.array([self.number(lemma) for lemma in kinds.lemma] + [EMPTY], np.int64) * CATEGORIES + cats
            for kinds, cats in ((src, cat_s), (tgt, cat_t))
        )
        keys = (key_s[:, None] << 32) | key_t[None, :]
        keys[(key_s < CATEGORIES)[:, None] | (key_t < CATEGORIES)[None, :]] = -1
        return Table(src, tgt, flags, category, keys)

    def _relations(self, src: Sequence[str], tgt: Sequence[str]) -> NDArray[np.uint8]:
        """Flags of two lists of lemmas, each different pair asked once."""
        one, at_one = np.unique(src, return_inverse=True)
        two, at_two = np.unique(tgt, return_inverse=True)
        known, ask = self._known, self.relation
        made = np.empty((len(one), len(two)), np.uint8)
        for i, a in enumerate(one.tolist()):
            for j, b in enumerate(two.tolist()):
                flags = known.get((a, b))
                if flags is None:
                    flags = known[a, b] = ask(a, b)
                made[i, j] = flags
        if len(known) > 2_000_000:
            known.clear()
        return made[np.ix_(at_one, at_two)]
