"""What the markers of a Toolbox file are when their names say nothing: by what stands behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from divproj.data.errors import FormatError, Where
from divproj.io.igt_parts import tokens
from divproj.text import language_id

LINES = 4000
"""Lines that are looked at before the first record is read."""
_FIELD = re.compile(r"\\([A-Za-z_+?][\w+?-]*)(?: (.*)|\s*)$", re.DOTALL)
_GRAM = re.compile(r"(?:^|[-=~.:–])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–])")
_AFFIX = re.compile(r"^[-=]\w|\w[-=]$")
_ID = re.compile(r"[\w.:-]*\d[\w.:-]*$|\S+$")


class Look(NamedTuple):
    """What the values of one marker look like."""

    lines: int
    filled: int
    width: float
    """Words in a value."""
    grams: float
    """Share of values with an abbreviation of grammar."""
    affixes: float
    """Share of values with a morpheme that stands apart or a boundary."""
    language: str
    ids: float
    """Share of values of one word; 0 when a value comes twice in ten."""


def fields(numbered: Iterable[tuple[int, str]]) -> list[tuple[str, str]]:
    """(marker, value) of lines, in order."""
    found = (_FIELD.match(text.lstrip("\ufeff")) for _, text in numbered)
    return [(match[1], (match[2] or "").strip()) for match in found if match]


def looks(pairs: list[tuple[str, str]]) -> dict[str, Look]:
    values: dict[str, list[str]] = {}
    for marker, value in pairs:
        values.setdefault(marker, []).append(value)
    return {marker: _look(found) for marker, found in values.items() if not marker.startswith("_")}


def _look(values: list[str]) -> Look:
    filled = [value for value in values if value]
    n = max(1, len(filled))
    rows = [tokens(value) for value in filled]
    single = sum(len(row) == 1 and bool(_ID.match(row[0])) for row in rows) / n
    return Look(
        len(values),
        len(filled),
        sum(map(len, rows)) / n,
        sum(any(_GRAM.search(token) for token in row) for row in rows) / n,
        sum(any(_AFFIX.search(token) or re.search(r"\w[-=~]\w", token) for token in row) for row in rows) / n,
        language_id.of_lines(filled[:300]).code if filled else "",
        single if len(set(filled)) > 0.9 * len(filled) else 0.0,
    )


def by_shape(pairs: list[tuple[str, str]], named: dict[str, str], path: str) -> dict[str, str]:
    """Role by marker, for a file whose markers are in no list; FormatError when no line can be the text."""
    found = looks(pairs)
    if "lx" in found and "words" not in named:
        what = "records begin with \\lx: this is a dictionary, not a text"
        raise FormatError(what, Where(path), "--markers record=lx,words=… reads its example sentences")
    most = max((look.lines for look in found.values()), default=0)
    common = {marker: look for marker, look in found.items() if look.filled >= 0.2 * most and look.filled}
    roles: dict[str, str] = {marker: role for role, marker in named.items()}
    left = {marker: look for marker, look in common.items() if marker not in roles}
    order = list(dict.fromkeys(marker for marker, _ in pairs))
    taken = set(named)
    if "record" not in taken:
        first = next((marker for marker in order if marker in left and left[marker].ids > 0.8), None)
        if first is not None:
            roles[first] = "record"
            del left[first]
    if "translation" not in taken:
        for marker in [m for m in left if left[m].language and left[m].width > 1.5 and left[m].grams < 0.3]:
            roles[marker] = "translation"
            del left[marker]
    if "glosses" not in taken:
        best = max(left, key=lambda marker: left[marker].grams, default=None)
        if best is not None and left[best].grams > 0.15:
            roles[best] = "glosses"
            del left[best]
    wide = [marker for marker in order if marker in left and left[marker].width > 1.2]
    if "words" not in taken and wide:
        words = next((m for m in wide if left[m].affixes < 0.5), wide[0])
        roles[words] = "words"
        wide.remove(words)
    if "morphs" not in taken and wide and left[wide[0]].affixes > 0.3 and "glosses" in roles.values():
        roles[wide[0]] = "morphs"
    if not {"words", "morphs"} & set(roles.values()):
        shown = ", ".join(f"\\{marker} ({look.lines})" for marker, look in found.items())
        what = f"no marker looks like the text; the markers are {shown}"
        raise FormatError(what, Where(path), "name them, as in --markers record=…,words=…,glosses=…,translation=…")
    return roles
