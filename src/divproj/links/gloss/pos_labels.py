"""Part-of-speech labels of interlinear text: which universal tags a linguist's own category allows.

A label may be put together like its word: `v-v:(TAM)` is a verb with an inflection, `adj>adv` an adjective made an adverb, `n=foc` a noun with a clitic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

OPEN = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
_PIECES = re.compile(r"[-=+~]+")
_ASIDE = re.compile(r"(?:\\s|\s|\().*", re.S)


def key(label: str) -> str:
    """Spelling variants of a label fall together.

    >>> key("V.tr") == key("vtr")
    True
    """
    return "".join(filter(str.isalnum, label.casefold()))


def classes_of(label: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Universal tags that a word with this label may have, the usual one first; () where the table does not know it.

    >>> table = {"n": ("NOUN", "PROPN"), "v": ("VERB", "AUX"), "nprop": ("PROPN",), "adv": ("ADV",), "det": ("DET",)}
    >>> classes_of("n-n:(Num)", table), classes_of("n>v", table), classes_of("n.prop", table), classes_of("n.anim", table)
    (('NOUN', 'PROPN'), ('VERB', 'AUX'), ('PROPN',), ('NOUN', 'PROPN'))
    >>> classes_of("det=n", table), classes_of("v:Any", table)
    (('NOUN', 'PROPN'), ())

    A noun that is inflected as a verb may be either.

    >>> classes_of("n-v:(TAM)", table)
    ('NOUN', 'PROPN', 'VERB', 'AUX')
    """
    whole = table.get(key(label))
    if whole:
        return whole
    found: list[tuple[str, ...]] = []
    inflected: tuple[str, ...] = ()
    for piece in _PIECES.split(label):
        _, made, after = piece.rpartition(">")
        category, affix, _ = piece.partition(":")
        if affix and not made:
            inflected = _of_piece(category, table) or inflected
        elif own := _of_piece(after, table):
            found = [own] if made else [*found, own]
    stem = next((own for own in found if own[0] in OPEN), found[0] if found else ())
    return tuple(dict.fromkeys((*stem, *inflected))) if stem else ()


def _of_piece(piece: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """By the whole label, else by what stands before its subclasses."""
    piece = _ASIDE.sub("", piece.strip())
    while piece:
        found = table.get(key(piece))
        if found:
            return found
        cut = max(map(piece.rfind, "._/"))
        piece = piece[:cut] if cut > 0 else ""
    return ()
