"""Text on its way into a picture, a page or a terminal: how wide it is, which way it runs, and what must be escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from html import escape as _escape

_ASCII = (
    "26 27 41 65 57 83 73 22 30 30 55 57 27 32 27 37 57 57 57 57 57 57 57 57 57 57 27 27 57 57 57 43 "
    "90 64 65 63 73 56 52 73 74 34 27 62 52 91 76 78 60 78 62 55 56 73 60 93 59 57 57 33 37 33 57 44 "
    "28 56 61 48 61 56 34 61 62 26 26 53 26 93 62 60 61 61 41 48 36 62 51 79 53 51 47 38 55 38 57"
)
_WIDTHS = {chr(code): int(width) / 100 for code, width in enumerate(_ASCII.split(), 32)}  # Noto Sans, in em
_BROAD = re.compile("[\u0b80-\u0bff\u0c00-\u0d7f\u1000-\u109f\u10a0-\u10ff\u1200-\u137f]")
"""Tamil, Telugu, Kannada, Malayalam, Burmese, Georgian, Ethiopic."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLAIN = re.compile("[^&<>\"'\x00-\x1f\ud800-\udfff\ufffe\uffff]*")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""What steers a terminal, reorders a line or cannot be seen; not the joiners that Persian and Hindi need."""


@lru_cache(maxsize=4096)
def _char_width(char: str) -> float:
    """Width in em of one character of a common sans-serif; rather too wide than too narrow."""
    if char in _WIDTHS:
        return _WIDTHS[char]
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    if category == "Mc":
        return 0.4
    if _BROAD.match(char):
        return 0.8
    if unicodedata.bidirectional(char) in ("R", "AL"):
        return 0.56
    return 0.7 if category == "Lu" else 0.62


@lru_cache(maxsize=16384)
def text_width(text: str) -> float:
    """Width of a line of text in em.

    >>> text_width("il") < text_width("mw") < text_width("学生")
    True
    >>> text_width("e\u0301") == text_width("e")
    True
    """
    return sum(map(_char_width, text))


def runs_rtl(forms: Iterable[str]) -> bool:
    """Whether most letters are of a script written from right to left.

    >>> runs_rtl(["كتب", "الولد", "A"]), runs_rtl(["12", "."])
    (True, False)
    """
    balance = 0
    for form in forms:
        if form.isascii():
            balance -= sum(map(str.isalpha, form))
            continue
        for char in form:
            kind = unicodedata.bidirectional(char)
            balance += (kind in ("R", "AL")) - (kind == "L")
    return balance > 0


def clean(text: str) -> str:
    """Text with U+FFFD for every character that XML does not allow.

    >>> clean("a\\x1bb")
    'a\ufffdb'
    """
    return _NOT_XML.sub("\ufffd", text)


def escape(text: str) -> str:
    """Text fit for XML and HTML, between tags or inside quotes.

    >>> escape("</a> \\x00")
    '&lt;/a&gt; \ufffd'
    """
    return text if _PLAIN.fullmatch(text) else _escape(_NOT_XML.sub("\ufffd", text))


def visible(text: str) -> str:
    """Text that does nothing to a terminal: control characters and direction marks are shown, not sent.

    >>> visible("\\x1b[31mred\\x7f \\u202e")
    '␛[31mred␡ <U+202E>'
    """
    return _UNSEEN.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 32:
        return chr(0x2400 + code)
    return "\u2421" if code == 127 else f"<U+{code:04X}>"
