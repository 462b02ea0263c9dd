"""Examples as the LaTeX packages allow them: gb4e, langsci-gb4e, linguex, expex, covington, philex. The sentences are ours."""

from __future__ import annotations

import pytest

from divproj.core.errors import Faults
from divproj.core.sentence import Sentence
from divproj.io.interlinear import formats, guess


def tex(text: str) -> list[Sentence]:
    return formats.loads(text, "latex", Faults(strict=False))


GLL = "\\gll Sena uva-n\\\\ sister swim-\\textsc{pst}\\\\"
WORDS, SEGMENTS, GLOSSES, FREE = ("Sena", "uvan"), ("Sena", "uva-n"), ("sister", "swim-PST"), "The sister swam."

ONE = {
    "gb4e": rf"\begin{{exe}}\ex {GLL} \trans `The sister swam.'\end{{exe}}",
    "xlist": rf"\begin{{exe}}\ex\begin{{xlist}}\ex {GLL} \glt `The sister swam.'\end{{xlist}}\end{{exe}}",
    "nested": rf"\ea Kolu (\citealt[3]{{A}})\\ \ea {GLL} \glt `The sister swam.'\z \z",
    "closed by z": rf"\ea {GLL} \glt `The sister swam.'\zl",
    "lines over several source lines": "\\ea\n\\gll Sena\n  uva-n\\\\\n sister\n swim-\\textsc{pst}\\\\\n\\glt `The\nsister swam.'\n\\z",
    "comments": "\\ea %\\gll a b\\\\ c d\\\\\n\\gll Sena % this\nuva-n\\\\ % ends\nsister swim-\\textsc{pst}\\\\%\n\\glt `The sister swam.'\n\\z",
    "tabs": "\\ea\n\\gll\tSena\tuva-n\\\\\n\tsister\tswim-\\textsc{pst}\\\\\n\\glt\t‘The sister swam.’\n\\z",
    "blank line before the translation": f"\\ea {GLL}\n\n\\glt `The sister swam.'\n\\z",
    "two macros for one translation": rf"\ea {GLL} \trans \glt `The sister swam.'\z",
    "no macro": rf"\ea {GLL} `The sister swam.'\z",
    "last line not closed": "\\ea\n\\gll Sena uva-n\\\\\nsister swim-\\textsc{pst}\n`The sister swam.'\n\\z",
    "glend before the quotes": rf"\ea {GLL} \glend `The sister swam.'\z",
    "macro of the author, name": rf"\ea {GLL} \mytrans{{The sister swam.}}\z",
    "macro of the author, content": rf"\ea {GLL} \eng{{The sister swam.}}\z",
    "macro of the file": rf"\newcommand{{\x}}[1]{{\glt `#1'}}\ea {GLL} \x{{The sister swam.}}\z",
    "enquote": rf"\ea {GLL} \glt \enquote{{The sister swam.}} \parencite{{a}}\z",
    "in italics": rf"\ea {GLL} \glt \textit{{`The sister swam.'}}\z",
    "footnotes": r"\ea \gll Sena\footnote{A \gll note.} uva-n\\ sister swim-\textsc{pst}\\ \glt `The sister\footnote{Or not.} swam.'\footnote{x}\z",
    "source after hfill": rf"\ea {GLL} \glt `The sister swam.'\hfill (\citealt[3]{{A}})\z",
    "jambox": rf"\ea {GLL} \jambox{{(Kolu)}} \glt `The sister swam.'\z",
    "language beside the words": r"\ea \gll Sena uva-n \hfill (Kolu; A 2001: 5)\\ sister swim-\textsc{pst}\\ \glt `The sister swam.'\z",
    "words in italics": r"\ea \gll \textit{Sena uva-n}\\ sister swim-\textsc{pst}\\ \glt `The sister swam.'\z",
    "a font for all words": r"\ea \gll {\itshape Sena uva-n}\\ sister swim-\textsc{pst}\\ \glt `The sister swam.'\z",
    "a font that is switched to": r"\ea \gll \bfseries Sena uva-n\\ sister swim-\textsc{pst}\\ \glt `The sister swam.'\z",
    "indices": r"\ea \gll Sena$_{i}$ uva-n$_j$\\ sister\textsubscript{i} swim-\textsc{pst}\\ \glt `The sister$_i$ swam.'\z",
    "linguex": "\\exg. Sena uva-n\\\\\nsister swim-\\textsc{pst}\\\\\n`The sister swam.' \\hfill [Kolu]\n\nProse.",
    "linguex, own number": "\\exg.[(1')] Sena uva-n\\\\\nsister swim-\\textsc{pst}\\\\\nThe sister swam.\n\nProse.",
    "expex": r"\ex \begingl \gla Sena uva-n// \glb sister swim-\textsc{pst}// \glft `The sister swam.' \trailingcitation{(A 2)}//\endgl \xe",
    "expex in columns": r"\ex \begingl[glstyle=nlevel] Sena[sister] uva-n [swim-\textsc{pst}] \glft `The sister swam.' \endgl \xe",
    "expex in columns with a preamble": r"\ex \begingl[glstyle=nlevel] \glpreamble Senuvan \endpreamble Sena[sister/n] uva-n[swim-\textsc{pst}/v] \glft `The sister swam.' \endgl \xe",
    "expex, remark at the right": r"\ex \begingl \gla \rightcomment{(Kolu)} Sena uva-n// \glb sister swim-\textsc{pst}// \glft `The sister swam.'//\endgl \xe",
    "covington, old": "\\begin{example}\n\\gll Sena uva-n\n     sister swim-\\textsc{pst}\n\\glt `The sister swam.'\n\\glend\n\\end{example}",
    "covington, gln": "\\begin{examples}\n\\item \\gll Sena uva-n\n sister swim-\\textsc{pst}\n\\gln\n\\glt `The sister swam.'\n\\glend\n\\end{examples}",
    "covington": r"\digloss[ex]{Sena uva-n}{sister swim-\textsc{pst}}{The sister swam.}",
    "philex": rf"\lb{{a}}{{{GLL} \glt `The sister swam.'}}",
    "a macro with three arguments": "\\igt{x:1}\n{Sena uva-n}\n{sister swim-\\pst{}}\n{The sister swam.}",
    "verbatim in the prose": rf"As in \verb|\gll x\\ y\\|. \ea {GLL} \glt `The sister swam.'\z",
}  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_one_example(name):
    assert guess.guess(ONE[name].encode()) == "latex" or name == "a macro with three arguments"
    (found,) = tex(ONE[name])
    assert (found.words, found.segments, found.glosses) == (WORDS, SEGMENTS, GLOSSES)
    assert (found.translation, found.translations, found.judgement) == (FREE, (), "")


JUDGED = {
    r"\ex[*]{%s}": "*", r"\ex[\%%]{%s}": "%", r"\ex[\textsuperscript{?}]{%s}": "?", r"\ex[$^*$]{%s}": "*", r"\ex[??]{%s}": "??",
    r"\ex[\#]{%s}": "#", r"\ex \judge{*?} %s": "*?", r"\ex \ljudge* %s": "*", r"\ex * %s": "*", r"\lbp{a}{*}{%s}": "*",
}  # fmt: skip


@pytest.mark.parametrize("opening", JUDGED)
def test_judgements(opening):
    (found,) = tex(opening % rf"{GLL} \glt `The sister swam.'")
    assert (found.words, found.judgement) == (WORDS, JUDGED[opening])


@pytest.mark.parametrize("first", ["*Sena", "{* }Sena", "\\#Sena", "$^{*}$Sena"])
def test_a_judgement_at_the_first_word(first):
    (found,) = tex(rf"\gll {first} uva-n\\ sister swim-\textsc{{pst}}\\ \glt `x'")
    assert (found.words, found.judgement) == (WORDS, "#" if "#" in first else "*")


def test_a_judgement_in_a_column_of_its_own():
    (found,) = tex(r"\gll {*} Sena uva-n\\ {} sister swim-\textsc{pst}\\ \glt `x'")
    assert (found.words, found.glosses, found.judgement) == (WORDS, GLOSSES, "*")


def test_marks_and_brackets_around_words():
    (found,) = tex(r"\gll Sena (*ku) [na uva-n] *(ne).\\ sister \textsc{neg} [the swim-\textsc{pst}] and\\ \glt `x'")
    assert " ".join(found.words) == "Sena ( * ku ) [ na uvan ] * ( ne ) ."
    assert [gloss for gloss in found.glosses if gloss] == ["sister", "NEG", "the", "swim-PST", "and"]


GRAMS = {
    r"\Fsg{}-\Gen{}": "1SG-GEN", r"\Third\Sg.\M{}": "3SG.M", r"{\oneS}-\CL{}": "1S-CL", r"\twoPl": "2PL", r"\gl{3sg}": "3SG",
    r"\ig{3sg.m}": "3SG.M", r"\gsc{prs}": "PRS", r"{\sc acc}": "ACC", r"go-{\scshape pst}": "go-PST", r"\hl{dog}": "dog",
    r"\oldstylenums{3}\textsc{s}-go": "3S-go", r"\Acc{}/\Dat{}": "ACC/DAT", r"\textsc{1sg}$_i$": "1SG", r"\nom": "NOM",
}  # fmt: skip


@pytest.mark.parametrize("written", GRAMS)
def test_abbreviations(written):
    (found,) = tex(rf"\gll sena uva\\ {written} swim\\ \glt `x'")
    assert found.glosses == (GRAMS[written], "swim")


LETTERS = {
    r"Jos\'e": "José", r"gar\c{c}\~ao": "garção", r"\v{c}a\v s": "čaš", r"\textipa{N@\:tS}": "ŋəʈʃ", r"\ng o\ng o": "ŋoŋo",
    r'na\"\i f': "naïf", r"\d{t}u": "ṭu", r"\=am\'{\i}": "āmí", r"\k{a}": "ą", r"stra\ss e": "straße", r"\textglotstop a": "ʔa",
    r"k\textsuperscript{w}a": "kʷa", r"u-\Zero{}": "u", r"\ob{}na\cb{}": "[na]",
}  # fmt: skip


@pytest.mark.parametrize("written", LETTERS)
def test_letters(written):
    (found,) = tex(rf"\gll {written} uva\\ x-y swim\\ \glt `x'")
    assert "".join(found.words) == f"{LETTERS[written]}uva"


TAILS = {
    "`The sister swam.' (lit. `sister she-swam')": ("lit", "sister she-swam"),
    "`The sister swam.' (A 2001: 3)": ("source", "A 2001: 3"),
    r"`The sister swam.'\\ {\small [S-12, 34]}": ("source", "S-12, 34"),
    "`The sister swam.' / `She was swimming.'": ("note", "/ ‘She was swimming.'"),
    "`The sister swam.' or `She was swimming.'": ("note", "or ‘She was swimming.'"),
    "(i) `The sister swam.' (ii) `She will swim.'": ("note", "(ii) ‘She will swim.'"),
    "Intended: `The sister swam.'": ("note", "Intended"),
    r"`The sister swam.' \jambox{(Kolu)}": ("note", "Kolu"),
    r"`The sister swam.' \hfill \mbox{\citep[22]{A}}": ("source", "A: 22"),
    r"`The sister swam.' \Corpus{abc}{AB 12}": ("source", "abc AB 12"),
}


@pytest.mark.parametrize("written", TAILS)
def test_what_stands_beside_the_translation(written):
    (found,) = tex(rf"\ea {GLL} \glt {written} \z")
    assert (found.translation, found.meta) == (FREE, (TAILS[written],))


@pytest.mark.parametrize("between", [" ", r"\\ "])
def test_a_second_translation_in_quotes(between):
    (found,) = tex(rf"\ea {GLL} \glt `Die Schwester schwamm im Fluss.'{between}`The sister swam.' (A 3) \z")
    assert dict(found.translations) == {"de": "Die Schwester schwamm im Fluss.", "en": FREE}


def test_quotes_within_a_translation():
    first, second = tex(rf"\ea {GLL} \glt `The sister's boy said ``no'' and went.'\z \ea {GLL} \glt ``The `boy' went.'' (A)\z")
    assert (first.translation, second.translation) == ("The sister's boy said “no” and went.", "The ‘boy' went.")


def test_linguex_parts():
    found = tex(
        "\\ex. \\label{x}\n\\ag. Sena uva-n.\\\\ sister swim-\\textsc{pst}\\\\ `The sister swam.' \\label{a}\n"
        "\\bg. *Uva-n sena.\\\\ swim-\\textsc{pst} sister\\\\ Intended: `The sister swam.'\n\nProse.\n\n"
        "\\ex. \\a. \\gll Kolu ku\\\\ fish big\\\\ \\glt `a big fish'\n\\b. \\gll Sena\\\\ sister\\\\ \\glt `a sister'\n\\z.\n"
    )
    assert [one.translation for one in found] == [FREE, FREE, "a big fish", "a sister"]
    assert [(one.sent_id, one.judgement) for one in found] == [("a", ""), ("2", "*"), ("3", ""), ("4", "")]


def test_expex_parts():
    first, second = tex(
        "\\pex<neg> Negation\n\\a<one> \\begingl \\gla Sena uva-n// \\glb sister swim-\\textsc{pst}// \\glft `The sister swam.'//\\endgl\n"
        "\\a \\ljudge{*} \\begingl \\gla Uva-n @ sena// \\glb swim-\\pst{} @ sister// \\glft `The sister swam.'// \\endgl\n\\xe"
    )
    assert (first.sent_id, first.words, second.words, second.judgement) == ("one", WORDS, ("Uvan", "sena"), "*")


def test_philex_parts():
    found = tex(rf"\lba{{a}}{{Kolu}}{{\lbb{{b}}{{{GLL} \glt `So.'}} \lbz{{c}}{{{GLL} \glt `Thus.'}}}}")
    assert [(one.sent_id, one.translation) for one in found] == [("b", "So."), ("c", "Thus.")]


def test_the_language_of_an_example():
    (found,) = tex(rf"\ea \langinfo{{Kolu}}{{Oceanic}}{{\citealt[7]{{A}}}}\\ {GLL} \glt `The sister swam.'\z")
    assert (found.language, found.meta) == ("Kolu", (("source", "A: 7"),))


def test_a_line_above_the_words():
    (found,) = tex(rf"\ea\label{{x}} Senuvan.\\ {GLL} \glt `The sister swam.'\z")
    assert (found.sent_id, found.meta) == ("x", (("preamble", "Senuvan."),))


def test_words_that_braces_hold_together():
    (found,) = tex(r"\gll {New York} {sena na} uva\\ {New York} {the sister} swim\\ \glt `x'")
    assert (found.words, found.glosses) == (("New York", "sena na", "uva"), ("New York", "the sister", "swim"))


def test_numbers_of_the_author():
    (found,) = tex(rf"\begin{{exe}}\exi{{(12)}} {GLL} \glt `The sister swam.'\end{{exe}}")
    assert found.sent_id == "12"


def test_four_lines():
    (found,) = tex(r"\gllll Senan\\ senan\\ sena-n\\ sister-\textsc{gen}\\ \glt `the sister’s'")
    assert (found.words, found.segments, found.glosses) == (("senan",), ("sena-n",), ("sister-GEN",))
