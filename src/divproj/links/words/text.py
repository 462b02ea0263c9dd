"""A bitext of any length: read again and again, cut into shards that are small enough to be sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import AlignmentError
from divproj.data.options import WordsOptions
from divproj.links.words.model import LONGEST, Sides, WordPair
from divproj.links.words.vocabulary import Vocabulary


class Row(NamedTuple):
    """A sentence pair: words, and of all of them the lemmas and tags where there are any."""

    f: list[str]
    e: list[str]
    lemmas: tuple[list[str], list[str]] | None = None
    tags: tuple[list[str], list[str]] | None = None


@dataclass(frozen=True)
class Text:
    """A bitext that is read from the beginning whenever its rows are asked for, and what one reading tells of it."""

    rows: Iterable[Row]
    size: int
    pairs: int
    usable: int
    """Pairs with words on both sides, and not too many."""
    too_long: int
    lemmas: bool
    tags: bool
    """Whether both sides have them."""
    digest: str

    @classmethod
    def of(cls, rows: Iterable[Row], size: int = WordsOptions.shard) -> Text:
        """Reads it once; `size` is how many pairs make a shard."""
        digest = hashlib.blake2b(digest_size=16)
        pairs = usable = too_long = 0
        seen = {"lemmas": [False, False], "tags": [False, False]}
        for row in rows:
            pairs += 1
            longest = max(len(row.f), len(row.e))
            filled = bool(row.f and row.e)
            usable += filled and longest <= LONGEST
            too_long += filled and longest > LONGEST
            digest.update(repr(row).encode("utf-8", "replace"))
            for name, column in (("lemmas", row.lemmas), ("tags", row.tags)):
                for k, side in enumerate(column or ()):
                    seen[name][k] = seen[name][k] or any(value != "_" for value in side)
        return cls(rows, size, pairs, usable, too_long, all(seen["lemmas"]), all(seen["tags"]), digest.hexdigest())

    @property
    def shard_count(self) -> int:
        return -(-self.pairs // self.size)

    def shards(self) -> Iterator[Shard]:
        rows = iter(self.rows)
        for k in range(self.shard_count):
            found = [*islice(rows, self.size)]
            if len(found) < min(self.size, self.pairs - k * self.size):
                raise AlignmentError("the text is shorter than when it was read first", remedy="leave it as it is meanwhile")
            yield Shard.of(found, self.lemmas, self.tags)


class Column(NamedTuple):
    """Words of sentences as numbers, end to end: small, and quickly sent."""

    names: list[str]
    numbers: NDArray[np.int32]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Iterable[list[str]]) -> Column:
        book = Vocabulary()
        numbers, at = book.encode(sentences)
        return cls([*book.numbers], numbers, at)

    def sentences(self) -> list[list[str]]:
        words = [self.names[k] for k in self.numbers.tolist()]
        bounds = self.at.tolist()
        return [words[start:end] for start, end in pairwise(bounds)]


def sides(columns: tuple[Column, Column] | None) -> Sides | None:
    """Their sentences."""
    return (columns[0].sentences(), columns[1].sentences()) if columns else None


class Shard(NamedTuple):
    """Pairs that are learned from together."""

    f: Column
    e: Column
    lemmas: tuple[Column, Column] | None
    tags: tuple[Column, Column] | None

    @classmethod
    def of(cls, rows: list[Row], lemmas: bool, tags: bool) -> Shard:
        def both(name: str) -> tuple[Column, Column]:
            sides = [getattr(row, name) for row in rows]
            return Column.of(x[0] for x in sides), Column.of(x[1] for x in sides)

        given = [both(name) if there else None for name, there in (("lemmas", lemmas), ("tags", tags))]
        return cls(Column.of(row.f for row in rows), Column.of(row.e for row in rows), *given)

    def pairs(self) -> list[WordPair]:
        return [*zip(self.f.sentences(), self.e.sentences(), strict=True)]
