"""Scores: attachment, links, significance, folds."""

from __future__ import annotations

import pytest

import divproj as dp
from divproj import Corpus, DepTree, Links, Pair
from divproj.evaluation.experiment import approximate_randomisation, better, cross_families, cross_validate, make_folds
from divproj.evaluation.trees import LinkScore, las_kind, score_links, score_trees
from divproj.runtime.resources import folder

GOLD = DepTree(("a", "b", "c", "."), (2, 0, -1, 2), ("nsubj", "root", "obj", "punct"), ("NOUN", "VERB", "NOUN", "PUNCT"))


def test_attachment_skips_words_without_a_gold_head():
    system = GOLD.with_heads((2, 0, 2, 1), ("nsubj:pass", "root", "obj", "punct"))
    scores = score_trees([(GOLD, system, ("projected", "projected", "guess", "guess"), (0.9, 0.8, 0.7, 0.2))])
    assert (scores.overall.total, scores.overall.heads, scores.overall.labelled) == (3, 2, 2)
    assert scores.by_pos["VERB"].uas == 100.0
    assert scores.by_source["guess"].uas == 0.0
    assert scores.sentences == [(2, 3)]
    assert scores.calibration_error() == pytest.approx((abs(1 - 0.9) + abs(1 - 0.8) + abs(0 - 0.2)) / 3)


def test_punctuation_and_subtypes_are_choices():
    system = GOLD.with_heads((2, 0, 2, 1), ("nsubj:pass", "root", "obj", "punct"))
    scores = score_trees([(GOLD, system, (), ())], punctuation=False, subtypes=True)
    assert (scores.overall.total, scores.overall.labelled) == (2, 1)
    assert scores.calibration_error() is None


def test_one_las():
    """Every way to LAS compares universal relations and counts punctuation unless something else is requested."""
    f = DepTree(("a", "b", "."), (2, 0, 2), ("nsubj:pass", "root", "punct"), ("NOUN", "VERB", "PUNCT"))
    e = DepTree(("x", "y", "."), (2, 0, 2), ("nsubj", "root", "punct"), ("NOUN", "VERB", "PUNCT"))
    pairs = [Pair(f, e, Links(frozenset({(1, 1), (2, 2), (3, 3)}), (3, 3)), f"s{k}") for k in range(4)]
    trees = [pair.f.with_heads((2, 0, 2), ("nsubj", "root", "punct")) for pair in pairs]
    for subtypes, las in ((False, 100.0), (True, 200 / 3)):
        given = {"subtypes": True} if subtypes else {}
        scored = score_trees([(pair.f, tree, (), ()) for pair, tree in zip(pairs, trees, strict=True)], **given)
        folds = cross_validate(pairs, ["s1-r"], folds=2, **given)["s1-r"].scores
        family = cross_families({"a": pairs, "b": pairs}, {}, ["s1-r"], **given)["a"]["s1-r"].scores
        for scores in (scored, dp.evaluate(pairs, trees, **given), folds, family):
            assert (scores.overall.total, scores.las) == (12, pytest.approx(las))
    assert (las_kind(False), las_kind(True)) == ("universal", "subtypes")


def test_links_with_sure_and_possible():
    gold = Links(frozenset({(1, 1), (2, 2), (2, 3)}), (3, 3), frozenset({(2, 3)}))
    system = Links(frozenset({(1, 1), (2, 3), (3, 3)}), (3, 3))
    score = score_links([(gold, system)])
    assert (score.precision, score.recall) == (pytest.approx(200 / 3), 50.0)
    assert score.aer == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_empty_links_score_without_error():
    assert LinkScore().aer == 0.0
    assert LinkScore().f1 == 100.0


def test_a_clear_difference_is_significant_and_none_is_not():
    good, bad = [(9, 10)] * 30, [(5, 10)] * 30
    assert approximate_randomisation(good, bad, rounds=2000) < 0.01
    assert approximate_randomisation(good, good, rounds=200) == 1.0
    with pytest.raises(ValueError, match="30 and 29 sentences, the same number expected"):
        approximate_randomisation(good, bad[1:])


def test_folds_part_the_whole():
    parts = make_folds(23, 10, seed=3)
    assert sorted(i for part in parts for i in part) == list(range(23))
    assert parts == make_folds(23, 10, seed=3)
    assert parts != make_folds(23, 10, seed=4)


def test_cross_validation_counts_every_word_once():
    gold = list(Corpus.at(folder("corpora") / "hin-eng"))[:20]
    results = cross_validate(gold, ["s1-r", "s2-1", "s2+"], folds=4, seed=1)
    for result in results.values():
        assert result.scores.overall.total == sum(len(pair.f) for pair in gold)
        assert len(result.folds) == 4
    assert results["s2+"].scores.overall.uas > results["s1-r"].scores.overall.uas
    assert 0 < better(results, "s2+", "s1-r") <= 1
    small = cross_validate(gold, ["s2-1"], folds=4, seed=1, train_size=3)
    assert small["s2-1"].scores.overall.total == results["s2-1"].scores.overall.total
