"""The gloss parser's view of all possible edges of a text: columns of numbers, and the features made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal import chart
from divproj.projection.settings import EDGE_BINS, ORDER_BINS
from divproj.projection.universal.english import UPOS
from divproj.projection.universal.facts import CASES, TENSES, VERBAL, Word
from divproj.projection.universal.hashed import among, choice_chances, choice_scores, combined, number, salted

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
SIZE = 1 << 20
FAR = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, *[6] * 6, 7])
"""Distances as features tell them apart."""


@lru_cache(maxsize=200_000)
def _number(name: str) -> int:
    return number(name)


WORD = ("tag", "tags", "shape", "gram", "case", "verbal", "person", "stem", "e_tag", "e_rel", "link", "kind", "tam")
"""Columns of a word."""


@dataclass(frozen=True)
class EdgeInput:
    """A sentence as the parser sees it, without punctuation; place 0 is the root."""

    bitext: ProjectionInput
    words: list[Word]
    real: list[int]
    """Places (from 1) of the words that are no punctuation."""
    chances: Floats
    """[word, tag] of the real words."""
    table: Ints
    """[place, column] of `WORD`; row 0 is the root, real words follow."""
    codes: NDArray[np.int8]
    """Relation of E words, among real words and the root."""
    commas: Ints
    """Punctuation marks before each real word."""

    def __len__(self) -> int:
        return len(self.real)


def edge_input(bitext: ProjectionInput, words: list[Word], chances: Floats) -> EdgeInput:
    """`chances` [word, tag] are the tagger's for all words."""
    real = [k for k, w in enumerate(words, 1) if not w.mark] or list(range(1, len(words) + 1))
    own = chances[np.array(real, int) - 1] if real else chances
    rows = [[_number(f"ROOT{name}") for name in WORD]]
    for k, p in zip(real, own, strict=True):
        rows.append(_row(words[k - 1], p))
    n1 = len(bitext) + 1
    codes = np.zeros((n1, n1), np.int8)
    chart.relate.for_work(0, n1)(np.array(bitext.anchors, np.int32), np.array(bitext.e_heads, np.int32), codes)
    keep = np.array([0, *real])
    marks = np.cumsum([0, *(w.mark for w in words)])
    return EdgeInput(bitext, words, real, own, np.array(rows, np.int64), codes[np.ix_(keep, keep)], marks[keep])


def _row(w: Word, chances: Floats) -> list[int]:
    order = np.argsort(-chances)
    first, second = UPOS[order[0]], UPOS[order[1]]
    gloss = w.gloss
    sure = chances[order[0]]
    values = (
        first,
        f"{first}|{second}" if sure < 0.5 else f"{first}|{second}?" if sure < 0.8 else first,
        gloss.shape + (w.lexical if gloss.words else ""),
        gloss.role
        + ".".join(g for g, k in zip(gloss.grams[:3], gloss.kinds, strict=False) if k != "person" or gloss.role != "aux")
        if not gloss.words
        else gloss.grams[-1]
        if gloss.grams
        else "",
        gloss.first(CASES),
        gloss.first(VERBAL),
        f"{bool(gloss.persons)}{gloss.persons[0][:1] if gloss.persons and gloss.role != 'aux' else ''}{gloss.shape}",
        w.stem or ".".join(gloss.grams),
        w.e_tag,
        w.e_rel,
        w.link,
        gloss.shape + gloss.role if not gloss.words else gloss.shape + "".join(sorted({k[:3] for k in gloss.kinds})),
        f"{bool(gloss.first(TENSES))}{bool(gloss.first(CASES))}{bool(gloss.first(VERBAL))}",
    )
    return [_number(value) for value in values]


@dataclass(frozen=True)
class Edges:
    """All candidate edges of a text, end to end: for every real word all heads, the root first."""

    starts: Ints
    """Where the candidates of each word begin."""
    heads: Ints
    """Index among real words of its sentence, 0 for the root."""
    columns: dict[str, Ints]


def edges_of(sentences: Sequence[EdgeInput], given: Mapping[str, Sequence[Floats]], order: Order | None = None) -> Edges:
    """Columns of all edges; `given` are probabilities [head, child] by name."""
    sizes, heads, kids, at = [], [], [], []
    base = 0
    for s in sentences:
        n = len(s)
        h, c = np.meshgrid(np.arange(n + 1), np.arange(1, n + 1))
        mask = h != c
        heads.append(h[mask])
        kids.append(c[mask])
        at.append(np.full(n * n, base))
        sizes += [n] * n
        base += n + 1
    head, kid, low = (np.concatenate(x) if x else np.zeros(0, np.int64) for x in (heads, kids, at))
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    table = np.concatenate([s.table for s in sentences])
    columns: dict[str, Ints] = {}
    for k, name in enumerate(WORD):
        columns[f"c_{name}"] = table[low + kid, k]
        columns[f"h_{name}"] = table[low + head, k]
    tags = table[:, 0]
    length = np.concatenate([np.full(len(s) * len(s), len(s)) for s in sentences])
    end = low + length
    for name, place, step in (("c-", kid, -1), ("c+", kid, 1), ("h-", head, -1), ("h+", head, 1)):
        there = low + place + step
        inside = (there > low) & (there <= end)
        columns[name] = np.where(inside, tags[np.clip(there, 0, len(tags) - 1)], np.where(there <= low, 1, 2))
    gap = head - kid
    side = np.where(head == 0, 2, (gap > 0).astype(np.int64))
    far = FAR[np.minimum(np.abs(gap), 15)]
    far = np.where(head == 0, 0, far)
    columns["side"], columns["far"] = side, side * 10 + far
    place = np.where(kid == 1, 1, 0) + np.where(kid == length, 2, 0)
    columns["place"] = place
    columns["edge"] = np.where(head == 1, 1, 0) + np.where(head == length, 2, 0)
    columns["size"] = np.minimum(length, 4)
    columns["code"] = np.concatenate([s.codes.T[1:, :][~np.eye(len(s) + 1, dtype=bool)[1:]] for s in sentences]).astype(
        np.int64
    )
    commas = np.concatenate([s.commas for s in sentences])
    between = np.minimum(np.abs(commas[low + kid] - commas[low + head]), 2)
    columns["marks"] = np.where(head == 0, 3, between)
    columns.update(_between(sentences, low, head, kid))
    for name, matrices in given.items():
        flat = np.concatenate(
            [m.T[1:, :][~np.eye(len(s) + 1, dtype=bool)[1:]] for s, m in zip(sentences, matrices, strict=True)]
        )
        columns[name] = np.searchsorted(EDGE_BINS, flat).astype(np.int64)
        columns[f"{name}rank"] = _rank(flat, starts)
    if order is not None:
        columns.update(order.columns(tags, low, head, kid, side))
    return Edges(starts, head, columns)


def _rank(flat: Floats, starts: Ints) -> Ints:
    """0 for the best of its question, 1 for near it, 2 for others."""
    sizes = np.diff(starts)
    top = np.repeat(np.maximum.reduceat(flat, starts[:-1]), sizes)
    return np.where(flat >= top, 0, np.where(flat > 0.4 * top, 1, np.where(flat > 0.1 * top, 2, 3))).astype(np.int64)


_NOUNS = frozenset(UPOS.index(t) for t in ("NOUN", "PROPN", "PRON"))
_VERBS = frozenset(UPOS.index(t) for t in ("VERB", "AUX"))


def _between(sentences: Sequence[EdgeInput], low: Ints, head: Ints, kid: Ints) -> dict[str, Ints]:
    """Nouns, verbs and words like the head that stand between the two ends."""
    counts, own = [], []
    for s in sentences:
        best = s.chances.argmax(1)
        noun = np.isin(best, list(_NOUNS))
        verb = best == UPOS.index("VERB")
        counts.append(np.concatenate([[[0, 0]], np.cumsum(np.stack([noun, verb], 1), 0)]))
        own.append(np.concatenate([[[0, 0]], np.stack([noun, verb], 1).astype(int)]))
    flat, ends = np.concatenate(counts), np.concatenate(own)
    a, b = np.minimum(head, kid), np.maximum(head, kid)
    made = flat[low + b] - flat[low + a] - ends[low + b]
    root = head == 0
    made = np.minimum(made, 2)
    return {
        "nouns": np.where(root, 3, made[:, 0]),
        "verbs": np.where(root, np.minimum(flat[low + kid][:, 1], 2) + 4, made[:, 1]),
    }


@dataclass(frozen=True)
class Order:
    """Word order of a text: on which side words of one tag have heads of another, by edges believed so far."""

    sides: dict[tuple[int, int], float]
    """(child's tag, head's tag) → share of heads that follow."""
    trust: float = 3.0

    @classmethod
    def of(cls, sentences: Sequence[EdgeInput], chances: Sequence[Floats], trust: float = 3.0) -> Order:
        after: dict[tuple[int, int], list[float]] = {}
        for s, p in zip(sentences, chances, strict=True):
            tags = s.table[:, 0].tolist()
            kids, heads = np.nonzero(p.T > 0.05)
            for c, h, chance in zip(kids.tolist(), heads.tolist(), p[heads, kids].tolist(), strict=True):
                if h and c and h != c:
                    found = after.setdefault((tags[c], tags[h]), [0.0, 0.0])
                    found[h > c] += chance
        return cls({pair: (b + trust / 2) / (a + b + trust) for pair, (a, b) in after.items()}, trust)

    def share(self, child: str, head: str) -> float:
        """Share of heads that follow; a half where nothing is known."""
        return self.sides.get((_number(child), _number(head)), 0.5)

    def columns(self, tags: Ints, low: Ints, head: Ints, kid: Ints, side: Ints) -> dict[str, Ints]:
        pairs = tags[low + kid] * (1 << 32) + tags[low + head]
        unique, inverse = np.unique(pairs, return_inverse=True)
        shares = np.array([self.sides.get((int(p) >> 32, int(p) & 0xFFFFFFFF), 0.5) for p in unique])[inverse]
        own = np.where(side == 1, shares, 1 - shares)
        made = {"order": np.where(side == 2, 9, np.searchsorted(ORDER_BINS, own))}
        bits = sum(
            int(np.searchsorted((0.35, 0.65), self.share(*pair))) * 3**k
            for k, pair in enumerate((("NOUN", "VERB"), ("ADP", "NOUN"), ("NOUN", "NOUN"), ("AUX", "VERB")))
        )
        made["bits"] = np.full(len(kid), bits)
        for name, pair in (("vo", ("NOUN", "VERB")), ("po", ("ADP", "NOUN")), ("na", ("ADJ", "NOUN"))):
            made[name] = np.full(len(kid), int(np.searchsorted((0.35, 0.65), self.share(*pair))))
        return made


COMPILED = 8
"""Edges that take as long in numpy as a word does elsewhere."""


def chances(edges: Edges, templates: Sequence[str], weights: NDArray[np.float32]) -> Floats:
    """Probability of each edge among those of its word: `choice_chances` of `features`, which are not kept."""
    run = choice_scores.for_work(len(edges.heads) // COMPILED)
    if run is choice_scores.plain:
        return choice_chances(features(edges, templates, len(weights)), edges.starts, weights)
    split = [template.split() for template in templates]
    names = sorted({name for own in split for name in own})
    columns = np.array([edges.columns[name] for name in names])
    place = {name: k for k, name in enumerate(names)}
    ends = np.cumsum([len(own) for own in split])
    salts = np.array([salted(number(template)) for template in templates])
    scores = np.zeros(len(edges.heads))
    run(columns, ends, np.array([place[name] for own in split for name in own]), salts, weights, scores)
    return among(scores, edges.starts)


def features(edges: Edges, templates: Sequence[str], size: int = SIZE) -> NDArray[np.int32]:
    """[edge, template] numbers."""
    made = np.empty((len(edges.heads), len(templates)), np.int32)
    for k, template in enumerate(templates):
        made[:, k] = combined([edges.columns[name] for name in template.split()], number(template), size)
    return made
