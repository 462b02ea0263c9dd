r"""Read and write plain interlinear text: blocks of lines, separated by blank lines.

    # text_fr = Le chien aboie.        comments (`rows.comment_fields`); a line `# 002` is an id
    (1) Der Hund bell-t.               words
    DEF dog bark-3SG                   glosses
    'The dog barks.'                   translation

`roles_of` decides for each block which line is which, by the number of lines, tokens that line up, quotes, abbreviations of
grammar and labels (`Gloss: …`): of four lines the first is the orthography, of two the second is the translation unless it
looks like a gloss.
Where the first block has markers (`\trs \m \gl \tln`, the format *scription*), these give the roles of the lines of all blocks
(`LineOrder`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any, BinaryIO, TextIO

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.interlinear import parts, rows, sheets
from divproj.io.interlinear.guess import is_table, period
from divproj.io.interlinear.parts import (
    Options,
    blocks,
    choose_translation,
    columns,
    instance,
    lines,
    normalize_space,
    strip_quotes,
    without_judgement,
)
from divproj.text import language_id

MOST_WRAPPED = 40
"""Lines of one sentence that goes on over several pairs of lines."""
REWRITTEN = 0.5
"""Likeness of letters from which on a line is another writing of the one above it."""


_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?|[A-Z][a-z]{1,4})(?=$|[-=~.:])")
_SURE_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du)?)(?=$|[-=~.:])")
_HEADER = re.compile(r"([^\W\d][\w' -]{1,40}?)\s*[(\[]([^()\[\]]*\d[^()\[\]]*)[)\]]$")
_NUMBER = re.compile(r"\(?([\w.:-]*\d[\w.:-]*?)[.)]?$")
_LABEL = re.compile(r"\s*([^\W\d_](?:[\w .-]{0,22}[\w.])?)\s?[:：]\s+(.*\S)\s*$")
_LABELS = {
    **dict.fromkeys(("l", "lang", "text", "tx", "txt", "original", "obj", "source", "transcription", "orth", "s"), "words"),
    **dict.fromkeys(("m", "mb", "morph", "morphs", "morphemes", "seg", "segments"), "segments"),
    **dict.fromkeys(("g", "gl", "ge", "gls", "gloss", "glosses", "glosa", "glose"), "glosses"),
    **dict.fromkeys(("t", "f", "tr", "ft", "trans", "translation", "free", "en", "eng", "english", "trad"), "translation"),
    **dict.fromkeys(("note", "notes", "comment", "source", "ref", "reference", "id"), "note"),
}
_OF_COLUMNS = {"text": "words", "morphs": "segments", "pos": "tags", "record": "note", "speaker": "speaker", "-": "note"}
_FENCE = re.compile(r"\s*(?::::|```|~~~)|[\s|:-]*\|\s*:?-{3,}[\s|:-]*$")
_BAR = re.compile(r"\s*(?:(\(@?\w*\))\s*)?\|\s?(.*)$")
_BARS_APART = re.compile(r"(?:[^|]*\s|)\|(?:\s(?:[^|]*\s|)\|)*(?:\s[^|]*|)")
"""A line of bars that have blanks on both sides."""
_BARS_CLOSE = re.compile(r"(?:[^|]*[^|\s])?(?:\|[^|\s](?:[^|]*[^|\s])?){2,}\|?")
"""A line of two bars or more that have blanks on no side."""
_SPEAKER = re.compile(r"([^\W\d_][\w.-]{0,15})\s?:\s+(?=\S)")
_AT_THE_EDGE = re.compile(r"(?:\t+|\s{3,})(?:\[([^\[\]]+)\]|\(([^()]+)\))\s*$")
LITERAL = re.compile(r"(?i)(?:lit(?:erally)?|wörtl(?:ich)?|literalmente)\b[.:]*\s*")


def bare(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Lines of a block without what Markdown puts around them: fences, and a bar before each line."""
    kept = [(number, line) for number, line in lines if not _FENCE.match(line)]
    bars = [_BAR.match(line) for _, line in kept]
    if len(kept) < 2 or not all(bars):
        return kept
    fronts = [f"{match[1]} " if match[1] and "@" not in match[1] else "" for match in bars if match]
    return [(number, front + match[2]) for (number, _), front, match in zip(kept, fronts, bars, strict=True) if match]


def cells_between_bars(block: list[tuple[int, str]], path: str = "") -> list[tuple[int, str]]:
    """Lines of a block with tabs for the bars between cells of a word each; FormatError where a row has a whole sentence.

    A bar between several words that stand above as many glosses is a mark of the text, and one at a letter (`|ui`) a click: both stay.

    >>> cells_between_bars([(1, "1 | kolu-t | uva-na"), (2, "  | dog-PL | run-PST"), (3, "  | The dogs ran.")])
    [(1, '1\\tkolu-t\\tuva-na'), (2, '\\tdog-PL\\trun-PST'), (3, '\\tThe dogs ran.')]
    """
    if len(block) < 2 or not all(_BARS_APART.fullmatch(line) or _BARS_CLOSE.fullmatch(line) for _, line in block[:2]):
        return block
    rows = [[cell.strip() for cell in line.split("|")] for _, line in block]
    if all(not row[-1] for row in rows if len(row) > 1):  # a bar at the end of each line
        rows = [row[:-1] or row for row in rows]
    if all(len(row) == len(rows[0]) > 2 and sum(" " in cell for cell in row) > 1 for row in rows[1:]):
        problem = f"lines of {len(rows[0])} cells between | look like rows of a table, a sentence in each"
        raise FormatError(
            problem, Where(path, block[0][0]), "save it as a table with tabs or commas (.tsv, .csv) and read that"
        )
    words, glosses = rows[:2]
    even = [len(cell.split()) for cell in words] == [len(cell.split()) for cell in glosses]
    if len(words) != len(glosses) or (even and any(" " in cell for cell in words)):
        return block
    return [(number, "\t".join(row) if "|" in line else line) for (number, line), row in zip(block, rows, strict=True)]


def label_role(label: str) -> str:
    """The role that a label names in one of several languages; '' when it says nothing.

    >>> label_role("Gloss"), label_role("Разбор"), label_role("Traduction libre"), label_role("Ana")
    ('glosses', 'segments', 'translation', '')
    """
    role = _LABELS.get(label.casefold()) or sheets.role_of(label)
    return _OF_COLUMNS.get(role, role)


def roles_by_label(texts: Sequence[str]) -> dict[str, str] | None:
    """Roles of lines that say themselves what they are: all of them (`Gloss: …`), or those below the glosses (`Lit: …`)."""
    matches = [_LABEL.match(text) for text in texts]
    labels = [match[1].casefold() if match else "" for match in matches]
    named = [label_role(label) if label else "" for label in labels]
    if "t" in labels and named.count("translation") > 1 and "words" not in named:
        named[labels.index("t")] = "words"  # t m g f: text, morphemes, glosses, free translation
    first = next((k for k, role in enumerate(named) if role), len(texts))
    if first and not (1 < first < 4 and {*named[first:]} <= {"translation", "lit", "note"} and "translation" in named):
        return None
    given = dict(zip(LINES[:first] if first != 2 else ("words", "glosses"), texts[:first], strict=True))
    for role, match in zip(named[first:], matches[first:], strict=True):
        if not role or not match:
            return None
        name = role if role not in given or role == "note" else {"translation": "more", "words": "line"}.get(role, "")
        given[name] = f"{given[name]}; {match[2]}" if name in given else match[2]
    return given if len(texts) > 1 and "words" in given and "" not in given else None


def head(texts: Sequence[str]) -> tuple[list[tuple[str, str]], str, list[str]]:
    """What a line above the words says (`Kolu (Smith 2001: 3)`, `KOL_001`), the number in it, and the lines that follow."""
    if len(texts) < 4:
        return [], "", list(texts)
    number, first = parts.without_number(texts[0])
    below = [len(parts.tokens(text)) for text in texts[1:3]]
    name = _NUMBER.match(texts[0].strip())
    if name and below[0] == below[1] and len(parts.tokens(texts[0])) == 1 != below[0]:
        return [], name[1], list(texts[1:])
    match = _HEADER.match(first)
    if match and below[0] == below[1] and (len(parts.tokens(first)) != below[0] or re.search(r"\d{4}|: ?\d", match[2])):
        return [("language", match[1]), ("source", match[2])], number, list(texts[1:])
    return [], "", list(texts)


def glossy(text: str, others: int) -> bool:
    """Whether a line looks like glosses of that many words: no quotes, and grams at morpheme boundaries."""
    gloss_tokens = parts.tokens(text)
    return (
        len(gloss_tokens) == others
        and not parts.is_quoted(text)
        and any(_GRAM.search(token) and re.search(r"\w[-=~.]\w", token) for token in gloss_tokens)
    )


def _grams(text: str) -> int:
    return sum(bool(_SURE_GRAM.search(token)) for token in parts.tokens(text))


def _alike(left: str, right: str) -> bool:
    first, second = ("".join(char for char in line.casefold() if char.isalpha())[:200] for line in (left, right))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() > REWRITTEN


def anchored_roles(texts: Sequence[str]) -> dict[str, str] | None:
    """Roles of more than three lines by the only one in quotes: glosses stand above it, a label may stand above the words.

    >>> anchored_roles(["negative", "uva-n ku", "run-PST not", "‘She did not run.’", "(field notes)"])["words"]
    'uva-n ku'
    """
    n = len(texts)
    quoted = [k for k, text in enumerate(texts) if parts.is_quoted(text)]
    if len(quoted) != 1 or n < 4 or quoted[0] not in (2, 3, 4):
        return None
    end = quoted[0]
    above, after = list(texts[:end]), [text.strip() for text in texts[end + 1 :]]
    counts = [len(parts.tokens(text)) for text in above]
    labelled = end > 2 and counts[0] != counts[1] and not _alike(above[0], above[1]) and counts[-1] == counts[-2]
    if not labelled and not (after and end > 2):
        return None
    roles = dict(
        zip(
            ("words", "glosses") if len(above) - labelled == 2 else ("words", "segments", "glosses"),
            above[labelled:],
            strict=False,
        )
    )
    roles["translation"] = texts[end]
    if labelled:
        roles["label"] = above[0].strip()
    if after:
        roles["note"] = " ".join(after)
    return roles


def roles_of(texts: list[str], *, pairs: bool = False) -> dict[str, str] | None:
    """Return the line of each role; None if that cannot be decided. With `pairs` two lines are words and glosses."""
    n = len(texts)
    if anchored := anchored_roles(texts):
        return anchored
    counts = [len(parts.tokens(parts.without_number(text)[1] if not k else text)) for k, text in enumerate(texts)]
    if n == 1:
        return {"words": texts[0]}
    if n == 2:
        gloss = glossy(texts[1], counts[0]) or (pairs and not parts.is_quoted(texts[1]))
        return {"words": texts[0], ("glosses" if gloss else "translation"): texts[1]}
    if n == 3:
        if glossy(texts[2], counts[1]) and not glossy(texts[1], counts[0]) and counts[0] == counts[1]:
            return dict(zip(("words", "segments", "glosses"), texts, strict=True))
        return dict(zip(("words", "glosses", "translation"), texts, strict=True))
    if n == 4:
        if (parts.is_quoted(texts[2]) and parts.is_quoted(texts[3])) or _two_translations(texts, counts):
            return dict(zip(("words", "glosses", "translation", "more"), texts, strict=True))
        if parts.is_quoted(texts[2]) or (glossy(texts[1], counts[0]) and not glossy(texts[2], counts[1])):
            return dict(zip(("words", "glosses", "translation", "note"), texts, strict=True))
        return dict(zip(("words", "segments", "glosses", "translation"), texts, strict=True))
    if n == 5 and (role_lines := _five(texts, counts)):
        return role_lines
    for roles in (("words", "glosses"), ("words", "segments", "glosses")):
        size = len(roles)
        last = n % size
        groups = [counts[k : k + size] for k in range(0, n - last, size)]
        if last < 2 and n <= MOST_WRAPPED and not is_table(texts) and all(group[-1] == group[-2] for group in groups):
            wrapped = {role: " ".join(texts[k : n - last : size]) for k, role in enumerate(roles)}
            return {**wrapped, "translation": texts[-1]} if last else wrapped
    return None


def _two_translations(texts: list[str], counts: list[int]) -> bool:
    """Whether the last two of four lines are translations in two languages, without quotes, below words and glosses."""
    if counts[0] != counts[1] or counts[1] == counts[2] or any(map(parts.is_quoted, texts)):
        return False
    languages = {language_id.of_text(text).code for text in texts[2:]} - {""}
    return len(languages) == 2 or not (_grams(texts[2]) or _alike(texts[0], texts[1]))


def _five(texts: list[str], counts: list[int]) -> dict[str, str] | None:
    """Five lines that are one sentence with a line more, rather than two pairs of words and glosses."""
    if not counts[0] == counts[1] == counts[2] == counts[3] or counts[0] == 1 or parts.is_quoted(texts[3]):
        return None
    grams = [_grams(text) for text in texts[:4]]
    if grams[1] + grams[3] > 2 * grams[2] and not _alike(texts[0], texts[1]):
        return None
    if grams[3] > grams[2] and _alike(texts[1], texts[2]):
        return dict(zip(("words", "line", "segments", "glosses", "translation"), texts, strict=True))
    return dict(zip(("words", "segments", "glosses", "word_glosses", "translation"), texts, strict=True))


ROLES = {
    "trs": "words", "txn": "words", "tx": "words", "t": "words", "phon": "line", "m": "segments", "mb": "segments", "mor": "segments",
    "gl": "glosses", "ge": "glosses", "g": "glosses", "gls": "glosses", "w": "line", "wlt": "word_glosses", "tln": "translation",
    "ft": "translation", "tr": "translation", "lit": "lit", "sp": "speaker", "s": "source", "n": "note", "cl": "tags", "ps": "tags",
}  # fmt: skip
"""What the markers stand for; a language code may follow, `tln-en`."""
_MARKED = re.compile(r"\\([a-z]{1,4})(?:-([a-z]{2,3}))?(?:\s+(.*)|\s*)$", re.DOTALL)
_ID = re.compile(r"#\s*(.*\S)\s*$")


class LineOrder:
    """The roles of the lines of a block, learned from the first block with markers."""

    def __init__(self) -> None:
        self.roles: list[tuple[str, str]] = []
        self.header: list[tuple[str, str]] = []

    def head(self, block: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The lines after the head of a file, which stands between `---`; what it says is kept."""
        end = next((k for k, (_, line) in enumerate(block[1:], 1) if line.strip() == "---"), 0)
        if not end:
            return block
        for _, line in block[1:end]:
            key, colon, value = line.partition(":")
            if colon and value.strip():
                self.header.append((f"text-{key.strip().lower()}", value.strip()))
        return block[end + 1 :]

    def is_ordered(self, block: list[tuple[int, str]]) -> bool:
        """Whether the lines of a block have markers, or follow an order that was said before."""
        body = [line for _, line in block if not line.startswith("#")]
        marked = [match for line in body if (match := _MARKED.match(line)) and match[1] in ROLES]
        if body and len(marked) == len(body) and any(ROLES[match[1]] == "words" for match in marked):
            self.roles = [(ROLES[match[1]], match[2] or "") for match in marked]
            return True
        return bool(self.roles) and len(body) == len(self.roles) and not marked

    def instance(self, block: list[tuple[int, str]], path: str, faults: Faults, options: Options) -> Sentence:
        sent_id = ""
        values: list[str] = []
        meta = list(self.header)
        for _, line in block:
            name = _ID.match(line)
            if name and not values:
                if sent_id:
                    meta.append(("note", name[1]))
                sent_id = sent_id or name[1]
            else:
                match = _MARKED.match(line)
                values.append((match[3] or "") if match else line)
        by_role: dict[str, str] = {}
        free: list[tuple[str, str]] = []
        for (role, code), value in zip(self.roles, values, strict=True):
            if role == "translation":
                free.append((code, strip_quotes(value)[0]))
            elif role in ("words", "segments", "glosses", "tags") and role not in by_role:
                by_role[role] = value
            else:
                meta.append((role, normalize_space(value)))
        judgement, first = without_judgement(by_role.get("words", ""))
        aligned = [role for role in ("segments", "glosses", "tags") if by_role.get(role, "").strip()]
        rows = columns([first, *(by_role[role] for role in aligned)])
        cells = dict(zip(("words", *aligned), rows, strict=True))
        cells = {role: tuple("" if cell == "~" and role != "words" else cell for cell in row) for role, row in cells.items()}
        if len(cells["words"]) != len(cells.get("glosses", cells["words"])):
            problem = f"{len(cells['words'])} words but {len(cells['glosses'])} glosses"
            faults.kept(FormatError(problem, Where(path, block[0][0], sent_id), "write one gloss for each word"))
        translation, translations = choose_translation(free, options.lang, stated=True)
        return instance(
            cells["words"],
            cells.get("segments", ()),
            cells.get("glosses", ()),
            cells.get("tags", ()),
            translation=translation,
            translations=translations,
            judgement=judgement,
            sent_id=sent_id,
            meta=meta,
            where=Where(path, block[0][0], sent_id),
        )


def dump(instances: Iterable[Sentence], out: TextIO, *, bare: bool = False) -> None:
    """Plain text; `bare` leaves out the `# key = value` lines."""
    for igt in instances:
        out.write(dumps([igt], bare=bare))


def dumps(instances: Iterable[Sentence], *, bare: bool = False) -> str:
    """
    >>> print(dumps([Sentence(("Hund", "bell-t"), (), ("dog", "bark-3SG"), translation="A dog barks.")]), end="")
    Hund bell-t
    dog bark-3SG
    A dog barks.
    """
    return "".join("\n".join(_instance_lines(igt, bare)) + "\n\n" for igt in instances)


_ID_LINE = re.compile(r"#\s*([\w.:-]*\d[\w.:-]*)\s*$")
_NUMBERED = re.compile(r"\(?(\d+[a-z]?)[.)]?\t+")
_APART = re.compile(r"\(?(\d+[a-z]?)[.)]?(?:\t+| {2,})(?=\S)")
"""A number that a tab or wide gap sets apart from the words."""
PAIRS = 0.5
"""Share of the blocks of two lines that are words and glosses, from which on all are."""
LINES = ("words", "segments", "glosses", "translation")
"""What the lines of an instance may be."""


def _instance_lines(igt: Sentence, bare: bool) -> list[str]:
    """Return the simplest lines that are read back as the same instance."""
    said = rows.of_instance(igt, rows=False)
    number = igt.sent_id if re.fullmatch(r"\d+[a-z]?", igt.sent_id) else ""
    if number:
        said.remove(("sent_id", number))
    body = (igt.words, igt.segments, igt.glosses, (igt.translation,) if igt.translation else ())
    used = [(role, values) for role, values in zip(LINES, body, strict=True) if values]
    front = f"({number}) " if number and not bare else ""
    for separator in (" ", "\t"):
        text_lines = [_line(role, values, separator) for role, values in used]
        if used and used[0][0] == "words":
            text_lines[0] = front + igt.judgement + text_lines[0]
        if bare:
            return text_lines or ["_"]
        above = [f"# {key} = {value}" for key, value in said]
        if _same(above + text_lines, igt):
            return above + text_lines
    explicit = [("lines", " ".join(role for role, _ in used) or "nothing"), *rows.of_instance(igt, rows=False)]
    if igt.judgement:
        explicit.append(("grammaticality", igt.judgement))
    return [*(f"# {key} = {value}" for key, value in explicit), *(_line(role, values, "\t") for role, values in used)]


def _line(role: str, values: tuple[str, ...], separator: str) -> str:
    if role == "translation":
        return parts.one_line(values[0])
    return separator.join(parts.cell(value) or "_" for value in values)


def _same(written: list[str], igt: Sentence) -> bool:
    faults = Faults(strict=False)
    try:
        block = cells_between_bars(bare(list(enumerate(written, 1))))
    except FormatError:
        return False
    again = list(_instances(block, "", faults, Options(), [])) if block else []
    if len(again) != 1 or faults.noted:
        return False
    for name in ("tree", "e_tree"):  # one tag a word is all that comments hold
        has, got = getattr(igt, name), getattr(again[0], name)
        if has and got:
            igt = replace(igt, **{name: replace(has, upos=got.upos, xpos=got.xpos)})
    return again[0] == igt


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    """Instances of plain text."""
    waiting: list[tuple[int, str]] = []
    order, letters, heading = LineOrder(), _PartNumbers(), _Headings()
    held: Sentence | None = None
    bare_blocks = _bare_blocks(blocks(lines(stream, path, faults, options.encoding)), path, faults)
    stream_of_blocks = _whole_examples(block for block in bare_blocks if block)
    first_blocks = list(islice(stream_of_blocks, FIRST))
    pairs = are_pairs([[line for _, line in block] for block in first_blocks])
    for k, block in enumerate(heading.without(chain(first_blocks, stream_of_blocks))):
        if not k and block and block[0][1].strip() == "---":
            block = order.head(block)
        block = waiting + block
        waiting = []
        if block and order.is_ordered(block):
            yield order.instance(block, path, faults, options)
        elif block:
            for igt in _instances(block, path, faults, options, waiting, pairs_of_lines=pairs):
                held, ready = _join_continuation(held, igt)
                yield from map(letters.full, map(heading.above, ready))
    if held is not None:
        yield letters.full(held)


FIRST = 40
"""Blocks that are examined before the first is read."""


def _bare_blocks(text_blocks: Iterable[list[tuple[int, str]]], path: str, faults: Faults) -> Iterator[list[tuple[int, str]]]:
    """Blocks with cells; rows of a table are left out, and refused where there is nothing else."""
    refusal: FormatError | None = None
    is_read = False
    for block in text_blocks:
        try:
            ready = cells_between_bars(bare(block), path)
        except FormatError as error:
            refusal = refusal or error
            faults.reading.omit("rows of a table between bars", len(block), line=block[0][0])
            continue
        is_read = True
        yield ready
    if refusal and not is_read:
        raise refusal


def _whole_examples(text_blocks: Iterable[list[tuple[int, str]]]) -> Iterator[list[tuple[int, str]]]:
    """Blocks; a translation in quotes that stands alone is joined to the words and glosses above it."""
    waiting: list[list[tuple[int, str]]] = []
    for block in text_blocks:
        size = _waits_for_translation(waiting) if len(block) == 1 and parts.is_quoted(block[0][1]) else 0
        if size:
            yield from waiting[:-size]
            waiting = [[line for part in (*waiting[-size:], block) for line in part]]
            continue
        if len(waiting) == 3:
            yield waiting.pop(0)
        waiting.append(block)
    yield from waiting


def _waits_for_translation(text_blocks: Sequence[Sequence[tuple[int, str]]]) -> int:
    """How many of the last blocks are words and glosses without a translation: one of several lines, or lines that stand alone."""
    if not text_blocks or any(parts.is_quoted(line) for _, line in text_blocks[-1]):
        return 0
    lines_above = [line for part in text_blocks for _, line in part][-3:]
    counts = [len(parts.tokens(parts.without_number(line)[1])) for line in lines_above]
    if len(counts) < 2 or counts[-1] != counts[-2]:
        return 0
    if len(text_blocks[-1]) > 1:
        return 1
    alone = [len(part) == 1 for part in text_blocks[-3:]]
    if alone == [True] * 3 and len({*counts}) == 1 and _alike(*lines_above[:2]):
        return 3
    return 2 if alone[-2:] == [True] * 2 else 0


def are_pairs(text_blocks: Sequence[Sequence[str]]) -> bool:
    """Whether the blocks of two lines in a text are words and glosses, without translations."""
    two = [block for block in text_blocks if len(block) == 2 and not block[0].startswith("#")]
    glossed = sum(glossy(block[1], len(parts.tokens(without_number_apart(block[0])[1]))) for block in two)
    return glossed > PAIRS * len(two) and not any(parts.is_quoted(block[1]) for block in two)


def without_number_apart(line: str) -> tuple[str, str]:
    """A number that a tab or a wide gap sets apart from the words, and the rest of the line.

    >>> without_number_apart("12\\tkolu\\tuva"), without_number_apart("3 dogs")
    (('12', 'kolu\\tuva'), ('', '3 dogs'))
    """
    match = _APART.match(line.lstrip(" "))
    return (match[1], line.lstrip(" ")[match.end() :]) if match else ("", line)


class _Headings:
    """Lines that stand alone in a text whose other blocks are glossed: titles and prose, kept with the sentence after them."""

    def __init__(self) -> None:
        self.said = ""

    def without(self, text_blocks: Iterable[list[tuple[int, str]]]) -> Iterator[list[tuple[int, str]]]:
        stream = iter(text_blocks)
        first = list(islice(stream, FIRST))
        sizes = [len(block) for block in first]
        glossed = sum(size > 2 for size in sizes)
        drop = glossed > 1 and 2 * glossed >= len(sizes) and 1 in sizes
        for block in chain(first, stream):
            line = block[0][1].strip() if len(block) == 1 else ""
            titled = line.startswith("#") and not rows.parse_comment(line) and not _ID_LINE.match(line)
            if drop and line and (titled or not line.startswith("#")) and not parts.without_number(line)[0]:
                self.said = f"{self.said} {line.lstrip('# ')}".strip()
            else:
                yield block

    def above(self, igt: Sentence) -> Sentence:
        said, self.said = self.said, ""
        return replace(igt, meta=(*igt.meta, ("heading", said[:300]))) if said else igt


class _PartNumbers:
    """Numbers of parts: `b` after `(12) a` is `12b`."""

    def __init__(self) -> None:
        self.number = ""

    def full(self, igt: Sentence) -> Sentence:
        match = re.fullmatch(r"(\d+)([a-z]?)", igt.sent_id)
        if match:
            self.number = match[1] if match[2] else ""
        elif self.number and re.fullmatch(r"[b-z]", igt.sent_id):
            name = self.number + igt.sent_id
            return replace(igt, sent_id=name, where=replace(igt.where, sent_id=name))
        return igt


def _join_continuation(held: Sentence | None, igt: Sentence) -> tuple[Sentence | None, list[Sentence]]:
    """(what waits, what is ready): a numbered pair of lines without a translation goes on in the block without a number below."""
    if held is not None:
        if not igt.sent_id and igt.glosses and len(held.words) == len(held.glosses) and not igt.text:
            joined = replace(
                igt, words=held.words + igt.words, glosses=held.glosses + igt.glosses, sent_id=held.sent_id,
                where=held.where, judgement=held.judgement or igt.judgement, meta=(*held.meta, *igt.meta),
            )  # fmt: skip
            return None, [joined]
        return None, [held, igt]
    plain = igt.glosses and not (igt.segments or igt.translation or igt.tree or igt.meta)
    return (igt, []) if plain and igt.sent_id[:1].isdigit() else (None, [igt])


def _instances(
    block: list[tuple[int, str]],
    path: str,
    faults: Faults,
    options: Options,
    waiting: list[tuple[int, str]],
    *,
    pairs_of_lines: bool = False,
) -> Iterator[Sentence]:
    first = rows.parse_comment(block[0][1])
    roles = [role for role in first[1].split() if role != "nothing"] if first and first[0] == "lines" else []
    literal = first is not None and first[0] == "lines" and set(roles) <= set(LINES)
    if not literal:
        roles = []
    pairs: rows.Pairs = []
    body: list[tuple[int, str]] = []
    for k, (number, line) in enumerate(block):
        name = _ID_LINE.match(line) if not literal and not body and len(block) > 1 else None
        if name:
            pairs.append(("sent_id", name[1]))
            continue
        comment = rows.parse_comment(line) if k < len(block) - len(roles) else None
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
        yield _build_instance(_literal(named), pairs, where, faults, options)
        return
    texts = _join_open_quotes([line for _, line in body])
    for start, group in _split(texts):
        place = replace(where, line=body[min(start, len(body) - 1)][0])
        yield _build_instance(_one(group, place, faults, pairs=pairs_of_lines), pairs, place, faults, options)


def _join_open_quotes(texts: list[str]) -> list[str]:
    """A translation that goes on in the next line is one line."""
    closed_lines: list[str] = []
    for text in texts:
        opened = closed_lines and parts.is_quoted(closed_lines[-1] + "'") and not _closes(closed_lines[-1], "'’´”\"»)]")
        if opened and len(closed_lines) > 1 and _closes(text, "'’´”\"»"):
            closed_lines[-1] = f"{closed_lines[-1]} {text.strip()}"
        else:
            closed_lines.append(text)
    return closed_lines


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
    ends = [k for k, text in enumerate(texts) if parts.is_quoted(text)]
    gaps = {end - before for before, end in zip([-1, *ends], ends, strict=False)}
    if len(ends) > 1 and ends[-1] == len(texts) - 1 and gaps <= {3, 4}:
        starts = [0, *(end + 1 for end in ends[:-1])]
        for start, end in zip(starts, ends, strict=True):
            yield start, texts[start : end + 1]
    elif size := period(texts):
        yield from ((k, texts[k : k + size]) for k in range(0, len(texts), size))
    else:
        yield 0, texts


def _one(texts: list[str], where: Where, faults: Faults, *, pairs: bool = False) -> dict[str, Any]:
    """Fields of the instance that lines make."""
    above, name, texts = head(texts)
    title = ""
    if len(texts) == 3 and pairs and re.match(r"\(?\d+[.)]?\s", texts[1]) and not without_number_apart(texts[0])[0]:
        title, texts = texts[0].strip(), [re.sub(r"^(\(?\d+[.)]?)\s+", r"\1\t", texts[1]), texts[2]]
    apart, first = without_number_apart(texts[0])
    if (
        apart
        and len(texts) > 1
        and not any(without_number_apart(text)[0] for text in texts[1:])
        and not texts[1].startswith("\t")
    ):
        name, texts = name or apart, [first, *texts[1:]]
    meta: rows.Pairs = [pair for pair in above if pair[0] != "language"]
    roles = roles_by_label(texts)
    if roles is None:
        texts = _without_asides(texts, meta)
        roles = roles_of(texts, pairs=pairs)
    if roles is None:
        problem = f"{len(texts)} lines without a blank one, 2 to 4 expected"
        faults.file(FormatError(problem, where, "put a blank line between sentences; lines after the third are kept as notes"))
        roles = dict(zip(("words", "glosses", "translation"), texts, strict=False))
        meta += [("note", text.strip()) for text in texts[3:]]
    meta += [("heading", title)] if title else []
    meta += [("label", roles.pop("label"))] if "label" in roles else []
    if "line" in roles:
        meta.append(("line", parts.normalize_space(roles["line"])))
    if "word_glosses" in roles:
        meta.append(("word_glosses", parts.normalize_space(roles["word_glosses"])))
    meta += [(key, roles[key].strip()) for key in ("lit", "speaker", "note") if key in roles]
    roles = _without_number_column(roles)
    line = roles["words"]
    number, first = parts.without_number(line)
    indent = "" if number else line[: len(line) - len(line.lstrip("\t"))]
    judgement, first = parts.without_judgement(first)
    aligned = [role for role in ("segments", "glosses", "tags") if role in roles]
    words, *rest = parts.columns([indent + first, *(roles[role] for role in aligned)])
    if len(rest) > 1 and len(words) != len(rest[0]):
        rest = parts.columns([roles[role] for role in aligned])
    cells = {role: tuple("" if x == "_" else x for x in values) for role, values in zip(aligned, rest, strict=True)}
    glosses, segments, text = cells.get("glosses", ()), cells.get("segments", ()), ""
    if segments and len(words) != len(segments) == len(glosses):
        words, text = segments, parts.normalize_space(first)
    if glosses and not number:
        number, words = parts.without_bare_number(words, len(glosses))
    translation, source = parts.strip_quotes(roles.get("translation", ""))
    if literal := LITERAL.match(source):
        meta.append(("lit", parts.strip_quotes(source[literal.end() :])[0]))
        source = ""
    free = [("", translation), ("", parts.strip_quotes(roles["more"])[0])] if "more" in roles else []
    return {
        "translations": tuple(free),
        "language": dict(above).get("language", ""),
        "words": words,
        "segments": segments,
        "glosses": glosses,
        "tags": cells.get("tags", ()),
        "translation": translation,
        "text": text,
        "sent_id": number or name,
        "judgement": judgement,
        "meta": (*meta, ("source", source)),
    }


def _without_asides(texts: list[str], meta: rows.Pairs) -> list[str]:
    """Lines without who speaks before the words (`Ana: kolu uvan`) and a source at their right; both go to `meta`."""
    if len(texts) < 2:
        return texts
    first, wanted = texts[0], len(parts.tokens(texts[1]))
    number = parts.without_number(first)[0]
    edge = _AT_THE_EDGE.search(first)
    if edge and len(parts.tokens(parts.without_number(first)[1])) != wanted:
        rest = parts.without_number(first[: edge.start()])[1]
        if len(parts.tokens(_SPEAKER.sub("", rest, count=1))) == wanted or len(parts.tokens(rest)) == wanted:
            meta.append(("source", next(filter(None, edge.groups()))))
            first = first[: edge.start()]
    rest = parts.without_number(first)[1]
    said = _SPEAKER.match(rest)
    if said and len(parts.tokens(rest)) == wanted + 1 and len(parts.tokens(rest[said.end() :])) == wanted:
        meta.append(("speaker", said[1]))
        first = f"({number}) {rest[said.end() :]}" if number else rest[said.end() :]
    return [first, *texts[1:]]


def _without_number_column(roles: dict[str, str]) -> dict[str, str]:
    """A number in the first of the columns between tabs, with nothing under it, goes before the first line as `(1)`."""
    match = _NUMBERED.match(roles["words"])
    rest = [line for role, line in roles.items() if role != "words"]
    if not match or not rest or not all(line.startswith("\t") for line in rest if line.strip()):
        return roles
    under = {role: line[1:] for role, line in roles.items() if role != "words"}
    return {"words": f"({match[1]}) {roles['words'][match.end() :]}", **under}


def _literal(roles: dict[str, str]) -> dict[str, Any]:
    """Fields of lines whose roles a comment names: cells between tabs, taken as they are."""
    cells = {role: tuple(line.split("\t")) for role, line in roles.items() if role != "translation"}
    words = cells.pop("words", ())
    rest = {role: tuple("" if cell == "_" else cell for cell in values) for role, values in cells.items()}
    return {"words": words, "translation": roles.get("translation", ""), **rest}


def _build_instance(fields: dict[str, Any], pairs: rows.Pairs, where: Where, faults: Faults, options: Options) -> Sentence:
    """The instance of some lines and of the comments above them; a comment goes before what was guessed."""
    words = fields.pop("words")
    given = [pair for pair in pairs if pair[0] != "lines"]
    said = rows.comment_fields(given, len(words), options.lang, where, faults)
    heads, deprels = said.pop("heads"), said.pop("rels")
    meta = (*said.pop("meta"), *fields.pop("meta", ()))
    line = fields["translation"]
    others = said["translations"] or ((("en", said["translation"]),) if said["translation"] else ())
    if line and others and line not in [text for _, text in others]:
        said["translations"] = (*others, ("", line))
    elif line:
        del said["translation"]
    all_fields = {**fields, **{key: value for key, value in said.items() if value or key not in fields}}
    if heads:
        all_fields["tree"] = rows.tree_from(heads, deprels, words, all_fields["tags"], where, faults)
    return parts.instance(words, meta=meta, where=replace(where, sent_id=all_fields["sent_id"]), **all_fields)
