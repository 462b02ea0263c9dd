"""Tag sequences as integer ids of yields and contexts, computed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError
from divproj.induction import sampler
from divproj.induction.settings import PASSES
from divproj.runtime.jit import Kernel

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]
Tags = Sequence[str]
Span = tuple[int, int]
Tree = tuple[Span, ...]
"""Spans of two words or more of a binary tree, (i, j) with 0 <= i < j <= n, parents before kids."""
MOST_TAGS = 3000


def fast(kernel: Kernel[Any, Any], words: int) -> Any:
    """The compiled kernel where there are enough words for it, else its plain twin: both do the same."""
    return kernel.for_work(words * PASSES)


@dataclass(frozen=True)
class Text:
    """Sentences laid end to end; span (i, j) of sentence k is at `grid_at[k] + i (n+1) + j` of `yields` and `contexts`."""

    at: Ints
    grid_at: Ints
    yields: Ints
    contexts: Ints

    def __len__(self) -> int:
        return len(self.at) - 1

    @property
    def words(self) -> int:
        return int(self.at[-1])

    @property
    def longest(self) -> int:
        return int(np.diff(self.at).max(initial=1))


@dataclass(frozen=True)
class Inventory:
    """What training saw of one language: tags, and yields as a trie (key = prefix * tags + tag; the id is the place + 1)."""

    tags: tuple[str, ...]
    keys: Ints
    contexts: int
    """How many different contexts there are."""
    _codes: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._codes.update({tag: k for k, tag in enumerate(self.tags)})

    @property
    def yields(self) -> int:
        """How many different yields there are, the empty one included; also one more than the largest id."""
        return len(self.keys) + 1

    @property
    def context_ids(self) -> int:
        return (len(self.tags) + 1) ** 2

    @cached_property
    def _table(self) -> tuple[Ints, Ints]:
        return hashed(self.keys, np.arange(1, len(self.keys) + 1, dtype=np.int32))

    def read(self, sentences: Iterable[Tags]) -> Text:
        """New sentences in the ids of this inventory; -1 for what it does not have."""
        codes, at, grid_at = self._encode(sentences)
        yields = np.zeros(int(grid_at[-1]), np.int32)
        fast(sampler.number_yields, len(codes))(codes, at, grid_at, len(self.tags), self.yields, *self._table, yields)
        return Text(at, grid_at, yields, _contexts(codes, at, grid_at, len(self.tags)))

    def _encode(self, sentences: Iterable[Tags]) -> tuple[Ints, Ints, Ints]:
        sentences = list(sentences)
        lengths = np.array([len(s) for s in sentences], np.int64)
        at, grid_at = np.zeros(len(sentences) + 1, np.int64), np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(lengths, out=at[1:])
        np.cumsum((lengths + 1) ** 2, out=grid_at[1:])
        return np.array([self._codes.get(tag, -1) for s in sentences for tag in s], np.int32), at, grid_at

    @classmethod
    def learn(cls, sentences: Iterable[Tags]) -> tuple[Inventory, Text]:
        """The inventory of these sentences, and them in its ids."""
        sentences = list(sentences)
        tags = tuple(sorted({tag for s in sentences for tag in s}))
        if len(tags) > MOST_TAGS:
            raise ModelError(
                f"{len(tags)} different tags, at most {MOST_TAGS} expected", remedy="take another column: `tags=upos` or xpos"
            )
        codes, at, grid_at = cls(tags, np.zeros(0, np.int64), 0)._encode(sentences)
        room = 1 << max(10, int(2 * grid_at[-1]).bit_length())
        keys, values = np.full(room, -1, np.int64), np.zeros(room, np.int32)
        yields = np.zeros(int(grid_at[-1]), np.int32)
        count = fast(sampler.number_yields, len(codes))(codes, at, grid_at, len(tags), -1, keys, values, yields)
        by_id = np.zeros(count - 1, np.int64)
        by_id[values[keys >= 0] - 1] = keys[keys >= 0]
        contexts = _contexts(codes, at, grid_at, len(tags))
        return cls(tags, by_id, int((np.bincount(_seen(at, grid_at, contexts)) > 0).sum())), Text(at, grid_at, yields, contexts)


def _contexts(codes: Ints, at: Ints, grid_at: Ints, kinds: int) -> Ints:
    contexts = np.zeros(int(grid_at[-1]), np.int32)
    fast(sampler.number_contexts, len(codes))(codes, at, grid_at, kinds, contexts)
    return contexts


def _seen(at: Ints, grid_at: Ints, contexts: Ints) -> Ints:
    """Contexts of real spans: the lower half of each grid is empty."""
    rows = [
        contexts[grid_at[k] : grid_at[k + 1]].reshape(n + 1, n + 1)[np.triu_indices(n + 1)] for k, n in enumerate(np.diff(at))
    ]
    return np.concatenate([np.zeros(0, np.int32), *rows])


def hashed(keys: Ints, values: Ints, least: int = 0) -> tuple[Ints, Ints]:
    """An open-addressing table of these keys, with room for `least` at half its size."""
    room = 1 << max(10, int(2 * max(len(keys), least) + 1).bit_length())
    table, found = np.full(room, -1, np.int64), np.zeros(room, np.int32)
    fast(sampler.fill_table, len(keys))(keys, values, table, found)
    return table, found
