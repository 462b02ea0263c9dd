"""Toolbox: markers of several projects, columns by bytes and by characters, blocks that wrap, markers that are missing."""

from __future__ import annotations

import io

import pytest
from shared import ROOT

from divproj import Faults, ProjError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import parts, toolbox

FIXTURES = ROOT / "tests" / "fixtures" / "igt"


def told(text: str, **options) -> tuple[list[Sentence], list[str]]:
    faults = Faults(strict=False)
    found = list(toolbox.read(io.BytesIO(text.encode()), "a.sfm", faults, parts.Options.of(options)))
    return found, [str(fault) for fault in faults.noted]


def one(text: str, **options) -> Sentence:
    (found,) = toolbox.loads(text, **options)
    return found


class TestReading:
    def test_columns_by_bytes_and_wrapped_blocks(self):
        first, second = toolbox.load(FIXTURES / "bytes.sfm")
        assert first.words == ("Kolút", "ŋamérevan", "sénkə", "táru.")
        assert first.segments == ("kolú-t", "ŋa-méreva-n", "sén-kə", "táru")
        assert first.glosses == ("fish-PL", "PFV-see-1SG", "sister-GEN", "house")
        assert first.tags == ("n-num", "asp-v-agr", "n-case", "n")
        assert first.translation == "I saw fish at my sister's house."
        assert (first.sent_id, first.where.line) == ("kolu.001", 6)
        assert first.meta == (("text-id", "Kolu story"), ("sp", "Dira"), ("nt", "two lines"))
        assert (second.translation, second.translations) == ("Il ne nage pas.", (("fr", "Il ne nage pas."),))
        assert ("gloss_fr", "NEG nager") in second.meta

    def test_columns_by_characters(self):
        (found,) = toolbox.load(FIXTURES / "characters.sfm")
        assert (found.segments, found.glosses) == (("kolú-t", "ŋa-mére"), ("fish-PL", "PFV-see"))

    def test_columns_by_characters_that_take_room(self):
        found = one("\\ref 1\n\\tx se\u0301na  uva\n\\mb se\u0301na  uva\n\\ge sister swim\n\\ft x\n")
        assert found.glosses == ("sister", "swim")

    @pytest.mark.parametrize(
        "markers",
        [
            "tx mb ge ps ft",
            "t m g p f",
            "utterance gramm_units rp_gloss pos ft",
            "tx_xku mb_xku ge_en ps_en ft_en",
            "txt mr gl cat fe",
        ],
    )
    def test_sets_of_markers(self, markers):
        tx, mb, ge, ps, ft = markers.split()
        found = one(f"\\{tx} kolut\n\\{mb} kolu -t\n\\{ge} fish -PL\n\\{ps} n    -num\n\\{ft} fishes\n")
        assert (found.words, found.segments, found.glosses) == (("kolut",), ("kolu-t",), ("fish-PL",))
        assert (found.tags, found.translation) == (("n-num",), "fishes")

    def test_marks_of_a_failed_parse_are_not_in_morphemes(self):
        sentence = one("\\ref 1\n\\tx kolut uva\n\\mb *kolu -t uva\n\\ge *fish -PL swim\n\\ft The fish swim.\n")
        assert (sentence.words, sentence.segments) == (("kolut", "uva"), ("kolu-t", "uva"))

    def test_markers_by_option(self):
        text = "\\nr 7\n\\src kolut\n\\an kolu -t\n\\en fish -PL\n\\fr poisson -PL\n\\say fishes\n\\nr 8\n\\src uva\n"
        names = {"record": "nr", "words": "src", "morphs": "\\an", "glosses": "en", "translation": "say"}
        found, messages = told(text, markers=names)
        assert [x.sent_id for x in found] == ["7", "8"]
        assert (found[0].glosses, found[0].translation, found[0].meta) == (("fish-PL",), "fishes", (("fr", "poisson -PL"),))
        assert messages == []

    def test_several_gloss_languages(self):
        text = "\\ref 1\n\\tx uva\n\\gn berenang\n\\ge swim\n\\fn Dia berenang.\n\\ft She swims.\n"
        assert one(text).glosses == ("swim",)
        assert one(text).translation == "She swims."
        assert ("gloss_gn", "berenang") in one(text).meta

    def test_glosses_of_words(self):
        found = one("\\ref 1\n\\tx Sena   uva\n\\ge sister swim\n\\ps n\n\\ft x\n")
        assert (found.segments, found.glosses, found.tags) == ((), ("sister", "swim"), ("n", ""))

    def test_hyphens_group_where_columns_do_not(self):
        found = one("\\ref 1\n\\tx Sena kolut uvami\n\\mb sena   kolu -t   uva =mi\n\\ge sister fish -PL swim =Q\n\\ft x\n")
        assert (found.segments, found.glosses) == (("sena", "kolu-t", "uva=mi"), ("sister", "fish-PL", "swim=Q"))

    def test_columns_that_run_together(self):
        found = one("\\ref 1\n\\tx se   uva\n\\mb se   uva\n\\ge sisterswim\n\\ft x\n")
        assert (found.words, found.glosses) == (("se", "uva"), ("sisterswim", ""))

    def test_lines_that_do_not_fit(self):
        found = one("\\ref 1\n\\tx a b c\n\\mb a b-  c d -e\n\\ge x y\n\\ft z\n")
        assert (found.words, found.segments, found.glosses) == (("a", "b", "c"), ("a", "b-c", "d-e"), ("x", "y-***", ""))

    def test_no_word_line(self):
        found = one("\\ref 1\n\\mb kolu -t\n\\ge fish -PL\n\\ft x\n")
        assert (found.words, found.segments) == (("kolu-t",), ())

    def test_an_id_for_each_sentence(self):
        found, _ = told("\\id s1\n\\tx a\n\\ft b\n\\id s2\n\\tx c\n\\ft d\n")
        assert [x.sent_id for x in found] == ["s1", "s2"]


class TestDamage:
    def test_record_markers_that_are_missing(self):
        found, messages = told("\\ref 1\n\\tx a\n\\ft b\n\\tx c\n\\ft d\n")
        assert [x.words for x in found] == [("a",), ("c",)]
        assert messages == ["a.sfm:4: \\tx after a translation, a record marker expected before it; read as a new record"]
        found, messages = told("\\tx a\n\\ge x\n\n\\tx c\n\\ge y\n")
        assert ([x.words for x in found], messages) == ([("a",), ("c",)], [])

    def test_text_before_the_first_marker(self):
        found, messages = told("a story\n\\ref 1\n\\tx a\n")
        assert len(found) == 1
        assert messages == ["a.sfm:1: 'a story' stands before any marker; is this a Toolbox file?"]

    def test_empty_lines(self):
        found = one("\\ref 1\n\\tx a\n\\mb\n\\ge\n\\ft\n")
        assert (found.words, found.glosses, found.translation) == (("a",), (), "")

    def test_an_unknown_role(self):
        with pytest.raises(ProjError, match="unknown role 'gloss' of a marker, one of record, words"):
            toolbox.loads("\\tx a", markers={"gloss": "ge"})
