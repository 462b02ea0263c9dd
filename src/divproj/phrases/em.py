"""Feature-enhanced EM (Berg-Kirkpatrick et al. 2010) in mini-batches (Liang & Klein 2009), Viterbi or soft.

`train` repeats two steps: `expect` aligns the pairs with the present weights and counts events (which phrase went with
which, which were left alone); `maximise` or AdaGrad then moves the weights towards these counts.

The kernel `event_objective` has the events of many pairs end to end. Pair k has a block of (n+1)·(m+1) cells from
cell_at[k]; its kinds of phrases have counts from src_at[k] and tgt_at[k]. `events` are the observed counts: ⟨u,v⟩ and ⟨u,∅⟩
in the context u, ⟨∅,v⟩ in the context v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError
from divproj.phrases.beam_search import refine
from divproj.phrases.model import FIXED, NORMS, FeatureTable, LocalModel
from divproj.phrases.problem import (
    Costs,
    Floats,
    PhraseSet,
    PreparedPair,
    fill,
    posteriors,
    problem,
    read_off,
    with_tree_weights,
)
from divproj.runtime.jit import kernel

STALLED = 1e-4
"""Relative gain of an epoch below which it counts as none."""


BLOCKS = "i8[::1], i8[::1], i8[::1], u1[::1], i4[::1], i4[::1], f8[::1], f8[::1], f8[::1]"


@kernel("f8(f8[::1], u1, i4, i4, i8)")
def potential(weights, flags, category, lexical, fixed):  # type: ignore[no-untyped-def]
    """w·F of one cell; `lexical` is the number of its family 1 feature, -1 for none."""
    total = weights[category]
    for bit in range(6):
        if flags >> bit & 1:
            total += weights[bit]
    if lexical >= 0:
        total += weights[fixed + lexical]
    return total


@kernel("void(f8[::1], u1, i4, i4, i8, f8)")
def spread(gradient, flags, category, lexical, fixed, amount):  # type: ignore[no-untyped-def]
    """Add `amount` to the derivative by every weight of a cell."""
    gradient[category] += amount
    for bit in range(6):
        if flags >> bit & 1:
            gradient[bit] += amount
    if lexical >= 0:
        gradient[fixed + lexical] += amount


@kernel(f"f8(f8[::1], {BLOCKS}, i8, i8, f8[::1])")
def event_objective(weights, cell_at, src_at, tgt_at, flags, category, lexical, count_s, count_t, events, norm, fixed, gradient):  # type: ignore[no-untyped-def]  # fmt: skip
    """Σ c·log Pr(outcome | context), its derivative added to `gradient`.

    log Pr(u,v) = w·F(u,v) - log Z(u),  Z(u) = Σ_v' exp w·F(u,v') + exp w·F(u,∅). Norm 0, literal: Pr(∅,v) is normalised over
    all v'; 1, mirrored: over all u' and ∅; 2, symmetric: so too, and every pair is an event of its target's context as well.
    """
    total = 0.0
    for k in range(len(cell_at) - 1):
        n, m = src_at[k + 1] - src_at[k], tgt_at[k + 1] - tgt_at[k]
        at, s0, t0 = cell_at[k], src_at[k], tgt_at[k]
        width = m + 1
        L = np.empty((n + 1, width))
        for i in range(n + 1):
            for j in range(width):
                c = at + i * width + j
                L[i, j] = potential(weights, flags[c], category[c], lexical[c], fixed)
        residual = np.zeros((n + 1, width))
        for i in range(n):
            mass = 0.0
            for j in range(width):
                mass += events[at + i * width + j]
            if mass <= 0.0:
                continue
            top = np.max(L[i])
            Z = np.exp(L[i, m] - top)
            for j in range(m):
                Z += count_t[t0 + j] * np.exp(L[i, j] - top)
            log_Z = top + np.log(Z)
            for j in range(width):
                seen = events[at + i * width + j]
                total += seen * (L[i, j] - log_Z)
                share = np.exp(L[i, j] - log_Z)
                residual[i, j] = seen - mass * (share if j == m else share * count_t[t0 + j])
        if norm > 0:
            for j in range(m):
                alone = events[at + n * width + j]
                mass = alone
                if norm == 2:
                    for i in range(n):
                        mass += events[at + i * width + j]
                if mass <= 0.0:
                    continue
                top = np.max(L[:, j])
                Z = np.exp(L[n, j] - top)
                for i in range(n):
                    Z += count_s[s0 + i] * np.exp(L[i, j] - top)
                log_Z = top + np.log(Z)
                total += alone * (L[n, j] - log_Z)
                residual[n, j] += alone - mass * np.exp(L[n, j] - log_Z)
                for i in range(n):
                    seen = events[at + i * width + j] if norm == 2 else 0.0
                    total += seen * (L[i, j] - log_Z)
                    residual[i, j] += seen - mass * count_s[s0 + i] * np.exp(L[i, j] - log_Z)
        else:
            mass = 0.0
            for j in range(m):
                mass += events[at + n * width + j]
            if mass > 0.0:
                top = np.max(L[n, :m])
                Z = 0.0
                for j in range(m):
                    Z += count_t[t0 + j] * np.exp(L[n, j] - top)
                log_Z = top + np.log(Z)
                for j in range(m):
                    seen = events[at + n * width + j]
                    total += seen * (L[n, j] - log_Z)
                    residual[n, j] += seen - mass * count_t[t0 + j] * np.exp(L[n, j] - log_Z)
        for i in range(n + 1):
            for j in range(width):
                if residual[i, j] != 0.0:
                    c = at + i * width + j
                    spread(gradient, flags[c], category[c], lexical[c], fixed, residual[i, j])
    return total


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
class EmState:
    """The state of a training, complete enough to resume it as if it had never stopped."""

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


Watch = Callable[[EmState], None]


@dataclass(frozen=True)
class EventBlock:
    """Tables of several pairs end to end with their events, the input of `objective`."""

    arrays: tuple[NDArray[Any], ...]
    used: NDArray[np.int64]
    """Weight numbers of the family 1 features that occur; the M-step moves only these and the fixed ones."""

    @property
    def numbers(self) -> NDArray[np.int64]:
        return np.concatenate((np.arange(FIXED), self.used))


def block(tables: Sequence[FeatureTable], events: Sequence[Floats], model: LocalModel) -> EventBlock:
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
    return EventBlock(arrays, FIXED + used[gone:].astype(np.int64))


def objective(weights: Floats, data: EventBlock, kappa: float, norm: int) -> tuple[float, Floats]:
    """Σ c·log Pr − κ‖w‖² and its gradient; `weights` are those of `data.numbers`."""
    gradient = np.zeros(len(weights))
    run: Callable[..., float] = event_objective.compiled
    value = run(weights, *data.arrays, norm, FIXED, gradient)
    return float(value - kappa * (weights @ weights)), gradient - 2 * kappa * weights


def maximise(weights: Floats, data: EventBlock, kappa: float, norm: int, steps: int) -> Floats:
    """Better weights by L-BFGS, never worse ones."""
    from scipy.optimize import fmin_l_bfgs_b

    def negative_objective(w: Floats) -> tuple[float, Floats]:
        value, gradient = objective(w, data, kappa, norm)
        return -value, -gradient

    before = negative_objective(weights)[0]
    best, after, _ = fmin_l_bfgs_b(negative_objective, weights, maxiter=steps)
    return np.asarray(best) if after < before else weights


def events_of(prepared: PreparedPair, phrase_set: PhraseSet) -> Floats:
    """Counts of a set: its pairs, and what hangs off alone."""
    s, t = prepared.src.kinds, prepared.tgt.kinds
    counts = np.zeros(prepared.table.flags.shape)
    pairs = np.array(phrase_set.pairs).reshape(-1, 2)
    np.add.at(counts, (s.of_node[pairs[:, 0]], t.of_node[pairs[:, 1]]), 1.0)
    np.add.at(counts[:, -1], s.of_node[[x for x, _ in phrase_set.null_s]], 1.0)
    np.add.at(counts[-1], t.of_node[[x for x, _ in phrase_set.null_t]], 1.0)
    return counts


def expect(prepared: PreparedPair, model: LocalModel, costs: Costs, training: Training) -> tuple[float, Floats] | None:
    """Score and events of one pair; None when its root pair cannot be reached."""
    given = problem(prepared, model.log_probs(prepared.table), costs)
    s, t = prepared.src.kinds, prepared.tgt.kinds
    if training.kind == "soft":
        sums = posteriors(with_tree_weights(prepared, given))
        if sums is None:
            return None
        counts = np.zeros(prepared.table.flags.shape)
        by_row = np.zeros((len(s), len(t.of_node)))
        np.add.at(by_row, s.of_node, sums.pair)
        np.add.at(counts[:-1, :-1].T, t.of_node, by_row.T)
        counts[:-1, -1] = np.bincount(s.of_node, sums.null_s, len(s))
        counts[-1, :-1] = np.bincount(t.of_node, sums.null_t, len(t))
        return sums.log_sum, counts
    filled = fill(given)
    if not filled.reachable:
        return None
    phrase_set = read_off(filled)
    if training.noncomp:
        phrase_set = refine(given, phrase_set, both=False, kicks=0)
    return phrase_set.score, events_of(prepared, phrase_set)


def train(pairs: Sequence[PreparedPair], model: LocalModel, costs: Costs, training: Training, seed: int, watch: Watch | None = None, state: EmState | None = None) -> EmState:  # fmt: skip
    """Weights after EM; `model.weights` follows. With a `state` from before, training goes on from there.

    Departs: each M-step moves only the weights that occur in its mini-batch, so that ‖w‖² does not shrink rare ones.
    """
    state = state or EmState(model.weights.copy(), np.zeros(len(model.weights)))
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
        state.finished = _has_no_gain(state.history, training.patience)
        if watch:
            watch(state)
    state.finished = True
    return state


def update(
    pairs: Sequence[PreparedPair], model: LocalModel, costs: Costs, training: Training, state: EmState, whole: bool
) -> None:
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


def _has_no_gain(history: list[float], patience: int) -> bool:
    if len(history) <= patience:
        return False
    before = max(history[:-patience])
    return all(x <= before + STALLED * abs(before) for x in history[-patience:])
