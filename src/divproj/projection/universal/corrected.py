"""System s6+: s6 corrected by gold trees of the language itself.

What s6 says of an edge is the prior of a log-linear model with the features of s2+:

    P(h | word) ∝ P6(h | word) · exp(w·f(word, h)),   w ~ N(0, 1/penalty)

so without a gold tree it is s6, few trees move little, and many decide. Tags and relations of word forms that the gold trees
know well are theirs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from divproj.data.pair import Pair
from divproj.forest.hypergraph import Forest
from divproj.projection.candidates import Lattice, Lexicon
from divproj.projection.decode import best_tree
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.loglinear import SPELLED, HeadModel, Question, fit_weights
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.projector import Universal

if TYPE_CHECKING:
    from divproj.projection.phrasal.phrase_pairs import PhraseBook

Floats = NDArray[np.float64]
PENALTY = 6.0
"""Of the weights; s2+, which has no prior, has 2."""
LEAST = 0.02
"""Probability from which a head that s6 weighs is a candidate."""
FLOOR = 1e-3
"""Probability that a candidate has at least before anything is learned."""
KNOWN, SHARE = 2, 0.8
"""Gold words of a form, and the share of them, that make its tag or relation usual."""
TAG_OF, REL_OF = "tag of ", "relation of "
"""Weights with such names are usual tags and relations of forms (how often they were seen)."""


@dataclass
class Corrected:
    """s6 with weights learned from gold trees."""

    weights: dict[str, float] = field(default_factory=dict)
    lexicon: Lexicon = field(default_factory=Lexicon)
    base: Universal = field(default_factory=Universal)
    observes = True

    @classmethod
    def fit(
        cls,
        pairs: Sequence[Pair],
        text: Sequence[ProjectionInput] = (),
        base: Universal | None = None,
        penalty: float = PENALTY,
    ) -> Corrected:
        """Learn from pairs with gold trees of F; `text` is more of the language, without trees."""
        given = [ProjectionInput.of(pair) for pair in pairs]
        system = base or Universal()
        system.observe([*dict.fromkeys([*given, *text])])
        lexicon = Lexicon.of((b, pair.f.rels) for b, pair in zip(given, pairs, strict=True))
        made = cls({}, lexicon, system)
        questions: list[Question] = []
        before: list[float] = []
        for bitext, pair in zip(given, pairs, strict=True):
            if not len(bitext):
                continue
            lattice, chances = made._lattice(bitext)
            for word, gold in enumerate(pair.f.heads, 1):
                heads = candidates(lattice, chances, word)
                if gold in heads and len(heads) > 1:
                    rows = [[k for block in lattice.blocks(word, head) for k in SPELLED.row(block)] for head in heads]
                    questions.append((rows, heads.index(gold)))
                    before += [math.log(max(chances[head, word], FLOOR)) for head in heads]
        made.weights = fit_weights(questions, penalty, np.array(before)) | usual_forms(pairs)
        return made

    def observe(
        self, bitexts: Iterable[ProjectionInput], forests: Iterable[Forest] = (), phrases: PhraseBook | None = None
    ) -> Corrected:
        """Let s6 go through the text."""
        self.base.observe(bitexts, forests, phrases)
        return self

    def project(self, bitext: ProjectionInput) -> Projection:
        """The tree that s6 and the corrections find best together."""
        return self.weighed(bitext)[0]

    def weighed(self, bitext: ProjectionInput) -> tuple[Projection, Floats]:
        """The projection, and probabilities of all edges [head, child]."""
        found, chances = self.base.weighed(bitext)
        if not len(bitext) or not self.weights:
            return found, chances
        lattice = self._topped(bitext, found)
        weight = self._model.weight
        mixed, options = np.zeros_like(chances), []
        for word in range(1, len(bitext) + 1):
            heads = candidates(lattice, chances, word)
            scores = [
                math.log(max(chances[head, word], FLOOR)) + sum(weight(block) for block in lattice.blocks(word, head))
                for head in heads
            ]
            top = max(scores)
            odds = [math.exp(score - top) for score in scores]
            total = sum(odds)
            mixed[heads, word] = [odd / total for odd in odds]
            options.append([(head, odd / total) for head, odd in zip(heads, odds, strict=True)])
        heads = best_tree(options)
        tags = self._tags(bitext, found)
        projected = self.base.renamed(bitext, heads, tags)
        rels = self._rels(bitext, projected)
        sure = tuple(float(mixed[h, c]) for c, h in enumerate(projected.heads, 1))
        return replace(projected, confidence=sure, rels=rels), mixed

    def _lattice(self, bitext: ProjectionInput) -> tuple[Lattice, Floats]:
        found, chances = self.base.weighed(bitext)
        return self._topped(bitext, found), chances

    def _topped(self, bitext: ProjectionInput, found: Projection) -> Lattice:
        """The lattice whose root is that of s6."""
        lattice = Lattice(bitext, self.lexicon)
        top = found.heads.index(0) + 1 if 0 in found.heads else 0
        return replace(lattice, top=top) if top and top != lattice.old_top else lattice

    def _tags(self, bitext: ProjectionInput, found: Projection) -> tuple[str, ...]:
        return tuple(
            self._usual(TAG_OF, form) or tag if not (bitext.tags and bitext.tags[k] != "_") else tag
            for k, (form, tag) in enumerate(zip(bitext.forms, found.upos, strict=True))
        )

    def _rels(self, bitext: ProjectionInput, found: Projection) -> tuple[str, ...]:
        rows = zip(bitext.forms, found.heads, found.rels, strict=True)
        return tuple(rel if not head or rel == "punct" else self._usual(REL_OF, form) or rel for form, head, rel in rows)

    def _usual(self, what: str, form: str) -> str:
        return self._forms.get((what, form.lower()), "")

    @cached_property
    def _model(self) -> HeadModel:
        return HeadModel(self.weights, self.lexicon)

    @cached_property
    def _forms(self) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for what in (TAG_OF, REL_OF):
            for name in self.weights:
                if name.startswith(what):
                    form, _, value = name.removeprefix(what).rpartition(" = ")
                    found[what, form] = value
        return found


def candidates(lattice: Lattice, chances: Floats, word: int) -> list[int]:
    """Heads that the projections offer, and those that s6 holds possible."""
    found = [*lattice.heads(word), *np.flatnonzero(chances[:, word] >= LEAST).tolist()]
    return [head for head in dict.fromkeys(found) if head != word]


def usual_forms(pairs: Iterable[Pair]) -> dict[str, float]:
    """Tags and relations that nearly all gold words of a form have, as named weights."""
    tags: dict[str, Counter[str]] = {}
    rels: dict[str, Counter[str]] = {}
    for pair in pairs:
        for form, tag, rel in zip(pair.f.forms, pair.f.upos, pair.f.rels, strict=True):
            if tag in UPOS:
                tags.setdefault(form.lower(), Counter())[tag] += 1
            if rel not in ("root", "_", ""):
                rels.setdefault(form.lower(), Counter())[rel.partition(":")[0]] += 1
    made = {}
    for what, seen in ((TAG_OF, tags), (REL_OF, rels)):
        for form, counts in sorted(seen.items()):
            [(value, count)] = counts.most_common(1)
            total = counts.total()
            if total >= (1 if what == TAG_OF else KNOWN) and count >= SHARE * total:
                made[f"{what}{form} = {value}"] = float(count)
    return made
