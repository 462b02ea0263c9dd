"""Parsing systems: each trains on gold pairs and makes trees of bitexts."""

from __future__ import annotations

import numpy as np
import pytest
from corpusfiles import pair
from trees_by_force import is_tree

from divproj import Corpus, ModelError, ProjError
from divproj.projection import parsers
from divproj.projection.correction import HeadModel
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.parsers import NO_LINKS, RECIPES, Recipe, fit, slots
from divproj.projection.systems import PARSERS, projector, train
from divproj.runtime.resources import folder

SMALL = {"bits": 14, "epochs": 4}


@pytest.fixture(scope="module")
def pairs():
    return list(Corpus.at(folder("corpora") / "hin-eng").pairs())


def uas(system, held):
    right = total = 0
    for given in held:
        found = system.project(ProjectionInput.of(given))
        right += sum(a == b for a, b in zip(found.heads, given.f.heads, strict=True))
        total += len(given.f)
    return 100 * right / total


@pytest.mark.parametrize("name", RECIPES)
def test_every_system_trains_and_projects(name, pairs):
    """12 pairs to learn from, 4 others to parse."""
    system = fit(name, pairs[:12], peek=pairs[12:16], **SMALL)
    for given in pairs[12:16]:
        found = system.project(ProjectionInput.of(given))
        assert found.sentence == ProjectionInput.of(given)
        assert is_tree(found.heads)
        assert len(found.confidence) == len(found.deprels) == len(found.reasons) == len(given.f)
        assert all(-1e-9 <= sure <= 1 + 1e-9 for sure in found.confidence)
        assert found.tree.deprels.count("root") == 1
    made = system.system
    assert len(made.parsers) == (len(parsers.PARSER_ORDERS) if made.recipe.together else 1)


def test_every_name_is_known():
    assert tuple(RECIPES) == PARSERS


def test_what_is_learned_by_heart(pairs):
    """Trained and judged on the same pairs: the parser alone, and with what the projection says."""
    few = pairs[:12]
    assert uas(fit("s3-1", few, bits=16, epochs=8), few) > 97
    assert uas(fit("s4-1", few, bits=16, epochs=8), few) > 97


def test_the_oracle_reads_the_gold_trees(pairs):
    """Table 5's last row: PROJ from gold trees makes a parser nearly perfect on what it has not learned."""
    assert uas(fit("oracle", pairs[:40], peek=pairs[40:], bits=18), pairs[40:]) > 97


def test_what_the_parser_sees(pairs):
    bitext = ProjectionInput.of(pairs[0])
    bare = fit("s3-1", pairs[:5], **SMALL).system.seen(bitext)
    assert bare.forms == bitext.forms
    assert bare.codes is None
    assert bare.more == ()
    assert set(fit("s3-5", pairs[:5], **SMALL).system.seen(bitext).tags) == {"_"}
    system = fit("s4-2", pairs[:5], **SMALL).system
    n1 = len(bitext) + 1
    assert system.seen(bitext).codes.shape == (n1, n1, slots(RECIPES["s4-2"].features))
    heads = s1(bitext, "right").heads
    assert all(system.seen(bitext).codes[h, c, 0] == 1 for c, h in enumerate(heads, 1))


def test_glosses_are_two_columns():
    given = ProjectionInput(
        ("kutt-e", "bhauṁk-te"),
        pair((2, 0), (2, 0), {(1, 1)}).e,
        pair((2, 0), (2, 0), {(1, 1)}).links,
        ("dog-PL", "bark-IPFV"),
    )
    grams, stems = parsers._gloss_columns(given)
    assert stems == ("dog", "bark")
    assert grams == ("PL", "IPFV")
    assert parsers._gloss_columns(ProjectionInput.of(pair((2, 0), (2, 0), set()))) == (("", ""), ("", ""))


def test_reasons_tell_the_parser_s_choices(pairs):
    system = fit("s4-1", pairs[:12], **SMALL).system
    for given in pairs[:20]:
        bitext = ProjectionInput.of(given)
        found, projected = system.project(bitext), system.projector("s2-1")(bitext)
        for k, why in enumerate(found.reasons):
            assert (why == "parsed") == (found.heads[k] != projected.heads[k])


def test_training_projections_are_as_uncertain_as_later_ones(pairs, monkeypatch):
    """s2+ projects each training pair by a model of the others."""
    learned = []
    real = HeadModel.fit.__func__
    monkeypatch.setattr(HeadModel, "fit", classmethod(lambda cls, given: learned.append(list(given)) or real(cls, given)))
    monkeypatch.setattr(parsers, "TRAINING_PARTS", 4)
    monkeypatch.setattr(parsers, "PARSER_ORDERS", (2,))
    fit("s4+", pairs[:6], bits=12, epochs=1)
    assert [len(given) for given in learned] == [6, 4, 4, 5, 5]
    assert all(pairs[0] not in given for given in learned[1:2])


class TestLittleData:
    def test_nothing_to_learn_from(self):
        for name in RECIPES:
            with pytest.raises(ProjError, match="there is no word with a head to learn from"):
                fit(name, [], **SMALL)

    @pytest.mark.parametrize("name", ["s3-1", "s4-1", "s4+"])
    def test_one_pair(self, name, pairs):
        system = fit(name, pairs[:1], bits=14)
        assert is_tree(system.project(ProjectionInput.of(pairs[3])).heads)

    @pytest.mark.parametrize("name", ["s3-1", "s4-1", "s4+"])
    def test_no_links_at_all(self, name):
        unlinked = [pair((2, 0, 2), (2, 0), set(), "a"), pair((0, 1), (0, 1), set(), "b")]
        system = fit(name, unlinked, bits=14)
        if name != "s3-1":
            assert (system.system.seen(ProjectionInput.of(unlinked[0])).codes[:, :, 0] == NO_LINKS).all()
        assert all(is_tree(system.project(ProjectionInput.of(given)).heads) for given in unlinked)


def test_the_same_seed_makes_the_same_system(pairs):
    one, same, other = (fit("s3-1", pairs[:8], random_state=seed, **SMALL).system.parsers[0] for seed in (3, 3, 4))
    assert one.weights_.tobytes() == same.weights_.tobytes() != other.weights_.tobytes()


def test_a_recipe_of_one_s_own(pairs):
    system = fit(Recipe(trees="s1-l", projection="s1-r", features=("merge", "reason"), tags=False), pairs[:8], **SMALL)
    assert system.system.parsers[0].slots_ == 2
    assert is_tree(system.project(ProjectionInput.of(pairs[9])).heads)


def test_probabilities_of_s2_plus(pairs):
    model = HeadModel.fit(pairs[:12])
    chances = model.edge_probabilities(ProjectionInput.of(pairs[13]))[1]
    assert chances[:, 1:].sum(axis=0) == pytest.approx(np.ones(len(chances) - 1))


def test_by_name_among_the_systems(pairs):
    project = train("s3-1", pairs[:6], seed=2)
    assert is_tree(project(ProjectionInput.of(pairs[7])).heads)
    with pytest.raises(ModelError, match="system s4-1 needs a trained parser; make one with `proj train`"):
        projector("s4-1")
