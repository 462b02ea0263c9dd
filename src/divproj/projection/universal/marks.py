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
    hidden, placed = sum(1 << mark for mark in marks), 0
    depth = {k: _depth(heads, k) for k in words}
    for mark in marks:
        ranked = sorted(words, key=lambda k: (depth[k], abs(k - mark), k))
        hidden &= ~(1 << mark)
        over = spanning(heads, mark)
        heads[mark - 1] = up = next((k for k in ranked if fits(below, mark, k, over, hidden, placed)), ranked[0])
        placed |= 1 << mark
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


def spanning(heads: Sequence[int], mark: int) -> list[tuple[int, int]]:
    """Edges (dependent, head) that have the mark between their ends."""
    return [(k, up) for k, up in enumerate(heads, 1) if up > 0 and min(k, up) < mark < max(k, up)]


def fits(below: Sequence[int], mark: int, head: int, over: Sequence[tuple[int, int]], hidden: int = 0, placed: int = 0) -> bool:
    """Whether a mark may hang on this head, as the validator of UD sees it.

    All words between the two are below the head, and the mark is to blame for no crossing: an edge `over` the mark may end between
    mark and head only where its upper end governs the head. Edges that span both are not the mark's doing. `hidden` marks have no place
    yet and do not count; those `placed` must not get the mark between themselves and their head. Both are bits, as `below` is.
    """
    low, high = (mark, head) if mark < head else (head, mark)
    between = ((1 << high) - 1) & ~((1 << (low + 1)) - 1) & ~hidden
    if between & ~below[head]:
        return False
    for k, up in over:
        ends_inside = min(k, up) > head if head < mark else max(k, up) < head
        if (ends_inside or placed >> k & 1) and not below[up] >> head & 1:
            return False
    return True


def _depth(heads: Sequence[int], word: int) -> int:
    steps = 0
    while word > 0 and steps <= len(heads):
        word = heads[word - 1]
        steps += 1
    return steps
