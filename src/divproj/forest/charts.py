"""Forests from charts of headed phrases, such as a projective dependency parser makes.

Collects nodes and edges, equal ones once, and puts children before parents.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import FormatError
from divproj.forest.heads import phrase_label
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.forest.parses import inside, normalise, prune
from divproj.runtime.jit import log_add


class Packer:
    """Nodes by key, edges by (parent, left, right); weights of equal edges are added as probabilities."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.keys: dict[Hashable, int] = {}
        self.weights: dict[tuple[int, int, int], float] = {}
        self.place: dict[int, int] = {}  # number here -> number in the forest made

    def node(self, node: Node, key: Hashable = None) -> int:
        """Its number; a node with the same key (by default the node itself) is the same."""
        number = self.keys.setdefault(node if key is None else key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def edge(self, parent: int, left: int, right: int, weight: float = 0.0) -> None:
        key = (parent, left, right)
        self.weights[key] = float(log_add(self.weights[key], weight)) if key in self.weights else weight

    def forest(self, forms: tuple[str, ...], root: int, **fields: Any) -> Forest:
        """Nodes by end, then by start from the right: of a tree, this is post-order."""
        order = sorted(range(len(self.nodes)), key=lambda k: (self.nodes[k].end, -self.nodes[k].start, k))
        new = {old: k for k, old in enumerate(order)}
        self.place = new
        edges = sorted((new[p], new[a], new[b], weight) for (p, a, b), weight in self.weights.items())
        nodes = tuple(self.nodes[k] for k in order)
        return Forest(forms, nodes, tuple(Edge(*edge) for edge in edges), new[root], **fields)


Item = tuple[int, int, int]
"""A headed phrase (start, end, head): words [start, end), all counted from 0."""
Combination = tuple[Item, Item, Item, float]
"""(parent, left, right, log weight); the parent's head is the head of left or right."""


def from_headed_chart(
    forms: Sequence[str],
    tags: Sequence[str],
    items: Iterable[Combination],
    *,
    lemmas: Sequence[str] = (),
    roots: dict[int, float] | None = None,
    sent_id: str = "",
    at_least: float = 0.0,
) -> Forest:
    """A forest of all trees that the combinations make.

    Each says that a phrase is made of two adjacent ones, with a log weight; one-word phrases (k, k+1, k) need no mention.
    The whole sentence may have several heads: `roots` gives a log weight to each (none: 0). All its phrases (0, n, h) become
    one root node. Combinations that no tree of the whole sentence uses are left out, and so are edges with a marginal below
    `at_least`. Weights come out normalised: the sum over all trees is 1.

    >>> chart = [((0, 2, 1), (0, 1, 0), (1, 2, 1), 0.0), ((0, 3, 1), (0, 2, 1), (2, 3, 2), 0.0)]
    >>> [(x.start, x.end, x.label, x.head) for x in from_headed_chart("a dog barks".split(), ["DT", "NN", "VBZ"], chart).nodes]
    [(0, 1, 'DT', 0), (1, 2, 'NN', 1), (0, 2, 'NP', 1), (2, 3, 'VBZ', 2), (0, 3, 'NP', 1)]
    """
    n = len(forms)
    packer = Packer()
    for k in range(n):
        packer.node(Node(k, k + 1, tags[k] if tags else "_", k, k), (k, k + 1, k))
    tops: list[tuple[int, int, int, float]] = []  # head, left, right, weight of each way to make the sentence
    for parent, left, right, weight in sorted(items):
        _check(parent, left, right, n)
        whole = parent[:2] == (0, n)
        if whole:
            weight += (roots or {}).get(parent[2], 0.0 if roots is None else -np.inf)
            if weight == -np.inf:
                continue
        numbers = [_number(packer, item, tags, n) for item in (parent, left, right)]
        if whole:
            tops.append((parent[2], numbers[1], numbers[2], weight))
        packer.edge(numbers[0], numbers[1], numbers[2], float(weight))
    if n == 1:
        return packer.forest(tuple(forms), 0, lemmas=tuple(lemmas), tags=tuple(tags), sent_id=sent_id)
    if not tops:
        raise FormatError(f"no combination of the chart makes the whole sentence (0, {n})")
    _drop_incomplete(packer)
    if not any(parent == packer.keys["root"] for parent, _, _ in packer.weights):
        raise FormatError(f"the chart has no complete tree over its {n} words")
    forest = packer.forest(tuple(forms), packer.keys["root"], lemmas=tuple(lemmas), tags=tuple(tags), sent_id=sent_id)
    head = _heaviest_head(forest, packer, tops)
    label = phrase_label(tags[head]) if tags else "X"
    nodes = list(forest.nodes)
    nodes[forest.root] = Node(0, n, label, head, head)
    return normalise(prune(replace(forest, nodes=tuple(nodes)), at_least))


def _check(parent: Item, left: Item, right: Item, n: int) -> None:
    for start, end, head in (parent, left, right):
        if not 0 <= start <= head < end <= n:
            raise FormatError(f"chart item ({start}, {end}, {head}): start ≤ head < end ≤ {n} expected")
    if (left[0], left[1], right[1]) != (parent[0], right[0], parent[1]) or parent[2] not in (left[2], right[2]):
        raise FormatError(
            f"chart items {left} and {right} do not make {parent}", remedy="spans must meet and the head be one of theirs"
        )


def _number(packer: Packer, item: Item, tags: Sequence[str], n: int) -> int:
    start, end, head = item
    key = "root" if (start, end) == (0, n) and n > 1 else item
    if key in packer.keys:
        return packer.keys[key]
    label = phrase_label(tags[head]) if tags else "X"
    return packer.node(Node(start, end, label, head, head), key)


def _drop_incomplete(packer: Packer) -> None:
    """Takes out edges over phrases that no combination makes."""
    complete = {k for k, node in enumerate(packer.nodes) if node.end - node.start == 1}
    for parent, left, right in sorted(packer.weights, key=lambda edge: packer.nodes[edge[0]].end - packer.nodes[edge[0]].start):
        if left in complete and right in complete:
            complete.add(parent)
    packer.weights = {edge: weight for edge, weight in packer.weights.items() if complete.issuperset(edge)}


def _heaviest_head(forest: Forest, packer: Packer, tops: Iterable[tuple[int, int, int, float]]) -> int:
    """The head of the sentence in most of its trees, by weight."""
    beta = inside(forest)
    mass: dict[int, float] = {}
    for head, left, right, weight in tops:
        if (packer.keys["root"], left, right) in packer.weights:
            more = weight + float(beta[packer.place[left]] + beta[packer.place[right]])
            mass[head] = float(log_add(mass[head], more)) if head in mass else more
    return max(mass, key=lambda head: (mass[head], -head))


def from_arc_scores(
    forms: Sequence[str],
    tags: Sequence[str],
    scores: NDArray[np.float64],
    *,
    keep: NDArray[np.bool_] | None = None,
    lemmas: Sequence[str] = (),
    sent_id: str = "",
    at_least: float = 0.0,
) -> Forest:
    """The packed projective forest of an arc-factored parser.

    `scores[h, d]` is the log weight of the arc from head h to dependent d, both counted from 1, row 0 the root; −∞ or `keep`
    False leaves an arc out. Heads take left dependents first, then right ones, so each dependency tree is made in one way.
    """
    n = len(forms)
    if scores.shape != (n + 1, n + 1):
        raise FormatError(f"arc scores of shape {scores.shape} for {n} words, ({n + 1}, {n + 1}) expected")
    usable = np.isfinite(scores) if keep is None else np.isfinite(scores) & keep
    combinations = _combinations(n, usable.tolist(), scores.tolist())
    roots = {k: float(scores[0, k + 1]) for k in range(n) if usable[0, k + 1]}
    return from_headed_chart(forms, tags, combinations, lemmas=lemmas, roots=roots, sent_id=sent_id, at_least=at_least)


def _combinations(n: int, usable: list[list[bool]], scores: list[list[float]]) -> list[Combination]:
    """All headed phrases that usable arcs make, left dependents first."""
    combinations: list[Combination] = []
    starting: list[dict[int, list[int]]] = [{k + 1: [k]} for k in range(n)]  # start -> end -> heads
    for end in range(2, n + 1):
        for start in range(end - 2, -1, -1):
            here: set[int] = set()
            for middle, heads in starting[start].items():
                if middle >= end or end not in starting[middle]:
                    continue
                for a in heads:
                    for b in starting[middle][end]:
                        if usable[a + 1][b + 1]:
                            here.add(a)
                            combinations.append(((start, end, a), (start, middle, a), (middle, end, b), scores[a + 1][b + 1]))
                        if b == end - 1 and usable[b + 1][a + 1]:
                            here.add(b)
                            combinations.append(((start, end, b), (start, middle, a), (middle, end, b), scores[b + 1][a + 1]))
            if here:
                starting[start][end] = sorted(here)
    wanted = {(0, n, head) for head in starting[0].get(n, ())}
    kept = []
    for combination in reversed(combinations):  # only what the whole sentence can be made of
        if combination[0] in wanted:
            wanted.update(combination[1:3])
            kept.append(combination)
    return kept
