"""The query language: what it understands, and what it says of what it does not."""

from __future__ import annotations

import pytest

from divproj.search.query import And, Compare, Not, OnAxis, Or, Path, QueryError, Value, parse, parse_path

UPOS = Path((), "upos")


def test_structure():
    assert parse("upos=NOUN").condition == Compare(UPOS, "=", (Value("NOUN"),))
    assert parse("gloss").condition == Compare(Path((), "gloss"))
    both = parse("upos=NOUN & head.upos=VERB , rel=obj").condition
    assert isinstance(both, And)
    assert both.parts[1] == Compare(Path(("head",), "upos"), "=", (Value("VERB"),))
    assert isinstance(parse("a=1|upos=X".replace("a", "id")).condition, Or)
    assert parse("not upos=NOUN").condition == Not(Compare(UPOS, "=", (Value("NOUN"),)))
    assert isinstance(parse("child(upos=ADP & rel=case)").condition, OnAxis)
    assert parse("head.child(upos=ADP)").condition == OnAxis("head", OnAxis("child", Compare(UPOS, "=", (Value("ADP"),))))


def test_alternatives_are_values_and_not_tests():
    assert parse("upos=NOUN|PROPN").condition == Compare(UPOS, "=", (Value("NOUN"), Value("PROPN")))
    assert isinstance(parse("upos=NOUN|rel=obj").condition, Or)
    assert isinstance(parse("upos=NOUN | child(rel=obj)").condition, Or)
    assert isinstance(parse("upos=NOUN | head.gloss").condition, Or)
    assert parse('form="a|b"|/c+/').condition.values[0] == Value("a|b")  # type: ignore[union-attr]


def test_aliases_and_features():
    assert parse("deprel=obj & parent.pos=VERB").condition == parse("rel=obj & head.upos=VERB").condition
    assert parse("Case=Acc").condition == parse("feats.Case=Acc").condition
    assert parse_path("head.feats.Case") == Path(("head",), "feats", "Case")
    assert str(parse_path("head.feats.Case")) == "head.feats.Case"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "character 1: the query is empty"),
        ("upos=NOUN &", "character 12: a test such as upos=NOUN expected at the end"),
        ("upos=NOUN & & rel=obj", "character 13: a test such as upos=NOUN expected, not “&”"),
        ("upos=", "character 6: a value expected after ="),
        ("upos=(", "character 6: a value expected after =, not “(”"),
        ("(upos=NOUN", "character 1: this bracket is not closed"),
        ("upos=NOUN rel=obj", "character 11: “rel” is left over; & or | is missing before it"),
        ("colour=red", "character 1: a word has no “colour”; there are form, lemma"),
        ("head=3", "“head” names words but nothing of them; add an attribute, as in head.upos"),
        ("uncle(upos=NOUN)", "there is no way “uncle” from a word to others; there are head, child"),
        ("form~(", "a value expected after ~"),
        ("form=/(/", "the regular expression /(/ is not one"),
        ("distance=far", "distance is compared with a number, not with “far”"),
        ("upos<3", "upos is no number: use = or ~"),
        ('form="x', "character 6: a quotation mark that is not closed"),
        ("!" * 70 + "gloss", "more than 60 brackets inside one another"),
        ("(" * 70 + "gloss" + ")" * 70, "more than 60 brackets inside one another"),
        ("form=" + "x" * 5000, "at most 4000 expected"),
        ("feats.Case=@uncle.x", "a word has no “uncle.x”"),
    ],
)
def test_what_is_wrong_is_said(query: str, told: str):
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert told in str(caught.value)
