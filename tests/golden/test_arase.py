"""Arase & Tsujii's algorithms on worked examples, and their objective by brute force over all legitimate sets."""

from __future__ import annotations

import math
import random
import tomllib
from pathlib import Path

import networkx as nx
import numpy as np
import phrase_oracle as oracle
import pytest

from divproj.forest.hypergraph import Forest
from divproj.io.trees.forests import forests_of
from divproj.phrases import beam_search
from divproj.phrases.beam_search import Packs, SearchLimits, refine
from divproj.phrases.problem import Problem, fill, posteriors, read_off

GOLDEN = tomllib.loads(Path(__file__).with_name("arase2017.toml").read_text(encoding="utf-8"))
EXAMPLES = [name for name, value in GOLDEN.items() if isinstance(value, dict)]
FREE = SearchLimits(beam=0, supports=0, steps=0, traces=0)


def problem_of(row: dict) -> Problem:
    """Constant Pr, words that are no candidates cannot be paired, nor a word with a phrase (Definition 3.1)."""
    [src], [tgt] = (forests_of(row[key], "brackets") for key in ("source", "target"))
    leaf = [np.array([x.end - x.start == 1 for x in f.nodes]) for f in (src, tgt)]
    log_pair = math.log(row.get("pair", GOLDEN["pair"]))
    pair = np.full((len(src), len(tgt)), log_pair)
    pair[leaf[0]] = pair[:, leaf[1]] = -np.inf
    for u, a in enumerate(src.nodes):
        for v, b in enumerate(tgt.nodes):
            if leaf[0][u] and leaf[1][v] and [a.start, b.start] in row["links"]:
                pair[u, v] = log_pair
    nulls = [
        np.array([math.log(GOLDEN["null"]) - GOLDEN["null_cost"] * (x.end - x.start) for x in f.nodes]) for f in (src, tgt)
    ]
    sides = oracle.side(src, nulls[0]), oracle.side(tgt, nulls[1])
    return Problem(*sides, pair, GOLDEN["null_cost"] * GOLDEN["noncomp_cost"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_worked_examples(name):
    row = GOLDEN[name]
    problem, logs = problem_of(row), row["logs"]
    wanted = logs["pair"] * math.log(row.get("pair", GOLDEN["pair"])) + logs["null"] * math.log(GOLDEN["null"])
    wanted -= GOLDEN["null_cost"] * (logs["words"] + GOLDEN["noncomp_cost"] * logs["noncomp"])
    found = Packs(problem, FREE, beam_search.align).best_set()
    assert found is not None
    assert found.score == pytest.approx(wanted, abs=GOLDEN["tolerance"])
    [src], [tgt] = (forests_of(row[key], "brackets") for key in ("source", "target"))
    spans = {(src.nodes[u].span, tgt.nodes[v].span) for u, v in found.pairs}
    assert spans == {tuple(map(tuple, pair)) for pair in row["pairs"]}
    if logs["noncomp"]:
        climbed = refine(problem, read_off(fill(problem, compiled=False)), True)
        assert climbed.score == pytest.approx(wanted, abs=GOLDEN["tolerance"])
        assert set(climbed.pairs) == set(found.pairs)
    else:
        assert read_off(fill(problem, compiled=False), compiled=False).score == pytest.approx(wanted, abs=GOLDEN["tolerance"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_objective_is_the_best_of_all_legitimate_sets(name):
    """α of every legitimate set by enumeration: its largest is the search's, its sum the chart's."""
    row = GOLDEN[name]
    problem = problem_of(row)
    place = [{s.arrays.start[k]: k for k in np.flatnonzero(s.arrays.is_leaf)} for s in (problem.src, problem.tgt)]
    links = [(place[0][i], place[1][j]) for i, j in row["links"]]
    best = oracle.best(problem, links, compositional=False)
    found = Packs(problem, FREE, beam_search.align).best_set()
    assert found is not None
    assert found.score == pytest.approx(best, abs=GOLDEN["tolerance"])
    every = [score for _, score in oracle.sets(problem, links)]
    assert every
    sums = posteriors(problem, compiled=False)
    assert sums is not None
    assert sums.log_sum == pytest.approx(math.log(sum(map(math.exp, every))), abs=GOLDEN["tolerance"])


def graph_of(forest: Forest) -> nx.DiGraph:
    """The phrases of a tree, each above its two parts."""
    packed = forest.to_networkx()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(forest)))
    graph.add_edges_from((node, part) for node in range(len(forest)) for edge in packed[node] for part in packed[edge])
    return graph


@pytest.mark.parametrize("seed", range(40))
def test_the_theorems_of_section_3(seed):
    """In every legitimate set, each side of a pair has one support above all others (3.1), and the pair joins the lowest common ancestors
    of its two supports (3.2); ancestors by networkx."""
    chance = random.Random(seed)
    forests = [oracle.random_tree(chance, chance.randint(3, 6)) for _ in range(2)]
    problem, links = oracle.problem_of(chance, *forests)
    graphs = [graph_of(forest) for forest in forests]
    below = [{node: {node, *nx.descendants(graph, node)} for node in graph} for graph in graphs]
    chart = read_off(fill(problem, compiled=False), compiled=False)
    found = [*(pairs for pairs, _ in oracle.sets(problem, links)), *([set(chart.pairs)] if math.isfinite(chart.score) else [])]
    for pairs in found:
        for u, v in pairs:
            tops = []
            for part in graphs[0][u]:
                supports = [(x, y) for x, y in pairs if x in below[0][part] and (x, y) != (u, v)]
                top = [p for p in supports if all(x in below[0][p[0]] and y in below[1][p[1]] for x, y in supports)]
                assert len(top) == bool(supports)
                tops += top
            assert len(tops) != 1
            if tops:
                (a, c), (b, d) = tops
                assert nx.lowest_common_ancestor(graphs[0], a, b) == u
                assert nx.lowest_common_ancestor(graphs[1], c, d) == v
