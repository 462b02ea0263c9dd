"""What a projection and its links say of every possible edge, as codes for the parser (§3.6: ProjBool, AlignType)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from divproj.projection.direct import REASONS, Projection, ProjectionInput
from divproj.projection.settings import CHANCE_BINS, USUAL_CONFIDENCE

PAPER = ("proj", "single", "match", "merge")
"""Eqs. 12-13: the edge is projected; how the two ends are linked; E has the edge; both ends share an E word."""
EXTRAS = ("undirected", "distance", "together", "confidence", "reason")
"""Switches beyond the paper: the projected edge either way round, steps in the projected tree, PROJ with the kinds of both
ends, how sure the projection is, why it made the edge."""
FEATURES = (*PAPER, *EXTRAS)
NO_LINKS = 99
"""Code of every edge of a sentence without any link; all other codes are then 0."""


def slots(features: Sequence[str]) -> int:
    """Codes an edge: `single` has one for each end."""
    return len(features) + ("single" in features)


def codes(
    bitext: ProjectionInput,
    projected: Projection,
    features: Sequence[str] = PAPER,
    chances: NDArray[np.float64] | None = None,
    *,
    knows_unlinked: bool = False,
) -> NDArray[np.int32]:
    """codes[h, c, slot] for the parser; `chances[h, c]`, where given, are the projection's own probabilities of all edges.

    A sentence without any link has one code throughout, unless the projection knows of such sentences.
    """
    n1 = len(bitext) + 1
    made = np.zeros((n1, n1, slots(features)), np.int32)
    if not knows_unlinked and not bitext.links.links:
        made[:, :, :1] = NO_LINKS
        return made
    heads = np.array((-1, *projected.heads))
    words = np.arange(1, n1)
    edge = np.zeros((n1, n1), bool)
    edge[heads[1:], words] = True
    kinds = np.array([0, *(2 if not images else 1 if len(images) == 1 else 3 for images in bitext.links.forward[1:])])
    slot = 0
    for name in features:
        if name == "proj":
            made[:, :, slot] = edge
        elif name == "single":
            made[:, :, slot] = kinds[:, None]
            slot += 1
            made[:, :, slot] = kinds[None, :]
        elif name == "match":
            made[:, :, slot] = _match(bitext)
        elif name == "merge":
            links = bitext.links.matrix.astype(np.int32)
            made[:, :, slot] = links @ links.T > 0
        elif name == "undirected":
            made[:, :, slot] = edge | edge.T
        elif name == "distance":
            made[:, :, slot] = _steps(heads)
        elif name == "together":
            made[:, :, slot] = edge * (1 + 4 * kinds[:, None] + kinds[None, :])
        elif name == "confidence":
            sure = (
                chances
                if chances is not None
                else edge * np.array((0.0, *(projected.confidence or (USUAL_CONFIDENCE,) * len(bitext))))
            )
            made[:, :, slot] = 1 + np.searchsorted(CHANCE_BINS, sure)
        elif name == "reason":
            known = ("guess" if reason == "learned" else reason for reason in projected.reasons)  # one code, as models have it
            why = np.array([0, *(1 + REASONS.index(reason) for reason in known)])
            made[:, :, slot] = why[None, :] * (1 + 10 * edge)
        slot += 1
    return made


def _match(bitext: ProjectionInput) -> NDArray[np.bool_]:
    """[h, c]: some E words of h and c are head and child; the root of E matches the root."""
    e_heads = np.zeros((len(bitext.e) + 1, len(bitext.e) + 1), np.int32)
    for child, head in enumerate(bitext.e_heads[1:], 1):
        e_heads[head, child] = 1
    links = bitext.links.matrix.astype(np.int32).copy()
    links[0, 0] = 1
    found: NDArray[np.bool_] = links @ e_heads @ links.T > 0
    return found


def _steps(heads: NDArray[np.int64]) -> NDArray[np.int32]:
    """Steps between words in the projected tree: 1, 2, 3 for more."""
    n1 = len(heads)
    near = np.zeros((n1, n1), bool)
    near[heads[1:], np.arange(1, n1)] = True
    near |= near.T
    two = near.astype(np.int32) @ near.astype(np.int32) > 0
    return np.where(near, 1, np.where(two, 2, 3)).astype(np.int32)
