"""All trees of a few words, one after another: what decoders, sums and n-best lists are compared with."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np


@cache
def all_trees(n):
    """Every tree over words 1..n with one root, as tuples of heads."""
    return [heads for heads in itertools.product(range(n + 1), repeat=n) if is_tree(heads)]


@cache
def projective_trees(n):
    return [heads for heads in all_trees(n) if is_projective(heads)]


def is_tree(heads):
    """One root, and every word leads to it."""
    return sum(h == 0 for h in heads) == 1 and all(0 in ancestors(heads, k) for k in range(1, len(heads) + 1))


def ancestors(heads, word):
    """Heads upwards until the root, or until one comes twice."""
    found = []
    while word > 0 and word not in found:
        found.append(word)
        word = heads[word - 1]
    return [*found[1:], word]


def is_projective(heads):
    """Whatever stands between a word and its head hangs below the head."""
    return all(h in ancestors(heads, k) for c, h in enumerate(heads, 1) for k in range(min(c, h) + 1, max(c, h)))


def edge_sum(scores, heads):
    return sum(scores[h, c] for c, h in enumerate(heads, 1))


def sibling_parts(heads):
    """(head, inner neighbour, child) of every word; the neighbour of the innermost child is the head itself."""
    found = []
    for h in range(len(heads) + 1):
        children = [c for c, head in enumerate(heads, 1) if head == h]
        for side in ([c for c in reversed(children) if c < h], [c for c in children if c > h]):
            found += [(h, s, c) for s, c in itertools.pairwise([h, *side])]
    return found


def grandparent_parts(heads):
    """(grandparent, head, child) of every word whose head has a head."""
    return [(heads[h - 1], h, c) for c, h in enumerate(heads, 1) if h > 0]


def tree_sum(heads, scores, siblings=None, grand=None):
    """The score of a tree: the sum of its parts."""
    total = float(edge_sum(scores, heads))
    if siblings is not None:
        total += sum(float(siblings[part]) for part in sibling_parts(heads))
    if grand is not None and len(grand):
        total += sum(float(grand[part]) for part in grandparent_parts(heads))
    return total


def chances_by_force(scores, trees):
    """The probability of every edge over these trees, and log Z."""
    sums = np.array([edge_sum(scores, heads) for heads in trees])
    top = sums.max()
    odds = np.exp(sums - top)
    chances = np.zeros_like(scores)
    for heads, odd in zip(trees, odds / odds.sum(), strict=True):
        chances[list(heads), range(1, len(scores))] += odd
    return chances, top + np.log(odds.sum())
