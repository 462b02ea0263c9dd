"""Which system rules are learned for, and where rules are used: glossed text never gets worse silently."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

import divproj as dp
from divproj import Corpus, ModelError, Pair
from divproj.parsing.language import load_pack
from divproj.projection import rulefile, systems
from divproj.projection.direct import ProjectionInput
from divproj.projection.rulefile import say
from divproj.projection.systems import RULED, Corrections, suits_s6
from divproj.runtime.resources import folder

NOT_USED = "they were learned for s2+, which is less accurate on glossed text than s6; choose s2+ to use them all the same"


@pytest.fixture(scope="module")
def bare() -> list[Pair]:
    """Glossed pairs whose translations are not annotated as in UD."""
    return list(Corpus.at(folder("corpora") / "hin-eng"))[:16]


@pytest.fixture(scope="module")
def glossed(bare: list[Pair]) -> list[Pair]:
    """The same with UD trees of the translations."""
    return [replace(pair, e=e) for pair, e in zip(bare, load_pack("en").parse([pair.e.forms for pair in bare]), strict=True)]


def without_glosses(pairs: Sequence[Pair]) -> list[Pair]:
    return [replace(pair, glosses=()) for pair in pairs]


def untold(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs without their gold trees."""
    return [replace(pair, f=dp.DepTree.from_words(pair.f.forms)) for pair in pairs]


def heads(projector: dp.Projector, pairs: Sequence[Pair]) -> list[tuple[int, ...]]:
    return [pair.f.heads for pair in projector.pipe(untold(pairs))]


def test_the_data_decide_what_rules_are_learned_for(bare: list[Pair], glossed: list[Pair]):
    assert Corrections.learn(glossed, "auto").system == "s6+"
    assert Corrections.learn(bare, "auto").system == "s2+"
    assert Corrections.learn(without_glosses(glossed), "auto").system == "s2+"
    assert Corrections.learn(glossed, "s2+").system == "s2+"
    counted = Corrections.learn(glossed, "s2-1")
    assert (counted.system, counted.model.weights) == ("s2-1", {})


def test_no_rules_for_a_system_that_has_none(bare: list[Pair]):
    with pytest.raises(ModelError) as error:
        Corrections.learn(bare, "s5")
    assert str(error.value) == "no rules are learned for system 's5'; choose one of auto, s2-3, s2-2, s2-1, s2+, s6+"


def test_texts_that_s6_is_made_for(bare: list[Pair], glossed: list[Pair]):
    texts = (glossed, bare, without_glosses(glossed), [replace(p, e=dp.DepTree.from_words(p.e.forms)) for p in bare])
    assert [suits_s6([*map(ProjectionInput.of, text)]) for text in texts] == [True, False, False, True]


def test_rules_from_elsewhere_do_not_replace_s6_on_glossed_text(glossed: list[Pair]):
    ruled = dp.projector(rules="deu")
    assert heads(ruled, glossed) == heads(dp.projector(), glossed)
    assert ruled.system_ == "s6"
    assert NOT_USED in ruled.why_
    forced = dp.projector("s2+", rules="deu")
    heads(forced, glossed)
    assert (forced.system_, forced.why_) == ("s2+", "as requested")


def test_rules_are_used_where_s6_has_nothing_to_say(bare: list[Pair], glossed: list[Pair]):
    for text in (bare, without_glosses(glossed)):
        ruled = dp.projector(rules="hin")
        assert heads(ruled, text) == heads(dp.projector("s2+", rules="hin"), text)
        assert (ruled.system_, ruled.why_) == ("s2+", "rules are given")


def test_rules_learned_on_glossed_text_start_from_s6(glossed: list[Pair], tmp_path):
    path = tmp_path / "rules.json"
    rules = Corrections.learn(glossed[:8], "auto")
    path.write_text(rulefile.dumps(rules), encoding="utf-8")
    projector = dp.projector(rules=path)
    assert heads(projector, glossed) == heads(dp.projector("s6+", rules=path), glossed)
    assert (projector.system_, projector.why_) == ("s6+", "the rules were learned for it")
    lines = [*say(rules, weights=True)]
    assert lines[0] == "Learned for s6+ from 8 sentence pairs."
    assert any(line.startswith("The model of s6+ has ") for line in lines)


@pytest.mark.parametrize(("learned", "wanted", "used"), [("s6+", "s2+", "s2+"), ("s2+", "s6+", "s6+"), ("s2-1", "s2+", "s2+")])
def test_weights_of_one_system_are_not_taken_for_those_of_another(learned: str, wanted: str, used: str, bare: list[Pair]):
    rules = replace(Corrections.learn(bare[:3], "s2-1"), system=learned)
    with pytest.raises(ModelError) as error:
        systems.make(wanted, rules)
    told = f"the rules were learned for {learned}, and cannot be used by {wanted}"
    assert str(error.value) == f"{told}; learn rules with `system={used}`, or choose {learned}"
    assert systems.make("s2-1", rules)


def test_rule_files_name_their_system(bare: list[Pair]):
    data = json.loads(rulefile.dumps(Corrections.learn(bare[:3], "s2-2")))
    assert rulefile.loads(json.dumps(data)).system == data["system"] == "s2-2"
    del data["system"]
    assert rulefile.loads(json.dumps(data)).system == "s2+"
    data["about"]["prior"] = "s6"
    assert rulefile.loads(json.dumps(data)).system == "s6+"
    data["system"] = "s5+"
    with pytest.raises(ModelError) as error:
        rulefile.loads(json.dumps(data), "my.json")
    assert str(error.value) == f"my.json: 'system' is 's5+', one of {', '.join(RULED)} expected"
