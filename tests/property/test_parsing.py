"""Decoders, sums and the parser on whatever hypothesis draws."""

from __future__ import annotations

import numpy as np
import pytest
from feature_twin import Twin
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import fields, forests, texts
from trees_by_force import all_trees, chances_by_force, is_projective, is_tree, projective_trees, tree_sum

from divproj import DepTree
from divproj.parsing import decode
from divproj.parsing.decode import chu_liu_edmonds, eisner, eisner_siblings
from divproj.parsing.features import BETWEEN, PER_EDGE, Batch, ParserInput, edge_ids, tags_between
from divproj.parsing.language import n_best
from divproj.parsing.parser import MstParser, crosses


@st.composite
def tables(draw, max_words: int, min_words: int = 1, spread: float = 3.0):
    """Scores of edges: whole numbers (ties among them), or any in the range."""
    n = draw(st.integers(min_words, max_words))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return rng.integers(-2, 3, (n + 1, n + 1)).astype(float)
    return rng.normal(size=(n + 1, n + 1)) * spread


def found(decoder, *args):
    heads = np.zeros(len(args[0]), np.int64)
    decoder.compiled(*args, heads)
    return tuple(heads[1:].tolist())


@given(tables(5))
def test_no_tree_beats_the_decoders(scores):
    n = len(scores) - 1
    for decoder, trees in ((eisner, projective_trees), (chu_liu_edmonds, all_trees)):
        heads = found(decoder, scores)
        assert heads in trees(n)
        assert tree_sum(heads, scores) == pytest.approx(max(tree_sum(tree, scores) for tree in trees(n)))


@given(tables(5), st.integers(0, 2**32 - 1))
def test_no_tree_beats_the_decoder_with_siblings(scores, seed):
    n = len(scores) - 1
    siblings = np.random.default_rng(seed).normal(size=(n + 1,) * 3).astype(np.float32)
    heads = found(eisner_siblings, scores, siblings)
    assert heads in projective_trees(n)
    best = max(tree_sum(tree, scores, siblings) for tree in projective_trees(n))
    assert tree_sum(heads, scores, siblings) == pytest.approx(best, abs=1e-4)


@given(tables(25, 6, spread=100.0))
def test_trees_of_longer_sentences(scores):
    by_eisner, by_edmonds = found(eisner, scores), found(chu_liu_edmonds, scores)
    assert is_tree(by_eisner)
    assert is_projective(by_eisner)
    assert is_tree(by_edmonds)
    assert tree_sum(by_edmonds, scores) >= tree_sum(by_eisner, scores) - 1e-6


@given(tables(4), st.sampled_from((0.1, 1.0, 10.0, 100.0, 1000.0)))
def test_sums_over_trees(scores, scale):
    n = len(scores) - 1
    for sums, trees in ((decode.projective.compiled, projective_trees), (decode.nonprojective, all_trees)):
        chances = np.zeros_like(scores)
        log_z = sums(scores * scale, chances)
        expected, expected_z = chances_by_force(scores * scale, trees(n))
        assert log_z == pytest.approx(expected_z, rel=1e-7, abs=1e-7)
        assert np.allclose(chances, expected, atol=1e-6)


@given(tables(20, 5), st.sampled_from((0.1, 1.0, 5.0, 20.0)))
def test_two_ways_to_the_same_sums(scores, scale):
    one, other = np.zeros_like(scores), np.zeros_like(scores)
    log_z = decode.nonprojective(scores * scale, one)
    assert log_z == pytest.approx(decode.elimination.compiled(scores * scale, other), rel=1e-6)
    assert np.allclose(one, other, atol=1e-5)
    assert np.allclose(one[:, 1:].sum(axis=0), 1.0, atol=1e-6)


@given(st.lists(st.tuples(fields, fields, texts), min_size=1, max_size=6), st.data())
def test_any_text_has_the_places_of_its_twin(words, data):
    forms, tags, column = zip(*words, strict=True)
    assume(not any(form.replace(".", "").replace(",", "").isdigit() for form in forms))
    batch, twin = Batch.of([ParserInput(forms, tags, (column,))], 1), Twin(forms, tags, (column,))
    c = data.draw(st.integers(1, len(forms)))
    h = data.draw(st.integers(0, len(forms)).filter(lambda k: k != c))
    between, ids = np.empty(BETWEEN, np.int64), np.empty(PER_EDGE, np.int64)
    betweens = tags_between.compiled(batch.atoms, min(h, c), max(h, c), between)
    count = edge_ids.compiled(batch.atoms, batch.more, batch.codes, 0, h, c, between, betweens, twin.mask, ids)
    assert ids[:count].tolist() == [place for _, place in twin.edge(h, c)]


@settings(max_examples=25)
@given(st.lists(forests(), min_size=1, max_size=4), st.sampled_from((1, 2, 3)))
def test_any_forest_can_be_learned_from(trees, order):
    """Heads that are missing, more roots than one, no words: what is found is a tree all the same."""
    assume(any(h >= 0 for tree in trees for h in tree.heads))
    parser = MstParser(order=order, bits=12, epochs=2).fit(trees)
    for tree, made, chances in zip(trees, parser.predict(trees), parser.marginals(trees), strict=True):
        assert made.forms == tree.forms
        assert is_tree(made.heads) or not len(tree)
        assert parser.crossing_ or not crosses(made)
        assert all(
            (rel == "root") == (h == 0) for h, rel in zip(made.heads, made.deprels, strict=True) if len(parser.rels_) > 1
        )
        assert np.allclose(chances[:, 1:].sum(axis=0), 1.0)


@settings(max_examples=15)
@given(st.integers(1, 7), st.integers(1, 6), st.sampled_from((1, 2, 3)), st.sampled_from(("proj", "nonproj")))
def test_the_best_trees_are_different_ones(n, count, order, decoder):
    chain = DepTree(tuple(f"w{k % 3}" for k in range(n)), tuple(range(n)), upos=("X",) * n)
    parser = MstParser(order=order, decoder=decoder, bits=12, epochs=1).fit([chain])
    trees = [heads for _, heads in n_best(parser, ParserInput.of(chain), count)]
    assert len(set(trees)) == len(trees)
    assert len(trees) == count or n < 4
    assert all(map(is_tree, trees))
