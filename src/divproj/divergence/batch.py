"""Divergence of a corpus piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

import heapq

from divproj.data.errors import Faults
from divproj.data.pair import Pair
from divproj.divergence.analysis import Analysis, analyze_batches
from divproj.io.corpus import Piece

Worst = list[tuple[float, int, Pair]]
"""Divergent pairs: the share of E edges that match, the place in the piece, the pair."""


def analysed(extended: bool, tags: str, most: int, piece: Piece, faults: Faults) -> tuple[Analysis, Worst]:
    """The analysis of a piece and its most divergent pairs, so many of them, in order."""
    seen: Worst = []
    keep = (lambda pair, share: seen.append((share, len(seen), pair))) if most else None
    result = analyze_batches(piece.batches(faults), extended=extended, tags=tags, each=keep)
    return result, sorted(heapq.nsmallest(most, seen, key=lambda item: item[:2]), key=lambda item: item[1])
