"""Random trees and forests, and brute force over all trees of a small forest."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

from divproj.forest import build
from divproj.forest.hypergraph import Edge, Forest
from divproj.forest.trees import PhraseTree, TreeBuilder

LABELS = ("S", "NP", "VP", "PP", "ADJP")
TAGS = ("NN", "VBD", "DT", "JJ", "IN")


def random_tree(chance: random.Random, words: int, *, unary: float = 0.2, forms: tuple[str, ...] = ()) -> PhraseTree:
    """An n-ary tree with unary chains over so many words."""
    builder = TreeBuilder()
    names = forms or tuple(f"w{k}" for k in range(words))
    stack: list[tuple[int, int] | None] = [(0, words)]
    while stack:
        item = stack.pop()
        if item is None:
            builder.close()
            continue
        start, end = item
        while chance.random() < unary:
            builder.open(chance.choice(LABELS))
            stack.append(None)
        stack.append(None)
        if end - start == 1:
            builder.open(chance.choice(TAGS))
            builder.word(names[start])
            continue
        builder.open(chance.choice(LABELS))
        cuts = sorted(chance.sample(range(start + 1, end), chance.randint(1, min(3, end - start - 1))))
        parts = list(itertools.pairwise([start, *cuts, end]))
        stack += reversed(parts)
    return builder.tree()


def random_forest(chance: random.Random, words: int, trees: int) -> Forest:
    """Several trees packed, with weights that are not normalised."""
    packed = build.from_n_best([random_tree(chance, words) for _ in range(trees)], pack=chance.choice(("nodes", "trees")))
    edges = tuple(Edge(e.parent, e.left, e.right, chance.uniform(-2, 1)) for e in packed.edges)
    return replace(packed, edges=edges)


def all_trees(forest: Forest, node: int | None = None) -> Iterator[frozenset[int]]:
    """The edges of every tree, one after another."""
    node = forest.root if node is None else node
    if not forest.edges_of[node]:
        yield frozenset()
    for k in forest.edges_of[node]:
        edge = forest.edges[k]
        for left in all_trees(forest, edge.left):
            for right in all_trees(forest, edge.right):
                yield left | right | {k}
