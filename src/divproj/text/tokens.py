"""Words of a translation line, in the style of the Penn Treebank and UD: `do n't`, `Maria 's`, full stops on their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal
from unicodedata import combining, normalize

_SHORT = """
mr. mrs. ms. dr. prof. st. sr. jr. rev. gen. col. capt. lt. sgt. gov. hon. no. vs. etc. e.g. i.e. cf. al. fig. ca. approx. dept. est.
inc. ltd. co. corp. jan. feb. mar. apr. jun. jul. aug. sept. sep. oct. nov. dec. mt. a.m. p.m. u.s. u.k. ph.d. lit.
sth. sb. smth. sg. pl. du. excl. incl. masc. fem. esp. usu. orig.
"""
_ABBREVIATIONS = frozenset(_SHORT.split())
_BEFORE_NUMBERS = frozenset({"no.", "fig."})
"""Abbreviations that are words too: they keep the full stop before a number alone."""
_OPENING = "([{<\"'“”‘’„‚«»‹›`¿¡…*#?$€£¥"
_CLOSING = ")]}>\"'“”‘’«»‹›`.,;:!?…%*"
_INNER = re.compile(
    r"\.{2,}|…|--+|[—–](?=\D|$)|(?<!\d)[—–]|[;!?\"“”«»()\[\]{}]|,(?!\d)|(?<!\d),|:(?!\d)|(?<=[^\W\d])/(?=[^\W\d])"
)
_NUMBER = re.compile(r"[-+−]?[$€£¥]?\d+(?:[.,:]\d+)*")
_CLITIC = re.compile(r"(?<=\w)(?:n['’]t|['’](?:s|ll|re|ve|d|m))$", re.I)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
_TWO = re.compile(r"(can)(not)|(gon)(na)|(wan)(na)|(got)(ta)|(gim)(me)|(lem)(me)", re.I)
_OPTIONAL = re.compile(r"\([^\W\d_]{1,3}\)[^\W\d_]+|[^\W\d_]+\((?:s|es|d|ed|n|en|ren|r|er|ing|ly)\)|s/he", re.I)
"""Words with a part in brackets that belongs to them, and *s/he*."""
_WHOLE = frozenset(
    {
        "'s",
        "'ll",
        "'re",
        "'ve",
        "'d",
        "'m",
        "n't",
        "’s",
        "’ll",
        "’re",
        "’ve",
        "’d",
        "’m",
        "n’t",
        "'em",
        "'tis",
        "'twas",
        "'Tis",
        "'Twas",
        "...",
        "``",
        "''",
        "--",
    }
)


def tokenize(text: str) -> tuple[str, ...]:
    """Words and punctuation of a translation; text that is already in words stays as it is.

    >>> tokenize("Maria's dog can't swim, Mr. Li says.")
    ('Maria', "'s", 'dog', 'ca', "n't", 'swim', ',', 'Mr.', 'Li', 'says', '.')
    """
    return tuple(text[start:end] for start, end in spans(text))


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each word begins and ends in the text; outside the words there are only spaces.

    >>> spans("No, I won't.")
    ((0, 2), (2, 3), (4, 5), (6, 8), (8, 11), (11, 12))
    """
    chunks = list(re.finditer(r"\S+", text))
    places: list[tuple[int, int]] = []
    for k, chunk in enumerate(chunks):
        after = text[chunks[k + 1].start()] if k + 1 < len(chunks) else ""
        places.extend(_cut(text, chunk.start(), chunk.end(), after))
    return tuple(places)


def _cut(text: str, start: int, end: int, after: str) -> Iterator[tuple[int, int]]:
    """Words of a stretch without spaces: opening marks, the words, closing marks; `after` is what the next stretch begins with."""
    while start < end:
        if text[start] not in _OPENING or _is_whole(text, start, end) or _OPTIONAL.match(text, start, end):
            break
        step = _run(text, start, end)
        yield start, start + step
        start += step
    tail: list[tuple[int, int]] = []
    while (
        start < end
        and text[end - 1] in _CLOSING
        and not _is_whole(text, start, end)
        and not _OPTIONAL.fullmatch(text, start, end)
        and not _keeps_end(text, start, end, ")" if tail else after)
    ):
        size = _run_back(text, start, end)
        tail.append((end - size, end))
        end -= size
    if start < end:
        yield from _inside(text, start, end)
    yield from reversed(tail)


def _run(text: str, start: int, end: int) -> int:
    """Length of the mark at `start`: `...` and doubled quotes are one."""
    size = 1
    if text[start] in "`'.!?":
        while start + size < end and _same(text[start + size], text[start]):
            size += 1
    return size


def _same(one: str, other: str) -> bool:
    """Whether two marks in a row are one: `...`, `''`, `?!`."""
    return one == other or (one in "!?" and other in "!?")


def _run_back(text: str, start: int, end: int) -> int:
    clitic = _CLITIC.search(text, max(start, end - 4), end)
    if clitic:
        return end - clitic.start()
    size = 1
    if text[end - 1] in "`'.!?":
        while end - size > start and _same(text[end - size - 1], text[end - 1]):
            size += 1
    return size


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the stretch is a word with a mark of its own, such as `'s`."""
    return end - start < 6 and text[start:end] in _WHOLE


def _keeps_end(text: str, start: int, end: int, after: str) -> bool:
    """Whether the full stop belongs to the word: abbreviations, and initials that do not end the sentence."""
    if text[end - 1] != "." or end - start > 12:
        return False
    word = text[start:end]
    if word.casefold() in _BEFORE_NUMBERS:
        return after.isdigit()
    if word.casefold() in _ABBREVIATIONS:
        return True
    last = not after or after in "\"'”’)]}"
    return _INITIALS.fullmatch(word) is not None and (word.count(".") > 1 or not last)


def _inside(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Words of a stretch without outer marks: cut at dashes and commas within, then contractions."""
    word = text[start:end]
    if word in _WHOLE or _NUMBER.fullmatch(word) or _OPTIONAL.fullmatch(word) or (word.isalpha() and not _TWO.fullmatch(word)):
        yield start, end
        return
    at = start
    if not _INITIALS.fullmatch(word) and word.casefold() not in _ABBREVIATIONS and "://" not in word and "@" not in word:
        for mark in _INNER.finditer(text, start, end):
            if mark.start() > at:
                yield from _contraction(text, at, mark.start())
            yield mark.start(), mark.end()
            at = mark.end()
    if at < end:
        yield from _contraction(text, at, end)


def _contraction(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A word and the short forms written onto it."""
    clitics: list[tuple[int, int]] = []
    while (clitic := _CLITIC.search(text, max(start, end - 4), end)) and clitic.start() > start:
        clitics.append(clitic.span())
        end = clitic.start()
    two = _TWO.fullmatch(text, start, end)
    yield from [two.span(k) for k in range(1, len(two.groups()) + 1) if two[k]] if two else [(start, end)]
    yield from reversed(clitics)


MARKS = 30
"""Marks on one letter that are put in order, as in Unicode's Stream-Safe Text Format: putting thousands in order takes hours."""


def normal_form(form: Literal["NFC", "NFD"], text: str) -> str:
    """Return text in a normal form of Unicode, in time that grows with its length alone; more than `MARKS` marks on a letter stay in groups.

    >>> normal_form("NFC", "e\u0301te\u0301"), len(normal_form("NFC", "a" + 100_000 * "\u0301\u0323"))
    ('été', 200000)
    """
    if len(text) <= MARKS or text.isascii():
        return normalize(form, text)
    parts, start, marks = [], 0, 0
    for k, char in enumerate(text):
        marks = marks + 1 if combining(char) else 0
        if marks > MARKS:
            parts.append(normalize(form, text[start:k]))
            start, marks = k, 1
    return "".join([*parts, normalize(form, text[start:])])
