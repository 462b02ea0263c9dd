"""s2+: a log-linear model chooses each head among the candidates that the projections offer; then the best tree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from divproj.data.pair import Pair
from divproj.projection.candidates import Lattice, Lexicon
from divproj.projection.decode import best_tree
from divproj.projection.direct import Projection, ProjectionInput, Reason, content_root
from divproj.projection.features import Block, names
from divproj.projection.settings import ITERATIONS, JACKKNIFE_PARTS, MIN_COUNT, NEGLIGIBLE, PENALTY
from divproj.runtime.announce import passing, stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
CACHED = 500_000
"""Blocks whose weights are kept; then the cache starts anew."""
PAIRS = 500
"""Pairs whose questions are kept between fits: some 100 KB each."""


@dataclass
class HeadModel:
    """Weights of named features: the odds of a head are the exponential of their sum.

    First a word is believed to be the root (features `0…`); then each word chooses its head, knowing of it.
    """

    weights: dict[str, float] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    _sums: dict[Block, float] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def fit(cls, pairs: Iterable[Pair], penalty: float = PENALTY) -> HeadModel:
        """Maximum conditional likelihood of the gold heads, with an L2 penalty, by L-BFGS."""
        pairs = list(pairs)
        if len(SPELLED.names) > CACHED:
            SPELLED.forget()
        bare = [SPELLED.lattice(pair) for pair in pairs]
        lexicon = Lexicon.of((lattice.bitext, pair.f.rels) for lattice, pair in zip(bare, pairs, strict=True))
        lattices = [lattice.with_lexicon(lexicon) for lattice in bare]
        asked = [_root_question(lattice, pair) for lattice, pair in zip(lattices, pairs, strict=True)]
        # the model of heads must meet roots that are as uncertain as they will be: those of models that did not see them
        for part in passing(range(JACKKNIFE_PARTS), "learning corrections: part", JACKKNIFE_PARTS + 1):
            others = [question for k, question in enumerate(asked) if question and k % JACKKNIFE_PARTS != part]
            seer = cls(fit_weights(others, penalty))
            lattices[part::JACKKNIFE_PARTS] = map(seer.with_root, lattices[part::JACKKNIFE_PARTS])
        with stage("learning corrections: all"):
            roots = fit_weights([question for question in asked if question], penalty)
            questions = [q for lattice, pair in zip(lattices, pairs, strict=True) for q in SPELLED.questions(lattice, pair)]
            return cls({**roots, **fit_weights(questions, penalty)}, lexicon)

    def chances(self, lattice: Lattice) -> list[list[tuple[int, float]]]:
        """For each word its candidate heads with probabilities."""
        if len(self._sums) > CACHED:
            self._sums.clear()
        known, weight = self._sums.get, self.weight
        asked = []
        for word in range(1, len(lattice.bitext) + 1):
            heads = lattice.heads(word)
            scores = []
            for blocks in lattice.all_blocks(word, heads):
                total = 0.0
                for block in blocks:
                    found = known(block)
                    total += weight(block) if found is None else found
                scores.append(total)
            top = max(scores)
            odds = [math.exp(score - top) for score in scores]
            total = sum(odds)
            asked.append([(head, odd / total) for head, odd in zip(heads, odds, strict=True)])
        return asked

    def weight(self, block: Block) -> float:
        """The sum of the weights of a block's features."""
        found = self._sums.get(block)
        if found is None:
            weights = self.weights
            found = self._sums[block] = sum(weights.get(name, 0.0) for name in names(block))
        return found

    def with_root(self, lattice: Lattice) -> Lattice:
        """The lattice with the word that is most like a root."""
        scores = [self.weight(lattice.root_block(word)) for word in range(1, len(lattice.bitext) + 1)]
        best = scores.index(max(scores)) + 1 if scores else 0
        return lattice if best == lattice.old_top else lattice.with_top(best)

    def project(self, bitext: ProjectionInput) -> Projection:
        """The tree that the model finds best, with the probability of each edge."""
        return self._chosen(bitext)[0]

    def weighed(self, bitext: ProjectionInput) -> tuple[Projection, NDArray[np.float64]]:
        """The best tree, and [h, c] the probabilities of all edges that were weighed."""
        import numpy as np

        found, chances = self._chosen(bitext)
        matrix = np.zeros((len(bitext) + 1, len(bitext) + 1))
        for child, options in enumerate(chances, 1):
            for head, chance in options:
                matrix[head, child] = chance
        return found, matrix

    def _chosen(self, bitext: ProjectionInput) -> tuple[Projection, list[list[tuple[int, float]]]]:
        lattice = self.with_root(Lattice(bitext, self.lexicon))
        chances = self.chances(lattice)
        heads = best_tree(chances)
        moved = [-1, *heads]
        content_root(bitext, moved, ["guess"] * len(moved))
        heads = moved[1:]
        confidence = tuple(dict(options).get(head, 0.0) for options, head in zip(chances, heads, strict=True))
        reasons = tuple(_reason(lattice, word, head) for word, head in enumerate(heads, 1))
        plain = Projection(bitext, tuple(heads), reasons, confidence)
        rels = tuple(rel or self.lexicon.rel(form) for rel, form in zip(plain.carried, bitext.forms, strict=True))
        return replace(plain, rels=rels), chances


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
    return "swap" if lattice.path(word, head) == "c" or relation in ("C", "TO", "0T") else "learned"


Row = list[int]
Question = tuple[list[Row], int]
"""The features of each candidate, by number, and which one is right."""


class Spelled:
    """Names of features by number, and what fits on parts of the same pairs share.

    Those are the features of each block, the pairs as lattices, and their questions: most of them are met many times.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._blocks: dict[Block, Row] = {}
        self._lattices: dict[int, tuple[Pair, Lattice]] = {}
        self._questions: dict[tuple[int, tuple[str, ...], int], list[Question]] = {}

    def forget(self) -> None:
        """Begin anew: only when no question is about."""
        for kept in (self.names, self._numbers, self._blocks, self._lattices, self._questions):
            kept.clear()

    def lattice(self, pair: Pair) -> Lattice:
        """The lattice of a pair, without a lexicon."""
        known = self._lattices.get(id(pair))
        if known is None or known[0] is not pair:
            known = pair, Lattice(ProjectionInput.of(pair))
            if len(self._lattices) < PAIRS:
                self._lattices[id(pair)] = known  # the pair is kept with it: no other has its id
        return known[1]

    def questions(self, lattice: Lattice, pair: Pair) -> list[Question]:
        """The questions of a pair; they depend on its guessed tags and on the word that is taken for the root."""
        if id(pair) not in self._lattices:
            return [*_questions(lattice, pair)]
        key = id(pair), lattice.guesses, lattice.top
        found = self._questions.get(key)
        if found is None:
            found = self._questions[key] = [*_questions(lattice, pair)]
        return found

    def row(self, block: Block) -> Row:
        """The numbers of the features of a block."""
        found = self._blocks.get(block)
        if found is None:
            found = self._blocks[block] = [self._number(name) for name in names(block)]
        return found

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


SPELLED = Spelled()


def _root_question(lattice: Lattice, pair: Pair) -> Question | None:
    if pair.f.root is None:
        return None
    return [SPELLED.row(lattice.root_block(word)) for word in range(1, len(pair.f) + 1)], pair.f.root - 1


def _questions(lattice: Lattice, pair: Pair) -> Iterable[Question]:
    row = SPELLED.row
    for word, gold in enumerate(pair.f.heads, 1):
        heads = lattice.heads(word)
        if gold >= 0 and gold in heads:
            rows = [[k for block in blocks for k in row(block)] for blocks in lattice.all_blocks(word, heads)]
            yield rows, heads.index(gold)


def _design(questions: list[Question]) -> tuple[Any, NDArray[np.int64], list[int]]:
    """The features of all candidates as a sparse matrix, a row each; where each question's rows begin; the features' numbers.

    Features that occur in few questions are left out; the others stand in the order of their first occurrence.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    rows = [row for candidates, _ in questions for row in candidates]
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    flat = np.fromiter(chain.from_iterable(rows), np.int64, int(sizes.sum()))
    per_question = np.fromiter((len(candidates) for candidates, _ in questions), np.int64, len(questions))
    starts = np.concatenate(([0], np.cumsum(per_question)))
    row_of = np.repeat(np.arange(len(rows)), sizes)
    total = len(SPELLED.names)
    met = csr_matrix(
        (np.ones(len(flat), np.int8), flat, np.concatenate(([0], np.cumsum(sizes)))[starts]), (len(questions), total)
    )
    met.sum_duplicates()
    often = np.bincount(met.indices, minlength=total)
    first = np.zeros(total, np.int64)
    first[flat[::-1]] = np.arange(len(flat))[::-1]
    kept = np.flatnonzero(often >= MIN_COUNT)
    kept = kept[np.argsort(first[kept])]
    column = np.full(total, -1)
    column[kept] = np.arange(len(kept))
    cells = column[flat]
    used = cells >= 0
    ends = np.concatenate(([0], np.cumsum(np.bincount(row_of[used], minlength=len(rows)))))
    design = csr_matrix((np.ones(int(used.sum())), cells[used], ends), shape=(len(rows), len(kept)))
    return design, starts, kept.tolist()


def fit_weights(
    questions: list[Question], penalty: float, given: NDArray[np.float64] | None = None, iterations: int = ITERATIONS
) -> dict[str, float]:
    """Weights of features by name; `given` are scores that the candidates, end to end, have before anything is learned."""
    import numpy as np

    if not questions:
        return {}
    design, starts, numbers = _design(questions)
    before = np.zeros(design.shape[0]) if given is None else given
    found = weights_of(design, starts, [gold for _, gold in questions], before, penalty, iterations)
    large = np.flatnonzero(np.abs(found) > NEGLIGIBLE)
    return {SPELLED.names[numbers[k]]: round(float(found[k]), 4) for k in large.tolist()}


def weights_of(
    design: Any, starts: Any, gold: Sequence[int], before: NDArray[np.float64], penalty: float, iterations: int = ITERATIONS
) -> NDArray[np.float64]:
    """Weights of a log-linear choice, by L-BFGS: candidates are rows of `design`, those of question q from `starts[q]` on.

    `gold` are the places of the right ones among the candidates of each question, `before` scores that candidates have already.
    """
    import numpy as np
    from scipy.optimize import minimize

    transposed = design.T.tocsr()
    starts = np.asarray(starts)
    first, sizes = starts[:-1], np.diff(starts)
    chosen = first + np.asarray(gold)
    observed = np.asarray(design[chosen].sum(axis=0)).ravel()

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = design @ w + before
        top = np.maximum.reduceat(scores, first)
        odds = np.exp(scores - np.repeat(top, sizes))
        totals = np.add.reduceat(odds, first)
        shares = odds / np.repeat(totals, sizes)
        value = (np.log(totals) + top).sum() - scores[chosen].sum() + 0.5 * penalty * (w @ w)
        return float(value), transposed @ shares - observed + penalty * w

    found: Any = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(found.x)
