"""Inference on forests: number of trees, the best, the k best, samples, marginals; pruning and normalising by marginals.

The kernels take the arrays of `ForestArrays`.
Edges of node v are first[v] … first[v+1]-1; children have lower numbers than parents; weights are logarithms.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ProjError
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.runtime.jit import Kernel, kernel


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1])")
def inside_kernel(first, left, right, weight, out):  # type: ignore[no-untyped-def]
    """log β(v) = log Σ_e exp(w_e + log β(left) + log β(right)); leaves have 0."""
    for v in range(len(first) - 1):
        low, high = first[v], first[v + 1]
        if low == high:
            out[v] = 0.0
            continue
        top = -np.inf
        for e in range(low, high):
            value = weight[e] + out[left[e]] + out[right[e]]
            if value > top:
                top = value
        if top == -np.inf:
            out[v] = top
            continue
        total = 0.0
        for e in range(low, high):
            total += np.exp(weight[e] + out[left[e]] + out[right[e]] - top)
        out[v] = top + np.log(total)


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1], f8[::1])")
def marginals_kernel(first, left, right, weight, beta, root, node, edge):  # type: ignore[no-untyped-def]
    """ρ of nodes and edges: the share of all trees, by weight, that have them. `beta` is from `inside`.

    Top down: ρ(e) = ρ(v) · exp(w_e + β(left) + β(right) − β(v)), ρ(child) = Σ ρ(e). Nothing overflows, outside values are not needed.
    """
    node[:] = 0.0
    edge[:] = 0.0
    if beta[root] == -np.inf:
        return
    node[root] = 1.0
    for v in range(root, -1, -1):
        if node[v] <= 0.0:
            continue
        for e in range(first[v], first[v + 1]):
            share = node[v] * np.exp(weight[e] + beta[left[e]] + beta[right[e]] - beta[v])
            edge[e] = share
            node[left[e]] += share
            node[right[e]] += share


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1])")
def outside_kernel(first, left, right, weight, beta, root, out):  # type: ignore[no-untyped-def]
    """log of the weight of all that lies around a node; −∞ for nodes that no tree has."""
    out[:] = -np.inf
    out[root] = 0.0
    for v in range(root, -1, -1):
        if out[v] == -np.inf:
            continue
        for e in range(first[v], first[v + 1]):
            a, b = left[e], right[e]
            around = out[v] + weight[e]
            out[a] = np.logaddexp(out[a], around + beta[b])
            out[b] = np.logaddexp(out[b], around + beta[a])


@kernel("void(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i4[::1])")
def best(first, left, right, weight, out, back):  # type: ignore[no-untyped-def]
    """Weight of the best tree below each node and its edge there (the first of equals), −1 at leaves."""
    for v in range(len(first) - 1):
        low, high = first[v], first[v + 1]
        back[v] = -1
        out[v] = 0.0 if low == high else -np.inf
        for e in range(low, high):
            value = weight[e] + out[left[e]] + out[right[e]]
            if back[v] < 0 or value > out[v]:
                out[v] = value
                back[v] = e


@kernel("i8(i4[::1], i4[::1], i4[::1], f8[::1], f8[::1], i8, f8[::1], i4[::1])")
def draw(first, left, right, weight, beta, root, probabilities, edges):  # type: ignore[no-untyped-def]
    """One tree at random by weight; fills `edges` with its edges, top down, and returns how many. `chances` are uniform in [0, 1)."""
    stack = np.empty(len(probabilities) + 1, np.int64)
    stack[0] = root
    high, count = 1, 0
    while high > 0:
        high -= 1
        v = stack[high]
        if first[v] == first[v + 1]:
            continue
        rest = probabilities[count]
        chosen = first[v + 1] - 1
        for e in range(first[v], first[v + 1]):
            rest -= np.exp(weight[e] + beta[left[e]] + beta[right[e]] - beta[v])
            if rest < 0.0:
                chosen = e
                break
        edges[count] = chosen
        count += 1
        stack[high] = right[chosen]
        stack[high + 1] = left[chosen]
        high += 2
    return count


@dataclass(frozen=True)
class Parse:
    """One tree: its log weight and its edges, as indices into `Forest.edges`, top down."""

    weight: float
    edges: tuple[int, ...]


@dataclass(frozen=True)
class Marginals:
    """ρ of each node and of each edge (in the order of `Forest.edges`), and the log of the sum over all trees."""

    log_sum: float
    node: NDArray[np.float64]
    edge: NDArray[np.float64]


def _run(kernel: Kernel[Any, Any], fast: bool) -> Callable[..., Any]:
    return kernel.compiled if fast else kernel.plain


def inside(forest: Forest, *, fast: bool = False) -> NDArray[np.float64]:
    """log β of every node; `fast` is for many forests: machine code that takes a moment to load."""
    a = forest.arrays
    beta = np.empty(len(forest))
    _run(inside_kernel, fast)(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, beta)
    return beta


def outside(forest: Forest, *, fast: bool = False) -> NDArray[np.float64]:
    """log of the weight around every node."""
    a = forest.arrays
    out = np.empty(len(forest))
    beta = inside(forest, fast=fast)
    _run(outside_kernel, fast)(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, beta, forest.root, out)
    return out


def marginals(forest: Forest, *, fast: bool = False) -> Marginals:
    """
    >>> leaves = tuple(Node(k, k + 1, "X") for k in range(3))
    >>> nodes = (*leaves, Node(0, 2, "L"), Node(1, 3, "R"), Node(0, 3, "S"))
    >>> two = Forest(("a", "b", "c"), nodes, (Edge(3, 0, 1), Edge(4, 1, 2), Edge(5, 3, 2, 0.0), Edge(5, 0, 4, np.log(3))), 5)
    >>> [round(float(x), 2) for x in marginals(two).node]
    [1.0, 1.0, 1.0, 0.25, 0.75, 1.0]
    """
    a = forest.arrays
    beta = inside(forest, fast=fast)
    node, edge = np.empty(len(forest)), np.empty(len(forest.edges))
    _run(marginals_kernel, fast)(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, beta, forest.root, node, edge)
    in_order = np.empty_like(edge)
    in_order[a.edge_order] = edge
    return Marginals(float(beta[forest.root]), np.minimum(node, 1.0), np.minimum(in_order, 1.0))


def viterbi(forest: Forest, *, fast: bool = False) -> Parse:
    """The tree of highest weight."""
    a = forest.arrays
    score, back = np.empty(len(forest)), np.empty(len(forest), dtype=np.int32)
    _run(best, fast)(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, score, back)
    edges, stack = [], [forest.root]
    while stack:
        e = back[stack.pop()]
        if e >= 0:
            edges.append(int(a.edge_order[e]))
            stack += [int(a.edge_right[e]), int(a.edge_left[e])]
    return Parse(float(score[forest.root]), tuple(edges))


def count_trees(forest: Forest) -> int:
    """How many trees there are, exactly."""
    counts = [0 if node.end - node.start > 1 else 1 for node in forest.nodes]
    for parent, edges in enumerate(forest.edges_of):
        for k in edges:
            edge = forest.edges[k]
            counts[parent] += counts[edge.left] * counts[edge.right]
    return counts[forest.root]


def sample(forest: Forest, count: int, seed: int, *, fast: bool = False) -> list[Parse]:
    """Trees drawn by weight, with replacement."""
    a = forest.arrays
    beta = inside(forest, fast=fast)
    if beta[forest.root] == -np.inf:
        raise ProjError("every tree of the forest has weight 0, none can be drawn", forest.where)
    probability = np.random.default_rng(seed)
    run = _run(draw, fast)
    parses = []
    for _ in range(count):
        edges = np.empty(len(forest.forms), dtype=np.int32)
        arrays = (a.edge_first, a.edge_left, a.edge_right, a.edge_weight)
        n = run(*arrays, beta, forest.root, probability.random(len(forest.forms)), edges)
        picked = edges[:n]
        parses.append(Parse(float(a.edge_weight[picked].sum()), tuple(int(k) for k in a.edge_order[picked])))
    return parses


def k_best(forest: Forest, k: int) -> Iterator[Parse]:
    """The k best trees, best first (Huang & Chiang 2005, algorithm 3: lazy; here without recursion)."""
    lazy = _KBestSearch(forest)
    for rank in range(k):
        if not lazy.ensure(forest.root, rank):
            return
        yield lazy.parse(rank)


class _KBestSearch:
    """Derivations of each node, made only when something above asks for them."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        a = forest.arrays
        self.best, back = np.empty(len(forest)), np.empty(len(forest), dtype=np.int32)
        best(a.edge_first, a.edge_left, a.edge_right, a.edge_weight, self.best, back)
        self.done: list[list[tuple[float, int, int, int]]] = [[] for _ in forest.nodes]  # (weight, edge, rank left, rank right)
        self.waiting: dict[int, list[tuple[float, int, int, int]]] = {}
        self.pending: dict[int, list[tuple[int, int, int]]] = {}
        self.seen: set[tuple[int, int, int]] = set()
        self.exhausted: set[int] = set()

    def _weight(self, node: int, rank: int) -> float:
        return float(self.best[node]) if rank == 0 else self.done[node][rank][0]

    def ensure(self, node: int, rank: int) -> bool:
        """Whether the node has a derivation of that rank; makes it when it can."""
        stack = [(node, rank)]
        while stack:
            v, r = stack[-1]
            if len(self.done[v]) > r or v in self.exhausted:
                stack.pop()
                continue
            if v not in self.waiting:
                self._start(v)
            wanted = self._next_pending(v)
            if wanted:
                stack.append(wanted)
            elif self.waiting[v]:
                item = heapq.heappop(self.waiting[v])
                self.done[v].append((-item[0], *item[1:]))
                _, e, i, j = item
                if e >= 0:
                    self.pending[v] = [(e, i + 1, j), (e, i, j + 1)]
            else:
                self.exhausted.add(v)
        return len(self.done[node]) > rank

    def _start(self, v: int) -> None:
        edges = self.forest.edges
        of_v = self.forest.edges_of[v]
        heap = [(-(edges[e].weight + float(self.best[edges[e].left] + self.best[edges[e].right])), e, 0, 0) for e in of_v]
        self.waiting[v] = heap or [(0.0, -1, 0, 0)]
        heapq.heapify(self.waiting[v])
        self.pending[v] = []

    def _next_pending(self, v: int) -> tuple[int, int] | None:
        """Moves neighbours of the last derivation to the heap; the (node, rank) that is needed first when one is not there."""
        while self.pending[v]:
            e, i, j = self.pending[v][-1]
            edge = self.forest.edges[e]
            for child, rank in ((edge.left, i), (edge.right, j)):
                if rank and len(self.done[child]) <= rank and child not in self.exhausted:
                    return child, rank
            self.pending[v].pop()
            there = all(rank == 0 or len(self.done[c]) > rank for c, rank in ((edge.left, i), (edge.right, j)))
            if there and (e, i, j) not in self.seen:
                self.seen.add((e, i, j))
                weight = edge.weight + self._weight(edge.left, i) + self._weight(edge.right, j)
                heapq.heappush(self.waiting[v], (-weight, e, i, j))
        return None

    def parse(self, rank: int) -> Parse:
        edges, stack = [], [(self.forest.root, rank)]
        while stack:
            v, r = stack.pop()
            self.ensure(v, r)
            _, e, i, j = self.done[v][r]
            if e >= 0:
                edges.append(e)
                stack += [(self.forest.edges[e].right, j), (self.forest.edges[e].left, i)]
        return Parse(self.done[self.forest.root][rank][0], tuple(edges))


def contains(forest: Forest, tree: Forest) -> bool:
    """Whether a tree (in the form `build` gives it) can be derived in the forest: all its nodes and edges, root to root.

    The root counts by its span alone, as n-best lists merge roots of different labels.
    """
    if forest.forms != tree.forms:
        return False
    alike: dict[Node, list[int]] = {}
    for k, node in enumerate(forest.nodes):
        alike.setdefault(node, []).append(k)
    matched: list[set[int]] = []  # nodes of the forest that derive each node of the tree
    for k, node in enumerate(tree.nodes):
        matches = [forest.root] if k == tree.root else alike.get(node, [])
        for e in tree.edges_of[k]:
            left, right = matched[tree.edges[e].left], matched[tree.edges[e].right]
            edges = forest.edges
            matches = [v for v in matches if any(edges[x].left in left and edges[x].right in right for x in forest.edges_of[v])]
        matched.append(set(matches))
    return bool(matched[tree.root])


def normalise(forest: Forest) -> Forest:
    """The same distribution over trees with weights that sum to one at every node: p(edge | parent)."""
    beta = inside(forest)
    edges = []
    for e in forest.edges:
        mass = float(beta[e.parent])
        weight = e.weight + float(beta[e.left] + beta[e.right]) - mass if mass > -np.inf else e.weight
        edges.append(Edge(e.parent, e.left, e.right, min(weight, 0.0)))
    return replace(forest, edges=tuple(edges))


def prune(forest: Forest, at_least: float = 0.0) -> Forest:
    """Only nodes and edges that some tree has, with a marginal of `at_least`; the best tree always stays.

    A node keeps its best edge when it keeps any, so every node left is complete.
    """
    rho = marginals(forest)
    reach = _reachable(forest)
    kept = {k for k, edge in enumerate(forest.edges) if reach[edge.parent] and rho.edge[k] >= max(at_least, 0.0)}
    kept |= set(viterbi(forest).edges)
    nodes: set[int] = set()
    edges: list[int] = []
    stack = [forest.root]
    while stack:
        v = stack.pop()
        if v in nodes:
            continue
        nodes.add(v)
        of_v = [k for k in forest.edges_of[v] if k in kept]
        if not of_v and forest.edges_of[v]:
            of_v = [max(forest.edges_of[v], key=lambda k: (rho.edge[k], -k))]
        edges += of_v
        stack += [x for k in of_v for x in (forest.edges[k].left, forest.edges[k].right)]
    return forest.subforest(sorted(nodes), edges)


def _reachable(forest: Forest) -> list[bool]:
    reach = [False] * len(forest)
    reach[forest.root] = True
    for v in range(forest.root, -1, -1):
        if reach[v]:
            for k in forest.edges_of[v]:
                reach[forest.edges[k].left] = reach[forest.edges[k].right] = True
    return reach
