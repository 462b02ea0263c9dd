"""Parts of speech and lemmas.

`Tagger` finds parts of speech by a second-order linear model over hashed features.

Learning is cost-augmented 1-best MIRA (Crammer et al. 2006) with averaging, as in the parser; features are left out by chance
while learning, so that the endings of a word are learned beside the word. Tags are opaque: `NOUN+NN` gives two tagsets at once.

It sees properties of words, hashed once per word type, which templates put together; weights are sparse rows in memory and a few
small arrays on disk.

`Lemmatizer` finds dictionary forms by rules on the ends of words, learned from (form, UPOS, lemma), and a list of exceptions.

A rule is a case and an edit: `lower 3 y` makes *cit-y* of *Cities*. Which edit a word takes is told by its longest ending that is
known for its UPOS; which case, by its UPOS and how it is written. What the rules get wrong in training is an exception.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, Where
from divproj.parsing import tagger_kernel as kernel
from divproj.parsing.tagger_kernel import NONE
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import NOTHING, Checkpoint, text_of
from divproj.runtime.modelfile import Estimator, like_defaults

FEW_WORDS = 20_000
"""Training words below which features seen once are kept and more passes are made."""
TAGGER_PASSES = (30, 14)
"""Passes over few words and over many."""
QUICK_PASSES = 7
"""Passes over many words in a fold: half the time for 0.1 points less."""
CLASSED = 4
"""Times a word must be seen before its tags count as known."""
RARE_TAG = 0.05
"""Share of a word's occurrences from which a tag is one of its known tags."""


ATOMS = ("form", "low", "s1", "s2", "s3", "s4", "s5", "p1", "p2", "p3", "p4", "p5", "shape", "flags", "class")
_ALONE = "form low s1 s2 s3 s4 s5 p1 p2 p3 p4 p5 shape flags class"
_AROUND = """
low-1 low+1 low-2 low+2 form-1 form+1 s3-1 s3+1 s2-1 s2+1 s3-2 s3+2 shape-1 shape+1 class-1 class+1 class-2 class+2
"""
_TOGETHER = """
low-1 low, low low+1, low-1 low+1, low-2 low-1, low+1 low+2, shape-1 shape, shape shape+1, shape low-1, class-1 class+1,
class-2 class-1, class+1 class+2, class-1 class class+1, class-1 low, low class+1, s3 class-1, s3 class+1, s2 class-1,
s2 shape, s3 shape, flags flags-1, p1 s3 flags
"""
TEMPLATES = ("", *_ALONE.split(), *_AROUND.split(), *(" ".join(pair.split()) for pair in _TOGETHER.split(",")))
"""What is seen of a word (`low`), of its neighbours (`low-1`), and together; the empty one is always there."""
LINKED = ("", "low", "low+1")
"""Templates that are also seen with the tag of the word before."""
LEXICAL = frozenset(("form", "low", "s4", "s5", "p4", "p5", "class"))
"""Atoms that all but name the word, left out together by chance."""


Sentences = Sequence[Sequence[str]]
Integers = NDArray[np.int64]


def hash_text(text: str) -> int:
    """The same number for a string on every machine; 0 to 3 are kept for places without a word."""
    return crc32(text.encode("utf-8", "surrogatepass")) | 4


def plain(word: str) -> str:
    """Lower case, every digit a 0.

    >>> plain("B2B")
    'b0b'
    """
    return no_digits(word.lower())


def no_digits(word: str) -> str:
    return word if word.isalpha() else re.sub(r"\d", "0", word)


def shape(word: str) -> str:
    """
    >>> shape("McDonald's-2019")
    "XxXxx'x-00"
    """
    if word.isalpha() and (word.islower() or word.istitle()):
        return "X" + "xx"[: len(word) - 1] if word[0].isupper() else "xx"[: len(word)]
    kinds = "".join("X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)


def atoms_of(word: str, classes: Mapping[int, int]) -> list[int]:
    """The hashed properties of a word, in the order of `ATOMS`."""
    low = plain(word)
    flags = (
        not word.isalpha() and any(map(str.isdigit, word)),
        "-" in word,
        word[:1].isupper(),
        word.isupper(),
        word.isalnum(),
        "'" in word,
    )
    marks = "".join(["01"[flag] for flag in flags])
    known = classes.get(hash_text(low))
    return [
        hash_text("f" + no_digits(word)),
        hash_text("w" + low),
        *(hash_text("s" + low[-k:]) if len(low) >= k else 3 for k in range(1, 6)),
        *(hash_text("p" + low[:k]) if len(low) >= k else 3 for k in range(1, 6)),
        hash_text("x" + shape(word)),
        hash_text("b" + marks),
        hash_text(f"?{low[-3:]}{marks[2]}") if known is None else hash_text(f"c{known}"),
    ]


def parts_of(template: str) -> list[tuple[int, str]]:
    """
    >>> parts_of("low-1 shape")
    [(-1, 'low'), (0, 'shape')]
    """
    pairs = (re.split(r"(?=[-+])", part) for part in template.split())
    return [(int(offset[0]) if offset else 0, atom) for atom, *offset in pairs]


def template_array() -> Integers:
    """(template, part, [offset, atom]) as the kernels read them."""
    array = np.full((len(TEMPLATES), 3, 2), NONE, np.int64)
    for f, template in enumerate(TEMPLATES):
        for k, (offset, atom) in enumerate(parts_of(template)):
            array[f, k] = offset, ATOMS.index(atom)
    return array


def linked_array() -> Integers:
    return np.array([TEMPLATES.index(template) for template in LINKED], np.int64)


def lexical_array() -> NDArray[np.bool_]:
    """Which templates look at the word itself through a lexical atom."""
    return np.array([any(not offset and atom in LEXICAL for offset, atom in parts_of(t)) for t in TEMPLATES])


def template_digest() -> int:
    """Changes with the templates, so that weights of others are not taken for these."""
    return hash_text(" | ".join((*ATOMS, *TEMPLATES, *LINKED)))


def tag_classes(sentences: Sentences, tags: Sentences) -> dict[int, int]:
    """Number of the set of tags that a word has, for words seen often enough: what it may be, known from afar."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for words, row in zip(sentences, tags, strict=True):
        for word, tag in zip(words, row, strict=True):
            seen[plain(word)][tag] += 1
    numbers: dict[tuple[str, ...], int] = {}
    classes = {}
    for word, counts in sorted(seen.items()):
        total = counts.total()
        if total >= CLASSED:
            ranked = sorted(counts, key=lambda tag: (-counts[tag], tag))[:3]
            classes[hash_text(word)] = numbers.setdefault(
                tuple(t for t in ranked if counts[t] >= RARE_TAG * total), len(numbers)
            )
    return classes


def encode(sentences: Sentences, classes: Mapping[int, int]) -> tuple[Integers, Integers, Integers]:
    """Word types end to end, where each sentence starts, and the atoms of the types."""
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(word, len(numbers)) for sentence in sentences for word in sentence]
    at = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    atoms = np.array([atoms_of(word, classes) for word in numbers], np.int64).reshape(len(numbers), len(ATOMS))
    return np.array(flat, np.int64), at, atoms


FULL = 4
"""Rows that have a weight for one in so many tags are kept full in memory."""
KEEP = 800_000
"""Weights that a tagger keeps, the largest ones."""
PARTS = ("scale", "keys", "sizes", "columns", "levels", "triple_places", "triple_levels", "words", "classes")
KINDS = ("f4", "u4", "u2", "u2", "i1", "u4", "i1", "u4", "u2")


Floats = NDArray[np.float32]


@dataclass(frozen=True)
class TaggerWeights:
    """What was learned: row r of the features is `columns`/`values[starts[r] : starts[r + 1]]`, for the key `keys[r]`."""

    keys: Integers
    starts: NDArray[np.int32]
    columns: NDArray[np.uint16]
    values: Floats
    triple: Floats

    @cached_property
    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
        return key_table(self.keys)


def key_table(keys: Integers) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Open addressing, at most half full."""
    size = 2 << max(1, len(keys)).bit_length()
    slots, owners = np.zeros(size, np.uint32), np.zeros(size, np.int32)
    kernel.fill_table.for_work(len(keys))(keys, slots, owners)
    return slots, owners


def thin(keys: Integers, mean: Floats, triple: Floats) -> TaggerWeights:
    """The `KEEP` largest weights of a full matrix, rounded as a saved tagger has them: loading changes nothing."""
    size = np.abs(mean)
    least = np.partition(size.ravel(), -KEEP)[-KEEP] if size.size > KEEP else 0.0
    row, column = np.nonzero(size > least)
    used, place = np.unique(row, return_inverse=True)
    starts = np.searchsorted(place, np.arange(len(used) + 1)).astype(np.int32)
    weights = TaggerWeights(keys[used], starts, column.astype(np.uint16), mean[row, column], triple)
    return unpack(pack(weights, {}), triple.shape[2])[0]


def pack(weights: TaggerWeights, classes: Mapping[int, int]) -> dict[str, NDArray[Any]]:
    """Small arrays for the weights; those that round to 0 are left out."""
    scale = max(float(np.abs(weights.values).max(initial=0.0)), float(np.abs(weights.triple).max(initial=0.0)), 1e-9)
    levels, triple = to_levels(weights.values, scale), to_levels(weights.triple.ravel(), scale)
    places, used = np.flatnonzero(triple), levels != 0
    row = np.repeat(np.arange(len(weights.keys)), np.diff(weights.starts))
    sizes = np.bincount(row[used], minlength=len(weights.keys))
    words = sorted(classes)
    return {
        "scale": np.array([scale], np.float32),
        "keys": np.diff(weights.keys, prepend=0).astype(np.uint32),
        "sizes": sizes.astype(np.uint16),
        "columns": weights.columns[used],
        "levels": levels[used],
        "triple_places": np.diff(places, prepend=0).astype(np.uint32),
        "triple_levels": triple[places],
        "words": np.diff(np.array(words, np.int64), prepend=0).astype(np.uint32),
        "classes": np.array([classes[word] for word in words], np.uint16),
    }


def to_levels(values: Floats, scale: float) -> NDArray[np.int8]:
    """-127 … 127, finer near 0: the square root of the share of `scale`."""
    levels: NDArray[np.int8] = np.rint(np.sign(values) * np.sqrt(np.abs(values) / scale) * 127).astype(np.int8)
    return levels


def from_levels(levels: NDArray[np.int8], scale: float) -> Floats:
    shares = levels.astype(np.float32) / 127
    return (np.sign(shares) * shares * shares * scale).astype(np.float32)


def unpack(arrays: Mapping[str, NDArray[Any]], tags: int) -> tuple[TaggerWeights, dict[int, int]]:
    """The inverse of `pack`; ValueError when the arrays do not fit together."""
    part = {name: arrays[name] for name in PARTS}
    wrong = [name for name, kind in zip(PARTS, KINDS, strict=True) if part[name].ndim != 1 or part[name].dtype != kind]
    if wrong:
        raise ValueError(f"'{wrong[0]}' is of type {part[wrong[0]].dtype} and shape {part[wrong[0]].shape}")
    scale = float(part["scale"][0])
    keys, places, words = (np.cumsum(part[name], dtype=np.int64) for name in ("keys", "triple_places", "words"))
    columns = part["columns"].astype(np.uint16)
    sizes = (len(keys), len(columns), len(places), len(words))
    if not np.isfinite(scale) or sizes != (
        len(part["sizes"]),
        len(part["levels"]),
        len(part["triple_levels"]),
        len(part["classes"]),
    ):
        raise ValueError("arrays of unequal length, or a scale that is no number")
    if part["sizes"].sum(dtype=np.int64) != len(columns) or (len(columns) and columns.max() >= tags):
        raise ValueError("features or tags out of range")
    triple = np.zeros((tags + 1) * (tags + 1) * tags, np.float32)
    triple[places] = from_levels(part["triple_levels"], scale)
    weights = TaggerWeights(
        keys,
        *with_full_rows(part["sizes"], columns, from_levels(part["levels"], scale), tags),
        triple.reshape(tags + 1, tags + 1, tags),
    )
    return weights, dict(zip(words.tolist(), part["classes"].tolist(), strict=True))


def with_full_rows(
    sizes: NDArray[np.uint16], columns: NDArray[np.uint16], values: Floats, tags: int
) -> tuple[NDArray[np.int32], NDArray[np.uint16], Floats]:
    """Starts, columns and values with zeros put into rows of many weights: a full row is added faster."""
    sizes = sizes.astype(np.int64)
    full = (sizes * FULL >= tags) & (sizes < tags)
    row = np.repeat(np.arange(len(sizes)), sizes)
    new_sizes = np.where(full, tags, sizes)
    starts = np.concatenate(([0], np.cumsum(new_sizes)))
    old_starts = np.cumsum(sizes) - sizes
    place = starts[row] + np.where(full[row], columns, np.arange(len(row)) - old_starts[row])
    new_columns, new_values = np.zeros(starts[-1], np.uint16), np.zeros(starts[-1], np.float32)
    new_columns[(starts[:-1][full, None] + np.arange(tags)).ravel()] = np.tile(np.arange(tags), int(full.sum()))
    new_columns[place], new_values[place] = columns, values
    return starts.astype(np.int32), new_columns, new_values


FORMAT, VERSION = "divproj-tagger", 1
PREFIX = "tagger."
Watch = Callable[[int, float, float | None], None]
"""Called after each pass with its number (from 1), the share of training words tagged right, and that of dev words."""


@dataclass
class Tagger(Estimator):
    """Fit on tagged sentences, predict tags; `fit` with `dev` keeps the pass that was best on it."""

    random_state: int = 1
    epochs: int | None = None
    """Passes; None leaves it to the size of the training text."""
    likely: int = 6
    """Tags of each word that the search looks at."""
    gap: float = 2.0
    """How far below the best a likely tag may be."""
    C: float = 0.03
    """The largest step of an update."""
    cost: float = 1.0
    drop: float = 0.1
    drop_word: float = 0.2

    def fit(
        self,
        sentences: Sentences,
        tags: Sentences,
        dev: tuple[Sentences, Sentences] | None = None,
        watch: Watch | None = None,
    ) -> Tagger:
        """Learn; Ctrl-C after the first pass ends with what there is."""
        check(sentences, tags)
        self.tags_ = sorted({tag for sentence in tags for tag in sentence})
        self.classes_ = tag_classes(sentences, tags)
        course = TaggerState(self, sentences, tags)
        passes = TAGGER_PASSES[len(course.gold) > FEW_WORDS] if self.epochs is None else self.epochs
        best: tuple[float, TaggerWeights] | None = None
        self.whole_ = False
        try:
            for turn in passing(range(1, passes + 1), "training the tagger: pass", passes):
                right, score = course.turn(turn), None
                if dev is not None:
                    self.weights_ = course.average()
                    score = self.score(*dev)
                    if best is None or score > best[0]:
                        best = (score, self.weights_)
                if watch:
                    watch(turn, right, score)
            self.whole_ = True
        except KeyboardInterrupt:
            if not course.steps[0]:
                raise
        self.weights_ = course.average() if best is None else best[1]
        return self

    def predict(self, sentences: Sentences) -> list[tuple[str, ...]]:
        """One tag a word."""
        words, at, atoms = encode(sentences, self.classes_)
        tag_numbers = np.zeros(len(words), np.int64)
        if len(words):
            weights = self.weights_
            kernel.tag_all.for_work(8 * len(words))(
                atoms, words, at, template_array(), linked_array(), *weights.table, weights.starts, weights.columns,
                weights.values, weights.triple, min(self.likely, len(self.tags_)), self.gap, tag_numbers,
            )  # fmt: skip
        names = [self.tags_[t] for t in tag_numbers.tolist()]
        return [tuple(names[a:b]) for a, b in zip(at[:-1].tolist(), at[1:].tolist(), strict=True)]

    def score(self, sentences: Sentences, tags: Sentences) -> float:
        """Share of words tagged right."""
        pairs = [(x, y) for a, b in zip(self.predict(sentences), tags, strict=True) for x, y in zip(a, b, strict=True)]
        return sum(x == y for x, y in pairs) / max(1, len(pairs))

    def meta(self) -> dict[str, Any]:
        """What belongs in `model.json`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "params": self.get_params(),
            "tags": self.tags_,
            "templates": template_digest(),
        }

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What belongs in `weights.npz`."""
        return {PREFIX + name: array for name, array in pack(self.weights_, self.classes_).items()}

    @classmethod
    def from_arrays(cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Tagger:
        """The tagger that gave `meta` and `arrays`; ModelError when they are not of this version or do not fit."""
        if [meta.get(key) for key in ("format", "version", "templates")] != [FORMAT, VERSION, template_digest()]:
            raise ModelError(f"not a tagger of version {VERSION} with these templates", remedy="train it again")
        try:
            tagger = cls(**like_defaults({**meta["params"], "epochs": 0}, asdict(cls(epochs=0)), Where()))
            tagger.epochs = None if meta["params"]["epochs"] is None else int(meta["params"]["epochs"])
            tagger.tags_ = list(map(str, meta["tags"]))
            if tagger.likely < 1 or not tagger.tags_:
                raise ValueError(f"{tagger.likely} likely of {len(tagger.tags_)} tags, one or more expected")
            tagger_arrays = {name.removeprefix(PREFIX): arrays[name] for name in arrays if name.startswith(PREFIX)}
            tagger.weights_, tagger.classes_ = unpack(tagger_arrays, len(tagger.tags_))
        except (KeyError, TypeError, ValueError, IndexError, ModelError) as error:
            message = error.message if isinstance(error, ModelError) else error
            raise ModelError(f"the tagger's weights cannot be used: {message}", remedy="train it again") from None
        return tagger


class TaggerState:
    """Training data as arrays, and the weights while they are learned."""

    def __init__(self, tagger: Tagger, sentences: Sentences, tags: Sentences) -> None:
        numbers = {tag: t for t, tag in enumerate(tagger.tags_)}
        T = len(numbers)
        words, self.at, atoms = encode(sentences, tagger.classes_)
        self.gold = np.array([numbers[tag] for sentence in tags for tag in sentence], np.int64)
        self.linked, self.lexical = linked_array(), lexical_array()
        self.keys = np.empty((len(words), len(TEMPLATES)), np.int64)
        pair_keys = np.empty((len(words), len(LINKED)), np.int64)
        kernel.training_keys.compiled(atoms, words, self.at, template_array(), self.linked, self.gold, T, self.keys, pair_keys)
        all_keys, counts = np.unique(np.concatenate((self.keys.ravel(), pair_keys.ravel())), return_counts=True)
        self.kept = all_keys[counts > (1 if len(words) > FEW_WORDS else 0)]
        self.table = key_table(self.kept)
        self.rows = np.empty_like(self.keys)
        kernel.find_all.compiled(*self.table, self.keys, self.rows)
        self.weights, self.sums = (np.zeros((len(self.kept), T), np.float32) for _ in range(2))
        self.triple, self.triple_sums = (np.zeros((T + 1, T + 1, T), np.float32) for _ in range(2))
        self.steps = np.zeros(1, np.int64)
        self.settings = np.array(
            [min(tagger.likely, T), tagger.C, tagger.cost, tagger.drop, tagger.drop_word, tagger.gap], np.float64
        )
        self.seed = tagger.random_state
        self.chance = np.random.default_rng(self.seed)

    def turn(self, number: int) -> float:
        """One pass; the share of words right while learning."""
        order = self.chance.permutation(len(self.at) - 1)
        wrong = kernel.learn.compiled(
            self.rows, self.keys, self.at, self.gold, order, self.lexical, self.linked, *self.table, self.weights, self.sums,
            self.triple, self.triple_sums, self.settings, self.seed * 1000 + number, self.steps,
        )  # fmt: skip
        return 1 - int(wrong) / len(self.gold)

    def average(self) -> TaggerWeights:
        """The mean of the weights after every step, the largest of them, rounded."""
        share = np.float32(1 / max(1, int(self.steps[0])))
        mean = self.sums * -share
        mean += self.weights
        return thin(self.kept, mean, self.triple - self.triple_sums * share)


def check(sentences: Sentences, tags: Sentences) -> None:
    if not any(len(sentence) for sentence in sentences):
        raise ModelError("no words to learn tags from", remedy="give at least one sentence with tags")
    if len(sentences) != len(tags):
        raise ModelError(f"{len(sentences)} sentences but tags for {len(tags)}")
    for k, (words, row) in enumerate(zip(sentences, tags, strict=True), 1):
        if len(words) != len(row):
            raise ModelError(f"sentence {k} has {len(words)} words but {len(row)} tags")


def fit_or_take(tagger: Tagger, sentences: Sentences, tags: Sentences, checkpoint: Checkpoint, name: str) -> Tagger:
    """The tagger that a checkpoint has under this name, or one that learns now and is kept."""
    saved = checkpoint.read(name)
    if saved is not None:
        try:
            meta = json.loads(text_of(saved.pop("meta")))
            return Tagger.from_arrays(meta, saved)
        except (KeyError, ValueError, AttributeError) as error:
            raise checkpoint.broken(name, str(error)) from None
    tagger.fit(sentences, tags)
    if tagger.whole_:  # not one that Ctrl-C cut short
        checkpoint.finish(name, {"meta": np.array(json.dumps(tagger.meta())), **tagger.to_arrays()})
    return tagger


def jackknife(
    sentences: Sentences,
    tags: Sentences,
    folds: int = 10,
    random_state: int = 1,
    checkpoint: Checkpoint = NOTHING,
    **params: Any,
) -> list[tuple[str, ...]]:
    """Tags of every sentence by a tagger that has not seen it; one sentence alone keeps its own, there is no such tagger."""
    check(sentences, tags)
    filled = [k for k, sentence in enumerate(sentences) if len(sentence)]
    predicted = [tuple(row) for row in tags]
    folds = min(folds, len(filled))
    if folds < 2:
        return predicted
    if sum(map(len, sentences)) > FEW_WORDS:
        params.setdefault("epochs", QUICK_PASSES)
    fold_of = np.random.default_rng(random_state).permutation(len(filled)) % folds
    for fold in passing(range(folds), "tagging unseen sentences: part", folds):
        inside = [k for k, f in zip(filled, fold_of.tolist(), strict=True) if f != fold]
        outside = [k for k, f in zip(filled, fold_of.tolist(), strict=True) if f == fold]
        tagger = Tagger(random_state=random_state, **params)
        tagger = fit_or_take(
            tagger, [sentences[k] for k in inside], [tags[k] for k in inside], checkpoint, f"tagger-{fold + 1}"
        )
        for k, row in zip(outside, tagger.predict([sentences[k] for k in outside]), strict=True):
            predicted[k] = row
    return predicted


LEMMA_FORMAT, LEMMA_VERSION = "divproj-lemmas", 1
LEMMA_PREFIX = "lemmas."
LONGEST = 6
"""Letters of the longest ending."""
CASES = ("lower", "same", "title", "upper")

Triple = tuple[str, str, str]
Edit = tuple[int, str]
"""Letters to cut off the end, letters to add."""


def casing(word: str) -> str:
    """How a word is written: `a` all lower, `A` upper, `Aa` a capital first, `-` another way.

    >>> [casing(word) for word in ("tree", "NATO", "Rosa", "iPod", "I", "7")]
    ['a', 'A', 'Aa', '-', 'A1', 'a']
    """
    if word == word.lower():
        return "a"
    if word == word.upper():
        return "A" if len(word) > 1 else "A1"
    return "Aa" if word[1:] == word[1:].lower() else "-"


def apply_case(word: str, case: str) -> str:
    if case == "title":
        return word[:1].upper() + word[1:].lower()
    return {"lower": word.lower(), "upper": word.upper()}.get(case, word)


def edit_of(word: str, lemma: str) -> Edit:
    """
    >>> edit_of("cities", "city")
    (3, 'y')
    """
    same = 0
    while same < min(len(word), len(lemma)) and word[same] == lemma[same]:
        same += 1
    return len(word) - same, lemma[same:]


def apply(edit: Edit, word: str) -> str:
    cut, add = edit
    return word[: len(word) - cut] + add if cut <= len(word) else word


@dataclass
class Lemmatizer(Estimator):
    """Fit on (form, UPOS, lemma), predict lemmas of (form, UPOS)."""

    seen_at_least: int = 2
    """Word types that an ending must have before it is a rule."""
    cases_: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    edits_: dict[tuple[str, str], Edit] = field(default_factory=dict, repr=False)
    exceptions_: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    def fit(self, triples: Iterable[Triple]) -> Lemmatizer:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for form, upos, lemma in triples:
            counts[upos, form][lemma] += 1
        if not counts:
            raise ModelError("no words to learn lemmas from", remedy="give at least one (form, UPOS, lemma)")
        best = {
            key: min(lemma_counts, key=lambda lemma: (-lemma_counts[lemma], lemma))
            for key, lemma_counts in sorted(counts.items())
        }
        self.exceptions_ = {}
        self.cases_ = _cases(best)
        self.edits_ = _edits(best, self.seen_at_least)
        lower = {(upos, form): lemma for (upos, form), lemma in best.items() if form == form.lower()}
        self.exceptions_ = {key: lemma for key, lemma in lower.items() if self._one(key[1], key[0]) != lemma}
        rest = {key: lemma for key, lemma in best.items() if key not in lower and self._one(key[1], key[0]) != lemma}
        self.exceptions_.update(rest)
        return self

    def predict(self, words: Iterable[tuple[str, str]]) -> list[str]:
        """Lemmas of (form, UPOS)."""
        known: dict[tuple[str, str], str] = {}
        lemmas = []
        for word in words:
            if word not in known:
                known[word] = self._one(*word)
            lemmas.append(known[word])
        return lemmas

    def score(self, triples: Sequence[Triple]) -> float:
        """Share of words with the right lemma."""
        predicted = self.predict((form, upos) for form, upos, _ in triples)
        return sum(a == b for a, (_, _, b) in zip(predicted, triples, strict=True)) / max(1, len(triples))

    def _one(self, form: str, upos: str) -> str:
        exact = self.exceptions_.get((upos, form))
        if exact is not None:
            return exact
        case = self.cases_.get((upos, casing(form))) or self.cases_.get(("", casing(form)), "same")
        word = apply_case(form, case)
        if case == "lower" and (exact := self.exceptions_.get((upos, word))) is not None:
            return exact
        low = word.lower()
        for size in range(min(LONGEST, len(low)), -1, -1):
            edit = self.edits_.get((upos, low[len(low) - size :]))
            if edit is not None:
                return apply(edit, word) or word
        return word

    def meta(self) -> dict[str, Any]:
        """What belongs in `model.json`."""
        return {"format": LEMMA_FORMAT, "version": LEMMA_VERSION, "params": self.get_params()}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What belongs in `weights.npz`: three tables as UTF-8 text."""
        tables = {
            "cases": ((upos, way, case) for (upos, way), case in sorted(self.cases_.items())),
            "edits": ((upos, end, str(cut), add) for (upos, end), (cut, add) in sorted(self.edits_.items())),
            "exceptions": ((upos, form, lemma) for (upos, form), lemma in sorted(self.exceptions_.items())),
        }
        texts = {name: "\n".join("\t".join(row) for row in rows) for name, rows in tables.items()}
        return {LEMMA_PREFIX + name: np.frombuffer(text.encode("utf-8"), np.uint8) for name, text in texts.items()}

    @classmethod
    def from_arrays(cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Lemmatizer:
        """The lemmatiser that gave `meta` and `arrays`; ModelError when they are not of this version or do not fit."""
        if meta.get("format") != LEMMA_FORMAT or meta.get("version") != LEMMA_VERSION:
            raise ModelError(f"not a lemmatiser of version {LEMMA_VERSION}", remedy="train it again")
        try:
            cases, edits, exceptions = (_table(arrays[LEMMA_PREFIX + name]) for name in ("cases", "edits", "exceptions"))
            lemmatizer = cls(**meta["params"])
            lemmatizer.cases_ = {(upos, way): CASES[CASES.index(case)] for upos, way, case in cases}
            lemmatizer.edits_ = {(upos, end): (int(cut), add) for upos, end, cut, add in edits}
            lemmatizer.exceptions_ = {(upos, form): lemma for upos, form, lemma in exceptions}
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"the lemmatiser's tables cannot be used: {error}", remedy="train it again") from None
        return lemmatizer


def _table(array: NDArray[Any]) -> list[list[str]]:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"a table of type {array.dtype} and shape {array.shape}")
    text = array.tobytes().decode("utf-8")
    return [line.split("\t") for line in text.split("\n")] if text else []


def _cases(best: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """The case that lemmas have most often, for each UPOS and way of writing, and for any UPOS ('')."""
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (upos, form), lemma in best.items():
        way = casing(form)
        if way == "a":
            continue
        fits = [case for case in CASES if lemma[:2] == apply_case(form, case)[:2]] or ["same"]
        for case in fits:
            votes[upos, way][case] += 1
            votes["", way][case] += 1
    return {key: max(CASES, key=lambda case: case_votes[case]) for key, case_votes in votes.items()}


def _edits(best: Mapping[tuple[str, str], str], least: int) -> dict[tuple[str, str], Edit]:
    """The commonest edit of each ending, where it is not that of the next shorter ending."""
    votes: dict[tuple[str, str], Counter[Edit]] = defaultdict(Counter)
    for upos, low, lemma in sorted({(upos, form.lower(), lemma.lower()) for (upos, form), lemma in best.items()}):
        edit = edit_of(low, lemma)
        for size in range(min(LONGEST, len(low)) + 1):
            votes[upos, low[len(low) - size :]][edit] += 1
    kept: dict[tuple[str, str], Edit] = {}
    for (upos, end), edit_votes in sorted(votes.items(), key=lambda item: (len(item[0][1]), item[0])):
        shorter = next((kept[upos, end[k:]] for k in range(1, len(end) + 1) if (upos, end[k:]) in kept), None)
        edit = min(edit_votes, key=lambda e: (-edit_votes[e], e != shorter, e))
        if edit != shorter and (not end or edit_votes[edit] >= least):
            kept[upos, end] = edit
    return kept
