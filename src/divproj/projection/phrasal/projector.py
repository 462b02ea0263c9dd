"""s5: phrase-aligned projection, without any gold tree of F."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import Forest
from divproj.parsing.decode import eisner
from divproj.projection.direct import Projection, ProjectionInput, Reason, content_root, s1
from divproj.projection.phrasal import chart, evidence
from divproj.projection.phrasal.cues import Cues, Encoded, InducedLinks, LinkedPair
from divproj.projection.phrasal.phrase_pairs import PhraseBook
from divproj.projection.phrasal.weights import UNLINKED, Weights
from divproj.projection.settings import OBSERVING_ROUNDS

LONGEST = 250
"""Words up to which all bracketings are weighed; a longer sentence is projected by S1."""

Floats = NDArray[np.float64]


SQUARES = 4
"""Cells of a sentence's chart that take as long in plain Python as a word does elsewhere."""


@dataclass(frozen=True)
class ProjectedPhrase:
    """An F phrase and the E phrase that its head is linked to; words counted from 1."""

    f_head: int
    e_head: int
    f_words: tuple[int, ...]
    e_words: tuple[int, ...]
    posterior: float
    """Probability of the F phrase's borders under all bracketings (left and right taken as independent)."""


@dataclass(frozen=True)
class Chances:
    """What the chart says of a sentence: probabilities of edges [h, c] and of the borders [h, s], [h, t] of phrases."""

    linked: LinkedPair
    codes: NDArray[np.int8]
    edges: Floats
    lefts: Floats
    rights: Floats

    heads: tuple[int, ...]
    """The projective tree whose edges are most probable together."""


class Knowledge(Protocol):
    """What is known of a sentence from elsewhere: tags of its words, and log weights [head, child] of its edges."""

    def tags(self, bitext: ProjectionInput) -> tuple[str, ...]: ...

    def scores(self, bitext: ProjectionInput) -> Floats: ...


@dataclass
class PhraseProjector:
    """System s5: the best F tree among all headed bracketings of F, its phrases paired with those of the E tree.

    `observe` goes through unannotated bitext (all that a user has: words, glosses, links, E trees; never an F tree), looks
    for links of words that have none, and learns what heads words choose. Then `project` reads dependencies off the best
    bracketing: the head of an F phrase holds the image of the E head, and an unlinked word hangs inside the phrase that
    contains it, on the word that its kind chooses elsewhere. Confidences are the chart's posteriors.
    """

    weights: Weights = field(default_factory=Weights)
    rounds: int = OBSERVING_ROUNDS
    induce_links: bool = True
    """Whether unlinked words are given links by word alignment of the observed text."""
    knowledge: Knowledge | None = None
    """What other languages tell of tags and attachments (`divproj.projection.universal`)."""
    observes = True
    """That the text is to be observed before it is projected; for who holds a projector and does not know which."""
    links_: InducedLinks = field(default_factory=InducedLinks, repr=False)
    cues_: Cues = field(default_factory=Cues, repr=False)
    words_: int = 0
    """Words observed, or more where sentences are long: compiled charts pay when there are many."""
    history_: list[float] = field(default_factory=list, repr=False)
    forests_: dict[tuple[str, ...], Forest] = field(default_factory=dict, repr=False)
    phrases_: PhraseBook = field(default_factory=PhraseBook, repr=False)

    def observe(
        self,
        bitexts: Iterable[ProjectionInput],
        forests: Iterable[Forest] = (),
        phrases: PhraseBook | None = None,
        links: InducedLinks | None = None,
    ) -> PhraseProjector:
        """Learn from bitext without F trees; what was observed before is forgotten.

        `forests` are parses of F sentences (a parser's chart, n-best lists, an induced grammar's chart), found by their words.
        Without one a sentence may be bracketed in any way. `phrases` are phrase pairs of the sentences (`proj align`). `links` are
        those that another projector has induced from the same text; they are not looked for again.
        """
        bitexts = [b for b in bitexts if 0 < len(b) <= LONGEST]
        self.forests_ = {forest.forms: forest for forest in forests}
        self.phrases_ = phrases or PhraseBook()
        self.links_ = links or InducedLinks(more=self.phrases_.links)
        look = self.induce_links and links is None
        linked = self.links_.observe(bitexts) if look else [self.links_.of(b) for b in bitexts]
        linked = self._read(linked)
        self.cues_ = Cues.of(linked)
        self.words_ = max(sum(map(len, bitexts)), sum(len(b) ** 2 for b in bitexts) // SQUARES)
        self.history_ = (
            self.cues_.learn([self.encode(x, learning=True) for x in linked], self.weights.table, self.rounds) if linked else []
        )
        return self

    def _read(self, linked: list[LinkedPair]) -> list[LinkedPair]:
        """The text as the chart sees it, with the tags that are known from elsewhere."""
        return [*map(self._tagged, linked)]

    def _tagged(self, linked: LinkedPair) -> LinkedPair:
        return replace(linked, tags=self.knowledge.tags(linked.given)) if self.knowledge else linked

    def encode(self, linked: LinkedPair, *, learning: bool = False) -> Encoded:
        """A sentence for the chart, with what is known of its edges.

        Phrase pairs that no tree of F vouches for break ties, but nothing is learned from them.
        """
        known = [evidence.of_forest(self.forests_[linked.bitext.forms])] if linked.bitext.forms in self.forests_ else []
        if (paired := self.phrases_.scores(linked.bitext, vouched=learning)) is not None:
            known.append(paired)
        if self.knowledge:
            known.append(self.knowledge.scores(linked.given))
        return self.cues_.encode(linked, self.words_, sum(known[1:], known[0]) if known else None)

    def chances(self, bitext: ProjectionInput) -> Chances:
        """Probabilities of all edges and phrase borders."""
        if not len(self.cues_.choice):  # nothing observed: the sentence must speak for itself
            return (
                replace(self, links_=InducedLinks(), cues_=Cues(), history_=[])
                .observe([bitext], self.forests_.values(), self.phrases_)
                .chances(bitext)
            )
        linked = self._tagged(self.links_.of(bitext))
        encoded = self.encode(linked)
        sums = self._sums(encoded)
        heads = np.zeros(len(encoded.words), np.int64)
        eisner.for_work(self.words_, len(heads))(sums[0], heads)
        return Chances(linked, encoded.codes, *sums, tuple(heads[1:].tolist()))

    def _sums(self, encoded: Encoded) -> tuple[Floats, Floats, Floats]:
        edges, lefts, rights = (np.empty(encoded.codes.shape) for _ in range(3))
        sums = chart.phrase_sums.for_work(self.words_, len(edges))
        sums(self.scores(encoded), edges, lefts, rights)
        return edges, lefts, rights

    def scores(self, encoded: Encoded) -> Floats:
        """Log weights of all edges."""
        made = np.empty(encoded.codes.shape)
        x, cues = encoded, self.cues_
        run = chart.arc_scores.for_work(self.words_, len(made))
        run(x.words, x.tags, x.kinds, x.codes, self.weights.table, cues.choice, cues.far, made)
        return made if x.extra is None else made + x.extra

    def part(self, text: Sequence[ProjectionInput]) -> PhraseProjector:
        """What these sentences need to be projected in another process: all that was learned, and their own forests."""
        forms = {bitext.forms for bitext in text}
        forests = {key: forest for key, forest in self.forests_.items() if key in forms}
        return replace(self, links_=self.links_.part(text), forests_=forests, history_=[])

    def project(self, bitext: ProjectionInput) -> Projection:
        """The best tree, why each edge, how probable."""
        if not 0 < len(bitext) <= LONGEST:
            return s1(bitext)
        return self._projected(bitext, self.chances(bitext))

    def _projected(self, bitext: ProjectionInput, found: Chances) -> Projection:
        moved = [-1, *found.heads]
        content_root(bitext, moved, ["guess"] * len(moved))
        heads = tuple(moved[1:])
        sure = tuple(min(1.0, float(found.edges[h, c])) for c, h in enumerate(heads, 1))
        reasons = tuple(_reason(found, h, c) for c, h in enumerate(heads, 1))
        linked = Projection(found.linked.bitext, heads, reasons)
        tags = found.linked.tags or tuple(
            "PUNCT" if not any(map(str.isalnum, form)) else tag if tag not in ("PUNCT", "_") else own
            for form, tag, own in zip(bitext.forms, found.linked.bitext.upos, bitext.classes, strict=True)
        )
        return Projection(bitext, heads, reasons, sure, linked.carried, tags)

    def phrases(self, bitext: ProjectionInput) -> tuple[ProjectedPhrase, ...]:
        """The phrase pairs of the best tree, larger F phrases first."""
        if not 0 < len(bitext) <= LONGEST:
            return ()
        found = self.chances(bitext)
        linked = found.linked.bitext
        f_below, e_below = subtrees(found.heads), subtrees(linked.e_heads[1:])
        made = []
        for head, anchor in enumerate(linked.anchors):
            if anchor:
                words = f_below[head]
                sure = float(found.lefts[head, words[0]] * found.rights[head, words[-1]])
                made.append(ProjectedPhrase(head, anchor, words, e_below[anchor], min(1.0, sure)))
        return tuple(sorted(made, key=lambda pair: (-len(pair.f_words), pair.f_head)))


def _reason(found: Chances, head: int, child: int) -> Reason:
    code = found.codes[head, child]
    if not found.linked.bitext.links.links:
        return "guess"
    if found.linked.kinds[child] == UNLINKED:
        return "spontaneous"
    if code in (chart.MOTHER, chart.OUT, chart.TOP, chart.TOP_OUT):
        return "projected"
    return "merge" if code == chart.SAME else "swap" if code == chart.KID else "guess"


def subtrees(heads: Sequence[int]) -> list[tuple[int, ...]]:
    """For each word 0..n all words below it and itself, in order.

    >>> subtrees([2, 0, 2])
    [(0, 1, 2, 3), (1,), (1, 2, 3), (3,)]
    """
    below: list[list[int]] = [[k] for k in range(len(heads) + 1)]
    for k in range(1, len(heads) + 1):
        up = heads[k - 1]
        while up > 0:
            below[up].append(k)
            up = heads[up - 1]
        below[0].append(k)
    return [tuple(sorted(words)) for words in below]


@lru_cache(maxsize=2)
def observed(bitexts: tuple[ProjectionInput, ...]) -> PhraseProjector:
    """A projector that has gone through these bitexts; kept, since folds of one corpus ask for the same."""
    return PhraseProjector().observe(bitexts)
