"""FLEx and ELAN: words, morphemes and translations that depend on one another."""

from __future__ import annotations

import io

import pytest
from shared import ROOT

from divproj import Faults, FormatError, ProjError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import elan, flextext, parts

FIXTURES = ROOT / "tests" / "fixtures" / "igt"


def eaf(*tiers: str) -> str:
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="ts{k}" TIME_VALUE="{k * 100}"/>' for k in range(9))
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{''.join(tiers)}</ANNOTATION_DOCUMENT>"


def timed(name: str, *rows: tuple[str, int, int, str], parent: str = "", kind: str = "x") -> str:
    """A tier of annotations (id, begin slot, end slot, value)."""
    made = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{a}" TIME_SLOT_REF1="ts{b}" TIME_SLOT_REF2="ts{e}">'
        f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for a, b, e, value in rows
    )
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{kind}" PARENT_REF="{parent}">{made}</TIER>'


def refs(name: str, parent: str, *rows: tuple[str, str, str, str]) -> str:
    """A tier of annotations (id, id above, id before, value)."""
    made = "".join(
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{a}" ANNOTATION_REF="{up}"{f" PREVIOUS_ANNOTATION={chr(34)}{before}{chr(34)}" if before else ""}>'
        f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        for a, up, before, value in rows
    )
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="{name}" PARENT_REF="{parent}">{made}</TIER>'


def told(module, text: str, **options) -> tuple[list[Sentence], list[str]]:
    faults = Faults(strict=False)
    found = list(module.read(io.BytesIO(text.encode()), "a.eaf", faults, parts.Options.of(options)))
    return found, [str(fault) for fault in faults.noted]


TEXT = timed("A_text", ("a1", 1, 3, "Sena uva."), ("a2", 4, 5, "Kolu."))


class TestFlextext:
    def test_old_export(self):
        (found,) = flextext.load(FIXTURES / "old.flextext")
        assert found.words == ("Kolut", ",", "uvami", "?")
        assert found.segments == ("kolu-t", ",", "uva=mi", "?")
        assert found.glosses == ("fish-PL", ",", "swim=***", "?")
        assert (found.text, found.language) == ("Kolut, uvami?", "xku")
        assert found.tags == ("n-n:Num", "", "v", "")
        assert found.translation == "The fish, do they swim?"
        assert [code for code, _ in found.translations] == ["fr", "en"]
        assert (found.sent_id, found.where.line) == ("Two_fish.1.1", 6)
        assert dict(found.meta) == {
            "lit": "fish swim question",
            "text-title": "Two fish",
            "word_glosses": "_ _ do.they.swim _",
            "gloss_fr": "poisson",
        }

    def test_new_export(self):
        first, second = flextext.load(FIXTURES / "new.flextext")
        assert (first.words, first.glosses, first.text) == (("Sena", "uva", "."), ("sister", "swim", "."), "Sena uva.")
        assert ("speaker", "Dira") in first.meta
        assert (second.words, second.translation, second.sent_id) == ((), "(no words)", "2")

    def test_what_is_the_same_in_every_writing_system_is_kept_once(self):
        said = "".join(f'<item type="source" lang="{code}">Dira</item>' for code in ("en", "fr", "xku"))
        text = (
            (FIXTURES / "new.flextext")
            .read_text(encoding="utf-8")
            .replace('<interlinear-text guid="a">', f'<interlinear-text guid="a">{said}')
        )
        first, _ = flextext.loads(text)
        assert [row for row in first.meta if row[0] == "text-source"] == [("text-source", "Dira")]

    def test_another_language(self):
        (found,) = flextext.load(FIXTURES / "old.flextext", lang="fr")
        assert found.translation == "Les poissons, nagent-ils ?"
        assert found.glosses[0] == "poisson-PL"

    def test_words_without_a_form_or_gloss(self):
        word = '<word><morphemes><morph><item type="txt">se-</item></morph><morph><item type="cf">na</item></morph></morphemes></word>'
        phrase = f"<phrase><words>{word}<word/></words></phrase><phrase><item type='txt' lang='x'>Kolu uva</item></phrase>"
        found = flextext.loads(f"<document><interlinear-text><phrases>{phrase}</phrases></interlinear-text></document>")
        assert (found[0].words, found[0].segments, found[0].glosses) == (("sena",), ("se-na",), ())
        assert found[1].words == ("Kolu", "uva")

    def test_broken_off(self):
        text = (FIXTURES / "old.flextext").read_text()
        found, messages = told(flextext, text[: text.index('<item type="segnum"')])
        assert (found[0].glosses[0], found[0].translation) == ("fish-PL", "")
        assert "the file breaks off; what there is was read" in messages[0]


class TestElan:
    def test_fixture(self):
        first, second = elan.load(FIXTURES / "story.eaf")
        assert first.words == ("Kolut", "uvami")
        assert (first.segments, first.glosses) == (("kolu-t", "uva=mi"), ("fish-PL", "swim=Q"))
        assert (first.translation, first.sent_id) == ("Do fish swim?", "story.001")
        assert first.meta == (("speaker", "Dira"), ("begin", "0"), ("end", "900"))
        assert (second.words, second.glosses, second.translation) == (("Ne",), ("NEG",), "No.")

    def test_tiers_by_option(self):
        text = eaf(timed("eins", ("a1", 1, 3, "Sena uva")), refs("zwei", "eins", ("b1", "a1", "", "sister swim")), refs("drei@X", "eins", ("c1", "a1", "", "She swims.")))  # fmt: skip
        (found,) = elan.loads(text, tiers={"text": "eins", "glosses": "zwei", "translation": "drei"})
        assert (found.words, found.glosses, found.translation) == (("Sena", "uva"), ("sister", "swim"), "She swims.")

    def test_tiers_that_nobody_can_guess(self):
        text = eaf(timed("eins", ("a1", 1, 3, "Sena")), refs("zwei", "eins", ("b1", "a1", "", "sister")))
        with pytest.raises(FormatError) as caught:
            told(elan, text.replace(">Sena<", "><").replace(">sister<", "><"))
        assert str(caught.value) == (
            "a.eaf: no tier looks like words or text; the tiers are eins, zwei (under eins); "
            "name them, as in `tiers=words=…,glosses=…,translation=…` (proj check --tiers list shows them)"
        )
        with pytest.raises(
            FormatError, match=r"no tier or type 'drei'; the tiers are eins, zwei \(under eins\); name one of these"
        ):
            told(elan, text, tiers={"words": "drei"})
        with pytest.raises(ProjError, match="unknown role 'word' of a tier, one of text, words"):
            told(elan, text, tiers={"word": "eins"})

    def test_text_with_word_tiers(self):
        text = eaf(
            TEXT,
            refs("A_word-txt-xku", "A_text", ("b1", "a1", "", "Sena"), ("b2", "a1", "b1", "uva"), ("b3", "a2", "", "Kolu")),
            refs("A_word-gls-en", "A_word-txt-xku", ("c2", "b2", "", "swim"), ("c1", "b1", "", "sister")),
            refs("A_word-pos-en", "A_word-txt-xku", ("d1", "b1", "", "n")),
            refs("A_phrase-gls-en", "A_text", ("e1", "a1", "", "She swims.")),
            refs("A_phrase-gls-fr", "A_text", ("f1", "a1", "", "Elle nage.")),
            refs("A_phrase-note-en", "A_text", ("g1", "a1", "", "ignored")),
        )
        first, second = elan.loads(text)
        assert (first.words, first.text, first.glosses, first.tags) == (
            ("Sena", "uva"),
            "Sena uva.",
            ("sister", "swim"),
            ("n", ""),
        )
        assert (first.translation, first.translations) == ("She swims.", (("en", "She swims."), ("fr", "Elle nage.")))
        assert (second.words, second.glosses, second.translation) == (("Kolu",), (), "")

    def test_two_speakers_and_a_translation_by_time(self):
        text = eaf(
            timed("words@A", ("a1", 1, 3, "Sena uva")),
            timed("words@B", ("b1", 4, 6, "Kolu uva")),
            timed("free", ("t2", 4, 6, "Fish swim."), ("t1", 1, 3, "She swims.")),
        )
        assert [(x.words, x.translation) for x in elan.loads(text)] == [
            (("Sena", "uva"), "She swims."),
            (("Kolu", "uva"), "Fish swim."),
        ]

    def test_words_aligned_to_time(self):
        text = eaf(TEXT, timed("words", ("w2", 2, 3, "uva"), ("w1", 1, 2, "Sena"), ("w3", 4, 5, "Kolu"), parent="A_text"))
        assert [x.words for x in elan.loads(text)] == [("Sena", "uva"), ("Kolu",)]

    def test_many_sentences_under_one_section(self):
        text = eaf(
            timed("section", ("s1", 0, 8, "one")),
            timed("utterance", ("a1", 1, 3, "Sena uva"), ("a2", 4, 5, "Kolu"), parent="section"),
            refs("section translation", "section", ("t1", "s1", "", "A story")),
        )
        assert [(x.words, x.translation) for x in elan.loads(text)] == [(("Sena", "uva"), "A story"), (("Kolu",), "")]

    def test_a_line_of_morphemes(self):
        text = eaf(
            TEXT, refs("mb", "A_text", ("m1", "a1", "", "se -na uva")), refs("ge", "A_text", ("g1", "a1", "", "sister -F swim"))
        )
        first = elan.loads(text)[0]
        assert (first.words, first.segments) == (("Sena", "uva."), ("se-na", "uva"))

    def test_order_that_is_broken(self):
        text = eaf(TEXT, refs("words", "A_text", ("b1", "a1", "b2", "Sena"), ("b2", "a1", "b1", "uva"), ("b3", "a9", "", "x")))
        found, messages = told(elan, text)
        assert found[0].words == ("Sena", "uva")
        assert messages == [
            "a.eaf:1: annotation b3 on tier words refers to a9, which is not there; left out",
            "a.eaf:1: the order of 2 annotations on tier words is broken at b1; read in the order of the file",
        ]

    def test_broken_off(self):
        text = (FIXTURES / "story.eaf").read_text()
        found, messages = told(elan, text[: text.index('<TIER LINGUISTIC_TYPE_REF="ft"')])
        assert (found[0].glosses, found[0].translation, len(messages)) == (("fish-PL", "swim=Q"), "", 1)
