"""The lines of a LaTeX example: which is words, segmentation, gloss; placeholders that fill columns are taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from divproj.io.latex_text import words
from divproj.io.settings import GLOSS_GRAMS, SAME_WORDS, SPARSE_LINE
from divproj.io.tex_tokens import Token

_LETTERS = re.compile(r"[^\W\d_]+")
_GRAM = re.compile(r"(?:^|[-=~.:/>])(?:[A-Z][A-Z0-9]+|[123](?:[A-Z]\w*)?)(?=$|[-=~.:/<>])")
_AT = re.compile(r"^@$")


def layout(examples: Sequence[Sequence[Sequence[Token]]]) -> str:
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


def glossed(found: Sequence[Sequence[Token]]) -> list[Sequence[Token]] | None:
    """Two arguments of a macro that line up as words and glosses, and the one after them; None when none look so."""
    for k in range(len(found) - 2):
        above, below = words(found[k], gloss=False), words(found[k + 1], gloss=True)
        grams = sum(bool(_GRAM.search(word)) for word in below)
        if (
            len(above) == len(below) > 1
            and grams
            and not any(_GRAM.search(word) for word in above)
            and words(found[k + 2], gloss=False)
        ):
            return [found[k], found[k + 1], found[k + 2]]
    return None


def _empty(line: tuple[str, ...]) -> float:
    return sum(not word for word in line) / len(line) if line else 0.0


def _letters(line: tuple[str, ...]) -> str:
    return "".join(_LETTERS.findall(" ".join(line).lower()))[:200]


def fields(rows: Sequence[Sequence[Token]], kind: str) -> dict[str, list[str]]:
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
    found = dict(zip(roles, _without_placeholders(split), strict=False))
    count = len(found.get("glosses", ()))
    for role in ("words", "segments"):  # a font for several words is not meant to make them one
        apart = [word for group in found.get(role, ()) for word in group.split()]
        if count != len(found.get(role, ())) and len(apart) == count:
            found[role] = apart
    return found


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
