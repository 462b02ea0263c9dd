"""System s6+: s6 corrected by gold trees of the language itself.

What s6 says of an edge is the prior of a log-linear model with the features of s2+:

    P(h | word) ∝ P6(h | word) · exp(w·f(word, h)),   w ~ N(0, 1/penalty)

so without a gold tree it is s6, few trees move little, and many decide. Tags and relations of word forms that the gold trees
know well are theirs. How far all this is gains is decided on the gold trees themselves: each fifth of them is judged by what
the others teach. What does harm there is weakened or left out, and s6 stays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from divproj.core.pair import Pair
from divproj.projection.candidates import Lattice, TagLexicon
from divproj.projection.correction import SPELLED, Correction, Question, best_tree, fit_weights
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.facts import CASES, given_tags
from divproj.projection.glossed.s6 import S6, GlossAnalysis, GlossState, is_read
from divproj.projection.parsers import CORRECTION_FOLDS
from divproj.projection.systems import NO_EVIDENCE, TextEvidence
from divproj.ud.tagsets import LABELS, UPOS

CORRECTION_PENALTY = 6.0
"""Of the weights; s2+, which has no prior, has 2."""
FEW_TREES = 10
"""So many gold trees double the penalty, half as many treble it; chosen after a look at 15 and 40 for 5 and 20 trees."""
LEAST_HEAD = 0.02
"""Probability from which a head that s6 weighs is a candidate."""
HEAD_FLOOR = 1e-3
"""Probability that a candidate has at least before anything is learned."""
KNOWN_FORMS, KNOWN_SHARE = 2, 0.8
"""Gold words of a form, and the share of them, that make its tag or relation usual."""
TRIED_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Parts of the learned weights that are tried; 0 is s6."""
TRIED_TIMES = (1, 2, 3, 5, 10)
"""How often a form was seen: values that are tried for its tag and its relation to count."""


Floats = NDArray[np.float64]
TAG_OF, REL_OF, LABEL = "tag of ", "relation of ", "label "
"""Weights with such names are usual tags and relations of forms (how often they were seen), and of relations by tags and glosses."""
LEAST_LABEL = 0.01
"""Probability from which a relation that s6 weighs is a candidate."""


@dataclass(frozen=True)
class S6Plus:
    """System s6+: s6 with weights learned from gold trees."""

    weights: Mapping[str, float] = field(default_factory=dict)
    lexicon: TagLexicon = field(default_factory=TagLexicon)
    base: S6 = field(default_factory=S6)
    code: str = "s6+"
    adapts: bool = True

    @classmethod
    def fit(
        cls,
        pairs: Sequence[Pair],
        text: Sequence[ProjectionInput] = (),
        base: S6 | None = None,
        penalty: float = CORRECTION_PENALTY,
    ) -> S6Plus:
        """Learn from pairs with gold trees of F; `text` is more of the language, without trees."""
        system = base or S6()
        state = system.adapt([*map(ProjectionInput.of, pairs), *text])
        return cls.cross_fit(pairs, state, system, penalty)[0]

    @classmethod
    def cross_fit(
        cls, pairs: Sequence[Pair], state: GlossState, base: S6 | None = None, penalty: float = CORRECTION_PENALTY
    ) -> tuple[S6Plus, list[S6Plus]]:
        """Return what `fit` learns, and for each pair the same without its gold tree: learned from the other folds, and judged on them.

        `state` is what s6 has learned from the text.
        """
        given = [ProjectionInput.of(pair) for pair in pairs]
        system = base or S6()
        read = [k for k, sentence in enumerate(given) if is_read(sentence)]
        shown = [GoldSentence.of(given[k], pairs[k], system, state) for k in read]
        penalty *= 1 + FEW_TREES / max(len(shown), 1)
        parts, gains = [], []
        for k in range(min(CORRECTION_FOLDS, len(shown)) if len(shown) > 1 else 0):
            part = cls._learn([s for i, s in enumerate(shown) if i % CORRECTION_FOLDS != k], penalty, system)
            gains.append(HeldOutGains())
            gains[-1].judge(part, shown[k::CORRECTION_FOLDS])
            parts.append(part)
        everything = cls._learn(shown, penalty, system)
        learned = replace(everything, weights=HeldOutGains.add(gains).select(everything.weights))
        for k, part in enumerate(parts):
            others = HeldOutGains.add(gains[:k] + gains[k + 1 :])
            parts[k] = replace(part, weights=others.select(part.weights))
        unseen = [cls({}, TagLexicon(), system) for _ in given]
        for place, k in enumerate(read if parts else ()):
            unseen[k] = parts[place % CORRECTION_FOLDS]
        return learned, unseen

    @classmethod
    def _learn(cls, shown: Sequence[GoldSentence], penalty: float, base: S6) -> S6Plus:
        """All that the sentences teach, gains or not."""
        bare = cls({}, TagLexicon.of((s.sentence, s.pair.f.deprels) for s in shown), base)
        questions: list[Question] = []
        for s in shown:
            lattice = bare.lattice_of(s.sentence, s.projection)
            for word, heads, gold in s.questions(lattice):
                rows = [[k for block in lattice.blocks(word, head) for k in SPELLED.row(block)] for head in heads]
                questions.append(Question(rows, gold, log_prior(s.probabilities, word, heads).tolist()))
        weights = fit_weights(questions, penalty) | usual_forms([s.pair for s in shown])
        weights |= fit_weights([question for s in shown for question in s.labels], penalty)
        return replace(bare, weights=weights)

    def adapt(self, text: Iterable[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> GlossState:
        """Return what s6 learns from the text."""
        return self.base.adapt(text, evidence)

    def together(self, text: Sequence[ProjectionInput], state: GlossState) -> GlossState:
        """Return the state with the analyses of these sentences."""
        return self.base.together(text, state)

    def project(self, sentence: ProjectionInput, state: GlossState | None = None) -> Projection:
        """Return the tree that s6 and the corrections find best together."""
        return self.edge_probabilities(sentence, state)[0]

    def edge_probabilities(self, sentence: ProjectionInput, state: GlossState | None = None) -> tuple[Projection, Floats]:
        """Return the projection, and the probabilities of all edges [head, child]."""
        projection, probabilities = self.base.edge_probabilities(sentence, state)
        if not is_read(sentence) or not self.weights:
            return projection, probabilities
        heads: Sequence[int] = projection.heads
        if self._moves:
            probabilities = self._mix(sentence, projection, probabilities)
            columns = probabilities.T[1:]
            heads = best_tree([[(int(h), float(column[h])) for h in np.flatnonzero(column)] for column in columns])
        projected = self.relabel(sentence, heads, self._tags(sentence, projection), state)
        confidence = tuple(float(probabilities[h, c]) for c, h in enumerate(projected.heads, 1))
        return replace(projected, confidence=confidence), probabilities

    def relabel(
        self, sentence: ProjectionInput, heads: Sequence[int], tags: Sequence[str], state: GlossState | None = None
    ) -> Projection:
        """Return a tree and tags with the relations of s6, or those that the gold trees give a form."""
        labels = self.adapt_labels if self._names else None
        projected = self.base.relabel(sentence, self.base.analyze(sentence, state), heads, tags, labels)
        return replace(projected, deprels=self._rels(sentence, projected))

    def adapt_labels(self, analysis: GlossAnalysis, heads: Sequence[int], tags: Sequence[str], probabilities: Floats) -> Floats:
        """Return probabilities of relations as the gold trees would have them: the annotator's habits."""
        adapted = probabilities.copy()
        for word, (labels, rows) in enumerate(label_rows(analysis, heads, tags, probabilities)):
            odds = probabilities[word, labels] * np.exp(self._model.scores(rows))
            adapted[word, labels] = odds * probabilities[word, labels].sum() / odds.sum()
        return adapted

    def _mix(self, sentence: ProjectionInput, projection: Projection, probabilities: Floats) -> Floats:
        """Return the probabilities of edges by s6 and the weights together."""
        lattice = self.lattice_of(sentence, projection)
        mixed = np.zeros_like(probabilities)
        for word in range(1, len(sentence) + 1):
            heads = candidates(lattice, probabilities, word)
            prior, learned = self.scores(lattice, probabilities, word, heads)
            odds = np.exp(prior + learned - (prior + learned).max())
            mixed[heads, word] = odds / odds.sum()
        return mixed

    def scores(self, lattice: Lattice, probabilities: Floats, word: int, heads: Sequence[int]) -> tuple[Floats, Floats]:
        """Return for candidate heads the logarithm of what s6 says, and what the weights add."""
        learned = self._model.scores(lattice.blocks(word, head) for head in heads)
        return log_prior(probabilities, word, heads), np.array(learned)

    def lattice_of(self, sentence: ProjectionInput, projection: Projection) -> Lattice:
        """The lattice whose root is that of s6."""
        lattice = Lattice(sentence, self.lexicon)
        top = projection.heads.index(0) + 1 if 0 in projection.heads else 0
        return replace(lattice, top=top) if top and top != lattice.old_top else lattice

    def _tags(self, sentence: ProjectionInput, projection: Projection) -> tuple[str, ...]:
        given = given_tags(sentence, self.base.table)
        usual = [self.usual(TAG_OF, form) for form in sentence.forms]
        return tuple(
            mine if mine and (given is None or given.allowed[k, UPOS.index(mine)]) else tag
            for k, (mine, tag) in enumerate(zip(usual, projection.upos, strict=True))
        )

    def _rels(self, sentence: ProjectionInput, projection: Projection) -> tuple[str, ...]:
        answers = sentence.answers or (None,) * len(sentence)
        rows = zip(sentence.forms, projection.heads, projection.deprels, answers, strict=True)
        return tuple(
            rel if not head or rel == "punct" or (answer and answer.deprel) else self.usual(REL_OF, form) or rel
            for form, head, rel, answer in rows
        )

    def usual(self, kind: str, form: str) -> str:
        """Return the usual tag (`TAG_OF`) or relation (`REL_OF`) of a form, '' if there is none."""
        return self._forms.get((kind, form.lower()), "")

    @cached_property
    def _moves(self) -> bool:
        """Whether any weight is one of edges."""
        return not all(name.startswith((TAG_OF, REL_OF, LABEL)) for name in self.weights)

    @cached_property
    def _names(self) -> bool:
        """Whether any weight is one of relations."""
        return any(name.startswith(LABEL) for name in self.weights)

    @cached_property
    def _model(self) -> Correction:
        return Correction(dict(self.weights), self.lexicon)

    @cached_property
    def _forms(self) -> dict[tuple[str, str], str]:
        usual: dict[tuple[str, str], str] = {}
        for kind in (TAG_OF, REL_OF):
            for name in self.weights:
                if name.startswith(kind):
                    form, _, value = name.removeprefix(kind).rpartition(" = ")
                    usual[kind, form] = value
        return usual


@dataclass(frozen=True)
class GoldSentence:
    """A sentence with its gold tree, and what s6 says of it."""

    sentence: ProjectionInput
    pair: Pair
    projection: Projection
    probabilities: Floats
    labels: tuple[Question, ...] = ()
    """Words and the relations that they may have, under the gold heads."""

    @classmethod
    def of(cls, sentence: ProjectionInput, pair: Pair, system: S6, state: GlossState) -> GoldSentence:
        """Return what s6 says of a sentence, with its gold tree."""
        projection, probabilities = system.edge_probabilities(sentence, state)
        analysis = system.analyze(sentence, state)
        real = analysis.edge_input.real
        place = {0: 0} | {word: k for k, word in enumerate(real, 1)}
        heads = [place.get(pair.f.heads[word - 1], 0) for word in real]
        tags = [projection.upos[word - 1] for word in real]
        labels = []
        if heads:
            said = system.label_probabilities(analysis, heads)
            for k, (names, rows) in enumerate(label_rows(analysis, heads, tags, said)):
                gold = pair.f.deprels[real[k] - 1].partition(":")[0]
                if heads[k] and gold in LABELS and (right := LABELS.index(gold)) in names:
                    numbers = [[n for block in blocks for n in SPELLED.row(block)] for blocks in rows]
                    labels.append(Question(numbers, names.index(right), np.log(said[k, names]).tolist()))
        return cls(sentence, pair, projection, probabilities, tuple(labels))

    def questions(self, lattice: Lattice) -> Iterator[tuple[int, list[int], int]]:
        """Words, their candidate heads, and which of these is right."""
        for word, gold in enumerate(self.pair.f.heads, 1):
            heads = candidates(lattice, self.probabilities, word)
            if gold in heads and len(heads) > 1:
                yield word, heads, heads.index(gold)


@dataclass
class HeldOutGains:
    """How far the learned weights help on gold trees that they were not learned from."""

    edges: Floats = field(default_factory=lambda: np.zeros(len(TRIED_SHARES)))
    """For each of `TRIED_SHARES` the log likelihood of the gold heads."""
    right: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(TRIED_SHARES), np.int64))
    """For each of `TRIED_SHARES` how many gold heads are the best of their candidates."""
    forms: dict[str, NDArray[np.int64]] = field(
        default_factory=lambda: {kind: np.zeros(len(TRIED_TIMES), np.int64) for kind in (TAG_OF, REL_OF)}
    )
    """For each of `TRIED_TIMES` how many more words have the right tag (relation) than by s6."""
    labels: Floats = field(default_factory=lambda: np.zeros((2, len(TRIED_SHARES))))
    """For each of `TRIED_SHARES` the log likelihood of the gold relations under the gold heads, and how many are the best."""

    @classmethod
    def add(cls, parts: Iterable[HeldOutGains]) -> HeldOutGains:
        """Return the sum of the counts."""
        total = cls()
        for part in parts:
            total.edges, total.right = total.edges + part.edges, total.right + part.right
            total.labels = total.labels + part.labels
            total.forms = {kind: won + part.forms[kind] for kind, won in total.forms.items()}
        return total

    def judge(self, learned: S6Plus, shown: Iterable[GoldSentence]) -> None:
        """Count on sentences that nothing was learned from."""
        for s in shown:
            lattice = learned.lattice_of(s.sentence, s.projection)
            for word, heads, gold in s.questions(lattice):
                before, added = learned.scores(lattice, s.probabilities, word, heads)
                for k, share in enumerate(TRIED_SHARES):
                    scores = before + share * added
                    self.edges[k] += scores[gold] - np.logaddexp.reduce(scores)
                    self.right[k] += scores.argmax() == gold
            for question in s.labels:
                assert question.prior is not None
                added = np.array([sum(learned.weights.get(SPELLED.names[n], 0.0) for n in row) for row in question.rows])
                for k, share in enumerate(TRIED_SHARES):
                    scores = np.array(question.prior) + share * added
                    self.labels[:, k] += scores[question.gold] - np.logaddexp.reduce(scores), scores.argmax() == question.gold
            for k, form in enumerate(s.sentence.forms):
                self._form(TAG_OF, learned, form, s.projection.upos[k], s.pair.f.upos[k])
                if s.projection.deprels[k] not in ("root", "punct"):
                    self._form(REL_OF, learned, form, s.projection.deprels[k], s.pair.f.deprels[k].partition(":")[0])

    def _form(self, kind: str, learned: S6Plus, form: str, said: str, gold: str) -> None:
        usual = learned.usual(kind, form)
        if usual and usual != said and gold not in ("_", ""):
            count = learned.weights[f"{kind}{form.lower()} = {usual}"]
            self.forms[kind] += (np.array(TRIED_TIMES) <= count) * (int(usual == gold) - int(said == gold))

    def select(self, weights: Mapping[str, float]) -> dict[str, float]:
        """The weights, except where they harm: of edges as much as is likeliest, of forms those that were seen more often."""
        harmed = self.right[-1] < self.right[0]
        share = TRIED_SHARES[int(self.edges.argmax())] if harmed else 1.0
        least = {}
        for kind, won in self.forms.items():
            harmless = np.flatnonzero(won >= 0)
            least[kind] = TRIED_TIMES[harmless[0]] if len(harmless) else math.inf
        likelihoods, right = self.labels
        labels = TRIED_SHARES[int(likelihoods.argmax())] if right[-1] < right[0] else 1.0
        selected = {}
        for name, weight in weights.items():
            if name.startswith(LABEL):
                if labels:
                    selected[name] = round(labels * weight, 4)
                continue
            kind = next((kind for kind in least if name.startswith(kind)), "")
            if kind and weight >= least[kind]:
                selected[name] = weight
            elif not kind and share:
                selected[name] = round(share * weight, 4)
        return selected


def candidates(lattice: Lattice, probabilities: Floats, word: int) -> list[int]:
    """Return the heads that the projections offer, and those that s6 holds possible."""
    heads = [*lattice.heads(word), *np.flatnonzero(probabilities[:, word] >= LEAST_HEAD).tolist()]
    return [head for head in dict.fromkeys(heads) if head != word]


def label_rows(
    analysis: GlossAnalysis, heads: Sequence[int], tags: Sequence[str], probabilities: Floats
) -> Iterator[tuple[list[int], list[list[str]]]]:
    """Yield for each real word the relations that s6 holds possible, and features of each."""
    seen = analysis.edge_input
    kinds = ("ROOT", *tags)
    for k, (head, tag, row) in enumerate(zip(heads, tags, probabilities, strict=True), 1):
        labels = np.flatnonzero(row >= LEAST_LABEL).tolist() or [int(row.argmax())]
        gloss, best = seen.words[seen.real[k - 1] - 1].gloss, LABELS[int(row.argmax())]
        side = "0" if not head else "<" if head < k else ">"
        shown = gloss.first(CASES) if gloss.words else ".".join(gloss.grams[:2])
        around = ("", f"|{tag}", f"|{tag}{side}{kinds[head]}", f"|was {best}", f"|was {best}|{tag}", f"|{tag}|{shown}")
        yield labels, [[f"{LABEL}{LABELS[label]}{feature}" for feature in around] for label in labels]


def log_prior(probabilities: Floats, word: int, heads: Sequence[int]) -> Floats:
    """Return the logarithm of the probability that s6 gives each candidate head, at least that of `HEAD_FLOOR`."""
    return np.log(np.maximum(probabilities[heads, word], HEAD_FLOOR))


def usual_forms(pairs: Iterable[Pair]) -> dict[str, float]:
    """Tags and relations that nearly all gold words of a form have, as named weights."""
    tags: dict[str, Counter[str]] = {}
    deprels: dict[str, Counter[str]] = {}
    for pair in pairs:
        for form, tag, rel in zip(pair.f.forms, pair.f.upos, pair.f.deprels, strict=True):
            if tag in UPOS:
                tags.setdefault(form.lower(), Counter())[tag] += 1
            if rel not in ("root", "_", ""):
                deprels.setdefault(form.lower(), Counter())[rel.partition(":")[0]] += 1
    usual = {}
    for kind, seen in ((TAG_OF, tags), (REL_OF, deprels)):
        for form, counts in sorted(seen.items()):
            [(value, count)] = counts.most_common(1)
            total = counts.total()
            if total >= (1 if kind == TAG_OF else KNOWN_FORMS) and count >= KNOWN_SHARE * total:
                usual[f"{kind}{form} = {value}"] = float(count)
    return usual
