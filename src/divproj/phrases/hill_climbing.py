"""Improve a compositional set of phrase pairs by hill climbing on word links; the result may be non-compositional.

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

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from divproj.phrases import hill_climbing
from divproj.phrases.problem import ForestSide, Ints, PhraseSet, Problem
from divproj.runtime.jit import kernel

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
    score = float(hill_climbing.climb.compiled(*given, link, kicks, steps))
    if not score > phrase_set.score + 1e-9:
        return phrase_set
    image = np.empty_like(link)
    hill_climbing.assemble.compiled(*source.three, *target.three, link, image, np.empty_like(image))
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
