"""Hashed features against a readable twin, and their scores."""

from __future__ import annotations

import numpy as np
import pytest
from feature_twin import Twin

from divproj.parsing import features, learn
from divproj.parsing.features import Batch, ParserInput
from divproj.parsing.parser import ROOM

FORMS = ("Gardeners", "sold", "1,250", "yellow", "roses")
TAGS = ("NOUN", "VERB", "NUM", "ADJ", "NOUN")
MORE = (("garden", "sell", "", "yellow", "rose"), ("PL", "PST", "", "", "PL"))
LONG = ("w", "words", "longer", "w", "w", "1.5", "w", "words", "w", "2", "lengthy", "w", "w")
LONG_TAGS = ("A", "B", "A", "C", "C", "D", "A", "B", "E", "E", "F", "A", "G")
COUNTS = """
 . 62 52 54 68 58
 . . 62 64 74 68
 . 62 . 50 64 54
 . 64 50 . 62 52
 . 74 64 62 . 62
 . 68 54 52 62 .
"""
"""Features of the edge from the row's word to the column's, the root first, of `FORMS`."""


def edge_ids(batch, h, c, mask):
    between, ids = np.empty(features.BETWEEN, np.int64), np.empty(features.PER_EDGE, np.int64)
    betweens = features.tags_between.compiled(batch.atoms, min(h, c), max(h, c), between)
    count = features.edge_ids.compiled(batch.atoms, batch.more, batch.codes, batch.slots, h, c, between, betweens, mask, ids)
    return ids[:count].tolist()


def edges(n):
    return [(h, c) for h in range(n + 1) for c in range(1, n + 1) if h != c]


def random_codes(n, slots):
    return np.random.default_rng(2).integers(0, 4, (n + 1, n + 1, slots)).astype(np.int32)


@pytest.mark.parametrize("bits", [10, 22, 28])
@pytest.mark.parametrize("more", [(), MORE])
@pytest.mark.parametrize("slots", [0, 3])
def test_places_of_an_edge(more, slots, bits):
    codes = random_codes(5, slots) if slots else None
    batch = Batch.of([ParserInput(FORMS, TAGS, more, codes)], len(more), slots)
    mask = (1 << bits) - 1
    twin = Twin(FORMS, TAGS, more, codes, mask)
    for h, c in edges(5):
        assert edge_ids(batch, h, c, mask) == [place for _, place in twin.edge(h, c)]


def test_places_of_long_edges():
    batch, twin = Batch.of([ParserInput(LONG, LONG_TAGS)]), Twin(LONG, LONG_TAGS)
    for h, c in edges(len(LONG)):
        assert edge_ids(batch, h, c, twin.mask) == [place for _, place in twin.edge(h, c)]


def test_places_belong_to_a_version():
    """Weights in files are found by these places: a change of templates is a change of `VERSION`, so that older files are refused."""
    batch = Batch.of([ParserInput(FORMS, TAGS)])
    places = [place for h, c in edges(5) for place in edge_ids(batch, h, c, (1 << 22) - 1)]
    assert (features.VERSION, sum(places) % 1_000_003) == (1, 768226)


def test_how_many_features_an_edge_has():
    batch = Batch.of([ParserInput(FORMS, TAGS)])
    rows = [row.split() for row in COUNTS.strip().splitlines()]
    for h, c in edges(5):
        assert len(edge_ids(batch, h, c, (1 << 22) - 1)) == int(rows[h][c]), (h, c)


def test_every_name_is_given_once():
    twin = Twin(FORMS, TAGS, MORE, random_codes(5, 3))
    for h, c in edges(5):
        names = [name for name, _ in twin.edge(h, c)]
        assert len(names) == len(set(names))


def test_places_of_siblings():
    batch, twin = Batch.of([ParserInput(LONG, LONG_TAGS)]), Twin(LONG, LONG_TAGS)
    ids = np.empty(40, np.int64)
    for h, c in edges(len(LONG)):
        for s in range(h, c, 1 if c > h else -1):
            count = features.sibling_ids.compiled(batch.atoms, h, s, c, twin.mask, ids)
            assert ids[:count].tolist() == [place for _, place in twin.sibling(h, s, c)]


def test_places_of_grandparents():
    batch, twin = Batch.of([ParserInput(FORMS, TAGS)]), Twin(FORMS, TAGS)
    ids = np.empty(40, np.int64)
    for h, c in edges(5):
        for g in set(range(6)) - {h, c}:
            if h:
                count = features.grandparent_ids.compiled(batch.atoms, g, h, c, twin.mask, ids)
                assert ids[:count].tolist() == [place for _, place in twin.grandparent(g, h, c)]


def test_places_of_votes():
    batch, twin = Batch.of([ParserInput(FORMS, TAGS)]), Twin(FORMS, TAGS, mask=(1 << 15) - 1)
    ids = np.empty(5 * learn.VOTES, np.int64)
    for k in range(6):
        learn.vote_ids.compiled(batch.atoms, k, twin.mask, ids)
        assert ids.tolist() == [place for _, place in twin.votes(k)]


def test_scores_are_the_sums_of_weights():
    codes = random_codes(5, 2)
    batch = Batch.of([ParserInput(FORMS, TAGS, MORE, codes)], 2, 2)
    twin = Twin(FORMS, TAGS, MORE, codes, (1 << 12) - 1)
    weights = np.random.default_rng(1).normal(size=1 << 12).astype(np.float32)

    def total(found):
        return sum(float(weights[place]) for _, place in found)

    scores, siblings, grand = np.zeros((6, 6)), np.zeros((6, 6, 6), np.float32), np.zeros((6, 6, 6), np.float32)
    features.edge_scores.compiled(weights, batch.atoms, batch.more, batch.codes, 2, scores)
    features.sibling_scores.compiled(weights, batch.atoms, siblings)
    features.grandparent_scores.compiled(weights, batch.atoms, grand)
    for h, c in edges(5):
        assert scores[h, c] == pytest.approx(total(twin.edge(h, c)), abs=1e-4)
        for s in range(h, c, 1 if c > h else -1):
            expected = total(twin.sibling(h, s, c)) if h or s == h else 0.0
            assert siblings[h, s, c] == pytest.approx(expected, abs=1e-4)
        for g in set(range(6)) - {h, c} if h else ():
            assert grand[g, h, c] == pytest.approx(total(twin.grandparent(g, h, c)), abs=1e-4)


def test_tags_between_are_told_apart_up_to_a_bound():
    n = features.BETWEEN + 50
    batch = Batch.of([ParserInput(("w",) * n, tuple(f"T{k}" for k in range(n)))])
    between = np.empty(features.BETWEEN, np.int64)
    assert features.tags_between.compiled(batch.atoms, 0, n, between) == features.BETWEEN
    assert len(edge_ids(batch, 0, n, 1023)) <= features.PER_EDGE


def test_the_fullest_edge_has_room():
    """As many further columns and codes as the parser allows, and more tags between than are told apart."""
    n = features.BETWEEN + 2
    for columns, slots in ((ROOM // 16, 0), (0, ROOM // 4), (4, (ROOM - 64) // 4)):
        more = (("x",) * n,) * columns
        codes = np.ones((n + 1, n + 1, slots), np.int32) if slots else None
        batch = Batch.of([ParserInput(("longer",) * n, tuple(f"T{k}" for k in range(n)), more, codes)], columns, slots)
        count = len(edge_ids(batch, 1, n, 1023))
        assert count <= features.PER_EDGE
        assert count > features.PER_EDGE - 30
