r"""Read examples in documents of Word (`.docx`) and Writer (`.odt`).

An example is a table with the words in cells, or paragraphs whose words stand under one another by tabs or blanks:

    (1) | Kolu | uva-n      |         (1) →  Kolu →  uva-n
        | fish | swim-PST   |              →  fish →  swim-PST
        | ‘The fish swam.’  |              →  ‘The fish swam.’

Small capitals are written as capitals, so that `swim-ᴘsᴛ` is `swim-PST`; deleted text, notes and fields are left out. A table
whose first row names its columns is read as in `sheets`. Tables and numbered lines that are no example are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.parts import Options, from_file, is_quoted, normalize_space, tokens, without_number
from divproj.io.interlinear.sheets import (
    ROLES,
    Archive,
    Place,
    Row,
    aligned,
    check_roles,
    complete,
    example_blocks,
    flow,
    grid,
    is_example,
    layout_of,
    line_roles,
    lines_example,
    seekable,
    sentences,
    stack,
)
from divproj.io.interlinear.xml import XmlNode

LONGEST_EXAMPLE = 8
"""Lines of one example in paragraphs."""
LONGEST_LINE = 400
"""Characters of a line that may be words or glosses; a longer one is prose."""
WAITING = 2000
"""Lines that are held before the examples in them are read."""
_LEFT_OUT = frozenset(("del", "moveFrom", "instrText", "delText", "Fallback", "footnoteReference", "endnoteReference", "commentReference", "pPr", "tblPr", "tcPr", "sectPr", "drawing", "pict"))  # fmt: skip
_SYMBOLS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_OTHER_STYLES = re.compile(r"(?i)toc|source_?code|code_?block|listing")
"""Styles of paragraphs that are contents or program code."""
_NUMBERED = re.compile(r"\s*(?:\(\s*\d+(?:[.:]\d+)*\s*[a-z]?'*\s*\)|\[\d+[a-z]?\])")


class _Line(NamedTuple):
    """A line of a paragraph."""

    number: int
    text: str
    listed: bool
    """Whether it begins an item of a numbered list."""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    check_roles(options.tiers, ROLES, "a column")
    with seekable(stream) as file:
        archive = Archive(file, path, faults, options)
        blocks = _writer(archive) if "content.xml" in archive.names else _word(archive)
        yield from _Examples(path, faults, options).all(blocks)


@dataclass
class _Capitals:
    """The styles of a document whose text is in small capitals."""

    names: set[str]

    def learn(self, style: XmlNode) -> None:
        name = style.get("styleId") or style.get("name")
        based = next((child.get("val") for child in style.children if child.tag == "basedOn"), "") or style.get(
            "parent-style-name"
        )
        said = _is_small(style)
        if said or (said is None and based in self.names):
            self.names.add(name)


def _is_small(node: XmlNode) -> bool | None:
    """Whether properties of text say small capitals (or capitals); None when they say nothing."""
    said = None
    for child in node.walk():
        if child.tag in ("smallCaps", "caps"):
            said = child.get("val") not in ("0", "false", "off", "none")
        elif child.tag == "text-properties" and (child.get("font-variant") or child.get("text-transform")):
            said = child.get("font-variant") == "small-caps" or child.get("text-transform") == "uppercase"
    return said


def _word(archive: Archive) -> Iterator[list[_Line] | list[list[str]]]:
    """Paragraphs of a Word file, as lines, and its tables, as rows of cells."""
    main = next((name for name in archive.names if re.fullmatch(r"word/document\d*\.xml", name)), "")
    if not main:
        raise FormatError("no text in the document", Where(archive.path), "open it in Word and save it as .docx")
    capitals = _Capitals(set())
    for style, _ in archive.units("word/styles.xml", "style"):
        capitals.learn(style)
    number = 0
    for node, _ in archive.units(main, "p", "tbl", "sdt", within=("body",)):
        for part in _parts(node):
            if part.tag == "p":
                number += 1
                paragraph_style = next((x.get("val") for x in part.walk() if x.tag == "pStyle"), "")
                if _OTHER_STYLES.match(paragraph_style):
                    yield _paragraph("", number, False)
                    continue
                yield _paragraph(
                    "".join(_runs(part, capitals)), number, any(x.tag == "numPr" for x in part.children[:1] for x in x.children)
                )
            else:
                rows = [_row(row, capitals) for row in part.walk() if row.tag == "tr"]
                number += len(rows)
                yield rows


def _parts(node: XmlNode) -> Iterator[XmlNode]:
    """Paragraphs and tables, also those in a field of a form."""
    if node.tag in ("p", "tbl"):
        yield node
    elif node.tag in ("sdt", "sdtContent", "tc", "ins", "customXml"):
        for child in node.children:
            yield from _parts(child)


def _row(row: XmlNode, capitals: _Capitals) -> list[str]:
    cells: list[str] = []
    for cell in (x for child in row.children for x in ([child] if child.tag == "tc" else child.walk())):
        if cell.tag == "tc":
            cells.append("\n".join("".join(_runs(part, capitals)) for part in _parts(cell) if part.tag == "p"))
            span = next((x.get("val") for x in cell.walk() if x.tag == "gridSpan"), "1")
            cells += [""] * (min(int(span), 100) - 1 if span.isdecimal() and len(span) < 4 else 0)
    return cells


def _runs(node: XmlNode, capitals: _Capitals) -> Iterator[str]:
    """Text within an element of Word, in order, with small capitals as capitals."""
    for child in node.children:
        if child.tag in _LEFT_OUT:
            continue
        if child.tag == "t":
            yield child.text
        elif child.tag in _SYMBOLS:
            yield _SYMBOLS[child.tag]
        elif child.tag == "sym":
            code = child.get("char")
            yield chr(int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{4}", code) and not "D800" <= code.upper() < "F900" else ""
        elif child.tag == "r":
            about = next((x for x in child.children if x.tag == "rPr"), None)
            if about is not None and any(x.tag == "vanish" and x.get("val") not in ("0", "false") for x in about.children):
                continue
            text = "".join(_runs(child, capitals))
            style = next((x.get("val") for x in about.children if x.tag == "rStyle"), "") if about else ""
            said = _is_small(about) if about else None
            yield text.upper() if said or (said is None and style in capitals.names) else text
        elif child.children:
            yield from _runs(child, capitals)


def _writer(archive: Archive) -> Iterator[list[_Line] | list[list[str]]]:
    """Paragraphs of a Writer file, as lines, and its tables, as rows of cells."""
    capitals = _Capitals(set())
    for style, _ in archive.units("styles.xml", "style", within=("styles", "automatic-styles")):
        capitals.learn(style)
    number = 0

    def text(node: XmlNode) -> Iterator[str]:
        if node.tag == "span" and node.get("style-name") in capitals.names:
            yield "".join(node.flow(text)).upper()
        elif node.tag in ("s", "tab", "line-break", "note", "annotation", "annotation-end", "tracked-changes"):
            yield from flow(node)
        else:
            yield from node.flow(text)

    tags = ("p", "h", "table", "list", "style")
    for node, _ in archive.units("content.xml", *tags, within=("text", "section", "automatic-styles")):
        if node.tag == "style":
            capitals.learn(node)
        elif node.tag == "table":
            rows = [
                ["\n".join("".join(text(part)) for part in cell.all("p")) for cell in row.children if cell.tag in ("table-cell", "covered-table-cell")]
                for row in node.walk() if row.tag == "table-row"
            ]  # fmt: skip
            number += len(rows)
            yield rows
        else:
            for part in [node] if node.tag != "list" else [x for x in node.walk() if x.tag in ("p", "h")]:
                number += 1
                yield _paragraph("".join(text(part)), number, node.tag == "list")


def _paragraph(text: str, number: int, listed: bool) -> list[_Line]:
    return [_Line(number, line.rstrip(), listed and not k) for k, line in enumerate(text.split("\n"))]


class _Examples:
    """The examples of a document, in order, and how many tables and numbered lines are none."""

    def __init__(self, path: str, faults: Faults, options: Options) -> None:
        self.path, self.faults, self.options = path, faults, options
        self.tables = self.numbered = self.count = 0
        self.number = ""

    def all(self, blocks: Iterable[list[_Line] | list[list[str]]]) -> Iterator[Sentence]:
        waiting: list[_Line] = []
        for block in blocks:
            if block and isinstance(block[0], _Line):
                waiting += block
                if len(waiting) > WAITING:
                    yield from self._numbered(self._lines(waiting, last=False))
                continue
            yield from self._numbered(self._lines(waiting))
            yield from self._numbered(self._table(block, len(waiting)))  # type: ignore[arg-type]
            waiting = []
        yield from self._numbered(self._lines(waiting))
        left = [
            text
            for n, text in ((self.tables, f"{self.tables} tables"), (self.numbered, f"{self.numbered} numbered paragraphs"))
            if n
        ]
        if left and self.count:
            self.faults.file(FormatError(f"{' and '.join(left)} without words over glosses", Where(self.path), "left out"))
        elif left:
            problem = f"no example found; {' and '.join(left)} have no words over glosses"
            raise FormatError(problem, Where(self.path), "write the words in cells of a table, or between tabs")

    def _numbered(self, examples: Iterable[Sentence]) -> Iterator[Sentence]:
        """With the number of the example before a letter that stands alone."""
        for igt in examples:
            self.count += 1
            match = re.fullmatch(r"([\d.:]*)([a-z]?)", igt.sent_id)
            if match and match[1]:
                self.number = match[1] if match[2] else ""
            elif match and match[2] and self.number:
                name = self.number + match[2]
                igt = replace(igt, sent_id=name, where=replace(igt.where, sent_id=name))
            yield igt

    def _table(self, cells: list[list[str]], number: int) -> Iterator[Sentence]:
        rows = list(_spread(cells, number))
        place = Place(self.path)
        before = self.count
        try:
            headed = layout_of(rows, self.options)
            if headed and len(rows) > 1:
                yield from sentences(iter(rows), place, self.faults, self.options)
                return
        except FormatError:
            pass
        for block in example_blocks(iter(rows)):
            igt = stack(block, place, self.options)
            if igt is not None:
                yield igt
        if self.count == before and rows:
            lines_ = [_Line(n, "\t".join(filter(None, row)), False) for n, row in rows]
            if max(len([cell for cell in row if cell.strip()]) for _, row in rows) <= 2:
                yield from self._lines(lines_)
            self.tables += self.count == before

    def _lines(self, waiting: list[_Line], *, last: bool = True) -> Iterator[Sentence]:
        """The examples of paragraphs, which are taken from the list; without `last` the end is left until more comes."""
        k = 0
        while k < len(waiting) - (0 if last else LONGEST_EXAMPLE):
            example, used = self._example(waiting, k)
            if example is not None:
                yield example
            elif _NUMBERED.match(waiting[k].text) and (k + 1 == len(waiting) or "\t" in waiting[k].text):
                self.numbered += 1
            k += max(1, used)
        del waiting[:k]

    def _example(self, waiting: Sequence[_Line], k: int) -> tuple[Sentence | None, int]:
        """The example that begins at a line, and how many lines it has."""
        first = waiting[k]
        if not first.text.strip() or len(first.text) > LONGEST_LINE:
            return None, 0
        begins = first.listed or bool(_NUMBERED.match(first.text))
        window: list[str] = []
        for line in waiting[k : k + LONGEST_EXAMPLE]:
            quoted = bool(window) and is_quoted(window[-1]) and len(window) > 2
            if (
                not line.text.strip()
                or (window and (line.listed or _NUMBERED.match(line.text)))
                or (quoted and not is_quoted(line.text))
            ):
                break
            window.append(line.text)
        number, window[0] = without_number(window[0].replace("\t", " \t"))
        if number.isalpha() and not begins and len(number) > 1:
            number, window[0] = "", first.text
        about: dict[str, Any] = {"meta": [], "where": Where(self.path, first.number)}
        for begin in range(2 if begins else 1):
            found = _tabbed(window[begin:])
            if found is not None:
                igt, free, used = found
                about["meta"] = [("heading", normalize_space(line)) for line in window[:begin] if line.strip()]
                return complete(igt, free, number.strip("()."), "", about, self.options), begin + used
        texts = [normalize_space(line) for line in window]
        example = lines_example(texts) if len(texts) > 1 else None
        if example is None or (example[2] and not begins):
            return None, 0
        named, free, head = example
        used = len(head) + len(named) + len(free)
        kept = [line for line in free if is_quoted(line)] or free[:1]
        used -= len(free) - len(kept)
        about["meta"] = [("heading", line) for line in head if line]
        return complete(aligned(named, {}), kept, number.strip("()."), "", about, self.options), used


def _spread(cells: list[list[str]], number: int) -> Iterator[Row]:
    """Rows of a table; one whose cells have the lines of an example under one another becomes so many rows."""
    for k, row in enumerate(cells):
        counts = {cell.count("\n") for cell in row if cell.strip() and "\n" in cell.strip()}
        many = [cell for cell in row if cell.strip()]
        if len(counts) == 1 and len(many) > 1 and sum("\n" in cell.strip() for cell in many) >= len(many) - 1:
            height = counts.pop() + 1
            columns = [
                (cell.split("\n") + [""] * height)[:height] if "\n" in cell else [cell] + [""] * (height - 1) for cell in row
            ]
            for line in zip(*columns, strict=True):
                yield number + k + 1, list(line)
        else:
            yield number + k + 1, row


def _tabbed(window: Sequence[str]) -> tuple[Sentence, list[str], int] | None:
    """(sentence, translations, number of lines) of lines whose words stand between tabs; None when they do not."""
    rows = [[cell.strip() for cell in re.split(r"\t+", line.strip())] for line in window]
    rows = [
        row[1:] if len(row) > 1 and re.fullmatch(r"[a-z][.)]|\([a-z]\)|[*?#%]+|", row[0]) and not k else row
        for k, row in enumerate(rows)
    ]
    n = len(rows[0]) if rows else 0
    end = 1
    while n > 1 and end < len(rows) and len(rows[end]) == n:
        end += 1
    if end < 2:
        return None
    free: list[str] = []
    for line in window[end:]:
        if is_quoted(line) or (not free and line.startswith(("\t", " ")) and len(tokens(line)) > 1):
            free.append(normalize_space(line))
        else:
            break
    roles = line_roles(rows[:end])
    if not is_example(rows[:end], roles, free[:1] if free and is_quoted(free[0]) else ()):
        return None
    igt = grid(rows[:end], roles)
    return (igt, free, end + len(free)) if igt is not None else None
