"""The network's forward pass in numpy: tables, BiLSTM, tags, biaffine scores of edges and relations (Dozat & Manning 2017).

Sentences of one length go through together, words of a step in rows. BLAS adds up in another order for another number of rows,
so a sentence alone and in company differ in the last digits: with doubles by far less than anything shown or compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.parsing.neural import words
from divproj.runtime.vectors import WordVectors

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]
Bytes = NDArray[np.int8]
Ints = NDArray[np.int64]
SLOPE = 0.1
"""Of the leaky ReLU below 0."""
HIDDEN = -1e4
"""Score of a word as its own head."""
KNOWN = 20_000
"""Word types whose input is remembered."""


@dataclass(frozen=True)
class Table:
    """Rows in one byte a number, each with the size of one."""

    rows: Bytes
    units: Floats

    def take(self, places: list[int]) -> Floats:
        return np.asarray(self.rows[places] * self.units[places][:, None], dtype=np.float32)


@dataclass(frozen=True)
class Inputs:
    """The tables that words are looked up in."""

    vectors: WordVectors
    no_vector: Floats
    trained: Table
    trained_at: dict[str, int]
    """Rows of words that have their own; row 0 is for all others."""
    affixes: Table
    grams: Table
    known: dict[str, Floats] = field(default_factory=dict, repr=False)

    def of(self, forms: Sequence[str]) -> Floats:
        """The input of every word: its vector, its own row, the sum of its affixes, the mean of its letter n-grams."""
        if len(self.known) > KNOWN:
            self.known.clear()
        new = [form for form in dict.fromkeys(forms) if form not in self.known]
        if new:
            self.known.update(zip(new, self._made(new), strict=True))
        return np.stack([self.known[form] for form in forms])

    def _made(self, forms: list[str]) -> Floats:
        keys = [words.key(form) for form in forms]
        found = [self.vectors.vector(key) for key in keys]
        grams = [words.gram_rows(form) for form in forms]
        sizes = np.array([len(rows) for rows in grams])
        first = np.cumsum(sizes) - sizes
        all_grams = self.grams.take([row for rows in grams for row in rows])
        affixes = self.affixes.take([row for form in forms for row in words.affix_rows(form)])
        parts = (
            np.stack([self.no_vector if vector is None else vector for vector in found]),
            self.trained.take([self.trained_at.get(key, 0) for key in keys]),
            affixes.reshape(len(forms), words.AFFIXES, -1).sum(1),
            np.add.reduceat(all_grams, first, axis=0) / sizes[:, None].astype(np.float32),
        )
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True)
class Layer:
    """One LSTM in both directions: `into` (inputs × 8W), `back` (2 × W × 4W), `bias` (8W).

    Gates stand in the order input, forget, output, cell; the first three are halved, for σ(x) = ½ + ½ tanh(x/2): so one
    tanh makes all four.
    """

    into: Floats
    back: Floats
    bias: Floats

    def run(self, x: Floats) -> Floats:
        """x (steps × sentences × inputs) to both directions' states (steps × sentences × 2W)."""
        steps, some = x.shape[:2]
        width = self.back.shape[1]
        given = (x.reshape(steps * some, -1) @ self.into + self.bias).reshape(steps, some, 2, 4 * width)
        gates = np.empty((2, some, 4 * width), np.float32)
        state, cell, extra = (np.zeros((2, some, width), np.float32) for _ in range(3))
        made = np.empty((steps, some, 2 * width), np.float32)
        soft = gates[..., : 3 * width]
        enter, keep, show = (gates[..., k * width : (k + 1) * width] for k in range(3))
        new = gates[..., 3 * width :]
        for t in range(steps):
            last = steps - 1 - t
            np.matmul(state, self.back, out=gates)
            gates[0] += given[t, :, 0]
            gates[1] += given[last, :, 1]
            np.tanh(gates, out=gates)
            soft *= np.float32(0.5)
            soft += np.float32(0.5)
            cell *= keep
            np.multiply(enter, new, out=extra)
            cell += extra
            np.tanh(cell, out=extra)
            np.multiply(show, extra, out=state)
            made[t, :, :width] = state[0]
            made[last, :, width:] = state[1]
        return made


@dataclass(frozen=True)
class Tags:
    """One column of tags: their scores from the first layer, and what of them the second layer sees."""

    names: tuple[str, ...]
    weights: Floats
    bias: Floats
    fed: Floats


@dataclass(frozen=True)
class Scores:
    """What the network says of a sentence: tags, edges[c - 1, h], and what relations are scored with."""

    upos: Ints
    xpos: Ints
    edges: Reals
    rel_child: Floats
    rel_head: Floats

    @property
    def size(self) -> int:
        return int(self.edges.size + self.rel_child.size + self.rel_head.size)


@dataclass(frozen=True)
class Network:
    """All weights, ready for use."""

    inputs: Inputs
    layers: tuple[Layer, ...]
    upos: Tags
    xpos: Tags
    words: Reals
    words_bias: Reals
    root: Reals
    arc: Reals
    rel: Floats
    """Words below × (relations × words above)."""
    rels: tuple[str, ...]

    def scores(self, sentences: Sequence[Sequence[str]], given: Sequence[tuple[Ints, Ints] | None]) -> list[Scores]:
        """Scores of sentences that all have the same number of words, at least one.

        Tags that are given (numbers, -1 for none) and are not what the network finds take the place of its own.
        """
        some, steps = len(sentences), len(sentences[0])
        flat = self.inputs.of([form for sentence in sentences for form in sentence])
        x = np.ascontiguousarray(flat.reshape(some, steps, -1).transpose(1, 0, 2))
        found: list[Ints] = []
        for k, layer in enumerate(self.layers):
            x = layer.run(x)
            if k == 0:
                fed = [x]
                for column, tags in enumerate((self.upos, self.xpos)):
                    chances, best = self._tags(tags, x, [None if own is None else own[column] for own in given])
                    found.append(best)
                    fed.append((chances.reshape(steps * some, -1) @ tags.fed).reshape(steps, some, -1))
                x = np.concatenate(fed, axis=2)
        last = x.transpose(1, 0, 2).reshape(some * steps, -1).astype(np.float64)
        y = last @ self.words + self.words_bias
        np.maximum(y, SLOPE * y, out=y)
        return self._heads(y.reshape(some, steps, -1), found)

    def _tags(self, tags: Tags, x: Floats, given: list[Ints | None]) -> tuple[Floats, Ints]:
        """Probabilities of tags (steps × sentences × tags), and the best of each word."""
        steps, some = x.shape[:2]
        logits = x.reshape(steps * some, -1) @ tags.weights + tags.bias
        logits = logits.reshape(steps, some, -1)
        best = logits.argmax(-1)
        chances = np.exp(logits - logits.max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        for s, own in enumerate(given):
            if own is not None:
                other = np.flatnonzero((own >= 0) & (own != best[:, s]))
                chances[other, s] = 0.0
                chances[other, s, own[other]] = 1.0
                best[other, s] = own[other]
        return chances, best

    def _heads(self, y: Reals, tags: list[Ints]) -> list[Scores]:
        some, steps = y.shape[:2]
        arc, rel = self.arc.shape[1], self.rel.shape[0] - 1
        one = np.ones((some, steps, 1), np.float64)
        below = np.concatenate([y[..., :arc], one], axis=2).reshape(some * steps, -1)
        child = (below @ self.arc).reshape(some, steps, arc)
        root = np.broadcast_to(self.root, (some, 1, arc + rel))
        heads = np.concatenate([root[..., :arc], y[..., arc : 2 * arc]], axis=1)
        edges = child @ np.ascontiguousarray(heads.transpose(0, 2, 1))
        own = np.arange(steps)
        edges[:, own, own + 1] = HIDDEN
        under = np.concatenate([y[..., 2 * arc : 2 * arc + rel], one], axis=2)
        above = np.concatenate([root[..., arc:], y[..., 2 * arc + rel :]], axis=1)
        above = np.concatenate([above, np.ones((some, steps + 1, 1), np.float64)], axis=2)
        small, (upos, xpos) = (under.astype(np.float32), above.astype(np.float32)), tags
        return [Scores(upos[:, s], xpos[:, s], edges[s], small[0][s], small[1][s]) for s in range(some)]

    def relations(self, scores: Sequence[Scores], heads: Sequence[Ints]) -> list[Ints]:
        """The best relation of every word for the heads given; that of the root's child is always `root`, and no other's."""
        below = np.concatenate([own.rel_child for own in scores])
        above = np.concatenate([own.rel_head[tree] for own, tree in zip(scores, heads, strict=True)])
        labels, size = len(self.rels), len(self.rel)
        mixed = (below @ self.rel).reshape(-1, labels, size)
        found = (mixed @ above[:, :, None])[..., 0]
        root = self.rels.index("root")
        top = np.concatenate(heads) == 0
        found[~top, root] = -np.inf
        found[top] = np.where(np.arange(labels) == root, 0.0, -np.inf)
        best = found.argmax(1)
        ends = np.cumsum([len(tree) for tree in heads])[:-1]
        return [np.asarray(part, np.int64) for part in np.split(best, ends)]
