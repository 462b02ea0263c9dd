"""Probabilities of edges against sums over all trees."""

from __future__ import annotations

import numpy as np
import pytest
from trees_by_force import all_trees, chances_by_force, projective_trees

from divproj.parsing import decode

SUMS = {
    "projective, plain": (decode.projective, projective_trees),
    "projective, compiled": (lambda *args: decode.projective.compiled(*args), projective_trees),
    "all": (decode.nonprojective, all_trees),
    "elimination, plain": (decode.elimination, all_trees),
    "elimination, compiled": (lambda *args: decode.elimination.compiled(*args), all_trees),
}


def filled(sums, scores):
    chances = np.full_like(scores, 7.0)
    return chances, sums(scores, chances)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("n", range(1, 6))
def test_sums_are_those_of_all_trees(name, n):
    sums, trees = SUMS[name]
    rng = np.random.default_rng(n)
    for spread in (0.1, 2.0, 8.0):
        scores = rng.normal(size=(n + 1, n + 1)) * spread
        chances, log_z = filled(sums, scores)
        expected, expected_z = chances_by_force(scores, trees(n))
        assert log_z == pytest.approx(expected_z, abs=1e-8)
        assert chances == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", SUMS)
def test_heads_of_a_word_sum_to_one(name):
    n = 12
    scores = np.random.default_rng(4).normal(size=(n + 1, n + 1)) * 3
    chances, _ = filled(SUMS[name][0], scores)
    assert chances[:, 1:].sum(axis=0) == pytest.approx(np.ones(n), abs=1e-9)
    assert chances[0].sum() == pytest.approx(1.0, abs=1e-9), "one root"
    assert not chances[:, 0].any(), "the root has no head"
    assert not chances.diagonal().any()


@pytest.mark.parametrize("name", SUMS)
def test_a_sentence_without_words(name):
    chances, log_z = filled(SUMS[name][0], np.zeros((1, 1)))
    assert log_z == 0.0
    assert not chances.any()


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("gap", [30.0, 300.0, 3000.0])
def test_words_that_would_head_each_other_by_far(name, gap):
    """The numbers of the Laplacian then cancel, and odds leave the range of floats."""
    sums, trees = SUMS[name]
    scores = np.random.default_rng(1).normal(size=(5, 5))
    scores[2, 3] += gap
    scores[3, 2] += gap
    scores[0] -= 2 * gap
    chances, log_z = filled(sums, scores)
    expected, expected_z = chances_by_force(scores, trees(4))
    assert log_z == pytest.approx(expected_z, rel=1e-9)
    assert chances == pytest.approx(expected, abs=1e-7)
