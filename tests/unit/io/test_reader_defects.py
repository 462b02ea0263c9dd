"""Shapes of linguists' files that were once misread without a word, one test for each; the sentences are made up."""

from __future__ import annotations

import io

import pytest
from eaffile import TIMES, Eaf

from divproj.core.errors import Faults, FormatError
from divproj.core.options import ReaderOptions, parse_roles
from divproj.core.sentence import Sentence
from divproj.io.interlinear import elan, formats, toolbox, words
from divproj.text import language_id

ENGLISH = ("The sister swam in the river.", "The fish is very big.", "And then the fish swims away.")
SPANISH = ("La hermana nadó en el río.", "El pez es muy grande.", "Y el pez se va nadando.")
TEXT = ("sena uvan ne", "kolut ku na", "ne kolu uva")


def read(text: str | Eaf, name: str = "", **options) -> list[Sentence]:
    return _read(text, name, **options)[0]


def _read(text: str | Eaf, name: str = "", **options) -> tuple[list[Sentence], Faults]:
    faults = Faults(strict=False)
    shape = "elan" if isinstance(text, Eaf) else name or None
    return formats.loads(text.text() if isinstance(text, Eaf) else text, shape, faults, **options), faults


def glossed(instances: list[Sentence]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(one.words, one.glosses) for one in instances]


class TestElan:
    def test_slots_without_a_value_listed_last(self):
        text = Eaf().timed("phrase", ["sena uva ku", "kolu ne"]).text()
        slots = '<TIME_SLOT TIME_SLOT_ID="x1"/><TIME_SLOT TIME_SLOT_ID="x2"/><TIME_SLOT TIME_SLOT_ID="x3"/></TIME_ORDER>'
        cells = (("sena", "ts1", "x1"), ("uva", "x1", "x2"), ("ku", "x2", "ts2"), ("kolu", "ts3", "x3"), ("ne", "x3", "ts4"))
        rows = "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="w{k}" TIME_SLOT_REF1="{a}" TIME_SLOT_REF2="{b}"><ANNOTATION_VALUE>{word}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>'
            for k, (word, a, b) in enumerate(cells)
        )
        tier = f'<TIER TIER_ID="words" LINGUISTIC_TYPE_REF="w" PARENT_REF="phrase">{rows}</TIER>'
        kind = f'<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="w" CONSTRAINTS="{TIMES}"/></ANNOTATION_DOCUMENT>'
        text = text.replace("</TIME_ORDER>", slots).replace("</TIER>", f"</TIER>{tier}", 1)
        text = text.replace("</ANNOTATION_DOCUMENT>", kind)
        assert [one.words for one in read(text)] == [("sena", "uva", "ku"), ("kolu", "ne")]

    def test_morphemes_are_no_words_whatever_their_name(self):
        made = Eaf().timed("-", ["1", "2", "3"], kind="phrase")
        made.under("Kolu", "-", [line.split() for line in TEXT], kind="word")
        made.under("Ortografía", "Kolu", [["uva", "-n"] if word == "uvan" else [word] for line in TEXT for word in line.split()], kind="morph")  # fmt: skip
        made.under("English", "-", ENGLISH, kind="phrase-item")
        first = read(made)[0]
        assert (first.words, first.segments, first.translation) == (("sena", "uvan", "ne"), ("sena", "uva-n", "ne"), ENGLISH[0])

    def test_every_speaker_has_the_same_roles(self):
        made = (
            Eaf().timed("ref@A", ["", "", ""], PARTICIPANT="A").under("trs@A", "ref@A", TEXT).under("trad@A", "ref@A", SPANISH)
        )
        made.timed("ref@B", ["", "", ""], shift=950, PARTICIPANT="B").under("trs@B", "ref@B", ("la casa del río", "los de aquí", "y es que no"))  # fmt: skip
        made.under("trad@B", "ref@B", SPANISH)
        found, faults = _read(made)
        assert [one.translation for one in found].count(SPANISH[0]) == 2
        assert (len(found), faults.reading.speakers) == (6, 2)

    @pytest.mark.parametrize("named", ["t", "t@A,t@B", "t@A"])
    def test_a_name_goes_before_a_type_and_several_can_be_named(self, named):
        made = Eaf().timed("ref", ["", "", ""]).under("t@A", "ref", TEXT, kind="f").under("fe", "ref", ENGLISH, kind="t")
        made.timed("ref2", ["", "", ""], shift=950).under("t@B", "ref2", TEXT, kind="f")
        options = parse_roles("tiers", [f"text={one}" for one in named.split(",")])
        found = read(made, tiers=options)
        assert {one.words for one in found} == {tuple(line.split()) for line in TEXT}
        assert len(found) == (3 if named == "t@A" else 6)

    def test_the_default_type_is_no_evidence_of_text(self):
        made = Eaf().timed("tx", TEXT, kind="ref").timed("ft", ENGLISH, kind="ref")
        made.timed("is", [("TOPIC", 10, 400), ("BODY", 400, 800), ("FALSE START", 1100, 1500)], kind="default-lt")
        found, faults = _read(made)
        assert [one.words for one in found] == [tuple(line.split()) for line in TEXT]
        assert faults.reading.unused == ["is"]

    def test_glosses_and_translations_in_the_language_asked_for(self):
        made = Eaf().timed("tx", TEXT)
        made.under("wd", "tx", [line.split() for line in TEXT])
        made.under("gn", "wd", ["hermana", "nadar", "y", "pez", "grande", "el", "y", "pez", "nadar"])
        made.under("ge", "wd", ["sister", "swim", "and", "fish", "big", "the", "and", "fish", "swim"])
        made.under("ftn", "tx", SPANISH).under("ft", "tx", ENGLISH)
        first = read(made)[0]
        assert (first.glosses, first.translation) == (("sister", "swim", "and"), ENGLISH[0])
        assert dict(first.translations)["es"] == SPANISH[0]

    def test_a_gloss_of_two_words_belongs_to_one(self):
        made = Eaf().timed("tx", ["senauva §", "kolu §"]).under("wd", "tx", [["senauva", "§"], ["kolu", "§"]])
        rows = "".join(
            f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="g{k}" ANNOTATION_REF="wd{2 * k}"><ANNOTATION_VALUE>{gloss}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>'
            for k, gloss in enumerate(("swim well", "big fish"))
        )
        tier = (
            f'<TIER TIER_ID="ge" LINGUISTIC_TYPE_REF="g" PARENT_REF="wd">{rows}</TIER><LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="g"/>'
        )
        text = made.text().replace("</ANNOTATION_DOCUMENT>", f"{tier}</ANNOTATION_DOCUMENT>")
        assert [one.glosses for one in read(text)] == [("swim well", ""), ("big fish", "")]

    def test_morphemes_are_what_the_glosses_stand_under(self):
        lines = [line.split() for line in TEXT]
        made = Eaf().timed("tx", TEXT).under("mot", "tx", lines)
        made.under("mb", "mot", [[word] for line in lines for word in line])
        made.under("ur", "mot", [["n-", word] for line in lines for word in line])
        made.under("ge", "ur", [gloss for line in lines for word in line for gloss in ("NC", "swim")])
        first = read(made)[0]
        assert (first.segments[0], first.glosses[0]) == ("n-sena", "NC-swim")

    def test_a_tier_whose_annotations_refer_to_another_without_saying_so(self):
        made = Eaf().timed("tx", TEXT).under("wd", "tx", [line.split() for line in TEXT]).under("ft", "tx", ENGLISH)
        made.under("ge", "wd", ["sister", "swim", "and", "fish", "big", "the", "and", "fish", "swim"])
        text = made.text().replace(' PARENT_REF="wd"', "").replace(' PARENT_REF="tx"', "", 1)
        assert glossed(read(text))[0] == (("sena", "uvan", "ne"), ("sister", "swim", "and"))

    def test_marks_of_clauses_and_empty_words_are_no_words(self):
        made = Eaf().timed("tx", ["sena uvan", "kolu ku", "ne uva"])
        made.under("wd", "tx", [["#", "sena", "ZERO", "uvan"], ["##", "kolu", "", "ku"], ["ne", "0", "uva"]])
        assert [one.words for one in read(made)] == [("sena", "uvan"), ("kolu", "ku"), ("ne", "uva")]

    def test_glosses_in_a_second_line_of_the_annotation(self):
        made = (
            Eaf()
            .timed("trs", ["sena   uva-n\nsister swim-PST", "kolu-t ku\nfish-ACC big", "uva ne"])
            .under("eng", "trs", ENGLISH)
        )
        assert glossed(read(made))[:2] == [(("sena", "uvan"), ("sister", "swim-PST")), (("kolut", "ku"), ("fish-ACC", "big"))]

    def test_words_glossed_one_by_one_are_no_translation(self):
        lines = [line.split() for line in TEXT]
        times = [
            (word, 1000 * k + 100 * j, 1000 * k + 100 * j + 90) for k, row in enumerate(lines) for j, word in enumerate(row)
        ]
        made = (
            Eaf().timed("Kolu", TEXT, kind="utterance").timed("words", times, above="Kolu", constraint=TIMES, kind="phonetic")
        )
        made.under(
            "word translation", "words", ["sister", "swam", "and", "fish", "big", "the", "and", "fish", "swims"], LANG_REF="xyz"
        )
        made.under("English", "Kolu", ENGLISH)
        assert [one.translations for one in read(made)] == [()] * 3

    def test_a_remark_with_the_type_of_a_phrase(self):
        made = Eaf().timed("ref", ["1", "2", "3"], kind="ref").under("tx", "ref", TEXT).under("ft", "ref", ENGLISH)
        made.timed("comm2", [("direct speech", 10, 80), ("the same", 1010, 1080)], kind="phrase")
        assert len(read(made)) == 3

    def test_what_is_left_out_is_counted_and_named(self):
        made = Eaf().timed("tx", [*TEXT, "", ""]).under("ft", "tx", [*ENGLISH, "And she ran away.", ""])
        _, faults = _read(made)
        said = faults.reading.in_words()
        assert "text from *tx*, translation *ft* (English)" in said
        assert "1 annotation with a translation or gloss but without words" in said
        assert faults.reading.warning().startswith("only 3 of 4 sentences were understood")

    def test_two_translations_of_one_language_stay_apart(self):
        made = (
            Eaf().timed("tx", TEXT).under("ft", "tx", ENGLISH).under("ft_or", "tx", [f"So, {line.lower()}" for line in ENGLISH])
        )
        first = read(made)[0]
        assert first.translation == ENGLISH[0]
        assert dict(first.meta)["text_en_alt"] == f"So, {ENGLISH[0].lower()}"


def sfm(*records: str) -> str:
    return "\\_sh v3.0  400  Text\n\n" + "\n\n".join(records) + "\n"


class TestToolbox:
    SOUND = [f"\\rf A.{k}\n\\tv {line}\n\\ta {free}\n\\wav SOUND_{k} {k}.000 {k}.900" for k, (line, free) in enumerate(zip(TEXT * 4, ENGLISH * 4, strict=True))]  # fmt: skip

    def test_sound_files_are_no_glosses(self):
        found = read(sfm(*self.SOUND))
        assert (len(found), found[0].words, found[0].glosses, found[0].translation) == (
            12,
            ("sena", "uvan", "ne"),
            (),
            ENGLISH[0],
        )

    def test_trees_that_were_written_back_are_no_words(self):
        found = read(sfm(*(record.replace("\\tv", "\\hd 2 0 2\n\\rl nsubj root cc\n\\tv") for record in self.SOUND)))
        assert found[0].words == ("sena", "uvan", "ne")
        assert found[0].tree is not None

    def test_markers_are_shown_with_what_they_are_read_as(self):
        stream = io.BytesIO(sfm(*self.SOUND).encode())
        rows = toolbox.list_markers(stream, "", Faults(strict=False), ReaderOptions())
        assert {row.marker: row.role for row in rows}["\\tv"] == "words"
        assert {row.marker: row.role for row in rows}["\\wav"] == ""

    @pytest.mark.parametrize(
        "entry",
        [
            "\\lx kolu\n\\ps n\n\\ge fish\n\\xv sena uvan\n\\xe she swam",
            "\\lx_Kol kolu\n\\lx kolu\n\\sn 1\n\\g_Eng fish",
            "\\le kolu\n\\sn 1\n\\de a fish\n\\xv sena\n\\xe sister\n\\dt 1/1/2020",
        ],
    )
    def test_dictionaries_are_refused(self, entry):
        with pytest.raises(FormatError, match=r"dictionary, not a?.* ?text"):
            read(sfm(*[entry] * 5), "toolbox")

    def test_records_without_text_stay_where_they_are(self):
        text = "\\ref 1\n\\tx sena\n\\ft A sister.\n\n\\ref 2\n\\nt a long remark\n\n\\ref 3\n\\tx kolu\n\\ft A fish.\n"
        found, faults = _read(text, "toolbox")
        assert [dict(one.meta) for one in found] == [{}, {}]
        assert "1 record of remarks only" in faults.reading.in_words()

    def test_a_literal_translation_and_a_second_one(self):
        first = read("\\ref 1\n\\tx sena uva\n\\f The sister swims.\n\\f Anna added this.\n\\l Sister swims.\n", "toolbox")[0]
        assert (first.translation, dict(first.meta)["lit"]) == ("The sister swims.", "Sister swims.")
        assert dict(first.meta)["f"] == "Anna added this."

    def test_stars_of_failed_analyses_are_not_in_the_morphemes(self):
        first = read("\\ref 1\n\\tx sena  uva\n\\mb *sena uva\n\\ge ***   swim\n\\ft Sena swims.\n", "toolbox")[0]
        assert first.segments in ((), ("sena", "uva"))


LINES = r"\gll kolu-t uva \\ fish-\textsc{acc} swim \\"


class TestLatex:
    def test_a_percent_sign_in_an_address(self):
        text = (
            rf"\ea {LINES} \glt `It swims' (\href{{https://a.b/q?x=%22ku%22}}{{Anna}}) \z"
            + "\n"
            + rf"\ea {LINES} \glt `Two' \z"
        )
        assert [one.translation for one in read(text, "latex")] == ["It swims", "Two"]

    def test_a_brace_that_is_never_closed(self):
        text = "\n".join([r"\ea \gll kolu uva \\ \textsc{fish swim \\ \glt `One' \z", *[rf"\ea {LINES} \glt `More' \z"] * 3])
        found, faults = _read(text, "latex")
        assert len(found) == 4
        assert any("brace opens and is not closed" in str(error) for error in faults.noted)

    def test_a_group_closed_before_the_translation(self):
        text = "\\ea{\\label{x}\n\\gll kolu uva\\\\\n fish swim\\\\\\jambox{(A)}\n}\n\\glt `The fish swims.'\n\\z"
        assert read(text, "latex")[0].translation == "The fish swims."

    def test_a_translation_shared_by_a_list(self):
        text = rf"\ea \begin{{xlist}} \ex {LINES} \ex {LINES} \end{{xlist}} \glt `The fish swims.' \z"
        assert [one.translation for one in read(text, "latex")] == ["The fish swims."] * 2

    def test_files_of_a_project(self, tmp_path):
        (tmp_path / "macros.tex").write_text(r"\newcommand{\Fish}{\textsc{fish}}" + "\n" + r"\newcommand{\free}[1]{\glt `#1'}")
        (tmp_path / "chapters").mkdir()
        (tmp_path / "chapters" / "one.tex").write_text(r"\ea \gll kolu uva \\ \Fish{} swim \\ \free{It swims.} \z")
        (tmp_path / "main.tex").write_text(rf"\documentclass{{book}} \begin{{document}} \ea {LINES} \glt `First' \z \input{{chapters/one}} \include{{gone}} \end{{document}}")  # fmt: skip
        faults = Faults(strict=False)
        found = list(formats.load(tmp_path / "main.tex", None, faults))
        assert [(one.glosses[0], one.translation) for one in found] == [("fish-ACC", "First"), ("FISH", "It swims.")]
        assert found[1].where.path.endswith("one.tex")
        assert "1 file that are included and not there" in faults.reading.in_words()

    def test_macros_of_a_translation_begin_with_a_capital_too(self):
        assert read(rf"\ea {LINES} \nopagebreak \Transl{{It swims.}}{{}} \z", "latex")[0].translation == "It swims."

    def test_macros_of_markup_are_no_grams(self):
        first = read(r"\ea \gll uva kolu-t ne \\ {\db}swim fish-\lig house\BS\Loc{} \\ \glt `x' \z", "latex")[0]
        assert first.glosses == ("swim", "fish-LIG", "house\\LOC")

    @pytest.mark.parametrize(
        ("above", "below"),
        [("uva [ kolu-t ].", "swim {} fish-acc"), ("uva ( kolu-t )", "swim fish-acc"), ("uva kolu-t .", "swim fish-acc")],
    )
    def test_punctuation_without_a_gloss(self, above, below):
        first = read(rf"\ea \gll {above} \\ {below} \\ \glt `x' \z", "latex")[0]
        assert [gloss for gloss in first.glosses if gloss] == ["swim", "fish-acc"]
        assert len(first.glosses) == len(first.words)

    def test_context_before_the_quotes(self):
        first = read(rf"\ea {LINES} \glt (of a young fish) ‘It swims (lit. goes).’ [X: 3] \z", "latex")[0]
        assert first.translation == "It swims (lit. goes)."
        assert ("note", "(of a young fish)") in first.meta

    def test_a_line_of_references_and_affixes_apart(self):
        text = "\\ea\n\\glll u- va -n\\\\\n v:\\ref{a}- \\ref{b} -\\ref{c} \\\\\n \\textsc{hab}- swim -\\textsc{pst}\\\\\n\\glt `She swam.'\n\\z"
        first = read(text, "latex")[0]
        assert (first.words, first.segments, first.glosses) == (("uvan",), ("u-va-n",), ("HAB-swim-PST",))

    def test_an_example_in_the_argument_of_a_macro(self):
        text = rf"\ea {LINES} \glt `One.' \mybox{{kolut uva \\ {LINES} \glt `Two.' (often)}} \z"
        assert [one.translation for one in read(text, "latex")] == ["One.", "Two."]


class TestPlainAndTables:
    def test_bare_numbers_before_the_words(self):
        text = "\n\n".join(f"{k}\tsena kolu-t\tuva-n,\nsister  fish-ACC\tswim-PST" for k in range(1, 6))
        found = read(text)
        assert [one.sent_id for one in found] == list("12345")
        assert found[0].glosses[:3] == ("sister", "fish-ACC", "swim-PST")

    def test_a_label_above_the_words(self):
        block = "{}\n\tSena kolu-t uva-n.\n\tsister\tfish-ACC\tswim-PST\n\t‘The sister swam to the fish.’\n\t(field notes)"
        found = read("\n\n".join(map(block.format, ("known", "question", "negative"))))
        assert [dict(one.meta)["label"] for one in found] == ["known", "question", "negative"]
        assert (found[0].words[0], found[0].glosses[0], found[0].translation) == (
            "Sena",
            "sister",
            "The sister swam to the fish.",
        )

    def test_a_macro_in_a_remark_makes_no_latex(self):
        blocks = ["Sena uva-n\nsister swim-PST\n'The sister swam.'"] * 10
        assert len(read("\n\n".join(["Remark: typed from a paper that had \\gll before each line", *blocks]))) >= 10

    @pytest.mark.parametrize("indent", ["", "  "])
    def test_conllu_by_its_rows(self, indent):
        rows = ["# sent_id = 1", f"{indent}# text = sena uva", "1\tsena" + "\t_" * 8, f"{indent}2\tuva" + "\t_" * 8]
        assert formats.guess("\n".join([*rows, "", *rows, ""]).encode()) == "conllu"

    def test_conllu_whose_tabs_became_blanks(self):
        rows = ["1  sena  _  _  _  _  2  nsubj  _  _", "2  uva   _  _  _  _  0  root   _  _", ""]
        assert formats.guess("\n".join(rows * 3).encode()) == "conllu"

    def test_affixes_apart_in_a_table(self):
        text = "ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n1,kolu uvan,kolu\\tuva\\t-n,fish\\tswim\\t-PST,The fish swam.\n"
        first = read(text)[0]
        assert (first.words, first.segments, first.glosses) == (("kolu", "uvan"), ("kolu", "uva-n"), ("fish", "swim-PST"))

    def test_rows_that_translate_the_example_above(self):
        text = (
            "ID,Primary_Text,Translated_Text,Meta_Language_ID,Main_Example_ID\n"
            "1,kolu uvan,The fish swam in the river.,en,\n2,kolu uvan,El pez nadó en el río.,es,1\n"
        )
        found = read(text)
        assert [dict(one.translations) for one in found] == [
            {"en": "The fish swam in the river.", "es": "El pez nadó en el río."}
        ]

    def test_marks_of_direction_and_slots_are_not_in_the_words(self):
        found = read("\u200eha⁻³-uva ku⁵⁻¹\nPFV-swim big\n‛The fish swam.’\n")
        assert (found[0].words, found[0].translation) == (("hauva", "ku⁵⁻¹"), "The fish swam.")

    def test_nepali_is_not_hindi(self):
        assert language_id.of_text("दुवै जना घरमा छन्।").code == "ne"
        assert language_id.of_text("वह घर में नहीं है।").code == "hi"

    def test_a_translation_typed_in_the_language_of_the_text(self):
        text = (
            '<document><interlinear-text><paragraphs><paragraph><phrases><phrase><words><word><item type="txt" lang="kol">sena</item></word></words>'
            '<item type="gls" lang="kol">The sister went to the river.</item></phrase></phrases></paragraph></paragraphs></interlinear-text></document>'
        )
        assert read(text)[0].translations == (("en", "The sister went to the river."),) or not read(text)[0].translations

    def test_punctuation_gets_its_place_in_lines_that_leave_it_out(self):
        one = words.with_columns(Sentence(("uva", ",", "ku", "."), glosses=("swim", "big")))
        assert one.glosses == ("swim", "", "big", "")

    def test_tiers_of_elan_are_listed_for_a_named_type(self):
        made = Eaf().timed("a", TEXT, kind="f").under("b", "a", ENGLISH, kind="g")
        options = ReaderOptions(tiers={"text": "a", "translation": "g"})
        rows = elan.list_tiers(io.BytesIO(made.text().encode()), "", Faults(strict=False), options)
        assert [(row.role, row.why) for row in rows] == [("text", "named"), ("translation", "named")]
