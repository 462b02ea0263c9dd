"""What is to be seen of a pair after each stage: edges with class, label and partners, links, and the stage's operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from divproj.data.tree import DepTree
from divproj.divergence.operations import Altered, Operation, Stage
from divproj.drawing.settings import SURE_EDGE

LinkPairs = Iterable[tuple[int, int]]
Images = Mapping[int, Sequence[int]]
GLYPHS = {
    "match": "=",
    "unaligned": "✕",
    "merge": "⊕",
    "swap": "⇄",
    "other": "≠",
    "remove": "✕",
    "extended": "⊕",
    "projected": "↓",
    "spontaneous": "∅",
    "guess": "?",
    "parsed": "◆",
    "learned": "✓",
    "corrected": "✎",
}
"""A sign for every class of edges, every operation and every reason of a projected head."""
UNSIGNED = ("match", "projected", "given", "root")
"""Edges that bear no sign in a picture: the usual ones."""
INVERSE = "⁻¹"
"""Ends the label of an edge that a swap has turned round."""


class Edge(NamedTuple):
    """An edge of one side; `partners` name edges (`f2-4`: child 2, head 4) or words (`f2`) of the other."""

    side: str
    child: int
    head: int
    kind: str
    partners: tuple[str, ...]
    label: str
    turned: bool = False
    """Whether a swap has turned it round."""
    confidence: float | None = None
    """How sure a projection is of it."""

    @property
    def sign(self) -> str:
        """The glyph before its label."""
        return GLYPHS["swap"] if self.turned else "" if self.kind in UNSIGNED else GLYPHS[self.kind]

    @property
    def number(self) -> str:
        """The confidence after its label, where it is not `SURE_EDGE`.

        >>> Edge("f", 1, 2, "guess", (), "dep", confidence=0.431).number
        '43\u202f%'
        """
        return "" if self.confidence is None or self.confidence >= SURE_EDGE else f"{100 * self.confidence:.0f}\u202f%"


class Scene(NamedTuple):
    """A pair after one stage."""

    stage: Stage
    edges: dict[str, list[Edge]]
    heads: dict[str, tuple[int, ...]]
    moved: set[tuple[str, int]]
    """(side, child) of the edges that this stage gave another head."""
    links: frozenset[tuple[int, int]]
    operations: list[Operation]
    """Those of this stage alone."""
    marks: Mapping[tuple[str, int], Edge] = {}
    """(side, word) → the root's mark, where it says more than that."""

    def roots(self, side: str) -> list[Edge]:
        """The marks of the words without a head above them."""
        found = (k for k, head in enumerate(self.heads[side], 1) if head == 0)
        return [self.marks.get((side, k)) or Edge(side, k, 0, "root", (), "root") for k in found]

    def share(self, side: str) -> tuple[int, int]:
        """How many of the side's edges match, and how many there are."""
        return sum(edge.kind == "match" for edge in self.edges[side]), len(self.edges[side])


def other(side: str) -> str:
    return "f" if side == "e" else "e"


def altered_side(direction: str) -> str:
    """The side whose edges are compared, and which the swaps change.

    >>> altered_side("e_to_f")
    'e'
    """
    if direction not in ("e_to_f", "f_to_e"):
        raise ValueError(f"direction is '{direction}', e_to_f or f_to_e expected")
    return direction[0]


def scenes(altered: Altered, direction: str = "e_to_f", stages: Sequence[str] | None = None) -> list[Scene]:
    """The pair after each stage (or after those asked for).

    Swaps change one side at a time: after "swap" the side that `direction` starts from is changed, the other is not.
    """
    changed = altered_side(direction)
    known = list(altered.heads["e"])
    for stage in stages or ():
        if stage not in known:
            raise ValueError(f"stage is '{stage}', one of {', '.join(known)} expected")
    found: list[Scene] = []
    last: Scene | None = None
    links, images = altered.pair.links.links, _indexed(altered.pair.links.links)
    labels = {side: list(_labels(getattr(altered.pair, side))) for side in "fe"}
    for stage in known:
        done = [op for op in altered.operations if op.kind == stage and (stage != "swap" or op.side == changed)]
        if last and not done:
            last = Scene(stage, last.edges, last.heads, set(), links, done)
        else:
            heads = {side: altered.heads[side][stage] for side in "fe"}
            kinds: dict[str, Sequence[str | None]] = {side: altered.classes[side][stage] for side in "fe"}
            if stage in ("merge", "extended"):
                links = _folded(links, done)
                images = _indexed(links)
            elif last and stage == "swap":
                heads[other(changed)] = last.heads[other(changed)]
                kinds[other(changed)] = (None,) * len(heads[other(changed)])
                _swap_labels(labels[changed], done)
            edges = {side: _edges(side, kinds[side], heads, labels[side], images["fe".index(side)]) for side in "fe"}
            if stage == "swap":
                turned = {(op.parent, op.child) for op in done}
                edges[changed] = [e._replace(turned=True) if (e.child, e.head) in turned else e for e in edges[changed]]
            were = last.heads if last else heads
            moved = {(side, e.child) for side in "fe" for e in edges[side] if e.head != were[side][e.child - 1]}
            last = Scene(stage, edges, heads, moved, links, done)
        if stages is None or stage in stages:
            found.append(last)
    return found


def _edges(
    side: str, kinds: Sequence[str | None], heads: Mapping[str, Sequence[int]], labels: Sequence[str], images: Images
) -> list[Edge]:
    theirs = heads[other(side)]
    return [
        Edge(side, child, head, *_judged(kind, side, child, head, images, theirs), label)
        for child, (head, kind, label) in enumerate(zip(heads[side], kinds, labels, strict=True), 1)
        if head > 0
    ]


def _judged(
    kind: str | None, side: str, child: int, head: int, images: Images, heads: Sequence[int]
) -> tuple[str, tuple[str, ...]]:
    """Class and partners of an edge; `heads` are the other side's. A class not given is tested as in `kernel.edge_class`."""
    a_words, b_words = images.get(child, ()), images.get(head, ())
    side = other(side)
    if kind in (None, "match") and (names := [f"{side}{a}-{b}" for a in a_words for b in b_words if heads[a - 1] == b]):
        return "match", tuple(names)
    if kind in (None, "merge") and (names := [f"{side}{a}" for a in a_words if a in b_words]):
        return "merge", tuple(names)
    if kind in (None, "swap") and (names := [f"{side}{b}-{a}" for a in a_words for b in b_words if heads[b - 1] == a]):
        return "swap", tuple(names)
    return kind or ("other" if a_words else "unaligned"), ()


def _indexed(links: LinkPairs) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Images of the words of F and of E."""
    of_f: dict[int, list[int]] = {}
    of_e: dict[int, list[int]] = {}
    for i, j in sorted(links):
        of_f.setdefault(i, []).append(j)
        of_e.setdefault(j, []).append(i)
    return of_f, of_e


def _folded(links: LinkPairs, merges: Sequence[Operation]) -> frozenset[tuple[int, int]]:
    """The links after these merges: those of a child go to its parent, as in `kernel.fold`."""
    into: dict[str, dict[int, int]] = {"f": {}, "e": {}}
    for op in reversed(merges):
        into[op.side][op.child] = into[op.side].get(op.parent, op.parent)
    return frozenset((into["f"].get(i, i), into["e"].get(j, j)) for i, j in links)


def _labels(tree: DepTree) -> Iterable[str]:
    return ("" if rel == "_" else rel for rel in tree.rels) if tree.rels else ("",) * len(tree)


def _swap_labels(labels: list[str], swaps: Sequence[Operation]) -> None:
    """A child takes its parent's label along with its place; the edge turned round keeps its own, marked as inverse."""
    for op in swaps:
        own = labels[op.child - 1]
        labels[op.child - 1] = labels[op.parent - 1]
        turned = own.removesuffix(INVERSE) if own.endswith(INVERSE) else own + INVERSE
        labels[op.parent - 1] = turned if own else ""
