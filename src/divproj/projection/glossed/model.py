"""The model of glossed text that s6 uses: its inputs, its networks, the word orders of its treebanks, and its folder.

Inputs. `InputEncoder` turns a sentence into numbers (`SentenceInput`): rows of small tables for each word (`COLUMNS`) and
each possible edge (`EDGE`), and vectors of glosses and linked E words. F forms are never an input, since what is learned must
hold for unseen languages. 0 in a column means "nothing". `word_order` describes the text as a whole, without gold trees.

Networks. A network predicts tags, heads and relations of a sentence together; here it runs forward in numpy. A BiLSTM reads
the words; tags are predicted from its output and are an input of the rest; an edge is scored by a product of its two ends and
a small layer over both ends, the link code, the distance and the probability by s5 (Dozat & Manning 2017).

Similarity of word order. Words attach as in languages whose word order is like that of the text. The model has for each of
its treebanks the word order and counts of where words of each tag attach. The treebanks are weighted by their similarity to
the text, and

    log  P(side, next or further, tag of the head | tag)  in the similar treebanks  /  the same in all treebanks

is added to the scores of edges. Where nothing is known of the order of a text, all weights are equal and nothing is added.

`GlossModel` has all of these, with the linear models of `linear`; it is saved in a folder (`languages/glossed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ModelError, ProjError, Where
from divproj.core.tree import DepTree
from divproj.parsing.network import Layer
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed import linear
from divproj.projection.glossed.facts import ROLES, EnglishLexicon, GivenTags, Gloss, Usage, WordFacts
from divproj.projection.phrasal import chart
from divproj.runtime import modelfile
from divproj.runtime.resources import folder
from divproj.runtime.vectors import WordVectors
from divproj.text.stems import english_words
from divproj.ud.tagsets import LABELS, UPOS, universal

LOWEST_LOG = 6.0
"""Logarithms of s5's probabilities down to minus this are distinguished."""
SMALL_WEIGHT = 2e-3
"""Weights closer to zero than this are not saved."""
NEAR_TEMPERATURE = 0.03
"""Mean squared difference of two word orders (sides from -1 to 1) that divides the weight of a treebank by e."""
NEAR_TRUST, NEAR_COUNT = 50.0, 0.5
"""Pseudo-counts with which attachments in near treebanks are drawn to those in all, and those in all to even. Share (0.15 to 0.8), temperature (0.01
to 0.2) and trust (5 to 300) chosen with Chadic, Sinitic, Chibchan, Athabaskan, Uto-Aztecan, Turkic and Uralic banks held out."""
NEAR_EVIDENCE = 1.0
"""Evidence (logarithms of counts, added up over relations) at which half of the difference of two word orders counts; the only value tried."""
FULL_WORDS = 1000
"""Words of a treebank from which each further word counts less, so that large treebanks do not dominate."""


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
TAG = {tag: k + 1 for k, tag in enumerate(UPOS)}
RELS = ("root", *LABELS)
REL = {rel: k + 1 for k, rel in enumerate(RELS)}
ROLE = {role: k + 2 for k, role in enumerate(sorted({role for _, role in ROLES}))} | {"?": 1}
LINKS, SHAPES = "USMG", "SGB-"
PERSONS = ("1", "2", "3", "4", "12", "13", "23", "0")
NUMBERS = ("", "SG", "PL", "DU")
MOST = 5
"""Grams of a gloss that are seen."""
COLUMNS: dict[str, int] = {
    "lexical": len(TAG) + 1, "second": len(TAG) + 1, "doubt": 7, "shape": 5, "e_tag": len(TAG) + 1, "e_rel": len(REL) + 1, "link": 5,
    "share": 7, "linked": 7, "usual": len(TAG) + 1, "first": 6, "last": 6, "person": 4 * len(PERSONS) + 2, "look": 17, "marks": 6,
    "up_tag": len(TAG) + 1, "up_rel": len(REL) + 1, "words": 9, "role": len(ROLE) + 2,
}  # fmt: skip
"""Columns of a word and how many values each has."""
OF_GLOSS = ("lexical", "second", "doubt", "shape", "person", "words", "role")
OF_LINKS = ("e_tag", "e_rel", "link", "linked", "usual", "up_tag", "up_rel")
EDGE = {"far": 17, "marks": 4, "code": len(chart.RELATIONS), "rank": 4}
"""Columns of an edge."""
ORDERED = (
    "nsubj", "obj", "obl", "iobj", "case", "nmod", "amod", "det", "aux", "mark", "advmod", "cop", "ccomp", "xcomp", "acl", "advcl",
    "conj", "cc", "compound", "nummod",
)  # fmt: skip
"""Relations whose side the word order of a text is made of."""
ORDER = 2 * len(ORDERED) + len(SHAPES) + len(LINKS) + 1
_FAR = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, *[6] * 6, 7])


@dataclass(frozen=True)
class GramNumbers:
    """Grams and their kinds by number; 0 is none, 1 one that is not among them."""

    grams: tuple[str, ...]
    kinds: tuple[str, ...]
    gram: dict[str, int] = field(init=False, repr=False, compare=False)
    kind: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "gram", {name: k + 2 for k, name in enumerate(self.grams)})
        object.__setattr__(self, "kind", {name: k + 2 for k, name in enumerate(self.kinds)})


@dataclass(frozen=True)
class SentenceInput:
    """A sentence without its punctuation; matrices are [head, child] with the root at place 0."""

    real: list[int]
    """Places (from 1) of the words that are no punctuation."""
    columns: Ints
    """[word, column] of `COLUMNS`."""
    grams: Ints
    kinds: Ints
    gloss: Singles
    """Vectors of the glosses."""
    linked: Singles
    """Vectors of the E words."""
    edges: Ints
    """[column, head, child] of `EDGE`."""
    phrases: Floats
    """Probabilities of edges by s5, of each word together 1."""
    codes: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.real)

    @property
    def phrase_log_scores(self) -> Singles:
        """Logarithms of s5's probabilities, from 0 to 1."""
        return np.asarray(np.log(np.maximum(self.phrases, np.exp(-LOWEST_LOG))) / LOWEST_LOG + 1, np.float32)


@dataclass
class InputEncoder:
    """Makes the inputs of a text; vectors of glosses and rows of grams are cached."""

    names: GramNumbers
    vectors: WordVectors
    """Of English words."""
    language: str = "en"
    """Of the glosses; words of another language than English are looked up by what they are in English."""
    _means: dict[tuple[str, tuple[str, ...]], Singles] = field(default_factory=dict, repr=False)
    _rows: dict[Gloss, tuple[list[int], list[int]]] = field(default_factory=dict, repr=False)

    def sentence(
        self, sentence: ProjectionInput, words: Sequence[WordFacts], usage: Mapping[str, Usage], phrases: Floats
    ) -> SentenceInput:
        """`phrases` [head, child] are s5's probabilities for all words."""
        real = [k for k, w in enumerate(words, 1) if not w.mark] or list(range(1, len(words) + 1))
        keep = np.array([0, *real])
        codes = np.zeros((len(sentence) + 1,) * 2, np.int8)
        chart.relate.for_work(5000)(np.array(sentence.anchors, np.int32), np.array(sentence.e_heads, np.int32), codes)
        codes = np.ascontiguousarray(codes[np.ix_(keep, keep)])
        edge_probabilities = phrases[np.ix_(keep, keep)].copy() if any(sentence.anchors) else np.ones((len(keep),) * 2)
        np.fill_diagonal(edge_probabilities, 0.0)
        edge_probabilities[:, 0] = 0.0
        edge_probabilities /= np.maximum(edge_probabilities.sum(0), 1e-9)
        marks = np.cumsum([0, *(w.mark for w in words)])[keep]
        tags = [TAG.get(universal(tag), 0) for tag in sentence.e.tags()]
        deprels = [REL.get(rel.partition(":")[0], 0) for rel in sentence.e.deprels] or [0] * len(tags)
        columns = np.array([self._columns(k, words, usage, sentence, tags, deprels) for k in real], np.int64)
        rows = [self._grams(words[k - 1].gloss) for k in real]
        e_words = [(sentence.e.forms[a - 1].lower(),) if (a := sentence.anchors[k]) else () for k in real]
        return SentenceInput(
            real,
            columns.reshape(len(real), len(COLUMNS)),
            np.array([row[0] for row in rows], np.int64).reshape(-1, MOST),
            np.array([row[1] for row in rows], np.int64).reshape(-1, MOST),
            np.array([self._mean(words[k - 1].gloss.words, self.language) for k in real], np.float32).reshape(len(real), -1),
            np.array([self._mean(w, sentence.e_language or "en") for w in e_words], np.float32).reshape(len(real), -1),
            edge_columns(codes, marks, edge_probabilities),
            edge_probabilities,
            codes,
        )

    def _columns(
        self,
        k: int,
        words: Sequence[WordFacts],
        usage: Mapping[str, Usage],
        sentence: ProjectionInput,
        tags: list[int],
        deprels: list[int],
    ) -> list[int]:
        w = words[k - 1]
        gloss, used = w.gloss, usage.get(w.form.lower()) or Usage(0, "", 0, 0, 0)
        anchor = sentence.anchors[k]
        up = sentence.e_heads[anchor] if anchor else 0
        title = w.form[:1].isupper() and w.form[1:].islower()
        look = 1 + title + 2 * (k == 1) + 4 * (w.form[:1] in "-=") + 8 * (w.form[-1:] in "-=")
        marks = 1 + (k > 1 and words[k - 2].mark) + 2 * (k < len(words) and words[k].mark)
        return [
            TAG.get(w.lexical, 0), TAG.get(w.doubt[:-1], 0), int(w.doubt[-1]) + 1 if w.doubt else 0, SHAPES.index(gloss.shape) + 1,
            TAG.get(w.e_tag, 0), REL.get(w.e_rel, 0), LINKS.index(w.link) + 1, used.share + 1, used.linked + 1,
            TAG.get(used.e_tag, 0), used.first + 1, used.last + 1, _person(gloss), look, marks, tags[up - 1] if up > 0 else 0,
            deprels[up - 1] if up > 0 else 0, 1 + min(3, len(gloss.words)) + 4 * (w.stem == w.form.lower()), ROLE.get(gloss.role, 0),
        ]  # fmt: skip

    def _grams(self, gloss: Gloss) -> tuple[list[int], list[int]]:
        """Grams and kinds; the person of an auxiliary is left out, so that languages with and without it look alike."""
        numbers = self._rows.get(gloss)
        if numbers is None:
            shown = [
                (self.names.gram.get(gram, 1), self.names.kind.get(kind, 1))
                for gram, kind in zip(gloss.grams, gloss.kinds, strict=True)
                if kind != "person" or gloss.role != "aux"
            ][:MOST]
            shown += [(0, 0)] * (MOST - len(shown))
            numbers = self._rows[gloss] = [a for a, _ in shown], [b for _, b in shown]
        return numbers

    def _mean(self, words: tuple[str, ...], language: str) -> Singles:
        mean = self._means.get((language, words))
        if mean is None:
            english = words if language == "en" else [each for word in words for each in english_words(word, language)]
            known = [v for word in english if (v := self.vectors.vector(word)) is not None]
            mean = np.mean(known, 0, dtype=np.float32) if known else np.zeros(self.vectors.size, np.float32)
            self._means[language, words] = mean
        return mean


def _person(gloss: Gloss) -> int:
    if not gloss.persons or gloss.role == "aux":
        return 0
    text = gloss.persons[0]
    number = next((k for k, name in enumerate(NUMBERS) if name and name in text), 0)
    person = max((p for p in PERSONS if text.startswith(p)), key=len, default="0")
    return 1 + len(NUMBERS) * PERSONS.index(person) + number


def edge_columns(codes: NDArray[np.int8], marks: Ints, phrases: Floats) -> Ints:
    """Return the columns of edges: side and distance, punctuation between, relation of the E words, rank by s5."""
    places = np.arange(len(codes))
    gap = places[:, None] - places[None]
    far = _FAR[np.minimum(np.abs(gap), 15)] + 8 * (gap > 0)
    far[0] = 16
    between = np.minimum(np.abs(marks[:, None] - marks[None]), 2)
    between[0] = 3
    top = phrases.max(0, keepdims=True)
    rank = np.where(phrases >= top, 0, np.where(phrases > 0.4 * top, 1, np.where(phrases > 0.1 * top, 2, 3)))
    return np.stack([far, between, codes.astype(np.int64), rank])


def word_order(sentences: Sequence[SentenceInput]) -> Singles:
    """Return the word order of a text: sides of heads by s5 for each relation of E, and shares of glosses and links."""
    before, after = np.zeros(len(REL) + 1), np.zeros(len(REL) + 1)
    rel_at = list(COLUMNS).index("e_rel")
    for s in sentences:
        probabilities = np.where(s.phrases > 0.05, s.phrases, 0.0)
        probabilities[0] = 0.0
        np.add.at(before, s.columns[:, rel_at], np.triu(probabilities, 1).sum(0)[1:])
        np.add.at(after, s.columns[:, rel_at], np.tril(probabilities, -1).sum(0)[1:])
    at = [REL[rel] for rel in ORDERED]
    both = before[at] + after[at]
    sides = np.stack([(after[at] - before[at]) / (both + 4.0), np.log1p(both) / 5], 1).ravel()
    table = np.concatenate([s.columns for s in sentences]) if sentences else np.zeros((0, len(COLUMNS)), np.int64)
    names = list(COLUMNS)
    shares = [
        float((table[:, names.index(name)] == k + 1).mean()) if len(table) else 0.0
        for name, values in (("shape", SHAPES), ("link", LINKS))
        for k in range(len(values))
    ]
    length = float(np.mean([len(s) for s in sentences])) / 20 if sentences else 0.0
    return np.array([*sides, *shares, min(length, 2.0)], np.float32)


WAYS = 4 * len(UPOS) + 1
"""Where a word may attach: to the word before, further before, after, further after, each by the tag of the head; and the root, last."""
SIDES = 2 * len(ORDERED)
"""Numbers of a word order (`inputs.word_order`) that say on which side dependents are, and on how much text that rests."""


@dataclass(frozen=True)
class WordOrderSimilarity:
    """Word orders and attachments of treebanks."""

    banks: tuple[str, ...] = ()
    orders: Singles = field(default_factory=lambda: np.zeros((0, SIDES), np.float32))
    counts: Singles = field(default_factory=lambda: np.zeros((0, len(UPOS), WAYS), np.float32))
    """[bank, tag, way]"""

    def weights(self, order: Singles) -> Floats:
        """Of the treebanks, together 1: exp(−d / temperature), d the mean squared difference of sides on which both have evidence."""
        sides = order[:SIDES].astype(np.float64)
        known = np.minimum(sides[1::2], self.orders[:, 1::2])
        apart = (known * (sides[::2] - self.orders[:, ::2]) ** 2).sum(1) / (known.sum(1) + NEAR_EVIDENCE)
        weights: Floats = np.exp(-(apart - apart.min()) / NEAR_TEMPERATURE)
        return np.asarray(weights / weights.sum())

    def leaning(self, order: Singles) -> Floats:
        """Log ratios [tag, way] of the near treebanks to all."""
        usual = _shares(self.counts.sum(0, dtype=np.float64) + NEAR_COUNT)
        weights = len(self.banks) * self.weights(order)
        near = _shares(np.tensordot(weights, self.counts, 1) + NEAR_COUNT + NEAR_TRUST * usual)
        return np.asarray(np.log(near / usual))


def ways(edges: Floats, tags: Floats) -> Floats:
    """Expected ways of attachment [word, way] of the words of a sentence, by the probabilities of its edges [head, child] and tags."""
    size, places = len(UPOS), np.arange(1, len(edges))
    gap = places[:, None] - places[None]
    way = 2 * (gap > 0) + (np.abs(gap) > 1)
    counts = np.zeros((len(tags), WAYS))
    for k in range(4):
        counts[:, k * size : (k + 1) * size] = (edges[1:, 1:] * (way == k)).T @ tags
    counts[:, -1] = edges[0, 1:]
    return counts


def leanings(leaning: Floats, tags: Floats) -> Floats:
    """Log ratios of all edges [head, child] of a sentence, expected over the probabilities of its tags [word, tag].

    `leaning` is [tag, way].
    """
    return word_leanings(tags @ leaning, tags)


def word_leanings(leaning: Floats, tags: Floats) -> Floats:
    """Log ratios of all edges [head, child] of a sentence, from those of each word [word, way]."""
    n, size = tags.shape
    log_ratios = np.zeros((n + 1, n + 1))
    places = np.arange(n + 1)
    gap = places[:, None] - places[None, 1:]
    way = 2 * (gap > 0) + (np.abs(gap) > 1)
    by_way = np.stack([tags @ leaning[:, k * size : (k + 1) * size].T for k in range(4)])
    log_ratios[1:, 1:] = np.take_along_axis(by_way, way[None, 1:], 0)[0]
    log_ratios[0, 1:] = leaning[:, -1]
    np.fill_diagonal(log_ratios, 0.0)
    return log_ratios


def attachments(gold: Iterable[DepTree], reals: Iterable[Sequence[int]]) -> Singles:
    """How often words of each tag attach in each way [tag, way]; in a large treebank each counts less, as in all that is learned."""
    counts = np.zeros((len(UPOS), WAYS))
    for tree, real in zip(gold, reals, strict=True):
        place = {word: k for k, word in enumerate(real, 1)}
        for child, word in enumerate(real, 1):
            head, tag = tree.heads[word - 1], tree.upos[word - 1]
            if tag not in UPOS:
                continue
            if not head:
                counts[UPOS.index(tag), -1] += 1
            elif head in place and tree.upos[head - 1] in UPOS:
                gap = place[head] - child
                way = 2 * (gap > 0) + (abs(gap) > 1)
                counts[UPOS.index(tag), way * len(UPOS) + UPOS.index(tree.upos[head - 1])] += 1
    return np.asarray(counts * min(1.0, (FULL_WORDS / max(counts.sum(), 1.0)) ** 0.5), np.float32)


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / counts.sum(-1, keepdims=True))


Array = NDArray[Any]
SLOPE = 0.1
"""Of the leaky ReLU below 0."""
BATCH_EDGES = 20_000
"""Edges that go through at once."""
HIDDEN = -1e4
"""Score of an impossible edge, so low that its probability is 0."""
VECTOR = 100
"""Numbers of a word vector."""
COLUMN, GRAM, NETWORK_KIND, GLOSS, LINKED, TEXT = 12, 32, 16, 32, 24, 16
"""Widths of the parts of a word's input."""
INPUT = COLUMN * len(COLUMNS) + GRAM + NETWORK_KIND + GLOSS + LINKED + TEXT
EDGE_WIDTH = 64


def shapes(width: int, grams: int, kinds: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of all arrays, as the training program has them; `width` is that of the LSTM in one direction."""
    state = 4 * width + len(UPOS)
    shape_by_name: dict[str, tuple[int, ...]] = {f"columns.{name}": (size, COLUMN) for name, size in COLUMNS.items()}
    shape_by_name |= {"grams": (grams + 2, GRAM), "kinds": (kinds + 2, NETWORK_KIND)}
    for name, into, out in (
        ("gloss", VECTOR, GLOSS),
        ("linked", VECTOR, LINKED),
        ("text", ORDER, TEXT),
        ("enter", INPUT, 2 * width),
    ):
        shape_by_name |= {f"{name}.weight": (out, into), f"{name}.bias": (out,)}
    for way in ("", "_reverse"):
        shape_by_name |= {f"lstm.weight_ih_l0{way}": (4 * width, 2 * width), f"lstm.weight_hh_l0{way}": (4 * width, width)}
        shape_by_name |= {f"lstm.bias_ih_l0{way}": (4 * width,), f"lstm.bias_hh_l0{way}": (4 * width,)}
    shape_by_name |= {"tag.weight": (len(UPOS), 4 * width), "tag.bias": (len(UPOS),), "root": (state,)}
    for name in ("child", "head", "edge_child", "edge_head", "rel_child", "rel_head"):
        shape_by_name |= {f"{name}.weight": (EDGE_WIDTH, state), f"{name}.bias": (EDGE_WIDTH,)}
    shape_by_name |= {"product": (EDGE_WIDTH + 1, EDGE_WIDTH), "said.weight": (EDGE_WIDTH, 1), "said.bias": (EDGE_WIDTH,)}
    shape_by_name |= {
        "order.weight": (EDGE_WIDTH, ORDER),
        "order.bias": (EDGE_WIDTH,),
        "score.weight": (1, EDGE_WIDTH),
        "score.bias": (1,),
    }
    shape_by_name |= {
        "straight.weight": (1, 1),
        "straight.bias": (1,),
        "rel.weight": (len(RELS), EDGE_WIDTH),
        "rel.bias": (len(RELS),),
    }
    for name, size in EDGE.items():
        shape_by_name |= {f"edge.{name}": (size, EDGE_WIDTH), f"rel_edge.{name}": (size, EDGE_WIDTH)}
    return shape_by_name


@dataclass(frozen=True)
class NetworkOutput:
    """The output of a network for a sentence."""

    tags: Singles
    """Probabilities [word, tag]."""
    edges: Singles
    """Logarithms of probabilities [head, child], the root at place 0."""
    below: Singles
    above: Singles
    """What relations are scored with: words as dependents, and (the root first) as heads."""


@dataclass(frozen=True)
class GlossNetwork:
    """Weights by name (`shapes`), and the LSTM made of them."""

    weights: Mapping[str, Singles]
    layer: Layer

    @classmethod
    def of(cls, weights: Mapping[str, Array], grams: int, kinds: int, where: Where | None = None) -> GlossNetwork:
        """From arrays; ModelError where one is missing or has another shape."""
        first = weights.get("lstm.weight_hh_l0")
        width = first.shape[1] if first is not None and first.ndim == 2 else 0
        for name, shape in shapes(width, grams, kinds).items():
            if name not in weights or weights[name].shape != shape:
                actual = weights[name].shape if name in weights else "missing"
                raise ModelError(
                    f"array '{name}' of the network is {actual}, {shape} expected", where or Where(), "train it again"
                )
        arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
        return cls(arrays, _layer(arrays))

    def read(
        self, sentences: Sequence[SentenceInput], text: Singles, given: Sequence[GivenTags | None] = ()
    ) -> list[NetworkOutput]:
        """Readings in order; `given` is what the user says of their tags."""
        lengths: dict[int, list[int]] = {}
        for k, s in enumerate(sentences):
            lengths.setdefault(len(s), []).append(k)
        outputs: dict[int, NetworkOutput] = {}
        for length, places in lengths.items():
            each = max(1, BATCH_EDGES // (length * (length + 1) + 1))
            for start in range(0, len(places), each):
                part = places[start : start + each]
                tags = [given[k] if given else None for k in part]
                outputs.update(zip(part, self._batch([sentences[k] for k in part], text, tags), strict=True))
        return [outputs[k] for k in range(len(sentences))]

    def _batch(self, some: Sequence[SentenceInput], text: Singles, given: Sequence[GivenTags | None]) -> list[NetworkOutput]:
        size, n, w = len(some), len(some[0]), self.weights
        if not n:
            none = np.zeros((0, EDGE_WIDTH), np.float32)
            return [NetworkOutput(np.zeros((0, len(UPOS)), np.float32), np.zeros((1, 1), np.float32), none, none)] * size
        columns = np.stack([s.columns for s in some])
        parts = [w[f"columns.{name}"][columns[..., k]] for k, name in enumerate(COLUMNS)]
        parts += [w["grams"][np.stack([s.grams for s in some])].sum(2), w["kinds"][np.stack([s.kinds for s in some])].sum(2)]
        parts += [
            self._linear("gloss", np.stack([s.gloss for s in some])),
            self._linear("linked", np.stack([s.linked for s in some])),
        ]
        parts.append(np.broadcast_to(self._linear("text", text), (size, n, TEXT)))
        x = np.maximum(self._linear("enter", np.concatenate(parts, -1)), 0)
        y = self.layer.run(np.ascontiguousarray(x.transpose(1, 0, 2))).transpose(1, 0, 2)
        z = np.concatenate([x, y], -1)
        tags = _softmax(self._linear("tag", z))
        for k, user_tags in enumerate(given):
            if user_tags:
                tags[k] = user_tags.apply(tags[k])
        z = np.concatenate([z, tags], -1)
        up = np.concatenate([np.broadcast_to(w["root"], (size, 1, z.shape[-1])), z], 1)
        scores = self._edges(some, text, z, up)
        below, above = self._linear("rel_child", z), self._linear("rel_head", up)
        logs = scores - scores.max(-1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(-1, keepdims=True))
        full = np.zeros((size, n + 1, n + 1), np.float32)
        full[:, :, 1:] = logs.transpose(0, 2, 1)
        return [NetworkOutput(tags[k], full[k], below[k], above[k]) for k in range(size)]

    def _edges(self, some: Sequence[SentenceInput], text: Singles, z: Singles, up: Singles) -> Singles:
        """Scores [sentence, child, head]."""
        w, (size, n) = self.weights, z.shape[:2]
        child, head = _leaky(self._linear("child", z)), _leaky(self._linear("head", up))
        one = np.ones((size, n, 1), np.float32)
        product = np.concatenate([child, one], -1) @ w["product"] @ head.transpose(0, 2, 1)
        edges = np.stack([s.edges for s in some]).transpose(1, 0, 3, 2)[:, :, 1:]
        said = np.stack([s.phrase_log_scores for s in some]).transpose(0, 2, 1)[:, 1:, :, None]
        hidden = sum(w[f"edge.{name}"][edges[k]] for k, name in enumerate(EDGE))
        hidden = hidden + said * w["said.weight"][:, 0]
        hidden += (self._linear("edge_child", z) + (self._linear("order", text) + w["said.bias"]))[:, :, None]
        hidden += self._linear("edge_head", up)[:, None]
        np.maximum(hidden, 0, out=hidden)
        scores = product + (hidden @ w["score.weight"][0]) + w["score.bias"][0]
        scores += said[..., 0] * w["straight.weight"][0, 0] + w["straight.bias"][0]
        places = np.arange(n)
        scores[:, places, places + 1] = HIDDEN
        return np.asarray(scores, np.float32)

    def relations(self, reading: NetworkOutput, sentence: SentenceInput, heads: Sequence[int]) -> Singles:
        """Probabilities [word, relation] of `labels.LABELS` for a tree over the words without punctuation."""
        w, tree = self.weights, np.asarray(heads, np.int64)
        kids = np.arange(1, len(tree) + 1)
        hidden = reading.below + reading.above[tree]
        for k, name in enumerate(EDGE):
            hidden = hidden + w[f"rel_edge.{name}"][sentence.edges[k, tree, kids]]
        return _softmax(self._linear("rel", np.maximum(hidden, 0))[:, 1:])

    def _linear(self, name: str, x: Singles) -> Singles:
        w = self.weights[f"{name}.weight"]
        return np.asarray(
            (x.reshape(-1, x.shape[-1]) @ w.T).reshape(*x.shape[:-1], len(w)) + self.weights[f"{name}.bias"], np.float32
        )


def _leaky(x: Singles) -> Singles:
    return np.asarray(np.maximum(x, SLOPE * x), np.float32)


def _softmax(x: Singles) -> Singles:
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(-1, keepdims=True), np.float32)


def _layer(w: Mapping[str, Singles]) -> Layer:
    """Torch has the gates input, forget, cell, output; `Layer` wants the cell last and the others halved."""
    into, back, bias = [], [], []
    for way in ("", "_reverse"):
        into.append(_gates(w[f"lstm.weight_ih_l0{way}"]).T)
        back.append(_gates(w[f"lstm.weight_hh_l0{way}"]).T)
        bias.append(_gates(w[f"lstm.bias_ih_l0{way}"] + w[f"lstm.bias_hh_l0{way}"]))
    arrays = (np.concatenate(into, 1), np.stack(back), np.concatenate(bias))
    return Layer(*(np.ascontiguousarray(weights, np.float32) for weights in arrays))


def _gates(rows: Singles) -> Singles:
    enter, keep, new, show = np.split(rows, 4)
    return np.concatenate([enter / 2, keep / 2, show / 2, new])


KIND, VERSION = "divproj-glossed", 3
WITHOUT_NEARNESS = 2
"""The version before, which can be read."""
Weights = NDArray[np.float32]


@dataclass(eq=False)
class GlossModel:
    """All that is learned from treebanks of other languages."""

    english: EnglishLexicon
    tagger: Weights
    plain: Weights
    """Of edges, seeing glosses alone."""
    linked: Weights
    """Of edges, seeing the translation too."""
    labels: Weights
    about: dict[str, Any] = field(default_factory=dict)
    names: GramNumbers = field(default_factory=lambda: GramNumbers((), ()))
    """Grams and kinds that the networks know."""
    networks: tuple[GlossNetwork, ...] = ()
    nearness: WordOrderSimilarity = field(default_factory=WordOrderSimilarity)

    def save(self, place: str | Path) -> None:
        """Write the model into a folder, whole or not at all."""
        tags = ("", *UPOS)
        names = sorted(self.english.words)
        rows = [self.english.words[name] for name in names]
        arrays: dict[str, NDArray[Any]] = {
            "english.words": np.frombuffer("\n".join(names).encode("utf-8"), np.uint8),
            "english.tags": np.array([(tags.index(a), tags.index(b), share) for a, b, share in rows], np.uint8).reshape(-1, 3),
        }
        for name in ("tagger", "plain", "linked", "labels"):
            weights = getattr(self, name)
            arrays[name] = np.where(np.abs(weights) < SMALL_WEIGHT, 0, weights).astype(np.float16)
        arrays |= {"near.orders": self.nearness.orders, "near.counts": self.nearness.counts.astype(np.float16)}
        for k, network in enumerate(self.networks):
            arrays |= {f"net{k}.{name}": weights.astype(np.float16) for name, weights in network.weights.items()}
        facts = {
            "about": self.about,
            "grams": list(self.names.grams),
            "kinds": list(self.names.kinds),
            "networks": len(self.networks),
            "near": list(self.nearness.banks),
        }
        modelfile.save(place, KIND, VERSION, facts, arrays, beside=("README.md", "calibration.json"))

    @classmethod
    def load(cls, place: str | Path) -> GlossModel:
        """The model in a folder; ModelError where it is damaged or of another version."""
        model = modelfile.load(place, KIND, VERSION, WITHOUT_NEARNESS)
        tags = ("", *UPOS)
        table = model.array("english.tags", "u", None, 3)
        try:
            names = model.array("english.words", "u", None).astype(np.uint8).tobytes().decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise ModelError("array 'english.words' is no text in UTF-8", model.where, modelfile.REMEDY) from None
        if len(names) != len(table) or (len(table) and table[:, :2].max() >= len(tags)):
            raise ModelError(f"{len(names)} English words for {len(table)} rows of tags", model.where, modelfile.REMEDY)
        english = EnglishLexicon({name: (tags[a], tags[b], s) for name, (a, b, s) in zip(names, table.tolist(), strict=True)})
        shapes = {
            "tagger": (linear.TAG_FEATURES, len(UPOS)),
            "plain": (linear.EDGE_FEATURES,),
            "linked": (linear.EDGE_FEATURES,),
            "labels": (linear.LABEL_FEATURES, len(LABELS)),
        }
        weights = {name: model.array(name, "f", *shape).astype(np.float32) for name, shape in shapes.items()}
        known = GramNumbers(tuple(map(str, model.fact("grams", list))), tuple(map(str, model.fact("kinds", list))))
        networks = tuple(_network(model, k, known) for k in range(model.fact("networks", int)))
        gloss_model = cls(english, weights["tagger"], weights["plain"], weights["linked"], weights["labels"])
        gloss_model.about, gloss_model.names, gloss_model.networks = model.fact("about", dict), known, networks
        if model.about["version"] == VERSION:
            gloss_model.nearness = _nearness(model)
        return gloss_model


def _network(model: modelfile.ModelFolder, number: int, names: GramNumbers) -> GlossNetwork:
    prefix = f"net{number}."
    arrays = {
        name.removeprefix(prefix): model.array(name, "f", *array.shape)
        for name, array in model.arrays.items()
        if name.startswith(prefix)
    }
    return GlossNetwork.of(arrays, len(names.grams), len(names.kinds), model.where)


def _nearness(model: modelfile.ModelFolder) -> WordOrderSimilarity:
    banks = tuple(map(str, model.fact("near", list)))
    orders = model.array("near.orders", "f", len(banks), SIDES).astype(np.float32)
    counts = model.array("near.counts", "f", len(banks), len(UPOS), WAYS).astype(np.float32)
    if len(banks) and (counts.min() < 0 or np.abs(orders[:, ::2]).max() > 1 or orders[:, 1::2].min() < 0):
        raise ModelError("word orders or attachments of treebanks are out of range", model.where, modelfile.REMEDY)
    return WordOrderSimilarity(banks, orders, counts)


@lru_cache(maxsize=1)
def shipped_model() -> GlossModel:
    """The model that comes with the package."""
    place = folder("languages") / "glossed"
    if not place.is_dir():
        raise ProjError("no model of glossed text comes with this installation", remedy="install divproj again")
    return GlossModel.load(place)
