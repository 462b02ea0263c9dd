"""Collects nodes and edges, equal ones once, and puts children before parents."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.runtime.logs import log_add


class Packer:
    """Nodes by key, edges by (parent, left, right); weights of equal edges are added as probabilities."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.keys: dict[Hashable, int] = {}
        self.weights: dict[tuple[int, int, int], float] = {}
        self.place: dict[int, int] = {}  # number here -> number in the forest made

    def node(self, node: Node, key: Hashable = None) -> int:
        """Its number; a node with the same key (by default the node itself) is the same."""
        found = self.keys.setdefault(node if key is None else key, len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append(node)
        return found

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
