"""Relations: votes of both ends, and the choice with the tree in view."""

from __future__ import annotations

import numpy as np
import pytest
from feature_twin import Twin
from toybank import TOY

from divproj.parsing import learn
from divproj.parsing.features import Batch, ParserInput

RELS, BITS = 4, 10


@pytest.fixture(scope="module")
def said():
    """A sentence, random weights of votes, and what the kernel makes of them."""
    tree = TOY[3]
    weights = np.random.default_rng(2).normal(size=(1 << BITS, RELS)).astype(np.float32)
    votes = np.empty((len(tree) + 1, 4, RELS), np.float32)
    learn.vote_scores.compiled(weights, Batch.of([ParserInput.of(tree)]).atoms, votes)
    return tree, weights, votes


def test_a_vote_is_the_sum_of_its_rows(said):
    tree, weights, votes = said
    twin = Twin(tree.forms, tree.upos, mask=(1 << BITS) - 1)
    for k in range(len(tree) + 1):
        rows = [place for _, place in twin.votes(k)]
        for role in range(4):
            places = rows[:7] + rows[7 * (role + 1) : 7 * (role + 2)]
            assert votes[k, role] == pytest.approx(weights[places].sum(axis=0), abs=1e-4)


@pytest.mark.parametrize("way", ["plain", "compiled"])
@pytest.mark.parametrize("cost", [0.0, 1.5])
def test_an_edge_gains_its_best_relation(said, way, cost):
    tree, _, votes = said
    n1 = len(tree) + 1
    gold = np.array([-1, -1, *range(4), 2][:n1], np.int64)
    scores, best = np.ones((n1, n1)), np.zeros((n1, n1), np.int32)
    getattr(learn.add_votes, way)(votes, scores, gold, cost, best)
    for h in range(n1):
        for c in range(1, n1):
            if h == c:
                continue
            left = int(c < h)
            sums = votes[h, left].astype(float) + votes[c, 2 + left]
            if gold[c] >= 0:
                sums += cost * (np.arange(RELS) != gold[c])
            assert best[h, c] == sums.argmax()
            assert scores[h, c] == pytest.approx(1 + sums.max(), abs=1e-5)


def learned(trees, passes=8):
    """Weights of the second stage after some passes, with the batch, heads and relations learned from."""
    batch = Batch.of([ParserInput.of(tree) for tree in trees])
    names = ["root", *sorted({rel for tree in trees for rel in tree.deprels} - {"root"})]
    heads = batch.flat(tree.heads for tree in trees)
    gold = batch.flat([names.index(rel) for rel in tree.deprels] for tree in trees)
    weights = np.zeros((1 << 12, len(names)), np.float32)
    later = np.zeros(weights.shape)
    step = 0
    for _ in range(passes):
        order = np.arange(len(trees))
        step = learn.label_epoch.compiled(weights, later, step, order, batch.first, batch.atoms, batch.more, heads, gold)
    return batch, heads, gold, weights, step


def test_relations_of_known_trees_are_learned():
    batch, heads, gold, weights, step = learned(TOY)
    assert step == 8 * sum(len(tree) - 1 for tree in TOY), "a root has no relation to choose"
    found = np.zeros(len(gold), np.int64)
    learn.relabel.compiled(weights, batch.first, batch.atoms, batch.more, heads, found)
    assert batch.split(found) == batch.split(gold)


def test_after_an_update_the_margin_is_one():
    batch = Batch.of([ParserInput.of(TOY[0])])
    heads, gold = np.array([-1, 0, 3, 0]), np.array([-1, -1, 2, 0])  # one edge to learn from
    weights, later = np.zeros((1 << 17, 4), np.float32), np.zeros((1 << 17, 4))
    order = np.zeros(1, np.int64)
    assert learn.label_epoch.compiled(weights, later, 0, order, batch.first, batch.atoms, batch.more, heads, gold) == 1
    ids, sums = np.empty(learn.PER_LABEL, np.int64), np.empty(4, np.float32)
    count = learn.label_ids.compiled(batch.atoms, batch.more, heads, 2, (1 << 17) - 1, ids)
    learn.row_sums.compiled(weights, ids, count, sums)
    assert sums == pytest.approx([0.0, -0.5, 0.5, 0.0], abs=1e-5), "of the wrong ones the first"


def test_only_the_root_is_called_root():
    batch, heads, gold, weights, _ = learned(TOY)
    weights[:, 0] = 100.0
    found = np.zeros(len(gold), np.int64)
    learn.relabel.compiled(weights, batch.first, batch.atoms, batch.more, heads, found)
    words = np.setdiff1d(np.arange(len(heads)), batch.first[:-1])
    assert ((found[words] == 0) == (heads[words] == 0)).all()


def test_what_a_relation_looks_at():
    """A change of the word, its head, its sibling, its child and its grandparent is seen."""
    tree = TOY[5]
    batch = Batch.of([ParserInput.of(tree)])
    heads = np.array((-1, *tree.heads), np.int64)

    def places(atoms, heads=heads):
        ids = np.empty(learn.PER_LABEL, np.int64)
        return ids[: learn.label_ids.compiled(atoms, batch.more, heads, 5, (1 << 20) - 1, ids)].tolist()

    base = places(batch.atoms)
    assert len(base) == 64
    for word in range(1, 7):
        atoms = batch.atoms.copy()
        atoms[word] = 12345
        assert places(atoms) != base
    assert places(batch.atoms, np.array((-1, 2, 6, 6, 5, 2, 0))) != base, "one child less"


def test_further_columns_are_seen():
    forms, tags = TOY[0].forms, TOY[0].upos
    more = (("DT", "NN", "VBZ"), ("", "", ""), ("x", "y", "z"))
    batch = Batch.of([ParserInput(forms, tags, more)], 3)
    ids = np.empty(learn.PER_LABEL, np.int64)
    assert learn.label_ids.compiled(batch.atoms, batch.more, np.array([-1, 2, 3, 0]), 1, 1023, ids) == 76
