"""Word vectors from files: `.npz`, word2vec or GloVe text, and the subword table in the `wordllama` wheel, read directly.

All come out as unit vectors, so that a product is a cosine. No neural library is needed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import FormatError, ModelError, Where
from divproj.io.files import Source, name_of, reading
from divproj.runtime.modelfile import read_arrays

Floats = NDArray[np.float32]
_SPACE = "\u2581"
MAX_HEADER = 1 << 20
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


def wordllama(folder: Source | None = None) -> Embeddings | None:
    """The static table in the `wordllama` package (MIT licence), None when it is not installed.

    A word's vector is the mean of its subwords' vectors. The package itself is never imported.
    """
    if folder is None:
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            return None
        folder = spec.submodule_search_locations[0]
    root = Path(folder)
    tables = sorted(root.glob("weights/*.safetensors"))
    splitters = sorted(root.glob("tokenizers/*tokenizer*.json"))
    if not tables or not splitters:
        raise ModelError(
            "no weights/*.safetensors and tokenizers/*.json here", Where(str(root)), "another version of wordllama?"
        )
    table = _safetensors(tables[0])
    pieces = Subwords.load(splitters[0])

    def vector(word: str) -> Floats | None:
        numbers = [k for k in pieces.numbers(word) if k < len(table)]
        return table[numbers].astype(np.float32).mean(axis=0) if numbers else None

    return Embeddings(table.shape[1], vector, f"wordllama:{tables[0].name}")


def _safetensors(path: Path) -> NDArray[np.floating]:
    """The one matrix of a safetensors file: eight bytes of length, a JSON header, then the numbers, memory-mapped."""
    where = Where(str(path))
    with open(path, "rb") as stream:
        start = stream.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else MAX_HEADER + 1
        if length > MAX_HEADER:
            raise ModelError("no safetensors file: its header is too long", where)
        try:
            header = json.loads(stream.read(length))
            entries = [value for name, value in header.items() if name != "__metadata__"]
            kind = {"F16": np.float16, "F32": np.float32}[entries[0]["dtype"]]
            (rows, columns), (first, last) = entries[0]["shape"], entries[0]["data_offsets"]
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise ModelError("no safetensors file with a matrix of F16 or F32", where) from None
    if not all(type(number) is int and number >= 0 for number in (rows, columns, first, last)):
        raise ModelError("a shape or offsets in the header that are not numbers from 0", where, "copy the file again")
    wanted = rows * columns * np.dtype(kind).itemsize
    if last - first != wanted or 8 + length + last > path.stat().st_size:
        raise ModelError(f"{last - first} bytes for a matrix of {rows} x {columns}, {wanted} expected", where)
    return np.memmap(path, dtype=kind, mode="r", offset=8 + length + first, shape=(rows, columns))


class Subwords:
    """Byte-pair encoding as in tokenizer files of type BPE: the lowest merge first, bytes for unknown characters."""

    def __init__(self, vocabulary: dict[str, int], merges: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self.ranks = {tuple(merge.split(" ", 1)): k for k, merge in enumerate(merges)}

    @classmethod
    def load(cls, path: Path) -> Subwords:
        try:
            model = json.loads(path.read_text(encoding="utf-8"))["model"]
            merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
            return cls({str(piece): int(k) for piece, k in model["vocab"].items()}, merges)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            raise ModelError("no BPE tokenizer: model.vocab and model.merges expected", Where(str(path))) from None

    def numbers(self, word: str) -> list[int]:
        """
        >>> Subwords({"\u2581": 0, "a": 1, "b": 2, "ab": 3, "\u2581ab": 4}, ["a b", "\u2581 ab"]).numbers("ab")
        [4]
        """
        parts = list(_SPACE + word.replace(" ", _SPACE))
        while len(parts) > 1:
            ranked = [(self.ranks.get((a, b), 1 << 60), k) for k, (a, b) in enumerate(pairwise(parts))]
            rank, k = min(ranked)
            if rank == 1 << 60:
                break
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
        found = []
        for part in parts:
            if part in self.vocabulary:
                found.append(self.vocabulary[part])
            else:
                codes = (f"<0x{byte:02X}>" for byte in part.encode("utf-8", "replace"))
                found += [self.vocabulary[code] for code in codes if code in self.vocabulary]
        return found


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
