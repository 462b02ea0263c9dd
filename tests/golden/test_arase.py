"""Arase & Tsujii's algorithms on worked examples, and their objective by brute force over all legitimate sets."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import numpy as np
import phrase_oracle as oracle
import pytest

from divproj.io.trees.forests import forests_of
from divproj.phrases import beam_search
from divproj.phrases.beam_search import Packs, SearchLimits
from divproj.phrases.hill_climbing import refine
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
