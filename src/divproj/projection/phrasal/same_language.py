"""Where F and E are one language (paraphrases): a small parser learned from E's trees says what it thinks of F's edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from divproj.data.tagsets import universal
from divproj.data.tree import DepTree
from divproj.parsing.atoms import ParserInput
from divproj.parsing.parser import MstParser

LEAST = 20
"""Trees from which a parser is worth learning."""
EPOCHS = 5


def parser_of(trees: Sequence[DepTree]) -> MstParser | None:
    """A parser of single edges, learned from nine tenths of the trees and calibrated on the others; None for too few trees."""
    usable = [tree for tree in trees if len(tree)]
    if len(usable) < LEAST:
        return None
    held = usable[::10]
    learned = [tree for k, tree in enumerate(usable) if k % 10]
    parser = MstParser(order=1, labels=False, epochs=EPOCHS).fit([_seen(tree) for tree in learned], learned)
    return parser.calibrate([_seen(tree) for tree in held], held)


def edge_chances(parser: MstParser, forms: tuple[str, ...], tags: Sequence[str]) -> NDArray[np.float64]:
    """Probabilities of all edges [h, c] of a sentence with these tags."""
    return next(iter(parser.marginals([ParserInput(forms, tuple(tags))])))


def _seen(tree: DepTree) -> ParserInput:
    return ParserInput(tree.forms, tuple(universal(tag) for tag in tree.tags()))
