"""Words as numbers, and the shorter forms that rare words fall back on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

STEM = 4
"""First letters that stand for a rare word."""


def stem(word: str, length: int = STEM) -> str:
    """The first characters of a word in lower case; a number is `0`, what has no letter stays.

    >>> stem("Houses"), stem("1.250"), stem("!")
    ('hous', '0', '!')
    """
    if any(c.isdigit() for c in word) and not any(c.isalpha() for c in word):
        return "0"
    return word.lower()[:length]


@dataclass
class Vocabulary:
    """Numbers of words, from 1; 0 is the empty word."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, word: str) -> int:
        return self.numbers.setdefault(word, len(self.numbers))

    def encode(self, sentences: Iterable[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """All words end to end, and where each sentence starts."""
        flat: list[int] = []
        at = [0]
        number = self.number
        for sentence in sentences:
            flat += [number(word) for word in sentence]
            at.append(len(flat))
        return np.array(flat, np.int32), np.array(at, np.int64)
