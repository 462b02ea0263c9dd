"""English words compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj.text.stems import distance, lemmas, misspelt, relation, share_stem, stemmer, synonyms

WORD = st.text("abcdeinrst", max_size=8)


def same_word(a: str, b: str) -> bool:
    """Whether two English forms can be forms of one word."""
    return a == b or not lemmas(a).isdisjoint(lemmas(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("eat", "ate"),
        ("go", "went"),
        ("child", "children"),
        ("good", "better"),
        ("buy", "bought"),
        ("be", "was"),
        ("is", "been"),
        ("carry", "carried"),
        ("fly", "flies"),
        ("stop", "stopping"),
        ("bake", "baking"),
        ("bake", "baked"),
        ("watch", "watches"),
        ("goed", "went"),
        ("wolf", "wolves"),
        ("him", "he"),
        ("a", "an"),
        ("whom", "who"),
        ("7", "seven"),
        ("not", "n't"),
        ("die", "dying"),
    ],
)
def test_one_word(a, b):
    assert same_word(a, b)
    assert same_word(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [("bed", "be"), ("sing", "s"), ("even", "evening"), ("new", "news"), ("he", "her"), ("bus", "bu"), ("thing", "th")],
)
def test_two_words(a, b):
    assert not same_word(a, b)


@pytest.mark.parametrize(("a", "b"), [("quick", "quickly"), ("arrive", "arrival"), ("swim", "swimmer"), ("happy", "happiness")])
def test_derivation(a, b):
    assert share_stem(a, b) == share_stem(b, a) == (a != "happy")  # a changed stem is not seen


@pytest.mark.parametrize(("a", "b"), [("stare", "start"), ("hand", "handle"), ("cat", "cats"), ("form", "forest")])
def test_no_derivation(a, b):
    assert not share_stem(a, b)


def test_synonyms():
    assert synonyms("bigger", "large") is False
    assert synonyms("house", "homes")
    assert synonyms("began", "started")
    assert not synonyms("dog", "dog")
    assert not synonyms("dog", "cat")


@pytest.mark.parametrize(
    ("a", "b", "name", "same"),
    [
        ("accomodation", "accommodation", False, True),
        ("definately", "definitely", False, True),
        ("horse", "house", False, False),
        ("yusuf", "yusuph", True, False),
        ("zaynab", "zainab", True, True),
        ("zaynab", "zainab", False, False),
        ("ana", "ann", True, False),
        ("", "", True, False),
    ],
)
def test_spelling(a, b, name, same):
    assert misspelt(a, b, name=name) is same


def test_relation():
    assert relation("slow", "slowness") == "derived"
    assert relation("physician", "doctor") == "synonym"
    assert relation("zaynab", "zainab", name=True) == "spelling"
    assert relation("zaynab", "zainab") == ""


def brute(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(brute(a[1:], b) + 1, brute(a, b[1:]) + 1, brute(a[1:], b[1:]) + (a[0] != b[0]))


@given(st.text("ab", max_size=5), st.text("ab", max_size=5), st.integers(0, 5))
def test_distance(a, b, limit):
    true = brute(a, b)
    found = distance(a, b, limit)
    assert found == true if true <= limit else found > limit


@given(WORD)
def test_lemmas(word):
    assert word in lemmas(word)
    assert same_word(word, word)


@given(WORD, WORD, st.booleans())
def test_comparison_does_not_mind_order(a, b, name):
    assert same_word(a, b) == same_word(b, a)
    assert synonyms(a, b) == synonyms(b, a)
    assert share_stem(a, b) == share_stem(b, a)
    assert misspelt(a, b, name=name) == misspelt(b, a, name=name)


def test_other_languages():
    assert stemmer("en") is lemmas
    assert not stemmer("es")("cantamos").isdisjoint(stemmer("es")("cantaba"))
    assert not stemmer("fr")("maisons").isdisjoint(stemmer("fr")("maison"))
    assert stemmer("xx")("maisons") == {"maisons"}


def test_stems_of_any_script():
    assert relation("préparer", "prépara", language="fr") == "derived"
    assert relation("учитель", "учителем", language="ru") == "derived"
    assert relation("école", "ecole", language="fr") == "derived"
    assert relation("дом", "дым", language="ru") == ""
    assert relation("porter", "porche", language="fr") == ""
