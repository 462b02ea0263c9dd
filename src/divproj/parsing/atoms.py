"""Sentences as the kernels take them: words and tags hashed once, laid end to end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from divproj.data.tree import DepTree

Ints = NDArray[np.int64]
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_LONG = 5


@dataclass(frozen=True)
class ParserInput:
    """What a parser may see of a sentence: words, tags, further columns of text, and codes of edges from outside.

    `more` holds columns, each with a text a word ('' for none). `codes[h, c]` are the small numbers (0 for nothing) that a
    projection and its links say of the edge from h to c, one number a slot.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    more: tuple[tuple[str, ...], ...] = ()
    codes: NDArray[np.int32] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, tree: DepTree, tags: str = "auto") -> ParserInput:
        return cls(tree.forms, tree.tags(tags))

    def __len__(self) -> int:
        return len(self.forms)


@lru_cache(maxsize=500_000)
def atom(kind: str, text: str) -> int:
    """A 64-bit number for a text of a kind, the same on every machine."""
    return int.from_bytes(blake2b(f"{kind}\0{text}".encode("utf-8", "replace"), digest_size=8).digest(), "little", signed=True)


def _row(form: str, tag: str) -> tuple[int, int, int]:
    form = "<num>" if _NUMBER.fullmatch(form) else form
    return atom("w", form), atom("p", form[:_LONG]) if len(form) > _LONG else 0, atom("t", tag)


_ROOT = (atom("root", "form"), 0, atom("root", "tag"))


@dataclass(frozen=True)
class Batch:
    """Sentences end to end, each with the root before its words: sentence s has tokens first[s] to first[s + 1]."""

    first: Ints
    atoms: Ints
    more: Ints
    codes: NDArray[np.int32]
    code_at: Ints
    slots: int

    @classmethod
    def of(cls, sentences: Sequence[ParserInput], columns: int = 0, slots: int = 0) -> Batch:
        rows: list[tuple[int, int, int]] = []
        extra: list[tuple[int, ...]] = []
        first = [0]
        none = (0,) * columns
        for sentence in sentences:
            rows.append(_ROOT)
            rows.extend(map(_row, sentence.forms, sentence.tags))
            if columns:
                extra.append(none)
                extra.extend(
                    tuple(atom(f"m{k}", text) if text else 0 for k, text in enumerate(texts))
                    for texts in zip(*sentence.more, strict=True)
                )
            first.append(len(rows))
        sizes = [(len(s) + 1) ** 2 * slots for s in sentences]
        codes = np.zeros(sum(sizes), np.int32)
        code_at = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        if slots:
            for sentence, at, end in zip(sentences, code_at[:-1], code_at[1:], strict=True):
                if sentence.codes is not None:
                    codes[at:end] = sentence.codes.ravel()
        return cls(
            np.array(first, np.int64),
            np.array(rows, np.int64).reshape(-1, 3),
            np.array(extra, np.int64).reshape(len(rows), columns),
            codes,
            code_at,
            slots,
        )

    def __len__(self) -> int:
        return len(self.first) - 1

    def codes_of(self, s: int) -> NDArray[np.int32]:
        return self.codes[self.code_at[s] : self.code_at[s + 1]]

    def flat(self, values: Iterable[Sequence[int]]) -> Ints:
        """Numbers of the words laid out like the tokens, −1 at the roots."""
        return np.array([n for row in values for n in (-1, *row)], np.int64)

    def split(self, values: Ints) -> list[tuple[int, ...]]:
        """Numbers of the tokens back as a tuple a sentence, the roots left out."""
        return [tuple(values[a + 1 : b].tolist()) for a, b in zip(self.first[:-1], self.first[1:], strict=True)]
