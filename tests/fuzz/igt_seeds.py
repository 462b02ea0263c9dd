"""Interlinear files of many makes in small, as seeds."""

from __future__ import annotations

import io
import json
import zipfile

import officefiles
from eaffile import FREE, Eaf, lines, story

LATEX = rb"""
\newcommand{\mine}[2][x]{\textsc{#2}} \newleipzig{cl}{cl}{clitic}
\ea\label{a} \langinfo{Kolu}{Oceanic}{\citealt[7]{A}}\\ \gll Sena\footnote{x} {uva -n} \ng o\\ sister\mine{pst} swim-\Pst{} \Fsg{}\\
\glt `The sister swam.' (lit. `so') \hfill (Kolu)\\ `Die Schwester schwamm im Fluss.' \z
\ex. \label{x} \ag. *Sena uva.\\ sister swim\\ Intended: `She swims.' \bg. Kolu $^{*}$ku$_i$\\ fish big\\ `a fish'

\pex<n> \a<one> \ljudge* \begingl[glstyle=nlevel] \glpreamble So \endpreamble Sena[sister/n] uva-n [swim/v] \glft `So.' \endgl
\a \begingl \gla \rightcomment{(K)} Sena @ uva// \glb sister @ swim// \glft `So.'//\endgl \xe
\begin{example}
\gll Sena uva-n
     sister swim-\textsc{pst}
\glt `The sister swam.'
\glend
\end{example}
\digloss[ex]{Sena uva}{sister swim}{So.} \lbp{a}{*}{\gll Sena\\ sister\\ \glt `x'} \igt{i}{Sena uva-n}{sister swim-\pst{}}{So it was.}
\exi{(12)} \glll \textipa{"N@\:tS} ~\\ nga ~\\ x ~\\ \mytrans{So.} \verb|\gll x|
"""
TOOLBOX = rb"""\aa 001
\bb sena   uvan
\cc sena   uva  -n
\dd sister swim -PST
\ff The sister was in the river.

\aa 002
\bb kolut
\cc kolu -t
\dd fish -ACC
\ff The fish is here.
"""
PLAIN = b"""A title

(1) Kolu (A 2001: 3)
 Sena uva-n.
 sister swim-PST
 'The sister swam.' (Lit: 'so')

  b. *Sena
  sister

  uva
  swim
  'So.'
  'La hermana nad\xc3\xb3.'

Text: Kolu ku.
Gloss: fish big
Translation: The fish is big.

::: ex
| Kolu ku
| fish big
| 'so'
:::

KOL_001
Senan uvan.
[senan uvan]
sena-n uva-n
sister-GEN swim-PST
'So.'
"""
TABLE = b"Nr;Lg;Text;Words;Gl;Free\n1;k;Sena uvan.;sena | uva-n;sister | swim-PST;So.\n2;k;*Kolu;*kolu;fish;fish\n"


def elan() -> bytes:
    made = story(("A", "B", "C", "D", "E"), "es").timed("Trans", FREE["pt"]).timed("words", [("a", 0, 9), ("b", 10, 99)])
    return made.timed("gesture", ["stroke"]).under("literal", "A", lines([["x"]] * 3)).text().encode()


def clitics() -> bytes:
    return (
        Eaf().timed("ref@A", ["01", "02"]).under("tx@A", "ref@A", ["senan", "nekolu"]).under("w@A", "tx@A", [["sena", "=n"], ["ne=", "kolu"]])
    ).text().encode()  # fmt: skip


def metadata() -> bytes:
    terms = "http://cldf.clld.org/v1.0/terms.rdf#"
    names = {
        "Nr": "id",
        "Lg": "languageReference",
        "Text": "primaryText",
        "Words": "analyzedWord",
        "Gl": "gloss",
        "Free": "translatedText",
    }
    columns = [{"name": name, "propertyUrl": terms + term, "separator": " | "} for name, term in names.items()]
    languages = {"url": "languages.csv", "dc:conformsTo": f"{terms}LanguageTable", "tableSchema": {"columns": [{"name": "ID", "propertyUrl": f"{terms}id"}]}}  # fmt: skip
    table = {"url": "case.csv", "dc:conformsTo": f"{terms}ExampleTable", "dialect": {"delimiter": ";"}, "tableSchema": {"columns": columns}}  # fmt: skip
    return json.dumps({"tables": [table, languages]}).encode()


ROWS = [
    ["No", "Sentence", "Translation", "Word", "Morph", "Gloss"],
    ["1", "Senan uvan", "So.", "senan", "sena", "sister"],
    ["", "", "", "", "-n", "GEN"],
    ["2", "Kolu", "A fish.", "kolu", "kolu", "fish"],
]
STACKED = [
    ["(1)", "a.", "Sena", "uva-n"],
    ["", "", "sister", "swim-PST"],
    ["", "", "‘So.’"],
    [],
    ["tx", "kolu"],
    ["ge", "fish"],
    ["ft", "A fish."],
]
EXAMPLE = officefiles.table([["(3)", "Kolu (A 2001)"], ["", "Sena", "uva-n"], ["", "sister", "swim-^pst^"], ["", "‘So.’"]])
PARAGRAPHS = ("Prose.", "(7)\tSena\tuva-n", "\tsister\tswim-^pst^", "\t‘The sister swam.’")
WORD = officefiles.docx(EXAMPLE, *map(officefiles.paragraph, PARAGRAPHS))
BOOK = officefiles.xlsx({"A": ROWS, "B": STACKED, "C": [["x"]]})
GRID = {
    "utt@A": [(0, 2, "Sena uva."), (2, 3, 'Ku "x".')],
    "words@A": [(0, 1, "sena"), (1, 2, "uva"), (2, 3, "ku")],
    "gloss@A": [(0, 1, "sister"), (1, 2, "swim-PST")],
    "en": [(0, 2, "So it was.")],
}
EVENTS = {
    ("ref", "S"): [(0, 2, "A.1")],
    ("tx", "S"): [(0, 1, "sena "), (1, 2, "uva")],
    ("ge", "S"): [(0, 1, "sister"), (1, 2, "swim-PST")],
    ("fe", "S"): [(0, 2, "So.")],
}
CHAT = b"@UTF8\n@Begin\n@Languages:\tkol\n@Participants:\tCHI Ana Child\n*CHI:\t<kolut kolut> [/] &-eh (se)na [: sena] uvan@c +... \x15100_900\x15\n%mor:\tn|kolu-PL=fish n|sena v|uva~pro|n=it .\n%gra:\t1|2|A 2|3|B 3|0|ROOT 4|3|OBJ 5|3|PUNCT\n%gls:\tkolu-t\n\tsena\n%eng:\tSo .\n@End\n"
DLX = {
    "utterances": [
        {
            "transcript": {"default": "Senan!"},
            "translation": {"eng": "So!"},
            "words": [{"transcription": "senan", "morphemes": [{"transcription": "sena", "gloss": {"eng": "x"}}]}],
            "metadata": "7",
        }
    ]
}
STORY = {
    "metadata": {"tier IDs": {"T1": {"name": "words"}}},
    "sentences": [
        {
            "num_slots": 2,
            "text": "sena uva",
            "dependents": [{"tier": "T1", "values": [{"start_slot": 0, "end_slot": 1, "value": "sena"}]}],
        }
    ],
}
FIELDS = {
    "rows": [{"doc": {"_id": "a", "fields": [{"label": "utterance", "value": "sena"}, {"label": "gloss", "mask": "sister"}]}}]
}
PANGLOSS = b'<TEXT id="t"><S id="s"><AUDIO start="0.5" end="2"/><FORM>senan <FOREIGN>x</FOREIGN></FORM><TRANSL xml:lang="fr">La.</TRANSL><W><M><FORM>sena</FORM><TRANSL xml:lang="en">a</TRANSL></M><M><FORM>-n</FORM></M></W></S></TEXT>'
EOPAS = b'<eopas><interlinear><phrase id="p" startTime="1.5"><transcription>Senan</transcription><wordlist><word><text>Senan</text><morphemelist><morpheme><text kind="morpheme">sena</text><text kind="gloss">a</text></morpheme></morphemelist></word></wordlist><translation>So.</translation></phrase></interlinear></eopas>'
GROUPS = b"<database><idGroup><id>k</id><txGroup><tx>Senan</tx><mr>sena</mr><mg>sister</mg><mr>-n</mr><mg>GEN</mg></txGroup><fg>So.</fg></idGroup></database>"
WIKI = b"Prose [[a|b]].\n{{interlinear|number=(3)|lang=kol|top=t\n|''Senan'' {uva -n} {{lang|kol|ku}}<ref>x|y</ref>\n|{{gcl|GEN}}.[[sister]] swim {}\n|'So.' (S)}}\n{{interlinear|x"
PANDOC = b"# T\n\n::: {#k .ex}\nA preamble\n\na.\n| Kolu\n| ^* *Senan* uva\\ n\n| sister-[gen]{.smallcaps} ~\n| So.\n:::\n"
TYPST = b'#gloss(header: [K], source: ([Senan], text(red)[uva]), transliteration: ([x],[y]), morphemes: ([a-#smallcaps[gen]], [swim-#pst]), additional-lines: (([a],[b]),), translation: [She "so".], label: "k")'
SCRIPTION = b"---\ntitle: K\nmedia:\n\n  - a\n---\n\n# k1\n\\trs Senan.\n\\txn [sena n]\n\\m sena-n\n\\gl-en a-b\n\\tln So.\n\n# k2\nKolu.\nkolu\nkolu\nfish\nSo.\n"
OTHERS: dict[str, tuple[bytes, ...]] = {
    "table": (BOOK, officefiles.ods({"A": ROWS, "B": STACKED}), "\n".join(";".join(row) for row in ROWS).encode(), b"Sena\tsister-PST\t'So.'\nku na\tbig DEF\t'So.'\nku\tbig-PL\t'So.'\n"),
    "document": (WORD, officefiles.odt(*PARAGRAPHS)),
    "textgrid": (officefiles.textgrid(GRID).encode(), officefiles.textgrid(GRID, short=True).encode()),
    "exmaralda": (officefiles.exb(EVENTS, {"S": "ANA"}).encode(),),
    "chat": (CHAT,),
    "pangloss": (PANGLOSS,),
    "eopas": (EOPAS,),
    "toolbox-xml": (GROUPS,),
    "json": tuple(json.dumps(one).encode() for one in (DLX, STORY, FIELDS)),
    "scription": (SCRIPTION,),
    "wikitext": (WIKI,),
    "pandoc": (PANDOC,),
    "typst": (TYPST,),
}  # fmt: skip
"""Seeds of the formats that have no fixtures."""
PLACES = {
    "word": "word/document.xml",
    "sheet": "xl/worksheets/sheet1.xml",
    "strings": "xl/sharedStrings.xml",
    "workbook": "xl/workbook.xml",
    "content": "content.xml",
}
_WHOLE = {
    name: WORD if name.startswith("word/") else BOOK if name.startswith("xl/") else officefiles.ods({"A": ROWS})
    for name in PLACES.values()
}
PARTS = {name: (zipfile.ZipFile(io.BytesIO(whole)).read(name),) for name, whole in _WHOLE.items()}
"""Parts of documents and workbooks."""


def with_part(name: str, data: bytes) -> bytes:
    """A document or workbook with another part of this name."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(_WHOLE[name])) as source, zipfile.ZipFile(out, "w") as target:
        for info in source.infolist():
            target.writestr(zipfile.ZipInfo(info.filename), data if info.filename == name else source.read(info))
    return out.getvalue()
