"""Word vectors of a language pack: words with similar neighbours in text have similar vectors.

The table is that of the parser's model (one byte a number), so nothing is kept twice. For vectors from files of other
programs see `phrases.embeddings`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, ProjError, Where
from divproj.runtime.modelfile import ARRAYS, REMEDY, ModelFolder, read_arrays
from divproj.runtime.resources import folder

Floats = NDArray[np.float32]
NAMES = ("vectors.rows", "vectors.units", "vectors.words")
PLAIN = str.maketrans({"‘": "'", "’": "'", "`": "'", "–": "-", "—": "-", "…": "..."})


class WordVectors:
    """Vectors of common words, looked up whatever their case; other words have none and are like nothing.

    >>> rows = np.array([[127, 0], [127, 127], [0, 127]], np.int8)
    >>> some = WordVectors(["dog", "cat", "of"], rows, np.ones(3, np.float32))
    >>> round(some.similarity("Dog", "cat"), 3), some.similarity("dog", "xyzzy")
    (0.707, 0.0)
    """

    def __init__(self, words: list[str], rows: NDArray[np.int8], units: Floats) -> None:
        self.words, self.rows, self.units = words, rows, units
        self.place = {word: k for k, word in reversed(list(enumerate(words)))}
        self._lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32))

    @classmethod
    def of(cls, model: ModelFolder) -> WordVectors:
        """The vectors among the arrays of a model; ModelError where they do not fit each other."""
        rows = model.array(NAMES[0], "i", None, None)
        units = model.array(NAMES[1], "f", len(rows))
        letters = model.array(NAMES[2], "u", None)
        try:
            words = letters.astype(np.uint8).tobytes().decode("utf-8").split("\n") if len(letters) else []
        except UnicodeDecodeError:
            raise ModelError(f"array '{NAMES[2]}' is no text in UTF-8", model.where, REMEDY) from None
        if rows.dtype != np.int8 or len(words) != len(rows):
            raise ModelError(f"{len(words)} words for {len(rows)} vectors of {rows.dtype}", model.where, REMEDY)
        return cls(words, rows, units.astype(np.float32))

    @classmethod
    def load(cls, path: str | Path) -> WordVectors:
        """The vectors of a language model's folder, or of an `.npz` file with the same arrays."""
        place = Path(path)
        file = place / ARRAYS if place.is_dir() else place
        return cls.of(ModelFolder("", {}, read_arrays(file, only=NAMES), Where(str(place))))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What belongs in `weights.npz`."""
        letters = np.frombuffer("\n".join(self.words).encode(), np.uint8)
        return dict(zip(NAMES, (self.rows, self.units, letters), strict=True))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return self._at(word) >= 0

    @property
    def size(self) -> int:
        """Numbers of a vector."""
        return int(self.rows.shape[1])

    def vector(self, word: str) -> Floats | None:
        """The vector of a word as it was before rounding, up to one constant for all words; None for an unknown one."""
        k = self._at(word)
        return None if k < 0 else self.rows[k].astype(np.float32) * self.units[k]

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two words' vectors: 1 for the same word, about 0 for unrelated ones and for unknown words."""
        i, j = self._at(a), self._at(b)
        if i < 0 or j < 0:
            return 0.0
        length = float(self._lengths[i] * self._lengths[j])
        return float(self.rows[i].astype(np.int32) @ self.rows[j].astype(np.int32)) / length if length else 0.0

    def _at(self, word: str) -> int:
        return self.place.get(word.translate(PLAIN).lower(), -1)


@lru_cache(maxsize=2)
def shipped_vectors(language: str = "en") -> WordVectors:
    """The vectors of a language that comes with divproj."""
    place = folder("languages") / language
    if "/" in language or not (place / ARRAYS).is_file():
        raise ProjError(f"no vectors of language '{language}' come with divproj", remedy="there are those of 'en'")
    return WordVectors.load(place)
