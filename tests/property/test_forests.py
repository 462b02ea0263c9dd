"""Forests against brute force on small inputs."""

import contextlib
import random
from math import exp, isclose, log

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from randomtrees import all_trees, random_forest, random_tree

from divproj.core.errors import Faults, ProjError
from divproj.forest import build, parses
from divproj.forest.hypergraph import Forest
from divproj.io.trees import brackets
from divproj.io.trees import forest as forest_io
from divproj.io.trees.forests import FORMATS, forests_of

seeds = st.integers(0, 10**6)


@given(seeds, st.integers(1, 7), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_sums_maxima_and_counts_are_those_of_all_trees(seed: int, words: int, trees: int) -> None:
    forest = random_forest(random.Random(seed), words, trees).check()
    found = list(all_trees(forest))
    weights = [sum(forest.edges[k].weight for k in tree) for tree in found]
    total = sum(map(exp, weights))
    assert len(found) == len(set(found)) == parses.count_trees(forest)
    rho = parses.marginals(forest)
    assert isclose(rho.log_sum, log(total), abs_tol=1e-9)
    for k in range(len(forest.edges)):
        assert isclose(rho.edge[k], sum(exp(w) for t, w in zip(found, weights, strict=True) if k in t) / total, abs_tol=1e-9)
    around = parses.inside(forest) + parses.outside(forest) - rho.log_sum
    assert np.allclose(np.exp(around), rho.node, atol=1e-9)
    best = parses.viterbi(forest)
    assert isclose(best.weight, max(weights), abs_tol=1e-9)
    assert frozenset(best.edges) in found


@given(seeds, st.integers(2, 7), st.integers(1, 6), st.integers(1, 30))
@settings(max_examples=50, deadline=None)
def test_k_best_are_the_k_best(seed: int, words: int, trees: int, k: int) -> None:
    forest = random_forest(random.Random(seed), words, trees)
    weights = sorted((sum(forest.edges[e].weight for e in tree) for tree in all_trees(forest)), reverse=True)
    found = list(parses.k_best(forest, k))
    assert len({frozenset(parse.edges) for parse in found}) == len(found) == min(k, len(weights))
    assert np.allclose([parse.weight for parse in found], weights[:k])
    assert all(forest.tree(parse.edges).check().is_tree for parse in found)


@given(
    seeds, st.integers(1, 8), st.integers(1, 6), st.sampled_from(("nodes", "trees")), st.sampled_from(("head", "left", "right"))
)
@settings(max_examples=60, deadline=None)
def test_an_n_best_forest_has_its_trees_and_their_shares(seed: int, words: int, count: int, pack: str, binarise: str) -> None:
    chance = random.Random(seed)
    trees = [random_tree(chance, words) for _ in range(count)]
    scores = [chance.uniform(-9, 0) for _ in trees]
    forest = build.from_n_best(trees, scores, pack=pack, binarise=binarise).check()
    single = [build.from_tree(tree, binarise=binarise) for tree in trees]
    assert all(parses.contains(forest, one) for one in single)
    shapes = {frozenset((forest_key(one, e.left), forest_key(one, e.right)) for e in one.edges) for one in single}
    assert parses.count_trees(forest) >= len(shapes)
    if pack == "trees":
        assert parses.count_trees(forest) == len(shapes)
    rho = parses.marginals(forest)
    assert isclose(rho.log_sum, 0.0, abs_tol=1e-9)
    total = sum(map(exp, scores))
    spans = {node.span for node in forest.nodes}
    for span in spans:
        share = sum(exp(s) for s, one in zip(scores, single, strict=True) if span in {n.span for n in one.nodes}) / total
        mine = sum(rho.node[k] for k, node in enumerate(forest.nodes) if node.span == span)
        assert isclose(mine, share, abs_tol=1e-9)


@given(seeds, st.integers(1, 8), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_all_binarisations_of_an_n_best_list_have_its_shares(seed: int, words: int, count: int) -> None:
    chance = random.Random(seed)
    trees = [random_tree(chance, words) for _ in range(count)]
    scores = [chance.uniform(-9, 0) for _ in trees]
    forest = build.from_n_best(trees, scores, binarise="all").check()
    total = sum(map(exp, scores))
    expected: dict[tuple[int, int], float] = {}
    for tree, score in zip(trees, scores, strict=True):
        for span, rho in by_span(build.from_tree(tree, binarise="all")).items():
            expected[span] = expected.get(span, 0.0) + rho * exp(score) / total
    found = by_span(forest)
    assert set(found) == set(expected)
    assert all(isclose(found[span], expected[span], abs_tol=1e-9) for span in found)


def by_span(forest: Forest) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for node, rho in zip(forest.nodes, parses.marginals(forest).node, strict=True):
        found[node.span] = found.get(node.span, 0.0) + rho
    return found


def forest_key(forest, node):  # type: ignore[no-untyped-def]
    """A subtree's identity: its nodes, whatever their numbers."""
    below, stack = [], [node]
    while stack:
        here = stack.pop()
        below.append(forest.nodes[here])
        for k in forest.edges_of[here]:
            stack += [forest.edges[k].left, forest.edges[k].right]
    return tuple(sorted(below, key=repr))


@given(seeds, st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_all_binarisations_hold_every_single_one_equally(seed: int, words: int) -> None:
    tree = random_tree(random.Random(seed), words)
    forest = build.from_tree(tree, binarise="all").check()
    expected = 1
    for node in tree.nodes:
        kids = len(node.children)
        expected *= catalan(kids - 1) if kids > 1 else 1
    assert parses.count_trees(forest) == expected
    for way in ("head", "left", "right"):
        one = build.from_tree(tree, binarise=way).check()
        assert one.is_tree
        place = {(n.span, n.virtual): k for k, n in enumerate(forest.nodes)}
        edges = {(e.parent, e.left, e.right): e.weight for e in forest.edges}
        where = [place[n.span, n.virtual] for n in one.nodes]
        weight = sum(edges[where[e.parent], where[e.left], where[e.right]] for e in one.edges)
        assert isclose(weight, -log(expected), abs_tol=1e-9)
        assert one.to_nltk() == tree.to_nltk()


def catalan(n: int) -> int:
    found = 1
    for k in range(n):
        found = found * 2 * (2 * k + 1) // (k + 2)
    return found


@given(seeds, st.integers(1, 10), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_written_forests_and_trees_come_back(seed: int, words: int, count: int) -> None:
    chance = random.Random(seed)
    forest = random_forest(chance, words, count)
    assert forest_io.loads(forest_io.dumps(forest)) == [forest]
    trees = tuple(random_tree(chance, words) for _ in range(count))
    item = brackets.NBest(trees, tuple(chance.uniform(-90, 0) for _ in trees), "7")
    again = brackets.loads(brackets.dumps(item))
    assert [(one.scores, one.sent_id) for one in again] == [(item.scores, "7")]
    assert [tree.nodes for tree in again[0].trees] == [tree.nodes for tree in trees]


@given(seeds, st.integers(1, 7))
@settings(max_examples=30, deadline=None)
def test_the_arc_forest_has_every_projective_tree_once(seed: int, words: int) -> None:
    """The sum over the forest is the sum over all projective dependency trees, found by brute force."""
    words = min(words, 5)
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
    forms = [f"w{k}" for k in range(words)]
    forest = build.from_arc_scores(forms, ["NN"] * words, scores).check()
    assert isclose(parses.marginals(forest).log_sum, 0.0, abs_tol=1e-9)
    weight: dict[frozenset[tuple[int, int]], float] = {}
    for heads in projective_trees(words):
        shape = spans_of(heads)
        weight[shape] = weight.get(shape, 0.0) + exp(sum(scores[h, d] for d, h in enumerate(heads, 1)))
    total = sum(weight.values())
    got: dict[frozenset[tuple[int, int]], float] = {}
    for tree in all_trees(forest):
        shape = frozenset(forest.nodes[forest.edges[k].parent].span for k in tree)
        got[shape] = got.get(shape, 0.0) + exp(sum(forest.edges[k].weight for k in tree))
    assert set(got) == set(weight)
    assert all(isclose(got[shape], weight[shape] / total, abs_tol=1e-9) for shape in got)


def projective_trees(n: int) -> list[tuple[int, ...]]:
    import itertools

    from divproj.core.tree import cycles
    from divproj.forest.dependencies import projective

    whole = itertools.product(range(n + 1), repeat=n)
    return [
        h
        for h in whole
        if h.count(0) == 1 and not cycles(h) and list(h) == projective(h) and all(a != b for a, b in enumerate(h, 1))
    ]


def spans_of(heads: tuple[int, ...]) -> frozenset[tuple[int, int]]:
    """Spans of the phrases when every head takes its left dependents first, nearest first."""
    n = len(heads)
    reach = {k: [k, k + 1] for k in range(1, n + 1)}
    found = set()
    order = sorted(range(1, n + 1), key=lambda k: -depth(heads, k))
    for k in order:
        kids = [d for d, h in enumerate(heads, 1) if h == k]
        for d in sorted((x for x in kids if x < k), reverse=True) + sorted(x for x in kids if x > k):
            reach[k] = [min(reach[k][0], reach[d][0]), max(reach[k][1], reach[d][1])]
            found.add((reach[k][0] - 1, reach[k][1] - 1))
    return frozenset(found)


def depth(heads: tuple[int, ...], k: int) -> int:
    steps = 0
    while k:
        k, steps = heads[k - 1], steps + 1
    return steps


PIECES = (
    "(", ")", "(S ", "(NP (NN dog))", "((", "))", "-1.5\t", "-2\n", "2 s1\n", "\n", "\n\n", "# sent_id = a\n", "word ", "(-NONE- *)", "<s>", "</s>",
    "<sentence>", "</sentence>", '<cons id="c" cat="N">', "</cons>", "<tok>x</tok>", '<s id="1">', '<t id="a" word="b"/>', '<nt id="n">', "</nt>",
    '<edge idref="a"/>', "<!-- ", " -->", "<!DOCTYPE x [", "&a;", "{", "}", '"format"', "[1,2]", "\x00", "\ufeff", "1\tA\t_\tX\t_\t_\t0\t_\t_\t_\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from((None, *FORMATS)))
@settings(max_examples=80, deadline=None)
def test_whatever_is_read_is_sound_or_said(pieces: list[str], format: str | None) -> None:  # noqa: A002
    with contextlib.suppress(ProjError):
        for forest in forests_of("".join(pieces), format, Faults(strict=False)):
            forest.check()
