"""How much alike two English words are in meaning, by the word vectors that come with the English parser."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ProjError
from divproj.links.settings import COMMON_DIRECTIONS
from divproj.runtime.vectors import WordVectors, shipped


class Meaning:
    """Cosines of vectors without their mean and main directions.

    >>> rows = np.array([[90, 10, 5, 1], [80, 20, 6, 2], [-90, 30, 0, 1], [5, -60, 9, 0]], np.int8)
    >>> some = Meaning(WordVectors(["a", "b", "c", "d"], rows, np.ones(4, np.float32)), common=0)
    >>> some.likeness("a", "b") > some.likeness("a", "c"), some.likeness("a", "zzz")
    (True, 0.0)
    """

    def __init__(self, vectors: WordVectors, common: int = COMMON_DIRECTIONS) -> None:
        self.place = vectors.place
        rows = vectors.rows.astype(np.float32) * vectors.units[:, None]
        rows -= rows.mean(0)
        if common:
            directions = np.linalg.eigh(rows.T @ rows)[1][:, -common:]
            rows -= (rows @ directions) @ directions.T
        self._rows: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def vector(self, words: str) -> NDArray[np.float32] | None:
        """The direction of a word, or of several joined by dots, hyphens or underscores; None when all are unknown."""
        found = [self.place[w] for w in words.replace("_", ".").replace("-", ".").split(".") if w in self.place]
        if not found:
            return None
        mean: NDArray[np.float32] = self._rows[found].mean(0)
        return mean / max(float(np.linalg.norm(mean)), 1e-9)

    def likeness(self, a: str, b: str) -> float:
        """The cosine of two words, 0 where one is unknown."""
        u, v = self.vector(a), self.vector(b)
        return 0.0 if u is None or v is None else float(u @ v)


@lru_cache(maxsize=1)
def english() -> Meaning | None:
    """Of the shipped vectors; None where the installed language has none."""
    try:
        return Meaning(shipped("en"))
    except ProjError:
        return None
