"""The query language: what it understands, and what it says of what it does not."""

from __future__ import annotations

import random
import re

import pytest

from divproj.search.query import And, Compare, Not, OnAxis, Or, Path, QueryError, Regex, Value, parse, parse_path

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


class TestRegex:
    """What `re` answers, without its endless cases."""

    PARTS = (
        "a",
        "b",
        "A",
        ".",
        "[ab]",
        "[^a]",
        "[]a]",
        r"\w",
        r"\.",
        r"\x61",
        r"\b",
        r"\B",
        "^",
        "$",
        r"\Z",
        "(a|b)",
        "(?:ab|ba)",
        "(?P<x>a)",
        "|",
        "{}",
    )
    TIMES = ("*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "{,}", "{0}", "*?", "{1,3}?", "++", "{")

    def pattern(self, chance: random.Random, depth: int = 2) -> str:
        text = ""
        for _ in range(chance.randint(1, 3)):
            inside = depth and chance.random() < 0.4
            text += f"({self.pattern(chance, depth - 1)}|{self.pattern(chance, 0)})" if inside else chance.choice(self.PARTS)
            if chance.random() < 0.5:
                text += chance.choice(self.TIMES)
        return text

    def test_the_answers_of_re(self):
        """Sampled, not drawn by hypothesis: most random texts are no expressions."""
        chance, compared = random.Random(1), 0
        for _ in range(3000):
            pattern, flags = self.pattern(chance), chance.choice((0, re.IGNORECASE))
            try:
                plain, regex = re.compile(pattern, flags), Regex(pattern, flags)
            except (re.error, QueryError):
                continue
            for _ in range(5):
                text = "".join(chance.choice("abA{}. \n") for _ in range(chance.randint(0, 8)))
                expected = bool(plain.search(text)), bool(plain.fullmatch(text))
                if regex.is_regular:
                    assert (regex.search(text), regex.fullmatch(text)) == expected, (pattern, text)
                    assert (regex._walk(text, False), regex._walk(text, True)) == expected, (pattern, text)
                    compared += 1
        assert compared > 3000

    @pytest.mark.parametrize(
        ("pattern", "text", "answer"),
        [
            ("(a+)+$", "a" * 5000 + "b", False),
            ("(a|a)*b", "a" * 5000, False),
            ("(a|aa)+$", "a" * 5000 + "b", False),
            ("a?" * 40 + "a" * 40, "a" * 40, True),
            (".*.*.*.*.*x", "a" * 5000, False),
            ("a+$", "a" * 100_000 + "b", False),
            (r"^(.+)\1$", "kolukolu", True),
            (r"(.)\1", "a" * 50 + "b", True),
        ],
    )
    def test_texts_on_which_re_does_not_end(self, pattern, text, answer):
        assert Regex(pattern).search(text) == answer

    @pytest.mark.parametrize(
        ("pattern", "text", "message"),
        [
            (r"(a+)+\1", "", "can take endless time: it repeats a group in which something repeats, and looks back or ahead"),
            (r"(?=(a|b)*)+x", "", "can take endless time: it repeats a group"),
            (r"(.*)(.*)\1x", "a" * 5000, r"can take endless time on a text of 5000 characters; make the expression simpler"),
            ("(a{1,100}){1,100}b", "", "has more than 5000 parts, with repetitions; make it simpler"),
        ],
    )
    def test_expressions_that_are_refused(self, pattern, text, message):
        with pytest.raises(QueryError, match=message):
            Regex(pattern).search(text)

    def test_in_a_query(self):
        assert str(parse("form~/(na|ni)+/")) == "form~/(na|ni)+/"
        assert parse("form~/(na|ni)+/").condition == parse("form~/(na|ni)+/").condition
        with pytest.raises(QueryError, match="endless time"):
            parse(r"form~/(a+)+\1/")
