"""Interlinear examples in LaTeX: gb4e and covington (`\\gll … \\\\ … \\\\ \\glt`), linguex (`\\exg.`), expex (`\\begingl`)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, BinaryIO

from divproj.errors import Faults, FormatError, Where
from divproj.gloss.igt import Igt
from divproj.io.files import Source
from divproj.io.igt_parts import instance, squeezed, unquoted, without_judgement
from divproj.io.igt_text import Options, from_file, from_text, lines
from divproj.io.latex_text import plain, words

_START = re.compile(r"\\(?P<gll>gl{2,4})\b\s*|\\(?P<expex>begingl)\b(?:\s*\[[^\]]*\])?|\\(?P<linguex>(?:ex|[a-h])g)\.\s*")
_ENDS = "ex|pex|xe|end|begin|z|glend|endgl|item|section|subsection|paragraph|gl{2,4}|begingl"
_STOP = re.compile(rf"\n[ \t]*\n|\\(?:{_ENDS})(?![A-Za-z])|\\(?:ex|[a-h])g?\.|\\label\b")
_FREE = re.compile(r"\s*\\(?:glt|trans|gltr|glft|glf|tln?)(?![A-Za-z])\s*(?:\\\\)?")
_FIELDS = r"gl(?:preamble|[a-f]|ft|tr|trans)(?![A-Za-z])"
_FIELD = re.compile(rf"\\({_FIELDS})(?:\s*\[[^\]]*\])?(.*?)(?=//|\\{_FIELDS}|\Z)", re.DOTALL)
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_JUDGED = re.compile(r"\\ex\s*\[\s*\{?([*?#%\\]+)\}?\s*\]|\\ljudge\s*\{?([*?#%\\]+)\}?|\\judge\s*\{([*?#%\\]+)\}")
_CLOSING = re.compile(r"[\s}]*\\label\s*\{[^{}]*\}")
_INFO = re.compile(r"\\langinfo\s*\{([^{}]*)\}\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*$")


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Igt]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Igt]:
    r"""
    >>> loads(r"\gll can-es \\ dog-\textsc{pl} \\ \glt `dogs'")[0].glosses
    ('dog-PL',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    kept: list[str] = []
    starts: list[int] = []
    numbers: list[int] = []
    at = 0
    for number, line in lines(stream, path, faults, options.encoding):
        bare = _COMMENT.sub(r"\1", line)
        if bare.strip() or not line.strip():  # a line that is only a comment is no blank line
            kept.append(bare)
            starts.append(at)
            numbers.append(number)
            at += len(bare) + 1
    text = "\n".join(kept)
    last = 0
    for found in _START.finditer(text):
        if found.start() < last:
            continue
        where = Where(path, numbers[bisect_right(starts, found.start()) - 1])
        before = text[max(last, found.start() - 400) : found.start()]
        fields, last = (_expex if found["expex"] else _gll)(text, found, where, faults)
        after = _CLOSING.match(text, last)
        last = after.end() if after else last
        yield _instance(fields, before, text[found.start() : last], where)


def _gll(text: str, found: re.Match[str], where: Where, faults: Faults) -> tuple[dict[str, str], int]:
    """Lines up to `\\\\`, then the translation."""
    wanted = len(found["gll"]) - 1 if found["gll"] else 2
    at = found.end()
    rows: list[str] = []
    while len(rows) < wanted:
        end, closed = _line_end(text, at)
        rows.append(text[at:end])
        at = end + 2 if closed else end
        if closed and (extra := re.compile(r"\*?(?:\[[^\]]*\])?").match(text, at)):
            at = extra.end()
        if not closed:
            break
    if len(rows) < wanted:
        what = f"\\{found[0].strip().lstrip(chr(92))} with {len(rows)} of its {wanted} lines, each ended by \\\\"
        faults.file(FormatError(what, where, "read as far as it goes"))
    names = ("words", "glosses") if wanted == 2 else ("words", "segments", "glosses", "line")
    fields = dict(zip(names, rows, strict=False))
    free = _FREE.match(text, at)
    if free or found["linguex"] or re.compile(r"[ \t]*\n?[ \t]*[`‘“]").match(text, at):
        start = free.end() if free else at
        at = _stop(text, start)
        fields["translation"] = text[start:at]
    return fields, at


def _line_end(text: str, at: int) -> tuple[int, bool]:
    """Where a line of an example ends, and whether by `\\\\`."""
    depth, k = 0, at
    while k < len(text):
        if text[k] == "\\":
            if text.startswith("\\\\", k) and depth <= 0:
                return k, True
            if depth <= 0 and (_FREE.match(text, k) or (_STOP.match(text, k) and not text.startswith("\\label", k))):
                return k, False
            k += 2
            continue
        if text[k] == "}" and depth == 0:
            return k, False
        depth += (text[k] == "{") - (text[k] == "}")
        if text[k] == "\n" and _STOP.match(text, k):
            return k, False
        k += 1
    return k, False


def _stop(text: str, at: int) -> int:
    """Where a translation ends: at the next thing, or at a brace that was opened before it."""
    depth = 0
    for k in range(at, len(text)):
        if text[k] in "{}" and text[k - 1 : k] != "\\":
            depth += 1 if text[k] == "{" else -1
            if depth < 0:
                return k
        elif depth == 0 and text[k] in "\\\n" and _STOP.match(text, k):
            return k
    return len(text)


def _expex(text: str, found: re.Match[str], where: Where, faults: Faults) -> tuple[dict[str, str], int]:
    end = text.find("\\endgl", found.end())
    following = _START.search(text, found.end())
    if end < 0 or (following and following.start() < end):
        faults.file(FormatError("\\begingl without \\endgl", where, "read up to the next example"))
        end = following.start() if following else len(text)
    fields: dict[str, str] = {}
    for part in _FIELD.finditer(text, found.end(), end):
        fields.setdefault(part[1], part[2])
    names = {"gla": "words", "glb": "glosses", "glft": "translation", "gltr": "translation", "gltrans": "translation"}
    if "glc" in fields:
        names |= {"glb": "segments", "glc": "glosses"}
    return {names.get(name, "preamble" if name == "glpreamble" else "line"): value for name, value in fields.items()}, end


def _instance(fields: dict[str, str], before: str, region: str, where: Where) -> Igt:
    last_stop = max((found.start() for found in re.finditer(r"\n[ \t]*\n|\\end\b|\\xe\b", before)), default=0)
    before = before[last_stop:]
    labels = _LABEL.findall(before) or _LABEL.findall(region)
    judged = _JUDGED.search(before)
    judgement = next((mark.replace("\\", "") for mark in judged.groups() if mark), "") if judged else ""
    line = fields.get("words", "")
    own, bare = without_judgement(line.replace("\\#", "#").replace("\\%", "%").strip())
    line = bare if own else line
    raw = fields.get("translation", "").replace("\\\\", " ")
    translation, source = unquoted(squeezed(plain(raw).replace("---", "—").replace("--", "–")))
    info = _INFO.search(before) or _INFO.search(region)
    meta = [("preamble", squeezed(plain(fields.get("preamble", "")))), ("line", squeezed(plain(fields.get("line", ""))))]
    meta += [("source", source), ("source", plain(info[3]) if info else "")]
    sent_id = labels[-1].strip() if labels else ""
    return instance(
        words(line, gloss=False),
        words(fields.get("segments", ""), gloss=False),
        words(fields.get("glosses", ""), gloss=True),
        translation=translation,
        judgement=judgement or own,
        sent_id=sent_id,
        language=plain(info[1]).strip() if info else "",
        meta=meta,
        where=Where(where.path, where.line, sent_id),
    )
