"""Weighting by nearness: word orders of treebanks, and how their words attach."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from unit.projection.test_universal import sentence
from unit.projection.test_universal_network import NAMES, linear, model, network  # noqa: F401  (fixtures)

from divproj.core.errors import ModelError
from divproj.core.tree import DepTree
from divproj.projection.glossed.model import SIDES, WAYS, GlossModel, WordOrderSimilarity, attachments, leanings
from divproj.projection.glossed.s6 import S6
from divproj.runtime import modelfile
from divproj.ud.tagsets import UPOS

NOUN, VERB, DET = (UPOS.index(tag) for tag in ("NOUN", "VERB", "DET"))
T = len(UPOS)
BEFORE, AFTER = 0, 2
"""Ways: the head is the word before, or the word after."""


def trees(order: str) -> list[DepTree]:
    return [sentence(order, "dog", "see", k)[1] for k in range(8)]


def orders(*sides: float) -> np.ndarray:
    """Word orders with the same side for all relations."""
    made = np.zeros((len(sides), SIDES), np.float32)
    made[:, ::2], made[:, 1::2] = np.array(sides)[:, None], 0.5
    return made


@pytest.fixture
def two() -> WordOrderSimilarity:
    """A treebank with verbs after their objects, and one with verbs before."""
    counts = np.stack([attachments(trees(order), [[1, 2, 3, 4]] * 8) for order in ("SOV", "SVO")])
    return WordOrderSimilarity(("final", "medial"), orders(0.8, -0.8), counts)


def test_attachments_are_counted_by_tag_side_and_distance() -> None:
    counts = attachments(trees("SVO"), [[1, 2, 3, 4]] * 8)  # the dog saw fish
    assert counts.shape == (T, WAYS)
    assert counts[DET, AFTER * T + NOUN] == 8
    assert counts[NOUN, AFTER * T + VERB] == counts[NOUN, BEFORE * T + VERB] == 8
    assert counts[VERB, -1] == 8
    assert counts.sum() == 32
    far = attachments([DepTree(("a", "b", "c"), (3, 3, 0), ("x",) * 3, ("NOUN", "DET", "VERB"))], [[1, 2, 3]])
    assert far[NOUN, (AFTER + 1) * T + VERB] == 1


def test_punctuation_and_unknown_tags_are_not_counted() -> None:
    tree = DepTree(("a", ".", "b"), (3, 3, 0), ("x", "punct", "root"), ("NOUN", "PUNCT", "VERB"))
    assert attachments([tree], [[1, 3]])[NOUN, AFTER * T + VERB] == 1  # the full stop is not between them
    assert attachments([replace(tree, upos=("X?", "PUNCT", "VERB"))], [[1, 3]]).sum() == 1


def test_words_of_a_large_treebank_count_less() -> None:
    one, many = (attachments(trees("SVO") * k, [[1, 2, 3, 4]] * 8 * k).sum() for k in (1, 200))
    assert one == 32
    assert many == pytest.approx((1000 * 6400) ** 0.5, rel=1e-4)


def test_the_near_treebank_decides(two: WordOrderSimilarity) -> None:
    weights = two.weights(orders(0.7)[0])
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.99
    leaning = two.leaning(orders(0.7)[0])
    assert leaning[NOUN, BEFORE * T + VERB] < 0 < leaning[NOUN, AFTER * T + VERB]
    back = two.leaning(orders(-0.7)[0])
    assert back[NOUN, BEFORE * T + VERB] > 0


def test_an_unknown_order_adds_nothing(two: WordOrderSimilarity) -> None:
    assert np.allclose(two.weights(np.zeros(SIDES, np.float32)), 0.5)
    assert np.allclose(two.leaning(np.zeros(SIDES, np.float32)), 0)


def test_leanings_of_edges_by_hand() -> None:
    chance = np.random.default_rng(1)
    leaning, tags = chance.normal(size=(T, WAYS)), chance.dirichlet(np.ones(T), 4)
    found = leanings(leaning, tags)
    for child in range(1, 5):
        assert found[0, child] == pytest.approx(tags[child - 1] @ leaning[:, -1])
        for head in range(1, 5):
            way = 2 * (head > child) + (abs(head - child) > 1)
            by_hand = sum(tags[child - 1, t] * tags[head - 1, u] * leaning[t, way * T + u] for t in range(T) for u in range(T))
            assert found[head, child] == pytest.approx(by_hand if head != child else 0)


def test_trees_follow_the_near_treebank(model: GlossModel, two: WordOrderSimilarity) -> None:  # noqa: F811
    bitext = sentence("SOV", "dog", "see", 0)[0]
    alone, near = S6(model), S6(replace(model, nearness=two))
    state = near.adapt([bitext])
    before, after = alone.mix(alone.analyze(bitext)), near.mix(near.analyze(bitext, state))
    assert not np.allclose(before, after)
    assert np.allclose(after.sum(0)[1:], 1)
    assert near.project(bitext, state.part([bitext])) == near.project(bitext, state)


def test_kept_in_the_model(model: GlossModel, two: WordOrderSimilarity, tmp_path: Path) -> None:  # noqa: F811
    replace(model, nearness=two).save(tmp_path / "m")
    again = GlossModel.load(tmp_path / "m").nearness
    assert again.banks == ("final", "medial")
    assert np.array_equal(again.orders, two.orders)
    assert np.array_equal(again.counts, two.counts)


def test_a_model_of_the_version_before_has_none(model: GlossModel, tmp_path: Path) -> None:  # noqa: F811
    model.save(tmp_path / "m")
    facts = json.loads((tmp_path / "m" / modelfile.META).read_text())
    facts["version"] = 2
    del facts["near"]
    (tmp_path / "m" / modelfile.META).write_text(json.dumps(facts))
    assert GlossModel.load(tmp_path / "m").nearness.banks == ()


@pytest.mark.parametrize(("name", "value"), [("orders", 7.0), ("counts", -1.0)])
def test_numbers_out_of_range(model: GlossModel, two: WordOrderSimilarity, tmp_path: Path, name: str, value: float) -> None:  # noqa: F811
    broken = replace(two, **{name: np.full_like(getattr(two, name), value)})
    replace(model, nearness=broken).save(tmp_path / "m")
    with pytest.raises(ModelError, match="word orders or attachments of treebanks are out of range"):
        GlossModel.load(tmp_path / "m")


def test_a_wrong_shape(model: GlossModel, two: WordOrderSimilarity, tmp_path: Path) -> None:  # noqa: F811
    replace(model, nearness=replace(two, banks=("one",))).save(tmp_path / "m")
    with pytest.raises(ModelError, match=r"array 'near\.orders' has shape"):
        GlossModel.load(tmp_path / "m")
