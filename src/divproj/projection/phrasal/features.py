"""What aligned phrases say of every possible edge, as codes for the parser of s5+."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from divproj.projection.phrasal.chart import RELATIONS
from divproj.projection.phrasal.projector import Posteriors
from divproj.projection.settings import CHANCE_BINS

PHRASES = ("edge", "link", "shared")
"""Codes an edge can have: how probable the phrases make it, what the pairs of its two ends are to each other (the head link),
the smallest aligned phrase that holds both ends."""
_MOST = 3


def phrase_codes(found: Posteriors, features: Sequence[str] = PHRASES) -> NDArray[np.int32]:
    """codes[h, c, slot], a slot a feature; the diagonal and column 0 are of no account."""
    n1 = len(found.edges)
    made = np.zeros((n1, n1, len(features)), np.int32)
    heads = np.array((0, *found.heads))
    for slot, name in enumerate(features):
        if name == "edge":
            best = np.zeros((n1, n1), np.int32)
            best[heads[1:], np.arange(1, n1)] = 1
            made[:, :, slot] = 1 + np.searchsorted(CHANCE_BINS, found.edges) + 10 * best
        elif name == "link":
            made[:, :, slot] = 1 + found.codes + len(RELATIONS) * np.array(found.linked.kinds)[None, :]
        else:
            made[:, :, slot] = _shared(heads)
    return made


def _shared(heads: NDArray[np.int64]) -> NDArray[np.int32]:
    """Steps from the child up to the smallest aligned phrase that holds both ends (3 for more), doubled; one more where the
    other end is its head."""
    n1 = len(heads)
    below = np.eye(n1, dtype=bool)  # [p, w]: the phrase of p holds w
    above = heads.copy()
    words = np.arange(n1)
    while above.any():
        below[above, words] |= above > 0
        above = heads[above]
    below[0] = True
    made = np.zeros((n1, n1), np.int32)
    for c in range(1, n1):
        phrase, steps = c, 0
        open_ = np.ones(n1, bool)
        while True:
            reached = open_ & below[phrase]
            made[reached, c] = 2 + 2 * min(steps, _MOST)
            made[phrase, c] += reached[phrase]
            open_ &= ~below[phrase]
            if phrase == 0 or not open_.any():
                break
            phrase, steps = int(heads[phrase]), steps + 1
    return made
