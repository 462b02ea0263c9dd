"""What the network sees of a glossed text: numbers for words and for all possible edges, and the word order of the whole text.

Never F forms: what is learned must hold for languages that nobody has seen. Number 0 in a column is "nothing".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from divproj.data.tagsets import universal
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import chart
from divproj.projection.settings import LOWEST_LOG
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.facts import ROLES, Gloss, Usage, Word
from divproj.projection.universal.labels import LABELS
from divproj.runtime.vectors import WordVectors

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
class Names:
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
    def told(self) -> Singles:
        """Logarithms of s5's probabilities, from 0 to 1."""
        return np.asarray(np.log(np.maximum(self.phrases, np.exp(-LOWEST_LOG))) / LOWEST_LOG + 1, np.float32)


@dataclass
class Encoder:
    """Makes the inputs of a text; vectors of glosses and rows of grams are remembered."""

    names: Names
    vectors: WordVectors
    _means: dict[tuple[str, ...], Singles] = field(default_factory=dict, repr=False)
    _rows: dict[Gloss, tuple[list[int], list[int]]] = field(default_factory=dict, repr=False)

    def sentence(
        self, bitext: ProjectionInput, words: Sequence[Word], usage: Mapping[str, Usage], phrases: Floats
    ) -> SentenceInput:
        """`phrases` [head, child] are s5's probabilities for all words."""
        real = [k for k, w in enumerate(words, 1) if not w.mark] or list(range(1, len(words) + 1))
        keep = np.array([0, *real])
        codes = np.zeros((len(bitext) + 1,) * 2, np.int8)
        chart.relate.for_work(5000)(np.array(bitext.anchors, np.int32), np.array(bitext.e_heads, np.int32), codes)
        codes = np.ascontiguousarray(codes[np.ix_(keep, keep)])
        own = phrases[np.ix_(keep, keep)].copy() if any(bitext.anchors) else np.ones((len(keep),) * 2)
        np.fill_diagonal(own, 0.0)
        own[:, 0] = 0.0
        own /= np.maximum(own.sum(0), 1e-9)
        marks = np.cumsum([0, *(w.mark for w in words)])[keep]
        tags = [TAG.get(universal(tag), 0) for tag in bitext.e.tags()]
        rels = [REL.get(rel.partition(":")[0], 0) for rel in bitext.e.rels] or [0] * len(tags)
        columns = np.array([self._columns(k, words, usage, bitext, tags, rels) for k in real], np.int64)
        rows = [self._grams(words[k - 1].gloss) for k in real]
        e_words = [(bitext.e.forms[a - 1].lower(),) if (a := bitext.anchors[k]) else () for k in real]
        return SentenceInput(
            real,
            columns.reshape(len(real), len(COLUMNS)),
            np.array([row[0] for row in rows], np.int64).reshape(-1, MOST),
            np.array([row[1] for row in rows], np.int64).reshape(-1, MOST),
            np.array([self._mean(words[k - 1].gloss.words) for k in real], np.float32).reshape(len(real), -1),
            np.array([self._mean(w) for w in e_words], np.float32).reshape(len(real), -1),
            edge_columns(codes, marks, own),
            own,
            codes,
        )

    def _columns(
        self,
        k: int,
        words: Sequence[Word],
        usage: Mapping[str, Usage],
        bitext: ProjectionInput,
        tags: list[int],
        rels: list[int],
    ) -> list[int]:
        w = words[k - 1]
        gloss, used = w.gloss, usage.get(w.form.lower()) or Usage(0, "", 0, 0, 0)
        anchor = bitext.anchors[k]
        up = bitext.e_heads[anchor] if anchor else 0
        title = w.form[:1].isupper() and w.form[1:].islower()
        look = 1 + title + 2 * (k == 1) + 4 * (w.form[:1] in "-=") + 8 * (w.form[-1:] in "-=")
        marks = 1 + (k > 1 and words[k - 2].mark) + 2 * (k < len(words) and words[k].mark)
        return [
            TAG.get(w.lexical, 0), TAG.get(w.doubt[:-1], 0), int(w.doubt[-1]) + 1 if w.doubt else 0, SHAPES.index(gloss.shape) + 1,
            TAG.get(w.e_tag, 0), REL.get(w.e_rel, 0), LINKS.index(w.link) + 1, used.share + 1, used.linked + 1,
            TAG.get(used.e_tag, 0), used.first + 1, used.last + 1, _person(gloss), look, marks, tags[up - 1] if up > 0 else 0,
            rels[up - 1] if up > 0 else 0, 1 + min(3, len(gloss.words)) + 4 * (w.stem == w.form.lower()), ROLE.get(gloss.role, 0),
        ]  # fmt: skip

    def _grams(self, gloss: Gloss) -> tuple[list[int], list[int]]:
        """Grams and kinds; the person of an auxiliary is left out, so that languages with and without it look alike."""
        found = self._rows.get(gloss)
        if found is None:
            shown = [
                (self.names.gram.get(gram, 1), self.names.kind.get(kind, 1))
                for gram, kind in zip(gloss.grams, gloss.kinds, strict=True)
                if kind != "person" or gloss.role != "aux"
            ][:MOST]
            shown += [(0, 0)] * (MOST - len(shown))
            found = self._rows[gloss] = [a for a, _ in shown], [b for _, b in shown]
        return found

    def _mean(self, words: tuple[str, ...]) -> Singles:
        found = self._means.get(words)
        if found is None:
            known = [v for word in words if (v := self.vectors.vector(word)) is not None]
            found = np.mean(known, 0, dtype=np.float32) if known else np.zeros(self.vectors.size, np.float32)
            self._means[words] = found
        return found


def _person(gloss: Gloss) -> int:
    if not gloss.persons or gloss.role == "aux":
        return 0
    text = gloss.persons[0]
    number = next((k for k, name in enumerate(NUMBERS) if name and name in text), 0)
    person = max((p for p in PERSONS if text.startswith(p)), key=len, default="0")
    return 1 + len(NUMBERS) * PERSONS.index(person) + number


def edge_columns(codes: NDArray[np.int8], marks: Ints, phrases: Floats) -> Ints:
    """Side and distance, punctuation between, relation of the E words, rank in s5's eyes."""
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
    """Of a text: on which side dependents of each relation (that of E) have their heads by s5, and how it is glossed and linked."""
    before, after = np.zeros(len(REL) + 1), np.zeros(len(REL) + 1)
    rel_at = list(COLUMNS).index("e_rel")
    for s in sentences:
        chances = np.where(s.phrases > 0.05, s.phrases, 0.0)
        chances[0] = 0.0
        np.add.at(before, s.columns[:, rel_at], np.triu(chances, 1).sum(0)[1:])
        np.add.at(after, s.columns[:, rel_at], np.tril(chances, -1).sum(0)[1:])
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
