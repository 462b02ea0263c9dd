"""Running text to sentences and words."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import need

from divproj.io.trees import conllu
from divproj.text.running import PlacedWord, sentence_spans, sentences, tokens, word_spans


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("A well-known man", "A well - known man"),
        ("the co-author's e-mail", "the co-author 's e-mail"),
        ("from 5-10 goats, -3 degrees", "from 5 - 10 goats , -3 degrees"),
        ("call 555-2368 or 020-555-2368.", "call 555-2368 or 020-555-2368 ."),
        ("on 2021-03-04 or 3/4/2021", "on 2021-03-04 or 3/4/2021"),
        ("It costs $5, US$7 or €9.50.", "It costs $ 5 , US$ 7 or € 9.50 ."),
        ("at 7:30pm, 5km from 10k people", "at 7:30 pm , 5 km from 10 k people"),
        ("a 5th hen", "a 5th hen"),
        ("I dont know, cant say, im off", "I do nt know , ca nt say , i m off"),
        ("We're gonna see; you cannot.", "We 're gon na see ; you can not ."),
        ("IM and ONE stay", "IM and ONE stay"),
        ("the hen`s egg", "the hen `s egg"),
        ("Nice :) really ;-) no :( <3", "Nice :) really ;-) no :( <3"),
        ("write to rosa.moss@hens.example.org, please", "write to rosa.moss@hens.example.org , please"),
        ("see http://hens.example.org/a-b?c=d.", "see http://hens.example.org/a-b?c=d ."),
        ("(www.hens.example)", "( www.hens.example )"),
        ("so.... what?!! -- yes", "so .... what ?!! -- yes"),
        ("goats/hens and/or 1/2", "goats / hens and / or 1 / 2"),
        ("goats, hens, etc.", "goats , hens , etc ."),
        ("Mr. Lee met the U.S. team", "Mr. Lee met the U.S. team"),
        ("-so he said", "- so he said"),
    ],
)
def test_words(text, words):
    assert " ".join(token.form for token in tokens(text)) == words


def test_places():
    text = "She can't swim."
    assert tokens(text) == [
        PlacedWord("She", 0, 3),
        PlacedWord("ca", 4, 6, False),
        PlacedWord("n't", 6, 9, True, True),
        PlacedWord("swim", 10, 14, False),
        PlacedWord(".", 14, 15),
    ]


def test_abbreviation_at_the_end():
    assert tokens("at 5 p.m.")[-2:] == [PlacedWord("p.m", 5, 8, False), PlacedWord(".", 8, 9)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("\n\n", []),
        ("The hen sat. It slept.", ["The hen sat.", "It slept."]),
        ("One line\nanother line", ["One line", "another line"]),
        ("Dr. Kim came at 5 p.m. yesterday. Good!", ["Dr. Kim came at 5 p.m. yesterday.", "Good!"]),
        ("J. R. Moss won. Who? Me.", ["J. R. Moss won.", "Who?", "Me."]),
        ('"Who?" he said. "I did." Then he left.', ['"Who?" he said.', '"I did."', "Then he left."]),
        ("so sad. they left!! why", ["so sad.", "they left!!", "why"]),
        ("Well ... no, never", ["Well ... no, never"]),
        ("1. Buy hens. 2 more.", ["1. Buy hens.", "2 more."]),
        ("He works for Hens Inc. She left.", ["He works for Hens Inc.", "She left."]),
        ("See a.b.c for 3.5 more.", ["See a.b.c for 3.5 more."]),
    ],
)
def test_sentences(text, found):
    assert [text[a:b] for a, b in sentence_spans(text)] == found


LIKELY = st.text("aA1'’. ,-!?()\"…—/$n't:;@\n", max_size=40)


@given(st.one_of(st.text(max_size=60), LIKELY))
def test_words_cover_the_text(text):
    found = [token for sentence in sentences(text) for token in sentence]
    assert all(token.form == text[token.start : token.end] != "" for token in found)
    assert all(first.end <= second.start for first, second in pairwise(found))
    assert "".join(token.form for token in found) == "".join("".join(text.split("\n")).split())
    assert all(sentences(text))


@given(LIKELY)
def test_spaces(text):
    for token in tokens(text):
        assert token.space_after == (token.end == len(text) or text[token.end].isspace())
        assert not token.joined or not text[token.start - 1].isspace()


@pytest.mark.parametrize("unit", [".,", "a/", "'s", "1,", "a-", "((", ":)", "-", "a.b@", "http://", "$1", "5k"])
def test_long_chunks(unit):
    text = unit * 4000
    assert "".join(text[a:b] for a, b in word_spans(text)) == text


def test_english():
    right = given_ = found_ = 0
    for sentence in conllu.load(need("ewt/en_ewt-ud-dev.conllu")):
        text = sentence.comment("text") or ""
        gold, at = set(), 0
        for form in sentence.forms:
            if text.startswith(form, at := at + len(text[at:]) - len(text[at:].lstrip())):
                gold.add((at, at := at + len(form)))
        found = {(token.start, token.end) for token in tokens(text)}
        right, given_, found_ = right + len(gold & found), given_ + len(gold), found_ + len(found)
    assert 2 * right / (given_ + found_) > 0.985
