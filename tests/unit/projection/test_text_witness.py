"""The text as its own witness: tags, attachments and relations of a type by all its words together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from divproj.projection.glossed import s6
from divproj.projection.glossed.facts import Gloss
from divproj.projection.glossed.model import WAYS, leanings, ways, word_leanings
from divproj.projection.glossed.s6 import ARGUMENTS, TagPools, argument_habits, attachment_habits, stem_of
from divproj.projection.phrasal import chart
from divproj.ud.tagsets import UPOS

NOUN, VERB, ADP, DET = (UPOS.index(tag) for tag in ("NOUN", "VERB", "ADP", "DET"))


def word(gloss: Gloss, e_rel: str = "") -> Any:
    stem = ".".join(gloss.words)
    return SimpleNamespace(stem=stem, gloss=gloss, e_rel=e_rel, mark=False)


def analysis(words: list[Any], tags: np.ndarray, codes: np.ndarray | None = None) -> Any:
    """What s6 says of a sentence, as far as the text's statistics look at it."""
    n = len(words)
    seen = SimpleNamespace(
        real=list(range(1, n + 1)), words=words, codes=codes if codes is not None else np.zeros((n + 1,) * 2, int)
    )
    return SimpleNamespace(edge_input=seen, tags=tags, given=None)


def row(**shares: float) -> np.ndarray:
    table = np.full(len(UPOS), 1e-6)
    for tag, share in shares.items():
        table[UPOS.index(tag)] = share
    return table / table.sum()


LNK = Gloss((), ("LNK",), ("linker",))


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("POOL_SHARE", 0.8), ("POOL_CAUTION", 2.0), ("HABIT_SHARE", 0.4), ("ARGUMENT_SHARE", 0.5)):
        monkeypatch.setattr(s6, name, value)


def test_words_of_a_type_agree_on_a_tag(pooled: None) -> None:
    """Seven words that are read as particles outvote one that is read as a determiner."""
    texts = [analysis([word(LNK)], np.array([row(PART=0.6, DET=0.4)])) for _ in range(7)]
    odd = analysis([word(LNK)], np.array([row(PART=0.4, DET=0.6)]))
    pools = TagPools.of([*texts, odd])
    assert stem_of(word(LNK)) in pools.logs
    assert UPOS[int(pools.apply(odd)[0].argmax())] == "PART"
    assert pools.apply(odd).sum() == pytest.approx(1.0)


def test_words_that_are_sure_of_different_tags_are_left_alone(pooled: None) -> None:
    """The gloss `fish` of nouns and verbs: each word is sure, so none is moved as much as words that are in doubt."""
    fish = Gloss(("fish",))
    rows = [row(NOUN=0.99, VERB=0.01)] * 6 + [row(NOUN=0.01, VERB=0.99)] * 2
    texts = [analysis([word(fish)], np.array([each])) for each in rows]
    pools = TagPools.of(texts)
    doubtful = TagPools.of([analysis([word(fish)], np.array([row(NOUN=0.6, VERB=0.4)])) for _ in range(8)])
    assert pools.weights["fish"] < 0.4 * doubtful.weights["fish"]
    assert UPOS[int(pools.apply(texts[-1])[0].argmax())] == "VERB"


def test_a_type_of_one_word_has_no_pool() -> None:
    assert not TagPools.of([analysis([word(LNK)], np.array([row(PART=0.6, DET=0.4)]))]).logs


def test_what_the_user_says_is_not_outvoted(pooled: None) -> None:
    from divproj.projection.glossed.facts import GivenTags

    texts = [analysis([word(LNK)], np.array([row(PART=0.9, DET=0.1)])) for _ in range(7)]
    allowed = np.zeros((1, len(UPOS)), bool)
    allowed[0, DET] = True
    texts[0].given = GivenTags(allowed, np.array([0.98]))
    assert UPOS[int(TagPools.of(texts).apply(texts[0])[0].argmax())] == "DET"


def test_ways_and_leanings_fit_together() -> None:
    """The log ratio of an edge is that of the way in which it attaches, for certain tags."""
    tags = np.eye(len(UPOS))[[NOUN, ADP, VERB]]
    edges = np.zeros((4, 4))
    edges[3, 1] = edges[1, 2] = edges[0, 3] = 1.0
    counted = ways(edges, tags)
    size = len(UPOS)
    assert counted[0, 3 * size + VERB] == 1.0  # further after
    assert counted[1, 0 * size + NOUN] == 1.0  # the word before
    assert counted[2, -1] == 1.0  # the root
    assert counted.sum() == 3.0
    ratios = word_leanings(counted, tags)
    assert ratios[3, 1] == ratios[1, 2] == ratios[0, 3] == 1.0
    assert ratios.sum() == 3.0
    by_tag = np.arange(len(UPOS) * WAYS, dtype=float).reshape(len(UPOS), WAYS)
    assert np.allclose(leanings(by_tag, tags), word_leanings(tags @ by_tag, tags))


def test_particles_attach_as_their_type_does() -> None:
    """One adposition stands before its noun, the others after: its log ratio is positive before, negative after."""
    before, after = Gloss((), ("LOC",), ("case",)), Gloss((), ("DAT",), ("case",))
    tags = np.eye(len(UPOS))[[NOUN, ADP, NOUN]]
    texts, edges = [], []
    for gloss, head in [(before, 3)] * 4 + [(after, 1)] * 12:
        texts.append(analysis([word(Gloss(("house",))), word(gloss), word(Gloss(("road",)))], tags))
        each = np.zeros((4, 4))
        each[head, 2] = each[0, 1] = each[1, 3] = 1.0
        edges.append(each)
    habits = attachment_habits(texts, edges)
    size = len(UPOS)
    assert habits[stem_of(word(before))][2 * size + NOUN] > 0.5
    assert habits[stem_of(word(before))][0 * size + NOUN] < -0.5
    assert "house" not in habits  # nouns are no closed class


def test_cases_mean_what_they_mean_on_linked_arguments() -> None:
    codes = np.zeros((3, 3), int)
    codes[2, 1] = chart.MOTHER
    tags = np.eye(len(UPOS))[[NOUN, VERB]]
    edges = np.zeros((3, 3))
    edges[2, 1] = edges[0, 2] = 1.0
    texts = []
    for gram, rel, count in (("ERG", "nsubj", 6), ("ABS", "obj", 6), ("INS", "obl", 4)):
        noun = word(Gloss(("dog",), (gram,), ("case",)), rel)
        texts += [analysis([noun, word(Gloss(("see",)))], tags, codes)] * count
    habits = argument_habits(texts, [edges] * len(texts))
    for gram, rel in (("ERG", "nsubj"), ("ABS", "obj"), ("INS", "obl")):
        assert ARGUMENTS[int(habits[gram].argmax())] == rel
        assert habits[gram].max() > 0
    assert argument_habits([analysis([word(LNK)], np.array([row(PART=1.0)]))], [np.eye(2)]) == {}


class TestFormulas:
    """The same by loops, word by word."""

    rows = np.array([row(NOUN=0.7, VERB=0.3), row(NOUN=0.4, VERB=0.6), row(NOUN=0.9, ADJ=0.1)])

    def test_pools(self) -> None:
        fish = Gloss(("fish",))
        pools = TagPools.of([analysis([word(fish)], each[None]) for each in self.rows])
        mean = self.rows.mean(0)
        doubt = -sum(p * np.log(p) for p in mean) + sum(p * np.log(p) for each in self.rows for p in each) / 3
        share = s6.POOL_SHARE * 2 / (3 + s6.POOL_COUNT) * np.exp(-s6.POOL_CAUTION * doubt)
        assert pools.weights == {"fish": pytest.approx(share)}
        together = np.prod(self.rows, 0) ** (s6.POOL_POWER / 3)
        expected = self.rows[0] + share * (together / together.sum() - self.rows[0])
        both = analysis([word(Gloss(("see",))), word(fish)], np.array([row(VERB=1.0), self.rows[0]]))
        assert pools.apply(both) == pytest.approx(np.array([row(VERB=1.0), expected]), abs=1e-5)

    def test_grams_alone_have_the_tags_that_they_mean(self) -> None:
        """Odds are multiplied by the prior to the power of its share; no word is punctuation."""
        article = Gloss((), ("DEF",), ("article",))
        tags = np.array([row(ADP=0.6, DET=0.4), row(ADP=0.6, DET=0.4), row(PUNCT=0.9, NOUN=0.1)])
        read = TagPools().apply(analysis([word(article), word(Gloss(("the",))), word(Gloss((), ("XYZ",), ("?",)))], tags))
        odds = 0.4 / 0.6 * (s6.ROLE_TRUST / ((1 - s6.ROLE_TRUST) / (len(UPOS) - 1))) ** s6.ROLE_SHARE
        assert read[0, UPOS.index("DET")] / read[0, UPOS.index("ADP")] == pytest.approx(odds, rel=1e-3)
        assert read[1] == pytest.approx(tags[1], abs=1e-5)
        assert UPOS[int(read[2].argmax())] == "NOUN"

    def test_a_type_of_two_words_has_a_pool(self) -> None:
        pools = TagPools.of([analysis([word(LNK)] * 2, self.rows[:2])])
        doubt = s6._disagreement(self.rows[:2])
        assert 0.01 < doubt < np.log(2)
        expected = s6.POOL_SHARE / (2 + s6.POOL_COUNT) * np.exp(-s6.POOL_CAUTION * doubt)
        assert pools.weights[stem_of(word(LNK))] == pytest.approx(expected)

    def test_habits(self) -> None:
        """log of the type's share of each way, over what its tags let expect; pseudo-counts draw it to nothing."""
        chance = np.random.default_rng(3)
        texts, edges = [], []
        for gloss in (LNK, LNK, Gloss(("dog",))):
            tags = np.array([row(NOUN=1.0), row(PART=0.7, DET=0.3) if gloss is LNK else row(NOUN=0.9, DET=0.1), row(VERB=1.0)])
            texts.append(analysis([word(Gloss(("house",))), word(gloss), word(Gloss(("go",)))], tags))
            each = chance.random((4, 4))
            np.fill_diagonal(each, 0.0)
            each[:, 0] = 0.0
            edges.append(each / np.maximum(each.sum(0), 1e-9))
        rows = [ways(each, text.tags) for each, text in zip(edges, texts, strict=True)]
        usual = np.full((len(UPOS), WAYS), 1e-3)
        for text, each in zip(texts, rows, strict=True):
            for k in range(3):
                usual += text.tags[k][:, None] * each[k][None, :]
        usual /= usual.sum(1)[:, None]
        expected = texts[0].tags[1] @ usual
        counts = rows[0][1] + rows[1][1]
        habit = np.log((counts + s6.HABIT_COUNT * expected) / (2 + s6.HABIT_COUNT)) - np.log(expected)
        habits = attachment_habits(texts, edges)
        assert list(habits) == [stem_of(word(LNK))], "the others are nouns or verbs, or there is only one"
        assert habits[stem_of(word(LNK))] == pytest.approx(habit)

    def test_pools_of_sentences_of_several_words(self) -> None:
        rows = np.array([row(NOUN=0.9, VERB=0.1), row(PART=0.8, DET=0.2), row(VERB=0.7, NOUN=0.3)])
        texts = [analysis([word(Gloss(("fish",))), word(LNK), word(Gloss(("see",)))], rows) for _ in range(3)]
        pools = TagPools.of(texts)
        tags = {stem: UPOS[int(logs.argmax())] for stem, logs in pools.logs.items()}
        assert tags == {"fish": "NOUN", stem_of(word(LNK)): "PART", "see": "VERB"}

    def test_arguments(self) -> None:
        codes = np.full((4, 4), chart.KID)
        codes[2, 1], codes[2, 3] = chart.OUT, chart.MOTHER
        tags = np.array([row(NOUN=0.6, PROPN=0.1, VERB=0.3), row(VERB=1.0), row(PRON=0.5, ADJ=0.5)])
        edges = np.array([[0, 0.1, 0.8, 0.2], [0, 0, 0.1, 0.1], [0, 0.5, 0, 0.7], [0, 0.4, 0.1, 0]])
        words = [
            word(Gloss(("dog",), ("ERG",), ("case",)), "nsubj"),
            word(Gloss(("see",)), "root"),
            word(Gloss(("it",)), "obj"),
        ]
        habits = argument_habits([analysis(words, tags, codes)], [edges])
        nouns = [sum(tags[k][UPOS.index(tag)] for tag in ("NOUN", "PROPN", "PRON")) for k in (0, 2)]
        counts = np.zeros(len(ARGUMENTS))
        counts[0] = nouns[0] * 0.5
        usual = 1.0 + counts
        usual[1] += nouns[1] * 0.7
        usual /= usual.sum()
        expected = np.log((counts + s6.ARGUMENT_COUNT * usual) / (counts.sum() + s6.ARGUMENT_COUNT)) - np.log(usual)
        assert list(habits) == ["ERG"]
        assert habits["ERG"] == pytest.approx(expected)
