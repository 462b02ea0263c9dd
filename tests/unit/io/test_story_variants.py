"""No word of the source is lost: one story in the formats and fashions of many authors, read without any option."""

from __future__ import annotations

from collections import Counter

import pytest
import storyfiles
from hypothesis import given, settings
from hypothesis import strategies as st
from storyfiles import ALL, STORY, Case, Line

from divproj.core.errors import Faults
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats

FASHIONS = [(kind, name) for kind, fashions in ALL.items() for name in fashions]


def read(case: Case) -> tuple[list[Sentence], Faults]:
    faults = Faults(strict=False)
    data = case.data.encode() if isinstance(case.data, str) else case.data
    return formats.load_bytes(data, None, faults, path=case.path), faults


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).casefold()


def rows(igt: Sentence, values: tuple[str, ...]) -> list[str]:
    """Values of the words that are no punctuation."""
    return [value.casefold() for word, value in zip(igt.words, values, strict=False) if letters(word)]


@pytest.mark.parametrize(("kind", "name"), FASHIONS)
def test_a_story(kind, name):
    case = ALL[kind][name](STORY)
    sentences, faults = read(case)
    assert [rows(igt, igt.words) for igt in sentences] == [list(map(str.casefold, line.words)) for line in STORY]
    if case.glossed:
        assert [rows(igt, igt.glosses) for igt in sentences] == [list(map(str.casefold, line.glosses)) for line in STORY]
    if case.segmented and any(igt.segments for igt in sentences):
        said = [rows(igt, igt.segments) for igt in sentences if igt.segments]
        wanted = [[*map(str.casefold, line.pieces)] for igt, line in zip(sentences, STORY, strict=True) if igt.segments]
        assert said == wanted
    if case.translated:
        assert [letters(igt.translation) for igt in sentences] == [letters(line.free[case.lang]) for line in STORY]
    assert "; left out" not in faults.reading.in_words() or faults.reading.understood == 1


STEMS = ("sena", "kolu", "uva", "ŋũ", "čéko", "kaʔo", "nemi", "suli", "tavi", "mala", "le", "na")
MEANINGS = {
    "sena": "sister", "kolu": "fish", "uva": "swim", "ŋũ": "this", "čéko": "dog", "kaʔo": "when", "nemi": "river", "suli": "house", "tavi": "see", "mala": "come", "le": "go", "na": "DEF",
    "-n": "-PST", "-t": "-ACC", "-ki": "-PL", "=mi": "=1SG", "=ka": "=Q",
}  # fmt: skip
_words = st.tuples(
    st.sampled_from(STEMS), st.lists(st.sampled_from(("-n", "-t", "-ki")), max_size=2), st.sampled_from(("", "", "=mi", "=ka"))
)
_sentences = st.lists(st.lists(_words, min_size=2, max_size=7), min_size=8, max_size=12)


def story(drawn) -> tuple[Line, ...]:
    """Words drawn at random, with the translations of the story, since these have to be in a language."""
    lines = []
    for k, words in enumerate(drawn):
        parts = [[stem, *affixes, *([clitic] if clitic else [])] for stem, affixes, clitic in words]
        glosses = tuple("".join(MEANINGS[part] for part in word) for word in parts)
        lines.append(Line(tuple("".join(word) for word in parts), glosses, ".", STORY[k % len(STORY)].free))
    return tuple(lines)


SAFE = [  # fashions that say themselves what is what, whatever the words are
    (kind, name) for kind, name in FASHIONS
    if (kind in ("latex", "flextext", "markup", "json") and name != "line of tags") or (kind, name) in (("elan", "Toolbox, morphemes"), ("elan", "FLEx, morphemes"), ("plain", "numbers and quotes"), ("plain", "labels"), ("toolbox", "usual"),
                                                                      ("toolbox", "by bytes"), ("tables", "four lines csv"), ("tables", "four lines xlsx"), ("documents", "table"), ("documents", "tabs"))
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_sentences, st.sampled_from(SAFE))
def test_no_word_and_no_gloss_is_lost(drawn, fashion):
    kind, name = fashion
    lines = story(drawn)
    case = ALL[kind][name](lines)
    sentences, _ = read(case)
    if not case.glossed:
        return
    words = Counter(word.casefold() for line in lines for word in line.words)
    glosses = Counter(gloss.casefold() for line in lines for gloss in line.glosses)
    assert Counter(word for igt in sentences for word in rows(igt, igt.words)) == words
    assert Counter(gloss for igt in sentences for gloss in rows(igt, igt.glosses) if gloss) == glosses


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [("plain", "three lines"), ("toolbox", "usual"), ("tables", "ID;Text;Gloss;Translation csv"), ("textgrid", "tx wd ge ft")],
)
def test_encodings(kind, name, encoding):
    lines = tuple(STORY)
    for foreign, near in (("č", "c"), ("ŋũ", "ñu"), ("ʔ", "q")):
        lines = tuple(line._replace(pieces=tuple(word.replace(foreign, near) for word in line.pieces)) for line in lines)
    case = ALL[kind][name](lines)
    assert isinstance(case.data, str)
    sentences, _ = read(Case(case.data.encode(encoding, "replace"), case.path))
    assert [rows(igt, igt.words) for igt in sentences] == [list(line.words) for line in lines]


def test_fashions_are_not_alike():
    texts = [fashion(STORY).data for fashions in ALL.values() for fashion in fashions.values()]
    assert len(set(texts)) > 0.95 * len(texts)
    assert storyfiles.split("ma=tavi-n") == ["ma", "=tavi", "-n"]
