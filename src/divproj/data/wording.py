"""Counts in words, as messages and summaries say them."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "sentence"), plural(1276, "sentence")
    ('1 sentence', '1,276 sentences')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"
