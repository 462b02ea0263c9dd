"""Files of Praat, EXMARaLDA, CHAT, archives, web pages and typesetting; what is none of them is refused by its name. The sentences are ours."""

from __future__ import annotations

import io
import json
import sys

import officefiles
import pytest

from divproj.core.errors import Faults, FormatError, ProjError
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, guess, timelines, write_back
from divproj.io.interlinear import rows as igt_conllu
from divproj.io.trees import conllu


def read(data: bytes | str, format: str | None = None, **options) -> tuple[list[Sentence], list[str]]:  # noqa: A002
    sentences, faults = read_with(data, format, **options)
    return sentences, [str(fault) for fault in faults.noted]


def read_with(data: bytes | str, format: str | None = None, **options) -> tuple[list[Sentence], Faults]:  # noqa: A002
    faults = Faults(strict=False)
    raw = data.encode() if isinstance(data, str) else data
    return formats.load_bytes(raw, format, faults, ReaderOptions.of(options), "a"), faults


def left_out(data: bytes | str) -> str:
    """What the summary says was not read."""
    return read_with(data)[1].reading.in_words().partition("left out")[2].strip(": ")


GRID = {
    "utt@ANA": [(0, 1, ""), (1, 3, "Senan uvan."), (3, 4, ""), (4, 5, 'Kolu "ku".')],
    "words@ANA": [(1, 2, "senan"), (2, 3, "uvan"), (4, 4.5, "kolu"), (4.5, 5, "ku")],
    "mb@ANA": [(1, 1.5, "sena"), (1.5, 2, "-n"), (2, 2.5, "uva"), (2.5, 3, "-n"), (4, 4.5, "kolu"), (4.5, 5, "ku")],
    "gloss@ANA": [(1, 1.5, "sister"), (1.5, 2, "GEN"), (2, 2.5, "swim"), (2.5, 3, "PST"), (4, 4.5, "fish"), (4.5, 5, "big")],
    "translation@ANA": [(1, 3, "The sister swam in it."), (4, 5, "The fish is very big.")],
    "utt@BEN": [(5, 6, "Ne.")],
}
EXB = {
    ("ref", "S1"): [(0, 2, "ANA.1"), (2, 3, "ANA.2")],
    ("ts", "S1"): [(0, 2, "Senan uvan."), (2, 3, "Kolu.")],
    ("tx", "S1"): [(0, 1, "Senan "), (1, 2, "uvan."), (2, 3, "Kolu.")],
    ("mb", "S1"): [(0, 1, "sena-n"), (1, 2, "uva-n"), (2, 3, "kolu")],
    ("ge", "S1"): [(0, 1, "sister-GEN"), (1, 2, "swim-PST"), (2, 3, "fish")],
    ("gr", "S1"): [(0, 1, "сестра-GEN"), (1, 2, "плыть-PST"), (2, 3, "рыба")],
    ("ps", "S1"): [(0, 1, "n"), (1, 2, "v"), (2, 3, "n")],
    ("fe", "S1"): [(0, 2, "The sister swam."), (2, 3, "A fish.")],
    ("fr", "S1"): [(0, 2, "Сестра плыла."), (2, 3, "Рыба.")],
    ("nt", "S1"): [(0, 2, "a remark")],
}


def with_trees(found: list[Sentence]) -> list[conllu.Rows]:
    blocks = []
    for block in igt_conllu.dumps(found).strip().split("\n\n"):
        rows = [line if line.startswith("#") else line.split("\t") for line in block.split("\n")]
        for row in rows:
            if isinstance(row, list):
                row[6], row[7] = ("0", "root") if row[0] == "1" else ("1", "dep")
        blocks.append("\n".join(row if isinstance(row, str) else "\t".join(row) for row in rows))
    return [row for row in conllu.loads("\n\n".join(blocks) + "\n\n") if row is not None]


class TestTextGrid:
    @pytest.mark.parametrize("data", [officefiles.textgrid(GRID).encode(), officefiles.textgrid(GRID, short=True).encode(), officefiles.textgrid(GRID).encode("utf-16")])  # fmt: skip
    def test_long_short_and_utf_16(self, data):
        assert guess.guess(data) == "textgrid"
        found, _ = read(data)
        assert [igt.words for igt in found] == [("Senan", "uvan", "."), ("Kolu", '"', "ku", '"', "."), ("Ne", ".")]
        assert (found[0].segments, found[0].glosses) == (("sena-n", "uva-n", "."), ("sister-GEN", "swim-PST", ""))
        assert [igt.translation for igt in found] == ["The sister swam in it.", "The fish is very big.", ""]
        assert dict(found[2].meta) == {"speaker": "BEN", "begin": "5000", "end": "6000"}

    def test_speakers_before_the_name_of_the_tier(self):
        tiers = {
            "ana - words": [(0, 1, "sena"), (1, 2, "uva"), (3, 4, "kolu")],
            "ana - phones": [(k / 4, (k + 1) / 4, "a") for k in range(8)],
        }
        found, messages = read(officefiles.textgrid(tiers))
        assert [(igt.words, dict(igt.meta)["speaker"]) for igt in found] == [(("sena", "uva"), "ana"), (("kolu",), "ana")]
        assert (messages, left_out(officefiles.textgrid(tiers))) == ([], "phones")

    def test_words_over_glosses_in_one_interval(self):
        found, _ = read(
            officefiles.textgrid(
                {"trs": [(0, 1, "sena uva-n\nsister swim-PST")], "trad": [(0, 1, "La hermana nadaba en el río.")]}
            )
        )
        assert (found[0].glosses, found[0].translations[0][0]) == (("sister", "swim-PST"), "es")

    def test_named_tiers_and_the_list(self):
        tiers = {"A": [(0, 1, "sena uva")], "B": [(0, 1, "sister swim")], "C": [(0, 1, "She.")]}
        data = officefiles.textgrid(tiers)
        found, _ = read(data, tiers={"text": "A", "glosses": "B", "translation": "C"})
        assert (found[0].glosses, found[0].translation) == (("sister", "swim"), "She.")
        stream = io.BufferedReader(io.BytesIO(data.encode()))
        rows = timelines.list_tiers(stream, "a", Faults(), ReaderOptions(tiers={"text": "A"}))
        assert rows[0].role == "text"
        with pytest.raises(FormatError, match="no tier 'X'; the tiers are A, B, C; name one of these"):
            read(data, tiers={"text": "X"})

    def test_damage(self):
        data = officefiles.textgrid(GRID)
        found, messages = read(data[: len(data) // 3])
        assert found
        assert any("the file is damaged; what stands before was read" in message for message in messages)
        with pytest.raises(FormatError, match="the file ends before the class of the object"):
            read('File type = "ooTextFile"\nObject class = "TextGrid', "textgrid")


class TestExmaralda:
    def test_tiers_of_a_glossed_corpus(self):
        found, messages = read(officefiles.exb(EXB, {"S1": "ANA"}))
        assert [igt.sent_id for igt in found] == ["ANA.1", "ANA.2"]
        assert (found[0].words, found[0].segments) == (("Senan", "uvan", "."), ("sena-n", "uva-n", "."))
        assert (found[0].glosses, found[0].tags[:2]) == (("sister-GEN", "swim-PST", ""), ("n", "v"))
        assert dict(found[0].translations) == {"en": "The sister swam.", "ru": "Сестра плыла."}
        assert dict(found[0].meta)["gr"] == "сестра-GEN плыть-PST"
        assert (messages, left_out(officefiles.exb(EXB, {"S1": "ANA"}))) == ([], "nt")

    def test_the_language_of_the_glosses(self):
        found, _ = read(officefiles.exb(EXB, {"S1": "ANA"}), lang="ru")
        assert (found[0].glosses[0], found[0].translation) == ("сестра-GEN", "Сестра плыла.")

    def test_speakers_without_glosses(self):
        tiers = {("v", "S1"): [(0, 1, "Sena, uva!"), (3, 4, "Ku.")], ("v", "S2"): [(1, 2, "Ne?"), (2, 3, "((laughs))")]}
        found, _ = read(officefiles.exb(tiers, {"S1": "ANA", "S2": "BEN"}))
        assert [dict(igt.meta)["speaker"] for igt in found] == ["ANA", "BEN", "BEN", "ANA"]

    def test_an_event_outside_of_the_time_line(self):
        text = officefiles.exb(EXB, {"S1": "ANA"}).replace('start="T0" end="T2">ANA.1', 'start="T0" end="T77">ANA.1')
        found, messages = read(text)
        assert len(found) == 2
        assert "is from 'T0' to 'T77', two points of the time line expected; left out" in messages[0]


@pytest.mark.parametrize("data", [officefiles.textgrid(GRID), officefiles.textgrid(GRID, short=True), officefiles.exb(EXB, {"S1": "ANA"})])  # fmt: skip
def test_trees_go_back_into_tiers(data):
    found, _ = read(data)
    options, lenient = ReaderOptions(), Faults(strict=False)
    once = write_back.into(data.encode(), with_trees(found), options, "a", lenient)
    again, _ = read(once)
    assert [igt.tree.heads for igt in again if igt.tree] == [(0, *(1,) * (len(igt.words) - 1)) for igt in found]
    assert [igt.words for igt in again] == [igt.words for igt in found]
    assert write_back.into(once, with_trees(found), options, "a", lenient) == once


CHAT = """@UTF8
@Begin
@Languages:\tkol
@Participants:\tCHI Ana Target_Child, MOT Uva Mother
*CHI:\t<kolut kolut> [/] &-eh kolut , (se)na [: sena] uvan@c +... \x15100_900\x15
%mor:\tn|kolu-PL=fish cm|cm n|sena=sister v|uva-PST=swim~pro|n=it +...
%gra:\t1|4|SUBJ 2|1|PUNCT 3|1|CONJ 4|0|ROOT 5|4|OBJ 6|4|PUNCT
%eng:\tThe fish and the sister
\tswam in it .
%com:\ta remark
*MOT:\tsenan uvan ?
%gls:\tsena-n uva-n ?
%xgls:\tsister-GEN swim-PST ?
*CHI:\t0 [=! laughs] .
*CHI:\tkolu .
%xyz:\tsomething
@End
"""


class TestChat:
    def test_words_trees_and_translations(self):
        found, messages = read(CHAT)
        assert found[0].words == ("kolut", ",", "sena", "uvan", "…")
        assert found[0].glosses == ("fish-PL", "", "sister", "swim-PST=it", "")
        assert found[0].tags == ("NOUN", "PUNCT", "NOUN", "VERB", "PUNCT")
        assert found[0].tree.heads == (4, 1, 1, 0, 4)
        assert found[0].tree.deprels[:4] == ("subj", "punct", "conj", "root")
        assert (found[0].translation, found[0].language) == ("The fish and the sister swam in it .", "kol")
        assert dict(found[0].meta)["begin"] == "100"
        assert (found[1].segments, found[1].glosses) == (("sena-n", "uva-n", "?"), ("sister-GEN", "swim-PST", ""))
        assert dict(found[1].meta)["speaker"] == "MOT Uva Mother"
        assert (messages, left_out(CHAT)) == ([], "%xyz, 1 utterance without words (0, xxx, events)")

    def test_tiers_that_do_not_fit(self):
        found, messages = read("@UTF8\n@Begin\n*CHI:\tsena uva .\n%mor:\tn|sena .\n%gra:\t1|0|ROOT\nstray\n@End\n")
        assert (found[0].tags, found[0].tree) == ((), None)
        assert "a:4: %mor has 2 items, the utterance 3 words; left without parts of speech" in messages
        assert "a:5: %gra has 1 relations, 3 words expected; left without a tree" in messages
        assert "a:6: 'stray' has no speaker or tier; left out" in messages

    def test_a_tier_by_name(self):
        text = "@UTF8\n@Begin\n*CHI:\tsena uva .\n%xyz:\tsister swim .\n@End\n"
        assert read(text, tiers={"glosses": "xyz"})[0][0].glosses == ("sister", "swim", "")


PANGLOSS = """<?xml version="1.0"?><TEXT id="t" xml:lang="kol"><HEADER><TITLE>x</TITLE></HEADER>
<S id="s1" who="ANA"><AUDIO start="0.5" end="2"/><FORM kindOf="phono">senan uvan</FORM><FORM kindOf="ortho">Senan uvan.</FORM>
<TRANSL xml:lang="fr">La sœur nageait dans la rivière.</TRANSL><TRANSL xml:lang="en">The sister swam.</TRANSL>
<W><M class="n"><FORM>sena</FORM><TRANSL xml:lang="en">sister</TRANSL></M><M><FORM>-n</FORM><TRANSL xml:lang="en">GEN</TRANSL></M></W>
<W><FORM>uvan</FORM><TRANSL xml:lang="en">swim.PST</TRANSL></W></S>
<S id="s2"><FORM>Kolu <FOREIGN>ku</FOREIGN> ne</FORM></S><S id="s3"><FORM/></S>
<TRANSL xml:lang="fr">Tout le texte.</TRANSL></TEXT>"""
EOPAS = """<eopas><header/><interlinear><phrase id="p1" participant="ANA" startTime="1.5" endTime="2"><transcription>Senan uvan.</transcription>
<wordlist><word><text>Senan</text><morphemelist><morpheme><text kind="morpheme">sena</text><text kind="gloss">sister</text></morpheme>
<morpheme><text kind="morpheme">-n</text><text kind="gloss">GEN</text></morpheme></morphemelist></word><word><text>uvan.</text></word></wordlist>
<translation>Hers.</translation></phrase><phrase id="p2"><transcription>[silence]</transcription></phrase></interlinear></eopas>"""
TOOLBOX = """<?xml version="1.0"?><database><itmGroup><itm>x</itm><idGroup><id>k.1</id><aud>a.wav</aud><txGroup><tx>Senan</tx><mr>sena</mr><mg>sister</mg><mr>-n</mr><mg>GEN</mg></txGroup>
<txGroup><tx>uvan.</tx><mr>uva</mr><mg>swim</mg></txGroup><fg>She swims.</fg></idGroup><idGroup><id>k.2</id><fg>Nothing.</fg></idGroup></itmGroup></database>"""


class TestArchives:
    def test_pangloss(self):
        found, messages = read(PANGLOSS)
        assert [igt.sent_id for igt in found] == ["s1", "s2"]
        assert (found[0].words, found[0].segments, found[0].glosses) == (
            ("Senan", "uvan", "."),
            ("sena-n", "uvan", "."),
            ("sister-GEN", "swim.PST", ""),
        )
        assert dict(found[0].translations)["fr"] == "La sœur nageait dans la rivière."
        assert found[1].words == ("Kolu", "ku", "ne")
        assert (messages, left_out(PANGLOSS)) == ([], "1 sentence without words, 1 translation of the whole text")

    def test_eopas(self):
        found, messages = read(EOPAS)
        assert (found[0].words, found[0].glosses[0], found[0].translation) == (("Senan", "uvan", "."), "sister-GEN", "Hers.")
        assert dict(found[0].meta)["begin"] == "1500"
        assert (messages, left_out(EOPAS)) == ([], "1 sentence without words")

    def test_xml_of_toolbox(self):
        found, messages = read(TOOLBOX)
        assert [(igt.sent_id, igt.segments, igt.glosses, igt.translation) for igt in found] == [
            ("k.1", ("sena-n", "uva", "."), ("sister-GEN", "swim", ""), "She swims.")
        ]
        assert messages == ["a: only 1 of 2 sentences were understood; left out: 1 record without text"]

    def test_texts_of_digital_linguistics(self):
        word = {
            "transcription": {"default": "senan"},
            "morphemes": [
                {"transcription": {"default": "sena"}, "gloss": {"eng": "sister", "spa": "hermana"}},
                {"transcription": "-n", "gloss": "GEN"},
            ],
        }
        text = {
            "type": "Text",
            "title": {"eng": "x"},
            "utterances": [
                {
                    "transcript": {"default": "Senan!"},
                    "translation": {"eng": "Hers!", "spa": "¡De ella!"},
                    "words": [word],
                    "metadata": "7",
                },
                {"transcription": "kolu ku"},
            ],
        }
        found, _ = read(json.dumps(text, indent=1))
        assert (found[0].words, found[0].segments, found[0].glosses) == (("Senan", "!"), ("sena-n", "!"), ("sister-GEN", ""))
        assert (found[0].sent_id, dict(found[0].translations)["es"], found[1].words) == ("7", "¡De ella!", ("kolu", "ku"))
        assert [igt.words for igt in read(json.dumps([text, text]))[0]] == [igt.words for igt in found] * 2

    def test_stories_of_lingview(self):
        tiers = {
            "T1": {"name": "words", "subdivided": True},
            "T2": {"name": "glosses"},
            "T3": {"name": "English free translation"},
        }
        slots = [{"start_slot": k, "end_slot": k + 1, "value": value} for k, value in enumerate(("senan", "uvan"))]
        glosses = [{"start_slot": k, "end_slot": k + 1, "value": value} for k, value in enumerate(("sister-GEN", "swim-PST"))]
        free = [{"start_slot": 0, "end_slot": 2, "value": "She swam."}]
        sentence = {
            "speaker": "S1",
            "num_slots": 2,
            "text": "Senan uvan.",
            "dependents": [{"tier": "T1", "values": slots}, {"tier": "T2", "values": glosses}, {"tier": "T3", "values": free}],
        }
        empty = {"num_slots": 1, "text": "", "dependents": []}
        text = json.dumps({"metadata": {"tier IDs": tiers}, "sentences": [sentence, empty]})
        found, messages = read(text)
        assert (found[0].words, found[0].glosses, found[0].translation) == (
            ("Senan", "uvan", "."),
            ("sister-GEN", "swim-PST", ""),
            "She swam.",
        )
        assert (messages, left_out(text)) == ([], "1 sentence without words")

    @pytest.mark.parametrize("lines", [False, True])
    def test_data_of_fielddb(self, lines):
        fields = [
            {"label": "utterance", "mask": "Senan uvan"},
            {"label": "morphemes", "value": "sena-n uva-n"},
            {"label": "gloss", "value": "sister-GEN swim-PST"},
            {"label": "translation", "value": "She swam."},
            {"label": "judgement", "value": "?"},
        ]
        data = [
            {"_id": "d1", "fields": fields},
            {"_id": "d2", "utterance": "kolu", "gloss": "fish", "translation": "A fish."},
            {"_id": "d3"},
        ]
        text = "\n".join(map(json.dumps, data)) if lines else json.dumps({"rows": [{"doc": one} for one in data]})
        found, messages = read(text)
        assert [(igt.sent_id, igt.glosses, igt.translation) for igt in found] == [
            ("d1", ("sister-GEN", "swim-PST"), "She swam."),
            ("d2", ("fish",), "A fish."),
        ]
        assert (found[0].judgement, messages, left_out(text)) == ("?", [], "1 entry without sentences")

    def test_damaged_json(self):
        found, messages = read('{"utterances": [{"transcription": "kolu"}, {"transcription": "se')
        assert ([igt.words for igt in found], len(messages)) == ([("kolu",)], 1)
        assert "the file breaks off or is damaged" in messages[0]
        with pytest.raises(ProjError, match=r"nested too deeply|not JSON"):
            read('{"utterances": [' + "[" * 100_000)


class TestMarkup:
    def test_scription(self):
        text = "---\ntitle: Kolu\nmedia:\n\n  - a.jpg\n---\n\n# k1\n\\trs Senan uvan.\n\\txn senan uvan\n\\m sena-n uva-n\n\\gl-en sister-GEN swim-PST\n\\gl-es hermana-GEN nadar-PST\n\\tln ‘She swam.’\n\\sp ANA\n\n# k2\nKolu.\n[ko lu]\nkolu\nfish\npez\nA fish.\nBEN\n"
        found, messages = read(text)
        assert [(igt.sent_id, igt.words, igt.glosses) for igt in found] == [
            ("k1", ("Senan", "uvan", "."), ("sister-GEN", "swim-PST", "")),
            ("k2", ("Kolu", "."), ("fish", "")),
        ]
        assert (found[0].translation, found[1].translation) == ("She swam.", "A fish.")
        assert dict(found[0].meta) | {} == {"text-title": "Kolu", "gloss_es": "hermana-GEN nadar-PST", "speaker": "ANA"}
        assert messages == []
        assert read(text, lang="es")[0][0].glosses[0] == "hermana-GEN"
        assert read("---\ntitle: x\n---\nsena-n uva\nsister-GEN swim\nShe swims.\n")[0][0].glosses == ("sister-GEN", "swim")

    def test_wikitext(self):
        text = "Prose [[a|b]].\n{{interlinear|number=(3)|lang=kol|top=a remark\n|''Senan'' {uva -n} {{lang|kol|ku}}<ref>x|y</ref>\n|{{gcl|GEN}}.[[sister]] swim-PST {}\n|'She swam.' ([[Smith|S]] 2001)}}\n{{Interlinear|a|b}}\n{{interlinear|only}} {{interlinear|x"
        found, messages = read(text)
        assert guess.guess(text.encode()) == "wikitext"
        assert (found[0].words, found[0].glosses) == (("Senan", "uva -n", "ku"), ("GEN.sister", "swim-PST", ""))
        assert (found[0].sent_id, found[0].language, found[0].translation) == ("3", "kol", "She swam.")
        assert (found[1].words, found[1].translation, found[0].where.line) == (("a",), "b", 2)
        assert messages == [
            "a: only 2 of 4 sentences were understood; left out: 2 examples ({{interlinear …}}) without words over glosses, or that are not closed (the first in line 7)"
        ]

    def test_pandoc_ling(self):
        text = "# Title\n\nProse.\n\n::: {#k .ex formatGloss=true}\nA preamble\n\na.\n| Kolu (Oceanic)\n| ^* *Senan* uva\\ n ku\n| sister-[gen]{.smallcaps} swim-PST ~\n| She swam.\n\nb.\n|\n| kolu ku\n| fish big\n| A fish.\n:::\n\n:::ex\nNo glosses.\n:::\n"
        found, messages = read(text)
        assert [(igt.sent_id, igt.judgement, igt.glosses) for igt in found] == [
            ("ka", "*", ("sister-GEN", "swim-PST", "")),
            ("kb", "", ("fish", "big")),
        ]
        assert found[0].words == ("Senan", "uva n", "ku")
        assert messages == [
            "a: only 2 of 3 sentences were understood; left out: 1 example (::: ex) without words over glosses, or that are not closed (line 21)"
        ]

    def test_typst(self):
        text = '#import "@preview/leipzig-glossing:0.5.0": gloss\n= Title\n#numbered-gloss(\n  header: [Kolu (A, 2001)],\n  source: ([Senan], text(red)[uva-n]),\n  morphemes: ([sister-#smallcaps[gen]], [swim-#pst]),\n  translation: [She "swam".],\n  label: "k",\n)\n#gloss(source: [kolu ku], translation: "A fish.")\n'
        found, _ = read(text)
        assert (found[0].sent_id, found[0].words, found[0].glosses, found[0].translation) == (
            "k",
            ("Senan", "uvan"),
            ("sister-GEN", "swim-PST"),
            'She "swam".',
        )
        assert (found[1].words, found[1].translation) == (("kolu", "ku"), "A fish.")
        many = "#gloss(source: ([озди],), transliteration: ([ozdi],), morphemes: ([oz-di],), additional-lines: (([boy-#obl],), ([at boy],)), translation: [x])"
        (igt,), _ = read("#gloss(\n" + many[7:])
        assert (igt.words, igt.segments, igt.glosses) == (("ozdi",), ("oz-di",), ("boy-OBL",))


class TestOtherKinds:
    @pytest.mark.parametrize(("data", "said"), [
        (b"\x89PNG\r\n\x1a\n....", "a picture (PNG), not interlinear text; give the text itself"), (b"\xff\xd8\xff\xe0..JFIF", "a picture (JPEG)"), (b"RIFF....WAVEfmt ", "a sound file (WAV), not interlinear text; give its transcription"),
        (b"....ftypisom", "a film or sound file (MP4)"), (b"ID3\x03", "a sound file (MP3)"), (b"%PDF-1.5", "a PDF file"), (b"SQLite format 3\0", "a database"), (b"ooBinaryFile\x08TextGrid", "a binary Praat file"),
        (b'{"name": "x", "version": "1.0"}', "JSON without sentences, not interlinear text; texts of Digital Linguistics (DLx), LingView and FieldDB are read"), (b"<!DOCTYPE html><html>", "a web page"), (b"<lift version='0.13'>", "a LIFT dictionary, not interlinear text; export the texts instead"),
        (b"<w:document xmlns:w='x'>", "the inner part of a Word file"), (b"<WORDLIST>", "a word list of Pangloss"), (b"<Trans>", "a Transcriber file"), (b"@article{x, title={y}}\n", "a bibliography (BibTeX)"), (b"WEBVTT\n\n00:00", "subtitles"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nsena\n", "subtitles"), (b'File type = "ooTextFile"\nObject class = "Pitch 1"\n', "an object of Praat"), (officefiles.packed({"ppt/slides/slide1.xml": "<x/>"}), "slides of PowerPoint"),
        (officefiles.packed({"Texts.fwdata": "<x/>"}), "a backup of FLEx"), (officefiles.packed({"a.txt": "x"}), "a zip archive (Word, Excel, FLEx backup?)"), (officefiles.opened("presentation", "<x/>"), "slides of Impress"),
        (b"# Project\n\nSome `code` and a [link](https://x.org).\n\n## Use\n\n- one\n- two\n\n```\nmake\n```\n", "Markdown without examples (a README?)"), (b"import os\nprint(os)\n", "a program"),
    ])  # fmt: skip
    @pytest.mark.parametrize("misaligned", [False, True])
    def test_refused_by_name_in_convert_and_check(self, data, said, misaligned):
        with pytest.raises(FormatError) as refused:
            read(data, misaligned=misaligned)
        assert f"this is {said}" in str(refused.value)

    def test_a_list_is_refused_in_check_too(self):
        words = "".join(f"kolu{k}\tfish\n" for k in range(20))
        for misaligned in (False, True):
            with pytest.raises(FormatError, match="no format fits well"):
                read(words, misaligned=misaligned)

    def test_conllu_through_a_pipe(self, monkeypatch):
        text = "# sent_id = k1\n# text = Senan uvan\n" + "".join(
            f"{k}\t{form}\t_\tNOUN\t_\t_\t{head}\tdep\t_\tGloss=x\n" for k, form, head in ((1, "Senan", 2), (2, "uvan", 0))
        )
        indented = text.replace("\n2\t", "\n 2\t")
        for data in (text, text.replace("\n", "\r\n"), indented):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data.encode()))))
            found = list(formats.load("-", faults=Faults(strict=False)))
            assert len(found) == 1
            assert found[0].words == ("Senan", "uvan")
