"""Snyder et al.'s sums over alignment trees by enumeration, Giza-scores, priors, and a grammar that is found again."""

from __future__ import annotations

import inspect
import math
import random
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from unit.induction import brute

from divproj.induction import sampler
from divproj.induction import tree_alignment as ta
from divproj.induction.inducer import BilingualInducer, giza_priors
from divproj.induction.reading import TagPair

GOLDEN = tomllib.loads(Path(__file__).with_name("snyder2009.toml").read_text(encoding="utf-8"))


def log_sum(one, two, rho, kind=ta.sum_trees):
    (_, _, left1, right1), (_, _, left2, right2) = brute.arrays(one), brute.arrays(two)
    shape = len(left1), len(left2)
    return kind(left1, right1, left2, right2, rho, np.zeros((ta.TABLES, *shape)), np.zeros(shape, np.int32))


@pytest.mark.parametrize(("n", "m", "trees", "matchings"), GOLDEN["alignment_trees"]["counts"])
def test_numbers_of_alignment_trees(n, m, trees, matchings):
    for one in brute.all_trees(0, n):
        for two in brute.all_trees(0, m):
            sides = [x for tree in (one, two) for x in brute.arrays(tree)[2:]]
            every = brute.alignment_trees(*sides)
            assert len(every) == trees
            assert len({brute.matching(state) for state in every}) == matchings
            ones = np.ones((2 * n - 1, 2 * m - 1))
            assert round(math.exp(log_sum(one, two, ones))) == trees
            assert round(math.exp(log_sum(one, two, ones, ta.sum_matchings))) == matchings


def test_the_probability_of_a_tree_pair_is_the_sum_over_its_alignments():
    """Σ_A Π w(a,b) Π u(a) Π u(b), in exact fractions, for all pairs of trees with two and three leaves."""
    chance = random.Random(5)
    rho = [[Fraction(chance.randint(0, 9), chance.randint(1, 9)) for _ in range(5)] for _ in range(3)]
    seen = 0
    for one in brute.all_trees(0, 2):
        for two in brute.all_trees(0, 3):
            sides = [x for tree in (one, two) for x in brute.arrays(tree)[2:]]
            exact = sum(brute.weight(brute.matching(state), rho) for state in brute.alignment_trees(*sides))
            found = log_sum(one, two, np.array(rho, float))
            assert found == pytest.approx(math.log(exact), abs=GOLDEN["tolerance"])
            seen += 1
    assert seen == 2


def test_giza_scores():
    row = GOLDEN["giza"]
    for links, wanted in ((row["links"], row["score"]), ([*row["links"], row["more"]], row["score_with_more"])):
        n, m = row["words"][0], 3
        sums = np.zeros((n + 1, m + 1))
        array = np.array([(i - 1, j - 1) for i, j in links], np.int32)
        sampler.link_sums(n, m, 0, len(links), array, np.ones(len(links)), sums)
        (i, j), (k, last) = row["span_pair"]
        assert sampler.giza_pair(sums, n, m, i, j, k, last) - row["cap"] == wanted
    assert row["cap"] == sampler.CAP
    assert [sampler.giza_node(float(x)) for x in range(6)] == [0, 1, 2, 3, 3, 3]


def test_priors():
    row = GOLDEN["priors"]
    given = inspect.signature(BilingualInducer).parameters
    assert given["coupling"].default == row["yield_pairs"]
    pairs, nodes = giza_priors(given["giza_high"].default, given["giza_low"].default)
    assert pairs.tolist() == [row["giza_pair"]["others"]] * 4 + [row["giza_pair"]["above_zero"]] * 3
    assert nodes.tolist() == [row["giza_node"]["zero"]] + [row["giza_node"]["others"]] * 3


def sentence(chance):
    """A tree of F (spans over tags), the tags of E, and links: NP → D (A) N, VP → V NP; E has N A, and the verb last."""

    def phrase(start):
        tags = ["D", "A", "N"] if chance.random() < 0.4 else ["D", "N"]
        end = start + len(tags)
        spans = {(start, end), *([(start + 1, end)] if len(tags) == 3 else [])}
        return tags, spans, end

    subject, spans, at = phrase(0)
    object_, more, end = phrase(at + 1)
    f = [*subject, "V", *object_]
    order = [0, *range(len(subject) - 1, 0, -1), len(subject) + 1, *range(end - 1, len(subject) + 1, -1), len(subject)]
    links = {(i + 1, j): 1.0 for j, i in enumerate(order, 1)}
    return TagPair(tuple(f), tuple(f[i].lower() for i in order), links), spans | more | {(at, end), (0, end)}


def test_a_grammar_is_found_again():
    row = GOLDEN["synthetic"]
    chance = random.Random(row["seed"])
    made = [sentence(chance) for _ in range(row["pairs"])]
    model = BilingualInducer(sweeps=row["sweeps"], restarts=2, random_state=row["seed"]).fit([pair for pair, _ in made])
    f1 = model.score([pair.f for pair, _ in made], [spans for _, spans in made], "f")
    assert f1 >= row["least_f1"]
