"""Unlabelled brackets against gold: precision, recall, F1, branching baselines, the bound of binary trees, scores by length.

As in Snyder et al. (2009): micro-averaged, the whole sentence is a bracket, single words and doubles are not; sentences of
one word are left out. `rows` reads gold and system brackets from two files side by side, `score_brackets` scores them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from divproj.core.errors import LONGEST_SENTENCE, AlignmentError, Faults, Where, too_long
from divproj.core.tree import DepTree
from divproj.forest.trees import PhraseTree
from divproj.induction.reading import constituents, kept_leaves, kept_words
from divproj.io.files import reading
from divproj.io.trees import conllu, forest
from divproj.io.trees.forests import guess, phrase_trees

Span = tuple[int, int]
LIMITS = (10, 20, 30, 40)


@dataclass
class BracketScore:
    """Brackets found in both, in gold, in the system's trees."""

    right: int = 0
    gold: int = 0
    system: int = 0

    def add(self, other: BracketScore) -> None:
        self.right, self.gold, self.system = self.right + other.right, self.gold + other.gold, self.system + other.system

    @property
    def precision(self) -> float:
        return 100 * self.right / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return 100 * self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """
        >>> BracketScore(right=3, gold=4, system=4).f1
        75.0
        """
        return 200 * self.right / (self.gold + self.system) if self.gold + self.system else 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "right": self.right,
            "gold": self.gold,
            "found": self.system,
        }


def bracket_spans(spans: Iterable[Span], n: int) -> frozenset[Span]:
    """What is scored: spans of two words or more, each once, and the whole sentence.

    >>> sorted(bracket_spans([(0, 1), (1, 3), (1, 3)], 3))
    [(0, 3), (1, 3)]
    """
    return frozenset((i, j) for i, j in spans if j - i > 1) | {(0, n)}


def score_one(gold: Iterable[Span], system: Iterable[Span], n: int) -> BracketScore:
    wanted, given = bracket_spans(gold, n), bracket_spans(system, n)
    return BracketScore(len(wanted & given), len(wanted), len(given))


def upper_bound(gold: Iterable[Span], n: int) -> BracketScore:
    """The best that a binary tree can do: n - 1 brackets, all of gold's among them where those do not cross.

    >>> upper_bound([(0, 4)], 4).precision
    33.333...
    """
    wanted = sorted(bracket_spans(gold, n), key=lambda s: s[0] - s[1])
    kept: list[Span] = []
    for i, j in wanted:  # a bracket that crosses a longer one is dropped
        if all(j <= a or b <= i or (a <= i and j <= b) for a, b in kept):
            kept.append((i, j))
    return BracketScore(len(kept), len(wanted), n - 1)


def left_branching(n: int) -> tuple[Span, ...]:
    return tuple((0, j) for j in range(n, 1, -1))


def right_branching(n: int) -> tuple[Span, ...]:
    """
    >>> right_branching(3)
    ((0, 3), (1, 3))
    """
    return tuple((i, n) for i in range(n - 1))


def random_branching(n: int, probability: np.random.Generator) -> tuple[Span, ...]:
    """Every split uniform, from the top down."""
    spans, todo = [], [(0, n)]
    while todo:
        i, j = todo.pop()
        if j - i > 1:
            spans.append((i, j))
            k = int(probability.integers(i + 1, j))
            todo += [(i, k), (k, j)]
    return tuple(spans)


@dataclass
class BracketScores:
    """One system on one text: overall, up to each length, and sentence by sentence."""

    overall: BracketScore = field(default_factory=BracketScore)
    up_to: dict[int, BracketScore] = field(default_factory=dict)
    sentences: list[BracketScore] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        summary = self.overall.as_json() | {"sentences": sum(n > 1 for n in self.lengths)}
        return summary | {"up_to": {str(k): score.as_json() for k, score in self.up_to.items()}}


Rows = Sequence[tuple[int, Iterable[Span], Iterable[Span]]]
"""Words of a sentence, gold spans, the system's spans."""


def score_brackets(
    rows: Iterable[tuple[int, Iterable[Span], Iterable[Span]]],
    limits: Sequence[int] = LIMITS,
    one: Callable[[Iterable[Span], Iterable[Span], int], BracketScore] = score_one,
) -> BracketScores:
    """Scores of all sentences of two words or more."""
    scores = BracketScores(up_to={limit: BracketScore() for limit in limits})
    for n, gold, system in rows:
        score = one(gold, system, n) if n > 1 else BracketScore()
        scores.sentences.append(score)
        scores.lengths.append(n)
        scores.overall.add(score)
        for limit in limits:
            if n <= limit:
                scores.up_to[limit].add(score)
    return scores


def baselines(rows: Rows, limits: Sequence[int] = LIMITS, seed: int = 0) -> dict[str, BracketScores]:
    """Left-, right-branching, random trees, and the bound of binary trees, on the same sentences."""
    probability = np.random.default_rng(seed)
    scores: dict[str, BracketScores] = {}
    for name, tree in (
        ("left", left_branching),
        ("right", right_branching),
        ("random", lambda n: random_branching(n, probability)),
    ):
        scores[name] = score_brackets(((n, gold, tree(n)) for n, gold, _ in rows), limits)
    scores["upper bound"] = score_brackets(rows, limits, lambda gold, _, n: upper_bound(gold, n))
    return scores


def f1_randomisation(a: Sequence[BracketScore], b: Sequence[BracketScore], *, rounds: int = 10_000, seed: int = 0) -> float:
    """p-value of the difference in F1 of two systems: their trees exchanged at random, sentence by sentence (Noreen 1989)."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} sentences, the same number expected")
    left, right = (np.array([(s.right, s.gold + s.system) for s in x], float).reshape(-1, 2) for x in (a, b))

    def f1(sums: Any) -> Any:
        return np.where(sums[..., 1] > 0, 2 * sums[..., 0] / np.maximum(sums[..., 1], 1e-9), 0.0)

    seen = abs(f1(left.sum(axis=0)) - f1(right.sum(axis=0)))
    probability = np.random.default_rng(seed)
    at_least = 0
    for begin in range(0, rounds, 500):
        moved = (probability.random((min(500, rounds - begin), len(left))) < 0.5) @ (right - left)
        gap = np.abs(f1(left.sum(axis=0) + moved) - f1(right.sum(axis=0) - moved))
        at_least += int((gap >= seen - 1e-12).sum())
    return (at_least + 1) / (rounds + 1)


class BracketedSentence(NamedTuple):
    """Words, spans over all of them, and which words are neither punctuation nor symbols."""

    forms: tuple[str, ...]
    spans: frozenset[tuple[int, int]]
    kept: tuple[int, ...]


def rows(
    gold_path: str, system_path: str, faults: Faults | None = None
) -> Iterator[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """For each sentence of both files its length and the spans of each, punctuation left out; one too long to score is a fault."""
    for k, (gold, system) in enumerate(zip_longest(read(gold_path), read(system_path)), 1):
        if gold is None or system is None:
            shorter = system_path if system is None else gold_path
            raise AlignmentError(f"{shorter} has fewer sentences than its partner", remedy="score files of the same text")
        if max(len(gold.forms), len(system.forms)) > LONGEST_SENTENCE:
            (faults or Faults()).sentence(too_long(len(gold.forms), Where(gold_path, sent_id=f"sentence {k}")))
            continue
        if len(system.forms) == len(gold.forms):
            spans = without_marks(system.spans, gold.kept)
        elif len(system.forms) == len(gold.kept):
            spans = sorted(system.spans)
        else:
            message = f"sentence {k} has {len(system.forms)} words, {len(gold.forms)} (or {len(gold.kept)} without punctuation) expected"
            raise AlignmentError(message, Where(system_path), "score files of the same text in the same order")
        yield len(gold.kept), without_marks(gold.spans, gold.kept), spans


def without_marks(spans: frozenset[tuple[int, int]], kept: tuple[int, ...]) -> list[tuple[int, int]]:
    """Spans counted in kept words alone."""
    return sorted({(bisect_left(kept, i), bisect_left(kept, j)) for i, j in spans})


def read(path: str) -> Iterator[BracketedSentence]:
    """Brackets of CoNLL-U (maximal projections), Penn trees, TIGER-XML or forests (their best tree)."""
    with reading(path) as stream:
        kind = guess(stream.read(1 << 16))
    if kind == "conllu":
        for sentence in conllu.load(path, Faults()):
            assert sentence is not None
            tree = sentence.usable_tree()[0]
            yield BracketedSentence(tree.forms, frozenset(), ()) if len(tree) > LONGEST_SENTENCE else _projections(tree)
    elif kind == "json":
        for packed in forest.load(path, Faults()):
            assert packed is not None
            yield of_phrases(PhraseTree.from_nltk(packed.to_nltk()))
    else:
        yield from map(of_phrases, phrase_trees(path, kind, Faults()))


def _projections(tree: DepTree) -> BracketedSentence:
    kept = tuple(k - 1 for k in kept_words(tree))
    return BracketedSentence(tree.forms, frozenset((kept[i], kept[j - 1] + 1) for i, j in constituents(tree)), kept)


def of_phrases(tree: PhraseTree) -> BracketedSentence:
    """The phrases of a tree."""
    return BracketedSentence(tree.forms, frozenset((node.start, node.end) for node in tree.nodes), kept_leaves(tree))
