"""Weighting by nearness: words attach as in those languages whose word order is like that of the text.

The model keeps for each treebank it was learned from its word order (`inputs.word_order`, found without gold trees) and how often words of
each tag attach where. A text weighs the treebanks by nearness, and the logarithm of

    P(side, next or further, tag of the head | tag), the near treebanks / the same, all treebanks

is added to the votes for its edges. Where nothing is known of the order of a text, all treebanks count alike and nothing is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.data.tree import DepTree
from divproj.projection.settings import FULL_WORDS, NEAR_COUNT, NEAR_EVIDENCE, NEAR_TEMPERATURE, NEAR_TRUST
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.inputs import ORDERED

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
WAYS = 4 * len(UPOS) + 1
"""Where a word may attach: to the word before, further before, after, further after, each by the tag of the head; and the root, last."""
SIDES = 2 * len(ORDERED)
"""Numbers of a word order (`inputs.word_order`) that say on which side dependents are, and on how much text that rests."""


@dataclass(frozen=True)
class Nearness:
    """Word orders and attachments of treebanks."""

    banks: tuple[str, ...] = ()
    orders: Singles = field(default_factory=lambda: np.zeros((0, SIDES), np.float32))
    counts: Singles = field(default_factory=lambda: np.zeros((0, len(UPOS), WAYS), np.float32))
    """[bank, tag, way]"""

    def weights(self, order: Singles) -> Floats:
        """Of the treebanks, together 1: exp(−d / temperature), d the mean squared difference of sides on which both have evidence."""
        own = order[:SIDES].astype(np.float64)
        known = np.minimum(own[1::2], self.orders[:, 1::2])
        apart = (known * (own[::2] - self.orders[:, ::2]) ** 2).sum(1) / (known.sum(1) + NEAR_EVIDENCE)
        found: Floats = np.exp(-(apart - apart.min()) / NEAR_TEMPERATURE)
        return np.asarray(found / found.sum())

    def leaning(self, order: Singles) -> Floats:
        """Log ratios [tag, way] of the near treebanks to all."""
        usual = _shares(self.counts.sum(0, dtype=np.float64) + NEAR_COUNT)
        weights = len(self.banks) * self.weights(order)
        near = _shares(np.tensordot(weights, self.counts, 1) + NEAR_COUNT + NEAR_TRUST * usual)
        return np.asarray(np.log(near / usual))


def leanings(leaning: Floats, tags: Floats) -> Floats:
    """Log ratios of all edges [head, child] of a sentence, expected over the probabilities of its tags [word, tag]."""
    n, size = tags.shape
    made = np.zeros((n + 1, n + 1))
    places = np.arange(n + 1)
    gap = places[:, None] - places[None, 1:]
    way = 2 * (gap > 0) + (np.abs(gap) > 1)
    by_way = np.stack([tags @ leaning[:, k * size : (k + 1) * size].T @ tags.T for k in range(4)])
    made[1:, 1:] = np.take_along_axis(by_way, way[None, 1:], 0)[0]
    made[0, 1:] = tags @ leaning[:, -1]
    np.fill_diagonal(made, 0.0)
    return made


def attachments(gold: Iterable[DepTree], reals: Iterable[Sequence[int]]) -> Singles:
    """How often words of each tag attach in each way [tag, way]; in a large treebank each counts less, as in all that is learned."""
    made = np.zeros((len(UPOS), WAYS))
    for tree, real in zip(gold, reals, strict=True):
        place = {word: k for k, word in enumerate(real, 1)}
        for child, word in enumerate(real, 1):
            head, tag = tree.heads[word - 1], tree.upos[word - 1]
            if tag not in UPOS:
                continue
            if not head:
                made[UPOS.index(tag), -1] += 1
            elif head in place and tree.upos[head - 1] in UPOS:
                gap = place[head] - child
                way = 2 * (gap > 0) + (abs(gap) > 1)
                made[UPOS.index(tag), way * len(UPOS) + UPOS.index(tree.upos[head - 1])] += 1
    return np.asarray(made * min(1.0, (FULL_WORDS / max(made.sum(), 1.0)) ** 0.5), np.float32)


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(-1, keepdims=True))
