"""`Lemmatizer`: rules, exceptions, case, saving, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import need

from divproj import ModelError
from divproj.io.trees import conllu
from divproj.parsing.tagger import Lemmatizer, apply, apply_case, casing, edit_of

WORDS = """
goats NOUN goat · hens NOUN hen · rivers NOUN river · cities NOUN city · ponies NOUN pony · berries NOUN berry · men NOUN man
hen NOUN hen · goat NOUN goat · city NOUN city · Goats NOUN goat · Lamps NOUN lamp · walked VERB walk · talked VERB talk
jumped VERB jump · went VERB go · walk VERB walk · run VERB run · Walked VERB walk · Looked VERB look · Rosa PROPN Rosa · Omar PROPN Omar
NATO PROPN NATO · saw VERB see · saw NOUN saw · the DET the · The DET the · THE DET the · A DET a
""".replace("\n", " · ")
TRIPLES = [tuple(row.split()) for row in WORDS.split("·") if row.strip()]


@pytest.fixture(scope="module")
def lemmas():
    return Lemmatizer().fit(TRIPLES)


@pytest.mark.parametrize(
    ("form", "upos", "lemma"),
    [
        ("lamps", "NOUN", "lamp"),
        ("Lamps", "NOUN", "lamp"),
        ("lilies", "NOUN", "lily"),
        ("men", "NOUN", "man"),
        ("Men", "NOUN", "man"),
        ("saw", "VERB", "see"),
        ("saw", "NOUN", "saw"),
        ("looked", "VERB", "look"),
        ("went", "VERB", "go"),
        ("Ines", "PROPN", "Ines"),
        ("UNESCO", "PROPN", "UNESCO"),
        ("THE", "DET", "the"),
        ("goats", "X", "goats"),
        ("s", "NOUN", "s"),
    ],
)
def test_lemmas(lemmas, form, upos, lemma):
    assert lemmas.predict([(form, upos)]) == [lemma]


def test_what_was_seen_is_known(lemmas):
    assert lemmas.score(TRIPLES) == 1.0
    assert lemmas.predict([]) == []


def test_rules_are_few(lemmas):
    assert len(lemmas.edits_) < 20
    assert ("NOUN", "goats") not in lemmas.exceptions_


def test_the_commonest_lemma_counts():
    found = Lemmatizer().fit([("her", "PRON", "she"), ("her", "PRON", "her"), ("her", "PRON", "she")])
    assert found.predict([("her", "PRON")]) == ["she"]


def test_saved_and_loaded(lemmas):
    again = Lemmatizer.from_arrays(json.loads(json.dumps(lemmas.meta())), lemmas.to_arrays())
    assert again == lemmas
    assert {k: v.tobytes() for k, v in again.to_arrays().items()} == {k: v.tobytes() for k, v in lemmas.to_arrays().items()}


def test_refused(lemmas):
    with pytest.raises(ModelError, match="no words to learn lemmas from; give at least one"):
        Lemmatizer().fit([])
    with pytest.raises(ModelError, match="not a lemmatiser of version 1"):
        Lemmatizer.from_arrays({**lemmas.meta(), "version": 2}, lemmas.to_arrays())
    arrays = lemmas.to_arrays()
    for name, value in (("cases", b"a\tb\tsideways"), ("edits", b"NOUN\ts\tx\ty"), ("exceptions", b"NOUN"), ("edits", b"\xff")):
        broken = {**arrays, "lemmas." + name: np.frombuffer(value, np.uint8)}
        with pytest.raises(ModelError, match="tables cannot be used"):
            Lemmatizer.from_arrays(lemmas.meta(), broken)
    with pytest.raises(ModelError, match=r"tables cannot be used: 'lemmas\.edits'"):
        Lemmatizer.from_arrays(lemmas.meta(), {k: v for k, v in arrays.items() if k != "lemmas.edits"})


@given(st.text(max_size=8), st.text(max_size=8))
def test_an_edit_makes_the_lemma(word, lemma):
    assert apply(edit_of(word, lemma), word) == lemma


@given(st.text(max_size=8))
def test_any_word_has_a_case(word):
    assert casing(word) in ("a", "A", "A1", "Aa", "-")
    assert apply_case(word, "same") == word


@given(
    st.lists(
        st.tuples(st.text("abAB'", min_size=1, max_size=5), st.sampled_from("NV"), st.text("abAB", min_size=1, max_size=5)),
        min_size=1,
    )
)
def test_one_lemma_a_word_is_learned(triples):
    known = {(form, upos): lemma for form, upos, lemma in triples}
    once = [(form, upos, lemma) for (form, upos), lemma in known.items()]
    found = Lemmatizer().fit(once)
    assert found.score(once) == 1.0
    assert Lemmatizer.from_arrays(found.meta(), found.to_arrays()) == found


def test_english():
    rows = conllu.load(need("ewt/en_ewt-ud-dev.conllu"))
    words = [list(zip(s.forms, s.column(3), s.column(2), strict=True)) for s in rows]
    learned = Lemmatizer().fit(t for s in words[:1500] for t in s)
    assert learned.score([t for s in words[1500:] for t in s]) > 0.93
