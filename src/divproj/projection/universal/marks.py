"""Punctuation in UD trees: a leaf that hangs as high as it can without crossing an edge."""

from __future__ import annotations

from collections.abc import Sequence


def hang_marks(heads: list[int], marks: Sequence[int]) -> None:
    """Fill the heads of punctuation marks (places from 1) in place; the other words have theirs.

    A mark takes the highest word on its left that it can reach without crossing, or on its right where that is higher.

    >>> heads = [2, 0, 0, 2, 0]
    >>> hang_marks(heads, [3, 5])
    >>> heads
    [2, 0, 2, 2, 2]
    """
    loose = set(marks)
    words = [k for k in range(1, len(heads) + 1) if k not in loose]
    if not words:
        for k in marks:
            heads[k - 1] = 0 if k == marks[0] else marks[0]
        return
    edges = [(min(k, heads[k - 1]), max(k, heads[k - 1])) for k in words if heads[k - 1] > 0]
    depth = {k: _depth(heads, k) for k in words}
    for mark in marks:
        open_ = [(a, b) for a, b in edges if a < mark < b]
        free = [
            k for k in words if all(a <= k <= b for a, b in open_) and not any(a < k < b and not a < mark < b for a, b in edges)
        ]
        heads[mark - 1] = min(free or words, key=lambda k: (depth[k], abs(k - mark), k))


def _depth(heads: Sequence[int], word: int) -> int:
    steps = 0
    while word > 0 and steps <= len(heads):
        word = heads[word - 1]
        steps += 1
    return steps
