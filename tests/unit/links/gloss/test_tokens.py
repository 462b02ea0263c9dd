"""Translations cut into words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj.text.tokens import spans, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("   ", ""),
        ("The hens sleep.", "The hens sleep ."),
        ("Why didn't she come?", "Why did n't she come ?"),
        ("I can't; you cannot.", "I ca n't ; you can not ."),
        ("We'll see what they've done, he's late and I'm not.", "We 'll see what they 've done , he 's late and I 'm not ."),
        ("Rosa's uncles' boats", "Rosa 's uncles ' boats"),
        ("It’s Omar’s, isn’t it?", "It ’s Omar ’s , is n’t it ?"),
        ("‘He left.’", "‘ He left . ’"),
        ("'I don't know.'", "' I do n't know . '"),
        ('"Run!" she cried.', '" Run ! " she cried .'),
        ("“Run!” she cried.", "“ Run ! ” she cried ."),
        ("Mr. Lee met Dr. Kim at 5 p.m.", "Mr. Lee met Dr. Kim at 5 p.m."),
        ("bread, e.g. rye", "bread , e.g. rye"),
        ("J. R. Moss came.", "J. R. Moss came ."),
        ("a well-known man (of the town)", "a well-known man ( of the town )"),
        ("It costs 3,000.5 or $5,000.", "It costs 3,000.5 or $ 5,000 ."),
        ("at 10:30, not 11.", "at 10:30 , not 11 ."),
        ("Well... no", "Well ... no"),
        ("so…", "so …"),
        ("...and then", "... and then"),
        ("No—never", "No — never"),
        ("No -- never", "No -- never"),
        ("one,two;three", "one , two ; three"),
        ("his/her cat", "his / her cat"),
        ("1990/91", "1990/91"),
        ("see http://a.b/c", "see http://a.b/c"),
        ("What?!", "What ?!"),
        ("Wow!!!", "Wow !!!"),
        ("they'd've gone", "they 'd 've gone"),
        ("[the dog] barks", "[ the dog ] barks"),
        ("¿Vienes?", "¿ Vienes ?"),
    ],
)
def test_words(text, words):
    assert " ".join(tokenize(text)) == words


@pytest.mark.parametrize(
    "text",
    [
        "Do n't go , Rosa 's here .",
        "I ca n't see the well-known man .",
        "`` No , '' he said .",
        "Mr. Lee 'll come at 10.5 ...",
        "the boys ' hats",
    ],
)
def test_words_stay_as_they_are(text):
    assert " ".join(tokenize(text)) == text


def test_spans():
    text = " No,  I won't. "
    assert [text[a:b] for a, b in spans(text)] == ["No", ",", "I", "wo", "n't", "."]
    assert spans(text)[0] == (1, 3)


LIKELY = st.text("aA1'’. ,-!?()\"…—/$n't", max_size=40)


@given(st.one_of(st.text(max_size=60), LIKELY))
def test_words_cover_the_text(text):
    found = spans(text)
    assert all(a < b for a, b in found)
    assert all(first[1] <= second[0] for first, second in pairwise(found))
    assert "".join(tokenize(text)) == "".join(text.split())


@given(LIKELY)
def test_deterministic(text):
    assert tokenize(text) == tokenize(text)


@pytest.mark.parametrize("unit", [".,", "a/", "'s", "1,", "a.", "((", "!", "-"])
def test_long_chunks(unit):
    text = unit * 20_000
    assert "".join(tokenize(text)) == text
