"""What UD allows: which relation a word of a tag may have, which words have no dependents, one subject and one object.

The facts are those that the official validator checks at level 3, in the order in which they are applied here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from divproj.projection.ud_names import LABELS, ONLY, RIGHTWARD

Floats = NDArray[np.float64]
_OPEN = {"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"}
NEVER = {"mark": _OPEN, "cc": _OPEN, "case": {"PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "VERB", "INTJ"}}
"""Relations that words of these tags do not have."""
LEAVES = frozenset({"aux", "cop", "case", "mark", "cc", "det", "clf", "fixed", "goeswith"})
"""Relations of words without dependents."""
UNUSED = frozenset({"goeswith", "orphan", "list", "fixed"})
"""Relations that need what a draft does not know."""
ONCE = (("nsubj", "csubj"), ("obj", "ccomp"))
"""Of each, a head has at most one dependent."""


def allowed(tag: str, head: int, child: int, *, leaf: bool = True) -> NDArray[np.bool_]:
    """Which of `LABELS` a word may have; `leaf`: it has no dependents."""
    return _allowed(tag, head > child, leaf)


@cache
def _allowed(tag: str, head_follows: bool, leaf: bool) -> NDArray[np.bool_]:
    found = np.array([
        label not in UNUSED
        and (label not in ONLY or tag in ONLY[label])
        and tag not in NEVER.get(label, ())
        and not (label in RIGHTWARD and head_follows)
        and (leaf or label not in LEAVES)
        for label in LABELS
    ])  # fmt: skip
    found.setflags(write=False)
    return found


def lifted(heads: Sequence[int], tags: Sequence[str], chances: Floats, sure: float = 0.5) -> list[int]:
    """The tree in which words that are function words by tag and relation have no dependents: these go to their head.

    `chances` [word, label]; words are counted from 1, 0 is the root.
    """
    made = list(heads)
    names = [_best(tag, h, c, row) for c, (h, tag, row) in enumerate(zip(heads, tags, chances, strict=True), 1)]
    function = {c for c, (h, name, row) in enumerate(zip(heads, names, chances, strict=True), 1)
                if h and name in LEAVES and row[LABELS.index(name)] >= sure}  # fmt: skip
    for c in range(1, len(made) + 1):
        steps = 0
        while made[c - 1] in function and steps <= len(made):
            made[c - 1] = heads[made[c - 1] - 1]
            steps += 1
    return made


def _best(tag: str, head: int, child: int, row: Floats, *, leaf: bool = True) -> str:
    return LABELS[int(np.where(allowed(tag, head, child, leaf=leaf), row, -1.0).argmax())]


def relations(heads: Sequence[int], tags: Sequence[str], chances: Floats) -> list[str]:
    """The most probable relations that UD allows together."""
    governs = set(heads)
    masks = [allowed(tag, h, c, leaf=c not in governs) for c, (h, tag) in enumerate(zip(heads, tags, strict=True), 1)]
    scores = [np.where(mask, row, -1.0) for mask, row in zip(masks, chances, strict=True)]
    for group in ONCE:
        places = [LABELS.index(label) for label in group]
        for head in sorted(governs - {0}):
            rivals = [c for c, h in enumerate(heads, 1) if h == head and LABELS[int(scores[c - 1].argmax())] in group]
            if len(rivals) > 1:
                keep = max(rivals, key=lambda c: (max(scores[c - 1][places]), -c))
                for c in rivals:
                    if c != keep:
                        scores[c - 1][places] = -1.0
    return [
        "root" if not h else LABELS[int(row.argmax())] if row.max() >= 0 else "dep"
        for h, row in zip(heads, scores, strict=True)
    ]
