r"""Write trees into the file that their text came from; every other byte stays as it is.

Toolbox gets the lines `\hd` and `\rl` under the first line of a record, FLEx the items `hd` and `rl` in a phrase, ELAN a tier
of the type `divproj-tree` under that of the sentences, EXMARaLDA and Praat a tier of that name, a workbook (`.xlsx`) the columns
`hd` and `rl`, in the first row of each sentence. Each holds one head, or relation, for every word as `proj convert` counts
them, punctuation included. When such a file is read again it has trees; trees that were there before are replaced.
"""

from __future__ import annotations

import codecs
import html
import io
import re
import zipfile
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import BinaryIO, cast

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Rows, Sentence
from divproj.io.files import rewind, writing
from divproj.io.interlinear import elan, flextext, formats, sheets, timelines
from divproj.io.interlinear.elan import TREE_TYPE as TIER_TYPE
from divproj.io.interlinear.guess import HEAD, guess
from divproj.io.trees import conllu

FORMATS = ("toolbox", "flextext", "elan", "exmaralda", "textgrid", "table")
_EVENTS = re.compile(rf'<tier [^<>]*category="{TIER_TYPE}".*?</tier>', re.DOTALL)
_GRID = re.compile(r'"(?:[^"]|"")*"|\S+')
Row = tuple[str, str]
"""Heads and relations of a sentence, between blanks."""
_TAGS = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)([A-Za-z_][\w:.-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*?)(/?)>", re.DOTALL
)
_ITEMS = re.compile(r'<item type="hd" lang="en">[^<]*</item><item type="rl" lang="en">[^<]*</item>')
_LINES = re.compile(r"^\\hd (?:\d+|_)(?: (?:\d+|_))*(\r\n|\r|\n)\\rl \S+(?: \S+)*(\r\n|\r|\n|\Z)", re.MULTILINE)
_TIER = re.compile(
    rf'<TIER LINGUISTIC_TYPE_REF="{TIER_TYPE}".*?</TIER>|<LINGUISTIC_TYPE [^<>]*LINGUISTIC_TYPE_ID="{TIER_TYPE}"[^<>]*/>',
    re.DOTALL,
)


def into(original: bytes, trees: Sequence[Rows], options: ReaderOptions, path: str, faults: Faults) -> bytes:
    """The file with the trees of some sentences; they are found by their sent_id, or in order when none has one."""
    name = options.format or guess(original[:HEAD])
    if name not in FORMATS:
        problem = f"trees go back into {', '.join(FORMATS)} files, this is {name}"
        raise ProjError(problem, Where(path), "leave out `into` to write a file of its own")
    if name == "table":
        return _workbook(original, trees, options, path, faults)
    text, coding, mark = _decode(original, path)
    bare = _without_trees(text, name)
    data = mark + bare.encode(coding, "surrogateescape")
    instances = formats.load_bytes(data, name, faults, options, path)
    rows = _rows(instances, trees, path, faults)
    stream = cast(BinaryIO, io.BytesIO(data))
    if name == "elan":
        new_text = _elan(bare, rows, elan.places(stream, path, Faults(strict=False), options))
    elif name == "flextext":
        new_text = _flextext(bare, rows, flextext.places(stream, path, Faults(strict=False), options))
    elif name in ("exmaralda", "textgrid"):
        spoken = timelines.find_sentences(rewind(b"", stream), path, Faults(strict=False), options)
        spans = [(tier, span.id, span.begin, span.end) for (tier, span), _ in spoken]
        new_text = (_exmaralda if name == "exmaralda" else _textgrid)(bare, rows, spans)
    else:
        new_text = _toolbox(bare, rows, instances)
    return mark + new_text.encode(coding, "surrogateescape")


def _decode(original: bytes, path: str) -> tuple[str, str, bytes]:
    """Text, its encoding and byte-order mark; what is no UTF-8 is carried through as it is."""
    for mark, coding in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if original.startswith(mark):
            try:
                carried = "surrogateescape" if coding == "utf-8" else "strict"  # what UTF-16 carries through, it cannot write
                return original[len(mark) :].decode(coding, carried), coding, mark
            except UnicodeDecodeError as error:
                raise FormatError(f"the file is not {coding} all through", Where(path), "save it as UTF-8 first") from error
    return original.decode("utf-8", "surrogateescape"), "utf-8", b""


def _without_trees(text: str, name: str) -> str:
    if name == "toolbox":
        return _LINES.sub("", text)
    if name == "textgrid":
        return _without_tree_tiers(text)
    patterns = {"flextext": _ITEMS, "elan": _TIER, "exmaralda": _EVENTS}
    return patterns[name].sub("", text)


def _rows(instances: list[Sentence], trees: Sequence[Rows], path: str, faults: Faults) -> list[Row | None]:
    """Heads and relations for each sentence of the file, None where there is no tree that fits."""
    named = {tree.sent_id: tree for tree in trees if tree.sent_id}
    rows: list[Row | None] = []
    for k, one in enumerate(instances):
        tree = named.get(one.sent_id) if named else trees[k] if k < len(trees) else None
        if tree is not None and len(tree.forms) != len(one.words):
            problem = f"the tree has {len(tree.forms)} words, the sentence {len(one.words)}"
            faults.sentence(FormatError(problem, Where(path, one.where.line, one.sent_id), "left without a tree"))
            tree = None
        if tree is None or all(head == "_" for head in tree.column(6)):
            rows.append(None)
        else:
            rows.append((" ".join(tree.column(6)), " ".join(rel.replace(" ", "_") or "_" for rel in tree.column(7))))
    if not any(rows):
        raise ProjError(
            "no tree belongs to a sentence of this file", Where(path), "were the trees made from it (proj convert)?"
        )
    return rows


def _toolbox(text: str, rows: list[Row | None], instances: list[Sentence]) -> str:
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
    under = {one.where.line: row for one, row in zip(instances, rows, strict=True) if row}
    out: list[str] = []
    waiting: Row | None = None
    usual = next((line[len(line.rstrip("\r\n")) :] for line in lines if line.endswith(("\n", "\r"))), "\n")
    for number, line in enumerate([*lines, ""], 1):
        if waiting and (not line.strip() or line.lstrip("\ufeff").startswith("\\")):
            end = usual if out[-1].endswith(("\n", "\r")) else ""
            if not end:
                out.append(usual)
            out.append(f"\\hd {waiting[0]}{usual}\\rl {waiting[1]}{end}")
            waiting = None
        out.append(line)
        waiting = under.get(number, waiting)
    return "".join(out)


def _flextext(text: str, rows: list[Row | None], places: list[int]) -> str:
    stack: list[str] = []
    ends: list[int] = []
    for match in _TAGS.finditer(text):
        name = (match[2] or "").rpartition(":")[2]
        if not name:
            continue
        if match[1]:
            while stack and stack.pop() != name:
                pass
            if stack and stack[-1] == "phrases":
                ends.append(match.start())
        elif not match[4]:
            stack.append(name)
        elif stack and stack[-1] == "phrases":
            ends.append(-1)
    out, at = [], 0
    for place, row in zip(places, rows, strict=True):
        end = ends[place] if place < len(ends) else -1
        if row and end >= 0:
            heads, deprels = (html.escape(value, quote=False) for value in row)
            out.append(f'{text[at:end]}<item type="hd" lang="en">{heads}</item><item type="rl" lang="en">{deprels}</item>')
            at = end
    return "".join([*out, text[at:]])


def _elan(text: str, rows: list[Row | None], places: list[tuple[str, str]]) -> str:
    tiers: dict[str, list[str]] = {}
    for k, ((tier, annotation), row) in enumerate(zip(places, rows, strict=True), 1):
        if row is None:
            continue
        value = " ".join(f"{head}:{rel}" for head, rel in zip(row[0].split(" "), row[1].split(" "), strict=True))
        tiers.setdefault(tier, []).append(
            f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="divproj{k}" ANNOTATION_REF="{html.escape(annotation)}">'
            f"<ANNOTATION_VALUE>{html.escape(value, quote=False)}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
        )
    tier_xml = "".join(
        f'<TIER LINGUISTIC_TYPE_REF="{TIER_TYPE}" PARENT_REF="{html.escape(tier)}" TIER_ID="tree@{html.escape(tier)}">'
        f"{''.join(annotations)}</TIER>"
        for tier, annotations in tiers.items()
    )
    kind = (
        f'<LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Association" GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="{TIER_TYPE}" '
        'TIME_ALIGNABLE="false"/>'
    )
    at = text.rfind("</TIER>")
    at = at + len("</TIER>") if at >= 0 else text.rfind("</ANNOTATION_DOCUMENT>")
    first = re.compile(r"<LINGUISTIC_TYPE\b[^<>]*/>|</ANNOTATION_DOCUMENT>").search(text, at)
    place = (first.end() if first and first[0].startswith("<L") else first.start()) if first else len(text)
    return text[:at] + tier_xml + text[at:place] + kind + text[place:]


def _value(row: Row) -> str:
    """Heads and relations as `head:relation`, one a word."""
    return " ".join(f"{head}:{rel}" for head, rel in zip(row[0].split(" "), row[1].split(" "), strict=True))


Span = tuple[str, str, int, int]
"""Tier and annotation of a sentence, and its begin and end."""


def _exmaralda(text: str, rows: list[Row | None], spans: list[Span]) -> str:
    """With a tier of annotations for each tier of sentences; its events begin and end as these do."""
    points = re.findall(r'<tli\b[^<>]*?\bid="([^"]*)"', text)
    tiers: dict[str, list[str]] = {}
    for row, (tier, _, begin, end) in zip(rows, spans, strict=True):
        if row is not None:
            value = html.escape(_value(row), quote=False)
            tiers.setdefault(tier, []).append(f'<event start="{points[begin]}" end="{points[end]}">{value}</event>')
    speakers = dict(re.findall(r'<tier\b[^<>]*?\bid="([^"]*)"[^<>]*?\bspeaker="([^"]*)"', text))
    first = {span[0]: span[1].rpartition(".")[0] for span in reversed(spans)}
    made = ""
    for k, (tier, events) in enumerate(tiers.items(), 1):
        said = speakers.get(first[tier], "")
        speaker = f' speaker="{said}"' if said else ""
        made += f'<tier id="DIVPROJ{k}"{speaker} category="{TIER_TYPE}" type="a" display-name="tree">{"".join(events)}</tier>'
    at = text.rfind("</tier>") + len("</tier>")
    return text[:at] + made + text[at:]


def _textgrid(text: str, rows: list[Row | None], spans: list[Span]) -> str:
    """With an interval tier for each tier of sentences, in the form, long or short, of the file."""
    tiers: dict[str, list[tuple[int, int, str]]] = {}
    for row, (tier, _, begin, end) in zip(rows, spans, strict=True):
        if row is not None:
            tiers.setdefault(tier, []).append((begin, end, _value(row)))
    end_line = "\r\n" if "\r\n" in text else "\n"
    long = re.search(r"xmax\s*=\s*(\S+)", text)
    size = re.search(r"(?m)^size\s*=\s*(\d+)", text) if long else re.search(r"(?m)^<exists>\s*\n\s*(\d+)", text)
    last = long[1] if long else (re.findall(r"(?m)^\s*(-?\d[\d.eE+-]*)\s*$", text[:400]) or ["", "0"])[1]
    if size is None:
        raise FormatError("no number of tiers in the file", remedy="save it in Praat as a text file")
    made = []
    count = int(size[1])
    for name, values in tiers.items():
        count += 1
        made += _tier_lines(f"tree@{name}", values, last, count, bool(long))
    text = text[: size.start(1)] + str(count) + text[size.end(1) :]
    return text + ("" if text.endswith(("\n", "\r")) else end_line) + end_line.join(made) + end_line


def _tier_lines(name: str, values: list[tuple[int, int, str]], last: str, number: int, long: bool) -> list[str]:
    """Lines of a tier whose intervals, empty ones between them, cover the time from 0 on."""
    cover: list[tuple[str, str, str]] = []
    at = "0"
    for begin, end, value in values:
        if begin / 1000 > float(at):
            cover.append((at, f"{begin / 1000:g}", ""))
        at = f"{end / 1000:g}"
        cover.append((f"{begin / 1000:g}", at, value))
    if float(last) > float(at):
        cover.append((at, last, ""))
    quoted = name.replace('"', '""')
    if not long:
        cells = [cell for begin, end, value in cover for cell in (begin, end, f'"{value}"')]
        return ['"IntervalTier"', f'"{quoted}"', "0", last, str(len(cover)), *cells]
    lines = [f"    item [{number}]:", '        class = "IntervalTier"', f'        name = "{quoted}"', "        xmin = 0", f"        xmax = {last}", f"        intervals: size = {len(cover)}"]  # fmt: skip
    for k, (start, stop, value) in enumerate(cover, 1):
        lines += [
            f"        intervals [{k}]:",
            f"            xmin = {start}",
            f"            xmax = {stop}",
            f'            text = "{value}"',
        ]
    return lines


def _without_tree_tiers(text: str) -> str:
    """A TextGrid without the tiers that were added at its end."""
    places = [
        m.start()
        for m in re.finditer(r'(?m)^[ \t]*item ?\[\d+\]:\s*\n[^\n]*\n[ \t]*name = "tree@|^"IntervalTier"\s*\n"tree@', text)
    ]
    if not places:
        return text
    text, added = text[: places[0]], len(places)
    return re.sub(
        r"(?m)(^size\s*=\s*|^<exists>\s*\n\s*)(\d+)", lambda match: f"{match[1]}{int(match[2]) - added}", text, count=1
    )


def _workbook(original: bytes, trees: Sequence[Rows], options: ReaderOptions, path: str, faults: Faults) -> bytes:
    """A workbook with two more columns in each sheet that has sentences with trees; its other parts are the same bytes."""
    if not original.startswith(b"PK"):
        raise ProjError("trees go back into .xlsx, this is another table", Where(path), "save it as .xlsx first")
    members = sheets.members(original, path)
    if not members:
        raise ProjError("trees go back into .xlsx, this is another table", Where(path), "save it as .xlsx first")
    source = zipfile.ZipFile(io.BytesIO(original))
    parts = {name: _without_tree_cells(source.read(name).decode("utf-8")) for name in members.values()}
    bare = _zipped(source, parts)
    instances = formats.load_bytes(bare, "table", faults, options, path)
    rows = _rows(instances, trees, path, faults)
    heads = sheets.headings(bare, path, options)
    cells: dict[str, dict[int, Row]] = {}
    for one, row in zip(instances, rows, strict=True):
        sheet = dict(one.meta).get("sheet", next(iter(members)))
        if row is not None and sheet in heads:
            cells.setdefault(sheet, {heads[sheet][0]: ("hd", "rl")})[one.where.line] = row
    if not cells:
        raise ProjError(
            "trees go back into sheets whose first row names the columns",
            Where(path),
            "add headings, such as Text, Gloss, Translation",
        )
    for sheet, by_row in cells.items():
        parts[members[sheet]] = _with_cells(parts[members[sheet]], by_row, heads[sheet][1])
    return _zipped(source, parts)


def _zipped(source: zipfile.ZipFile, parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for info in source.infolist():
            data = parts[info.filename].encode() if info.filename in parts else source.read(info)
            target.writestr(copy(info), data, info.compress_type)
    return out.getvalue()


def _with_cells(xml: str, by_row: dict[int, Row], column: int) -> str:
    """A sheet with two more cells in some rows."""
    names = [sheets.letters(column), sheets.letters(column + 1)]

    def full(match: re.Match[str]) -> str:
        prefix, begin, body = match.groups()
        number = re.search(r'\br="(\d+)"', begin)
        values = by_row.get(int(number[1])) if number else None
        if number is None or values is None:
            return match[0]
        cells = "".join(
            f'<{prefix}c r="{name}{number[1]}" t="inlineStr"><{prefix}is><{prefix}t>{html.escape(value, quote=False)}</{prefix}t></{prefix}is></{prefix}c>'
            for name, value in zip(names, values, strict=True)
        )
        spans = re.sub(r'\s+spans="[^"]*"', "", begin)
        return f"<{prefix}row{spans}>{body}{cells}</{prefix}row>"

    return re.sub(r"<((?:\w+:)?)row\b([^<>]*?)(?<!/)>(.*?)</\1row>", full, xml, flags=re.DOTALL)


def _without_tree_cells(xml: str) -> str:
    """A sheet without the cells that `_with_cells` added before."""
    cell = r'<(?:\w+:)?c r="{}\d+" t="inlineStr"><(?:\w+:)?is><(?:\w+:)?t>{}</(?:\w+:)?t></(?:\w+:)?is></(?:\w+:)?c>'
    for match in list(re.finditer(cell.format("([A-Z]+)", "(?:hd|rl)"), xml)):
        xml = re.sub(cell.format(match[1], "[^<]*"), "", xml)
    return xml


def write_into(source: str, target: str, original: Path, reader: ReaderOptions, faults: Faults) -> None:
    """Write the trees of a CoNLL-U file into a copy of the file that their text came from."""
    if target != "-" and original.exists() and Path(target).exists() and original.samefile(target):
        raise ProjError("the copy would take the place of its original", Where(target), "write it under another name")
    if not original.is_file():
        raise ProjError("no such file", Where(str(original)))
    trees = [sentence for sentence in conllu.load(source, faults) if sentence is not None]
    content = into(original.read_bytes(), trees, reader, str(original), faults)
    with writing(target) as out:
        out.flush()
        out.buffer.write(content)  # the bytes as they are
