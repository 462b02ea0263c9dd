"""What s5 learns from a text without F trees (links, and which heads words choose), and the weights of its chart.

`InducedLinks` finds links for words that have none, by word alignment of the text. `Cues` learns by expectation-maximisation
on which side, how far away and of which tag the heads of each word are. `RelationWeights` has the weights of relation codes
(see `chart`), for words whose links were given, words whose links were induced, and words without a link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.links import Links
from divproj.links.word_model import WordAligner
from divproj.parsing.language import load_pack, pack
from divproj.projection.candidates import TagLexicon
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.chart import RELATIONS
from divproj.ud.tagsets import universal

GIVEN_LINKS = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -5.0, "sister": -5.0, "kid": -6.0, "far": -7.5,
    "loose": -6.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -7.5,
}  # fmt: skip
"""Log weights of the relation of two paired phrases, by relation, for words whose links came with the text; set by hand, see
`RelationWeights`."""
INDUCED_LINKS = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -4.0, "sister": -3.5, "kid": -4.5, "far": -5.0,
    "loose": -5.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -6.5,
}  # fmt: skip
"""The same for words whose links the observed text suggests: what departs from E's tree costs less."""
UNLINKED_WORDS = {"mother": 0.0, "loose": -2.5, "root": -4.0}
"""The same for words without a link."""
SURE_LINK = 0.3
"""Probability from which a link found for an unlinked word counts."""
POSSIBLE_LINK = 0.1
"""Probability from which a link is kept as a candidate, which phrases may confirm."""
WORD_TRUST, TAG_TRUST, DISTANCE_TRUST = 12.0, 20.0, 20.0
"""Pseudo-counts with which the heads that a word chooses are drawn to those of its tag, those of a tag to those of all words, and the distances
of a word's heads to those of all."""
DISTANCE_COUNT = 0.1
"""Pseudo-count of each distance, over all words."""


UNLINKED, GIVEN, FOUND = 0, 1, 2
"""Kinds of words: no link, links that came with the text, links that the observed text suggests."""


@dataclass(frozen=True)
class RelationWeights:
    """Logarithms: a nested pair costs nothing, what departs from E's tree costs more the further it goes.

    Set once by hand, the same for every language; nothing here is learned from trees of F.
    """

    given: tuple[tuple[str, float], ...] = tuple(GIVEN_LINKS.items())
    induced: tuple[tuple[str, float], ...] = tuple(INDUCED_LINKS.items())
    unlinked: tuple[tuple[str, float], ...] = tuple(UNLINKED_WORDS.items())

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """[kind, relation] for the chart."""
        table = np.zeros((3, len(RELATIONS)))
        for kind, values in ((UNLINKED, self.unlinked), (GIVEN, self.given), (FOUND, self.induced)):
            for name, value in values:
                table[kind, RELATIONS.index(name)] = value
        return table


CHEAP = 16
"""Cells of these charts that take as long in plain Python (some 4 µs each) as a word does elsewhere."""


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinkedPair:
    """A bitext with links for words that had none; `kinds` says of each word (place 0 too) where its links are from."""

    given: ProjectionInput
    sentence: ProjectionInput
    kinds: tuple[int, ...]
    probabilities: dict[tuple[int, int], float] = field(default_factory=dict, compare=False)
    """Probabilities of links by word alignment of the text, from `POSSIBLE_LINK` on."""
    tags: tuple[str, ...] = field(default=(), compare=False)
    """Universal tags of the words by a tagger; empty: what links and the lexicon say."""


def _no_links(sentence: ProjectionInput) -> dict[tuple[int, int], float]:
    return {}


@dataclass
class InducedLinks:
    """Links between words that have none on either side, by word alignment of the text.

    A text without glosses is aligned twice, with the words and with the lemmas of E (`with_lemmas`): inflected forms of a rare verb
    are one lemma, forms that stand for different words of F (*was*, *were*) are not, and the mean is better than either. Links that came with the text are given to the aligner as known translations.
    """

    aligner: WordAligner = field(default_factory=lambda: WordAligner(threshold=POSSIBLE_LINK))
    lemma_aligner: WordAligner | None = None
    """Aligns F with the lemmas of E, too; probabilities are the mean of both alignments. None: forms alone."""
    more: Callable[[ProjectionInput], dict[tuple[int, int], float]] = field(default=_no_links, repr=False)
    """Links that paired phrases make, with probabilities."""
    _known: dict[ProjectionInput, LinkedPair] = field(default_factory=dict, repr=False)

    @classmethod
    def with_lemmas(cls, more: Callable[[ProjectionInput], dict[tuple[int, int], float]] = _no_links) -> InducedLinks:
        """Return the links that words and lemmas of E suggest together."""
        one, other = (WordAligner(threshold=POSSIBLE_LINK / 2) for _ in range(2))
        return cls(one, other, more)

    def observe(self, sentences: Sequence[ProjectionInput]) -> list[LinkedPair]:
        """Return the sentences with more links, learned from all of them together."""
        if any(map(_has_unlinked_words, sentences)):
            alignments = self._align(sentences, fit=True)
            linked_pairs = [_with_links(b, links | self.more(b)) for b, links in zip(sentences, alignments, strict=True)]
        else:
            linked_pairs = [_with_links(b, self.more(b)) for b in sentences]
        self._known.update(zip(sentences, linked_pairs, strict=True))
        return linked_pairs

    def of(self, sentence: ProjectionInput) -> LinkedPair:
        """Return a sentence, of the text or not, with more links."""
        linked_pair = self._known.get(sentence)
        if linked_pair is None:
            probabilities = {}
            if self.aligner.counts_ and _has_unlinked_words(sentence):
                [probabilities] = self._align([sentence])
            linked_pair = _with_links(sentence, probabilities | self.more(sentence))
        return linked_pair

    def _align(self, sentences: Sequence[ProjectionInput], *, fit: bool = False) -> list[dict[tuple[int, int], float]]:
        """Return the probabilities of links, after learning from the sentences if they are the text."""

        views: list[tuple[WordAligner, list[tuple[str, ...]]]] = [(self.aligner, [b.e.forms for b in sentences])]
        if self.lemma_aligner is not None and (fit or self.lemma_aligner.counts_):
            lemmas = [*map(e_lemmas, sentences)]
            if lemmas != views[0][1] or not fit:
                views.append((self.lemma_aligner, lemmas))
        alignments = []
        for aligner, words in views:
            pairs = [(b.forms, e) for b, e in zip(sentences, words, strict=True)]
            alignments.append(aligner.fit_align(pairs, _translations(sentences, words)) if fit else aligner.align(pairs))
        return [_mean([view.probabilities for view in each]) for each in zip(*alignments, strict=True)]

    def part(self, sentences: Iterable[ProjectionInput]) -> InducedLinks:
        """The links of some observed sentences."""
        return InducedLinks(more=self.more, _known={b: self._known[b] for b in sentences if b in self._known})


def _has_unlinked_words(sentence: ProjectionInput) -> bool:
    """Whether both sides have words without a link."""
    f, e = ({link[side] for link in sentence.links.links} for side in (0, 1))
    return len(f) < len(sentence) and len(e) < len(sentence.e)


def _translations(sentences: Iterable[ProjectionInput], e_words: Iterable[Sequence[str]]) -> Counter[tuple[str, str]]:
    known: Counter[tuple[str, str]] = Counter()
    for b, words in zip(sentences, e_words, strict=True):
        known.update((b.forms[i - 1].lower(), words[j - 1].lower()) for i, j in sorted(b.links.links))
    return known


def _mean(views: Sequence[Mapping[tuple[int, int], float]]) -> dict[tuple[int, int], float]:
    """Return the mean probabilities of links, those that are possible."""
    links = sorted({link for view in views for link in view})
    means = {link: sum(view.get(link, 0.0) for view in views) / len(views) for link in links}
    return {link: mean for link, mean in means.items() if mean >= POSSIBLE_LINK}


def e_lemmas(sentence: ProjectionInput) -> tuple[str, ...]:
    """Return the lemmas of E: those of its tree, else those by the pack of its language; its words where there is neither."""
    e, language = sentence.e, sentence.e_language
    if any(lemma not in ("", "_") for lemma in e.lemmas):
        return tuple(form if lemma in ("", "_") else lemma for form, lemma in zip(e.forms, e.lemmas, strict=True))
    if not language or len(e.upos) != len(e) or pack(language) is None:
        return e.forms
    return tuple(load_pack(language).lemmatizer.predict(zip(e.forms, e.upos, strict=True)))


def _with_links(sentence: ProjectionInput, probabilities: dict[tuple[int, int], float]) -> LinkedPair:
    """For each unlinked word its most probable link with an unlinked word."""
    given = sentence.links.links
    used_f, used_e = {i for i, _ in given}, {j for _, j in given}
    best: dict[int, tuple[float, int]] = {}
    for (i, j), probability in probabilities.items():
        if i not in used_f and j not in used_e and probability >= SURE_LINK:
            best[i] = max(best.get(i, (0.0, 0)), (probability, -j))
    more = {(i, -j): probability for i, (probability, j) in best.items()}
    kinds = tuple(GIVEN if i in used_f else FOUND if i in best else UNLINKED for i in range(len(sentence) + 1))
    if not more:
        return LinkedPair(sentence, sentence, kinds, probabilities)
    weights = tuple(sorted((dict(sentence.links.weights) | more).items())) if sentence.links.weights or not given else ()
    links = Links(given | more.keys(), sentence.links.shape, sentence.links.possible, weights)
    return LinkedPair(sentence, replace(sentence, links=links), kinds, probabilities)


@dataclass(frozen=True)
class EncodedSentence:
    """A sentence for the chart, place 0 for the root."""

    words: NDArray[np.int32]
    tags: NDArray[np.int32]
    kinds: NDArray[np.int8]
    codes: NDArray[np.int8]
    extra: Floats | None = None
    """Further scores of edges, from what else is known of the sentence."""


@dataclass
class Cues:
    """Which heads each word of F is expected to choose: side, tag and distance, learned without gold trees.

    A word's choice is smoothed with that of its probable tag, that with the choice of all words. So a determiner is found
    to want a noun on its right from the places where nothing else can be, and a postposition one on its left.
    """

    lexicon: TagLexicon = field(default_factory=TagLexicon)
    tags: dict[str, int] = field(default_factory=lambda: {"?": 0})
    words: dict[str, int] = field(default_factory=dict)
    """Numbers of word types; words that were never seen share the numbers after them, one for each tag."""
    choice: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    far: Floats = field(default_factory=lambda: np.zeros((0, 2, chart.BUCKETS)))
    word_trust: float = WORD_TRUST
    """Pseudo-counts with which a word's choice is drawn to its tag's."""
    tag_trust: float = TAG_TRUST
    far_trust: float = DISTANCE_TRUST

    @classmethod
    def of(cls, linked: Sequence[LinkedPair]) -> Cues:
        """Lexicon and numbers of the observed text, all choices even."""
        cues = cls(TagLexicon.of((x.sentence, ()) for x in linked))
        for x in linked:
            for form, tag in zip(x.sentence.forms, x.tags or cues.tags_of(x.sentence), strict=True):
                cues.words.setdefault(form.lower(), len(cues.words))
                cues.tags.setdefault(tag, len(cues.tags))
        size = len(cues.tags)
        cues.choice = np.full((len(cues.words) + size, 2 * size + 1), -np.log(2 * size + 1))
        cues.far = np.full((size, 2, chart.BUCKETS), -np.log(chart.BUCKETS))
        return cues

    def tags_of(self, sentence: ProjectionInput) -> list[str]:
        """A tag for every word: the projected one, or what the lexicon says of the form and its gloss."""
        glosses = sentence.glosses or ("",) * len(sentence)
        return [
            tag if tag != "_" else universal(self.lexicon.tag(form, gloss))
            for form, gloss, tag in zip(sentence.forms, glosses, sentence.upos, strict=True)
        ]

    def encode(self, linked: LinkedPair, work: int = 0, extra: Floats | None = None) -> EncodedSentence:
        """Numbers for the chart; `work` words in all are to be encoded."""
        sentence = linked.sentence
        tags = [self.tags.get(tag, 0) for tag in linked.tags or self.tags_of(sentence)]
        unseen = len(self.words)
        words = [self.words.get(form.lower(), unseen + tag) for form, tag in zip(sentence.forms, tags, strict=True)]
        n1 = len(sentence) + 1
        codes = np.zeros((n1, n1), np.int8)
        run = chart.relate.for_work(work // CHEAP, n1)
        run(np.array(sentence.anchors, np.int32), np.array(sentence.e_heads, np.int32), codes)
        numbers = np.array([0, *words], np.int32), np.array([0, *tags], np.int32), np.array(linked.kinds, np.int8)
        return EncodedSentence(*numbers, codes, extra)

    def learn(self, sentences: Sequence[EncodedSentence], weights: Floats, rounds: int) -> list[float]:
        """Learn the choices of words by expectation-maximisation over the chart; return the log-likelihood of each round."""
        batch = _concatenate(sentences)
        work = int((np.diff(batch[0]) ** 2).sum()) * rounds
        run: Callable[..., float] = chart.expect.for_work(work // CHEAP)
        usual = _usual_tags(sentences, len(self.words), len(self.tags))
        likelihoods = []
        for _ in range(rounds):
            chosen, distances = np.zeros_like(self.choice), np.zeros_like(self.far)
            likelihoods.append(float(run(*batch, weights, self.choice, self.far, chosen, distances)))
            self._maximise(chosen, distances, usual)
        return likelihoods

    def _maximise(self, chosen: Floats, distances: Floats, usual: NDArray[np.int64]) -> None:
        overall = chosen.sum(0) + 0.5
        overall /= overall.sum()
        by_tag = np.zeros((len(self.tags), chosen.shape[1]))
        np.add.at(by_tag, usual, chosen)
        by_tag = (by_tag + self.tag_trust * overall) / (by_tag.sum(1, keepdims=True) + self.tag_trust)
        self.choice = np.log((chosen + self.word_trust * by_tag[usual]) / (chosen.sum(1, keepdims=True) + self.word_trust))
        everywhere = distances.sum(0) + DISTANCE_COUNT
        everywhere /= everywhere.sum(1, keepdims=True)
        self.far = np.log((distances + self.far_trust * everywhere) / (distances.sum(2, keepdims=True) + self.far_trust))


def _usual_tags(sentences: Sequence[EncodedSentence], words: int, tags: int) -> NDArray[np.int64]:
    """The tag that each word type mostly has; the numbers of unseen words stand for one tag each."""
    counts = np.zeros((words + tags, tags))
    for sentence in sentences:
        np.add.at(counts, (sentence.words[1:], sentence.tags[1:]), 1.0)
    counts[words:] = np.eye(tags)
    best_tags: NDArray[np.int64] = counts.argmax(1)
    return best_tags


def _concatenate(sentences: Sequence[EncodedSentence]) -> tuple[Any, ...]:
    """Return the arrays of all sentences end to end, after the offsets of their words and of their codes."""
    sizes = np.array([len(s.words) for s in sentences], np.int64)
    at, cells = np.zeros(len(sizes) + 1, np.int64), np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=at[1:])
    np.cumsum(sizes * sizes, out=cells[1:])
    words, tags, kinds = (np.concatenate([getattr(s, name) for s in sentences]) for name in ("words", "tags", "kinds"))
    codes, extra = np.concatenate([s.codes.ravel() for s in sentences]), np.zeros(0)
    if any(s.extra is not None for s in sentences):
        extra = np.concatenate([np.zeros(s.codes.size) if s.extra is None else s.extra.ravel() for s in sentences])
    return at, cells, words, tags, kinds, codes, extra
