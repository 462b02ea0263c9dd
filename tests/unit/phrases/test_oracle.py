"""Every search against brute force on small trees and forests, and every invariant of a legitimate set on every output."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from types import SimpleNamespace

import legit
import numpy as np
import phrase_oracle as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj.forest.parses import normalise
from divproj.phrases import beam_search, chart
from divproj.phrases.beam_search import Packs, SearchLimits, refine
from divproj.phrases.problem import (
    Clock,
    OutOfTimeError,
    _log_posteriors,
    _scaled_posteriors,
    _slices,
    fill,
    posteriors,
    read_off,
)

seeds = st.integers(0, 1_000_000)
NO_LIMITS = {"beam": 0, "supports": 0, "steps": 0, "traces": 0}
MANY = 800
"""Random tree pairs against brute force; with those of the sums and of the other tests, more than two thousand in all."""


def score(found) -> float:
    return found.score if found else -math.inf


def same(a: float, b: float) -> bool:
    return a == b or abs(a - b) < 1e-8


def with_weights(problem, seed):
    """The problem with a weight for each edge of its trees or forests."""
    chance = np.random.default_rng(seed)
    sides = (replace(side, weight=-chance.random(len(side.weight))) for side in (problem.src, problem.tgt))
    return replace(problem, **dict(zip(("src", "tgt"), sides, strict=True)))


def root_score(filled) -> float:
    return float(filled.A[filled.problem.src.root, filled.problem.tgt.root])


@settings(max_examples=MANY)
@given(seeds)
def test_brute_force_equals_chart_packs_and_trace(seed):
    problem, links = oracle.random_problem(seed)
    best, freely = oracle.best(problem, links), oracle.best(problem, links, compositional=False)
    filled = fill(problem, compiled=False)
    packed = Packs(problem, SearchLimits(**NO_LIMITS)).best_set()
    traced = Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).best_set()
    assert same(best, root_score(filled))
    assert same(best, score(packed))
    assert same(freely, score(traced))
    if filled.reachable:
        found = read_off(filled, compiled=False)
        assert same(found.score, best)
        assert legit.faults(problem, found, compositional=True) == []
        assert legit.faults(problem, packed, compositional=True) == []
        assert legit.faults(problem, traced) == []


@settings(max_examples=600)
@given(seeds)
def test_sums_and_posteriors_are_those_of_all_sets(seed):
    problem, links = oracle.random_problem(seed)
    everything = list(oracle.sets(problem, links))
    sums = posteriors(problem, compiled=False)
    if not everything:
        assert sums is None
        return
    total = np.logaddexp.reduce([x for _, x in everything])
    assert same(total, sums.log_sum)
    expected = np.zeros(problem.shape)
    for pairs, x in everything:
        for u, v in pairs:
            expected[u, v] += math.exp(x - total)
    assert np.abs(expected - sums.pair).max() < 1e-8
    leaves = problem.src.arrays.is_leaf  # each word is in a pair or below one null
    inside_nulls = sum(
        sums.null_s[x] * (problem.src.arrays.start[x] <= w) * (w < problem.src.arrays.end[x])
        for x in range(len(leaves))
        for w in [0]
    )
    first = int(np.flatnonzero(leaves & (problem.src.arrays.start == 0))[0])
    assert same(sums.pair[first].sum() + inside_nulls, 1.0)


@settings(max_examples=30)
@given(seeds)
def test_a_forest_is_as_good_as_its_best_pair_of_trees(seed):
    chance = random.Random(seed)
    src, tgt = (oracle.random_forest(chance, chance.randint(2, 5), 3) for _ in range(2))
    problem, links = oracle.problem_of(chance, src, tgt)
    best = -math.inf
    weighted = []
    shares = [normalise(f).arrays.edge_weight for f in (src, tgt)]
    for one in oracle.trees_of(src):
        for two in oracle.trees_of(tgt):
            trees = oracle.Tree(problem.src, one), oracle.Tree(problem.tgt, two)
            prior = sum(shares[0][e] for e in one.values()) + sum(shares[1][e] for e in two.values())
            for _, x in oracle.sets(problem, links, True, *trees):
                best = max(best, x)
                weighted.append(x + prior)
    filled = fill(problem, compiled=False)
    packed = Packs(problem, SearchLimits(**NO_LIMITS)).best_set()
    traced = Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).best_set()
    assert same(best, root_score(filled))
    assert same(best, score(packed))
    if not filled.reachable:
        return
    assert score(traced) >= best - 1e-8
    for found, strict in ((read_off(filled, compiled=False), True), (packed, True), (traced, False)):
        assert legit.faults(problem, found, strict) == []
    other = Packs(problem.transpose, SearchLimits(**NO_LIMITS), beam_search.align).best_set()
    assert legit.faults(problem, other.transpose) == []
    by_tree = replace(problem, src=replace(problem.src, weight=shares[0]), tgt=replace(problem.tgt, weight=shares[1]))
    assert same(np.logaddexp.reduce(weighted), posteriors(by_tree, compiled=False).log_sum)


@settings(max_examples=60)
@given(seeds, st.integers(1, 3), st.booleans())
def test_the_gap_bounds_all_four_paths(seed, gap, forests):
    problem, _ = oracle.random_problem(seed, 6, forests)
    bounded = replace(problem, gap=gap)
    filled = fill(bounded, compiled=False)
    assert same(root_score(filled), score(Packs(bounded, SearchLimits(**NO_LIMITS)).best_set()))
    assert root_score(filled) <= root_score(fill(problem, compiled=False)) + 1e-9
    if not filled.reachable:
        return
    found = read_off(filled, compiled=False)
    assert legit.faults(problem, found, compositional=True) == []
    for tree, side in ((legit.Tree.of(problem.src, found.edges_s), 0), (legit.Tree.of(problem.tgt, found.edges_t), 1)):
        for k, mother in enumerate(found.mothers):
            steps, node = 0, found.pairs[k][side]
            while mother >= 0 and node != found.pairs[mother][side]:
                node, steps = tree.mother[node], steps + 1
            assert steps <= gap


@settings(max_examples=30)
@given(seeds)
def test_a_gap_wider_than_the_trees_is_no_bound(seed):
    """With weights of edges too, whichever side they are on."""
    weighted = with_weights(oracle.random_problem(seed, 5, True)[0], seed)
    free, wide = fill(weighted, compiled=False), fill(replace(weighted, gap=6), compiled=False)
    for chart_of_free, chart_of_wide in ((free.A, wide.A), (free.E, wide.E)):
        assert np.allclose(chart_of_free, chart_of_wide, rtol=0, atol=1e-9)


@settings(max_examples=80)
@given(seeds)
def test_climbing_is_legitimate_never_worse_and_seldom_below_the_best(seed):
    problem, links = oracle.random_problem(seed, 7, noncomp=0.3)
    filled = fill(problem, compiled=False)
    if not filled.reachable:
        return
    start = read_off(filled, compiled=False)
    found = refine(problem, start)
    assert found.score >= start.score
    assert found.score <= oracle.best(problem, links, compositional=False) + 1e-8
    assert legit.faults(problem, found) == []


def test_climbing_finds_nearly_all_that_trace_finds():
    needed = reached = 0
    for seed in range(120):
        problem, links = oracle.random_problem(seed, 7, noncomp=0.3)
        filled = fill(problem, compiled=True)
        if filled.reachable:
            start, best = read_off(filled, compiled=True), oracle.best(problem, links, compositional=False)
            if best > start.score + 1e-8:
                needed += 1
                reached += refine(problem, start).score > best - 1e-8
    assert needed > 10
    assert reached >= 0.9 * needed


@settings(max_examples=100)
@given(seeds, st.booleans())
def test_compiled_and_plain_agree(seed, forests):
    problem, _ = oracle.random_problem(seed, 7, forests)
    for gap in (0, 2):
        one, two = (fill(replace(problem, gap=gap), compiled=fast) for fast in (False, True))
        assert np.array_equal(one.A, two.A)
        assert np.array_equal(one.E, two.E)
        if one.reachable:
            assert read_off(one, compiled=False) == read_off(two, compiled=True)
    a, b = posteriors(problem, compiled=False), posteriors(problem, compiled=True)
    assert (a is None) == (b is None)
    if a and b:
        assert np.allclose(a.pair, b.pair)
        assert np.allclose(a.null_t, b.null_t)


@settings(max_examples=60)
@given(seeds, st.booleans())
def test_sums_with_and_without_logarithms_agree(seed, forests):
    problem = with_weights(oracle.random_problem(seed, 7, forests)[0], seed)
    filled = fill(problem, compiled=False)
    if not filled.reachable:
        return
    scaled, slow = _scaled_posteriors(problem, root_score(filled), None, False), _log_posteriors(problem, None, False)
    assert scaled is not None
    assert same(scaled.log_sum, slow.log_sum)
    for name in ("pair", "null_s", "null_t"):
        assert np.allclose(getattr(scaled, name), getattr(slow, name), atol=1e-8)
    assert _scaled_posteriors(problem, 1e5, None, False) is None  # far off, numbers leave their range and it is said
    huge = replace(problem, pair=problem.pair * 1e4)
    assert posteriors(huge, compiled=False).pair.max() <= 1 + 1e-6


@settings(max_examples=40)
@given(seeds)
def test_sums_agree_where_every_word_may_go_with_every_phrase(seed):
    problem, chance = oracle.random_problem(seed, 5, False)[0], np.random.default_rng(seed)
    problem = replace(problem, pair=chance.normal(-2, 1, problem.pair.shape))
    scaled, slow = posteriors(problem, compiled=False), _log_posteriors(problem, None, False)
    assert same(scaled.log_sum, slow.log_sum)
    for name in ("pair", "null_s", "null_t"):
        assert np.allclose(getattr(scaled, name), getattr(slow, name), atol=1e-8)


@pytest.mark.parametrize("name", ["post", "post_s", "post_t"])
def test_a_number_that_leaves_its_range_is_noticed_in_each_of_the_sums(monkeypatch, name):
    problem, _ = oracle.random_problem(4, 5, False)
    kernel = chart.scaled_outside.plain
    assert posteriors(problem, compiled=False) is not None

    def overflow(*given):
        kernel(*given)
        given[-3:][("post", "post_s", "post_t").index(name)].flat[0] = np.inf

    near = root_score(fill(problem, compiled=False))
    assert _scaled_posteriors(problem, near, None, False) is not None
    monkeypatch.setattr(chart, "scaled_outside", SimpleNamespace(plain=overflow, compiled=overflow))
    assert _scaled_posteriors(problem, near, None, False) is None


@settings(max_examples=300)
@given(seeds)
def test_turning_the_pair_round_changes_nothing(seed):
    problem, _ = oracle.random_problem(seed, 7, True)
    one, two = fill(problem, compiled=False), fill(problem.transpose, compiled=False)
    assert np.allclose(one.A, two.A.T, equal_nan=True)


@settings(max_examples=60)
@given(seeds)
def test_one_more_candidate_never_lowers_the_best(seed):
    chance = random.Random(seed)
    problem, links = oracle.random_problem(seed)
    leaves = [np.flatnonzero(side.arrays.is_leaf) for side in (problem.src, problem.tgt)]
    new = (int(chance.choice(leaves[0])), int(chance.choice(leaves[1])))
    if new in links:
        return
    pair = problem.pair.copy()
    pair[new] = -1.0
    assert root_score(fill(replace(problem, pair=pair), compiled=False)) >= root_score(fill(problem, compiled=False)) - 1e-9


def test_a_tree_with_itself_gives_the_diagonal():
    chance = random.Random(3)
    tree = oracle.random_tree(chance, 8)
    n = len(tree)
    pair = np.where(np.eye(n, dtype=bool), -0.01, -5.0)
    leaf = tree.arrays.is_leaf
    pair[(leaf[:, None] | leaf[None, :]) & ~np.eye(n, dtype=bool)] = -np.inf
    null = -3.0 * (tree.arrays.end - tree.arrays.start)
    problem = oracle.Problem(oracle.side(tree, null), oracle.side(tree, null), pair)
    found = read_off(fill(problem, compiled=False), compiled=False)
    assert sorted(found.pairs) == [(k, k) for k in range(n)]
    assert found.null_s == found.null_t == ()


@settings(max_examples=40)
@given(seeds)
def test_the_literal_mix_of_parse_and_alignment_is_the_same_in_chart_and_packs(seed):
    problem, _ = oracle.random_problem(seed, 6, True)
    chance = np.random.default_rng(seed)
    rho = [np.log(chance.uniform(0.1, 1, len(side.null))) for side in (problem.src, problem.tgt)]
    mixed = replace(problem, src=replace(problem.src, rho=rho[0]), tgt=replace(problem.tgt, rho=rho[1]), mix=0.7)
    assert same(root_score(fill(mixed, compiled=False)), score(Packs(mixed, SearchLimits(**NO_LIMITS)).best_set()))


def test_the_packs_stay_within_their_bounds():
    for seed in range(60):
        problem, _ = oracle.random_problem(seed, 7)
        limits = SearchLimits(beam=2, supports=2, steps=3, traces=2)
        packs = Packs(problem, limits, beam_search.align)
        for u, targets in enumerate(packs.packs):
            assert len(targets) <= 2 or u == problem.src.root
            assert all(len(supports) <= 2 for supports in targets.values())
        found = packs.best_set()
        if found:
            assert legit.faults(problem, found) == []
            assert found.score <= score(Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).best_set()) + 1e-8


def test_a_dropped_unpacking_is_said():
    cut = 0
    for seed in range(80):
        problem, _ = oracle.random_problem(seed, 7, noncomp=0.0)
        cut += Packs(problem, SearchLimits(0, 0, 1, 1), beam_search.align).truncated
        assert not Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).truncated
    assert cut > 0


def test_time_that_is_over_ends_a_search():
    problem, _ = oracle.random_problem(5, 7)
    late = Clock(-1.0)
    for search in (
        lambda: fill(problem, late),
        lambda: posteriors(problem, late),
        lambda: Packs(problem, SearchLimits(clock=late)),
    ):
        with pytest.raises(OutOfTimeError):
            search()


def test_what_is_not_legitimate_is_named():
    problem, _ = next(p for p in map(oracle.random_problem, range(200)) if fill(p[0], compiled=False).reachable and len(read_off(fill(p[0], compiled=False)).pairs) > 4)  # fmt: skip
    found = read_off(fill(problem, compiled=False), compiled=False)
    u, v = found.pairs[-1]
    broken = {
        "1:": replace(found, pairs=found.pairs[1:], mothers=found.mothers[1:]),
        "4:": replace(found, pairs=(*found.pairs[:-1], (u, found.pairs[-2][1]))),
        "10:": replace(found, score=found.score + 1),
        "7:": replace(found, null_s=(), null_t=((0, 0),)),
        "3:": replace(found, mothers=(-1, *(0 for _ in found.mothers[1:]))),
    }
    for number, bad in broken.items():
        assert any(said.startswith(number) for said in legit.faults(problem, bad)), number
    outside = [x for x in range(problem.shape[0]) if x not in legit.Tree.of(problem.src, found.edges_s).nodes]
    assert not outside  # a tree has no node outside; a forest has
    assert v in legit.Tree.of(problem.tgt, found.edges_t).nodes


def test_candidates_left_unused_though_they_fit_are_told():
    chance = random.Random(1)
    src, tgt = oracle.random_tree(chance, 4), oracle.random_tree(chance, 4)
    problem, links = oracle.problem_of(chance, src, tgt, links=9)
    found = read_off(fill(problem, compiled=False), compiled=False)
    used = set(found.pairs)
    for pair in legit.unused_links(problem, found):
        assert pair in links
        assert pair not in used


@pytest.mark.parametrize(
    ("rows", "work", "gap", "portions"),
    [(10, 10**7, 1, 2), (10, 10**7, 0, 2), (10, 2 * 10**7, 1, 5), (8, 10**7, 2, 8), (9, 10**6, 3, 2), (3, 10**12, 1, 3), (10, 10**6, 1, 1), (10, 0, 0, 1)],
)  # fmt: skip
def test_the_clock_is_looked_at_between_portions_of_rows(rows, work, gap, portions):
    looks = []
    clock, given = SimpleNamespace(check=lambda: looks.append(1)), SimpleNamespace(shape=(rows, 1), work=work, gap=gap)
    parts = list(_slices(given, clock))
    assert [row for low, high in parts for row in range(low, high)] == list(range(rows))
    assert len(parts) == len(looks) == portions
    assert list(_slices(given, None)) == [(0, rows)]
