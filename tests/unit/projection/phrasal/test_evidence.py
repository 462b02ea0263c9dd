"""Forests of F and learned corrections as scores of edges."""

from __future__ import annotations

import numpy as np
import pytest

from divproj import DepTree, Links
from divproj.forest import parses
from divproj.forest.dependencies import from_arc_scores
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.parsing.decode import projective
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import s5
from divproj.projection.phrasal.s5 import S5
from divproj.projection.systems import AdaptedSystem, TextEvidence


def test_headed_phrases_give_the_probabilities_of_edges():
    scores = np.random.default_rng(3).normal(size=(5, 5))
    forest = from_arc_scores(["a", "b", "c", "d"], ["X"] * 4, scores)
    made = s5._edges(forest, parses.marginals(forest).edge)
    assert made[:, 1:].sum() == pytest.approx(4)  # a head for each word; which ones are the sentence's is not kept apart
    scores[0] = [0.0, -1e9, 2.0, -1e9, -1e9]  # the second word is
    forest = from_arc_scores(["a", "b", "c", "d"], ["X"] * 4, np.where(scores < -1e8, -np.inf, scores))
    wanted = np.zeros((5, 5))
    projective.plain(scores, wanted)
    np.testing.assert_allclose(s5._edges(forest, parses.marginals(forest).edge)[:, 1:], wanted[:, 1:], atol=1e-9)


def test_phrases_without_heads_give_borders():
    [tree] = forests_of("(X (X (X a) (X b)) (X c))", "brackets", options=ForestOptions("head"))
    bare = Forest(tree.forms, tuple(Node(n.start, n.end, n.label) for n in tree.nodes), tree.edges, tree.root)
    found = s5.of_forest(bare) / -s5.CROSSED_BORDER
    assert found[1, 2] == 0  # inside one phrase
    assert found[1, 3] == found[3, 2] == 1  # out of it
    assert found[0, 3] < found[0, 1]  # the root's word is rather at the top


def test_one_word():
    lone = Forest(("a",), (Node(0, 1, "X", 0, 0),), (), 0)
    assert s5.of_forest(lone)[0, 1] == 0.0


def _bitext(forms: str) -> ProjectionInput:
    words = tuple(forms.split())
    return ProjectionInput(words, DepTree(("run",), (0,), ("root",), ("VERB",)), Links(frozenset({(1, 1)}), (len(words), 1)))


@pytest.mark.parametrize(("left", "heads"), [(True, (0, 1, 2)), (False, (0, 3, 1))])
def test_the_forest_decides_where_the_links_say_nothing(left: bool, heads: tuple[int, ...]):
    text = _bitext("lipa su ka")
    words = tuple(Node(k, k + 1, "X", k, k) for k in range(3))
    inner = Node(1, 3, "X", 1 if left else 2, 1 if left else 2)
    forest = Forest(text.forms, (*words, inner, Node(0, 3, "X", 0, 0)), (Edge(3, 1, 2), Edge(4, 0, 3)), 4)
    assert AdaptedSystem.to(S5(), [text], TextEvidence([forest])).project(text).heads == heads
