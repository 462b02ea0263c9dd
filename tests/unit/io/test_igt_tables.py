"""Tables of interlinear text: spreadsheets, and the tables and paragraphs of documents. The sentences are ours."""

from __future__ import annotations

import io
import zipfile

import officefiles
import pytest

from divproj.core.errors import Faults, FormatError, ProjError
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, write_back
from divproj.io.interlinear import rows as igt_conllu
from divproj.io.trees import conllu

ROWS = [
    ["Text", "Gloss", "Translation"],
    ["Sena uva-n", "sister swim-PST", "The sister swam."],
    ["Kolu ku", "fish big", "The fish is big."],
]


def read(data: bytes | str, path: str = "", **options) -> tuple[list[Sentence], list[str]]:
    faults = Faults(strict=False)
    raw = data.encode() if isinstance(data, str) else data
    found = formats.load_bytes(raw, None, faults, ReaderOptions.of(options), path)
    return found, [str(fault) for fault in faults.noted]


def csv(rows, mark: str = ",") -> str:
    return "".join(mark.join(f'"{cell}"' if mark in cell or "\n" in cell else cell for cell in row) + "\n" for row in rows)


class TestRowsOfSentences:
    @pytest.mark.parametrize("data", [csv(ROWS), csv(ROWS, "\t"), csv(ROWS, ";"), officefiles.xlsx({"A": ROWS}), officefiles.xlsx({"A": ROWS}, shared=False), officefiles.ods({"A": ROWS})])  # fmt: skip
    def test_files_of_all_kinds_by_their_content(self, data):
        found, messages = read(data)
        assert messages == []
        assert [igt.words for igt in found] == [("Sena", "uvan"), ("Kolu", "ku")]
        assert [igt.glosses for igt in found] == [("sister", "swim-PST"), ("fish", "big")]
        assert found[0].segments == ("Sena", "uva-n")
        assert [igt.translation for igt in found] == ["The sister swam.", "The fish is big."]
        assert [igt.where.line for igt in found] == [2, 3]

    @pytest.mark.parametrize("headings", [
        ("Texto", "Glosa", "Traducción"), ("Texte", "Glose", "Traduction libre"), ("Frase", "Glosas", "Tradução"),
        ("Текст", "Глоссы", "Перевод"), ("Satz", "Glossierung", "Übersetzung"), ("Sentence", "Glosses", "Free translation"),
        ("tx", "ge", "ft"), ("Vernacular", "Gloss", "English"),
    ])  # fmt: skip
    def test_headings_in_several_languages(self, headings):
        found, _ = read(csv([headings, *ROWS[1:]]))
        assert found[0].glosses == ("sister", "swim-PST")
        assert found[0].translation == "The sister swam."

    def test_other_columns(self):
        rows = [
            ["ID", "Speaker", "Language", "Original", "Analysis", "Gloss", "POS", "Translation (en)", "Traducción", "Comment"],
            ["k1", "Ana", "kolu1234", "*Senan uvan", "sena-n uva -n", "sister-GEN swim PST", "N V TAM", "The sister swam in the river.", "La hermana nadó en el río.", "so"],
        ]  # fmt: skip
        (igt,), _ = read(csv(rows))
        assert (igt.sent_id, igt.language, igt.judgement) == ("k1", "kolu1234", "*")
        assert (igt.words, igt.segments, igt.glosses, igt.tags) == (
            ("Senan", "uvan"),
            ("sena-n", "uva-n"),
            ("sister-GEN", "swim-PST"),
            ("N", "V-TAM"),
        )
        assert dict(igt.translations) == {"en": "The sister swam in the river.", "es": "La hermana nadó en el río."}
        assert dict(igt.meta) == {"speaker": "Ana", "Comment": "so"}

    def test_columns_are_named_by_heading_or_letter(self):
        rows = [["a", "b", "c"], ["Sena uvan", "sister swim", "She swims."]]
        named = {"text": "a", "glosses": "b", "translation": "c"}
        assert read(csv(rows), "x.csv", tiers=named)[0][0].glosses == ("sister", "swim")
        assert read(csv(rows[1:]), "x.csv", tiers={"text": "A", "glosses": "2"})[0][0].glosses == ("sister", "swim")
        with pytest.raises(
            FormatError, match=r"x.csv:1: no row names the columns z, wort; the table begins a, b, c; .*; name headings"
        ):
            read(csv(rows), "x.csv", tiers={"text": "z", "glosses": "wort"})
        with pytest.raises(ProjError, match="unknown role 'gloss' of a column, one of record, text"):
            read(csv(rows), "x.csv", tiers={"gloss": "b"})

    def test_a_table_without_headings(self):
        rows = [["kolu1234", "Sena uva-n,", "sister swim-\\textsc{pst}", "`The sister swam.'"], ["kolu1234", "Kolu ku-t", "fish big-\\textsc{pl}", "`The fish are big.'"],
                ["kolu1234", "Ne kolu uva", "and fish swim-\\textsc{prs}", "`And the fish swims.'"]]  # fmt: skip
        found, _ = read(csv(rows))
        assert [igt.glosses for igt in found] == [("sister", "swim-PST", ""), ("fish", "big-PL"), ("and", "fish", "swim-PRS")]
        assert (found[0].translation, found[0].language) == ("The sister swam.", "kolu1234")

    def test_a_title_above_the_headings_and_a_row_without_text(self):
        found, messages = read(csv([["My texts", "", ""], *ROWS, ["", "so", ""]]), "a.csv")
        assert len(found) == 2
        assert messages == ["a.csv: only 2 of 3 sentences were understood; left out: 1 row without text (line 5)"]

    def test_sheets(self):
        found, messages = read(officefiles.xlsx({"Texts": ROWS, "Notes": [["to do"], ["more"]], "Later": ROWS}), "a.xlsx")
        assert [dict(igt.meta).get("sheet") for igt in found] == [None, None, "Later", "Later"]
        assert len(messages) == 1
        assert messages[0].startswith("a.xlsx: sheet 'Notes': no column looks like a text; the table begins to do")

    def test_a_table_of_something_else(self):
        with pytest.raises(
            FormatError, match=r"a.csv: no column looks like a text; the table begins year, sales.* `columns=text=B"
        ):
            read("year,sales\n2001,12\n2002,14\n", "a.csv")
        words = csv([["Word", "Gloss"], *([f"kolu{k}", "fish"] for k in range(30))])
        with pytest.raises(FormatError, match="a word list, not a text"):
            read(words, "a.csv")

    def test_quoted_cells_over_lines(self):
        found, _ = read(csv([ROWS[0], ["Sena\nuva-n", "sister swim-PST", "The sister\nswam."]]))
        assert (found[0].words, found[0].translation) == (("Sena", "uvan"), "The sister swam.")


class TestRowsOfWords:
    def test_repeated_sentences(self):
        rows = [["no", "sentence", "translation", "word", "gloss"], ["1", "Sena uvan", "She swam.", "sena", "sister"], ["1", "Sena uvan", "She swam.", "uva-n", "swim-PST"],
                ["2", "Kolu ku", "A big fish.", "kolu", "fish"], ["2", "Kolu ku", "A big fish.", "ku", "NA"]]  # fmt: skip
        found, _ = read(csv(rows))
        assert [(igt.sent_id, igt.words, igt.glosses) for igt in found] == [
            ("1", ("Sena", "uvan"), ("sister", "swim-PST")),
            ("2", ("Kolu", "ku"), ("fish", "")),
        ]
        assert [igt.translation for igt in found] == ["She swam.", "A big fish."]

    def test_sentences_said_once(self):
        rows = [["Sentence", "Translation", "Word", "Morpheme", "Gloss"], ["Senan uvan", "She swam.", "senan", "sena", "sister"], ["", "", "", "-n", "GEN"],
                ["", "", "uvan", "uva", "swim"], ["", "", "", "-n", "PST"], ["Kolu", "A fish.", "kolu", "kolu", "fish"]]  # fmt: skip
        found, _ = read(officefiles.xlsx({"A": rows}))
        assert [igt.words for igt in found] == [("Senan", "uvan"), ("Kolu",)]
        assert (found[0].segments, found[0].glosses) == (("sena-n", "uva-n"), ("sister-GEN", "swim-PST"))

    def test_blank_rows_and_counted_words(self):
        rows = [["word", "gloss"], ["sena", "sister"], ["uvan", "swim"], ["", ""], ["kolu", "fish"], ["ku", "big"]]
        assert [igt.words for igt in read(officefiles.ods({"A": rows}))[0]] == [("sena", "uvan"), ("kolu", "ku")]
        rows = [["word_id", "form", "gloss", "translation"], ["1", "sena", "sister", "She swims."], ["2", "uva", "swim", "She swims."], ["1", "sena", "sister", "She swims."], ["2", "uva", "swim", "She swims."]]  # fmt: skip
        assert len(read(csv(rows))[0]) == 2


class TestStackedRows:
    def test_with_numbers(self):
        rows = [
            ["(1)", "Sena", "uva-n"],
            ["", "sister", "swim-PST"],
            ["", "‘The sister swam.’ (A 2001: 3)"],
            ["(2)", "*Kolu", "ku"],
            ["", "fish", "big"],
            ["", "‘The fish is big.’"],
        ]
        found, _ = read(officefiles.xlsx({"A": rows}))
        assert [(igt.sent_id, igt.words, igt.judgement) for igt in found] == [
            ("1", ("Sena", "uvan"), ""),
            ("2", ("Kolu", "ku"), "*"),
        ]
        assert (found[0].glosses, found[0].translation, dict(found[0].meta)) == (
            ("sister", "swim-PST"),
            "The sister swam.",
            {"source": "A 2001: 3"},
        )

    def test_with_names_of_lines(self):
        rows = [
            ["tx", "senan", "uvan"],
            ["mb", "sena-n", "uva-n"],
            ["ge", "sister-GEN", "swim-PST"],
            ["ft", "She swam in it."],
            [],
            ["tx", "kolu"],
            ["mb", "kolu"],
            ["ge", "fish"],
            ["ft", "A fish."],
        ]
        found, _ = read(officefiles.xlsx({"A": rows}))
        assert [igt.translation for igt in found] == ["She swam in it.", "A fish."]
        assert found[0].segments == ("sena-n", "uva-n")
        lines = [["Text:", "Senan uvan"], ["Gloss:", "sister-GEN swim-PST"], ["Translation:", "She swam."]]
        assert read(officefiles.xlsx({"A": lines}))[0][0].glosses == ("sister-GEN", "swim-PST")

    def test_morphemes_in_cells_of_their_own(self):
        rows = [["senan", "", "uvan", ""], ["sena", "-n", "uva", "-n"], ["sister", "GEN", "swim", "PST"], ["‘She swam.’"]]
        (igt,), _ = read(officefiles.xlsx({"A": rows}))
        assert (igt.words, igt.segments, igt.glosses) == (("senan", "uvan"), ("sena-n", "uva-n"), ("sister-GEN", "swim-PST"))


class TestDocuments:
    def test_a_table_with_small_capitals(self):
        table = officefiles.table(
            [["(3)", "Kolu (Oceanic)"], ["", "Sena", "uva-n"], ["", "sister", "swim-^pst^"], ["", "‘The sister swam.’"]]
        )
        (igt,), messages = read(officefiles.docx(officefiles.paragraph("See (3)."), table))
        assert (igt.sent_id, igt.words, igt.glosses) == ("3", ("Sena", "uvan"), ("sister", "swim-PST"))
        assert (igt.translation, dict(igt.meta), messages) == ("The sister swam.", {"heading": "Kolu (Oceanic)"}, [])

    def test_parts_of_an_example_and_judgements(self):
        table = officefiles.table([["(4)", "a.", "", "Sena", "uva-n"], ["", "", "", "sister", "swim-PST"], ["", "", "", "‘So.’"], ["", "b.", "*", "kolu", "ku"], ["", "", "", "fish", "big"], ["", "", "", "‘A fish.’"]])  # fmt: skip
        found, _ = read(officefiles.docx(table))
        assert [(igt.sent_id, igt.judgement) for igt in found] == [("4a", ""), ("4b", "*")]

    @pytest.mark.parametrize("data", [
        officefiles.docx(*map(officefiles.paragraph, ("Long prose about it, and more.", "(7)\tSena\tuva-n", "\tsister\tswim-^pst^", "\t‘The sister swam.’", "More prose."))),
        officefiles.docx(officefiles.paragraph("(7)\tSena\tuva-n\n\tsister\tswim-^pst^\n\t‘The sister swam.’")),
        officefiles.odt("Prose, and so on.", "(7)\tSena\tuva-n", "\tsister\tswim-^pst^", "\t‘The sister swam.’"),
        officefiles.odt("(7)\tSena uva-n", "\tsister swim-^pst^", "\t‘The sister swam.’", "More prose here."),
    ])  # fmt: skip
    def test_paragraphs(self, data):
        (igt,), _ = read(data)
        assert (igt.sent_id, igt.words, igt.glosses) == ("7", ("Sena", "uvan"), ("sister", "swim-PST"))
        assert igt.translation == "The sister swam."

    def test_items_of_a_numbered_list(self):
        listed = '<w:numPr><w:numId w:val="1"/></w:numPr>'
        text = (officefiles.paragraph("Sena uva-n", listed), officefiles.paragraph("sister swim-PST"), officefiles.paragraph("‘So.’"), officefiles.paragraph("Kolu ku", listed), officefiles.paragraph("fish big"), officefiles.paragraph("‘A big fish.’"))  # fmt: skip
        assert [igt.translation for igt in read(officefiles.docx(*text))[0]] == ["So.", "A big fish."]

    def test_what_is_not_shown_is_not_read(self):
        hidden = '<w:p><w:r><w:t>(1) Sena</w:t></w:r><w:del><w:r><w:delText> x</w:delText></w:r></w:del><w:r><w:rPr><w:vanish/></w:rPr><w:t> y</w:t></w:r><w:r><w:t xml:space="preserve"> uva</w:t><w:noBreakHyphen/><w:t>n</w:t></w:r></w:p>'
        (igt,), _ = read(officefiles.docx(hidden, officefiles.paragraph("sister swim-PST"), officefiles.paragraph("‘So.’")))
        assert igt.words == ("Sena", "uvan")

    def test_a_style_of_small_capitals(self):
        style = '<w:style w:styleId="gram"><w:rPr><w:smallCaps/></w:rPr></w:style><w:style w:styleId="mine"><w:basedOn w:val="gram"/></w:style>'
        glosses = (
            '<w:p><w:r><w:t>sister swim-</w:t></w:r><w:r><w:rPr><w:rStyle w:val="mine"/></w:rPr><w:t>pst</w:t></w:r></w:p>'
        )
        (igt,), _ = read(
            officefiles.docx(officefiles.paragraph("(1) Sena uva-n"), glosses, officefiles.paragraph("‘So.’"), styles=style)
        )
        assert igt.glosses == ("sister", "swim-PST")

    def test_tables_that_are_no_example_are_counted(self):
        forms = officefiles.table(
            [["", "Singular", "Plural"], ["1", "kolu", "kolut"], ["2", "sena", "senat"], ["3", "uva", "uvat"]]
        )
        example = officefiles.table([["(1)", "Sena", "uva-n"], ["", "sister", "swim-PST"], ["", "‘So.’"]])
        faults = Faults(strict=False)
        (_,) = formats.load_bytes(officefiles.docx(forms, example), None, faults)
        assert (faults.noted, dict(faults.reading.unread)) == ([], {"tables without words over glosses": 1})
        with pytest.raises(
            FormatError, match=r"a.docx: no example found; 1 tables have no words over glosses; write the words in cells"
        ):
            read(officefiles.docx(forms), "a.docx")

    def test_a_table_with_headings(self):
        assert [igt.glosses for igt in read(officefiles.docx(officefiles.table(ROWS)))[0]] == [
            ("sister", "swim-PST"),
            ("fish", "big"),
        ]

    def test_damage(self):
        whole = officefiles.docx(officefiles.paragraph("x"))
        with pytest.raises(FormatError, match=r"a.docx: broken zip data"):
            read(whole[:200], "a.docx")
        with pytest.raises(FormatError, match="no text in the document"):
            read(officefiles.packed({"word/other.xml": "<x/>"}))


class TestTreesGoBack:
    def trees(self, data: bytes) -> list[conllu.Rows]:
        text = igt_conllu.dumps(formats.load_bytes(data, None, Faults(strict=False)))
        out = []
        for block in text.strip().split("\n\n"):
            lines = block.split("\n")
            rows = [line.split("\t") for line in lines if not line.startswith("#")]
            for k, row in enumerate(rows):
                row[6], row[7] = ("0", "root") if not k else ("1", "dep")
            out.append("\n".join([line for line in lines if line.startswith("#")] + ["\t".join(row) for row in rows]))
        return [row for row in conllu.loads("\n\n".join(out) + "\n\n") if row is not None]

    @pytest.mark.parametrize("rows", [ROWS, [["no", "word", "gloss", "translation"], ["1", "sena", "sister", "So."], ["1", "uvan", "swim", "So."], ["2", "kolu", "fish", "A fish."]]])  # fmt: skip
    def test_a_workbook(self, rows):
        original = officefiles.xlsx({"Texts": rows, "Notes": [["x"], ["y"]]})
        options = ReaderOptions()
        once = write_back.into(original, self.trees(original), options, "a.xlsx", Faults(strict=False))
        found, _ = read(once)
        assert [igt.tree.heads if igt.tree else () for igt in found] == [(0, *(1,) * (len(igt.words) - 1)) for igt in found]
        assert write_back.into(once, self.trees(original), options, "a.xlsx", Faults(strict=False)) == once
        before, after = (zipfile.ZipFile(io.BytesIO(data)) for data in (original, once))
        assert [before.read(name) == after.read(name) for name in before.namelist() if "sheet1" not in name].count(False) == 0

    def test_other_tables(self):
        for data in (officefiles.ods({"A": ROWS}), csv(ROWS).encode()):
            with pytest.raises(ProjError, match=r"this is another table; save it as .xlsx first"):
                write_back.into(data, self.trees(data), ReaderOptions(), "a", Faults(strict=False))
        stacked = officefiles.xlsx({"A": [["Sena", "uva-n"], ["sister", "swim-PST"], ["‘So.’"]]})
        with pytest.raises(ProjError, match="trees go back into sheets whose first row names the columns"):
            write_back.into(stacked, self.trees(stacked), ReaderOptions(), "a", Faults(strict=False))


def test_bombs():
    bomb = officefiles.packed(
        {"[Content_Types].xml": "<x/>", "word/document.xml": f"<w:document {officefiles.WORD}><w:body><w:p>" + " " * (60 << 20)}
    )
    assert len(bomb) < 100_000
    with pytest.raises(ProjError, match="unpacks to more than 400 times its size"):
        read(bomb, "a.docx")
    cells = '<table:table-row table:number-rows-repeated="9999999"><table:table-cell table:number-columns-repeated="9999999"><text:p>x</text:p></table:table-cell></table:table-row>'
    with pytest.raises(FormatError, match="no column looks like a text"):
        read(
            officefiles.opened(
                "spreadsheet", f'<office:spreadsheet><table:table table:name="A">{cells}</table:table></office:spreadsheet>'
            )
        )
