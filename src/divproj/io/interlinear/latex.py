r"""Read interlinear examples in LaTeX: gb4e, langsci-gb4e, covington, linguex, philex, expex, and macros of the author's own.

    \ea\label{ex:dogs} Latin (Smith 2001: 5)          label; a line of text above (preamble)
    \gll can-es latr-ant \\                           words
         dog-\textsc{pl} bark-3\textsc{pl} \\         glosses
    \glt `Dogs bark.' (lit. `dogs are barking')       translation, and a literal one
    \z

The steps, all on the tokens of `tex`:

1. `pieces` walks through the file and collects, for each opening macro (`\gll`, `\exg.`, `\digloss`, `\begingl`), its lines,
   what precedes them, and its translation. An example ends where its package ends it.
2. Pieces that continue one another are combined: under `\sn`, or a second `\gll` without a translation between.
3. `guess_layout` lets the examples with three lines vote whether a file has words, segmentation and glosses, or words, glosses
   and something else; `fields` assigns the lines accordingly and removes placeholders that only fill columns.
4. The translation is what stands in the quotes; a literal translation, source or note after it is kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from divproj.core.errors import Faults, FormatError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    from_text,
    instance,
    lines,
    normalize_space,
    without_judgement,
)
from divproj.io.interlinear.tex import (
    Definition,
    TexToken,
    argument,
    arguments,
    definitions_of,
    expand_macros,
    group_end,
    optional,
    plain,
    plain_text,
    skip_space,
    tokenize,
    typographic,
    without_open_groups,
    words,
)
from divproj.text import language_id

SPARSE_LINE = 0.4
"""Share of empty words from which on a line is a remark on some words rather than a gloss of all."""
GLOSS_GRAMS, SAME_WORDS = 0.3, 0.4
"""Share of words with abbreviations of grammar from which the second line is the gloss; likeness of letters from which it has the same words
as the first."""


_LETTERS = re.compile(r"[^\W\d_]+")
_GRAM = re.compile(r"(?:^|[-=~.:/>])(?:[A-Z][A-Z0-9]+|[123](?:[A-Z]\w*)?)(?=$|[-=~.:/<>])")
_AT = re.compile(r"^@$")


def guess_layout(examples: Sequence[Sequence[Sequence[TexToken]]]) -> str:
    """What three lines are in this file: `wsg` words, segmentation, gloss, or `wgx` words, gloss, and something more."""
    votes = 0.0
    for rows in examples:
        if len(rows) == 3:
            votes += _vote([words(row, gloss=k > 0) for k, row in enumerate(rows)])
    return "wgx" if votes > 0 else "wsg"


def _vote(lines: Sequence[tuple[str, ...]]) -> float:
    """Above 0 when the second line is the gloss."""
    first, second, third = lines
    if not third or _empty(third) - _empty(first) > SPARSE_LINE:
        return 2.0
    grams = [sum(bool(_GRAM.search(word)) for word in line) / max(1, len(line)) for line in lines]
    if grams[1] > GLOSS_GRAMS and grams[1] > 2 * grams[0] and not grams[2] > grams[1]:
        return 1.0
    alike = SequenceMatcher(None, _letters(first), _letters(second), autojunk=False).ratio()
    return -1.0 if alike > SAME_WORDS or grams[2] > grams[1] else 0.0


def find_gloss_arguments(groups: Sequence[Sequence[TexToken]]) -> list[Sequence[TexToken]] | None:
    """Two arguments of a macro that line up as words and glosses, and the one after them; None when none look so."""
    for k in range(len(groups) - 2):
        above, below = words(groups[k], gloss=False), words(groups[k + 1], gloss=True)
        grams = sum(bool(_GRAM.search(word)) for word in below)
        if (
            len(above) == len(below) > 1
            and grams
            and not any(_GRAM.search(word) for word in above)
            and words(groups[k + 2], gloss=False)
        ):
            return [groups[k], groups[k + 1], groups[k + 2]]
    return None


def _empty(line: tuple[str, ...]) -> float:
    return sum(not word for word in line) / len(line) if line else 0.0


def _letters(line: tuple[str, ...]) -> str:
    return "".join(_LETTERS.findall(" ".join(line).lower()))[:200]


def fields(rows: Sequence[Sequence[TexToken]], kind: str) -> dict[str, list[str]]:
    """Words, segments, glosses of the lines of an example, and `line` for one more."""
    n = len(rows)
    names = {
        0: (),
        1: ("words",),
        2: ("words", "glosses"),
        3: ("words", "segments", "glosses") if kind == "wsg" else ("words", "glosses", "line"),
    }
    roles: tuple[str, ...] = names.get(n, ("words", "segments", "glosses", "line"))
    if n >= 4 and kind == "wsg":
        roles = ("line", "words", "segments", "glosses")
    split = [
        list(_without_glue(words(row, gloss=role in ("glosses", "line") and role != "words")))
        for row, role in zip(rows, roles, strict=False)
    ]
    by_role = dict(zip(roles, _without_placeholders(split), strict=False))
    count = len(by_role.get("glosses", ()))
    for role in ("words", "segments"):  # a font for several words is not meant to make them one
        apart = [word for group in by_role.get(role, ()) for word in group.split()]
        if count != len(by_role.get(role, ())) and len(apart) == count:
            by_role[role] = apart
    return by_role


def _without_glue(line: tuple[str, ...]) -> tuple[str, ...]:
    """Without the `@` of expex, which only pulls columns together."""
    return tuple(word for word in line if not _AT.match(word))


def _without_placeholders(lines: list[list[str]]) -> list[list[str]]:
    """Columns that are empty in every line go; in lines of another length empty words at the end do."""
    filled = [line for line in lines if line]
    if not filled:
        return lines
    width = max(map(len, filled))
    if len({len(line) for line in filled}) == 1:
        kept = [k for k in range(width) if any(line[k] for line in filled)]
        return [[line[k] for k in kept] if line else line for line in lines]
    trimmed = []
    for line in lines:
        end = len(line)
        while end and not line[end - 1]:
            end -= 1
        trimmed.append(line[:end])
    bare = [[word for word in line if word] for line in trimmed]
    same = {len(line) for line in bare if line}
    return bare if len(same) == 1 and not any("" in line for line in trimmed[:1]) else trimmed


GLL = {"gll": 2, "glll": 3, "gllll": 4, "xgll": 2, "xglll": 3}
LINGUEX = re.compile(r"(?:ex[ir]?|[a-h])g\.")
COVINGTON = {"digloss": 2, "trigloss": 3}
FREE = frozenset(("glt", "trans", "gltr", "glft", "glf", "tln", "tl", "glfta", "glftb", "glftc", "glttranslation"))
_LIKE_FREE = re.compile(
    r"(?:my|gl|free|ft?|ex|la|igt|ling)?(?:trans|transl|translation|translate|trad|tradu[cz]\w*|[uü]bers\w*)(?:[a-z]{2}|[a-cA-Z])?"
    r"|glf?t[a-z]{1,3}|ft[a-z]{0,2}|fr(?:ee)?t|glosstrans\w*"
)
"""Names that authors give to macros of their own for the translation; looked at after the glossed lines only."""
ENDS = frozenset({
    "ea", "eal", "eas", "exal", "ex", "exi", "exr", "exp", "exa", "exb", "pex", "xe", "z", "zl", "zlast", "zlst", "end", "begin",
    "item", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "part", "endgl", "sn", "exewidth",
    "eabox", "eanoraggedright", "beispiel",
})  # fmt: skip
"""Macros that cannot stand within an example with its translation."""
PHILEX = re.compile(r"lb[abpuz]?[abz]?|bpa")
JUDGED = frozenset(("ljudge", "judge", "gljudge", "Judge", "mljudge"))
LANGINFO = frozenset(("langinfo", "langinfobreak"))
MARKS = re.compile(r"[*?#%!†°✗]+$")
KEPT = frozenset(GLL) | frozenset(COVINGTON) | FREE | ENDS | JUDGED | LANGINFO | {"begingl", "endgl", "label", "lb", "lba", "lbb", "lbz", "lbp", "lbu"}  # fmt: skip
FIELD = re.compile(r"gl(?:preamble|[a-e]|ft[a-c]?|tr|trans)$")
_ASIDES = frozenset(("hfill", "hspace*", "jambox", "jambox*", "rightcomment", "trailingcitation", "exjambox", "rightsource"))
_QUOTE = re.compile(r"[`‘‛“„«]")


def is_free(name: str) -> bool:
    """Whether a macro after the glossed lines begins a translation.

    >>> is_free("glt"), is_free("mytrans"), is_free("textit")
    (True, True, False)
    """
    return name in FREE or bool(_LIKE_FREE.fullmatch(name[:1].lower() + name[1:]))


def plain_label(tokens: Sequence[TexToken]) -> str:
    return normalize_space("".join(token.text if token.kind in ("text", "macro", "slashes") else " " for token in tokens))


def labels(tokens: Sequence[TexToken]) -> tuple[str, ...]:
    return tuple(plain_label(argument(tokens, k + 1)[0]) for k in at_top(tokens, frozenset(("label",))))


def example_tag(tokens: Sequence[TexToken], k: int) -> tuple[str, int]:
    """The name that expex allows after an opening macro, `<name>`, and where it ends."""
    match = re.match(r"<([^<>\s]+)>$", tokens[k].text) if k < len(tokens) and tokens[k].kind == "text" else None
    return (match[1], k + 1) if match else ("", k)


def marks(tokens: Sequence[TexToken]) -> str:
    """Judgement marks among tokens: `*`, `\\#`, raised ones."""
    text = plain(tokens) or "".join(token.text for token in tokens if token.text in "#%*?")
    raised = "".join(token.text for token in tokens if token.kind == "text" and MARKS.match(token.text))
    text = (text.strip() or raised).strip()
    return text if MARKS.match(text) else raised if MARKS.match(raised) else ""


def at_top(tokens: Sequence[TexToken], names: frozenset[str] | None) -> list[int]:
    """Places of macros that stand in no group; of all when no names are given."""
    places, k = [], 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "open":
            k = group_end(tokens, k)
            continue
        if token.kind == "macro" and (names is None or token.text in names):
            places.append(k)
        k += 1
    return places


def until_slashes(tokens: Sequence[TexToken]) -> Sequence[TexToken]:
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth and (token.kind == "slashes" or (token.kind == "macro" and token.text == "endpreamble")):
            return tokens[:k]
    return tokens


def without_breaks(tokens: Sequence[TexToken]) -> Sequence[TexToken]:
    return [TexToken("space", " ", token.line) if token.kind == "break" else token for token in tokens]


def by_source_lines(tokens: Sequence[TexToken]) -> list[Sequence[TexToken]]:
    """The tokens of each line of the file, as the old covington ends its lines."""
    rows: dict[int, list[TexToken]] = {}
    for token in tokens:
        rows.setdefault(token.line, []).append(token)
    return [row for row in rows.values() if any(token.kind not in ("space", "par") for token in row)]


def translation_start(row: Sequence[TexToken]) -> int:
    """Where a line that no `\\\\` ends goes over into a translation: at a line of the file that opens a quote; 0 when nowhere."""
    for k in range(1, len(row)):
        if row[k].line > row[k - 1].line and row[k].kind == "text" and _QUOTE.match(row[k].text):
            return k
    return 0


def without_aside(row: Sequence[TexToken]) -> tuple[Sequence[TexToken], str]:
    """A line without the remark at its right edge (`\\hfill (Kolu)`), and that remark."""
    for k in at_top(row, _ASIDES):
        options, groups, end = arguments(row, k + 1)
        del options
        name = row[k].text
        if name in ("hfill", "hspace*"):
            rest = row[end if name == "hspace*" else k + 1 :]
            if re.fullmatch(r"[(\[].*[)\]]", normalize_space(plain(rest)), re.DOTALL):
                return row[:k], normalize_space(plain(rest)).strip("()[]")
        elif groups:
            return [*row[:k], *row[end:]], normalize_space(plain(groups[-1])).strip("()[]")
    return row, ""


def is_codes(row: Sequence[TexToken]) -> bool:
    """Whether a line has references (`\\ref{…}`) under most of its words."""
    references = sum(token.kind == "macro" and token.text in ("ref", "getref", "autoref", "nameref") for token in row)
    return references > 1 or (references > 0 and 2 * references >= len(words(row, gloss=False)))


def nlevel(tokens: Sequence[TexToken]) -> list[Sequence[TexToken]]:
    """Lines of an example that expex has in columns: `word[gloss]`, `word[gloss/tag]`."""
    cells: list[list[list[TexToken]]] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        option, after = optional(tokens, k)
        if option is not None and cells:
            cells[-1] += _levels(option)
            k = after
        elif token.kind in ("space", "par", "tie", "break") or (token.kind == "text" and token.text in ("+", "@")):
            k += 1
        else:
            end = k
            while end < len(tokens) and tokens[end].kind not in ("space", "par", "break") and tokens[end].text != "[":
                end = group_end(tokens, end) if tokens[end].kind == "open" else end + 1
            end = max(end, k + 1)
            cells.append([list(tokens[k:end])])
            k = end
    count = max((len(cell) for cell in cells), default=0)
    return [list(_row([cell[level] if level < len(cell) else [] for cell in cells])) for level in range(count)]


def _levels(tokens: Sequence[TexToken]) -> list[list[TexToken]]:
    levels: list[list[TexToken]] = [[]]
    for token in tokens:
        if token.kind == "text" and token.text == "/":
            levels.append([])
        elif token.kind == "slashes":
            levels += [[], []]
        else:
            levels[-1].append(token)
    while len(levels) > 1 and not levels[-1]:
        levels.pop()
    return levels


def _row(cells: Sequence[Sequence[TexToken]]) -> Iterator[TexToken]:
    for cell in cells:
        yield TexToken("open", "{", 0)
        yield from cell
        yield TexToken("close", "}", 0)
        yield TexToken("space", " ", 0)


def spaced_arguments(tokens: Sequence[TexToken], k: int) -> tuple[list[Sequence[TexToken]], int]:
    """Groups that follow one another, with blanks or line ends between; an option before them is passed over."""
    groups: list[Sequence[TexToken]] = []
    end = optional(tokens, k)[1]
    while (at := skip_space(tokens, end)) < len(tokens) and tokens[at].kind == "open":
        inner, end = argument(tokens, at)
        groups.append(inner)
    return groups, end


_CLOSINGS = {"‘": "’'´", "“": '”"“', '"': '"”', "„": '“”"', "«": "»", "‹": "›", "'": "'’", "‚": "‘’", "「": "」", "”": "”"}
_LITERAL = re.compile(r"(?i)^\W{0,3}(?:lit|literally|wörtl|literalmente|lett)\b")
_REFERENCE = re.compile(r"\s*[(\[][^()\[\]]*(?:\d|[A-Z]{2}|p\.c)[^()\[\]]*[)\]][.;,]?\s*$")
_INLINE = {
    "textit", "emph", "textbf", "textsc", "textup", "textnormal", "uline", "underline", "textrm", "isi", "ili", "lit", "is", "il",
    "textins", "textelp", "textsuperscript", "textsubscript", "mbox", "ia", "text", "ul", "norm", "textipa", "enquote", "textquote",
}  # fmt: skip
_TAILS = re.compile(
    r"(?:paren|text|auto|full|foot)?cite[a-z]*\*?$|Corpus|corpuslink|Source|source|hfill|jambox\*?|exjambox|trailingcitation|rightcomment|rightsource|footnote(?:text)?$"
)


_EDGE = re.compile(r"Corpus|corpuslink|Source|source|hfill|jambox\*?|trailingcitation|rightcomment|rightsource|exjambox")
_BEFORE = re.compile(
    r"(\((?!(?i:lit|or)\b)[^()]+\)|\[[^\[\]]+\]|(?i:intended(?: meaning| reading| interpretation)?|int\.|target(?: meaning)?|attempted|lit\.|literally|(?:\w+ ){0,3}\w+:|\([ia1]\)))"
    r"[:,]?\s*(?=[‘“„«\"'])"
)
"""What authors put before the quotes: `Intended: ‘…’`."""


_OR = re.compile(r"(?:or|and/or|oder|ou|bzw\.|also|i\.e\.)[:,]? ?[‘“„«]")


class FreeTranslation(NamedTuple):
    """A translation, and what is said beside it: `lit`, `source` or `note`."""

    text: str
    beside: tuple[str, str] = ("", "")
    code: str = ""
    """Its language, where it stands beside one in another."""
    before: str = ""
    """What stands before its quotes: `Intended`, `(speaking of dogs)`."""


def starts_with_quote(tokens: Sequence[TexToken]) -> bool:
    """Whether a translation stands here without a macro: the first text opens a quote."""
    for line in _lines(tokens):
        text = typographic(plain(line)).strip()
        if text:
            return text[0] in "‘‛“„«‚" or bool(re.match(r"[\"'].+[\"'’]", text, re.DOTALL)) or _is_quote_macro(line)
    return False


def parts(region: Sequence[TexToken], linguex: bool) -> list[Sequence[TexToken]]:
    """The translations in what follows the glossed lines: under their macros, in quotes, or in a macro of the author's own."""
    starts = [k for k in at_top(region, None) if is_free(region[k].text)]
    if starts:
        return [region[at + 1 : after] for at, after in pairwise((*starts, len(region)))]
    if starts_with_quote(region):
        return [region]
    for k in at_top(region, None):
        options, groups, end = arguments(region, k + 1)
        name = region[k].text
        if len(groups) == 1 and not options and name.isalpha() and name not in _INLINE and not _TAILS.match(name):
            text = normalize_space(typographic(plain(region[k:end])))
            if text[:1] in _CLOSINGS or text[-1:] in ".!?…" or (text and language_id.of_text(text).code):
                return [[*groups[0], *region[end:]]]
    return [region] if linguex and plain(region).strip() else []


def _is_quote_macro(tokens: Sequence[TexToken]) -> bool:
    first = next((token for token in tokens if token.kind not in ("space", "par")), None)
    return first is not None and first.kind == "macro" and first.text in ("enquote", "sqt", "qu", "wdef", "textquote")


def free_translation(tokens: Sequence[TexToken]) -> FreeTranslation:
    """The translation that tokens hold, without its quotes."""
    tokens = _strip_space(tokens)
    whole = _in_macro(tokens)
    if whole is not None:
        inner, rest = whole
        text, more = normalize_space(typographic(plain(inner))), normalize_space(typographic(plain(rest)))
        return FreeTranslation(_typography(_strip_outer_quotes(text)), _tail(more))
    chunks = [(normalize_space(typographic(plain(_without_edge_macro(line)))), has_tail) for line, has_tail in _chunks(tokens)]
    chunks = [(text, tail) for text, tail in chunks if text]
    if not chunks:
        return FreeTranslation("")
    before = _BEFORE.match(chunks[0][0])
    if before:
        chunks[0] = (chunks[0][0][before.end() :], chunks[0][1])
    if chunks[0][0][0] in _CLOSINGS:
        said, after = _between_quotes([text for text, _ in chunks])
    else:
        said, after = _without_quotes(chunks)
    reference = _REFERENCE.search(said) if not after else None
    if reference and reference.start() > 0 and said[0] not in _CLOSINGS and _ends(said[: reference.start()]):
        said, after = said[: reference.start()], reference[0].strip()
    return FreeTranslation(
        _typography(said.strip()), _tail(after), before=before[1].rstrip(": ") if before and len(before[1]) > 3 else ""
    )


def free_translations(tokens: Sequence[TexToken]) -> list[FreeTranslation]:
    """The translation that tokens hold and, where another in quotes follows in another language, that too."""
    first = free_translation(tokens)
    kind, text = first.beside
    if kind not in ("note", "source") or text[:1] not in "‘“„«" or not (end := _closing(text)):
        return [first]
    codes = [language_id.of_text(said).code for said in (first.text, text[1:end])]
    if not all(codes) or codes[0] == codes[1]:
        return [first]
    return [
        FreeTranslation(first.text, code=codes[0], before=first.before),
        FreeTranslation(text[1:end].strip(), _tail(text[end + 1 :]), codes[1]),
    ]


def _without_edge_macro(line: Sequence[TexToken]) -> Sequence[TexToken]:
    """A remark at the right edge of the line without its macro, so that what it says is kept."""
    if not line or line[0].kind != "macro" or not _EDGE.match(line[0].text):
        return line
    _, groups, end = arguments(line, 1)
    blank = TexToken("space", " ", line[0].line)
    return [*(token for part in groups for token in (*part, blank)), *line[end:]]


def _ends(text: str) -> bool:
    return bool(re.search(r"[.!?…’”\"'»]\s*$", text))


def _strip_space(tokens: Sequence[TexToken]) -> Sequence[TexToken]:
    start = next((k for k, token in enumerate(tokens) if token.kind not in ("space", "par", "break", "tie")), len(tokens))
    return tokens[start:]


def _in_macro(tokens: Sequence[TexToken]) -> tuple[Sequence[TexToken], Sequence[TexToken]] | None:
    """(argument, rest) when the translation is the one argument of a macro such as `\\\\enquote`."""
    if not tokens or tokens[0].kind != "macro" or not tokens[0].text.isalpha():
        return None
    options, groups, end = arguments(tokens, 1)
    del options
    name = tokens[0].text
    if len(groups) != 1 or _TAILS.match(name):
        return None
    rest = [token for token in tokens[end:] if token.kind not in ("space", "par", "break", "tie")]
    if name in _INLINE and not (name in ("enquote", "textquote", "textit", "emph") and not _words_follow(rest)):
        return None
    return (groups[0], tokens[end:]) if not _words_follow(rest) else None


def _words_follow(rest: Sequence[TexToken]) -> bool:
    """Whether running text goes on, rather than punctuation, a bracket or a macro."""
    first = next((token for token in rest if token.kind != "math"), None)
    return first is not None and first.kind == "text" and first.text[0].isalnum()


def _lines(tokens: Sequence[TexToken]) -> Iterator[Sequence[TexToken]]:
    for line, _ in _chunks(tokens):
        yield line


def _chunks(tokens: Sequence[TexToken]) -> Iterator[tuple[Sequence[TexToken], bool]]:
    """Parts between breaks, and at macros that begin what is no translation; whether the part begins with such a macro."""
    at, k, tail = 0, 0, False
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "open":
            k = group_end(tokens, k)
            continue
        if token.kind in ("break", "par"):
            yield tokens[at:k], tail
            at, tail = k + 1, False
        elif token.kind == "macro" and _TAILS.match(token.text):
            _, groups, end = arguments(tokens, k + 1)
            inside = plain_text(tokens[at:k]).strip()
            if token.text.startswith("footnote"):
                yield tokens[at:k], tail
                at, k, tail = end, end, False
                continue
            if inside and not inside.endswith("("):
                yield tokens[at:k], tail
                at, tail = k, True
            k = max(end, k + 1)
            del groups
            continue
        k += 1
    yield tokens[at:], tail


def _between_quotes(chunks: list[str]) -> tuple[str, str]:
    """(what stands in the quotes, the rest) of lines, the first of which opens a quote."""
    text = chunks[0]
    for k in range(len(chunks)):
        if k:
            text = f"{text} {chunks[k]}"
        end = _closing(text)
        if end:
            return text[1:end].strip(), normalize_space(" ".join([text[end + 1 :], *chunks[k + 1 :]])).lstrip(" .,;")
    first = chunks[0]
    return first[1:].strip(), " ".join(chunks[1:])


def _closing(text: str) -> int:
    """Where the quote that opens the text is closed; 0 when nowhere."""
    opening = text[0]
    closings = _CLOSINGS[opening]
    depth, candidates = 0, []
    for k in range(1, len(text)):
        char = text[k]
        after = text[k + 1 : k + 2]
        if char == opening and opening not in closings and not (opening == "‘" and text[k - 1].isalnum()):
            depth += 1
        elif char in closings and not after.isalnum():
            if depth and char != "'":
                depth -= 1
                continue
            candidates.append(k)
    if not candidates:
        later = [k for k in range(1, len(text)) if text[k] in closings and not text[k + 1 : k + 2].isalnum()]
        return later[-1] if later else 0
    for k in candidates:
        rest = text[k + 1 :].lstrip(" .,;")
        if not rest or rest[0] in "([{—–/|" or _LITERAL.match(rest) or _OR.match(rest):
            return k
        if re.search(r"[.!?…]['’”]?$", text[:k]) and not rest[0].islower():
            return k
    return candidates[-1]


def _without_quotes(chunks: list[tuple[str, bool]]) -> tuple[str, str]:
    """(translation, rest) of lines without quotes: the first line, and those after it until one ends a sentence."""
    text, k = chunks[0][0], 1
    while k < len(chunks) and not chunks[k][1] and not re.search(r"[.!?…]\W*$", text) and chunks[k][0][0] not in "([":
        text = f"{text} {chunks[k][0]}"
        k += 1
    if text[-1] in "’'”" and not re.search("[‘“„«]", text):
        text = text[:-1]  # the author forgot to open it
    return text, " ".join(more for more, _ in chunks[k:])


def _strip_outer_quotes(text: str) -> str:
    if text[:1] in _CLOSINGS and text[-1:] in _CLOSINGS[text[0]] and len(text) > 1:
        return text[1:-1].strip()
    return text


def _tail(rest: str) -> tuple[str, str]:
    """(kind, text) of what follows a translation: a literal one, the source of the example, or a note."""
    rest = rest.strip()
    if not re.search(r"\w", rest):
        return "", ""
    bare = rest[1:-1] if rest[0] + rest[-1] in ("()", "[]") and not re.search(r"[()\[\]]", rest[1:-1]) else rest
    if _LITERAL.match(bare):
        return "lit", re.sub(r"(?i)^\W*(?:lit(?:erally|\.)?|wörtl(?:ich|\.)|literalmente|lett\.)[:,]?\s*", "", bare).strip(
            " ‘’“”'\""
        )
    return "source" if re.search(r"\d", bare) and len(bare) < 200 else "note", bare


def _typography(text: str) -> str:
    return text.replace("---", "—").replace("--", "–")


def preamble(tokens: Sequence[TexToken]) -> str:
    """The line above the glossed ones, as text; '' when it is too long to be one."""
    text = normalize_space(typographic(plain(tokens)))
    return _typography(text) if len(text) < 600 else ""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    r"""
    >>> loads(r"\gll can-es \\ dog-\textsc{pl} \\ \glt `dogs'")[0].glosses
    ('dog-PL',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    """Examples of a file, then those of the files that it includes; macros may be defined in any file of its folder."""
    read_files = {Path(path).resolve()} if path not in ("", "-") else set()
    defined: dict[str, Definition] = {}
    for numbered in _sections(lines(stream, path, faults, options.encoding)):
        waiting = [(path, _tokens(numbered, path, faults))]
        while waiting:
            place, tokens = waiting.pop(0)
            included = _included(tokens, place, path, read_files, faults, options)
            waiting[:0] = included
            defined = definitions_of([token for _, part in included for token in part])[0] | definitions_of(tokens)[0] | defined
            yield from _examples(tokens, place, faults, options, _definitions_beside(tokens, defined, place, options) | defined)


def _sections(numbered: Iterator[tuple[int, str]]) -> Iterator[Iterator[tuple[int, str]]]:
    """Parts of a long file, each from a heading or from prose after a blank line to the next; a usual chapter is one part."""
    part: list[tuple[int, str]] = []
    size, blank = 0, False
    for number, line in numbered:
        if size > LONGEST_PART and blank and _PART.match(line):
            yield iter(part)
            part, size = [], 0
        part.append((number, line))
        size += len(line) + 1
        blank = not line.strip()
    yield iter(part)


LONGEST_PART = 1 << 19
"""Characters of a file that are read together, if there is prose or a heading where it can be parted."""
_PART = re.compile(r"\\(?:chapter|(?:sub)*section|paragraph|ea|begin\{exe\}|pex)\b|[^\W\d_]")


def _tokens(numbered: Iterator[tuple[int, str]], path: str, faults: Faults) -> list[TexToken]:
    tokens, unclosed = without_open_groups(tokenize(numbered))
    for line in unclosed[:MOST_UNCLOSED]:
        faults.file(FormatError("a brace opens and is not closed", Where(path, line), "read as if it were not there"))
    return tokens


MOST_UNCLOSED = 20
"""Braces that are never closed, of which is told."""
MOST_FILES, MOST_BYTES = 300, 20 << 20
"""Files of a project that are read, and bytes of one that is looked at for macros."""


def _included(
    tokens: Sequence[TexToken], place: str, main: str, read_files: set[Path], faults: Faults, options: Options
) -> list[tuple[str, list[TexToken]]]:
    """Tokens of the files that `\\input`, `\\include` and `\\subfile` name, in order; what is not there is said once."""
    files = []
    for k, token in enumerate(tokens):
        if (
            token.kind != "macro"
            or token.text not in ("input", "include", "subfile", "includepaper")
            or not main
            or main == "-"
        ):
            continue
        name = (
            "".join(piece.text for piece in argument(tokens, k + 1)[0] if piece.kind in ("text", "slashes")).strip().strip('"')
        )
        folders = dict.fromkeys((Path(main).parent, Path(place).parent))
        shapes = [
            folder / each
            for folder in folders
            for each in (name, f"{name}.tex")
            if name and ".." not in name and name[0] != "/"
        ]
        file = next((shape for shape in shapes if shape.is_file()), None)
        if file is None:
            if name and not Path(name).suffix.strip(".").isalpha():
                faults.reading.omit("files that are included and not there", sentences=False)
        elif file.resolve() not in read_files and len(read_files) < MOST_FILES:
            read_files.add(file.resolve())
            with file.open("rb") as stream:
                files.append((str(file), _tokens(lines(stream, str(file), faults, options.encoding), str(file), faults)))
    return files


def _definitions_beside(
    tokens: Sequence[TexToken], known: Mapping[str, Definition], place: str, options: Options
) -> dict[str, Definition]:
    """Macros that a file uses and does not define, as other files of its folder define them."""
    used = {token.text for token in tokens if token.kind == "macro"} - set(known)
    if place in ("", "-") or not (folder := Path(place).parent).is_dir():
        return {}
    definitions: dict[str, Definition] = {}
    files = [*sorted(folder.glob("*.sty")), *sorted(folder.glob("*.tex")), *sorted(folder.glob("*/*.sty"))]
    for file in files[:MOST_FILES]:
        if str(file) == place or not file.is_file() or file.stat().st_size > MOST_BYTES:
            continue
        text = file.read_bytes()
        if (
            b"\\newcommand" not in text
            and b"\\def" not in text
            and b"\\DeclareRobust" not in text
            and b"DocumentCommand" not in text
        ):
            continue
        numbered = enumerate(text.decode(options.encoding or "utf-8", "replace").splitlines(), 1)
        defined = definitions_of(tokenize((k, line) for k, line in numbered if _DEFINITION.search(line)))[0]
        definitions |= {name: definition for name, definition in defined.items() if name in used}
    return definitions


_DEFINITION = re.compile(r"command\b|\\[gex]?def\b|DocumentCommand|RobustCommand|newleipzig")


def _examples(
    tokens: list[TexToken], path: str, faults: Faults, options: Options, others: Mapping[str, Definition]
) -> Iterator[Sentence]:
    finder = _ExampleFinder(_without_tables(expand_macros(tokens, KEPT, others)), path, faults)
    pieces = list(_join_pieces(finder.pieces()))
    layout = guess_layout([piece.rows for piece in pieces])
    for piece in pieces:
        igt = _instance(piece, layout, path, options)
        if igt.words or igt.translation:
            yield igt
        else:
            faults.reading.omit("examples without words", line=piece.line)


_TABLES = re.compile(r"tabular[*x]?|tabulary|longtable|tabu")
_RULES = frozenset(
    ("hline", "cline", "toprule", "midrule", "bottomrule", "lsptoprule", "lspbottomrule", "cmidrule", "tablevspace")
)
"""Lines that tables of data have, and examples have not."""


def _without_tables(tokens: list[TexToken]) -> list[TexToken]:
    """Tokens in which examples that are set as tables are examples: rows of as many cells over a row with a quoted translation.

    Every other table stays as it is, and so is not read.
    """
    result: list[TexToken] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        name, after = argument(tokens, k + 1) if token.kind == "macro" and token.text == "begin" else ((), k + 1)
        if name and _TABLES.fullmatch(plain_label(name)):
            end = next((j for j in range(after, len(tokens)) if tokens[j].kind == "macro" and tokens[j].text == "end" and _TABLES.fullmatch(plain_label(argument(tokens, j + 1)[0]))), -1)  # fmt: skip
            _, _, begin = arguments(tokens, after)
            close = argument(tokens, end + 1)[1] if end > 0 else end
            following = (
                next((j for j in range(close, len(tokens)) if tokens[j].kind not in ("space", "break")), -1) if end > 0 else -1
            )
            quoted = following > 0 and starts_with_quote(tokens[following : following + 9])
            examples = _examples_of_table(tokens[begin:end], quoted=quoted) if end > 0 else []
            if examples:
                result += examples
                k = following if quoted else close
                continue
        result.append(token)
        k += 1
    return result


def _examples_of_table(tokens: Sequence[TexToken], *, quoted: bool) -> list[TexToken]:
    """The rows of a table as lines of examples with `\\gll`; none when they do not stand so. With `quoted` a translation follows the table."""
    rows: list[list[list[TexToken]]] = [[[]]]
    depth = 0
    if any(token.kind == "macro" and token.text in _RULES for token in tokens):
        return []
    parted = (TexToken(t.kind, part, t.line) for t in tokens for part in (re.split("(&)", t.text) if t.kind == "text" else (t.text,)) if part)  # fmt: skip
    for token in parted:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "break" and not depth:
            rows.append([[]])
        elif token.kind == "text" and token.text == "&" and not depth:
            rows[-1].append([])
        else:
            rows[-1][-1].append(token)
    examples: list[TexToken] = []
    lines_: list[list[list[TexToken]]] = []
    for row in [*rows, []] if quoted else rows:
        cells = [_cell(cell) for cell in row]
        filled = [cell for cell in cells if plain(cell).strip()]
        if row and not filled:
            continue
        if filled[:1] and len(filled) > 1 and re.fullmatch(r"\(?\w{1,4}[.)]+", plain(filled[0]).strip()):
            filled = filled[1:]  # its number or letter
        if len(filled) > 1:
            lines_.append(filled)
        elif (filled and starts_with_quote(filled[0])) or not row:
            if len(lines_) not in (2, 3, 4) or len({len(line) for line in lines_}) > 1:
                return []
            name = f"g{'l' * len(lines_)}"
            at = lines_[0][0][0].line
            examples.append(TexToken("macro", name, at))
            for line in lines_:
                examples += [TexToken("space", " ", at), *_row(line), TexToken("break", "\\\\", at)]
            examples += [TexToken("macro", "glt", at), TexToken("space", " ", at), *(filled[0] if filled else ())]
            lines_ = []
        else:
            return []
    return examples if not lines_ else []


def _cell(tokens: Sequence[TexToken]) -> list[TexToken]:
    """What a cell has, without `\\multicolumn{3}{l}` around it."""
    bare = [token for k, token in enumerate(tokens) if token.kind not in ("space", "par") or (k and k + 1 < len(tokens))]
    k = next((k for k, token in enumerate(bare) if token.kind not in ("space", "par")), 0)
    if bare[k:] and bare[k].kind == "macro" and bare[k].text == "multicolumn":
        groups, _ = spaced_arguments(bare, k + 1)
        return list(groups[2]) if len(groups) == 3 else []
    return bare[k:]


@dataclass
class Piece:
    """Lines that stand under one opening macro, and what belongs to them."""

    line: int
    rows: list[Sequence[TexToken]]
    free: list[Sequence[TexToken]]
    preamble: Sequence[TexToken] = ()
    judgement: str = ""
    labels: tuple[str, ...] = ()
    language: tuple[str, str] = ("", "")
    goes_on: bool = False
    """Whether no new example began since the piece before."""
    soft: bool = False
    """Whether `\\sn` stands before it."""
    parts: int = 1
    asides: list[str] = field(default_factory=list)
    """What stands at the right edge of the lines."""
    more: list[list[Sequence[TexToken]]] = field(default_factory=list)
    """Lines of the pieces that go on."""


_NOT_SHARED = ENDS - {"end", "ex", "exi", "exr", "exp", "exa", "exb", "z", "zl", "begin", "sn", "item", "xe"}
"""Macros after which a translation is not of what stands before them."""
_NAMED = ("begin", "end", "exi", "exr", "exp")
"""Macros that begin or end an example and have an argument."""


class _ExampleFinder:
    """Walks through the tokens of a file, and keeps what was said since an example began."""

    def __init__(self, tokens: list[TexToken], path: str, faults: Faults) -> None:
        self.tokens, self.path, self.faults = tokens, path, faults
        self.k = 0
        self.untranslated: list[Piece] = []
        """Examples without a translation, which may come after the list that they are in."""
        self._begin_example(0)
        self.fresh = self.soft = True
        self.has_pex = any(token.kind == "macro" and token.text == "pex" for token in tokens)

    def _begin_example(self, at: int) -> None:
        self.start, self.judgement, self.language = at, "", ("", "")
        self.labels: tuple[str, ...] = ()

    def pieces(self) -> Iterator[Piece]:
        tokens = self.tokens
        while self.k < len(tokens):
            token = tokens[self.k]
            if token.kind == "macro" and self._opens(token.text):
                piece = self._piece(token)
                self.untranslated = [] if piece.free else [*self.untranslated, piece]
                yield piece
                continue
            if token.kind == "macro" and self.untranslated and is_free(token.text):
                end = self.example_end(self.k + 1)
                for piece in self.untranslated:
                    piece.free = piece.free or parts(self.tokens[self.k : end], linguex=False)
                self.untranslated, self.k, self.start = [], end, end
                continue
            if token.kind == "macro" and token.text in _NOT_SHARED:
                self.untranslated = []
            if token.kind == "par":
                self._begin_example(self.k + 1)
                self.fresh = True
            elif token.kind == "macro":
                self._macro(token)
            self.k += 1

    def _opens(self, name: str) -> bool:
        if name in GLL or name == "begingl" or LINGUEX.fullmatch(name):
            return True
        if name in COVINGTON:
            return len(spaced_arguments(self.tokens, self.k + 1)[0]) > COVINGTON[name]
        return self._by_shape(name) is not None

    def _by_shape(self, name: str) -> tuple[list[Sequence[TexToken]], int] | None:
        """(words, gloss, translation) of a macro of the author's own that has three arguments or more which look so."""
        if not name.isalpha() or self._is_end(name) or PHILEX.fullmatch(name) or name in LANGINFO:
            return None
        groups, end = spaced_arguments(self.tokens, self.k + 1)
        chosen = find_gloss_arguments(groups) if len(groups) >= 3 else None
        return (chosen, end) if chosen else None

    def _macro(self, token: TexToken) -> None:
        name = token.text
        if name == "label":
            said, after = argument(self.tokens, self.k + 1)
            self.labels = (*self.labels, plain_label(said))
            self.k = after - 1
        elif name.rstrip("*") in JUDGED:
            options, groups, after = arguments(self.tokens, self.k + 1)
            mark = groups[0] if groups else argument(self.tokens, self.k + 1)[0]
            shown = marks(options[0] if options and not marks(mark) else mark)
            self.judgement = "*" if name.endswith("*") else shown
            self.k = max(after - 1, self.k)
            self.start = self.k + 1
        elif name in LANGINFO:
            _, groups, after = arguments(self.tokens, self.k + 1)
            if len(groups) == 3:
                named = [normalize_space(plain(part)).strip(" ()") for part in groups]
                self.language = (named[0] or named[1], named[2])
            self.k = max(after - 1, self.k)
            self.start = self.k + 1
        elif PHILEX.fullmatch(name):
            self._philex()
        elif self._is_end(name):
            if name == "sn":
                self.soft = True
                return
            self._new_example(name)

    def _new_example(self, name: str) -> None:
        """An example begins, or one ends: what was said before does not belong to the next."""
        keep = self.labels if name == "begin" and not self._has_text() else ()
        inner, after = argument(self.tokens, self.k + 1) if name in _NAMED else ((), self.k + 1)
        number = plain(inner).strip(" ()[].") if name == "exi" else ""
        self._begin_example(after)
        self.labels, self.fresh, self.soft = (number,) if number.isalnum() else keep, True, False
        option, after = optional(self.tokens, after)
        if option is not None:
            self.judgement = marks(option)
        tag, after = example_tag(self.tokens, after)
        if tag:
            self.labels = (tag,)
        self.start, self.k = after, after - 1

    def _philex(self) -> None:
        """`\\lb{label}{…}`, `\\lbp{label}{mark or name}{…}`: the example is inside the last group."""
        groups, end = spaced_arguments(self.tokens, self.k + 1)
        self._begin_example(self.k + 1)
        self.fresh, self.soft = True, False
        if len(groups) < 2:
            return
        self.labels = (plain_label(groups[0]),)
        self.judgement = marks(groups[1]) if len(groups) > 2 else ""
        inside = 1 if not self.judgement else 2
        for _ in range(inside):
            self.k = argument(self.tokens, skip_space(self.tokens, self.k + 1))[1] - 1
        self.start = self.k + 1
        del end

    def _has_text(self) -> bool:
        return any(token.kind == "text" for token in self.tokens[self.start : self.k])

    def _is_end(self, name: str) -> bool:
        if name in ENDS or LINGUEX.fullmatch(name) or PHILEX.fullmatch(name) or re.fullmatch(r"(?:ex[ir]?|[a-h]|z)\.", name):
            return True
        return name == "a" and self.has_pex

    def _piece(self, token: TexToken) -> Piece:
        k = self.k
        linguex = bool(LINGUEX.fullmatch(token.text))
        if linguex:
            self._begin_example(k + 1)
            self.fresh = True
            while k + 1 < len(self.tokens) and self.tokens[k + 1].kind == "macro" and self.tokens[k + 1].text == "label":
                said, after = argument(self.tokens, k + 2)
                self.labels = (*self.labels, plain_label(said))
                k = after - 1
            k = optional(self.tokens, k + 1)[1] - 1
        preamble = self._preamble() if not linguex else ()
        piece = Piece(token.line, [], [], preamble, self.judgement, self.labels, self.language, not self.fresh, self.soft)
        marked = marks([token for token in preamble if token.kind != "space"])
        if marked and not self.judgement:
            piece.judgement, piece.preamble = marked, ()
        if token.text == "begingl":
            end = self._expex(piece, k + 1)
        elif token.text in COVINGTON:
            groups, end = spaced_arguments(self.tokens, k + 1)
            count = COVINGTON[token.text]
            piece.rows, piece.free = list(groups[:count]), [groups[count]]
        elif shaped := None if token.text in GLL or linguex else self._by_shape(token.text):
            (*piece.rows, free), end = shaped
            piece.free = [free]
        else:
            end = self._gll(piece, k + 1, token.text, linguex)
        piece.rows = [row for row in piece.rows if not is_codes(row)] or piece.rows
        rows = [without_aside(row) for row in piece.rows]
        piece.rows, piece.asides = [row for row, _ in rows], [aside for _, aside in rows if aside]
        tail = self.tokens[k:end]
        piece.labels = (*piece.labels, *labels(tail), *self._closing_labels(end))
        self.start, self.k = end, max(end, k + 1)
        self.fresh = self.soft = False
        return piece

    def _preamble(self) -> Sequence[TexToken]:
        """What stands between the beginning of the example and its lines, when that is one line of text."""
        tokens = self.tokens[self.start : self.k]
        return tokens if len(tokens) < 400 else ()

    def _closing_labels(self, k: int) -> tuple[str, ...]:
        while k < len(self.tokens) and self.tokens[k].kind in ("space", "close"):
            k += 1
        if k < len(self.tokens) and self.tokens[k].kind == "macro" and self.tokens[k].text == "label":
            return (plain_label(argument(self.tokens, k + 1)[0]),)
        return ()

    def _gll(self, piece: Piece, k: int, name: str, linguex: bool) -> int:
        """Lines up to `\\\\`, then the translation."""
        wanted = GLL.get(name, 2)
        closed = True
        while len(piece.rows) < wanted and closed:
            end, closed = self._line_end(k)
            piece.rows.append(self.tokens[k:end])
            k = end + 1 if closed else end
        if len(piece.rows) == wanted - 1 and closed:
            piece.rows.append(())
        if len(piece.rows) == 1 and not closed:
            by_line = by_source_lines(piece.rows[0])
            piece.rows = by_line if len(by_line) == wanted else piece.rows
        if not closed and len(piece.rows) > 1 and (cut := translation_start(piece.rows[-1])):
            k -= len(piece.rows[-1]) - cut
            piece.rows[-1] = piece.rows[-1][:cut]
        if len([row for row in piece.rows if row]) < wanted:
            problem = f"\\{name} with {len([row for row in piece.rows if row])} of its {wanted} lines, each ended by \\\\"
            self.faults.file(FormatError(problem, Where(self.path, piece.line), "read as far as it goes"))
        end = self.example_end(k)
        piece.free = parts(self.tokens[k:end], linguex)
        return end

    def _line_end(self, k: int) -> tuple[int, bool]:
        """Where a line of an example ends, and whether by `\\\\`."""
        depth = 0
        while k < len(self.tokens):
            token = self.tokens[k]
            depth += (token.kind == "open") - (token.kind == "close")
            if depth < 0:
                return k, False
            if not depth and token.kind == "break":
                return k, True
            if not depth and (token.kind == "par" or (token.kind == "macro" and self._stops(token.text))):
                return k, False
            k += 1
        return k, False

    def _stops(self, name: str) -> bool:
        return is_free(name) or name in ("gln", "glend") or self._is_end(name) or name in GLL or name in ("begingl", *COVINGTON)

    def example_end(self, k: int) -> int:
        """Where an example ends: at the next one, at what closes it, or at a blank line after which no translation comes."""
        depth, group = 0, k
        while k < len(self.tokens):
            token = self.tokens[k]
            if not depth and token.kind == "open":
                group = k - 1 if k and self.tokens[k - 1].kind == "macro" else k
            depth += (token.kind == "open") - (token.kind == "close")
            if depth < 0:
                after = k
                while after < len(self.tokens) and self.tokens[after].kind in ("space", "close"):
                    after += 1
                if not self._is_free_macro(after):
                    return k
                depth, k = 0, after  # the group was closed before the translation
                continue
            if depth and token.kind == "macro" and token.text in GLL:
                return group  # an example within the argument of a macro
            if not depth and token.kind == "par":
                if not self._is_free_macro(skip_space(self.tokens, k + 1)):
                    return k
            elif not depth and token.kind == "macro" and self._opens_or_ends(token.text):
                return k
            k += 1
        return k

    def _is_free_macro(self, k: int) -> bool:
        return k < len(self.tokens) and self.tokens[k].kind == "macro" and is_free(self.tokens[k].text)

    def _opens_or_ends(self, name: str) -> bool:
        return self._is_end(name) or name in GLL or name == "begingl"

    def _expex(self, piece: Piece, k: int) -> int:
        option, k = optional(self.tokens, skip_space(self.tokens, k))
        columns = "nlevel" in plain_label(option or ())
        end, depth, closed = k, 0, False
        while end < len(self.tokens):
            token = self.tokens[end]
            depth += (token.kind == "open") - (token.kind == "close")
            name = token.text if token.kind == "macro" else ""
            closed = name == "endgl"
            ended = name and not depth and (self._is_end(name) or name in GLL or name == "begingl") and not FIELD.match(name)
            if closed or ended or depth < 0 or (token.kind == "par" and not self._field_follows(end)):
                break
            end += 1
        if not closed:
            problem = "\\begingl without \\endgl"
            self.faults.file(FormatError(problem, Where(self.path, piece.line), "read up to where the example ends"))
        region = self.tokens[k:end]
        starts = [at for at in at_top(region, None) if FIELD.match(region[at].text)]
        if columns and not any(region[at].text == "glpreamble" for at in starts):
            piece.rows = nlevel(region[: starts[0] if starts else len(region)])
        for at, after in pairwise((*starts, len(region))):
            name = region[at].text
            option, first = optional(region, skip_space(region, at + 1))
            del option
            said = until_slashes(region[first:after])
            if columns and name == "glpreamble":
                head = first + len(said) + 1
                piece.rows = nlevel(region[head:after])
            if name == "glpreamble":
                piece.preamble = said
            elif len(name) == 3:
                piece.rows.append(without_breaks(said))
            else:
                piece.free.append(said)
        return end + 1 if closed else end

    def _field_follows(self, k: int) -> bool:
        """Whether after a blank line a line of the same example comes."""
        after = skip_space(self.tokens, k + 1)
        return after < len(self.tokens) and self.tokens[after].kind == "macro" and (
            bool(FIELD.match(self.tokens[after].text)) or self.tokens[after].text == "endgl"
        )  # fmt: skip


def _join_pieces(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Pieces of one example that only the last has a translation for, as one."""
    waiting: list[Piece] = []
    for piece in pieces:
        if waiting and not (piece.goes_on or piece.soft):
            yield from waiting
            waiting = []
        waiting.append(piece)
        if piece.free:
            first = waiting[0]
            first.more = [later.rows for later in waiting[1:]]
            first.free, first.parts = piece.free, len(waiting)
            first.labels = tuple(label for some in waiting for label in some.labels)
            first.judgement = next((some.judgement for some in waiting if some.judgement), "")
            yield first
            waiting = []
    yield from waiting


def _instance(piece: Piece, layout: str, path: str, options: Options) -> Sentence:
    rows = fields(piece.rows, layout)
    for more in piece.more:
        for role, values in fields(more, layout).items():
            rows[role] = [*rows.get(role, []), *values]
    words = rows.get("words", [])
    mark, first = without_judgement(words[0]) if words else ("", "")
    glosses = rows.get("glosses", [])
    if words and MARKS.match(words[0]) and glosses[:1] == [""]:
        mark, words, rows["glosses"] = words[0], words[1:], glosses[1:]
        rows["segments"] = rows.get("segments", [])[1:]
    elif mark:
        words = [first, *words[1:]] if first else words[1:]
    free = [rendering for tokens in piece.free for rendering in free_translations(tokens)]
    translation, translations = choose_translation(
        [(rendering.code, rendering.text) for rendering in free if rendering.text], options.lang
    )
    meta = [("preamble", preamble(piece.preamble)), ("line", " ".join(rows.get("line", [])))]
    meta += [("note", rendering.before) for rendering in free]
    meta += [rendering.beside for rendering in free]
    meta += [("note", aside) for aside in piece.asides]
    meta += [("source", piece.language[1]), ("parts", str(piece.parts) if piece.parts > 1 else "")]
    sent_id = next((label for label in piece.labels if label), "")
    return instance(
        words,
        rows.get("segments", []),
        rows.get("glosses", []),
        translation=translation,
        translations=translations,
        judgement=piece.judgement or mark,
        sent_id=sent_id,
        language=piece.language[0],
        meta=meta,
        where=Where(path, piece.line, sent_id),
    )
