"""Which line of a block of plain text is what: by number, by tokens that line up, by quotes, abbreviations and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from divproj.io import igt_parts
from divproj.io.igt_guess import is_table
from divproj.io.settings import MOST_WRAPPED, REWRITTEN

_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?|[A-Z][a-z]{1,4})(?=$|[-=~.:])")
_SURE_GRAM = re.compile(r"(?:^|[-=~.:])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du)?)(?=$|[-=~.:])")
_HEADER = re.compile(r"([^\W\d][\w' -]{1,40}?)\s*[(\[]([^()\[\]]*\d[^()\[\]]*)[)\]]$")
_ID = re.compile(r"\(?([\w.:-]*\d[\w.:-]*?)[.)]?$")
_LABEL = re.compile(r"\s*([A-Za-z]{1,14})\s*:\s+(.*\S)\s*$")
_LABELS = {
    **dict.fromkeys(("l", "lang", "text", "tx", "txt", "original", "obj", "source", "transcription", "orth", "s"), "words"),
    **dict.fromkeys(("m", "mb", "morph", "morphs", "morphemes", "seg", "segments"), "segments"),
    **dict.fromkeys(("g", "gl", "ge", "gls", "gloss", "glosses", "glosa", "glose"), "glosses"),
    **dict.fromkeys(("t", "tr", "ft", "trans", "translation", "free", "en", "eng", "english", "trad"), "translation"),
}
_FENCE = re.compile(r"\s*:::")
_BAR = re.compile(r"\s*(?:(\(@?\w*\))\s*)?\|\s?(.*)$")
LITERAL = re.compile(r"(?i)(?:lit(?:erally)?|wörtl(?:ich)?|literalmente)\b[.:]*\s*")


def bare(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Lines of a block without what Markdown puts around them: fences, and a bar before each line."""
    kept = [(number, line) for number, line in lines if not _FENCE.match(line)]
    bars = [_BAR.match(line) for _, line in kept]
    if len(kept) < 2 or not all(bars):
        return kept
    fronts = [f"{found[1]} " if found[1] and "@" not in found[1] else "" for found in bars if found]
    return [(number, front + found[2]) for (number, _), front, found in zip(kept, fronts, bars, strict=True) if found]


def labelled(texts: Sequence[str]) -> dict[str, str] | None:
    """Roles of lines that say themselves what they are (`Gloss: …`)."""
    found = [_LABEL.match(text) for text in texts]
    roles = [_LABELS.get(match[1].lower(), "") if match else "" for match in found]
    if len(texts) < 2 or not all(roles) or len(set(roles)) < len(roles) or "words" not in roles:
        return None
    return {role: match[2] for role, match in zip(roles, found, strict=True) if match}


def head(texts: Sequence[str]) -> tuple[list[tuple[str, str]], str, list[str]]:
    """What a line above the words says (`Kolu (Smith 2001: 3)`, `KOL_001`), the number in it, and the lines that follow."""
    if len(texts) < 4:
        return [], "", list(texts)
    number, first = igt_parts.without_number(texts[0])
    below = [len(igt_parts.tokens(text)) for text in texts[1:3]]
    name = _ID.match(texts[0].strip())
    if name and below[0] == below[1] and len(igt_parts.tokens(texts[0])) == 1 != below[0]:
        return [], name[1], list(texts[1:])
    found = _HEADER.match(first)
    if found and below[0] == below[1] and (len(igt_parts.tokens(first)) != below[0] or re.search(r"\d{4}|: ?\d", found[2])):
        return [("language", found[1]), ("source", found[2])], number, list(texts[1:])
    return [], "", list(texts)


def glossy(text: str, others: int) -> bool:
    """Whether a line looks like glosses of that many words: no quotes, and grams at morpheme boundaries."""
    found = igt_parts.tokens(text)
    return (
        len(found) == others
        and not igt_parts.is_quoted(text)
        and any(_GRAM.search(token) and re.search(r"\w[-=~.]\w", token) for token in found)
    )


def _grams(text: str) -> int:
    return sum(bool(_SURE_GRAM.search(token)) for token in igt_parts.tokens(text))


def _alike(left: str, right: str) -> bool:
    first, second = ("".join(char for char in line.casefold() if char.isalpha())[:200] for line in (left, right))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() > REWRITTEN


def roles_of(texts: list[str]) -> dict[str, str] | None:
    """Which line is what; None when nobody can tell."""
    n = len(texts)
    counts = [len(igt_parts.tokens(igt_parts.without_number(text)[1] if not k else text)) for k, text in enumerate(texts)]
    if n == 1:
        return {"words": texts[0]}
    if n == 2:
        return {"words": texts[0], ("glosses" if glossy(texts[1], counts[0]) else "translation"): texts[1]}
    if n == 3:
        if glossy(texts[2], counts[1]) and not glossy(texts[1], counts[0]) and counts[0] == counts[1]:
            return dict(zip(("words", "segments", "glosses"), texts, strict=True))
        return dict(zip(("words", "glosses", "translation"), texts, strict=True))
    if n == 4:
        if igt_parts.is_quoted(texts[2]) and igt_parts.is_quoted(texts[3]):
            return dict(zip(("words", "glosses", "translation", "more"), texts, strict=True))
        if igt_parts.is_quoted(texts[2]) or (glossy(texts[1], counts[0]) and not glossy(texts[2], counts[1])):
            return dict(zip(("words", "glosses", "translation", "note"), texts, strict=True))
        return dict(zip(("words", "segments", "glosses", "translation"), texts, strict=True))
    if n == 5 and (found := _five(texts, counts)):
        return found
    for roles in (("words", "glosses"), ("words", "segments", "glosses")):
        size = len(roles)
        last = n % size
        groups = [counts[k : k + size] for k in range(0, n - last, size)]
        if last < 2 and n <= MOST_WRAPPED and not is_table(texts) and all(group[-1] == group[-2] for group in groups):
            wrapped = {role: " ".join(texts[k : n - last : size]) for k, role in enumerate(roles)}
            return {**wrapped, "translation": texts[-1]} if last else wrapped
    return None


def _five(texts: list[str], counts: list[int]) -> dict[str, str] | None:
    """Five lines that are one sentence with a line more, rather than two pairs of words and glosses."""
    if not counts[0] == counts[1] == counts[2] == counts[3] or counts[0] == 1 or igt_parts.is_quoted(texts[3]):
        return None
    grams = [_grams(text) for text in texts[:4]]
    if grams[1] + grams[3] > 2 * grams[2] and not _alike(texts[0], texts[1]):
        return None
    if grams[3] > grams[2] and _alike(texts[1], texts[2]):
        return dict(zip(("words", "line", "segments", "glosses", "translation"), texts, strict=True))
    return dict(zip(("words", "segments", "glosses", "word_glosses", "translation"), texts, strict=True))
