"""What is known of F before phrases are aligned, as scores of edges for the chart: a forest of F."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import Forest
from divproj.forest.parses import marginals
from divproj.projection.settings import CROSSED_BORDER, EVIDENCE_SHARE, UNKNOWN_EDGE

Floats = NDArray[np.float64]


def of_chances(chances: Floats) -> Floats:
    """Scores from probabilities of edges [h, c], words counted from 1, place 0 the root."""
    return EVIDENCE_SHARE * np.log(np.maximum(chances, UNKNOWN_EDGE))


def of_forest(forest: Forest, *, fast: bool = False) -> Floats:
    """Scores of all edges [h, c] from a packed forest of the sentence.

    Headed phrases (a parser's chart) give probabilities of edges. Phrases without heads (an induced grammar's chart, brackets)
    give expected borders: the fewer phrases hold one end of an edge and not the other, the nearer the two words are in the tree.
    """
    found = marginals(forest, fast=fast)
    if all(node.head >= 0 for node in forest.nodes):
        return of_chances(_edges(forest, found.edge))
    return -CROSSED_BORDER * _borders(forest, found.node)


def _edges(forest: Forest, chances: Floats) -> Floats:
    """Probabilities of dependencies: in a phrase of two parts one's head is the phrase's, the other hangs on it.

    All phrases over the whole sentence are one node, which names one head of perhaps several; where that is neither part's, both
    are taken as equally probable.
    """
    size = len(forest.forms) + 1
    made = np.zeros((size, size))
    for edge, chance in zip(forest.edges, chances, strict=True):
        left, right = (forest.nodes[part].head + 1 for part in (edge.left, edge.right))
        head = forest.nodes[edge.parent].head + 1
        ways = [(left, right)] if head == left else [(right, left)] if head == right else [(left, right), (right, left)]
        for h, c in ways:
            made[h, c] += chance / len(ways)
            if edge.parent == forest.root:
                made[0, h] += chance / len(ways)
    if size == 2:
        made[0, 1] = 1.0
    return made


def _borders(forest: Forest, chances: Floats) -> Floats:
    """Expected phrases of several words, virtual ones too, that hold one end of the edge and not the other; none at the root."""
    size = len(forest.forms) + 1
    holds = np.zeros((len(forest.nodes), size))
    for k, node in enumerate(forest.nodes):
        if node.end - node.start > 1:
            holds[k, node.start + 1 : node.end + 1] = 1.0
    both = (holds * chances[:, None]).T @ holds
    alone = np.diag(both)
    made = alone[:, None] + alone[None, :] - 2 * both
    made[0, :] = alone - alone.min()
    made[:, 0] = 0.0
    return made
