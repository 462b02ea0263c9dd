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
