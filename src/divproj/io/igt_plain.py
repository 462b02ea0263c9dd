"""Plain interlinear text in and out: lines between blank ones.

Language, gloss and translation; with four lines the orthography comes first, with two there is no gloss. How many there are is
decided for each instance. `# key = value` lines above say more (`igt_comments`); a line `# 002` is an id. A first block whose
lines begin with markers (`\\trs \\m \\gl \\tln`, the format *scription*) says what the lines of all blocks are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, TextIO

from divproj.data.errors import Faults, FormatError, Where
from divproj.data.igt import Igt
from divproj.io import igt_comments, igt_parts
from divproj.io.igt_guess import is_table
from divproj.io.igt_order import Order
from divproj.io.igt_text import Options, blocks, lines

_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?|[A-Z][a-z]{1,4})(?=$|[-=~.:])")


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


MOST_WRAPPED = 40
"""Lines of one sentence that goes on over several pairs of lines."""
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
    order = Order()
    for k, block in enumerate(blocks(lines(stream, path, faults, options.encoding))):
        if not k and block[0][1].strip() == "---":
            block = order.head(block)
        block = waiting + block
        waiting = []
        if block and order.is_ordered(block):
            yield order.instance(block, path, faults, options)
        elif block:
            yield from _instances(block, path, faults, options, waiting)


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


def _glossy(text: str, others: int) -> bool:
    """Whether a line looks like glosses of that many words: no quotes, and grams at morpheme boundaries."""
    found = igt_parts.tokens(text)
    return (
        len(found) == others
        and not igt_parts.is_quoted(text)
        and any(_GRAM.search(token) and re.search(r"\w[-=~.]\w", token) for token in found)
    )


def _roles(texts: list[str]) -> dict[str, str] | None:
    """Which line is what; None when nobody can tell."""
    n = len(texts)
    counts = [len(igt_parts.tokens(text)) for text in texts]
    if n == 1:
        return {"words": texts[0]}
    if n == 2:
        return {"words": texts[0], ("glosses" if _glossy(texts[1], counts[0]) else "translation"): texts[1]}
    if n == 3:
        if _glossy(texts[2], counts[1]) and not _glossy(texts[1], counts[0]) and counts[0] == counts[1]:
            return dict(zip(("words", "segments", "glosses"), texts, strict=True))
        return dict(zip(("words", "glosses", "translation"), texts, strict=True))
    if n == 5 and counts[0] == counts[1] == counts[2] == counts[3] != 1 and not igt_parts.is_quoted(texts[3]):
        return dict(zip(("words", "segments", "glosses", "word_glosses", "translation"), texts, strict=True))
    if n == 4:
        if igt_parts.is_quoted(texts[2]) or (_glossy(texts[1], counts[0]) and not _glossy(texts[2], counts[1])):
            return dict(zip(("words", "glosses", "translation", "note"), texts, strict=True))
        return dict(zip(("words", "segments", "glosses", "translation"), texts, strict=True))
    for roles in (("words", "glosses"), ("words", "segments", "glosses")):
        size = len(roles)
        last = n % size
        groups = [counts[k : k + size] for k in range(0, n - last, size)]
        if last < 2 and n <= MOST_WRAPPED and not is_table(texts) and all(group[-1] == group[-2] for group in groups):
            wrapped = {role: " ".join(texts[k : n - last : size]) for k, role in enumerate(roles)}
            return {**wrapped, "translation": texts[-1]} if last else wrapped
    return None


def _one(texts: list[str], where: Where, faults: Faults) -> dict[str, Any]:
    """Fields of the instance that lines make."""
    roles = _roles(texts)
    meta: igt_comments.Pairs = []
    if roles is None:
        what = f"{len(texts)} lines without a blank one, 2 to 4 expected"
        faults.file(FormatError(what, where, "put a blank line between sentences; lines after the third are kept as notes"))
        roles = dict(zip(("words", "glosses", "translation"), texts, strict=False))
        meta = [("note", text.strip()) for text in texts[3:]]
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
    return {
        "words": words,
        "segments": segments,
        "glosses": glosses,
        "translation": translation,
        "text": text,
        "sent_id": number,
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
