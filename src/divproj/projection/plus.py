"""s2+: a log-linear model that chooses each head among the candidates that the projections offer, then a tree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from divproj.projection.candidates import Lattice, Lexicon
from divproj.projection.s1 import Bitext, Projection
from divproj.types import TreePair

Scored = list[tuple[int, float]]


@dataclass
class HeadModel:
    """Weights of named features; the score of an edge is their sum."""

    weights: dict[str, float] = field(default_factory=dict)
    penalty: float = 1.0
    lexicon: Lexicon = field(default_factory=Lexicon)

    def fit(self, pairs: Iterable[TreePair], min_count: int = 2) -> HeadModel:
        """Conditional log-likelihood of the gold heads, L2, by L-BFGS."""
        from scipy.optimize import minimize
        from scipy.sparse import csr_matrix

        columns: dict[str, int] = {}
        counts: Counter[str] = Counter()
        groups: list[list[list[str]]] = []
        golds: list[int] = []
        pairs = list(pairs)
        self.lexicon = Lexicon.of(map(Bitext.of, pairs))
        for pair in pairs:
            lattice = Lattice(Bitext.of(pair), self.lexicon)
            for word, gold in enumerate(pair.f.heads, 1):
                if gold < 0:
                    continue
                heads = lattice.heads(word)
                if gold not in heads:
                    continue
                rows = [list(lattice.features(word, head)) for head in heads]
                groups.append(rows)
                golds.append(heads.index(gold))
                counts.update(set().union(*rows))
        if not groups:
            return self
        indices: list[int] = []
        indptr = [0]
        starts = [0]
        chosen = []
        for rows, gold in zip(groups, golds, strict=True):
            chosen.append(starts[-1] + gold)
            for row in rows:
                for name in row:
                    if counts[name] >= min_count:
                        indices.append(columns.setdefault(name, len(columns)))
                indptr.append(len(indices))
            starts.append(starts[-1] + len(rows))
        design = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(starts[-1], len(columns)))
        first = np.array(starts[:-1])
        sizes = np.diff(starts)
        picked = np.array(chosen)
        observed = np.asarray(design[picked].sum(axis=0)).ravel()

        def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
            scores = design @ w
            top = np.maximum.reduceat(scores, first)
            odds = np.exp(scores - np.repeat(top, sizes))
            totals = np.add.reduceat(odds, first)
            share = odds / np.repeat(totals, sizes)
            value = (np.log(totals) + top).sum() - scores[picked].sum() + 0.5 * self.penalty * (w @ w)
            return value, design.T @ share - observed + self.penalty * w

        found = minimize(loss, np.zeros(len(columns)), jac=True, method="L-BFGS-B", options={"maxiter": 100})
        self.weights = {name: float(found.x[k]) for name, k in columns.items() if abs(found.x[k]) > 1e-4}
        return self

    def scores(self, lattice: Lattice) -> list[Scored]:
        """For each word its candidate heads with probabilities."""
        weight = self.weights.get
        scored = []
        for word in range(1, len(lattice.bitext) + 1):
            heads = lattice.heads(word)
            sums = [sum(weight(name, 0.0) for name in lattice.features(word, head)) for head in heads]
            top = max(sums)
            odds = [math.exp(s - top) for s in sums]
            total = sum(odds)
            scored.append([(head, odd / total) for head, odd in zip(heads, odds, strict=True)])
        return scored

    def project(self, bitext: Bitext) -> Projection:
        lattice = Lattice(bitext, self.lexicon)
        scored = self.scores(lattice)
        heads = best_tree(scored)
        chances = [dict(options) for options in scored]
        reasons = ["projected"] * len(heads)
        return Projection(bitext, tuple(heads), tuple(reasons), tuple(c.get(h, 0.0) for c, h in zip(chances, heads, strict=True)))


def best_tree(scored: Sequence[Scored]) -> list[int]:
    """The most probable tree with one root over the candidates; the best head of each word when that is one."""
    greedy = [max(options, key=lambda o: o[1])[0] for options in scored]
    from divproj.types import cycles

    if greedy.count(0) == 1 and not cycles(greedy):
        return greedy
    best: tuple[float, list[int]] = (-math.inf, greedy)
    roots = sorted(range(len(scored)), key=lambda k: -dict(scored[k]).get(0, 0.0))[:4]
    for root in roots:
        found = _arborescence(scored, root + 1)
        if found and found[0] > best[0]:
            best = found
    return best[1]


def _arborescence(scored: Sequence[Scored], root: int) -> tuple[float, list[int]] | None:
    """Chu-Liu/Edmonds with this root, on log probabilities; every other word may hang on the root at worst."""
    n = len(scored)
    score = np.full((n + 1, n + 1), -1e3)  # [head, child]
    for child, options in enumerate(scored, 1):
        for head, chance in options:
            if head:
                score[head, child] = math.log(chance + 1e-12)
    heads = _edmonds(score[1:, 1:], root - 1)
    total = math.log(dict(scored[root - 1]).get(0, 0.0) + 1e-12)
    made = [0] * n
    for child, head in enumerate(heads):
        if child == root - 1:
            continue
        made[child] = head + 1
        total += score[head + 1, child + 1]
    return total, made


def _edmonds(score: np.ndarray, root: int) -> list[int]:
    n = len(score)
    score = score.copy()
    np.fill_diagonal(score, -np.inf)
    score[:, root] = -np.inf
    heads = score.argmax(axis=0)
    heads[root] = -1
    cycle = _cycle(heads, root)
    if not cycle:
        return heads.tolist()
    inside = np.zeros(n, bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    gain = score - np.array([score[heads[c], c] if inside[c] else 0.0 for c in range(n)])
    size = len(outside) + 1
    small = np.full((size, size), -np.inf)
    small[:-1, :-1] = score[np.ix_(outside, outside)]
    enter = np.array([max(cycle, key=lambda c: gain[o, c]) for o in outside])
    leave = np.array([max(cycle, key=lambda c: score[c, o]) for o in outside])
    small[:-1, -1] = gain[outside, enter]
    small[-1, :-1] = score[leave, outside]
    sub = _edmonds(small, int(np.flatnonzero(outside == root)[0]))
    result = heads.copy()
    for k, o in enumerate(outside):
        if o != root:
            result[o] = leave[k] if sub[k] == size - 1 else outside[sub[k]]
    breaker = enter[sub[-1]]
    result[breaker] = outside[sub[-1]]
    return result.tolist()


def _cycle(heads: np.ndarray, root: int) -> list[int]:
    mark = np.full(len(heads), -1)
    for start in range(len(heads)):
        k = start
        path = []
        while k >= 0 and k != root and mark[k] < 0:
            mark[k] = start
            path.append(k)
            k = int(heads[k])
        if k >= 0 and k != root and mark[k] == start:
            return path[path.index(k) :]
    return []
