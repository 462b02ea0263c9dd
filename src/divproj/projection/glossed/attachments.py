"""System s5 with priors from other languages: the phrase chart with attachments and relations learned from their treebanks.

For every word log P(head | word) is added to the chart, by the linear model of edges that sees no translation: tags, grams, word
order and distance. Words with a gloss are tagged by the gloss tagger; those without keep the tag that the user or their links give,
so text without glosses profits as far as tags allow; of these, words that the user has linked take their heads from E alone. Relations
come from the linear model of labels.

The treebanks are UD: where E's trees are not, nothing is added, and relations are those of E.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.glossed.facts import is_mark, understood
from divproj.projection.glossed.model import GlossModel
from divproj.projection.glossed.s6 import NOT_READ, S6, GlossAnalysis, GlossStatistics
from divproj.projection.phrasal.cues import GIVEN, Cues, InducedLinks, LinkedPair
from divproj.projection.phrasal.phrase_pairs import PhraseBook
from divproj.projection.phrasal.s5 import LONGEST, S5, HeadPosteriors, PhraseState, Priors
from divproj.projection.systems import ATTACHMENT_SHARE, NO_EVIDENCE, TextEvidence
from divproj.ud.tagsets import LABELS, UPOS

UD_SHARE = 0.9
"""Share of E's relations that are UD's from which its trees are taken for UD; the only value tried."""


Floats = NDArray[np.float64]
RELATIONS = frozenset({*LABELS, "root", "punct"} - {"dep"})
WORDS = frozenset(UPOS) - {"PUNCT"}
"""Tags that a link may give a word."""
TYPE_VOTE, TYPE_COUNT = 6.0, 0.5
"""What the type of a word without a gloss says of its tag, in links of the word itself; chosen among 0, 3 and 6 on languages of UD with English
translations and on Breton (bench/notes/2026-11-19-working-languages.md). The second is the count of a type that is believed half as much."""
UNKNOWN = "?"
"""Tag of a word of which nothing is known."""


@dataclass(frozen=True)
class AttachmentReading:
    """What the model of other languages says of a sentence; masks of words start with the root."""

    analysis: GlossAnalysis
    unknown: NDArray[np.bool_]
    """Words of which nothing is known."""
    silent: NDArray[np.bool_]
    """Words for whose heads there is no prior."""


@dataclass(frozen=True)
class Attachments:
    """What other languages tell of the sentences of a text: tags, weights of edges, relations."""

    system: S6
    """What reads glosses; its networks are not asked."""
    statistics: GlossStatistics
    labelled: bool
    """Whether the part-of-speech labels of the text are ones that the table knows."""
    cues: Cues
    """Tags of the words of the text over their links."""
    types: Mapping[str, Counter[str]] = field(default_factory=dict, repr=False)
    """How often the words of each type are linked with words of each tag."""
    readings: Mapping[ProjectionInput, AttachmentReading] = field(default_factory=dict, repr=False)
    """Those of the text's own sentences, so that they are not made twice."""

    @classmethod
    def of(cls, linked: Sequence[LinkedPair], system: S6) -> Attachments:
        """Return what is told of a text."""
        labelled = understood((x.given for x in linked), system.table)
        types: dict[str, Counter[str]] = {}
        for x in linked:
            for form, tag in zip(x.sentence.forms, x.sentence.upos, strict=True):
                if tag in WORDS:
                    types.setdefault(form.lower(), Counter())[tag] += 1
        priors = cls(system, GlossStatistics(), labelled, Cues.of(linked), types)
        tagged = [priors.add_tags(x) for x in linked]
        statistics, analyses = system.text_statistics(tagged)
        rows = zip(linked, tagged, analyses, strict=True)
        readings = {x.given: priors.reading(x, sentence, analysis) for x, sentence, analysis in rows}
        return replace(priors, statistics=statistics, readings=readings)

    def read(self, linked: LinkedPair) -> AttachmentReading:
        """Return what is told of a sentence, which may be of the text or not."""
        known = self.readings.get(linked.given)
        if known is not None:
            return known
        tagged = self.add_tags(linked)
        return self.reading(linked, tagged, self.system.read_glosses([tagged], self.statistics)[0])

    def reading(self, linked: LinkedPair, tagged: ProjectionInput, analysis: GlossAnalysis) -> AttachmentReading:
        """Return the analysis of a sentence with the words of which nothing is known."""
        allowed = self._allowed_tags(linked.given)
        rows = zip(tagged.forms, tagged.tags, tagged.glosses or ("",) * len(tagged), allowed, strict=True)
        bare = [tag == "_" and not (_has_gloss(gloss) or tags or is_mark(form, gloss)) for form, tag, gloss, tags in rows]
        unknown = np.array([False, *bare])
        return AttachmentReading(analysis, unknown, unknown | _linked_only_mask(linked, allowed))

    def add_tags(self, linked: LinkedPair) -> ProjectionInput:
        """Return the sentence with tags for words that have no gloss; without any gloss also with the links that were induced."""
        sentence, allowed_tags = linked.given, self._allowed_tags(linked.given)
        usual_tags = self.cues.tags_of(linked.sentence)
        glosses = sentence.glosses or ("",) * len(sentence)
        if not any(map(_has_gloss, glosses)):
            sentence = linked.sentence
            by_hand = _linked_only_mask(linked, allowed_tags)[1:]
            rows = zip(sentence.forms, sentence.upos, usual_tags, by_hand, strict=True)
            usual_tags = [usual if sure else self._usual_tag(form, tag, usual) for form, tag, usual, sure in rows]
        given = sentence.tags or ("_",) * len(sentence)
        words = zip(given, usual_tags, glosses, allowed_tags, strict=True)
        tags = tuple(
            tag if tag in UPOS else usual if usual in (allowed or WORDS) and not _has_gloss(gloss) else "_"
            for tag, usual, gloss, allowed in words
        )
        return replace(sentence, tags=tags)

    def _usual_tag(self, form: str, linked: str, usual: str) -> str:
        """Return the tag of a word without a gloss, by its type and by the tag of the word that it is linked with; else `usual`."""
        counts = self.types.get(form.lower())
        if not counts:
            return usual
        weight = TYPE_VOTE / (counts.total() + TYPE_COUNT)
        return max(sorted(counts), key=lambda tag: weight * counts[tag] + (tag == linked))

    def _allowed_tags(self, sentence: ProjectionInput) -> list[tuple[str, ...]]:
        """Tags that the answers for their types, or their labels, allow the words; () where neither says anything."""
        labels = sentence.labels if self.labelled else ()
        allowed = [self.system.table.classes(label) for label in labels or ("_",) * len(sentence)]
        return [
            answer.tags if answer and answer.tags else tags
            for answer, tags in zip(sentence.answers or (None,) * len(sentence), allowed, strict=True)
        ]

    def tags(self, linked: LinkedPair) -> tuple[str, ...]:
        """UPOS of all words, `?` where nothing is known."""
        reading = self.read(linked)
        names = ["PUNCT"] * len(linked.given)
        for k, probabilities in zip(reading.analysis.edge_input.real, reading.analysis.edge_input.probabilities, strict=True):
            names[k - 1] = UPOS[int(probabilities.argmax())]
        return tuple(UNKNOWN if unknown else tag for tag, unknown in zip(names, reading.unknown[1:], strict=True))

    def scores(self, linked: LinkedPair) -> Floats:
        """Log weights of edges; a word of which nothing is told may have any head but punctuation."""
        reading = self.read(linked)
        scores = self.system.edge_weights(linked.given, reading.analysis)
        scores[:, reading.silent] = np.where(scores[:, reading.silent] <= NOT_READ, NOT_READ, 0.0)
        return scores

    def relabel(self, projection: Projection, posteriors: HeadPosteriors) -> Projection:
        """Return the tree as UD allows it, with its relations."""
        analysis = self.read(posteriors.linked).analysis
        tree = self.system.relabel(projection.sentence, analysis, projection.heads, projection.upos)
        rows = zip(projection.reasons, tree.heads, projection.heads, strict=True)
        reasons = tuple(reason if head == old else "parsed" for reason, head, old in rows)
        real = set(analysis.edge_input.real)
        confidence = [
            min(1.0, float(posteriors.edges[h, c])) if c in real else p
            for c, (h, p) in enumerate(zip(tree.heads, tree.confidence, strict=True), 1)
        ]
        upos = tuple("_" if tag == UNKNOWN else tag for tag in projection.upos)
        return replace(tree, reasons=reasons, confidence=tuple(confidence), upos=upos)

    def part(self, text: Sequence[ProjectionInput]) -> Attachments:
        """What is told of some sentences."""
        return replace(self, readings={sentence: self.readings[sentence] for sentence in text if sentence in self.readings})


def _has_gloss(gloss: str) -> bool:
    return gloss not in ("", "_")


def _linked_only_mask(linked: LinkedPair, allowed: Sequence[tuple[str, ...]]) -> NDArray[np.bool_]:
    """Words, place 0 too, that the user has linked, and of which nothing else is known.

    Their tags come over these very links, so E's tree says more of their heads than other languages do. Links with probabilities are an
    aligner's, and may be wrong.
    """
    given = linked.given
    if given.links.weights:
        return np.zeros(len(given) + 1, bool)
    rows = zip(given.glosses or ("",) * len(given), given.tags or ("_",) * len(given), allowed, strict=True)
    bare = [not (_has_gloss(gloss) or tag != "_" or flag) for gloss, tag, flag in rows]
    return np.array([kind == GIVEN and flag for kind, flag in zip(linked.kinds, (False, *bare), strict=True)])


def ud_like(text: Iterable[ProjectionInput]) -> bool:
    """Whether the trees of E have the relations of UD."""
    deprels = [rel.partition(":")[0] for sentence in text for rel in sentence.e.deprels]
    return sum(rel in RELATIONS for rel in deprels) >= UD_SHARE * max(len(deprels), 1)


@dataclass(frozen=True)
class S5WithPriors(S5):
    """System s5 with the attachments and relations of other languages."""

    reader: S6 = field(default_factory=lambda: S6(share=ATTACHMENT_SHARE))

    @classmethod
    def with_model(cls, model: GlossModel | None) -> S5WithPriors:
        """Return the system with another model of glossed text than the shipped one."""
        return cls(reader=S6(model, share=ATTACHMENT_SHARE))

    def adapt(
        self,
        text: Iterable[ProjectionInput],
        evidence: TextEvidence = NO_EVIDENCE,
        *,
        links: InducedLinks | None = None,
        priors: Priors | None = None,
    ) -> PhraseState:
        """As s5; the words of a text without glosses are linked with the lemmas of E, too."""
        sentences = [*text]
        if links is None and self.induce_links and not any(_has_gloss(gloss) for b in sentences for gloss in b.glosses):
            links = InducedLinks.with_lemmas((evidence.phrases or PhraseBook()).links)
            links.observe([b for b in sentences if 0 < len(b) <= LONGEST])
        return super().adapt(sentences, evidence, links=links, priors=priors)

    def priors_for(self, linked: Sequence[LinkedPair]) -> Attachments | None:
        """Return what other languages tell of the text; nothing where the trees of E are not UD."""
        return Attachments.of(linked, self.reader) if linked and ud_like(x.given for x in linked) else None

    def read_off(self, sentence: ProjectionInput, posteriors: HeadPosteriors, state: PhraseState) -> Projection:
        """Return the projection that the chart makes most probable, with the relations of other languages.

        Its links are those that came with the sentence; without glosses, and where nobody has linked the words by hand, also those that
        were found in the text.
        """
        projection = super().read_off(sentence, posteriors, state)
        if isinstance(state.priors, Attachments):
            projection = state.priors.relabel(projection, posteriors)
        by_text = not any(map(_has_gloss, sentence.glosses)) and (sentence.links.weights or not sentence.links.links)
        return replace(projection, sentence=posteriors.linked.sentence) if by_text else projection


@lru_cache(maxsize=2)
def cached_state(text: tuple[ProjectionInput, ...]) -> PhraseState:
    """Return what s5 learns from a text; folds of one corpus ask for the same."""
    return S5WithPriors().adapt(text)
