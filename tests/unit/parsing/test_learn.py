"""One pass of learning: margins, averages, parts of trees."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from feature_twin import Twin
from synthetic import random_heads
from toybank import CROSSED, TOY
from trees_by_force import grandparent_parts, is_projective, sibling_parts

from divproj.core.tree import NO_HEAD
from divproj.parsing import learn
from divproj.parsing.features import Batch, ParserInput
from divproj.parsing.parser import VOTE_BITS, MstParser

BITS = 14
RELS = ("root", "det", "nsubj", "obj", "advmod")


class Run:
    """Weights and what else a pass moves, for trees of the toy treebank."""

    def __init__(self, trees, *, rels=1, order=1, crossing=0, cost=1.0, clip=float("inf")):
        self.batch = Batch.of([ParserInput.of(tree) for tree in trees])
        self.order, self.crossing, self.rels = order, crossing, rels
        self.cost, self.clip = cost, clip
        self.heads = self.batch.flat(tree.heads for tree in trees)
        self.labels = self.batch.flat([number_of(tree, k, rels) for k in range(len(tree))] for tree in trees)
        self.weights, self.later = np.zeros(1 << BITS, np.float32), np.zeros(1 << BITS)
        self.votes = np.zeros((1 << VOTE_BITS, rels), np.float32)
        self.votes_later = np.zeros(self.votes.shape)
        self.state = np.zeros(3)

    def learn(self, *sentences):
        b = self.batch
        learn.epoch.compiled(
            self.weights, self.later, self.votes, self.votes_later, self.state, np.array(sentences, np.int64), b.first,
            b.atoms, b.more, b.codes, b.code_at, b.slots, self.order, self.crossing, self.heads, self.labels,
            self.cost, self.clip,
        )  # fmt: skip

    def parse(self, s, cost):
        """The tree found for a sentence, and its relations."""
        own = slice(self.batch.first[s], self.batch.first[s + 1])
        n1 = own.stop - own.start
        scores, best, heads = np.zeros((n1, n1)), np.zeros((n1, n1), np.int32), np.zeros(n1, np.int64)
        learn.parse_one.compiled(
            self.weights, self.votes, self.batch.atoms[own], self.batch.more[own], self.batch.codes_of(s), 0, self.order,
            self.crossing, self.heads[own], self.labels[own], cost, scores, best, heads,
        )  # fmt: skip
        return tuple(heads[1:].tolist()), tuple(int(best[h, c]) for c, h in enumerate(heads[1:], 1))


def number_of(tree, k, rels):
    return 0 if tree.heads[k] == 0 else -1 if tree.heads[k] < 0 or rels == 1 else 1 + k % (rels - 1)


def parts(tree, heads, order):
    """Places of all features of a tree over the words of another."""
    twin = Twin(tree.forms, tree.upos, mask=(1 << BITS) - 1)
    found = Counter(place for c, h in enumerate(heads, 1) for _, place in twin.edge(h, c))
    if order > 1:
        found.update(place for part in sibling_parts(heads) for _, place in twin.sibling(*part))
    if order > 2:
        found.update(place for part in grandparent_parts(heads) for _, place in twin.grandparent(*part))
    return found


def votes_for(tree, heads, rels):
    """(row, relation) of both ends' votes for the relations of a tree."""
    twin = Twin(tree.forms, tree.upos, mask=(1 << VOTE_BITS) - 1)
    found = Counter()
    for c, (h, rel) in enumerate(zip(heads, rels, strict=True), 1):
        left = c < h
        for word, role in ((h, 1 + left), (c, 3 + left)):
            rows = [place for _, place in twin.votes(word)]
            found.update((row, rel) for row in rows[:7] + rows[7 * role : 7 * role + 7])
    return found


def total(weights, found):
    return sum(float(weights[place]) * count for place, count in found.items())


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("rels", [1, 5])
@pytest.mark.parametrize("crossing", [0, 1])
def test_after_an_update_the_margin_is_the_loss(order, rels, crossing):
    for trees in (TOY[2:3], CROSSED[1:]):
        [tree] = trees
        run = Run(trees, order=order, rels=rels, crossing=crossing)
        heads, said = run.parse(0, cost=1.0)
        gold = tuple(run.labels[1:].tolist())
        loss = sum(a != b for a, b in zip(heads, tree.heads, strict=True))
        if rels > 1:
            loss += sum(a != b for a, b in zip(said, gold, strict=True))
        run.learn(0)
        margin = total(run.weights, parts(tree, tree.heads, order)) - total(run.weights, parts(tree, heads, order))
        if rels > 1:
            margin += total(run.votes, votes_for(tree, tree.heads, gold)) - total(run.votes, votes_for(tree, heads, said))
        assert loss > 0
        assert margin == pytest.approx(loss, abs=1e-3)
        assert run.state.tolist() == [1, sum(a != b for a, b in zip(heads, tree.heads, strict=True)), len(tree)]


def test_the_clip_bounds_the_step():
    free, clipped = Run(TOY[2:3]), Run(TOY[2:3], clip=1e-3)
    free.learn(0)
    clipped.learn(0)
    ratio = np.abs(free.weights).max() / np.abs(clipped.weights).max()
    assert ratio > 2
    assert np.allclose(clipped.weights * ratio, free.weights, atol=1e-5)


def test_a_tree_that_is_found_teaches_nothing():
    run = Run(TOY[:1])
    for _ in range(20):
        run.learn(0)
    before = run.weights.copy()
    run.learn(0)
    assert run.weights.tolist() == before.tolist()


class TestUnknownHeads:
    """Words whose head is not known."""

    def test_none_known_teaches_nothing(self):
        run = Run([TOY[2].with_heads([NO_HEAD] * len(TOY[2]))], order=3, rels=3)
        run.learn(0)
        assert not run.weights.any()
        assert not run.votes.any()
        assert run.state.tolist() == [1, 0, 0]

    def test_one_known_teaches_of_that_word_alone(self):
        tree = TOY[2].with_heads([NO_HEAD, 3, NO_HEAD, NO_HEAD, NO_HEAD, NO_HEAD])
        run = Run([tree])
        heads, _ = run.parse(0, cost=1.0)
        assert heads[1] != 3, "the cost drives it from the gold head"
        run.learn(0)
        twin = Twin(tree.forms, tree.upos, mask=(1 << BITS) - 1)
        allowed = {place for h in (3, heads[1]) for _, place in twin.edge(h, 2)}
        assert set(np.flatnonzero(run.weights).tolist()) <= allowed
        assert run.weights.any()
        assert run.state.tolist() == [1, 1, 1]


class TestAverage:
    def test_lazy_is_naive(self):
        run = Run(TOY[1:4], order=2, rels=5)
        sums, votes = np.zeros(1 << BITS), np.zeros(run.votes.shape)
        turns = [0, 1, 2, 2, 0, 1, 1, 0, 2]
        for s in turns:
            run.learn(s)
            sums += run.weights
            votes += run.votes
        steps = run.state[0]
        assert steps == len(turns)
        assert np.allclose(run.weights - (run.later - run.weights) / steps, sums / steps, atol=1e-5)
        assert np.allclose(run.votes - (run.votes_later - run.votes) / steps, votes / steps, atol=1e-5)

    def test_the_parser_keeps_the_average(self):
        trees = TOY[1:4]
        parser = MstParser(bits=BITS, epochs=2, order=2, labels=False, random_state=5).fit(trees)
        run = Run(trees, order=2)
        sums = np.zeros(1 << BITS)
        chance = np.random.default_rng(5)
        for s in [*chance.permutation(3), *chance.permutation(3)]:
            run.learn(s)
            sums += run.weights
        assert np.allclose(parser.weights_, sums / 6, atol=1e-5)


class TestParts:
    """What changes when a word changes its head."""

    def trees(self, count=40):
        import random

        rng = random.Random(3)
        for _ in range(count):
            yield tuple(random_heads(rng, rng.randint(1, 7)))

    @pytest.mark.parametrize("way", ["plain", "compiled"])
    def test_inner_siblings(self, way):
        for heads in self.trees():
            array = np.array((-1, *heads), np.int64)
            for h, s, c in sibling_parts(heads):
                assert array[c] == h
                assert getattr(learn.inner_sibling, way)(array, c) == s

    @pytest.mark.parametrize("way", ["plain", "compiled"])
    def test_sums_of_siblings_and_grandparents(self, way):
        rng = np.random.default_rng(1)
        for heads in self.trees():
            n1 = len(heads) + 1
            array = np.array((-1, *heads), np.int64)
            table = rng.normal(size=(n1, n1, n1)).astype(np.float32)
            for h in range(n1):
                expected = sum(table[part] for part in sibling_parts(heads) if part[0] == h)
                assert getattr(learn.sibling_sum, way)(table, array, h) == pytest.approx(float(expected), abs=1e-5)
            for c, h in enumerate(heads, 1):
                expected = sum(table[part] for part in grandparent_parts(heads) if c in (part[2], part[1]))
                assert getattr(learn.grand_sum, way)(table, array, c, h) == pytest.approx(float(expected), abs=1e-5)

    @pytest.mark.parametrize("way", ["plain", "compiled"])
    def test_crossing_edges(self, way):
        for heads in self.trees():
            array = np.array((-1, *heads), np.int64)
            crossed = any(getattr(learn.would_cross, way)(array, h, c) for c, h in enumerate(heads, 1))
            assert crossed != is_projective(heads)

    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_the_difference_of_two_trees(self, order):
        tree = TOY[3]
        batch = Batch.of([ParserInput.of(tree)])
        trees = [heads for heads in self.trees(200) if len(heads) == len(tree)][:12]
        for one, other in itertools.pairwise(trees):
            ids, signs = np.empty(20000, np.int64), np.empty(20000, np.float32)
            arrays = np.array((-1, *one), np.int64), np.array((-1, *other), np.int64)
            fixed = (batch.atoms, batch.more, batch.codes, 0, order)
            mask = (1 << BITS) - 1
            count = learn.tree_ids.compiled(*fixed, *arrays, 1.0, mask, 0, ids, signs)
            count = learn.tree_ids.compiled(*fixed, *arrays[::-1], -1.0, mask, count, ids, signs)
            found = np.zeros(1 << BITS)
            np.add.at(found, ids[:count], signs[:count])
            expected = np.zeros(1 << BITS)
            for heads, sign in ((one, 1), (other, -1)):
                for place, times in parts(tree, heads, order).items():
                    expected[place] += sign * times
            assert found.tolist() == expected.tolist()
