r"""Write trees into the file that their text came from; every other byte stays as it is.

Toolbox gets the lines `\hd` and `\rl` under the first line of a record, FLEx the items `hd` and `rl` in a phrase, ELAN a tier
of the type `divproj-tree` under that of the sentences. Each holds one head, or relation, for every word as `proj convert` counts
them, punctuation included. When such a file is read again it has trees; trees that were there before are replaced.
"""

from __future__ import annotations

import codecs
import html
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.options import ReaderOptions
from divproj.core.sentence import Rows, Sentence
from divproj.io.files import writing
from divproj.io.interlinear import elan, flextext, formats
from divproj.io.interlinear.guess import HEAD, guess
from divproj.io.trees import conllu

FORMATS = ("toolbox", "flextext", "elan")
TIER_TYPE = "divproj-tree"
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
    return (_ITEMS if name == "flextext" else _TIER).sub("", text)


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
