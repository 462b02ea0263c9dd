"""The best tree over candidates against all trees."""

from __future__ import annotations

import itertools
import math

from hypothesis import given
from hypothesis import strategies as st

from divproj.core.tree import cycles
from divproj.projection.correction import best_tree


@st.composite
def options(draw):
    n = draw(st.integers(1, 5))
    made = []
    for child in range(1, n + 1):
        heads = [h for h in range(n + 1) if h != child]
        odds = [draw(st.floats(0.01, 1.0)) for _ in heads]
        made.append([(h, o / sum(odds)) for h, o in zip(heads, odds, strict=True)])
    return made


@given(options())
def test_beats_every_other_tree(asked):
    n = len(asked)
    chance = [dict(x) for x in asked]

    def score(heads):
        return sum(math.log(chance[k].get(h, 1e-12)) for k, h in enumerate(heads))

    best = max(
        (heads for heads in itertools.product(range(n + 1), repeat=n)
         if heads.count(0) == 1 and not cycles(heads) and all(h != k for k, h in enumerate(heads, 1))),
        key=score,
    )  # fmt: skip
    found = best_tree(asked)
    assert found.count(0) == 1
    assert not cycles(found)
    if n <= 4:  # four roots are tried
        assert score(found) >= score(best) - 1e-9


def test_two_roots_are_no_tree():
    """Each word's most probable head, without a cycle, but two words on the root."""
    assert best_tree([[(0, 0.9), (2, 0.1)], [(0, 0.8), (1, 0.2)], [(1, 0.9), (0, 0.1)]]) == [0, 1, 1]
    assert best_tree([[(2, 0.9), (0, 0.1)], [(3, 0.6), (0, 0.4)], [(1, 0.7), (0, 0.3)]]) == [2, 0, 1]


def test_of_many_words_the_probable_roots_are_tried():
    """The root is the last of six words; words 1 and 2 hold each other."""
    loop = [[(2, 0.6), (6, 0.4)], [(1, 0.7), (6, 0.3)]]
    assert best_tree([*loop, *[[(1, 0.8), (6, 0.2)]] * 3, [(0, 0.9), (5, 0.1)]]) == [6, 1, 1, 1, 1, 0]
