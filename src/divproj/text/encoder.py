"""English words in their sentence as vectors, and the probability that words of two sentences mean the same.

A word has one vector in a table of word vectors; here it has another one in every sentence. The encoder is the first layers of a
transformer (BERT's arithmetic, Devlin et al. 2019), run by numpy alone:

    words        The       astronauts          landed
    pieces       the       astronaut ##s       landed           the longest that the vocabulary has, from the left
    layers       one vector per piece; in each layer pieces look at all pieces of the sentence
    vectors      the mean of a word's pieces, from the last layer

`WordMatcher` compares the words of two sentences: cosines, how much better a pair is than the next best, and how well the words
beside the two fit each other, put together by logistic regression, twice; the second time with the probabilities of the first.

A sentence is encoded by itself and by one thread, so its vectors depend neither on its neighbours nor on the number of cores.
The weights come in a package of their own, `divproj-encoder-en`; where that is not installed, `load_encoder` returns None.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, Where
from divproj.runtime import modelfile
from divproj.runtime.engine import one_blas_thread
from divproj.runtime.modelfile import REMEDY, ModelFolder
from divproj.runtime.resources import folder

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
FORMAT, VERSION = "divproj-encoder", 1
GROUP = "divproj.encoders"
"""Entry points by which installed packages offer encoders."""
START, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
INSIDE = "##"
"""Begins a piece that is not the first of its word."""
LONGEST = 100
"""Letters of a word beyond which it is unknown, as in BERT's own tokenizer."""
KNOWN = 50_000
"""Word types whose pieces are remembered."""
TINY = 1e-12
"""Added to a variance before it divides."""
MATRICES = ("query", "key", "value", "mix", "up", "down")
"""Of a layer: what pieces look for, what they are found by, what they give; and the three that put it together."""


@dataclass(frozen=True)
class EncoderLayer:
    """Weights of one layer; each matrix is (inputs, outputs) with the bias beside it."""

    matrices: dict[str, tuple[Floats, Floats]]
    norms: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
    """Scale and shift of the two normalisations: after the mixing, and at the end."""


@dataclass(frozen=True)
class ContextEncoder:
    """Vectors of words in their sentence."""

    name: str
    places: dict[str, int]
    """Rows of the word pieces."""
    rows: NDArray[np.int8]
    units: Floats
    positions: Floats
    norm: tuple[Floats, Floats]
    layers: tuple[EncoderLayer, ...]
    heads: int
    matcher: WordMatcher
    known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, place: str | Path) -> ContextEncoder:
        """The encoder in a folder; ModelError where it is damaged or something else."""
        stored = modelfile.load(place, FORMAT, VERSION)
        rows = stored.array("pieces.rows", "i", None, None)
        size, heads = rows.shape[1], stored.fact("heads", int)
        places = _places(stored, rows)
        if heads < 1 or size % heads:
            raise ModelError(f"{size} numbers cannot be shared by {heads} heads", stored.where, REMEDY)
        positions = stored.array("positions", "f", None, size).astype(np.float32)
        if len(positions) < 3:
            raise ModelError(f"{len(positions)} positions, at least 3 expected", stored.where, REMEDY)
        layers = tuple(_layer(stored, f"layer{k}", size) for k in range(stored.fact("layers", int)))
        units = stored.array("pieces.units", "f", len(rows)).astype(np.float32)
        norm, matcher = _norm(stored, "norm", size), WordMatcher.of(stored)
        return cls(stored.fact("name", str), places, rows, units, positions, norm, layers, heads, matcher)

    def pieces(self, word: str) -> tuple[int, ...]:
        """Rows of a word's pieces."""
        rows = self.known.get(word)
        if rows is None:
            rows = tuple(row for part in parts(word) for row in self._split(part)) or (self.places[UNKNOWN],)
            if len(self.known) < KNOWN:
                self.known[word] = rows
        return rows

    def _split(self, part: str) -> list[int]:
        """The longest pieces from the left; the unknown piece alone where some of it is in none."""
        rows: list[int] = []
        start = 0
        while start < len(part) <= LONGEST:
            names = (INSIDE * (start > 0) + part[start:end] for end in range(len(part), start, -1))
            name = next((name for name in names if name in self.places), None)
            if name is None:
                return [self.places[UNKNOWN]]
            rows.append(self.places[name])
            start += len(name) - len(INSIDE) * (start > 0)
        return rows or [self.places[UNKNOWN]]

    def vectors(self, words: Sequence[str]) -> Floats:
        """One row for each word. A sentence that is longer than the positions is encoded in parts."""
        rows = [self.pieces(word)[: len(self.positions) - 2] for word in words]
        with one_blas_thread():
            encoded = [self._encode(some) for some in self._parts(rows)]
        return np.concatenate(encoded) if encoded else np.zeros((0, self.rows.shape[1]), np.float32)

    def _parts(self, rows: list[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
        """Words in order, as many as there are positions for."""
        some: list[tuple[int, ...]] = []
        count = 0
        for row in rows:
            if count + len(row) > len(self.positions) - 2:
                yield some
                some, count = [], 0
            some.append(row)
            count += len(row)
        if some:
            yield some

    def _encode(self, rows: list[tuple[int, ...]]) -> Floats:
        numbers = [self.places[START], *(row for word in rows for row in word), self.places[END]]
        x = self.rows[numbers] * self.units[numbers][:, None] + self.positions[: len(numbers)]
        x = _normalise(x, self.norm)
        for layer in self.layers:
            x = self._pass(x, layer)
        lengths = np.array([len(row) for row in rows])
        starts = np.concatenate(([1], 1 + np.cumsum(lengths)[:-1]))
        sums = np.add.reduceat(x[: 1 + int(lengths.sum())], starts, axis=0)
        return np.asarray(sums / lengths[:, None], dtype=np.float32)

    def _pass(self, x: Floats, layer: EncoderLayer) -> Floats:
        """
        A = softmax(Q K^T / √d) V, head by head;  x' = norm(x + A W + b);  x'' = norm(x' + gelu(x' U + c) D + d)
        """
        count, size = x.shape
        width = size // self.heads

        def product(name: str, value: Floats) -> Floats:
            matrix, bias = layer.matrices[name]
            return np.asarray(value @ matrix + bias)

        def heads(name: str) -> Floats:
            return product(name, x).reshape(count, self.heads, width).transpose(1, 0, 2)

        scores = heads("query") @ heads("key").transpose(0, 2, 1) / np.float32(math.sqrt(width))
        looks = np.exp(scores - scores.max(-1, keepdims=True))
        looks /= looks.sum(-1, keepdims=True)
        seen_by_heads = (looks @ heads("value")).transpose(1, 0, 2).reshape(count, size)
        x = _normalise(x + product("mix", seen_by_heads), layer.norms[0])
        return _normalise(x + product("down", _gelu(product("up", x))), layer.norms[1])

    def matches(self, src: Sequence[str], tgt: Sequence[str], src_kinds: WordKinds, tgt_kinds: WordKinds) -> Floats:
        """The probability that two words mean the same, words of `src` by words of `tgt`."""
        if not src or not tgt:
            return np.zeros((len(src), len(tgt)), np.float32)
        return self.matcher.probabilities(cosines(self, src, tgt), src_kinds, tgt_kinds).astype(np.float32)


def cosines(encoder: ContextEncoder, src: Sequence[str], tgt: Sequence[str]) -> NDArray[np.float64]:
    """How alike the words of two sentences are, words of `src` by words of `tgt`."""
    one, two = (_units(encoder.vectors(words)) for words in (src, tgt))
    with one_blas_thread():
        return np.asarray(one @ two.T, dtype=np.float64)


def parts(word: str) -> list[str]:
    """Runs of letters and digits in lower case without accents, and marks one by one, as BERT's tokenizer has them.

    >>> parts("Café-Noir's")
    ['cafe', '-', 'noir', "'", 's']
    """
    runs: list[str] = []
    joined = False
    for letter in unicodedata.normalize("NFD", word.lower()):
        category = unicodedata.category(letter)
        if category == "Mn":
            continue
        mark = category[0] == "P" or (letter.isascii() and not letter.isalnum()) or 0x4E00 <= ord(letter) <= 0x9FFF
        if category in ("Cc", "Cf") or letter.isspace():
            joined = False
        elif joined and not mark:
            runs[-1] += letter
        else:
            runs.append(letter)
            joined = not mark
    return runs


def _normalise(x: Floats, norm: tuple[Floats, Floats]) -> Floats:
    x = x - x.mean(-1, keepdims=True)
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(TINY)) * norm[0] + norm[1], dtype=np.float32)


def _units(x: Floats) -> Floats:
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), TINY), dtype=np.float32)


def _gelu(x: Floats) -> Floats:
    from scipy.special import erf

    return np.asarray(x * np.float32(0.5) * (1 + erf(x * np.float32(math.sqrt(0.5)))), dtype=np.float32)


def _places(stored: ModelFolder, rows: NDArray[np.int8]) -> dict[str, int]:
    letters = stored.array("pieces.names", "u", None)
    try:
        names = letters.astype(np.uint8).tobytes().decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise ModelError("array 'pieces.names' is no text in UTF-8", stored.where, REMEDY) from None
    places = {name: k for k, name in enumerate(names)}
    if rows.dtype != np.int8 or len(places) != len(rows) or not {START, END, UNKNOWN} <= set(places):
        message = (
            f"{len(places)} word pieces for {len(rows)} rows of {rows.dtype}, or {START}, {END}, {UNKNOWN} are not among them"
        )
        raise ModelError(message, stored.where, REMEDY)
    return places


def _layer(stored: ModelFolder, name: str, size: int) -> EncoderLayer:
    wide = stored.array(f"{name}.up.bias", "f", None).shape[0]
    shapes = {"up": (size, wide), "down": (wide, size)}
    matrices = {}
    for part in MATRICES:
        inputs, outputs = shapes.get(part, (size, size))
        rows = stored.array(f"{name}.{part}.rows", "i", outputs, inputs)
        units = stored.array(f"{name}.{part}.units", "f", outputs)
        matrix = np.ascontiguousarray((rows.astype(np.float32) * units.astype(np.float32)[:, None]).T)
        matrices[part] = matrix, stored.array(f"{name}.{part}.bias", "f", outputs).astype(np.float32)
    return EncoderLayer(matrices, (_norm(stored, f"{name}.norm1", size), _norm(stored, f"{name}.norm2", size)))


def _norm(stored: ModelFolder, name: str, size: int) -> tuple[Floats, Floats]:
    scale, shift = stored.array(name, "f", 2, size).astype(np.float32)
    return scale, shift


@dataclass(frozen=True)
class WordKinds:
    """Of each word of a sentence: whether it is a mark, and whether a function word."""

    marks: Bools
    function: Bools


SOFTNESS = 0.05
"""Difference of cosines that makes a word e times as likely; as in work on sentence vectors, not tuned."""
CLOSE = 1e-6
"""Probabilities nearer than this to 0 and 1 are not told apart."""
REACH = 2
"""Words before and after that count as beside."""
FIRST, SECOND = 11, 18
"""Features of the two passes."""


@dataclass(frozen=True)
class WordMatcher:
    """Logistic regression over the cosines of two sentences' words, in two passes; weights with the constant first."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]

    @classmethod
    def of(cls, stored: ModelFolder) -> WordMatcher:
        weights = (stored.array(f"match.{name}", "f", n + 1) for name, n in (("first", FIRST), ("second", SECOND)))
        return cls(*(w.astype(np.float64) for w in weights))

    def probabilities(self, cosines: NDArray[np.float64], src: WordKinds, tgt: WordKinds) -> NDArray[np.float64]:
        """
        p = σ(w·f(cosines)),  p' = σ(w'·f'(p, cosines))
        """
        features = first_features(cosines, src, tgt)
        return _logistic(second_features(self.first_pass(features), features), self.second)

    def first_pass(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probabilities that the second pass reads."""
        return _logistic(features, self.first)


def _logistic(features: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.full(features.shape[:2], weights[0])
    for k, weight in enumerate(weights[1:]):  # in this order everywhere: no library decides how it is added up
        total += features[..., k] * weight
    return np.asarray(1 / (1 + np.exp(-np.clip(total, -50, 50))))


def first_features(cosines: NDArray[np.float64], src: WordKinds, tgt: WordKinds) -> NDArray[np.float64]:
    """Features of each pair of words, the last axis: cosines, shares, margins, words beside, place, kinds."""
    n, m = cosines.shape
    shares = [np.exp((cosines - cosines.max(axis, keepdims=True)) / SOFTNESS) for axis in (1, 0)]
    both = np.sqrt(np.prod([x / x.sum(axis, keepdims=True) for x, axis in zip(shares, (1, 0), strict=True)], axis=0))
    place = np.abs((np.arange(n) / n)[:, None] - np.arange(m) / m)
    kinds = np.logical_xor.outer(src.function, tgt.function), np.logical_xor.outer(src.marks, tgt.marks)
    pair = np.logical_and.outer(src.function, tgt.function)
    values = (cosines, np.log(both + CLOSE), margins(cosines, 1), margins(cosines, 0), *beside(both), place, *kinds, pair)
    return np.stack([np.asarray(x, np.float64) for x in values], -1)


def second_features(probabilities: NDArray[np.float64], first: NDArray[np.float64]) -> NDArray[np.float64]:
    """The features of the first pass, and those of its probabilities."""
    p = np.clip(probabilities, CLOSE, 1 - CLOSE)
    values = (p, np.log(p / (1 - p)), margins(p, 1), margins(p, 0), *beside(p))
    return np.concatenate([first, np.stack(values, -1)], -1)


def margins(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """How far each value is above the best other one of its row (axis 1) or column (axis 0); 0 where there is no other.

    >>> margins(np.array([[3.0, 1.0, 2.0]]), 1).tolist()
    [[1.0, -2.0, -1.0]]
    """
    if values.shape[axis] < 2:
        return np.zeros_like(values)
    order = np.sort(values, axis)
    best, next_best = (np.take(order, [k], axis) for k in (-1, -2))
    return np.asarray(values - np.where(values == best, next_best, best))


def beside(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each pair of words the value of the two words before, of the two after, and the sum for all pairs within `REACH` on one side.

    Before the first words, and after the last, the value is 1: the sentences begin and end together.
    """
    n, m = values.shape
    wide = np.pad(values, REACH)
    around = np.zeros_like(values)
    for d in (-2, -1, 1, 2):
        for e in (-2, -1, 1, 2):
            if d * e > 0:
                around += wide[REACH + d : REACH + d + n, REACH + e : REACH + e + m]
    wide[REACH - 1, REACH - 1] = wide[REACH + n, REACH + m] = 1.0
    return wide[1 : 1 + n, 1 : 1 + m], wide[3 : 3 + n, 3 : 3 + m], around


def encoder_folder(language: str = "en") -> Path | None:
    """Where the encoder of a language lies: among the shipped files or in an installed package; None where there is none."""
    place = folder("languages") / f"encoder-{language}"
    if (place / modelfile.META).is_file():
        return place
    for entry in entry_points(group=GROUP):
        spec = find_spec(entry.module.partition(".")[0]) if entry.name == language else None
        if spec and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations)))
    return None


@lru_cache(maxsize=1)
def load_encoder(language: str = "en") -> ContextEncoder | None:
    """The installed encoder of a language; None where there is none, ModelError with the remedy where it is damaged."""
    place = encoder_folder(language)
    if place is None:
        return None
    try:
        return ContextEncoder.load(place)
    except ModelError as error:
        from divproj import __version__

        package = f"divproj-encoder-{language}=={__version__}"
        message = f"the encoder is damaged or of another version: {error.message}"
        command = f"pip install --force-reinstall --no-deps {package}"
        remedy = f"install it again: `{command}`, or uninstall it to do without"
        raise ModelError(message, error.where or Where(str(place)), remedy) from None
