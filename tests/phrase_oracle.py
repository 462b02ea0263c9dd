"""Brute force for phrase alignment on small inputs: every 1-to-1 subset of the candidates, assembled into a set of pairs."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.phrases.problem import ForestSide, Problem


def random_tree(chance: random.Random, words: int) -> Forest:
    """A random binary tree over so many words."""
    nodes, edges = [], []

    def grow(low: int, high: int) -> int:
        if high - low > 1:
            middle = chance.randrange(low + 1, high)
            left, right = grow(low, middle), grow(middle, high)
            edges.append(Edge(len(nodes), left, right))
        nodes.append(Node(low, high, chance.choice("NVP"), head=low, sem_head=low))
        return len(nodes) - 1

    root = grow(0, words)
    return Forest(tuple(f"w{k}" for k in range(words)), tuple(nodes), tuple(edges), root)


def random_forest(chance: random.Random, words: int, more: int = 4) -> Forest:
    """A packed forest: the nodes of a few random trees over the same words, all edges that fit among some of them."""
    spans = {(k, k + 1) for k in range(words)} | {(0, words)}
    splits = set()
    for _ in range(more):
        tree = random_tree(chance, words)
        for edge in tree.edges:
            a, b = tree.nodes[edge.left], tree.nodes[edge.right]
            spans |= {a.span, b.span}
            splits.add((a.start, a.end, b.end))
    order = sorted(spans, key=lambda s: (s[1] - s[0], s))
    place = {span: k for k, span in enumerate(order)}
    edges = [
        Edge(place[a, c], place[a, b], place[b, c], -chance.random())
        for a, b, c in sorted(splits)
        if {(a, b), (b, c), (a, c)} <= spans
    ]
    nodes = tuple(Node(a, b, chance.choice("NVP"), head=a, sem_head=a) for a, b in order)
    return Forest(tuple(f"w{k}" for k in range(words)), nodes, tuple(edges), place[0, words])


def trees_of(forest: Forest, node: int | None = None):
    """All trees of a forest below a node, as {node: edge in sorted order}."""
    node = forest.root if node is None else node
    a = forest.arrays
    first, last = int(a.edge_first[node]), int(a.edge_first[node + 1])
    if first == last:
        yield {}
    for e in range(first, last):
        for left in trees_of(forest, int(a.edge_left[e])):
            for right in trees_of(forest, int(a.edge_right[e])):
                yield {node: e, **left, **right}


def side(forest: Forest, null, weight=None) -> ForestSide:
    arrays = forest.arrays
    zeros = np.zeros(len(arrays.edge_parent)) if weight is None else weight
    return ForestSide(arrays, forest.root, np.asarray(null, float), np.zeros(len(forest)), zeros)


def random_problem(seed: int, most: int = 6, forests: bool = False, noncomp: float | None = None) -> tuple[Problem, list]:
    """Random trees or forests, candidates and scores; the candidates come as node pairs."""
    chance = random.Random(seed)
    grow = random_forest if forests else random_tree
    src, tgt = (grow(chance, chance.randint(1 if most < 4 else 2, most)) for _ in range(2))
    return problem_of(chance, src, tgt, noncomp)


def problem_of(
    chance: random.Random, src: Forest, tgt: Forest, noncomp: float | None = None, links: int = 7
) -> tuple[Problem, list]:
    n, m = len(src), len(tgt)
    pair = np.log(np.array([[chance.uniform(0.01, 1) for _ in range(m)] for _ in range(n)]))
    leaves = [[k for k, node in enumerate(x.nodes) if node.end - node.start == 1] for x in (src, tgt)]
    possible = list(itertools.product(*leaves))
    chosen = sorted(chance.sample(possible, min(len(possible), chance.randint(0, links))))
    for u in range(n):
        for v in range(m):
            if (u in leaves[0] or v in leaves[1]) and (u, v) not in chosen:
                pair[u, v] = -np.inf
    cost = chance.uniform(0.2, 2.5)
    nulls = [[math.log(chance.uniform(0.01, 1)) - cost * (x.end - x.start) for x in f.nodes] for f in (src, tgt)]
    price = chance.choice([0.0, 0.5, 2.0]) if noncomp is None else noncomp
    return Problem(side(src, nulls[0]), side(tgt, nulls[1]), pair, price), chosen


class Tree:
    """A tree as the oracle wants it: children, spans."""

    def __init__(self, given: ForestSide, edges=None):
        a = given.arrays
        self.given, self.root = given, given.root
        edges = range(len(a.edge_parent)) if edges is None else edges.values()
        self.children = {int(a.edge_parent[e]): (int(a.edge_left[e]), int(a.edge_right[e])) for e in edges}
        self.mother = {c: u for u, pair in self.children.items() for c in pair}
        self.span = list(zip(a.start.tolist(), a.end.tolist(), strict=True))
        self.nodes = {self.root, *self.mother}

    def within(self, x, y):
        return self.span[y][0] <= self.span[x][0] and self.span[x][1] <= self.span[y][1]

    def lca(self, x, y):
        while not self.within(y, x):
            x = self.mother[x]
        return x


def assemble(source: Tree, target: Tree, chosen, compositional: bool):
    """The one set of pairs that a set of word links makes, or None."""
    image = dict(chosen)
    by_target = target.within

    def visit(u):
        """(top pair, all pairs) below u; None for no link; False for a failure."""
        if u in image:
            return (u, image[u]), {(u, image[u])}
        if u not in source.children:
            return None
        sides = [visit(child) for child in source.children[u]]
        if False in sides:
            return False
        if None in sides:
            return sides[0] or sides[1]
        (top_a, all_a), (top_b, all_b) = sides
        if not by_target(top_a[1], top_b[1]) and not by_target(top_b[1], top_a[1]):
            new = (u, target.lca(top_a[1], top_b[1]))
            return new, all_a | all_b | {new}
        if compositional:
            return False
        holder, other = (sides[0], sides[1]) if by_target(top_b[1], top_a[1]) else (sides[1], sides[0])
        v = holder[0][1]
        if holder[0] in set(chosen):
            return False
        keep_a, keep_b = set(holder[1]) - {holder[0]}, set(other[1])
        while True:
            clash = next(((x, y) for x in keep_a for y in keep_b if by_target(x[1], y[1]) or by_target(y[1], x[1])), None)
            if clash is None:
                break
            x, y = clash
            for pair, kept, container in ((x, keep_a, by_target(y[1], x[1])), (y, keep_b, by_target(x[1], y[1]))):
                if container:
                    if pair in set(chosen):
                        return False
                    kept.discard(pair)
        return (u, v), keep_a | keep_b | {(u, v)}

    made = visit(source.root)
    return made[1] if made else None


def score_of(problem: Problem, source: Tree, target: Tree, pairs) -> float:
    """logα(H) by definition."""
    total = 0.0
    for u, v in pairs:
        below = [(x, y) for x, y in pairs if (x, y) != (u, v) and source.within(x, u) and target.within(y, v)]
        kids = [p for p in below if not any(q != p and source.within(p[0], q[0]) and target.within(p[1], q[1]) for q in below)]
        total += problem.pair[u, v]
        if u not in source.children or v not in target.children:
            continue
        for tree, nulls, top, held in (
            (source, problem.src.null, u, [x for x, _ in kids]),
            (target, problem.tgt.null, v, [y for _, y in kids]),
        ):
            inside = [c for c in tree.nodes if c != top and tree.within(c, top)]
            free = [c for c in inside if not any(tree.within(k, c) or tree.within(c, k) for k in held)]
            total += sum(nulls[c] for c in free if not any(d != c and tree.within(c, d) for d in free))
        if len(kids) != 2:
            total -= problem.noncomp
    return float(total)


def sets(problem: Problem, chosen, compositional: bool = True, source: Tree | None = None, target: Tree | None = None):
    """Every legitimate set with the root pair, and its score."""
    source, target = source or Tree(problem.src), target or Tree(problem.tgt)
    links = [(u, v) for u, v in chosen if u in source.nodes and v in target.nodes]
    for size in range(1, len(links) + 1):
        for subset in itertools.combinations(links, size):
            if len({u for u, _ in subset}) < size or len({v for _, v in subset}) < size:
                continue
            pairs = assemble(source, target, subset, compositional)
            if pairs and (source.root, target.root) in pairs:
                yield pairs, score_of(problem, source, target, pairs)


def best(problem: Problem, chosen, compositional: bool = True) -> float:
    return max((score for _, score in sets(problem, chosen, compositional)), default=-math.inf)
