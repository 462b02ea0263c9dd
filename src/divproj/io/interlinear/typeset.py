r"""Write interlinear text as it is printed: examples for LaTeX and for web pages, trees for LaTeX.

    \ex\label{tur-08}
    \gll Kedi pencere-nin alt-ın-da uyu-yor\\
         cat window-\textsc{gen} underside-\textsc{3sg.poss}-\textsc{loc} sleep-\textsc{prog}\\
    \glt `The cat is sleeping under the window.'

`PACKAGES` has a function for each package of LaTeX (gb4e, langsci-gb4e, expex, linguex), one for trees (tikz-dependency) and one for the
script leipzig.js. Grams are set in small capitals: the parts of a gloss that have capitals and no small letters, and persons. Words with
blanks are held together by braces, and characters that mean something to LaTeX are escaped. Every example has the sentence's id as its label.
Words are printed as segmented, with punctuation where it belongs.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from divproj.core.sentence import Sentence
from divproj.core.tree import DepTree
from divproj.io.interlinear.languages import language_name
from divproj.io.interlinear.words import aligned, as_printed, translations_by_code
from divproj.io.interlinear.xml import NOT_XML

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
            "|": r"\textbar{}", "∅": r"$\emptyset$", **{mark: f"\\{mark}" for mark in "{}$&#_%"}}  # fmt: skip
_GRAM = re.compile(r"(?<![^\W\d_])(?:\d*[A-Z][A-Z0-9]*|\d)(?![^\W\d_])(?:[.](?:\d*[A-Z][A-Z0-9]*|\d)(?![^\W\d_]))*")
"""Grams with dots between them: `3SG.POSS`."""
_LABEL = re.compile(r"[^\w.:-]+")


def escape_tex(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> escape_tex("50 % & a_b")
    '50 \\% \\& a\\_b'
    """
    return "".join(_SPECIAL.get(char, char) for char in NOT_XML.sub("\ufffd", text))


def small_capitals(gloss: str) -> str:
    r"""Return a gloss for LaTeX with its grams in small capitals; *I* alone is the English word.

    >>> print(small_capitals("dog-3SG.POSS"), small_capitals("I"), small_capitals("Ali-NOM"), small_capitals("get.up-AOR"))
    dog-\textsc{3sg.poss} I Ali-\textsc{nom} get.up-\textsc{aor}
    """
    if gloss == "I":
        return gloss
    parts, at = [], 0
    for match in _GRAM.finditer(gloss):
        parts += [escape_tex(gloss[at : match.start()]), f"\\textsc{{{match[0].lower()}}}"]
        at = match.end()
    return "".join((*parts, escape_tex(gloss[at:])))


def _cell(text: str, slashes: bool = False) -> str:
    """A word of a line that LaTeX divides at blanks: empty ones and those with blanks in braces; `slashes` end lines in expex."""
    if slashes:
        text = text.replace("//", "/{}/")
    return f"{{{text}}}" if not text or re.search(r"\s", text) or text[0] in "[*/" else text


def _lines(igt: Sentence, slashes: bool = False) -> tuple[str, list[str], str]:
    """The sentence as written where it differs from the segmented line, its lines of words and of glosses, and the translations."""
    whole = aligned(as_printed(igt))
    shown = [escape_tex(part) for part in whole.segments]
    written = igt.text or " ".join(whole.words)
    rows = [" ".join(_cell(part, slashes) for part in shown)]
    if any(whole.glosses):
        rows.append(" ".join(_cell(small_capitals(gloss), slashes) for gloss in whole.glosses))
    first, *more = translations_by_code(igt) or [("", "")]
    quoted = f"`{escape_tex(first[1])}'" if first[1] else ""
    others = "".join(f" ({escape_tex(language_name(code))}: `{escape_tex(text)}')" for code, text in more)
    return ("" if whole.segments == tuple(written.split()) else escape_tex(written)), rows, quoted + others


def label_of(igt: Sentence, number: int) -> str:
    return _LABEL.sub("-", igt.sent_id) or f"ex{number}"


def _judged(igt: Sentence) -> str:
    return f"[{igt.judgement}]" if igt.judgement else ""


def gb4e(igt: Sentence, number: int) -> Iterator[str]:
    """An example for gb4e: the sentence, words, glosses, translation."""
    written, rows, free = _lines(igt)
    yield r"\begin{exe}"
    yield rf"\ex{_judged(igt)}{'{' * bool(igt.judgement)}\label{{{label_of(igt, number)}}}"
    yield from _gll(written, rows, free)
    yield "}" * bool(igt.judgement) + r"\end{exe}"


def _gll(written: str, rows: Sequence[str], free: str) -> Iterator[str]:
    if written:
        yield rf"\textit{{{written}}}\\"
    if len(rows) > 1:
        yield rf"\gll {rows[0]}\\"
        yield rf"     {rows[1]}\\"
        yield rf"\glt {free}"
    else:
        yield rf"{'' if written else rows[0] + chr(92) * 2} {free}".strip()


def langsci(igt: Sentence, number: int) -> Iterator[str]:
    """An example for langsci-gb4e."""
    written, rows, free = _lines(igt)
    yield rf"\ea{_judged(igt)}{'{' * bool(igt.judgement)}\label{{ex:{label_of(igt, number)}}}"
    yield from _gll(written, rows, free)
    yield "}" * bool(igt.judgement) + r"\z"


def expex(igt: Sentence, number: int) -> Iterator[str]:
    """An example for expex."""
    written, rows, free = _lines(igt, slashes=True)
    judged = rf"\judge{{{igt.judgement}}}" if igt.judgement else ""
    yield rf"\ex<{label_of(igt, number)}>"
    yield r"\begingl"
    if written:
        yield rf"\glpreamble {judged}{written}//"
        judged = ""
    yield rf"\gla {judged}{rows[0]}//"
    if len(rows) > 1:
        yield rf"\glb {rows[1]}//"
    if free:
        yield rf"\glft {free}//"
    yield r"\endgl"
    yield r"\xe"


def linguex(igt: Sentence, number: int) -> Iterator[str]:
    """An example for linguex, which ends with an empty line."""
    written, rows, free = _lines(igt)
    label = rf"\label{{{label_of(igt, number)}}}"
    mark = igt.judgement
    if len(rows) > 1:
        yield rf"\exg.{label}{mark}{rows[0]}\\"
        yield rf"{rows[1]}\\"
    else:
        yield rf"\ex.{label}{mark}{written or rows[0]}\\"
    yield free
    yield ""


def tikz(igt: Sentence, number: int) -> Iterator[str]:
    """The tree of a sentence for tikz-dependency; nothing for a sentence without one."""
    if igt.tree is not None and len(igt.tree) == len(igt.words):
        yield f"% {label_of(igt, number)}"
        yield from tikz_tree(igt.tree, igt.glosses if igt.lines_up else ())


def tikz_tree(tree: DepTree, glosses: Sequence[str] = (), confidence: Sequence[float] = ()) -> Iterator[str]:
    r"""Yield the lines of a tree for tikz-dependency: words, glosses and tags below each other, arcs above; arcs below 50 % are dotted.

    >>> print("\n".join(tikz_tree(DepTree(("Hunde", "bellen"), (2, 0), ("nsubj", "root")))))
    \begin{dependency}
    \begin{deptext}[column sep=1em]
    Hunde \& bellen \\
    \end{deptext}
    \depedge{2}{1}{nsubj}
    \deproot{2}{root}
    \end{dependency}
    """
    yield r"\begin{dependency}"
    yield r"\begin{deptext}[column sep=1em]"
    tags = [tag if tag != "_" else "" for tag in tree.tags()]
    rows = [[escape_tex(form) for form in tree.forms], [small_capitals(gloss) for gloss in glosses], [rf"\textsc{{{escape_tex(tag.lower())}}}" if tag else "" for tag in tags]]  # fmt: skip
    for row in rows:
        if any(row):
            yield " \\& ".join(cell.replace(r"\&", r"\symbol{38}") for cell in row) + r" \\"
    yield r"\end{deptext}"
    deprels = tree.deprels or ("",) * len(tree)
    for k, (head, rel) in enumerate(zip(tree.heads, deprels, strict=True), 1):
        name = escape_tex("" if rel == "_" else rel)
        dotted = "[edge style={dotted}]" if confidence and confidence[k - 1] < 0.5 else ""
        if head > 0:
            yield rf"\depedge{dotted}{{{head}}}{{{k}}}{{{name}}}"
        elif head == 0:
            yield rf"\deproot{{{k}}}{{{name or 'root'}}}"
    yield r"\end{dependency}"


def leipzig(igt: Sentence, number: int) -> Iterator[str]:
    """An example for leipzig.js, which aligns its lines and marks the abbreviations."""
    whole = aligned(as_printed(igt))

    def text(cells: Iterable[str]) -> str:
        return html.escape(
            NOT_XML.sub("\ufffd", " ".join(f"{{{cell}}}" if not cell or re.search(r"\s", cell) else cell for cell in cells))
        )

    written = igt.text or " ".join(whole.words)
    yield f'<div class="example" data-gloss id="{html.escape(label_of(igt, number))}">'
    yield f"  <p>{html.escape(igt.judgement)}{html.escape(NOT_XML.sub(chr(0xFFFD), written))}</p>"
    yield f"  <p>{text(whole.segments)}</p>"
    if any(whole.glosses):
        yield f"  <p>{text(whole.glosses)}</p>"
    said = [
        f"‘{html.escape(NOT_XML.sub(chr(0xFFFD), one))}’{f' ({html.escape(language_name(code))})' * bool(k)}"
        for k, (code, one) in enumerate(translations_by_code(igt))
    ]
    yield f"  <p>{' '.join(said)}</p>"
    yield "</div>"


PACKAGES: dict[str, Callable[[Sentence, int], Iterator[str]]] = {
    "gb4e": gb4e, "langsci": langsci, "expex": expex, "linguex": linguex, "tikz": tikz, "leipzig": leipzig,
}  # fmt: skip
_NEEDS = {
    "gb4e": r"\usepackage{gb4e}", "langsci": r"\usepackage{langsci-gb4e}", "expex": r"\usepackage{expex}", "linguex": r"\usepackage{linguex}",
    "tikz": r"\usepackage{tikz-dependency}",
}  # fmt: skip
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Examples</title>
<!-- leipzig.js (https://github.com/bdchauvette/leipzig.js) is read from this folder: npm install leipzig, or leipzig.min.js and leipzig.min.css of a release -->
<link rel="stylesheet" href="leipzig.min.css">
<style>
body{font-family:system-ui,"Noto Sans",sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;line-height:1.4}
.example{margin:0 0 1.5rem}.example p{margin:0}.gloss__abbr,abbr{font-variant:all-small-caps;text-decoration:none}
@media print{.example{break-inside:avoid}}
</style>
</head>
<body>
"""
PAGE_END = """\
<script src="leipzig.min.js"></script>
<script>if (window.Leipzig) { Leipzig({firstLineOrig: true}).gloss(); }</script>
</body>
</html>
"""


def dump(instances: Iterable[Sentence], out: TextIO, package: str = "gb4e") -> None:
    """Write examples for a package of LaTeX, to be read by `\\input`, or a page for leipzig.js."""
    if package == "leipzig":
        out.write(PAGE)
    else:
        out.write(f"% {_NEEDS[package]}; compile with xelatex or lualatex where the words have letters beyond Latin-1\n")
    for number, igt in enumerate(instances, 1):
        lines = list(PACKAGES[package](igt, number))
        if lines:
            out.write("\n".join(lines) + "\n\n")
    if package == "leipzig":
        out.write(PAGE_END)


def list_abbreviations(names: Iterable[tuple[str, str]], kind: str = "text") -> str:
    r"""Return a list of abbreviations (`links.grade.abbreviations`) as lines with tabs, or for LaTeX (`tex`), where it may go over pages.

    >>> print(list_abbreviations([("ABL", "ablative"), ("QQ", "")]), end="")
    ABL	ablative
    QQ	?
    """
    if kind == "text":
        return "".join(f"{name}\t{meaning or '?'}\n" for name, meaning in names)
    lines = [rf"\textsc{{{escape_tex(name.lower())}}} \> {escape_tex(meaning) or '?'} \\" for name, meaning in names]
    return "\n".join([r"\begin{tabbing}", r"\hspace{5em}\=\kill", *lines, r"\end{tabbing}"]) + "\n"
