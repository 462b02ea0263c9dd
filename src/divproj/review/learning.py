"""Learn from corrected trees: gold sentences in, new trees for the other sentences out.

A `Learner` is a callable that takes the sentences marked gold and yields new trees for the rest. There are two.
`ProjectionLearner` trains a projection system on the gold sentences alone. `AdaptingLearner` corrects the trees that the file
came with, whatever made them: a log-linear model over candidate heads has the head in the file as its prior,

    P(h | word) ∝ exp(a·[h is the head in the file] + w·f(word, h)),   w ~ N(0, 1/penalty)

Take an adposition with three candidates, whose head in the file is the verb, and a = 3 (`TRUST`):

                              score of verb, noun, other    probability
    no gold sentence, w = 0          3, 0, 0                0.91, 0.05, 0.05    the head is kept
    weight −4 for `I=I|ADP`         −1, 0, 0                0.16, 0.42, 0.42    the head in the file is left

`I=I|ADP` is the feature of an edge that is in the file and whose dependent is an adposition. Few gold sentences move the
weights little, and the rules or the model behind the trees need not be known.

New trees are taken only if `check` finds them better. The gold sentences are divided into at most ten folds; each fold is
predicted by a learner trained on the others, and its heads are compared with the gold tree and with the tree in the file:

    gained   heads that were wrong in the file and are right now
    lost     heads that were right in the file and are wrong now

Learning is better if gained − lost > √(gained + lost): 6 gained and 2 lost will do, 6 gained and 3 lost will not. With fewer
than five gold sentences nothing can be checked, and only changes with high odds are made (the greatest of `CAUTIONS`).
"""

from __future__ import annotations

import contextlib
import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from divproj.core.errors import Faults, FormatError, ProjError, Where, plural
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.sentence import PROJECTED
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.io.files import writing
from divproj.io.interlinear.languages import language_counts, language_name
from divproj.io.interlinear.rows import from_sentence
from divproj.links.grams import Grams
from divproj.parsing.translations import choose
from divproj.projection import systems
from divproj.projection.candidates import Block, Lattice, TagLexicon
from divproj.projection.confidence import Expected, calibrate, combine, expected_accuracy, expected_from_counts, recalibrate
from divproj.projection.correction import SPELLED, Correction, Question, best_tree, fit_weights
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.s6 import S6
from divproj.projection.glossed.word_types import NO_TYPES, WordType, WordTypes, dump, list_types, parse_answer
from divproj.projection.pipeline import annotate
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.systems import AdaptedSystem
from divproj.review.document import Document, state_of
from divproj.review.edits import LINKS, EditError, links_of
from divproj.review.session import Change, LearnedTree, Session
from divproj.runtime.announce import passing
from divproj.ud.rows import features, shipped_grams
from divproj.ud.tagsets import UPOS, universal

TRUST = 3.0
"""`a`: log odds of the head in use against one other candidate, before anything is learned."""
PENALTY = 4.0
"""Chosen, with `TRUST`, on Hausa, Ika, Bokota and ODIN German: 2 gains as much but loses in some draws, 16 moves nothing."""
ITERATIONS = 40
"""Steps of L-BFGS at most."""
AGREEING, AGREEING_SHARE = 2, 0.8
"""Gold words (twice as many for a class as for a form), and the share of them, that make a label usual."""
CONFIDENCE_BINS = (0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
"""Borders of the bins into which confidences are put, for features."""
CHECK_FOLDS = 10
"""Parts of the gold sentences, each judged by what the others teach."""
FEW_GOLD = 5
"""Gold sentences below which the check says little: only changes that the odds are strongly for are made."""
MOST_ASKED = 50
"""More gold sentences than this are never asked for at once."""
CURVE_SHARES = (0.25, 0.5, 0.75)
"""Shares of the gold sentences that the points of the learning curve are learned from."""
CAUTIONS = (0.0, 1.0, 2.0)
"""Log odds by which another head must surpass the one in use; the check on the gold sentences chooses."""


@dataclass(frozen=True)
class PriorTree:
    """The tree of a sentence as the file had it, the prior of learning; no heads if it is not known."""

    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    confidence: tuple[float | None, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    """The comment on the projection."""


@dataclass(frozen=True)
class Case:
    """A sentence to adapt: what projection sees of it and its tree in use."""

    sentence: ProjectionInput
    prior: PriorTree

    @cached_property
    def lattice(self) -> Lattice:
        plain_lattice = Lattice(self.sentence)
        top = self.prior.heads.index(0) + 1 if 0 in self.prior.heads else 0
        return replace(plain_lattice, top=top) if top and top != plain_lattice.old_top else plain_lattice

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Classes of words with place 0: those of the file, else those of the linked words."""
        given = self.prior.tags or ("_",) * len(self.sentence)
        return (
            "ROOT",
            *(
                universal(tag) if tag != "_" else linked_tag
                for tag, linked_tag in zip(given, self.lattice.tags[1:-1], strict=True)
            ),
        )

    @cached_property
    def below(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for word, head in enumerate(self.prior.heads, 1):
            children.setdefault(head, []).append(word)
        return children

    def candidates(self, word: int) -> list[int]:
        """Heads that are weighed: those of the projection, and the words around the head in use."""
        heads = self.lattice.heads(word)
        if self.prior.heads:
            old = self.prior.heads[word - 1]
            up = self.prior.heads[old - 1] if old > 0 else 0
            heads = [old, up, *self.below.get(word, ())[:4], *self.below.get(old, ())[:6], *heads]
        return [head for head in dict.fromkeys(heads) if head != word and head >= 0]

    @cached_property
    def rows(self) -> list[tuple[list[int], list[list[Block]], list[float]]]:
        """Return for every word the candidates, the features of each, and the prior of each; kept, since folds ask for them again."""
        rows = []
        for word in range(1, len(self.sentence) + 1):
            heads = self.candidates(word)
            rows.append((heads, [[*self.features(word, head)] for head in heads], [self.trust(word, head) for head in heads]))
        return rows

    def trust(self, word: int, head: int) -> float:
        """Return the logarithm of the prior: `TRUST` for the head in the file."""
        return TRUST if self.prior.heads and self.prior.heads[word - 1] == head else 0.0

    def features(self, word: int, head: int) -> Iterator[Block]:
        """Yield the features of an edge: those of s2+, and what the tree in the file says."""
        lattice, tags = self.lattice, self.tags
        yield from lattice.blocks(word, head)
        t, u = tags[word], tags[head]
        side = "0" if not head else "<" if head < word else ">"
        yield f"T={t}{side}{u}"
        if not self.prior.heads:
            return
        old = self.prior.heads[word - 1]
        up = self.prior.heads[old - 1] if old > 0 else -1
        back = head > 0 and self.prior.heads[head - 1] == word
        r = "I" if head == old else "B" if back else "G" if head == up else self._beside(head, old)
        rel, reason = self.prior.deprels[word - 1], self.prior.reasons[word - 1]
        yield f"I={r}"
        yield f"I={r}|{t}"
        yield f"I={r}|{t}|{u}{side}"
        yield f"I={r}|{rel}"
        yield f"I={r}|{reason}"
        yield f"I={r}|{reason}|{t}"
        yield f"I={r}|{self.lattice.forms[word]}"
        confidence = self.prior.confidence[word - 1] if self.prior.confidence else None
        if confidence is not None and r == "I":
            yield f"I|{sum(confidence > edge for edge in CONFIDENCE_BINS)}"

    def _beside(self, head: int, old: int) -> str:
        if not head:
            return "0"
        return "S" if self.prior.heads[head - 1] == old else "N"


@dataclass
class TreeCorrection(Correction):
    """The correction of trees in a file, whatever made them: the prior is the head in the file."""

    labels: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Relation that gold sentences have where a word has kept its head, by its form or its class and its relation in the file."""

    @classmethod
    def fit(cls, cases: Sequence[Case], gold: Sequence[DepTree], penalty: float = PENALTY) -> TreeCorrection:
        """Learn from sentences and their gold trees."""
        questions = list(chain.from_iterable(map(_questions, cases, gold)))
        lexicon = TagLexicon.of((case.sentence, tree.deprels) for case, tree in zip(cases, gold, strict=True))
        return cls(fit_weights(questions, penalty, ITERATIONS), lexicon, labels=_labels(cases, gold))

    def relations(self, case: Case, heads: Sequence[int]) -> tuple[str, ...]:
        """Return relations for new heads: the old one where the head is the old one or gold sentences say nothing else."""
        deprels = []
        for word, (head, form) in enumerate(zip(heads, case.sentence.forms, strict=True), 1):
            old = case.prior.deprels[word - 1]
            same = head == case.prior.heads[word - 1]
            learned = next((self.labels[key] for key in _keys(case, word) if key in self.labels), "")
            if not head:
                deprels.append("root")
            elif same or (old not in ("root", "_") and not self.lexicon.rel(form)):
                deprels.append(learned or old)
            else:
                deprels.append(self.lexicon.rel(form) or learned or "dep")
        return tuple(deprels)

    def tree(self, case: Case, caution: float = 0.0) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the heads and the probability of each; `caution` is added to the prior of the heads in the file."""
        options = [
            self.probabilities(heads, rows, [(1 + caution / TRUST) * trust for trust in prior])
            for heads, rows, prior in case.rows
        ]
        heads = best_tree(options)
        return tuple(heads), tuple(dict(pairs).get(head, 0.0) for pairs, head in zip(options, heads, strict=True))


def _keys(case: Case, word: int) -> Iterator[tuple[str, ...]]:
    """From the narrow to the wide."""
    old = case.prior.deprels[word - 1]
    yield "form", case.lattice.forms[word], old
    yield "class", case.tags[word], case.lattice.deprels[word], old


def _labels(cases: Sequence[Case], gold: Sequence[DepTree]) -> dict[tuple[str, ...], str]:
    """Labels that gold sentences agree on, where a word has kept its head."""
    seen: dict[tuple[str, ...], Counter[str]] = {}
    for case, tree in zip(cases, gold, strict=True):
        for word, (head, old) in enumerate(zip(tree.heads, case.prior.heads, strict=True), 1):
            if head == old and head > 0:
                for key in _keys(case, word):
                    seen.setdefault(key, Counter())[tree.deprels[word - 1]] += 1
    labels = {}
    for key, counts in seen.items():
        label, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if (
            count >= (AGREEING if key[0] == "form" else 2 * AGREEING)
            and count >= AGREEING_SHARE * counts.total()
            and label not in ("root", "_")
        ):
            labels[key] = label
    return labels


def _questions(case: Case, gold: DepTree) -> Iterator[Question]:
    for word, head in enumerate(gold.heads, 1):
        heads, rows, prior = case.rows[word - 1]
        if head in heads:
            numbers = [[number for block in row for number in SPELLED.row(block)] for row in rows]
            yield Question(numbers, heads.index(head), prior)


Tell = Callable[[str, int, int], None]
"""Callback for progress (message, done, total); it raises `CancelledError` to end the work."""


class ReviewedSentence(NamedTuple):
    """A sentence for a learner: its place, what projection may see of it, its tree, and the tree in use."""

    n: int
    sentence: ProjectionInput | None
    tree: DepTree
    prior: PriorTree = PriorTree()


class ProjectionInputs:
    """The inputs of projection by sentence number: given, or read when learning first needs them."""

    def __init__(
        self,
        inputs: Mapping[int, ProjectionInput] | None = None,
        read: Callable[[], Mapping[int, ProjectionInput]] | None = None,
    ) -> None:
        self.inputs: Mapping[int, ProjectionInput] = inputs or {}
        self._read = read

    def __bool__(self) -> bool:
        return bool(self.inputs) or self._read is not None

    def all(self) -> Mapping[int, ProjectionInput]:
        if self._read is not None:
            self.inputs, self._read = self._read(), None
        return self.inputs


class Learner(Protocol):
    """Learns from `gold` and yields (place, new tree) for the sentences of `rest` for which it has one."""

    def __call__(
        self, gold: Sequence[ReviewedSentence], rest: Sequence[ReviewedSentence], on_message: Tell
    ) -> Iterator[tuple[int, LearnedTree]]: ...


def usable(example: ReviewedSentence) -> bool:
    """Whether there is more to learn from than the words: a tree of the translation, or glosses."""
    return example.sentence is not None and (len(example.sentence.e) > 0 or any(example.sentence.glosses))


def examples(session: Session, places: Sequence[int], sentences: Mapping[int, ProjectionInput]) -> list[ReviewedSentence]:
    """Return sentences as they are now, together with the trees that the file came with."""
    rows = []
    for n in places:
        sentence, state = session.sentence(n), session.states[n]
        pair = current_input(session, n, sentences.get(n))
        tree = DepTree(sentence.forms, state.heads, state.deprels, sentence.column(3), sentence.column(4))
        rows.append(ReviewedSentence(n, pair, tree, in_use(session, n)))
    return rows


def current_input(session: Session, n: int, given: ProjectionInput | None) -> ProjectionInput | None:
    """Return what projection may see of a sentence, with the glosses and links that a person has set; None if its words are others now."""
    if given is None or session.has_other_words(n):
        return None
    state = session.states[n]
    if state.rows is session.document.blocks[n].sentence:
        return given
    sentence = state.sentence
    glosses = sentence.glosses if sentence.glosses != session.document.blocks[n].sentence.glosses else given.glosses
    text = sentence.comment(LINKS)
    if text is not None and text != session.document.blocks[n].sentence.comment(LINKS) and len(given.e):
        pairs = {(i, j) for i, j in links_of(sentence) if i <= len(given) and j <= len(given.e)}
        return replace(given, glosses=glosses, links=Links.of(pairs, (len(given), len(given.e))))
    return given if glosses is given.glosses else replace(given, glosses=glosses)


def in_use(session: Session, n: int) -> PriorTree:
    """The tree that the system in use made of a sentence; none where a person had changed it before the review began."""
    if session.has_other_words(n):
        return PriorTree()
    first = session.document.blocks[n].initial
    if first.gold or first.hand or min(first.heads, default=0) < 0 or first.heads.count(0) != 1:
        return PriorTree()
    tags = session.document.blocks[n].sentence.column(3)
    return PriorTree(first.heads, first.deprels, first.reasons, first.machine_confidence, tags, first.note)


class Point(NamedTuple):
    """A point of the learning curve: gold sentences learned from, and heads right in others."""

    gold: int
    known: Expected


@dataclass(frozen=True)
class Verdict:
    """The outcome of `check`: whether a learner's trees are better, why, and its trees of the gold sentences by folds."""

    learner: Any
    better: bool
    explanation: str
    gained: int = 0
    lost: int = 0
    needed: int = 0
    """More gold sentences that it will take, as far as that can be told."""
    held: Mapping[int, LearnedTree] = field(default_factory=dict)
    curve: tuple[Point, ...] = ()


def check(learner: Learner, gold: Sequence[ReviewedSentence], on_message: Tell, *, curve: bool = True) -> Verdict:
    """Choose the variant of a learner that makes better trees of the gold sentences, if there is one.

    A variant is better when it gains more heads than it loses, by more than their chance difference: gained − lost >
    √(gained + lost). If none is better, the second variant, a more cautious one, is taken if it loses no head. The learning
    `curve` takes three more rounds of folds.
    """
    known = [example for example in gold if example.prior.heads]
    variants = list(getattr(learner, "variants", lambda: [learner])())
    if len(known) < FEW_GOLD:
        return _few(variants, gold, known, on_message)
    tried = [(variant, *_measure_gain(variant, gold, known, on_message)) for variant in variants]
    size, shares = len(known), CURVE_SHARES if curve else ()
    for variant, held, gained, lost in tried:
        if gained - lost > math.sqrt(gained + lost):
            explanation = f"checked on {_sentences(size)} that it had not seen, learning puts {plural(gained, 'head')} right and {lost} wrong"
            return Verdict(
                variant, True, explanation, gained, lost, 0, held, _curve(variant, gold, known, held, shares, on_message)
            )
    for variant, held, gained, lost in tried[1:2]:
        if lost == 0:
            explanation = (
                f"{_sentences(size)} are too few to see a difference, so only what the odds are strongly for is changed"
            )
            return Verdict(
                variant, True, explanation, gained, lost, 0, held, _curve(variant, gold, known, held, shares, on_message)
            )
    variant, held, gained, lost = tried[0]
    more = gold_shortfall(size, gained, lost)
    explanation = (
        f"checked on {_sentences(size)} that it had not seen, learning puts {plural(gained, 'head')} right and {lost} wrong, "
        f"which is no clear gain; about {more} more gold sentences are needed"
    )
    return Verdict(
        variant, False, explanation, gained, lost, more, held, _curve(variant, gold, known, held, shares, on_message)
    )


def _few(
    variants: Sequence[Any], gold: Sequence[ReviewedSentence], known: Sequence[ReviewedSentence], on_message: Tell
) -> Verdict:
    """Return the verdict for too few gold sentences: the most cautious variant, if there are several."""
    more = FEW_GOLD - len(known)
    if len(variants) > 1 and known:
        explanation = f"{_sentences(len(known))} cannot be checked ({more} more {'is' if more == 1 else 'are'} needed), so only what the odds are strongly for is changed"
        return Verdict(variants[-1], True, explanation, needed=more)
    strange = len(gold) - len(known)
    explanation = (
        f"learning can be checked from {FEW_GOLD} gold sentences on: {more} more {'is' if more == 1 else 'are'} needed"
    )
    if strange:
        explanation += f" ({_sentences(strange)} came with a person's tree, so what it was corrected from is not known)"
    return Verdict(variants[0], False, explanation, needed=more)


def gold_shortfall(size: int, gained: int, lost: int) -> int:
    """Return how many more gold sentences would make this rate of gain significant; as many again if there is no gain.

    >>> gold_shortfall(20, 6, 3), gold_shortfall(20, 3, 3), gold_shortfall(5, 0, 0)
    (1, 20, 5)
    """
    rate, spread = (gained - lost) / size, (gained + lost) / size
    if rate <= 0:
        return min(MOST_ASKED, size)
    return min(MOST_ASKED, max(1, math.ceil(spread / rate**2) - size + 1))


def _measure_gain(
    learner: Any, gold: Sequence[ReviewedSentence], known: Sequence[ReviewedSentence], on_message: Tell
) -> tuple[dict[int, LearnedTree], int, int]:
    held = predict_by_folds(learner, gold, on_message)
    gained = lost = 0
    for example in known:
        if example.n in held:
            rows = zip(example.tree.heads, held[example.n].heads, example.prior.heads, strict=True)
            for right, new, old in rows:
                gained += new == right != old
                lost += new != right == old
    return held, gained, lost


def predict_by_folds(
    learner: Any, gold: Sequence[ReviewedSentence], on_message: Tell, share: float = 1.0
) -> dict[int, LearnedTree]:
    """Predict the trees of gold sentences by folds, each with a learner trained on (a share of) the other folds."""
    trees: dict[int, LearnedTree] = {}
    folds = min(CHECK_FOLDS, len(gold))
    for k in range(folds):

        def relay(message: str, done: int, total: int, k: int = k) -> None:
            on_message(f"check {k + 1} of {folds} on the gold sentences", done, total)

        held = gold[k::folds]
        seen = [example for place, example in enumerate(gold) if place % folds != k]
        with contextlib.suppress(ProjError):  # a fold may leave nothing to learn from
            trees.update(learner(seen[: max(1, round(share * len(seen)))], held, relay))
    return trees


def _curve(
    learner: Any,
    gold: Sequence[ReviewedSentence],
    known: Sequence[ReviewedSentence],
    held: Mapping[int, LearnedTree],
    shares: Sequence[float],
    on_message: Tell,
) -> tuple[Point, ...]:
    """Return the learning curve: heads right in unseen gold sentences, by the number of those learned from."""
    points = [_point(0, known, {x.n: x.prior.heads for x in known})]
    for share in shares if len(gold) >= 2 * FEW_GOLD else ():
        trees = predict_by_folds(learner, gold, on_message, share)
        points.append(_point(round(share * len(gold)), known, {n: tree.heads for n, tree in trees.items()}))
    points.append(_point(len(gold), known, {n: tree.heads for n, tree in held.items()}))
    return tuple(point for point in points if point)


def _point(size: int, gold: Sequence[ReviewedSentence], heads: Mapping[int, Sequence[int]]) -> Any:
    pairs = [(sum(a == b for a, b in zip(x.tree.heads, heads[x.n], strict=True)), len(x.tree)) for x in gold if x.n in heads]
    known = expected_from_counts(pairs, _sentences(size))
    return Point(size, known) if known else None


def accuracy(session: Session, held: Mapping[int, LearnedTree]) -> Expected | None:
    """Heads expected to be right in sentences that nobody has corrected, by the gold ones and the calibration of the system.

    `held` are trees of gold sentences by learners that did not see them; of the others it is the tree that was corrected.
    Without a gold sentence the calibration speaks alone; None where the system has none either.
    """
    checked, counts, rest = [], [], []
    for n in session.gold:
        if session.has_other_words(n) or session.document.blocks[n].initial.gold:
            continue
        was = session.machine[n]
        heads, confidence = (held[n].heads, held[n].confidence) if n in held else (was.heads, was.machine_confidence)
        right = [a == b for a, b in zip(session.states[n].heads, heads, strict=True)]
        counts.append((sum(right), len(right)))
        if confidence and None not in confidence:
            checked.append([(c or 0.0, r) for c, r in zip(confidence, right, strict=True)])
    for n in session.free:
        rest += [c for c in session.states[n].machine_confidence if c is not None]
    prior, source = _calibration(session, rest), _sentences(len(counts))
    if not counts:
        return prior
    whole = len(checked) == len(counts) and rest
    return combine(prior, recalibrate(checked, rest, source) if whole else expected_from_counts(counts, source))


def _calibration(session: Session, rest: Sequence[float]) -> Expected | None:
    """What the calibration says of the free sentences' words; None unless one system has made all their trees."""
    notes = {session.states[n].note for n in session.free if session.states[n].machine_confidence}
    systems = {note.removeprefix(PROJECTED).partition(" ")[0] if note else "" for note in notes}
    return expected_accuracy([rest], systems.pop()) if len(systems) == 1 else None


def _sentences(count: int) -> str:
    return f"{count} gold sentence{'s' * (count != 1)}"


@dataclass(frozen=True)
class AdaptingLearner:
    """Corrections of the trees in use, whatever made them: rules, a pack or a model."""

    caution: float = 0.0
    _fitted: dict[tuple[int, ...], TreeCorrection] = field(default_factory=dict, repr=False, compare=False)
    """The latest correction by the places it was learned from: variants that differ in caution share it."""
    _cases: dict[int, tuple[ReviewedSentence, Case]] = field(default_factory=dict, repr=False, compare=False)

    def variants(self) -> list[AdaptingLearner]:
        return [replace(self, caution=caution) for caution in CAUTIONS]

    def __call__(
        self, gold: Sequence[ReviewedSentence], rest: Sequence[ReviewedSentence], on_message: Tell
    ) -> Iterator[tuple[int, LearnedTree]]:
        known = [example for example in gold if usable(example) and example.prior.heads]
        if not known:
            message = "no gold sentence has glosses or a tree of its translation"
            raise ProjError(message, remedy="mark other sentences gold")
        on_message("learning from gold sentences", 0, len(known))
        correction = self._correction(known)
        wanted = [example for example in rest if usable(example) and example.prior.heads]
        for done, example in enumerate(wanted):
            on_message("looking at the rest", done, len(wanted))
            yield example.n, self._adapt(example, correction)

    def _correction(self, gold: Sequence[ReviewedSentence]) -> TreeCorrection:
        places = tuple(example.n for example in gold)
        if places not in self._fitted:
            self._fitted.clear()
            self._fitted[places] = TreeCorrection.fit([self._case(x) for x in gold], [x.tree for x in gold])
        return self._fitted[places]

    def _case(self, example: ReviewedSentence) -> Case:
        """Kept for gold sentences, which folds ask for again and again."""
        entry = self._cases.get(example.n)
        if entry is None or entry[0] != example:
            entry = self._cases[example.n] = (example, _case(example))
        return entry[1]

    def _adapt(self, example: ReviewedSentence, correction: TreeCorrection) -> LearnedTree:
        case, prior = self._cases[example.n][1] if example.n in self._cases else _case(example), example.prior
        heads, confidence = correction.tree(case, self.caution)
        same = tuple(a == b for a, b in zip(heads, prior.heads, strict=True))
        reasons = tuple(old if kept else "learned" for old, kept in zip(prior.reasons, same, strict=True))
        mixed = [old if kept else new for old, new, kept in zip(prior.confidence, confidence, same, strict=True)]
        known = tuple(c for c in mixed if c is not None)
        deprels = correction.relations(case, heads)
        note = prior.note if all(same) and deprels == prior.deprels else _extend_note(prior.note)
        return LearnedTree(heads, deprels, reasons, known if len(known) == len(heads) else (), note)


def _case(example: ReviewedSentence) -> Case:
    return Case(_input(example), example.prior)


def _extend_note(note: str) -> str:
    """The comment on the projection, with what was added to it.

    >>> _extend_note("# projection = s5 coverage=0.80 links=4"), _extend_note("")
    ('# projection = s5 coverage=0.80 links=4 learned', '')
    """
    return note if not note or note.endswith(" learned") else f"{note} learned"


@dataclass(frozen=True)
class ProjectionLearner:
    """A projection system trained on gold sentences with a tree of the translation; `auto` chooses it by their number."""

    system: str = systems.DEFAULT

    def __post_init__(self) -> None:
        able = [code for code, system in systems.SYSTEMS.items() if system.learns]
        if self.system not in (systems.AUTO, *able):
            raise ProjError(f"system '{self.system}' does not learn", remedy=f"choose one of {', '.join(able)}")

    def __call__(
        self, gold: Sequence[ReviewedSentence], rest: Sequence[ReviewedSentence], on_message: Tell
    ) -> Iterator[tuple[int, LearnedTree]]:
        pairs = {example.n: _pair(example) for example in gold if _has_translation(example)}
        if not pairs:
            raise ProjError("no gold sentence has a tree of its translation", remedy="mark other sentences gold")
        on_message("learning from gold sentences", 0, len(pairs))
        system = self.system
        if system == systems.AUTO:
            system = systems.choose(gold=len(pairs), glosses=any(pair.glosses for pair in pairs.values())).system
        wanted = {example.n: example for example in rest if _has_translation(example)}
        text = {n: ProjectionInput.of(pair) for n, pair in pairs.items()} | {n: _input(x) for n, x in wanted.items()}
        project = systems.train(system, [*pairs.values()], text=[text[n] for n in sorted(text)])
        for done, n in enumerate(wanted):
            on_message("projecting the rest", done, len(wanted))
            yield n, _tree_from_projection(calibrate(project(text[n]), system), system)


def check_rules(pairs: Sequence[Pair], system: str, on_message: Tell) -> Verdict:
    """Return whether rules for a system make better trees than projection without rules.

    Both project pairs with gold trees of F: without rules the system that `auto` takes then, with rules one that has learned them from the
    other pairs.
    """
    text = [ProjectionInput.of(pair) for pair in pairs]
    without = systems.choose(glosses=systems.suits_s6(text)).system
    on_message(f"projecting by {without}", 0, len(pairs))
    project = systems.train(without, (), text=text)
    gold = []
    for n, (pair, sentence) in enumerate(zip(pairs, text, strict=True)):
        projection = project(sentence)
        gold.append(
            ReviewedSentence(n, sentence, pair.f, PriorTree(projection.heads, projection.tree.deprels, projection.reasons))
        )
    return check(ProjectionLearner(system), gold, on_message, curve=False)


def _has_translation(example: ReviewedSentence) -> bool:
    """Whether there is a tree of the translation, which systems of projection need to learn."""
    return example.sentence is not None and len(example.sentence.e) > 0


def _tree_from_projection(projection: Projection, system: str) -> LearnedTree:
    links = len(projection.sentence.links)
    note = f"{PROJECTED}{system} coverage={projection.coverage:.2f} links={links}{'' if links else ' unlinked'}"
    return LearnedTree(projection.heads, projection.tree.deprels, projection.reasons, projection.confidence, note)


def _input(example: ReviewedSentence) -> ProjectionInput:
    assert example.sentence is not None
    return example.sentence


def _pair(example: ReviewedSentence) -> Pair:
    """The sentence with its gold tree, to learn from."""
    given = _input(example)
    return Pair(example.tree, given.e, given.links, given.sent_id, glosses=given.glosses)


class LearningJob:
    """Learning in a thread of its own; `status` says how far it is."""

    def __init__(self, session: Session, learner: Learner, sentences: ProjectionInputs, name: str) -> None:
        self.session, self.learner, self.bitexts, self.name = session, learner, sentences, name
        self._status: dict[str, Any] = {"state": "idle", "told": "", "done": 0, "total": 0}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.verdict: Verdict | None = None
        """What the latest check found."""

    @property
    def status(self) -> dict[str, Any]:
        return dict(self._status)

    def start(self) -> bool:
        """Begin; False when it is at work already."""
        with self._lock:
            if self._thread and self._thread.is_alive():
                if self._status["state"] == "running":
                    return False
                self._thread.join()  # it has said its last word
            self._stop.clear()
            self._status = {"state": "running", "told": "beginning", "done": 0, "total": 0}
            self._thread = threading.Thread(target=self._run, name="learning", daemon=True)
            self._thread.start()
            return True

    def stop(self) -> None:
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        if self._thread:
            self._thread.join(seconds)

    def _tell(self, message: str, done: int, total: int) -> None:
        if self._stop.is_set():
            raise CancelledError
        self._status = {"state": "running", "told": message, "done": done, "total": total}

    def _run(self) -> None:
        try:
            message = self._learn()
        except CancelledError:
            self._end("idle", "learning was stopped; nothing has changed")
        except ProjError as error:
            self._end("failed", str(error))
        except Exception as error:  # the server lives on, and the page says what happened
            self._end("failed", f"learning failed: {type(error).__name__}: {error}")
        else:
            self._end("done", message)

    def _end(self, state: str, message: str) -> None:
        self._status = {"state": state, "told": message, "done": 0, "total": 0}

    def _learn(self) -> str:
        session = self.session
        if not session.gold:
            raise ProjError("there is nothing to learn from yet", remedy="mark sentences gold first")
        self._tell("reading the translations", 0, 0)
        inputs = self.bitexts.all()
        with session.lock:
            gold = examples(session, session.gold, inputs)
            rest = examples(session, session.free, inputs)
            versions = list(session.versions)
        if not rest:
            raise ProjError("there is nothing to do: every sentence is gold or corrected by hand")
        verdict = self.verdict = check(self.learner, gold, self._tell)
        if not verdict.better:
            return f"nothing has changed: {verdict.explanation}"
        trees = [(n, tree) for n, tree in verdict.learner(gold, rest, self._tell) if _differs(session, n, tree)]
        self._tell("taking the new trees", 0, 0)
        change = session.learn(trees, f"{self.name} learned from {sentences(len(gold))}", versions)
        heads = sum(a != b for n in change.after for a, b in _heads(change.before[n].heads, change.after[n].heads))
        kept = len(session) - len(gold) - len(rest)
        done = f"{plural(heads, 'head')} changed in {sentences(len(session.differing()))}" if heads else "no head changed"
        message = f"{verdict.explanation}. {done}"
        return message + (f"; {sentences(kept)} corrected but not gold stayed as you left them" if kept else "")


def _heads(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(before, after, strict=True)


def _differs(session: Session, n: int, tree: LearnedTree) -> bool:
    state = session.states[n]
    confidence = tuple(round(c, 2) for c in tree.confidence) or (None,) * len(state.machine_confidence)
    return (state.heads, state.deprels, state.machine_confidence) != (tree.heads, tree.deprels, confidence)


def sentences(count: int) -> str:
    return f"{count} sentence{'s' * (count != 1)}"


TYPE_SYSTEMS = ("s6", "s6+")
"""Systems whose trees can be projected anew around answers for word types."""


class TypeQuestions:
    """The word types of a text, asked for in the review; the answers are in the table of `proj types`.

    An answer is given to all words of the type. The text is projected without the new answers and with them: where the two differ, free
    sentences take the new tree and tags, sentences that a person has touched the new tags alone, and gold ones nothing.
    """

    def __init__(
        self, session: Session, sentences: ProjectionInputs, path: Path, known: WordTypes = NO_TYPES, grams: Grams | None = None
    ) -> None:
        self.session, self.inputs, self.path, self.known, self.grams = session, sentences, path, known, grams or shipped_grams()
        self.rows: list[WordType] = []
        """The table as it was last computed."""
        self._lock = threading.Lock()

    @property
    def problem(self) -> str:
        """Why words cannot be tagged at once; '' if they can."""
        systems = {
            state.note.removeprefix(PROJECTED).partition(" ")[0]
            for state in map(self.session.states.__getitem__, self.session.places)
            if state.note
        }
        if not self.inputs:
            return "words at once need glosses"
        other = systems - {*TYPE_SYSTEMS}
        return f"words at once need trees of s6, these are of {', '.join(sorted(other))}" if other or not systems else ""

    def answers(self, more: Mapping[str, Sequence[str]] | None = None) -> WordTypes:
        """Return all answers: of the table as it was when the review began, of the review, and `more`; tag and relation by type."""
        answers = dict(self.known.answers)
        guesses = {row.key: row.guess for row in self.rows}
        for key, (tag, relation) in {**self.session.answers, **(more or {})}.items():
            answers.pop(key, None)
            row = {"tag": tag, "relation": relation, "guess": guesses.get(key, "")}
            answer = parse_answer(row, Where(), self.grams)
            if answer is not None:
                answers[key] = answer
        return WordTypes(answers, self.path.name)

    def list(self) -> Sequence[WordType]:
        """Compute the table anew and return it."""
        with self._lock:
            text = self._text(self.answers())
            self.rows = list_types([*text.values()], S6(grams=self.grams), self.answers())
            return self.rows

    def give(self, answers: Mapping[str, Sequence[str]], on_message: Callable[[str], None] = lambda _: None) -> Change:
        """Take answers, project the text with them, and write the table."""
        try:
            new = self.answers(answers)
        except FormatError as error:
            raise EditError(error.message) from None
        with self._lock:
            session = self.session
            with session.lock:
                versions = list(session.versions)
                before, after = self._text(self.answers()), self._text(new)
            if not after:
                raise EditError("no sentence has what projection needs")
            system = S6(grams=self.grams)
            on_message("reading the text with the answers")
            old, now = (AdaptedSystem.to(system, [*text.values()]) for text in (before, after))
            trees = []
            for n, sentence in after.items():
                was, projection = old.project(before[n]), now.project(sentence)
                if (was.heads, was.tree.deprels, was.upos) != (projection.heads, projection.tree.deprels, projection.upos):
                    trees.append((n, self._tree(n, was, projection)))
            names = [key.strip() for key in answers]
            message = f"{plural(len(names), 'word type')} answered ({', '.join(names[:3])}{' …' if len(names) > 3 else ''})"
            earlier = self.answers().answers
            cells = {key: [earlier[key].written, earlier[key].relation] if key in earlier else ["", ""] for key in answers}
            change = session.learn(trees, message, versions, {key: list(pair) for key, pair in answers.items()}, cells)
        self.list()
        return change

    def write(self) -> bool:
        """Write the table, once there is one; return whether there is."""
        if self.rows:
            answers = self.answers().answers
            with writing(self.path) as out:
                dump([replace(row, answer=answers.get(row.key)) for row in self.rows], out, self.grams)
        return bool(self.rows)

    def _text(self, types: WordTypes) -> dict[int, ProjectionInput]:
        session, given = self.session, self.inputs.all()
        text = {}
        for n in session.places:
            sentence = current_input(session, n, given.get(n))
            if sentence is not None:
                rows, cells = session.sentence(n), session.states[n].cells
                labels = rows.column(4)
                tags = tuple(tag if (k, 3) in cells else "_" for k, tag in enumerate(rows.column(3), 1))
                text[n] = replace(
                    sentence,
                    answers=types.of_words(sentence.forms, sentence.glosses),
                    labels=sentence.labels or (labels if any(label != "_" for label in labels) else ()),
                    tags=tags if any(tag != "_" for tag in tags) else sentence.tags,
                )
        return text

    def _tree(self, n: int, was: Projection, new: Projection) -> LearnedTree:
        """Return the new tree, with the tags and features of words that are read otherwise than before."""
        rows = self.session.sentence(n)
        tags, feats = list(rows.column(3)), list(rows.column(5))
        glosses = rows.glosses or ("",) * len(tags)
        for k, (old, tag) in enumerate(zip(was.upos or tags, new.upos or tags, strict=True)):
            if old != tag and tag in UPOS:
                if feats[k] in ("_", features(glosses[k], tags[k], self.grams)):
                    feats[k] = features(glosses[k], tag, self.grams) if glosses[k] else "_"
                tags[k] = tag
        state = annotate(rows.with_columns({3: tuple(tags)}), new, "s6", self.grams)
        fresh = state_of(state)
        confidence = tuple(c for c in fresh.machine_confidence if c is not None)
        whole = confidence if len(confidence) == len(tags) else ()
        return LearnedTree(fresh.heads, fresh.deprels, fresh.reasons, whole, fresh.note, tuple(tags), tuple(feats))


ALONE = "only correction is possible: learning needs the trees of the translations (`e=FILE.conllu` or `e_parser=COMMAND`)"


def sentences_to_learn_with(
    document: Document, corpus: Corpus, how: Preparation, faults: Callable[[], Faults], done: Callable[[Faults], None]
) -> tuple[ProjectionInputs, str]:
    """Return the inputs of projection for learning, and a message about them; `done` gets the faults of each reading.

    Files that were named are read at once, so that faults are reported; translations are parsed only for learning.
    """

    def read() -> dict[int, ProjectionInput]:
        noted = faults()
        pairs = list(passing(prepare_text(corpus, how, noted), "reading sentence"))
        done(noted)
        if not (paired := inputs_by_place(document, pairs)):
            raise ProjError(f"no sentence of {corpus.path} is in {document.path}", remedy="their words must be the same")
        return paired

    if any((corpus.e, corpus.links, how.e_parser, corpus.path != document.path)):
        inputs = read()
        names = language_counts(Counter(pair.e_language for pair in inputs.values() if pair.e_language))
        return ProjectionInputs(inputs), f"{len(inputs)} to learn with" + (f", translations in {names}" if names else "")
    material = material_of(document)
    return (ProjectionInputs(read=read), material) if material else (ProjectionInputs(), ALONE)


def material_of(document: Document) -> str:
    """Return in words what learning can use of the sentences as they are in the file; '' for nothing."""
    sentences = [from_sentence(block.sentence) for block in document.blocks]
    choices = choose(sentences)
    if any(choice.language and choice.parser for choice in choices):
        names = language_counts(Counter(choice.language for choice in choices if choice.language and choice.parser))
        return "the translations will be parsed for learning" + (f", as {names}" if names else "")
    if not any(any(igt.glosses) for igt in sentences):
        return ""
    languages = sorted({language_name(choice.language) for choice in choices if choice.language})
    return "learning will use the glosses alone" + (f": no parser is installed for {', '.join(languages)}" if languages else "")


def inputs_by_place(document: Document, pairs: list[Pair]) -> dict[int, ProjectionInput]:
    """Return inputs of projection by sentence number: each for the next sentence with the same id (if any) and words."""
    waiting: dict[tuple[str, tuple[str, ...]], list[ProjectionInput]] = {}
    for pair in reversed(pairs):
        if len(pair.e) or any(pair.glosses):
            waiting.setdefault((pair.sent_id, pair.f.forms), []).append(ProjectionInput.of(pair))
    inputs = {}
    for n, block in enumerate(document.blocks):
        if same := waiting.get((block.sentence.sent_id, block.sentence.forms)):
            inputs[n] = same.pop()
    return inputs
