"""The network's forward pass in numpy: tables, BiLSTM, tags, biaffine scores of edges and relations (Dozat & Manning 2017).

Sentences of about one length go through together, words of a step in rows. BLAS adds up in another order for another number of rows,
so a sentence alone and in company differ in the last digits: with doubles by far less than anything shown or compared.

A word is looked up in tables, in training and at run time alike, by its key (`word_key`), its affixes (`affix_rows`) and
its letter n-grams (`gram_rows`). In a model each weight takes one byte, with a unit per row; `network` checks and unpacks
them. `NeuralParser` and `NeuralTagger` have the interfaces of `MstParser` and `Tagger`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError
from divproj.core.tree import DepTree
from divproj.parsing import decode
from divproj.parsing.decode import chu_liu_edmonds
from divproj.parsing.features import ParserInput
from divproj.parsing.parser import Tables, check_heads
from divproj.runtime.engine import one_blas_thread
from divproj.runtime.modelfile import REMEDY, Array, ModelFolder
from divproj.runtime.vectors import WordVectors

AFFIX_ROWS, GRAM_ROWS = 8192, 16384
"""Rows of the hashed tables: one of affixes, one of letter n-grams."""
AFFIXES = 8
"""Affixes of a word: prefixes of 1 to 3 letters, suffixes of 1 to 4, and its shape."""
LONGEST = 40
"""Letters of a word that are looked at; the rest of a longer one is not."""
PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "‚": "'", "`": "'", "–": "-", "—": "-", "…": "..."})
"""Typographic marks as treebanks of web text have them."""


def word_key(form: str) -> str:
    """The form that tables know a word by.

    >>> word_key("Don’t")
    "don't"
    """
    return form.translate(PLAIN).lower()


def shape(form: str) -> str:
    """How a word is written, letters of a kind in a row as at most two.

    >>> [shape(form) for form in ("Rosa", "NATO", "iPod", "2-day", "3.14")]
    ['Xxx', 'XX', 'xXxx', 'd-xx', 'd.dd']
    """
    pattern = ""
    for letter in form[:LONGEST]:
        sign = "d" if letter.isdigit() else "X" if letter.isupper() else "x" if letter.isalpha() else letter
        if pattern[-2:] != sign + sign:
            pattern += sign
    return pattern


def affix_rows(form: str) -> list[int]:
    """Rows of the affixes of a word: always `AFFIXES` of them."""
    plain = form.translate(PLAIN)[:LONGEST]
    low = plain.lower()
    parts = [f"p{k}{low[:k]}" for k in (1, 2, 3)] + [f"s{k}{low[-k:]}" for k in (1, 2, 3, 4)] + [f"x{shape(plain)}"]
    return [crc32(part.encode()) % AFFIX_ROWS for part in parts]


def gram_rows(form: str) -> list[int]:
    """Rows of the letter n-grams (3 to 5 letters, the ends marked) of a word and of the whole word.

    >>> len(gram_rows("dog"))
    7
    """
    low = word_key(form)[:LONGEST]
    framed = f"<{low}>"
    grams = [framed[k : k + n] for n in (3, 4, 5) for k in range(len(framed) - n + 1)]
    return [crc32(gram.encode()) % GRAM_ROWS for gram in (*grams, f"={low}")]


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
class ByteTable:
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
    trained: ByteTable
    trained_at: dict[str, int]
    """Rows of words that have their own; row 0 is for all others."""
    affixes: ByteTable
    grams: ByteTable
    known: dict[str, Floats] = field(default_factory=dict, repr=False)

    def of(self, forms: Sequence[str]) -> Floats:
        """The input of every word: its vector, its own row, the sum of its affixes, the mean of its letter n-grams."""
        if len(self.known) > KNOWN:
            self.known.clear()
        new = [form for form in dict.fromkeys(forms) if form not in self.known]
        if new:
            self.known.update(zip(new, self._compute(new), strict=True))
        return np.stack([self.known[form] for form in forms])

    def _compute(self, forms: list[str]) -> Floats:
        keys = [word_key(form) for form in forms]
        vectors = [self.vectors.vector(key) for key in keys]
        grams = [gram_rows(form) for form in forms]
        sizes = np.array([len(rows) for rows in grams])
        first = np.cumsum(sizes) - sizes
        all_grams = self.grams.take([row for rows in grams for row in rows])
        affixes = self.affixes.take([row for form in forms for row in affix_rows(form)])
        parts = (
            np.stack([self.no_vector if vector is None else vector for vector in vectors]),
            self.trained.take([self.trained_at.get(key, 0) for key in keys]),
            affixes.reshape(len(forms), AFFIXES, -1).sum(1),
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
        cells = Cells.empty(some, width)
        outputs = np.empty((steps, some, 2 * width), np.float32)
        for t in range(steps):
            last = steps - 1 - t
            np.matmul(cells.state, self.back, out=cells.gates)
            cells.step(given[t, :, 0], given[last, :, 1])
            outputs[t, :, :width] = cells.state[0]
            outputs[last, :, width:] = cells.state[1]
        return outputs

    def run_together(self, x: Floats, lengths: Ints) -> Floats:
        """The same for sentences of several lengths, longest first, their words one after the other: (words × 2W)."""
        width = self.back.shape[1]
        given = (x @ self.into + self.bias).reshape(len(x), 2, 4 * width)
        cells = Cells.empty(len(lengths), width)
        outputs = np.empty((len(x), 2 * width), np.float32)
        starts = np.cumsum(lengths) - lengths
        for t in range(lengths[0]):
            some = int((lengths > t).sum())
            cells = cells.first(some)
            forward, backward = starts[:some] + t, starts[:some] + lengths[:some] - 1 - t
            np.matmul(cells.state, self.back, out=cells.gates)
            cells.step(given[forward, 0], given[backward, 1])
            outputs[forward, :width] = cells.state[0]
            outputs[backward, width:] = cells.state[1]
        return outputs


@dataclass(frozen=True)
class Cells:
    """Gates, states and cells of both directions of a layer, for each sentence; changed in place."""

    gates: Floats
    state: Floats
    cell: Floats
    extra: Floats

    @classmethod
    def empty(cls, some: int, width: int) -> Cells:
        state, cell, extra = (np.zeros((2, some, width), np.float32) for _ in range(3))
        return cls(np.empty((2, some, 4 * width), np.float32), state, cell, extra)

    def first(self, some: int) -> Cells:
        """Return those of the first sentences."""
        if some == self.state.shape[1]:
            return self
        return Cells(*(array[:, :some] for array in (self.gates, self.state, self.cell, self.extra)))

    def step(self, ahead: Floats, back: Floats) -> None:
        """Go on by a word: `gates` has what comes from the states, the arguments what comes from the words."""
        gates, width = self.gates, self.state.shape[2]
        gates[0] += ahead
        gates[1] += back
        np.tanh(gates, out=gates)
        soft = gates[..., : 3 * width]
        enter, keep, show = (gates[..., k * width : (k + 1) * width] for k in range(3))
        soft *= np.float32(0.5)
        soft += np.float32(0.5)
        np.multiply(self.cell, keep, out=self.cell)
        np.multiply(enter, gates[..., 3 * width :], out=self.extra)
        np.add(self.cell, self.extra, out=self.cell)
        np.tanh(self.cell, out=self.extra)
        np.multiply(show, self.extra, out=self.state)


@dataclass(frozen=True)
class TagColumn:
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
    upos: TagColumn
    xpos: TagColumn
    words: Reals
    words_bias: Reals
    root: Reals
    arc: Reals
    rel: Floats
    """Words below × (relations × words above)."""
    deprels: tuple[str, ...]

    def scores(self, sentences: Sequence[Sequence[str]], given: Sequence[tuple[Ints, Ints] | None]) -> list[Scores]:
        """Scores of sentences, each of at least one word, longest first.

        Tags that are given (numbers, -1 for none) and are not what the network finds take the place of its own.
        """
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        ends = np.cumsum(lengths)
        x = self.inputs.of([form for sentence in sentences for form in sentence])
        best_tags: list[Ints] = []
        for k, layer in enumerate(self.layers):
            x = layer.run_together(x, lengths)
            if k == 0:
                fed = [x]
                for column, tags in enumerate((self.upos, self.xpos)):
                    wanted = [None if given_tags is None else given_tags[column] for given_tags in given]
                    probabilities, best = self._tags(tags, x, ends, wanted)
                    best_tags.append(best)
                    fed.append(probabilities @ tags.fed)
                x = np.concatenate(fed, axis=1)
        y = x.astype(np.float64) @ self.words + self.words_bias
        np.maximum(y, SLOPE * y, out=y)
        scores: list[Scores] = []
        while len(scores) < len(sentences):  # sentences of one length together
            first, length = len(scores), int(lengths[len(scores)])
            some = int((lengths == length).sum())
            rows = slice(int(ends[first]) - length, int(ends[first + some - 1]))
            scores += self._heads(y[rows].reshape(some, length, -1), [tags[rows].reshape(some, length) for tags in best_tags])
        return scores

    def _tags(self, tags: TagColumn, x: Floats, ends: Ints, given: list[Ints | None]) -> tuple[Floats, Ints]:
        """Probabilities of tags (words × tags), and the best of each word."""
        logits = x @ tags.weights + tags.bias
        best = logits.argmax(-1)
        probabilities = np.exp(logits - logits.max(-1, keepdims=True))
        probabilities /= probabilities.sum(-1, keepdims=True)
        for end, given_tags in zip(ends, given, strict=True):
            if given_tags is not None:
                words = slice(end - len(given_tags), end)
                other = np.flatnonzero((given_tags >= 0) & (given_tags != best[words]))
                probabilities[words][other] = 0.0
                probabilities[words][other, given_tags[other]] = 1.0
                best[words][other] = given_tags[other]
        return probabilities, best

    def _heads(self, y: Reals, tags: list[Ints]) -> list[Scores]:
        some, steps = y.shape[:2]
        arc, rel = self.arc.shape[1], self.rel.shape[0] - 1
        one = np.ones((some, steps, 1), np.float64)
        below = np.concatenate([y[..., :arc], one], axis=2).reshape(some * steps, -1)
        child = (below @ self.arc).reshape(some, steps, arc)
        root = np.broadcast_to(self.root, (some, 1, arc + rel))
        heads = np.concatenate([root[..., :arc], y[..., arc : 2 * arc]], axis=1)
        edges = child @ np.ascontiguousarray(heads.transpose(0, 2, 1))
        words = np.arange(steps)
        edges[:, words, words + 1] = HIDDEN
        under = np.concatenate([y[..., 2 * arc : 2 * arc + rel], one], axis=2)
        above = np.concatenate([root[..., arc:], y[..., 2 * arc + rel :]], axis=1)
        above = np.concatenate([above, np.ones((some, steps + 1, 1), np.float64)], axis=2)
        small, (upos, xpos) = (under.astype(np.float32), above.astype(np.float32)), tags
        return [Scores(upos[s], xpos[s], edges[s], small[0][s], small[1][s]) for s in range(some)]

    def relations(self, scores: Sequence[Scores], heads: Sequence[Ints]) -> list[Ints]:
        """The best relation of every word for the heads given; that of the root's child is always `root`, and no other's."""
        below = np.concatenate([sentence.rel_child for sentence in scores])
        above = np.concatenate([sentence.rel_head[tree] for sentence, tree in zip(scores, heads, strict=True)])
        labels, size = len(self.deprels), len(self.rel)
        mixed = (below @ self.rel).reshape(-1, labels, size)
        rel_scores = (mixed @ above[:, :, None])[..., 0]
        root = self.deprels.index("root")
        top = np.concatenate(heads) == 0
        rel_scores[~top, root] = -np.inf
        rel_scores[top] = np.where(np.arange(labels) == root, 0.0, -np.inf)
        best = rel_scores.argmax(1)
        ends = np.cumsum([len(tree) for tree in heads])[:-1]
        return [np.asarray(part, np.int64) for part in np.split(best, ends)]


PREFIX = "net."
FORMAT = 1
"""Version of what the network computes and of the names of its arrays."""
MOST_LAYERS, WIDEST = 6, 4096
"""Bounds on what a file can ask for."""


def quantise_rows(weights: NDArray[Any]) -> tuple[Bytes, Floats]:
    """Rows in one byte a number, and the size of one in each row.

    >>> rows, units = quantise_rows(np.array([[1.0, -0.5], [0.0, 0.0]]))
    >>> rows.tolist(), units.tolist()
    ([[127, -64], [0, 0]], [0.00787..., ...])
    """
    flat = np.asarray(weights, np.float64).reshape(len(weights), -1)
    units = np.maximum(np.abs(flat).max(1), 1e-9) / 127
    rows = np.clip(np.rint(flat / units[:, None]), -127, 127).astype(np.int8)
    return rows.reshape(np.shape(weights)), units.astype(np.float32)


def arrays(weights: Mapping[str, NDArray[Any]]) -> dict[str, Array]:
    """Arrays of a model: matrices rounded, what has one dimension as it is. Names are those that `network` asks for."""
    model_arrays: dict[str, Array] = {}
    for name, weight in weights.items():
        if weight.ndim < 2:
            model_arrays[PREFIX + name] = weight.astype(np.float32)
        else:
            model_arrays[PREFIX + name], model_arrays[f"{PREFIX}{name}.units"] = quantise_rows(weight)
    return model_arrays


def network(model: ModelFolder) -> Network:
    """The network of a model; ModelError where its parts do not fit each other or this version."""
    about = ModelFolder(model.kind, model.fact("network", dict), model.arrays, model.where)
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
        _table(about, "affixes", AFFIX_ROWS, small),
        _table(about, "grams", GRAM_ROWS, small),
    )
    into = [vectors.size + 3 * small, 2 * width + 2 * sizes["fed"]] + [2 * width] * (sizes["layers"] - 2)
    return Network(
        inputs,
        tuple(_layer(about, k, size, width) for k, size in enumerate(into)),
        _tags(about, "upos", names["upos"], width, sizes["fed"]),
        _tags(about, "xpos", names["xpos"], width, sizes["fed"]),
        _transpose(about, "words.weight", 2 * (arc + rel), 2 * width),
        _plain(about, "words.bias", 2 * (arc + rel)),
        _plain(about, "root", arc + rel),
        _matrix(about, "arc", arc + 1, arc),
        _relations(about, len(names["rels"]), rel + 1),
        names["rels"],
    )


def _names(about: ModelFolder, name: str) -> tuple[str, ...]:
    names = about.fact(name, list)
    if not names or not all(isinstance(tag, str) for tag in names):
        raise ModelError(f"'{name}' is not a list of names", about.where, REMEDY)
    return tuple(names)


def _text(about: ModelFolder, name: str) -> list[str]:
    letters = about.array(name, "u", None)
    try:
        return letters.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ModelError(f"array '{name}' is no text in UTF-8", about.where, REMEDY) from None


def _table(about: ModelFolder, name: str, rows: int, columns: int) -> ByteTable:
    table = about.array(PREFIX + name, "i", rows, columns)
    if table.dtype != np.int8:
        raise ModelError(f"array '{PREFIX}{name}' is of type {table.dtype}, int8 expected", about.where, REMEDY)
    return ByteTable(table, about.array(f"{PREFIX}{name}.units", "f", rows).astype(np.float32))


def _matrix(about: ModelFolder, name: str, *shape: int) -> Reals:
    """A matrix of full numbers from one of small ones; a unit belongs to all that has the first index."""
    rows = about.array(PREFIX + name, "i", *shape)
    units = about.array(f"{PREFIX}{name}.units", "f", shape[0])
    return np.ascontiguousarray(rows * units.astype(np.float64).reshape(-1, *[1] * (len(shape) - 1)), dtype=np.float64)


def _transpose(about: ModelFolder, name: str, rows: int, columns: int) -> Reals:
    return np.ascontiguousarray(_matrix(about, name, rows, columns).T)


def _relations(about: ModelFolder, names: int, size: int) -> Floats:
    turned = _matrix(about, "rel", names, size, size).transpose(1, 0, 2).reshape(size, -1)
    return np.ascontiguousarray(turned, dtype=np.float32)


def _plain(about: ModelFolder, name: str, size: int) -> Reals:
    return np.ascontiguousarray(about.array(PREFIX + name, "f", size), dtype=np.float64)


def _tags(about: ModelFolder, name: str, names: tuple[str, ...], width: int, fed: int) -> TagColumn:
    return TagColumn(
        names,
        _transpose(about, f"{name}.weight", len(names), 2 * width).astype(np.float32),
        _plain(about, f"{name}.bias", len(names)).astype(np.float32),
        _transpose(about, f"{name}_fed.weight", fed, len(names)).astype(np.float32),
    )


def _layer(about: ModelFolder, number: int, inputs: int, width: int) -> Layer:
    """Files have the gates input, forget, cell, output, as torch does."""
    into, back, bias = [], [], []
    for way in ("", "_reverse"):
        ends = (f"lstms.{number}.", f"_l0{way}")
        into.append(_gates(_matrix(about, f"{ends[0]}weight_ih{ends[1]}", 4 * width, inputs)).T)
        back.append(_gates(_matrix(about, f"{ends[0]}weight_hh{ends[1]}", 4 * width, width)).T)
        bias.append(_gates(_plain(about, f"{ends[0]}bias{ends[1]}", 4 * width)))
    parts = (np.concatenate(into, 1), np.stack(back), np.concatenate(bias))
    return Layer(*(np.ascontiguousarray(weights, dtype=np.float32) for weights in parts))


def _gates(rows: Reals) -> Reals:
    enter, keep, new, show = np.split(rows, 4)
    return np.concatenate([enter / 2, keep / 2, show / 2, new])


BATCH_WORDS = 1600
"""Words that go through the network at once."""
KEPT = 4_000_000
"""Numbers of scores that are remembered (eight bytes each), so that tags, trees and probabilities cost one pass."""
STEPS = 2.0 ** np.arange(-2, 2.01, 0.0625)
"""Scales that `calibrate` tries."""
Doubles = NDArray[np.float64]
Key = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


@dataclass
class BatchScorer:
    """Scores of sentences, batched by length; those just made are remembered."""

    network: Network
    kept: dict[Key, Scores] = field(default_factory=dict, repr=False)
    size: int = 0

    def read(self, sentences: Sequence[ParserInput]) -> list[Scores]:
        """Scores of the sentences, in their order. Tags that a sentence has replace those that the network would find."""
        keys = [_key(sentence) for sentence in sentences]
        if self.size > KEPT:
            self.kept, self.size = {}, 0
        scores_by_key = {key: self.kept[key] for key in set(keys) if key in self.kept}
        new = [key for key in dict.fromkeys(keys) if key not in scores_by_key]
        for part in [*_batches(new), [key for key in new if not key[0]]]:
            for key, scores in zip(part, self._batch(part), strict=True):
                scores_by_key[key] = scores
                self._keep(key, scores)
        return [scores_by_key[key] for key in keys]

    def _keep(self, key: Key, scores: Scores) -> None:
        """Remember scores under the tags that were given, and under those that were found."""
        upos = tuple(self.network.upos.names[k] for k in scores.upos.tolist())
        xpos = tuple(self.network.xpos.names[k] for k in scores.xpos.tolist())
        if key not in self.kept:
            self.size += scores.size
        self.kept[key] = scores
        if not key[1]:
            self.kept[key[0], upos, xpos] = scores

    def _batch(self, keys: list[Key]) -> list[Scores]:
        if not keys or not keys[0][0]:
            none = np.zeros(0, np.int64)
            rel = np.zeros((1, len(self.network.rel)), np.float32)
            return [Scores(none, none, np.zeros((0, 1)), rel[:0], rel)] * len(keys)
        with one_blas_thread():
            return self.network.scores([key[0] for key in keys], [self._tag_numbers(key) for key in keys])

    def _tag_numbers(self, key: Key) -> tuple[Ints, Ints] | None:
        if not key[1]:
            return None
        upos = {tag: k for k, tag in enumerate(self.network.upos.names)}
        xpos = {tag: k for k, tag in enumerate(self.network.xpos.names)}
        fine = key[2] or ("",) * len(key[1])
        return np.array([upos.get(t, -1) for t in key[1]], np.int64), np.array([xpos.get(t, -1) for t in fine], np.int64)


def _batches(keys: list[Key]) -> Iterator[list[Key]]:
    """Sentences with words, longest first, so that those of about one length go through the network together."""
    longest_first = sorted((key for key in keys if key[0]), key=lambda key: -len(key[0]))
    while longest_first:
        count = max(1, BATCH_WORDS // len(longest_first[0][0]))
        yield longest_first[:count]
        del longest_first[:count]


@dataclass
class NeuralTagger:
    """UPOS and XPOS of words."""

    reader: BatchScorer

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """Tags of each word as `UPOS+XPOS`."""
        upos, xpos = self.reader.network.upos.names, self.reader.network.xpos.names
        scores = self.reader.read([ParserInput(tuple(forms), ()) for forms in sentences])
        return [
            tuple(f"{upos[u]}+{xpos[x]}" for u, x in zip(sentence.upos.tolist(), sentence.xpos.tolist(), strict=True))
            for sentence in scores
        ]


@dataclass
class NeuralParser:
    """Trees, relations, probabilities and scores of edges. Edges may cross.

    Heads are the best of each word where these make one tree with one root, else the best tree (Chu-Liu/Edmonds).
    """

    reader: BatchScorer
    scale_: float = 1.0
    """What scores are multiplied with before they are turned into probabilities."""
    crossing_: bool = True
    columns_: int = 1
    slots_: int = 0

    @property
    def rels_(self) -> tuple[str, ...]:
        return self.reader.network.deprels

    def predict(self, sentences: Sequence[ParserInput | DepTree]) -> list[DepTree]:
        """The best tree of each sentence, with relations."""
        seen = [_seen(s) for s in sentences]
        scores = self.reader.read(seen)
        total = sum(map(len, seen))
        heads = [best_heads(sentence_scores, total) for sentence_scores in scores]
        deprels = self._relations(scores, heads)
        trees = [
            DepTree(s.forms, tuple(tree.tolist()), names, s.tags) for s, tree, names in zip(seen, heads, deprels, strict=True)
        ]
        return [
            tree if isinstance(s, ParserInput) else s.with_heads(tree.heads, tree.deprels)
            for s, tree in zip(sentences, trees, strict=True)
        ]

    def relations(self, sentence: ParserInput, heads: Sequence[int]) -> tuple[str, ...]:
        """The best relations for a tree that is given."""
        check_heads("the sentence", len(sentence), heads)
        [names] = self._relations(self.reader.read([sentence]), [np.array(heads, np.int64)])
        return names

    def _relations(self, scores: Sequence[Scores], heads: Sequence[Ints]) -> list[tuple[str, ...]]:
        names: list[tuple[str, ...]] = []
        start = size = 0
        for k, tree in enumerate([*heads, None]):
            if tree is None or (k > start and size + len(tree) > BATCH_WORDS):
                part = slice(start, k)
                if size:
                    numbers = self.reader.network.relations(scores[part], heads[part])
                    names += [tuple(self.rels_[r] for r in row.tolist()) for row in numbers]
                else:
                    names += [()] * (k - start)
                start, size = k, 0
            size += 0 if tree is None else len(tree)
        return names

    def edge_scores(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[Doubles]:
        """scores[h, c] of every edge of each sentence."""
        for sentence_scores in self.reader.read([_seen(s) for s in sentences]):
            yield _square(sentence_scores)

    def marginals(self, sentences: Sequence[ParserInput | DepTree]) -> Iterator[Doubles]:
        """chances[h, c]: the probability of every edge, over all trees with one root."""
        for scores in self.edge_scores(sentences):
            yield edge_marginals(scores * self.scale_)

    @staticmethod
    def projective_marginals(scores: Doubles) -> Doubles:
        """The probability of every edge over projective trees, from scaled scores."""
        probabilities = np.zeros_like(scores)
        decode.projective.for_work(len(scores), len(scores))(scores, probabilities)
        return probabilities

    def tables(self, sentence: ParserInput | DepTree) -> Tables:
        """Scores of all edges; the network scores no larger parts."""
        [scores] = self.edge_scores([sentence])
        return Tables(scores, None, np.zeros((0, *scores.shape), np.float32))

    def calibrate(self, sentences: Sequence[ParserInput | DepTree], trees: Sequence[DepTree]) -> NeuralParser:
        """Scale scores so that the edges of these trees (which were not learned from) are as probable as can be."""
        kept = list(zip(self.edge_scores(sentences), trees, strict=True))
        gains = []
        for scale in STEPS:
            total = 0.0
            for scores, tree in kept:
                heads = np.array(tree.heads, np.int64)
                known = np.flatnonzero(heads >= 0)
                total += float(np.log(edge_marginals(scores * scale)[heads[known], known + 1] + 1e-6).sum())
            gains.append(total)
        self.scale_ = float(STEPS[int(np.argmax(gains))])
        return self


def best_heads(scores: Scores, words: int = 0) -> Ints:
    """Heads of words 1 to n: each word's best where that is a tree, else the best tree; `words` are those of the whole job."""
    best = np.asarray(scores.edges.argmax(1), np.int64)
    if is_tree(best):
        return best
    heads = np.zeros(len(best) + 1, np.int64)
    chu_liu_edmonds.for_work(words, 2 * len(best))(_square(scores), heads)
    return heads[1:]


def is_tree(heads: Ints) -> bool:
    """Whether heads of words 1 to n make one tree with one root.

    >>> [is_tree(np.array(heads)) for heads in ((2, 0), (2, 1), (0, 0), (2, 3, 0))]
    [True, False, False, True]
    """
    above = np.concatenate([[0], heads])
    if (heads == 0).sum() != (len(heads) > 0):
        return False
    for _ in range(len(heads).bit_length()):  # twice as far up each time
        above = above[above]
    return not above.any()


def edge_marginals(scores: Doubles) -> Doubles:
    """The probability of every edge over all trees with one root, from scaled scores."""
    probabilities = np.zeros_like(scores)
    decode.nonprojective(scores, probabilities)  # type: ignore[no-untyped-call]
    return probabilities


def _square(scores: Scores) -> Doubles:
    """scores[h, c], with a column for the root as a child."""
    square = np.zeros((len(scores.edges) + 1,) * 2)
    square[:, 1:] = scores.edges.T
    return square


def _seen(sentence: ParserInput | DepTree) -> ParserInput:
    return sentence if isinstance(sentence, ParserInput) else ParserInput.of(sentence)


def _key(sentence: ParserInput) -> Key:
    return sentence.forms, sentence.tags, sentence.more[0] if sentence.more else ()
