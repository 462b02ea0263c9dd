"""The model of one language around its kernels: starts, sweeps, averages, EM's reports, weights of spans."""

from __future__ import annotations

import math

import numpy as np
import pytest
from unit.induction import brute

from divproj.induction import ccm
from divproj.induction.ccm import (
    CCM,
    NOTHING,
    SpanWeights,
    StartOptions,
    TreeArrays,
    bracket_f1,
    edge_cue,
    first_trees,
    generator,
    log_joint,
    log_prior,
    span_weights,
)
from divproj.induction.grammar import Grammar, Inventory, SpanCounts

TEXT = [list(words) for words in ("DNVDN", "DN", "DNV", "NVDAN", "PDN", "V", "NVPDN")]


def empty_grammar(text, **settings):
    inventory, read = Inventory.learn(text)
    return Grammar(inventory, SpanCounts.empty(inventory), **settings), read


def probability(table, total, alpha, kinds, kind):
    """Of one kind, smoothed; a kind that the table does not have was never counted."""
    return ((table[kind] if 0 <= kind < len(table) else 0.0) + alpha) / (total + alpha * kinds)


def log_likelihood(model, grammar, text):
    """Σ over sentences of log Σ over trees of the product over all spans, by enumeration."""
    counts, (a, b, yields, contexts), total = grammar.counts, grammar.prior, 0.0
    for k in range(len(text)):
        n, base = int(text.at[k + 1] - text.at[k]), int(text.grid_at[k])
        trees = brute.all_trees(0, n)
        each = []
        for tree in trees:
            value = 1.0
            for i in range(n + 1):
                for j in range(i if model.count_empty else i + 1, n + 1):
                    row, at = (0 if (i, j) in tree else 1), base + i * (n + 1) + j
                    alpha = (a, b)[row]
                    value *= probability(counts.yields[row], counts.totals[row], alpha, yields, text.yields[at])
                    value *= probability(counts.contexts[row], counts.totals[row], alpha, contexts, text.contexts[at])
            each.append(value)
        total += math.log(sum(each))
    return total


@pytest.mark.parametrize("empty", [False, True])
def test_em_reports_likelihood_and_prior(empty):
    """The first iteration has no parameters; a later one reports how good those of the one before it are."""
    model = CCM("em", sweeps=1, count_empty=empty).fit(TEXT)
    assert model.history_ == [{"sweep": 1, "log_joint": -math.inf}]
    for sweep in (2, 3):
        before = model.grammar_
        model.partial_fit(sweeps=1)
        expected = log_likelihood(model, before, model.text_) + log_prior(before.counts, before.prior)
        assert model.history_[-1] == {"sweep": sweep, "log_joint": pytest.approx(expected)}


@pytest.mark.parametrize("empty", [False, True])
def test_the_prior_is_a_density_over_all_kinds(empty):
    grammar = CCM(sweeps=2, count_empty=empty).fit(TEXT).grammar_
    counts, (a, b, yields, contexts) = grammar.counts, grammar.prior
    expected = 0.0
    for row, alpha in ((0, a), (1, b)):
        for table, kinds in ((counts.yields[row], int(yields)), (counts.contexts[row], int(contexts))):
            values = sorted(table.tolist(), reverse=True)[:kinds] + [0.0] * max(0, kinds - len(table))
            assert len(values) == kinds
            assert sum(values) == pytest.approx(counts.totals[row])
            expected += alpha * sum(math.log((value + alpha) / (counts.totals[row] + alpha * kinds)) for value in values)
    assert log_prior(counts, grammar.prior) == pytest.approx(expected)


@pytest.mark.parametrize(("average", "kept"), [(0.0, 1), (0.5, 3), (1.0, 6)])
def test_counts_are_the_mean_of_the_last_share_of_the_sweeps(average, kept):
    model, counts = CCM(sweeps=6, average=average, restarts=1), []
    model.fit(TEXT, watch=lambda _: counts.append(model.counts_.multiply(1.0)))
    assert len(counts) == 6
    for name in ("yields", "contexts", "totals"):
        mean = sum(getattr(each, name) for each in counts[-kept:]) / kept
        assert np.allclose(getattr(model.grammar_.counts, name), mean)
    assert [report["sweep"] for report in model.history_] == [1, 2, 3, 4, 5, 6]
    assert model.history_[-1]["log_joint"] == log_joint(counts[-1], model.grammar_.prior)


def recorded_sweeps(monkeypatch, kind, text, sweeps):
    """For each sweep of a start the lengths of the sentences that are drawn, and whether they have no tree so far."""
    grammar, read = empty_grammar(text)
    sizes, calls = np.diff(read.at), []

    def record(grammar, forest, counts, chance, extra, sweeps, chosen=None, fresh=False):
        calls.append((None if chosen is None else tuple(sizes[chosen].tolist()), fresh))

    monkeypatch.setattr(ccm, "gibbs_sweep", record)
    first_trees(grammar, read, 1, StartOptions(kind, 2, sweeps))
    return calls


def test_short_sentences_join_first(monkeypatch):
    """Those that join are drawn once, then all so far, as often as asked; a step that none joins at is passed over."""
    text = [["N"] * n for n in (7, 2, 3, 12, 4, 5)]
    once = [((2, 3, 4), True), *[((2, 3, 4), False)] * 3, ((5,), True), *[((2, 3, 4, 5), False)] * 3, ((7,), True)]
    once += [*[((7, 2, 3, 4, 5), False)] * 3, ((12,), True), *[((7, 2, 3, 12, 4, 5), False)] * 3]
    assert recorded_sweeps(monkeypatch, "short", text, 3) == 2 * once


def test_lengths_at_which_sentences_join(monkeypatch):
    steps = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100)
    text = [["N"] * n for step in steps for n in (step, step + 1)]
    joining = [lengths for lengths, fresh in recorded_sweeps(monkeypatch, "short", text, 0) if fresh]
    groups = [
        (4,),
        (5, 6),
        (7, 8),
        (9, 10),
        (11, 12),
        (13, 15),
        (16, 20),
        (21, 25),
        (26, 30),
        (31, 40),
        (41, 60),
        (61, 100),
        (101,),
    ]
    assert joining == 2 * groups


def test_uniform_starts_draw_all_sentences_twice_as_often(monkeypatch):
    assert recorded_sweeps(monkeypatch, "uniform", TEXT, 3) == 2 * 6 * [(None, False)]


@pytest.mark.parametrize("kind", ["short", "uniform"])
def test_the_start_with_fewest_contradictions_is_taken_then_the_most_probable(kind):
    grammar, read = empty_grammar(TEXT)
    run = ccm._short_first if kind == "short" else ccm._all_at_once
    against, chosen = np.zeros(len(read.yields)), []
    for _ in range(2):
        extra, scores = SpanWeights(np.zeros(0), against), []
        for turn in range(6):
            forest = TreeArrays.uniform(read, generator(3, 0, 1, turn).random(read.words))
            counts = run(grammar, forest, (3, 0, 1, turn), 2, extra)
            scores.append((-extra.conflicts(forest.places), log_joint(counts, grammar.prior), forest))
        assert len({row[:2] for row in scores}) > 1
        best = max(scores, key=lambda row: row[:2])[2]
        assert first_trees(grammar, read, 3, StartOptions(kind, 6, 2), extra, side=1).trees() == best.trees()
        chosen.append(best.trees())
        against[best.places] = 1.0  # links speak against all that the best one has
    assert chosen[0] != chosen[1]


def test_one_uniform_start_is_taken_as_drawn():
    """The paper's: no sweep before the first."""
    grammar, read = empty_grammar(TEXT)
    drawn = TreeArrays.uniform(read, generator(3, 0, 0, 0).random(read.words))
    for restarts in (0, 1):
        assert first_trees(grammar, read, 3, StartOptions("uniform", restarts, 2)).trees() == drawn.trees()
    assert first_trees(grammar, read, 3, StartOptions("uniform", 2, 2)).trees() != drawn.trees()


def test_places_of_nodes():
    _, read = empty_grammar(TEXT)
    forest = TreeArrays.uniform(read, np.random.default_rng(1).random(read.words))
    places = [
        int(read.grid_at[k]) + i * (len(words) + 1) + j
        for k, words in enumerate(TEXT)
        for i, j in zip(*(part.tolist() for part in forest.part(k)[:2]), strict=True)
    ]
    assert forest.places.tolist() == places
    assert SpanWeights(np.zeros(0), np.arange(len(read.yields)) * 1.0).conflicts(forest.places) == sum(places)


def test_weights_of_links_and_edges_add_up():
    _, read = empty_grammar(TEXT)
    kinds = np.random.default_rng(2).integers(-1, 2, len(read.yields)) * 1.0
    cue, against = edge_cue(read), (kinds < 0) * 1.0
    both = span_weights(read, kinds, 6.0, 0.75)
    assert np.allclose(both.weights, 0.75 * cue - 6.0 * against)
    assert both.against.tolist() == against.tolist()
    edges = span_weights(read, kinds, 0.0, 0.75)
    assert np.allclose(edges.weights, 0.75 * cue)
    assert (len(edges.against), NOTHING.has_weights, edges.has_weights) == (0, False, True)
    model = CCM(sweeps=1, edges=0.75, restarts=1).fit(TEXT)
    assert np.allclose(model.extra_.weights, 0.75 * cue)
    assert CCM(sweeps=1, restarts=1).fit(TEXT).extra_ is NOTHING


def test_brackets_are_scored_as_in_the_paper():
    """Whole sentences count even if they are not given, single words do not, and sentences of one word are left out."""
    rows = [("DNV", [(0, 2), (0, 1), (1, 2)], ((0, 3), (1, 3))), ("V", [(0, 1)], ()), ("DN", [], ((0, 2),))]
    assert bracket_f1(rows) == pytest.approx(100 * 2 * 2 / (3 + 3))
    assert bracket_f1([]) == bracket_f1(rows[1:2]) == 0.0
    model = CCM(sweeps=1).fit(TEXT)
    assert model.score(TEXT, model.predict(TEXT)) == 100.0


def test_defaults_are_those_of_the_page():
    assert StartOptions() == StartOptions("short", restarts=6, sweeps=3)
    params = CCM().get_params()
    assert {name: params[name] for name in ("method", "sweeps", "constituent", "distituent", "count_empty")} == {
        "method": "gibbs", "sweeps": 40, "constituent": 2.0, "distituent": 20.0, "count_empty": False,
    }  # fmt: skip
    assert {name: params[name] for name in ("average", "start", "restarts", "warm_up", "edges", "random_state")} == {
        "average": 0.5, "start": "uniform", "restarts": 6, "warm_up": 3, "edges": 0.0, "random_state": 1,
    }  # fmt: skip
