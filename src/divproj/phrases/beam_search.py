"""Searches for phrase alignments: the beam search of the paper, and hill climbing for non-compositional pairs.

**Beam search** is Algorithm B.1 of the paper's supplement, with non-compositional pairs (4.2 and C.1).
`Packs` goes through the source phrases bottom-up and keeps for each aligned pair ⟨u,v⟩ a list of supports: which pairs are
its kids, which phrases are left alone on the way to them, which edges are used. Pairs are numbered u·m + v, where the target
has m phrases. Without a beam the best score is that of `problem.fill`, which is faster; the competing supports are kept here
because `Trace` has to unpack them.

`Trace` makes non-compositional pairs. Source phrases x, y have the lowest common mother u, but their targets nest: τn lies
in τm. If the kids of both pairs fit together, ⟨u, τm⟩ is aligned with all of them as kids, and pairs in between are
dissolved: their own alignment is dropped, their kids stay. All arguments are pairs, so that a target aligned with two
sources has separate supports.

Departs: C.1, lines 8-9, returns TRACE(τn,ψ) alone and so loses the siblings of ψ; here they are merged as in line 29.

**Hill climbing** on word links improves a compositional set of phrase pairs; the result may be non-compositional.
`refine` takes a `PhraseSet` and returns a better one on the same two trees, never a worse one. `climb` changes one link, or
all links inside one phrase pair, at a time; `assemble` makes the set of phrase pairs that the links imply, `value` is its
score.

The kernels have arrays only. A tree is in post-order, so that the phrases below node k are low[k] … k; `left[k]` is -1 for
leaves and `right[k]` is k-1. A link is a pair without kids (two leaves, or a leaf and a phrase); links in use do not overlap
on either side.

Departs: the paper unpacks supports (`beam_search.Trace`), which is exponential; this searches the same sets H, those that
links make, and is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.phrases import beam_search
from divproj.phrases.problem import Clock, ForestSide, Ints, PhraseSet, Problem
from divproj.runtime.jit import kernel

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


TREE = "i4[::1], i4[::1], i4[::1]"
"""left, low, mother."""
CELLS = "f8[:, ::1]"


@kernel(f"b1({TREE}, {TREE}, i4[::1], i4[::1], i4[::1])")
def assemble(s_left, s_low, s_mother, t_left, t_low, t_mother, link, image, top):  # type: ignore[no-untyped-def]
    """Fill `image` (for each source phrase its target or -1) with the set that `link` makes; False when it makes none.

    Source phrases are visited bottom-up. Where both children hold pairs, the phrase is aligned with the lowest common mother of
    their targets; where one target holds the other, with that target, and pairs in the way are dissolved (§4.3).
    """
    n = len(s_left)
    for u in range(n):
        image[u] = link[u]
        top[u] = u if link[u] >= 0 else -1
        if s_left[u] < 0:
            continue
        a, b = top[s_left[u]], top[u - 1]
        if link[u] >= 0:
            if a >= 0 or b >= 0:
                return False
            continue
        if a < 0 or b < 0:
            top[u] = a if b < 0 else b
            continue
        top[u] = u
        va, vb = image[a], image[b]
        a_holds, b_holds = t_low[va] <= vb <= va, t_low[vb] <= va <= vb
        if not a_holds and not b_holds:
            v = va
            while not t_low[v] <= vb <= v:
                v = t_mother[v]
            image[u] = v
            continue
        if (a_holds and link[a] >= 0) or (b_holds and link[b] >= 0):
            return False
        image[u] = va if a_holds else vb
        if a_holds:
            image[a] = -1
        if b_holds:
            image[b] = -1
        for turn in range(2):  # pairs of one side whose target holds a link of the other side are dissolved
            mine, other = (a, b) if turn == 0 else (b, a)
            for y in range(s_low[other], other + 1):
                if link[y] < 0:
                    continue
                for x in range(s_low[mine], mine + 1):
                    if image[x] >= 0 and t_low[image[x]] <= link[y] <= image[x]:
                        if link[x] >= 0:
                            return False
                        image[x] = -1
    return image[n - 1] == len(t_left) - 1


@kernel("f8(i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], f8[::1], i4[::1])")
def alone(left, low, mother, held, link, null, count):  # type: ignore[no-untyped-def]
    """Score of the maximal phrases without a pair. `held` marks phrases in pairs, `link` those in pairs without kids."""
    n = len(left)
    for u in range(n):
        count[u] = 1 if held[u] else 0
        if left[u] >= 0:
            count[u] += count[left[u]] + count[u - 1]
    total = 0.0
    u = n - 1
    while u >= 0:
        if count[u] == 0:
            total += null[u]
            u = low[u] - 1
        elif link[u] or left[u] < 0:
            u = low[u] - 1
        else:
            u -= 1
    return total


@kernel(f"f8({TREE}, {TREE}, {CELLS}, f8[::1], f8[::1], f8, i4[::1], i4[::1], i4[:, ::1])")
def value(s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, noncomp, link, image, room):  # type: ignore[no-untyped-def]  # fmt: skip
    """logα of the set that the links make, -inf when they make none that has the root pair. `room` is scratch."""
    n, m = len(s_left), len(t_left)
    if not assemble(s_left, s_low, s_mother, t_left, t_low, t_mother, link, image, room[0]):
        return -np.inf
    held_s, held_t, ends_s, ends_t, kids = room[1], room[2], room[3], room[4], room[5]
    ends_s[:n], ends_t[:m], held_t[:m], kids[:n] = 0, 0, 0, 0
    total = 0.0
    owner = room[0]
    for u in range(n - 1, -1, -1):  # mothers before children
        mother = s_mother[u]
        if mother >= 0:
            owner[u] = mother if image[mother] >= 0 else owner[mother]
        held_s[u] = 0
        if image[u] >= 0:
            total += pair[u, image[u]]
            held_s[u] = held_t[image[u]] = 1
            if link[u] >= 0:
                ends_s[u] = ends_t[image[u]] = 1
            if mother >= 0:
                kids[owner[u]] += 1
    for u in range(n):
        if image[u] >= 0 and link[u] < 0 and kids[u] != 2:
            total -= noncomp
    total += alone(s_left, s_low, s_mother, held_s[:n], ends_s[:n], null_s, room[6])
    return total + alone(t_left, t_low, t_mother, held_t[:m], ends_t[:m], null_t, room[6])


@kernel(f"void({TREE}, {TREE}, {CELLS}, f8[::1], f8[::1], {CELLS}, {CELLS})")
def fill(s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, A, E):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """The compositional chart (`chart.best_rows`) of two trees."""
    for u in range(len(s_left)):
        lu, ru = s_left[u], u - 1
        for v in range(len(t_left)):
            lv, rv = t_left[v], v - 1
            best = pair[u, v]
            if lu >= 0 and lv >= 0:
                best += max(E[lu, lv] + E[ru, rv], E[lu, rv] + E[ru, lv])
            A[u, v] = best
            if lu >= 0:
                best = max(best, E[lu, v] + null_s[ru], E[ru, v] + null_s[lu])
            if lv >= 0:
                best = max(best, E[u, lv] + null_t[rv], E[u, rv] + null_t[lv])
            E[u, v] = best


@kernel(f"i8({TREE}, {TREE}, f8[::1], f8[::1], {CELLS}, {CELLS}, i8, i8, i4[::1], i4[:, ::1])")
def realign(s_left, s_low, s_mother, t_left, t_low, t_mother, null_s, null_t, A, E, u, v, link, stack):  # type: ignore[no-untyped-def]  # noqa: N803  # fmt: skip
    """Put the links of the best compositional set of ⟨u,v⟩ in the place of all that overlap with it; returns how many more there are."""
    gained = 0
    for x in range(len(s_left)):
        y = link[x]
        if y >= 0 and (s_low[u] <= x <= u or s_low[x] <= u <= x or t_low[v] <= y <= v or t_low[y] <= v <= y):
            link[x] = -1
            gained -= 1
    stack[0, 0], stack[0, 1] = u, v
    top, loose = 1, False
    while top > 0:
        top -= 1
        x, y = stack[top, 0], stack[top, 1]
        while loose:  # from the best pair inside ⟨x,y⟩ down to that pair
            best, a, b = A[x, y], x, y
            if s_left[x] >= 0:
                if E[s_left[x], y] + null_s[x - 1] > best:
                    best, a, b = E[s_left[x], y] + null_s[x - 1], s_left[x], y
                if E[x - 1, y] + null_s[s_left[x]] > best:
                    best, a, b = E[x - 1, y] + null_s[s_left[x]], x - 1, y
            if t_left[y] >= 0:
                if E[x, t_left[y]] + null_t[y - 1] > best:
                    best, a, b = E[x, t_left[y]] + null_t[y - 1], x, t_left[y]
                if E[x, y - 1] + null_t[t_left[y]] > best:
                    best, a, b = E[x, y - 1] + null_t[t_left[y]], x, y - 1
            if a == x and b == y:
                break
            x, y = a, b
        loose = True
        if s_left[x] < 0 or t_left[y] < 0:
            link[x] = y
            gained += 1
            continue
        lx, rx, ly, ry = s_left[x], x - 1, t_left[y], y - 1
        if E[lx, ry] + E[rx, ly] > E[lx, ly] + E[rx, ry]:
            ly, ry = ry, ly
        stack[top, 0], stack[top, 1] = lx, ly
        stack[top + 1, 0], stack[top + 1, 1] = rx, ry
        top += 2
    return gained


@kernel(f"f8({TREE}, {TREE}, {CELLS}, f8[::1], f8[::1], f8, i4[::1], i8, i8)")
def climb(s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, noncomp, link, kicks, steps):  # type: ignore[no-untyped-def]  # fmt: skip
    """Better links from those given, which are changed; returns the score of the set they make.

    A move drops a link, or aligns one phrase pair anew by the compositional chart, in the place of what overlaps with it; such a move
    that leaves fewer links than before is skipped (on 150 real pairs none helped). Moves that
    help are made until none does; then, up to `kicks` times, a word pair is linked by force and kept, and climbing goes on.
    About `steps` phrases are visited at most.
    """
    n, m = len(s_left), len(t_left)
    A, E = np.empty((n, m)), np.empty((n, m))
    fill(s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, A, E)
    image, room, stack = np.empty(n, np.int32), np.empty((7, max(n, m)), np.int32), np.empty((n + 2, 2), np.int32)
    best = value(s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, noncomp, link, image, room)
    now, now_link, try_link = best, link.copy(), link.copy()
    u, v, since, kicked, held = n - 1, m - 1, 0, 0, -1
    while steps > 0:
        # one cell after the other, larger phrases first, round and round
        v -= 1
        if v < 0:
            u, v = (u - 1 if u > 0 else n - 1), m - 1
        since += 1
        steps -= 1
        if A[u, v] > -np.inf:
            try_link[:] = now_link
            gained = 0
            if now_link[u] == v:
                try_link[u] = -1
            else:
                gained = realign(s_left, s_low, s_mother, t_left, t_low, t_mother, null_s, null_t, A, E, u, v, try_link, stack)
            score = -np.inf
            if gained >= 0 and (held < 0 or try_link[held] == now_link[held]):
                score = value(
                    s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, noncomp, try_link, image, room
                )
            steps -= 2 * (n + m)
            if score > now + 1e-9:
                now, since = score, 0
                now_link[:] = try_link
        if since < n * m:
            continue
        if now > best + 1e-9:
            best, kicked = now, 0
            link[:] = now_link
        since = 0
        has_kick = False
        while kicked < min(kicks, n * m) and not has_kick:
            x, y = kicked // m, kicked % m
            kicked += 1
            if s_left[x] < 0 and t_left[y] < 0 and A[x, y] > -np.inf and link[x] != y:
                now_link[:] = link
                realign(s_left, s_low, s_mother, t_left, t_low, t_mother, null_s, null_t, A, E, x, y, now_link, stack)
                held = x
                now = value(
                    s_left, s_low, s_mother, t_left, t_low, t_mother, pair, null_s, null_t, noncomp, now_link, image, room
                )
                has_kick = True
        if not has_kick:
            break
    if now > best + 1e-9:
        best = now
        link[:] = now_link
    return best


KICKS = 1 << 30
STEPS = 30_000_000
"""Phrases visited, a few nanoseconds each."""


@dataclass(frozen=True)
class PostorderTree:
    """One tree of a forest in post-order."""

    nodes: Ints
    """The forest's number of each node."""
    left: Ints
    low: Ints
    mother: Ints
    edges: tuple[int, ...]

    @classmethod
    def of(cls, side: ForestSide, edges: tuple[int, ...]) -> PostorderTree:
        chosen = side.tree(edges)
        a = side.arrays
        order: list[int] = []
        stack = [side.root]
        while stack:  # mother, right, left: reversed, it is post-order
            node = stack.pop()
            order.append(node)
            if chosen[node] >= 0:
                stack += [int(a.edge_left[chosen[node]]), int(a.edge_right[chosen[node]])]
        order.reverse()
        place = {node: k for k, node in enumerate(order)}
        left, low = np.full(len(order), -1, np.int32), np.arange(len(order), dtype=np.int32)
        mother = np.full(len(order), -1, np.int32)
        for k, node in enumerate(order):
            if chosen[node] >= 0:
                left[k] = place[int(a.edge_left[chosen[node]])]
                mother[left[k]] = mother[k - 1] = k
                low[k] = low[left[k]]
        used = tuple(int(e) for e in chosen[order] if e >= 0)
        return cls(np.array(order, np.int32), left, low, mother, tuple(sorted(used)))

    @property
    def three(self) -> tuple[Ints, Ints, Ints]:
        return self.left, self.low, self.mother


def refine(problem: Problem, phrase_set: PhraseSet, both: bool = True, kicks: int = KICKS, steps: int = STEPS) -> PhraseSet:
    """The better of climbing from the source's point of view and, with `both`, from the target's."""
    best = _climb_from_source(problem, phrase_set, kicks, steps)
    if both:
        other = _climb_from_source(problem.transpose, phrase_set.transpose, kicks, steps)
        if other.score > best.score + 1e-9:
            best = other.transpose
    return best


def _climb_from_source(problem: Problem, phrase_set: PhraseSet, kicks: int, steps: int) -> PhraseSet:
    source, target = PostorderTree.of(problem.src, phrase_set.edges_s), PostorderTree.of(problem.tgt, phrase_set.edges_t)
    pair = np.ascontiguousarray(problem.pair[np.ix_(source.nodes, target.nodes)])
    link = np.full(len(source.left), -1, np.int32)
    places = [{int(node): k for k, node in enumerate(tree.nodes)} for tree in (source, target)]
    for k, (u, v) in enumerate(phrase_set.pairs):
        if not phrase_set.kids[k]:
            link[places[0][u]] = places[1][v]
    given = (
        *source.three,
        *target.three,
        pair,
        problem.src.null[source.nodes],
        problem.tgt.null[target.nodes],
        problem.noncomp,
    )
    score = float(beam_search.climb.compiled(*given, link, kicks, steps))
    if not score > phrase_set.score + 1e-9:
        return phrase_set
    image = np.empty_like(link)
    beam_search.assemble.compiled(*source.three, *target.three, link, image, np.empty_like(image))
    return replace(set_of(source, target, image, link), score=score, truncated=phrase_set.truncated)


def set_of(source: PostorderTree, target: PostorderTree, image: Ints, link: NDArray[np.int32]) -> PhraseSet:
    """The set in which source phrase k is aligned with image[k], with mothers and nulls from the nesting."""
    top = len(source.left) - 1
    order = [k for k in range(top, -1, -1) if image[k] >= 0]
    number = {k: i for i, k in enumerate(order)}
    mothers = []
    for k in order:
        above = int(source.mother[k])
        while above >= 0 and image[above] < 0:
            above = int(source.mother[above])
        mothers.append(number[above] if above >= 0 else -1)
    back = {int(image[k]): i for k, i in number.items()}
    null_s = _hanging(source, number, {k for k in order if link[k] >= 0})
    null_t = _hanging(target, back, {int(image[k]) for k in order if link[k] >= 0})
    pairs = tuple((int(source.nodes[k]), int(target.nodes[image[k]])) for k in order)
    return PhraseSet(pairs, tuple(mothers), null_s, null_t, source.edges, target.edges, 0.0)


def _hanging(tree: PostorderTree, number: dict[int, int], ends: set[int]) -> tuple[tuple[int, int], ...]:
    """Maximal phrases without a pair, each with the number of the pair it hangs below."""
    count = [0] * len(tree.left)
    for k in range(len(tree.left)):
        count[k] = int(k in number) + (count[int(tree.left[k])] + count[k - 1] if tree.left[k] >= 0 else 0)
    nulls = []
    stack = [(len(tree.left) - 1, -1)]
    while stack:
        k, owner = stack.pop()
        if not count[k]:
            nulls.append((int(tree.nodes[k]), owner))
            continue
        owner = number.get(k, owner)
        if k not in ends and tree.left[k] >= 0:
            stack += [(k - 1, owner), (int(tree.left[k]), owner)]
    return tuple(nulls)
