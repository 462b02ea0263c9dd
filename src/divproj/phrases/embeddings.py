"""Word vectors: those of the English parser, or from files (`.npz`, word2vec or GloVe text).

All come out as unit vectors, so that a product is a cosine. No neural library is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import FormatError, ModelError, Where
from divproj.io.files import Source, name_of, reading
from divproj.runtime.modelfile import read_arrays

Floats = NDArray[np.float32]
WIDEST = 1 << 16
"""Numbers of a vector: an unknown word gets as many zeros, whatever a header says."""


class Embeddings:
    """Unit vectors of words; words that have none have the zero vector, which is near to nothing."""

    def __init__(self, size: int, vector: Callable[[str], Floats | None], name: str = "") -> None:
        if size > WIDEST:
            raise FormatError(f"vectors of {size} numbers, at most {WIDEST} expected", Where(name))
        self.size, self.name = size, name
        self._vector = vector
        self._known: dict[str, Floats] = {}

    def vector(self, word: str) -> Floats:
        found = self._known.get(word)
        if found is None:
            made = self._vector(word)
            found = np.zeros(self.size, np.float32) if made is None else _unit(made)
            self._known[word] = found
        return found

    def has(self, word: str) -> bool:
        return bool(self.vector(word).any())

    def rows(self, words: Sequence[str]) -> Floats:
        return np.stack([self.vector(word) for word in words]) if words else np.zeros((0, self.size), np.float32)

    def cosine(self, a: str, b: str) -> float:
        return float(self.vector(a) @ self.vector(b))

    @classmethod
    def of(cls, words: Sequence[str], matrix: Floats, name: str = "") -> Embeddings:
        """
        >>> two = Embeddings.of(["a", "b"], np.array([[2, 0], [1, 1]], np.float32))
        >>> round(two.cosine("a", "b"), 3), two.cosine("a", "c")
        (0.707, 0.0)
        """
        place = {word: k for k, word in reversed(list(enumerate(words)))}
        return cls(matrix.shape[1], lambda word: matrix[place[word]] if word in place else None, name)


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    usable = 0 < length < np.inf
    return np.asarray(vector / length if usable else np.zeros_like(vector), dtype=np.float32)


def load(source: Source, vocabulary: Collection[str] | None = None) -> Embeddings:
    """Vectors of a file: `.npz` with `words` and `vectors`, or text with a word and its numbers a line.

    With a `vocabulary` only its words are kept, so that large text files need little memory.
    """
    path = name_of(source)
    with reading(source) as stream:
        start = stream.peek(4)[:4] if hasattr(stream, "peek") else b""
        if start[:2] != b"PK":
            return _text(stream, path, vocabulary)
    return _npz(path)


def _npz(path: str) -> Embeddings:
    where = Where(path)
    try:
        data = read_arrays(Path(path))
    except ModelError as error:
        what = error.what.removeprefix("cannot be read: ")
        raise ModelError(f"not a file of vectors that can be used: {what}", where, "words must be text, not objects") from None
    if "words" not in data or "vectors" not in data:
        raise ModelError(f"arrays {str(sorted(data))[:200]} in the file, 'words' and 'vectors' expected", where)
    words, vectors = data["words"], data["vectors"]
    if vectors.ndim != 2 or words.shape != vectors.shape[:1] or words.dtype.kind != "U" or vectors.dtype.kind != "f":
        raise ModelError(
            f"words {words.dtype!s:.40} {words.shape}, vectors {vectors.dtype!s:.40} {vectors.shape}: they do not fit", where
        )
    return Embeddings.of([str(word) for word in words], vectors.astype(np.float32), path)


def _text(stream: Iterable[bytes], path: str, vocabulary: Collection[str] | None) -> Embeddings:
    words: list[str] = []
    rows: list[Floats] = []
    size = 0
    for number, raw in enumerate(stream, 1):
        fields = raw.decode("utf-8", "replace").rstrip().split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdecimal() and len(field) < 19 for field in fields):
            size = int(fields[1])
            continue
        size = size or len(fields) - 1
        if len(fields) <= size or size < 1:
            raise FormatError(
                f"{len(fields) - 1} numbers, {size or 'some'} expected", Where(path, number), "is it word2vec text?"
            )
        word = " ".join(fields[:-size])
        if vocabulary is not None and word not in vocabulary:
            continue
        try:
            with np.errstate(over="ignore"):  # such a word counts as one without a vector
                rows.append(np.array(fields[-size:], dtype=np.float32))
        except ValueError:
            raise FormatError(f"the vector of '{word[:40]}' has a field that is not a number", Where(path, number)) from None
        words.append(word)
    return Embeddings.of(words, np.stack(rows) if rows else np.zeros((0, max(size, 1)), np.float32), path)


def shipped(language: str = "en") -> Embeddings:
    """The vectors that come with a language, those of its parser."""
    from divproj.runtime import vectors

    found = vectors.shipped(language)
    return Embeddings(found.size, found.vector, language)


def threshold(
    embeddings: Embeddings, pairs: Iterable[tuple[Sequence[str], Sequence[str]]], rank: int = 100, low: float = 0.4
) -> float:
    """The `rank`-th highest cosine of different words that stand in sentence pairs (Arase & Tsujii 2017, section 6.1).

    Each pair of words counts once; never below `low`, which is what comes out when there are fewer pairs.
    """
    best: dict[tuple[str, str], float] = {}
    for src, tgt in pairs:
        one, two = sorted({w.lower() for w in src}), sorted({w.lower() for w in tgt})
        cosines = embeddings.rows(one) @ embeddings.rows(two).T
        for i, j in zip(*np.nonzero(cosines >= low), strict=True):
            if one[i] != two[j]:
                best[min(one[i], two[j]), max(one[i], two[j])] = float(cosines[i, j])
    ranked = sorted(best.values(), reverse=True)
    return ranked[rank - 1] if len(ranked) >= rank else low
