"""Sentences as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from feature_twin import WORD, hashed
from toybank import TOY

from divproj import DepTree
from divproj.parsing.features import Batch, ParserInput, atom


def test_an_atom_is_the_same_everywhere():
    assert atom("w", "dog") == 5465041730618963387
    assert atom("w", "dog") % WORD == hashed("w", "dog")
    assert len({atom("w", "dog"), atom("t", "dog"), atom("p", "dog"), atom("w", "Dog")}) == 4


def test_any_text_has_an_atom():
    assert atom("w", "\ud800") != atom("w", "")


def test_what_is_seen_of_a_tree():
    assert ParserInput.of(TOY[0]) == ParserInput(("the", "dog", "sleeps"), ("DET", "NOUN", "VERB"))
    assert ParserInput.of(DepTree(("a",), (0,), xpos=("DT",))).tags == ("DT",)
    assert ParserInput.of(DepTree(("a",), (0,), upos=("DET",), xpos=("DT",)), "xpos").tags == ("DT",)
    assert len(ParserInput.of(TOY[1])) == 5


def test_sentences_lie_end_to_end_each_after_its_root():
    batch = Batch.of([ParserInput.of(TOY[0]), ParserInput((), ()), ParserInput.of(TOY[6])])
    assert batch.first.tolist() == [0, 4, 5, 7]
    assert len(batch) == 3
    root = batch.atoms[0].tolist()
    assert batch.atoms[4].tolist() == batch.atoms[5].tolist() == root
    assert batch.atoms[1].tolist() == [atom("w", "the"), 0, atom("t", "DET")]
    assert batch.atoms.shape == (7, 3)
    assert batch.more.shape == (7, 0)


def test_no_sentence_at_all():
    batch = Batch.of([])
    assert len(batch) == 0
    assert batch.atoms.shape == (0, 3)
    assert batch.split(np.zeros(0, np.int64)) == []


@pytest.mark.parametrize("form", ["7", "1815", "3.14", "1,250", "1.250,75"])
def test_numbers_are_one_word(form):
    assert Batch.of([ParserInput((form,), ("NUM",))]).atoms[1, 0] == atom("w", "<num>")


@pytest.mark.parametrize("form", ["7th", "v2", "-3", "1,", "٣"])
def test_what_is_not_quite_a_number_stays(form):
    assert Batch.of([ParserInput((form,), ("NUM",))]).atoms[1, 0] == atom("w", form)


def test_long_words_have_a_prefix():
    batch = Batch.of([ParserInput(("bread", "breads", "breadth"), ("NOUN",) * 3)])
    assert batch.atoms[1:, 1].tolist() == [0, atom("p", "bread"), atom("p", "bread")]


def test_further_columns():
    seen = [ParserInput(("a", "b"), ("X", "X"), (("dog", ""), ("PL", "SG"))), ParserInput(("c",), ("X",), (("dog",), ("",)))]
    batch = Batch.of(seen, 2)
    dog = atom("m0", "dog")
    assert batch.more.tolist() == [[0, 0], [dog, atom("m1", "PL")], [0, atom("m1", "SG")], [0, 0], [dog, 0]]


def test_codes_of_each_sentence():
    codes = np.arange(1, 10, dtype=np.int32).reshape(3, 3, 1)
    batch = Batch.of([ParserInput(("a",), ("X",)), ParserInput(("a", "b"), ("X", "X"), codes=codes)], slots=1)
    assert batch.codes_of(0).tolist() == [0] * 4, "a sentence without codes says nothing"
    assert batch.codes_of(1).tolist() == list(range(1, 10))


def test_numbers_of_words_there_and_back():
    batch = Batch.of(list(map(ParserInput.of, TOY)))
    heads = batch.flat(tree.heads for tree in TOY)
    assert heads[batch.first[:-1]].tolist() == [-1] * len(TOY)
    assert batch.split(heads) == [tree.heads for tree in TOY]
