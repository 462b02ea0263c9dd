"""s4+ and s5+ that start from s6: glossed text with UD trees of its translations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from trees_by_force import is_tree

import divproj as dp
from divproj import Corpus, ModelError
from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.parsing.language import load_pack
from divproj.projection import parsers
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.glossed.corrected import TAG_OF, HeldOutGains, S6Plus
from divproj.projection.glossed.s6 import S6
from divproj.projection.parsers import RECIPES, fit, starts_from_s6
from divproj.runtime.resources import folder

SMALL = {"bits": 14, "epochs": 3}
PLUS = ("s4+", "s5+")


@pytest.fixture(scope="module")
def bare():
    """Pairs whose translations are not annotated as in UD."""
    return list(Corpus.at(folder("corpora") / "hin-eng").pairs())[:20]


@pytest.fixture(scope="module")
def pairs(bare):
    """The same with UD trees."""
    trees = load_pack("en").parse([pair.e.forms for pair in bare])
    return [replace(pair, e=e) for pair, e in zip(bare, trees, strict=True)]


def text(pairs):
    return [*map(ProjectionInput.of, pairs)]


@pytest.mark.parametrize("name", PLUS)
def test_glossed_text_starts_from_s6(name, pairs):
    learned = fit(name, pairs[:12], text=text(pairs), **SMALL)
    system, state = learned.system, learned.state
    assert system.prior is not None
    assert system.adapts
    assert system.code == name
    assert system.corrections.system == "s6+"
    for bitext in text(pairs[12:]):
        found = system.project(bitext, state)
        assert is_tree(found.heads)
        assert found.upos == system.prior.project(bitext, state.glosses).upos
        assert len(found.confidence) == len(found.deprels) == len(found.reasons) == len(bitext)
        assert all(-1e-9 <= sure <= 1 + 1e-9 for sure in found.confidence)


@pytest.mark.parametrize("name", PLUS)
def test_as_before_where_s6_has_nothing_to_say(name, bare, pairs):
    """Other annotation of E, or no glosses."""
    unglossed = [replace(pair, glosses=()) for pair in pairs]
    for some in (bare, unglossed):
        one, other = fit(name, some[:8], **SMALL), fit(name, some[:8], prior=None, **SMALL)
        assert one.system.prior is None
        assert [one.project(b).heads for b in text(some)] == [other.project(b).heads for b in text(some)]


def test_others_do_not_start_from_s6(pairs):
    assert [name for name, recipe in RECIPES.items() if starts_from_s6(recipe, text(pairs))] == [*PLUS]
    assert fit("s4-1", pairs[:8], **SMALL).system.prior is None


def test_a_parser_sees_each_gold_sentence_as_without_its_gold_tree(pairs):
    made, unseen = S6Plus.cross_fit(pairs[:12], S6().adapt(text(pairs[:12])))
    known = {name for name in made.weights if name.startswith(TAG_OF)}
    for k, (pair, own) in enumerate(zip(pairs[:12], unseen, strict=True)):
        others = {form.lower() for i, other in enumerate(pairs[:12]) if i != k for form in other.f.forms}
        alone = {form.lower() for form in pair.f.forms} - others
        assert not [name for name in own.weights if name.removeprefix(TAG_OF).rpartition(" = ")[0] in alone]
        assert alone.isdisjoint(own.lexicon.f_tags)
    assert known


def test_one_gold_tree_is_seen_by_s6_alone(pairs):
    _, [own] = S6Plus.cross_fit(pairs[:1], S6().adapt(text(pairs[:1])))
    assert own.weights == {}


def test_fit_is_the_first_of_cross_fit(pairs):
    assert S6Plus.fit(pairs[:6]).weights == S6Plus.cross_fit(pairs[:6], S6().adapt(text(pairs[:6])))[0].weights


def test_what_folds_count_is_added_up():
    one = HeldOutGains()
    one.right[0], one.edges[1] = 3, -2.0
    both = HeldOutGains.add([one, one])
    assert both.right[0] == 6
    assert both.edges[1] == -4.0


@pytest.mark.parametrize("name", PLUS)
def test_there_and_back(name, pairs, tmp_path):
    learned = fit(name, pairs[:12], text=text(pairs), **SMALL)
    system = learned.system
    parsers.save(system, tmp_path / "model", {})
    found = parsers.load(tmp_path / "model")
    assert found.prior is not None
    assert found.prior.weights == pytest.approx(system.prior.weights, abs=1e-3)
    state = found.adapt(text(pairs))
    same = total = 0
    for bitext in text(pairs[12:]):
        one, other = learned.project(bitext), found.project(bitext, state)
        same += sum(a == b for a, b in zip(one.heads, other.heads, strict=True))
        total += len(bitext)
    assert same / total > 0.9, "weights are rounded, trees are nearly the same"


def test_through_the_front_door(pairs, tmp_path):
    made = dp.projector("s4+").fit(pairs[:12], text=pairs)
    made.save(tmp_path / "model")
    loaded = dp.Projector.load(tmp_path / "model")
    assert loaded.looks_at_text
    for pair in loaded.pipe(pairs[12:14]):
        assert is_tree(pair.f.heads)
        assert len(pair.confidence) == len(pair.f)


def test_a_sentence_that_is_too_long_for_s6(pairs):
    n = 260
    e = DepTree(("fish", "swim"), (2, 0), ("nsubj", "root"), ("NOUN", "VERB"))
    long = ProjectionInput(("a",) * n, e, Links(frozenset({(1, 1), (2, 2)}), (n, 2)), ("fish",) * n)
    assert S6Plus.fit(pairs[:6]).project(long).heads == s1(long).heads
    assert fit("s4+", pairs[:6], **SMALL).project(long).heads == s1(long).heads


def test_gloss_abbreviations_of_the_user(pairs, tmp_path):
    (tmp_path / "own.tsv").write_text("gram\tmeaning\nXYZ\taccusative\n", encoding="utf-8")
    made = dp.projector("s4+", grams=[tmp_path / "own.tsv"]).fit(pairs[:6])
    assert made.choose_system(pairs).prior.base.table is made.preparation.table


def test_a_model_whose_parts_do_not_fit(pairs, tmp_path):
    system = fit("s4+", pairs[:6], **SMALL).system
    system.namer = system.parsers[0]
    parsers.save(system, tmp_path / "model", {})
    with pytest.raises(ModelError, match="what names relations and the recipe do not fit"):
        parsers.load(tmp_path / "model")


def test_relations_are_learned_where_that_pays(pairs):
    """s6 has never heard of these names."""
    odd = [replace(pair, f=replace(pair.f, deprels=tuple(f"x{rel}" for rel in pair.f.deprels))) for pair in pairs[:15]]
    system = fit("s4+", odd, **SMALL)
    assert system.system.namer is not None
    found = system.project(ProjectionInput.of(pairs[16]))
    assert [rel for rel in found.tree.deprels if rel.startswith("x")]
    assert fit("s4+", odd[:4], **SMALL).system.namer is None, "too few to judge it"


def test_the_vote_of_parsers_grows_with_gold_trees(pairs):
    assert fit("s4+", pairs[:5], **SMALL).system.parser_vote == 0.25
    assert fit("s4+", pairs[:5], prior=None, **SMALL).system.parser_vote == 1.0


def test_another_s6_to_start_from(pairs):
    own = S6(vote=0.1)
    assert fit("s4+", pairs[:6], prior=own, **SMALL).system.prior.base is own
