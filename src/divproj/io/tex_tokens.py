"""LaTeX as tokens: macros, groups, breaks, blank lines; comments are gone and the file's own macros are expanded.

This is no TeX: category codes never change and nothing is executed. It is what is needed to find examples and to know
which braces, arguments and line ends belong to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

LONGEST = 2_000_000
"""Tokens after expansion; a file whose macros make more is read without expanding the rest."""
DEEPEST = 20
"""Macros that call one another."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*$")
_VERB = re.compile(r"\\verb\*?([^\w\s*])(.*?)\1")
_PIECE = re.compile(
    r"""(?P<linguex>\\(?:ex(?:i|r)?g?|[a-h]g?|z)\.(?=[^\d.]|\Z))
    |(?P<break>\\\\\*?(?:\[[-+\d.]*\s*[a-zA-Z\\]*\])?)
    |\\(?P<macro>[A-Za-z@]+\*?|[^\W\d_]|.|\Z)
    |(?P<open>\{)|(?P<close>\})|(?P<math>\$\$?)
    |(?P<tie>~)|(?P<slashes>//)|(?P<par>\n[ \t]*(?:\n[ \t]*)+)|(?P<space>[ \t\n\u00a0\u2003]+)
    |(?P<text>[\[\]]|/|[^\\{}$~\[\]/\s]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_SKIPPED = ("comment", "verbatim", "lstlisting", "filecontents")
_DEFINES = {"newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newcommand*", "renewcommand*",
            "providecommand*", "DeclareRobustCommand*", "def", "gdef", "edef", "NewDocumentCommand", "RenewDocumentCommand",
            "newleipzig", "DeclareMathOperator"}  # fmt: skip


class Token(NamedTuple):
    """A piece of LaTeX: `kind` is one of macro open close text tie math break slashes space par."""

    kind: str
    text: str
    line: int


class Definition(NamedTuple):
    """A macro that the file itself defines."""

    arguments: int
    default: tuple[Token, ...] | None
    body: tuple[Token, ...]


def tokenized(numbered: Iterable[tuple[int, str]]) -> list[Token]:
    """Tokens of numbered lines, without comments."""
    found: list[Token] = []
    pieces: list[str] = []
    starts: list[tuple[int, int]] = []
    at = 0
    for number, line in numbered:
        line = _VERB.sub("", line)
        bare = _COMMENT.sub(r"\1", line)
        commented = len(bare) < len(line)
        if commented and not bare.strip():
            continue
        text = bare.lstrip() if pieces and not pieces[-1].endswith("\n") else bare
        text = text if commented else text.rstrip() + "\n"
        pieces.append(text)
        starts.append((at, number))
        at += len(text)
    source = "".join(pieces)
    here = 0
    for match in _PIECE.finditer(source):
        while here + 1 < len(starts) and starts[here + 1][0] <= match.start():
            here += 1
        kind = match.lastgroup or "text"
        text = match[kind]
        if kind == "linguex":
            kind, text = "macro", text[1:]
        elif kind == "break":
            text = "\\\\"
        found.append(Token(kind, text, starts[here][1]))
    return list(_without_skipped(found))


def _without_skipped(tokens: Sequence[Token]) -> Iterator[Token]:
    """Without comment and verbatim environments, without what `\\iffalse` hides, up to the end of the document."""
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "macro" and token.text in ("begin", "end"):
            name, after = argument(tokens, k + 1)
            env = plain_text(name).rstrip("*")
            if token.text == "end" and env == "document":
                return
            if token.text == "begin" and env in _SKIPPED:
                k = _environment_end(tokens, after, env)
                continue
        elif token.kind == "macro" and token.text == "iffalse":
            while k < len(tokens) and not (tokens[k].kind == "macro" and tokens[k].text in ("fi", "else")):
                k += 1
            k += 1
            continue
        yield token
        k += 1


def _environment_end(tokens: Sequence[Token], k: int, env: str) -> int:
    while k < len(tokens):
        if tokens[k].kind == "macro" and tokens[k].text == "end":
            name, after = argument(tokens, k + 1)
            if plain_text(name).rstrip("*") == env:
                return after
        k += 1
    return k


def skip_space(tokens: Sequence[Token], k: int) -> int:
    while k < len(tokens) and tokens[k].kind == "space":
        k += 1
    return k


def group_end(tokens: Sequence[Token], k: int) -> int:
    """Index after the group that opens at `k`; the end of the tokens when it is not closed."""
    depth = 0
    for j in range(k, len(tokens)):
        kind = tokens[j].kind
        depth += (kind == "open") - (kind == "close")
        if not depth:
            return j + 1
    return len(tokens)


def argument(tokens: Sequence[Token], k: int) -> tuple[Sequence[Token], int]:
    """What stands in the group after blanks at `k`, or the one token there, and where it ends."""
    k = skip_space(tokens, k)
    if k >= len(tokens):
        return (), k
    if tokens[k].kind == "open":
        end = group_end(tokens, k)
        closed = end <= len(tokens) and tokens[end - 1].kind == "close"
        return tokens[k + 1 : end - 1 if closed else end], end
    if tokens[k].kind in ("close", "par"):
        return (), k
    return tokens[k : k + 1], k + 1


def optional(tokens: Sequence[Token], k: int) -> tuple[Sequence[Token] | None, int]:
    """What stands in square brackets at `k`, None when there are none, and where they end."""
    if k >= len(tokens) or tokens[k] != Token("text", "[", tokens[k].line):
        return None, k
    depth = 0
    for j in range(k + 1, min(len(tokens), k + 200)):
        token = tokens[j]
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0 or token.kind == "par":
            return None, k
        if not depth and token.kind == "text" and token.text == "]":
            return tokens[k + 1 : j], j + 1
    return None, k


def arguments(tokens: Sequence[Token], k: int) -> tuple[list[Sequence[Token]], list[Sequence[Token]], int]:
    """Optional and other arguments that follow a macro directly."""
    options: list[Sequence[Token]] = []
    found: list[Sequence[Token]] = []
    while k < len(tokens):
        if tokens[k].kind == "open":
            inner, k = argument(tokens, k)
            found.append(inner)
            continue
        option, after = optional(tokens, k) if not found else (None, k)
        if option is None:
            break
        options.append(option)
        k = after
    return options, found, k


def plain_text(tokens: Iterable[Token]) -> str:
    """Characters of tokens as they stand, without macros."""
    return "".join(
        " " if token.kind in ("space", "tie", "par") else token.text if token.kind == "text" else "" for token in tokens
    )


def expanded(tokens: list[Token], kept: frozenset[str]) -> list[Token]:
    """The tokens with the macros that the file defines replaced by what they stand for; those in `kept` stay."""
    found, body = _definitions(tokens)
    mine = {name: made for name, made in found.items() if name not in kept}
    if not mine:
        return body
    expander = _Expander(mine)
    expander.expand(body, 0)
    return expander.out


def _definitions(tokens: list[Token]) -> tuple[dict[str, Definition], list[Token]]:
    found: dict[str, Definition] = {}
    rest: list[Token] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "macro" and token.text in _DEFINES:
            name, made, after = _definition(tokens, k)
            if name and made:
                found[name] = made
                k = after
                continue
        rest.append(token)
        k += 1
    return found, rest


def _definition(tokens: list[Token], k: int) -> tuple[str, Definition | None, int]:
    way = tokens[k].text.rstrip("*")
    named, at = argument(tokens, k + 1)
    if way == "newleipzig":
        short, at = argument(tokens, at)
        _, after = argument(tokens, at)
        name = plain_text(named)
        return name[:1].upper() + name[1:], Definition(0, None, (Token("macro", "textsc", 0), Token("open", "{", 0), *short, Token("close", "}", 0))), after  # fmt: skip
    macro = next((token for token in named if token.kind == "macro"), None)
    if macro is None:
        return "", None, k
    count = 0
    default: tuple[Token, ...] | None = None
    if way.endswith("def"):
        while at < len(tokens) and tokens[at].kind == "text" and re.fullmatch(r"(?:#\d)+", tokens[at].text):
            count = max(count, *(int(x) for x in re.findall(r"\d", tokens[at].text)))
            at += 1
        if at >= len(tokens) or tokens[at].kind != "open":
            return "", None, k
    elif way.endswith("DocumentCommand"):
        spec, at = argument(tokens, at)
        letters = plain_text(spec)
        if set(letters) - set("mo +s"):
            return "", None, k
        count = letters.count("m") + letters.count("o")
        default = () if letters.strip().startswith("o") else None
    else:
        number, at = optional(tokens, skip_space(tokens, at))
        text = plain_text(number or ())
        count = int(text) if text.isdecimal() and len(text) == 1 else 0
        given, at = optional(tokens, at) if count else (None, at)
        default = tuple(given) if given is not None else None
    at = skip_space(tokens, at)
    if at >= len(tokens) or tokens[at].kind != "open":
        return "", None, k
    body, after = argument(tokens, at)
    return macro.text, Definition(count, default, tuple(body)), after


class _Expander:
    """Puts bodies in the place of macros, up to `LONGEST` steps in all."""

    def __init__(self, mine: dict[str, Definition]) -> None:
        self.mine, self.out, self.steps = mine, list[Token](), 0

    def expand(self, tokens: Sequence[Token], depth: int) -> None:
        k = 0
        while k < len(tokens):
            token = tokens[k]
            made = self.mine.get(token.text) if token.kind == "macro" else None
            self.steps += 1
            if made is None or depth > DEEPEST or self.steps > LONGEST:
                self.out.append(token)
                k += 1
                continue
            given, k = _given(tokens, k + 1, made)
            filled = _filled(made.body, given, token.line)
            self.steps += len(filled)
            self.expand(filled, depth + 1)


def _given(tokens: Sequence[Token], k: int, made: Definition) -> tuple[list[Sequence[Token]], int]:
    given: list[Sequence[Token]] = []
    if made.default is not None:
        option, k = optional(tokens, k)
        given.append(made.default if option is None else option)
    while len(given) < made.arguments:
        inner, after = argument(tokens, k)
        if after == k or (not inner and tokens[after - 1].kind != "close"):
            break
        given.append(inner)
        k = after
    if not made.arguments and k + 1 < len(tokens) and tokens[k].kind == "open" and tokens[k + 1].kind == "close":
        k += 2
    return given, k


def _filled(body: Sequence[Token], given: list[Sequence[Token]], line: int) -> list[Token]:
    """The body with `#1` and its like as the arguments."""
    found: list[Token] = []
    for token in body:
        if token.kind != "text" or "#" not in token.text:
            found.append(Token(token.kind, token.text, line))
            continue
        for piece in re.split(r"(#\d)", token.text):
            if re.fullmatch(r"#\d", piece):
                number = int(piece[1])
                found += given[number - 1] if 0 < number <= len(given) and len(found) < LONGEST else ()
            elif piece:
                found.append(Token("text", piece, line))
    return found
