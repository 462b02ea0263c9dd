"""Non-compositional alignment: Algorithms 4.2 and C.1 on the packs of `packs`.

Source phrases x, y have a proper lowest common mother u, but their targets nest: τn lies in τm. If the kids of both pairs fit
together, ⟨u, τm⟩ is aligned with all of them as kids; pairs in the way are dissolved: their own alignment
disappears, their kids stay. Departs: C.1, lines 8-9, returns TRACE(τn,ψ) alone and so loses the siblings of ψ; here they are
merged as in line 29. All arguments are pairs, so that a target aligned with two sources has separate supports.
"""

from __future__ import annotations

from collections.abc import Iterator

from divproj.phrases.beam_search import HERE, Nodes, Packs, Path, Support


class OverflowedError(Exception):
    """One unpacking took too many steps."""


class Trace:
    """The four functions of Algorithm C.1 on one array of packs; a budget of steps for each call from outside."""

    def __init__(self) -> None:
        self.left = 0
        self.ways: dict[tuple[int, int], Path] = {}

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
        found: set[Support] = set()
        for support in self._supports(hm):
            found |= self._compatible(hn, {support._replace(score=0.0)})
        return found

    def _compatible(self, hn: int, structures: set[Support]) -> set[Support]:
        """COMPATIBILITY: put hn into each of the structures."""
        target, below, m = hn % self.m, self.packs.below_t, self.m
        found: set[Support] = set()
        for it in structures:
            self._step()
            home = next((x for x in it.null_t if below[x] >> target & 1), None)
            if home is not None:
                way = self._way(home, target)
                nulls = it.null_t - {home} | way.nulls
                found.add(it._replace(kids=it.kids | {hn}, null_t=nulls, edges_t=it.edges_t | way.edges))
                continue
            inside = next((h for h in it.kids if below[h % m] >> target & 1), None)
            if inside is not None:
                for deeper in self._trace(hn, inside):
                    found.add(merged(it, deeper, inside))
                continue
            for support in self._supports(hn):  # τn straddles: it is dissolved, its kids go in one by one
                found |= self._down(support, it)
        return found

    def _down(self, support: Support, structure: Support) -> set[Support]:
        """DOWN: all kids of a dissolved pair into a structure; its source side comes along."""
        start = structure._replace(null_s=structure.null_s | support.null_s, edges_s=structure.edges_s | support.edges_s)
        found = {start}
        for kid in sorted(support.kids):
            found = self._compatible(kid, found)
            if not found:
                break
        return found

    def _way(self, home: int, target: int) -> Path:
        """GAP: what hangs off the best path from a null phrase down to a phrase in it."""
        if home == target:
            return HERE
        known = self.ways.get((home, target))
        if known is None:
            known = self.ways[home, target] = self._best_way(home, target)
        return known

    def _best_way(self, home: int, target: int) -> Path:
        a, null, below = self.packs.problem.tgt.arrays, self.packs.null_t, self.packs.below_t
        best: Path | None = None
        for e in range(int(a.edge_first[home]), int(a.edge_first[home + 1])):
            left, right = int(a.edge_left[e]), int(a.edge_right[e])
            for child, other in ((left, right), (right, left)):
                if below[child] >> target & 1:
                    way = self._way(child, target)
                    score = way.score + null[other]
                    if best is None or score > best.score:
                        best = Path(score, way.gap + 1, way.nulls | {other}, way.edges | {e})
        assert best is not None
        return best

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OverflowedError


def merged(whole: Support, part: Support, gone: int) -> Support:
    """MERGE: `gone`, a kid of `whole`, is dissolved into `part`."""
    kids: Nodes = part.kids | whole.kids - {gone}
    return Support(
        0.0, kids, part.null_s | whole.null_s, part.null_t | whole.null_t, part.edges_s | whole.edges_s, part.edges_t | whole.edges_t
    )  # fmt: skip


def align(packs: Packs, hn: int, hm: int) -> Iterator[Support]:
    """`Trace` as the `trace` of one `Packs`, with its memory of paths."""
    trace: Trace = packs.__dict__.setdefault("_trace", Trace())
    return trace(packs, hn, hm)
