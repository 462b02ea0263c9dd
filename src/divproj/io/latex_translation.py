"""The free translation of a LaTeX example: what stands in its quotes, and what follows them taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from divproj.io.igt_parts import squeezed
from divproj.io.latex_parts import at_top, is_free
from divproj.io.latex_text import plain, typographic
from divproj.io.tex_tokens import Token, arguments, group_end, plain_text
from divproj.text import language_id

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
    r"((?i:intended(?: meaning| reading| interpretation)?|int\.|target(?: meaning)?|attempted|lit\.|literally|(?:\w+ ){0,3}\w+:|\([ia1]\)))"
    r"[:,]?\s*(?=[‘“„«\"'])"
)
"""What authors put before the quotes: `Intended: ‘…’`."""


_OR = re.compile(r"(?:or|and/or|oder|ou|bzw\.|also|i\.e\.)[:,]? ?[‘“„«]")


class Free(NamedTuple):
    """A translation, and what is said beside it: `lit`, `source` or `note`."""

    text: str
    beside: tuple[str, str] = ("", "")
    code: str = ""
    """Its language, where it stands beside one in another."""


def begins_quoted(tokens: Sequence[Token]) -> bool:
    """Whether a translation stands here without a macro: the first text opens a quote."""
    for line in _lines(tokens):
        text = typographic(plain(line)).strip()
        if text:
            return text[0] in "‘“„«‚" or bool(re.match(r"[\"'].+[\"'’]", text, re.DOTALL)) or _is_quote_macro(line)
    return False


def parts(region: Sequence[Token], linguex: bool) -> list[Sequence[Token]]:
    """The translations in what follows the glossed lines: under their macros, in quotes, or in a macro of the author's own."""
    starts = [k for k in at_top(region, None) if is_free(region[k].text)]
    if starts:
        return [region[at + 1 : after] for at, after in pairwise((*starts, len(region)))]
    if begins_quoted(region):
        return [region]
    for k in at_top(region, None):
        options, found, end = arguments(region, k + 1)
        name = region[k].text
        if len(found) == 1 and not options and name.isalpha() and name not in _INLINE and not _TAILS.match(name):
            text = squeezed(typographic(plain(region[k:end])))
            if text[:1] in _CLOSINGS or text[-1:] in ".!?…" or (text and language_id.of_text(text).code):
                return [[*found[0], *region[end:]]]
    return [region] if linguex and plain(region).strip() else []


def _is_quote_macro(tokens: Sequence[Token]) -> bool:
    first = next((token for token in tokens if token.kind not in ("space", "par")), None)
    return first is not None and first.kind == "macro" and first.text in ("enquote", "sqt", "qu", "wdef", "textquote")


def taken(tokens: Sequence[Token]) -> Free:
    """The translation that tokens hold, without its quotes."""
    tokens = _stripped(tokens)
    whole = _in_macro(tokens)
    if whole is not None:
        inner, rest = whole
        text, more = squeezed(typographic(plain(inner))), squeezed(typographic(plain(rest)))
        return Free(_typography(_unquoted_all(text)), _tail(more))
    chunks = [(squeezed(typographic(plain(_told(line)))), has_tail) for line, has_tail in _chunks(tokens)]
    chunks = [(text, tail) for text, tail in chunks if text]
    if not chunks:
        return Free("")
    before = _BEFORE.match(chunks[0][0])
    if before:
        chunks[0] = (chunks[0][0][before.end() :], chunks[0][1])
    if chunks[0][0][0] in _CLOSINGS:
        said, after = _between_quotes([text for text, _ in chunks])
    else:
        said, after = _without_quotes(chunks)
    found = _REFERENCE.search(said) if not after else None
    if found and found.start() > 0 and said[0] not in _CLOSINGS and _ends(said[: found.start()]):
        said, after = said[: found.start()], found[0].strip()
    beside = _tail(after)
    return Free(_typography(said.strip()), ("note", before[1].rstrip(": ")) if before and not beside[0] else beside)


def taken_all(tokens: Sequence[Token]) -> list[Free]:
    """The translation that tokens hold and, where another in quotes follows in another language, that too."""
    first = taken(tokens)
    kind, text = first.beside
    if kind not in ("note", "source") or text[:1] not in "‘“„«" or not (end := _closing(text)):
        return [first]
    codes = [language_id.of_text(said).code for said in (first.text, text[1:end])]
    if not all(codes) or codes[0] == codes[1]:
        return [first]
    return [Free(first.text, code=codes[0]), Free(text[1:end].strip(), _tail(text[end + 1 :]), codes[1])]


def _told(line: Sequence[Token]) -> Sequence[Token]:
    """A remark at the right edge of the line without its macro, so that what it says is kept."""
    if not line or line[0].kind != "macro" or not _EDGE.match(line[0].text):
        return line
    _, found, end = arguments(line, 1)
    blank = Token("space", " ", line[0].line)
    return [*(token for part in found for token in (*part, blank)), *line[end:]]


def _ends(text: str) -> bool:
    return bool(re.search(r"[.!?…’”\"'»]\s*$", text))


def _stripped(tokens: Sequence[Token]) -> Sequence[Token]:
    start = next((k for k, token in enumerate(tokens) if token.kind not in ("space", "par", "break", "tie")), len(tokens))
    return tokens[start:]


def _in_macro(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """(argument, rest) when the translation is the one argument of a macro such as `\\\\enquote`."""
    if not tokens or tokens[0].kind != "macro" or not tokens[0].text.isalpha():
        return None
    options, found, end = arguments(tokens, 1)
    del options
    name = tokens[0].text
    if len(found) != 1 or _TAILS.match(name):
        return None
    rest = [token for token in tokens[end:] if token.kind not in ("space", "par", "break", "tie")]
    if name in _INLINE and not (name in ("enquote", "textquote", "textit", "emph") and not _words_follow(rest)):
        return None
    return (found[0], tokens[end:]) if not _words_follow(rest) else None


def _words_follow(rest: Sequence[Token]) -> bool:
    """Whether running text goes on, rather than punctuation, a bracket or a macro."""
    first = next((token for token in rest if token.kind != "math"), None)
    return first is not None and first.kind == "text" and first.text[0].isalnum()


def _lines(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    for line, _ in _chunks(tokens):
        yield line


def _chunks(tokens: Sequence[Token]) -> Iterator[tuple[Sequence[Token], bool]]:
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
            _, found, end = arguments(tokens, k + 1)
            inside = plain_text(tokens[at:k]).strip()
            if token.text.startswith("footnote"):
                yield tokens[at:k], tail
                at, k, tail = end, end, False
                continue
            if inside and not inside.endswith("("):
                yield tokens[at:k], tail
                at, tail = k, True
            k = max(end, k + 1)
            del found
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
            return text[1:end].strip(), squeezed(" ".join([text[end + 1 :], *chunks[k + 1 :]])).lstrip(" .,;")
    first = chunks[0]
    return first[1:].strip(), " ".join(chunks[1:])


def _closing(text: str) -> int:
    """Where the quote that opens the text is closed; 0 when nowhere."""
    opening = text[0]
    closings = _CLOSINGS[opening]
    depth, found = 0, []
    for k in range(1, len(text)):
        char = text[k]
        after = text[k + 1 : k + 2]
        if char == opening and opening not in closings and not (opening == "‘" and text[k - 1].isalnum()):
            depth += 1
        elif char in closings and not after.isalnum():
            if depth and char != "'":
                depth -= 1
                continue
            found.append(k)
    if not found:
        later = [k for k in range(1, len(text)) if text[k] in closings and not text[k + 1 : k + 2].isalnum()]
        return later[-1] if later else 0
    for k in found:
        rest = text[k + 1 :].lstrip(" .,;")
        if not rest or rest[0] in "([{—–/|" or _LITERAL.match(rest) or _OR.match(rest):
            return k
        if re.search(r"[.!?…]['’”]?$", text[:k]) and not rest[0].islower():
            return k
    return found[-1]


def _without_quotes(chunks: list[tuple[str, bool]]) -> tuple[str, str]:
    """(translation, rest) of lines without quotes: the first line, and those after it until one ends a sentence."""
    text, k = chunks[0][0], 1
    while k < len(chunks) and not chunks[k][1] and not re.search(r"[.!?…]\W*$", text) and chunks[k][0][0] not in "([":
        text = f"{text} {chunks[k][0]}"
        k += 1
    if text[-1] in "’'”" and not re.search("[‘“„«]", text):
        text = text[:-1]  # the author forgot to open it
    return text, " ".join(more for more, _ in chunks[k:])


def _unquoted_all(text: str) -> str:
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


def preamble(tokens: Sequence[Token]) -> str:
    """The line above the glossed ones, as text; '' when it is too long to be one."""
    text = squeezed(typographic(plain(tokens)))
    return _typography(text) if len(text) < 600 else ""
