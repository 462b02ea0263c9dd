"""What the network sees of one word: numbers of rows in its tables, the same in training and at run time."""

from __future__ import annotations

from zlib import crc32

AFFIX_ROWS, GRAM_ROWS = 8192, 16384
"""Rows of the hashed tables: one of affixes, one of letter n-grams."""
AFFIXES = 8
"""Affixes of a word: prefixes of 1 to 3 letters, suffixes of 1 to 4, and its shape."""
LONGEST = 40
"""Letters of a word that are looked at; the rest of a longer one is not."""
PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "–": "-", "—": "-", "…": "..."})
"""Typographic marks as treebanks of web text have them."""


def key(form: str) -> str:
    """The form that tables know a word by.

    >>> key("Don’t")
    "don't"
    """
    return form.translate(PLAIN).lower()


def shape(form: str) -> str:
    """How a word is written, letters of a kind in a row as at most two.

    >>> [shape(form) for form in ("Rosa", "NATO", "iPod", "2-day", "3.14")]
    ['Xxx', 'XX', 'xXxx', 'd-xx', 'd.dd']
    """
    made = ""
    for letter in form[:LONGEST]:
        sign = "d" if letter.isdigit() else "X" if letter.isupper() else "x" if letter.isalpha() else letter
        if made[-2:] != sign + sign:
            made += sign
    return made


def affix_rows(form: str) -> list[int]:
    """Rows of the affixes of a word: always `AFFIXES` of them."""
    plain = form.translate(PLAIN)[:LONGEST]
    low = plain.lower()
    parts = [f"p{k}{low[:k]}" for k in (1, 2, 3)] + [f"s{k}{low[-k:]}" for k in (1, 2, 3, 4)] + [f"x{shape(plain)}"]
    return [crc32(part.encode()) % AFFIX_ROWS for part in parts]


def gram_rows(form: str) -> list[int]:
    """Rows of the letter n-grams (3 to 5 letters, the ends marked) of a word and of the whole word.

    >>> len(gram_rows("dog"))
    7
    """
    low = key(form)[:LONGEST]
    framed = f"<{low}>"
    grams = [framed[k : k + n] for n in (3, 4, 5) for k in range(len(framed) - n + 1)]
    return [crc32(gram.encode()) % GRAM_ROWS for gram in (*grams, f"={low}")]
