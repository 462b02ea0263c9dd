"""`WordAligner`: fit on bitext, align, save, load, go on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from divproj import modelfile
from divproj.checkpoint import NOTHING, Checkpoint
from divproj.errors import ModelError, Where
from divproj.types import Alignment
from divproj.words import kernel
from divproj.words.direction import Bitext, Direction, Floats, Settings, Watch
from divproj.words.symmetrize import METHODS, from_posteriors, grow_diag_final_and, intersection, union
from divproj.words.vocabulary import STEM, Vocabulary, stem

FORMAT, VERSION = "divproj-words", 1
THRESHOLD = 0.3
SAME = 1.0
"""Pseudo-count of a string that stands on both sides: names, numbers, punctuation."""
LONGEST = 400
"""Words; a longer sentence gets no links, since one such pair would cost more than a thousand others."""

MOST = 100_000
"""A setting in a saved model; a damaged one must not ask for years of work."""

Pair = tuple[Sequence[str], Sequence[str]]
Sides = tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]
"""Something for every word of F and of E: lemmas, or tags."""
Known = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Linked:
    """Links of one pair, (f, e) from 1, each with a probability."""

    chances: dict[tuple[int, int], float]
    shape: tuple[int, int]

    @property
    def alignment(self) -> Alignment:
        return Alignment(frozenset(self.chances), self.shape)


@dataclass
class WordAligner:
    """Bayesian word alignment in both directions, started by IBM-1 and HMM.

    `threshold` is the one knob between recall (low) and precision (high); `method` may also be intersection, union or
    grow-diag-final-and of the two directions' best links. What was learned stays as counts of word pairs, so that `fit`
    again, on more text, goes on from there, and `align` treats new text in its light.
    """

    threshold: float = THRESHOLD
    method: str = "posterior"
    settings: Settings = field(default_factory=Settings)
    random_state: int = 1
    stem_length: int = STEM
    lower: bool = True
    counts_: dict[tuple[str, str], float] = field(default_factory=dict)
    """Expected links of word pairs seen in training."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(f"no method '{self.method}'", remedy=f"choose one of {', '.join(METHODS)}")

    def fit(self, pairs: Iterable[Pair], known: Known | None = None, **more: Any) -> WordAligner:
        """Learn from sentence pairs; `known` are word pairs believed to be translations, with pseudo-counts."""
        self.fit_align(pairs, known, **more)
        return self

    def fit_align(
        self,
        pairs: Iterable[Pair],
        known: Known | None = None,
        *,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        watch: Watch | None = None,
        keep: Checkpoint = NOTHING,
    ) -> list[Linked]:
        """Learn from the pairs and align them; rare words fall back on `lemmas` where given, else on stems.

        Sampling that takes long is kept in a checkpoint, and goes on from one that is resumed.
        """
        pairs = list(pairs)
        found, counts = self._run(pairs, {**self.counts_, **(known or {})}, watch, lemmas, tags, keep)
        for pair, count in counts.items():
            self.counts_[pair] = round(self.counts_.get(pair, 0.0) + count, 4)
        return found

    def align(self, pairs: Iterable[Pair], keep: Checkpoint = NOTHING) -> list[Linked]:
        """Links for new pairs; what was learned before is not changed."""
        return self._run(list(pairs), self.counts_, None, keep=keep)[0]

    def _run(
        self,
        pairs: list[Pair],
        known: Known,
        watch: Watch | None,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        keep: Checkpoint = NOTHING,
    ) -> tuple[list[Linked], dict[tuple[str, str], float]]:
        usable = [k for k, (f, e) in enumerate(pairs) if 0 < len(f) <= LONGEST and 0 < len(e) <= LONGEST]
        empty = [Linked({}, (len(f), len(e))) for f, e in pairs]
        if not usable:
            return empty, {}
        f_side = [[self._form(word) for word in pairs[k][0]] for k in usable]
        e_side = [[self._form(word) for word in pairs[k][1]] for k in usable]
        given = [None if x is None else tuple([side[k] for k in usable] for side in x) for x in (lemmas, tags)]
        books, bitext = self._encode(f_side, e_side, *given)
        posteriors = self._posteriors(bitext, books, known, watch, keep)
        found = empty
        for place, k in enumerate(usable):
            found[k] = Linked(self._links(bitext, posteriors, place), (len(pairs[k][0]), len(pairs[k][1])))
        counts: dict[tuple[str, str], float] = {}
        for place, k in enumerate(usable):
            for (i, j), chance in found[k].chances.items():
                pair = (f_side[place][i - 1], e_side[place][j - 1])
                counts[pair] = counts.get(pair, 0.0) + chance
        return found, counts

    def _posteriors(
        self, bitext: Bitext, books: list[Vocabulary], known: Known, watch: Watch | None, keep: Checkpoint
    ) -> list[Floats]:
        """Both directions at once; Ctrl-C ends the sampling with what there is."""
        stop = Event()
        settings = self.settings.for_pairs(len(bitext.src_at) - 1)
        if keep is not NOTHING:
            words = [list(book.numbers) for book in books[:2]]
            keep.identify(asdict(settings), self.random_state, words, sorted(known.items()), *_arrays(bitext))

        def one(turned: bool) -> Floats:
            side = bitext.turned if turned else bitext
            direction = Direction(side, settings)
            direction.known = _known_counts(direction, side, books, known, turned)
            if settings.sweeps:
                return direction.sample(self.random_state * 2 + turned, watch, stop, keep, "backward" if turned else "forward")
            direction.em(watch)
            return direction.hmm()

        for function in (
            kernel.number_cells,
            kernel.normalise,
            kernel.ibm1_expect,
            kernel.hmm_expect,
            kernel.hmm_all,
            kernel.sample,
        ):
            _ = function.compiled  # before the threads start
        with ThreadPoolExecutor(2) as threads:
            running = [threads.submit(one, turned) for turned in (False, True)]
            try:
                while wait(running, timeout=0.2).not_done:  # short waits: a long one does not hear Ctrl-C everywhere
                    pass
            except KeyboardInterrupt:
                stop.set()
            return [task.result() for task in running]

    def _form(self, word: str) -> str:
        return word.lower() if self.lower else word

    def _encode(
        self, f_side: list[list[str]], e_side: list[list[str]], lemmas: Any = None, tags: Any = None
    ) -> tuple[list[Vocabulary], Bitext]:
        books = [Vocabulary() for _ in range(6)]
        src, src_at = books[0].encode(f_side)
        tgt, tgt_at = books[1].encode(e_side)
        stems, tagged = [], []
        for k, (side, numbers) in enumerate(((f_side, src), (e_side, tgt))):
            if lemmas:
                chosen = [[self._short(w, x) for w, x in zip(s, y, strict=True)] for s, y in zip(side, lemmas[k], strict=True)]
                stems.append(books[2 + k].encode(chosen)[0])
            else:  # a stem a type, not a word
                by_type = [books[2 + k].number(stem(word, self.stem_length) if word else "") for word in books[k].numbers]
                stems.append(np.array(by_type, np.int32)[numbers])
            tagged.append(books[4 + k].encode(tags[k])[0] if tags else np.ones(len(numbers), np.int32))
        a, b, c, d, e, f = map(len, books)
        sizes, kinds = (a, b, c, d), (max(1, e - 1), max(1, f - 1))
        return books, Bitext(src, src_at, tgt, tgt_at, stems[0], stems[1], sizes, tagged[0], tagged[1], kinds)

    def _short(self, word: str, lemma: str) -> str:
        """What a word falls back on: its lemma when it has one of its own, else its stem."""
        return stem(word, self.stem_length) if lemma in (word, "_") else lemma.lower()

    def _links(self, bitext: Bitext, posteriors: list[Floats], k: int) -> dict[tuple[int, int], float]:
        n, m = (int(at[k + 1] - at[k]) for at in (bitext.src_at, bitext.tgt_at))
        turned = bitext.turned_at
        forward = posteriors[0][bitext.cell_at[k] : bitext.cell_at[k + 1]].reshape(n + 1, m)
        backward = posteriors[1][turned[k] : turned[k + 1]].reshape(m + 1, n)
        if self.method == "posterior":
            return from_posteriors(forward[1:], backward[1:].T, self.threshold)
        best_f = frozenset((int(i), j + 1) for j, i in enumerate(forward.argmax(axis=0)) if i)
        best_b = frozenset((i + 1, int(j)) for i, j in enumerate(backward.argmax(axis=0)) if j)
        join = {"intersection": intersection, "union": union}.get(self.method, grow_diag_final_and)
        return {(i, j): round(float(forward[i, j - 1] + backward[j, i - 1]) / 2, 4) for i, j in sorted(join(best_f, best_b))}

    def save(self, folder: Path) -> None:
        """`model.json` and `weights.npz` in a folder."""
        pairs = sorted(self.counts_)
        about = {
            "threshold": self.threshold, "method": self.method, "random_state": self.random_state,
            "stem_length": self.stem_length, "lower": self.lower, "settings": asdict(self.settings), "pairs": pairs,
        }  # fmt: skip
        counts = np.array([self.counts_[p] for p in pairs], np.float32)
        modelfile.save(folder, FORMAT, VERSION, about, {"counts": counts})

    @classmethod
    def load(cls, folder: Path) -> WordAligner:
        """A saved model; ModelError when it is not one, or of another version."""
        where = Where(str(folder))
        try:
            about: Any = json.loads((folder / "model.json").read_text(encoding="utf-8"))
            arrays = modelfile.read_arrays(folder / "weights.npz")
        except (OSError, ValueError, RecursionError, ModelError) as error:
            what = error.what if isinstance(error, ModelError) else error
            raise ModelError(f"no word alignment model here: {what}", where, "`proj words --save` makes one") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("version") != VERSION:
            raise ModelError(f"not a word alignment model of version {VERSION}", where, "train it again")
        model = modelfile.Model(FORMAT, about, arrays, where)
        pairs, counts = model.fact("pairs", list), model.array("counts", "f", None)
        if len(counts) != len(pairs) or not all(isinstance(p, list) and [type(w) for w in p] == [str, str] for p in pairs):
            raise ModelError("model.json and weights.npz do not belong together", where, "train it again")
        defaults = {f.name: getattr(cls(), f.name) for f in fields(cls) if f.name not in ("settings", "counts_")}
        params = modelfile.like_defaults({name: about.get(name) for name in defaults}, defaults, where)
        knobs = modelfile.like_defaults(about.get("settings"), asdict(Settings()), where)
        if not all(0 <= knob <= MOST for knob in knobs.values()):
            raise ModelError(f"'settings' are {knobs!r:.200}, numbers from 0 to {MOST} expected", where, "train it again")
        known = {(f, e): float(c) for (f, e), c in zip(pairs, counts.tolist(), strict=True)}
        return cls(**params, settings=Settings(**knobs), counts_=known)


def _arrays(bitext: Bitext) -> list[Any]:
    return [
        bitext.src_at,
        bitext.src,
        bitext.tgt_at,
        bitext.tgt,
        bitext.src_stem,
        bitext.tgt_stem,
        bitext.src_tag,
        bitext.tgt_tag,
    ]


def _known_counts(direction: Direction, side: Bitext, books: list[Vocabulary], known: Known, turned: bool) -> Floats:
    """Pseudo-counts of the cells, for word pairs known beforehand; the same string on both sides is such a pair."""
    counts = np.zeros(len(direction.cell_src))
    wanted: dict[tuple[int, int], float] = {}
    f_numbers, e_numbers = books[0].numbers, books[1].numbers
    for word in f_numbers.keys() & e_numbers.keys() - {""}:
        wanted[f_numbers[word], e_numbers[word]] = SAME
    for (f, e), count in known.items():
        i, j = f_numbers.get(f), e_numbers.get(e)
        if i and j:
            wanted[i, j] = wanted.get((i, j), 0.0) + count
    if not wanted:
        return counts
    pairs = np.array(sorted(wanted), np.int64)
    values = np.array([wanted[i, j] for i, j in pairs.tolist()])
    keys = (pairs[:, turned * 1] << 32) | pairs[:, 1 - turned]
    order = np.argsort(keys)
    keys, values = keys[order], values[order]
    cell_keys = (direction.cell_src.astype(np.int64) << 32) | direction.cell_targets()
    at = np.minimum(np.searchsorted(keys, cell_keys), len(keys) - 1)
    found = keys[at] == cell_keys
    counts[found] = values[at[found]]
    return counts
