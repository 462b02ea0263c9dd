"""Learning that adds to what is in use: corrections of the trees at hand, whatever made them.

The tree in use is the prior. A log-linear model over candidate heads starts from it (without a gold sentence it gives every
word the head it has) and learns from gold sentences where that prior is to be left:

    P(h | word) ∝ exp(a·[h is the head in use] + w·f(word, h)),   w ~ N(0, 1/penalty)

so few sentences move little, and rules, pack or model behind the trees need not be known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np

from divproj.data.tagsets import universal
from divproj.data.tree import DepTree
from divproj.projection.candidates import Lattice, Lexicon
from divproj.projection.decode import best_tree
from divproj.projection.direct import ProjectionInput
from divproj.projection.features import names
from divproj.projection.loglinear import weights_of
from divproj.projection.settings import NEGLIGIBLE
from divproj.review.settings import AGREEING, AGREEING_SHARE, CONFIDENCE_BINS, ITERATIONS, MIN_COUNT, PENALTY, TRUST


@dataclass(frozen=True)
class InUse:
    """A tree as the system in use has made it; no heads where that is not known."""

    heads: tuple[int, ...] = ()
    rels: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    sure: tuple[float | None, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    """The comment on the projection."""


@dataclass(frozen=True)
class Case:
    """A sentence to adapt: what projection sees of it and its tree in use."""

    bitext: ProjectionInput
    prior: InUse

    @cached_property
    def lattice(self) -> Lattice:
        found = Lattice(self.bitext)
        top = self.prior.heads.index(0) + 1 if 0 in self.prior.heads else 0
        return replace(found, top=top) if top and top != found.old_top else found

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Classes of words with place 0: those of the file, else those of the linked words."""
        given = self.prior.tags or ("_",) * len(self.bitext)
        return (
            "ROOT",
            *(universal(tag) if tag != "_" else own for tag, own in zip(given, self.lattice.tags[1:-1], strict=True)),
        )

    @cached_property
    def below(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for word, head in enumerate(self.prior.heads, 1):
            found.setdefault(head, []).append(word)
        return found

    def candidates(self, word: int) -> list[int]:
        """Heads that are weighed: those of the projection, and the words around the head in use."""
        found = self.lattice.heads(word)
        if self.prior.heads:
            own = self.prior.heads[word - 1]
            up = self.prior.heads[own - 1] if own > 0 else 0
            found = [own, up, *self.below.get(word, ())[:4], *self.below.get(own, ())[:6], *found]
        return [head for head in dict.fromkeys(found) if head != word and head >= 0]

    @cached_property
    def rows(self) -> list[tuple[list[int], list[list[str]]]]:
        """Of every word the candidates and the features of each: kept, since folds ask for them again and again."""
        return [(heads, [[*self.features(w, h)] for h in heads]) for w, heads in self._asked()]

    def _asked(self) -> Iterator[tuple[int, list[int]]]:
        return ((word, self.candidates(word)) for word in range(1, len(self.bitext) + 1))

    def trust(self, word: int, head: int) -> float:
        return TRUST if self.prior.heads and self.prior.heads[word - 1] == head else 0.0

    def features(self, word: int, head: int) -> Iterator[str]:
        """Names of the features of an edge: those of s2+, and what the tree in use says."""
        lattice, tags = self.lattice, self.tags
        for block in lattice.blocks(word, head):
            yield from names(block)
        t, u = tags[word], tags[head]
        side = "0" if not head else "<" if head < word else ">"
        yield f"T={t}{side}{u}"
        if not self.prior.heads:
            return
        own = self.prior.heads[word - 1]
        up = self.prior.heads[own - 1] if own > 0 else -1
        back = head > 0 and self.prior.heads[head - 1] == word
        r = "I" if head == own else "B" if back else "G" if head == up else self._beside(head, own)
        rel, reason = self.prior.rels[word - 1], self.prior.reasons[word - 1]
        yield f"I={r}"
        yield f"I={r}|{t}"
        yield f"I={r}|{t}|{u}{side}"
        yield f"I={r}|{rel}"
        yield f"I={r}|{reason}"
        yield f"I={r}|{reason}|{t}"
        yield f"I={r}|{self.lattice.forms[word]}"
        sure = self.prior.sure[word - 1] if self.prior.sure else None
        if sure is not None and r == "I":
            yield f"I|{sum(sure > edge for edge in CONFIDENCE_BINS)}"

    def _beside(self, head: int, own: int) -> str:
        if not head:
            return "0"
        return "S" if self.prior.heads[head - 1] == own else "N"


@dataclass
class Adapter:
    """What gold sentences add to the trees in use."""

    weights: dict[str, float] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    labels: dict[tuple[str, ...], str] = field(default_factory=dict)
    """What a word that has kept its head is called in gold sentences, by its form or its class, and what it was called."""

    @classmethod
    def fit(cls, cases: Sequence[Case], gold: Sequence[DepTree], penalty: float = PENALTY) -> Adapter:
        questions = list(chain.from_iterable(map(_questions, cases, gold)))
        lexicon = Lexicon.of((case.bitext, tree.rels) for case, tree in zip(cases, gold, strict=True))
        return cls(_fitted(questions, penalty), lexicon, _labels(cases, gold))

    def relations(self, case: Case, heads: Sequence[int]) -> tuple[str, ...]:
        """Relations for new heads: the old one where the head is the old one or gold sentences say nothing else."""
        made = []
        for word, (head, form) in enumerate(zip(heads, case.bitext.forms, strict=True), 1):
            old = case.prior.rels[word - 1]
            same = head == case.prior.heads[word - 1]
            learned = next((self.labels[key] for key in _keys(case, word) if key in self.labels), "")
            if not head:
                made.append("root")
            elif same or (old not in ("root", "_") and not self.lexicon.rel(form)):
                made.append(learned or old)
            else:
                made.append(self.lexicon.rel(form) or learned or "dep")
        return tuple(made)

    def chances(self, case: Case, caution: float = 0.0) -> list[list[tuple[int, float]]]:
        weight = self.weights.get
        made = []
        for word, (heads, rows) in enumerate(case.rows, 1):
            scores = [
                (1 + caution / TRUST) * case.trust(word, h) + sum([weight(x, 0.0) for x in row])
                for h, row in zip(heads, rows, strict=True)
            ]
            top = max(scores)
            odds = [math.exp(score - top) for score in scores]
            total = sum(odds)
            made.append([(head, odd / total) for head, odd in zip(heads, odds, strict=True)])
        return made

    def tree(self, case: Case, caution: float = 0.0) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Heads and the probability of each."""
        chances = self.chances(case, caution)
        heads = best_tree(chances)
        return tuple(heads), tuple(dict(found).get(head, 0.0) for found, head in zip(chances, heads, strict=True))


def _keys(case: Case, word: int) -> Iterator[tuple[str, ...]]:
    """From the narrow to the wide."""
    old = case.prior.rels[word - 1]
    yield "form", case.lattice.forms[word], old
    yield "class", case.tags[word], case.lattice.rels[word], old


def _labels(cases: Sequence[Case], gold: Sequence[DepTree]) -> dict[tuple[str, ...], str]:
    """Labels that gold sentences agree on, where a word has kept its head."""
    seen: dict[tuple[str, ...], Counter[str]] = {}
    for case, tree in zip(cases, gold, strict=True):
        for word, (head, own) in enumerate(zip(tree.heads, case.prior.heads, strict=True), 1):
            if head == own and head > 0:
                for key in _keys(case, word):
                    seen.setdefault(key, Counter())[tree.rels[word - 1]] += 1
    made = {}
    for key, counts in seen.items():
        label, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if (
            count >= (AGREEING if key[0] == "form" else 2 * AGREEING)
            and count >= AGREEING_SHARE * counts.total()
            and label not in ("root", "_")
        ):
            made[key] = label
    return made


Question = tuple[list[list[str]], list[float], int]


def _questions(case: Case, gold: DepTree) -> Iterator[Question]:
    for word, head in enumerate(gold.heads, 1):
        heads, rows = case.rows[word - 1]
        if head in heads:
            yield rows, [case.trust(word, h) for h in heads], heads.index(head)


def _fitted(questions: list[Question], penalty: float) -> dict[str, float]:
    from scipy.sparse import csr_matrix

    seen = Counter(name for rows, _, _ in questions for name in set(chain.from_iterable(rows)))
    columns = {name: k for k, name in enumerate(name for name, count in seen.items() if count >= MIN_COUNT)}
    if not columns:
        return {}
    indices: list[int] = []
    ends, starts = [0], [0]
    for rows, _, _ in questions:
        for row in rows:
            indices += (columns[name] for name in row if name in columns)
            ends.append(len(indices))
        starts.append(starts[-1] + len(rows))
    before = np.array([x for _, offsets, _ in questions for x in offsets])
    design = csr_matrix((np.ones(len(indices)), indices, ends), shape=(starts[-1], len(columns)))
    found = weights_of(design, starts, [gold for _, _, gold in questions], before, penalty, ITERATIONS)
    return {name: float(found[k]) for name, k in columns.items() if abs(found[k]) > NEGLIGIBLE}
