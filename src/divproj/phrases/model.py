"""The local model Pr(u,v): log-linear over the seven feature families (§5.2), normalised within a sentence pair.

All features depend only on the semantic head and the category of a phrase. So phrases of one kind (same head lemma and
category) share their features, and a pair of forests needs a table of kinds by kinds, not of nodes by nodes. The last row
and column of the table stand for τ∅, the partner of phrases left alone.

`PhraseEncoder` makes the tables, `LocalModel` turns them into log probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError
from divproj.forest.heads import CLASSES, NULL, class_codes
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
class PhraseKinds:
    """The kinds of phrases in one forest."""

    of_node: Ints
    lemma: tuple[str, ...]
    category: Ints
    preposition: NDArray[np.bool_]
    """Whether the head word is a preposition."""
    count: NDArray[np.float64]
    """Phrases of each kind."""

    @classmethod
    def of(cls, forest: Forest, scheme: str = "") -> PhraseKinds:
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

    Departs: the paper names no shortest length; shorter words are within many others by chance.

    >>> surface("work", "worker"), surface("a", "cat"), surface("a", "a")
    (1, 0, 1)
    """
    short, long = sorted((a, b), key=len)
    return SURFACE if a == b or (len(short) > 2 and short in long) else 0


@dataclass(frozen=True)
class FeatureTable:
    """Features of all pairs of kinds; shape (kinds_s + 1, kinds_t + 1) with τ∅ last."""

    src: PhraseKinds
    tgt: PhraseKinds
    flags: NDArray[np.uint8]
    category: NDArray[np.int32]
    """Weight number of the category pair."""
    keys: NDArray[np.int64]
    """Family 1: (lemma, category, lemma, category) as one number; -1 where a lemma is unknown."""


class PhraseEncoder:
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

    def table(self, src: PhraseKinds, tgt: PhraseKinds, linked: Container[tuple[str, str]] = ()) -> FeatureTable:
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
        return FeatureTable(src, tgt, flags, category, keys)

    def _relations(self, src: Sequence[str], tgt: Sequence[str]) -> NDArray[np.uint8]:
        """Flags of two lists of lemmas, each different pair asked once."""
        one, at_one = np.unique(src, return_inverse=True)
        two, at_two = np.unique(tgt, return_inverse=True)
        known, ask = self._known, self.relation
        flag_table = np.empty((len(one), len(two)), np.uint8)
        for i, a in enumerate(one.tolist()):
            for j, b in enumerate(two.tolist()):
                flags = known.get((a, b))
                if flags is None:
                    flags = known[a, b] = ask(a, b)
                flag_table[i, j] = flags
        if len(known) > 2_000_000:
            known.clear()
        return flag_table[np.ix_(at_one, at_two)]


NORMS = ("literal", "mirrored", "symmetric")
Floats = NDArray[np.float64]
MIX = 0x9E3779B97F4A7C15
SUMS = (np.arange(1 << FLAGS)[:, None] >> np.arange(FLAGS) & 1).astype(np.float64)
"""Row k has the flags of the number k."""


@dataclass(frozen=True)
class LogProbs:
    """log Pr of pairs of kinds, and of kinds left alone."""

    pair: Floats
    null_s: Floats
    null_t: Floats
    probability: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The same three, were all outcomes as likely."""


def first_weights(lexical: int = 0) -> Floats:
    """Return the weights before training: similar heads and equal categories are rewarded, phrases left alone penalised."""
    weights = np.zeros(FIXED + lexical)
    for bit in range(FLAGS):
        if 1 << bit & (SURFACE | WORDNET | EMBEDDING | SAME_CATEGORY | LINKED):
            weights[bit] = 2.0
    table = weights[FLAGS:FIXED].reshape(CATEGORIES, CATEGORIES)
    table[NULL, :] = table[:, NULL] = -1.0
    return weights


@dataclass
class LocalModel:
    """Weights, and the numbers of the family 1 features: their keys in order, or so many buckets that keys are hashed into."""

    weights: Floats = field(default_factory=first_weights)
    keys: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    buckets: int = 0
    null_norm: str = "symmetric"

    def __post_init__(self) -> None:
        if self.null_norm not in NORMS:
            raise ModelError(f"no null_norm '{self.null_norm}'", remedy=f"choose one of {', '.join(NORMS)}")

    def lexical(self, table: FeatureTable) -> NDArray[np.int32]:
        """Number of the family 1 feature of each cell, -1 for none."""
        keys = table.keys
        if self.buckets:
            mixed = (keys.astype(np.uint64) * np.uint64(MIX)) >> np.uint64(20)
            return np.where(keys < 0, -1, (mixed % np.uint64(self.buckets)).astype(np.int32)).astype(np.int32)
        if not len(self.keys):
            return np.full(keys.shape, -1, np.int32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1).astype(np.int32)

    def potentials(self, table: FeatureTable) -> Floats:
        """w·F for all pairs of kinds, τ∅ last."""
        scores: Floats = self.weights[table.category] + (SUMS @ self.weights[:FLAGS])[table.flags]
        if len(self.weights) > FIXED:
            numbers = self.lexical(table)
            scores = scores + np.where(numbers >= 0, self.weights[FIXED + numbers], 0.0)
        return scores

    def log_probs(self, table: FeatureTable) -> LogProbs:
        """
        Pr(u,v) = exp(w·F(u,v)) / Z(u), Z(u) = Σ over all v' of the sentence and ∅

        Departs: the paper prints one formula for all pairs, under which ⟨∅,v⟩ is normalised over all v' (`literal`); `mirrored`
        normalises it over all u' and ∅. With either, training sees a target phrase only when it is alone; so `symmetric` gives a
        pair Pr(v|u)·Pr(u|v), and nothing depends on which side is called the source.
        """
        L = self.potentials(table)
        log_s, log_t = np.log(table.src.count), np.log(table.tgt.count)
        z_s = _log_sum(np.hstack((L[:-1, :-1] + log_t, L[:-1, -1:])), 1)
        if self.null_norm == "literal":
            z_t = np.full(len(log_t), _log_sum((L[-1, :-1] + log_t)[None], 1)[0])
        else:
            z_t = _log_sum(np.vstack((L[:-1, :-1] + log_s[:, None], L[-1:, :-1])), 0)
        pair = L[:-1, :-1] - z_s[:, None]
        if self.null_norm == "symmetric":
            pair = pair + L[:-1, :-1] - z_t
        probability = self.probability(int(table.src.count.sum()), int(table.tgt.count.sum()))
        return LogProbs(pair, L[:-1, -1] - z_s, L[-1, :-1] - z_t, probability)

    def probability(self, nodes_s: int, nodes_t: int) -> tuple[float, float, float]:
        """log Pr of a pair, a source and a target phrase left alone, if all outcomes were equally likely: the baseline."""
        of_s, of_t = -math.log(nodes_t + 1), -math.log(nodes_t if self.null_norm == "literal" else nodes_s + 1)
        return (of_s + of_t if self.null_norm == "symmetric" else of_s), of_s, of_t


def _log_sum(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    log_sums: Floats = np.log(np.exp(values - top).sum(axis=axis)) + np.squeeze(top, axis)
    return log_sums


def lexical_keys(tables: Iterable[FeatureTable], at_least: int = 2, most: int = 200_000) -> NDArray[np.int64]:
    """Family 1 features of the training pairs: keys that so many pairs have, the most frequent where there are too many."""
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    waiting: list[NDArray[np.int64]] = []
    size = 0
    for table in tables:
        table_keys = np.unique(table.keys)
        waiting.append(table_keys[table_keys >= 0])
        size += len(table_keys)
        if size > 2_000_000:
            keys, counts = _merge_counts(keys, counts, waiting)
            waiting, size = [], 0
    keys, counts = _merge_counts(keys, counts, waiting)
    keys, counts = keys[counts >= at_least], counts[counts >= at_least]
    if len(keys) > most:
        order = np.lexsort((keys, -counts))[:most]
        keys = keys[np.sort(order)]
    return keys


def _merge_counts(keys: NDArray[np.int64], counts: NDArray[np.int64], more: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    everything = np.concatenate((keys, *more))
    weights = np.concatenate((counts, np.ones(len(everything) - len(keys), np.int64)))
    unique, place = np.unique(everything, return_inverse=True)
    return unique, np.bincount(place, weights, len(unique)).astype(np.int64)
