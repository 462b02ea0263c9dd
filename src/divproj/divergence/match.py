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

    >>> from divproj import DepTree, Links, Pair
    >>> f, e = DepTree(("Hunde", "bellen"), (2, 0)), DepTree(("Dogs", "bark"), (2, 0))
    >>> edge_classes(Pair(f, e, Links.of([(1, 1), (2, 2)], (2, 2))))
    ('match', None)
    """
    return alter(pair).classes["f"]["initial"]


def sent_match(pair: Pair) -> float:
    """SentMatch(F, E, A): share of F edges that match; 1.0 for a sentence without edges.

    >>> from divproj import DepTree, Links, Pair
    >>> sent_match(Pair(DepTree(("Geh",), (0,)), DepTree(("Go",), (0,)), Links.of([(1, 1)], (1, 1))))
    1.0
    """
    counts = alter(pair).counts["f_to_e"]["initial"]
    return counts["match"] / counts["edges"] if counts["edges"] else 1.0


def corpus_match(pairs: Iterable[Pair]) -> float:
    """CorpusMatch_{F→E}(C), eq. 11: matched F edges over all F edges; `pair.mirrored` gives the other direction.

    >>> import divproj as dp
    >>> 0.5 < corpus_match(dp.read("deu-eng")) < 1
    True
    """
    edges = found = 0
    for pair in pairs:
        counts = alter(pair).counts["f_to_e"]["initial"]
        edges += counts["edges"]
        found += counts["match"]
    return found / edges if edges else 1.0
