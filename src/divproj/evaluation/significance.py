"""Approximate randomisation: could the difference of two systems be chance?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def approximate_randomisation(
    a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], *, rounds: int = 10_000, seed: int = 0
) -> float:
    """p-value for the difference of two micro-averaged scores, sentences exchanged at random (Noreen 1989).

    `a` and `b` hold (right, total) a sentence, in the same order.

    >>> approximate_randomisation([(1, 1)] * 20, [(1, 1)] * 20)
    1.0
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} sentences, the same number expected")
    left, right = np.array(a, float).reshape(-1, 2), np.array(b, float).reshape(-1, 2)

    def difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        scores = [np.where(t[..., 1], t[..., 0] / np.maximum(t[..., 1], 1e-9), 0.0) for t in (x, y)]
        return np.asarray(np.abs(scores[0] - scores[1]))

    seen = difference(left.sum(axis=0), right.sum(axis=0))
    chance = np.random.default_rng(seed)
    at_least = 0
    for start in range(0, rounds, 500):
        swap = chance.random((min(500, rounds - start), len(left))) < 0.5
        moved = swap @ (right - left)
        at_least += int((difference(left.sum(axis=0) + moved, right.sum(axis=0) - moved) >= seen - 1e-12).sum())
    return (at_least + 1) / (rounds + 1)
