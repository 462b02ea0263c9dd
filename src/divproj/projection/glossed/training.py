"""Learning the model of glossed text from treebanks with glosses and translations, whole families held out in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from divproj.core.sentence import Rows
from divproj.core.tree import DepTree
from divproj.links.grams import Grams
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed import linear
from divproj.projection.glossed.facts import EnglishLexicon, Glosses, Usage, WordFacts, in_capitals, usage_of, words_of
from divproj.projection.glossed.linear import WordOrder, label_features, tagger_features
from divproj.projection.glossed.model import FULL_WORDS, RELS, GlossModel, InputEncoder, SentenceInput, word_order
from divproj.projection.glossed.s6 import PUNCT, S6, GlossAnalysis, GlossPriors, GlossStatistics, direct, encode, phrase_edges
from divproj.projection.phrasal.s5 import S5
from divproj.ud.tagsets import LABELS, UPOS

TAGGER_STEPS: dict[str, Any] = {"passes": 4, "rate": 0.06, "decay": 3e-2}
"""Passes, step and decay of the step in learning the tagger."""
EDGE_STEPS: dict[str, Any] = {"passes": 3, "rate": 0.015, "decay": 0.1}
"""Passes, step and decay of the step in learning the edges."""
RELATION_STEPS: dict[str, Any] = {"passes": 4, "rate": 0.06, "decay": 3e-2}
"""How the models learn; tags and edges chosen with five groups of families held out, relations as tags."""


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Say = Callable[[str], None]


@dataclass
class GlossedTreebank:
    """A glossed treebank: what projection may see of it, and its gold trees."""

    name: str
    family: str
    sentences: list[ProjectionInput]
    gold: list[DepTree]
    words: list[list[WordFacts]] = field(default_factory=list, repr=False)
    usage: dict[str, Usage] = field(default_factory=dict, repr=False)
    reads: list[GlossAnalysis] = field(default_factory=list, repr=False)
    order: WordOrder = field(default_factory=lambda: WordOrder({}), repr=False)
    inputs: list[SentenceInput] = field(default_factory=list, repr=False)
    text: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), repr=False)
    """Its word order, for the networks."""
    rows: list[Rows] = field(default_factory=list, repr=False)
    """The gold rows, where a benchmark wants more than trees."""
    tagged: bool = True
    """Whether tags are learned from it; not where the glosses were made by the tags."""

    def look(self, grams: Grams, english: EnglishLexicon) -> None:
        """Take its glosses apart."""
        glosses = Glosses(grams, english, in_capitals(self.sentences))
        self.words = [words_of(b, glosses) for b in self.sentences]
        self.usage = usage_of(self.words)

    def encode(self, encoder: InputEncoder) -> None:
        """Make what the networks see of it; `look` comes first."""
        self.inputs = encode(self.sentences, self.words, encoder, S5().adapt(self.sentences), self.usage)
        self.text = word_order(self.inputs)

    def numbers(self) -> list[tuple[Ints, Ints]]:
        """Gold relations (places in `inputs.RELS`) and tags of the real words; -1 where there is none of UD."""
        targets = []
        for s, tree in zip(self.inputs, self.gold, strict=True):
            deprels = [tree.deprels[word - 1].partition(":")[0] for word in s.real]
            tags = [tree.upos[word - 1] for word in s.real]
            targets.append((_places(deprels, RELS), _places(tags, UPOS)))
        return targets

    def heads(self) -> list[Ints]:
        """Gold heads among real words; -1 where the head is punctuation or missing."""
        targets = []
        places = [s.real for s in self.inputs] or [r.edge_input.real for r in self.reads]
        for real, tree in zip(places, self.gold, strict=True):
            place = {word: k for k, word in enumerate(real, 1)} | {0: 0}
            targets.append(np.array([place.get(tree.heads[word - 1], -1) for word in real], np.int64))
        return targets


@dataclass
class FoldWeights:
    """Weights learned without one family."""

    tagger: NDArray[np.float32]
    plain: NDArray[np.float32]
    linked: NDArray[np.float32]
    labels: NDArray[np.float32]


def _places(values: Sequence[str], names: Sequence[str]) -> Ints:
    return np.array([names.index(value) if value in names else -1 for value in values], np.int64)


def _trust(words: int, count: int) -> Floats:
    return np.full(count, min(1.0, (FULL_WORDS / max(words, 1)) ** 0.5))


def _pad_rows(rows: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    width = max((x.shape[1] for x in rows), default=0)
    return np.ascontiguousarray(np.concatenate([np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in rows]))


def _tag_rows(bank: GlossedTreebank) -> tuple[NDArray[np.int32], Ints, Floats]:
    """Features, tags and trust of all words that are no punctuation."""
    feature_rows = _pad_rows([tagger_features(words, bank.usage) for words in bank.words])
    right = np.array([UPOS.index(t) if t in UPOS else -1 for tree in bank.gold for t in tree.upos], np.int64)
    marks = np.array([w.mark for words in bank.words for w in words])
    keep = (right >= 0) & (right != PUNCT) & ~marks
    return feature_rows[keep], right[keep], _trust(int(keep.sum()), int(keep.sum()))


def _read_with(bank: GlossedTreebank, weights: NDArray[np.float32]) -> None:
    bank.reads = []
    for sentence, words in zip(bank.sentences, bank.words, strict=True):
        probabilities = linear.class_chances(tagger_features(words, bank.usage), weights)
        probabilities[:, PUNCT] = 1e-6
        probabilities[np.array([w.mark for w in words])] = np.eye(len(UPOS))[PUNCT]
        bank.reads.append(
            GlossAnalysis(linear.edge_input(sentence, words, probabilities / probabilities.sum(1, keepdims=True)))
        )


Questions = tuple[NDArray[np.int32], Ints, Ints, Floats]


def _questions(
    bank: GlossedTreebank, names: Sequence[str], given: Mapping[str, Sequence[Floats]], order: WordOrder
) -> tuple[Questions, Questions]:
    """Questions with an answer, to learn from; and all of them."""
    edges = linear.edges_of([r.edge_input for r in bank.reads], given, order)
    index = linear.features(edges, names)
    gold = np.concatenate(bank.heads())
    kid = np.concatenate([np.arange(1, len(r.edge_input) + 1) for r in bank.reads])
    offset = gold - (gold > kid)
    sizes = np.diff(edges.starts)
    keep = gold >= 0
    starts = np.concatenate([[0], np.cumsum(sizes[keep])]).astype(np.int64)
    trust = _trust(int(keep.sum()), int(keep.sum()))
    some = index[np.repeat(keep, sizes)], starts, starts[:-1] + offset[keep], trust
    return some, (index, edges.starts, np.zeros(0, np.int64), np.zeros(0))


def _together(parts: Sequence[Questions]) -> Questions:
    ends = np.cumsum([0, *(len(p[0]) for p in parts)])
    starts = np.concatenate([*(p[1][:-1] + low for p, low in zip(parts, ends[:-1], strict=True)), ends[-1:]]).astype(np.int64)
    right = np.concatenate([p[2] + low for p, low in zip(parts, ends[:-1], strict=True)])
    return np.concatenate([p[0] for p in parts]), starts, right, np.concatenate([p[3] for p in parts])


def _fill(bank: GlossedTreebank, flat: Floats, name: Literal["plain", "linked"]) -> None:
    """Put probabilities of all edges of a bank into the field `plain` or `linked` of its analyses."""
    at = 0
    for k, read in enumerate(bank.reads):
        n = len(read.edge_input)
        matrix = np.zeros((n + 1, n + 1))
        matrix.T[1:][~np.eye(n + 1, dtype=bool)[1:]] = flat[at : at + n * n]
        bank.reads[k] = replace(read, plain=matrix) if name == "plain" else replace(read, linked=matrix)
        at += n * n


def _label_rows(bank: GlossedTreebank) -> tuple[NDArray[np.int32], Ints, Floats]:
    rows, right = [], []
    for read, tree, heads in zip(bank.reads, bank.gold, bank.heads(), strict=True):
        rows.append(label_features(read.edge_input, np.maximum(heads, 0).tolist()))
        names = [tree.deprels[word - 1].partition(":")[0] for word in read.edge_input.real]
        right += [LABELS.index(r) if r in LABELS and h > 0 else -1 for r, h in zip(names, heads, strict=True)]
    answer = np.array(right, np.int64)
    keep = answer >= 0
    return _pad_rows(rows)[keep], answer[keep], _trust(int(keep.sum()), int(keep.sum()))


def _learn_class(
    parts: Sequence[tuple[NDArray[np.int32], Ints, Floats]], size: int, classes: int, how: dict[str, Any]
) -> NDArray[np.float32]:
    index = _pad_rows([p[0] for p in parts])
    return linear.fit_class(
        index, np.concatenate([p[1] for p in parts]), np.concatenate([p[2] for p in parts]), size, classes, **how
    )


def learn(
    banks: Sequence[GlossedTreebank], english: EnglishLexicon, grams: Grams, on_message: Say = lambda text: None
) -> tuple[GlossModel, dict[str, FoldWeights]]:
    """The model of all banks, and for each family the weights learned without it.

    The inputs of the linked model for a treebank (tags, plain probabilities, s5) come from models that did not see its family.
    """
    for bank in banks:
        bank.look(grams, english)
    families = sorted({bank.family for bank in banks})
    none = np.zeros(0, np.float32)
    folds = {family: FoldWeights(none, none, none, none) for family in families}
    rows = [_tag_rows(bank) for bank in banks]

    def others(parts: Sequence[Any], family: str) -> list[Any]:
        return [part for part, bank in zip(parts, banks, strict=True) if bank.family != family]

    for family in families:
        folds[family].tagger = _learn_class(others(rows, family), linear.TAG_FEATURES, len(UPOS), TAGGER_STEPS)
    full_tagger = _learn_class(rows, linear.TAG_FEATURES, len(UPOS), TAGGER_STEPS)
    on_message("tagger learned")
    for bank in banks:
        _read_with(bank, folds[bank.family].tagger)
        seen = [r.edge_input for r in bank.reads]
        bank.order = WordOrder.of(seen, [direct(s) for s in seen])
    asked = [_questions(bank, linear.PLAIN, {}, bank.order) for bank in banks]
    for family in families:
        folds[family].plain = linear.fit_choice(
            *_together(others([a for a, _ in asked], family)), linear.EDGE_FEATURES, **EDGE_STEPS
        )
    full_plain = linear.fit_choice(*_together([a for a, _ in asked]), linear.EDGE_FEATURES, **EDGE_STEPS)
    for bank, (_, every) in zip(banks, asked, strict=True):
        _fill(bank, linear.choice_chances(every[0], every[1], folds[bank.family].plain), "plain")
    on_message("edges without translation learned")
    model = GlossModel(english, full_tagger, full_plain, none, none)
    for bank in banks:
        priors = GlossPriors(S6(model, grams), GlossStatistics(), dict(zip(bank.sentences, bank.reads, strict=True)))
        chart = S5().adapt(bank.sentences, priors=priors)
        both = zip(bank.sentences, bank.reads, strict=True)
        bank.reads = [replace(read, phrases=phrase_edges(sentence, read, chart)) for sentence, read in both]
        bank.order = WordOrder.of([r.edge_input for r in bank.reads], [r.phrases for r in bank.reads])
    on_message("phrases of all banks weighed")
    _learn_with_translation(banks, model, folds, others)
    on_message("edges with translation learned")
    return model, folds


def _learn_with_translation(
    banks: Sequence[GlossedTreebank],
    model: GlossModel,
    folds: dict[str, FoldWeights],
    others: Callable[[Sequence[Any], str], list[Any]],
) -> None:
    asked = []
    for bank in banks:
        given = {"p5": [r.phrases for r in bank.reads], "pa": [r.plain for r in bank.reads]}
        asked.append(_questions(bank, linear.PLAIN + linear.LINKED, given, bank.order))
    rows = [_label_rows(bank) for bank in banks]
    for family, fold in folds.items():
        fold.linked = linear.fit_choice(*_together(others([a for a, _ in asked], family)), linear.EDGE_FEATURES, **EDGE_STEPS)
        fold.labels = _learn_class(others(rows, family), linear.LABEL_FEATURES, len(LABELS), RELATION_STEPS)
    model.linked = linear.fit_choice(*_together([a for a, _ in asked]), linear.EDGE_FEATURES, **EDGE_STEPS)
    model.labels = _learn_class(rows, linear.LABEL_FEATURES, len(LABELS), RELATION_STEPS)
    for bank, (_, every) in zip(banks, asked, strict=True):
        _fill(bank, linear.choice_chances(every[0], every[1], folds[bank.family].linked), "linked")
