"""Several sources: projections of one F sentence from several languages or translations vote on its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import AlignmentError, Where
from divproj.parsing.decode import chu_liu_edmonds
from divproj.projection.direct import Projection
from divproj.projection.settings import UNLINKED_VOTE, USUAL_CONFIDENCE


def ballot(projection: Projection) -> NDArray[np.float64]:
    """[h, c]: a projection's chances of edges; what its own edge leaves is shared by all others."""
    n = len(projection.heads)
    made = np.zeros((n + 1, n + 1))
    for c, head in enumerate(projection.heads, 1):
        sure = projection.confidence[c - 1] if projection.confidence else USUAL_CONFIDENCE
        made[:, c] = (1.0 - sure) / max(1, n - 1)
        made[head, c] = sure
    np.fill_diagonal(made, 0.0)
    return made


def vote(projections: Sequence[Projection], chances: Sequence[NDArray[np.float64]] = ()) -> Projection:
    """The tree with most votes over the same words; `chances` are the systems' own where they have them.

    A source that has a link for a word is heard more on it. The first projection gives the words, and relations where
    it agrees with the tree.
    """
    first = projections[0]
    for other in projections[1:]:
        if other.bitext.forms != first.bitext.forms:
            raise AlignmentError(
                f"the sources have different words: {' '.join(first.bitext.forms[:6])} … and {' '.join(other.bitext.forms[:6])} …",
                Where(sent_id=first.bitext.sent_id),
                "every source must have the same F sentences in the same order",
            )
    if len(projections) == 1 or not first.heads:
        return first
    votes = np.zeros((len(first.heads) + 1,) * 2)
    weight = np.zeros(len(votes))
    for projection, own in zip(projections, chances or map(ballot, projections), strict=True):
        heard = np.array([1.0, *(1.0 if anchor else UNLINKED_VOTE for anchor in projection.bitext.anchors[1:])])
        votes += own * heard
        weight += heard
    votes /= weight
    heads = np.zeros(len(votes), np.int64)
    chu_liu_edmonds.for_work(0, 8 * len(votes))(votes, heads)
    found = tuple(heads[1:].tolist())
    sure = tuple(float(min(1.0, votes[h, c])) for c, h in enumerate(found, 1))
    backers = [next((p for p in projections if p.heads[c] == h), None) for c, h in enumerate(found)]
    reasons = tuple(p.reasons[c] if p else "guess" for c, p in enumerate(backers))
    rels = tuple((p.rels or p.carried)[c] if p else "" for c, p in enumerate(backers))
    return replace(first, heads=found, reasons=reasons, confidence=sure, rels=rels)
