"""`PhraseAligner`: learn, align, save and load phrase alignment on parse forests.

In come pairs of forests with word candidates, or sentence pairs with trees and links; out come `PhraseAlignment` values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from divproj.core.errors import AlignmentError, ModelError
from divproj.core.options import AlignTrainOptions
from divproj.core.pair import Pair
from divproj.forest.dependencies import from_dependencies
from divproj.forest.hypergraph import Forest
from divproj.forest.parses import viterbi
from divproj.phrases import beam_search, chart
from divproj.phrases.beam_search import Packs, SearchLimits, refine
from divproj.phrases.em import EmState, Training, Watch, train
from divproj.phrases.model import FIXED, LocalModel, PhraseEncoder, Relation, first_weights, lexical_keys
from divproj.phrases.problem import (
    COMBINE,
    NEVER,
    PAPER_COSTS,
    Clock,
    Costs,
    OutOfTimeError,
    PhraseSet,
    PreparedPair,
    Problem,
    ScoredForest,
    fill,
    posteriors,
    prepare,
    problem,
    read_off,
    with_tree_weights,
)
from divproj.phrases.results import PhraseAlignment, alignment_of
from divproj.runtime import modelfile
from divproj.runtime.modelfile import Estimator

SEARCHES = ("chart", "packs")
NONCOMP = ("climb", "trace", "off")
LEXICAL = ("pruned", "hashed", "none")
BUCKETS = 1 << 18
FORMAT, VERSION = "divproj-phrases", 1
MOST_CELLS = 16_000_000
"""Most pairs of nodes in a chart; larger forests are replaced by their best trees."""

PAPER: dict[str, Any] = {
    **{each.name: getattr(PAPER_COSTS, each.name) for each in fields(PAPER_COSTS)},
    "null_norm": "literal", "search": "packs", "noncomp": "trace", "beam": 150, "both": False,
}  # fmt: skip
"""The published model's parameters: its Table 2, Algorithms B.1 and C.1, and §5.4 as printed."""

ForestPair = tuple[Forest, Forest]
WordLinks = Any
"""Word candidates of one pair: an array of shape (k, 2) counted from 0, or something with such `links`."""
Finder = Callable[[Forest, Forest], WordLinks]


@dataclass
class PhraseAligner(Estimator):
    """Monolingual or bilingual phrase alignment on parse forests after Arase & Tsujii (2017).

    Parameters named with the paper's letters there: `null_cost` μn, `noncomp_cost` μc, `parse_share` μp, `beam` μb, `gap` μg;
    the costs and their defaults are those of `problem.Costs`.
    `search` is the exact `chart` or, as in the paper, `packs` with a beam. `noncomp` looks for non-compositional pairs by
    hill climbing (`climb`), by unpacking supports (`trace`, the paper's, exponential but bounded) or not at all (`off`).

    >>> import divproj as dp
    >>> aligner = PhraseAligner(null_cost=2.0)
    >>> aligner.get_params()["null_cost"], next(iter(aligner.pipe(dp.read("deu-eng")))).reachable
    (2.0, True)
    """

    null_cost: float = Costs.null_cost
    pair_cost: float = Costs.pair_cost
    noncomp_cost: float = Costs.noncomp_cost
    word_cost: float = Costs.word_cost
    parse_share: float = Costs.parse_share
    combine: str = Costs.combine
    gap: int = Costs.gap
    relative: bool = Costs.relative
    leaf_phrase: bool = Costs.leaf_phrase
    null_norm: str = "symmetric"
    search: str = "chart"
    noncomp: str = "climb"
    both: bool = True
    """Whether non-compositional pairs are looked for from both sides."""
    beam: int = 150
    max_supports: int = 20
    max_seconds: float = 10.0
    """For one pair; 0 is no bound."""
    em: str = "viterbi"
    """Kind of training: `viterbi` or `soft`."""
    epochs: int = AlignTrainOptions.epochs
    batch_size: int = 200
    optimiser: str = "lbfgs"
    kappa: float = 1.0
    lexical: str = "pruned"
    """Family 1 features: those that two training pairs have (`pruned`), all of them `hashed`, or `none`."""
    random_state: int = AlignTrainOptions.seed
    relation: Relation | None = None
    """Flags of two lemmas (`features.SURFACE` …); not saved with a model."""
    model_: LocalModel = field(default_factory=LocalModel, repr=False)
    vocabulary_: list[str] = field(default_factory=list, repr=False)
    history_: list[float] = field(default_factory=list, repr=False)
    """Mean objective of each epoch of training."""

    def __post_init__(self) -> None:
        for name, known in (("search", SEARCHES), ("noncomp", NONCOMP), ("lexical", LEXICAL), ("combine", COMBINE)):
            if getattr(self, name) not in known:
                raise ModelError(f"no {name} '{getattr(self, name)}'", remedy=f"choose one of {', '.join(known)}")
        self.costs, self.training  # noqa: B018  wrong values raise an error now, not in the middle of a corpus
        self.model_.null_norm = self.null_norm
        self.model_.__post_init__()

    @property
    def costs(self) -> Costs:
        return Costs(
            self.null_cost,
            self.pair_cost,
            self.noncomp_cost,
            self.parse_share,
            self.combine,
            self.gap,
            self.relative,
            self.leaf_phrase,
            0.0 if self.history_ else self.word_cost,
        )

    @property
    def training(self) -> Training:
        return Training(self.em, self.epochs, self.batch_size, self.optimiser, kappa=self.kappa)

    def set_params(self, **params: Any) -> PhraseAligner:
        """Change parameters; impossible values raise an error at once."""
        super().set_params(**params)
        self.__post_init__()
        return self

    # learning

    def fit(self, pairs: Iterable[ForestPair | Pair], candidates: Iterable[WordLinks] | None = None, *, watch: Watch | None = None, checkpoint: Path | None = None, resume: bool = False, on_message: Callable[[str], None] | None = None) -> PhraseAligner:  # fmt: skip
        """Learn weights from pairs of forests and their word candidates, or from pairs with trees and links.

        With a `checkpoint` folder the state is kept there after every mini-batch; `resume` goes on from it, to the same end. Where it cannot
        be written, `on_message` is told, and the training goes on without.
        """
        encoder = PhraseEncoder(self.relation)
        encoder.learning = self.lexical != "none"
        prepared = [
            prepare(ScoredForest(s), ScoredForest(t), getattr(x, "links", x), encoder)
            for s, t, x in _forests(pairs, candidates)
        ]
        self.vocabulary_ = encoder.vocabulary
        tables = [x.table for x in prepared]
        keys = lexical_keys(tables) if self.lexical == "pruned" else np.empty(0, np.int64)
        buckets = BUCKETS if self.lexical == "hashed" else 0
        self.model_ = LocalModel(first_weights(buckets or len(keys)), keys, buckets, self.null_norm)
        state = self._stored_state(checkpoint) if checkpoint and resume else None

        def seen(state: EmState) -> None:
            nonlocal checkpoint
            try:
                if checkpoint:
                    self._store(checkpoint, state)
            except ModelError as error:
                checkpoint = None
                if on_message:
                    on_message(f"no checkpoint: {error}; the training goes on without")
            if watch:
                watch(state)

        done = train(prepared, self.model_, replace(self.costs, word_cost=0.0), self.training, self.random_state, seen, state)
        self.history_ = done.history
        return self

    # aligning

    def predict(self, pairs: Iterable[ForestPair], candidates: Iterable[WordLinks]) -> list[PhraseAlignment]:
        """Phrase pairs of each pair of forests with its word links, as a list."""
        return list(self.align(pairs, candidates))

    def pipe(self, pairs: Iterable[Pair]) -> Iterator[PhraseAlignment]:
        """Phrase pairs of sentence pairs with trees and links, one after the other.

        >>> import divproj as dp
        >>> found = next(dp.PhraseAligner().pipe(dp.read("deu-eng")))
        >>> found.reachable
        True
        """
        return self.align(pairs)

    def align(
        self, pairs: Iterable[ForestPair | Pair], candidates: Iterable[WordLinks] | None = None
    ) -> Iterator[PhraseAlignment]:
        """The best set of phrase pairs of every pair, one after the other."""
        encoder = PhraseEncoder(self.relation, self.vocabulary_)
        self._compile()
        for src, tgt, word_links in _forests(pairs, candidates):
            yield self._align(ScoredForest(src), ScoredForest(tgt), getattr(word_links, "links", word_links), encoder)

    def _compile(self) -> None:
        """Compile the kernels, or load them from the cache, before any clock runs: this takes seconds."""
        kernels: list[Any] = [chart.best_rows, chart.decode, chart.scaled_sum_rows, chart.scaled_outside]
        kernels += [chart.gap_rows, chart.gap_decode] if self.gap else []
        kernels += [beam_search.climb, beam_search.assemble] if self.noncomp == "climb" else []
        for kernel in kernels:
            _ = kernel.compiled

    def align_pair(self, src: Forest, tgt: Forest, links: WordLinks) -> PhraseAlignment:
        """Phrase pairs of one pair of forests."""
        return next(self.align([(src, tgt)], [links]))

    def _align(self, src: ScoredForest, tgt: ScoredForest, links: WordLinks, encoder: PhraseEncoder) -> PhraseAlignment:
        clock = Clock(self.max_seconds or NEVER)
        cut = len(src.forest) * len(tgt.forest) > MOST_CELLS
        if cut:
            src, tgt = best_tree(src), best_tree(tgt)
        prepared = prepare(src, tgt, links, encoder)
        given = self._problem(prepared)
        try:
            phrase_set = self._search(given, clock)
        except OutOfTimeError:
            src, tgt, cut, clock = best_tree(src), best_tree(tgt), True, Clock(self.max_seconds)
            prepared = prepare(src, tgt, links, encoder)
            given = self._problem(prepared)
            try:
                phrase_set = self._search(given, clock)
            except OutOfTimeError:
                phrase_set = PhraseSet(((given.src.root, given.tgt.root),), (-1,), (), (), (), (), -math.inf, False)
        probabilities = None
        if phrase_set.reachable:
            try:
                probabilities = posteriors(with_tree_weights(prepared, given), clock)
            except OutOfTimeError:
                cut = True
        return alignment_of(
            src.forest, tgt.forest, given, replace(phrase_set, truncated=phrase_set.truncated or cut), probabilities
        )

    def _problem(self, prepared: PreparedPair) -> Problem:
        return problem(prepared, self.model_.log_probs(prepared.table), self.costs)

    def _search(self, given: Problem, clock: Clock) -> PhraseSet:
        """The best set; OutOfTimeError when not even the chart could be filled."""
        filled = fill(given, clock)
        if not filled.reachable and given.gap:
            given = replace(given, gap=0)
            filled = fill(given, clock)
        if not filled.reachable:
            return force_root_pair(given, fill(replace(given, gap=0, mix=0.0), clock))
        if self.search == "packs":
            return self._packs(given, clock, None) or read_off(filled)
        phrase_set = read_off(filled)
        if self.noncomp == "climb" and not given.mix:
            return refine(given, phrase_set, self.both)
        if self.noncomp == "trace":
            return self._packs(given, clock, phrase_set) or phrase_set
        return phrase_set

    def _packs(self, given: Problem, clock: Clock, at_least: PhraseSet | None) -> PhraseSet | None:
        """Algorithm B.1, with §4.3 from one side or both; what was found before when that is better or time runs out."""
        best = at_least
        trace = beam_search.align if self.noncomp == "trace" else None
        late = False
        for turned in (False, True)[: 1 + (self.both and trace is not None)]:
            it = given.transpose if turned else given
            for beam in (self.beam, 4 * self.beam):
                limits = SearchLimits(beam, self.max_supports, clock=clock)
                try:
                    phrase_set = Packs(it, limits, trace, usable_targets(it)).best_set()
                except OutOfTimeError:
                    phrase_set, late = None, True
                if phrase_set or late:
                    break
            if phrase_set and (best is None or phrase_set.score > best.score + 1e-9):
                best = phrase_set.transpose if turned else phrase_set
            elif phrase_set and best and phrase_set.truncated:
                best = replace(best, truncated=True)
        return replace(best, truncated=True) if best and late else best

    @property
    def signature_facts(self) -> dict[str, Any]:
        """The parameters that a signature names, and whether the model was trained."""
        names = ("search", "noncomp", "null_cost", "pair_cost", "noncomp_cost", "parse_share", "gap")
        costs = {name: getattr(self, name) for name in names} | {"word_cost": self.costs.word_cost}
        return costs | {"trained": "yes" if self.history_ else "no"}

    # keeping

    def save(self, folder: Path) -> None:
        """Write `model.json` and `weights.npz` to a folder; the same model gives the same bytes."""
        params = {name: value for name, value in self.get_params().items() if name != "relation"}
        about = {"params": params, "vocabulary": self.vocabulary_, "buckets": self.model_.buckets, "history": self.history_}
        modelfile.save(folder, FORMAT, VERSION, about, {"weights": self.model_.weights, "keys": self.model_.keys})

    @classmethod
    def load(cls, folder: Path, relation: Relation | None = None) -> PhraseAligner:
        """Load a saved model; raise ModelError if it is not one, or of another version."""
        stored = modelfile.load(folder, FORMAT, VERSION)
        defaults = {name: value for name, value in cls().get_params().items() if name != "relation"}
        params = modelfile.like_defaults(stored.fact("params", dict), defaults, stored.where)
        aligner = cls(**params, relation=relation)
        aligner.vocabulary_, aligner.history_ = list(map(str, stored.fact("vocabulary", list))), stored.fact("history", list)
        buckets, keys = stored.fact("buckets", int), stored.array("keys", "i", None)
        weights = stored.array("weights", "f", FIXED + (buckets or len(keys)))
        aligner.model_ = LocalModel(weights.astype(np.float64), keys.astype(np.int64), buckets, aligner.null_norm)
        return aligner

    def _store(self, folder: Path, state: EmState) -> None:
        about = {
            "epoch": state.epoch, "batch": state.batch, "updates": state.updates, "running": state.running,
            "history": state.history, "finished": state.finished, "settings": self._settings(),
        }  # fmt: skip
        modelfile.save(folder, FORMAT + "-checkpoint", VERSION, about, {"weights": state.weights, "squares": state.squares, "keys": self.model_.keys})  # fmt: skip

    def _settings(self) -> dict[str, Any]:
        """Return the parameters that must be unchanged when training resumes; the number of epochs may grow."""
        return {
            k: v
            for k, v in self.get_params().items()
            if k not in ("relation", "epochs", "max_seconds", "noncomp", "both", "search")
        }

    def _stored_state(self, folder: Path) -> EmState | None:
        """The state of an interrupted training on the same pairs; None when there is none."""
        if not (folder / modelfile.META).exists():
            return None
        stored = modelfile.load(folder, FORMAT + "-checkpoint", VERSION)
        keys, size = stored.array("keys", "i", None), len(self.model_.weights)
        same = np.array_equal(keys, self.model_.keys) and stored.fact("settings", dict) == self._settings()
        if not same:
            raise ModelError("the checkpoint is of another training: pairs or settings differ", stored.where, "train without resuming")  # fmt: skip
        numbers = (stored.fact(name, int) for name in ("epoch", "batch", "updates"))
        lists = (stored.fact(name, list) for name in ("running", "history"))
        weights, squares = (stored.array(name, "f", size).astype(np.float64) for name in ("weights", "squares"))
        return EmState(weights, squares, *numbers, *lists)


def best_tree(view: ScoredForest) -> ScoredForest:
    """The best parse alone."""
    forest = view.forest
    return view if not view.ambiguous else ScoredForest(forest.tree(viterbi(forest, fast=True).edges))


def usable_targets(given: Problem) -> frozenset[int]:
    """Target nodes that some chart cell aligns: no search can align another."""
    filled = fill(replace(given, gap=0, mix=0.0))
    return frozenset(np.flatnonzero(np.isfinite(filled.A).any(0)).tolist())


def _forests(
    pairs: Iterable[ForestPair | Pair], candidates: Iterable[WordLinks] | None
) -> Iterator[tuple[Forest, Forest, WordLinks]]:
    """Forests of both sides and word candidates; a pair of sentences brings its trees and links."""
    if candidates is not None:
        for (src, tgt), word_links in zip(pairs, candidates, strict=True):  # type: ignore[misc]
            yield src, tgt, word_links
        return
    for pair in pairs:
        assert isinstance(pair, Pair)
        if pair.f.tree is None or pair.e.tree is None:
            message = "phrases are aligned on trees, but one side of the pair has none"
            raise AlignmentError(message, pair.where, "parse or project the pairs first")
        links = np.array([(i - 1, j - 1) for i, j in pair.links], np.int64).reshape(-1, 2)
        yield from_dependencies(pair.f, sent_id=pair.sent_id), from_dependencies(pair.e, sent_id=pair.sent_id), links


def force_root_pair(given: Problem, filled: Any) -> PhraseSet:
    """A defined answer where no legitimate set has the root pair: that pair, and below it the best pair inside.

    Departs: if the best pair shares a root with the root pair, it is dissolved and its kids stay: no phrase is aligned twice.
    """
    root = (given.src.root, given.tgt.root)
    if filled.E[root] == -np.inf:
        return PhraseSet((root,), (-1,), (), (), (), (), float(given.pair[root]), False)
    inner = read_off(filled, inside=True)
    gone = inner.pairs[0][0] == root[0] or inner.pairs[0][1] == root[1]
    if gone and not inner.kids[0]:
        return PhraseSet((root,), (-1,), (), (), (), (), float(given.pair[root]), False)
    shift = 0 if gone else 1
    pairs = (root, *inner.pairs[1 - shift :])
    mothers = (-1, *(max(0, mother + shift) for mother in inner.mothers[1 - shift :]))
    hanging = [tuple((node, max(0, mother + shift)) for node, mother in nulls) for nulls in (inner.null_s, inner.null_t)]
    score = float(given.pair[root]) + inner.score - (float(given.pair[inner.pairs[0]]) if gone else given.noncomp)
    return PhraseSet(pairs, mothers, hanging[0], hanging[1], inner.edges_s, inner.edges_t, score, False)


def align_with_finder(aligner: PhraseAligner, pairs: Sequence[ForestPair], finder: Finder) -> list[PhraseAlignment]:
    """Align with candidates from a finder."""
    return aligner.predict(pairs, (finder(s, t) for s, t in pairs))
