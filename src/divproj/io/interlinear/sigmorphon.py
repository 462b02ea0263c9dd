r"""Read text of the SIGMORPHON shared tasks: `\t` text, `\m` segments, `\p` tags, `\g` glosses, `\l` translation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.parts import Options, from_file, from_text, instance, lines, normalize_space, tokens

_FIELD = re.compile(r"\\(\w+)(?:\s+(.*)|\s*)$")
KNOWN = "tmpgl"


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    r"""
    >>> loads("\\t canes\n\\m can-es\n\\g dog-PL\n\\l dogs\n")[0].segments
    ('can-es',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    fields: dict[str, str] = {}
    start, last = 0, ""
    for number, line in lines(stream, path, faults, options.encoding):
        match = _FIELD.match(line.strip())
        if not line.strip() or (match and match[1] in fields):
            if fields and line.strip():
                problem = f"a second \\{match[1]} without a blank line before it" if match else ""
                faults.file(FormatError(problem, Where(path, number), "read as a new sentence"))
            if fields:
                yield _instance(fields, Where(path, start))
            fields, last = {}, ""
        if match:
            start = start if fields else number
            last = match[1]
            fields[last] = (match[2] or "").strip()
        elif line.strip():
            problem = f"'{line.strip()[:30]}' has no marker"
            faults.file(
                FormatError(problem, Where(path, number), "read as part of the line before it" if last else "kept as a note")
            )
            start = start if fields else number
            last = last or "note"
            fields[last] = f"{fields.get(last, '')} {line.strip()}".strip()
    if fields:
        yield _instance(fields, Where(path, start))


def _instance(fields: dict[str, str], where: Where) -> Sentence:
    rows = {key: tokens(value) for key, value in fields.items() if key in "tmpg"}
    words = rows.get("t", ()) or rows.get("m", ())
    meta = [(key, normalize_space(value)) for key, value in fields.items() if key not in KNOWN]
    translation = normalize_space(fields.get("l", ""))
    return instance(
        words, rows.get("m", ()), rows.get("g", ()), rows.get("p", ()), translation=translation, meta=meta, where=where
    )
