"""From two forests, word candidates and the local model to a `Problem`: every score and cost of §4.1, §5.3 and §5.4."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import AlignmentError, ModelError
from divproj.forest.hypergraph import Forest
from divproj.forest.parses import inside, marginals
from divproj.phrases.features import Encoder, Kinds, Table, head_word, lemmas_of
from divproj.phrases.model import LogProbs
from divproj.phrases.problem import Floats, Problem, Side

COMBINE = ("loglinear", "literal")


@dataclass(frozen=True)
class Costs:
    """The penalties μ of the paper. This is the one place where they have defaults; `PhraseAligner` takes them from here.

    The defaults were chosen on training pairs of the Edinburgh paraphrases (`bench/accuracy/phrases_tune.py`). The paper's own values are
    `PAPER_COSTS`; with them and our local model sets of few pairs are best.
    """

    null_cost: float = 3.0
    """μn: for each word left alone. The paper has 1."""
    pair_cost: float = 0.0
    """For each pair with kids. Departs: the paper charges μn here, which makes sets of few pairs best."""
    noncomp_cost: float = 1.0
    """μc: times μn, for a pair with other than two kids. The paper has 3."""
    parse_share: float = 0.0
    """μp: how much the parses count against the alignment, from 0 to 1; not asked of trees."""
    combine: str = "loglinear"
    """How they are put together: logarithms at every pair (Departs), or `literal`, as printed in §5.4."""
    gap: int = 0
    """μg: most generations between a pair and its kids; 0 is no bound."""
    relative: bool = True
    """Whether log Pr is measured against chance, all outcomes alike (Departs), so that costs mean the same in long and short sentences."""
    leaf_phrase: bool = True
    """Whether one word may be aligned with a phrase when the heads are candidates (Departs: Definition 3.1 has no such pairs)."""
    word_cost: float = 8.0
    """For a pair of one word and a phrase while nothing is learned: that they seldom go together is most of what EM finds, so a
    trained aligner asks 0."""

    def __post_init__(self) -> None:
        if self.combine not in COMBINE:
            raise ModelError(f"no combine '{self.combine}'", remedy=f"choose one of {', '.join(COMBINE)}")
        if not 0 <= self.parse_share < 1:
            raise ModelError(f"parse_share is {self.parse_share}, a number from 0 to below 1 expected")
        if self.gap < 0 or self.null_cost < 0:
            raise ModelError("gap and null_cost cannot be negative")


PAPER_COSTS = Costs(1.0, 1.0, 3.0, 0.7, "literal", 5, relative=False, leaf_phrase=False, word_cost=0.0)
"""μn, μn, μc, μp, μg of the paper's Table 2, and none of what we added."""


@dataclass(frozen=True)
class View:
    """One forest with what scoring asks of it, computed once."""

    forest: Forest

    @cached_property
    def kinds(self) -> Kinds:
        return Kinds.of(self.forest)

    @cached_property
    def word(self) -> NDArray[np.intp]:
        """For a leaf its word, for a phrase the word that is its head."""
        return np.array([x.start if x.end - x.start == 1 else head_word(self.forest, k) for k, x in enumerate(self.forest.nodes)], np.intp)  # fmt: skip

    @cached_property
    def length(self) -> Floats:
        return (self.forest.arrays.end - self.forest.arrays.start).astype(np.float64)

    @cached_property
    def ambiguous(self) -> bool:
        a = self.forest.arrays
        return len(a.edge_parent) > int((~a.is_leaf).sum())

    @cached_property
    def rho(self) -> Floats:
        """log of the parse marginals; virtual nodes are no choice of the parser and have 0."""
        if not self.ambiguous:
            return np.zeros(len(self.forest))
        shares = np.log(np.maximum(marginals(self.forest, fast=len(self.forest) > 100).node, 1e-9))
        shares[self.forest.arrays.virtual] = 0.0
        return shares

    @cached_property
    def chances(self) -> Floats:
        """log p(edge | parent), sorted order: what the sum over all trees of the forest needs."""
        a = self.forest.arrays
        if not self.ambiguous:
            return np.zeros(len(a.edge_weight))
        beta = inside(self.forest, fast=len(self.forest) > 100)
        mass = beta[a.edge_parent]
        with np.errstate(invalid="ignore"):
            shares = a.edge_weight + beta[a.edge_left] + beta[a.edge_right] - mass
        return np.where(mass > -np.inf, np.minimum(shares, 0.0), a.edge_weight)

    @cached_property
    def lemmas(self) -> list[str]:
        return lemmas_of(self.forest)


@dataclass(frozen=True)
class Prepared:
    """A pair ready for scoring: two views, word candidates, feature table."""

    src: View
    tgt: View
    links: NDArray[np.int32]
    """Word candidates W, shape (k, 2), counted from 0."""
    table: Table

    @cached_property
    def reach(self) -> NDArray[np.bool_]:
        """Words by words: which are candidates."""
        made = np.zeros((len(self.src.forest.forms), len(self.tgt.forest.forms)), bool)
        made[self.links[:, 0], self.links[:, 1]] = True
        return made


def prepare(src: View, tgt: View, links: Any, encoder: Encoder) -> Prepared:
    """AlignmentError when a link points outside the sentences."""
    made = np.asarray(links, np.int32).reshape(-1, 2)
    n, m = len(src.forest.forms), len(tgt.forest.forms)
    bad = (made < 0).any(1) | (made[:, 0] >= n) | (made[:, 1] >= m)
    if bad.any():
        i, j = made[bad][0].tolist()
        what = f"word candidate {i}-{j} (counted from 0) is out of range: the sentences have {n} and {m} words"
        raise AlignmentError(what, src.forest.where)
    linked = {(src.lemmas[i], tgt.lemmas[j]) for i, j in made.tolist()}
    return Prepared(src, tgt, made, encoder.table(src.kinds, tgt.kinds, linked))


def problem(prepared: Prepared, probs: LogProbs, costs: Costs) -> Problem:
    """All scores of one pair, as the searches want them."""
    s, t = prepared.src, prepared.tgt
    of_s, of_t = s.kinds.of_node, t.kinds.of_node
    chance = probs.chance if costs.relative else (0.0, 0.0, 0.0)
    pair = (probs.pair - (chance[0] + costs.pair_cost))[np.ix_(of_s, of_t)]
    leaf_s, leaf_t = s.forest.arrays.is_leaf, t.forest.arrays.is_leaf
    pair[np.ix_(leaf_s, leaf_t)] += costs.pair_cost
    if costs.leaf_phrase:
        pair[leaf_s] -= costs.null_cost * (t.length - 1) + costs.word_cost * ~leaf_t
        pair[:, leaf_t] -= costs.null_cost * (s.length[:, None] - 1) + costs.word_cost * ~leaf_s[:, None]
    else:
        pair[np.ix_(leaf_s, ~leaf_t)] = pair[np.ix_(~leaf_s, leaf_t)] = -np.inf
    null_s = probs.null_s[of_s] - chance[1] - costs.null_cost * s.length
    null_t = probs.null_t[of_t] - chance[2] - costs.null_cost * t.length
    noncomp, mix = costs.null_cost * costs.noncomp_cost, 0.0
    share = costs.parse_share if s.ambiguous or t.ambiguous else 0.0
    rho_s, rho_t = (s.rho, t.rho) if share else (np.zeros(len(s.forest)), np.zeros(len(t.forest)))
    if share and costs.combine == "loglinear":
        keep = 1 - share
        pair = keep * pair + share * (rho_s[:, None] + rho_t[None, :])
        null_s, null_t, noncomp = keep * null_s, keep * null_t, keep * noncomp
    elif share:
        mix = share
    pair[leaf_s] = np.where(prepared.reach[np.ix_(s.word[leaf_s], t.word)], pair[leaf_s], -np.inf)
    pair[:, leaf_t] = np.where(prepared.reach[np.ix_(s.word, t.word[leaf_t])], pair[:, leaf_t], -np.inf)
    src = Side(s.forest.arrays, s.forest.root, null_s, rho_s, np.zeros(len(s.forest.edges)))
    tgt = Side(t.forest.arrays, t.forest.root, null_t, rho_t, np.zeros(len(t.forest.edges)))
    return Problem(src, tgt, np.ascontiguousarray(pair), noncomp, costs.gap, mix)


def summed(prepared: Prepared, given: Problem) -> Problem:
    """The problem for sums: every tree of a forest counts by its probability, so that spurious ambiguity does not."""
    if not (prepared.src.ambiguous or prepared.tgt.ambiguous):
        return given
    return replace(
        given,
        src=replace(given.src, weight=prepared.src.chances),
        tgt=replace(given.tgt, weight=prepared.tgt.chances),
    )
