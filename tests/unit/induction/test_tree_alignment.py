"""Sums over alignment trees and samples of them against brute force."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.induction import brute

from divproj.induction import tree_alignment as ta

SUMS = {"trees": ta.sum_trees, "matchings": ta.sum_matchings}
DRAWS = {"trees": ta.sample_in_trees, "matchings": ta.sample_in_matchings}


def tables(left1, left2):
    shape = len(left1), len(left2)
    return np.zeros((ta.TABLES, *shape)), np.zeros(shape, np.int32)


def total(tree1, tree2, rho, mode="trees", run="plain"):
    _, _, left1, right1 = brute.arrays(tree1)
    _, _, left2, right2 = brute.arrays(tree2)
    function = SUMS[mode] if run == "plain" else SUMS[mode].compiled
    return function(left1, right1, left2, right2, rho, *tables(left1, left2))


def count(tree1, tree2, rho=1.0, mode="trees"):
    sizes = len(tree1), len(tree2)
    return round(math.exp(total(tree1, tree2, np.full(sizes, rho), mode)))


@pytest.mark.parametrize(
    ("n", "m", "trees", "matchings"),
    [(1, 1, 3, 2), (1, 2, 10, 4), (1, 3, 17, 6), (2, 2, 147, 18), (2, 3, 568, 46), (3, 3, 4064, 166)],
)
def test_how_many_there_are(n, m, trees, matchings):
    for one in brute.all_trees(0, n):
        for two in brute.all_trees(0, m):
            assert count(one, two) == trees
            assert count(one, two, mode="matchings") == matchings


def test_shapes_matter_from_four_leaves_on():
    comb, even = brute.comb(4), brute.balanced4()
    for a, b, trees, matchings, alone in (
        (comb, comb, 105_421, 1_398, 24_012),
        (comb, even, 67_447, 1_292, 16_702),
        (even, even, 140_311, 1_586, 24_772),
    ):
        assert count(a, b) == trees
        assert count(a, b, mode="matchings") == matchings
        assert count(a, b, rho=0.0) == alone
        assert count(a, b, rho=0.0, mode="matchings") == 1
    assert count(brute.comb(2), brute.comb(2), rho=0.0) == 72
    assert count(brute.comb(3), brute.comb(3), rho=0.0) == 1372


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)])
def test_the_recurrences_equal_brute_force(n, m):
    chance = np.random.default_rng(n * 10 + m)
    one, two = brute.comb(n), brute.all_trees(0, m)[-1]
    a, b = brute.arrays(one), brute.arrays(two)
    rho = [[Fraction(int(x), 7) for x in row] for row in chance.integers(0, 30, (len(one), len(two)))]
    states = brute.alignment_trees(*a[2:], *b[2:])
    dense = np.array(rho, float)
    exact = sum(brute.weight(brute.matching(state), rho) for state in states)
    assert total(one, two, dense) == pytest.approx(math.log(exact), abs=1e-12)
    exact = sum(brute.weight(pairs, rho) for pairs in {brute.matching(state) for state in states})
    assert total(one, two, dense, "matchings") == pytest.approx(math.log(exact), abs=1e-12)


def a_tree(n, chance):
    trees = brute.all_trees(0, n)
    return trees[int(chance.integers(len(trees)))]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_symmetric_and_blind_to_the_order_of_kids(n, m, seed):
    chance = np.random.default_rng(seed)
    one, two = a_tree(n, chance), a_tree(m, chance)
    _, _, left1, right1 = brute.arrays(one)
    _, _, left2, right2 = brute.arrays(two)
    rho = chance.random((len(one), len(two))) * 10
    for function in SUMS.values():
        here = function(left1, right1, left2, right2, rho, *tables(left1, left2))
        turned = function(left2, right2, left1, right1, np.ascontiguousarray(rho.T), *tables(left2, left1))
        swap = chance.random(len(left1)) < 0.5
        swapped = np.where(swap, right1, left1).astype(np.int32), np.where(swap, left1, right1).astype(np.int32)
        assert turned == pytest.approx(here)
        assert function(*swapped, left2, right2, rho, *tables(left1, left2)) == pytest.approx(here)


def exact_sum(tree1, tree2, rho):
    """W(root, root) by the same recurrence in exact numbers."""
    _, _, l1, r1 = brute.arrays(tree1)
    _, _, l2, r2 = brute.arrays(tree2)
    w, p = {}, {}
    for i in reversed(range(len(l1))):
        for j in reversed(range(len(l2))):
            a, b, c, d = int(l1[i]), int(r1[i]), int(l2[j]), int(r2[j])
            p[i, j] = Fraction(1)
            if a >= 0 and c >= 0:
                p[i, j] += w[a, c] + w[a, d] + w[b, c] + w[b, d] + w[a, c] * w[b, d] + w[a, d] * w[b, c]
                p[i, j] += p[a, j] + p[b, j] + p[i, c] + p[i, d]
            left = Fraction(1) + (w[a, j] + w[b, j] + p[i, j] if a >= 0 else 0)
            right = Fraction(1) + (w[i, c] + w[i, d] + p[i, j] if c >= 0 else 0)
            w[i, j] = rho[i][j] * p[i, j] + left + right
    return w[0, 0]


def log_of(x: Fraction) -> float:
    digits = x.numerator.bit_length() - x.denominator.bit_length()
    return math.log(float(x / Fraction(2) ** digits)) + digits * math.log(2)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_scaled_sums_equal_exact_ones_for_large_weights(n, m, seed):
    chance = np.random.default_rng(seed)
    one, two = a_tree(n, chance), a_tree(m, chance)
    rho = [[Fraction(int(10**x)) for x in row] for row in chance.random((len(one), len(two))) * 9]
    assert total(one, two, np.array(rho, float)) == pytest.approx(log_of(exact_sum(one, two, rho)), rel=1e-12)


@pytest.mark.parametrize("mode", ["trees", "matchings"])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
def test_nothing_overflows_in_long_sentences(mode, size):
    comb = brute.comb(40)
    rho = np.random.default_rng(1).random((79, 79)) * size
    found = total(comb, comb, rho, mode, "compiled")
    assert np.isfinite(found)
    if mode == "trees":
        exact = exact_sum(comb, comb, [[Fraction(x) for x in row] for row in rho.tolist()])
        assert found == pytest.approx(log_of(exact), rel=1e-9)
    _, _, left, right = brute.arrays(comb)
    table, scale = tables(left, left)
    SUMS[mode].compiled(left, right, left, right, rho, table, scale)
    mate = np.zeros(79, np.int32)
    used = DRAWS[mode].compiled(left, right, left, right, rho, table, scale, np.random.default_rng(2).random(2000), 0, mate)
    assert used < 14 * 80 + 16  # what a visit sets aside
    assert_order(left, right, left, right, mate)


def assert_order(left1, right1, left2, right2, mate):
    one = brute.ancestors(brute.tree_parents(left1, right1))
    two = brute.ancestors(brute.tree_parents(left2, right2))
    pairs = [(a, int(b)) for a, b in enumerate(mate) if b >= 0]
    assert len({b for _, b in pairs}) == len(pairs)
    for a, b in pairs:
        for c, d in pairs:
            assert ((a, c) in one) == ((b, d) in two)


DEEP = ((0, 5), (0, 1), (1, 5), (1, 3), (3, 5), (1, 2), (2, 3), (3, 4), (4, 5))
"""Below its root both kids of a node have kids, so that kids of another tree may lie far below on either side."""


@pytest.mark.parametrize("mode", ["trees", "matchings"])
@pytest.mark.parametrize(
    ("one", "two"),
    [(brute.comb(3), brute.all_trees(0, 3)[-1]), (DEEP, brute.comb(2)), (brute.comb(2), DEEP)],
    ids=["three leaves", "deep and flat", "flat and deep"],
)
def test_samples_follow_the_enumerated_distribution(mode, one, two):
    a, b = brute.arrays(one), brute.arrays(two)
    chance = np.random.default_rng(5)
    rho = chance.random((len(one), len(two))) * 3
    states = brute.alignment_trees(*a[2:], *b[2:])
    every = [brute.matching(s) for s in states]
    weights = Counter()
    for pairs in every if mode == "trees" else set(every):
        weights[pairs] += math.prod(rho[x, y] for x, y in pairs)
    norm = sum(weights.values())
    table, scale = tables(a[2], b[2])
    SUMS[mode].compiled(a[2], a[3], b[2], b[3], rho, table, scale)
    draw, seen, mate = DRAWS[mode].compiled, Counter(), np.zeros(len(one), np.int32)
    draws = 60_000
    numbers = chance.random(draws * 40)
    for k in range(draws):
        draw(a[2], a[3], b[2], b[3], rho, table, scale, numbers, 40 * k, mate)
        seen[mate.tobytes()] += 1
    found = {}
    for key, times in seen.items():
        mates = np.frombuffer(key, np.int32)
        found[frozenset((x, int(y)) for x, y in enumerate(mates) if y >= 0)] = times / draws
    assert set(found) <= set(weights)
    noise = sum(math.sqrt(2 * (w / norm) * (1 - w / norm) / (math.pi * draws)) for w in weights.values())
    assert sum(abs(found.get(p, 0) - w / norm) for p, w in weights.items()) < 1.3 * noise, "more than chance does"


@pytest.mark.parametrize("mode", ["trees", "matchings"])
def test_the_plain_twin_draws_the_same(mode):
    chance = np.random.default_rng(3)
    for _ in range(20):
        a, b = brute.arrays(a_tree(5, chance)), brute.arrays(a_tree(6, chance))
        rho = np.exp(chance.normal(0, 3, (9, 11)))
        numbers = chance.random(300)
        table, scale = tables(a[2], b[2])
        SUMS[mode](a[2], a[3], b[2], b[3], rho, table, scale)
        mates = np.zeros((2, 9), np.int32)
        for mate, run in zip(mates, (DRAWS[mode].plain, DRAWS[mode].compiled), strict=True):
            run(a[2], a[3], b[2], b[3], rho, table, scale, numbers, 0, mate)
        assert (mates[0] == mates[1]).all()
        assert_order(a[2], a[3], b[2], b[3], mates[0])
