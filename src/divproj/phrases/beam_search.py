"""Beam search for phrase alignment: Algorithm B.1 of the paper's supplement, with non-compositional pairs (4.2 and C.1).

`Packs` goes through the source phrases bottom-up and keeps for each aligned pair ⟨u,v⟩ a list of supports: which pairs are
its kids, which phrases are left alone on the way to them, which edges are used. Pairs are numbered u·m + v, where the target
has m phrases. Without a beam the best score is that of `problem.fill`, which is faster; the competing supports are kept here
because `Trace` has to unpack them.

`Trace` makes non-compositional pairs. Source phrases x, y have the lowest common mother u, but their targets nest: τn lies
in τm. If the kids of both pairs fit together, ⟨u, τm⟩ is aligned with all of them as kids, and pairs in between are
dissolved: their own alignment is dropped, their kids stay. All arguments are pairs, so that a target aligned with two
sources has separate supports.

Departs: C.1, lines 8-9, returns TRACE(τn,ψ) alone and so loses the siblings of ψ; here they are merged as in line 29.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from divproj.phrases.problem import Clock, ForestSide, PhraseSet, Problem

Nodes = frozenset[int]
NONE: Nodes = frozenset()


class Support(NamedTuple):
    """Why a pair is aligned: its kids Ψ, the nulls Φ between it and them, and the edges on the way."""

    score: float
    kids: Nodes
    null_s: Nodes
    null_t: Nodes
    edges_s: Nodes
    edges_t: Nodes


class ClimbPath(NamedTuple):
    """A path from a node down to a descendant: phrases left alone beside it (with their score), edges, generations."""

    score: float
    gap: int
    nulls: Nodes
    edges: Nodes


HERE = ClimbPath(0.0, 0, NONE, NONE)
Paths = dict[int, list[ClimbPath]]
"""For each descendant (the node itself too) the ways down to it."""
Tracer = Callable[["Packs", int, int], Iterator[Support]]


@dataclass
class SearchLimits:
    """Bounds of the search; 0 is no bound."""

    beam: int = 150
    """μb: targets kept for a source phrase."""
    supports: int = 20
    """Supports kept for a pair, since unpacking is exponential in them."""
    steps: int = 2000
    """Steps of one unpacking."""
    traces: int = 400
    """Unpackings tried for one source phrase, most promising first."""
    clock: Clock = field(default_factory=Clock)


class Packs:
    """The array A[·] of Algorithm B.1."""

    def __init__(
        self, problem: Problem, limits: SearchLimits | None = None, trace: Tracer | None = None, usable: Nodes | None = None
    ) -> None:
        """`trace` unpacks pairs whose targets nest; `usable` are the target nodes that can be aligned at all."""
        self.problem, self.limits, self.trace = problem, limits or SearchLimits(), trace
        self.width = problem.shape[1]
        self.pair = problem.pair.tolist()
        self.null_s, self.null_t = problem.src.null.tolist(), problem.tgt.null.tolist()
        self.packs: list[dict[int, list[Support]]] = [{} for _ in range(problem.shape[0])]
        self.best: dict[int, float] = {}
        self.truncated = False
        self.below_t = below(problem.tgt)
        self.paths_t = all_paths(problem.tgt, self.null_t, problem.gap, usable)
        self.lca = self._lca_table()
        self._run()

    def _lca_table(self) -> dict[tuple[int, int], list[tuple[int, ClimbPath]]]:
        """Lca^t: for two target phrases their lowest common mothers, each with the nulls of both paths."""
        common_mothers: dict[tuple[int, int], list[tuple[int, ClimbPath]]] = {}
        for v, f, left, right in edges_of(self.problem.tgt):
            for x, ways_x in self.paths_t[left].items():
                for y, ways_y in self.paths_t[right].items():
                    for a in ways_x:
                        for b in ways_y:
                            joint = ClimbPath(a.score + b.score, 0, a.nulls | b.nulls, a.edges | b.edges | {f})
                            common_mothers.setdefault((x, y), []).append((v, joint))
            self.limits.clock.check()
        for (x, y), entries in list(common_mothers.items()):
            common_mothers[y, x] = entries
        return common_mothers

    def _run(self) -> None:
        problem = self.problem
        leaf = problem.src.arrays.is_leaf.tolist()
        ends = problem.pair > -np.inf
        ends &= problem.src.arrays.is_leaf[:, None] | problem.tgt.arrays.is_leaf[None, :]
        paths: list[Paths] = [{} for _ in leaf]
        a = problem.src.arrays
        by_node: list[list[tuple[int, int, int]]] = [[] for _ in leaf]
        for e, (u, left, right) in enumerate(
            zip(a.edge_parent.tolist(), a.edge_left.tolist(), a.edge_right.tolist(), strict=True)
        ):
            by_node[u].append((e, left, right))
        for u in range(len(leaf)):
            self.limits.clock.check()
            candidates: dict[int, dict[Nodes, Support]] = {}
            for v in np.flatnonzero(ends[u]).tolist():
                self._pack(candidates, u, v, Support(self.pair[u][v], NONE, NONE, NONE, NONE, NONE))
            nested: list[tuple[float, int, int, Support]] = []
            for e, left, right in by_node[u]:
                self._align(u, e, paths[left], paths[right], candidates, nested)
            self._unpack(u, nested, candidates)
            self._keep(u, candidates)
            paths[u] = extend(u, by_node[u], paths, self.null_s, problem.gap, bool(self.packs[u]))

    def _align(self, u: int, e: int, lefts: Paths, rights: Paths, candidates: dict[int, dict[Nodes, Support]], nested: list[tuple[float, int, int, Support]]) -> None:  # fmt: skip
        """ALIGN for all aligned descendants left and right of u by edge e."""
        m, best, lca, row = self.width, self.best, self.lca, self.pair[u]
        for x, ways_x in lefts.items():
            for y, ways_y in rights.items():
                ways = [
                    ClimbPath(p.score + q.score, 0, p.nulls | q.nulls, p.edges | q.edges | {e}) for p in ways_x for q in ways_y
                ]
                for xt in self.packs[x]:
                    score_x, bits_x = best[x * m + xt], self.below_t[xt]
                    for yt in self.packs[y]:
                        joint = score_x + best[y * m + yt]
                        entries = lca.get((xt, yt))
                        if entries:
                            kids = frozenset((x * m + xt, y * m + yt))
                            for way in ways:
                                for v, other in entries:
                                    score = joint + way.score + other.score + row[v]
                                    if score > -math.inf:
                                        self._pack(candidates, u, v, Support(score, kids, way.nulls, other.nulls, way.edges, other.edges))  # fmt: skip
                        elif self.trace and (bits_x >> yt & 1 or self.below_t[yt] >> xt & 1):
                            hm, hn = (x * m + xt, y * m + yt) if bits_x >> yt & 1 else (y * m + yt, x * m + xt)
                            for way in ways:
                                start = Support(0.0, NONE, way.nulls, NONE, way.edges, NONE)
                                nested.append((joint + way.score, hm, hn, start))

    def _unpack(self, u: int, nested: list[tuple[float, int, int, Support]], candidates: dict[int, dict[Nodes, Support]]) -> None:  # fmt: skip
        """§4.3: pairs ⟨u,τm⟩ from kids whose targets nest."""
        if not nested or not self.trace:
            return
        nested.sort(key=lambda item: (-item[0], item[1], item[2]))
        if self.limits.traces and len(nested) > self.limits.traces:
            self.truncated = True
            del nested[self.limits.traces :]
        for _, hm, hn, start in nested:
            self.limits.clock.check()
            v = hm % self.width
            if self.pair[u][v] == -math.inf:
                continue
            for structure in self.trace(self, hn, hm):
                whole = Support(
                    0.0,
                    structure.kids,
                    structure.null_s | start.null_s,
                    structure.null_t,
                    structure.edges_s | start.edges_s,
                    structure.edges_t,
                )
                self._pack(candidates, u, v, whole._replace(score=self.value(u, v, whole)))

    def value(self, u: int, v: int, support: Support) -> float:
        """Score of ⟨u,v⟩ with this support."""
        score = self.pair[u][v] + math.fsum(self.best[kid] for kid in support.kids)
        score += math.fsum(self.null_s[x] for x in support.null_s) + math.fsum(self.null_t[x] for x in support.null_t)
        return float(score) - (self.problem.noncomp if len(support.kids) != 2 else 0.0)

    def _pack(self, candidates: dict[int, dict[Nodes, Support]], u: int, v: int, support: Support) -> None:
        mix = self.problem.mix
        if mix:
            parse = math.log(mix) + self.problem.src.rho[u] + self.problem.tgt.rho[v]
            support = support._replace(score=float(np.logaddexp(math.log1p(-mix) + support.score, parse)))
        known = candidates.setdefault(v, {})
        old = known.get(support.kids)
        if old is None or support.score > old.score:
            known[support.kids] = support

    def _keep(self, u: int, candidates: dict[int, dict[Nodes, Support]]) -> None:
        """Prune once, after all supports of u are known; ⟨root,root⟩ always stays."""
        top = {v: max(s.score for s in known.values()) for v, known in candidates.items()}
        order = sorted(top, key=lambda v: (-top[v], v))
        if self.limits.beam and u != self.problem.src.root:
            order = order[: self.limits.beam]
        for v in order:
            supports = sorted(candidates[v].values(), key=lambda s: (-s.score, sorted(s.kids)))
            if self.limits.supports and len(supports) > self.limits.supports:
                supports = supports[: self.limits.supports]
            self.packs[u][v] = supports
            self.best[u * self.width + v] = supports[0].score

    def best_set(self) -> PhraseSet | None:
        """The best set; None when the root pair was not reached."""
        root = self.problem.src.root * self.width + self.problem.tgt.root
        if root not in self.best:
            return None
        pairs: list[tuple[int, int]] = []
        mothers: list[int] = []
        hanging: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        edges: tuple[set[int], set[int]] = (set(), set())
        stack = [(root, -1)]
        while stack:
            h, mother = stack.pop()
            here = len(pairs)
            u, v = divmod(h, self.width)
            pairs.append((u, v))
            mothers.append(mother)
            support = self.packs[u][v][0]
            hanging[0].extend((x, here) for x in sorted(support.null_s))
            hanging[1].extend((x, here) for x in sorted(support.null_t))
            edges[0].update(support.edges_s)
            edges[1].update(support.edges_t)
            stack.extend((kid, here) for kid in sorted(support.kids, reverse=True))
        return PhraseSet(
            tuple(pairs), tuple(mothers), tuple(hanging[0]), tuple(hanging[1]), tuple(sorted(edges[0])), tuple(sorted(edges[1])), self.best[root], True, self.truncated
        )  # fmt: skip


def edges_of(side: ForestSide) -> Iterator[tuple[int, int, int, int]]:
    """(parent, edge, left, right), children before parents."""
    a = side.arrays
    return zip(a.edge_parent.tolist(), range(len(a.edge_parent)), a.edge_left.tolist(), a.edge_right.tolist(), strict=True)


def below(side: ForestSide) -> list[int]:
    """For each node the set ds(·) of nodes that can stand below it, itself too, as bits of a number."""
    descendants = [1 << k for k in range(len(side.arrays.start))]
    for u, _, left, right in edges_of(side):
        descendants[u] |= descendants[left] | descendants[right]
    return descendants


def extend(u: int, edges: list[tuple[int, int, int]], paths: list[Paths], null: list[float], gap: int, aligned: bool) -> Paths:
    """L_d and R_d of all edges at once: the ways from u to its (aligned) descendants, one step longer than its children's.

    Of several ways to one descendant the best is kept; with a bound on generations, the best for each length.
    """
    new_paths: Paths = {u: [HERE]} if aligned else {}
    for e, left, right in edges:
        for child, other in ((left, right), (right, left)):
            for x, ways in paths[child].items():
                for way in ways:
                    if gap and way.gap + 1 >= gap:
                        continue
                    longer = ClimbPath(way.score + null[other], way.gap + 1, way.nulls | {other}, way.edges | {e})
                    known = new_paths.setdefault(x, [])
                    _better(known, longer, bool(gap))
    return new_paths


def _better(known: list[ClimbPath], new: ClimbPath, by_gap: bool) -> None:
    for k, old in enumerate(known):
        if not by_gap or old.gap == new.gap:
            if new.score > old.score:
                known[k] = new
            return
    known.append(new)


def all_paths(side: ForestSide, null: list[float], gap: int, usable: Nodes | None = None) -> list[Paths]:
    """The ways down from every node to the usable nodes (default: all) below it."""
    count = len(side.arrays.start)
    by_node: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
    for u, e, left, right in edges_of(side):
        by_node[u].append((e, left, right))
    paths: list[Paths] = [{} for _ in range(count)]
    for u in range(count):
        paths[u] = extend(u, by_node[u], paths, null, gap, usable is None or u in usable)
    return paths


class OverflowedError(Exception):
    """One unpacking took too many steps."""


class Trace:
    """The four functions of Algorithm C.1 on one array of packs; a budget of steps for each call from outside."""

    def __init__(self) -> None:
        self.left = 0
        self.ways: dict[tuple[int, int], ClimbPath] = {}

    def __call__(self, packs: Packs, hn: int, hm: int) -> Iterator[Support]:
        """Structures for a new pair over hm's target; none when the two are incompatible."""
        self.packs, self.m = packs, packs.width
        self.left = packs.limits.steps or 1 << 60
        try:
            yield from sorted(self._trace(hn, hm), key=lambda s: (sorted(s.kids), sorted(s.null_t), sorted(s.edges_t)))
        except OverflowedError:
            packs.truncated = True

    def _supports(self, h: int) -> list[Support]:
        return [s for s in self.packs.packs[h // self.m].get(h % self.m, ()) if s.kids]

    def _trace(self, hn: int, hm: int) -> set[Support]:
        """TRACE: put hn into each structure that hm's supports make; a pair without kids has none."""
        structures: set[Support] = set()
        for support in self._supports(hm):
            structures |= self._compatible(hn, {support._replace(score=0.0)})
        return structures

    def _compatible(self, hn: int, structures: set[Support]) -> set[Support]:
        """COMPATIBILITY: put hn into each of the structures."""
        target, below, m = hn % self.m, self.packs.below_t, self.m
        new_structures: set[Support] = set()
        for it in structures:
            self._step()
            home = next((x for x in it.null_t if below[x] >> target & 1), None)
            if home is not None:
                way = self._way(home, target)
                nulls = it.null_t - {home} | way.nulls
                new_structures.add(it._replace(kids=it.kids | {hn}, null_t=nulls, edges_t=it.edges_t | way.edges))
                continue
            inside = next((h for h in it.kids if below[h % m] >> target & 1), None)
            if inside is not None:
                for deeper in self._trace(hn, inside):
                    new_structures.add(merge_supports(it, deeper, inside))
                continue
            for support in self._supports(hn):  # τn straddles: it is dissolved, its kids go in one by one
                new_structures |= self._down(support, it)
        return new_structures

    def _down(self, support: Support, structure: Support) -> set[Support]:
        """DOWN: all kids of a dissolved pair into a structure; its source side comes along."""
        start = structure._replace(null_s=structure.null_s | support.null_s, edges_s=structure.edges_s | support.edges_s)
        structures = {start}
        for kid in sorted(support.kids):
            structures = self._compatible(kid, structures)
            if not structures:
                break
        return structures

    def _way(self, home: int, target: int) -> ClimbPath:
        """GAP: the best path from a null phrase down to a phrase in it, with the phrases left alone beside it."""
        if home == target:
            return HERE
        known = self.ways.get((home, target))
        if known is None:
            known = self.ways[home, target] = self._best_way(home, target)
        return known

    def _best_way(self, home: int, target: int) -> ClimbPath:
        a, null, below = self.packs.problem.tgt.arrays, self.packs.null_t, self.packs.below_t
        best: ClimbPath | None = None
        for e in range(int(a.edge_first[home]), int(a.edge_first[home + 1])):
            left, right = int(a.edge_left[e]), int(a.edge_right[e])
            for child, other in ((left, right), (right, left)):
                if below[child] >> target & 1:
                    way = self._way(child, target)
                    score = way.score + null[other]
                    if best is None or score > best.score:
                        best = ClimbPath(score, way.gap + 1, way.nulls | {other}, way.edges | {e})
        assert best is not None
        return best

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OverflowedError


def merge_supports(whole: Support, part: Support, gone: int) -> Support:
    """MERGE: `gone`, a kid of `whole`, is dissolved into `part`."""
    kids: Nodes = part.kids | whole.kids - {gone}
    return Support(
        0.0, kids, part.null_s | whole.null_s, part.null_t | whole.null_t, part.edges_s | whole.edges_s, part.edges_t | whole.edges_t
    )  # fmt: skip


def align(packs: Packs, hn: int, hm: int) -> Iterator[Support]:
    """`Trace` as the `trace` of one `Packs`, with its memory of paths."""
    trace: Trace = packs.__dict__.setdefault("_trace", Trace())
    return trace(packs, hn, hm)
