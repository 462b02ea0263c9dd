"""Legitimacy (Definition 3.2) of a found set as checks, with logα computed anew from the set alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divproj.phrases.problem import ForestSide, PhraseSet, Problem


@dataclass(frozen=True)
class Tree:
    """One tree of a forest: its nodes with their two children."""

    side: ForestSide
    children: dict[int, tuple[int, int]]
    nodes: frozenset[int]

    @classmethod
    def of(cls, side: ForestSide, edges: tuple[int, ...]) -> Tree:
        chosen = side.tree(edges)
        a = side.arrays
        children = {int(u): (int(a.edge_left[e]), int(a.edge_right[e])) for u, e in enumerate(chosen) if e >= 0}
        return cls(side, children, frozenset(np.flatnonzero(chosen > -2).tolist()))

    def span(self, node: int) -> tuple[int, int]:
        return int(self.side.arrays.start[node]), int(self.side.arrays.end[node])

    def within(self, x: int, y: int) -> bool:
        """Whether x ∈ ds(y); spans tell, since unary chains are collapsed."""
        (a, b), (c, d) = self.span(x), self.span(y)
        return c <= a and b <= d

    @cached_property
    def mother(self) -> dict[int, int]:
        return {child: u for u, pair in self.children.items() for child in pair}

    def lca(self, nodes: list[int]) -> int:
        low, high = min(self.span(x)[0] for x in nodes), max(self.span(x)[1] for x in nodes)
        node = nodes[0]
        while not (self.span(node)[0] <= low and high <= self.span(node)[1]):
            node = self.mother[node]
        return node

    def hanging(self, top: int, kids: list[int]) -> list[int]:
        """Φ: the maximal phrases below `top` that hold no kid."""
        found, stack = [], [top]
        while stack:
            node = stack.pop()
            if node in kids:
                continue
            if node != top and not any(self.within(kid, node) for kid in kids):
                found.append(node)
            elif node in self.children:
                stack.extend(self.children[node])
        return sorted(found)


def log_alpha(problem: Problem, found: PhraseSet) -> float:
    """logα(H) from the pairs and trees alone, not from what the search noted."""
    source, target = Tree.of(problem.src, found.edges_s), Tree.of(problem.tgt, found.edges_t)
    total = 0.0
    kids_of = maximal_kids(found.pairs, source, target)
    for k, (u, v) in enumerate(found.pairs):
        kids = [found.pairs[x] for x in kids_of[k]]
        score = float(problem.pair[u, v])
        if kids:
            score += sum(float(problem.src.null[x]) for x in source.hanging(u, [a for a, _ in kids]))
            score += sum(float(problem.tgt.null[x]) for x in target.hanging(v, [b for _, b in kids]))
            score -= problem.noncomp if len(kids) != 2 else 0.0
        total += score
    return total


def maximal_kids(pairs: tuple[tuple[int, int], ...], source: Tree, target: Tree) -> list[list[int]]:
    """For each pair the maximal pairs strictly below it on both sides."""
    made = []
    for u, v in pairs:
        below = [k for k, (x, y) in enumerate(pairs) if x != u and y != v and source.within(x, u) and target.within(y, v)]
        made.append(
            [k for k in below if not any(g != k and source.within(pairs[k][0], pairs[g][0]) and target.within(pairs[k][1], pairs[g][1]) for g in below)]
        )  # fmt: skip
    return made


def faults(problem: Problem, found: PhraseSet, compositional: bool = False) -> list[str]:
    """What is not legitimate, by the numbers of the conditions; empty for a legitimate set.

    A set that is not `reachable` has a root pair that was put there; the count of its kids and their lowest common mother are not asked.
    """
    source, target = Tree.of(problem.src, found.edges_s), Tree.of(problem.tgt, found.edges_t)
    pairs, said = found.pairs, []
    if (problem.src.root, problem.tgt.root) not in pairs:
        said.append("1: the root pair is missing")
    if not ({u for u, _ in pairs} <= source.nodes and {v for _, v in pairs} <= target.nodes):
        return [*said, "2: a phrase lies outside the tree"]
    if len({u for u, _ in pairs}) < len(pairs) or len({v for _, v in pairs}) < len(pairs):
        said.append("4: a phrase is aligned twice")
    said += _monotonous(found, source, target)
    said += _relevant(problem, found, source, target)
    said += _frontier(found, source, target)
    if compositional:
        said += _compositional(found, source, target)
    if not problem.mix and not math.isclose(log_alpha(problem, found), found.score, rel_tol=1e-9, abs_tol=1e-9):
        said.append("10: logα differs from the score")
    return said


def _monotonous(found: PhraseSet, source: Tree, target: Tree) -> list[str]:
    for k, (u, v) in enumerate(found.pairs):
        for x, y in found.pairs[k + 1 :]:
            if source.within(x, u) != target.within(y, v) or source.within(u, x) != target.within(v, y):
                return ["5: a phrase lies in another on one side only"]
    return []


def _relevant(problem: Problem, found: PhraseSet, source: Tree, target: Tree) -> list[str]:
    said = []
    kids_of = maximal_kids(found.pairs, source, target)
    if [sorted(kids) for kids in kids_of] != [sorted(kids) for kids in found.kids]:
        said.append("3: mothers are not those of the nesting")
    for k, (u, v) in enumerate(found.pairs):
        ends = u not in source.children or v not in target.children
        forced = not found.reachable and (u, v) == (problem.src.root, problem.tgt.root)
        if forced:
            continue
        if ends and (kids_of[k] or problem.pair[u, v] == -math.inf):
            said.append("3: a pair with a leaf is no candidate, or has kids")
        if not ends and len(kids_of[k]) < 2:
            said.append("3: a pair of phrases has fewer than two kids")
    return said


def _frontier(found: PhraseSet, source: Tree, target: Tree) -> list[str]:
    said = []
    for side, tree, nulls in ((0, source, found.null_s), (1, target, found.null_t)):
        for k, pair in enumerate(found.pairs):
            kids = [found.pairs[x][side] for x in found.kids[k]]
            if not kids:
                continue
            alone = sorted(node for node, mother in nulls if mother == k)
            if alone != tree.hanging(pair[side], kids):
                said.append("7: nulls are not what hangs off the paths")
            words = sorted(w for node in kids + alone for w in range(*tree.span(node)))
            if words != list(range(*tree.span(pair[side]))):
                said.append("7: kids and nulls do not part the words of a phrase")
            forced = not found.reachable and found.mothers[k] < 0
            if len(kids) > 1 and not forced and tree.lca(kids) != pair[side]:
                said.append("7: a phrase is not the lowest common mother of its kids")
    return said


def _compositional(found: PhraseSet, source: Tree, target: Tree) -> list[str]:
    said = []
    pairs = set(found.pairs)
    for k, (u, v) in enumerate(found.pairs):
        if found.kids[k] and len(found.kids[k]) != 2:
            said.append("8: not exactly two kids")
        for x, y in found.pairs[k + 1 :]:
            apart = not (source.within(x, u) or source.within(u, x))
            if apart and (source.lca([u, x]), target.lca([v, y])) not in pairs:
                said.append("6a: the lowest common mothers of two pairs are not a pair")
    ends = sum(1 for kids in found.kids if not kids)
    if found.reachable and len(found.pairs) != 2 * ends - 1:
        said.append("9: |H| is not 2|W'| - 1")
    return said


def unused_links(problem: Problem, found: PhraseSet) -> list[tuple[int, int]]:
    """6b, a diagnosis: candidate pairs without kids that lie in nulls on both sides, so that they could be added."""
    source, target = Tree.of(problem.src, found.edges_s), Tree.of(problem.tgt, found.edges_t)
    free_s = {x for x in source.nodes if any(source.within(x, node) for node, _ in found.null_s)}
    free_t = {y for y in target.nodes if any(target.within(y, node) for node, _ in found.null_t)}
    return [
        (u, v)
        for u in sorted(free_s)
        for v in sorted(free_t)
        if (u not in source.children or v not in target.children) and problem.pair[u, v] > -math.inf
    ]
