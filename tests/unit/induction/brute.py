"""What the kernels are proved against: every tree, every alignment tree, in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache

import numpy as np


@cache
def all_trees(i: int, j: int):
    """Every binary tree over words i..j-1, as tuples of spans, parents before kids, leaves too."""
    if j - i == 1:
        return (((i, j),),)
    return tuple(((i, j), *left, *right) for k in range(i + 1, j) for left in all_trees(i, k) for right in all_trees(k, j))


def arrays(tree):
    """start, end, left, right of a tree of spans, parents before kids as the kernels want them."""
    order = [tree[0]]
    spans = set(tree)
    left, right = [], []
    for i, j in order:
        if j - i == 1:
            left.append(-1)
            right.append(-1)
            continue
        k = next(k for k in range(i + 1, j) if (i, k) in spans and (k, j) in spans)
        left.append(len(order))
        right.append(len(order) + 1)
        order += [(i, k), (k, j)]
    columns = ([i for i, _ in order], [j for _, j in order], left, right)
    return tuple(np.array(column, np.int32) for column in columns)


def ancestors(parents):
    """All (ancestor, descendant) pairs of a parent map."""
    found = set()
    for node in parents:
        up = parents[node]
        while up is not None:
            found.add((up, node))
            up = parents[up]
    return found


def tree_parents(left, right):
    parents = {0: None}
    for node, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        if a >= 0:
            parents[a] = parents[b] = node
    return parents


def alignment_trees(left1, right1, left2, right2):
    """Every alignment tree: T2's nodes put one by one into T1, matched, below a node over some of its kids, or on top.

    Each is a frozenset of (label, parent's label); a label is (a, b) with None for a blank.
    """
    return _alignment_trees(*(tuple(tree_parents(*sides).items()) for sides in ((left1, right1), (left2, right2))))


@cache
def _alignment_trees(one, two):
    one, two = dict(one), dict(two)
    wanted = ancestors(two)
    states = {frozenset(((a, None), None if up is None else (up, None)) for a, up in one.items())}
    for b in sorted(two):
        states = {new for state in states for new in _with(state, b) if _fits(new, wanted)}
    return states


def _with(state, b):
    parents = dict(state)
    for label in parents:
        if label[1] is None:  # match an unmatched node of T1
            renamed = {label: (label[0], b)}
            yield frozenset((renamed.get(x, x), renamed.get(up, up)) for x, up in parents.items())
    new = (None, b)
    for label in [None, *parents]:
        kids = [x for x, up in parents.items() if up == label]
        for size in range(len(kids) + 1):
            for adopted in itertools.combinations(kids, size):
                if label is None and size != 1:  # one root
                    continue
                yield frozenset({(x, new if x in adopted else up) for x, up in parents.items()} | {(new, label)})


def _fits(state, wanted):
    """Whether the order of T2's nodes so far is that of T2."""
    parents = dict(state)
    seen = {x[1] for x in parents if x[1] is not None}
    found = {(x[1], y[1]) for x, y in ancestors(parents) if x[1] is not None and y[1] is not None}
    return found == {(x, y) for x, y in wanted if x in seen and y in seen}


def matching(state):
    return frozenset((a, b) for (a, b), _ in state if a is not None and b is not None)


def weight(pairs, rho) -> Fraction:
    made = Fraction(1)
    for a, b in pairs:
        made *= rho[a][b]
    return made


def comb(n):
    return (*(span for i in range(n - 1) for span in ((i, n), (i, i + 1))), (n - 1, n))


def balanced4():
    return ((0, 4), (0, 2), (2, 4), (0, 1), (1, 2), (2, 3), (3, 4))
