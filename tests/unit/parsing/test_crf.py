"""The conditional random field: each step makes the gold tree more probable."""

from __future__ import annotations

import numpy as np
import pytest
from toybank import CROSSED, TOY
from trees_by_force import edge_sum

from divproj.data.tree import NO_HEAD
from divproj.parsing import crf, marginals
from divproj.parsing.atoms import Batch, ParserInput
from divproj.parsing.features import edge_scores

BITS = 14


class Run:
    def __init__(self, trees, crossing=False):
        self.trees, self.crossing = trees, crossing
        self.batch = Batch.of([ParserInput.of(tree) for tree in trees])
        self.heads = self.batch.flat(tree.heads for tree in trees)
        self.weights, self.squares = np.zeros(1 << BITS, np.float32), np.zeros(1 << BITS, np.float32)
        self.later, self.state = np.zeros(1 << BITS), np.zeros(3)

    def learn(self, *order, l2=1e-4):
        order = np.array(order or range(len(self.trees)))
        crf.epoch(
            self.weights, self.squares, self.later, self.state, order, self.batch, self.heads, crossing=self.crossing, l2=l2
        )  # fmt: skip

    def log_likelihood(self):
        total = 0.0
        sums = marginals.nonprojective if self.crossing else marginals.projective.compiled
        for s, tree in enumerate(self.trees):
            own = slice(self.batch.first[s], self.batch.first[s + 1])
            scores = np.zeros((len(tree) + 1, len(tree) + 1))
            edge_scores.compiled(self.weights, self.batch.atoms[own], self.batch.more[own], self.batch.codes_of(s), 0, scores)
            total += edge_sum(scores, tree.heads) - sums(scores, np.zeros_like(scores))
        return total


@pytest.mark.parametrize(("trees", "crossing"), [(TOY, False), (TOY + CROSSED, True)])
def test_the_likelihood_of_gold_trees_rises(trees, crossing):
    run = Run(trees, crossing)
    seen = [run.log_likelihood()]
    for _ in range(4):
        run.learn()
        seen.append(run.log_likelihood())
    assert seen == sorted(seen)
    assert seen[-1] > 0.2 * seen[0]


def test_one_step_goes_up_the_slope():
    run = Run(TOY[2:3])
    before = run.log_likelihood()
    run.learn(0)
    assert run.log_likelihood() > before


def test_the_loss_is_the_doubt_about_gold_heads():
    run = Run(TOY[6:7])
    run.learn(0)
    assert run.state.tolist() == [1, 0, 1], "a sentence of one word leaves no doubt"
    run = Run(TOY[:1])
    run.learn(0)
    assert 0 < run.state[1] < run.state[2] == 3


def test_unknown_heads_teach_nothing():
    run = Run([TOY[2].with_heads([NO_HEAD] * len(TOY[2]))])
    run.learn(0)
    assert not run.weights.any()
    assert run.state.tolist() == [1, 0, 0]


def test_no_words_do_no_harm():
    run = Run([TOY[0].with_heads([])], False)
    run.batch = Batch.of([ParserInput((), ())])
    run.heads = np.array([-1])
    run.learn(0)
    assert not run.weights.any()


def test_a_strong_penalty_keeps_weights_small():
    free, bound = Run(TOY), Run(TOY)
    for _ in range(5):
        free.learn(l2=0.0)
        bound.learn(l2=1.0)
    assert np.abs(bound.weights).sum() < np.abs(free.weights).sum()


def test_the_lazy_average_is_the_naive_one():
    run = Run(TOY[:3])
    sums = np.zeros(1 << BITS)
    turns = [2, 0, 1, 1, 2, 0]
    for s in turns:
        run.learn(s)
        sums += run.weights
    assert np.allclose(run.weights - (run.later - run.weights) / len(turns), sums / len(turns), atol=1e-5)
