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
