"""A packed forest: phrases as nodes, binary hyperedges, children before parents.

*saw stars with telescopes* with both attachments of *with telescopes* (words are counted from 0):

    nodes    0 [0,1) saw    1 [1,2) stars    2 [2,3) with    3 [3,4) telescopes
             4 PP [2,4)     5 NP [1,4)       6 VP [0,2)      7 VP [0,4), the root
    edges    4 -> 2 3    5 -> 1 4    6 -> 0 1    7 -> 0 5    7 -> 6 4

Node 7 has two edges, so the forest has two trees. `Forest.check` says what is wrong where nodes and edges make no forest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import FormatError, Where

if TYPE_CHECKING:
    import networkx as nx
    import nltk


@dataclass(frozen=True)
class Node:
    """A phrase: words [start, end), counted from 0."""

    start: int
    end: int
    label: str
    """Category; of a collapsed unary chain the lowest member's."""
    head: int = -1
    """Word that is the lexical head, -1 when not known."""
    sem_head: int = -1
    """Word that is the semantic head: a content word."""
    virtual: bool = False
    """Made by binarisation; never in output."""
    labels: tuple[str, ...] = ()
    """All members of the collapsed unary chain, top to bottom; empty: `label` alone."""
    ids: tuple[str, ...] = ()
    """Their names in the file they were read from, where it has names."""

    @property
    def chain(self) -> tuple[str, ...]:
        """Labels from top to bottom, never empty."""
        return self.labels or (self.label,)

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


@dataclass(frozen=True)
class Edge:
    """A binary hyperedge: `parent` is made of `left` and `right`, `weight` is a logarithm."""

    parent: int
    left: int
    right: int
    weight: float = 0.0


class Arc(NamedTuple):
    """A dependency, words counted from 1 and the root 0, with its relation and its probability."""

    head: int
    dependent: int
    relation: str
    probability: float = 1.0


@dataclass(frozen=True)
class ForestArrays:
    """A forest for the numeric core; edges are sorted by parent."""

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    head: NDArray[np.int32]
    sem_head: NDArray[np.int32]
    is_leaf: NDArray[np.bool_]
    virtual: NDArray[np.bool_]
    edge_parent: NDArray[np.int32]
    edge_left: NDArray[np.int32]
    edge_right: NDArray[np.int32]
    edge_first: NDArray[np.int32]
    """Edges of node k are edge_first[k] … edge_first[k+1]-1; one entry more than nodes."""
    edge_weight: NDArray[np.float64]
    edge_order: NDArray[np.int32]
    """Place of each sorted edge in `Forest.edges`."""


@dataclass(frozen=True)
class Forest:
    """All parses of a sentence at once; a tree is a forest whose inner nodes have one edge each.

    A node with several edges is ambiguous. Children stand before their parents, every word has a leaf, and leaves
    (one-word phrases) have no edge. A word may have several leaves: one for each of its tags.
    """

    forms: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    root: int
    lemmas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sent_id: str = ""
    where: Where = field(default=Where(), compare=False)
    arcs: tuple[Arc, ...] = ()
    """Of a forest of dependency trees: the dependencies it is made of."""

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def arrays(self) -> ForestArrays:
        nodes, edges = self.nodes, self.edges
        parent = np.array([e.parent for e in edges], dtype=np.int32)
        order = np.argsort(parent, kind="stable").astype(np.int32)
        start = np.array([x.start for x in nodes], dtype=np.int32)
        end = np.array([x.end for x in nodes], dtype=np.int32)
        first = np.zeros(len(nodes) + 1, dtype=np.int32)
        np.cumsum(np.bincount(parent, minlength=len(nodes)), out=first[1:])
        return ForestArrays(
            start,
            end,
            np.array([x.head for x in nodes], dtype=np.int32),
            np.array([x.sem_head for x in nodes], dtype=np.int32),
            np.asarray(end - start == 1),
            np.array([x.virtual for x in nodes], dtype=np.bool_),
            parent[order],
            np.array([e.left for e in edges], dtype=np.int32)[order],
            np.array([e.right for e in edges], dtype=np.int32)[order],
            first,
            np.array([e.weight for e in edges], dtype=np.float64)[order],
            order,
        )

    @cached_property
    def edges_of(self) -> tuple[tuple[int, ...], ...]:
        """For each node the indices of its edges in `edges`."""
        edge_numbers: list[list[int]] = [[] for _ in self.nodes]
        for k, edge in enumerate(self.edges):
            edge_numbers[edge.parent].append(k)
        return tuple(map(tuple, edge_numbers))

    @property
    def is_tree(self) -> bool:
        """Whether there is no choice and nothing outside the one tree."""
        return len(self.edges) == len(self.forms) - 1 and len(self.nodes) == 2 * len(self.forms) - 1

    def text(self, node: int) -> str:
        """
        >>> Forest(("a", "b"), (Node(0, 1, "A"), Node(1, 2, "B"), Node(0, 2, "C")), (Edge(2, 0, 1),), 2).text(2)
        'a b'
        """
        return " ".join(self.forms[self.nodes[node].start : self.nodes[node].end])

    def check(self) -> Forest:
        """Itself; FormatError when the nodes and edges do not make a forest over `forms`."""

        fault = fault_of(self)
        if fault:
            raise FormatError(fault, Where(self.where.path, self.where.line, self.sent_id or self.where.sent_id))
        return self

    def tree(self, edges: Sequence[int]) -> Forest:
        """The tree that these edges (indices into `edges`) make below the root."""
        chosen = {self.edges[k].parent: k for k in edges}
        kept, stack = [], [self.root]
        while stack:
            node = stack.pop()
            kept.append(node)
            if node in chosen:
                edge = self.edges[chosen[node]]
                stack += [edge.left, edge.right]
        return self.subforest(kept, [chosen[node] for node in kept if node in chosen])

    def subforest(self, nodes: Sequence[int], edges: Sequence[int]) -> Forest:
        """The forest of these nodes and edges alone, in their present order."""
        kept = sorted(set(nodes))
        new = {old: k for k, old in enumerate(kept)}
        picked = (self.edges[k] for k in sorted(set(edges)))
        return Forest(
            self.forms,
            tuple(self.nodes[k] for k in kept),
            tuple(Edge(new[e.parent], new[e.left], new[e.right], e.weight) for e in picked),
            new[self.root],
            self.lemmas,
            self.tags,
            self.sent_id,
            self.where,
        )

    def brackets(self) -> Iterator[tuple[str, int]]:
        """The best tree as opening ("(", node), word ("w", word) and closing (")", node) signs; virtual nodes are left out.

        >>> f = Forest(("a", "b"), (Node(0, 1, "A"), Node(1, 2, "B"), Node(0, 2, "C")), (Edge(2, 0, 1),), 2)
        >>> [sign for sign, _ in f.brackets()]
        ['(', '(', 'w', ')', '(', 'w', ')', ')']
        """
        if self.is_tree:
            best = {e.parent: e for e in self.edges}
        else:
            from divproj.forest.parses import viterbi

            best = {self.edges[k].parent: self.edges[k] for k in viterbi(self).edges}
        stack: list[tuple[str, int]] = [("(", self.root)]
        while stack:
            sign, k = stack.pop()
            if sign != "(":
                yield sign, k
                continue
            node = self.nodes[k]
            if not node.virtual:
                yield "(", k
                stack.append((")", k))
            if k in best:
                stack += [("(", best[k].right), ("(", best[k].left)]
            else:
                stack.append(("w", node.start))

    def to_nltk(self) -> nltk.Tree:
        """The best tree with its unary chains, without virtual nodes."""
        import nltk

        stack: list[list[Any]] = [[]]
        for sign, k in self.brackets():
            if sign == "(":
                stack.append([])
            elif sign == "w":
                stack[-1].append(self.forms[k])
            else:
                kids = stack.pop()
                for label in reversed(self.nodes[k].chain):
                    kids = [nltk.Tree(label, kids)]
                stack[-1].append(kids[0])
        tree: nltk.Tree = stack[0][0]
        return tree

    @classmethod
    def from_nltk(cls, tree: nltk.Tree, **options: Any) -> Forest:
        """A forest of one tree; options are those of `build.from_tree`."""
        from divproj.forest.build import from_tree
        from divproj.forest.trees import PhraseTree

        return from_tree(PhraseTree.from_nltk(tree), **options)

    def to_networkx(self) -> nx.DiGraph[Any]:
        """A bipartite graph: nodes 0…, hyperedges ("edge", k) with arcs parent → edge → left, right."""
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph(root=self.root, forms=self.forms, sent_id=self.sent_id)
        for k, node in enumerate(self.nodes):
            graph.add_node(
                k, kind="phrase", label=node.label, labels=node.chain, start=node.start, end=node.end,
                head=node.head, sem_head=node.sem_head, virtual=node.virtual,
            )  # fmt: skip
        for k, edge in enumerate(self.edges):
            graph.add_node(("edge", k), kind="edge", weight=edge.weight)
            graph.add_edge(edge.parent, ("edge", k))
            graph.add_edge(("edge", k), edge.left, side="left")
            graph.add_edge(("edge", k), edge.right, side="right")
        return graph


def fault_of(forest: Forest) -> str:
    """What is wrong with it, "" for a sound forest."""
    n, count = len(forest.forms), len(forest.nodes)
    if not n:
        return "the sentence has no words"
    for name, row in (("lemmas", forest.lemmas), ("tags", forest.tags)):
        if row and len(row) != n:
            return f"{len(row)} {name} for {n} words, as many expected"
    if not 0 <= forest.root < count:
        return f"the root is node {forest.root}, but there are {count} nodes"
    for arc in forest.arcs:
        if not (0 <= arc.head <= n and 1 <= arc.dependent <= n and arc.head != arc.dependent):
            return f"an arc from word {arc.head} to word {arc.dependent}, words 1 to {n} and the root 0 expected"
    return _node_fault(forest, n) or _edge_fault(forest, count) or _whole_fault(forest, n)


def _node_fault(forest: Forest, n: int) -> str:
    for k, node in enumerate(forest.nodes):
        if not 0 <= node.start < node.end <= n:
            return f"node {k} spans [{node.start}, {node.end}), a part of [0, {n}) expected"
        for name, head in (("head", node.head), ("semantic head", node.sem_head)):
            if head != -1 and not node.start <= head < node.end:
                return f"the {name} of node {k} is word {head}, outside its span [{node.start}, {node.end})"
    return ""


def _edge_fault(forest: Forest, count: int) -> str:
    seen: set[tuple[int, int, int]] = set()
    for k, edge in enumerate(forest.edges):
        if not (0 <= edge.left < edge.parent < count and 0 <= edge.right < edge.parent):
            return f"edge {k} is {edge.parent} -> {edge.left} {edge.right}, children before their parent expected"
        parent, left, right = (forest.nodes[x] for x in (edge.parent, edge.left, edge.right))
        if (parent.start, parent.end, left.end) != (left.start, right.end, right.start):
            return (
                f"edge {k} joins [{left.start}, {left.end}) and [{right.start}, {right.end}), "
                f"which do not make [{parent.start}, {parent.end})"
            )
        if math.isnan(edge.weight) or edge.weight == math.inf:
            return f"the weight of edge {k} is {edge.weight}, a logarithm expected"
        key = (edge.parent, edge.left, edge.right)
        if key in seen:
            return f"edge {k} ({edge.parent} -> {edge.left} {edge.right}) stands twice"
        seen.add(key)
    return ""


def _whole_fault(forest: Forest, n: int) -> str:
    root = forest.nodes[forest.root]
    if root.span != (0, n):
        return f"the root spans [{root.start}, {root.end}), the whole sentence [0, {n}) expected"
    for k, (node, edges) in enumerate(zip(forest.nodes, forest.edges_of, strict=True)):
        if node.end - node.start > 1 and not edges:
            return f"node {k} spans {node.end - node.start} words and has no edge"
    missing = set(range(n)) - {node.start for node in forest.nodes if node.end - node.start == 1}
    return f"word {min(missing)} has no leaf" if missing else ""
