"""`BilingualInducer`: trees of two languages at once from bitext (Snyder, Naseem & Barzilay 2009).

Each language has a CCM. What ties the trees of a pair together is an alignment of their nodes, scored by how often two
yields are aligned (omega) and by word links (Giza-scores). One chain of the sampler holds a `PairState`, for example:

    F  DET NOUN VERB     nodes (0,3) (0,2) (2,3) (0,1) (1,2)     parents before kids, node 0 is the root
    E  NOUN DET VERB     nodes (0,3) (0,2) (2,3) (0,1) (1,2)
    links 1-2 2-1 3-3    mate = [0, 1, 2, 4, 3]                  F's node 3 (DET) is aligned with E's node 4 (DET)

The Giza-score of an aligned pair of nodes is the links inside it minus those that leave it, cut at 3: the roots have 3,
(0,2) and (0,2) have 2, the words 1. A node left alone scores minus the number of links that touch it.

A sweep visits the pairs in random order, and for each of them

1. takes its trees and its alignment out of the counts;
2. proposes new trees from the CCMs given the counts of all other sentences;
3. accepts them with probability min(1, M(T*) / M(T)), where M sums over all alignments of two trees (to the power
   `strength`, with a correction for guided proposals);
4. draws an alignment from those sums, and adds everything to the counts again.

The kernels are in `sampler` (`pair_sweep`) and `tree_alignment` (the sums over alignments).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log
from typing import Any

import numpy as np

from divproj.core.errors import ModelError
from divproj.core.options import InduceOptions
from divproj.core.pair import Pair
from divproj.induction import tree_alignment
from divproj.induction.ccm import (
    CCM,
    StartOptions,
    SweepReport,
    TreeArrays,
    Watch,
    bracket_f1,
    first_trees,
    generator,
    log_joint,
    span_weights,
)
from divproj.induction.grammar import Floats, Grammar, Ints, Inventory, SpanCounts, Tags, TagText, Tree, best, fast, hash_table
from divproj.induction.reading import TagPair, tag_pair
from divproj.induction.sampler import (
    BOTH,
    CAP,
    CHANCES,
    GUIDED,
    PAIR,
    SINGLE,
    count_alignment,
    link_kinds,
    link_sums,
    pair_sweep,
)
from divproj.runtime.modelfile import Estimator

MONOLINGUAL_SHARE = 0.25
"""Share of the CCM of each language alone in the mean of chains; chosen on the `--tune` parts, and on six glossbanks."""
MONOLINGUAL_SWEEPS = 30
"""Sweeps of EM in the CCM of each language alone."""
CONTRADICTION = 6.0
"""Log weight against a span whose words are linked into a block that links from outside the span share."""
EDGE_CUE = 0.75
"""Weight of the edge cue beside the CCM's own ratios."""


@dataclass(frozen=True)
class TagArrays:
    """Both sides as ids, and links as rows (i, j) from 0; those of pair k are `link_at[k]:link_at[k+1]`."""

    inventories: tuple[Inventory, Inventory]
    sides: tuple[TagText, TagText]
    link_at: Ints
    links: Ints
    weights: Floats
    kinds: tuple[Floats, Floats]
    """Whether links agree with a span: 1 yes, -1 no, 0 where it has none; places as in `yields`."""

    @classmethod
    def of(cls, pairs: Sequence[TagPair]) -> TagArrays:
        sides: list[Sequence[Tags]] = [[p.f for p in pairs], [p.e for p in pairs]]
        learned = [Inventory.learn(side) for side in sides]
        link_at = np.zeros(len(pairs) + 1, np.int64)
        np.cumsum([len(p.links) for p in pairs], out=link_at[1:])
        rows = [(i - 1, j - 1) for p in pairs for i, j in sorted(p.links)]
        weights = np.array([p.links[link] for p in pairs for link in sorted(p.links)], float)
        links = np.array(rows, np.int32).reshape(-1, 2)
        texts = learned[0][1], learned[1][1]
        kinds = _link_kinds(texts, link_at, links, weights)
        return cls((learned[0][0], learned[1][0]), texts, link_at, links, weights, kinds)

    def __len__(self) -> int:
        return len(self.link_at) - 1

    @property
    def words(self) -> int:
        return self.sides[0].words + self.sides[1].words

    @property
    def longest(self) -> int:
        return max(self.sides[0].longest, self.sides[1].longest)

    @property
    def probabilities(self) -> int:
        return CHANCES * self.words + 16 * len(self)

    @cached_property
    def most_pairs(self) -> int:
        """Aligned pairs of nodes that there can be at most."""
        return int((2 * np.minimum(*(np.diff(side.at) for side in self.sides)) - 1).sum())


@dataclass
class PairState:
    """Trees of both sides, `mate` (node of E that a node of F is aligned with, -1 for none), and their counts."""

    bitext: TagArrays
    forests: tuple[TreeArrays, TreeArrays]
    mate: Ints
    counts: tuple[SpanCounts, SpanCounts]
    keys: Ints
    values: Ints
    in_pairs: Floats
    pair_scores: Floats
    node_scores: Floats

    @classmethod
    def aligned_at_random(cls, bitext: TagArrays, forests: tuple[TreeArrays, TreeArrays], seed: int, matchings: bool) -> Ints:
        """A uniform alignment of the first trees (all rho 1), as in the paper."""
        draws = generator(seed, 0).random(bitext.probabilities)
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
    def from_trees(
        cls,
        bitext: TagArrays,
        forests: tuple[TreeArrays, TreeArrays],
        mate: Ints,
        priors: tuple[Floats, Floats],
        count_empty: bool,
        leaves: bool,
    ) -> PairState:
        """The state with everything counted from scratch; `priors` are the pseudo-counts of Giza-scores (pair, node)."""
        counts = tuple(f.counts(i, count_empty) for f, i in zip(forests, bitext.inventories, strict=True))
        keys, values = hash_table(np.zeros(0, np.int64), np.zeros(0, np.int32), 2 * bitext.most_pairs)
        in_pairs = np.zeros(bitext.inventories[0].yields)
        state = cls(bitext, forests, mate, (counts[0], counts[1]), keys, values, in_pairs, priors[0].copy(), priors[1].copy())
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
                keys, values, in_pairs, state.pair_scores, state.node_scores, settings, state.kinds, 1.0,
            )  # fmt: skip
            first += 2 * n1 - 1
        return state

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
        self.keys, self.values = hash_table(keys, values, 2 * self.bitext.most_pairs)
        return keys, values

    def normaliser(self, grammars: tuple[Grammar, Grammar], beta: float) -> float:
        """beta + S, S = sum over observed pairs of c(y1,y2) piC1(y1) piC2(y2), so that omega/Z = (c + beta) / (beta + S).

        Departs: it is computed once a sweep; the paper's Z changes with every pair that is sampled.
        """
        keys, values = self.tidy()
        probabilities = []
        for grammar, counts, ids in zip(grammars, self.counts, (keys // self.kinds, keys % self.kinds), strict=True):
            prior = grammar.prior
            probabilities.append((counts.yields[0, ids] + prior[0]) / (counts.totals[0] + prior[0] * prior[2]))
        return beta + float((values * probabilities[0] * probabilities[1]).sum())

    def aligned_spans(self, k: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Spans of F and E that are aligned in pair k."""
        first = int(2 * self.bitext.sides[0].at[k] - k)
        f, e = self.forests[0].part(k), self.forests[1].part(k)
        span_pairs = []
        for a, b in enumerate(self.mate[first : first + len(f[0])].tolist()):
            if b >= 0:
                span_pairs.append(((int(f[0][a]), int(f[1][a])), (int(e[0][b]), int(e[1][b]))))
        return sorted(span_pairs)


def _link_kinds(texts: tuple[TagText, TagText], link_at: Ints, links: Ints, weights: Floats) -> tuple[Floats, Floats]:
    kinds = np.zeros(len(texts[0].yields)), np.zeros(len(texts[1].yields))
    longest, words = max(text.longest for text in texts), texts[0].words + texts[1].words
    sums = np.zeros((longest + 1, longest + 1))
    add, judge = fast(link_sums, words), fast(link_kinds, words)
    for k in range(len(link_at) - 1):
        n = [int(text.at[k + 1] - text.at[k]) for text in texts]
        add(n[0], n[1], int(link_at[k]), int(link_at[k + 1]), links, weights, sums)
        for side in (0, 1):
            judge(n[side], n[1 - side], int(texts[side].grid_at[k]), sums, side, kinds[side])
    return kinds


def giza_priors(high: float, low: float) -> tuple[Floats, Floats]:
    """Pseudo-counts of Giza-scores: -3..3 of pairs (`high` above 0), 0..-3 of nodes left alone (`high` at 0)."""
    pairs = np.where(np.arange(-CAP, CAP + 1) > 0, high, low).astype(float)
    return pairs, np.where(np.arange(CAP + 1) == 0, high, low).astype(float)


def parse_priors(text: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the pseudo-counts of constituents and distituents of F and of E, written as one pair or as two.

    >>> parse_priors("2,8"), parse_priors("2,8/20,80")
    (((2.0, 8.0), (2.0, 8.0)), ((2.0, 8.0), (20.0, 80.0)))
    """
    try:
        sides = [tuple(map(float, side.split(","))) for side in text.split("/")]
    except ValueError:
        sides = []
    if len(sides) not in (1, 2) or not all(len(side) == 2 and all(0 < x < 1e9 for x in side) for side in sides):
        message = (
            f"`prior={text}`: positive pseudo-counts of constituents and distituents expected, such as 2,8 or F/E 2,8/20,80"
        )
        raise ModelError(message)
    (c1, d1), (c2, d2) = sides[0], sides[-1]
    return (c1, d1), (c2, d2)


MOVES = {"pair": PAIR, "single": SINGLE, "both": BOTH, "guided": GUIDED}
MODES = ("trees", "matchings")
LONGEST = 200
"""Most words of a sentence: a sweep over one pair of longer sentences would take as long as over a thousand others."""
HEAVY = 3
"""Cost of a word in a bilingual sweep in plain Python (some 0.7 ms), relative to other kernels (a quarter of a millisecond)."""


class BilingualInducer(Estimator):
    """Induce trees of both languages by two CCMs that alignment trees and word links couple loosely.

    Priors are `constituent`/`distituent` pseudo-counts a type, or those of each language in `prior` ("2,8/20,80": F, E), which
    comes first; `coupling` for pairs of yields, `giza_high` and `giza_low` for Giza-scores. `mode` says what is counted once, alignment "trees" or "matchings"; `moves` how trees are
    proposed: "pair" (the paper), "single", "both", or "guided", which looks at the other tree.

    Departs: in both CCMs links weigh against the spans that they contradict (`contradiction`), and tags that seldom begin or end
    sentences against spans that they begin or end (`edges`), see `ccm.span_weights`; the coupling of the trees has the power
    `strength`, reached after the share `anneal` of the sweeps; the start is not uniform (`ccm.first_trees`); sweeps after
    burn-in are averaged (`average` is their share). The paper's model has moves "pair", distituent 8,
    count_empty, contradiction 0, edges 0, strength 1, anneal 0, start "uniform", restarts 1, average 0, alone 0 (`training.PAPER`). `alone` is for the mean of chains (`chains.joined`).

    >>> import divproj as dp
    >>> inducer = dp.Inducer(sweeps=1, restarts=1).fit(list(dp.read("deu-eng"))[:5])
    >>> inducer.get_params()["sweeps"]
    1
    """

    def __init__(
        self,
        sweeps: int = InduceOptions.sweeps,
        moves: str = "both",
        mode: str = "trees",
        constituent: float = 2.0,
        distituent: float = 20.0,
        prior: str = "",
        coupling: float = 1.0,
        contradiction: float = CONTRADICTION,
        edges: float = EDGE_CUE,
        start: str = "short",
        restarts: int = 6,
        warm_up: int = 3,
        anneal: float = 0.25,
        strength: float = 0.1,
        giza_high: float = 1e6,
        giza_low: float = 1e3,
        align_leaves: bool = True,
        count_empty: bool = False,
        average: float = 0.5,
        alone: float = MONOLINGUAL_SHARE,
        decode: str = "viterbi",
        random_state: int = InduceOptions.seed,
    ) -> None:
        self.alone = alone
        self.sweeps, self.moves, self.mode = sweeps, moves, mode
        self.constituent, self.distituent, self.prior, self.coupling = constituent, distituent, prior, coupling
        self.contradiction, self.edges, self.anneal, self.strength = contradiction, edges, anneal, strength
        self.giza_high, self.giza_low = giza_high, giza_low
        self.start, self.restarts, self.warm_up = start, restarts, warm_up
        self.align_leaves, self.count_empty = align_leaves, count_empty
        self.average, self.decode, self.random_state = average, decode, random_state

    def fit(self, X: Iterable[TagPair | Pair], y: object = None, *, watch: Watch | None = None) -> BilingualInducer:  # noqa: N803
        """Learn from pairs of tag sequences with links, or from sentence pairs; pairs with an empty side are left out.

        >>> import divproj as dp
        >>> pairs = [pair for pair in dp.read("deu-eng") if len(pair.f) <= 5][:4]
        >>> dp.Inducer(sweeps=2).fit(pairs).done_
        2
        """
        self.begin(tag_pair(x, "auto") if isinstance(x, Pair) else x for x in X)
        return self.partial_fit(sweeps=self.sweeps, watch=watch)

    def begin(self, X: Iterable[TagPair], *, fresh: bool = True) -> BilingualInducer:  # noqa: N803
        """The first state, before any sweep; without `fresh` there is none yet, and `training.load_chain` must supply it."""
        for name, chosen, there in (("moves", self.moves, MOVES), ("mode", self.mode, MODES)):
            if chosen not in there:
                raise ModelError(f"no {name} '{chosen}'", remedy=f"choose one of {', '.join(there)}")
        pairs = [p for p in X if p.f and p.e]
        if not pairs:
            raise ModelError("no pair with words on both sides to learn from")
        longest = max(max(len(p.f), len(p.e)) for p in pairs)
        if longest > LONGEST:
            raise ModelError(
                f"a sentence has {longest} words, at most {LONGEST} can be learned from", remedy="set a maximum length"
            )
        self.bitext_ = TagArrays.of(pairs)
        self.grammars_ = self._grammars()
        self.extra_ = tuple(
            span_weights(text, kinds, self.contradiction, self.edges)
            for text, kinds in zip(self.bitext_.sides, self.bitext_.kinds, strict=True)
        )
        if fresh:
            forests = self._first_trees()
            mate = PairState.aligned_at_random(self.bitext_, forests, self.random_state, self.mode == "matchings")
            self._restore(forests, mate)
        self.done_ = 0
        self.alone_: tuple[Grammar, ...] = ()
        self.history_: list[SweepReport] = []
        self._clear()
        return self

    def _grammars(self) -> tuple[Grammar, Grammar]:
        f, e = (
            Grammar(i, SpanCounts.empty(i), *prior, self.count_empty)
            for i, prior in zip(self.bitext_.inventories, self.priors, strict=True)
        )
        return f, e

    @property
    def priors(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Pseudo-counts of constituents and distituents, of F and of E."""
        both = self.constituent, self.distituent
        return parse_priors(self.prior) if self.prior else (both, both)

    def _first_trees(self) -> tuple[TreeArrays, TreeArrays]:
        """Return for each side the best of a few short runs, which use the links but not yet the other side."""
        start = StartOptions(self.start, self.restarts, self.warm_up)
        f, e = (
            first_trees(g, text, self.random_state, start, weights, side)
            for side, (g, text, weights) in enumerate(zip(self.grammars_, self.bitext_.sides, self.extra_, strict=True))
        )
        return f, e

    def _restore(self, forests: tuple[TreeArrays, TreeArrays], mate: Ints) -> None:
        priors = giza_priors(self.giza_high, self.giza_low)
        self.state_ = PairState.from_trees(self.bitext_, forests, mate, priors, self.count_empty, self.align_leaves)

    def _clear(self) -> None:
        """Forget what was summed for the average."""
        self.kept_ = 0
        f, e = self.bitext_.inventories
        self.sums_ = (SpanCounts.empty(f), SpanCounts.empty(e))
        self.nodes_ = tuple(np.zeros(len(side.yields), np.int32) for side in self.bitext_.sides)

    def partial_fit(
        self,
        X: object = None,  # noqa: N803
        y: object = None,
        *,
        sweeps: int = 10,
        watch: Watch | None = None,
        until: Callable[[], bool] | None = None,
    ) -> BilingualInducer:
        """More sweeps over the pairs that `fit` was given; `until` is called after each and says whether to stop."""
        self._clear()
        first = self.done_
        return self.run(first, first + sweeps, watch, until)

    def run(
        self, first: int, last: int, watch: Watch | None = None, until: Callable[[], bool] | None = None
    ) -> BilingualInducer:
        """Sweeps up to number `last` of a run that began after `first`; the average starts with the last share of them."""
        keep_from = last - max(1, round(self.average * (last - first)))
        self.last_ = last - first
        while self.done_ < last:
            self.done_ += 1
            report = self._sweep()
            if self.done_ > keep_from:
                self._keep()
            self.history_.append(report)
            if watch:
                watch(report)
            if until and until():
                break
        means = (
            [s.multiply(1 / self.kept_) for s in self.sums_] if self.kept_ else [c.multiply(1.0) for c in self.state_.counts]
        )
        f, e = (g.with_counts(counts) for g, counts in zip(self.grammars_, means, strict=True))
        self.grammars_ = (f, e)
        return self

    def _sweep(self) -> SweepReport:
        b, s = self.bitext_, self.state_
        norm = s.normaliser(self.grammars_, self.coupling)
        probability = generator(self.random_state, self.done_)
        order = probability.permutation(len(b)).astype(np.int64)
        settings = np.array([self.coupling, norm, float(self.align_leaves), self._strength()])
        tallies = np.zeros(3)
        sides, counts = b.sides, s.counts
        fast(pair_sweep, b.words * self.sweeps * HEAVY)(
            order, (sides[0].at, sides[1].at), (sides[0].grid_at, sides[1].grid_at), (sides[0].yields, sides[1].yields),
            (sides[0].contexts, sides[1].contexts), (s.forests[0].nodes, s.forests[1].nodes),
            (counts[0].yields, counts[1].yields), (counts[0].contexts, counts[1].contexts), (counts[0].totals, counts[1].totals),
            (self.grammars_[0].prior, self.grammars_[1].prior), float(self.count_empty), b.link_at, b.links, b.weights,
            (self.extra_[0].weights, self.extra_[1].weights), s.mate,
            s.keys, s.values, s.in_pairs, settings, s.kinds, s.pair_scores, s.node_scores,
            int(self.mode == "matchings"), MOVES[self.moves], b.longest, probability.random(b.probabilities), tallies,
        )  # fmt: skip
        return {
            "sweep": float(self.done_),
            "log_joint": self._log_joint(norm),
            "acceptance": float(tallies[1] / tallies[0]) if tallies[0] else 1.0,
            "aligned": float(tallies[2] / len(b)),
            "S": norm - self.coupling,
        }

    def _strength(self) -> float:
        """The power of M in this sweep: from 0 up to `strength` over the first share of the run."""
        rising = self.anneal * self.last_
        return self.strength * min(1.0, (self.done_ - 1) / rising) if rising else self.strength

    def _log_joint(self, norm: float) -> float:
        """CCM of both sides and Giza-scores with their parameters integrated out, and omega/Z of the aligned pairs."""
        s = self.state_
        total = sum(log_joint(c, g.prior) for c, g in zip(s.counts, self.grammars_, strict=True))
        for counts, prior in zip((s.pair_scores, s.node_scores), giza_priors(self.giza_high, self.giza_low), strict=True):
            total += lgamma(prior.sum()) - lgamma(counts.sum())
            total += sum(lgamma(c) - lgamma(p) for c, p in zip(counts.tolist(), prior.tolist(), strict=True))
        values, times = np.unique(s.values[s.values > 0], return_counts=True)
        couple = sum(
            int(t) * (lgamma(v + self.coupling) - lgamma(self.coupling)) for v, t in zip(values.tolist(), times, strict=True)
        )
        return float(total + couple - float(s.values.sum()) * log(norm))

    def _keep(self) -> None:
        self.kept_ += 1
        f, e = (a + b for a, b in zip(self.sums_, self.state_.counts, strict=True))
        self.sums_ = (f, e)
        for nodes, forest in zip(self.nodes_, self.state_.forests, strict=True):
            nodes[forest.places] += 1

    def learn_alone(self, X: Iterable[TagPair]) -> None:  # noqa: N803
        """The CCM of each language alone, with the same seed and priors; it has a share in the average of the chains."""
        if not self.alone:
            return
        pairs = [p for p in X if p.f and p.e]
        models = (
            CCM(
                sweeps=MONOLINGUAL_SWEEPS,
                constituent=constituent,
                distituent=distituent,
                count_empty=self.count_empty,
                random_state=self.random_state,
            )
            for constituent, distituent in self.priors
        )
        self.alone_ = tuple(
            model.fit([getattr(p, side) for p in pairs]).grammar_ for side, model in zip("fe", models, strict=True)
        )

    def predict(self, X: Iterable[Tags], side: str = "f") -> list[Tree]:  # noqa: N803
        """The best tree of each monolingual sentence of a language, "f" or "e"."""
        return self.grammar(side).parse(X, self.decode)

    def grammar(self, side: str) -> Grammar:
        """The learned grammar of one language, "f" or "e"."""
        if side not in ("f", "e"):
            raise ModelError(f"no side '{side}'", remedy="choose f or e")
        return self.grammars_[side == "e"]

    def score(self, X: Sequence[Tags], y: Iterable[Iterable[tuple[int, int]]], side: str = "f") -> float:  # noqa: N803
        """Unlabelled bracket F1 in percent of monolingual sentences against gold brackets."""
        return bracket_f1(zip(X, y, self.predict(X, side), strict=True))

    def trees(self, side: str = "f") -> list[Tree]:
        """Trees of the training pairs, with the most expected brackets over the averaged sweeps; these also depend on the other language."""
        k = int(side == "e")
        if not self.kept_:
            return self.state_.forests[k].trees()
        text, nodes = self.bitext_.sides[k], self.nodes_[k]
        best_trees = []
        for s, n in enumerate(np.diff(text.at).tolist()):
            share: Any = nodes[text.grid_at[s] : text.grid_at[s + 1]].reshape(n + 1, n + 1) / self.kept_
            best_trees.append(best(np.ascontiguousarray(share, float), text.words))
        return best_trees
