"""Whether nodes and edges make a forest, said in words when they do not."""

from __future__ import annotations

import math

from divproj.forest.hypergraph import Forest


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
