"""Running English text to sentences and words in the style of UD English, each word with its place in the text.

The cutting of `divproj.text.tokens` comes first; UD also cuts hyphens (`well - known`, but `co-author`), money (`$ 5`),
units (`7:30 pm`) and contractions written without an apostrophe, and keeps addresses and smileys whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from divproj.text.tokens import spans as outer_spans

Span = tuple[int, int]

_AFFIXES = """
e non mid pre anti re post co over pro multi ex semi neo sub cross counter intra inter un de bi tri ultra super micro mini
macro pan extra trans hyper hypo proto pseudo quasi socio psycho arch mega infra meta para
"""
_PREFIXES = frozenset(_AFFIXES.split())
"""Beginnings of words that keep their hyphen."""
_WHOLE = re.compile(
    r"""
    (?:https?://|ftp://|www\.)[^\s<>"]*[^\s<>".,;:!?)\]}'’]
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+
    | (?<!\w)[<>]?[:;=8][-'^o]?(?:[)(\]\[DPp/\\|*3]+|[oO](?!\w))(?!\w)
    | (?<!\w)(?:\^_+\^|<3+|[xX]D|-_+-|o_O)(?!\w)
    | \.{2,} | [-]{2,} | ={2,} | _{2,} | \*{2,} | ~{2,} | \#{2,} | >{2,} | <{2,} | -+> | [!?]*![!?]+ | \?{2,}
    """,
    re.VERBOSE,
)
_PHONE = re.compile(r"(?:[\d/.+]+-)*\d{3}-\d{4}(?:-\d+)*|\d{5}-\d{3,}|\d{2,4}-\d{1,2}-\d{1,2}|9/11|24/7")
_DATE = re.compile(r"\d{1,4}[/.]\d{1,2}(?:[/.]\d{2,4})")
_MONEY = re.compile(r"((?:US|C|A|AU|NZ|HK|R)?[$€£¥]|#|~)(?=\d)", re.I)
_UNITS = "[ap]\\.?m\\.?|mm|cm|km|kg|mg|ft|lbs?|oz|k?hz|mhz|ghz|kb|mb|gb|tb|mph|hrs?|mins?|secs?|yrs?|bn|ml|k|m|b|x|f|c"
_UNIT = re.compile(rf"[-+]?\d[\d.,:/]*({_UNITS})", re.I)
_VERBS = "do does did is was are were could would should have has had ai wo ca"
_ODD = {
    **{verb + "nt": len(verb) for verb in _VERBS.split()},
    "im": 1,
    "ive": 1,
    "thats": 4,
    "whats": 4,
    "theres": 5,
    "youre": 3,
    "theyre": 4,
    "hes": 2,
    "shes": 3,
    "lets": 3,
    "gonna": 3,
    "wanna": 3,
    "gotta": 3,
    "gimme": 3,
    "lemme": 3,
    "outta": 3,
    "cannot": 3,
}
"""Contractions without an apostrophe, and where they are cut."""
_LOUD = frozenset({"DONT", "CANT", "CANNOT", "DIDNT", "DOESNT"})
"""Those that are not cut from anything else when all in capitals."""
_TICK = re.compile(r"(?<=\w)(n[`´‘]t|[`´‘](?:s|ll|re|ve|d|m))$", re.I)
_CLITIC = re.compile(r"n?['’`´‘]?t|['’`´‘]?(?:s|ll|re|ve|d|m)|['’]|na|ta|me|not", re.I)
_CLOSING = frozenset("\"'”’)]}»")
_TITLES = "mr|mrs|ms|dr|prof|st|sr|jr|rev|gen|col|capt|lt|sgt|gov|hon|vs|cf|fig|ca|approx|mt|no|e\\.g|i\\.e|messrs|sen|rep"
_SHORT = re.compile(rf"(?:[^\W\d_]\.)+|(?:{_TITLES})\.", re.I)
"""Abbreviations that do not end a sentence."""


@dataclass(frozen=True)
class PlacedWord:
    """A word with its place in the text; `text[start:end]` is its form."""

    form: str
    start: int
    end: int
    space_after: bool = True
    joined: bool = False
    """Written as one word with the token before (`n't` in `don't`)."""


def word_spans(text: str) -> list[Span]:
    """Where each word begins and ends.

    >>> [text[a:b] for text in ["A well-known co-op paid $5m :)"] for a, b in word_spans(text)]
    ['A', 'well', '-', 'known', 'co-op', 'paid', '$', '5', 'm', ':)']
    """
    places: list[Span] = []
    at = 0
    for mark in _WHOLE.finditer(text):
        places += _plain(text, at, mark.start())
        places.append(mark.span())
        at = mark.end()
    places += _plain(text, at, len(text))
    return places


def _plain(text: str, start: int, end: int) -> Iterator[Span]:
    for a, b in outer_spans(text[start:end]):
        yield from _cut(text, start + a, start + b)


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    """What UD cuts within a word of plain tokenization."""
    word = text[start:end]
    if word.isalpha():
        size = _ODD.get(word.lower(), 0)
        if size and (not word.isupper() or word in _LOUD):
            yield start, start + size
            start += size
        yield start, end
        return
    at = 0
    for mark in _inner_marks(word):
        if at < mark:
            yield from _piece(text, start + at, start + mark)
        yield start + mark, start + mark + 1
        at = mark + 1
    if start + at < end:
        yield from _piece(text, start + at, end)


def _piece(text: str, start: int, end: int) -> Iterator[Span]:
    """A stretch without hyphens: the sign of money, the number, the unit; or a word and its clitic."""
    if money := _MONEY.match(text, start, end):
        yield start, money.end()
        start = money.end()
    cut = _UNIT.fullmatch(text, start, end) or _TICK.search(text, max(start, end - 4), end)
    if cut:
        yield start, cut.start(1)
        start = cut.start(1)
    yield start, end


def _inner_marks(word: str) -> Iterator[int]:
    """Places of the hyphens and slashes that are words of their own."""
    if len(word) < 2 or _PHONE.fullmatch(word) or _DATE.fullmatch(word):
        return
    at = 0
    for mark in re.finditer(r"[-–/]", word):
        k = mark.start()
        before, after = word[at:k], word[k + 1 : k + 2]
        of_word = (before.lower() in _PREFIXES and after.isalnum()) if k else after.isdigit()
        if mark[0] == "/" or not of_word:
            yield k
            at = k + 1


def tokens(text: str) -> list[PlacedWord]:
    """Words of one sentence with their places.

    >>> [token.form for token in tokens("I don't know.") if not token.space_after or token.joined]
    ['do', "n't", 'know']
    """
    return _stop_apart(_tokens(text))


def sentences(text: str) -> list[list[PlacedWord]]:
    """Sentences of a text; an end of line ends a sentence.

    >>> [[token.form for token in sentence] for sentence in sentences("Dr. Li came. She sat!")]
    [['Dr.', 'Li', 'came', '.'], ['She', 'sat', '!']]
    """
    cut_sentences: list[list[PlacedWord]] = []
    for line in re.finditer(r"[^\n\r]+", text):
        words = [replace(t, start=t.start + line.start(), end=t.end + line.start()) for t in _tokens(line[0])]
        start = 0
        for k in range(len(words)):
            if _ends(words, k):
                cut_sentences.append(_stop_apart(words[start : k + 1]))
                start = k + 1
    return cut_sentences


def spans(text: str) -> tuple[Span, ...]:
    """Where each word of one sentence begins and ends."""
    return tuple((token.start, token.end) for token in tokens(text))


def sentence_spans(line: str) -> tuple[Span, ...]:
    """Where each sentence of a text begins and ends."""
    return tuple((words[0].start, words[-1].end) for words in sentences(line))


def _tokens(text: str) -> list[PlacedWord]:
    places = word_spans(text)
    words = []
    for k, (start, end) in enumerate(places):
        near = bool(k) and places[k - 1][1] == start
        joined = near and text[start - 1].isalpha() and _CLITIC.fullmatch(text, start, end) is not None
        words.append(PlacedWord(text[start:end], start, end, end == len(text) or text[end].isspace(), joined))
    return words


def _stop_apart(words: list[PlacedWord]) -> list[PlacedWord]:
    """The stop of an abbreviation that ends a sentence is a word of its own."""
    if not words or not words[-1].form.endswith(".") or not words[-1].form[0].isalpha():
        return words
    last = words[-1]
    word = replace(last, form=last.form[:-1], end=last.end - 1, space_after=False)
    return [*words[:-1], word, PlacedWord(".", last.end - 1, last.end, last.space_after)]


def _ends(words: list[PlacedWord], k: int) -> bool:
    """Whether a sentence ends after token k: at a stop, before a space and something that may begin a sentence."""
    token = words[k]
    if k + 1 == len(words):
        return True
    if not token.space_after:
        return False
    back = k
    while back and words[back].form in _CLOSING and not words[back - 1].space_after:
        back -= 1
    form, after = words[back].form, words[k + 1].form
    if not re.fullmatch(r"[.!?…。]+|.*[^\W\d_]\.", form):
        return False
    if form[0].isalnum():  # an abbreviation
        return _SHORT.fullmatch(form) is None and after[:1].isupper()
    if form == "." and back == 1 and words[0].form.isdigit():
        return False  # the number of an item
    if after[:1].islower():  # careless writing, but not a quotation that goes on: "Who?" he said
        return back == k and form[0] in ".?!" and form != "..." and "…" not in form
    return form[-1] in "!?" or after[:1].isalnum() or after[:1] in "\"'“‘([«¿¡-*$#@<"
