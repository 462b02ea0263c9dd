"""`BilingualInducer`: trees of two languages at once from bitext (Snyder, Naseem & Barzilay 2009)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import lgamma, log
from typing import Any

import numpy as np

from divproj.data.errors import ModelError
from divproj.data.options import InduceOptions
from divproj.data.pair import Pair
from divproj.induction.ccm import CCM, Forest, Start, Told, Watch, bracket_f1, first_trees, generator, log_joint
from divproj.induction.gold import TagPair, tag_pair
from divproj.induction.grammar import Counts, Grammar, best
from divproj.induction.pair_sampler import BOTH, GUIDED, PAIR, SINGLE
from divproj.induction.pair_sweep import pair_sweep
from divproj.induction.settings import CONTRADICTION, EDGE_CUE, MONOLINGUAL_SHARE, MONOLINGUAL_SWEEPS
from divproj.induction.span_weights import span_weights
from divproj.induction.spans import Ints, Tags, Tree, fast
from divproj.induction.state import PairState, TagArrays, giza_priors
from divproj.runtime.estimator import Estimator

MOVES = {"pair": PAIR, "single": SINGLE, "both": BOTH, "guided": GUIDED}
MODES = ("trees", "matchings")
LONGEST = 200
"""Words: one sweep over a pair of longer sentences would cost as much as one over a thousand others."""
HEAVY = 3
"""What a word takes in a sweep in plain Python (some 0.7 ms), where other kernels take a quarter of a millisecond."""


class BilingualInducer(Estimator):
    """CCM trees of both languages, tied together loosely by alignment trees and word links.

    Priors are the paper's: `constituent`/`distituent` pseudo-counts a type, `coupling` for pairs of yields, `giza_high` and
    `giza_low` for Giza-scores. `mode` says what is counted once, alignment "trees" or "matchings"; `moves` how trees are
    proposed: "pair" (the paper), "single", "both", or "guided", which looks at the other tree.

    Departs: in both CCMs links weigh against the spans that they contradict (`contradiction`), and tags that seldom begin or end
    sentences against spans that they begin or end (`edges`), see `span_weights`; what binds the trees has the power `strength`, reached after the share `anneal` of the sweeps; the start is not uniform
    (`ccm.first_trees`); sweeps after burn-in are averaged (`average` is their share). The paper's model has contradiction 0,
    edges 0, strength 1, anneal 0, start "uniform", restarts 1, average 0, alone 0. `alone` is for the mean of chains (`chains.joined`).

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
        self.constituent, self.distituent, self.coupling = constituent, distituent, coupling
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
        """The first state, before any sweep; without `fresh` there is none yet, and `modelfile.load_chain` must give it."""
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
        self.history_: list[Told] = []
        self._clear()
        return self

    def _grammars(self) -> tuple[Grammar, Grammar]:
        f, e = (
            Grammar(i, Counts.empty(i), self.constituent, self.distituent, self.count_empty) for i in self.bitext_.inventories
        )
        return f, e

    def _first_trees(self) -> tuple[Forest, Forest]:
        """Of each side the best of a few short runs, in the light of the links but not yet of the other side."""
        start = Start(self.start, self.restarts, self.warm_up)
        f, e = (
            first_trees(g, text, self.random_state, start, weights, side)
            for side, (g, text, weights) in enumerate(zip(self.grammars_, self.bitext_.sides, self.extra_, strict=True))
        )
        return f, e

    def _restore(self, forests: tuple[Forest, Forest], mate: Ints) -> None:
        priors = giza_priors(self.giza_high, self.giza_low)
        self.state_ = PairState.counted(self.bitext_, forests, mate, priors, self.count_empty, self.align_leaves)

    def _clear(self) -> None:
        """Forget what was summed for the average."""
        self.kept_ = 0
        f, e = self.bitext_.inventories
        self.sums_ = (Counts.empty(f), Counts.empty(e))
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
        """More sweeps over the pairs that `fit` was given; `until` is asked after each whether to stop."""
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
            told = self._sweep()
            if self.done_ > keep_from:
                self._keep()
            self.history_.append(told)
            if watch:
                watch(told)
            if until and until():
                break
        means = [s.scaled(1 / self.kept_) for s in self.sums_] if self.kept_ else [c.scaled(1.0) for c in self.state_.counts]
        f, e = (g.with_counts(counts) for g, counts in zip(self.grammars_, means, strict=True))
        self.grammars_ = (f, e)
        return self

    def _sweep(self) -> Told:
        b, s = self.bitext_, self.state_
        norm = s.normaliser(self.grammars_, self.coupling)
        chance = generator(self.random_state, self.done_)
        order = chance.permutation(len(b)).astype(np.int64)
        settings = np.array([self.coupling, norm, float(self.align_leaves), self._strength()])
        told = np.zeros(3)
        sides, counts = b.sides, s.counts
        fast(pair_sweep, b.words * self.sweeps * HEAVY)(
            order, (sides[0].at, sides[1].at), (sides[0].grid_at, sides[1].grid_at), (sides[0].yields, sides[1].yields),
            (sides[0].contexts, sides[1].contexts), (s.forests[0].nodes, s.forests[1].nodes),
            (counts[0].yields, counts[1].yields), (counts[0].contexts, counts[1].contexts), (counts[0].totals, counts[1].totals),
            (self.grammars_[0].prior, self.grammars_[1].prior), float(self.count_empty), b.link_at, b.links, b.weights,
            (self.extra_[0].weights, self.extra_[1].weights), s.mate,
            s.keys, s.values, s.in_pairs, settings, s.kinds, s.pair_scores, s.node_scores,
            int(self.mode == "matchings"), MOVES[self.moves], b.longest, chance.random(b.chances), told,
        )  # fmt: skip
        return {
            "sweep": float(self.done_),
            "log_joint": self._log_joint(norm),
            "acceptance": float(told[1] / told[0]) if told[0] else 1.0,
            "aligned": float(told[2] / len(b)),
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
        model = CCM(
            sweeps=MONOLINGUAL_SWEEPS, constituent=self.constituent, distituent=self.distituent, count_empty=self.count_empty,
            random_state=self.random_state,
        )  # fmt: skip
        self.alone_ = tuple(model.fit([getattr(p, side) for p in pairs]).grammar_ for side in "fe")

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
        found = []
        for s, n in enumerate(np.diff(text.at).tolist()):
            share: Any = nodes[text.grid_at[s] : text.grid_at[s + 1]].reshape(n + 1, n + 1) / self.kept_
            found.append(best(np.ascontiguousarray(share, float), text.words))
        return found
