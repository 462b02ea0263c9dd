"""`CCM`: the constituent-context model of one language (Klein & Manning 2002), by EM or by collapsed Gibbs sampling.

Tag sequences come in, a `Grammar` and binary trees go out. `TreeArrays` are the current trees of all sentences, `first_trees`
the trees before the first sweep, `gibbs_sweep` draws them anew.

`SpanWeights` are evidence about spans beside their tags: word links that contradict them, and tags that seldom stand at an
edge. Both are logarithms added to a span's ratio of constituent to distituent while trees are sampled; parsing new sentences
needs neither. The numbers were chosen on the `--tune` parts of `bench/accuracy/induction_accuracy.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from divproj.core.errors import ModelError
from divproj.induction import sampler
from divproj.induction.grammar import Floats, Grammar, Ints, Inventory, SpanCounts, Tags, TagText, Tree, fast, spans_of
from divproj.runtime.modelfile import Estimator

LENGTH_STEPS = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100)
"""Lengths at which longer sentences join, where short ones go first."""
LEAST_EDGE_ODDS = -2.0
"""Smallest log odds of a tag at an edge: one that is never there shall not rule out a span."""


@dataclass(frozen=True)
class SpanWeights:
    """Log weights of the spans of one side, indexed as `TagText.yields`, and which spans links contradict."""

    weights: Floats
    against: Floats

    @property
    def has_weights(self) -> bool:
        """Whether there is any weight at all."""
        return len(self.weights) > 0

    def conflicts(self, places: Ints) -> int:
        """How many of the spans at these places links contradict."""
        return int(self.against[places].sum()) if len(self.against) else 0


NOTHING = SpanWeights(np.zeros(0), np.zeros(0))


def span_weights(text: TagText, kinds: Floats, contradiction: float, edges: float) -> SpanWeights:
    """The weights of one side of a bitext; `kinds` as in `inducer.TagArrays`.

    Only contradictions count. Every binary tree of n words has n-1 phrases, so a reward for phrases that links agree with is
    a fine for phrases without links, and where links are few trees are built around their absence.
    """
    weights = np.zeros(len(text.yields))
    if contradiction:
        weights[kinds < 0] -= contradiction
    if edges:
        weights += edges * edge_cue(text)
    return SpanWeights(weights, (kinds < 0) * 1.0 if contradiction else np.zeros(0))


def edge_cue(text: TagText) -> Floats:
    """For every span, how little its first tag looks like one that begins phrases, and its last like one that ends them.

    Sentences are phrases whose edges can be seen: with lb, le the log odds (at most 0, at least -2) of a tag at the beginning and
    end of sentences, a span has  min(0, lb - le)(first tag) + min(0, le - lb)(last tag);  true edges of the sentence are free.
    The difference of the two leaves alone tags that are rare at both edges.
    """
    firsts, lasts = edge_odds(text)
    begins, ends = np.minimum(0.0, firsts - lasts), np.minimum(0.0, lasts - firsts)
    cue = np.zeros(len(text.yields))
    for k, n in enumerate(np.diff(text.at).tolist()):
        base = int(text.grid_at[k])
        tags = _tags(text, base, n)
        left, right = np.zeros(n + 1), np.zeros(n + 1)
        left[1:n], right[1:n] = begins[tags[1:]], ends[tags[: n - 1]]
        cue[base : base + (n + 1) ** 2] = (left[:, None] + right[None, :]).ravel()
    return cue


def edge_odds(text: TagText) -> tuple[Floats, Floats]:
    """For each yield of one word lb and le: log of (times it begins or ends a sentence + 1) / (times expected + 1)."""
    kinds = int(text.yields.max(initial=0)) + 1
    counts = np.zeros((3, kinds))
    for k, n in enumerate(np.diff(text.at).tolist()):
        tags = _tags(text, int(text.grid_at[k]), n)
        np.add.at(counts[0], tags, 1.0)
        counts[1, tags[0]] += 1.0
        counts[2, tags[-1]] += 1.0
    expected = counts[0] * len(text) / max(text.words, 1)
    odds = np.clip(np.log((counts[1:] + 1.0) / (expected + 1.0)), LEAST_EDGE_ODDS, 0.0)
    return odds[0], odds[1]


def _tags(text: TagText, base: int, n: int) -> Ints:
    """Yields of the single words: one id for each tag."""
    tag_ids: Ints = text.yields[base + np.arange(n) * (n + 1) + np.arange(n) + 1]
    return tag_ids


SweepReport = dict[str, float]
Watch = Callable[[SweepReport], None]
"""Called after a sweep with its number and diagnostics."""
METHODS = ("gibbs", "em")
STARTS = ("short", "uniform")


def generator(seed: int, *place: int) -> np.random.Generator:
    """Return the random generator of one sweep; it depends on the seed and the sweep alone, so that a run can be resumed."""
    return np.random.default_rng([seed, *place])


class TreeArrays:
    """The current tree of every sentence, as the kernels want it; sentence k has nodes 2 at[k] - k on."""

    def __init__(self, text: TagText, nodes: tuple[Ints, Ints, Ints, Ints]) -> None:
        self.text, self.nodes = text, nodes

    @classmethod
    def uniform(cls, text: TagText, probability: Floats) -> TreeArrays:
        """Splits uniform from the top down; `chance` has a number a word."""
        count = 2 * text.words - len(text)
        forest = cls(text, tuple(np.zeros(count, np.int32) for _ in range(4)))  # type: ignore[arg-type]
        flat = np.zeros((text.longest + 1, text.longest + 1))
        run = fast(sampler.sample_tree, text.words)
        for k in range(len(text)):
            run(int(text.at[k + 1] - text.at[k]), flat, probability, int(text.at[k]), *forest.part(k))
        return forest

    def part(self, k: int) -> tuple[Ints, ...]:
        first = int(2 * self.text.at[k] - k)
        size = int(2 * (self.text.at[k + 1] - self.text.at[k]) - 1)
        return tuple(array[first : first + size] for array in self.nodes)

    def trees(self) -> list[Tree]:
        return [spans_of(*self.part(k)[:2]) for k in range(len(self.text))]

    def counts(self, inventory: Inventory, count_empty: bool) -> SpanCounts:
        """Everything counted from scratch."""
        text, counts = self.text, SpanCounts.empty(inventory)
        run = fast(sampler.count_tree, text.words)
        for k in range(len(text)):
            start, end, _, _ = self.part(k)
            n, base = int(text.at[k + 1] - text.at[k]), int(text.grid_at[k])
            tables = (counts.yields, counts.contexts, counts.totals)
            run(n, base, text.yields, text.contexts, start, end, *tables, float(count_empty), 1.0)
        return counts

    @property
    def places(self) -> Ints:
        """Where the nodes are in the grids of the text."""
        text = self.text
        sizes = np.diff(text.at)
        of_node = np.repeat(np.arange(len(text)), 2 * sizes - 1)
        grid_places: Ints = text.grid_at[of_node] + self.nodes[0] * (sizes[of_node] + 1) + self.nodes[1]
        return grid_places


def gibbs_sweep(
    grammar: Grammar,
    forest: TreeArrays,
    counts: SpanCounts,
    probability: np.random.Generator,
    extra: SpanWeights = NOTHING,
    sweeps: int = 8,
    chosen: Ints | None = None,
    fresh: bool = False,
) -> None:
    """Draw every tree anew, or those of `chosen` sentences; `counts` follow. `fresh` sentences have no tree so far.

    `sweeps` is how many there will be: many of a small text are worth compiling for.
    """
    text = forest.text
    order = probability.permutation(len(text) if chosen is None else chosen).astype(np.int64)
    fast(sampler.ccm_sweep, text.words * sweeps // 8)(
        order, text.at, text.grid_at, text.yields, text.contexts, *forest.nodes, counts.yields, counts.contexts, counts.totals,
        grammar.prior, float(grammar.count_empty), probability.random(text.words), text.longest, extra.weights, int(fresh),
    )  # fmt: skip


@dataclass(frozen=True)
class StartOptions:
    """How a sampler gets its first trees: see `first_trees`."""

    kind: str = "short"
    restarts: int = 6
    sweeps: int = 3

    def __post_init__(self) -> None:
        if self.kind not in STARTS:
            raise ModelError(f"no start '{self.kind}'", remedy=f"choose one of {', '.join(STARTS)}")


def first_trees(
    grammar: Grammar, text: TagText, seed: int, start: StartOptions, extra: SpanWeights = NOTHING, side: int = 0
) -> TreeArrays:
    """Trees before the first sweep: from "uniform" splits, or those that "short" sentences lead to; the paper's are a single
    draw of uniform splits.

    Departs: Gibbs sampling seldom leaves the mode it first falls into. So sentences join the sampler shortest first, with a few
    sweeps after each step: short ones have few trees, and edges show what belongs together (Spitkovsky et al. 2010 found
    the same of another model). Of several such starts the one with fewest phrases that links contradict is taken, else (no links)
    the best by log-joint: some bad modes have a better joint, but links are independent of it.
    """
    best, top = None, (-np.inf, -np.inf)
    for turn in range(max(1, start.restarts)):
        forest = TreeArrays.uniform(text, generator(seed, 0, side, turn).random(text.words))
        if start.kind == "uniform" and start.restarts <= 1:
            return forest
        run = _short_first if start.kind == "short" else _all_at_once
        counts = run(grammar, forest, (seed, 0, side, turn), start.sweeps, extra)
        conflicts = extra.conflicts(forest.places)
        score = (-conflicts, log_joint(counts, grammar.prior))
        if score > top:
            best, top = forest, score
    assert best is not None
    return best


def _all_at_once(grammar: Grammar, forest: TreeArrays, place: tuple[int, ...], sweeps: int, extra: SpanWeights) -> SpanCounts:
    counts = forest.counts(grammar.inventory, grammar.count_empty)
    for sweep in range(2 * sweeps):
        gibbs_sweep(grammar, forest, counts, generator(*place, sweep), extra, 64)
    return counts


def _short_first(grammar: Grammar, forest: TreeArrays, place: tuple[int, ...], sweeps: int, extra: SpanWeights) -> SpanCounts:
    sizes, counts = np.diff(forest.text.at), SpanCounts.empty(grammar.inventory)
    before, longest = 0, forest.text.longest
    for step, limit in enumerate((*(size for size in LENGTH_STEPS if size < longest), longest)):
        joining, there = np.flatnonzero((sizes > before) & (sizes <= limit)), np.flatnonzero(sizes <= limit)
        for sweep in range(sweeps + 1 if len(joining) else 0):
            probability, fresh = generator(*place, step, sweep), sweep == 0
            gibbs_sweep(grammar, forest, counts, probability, extra, 64, joining if fresh else there, fresh)
        before = limit
    return counts


class CCM(Estimator):
    """Binary trees over tag sequences from their yields and contexts alone.

    `method` is "gibbs" (the Bayesian CCM: `sweeps` sweeps; the counts are the mean of the last `average` share of them, or
    with 0 those of the last sweep, as in the paper) or "em" (`sweeps` iterations from uniform splits). The sampler starts
    from the best of `restarts` short runs (`start`: from "uniform" splits, or led by "short" sentences, with `warm_up` sweeps a
    step): see `first_trees`. `edges` weighs the edge cue (see `edge_cue`), for the sampler alone; the paper has none.

    >>> text = [["DET", "NOUN", "VERB"], ["DET", "NOUN"], ["PRON", "VERB"], ["VERB", "DET", "NOUN"]]
    >>> model = CCM(sweeps=5, random_state=1).fit(text * 20)
    >>> model.predict([["DET", "NOUN", "VERB"]])
    [((0, 3), (0, 2))]
    """

    def __init__(
        self,
        method: str = "gibbs",
        sweeps: int = 40,
        constituent: float = 2.0,
        distituent: float = 20.0,
        count_empty: bool = False,
        average: float = 0.5,
        start: str = "uniform",
        restarts: int = 6,
        warm_up: int = 3,
        edges: float = 0.0,
        decode: str = "viterbi",
        random_state: int = 1,
    ) -> None:
        self.method, self.sweeps, self.edges = method, sweeps, edges
        self.start, self.restarts, self.warm_up = start, restarts, warm_up
        self.constituent, self.distituent, self.count_empty = constituent, distituent, count_empty
        self.average, self.decode, self.random_state = average, decode, random_state

    def fit(self, X: Iterable[Tags], y: object = None, *, watch: Watch | None = None) -> CCM:  # noqa: N803
        """Learn from tag sequences; `y` is ignored."""
        if self.method not in METHODS:
            raise ModelError(f"no method '{self.method}'", remedy=f"choose one of {', '.join(METHODS)}")
        if self.method == "em" and self.edges:
            raise ModelError("the edge cue is for the sampler", remedy="leave it out, or take the method gibbs")
        sentences = [s for s in X if len(s)]
        if not sentences:
            raise ModelError("no sentence to learn from")
        inventory, self.text_ = Inventory.learn(sentences)
        empty = Grammar(inventory, SpanCounts.empty(inventory), self.constituent, self.distituent, self.count_empty)
        self.grammar_ = empty
        self.history_: list[SweepReport] = []
        self.done_ = 0
        if self.method == "gibbs":
            self.extra_ = SpanWeights(self.edges * edge_cue(self.text_), np.zeros(0)) if self.edges else NOTHING
            start = StartOptions(self.start, self.restarts, self.warm_up)
            self.forest_ = first_trees(empty, self.text_, self.random_state, start, self.extra_)
            self.counts_ = self.forest_.counts(inventory, self.count_empty)
            self._sum, self._kept = SpanCounts.empty(inventory), 0
        return self.partial_fit(sweeps=self.sweeps, watch=watch)

    def partial_fit(
        self,
        X: object = None,  # noqa: N803
        y: object = None,
        *,
        sweeps: int = 10,
        watch: Watch | None = None,
    ) -> CCM:
        """More sweeps over the sentences that `fit` was given."""
        last = self.done_ + sweeps
        keep_from = last - max(1, round(self.average * sweeps))
        while self.done_ < last:
            self.done_ += 1
            report = self._em() if self.method == "em" else self._gibbs(self.done_ > keep_from)
            self.history_.append(report)
            if watch:
                watch(report)
        if self.method == "gibbs" and sweeps:
            self.grammar_ = self.grammar_.with_counts(self._sum.multiply(1 / self._kept))
            self._sum, self._kept = SpanCounts.empty(self.grammar_.inventory), 0
        return self

    def _gibbs(self, keep: bool) -> SweepReport:
        counts, prior = self.counts_, self.grammar_.prior
        gibbs_sweep(
            self.grammar_, self.forest_, counts, generator(self.random_state, self.done_), self.extra_, sweeps=self.sweeps
        )
        if keep:
            self._sum, self._kept = self._sum + counts, self._kept + 1
        return {"sweep": self.done_, "log_joint": log_joint(counts, prior)}

    def _em(self) -> SweepReport:
        """One iteration; the counts are the expectations, to which the pseudo-counts of the prior are added."""
        text, old, prior = self.text_, self.grammar_.counts, self.grammar_.prior
        new = SpanCounts.empty(self.grammar_.inventory)
        score = fast(sampler.expect, text.words)(
            text.at, text.grid_at, text.yields, text.contexts, old.yields, old.contexts, old.totals, prior,
            float(self.count_empty), new.yields, new.contexts, new.totals, int(self.done_ == 1), text.longest,
        )  # fmt: skip
        if self.done_ > 1:
            score += log_prior(old, prior)
        self.grammar_ = self.grammar_.with_counts(new)
        return {"sweep": self.done_, "log_joint": float(score) if self.done_ > 1 else float("-inf")}

    def predict(self, X: Iterable[Tags]) -> list[Tree]:  # noqa: N803
        """The best tree of each sentence, its spans of two words or more."""
        return self.grammar_.parse(X, self.decode)

    def score(self, X: Sequence[Tags], y: Iterable[Iterable[tuple[int, int]]]) -> float:  # noqa: N803
        """Unlabelled bracket F1 in percent against gold brackets `y`."""
        return bracket_f1(zip(X, y, self.predict(X), strict=True))


def bracket_f1(rows: Iterable[tuple[Tags, Iterable[tuple[int, int]], Tree]]) -> float:
    """Return F1 in percent, as in `evaluation.brackets`: whole sentences count, single words do not."""
    right = gold = predicted = 0
    for sentence, wanted, tree in rows:
        n = len(sentence)
        if n < 2:
            continue
        brackets = {(i, j) for i, j in wanted if j - i > 1} | {(0, n)}
        right, gold, predicted = right + len(brackets & set(tree)), gold + len(brackets), predicted + len(set(tree))
    return 200 * right / (gold + predicted) if gold + predicted else 0.0


def log_prior(counts: SpanCounts, prior: Floats) -> float:
    """Log Dirichlet density (up to a constant) of the parameters that these counts make: what EM's smoothing amounts to."""
    total = 0.0
    for row in (0, 1):
        alpha = prior[row]
        for table, kinds in ((counts.yields[row], prior[2]), (counts.contexts[row], prior[3])):
            seen = np.log(table + alpha).sum() if len(table) == kinds else np.log(table[table > 0] + alpha).sum()
            unseen = 0 if len(table) == kinds else (kinds - (table > 0).sum()) * np.log(alpha)
            total += alpha * (seen + unseen - kinds * np.log(counts.totals[row] + alpha * kinds))
    return float(total)


def log_joint(counts: SpanCounts, prior: Floats) -> float:
    """Log probability of all yields and contexts with the multinomials integrated out (Dirichlet-multinomial)."""
    from math import lgamma

    total = 0.0
    for row in (0, 1):
        alpha = float(prior[row])
        for table, kinds in ((counts.yields[row], prior[2]), (counts.contexts[row], prior[3])):
            values, times = np.unique(table[table > 0], return_counts=True)
            total += lgamma(alpha * kinds) - lgamma(alpha * kinds + counts.totals[row])
            total += sum(int(t) * (lgamma(alpha + float(v)) - lgamma(alpha)) for v, t in zip(values, times, strict=True))
    return total
