"""What is to be seen of a pair after each stage: edges with class, label and partners, links, and the stage's operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from divproj.divergence.operations import GONE, Altered, Operation, Stage
from divproj.types import DepTree

Links = Iterable[tuple[int, int]]
Images = Mapping[int, Sequence[int]]
GLYPHS = {"match": "=", "unaligned": "✕", "merge": "⊕", "swap": "⇄", "other": "≠", "remove": "✕", "extended": "⊕"}
"""A sign for every class of edges and every operation."""
INVERSE = "⁻¹"
"""Ends the label of an edge that a swap has turned round."""


class Edge(NamedTuple):
    """An edge of one side; `partners` name edges (`f2-4`: child 2, head 4) or words (`f2`) of the other."""

    side: str
    child: int
    head: int
    kind: str
    label: str
    partners: tuple[str, ...]
    change: str
    """What this stage did to it: `swap`, `moved` (to another head), or nothing."""

    @property
    def name(self) -> str:
        return f"{self.side}{self.child}-{self.head}"


class Scene(NamedTuple):
    """A pair after one stage."""

    stage: Stage
    edges: dict[str, list[Edge]]
    heads: dict[str, tuple[int, ...]]
    links: frozenset[tuple[int, int]]
    operations: list[Operation]
    """Those of this stage alone."""

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
    before = altered.pair.f.heads, altered.pair.e.heads
    links, images = altered.pair.alignment.links, _indexed(altered.pair.alignment.links)
    labels = {side: list(_labels(getattr(altered.pair, side))) for side in "fe"}
    for stage in known:
        done = [op for op in altered.operations if op.kind == stage and (stage != "swap" or op.side == changed)]
        if stage in ("merge", "extended") and done:
            links = _folded(links, done)
            images = _indexed(links)
        heads = {"f": altered.heads["f"][stage], "e": altered.heads["e"][stage]}
        if stage == "swap":
            heads[other(changed)] = before["fe".index(other(changed))]
            _swap_labels(labels[changed], done)
        if stages is None or stage in stages:
            edges = {}
            for s, side in enumerate("fe"):
                kinds = altered.classes[side][stage] if stage != "swap" or side == changed else None
                turned = {(op.parent, op.child) for op in done} if stage == "swap" and side == changed else set()
                edges[side] = _edges(side, kinds, heads, labels[side], images[s], before[s], turned)
            found.append(Scene(stage, edges, heads, links, done))
        before = heads["f"], heads["e"]
    return found


def _edges(
    side: str,
    kinds: Sequence[str | None] | None,
    heads: Mapping[str, Sequence[int]],
    labels: Sequence[str],
    images: Images,
    before: Sequence[int],
    turned: set[tuple[int, int]],
) -> list[Edge]:
    found = []
    theirs = heads[other(side)]
    for child, head in enumerate(heads[side], 1):
        if head > 0:
            kind, partners = _judged(kinds[child - 1] if kinds else None, side, child, head, images, theirs)
            change = "swap" if (child, head) in turned else "moved" if head != before[child - 1] else ""
            found.append(Edge(side, child, head, kind, labels[child - 1], partners, change))
    return found


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


def _indexed(links: Links) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Images of the words of F and of E."""
    of_f: dict[int, list[int]] = {}
    of_e: dict[int, list[int]] = {}
    for i, j in sorted(links):
        of_f.setdefault(i, []).append(j)
        of_e.setdefault(j, []).append(i)
    return of_f, of_e


def _folded(links: Links, merges: Sequence[Operation]) -> frozenset[tuple[int, int]]:
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


def gone(scene: Scene, side: str) -> list[int]:
    """Words that were taken out of the tree."""
    return [k for k, head in enumerate(scene.heads[side], 1) if head == GONE]
