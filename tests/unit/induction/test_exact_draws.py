"""Draws of trees and of alignments without chance: every choice is taken once, and its probability is that of the definition.

They take seconds in plain Python, so that deliberate faults can be tried on them (bench/tools/mutants.py).
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from unit.induction import brute

from divproj.induction import sampler
from divproj.induction import tree_alignment as ta

SUMS = {"trees": ta.sum_trees.plain, "matchings": ta.sum_matchings.plain}
DRAWS = {"trees": ta.sample_in_trees.plain, "matchings": ta.sample_in_matchings.plain}
FIRST = 3
"""The first of the random numbers that a draw may use."""
FIVE = ((0, 5), (0, 1), (1, 5), (1, 3), (3, 5), (1, 2), (2, 3), (3, 4), (4, 5))
THREE = brute.all_trees(0, 3)


class Script:
    """Stands for `pick`: takes the choices of a script, the first possible one beyond it, and multiplies their probabilities."""

    def __init__(self, choices):
        self.choices, self.options, self.probability, self.calls = list(choices), [], 1.0, 0

    def __call__(self, weights, count, number):
        assert number == FIRST + self.calls, "each choice takes the next random number"
        shares = weights[:count] / weights[:count].sum()
        possible = [k for k in range(count) if shares[k] > 0]
        if self.calls == len(self.choices):
            self.choices.append(possible[0])
        choice = self.choices[self.calls]
        self.options.append(possible)
        self.probability *= shares[choice]
        self.calls += 1
        return choice


class Wander(Script):
    """Takes choices at random by their weights."""

    def __init__(self, chance):
        super().__init__([])
        self.chance = chance

    def __call__(self, weights, count, number):
        self.choices.append(int(self.chance.choice(count, p=weights[:count] / weights[:count].sum())))
        return super().__call__(weights, count, number)


def balanced(i, j):
    """A tree whose phrases are cut in the middle."""
    return ((i, j), *balanced(i, (i + j) // 2), *balanced((i + j) // 2, j)) if j - i > 1 else ((i, j),)


def exact_distribution(monkeypatch, mode, one, two, rho):
    """Probability of each set of aligned pairs by all sequences of choices, and the log sum."""
    (_, _, *first), (_, _, *second) = brute.arrays(one), brute.arrays(two)
    shape = len(one), len(two)
    table, scale, mate = np.zeros((ta.TABLES, *shape)), np.zeros(shape, np.int32), np.full(len(one), 9, np.int32)
    log_sum = SUMS[mode](*first, *second, rho, table, scale)
    distribution, todo = Counter(), [[]]
    numbers = np.arange(FIRST + 200.0)
    while todo:
        start = todo.pop()
        script = Script(start)
        monkeypatch.setattr(ta, "pick", script)
        used = DRAWS[mode](*first, *second, rho, table, scale, numbers, FIRST, mate)
        assert used == FIRST + script.calls
        distribution[frozenset((a, int(b)) for a, b in enumerate(mate) if b >= 0)] += script.probability
        for k in range(len(start), script.calls):
            options = script.options[k]
            todo += [[*script.choices[:k], other] for other in options[options.index(script.choices[k]) + 1 :]]
    return distribution, log_sum, scale


def enumerated(mode, one, two, rho):
    """Weight of each set of aligned pairs, in exact numbers."""
    a, b = brute.arrays(one), brute.arrays(two)
    every = [brute.matching(state) for state in brute.alignment_trees(*a[2:], *b[2:])]
    exact, weights = [[Fraction(x) for x in row] for row in rho.tolist()], Counter()
    for pairs in every if mode == "trees" else set(every):
        weights[pairs] += brute.weight(pairs, exact)
    return weights


@pytest.mark.parametrize("mode", ["trees", "matchings"])
@pytest.mark.parametrize("block", [2.0**256, 2.0**40], ids=["one scale", "scales"])
@pytest.mark.parametrize(
    ("one", "two"),
    [(((0, 1),), brute.comb(2)), (brute.comb(2), ((0, 1),)), (brute.comb(2), THREE[0]), (THREE[-1], brute.comb(2)), (FIVE, ((0, 1),)), (((0, 1),), FIVE), (FIVE, brute.comb(2)), (brute.comb(2), FIVE)],
    ids=["1 and 2", "2 and 1", "2 and 3", "3 and 2", "5 and 1", "1 and 5", "5 and 2", "2 and 5"],
)  # fmt: skip
def test_each_alignment_is_drawn_with_its_exact_probability(monkeypatch, mode, block, one, two):
    chance = np.random.default_rng(len(one) * 10 + len(two))
    rho = chance.random((len(one), len(two))) * 3 + 0.1
    rho[-1, -1] = 0.0
    if block < 1e30:  # sums leave the first power
        monkeypatch.setattr(ta, "BLOCK", block)
        rho *= 2.0**18
    distribution, log_sum, scale = exact_distribution(monkeypatch, mode, one, two, rho)
    weights = enumerated(mode, one, two, rho)
    total = sum(weights.values())
    assert log_sum == pytest.approx(math.log(total), rel=1e-6)
    assert sum(distribution.values()) == pytest.approx(1, abs=1e-6)
    assert set(distribution) <= set(weights)
    for pairs, weight in weights.items():
        assert distribution[pairs] == pytest.approx(float(weight / total), rel=1e-4, abs=1e-7), sorted(pairs)
    assert (scale.max() > 0) == (block < 1e30 and min(len(one), len(two)) > 2)


@pytest.mark.parametrize("mode", ["trees", "matchings"])
@pytest.mark.parametrize(
    ("one", "two", "last_word"),
    [(FIVE, brute.comb(5), 1), (brute.comb(9), brute.comb(9), 1), (balanced(0, 8), balanced(0, 9), 1), (FIVE, balanced(0, 4), 2.0**68)],
    ids=["small", "combs", "balanced", "a heavy word"],
)  # fmt: skip
def test_deep_trees_and_large_sums(monkeypatch, mode, one, two, last_word):
    """Cells of several powers: the sum is exact, and a draw of pairs has their weight as its share of it, whatever is drawn."""
    monkeypatch.setattr(ta, "BLOCK", 2.0**64)
    chance = np.random.default_rng(3)
    rho = np.floor(2 ** (chance.random((len(one), len(two))) * 24))
    rho[:, -1] *= last_word
    rho[-1] *= last_word
    (_, _, *first), (_, _, *second) = brute.arrays(one), brute.arrays(two)
    shape = len(one), len(two)
    table, scale, mate = np.zeros((ta.TABLES, *shape)), np.zeros(shape, np.int32), np.zeros(len(one), np.int32)
    exact = EXACT[mode](*first, *second, [[Fraction(int(x)) for x in row] for row in rho])
    log_sum = SUMS[mode](*first, *second, rho, table, scale)
    assert log_sum == pytest.approx(math.log(exact), rel=1e-9)
    assert scale[0, 0] > 0
    if one != FIVE:
        kids = [first[0][0], first[1][0]], [second[0][0], second[1][0]]
        assert scale[0, 0] > 1
        assert one == brute.comb(9) or scale[np.ix_(*kids)].min() > 0
    for _ in range(60):
        script = Wander(chance)
        monkeypatch.setattr(ta, "pick", script)
        DRAWS[mode](*first, *second, rho, table, scale, np.arange(FIRST + 300.0), FIRST, mate)
        weight = sum(math.log(rho[a, b]) for a, b in enumerate(mate) if b >= 0)
        assert math.log(script.probability) + log_sum == pytest.approx(weight, abs=1e-5)


def exact_trees(l1, r1, l2, r2, rho):
    """W(root, root) in exact numbers."""
    w, p = {}, {}
    for i in reversed(range(len(l1))):
        for j in reversed(range(len(l2))):
            one, two = ([int(x[k]) for x in kids if x[k] >= 0] for kids, k in (((l1, r1), i), ((l2, r2), j)))
            p[i, j] = Fraction(1)
            if one and two:
                (a, b), (c, d) = one, two
                p[i, j] += sum(w[x, y] for x in one for y in two) + w[a, c] * w[b, d] + w[a, d] * w[b, c]
                p[i, j] += sum(p[x, j] for x in one) + sum(p[i, y] for y in two)
            on_top = [1 + sum(w[x, j] for x in one) + p[i, j] * bool(one), 1 + sum(w[i, y] for y in two) + p[i, j] * bool(two)]
            w[i, j] = rho[i][j] * p[i, j] + sum(on_top)
    return w[0, 0]


def exact_matchings(l1, r1, l2, r2, rho):
    """1 + the weight of all sets of pairs that keep the order of both trees and whose lowest common mothers fit."""
    h, rr, k, k1, k2 = {}, {}, {}, {}, {}
    for i in reversed(range(len(l1))):
        for j in reversed(range(len(l2))):
            one, two = ([int(x[n]) for x in kids if x[n] >= 0] for kids, n in (((l1, r1), i), ((l2, r2), j)))
            k[i, j] = x = Fraction(0)
            if one and two:
                (a, b), (c, d) = one, two
                k[i, j] = h[a, c] * h[b, d] + h[a, d] * h[b, c]
                x += sum(h[u, v] for u in one for v in two)
            below1, below2 = sum(k1[u, j] for u in one), sum(k2[i, v] for v in two)
            k1[i, j], k2[i, j] = below1 + k[i, j], below2 + k[i, j]
            x += 1 + below1 + below2 + k[i, j]
            rr[i, j] = sum(rr[i, v] for v in two) + rho[i][j] * x + k[i, j]
            h[i, j] = sum(h[u, j] for u in one) + rr[i, j]
    return 1 + h[0, 0]


EXACT = {"trees": exact_trees, "matchings": exact_matchings}


def test_pick_takes_each_index_in_its_share_of_the_numbers():
    weights = np.array([0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 7.0])
    for number, index in ((0.0, 1), (0.2499, 1), (0.25, 3), (0.5, 3), (0.7499, 3), (0.75, 4), (0.9999, 4), (1.0, 4)):
        assert ta.pick.plain(weights, 6, number) == index
    assert ta.pick.plain(np.zeros(3), 3, 0.5) == 0


def test_a_number_of_one_scale_in_another():
    assert [ta.shift.plain(5, scale) for scale in (5, 4, 3, -9)] == [1.0, 2.0**-256, 0.0, 0.0]


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_each_tree_is_drawn_by_the_numbers_of_its_share(n, uniform):
    """Split k of a span is drawn by the numbers between the sums of the shares of all splits before it and of those with it."""
    ratio, chart = np.random.default_rng(3).normal(0, 1, (n + 1, n + 1)), np.zeros((n + 1, n + 1))
    if not uniform:
        sampler.inside.plain(n, ratio, chart)
    wide = 0.0
    for tree in brute.all_trees(0, n):
        nodes = brute.arrays(tree)
        for place in (1e-9, 0.5, 1 - 1e-9):
            numbers, share = [9.0], 1.0
            for i, j, left in zip(*(column.tolist() for column in nodes[:3]), strict=True):
                if left >= 0:
                    weights = np.exp([chart[i, k] + chart[k, j] for k in range(i + 1, j)])
                    weights /= weights.sum()
                    split = int(nodes[1][left]) - i - 1
                    numbers.append(float(weights[:split].sum() + place * weights[split]))
                    share *= weights[split]
            drawn = [np.full(2 * n - 1, 7, np.int32) for _ in range(4)]
            used = sampler.sample_tree.plain(n, chart, np.array([*numbers, 9.0]), 1, *drawn)
            assert used == len(numbers)
            assert [column.tolist() for column in drawn] == [column.tolist() for column in nodes]
        wide += share
    assert wide == pytest.approx(1)
