"""Plain interlinear text in and out: lines between blank ones.

Language, gloss and translation; with four lines the orthography comes first, with two there is no gloss. How many there are is
decided for each instance. `# key = value` lines above say more (`igt_comments`); a line `# 002` is an id. A first block whose
lines begin with markers (`\\trs \\m \\gl \\tln`, the format *scription*) says what the lines of all blocks are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import igt_comments, igt_layout, igt_parts
from divproj.io.igt_order import Order
from divproj.io.igt_text import Options, blocks, lines


def dump(instances: Iterable[Igt], out: TextIO, *, bare: bool = False) -> None:
    """Plain text; `bare` leaves out the `# key = value` lines."""
    for igt in instances:
        out.write(dumps([igt], bare=bare))


def dumps(instances: Iterable[Igt], *, bare: bool = False) -> str:
    """
    >>> print(dumps([Igt(("Hund", "bell-t"), (), ("dog", "bark-3SG"), translation="A dog barks.")]), end="")
    Hund bell-t
    dog bark-3SG
    A dog barks.
    """
    return "".join("\n".join(_written(igt, bare)) + "\n\n" for igt in instances)


_ID_LINE = re.compile(r"#\s*([\w.:-]*\d[\w.:-]*)\s*$")
_NUMBERED = re.compile(r"\(?(\d+[a-z]?)[.)]?\t+")
LINES = ("words", "segments", "glosses", "translation")
"""What the lines of an instance may be."""


def _written(igt: Igt, bare: bool) -> list[str]:
    """The plainest lines that are read as the same instance again."""
    said = igt_comments.of_instance(igt, rows=False)
    number = igt.sent_id if re.fullmatch(r"\d+[a-z]?", igt.sent_id) else ""
    if number:
        said.remove(("sent_id", number))
    body = (igt.words, igt.segments, igt.glosses, (igt.translation,) if igt.translation else ())
    used = [(role, values) for role, values in zip(LINES, body, strict=True) if values]
    front = f"({number}) " if number and not bare else ""
    for separator in (" ", "\t"):
        found = [_line(role, values, separator) for role, values in used]
        if used and used[0][0] == "words":
            found[0] = front + igt.judgement + found[0]
        if bare:
            return found or ["_"]
        above = [f"# {key} = {value}" for key, value in said]
        if _same(above + found, igt):
            return above + found
    explicit = [("lines", " ".join(role for role, _ in used) or "nothing"), *igt_comments.of_instance(igt, rows=False)]
    if igt.judgement:
        explicit.append(("grammaticality", igt.judgement))
    return [*(f"# {key} = {value}" for key, value in explicit), *(_line(role, values, "\t") for role, values in used)]


def _line(role: str, values: tuple[str, ...], separator: str) -> str:
    if role == "translation":
        return igt_parts.one_line(values[0])
    return separator.join(igt_parts.cell(value) or "_" for value in values)


def _same(written: list[str], igt: Igt) -> bool:
    faults = Faults(strict=False)
    again = list(_instances(list(enumerate(written, 1)), "", faults, Options(), [])) if written else []
    if len(again) != 1 or faults.noted:
        return False
    for name in ("tree", "e_tree"):  # one tag a word is all that comments hold
        has, got = getattr(igt, name), getattr(again[0], name)
        if has and got:
            igt = replace(igt, **{name: replace(has, upos=got.upos, xpos=got.xpos)})
    return again[0] == igt


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Igt]:
    """Instances of plain text."""
    waiting: list[tuple[int, str]] = []
    order, letters, heading = Order(), _Letters(), _Headings()
    held: Igt | None = None
    for k, block in enumerate(heading.without(map(igt_layout.bare, blocks(lines(stream, path, faults, options.encoding))))):
        if not k and block and block[0][1].strip() == "---":
            block = order.head(block)
        block = waiting + block
        waiting = []
        if block and order.is_ordered(block):
            yield order.instance(block, path, faults, options)
        elif block:
            for found in _instances(block, path, faults, options, waiting):
                held, ready = _continued(held, found)
                yield from map(letters.full, map(heading.above, ready))
    if held is not None:
        yield letters.full(held)


FIRST = 40
"""Blocks that are looked at before the first is read."""


class _Headings:
    """Lines that stand alone in a text whose other blocks are glossed: titles and prose, kept with the sentence after them."""

    def __init__(self) -> None:
        self.said = ""

    def without(self, found: Iterable[list[tuple[int, str]]]) -> Iterator[list[tuple[int, str]]]:
        stream = iter(found)
        first = list(islice(stream, FIRST))
        sizes = [len(block) for block in first]
        glossed = sum(size > 2 for size in sizes)
        drop = glossed > 1 and 2 * glossed >= len(sizes) and 1 in sizes
        for block in chain(first, stream):
            line = block[0][1].strip() if len(block) == 1 else ""
            if drop and line and not line.startswith("#") and not igt_parts.without_number(line)[0]:
                self.said = f"{self.said} {line}".strip()
            else:
                yield block

    def above(self, igt: Igt) -> Igt:
        said, self.said = self.said, ""
        return replace(igt, meta=(*igt.meta, ("heading", said[:300]))) if said else igt


class _Letters:
    """Numbers of parts: `b` after `(12) a` is `12b`."""

    def __init__(self) -> None:
        self.number = ""

    def full(self, igt: Igt) -> Igt:
        found = re.fullmatch(r"(\d+)([a-z]?)", igt.sent_id)
        if found:
            self.number = found[1] if found[2] else ""
        elif self.number and re.fullmatch(r"[b-z]", igt.sent_id):
            name = self.number + igt.sent_id
            return replace(igt, sent_id=name, where=replace(igt.where, sent_id=name))
        return igt


def _continued(held: Igt | None, found: Igt) -> tuple[Igt | None, list[Igt]]:
    """(what waits, what is ready): a numbered pair of lines without a translation goes on in the block without a number below."""
    if held is not None:
        if not found.sent_id and found.glosses and len(held.words) == len(held.glosses) and not found.text:
            joined = replace(
                found, words=held.words + found.words, glosses=held.glosses + found.glosses, sent_id=held.sent_id,
                where=held.where, judgement=held.judgement or found.judgement, meta=(*held.meta, *found.meta),
            )  # fmt: skip
            return None, [joined]
        return None, [held, found]
    plain = found.glosses and not (found.segments or found.translation or found.tree or found.meta)
    return (found, []) if plain and found.sent_id[:1].isdigit() else (None, [found])


def _instances(
    block: list[tuple[int, str]], path: str, faults: Faults, options: Options, waiting: list[tuple[int, str]]
) -> Iterator[Igt]:
    first = igt_comments.parsed(block[0][1])
    roles = [role for role in first[1].split() if role != "nothing"] if first and first[0] == "lines" else []
    literal = first is not None and first[0] == "lines" and set(roles) <= set(LINES)
    if not literal:
        roles = []
    pairs: igt_comments.Pairs = []
    body: list[tuple[int, str]] = []
    for k, (number, line) in enumerate(block):
        name = _ID_LINE.match(line) if not literal and not body and len(block) > 1 else None
        if name:
            pairs.append(("sent_id", name[1]))
            continue
        comment = igt_comments.parsed(line) if k < len(block) - len(roles) else None
        if comment:
            pairs.append(comment)
        else:
            body.append((number, line.rstrip(" ")))
    if not body and not literal:
        waiting += block
        return
    said = dict(reversed(pairs))
    where = Where(path, body[0][0] if body else block[0][0], said.get("sent_id", ""))
    if literal:
        named = dict(zip(roles, (line for _, line in body[-len(roles) :]), strict=False)) if roles else {}
        yield _told(_literal(named), pairs, where, faults, options)
        return
    texts = _closed_quotes([line for _, line in body])
    for start, group in _split(texts):
        place = replace(where, line=body[min(start, len(body) - 1)][0])
        yield _told(_one(group, place, faults), pairs, place, faults, options)


def _closed_quotes(texts: list[str]) -> list[str]:
    """A translation that goes on in the next line is one line."""
    found: list[str] = []
    for text in texts:
        opened = found and igt_parts.is_quoted(found[-1] + "'") and not _closes(found[-1], "'’´”\"»)]")
        if opened and len(found) > 1 and _closes(text, "'’´”\"»"):
            found[-1] = f"{found[-1]} {text.strip()}"
        else:
            found.append(text)
    return found


def _closes(text: str, marks: str) -> bool:
    """Whether one of the marks stands after the last letter or digit."""
    for char in reversed(text):
        if char in marks:
            return True
        if char.isalnum() or char == "_":
            return False
    return False


def _split(texts: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Instances that no blank line separates, where the quotes of their translations do."""
    ends = [k for k, text in enumerate(texts) if igt_parts.is_quoted(text)]
    gaps = {end - before for before, end in zip([-1, *ends], ends, strict=False)}
    if len(ends) > 1 and ends[-1] == len(texts) - 1 and gaps <= {3, 4}:
        starts = [0, *(end + 1 for end in ends[:-1])]
        for start, end in zip(starts, ends, strict=True):
            yield start, texts[start : end + 1]
    else:
        yield 0, texts


def _one(texts: list[str], where: Where, faults: Faults) -> dict[str, Any]:
    """Fields of the instance that lines make."""
    above, name, texts = igt_layout.head(texts)
    roles = igt_layout.labelled(texts) or igt_layout.roles_of(texts)
    meta: igt_comments.Pairs = [pair for pair in above if pair[0] != "language"]
    if roles is None:
        what = f"{len(texts)} lines without a blank one, 2 to 4 expected"
        faults.file(FormatError(what, where, "put a blank line between sentences; lines after the third are kept as notes"))
        roles = dict(zip(("words", "glosses", "translation"), texts, strict=False))
        meta += [("note", text.strip()) for text in texts[3:]]
    if "line" in roles:
        meta.append(("line", igt_parts.squeezed(roles["line"])))
    if "word_glosses" in roles:
        meta.append(("word_glosses", igt_parts.squeezed(roles["word_glosses"])))
    if "note" in roles:
        meta.append(("note", roles["note"].strip()))
    roles = _without_number_column(roles)
    line = roles["words"]
    number, first = igt_parts.without_number(line)
    indent = "" if number else line[: len(line) - len(line.lstrip("\t"))]
    judgement, first = igt_parts.without_judgement(first)
    aligned = [role for role in ("segments", "glosses") if role in roles]
    words, *rest = igt_parts.columns([indent + first, *(roles[role] for role in aligned)])
    if len(rest) == 2 and len(words) != len(rest[0]):
        rest = igt_parts.columns([roles[role] for role in aligned])
    cells = {role: tuple("" if x == "_" else x for x in values) for role, values in zip(aligned, rest, strict=True)}
    glosses, segments, text = cells.get("glosses", ()), cells.get("segments", ()), ""
    if segments and len(words) != len(segments) == len(glosses):
        words, text = segments, igt_parts.squeezed(first)
    if glosses and not number:
        number, words = igt_parts.without_bare_number(words, len(glosses))
    translation, source = igt_parts.unquoted(roles.get("translation", ""))
    if literal := igt_layout.LITERAL.match(source):
        meta.append(("lit", igt_parts.unquoted(source[literal.end() :])[0]))
        source = ""
    free = [("", translation), ("", igt_parts.unquoted(roles["more"])[0])] if "more" in roles else []
    return {
        "translations": tuple(free),
        "language": dict(above).get("language", ""),
        "words": words,
        "segments": segments,
        "glosses": glosses,
        "translation": translation,
        "text": text,
        "sent_id": number or name,
        "judgement": judgement,
        "meta": (*meta, ("source", source)),
    }


def _without_number_column(roles: dict[str, str]) -> dict[str, str]:
    """A number in the first of the columns between tabs, with nothing under it, goes before the first line as `(1)`."""
    found = _NUMBERED.match(roles["words"])
    rest = [line for role, line in roles.items() if role != "words"]
    if not found or not rest or not all(line.startswith("\t") for line in rest if line.strip()):
        return roles
    under = {role: line[1:] for role, line in roles.items() if role != "words"}
    return {"words": f"({found[1]}) {roles['words'][found.end() :]}", **under}


def _literal(roles: dict[str, str]) -> dict[str, Any]:
    """Fields of lines whose roles a comment names: cells between tabs, taken as they are."""
    cells = {role: tuple(line.split("\t")) for role, line in roles.items() if role != "translation"}
    words = cells.pop("words", ())
    rest = {role: tuple("" if cell == "_" else cell for cell in values) for role, values in cells.items()}
    return {"words": words, "translation": roles.get("translation", ""), **rest}


def _told(fields: dict[str, Any], pairs: igt_comments.Pairs, where: Where, faults: Faults, options: Options) -> Igt:
    """The instance of some lines and of the comments above them; a comment goes before what was guessed."""
    words = fields.pop("words")
    given = [pair for pair in pairs if pair[0] != "lines"]
    said = igt_comments.read(given, len(words), options.lang, where, faults)
    heads, rels = said.pop("heads"), said.pop("rels")
    meta = (*said.pop("meta"), *fields.pop("meta", ()))
    line = fields["translation"]
    others = said["translations"] or ((("en", said["translation"]),) if said["translation"] else ())
    if line and others and line not in [text for _, text in others]:
        said["translations"] = (*others, ("", line))
    elif line:
        del said["translation"]
    made = {**fields, **{key: value for key, value in said.items() if value or key not in fields}}
    if heads:
        made["tree"] = igt_comments.tree_from(heads, rels, words, made["tags"], where, faults)
    return igt_parts.instance(words, meta=meta, where=replace(where, sent_id=made["sent_id"]), **made)
