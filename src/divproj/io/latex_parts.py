"""What LaTeX packages for examples call their parts, and small pieces of an example: labels, marks, columns, remarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from divproj.io.igt_parts import squeezed
from divproj.io.latex_text import plain
from divproj.io.tex_tokens import Token, argument, arguments, group_end, optional, skip_space

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
_QUOTE = re.compile(r"[`‘“„«]")


def is_free(name: str) -> bool:
    """Whether a macro after the glossed lines begins a translation.

    >>> is_free("glt"), is_free("mytrans"), is_free("textit")
    (True, True, False)
    """
    return name in FREE or bool(_LIKE_FREE.fullmatch(name))


def plain_label(tokens: Sequence[Token]) -> str:
    return squeezed("".join(token.text if token.kind in ("text", "macro", "slashes") else " " for token in tokens))


def labels(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(plain_label(argument(tokens, k + 1)[0]) for k in at_top(tokens, frozenset(("label",))))


def tag(tokens: Sequence[Token], k: int) -> tuple[str, int]:
    """The name that expex allows after an opening macro, `<name>`, and where it ends."""
    found = re.match(r"<([^<>\s]+)>$", tokens[k].text) if k < len(tokens) and tokens[k].kind == "text" else None
    return (found[1], k + 1) if found else ("", k)


def marks(tokens: Sequence[Token]) -> str:
    """Judgement marks among tokens: `*`, `\\#`, raised ones."""
    text = plain(tokens) or "".join(token.text for token in tokens if token.text in "#%*?")
    raised = "".join(token.text for token in tokens if token.kind == "text" and MARKS.match(token.text))
    text = (text.strip() or raised).strip()
    return text if MARKS.match(text) else raised if MARKS.match(raised) else ""


def at_top(tokens: Sequence[Token], names: frozenset[str] | None) -> list[int]:
    """Places of macros that stand in no group; of all when no names are given."""
    found, k = [], 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "open":
            k = group_end(tokens, k)
            continue
        if token.kind == "macro" and (names is None or token.text in names):
            found.append(k)
        k += 1
    return found


def until_slashes(tokens: Sequence[Token]) -> Sequence[Token]:
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth and (token.kind == "slashes" or (token.kind == "macro" and token.text == "endpreamble")):
            return tokens[:k]
    return tokens


def without_breaks(tokens: Sequence[Token]) -> Sequence[Token]:
    return [Token("space", " ", token.line) if token.kind == "break" else token for token in tokens]


def by_source_lines(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """The tokens of each line of the file, as the old covington ends its lines."""
    rows: dict[int, list[Token]] = {}
    for token in tokens:
        rows.setdefault(token.line, []).append(token)
    return [row for row in rows.values() if any(token.kind not in ("space", "par") for token in row)]


def unclosed(row: Sequence[Token]) -> int:
    """Where a line that no `\\\\` ends goes over into a translation: at a line of the file that opens a quote; 0 when nowhere."""
    for k in range(1, len(row)):
        if row[k].line > row[k - 1].line and row[k].kind == "text" and _QUOTE.match(row[k].text):
            return k
    return 0


def without_aside(row: Sequence[Token]) -> tuple[Sequence[Token], str]:
    """A line without the remark at its right edge (`\\hfill (Kolu)`), and that remark."""
    for k in at_top(row, _ASIDES):
        options, found, end = arguments(row, k + 1)
        del options
        name = row[k].text
        if name in ("hfill", "hspace*"):
            rest = row[end if name == "hspace*" else k + 1 :]
            if re.fullmatch(r"[(\[].*[)\]]", squeezed(plain(rest)), re.DOTALL):
                return row[:k], squeezed(plain(rest)).strip("()[]")
        elif found:
            return [*row[:k], *row[end:]], squeezed(plain(found[-1])).strip("()[]")
    return row, ""


def nlevel(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Lines of an example that expex has in columns: `word[gloss]`, `word[gloss/tag]`."""
    cells: list[list[list[Token]]] = []
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


def _levels(tokens: Sequence[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "text" and token.text == "/":
            found.append([])
        elif token.kind == "slashes":
            found += [[], []]
        else:
            found[-1].append(token)
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


def _row(cells: Sequence[Sequence[Token]]) -> Iterator[Token]:
    for cell in cells:
        yield Token("open", "{", 0)
        yield from cell
        yield Token("close", "}", 0)
        yield Token("space", " ", 0)


def spaced_arguments(tokens: Sequence[Token], k: int) -> tuple[list[Sequence[Token]], int]:
    """Groups that follow one another, with blanks or line ends between; an option before them is passed over."""
    found: list[Sequence[Token]] = []
    end = optional(tokens, k)[1]
    while (at := skip_space(tokens, end)) < len(tokens) and tokens[at].kind == "open":
        inner, end = argument(tokens, at)
        found.append(inner)
    return found, end
