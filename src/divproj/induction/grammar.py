"""What was learned of one language: counts and priors, enough to parse new sentences (charts, best trees, marginals)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from divproj.data.errors import ModelError
from divproj.induction import sampler
from divproj.induction.spans import Floats, Inventory, Span, Tags, Text, Tree, fast

LONGEST = 1000
"""Words of a sentence that may be parsed: time grows with their third power."""
DECODERS = ("viterbi", "mbr")


@dataclass(frozen=True)
class Counts:
    """Row 0 constituents, row 1 distituents; `totals` their sums."""

    yields: Floats
    contexts: Floats
    totals: Floats

    @classmethod
    def empty(cls, inventory: Inventory) -> Counts:
        return cls(np.zeros((2, inventory.yields)), np.zeros((2, inventory.context_ids)), np.zeros(2))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.yields + other.yields, self.contexts + other.contexts, self.totals + other.totals)

    def scaled(self, by: float) -> Counts:
        return Counts(self.yields * by, self.contexts * by, self.totals * by)


@dataclass(frozen=True)
class Chart:
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
        found: Floats = self.inside[i, i + 1 : j] + self.inside[i + 1 : j, j] - (self.inside[i, j] - self.ratio[i, j])
        return found


@dataclass(frozen=True)
class Grammar:
    """The CCM of one language: predictive piC phiC against piD phiD of every span."""

    inventory: Inventory
    counts: Counts
    constituent: float = 2.0
    distituent: float = 20.0
    count_empty: bool = False

    @property
    def prior(self) -> Floats:
        """aC, aD, yield types, context types: what the kernels call `prior`."""
        types = self.inventory.yields - (not self.count_empty)
        return np.array([self.constituent, self.distituent, types, self.inventory.contexts], float)

    def with_counts(self, counts: Counts) -> Grammar:
        return replace(self, counts=counts)

    def unknown_tags(self, sentences: Iterable[Tags]) -> set[str]:
        return {tag for s in sentences for tag in s}.difference(self.inventory.tags)

    def charts(self, sentences: Iterable[Tags]) -> Iterator[Chart]:
        """For `--forest` and for decoding by expected recall."""
        for ratio, words in self._ratios(list(sentences)):
            n = len(ratio) - 1
            chart, post = np.zeros_like(ratio), np.zeros_like(ratio)
            if n:
                fast(sampler.inside, words)(n, ratio, chart)
                fast(sampler.marginals, words)(n, ratio, chart, post)
            yield Chart(ratio, chart, post)

    def parse(self, sentences: Iterable[Tags], decode: str = "viterbi") -> list[Tree]:
        """The best binary tree of each sentence: most probable (as in the paper) or of most expected brackets (`mbr`)."""
        if decode not in DECODERS:
            raise ModelError(f"no way to decode '{decode}'", remedy=f"choose one of {', '.join(DECODERS)}")
        found = []
        for ratio, words in self._ratios(list(sentences)):
            n = len(ratio) - 1
            score = ratio
            if decode == "mbr" and n:
                chart, score = np.zeros_like(ratio), np.zeros_like(ratio)
                fast(sampler.inside, words)(n, ratio, chart)
                fast(sampler.marginals, words)(n, ratio, chart, score)
            found.append(best(score, words))
        return found

    def _ratios(self, sentences: list[Tags]) -> Iterator[tuple[Floats, int]]:
        for k, sentence in enumerate(sentences, 1):
            if len(sentence) > LONGEST:
                raise ModelError(f"sentence {k} has {len(sentence)} words, at most {LONGEST} can be parsed", remedy="split it")
        text: Text = self.inventory.read(sentences)
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
    found: list[Span] = [(int(i), int(j)) for i, j in zip(start, end, strict=True) if j - i > 1]
    return tuple(found)
