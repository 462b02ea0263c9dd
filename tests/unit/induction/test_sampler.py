"""Charts, trees and counts of the CCM against every tree there is."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.induction import brute

from divproj.core.errors import ModelError
from divproj.induction import sampler
from divproj.induction.ccm import CCM, SpanWeights, StartOptions, TreeArrays, first_trees, log_joint
from divproj.induction.grammar import Grammar, Inventory, SpanCounts, best

sentences = st.lists(st.lists(st.sampled_from("DNVAP"), min_size=1, max_size=7), min_size=1, max_size=8)


def random_ratio(n, seed):
    return np.random.default_rng(seed).normal(0, 2, (n + 1, n + 1))


def nodes(n):
    return [np.zeros(2 * n - 1, np.int32) for _ in range(4)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 1000))
def test_inside_is_the_sum_over_all_trees_and_viterbi_the_largest(n, seed):
    ratio = random_ratio(n, seed)
    scores = [sum(ratio[i, j] for i, j in tree) for tree in brute.all_trees(0, n)]
    chart, post = np.zeros_like(ratio), np.zeros_like(ratio)
    total = sampler.inside(n, ratio, chart)
    assert total == pytest.approx(math.log(sum(map(math.exp, scores))))
    made = nodes(n)
    assert sampler.best_tree(n, ratio, np.zeros_like(ratio), np.zeros((n + 1, n + 1), np.int32), *made) == pytest.approx(
        max(scores)
    )
    top = brute.all_trees(0, n)[int(np.argmax(scores))]
    assert [column.tolist() for column in made] == [column.tolist() for column in brute.arrays(top)]
    assert set(best(ratio, 0)) == {(i, j) for i, j in top if j - i > 1}
    sampler.marginals(n, ratio, chart, post)
    wanted = np.zeros_like(ratio)
    for tree, score in zip(brute.all_trees(0, n), scores, strict=True):
        for i, j in tree:
            wanted[i, j] += math.exp(score - total)
    for i in range(n):
        for j in range(i + 1, n + 1):
            assert post[i, j] == pytest.approx(wanted[i, j], abs=1e-12)


def test_ties_go_to_the_smallest_split():
    assert best(np.zeros((4, 4)), 0) == ((0, 3), (1, 3))


@pytest.mark.parametrize("uniform", [True, False])
def test_sampled_trees_follow_their_distribution(uniform):
    n, draws = 5, 40_000
    ratio, chart = random_ratio(n, 3) * 0.5, np.zeros((n + 1, n + 1))
    if not uniform:
        sampler.inside(n, ratio, chart)
    numbers = np.random.default_rng(4).random(draws * n)
    run, made, seen = sampler.sample_tree.compiled, nodes(n), Counter()
    for k in range(draws):
        run(n, chart, numbers, k * n, *made)
        seen[frozenset(zip(made[0].tolist(), made[1].tolist(), strict=True))] += 1
    wanted = {}
    for tree in brute.all_trees(0, n):
        split = math.prod(1 / (j - i - 1) for i, j in tree if j - i > 1)
        wanted[frozenset(tree)] = split if uniform else math.exp(sum(ratio[i, j] for i, j in tree) - chart[0, n])
    assert sum(wanted.values()) == pytest.approx(1)
    assert len(wanted) == 14
    assert sum(abs(seen[t] / draws - p) for t, p in wanted.items()) / 2 < 0.02


@settings(deadline=None)
@given(sentences)
def test_ids_tell_yields_and_contexts_apart(text):
    inventory, found = Inventory.learn(text)
    yields, contexts = {}, {}
    for k, s in enumerate(text):
        n = len(s)
        for i in range(n + 1):
            for j in range(i, n + 1):
                at = int(found.grid_at[k]) + i * (n + 1) + j
                here = (s[i - 1] if i else "#", s[j] if j < n else "#")
                assert yields.setdefault(tuple(s[i:j]), found.yields[at]) == found.yields[at]
                assert contexts.setdefault(here, found.contexts[at]) == found.contexts[at]
    assert len(set(yields.values())) == len(yields) == inventory.yields
    assert len(set(contexts.values())) == len(contexts) == inventory.contexts
    again = inventory.read(text)
    upper = [
        again.yields[int(found.grid_at[k]) + i * (len(s) + 1) + j]
        for k, s in enumerate(text)
        for i in range(len(s))
        for j in range(i, len(s) + 1)
    ]
    assert len(upper) == sum(len(s) * (len(s) + 3) // 2 for s in text)
    assert min(upper) >= 0
    assert (again.yields == found.yields).all()
    assert inventory.read([["?", "D"]]).yields[1] == -1


@settings(max_examples=20, deadline=None)
@given(sentences, st.booleans(), st.integers(0, 99))
def test_counts_after_sweeps_equal_a_recount(text, empty, seed):
    model = CCM(
        sweeps=3, count_empty=empty, random_state=seed, start="short" if seed % 2 else "uniform", restarts=1 + seed % 3 // 2
    ).fit(text)
    inventory, counts = model.grammar_.inventory, model.counts_
    fresh = model.forest_.counts(inventory, empty)
    for a, b in ((counts.yields, fresh.yields), (counts.contexts, fresh.contexts), (counts.totals, fresh.totals)):
        assert (a == b).all()
        assert (a >= 0).all()
    assert counts.totals[0] == counts.yields[0].sum() == sum(2 * len(s) - 1 for s in text)
    other = sum(len(s) * (len(s) - 1) // 2 - (len(s) - 1) + (len(s) + 1) * empty for s in text)
    assert counts.totals[1] == counts.contexts[1].sum() == other


def test_ratios_are_those_of_the_formula():
    text = [["D", "N", "V"], ["N", "V"]]
    model = CCM(sweeps=2, distituent=8.0, count_empty=True).fit(text)
    g, c = model.grammar_, model.grammar_.counts
    read = g.inventory.read([["D", "N", "?"]])
    ratio = np.zeros((4, 4))
    sampler.log_ratios(3, 0, read.yields, read.contexts, c.yields, c.contexts, c.totals, g.prior, ratio)
    y, v, x = int(read.yields[2]), g.inventory.yields, g.inventory.contexts
    up = (c.yields[0, y] + 2) / (c.totals[0] + 2 * v) * (0 + 2) / (c.totals[0] + 2 * x)  # the context (#, ?) is new
    down = (c.yields[1, y] + 8) / (c.totals[1] + 8 * v) * (0 + 8) / (c.totals[1] + 8 * x)
    assert ratio[0, 2] == pytest.approx(math.log(up / down))


@pytest.mark.parametrize("empty", [False, True])
def test_the_constant_of_all_distituents(empty):
    """Each span that can be a distituent adds its log probability to be one."""
    text = [["D", "N", "V"], ["N", "V"]]
    model = CCM(sweeps=2, distituent=8.0, count_empty=empty).fit(text)
    g, c = model.grammar_, model.grammar_.counts
    read, wanted = g.inventory.read(text), 0.0
    base, spans = int(read.grid_at[1]), [(0, 2), *([(0, 0), (1, 1), (2, 2)] if empty else [])]
    for i, j in spans:
        y, x = read.yields[base + 3 * i + j], read.contexts[base + 3 * i + j]
        wanted += math.log((c.yields[1, y] + 8) / (c.totals[1] + 8 * g.prior[2]))
        wanted += math.log((c.contexts[1, x] + 8) / (c.totals[1] + 8 * g.prior[3]))
    given = (2, base, read.yields, read.contexts, c.yields, c.contexts, c.totals, g.prior, float(empty))
    assert sampler.log_distituents(*given) == pytest.approx(wanted)


@pytest.mark.parametrize("empty", [0.0, 1.0])
@pytest.mark.parametrize("first", [0, 1])
def test_expected_counts_are_sums_over_all_trees(empty, first):
    text = [["D", "N", "V", "P"], ["N"], ["N", "V", "D"]]
    model = CCM(sweeps=2, count_empty=bool(empty)).fit(text)
    g, c, read = model.grammar_, model.grammar_.counts, model.grammar_.inventory.read(text)
    new, wanted = SpanCounts.empty(g.inventory), SpanCounts.empty(g.inventory)
    given = c.yields, c.contexts, c.totals, g.prior
    tables = new.yields, new.contexts, new.totals
    score = sampler.expect.plain(read.at, read.grid_at, read.yields, read.contexts, *given, empty, *tables, first, 4)
    log_likelihood = 0.0
    for k, base in enumerate(read.grid_at[:3].tolist()):
        n = len(text[k])
        ratio, trees = np.zeros((n + 1, n + 1)), brute.all_trees(0, n)
        sampler.log_ratios(n, base, read.yields, read.contexts, *given, ratio)
        scores = [math.exp(sum(ratio[i, j] for i, j in tree)) for tree in trees]
        log_likelihood += sampler.log_distituents(n, base, read.yields, read.contexts, *given, empty) + math.log(sum(scores))
        if first:
            scores = [math.prod(1 / (j - i - 1) for i, j in tree if j - i > 1) for tree in trees]
        for tree, weight in zip(trees, scores, strict=True):
            for i, j in itertools.combinations_with_replacement(range(n + 1), 2):
                role, share = int((i, j) not in tree), weight / sum(scores)
                if (j > i or empty) and not (role and j == i + 1):
                    at = base + i * (n + 1) + j
                    wanted.yields[role, read.yields[at]] += share
                    wanted.contexts[role, read.contexts[at]] += share
                    wanted.totals[role] += share
    assert score == pytest.approx(0.0 if first else log_likelihood)
    for name in ("yields", "contexts", "totals"):
        assert getattr(new, name) == pytest.approx(getattr(wanted, name)), name


@settings(max_examples=15, deadline=None)
@given(sentences, st.booleans())
def test_the_likelihood_never_falls_under_em(text, empty):
    model = CCM("em", sweeps=8, count_empty=empty).fit(text)
    seen = [told["log_joint"] for told in model.history_[1:]]
    assert len(seen) == 7
    assert all(b >= a - 1e-7 * abs(a) for a, b in itertools.pairwise(seen))


def test_em_starts_from_uniform_splits():
    n = 5
    post = np.zeros((n + 1, n + 1))
    sampler.uniform_marginals(n, post)
    wanted = Counter()
    for tree in brute.all_trees(0, n):
        for span in tree:
            wanted[span] += math.prod(1 / (j - i - 1) for i, j in tree if j - i > 1)
    assert all(post[span] == pytest.approx(p) for span, p in wanted.items())


def test_the_log_joint_is_a_product_of_predictive_probabilities():
    inventory, text = Inventory.learn([["D", "N"], ["N"]])
    forest = TreeArrays.uniform(text, np.zeros(3))
    counts = forest.counts(inventory, False)
    prior = Grammar(inventory, counts, count_empty=False).prior
    total, seen = 0.0, SpanCounts.empty(inventory)
    for k in range(2):
        for i, j in zip(*(part.tolist() for part in forest.part(k)[:2]), strict=True):
            at = int(text.grid_at[k]) + i * (len(forest.part(k)[0]) // 2 + 2) + j
            y, x = text.yields[at], text.contexts[at]
            total += math.log((seen.yields[0, y] + 2) / (seen.totals[0] + 2 * prior[2]))
            total += math.log((seen.contexts[0, x] + 2) / (seen.totals[0] + 2 * prior[3]))
            seen.yields[0, y] += 1
            seen.contexts[0, x] += 1
            seen.totals[0] += 1
    assert log_joint(counts, prior) == pytest.approx(total)


def test_compiled_and_plain_sweeps_are_the_same():
    text = [list(w) for w in ("DNVDN", "DNV", "NVDAN", "PDN", "V")]
    inventory, found = Inventory.learn(text)
    prior = Grammar(inventory, SpanCounts.empty(inventory)).prior
    made = []
    for run in (sampler.ccm_sweep.plain, sampler.ccm_sweep.compiled):
        forest = TreeArrays.uniform(found, np.random.default_rng(1).random(found.words))
        counts = forest.counts(inventory, True)
        order = np.arange(len(text), dtype=np.int64)
        for sweep in range(3):
            numbers = np.random.default_rng([2, sweep]).random(found.words)
            tables = (counts.yields, counts.contexts, counts.totals)
            run(
                order,
                found.at,
                found.grid_at,
                found.yields,
                found.contexts,
                *forest.nodes,
                *tables,
                prior,
                1.0,
                numbers,
                5,
                np.zeros(0),
                0,
            )
        made.append((forest.trees(), counts.yields.tolist()))
    assert made[0] == made[1]


def test_short_sentences_lead():
    text = [list(w) for w in ("DNVDN", "DN", "DNV", "NVDAN", "PDN", "V")] * 3
    inventory, found = Inventory.learn(text)
    grammar = Grammar(inventory, SpanCounts.empty(inventory))
    weights = np.zeros(len(found.yields))
    weights[int(found.grid_at[0]) + 2 * 6 + 5] = 50.0  # VDN of the first sentence
    extra = SpanWeights(weights, np.zeros(0))
    forest = first_trees(grammar, found, 1, StartOptions("short", 2, 2), extra)
    assert (2, 5) in forest.trees()[0]
    assert [len(tree) for tree in forest.trees()] == [len(s) - 1 for s in text]
    again = first_trees(grammar, found, 1, StartOptions("short", 2, 2), extra)
    assert again.trees() == forest.trees()
    uniform = first_trees(grammar, found, 1, StartOptions("uniform"), extra)
    assert uniform.trees() != forest.trees()
    with pytest.raises(ModelError, match=r"no start 'cold'; choose one of short, uniform"):
        StartOptions("cold")
