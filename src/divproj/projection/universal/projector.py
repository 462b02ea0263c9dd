"""System s6: trees for glossed text in any language, by a model learned from other languages and by the translation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import Forest
from divproj.links.gloss.grams import Grams
from divproj.parsing.decode import chu_liu_edmonds
from divproj.projection.direct import Projection, ProjectionInput, Reason
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.cues import InducedLinks
from divproj.projection.phrasal.phrase_pairs import PhraseBook
from divproj.projection.phrasal.projector import LONGEST, PhraseProjector
from divproj.projection.settings import (
    GLOSS_PARSER_SHARE,
    LINEAR_SHARE,
    NEAR_SHARE,
    NOT_READ,
    PHRASAL_VOTE,
    PUNCTUATION_HEAD,
)
from divproj.projection.universal import edges, grammar, templates
from divproj.projection.universal.edges import EdgeInput, Order
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.facts import Glosses, Word, in_capitals, usage_of, words_of
from divproj.projection.universal.given import GivenTags, given_tags, understood
from divproj.projection.universal.hashed import class_chances
from divproj.projection.universal.inputs import Encoder, SentenceInput, word_order
from divproj.projection.universal.labels import label_features
from divproj.projection.universal.marks import hang_marks
from divproj.projection.universal.model import GlossModel, shipped
from divproj.projection.universal.nearness import leanings
from divproj.projection.universal.network import Reading
from divproj.projection.universal.tagger import tagger_features
from divproj.runtime.threads import one_blas_thread
from divproj.runtime.vectors import shipped as shipped_vectors

Floats = NDArray[np.float64]
PUNCT = UPOS.index("PUNCT")
EDGES = 50_000
"""Edges whose columns are held at a time."""


@dataclass
class Read:
    """A sentence with all that the model makes of it; matrices are over its real words, place 0 the root."""

    seen: EdgeInput
    plain: Floats
    phrases: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    chances: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    given: GivenTags | None = None
    """What the user says of the tags of the real words."""
    sentence: SentenceInput | None = None
    readings: tuple[Reading, ...] = ()
    """What the networks say."""
    near: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """Log ratios of edges in languages of like word order to edges in all."""

    @property
    def tags(self) -> Floats:
        """Probabilities of the tags of real words by all models together."""
        if not self.readings:
            return self.seen.chances
        mean = sum(r.tags.astype(np.float64) for r in self.readings) / len(self.readings)
        mixed: Floats = LINEAR_SHARE * self.seen.chances + (1 - LINEAR_SHARE) * mean
        return mixed


@dataclass
class Universal:
    """System s6. `observe` goes through the whole text, which has no F trees; `project` gives the tree of each sentence.

    Without glosses it has links, tags of linked words and the order of words, and says less; without a translation glosses alone.
    """

    model: GlossModel = field(default_factory=shipped)
    grams: Grams = field(default_factory=Grams.shipped)
    share: float = GLOSS_PARSER_SHARE
    vote: float = PHRASAL_VOTE
    observes = True
    phrases_: PhraseProjector = field(default_factory=PhraseProjector, repr=False)
    read_: dict[ProjectionInput, Read] = field(default_factory=dict, repr=False)

    def observe(
        self, bitexts: Iterable[ProjectionInput], forests: Iterable[Forest] = (), phrases: PhraseBook | None = None
    ) -> Universal:
        """Tags, edges and word order of a text; what was observed before is forgotten."""
        text = list(dict.fromkeys(b for b in bitexts if is_read(b)))
        self.read_ = {}
        if not text:
            return self
        self.read_ = dict(zip(text, self.glossed(text), strict=True))
        self.phrases_ = PhraseProjector(knowledge=self).observe(text, forests, phrases)
        for bitext, read in self.read_.items():
            keep = np.array([0, *read.seen.real])
            own = self.phrases_.chances(bitext).edges[np.ix_(keep, keep)]
            own[:, 0] = 0.0
            read.phrases = own / np.maximum(own.sum(0), 1e-9)
        reads = list(self.read_.values())
        order = Order.of([r.seen for r in reads], [r.phrases for r in reads])
        given = {"p5": [r.phrases for r in reads], "pa": [r.plain for r in reads]}
        names = templates.PLAIN + templates.LINKED
        for read, matrix in zip(reads, _matrices(reads, given, order, self.model.linked, names), strict=True):
            read.chances = matrix
        self._networks(text, forests, None if phrases else self.phrases_.links_)
        return self

    def _networks(self, text: Sequence[ProjectionInput], forests: Iterable[Forest], links: InducedLinks | None) -> None:
        """What the networks say of all sentences; they see s5 as it is without the linear models and without phrase pairs."""
        if not self.model.networks:
            return
        reads = [self.read_[b] for b in text]
        sentences = encoded(text, [r.seen.words for r in reads], self._encoder, forests, links)
        order = word_order(sentences)
        given = [r.given for r in reads]
        with one_blas_thread():
            found = [network.read(sentences, order, given) for network in self.model.networks]
        for k, (read, sentence) in enumerate(zip(reads, sentences, strict=True)):
            read.sentence, read.readings = sentence, tuple(own[k] for own in found)
        if self.model.nearness.banks:
            leaning = self.model.nearness.leaning(order)
            for read in reads:
                read.near = leanings(leaning, read.tags)

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.model.names, shipped_vectors("en"))

    def glossed(self, text: Sequence[ProjectionInput]) -> list[Read]:
        """What glosses alone say: tags, and probabilities of edges."""
        glosses = Glosses(self.grams, self.model.english, in_capitals(text))
        words = [words_of(b, glosses) for b in text]
        usage, work = usage_of(words), sum(map(len, words))
        labelled = understood(text, self.grams)
        reads = []
        for bitext, own in zip(text, words, strict=True):
            chances = class_chances(tagger_features(own, usage), self.model.tagger, work)
            marks = np.array([w.mark for w in own])
            chances[:, PUNCT] = 1e-6
            given = given_tags(bitext, self.grams, labelled)
            if given:
                chances = given.applied(chances)
            chances[marks] = np.eye(len(UPOS))[PUNCT]
            seen = edges.edge_input(bitext, own, chances / chances.sum(1, keepdims=True))
            reads.append(Read(seen, np.zeros((0, 0)), given=given and given.of(seen.real)))
        order = Order.of([r.seen for r in reads], [direct(r.seen) for r in reads])
        for read, matrix in zip(reads, _matrices(reads, {}, order, self.model.plain, templates.PLAIN), strict=True):
            read.plain = matrix
        return reads

    def tags(self, bitext: ProjectionInput) -> tuple[str, ...]:
        """UPOS of all words by the linear tagger, for the chart of s5."""
        seen = self._of(bitext).seen
        made = ["PUNCT"] * len(bitext)
        for k, chances in zip(seen.real, seen.chances, strict=True):
            made[k - 1] = UPOS[int(chances.argmax())]
        return tuple(made)

    def _tags(self, bitext: ProjectionInput) -> tuple[str, ...]:
        read = self._of(bitext)
        made = ["PUNCT"] * len(bitext)
        for k, chances in zip(read.seen.real, read.tags, strict=True):
            made[k - 1] = UPOS[int(chances.argmax())]
        return tuple(made)

    def scores(self, bitext: ProjectionInput) -> Floats:
        """Log weights of edges [head, child] for the chart of s5; punctuation governs nothing."""
        read = self._of(bitext)
        made = np.zeros((len(bitext) + 1,) * 2)
        keep = np.array([0, *read.seen.real])
        made[np.setdiff1d(np.arange(1, len(made)), keep)] = NOT_READ
        made[np.ix_(keep, keep)] = self.share * np.log(np.maximum(read.plain, 1e-3))
        return made

    def _of(self, bitext: ProjectionInput) -> Read:
        if bitext not in self.read_:
            self.observe([bitext])
        return self.read_[bitext]

    def weighed(self, bitext: ProjectionInput) -> tuple[Projection, Floats]:
        """The projection, and probabilities of all edges [head, child]; punctuation hangs where its rule says."""
        found = self.project(bitext)
        made = np.zeros((len(bitext) + 1,) * 2)
        if is_read(bitext):
            read = self._of(bitext)
            keep = np.array([0, *read.seen.real])
            made[np.ix_(keep, keep)] = self.mixed(read)
        for c, head in enumerate(found.heads, 1):
            if not made[:, c].sum():
                made[head, c] = 1.0
        return found, made

    def mixed(self, read: Read) -> Floats:
        """Probabilities of edges by networks, linked model, s5 and languages of like word order together, weighted as their votes."""
        odds = np.maximum(read.chances, 1e-6) ** (1 - self.vote) * np.maximum(read.phrases, 1e-6) ** self.vote
        if read.readings:
            mean = sum(r.edges.astype(np.float64) for r in read.readings) / len(read.readings)
            odds = odds**LINEAR_SHARE * np.exp(np.maximum(mean, np.log(1e-6))) ** (1 - LINEAR_SHARE)
        if read.near.size:
            odds = odds * np.exp(NEAR_SHARE * read.near)
        odds[:, 0] = 0.0
        np.fill_diagonal(odds, 0.0)
        found: Floats = odds / np.maximum(odds.sum(0), 1e-12)
        return found

    def project(self, bitext: ProjectionInput) -> Projection:
        """The best tree with tags, relations, reasons and how sure each edge is."""
        if not is_read(bitext):
            from divproj.projection.direct import s1

            return s1(bitext)
        read = self._of(bitext)
        chances = self.mixed(read)
        heads = np.zeros(len(chances), np.int64)
        chu_liu_edmonds.for_work(len(self.read_) * 20, len(heads))(np.log(np.maximum(chances, 1e-9)), heads)
        own, rels = self.relations(read, heads[1:].tolist())
        sure = [float(chances[h, c]) for c, h in enumerate(own, 1)]
        return self._whole(bitext, read, own, rels, sure)

    def part(self, text: Sequence[ProjectionInput]) -> Part:
        """What these sentences need to be projected in another process."""
        model = None if self.model is shipped() else self.model
        return Part({b: self.read_[b] for b in text if b in self.read_}, self.vote, model)

    def renamed(self, bitext: ProjectionInput, heads: Sequence[int], tags: Sequence[str]) -> Projection:
        """A tree that someone else has made of the sentence, and tags, with the relations that the model gives it."""
        read = self._of(bitext)
        place = {0: 0} | {word: k for k, word in enumerate(read.seen.real, 1)}
        own = []
        for word in read.seen.real:
            head, steps = heads[word - 1], 0
            while head not in place and steps <= len(heads):  # no word hangs on punctuation
                head, steps = heads[head - 1], steps + 1
            own.append(place.get(head, 0))
        for k in [k for k, head in enumerate(own) if not head][1:]:
            own[k] = own.index(0) + 1
        made, rels = self.relations(read, own, [tags[word - 1] for word in read.seen.real])
        return replace(self._whole(bitext, read, made, rels, [1.0] * len(made)), upos=tuple(tags))

    def relations(self, read: Read, heads: list[int], given: Sequence[str] | None = None) -> tuple[list[int], list[str]]:
        """The tree over the real words as UD allows it, and its relations; `given` are tags to go by instead of ours."""
        if not heads:
            return heads, []
        tags = list(given) if given else [UPOS[int(p.argmax())] for p in read.tags]
        chances = self._labels(read, heads)
        own = grammar.lifted(heads, tags, chances)
        if own != heads:
            chances = self._labels(read, own)
        return own, grammar.relations(own, tags, chances)

    def _labels(self, read: Read, heads: list[int]) -> Floats:
        """Probabilities [word, label] under this tree."""
        found = class_chances(label_features(read.seen, heads), self.model.labels, len(self.read_) * 20)
        if read.sentence is None:
            return found
        rows = zip(self.model.networks, read.readings, strict=True)
        mean = sum(network.relations(reading, read.sentence, heads) for network, reading in rows) / len(read.readings)
        mixed: Floats = LINEAR_SHARE * found + (1 - LINEAR_SHARE) * mean
        return mixed

    def _whole(self, bitext: ProjectionInput, read: Read, own: list[int], rels: list[str], sure: list[float]) -> Projection:
        """Punctuation put back."""
        n, real = len(bitext), [0, *read.seen.real]
        heads, names, trust, why = [0] * n, ["punct"] * n, [1.0] * n, ["guess"] * n
        for k, (h, rel, p) in enumerate(zip(own, rels, sure, strict=True), 1):
            c = real[k] - 1
            heads[c], names[c], trust[c], why[c] = real[h], rel, p, _reason(read.seen, h, k)
        marks = [k for k in range(1, n + 1) if k not in set(real)]
        hang_marks(heads, marks)
        for k in marks:
            trust[k - 1] = PUNCTUATION_HEAD
        return Projection(bitext, tuple(heads), tuple(why), tuple(trust), tuple(names), self._tags(bitext))  # type: ignore[arg-type]


def is_read(bitext: ProjectionInput) -> bool:
    """Whether s6 looks at a sentence; one that is too long is projected by S1."""
    return 0 < len(bitext) <= LONGEST


KEPT = 2000
"""Sentences of a text up to which what s6 makes of it is kept for the next who asks."""


def observed(text: tuple[ProjectionInput, ...]) -> Universal:
    """s6 in the box after it has gone through this text; kept for short texts, since folds of one corpus ask for the same."""
    return replace(_observed(text)) if len(text) <= KEPT else Universal().observe(text)


@lru_cache(maxsize=1)
def _observed(text: tuple[ProjectionInput, ...]) -> Universal:
    return Universal().observe(text)


def encoded(
    text: Sequence[ProjectionInput],
    words: Sequence[Sequence[Word]],
    encoder: Encoder,
    forests: Iterable[Forest] = (),
    links: InducedLinks | None = None,
) -> list[SentenceInput]:
    """What networks see of a text: its words and what s5 finds alone; `links` where they were induced before."""
    usage = usage_of(words)
    phrases = PhraseProjector().observe(text, forests, links=links)
    return [encoder.sentence(b, own, usage, phrases.chances(b).edges) for b, own in zip(text, words, strict=True)]


@dataclass
class Part:
    """Some sentences of a text that was observed elsewhere; a model that is in the box does not travel."""

    read: dict[ProjectionInput, Read]
    vote: float = PHRASAL_VOTE
    model: GlossModel | None = None

    def project(self, bitext: ProjectionInput) -> Projection:
        return self._system.project(bitext)

    @cached_property
    def _system(self) -> Universal:
        return Universal(self.model or shipped(), vote=self.vote, read_=self.read)


def direct(seen: EdgeInput) -> Floats:
    """1 where the translation has the edge between the linked words."""
    anchored = np.array([0, *(seen.bitext.anchors[k] for k in seen.real)]) > 0
    return np.where(np.isin(seen.codes, (chart.MOTHER, chart.OUT)) & anchored[None, :], 1.0, 0.0)


def _matrices(
    reads: Sequence[Read],
    given: Mapping[str, Sequence[Floats]],
    order: Order,
    weights: NDArray[np.float32],
    names: Sequence[str],
) -> list[Floats]:
    """Probabilities [head, child] of the edges of each sentence; some sentences at a time, so that columns stay few."""
    made: list[Floats] = []
    while len(made) < len(reads):
        low = high = len(made)
        size = 0
        while high < len(reads) and (high == low or size + len(reads[high].seen) ** 2 <= EDGES):
            size += len(reads[high].seen) ** 2
            high += 1
        some = [r.seen for r in reads[low:high]]
        found = edges.edges_of(some, {name: own[low:high] for name, own in given.items()}, order)
        flat, at = edges.chances(found, names, weights), 0
        for seen in some:
            n = len(seen)
            matrix = np.zeros((n + 1, n + 1))
            matrix.T[1:][~np.eye(n + 1, dtype=bool)[1:]] = flat[at : at + n * n]
            made.append(matrix)
            at += n * n
    return made


def _reason(seen: EdgeInput, head: int, child: int) -> Reason:
    code = seen.codes[head, child]
    if not seen.bitext.anchors[seen.real[child - 1]]:
        return "spontaneous"
    if code in (chart.MOTHER, chart.OUT, chart.TOP, chart.TOP_OUT):
        return "projected"
    return "merge" if code == chart.SAME else "swap" if code == chart.KID else "parsed"
