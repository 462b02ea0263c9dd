"""ODIN text, SIGMORPHON text, CLDF tables and LaTeX."""

from __future__ import annotations

import io

import pytest
from shared import ROOT

from divproj import Faults, FormatError
from divproj.core.sentence import Sentence
from divproj.io.interlinear import cldf, latex, markup, odin, parts
from divproj.io.interlinear.odin import Line, assemble_fields
from divproj.io.interlinear.tex import plain, words

FIXTURES = ROOT / "tests" / "fixtures" / "igt"


def told(module, text: str, **options) -> tuple[list[Sentence], list[str]]:
    faults = Faults(strict=False)
    read = getattr(module, "read", module)
    found = list(read(io.BytesIO(text.encode()), "a", faults, parts.Options.of(options)))
    return found, [str(fault) for fault in faults.noted]


class TestOdin:
    def test_fixture(self):
        first, second = odin.load(FIXTURES / "odin.txt")
        assert (first.sent_id, first.language, first.words) == ("igt77-1", "xku", ("Sena", "taru-n", "mire-va"))
        assert (first.glosses, first.translation) == (("sister", "house-ACC", "see-PST"), "The sister saw the house.")
        assert (second.words, second.judgement) == (("Ne", "kolu-n", "mire-va"), "*")
        assert ("note", "torn by the PDF reader") in second.meta

    @pytest.mark.parametrize(
        ("lines", "words", "segments"),
        [
            (["L: Sena uva", "L: se-na u-va", "G: x-y z-w"], ("Sena", "uva"), ("se-na", "u-va")),
            (["L: Sena", "L: uva", "G: sister", "G: swim"], ("Sena", "uva"), ()),
            (["L: Sena", "L: uva", "G: sister swim"], ("Sena", "uva"), ()),
            (["L: garbage", "L+CR: Sena uva", "G: sister swim"], ("Sena", "uva"), ()),
            (["L+CR: garbage x y", "L: Sena uva kolu z", "G: sister swim"], ("Sena", "uva", "kolu", "z"), ()),
            (["L+AC: Sena uva     (Dira 2:3)", "G: sister swim"], ("Sena", "uva"), ()),
        ],
    )
    def test_several_lines(self, lines, words, segments):
        fields = assemble_fields([Line.of(*line.split(": ", 1)) for line in lines])
        assert (fields["words"], fields["segments"]) == (words, segments)

    def test_literal_and_other_lines(self):
        fields = assemble_fields(
            [Line.of("L", "uva"), Line.of("T", "`swim'"), Line.of("T-LT", "`swims'"), Line.of("M", "7g"), Line.of("B", "")]
        )
        assert fields["translation"] == "swim"
        assert fields["meta"][:2] == (("line", "7g"), ("lit", "swims"))

    def test_a_gloss_without_words(self):
        assert assemble_fields([Line.of("G", "sister swim")])["glosses"] == ("sister", "swim")

    def test_lines_of_another_kind(self):
        found, messages = told(odin, "doc_id=1 1 1 L\nthis is no line\nline=1 tag=L: uva\nlanguage: Kurmu\n\nnote: x\n")
        assert messages == ["a:2: 'this is no line' is no line of ODIN text; kept as a note"]
        assert (found[0].words, found[0].language, len(found)) == (("uva",), "Kurmu", 1)


class TestSigmorphon:
    def test_fixture(self):
        first, second = markup.load_sigmorphon(FIXTURES / "shared_task.txt")
        assert first.segments == ("sena", "taru-n", "mire-va", ".")
        assert (first.tags, first.translation) == (("N", "N", "V", "PUNCT"), "The sister saw the house.")
        assert (second.words, second.glosses, second.translation, second.where.line) == (("Kolut", "uva"), (), "", 7)

    def test_damage(self):
        found, messages = told(markup.read_sigmorphon, "stray\n\\t a b\n\\g x\nand on\n\\t c\n\\z z\n")
        assert [x.words for x in found] == [("a", "b"), ("c",)]
        assert found[0].glosses == ("x", "and", "on")
        assert (found[0].meta, found[1].meta) == ((("note", "stray"),), (("z", "z"),))
        assert messages == [
            "a:1: 'stray' has no marker; kept as a note",
            "a:4: 'and on' has no marker; read as part of the line before it",
            "a:5: a second \\t without a blank line before it; read as a new sentence",
        ]

    def test_segments_alone(self):
        assert markup.loads_sigmorphon("\\m a-b c\n\\g x-y z\n")[0].words == ("a-b", "c")


class TestCldf:
    def test_fixture(self):
        first, second, third = cldf.load(FIXTURES / "examples.csv")
        assert (first.words, first.segments) == (("Sena", "tarun", "mireva."), ("Sena", "taru-n", "mire-va."))
        assert (first.sent_id, first.language, first.translations) == ("k1", "kurm1234", (("en", first.translation),))
        assert first.meta == (("Source", "Dira2019[4]"), ("Comment", "said slowly, twice"))
        assert (second.glosses, second.translations) == (("fish-PL", "swim"), (("fr", 'Les "poissons" nagent.'),))
        assert (third.words, third.glosses, third.text) == (("ne -mi",), ("NEG-Q",), "Ne mi")
        assert (third.meta, third.where.line) == ((("Comment", "two lines"),), 4)

    @pytest.mark.parametrize("mark", [",", ";", "\t"])
    def test_separators(self, mark):
        text = "ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n1,uva ku,uva ku,swim big,x\n".replace(",", mark)
        assert cldf.loads(text)[0].glosses == ("swim", "big")

    def test_rows_that_do_not_fit(self):
        found, messages = told(cldf, "ID,Primary_Text,Gloss\n1,uva\n\n2,ku,big,more\n")
        assert [(x.words, x.meta) for x in found] == [(("uva",), ()), (("ku",), (("cell_4", "more"),))]
        assert (
            messages[0]
            == "a:2: 2 cells, 3 expected as in the first line; missing cells are empty, others kept; is a comma not quoted?"
        )

    def test_a_quote_that_is_not_closed(self):
        found, messages = told(cldf, 'ID,Primary_Text,Gloss\n1,"uva,swim\n2,ku,big\n3,ne,NEG\n')
        assert [x.words for x in found] == [("uva",), ("ku",), ("ne",)]
        assert messages == ["a:2: a quote opens and is not closed; read without quotes; write two for one"]

    def test_quotes_inside_cells(self):
        found, messages = told(cldf, 'ID,Primary_Text,Gloss\n1,u"va,swim\n2,"ku,big\n3,n"e,"NEG"x\n4,uva,swim\n')
        assert [x.words for x in found] == [('u"va',), ("ku",), ("ne",), ("uva",)]
        assert len(messages) == 2

    def test_a_cell_that_is_too_long(self):
        found, messages = told(cldf, f"ID,Primary_Text,Gloss\n1,{'u' * 200_000},swim\n2,ku,big\n")
        assert (len(found), len(messages)) == (2, 1)

    def test_another_table(self):
        with pytest.raises(
            FormatError, match="the first line names the columns ID, Name, Primary_Text or Analyzed_Word expected"
        ):
            cldf.loads("ID,Name\n1,x\n")

    def test_an_odd_metalanguage(self):
        found = cldf.loads("ID,Primary_Text,Gloss,Translated_Text,Meta_Language_ID\n1,uva,swim,,indo1316\n")[0]
        assert found.meta == (("Meta_Language_ID", "indo1316"),)


class TestLatex:
    def test_fixture(self):
        first, second, third, fourth = latex.load(FIXTURES / "paper.tex")
        assert (first.words, first.glosses) == (("Sena", "taru ku", "miré-va"), ("sister", "house big", "see-PST"))
        assert (first.judgement, first.sent_id, first.where.line) == ("*", "ex:sena", 4)
        assert (first.translation, first.meta) == ("The sister saw 50% of the big house.", (("source", "dira: 4"),))
        assert (second.words, second.segments) == (("Tarut", "sěnã"), ("taru-t", "se-na"))
        assert (second.glosses, second.language, second.sent_id) == (("house-PL", "3SG-ABL"), "Kurmu", "")
        assert (third.words, third.translation) == (("Kolu-t", "uva"), "Fish swim.")
        assert (fourth.glosses, fourth.sent_id, fourth.meta) == (
            ("swim.IMP", "fish"),
            "ex:last",
            (("preamble", "Kurmu, north"),),
        )

    @pytest.mark.parametrize(
        ("tex", "text"),
        [
            (r"\'{e}\`a\^{\i}\"o\~n\=a\.z\c{c}\v s\H{o}\k{a}\d{h}", "éàîöñāżçšőąḥ"),
            (r"\ss\ae{}\o{}\l{}\ng{} \textglotstop{}a", "ßæøłŋ ʔa"),
            (r"\emph{a} \textbf{b\textit{c}} {\it d}", "a bc  d"),
            (r"x\footnote{no {not} this}\label{y}z", "xz"),
            (r"50\% \& \# \_ \{x\} a~b a\-b", "50% & # _ {x} a b ab"),
            (r"$\emptyset$ x\textsubscript{i} \ldots", "∅ x …"),
            (r"\citep[12]{kim} \unknown", "(kim: 12) "),
            (r"{\sc pst} \textsc{acc}", "PST ACC"),
            ("{" * 80 + "a" + "}" * 80, None),
            (r"\'", "\u0301"),
        ],
    )
    def test_plain(self, tex, text):
        assert text is None or plain(tex) == text

    def test_glosses(self):
        assert words(r"\First{}\Pl{}.\Acc{} go-\gsc{pst} \Tsg $\sim$x {} \gl{pl}", gloss=True) == (
            "1PL.ACC",
            "go-PST",
            "3SG",
            "~x",
            "",
            "PL",
        )

    def test_a_translation_without_its_macro(self):
        assert latex.loads("\\gll Sena uva \\\\ sister swim \\\\\n `She swims.'\n")[0].translation == "She swims."

    def test_three_lines_of_expex(self):
        found = latex.loads(r"\begingl \gla Tarut// \glb taru-t// \glc house-\Pl{}// \glft `houses'// \endgl")[0]
        assert (found.words, found.segments, found.glosses) == (("Tarut",), ("taru-t",), ("house-PL",))

    def test_judgements(self):
        assert latex.loads(r"\ex[??]{\gll a \\ b \\ \glt c}")[0].judgement == "??"
        assert latex.loads(r"\gll \#a b \\ c d \\")[0].judgement == "#"
        assert latex.loads(r"\ex \ljudge{*}\begingl \gla a// \glb b// \endgl")[0].judgement == "*"

    def test_damage(self):
        tex = "\\gll Sena uva\n\n\\ex \\gll Kolu \\\\ fish \\\\ \\glt `fish\n\n\\begingl \\gla Uva// \\glb swim//\n\n\\gll a \\\\ b \\\\ \\glt `c'\n"
        found, messages = told(latex, tex)
        assert [x.words for x in found] == [("Sena", "uva"), ("Kolu",), ("Uva",), ("a",)]
        assert [x.translation for x in found] == ["", "fish", "", "c"]
        assert messages == [
            "a:1: \\gll with 1 of its 2 lines, each ended by \\\\; read as far as it goes",
            "a:5: \\begingl without \\endgl; read up to where the example ends",
        ]

    def test_comments_are_no_blank_lines(self):
        found = latex.loads("\\gll Sena uva \\\\\n% a remark\nsister swim \\\\ % more\n\\glt `She swims.'\n")[0]
        assert (found.glosses, found.translation) == (("sister", "swim"), "She swims.")
