"""What is known before the statistics: links of glossed sentences, dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from divproj.data.errors import FormatError, Where
from divproj.links.settings import DICTIONARY_ENTRY

Known = dict[tuple[str, str], float]


def from_links(
    pairs: Iterable[tuple[Sequence[str], Sequence[str], Iterable[tuple[int, int, float]]]], weight: float = 1.0
) -> Known:
    """Pseudo-counts from linked sentences: (F words, E words, links (f, e, score) from 1).

    >>> from_links([(("Hund",), ("dog",), [(1, 1, 0.5)])])
    {('hund', 'dog'): 0.5}
    """
    known: Known = {}
    for f, e, links in pairs:
        for i, j, score in links:
            pair = (f[i - 1].lower(), e[j - 1].lower())
            known[pair] = known.get(pair, 0.0) + weight * score
    return known


def from_dictionary(lines: Iterable[str], path: str = "") -> Known:
    """Pseudo-counts from a TSV: F word, E word, and a weight if there is a third column; `#` begins a comment."""
    known: Known = {}
    for number, line in enumerate(lines, 1):
        cells = line.rstrip("\r\n").split("\t")
        if not line.strip() or line.startswith("#"):
            continue
        try:
            weight = float(cells[2]) if len(cells) > 2 else DICTIONARY_ENTRY
        except ValueError:
            raise FormatError(f"weight is '{cells[2]}', a number expected", Where(path, number)) from None
        if len(cells) < 2:
            raise FormatError("one column, two expected: F word, tab, E word", Where(path, number))
        pair = (cells[0].strip().lower(), cells[1].strip().lower())
        known[pair] = known.get(pair, 0.0) + weight
    return known
