"""Learned corrections: what is counted, what is applied, what the rule file refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from strategies import pairs

from divproj import Corpus, DepTree, Links, ModelError, Pair
from divproj.core.tree import cycles
from divproj.projection import rulefile
from divproj.projection.correction import HeadModel
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.projector import Projector
from divproj.projection.rulefile import say
from divproj.projection.rules import learn, s2
from divproj.projection.systems import PROJECTIONS, Corrections, projector, train
from divproj.runtime.resources import folder


def pair(f: str, f_heads, e: str, e_heads, links, tags: str, sent_id: str = "x") -> Pair:
    f_forms, e_forms = tuple(f.split()), tuple(e.split())
    shape = (len(f_forms), len(e_forms))
    return Pair(
        DepTree(f_forms, f_heads),
        DepTree(e_forms, e_heads, upos=tuple(tags.split())),
        Links(frozenset(links), shape),
        sent_id,
    )


HOUSE = pair("ghar mem hai", (3, 1, 0), "is in house", (0, 1, 2), {(1, 3), (2, 2), (3, 1)}, "VERB ADP NOUN")
BOUGHT = pair("kharid liya", (0, 1), "bought", (0,), {(1, 1), (2, 1)}, "VERB")


def test_swaps_are_counted_and_applied():
    rules = learn([HOUSE] * 3)
    assert rules.swap["NOUN", "ADP"].swapped == 3
    assert rules.swap["NOUN", "ADP"].total == 3
    assert rules.kept_swaps() == {("NOUN", "ADP")}
    bitext = ProjectionInput.of(HOUSE)
    assert s1(bitext).heads == (2, 3, 0)
    assert s2(bitext, rules).heads == HOUSE.f.heads
    assert s2(bitext, rules, swap=False).heads == (2, 3, 0)
    assert s2(bitext, rules).reasons[0] == "swap"


def test_a_rare_or_mixed_pair_of_tags_is_not_swapped():
    straight = pair("a b", (2, 0), "x y", (2, 0), {(1, 1), (2, 2)}, "NOUN ADP")
    assert learn([HOUSE, straight, straight]).kept_swaps() == set()
    other = pair("a", (0,), "x", (0,), {(1, 1)}, "VERB")
    assert learn([HOUSE] + [other] * 20).kept_swaps() == set()


def test_merge_direction_is_learned():
    rules = learn([BOUGHT])
    assert (rules.merge["VERB"].left, rules.merge["VERB"].right) == (1, 0)
    assert s2(ProjectionInput.of(BOUGHT), rules).heads == (0, 1)


def test_the_last_of_three_words_heads_them():
    three = pair("kha rahaa hai", (3, 3, 0), "eats", (0,), {(1, 1), (2, 1), (3, 1)}, "VERB")
    assert s2(ProjectionInput.of(three), learn([three])).heads == (3, 3, 0)


def test_an_example_of_a_swap_names_both_edges():
    assert learn([HOUSE]).swap["NOUN", "ADP"].examples == ["x: house on in, but mem on ghar"]


def test_spontaneous_side_is_learned_per_word():
    seen = pair("ne aaya ram", (2, 0, 2), "came ram", (0, 1), {(2, 1), (3, 2)}, "VERB PROPN")
    new = pair("aaya ne ram", (0, 3, 1), "came ram", (0, 1), {(1, 1), (3, 2)}, "VERB PROPN")
    assert s2(ProjectionInput.of(new), learn([seen])).heads == (0, 3, 1)


@given(pairs(), pairs())
def test_every_system_always_gives_a_tree(seen, new):
    corrections = Corrections.learn([seen])
    for name in PROJECTIONS:
        found = projector(name, corrections)(ProjectionInput.of(new))
        heads = found.heads
        assert heads.count(0) == (1 if heads else 0)
        assert not cycles(heads)
        assert len(found.reasons) == len(heads)
        assert all(0 <= c <= 1 for c in found.confidence)


def test_s2plus_learns_what_the_rules_learn():
    project = train("s2+", [HOUSE] * 5)
    found = project(ProjectionInput.of(HOUSE))
    assert found.heads == HOUSE.f.heads
    assert min(found.confidence) > 0.5


def test_training_is_deterministic():
    gold = list(Corpus.at(folder("corpora") / "hin-eng"))[:10]
    assert HeadModel.fit(gold).weights == HeadModel.fit(gold).weights


def test_a_system_that_learns_needs_rules():
    with pytest.raises(ModelError, match="system s2-1 needs rules learned from gold trees; give `rules=FILE`"):
        projector("s2-1")
    with pytest.raises(ModelError, match="no system 's9'; choose one of s1-r"):
        projector("s9", Corrections.learn([HOUSE]))


def test_rule_files_come_back_equal():
    made = Corrections.learn([HOUSE, BOUGHT], about={"corpora": ["x"]})
    again = rulefile.loads(rulefile.dumps(made))
    assert again == made


@pytest.mark.parametrize(("change", "said"), [
    (lambda d: d.pop("merge"), "'merge' is missing"),
    (lambda d: d.update(format="x"), "format is 'x', 'divproj-rules' expected"),
    (lambda d: d.update(version=99), "version is 99, 1 expected"),
    (lambda d: d.update(sentences="many"), "'sentences' is 'many', int expected"),
    (lambda d: d["merge"].update(VERB=3), "merge.VERB is int, an object expected"),
    (lambda d: d["merge"]["VERB"].update(left=-1), "'merge.VERB.left' is -1, 0 or more expected"),
    (lambda d: d["model"]["weights"].update(a="heavy"), "'model.weights.a' is 'heavy', a number expected"),
    (lambda d: d["model"]["weights"].update(a=float("nan")), "'model.weights.a' is nan, a number expected"),
    (lambda d: d["swap"].append([]), "swap[1] is list, an object expected"),
])  # fmt: skip
def test_bad_rule_files_are_refused(change, said):
    data = json.loads(rulefile.dumps(Corrections.learn([HOUSE, BOUGHT])))
    data["swap"] = data["swap"][:1]
    change(data)
    with pytest.raises(ModelError) as error:
        rulefile.loads(json.dumps(data), "my.json")
    assert said in str(error.value)
    assert "my.json" in str(error.value)


def test_what_is_no_json_is_refused_with_its_line():
    with pytest.raises(ModelError, match=r"my.json:2: not JSON"):
        rulefile.loads('{\n"a": oops}', "my.json")


def test_rules_are_said_in_words():
    lines = list(say(Corrections.learn([HOUSE] * 3), min_count=1))
    assert any("Nouns head their adpositions, the reverse of E: 3 of 3" in line for line in lines)
    assert lines[0] == "Learned for s2+ from 3 sentence pairs."


@pytest.mark.parametrize("system", ["s1-r", "s5", "s6"])
def test_systems_that_learn_nothing_refuse_rules_and_gold_trees(system):
    with pytest.raises(ModelError, match=f"system {system} uses no rules; choose s2\\+ or s6\\+, or leave out `rules`"):
        Projector(system, rules="deu")
    with pytest.raises(ModelError, match=f"system {system} does not learn from gold trees; choose s2\\+, s6"):
        Projector(system).fit([HOUSE])
