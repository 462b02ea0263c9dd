"""System s6: trees for glossed text in any language, by a model learned from other languages and by the translation.

`S6.adapt` goes through a text once and keeps its statistics, the `GlossState`; `S6.project` analyses a sentence with them. For

    Kişi   kitab-ı    oxu-yur
    man    book-ACC   read-PRS      'The man is reading the book.'

the analysis of the sentence holds, for its three real words and the root (place 0), one matrix [head, child] a voter:

    plain     a linear model of edges that sees glosses, tags and word order: read → book 0.9
    phrases   the chart of s5: the phrases of the translation that the links carry over: is reading → the book
    linked    a linear model that sees plain, phrases and the edges of the translation
    networks  recurrent networks that see all of this, and vectors of the English glosses
    near      log ratios of attachments in treebanks whose word order is like that of the text

The vote is their weighted geometric mean,

    P(h | c) ∝ [linked^(1−v) · phrases^v]^l · networks^(1−l) · exp(s · near),    v = PHRASAL_VOTE, l = EDGE_SHARE, s = NEAR_SHARE

and the tree is the maximum spanning arborescence of log P. Tags are voted by the tagger and the networks, relations by the model of
labels and the networks, given the tree. What is shared by the sentences of a text, and so is in the state: whether its glosses are in
capitals, how often and where each word type occurs, on which side dependents stand, what s5 has learned, and which treebanks are near.

Trees and relations are made to fit what the UD validator checks at level 3: which relations a tag may have, which words have no
dependents, at most one subject and one object of a head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.links.grams import Grams
from divproj.parsing.decode import chu_liu_edmonds
from divproj.projection.direct import Projection, ProjectionInput, Reason, s1
from divproj.projection.glossed import linear as edges
from divproj.projection.glossed import linear as templates
from divproj.projection.glossed.facts import (
    CASES,
    EnglishLexicon,
    GivenTags,
    Glosses,
    Usage,
    WordFacts,
    foreign_language,
    given_tags,
    in_capitals,
    lexicon_of,
    understood,
    usage_of,
    words_of,
)
from divproj.projection.glossed.linear import EdgeInput, WordOrder, class_chances, label_features, tagger_features
from divproj.projection.glossed.model import (
    WAYS,
    GlossModel,
    InputEncoder,
    NetworkOutput,
    SentenceInput,
    leanings,
    shipped_model,
    ways,
    word_leanings,
    word_order,
)
from divproj.projection.glossed.word_types import HEADS
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.cues import LinkedPair
from divproj.projection.phrasal.s5 import LONGEST, S5, PhraseState
from divproj.projection.systems import NO_EVIDENCE, TextEvidence
from divproj.runtime.engine import one_blas_thread
from divproj.runtime.vectors import shipped_vectors
from divproj.ud.rows import attach_marks
from divproj.ud.tagsets import LABELS, ONLY, RIGHTWARD, UPOS

GLOSS_PARSER_SHARE = 0.7
"""Weight of the gloss parser's log probability in the chart of s5, whose own weights count 1; the only value tried."""
PHRASAL_VOTE = 0.05
"""Vote of s5 beside the linked model, which sees s5 already. Not tuned: 0.15 and 0.3 did worse than none."""
TAG_SHARE = EDGE_SHARE = RELATION_SHARE = 0.45
"""Shares of linear models beside networks in tags, edges and relations; see `bench/accuracy/vote_shares.py`."""
NEAR_SHARE = 0.5
"""What the log ratio of near treebanks to all counts beside the logarithm of an edge's probability; of 0.25, 0.5 and 0.75, as `ROLE_SHARE`."""
PUNCTUATION_HEAD = 0.8
"""Confidence of the head that the rule for punctuation gives."""
POOL_POWER, POOL_SHARE, POOL_COUNT = 1.5, 0.8, 3.0
"""Power of the geometric mean of the tags of a type, its share in the tags of each word, and the count by which the share grows,
(n − 1)/(n + POOL_COUNT). Chosen on 8 to 11 banks."""
POOL_CAUTION = 5.0
"""How fast the share falls with the disagreement of the words of a type."""
ROLE_TAGS = {
    "det": ("DET",), "dem": ("DET", "PRON"), "pron": ("PRON",), "cop": ("AUX",), "aux": ("AUX",), "case": ("ADP",), "mark": ("SCONJ",),
    "rel": ("SCONJ", "PRON"), "cc": ("CCONJ",), "neg": ("PART", "ADV", "AUX"), "top": ("PART",), "part": ("PART", "INTJ"), "ask": ("PART",),
}  # fmt: skip
"""Tags that the meaning of a gram suggests for a word that is glossed by grams alone, by its role: few treebanks have such words, and some tag
articles as adpositions."""
ROLE_SHARE = 0.5
"""What the logarithm of this prior counts in the tags of such words; of 0, 0.25, 0.5 and 1, with five groups of families held out."""
ROLE_TRUST = 0.8
"""Probability, in the prior, that a word has one of these tags."""
HABIT_SHARE, HABIT_COUNT = 0.4, 3.0
"""What the log ratio of the attachments of a type to those of its tag counts, and pseudo-counts that draw it to nothing."""
ARGUMENTS = ("nsubj", "obj", "iobj", "obl")
ARGUMENT_PLACES = [LABELS.index(name) for name in ARGUMENTS]
NOUN_TAGS = [UPOS.index(tag) for tag in ("NOUN", "PROPN", "PRON")]
ARGUMENT_SHARE, ARGUMENT_COUNT = 0.5, 5.0
"""What the log ratio of the relations of a case gram to those of all arguments counts, and pseudo-counts that draw it to nothing."""
CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
"""Tags of types whose attachments are pooled."""
TYPE_RELATION = 0.95
"""Probability that a word has the relation that the user has given its type; set by hand."""
TYPE_HEAD = 0.1
"""What counts of an edge that does not fit the relation that the user has given the word's type; set by hand."""
NOMINAL_TAGS = tuple(k for k, tag in enumerate(UPOS) if tag in ("NOUN", "PROPN", "PRON", "NUM", "ADJ", "SYM", "X"))
VERBAL_TAGS = tuple(k for k, tag in enumerate(UPOS) if tag in ("VERB", "AUX", "ADJ", "ADV"))
"""Tags of the words that relations of nouns, and of verbs, attach to."""
NOT_READ = -10.0
"""Log weight of a head that the gloss parser does not see."""


Floats = NDArray[np.float64]
_OPEN = {"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"}
NEVER = {"mark": _OPEN, "cc": _OPEN, "case": {"PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "VERB", "INTJ"}}
"""Relations that words of these tags do not have."""
LEAVES = frozenset({"aux", "cop", "case", "mark", "cc", "det", "clf", "fixed", "goeswith"})
"""Relations of words without dependents."""
UNUSED = frozenset({"goeswith", "orphan", "list", "fixed"})
"""Relations that are never assigned."""
ONCE = (("nsubj", "csubj"), ("obj", "ccomp"))
"""Of each, a head has at most one dependent."""


def label_mask(tag: str, head: int, child: int, *, leaf: bool = True) -> NDArray[np.bool_]:
    """Return which of `LABELS` a word may have; `leaf`: it has no dependents."""
    return _label_mask(tag, head > child, leaf)


@cache
def _label_mask(tag: str, head_follows: bool, leaf: bool) -> NDArray[np.bool_]:
    mask = np.array([
        label not in UNUSED
        and (label not in ONLY or tag in ONLY[label])
        and tag not in NEVER.get(label, ())
        and not (label in RIGHTWARD and head_follows)
        and (leaf or label not in LEAVES)
        for label in LABELS
    ])  # fmt: skip
    mask.setflags(write=False)
    return mask


def lift_dependents(heads: Sequence[int], tags: Sequence[str], probabilities: Floats, confidence: float = 0.5) -> list[int]:
    """Return heads in which function words (by tag and relation) have no dependents: these attach to the function word's head.

    `chances` [word, label]; words are counted from 1, 0 is the root.
    """
    tree = list(heads)
    names = [_best(tag, h, c, row) for c, (h, tag, row) in enumerate(zip(heads, tags, probabilities, strict=True), 1)]
    function = {c for c, (h, name, row) in enumerate(zip(heads, names, probabilities, strict=True), 1)
                if h and name in LEAVES and row[LABELS.index(name)] >= confidence}  # fmt: skip
    for c in range(1, len(tree) + 1):
        steps = 0
        while tree[c - 1] in function and steps <= len(tree):
            tree[c - 1] = heads[tree[c - 1] - 1]
            steps += 1
    return tree


def _best(tag: str, head: int, child: int, row: Floats, *, leaf: bool = True) -> str:
    return LABELS[int(np.where(label_mask(tag, head, child, leaf=leaf), row, -1.0).argmax())]


def relations(heads: Sequence[int], tags: Sequence[str], probabilities: Floats) -> list[str]:
    """The most probable relations that UD allows together."""
    governs = set(heads)
    masks = [label_mask(tag, h, c, leaf=c not in governs) for c, (h, tag) in enumerate(zip(heads, tags, strict=True), 1)]
    scores = [np.where(mask, row, -1.0) for mask, row in zip(masks, probabilities, strict=True)]
    for group in ONCE:
        places = [LABELS.index(label) for label in group]
        for head in sorted(governs - {0}):
            rivals = [c for c, h in enumerate(heads, 1) if h == head and LABELS[int(scores[c - 1].argmax())] in group]
            if len(rivals) > 1:
                keep = max(rivals, key=lambda c: (max(scores[c - 1][places]), -c))
                for c in rivals:
                    if c != keep:
                        scores[c - 1][places] = -1.0
    return [
        "root" if not h else LABELS[int(row.argmax())] if row.max() >= 0 else "dep"
        for h, row in zip(heads, scores, strict=True)
    ]


Singles = NDArray[np.float32]
PUNCT = UPOS.index("PUNCT")
EDGES = 50_000
"""Edges whose columns are held at a time."""
NONE = np.zeros((0, 0))


@dataclass(frozen=True)
class GlossAnalysis:
    """The analysis of a sentence; matrices [head, child] are over its real words, place 0 the root."""

    edge_input: EdgeInput
    plain: Floats = field(default_factory=lambda: NONE)
    """Probabilities of edges by glosses alone."""
    given: GivenTags | None = None
    """What the user says of the tags of the real words."""
    words: int = 0
    """Words of the text that the sentence is of: compiled kernels pay when there are many."""
    language: str = ""
    """Language of the glosses of the text; '' for English."""
    phrases: Floats = field(default_factory=lambda: NONE)
    """Probabilities of edges by s5."""
    linked: Floats = field(default_factory=lambda: NONE)
    """Probabilities of edges by glosses and translation."""
    sentence: SentenceInput | None = None
    readings: tuple[NetworkOutput, ...] = ()
    """What the networks say."""
    near: Floats = field(default_factory=lambda: NONE)
    """Log ratios of edges in languages of like word order to edges in all."""
    habits: Floats = field(default_factory=lambda: NONE)
    """Log ratios of edges among the uses of a type to edges among the uses of its tag."""
    arguments: Floats = field(default_factory=lambda: NONE)
    """Log ratios [word, relation] of `ARGUMENTS` by the case grams of the words, as the linked arguments of the text have them."""

    @property
    def tags(self) -> Floats:
        """Probabilities of the tags of real words by all models together."""
        if not self.readings:
            return self.edge_input.probabilities
        mean = sum(r.tags.astype(np.float64) for r in self.readings) / len(self.readings)
        mixed: Floats = TAG_SHARE * self.edge_input.probabilities + (1 - TAG_SHARE) * mean
        return mixed

    @property
    def places(self) -> NDArray[np.int64]:
        """Places of the root and the real words in the sentence."""
        return np.array([0, *self.edge_input.real])


LabelAdapter = Callable[[GlossAnalysis, Sequence[int], Sequence[str], Floats], Floats]
"""Takes an analysis, heads and tags of its real words and probabilities [word, label], and returns others."""


@dataclass(frozen=True)
class GlossStatistics:
    """What the sentences of a text share as far as glosses go."""

    capitals: bool = False
    """Whether nearly all glosses are in capitals."""
    labelled: bool = False
    """Whether the part-of-speech labels are ones that the table of labels knows."""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    order: WordOrder = field(default_factory=lambda: WordOrder({}))
    """On which side of their heads words stand in edges that the translation has too."""
    words: int = 0
    language: str = ""
    """That of the glosses; '' for English."""
    lexicon: EnglishLexicon | None = None
    """Usual tags of the words of the glosses where these are not in English."""


@dataclass(frozen=True)
class GlossState:
    """What s6 has learned from a text; `S6.adapt` returns one, `S6.project` takes it.

    `analyses` has the analyses of the text's own sentences, so that they are not made twice; any other sentence is analysed with the
    statistics when it is projected.
    """

    statistics: GlossStatistics = field(default_factory=GlossStatistics)
    chart: PhraseState = field(default_factory=PhraseState)
    """What s5 has learned from the text, with the tags and edges of the glosses."""
    order: WordOrder = field(default_factory=lambda: WordOrder({}))
    """As that of the statistics, by the edges of s5."""
    alone: PhraseState = field(default_factory=PhraseState)
    """What s5 has learned without the glosses, for the networks."""
    word_order: Singles = field(default_factory=lambda: np.zeros(0, np.float32))
    tendencies: Floats = field(default_factory=lambda: NONE)
    """Log ratios of attachments in the treebanks near the text to those in all."""
    pools: TagPools = field(default_factory=lambda: TagPools())
    habits: Mapping[str, Floats] = field(default_factory=dict)
    """Of types of closed classes, log ratios of attachments [way] to those of their tags."""
    arguments: Mapping[str, Floats] = field(default_factory=dict)
    """Of case grams, log ratios of `ARGUMENTS` to those of all arguments of the text."""
    analyses: Mapping[ProjectionInput, GlossAnalysis] = field(default_factory=dict)

    def part(self, text: Sequence[ProjectionInput]) -> GlossState:
        """Return what these sentences need to be projected in another process."""
        known = {sentence: self.analyses[sentence] for sentence in text if sentence in self.analyses}
        if all(sentence in known for sentence in text if is_read(sentence)):
            return GlossState(analyses=known)
        return replace(self, chart=self.chart.part(text), alone=self.alone.part(text), analyses=known)


@dataclass(frozen=True)
class GlossPriors:
    """Tags and edges by the glosses of a text, for the chart of s5."""

    system: S6
    statistics: GlossStatistics
    analyses: Mapping[ProjectionInput, GlossAnalysis] = field(default_factory=dict)

    def tags(self, linked: LinkedPair) -> tuple[str, ...]:
        """UPOS of all words by the linear tagger."""
        return _upos(linked.given, self._analysis(linked.given).edge_input)

    def scores(self, linked: LinkedPair) -> Floats:
        """Log weights of edges."""
        return self.system.edge_weights(linked.given, self._analysis(linked.given))

    def part(self, text: Sequence[ProjectionInput]) -> GlossPriors:
        """What is known of some sentences."""
        return replace(self, analyses={sentence: self.analyses[sentence] for sentence in text if sentence in self.analyses})

    def _analysis(self, sentence: ProjectionInput) -> GlossAnalysis:
        known = self.analyses.get(sentence)
        return known or self.system.read_glosses([sentence], self.statistics)[0]


@dataclass(frozen=True)
class S6:
    """System s6. Without glosses it has links, tags of linked words and word order; without a translation glosses alone."""

    model: GlossModel | None = None
    """None: the shipped model."""
    grams: Grams | None = None
    """Gloss abbreviations; None: the shipped table."""
    share: float = GLOSS_PARSER_SHARE
    vote: float = PHRASAL_VOTE
    code: str = "s6"
    adapts: bool = True

    @property
    def weights(self) -> GlossModel:
        """The model in use."""
        return self.model or shipped_model()

    @property
    def table(self) -> Grams:
        """The gloss abbreviations in use."""
        return self.grams or _shipped_grams()

    def adapt(self, text: Iterable[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> GlossState:
        """Return tags, edges and word order of a text without F trees."""
        sentences = list(dict.fromkeys(filter(is_read, text)))
        if not sentences:
            return GlossState()
        statistics, analyses = self.text_statistics(sentences)
        priors = GlossPriors(self, statistics, dict(zip(sentences, analyses, strict=True)))
        state = GlossState(statistics, S5().adapt(sentences, evidence, priors=priors))
        analyses = [self._with_phrases(*row, state.chart) for row in zip(sentences, analyses, strict=True)]
        state = replace(state, order=WordOrder.of([a.edge_input for a in analyses], [a.phrases for a in analyses]))
        inputs: list[SentenceInput] = []
        if self.weights.networks:
            links = None if evidence.phrases else state.chart.links
            alone = S5().adapt(sentences, TextEvidence(evidence.forests), links=links)
            state = replace(state, alone=alone)
            inputs = self._inputs(sentences, analyses, state, statistics.usage)
            state = replace(state, word_order=word_order(inputs))
            if self.weights.nearness.banks:
                state = replace(state, tendencies=self.weights.nearness.leaning(state.word_order))
        analyses = self._complete(analyses, inputs, state)
        state = replace(state, pools=TagPools.of(analyses))
        analyses = self._read_again(analyses, inputs, state)
        mixed = [self.mix(a) for a in analyses]
        state = replace(state, habits=attachment_habits(analyses, mixed), arguments=argument_habits(analyses, mixed))
        analyses = [_with_habits(a, state) for a in analyses]
        return replace(state, analyses=dict(zip(sentences, analyses, strict=True)))

    def analyze(self, sentence: ProjectionInput, state: GlossState | None = None) -> GlossAnalysis:
        """Return the analysis of a sentence, which may be of the text or not."""
        known = state and state.analyses.get(sentence)
        if known:
            return known
        if state is None or not state.statistics.words:  # no text: adapt to the sentence alone
            return self.adapt([sentence]).analyses[sentence]
        return self._analyze_late([sentence], state)[0]

    def together(self, text: Sequence[ProjectionInput], state: GlossState) -> GlossState:
        """Return the state with the analyses of these sentences, and no others; several at a time take a fifth of the time of each alone."""
        if not state.statistics.words:
            return state
        sentences = dict.fromkeys(filter(is_read, text))
        known = {sentence: state.analyses[sentence] for sentence in sentences if sentence in state.analyses}
        late = [sentence for sentence in sentences if sentence not in known]
        return replace(state, analyses=known | dict(zip(late, self._analyze_late(late, state), strict=True))) if late else state

    def _analyze_late(self, text: Sequence[ProjectionInput], state: GlossState) -> list[GlossAnalysis]:
        """Return the analyses of sentences that are not of the text."""
        analyses = self.read_glosses(text, state.statistics)
        priors = GlossPriors(self, state.statistics, dict(zip(text, analyses, strict=True)))
        phrases = replace(state.chart, priors=priors)
        analyses = [self._with_phrases(*row, phrases) for row in zip(text, analyses, strict=True)]
        inputs: list[SentenceInput] = []
        if self.weights.networks:
            for sentence, analysis in zip(text, analyses, strict=True):
                inputs += self._inputs([sentence], [analysis], state, _usage(analysis.edge_input.words, state.statistics))
        analyses = self._read_again(self._complete(analyses, inputs, state), inputs, state)
        return [_with_habits(analysis, state) for analysis in analyses]

    def text_statistics(self, text: Sequence[ProjectionInput]) -> tuple[GlossStatistics, list[GlossAnalysis]]:
        """Return what the glosses of a text share, and what they alone say of each sentence."""
        language = foreign_language(text)
        table = self.table.in_language(language)
        lexicon = lexicon_of(text, table, language, self.weights.english) if language else self.weights.english
        glosses = Glosses(table, lexicon, in_capitals(text))
        words = [words_of(sentence, glosses) for sentence in text]
        statistics = GlossStatistics(
            in_capitals(text),
            understood(text, self.table),
            usage_of(words),
            words=sum(map(len, words)),
            language=language,
            lexicon=lexicon if language else None,
        )
        analyses = [self._tag(*row, statistics) for row in zip(text, words, strict=True)]
        order = WordOrder.of([a.edge_input for a in analyses], [direct(a.edge_input) for a in analyses])
        statistics = replace(statistics, order=order)
        return statistics, self._with_plain(analyses, statistics)

    def read_glosses(self, text: Sequence[ProjectionInput], statistics: GlossStatistics) -> list[GlossAnalysis]:
        """Return what glosses alone say of sentences: tags, and probabilities of edges."""
        glosses = Glosses(
            self.table.in_language(statistics.language), statistics.lexicon or self.weights.english, statistics.capitals
        )
        analyses = []
        for sentence in text:
            words = words_of(sentence, glosses)
            analyses.append(self._tag(sentence, words, replace(statistics, usage=_usage(words, statistics))))
        return self._with_plain(analyses, statistics)

    def _tag(self, sentence: ProjectionInput, words: list[WordFacts], statistics: GlossStatistics) -> GlossAnalysis:
        """The sentence with the tags of its words."""
        tags = class_chances(tagger_features(words, statistics.usage), self.weights.tagger, statistics.words)
        marks = np.array([w.mark for w in words])
        tags[:, PUNCT] = 1e-6
        given = given_tags(sentence, self.table, statistics.labelled)
        if given:
            tags = given.apply(tags)
        tags[marks] = np.eye(len(UPOS))[PUNCT]
        edge_input = edges.edge_input(sentence, words, tags / tags.sum(1, keepdims=True))
        return GlossAnalysis(
            edge_input, given=given and given.of(edge_input.real), words=statistics.words, language=statistics.language
        )

    def _with_plain(self, analyses: list[GlossAnalysis], statistics: GlossStatistics) -> list[GlossAnalysis]:
        matrices = _matrices(analyses, {}, statistics.order, self.weights.plain, templates.PLAIN)
        return [replace(a, plain=matrix) for a, matrix in zip(analyses, matrices, strict=True)]

    def _with_phrases(self, sentence: ProjectionInput, analysis: GlossAnalysis, state: PhraseState) -> GlossAnalysis:
        """The analysis with the edges of s5."""
        return replace(analysis, phrases=phrase_edges(sentence, analysis, state))

    def _inputs(
        self,
        text: Sequence[ProjectionInput],
        analyses: Sequence[GlossAnalysis],
        state: GlossState,
        usage: Mapping[str, Usage],
    ) -> list[SentenceInput]:
        """What the networks see; s5 as it is without the linear models and without phrase pairs."""
        words = [a.edge_input.words for a in analyses]
        encoder = _encoder(self.weights, state.statistics.language or "en")
        return encode(text, words, encoder, state.alone, usage)

    def _complete(
        self, analyses: Sequence[GlossAnalysis], inputs: Sequence[SentenceInput], state: GlossState
    ) -> list[GlossAnalysis]:
        """Analyses with the linked model, the networks and the treebanks near the text."""
        model = self.weights
        given = {"p5": [a.phrases for a in analyses], "pa": [a.plain for a in analyses]}
        names = templates.PLAIN + templates.LINKED
        matrices = _matrices(analyses, given, state.order, model.linked, names)
        analyses = [replace(a, linked=matrix) for a, matrix in zip(analyses, matrices, strict=True)]
        if not inputs:
            return analyses
        with one_blas_thread():
            tags = [a.given for a in analyses]
            readings = [network.read(inputs, state.word_order, tags) for network in model.networks]
        rows = zip(analyses, inputs, zip(*readings, strict=True), strict=True)
        analyses = [replace(a, sentence=sentence, readings=sentence_readings) for a, sentence, sentence_readings in rows]
        if state.tendencies.size:
            analyses = [replace(a, near=leanings(state.tendencies, a.tags)) for a in analyses]
        return analyses

    def _read_again(
        self, analyses: Sequence[GlossAnalysis], inputs: Sequence[SentenceInput], state: GlossState
    ) -> list[GlossAnalysis]:
        """Analyses with the tags that all words of a type are given together; edges are looked for anew."""
        roles = any(word.gloss.role in ROLE_TAGS for analysis in analyses for word in analysis.edge_input.words)
        if not inputs or not (state.pools.logs or roles):
            return list(analyses)
        changed = []
        for analysis in analyses:
            tags = state.pools.apply(analysis)
            seen = edges.with_tags(analysis.edge_input, tags)
            changed.append(
                replace(analysis, edge_input=seen, given=GivenTags(np.ones(tags.shape, bool), np.zeros(len(tags)), tags))
            )
        return self._complete(self._with_plain(changed, state.statistics), inputs, state)

    def edge_weights(self, sentence: ProjectionInput, analysis: GlossAnalysis) -> Floats:
        """Log weights of edges [head, child] for the chart of s5; punctuation governs nothing."""
        scores = np.zeros((len(sentence) + 1,) * 2)
        keep = analysis.places
        scores[np.setdiff1d(np.arange(1, len(scores)), keep)] = NOT_READ
        scores[np.ix_(keep, keep)] = self.share * np.log(np.maximum(analysis.plain, 1e-3))
        return scores

    def edge_probabilities(self, sentence: ProjectionInput, state: GlossState | None = None) -> tuple[Projection, Floats]:
        """Return the projection and the probabilities of all edges [head, child]; punctuation attaches where its rule says."""
        projection = self.project(sentence, state)
        probabilities = np.zeros((len(sentence) + 1,) * 2)
        if is_read(sentence):
            analysis = self.analyze(sentence, state)
            probabilities[np.ix_(analysis.places, analysis.places)] = self.mix(analysis)
        for c, head in enumerate(projection.heads, 1):
            if not probabilities[:, c].sum():
                probabilities[head, c] = 1.0
        return projection, probabilities

    def mix(self, analysis: GlossAnalysis) -> Floats:
        """Return the probabilities of edges by all voters (see the formula at the top of the module)."""
        odds = np.maximum(analysis.linked, 1e-6) ** (1 - self.vote) * np.maximum(analysis.phrases, 1e-6) ** self.vote
        if analysis.readings:
            mean = sum(r.edges.astype(np.float64) for r in analysis.readings) / len(analysis.readings)
            odds = odds**EDGE_SHARE * np.exp(np.maximum(mean, np.log(1e-6))) ** (1 - EDGE_SHARE)
        if analysis.near.size:
            odds = odds * np.exp(NEAR_SHARE * analysis.near)
        if analysis.habits.size:
            odds = odds * np.exp(HABIT_SHARE * analysis.habits)
        for child, heads in _relation_heads(analysis.edge_input):
            fit = analysis.tags[:, heads].sum(1)
            odds[1:, child] *= TYPE_HEAD + (1 - TYPE_HEAD) * fit
            odds[0, child] *= TYPE_HEAD
        odds[:, 0] = 0.0
        np.fill_diagonal(odds, 0.0)
        probabilities: Floats = odds / np.maximum(odds.sum(0), 1e-12)
        return probabilities

    def project(self, sentence: ProjectionInput, state: GlossState | None = None) -> Projection:
        """Return the best tree with tags, relations, reasons and the confidence of each edge."""
        if not is_read(sentence):
            return s1(sentence)
        analysis = self.analyze(sentence, state)
        probabilities = self.mix(analysis)
        heads = np.zeros(len(probabilities), np.int64)
        chu_liu_edmonds.for_work(analysis.words, len(heads))(np.log(np.maximum(probabilities, 1e-9)), heads)
        tree, deprels = self.relations(analysis, heads[1:].tolist())
        confidence = [float(probabilities[h, c]) for c, h in enumerate(tree, 1)]
        return _whole(sentence, analysis, tree, deprels, confidence)

    def relabel(
        self,
        sentence: ProjectionInput,
        analysis: GlossAnalysis,
        heads: Sequence[int],
        tags: Sequence[str],
        labels: LabelAdapter | None = None,
    ) -> Projection:
        """Return a tree that someone else has made of the sentence, and tags, with the relations that the model gives it."""
        real = analysis.edge_input.real
        place = {0: 0} | {word: k for k, word in enumerate(real, 1)}
        tree = []
        for word in real:
            head, steps = heads[word - 1], 0
            while head not in place and steps <= len(heads):  # no word depends on punctuation
                head, steps = heads[head - 1], steps + 1
            tree.append(place.get(head, 0))
        for k in [k for k, head in enumerate(tree) if not head][1:]:
            tree[k] = tree.index(0) + 1
        tree, deprels = self.relations(analysis, tree, [tags[word - 1] for word in real], labels)
        return replace(_whole(sentence, analysis, tree, deprels, [1.0] * len(tree)), upos=tuple(tags))

    def relations(
        self,
        analysis: GlossAnalysis,
        heads: list[int],
        given: Sequence[str] | None = None,
        labels: LabelAdapter | None = None,
    ) -> tuple[list[int], list[str]]:
        """Return the tree over the real words as UD allows it, and its relations.

        `given` are tags to go by instead of ours, `labels` changes the probabilities of relations.
        """
        if not heads:
            return heads, []
        tags = list(given) if given else [UPOS[int(p.argmax())] for p in analysis.tags]
        adapt = labels or (lambda analysis, heads, tags, probabilities: probabilities)
        probabilities = adapt(analysis, heads, tags, self.label_probabilities(analysis, heads))
        tree = lift_dependents(heads, tags, probabilities)
        if tree != heads:
            probabilities = adapt(analysis, tree, tags, self.label_probabilities(analysis, tree))
        return tree, relations(tree, tags, probabilities)

    def label_probabilities(self, analysis: GlossAnalysis, heads: list[int]) -> Floats:
        """Return the probabilities [word, label] of the relations under this tree."""
        probabilities = class_chances(label_features(analysis.edge_input, heads), self.weights.labels, analysis.words)
        if analysis.sentence is not None:
            rows = zip(self.weights.networks, analysis.readings, strict=True)
            mean = sum(network.relations(reading, analysis.sentence, heads) for network, reading in rows) / len(
                analysis.readings
            )
            probabilities = RELATION_SHARE * probabilities + (1 - RELATION_SHARE) * mean
        if analysis.arguments.size:
            core = probabilities[:, ARGUMENT_PLACES]
            odds = core * np.exp(ARGUMENT_SHARE * analysis.arguments)
            probabilities[:, ARGUMENT_PLACES] = odds * (core.sum(1) / np.maximum(odds.sum(1), 1e-12))[:, None]
        for child, deprel in answered_relations(analysis.edge_input):
            probabilities[child - 1] *= 1 - TYPE_RELATION
            probabilities[child - 1, LABELS.index(deprel)] += TYPE_RELATION
        return probabilities


def stem_of(word: WordFacts) -> str:
    """Return what the words of a type have in common: the stem of the gloss, or its grams; '' where there is no gloss."""
    return word.stem or "".join(f"\t{gram}" for gram in word.gloss.grams)


@dataclass(frozen=True)
class TagPools:
    """Tags of the types of a text, by all their words together.

    The words of a type are tagged by the geometric mean of their probabilities, to the power of `POOL_POWER`, as far as the type is
    common and its words do not contradict each other: words that are sure of different tags have different tags.
    """

    logs: Mapping[str, Floats] = field(default_factory=dict)
    """Mean logarithms of the probabilities of tags."""
    weights: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, analyses: Iterable[GlossAnalysis]) -> TagPools:
        """Return the pools of a text."""
        words: dict[str, list[Floats]] = {}
        for analysis in analyses:
            for word, tags in zip(analysis.edge_input.real, analysis.tags, strict=True):
                if stem := stem_of(analysis.edge_input.words[word - 1]):
                    words.setdefault(stem, []).append(tags)
        logs, weights = {}, {}
        for stem, rows in words.items():
            if len(rows) > 1:
                table = np.maximum(np.array(rows), 1e-6)
                n = len(rows)
                logs[stem] = np.log(table).mean(0)
                weights[stem] = POOL_SHARE * (n - 1) / (n + POOL_COUNT) * float(np.exp(-POOL_CAUTION * _disagreement(table)))
        return cls(logs, weights)

    def apply(self, analysis: GlossAnalysis) -> Floats:
        """Return the tags [word, tag] of a sentence, of each word with those of its type."""
        tags = analysis.tags.copy()
        for k, word in enumerate(analysis.edge_input.real):
            stem = stem_of(analysis.edge_input.words[word - 1])
            if stem in self.logs:
                pooled = np.exp(POOL_POWER * (self.logs[stem] - self.logs[stem].max()))
                tags[k] += self.weights[stem] * (pooled / pooled.sum() - tags[k])
            odds = tags[k] * role_prior(analysis.edge_input.words[word - 1].gloss.role) ** ROLE_SHARE
            odds[PUNCT] = 1e-6
            tags[k] = odds / odds.sum()
        return analysis.given.apply(tags) if analysis.given else tags


@cache
def role_prior(role: str) -> Floats:
    """Return the probabilities of `UPOS` that a role suggests, all the same where it suggests none."""
    tags = ROLE_TAGS.get(role, UPOS)
    return np.array([ROLE_TRUST / len(tags) if tag in tags else (1 - ROLE_TRUST) / (len(UPOS) - len(tags)) for tag in UPOS])


def _disagreement(table: Floats) -> float:
    """Return how far words of a type contradict each other: the mutual information of word and tag, in nats."""
    mean = table.mean(0)
    return float((table * np.log(table)).sum(1).mean() - (mean * np.log(mean)).sum())


def attachment_habits(analyses: Sequence[GlossAnalysis], probabilities: Sequence[Floats]) -> dict[str, Floats]:
    """Return, for types of closed classes, the log ratios of their ways of attachment to those of their tags."""
    usual = np.full((len(UPOS), WAYS), 1e-3)
    counts: dict[str, Floats] = {}
    tags: dict[str, Floats] = {}
    words: Counter[str] = Counter()
    for analysis, edge_probabilities in zip(analyses, probabilities, strict=True):
        rows = ways(edge_probabilities, analysis.tags)
        usual += analysis.tags.T @ rows
        for k, word in enumerate(analysis.edge_input.real):
            if stem := stem_of(analysis.edge_input.words[word - 1]):
                counts[stem] = counts.get(stem, 0.0) + rows[k]
                tags[stem] = tags.get(stem, 0.0) + analysis.tags[k]
                words[stem] += 1
    usual /= usual.sum(1, keepdims=True)
    habits = {}
    for stem, n in words.items():
        if n > 1 and UPOS[int(tags[stem].argmax())] in CLOSED:
            expected = tags[stem] / n @ usual
            habits[stem] = np.log((counts[stem] + HABIT_COUNT * expected) / (n + HABIT_COUNT) / expected)
    return habits


def argument_habits(analyses: Sequence[GlossAnalysis], probabilities: Sequence[Floats]) -> dict[str, Floats]:
    """Return, for case grams, the log ratios of the relations of arguments to those of all arguments.

    They are counted on nouns that are linked with an argument of E and attach to the word that is linked with its head.
    """
    counts: dict[str, Floats] = {}
    for analysis, edge_probabilities in zip(analyses, probabilities, strict=True):
        seen = analysis.edge_input
        nominal = analysis.tags[:, NOUN_TAGS].sum(1)
        same = np.isin(seen.codes, (chart.MOTHER, chart.OUT))
        for k, word in enumerate(seen.real):
            facts = seen.words[word - 1]
            if facts.e_rel in ARGUMENTS:
                weight = nominal[k] * float((edge_probabilities[:, k + 1] * same[:, k + 1]).sum())
                row = counts.setdefault(facts.gloss.first(CASES), np.zeros(len(ARGUMENTS)))
                row[ARGUMENTS.index(facts.e_rel)] += weight
    if not counts:
        return {}
    usual = np.sum(list(counts.values()), 0) + 1.0
    usual /= usual.sum()
    return {
        gram: np.log((row + ARGUMENT_COUNT * usual) / (row.sum() + ARGUMENT_COUNT) / usual)
        for gram, row in counts.items()
        if gram
    }


def _with_habits(analysis: GlossAnalysis, state: GlossState) -> GlossAnalysis:
    """The analysis with what the text shows of the attachments and the relations of its types."""
    habits = state.habits
    if state.arguments:
        nothing = np.zeros(len(ARGUMENTS))
        cases = [analysis.edge_input.words[word - 1].gloss.first(CASES) for word in analysis.edge_input.real]
        if any(gram in state.arguments for gram in cases):
            analysis = replace(analysis, arguments=np.array([state.arguments.get(gram, nothing) for gram in cases]))
    stems = [stem_of(analysis.edge_input.words[word - 1]) for word in analysis.edge_input.real]
    if not any(stem in habits for stem in stems):
        return analysis
    none = np.zeros(WAYS)
    return replace(analysis, habits=word_leanings(np.array([habits.get(stem, none) for stem in stems]), analysis.tags))


def answered_relations(edge_input: EdgeInput) -> list[tuple[int, str]]:
    """Return words (by place among the real words) whose relation the user has given by their type, with that relation."""
    answers = edge_input.sentence.answers
    if not answers:
        return []
    rows = ((place, answers[word - 1]) for place, word in enumerate(edge_input.real, 1))
    return [(place, answer.deprel) for place, answer in rows if answer and answer.deprel]


def _relation_heads(edge_input: EdgeInput) -> list[tuple[int, tuple[int, ...]]]:
    """Words whose relation is given, with the tags of the heads that fit it."""
    kinds = {"nominal": NOMINAL_TAGS, "verbal": VERBAL_TAGS}
    rows = ((place, kinds.get(HEADS.get(deprel, ""))) for place, deprel in answered_relations(edge_input))
    return [(place, tags) for place, tags in rows if tags]


def _usage(words: Sequence[WordFacts], statistics: GlossStatistics) -> dict[str, Usage]:
    """Usage of the words of a sentence in the text; of words that the text does not have, in the sentence."""
    return {form: statistics.usage.get(form, here) for form, here in usage_of([words]).items()}


def _upos(sentence: ProjectionInput, edge_input: EdgeInput, tags: Floats | None = None) -> tuple[str, ...]:
    """The most probable tag of each word: of real words by `tags` (else by the linear tagger), of others PUNCT."""
    names = ["PUNCT"] * len(sentence)
    for k, probabilities in zip(edge_input.real, edge_input.probabilities if tags is None else tags, strict=True):
        names[k - 1] = UPOS[int(probabilities.argmax())]
    return tuple(names)


def _whole(
    sentence: ProjectionInput, analysis: GlossAnalysis, tree: list[int], deprels: list[str], confidence: list[float]
) -> Projection:
    """The tree over the real words with punctuation put back."""
    n, real = len(sentence), [0, *analysis.edge_input.real]
    heads, names, trust, reasons = [0] * n, ["punct"] * n, [1.0] * n, ["guess"] * n
    for k, (h, deprel, p) in enumerate(zip(tree, deprels, confidence, strict=True), 1):
        c = real[k] - 1
        heads[c], names[c], trust[c], reasons[c] = real[h], deprel, p, _reason(analysis.edge_input, h, k)
    marks = [k for k in range(1, n + 1) if k not in set(real)]
    attach_marks(heads, marks)
    for k in marks:
        trust[k - 1] = PUNCTUATION_HEAD
    upos = _upos(sentence, analysis.edge_input, analysis.tags)
    return Projection(
        sentence,
        tuple(heads),
        tuple(reasons),  # type: ignore[arg-type]
        tuple(trust),
        tuple(names),
        upos,
        gloss_language=analysis.language,
    )


def is_read(sentence: ProjectionInput) -> bool:
    """Return whether s6 analyses a sentence; one that is empty or too long is projected by S1."""
    return 0 < len(sentence) <= LONGEST


CACHED = 2000
"""Texts of at most this many sentences are cached."""


def state_for(system: S6, text: tuple[ProjectionInput, ...]) -> GlossState:
    """Return what s6 learns from a text; that of the shipped s6 is cached, since folds of one corpus ask for the same."""
    cached = system.model is None and system.grams is None and len(text) <= CACHED
    return _cached_state(text) if cached else system.adapt(text)


@lru_cache(maxsize=1)
def _cached_state(text: tuple[ProjectionInput, ...]) -> GlossState:
    return S6().adapt(text)


@lru_cache(maxsize=1)
def _shipped_grams() -> Grams:
    return Grams.load_shipped()


@lru_cache(maxsize=4)
def _encoder(model: GlossModel, language: str = "en") -> InputEncoder:
    """`language`: that of the glosses."""
    return InputEncoder(model.names, shipped_vectors("en"), language)


def encode(
    text: Sequence[ProjectionInput],
    words: Sequence[Sequence[WordFacts]],
    encoder: InputEncoder,
    alone: PhraseState,
    usage: Mapping[str, Usage],
) -> list[SentenceInput]:
    """Return what networks see of a text: its words, how they are used, and what s5 finds alone."""
    system = S5()
    return [
        encoder.sentence(sentence, word_facts, usage, system.posteriors(sentence, alone).edges)
        for sentence, word_facts in zip(text, words, strict=True)
    ]


def phrase_edges(sentence: ProjectionInput, analysis: GlossAnalysis, state: PhraseState) -> Floats:
    """Return the probabilities of edges among the real words by s5, of each word together 1."""
    probabilities = S5().posteriors(sentence, state).edges[np.ix_(analysis.places, analysis.places)]
    probabilities[:, 0] = 0.0
    shares: Floats = probabilities / np.maximum(probabilities.sum(0), 1e-9)
    return shares


def direct(seen: EdgeInput) -> Floats:
    """1 where the translation has the edge between the linked words."""
    anchored = np.array([0, *(seen.sentence.anchors[k] for k in seen.real)]) > 0
    return np.where(np.isin(seen.codes, (chart.MOTHER, chart.OUT)) & anchored[None, :], 1.0, 0.0)


def _matrices(
    analyses: Sequence[GlossAnalysis],
    given: Mapping[str, Sequence[Floats]],
    order: WordOrder,
    weights: NDArray[np.float32],
    names: Sequence[str],
) -> list[Floats]:
    """Probabilities [head, child] of the edges of each sentence; some sentences at a time, so that columns stay few."""
    matrices: list[Floats] = []
    while len(matrices) < len(analyses):
        low = high = len(matrices)
        size = 0
        while high < len(analyses) and (high == low or size + len(analyses[high].edge_input) ** 2 <= EDGES):
            size += len(analyses[high].edge_input) ** 2
            high += 1
        inputs = [a.edge_input for a in analyses[low:high]]
        columns = edges.edges_of(inputs, {name: rows[low:high] for name, rows in given.items()}, order)
        flat, at = edges.choice_probabilities(columns, names, weights), 0
        for each in inputs:
            n = len(each)
            matrix = np.zeros((n + 1, n + 1))
            matrix.T[1:][~np.eye(n + 1, dtype=bool)[1:]] = flat[at : at + n * n]
            matrices.append(matrix)
            at += n * n
    return matrices


def _reason(seen: EdgeInput, head: int, child: int) -> Reason:
    code = seen.codes[head, child]
    if not seen.sentence.anchors[seen.real[child - 1]]:
        return "spontaneous"
    if code in (chart.MOTHER, chart.OUT, chart.TOP, chart.TOP_OUT):
        return "projected"
    return "merge" if code == chart.SAME else "swap" if code == chart.KID else "parsed"
