"""Codes of edges against eqs. 12-13 written out."""

from __future__ import annotations

import random
from collections import deque

import numpy as np
import pytest
from corpusfiles import pair
from synthetic import random_pair

from divproj.projection.direct import REASONS, Projection, ProjectionInput, s1
from divproj.projection.parsers import EXTRAS, FEATURES, NO_LINKS, PAPER, codes, slots


def slowly(bitext, projected, name, h, c, chances=None):
    """The code (or codes) of one edge, each as its definition has it; word 0 is the root of both sides."""
    links = bitext.links.links
    e_heads = [max(head, 0) for head in bitext.e.heads]

    def images(word):
        return {0} if word == 0 else {j for i, j in links if i == word}

    def kind(word):
        count = len(images(word))
        return 0 if word == 0 else 1 if count == 1 else 2 if count == 0 else 3

    is_projected = c > 0 and projected.heads[c - 1] == h
    if name == "proj":
        return [is_projected]
    if name == "single":
        return [kind(h), kind(c)]
    if name == "match":
        return [any(e_heads[e_c - 1] == e_h for e_c in images(c) - {0} for e_h in images(h))]
    if name == "merge":
        return [h > 0 and c > 0 and bool(images(h) & images(c))]
    if name == "undirected":
        return [is_projected or (h > 0 and projected.heads[h - 1] == c)]
    if name == "distance":
        return [min(3, steps(projected.heads, h, c))]
    if name == "together":
        return [1 + 4 * kind(h) + kind(c) if is_projected else 0]
    if name == "confidence":
        sure = chances[h, c] if chances is not None else (projected.confidence or [0.6] * 99)[c - 1] * is_projected
        return [1 + sum(bound < sure for bound in (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97))]
    assert name == "reason"
    return [(1 + REASONS.index(projected.reasons[c - 1])) * (11 if is_projected else 1)]


def steps(heads, start, end):
    """Edges of the projected tree between two words."""
    far = {start: 0}
    waiting = deque([start])
    while waiting:
        word = waiting.popleft()
        near = [c for c, h in enumerate(heads, 1) if h == word] + ([heads[word - 1]] if word else [])
        for other in near:
            if other not in far:
                far[other] = far[word] + 1
                waiting.append(other)
    return far[end]


def random_bitexts(count):
    rng = random.Random(7)
    while count:
        found = random_pair(rng, rng.randint(1, 7), rng.randint(1, 7))
        if found.links.links:
            count -= 1
            yield ProjectionInput.of(found)


@pytest.mark.parametrize("name", FEATURES)
def test_each_code_is_as_defined(name):
    chance = np.random.default_rng(1)
    for number, bitext in enumerate(random_bitexts(25)):
        n1 = len(bitext) + 1
        projected = s1(bitext)
        if number % 3 == 0:
            projected = Projection(bitext, projected.heads, projected.reasons, tuple(chance.random(n1 - 1)))
        chances = chance.random((n1, n1)) if number % 3 == 1 else None
        found = codes(bitext, projected, (name,), chances)
        assert found.shape == (n1, n1, slots((name,)))
        for h in range(n1):
            for c in range(1, n1):
                if h != c:
                    assert found[h, c].tolist() == list(map(int, slowly(bitext, projected, name, h, c, chances)))


def test_slots_stand_in_the_order_of_the_features():
    for bitext in random_bitexts(5):
        projected = s1(bitext)
        whole = codes(bitext, projected, FEATURES)
        assert whole.shape[2] == slots(FEATURES) == len(FEATURES) + 1
        apart = np.concatenate([codes(bitext, projected, (name,)) for name in FEATURES], axis=2)
        assert (whole == apart).all()


def test_the_paper_s_features_come_first():
    assert FEATURES == PAPER + EXTRAS
    assert slots(PAPER) == 5
    assert slots(()) == 0


def test_a_worked_example():
    """kind schläft gut / the child sleeps soundly: gut has no link."""
    found = pair((2, 0, 2), (2, 3, 0, 3), {(1, 1), (1, 2), (2, 3)})
    bitext = ProjectionInput.of(found)
    projected = s1(bitext)
    assert projected.heads == (2, 0, 2)
    made = codes(bitext, projected)
    assert made[2, 1].tolist() == [1, 1, 3, 1, 0], "projected, SINGLE head, child with two, MATCH"
    assert made[1, 2].tolist() == [0, 3, 1, 0, 0], "the other way round it is neither"
    assert made[2, 3].tolist() == [1, 1, 2, 0, 0], "the child is UNALIGNED"
    assert made[0, 2].tolist() == [1, 0, 1, 1, 0], "roots match"
    shared = ProjectionInput.of(pair((2, 0), (0,), {(1, 1), (2, 1)}))
    assert codes(shared, s1(shared))[2, 1].tolist() == [1, 1, 1, 0, 1], "MERGE"


@pytest.mark.parametrize("features", [PAPER, FEATURES, ("merge",), ()])
def test_no_links_say_so_and_nothing_else(features):
    bitext = ProjectionInput.of(pair((2, 0), (0, 1), set()))
    made = codes(bitext, s1(bitext), features, np.ones((3, 3)))
    assert (made[:, :, :1] == NO_LINKS).all()
    assert not made[:, :, 1:].any()


def test_the_alignment_is_left_as_it_was():
    bitext = next(random_bitexts(1))
    before = bitext.links.matrix.copy()
    codes(bitext, s1(bitext), FEATURES)
    assert (bitext.links.matrix == before).all()
