"""The linear models of s6: a tagger, a parser and a model of relations for glossed text in any language.

All are log-linear over hashed features: a feature is an index into a table of weights, and two features with the same index
share their weight. `fit_choice` learns to choose one of several candidates (heads), `fit_class` one of several classes (tags,
relations).

    tagger      UPOS of a word from its gloss, links and neighbours, never from its form (`tagger_features`)
    parser      the head of a word among all words: `edges_of` makes columns of numbers for all edges of a text, and templates
                say which columns make a feature together, e.g. `c_tag h_tag side` (`PLAIN`; with the translation also `LINKED`)
    relations   the relation of a word, given the tree (`label_features`)
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.facts import CASES, TENSES, VERBAL, Usage, WordFacts
from divproj.projection.phrasal import chart
from divproj.projection.phrasal.chart import RELATIONS
from divproj.runtime.jit import kernel
from divproj.ud.tagsets import UPOS

EDGE_BINS = (0.005, 0.02, 0.06, 0.15, 0.3, 0.45, 0.6, 0.75, 0.88, 0.96)
"""Borders of the bins into which probabilities of edges are put."""
ORDER_BINS = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)
"""Borders of the bins into which shares of word orders are put."""


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


def number(name: str) -> int:
    """A number for a name that is the same on every machine."""
    return zlib.crc32(name.encode("utf-8"))


def hash_start(salt: int) -> np.uint64:
    """Return the initial value of the hash of a feature."""
    return np.uint64(salt * 2654435761 % (1 << 62) + 1)


def combine_columns(columns: Sequence[Ints], salt: int, size: int) -> NDArray[np.int32]:
    """One feature for each row from the values of several columns; `size` is a power of two.

    >>> combine_columns([np.array([1, 2, 1]), np.array([3, 3, 3])], 1, 1024).tolist()
    [660, 436, 660]
    """
    hashes = np.full(len(columns[0]), hash_start(salt), np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            hashes = (hashes ^ column.astype(np.uint64)) * _MIX
            hashes ^= hashes >> np.uint64(29)
    return (hashes % np.uint64(size)).astype(np.int32)


@kernel("f8(i4[:,::1], i8[::1], i8[::1], f8[::1], i8[::1], f4[::1], f4[::1], f8, f8)")
def learn_choice(index, starts, right, trust, order, weights, squares, rate, decay):  # type: ignore[no-untyped-def]
    """One pass of AdaGrad over questions: rows starts[q]…starts[q+1]-1 are candidates, right[q] is the right row."""
    total = 0.0
    width = index.shape[1]
    for k in range(len(order)):
        q = order[k]
        low, high = starts[q], starts[q + 1]
        scores = np.zeros(high - low)
        for r in range(low, high):
            s = 0.0
            for f in range(width):
                s += weights[index[r, f]]
            scores[r - low] = s
        top = scores.max()
        scores = np.exp(scores - top)
        scores /= scores.sum()
        total -= trust[q] * np.log(scores[right[q] - low] + 1e-12)
        for r in range(low, high):
            slope = trust[q] * (scores[r - low] - (1.0 if r == right[q] else 0.0))
            if slope > 1e-4 or slope < -1e-4:
                for f in range(width):
                    i = index[r, f]
                    g = slope + decay * weights[i]
                    squares[i] += g * g
                    weights[i] -= rate * g / np.sqrt(squares[i])
    return total


@kernel("f8(i4[:,::1], i8[::1], f8[::1], i8[::1], f4[:,::1], f4[:,::1], f8, f8)")
def learn_class(index, right, trust, order, weights, squares, rate, decay):  # type: ignore[no-untyped-def]
    """One pass of AdaGrad over rows whose class is right[row]; weights[feature, class]."""
    total = 0.0
    width, classes = index.shape[1], weights.shape[1]
    for k in range(len(order)):
        r = order[k]
        scores = np.zeros(classes)
        for f in range(width):
            for c in range(classes):
                scores[c] += weights[index[r, f], c]
        scores = np.exp(scores - scores.max())
        scores /= scores.sum()
        total -= trust[r] * np.log(scores[right[r]] + 1e-12)
        for c in range(classes):
            slope = trust[r] * (scores[c] - (1.0 if c == right[r] else 0.0))
            if slope > 1e-4 or slope < -1e-4:
                for f in range(width):
                    i = index[r, f]
                    g = slope + decay * weights[i, c]
                    squares[i, c] += g * g
                    weights[i, c] -= rate * g / np.sqrt(squares[i, c])
    return total


def fit_choice(
    index: NDArray[np.int32], starts: Ints, right: Ints, trust: Floats, size: int,
    *, passes: int = 6, rate: float = 0.15, decay: float = 1e-3, seed: int = 1,
) -> NDArray[np.float32]:  # fmt: skip
    """Weights of features; the mean of the last half of the passes."""
    weights, squares = np.zeros(size, np.float32), np.full(size, 1.0, np.float32)
    mean, probability = np.zeros(size), np.random.default_rng(seed)
    for k in range(passes):
        order = probability.permutation(len(right))
        learn_choice.for_work(len(index))(index, starts, right, trust, order, weights, squares, rate, decay)
        if k >= passes // 2:
            mean += weights
    return (mean / (passes - passes // 2)).astype(np.float32)


def fit_class(
    index: NDArray[np.int32], right: Ints, trust: Floats, size: int, classes: int,
    *, passes: int = 8, rate: float = 0.15, decay: float = 1e-3, seed: int = 1,
) -> NDArray[np.float32]:  # fmt: skip
    """Weights of features for every class; the mean of the last half of the passes."""
    weights, squares = np.zeros((size, classes), np.float32), np.full((size, classes), 1.0, np.float32)
    mean, probability = np.zeros((size, classes)), np.random.default_rng(seed)
    for k in range(passes):
        order = probability.permutation(len(right))
        learn_class.for_work(len(index))(index, right, trust, order, weights, squares, rate, decay)
        if k >= passes // 2:
            mean += weights
    return (mean / (passes - passes // 2)).astype(np.float32)


@kernel("void(i4[:,::1], f4[:,::1], f8[:,::1])")
def class_scores(index, weights, scores):  # type: ignore[no-untyped-def]
    """scores[row, class]: the sum of the weights of its features, in their order."""
    width, classes = index.shape[1], weights.shape[1]
    for r in range(len(index)):
        for f in range(width):
            i = index[r, f]
            for c in range(classes):
                scores[r, c] += weights[i, c]


@kernel("void(i8[:,::1], i8[::1], i8[::1], u8[::1], f4[::1], f8[::1])")
def choice_scores(columns, ends, places, salts, weights, scores):  # type: ignore[no-untyped-def]
    """scores[row]: the sum of the weights of its features, made of columns as `combine_columns` makes them; `weights` is a power of two long.

    Feature k has the columns places[ends[k-1]] … places[ends[k]-1] of `columns` [column, row] and salts[k]. Rows go in blocks that stay
    in the cache.
    """
    mix, shift, mask = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(len(weights) - 1)
    rows = columns.shape[1]
    hashes = np.empty(512, np.uint64)
    for low in range(0, rows, 512):
        many = min(512, rows - low)
        begin = 0
        for k in range(len(salts)):
            for r in range(many):
                hashes[r] = salts[k]
            for p in range(begin, ends[k]):
                column = columns[places[p], low : low + many]
                for r in range(many):
                    x = (hashes[r] ^ np.uint64(column[r])) * mix
                    hashes[r] = x ^ (x >> shift)
            begin = ends[k]
            for r in range(many):
                scores[low + r] += weights[hashes[r] & mask]


def class_chances(index: NDArray[np.int32], weights: NDArray[np.float32], work: int = 0) -> Floats:
    """[row, class] probabilities; `work` rows in all are to be judged."""
    scores = np.zeros((len(index), weights.shape[1]))
    run = class_scores.for_work(work)
    if run is not class_scores.plain:
        run(index, weights, scores)
    else:
        for f in range(index.shape[1]):
            scores += weights[index[:, f]]
    scores = np.exp(scores - scores.max(1, keepdims=True))
    probabilities: Floats = scores / scores.sum(1, keepdims=True)
    return probabilities


def choice_chances(index: NDArray[np.int32], starts: Ints, weights: NDArray[np.float32]) -> Floats:
    """Probability of each row among the candidates of its question."""
    scores = np.zeros(len(index))
    for f in range(index.shape[1]):
        scores += weights[index[:, f]]
    return among(scores, starts)


def among(scores: Floats, starts: Ints) -> Floats:
    """Probability of each row among the candidates of its question, from log weights."""
    if not len(scores):
        return np.zeros(0)
    sizes = np.diff(starts)
    odds = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts[:-1]), sizes))
    probabilities: Floats = odds / np.repeat(np.add.reduceat(odds, starts[:-1]), sizes)
    return probabilities


EDGE_FEATURES = 1 << 20
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

    sentence: ProjectionInput
    words: list[WordFacts]
    real: list[int]
    """Places (from 1) of the words that are no punctuation."""
    probabilities: Floats
    """[word, tag] of the real words."""
    table: Ints
    """[place, column] of `WORD`; row 0 is the root, real words follow."""
    codes: NDArray[np.int8]
    """Relation of E words, among real words and the root."""
    commas: Ints
    """Punctuation marks before each real word."""

    def __len__(self) -> int:
        return len(self.real)


def edge_input(sentence: ProjectionInput, words: list[WordFacts], probabilities: Floats) -> EdgeInput:
    """`choice_probabilities` [word, tag] are the tagger's for all words."""
    real = [k for k, w in enumerate(words, 1) if not w.mark] or list(range(1, len(words) + 1))
    tag_probabilities = probabilities[np.array(real, int) - 1] if real else probabilities
    rows = [[_number(f"ROOT{name}") for name in WORD]]
    for k, p in zip(real, tag_probabilities, strict=True):
        rows.append(_row(words[k - 1], p))
    n1 = len(sentence) + 1
    codes = np.zeros((n1, n1), np.int8)
    chart.relate.for_work(0, n1)(np.array(sentence.anchors, np.int32), np.array(sentence.e_heads, np.int32), codes)
    keep = np.array([0, *real])
    marks = np.cumsum([0, *(w.mark for w in words)])
    return EdgeInput(sentence, words, real, tag_probabilities, np.array(rows, np.int64), codes[np.ix_(keep, keep)], marks[keep])


def with_tags(seen: EdgeInput, probabilities: Floats) -> EdgeInput:
    """The sentence with other probabilities [word, tag] of its real words."""
    rows = [_row(seen.words[k - 1], p) for k, p in zip(seen.real, probabilities, strict=True)]
    return replace(
        seen,
        probabilities=probabilities,
        table=np.concatenate([seen.table[:1], np.array(rows, np.int64).reshape(-1, len(WORD))]),
    )


def _row(w: WordFacts, probabilities: Floats) -> list[int]:
    order = np.argsort(-probabilities)
    first, second = UPOS[order[0]], UPOS[order[1]]
    gloss = w.gloss
    confidence = probabilities[order[0]]
    values = (
        first,
        f"{first}|{second}" if confidence < 0.5 else f"{first}|{second}?" if confidence < 0.8 else first,
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


def edges_of(sentences: Sequence[EdgeInput], given: Mapping[str, Sequence[Floats]], order: WordOrder | None = None) -> Edges:
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
    counts, indicators = [], []
    for s in sentences:
        best = s.probabilities.argmax(1)
        noun = np.isin(best, list(_NOUNS))
        verb = best == UPOS.index("VERB")
        counts.append(np.concatenate([[[0, 0]], np.cumsum(np.stack([noun, verb], 1), 0)]))
        indicators.append(np.concatenate([[[0, 0]], np.stack([noun, verb], 1).astype(int)]))
    flat, ends = np.concatenate(counts), np.concatenate(indicators)
    a, b = np.minimum(head, kid), np.maximum(head, kid)
    between = flat[low + b] - flat[low + a] - ends[low + b]
    root = head == 0
    between = np.minimum(between, 2)
    return {
        "nouns": np.where(root, 3, between[:, 0]),
        "verbs": np.where(root, np.minimum(flat[low + kid][:, 1], 2) + 4, between[:, 1]),
    }


@dataclass(frozen=True)
class WordOrder:
    """Word order of a text: on which side words of one tag have heads of another, by edges believed so far."""

    sides: dict[tuple[int, int], float]
    """(child's tag, head's tag) → share of heads that follow."""
    trust: float = 3.0

    @classmethod
    def of(cls, sentences: Sequence[EdgeInput], probabilities: Sequence[Floats], trust: float = 3.0) -> WordOrder:
        after: dict[tuple[int, int], list[float]] = {}
        for s, p in zip(sentences, probabilities, strict=True):
            tags = s.table[:, 0].tolist()
            kids, heads = np.nonzero(p.T > 0.05)
            for c, h, probability in zip(kids.tolist(), heads.tolist(), p[heads, kids].tolist(), strict=True):
                if h and c and h != c:
                    counts = after.setdefault((tags[c], tags[h]), [0.0, 0.0])
                    counts[h > c] += probability
        return cls({pair: (b + trust / 2) / (a + b + trust) for pair, (a, b) in after.items()}, trust)

    def share(self, child: str, head: str) -> float:
        """Share of heads that follow; a half where nothing is known."""
        return self.sides.get((_number(child), _number(head)), 0.5)

    def columns(self, tags: Ints, low: Ints, head: Ints, kid: Ints, side: Ints) -> dict[str, Ints]:
        pairs = tags[low + kid] * (1 << 32) + tags[low + head]
        unique, inverse = np.unique(pairs, return_inverse=True)
        shares = np.array([self.sides.get((int(p) >> 32, int(p) & 0xFFFFFFFF), 0.5) for p in unique])[inverse]
        side_shares = np.where(side == 1, shares, 1 - shares)
        columns = {"order": np.where(side == 2, 9, np.searchsorted(ORDER_BINS, side_shares))}
        bits = sum(
            int(np.searchsorted((0.35, 0.65), self.share(*pair))) * 3**k
            for k, pair in enumerate((("NOUN", "VERB"), ("ADP", "NOUN"), ("NOUN", "NOUN"), ("AUX", "VERB")))
        )
        columns["bits"] = np.full(len(kid), bits)
        for name, pair in (("vo", ("NOUN", "VERB")), ("po", ("ADP", "NOUN")), ("na", ("ADJ", "NOUN"))):
            columns[name] = np.full(len(kid), int(np.searchsorted((0.35, 0.65), self.share(*pair))))
        return columns


COMPILED = 8
"""Edges that take as long in numpy as a word does elsewhere."""


def choice_probabilities(edges: Edges, templates: Sequence[str], weights: NDArray[np.float32]) -> Floats:
    """Probability of each edge among those of its word: `choice_chances` of `features`, which are not kept."""
    run = choice_scores.for_work(len(edges.heads) // COMPILED)
    if run is choice_scores.plain:
        return choice_chances(features(edges, templates, len(weights)), edges.starts, weights)
    split = [template.split() for template in templates]
    names = sorted({name for parts in split for name in parts})
    columns = np.array([edges.columns[name] for name in names])
    place = {name: k for k, name in enumerate(names)}
    ends = np.cumsum([len(parts) for parts in split])
    salts = np.array([hash_start(number(template)) for template in templates])
    scores = np.zeros(len(edges.heads))
    run(columns, ends, np.array([place[name] for parts in split for name in parts]), salts, weights, scores)
    return among(scores, edges.starts)


def features(edges: Edges, templates: Sequence[str], size: int = EDGE_FEATURES) -> NDArray[np.int32]:
    """[edge, template] numbers."""
    feature_numbers = np.empty((len(edges.heads), len(templates)), np.int32)
    for k, template in enumerate(templates):
        feature_numbers[:, k] = combine_columns([edges.columns[name] for name in template.split()], number(template), size)
    return feature_numbers


LABEL_FEATURES = 1 << 15
_NOUN_TAGS = ("NOUN", "PROPN", "PRON")


def label_features(sentence: EdgeInput, heads: Sequence[int]) -> NDArray[np.int32]:
    """[word, feature] numbers; `heads` are places among the real words, 0 the root."""
    n = len(sentence)
    words = [sentence.words[k - 1] for k in sentence.real]
    tags = ["ROOT", *(UPOS[k] for k in sentence.probabilities.argmax(1))] if n else ["ROOT"]
    kids: list[list[int]] = [[] for _ in range(n + 1)]
    for c, h in enumerate(heads, 1):
        kids[h].append(c)
    briefs = ["ROOT", *(_label_brief(w, tag) for w, tag in zip(words, tags[1:], strict=True))]
    below = ["".join(sorted({tags[k][:3] for k in kids[c] if tags[k] in _TELLING})) for c in range(n + 1)]
    rows = []
    for c, h in enumerate(heads, 1):
        w, t, u = words[c - 1], tags[c], tags[h]
        v = words[h - 1] if h else None
        side = "0" if not h else "<" if h < c else ">"
        far = "0" if not h else str(min(4, abs(h - c)))
        code = RELATIONS[sentence.codes[h, c]]
        mates = [k for k in kids[h] if k != c]
        nouns = sum(tags[k] in _NOUN_TAGS for k in mates)
        before = sum(tags[k] in _NOUN_TAGS for k in mates if k < c)
        same = sum(tags[k] == t and (k < c) == (h > c) for k in mates)
        rel = w.e_rel if code in ("mother", "out", "top", "top-out") else f"?{w.e_rel}"
        case = w.gloss.first(CASES)
        verbal = f"{w.gloss.first(VERBAL)}{bool(w.gloss.first(TENSES))}"
        g = tags[heads[h - 1]] if h else ""
        alone = w.gloss.grams[:1] if not w.gloss.words else ("",)
        rows.append([
            f"{t}{side}{u}", f"{t}{side}{u}|{far}", f"r={rel}", f"r={rel}|{t}", f"r={rel}|{t}{u}", f"r={rel}|{t}{side}{u}", f"r={w.e_rel}|{code}|{side}",
            f"c={case}|{t}{u}", f"c={case}|{t}{side}{u}|{nouns}", f"c={case}|{below[c]}|{t}{u}", f"b={briefs[c]}|{u}{side}", f"b={briefs[c]}|{briefs[h]}",
            f"b={briefs[c]}|{far}{side}", f"k={below[c]}|{t}{side}{u}", f"k={below[c]}|{rel}|{t}", f"v={verbal}|{t}{side}{u}",
            f"v={verbal}|{below[c]}|{t}{u}", f"s={w.stem}|{t}", f"s={w.stem}|{u}", f"s={w.stem}|{side}", f"h={v.stem if v else ''}|{t}{side}",
            f"g={'.'.join(w.gloss.grams)}|{t}", f"g={alone[0] if alone else ''}|{u}{side}", f"o={before}{nouns}|{t}{side}{u}",
            f"o={before}{nouns}|{t}{side}{u}|{rel}", f"m={same}|{t}{side}{u}", f"p={g}|{t}{u}", f"p={g}{below[h]}|{t}{side}{u}",
            f"e={w.e_tag}|{t}{u}", f"e={w.e_tag}{w.e_rel}|{v.e_tag if v else ''}{v.e_rel if v else ''}", f"l={w.lexical}|{t}{u}{side}",
            f"f={c == 1}{c == n}|{t}{u}", f"x={code}|{t}{u}", f"y={w.gloss.shape}{v.gloss.shape if v else ''}|{t}{side}{u}",
            f"q={bool(w.gloss.persons)}{bool(v.gloss.persons) if v else ''}|{t}{side}{u}|{before}",
        ])  # fmt: skip
    feature_numbers = np.zeros((n, len(rows[0]) if rows else 0), np.int32)
    for k, row in enumerate(rows):
        feature_numbers[k] = [crc32(name.encode()) % LABEL_FEATURES for name in row]  # `number`, without its call
    return feature_numbers


_TELLING = frozenset({"ADP", "SCONJ", "CCONJ", "AUX", "DET", "VERB", "NUM", "PRON"})


def _label_brief(w: WordFacts, tag: str) -> str:
    return f"{tag}{w.gloss.role}{w.gloss.first(CASES)}"


TAG_FEATURES = 1 << 15
_GROUPS = {
    "tense": "T", "aspect": "T", "mood": "T", "modal": "T", "auxiliary": "T", "voice": "v", "causative": "v", "verbal": "V", "infinitive": "V",
    "person": "P", "pronoun": "P", "agreement": "a", "case": "C", "core": "C", "genitive": "G", "linker": "L", "article": "D",
    "demonstrative": "D", "gender": "g", "number": "n", "negation": "N", "clause": "S", "relative": "S", "conjunction": "J", "topic": "t",
    "particle": "t", "question": "q", "copula": "B", "classifier": "c", "quantifier": "Q",
}  # fmt: skip
"""Features that are told apart."""


def tagger_features(words: Sequence[WordFacts], usage: Mapping[str, Usage]) -> NDArray[np.int32]:
    """[word, feature] numbers for all words of a sentence."""
    n = len(words)
    rows = [_word_features(w, usage.get(w.form.lower()), first=k == 0) for k, w in enumerate(words)]
    brief = [_tag_brief(w) for w in words]
    around = ["<<", "<", *brief, ">", ">>"]
    longest = max((len(w.form) for w in words), default=1)
    for k in range(n):
        a, b, here, c, d = around[k : k + 5]
        grams = words[k].gloss.grams[:1] or words[k].gloss.words[:1] or ("",)
        rows[k] += [
            f"p1={b}", f"n1={c}", f"p2={a}{b}", f"n2={c}{d}", f"pn={b}|{c}", f"own={here}|{b}", f"own={here}|>{c}",
            f"g={grams[0]}|{b}", f"g={grams[0]}|>{c}", f"size={min(4, n)}|{here}", f"at={min(3, k)}|{min(3, n - 1 - k)}|{here}",
            f"len={8 * len(words[k].form) // longest}|{here[:3]}",
        ]  # fmt: skip
    return _numbers(rows)


def _numbers(rows: list[list[str]]) -> NDArray[np.int32]:
    width = max(map(len, rows), default=0)
    feature_numbers = np.zeros((len(rows), width), np.int32)
    for k, row in enumerate(rows):
        feature_numbers[k, : len(row)] = [
            1 + crc32(name.encode()) % (TAG_FEATURES - 1) for name in row
        ]  # `number`, without its call
    return feature_numbers


def _tag_brief(w: WordFacts) -> str:
    """What neighbours see of a word."""
    if w.mark:
        return "PUNCT"
    shape = w.gloss.shape
    return f"{shape}{w.lexical or w.e_tag}{w.gloss.role}"


def _word_features(w: WordFacts, usage: Usage | None, *, first: bool) -> list[str]:
    gloss = w.gloss
    shape = gloss.shape
    stem = w.stem
    role = gloss.role
    hidden = {"person"} if role == "aux" else set()
    kinds = "+".join(sorted(set(gloss.kinds) - hidden))
    case, tense, verbal = gloss.first(CASES), gloss.first(TENSES), gloss.first(VERBAL)
    person = gloss.persons[0] if gloss.persons and not hidden else ""
    title = w.form[:1].isupper() and w.form[1:].islower() and not first
    groups = "".join(sorted({_GROUPS.get(kind, "o") for kind in gloss.kinds if kind not in hidden}))
    used = usage or Usage(0, "", 0, 0, 0)
    lexical = f"{w.lexical}{w.doubt}"
    names = [
        f"mark={w.mark}",
        f"shape={shape}",
        f"stem={stem}" if stem else f"bare={'.'.join(gloss.grams)}{role}",
        f"stem={stem}|{w.e_tag}",
        f"lex={w.lexical}",
        f"lex={lexical}",
        f"lex={lexical}|{shape}",
        f"role={role}|{shape}",
        f"role={role}|{used.share}",
        f"role={role}|{w.e_tag}",
        f"role={role}|{used.first}{used.last}",
        f"e={w.e_tag}|{w.link}",
        f"e={w.e_tag}|{w.e_rel}",
        f"e={w.e_tag}|{lexical}",
        f"e={w.e_tag}|{lexical}|{shape}",
        f"kinds={kinds}|{shape}",
        f"kinds={kinds}|{w.lexical}",
        f"kinds={kinds}|{w.e_tag}",
        f"case={case}|{w.lexical}",
        f"tense={tense}|{w.lexical}",
        f"tam={bool(tense)}{bool(case)}{bool(person)}|{lexical}|{w.e_tag}",
        f"verbal={verbal}|{w.lexical}|{shape}",
        f"person={person}|{shape}",
        f"person={bool(person)}|{shape}|{w.e_tag}",
        f"title={title}|{w.e_tag}|{w.lexical}",
        f"title={title}|{shape}|{bool(stem and w.lexical)}",
        f"same={stem == w.form.lower()}|{w.e_tag}|{title}",
        f"used={used.share}|{shape}",
        f"used={used.share}|{w.lexical}|{used.linked}",
        f"usual={used.e_tag}|{used.linked}|{w.lexical}",
        f"usual={used.e_tag}|{w.e_tag}|{shape}",
        f"ends={used.first}{used.last}|{shape}|{kinds if shape == 'G' else w.lexical}",
        f"groups={groups}|{shape}",
        f"groups={groups}|{w.lexical}",
        f"groups={groups}|{shape}|{w.e_tag}",
        f"groups={groups}|{used.share}|{used.first}{used.last}",
        f"hyphen={w.form[:1] in '-='}{w.form[-1:] in '-='}|{shape}",
    ]
    names += [f"part={word}" for word in gloss.words[:3]] if len(gloss.words) > 1 else []
    shown = [gram for gram, kind in zip(gloss.grams, gloss.kinds, strict=True) if kind not in hidden]
    names += [name for gram in shown[:4] for name in (f"gram={gram}|{shape}", f"gram={gram}|{w.lexical}")]
    if len(gloss.words) > 1:
        names.append(f"many={len(gloss.words)}|{w.lexical}|{w.e_tag}")
    return names


PLAIN = tuple(
    """
side c_tag
far
c_tag h_tag side
c_tag h_tag far
c_tag far
h_tag far
c_tags h_tags side
c_tags far
h_tags side
c_gram h_tag side
c_gram far
c_gram c_tag side
h_gram c_tag side
c_kind h_tag far
c_kind h_kind side
c_kind far c-
c_kind far c+
h_kind c_tag side
c_case h_tag side
c_case c_tag h_tag far
c_case c_tag h_verbal side
h_case c_case side
h_case c_tag h_tag side
c_verbal c_tag h_tag side
c_verbal h_verbal c_tag h_tag
h_verbal c_tag edge side
c_tam h_tam side
c_tam c_tag h_tag h_tam side
c_person c_tag h_tag side
h_person c_tag side
c_stem side
c_stem far
c_stem h_tag side
h_stem c_tag side
c_stem h_stem
c_shape h_shape side
c_shape h_shape far
c_shape h_tag
c_tag h_tag c- side
c_tag h_tag c+ side
c_tag h_tag h- side
c_tag h_tag h+ side
c_tag h_tag c- c+ far
c_tag h_tag h- h+ side
c_tag h_tag c+ h- far
c_tag h_tag c- h+ far
c_kind h_tag h- h+ side
c_tag h_tag nouns verbs side
c_kind nouns verbs side
c_tag nouns verbs far
c_tag h_tag marks side
c_tag h_tag marks nouns verbs
c_kind marks side
c_tag h_tag place edge
c_kind h_kind place edge
c_tag place size side
c_tag c_verbal place side
c_tam place edge side
c_tag verbs side place
order
order side
order far
order c_tag h_tag
order c_kind h_tag
order c_tag h_tag far
order nouns verbs
bits c_tag h_tag side
vo c_tag h_tag side
vo c_tag h_tag far
vo c_kind h_tag side
vo c_tag place side
vo c_tag h_tag edge
vo c_tag h_tag nouns verbs side
vo c_case h_tag side
po c_tag h_tag side
po c_kind h_tag far
na c_tag h_tag side
vo po c_kind far
""".strip().split("\n")
)
"""Without the translation."""


LINKED = tuple(
    """
code
code side
code far
code c_tag h_tag
code c_tag h_tag side
code c_link h_link
code c_link h_link c_tag h_tag
code c_e_rel
code c_e_rel h_tag
code c_e_rel h_tag side
code c_e_rel h_e_rel
code c_e_rel h_e_rel side
code c_kind h_tag
code c_kind h_kind
code c_gram
code c_shape h_shape
code c_stem
code order
code nouns verbs
code marks far
code vo side c_tag
c_e_tag h_e_tag side
c_e_tag h_e_tag far
c_e_rel h_e_rel far
c_e_rel h_tag side
c_e_rel c_tag h_tag side
c_link h_link far
c_link c_kind far
c_e_rel place side
p5
p5 p5rank
p5 p5rank code
p5 code c_tag h_tag
p5 c_tag h_tag
p5 c_kind
p5 c_gram
p5 far
p5 code far
p5 order
p5 c_link h_link
p5 vo c_tag
p5rank c_tag h_tag side
p5rank c_kind h_kind
p5rank c_e_rel
p5rank nouns verbs
p5rank marks
p5 size
p5rank p5 h_kind
pa
pa p5
pa p5 code
pa p5 c_tag
pa p5 c_link
parank p5rank code
parank p5rank c_tag h_tag
parank p5rank far
pa p5rank c_kind
""".strip().split("\n")
)
"""With the translation's tree, what s5 believes (`p5`) and what the model without translation believes (`pa`)."""
