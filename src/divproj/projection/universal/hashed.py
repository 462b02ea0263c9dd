"""Log-linear models over hashed features: which of several candidates, or which of several classes.

A feature is a number from 0 to the size of the table; two features that fall on one number share their weight.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from divproj.runtime.jit import kernel

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def number(name: str) -> int:
    """A number for a name that is the same on every machine."""
    return zlib.crc32(name.encode("utf-8"))


def salted(salt: int) -> np.uint64:
    """Where the hash of a feature starts."""
    return np.uint64(salt * 2654435761 % (1 << 62) + 1)


def combined(columns: Sequence[Ints], salt: int, size: int) -> NDArray[np.int32]:
    """One feature for each row from the values of several columns; `size` is a power of two.

    >>> combined([np.array([1, 2, 1]), np.array([3, 3, 3])], 1, 1024).tolist()
    [660, 436, 660]
    """
    found = np.full(len(columns[0]), salted(salt), np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            found = (found ^ column.astype(np.uint64)) * _MIX
            found ^= found >> np.uint64(29)
    return (found % np.uint64(size)).astype(np.int32)


@kernel("f8(i4[:,::1], i8[::1], i8[::1], f8[::1], i8[::1], f4[::1], f4[::1], f8, f8)")
def learn_choice(index, starts, right, trust, order, weights, squares, rate, decay):  # type: ignore[no-untyped-def]
    """One pass of AdaGrad over questions: rows starts[q]…starts[q+1]-1 are candidates, right[q] is the right row."""
    total = 0.0
    width = index.shape[1]
    for k in range(len(order)):
        q = order[k]
        low, high = starts[q], starts[q + 1]
        scores = np.zeros(high - low)
        for r in range(low, high):
            s = 0.0
            for f in range(width):
                s += weights[index[r, f]]
            scores[r - low] = s
        top = scores.max()
        scores = np.exp(scores - top)
        scores /= scores.sum()
        total -= trust[q] * np.log(scores[right[q] - low] + 1e-12)
        for r in range(low, high):
            slope = trust[q] * (scores[r - low] - (1.0 if r == right[q] else 0.0))
            if slope > 1e-4 or slope < -1e-4:
                for f in range(width):
                    i = index[r, f]
                    g = slope + decay * weights[i]
                    squares[i] += g * g
                    weights[i] -= rate * g / np.sqrt(squares[i])
    return total


@kernel("f8(i4[:,::1], i8[::1], f8[::1], i8[::1], f4[:,::1], f4[:,::1], f8, f8)")
def learn_class(index, right, trust, order, weights, squares, rate, decay):  # type: ignore[no-untyped-def]
    """One pass of AdaGrad over rows whose class is right[row]; weights[feature, class]."""
    total = 0.0
    width, classes = index.shape[1], weights.shape[1]
    for k in range(len(order)):
        r = order[k]
        scores = np.zeros(classes)
        for f in range(width):
            for c in range(classes):
                scores[c] += weights[index[r, f], c]
        scores = np.exp(scores - scores.max())
        scores /= scores.sum()
        total -= trust[r] * np.log(scores[right[r]] + 1e-12)
        for c in range(classes):
            slope = trust[r] * (scores[c] - (1.0 if c == right[r] else 0.0))
            if slope > 1e-4 or slope < -1e-4:
                for f in range(width):
                    i = index[r, f]
                    g = slope + decay * weights[i, c]
                    squares[i, c] += g * g
                    weights[i, c] -= rate * g / np.sqrt(squares[i, c])
    return total


def fit_choice(
    index: NDArray[np.int32], starts: Ints, right: Ints, trust: Floats, size: int,
    *, passes: int = 6, rate: float = 0.15, decay: float = 1e-3, seed: int = 1,
) -> NDArray[np.float32]:  # fmt: skip
    """Weights of features; the mean of the last half of the passes."""
    weights, squares = np.zeros(size, np.float32), np.full(size, 1.0, np.float32)
    mean, chance = np.zeros(size), np.random.default_rng(seed)
    for k in range(passes):
        order = chance.permutation(len(right))
        learn_choice.for_work(len(index))(index, starts, right, trust, order, weights, squares, rate, decay)
        if k >= passes // 2:
            mean += weights
    return (mean / (passes - passes // 2)).astype(np.float32)


def fit_class(
    index: NDArray[np.int32], right: Ints, trust: Floats, size: int, classes: int,
    *, passes: int = 8, rate: float = 0.15, decay: float = 1e-3, seed: int = 1,
) -> NDArray[np.float32]:  # fmt: skip
    """Weights of features for every class; the mean of the last half of the passes."""
    weights, squares = np.zeros((size, classes), np.float32), np.full((size, classes), 1.0, np.float32)
    mean, chance = np.zeros((size, classes)), np.random.default_rng(seed)
    for k in range(passes):
        order = chance.permutation(len(right))
        learn_class.for_work(len(index))(index, right, trust, order, weights, squares, rate, decay)
        if k >= passes // 2:
            mean += weights
    return (mean / (passes - passes // 2)).astype(np.float32)


@kernel("void(i4[:,::1], f4[:,::1], f8[:,::1])")
def class_scores(index, weights, scores):  # type: ignore[no-untyped-def]
    """scores[row, class]: the sum of the weights of its features, in their order."""
    width, classes = index.shape[1], weights.shape[1]
    for r in range(len(index)):
        for f in range(width):
            i = index[r, f]
            for c in range(classes):
                scores[r, c] += weights[i, c]


@kernel("void(i8[:,::1], i8[::1], i8[::1], u8[::1], f4[::1], f8[::1])")
def choice_scores(columns, ends, places, salts, weights, scores):  # type: ignore[no-untyped-def]
    """scores[row]: the sum of the weights of its features, made of columns as `combined` makes them; `weights` is a power of two long.

    Feature k has the columns places[ends[k-1]] … places[ends[k]-1] of `columns` [column, row] and salts[k]. Rows go in blocks that stay
    in the cache.
    """
    mix, shift, mask = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(len(weights) - 1)
    rows = columns.shape[1]
    found = np.empty(512, np.uint64)
    for low in range(0, rows, 512):
        many = min(512, rows - low)
        begin = 0
        for k in range(len(salts)):
            for r in range(many):
                found[r] = salts[k]
            for p in range(begin, ends[k]):
                column = columns[places[p], low : low + many]
                for r in range(many):
                    x = (found[r] ^ np.uint64(column[r])) * mix
                    found[r] = x ^ (x >> shift)
            begin = ends[k]
            for r in range(many):
                scores[low + r] += weights[found[r] & mask]


def class_chances(index: NDArray[np.int32], weights: NDArray[np.float32], work: int = 0) -> Floats:
    """[row, class] probabilities; `work` rows in all are to be judged."""
    scores = np.zeros((len(index), weights.shape[1]))
    run = class_scores.for_work(work)
    if run is not class_scores.plain:
        run(index, weights, scores)
    else:
        for f in range(index.shape[1]):
            scores += weights[index[:, f]]
    scores = np.exp(scores - scores.max(1, keepdims=True))
    found: Floats = scores / scores.sum(1, keepdims=True)
    return found


def choice_chances(index: NDArray[np.int32], starts: Ints, weights: NDArray[np.float32]) -> Floats:
    """Probability of each row among the candidates of its question."""
    scores = np.zeros(len(index))
    for f in range(index.shape[1]):
        scores += weights[index[:, f]]
    return among(scores, starts)


def among(scores: Floats, starts: Ints) -> Floats:
    """Probability of each row among the candidates of its question, from log weights."""
    if not len(scores):
        return np.zeros(0)
    sizes = np.diff(starts)
    odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts[:-1]), sizes))
    found: Floats = odds / np.repeat(np.add.reduceat(odds, starts[:-1]), sizes)
    return found
