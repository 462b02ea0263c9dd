"""Two directions to one set of links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from divproj.data.options import LINK_METHODS

LinkSet = frozenset[tuple[int, int]]
METHODS = LINK_METHODS
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def from_posteriors(
    forward: NDArray[np.floating], backward: NDArray[np.floating], threshold: float
) -> dict[tuple[int, int], float]:
    """Links (from 1) whose mean probability in both directions reaches the threshold: low for recall, high for precision.

    >>> from_posteriors(np.array([[0.9, 0.0]]), np.array([[0.5, 0.1]]), 0.5)
    {(1, 1): 0.7}
    """
    mean = (forward + backward) / 2
    found = np.argwhere(mean >= threshold)
    return {(int(i) + 1, int(j) + 1): round(float(mean[i, j]), 4) for i, j in found}


def intersection(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward & backward


def union(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward | backward


def grow_diag_final_and(forward: LinkSet, backward: LinkSet) -> LinkSet:
    """Koehn et al. (2005): grow the intersection by neighbours in the union, then add links of words that have none.

    >>> sorted(grow_diag_final_and(frozenset({(1, 1), (2, 2)}), frozenset({(1, 1), (1, 2)})))
    [(1, 1), (1, 2), (2, 2)]
    """
    both = forward | backward
    links = set(forward & backward)
    rows, columns = {i for i, _ in links}, {j for _, j in links}
    added = True
    while added:
        added = False
        for i, j in sorted(links):
            for di, dj in _NEIGHBOURS:
                new = (i + di, j + dj)
                if new in both and new not in links and (new[0] not in rows or new[1] not in columns):
                    links.add(new)
                    rows.add(new[0])
                    columns.add(new[1])
                    added = True
    for side in (forward, backward):
        for i, j in sorted(side):
            if i not in rows and j not in columns:
                links.add((i, j))
                rows.add(i)
                columns.add(j)
    return frozenset(links)
