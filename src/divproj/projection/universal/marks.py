"""Punctuation in UD trees: a leaf that hangs as high as it can without crossing an edge."""

from __future__ import annotations

from collections.abc import Sequence


def hang_marks(heads: list[int], marks: Sequence[int]) -> None:
    """Fill the heads of punctuation marks (places from 1) in place; the other words have theirs.

    A mark takes the highest word that it can reach without crossing, the nearest of equals.

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
    for mark in marks:  # so that none is below another while they are placed
        heads[mark - 1] = -1
    below = descendants(heads)
    hidden = sum(1 << mark for mark in marks)
    depth = {k: _depth(heads, k) for k in words}
    for mark in marks:
        ranked = sorted(words, key=lambda k: (depth[k], abs(k - mark), k))
        hidden &= ~(1 << mark)
        heads[mark - 1] = up = next((k for k in ranked if fits(heads, below, mark, k, hidden)), ranked[0])
        while up > 0:
            below[up] |= 1 << mark
            up = heads[up - 1]


def descendants(heads: Sequence[int]) -> list[int]:
    """For each word from 0 the words below it and itself, as bits of a number."""
    made = [1 << k for k in range(len(heads) + 1)]
    for k in range(1, len(heads) + 1):
        up, steps = heads[k - 1], 0
        while up > 0 and steps <= len(heads):
            made[up] |= 1 << k
            up = heads[up - 1]
            steps += 1
    return made


def fits(heads: Sequence[int], below: Sequence[int], mark: int, head: int, hidden: int = 0) -> bool:
    """Whether a mark on this head crosses no edge: neither its own edge, nor one that spans it. `hidden` words do not count."""
    low, high = sorted((mark, head))
    between = ((1 << high) - 1) & ~((1 << (low + 1)) - 1) & ~hidden
    if between & ~below[head]:
        return False
    for k, up in enumerate(heads, 1):
        if up > 0 and k != mark and not hidden >> k & 1 and min(k, up) < mark < max(k, up) and not below[up] >> head & 1:
            return False
    return True


def _depth(heads: Sequence[int], word: int) -> int:
    steps = 0
    while word > 0 and steps <= len(heads):
        word = heads[word - 1]
        steps += 1
    return steps
