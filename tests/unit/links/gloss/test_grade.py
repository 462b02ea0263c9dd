"""Leipzig levels, what is found at each, and the words in which it is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divproj.core.sentence import Sentence
from divproj.links.grade import KINDS, LEIPZIG, LEVELS, Finding, grade, is_known


def line(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def graded(words: str, glosses: str, segments: str = "", translation: str = "x", tags: str = ""):
    return grade(Sentence(line(words), line(segments), line(glosses), line(tags), translation=translation))


def said(*args, **rest) -> list[str]:
    return [f"{x.kind} {x.word}: {x}" for x in graded(*args, **rest).findings]


class TestLevels:
    @pytest.mark.parametrize(
        ("level", "words", "glosses", "segments"),
        [
            (3, "Sena kolu-t", "sister fish-PL", ""),
            (3, "Senat mireva", "sister-COM see-PST", "sena-t mire-va"),
            (3, "sena .", "sister .", ""),
            (3, "k<ar>olu", "<COMPL>buy", ""),
            (2, "Sena kolu-t", "sister fish-XYZ", ""),
            (1, "Sena kolut", "sister fish-PL", ""),
            (1, "Sena kolu-t", "sister fishes", ""),
            (1, "k<ar>olu", "buy", ""),
            (0, "Sena kolut", "sister", ""),
            (0, "Sena", "", ""),
            (0, "", "sister", ""),
            (0, "Sena kolut", "sister fish", "sena kolut x"),
        ],
    )
    def test_levels(self, level, words, glosses, segments):
        assert graded(words, glosses, segments).level == level

    def test_names(self):
        assert len(LEVELS) == 4
        assert {"PST", "1", "VOC"} <= LEIPZIG

    def test_a_perfect_instance_has_no_findings(self):
        assert graded("Sena kolu-t", "sister fish-PL").findings == ()

    def test_an_empty_gloss_counts_unless_it_is_punctuation(self):
        assert grade(Sentence(("Sena", "uva"), (), ("sister", ""), translation="x")).level == 0
        assert grade(Sentence(("Sena", "."), (), ("sister", ""), translation="x")).level == 3


class TestFindings:
    def test_counts(self):
        assert said("Sena kolu uva", "sister fish") == [
            "glosses 3: 3 words but 2 glosses, without a gloss: 'uva'; write one gloss a word, parts of one gloss joined by '.'"
        ]
        assert said("Sena kolu-t uva", "sister fish PL swim")[0].startswith(
            "glosses 2: 3 words but 4 glosses; they no longer match from word 2 on: 'kolu-t' is above 'fish'"
        )

    def test_a_hyphen_that_stands_apart(self):
        assert said("Ko- lu uva", "fish swim") == [
            "glosses 1: 3 words but 2 glosses: 'Ko-' stands apart; join 'Ko-', 'lu' without a blank"
        ]
        assert said("kolu uva", "fish swim -PST")[0].endswith("'-PST' stands apart; join 'swim', '-PST' without a blank")

    def test_punctuation_in_one_line(self):
        assert said("Sena , uva .", "sister swim") == [
            "glosses 2: 4 words but 2 glosses: only one line has ',', '.'; write it in both lines, or at the end of the word before it"
        ]

    def test_segments(self):
        assert said("Sena uva", "sister swim", "sena uva ku")[0].startswith("segments 3: 2 words but 3 segmented words")

    def test_missing_lines(self):
        assert said("", "sister") == ["words 0: no words; write the sentence above its gloss or translation"]
        assert said("Sena uva", "", translation="") == [
            "glosses 0: no gloss line for 2 words; write a gloss under each word",
            "translation 0: no translation; write one below the glosses",
        ]
        found = grade(Sentence(("Sena", "uva"), (), ("", "swim"), translation="x"))
        assert str(found.findings[0]) == "1 word without a gloss: 'Sena'; write a gloss under each word"

    def test_morphemes(self):
        assert said("kolu-t uva", "fish swim-PST") == [
            "morphemes 1: 'kolu-t' has 2 morphemes, its gloss 'fish' 1; gloss every morpheme, or join them",
            "morphemes 2: 'uva' has 1 morpheme, its gloss 'swim-PST' 2; segment the word, or join glosses of one morpheme by '.'",
        ]
        assert said("kolut uva", "fish-PL swim-PST") == [
            "morphemes 0: 2 glosses with boundaries but no word has any: 'fish-PL', 'swim-PST'; "
            "segment the words too, or write '.' for '-' in the glosses"
        ]
        assert said("k<ar>olu a-b", "buy x-y")[0].startswith("morphemes 1: 'k<ar>olu' and 'buy' differ in infixes")

    def test_boundaries(self):
        assert said("uva=mi", "swim-Q") == [
            "boundaries 1: 'uva=mi' has = where its gloss 'swim-Q' has -; write the same boundary in both"
        ]

    def test_tags(self):
        assert said("Sena uva", "sister swim", tags="N") == ["tags 0: 2 words but 1 tag; write one part of speech a word"]

    def test_abbreviations(self):
        found = graded("a b c", "XYZ QQQ.PST dog.XYZ")
        assert found.unknown == ("XYZ", "QQQ")
        assert said("a b", "dog XYZ") == ["abbreviations 2: unknown abbreviation XYZ; use the usual ones or list yours"]

    def test_own_abbreviations(self):
        igt = Sentence(("a",), (), ("xyz.XYZ",), translation="x")
        assert grade(igt, {"xyz"}).unknown == ()
        assert grade(igt, ["ABC"]).unknown == ("XYZ",)

    def test_what_is_no_abbreviation(self):
        assert graded("a b c d e f", "I Peter 1st dog NATO's 3").unknown == ("NATO",)
        assert graded("PETER ?//", "PETER PUNCT").unknown == ()

    def test_long_lists_are_cut(self):
        assert "…" in str(graded("a b c d e f", "x").findings[0])

    @given(st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)))
    def test_any_lines_are_graded(self, words, segments, glosses):
        found = grade(Sentence(tuple(words), tuple(segments), tuple(glosses)))
        assert 0 <= found.level <= 3
        assert all(isinstance(x, Finding) and x.kind in KINDS and x.message and x.remedy for x in found.findings)


@pytest.mark.parametrize(
    "name",
    [
        "1SG",
        "3.PL.M",
        "3sgf",
        "1sPOSS",
        "3ns",
        "NPST",
        "NSG",
        "2DU",
        "12PL",
        "1PL.EXCL",
        "CLF7",
        "MSG",
        "PST3SG",
        "III",
        "2PLPOSS",
        "3M",
    ],
)
def test_known_by_composition(name):
    assert all(is_known(piece) for piece in name.split("."))


@pytest.mark.parametrize("name", ["XYZ", "1XYZ", "NXYZ", "QQ7", "SGX"])
def test_unknown(name):
    assert not is_known(name)
