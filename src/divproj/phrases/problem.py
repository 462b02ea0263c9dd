"""One pair of forests with all local scores (`Problem`), and the set of phrase pairs that a search returns (`PhraseSet`).

`prepare` and `problem` go from two forests, word candidates and the local model to every score and cost of §4.1, §5.3 and
§5.4. `fill`, `read_off` and `posteriors` run the kernels of `chart` on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import AlignmentError, ModelError
from divproj.forest.hypergraph import Forest, ForestArrays
from divproj.forest.parses import inside, marginals
from divproj.phrases import chart
from divproj.phrases.model import FeatureTable, LogProbs, PhraseEncoder, PhraseKinds, head_word, lemmas_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NEVER = float("inf")
ROWS = 64
"""Rows of the chart between two looks at the clock; a row of a large chart counts for many."""
SMALL = 400
"""Cells below which the plain Python chart is fast enough, so that numba need not be loaded."""


class OutOfTimeError(Exception):
    """A search ran out of time; the caller falls back to a cheaper one."""


@dataclass
class Clock:
    """A limit on the CPU time of a search; time that other programs take does not count."""

    seconds: float = NEVER
    began: float = field(default_factory=time.thread_time)

    @property
    def over(self) -> bool:
        return self.seconds < NEVER and time.thread_time() - self.began > self.seconds

    def check(self) -> None:
        if self.over:
            raise OutOfTimeError


@dataclass(frozen=True)
class ForestSide:
    """One forest: arrays, root, and how its parse contributes to the score."""

    arrays: ForestArrays
    root: int
    null: Floats
    """Score of each node left alone."""
    rho: Floats
    """log of the parse marginals, for the literal interpolation of §5.4."""
    weight: Floats
    """Share of the score for each edge (sorted order); zeros where the parse is not asked."""

    @property
    def four(self) -> tuple[Ints, Ints, Ints, Floats]:
        """`first, left, right, weight` as kernels want them."""
        a = self.arrays
        return a.edge_first, a.edge_left, a.edge_right, self.weight

    @cached_property
    def best_edge(self) -> Ints:
        """For each node the edge of its best parse."""
        edge_of = np.empty(len(self.arrays.start), np.int32)
        a = self.arrays
        if len(a.edge_parent) == (~a.is_leaf).sum():  # no ambiguity: first edge of each inner node
            edge_of[:] = np.where(a.is_leaf, -1, a.edge_first[:-1])
        else:
            chart.best_below.compiled(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, edge_of)
        return edge_of

    def tree(self, edges: Iterable[int]) -> Ints:
        """For each node of one tree its edge, -1 for leaves, -2 for nodes outside it: `edges` where given, else the best."""
        a = self.arrays
        edge_of = np.full(len(a.start), -2, np.int32)
        chosen = {int(a.edge_parent[e]): int(e) for e in edges}
        stack = [self.root]
        while stack:
            node = stack.pop()
            edge = chosen.get(node, int(self.best_edge[node]))
            edge_of[node] = edge
            if edge >= 0:
                stack += [int(a.edge_left[edge]), int(a.edge_right[edge])]
        return edge_of


@dataclass(frozen=True)
class PhraseSet:
    """A set H: pairs of nodes, mothers before kids, and the nulls that hang off the paths between them."""

    pairs: tuple[tuple[int, int], ...]
    mothers: tuple[int, ...]
    """Index of the mother pair; -1 at the root pair."""
    null_s: tuple[tuple[int, int], ...]
    """(node, index of the pair it hangs below)."""
    null_t: tuple[tuple[int, int], ...]
    edges_s: tuple[int, ...]
    """Edges of the source forest (sorted order) on the paths."""
    edges_t: tuple[int, ...]
    score: float
    reachable: bool = True
    truncated: bool = False

    @property
    def transpose(self) -> PhraseSet:
        """The same set seen from the other side."""
        return replace(
            self, pairs=tuple((v, u) for u, v in self.pairs), null_s=self.null_t, null_t=self.null_s, edges_s=self.edges_t, edges_t=self.edges_s
        )  # fmt: skip

    @cached_property
    def kids(self) -> tuple[tuple[int, ...], ...]:
        """For each pair the indices of its kids."""
        kids_of: list[list[int]] = [[] for _ in self.pairs]
        for k, mother in enumerate(self.mothers):
            if mother >= 0:
                kids_of[mother].append(k)
        return tuple(map(tuple, kids_of))


@dataclass(frozen=True)
class Problem:
    """The input of a search: two forests and their scores."""

    src: ForestSide
    tgt: ForestSide
    pair: Floats
    """Score of every pair of nodes; with a leaf in it, of a pair without kids (-inf where there is none)."""
    noncomp: float = 0.0
    """Cost μn·μc of a pair that has not exactly two kids."""
    gap: int = 0
    """Most generations between a pair and a kid; 0 is no bound."""
    mix: float = 0.0
    """μp of the literal interpolation; 0 for none."""

    @cached_property
    def transpose(self) -> Problem:
        return replace(self, src=self.tgt, tgt=self.src, pair=np.ascontiguousarray(self.pair.T))

    @cached_property
    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the chart kernels."""
        s, t = self.src, self.tgt
        return (*s.four, *t.four, self.pair, s.null, t.null, self.mix, s.rho, t.rho)

    @property
    def shape(self) -> tuple[int, int]:
        n, m = self.pair.shape
        return n, m

    @property
    def work(self) -> int:
        """Steps of the chart: products of edges and of cells."""
        n, m = self.shape
        e, f = len(self.src.weight) + 1, len(self.tgt.weight) + 1
        return e * f + n * f + m * e


@dataclass
class Chart:
    """Filled arrays A and E (B for a chart with gaps) of a problem."""

    problem: Problem
    A: Floats
    E: Floats
    B: NDArray[np.float64] | None = None

    @property
    def reachable(self) -> bool:
        return bool(self.A[self.problem.src.root, self.problem.tgt.root] > -np.inf)


def fill(problem: Problem, clock: Clock | None = None, compiled: bool | None = None) -> Chart:
    """The chart of the best scores; OutOfTimeError past the clock."""
    n, m = problem.pair.shape
    fast = n * m > SMALL if compiled is None else compiled
    both = np.empty((2, n, m))
    A, E = both[0], both[1]  # faster than unpacking
    given: Any = problem.arguments
    if problem.gap:
        B = np.empty((n, m, problem.gap, problem.gap))
        rows: Any = chart.gap_rows.compiled if fast else chart.gap_rows.plain
        for low, high in _slices(problem, clock):
            rows(*given, low, high, B, E)
        return Chart(problem, np.ascontiguousarray(B[:, :, 0, 0]), E, B)
    best: Any = chart.best_rows.compiled if fast else chart.best_rows.plain
    if clock is None:
        best(*given, 0, n, A, E)
    else:
        for low, high in _slices(problem, clock):
            best(*given, low, high, A, E)
    return Chart(problem, A, E)


def _slices(problem: Problem, clock: Clock | None) -> Iterator[tuple[int, int]]:
    """Rows in portions of about ten milliseconds, the clock looked at between them."""
    n = problem.shape[0]
    step = max(1, int(n * 5e6 / max(1, problem.work * max(1, problem.gap**2)))) if clock else n
    for low in range(0, n, step):
        if clock:
            clock.check()
        yield low, min(n, low + step)


def read_off(filled: Chart, inside: bool = False, compiled: bool | None = None) -> PhraseSet:
    """The best set of the chart; with `inside`, the best pair somewhere inside the root pair becomes the top."""
    problem = filled.problem
    s, t = problem.src, problem.tgt
    n, m = problem.shape
    fast = n * m > SMALL if compiled is None else compiled
    pairs, nulls, edges = (np.empty((n + m + 2, 3), np.int32) for _ in range(3))
    counts = np.zeros(3, np.int64)
    if filled.B is not None:
        assert not inside
        call = chart.gap_decode.compiled if fast else chart.gap_decode.plain
        call(*s.four, *t.four, s.null, t.null, filled.B, filled.E, s.root, t.root, pairs, nulls, edges, counts)
    else:
        run = chart.decode.compiled if fast else chart.decode.plain
        run(*s.four, *t.four, s.null, t.null, filled.A, filled.E, s.root, t.root, inside, pairs, nulls, edges, counts)
    score = (filled.E if inside else filled.A)[s.root, t.root]
    return _phrase_set(pairs[: counts[0]], nulls[: counts[1]], edges[: counts[2]], float(score))


def _phrase_set(pairs: Ints, nulls: Ints, edges: Ints, score: float) -> PhraseSet:
    rows = nulls.tolist()
    sides = edges[:, :2].tolist()
    return PhraseSet(
        tuple((u, v) for u, v, _ in pairs.tolist()),
        tuple(mother for _, _, mother in pairs.tolist()),
        tuple((node, mother) for side, node, mother in rows if not side),
        tuple((node, mother) for side, node, mother in rows if side),
        tuple(sorted(edge for side, edge in sides if not side)),
        tuple(sorted(edge for side, edge in sides if side)),
        score,
    )


@dataclass(frozen=True)
class PairPosteriors:
    """log Σ_H α(H), and how probable each pair and each null is."""

    log_sum: float
    pair: Floats
    null_s: Floats
    null_t: Floats


def posteriors(problem: Problem, clock: Clock | None = None, compiled: bool | None = None) -> PairPosteriors | None:
    """Sums over all sets, by the inside and outside passes; None when the root pair cannot be reached."""
    n, m = problem.shape
    fast = n * m > SMALL if compiled is None else compiled
    best = fill(replace(problem, gap=0, mix=0.0), clock, fast)
    if not best.reachable:
        return None
    near = float(best.A[problem.src.root, problem.tgt.root])
    return _scaled_posteriors(problem, near, clock, fast) or _log_posteriors(problem, clock, fast)


def _scaled_posteriors(problem: Problem, near: float, clock: Clock | None, fast: bool) -> PairPosteriors | None:
    """By the kernels without logarithms, given a score that is near the sum; None when a number leaves the range of floats."""
    n, m = problem.shape
    s, t = problem.src, problem.tgt
    words = [(side.arrays.end - side.arrays.start).astype(np.float64) for side in (s, t)]
    total_words = float(words[0][s.root] + words[1][t.root])
    each = -near / total_words
    leaf_s, leaf_t = s.arrays.is_leaf, t.arrays.is_leaf
    pair = problem.pair.copy()
    pair[leaf_s] += each * (1.0 + words[1])
    pair[np.ix_(~leaf_s, leaf_t)] += each * (words[0][~leaf_s, None] + 1.0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        np.exp(pair, out=pair)
        null_s, null_t = np.exp(s.null + each * words[0]), np.exp(t.null + each * words[1])
        given = (*s.four[:3], np.exp(s.weight), *t.four[:3], np.exp(t.weight), pair, null_s, null_t)
        A, F, E = np.empty((n, m)), np.empty((n, m)), np.empty((n, m))
        rows = chart.scaled_sum_rows.compiled if fast else chart.scaled_sum_rows.plain
        for low, high in _slices(problem, clock):
            rows(*given, low, high, A, F, E)
        total = float(A[s.root, t.root])
        if not 1e-100 < total < 1e100:
            return None
        g, post, post_s, post_t = np.zeros((n, m)), np.zeros((n, m)), np.zeros(n), np.zeros(m)
        back = chart.scaled_outside.compiled if fast else chart.scaled_outside.plain
        back(*given, s.root, t.root, A, F, E, g, post, post_s, post_t)
    if not (np.isfinite(post).all() and np.isfinite(post_s).all() and np.isfinite(post_t).all()):
        return None
    return PairPosteriors(math.log(total) - each * total_words, post, post_s, post_t)


def _log_posteriors(problem: Problem, clock: Clock | None, fast: bool) -> PairPosteriors:
    """By the kernels of `chart`, in logarithms: slower, for any scores."""
    n, m = problem.shape
    s, t = problem.src, problem.tgt
    A, F, E = np.empty((n, m)), np.empty((n, m)), np.empty((n, m))
    given = (*s.four, *t.four, problem.pair, s.null, t.null)
    rows = chart.sum_rows.compiled if fast else chart.sum_rows.plain
    for low, high in _slices(problem, clock):
        rows(*given, low, high, A, F, E)
    gF, gE, post = np.zeros((n, m)), np.zeros((n, m)), np.zeros((n, m))
    post_s, post_t = np.zeros(n), np.zeros(m)
    back = chart.outside.compiled if fast else chart.outside.plain
    back(*given, s.root, t.root, A, F, E, gF, gE, post, post_s, post_t)
    return PairPosteriors(float(A[s.root, t.root]), post, post_s, post_t)


COMBINE = ("loglinear", "literal")


@dataclass(frozen=True)
class Costs:
    """The penalties μ of the paper. This is the one place where they have defaults; `PhraseAligner` takes them from here.

    The defaults were chosen on training pairs of the Edinburgh paraphrases (`bench/accuracy/phrases_tune.py`). The paper's own values are
    `PAPER_COSTS`; with them and our local model sets of few pairs are best.
    """

    null_cost: float = 3.0
    """μn: for each word left alone. The paper has 1."""
    pair_cost: float = 0.0
    """For each pair with kids. Departs: the paper charges μn here, which makes sets of few pairs best."""
    noncomp_cost: float = 1.0
    """μc: times μn, for a pair with other than two kids. The paper has 3."""
    parse_share: float = 0.3
    """μp: how much the parses count against the alignment, from 0 to 1; not asked of trees, nor of binarisations of one tree."""
    combine: str = "loglinear"
    """How they are put together: logarithms at every pair (Departs), or `literal`, as printed in §5.4."""
    gap: int = 0
    """μg: most generations between a pair and its kids; 0 is no bound."""
    relative: bool = True
    """Whether log Pr is measured against chance, all outcomes alike (Departs), so that costs mean the same in long and short sentences."""
    leaf_phrase: bool = True
    """Whether one word may be aligned with a phrase when the heads are candidates (Departs: Definition 3.1 has no such pairs)."""
    word_cost: float = 8.0
    """For a pair of one word and a phrase in an untrained model. EM learns mostly that such pairs are rare, so a trained
    aligner uses 0."""

    def __post_init__(self) -> None:
        if self.combine not in COMBINE:
            raise ModelError(f"no combine '{self.combine}'", remedy=f"choose one of {', '.join(COMBINE)}")
        if not 0 <= self.parse_share < 1:
            raise ModelError(f"parse_share is {self.parse_share}, a number from 0 to below 1 expected")
        if self.gap < 0 or self.null_cost < 0:
            raise ModelError("gap and null_cost cannot be negative")


PAPER_COSTS = Costs(1.0, 1.0, 3.0, 0.7, "literal", 5, relative=False, leaf_phrase=False, word_cost=0.0)
"""μn, μn, μc, μp, μg of the paper's Table 2, and none of what we added."""


@dataclass(frozen=True)
class ScoredForest:
    """A forest and the values that scoring needs, each computed once."""

    forest: Forest

    @cached_property
    def kinds(self) -> PhraseKinds:
        return PhraseKinds.of(self.forest)

    @cached_property
    def word(self) -> NDArray[np.intp]:
        """For a leaf its word, for a phrase the word that is its head."""
        return np.array([head_word(self.forest, k) for k in range(len(self.forest))], np.intp)

    @cached_property
    def length(self) -> Floats:
        return (self.forest.arrays.end - self.forest.arrays.start).astype(np.float64)

    @cached_property
    def ambiguous(self) -> bool:
        a = self.forest.arrays
        return len(a.edge_parent) > int((~a.is_leaf).sum())

    @cached_property
    def rho(self) -> Floats:
        """log of the parse marginals; a virtual node has that of the most probable phrase that it is a part of."""
        if not self.ambiguous:
            return np.zeros(len(self.forest))
        a = self.forest.arrays
        shares = np.log(np.clip(marginals(self.forest, fast=len(self.forest) > 100).node, 1e-9, 1.0))
        shares[shares > -1e-9] = 0.0
        shares[a.virtual] = -np.inf
        for edge in range(len(a.edge_parent) - 1, -1, -1):  # parents before children
            for part in (a.edge_left[edge], a.edge_right[edge]):
                if a.virtual[part]:
                    shares[part] = max(shares[part], shares[a.edge_parent[edge]])
        shares[np.isneginf(shares)] = 0.0
        return shares

    @cached_property
    def probabilities(self) -> Floats:
        """log p(edge | parent), sorted order, for sums over all trees of the forest."""
        a = self.forest.arrays
        if not self.ambiguous:
            return np.zeros(len(a.edge_weight))
        beta = inside(self.forest, fast=len(self.forest) > 100)
        mass = beta[a.edge_parent]
        with np.errstate(invalid="ignore"):
            shares = a.edge_weight + beta[a.edge_left] + beta[a.edge_right] - mass
        return np.where(mass > -np.inf, np.minimum(shares, 0.0), a.edge_weight)

    @cached_property
    def lemmas(self) -> list[str]:
        return lemmas_of(self.forest)


@dataclass(frozen=True)
class PreparedPair:
    """A pair ready for scoring: two views, word candidates, feature table."""

    src: ScoredForest
    tgt: ScoredForest
    links: NDArray[np.int32]
    """Word candidates W, shape (k, 2), counted from 0."""
    table: FeatureTable

    @cached_property
    def reach(self) -> NDArray[np.bool_]:
        """Words by words: which are candidates."""
        candidates = np.zeros((len(self.src.forest.forms), len(self.tgt.forest.forms)), bool)
        candidates[self.links[:, 0], self.links[:, 1]] = True
        return candidates


def prepare(src: ScoredForest, tgt: ScoredForest, links: Any, encoder: PhraseEncoder) -> PreparedPair:
    """AlignmentError when a link points outside the sentences."""
    link_array = np.asarray(links, np.int32).reshape(-1, 2)
    n, m = len(src.forest.forms), len(tgt.forest.forms)
    bad = (link_array < 0).any(1) | (link_array[:, 0] >= n) | (link_array[:, 1] >= m)
    if bad.any():
        i, j = link_array[bad][0].tolist()
        message = f"word candidate {i}-{j} (counted from 0) is out of range: the sentences have {n} and {m} words"
        raise AlignmentError(message, src.forest.where)
    linked = {(src.lemmas[i], tgt.lemmas[j]) for i, j in link_array.tolist()}
    return PreparedPair(src, tgt, link_array, encoder.table(src.kinds, tgt.kinds, linked))


def problem(prepared: PreparedPair, probs: LogProbs, costs: Costs) -> Problem:
    """All scores of one pair, as the searches want them."""
    s, t = prepared.src, prepared.tgt
    of_s, of_t = s.kinds.of_node, t.kinds.of_node
    probability = probs.probability if costs.relative else (0.0, 0.0, 0.0)
    pair = (probs.pair - (probability[0] + costs.pair_cost))[np.ix_(of_s, of_t)]
    leaf_s, leaf_t = s.forest.arrays.is_leaf, t.forest.arrays.is_leaf
    pair[np.ix_(leaf_s, leaf_t)] += costs.pair_cost
    if costs.leaf_phrase:
        pair[leaf_s] -= costs.null_cost * (t.length - 1) + costs.word_cost * ~leaf_t
        pair[:, leaf_t] -= costs.null_cost * (s.length[:, None] - 1) + costs.word_cost * ~leaf_s[:, None]
    else:
        pair[np.ix_(leaf_s, ~leaf_t)] = pair[np.ix_(~leaf_s, leaf_t)] = -np.inf
    null_s = probs.null_s[of_s] - probability[1] - costs.null_cost * s.length
    null_t = probs.null_t[of_t] - probability[2] - costs.null_cost * t.length
    noncomp, mix = costs.null_cost * costs.noncomp_cost, 0.0
    share = costs.parse_share if s.rho.any() or t.rho.any() else 0.0
    rho_s, rho_t = (s.rho, t.rho) if share else (np.zeros(len(s.forest)), np.zeros(len(t.forest)))
    if share and costs.combine == "loglinear":
        keep = 1 - share
        pair = keep * pair + share * (rho_s[:, None] + rho_t[None, :])
        null_s, null_t, noncomp = keep * null_s, keep * null_t, keep * noncomp
    elif share:
        mix = share
    pair[leaf_s] = np.where(prepared.reach[np.ix_(s.word[leaf_s], t.word)], pair[leaf_s], -np.inf)
    pair[:, leaf_t] = np.where(prepared.reach[np.ix_(s.word, t.word[leaf_t])], pair[:, leaf_t], -np.inf)
    src = ForestSide(s.forest.arrays, s.forest.root, null_s, rho_s, np.zeros(len(s.forest.edges)))
    tgt = ForestSide(t.forest.arrays, t.forest.root, null_t, rho_t, np.zeros(len(t.forest.edges)))
    return Problem(src, tgt, np.ascontiguousarray(pair), noncomp, costs.gap, mix)


def with_tree_weights(prepared: PreparedPair, given: Problem) -> Problem:
    """The problem for sums: every tree of a forest counts by its probability, so that spurious ambiguity does not."""
    if not (prepared.src.ambiguous or prepared.tgt.ambiguous):
        return given
    return replace(
        given,
        src=replace(given.src, weight=prepared.src.probabilities),
        tgt=replace(given.tgt, weight=prepared.tgt.probabilities),
    )
