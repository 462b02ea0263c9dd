"""Word candidates and how words are related."""

from pathlib import Path

import numpy as np
import pytest
import tinywordnet

from divproj.core.errors import AlignmentError, Faults, FormatError
from divproj.core.links import Links
from divproj.io.trees.forests import forests_of
from divproj.phrases import model, wordnet
from divproj.phrases.lexicon import (
    CONTEXT,
    DERIVED,
    EXACT,
    KIND,
    LEMMA,
    LINK,
    NEAR,
    POSTERIOR,
    PREPOSITION,
    SOURCE_NAMES,
    STEM,
    SYNONYM,
    TABLE,
    Embeddings,
    LexicalWord,
    Lexicon,
    read_table,
)
from divproj.phrases.reading import candidates

SRC, TGT = forests_of(
    "(S (NP (DT The) (NN arrival)) (VP (VBD was) (PP (IN in) (NP (NNP Rome)))) (. .))\n"
    "(S (NP (PRP They)) (VP (VBD arrived) (PP (IN at) (NP (NNP Rome)))) (. !))"
)
NEARBY = Embeddings.of(["kitten", "cat", "the", "a"], np.array([[1, 0.1], [1, 0], [0, 1], [0.1, 1]], np.float32))


def source_names(bits: int) -> tuple[str, ...]:
    """Where a candidate comes from."""
    return tuple(name for k, name in enumerate(SOURCE_NAMES) if bits >> k & 1)


def word(form: str, lemma: str = "", tag: str = "") -> LexicalWord:
    return LexicalWord(form, lemma or form, tag)


def test_a_pair_of_sentences() -> None:
    found = candidates(SRC, TGT, Lexicon())
    named = {(SRC.forms[i], TGT.forms[j]): source_names(bits) for i, j, bits in found}
    assert named == {
        ("arrival", "arrived"): ("derivation",),
        ("in", "at"): ("preposition",),
        ("Rome", "Rome"): ("exact", "lemma"),
        (".", "!"): ("lemma",),
    }
    assert found.links.dtype == np.int32
    assert found.sources.dtype == np.uint16
    dense = found.matrix((len(SRC.forms), len(TGT.forms)))
    assert np.count_nonzero(dense) == len(found) == len(found.pairs)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (word("dog"), word("dog"), EXACT | LEMMA),
        (word("dogs", "dog"), word("dog"), LEMMA | STEM),
        (word("went", "go"), word("going", "go"), LEMMA | STEM),
        (word("swim"), word("swimmer"), DERIVED),
        (word("buy"), word("purchase"), SYNONYM),
        (word("dog"), word("sun"), 0),
        (word("the"), word("the"), EXACT | LEMMA),
        (word("the"), word("a"), KIND),
        (word("the"), word("was"), 0),
        (word("u.s."), word("us", tag="NNP"), EXACT),
        (word("%"), word("percent"), EXACT),
        (word("feb."), word("february"), EXACT),
        (word("is", "be"), word("was", "be"), LEMMA),
        (word("in"), word("on"), PREPOSITION),
        (word("in"), word("dog"), 0),
        (word(","), word(","), EXACT),
        (word("."), word("?"), LEMMA),
        (word("``"), word('"'), LEMMA),
        (word(","), word("."), 0),
        (word("."), word("dog"), 0),
    ],
)
def test_sources(a: LexicalWord, b: LexicalWord, expected: int) -> None:
    lexicon = Lexicon(kinds=True)
    assert lexicon.sources(a, b) == expected
    assert lexicon.sources(b, a) == expected
    assert lexicon.sources(a, b) == expected  # remembered
    assert Lexicon().sources(a, b) == (0 if expected == KIND else expected)


def test_a_users_table(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("# ours\nDog\tHund\t0.9\n\nin\tbei\nno tab\n")
    faults = Faults(strict=False)
    table = read_table(path, faults)
    assert table == {("dog", "hund"), ("in", "bei")}
    assert "pairs.tsv:5: 'no tab': two words with a tab between them expected" in str(faults.noted[0])
    with pytest.raises(FormatError, match="two words with a tab"):
        read_table(path)
    lexicon = Lexicon(("en", "de"), table=table)
    assert lexicon.sources(word("dog"), word("hund")) == TABLE
    assert lexicon.sources(word("hand"), word("hand")) == EXACT
    assert lexicon.sources(word("was"), word("was")) == 0
    assert lexicon.sources(word("24"), word("24")) == EXACT
    assert lexicon.relation("dog", "hund") == model.WORDNET
    assert lexicon.relation("a", "b") == 0


def test_vectors() -> None:
    lexicon = Lexicon(embeddings=NEARBY, threshold=0.9)
    src, tgt = forests_of("(NP (DT the) (NN kitten))\n(NP (DT a) (NN cat))")
    assert [(i, j, bits) for i, j, bits in candidates(src, tgt, lexicon)] == [(1, 1, NEAR)]
    assert lexicon.relation("kitten", "cat") == model.EMBEDDING
    assert lexicon.relation("kitten", "sun") == 0


def test_relations_of_lemmas() -> None:
    lexicon = Lexicon()
    assert lexicon.relation("dog", "dog") == model.SURFACE
    assert lexicon.relation("work", "worker") == model.SURFACE | model.WORDNET
    assert lexicon.relation("buy", "purchase") == model.WORDNET == lexicon.relation("buy", "purchase")
    assert lexicon.relation("dog", "sun") == 0


def test_wordnet_is_asked_when_there_is_one(tmp_path: Path) -> None:
    lexicon = Lexicon(wordnet=wordnet.find(tinywordnet.write(tmp_path)))
    assert lexicon.sources(word("blick"), word("tovate")) == SYNONYM
    assert lexicon.relation("blick", "tovate") == model.WORDNET
    (src,) = forests_of("(S (NNS blicks) (VBD tovated))")
    assert lexicon.lemmas(src, 0) == ("blick", "tovate")


def test_links_and_posteriors_stand_as_they_are() -> None:
    links = Links(frozenset({(1, 1), (6, 2)}), (6, 5))
    posteriors = np.zeros((6, 5))
    posteriors[0, 0], posteriors[2, 2] = 0.05, 0.4
    found = {(i, j): bits for i, j, bits in candidates(SRC, TGT, links=links, posteriors=posteriors)}
    assert found == {(0, 0): LINK, (5, 1): LINK, (2, 2): POSTERIOR}
    with pytest.raises(AlignmentError, match=r"links of sentences of \(2, 2\) words, but the trees have \(6, 5\)"):
        candidates(SRC, TGT, links=Links(frozenset(), (2, 2)))
    with pytest.raises(AlignmentError, match=r"posteriors of shape \(1, 1\), but the trees have \(6, 5\) words"):
        candidates(SRC, TGT, posteriors=np.zeros((1, 1)))


def test_unknown_words_where_a_link_is_expected() -> None:
    (one,) = forests_of("(S (NP (DT the) (NN frobnicator)) (VP (VBD slept) (ADVP (RB deeply))))")
    (two,) = forests_of("(S (NP (DT the) (NN doohickey)) (VP (VBD slept) (ADVP (RB soundly))))")
    found = {(i, j): bits for i, j, bits in candidates(one, two, Lexicon())}
    assert found == {(0, 0): EXACT | LEMMA, (1, 1): CONTEXT, (2, 2): EXACT | LEMMA, (3, 3): CONTEXT}
    assert source_names(CONTEXT) == ("context",)
    assert len(candidates(one, two, Lexicon(context=False))) == 2
    (two,) = forests_of("(S (NP (DT the) (JJ quiet) (NN doohickey)) (VP (VBD slept)))")
    assert (1, 2) in candidates(one, two, Lexicon()).pairs  # one neighbour, the same class
    assert (1, 1) not in candidates(one, two, Lexicon()).pairs  # one neighbour, another class


def test_nothing_is_a_valid_answer() -> None:
    (one,), (two,) = forests_of("(NN sun)"), forests_of("(NN dog)")
    empty = candidates(one, two, Lexicon())
    assert empty.links.shape == (0, 2)
    assert list(empty) == []
    assert not empty.matrix((1, 1)).any()


def test_lemmas_by_rule() -> None:
    lexicon = Lexicon()
    text = "(S (NNS cities) (VBD stopped) (VBG making) (VBD agreed) (VBD went) (NNP James) (RB not) (DT an) (VBD handled) (VBZ is))"
    (src,) = forests_of(text)
    assert lexicon.lemmas(src, 0) == ("city", "stop", "make", "agree", "go", "james", "not", "a", "handle", "be")
    assert lexicon.with_lemmas(src, 0).lemmas == lexicon.lemmas(src, 0)
    assert lexicon.with_lemmas(lexicon.with_lemmas(src, 0), 0).lemmas == lexicon.lemmas(src, 0)
    assert Lexicon(("de", "de")).lemmas(src, 0)[0] == "cities"
