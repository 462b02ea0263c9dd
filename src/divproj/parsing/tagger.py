"""`Tagger`: parts of speech by a second-order linear model over hashed features.

Learning is cost-augmented 1-best MIRA (Crammer et al. 2006) with averaging, as in the parser; features are left out by chance
while learning, so that the endings of a word are learned beside the word. Tags are opaque: `NOUN+NN` gives two tagsets at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import ModelError, Where
from divproj.parsing import tagger_kernel as kernel
from divproj.parsing.settings import FEW_WORDS, QUICK_PASSES, TAGGER_PASSES
from divproj.parsing.tagger_atoms import (
    LINKED,
    TEMPLATES,
    Sentences,
    encode,
    lexical_array,
    linked_array,
    tag_classes,
    template_array,
    template_digest,
)
from divproj.parsing.tagger_weights import Weights, key_table, pack, thin, unpack
from divproj.runtime.announce import passing
from divproj.runtime.checkpoint import NOTHING, Checkpoint, text_of
from divproj.runtime.estimator import Estimator
from divproj.runtime.modelfile import like_defaults

FORMAT, VERSION = "divproj-tagger", 1
PREFIX = "tagger."
Watch = Callable[[int, float, float | None], None]
"""Told after each pass: its number from 1, the share of training words it got right, and that of dev words."""


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
        course = Course(self, sentences, tags)
        passes = TAGGER_PASSES[len(course.gold) > FEW_WORDS] if self.epochs is None else self.epochs
        best: tuple[float, Weights] | None = None
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
        found = np.zeros(len(words), np.int64)
        if len(words):
            weights = self.weights_
            kernel.tag_all.for_work(8 * len(words))(
                atoms, words, at, template_array(), linked_array(), *weights.table, weights.starts, weights.columns,
                weights.values, weights.triple, min(self.likely, len(self.tags_)), self.gap, found,
            )  # fmt: skip
        names = [self.tags_[t] for t in found.tolist()]
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
            own = {name.removeprefix(PREFIX): arrays[name] for name in arrays if name.startswith(PREFIX)}
            tagger.weights_, tagger.classes_ = unpack(own, len(tagger.tags_))
        except (KeyError, TypeError, ValueError, IndexError, ModelError) as error:
            what = error.what if isinstance(error, ModelError) else error
            raise ModelError(f"the tagger's weights cannot be used: {what}", remedy="train it again") from None
        return tagger


class Course:
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
        found, counts = np.unique(np.concatenate((self.keys.ravel(), pair_keys.ravel())), return_counts=True)
        self.kept = found[counts > (1 if len(words) > FEW_WORDS else 0)]
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

    def average(self) -> Weights:
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


def fit_or_take(tagger: Tagger, sentences: Sentences, tags: Sentences, keep: Checkpoint, name: str) -> Tagger:
    """The tagger that a checkpoint has under this name, or one that learns now and is kept."""
    found = keep.read(name)
    if found is not None:
        try:
            meta = json.loads(text_of(found.pop("meta")))
            return Tagger.from_arrays(meta, found)
        except (KeyError, ValueError, AttributeError) as error:
            raise keep.broken(name, str(error)) from None
    tagger.fit(sentences, tags)
    if tagger.whole_:  # not one that Ctrl-C cut short
        keep.finish(name, {"meta": np.array(json.dumps(tagger.meta())), **tagger.to_arrays()})
    return tagger


def jackknife(
    sentences: Sentences, tags: Sentences, folds: int = 10, random_state: int = 1, keep: Checkpoint = NOTHING, **params: Any
) -> list[tuple[str, ...]]:
    """Tags of every sentence by a tagger that has not seen it; one sentence alone keeps its own, there is no such tagger."""
    check(sentences, tags)
    filled = [k for k, sentence in enumerate(sentences) if len(sentence)]
    found = [tuple(row) for row in tags]
    folds = min(folds, len(filled))
    if folds < 2:
        return found
    if sum(map(len, sentences)) > FEW_WORDS:
        params.setdefault("epochs", QUICK_PASSES)
    fold_of = np.random.default_rng(random_state).permutation(len(filled)) % folds
    for fold in passing(range(folds), "tagging unseen sentences: part", folds):
        inside = [k for k, f in zip(filled, fold_of.tolist(), strict=True) if f != fold]
        outside = [k for k, f in zip(filled, fold_of.tolist(), strict=True) if f == fold]
        tagger = Tagger(random_state=random_state, **params)
        tagger = fit_or_take(tagger, [sentences[k] for k in inside], [tags[k] for k in inside], keep, f"tagger-{fold + 1}")
        for k, row in zip(outside, tagger.predict([sentences[k] for k in outside]), strict=True):
            found[k] = row
    return found
