"""s2+: a log-linear model chooses each head among the candidates that the projections offer; then the best tree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.projection.candidates import Lattice, Lexicon
from divproj.projection.decode import best_tree
from divproj.projection.features import Block, names
from divproj.projection.s1 import Bitext, Projection, Reason
from divproj.types import TreePair

PENALTY = 2.0
ITERATIONS = 60
MIN_COUNT = 2
"""Words of training data in which a feature must occur."""
PARTS = 5
CACHED = 500_000
"""Blocks whose weights are kept; then the cache starts anew."""


@dataclass
class HeadModel:
    """Weights of named features: the odds of a head are the exponential of their sum.

    First a word is believed to be the root (features `0…`); then each word chooses its head, knowing of it.
    """

    weights: dict[str, float] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    _sums: dict[Block, float] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def fit(cls, pairs: Iterable[TreePair], penalty: float = PENALTY) -> HeadModel:
        """Maximum conditional likelihood of the gold heads, with an L2 penalty, by L-BFGS."""
        pairs = list(pairs)
        lexicon = Lexicon.of((Bitext.of(pair), pair.f.rels) for pair in pairs)
        lattices = [Lattice(Bitext.of(pair), lexicon) for pair in pairs]
        asked = [_root_question(lattice, pair) for lattice, pair in zip(lattices, pairs, strict=True)]
        # the model of heads must meet roots that are as uncertain as they will be: those of models that did not see them
        for part in range(PARTS):
            others = [question for k, question in enumerate(asked) if question and k % PARTS != part]
            seer = cls(_fit_weights(others, penalty))
            lattices[part::PARTS] = map(seer.topped, lattices[part::PARTS])
        roots = _fit_weights([question for question in asked if question], penalty)
        questions = [q for lattice, pair in zip(lattices, pairs, strict=True) for q in _questions(lattice, pair)]
        return cls({**roots, **_fit_weights(questions, penalty)}, lexicon)

    def chances(self, lattice: Lattice) -> list[list[tuple[int, float]]]:
        """For each word its candidate heads with probabilities."""
        if len(self._sums) > CACHED:
            self._sums.clear()
        weight = self._weight
        asked = []
        for word in range(1, len(lattice.bitext) + 1):
            heads = lattice.heads(word)
            scores = [sum([weight(block) for block in lattice.blocks(word, head)]) for head in heads]
            top = max(scores)
            odds = [math.exp(score - top) for score in scores]
            total = sum(odds)
            asked.append([(head, odd / total) for head, odd in zip(heads, odds, strict=True)])
        return asked

    def _weight(self, block: Block) -> float:
        found = self._sums.get(block)
        if found is None:
            weights = self.weights
            found = self._sums[block] = sum(weights.get(name, 0.0) for name in names(block))
        return found

    def topped(self, lattice: Lattice) -> Lattice:
        """The lattice with the word that is most like a root."""
        scores = [self._weight(lattice.root_block(word)) for word in range(1, len(lattice.bitext) + 1)]
        best = scores.index(max(scores)) + 1 if scores else 0
        return lattice if best == lattice.old_top else replace(lattice, top=best)

    def project(self, bitext: Bitext) -> Projection:
        """The tree that the model finds best, with the probability of each edge."""
        return self.weighed(bitext)[0]

    def weighed(self, bitext: Bitext) -> tuple[Projection, NDArray[np.float64]]:
        """The best tree, and [h, c] the probabilities of all edges that were weighed."""
        lattice = self.topped(Lattice(bitext, self.lexicon))
        chances = self.chances(lattice)
        heads = best_tree(chances)
        confidence = tuple(dict(options).get(head, 0.0) for options, head in zip(chances, heads, strict=True))
        reasons = tuple(_reason(lattice, word, head) for word, head in enumerate(heads, 1))
        plain = Projection(bitext, tuple(heads), reasons, confidence)
        rels = tuple(rel or self.lexicon.rel(form) for rel, form in zip(plain.carried, bitext.forms, strict=True))
        matrix = np.zeros((len(bitext) + 1, len(bitext) + 1))
        for child, options in enumerate(chances, 1):
            for head, chance in options:
                matrix[head, child] = chance
        return replace(plain, rels=rels), matrix


def _reason(lattice: Lattice, word: int, head: int) -> Reason:
    if not any(lattice.bitext.anchors):
        return "guess"
    if lattice.kinds[word] == "U":
        return "spontaneous"
    if lattice.path(word, head) == "=":
        return "merge"
    relation = lattice.relation(word, head)
    if relation in ("P", "PR", "PL", "PO", "0O"):
        return "projected"
    return "swap" if lattice.path(word, head) == "c" or relation in ("C", "TO", "0T") else "guess"


Question = tuple[list[list[str]], int]
"""The features of each candidate, and which one is right."""


def _root_question(lattice: Lattice, pair: TreePair) -> Question | None:
    if pair.f.root is None:
        return None
    return [names(lattice.root_block(word)) for word in range(1, len(pair.f) + 1)], pair.f.root - 1


def _questions(lattice: Lattice, pair: TreePair) -> Iterable[Question]:
    for word, gold in enumerate(pair.f.heads, 1):
        heads = lattice.heads(word)
        if gold >= 0 and gold in heads:
            rows = [[name for block in lattice.blocks(word, head) for name in names(block)] for head in heads]
            yield rows, heads.index(gold)


def _fit_weights(questions: list[Question], penalty: float) -> dict[str, float]:
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    if not questions:
        return {}
    seen = Counter(name for rows, _ in questions for name in set(chain.from_iterable(rows)))
    columns = {name: k for k, name in enumerate(name for name, count in seen.items() if count >= MIN_COUNT)}
    indices: list[int] = []
    ends, starts, right = [0], [0], []
    for rows, gold in questions:
        right.append(starts[-1] + gold)
        for row in rows:
            indices += (columns[name] for name in row if name in columns)
            ends.append(len(indices))
        starts.append(starts[-1] + len(rows))
    design = csr_matrix((np.ones(len(indices)), indices, ends), shape=(starts[-1], len(columns)))
    transposed = design.T.tocsr()
    first, sizes, chosen = np.array(starts[:-1]), np.diff(starts), np.array(right)
    observed = np.asarray(design[chosen].sum(axis=0)).ravel()

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = design @ w
        top = np.maximum.reduceat(scores, first)
        odds = np.exp(scores - np.repeat(top, sizes))
        totals = np.add.reduceat(odds, first)
        shares = odds / np.repeat(totals, sizes)
        value = (np.log(totals) + top).sum() - scores[chosen].sum() + 0.5 * penalty * (w @ w)
        return float(value), transposed @ shares - observed + penalty * w

    found: Any = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS})
    return {name: round(float(found.x[k]), 4) for name, k in columns.items() if abs(found.x[k]) > 0.001}
