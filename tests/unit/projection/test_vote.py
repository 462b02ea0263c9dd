"""s6's vote: how the probabilities of its models become those of edges, and these a tree with tags, relations and reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from unit.projection.test_universal import ENGLISH, sentence
from unit.projection.test_universal_network import NAMES, network

from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed import linear as edges
from divproj.projection.glossed import linear as labels
from divproj.projection.glossed import linear as tagger
from divproj.projection.glossed import s6
from divproj.projection.glossed.linear import class_chances
from divproj.projection.glossed.model import WAYS, GlossModel, NetworkOutput, word_leanings
from divproj.projection.glossed.s6 import (
    ARGUMENT_SHARE,
    ARGUMENTS,
    EDGE_SHARE,
    HABIT_SHARE,
    NEAR_SHARE,
    NOT_READ,
    PHRASAL_VOTE,
    PUNCTUATION_HEAD,
    RELATION_SHARE,
    S6,
    TAG_SHARE,
    TYPE_HEAD,
    TYPE_RELATION,
    GlossState,
    _upos,
    _with_habits,
    answered_relations,
    direct,
    is_read,
    stem_of,
)
from divproj.projection.glossed.word_types import Answer
from divproj.projection.phrasal.s5 import LONGEST
from divproj.ud import tagsets
from divproj.ud.tagsets import UPOS

FLOOR = 1e-6
"""The least probability that a voter gives."""


@pytest.fixture(scope="module")
def linear() -> GlossModel:
    """Weights of edges drawn at random, and none of tags and relations."""
    chance = np.random.default_rng(7)
    plain, linked = (chance.normal(0, 0.5, edges.EDGE_FEATURES).astype(np.float32) for _ in range(2))
    tags, relations = (
        np.zeros((tagger.TAG_FEATURES, len(UPOS)), np.float32),
        np.zeros((labels.LABEL_FEATURES, len(tagsets.LABELS)), np.float32),
    )
    return GlossModel(ENGLISH, tags, plain, linked, relations)


@pytest.fixture(scope="module")
def deep(linear: GlossModel) -> GlossModel:
    parts = (linear.english, linear.tagger, linear.plain, linear.linked, linear.labels)
    return GlossModel(*parts, names=NAMES, networks=(network(), network(2)))


def columns(chance: np.random.Generator, n: int) -> np.ndarray:
    """Probabilities [head, child] of n words; one is zero."""
    made = chance.random((n + 1, n + 1))
    made[0, 1] = 0.0
    np.fill_diagonal(made, 0.0)
    made[:, 0] = 0.0
    return made / np.maximum(made.sum(0), 1e-9)


def readings(chance: np.random.Generator, n: int) -> tuple[NetworkOutput, NetworkOutput]:
    """What two networks say; one edge has no chance."""
    made = []
    for _ in range(2):
        with np.errstate(divide="ignore"):
            logs = np.log(columns(chance, n)).astype(np.float32)
        tags = chance.random((n, len(UPOS))).astype(np.float32)
        blank = np.zeros((n + 1, 1), np.float32)
        made.append(NetworkOutput(tags / tags.sum(1, keepdims=True), logs, blank, blank))
    return made[0], made[1]


class TestVote:
    """p(h | c) ∝ (linked^(1-v) · s5^v)^l · networks^(1-l) · exp(s · near), voters that say nothing left out."""

    n = 4

    def expected(self, read, vote):
        made = np.zeros((self.n + 1, self.n + 1))
        for c in range(1, self.n + 1):
            for h in range(self.n + 1):
                if h == c:
                    continue
                odds = max(read.linked[h, c], FLOOR) ** (1 - vote) * max(read.phrases[h, c], FLOOR) ** vote
                if read.readings:
                    mean = sum(max(float(r.edges[h, c]), -1e9) for r in read.readings) / len(read.readings)
                    odds = odds**EDGE_SHARE * max(np.exp(mean), FLOOR) ** (1 - EDGE_SHARE)
                if read.near.size:
                    odds *= np.exp(NEAR_SHARE * read.near[h, c])
                made[h, c] = odds
        return made / np.maximum(made.sum(0), 1e-12)

    @pytest.mark.parametrize("vote", [PHRASAL_VOTE, 0.5])
    @pytest.mark.parametrize("deep", [False, True])
    @pytest.mark.parametrize("near", [False, True])
    def test_of_all_models(self, vote, deep, near, linear):
        chance = np.random.default_rng(1)
        system = S6(linear, vote=vote)
        read = system.analyze(sentence("SVO", "dog", "see", 0)[0])
        read = replace(
            read, linked=columns(chance, self.n), phrases=columns(chance, self.n), near=np.zeros((0, 0)), readings=()
        )
        if deep:
            read = replace(read, readings=readings(chance, self.n))
        if near:
            read = replace(read, near=chance.normal(size=(self.n + 1, self.n + 1)))
        found = system.mix(read)
        assert found == pytest.approx(self.expected(read, vote), rel=1e-5)
        assert found[:, 1:].sum(axis=0) == pytest.approx(np.ones(self.n))

    def test_habits_and_given_relations(self, linear):
        """· exp(s · habits) · fit: of a word whose relation is given, heads of the wrong tags count a tenth, the root with them."""
        chance = np.random.default_rng(4)
        pair, _ = sentence("SVO", "dog", "see", 0)
        answers = (None, Answer(("ADP",), "case marker", "case"), Answer(("CCONJ",), "coordinator", "cc"), None, None)
        system, pair = S6(linear), replace(pair, answers=answers[: len(pair)])
        read = system.analyze(pair)
        given = {name: columns(chance, self.n) for name in ("linked", "phrases")}
        read = replace(read, **given, near=np.zeros((0, 0)), readings=(), habits=chance.normal(size=(self.n + 1,) * 2))
        odds = self.expected(read, PHRASAL_VOTE) * np.exp(HABIT_SHARE * read.habits)
        nominal = [UPOS.index(tag) for tag in ("NOUN", "PROPN", "PRON", "NUM", "ADJ", "SYM", "X")]
        for h in range(1, self.n + 1):
            odds[h, 2] *= TYPE_HEAD + (1 - TYPE_HEAD) * read.tags[h - 1, nominal].sum()
        odds[0, 2] *= TYPE_HEAD
        assert system.mix(read) == pytest.approx(odds / np.maximum(odds.sum(0), 1e-12))
        assert answered_relations(read.edge_input) == [(2, "case"), (3, "cc")]

    def test_of_tags(self, linear):
        chance = np.random.default_rng(2)
        read = S6(linear).analyze(sentence("SVO", "dog", "see", 0)[0])
        assert (read.tags == read.edge_input.probabilities).all()
        said = readings(chance, self.n)
        mean = (said[0].tags + said[1].tags) / 2
        mixed = replace(read, readings=said).tags
        assert mixed == pytest.approx(TAG_SHARE * read.edge_input.probabilities + (1 - TAG_SHARE) * mean, rel=1e-5)

    def test_of_relations(self, deep):
        bitext, _ = sentence("SVO", "dog", "see", 0)
        system = S6(deep)
        read, heads = replace(system.analyze(bitext), arguments=np.zeros((0, 0))), [2, 3, 0, 3]
        alone = class_chances(labels.label_features(read.edge_input, heads), deep.labels, 20)
        rows = zip(deep.networks, read.readings, strict=True)
        mean = sum(each.relations(reading, read.sentence, heads) for each, reading in rows) / 2
        assert system.label_probabilities(read, heads) == pytest.approx(
            RELATION_SHARE * alone + (1 - RELATION_SHARE) * mean, rel=1e-5
        )
        assert system.label_probabilities(replace(read, sentence=None), heads) == pytest.approx(alone)

    def test_arguments_and_given_relations(self, linear):
        """Relations of arguments share what they had by the case of the word; the relation that is given has nearly all."""
        pair, _ = sentence("SVO", "dog", "see", 0)
        system, heads = S6(linear), [2, 3, 0, 3]
        plain = replace(system.analyze(pair), arguments=np.zeros((0, 0)), readings=(), sentence=None)
        alone = system.label_probabilities(plain, heads)
        cases = np.random.default_rng(5).normal(size=(self.n, len(ARGUMENTS)))
        expected = alone.copy()
        for k in range(self.n):
            odds = [
                alone[k, tagsets.LABELS.index(name)] * np.exp(ARGUMENT_SHARE * cases[k, i]) for i, name in enumerate(ARGUMENTS)
            ]
            core = sum(alone[k, tagsets.LABELS.index(name)] for name in ARGUMENTS)
            for value, name in zip(odds, ARGUMENTS, strict=True):
                expected[k, tagsets.LABELS.index(name)] = core * value / sum(odds)
        assert system.label_probabilities(replace(plain, arguments=cases), heads) == pytest.approx(expected)
        answered = system.analyze(replace(pair, answers=(None, Answer((), "", "det"), *[None] * (len(pair) - 2))))
        answered = replace(answered, arguments=np.zeros((0, 0)), readings=(), sentence=None)
        expected = system.label_probabilities(replace(answered, edge_input=plain.edge_input), heads)
        expected[1] *= 1 - TYPE_RELATION
        expected[1, tagsets.LABELS.index("det")] += TYPE_RELATION
        assert system.label_probabilities(answered, heads) == pytest.approx(expected)

    def test_what_the_text_shows_comes_to_its_words(self, linear):
        """The case of a word and its type, where the text knows them."""
        read = S6(linear).analyze(LINKED)
        bare = replace(read, habits=np.zeros((0, 0)), arguments=np.zeros((0, 0)))
        assert _with_habits(bare, GlossState()) is bare
        stems = [stem_of(read.edge_input.words[word - 1]) for word in read.edge_input.real]
        ways = np.random.default_rng(6).normal(size=WAYS)
        shown = _with_habits(bare, GlossState(habits={stems[1]: ways}))
        rows = np.zeros((len(stems), WAYS))
        rows[1] = ways
        assert shown.habits == pytest.approx(word_leanings(rows, read.tags))
        assert not shown.arguments.size
        row = np.arange(4.0)
        assert _with_habits(bare, GlossState(arguments={"": row})).arguments.tolist() == [row.tolist()] * len(stems)
        assert not _with_habits(bare, GlossState(arguments={"ERG": row})).arguments.size


LINKED = ProjectionInput(
    ("d", "s", "v", "w", "o", "!", "p"),
    DepTree(("dog", "sees", "big", "fish"), (2, 0, 4, 2), ("nsubj", "root", "amod", "obj"), ("NOUN", "VERB", "ADJ", "NOUN")),
    Links(frozenset({(2, 1), (3, 2), (4, 2), (5, 4), (7, 3)}), (7, 4)),
    ("DEF", "dog", "see", "PST", "fish", "", "big"),
    tags=("DET", "NOUN", "VERB", "AUX", "NOUN", "_", "ADJ"),
)
"""`d` has no link, `v` and `w` are one word of E, `p` is linked to a word below that of `o`; the exclamation mark stands inside."""


class TestTree:
    """A tree of edges that we choose: each probability is 0.9."""

    def project(self, linear, heads):
        system = S6(linear, vote=0.0)
        read = system.analyze(LINKED)
        chances = np.full((7, 7), 0.1 / 5)
        for c, h in enumerate(heads, 1):
            chances[h, c] = 0.9
        np.fill_diagonal(chances, 0.0)
        state = GlossState(analyses={LINKED: replace(read, linked=chances, readings=(), near=np.zeros((0, 0)))})
        return system, state, system.project(LINKED, state)

    def test_edges_become_a_tree(self, linear):
        *_, found = self.project(linear, (2, 3, 0, 3, 3, 5))
        assert found.heads == (2, 3, 0, 3, 3, 5, 5)
        assert found.confidence == pytest.approx((*[0.9] * 5, PUNCTUATION_HEAD, 0.9))
        assert (found.deprels[2], found.deprels[5]) == ("root", "punct")
        assert found.upos == ("DET", "NOUN", "VERB", "AUX", "NOUN", "PUNCT", "ADJ")
        assert found.reasons == ("spontaneous", "projected", "projected", "merge", "projected", "guess", "projected")

    def test_reasons_of_other_edges(self, linear):
        """`s` below its sister `o`, and `o` below its own dependent `p`."""
        *_, found = self.project(linear, (2, 5, 0, 3, 6, 3))
        assert (found.heads[1], found.reasons[1]) == (5, "parsed")
        assert (found.heads[4], found.reasons[4]) == (7, "swap")

    def test_probabilities_of_all_edges(self, linear):
        system, state, found = self.project(linear, (2, 3, 0, 3, 3, 5))
        again, matrix = system.edge_probabilities(LINKED, state)
        assert again == found
        assert matrix.sum(axis=0) == pytest.approx([0, *[1] * 7])
        assert matrix[3, 5] == pytest.approx(0.9)
        assert matrix[5, 7] == pytest.approx(0.9)
        assert matrix[6].sum() == 0, "no word depends on punctuation"
        assert matrix[found.heads[5], 6] == 1.0

    def test_tree_of_someone_else(self, linear):
        """Words below punctuation go up to its head, and there is one root."""
        system, state, _ = self.project(linear, (2, 3, 0, 3, 3, 5))
        tags = ("NOUN", "NOUN", "VERB", "VERB", "NOUN", "PUNCT", "VERB")
        found = system.relabel(LINKED, system.analyze(LINKED, state), (2, 3, 0, 3, 6, 3, 0), tags)
        assert found.heads == (2, 3, 0, 3, 3, 3, 3)
        assert found.upos == tags
        assert found.confidence[:5] == (1.0,) * 5

    def test_another_process_projects_the_same(self, linear):
        system, state, found = self.project(linear, (2, 3, 0, 3, 3, 5))
        system = replace(system, vote=0.7)
        voted = system.project(LINKED, state)
        assert voted.confidence != found.confidence
        assert system.project(LINKED, state.part([LINKED])) == voted


@pytest.fixture(scope="module")
def state(linear: GlossModel) -> GlossState:
    """After it has read a text, in which one sentence is there twice."""
    text = [sentence(order, "cat", "eat", k)[0] for order in ("OSV", "SVO") for k in range(2)]
    return S6(linear, share=0.5).adapt([*text, text[0], LINKED])


class TestText:
    """What a text becomes."""

    def test_probabilities(self, state):
        assert len(state.analyses) == 5, "a sentence that is there twice is read once"
        for bitext, read in state.analyses.items():
            real = len(read.edge_input.real)
            assert read.edge_input.probabilities.sum(axis=1) == pytest.approx(np.ones(real))
            assert read.edge_input.probabilities[:, UPOS.index("PUNCT")] == pytest.approx(np.zeros(real), abs=1e-5)
            for matrix in (read.plain, read.phrases, read.linked):
                assert matrix.shape == (real + 1, real + 1)
                assert matrix[:, 1:].sum(axis=0) == pytest.approx(np.ones(real))
                assert not matrix[:, 0].any()
                assert not matrix.diagonal().any()
            assert _upos(bitext, read.edge_input)[-1 if bitext is not LINKED else 5] == "PUNCT"

    def test_the_last_mark_hangs_on_a_word(self, state, linear):
        found = S6(linear, share=0.5).project(next(iter(state.analyses)), state)
        assert found.deprels[-1] == "punct"
        assert found.heads[-1] > 0

    def test_weights_of_edges_in_the_chart(self, state, linear):
        analysis = state.analyses[LINKED]
        made, plain = S6(linear, share=0.5).edge_weights(LINKED, analysis), analysis.plain
        assert made[6] == pytest.approx(np.full(8, NOT_READ))
        keep = [0, 1, 2, 3, 4, 5, 7]
        assert made[np.ix_(keep, keep)] == pytest.approx(0.5 * np.log(np.maximum(plain, 1e-3)))

    def test_few_edges_at_a_time(self, state, linear, monkeypatch):
        for size in (1, 33):
            monkeypatch.setattr(s6, "EDGES", size)
            again = S6(linear, share=0.5).adapt(state.analyses)
            for one, other in zip(state.analyses.values(), again.analyses.values(), strict=True):
                assert (one.plain == other.plain).all()
                assert (one.linked == other.linked).all()

    def test_edges_of_the_translation(self, state):
        expected = np.zeros((7, 7))
        for head, child in ((3, 2), (4, 2), (3, 5), (4, 5), (5, 6)):
            expected[head, child] = 1.0
        assert direct(state.analyses[LINKED].edge_input).tolist() == expected.tolist()

    def test_nothing_to_read(self, linear):
        assert S6(linear).adapt([]).analyses == {}
        e = DepTree(("x",), (0,))
        for n, read in ((0, False), (1, True), (LONGEST, True), (LONGEST + 1, False)):
            assert is_read(ProjectionInput(("a",) * n, e, Links(frozenset(), (n, 1)))) == read
