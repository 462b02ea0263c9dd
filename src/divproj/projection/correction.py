"""Corrections learned from gold trees: a log-linear model over candidate heads that starts from a prior.

Every word chooses its head among a few candidates. What is believed before anything is learned is the prior; weights of named
features, learned from gold trees, say where to leave it:

    P(h | word) ∝ prior(h) · exp(w · f(word, h)),        w ~ N(0, 1/penalty)

Without gold trees the weights are empty and every word keeps the head that the prior prefers; few gold trees move little, since
the penalty keeps weights near 0. One model, `Correction`, is used three times:

    s2+     (`HeadModel`, below)           prior: the same for all candidates
    s6+     (`glossed/corrected.py`)       prior: the probability that s6 gives the edge
    review  (`review/learning.py`)         prior: e^3 for the head in the file, 1 for the others

An example: *Kinder* in "Kinder schlafen" (child.PL sleep) may have the root (0) or *schlafen* (2) as its head. With a uniform prior
and the learned weights w("r=P") = 1.2 (the edge was projected) and w("t=NOUN<VERB") = 0.5 (a noun depends on a verb to its right),
candidate 2 scores 1.7 and candidate 0 scores 0: P(2 | Kinder) = e^1.7 / (e^1.7 + e^0) = 0.85. If the prior had 0.1 for candidate 2
and 0.9 for the root, it would be 0.1 · e^1.7 / (0.1 · e^1.7 + 0.9) = 0.38, and the root would stay. Last, `best_tree` finds the tree
with the highest product of probabilities, so that heads never make a cycle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from divproj.core.pair import Pair
from divproj.core.tree import cycles
from divproj.projection.candidates import Block, Lattice, TagLexicon, names
from divproj.projection.direct import Projection, ProjectionInput, Reason, content_root
from divproj.runtime.announce import passing, stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


PENALTY = 2.0
"""Of the squared weights (L2); where it was chosen is not recorded."""
NEGLIGIBLE = 0.001
"""Weights of features below this are not kept: they choose no other head."""
ITERATIONS = 60
"""Steps of L-BFGS at most."""
MIN_COUNT = 2
"""Words of training data in which a feature must occur."""
JACKKNIFE_PARTS = 5
"""Parts of the training sentences; which roots are likely in one is learned from the others."""


Options = Sequence[tuple[int, float]]
"""(head, probability) of a word's candidates; head 0 is the root."""
ROOTS = 4
"""Probable roots for which the best tree is searched."""


def best_tree(options: Sequence[Options]) -> list[int]:
    """Heads of words 1..n: the most probable of each word when they make a tree, else the best tree (Chu-Liu/Edmonds).

    >>> best_tree([[(0, 0.6), (2, 0.4)], [(1, 0.3), (0, 0.7)]])
    [2, 0]
    """
    greedy = [max(heads, key=lambda option: option[1])[0] for heads in options]
    if not greedy or (greedy.count(0) == 1 and not cycles(greedy)):
        return greedy
    import numpy as np

    n = len(options)
    logs = np.full((n + 1, n + 1), -1e3)  # [head, child]; any word can have any head at worst
    for child, heads in enumerate(options, 1):
        for head, probability in heads:
            logs[head, child] = math.log(probability + 1e-12)
    roots = np.argsort(-logs[0, 1:], kind="stable")[:ROOTS] + 1
    trees = []
    for root in roots.tolist():
        tree = [head + 1 for head in arborescence(logs[1:, 1:], root - 1)]
        tree[root - 1] = 0
        trees.append((sum(float(logs[h, c]) for c, h in enumerate(tree, 1)), tree))
    return max(trees, key=lambda item: item[0])[1]


def arborescence(scores: NDArray[np.float64], root: int) -> list[int]:
    """Heads that maximise the sum of scores[head, child] with this root, words from 0; the root's head is -1."""
    import numpy as np

    n = len(scores)
    scores = scores.copy()
    np.fill_diagonal(scores, -np.inf)
    heads = scores.argmax(axis=0)
    heads[root] = -1
    loops = cycles([int(h) + 1 for h in heads])
    if not loops:
        return [int(h) for h in heads]
    cycle = np.array(loops[0]) - 1
    inside = np.zeros(n, bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    gain = scores[np.ix_(outside, cycle)] - scores[heads[cycle], cycle]
    enter = cycle[gain.argmax(axis=1)]
    leave = cycle[scores[np.ix_(cycle, outside)].argmax(axis=0)]
    size = len(outside) + 1
    small = np.full((size, size), -np.inf)
    small[:-1, :-1] = scores[np.ix_(outside, outside)]
    small[:-1, -1] = gain.max(axis=1)
    small[-1, :-1] = scores[leave, outside]
    above = arborescence(small, int(np.flatnonzero(outside == root)[0]))
    for k, word in enumerate(outside.tolist()):
        if word != root:
            heads[word] = leave[k] if above[k] == size - 1 else outside[above[k]]
    heads[enter[above[-1]]] = outside[above[-1]]
    return [int(h) for h in heads]


CACHED = 500_000
"""Blocks whose weights are kept; then the cache starts anew."""
PAIRS = 500
"""Pairs whose questions are kept between fits: some 100 KB each."""


Row = list[int]
"""Features of a candidate, by number (`SPELLED`)."""


class Question(NamedTuple):
    """A word of a gold tree that chooses its head."""

    rows: list[Row]
    """The features of each candidate."""
    gold: int
    """Place of the right head among the candidates."""
    prior: Sequence[float] | None = None
    """Logarithms of the prior of the candidates; None where all are alike."""


@dataclass
class Correction:
    """Weights of named features that are added to the logarithm of a prior."""

    weights: dict[str, float] = field(default_factory=dict)
    lexicon: TagLexicon = field(default_factory=TagLexicon)
    _sums: dict[Block, float] = field(default_factory=dict, repr=False, compare=False)

    def weight(self, block: Block) -> float:
        """Return the sum of the weights of a block's features."""
        total = self._sums.get(block)
        if total is None:
            if len(self._sums) > CACHED:
                self._sums.clear()
            weights = self.weights
            total = self._sums[block] = sum(weights.get(name, 0.0) for name in names(block))
        return total

    def scores(self, candidates: Iterable[Iterable[Block]]) -> list[float]:
        """Return what the weights add for each candidate, given by the blocks of its features."""
        known, weight = self._sums.get, self.weight
        totals = []
        for blocks in candidates:
            total = 0.0
            for block in blocks:
                score = known(block)
                total += weight(block) if score is None else score
            totals.append(total)
        return totals

    def probabilities(
        self, heads: Sequence[int], candidates: Iterable[Iterable[Block]], prior: Sequence[float] | None = None
    ) -> list[tuple[int, float]]:
        """Return the candidate heads of a word with their probabilities; `prior` has a logarithm for each."""
        scores = self.scores(candidates)
        if prior is not None:
            scores = [before + score for before, score in zip(prior, scores, strict=True)]
        top = max(scores)
        odds = [math.exp(score - top) for score in scores]
        total = sum(odds)
        return [(head, odd / total) for head, odd in zip(heads, odds, strict=True)]


@dataclass
class HeadModel(Correction):
    """The model of s2+: a uniform prior over the heads that the projections offer.

    First the most probable root is chosen (features `0…`); then each word chooses its head, knowing the root.
    """

    @classmethod
    def fit(cls, pairs: Iterable[Pair], penalty: float = PENALTY) -> HeadModel:
        """Maximum conditional likelihood of the gold heads, with an L2 penalty, by L-BFGS."""
        pairs = list(pairs)
        if len(SPELLED.names) > CACHED:
            SPELLED.forget()
        bare = [SPELLED.lattice(pair) for pair in pairs]
        lexicon = TagLexicon.of((lattice.sentence, pair.f.deprels) for lattice, pair in zip(bare, pairs, strict=True))
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

    def candidate_probabilities(self, lattice: Lattice) -> list[list[tuple[int, float]]]:
        """Return for each word its candidate heads with their probabilities."""
        options = []
        for word in range(1, len(lattice.sentence) + 1):
            heads = lattice.heads(word)
            options.append(self.probabilities(heads, lattice.all_blocks(word, heads)))
        return options

    def with_root(self, lattice: Lattice) -> Lattice:
        """The lattice with the word that is most like a root."""
        scores = [self.weight(lattice.root_block(word)) for word in range(1, len(lattice.sentence) + 1)]
        best = scores.index(max(scores)) + 1 if scores else 0
        return lattice if best == lattice.old_top else lattice.with_top(best)

    def project(self, sentence: ProjectionInput) -> Projection:
        """Return the best tree, with the probability of each edge."""
        return self._best(sentence)[0]

    def edge_probabilities(self, sentence: ProjectionInput) -> tuple[Projection, NDArray[np.float64]]:
        """Return the best tree, and [h, c] the probability of each edge from a candidate head."""
        import numpy as np

        projection, options = self._best(sentence)
        matrix = np.zeros((len(sentence) + 1, len(sentence) + 1))
        for child, heads in enumerate(options, 1):
            for head, probability in heads:
                matrix[head, child] = probability
        return projection, matrix

    def _best(self, sentence: ProjectionInput) -> tuple[Projection, list[list[tuple[int, float]]]]:
        lattice = self.with_root(Lattice(sentence, self.lexicon))
        options = self.candidate_probabilities(lattice)
        heads = best_tree(options)
        moved = [-1, *heads]
        content_root(sentence, moved, ["guess"] * len(moved))
        heads = moved[1:]
        confidence = tuple(dict(pairs).get(head, 0.0) for pairs, head in zip(options, heads, strict=True))
        reasons = tuple(_reason(lattice, word, head) for word, head in enumerate(heads, 1))
        plain = Projection(sentence, tuple(heads), reasons, confidence)
        deprels = tuple(
            rel or self.lexicon.rel(form) for rel, form in zip(plain.projected_deprels, sentence.forms, strict=True)
        )
        return replace(plain, deprels=deprels), options


def _reason(lattice: Lattice, word: int, head: int) -> Reason:
    if not any(lattice.sentence.anchors):
        return "guess"
    if lattice.kinds[word] == "U":
        return "spontaneous"
    if lattice.path(word, head) == "=":
        return "merge"
    relation = lattice.relation(word, head)
    if relation in ("P", "PR", "PL", "PO", "0O"):
        return "projected"
    return "swap" if lattice.path(word, head) == "c" or relation in ("C", "TO", "0T") else "learned"


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
        questions = self._questions.get(key)
        if questions is None:
            questions = self._questions[key] = [*_questions(lattice, pair)]
        return questions

    def row(self, block: Block) -> Row:
        """The numbers of the features of a block."""
        row = self._blocks.get(block)
        if row is None:
            row = self._blocks[block] = [self.number(name) for name in names(block)]
        return row

    def number(self, name: str) -> int:
        """Return the number of a feature, a new one if it was not met before."""
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


SPELLED = Spelled()


def _root_question(lattice: Lattice, pair: Pair) -> Question | None:
    if pair.f.root is None:
        return None
    return Question([SPELLED.row(lattice.root_block(word)) for word in range(1, len(pair.f) + 1)], pair.f.root - 1)


def _questions(lattice: Lattice, pair: Pair) -> Iterable[Question]:
    row = SPELLED.row
    for word, gold in enumerate(pair.f.heads, 1):
        heads = lattice.heads(word)
        if gold >= 0 and gold in heads:
            rows = [[k for block in blocks for k in row(block)] for blocks in lattice.all_blocks(word, heads)]
            yield Question(rows, heads.index(gold))


def _design(questions: list[Question]) -> tuple[Any, NDArray[np.int64], list[int]]:
    """The features of all candidates as a sparse matrix, a row each; where each question's rows begin; the features' numbers.

    Features that occur in few questions are left out; the others stand in the order of their first occurrence.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    rows = [row for question in questions for row in question.rows]
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    flat = np.fromiter(chain.from_iterable(rows), np.int64, int(sizes.sum()))
    per_question = np.fromiter((len(question.rows) for question in questions), np.int64, len(questions))
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


def fit_weights(questions: list[Question], penalty: float, iterations: int = ITERATIONS) -> dict[str, float]:
    """Return the weights of features by name."""
    import numpy as np

    if not questions:
        return {}
    design, starts, numbers = _design(questions)
    priors = [np.zeros(len(q.rows)) if q.prior is None else np.asarray(q.prior, float) for q in questions]
    gold = [question.gold for question in questions]
    weights = weights_of(design, starts, gold, np.concatenate(priors), penalty, iterations)
    large = np.flatnonzero(np.abs(weights) > NEGLIGIBLE)
    return {SPELLED.names[numbers[k]]: round(float(weights[k]), 4) for k in large.tolist()}


def weights_of(
    design: Any, starts: Any, gold: Sequence[int], before: NDArray[np.float64], penalty: float, iterations: int = ITERATIONS
) -> NDArray[np.float64]:
    """Weights of a log-linear choice, by L-BFGS: candidates are rows of `design`, those of question q from `starts[q]` on.

    `gold` are the places of the right ones among the candidates of each question, `before` the logarithms of the prior.
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

    fitted: Any = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(fitted.x)
