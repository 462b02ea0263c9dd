"""Where words and arcs go: columns wide enough for their words, stems and labels; arcs stacked by nesting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from divproj.drawing.measure import text_width
from divproj.drawing.scene import Edge

WORD, TAG, LABEL, NUMBER = 15.0, 9.5, 10.5, 9.5
"""Font sizes in pixels of a form, its part of speech, a relation and a confidence."""
STEP, GAP, LEVEL, ROUND = 7, 16, 21, 7
"""Pixels between stems at a word, between words, between levels of arcs, and the radius of an arc's shoulders."""


class Arc(NamedTuple):
    """An edge with its level (1 is next to the words) and the places of its stems, in pixels from the words' middles."""

    edge: Edge
    level: int
    at_head: float
    at_child: float


class Fan(NamedTuple):
    """The arcs of one side after one stage."""

    arcs: list[Arc]
    roots: dict[int, tuple[int, float]]
    """Word → level and place of the root's mark."""
    height: int
    stems: dict[int, int]


def fan(edges: Sequence[Edge], roots: Sequence[int], at: Sequence[int]) -> Fan:
    """Levels and stems; `at[k]` is the place of word k counted from the left.

    An arc lies above those it covers or crosses. The stems at a word are ordered so that nested arcs do not cross:
    arcs to the left with the outermost at the right, the root's mark, arcs to the right with the outermost at the left.
    """
    sky = [0] * len(at)
    spans = sorted((abs(at[e.child] - at[e.head]), min(at[e.child], at[e.head]), k) for k, e in enumerate(edges))
    level = [0] * len(edges)
    slots: dict[int, list[tuple[int, int, int]]] = {}
    for length, left, k in spans:
        height = max(sky[left : left + length]) + 1
        sky[left : left + length] = [height] * length
        level[k] = height
        edge = edges[k]
        to_right = at[edge.child] > at[edge.head]
        slots.setdefault(edge.head, []).append((1, -height, k) if to_right else (-1, height, k))
        slots.setdefault(edge.child, []).append((-1, height, k) if to_right else (1, -height, k))
    marks: dict[int, int] = {}
    for word in roots:
        marks[word] = max(sky[max(at[word] - 1, 0) : at[word] + 1]) + 1
        slots.setdefault(word, []).append((0, 0, -word))
    place_of: dict[tuple[int, int], float] = {}
    for word, here in slots.items():
        here.sort()
        first = -STEP * (len(here) - 1) / 2
        for slot, (_, _, k) in enumerate(here):
            place_of[word, k] = first + STEP * slot
    arcs = [Arc(e, level[k], place_of[e.head, k], place_of[e.child, k]) for k, e in enumerate(edges)]
    tops = {word: (height, place_of[word, -word]) for word, height in marks.items()}
    return Fan(arcs, tops, max((*level, *marks.values(), 0)), {word: len(here) for word, here in slots.items()})


def label_width(edge: Edge) -> float:
    """Pixels that the label, its sign and its number take."""
    sign = 15.0 if edge.sign else 0.0
    return text_width(edge.label) * LABEL + sign + (text_width(edge.number) * NUMBER + 5 if edge.number else 0.0)


def columns(
    forms: Sequence[str],
    tags: Sequence[str],
    fans: Sequence[Fan],
    at: Sequence[int],
    root: float = 24.0,
    least: Sequence[float] = (),
) -> tuple[list[float], float]:
    """Middle of each word's column in pixels, indexed by word (place 0 is not used), and the width of them all.

    Columns are moved apart until no word touches the next and every arc is wide enough for its label, in every fan.
    A root's mark is `root` pixels wide, and word k takes `least[k-1]` at least.
    """
    n = len(forms)
    width = [12.0] * n
    for k, (form, tag) in enumerate(zip(forms, tags, strict=True), 1):
        width[at[k]] = max(12.0, text_width(form) * WORD, text_width(tag) * TAG, *least[k - 1 : k])
    for f in fans:
        for k, stems in f.stems.items():
            width[at[k]] = max(width[at[k]], STEP * stems, root if k in f.roots else 0.0)
    ending: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for f in fans:
        for edge, _, at_head, at_child in f.arcs:
            left, right = at[edge.head], at[edge.child]
            lean = at_head - at_child
            if left > right:
                left, right, lean = right, left, -lean
            ending[right].append((left, label_width(edge) + 2 * ROUND + 4 + lean))
    x = [0.0] * n
    for place in range(n):
        x[place] = x[place - 1] + (width[place - 1] + width[place]) / 2 + GAP if place else width[0] / 2
        for left, need in ending[place]:
            x[place] = max(x[place], x[left] + need)
    return [0.0, *(x[at[k]] for k in range(1, n + 1))], x[-1] + width[-1] / 2 if n else 0.0


def spread(xs: Sequence[float], at: Sequence[int], own: float, extent: float, most: float = 28.0) -> list[int]:
    """Columns of a row `own` pixels wide pulled apart (by `most` pixels a word) towards `extent` and centred in it."""
    gaps = len(xs) - 2
    more = min((extent - own) / gaps, most) if gaps > 0 else 0.0
    start = (extent - own - more * max(gaps, 0)) / 2
    return [0, *(round(xs[k] + start + more * at[k]) for k in range(1, len(xs)))]
