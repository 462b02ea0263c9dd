r"""Read examples in marked-up text: scription, SIGMORPHON, Wikitext, pandoc-ling, Typst.

| format | an example |
|---|---|
| scription | `\txn Kolu uvan.` `\m kolu uva-n` `\gl fish swim-PST` `\tln The fish swam.`; later examples without the markers, in the same order |
| SIGMORPHON | `\t` text, `\m` morphemes, `\p` tags, `\g` glosses, `\l` translation |
| Wikitext | `{{interlinear|Kolu uva-n|fish swim-PST|'The fish swam.'}}` |
| pandoc-ling | four lines `| …` (header, words, glosses, translation) between `::: ex` and `:::` |
| Typst | `#gloss(source: ([Kolu], [uva-n]), morphemes: ([fish], [swim-#pst]), translation: [The fish swam.])`, or lists in `#example[ … ]` |

`read` knows them apart by their content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.guess import is_scription
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    Options,
    blocks,
    choose_translation,
    from_file,
    from_text,
    instance,
    lines,
    normalize_space,
    one_line,
    strip_quotes,
    tokens,
    unescape,
    without_judgement,
)
from divproj.io.interlinear.sheets import aligned, complete, grid, line_roles

WINDOW = 1 << 20
"""Characters of a page that are looked at together."""
LONGEST_TEMPLATE = 20_000
"""Characters of one example; more, and its end is missing."""
DEEPEST = 20
"""Templates or brackets within one another."""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    r"""
    >>> loads("{{interlinear|Kolu uva-n|fish swim-PST|'The fish swam.'}}")[0].glosses
    ('fish', 'swim-PST')
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    """The examples of a page of Wikitext, pandoc-ling or Typst, or the sentences of a text in scription."""
    numbered = lines(stream, path, faults, options.encoding)
    first = list(_take(numbered, WINDOW))
    text = "".join(f"{line}\n" for _, line in first)
    if is_scription(text):
        yield from scription(first, numbered, path, faults, options)
        return
    finders = (("{{interlinear …}}", _wikitext, _TEMPLATE), ("#gloss( … )", _typst, _GLOSS), ("::: ex", _pandoc, _FENCE))
    kind, finder, _ = max(finders, key=lambda one: len(one[2].findall(text)))
    count = missed = missed_line = 0
    for line, example in _examples(chain(first, numbered), finder):
        igt = example and _sentence(example, Where(path, line), options)
        if igt:
            count += 1
            yield igt
        else:
            missed += 1
            missed_line = missed_line or line
    if missed and count:
        problem = f"examples ({kind}) without words over glosses, or that are not closed"
        faults.reading.omit(problem, missed, line=missed_line)
    elif missed:
        raise FormatError(f"none of {missed} examples ({kind}) has words over glosses", Where(path), "is this the right file?")


def _take(numbered: Iterator[tuple[int, str]], size: int) -> Iterator[tuple[int, str]]:
    """Lines of so many characters together."""
    while size > 0 and (following := next(numbered, None)):
        size -= len(following[1]) + 1
        yield following


def _examples(
    numbered: Iterator[tuple[int, str]], finder: Callable[[str], Iterator[tuple[int, MarkupExample | None]]]
) -> Iterator[tuple[int, MarkupExample | None]]:
    """(line, example) of a text that is read in windows; what begins near the end of one is left to the next."""
    text, line = "", 1
    while True:
        following = list(_take(numbered, WINDOW))
        text += "".join(f"{row}\n" for _, row in following)
        limit = len(text) - LONGEST_TEMPLATE if following else len(text) + 1
        cut, last, at_line = max(0, limit), 0, line
        for place, example in finder(text):
            if place >= limit:
                cut = place
                break
            at_line += text.count("\n", last, place)
            last = place
            yield at_line, example
        if not following:
            return
        line += text.count("\n", 0, cut)
        text = text[cut:]


class MarkupExample(NamedTuple):
    """An example: lines of cells that stand under one another, translations, and what is said of it."""

    lines: list[list[str]]
    free: list[str]
    about: dict[str, str]
    roles: list[str] = []


def _sentence(example: MarkupExample, where: Where, options: Options) -> Sentence | None:
    rows = [row for row in example.lines if any(cell.strip() for cell in row)]
    if not rows or not any(char.isalnum() for cell in rows[0] for char in cell):
        return None
    if len(rows) == 1:
        if not example.free:
            return None
        igt = aligned({"text": " ".join(rows[0])}, {})
    else:
        roles = example.roles or line_roles(rows)
        if len({len(row) for row in rows}) > 1:
            by_role = {role: tuple(row) for role, row in zip(roles, rows, strict=True)}
            words = by_role.get("words") or by_role.get("text") or by_role.get("morphs") or ()
            igt = instance(words, by_role.get("morphs", ()), by_role.get("glosses", ()), by_role.get("pos", ()))
        else:
            made = grid(rows, roles)
            if made is None:
                return None
            igt = made
    meta = [(key, value) for key, value in example.about.items() if value and key not in ("id", "language", "judgement")]
    about = {"meta": meta, "where": where}
    igt = complete(igt, example.free, example.about.get("id", ""), example.about.get("judgement", ""), about, options)
    language = example.about.get("language", "")
    return replace(igt, language=language) if language else igt


# Wikitext.


_TEMPLATE = re.compile(r"\{\{\s*(?:fs )?interlinear\s*\|", re.IGNORECASE)
_NAMED = re.compile(r"\s*([A-Za-z][\w -]{0,24}?)\s*=(?!=)(.*)$", re.DOTALL)
_WIKI_CELL = re.compile(r"\{([^{}]*)\}|[^\s{}]+(?:\{[^{}]*\}[^\s{}]*)*")
_TEXT_TEMPLATES = {"lang": 2, "transl": -1, "transliteration": -1, "ipa": 1, "gcl": 1, "gloss": 1, "sc": 1, "smallcaps": 1, "small": 1, "sub": 1, "sup": 1, "script": -1, "unicode": 1, "nowrap": 1, "uline": 1, "underline": 1, "bold": 1, "red": 1, "color": 2, "abbr": 1, "abbrlink": 1, "wikt-lang": -1, "l": 2, "m": 2, "lit": 1, "angbr": 1, "linktext": 1}  # fmt: skip
"""Templates whose text is one of their arguments, and which (-1: the last)."""


_PARAMETER = re.compile(
    r"(number|num|lang|indent|top|bottom|spacing|italics?|ipa|tl|c|glossing|gl|abbreviations|ablist|style|display-messages|box|class|"
    r"comments?|end|terse|underline|small-?caps|transl(iteration)?|width|float|margin|note|ref|id|inline|wrap|bold)\d*"
)
"""Parameters of the template; what stands before another `=` is the text of a line."""


def _wikitext(text: str) -> Iterator[tuple[int, MarkupExample | None]]:
    for match in _TEMPLATE.finditer(text):
        end = _closing(text, match.start(), "{{", "}}")
        if end < 0:
            yield match.start(), None
            continue
        positional: list[str] = []
        named: dict[str, str] = {}
        for part in _split(text[match.end() : end - 2], "|"):
            said = _NAMED.match(part)
            if said and not said[1].isdigit() and _PARAMETER.fullmatch(said[1].strip().lower()):
                named[said[1].strip().lower()] = said[2].strip()
            else:
                positional.append(part.strip())
        while positional and not positional[-1] and len(positional) > 3:
            positional.pop()
        body = positional[:-1] if len(positional) > 1 else []
        rows = [[_wiki(cell) for cell in _wiki_cells(row)] for row in body if row]
        free = [_wiki(positional[-1])] if len(positional) > 1 and positional[-1] else []
        number = _wiki(named.get("number", ""))
        about = {
            "heading": _wiki(named.get("top", "")),
            "note": _wiki(named.get("bottom", "")),
            "language": _wiki(named.get("lang", "")),
        }
        yield (
            match.start(),
            MarkupExample(rows, free, about | {"id": number.strip("().: ") if any(map(str.isdigit, number)) else ""}),
        )


def _closing(text: str, begin: int, opening: str, closing: str) -> int:
    """The place after what closes the bracket at `begin`; -1 where nothing does."""
    depth = 0
    for match in re.compile(f"{re.escape(opening)}|{re.escape(closing)}").finditer(text, begin, begin + LONGEST_TEMPLATE):
        depth += 1 if match[0] == opening else -1
        if not depth:
            return match.end()
    return -1


def _split(text: str, mark: str) -> Iterator[str]:
    """Parts between marks that are in no template, link or bracket."""
    depth, begin = 0, 0
    for match in re.finditer(
        rf"\{{\{{|\}}\}}|\[\[|\]\]|<(?:nowiki|ref)\b[^<>]*(?<!/)>|</(?:nowiki|ref)>|{re.escape(mark)}", text
    ):
        if match[0] == mark:
            if depth <= 0:
                yield text[begin : match.start()]
                begin = match.end()
        else:
            depth += -1 if match[0] in ("}}", "]]") or match[0].startswith("</") else 1
    yield text[begin:]


def _wiki_cells(line: str) -> list[str]:
    """Words of a line; what stands in braces is one, and templates and links with blanks stay whole."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match[0])
        return f"\ue000{len(held) - 1}\ue001"

    for _ in range(DEEPEST):
        changed = re.sub(r"\{\{[^{}]*\}\}|\[\[[^\[\]]*\]\]", hold, line)
        if changed == line:
            break
        line = changed
    line = re.sub(r"<!--.*?-->|<ref[^>/]*>.*?</ref>|<ref[^>]*/>", " ", line, flags=re.DOTALL)

    def full(cell: str) -> str:
        for _ in range(DEEPEST):
            if "\ue000" not in cell:
                break
            cell = re.sub("\ue000(\\d+)\ue001", lambda match: held[int(match[1])], cell)
        return cell

    cells = []
    for match in _WIKI_CELL.finditer(line.replace("<br />", " ").replace("<br>", " ")):
        cells.append(full(match[1] if match[1] is not None else re.sub(r"\{([^{}]*)\}", r"\1", match[0])))
    return cells


def _wiki(text: str) -> str:
    """Text without the markup of a wiki.

    >>> _wiki("'''faets''' {{gcl|ADV}}.[[Progressive aspect|PROG]] &lt;x&gt;{{=}}")
    'faets ADV.PROG <x>='
    """
    text = re.sub(r"<!--.*?-->|<ref[^>/]*>.*?</ref>|<ref[^>]*/>", "", text, flags=re.DOTALL)
    for _ in range(DEEPEST):
        changed = re.sub(r"\{\{([^{}]*)\}\}", _template, text)
        changed = re.sub(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", changed)
        if changed == text:
            break
        text = changed
    text = re.sub(r"\[(?:https?|ftp)://\S+ ([^\]]*)\]", r"\1", text)
    text = re.sub(r"<br\s*/?>", " ", text)
    text = re.sub(r"</?(?:small|big|sub|sup|b|i|u|em|strong|span|s|nowiki|code|poem|ins|tt|abbr)\b[^<>]*>", "", text)
    return normalize_space(one_line(unescape(text.replace("'''''", "").replace("'''", "").replace("''", ""))))


def _template(match: re.Match[str]) -> str:
    name, *arguments = match[1].split("|")
    name = name.strip().lower()
    if not arguments:
        return {"=": "=", "!": "|", "br": " ", "nbsp": " ", "0": "0", "pipe": "|", "null": "∅"}.get(
            name, "∅" if "zero" in name else ""
        )
    given = [argument for argument in arguments if not re.match(r"\s*[a-z]+\s*=", argument)]
    place = _TEXT_TEMPLATES.get(name, 1)
    value = given[place if place < 0 else min(place, len(given)) - 1].strip() if given else ""
    return value.upper() if name in ("sc", "smallcaps", "gcl") else value


# pandoc-ling.


_FENCE = re.compile(r"^(:{3,})[ ]*(?:ex\b|\{([^}\n]*\.ex\b[^}\n]*)\})[^\n]*$", re.MULTILINE)
_LABEL = re.compile(r"([a-z])\.[ \t]*")
_CARET = re.compile(r"\^(?:\^([^\^\s]+)\^|(\S+))\s+")


def _pandoc(text: str) -> Iterator[tuple[int, MarkupExample | None]]:
    for match in _FENCE.finditer(text):
        end = re.compile(rf"^:{{{len(match[1])},}}[ ]*$", re.MULTILINE).search(text, match.end())
        if end is None:
            yield match.start(), None
            continue
        name = re.search(r"#([\w:.-]+)", match[2] or "")
        number = name[1] if name else ""
        found = 0
        heading: list[str] = []
        label = ""
        group: list[str] = []
        for line in [*text[match.end() : end.start()].split("\n"), ""]:
            bar = re.match(r"\s*\|(?:[ \t](.*)|$)", line)
            if bar:
                group.append(bar[1] or "")
                continue
            if group:
                found += 1
                yield match.start(), _lineblock(group, number + label, heading)
                group, label, heading = [], "", []
            said = _LABEL.match(line.strip())
            if said:
                label = said[1]
                rest = line.strip()[said.end() :]
                if rest.startswith("|"):
                    group.append(rest[1:].strip())
            elif line.strip():
                heading.append(line.strip())
        if not found:
            yield match.start(), None


def _lineblock(group: Sequence[str], name: str, heading: Sequence[str]) -> MarkupExample | None:
    """The example of lines with bars: header, words, glosses, translation."""
    if len(group) < 3:
        return None
    head = group[0] if len(group) > 3 else ""
    rows = list(group[1:-1] if len(group) > 3 else group[:-1])
    judged = _CARET.match(rows[0].strip())
    about = {
        "id": name,
        "heading": " ".join((*heading, _markdown(head))).strip(),
        "judgement": (judged[1] or judged[2]) if judged else "",
    }
    if judged:
        rows[0] = rows[0].strip()[judged.end() :]
    cells = [["" if cell == "~" and k else _markdown(cell) for cell in _protected(row)] for k, row in enumerate(rows)]
    return MarkupExample(cells, [_markdown(group[-1])] if group[-1].strip() else [], about)


def _protected(line: str) -> list[str]:
    """Words of a line; a blank after a backslash, and one that does not break, divides nothing."""
    line = line.replace("\\ ", "\u00a0").replace("&nbsp;", "\u00a0")
    return [part for part in re.split(r"[ \t]+", line.strip()) if part]


def _markdown(text: str) -> str:
    """
    >>> _markdown("*kolu* [pst]{.smallcaps} **x**")
    'kolu PST x'
    """
    text = re.sub(r"\[([^\[\]]*)\]\{[^{}]*small-?caps[^{}]*\}", lambda match: match[1].upper(), text)
    text = re.sub(r"\[([^\[\]]*)\]\{[^{}]*\}", r"\1", text)
    text = re.sub(r"(?<![\w*])(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])", r"\2", text)
    text = re.sub(r"(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)", r"\1", text)
    text = re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~^-])", r"\1", text)
    return normalize_space(text.replace("\u00a0", " "))


# Typst.


_GLOSS = re.compile(
    r"#(?:numbered-)?(?:gloss|example|subexample)\s*\(|#(?:ex|example|subexample|gloss)(?:\([^()\n]*\))?\s*\[(?=[^\]]*?\n\s*(?:\+ )?- )"
)
_KEY = re.compile(r"\s*([a-z][\w-]*)\s*:\s*")
_BULLET = re.compile(r"\s*(?:\+ +)?- +(.*)")


def _bullets(content: str) -> Iterator[MarkupExample | None]:
    """Examples of the package eggs: items of a list are lines of words, two blanks apart, and the translation follows them."""
    rows: list[str] = []
    free = ""
    for line in [*content.split("\n"), "+ "]:
        bullet = _BULLET.match(line)
        begins = line.strip().startswith("+") or not line.strip()
        if rows and (begins or (bullet and free)):
            lines_ = [
                [
                    _typst_text(f"[{cell}]")
                    for cell in re.split(r" {2,}|\t" if re.search(r"\S {2,}\S", row) else r"\s+", row.strip())
                ]
                for row in rows
            ]
            yield MarkupExample(lines_, [free] if free else [], {"id": "", "heading": ""}) if len(rows) > 1 else None
            rows, free = [], ""
        if bullet:
            rows.append(bullet[1])
        elif rows and line.strip():
            free = f"{free} {_typst_text(f'[{line}]')}".strip()


def _typst(text: str) -> Iterator[tuple[int, MarkupExample | None]]:
    for match in _GLOSS.finditer(text):
        end = _balanced(text, match.end() - 1)
        if end < 0:
            yield match.start(), None
            continue
        if match[0].endswith("["):
            for example in _bullets(text[match.end() : end - 1]):
                yield match.start(), example
            continue
        given: dict[str, str] = {}
        for part in _arguments(text[match.end() : end - 1]):
            key = _KEY.match(part)
            value = part[key.end() :].strip() if key else ""
            if key and value not in ("none", "auto"):
                given[key[1].replace("_", "-").removesuffix("-text")] = value
        if "source" not in given and "morphemes" not in given:
            continue
        rows = [_items(given[key]) for key in ("source", "transliteration", "morphemes") if key in given]
        if "additional-lines" in given:
            rows += [_items(part) for part in _arguments(given["additional-lines"].strip()[1:-1]) if part.strip()]
        free = [_typst_text(given["translation"])] if "translation" in given else []
        about = {"id": given.get("label", "").strip('"<> '), "heading": _typst_text(given.get("header", ""))}
        roles = _typst_roles(given, rows)
        yield match.start(), MarkupExample(rows, [text_ for text_ in free if text_], about, roles)


def _typst_roles(given: Mapping[str, str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Roles of the lines: the transliteration is what is read where there is one, and of several lines below the best are the glosses."""
    names = [key for key in ("source", "transliteration", "morphemes") if key in given]
    roles = [{"source": "words", "transliteration": "words", "morphemes": "glosses"}[name] for name in names]
    if "transliteration" in names and "source" in names:
        roles[0] = "-"
    extra = len(rows) - len(names)
    if extra and "morphemes" in names and any(len(a) == len(rows[-1]) for a in rows[:-1]):
        below = line_roles([rows[len(names) - 2], *rows[len(names) - 1 :]])
        if below[1] == "morphs":
            return [*roles[:-1], "morphs", "glosses", *["-"] * (extra - 1)]
    return [*roles, *["-"] * extra]


def _balanced(text: str, begin: int) -> int:
    """The place after the bracket that closes the one at `begin`; -1 where none does."""
    stack: list[str] = []
    k, end = begin, min(len(text), begin + LONGEST_TEMPLATE)
    while k < end:
        char = text[k]
        if char == "\\":
            k += 2
            continue
        if char == '"' and (not stack or stack[-1] != "]"):
            closing = re.compile(r'(?<!\\)"').search(text, k + 1, end)
            if closing is None:
                return -1
            k = closing.end()
            continue
        if char in "([{" and not (stack and stack[-1] == "]" and char != "["):
            stack.append({"(": ")", "[": "]", "{": "}"}[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return k + 1
        k += 1
    return -1


def _arguments(text: str) -> Iterator[str]:
    """Parts between commas that are in no bracket or string."""
    begin = k = 0
    while k < len(text):
        if text[k] in "([{" or text[k] == '"':
            end = _balanced("(" + text[k:] + ")", 0) if text[k] == '"' else _balanced(text, k)
            if text[k] == '"':
                closing = re.compile(r'(?<!\\)"').search(text, k + 1)
                end = closing.end() if closing else len(text)
            k = end if end > k else len(text)
            continue
        if text[k] == ",":
            yield text[begin:k]
            begin = k + 1
        k += 2 if text[k] == "\\" else 1
    if text[begin:].strip():
        yield text[begin:]


def _items(value: str) -> list[str]:
    """The items of an array `([a], [b])`, or of one piece of content."""
    value = value.strip()
    if value.startswith("(") and _balanced(value, 0) == len(value):
        return [_typst_text(part) for part in _arguments(value[1:-1]) if part.strip()]
    return _typst_text(value).split()


def _typst_text(value: str) -> str:
    r"""Text of content or of a string.

    >>> _typst_text("[child-#smallcaps[nom]\\=x]"), _typst_text("[1#sg.#abbreviations.poss]"), _typst_text('"so"')
    ('child-NOM=x', '1SG.POSS', 'so')
    """
    value = re.sub(r"#(?:ex-)?(?:label|ref|cite|footnote)\([^()]*\)", "", value.strip()).strip()
    value = re.sub(r"^#?(?:smallcaps|upper|sc)\(\s*[\[\"](.*)[\]\"]\s*\)$", lambda match: f"[{match[1].upper()}]", value)
    wrapped = re.match(r"(?:[a-z][\w.-]*)(?:\([^()]*\))?(?=\[)", value)
    value = value[wrapped.end() :] if wrapped else value
    if value[:1] + value[-1:] in ("[]", '""') and len(value) > 1:
        value = value[1:-1]
    for _ in range(DEEPEST):
        changed = re.sub(r"#(?:smallcaps|upper)\[([^\[\]]*)\]", lambda match: match[1].upper(), value)
        changed = re.sub(r"#(?:sub|footnote|cite|label)\[[^\[\]]*\]", "", changed)
        changed = re.sub(r"#[a-z][\w.-]*(?:\([^()]*\))?\[([^\[\]]*)\]", r"\1", changed)
        if changed == value:
            break
        value = changed
    value = re.sub(r"#[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*(?:\(\))?", lambda match: _macro(match[0]), value)
    value = re.sub(r"(?<!\w)([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?!\w)", r"\2", value)
    return normalize_space(one_line(re.sub(r"\\(.)", r"\1", value.replace("~", " "))))


def _macro(text: str) -> str:
    """The gram that a name stands for: `#sg` is SG, `#abbreviations.poss` POSS."""
    return text.rpartition(".")[2].lstrip("#").removesuffix("()").upper()


# Scription.


_CODED = re.compile(r"\\([a-z]{1,4})(?:-([A-Za-z][\w-]*))?(?:\s+(.*)|\s*)$", re.DOTALL)
_ID = re.compile(r"#\s*(.*\S)\s*$")
_CODES = {
    "trs": "text", "txn": "words", "phon": "phon", "phn": "phon", "w": "words", "m": "morphs", "gl": "glosses", "wlt": "word_glosses",
    "tln": "translation", "lit": "lit", "sp": "speaker", "s": "source", "n": "note", "cl": "pos", "wcl": "pos", "t": "time", "ex": "note",
}  # fmt: skip
"""What the codes of scription stand for; a language, an orthography or a person may follow: `tln-en`, `txn-ipa`, `n-DWH`."""
_USUAL = {1: ("txn",), 2: ("txn", "tln"), 3: ("m", "gl", "tln"), 4: ("txn", "m", "gl", "tln")}
"""The lines of a text without codes, by their number."""


@dataclass
class _Schema:
    """The order of the lines, which the first sentence gives."""

    codes: list[tuple[str, str]] = field(default_factory=list)


def scription(
    first: Sequence[tuple[int, str]], following: Iterator[tuple[int, str]], path: str, faults: Faults, options: Options
) -> Iterator[Sentence]:
    """Sentences of a text in scription, whose first lines have its head."""
    meta, rest = _head(first)
    schema = _Schema()
    for block in blocks(chain(rest, following)):
        names: list[str] = []
        body: list[tuple[int, str]] = []
        for number, line in block:
            comment = _ID.match(line) if not body else None
            if comment:
                names.append(comment[1])
            else:
                body.append((number, line))
        if not body:
            continue
        igt = _utterance(body, names, meta, schema, path, faults, options)
        if igt is not None:
            yield igt


def _head(numbered: Sequence[tuple[int, str]]) -> tuple[list[tuple[str, str]], Sequence[tuple[int, str]]]:
    """What stands between the lines `---` at the beginning, and the lines that follow."""
    begin = next((k for k, (_, line) in enumerate(numbered) if line.strip("\ufeff \t")), 0)
    if not numbered or numbered[begin][1].strip("\ufeff \t") != "---":
        return [], numbered
    end = next((k for k in range(begin + 1, len(numbered)) if numbered[k][1].strip() in ("---", "...")), -1)
    if end < 0:
        return [], numbered[begin + 1 :]
    meta = []
    for _, line in numbered[begin + 1 : end]:
        key, colon, value = line.partition(":")
        if colon and value.strip() and not line.startswith((" ", "\t", "-", "#")):
            meta.append((f"text-{key.strip().lower()}", value.strip().strip("\"'")))
    return meta, numbered[end + 1 :]


def _utterance(
    body: list[tuple[int, str]],
    names: Sequence[str],
    head: Sequence[tuple[str, str]],
    schema: _Schema,
    path: str,
    faults: Faults,
    options: Options,
) -> Sentence | None:
    where = Where(path, body[0][0], names[0] if names else "")
    matches = [_CODED.match(line) for _, line in body]
    coded = any(matches)
    rows: list[tuple[str, str, str]] = []
    if coded:
        for (_, line), match in zip(body, matches, strict=True):
            if match:
                rows.append((match[1], match[2] or "", (match[3] or "").strip()))
            elif rows:
                rows[-1] = (*rows[-1][:2], f"{rows[-1][2]} {line.strip()}")
        if not schema.codes:
            schema.codes = (
                [row[:2] for row in rows if row[0] not in ("n", "s", "sp", "t", "ex")]
                if len(rows) > 9
                else [row[:2] for row in rows]
            )
    else:
        if not schema.codes:
            schema.codes = [(code, "") for code in _USUAL.get(len(body), _USUAL[4])]
        if len(body) != len(schema.codes):
            problem = f"{len(body)} lines, {len(schema.codes)} expected as in the first sentence"
            faults.kept(
                FormatError(problem, where, "lines beyond are notes; write codes (\\txn, \\gl …) where a line is missing")
            )
        rows = [(code, tag, line.strip()) for (code, tag), (_, line) in zip(schema.codes, body, strict=False)]
        rows += [("n", "", line.strip()) for _, line in body[len(schema.codes) :]]
    by_role: dict[str, str] = {}
    free: list[tuple[str, str]] = []
    meta = [*head]
    glosses = [(tag, value) for code, tag, value in rows if code == "gl" and value]
    languages = ("", lang_code(options.lang))
    wanted = next((pair for pair in glosses if lang_code(pair[0]) in languages), None) or next(iter(glosses), ("", ""))
    for code, tag, value in rows:
        role = _CODES.get(code, code)
        if not value:
            continue
        if role == "translation":
            free.append((tag, strip_quotes(value)[0]))
        elif role == "glosses":
            if (tag, value) == wanted and role not in by_role:
                by_role[role] = value
            else:
                meta.append((f"gloss_{tag}" if tag else "gloss2", value))
        elif role == "time":
            begin, _, end = value.partition("-")
            meta += [("begin", begin.strip()), ("end", end.strip())]
        elif role in ("text", "words", "morphs", "pos") and role not in by_role:
            by_role[role] = value
        else:
            key = {"text": "orthography", "words": "orthography"}.get(role, role)
            meta.append((f"{key}_{tag}" if tag and role in ("text", "words", "phon", "lit") else key, value))
    meta += [("note", name) for name in names[1:]]
    said = {role: tuple(_scription_cells(value)) for role, value in by_role.items()}
    judgement, first = without_judgement(said.get("words", said.get("text", ("",)))[0]) if said else ("", "")
    words = said.get("words") or said.get("text") or said.get("morphs") or ()
    if not any(char.isalnum() for word in words for char in word):
        return None
    words = (first, *words[1:]) if judgement and first else words
    lines_ = {role: said.get(role, ()) for role in ("morphs", "glosses", "pos")}
    lines_ = {role: tuple("" if cell == "~" else cell for cell in row) for role, row in lines_.items()}
    if lines_["glosses"] and len(lines_["glosses"]) != len(words):
        problem = f"{len(words)} words but {len(lines_['glosses'])} glosses"
        faults.kept(FormatError(problem, where, "write one gloss for each word"))
    translation, translations = choose_translation(free, options.lang, stated=True)
    text = " ".join(_scription_cells(by_role["text"])) if "text" in by_role and "words" in by_role else ""
    return instance(
        words, lines_["morphs"], lines_["glosses"], lines_["pos"], text=text, translation=translation, translations=translations,
        judgement=judgement, sent_id=names[0] if names else "", meta=[(key, normalize_space(value)) for key, value in meta], where=where,
    )  # fmt: skip


def _scription_cells(line: str) -> list[str]:
    """Words of a line; several in brackets are one, and asterisks around a word only emphasise it.

    >>> _scription_cells("[ka lu] *uvan* [x]a [na mi].")
    ['ka lu', 'uvan', '[x]a', 'na mi.']
    """
    if "\t" in line.strip():
        return [cell.strip() for cell in line.strip().split("\t")]
    cells = re.findall(r"(?<!\S)\[[^\[\]\n]*\s[^\[\]\n]*\][.,;:!?]*(?!\S)|\S+", line)
    bare = [re.sub(r"^\[(.*)\]([.,;:!?]*)$", r"\1\2", cell) if " " in cell else cell for cell in cells]
    return [re.sub(r"^\*(\w.*\w|\w)\*$", r"\1", cell) for cell in bare]


# SIGMORPHON.


_FIELD = re.compile(r"\\(\w+)(?:\s+(.*)|\s*)$")
KNOWN = "tmpgl"


def read_sigmorphon(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    r"""Sentences of the SIGMORPHON shared tasks: `\t` text, `\m` segments, `\p` tags, `\g` glosses, `\l` translation."""
    fields: dict[str, str] = {}
    start, last = 0, ""
    for number, line in lines(stream, path, faults, options.encoding):
        match = _FIELD.match(line.strip())
        if not line.strip() or (match and match[1] in fields):
            if fields and line.strip():
                problem = f"a second \\{match[1]} without a blank line before it" if match else ""
                faults.file(FormatError(problem, Where(path, number), "read as a new sentence"))
            if fields:
                yield _sigmorphon(fields, Where(path, start))
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
        yield _sigmorphon(fields, Where(path, start))


def _sigmorphon(fields: dict[str, str], where: Where) -> Sentence:
    rows = {key: tokens(value) for key, value in fields.items() if key in "tmpg"}
    words = rows.get("t", ()) or rows.get("m", ())
    meta = [(key, normalize_space(value)) for key, value in fields.items() if key not in KNOWN]
    translation = normalize_space(fields.get("l", ""))
    return instance(
        words, rows.get("m", ()), rows.get("g", ()), rows.get("p", ()), translation=translation, meta=meta, where=where
    )


def load_sigmorphon(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read_sigmorphon, source, faults, options)


def loads_sigmorphon(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    r"""
    >>> loads_sigmorphon("\\t canes\n\\m can-es\n\\g dog-PL\n\\l dogs\n")[0].segments
    ('can-es',)
    """
    return from_text(read_sigmorphon, text, faults, options)
