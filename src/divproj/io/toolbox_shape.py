"""What the markers of a Toolbox file are when their names say nothing: by what stands behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from divproj.data.errors import FormatError, Where
from divproj.io.igt_parts import tokens
from divproj.io.settings import (
    AFFIXED,
    ALL_TAGS,
    COMMON_MARKER,
    DISTINCT,
    MARKER_GRAMS,
    MOSTLY_IDS,
    SAME_WIDTH,
    SENTENCE_WIDTH,
    TEXT_WIDTH,
    TRANSLATION_GRAMS,
    WHOLE_WORDS,
)
from divproj.text import language_id

LINES = 4000
"""Lines that are looked at before the first record is read."""
_FIELD = re.compile(r"\\([A-Za-z_+?][\w+?-]*)(?:[ \t](.*)|\s*)$", re.DOTALL)
_GRAM = re.compile(r"(?:^|[-=~.:–])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–])")
_AFFIX = re.compile(r"^[-=]\w|\w[-=]$")
_TAG = re.compile(r"-?=?[a-z]{1,5}(?:[.>][a-z]{1,5})*-?")
_ASIDE = frozenset({
    "nt", "dt", "rem", "cmt", "com", "note", "lt", "ur", "ph", "sp", "src", "so", "au", "date", "aud", "snd", "cf", "xv", "xe", "id",
    "cm", "hd", "rl",
})  # fmt: skip
"""Markers of remarks, dates and the like, which are no line of the text."""
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
    tags: float
    """Share of words that look like tags of word classes: short, of small letters."""


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
        single if len(set(filled)) > DISTINCT * len(filled) else 0.0,
        sum(bool(_TAG.fullmatch(token)) for row in rows for token in row) / max(1, sum(map(len, rows))),
    )


def by_shape(pairs: list[tuple[str, str]], named: dict[str, str], path: str) -> dict[str, str]:
    """Role by marker, for a file whose markers are in no list; FormatError when no line can be the text."""
    found = looks(pairs)
    if "lx" in found and "words" not in named:
        what = "records begin with \\lx: this is a dictionary, not a text"
        raise FormatError(what, Where(path), "`markers=record=lx,words=…` reads its example sentences")
    most = max((look.lines for look in found.values()), default=0)
    common = {marker: look for marker, look in found.items() if look.filled >= COMMON_MARKER * most and look.filled}
    roles: dict[str, str] = {marker: role for role, marker in named.items()}
    left = {marker: look for marker, look in common.items() if marker not in roles}
    order = list(dict.fromkeys(marker for marker, _ in pairs))
    taken = set(named)
    if "record" not in taken:
        first = next((marker for marker in order if marker in left and left[marker].ids > MOSTLY_IDS), None)
        if first is not None:
            roles[first] = "record"
            del left[first]
    if "translation" not in taken:
        for marker in [
            m for m in left if left[m].language and left[m].width > SENTENCE_WIDTH and left[m].grams < TRANSLATION_GRAMS
        ]:
            roles[marker] = "translation"
            del left[marker]
    if "glosses" not in taken:
        best = max(left, key=lambda marker: left[marker].grams, default=None)
        if best is not None and left[best].grams > MARKER_GRAMS:
            roles[best] = "glosses"
            del left[best]
    wide = [marker for marker in order if marker in left and left[marker].width > TEXT_WIDTH]
    if "words" not in taken and wide:
        words = next((m for m in wide if left[m].affixes < WHOLE_WORDS), wide[0])
        roles[words] = "words"
        wide.remove(words)
    if "morphs" not in taken and wide and left[wide[0]].affixes > AFFIXED and "glosses" in roles.values():
        roles[wide[0]] = "morphs"
    if "pos" not in taken and "glosses" in roles.values():
        widths = [found[marker].width for marker, role in roles.items() if role in ("glosses", "morphs")]
        tags = [
            m
            for m in left
            if m not in roles and left[m].tags > ALL_TAGS and any(abs(left[m].width - w) < SAME_WIDTH for w in widths)
        ]
        roles |= dict.fromkeys(tags[:1], "pos")
    if not {"words", "morphs"} & set(roles.values()):
        shown = ", ".join(f"\\{marker} ({look.lines})" for marker, look in found.items())
        what = f"no marker looks like the text; the markers are {shown}"
        raise FormatError(what, Where(path), "name them, as in `markers=record=…,words=…,glosses=…,translation=…`")
    return roles


def filled(pairs: list[tuple[str, str]], known: dict[str, str], missing: set[str]) -> dict[str, str]:
    """Roles that no known marker has, of markers that come about as often as the text."""
    found = looks(pairs)
    text = max(found[marker].filled for marker, role in known.items() if role in ("words", "morphs"))
    left = {m: look for m, look in found.items() if m not in known and m not in _ASIDE and 2 * look.filled >= text > 1}
    roles: dict[str, str] = {}

    def take(role: str, candidates: list[str]) -> None:
        if role in missing and candidates:
            roles[candidates[0]] = role
            del left[candidates[0]]

    order = list(dict.fromkeys(marker for marker, _ in pairs))
    first = order.index(next(marker for marker in order if known.get(marker) in ("words", "morphs")))
    take("record", [m for m in order[:first] if m in left and left[m].ids > MOSTLY_IDS])
    take(
        "translation",
        [m for m in left if left[m].language and left[m].width > SENTENCE_WIDTH and left[m].grams < TRANSLATION_GRAMS],
    )
    take("glosses", sorted((m for m in left if left[m].grams > MARKER_GRAMS), key=lambda m: -left[m].grams))
    segmented = [found[m].affixes for m, role in known.items() if role == "morphs"]
    if segmented and "words" not in known.values():
        take("words", [m for m in order[:first] if m in left and left[m].width > TEXT_WIDTH and left[m].affixes < WHOLE_WORDS])
    return roles
