"""The grammar that induction learns of one language: counts and priors, enough to parse new sentences.

`Inventory` numbers the tags, yields and contexts of the training text; `Inventory.read` turns tag sequences into a `TagText`
of integer ids. `Grammar` has the counts, and makes charts, best trees and span probabilities from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError
from divproj.induction import sampler
from divproj.runtime.jit import Kernel

PASSES = 100
"""Passes over each word that induction makes at least, all its chains and sweeps: what compiled code is worth depends on it."""


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
class TagText:
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
    """Tags and yields of a training text: tags, and yields as a trie (key = prefix * tags + tag; the id is the place + 1)."""

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
        return hash_table(self.keys, np.arange(1, len(self.keys) + 1, dtype=np.int32))

    def read(self, sentences: Iterable[Tags]) -> TagText:
        """New sentences in the ids of this inventory; -1 for what it does not have."""
        codes, at, grid_at = self._encode(sentences)
        yields = np.zeros(int(grid_at[-1]), np.int32)
        fast(sampler.number_yields, len(codes))(codes, at, grid_at, len(self.tags), self.yields, *self._table, yields)
        return TagText(at, grid_at, yields, _contexts(codes, at, grid_at, len(self.tags)))

    def _encode(self, sentences: Iterable[Tags]) -> tuple[Ints, Ints, Ints]:
        sentences = list(sentences)
        lengths = np.array([len(s) for s in sentences], np.int64)
        at, grid_at = np.zeros(len(sentences) + 1, np.int64), np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(lengths, out=at[1:])
        np.cumsum((lengths + 1) ** 2, out=grid_at[1:])
        return np.array([self._codes.get(tag, -1) for s in sentences for tag in s], np.int32), at, grid_at

    @classmethod
    def learn(cls, sentences: Iterable[Tags]) -> tuple[Inventory, TagText]:
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
        return cls(tags, by_id, int((np.bincount(_seen(at, grid_at, contexts)) > 0).sum())), TagText(
            at, grid_at, yields, contexts
        )


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


def hash_table(keys: Ints, values: Ints, least: int = 0) -> tuple[Ints, Ints]:
    """An open-addressing table of these keys, with room for `least` at half its size."""
    room = 1 << max(10, int(2 * max(len(keys), least) + 1).bit_length())
    table, stored_values = np.full(room, -1, np.int64), np.zeros(room, np.int32)
    fast(sampler.fill_table, len(keys))(keys, values, table, stored_values)
    return table, stored_values


LONGEST = 1000
"""Words of a sentence that may be parsed: time grows with their third power."""
DECODERS = ("viterbi", "mbr")


@dataclass(frozen=True)
class SpanCounts:
    """Row 0 constituents, row 1 distituents; `totals` their sums."""

    yields: Floats
    contexts: Floats
    totals: Floats

    @classmethod
    def empty(cls, inventory: Inventory) -> SpanCounts:
        return cls(np.zeros((2, inventory.yields)), np.zeros((2, inventory.context_ids)), np.zeros(2))

    def __add__(self, other: SpanCounts) -> SpanCounts:
        return SpanCounts(self.yields + other.yields, self.contexts + other.contexts, self.totals + other.totals)

    def multiply(self, by: float) -> SpanCounts:
        return SpanCounts(self.yields * by, self.contexts * by, self.totals * by)


@dataclass(frozen=True)
class SpanChart:
    """One sentence: log ratios, log inside sums and node probabilities of its spans, indexed [i, j]."""

    ratio: Floats
    inside: Floats
    marginals: Floats
    known_splits: Floats | None = None
    """Log probabilities [i, j, k] of splits where they do not follow from the sums (`consensus`); `ratio` is then any score
    by which trees can be compared."""

    def splits(self, i: int, j: int) -> Floats:
        """log p(k | i, j) for k = i+1 … j-1."""
        if self.known_splits is not None:
            return self.known_splits[i, j, i + 1 : j]
        log_probs: Floats = self.inside[i, i + 1 : j] + self.inside[i + 1 : j, j] - (self.inside[i, j] - self.ratio[i, j])
        return log_probs


@dataclass(frozen=True)
class Grammar:
    """The CCM of one language: predictive piC phiC against piD phiD of every span."""

    inventory: Inventory
    counts: SpanCounts
    constituent: float = 2.0
    distituent: float = 20.0
    count_empty: bool = False

    @property
    def prior(self) -> Floats:
        """aC, aD, yield types, context types: what the kernels call `prior`."""
        types = self.inventory.yields - (not self.count_empty)
        return np.array([self.constituent, self.distituent, types, self.inventory.contexts], float)

    def with_counts(self, counts: SpanCounts) -> Grammar:
        return replace(self, counts=counts)

    def unknown_tags(self, sentences: Iterable[Tags]) -> set[str]:
        return {tag for s in sentences for tag in s}.difference(self.inventory.tags)

    def charts(self, sentences: Iterable[Tags]) -> Iterator[SpanChart]:
        """Yield the chart of each sentence, for `--forest` and for decoding by expected recall."""
        for ratio, words in self._ratios(list(sentences)):
            n = len(ratio) - 1
            chart, post = np.zeros_like(ratio), np.zeros_like(ratio)
            if n:
                fast(sampler.inside, words)(n, ratio, chart)
                fast(sampler.marginals, words)(n, ratio, chart, post)
            yield SpanChart(ratio, chart, post)

    def parse(self, sentences: Iterable[Tags], decode: str = "viterbi") -> list[Tree]:
        """The best binary tree of each sentence: most probable (as in the paper) or of most expected brackets (`mbr`)."""
        if decode not in DECODERS:
            raise ModelError(f"no way to decode '{decode}'", remedy=f"choose one of {', '.join(DECODERS)}")
        trees = []
        for ratio, words in self._ratios(list(sentences)):
            n = len(ratio) - 1
            score = ratio
            if decode == "mbr" and n:
                chart, score = np.zeros_like(ratio), np.zeros_like(ratio)
                fast(sampler.inside, words)(n, ratio, chart)
                fast(sampler.marginals, words)(n, ratio, chart, score)
            trees.append(best(score, words))
        return trees

    def _ratios(self, sentences: list[Tags]) -> Iterator[tuple[Floats, int]]:
        for k, sentence in enumerate(sentences, 1):
            if len(sentence) > LONGEST:
                raise ModelError(f"sentence {k} has {len(sentence)} words, at most {LONGEST} can be parsed", remedy="split it")
        text: TagText = self.inventory.read(sentences)
        run = fast(sampler.log_ratios, text.words)
        c, prior = self.counts, self.prior
        for n, base in zip(np.diff(text.at).tolist(), text.grid_at.tolist(), strict=False):
            ratio = np.zeros((n + 1, n + 1))
            run(n, base, text.yields, text.contexts, c.yields, c.contexts, c.totals, prior, ratio)
            yield ratio, text.words


def best(score: Floats, words: int) -> Tree:
    """The binary tree whose spans have the largest sum of scores."""
    n = len(score) - 1
    if n < 1:
        return ()
    nodes = [np.zeros(2 * n - 1, np.int32) for _ in range(4)]
    fast(sampler.best_tree, words)(n, score, np.zeros_like(score), np.zeros((n + 1, n + 1), np.int32), *nodes)
    return spans_of(nodes[0], nodes[1])


def spans_of(start: Iterable[int], end: Iterable[int]) -> Tree:
    """Nodes of two words or more."""
    spans: list[Span] = [(int(i), int(j)) for i, j in zip(start, end, strict=True) if j - i > 1]
    return tuple(spans)
