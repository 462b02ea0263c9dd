"""One story in a language that does not exist, in the formats and the fashions of many authors."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import officefiles
from eaffile import TIMES, Eaf


class Line(NamedTuple):
    """A sentence: its words with morphemes and glosses, what ends it, and translations by language."""

    pieces: tuple[str, ...]
    glosses: tuple[str, ...]
    end: str
    free: dict[str, str]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(re.sub("[-=]", "", word) for word in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(self.words) + self.end

    @property
    def morphs(self) -> list[list[str]]:
        """Morphemes of each word, with the marks at their edges as FLEx and Toolbox write them: `kolu`, `-t`."""
        return [split(word) for word in self.pieces]

    @property
    def morph_glosses(self) -> list[list[str]]:
        return [split(gloss) for gloss in self.glosses]


def split(word: str) -> list[str]:
    """
    >>> split("ma=tavi-n")
    ['ma', '=tavi', '-n']
    """
    return re.findall(r"^[^-=]+|[-=][^-=]+", word)


def _line(pieces: str, glosses: str, end: str, *free: str) -> Line:
    return Line(tuple(pieces.split()), tuple(glosses.split()), end, dict(zip(("en", "es", "fr", "ru"), free, strict=True)))


STORY = (
    _line("sena kolu-t uva-n", "sister fish-ACC swim-PST", ".", "The sister swam after the fish.", "La hermana nadó detrás del pez.", "La sœur a nagé derrière le poisson.", "Сестра плыла за рыбой."),
    _line("ne kuna tavi-n na čéko-t", "and man see-PST DEF dog-ACC", ".", "And the man saw the dog.", "Y el hombre vio al perro.", "Et l’homme a vu le chien.", "И мужчина увидел собаку."),
    _line("ŋũ-ki kolu ku", "this-PL fish big", ".", "These fish are big.", "Estos peces son grandes.", "Ces poissons sont grands.", "Эти рыбы большие."),
    _line("mi=tavi-ra le-n ro suli", "1SG=see-NEG go-PST in house", ".", "I did not see who went into the house.", "No vi quién entró en la casa.", "Je n’ai pas vu qui est entré dans la maison.", "Я не видел, кто вошёл в дом."),
    _line("kaʔo sena-ni mala-lo", "when sister-1SG.POSS come-FUT", "?", "When will my sister come?", "¿Cuándo vendrá mi hermana?", "Quand est-ce que ma sœur viendra ?", "Когда придёт моя сестра?"),
    _line("na kuna sopi-n uma kolu-ki-t", "DEF man say-PST eat fish-PL-ACC", ".", "The man said that he eats the fish.", "El hombre dijo que come los peces.", "L’homme a dit qu’il mange les poissons.", "Мужчина сказал, что ест рыбу."),
    _line("le le na čéko", "go go DEF dog", "!", "Go, go, said the dog.", "Anda, anda, dijo el perro.", "Va, va, dit le chien.", "Иди, иди, сказала собака."),
    _line("uva-lo=ka na kolu ro nemi", "swim-FUT=Q DEF fish in river", "?", "Will the fish swim in the river?", "¿Nadará el pez en el río?", "Le poisson nagera-t-il dans la rivière ?", "Поплывёт ли рыба в реке?"),
    _line("ne mala-n sena ta", "and come-PST sister one", ".", "And then one sister came.", "Y entonces vino una hermana.", "Et puis une sœur est venue.", "И пришла одна сестра."),
    _line("tavi-n=mi suli ku na kuna", "see-PST=1SG house big DEF man", ".", "I saw the big house of the man.", "Vi la casa grande del hombre.", "J’ai vu la grande maison de l’homme.", "Я увидел большой дом мужчины."),
)  # fmt: skip


class Case(NamedTuple):
    """A file, its name, and what a reader has to find in it."""

    data: str | bytes
    path: str = ""
    lang: str = "en"
    glossed: bool = True
    translated: bool = True
    segmented: bool = True


Story = Sequence[Line]
Fashion = Callable[[Story], Case]


def flat(groups: Sequence[Sequence[str]]) -> Iterator[str]:
    return (piece for group in groups for piece in group)


def pieces(line: Line) -> str:
    return " ".join(line.pieces) + line.end


def glosses(line: Line) -> str:
    return " ".join(line.glosses)


def columns(rows: Sequence[Sequence[str]], gap: int = 1) -> list[str]:
    """Lines whose cells stand under one another."""
    widths = [max(map(len, cells)) + gap for cells in zip(*rows, strict=True)]
    return ["".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def fill(shape: str, line: Line, k: int) -> str:
    """A shape with `«p»` for the pieces, `«g»` for the glosses, `«t»` for the text, `«en»` for a translation, `«k»` for the number."""
    parts = {
        "k": str(k), "p": pieces(line), "g": glosses(line), "t": line.text, "e": line.end, "bare": " ".join(line.pieces), "words": " ".join(line.words),
        "sc": " ".join(map(small_capitals, line.glosses)), "pt": "\t".join(line.pieces), "gt": "\t".join(line.glosses), "low": glosses(line).lower(),
        "pb": " | ".join(line.pieces), "gb": " | ".join(line.glosses), "pa": " ".join(flat(line.morphs)), "ga": " ".join(flat(line.morph_glosses)),
        "n": " ".join("N" for _ in line.words), "{p}": "{" + "} {".join(line.pieces) + "}", "{g}": "{" + "} {".join(map(small_capitals, line.glosses)) + "}",
        "nlevel": " ".join(f"{a}[{small_capitals(b)}]" for a, b in zip(line.pieces, line.glosses, strict=True)), "mac": " ".join(re.sub(r"\b([A-Z]{2,})\b", lambda m: f"\\{m[1].capitalize()}{{}}", g) for g in line.glosses),
        "cols": "\n".join(columns([line.pieces, line.glosses], 2)), "it": "} \\textit{".join(line.pieces), **line.free,
    }  # fmt: skip
    return re.sub(r"«([^«»\s]+)»", lambda match: parts[match[1]], shape)


def small_capitals(gloss: str) -> str:
    return re.sub(r"\b((?:[123])?[A-Z]{2,})\b", lambda match: rf"\textsc{{{match[1].lower()}}}", gloss)


def shaped(shape: str, before: str = "", between: str = "\n\n", after: str = "\n", path: str = "", **about: object) -> Fashion:
    def write(story: Story) -> Case:
        text = before + between.join(fill(shape, line, k) for k, line in enumerate(story, 1)) + after
        return Case(text, path, **about)  # type: ignore[arg-type]

    return write


PROSE = "\n\nProse between examples, with \\textit{kolu} `fish' in it.\n\n"


def latex(
    shape: str, before: str = "\\documentclass{article}\n\\begin{document}\nSome text before.\n\n", **about: object
) -> Fashion:
    return shaped(shape, before, PROSE, "\n\\end{document}\n", **about)


GLL = "\\gll «p»\\\\\n «sc»\\\\\n"
LATEX: dict[str, Fashion] = {
    name: latex(shape)
    for name, shape in {
        "gb4e": "\\begin{exe}\n\\ex\\label{e«k»}\n" + GLL + "\\trans `«en»'\n\\end{exe}",
        "langsci": "\\ea\\label{e«k»}\n" + GLL + "\\glt `«en»'\n\\z",
        "double quotes": "\\ea\n" + GLL + "\\glt ``«en»''\n\\z",
        "no quotes": "\\ea\n" + GLL + "\\glt «en»\n\\z",
        "argument": "\\ea\n" + GLL + "\\trans{«en»}\n\\z",
        "enquote": "\\ea\n" + GLL + "\\glt \\enquote{«en»}\n\\z",
        "no macro, linguex": "\\ex.\\label{x«k»}\n" + GLL + "`«en»'\n",
        "exg": "\\exg. «p»\\\\\n«sc»\\\\\n`«en»'\n",
        "exg, no quotes": "\\exg. «p»\\\\\n«sc»\\\\\n«en»\n",
        "ag": "\\ex. \\ag. «p»\\\\\n«sc»\\\\\n``«en»''\n\\z.",
        "expex": "\\ex<x«k»>\n\\begingl\n\\gla «p»//\n\\glb «sc»//\n\\glft `«en»'//\n\\endgl\n\\xe",
        "expex, three lines": "\\ex\n\\begingl[everygla=]\n\\gla «t»//\n\\glb «p»//\n\\glc «sc»//\n\\glft ``«en»''//\n\\endgl\n\\xe",
        "expex, nlevel": "\\ex\n\\begingl[glstyle=nlevel]\n«nlevel»\n\\glft `«en»'\n\\endgl\n\\xe",
        "expex, preamble": "\\ex\n\\begingl[glstyle=wrap]\n\\glpreamble «t»//\n\\gla «p» //\n\\glb «sc» //\n\\glft `«en»' //\n\\endgl\n\\xe",
        "expex, parts": "\\pex\n\\a\n\\begingl\n\\gla «p» //\n\\glb «sc» //\n\\glft ‘«en»’ //\n\\endgl\n\\xe",
        "covington, old": "\\begin{example}\n\\gll «p»\n«sc»\n\\glt `«en»'\n\\glend\n\\end{example}",
        "covington": "\\begin{example}\n\\digloss{«p»}\n{«sc»}\n{`«en»'}\n\\end{example}",
        "covington, three lines": "\\begin{example}\n\\trigloss{«t»}\n{«p»}{«sc»}\n{«en»}\n\\end{example}",
        "philex": "\\lb{x«k»}{\n\\gll «p»\\\\\n«sc»\\\\\n\\trans `«en»'}",
        "three lines": "\\ea\n\\glll «t»\\\\\n«p»\\\\\n«sc»\\\\\n\\glt `«en»'\n\\z",
        "line of tags": "\\ea\n\\glll «p»\\\\\n«sc»\\\\\n«n»\\\\\n\\glt `«en»'\n\\z",
        "language above": "\\ea Kolu (\\citealt[12]{Smith2001})\\\\\n" + GLL + "\\glt `«en»'\n\\z",
        "source after": "\\ea\n" + GLL + "\\glt `«en»' (Kolu; \\citealt[12]{Smith2001})\n\\z",
        "an example without glosses beside": "\\ea Heading\\\\\n\\ea \\label{a}\n" + GLL + "\\glt `«en»'\n\\ex[*]{ Not glossed.}\n\\z\\z",
        "in a group": "\\begin{exe}\n\\ex[]{\\label{a}\n" + GLL + "\\glt `«en»'}\n\\end{exe}",
        "macros of grams": "\\ea\n\\gll «p»\\\\\n«mac»\\\\\n\\glt `«en»'\n\\z",
        "one line": "\\ea \\gll «p»\\\\ «sc»\\\\ \\glt `«en»' \\z",
        "tabs": "\\ea\n\\gll\t«pt»«e»\\\\\n\t«gt»\\\\\n\\glt\t`«en»'\n\\z",
        "comments": "\\ea\n% kolu, checked\n" + GLL + "% \\glt `old'\n\\glt `«en»'\n\\z",
        "footnote": "\\ea\n\\gll «p»\\footnote{A note, \\textit{so}.}\\\\\n«sc»\\\\\n\\glt `«en»'\n\\z",
        "words in italics": "\\ea\n\\gll \\textit{«it»}«e»\\\\\n«sc»\\\\\n\\glt `«en»'\n\\z",
        "words in braces": "\\ea\n\\gll «{p}»«e»\\\\\n«{g}»\\\\\n\\glt `«en»'\n\\z",
        "index": "\\ea\n\\gll «bare»$_i$«e»\\\\\n«sc»\\\\\n\\glt `«en»'\n\\z",
        "remark at the right": "\\ea\n\\gll «p»\\\\\n«sc»\\\\\\jambox*{(Kolu)}\n\\glt `«en»'\n\\z",
        "blank lines": "\\ea\n\n" + GLL + "\n\\glt `«en»'\n\n\\z",
        "two translations": "\\ea\n" + GLL + "\\glt `«es»'\\\\\n\\glt `«en»'\n\\z",
    }.items()
} | {
    "macro of four arguments": latex("\\glossex{x«k»}{«p»}{«sc»}{«en»}", "\\newcommand{\\glossex}[4]{\\ea\\label{#1}\\gll #2\\\\ #3\\\\ \\glt `#4'\\z}\n"),
    "unknown macro of four arguments": latex("\\glossex{x«k»}{«p»}{«sc»}{«en»}"),
    "environment of the author": latex("\\begin{igt}\n" + GLL + "\\glt `«en»'\n\\end{igt}", "\\newenvironment{igt}{\\begin{exe}\\ex}{\\end{exe}}\n"),
    "macro of the author": latex("\\bex\n" + GLL + "\\glosse{«en»}\n\\eex", "\\newcommand{\\bex}{\\begin{exe}\\ex}\\newcommand{\\eex}{\\end{exe}}\\newcommand{\\glosse}[1]{\\glt `#1'}\n"),
    "French": latex("\\ea\n" + GLL + "\\glt « «fr» »\n\\z", lang="fr"),
    "Spanish": latex("\\ea\n" + GLL + "\\glt `«es»'\n\\z", lang="es"),
    "Russian": latex("\\ea\n" + GLL + "\\glt «guillemets»\n\\z".replace("«guillemets»", "\u00ab«ru»\u00bb"), lang="ru"),
}  # fmt: skip
PLAIN: dict[str, Fashion] = {
    name: shaped(shape, path="x.txt")
    for name, shape in {
        "three lines": "«p»\n«g»\n«en»", "numbers and quotes": "(«k»)\t«p»\n\t«g»\n\t‘«en»’", "four lines": "«t»\n«p»\n«g»\n'«en»'", "four lines, no quotes": "«t»\n«p»\n«g»\n«en»",
        "five lines": "«t»\n«p»\n«g»\n«n»\n«en»", "columns": "«cols»\n'«en»'", "tabs": "«pt»\n«gt»\n«en»", "number and tabs": "«k»\t«pt»\n\t«gt»\n\t«en»", "number with a dot": "«k». «p»\n   «g»\n   ‘«en»’",
        "number with a bracket": "«k») «p»\n   «g»\n   “«en»”", "labels": "Text: «t»\nMorphemes: «p»\nGloss: «g»\nTranslation: «en»", "short labels": "T: «t»\nM: «p»\nG: «g»\nF: «en»",
        "ids": "KOLU_00«k»\n«p»\n«g»\n«en»", "ids in brackets": "[kolu-0«k».2]\n«p»\n«g»\n‘«en»’", "source": "(«k») «p»\n«g»\n‘«en»’ (Smith 2001: «k»)", "source at the edge": "(«k») «p»     [Ana 12:«k»]\n«g»\n‘«en»’",
        "language": "(«k») Kolu (Smith 2001: «k»)\n«p»\n«g»\n‘«en»’", "two translations": "«p»\n«g»\n‘«en»’\n‘«es»’", "two translations, no quotes": "«p»\n«g»\n«es»\n«en»", "fences": "```\n(«k») «p»\n    «g»\n    '«en»'\n```",
        "prose": "The following shows something about it, as we have seen above in the chapter.\n\n(«k») «p»\n    «g»\n    ‘«en»’", "blank lines within": "(«k») «p»\n\n«g»\n\n‘«en»’", "speaker": "Ana: «p»\n   «g»\n   ‘«en»’",
        "letters": "(«k»)a. «p»\n   «g»\n   ‘«en»’", "bars": "| «pb» |\n| «gb» |\n‘«en»’", "small glosses": "«p»\n«low»\n«en»", "affixes apart": "«pa»\n«ga»\n«en»", "number alone": "(«k»)\n«p»\n«g»\n‘«en»’",
        "bare number alone": "«k»\n«p»\n«g»\n«en»", "comment": "# «k»\n«p»\n«g»\n«en»", "blank that does not break": "(«k»)\u00a0«p»\n«g»\n‘«en»’", "literal": "«p»\n«g»\n‘«en»’ (lit. ‘so it was’)", "labelled literal": "«p»\n«g»\nLit: so it was then\nFree: «en»",
    }.items()
} | {
    "no blank lines, numbers": shaped("(«k») «p»\n    «g»\n    '«en»'", between="\n"), "no blank lines": shaped("«p»\n«g»\n«en»", between="\n"), "no blank lines, four": shaped("«t»\n«p»\n«g»\n«en»", between="\n"),
    "title": shaped("«p»\n«g»\n«en»", "The story of the sister\n\nTold by Ana in 2012\n\n"), "title of Markdown": shaped("(«k») «p»\n    «g»\n    '«en»'", "# The story\n\nTold by Ana.\n\n"), "many blank lines": shaped("«p»\n«g»\n«en»", between="\n\n\n\n"),
    "Windows": shaped("«p»\r\n«g»\r\n«en»", between="\r\n\r\n", after="\r\n"), "byte-order mark": shaped("«p»\n«g»\n«en»", "\ufeff"), "Spanish": shaped("«p»\n«g»\n«es»", lang="es"), "Russian": shaped("«p»\n«g»\n«ru»", lang="ru"), "French": shaped("«p»\n«g»\n\u00ab «fr» \u00bb", lang="fr"),
    "Spanish labels": shaped("Texto: «t»\nSegmentación: «p»\nGlosa: «g»\nTraducción: «es»", lang="es"), "French labels": shaped("Texte : «t»\nAnalyse : «p»\nGlose : «g»\nTraduction : «fr»", lang="fr"), "Russian labels": shaped("Текст: «t»\nРазбор: «p»\nГлоссы: «g»\nПеревод: «ru»", lang="ru"),
    "no glosses": shaped("(«k») «t»\n‘«en»’", glossed=False, segmented=False), "no translation": shaped("«p»\n«g»", translated=False),
}  # fmt: skip
MARKUP: dict[str, Fashion] = {
    "SIGMORPHON": shaped("\\t «t»\n\\m «p»\n\\g «g»\n\\l «en»\n", between="\n"), "SIGMORPHON, no segments": shaped("\\t «t»\n\\g «g»\n\\l «en»\n", between="\n"),
    "ODIN": shaped("doc_id=1 «k» 3 L G T\nlanguage: Kolu (kol)\nline=1 tag=L:(«k») «p»\nline=2 tag=G:    «g»\nline=3 tag=T:    `«en»'\n", between="\n"),
    "Wikitext": shaped("Text about it.\n{{interlinear|lang=kol|indent=2\n|«p»\n|«g»\n|«en»}}\n"), "Wikitext, fs": shaped("{{fs interlinear|lang=kol|number=(«k»)\n|«p»\n|«g»\n|'«en»'}}\n"),
    "pandoc-ling": shaped("::: ex\n| Kolu\n| «p»\n| «g»\n| «en»\n:::\n"), "pandoc-ling, no header": shaped("::: ex\n| «p»\n| «g»\n| «en»\n:::\n"),
    "Typst": shaped("#example(\n  source: [«p»],\n  morphemes: [«g»],\n  translation: [«en»],\n)\n", '#import "@preview/leipzig-glossing:0.4.0": *\n'),
    "scription": shaped("«t»\n«p»\n«g»\n«en»", "---\ntitle: Kolu\n---\n\n"), "scription, codes": shaped("# «k»\n\\txn «t»\n\\m    «p»\n\\gl   «g»\n\\tln  «en»", "---\ntitle: Kolu\n---\n\n"),
    "CHAT": shaped("*ANA:\t«words» «e»\n%gls:\t«g» «e»\n%eng:\t«en»", "@UTF8\n@Begin\n@Participants:\tANA Ana Adult\n", "\n", "\n@End\n"),
    "CLDF": shaped('«k»,kolu,"«t»","«pt»","«gt»","«en»"', "ID,Language_ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n", "\n"),
    "CLDF, blanks": shaped('«k»,kolu,"«t»","«p»","«g»","«en»"', "ID,Language_ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n", "\n"),
}  # fmt: skip


def records(story: Story, *, by_line: bool) -> Case:
    """JSON with an object for each sentence."""
    rows = [
        {
            "text": line.text,
            "segmentation": pieces(line),
            "glosses": glosses(line),
            "translation": line.free["en"],
            "source": "x",
        }
        for line in story
    ]
    return Case("\n".join(map(json.dumps, rows)) if by_line else json.dumps(rows))


def dlx(story: Story) -> Case:
    def word(line: Line, k: int) -> dict[str, object]:
        both = zip(line.morphs[k], line.morph_glosses[k], strict=True)
        return {"transcription": line.words[k], "morphemes": [{"transcription": m, "gloss": {"eng": g}} for m, g in both]}

    return Case(json.dumps({"utterances": [{"transcription": line.text, "translation": {"eng": line.free["en"]}, "words": [word(line, k) for k in range(len(line.words))]} for line in story]}))  # fmt: skip


def lingview(story: Story) -> Case:
    def tier(name: str, values: Sequence[str], whole: int = 0) -> dict[str, object]:
        return {
            "tier": name,
            "values": [{"start_slot": k, "end_slot": whole or k + 1, "value": value} for k, value in enumerate(values)],
        }

    sentences = [{"speaker": "S1", "num_slots": len(line.words), "text": line.text, "dependents": [tier("Words", line.words), tier("Gloss", line.glosses), tier("English", [line.free["en"]], len(line.words))]} for line in story]  # fmt: skip
    return Case(json.dumps({"metadata": {"tier IDs": {}}, "sentences": sentences}))


JSON: dict[str, Fashion] = {
    "records": lambda story: records(story, by_line=False), "records by line": lambda story: records(story, by_line=True), "DLx": dlx, "LingView": lingview,
}  # fmt: skip


# Toolbox and FLEx.


def toolbox(
    markers: str, before: str = "\\_sh v3.0  400  Text\n\n", between: str = "\n", *, by_bytes: bool = False, **about: object
) -> Fashion:
    """Records with these markers, each with what it holds: `ref:k tx:tx mb:mb ge:ge ps:ps ft:en`; columns stand under one another."""

    def write(story: Story) -> Case:
        texts = []
        for number, line in enumerate(story, 1):
            rows = dict.fromkeys(("tx", "mb", "ge", "ps"), "")
            for word, morphs, meanings in zip(line.text.split(), line.morphs, line.morph_glosses, strict=True):
                rows = _padded(rows, by_bytes)
                rows["tx"] += f"{word} "
                for morph, meaning in zip(morphs, meanings, strict=True):
                    part = _padded({name: rows[name] for name in ("mb", "ge", "ps")}, by_bytes)
                    rows |= {"mb": f"{part['mb']}{morph} ", "ge": f"{part['ge']}{meaning} ", "ps": f"{part['ps']}n "}
            said = {**{name: row.rstrip() for name, row in rows.items()}, **line.free, "k": f"Kolu.{number:03}", "p": pieces(line), "g": glosses(line), "t": line.text}  # fmt: skip
            texts.append(
                "".join(
                    f"\\{marker} {said.get(key, key)}\n" for marker, _, key in (one.partition(":") for one in markers.split())
                )
            )
        return Case(before + between.join(texts), "x.txt", **about)  # type: ignore[arg-type]

    return write


def _padded(rows: dict[str, str], by_bytes: bool) -> dict[str, str]:
    def width(row: str) -> int:
        return len(row.encode()) if by_bytes else len(row)

    widest = max(map(width, rows.values()))
    return {name: row + " " * (widest - width(row)) for name, row in rows.items()}


TOOLBOX: dict[str, Fashion] = {
    name: toolbox(markers, **about)  # type: ignore[arg-type]
    for name, markers, about in (
        ("usual", "ref:k tx:tx mb:mb ge:ge ps:ps ft:en", {}), ("by bytes", "ref:k tx:tx mb:mb ge:ge ps:ps ft:en", {"by_bytes": True}), ("short", "ref:k t:tx m:mb g:ge p:ps f:en", {}),
        ("no header", "ref:k tx:tx mb:mb ge:ge ps:ps ft:en", {"before": ""}), ("national language", "ref:k tx:tx mb:mb ge:ge gn:ge ps:ps ft:en fn:es", {}), ("Spanish", "ref:k tx:tx mb:mb gs:ge ps:ps fs:es", {"lang": "es"}),
        ("French", "ref:k tx:tx mb:mb gf:ge ps:ps tf:fr", {"lang": "fr"}), ("Russian", "ref:k tx:tx mb:mb gr:ge ps:ps ftr:ru", {"lang": "ru"}), ("words only", "ref:k tx:p gl:g ft:en", {}),
        ("from ELAN", "ref:k ELANBegin:0.120 ELANEnd:2.130 ELANParticipant:ANA tx:tx mb:mb ge:ge ps:ps ft:en", {}), ("own names", "rec:k vern:tx morph:mb gloss:ge cat:ps free:en", {}), ("names that say nothing", "aa:k ba:tx bb:mb bc:ge bd:ps be:en", {}),
        ("an unknown line of morphemes", "ref:k txt:tx mrf:mb gls:ge ps:ps trl:en", {}), ("two lines of morphemes", "ref:k tx:tx mr:mb mb:mb ge:ge ps:ps ft:en", {}), ("sound and remarks", "ref:k so:kolu.wav sp:Ana dt:12/Mar/2003 tx:tx mb:mb ge:ge ps:ps ft:en cm:remark", {}),
        ("no blank lines", "ref:k tx:tx mb:mb ge:ge ps:ps ft:en dt:22/Jan/2010", {"between": ""}), ("capitals", "REF:k TX:tx MB:mb GE:ge PS:ps FT:en", {}), ("not glossed", "ref:k tx:t ft:en", {"glossed": False, "segmented": False}),
    )
}  # fmt: skip


def flex(
    free: Sequence[str] = ("en",), meanings: Sequence[str] = ("en",), *, morphemes: bool = True, punctuation: bool = True, phrase: str = "phrase", second: bool = False, whole: bool = False, kinds: bool = True, lang: str = "en"
) -> Fashion:  # fmt: skip
    """A FLEx export with translations and glosses in these languages."""

    def item(kind: str, code: str, text: str) -> str:
        return f'<item type="{kind}" lang="{code}">{text}</item>'

    def gloss(text: str) -> str:
        return "".join(item("gls", code, text if code == "en" else "zzz") for code in meanings)

    def word(line: Line, k: int) -> str:
        inner = item("txt", "kol", line.words[k]) + (
            item("txt", "kol-fonipa", line.words[k].replace("a", "ɐ")) if second else ""
        )
        if morphemes:
            both = zip(line.morphs[k], line.morph_glosses[k], strict=True)
            names = {"-": "suffix", "=": "enclitic"}
            said = [f' type="{names.get(m[0], "stem")}"' if kinds else "" for m in line.morphs[k]]
            parts = (
                f"<morph{about}>{item('txt', 'kol', m)}{item('cf', 'kol', m)}{gloss(g)}</morph>"
                for about, (m, g) in zip(said, both, strict=True)
            )
            return f"<word>{inner}<morphemes>{''.join(parts)}</morphemes>{item('pos', 'en', 'n')}</word>"
        return f"<word>{inner}{gloss(line.glosses[k])}</word>"

    def write(story: Story) -> Case:
        text = '<?xml version="1.0" encoding="utf-8"?>\n<document version="2"><interlinear-text><paragraphs>'
        for k, line in enumerate(story, 1):
            row = "".join(word(line, j) for j in range(len(line.words))) + (
                f"<word>{item('punct', 'kol', line.end)}</word>" if punctuation else ""
            )
            about = (item("txt", "kol", line.text) if whole else "") + item("segnum", "en", str(k))
            text += f"<paragraph><phrases><{phrase}>{about}<words>{row}</words>{''.join(item('gls', code, line.free[code]) for code in free)}{item('lit', 'en', 'so')}{item('note', 'en', 'hm')}</{phrase}></phrases></paragraph>"  # fmt: skip
        return Case(f"{text}</paragraphs></interlinear-text></document>", "x.flextext", lang, segmented=morphemes)

    return write


FLEX: dict[str, Fashion] = {
    "usual": flex(), "three translations": flex(("en", "es", "fr")), "Spanish first": flex(("es", "en")), "two glosses": flex(meanings=("es", "en")), "two writing systems": flex(second=True), "glossed words": flex(morphemes=False),
    "no punctuation": flex(punctuation=False), "phrases called word": flex(phrase="word"), "the text as well": flex(whole=True), "no types": flex(kinds=False), "Spanish": flex(("es",), lang="es"),
}  # fmt: skip


# ELAN and Praat.


def elan(names: Sequence[str], lang: str = "en") -> Fashion:
    """Text, words, morphemes, glosses and translation under these names; '' where there are no morphemes."""

    def write(story: Story) -> Case:
        text, words, morphs, meanings, free = names
        made = Eaf().timed(text, [line.text for line in story]).under(words, text, [list(line.words) for line in story])
        if morphs:
            made.under(morphs, words, [word for line in story for word in line.morphs])
            made.under(meanings, morphs, [gloss for line in story for gloss in flat(line.morph_glosses)])
        else:
            made.under(meanings, words, [gloss for line in story for gloss in line.glosses])
        return Case(made.under(free, text, [line.free[lang] for line in story]).text(), "x.eaf", lang)

    return write


def speakers(name_of: Callable[[str, str], str]) -> Fashion:
    """Two speakers who say every other sentence; a function names their tiers."""

    def write(story: Story) -> Case:
        made = Eaf()
        for j, who in enumerate(("Ana", "Ben")):
            part = story[j::2]
            text, words, meanings, free = (name_of(kind, who) for kind in ("tx", "wd", "ge", "ft"))
            made.timed(text, [(line.text, 2000 * k + 1000 * j, 2000 * k + 1000 * j + 900) for k, line in enumerate(part)], kind="tx", PARTICIPANT=who)  # fmt: skip
            made.under(words, text, [list(line.words) for line in part], kind="wd").under(meanings, words, [gloss for line in part for gloss in line.glosses], kind="ge")  # fmt: skip
            made.under(free, text, [line.free["en"] for line in part], kind="ft")
        return Case(made.text(), "x.eaf")

    return write


def lines_of_elan(story: Story) -> Case:
    made = (
        Eaf()
        .timed("tx@A", [line.text for line in story])
        .under("mb@A", "tx@A", [" ".join(flat(line.morphs)) for line in story])
    )
    made.under("ge@A", "tx@A", [" ".join(flat(line.morph_glosses)) for line in story]).under(
        "ft@A", "tx@A", [line.free["en"] for line in story]
    )
    return Case(made.text(), "x.eaf")


def tiers_beside(story: Story) -> Case:
    made = Eaf().timed("Transcription", [pieces(line) for line in story]).timed("Gloss", [glosses(line) for line in story])
    return Case(made.timed("Translation", [line.free["en"] for line in story]).text(), "x.eaf")


def words_with_times(story: Story) -> Case:
    times = [
        (word, 1000 * k + 100 * j, 1000 * k + 100 * j + 100)
        for k, line in enumerate(story)
        for j, word in enumerate(line.words)
    ]
    made = Eaf().timed("utterance", [line.text for line in story]).timed("words", times, above="utterance", constraint=TIMES)
    made.under("gloss", "words", [gloss for line in story for gloss in line.glosses])
    return Case(made.under("translation", "utterance", [line.free["en"] for line in story]).text(), "x.eaf")


def sentences_without_text(story: Story) -> Case:
    made = Eaf().timed("s", [""] * len(story)).under("w", "s", [list(line.words) for line in story])
    made.under("g", "w", [gloss for line in story for gloss in line.glosses])
    return Case(made.under("t", "s", [line.free["en"] for line in story]).text(), "x.eaf")


_TIERS = {
    "Toolbox": "tx@A mot@A mb@A ge@A ft@A", "FLEx": "A_phrase-txt-kol A_word-txt-kol A_morph-txt-kol A_morph-gls-en A_phrase-gls-en", "before": "A_Text A_Words A_Morphemes A_Gloss A_Translation", "after": "tx_SP1 wd_SP1 mb_SP1 ge_SP1 ft_SP1",
    "dash": "Ana-transcription Ana-words Ana-morphemes Ana-glosses Ana-translation", "language": "Kolu Kolu-words Kolu-morphs Gloss English", "capitals": "TX WD MB GE FT", "one word": "phonemicTranscription wordTokens morphemeBreak englishGloss freeTranslation",
    "IPA": "IPA Word Morpheme Gloss Free", "short": "ut w m g f", "orthography": "orth orthW seg gls eng", "says nothing": "TIER1 TIER2 TIER3 TIER4 TIER5", "numbers": "1.Transcription 2.Word 3.Morpheme 4.Gloss 5.Translation", "parsing": "Line Parsing Break Meaning Free-Translation",
}  # fmt: skip
ELAN: dict[str, Fashion] = {
    **{f"{name}, {kind}": elan([n if kind == "morphemes" or k != 2 else "" for k, n in enumerate(names.split())]) for name, names in _TIERS.items() for kind in ("morphemes", "words")},
    "Spanish": elan(("Oración", "Palabra", "Segmentación", "Glosa morfémica", "Traducción al español"), "es"), "French": elan(("Énoncé", "Mot", "Morphème", "Glose", "Traduction libre"), "fr"), "Russian": elan(("Текст", "Слово", "Морфема", "Глосса", "Перевод"), "ru"),
    "German": elan(("Äußerung", "Wort", "Morphem", "Glosse", "freie Übersetzung")), "Portuguese": elan(("Texto", "Palavra", "Morfema", "Glosa", "Tradução livre")),
    "two speakers, @": speakers("{}@{}".format), "two speakers, after": speakers("{}_{}".format), "two speakers, before": speakers(lambda kind, who: f"{who}_{kind}"), "two speakers, brackets": speakers("{} ({})".format),
    "two speakers, names alone": speakers(lambda kind, who: who if kind == "tx" else f"{who} {kind}"), "lines": lines_of_elan, "tiers beside one another": tiers_beside, "words with times": words_with_times, "sentences without text": sentences_without_text,
}  # fmt: skip


def textgrid(names: str, after: str = "", *, short: bool = False, lang: str = "en") -> Fashion:
    """Text, words, glosses and translation under these names."""

    def write(story: Story) -> Case:
        text, words, meanings, free = (name + after for name in names.split())

        def divided(values: Callable[[Line], Sequence[str]]) -> list[tuple[float, float, str]]:
            return [(2 * k + 2 * j / len(line.words), 2 * k + 2 * (j + 1) / len(line.words), value) for k, line in enumerate(story) for j, value in enumerate(values(line))]  # fmt: skip

        tiers = {text: [(2.0 * k, 2.0 * k + 2, line.text) for k, line in enumerate(story)], words: divided(lambda line: line.pieces), meanings: divided(lambda line: line.glosses)}  # fmt: skip
        return Case(officefiles.textgrid(tiers | {free: [(2.0 * k, 2.0 * k + 2, line.free[lang]) for k, line in enumerate(story)]}, short=short), "x.TextGrid", lang)  # fmt: skip

    return write


TEXTGRID: dict[str, Fashion] = {
    f"{names}{after}{' short' * short}": textgrid(names, after, short=short, lang="es" if "Oración" in names else "en")
    for names in ("Text Words Gloss Translation", "utterance word gloss free", "tx wd ge ft", "Oración Palabra Glosa Traducción", "ortho words glosses english", "1 2 3 4", "phrase w g t")
    for after in ("", "@Ana")
    for short in (False, True)
}  # fmt: skip


# Tables and documents.


def table(headings: str, shape: str, ending: str = "csv", **about: object) -> Fashion:
    """A row for each sentence: headings and cells between semicolons; no headings where these are empty."""

    def write(story: Story) -> Case:
        rows = [headings.split(";")] if headings else []
        rows += [[fill(cell, line, k) for cell in shape.split(";")] for k, line in enumerate(story, 1)]
        return Case(spread(rows, ending), f"x.{ending.partition(' ')[0]}", **about)  # type: ignore[arg-type]

    return write


def spread(rows: Sequence[Sequence[str]], ending: str) -> str | bytes:
    if ending in ("xlsx", "ods"):
        return (officefiles.xlsx if ending == "xlsx" else officefiles.ods)({"Sheet1": rows})
    out = io.StringIO()
    csv.writer(out, delimiter="\t" if ending == "tsv" else ";" if ";" in ending else ",", lineterminator="\n").writerows(rows)
    return out.getvalue()


def rows_of_words(headings: str, row: Callable[[Line, int, int], Sequence[str]]) -> Fashion:
    def write(story: Story) -> Case:
        rows = [row(line, k, j) for k, line in enumerate(story, 1) for j in range(len(line.words))]
        return Case(spread([headings.split(";"), *rows], "csv"), "x.csv")

    return write


def stacked(*shapes: str, ending: str = "csv", gap: bool = True) -> Fashion:
    """Lines under one another, with cells between semicolons; a tab in what is filled in begins another cell."""

    def write(story: Story) -> Case:
        rows = [[cell for part in shape.split(";") for cell in fill(part, line, k).split("\t")] for k, line in enumerate(story, 1) for shape in (*shapes, *([""] if gap else []))]  # fmt: skip
        return Case(spread(rows, ending), f"x.{ending}")

    return write


_HEADINGS = {
    "en": ("ID;Text;Gloss;Translation", "No.;Example;Glosses;Free translation", "Sentence number;Object language;Interlinear gloss;English", "id;original;glossing;translation", "Ex;Morphemes;Glosses;English translation", "#;Utterance;Gloss;Trans.",
           "ex_id;transcription;gloss_en;translation_en", "index;text;interlinear;en", "sent_id;segmented;glossed;translated", "ref;tx;ge;ft", "Example;Text;Gloss;English", "Source;Data;Gloss;Translation", "ID;L1;Gloss;L2", "Line;Kolu;Gloss;English",
           "Nr.;Beispiel;Glosse;Übersetzung", "Número;Frase;Glosa;Tradução", "No;Kalimat;Glos;Terjemahan", "N.;Esempio;Glossa;Traduzione", "Nr;Zin;Glos;Vertaling", "No;Cümle;Glos;Çeviri", "编号;例句;注释;翻译", "番号;例文;グロス;訳"),
    "es": ("Número;Oración;Glosa;Traducción", "N°;Texto segmentado;Glosas interlineales;Traducción libre", "id;ejemplo;glosado;español"),
    "fr": ("Numéro;Phrase;Glose;Traduction", "N°;Exemple;Gloses;Français", "Réf.;Texte original;Mot à mot;Traduction libre"),
    "ru": ("№;Текст;Глоссы;Перевод", "Номер;Предложение;Глоссирование;Перевод на русский"),
}  # fmt: skip
TABLES: dict[str, Fashion] = {
    **{f"{headings} {ending}": table(headings, f"«k»;«p»;«g»;«{lang}»", ending, lang=lang) for lang, some in _HEADINGS.items() for headings in some for ending in ("csv", "tsv")},
    **{f"four lines {ending}": table("ID;Orthography;Segmentation;Gloss;POS;Translation;Notes", "«k»;«t»;«p»;«g»;«n»;«en»;x", ending) for ending in ("csv", "tsv", "csv ;", "xlsx", "ods")},
    **{f"no headings {ending}": table("", "«k»;«p»;«g»;«en»", ending) for ending in ("csv", "xlsx")},
    "two translations": table("ID;Text;Gloss;Translation (English);Traducción (español)", "«k»;«p»;«g»;«en»;«es»"), "quotes": table("Text;Gloss;Translation", "«p»;«g»;‘«en»’"),
    "no glosses": table("ID;Text;Translation", "«k»;«t»;«en»", glossed=False, segmented=False), "two columns, no headings": table("", "«t»;«en»", glossed=False, segmented=False),
    "a word in each row": rows_of_words("sent;word;gloss;translation", lambda line, k, j: [str(k), line.pieces[j], line.glosses[j], line.free["en"]]),
    "a word in each row, said once": rows_of_words("sent;translation;word;gloss", lambda line, k, j: [str(k) if not j else "", line.free["en"] if not j else "", line.pieces[j], line.glosses[j]]),
    "a word in each row, its form too": rows_of_words("sentence_id;token_id;form;segmented;gloss;pos;translation", lambda line, k, j: [str(k), str(j + 1), line.words[j], line.pieces[j], line.glosses[j], "N", line.free["en"]]),
    "stacked": stacked("(«k»);«pt»", ";«gt»", ";‘«en»’"), "stacked, no gap": stacked("(«k»);«pt»", ";«gt»", ";‘«en»’", gap=False), "stacked, labels": stacked("Text;«pt»", "Gloss;«gt»", "Translation;«en»"), "stacked, one cell": stacked("«p»", "«g»", "«en»", ending="xlsx"),
}  # fmt: skip


def paragraphs(*shapes: str, writer: bool = False) -> Fashion:
    def write(story: Story) -> Case:
        texts = [fill(shape, line, k) for k, line in enumerate(story, 1) for shape in shapes]
        return Case(
            officefiles.odt(*texts) if writer else officefiles.docx(*map(officefiles.paragraph, texts)),
            "x.odt" if writer else "x.docx",
        )

    return write


def word_tables(front: Sequence[str] = ("(«k»)",), *, outside: bool = False) -> Fashion:
    """Examples in tables of Word; with `outside` their numbers and translations are paragraphs."""

    def write(story: Story) -> Case:
        blocks = []
        for k, line in enumerate(story, 1):
            number, empty = [fill(cell, line, k) for cell in front], [""] * len(front)
            rows = [[*number, *line.pieces], [*empty, *line.glosses], [*empty, f"‘{line.free['en']}’"]]
            if outside:
                blocks += [
                    officefiles.paragraph(f"({k})"),
                    officefiles.table([line.pieces, line.glosses]),
                    officefiles.paragraph(f"‘{line.free['en']}’"),
                ]
            else:
                blocks.append(officefiles.table(rows))
        return Case(officefiles.docx(*blocks), "x.docx")

    return write


DOCUMENTS: dict[str, Fashion] = {
    "tabs": paragraphs("(«k»)\t«pt»", "\t«gt»", "\t‘«en»’"), "blanks": paragraphs("(«k») «p»", "    «g»", "    ‘«en»’"), "prose": paragraphs("This shows the following about the verb, as was seen before.", "(«k»)\t«pt»", "\t«gt»", "\t‘«en»’ (Smith 2001: 3)", ""),
    "no numbers": paragraphs("«pt»", "«gt»", "‘«en»’", ""), "language": paragraphs("(«k»)\tKolu (Smith 2001: 23)", "\t«pt»", "\t«gt»", "\t‘«en»’"), "letters": paragraphs("(«k»)\ta.\t«pt»", "\t\t«gt»", "\t\t‘«en»’"), "no quotes": paragraphs("(«k»)\t«pt»", "\t«gt»", "\t«en»", ""),
    "four lines": paragraphs("(«k»)\t«t»", "\t«pt»", "\t«gt»", "\t‘«en»’"), "one paragraph": paragraphs("(«k»)\t«pt»\n\t«gt»\n\t‘«en»’"), "table": word_tables(), "table with letters": word_tables(("(«k»)", "a.")), "table without numbers": word_tables(()), "number and translation outside": word_tables(outside=True),
    "Writer, tabs": paragraphs("(«k»)\t«pt»", "\t«gt»", "\t‘«en»’", writer=True), "Writer, blanks": paragraphs("(«k») «p»", "     «g»", "    ‘«en»’", "", writer=True),
}  # fmt: skip
ALL: dict[str, dict[str, Fashion]] = {
    "latex": LATEX, "plain": PLAIN, "markup": MARKUP, "json": JSON, "toolbox": TOOLBOX, "flextext": FLEX, "elan": ELAN, "textgrid": TEXTGRID, "tables": TABLES, "documents": DOCUMENTS,
}  # fmt: skip
