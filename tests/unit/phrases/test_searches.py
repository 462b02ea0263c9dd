"""Each part of the searches against its definition, on trees of a few words whose nodes are in no convenient order.

They take seconds in plain Python, so that deliberate faults can be tried on them (bench/tools/mutants.py).
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from types import SimpleNamespace

import legit
import numpy as np
import phrase_oracle as oracle
import pytest

from divproj.phrases import beam_search
from divproj.phrases.beam_search import Packs, PostorderTree, SearchLimits, refine
from divproj.phrases.problem import ForestSide, Problem, fill, read_off

NO_LIMITS = {"beam": 0, "supports": 0, "steps": 0, "traces": 0}


def some_problem(seed: int, most: int = 5, noncomp: float | None = 0.3, more: int = 1) -> tuple[Problem, list]:
    """Trees whose nodes are numbered by their width; words may go with phrases."""
    chance = random.Random(seed)
    src, tgt = (oracle.random_forest(chance, chance.randint(2, most), more) for _ in range(2))
    problem, links = oracle.problem_of(chance, src, tgt, noncomp)
    leaves = [side.arrays.is_leaf for side in (problem.src, problem.tgt)]
    for u, v in zip(*np.nonzero(leaves[0][:, None] != leaves[1][None, :]), strict=True):
        if chance.random() < 0.15:
            problem.pair[u, v] = -chance.random()
            links.append((int(u), int(v)))
    return problem, links


def trees_of(side: ForestSide):
    """All trees of a side, as {node: edge in sorted order}."""
    return oracle.trees_of(SimpleNamespace(arrays=side.arrays, root=side.root))


class Arrays:
    """A problem of two trees as the kernels want it, in post-order."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sides = [PostorderTree.of(side, tuple(range(len(side.weight)))) for side in (problem.src, problem.tgt)]
        self.trees = [oracle.Tree(side) for side in (problem.src, problem.tgt)]
        self.places = [{int(node): k for k, node in enumerate(side.nodes)} for side in self.sides]
        source, target = self.sides
        self.three = (*source.three, *target.three)
        self.pair = np.ascontiguousarray(problem.pair[np.ix_(source.nodes, target.nodes)])
        self.nulls = problem.src.null[source.nodes], problem.tgt.null[target.nodes]
        self.n, self.m = self.pair.shape
        self.image, self.room = np.empty(self.n, np.int32), np.empty((7, max(self.n, self.m)), np.int32)

    def links(self, chosen):
        link = np.full(self.n, -1, np.int32)
        for u, v in chosen:
            link[self.places[0][u]] = self.places[1][v]
        return link

    def pairs(self, image):
        return {(int(self.sides[0].nodes[k]), int(self.sides[1].nodes[v])) for k, v in enumerate(image) if v >= 0}

    def value(self, link):
        return beam_search.value.plain(*self.three, self.pair, *self.nulls, self.problem.noncomp, link, self.image, self.room)

    def charts(self):
        A, E = np.empty((self.n, self.m)), np.empty((self.n, self.m))
        beam_search.fill.plain(*self.three, self.pair, *self.nulls, A, E)
        return A, E

    def realign(self, charts, u, v, link):
        stack = np.empty((self.n + 2, 2), np.int32)
        return beam_search.realign.plain(*self.three, *self.nulls, *charts, u, v, link, stack)

    def climb(self, link, kicks, steps):
        return beam_search.climb.plain(*self.three, self.pair, *self.nulls, self.problem.noncomp, link, kicks, steps)


def subsets(chance: random.Random, given: Arrays, links: list, count: int):
    """Some sets of links, one-to-one, none of whose sources is in another's."""
    source = given.trees[0]
    for _ in range(count):
        chosen: list[tuple[int, int]] = []
        for u, v in chance.sample(links, chance.randint(0, len(links))):
            if not any(source.within(u, x) or source.within(x, u) or v == y for x, y in chosen):
                chosen.append((u, v))
        yield chosen


@pytest.mark.parametrize("seed", range(6))
def test_a_tree_in_post_order(seed):
    problem, _ = some_problem(seed, 7, more=3)
    for side in (problem.src, problem.tgt):
        edges = next(iter(trees_of(side)))
        tree, plain = PostorderTree.of(side, tuple(edges.values())), oracle.Tree(side, edges)
        assert sorted(tree.nodes.tolist()) == sorted(plain.nodes)
        assert tree.nodes[-1] == side.root
        assert tree.edges == tuple(sorted(edges.values()))
        for k, node in enumerate(tree.nodes.tolist()):
            inside = {x for x in plain.nodes if plain.within(x, node)}
            assert inside == set(tree.nodes[tree.low[k] : k + 1].tolist())
            assert plain.mother.get(node, -1) == (tree.nodes[tree.mother[k]] if tree.mother[k] >= 0 else -1)
            kids = [int(tree.nodes[tree.left[k]]), int(tree.nodes[k - 1])] if tree.left[k] >= 0 else []
            assert kids == list(plain.children.get(node, ()))


def test_links_make_the_set_of_the_definition_with_its_score():
    legitimate = failures = dissolved = 0
    for seed in range(60):
        problem, links = some_problem(seed, 6)
        given, chance = Arrays(problem), random.Random(seed)
        for chosen in subsets(chance, given, links, 25):
            link = given.links(chosen)
            pairs = oracle.assemble(*given.trees, chosen, False)
            root = (problem.src.root, problem.tgt.root)
            made = beam_search.assemble.plain(*given.three, link, given.image, given.room[0])
            assert made == bool(pairs and root in pairs)
            score = given.value(link)
            if not made:
                failures += 1
                assert score == -math.inf
                continue
            legitimate += 1
            dissolved += oracle.assemble(*given.trees, chosen, True) is None
            assert given.pairs(given.image) == pairs
            assert score == pytest.approx(oracle.score_of(problem, *given.trees, pairs), abs=1e-9)
    assert min(legitimate, failures) > 100
    assert dissolved > 20


def test_links_in_links_make_no_set():
    tried = 0
    for seed in range(12):
        given = Arrays(some_problem(seed)[0])
        left, low = given.sides[0].left, given.sides[0].low
        for u in np.flatnonzero(left >= 0):
            for x in range(low[u], u):
                link = np.full(given.n, -1, np.int32)
                link[u], link[x] = given.m - 1, 0
                assert not beam_search.assemble.plain(*given.three, link, given.image, given.room[0])
                assert given.value(link) == -math.inf
                tried += 1
    assert tried > 50


def test_the_chart_of_two_trees():
    for seed in range(20):
        problem, _ = some_problem(seed)
        given, filled = Arrays(problem), fill(problem, compiled=False)
        cells = np.ix_(given.sides[0].nodes, given.sides[1].nodes)
        for kernel, chart in zip(given.charts(), (filled.A, filled.E), strict=True):
            assert np.allclose(kernel, chart[cells], rtol=0, atol=1e-9)


def test_a_pair_is_aligned_anew_in_the_place_of_what_overlaps():
    tried = dropped = 0
    for seed in range(25):
        problem, links = some_problem(seed)
        given, chance = Arrays(problem), random.Random(seed)
        charts = given.charts()
        for chosen in subsets(chance, given, links, 3):
            for u, v in zip(*np.nonzero(charts[0] > -np.inf), strict=True):
                link = given.links(chosen)
                before = sum(link >= 0)
                x, y = int(given.sides[0].nodes[u]), int(given.sides[1].nodes[v])
                source, target = given.trees
                apart = {
                    (a, b)
                    for a, b in chosen
                    if not any(tree.within(c, d) or tree.within(d, c) for tree, c, d in ((source, a, x), (target, b, y)))
                }
                gained = given.realign(charts, u, v, link)
                assert gained == sum(link >= 0) - before
                after = given.pairs(link)
                assert apart <= after
                new = after - apart
                assert all(source.within(a, x) and target.within(b, y) for a, b in new)
                source.root, target.root = x, y
                pairs = oracle.assemble(source, target, new, True)
                assert (x, y) in pairs
                assert oracle.score_of(problem, source, target, pairs) == pytest.approx(charts[0][u, v], abs=1e-9)
                tried += 1
                dropped += len(apart) < len(chosen)
    assert tried > 500
    assert dropped > 100


def plain_climb(given: Arrays, link, kicks: int, steps: int):
    """The hill climbing of `beam_search.climb` by its docstring: one cell after the other, larger phrases first, round and round."""
    charts = given.charts()
    cells = itertools.cycle([(u, v) for u in reversed(range(given.n)) for v in reversed(range(given.m))])
    next(cells)
    words = [
        (x, y) for x in range(given.n) for y in range(given.m) if given.sides[0].left[x] < 0 and given.sides[1].left[y] < 0
    ]
    best, best_link = given.value(link), link.copy()
    now, now_link, held, tried, kicked = best, link.copy(), None, 0, 0
    while steps > 0:
        u, v = next(cells)
        steps, tried = steps - 1, tried + 1
        if charts[0][u, v] > -np.inf:
            new, gained = now_link.copy(), 0
            if new[u] == v:
                new[u] = -1
            else:
                gained = given.realign(charts, u, v, new)
            steps -= 2 * (given.n + given.m)
            if gained >= 0 and (held is None or new[held] == now_link[held]) and (score := given.value(new)) > now + 1e-9:
                now, now_link, tried = score, new, 0
        if tried < given.n * given.m:
            continue
        if now > best + 1e-9:
            best, best_link, kicked = now, now_link.copy(), 0
        tried = 0
        kick = next(
            ((x, y) for x, y in words if kicked <= x * given.m + y < kicks and charts[0][x, y] > -np.inf and best_link[x] != y),
            None,
        )
        if kick is None:
            break
        kicked, held = kick[0] * given.m + kick[1] + 1, kick[0]
        now_link = best_link.copy()
        given.realign(charts, *kick, now_link)
        now = given.value(now_link)
    return (now, now_link) if now > best + 1e-9 else (best, best_link)


@pytest.mark.parametrize(
    ("kicks", "steps"), [(0, 10**6), (10**6, 10**6), (9, 10**6), (1, 10**6), (10**6, 700), (10**6, 120), (0, 0)]
)
def test_climbing_goes_the_way_that_is_said(kicks, steps):
    better = 0
    for seed in (*range(30), 51, 144):  # in the last two the first pair of words must be linked by force
        problem, links = some_problem(seed, 4 if seed % 3 else 6)
        given, chance = Arrays(problem), random.Random(seed)
        for chosen in subsets(chance, given, links, 2):
            link = given.links(chosen)
            start = given.value(link)
            wanted, wanted_link = plain_climb(given, link, kicks, steps)
            score = given.climb(link, kicks, steps)
            assert score == wanted == given.value(link)
            assert link.tolist() == wanted_link.tolist()
            better += score > start + 1e-9
    assert (better > 5) == (steps > 0)


def test_a_better_set_comes_with_its_mothers_and_phrases_left_alone():
    """Climbing from the best compositional set, in trees and in forests."""
    better = 0
    for seed in range(160):
        problem, links = some_problem(seed, 5, more=1 + seed % 3)
        filled = fill(problem, compiled=False)
        if not filled.reachable:
            continue
        start = read_off(filled, compiled=False)
        one, both = refine(problem, start, both=False), refine(problem, start)
        for result in (one, both):
            assert legit.faults(problem, result) == []
            assert result.score >= start.score
            assert {*start.edges_s} <= {*result.edges_s}
            assert {*start.edges_t} <= {*result.edges_t}
        assert both.score >= one.score
        assert refine(problem, start, kicks=0, steps=0) is start
        if seed % 3 == 0:
            assert both.score <= oracle.best(problem, links, compositional=False) + 1e-8
        better += both.score > start.score + 1e-8
        if both is not start:
            assert both.truncated == start.truncated
            assert refine(problem, replace(start, truncated=True)).truncated
    assert better > 10


@pytest.mark.parametrize("more", [1, 3])
def test_supports_hold_the_best_sets_there_are(more):
    noncompositional = 0
    for seed in range(70):
        problem, links = some_problem(seed, 5 if more == 1 else 4, more=more)
        sums = [-math.inf, -math.inf]
        for edges_s, edges_t in itertools.product(*(list(trees_of(side)) for side in (problem.src, problem.tgt))):
            trees = oracle.Tree(problem.src, edges_s), oracle.Tree(problem.tgt, edges_t)
            for k, strict in enumerate((True, False)):
                scores = (score for _, score in oracle.sets(problem, links, strict, *trees))
                sums[k] = max(sums[k], max(scores, default=-math.inf))
        packed = Packs(problem, SearchLimits(**NO_LIMITS)).best_set()
        traced = Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).best_set()
        assert (packed.score if packed else -math.inf) == pytest.approx(sums[0], abs=1e-9)
        if more == 1:
            assert (traced.score if traced else -math.inf) == pytest.approx(sums[1], abs=1e-9)
        for result, strict in ((packed, True), (traced, False)):
            assert result is None or (result.reachable and not result.truncated)
            assert result is None or legit.faults(problem, result, strict) == []
        noncompositional += sums[1] > sums[0] + 1e-9
    assert noncompositional > 3


def reached(side: ForestSide, edges) -> set[int]:
    """Phrases that edges lead to from the root."""
    a, nodes = side.arrays, {side.root}
    for e in sorted(edges, key=lambda e: int(a.start[a.edge_parent[e]]) - int(a.end[a.edge_parent[e]])):
        if int(a.edge_parent[e]) in nodes:
            nodes |= {int(a.edge_left[e]), int(a.edge_right[e])}
    return nodes


@pytest.mark.parametrize(("seeds", "most", "more"), [((84, 106, 151, 171), 7, 1), (range(185, 200), 6, 3), (range(40), 5, 2)])
def test_what_a_pair_that_is_dissolved_leaves_behind(seeds, most, more):
    """Its phrases without a pair and its edges go to the pair above."""
    for seed in seeds:
        problem, _ = some_problem(seed, most, 0.0, more)
        result = Packs(problem, SearchLimits(**NO_LIMITS), beam_search.align).best_set()
        if result:
            assert legit.faults(problem, result) == []
            assert {u for u, _ in result.pairs} <= reached(problem.src, result.edges_s)
            assert {v for _, v in result.pairs} <= reached(problem.tgt, result.edges_t)


def test_the_budget_of_an_unpacking():
    trace = beam_search.Trace()
    trace.left = 2
    trace._step()
    trace._step()
    with pytest.raises(beam_search.OverflowedError):
        trace._step()
