"""Banks in another word order: the same trees, glosses and links, with the dependents of some relations on the other side of their heads.

There are few languages with glossed treebanks. Networks that see each bank in a second order do not take the orders of these few for granted
(after Wang & Eisner 2016, who made treebanks of new orders from those of two languages each; here the sides are drawn by chance).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.projection.glossed.training import GlossedTreebank

TOGETHER = (
    ("nsubj", "csubj"), ("obj", "iobj", "ccomp", "xcomp"), ("obl", "advcl"), ("aux",), ("cop",), ("mark",), ("advmod",), ("amod",), ("nmod",),
    ("det", "clf"), ("case",), ("nummod",), ("acl",), ("compound",), ("discourse", "vocative"),
)  # fmt: skip
"""Relations that change sides together; the others stay where they are."""
CHANCE = 0.4
"""That a group of relations changes sides."""


def reordered(bank: GlossedTreebank, seed: int) -> GlossedTreebank:
    """The bank in an order drawn by `seed`, one for all its sentences; sentences with a word that has no head are left out."""
    chance = np.random.default_rng(seed)
    moved = {rel for rels in TOGETHER if chance.random() < CHANCE for rel in rels}
    bitexts, gold = [], []
    for bitext, tree in zip(bank.sentences, bank.gold, strict=True):
        order = new_order(tree, moved)
        if len(order) != len(tree):
            continue
        place = {0: 0} | {word: k for k, word in enumerate(order, 1)}
        bitexts.append(
            replace(
                bitext,
                forms=_taken(bitext.forms, order),
                glosses=_taken(bitext.glosses, order),
                links=Links.of(((place[i], j) for i, j in bitext.links), bitext.links.shape),
                sent_id=f"{bitext.sent_id}~{seed}",
            )
        )
        columns = {name: _taken(getattr(tree, name), order) for name in ("forms", "deprels", "upos", "xpos", "lemmas", "feats")}
        gold.append(replace(tree, heads=tuple(place[tree.heads[word - 1]] for word in order), **columns))
    return GlossedTreebank(f"{bank.name}~{seed}", bank.family, bitexts, gold)


def new_order(tree: DepTree, moved: set[str]) -> list[int]:
    """The words with dependents of `moved` relations on the other side of their heads, each subtree together; [] where a head is missing."""
    if any(head < 0 for head in tree.heads):
        return []
    kids: list[list[int]] = [[] for _ in range(len(tree) + 1)]
    for child, head in enumerate(tree.heads, 1):
        kids[head].append(child)

    def line(head: int) -> list[int]:
        before, after = [], []
        for child in kids[head]:
            left = (child < head) != (tree.deprels[child - 1].partition(":")[0] in moved)
            (before if left else after).append(child)
        before.sort(key=lambda child: -abs(child - head))
        after.sort(key=lambda child: abs(child - head))
        words = [word for child in before for word in line(child)]
        return words + [head] * (head > 0) + [word for child in after for word in line(child)]

    return line(0)


def _taken(column: tuple[str, ...], order: list[int]) -> tuple[str, ...]:
    return tuple(column[word - 1] for word in order) if column else column
