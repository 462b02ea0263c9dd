"""Templates and habits of other programs: each of these files was once read wrongly."""

from __future__ import annotations

import json
import re

import pytest
from eaffile import INCLUDED, Eaf
from officefiles import docx, table
from storyfiles import STORY

from divproj.core.errors import Faults, FormatError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, toolbox
from divproj.io.interlinear import plain as formats_plain

WORDS = [line.words for line in STORY]
GLOSSES = [line.glosses for line in STORY]
FREE = [line.free["en"] for line in STORY]


def read(text: str, path: str = "") -> tuple[list[Sentence], Faults]:
    faults = Faults(strict=False)
    return formats.load_bytes(text.encode(), None, faults, path=path), faults


def words_of(sentences: list[Sentence]) -> list[tuple[str, ...]]:
    return [tuple(word for word in igt.words if any(map(str.isalnum, word))) for igt in sentences]


def glosses_of(sentences: list[Sentence]) -> list[tuple[str, ...]]:
    return [
        tuple(gloss for word, gloss in zip(igt.words, igt.glosses, strict=True) if any(map(str.isalnum, word)))
        for igt in sentences
    ]


def is_the_story(text: str, path: str = "") -> Faults:
    sentences, faults = read(text, path)
    assert words_of(sentences) == WORDS
    assert glosses_of(sentences) == GLOSSES
    assert [igt.translation for igt in sentences] == FREE
    return faults


class TestToolbox:
    @staticmethod
    def morphemes(line, gap: str = " ") -> tuple[str, str]:
        return tuple(gap.join(piece for word in rows for piece in word) for rows in (line.morphs, line.morph_glosses))

    def record(self, line, k: int, shape: str) -> str:
        mb, ge = self.morphemes(line)
        return shape.format(k=k, text=line.text, mb=mb, ge=ge, ft=line.free["en"], ids=" ".join(["7"] * len(mb.split())))

    def story(self, shape: str) -> str:
        return "\\_sh v3.0  400  Text\n\n" + "\n".join(self.record(line, k, shape) for k, line in enumerate(STORY))

    def test_columns_that_fit_by_chance(self):
        is_the_story(self.story("\\ref {k}\n\\tx {text}\n\\mb {mb}\n\\ge {ge}\n\\ft {ft}\n"))
        igt = toolbox.loads("\\ref 1\n\\tx sena mala-lo\n\\mb sena   -ni    mala -lo\n\\ge sister -1POSS come -FUT\n")[0]
        assert igt.segments == ("sena-ni", "mala-lo")

    def test_numbers_of_morphemes_in_a_line_that_elsewhere_begins_a_text(self):
        is_the_story(self.story("\\ref {k}\n\\tx {text}\n\\mb {mb}\n\\ge {ge}\n\\id {ids}\n\\ft {ft}\n"))

    def test_markers_with_a_speaker_as_elan_writes_them(self):
        shape = "\\block {k}\n\\ELANBegin {k}.1\n\\tx@Ana {text}\n\\mb@Ana {mb}\n\\ge@Ana {ge}\n\\ft@Ana {ft}\n"
        assert "words from *\\tx@Ana*" in is_the_story(self.story(shape)).reading.in_words()

    def test_a_block_and_the_record_in_it_are_one(self):
        text = self.story("\\block {k}\n\\ELANBegin {k}.1\n\\ref a.{k}\n\\tx {text}\n\\mb {mb}\n\\ge {ge}\n\\ft {ft}\n")
        is_the_story(text)
        igt = read(text)[0][3]
        assert (igt.sent_id, dict(igt.meta)["ELANBegin"]) == ("a.3", "3.1")

    @pytest.mark.parametrize(
        "shape",
        [
            "\\w {w}\n\\ps n\n\\g {g}\n\\ex {t}\n\\extr {e}\n",
            "\\headword {w}\n\\pos n\n\\gloss {g}\n\\definition a kind of {g}\n\\ex {t}\n\\tr {e}\n",
            "\\ent {w}\n\\cat n\n\\sig {g}\n\\ej {t}\n\\tej {e}\n",
            "\\me {w}\n\\ph {w}\n\\pc n\n\\ge {g}\n\\de the {g}\n\\rf JS 12\n",
            "\\lexeme {w}\n\\ps n\n\\ge {g}\n\\de a thing that is called {g}\n",
        ],
    )
    def test_dictionaries_with_markers_of_their_own(self, shape):
        entries = [
            shape.format(w=word, g=gloss, t=line.text, e=line.free["en"])
            for line in STORY
            for word, gloss in zip(line.words, line.glosses, strict=True)
        ]
        marker = shape[1:].partition(" ")[0]
        with pytest.raises(FormatError, match="a word each: this is a dictionary") as error:
            read("\n".join(entries))
        assert f"markers=record={marker},words=…" in str(error.value)

    def test_texts_whose_records_are_short_are_no_dictionary(self):
        text = "".join(f"\\ref Kolu.{k}\n\\tx {word}\n\\ge {gloss}\n\n" for k, (word, gloss) in enumerate(zip(WORDS[1], GLOSSES[1], strict=True)))  # fmt: skip
        assert len(read(text)[0]) == len(WORDS[1])


class TestElan:
    @staticmethod
    def words(rows) -> list[tuple[str, int, int]]:
        return [(word, 1000 * k + 80 * j, 1000 * k + 80 * j + 80) for k, row in enumerate(rows) for j, word in enumerate(row)]

    def test_pauses_of_doreco(self):
        made = Eaf().timed("ref@SP", [f"kolu_{k:04}" for k in range(len(STORY))])
        made.under("tx@SP", "ref@SP", [line.text for line in STORY]).under("ft@SP", "ref@SP", FREE)
        made.timed("wd@SP", self.words([(*line.words, "<p:>") for line in STORY]), above="ref@SP", constraint=INCLUDED)
        morphs = [row for line in STORY for row in (*line.morphs, ["<p:>"])]
        glosses = [text for line in STORY for row in (*line.morph_glosses, ["<p:>"]) for text in row]
        made.under("mb@SP", "wd@SP", morphs).under("gl@SP", "mb@SP", glosses)
        is_the_story(made.text())
        assert not any("<p:>" in igt.words for igt in read(made.text())[0])

    def test_notes_are_no_translation(self):
        made = (
            Eaf()
            .timed("tx@A", [" ".join(line.pieces) for line in STORY])
            .under("ge@A", "tx@A", [line.glosses for line in STORY])
        )
        made.under("ft@A", "tx@A", FREE).under("nt@A", "tx@A", ["The speaker is not sure about this."] * len(STORY))
        sentences, faults = read(made.text())
        assert [igt.translation for igt in sentences] == FREE
        assert not any(len(igt.translations) > 1 or "alt" in str(igt.meta) for igt in sentences)
        assert "nt" in faults.reading.unused

    def test_clitics_that_stand_apart_over_morphemes(self):
        made = (
            Eaf().timed("tx", ["sena =n uva", "-- kolu ku"]).under("mot", "tx", [["sena", "=n", "uva"], ["--", "kolu", "ku"]])
        )
        made.under("mb", "mot", [["sena"], ["n"], ["uva"], ["--"], ["kolu"], ["ku"]])
        made.under("ge", "mb", ["sister", "GEN", "swim", "--", "fish", "big"])
        made.under("ft", "tx", ["The sister's swimming.", "The fish is big."])
        first, second = read(made.text())[0]
        assert (first.words, first.segments, first.glosses) == (("senan", "uva"), ("sena=n", "uva"), ("sister=GEN", "swim"))
        assert second.words == ("--", "kolu", "ku")

    def test_names_as_markers(self):
        made = Eaf().timed("ref", [f"KOL.{k:03}" for k in range(len(STORY))]).under("\\t", "ref", [line.text for line in STORY])
        made.under("\\f", "ref", FREE).under("\\m", "\\t", [[m for row in line.morphs for m in row] for line in STORY])
        made.under("\\g", "\\m", [g for line in STORY for row in line.morph_glosses for g in row])
        is_the_story(made.text())


def textgrid(*tiers: tuple[str, list[tuple[str, int, int]]]) -> str:
    text = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n99\n<exists>\n{len(tiers)}\n'
    for name, values in tiers:
        text += f'"IntervalTier"\n"{name}"\n0\n99\n{len(values)}\n'
        text += "".join(f'{begin / 1000}\n{end / 1000}\n"{value}"\n' for value, begin, end in values)
    return text


def test_a_textgrid_of_webmaus():
    words = TestElan.words(WORDS)
    canonical = [(value.upper(), begin, end) for value, begin, end in words]
    whole = [(line.text, 1000 * k, 1000 * k + 900) for k, line in enumerate(STORY)]
    sounds = [(char, begin + 5 * n, begin + 5 * n + 5) for value, begin, _ in words for n, char in enumerate(value)]
    grid = textgrid(("ORT-MAU", words), ("KAN-MAU", canonical), ("MAU", sounds), ("TRN", whole))
    sentences, faults = read(grid)
    assert words_of(sentences) == WORDS
    assert not any(igt.glosses for igt in sentences)
    assert faults.reading.unused == ["KAN-MAU", "MAU"]


class TestLatex:
    @pytest.mark.parametrize(
        "definition",
        [
            r"\newcommand\igt[3]{\begin{exe}\ex\gll #1\\#2\\\trans `#3'\end{exe}}",
            r"\NewDocumentCommand{\igt}{m m m}{\begin{exe}\ex\gll #1\\#2\\\trans `#3'\end{exe}}",
            "",
        ],
    )
    def test_a_file_that_has_only_a_macro_of_its_author(self, definition):
        calls = [f"\\igt{{{' '.join(line.pieces)}}}{{{' '.join(line.glosses)}}}{{{line.free['en']}}}" for line in STORY]
        is_the_story(f"{definition}\n" + "\n\n".join(calls))

    @pytest.mark.parametrize("where", ["in the table", "after it"])
    def test_examples_that_are_set_as_tables(self, where):
        rows = []
        for k, line in enumerate(STORY):
            cells = " & ".join(line.pieces) + r" \\" + "\n" + " & ".join(line.glosses)
            last = f"\\multicolumn{{{len(line.pieces)}}}{{l}}{{`{line.free['en']}'}}"
            inside, after = (f"{cells} \\\\\n{last}", "") if where == "in the table" else (cells, f"\\\\\n`{line.free['en']}'")
            rows.append(f"\\ex\\label{{t{k}}}\n\\begin{{tabular}}[t]{{@{{}}lll}}\n{inside}\n\\end{{tabular}}{after}")
        text = "\\documentclass{article}\n\\begin{exe}\n" + "\n\n".join(rows) + "\n\\end{exe}"
        is_the_story(text)
        assert [igt.sent_id for igt in read(text)[0]][:2] == ["t0", "t1"]

    def test_tables_of_data_are_no_examples(self):
        example = "\\ea \\gll kolu uva-n\\\\ fish swim-\\textsc{pst}\\\\ \\glt `The fish swam.' \\z\n"
        table = "\\begin{tabular}{lll}\n\\hline\nform&gloss\\\\\nkolu&fish\\\\\n\\end{tabular}\n`Or so.'\n"
        words = "\\ea\n\\begin{tabular}{lll}\na. & kolu & `fish' & `pez'\\\\\nb. & sena & `sister' & `hermana'\\\\\n\\end{tabular}\n\\z\n"
        assert [igt.words for igt in read(example + table + words)[0]] == [("kolu", "uvan")]


class TestTypst:
    def test_lists_of_eggs(self):
        rows = [
            f"  + - {'  '.join(line.pieces)}\n    - {'  '.join(line.glosses)}\n    '{line.free['en']}' #ex-label(<a>)"
            for line in STORY
        ]
        text = (
            '#import "@preview/eggs:0.1.0": example as ex\n#show: eggs\n\n#ex[\n'
            + "\n".join(rows)
            + "\n  + without glosses\n]\n"
        )
        is_the_story(text)

    def test_keywords_without_a_value(self):
        rows = [
            f"#numbered-gloss(\n  header_text: none,\n  source_text: ({', '.join(f'[{word}]' for word in line.pieces)},),\n  transliteration: none,\n"
            f'  morphemes: ({", ".join(f"smallcaps([{gloss.lower()}])" if gloss.isupper() else f"[{gloss}]" for gloss in line.glosses)},),\n  translation: "{line.free["en"]}",\n)'
            for line in STORY
        ]
        is_the_story('#import "@preview/leipzig-gloss:0.1.0": *\n\n' + "\n".join(rows))


class TestTables:
    @staticmethod
    def sheet(headings: str, row, mark: str = ",") -> str:
        rows = [headings, *(row(k, line) for k, line in enumerate(STORY))]
        return (
            "\n".join(mark.join(f'"{cell}"' for cell in (one.split(";") if isinstance(one, str) else one)) for one in rows)
            + "\n"
        )

    def test_the_context_of_a_stimulus_is_no_text(self):
        text = self.sheet(
            "item;context;target;gloss;translation",
            lambda k, line: (k, "They stand at a river.", " ".join(line.pieces), " ".join(line.glosses), line.free["en"]),
        )
        is_the_story(text, "stimuli.csv")

    def test_the_name_of_a_text_is_no_text(self):
        text = self.sheet(
            "Text;Line;Vernacular;Morphemes;Lex. Gloss;Free Translation",
            lambda k, line: ("river", k, line.text, " ".join(line.pieces), " ".join(line.glosses), line.free["en"]),
        )
        is_the_story(text, "export.csv")

    def test_words_between_bars(self):
        text = self.sheet(
            "ID;Sentence;Words;Gloss;Translation",
            lambda k, line: (k, line.text, "|".join(line.pieces), "|".join(line.glosses), line.free["en"]),
        )
        is_the_story(text, "bars.csv")

    def test_a_word_that_is_also_a_heading(self):
        """A table of one example in Word, in whose words one means "sentence" in Dutch."""
        rows = [
            ["(1)", "Kolu (invented)"],
            ["", "kolu", "zin", "uva-n"],
            ["", "fish", "sister", "swim-PST"],
            ["", "The fish swam."],
        ]
        sentences = formats.load_bytes(docx(table(rows), table([["(2)", "sena", "zin", "ku"], ["", "DEF", "sister", "big"], ["", "", "big one"]])))  # fmt: skip
        assert sentences[0].words == ("kolu", "zin", "uvan")
        assert (sentences[0].glosses, sentences[0].translation) == (("fish", "sister", "swim-PST"), "The fish swam.")


def test_a_document_of_latex_that_shows_markdown():
    rows = "\n".join(
        f"\\ex \\gll {' '.join(line.pieces)}\\\\ {' '.join(line.glosses)}\\\\ \\glt `{line.free['en']}'" for line in STORY
    )
    shown = "::: ex\n| Kolu\n| sena uva-n\n| sister swim-PST\n| The sister swam.\n:::\n"
    is_the_story(
        f"\\documentclass{{article}}\n\\begin{{verbatim}}\n{shown}\\end{{verbatim}}\n\\begin{{exe}}\n{rows}\n\\end{{exe}}\n"
    )


def test_json_with_lists_of_words():
    rows = [
        {"id": str(k), "words": list(line.pieces), "gloss": list(line.glosses), "translation": line.free["en"]}
        for k, line in enumerate(STORY)
    ]
    is_the_story(json.dumps(rows))


class TestBarsInPlainText:
    @staticmethod
    def text(front: str = "", end: str = "", mark: str = " | ") -> str:
        def block(k: int, line) -> str:
            first, other = (f"{k} | ", "  | ") if front == "number" else (front, front)
            rows = [mark.join(line.pieces), mark.join(line.glosses), line.free["en"]]
            return "\n".join(f"{other if n else first}{row}{end}" for n, row in enumerate(rows))

        return "\n\n".join(block(k, line) for k, line in enumerate(STORY, 1)) + "\n"

    @pytest.mark.parametrize(
        "shape", [{}, {"mark": "|"}, {"front": "| ", "end": " |"}, {"front": "number"}, {"mark": " | ", "end": " |"}]
    )
    def test_words_between_bars(self, shape):
        is_the_story(self.text(**shape), "story.txt")

    def test_a_word_with_a_blank(self):
        [igt], _ = read("kolu ti | uva-n\nfish | swim up-PST\n‘The fish swam up.’\n", "a.txt")
        assert (igt.words, igt.glosses) == (("kolu ti", "uvan"), ("fish", "swim up-PST"))

    def test_a_bar_that_parts_clauses_stays(self):
        [igt], _ = read("kolu ti | uva-n ku\nfish DEF | swim-PST not\n‘The fish did not swim.’\n", "a.txt")
        assert [word for word in igt.words if word != "|"] == ["kolu", "ti", "uvan", "ku"]
        assert [gloss for gloss in igt.glosses if gloss != "|"] == ["fish", "DEF", "swim-PST", "not"]

    @pytest.mark.parametrize("text", ["|ui |oa-n", "n|om", "‖a |ui", "!a |ui-n |oa"])
    def test_clicks_stay(self, text):
        glosses = " ".join(["fish-PST"] * len(text.split()))
        [igt], _ = read(f"{text.replace('-', '')}\n{text}\n{glosses}\n‘The fish swam.’\n", "a.txt")
        assert "".join(igt.words) == re.sub("[- ]", "", text)

    def test_rows_of_a_table_are_refused(self):
        rows = "\n".join(
            f"{k} | {' '.join(line.pieces)} | {' '.join(line.glosses)} | {line.free['en']}" for k, line in enumerate(STORY, 1)
        )
        with pytest.raises(FormatError, match=r"table.txt:1: lines of 4 cells between \| look like rows of a table"):
            read(rows, "table.txt")

    def test_a_table_among_sentences_is_left_out(self):
        table = "1 | kolu uva | fish swim | The fish swims.\n2 | sena uva | sister swim | The sister swims.\n"
        sentences, faults = read(f"{self.text()}\n{table}\n{self.text()}", "a.txt")
        assert words_of(sentences) == [*WORDS, *WORDS]
        assert faults.reading.left_out == {"rows of a table between bars": 2}

    def test_what_is_written_is_read_again(self):
        words = Sentence(("kolu", "|", "uva"), (), ("fish", "|", "swim"), translation="The fish swims.")
        [again], _ = read(formats_plain.dumps([words]))
        assert (again.words, again.glosses, again.translation) == (words.words, words.glosses, words.translation)


def test_hyphens_between_blanks_in_toolbox():
    records = "".join(
        f"\\ref {k}\n\\tx {line.text}\n\\mb {' '.join(line.pieces).replace('-', ' - ')}\n\\ge {' '.join(line.glosses).replace('-', ' - ')}\n\\ft {line.free['en']}\n\n"
        for k, line in enumerate(STORY, 1)
    )
    is_the_story("\\_sh v3.0  400  Text\n\n" + records, "story.sfm")


@pytest.mark.parametrize("headed", [True, False])
@pytest.mark.parametrize("numbered", [True, False])
def test_labels_in_the_second_column(headed, numbered):
    lines = ["ID,Line,,,"] if headed else []
    for k, line in enumerate(STORY, 1):
        front = k if numbered else ""
        lines.append(f"{front},text,{','.join(line.pieces)}")
        lines.append(f",gloss,{','.join(line.glosses)}")
        lines.append(f',translation,"{line.free["en"]}"')
    text = "\n".join(lines) + "\n"
    is_the_story(text, "story.csv")
    if numbered:
        assert [igt.sent_id for igt in read(text, "story.csv")[0]] == [str(k) for k in range(1, len(STORY) + 1)]


def test_a_second_tier_of_glosses_is_kept():
    made = (
        Eaf().timed("tx@A", ["sena uva"]).under("wd@A", "tx@A", [["sena", "uva"]]).under("ft@A", "tx@A", ["The sister swims."])
    )
    made.under("ge@A", "wd@A", ["sister", "swim-PRS"]).under("gn@A", "wd@A", ["hermana", "nadar-PRS"])
    [igt], faults = read(made.text())
    assert dict(igt.meta)["gn@A"] == "hermana nadar-PRS"
    assert (faults.reading.kept, faults.reading.unused) == (["gn"], [])
