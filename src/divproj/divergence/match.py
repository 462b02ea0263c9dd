"""The match metric (§3.2): which edges of one tree have a partner in the other."""

from __future__ import annotations

from collections.abc import Iterable

from divproj.data.pair import Pair
from divproj.divergence.operations import alter


def matched(child: int, parent: int, pair: Pair) -> bool:
    """Whether the F edge (child, parent) matches some E edge.

    Georgi et al., eq. 10:  ∃ a ∈ R(child), b ∈ R(parent) : (a, b) ∈ T_E
    """
    images, heads = pair.links.forward, pair.e.heads
    return any(heads[a - 1] == b for a in images[child] for b in images[parent])


def edge_classes(pair: Pair) -> tuple[str | None, ...]:
    """Class of each F word's edge: match, unaligned, merge, swap or other (C1-C4); None for the root's.

    The classes are tested in that order, so that each edge has exactly one.
    """
    return alter(pair).classes["f"]["initial"]


def sent_match(pair: Pair) -> float:
    """SentMatch(F, E, A): share of F edges that match; 1.0 for a sentence without edges."""
    counts = alter(pair).counts["f_to_e"]["initial"]
    return counts["match"] / counts["edges"] if counts["edges"] else 1.0


def corpus_match(pairs: Iterable[Pair]) -> float:
    """CorpusMatch_{F→E}(C), eq. 11: matched F edges over all F edges; `pair.mirrored` gives the other direction."""
    edges = found = 0
    for pair in pairs:
        counts = alter(pair).counts["f_to_e"]["initial"]
        edges += counts["edges"]
        found += counts["match"]
    return found / edges if edges else 1.0
