"""`MstParser`: a graph-based parser that learns from trees, finds the best tree, and gives the probability of each edge.

Its `TrainingState` is what passes over a treebank change, in arrays that a checkpoint can keep: weights, and sums for their
average. `facts` and `arrays` are a parser as it is saved, with one byte a weight. Probabilities are exp(scale × score),
divided by the sum over all trees; the scale is set on sentences that were not learned from (`MstParser.calibrate`) or,
where there are none to spare, with a smaller parser that leaves some out (`calibrate_by_twin`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, ProjError
from divproj.core.options import TrainOptions
from divproj.core.tree import NO_HEAD, DepTree
from divproj.parsing import decode, features
from divproj.parsing.features import (
    BETWEEN,
    PER_EDGE,
    Batch,
    Ints,
    ParserInput,
    edge_scores,
    grandparent_scores,
    sibling_scores,
)
from divproj.parsing.learn import SIBLINGS_UP_TO, add_votes, epoch, label_epoch, parse_all, relabel, vote_scores
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.modelfile import REMEDY, Array, Estimator, ModelFolder, quantise

CROSSING_SHARE = 0.10
"""Share of training trees with crossing edges from which `auto` lets them cross."""
LABEL_EPOCHS = 10
"""Passes over the training data in learning relations."""


Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingState:
    """Weights of edges and votes for relations while they are learned; `best_…` are the averages that a judge liked best."""

    weights: Floats
    later: Doubles
    votes: Floats
    votes_later: Doubles
    state: Doubles
    """Steps so far; wrong heads and words of this pass."""
    passes: Ints
    best: Doubles
    best_weights: Floats
    best_votes: Floats

    @classmethod
    def empty(cls, size: int, votes: tuple[int, int], *, judged: bool) -> TrainingState:
        single = np.float32
        return cls(
            np.zeros(size, single), np.zeros(size), np.zeros(votes, single), np.zeros(votes),
            np.zeros(3), np.zeros(1, np.int64), np.full(1, -1.0),
            np.zeros(size if judged else 0, single), np.zeros(votes if judged else (0, 0), single),
        )  # fmt: skip

    def average(self) -> tuple[Floats, Floats]:
        steps = self.state[0]
        return average_weights(self.weights, self.later, steps), average_weights(self.votes, self.votes_later, steps)

    def judge(self, score: float, averages: tuple[Floats, Floats]) -> None:
        """Keep these averages where none before was better."""
        if score >= self.best[0]:
            self.best[0] = score
            self.best_weights[:], self.best_votes[:] = averages

    def best_average(self) -> tuple[Floats, Floats]:
        return (self.best_weights, self.best_votes) if self.best[0] >= 0 else self.average()


def average_weights(now: Floats, later: Doubles, steps: float) -> Floats:
    """The mean of the weights after every step: `later` is the sum of step × change, and the changes sum to the weights."""
    return (now - (later - now) / steps).astype(np.float32)


def learn_labels(
    weights: Floats, batch: Batch, heads: Ints, deprels: Ints, seed: int, checkpoint: Checkpoint, name: str
) -> Floats:
    """Weights for the relations of given trees, from passes in changing order."""
    later, place = np.zeros(weights.shape), np.zeros(2, np.int64)  # passes, steps
    arrays: dict[str, NDArray[Any]] = {"weights": weights, "later": later, "place": place}
    checkpoint.restore(name, arrays)
    random = np.random.default_rng(seed)
    known = np.where(heads < 0, 0, heads)
    known[batch.first[:-1]] = -1
    for done in passing(range(LABEL_EPOCHS), "training the labels: pass", LABEL_EPOCHS):
        order = random.permutation(len(batch))
        if done < place[0]:
            continue
        step = label_epoch.compiled(weights, later, int(place[1]), order, batch.first, batch.atoms, batch.more, known, deprels)
        place[:] = done + 1, step
        checkpoint.offer(name, arrays)
    checkpoint.finish(name, arrays)
    return average_weights(weights, later, max(1, int(place[1])))


VOTE_BITS = 15
LABEL_BITS = 17
BATCH_TOKENS = 200_000
ROOM = PER_EDGE - 82 - 2 * BETWEEN
"""Features that further columns (16 each) and codes (4 each) of an edge can have."""


@dataclass(frozen=True)
class Progress:
    """How training stands after a pass: share of wrong heads while learning, and UAS on the development sentences."""

    epoch: int
    epochs: int
    loss: float
    dev_uas: float | None = None


@dataclass(frozen=True)
class Tables:
    """Scores of the parts of trees: edges[h, c], siblings[h, s, c], grand[g, h, c]; None or empty where the order has none."""

    edges: NDArray[np.float64]
    siblings: Floats | None
    grand: Floats


class EdgeParser(Protocol):
    """What a language needs of its parser: trees, and scores and probabilities of their edges."""

    scale_: float
    crossing_: bool

    def predict(self, sentences: Sequence[ParserInput | DepTree]) -> list[DepTree]: ...
    def relations(self, sentence: ParserInput, heads: Sequence[int]) -> tuple[str, ...]: ...
    def marginals(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[NDArray[np.float64]]: ...
    def tables(self, sentence: ParserInput | DepTree) -> Tables: ...
    def projective_marginals(self, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...


class MstParser(Estimator):
    """A graph-based dependency parser (McDonald et al. 2005, 2006) in the style of scikit-learn.

    `order` 1 scores edges, 2 also adjacent siblings, 3 also grandparents (by hill-climbing). Weights are learned by averaged 1-best MIRA; `cost` is
    the loss of a wrong head, `clip` the largest step. `decoder` is `proj`, `nonproj` or `auto` (by the share of training trees with crossing edges). `labels=False` leaves
    relations out. After `fit`: `weights_`, `votes_`, `label_weights_`, `rels_`, `crossing_`, `scale_`, `columns_`, `slots_`.
    """

    def __init__(
        self,
        *,
        order: int = TrainOptions.order,
        decoder: str = TrainOptions.decoder,
        epochs: int = TrainOptions.epochs,
        labels: bool = True,
        bits: int = TrainOptions.bits,
        cost: float = 1.0,
        clip: float = float("inf"),
        random_state: int = TrainOptions.seed,
    ) -> None:
        self.order, self.decoder, self.epochs = order, decoder, epochs
        self.labels, self.bits, self.cost, self.clip = labels, bits, cost, clip
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"MstParser({', '.join(f'{name}={getattr(self, name)!r}' for name in self._parameters())})"

    # learning

    def fit(
        self,
        sentences: Sequence[ParserInput | DepTree],
        trees: Sequence[DepTree] | None = None,
        *,
        dev: tuple[Sequence[ParserInput | DepTree], Sequence[DepTree]] | None = None,
        progress: Callable[[Progress], None] | None = None,
        checkpoint: Checkpoint = NOTHING,
        name: str = "parser",
    ) -> MstParser:
        """Learn from trees; a word whose head is not known teaches nothing. Ctrl-C keeps what was learned so far.

        `keep`, identified by its owner, has the state after passes under `name`, and may have one to go on from.
        """
        self.check_params()
        seen = [_seen(s) for s in sentences]
        if trees is None:
            trees = [s for s in sentences if isinstance(s, DepTree)]
        if len(seen) != len(trees):
            raise ProjError(f"{len(seen)} sentences but {len(trees)} trees")
        if not any(h >= 0 for tree in trees for h in tree.heads):
            raise ProjError("there is no word with a head to learn from")
        for k, (sentence, tree) in enumerate(zip(seen, trees, strict=True), 1):
            check_heads(f"sentence {k}", len(sentence), tree.heads)
        self.columns_ = len(seen[0].more)
        self.slots_ = next((s.codes.shape[2] for s in seen if s.codes is not None), 0)
        if 16 * self.columns_ + 4 * self.slots_ > ROOM:
            raise ProjError(f"{self.columns_} further columns and {self.slots_} codes an edge are more than the parser can see")
        names = {r for t in trees for r, h in zip(t.deprels, t.heads, strict=False) if h > 0} if self.labels else set()
        self.rels_ = ("root", *sorted(names - {"root"}))
        crossed = sum(map(crosses, trees)) / len(trees)
        self.crossing_ = self.decoder == "nonproj" or (self.decoder == "auto" and crossed > CROSSING_SHARE)
        batch = self._batch(seen)
        heads = batch.flat(tree.heads for tree in trees)
        number = {rel: k for k, rel in enumerate(self.rels_) if k}
        deprels = batch.flat(
            [
                0 if h == 0 else number.get(r, -1) if h > 0 else -1
                for h, r in zip(t.heads, t.deprels or ("",) * len(t), strict=True)
            ]
            for t in trees
        )
        self.scale_ = 1.0
        self._learn_edges(batch, heads, deprels, dev, progress, checkpoint, f"{name}-edges")
        self._learn_labels(batch, heads, deprels, checkpoint, f"{name}-labels")
        return self

    def check_params(self) -> None:
        """ProjError where a parameter cannot be used."""
        wrong = [
            (self.order not in (1, 2, 3), f"order is {self.order}, 1, 2 or 3 expected"),
            (self.decoder not in ("auto", "proj", "nonproj"), f"decoder is '{self.decoder}', auto, proj or nonproj expected"),
            (not 10 <= self.bits <= 28, f"bits is {self.bits}, 10 to 28 expected"),
            (self.epochs < 1, f"epochs is {self.epochs}, 1 or more expected"),
        ]
        for bad, message in wrong:
            if bad:
                raise ProjError(message)

    def _learn_edges(
        self, batch: Batch, heads: Ints, deprels: Ints, dev: Any, progress: Any, checkpoint: Checkpoint, name: str
    ) -> None:
        """Passes over the sentences in changing order; the average of all steps is kept, of the best pass where `dev` judges."""
        random = np.random.default_rng(self.random_state)
        course = TrainingState.empty(1 << self.bits, (1 << VOTE_BITS, len(self.rels_)), judged=bool(dev))
        if checkpoint.restore(name, vars(course)) and not 0 <= course.passes[0] <= self.epochs:
            raise checkpoint.broken(name, f"{course.passes[0]} passes of {self.epochs}")
        for _ in range(int(course.passes[0])):  # as if they had been made here
            random.permutation(len(batch))
        try:
            for _ in passing(range(int(course.passes[0]), self.epochs), "training the parser: pass", self.epochs):
                loss = self._pass(course, random.permutation(len(batch)), batch, heads, deprels)
                course.passes[0] += 1
                uas = None
                if dev:
                    averaged = course.average()
                    uas = self._dev_uas(*averaged, *dev)
                    course.judge(uas, averaged)
                if progress:
                    progress(Progress(int(course.passes[0]), self.epochs, loss, uas))
                checkpoint.offer(name, vars(course))
            checkpoint.finish(name, vars(course))
        except KeyboardInterrupt:
            if course.state[0] == 0:
                raise
        self.weights_, self.votes_ = course.best_average() if dev else course.average()
        self.epochs_ = int(course.passes[0])

    def _pass(self, course: TrainingState, order: Ints, batch: Batch, heads: Ints, deprels: Ints) -> float:
        """One pass; the share of wrong heads while learning."""
        state = course.state
        state[1:] = 0
        epoch.compiled(
            course.weights, course.later, course.votes, course.votes_later, state, order, batch.first, batch.atoms,
            batch.more, batch.codes, batch.code_at, batch.slots, self.order, self.crossing_, heads, deprels, self.cost, self.clip,
        )  # fmt: skip
        return float(state[1] / max(1.0, state[2]))

    def _dev_uas(
        self, weights: Floats, votes: Floats, seen: Sequence[ParserInput | DepTree], trees: Sequence[DepTree]
    ) -> float:
        self.weights_, self.votes_ = weights, votes
        right = total = 0
        for heads, tree in zip(self._heads([_seen(s) for s in seen]), trees, strict=True):
            right += sum(1 for a, b in zip(heads, tree.heads, strict=True) if a == b)
            total += sum(1 for h in tree.heads if h >= 0)
        return 100.0 * right / max(1, total)

    def _learn_labels(self, batch: Batch, heads: Ints, deprels: Ints, checkpoint: Checkpoint, name: str) -> None:
        many = len(self.rels_) > 2
        weights = np.zeros((1 << LABEL_BITS if many else 1, len(self.rels_)), np.float32)
        self.label_weights_ = (
            learn_labels(weights, batch, heads, deprels, self.random_state, checkpoint, name) if many else weights
        )

    # parsing

    def predict(self, sentences: Sequence[ParserInput | DepTree]) -> list[DepTree]:
        """The best tree of each sentence, with relations."""
        seen = [_seen(s) for s in sentences]
        trees: list[DepTree] = []
        for part in self._parts(seen):
            batch = self._batch(part)
            heads = self._parse(batch)
            labels = self._relations(batch, heads)
            for sentence, tree_heads, deprels in zip(part, batch.split(heads), batch.split(labels), strict=True):
                trees.append(DepTree(sentence.forms, tree_heads, tuple(self.rels_[r] for r in deprels), sentence.tags))
        return [t if isinstance(s, ParserInput) else _as(s, t) for s, t in zip(sentences, trees, strict=True)]

    def relations(self, sentence: ParserInput, heads: Sequence[int]) -> tuple[str, ...]:
        """The best relations for a tree that is given."""
        check_heads("the sentence", len(sentence), heads)
        batch = self._batch([sentence])
        labels = self._relations(batch, batch.flat([heads]))
        return tuple(self.rels_[r] for r in labels[1:])

    def score(self, sentences: Sequence[ParserInput | DepTree], trees: Sequence[DepTree]) -> float:
        """UAS over the words whose head is known."""
        self._check_fitted()
        return self._dev_uas(self.weights_, self.votes_, sentences, trees) / 100

    def tables(self, sentence: ParserInput | DepTree) -> Tables:
        """The scores of all parts that trees of a sentence can have."""
        batch = self._batch([_seen(sentence)])
        scores = next(self._edge_scores(batch))
        n1 = len(scores)
        if self.order == 1 or n1 > SIBLINGS_UP_TO:
            return Tables(scores, None, np.zeros((0, n1, n1), np.float32))
        siblings = np.zeros((n1, n1, n1), np.float32)
        sibling_scores.compiled(self.weights_, batch.atoms, siblings)
        grand = np.zeros((n1 if self.order > 2 else 0, n1, n1), np.float32)
        if self.order > 2:
            grandparent_scores.compiled(self.weights_, batch.atoms, grand)
        return Tables(scores, siblings, grand)

    def _edge_scores(self, batch: Batch) -> Iterator[NDArray[np.float64]]:
        """scores[h, c] of every edge, votes for its best relation included; siblings are not."""
        score, vote, add = edge_scores.compiled, vote_scores.compiled, add_votes.compiled
        for s in range(len(batch)):
            span = slice(batch.first[s], batch.first[s + 1])
            n1 = span.stop - span.start
            scores = np.zeros((n1, n1))
            score(self.weights_, batch.atoms[span], batch.more[span], batch.codes_of(s), batch.slots, scores)
            if self.votes_.shape[1] > 1:
                said = np.empty((n1, 4, self.votes_.shape[1]), np.float32)
                vote(self.votes_, batch.atoms[span], said)
                add(said, scores, np.full(n1, -1), 0.0, np.zeros((n1, n1), np.int32))
            yield scores

    def edge_scores(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[NDArray[np.float64]]:
        """scores[h, c] of every edge of each sentence."""
        for part in self._parts([_seen(s) for s in sentences]):
            yield from self._edge_scores(self._batch(part))

    def marginals(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[NDArray[np.float64]]:
        """chances[h, c]: the probability of every edge, over projective trees or over all (`crossing_`)."""
        for scores in self.edge_scores(sentences):
            yield self._chances(scores * self.scale_)

    def _chances(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        probabilities = np.zeros_like(scores)
        sums: Any = decode.nonprojective if self.crossing_ else decode.projective.compiled
        sums(scores, probabilities)
        return probabilities

    @staticmethod
    def projective_marginals(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of every edge over projective trees, from scaled scores."""
        probabilities = np.zeros_like(scores)
        decode.projective.compiled(scores, probabilities)
        return probabilities

    def calibrate(self, sentences: Sequence[ParserInput | DepTree], trees: Sequence[DepTree]) -> MstParser:
        """Scale scores so that the edges of these trees (which were not learned from) are as probable as can be."""
        kept = list(zip(self.edge_scores(sentences), trees, strict=True))
        best = -np.inf
        for scale in 2.0 ** np.arange(-3, 5.5, 0.5):
            total = 0.0
            for scores, tree in kept:
                probabilities = self._chances(scores * scale)
                total += sum(np.log(probabilities[h, c] + 1e-6) for c, h in enumerate(tree.heads, 1) if h >= 0)
            if total > best:
                best, self.scale_ = total, float(scale)
        return self

    def _parts(self, seen: Sequence[ParserInput]) -> Iterator[Sequence[ParserInput]]:
        """Sentences a batch at a time, so that memory stays flat."""
        self._check_fitted()
        part: list[ParserInput] = []
        size = 0
        for sentence in seen:
            weight = len(sentence) + (len(sentence) ** 2 * self.slots_) // 8
            if part and size + weight > BATCH_TOKENS:
                yield part
                part, size = [], 0
            part.append(sentence)
            size += weight
        if part:
            yield part

    def _check_fitted(self) -> None:
        if not hasattr(self, "weights_"):
            raise ModelError("the parser has learned nothing yet", remedy="call fit, or load a model")

    def _batch(self, seen: Sequence[ParserInput]) -> Batch:
        for sentence in seen:
            if len(sentence.more) != self.columns_:
                raise ModelError(f"the parser sees {self.columns_} further columns, the sentence has {len(sentence.more)}")
            if sentence.codes is not None and sentence.codes.shape[2] != self.slots_:
                raise ModelError(f"the parser sees {self.slots_} codes an edge, the sentence has {sentence.codes.shape[2]}")
        return Batch.of(seen, self.columns_, self.slots_)

    def _parse(self, batch: Batch) -> Ints:
        """Heads of all tokens."""
        heads = np.full(len(batch.atoms), -1, np.int64)
        parse_all.compiled(
            self.weights_, self.votes_, batch.first, batch.atoms, batch.more, batch.codes, batch.code_at, batch.slots,
            self.order, self.crossing_, heads,
        )  # fmt: skip
        return heads

    def _relations(self, batch: Batch, heads: Ints) -> Ints:
        """The best relations of given heads, as numbers of `rels_`."""
        labels = np.zeros(len(batch.atoms), np.int64)
        if len(self.rels_) > 2:
            relabel.compiled(self.label_weights_, batch.first, batch.atoms, batch.more, heads, labels)
        else:
            labels[:] = np.where(heads == 0, 0, len(self.rels_) - 1)
        return labels

    def _heads(self, seen: Sequence[ParserInput]) -> list[tuple[int, ...]]:
        batches = map(self._batch, self._parts(seen))
        return [heads for batch in batches for heads in batch.split(self._parse(batch))]


def check_heads(whose: str, words: int, heads: Sequence[int]) -> None:
    """ProjError where heads do not fit the words: what computes with them trusts its arrays."""
    if len(heads) != words:
        raise ProjError(f"{whose} has {words} words but {len(heads)} heads")
    for word, head in enumerate(heads, 1):
        if head > words or head == word:
            raise ProjError(f"{whose}: the head of word {word} is {head}, another one of {words} words or 0 expected")


def _seen(sentence: ParserInput | DepTree) -> ParserInput:
    return sentence if isinstance(sentence, ParserInput) else ParserInput.of(sentence)


def _as(given: DepTree, tree: DepTree) -> DepTree:
    return given.with_heads(tree.heads, tree.deprels)


def crosses(tree: DepTree) -> bool:
    """Whether two edges cross; edges of the root too.

    >>> crosses(DepTree(("a", "b", "c"), (3, 0, 2)))
    True
    """
    edges = [(min(c, h), max(c, h)) for c, h in enumerate(tree.heads, 1) if h != NO_HEAD]
    return any(a < c < b < d for a, b in edges for c, d in edges)


TABLES = ("weights_", "votes_", "label_weights_")


def facts(parser: MstParser) -> dict[str, Any]:
    params = {k: v for k, v in parser.get_params().items() if v != float("inf")}
    return {
        "templates": features.VERSION,
        "params": params,
        "rels": list(parser.rels_),
        "crossing": bool(parser.crossing_),
        "columns": parser.columns_,
        "slots": parser.slots_,
        "scale": parser.scale_,
        "units": {name: quantise(getattr(parser, name))[1] for name in TABLES},
    }


def arrays(parser: MstParser, prefix: str = "parser.") -> dict[str, Array]:
    return {prefix + name.rstrip("_"): quantise(getattr(parser, name))[0] for name in TABLES}


def load_parser(model: ModelFolder, about: dict[str, Any], prefix: str = "parser.") -> MstParser:
    """The parser of these facts and arrays; ModelError where they do not fit each other or this version."""
    folder = ModelFolder(model.kind, about, model.arrays, model.where)
    templates = folder.fact("templates", int)
    if templates != features.VERSION:
        message = f"its feature templates are version {templates}, {features.VERSION} expected"
        raise ModelError(message, model.where, "train it again with this version of divproj")
    deprels = folder.fact("rels", list)
    if not deprels or not all(isinstance(rel, str) for rel in deprels):
        raise ModelError("'rels' is not a list of relations", model.where, REMEDY)
    parser = _new_parser(folder)
    parser.rels_ = tuple(deprels)
    parser.crossing_ = folder.fact("crossing", bool)
    parser.columns_, parser.slots_ = folder.fact("columns", int), folder.fact("slots", int)
    if min(parser.columns_, parser.slots_) < 0 or 16 * parser.columns_ + 4 * parser.slots_ > ROOM:
        message = f"{parser.columns_} further columns and {parser.slots_} codes an edge are not possible"
        raise ModelError(message, model.where, REMEDY)
    parser.scale_ = float(folder.fact("scale", (int, float)))
    if not 0 < parser.scale_ < 1e9:
        raise ModelError(f"'scale' is {parser.scale_}, a positive number expected", model.where, REMEDY)
    units = folder.fact("units", dict)
    shapes: dict[str, tuple[int, ...]] = {
        "weights_": (1 << parser.bits,),
        "votes_": (1 << VOTE_BITS, len(deprels)),
        "label_weights_": (1 << LABEL_BITS if len(deprels) > 2 else 1, len(deprels)),
    }
    for name, shape in shapes.items():
        unit = units.get(name)
        if not isinstance(unit, (int, float)) or not 0 < unit < 1e9:
            raise ModelError(f"the unit of '{name}' is {unit!r:.40}, a positive number expected", model.where, REMEDY)
        table = folder.array(prefix + name.rstrip("_"), "i", *shape)
        setattr(parser, name, table.astype(np.float32) * np.float32(unit))
    return parser


def _new_parser(model: ModelFolder) -> MstParser:
    """A parser with the parameters of a model, each of the type of its default."""
    params = ModelFolder(model.kind, model.fact("params", dict), where=model.where)
    for name, default in MstParser().get_params().items():
        if name in params.about:
            params.fact(name, (int, float) if isinstance(default, float) else type(default))
    try:
        parser = MstParser().set_params(**params.about)
        parser.check_params()
    except (ProjError, TypeError) as error:
        raise ModelError(f"'params': {error}", model.where, REMEDY) from None
    return parser


def calibrate_by_twin(
    parser: MstParser, seen: Sequence[ParserInput], trees: Sequence[DepTree], options: dict[str, Any]
) -> None:
    """Set the parser's scale by that of a smaller twin, judged on sentences that the twin did not learn from.

    Scores grow with the sentences learned from; so the twin's scale is corrected by how far apart heads are scored by each.
    """
    some = min(len(seen), 1000)
    held = [k for k in range(some) if k % 5 == 4]
    rest = [k for k in range(some) if k % 5 != 4]
    if len(held) < 3:
        return
    twin = MstParser(**{**options, "labels": False, "decoder": "nonproj" if parser.crossing_ else "proj", "epochs": 5})
    twin.fit([seen[k] for k in rest], [trees[k] for k in rest])
    tested = [seen[k] for k in held]
    twin.calibrate(tested, [trees[k] for k in held])
    parser.scale_ = twin.scale_ * _spread(twin, tested) / max(_spread(parser, tested), 1e-9)


def _spread(parser: MstParser, seen: Sequence[ParserInput]) -> float:
    """Mean deviation of the scores of a word's heads."""
    return float(np.mean([scores[:, 1:].std(axis=0).mean() for scores in parser.edge_scores(seen)]))
