"""What weighs beside the CCM: contradictions alone, and tags that seldom stand at an edge."""

from __future__ import annotations

import math

import numpy as np
import pytest

from divproj.core.errors import ModelError
from divproj.induction.ccm import CCM, NOTHING, edge_cue, edge_odds, span_weights
from divproj.induction.grammar import Inventory
from divproj.induction.inducer import BilingualInducer, TagArrays
from divproj.induction.reading import TagPair


def test_edge_odds_are_those_of_the_formula():
    text = ["DNV", "DNVDN", "NVD"]
    inventory, found = Inventory.learn(text)
    words, sentences = 11, 3
    firsts, lasts = edge_odds(found)
    for tag, begins, ends, there in (("D", 2, 1, 4), ("N", 1, 1, 4), ("V", 0, 1, 3)):
        place = int(inventory.read([tag]).yields[1])
        expected = there * sentences / words
        assert firsts[place] == pytest.approx(min(0.0, math.log((begins + 1) / (expected + 1))))
        assert lasts[place] == pytest.approx(min(0.0, math.log((ends + 1) / (expected + 1))))


def test_the_cue_is_against_inner_edges_alone():
    text = [*["DNVDN"] * 30, *["NVDAN"] * 30]
    _, found = Inventory.learn(text)
    firsts, lasts = edge_odds(found)
    assert min(firsts.min(), lasts.min()) >= -2.0
    grid = edge_cue(found)[: 6 * 6].reshape(6, 6)
    assert grid[0, 5] == 0.0  # the sentence itself
    assert grid[0, 2] == 0.0  # D N: sentences begin and end so
    assert grid[1, 4] < -1.0  # N V D: D never ends a sentence
    assert grid[1, 4] == pytest.approx(grid[0, 4] + grid[1, 5])
    assert (grid <= 0).all()


def test_links_weigh_against_what_they_contradict_and_for_nothing():
    bitext = TagArrays.of([TagPair(tuple("ABC"), tuple("DEF"), {(1, 1): 1.0, (2, 3): 1.0, (3, 2): 1.0})])
    made = span_weights(bitext.sides[0], bitext.kinds[0], 6.0, 0.0)
    grid = made.weights.reshape(4, 4)
    assert grid[0, 2] == -6.0  # A B: the link of C falls between theirs
    assert grid[1, 3] == grid[0, 3] == 0.0  # what links agree with has no reward
    assert made.conflicts(np.array([0 * 4 + 2, 1 * 4 + 3])) == 1
    assert not span_weights(bitext.sides[0], bitext.kinds[0], 0.0, 0.0).weights.any()
    assert not NOTHING.has_weights
    assert NOTHING.conflicts(np.array([1, 2])) == 0


def test_a_span_without_links_costs_nothing_where_most_links_are_gone():
    """The same text with half of its links: no span that lost its links is worse off than before."""
    links = {(1, 1): 1.0, (2, 2): 1.0, (3, 4): 1.0, (4, 3): 1.0}
    few = dict.fromkeys(list(links)[:2], 1.0)
    before, after = (
        span_weights(b.sides[0], b.kinds[0], 6.0, 0.0).weights
        for b in (TagArrays.of([TagPair(tuple("ABCD"), tuple("EFGH"), x)]) for x in (links, few))
    )
    assert (after >= before).all()
    assert after.sum() > before.sum()


def test_the_cue_decides_where_counts_cannot():
    """D begins phrases and never ends them: with the cue D goes with what follows."""
    text = ["DN", "VDN", "DNV", "DNVDN"] * 8
    model = CCM(sweeps=10, edges=3.0, random_state=2).fit(text)
    (tree,) = model.predict(["VDN"])
    assert tree == ((0, 3), (1, 3))
    with pytest.raises(ModelError, match="the edge cue is for the sampler; leave it out, or take the method gibbs"):
        CCM("em", edges=1.0).fit(text)
    pairs = [TagPair(tuple("VDN"), tuple("VDN")), TagPair(tuple("DN"), tuple("DN"))] * 4
    cued, paper = (BilingualInducer(sweeps=2, edges=x, contradiction=0.0).fit(pairs) for x in (0.75, 0.0))
    assert any(x.weights.any() for x in cued.extra_)
    assert not any(x.weights.any() for x in paper.extra_)
