"""s5: always a tree, words inside their phrases, cues from unannotated text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import pairs

from divproj import AlignmentError, DepTree, Links
from divproj.data.pair import Pair
from divproj.data.tree import cycles
from divproj.evaluation.experiment import cross_validate
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.phrasal.features import PHRASES, phrase_codes
from divproj.projection.phrasal.links import refine_links
from divproj.projection.phrasal.projector import LONGEST, PhraseProjector, observed, subtrees
from divproj.projection.phrasal.trees import choose_tree
from divproj.projection.phrasal.vote import ballot, vote
from divproj.projection.systems import train


def bitext(f: str, e: str, e_heads: tuple[int, ...], tags: str, links: set[tuple[int, int]]) -> ProjectionInput:
    forms, words = tuple(f.split()), tuple(e.split())
    tree = DepTree(words, e_heads, ("dep",) * len(words), tuple(tags.split()))
    return ProjectionInput(forms, tree, Links(frozenset(links), (len(forms), len(words))))


# a language with a loose article before the noun and a loose particle after the verb
TEXT = [
    bitext("ka mano lipa su", "dog barks", (2, 0), "NOUN VERB", {(2, 1), (3, 2)}),
    bitext("ka tivo soro su", "cat sleeps", (2, 0), "NOUN VERB", {(2, 1), (3, 2)}),
    bitext("lipa su ka mano", "barks dog", (0, 1), "VERB NOUN", {(1, 1), (4, 2)}),
    bitext("soro su", "sleeps", (0,), "VERB", {(1, 1)}),
    bitext("ka mano", "dog", (0,), "NOUN", {(2, 1)}),
    bitext("ka tivo", "cat", (0,), "NOUN", {(2, 1)}),
] * 3


@pytest.fixture(scope="module")
def projector() -> PhraseProjector:
    return PhraseProjector().observe(TEXT)


def test_loose_words_hang_where_their_kind_does(projector: PhraseProjector):
    new = bitext("tivo su ka mano lipa su", "cat dog barks", (3, 3, 0), "NOUN NOUN VERB", {(1, 1), (4, 2), (5, 3)})
    assert projector.project(TEXT[0]).heads == (2, 3, 0, 3)
    assert projector.project(TEXT[2]).heads == (0, 1, 4, 1)
    assert projector.project(new).heads[2] == 4
    assert projector.project(TEXT[0]).reasons == ("spontaneous", "projected", "projected", "spontaneous")
    assert s1(TEXT[2]).heads == (0, 1, 2, 1)  # to the left, whatever the word


def test_likelihood_rises(projector: PhraseProjector):
    assert len(projector.history_) == projector.rounds
    assert projector.history_[0] < projector.history_[-1]
    assert projector.history_ == sorted(projector.history_)


def test_same_text_same_trees(projector: PhraseProjector):
    again = PhraseProjector().observe(TEXT)
    assert [again.project(b) for b in TEXT] == [projector.project(b) for b in TEXT]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs())
def test_always_one_tree(projector: PhraseProjector, pair: Pair):
    for system in (projector, PhraseProjector(induce_links=False)):
        found = system.project(ProjectionInput.of(pair))
        assert found.heads.count(0) == (1 if found.heads else 0)
        assert not cycles(found.heads)
        assert len(found.reasons) == len(found.heads)
        assert all(0 <= x <= 1 for x in found.confidence)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs())
def test_phrases_are_spans_and_nest(projector: PhraseProjector, pair: Pair):
    phrases = projector.phrases(ProjectionInput.of(pair))
    for one in phrases:
        assert one.f_words == tuple(range(one.f_words[0], one.f_words[-1] + 1))
        assert one.f_head in one.f_words
        assert one.e_head in one.e_words
        assert 0 <= one.posterior <= 1
        for other in phrases:
            shared = set(one.f_words) & set(other.f_words)
            assert shared in (set(), set(one.f_words), set(other.f_words))


def test_an_unlinked_word_stays_inside_the_phrase_that_holds_it(projector: PhraseProjector):
    # E: [big dog] barks; F: mano ka tivo | lipa, with 'ka' between the two words of the noun phrase
    text = bitext("mano ka tivo lipa", "big dog barks", (2, 3, 0), "ADJ NOUN VERB", {(1, 1), (3, 2), (4, 3)})
    heads = projector.project(text).heads
    assert set(subtrees(heads)[3]) == {1, 2, 3}
    by_head = {phrase.f_head: phrase for phrase in projector.phrases(text)}
    assert by_head[3].f_words == (1, 2, 3)
    assert by_head[3].e_words == (1, 2)


def test_links_are_eked_out_between_unlinked_words():
    text = [
        bitext("ro mano", "the dog", (2, 0), "DET NOUN", {(2, 2)}),
        bitext("ro tivo", "the cat", (2, 0), "DET NOUN", {(2, 2)}),
        bitext("ro lipa", "the barking", (2, 0), "DET NOUN", {(2, 2)}),
    ] * 4
    found = PhraseProjector().observe(text).links_.of(text[0])
    assert found.bitext.links.links == {(1, 1), (2, 2)}
    assert found.kinds == (0, 2, 1)
    assert found.given is text[0]


def test_a_very_long_sentence_falls_back_on_s1(projector: PhraseProjector):
    n = LONGEST + 1
    long = ProjectionInput(("a",) * n, DepTree(("x",), (0,)), Links(frozenset({(1, 1)}), (n, 1)))
    assert projector.project(long) == s1(long)
    assert projector.phrases(long) == ()
    assert refine_links(projector, long) == long.links


def test_codes_for_the_parser(projector: PhraseProjector):
    found = projector.chances(TEXT[0])
    codes = phrase_codes(found)
    assert codes.shape == (5, 5, len(PHRASES))
    assert codes[3, 2, 0] > 10  # the edge of the best tree
    assert codes[2, 3, 0] < 10
    assert codes[3, 2, 2] == 5  # one step up to the phrase that holds both, and the other end is its head
    assert codes[4, 2, 2] == 4
    assert codes[0, 3, 2] == 5
    assert phrase_codes(found, ("link",)).shape == (5, 5, 1)


def test_refined_links_keep_what_stands_alone(projector: PhraseProjector):
    for text in TEXT[:6]:
        assert refine_links(projector, text).links == text.links.links


def test_links_of_no_phrase_are_vetoed_and_links_of_heads_proposed():
    # 'mano' is linked to its word and to one at the other end; 'lipa' and 'barks', heads of paired phrases, are not linked
    forms, e = "ka mano lipa tivo soro", "dog barks cat sleeps"
    given = {(2, 1), (4, 3), (5, 4), (2, 4)}
    text = bitext(forms, e, (2, 4, 4, 0), "NOUN VERB NOUN VERB", given)
    system = PhraseProjector().observe([*TEXT, text])
    linked = system.links_.of(text)
    system.links_._known[text] = replace(linked, chances={(2, 1): 0.9, (3, 2): 0.8, (4, 3): 0.9})
    found = refine_links(system, text).links
    assert (2, 4) not in found
    assert {(2, 1), (4, 3), (5, 4)} <= found
    assert ((3, 2) in found) == (system.project(text).heads[1:3] == (3, 5))


def test_votes_of_several_sources(projector: PhraseProjector):
    one = projector.project(TEXT[0])
    assert vote([one]) is one
    assert vote([one, one]).heads == one.heads
    matrix = ballot(s1(TEXT[0]))
    np.testing.assert_allclose(matrix[:, 1:].sum(0), 1.0)
    other = s1(TEXT[1])
    with pytest.raises(
        AlignmentError, match="the sources have different words: ka mano lipa su … and ka tivo soro su …; every"
    ):
        vote([one, other])


@settings(max_examples=15, deadline=None)
@given(pair=pairs())
def test_a_vote_is_a_tree(pair: Pair):
    text = ProjectionInput.of(pair)
    found = vote([s1(text, "right"), s1(text, "left", "right")])
    assert found.heads.count(0) == (1 if found.heads else 0)
    assert not cycles(found.heads)


def test_the_e_tree_that_f_agrees_with(projector: PhraseProjector):
    # F keeps 'ka mano' apart from 'tivo': so 'big' goes with 'cat'
    f = bitext("mano lipa tivo rasa", "dog saw cat big", (2, 0, 2, 3), "NOUN VERB NOUN ADJ", {(1, 1), (2, 2), (3, 3), (4, 4)})
    good, bad = f.e, f.e.with_heads((2, 0, 2, 1))
    assert choose_tree(projector, f, [(0.0, bad), (0.0, good)]) == 1
    assert choose_tree(projector, f, [(0.0, bad), (-100.0, good)]) == 0
    assert choose_tree(projector, f, [(0.0, good)]) == 0


def test_in_an_experiment_all_text_is_observed():
    gold = [Pair(DepTree(b.forms, observed(tuple(TEXT)).project(b).heads), b.e, b.links, str(k)) for k, b in enumerate(TEXT)]
    results = cross_validate(gold, ["s5"], folds=3)
    assert results["s5"].scores.overall.uas == 100
    assert train("s5", gold)(TEXT[0]).heads == gold[0].f.heads
