"""System s5: projection by phrases, without any gold tree of F.

s5 sums over all headed bracketings of F. Each F phrase is paired with the E phrase that the anchor of its head governs
(`chart`, with an example), and the score of an F edge [h, c] is the sum of

    the weight of its relation code: 0 where the E words are head and dependent, −5 where they are sisters (`RelationWeights`)
    what the child prefers as its head: log probabilities of side, tag and distance, learned from the text (`Cues`)
    a forest of F, if there is one: log probabilities of its edges, or the borders of its phrases (`of_forest`)
    phrase pairs, if there are any: phrases that keep together (`phrase_pairs.scores`)
    priors, if there are any: attachments in other languages (`Priors`)

`S5.adapt` induces links for unlinked words, learns the preferences of words from a text, and returns a `PhraseState`;
`S5.project` returns the projective tree whose edges have the highest probabilities together, with these probabilities as
confidences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import Forest
from divproj.forest.parses import marginals
from divproj.parsing.decode import eisner
from divproj.projection.direct import Projection, ProjectionInput, Reason, content_root, s1
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.cues import UNLINKED, Cues, EncodedSentence, InducedLinks, LinkedPair, RelationWeights
from divproj.projection.phrasal.phrase_pairs import PhraseBook
from divproj.projection.systems import NO_EVIDENCE, TextEvidence

OBSERVING_ROUNDS = 4
"""Rounds of expectation-maximisation over a text."""
UNKNOWN_EDGE = 0.01
"""Probability of an edge that a forest or a model does not know."""
EVIDENCE_SHARE = 1.0
"""Weight of the logarithm of such a probability beside the weights of the chart."""
CROSSED_BORDER = 0.1
"""Cost of each phrase border that an edge crosses, where phrases do not know their heads."""


Floats = NDArray[np.float64]


def of_chances(probabilities: Floats) -> Floats:
    """Scores from probabilities of edges [h, c], words counted from 1, place 0 the root."""
    return EVIDENCE_SHARE * np.log(np.maximum(probabilities, UNKNOWN_EDGE))


def of_forest(forest: Forest, *, fast: bool = False) -> Floats:
    """Scores of all edges [h, c] from a packed forest of the sentence.

    Headed phrases (a parser's chart) give probabilities of edges. Phrases without heads (an induced grammar's chart, brackets)
    give expected borders: the fewer phrases hold one end of an edge and not the other, the nearer the two words are in the tree.
    """
    probabilities = marginals(forest, fast=fast)
    if all(node.head >= 0 for node in forest.nodes):
        return of_chances(_edges(forest, probabilities.edge))
    return -CROSSED_BORDER * _borders(forest, probabilities.node)


def _edges(forest: Forest, chances: Floats) -> Floats:
    """Return probabilities of dependencies: of the two heads in a phrase, one is the phrase's, the other depends on it.

    All phrases over the whole sentence are one node, which names one head of perhaps several; where that is neither part's, both
    are taken as equally probable.
    """
    size = len(forest.forms) + 1
    probabilities = np.zeros((size, size))
    for edge, probability in zip(forest.edges, chances, strict=True):
        left, right = (forest.nodes[part].head + 1 for part in (edge.left, edge.right))
        head = forest.nodes[edge.parent].head + 1
        ways = [(left, right)] if head == left else [(right, left)] if head == right else [(left, right), (right, left)]
        for h, c in ways:
            probabilities[h, c] += probability / len(ways)
            if edge.parent == forest.root:
                probabilities[0, h] += probability / len(ways)
    if size == 2:
        probabilities[0, 1] = 1.0
    return probabilities


def _borders(forest: Forest, probabilities: Floats) -> Floats:
    """Expected phrases of several words, virtual ones too, that hold one end of the edge and not the other; none at the root."""
    size = len(forest.forms) + 1
    holds = np.zeros((len(forest.nodes), size))
    for k, node in enumerate(forest.nodes):
        if node.end - node.start > 1:
            holds[k, node.start + 1 : node.end + 1] = 1.0
    both = (holds * probabilities[:, None]).T @ holds
    alone = np.diag(both)
    borders = alone[:, None] + alone[None, :] - 2 * both
    borders[0, :] = alone - alone.min()
    borders[:, 0] = 0.0
    return borders


LONGEST = 250
"""Words up to which all bracketings are weighed; a longer sentence is projected by S1."""


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
class HeadPosteriors:
    """The chart's results for a sentence: probabilities of edges [h, c] and of the borders [h, s], [h, t] of phrases."""

    linked: LinkedPair
    codes: NDArray[np.int8]
    edges: Floats
    lefts: Floats
    rights: Floats

    heads: tuple[int, ...]
    """The projective tree whose edges are most probable together."""


class Priors(Protocol):
    """What is known of a sentence from elsewhere: tags of its words, and log weights [head, child] of its edges."""

    def tags(self, linked: LinkedPair) -> tuple[str, ...]: ...

    def scores(self, linked: LinkedPair) -> Floats: ...

    def part(self, text: Sequence[ProjectionInput]) -> Priors: ...


@dataclass(frozen=True)
class PhraseState:
    """What s5 has learned from a text; `S5.adapt` returns one, `S5.project` takes it."""

    links: InducedLinks = field(default_factory=InducedLinks)
    cues: Cues = field(default_factory=Cues)
    words: int = 0
    """Words of the text, or more where sentences are long: compiled charts pay when there are many."""
    likelihoods: tuple[float, ...] = ()
    """Log likelihood of the text after each round."""
    forests: Mapping[tuple[str, ...], Forest] = field(default_factory=dict)
    """Parses of F by the words of the sentence."""
    phrases: PhraseBook = field(default_factory=PhraseBook)
    priors: Priors | None = None

    def tag(self, linked: LinkedPair) -> LinkedPair:
        """Return the pair with the tags that are known from elsewhere."""
        return replace(linked, tags=self.priors.tags(linked)) if self.priors else linked

    def encode(self, linked: LinkedPair) -> EncodedSentence:
        """Return a sentence as arrays for the chart, with what its forest says."""
        known = [of_forest(self.forests[linked.sentence.forms])] if linked.sentence.forms in self.forests else []
        if (paired := self.phrases.scores(linked.sentence)) is not None:
            known.append(paired)
        if self.priors:
            known.append(self.priors.scores(linked))
        return self.cues.encode(linked, self.words, sum(known[1:], known[0]) if known else None)

    def part(self, text: Sequence[ProjectionInput]) -> PhraseState:
        """Return what these sentences need to be projected in another process: all that was learned, and their own forests."""
        forms = {sentence.forms for sentence in text}
        forests = {key: forest for key, forest in self.forests.items() if key in forms}
        priors = self.priors.part(text) if self.priors else None
        return replace(self, links=self.links.part(text), forests=forests, likelihoods=(), priors=priors)


@dataclass(frozen=True)
class S5:
    """System s5: the best F tree among all headed bracketings of F, its phrases paired with those of the E tree.

    `adapt` goes through unannotated bitext (all that a user has: words, glosses, links, E trees; never an F tree), looks
    for links of words that have none, and learns what heads words choose. Then `project` reads dependencies off the best
    bracketing: the head of an F phrase holds the image of the E head, and an unlinked word depends, inside the phrase that
    contains it, on the word that its kind chooses elsewhere. Confidences are the chart's posteriors.
    """

    weights: RelationWeights = field(default_factory=RelationWeights)
    rounds: int = OBSERVING_ROUNDS
    induce_links: bool = True
    """Whether unlinked words are given links by word alignment of the text."""
    code: str = "s5"
    adapts: bool = True

    def adapt(
        self,
        text: Iterable[ProjectionInput],
        evidence: TextEvidence = NO_EVIDENCE,
        *,
        links: InducedLinks | None = None,
        priors: Priors | None = None,
    ) -> PhraseState:
        """Learn from a text without F trees.

        Parses of F (a parser's chart, n-best lists, an induced grammar's chart) in the `evidence` are found by their words; without
        one a sentence may be bracketed in any way. `links` are those that were induced from the same text before; they are
        not induced again.
        """
        sentences = [b for b in text if 0 < len(b) <= LONGEST]
        phrases = evidence.phrases or PhraseBook()
        if links is None:
            links = InducedLinks(more=phrases.links)
            if self.induce_links:
                links.observe(sentences)
        linked = [links.of(b) for b in sentences]
        words = max(sum(map(len, sentences)), sum(len(b) ** 2 for b in sentences) // SQUARES)
        forests = {forest.forms: forest for forest in evidence.forests}
        state = PhraseState(links, Cues(), words, (), forests, phrases, priors or self.priors_for(linked))
        linked = [*map(state.tag, linked)]
        cues = Cues.of(linked)
        state = replace(state, cues=cues)
        if linked:
            encoded = [state.encode(each) for each in linked]
            state = replace(state, likelihoods=tuple(cues.learn(encoded, self.weights.table, self.rounds)))
        return state

    def together(self, text: Sequence[ProjectionInput], state: PhraseState) -> PhraseState:
        """Return the state: each sentence has a chart of its own."""
        return state

    def priors_for(self, linked: Sequence[LinkedPair]) -> Priors | None:
        """Return what is known of the text from elsewhere; of s5 alone, nothing."""
        return None

    def posteriors(self, sentence: ProjectionInput, state: PhraseState | None = None) -> HeadPosteriors:
        """Return the probabilities of all edges and phrase borders."""
        if state is None or not len(state.cues.choice):
            state = self._alone(sentence, state or PhraseState())
        linked = state.tag(state.links.of(sentence))
        encoded = state.encode(linked)
        sums = self._sums(encoded, state)
        heads = np.zeros(len(encoded.words), np.int64)
        eisner.for_work(state.words, len(heads))(sums[0], heads)
        return HeadPosteriors(linked, encoded.codes, *sums, tuple(heads[1:].tolist()))

    def _sums(self, encoded: EncodedSentence, state: PhraseState) -> tuple[Floats, Floats, Floats]:
        edges, lefts, rights = (np.empty(encoded.codes.shape) for _ in range(3))
        sums = chart.phrase_sums.for_work(state.words, len(edges))
        sums(self.scores(encoded, state), edges, lefts, rights)
        return edges, lefts, rights

    def scores(self, encoded: EncodedSentence, state: PhraseState) -> Floats:
        """Return the log weights of all edges."""
        scores = np.empty(encoded.codes.shape)
        x, cues = encoded, state.cues
        fill = chart.arc_scores.for_work(state.words, len(scores))
        fill(x.words, x.tags, x.kinds, x.codes, self.weights.table, cues.choice, cues.far, scores)
        return scores if x.extra is None else scores + x.extra

    def project(self, sentence: ProjectionInput, state: PhraseState | None = None) -> Projection:
        """Return the best tree, with the reason and the probability of each edge."""
        if not 0 < len(sentence) <= LONGEST:
            return s1(sentence)
        if state is None or not len(state.cues.choice):  # no text: adapt to the sentence alone
            state = self._alone(sentence, state or PhraseState())
        return self.read_off(sentence, self.posteriors(sentence, state), state)

    def _alone(self, sentence: ProjectionInput, state: PhraseState) -> PhraseState:
        known = TextEvidence(tuple(state.forests.values()), state.phrases)
        return self.adapt([sentence], known, priors=state.priors)

    def read_off(self, sentence: ProjectionInput, posteriors: HeadPosteriors, state: PhraseState) -> Projection:
        """Return the projection that the chart makes most probable."""
        moved = [-1, *posteriors.heads]
        content_root(sentence, moved, ["guess"] * len(moved))
        heads = tuple(moved[1:])
        confidence = tuple(min(1.0, float(posteriors.edges[h, c])) for c, h in enumerate(heads, 1))
        reasons = tuple(_reason(posteriors, h, c) for c, h in enumerate(heads, 1))
        linked = Projection(posteriors.linked.sentence, heads, reasons)
        tags = posteriors.linked.tags or tuple(
            "PUNCT" if not any(map(str.isalnum, form)) else tag if tag not in ("PUNCT", "_") else word_class
            for form, tag, word_class in zip(sentence.forms, posteriors.linked.sentence.upos, sentence.classes, strict=True)
        )
        return Projection(sentence, heads, reasons, confidence, linked.projected_deprels, tags)

    def phrases(self, sentence: ProjectionInput, state: PhraseState | None = None) -> tuple[ProjectedPhrase, ...]:
        """Return the phrase pairs of the best tree, larger F phrases first."""
        if not 0 < len(sentence) <= LONGEST:
            return ()
        posteriors = self.posteriors(sentence, state)
        linked = posteriors.linked.sentence
        f_below, e_below = subtrees(posteriors.heads), subtrees(linked.e_heads[1:])
        pairs = []
        for head, anchor in enumerate(linked.anchors):
            if anchor:
                words = f_below[head]
                probability = float(posteriors.lefts[head, words[0]] * posteriors.rights[head, words[-1]])
                pairs.append(ProjectedPhrase(head, anchor, words, e_below[anchor], min(1.0, probability)))
        return tuple(sorted(pairs, key=lambda pair: (-len(pair.f_words), pair.f_head)))


def _reason(posteriors: HeadPosteriors, head: int, child: int) -> Reason:
    code = posteriors.codes[head, child]
    if not posteriors.linked.sentence.links.links:
        return "guess"
    if posteriors.linked.kinds[child] == UNLINKED:
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
def cached_state(text: tuple[ProjectionInput, ...]) -> PhraseState:
    """Return what s5 learns from a text; folds of one corpus ask for the same."""
    return S5().adapt(text)
