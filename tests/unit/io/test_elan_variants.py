"""ELAN files as linguists lay them out: names in several languages, or none that say anything, and every kind of tier."""

from __future__ import annotations

import io

import pytest
from eaffile import FREE, GLOSSES, INCLUDED, SENTENCES, TIMES, Eaf, lines, plain_words, story

from divproj.core.errors import Faults
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.io.interlinear import elan, formats


def read(made: Eaf, **options) -> list[Sentence]:
    return formats.loads(made.text(), "elan", Faults(strict=False), **options)


def roles(made: Eaf) -> dict[str, str]:
    shown = elan.list_tiers(io.BytesIO(made.text().encode()), "", Faults(strict=False), ReaderOptions())
    return {tier.tier: tier.role for tier in shown}


WORDS = [tuple(row) for row in plain_words(SENTENCES)]
NAMES = {
    "en": ("tx@A", "word@A", "mb@A", "ge@A", "ft@A"),
    "es": ("Transcripción", "Palabra", "Morfema", "Glosa", "Traducción"),
    "pt": ("Transcrição", "Palavras", "Morfemas", "Glosas", "Tradução"),
    "fr": ("énoncé", "mots", "morphèmes", "gloses", "traduction"),
    "ru": ("текст", "слова", "морфемы", "глоссы", "перевод"),
    "de": ("Satz", "Wörter", "Morpheme", "Glossen", "Übersetzung"),
    "id": ("kalimat", "kata", "morfem", "glos", "terjemahan"),
}


@pytest.mark.parametrize("lang", NAMES)
@pytest.mark.parametrize("named", [True, False])
def test_names_of_several_languages_and_none(lang, named):
    found = read(story(NAMES[lang] if named else ("A", "B", "C", "D", "E"), lang))
    assert [one.words for one in found] == WORDS
    assert [one.glosses for one in found] == list(GLOSSES)
    assert found[0].segments == SENTENCES[0]
    assert [one.translation for one in found] == list(FREE[lang])
    assert {code for one in found for code, _ in one.translations} <= {lang}


@pytest.mark.parametrize("constraint", [TIMES, INCLUDED])
def test_words_with_times_under_the_text(constraint):
    made = Eaf().timed("utterance", lines(plain_words(SENTENCES)))
    words = [
        (word, 1000 * k + 100 * j, 1000 * k + 100 * j + 90) for k, row in enumerate(SENTENCES) for j, word in enumerate(row)
    ]
    made.timed("words", words, above="utterance", constraint=constraint)
    made.under("gloss", "words", [gloss for row in GLOSSES for gloss in row]).under("translation", "utterance", FREE["en"])
    found = read(made)
    assert ([one.words for one in found], [one.glosses for one in found]) == (WORDS, list(GLOSSES))


def test_words_with_times_beside_the_text():
    made = Eaf().timed("MAUS-ORT", lines(SENTENCES))
    words = [
        (word, 1000 * k + 200 * j, 1000 * k + 200 * j + 190) for k, row in enumerate(SENTENCES) for j, word in enumerate(row)
    ]
    made.timed("words", words).under("English", "MAUS-ORT", FREE["en"])
    found = read(made)
    assert ([one.words for one in found], found[2].translation) == (list(SENTENCES), FREE["en"][2])


def test_a_translation_beside_the_text_by_its_times():
    made = Eaf().timed("Text", lines(SENTENCES)).timed("Trans", FREE["pt"])
    assert [one.translations for one in read(made)] == [(("pt", text),) for text in FREE["pt"]]
    early = [(text, max(0, 1000 * k - 30), 1000 * k + 870) for k, text in enumerate(FREE["pt"])]
    late = Eaf().timed("Text", lines(SENTENCES)).timed("Translation", early)
    assert [one.translation for one in read(late)] == list(FREE["pt"])


def test_clitics_that_stand_apart():
    made = (
        Eaf()
        .timed("Frase", ["senan uva", "nekolu ku"])
        .under("Palabra", "Frase", [["sena", "=n", "uva"], ["ne=", "kolu", "ku"]])
    )
    made.under("Glosa", "Palabra", ["hermana", "=GEN", "nadar", "y=", "pez", "grande"])
    first, second = read(made)
    assert (first.words, first.segments, first.glosses) == (("senan", "uva"), ("sena=n", "uva"), ("hermana=GEN", "nadar"))
    assert (second.words, second.segments, second.glosses) == (("nekolu", "ku"), ("ne=kolu", "ku"), ("y=pez", "grande"))


def test_ids_are_no_text():
    made = Eaf().timed("utterance-id", ["01", "02", "03"]).under("orthography", "utterance-id", lines(plain_words(SENTENCES)))
    made.under("Free Translation", "utterance-id", FREE["en"])
    found = read(made)
    assert [(one.sent_id, one.words) for one in found] == list(zip(("01", "02", "03"), WORDS, strict=True))
    assert found[0].translation == FREE["en"][0]


def test_gestures_notes_and_empty_annotations_are_no_sentences():
    made = (
        Eaf().timed("Utterance", ["sena uva", "", "kolu ku"]).under("Notes", "Utterance", ["This was said by the old man."] * 3)
    )
    made.timed("Gaze", ["at him", "away", "at her"]).timed("RH gesture phase", ["stroke", "hold", "rest"])
    made.timed("gesture@A", [("points left", 100, 200)])
    found = read(made)
    assert [(one.words, one.translation) for one in found] == [(("sena", "uva"), ""), (("kolu", "ku"), "")]


def test_speakers_in_the_order_of_time():
    made = story(("tx@A", "w@A", "mb@A", "ge@A", "ft@A"), PARTICIPANT="Ana")
    made.timed("tx@B", lines(WORDS), shift=450).under("ft@B", "tx@B", FREE["en"])
    found = read(made)
    assert [dict(one.meta)["speaker"] for one in found] == ["Ana", "B"] * 3
    assert [one.words for one in found] == [row for row in WORDS for _ in range(2)]


def test_lines_of_toolbox_in_tiers():
    made = Eaf().timed("ref@S", ["Kolu.001", "Kolu.002", "Kolu.003"]).under("tx@S", "ref@S", lines(WORDS))
    made.under("mb@S", "ref@S", [line.replace("-", " -") for line in lines(SENTENCES)])
    made.under("ge_es@S", "ref@S", ["hermana nadar -PAS", "pez -ACC grande el", "y pez nadar"])
    made.under("ge_en@S", "ref@S", [line.replace("-", " -") for line in lines(GLOSSES)]).under("ft@S", "ref@S", FREE["en"])
    found = read(made)
    assert [(one.sent_id, one.glosses) for one in found] == list(
        zip(("Kolu.001", "Kolu.002", "Kolu.003"), GLOSSES, strict=True)
    )
    assert (found[0].segments, dict(found[0].meta)["ge_es@S"]) == (SENTENCES[0], "hermana nadar -PAS")


def test_what_flex_exports():
    names = ("A_phrase-txt-kol", "A_word-txt-kol", "A_morph-txt-kol", "A_morph-gls-en", "A_phrase-gls-en")
    made = story(names).under("A_phrase-gls-es", names[0], FREE["es"]).under("A_phrase-lit-en", names[0], ["so"] * 3)
    made.under("A_morph-msa-en", names[2], ["n"] * 10).under("A_phrase-note-en", names[0], FREE["en"])
    found = read(made)
    assert [one.glosses for one in found] == list(GLOSSES)
    assert found[0].translations == (("en", FREE["en"][0]), ("es", FREE["es"][0]))
    assert (dict(found[0].meta)["lit"], found[1].tags) == ("so", ("n-n", "n", "n"))
    assert read(made, lang="es")[0].translation == FREE["es"][0]


def test_a_translation_of_the_translation():
    made = Eaf().timed("SP1-transcription", lines(WORDS)).under("SP1-Spanish", "SP1-transcription", FREE["es"])
    made.under("SP1-English", "SP1-Spanish", FREE["en"])
    assert [dict(one.translations) for one in read(made)] == [
        {"es": es, "en": en} for es, en in zip(FREE["es"], FREE["en"], strict=True)
    ]


def test_a_literal_translation_stands_apart():
    made = Eaf().timed("Frase", lines(WORDS)).under("Traducción libre", "Frase", FREE["es"])
    made.under("Traducción literal", "Frase", ["hermana nadar", "pez grande el", "y pez nadar"])
    (first, *_) = read(made)
    assert (first.translation, dict(first.meta)["lit"]) == (FREE["es"][0], "hermana nadar")


def test_orthography_before_phonetics():
    made = Eaf().timed("phonetic transcription", ["SENA", "KOLU", "NE"]).under("orthographic transcription", "phonetic transcription", ["sena", "kolu", "ne"])  # fmt: skip
    found = read(made)
    assert (found[0].words, dict(found[0].meta)["phonetic transcription"]) == (("sena",), "SENA")


def test_tiers_are_shown_with_their_roles():
    made = story(("IU", "GW", "MB", "GE", "FT")).timed("LH gesture", ["stroke"])
    assert roles(made) == {"IU": "text", "GW": "words", "MB": "morphs", "GE": "glosses", "FT": "translation", "LH gesture": ""}


def test_flex_export_with_text_and_paragraph_above():
    made = Eaf().timed("A_interlinear-text-title-en", [("Kolu story", 0, 2900)], "interlinear-text")
    made.under("A_paragraph-id", "A_interlinear-text-title-en", [["1", "2"]], "paragraph")
    made.under("A_phrase-segnum-en", "A_paragraph-id", [["1.1", "1.2"], ["2.1"]], "phrase")
    made.under("A_phrase-txt-kol", "A_phrase-segnum-en", lines(WORDS), "phrase-item").under(
        "A_word-txt-kol", "A_phrase-segnum-en", WORDS, "word"
    )
    made.under("A_phrase-gls-en", "A_phrase-segnum-en", FREE["en"], "phrase-item")
    found = read(made)
    assert [(one.sent_id, one.words, one.translation) for one in found] == list(
        zip(("1.1", "1.2", "2.1"), WORDS, FREE["en"], strict=True)
    )


def test_what_describes_words_is_no_segmentation():
    made = (
        Eaf()
        .timed("ref@K", ["d_001", "d_002", "d_003"])
        .under("orth@K", "ref@K", lines(WORDS))
        .under("word@K", "orth@K", WORDS)
    )
    made.under("lemma@K", "word@K", ["x"] * 8).under("pos@K", "lemma@K", ["N"] * 8).under("morph@K", "pos@K", ["Sg"] * 8)
    assert [(one.words, one.segments, one.tags) for one in read(made)] == [(row, (), ("N",) * len(row)) for row in WORDS]
