"""Bracket scores: what counts, baselines, the bound, significance."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.evaluation.brackets import (
    BracketScore,
    baselines,
    bracket_spans,
    f1_randomisation,
    left_branching,
    random_branching,
    right_branching,
    score_brackets,
    score_one,
    upper_bound,
)


def test_whole_sentences_count_and_words_do_not():
    score = score_one([(0, 1), (1, 3), (1, 3)], [(0, 3), (0, 2)], 3)
    assert (score.right, score.gold, score.system) == (1, 2, 2)
    assert (score.precision, score.recall, score.f1) == (50.0, 50.0, 50.0)
    empty = BracketScore()
    assert (empty.precision, empty.recall, empty.f1) == (0.0, 0.0, 0.0)


def test_sentences_of_one_word_are_left_out_and_lengths_told_apart():
    scores = score_brackets([(1, [], []), (2, [], [(0, 2)]), (12, [(0, 4)], left_branching(12))], limits=(10, 20))
    assert (scores.up_to[10].gold, scores.up_to[20].gold, scores.overall.gold) == (1, 3, 3)
    assert scores.as_json()["sentences"] == 2
    assert scores.sentences[0].system == 0


def trees(n):
    def grow(i, j):
        if j - i == 1:
            return [frozenset()]
        return [frozenset({(i, j)}) | a | b for k in range(i + 1, j) for a, b in itertools.product(grow(i, k), grow(k, j))]

    return grow(0, n)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.data())
def test_no_binary_tree_is_above_the_bound(n, data):
    gold = bracket_spans(data.draw(st.sampled_from(trees(n))), n)
    kept = data.draw(st.sets(st.sampled_from(sorted(gold))))
    bound = upper_bound(kept, n)
    scores = [score_one(kept, tree, n).f1 for tree in trees(n)]
    assert max(scores) == pytest.approx(bound.f1)
    assert all(
        len(tree) == n - 1 for tree in (left_branching(n), right_branching(n), random_branching(n, np.random.default_rng(0)))
    )


def test_crossing_gold_brackets_lower_the_bound():
    assert upper_bound([(0, 2), (1, 3)], 3).right == 2


def test_baselines():
    rows = [(3, [(1, 3)], ()), (4, [(0, 2), (2, 4)], ())]
    found = baselines(rows)
    assert found["right"].overall.right == 4
    assert found["left"].overall.right == 3
    assert found["upper bound"].overall.recall == 100
    assert baselines(rows)["random"].overall.f1 == found["random"].overall.f1


def test_significance():
    good, bad = [BracketScore(3, 3, 3)] * 30, [BracketScore(1, 3, 3)] * 30
    assert f1_randomisation(good, bad, rounds=500) < 0.01
    assert f1_randomisation(good, good, rounds=500) == 1.0
    with pytest.raises(ValueError, match="30 and 1 sentences, the same number expected"):
        f1_randomisation(good, bad[:1])
