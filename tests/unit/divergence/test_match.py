"""The match metric, eq. 10 and 11."""

from __future__ import annotations

import pytest
from corpusfiles import pair

from divproj import corpus_match, edge_classes, sent_match
from divproj.divergence.operations import is_match

HALF = pair((0, 1, 1), (0, 1), [(1, 1), (2, 2)])
WHOLE = pair((0, 1), (0, 1), [(1, 1), (2, 2)])
ONE_WORD = pair((0,), (0,), [(1, 1)])


def test_matched():
    assert is_match(2, 1, HALF)
    assert not is_match(3, 1, HALF)
    assert not is_match(1, 2, HALF)


def test_matched_needs_one_pair_of_images():
    many = pair((0, 1), (0, 1, 1), [(1, 2), (1, 1), (2, 2), (2, 3)])
    assert is_match(2, 1, many)


def test_edge_classes():
    assert edge_classes(HALF) == (None, "match", "unaligned")
    assert edge_classes(HALF.transpose) == (None, "match")


def test_sent_match():
    assert sent_match(HALF) == 0.5
    assert sent_match(HALF.transpose) == sent_match(WHOLE) == 1.0
    assert sent_match(ONE_WORD) == 1.0


def test_corpus_match_weighs_edges_not_sentences():
    assert corpus_match([HALF, WHOLE, ONE_WORD]) == pytest.approx(2 / 3)
    assert corpus_match(iter([HALF])) == 0.5
    assert corpus_match([]) == corpus_match([ONE_WORD]) == 1.0
