"""Which format an interlinear file is in, by its structure, with a score for each that it may be."""

from __future__ import annotations

import itertools
import re

from divproj.core.errors import FormatError
from divproj.io.interlinear import parts as igt_parts

LONGEST_BLOCK = 14
"""Lines without a blank one in plain text; more are a list or a table."""


HEAD = 1 << 16
_ROOT = re.compile(r"<([A-Za-z_][\w:.-]*)[\s/>]")
_ASIDE = re.compile(  # none looks past the next of its kind, so that many that are not closed cost no more than one
    r"<!--(?:(?!<!--).)*?-->|<\?(?:(?!<\?).)*?\?>|<!DOCTYPE[^\[<>]*(?:\[(?:(?!<!DOCTYPE).)*?\]\s*)?>", re.DOTALL
)
_ROOTS = {
    "xigt-corpus": "xigt",
    "igt": "xigt",
    "ANNOTATION_DOCUMENT": "elan",
    "document": "flextext",
    "interlinear-text": "flextext",
}
_NOT_TEXT = {
    b"PK\x03\x04": "a zip archive (Word, Excel, FLEx backup?)",
    b"%PDF": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"\xd0\xcf\x11\xe0": "an old Word or Excel file",
    b"SQLite": "a database",
}
_CONLLU = re.compile(r" *(\d+)(?:-\d+|\.\d+)?(?:\t[^\t\n]*(?:\t[^\t\n]*){4,}|(?: +\S+){9} *)$")
_TEX_FRAME = re.compile(r"\\(?:begin\s*\{|documentclass\b|(?:sub)*section\b|chapter\b|ea\b|ex\b|gl[t]\b|trans\b)")
FEW_COMMANDS = 0.3
"""Share of lines with a macro that a file in LaTeX has at least."""
_ODIN = re.compile(r"^(?:doc_id=\S+ |line=\d+\s+tag=)", re.MULTILINE)
_LATEX = re.compile(r"\\(?:gll+\b|begingl\b|[a-z]{1,3}g\. |begin\s*\{|documentclass\b|(?:di|tri)gloss\b|exg\.)")
_SCRIPTION = frozenset(("trs", "txn", "phon", "wlt", "tln", "m", "gl", "w", "lit", "n", "sp", "s"))
_MARKER = re.compile(r"^\\([\w+-]+)", re.MULTILINE)
_TEX = frozenset(
    {
        "gll", "glll", "gllll", "glt", "trans", "ea", "eal", "z", "zl", "ex", "exg", "ag", "bg", "begin", "end", "label", "xe", "pex",
        "a", "b", "begingl", "endgl", "gla", "glb", "glc", "glft", "glpreamble", "sn", "item", "documentclass", "usepackage",
        "newcommand", "section", "subsection", "chapter", "paragraph", "langinfo", "digloss", "trigloss", "lb", "exi", "glend",
    }
)  # fmt: skip
"""Macros that begin a line of LaTeX and are no markers of Toolbox where others of LaTeX are."""


def guess(head: bytes) -> str:
    """The format of a file by its first bytes; FormatError when it is no text.

    >>> guess(b"\\\\t sa\\n\\\\g one\\n"), guess(b"Hund bellt\\ndog bark\\n")
    ('sigmorphon', 'plain')
    """
    for magic, file_type in _NOT_TEXT.items():
        if head.startswith(magic):
            raise FormatError(f"this is {file_type}, not interlinear text", remedy="export it as text first")
    text = _text(head)
    if text.lstrip().startswith("<"):
        if "<!ENTITY" in text:
            raise FormatError("the XML defines entities, which is refused", remedy="remove the DOCTYPE from the file")
        root = _ROOT.match(_ASIDE.sub("", text).lstrip())
        if not root:
            raise FormatError(f"no XML element in the first {HEAD >> 10} KB", remedy="name the format if it is XML")
        name = root[1].rpartition(":")[2]
        if name not in _ROOTS:
            known = "xigt-corpus, document (FLEx) or ANNOTATION_DOCUMENT (ELAN)"
            raise FormatError(f"the XML begins with <{name}>, {known} expected", remedy="or name its format")
        return _ROOTS[name]
    header = text.lstrip().partition("\n")[0].lower()
    if "primary_text" in header or ("analyzed_word" in header and "gloss" in header):
        return "cldf"
    return rank_text_formats(text)[0][0]


def rank_formats(head: bytes) -> list[tuple[str, float]]:
    """Formats that a file may be in, the best first, each with a score from 0 to 1."""
    name = guess(head)
    text = _text(head)
    if text.lstrip().startswith("<") or name == "cldf":
        return [(name, 1.0)]
    return rank_text_formats(text)


def rank_text_formats(text: str) -> list[tuple[str, float]]:
    """Formats of lines, by their structure.

    >>> rank_text_formats("ABL\\tablative\\nACC\\taccusative\\n" * 10)[0]
    ('plain', 0.0)
    """
    rows = [line for line in text.split("\n") if line.strip()][:2000]
    latex = len(_LATEX.findall(text))
    markers = [name for name in _MARKER.findall(text) if not (latex and name in _TEX)]
    marked = min(1.0, len(markers) / max(1, len(rows)))
    scores = {"plain": _plain(text), "conllu": _conllu(rows), "odin": 0.9 if _ODIN.search(text) else 0.0}
    scores["latex"] = min(1.0, 0.8 + 0.05 * latex) if latex else 0.0
    if 0 < latex < 3 and scores["plain"] > scores["latex"] / 2 and not _TEX_FRAME.search(text):
        commands = sum("\\" in row for row in rows)
        scores["latex"] *= min(1.0, commands / (FEW_COMMANDS * len(rows)))  # a macro in a remark makes no LaTeX
    if max(scores["conllu"], scores["odin"], scores["latex"]) > 0.6:  # their lines would do for plain text too
        scores["plain"] = min(scores["plain"], 0.2)
    if 2 * len(markers) >= len(rows) and markers:
        shared = set(markers) <= set("tmpgl")
        scores["sigmorphon" if shared else "toolbox"] = 0.5 + 0.5 * marked
        scores["plain"] = min(scores["plain"], 0.2)
    best = sorted(scores.items(), key=lambda item: -item[1])
    return [pair for pair in best if pair[1]] or [("plain", 0.0)]


def _conllu(rows: list[str]) -> float:
    """Rows of numbered cells, numbered from 1 on; cells under a tab are columns of a text."""
    cells = [row for row in rows if not row.lstrip().startswith("#")]
    matches = [match for row in cells if (match := _CONLLU.match(row))]
    if not matches or len(matches) < 0.6 * len(cells):
        return 0.0
    follow = sum(int(later[1]) in (int(before[1]) + 1, int(before[1]), 1) for before, later in itertools.pairwise(matches))
    wide = sum(match[0].count("\t") == 9 for match in matches) / len(matches)
    return 0.3 + 0.3 * len(matches) / len(cells) + 0.2 * (follow + 1) / len(matches) + 0.2 * wide


def _plain(text: str) -> float:
    """Share of lines that stand in blocks which look like words, glosses and a translation."""
    good = total = 0.0
    block: list[str] = []
    for line in [*text.split("\n")[:3000], ""]:
        if line.strip():
            if not re.match(r"#\s*\S+(?: \S+)?\s*=|#\s*[\w.:-]+\s*$", line):
                block.append(line)
            continue
        if block:
            total += len(block)
            good += len(block) * _block(block)
        block = []
    return good / total if total else 0.0


def _block(lines: list[str]) -> float:
    counts = [len(igt_parts.tokens(line)) for line in lines]
    n = len(lines)
    if n == 1:
        return 0.4
    if is_table(lines):
        return 0.0
    equal = sum(left == right for left, right in itertools.pairwise(counts))
    if n <= 6:
        return 0.9 if equal or igt_parts.is_quoted(lines[-1]) else 0.6 if n < 5 else 0.3
    quoted = sum(map(igt_parts.is_quoted, lines))
    if quoted >= n / 5 or 3 * equal >= n - 1:
        return 0.8 if quoted or n <= LONGEST_BLOCK else 0.1
    return 0.3 if n <= LONGEST_BLOCK else 0.0


def is_table(lines: list[str]) -> bool:
    """Whether lines are a list of pairs, such as abbreviations and what they stand for, or a dictionary.

    >>> is_table(["ABL = ablative", "ACC = accusative", "ADJ = adjective", "ADV = adverb", "AGR = agreement", "ALL = allative"])
    True
    """
    if len(lines) < 6 or any(map(igt_parts.is_quoted, lines)):
        return False
    for mark in ("\t", " = ", " - ", " – ", ": ", ",", ";", "  "):
        parts = [[cell for cell in line.strip().split(mark) if cell.strip()] for line in lines]
        if all(len(cells) in (2, 3) for cells in parts) and sum(len(cells[0].split()) == 1 for cells in parts) > 0.8 * len(
            parts
        ):
            return True
    firsts = [line.split()[0].casefold() for line in lines if line.split()]
    return len(firsts) > 8 and firsts == sorted(firsts) and len(set(firsts)) > 0.8 * len(firsts)


def _text(head: bytes) -> str:
    encoding = "utf-8"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif head[:200].count(0) * 3 > len(head[:200]):
        encoding = "utf-16-be" if head[0:200:2].count(0) > head[1:200:2].count(0) else "utf-16-le"
    return head.decode(encoding, "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
