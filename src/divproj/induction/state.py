"""The state of one chain of the bilingual sampler: trees, alignments, and the counts that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from divproj.induction import tree_alignment
from divproj.induction.ccm import Forest, generator
from divproj.induction.gold import TagPair
from divproj.induction.grammar import Counts, Grammar
from divproj.induction.pair_sampler import CAP, count_alignment, link_kinds, link_sums
from divproj.induction.pair_sweep import CHANCES
from divproj.induction.spans import Floats, Ints, Inventory, Tags, Text, fast, hashed


@dataclass(frozen=True)
class TagArrays:
    """Both sides as ids, and links as rows (i, j) from 0; those of pair k are `link_at[k]:link_at[k+1]`."""

    inventories: tuple[Inventory, Inventory]
    sides: tuple[Text, Text]
    link_at: Ints
    links: Ints
    weights: Floats
    kinds: tuple[Floats, Floats]
    """Whether links agree with a span: 1 yes, -1 no, 0 where it has none; places as in `yields`."""

    @classmethod
    def of(cls, pairs: Sequence[TagPair]) -> TagArrays:
        sides: list[Sequence[Tags]] = [[p.f for p in pairs], [p.e for p in pairs]]
        made = [Inventory.learn(side) for side in sides]
        link_at = np.zeros(len(pairs) + 1, np.int64)
        np.cumsum([len(p.links) for p in pairs], out=link_at[1:])
        rows = [(i - 1, j - 1) for p in pairs for i, j in sorted(p.links)]
        weights = np.array([p.links[link] for p in pairs for link in sorted(p.links)], float)
        links = np.array(rows, np.int32).reshape(-1, 2)
        texts = made[0][1], made[1][1]
        kinds = _link_kinds(texts, link_at, links, weights)
        return cls((made[0][0], made[1][0]), texts, link_at, links, weights, kinds)

    def __len__(self) -> int:
        return len(self.link_at) - 1

    @property
    def words(self) -> int:
        return self.sides[0].words + self.sides[1].words

    @property
    def longest(self) -> int:
        return max(self.sides[0].longest, self.sides[1].longest)

    @property
    def chances(self) -> int:
        return CHANCES * self.words + 16 * len(self)

    @cached_property
    def most_pairs(self) -> int:
        """Aligned pairs of nodes that there can be at most."""
        return int((2 * np.minimum(*(np.diff(side.at) for side in self.sides)) - 1).sum())


@dataclass
class PairState:
    """Trees of both sides, `mate` (node of E that a node of F is aligned with, -1 for none), and their counts."""

    bitext: TagArrays
    forests: tuple[Forest, Forest]
    mate: Ints
    counts: tuple[Counts, Counts]
    keys: Ints
    values: Ints
    in_pairs: Floats
    pair_scores: Floats
    node_scores: Floats

    @classmethod
    def aligned_at_random(cls, bitext: TagArrays, forests: tuple[Forest, Forest], seed: int, matchings: bool) -> Ints:
        """A uniform alignment of the first trees (all rho 1), as in the paper."""
        draws = generator(seed, 0).random(bitext.chances)
        nodes = 2 * bitext.longest - 1
        ones, table = np.ones((nodes, nodes)), np.zeros((tree_alignment.TABLES, nodes, nodes))
        scale = np.zeros((nodes, nodes), np.int32)
        total = fast(tree_alignment.sum_matchings if matchings else tree_alignment.sum_trees, bitext.words)
        draw = fast(tree_alignment.sample_in_matchings if matchings else tree_alignment.sample_in_trees, bitext.words)
        mate = np.full(len(forests[0].nodes[0]), -1, np.int32)
        first = 0
        for k in range(len(bitext)):
            trees = [*forests[0].part(k)[2:], *forests[1].part(k)[2:]]
            size = len(trees[0])
            total(*trees, ones, table, scale)
            used = CHANCES * int(bitext.sides[0].at[k] + bitext.sides[1].at[k]) + 16 * k
            draw(*trees, ones, table, scale, draws, used, mate[first : first + size])
            first += size
        return mate

    @classmethod
    def counted(
        cls,
        bitext: TagArrays,
        forests: tuple[Forest, Forest],
        mate: Ints,
        priors: tuple[Floats, Floats],
        count_empty: bool,
        leaves: bool,
    ) -> PairState:
        """The state with everything counted from scratch; `priors` are the pseudo-counts of Giza-scores (pair, node)."""
        counts = tuple(f.counts(i, count_empty) for f, i in zip(forests, bitext.inventories, strict=True))
        keys, values = hashed(np.zeros(0, np.int64), np.zeros(0, np.int32), 2 * bitext.most_pairs)
        in_pairs = np.zeros(bitext.inventories[0].yields)
        made = cls(bitext, forests, mate, (counts[0], counts[1]), keys, values, in_pairs, priors[0].copy(), priors[1].copy())
        sums = np.zeros((bitext.longest + 1, bitext.longest + 1))
        settings = np.array([1.0, 1.0, float(leaves)])
        link, count = fast(link_sums, bitext.words), fast(count_alignment, bitext.words)
        first = 0
        for k in range(len(bitext)):
            n1, n2 = (int(side.at[k + 1] - side.at[k]) for side in bitext.sides)
            f, e = forests[0].part(k), forests[1].part(k)
            link(n1, n2, int(bitext.link_at[k]), int(bitext.link_at[k + 1]), bitext.links, bitext.weights, sums)
            count(
                n1, n2, int(bitext.sides[0].grid_at[k]), int(bitext.sides[1].grid_at[k]), f[0], f[1], e[0], e[1],
                bitext.sides[0].yields, bitext.sides[1].yields, mate[first : first + 2 * n1 - 1], sums,
                keys, values, in_pairs, made.pair_scores, made.node_scores, settings, made.kinds, 1.0,
            )  # fmt: skip
            first += 2 * n1 - 1
        return made

    @property
    def kinds(self) -> int:
        """Yields of E: a pair of yields has the key y1 * kinds + y2."""
        return self.bitext.inventories[1].yields

    def tidy(self) -> tuple[Ints, Ints]:
        """Yield pairs in use, by key, and how often; the table is made anew with them alone, so memory stays flat."""
        used = self.values > 0
        keys, values = self.keys[used], self.values[used]
        order = np.argsort(keys)
        keys, values = keys[order], values[order]
        self.keys, self.values = hashed(keys, values, 2 * self.bitext.most_pairs)
        return keys, values

    def normaliser(self, grammars: tuple[Grammar, Grammar], beta: float) -> float:
        """beta + S, S = sum over observed pairs of c(y1,y2) piC1(y1) piC2(y2), so that omega/Z = (c + beta) / (beta + S)."""
        keys, values = self.tidy()
        chances = []
        for grammar, counts, ids in zip(grammars, self.counts, (keys // self.kinds, keys % self.kinds), strict=True):
            prior = grammar.prior
            chances.append((counts.yields[0, ids] + prior[0]) / (counts.totals[0] + prior[0] * prior[2]))
        return beta + float((values * chances[0] * chances[1]).sum())

    def aligned(self, k: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Spans of F and E that are aligned in pair k."""
        first = int(2 * self.bitext.sides[0].at[k] - k)
        f, e = self.forests[0].part(k), self.forests[1].part(k)
        found = []
        for a, b in enumerate(self.mate[first : first + len(f[0])].tolist()):
            if b >= 0:
                found.append(((int(f[0][a]), int(f[1][a])), (int(e[0][b]), int(e[1][b]))))
        return sorted(found)


def _link_kinds(texts: tuple[Text, Text], link_at: Ints, links: Ints, weights: Floats) -> tuple[Floats, Floats]:
    found = np.zeros(len(texts[0].yields)), np.zeros(len(texts[1].yields))
    longest, words = max(text.longest for text in texts), texts[0].words + texts[1].words
    sums = np.zeros((longest + 1, longest + 1))
    add, judge = fast(link_sums, words), fast(link_kinds, words)
    for k in range(len(link_at) - 1):
        n = [int(text.at[k + 1] - text.at[k]) for text in texts]
        add(n[0], n[1], int(link_at[k]), int(link_at[k + 1]), links, weights, sums)
        for side in (0, 1):
            judge(n[side], n[1 - side], int(texts[side].grid_at[k]), sums, side, found[side])
    return found


def giza_priors(high: float, low: float) -> tuple[Floats, Floats]:
    """Pseudo-counts of Giza-scores: -3..3 of pairs (`high` above 0), 0..-3 of nodes left alone (`high` at 0)."""
    pairs = np.where(np.arange(-CAP, CAP + 1) > 0, high, low).astype(float)
    return pairs, np.where(np.arange(CAP + 1) == 0, high, low).astype(float)
