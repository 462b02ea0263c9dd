"""Feature-enhanced EM (Berg-Kirkpatrick et al. 2010) in mini-batches (Liang & Klein 2009), Viterbi or soft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError
from divproj.phrases import likelihood
from divproj.phrases.features import FIXED, Table
from divproj.phrases.model import NORMS, LocalModel
from divproj.phrases.problem import Floats, PhraseSet, fill, posteriors, read_off
from divproj.phrases.refine import refine
from divproj.phrases.scoring import Costs, Prepared, problem, summed
from divproj.phrases.settings import STALLED

KINDS = ("viterbi", "soft")
OPTIMISERS = ("lbfgs", "adagrad")


@dataclass(frozen=True)
class Training:
    """How to train."""

    kind: str = "viterbi"
    """`viterbi`: events of the best set; `soft`: expected events under all sets."""
    epochs: int = 6
    batch: int = 200
    optimiser: str = "lbfgs"
    steps: int = 10
    """Most L-BFGS iterations of one M-step."""
    rate: float = 0.1
    """Step size of AdaGrad."""
    kappa: float = 1.0
    """Weight of ‖w‖²."""
    noncomp: bool = False
    """Whether the E-step looks for non-compositional sets too (Viterbi only)."""
    patience: int = 2
    """Epochs without gain after which training ends."""

    def __post_init__(self) -> None:
        for name, value, known in (("kind", self.kind, KINDS), ("optimiser", self.optimiser, OPTIMISERS)):
            if value not in known:
                raise ModelError(f"no {name} '{value}'", remedy=f"choose one of {', '.join(known)}")
        if self.epochs < 0 or self.batch < 1:
            raise ModelError("epochs cannot be negative, and a batch has at least one pair")


@dataclass
class State:
    """Where training stands; enough to go on as if it had never stopped."""

    weights: Floats
    squares: Floats
    """Sums of squared gradients, for AdaGrad."""
    epoch: int = 0
    batch: int = 0
    updates: int = 0
    running: list[float] = field(default_factory=lambda: [0.0, 0.0])
    """Objective and pairs reached in the epoch so far."""
    history: list[float] = field(default_factory=list)
    """Mean objective of a reachable pair in each epoch done."""
    finished: bool = False


Watch = Callable[[State], None]


@dataclass(frozen=True)
class Block:
    """Tables of several pairs end to end with their events, as `likelihood.objective` wants them."""

    arrays: tuple[NDArray[Any], ...]
    used: NDArray[np.int64]
    """Weight numbers of the family 1 features that occur; the M-step moves only these and the fixed ones."""

    @property
    def numbers(self) -> NDArray[np.int64]:
        return np.concatenate((np.arange(FIXED), self.used))


def block(tables: Sequence[Table], events: Sequence[Floats], model: LocalModel) -> Block:
    lexical = [model.lexical(table).ravel() for table in tables]
    flat = np.concatenate(lexical)
    used, place = np.unique(flat, return_inverse=True)
    gone = int(len(used) > 0 and used[0] < 0)
    at = [np.cumsum([0, *sizes]).astype(np.int64) for sizes in ([x.flags.size for x in tables], [len(x.src) for x in tables], [len(x.tgt) for x in tables])]  # fmt: skip
    arrays = (
        *at,
        np.concatenate([x.flags.ravel() for x in tables]),
        np.concatenate([x.category.ravel() for x in tables]),
        (place - gone).astype(np.int32),
        np.concatenate([x.src.count for x in tables]),
        np.concatenate([x.tgt.count for x in tables]),
        np.concatenate([x.ravel() for x in events]),
    )
    return Block(arrays, FIXED + used[gone:].astype(np.int64))


def objective(weights: Floats, data: Block, kappa: float, norm: int) -> tuple[float, Floats]:
    """Σ c·log Pr − κ‖w‖² and its gradient; `weights` are those of `data.numbers`."""
    gradient = np.zeros(len(weights))
    run: Callable[..., float] = likelihood.objective.compiled
    value = run(weights, *data.arrays, norm, FIXED, gradient)
    return float(value - kappa * (weights @ weights)), gradient - 2 * kappa * weights


def maximise(weights: Floats, data: Block, kappa: float, norm: int, steps: int) -> Floats:
    """Better weights by L-BFGS, never worse ones."""
    from scipy.optimize import fmin_l_bfgs_b

    def turned(w: Floats) -> tuple[float, Floats]:
        value, gradient = objective(w, data, kappa, norm)
        return -value, -gradient

    before = turned(weights)[0]
    best, after, _ = fmin_l_bfgs_b(turned, weights, maxiter=steps)
    return np.asarray(best) if after < before else weights


def events_of(prepared: Prepared, found: PhraseSet) -> Floats:
    """Counts of a set: its pairs, and what hangs off alone."""
    s, t = prepared.src.kinds, prepared.tgt.kinds
    made = np.zeros(prepared.table.flags.shape)
    pairs = np.array(found.pairs).reshape(-1, 2)
    np.add.at(made, (s.of_node[pairs[:, 0]], t.of_node[pairs[:, 1]]), 1.0)
    np.add.at(made[:, -1], s.of_node[[x for x, _ in found.null_s]], 1.0)
    np.add.at(made[-1], t.of_node[[x for x, _ in found.null_t]], 1.0)
    return made


def expect(prepared: Prepared, model: LocalModel, costs: Costs, training: Training) -> tuple[float, Floats] | None:
    """Score and events of one pair; None when its root pair cannot be reached."""
    given = problem(prepared, model.log_probs(prepared.table), costs)
    s, t = prepared.src.kinds, prepared.tgt.kinds
    if training.kind == "soft":
        sums = posteriors(summed(prepared, given))
        if sums is None:
            return None
        made = np.zeros(prepared.table.flags.shape)
        by_row = np.zeros((len(s), len(t.of_node)))
        np.add.at(by_row, s.of_node, sums.pair)
        np.add.at(made[:-1, :-1].T, t.of_node, by_row.T)
        made[:-1, -1] = np.bincount(s.of_node, sums.null_s, len(s))
        made[-1, :-1] = np.bincount(t.of_node, sums.null_t, len(t))
        return sums.log_sum, made
    filled = fill(given)
    if not filled.reachable:
        return None
    found = read_off(filled)
    if training.noncomp:
        found = refine(given, found, both=False, kicks=0)
    return found.score, events_of(prepared, found)


def train(pairs: Sequence[Prepared], model: LocalModel, costs: Costs, training: Training, seed: int, watch: Watch | None = None, state: State | None = None) -> State:  # fmt: skip
    """Weights after EM; `model.weights` follows. With a `state` from before, training goes on from there.

    Departs: each M-step moves only the weights that occur in its mini-batch, so that rare ones are not worn away by ‖w‖².
    """
    state = state or State(model.weights.copy(), np.zeros(len(model.weights)))
    model.weights = state.weights
    costs = replace(costs, parse_share=0.0)  # parses are asked after EM (§5.4)
    batches = max(1, -(-len(pairs) // training.batch))
    while state.epoch < training.epochs and not state.finished:
        order = np.random.default_rng([seed, state.epoch]).permutation(len(pairs))
        while state.batch < batches:
            chosen = np.sort(order[state.batch * training.batch : (state.batch + 1) * training.batch])
            update([pairs[k] for k in chosen], model, costs, training, state, batches == 1)
            state.batch += 1
            if watch:
                watch(state)
        state.history.append(state.running[0] / max(1.0, state.running[1]))
        state.epoch, state.batch, state.running = state.epoch + 1, 0, [0.0, 0.0]
        state.finished = _stalled(state.history, training.patience)
        if watch:
            watch(state)
    state.finished = True
    return state


def update(pairs: Sequence[Prepared], model: LocalModel, costs: Costs, training: Training, state: State, whole: bool) -> None:
    """One E-step and M-step on a mini-batch; a batch that is the whole corpus takes the full step."""
    tables, events = [], []
    for prepared in pairs:
        seen = expect(prepared, model, costs, training)
        if seen is not None:
            tables.append(prepared.table)
            events.append(seen[1])
            state.running[0] += seen[0]
            state.running[1] += 1
    state.updates += 1
    if not tables:
        return
    data = block(tables, events, model)
    numbers, norm = data.numbers, NORMS.index(model.null_norm)
    now = state.weights[numbers]
    if training.optimiser == "lbfgs":
        step = 1.0 if whole else (state.updates + 1) ** -0.7
        state.weights[numbers] = (1 - step) * now + step * maximise(now, data, training.kappa, norm, training.steps)
    else:
        gradient = objective(now, data, training.kappa, norm)[1]
        state.squares[numbers] += gradient * gradient
        state.weights[numbers] = now + training.rate * gradient / np.sqrt(state.squares[numbers] + 1e-8)


def _stalled(history: list[float], patience: int) -> bool:
    if len(history) <= patience:
        return False
    before = max(history[:-patience])
    return all(x <= before + STALLED * abs(before) for x in history[-patience:])
