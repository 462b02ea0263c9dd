"""The tagger's weights: sparse rows in memory, a few small arrays on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.parsing import tagger_kernel as kernel
from divproj.parsing.tagger_atoms import Integers

FULL = 4
"""Rows that have a weight for one in so many tags are kept full in memory."""
KEEP = 800_000
"""Weights that a tagger keeps, the largest ones."""
PARTS = ("scale", "keys", "sizes", "columns", "levels", "triple_places", "triple_levels", "words", "classes")
KINDS = ("f4", "u4", "u2", "u2", "i1", "u4", "i1", "u4", "u2")

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Weights:
    """What was learned: row r of the features is `columns`/`values[starts[r] : starts[r + 1]]`, for the key `keys[r]`."""

    keys: Integers
    starts: NDArray[np.int32]
    columns: NDArray[np.uint16]
    values: Floats
    triple: Floats

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
        return key_table(self.keys)


def key_table(keys: Integers) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Open addressing, at most half full."""
    size = 2 << max(1, len(keys)).bit_length()
    slots, owners = np.zeros(size, np.uint32), np.zeros(size, np.int32)
    kernel.fill_table.for_work(len(keys))(keys, slots, owners)
    return slots, owners


def thin(keys: Integers, mean: Floats, triple: Floats) -> Weights:
    """The `KEEP` largest weights of a full matrix, rounded as a saved tagger has them: loading changes nothing."""
    size = np.abs(mean)
    least = np.partition(size.ravel(), -KEEP)[-KEEP] if size.size > KEEP else 0.0
    row, column = np.nonzero(size > least)
    used, place = np.unique(row, return_inverse=True)
    starts = np.searchsorted(place, np.arange(len(used) + 1)).astype(np.int32)
    weights = Weights(keys[used], starts, column.astype(np.uint16), mean[row, column], triple)
    return unpack(pack(weights, {}), triple.shape[2])[0]


def pack(weights: Weights, classes: Mapping[int, int]) -> dict[str, NDArray[Any]]:
    """Small arrays for the weights; those that round to 0 are left out."""
    scale = max(float(np.abs(weights.values).max(initial=0.0)), float(np.abs(weights.triple).max(initial=0.0)), 1e-9)
    levels, triple = to_levels(weights.values, scale), to_levels(weights.triple.ravel(), scale)
    places, used = np.flatnonzero(triple), levels != 0
    row = np.repeat(np.arange(len(weights.keys)), np.diff(weights.starts))
    sizes = np.bincount(row[used], minlength=len(weights.keys))
    words = sorted(classes)
    return {
        "scale": np.array([scale], np.float32),
        "keys": np.diff(weights.keys, prepend=0).astype(np.uint32),
        "sizes": sizes.astype(np.uint16),
        "columns": weights.columns[used],
        "levels": levels[used],
        "triple_places": np.diff(places, prepend=0).astype(np.uint32),
        "triple_levels": triple[places],
        "words": np.diff(np.array(words, np.int64), prepend=0).astype(np.uint32),
        "classes": np.array([classes[word] for word in words], np.uint16),
    }


def to_levels(values: Floats, scale: float) -> NDArray[np.int8]:
    """-127 … 127, finer near 0: the square root of the share of `scale`."""
    levels: NDArray[np.int8] = np.rint(np.sign(values) * np.sqrt(np.abs(values) / scale) * 127).astype(np.int8)
    return levels


def from_levels(levels: NDArray[np.int8], scale: float) -> Floats:
    shares = levels.astype(np.float32) / 127
    return (np.sign(shares) * shares * shares * scale).astype(np.float32)


def unpack(arrays: Mapping[str, NDArray[Any]], tags: int) -> tuple[Weights, dict[int, int]]:
    """The inverse of `pack`; ValueError when the arrays do not fit together."""
    part = {name: arrays[name] for name in PARTS}
    wrong = [name for name, kind in zip(PARTS, KINDS, strict=True) if part[name].ndim != 1 or part[name].dtype != kind]
    if wrong:
        raise ValueError(f"'{wrong[0]}' is of type {part[wrong[0]].dtype} and shape {part[wrong[0]].shape}")
    scale = float(part["scale"][0])
    keys, places, words = (np.cumsum(part[name], dtype=np.int64) for name in ("keys", "triple_places", "words"))
    columns = part["columns"].astype(np.uint16)
    sizes = (len(keys), len(columns), len(places), len(words))
    if not np.isfinite(scale) or sizes != (
        len(part["sizes"]),
        len(part["levels"]),
        len(part["triple_levels"]),
        len(part["classes"]),
    ):
        raise ValueError("arrays of unequal length, or a scale that is no number")
    if part["sizes"].sum(dtype=np.int64) != len(columns) or (len(columns) and columns.max() >= tags):
        raise ValueError("features or tags out of range")
    triple = np.zeros((tags + 1) * (tags + 1) * tags, np.float32)
    triple[places] = from_levels(part["triple_levels"], scale)
    weights = Weights(
        keys,
        *with_full_rows(part["sizes"], columns, from_levels(part["levels"], scale), tags),
        triple.reshape(tags + 1, tags + 1, tags),
    )
    return weights, dict(zip(words.tolist(), part["classes"].tolist(), strict=True))


def with_full_rows(
    sizes: NDArray[np.uint16], columns: NDArray[np.uint16], values: Floats, tags: int
) -> tuple[NDArray[np.int32], NDArray[np.uint16], Floats]:
    """Starts, columns and values with zeros put into rows of many weights: a full row is added faster."""
    sizes = sizes.astype(np.int64)
    full = (sizes * FULL >= tags) & (sizes < tags)
    row = np.repeat(np.arange(len(sizes)), sizes)
    new_sizes = np.where(full, tags, sizes)
    starts = np.concatenate(([0], np.cumsum(new_sizes)))
    old_starts = np.cumsum(sizes) - sizes
    place = starts[row] + np.where(full[row], columns, np.arange(len(row)) - old_starts[row])
    new_columns, new_values = np.zeros(starts[-1], np.uint16), np.zeros(starts[-1], np.float32)
    new_columns[(starts[:-1][full, None] + np.arange(tags)).ravel()] = np.tile(np.arange(tags), int(full.sum()))
    new_columns[place], new_values[place] = columns, values
    return starts.astype(np.int32), new_columns, new_values
