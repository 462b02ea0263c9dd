"""`WordAligner`: Bayesian word alignment, to fit on bitext, align, save, load and train further.

Both directions are aligned (`word_direction`) and their posteriors joined to one set of links (`from_posteriors`, or a
heuristic such as `grow_diag_final_and`). Rare words fall back on their lemmas or stems (`stem`).

What is known beforehand, from dictionaries (`from_dictionary`) or links of glossed sentences (`from_links`), counts as if
it had been seen in the text. `Counts` says how often pairs of words are linked, compact enough to be sent between
processes; a `Tally` is a sum of many.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import FormatError, ModelError, Where, why
from divproj.core.links import Links
from divproj.core.options import LINK_METHODS, WordsOptions
from divproj.core.pair import Pair
from divproj.links import word_direction
from divproj.links.word_direction import Direction, Floats, Prior, Settings, Watch, WordArrays
from divproj.runtime import modelfile
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.modelfile import Estimator

SAME_STRING = 1.0
"""Pseudo-count of a string that stands on both sides: names, numbers, punctuation."""
DICTIONARY_ENTRY = 2.0
"""Pseudo-count of a dictionary entry."""


KnownCounts = dict[tuple[str, str], float]


def from_links(
    pairs: Iterable[tuple[Sequence[str], Sequence[str], Iterable[tuple[int, int, float]]]], weight: float = 1.0
) -> KnownCounts:
    """Pseudo-counts from linked sentences: (F words, E words, links (f, e, score) from 1).

    >>> from_links([(("Hund",), ("dog",), [(1, 1, 0.5)])])
    {('hund', 'dog'): 0.5}
    """
    known: KnownCounts = {}
    for f, e, links in pairs:
        for i, j, score in links:
            pair = (f[i - 1].lower(), e[j - 1].lower())
            known[pair] = known.get(pair, 0.0) + weight * score
    return known


def from_dictionary(lines: Iterable[str], path: str = "") -> KnownCounts:
    """Pseudo-counts from a TSV: F word, E word, and a weight if there is a third column; `#` begins a comment."""
    known: KnownCounts = {}
    for number, line in enumerate(lines, 1):
        cells = line.rstrip("\r\n").split("\t")
        if not line.strip() or line.startswith("#"):
            continue
        try:
            weight = float(cells[2]) if len(cells) > 2 else DICTIONARY_ENTRY
        except ValueError:
            raise FormatError(f"weight is '{cells[2]}', a number expected", Where(path, number)) from None
        if len(cells) < 2:
            raise FormatError("one column, two expected: F word, tab, E word", Where(path, number))
        pair = (cells[0].strip().lower(), cells[1].strip().lower())
        known[pair] = known.get(pair, 0.0) + weight
    return known


STEM = 4
"""First letters that stand for a rare word."""


def stem(word: str, length: int = STEM) -> str:
    """The first characters of a word in lower case; a number is `0`, what has no letter stays.

    >>> stem("Houses"), stem("1.250"), stem("!")
    ('hous', '0', '!')
    """
    if any(c.isdigit() for c in word) and not any(c.isalpha() for c in word):
        return "0"
    return word.lower()[:length]


@dataclass
class Vocabulary:
    """Numbers of words, from 1; 0 is the empty word."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, word: str) -> int:
        return self.numbers.setdefault(word, len(self.numbers))

    def encode(self, sentences: Iterable[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """All words end to end, and where each sentence starts."""
        flat: list[int] = []
        at = [0]
        number = self.number
        for sentence in sentences:
            flat += [number(word) for word in sentence]
            at.append(len(flat))
        return np.array(flat, np.int32), np.array(at, np.int64)


Ints = NDArray[np.integer[Any]]
CountValues = NDArray[np.floating[Any]]
LEAST_COUNT = 1e-6
"""A count that is taken for none: what is left when a part is taken out of a sum."""
END = "\n"
"""No word has it."""


@dataclass(frozen=True)
class Counts:
    """`values[k]` is the count of the pair `f[rows[k]]`, `e[columns[k]]`; no pair is there twice."""

    f: Sequence[str]
    e: Sequence[str]
    rows: Ints
    columns: Ints
    values: CountValues

    @classmethod
    def from_occurrences(cls, names: tuple[Sequence[str], Sequence[str]], f: Ints, e: Ints, values: CountValues) -> Counts:
        """From numbers of words on both sides, pairs as often as they come, and the names of the numbers."""
        keys, at = np.unique(_keys(f, e), return_inverse=True)
        f_used, rows = np.unique(keys >> 32, return_inverse=True)
        e_used, columns = np.unique(keys & _LOW, return_inverse=True)
        summed = np.bincount(at, weights=values, minlength=len(keys)).astype(float)
        f_names, e_names = ([side[k] for k in used.tolist()] for side, used in zip(names, (f_used, e_used), strict=True))
        return cls(f_names, e_names, rows.astype(np.int32), columns.astype(np.int32), summed)

    @classmethod
    def of(cls, known: Mapping[tuple[str, str], float]) -> Counts:
        """From a mapping."""
        books = Vocabulary(), Vocabulary()
        f, e = (np.array([book.number(pair[k]) for pair in known], np.int64) for k, book in enumerate(books))
        names = [*books[0].numbers], [*books[1].numbers]
        return cls.from_occurrences(names, f, e, np.array([*known.values()], float))

    def to_dict(self) -> KnownCounts:
        """As a mapping."""
        rows, columns, values = self.rows.tolist(), self.columns.tolist(), self.values.tolist()
        return {(self.f[i], self.e[j]): value for i, j, value in zip(rows, columns, values, strict=True)}

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """As arrays alone, for a file."""
        texts = {f"{name}-{side}": pack_words(words) for side, words in (("f", self.f), ("e", self.e))}
        return {**texts, f"{name}-rows": self.rows, f"{name}-columns": self.columns, f"{name}-values": self.values}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str) -> Counts:
        """What `arrays` made; ValueError or KeyError where it cannot be that."""
        f, e = (unpack_words(arrays[f"{name}-{side}"]) for side in "fe")
        counts = cls(f, e, *(arrays[f"{name}-{part}"] for part in ("rows", "columns", "values")))
        for at, side in ((counts.rows, f), (counts.columns, e)):
            if (
                at.shape != counts.values.shape
                or at.dtype.kind != "i"
                or (len(at) and not 0 <= at.min() <= at.max() < len(side))
            ):
                raise ValueError("pairs of words that are not there")
        return counts


def pack_words(words: Iterable[str]) -> NDArray[np.uint8]:
    """Words as bytes."""
    return np.frombuffer("".join(f"{word}{END}" for word in words).encode("utf-8", "surrogatepass"), np.uint8)


def unpack_words(data: NDArray[Any]) -> list[str]:
    """Words from bytes; ValueError where they are none."""
    return data.astype(np.uint8).tobytes().decode("utf-8", "surrogatepass").split(END)[:-1]


@dataclass
class Tally:
    """Sums of counts, of which each part can be taken out again."""

    books: tuple[Vocabulary, Vocabulary] = field(default_factory=lambda: (Vocabulary(), Vocabulary()))
    parts: list[tuple[Ints, CountValues]] = field(default_factory=list)
    _sum: tuple[Ints, CountValues] | None = None

    @classmethod
    def of(cls, known: Mapping[tuple[str, str], float]) -> Tally:
        """With one part, what is known beforehand."""
        tally = cls()
        tally.add(Counts.of(known))
        return tally

    def add(self, counts: Counts) -> None:
        f, e = (
            np.array([book.number(word) for word in side] or [0], np.int64)
            for book, side in zip(self.books, (counts.f, counts.e), strict=True)
        )
        keys = _keys(f[counts.rows], e[counts.columns])
        order = np.argsort(keys)
        self.parts.append((keys[order], counts.values[order]))
        self._sum = None

    @property
    def sum(self) -> tuple[Ints, CountValues]:
        """Keys in order, and their counts."""
        if self._sum is None:
            all_keys = np.concatenate([keys for keys, _ in self.parts] or [np.zeros(0, np.int64)])
            keys, at = np.unique(all_keys, return_inverse=True)
            weights = np.concatenate([values for _, values in self.parts] or [np.zeros(0)])
            self._sum = keys, np.bincount(at, weights=weights, minlength=len(keys)).astype(float)
        return self._sum

    def counts(self) -> Counts:
        """All of it."""
        keys, values = self.sum
        return Counts.from_occurrences(self._names, keys >> 32, keys & _LOW, values)

    def between(self, words: Sequence[Iterable[str]], without: int | None = None) -> Counts:
        """What there is of these words of F and of E, without one of the parts."""
        keys, values = self.sum
        if without is not None:
            part_keys, brought = self.parts[without]
            values = values.copy()
            values[np.searchsorted(keys, part_keys)] -= brought
        there = values > LEAST_COUNT
        for book, side, numbers in zip(self.books, words, (keys >> 32, keys & _LOW), strict=True):
            among = np.zeros(len(book), bool)
            among[[book.numbers[word] for word in side if word in book.numbers]] = True
            there &= among[numbers]
        return Counts.from_occurrences(self._names, keys[there] >> 32, keys[there] & _LOW, values[there])

    @property
    def _names(self) -> tuple[list[str], list[str]]:
        return [*self.books[0].numbers], [*self.books[1].numbers]


_LOW = np.int64((1 << 32) - 1)


def _keys(f: Ints, e: Ints) -> Ints:
    return (f.astype(np.int64) << 32) | e.astype(np.int64)


LinkSet = frozenset[tuple[int, int]]
METHODS = LINK_METHODS
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def from_posteriors(
    forward: NDArray[np.floating], backward: NDArray[np.floating], threshold: float
) -> dict[tuple[int, int], float]:
    """Links (from 1) whose mean probability in both directions reaches the threshold: low for recall, high for precision.

    >>> from_posteriors(np.array([[0.9, 0.0]]), np.array([[0.5, 0.1]]), 0.5)
    {(1, 1): 0.7}
    """
    mean = (forward + backward) / 2
    places = np.argwhere(mean >= threshold)
    return {(int(i) + 1, int(j) + 1): round(float(mean[i, j]), 4) for i, j in places}


def intersection(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward & backward


def union(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward | backward


def grow_diag_final_and(forward: LinkSet, backward: LinkSet) -> LinkSet:
    """Koehn et al. (2005): grow the intersection by neighbours in the union, then add links of words that have none.

    >>> sorted(grow_diag_final_and(frozenset({(1, 1), (2, 2)}), frozenset({(1, 1), (1, 2)})))
    [(1, 1), (1, 2), (2, 2)]
    """
    both = forward | backward
    links = set(forward & backward)
    rows, columns = {i for i, _ in links}, {j for _, j in links}
    added = True
    while added:
        added = False
        for i, j in sorted(links):
            for di, dj in _NEIGHBOURS:
                new = (i + di, j + dj)
                if new in both and new not in links and (new[0] not in rows or new[1] not in columns):
                    links.add(new)
                    rows.add(new[0])
                    columns.add(new[1])
                    added = True
    for side in (forward, backward):
        for i, j in sorted(side):
            if i not in rows and j not in columns:
                links.add((i, j))
                rows.add(i)
                columns.add(j)
    return frozenset(links)


FORMAT, VERSION = "divproj-words", 1
LONGEST = 400
"""Words; a longer sentence gets no links, since one such pair would cost more than a thousand others."""


PRIORS = ("alpha", "beta", "kappa")
"""Settings by which counts are divided."""
MOST = 100_000
"""A setting in a saved model; a damaged one must not ask for years of work."""


WordPair = tuple[Sequence[str], Sequence[str]]
Sides = tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]
"""Something for every word of F and of E: lemmas, or tags."""
Known = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class ScoredLinks:
    """Links of one pair, (f, e) from 1, each with a probability."""

    probabilities: dict[tuple[int, int], float]
    shape: tuple[int, int]

    @property
    def links(self) -> Links:
        return Links(frozenset(self.probabilities), self.shape, weights=tuple(sorted(self.probabilities.items())))


@dataclass(frozen=True)
class LearnedLinks:
    """Links of some pairs, and the expected links of words and of stems there."""

    links: list[ScoredLinks]
    words: Counts
    stems: Counts
    jumps: tuple[Floats, Floats] | None = None
    """How often links jump so far, in both directions."""


def _words(pair: WordPair | Pair) -> WordPair:
    return (pair.f.forms, pair.e.forms) if isinstance(pair, Pair) else pair


@dataclass
class WordAligner(Estimator):
    """Bayesian word alignment in both directions, started by IBM-1 and HMM.

    `threshold` is the one knob between recall (low) and precision (high); `method` may also be intersection, union or
    grow-diag-final-and of the two directions' best links. What was learned stays as counts of word pairs, so that `fit`
    again, on more text, goes on from there, and `align` treats new text in its light.

    >>> import divproj as dp
    >>> aligner = WordAligner(threshold=0.5).fit(dp.read("deu-eng"))
    >>> len(aligner.counts_) > 0
    True
    """

    threshold: float = WordsOptions.threshold
    method: str = WordsOptions.method
    settings: Settings = field(default_factory=Settings)
    random_state: int = WordsOptions.seed
    stem_length: int = STEM
    lower: bool = True
    counts_: dict[tuple[str, str], float] = field(default_factory=dict)
    jumps_: tuple[Floats | None, Floats | None] = field(default=(None, None), compare=False, repr=False)
    """How often links of the text that was learned from jump so far, in both directions; not saved."""
    """Expected links of word pairs seen in training."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(f"no method '{self.method}'", remedy=f"choose one of {', '.join(METHODS)}")

    def fit(self, pairs: Iterable[WordPair | Pair], known: Known | None = None, **more: Any) -> WordAligner:
        """Learn from sentence pairs; `to_dict` has word pairs that are taken to be translations, with pseudo-counts."""
        self.fit_align(map(_words, pairs), known, **more)
        return self

    def pipe(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs with new links and their probabilities; all pairs are learned from together.

        >>> import divproj as dp
        >>> pair = next(dp.WordAligner().pipe(dp.read("deu-eng")))
        >>> len(pair.links) > 0
        True
        """
        some = list(pairs)
        for pair, linked in zip(some, self.fit_align(map(_words, some)), strict=True):
            yield replace(pair, links=linked.links)

    def fit_align(
        self,
        pairs: Iterable[WordPair],
        known: Known | None = None,
        *,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        watch: Watch | None = None,
        checkpoint: Checkpoint = NOTHING,
    ) -> list[ScoredLinks]:
        """Learn from the pairs and align them; rare words fall back on `lemmas` where given, else on stems.

        All pairs are held in memory; `word_corpus.align_text` splits a long
        text. Sampling that takes long is kept in a checkpoint,
        and goes on from one that is resumed.
        """
        learned = self.learn(list(pairs), self.prior(known), lemmas=lemmas, tags=tags, watch=watch, checkpoint=checkpoint)
        self.remember(learned.words)
        self.jumps_ = learned.jumps or (None, None)
        return learned.links

    def align(self, pairs: Iterable[WordPair], checkpoint: Checkpoint = NOTHING) -> list[ScoredLinks]:
        """Links for new pairs; what was learned before is not changed."""
        return self.learn(list(pairs), self.prior(), checkpoint=checkpoint).links

    def prior(self, known: Known | None = None) -> tuple[Known, Known]:
        """What is known of words and of stems beforehand: what was learned before, and `to_dict`."""
        words = {**self.counts_, **(known or {})}
        stems: dict[tuple[str, str], float] = {}
        for (f, e), count in words.items():
            pair = (stem(f, self.stem_length), stem(e, self.stem_length))
            stems[pair] = stems.get(pair, 0.0) + count
        return words, stems

    def remember(self, learned: Counts) -> None:
        """Add what was learned from a text to what is known of word pairs."""
        for pair, count in learned.to_dict().items():
            self.counts_[pair] = round(self.counts_.get(pair, 0.0) + count, 4)

    def learn(
        self,
        pairs: Sequence[WordPair],
        prior: tuple[Known, Known],
        *,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        watch: Watch | None = None,
        checkpoint: Checkpoint = NOTHING,
        threads: int = 2,
        of: int = 0,
    ) -> LearnedLinks:
        """Links of pairs that are learned from together, and the counts of linked words and stems; `self` does not change.

        Where they are a part of a text, `of` says how many pairs that has in all. Else Ctrl-C ends the sampling with what
        there is.
        """
        usable = [k for k, (f, e) in enumerate(pairs) if 0 < len(f) <= LONGEST and 0 < len(e) <= LONGEST]
        linked = [ScoredLinks({}, (len(f), len(e))) for f, e in pairs]
        if not usable:
            return LearnedLinks(linked, Counts.of({}), Counts.of({}))
        f_side = [[self.form(word) for word in pairs[k][0]] for k in usable]
        e_side = [[self.form(word) for word in pairs[k][1]] for k in usable]
        given = [None if x is None else tuple([side[k] for k in usable] for side in x) for x in (lemmas, tags)]
        books, bitext = self._encode(f_side, e_side, *given)
        posteriors, jumps = self._posteriors(bitext, books, prior, watch, checkpoint, threads, of)
        for place, k in enumerate(usable):
            linked[k] = ScoredLinks(self._links(bitext, posteriors, place), (len(pairs[k][0]), len(pairs[k][1])))
        return LearnedLinks(linked, *_linked_counts(bitext, books, [linked[k].probabilities for k in usable]), jumps)

    def _posteriors(
        self, bitext: WordArrays, books: list[Vocabulary], prior: tuple[Known, Known], watch: Watch | None, checkpoint: Checkpoint,
        threads: int, of: int,
    ) -> tuple[list[Floats], tuple[Floats, Floats]]:  # fmt: skip
        """Return the posteriors of both directions, learned at once where there are two threads, and how often links jump."""
        stop = Event()
        settings = self.settings.for_pairs(of or len(bitext.src_at) - 1)
        if checkpoint is not NOTHING:
            texts = [list(book.numbers) for book in books[:2]]
            checkpoint.identify(
                asdict(settings), self.random_state, texts, *(sorted(x.items()) for x in prior), *_arrays(bitext)
            )
        words = _number_pairs(books[:2], prior[0])
        for form in books[0].numbers.keys() & books[1].numbers.keys() - {""}:
            pair = books[0].numbers[form], books[1].numbers[form]
            words[pair] = words.get(pair, 0.0) + SAME_STRING
        stems = _number_pairs(books[2:4], prior[1])

        def one(turned: bool) -> tuple[Floats, Floats]:
            known = [Prior.of({(e, f) if turned else (f, e): x for (f, e), x in pairs.items()}) for pairs in (words, stems)]
            direction = Direction(bitext.transpose if turned else bitext, settings, known[0], known[1], self.jumps_[turned])
            if settings.sweeps:
                posteriors = direction.sample(
                    self.random_state * 2 + turned, watch, stop, checkpoint, "backward" if turned else "forward"
                )
                return posteriors, direction.jump_counts
            direction.em(watch)
            return direction.hmm(), direction.jump_counts

        for function in (
            word_direction.number_cells,
            word_direction.target_types,
            word_direction.normalise,
            word_direction.ibm1_expect,
            word_direction.hmm_expect,
            word_direction.sample if settings.sweeps else word_direction.hmm_all,
        ):
            _ = function.compiled  # before the threads start
        sides, running = (False, True), []
        with ThreadPoolExecutor(threads) as pool:
            try:
                for turned in sides:
                    running.append(pool.submit(one, turned))
                while wait(running, timeout=0.2).not_done:  # short waits: a long one does not hear Ctrl-C everywhere
                    pass
            except KeyboardInterrupt:
                stop.set()
                if of:
                    raise
                running += [pool.submit(one, turned) for turned in sides[len(running) :]]
            (forward, forth), (backward, back) = (task.result() for task in running)
            return [forward, backward], (forth, back)

    def form(self, word: str) -> str:
        """The form under which a word is counted."""
        return word.lower() if self.lower else word

    def _encode(
        self, f_side: list[list[str]], e_side: list[list[str]], lemmas: Any = None, tags: Any = None
    ) -> tuple[list[Vocabulary], WordArrays]:
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
        return books, WordArrays(src, src_at, tgt, tgt_at, stems[0], stems[1], sizes, tagged[0], tagged[1], kinds)

    def _short(self, word: str, lemma: str) -> str:
        """What a word falls back on: its lemma when it has one of its own, else its stem."""
        return stem(word, self.stem_length) if lemma in (word, "_") else lemma.lower()

    def _links(self, bitext: WordArrays, posteriors: list[Floats], k: int) -> dict[tuple[int, int], float]:
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
            arrays = modelfile.read_arrays(
                folder / "weights.npz", bound=about.get(modelfile.BOUND) if isinstance(about, dict) else None
            )
        except (OSError, ValueError, RecursionError, ModelError) as error:
            message = error.message if isinstance(error, ModelError) else why(error)
            raise ModelError(f"no word alignment model here: {message}", where, "`proj words --save` makes one") from None
        if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("version") != VERSION:
            raise ModelError(f"not a word alignment model of version {VERSION}", where, "train it again")
        model = modelfile.ModelFolder(FORMAT, about, arrays, where)
        pairs, counts = model.fact("pairs", list), model.array("counts", "f", None)
        if len(counts) != len(pairs) or not all(isinstance(p, list) and [type(w) for w in p] == [str, str] for p in pairs):
            raise ModelError("model.json and weights.npz do not belong together", where, "train it again")
        defaults = {f.name: getattr(cls(), f.name) for f in fields(cls) if f.name not in ("settings", "counts_", "jumps_")}
        params = modelfile.like_defaults({name: about.get(name) for name in defaults}, defaults, where)
        knobs = modelfile.like_defaults(about.get("settings"), asdict(Settings()), where)
        if not all(0 <= knob <= MOST for knob in knobs.values()) or not all(knobs.get(name, 1) for name in PRIORS):
            message = f"'settings' are {knobs!r:.200}, numbers from 0 to {MOST} expected, {', '.join(PRIORS)} above 0"
            raise ModelError(message, where, "train it again")
        known = {(f, e): float(c) for (f, e), c in zip(pairs, counts.tolist(), strict=True)}
        return cls(**params, settings=Settings(**knobs), counts_=known)


def _arrays(bitext: WordArrays) -> list[Any]:
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


def _number_pairs(books: list[Vocabulary], known: Known) -> dict[tuple[int, int], float]:
    """What is known of words that are in the text, by number."""
    f_numbers, e_numbers = (book.numbers for book in books)
    counts = {}
    for (f, e), count in known.items():
        i, j = f_numbers.get(f), e_numbers.get(e)
        if i and j:
            counts[i, j] = count
    return counts


def _linked_counts(
    bitext: WordArrays, books: list[Vocabulary], links: list[dict[tuple[int, int], float]]
) -> tuple[Counts, Counts]:
    """How often words are linked, and stems, each link for its probability."""
    sizes = [len(probabilities) for probabilities in links]
    places = np.array([place for probabilities in links for place in probabilities], np.int64).reshape(-1, 2) - 1
    probabilities = np.array([probability for some in links for probability in some.values()])
    f, e = (places[:, k] + np.repeat(at[:-1], sizes) for k, at in enumerate((bitext.src_at, bitext.tgt_at)))
    names = [[*book.numbers] for book in books[:4]]
    words = Counts.from_occurrences((names[0], names[1]), bitext.src[f], bitext.tgt[e], probabilities)
    return words, Counts.from_occurrences((names[2], names[3]), bitext.src_stem[f], bitext.tgt_stem[e], probabilities)
