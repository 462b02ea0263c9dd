"""Induced trees and charts for others: phrase trees, packed forests. Punctuation, which induction does not see, comes back.

A mark belongs to the word before it, one at the beginning of a sentence to the first word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from divproj.data.tree import DepTree
from divproj.forest.hypergraph import Forest, Node
from divproj.forest.pack import Packer
from divproj.forest.parses import normalised
from divproj.forest.trees import Constituent, PhraseTree
from divproj.induction.gold import kept_words
from divproj.induction.grammar import Chart, best
from divproj.induction.spans import Tree

LABEL = "X"
"""Induced phrases have no category."""


@dataclass(frozen=True)
class Tagged:
    """A sentence with all its words, and the tags of those that induction sees (`kept`, counted from 0)."""

    forms: tuple[str, ...]
    all_tags: tuple[str, ...]
    kept: tuple[int, ...]
    sent_id: str = ""

    @classmethod
    def of(cls, tree: DepTree, kind: str = "auto", sent_id: str = "") -> Tagged:
        return cls(tree.forms, tree.tags(kind), tuple(k - 1 for k in kept_words(tree)), sent_id)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.all_tags[k] for k in self.kept)

    @property
    def bounds(self) -> tuple[int, ...]:
        """Where the units (a word and the marks that belong to it) begin, and the end."""
        return (0, *self.kept[1:], len(self.forms))


def phrase_tree(sentence: Tagged, tree: Tree) -> PhraseTree:
    """The tree over all words; marks stand beside the word that they belong to.

    >>> s = Tagged(("so", "it", "goes", "."), ("ADV", "PRON", "VERB", "PUNCT"), (0, 1, 2))
    >>> [(x.label, x.start, x.end) for x in phrase_tree(s, ((0, 3), (1, 3))).nodes if x.children]
    [('X', 1, 4), ('X', 0, 4)]
    """
    n, bounds = len(sentence.forms), sentence.bounds
    nodes = [Constituent(tag, k, k + 1) for k, tag in enumerate(sentence.all_tags)]
    if n > 1 and len(sentence.kept) < 2:
        nodes.append(Constituent(LABEL, 0, n, tuple(range(n))))
        return PhraseTree(sentence.forms, tuple(nodes), tags=sentence.all_tags, sent_id=sentence.sent_id)
    place: dict[tuple[int, int], tuple[int, ...]] = {
        (u, u + 1): tuple(range(bounds[u], bounds[u + 1])) for u in range(len(sentence.kept))
    }
    spans = set(tree)
    for i, j in sorted(tree, key=lambda span: span[1] - span[0]):
        k = next(k for k in range(i + 1, j) if all(b - a == 1 or (a, b) in spans for a, b in ((i, k), (k, j))))
        nodes.append(Constituent(LABEL, bounds[i], bounds[j], place[i, k] + place[k, j]))
        place[i, j] = (len(nodes) - 1,)
    return PhraseTree(sentence.forms, tuple(nodes), tags=sentence.all_tags, sent_id=sentence.sent_id)


def forest_of(sentence: Tagged, chart: Chart, prune: float = 0.001) -> Forest:
    """The chart as a packed forest; weights are log p(split | phrase), so the sum over all trees is 1.

    Splits with a marginal below `prune` are left out, but every phrase keeps its best one, and the best tree stays.
    """
    units, packer = len(sentence.kept), Packer()
    if not units:
        sentence = Tagged(sentence.forms, sentence.all_tags, (0,), sentence.sent_id)
        units = 1
    number = {(u, u + 1): _unit(packer, sentence, u) for u in range(units)}
    bounds = sentence.bounds

    def phrase(i: int, j: int) -> int:
        if (i, j) not in number:
            number[i, j] = packer.node(Node(bounds[i], bounds[j], LABEL), (i, j))
        return number[i, j]

    for (i, j), splits in _kept_splits(chart, units, prune).items():
        for k, weight in splits.items():
            packer.edge(phrase(i, j), phrase(i, k), phrase(k, j), weight)
    forest = packer.forest(sentence.forms, number[0, units], tags=sentence.all_tags, sent_id=sentence.sent_id)
    return normalised(forest).check()


def _unit(packer: Packer, sentence: Tagged, u: int) -> int:
    """The node of a word with its marks: they join one by one, in virtual nodes."""
    word, first, last = sentence.kept[u], sentence.bounds[u], sentence.bounds[u + 1]
    leaves = {k: packer.node(Node(k, k + 1, sentence.all_tags[k], k, k), ("leaf", k)) for k in range(first, last)}
    made = leaves[word]
    for k in range(word + 1, last):
        whole = packer.node(Node(word, k + 1, LABEL, word, word, virtual=True), ("unit", word, k + 1))
        packer.edge(whole, made, leaves[k])
        made = whole
    for k in range(word - 1, first - 1, -1):
        whole = packer.node(Node(k, last, LABEL, word, word, virtual=True), ("unit", k, last))
        packer.edge(whole, leaves[k], made)
        made = whole
    return made


def _kept_splits(chart: Chart, n: int, prune: float) -> dict[tuple[int, int], dict[int, float]]:
    """For each phrase that is kept its splits with their log probabilities."""
    chosen = set(best(chart.ratio, 0)) if n > 1 else set()
    found: dict[tuple[int, int], dict[int, float]] = {}
    stack = [(0, n), *sorted(chosen)]
    while stack:
        i, j = stack.pop()
        if (i, j) in found or j - i < 2:
            continue
        ks = np.arange(i + 1, j)
        logs = chart.splits(i, j)
        keep = np.exp(logs) * chart.marginals[i, j] >= prune
        keep[int(logs.argmax())] = True
        for at, k in enumerate(ks.tolist()):
            keep[at] |= (i, j) in chosen and all(b - a == 1 or (a, b) in chosen for a, b in ((i, k), (k, j)))
        found[i, j] = {int(k): min(float(x), 0.0) for k, x in zip(ks[keep], logs[keep], strict=True) if x > -math.inf}
        stack += [part for k in found[i, j] for part in ((i, k), (k, j))]
    return found
