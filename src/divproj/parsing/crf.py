"""The conditional random field over trees: each edge moves by its gold count minus its probability (AdaGrad, L2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.parsing import marginals
from divproj.parsing.atoms import Batch, Ints
from divproj.parsing.features import BETWEEN, PER_EDGE, edge_ids, edge_scores, tags_between
from divproj.parsing.settings import CRF_RATE
from divproj.runtime.jit import kernel

NEGLIGIBLE = 1e-3
"""Gradient of an edge below which its features are not updated."""


@kernel("void(f4[::1], f4[::1], f8[::1], f8, i8[:,::1], i8[:,::1], i4[::1], i8, f8[:,::1], f8, f8)")
def step(weights, squares, later, number, atoms, more, codes, slots, gradient, rate, l2):  # type: ignore[no-untyped-def]
    """Move the weights along gradient[h, c] (gold − probability) of each edge."""
    n1 = len(atoms)
    mask = len(weights) - 1
    ids = np.empty(PER_EDGE, np.int64)
    between = np.empty(BETWEEN, np.int64)
    for h in range(n1):
        for c in range(1, n1):
            g = gradient[h, c]
            if h == c or abs(g) < NEGLIGIBLE:
                continue
            betweens = tags_between(atoms, min(h, c), max(h, c), between)
            for k in range(edge_ids(atoms, more, codes, slots, h, c, between, betweens, mask, ids)):
                place = ids[k]
                slope = g - l2 * weights[place]
                squares[place] += slope * slope
                change = rate * slope / (np.sqrt(squares[place]) + 1e-6)
                weights[place] += change
                later[place] += number * change


def epoch(
    weights: NDArray[np.float32],
    squares: NDArray[np.float32],
    later: NDArray[np.float64],
    state: NDArray[np.float64],
    order: Ints,
    batch: Batch,
    heads: Ints,
    *,
    crossing: bool,
    l2: float,
) -> None:
    """One pass; `state` as in `learn.epoch`. First order: siblings have no part in the sums."""
    score, move = edge_scores.compiled, step.compiled
    sums: Any = marginals.nonprojective if crossing else marginals.projective.compiled
    for s in order:
        own = slice(batch.first[s], batch.first[s + 1])
        n1 = own.stop - own.start
        state[0] += 1
        if n1 < 2:
            continue
        scores, chances = np.zeros((n1, n1)), np.zeros((n1, n1))
        sentence = batch.atoms[own], batch.more[own], batch.codes_of(int(s)), batch.slots
        score(weights, *sentence, scores)
        sums(scores, chances)
        gold = heads[own]
        gradient = -chances
        for c in range(1, n1):
            if gold[c] < 0:
                gradient[:, c] = 0.0
            else:
                gradient[gold[c], c] += 1.0
                state[1] += 1.0 - chances[gold[c], c]
                state[2] += 1
        move(weights, squares, later, state[0], *sentence, gradient, CRF_RATE, l2)
