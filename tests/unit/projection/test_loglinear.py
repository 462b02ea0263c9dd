"""s2+: the lexicon, the candidates, the likelihood that is maximised, and what the model does with its weights."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from corpusfiles import pair, tree
from scipy.sparse import csr_matrix

from divproj import DepTree, Links
from divproj.projection import correction
from divproj.projection.candidates import Lattice, TagLexicon
from divproj.projection.correction import HeadModel, Question, fit_weights, weights_of
from divproj.projection.direct import ProjectionInput

COPULA = pair(tree((2, 0), forms=("hai", "ghar")), tree((0, 1), upos=("AUX", "NOUN"), forms=("is", "house")), {(1, 1), (2, 2)})
"""F's root is the last word, E's the first."""


class TestLexicon:
    bitext = ProjectionInput(
        ("Haus", "haus", "im", "Im"),
        DepTree(("House", "in", "the"), (0, 1, 1), upos=("NOUN", "ADP", "DET")),
        Links(frozenset({(1, 1), (2, 2), (3, 2), (4, 3)}), (4, 3)),
    )
    other = ProjectionInput(("haus",), DepTree(("house",), (0,), upos=("VERB",)), Links(frozenset({(1, 1)}), (1, 1)))

    def test_most_frequent_and_then_first_by_name(self):
        lexicon = TagLexicon.of([(self.bitext, ("root", "nmod", "case", "case"))])
        assert lexicon.f_tags == {"haus": "ADP", "im": "ADP"}
        assert lexicon.e_tags == {"house": "NOUN", "in": "ADP", "the": "DET"}
        assert lexicon.f_rels == {"haus": "nmod", "im": "case"}
        more = TagLexicon.of([(self.bitext, ("root", "_", "dep", "case")), (self.other, ("nmod",)), (self.other, ("obj",))])
        assert more.f_tags["haus"] == "VERB"
        assert more.e_tags["house"] == "VERB"
        assert more.f_rels == {"im": "case", "haus": "nmod"}
        assert (more.rel("HAUS"), more.rel("baum")) == ("nmod", "")

    @pytest.mark.parametrize(
        ("form", "gloss", "tag"),
        [
            ("...", "house", "PUNCT"),
            ("IM", "house", "ADP"),
            ("x", "house", "NOUN"),
            ("x", "house-PL", "NOUN"),
            ("x", "HOUSE", "NOUN"),
            ("x", "DEF.SG", "SG"),
            ("x", "tree-PL", "?"),
            ("x", "", "?"),
        ],
    )
    def test_tag_of_a_word_without_a_link(self, form, gloss, tag):
        assert TagLexicon({"im": "ADP"}, {"house": "NOUN"}).tag(form, gloss) == tag


def test_six_children_at_most_are_candidates():
    e = tree((0, *[1] * 9))
    lattice = Lattice(ProjectionInput.of(pair(tree((0, *[1] * 9)), e, {(k, k) for k in range(1, 11)})))
    assert lattice.heads(1) == [0, 2, 3, 4, 5, 6, 7]
    assert lattice.heads(9) == [1, 0, 8, 10], "its head, the root, the sisters beside it, its neighbours"


def test_another_lexicon_or_root_after_all_was_asked():
    """What depends on the lexicon is computed anew, the rest is kept."""
    bitext = ProjectionInput(("im", "haus"), DepTree(("house",), (0,), upos=("NOUN",)), Links(frozenset({(2, 1)}), (2, 1)))
    asked = Lattice(bitext)
    assert (asked.guesses, asked.more_tags) == (("ROOT", "?", "NOUN"), ())
    again = asked.with_lexicon(TagLexicon({"im": "ADP"}))
    assert (again.guesses, again.more_tags[1]) == (("ROOT", "ADP", "NOUN"), ("?", "ADP"))
    assert again.tags is asked.tags
    assert (again.with_top(1).top, again.with_top(1).guesses) == (1, again.guesses)
    assert again.with_top(1).guesses is again.guesses


class TestLikelihood:
    """Two features, three questions; rows are candidates."""

    design = csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]))
    starts, gold = np.array([0, 2, 5, 7]), (0, 1, 0)
    before = np.array([0.0, 0.5, -0.2, 0.3, 0.0, 0.1, 0.7])

    def value(self, weights, penalty):
        """The likelihood written out."""
        total = 0.0
        for q, gold in enumerate(self.gold):
            rows = range(self.starts[q], self.starts[q + 1])
            scores = [float(self.design[k].toarray()[0] @ weights) + self.before[k] for k in rows]
            total += scores[gold] - math.log(sum(map(math.exp, scores)))
        return total - 0.5 * penalty * float(np.dot(weights, weights))

    @pytest.mark.parametrize("penalty", [0.3, 2.0])
    def test_no_weights_are_better(self, penalty):
        found = weights_of(self.design, self.starts, self.gold, self.before, penalty)
        best = self.value(found, penalty)
        for step in ((1e-2, 0.0), (-1e-2, 0.0), (0.0, 1e-2), (0.0, -1e-2), (0.3, 0.3), (-0.3, 0.2)):
            assert self.value(found + step, penalty) < best

    def test_steps_are_limited(self):
        one, many = (weights_of(self.design, self.starts, self.gold, self.before, 0.01, steps) for steps in (1, 50))
        assert self.value(one, 0.01) < self.value(many, 0.01)


class TestFittedWeights:
    def fitted(self, questions, penalty=0.5, given=None):
        """Weights for questions whose features are names."""
        from divproj.projection.correction import SPELLED

        ends = iter(given if given is not None else ())
        numbers = [
            Question([[SPELLED.number(name) for name in row] for row in rows], gold, [*islice(ends, len(rows))] or None)
            for rows, gold in questions
        ]
        return fit_weights(numbers, penalty)

    def test_features_of_one_question_are_left_out(self):
        questions = [([["tl:a", "tl:once"], ["tl:b"]], 0), ([["tl:a"], ["tl:b"], ["tl:b", "tl:b"]], 0)]
        found = self.fitted(questions)
        assert list(found) == ["tl:a", "tl:b"], "in the order in which they first occur"
        assert found == self.fitted([([["tl:a"], ["tl:b"]], 0), questions[1]])
        assert found["tl:a"] > 0 > found["tl:b"]
        assert all(value == round(value, 4) for value in found.values())

    def test_features_stand_in_the_order_of_their_first_occurrence(self):
        questions = [([["tl:z"], ["tl:y"]], 0), ([["tl:x"], ["tl:z"]], 0), ([["tl:x"], ["tl:y"]], 0)]
        assert list(self.fitted(questions[1:] + questions[:1] * 2)) == ["tl:x", "tl:z", "tl:y"]

    def test_a_feature_that_is_twice_in_one_question_is_met_once(self):
        assert set(self.fitted([([["tl:c"], ["tl:c"]], 0), ([["tl:d"], []], 0), ([["tl:d"], []], 0)])) == {"tl:d"}

    def test_what_says_nothing_is_not_kept(self):
        assert self.fitted([([["tl:e"], ["tl:e"]], 0)] * 2) == {}
        assert fit_weights([], 1.0) == {}

    def test_what_is_known_before_is_not_learned_again(self):
        questions = [([["tl:f"], []], 0)] * 4
        assert self.fitted(questions, given=np.array([9.0, 0.0] * 4)).get("tl:f", 0.0) < 0.1 < self.fitted(questions)["tl:f"]


class TestModel:
    def test_the_last_word_may_be_the_root(self):
        """And so may any other; E's root is another word."""
        model = HeadModel.fit([COPULA] * 5)
        bitext = ProjectionInput.of(COPULA)
        assert model.with_root(Lattice(bitext)).top == 2
        found = model.project(bitext)
        assert found.heads == COPULA.f.heads
        assert min(found.confidence) > 0.5
        assert found.reasons == ("swap", "swap")

    def test_the_roots_of_a_fifth_are_learned_from_the_others(self, monkeypatch):
        sizes, real = [], correction.fit_weights
        monkeypatch.setattr(correction, "fit_weights", lambda asked, penalty: sizes.append(len(asked)) or real(asked, penalty))
        HeadModel.fit([COPULA] * 7)
        assert sizes == [5, 5, 6, 6, 6, 7, 14], "the last two learn from all, roots and heads"

    def test_scores_are_sums_of_weights(self):
        lattice = Lattice(ProjectionInput.of(COPULA))
        model = HeadModel({"r=P": 1.0, "t=NOUN<AUX": 0.5, "0t=NOUN": 0.25, "0l=True|False": 0.25, "0w=hai": 0.4})
        [first, second] = model.candidate_probabilities(lattice)
        assert dict(first) == pytest.approx({0: math.e / (math.e + 1), 2: 1 / (math.e + 1)})
        odds = math.exp(1.5)
        assert dict(second) == pytest.approx({1: odds / (odds + 1), 0: 1 / (odds + 1)})
        assert [model.weight(lattice.root_block(word)) for word in (1, 2)] == [0.4, 0.5]
        assert model.with_root(lattice).top == 2
        assert model.with_root(Lattice(ProjectionInput((), DepTree((), ()), Links(frozenset(), (0, 0))))).top == 0

    def test_probabilities_of_edges(self):
        model = HeadModel({"r=P": 1.0})
        found, edges = model.edge_probabilities(ProjectionInput.of(COPULA))
        assert found.heads == (0, 1)
        assert edges.shape == (3, 3)
        assert edges[0, 1] == found.confidence[0] == pytest.approx(math.e / (math.e + 1))
        assert edges[:, 1:].sum(axis=0) == pytest.approx([1.0, 1.0])
        assert not edges[:, 0].any()

    def test_reasons(self):
        e = tree((0, 1, 1, 1), upos=("VERB", "NOUN", "NOUN", "ADV"))
        gold = pair((0, 1, 2, 1, 1, 1), e, {(1, 1), (2, 2), (3, 3), (5, 4), (6, 4)})
        model = HeadModel({"w=w3|w2": 0.0, "h=w2|NOUN<": 9.0, "h=w5|ADV<": 9.0})
        found = model.project(ProjectionInput.of(gold))
        assert found.heads[2] == 2
        assert found.reasons[2] == "learned", "a sister"
        assert found.reasons[3] == "spontaneous"
        assert found.heads[5] == 5
        assert found.reasons[5] == "merge"
        assert model.project(ProjectionInput(("a", "b"), e, Links(frozenset(), (2, 4)))).reasons == ("guess", "guess")

    def test_relations_of_words_that_have_none_over_the_links(self):
        e = DepTree(("sleeps",), (0,), ("root",), ("VERB",))
        bitext = ProjectionInput(("na", "schläft"), e, Links(frozenset({(2, 1)}), (2, 1)))
        assert HeadModel(lexicon=TagLexicon(f_rels={"na": "discourse"})).project(bitext).deprels == ("discourse", "")

    def test_a_determiner_is_no_root(self):
        e = DepTree(("the", "dog"), (2, 0), ("det", "root"), ("DET", "NOUN"))
        model = HeadModel({"0w=der": 5.0, "r=0T": 9.0, "r=TO": 9.0})
        found = model.project(ProjectionInput(("der", "hund"), e, Links(frozenset({(1, 1), (2, 2)}), (2, 2))))
        assert found.heads == (2, 0)

    def test_gold_heads_that_are_no_candidates_teach_nothing(self):
        model = HeadModel.fit([replace(COPULA, f=COPULA.f.with_heads((-1, 0)))] * 3)
        assert "w=ghar|0" in model.weights
        assert not [name for name in model.weights if name.startswith("w=hai")]
