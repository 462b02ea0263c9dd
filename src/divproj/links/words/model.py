"""`WordAligner`: fit on bitext, align, save, load, go on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from divproj.data.errors import ModelError, Where, why
from divproj.data.links import Links
from divproj.data.options import WordsOptions
from divproj.data.pair import Pair
from divproj.links.settings import SAME_STRING
from divproj.links.words import kernel
from divproj.links.words.counts import Counts
from divproj.links.words.direction import Direction, Floats, Prior, Settings, Watch, WordArrays
from divproj.links.words.symmetrize import METHODS, from_posteriors, grow_diag_final_and, intersection, union
from divproj.links.words.vocabulary import STEM, Vocabulary, stem
from divproj.runtime import modelfile
from divproj.runtime.checkpoint import NOTHING, Checkpoint
from divproj.runtime.estimator import Estimator

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
class Linked:
    """Links of one pair, (f, e) from 1, each with a probability."""

    chances: dict[tuple[int, int], float]
    shape: tuple[int, int]

    @property
    def links(self) -> Links:
        return Links(frozenset(self.chances), self.shape, weights=tuple(sorted(self.chances.items())))


@dataclass(frozen=True)
class Learned:
    """Links of some pairs, and the expected links of words and of stems there."""

    links: list[Linked]
    words: Counts
    stems: Counts


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
    """Expected links of word pairs seen in training."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ModelError(f"no method '{self.method}'", remedy=f"choose one of {', '.join(METHODS)}")

    def fit(self, pairs: Iterable[WordPair | Pair], known: Known | None = None, **more: Any) -> WordAligner:
        """Learn from sentence pairs; `known` has word pairs that are taken to be translations, with pseudo-counts."""
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
        for pair, found in zip(some, self.fit_align(map(_words, some)), strict=True):
            yield replace(pair, links=found.links)

    def fit_align(
        self,
        pairs: Iterable[WordPair],
        known: Known | None = None,
        *,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        watch: Watch | None = None,
        keep: Checkpoint = NOTHING,
    ) -> list[Linked]:
        """Learn from the pairs and align them; rare words fall back on `lemmas` where given, else on stems.

        All pairs are held in memory; `corpus.align_text` cuts a long text. Sampling that takes long is kept in a checkpoint,
        and goes on from one that is resumed.
        """
        made = self.learn(list(pairs), self.prior(known), lemmas=lemmas, tags=tags, watch=watch, keep=keep)
        self.remember(made.words)
        return made.links

    def align(self, pairs: Iterable[WordPair], keep: Checkpoint = NOTHING) -> list[Linked]:
        """Links for new pairs; what was learned before is not changed."""
        return self.learn(list(pairs), self.prior(), keep=keep).links

    def prior(self, known: Known | None = None) -> tuple[Known, Known]:
        """What is known of words and of stems beforehand: what was learned before, and `known`."""
        words = {**self.counts_, **(known or {})}
        stems: dict[tuple[str, str], float] = {}
        for (f, e), count in words.items():
            pair = (stem(f, self.stem_length), stem(e, self.stem_length))
            stems[pair] = stems.get(pair, 0.0) + count
        return words, stems

    def remember(self, learned: Counts) -> None:
        """Add what was learned from a text to what is known of word pairs."""
        for pair, count in learned.known().items():
            self.counts_[pair] = round(self.counts_.get(pair, 0.0) + count, 4)

    def learn(
        self,
        pairs: Sequence[WordPair],
        prior: tuple[Known, Known],
        *,
        lemmas: Sides | None = None,
        tags: Sides | None = None,
        watch: Watch | None = None,
        keep: Checkpoint = NOTHING,
        threads: int = 2,
        of: int = 0,
    ) -> Learned:
        """Links of pairs that are learned from together, and the counts of linked words and stems; `self` does not change.

        Where they are a part of a text, `of` says how many pairs that has in all. Else Ctrl-C ends the sampling with what
        there is.
        """
        usable = [k for k, (f, e) in enumerate(pairs) if 0 < len(f) <= LONGEST and 0 < len(e) <= LONGEST]
        found = [Linked({}, (len(f), len(e))) for f, e in pairs]
        if not usable:
            return Learned(found, Counts.of({}), Counts.of({}))
        f_side = [[self.form(word) for word in pairs[k][0]] for k in usable]
        e_side = [[self.form(word) for word in pairs[k][1]] for k in usable]
        given = [None if x is None else tuple([side[k] for k in usable] for side in x) for x in (lemmas, tags)]
        books, bitext = self._encode(f_side, e_side, *given)
        posteriors = self._posteriors(bitext, books, prior, watch, keep, threads, of)
        for place, k in enumerate(usable):
            found[k] = Linked(self._links(bitext, posteriors, place), (len(pairs[k][0]), len(pairs[k][1])))
        return Learned(found, *_linked_counts(bitext, books, [found[k].chances for k in usable]))

    def _posteriors(
        self, bitext: WordArrays, books: list[Vocabulary], prior: tuple[Known, Known], watch: Watch | None, keep: Checkpoint,
        threads: int, of: int,
    ) -> list[Floats]:  # fmt: skip
        """Both directions, at once where there are two threads."""
        stop = Event()
        settings = self.settings.for_pairs(of or len(bitext.src_at) - 1)
        if keep is not NOTHING:
            texts = [list(book.numbers) for book in books[:2]]
            keep.identify(asdict(settings), self.random_state, texts, *(sorted(x.items()) for x in prior), *_arrays(bitext))
        words = _numbered(books[:2], prior[0])
        for form in books[0].numbers.keys() & books[1].numbers.keys() - {""}:
            pair = books[0].numbers[form], books[1].numbers[form]
            words[pair] = words.get(pair, 0.0) + SAME_STRING
        stems = _numbered(books[2:4], prior[1])

        def one(turned: bool) -> Floats:
            known = (Prior.of({(e, f) if turned else (f, e): x for (f, e), x in pairs.items()}) for pairs in (words, stems))
            direction = Direction(bitext.turned if turned else bitext, settings, *known)
            if settings.sweeps:
                return direction.sample(self.random_state * 2 + turned, watch, stop, keep, "backward" if turned else "forward")
            direction.em(watch)
            return direction.hmm()

        for function in (
            kernel.number_cells,
            kernel.target_types,
            kernel.normalise,
            kernel.ibm1_expect,
            kernel.hmm_expect,
            kernel.sample if settings.sweeps else kernel.hmm_all,
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
            return [task.result() for task in running]

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
            what = error.what if isinstance(error, ModelError) else why(error)
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
        if not all(0 <= knob <= MOST for knob in knobs.values()) or not all(knobs.get(name, 1) for name in PRIORS):
            what = f"'settings' are {knobs!r:.200}, numbers from 0 to {MOST} expected, {', '.join(PRIORS)} above 0"
            raise ModelError(what, where, "train it again")
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


def _numbered(books: list[Vocabulary], known: Known) -> dict[tuple[int, int], float]:
    """What is known of words that are in the text, by number."""
    f_numbers, e_numbers = (book.numbers for book in books)
    found = {}
    for (f, e), count in known.items():
        i, j = f_numbers.get(f), e_numbers.get(e)
        if i and j:
            found[i, j] = count
    return found


def _linked_counts(
    bitext: WordArrays, books: list[Vocabulary], found: list[dict[tuple[int, int], float]]
) -> tuple[Counts, Counts]:
    """How often words are linked, and stems, each link for its probability."""
    sizes = [len(chances) for chances in found]
    places = np.array([place for chances in found for place in chances], np.int64).reshape(-1, 2) - 1
    chances = np.array([chance for some in found for chance in some.values()])
    f, e = (places[:, k] + np.repeat(at[:-1], sizes) for k, at in enumerate((bitext.src_at, bitext.tgt_at)))
    names = [[*book.numbers] for book in books[:4]]
    words = Counts.summed((names[0], names[1]), bitext.src[f], bitext.tgt[e], chances)
    return words, Counts.summed((names[2], names[3]), bitext.src_stem[f], bitext.tgt_stem[e], chances)
