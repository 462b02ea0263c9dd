"""The K best trees against all trees, and forests."""

from __future__ import annotations

import numpy as np
import pytest
from toybank import SMALL, TOY
from trees_by_force import all_trees, is_projective, is_tree, projective_trees, tree_sum

from divproj.parsing import language
from divproj.parsing.features import ParserInput
from divproj.parsing.language import n_best
from divproj.parsing.parser import MstParser, Tables


class Scored:
    """A parser with random scores in the place of learned ones."""

    def __init__(self, n, seed, *, order, crossing):
        rng = np.random.default_rng(seed)
        self.crossing_ = crossing
        edges = rng.normal(size=(n + 1, n + 1)) * 2
        parts = rng.normal(size=(2, n + 1, n + 1, n + 1)).astype(np.float32)
        self.known = Tables(edges, parts[0] if order > 1 else None, parts[1] if order > 2 else parts[1][:0])

    def tables(self, sentence):
        return self.known

    def score(self, heads):
        return tree_sum(heads, self.known.edges, self.known.siblings, self.known.grand)


def ranked(parser, trees):
    return sorted(((parser.score(heads), heads) for heads in trees), reverse=True)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize(("order", "crossing"), [(1, False), (2, False), (1, True)])
def test_all_trees_in_order(n, order, crossing):
    for seed in range(3):
        parser = Scored(n, seed, order=order, crossing=crossing)
        expected = ranked(parser, all_trees(n) if crossing else projective_trees(n))
        found = n_best(parser, ParserInput(("w",) * n, ("X",) * n), len(expected) + 5)
        assert [heads for _, heads in found] == [heads for _, heads in expected]
        assert [score for score, _ in found] == pytest.approx([score for score, _ in expected], abs=1e-5)


def test_only_as_many_as_asked_for():
    parser = Scored(5, 1, order=2, crossing=False)
    expected = ranked(parser, projective_trees(5))[:7]
    assert [heads for _, heads in n_best(parser, ParserInput(("w",) * 5, ("X",) * 5), 7)] == [heads for _, heads in expected]


@pytest.mark.parametrize(("order", "crossing"), [(3, False), (2, True), (3, True)])
def test_climbing_finds_different_trees(order, crossing):
    parser = Scored(6, 2, order=order, crossing=crossing)
    found = [heads for _, heads in n_best(parser, ParserInput(("w",) * 6, ("X",) * 6), 12)]
    assert len(set(found)) == 12
    assert all(is_tree(heads) and (crossing or is_projective(heads)) for heads in found)


def test_no_words():
    assert n_best(Scored(0, 1, order=1, crossing=False), ParserInput((), ()), 3) == [(0.0, ())]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_tree_scores_the_sum_of_its_parts(order):
    parser = Scored(4, 3, order=order, crossing=True)
    for heads in all_trees(4):
        assert language._score(parser.known, heads) == pytest.approx(parser.score(heads), abs=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_of_a_trained_parser_the_first_is_its_own(order):
    parser = MstParser(order=order, **SMALL).fit(TOY)
    for tree in TOY:
        found = n_best(parser, ParserInput.of(tree), 3)
        assert found[0][1] == tree.heads
        scores = [score for score, _ in found]
        assert order == 3 or scores == sorted(scores, reverse=True)
