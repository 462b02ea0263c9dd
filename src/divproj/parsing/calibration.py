"""How probabilities follow from scores, where there are no sentences to spare for judging it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from divproj.data.tree import DepTree
from divproj.parsing.atoms import ParserInput
from divproj.parsing.parser import MstParser


def calibrate_by_twin(
    parser: MstParser, seen: Sequence[ParserInput], trees: Sequence[DepTree], options: dict[str, Any]
) -> None:
    """Set the parser's scale by that of a smaller twin, judged on sentences that the twin did not learn from.

    Scores grow with the sentences learned from; so the twin's scale is corrected by how far apart heads are scored by each.
    """
    some = min(len(seen), 1000)
    held = [k for k in range(some) if k % 5 == 4]
    rest = [k for k in range(some) if k % 5 != 4]
    if len(held) < 3:
        return
    twin = MstParser(**{**options, "labels": False, "decoder": "nonproj" if parser.crossing_ else "proj", "epochs": 5})
    twin.fit([seen[k] for k in rest], [trees[k] for k in rest])
    tested = [seen[k] for k in held]
    twin.calibrate(tested, [trees[k] for k in held])
    parser.scale_ = twin.scale_ * _spread(twin, tested) / max(_spread(parser, tested), 1e-9)


def _spread(parser: MstParser, seen: Sequence[ParserInput]) -> float:
    """Mean deviation of the scores of a word's heads."""
    return float(np.mean([scores[:, 1:].std(axis=0).mean() for scores in parser.edge_scores(seen)]))
