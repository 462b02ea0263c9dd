"""Phrase pairs as evidence: from a file, from the aligner, between paraphrases."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from divproj import DepTree, Faults, Links
from divproj.core.errors import FormatError
from divproj.forest.dependencies import from_dependencies
from divproj.forest.parses import count_trees
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.phrases.aligner import PhraseAligner
from divproj.phrases.lexicon import Lexicon
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import phrase_pairs
from divproj.projection.phrasal.evidence import (
    PhraseFinder,
    all_bracketings,
    forests_by_words,
    linked_paraphrases,
    phrase_book,
)
from divproj.projection.phrasal.phrase_pairs import OTHER_HEAD, PhraseBook, PhraseLink, SentencePairs
from divproj.projection.phrasal.s5 import S5
from divproj.projection.systems import AdaptedSystem, TextEvidence

E = DepTree(("old", "dogs", "sleep", "here"), (2, 3, 0, 3), ("amod", "nsubj", "root", "advmod"), ("ADJ", "NOUN", "VERB", "ADV"))


def bitext(forms: str, links: set[tuple[int, int]], e: DepTree = E) -> ProjectionInput:
    words = tuple(forms.split())
    return ProjectionInput(words, e, Links(frozenset(links), (len(words), len(e))))


def test_a_paired_phrase_keeps_together_and_its_head_is_linked_with_e_s():
    text = bitext("ka lipa mo su", {(2, 2), (4, 3)})
    found = phrase_pairs.scores(SentencePairs(text.forms, E.forms, (PhraseLink((1, 2, 3), (1, 2), 0.5, 0, 2),)), text)
    inside, head, other = (1, 2, 3), 2, (1, 3)
    for c in other:
        assert found[4, c] == pytest.approx(0.5 * np.log(OTHER_HEAD / 2))  # out of the phrase at a word that is not its head
        assert found[c, 4] == pytest.approx(0.5 * np.log(OTHER_HEAD / 2))
    assert found[4, head] == found[0, head] == pytest.approx(0.5 * np.log(1 - OTHER_HEAD))
    assert all(found[h, c] == 0 for h in inside for c in inside)
    assert (found[:, 0] == 0).all()


def test_the_tree_of_f_knows_its_heads_and_no_link_leaves_them_open():
    text = bitext("ka lipa mo su", {(4, 3)})
    own = phrase_pairs.scores(SentencePairs(text.forms, E.forms, (PhraseLink((1, 2), (1, 2), 1.0, 1, 2),)), text)
    assert own[4, 1] > own[4, 2]
    bare = phrase_pairs.scores(SentencePairs(text.forms, E.forms, (PhraseLink((1, 2), (1, 2)),)), text)
    assert bare[4, 1] == bare[4, 2] == pytest.approx(np.log(0.5))
    whole = phrase_pairs.scores(SentencePairs(text.forms, E.forms, (PhraseLink((1, 2, 3, 4), (1, 2, 3, 4)),)), text)
    assert not whole.any()  # the sentence itself holds nothing together


def test_unlinked_words_hang_inside_their_smallest_paired_phrase():
    """ka … mo may belong anywhere; the pair says that they stand in the subject."""
    text = bitext("su mo ka lipa", {(1, 3), (4, 2)})
    book = PhraseBook.of([SentencePairs(text.forms, E.forms, (PhraseLink((2, 3, 4), (1, 2), 1.0, 0, 2),))])
    heads = AdaptedSystem.to(S5(), [text], TextEvidence((), book)).project(text).heads
    assert heads[3] == 1
    assert all(heads[k] in (2, 3, 4) for k in (1, 2))
    other = PhraseBook.of([SentencePairs(text.forms, E.forms, (PhraseLink((1, 2, 3), (3, 4), 1.0, 0, 3),))])
    heads = AdaptedSystem.to(S5(), [text], TextEvidence((), other)).project(text).heads
    assert all(heads[k] in (1, 2, 3) for k in (1, 2))


def test_leaf_pairs_are_links_for_words_that_have_none():
    text = bitext("ka lipa su", {(2, 2), (3, 3)})
    book = PhraseBook.of([SentencePairs(text.forms, E.forms, (PhraseLink((1,), (1,), 0.9), PhraseLink((2,), (4,), 0.9)))])
    known = S5().adapt([text], TextEvidence((), book)).links.of(text)
    assert known.sentence.links.links == {(1, 1), (2, 2), (3, 3)}  # the second pair is of a word that has a link
    assert known.kinds == (0, 2, 1, 1)


def written(tmp_path: Path, *rows: object) -> str:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_files_of_the_aligner_either_way_round_and_with_gaps(tmp_path: Path):
    text = bitext("ka lipa mo su", {(2, 2)})
    pairs = [
        {"source": [0, 2], "target": [[0, 1], [2, 3]], "posterior": 0.25},
        {"source": [1, 2], "target": [1, 2], "posterior": None},
    ]
    path = written(tmp_path, {"source": list(E.forms), "target": list(text.forms), "pairs": pairs}, "")
    book = PhraseBook.of(phrase_pairs.load(path))
    found = book.find(text)
    assert found is not None
    assert found.f_forms == text.forms
    assert found.pairs[0] == PhraseLink((1, 3), (1, 2), 0.25)
    assert book.links(text) == {(2, 2): 0.5}
    assert book.find(bitext("su", set())) is None
    assert book.scores(bitext("su", set())) is None
    assert book.links(bitext("su", set())) == {}
    faults = Faults(strict=False)
    phrase_book(path, [text, bitext("su", set())], PhraseFinder(), faults)
    assert ["no phrase pairs have the words of sentence 2, 'su …'" in str(x) for x in faults.noted] == [True]


def test_a_file_says_all_that_the_aligner_knows(tmp_path: Path):
    """Heads, virtual pairs and probabilities of the aligner come back from its JSON unchanged."""
    [tree] = forests_of(
        "(S (NP (A alte) (A graue) (N hunde)) (V schlafen) (ADV hier))", "brackets", options=ForestOptions("all")
    )
    e = DepTree(("old", "grey", "dogs", "sleep", "here"), (3, 3, 4, 0, 4), upos=("ADJ", "ADJ", "NOUN", "VERB", "ADV"))
    alignment = PhraseAligner().align_pair(tree, from_dependencies(e), [(k, k) for k in range(5)])
    assert any(pair.virtual for pair in alignment.pairs)
    [again] = phrase_pairs.load(written(tmp_path, alignment.to_json()))
    assert again == SentencePairs.of(alignment)
    assert {(pair.f, pair.f_head, pair.e_head) for pair in again.pairs} >= {((1, 2, 3), 3, 3), ((4,), 4, 4)}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", r"pairs.jsonl:1: the line is not JSON; write it with `proj align -o FILE`"),
        ([1], "no object with source, target and pairs"),
        ({"source": ["a"], "target": ["b"], "pairs": [1]}, "a pair is no object with source and target"),
        (
            {"source": ["a"], "target": ["b"], "pairs": [{"source": 3, "target": [0, 1]}]},
            r"source of a pair is 3, \[start, end\)",
        ),
        (
            {"source": ["a"], "target": ["b"], "pairs": [{"source": [0, 1], "target": [0, 2]}]},
            r"target of a pair is \[0, 2\], \[start, end\) within 1 words expected",
        ),
        (
            {"source": ["a"], "target": ["b"], "pairs": [{"source": [0, 1], "target": [0, 1], "posterior": 7}]},
            "posterior is 7, a number from 0 to 1 expected",
        ),
        (
            {"source": ["a"], "target": ["b"], "pairs": [{"source": [0, 1], "target": [0, 1], "heads": [0, 1]}]},
            r"heads of a pair are \[0, 1\], a word of each phrase, counted from 0, or null expected",
        ),
        (
            {"source": ["a"], "target": ["b"], "pairs": [{"source": [0, 1], "target": [0, 1], "heads": 3}]},
            r"heads of a pair are 3, a word of each phrase, counted from 0, or null expected",
        ),
        ({"source": ["a"], "target": ["b"], "pairs": [], "virtual": {}}, r"virtual is \{\}, a list of pairs expected"),
    ],
)
def test_broken_files_say_where(tmp_path: Path, row: object, message: str):
    with pytest.raises(FormatError, match=message):
        list(phrase_pairs.load(written(tmp_path, row)))
    faults = Faults(strict=False)
    assert list(phrase_pairs.load(written(tmp_path, row), faults)) == []
    assert len(faults.noted) == 1


def test_all_bracketings_are_all():
    text = bitext("ka lipa mo su", {(2, 2), (4, 3)})
    forest = all_bracketings(text).check()
    assert count_trees(forest) == 5
    heads = {node.span: node.sem_head for node in forest.nodes}
    assert heads[0, 3] == 1  # the word linked with the highest E word
    assert heads[0, 4] == 3


def test_the_aligner_asks_for_trees_of_f():
    text = bitext("alte hunde schlafen hier", {(1, 1), (2, 2), (3, 3), (4, 4)})
    assert len(phrase_book("auto", [text], PhraseFinder())) == 0
    [tree] = forests_of("(S (NP (A alte) (N hunde)) (VP (V schlafen) (ADV hier)))", "brackets")
    finder = PhraseFinder(forests_by_words([tree]))
    found = phrase_book("auto", [text], finder).find(text)
    assert found is not None
    assert {pair.f_head for pair in found.pairs if (pair.f, pair.e) == ((1, 2), (1, 2))} == {2}
    assert len(phrase_book("auto", [bitext("ka su", set())], finder)) == 0
    assert len(phrase_book("auto", [bitext("alte hunde schlafen hier", set())], finder)) == 0  # nothing to align without links


def test_paraphrases_get_their_links_from_aligned_phrases():
    text = bitext("dogs which are old sleep here", set())
    made, book = linked_paraphrases([text], Lexicon(), {})
    assert made[0].links.links == {(1, 2), (4, 1), (5, 3), (6, 4)}
    assert len(book) == 0  # no tree of F: links, and no phrases
    [tree] = forests_of("(S (NP (N dogs) (S (P which) (VP (V are) (A old)))) (VP (V sleep) (ADV here)))", "brackets")
    made, book = linked_paraphrases([text], Lexicon(), forests_by_words([tree]))
    assert made[0].links.links == {(1, 2), (4, 1), (5, 3), (6, 4)}
    assert len(book) == 1
    given = bitext("dogs sleep", {(1, 2)})
    assert linked_paraphrases([given], Lexicon(), {})[0][0].links == given.links
