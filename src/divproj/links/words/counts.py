"""How often pairs of words are linked, compact enough to travel between processes, and sums of many such counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.links.words.priors import Known
from divproj.links.words.vocabulary import Vocabulary

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
NOTHING = 1e-6
"""A count that is taken for none: what is left when a part is taken out of a sum."""
END = "\n"
"""No word has it."""


@dataclass(frozen=True)
class Counts:
    """`values[k]` is the count of the pair `f[rows[k]]`, `e[columns[k]]`; no pair is there twice."""

    f: Sequence[str]
    e: Sequence[str]
    rows: Ints
    columns: Ints
    values: Floats

    @classmethod
    def summed(cls, names: tuple[Sequence[str], Sequence[str]], f: Ints, e: Ints, values: Floats) -> Counts:
        """From numbers of words on both sides, pairs as often as they come, and the names of the numbers."""
        keys, at = np.unique(_keys(f, e), return_inverse=True)
        f_used, rows = np.unique(keys >> 32, return_inverse=True)
        e_used, columns = np.unique(keys & _LOW, return_inverse=True)
        summed = np.bincount(at, weights=values, minlength=len(keys)).astype(float)
        f_names, e_names = ([side[k] for k in used.tolist()] for side, used in zip(names, (f_used, e_used), strict=True))
        return cls(f_names, e_names, rows.astype(np.int32), columns.astype(np.int32), summed)

    @classmethod
    def of(cls, known: Mapping[tuple[str, str], float]) -> Counts:
        """From a mapping."""
        books = Vocabulary(), Vocabulary()
        f, e = (np.array([book.number(pair[k]) for pair in known], np.int64) for k, book in enumerate(books))
        names = [*books[0].numbers], [*books[1].numbers]
        return cls.summed(names, f, e, np.array([*known.values()], float))

    def known(self) -> Known:
        """As a mapping."""
        rows, columns, values = self.rows.tolist(), self.columns.tolist(), self.values.tolist()
        return {(self.f[i], self.e[j]): value for i, j, value in zip(rows, columns, values, strict=True)}

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """As arrays alone, for a file."""
        texts = {f"{name}-{side}": packed(words) for side, words in (("f", self.f), ("e", self.e))}
        return {**texts, f"{name}-rows": self.rows, f"{name}-columns": self.columns, f"{name}-values": self.values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Counts:
        """What `arrays` made; ValueError or KeyError where it cannot be that."""
        f, e = (unpacked(arrays[f"{name}-{side}"]) for side in "fe")
        made = cls(f, e, *(arrays[f"{name}-{part}"] for part in ("rows", "columns", "values")))
        for at, side in ((made.rows, f), (made.columns, e)):
            if at.shape != made.values.shape or at.dtype.kind != "i" or (len(at) and not 0 <= at.min() <= at.max() < len(side)):
                raise ValueError("pairs of words that are not there")
        return made


def packed(words: Iterable[str]) -> NDArray[np.uint8]:
    """Words as bytes."""
    return np.frombuffer("".join(f"{word}{END}" for word in words).encode("utf-8", "surrogatepass"), np.uint8)


def unpacked(data: NDArray[Any]) -> list[str]:
    """Words from bytes; ValueError where they are none."""
    return data.astype(np.uint8).tobytes().decode("utf-8", "surrogatepass").split(END)[:-1]


@dataclass
class Tally:
    """Sums of counts, of which each part can be taken out again."""

    books: tuple[Vocabulary, Vocabulary] = field(default_factory=lambda: (Vocabulary(), Vocabulary()))
    parts: list[tuple[Ints, Floats]] = field(default_factory=list)
    _sum: tuple[Ints, Floats] | None = None

    @classmethod
    def of(cls, known: Mapping[tuple[str, str], float]) -> Tally:
        """With one part, what is known beforehand."""
        made = cls()
        made.add(Counts.of(known))
        return made

    def add(self, counts: Counts) -> None:
        f, e = (
            np.array([book.number(word) for word in side] or [0], np.int64)
            for book, side in zip(self.books, (counts.f, counts.e), strict=True)
        )
        keys = _keys(f[counts.rows], e[counts.columns])
        order = np.argsort(keys)
        self.parts.append((keys[order], counts.values[order]))
        self._sum = None

    @property
    def sum(self) -> tuple[Ints, Floats]:
        """Keys in order, and their counts."""
        if self._sum is None:
            all_keys = np.concatenate([keys for keys, _ in self.parts] or [np.zeros(0, np.int64)])
            keys, at = np.unique(all_keys, return_inverse=True)
            weights = np.concatenate([values for _, values in self.parts] or [np.zeros(0)])
            self._sum = keys, np.bincount(at, weights=weights, minlength=len(keys)).astype(float)
        return self._sum

    def counts(self) -> Counts:
        """All of it."""
        keys, values = self.sum
        return Counts.summed(self._names, keys >> 32, keys & _LOW, values)

    def between(self, words: Sequence[Iterable[str]], without: int | None = None) -> Counts:
        """What there is of these words of F and of E, without one of the parts."""
        keys, values = self.sum
        if without is not None:
            own, brought = self.parts[without]
            values = values.copy()
            values[np.searchsorted(keys, own)] -= brought
        there = values > NOTHING
        for book, side, numbers in zip(self.books, words, (keys >> 32, keys & _LOW), strict=True):
            among = np.zeros(len(book), bool)
            among[[book.numbers[word] for word in side if word in book.numbers]] = True
            there &= among[numbers]
        return Counts.summed(self._names, keys[there] >> 32, keys[there] & _LOW, values[there])

    @property
    def _names(self) -> tuple[list[str], list[str]]:
        return [*self.books[0].numbers], [*self.books[1].numbers]


_LOW = np.int64((1 << 32) - 1)


def _keys(f: Ints, e: Ints) -> Ints:
    return (f.astype(np.int64) << 32) | e.astype(np.int64)
