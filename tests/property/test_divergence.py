"""What holds for every pair of trees, and three ways to the same counts."""

from __future__ import annotations

import random
from collections import Counter

import bruteforce
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_pairs, crossed_pairs, forests, pairs, related_pairs, trees
from synthetic import known_pair, random_pair

from divproj import Links, Pair, alter, analyze, corpus_match, edge_classes, merge, remove, sent_match, swap
from divproj.core.tree import NO_HEAD, cycles
from divproj.divergence.operations import CLASSES, GONE, is_match
from divproj.runtime import jit

DIRECTIONS = {"e_to_f": "e", "f_to_e": "f"}


def log_of(altered):
    return [(s.side, s.kind, s.child, None if s.kind == "remove" else s.parent, s.before) for s in altered.operations]


def assert_same(found, pair, **variant):
    expected = bruteforce.run(pair, **variant)
    assert found.counts == expected.counts
    assert found.links == expected.links
    assert log_of(found) == expected.log
    for side in ("f", "e"):
        assert {stage: bruteforce.edges_of(heads) for stage, heads in found.heads[side].items()} == expected.edges[side]


EXAMPLES = settings(max_examples=max(150, settings().max_examples))
"""Enough pairs that each class of edges and each operation has dozens of cases in a test that compares with brute force."""
TANGLES = (("match", "merge"), ("match", "swap"), ("merge", "swap"))


def candidate_classes(side, other, links):
    """For each edge of a side the classes whose condition it fulfils, whichever comes first."""
    there = bruteforce.edges_of(other.heads)
    for child, parent in bruteforce.edges_of(side.heads):
        ends = [(a, b) for a in bruteforce.images(child, links) for b in bruteforce.images(parent, links)]
        tests = {"match": lambda a, b: (a, b) in there, "merge": lambda a, b: a == b, "swap": lambda a, b: (b, a) in there}
        yield {name for name, test in tests.items() if any(test(*pair) for pair in ends)}


def assert_all_are_drawn(drawn, least=0.04):
    """Each class and each operation, on either side, in a share of the edges drawn; and edges of which two classes could be said."""
    classes, steps, tangles = Counter(), Counter(), Counter()
    for pair in drawn:
        run = bruteforce.run(pair)
        for stages in run.counts.values():
            classes.update({name: stages["initial"][name] for name in CLASSES})
        steps.update((side, kind) for side, kind, *_ in run.log)
        for f, e, links in ((pair.f, pair.e, pair.links.links), (pair.e, pair.f, bruteforce.flipped(pair.links.links))):
            for names in candidate_classes(f, e, links):
                tangles.update(two for two in TANGLES if names >= set(two))
    shares = {name: round(classes[name] / classes.total(), 3) for name in CLASSES}
    assert min(shares.values()) >= least, shares
    kinds = [(side, kind) for side in "fe" for kind in ("remove", "merge", "swap")]
    shares = {kind: round(steps[kind] / steps.total(), 3) for kind in kinds}
    assert min(shares.values()) >= least, shares
    assert min(tangles[two] for two in TANGLES) >= 4, tangles


def for_drawn_pairs(check, strategy=any_pairs):
    """Check pairs of every kind, and that they were of every kind."""
    drawn = []

    @EXAMPLES
    @given(strategy)
    def each(pair):
        drawn.append(pair)
        check(pair)

    each()
    assert len(drawn) >= EXAMPLES.max_examples
    assert_all_are_drawn(drawn)


def test_plain_kernel_is_the_brute_force():
    for_drawn_pairs(lambda pair: assert_same(alter(pair), pair))


def test_compiled_kernel_is_the_brute_force():
    for_drawn_pairs(lambda pair: assert_same(alter(pair, compiled=True), pair))


def test_merges_to_the_letter_are_the_brute_force():
    for_drawn_pairs(lambda pair: assert_same(alter(pair, paper=True), pair, paper=True))


def test_extended_merges_are_the_brute_force():
    drawn = []

    @EXAMPLES
    @given(st.one_of(crossed_pairs(), crossed_pairs(), related_pairs()))
    def check(pair):
        found = alter(pair, extended=True)
        assert_same(found, pair, extended=True)
        drawn.append(sum(step.kind == "extended" for step in found.operations))

    check()
    assert sum(steps >= 2 for steps in drawn) >= len(drawn) / 5, drawn
    assert sum(steps >= 4 for steps in drawn) >= len(drawn) / 20, drawn


@pytest.mark.parametrize("seed", range(20))
def test_larger_random_pairs(seed):
    rng = random.Random(seed)
    for _ in range(10):
        pair = random_pair(rng, rng.randrange(30), rng.randrange(30))
        plain, compiled = alter(pair), alter(pair, compiled=True)
        assert plain == compiled
        assert_same(plain, pair)
        assert alter(pair, extended=True) == alter(pair, extended=True, compiled=True)


def test_classes_are_the_brute_force():
    def check(pair):
        f, e = bruteforce.edges_of(pair.f.heads), bruteforce.edges_of(pair.e.heads)
        heads, links = pair.f.heads, pair.links.links
        expected = [bruteforce.edge_class(k, h, links, e) if h > 0 else None for k, h in enumerate(heads, 1)]
        assert edge_classes(pair) == tuple(expected)
        assert [is_match(k, h, pair) for k, h in f] == [expected[k - 1] == "match" for k, h in f]

    for_drawn_pairs(check)


def test_related_pairs_are_of_every_kind():
    for_drawn_pairs(lambda pair: None, related_pairs())


@given(any_pairs)
def test_counts_add_up_to_edges(pair):
    found = alter(pair, extended=True)
    for direction, side in DIRECTIONS.items():
        for stage, counts in found.counts[direction].items():
            assert counts["edges"] == sum(counts[name] for name in CLASSES)
            assert counts["edges"] == sum(head > 0 for head in found.heads[side][stage])
            assert counts["edges"] == sum(name is not None for name in found.classes[side][stage])
            assert counts["labelled"] <= counts["match"]


@given(any_pairs)
def test_trees_stay_without_cycles(pair):
    found = alter(pair, extended=True)
    for side in ("f", "e"):
        for heads in found.heads[side].values():
            assert cycles(heads) == []
            assert all(head <= 0 or heads[head - 1] != GONE for head in heads), "no word depends on one that is gone"


@given(pairs())
def test_a_tree_with_a_linked_root_keeps_its_one_root(pair):
    found = alter(pair, extended=True)
    for side, tree, images in (("f", pair.f, pair.links.forward), ("e", pair.e, pair.links.backward)):
        if tree.root and images[tree.root]:
            assert all(heads.count(0) == 1 for heads in found.heads[side].values())


@given(any_pairs)
def test_stages_do_what_they_are_for(pair):
    found = alter(pair)
    for stages in found.counts.values():
        assert all(stages[stage]["unaligned"] == 0 for stage in ("remove", "merge", "swap"))
        assert stages["merge"]["merge"] == 0
        assert stages["initial"]["edges"] >= stages["remove"]["edges"] >= stages["merge"]["edges"] == stages["swap"]["edges"]


@given(any_pairs)
def test_the_log_leads_from_the_trees_as_given_to_those_left(pair):
    """Replayed with the three functions; the parent of a removal is the one it had as given."""
    found = alter(pair, extended=True)
    sides = {"f": pair.f, "e": pair.e}
    for step in found.operations:
        tree = sides[step.side]
        if step.kind == "remove":
            sides[step.side] = remove(step.child, tree)
            continue
        assert tree.heads[step.child - 1] == step.parent
        sides[step.side] = (swap if step.kind == "swap" else merge)(step.child, step.parent, tree)
    assert {side: tree.heads for side, tree in sides.items()} == {side: found.heads[side]["swap"] for side in ("f", "e")}


@given(any_pairs)
def test_mirroring_mirrors_the_counts(pair):
    here, there = alter(pair, extended=True), alter(pair.transpose, extended=True)
    for stage in ("initial", "remove", "merge"):
        assert here.counts["e_to_f"][stage] == there.counts["f_to_e"][stage]
        assert here.counts["f_to_e"][stage] == there.counts["e_to_f"][stage]
        assert here.heads["f"][stage] == there.heads["e"][stage]
    plain, plain_there = alter(pair), alter(pair.transpose)
    assert plain.counts["e_to_f"] == plain_there.counts["f_to_e"]
    assert plain.counts["f_to_e"] == plain_there.counts["e_to_f"]
    assert plain.heads["f"] == plain_there.heads["e"]
    assert plain.links == {(i, j) for j, i in plain_there.links}


@given(trees())
def test_a_tree_and_itself(tree):
    n = len(tree)
    found = alter(Pair(tree, tree, Links(frozenset((k, k) for k in range(1, n + 1)), (n, n))), extended=True)
    assert found.operations == ()
    for stages in found.counts.values():
        assert all(counts["match"] == counts["edges"] == max(0, n - 1) for counts in stages.values())


@given(forests())
def test_a_forest_and_itself(forest):
    n = len(forest)
    pair = Pair(forest, forest, Links(frozenset((k, k) for k in range(1, n + 1)), (n, n)))
    assert sent_match(pair) == corpus_match([pair]) == 1.0


@given(any_pairs)
def test_extended_begins_where_merge_ends(pair):
    plain, extended = alter(pair), alter(pair, extended=True)
    for direction in DIRECTIONS:
        for stage in ("initial", "remove", "merge"):
            assert plain.counts[direction][stage] == extended.counts[direction][stage]
    kinds = [s.kind for s in extended.operations]
    assert kinds.count("extended") % 2 == 0
    if "extended" not in kinds:
        assert plain.operations == extended.operations
        assert plain.counts["e_to_f"]["swap"] == extended.counts["e_to_f"]["swap"]


@given(trees(min_size=2))
def test_swap_and_swap_again(tree):
    child, parent = next(iter(tree.edges))
    assert swap(parent, child, swap(child, parent, tree)) == tree


@given(forests())
def test_single_operations_are_the_brute_force(tree):
    edges = bruteforce.edges_of(tree.heads)
    for word in range(1, len(tree) + 1):
        assert bruteforce.edges_of(remove(word, tree).heads) == bruteforce.remove(word, edges)
    for child, parent in tree.edges:
        assert bruteforce.edges_of(merge(child, parent, tree).heads) == bruteforce.merge(child, parent, edges)
        assert bruteforce.edges_of(swap(child, parent, tree).heads) == bruteforce.swap(child, parent, edges)


@given(any_pairs, any_pairs)
@settings(max_examples=settings().max_examples // 3)
def test_analysis_is_a_sum(one, two):
    both = analyze([one, two])
    assert (both.counts == analyze([one]).counts + analyze([two]).counts).all()
    assert both.operations == analyze([one]).operations + analyze([two]).operations


@given(st.integers(0, 10**9), st.integers(1, 25))
@settings(max_examples=4 * settings().max_examples)
def test_known_divergences_come_back(seed, n):
    pair, expected = known_pair(random.Random(seed), n)
    found = alter(pair)
    steps = [(s.side, s.kind, s.child, None if s.kind == "remove" else s.parent) for s in found.operations]
    assert len(steps) == len(set(steps))
    assert set(steps) == expected
    for stages in found.counts.values():
        assert stages["swap"]["match"] == stages["swap"]["edges"]
    assert {s.before for s in found.operations if s.kind == "merge"} <= {"merge", "match"}
    assert {s.before for s in found.operations if s.kind == "swap"} <= {"swap"}


def test_known_divergences_are_of_every_kind():
    kinds = {step[:2] for seed in range(50) for step in known_pair(random.Random(seed), 15)[1]}
    assert kinds == {(side, kind) for side in "fe" for kind in ("remove", "merge", "swap")}


def test_random_pairs_are_of_every_kind():
    """The generator makes what the brute force is to be compared on."""
    found = [random_pair(random.Random(seed), 8, 8) for seed in range(60)]
    heads = [head for one in found for head in (*one.f.heads, *one.e.heads)]
    assert NO_HEAD in heads
    assert any(one.f.heads.count(0) > 1 for one in found)
    assert any(len(images) > 1 for one in found for images in one.links.forward)
    assert any(not one.links.links for one in found)
    assert jit.WORTH > 60, "alter() takes the plain kernel for them"
