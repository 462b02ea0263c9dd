"""s5: always a tree, words inside their phrases, cues from unannotated text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import pairs

from divproj import AlignmentError, DepTree, Links
from divproj.core.pair import Pair
from divproj.core.tree import cycles
from divproj.evaluation.experiment import cross_validate
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.parsers import PHRASES, phrase_codes
from divproj.projection.phrasal.s5 import LONGEST, S5, cached_state, subtrees
from divproj.projection.projector import ballot, vote
from divproj.projection.systems import AdaptedSystem, train


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
def projector() -> AdaptedSystem[S5]:
    return AdaptedSystem.to(S5(), TEXT)


def test_loose_words_hang_where_their_kind_does(projector: AdaptedSystem[S5]):
    new = bitext("tivo su ka mano lipa su", "cat dog barks", (3, 3, 0), "NOUN NOUN VERB", {(1, 1), (4, 2), (5, 3)})
    assert projector.project(TEXT[0]).heads == (2, 3, 0, 3)
    assert projector.project(TEXT[2]).heads == (0, 1, 4, 1)
    assert projector.project(new).heads[2] == 4
    assert projector.project(TEXT[0]).reasons == ("spontaneous", "projected", "projected", "spontaneous")
    assert s1(TEXT[2]).heads == (0, 1, 2, 1)  # to the left, whatever the word


def test_likelihood_rises(projector: AdaptedSystem[S5]):
    likelihoods = projector.state.likelihoods
    assert len(likelihoods) == projector.system.rounds
    assert likelihoods[0] < likelihoods[-1]
    assert list(likelihoods) == sorted(likelihoods)


def test_same_text_same_trees(projector: AdaptedSystem[S5]):
    again = AdaptedSystem.to(S5(), TEXT)
    assert [again.project(b) for b in TEXT] == [projector.project(b) for b in TEXT]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs())
def test_always_one_tree(projector: AdaptedSystem[S5], pair: Pair):
    for system in (projector, AdaptedSystem(S5(induce_links=False), None)):
        found = system.project(ProjectionInput.of(pair))
        assert found.heads.count(0) == (1 if found.heads else 0)
        assert not cycles(found.heads)
        assert len(found.reasons) == len(found.heads)
        assert all(0 <= x <= 1 for x in found.confidence)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=pairs())
def test_phrases_are_spans_and_nest(projector: AdaptedSystem[S5], pair: Pair):
    phrases = projector.system.phrases(ProjectionInput.of(pair), projector.state)
    for one in phrases:
        assert one.f_words == tuple(range(one.f_words[0], one.f_words[-1] + 1))
        assert one.f_head in one.f_words
        assert one.e_head in one.e_words
        assert 0 <= one.posterior <= 1
        for other in phrases:
            shared = set(one.f_words) & set(other.f_words)
            assert shared in (set(), set(one.f_words), set(other.f_words))


def test_an_unlinked_word_stays_inside_the_phrase_that_holds_it(projector: AdaptedSystem[S5]):
    # E: [big dog] barks; F: mano ka tivo | lipa, with 'ka' between the two words of the noun phrase
    text = bitext("mano ka tivo lipa", "big dog barks", (2, 3, 0), "ADJ NOUN VERB", {(1, 1), (3, 2), (4, 3)})
    heads = projector.project(text).heads
    assert set(subtrees(heads)[3]) == {1, 2, 3}
    by_head = {phrase.f_head: phrase for phrase in projector.system.phrases(text, projector.state)}
    assert by_head[3].f_words == (1, 2, 3)
    assert by_head[3].e_words == (1, 2)


def test_links_are_induced_between_unlinked_words():
    text = [
        bitext("ro mano", "the dog", (2, 0), "DET NOUN", {(2, 2)}),
        bitext("ro tivo", "the cat", (2, 0), "DET NOUN", {(2, 2)}),
        bitext("ro lipa", "the barking", (2, 0), "DET NOUN", {(2, 2)}),
    ] * 4
    found = S5().adapt(text).links.of(text[0])
    assert found.sentence.links.links == {(1, 1), (2, 2)}
    assert found.kinds == (0, 2, 1)
    assert found.given is text[0]


def test_a_very_long_sentence_falls_back_on_s1(projector: AdaptedSystem[S5]):
    n = LONGEST + 1
    long = ProjectionInput(("a",) * n, DepTree(("x",), (0,)), Links(frozenset({(1, 1)}), (n, 1)))
    assert projector.project(long) == s1(long)
    assert projector.system.phrases(long) == ()


def test_codes_for_the_parser(projector: AdaptedSystem[S5]):
    found = projector.system.posteriors(TEXT[0], projector.state)
    codes = phrase_codes(found)
    assert codes.shape == (5, 5, len(PHRASES))
    assert codes[3, 2, 0] > 10  # the edge of the best tree
    assert codes[2, 3, 0] < 10
    assert codes[3, 2, 2] == 5  # one step up to the phrase that holds both, and the other end is its head
    assert codes[4, 2, 2] == 4
    assert codes[0, 3, 2] == 5
    assert phrase_codes(found, ("link",)).shape == (5, 5, 1)


def test_votes_of_several_sources(projector: AdaptedSystem[S5]):
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


def test_in_an_experiment_all_text_is_observed():
    gold = [
        Pair(DepTree(b.forms, S5().project(b, cached_state(tuple(TEXT))).heads), b.e, b.links, str(k))
        for k, b in enumerate(TEXT)
    ]
    results = cross_validate(gold, ["s5"], folds=3)
    assert results["s5"].scores.overall.uas == 100
    assert train("s5", gold)(TEXT[0]).heads == gold[0].f.heads
