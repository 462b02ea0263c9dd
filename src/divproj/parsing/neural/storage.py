"""The network as facts and arrays: weights in one byte each with a unit per row, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError
from divproj.parsing.neural import words
from divproj.parsing.neural.network import Bytes, Floats, Inputs, Layer, Network, Reals, Table, Tags
from divproj.runtime.modelfile import REMEDY, Array, Model
from divproj.runtime.vectors import WordVectors

PREFIX = "net."
FORMAT = 1
"""Version of what the network computes and of the names of its arrays."""
MOST_LAYERS, WIDEST = 6, 4096
"""Bounds on what a file can ask for."""


def rounded(weights: NDArray[Any]) -> tuple[Bytes, Floats]:
    """Rows in one byte a number, and the size of one in each row.

    >>> rows, units = rounded(np.array([[1.0, -0.5], [0.0, 0.0]]))
    >>> rows.tolist(), units.tolist()
    ([[127, -64], [0, 0]], [0.00787..., ...])
    """
    flat = np.asarray(weights, np.float64).reshape(len(weights), -1)
    units = np.maximum(np.abs(flat).max(1), 1e-9) / 127
    rows = np.clip(np.rint(flat / units[:, None]), -127, 127).astype(np.int8)
    return rows.reshape(np.shape(weights)), units.astype(np.float32)


def arrays(weights: Mapping[str, NDArray[Any]]) -> dict[str, Array]:
    """Arrays of a model: matrices rounded, what has one dimension as it is. Names are those that `network` asks for."""
    made: dict[str, Array] = {}
    for name, weight in weights.items():
        if weight.ndim < 2:
            made[PREFIX + name] = weight.astype(np.float32)
        else:
            made[PREFIX + name], made[f"{PREFIX}{name}.units"] = rounded(weight)
    return made


def network(model: Model) -> Network:
    """The network of a model; ModelError where its parts do not fit each other or this version."""
    about = Model(model.kind, model.fact("network", dict), model.arrays, model.where)
    if (version := about.fact("format", int)) != FORMAT:
        remedy = "train it again with this version of divproj"
        raise ModelError(f"its network is of version {version}, {FORMAT} expected", model.where, remedy)
    sizes = {name: about.fact(name, int) for name in ("layers", "width", "small", "fed", "arc", "rel")}
    if sizes["layers"] < 2 or sizes["layers"] > MOST_LAYERS or not all(0 < size <= WIDEST for size in sizes.values()):
        raise ModelError(f"a network with {sizes} is not possible", model.where, REMEDY)
    names = {name: _names(about, name) for name in ("upos", "xpos", "rels")}
    if "root" not in names["rels"]:
        raise ModelError("'rels' has no relation 'root'", model.where, REMEDY)
    vectors = WordVectors.of(model)
    width, small, arc, rel = sizes["width"], sizes["small"], sizes["arc"], sizes["rel"]
    trained = _text(about, PREFIX + "trained.words")
    inputs = Inputs(
        vectors,
        _plain(about, "no_vector", vectors.size).astype(np.float32),
        _table(about, "trained", len(trained) + 1, small),
        {word: k + 1 for k, word in enumerate(trained)},
        _table(about, "affixes", words.AFFIX_ROWS, small),
        _table(about, "grams", words.GRAM_ROWS, small),
    )
    into = [vectors.size + 3 * small, 2 * width + 2 * sizes["fed"]] + [2 * width] * (sizes["layers"] - 2)
    return Network(
        inputs,
        tuple(_layer(about, k, size, width) for k, size in enumerate(into)),
        _tags(about, "upos", names["upos"], width, sizes["fed"]),
        _tags(about, "xpos", names["xpos"], width, sizes["fed"]),
        _turned(about, "words.weight", 2 * (arc + rel), 2 * width),
        _plain(about, "words.bias", 2 * (arc + rel)),
        _plain(about, "root", arc + rel),
        _matrix(about, "arc", arc + 1, arc),
        _relations(about, len(names["rels"]), rel + 1),
        names["rels"],
    )


def _names(about: Model, name: str) -> tuple[str, ...]:
    found = about.fact(name, list)
    if not found or not all(isinstance(tag, str) for tag in found):
        raise ModelError(f"'{name}' is not a list of names", about.where, REMEDY)
    return tuple(found)


def _text(about: Model, name: str) -> list[str]:
    letters = about.array(name, "u", None)
    try:
        return letters.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ModelError(f"array '{name}' is no text in UTF-8", about.where, REMEDY) from None


def _table(about: Model, name: str, rows: int, columns: int) -> Table:
    found = about.array(PREFIX + name, "i", rows, columns)
    if found.dtype != np.int8:
        raise ModelError(f"array '{PREFIX}{name}' is of type {found.dtype}, int8 expected", about.where, REMEDY)
    return Table(found, about.array(f"{PREFIX}{name}.units", "f", rows).astype(np.float32))


def _matrix(about: Model, name: str, *shape: int) -> Reals:
    """A matrix of full numbers from one of small ones; a unit belongs to all that has the first index."""
    rows = about.array(PREFIX + name, "i", *shape)
    units = about.array(f"{PREFIX}{name}.units", "f", shape[0])
    return np.ascontiguousarray(rows * units.astype(np.float64).reshape(-1, *[1] * (len(shape) - 1)), dtype=np.float64)


def _turned(about: Model, name: str, rows: int, columns: int) -> Reals:
    return np.ascontiguousarray(_matrix(about, name, rows, columns).T)


def _relations(about: Model, names: int, size: int) -> Floats:
    turned = _matrix(about, "rel", names, size, size).transpose(1, 0, 2).reshape(size, -1)
    return np.ascontiguousarray(turned, dtype=np.float32)


def _plain(about: Model, name: str, size: int) -> Reals:
    return np.ascontiguousarray(about.array(PREFIX + name, "f", size), dtype=np.float64)


def _tags(about: Model, name: str, names: tuple[str, ...], width: int, fed: int) -> Tags:
    return Tags(
        names,
        _turned(about, f"{name}.weight", len(names), 2 * width).astype(np.float32),
        _plain(about, f"{name}.bias", len(names)).astype(np.float32),
        _turned(about, f"{name}_fed.weight", fed, len(names)).astype(np.float32),
    )


def _layer(about: Model, number: int, inputs: int, width: int) -> Layer:
    """Files have the gates input, forget, cell, output, as torch does."""
    into, back, bias = [], [], []
    for way in ("", "_reverse"):
        ends = (f"lstms.{number}.", f"_l0{way}")
        into.append(_gates(_matrix(about, f"{ends[0]}weight_ih{ends[1]}", 4 * width, inputs)).T)
        back.append(_gates(_matrix(about, f"{ends[0]}weight_hh{ends[1]}", 4 * width, width)).T)
        bias.append(_gates(_plain(about, f"{ends[0]}bias{ends[1]}", 4 * width)))
    made = (np.concatenate(into, 1), np.stack(back), np.concatenate(bias))
    return Layer(*(np.ascontiguousarray(weights, dtype=np.float32) for weights in made))


def _gates(rows: Reals) -> Reals:
    enter, keep, new, show = np.split(rows, 4)
    return np.concatenate([enter / 2, keep / 2, show / 2, new])
