"""Read ODIN text.

doc_id=3 1 2 L G T                    id of the document, first and last line, tags
language: Hungarian (hun)
line=1 tag=L: (4) Mari alszik         L language, G gloss, T translation, M and B metadata and blank lines;
line=2 tag=T: `Mari sleeps.'          flags follow the tag after `+` or `-`, as in `L+CR`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.parts import (
    Options,
    columns,
    from_file,
    from_text,
    instance,
    lines,
    normalize_space,
    strip_quotes,
    tokens,
    without_bare_number,
    without_judgement,
    without_number,
)

_LINE = re.compile(r"\s*line=(\d+)\s+tag=([A-Za-z]+)((?:[+\-][A-Za-z]+)*)\s*:(.*)$")
_HEADER = re.compile(r"\s*doc_id=(\S+)(?:\s+igt_id=(\S+))?\s*(.*)$")
_LANGUAGE = re.compile(r"(.*?)\s*\(\s*([a-z]{2,3})\s*\)\s*$")
_CITED = re.compile(r"\s{2,}[(\[]([^()\[\]]*)[)\]]\s*$")


@dataclass(frozen=True)
class Line:
    """A line with its tag (`L`, `G`, `T`, `M`, `B`), the flags after it, and its judgement where one was found."""

    tag: str
    flags: frozenset[str]
    text: str
    judgement: str = ""

    @classmethod
    def of(cls, tag: str, text: str, judgement: str = "") -> Line:
        """
        >>> Line.of("L+CR", "uva-t").flags
        frozenset({'CR'})
        """
        main, *flags = re.split(r"[+-]", tag.upper())
        return cls(main, frozenset(flags), text, judgement)


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    """
    >>> loads("doc_id=3 1 2 L T\\nline=1 tag=L: (4) Mari alszik\\nline=2 tag=T: `Mari sleeps.'\\n")[0].words
    ('Mari', 'alszik')
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    block: list[tuple[int, str]] = []
    for number, text in lines(stream, path, faults, options.encoding):
        if not text.strip() or _HEADER.match(text):
            if block:
                yield from _instance(block, path, faults)
            block = []
        if text.strip():
            block.append((number, text))
    if block:
        yield from _instance(block, path, faults)


def _instance(block: list[tuple[int, str]], path: str, faults: Faults) -> Iterator[Sentence]:
    sent_id = language = ""
    meta: list[tuple[str, str]] = []
    tagged_lines: list[Line] = []
    for number, text in block:
        header, line = _HEADER.match(text), _LINE.match(text)
        key, colon, value = text.partition(":")
        if line:
            tagged_lines.append(Line.of(line[2] + line[3], line[4]))
        elif header:
            sent_id = header[2] or ""
            meta += [("doc_id", header[1]), ("types", header[3])]
        elif key.strip().lower() == "language" and colon:
            named = _LANGUAGE.match(value.strip())
            language = named[2] if named else value.strip()
            meta.append(("language_name", named[1] if named else ""))
        elif colon and re.fullmatch(r"\s*[\w-]+", key):
            meta.append((key.strip(), value.strip()))
        else:
            remedy = "kept as a note"
            faults.file(FormatError(f"'{text.strip()[:40]}' is no line of ODIN text", Where(path, number, sent_id), remedy))
            meta.append(("note", text.strip()))
    if not tagged_lines:
        return
    fields = assemble_fields(tagged_lines)
    number_id = fields.pop("sent_id")
    extra = fields.pop("meta")
    where = Where(path, block[0][0], sent_id or number_id)
    yield instance(language=language, sent_id=where.sent_id, meta=(*meta, *extra), where=where, **fields)


def assemble_fields(tagged_lines: Sequence[Line], *, clean: bool = True) -> dict[str, Any]:
    """Fields of an instance from its tagged lines; `clean` takes off numbers, marks and quotes."""
    meta = [
        ("line", normalize_space(line.text))
        for line in tagged_lines
        if line.tag not in ("L", "G", "T", "B") and line.text.strip()
    ]
    language = [_without_citation(line, meta) for line in tagged_lines if line.tag == "L" and line.text.strip()]
    glosses = [line for line in tagged_lines if line.tag == "G" and line.text.strip()]
    gloss = _one_line(glosses)
    judgement = next((line.judgement for line in language if line.judgement), "")
    number = ""
    if clean and language:
        cleaned = []
        for line in language:
            example_number, text = without_number(line.text)
            mark, text = without_judgement(text)
            number, judgement = number or example_number, judgement or mark
            indent = " " * (len(line.text) - len(text)) if len(language) > 1 else ""
            cleaned.append(Line(line.tag, line.flags, indent + text))
        language = cleaned
    first, second = _choose_language_lines(language, len(glosses), len(tokens(gloss)), meta)
    words, *rest = columns([x for x in (first, second, gloss) if x]) or [()]
    segments = rest.pop(0) if second else ()
    meanings = rest[0] if rest else ()
    if clean and meanings and not number:
        number, words = without_bare_number(words, len(meanings))
    if not first and gloss:
        words, meanings = (), tokens(gloss)
    literal = [line.text.strip() for line in tagged_lines if line.tag == "T" and "LT" in line.flags]
    meta += [("lit", strip_quotes(text)[0]) for text in literal]
    free = [line.text.strip() for line in tagged_lines if line.tag == "T" and "LT" not in line.flags and line.text.strip()]
    translation, source = strip_quotes(" ".join(free)) if clean else (" ".join(free), "")
    return {
        "words": words,
        "segments": segments,
        "glosses": meanings,
        "translation": normalize_space(translation),
        "judgement": judgement,
        "sent_id": number,
        "meta": (*meta, ("source", source)),
    }


def _without_citation(line: Line, meta: list[tuple[str, str]]) -> Line:
    """A line flagged AC names its author at its end."""
    cited = _CITED.search(line.text) if "AC" in line.flags else None
    if not cited:
        return line
    meta.append(("source", cited[1]))
    return Line(line.tag, line.flags, line.text[: cited.start()], line.judgement)


def _one_line(tagged_lines: Sequence[Line]) -> str:
    """Lines that were torn apart, laid over one another where they fit, otherwise one after the other."""
    if len(tagged_lines) < 2:
        return tagged_lines[0].text if tagged_lines else ""
    laid = _overlay([line.text for line in tagged_lines])
    return laid if laid is not None else " ".join(line.text.strip() for line in tagged_lines)


def _overlay(texts: Iterable[str]) -> str | None:
    """Lines laid over one another by their columns; None where two have something in one place.

    >>> _overlay(["      dormo", "io"])
    'io    dormo'
    """
    chars: list[str] = []
    for text in texts:
        chars += " " * (len(text) - len(chars))
        for k, char in enumerate(text):
            if not char.isspace():
                touches = k and text[k - 1].isspace() and chars[k - 1] != " "
                if chars[k] != " " or touches:
                    return None
                chars[k] = char
    return "".join(chars)


def _choose_language_lines(language: list[Line], glosses: int, count: int, meta: list[tuple[str, str]]) -> tuple[str, str]:
    """The language line, and the segmented one when there are two that line up with the glosses."""
    if len(language) < 2:
        return (language[0].text if language else ""), ""
    torn = [line for line in language if "CR" in line.flags]
    if len(torn) == len(language) and (laid := _overlay(line.text for line in language)) is not None:
        return laid, ""
    if len(language) == glosses:
        return " ".join(line.text.strip() for line in language), ""
    fitting = [line for line in language if len(tokens(line.text)) == count]
    if len(fitting) == 2:
        picked = fitting
    elif sum(len(tokens(line.text)) for line in language) == count:
        return " ".join(line.text.strip() for line in language), ""
    else:
        sound = [line for line in language if line not in torn]
        picked = (fitting or sound or language)[:1]
    meta += [("line", normalize_space(line.text)) for line in language if line not in picked]
    return picked[0].text, picked[1].text if len(picked) > 1 else ""
