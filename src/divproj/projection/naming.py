"""Relations for s4+ and s5+ that start from s6: those of s6+, or what the gold trees teach where that is better.

What is learned sees, beside words, tags and glosses, the relation that s6+ gives. Each fifth of the gold trees is judged by what
the others teach; only a gain beyond chance counts. Annotators differ in relations more than in heads, so this pays in some
languages and harms in others (bench/RESULTS.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from divproj.data.tree import DepTree
from divproj.parsing.atoms import ParserInput
from divproj.parsing.parser import MstParser
from divproj.projection.settings import CORRECTION_FOLDS, NAMER

COLUMNS = 3
"""Columns that a namer sees beside words and tags: relation, grams, stem."""


def with_relations(seen: ParserInput, rels: Sequence[str]) -> ParserInput:
    """What a parser sees of a sentence, with the relations that s6+ gives and without codes of edges."""
    return replace(seen, more=(tuple(rels), *seen.more), codes=None)


def namer(
    seen: Sequence[ParserInput], trees: Sequence[DepTree], said: Sequence[Sequence[str]], seed: int = 1
) -> MstParser | None:
    """What names the relations of a tree, learned from gold trees; None where s6+ does as well.

    `said` are the relations that s6+ gives to the gold trees, learned without each.
    """
    some = [k for k, tree in enumerate(trees) if len(tree) and min(tree.heads) >= 0]
    if len(some) < CORRECTION_FOLDS:
        return None
    gained = lost = 0
    for fold in range(CORRECTION_FOLDS):
        rest = [k for place, k in enumerate(some) if place % CORRECTION_FOLDS != fold]
        learned = _fitted([seen[k] for k in rest], [trees[k] for k in rest], seed)
        for k in some[fold::CORRECTION_FOLDS]:
            new = learned.relations(seen[k], trees[k].heads)
            for head, gold, own, old in zip(trees[k].heads, *map(_bare, (trees[k].rels, new, said[k])), strict=True):
                gained += head > 0 and own == gold != old
                lost += head > 0 and own != gold == old
    return (
        _fitted([seen[k] for k in some], [trees[k] for k in some], seed) if gained - lost > math.sqrt(gained + lost) else None
    )


def _fitted(seen: Sequence[ParserInput], trees: Sequence[DepTree], seed: int) -> MstParser:
    return MstParser(**NAMER, random_state=seed).fit(seen, trees)


def _bare(rels: Sequence[str]) -> list[str]:
    """Relations without subtypes."""
    return [rel.partition(":")[0] for rel in rels]
