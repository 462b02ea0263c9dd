"""The network of the gloss model, forward, in numpy: tags, heads and relations of all words of a sentence together.

Words are rows of small tables and their vectors; a BiLSTM reads them; tags come from it and go back in; an edge is scored by a
product of its two ends and by a small layer over both ends, the link code, the distance and what s5 says (Dozat & Manning 2017).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError, Where
from divproj.parsing.neural.network import Layer
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.given import GivenTags
from divproj.projection.universal.inputs import COLUMNS, EDGE, ORDER, RELS, SentenceInput

Singles = NDArray[np.float32]
Array = NDArray[Any]
SLOPE = 0.1
"""Of the leaky ReLU below 0."""
BATCH_EDGES = 20_000
"""Edges that go through at once."""
HIDDEN = -1e4
"""Score of a place that is not there: so low that nothing looks at it."""
VECTOR = 100
"""Numbers of a word vector."""
COLUMN, GRAM, KIND, GLOSS, LINKED, TEXT = 12, 32, 16, 32, 24, 16
"""Widths of the parts of a word's input."""
INPUT = COLUMN * len(COLUMNS) + GRAM + KIND + GLOSS + LINKED + TEXT
EDGE_WIDTH = 64


def shapes(width: int, grams: int, kinds: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of all arrays, as the training program has them; `width` is that of the LSTM in one direction."""
    state = 4 * width + len(UPOS)
    found: dict[str, tuple[int, ...]] = {f"columns.{name}": (size, COLUMN) for name, size in COLUMNS.items()}
    found |= {"grams": (grams + 2, GRAM), "kinds": (kinds + 2, KIND)}
    for name, into, out in (
        ("gloss", VECTOR, GLOSS),
        ("linked", VECTOR, LINKED),
        ("text", ORDER, TEXT),
        ("enter", INPUT, 2 * width),
    ):
        found |= {f"{name}.weight": (out, into), f"{name}.bias": (out,)}
    for way in ("", "_reverse"):
        found |= {f"lstm.weight_ih_l0{way}": (4 * width, 2 * width), f"lstm.weight_hh_l0{way}": (4 * width, width)}
        found |= {f"lstm.bias_ih_l0{way}": (4 * width,), f"lstm.bias_hh_l0{way}": (4 * width,)}
    found |= {"tag.weight": (len(UPOS), 4 * width), "tag.bias": (len(UPOS),), "root": (state,)}
    for name in ("child", "head", "edge_child", "edge_head", "rel_child", "rel_head"):
        found |= {f"{name}.weight": (EDGE_WIDTH, state), f"{name}.bias": (EDGE_WIDTH,)}
    found |= {"product": (EDGE_WIDTH + 1, EDGE_WIDTH), "said.weight": (EDGE_WIDTH, 1), "said.bias": (EDGE_WIDTH,)}
    found |= {
        "order.weight": (EDGE_WIDTH, ORDER),
        "order.bias": (EDGE_WIDTH,),
        "score.weight": (1, EDGE_WIDTH),
        "score.bias": (1,),
    }
    found |= {"straight.weight": (1, 1), "straight.bias": (1,), "rel.weight": (len(RELS), EDGE_WIDTH), "rel.bias": (len(RELS),)}
    for name, size in EDGE.items():
        found |= {f"edge.{name}": (size, EDGE_WIDTH), f"rel_edge.{name}": (size, EDGE_WIDTH)}
    return found


@dataclass(frozen=True)
class Reading:
    """What a network says of a sentence."""

    tags: Singles
    """Probabilities [word, tag]."""
    edges: Singles
    """Logarithms of probabilities [head, child], the root at place 0."""
    below: Singles
    above: Singles
    """What relations are scored with: words as dependents, and (the root first) as heads."""


@dataclass(frozen=True)
class Network:
    """Weights by name (`shapes`), and the LSTM made of them."""

    weights: Mapping[str, Singles]
    layer: Layer

    @classmethod
    def of(cls, weights: Mapping[str, Array], grams: int, kinds: int, where: Where | None = None) -> Network:
        """From arrays; ModelError where one is missing or has another shape."""
        first = weights.get("lstm.weight_hh_l0")
        width = first.shape[1] if first is not None and first.ndim == 2 else 0
        for name, shape in shapes(width, grams, kinds).items():
            if name not in weights or weights[name].shape != shape:
                found = weights[name].shape if name in weights else "missing"
                raise ModelError(
                    f"array '{name}' of the network is {found}, {shape} expected", where or Where(), "train it again"
                )
        own = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
        return cls(own, _layer(own))

    def read(self, sentences: Sequence[SentenceInput], text: Singles, given: Sequence[GivenTags | None] = ()) -> list[Reading]:
        """Readings in order; `given` is what the user says of their tags."""
        lengths: dict[int, list[int]] = {}
        for k, s in enumerate(sentences):
            lengths.setdefault(len(s), []).append(k)
        made: dict[int, Reading] = {}
        for length, places in lengths.items():
            each = max(1, BATCH_EDGES // (length * (length + 1) + 1))
            for start in range(0, len(places), each):
                part = places[start : start + each]
                tags = [given[k] if given else None for k in part]
                made.update(zip(part, self._batch([sentences[k] for k in part], text, tags), strict=True))
        return [made[k] for k in range(len(sentences))]

    def _batch(self, some: Sequence[SentenceInput], text: Singles, given: Sequence[GivenTags | None]) -> list[Reading]:
        size, n, w = len(some), len(some[0]), self.weights
        if not n:
            none = np.zeros((0, EDGE_WIDTH), np.float32)
            return [Reading(np.zeros((0, len(UPOS)), np.float32), np.zeros((1, 1), np.float32), none, none)] * size
        columns = np.stack([s.columns for s in some])
        parts = [w[f"columns.{name}"][columns[..., k]] for k, name in enumerate(COLUMNS)]
        parts += [w["grams"][np.stack([s.grams for s in some])].sum(2), w["kinds"][np.stack([s.kinds for s in some])].sum(2)]
        parts += [
            self._linear("gloss", np.stack([s.gloss for s in some])),
            self._linear("linked", np.stack([s.linked for s in some])),
        ]
        parts.append(np.broadcast_to(self._linear("text", text), (size, n, TEXT)))
        x = np.maximum(self._linear("enter", np.concatenate(parts, -1)), 0)
        y = self.layer.run(np.ascontiguousarray(x.transpose(1, 0, 2))).transpose(1, 0, 2)
        z = np.concatenate([x, y], -1)
        tags = _softmax(self._linear("tag", z))
        for k, own in enumerate(given):
            if own:
                tags[k] = own.applied(tags[k])
        z = np.concatenate([z, tags], -1)
        up = np.concatenate([np.broadcast_to(w["root"], (size, 1, z.shape[-1])), z], 1)
        scores = self._edges(some, text, z, up)
        below, above = self._linear("rel_child", z), self._linear("rel_head", up)
        logs = scores - scores.max(-1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(-1, keepdims=True))
        full = np.zeros((size, n + 1, n + 1), np.float32)
        full[:, :, 1:] = logs.transpose(0, 2, 1)
        return [Reading(tags[k], full[k], below[k], above[k]) for k in range(size)]

    def _edges(self, some: Sequence[SentenceInput], text: Singles, z: Singles, up: Singles) -> Singles:
        """Scores [sentence, child, head]."""
        w, (size, n) = self.weights, z.shape[:2]
        child, head = _leaky(self._linear("child", z)), _leaky(self._linear("head", up))
        one = np.ones((size, n, 1), np.float32)
        product = np.concatenate([child, one], -1) @ w["product"] @ head.transpose(0, 2, 1)
        edges = np.stack([s.edges for s in some]).transpose(1, 0, 3, 2)[:, :, 1:]
        said = np.stack([s.told for s in some]).transpose(0, 2, 1)[:, 1:, :, None]
        hidden = sum(w[f"edge.{name}"][edges[k]] for k, name in enumerate(EDGE))
        hidden = hidden + said * w["said.weight"][:, 0]
        hidden += (self._linear("edge_child", z) + (self._linear("order", text) + w["said.bias"]))[:, :, None]
        hidden += self._linear("edge_head", up)[:, None]
        np.maximum(hidden, 0, out=hidden)
        found = product + (hidden @ w["score.weight"][0]) + w["score.bias"][0]
        found += said[..., 0] * w["straight.weight"][0, 0] + w["straight.bias"][0]
        own = np.arange(n)
        found[:, own, own + 1] = HIDDEN
        return np.asarray(found, np.float32)

    def relations(self, reading: Reading, sentence: SentenceInput, heads: Sequence[int]) -> Singles:
        """Probabilities [word, relation] of `labels.LABELS` for a tree over the words without punctuation."""
        w, tree = self.weights, np.asarray(heads, np.int64)
        kids = np.arange(1, len(tree) + 1)
        hidden = reading.below + reading.above[tree]
        for k, name in enumerate(EDGE):
            hidden = hidden + w[f"rel_edge.{name}"][sentence.edges[k, tree, kids]]
        return _softmax(self._linear("rel", np.maximum(hidden, 0))[:, 1:])

    def _linear(self, name: str, x: Singles) -> Singles:
        w = self.weights[f"{name}.weight"]
        return np.asarray(
            (x.reshape(-1, x.shape[-1]) @ w.T).reshape(*x.shape[:-1], len(w)) + self.weights[f"{name}.bias"], np.float32
        )


def _leaky(x: Singles) -> Singles:
    return np.asarray(np.maximum(x, SLOPE * x), np.float32)


def _softmax(x: Singles) -> Singles:
    found = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(found / found.sum(-1, keepdims=True), np.float32)


def _layer(w: Mapping[str, Singles]) -> Layer:
    """Torch has the gates input, forget, cell, output; `Layer` wants the cell last and the others halved."""
    into, back, bias = [], [], []
    for way in ("", "_reverse"):
        into.append(_gates(w[f"lstm.weight_ih_l0{way}"]).T)
        back.append(_gates(w[f"lstm.weight_hh_l0{way}"]).T)
        bias.append(_gates(w[f"lstm.bias_ih_l0{way}"] + w[f"lstm.bias_hh_l0{way}"]))
    made = (np.concatenate(into, 1), np.stack(back), np.concatenate(bias))
    return Layer(*(np.ascontiguousarray(weights, np.float32) for weights in made))


def _gates(rows: Singles) -> Singles:
    enter, keep, new, show = np.split(rows, 4)
    return np.concatenate([enter / 2, keep / 2, show / 2, new])
