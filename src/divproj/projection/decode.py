"""The best tree with one root over a few candidate heads a word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from divproj.data.tree import cycles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Options = Sequence[tuple[int, float]]
"""(head, probability) of a word's candidates; head 0 is the root."""
ROOTS = 4


def best_tree(options: Sequence[Options]) -> list[int]:
    """Heads of words 1..n: the most probable of each word when they make a tree, else the best tree (Chu-Liu/Edmonds).

    >>> best_tree([[(0, 0.6), (2, 0.4)], [(1, 0.3), (0, 0.7)]])
    [2, 0]
    """
    greedy = [max(heads, key=lambda option: option[1])[0] for heads in options]
    if not greedy or (greedy.count(0) == 1 and not cycles(greedy)):
        return greedy
    import numpy as np

    n = len(options)
    logs = np.full((n + 1, n + 1), -1e3)  # [head, child]; any word can hang anywhere at worst
    for child, heads in enumerate(options, 1):
        for head, chance in heads:
            logs[head, child] = math.log(chance + 1e-12)
    roots = np.argsort(-logs[0, 1:], kind="stable")[:ROOTS] + 1
    found = []
    for root in roots.tolist():
        tree = [head + 1 for head in arborescence(logs[1:, 1:], root - 1)]
        tree[root - 1] = 0
        found.append((sum(float(logs[h, c]) for c, h in enumerate(tree, 1)), tree))
    return max(found, key=lambda item: item[0])[1]


def arborescence(scores: NDArray[np.float64], root: int) -> list[int]:
    """Heads that maximise the sum of scores[head, child] with this root, words from 0; the root's head is -1."""
    import numpy as np

    n = len(scores)
    scores = scores.copy()
    np.fill_diagonal(scores, -np.inf)
    heads = scores.argmax(axis=0)
    heads[root] = -1
    loops = cycles([int(h) + 1 for h in heads])
    if not loops:
        return [int(h) for h in heads]
    cycle = np.array(loops[0]) - 1
    inside = np.zeros(n, bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    gain = scores[np.ix_(outside, cycle)] - scores[heads[cycle], cycle]
    enter = cycle[gain.argmax(axis=1)]
    leave = cycle[scores[np.ix_(cycle, outside)].argmax(axis=0)]
    size = len(outside) + 1
    small = np.full((size, size), -np.inf)
    small[:-1, :-1] = scores[np.ix_(outside, outside)]
    small[:-1, -1] = gain.max(axis=1)
    small[-1, :-1] = scores[leave, outside]
    above = arborescence(small, int(np.flatnonzero(outside == root)[0]))
    for k, word in enumerate(outside.tolist()):
        if word != root:
            heads[word] = leave[k] if above[k] == size - 1 else outside[above[k]]
    heads[enter[above[-1]]] = outside[above[-1]]
    return [int(h) for h in heads]
