"""One pair of forests with all local scores, and the set of pairs that a search finds in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import ForestArrays
from divproj.phrases import chart, gapchart, sums

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
NEVER = float("inf")
ROWS = 64
"""Rows of the chart between two looks at the clock; a row of a large chart counts for many."""
SMALL = 400
"""Cells below which the plain Python chart is fast enough, so that numba need not be loaded."""


class OutOfTimeError(Exception):
    """A search went past its time; whoever set the time takes a cheaper way."""


@dataclass
class Clock:
    """Seconds of computing that a search must not pass; what other programs take does not count."""

    seconds: float = NEVER
    began: float = field(default_factory=time.thread_time)

    @property
    def over(self) -> bool:
        return time.thread_time() - self.began > self.seconds

    def check(self) -> None:
        if self.over:
            raise OutOfTimeError


@dataclass(frozen=True)
class Side:
    """One forest: arrays, root, and the part that its parse plays in the score."""

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
        made = np.empty(len(self.arrays.start), np.int32)
        a = self.arrays
        if len(a.edge_parent) == (~a.is_leaf).sum():  # no ambiguity: first edge of each inner node
            made[:] = np.where(a.is_leaf, -1, a.edge_first[:-1])
        else:
            chart.best_below.compiled(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, made)
        return made

    def tree(self, edges: Iterable[int]) -> Ints:
        """For each node of one tree its edge, -1 for leaves, -2 for nodes outside it: `edges` where given, else the best."""
        a = self.arrays
        made = np.full(len(a.start), -2, np.int32)
        chosen = {int(a.edge_parent[e]): int(e) for e in edges}
        stack = [self.root]
        while stack:
            node = stack.pop()
            edge = chosen.get(node, int(self.best_edge[node]))
            made[node] = edge
            if edge >= 0:
                stack += [int(a.edge_left[edge]), int(a.edge_right[edge])]
        return made


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
    def turned(self) -> PhraseSet:
        """The same set seen from the other side."""
        return replace(
            self, pairs=tuple((v, u) for u, v in self.pairs), null_s=self.null_t, null_t=self.null_s, edges_s=self.edges_t, edges_t=self.edges_s
        )  # fmt: skip

    @cached_property
    def kids(self) -> tuple[tuple[int, ...], ...]:
        """For each pair the indices of its kids."""
        made: list[list[int]] = [[] for _ in self.pairs]
        for k, mother in enumerate(self.mothers):
            if mother >= 0:
                made[mother].append(k)
        return tuple(map(tuple, made))


@dataclass(frozen=True)
class Problem:
    """What a search needs to know: two forests and their scores."""

    src: Side
    tgt: Side
    pair: Floats
    """Score of every pair of nodes; with a leaf in it, of a pair without kids (-inf where there is none)."""
    noncomp: float = 0.0
    """Cost μn·μc of a pair that has not exactly two kids."""
    gap: int = 0
    """Most generations between a pair and a kid; 0 is no bound."""
    mix: float = 0.0
    """μp of the literal interpolation; 0 for none."""

    @cached_property
    def turned(self) -> Problem:
        return replace(self, src=self.tgt, tgt=self.src, pair=np.ascontiguousarray(self.pair.T))

    @cached_property
    def arguments(self) -> tuple[Any, ...]:
        """What the kernels of the chart are given."""
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
        rows: Any = gapchart.gap_rows.compiled if fast else gapchart.gap_rows.plain
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
        call = gapchart.gap_decode.compiled if fast else gapchart.gap_decode.plain
        call(*s.four, *t.four, s.null, t.null, filled.B, filled.E, s.root, t.root, pairs, nulls, edges, counts)
    else:
        run = chart.decode.compiled if fast else chart.decode.plain
        run(*s.four, *t.four, s.null, t.null, filled.A, filled.E, s.root, t.root, inside, pairs, nulls, edges, counts)
    score = (filled.E if inside else filled.A)[s.root, t.root]
    return _found(pairs[: counts[0]], nulls[: counts[1]], edges[: counts[2]], float(score))


def _found(pairs: Ints, nulls: Ints, edges: Ints, score: float) -> PhraseSet:
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
class Posteriors:
    """log Σ_H α(H), and how probable each pair and each null is."""

    log_sum: float
    pair: Floats
    null_s: Floats
    null_t: Floats


def posteriors(problem: Problem, clock: Clock | None = None, compiled: bool | None = None) -> Posteriors | None:
    """Sums over all sets, by the inside and outside passes; None when the root pair cannot be reached."""
    n, m = problem.shape
    fast = n * m > SMALL if compiled is None else compiled
    best = fill(replace(problem, gap=0, mix=0.0), clock, fast)
    if not best.reachable:
        return None
    near = float(best.A[problem.src.root, problem.tgt.root])
    return _scaled_posteriors(problem, near, clock, fast) or _log_posteriors(problem, clock, fast)


def _scaled_posteriors(problem: Problem, near: float, clock: Clock | None, fast: bool) -> Posteriors | None:
    """By the kernels of `sums`, given a score that is near the sum; None when a number leaves the range of floats."""
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
        rows = sums.sum_rows.compiled if fast else sums.sum_rows.plain
        for low, high in _slices(problem, clock):
            rows(*given, low, high, A, F, E)
        total = float(A[s.root, t.root])
        if not 1e-100 < total < 1e100:
            return None
        g, post, post_s, post_t = np.zeros((n, m)), np.zeros((n, m)), np.zeros(n), np.zeros(m)
        back = sums.outside.compiled if fast else sums.outside.plain
        back(*given, s.root, t.root, A, F, E, g, post, post_s, post_t)
    if not (np.isfinite(post).all() and np.isfinite(post_s).all() and np.isfinite(post_t).all()):
        return None
    return Posteriors(math.log(total) - each * total_words, post, post_s, post_t)


def _log_posteriors(problem: Problem, clock: Clock | None, fast: bool) -> Posteriors:
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
    return Posteriors(float(A[s.root, t.root]), post, post_s, post_t)
