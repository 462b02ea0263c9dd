"""Decoders against the best of all trees."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from trees_by_force import all_trees, edge_sum, is_projective, is_tree, projective_trees, tree_sum

from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.learn import climb

WAYS = pytest.mark.parametrize("way", ["plain", "compiled"])
TRIALS = 12


def found(kernel, way, *tables):
    heads = np.full(len(tables[0]), 99, np.int64)
    getattr(kernel, way)(*tables, heads)
    assert heads[0] == -1
    return tuple(heads[1:].tolist())


def random_scores(rng, n, spread=2.0):
    return rng.normal(size=(n + 1, n + 1)) * spread


def random_parts(rng, n):
    return rng.normal(size=(n + 1, n + 1, n + 1)).astype(np.float32)


@WAYS
@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize(("decoder", "trees"), [(eisner, projective_trees), (chu_liu_edmonds, all_trees)])
def test_the_best_tree_of_all(decoder, trees, n, way):
    rng = np.random.default_rng(n)
    for _ in range(TRIALS):
        scores = random_scores(rng, n)
        best = max(trees(n), key=lambda heads: edge_sum(scores, heads))
        assert found(decoder, way, scores) == best


@WAYS
@pytest.mark.parametrize("n", range(1, 6))
def test_the_best_tree_with_siblings(n, way):
    rng = np.random.default_rng(n)
    for _ in range(TRIALS):
        scores, siblings = random_scores(rng, n), random_parts(rng, n)
        best = max(projective_trees(n), key=lambda heads: tree_sum(heads, scores, siblings))
        assert found(eisner_siblings, way, scores, siblings) == best


@WAYS
def test_siblings_of_no_weight_change_nothing(way):
    rng = np.random.default_rng(0)
    for n in (6, 15):
        scores = random_scores(rng, n)
        none = np.zeros((n + 1, n + 1, n + 1), np.float32)
        assert found(eisner_siblings, way, scores, none) == found(eisner, way, scores)


@WAYS
@pytest.mark.parametrize("decoder", [eisner, chu_liu_edmonds])
def test_a_root_that_tempts_gets_one_word_all_the_same(decoder, way):
    scores = random_scores(np.random.default_rng(3), 8)
    scores[0] += 50.0
    heads = found(decoder, way, scores)
    assert is_tree(heads)


@WAYS
@pytest.mark.parametrize("decoder", [eisner, chu_liu_edmonds])
def test_equal_scores_make_a_tree(decoder, way):
    for n in range(8):
        heads = found(decoder, way, np.zeros((n + 1, n + 1)))
        assert is_tree(heads) or n == 0


@WAYS
def test_nested_cycles_are_opened(way):
    """1 ⇄ 2 and 3 ⇄ 4 would be heads of each other, and so would the two pairs; the root is far."""
    scores = np.full((5, 5), -20.0)
    scores[1, 2] = scores[2, 1] = scores[3, 4] = scores[4, 3] = 10.0
    scores[2, 3] = scores[4, 1] = 5.0
    scores[0, 1] = -1.0
    assert found(chu_liu_edmonds, way, scores) == (0, 1, 2, 3)


@WAYS
@pytest.mark.parametrize("n", [0, 1])
def test_no_words_and_one(n, way):
    scores = np.zeros((n + 1, n + 1))
    for decoder in (eisner, chu_liu_edmonds):
        assert found(decoder, way, scores) == (0,) * n
    assert found(eisner_siblings, way, scores, np.zeros((n + 1, n + 1, n + 1), np.float32)) == (0,) * n


class TestClimb:
    """Hill-climbing from the best projective tree with siblings."""

    @WAYS
    @pytest.mark.parametrize("crossing", [0, 1])
    @pytest.mark.parametrize("higher", [False, True])
    def test_it_never_comes_down(self, crossing, higher, way):
        rng = np.random.default_rng(5)
        for n in (1, 2, 3, 4, 5, 9):
            for _ in range(3):
                scores, siblings = random_scores(rng, n), random_parts(rng, n)
                grand = random_parts(rng, n) if higher else np.zeros((0, n + 1, n + 1), np.float32)
                start = found(eisner_siblings, way, scores, siblings)
                heads = np.array((-1, *start), np.int64)
                getattr(climb, way)(scores, siblings, grand, crossing, heads)
                end = tuple(heads[1:].tolist())
                assert is_tree(end)
                assert crossing or is_projective(end)
                assert tree_sum(end, scores, siblings, grand) >= tree_sum(start, scores, siblings, grand) - 1e-6
                assert higher or crossing or end == start, "the start was the best projective tree"

    @WAYS
    def test_no_single_step_is_better_where_it_ends(self, way):
        rng = np.random.default_rng(6)
        n = 5
        for _ in range(6):
            scores, siblings, grand = random_scores(rng, n), random_parts(rng, n), random_parts(rng, n)
            heads = np.array((-1, *found(eisner_siblings, way, scores, siblings)), np.int64)
            getattr(climb, way)(scores, siblings, grand, 1, heads)
            end = tuple(heads[1:].tolist())
            near = [
                tree
                for tree in all_trees(n)
                if sum(a != b for a, b in zip(tree, end, strict=True)) == 1 and tree.index(0) == end.index(0)
            ]
            top = max(tree_sum(tree, scores, siblings, grand) for tree in near)
            assert top <= tree_sum(end, scores, siblings, grand) + 1e-5


@pytest.mark.parametrize("n", [2, 7, 15, 30])
def test_the_maximum_spanning_arborescence_of_networkx(n):
    """For longer sentences than brute force can try; edges from the root are so dear that there is one."""
    rng = np.random.default_rng(n)
    for _ in range(3):
        scores = random_scores(rng, n)
        graph = nx.DiGraph()
        for head, child in itertools.permutations(range(n + 1), 2):
            if child:
                graph.add_edge(head, child, weight=scores[head, child] - 1e4 * (head == 0))
        best = nx.maximum_spanning_arborescence(graph)
        heads = {child: head for head, child in best.edges}
        assert found(chu_liu_edmonds, "plain", scores) == tuple(heads[child] for child in range(1, n + 1))
