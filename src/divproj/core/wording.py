"""Counts in words, as messages and summaries say them."""

from __future__ import annotations

import os
import shlex


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "sentence"), plural(1276, "sentence")
    ('1 sentence', '1,276 sentences')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def shell_word(path: object) -> str:
    """Return a path as one would type it in a shell: quoted where need be, and never taken for an option.

    >>> print(shell_word("trees.conllu"), shell_word("my text.conllu"), shell_word("-x.conllu"), shell_word("a\\nb"))
    trees.conllu 'my text.conllu' ./-x.conllu $'a\\nb'
    """
    text = str(path)
    text = f"./{text}" if text.startswith("-") else text
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(c if c.isprintable() and c not in "'\\" else _escape(c) for c in text) + "'"


def _escape(character: str) -> str:
    named = {"\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\"}
    return named.get(character) or "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
