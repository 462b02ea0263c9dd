"""Interlinear files of many makes in small, as seeds: LaTeX by six packages, Toolbox without known markers, ELAN, CLDF, plain text."""

from __future__ import annotations

import json

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
