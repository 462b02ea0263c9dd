"""Several chains as one grammar: their posteriors are averaged, and the tree of most expected brackets is taken.

Chains of one sampler fall into different modes, and a mean of their counts is none of them. The mean of what they make of a
sentence is a distribution over its trees, and the tree that has most brackets in common with it on average (minimum Bayes
risk) is seldom worse than the best chain's. Where the CCM of each language alone has a small share in that mean, brackets that it is
sure of stay unless the bilingual chains are sure of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from divproj.data.errors import ModelError
from divproj.induction.grammar import DECODERS, Chart, Counts, Grammar, best
from divproj.induction.spans import Floats, Inventory, Tags, Tree


@dataclass(frozen=True)
class Consensus:
    """Grammars of the same inventory, one for each chain. With one member it is that grammar."""

    members: tuple[Grammar, ...]
    weights: tuple[float, ...] = ()
    """What each member counts; empty: all the same."""

    def __post_init__(self) -> None:
        if not self.members:
            raise ModelError("no chain to learn a grammar from")

    @property
    def shares(self) -> Floats:
        """Weights of the members that sum to 1."""
        given = np.array(self.weights or (1.0,) * len(self.members))
        made: Floats = given / given.sum()
        return made

    @property
    def inventory(self) -> Inventory:
        return self.members[0].inventory

    @property
    def mean(self) -> Grammar:
        """The grammar of the mean counts, for trees by Viterbi."""
        total = Counts.empty(self.inventory)
        for member, share in zip(self.members, self.shares.tolist(), strict=True):
            total = total + member.counts.scaled(share)
        return self.members[0].with_counts(total)

    def unknown_tags(self, sentences: Iterable[Tags]) -> set[str]:
        return self.members[0].unknown_tags(sentences)

    def charts(self, sentences: Iterable[Tags]) -> Iterator[Chart]:
        """Mean probabilities of spans, and of their splits: p(k | i, j) = mean p(i, k, j) / mean p(i, j).

        A forest with these splits has the mean span probabilities exactly.
        """
        text = list(sentences)
        for charts in zip(*(member.charts(text) for member in self.members), strict=True):
            yield charts[0] if len(charts) == 1 else _mean(charts, self.shares)

    def parse(self, sentences: Iterable[Tags], decode: str = "auto") -> list[Tree]:
        """The best binary trees: `mbr` of the mean posteriors, `viterbi` of the mean counts; auto is mbr for several chains."""
        if decode == "auto":
            decode = "mbr" if len(self.members) > 1 else "viterbi"
        if decode not in DECODERS:
            raise ModelError(f"no way to decode '{decode}'", remedy=f"choose one of auto, {', '.join(DECODERS)}")
        if decode == "viterbi" or len(self.members) == 1:
            return self.mean.parse(sentences, decode)
        text = list(sentences)
        words = sum(map(len, text))
        return [best(chart.marginals, words) for chart in self.charts(text)]


def _mean(charts: tuple[Chart, ...], shares: Floats) -> Chart:
    """One chart of the mean: its `inside` and `ratio` give the splits of `output.forest_of`, log p(k | i, j)."""
    spans: Floats = np.tensordot(shares, [chart.marginals for chart in charts], 1)
    n = len(spans) - 1
    splits = np.zeros((n + 1, n + 1, n + 1))
    for chart, share in zip(charts, shares.tolist(), strict=True):
        for i in range(n):
            for j in range(i + 2, n + 1):
                if chart.marginals[i, j] > 0:
                    splits[i, j, i + 1 : j] += share * chart.marginals[i, j] * np.exp(chart.splits(i, j))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(splits) - np.log(spans)[:, :, None]
    return Chart(spans, np.zeros_like(spans), spans, logs)
