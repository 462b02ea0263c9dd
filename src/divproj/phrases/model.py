"""The local model Pr(u,v): log-linear over the seven feature families (§5.2), normalised within a sentence pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError
from divproj.forest.categories import NULL
from divproj.phrases.features import CATEGORIES, EMBEDDING, FIXED, FLAGS, LINKED, SAME_CATEGORY, SURFACE, WORDNET, Table

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
    chance: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """The same three, were all outcomes as likely."""


def first_weights(lexical: int = 0) -> Floats:
    """What is believed before training: like heads and like categories go together, nothing is left alone for nothing."""
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

    def lexical(self, table: Table) -> NDArray[np.int32]:
        """Number of the family 1 feature of each cell, -1 for none."""
        keys = table.keys
        if self.buckets:
            mixed = (keys.astype(np.uint64) * np.uint64(MIX)) >> np.uint64(20)
            return np.where(keys < 0, -1, (mixed % np.uint64(self.buckets)).astype(np.int32)).astype(np.int32)
        if not len(self.keys):
            return np.full(keys.shape, -1, np.int32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1).astype(np.int32)

    def potentials(self, table: Table) -> Floats:
        """w·F for all pairs of kinds, τ∅ last."""
        made: Floats = self.weights[table.category] + (SUMS @ self.weights[:FLAGS])[table.flags]
        if len(self.weights) > FIXED:
            numbers = self.lexical(table)
            made = made + np.where(numbers >= 0, self.weights[FIXED + numbers], 0.0)
        return made

    def log_probs(self, table: Table) -> LogProbs:
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
        chance = self.chance(int(table.src.count.sum()), int(table.tgt.count.sum()))
        return LogProbs(pair, L[:-1, -1] - z_s, L[-1, :-1] - z_t, chance)

    def chance(self, nodes_s: int, nodes_t: int) -> tuple[float, float, float]:
        """log Pr of a pair, a source and a target phrase left alone, were all outcomes as likely: what they are measured against."""
        of_s, of_t = -math.log(nodes_t + 1), -math.log(nodes_t if self.null_norm == "literal" else nodes_s + 1)
        return (of_s + of_t if self.null_norm == "symmetric" else of_s), of_s, of_t


def _log_sum(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    made: Floats = np.log(np.exp(values - top).sum(axis=axis)) + np.squeeze(top, axis)
    return made


def lexical_keys(tables: Iterable[Table], at_least: int = 2, most: int = 200_000) -> NDArray[np.int64]:
    """Family 1 features of the training pairs: keys that so many pairs have, the most frequent where there are too many."""
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int64)
    waiting: list[NDArray[np.int64]] = []
    size = 0
    for table in tables:
        found = np.unique(table.keys)
        waiting.append(found[found >= 0])
        size += len(found)
        if size > 2_000_000:
            keys, counts = _merged(keys, counts, waiting)
            waiting, size = [], 0
    keys, counts = _merged(keys, counts, waiting)
    keys, counts = keys[counts >= at_least], counts[counts >= at_least]
    if len(keys) > most:
        order = np.lexsort((keys, -counts))[:most]
        keys = keys[np.sort(order)]
    return keys


def _merged(keys: NDArray[np.int64], counts: NDArray[np.int64], more: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    everything = np.concatenate((keys, *more))
    weights = np.concatenate((counts, np.ones(len(everything) - len(keys), np.int64)))
    unique, place = np.unique(everything, return_inverse=True)
    return unique, np.bincount(place, weights, len(unique)).astype(np.int64)
