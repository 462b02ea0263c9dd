"""From a compositional set to a better, possibly non-compositional one on the same two trees, by hill climbing on links.

Departs: the paper unpacks supports (`noncomp`), which is exponential; this looks at the same sets H, those that links make, and
is bounded. It never returns a worse set than it was given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from divproj.phrases import hill_climbing
from divproj.phrases.problem import Ints, PhraseSet, Problem, Side

KICKS = 1 << 30
STEPS = 30_000_000
"""Phrases visited, a few nanoseconds each."""


@dataclass(frozen=True)
class Compact:
    """One tree of a forest in post-order."""

    nodes: Ints
    """The forest's number of each node."""
    left: Ints
    low: Ints
    mother: Ints
    edges: tuple[int, ...]

    @classmethod
    def of(cls, side: Side, edges: tuple[int, ...]) -> Compact:
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


def refine(problem: Problem, found: PhraseSet, both: bool = True, kicks: int = KICKS, steps: int = STEPS) -> PhraseSet:
    """The better of climbing from the source's point of view and, with `both`, from the target's."""
    best = _climbed(problem, found, kicks, steps)
    if both:
        other = _climbed(problem.turned, found.turned, kicks, steps)
        if other.score > best.score + 1e-9:
            best = other.turned
    return best


def _climbed(problem: Problem, found: PhraseSet, kicks: int, steps: int) -> PhraseSet:
    source, target = Compact.of(problem.src, found.edges_s), Compact.of(problem.tgt, found.edges_t)
    pair = np.ascontiguousarray(problem.pair[np.ix_(source.nodes, target.nodes)])
    link = np.full(len(source.left), -1, np.int32)
    places = [{int(node): k for k, node in enumerate(tree.nodes)} for tree in (source, target)]
    for k, (u, v) in enumerate(found.pairs):
        if not found.kids[k]:
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
    if not score > found.score + 1e-9:
        return found
    image = np.empty_like(link)
    hill_climbing.assemble.compiled(*source.three, *target.three, link, image, np.empty_like(image))
    return replace(set_of(source, target, image, link), score=score, truncated=found.truncated)


def set_of(source: Compact, target: Compact, image: Ints, link: NDArray[np.int32]) -> PhraseSet:
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


def _hanging(tree: Compact, number: dict[int, int], ends: set[int]) -> tuple[tuple[int, int], ...]:
    """Maximal phrases without a pair, each with the number of the pair it hangs below."""
    count = [0] * len(tree.left)
    for k in range(len(tree.left)):
        count[k] = int(k in number) + (count[int(tree.left[k])] + count[k - 1] if tree.left[k] >= 0 else 0)
    found = []
    stack = [(len(tree.left) - 1, -1)]
    while stack:
        k, owner = stack.pop()
        if not count[k]:
            found.append((int(tree.nodes[k]), owner))
            continue
        owner = number.get(k, owner)
        if k not in ends and tree.left[k] >= 0:
            stack += [(k - 1, owner), (int(tree.left[k]), owner)]
    return tuple(found)
