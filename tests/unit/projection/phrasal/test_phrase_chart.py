"""The chart of headed bracketings against brute force, and the relations of phrase pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.core.tree import cycles
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.s5 import subtrees


def bracketings(n: int) -> list[tuple[int, ...]]:
    """All projective trees with one root."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and all(h != k for k, h in enumerate(heads, 1)) and not cycles(heads):
            words = subtrees(heads)
            if all(below == tuple(range(below[0], below[-1] + 1)) for below in words[1:]):
                found.append(heads)
    return found


ALL = {n: bracketings(n) for n in range(1, 5)}


def by_force(scores: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    n1 = len(scores)
    total, sums = 0.0, np.zeros((3, n1, n1))
    for heads in ALL[n1 - 1]:
        weight = np.exp(sum(scores[h, c] for c, h in enumerate(heads, 1)))
        total += weight
        for c, (head, below) in enumerate(zip(heads, subtrees(heads)[1:], strict=True), 1):
            sums[0, head, c] += weight
            sums[1, c, below[0]] += weight
            sums[2, c, below[-1]] += weight
    return float(np.log(total)), *(sums / total)


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 10_000))
def test_sums_are_those_of_all_bracketings(n: int, seed: int):
    scores = np.random.default_rng(seed).normal(0, 2, (n + 1, n + 1))
    edges, lefts, rights = (np.empty_like(scores) for _ in range(3))
    z = chart.phrase_sums(scores, edges, lefts, rights)
    wanted = by_force(scores)
    assert z == pytest.approx(wanted[0])
    for found, right in zip((edges, lefts, rights), wanted[1:], strict=True):
        np.testing.assert_allclose(found, right, atol=1e-9)


def test_the_compiled_chart_finds_the_same():
    scores = np.random.default_rng(1).normal(0, 1, (9, 9))
    plain, fast = ([np.empty_like(scores) for _ in range(3)] for _ in range(2))
    assert chart.phrase_sums(scores, *plain) == pytest.approx(chart.phrase_sums.compiled(scores, *fast))
    np.testing.assert_allclose(plain, fast, atol=1e-12)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 7), st.integers(0, 10_000), st.sampled_from([2.0, 30.0]))
def test_logarithms_find_the_same(n: int, seed: int, spread: float):
    scores = np.random.default_rng(seed).normal(0, spread, (n + 1, n + 1))
    np.fill_diagonal(scores, chart.LOW)
    plain, logs = ([np.empty_like(scores) for _ in range(3)] for _ in range(2))
    assert chart.phrase_sums(scores, *plain) == pytest.approx(chart.log_phrase_sums(scores, *logs))
    np.testing.assert_allclose(plain, logs, atol=1e-9)


def test_ordinary_sums_need_no_logarithms(monkeypatch):
    scores = np.random.default_rng(3).normal(0, 3, (7, 7))
    np.fill_diagonal(scores, chart.LOW)
    logs, sums = ([np.empty_like(scores) for _ in range(3)] for _ in range(2))
    z = chart.log_phrase_sums(scores, *logs)
    monkeypatch.setattr(chart, "log_phrase_sums", None)
    assert chart.phrase_sums.plain(scores, *sums) == pytest.approx(z)
    np.testing.assert_allclose(sums, logs, atol=1e-9)


def test_what_is_too_small_for_a_number_is_summed_with_logarithms():
    scores = np.zeros((5, 5))
    scores[1, 2] = scores[2, 1] = scores[3, 4] = scores[4, 3] = (
        700.0  # two words want to head each other: no tree has both edges
    )
    edges, lefts, rights = (np.empty_like(scores) for _ in range(3))
    z = chart.phrase_sums(scores, edges, lefts, rights)
    best = [heads for heads in ALL[4] if (heads[0] == 2 or heads[1] == 1) and (heads[2] == 4 or heads[3] == 3)]
    assert z == pytest.approx(1400 + np.log(len(best)))
    np.testing.assert_allclose(edges[:, 1:].sum(0), 1.0)


def test_relations_of_phrase_pairs():
    # E: 2 heads 1 and 3; 3 heads 4; 4 is linked to nothing. F: 1 2 linked to 1, 3 to 2, 4 to 3, 5 loose
    codes = np.zeros((6, 6), np.int8)
    chart.relate(np.array([0, 1, 1, 2, 3, 0], np.int32), np.array([-1, 2, 0, 2, 3], np.int32), codes)
    name = chart.RELATIONS
    assert name[codes[3, 4]] == "mother"
    assert name[codes[3, 1]] == "out"
    assert name[codes[2, 1]] == "same"
    assert name[codes[4, 1]] == "sister"
    assert name[codes[4, 3]] == "kid"
    assert name[codes[0, 3]] == "top"
    assert name[codes[0, 4]] == "root"
    assert name[codes[5, 4]] == "loose"
    assert name[codes[5, 3]] == "gap"
    assert name[codes[3, 5]] == "mother"


def test_a_mother_without_image_leaves_a_gap():
    codes = np.zeros((4, 4), np.int8)
    chart.relate(np.array([0, 1, 3, 0], np.int32), np.array([-1, 0, 1, 2], np.int32), codes)  # E: 1 → 2 → 3, 2 not linked
    assert chart.RELATIONS[codes[3, 2]] == "gap"
    assert chart.RELATIONS[codes[1, 2]] == "mother"


def test_distances_in_buckets():
    assert [chart.bucket(k) for k in (1, 2, 3, 4, 5, 6, 8, 9, 50)] == [0, 1, 2, 3, 3, 4, 4, 5, 5]
