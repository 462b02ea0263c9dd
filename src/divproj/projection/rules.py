"""Correction rules (System 2, §3.5): preferences for merges, attachments and swaps, learned from gold trees of F."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from divproj.core.pair import Pair
from divproj.divergence.operations import alter
from divproj.projection.direct import Direction, Projection, ProjectionInput, Reason, one_root, project

MIN_SENTENCES, MIN_SHARE = 0.10, 0.70
"""A swap rule applies if its pair of tags is in at least this share of the training sentences, and at least this share of
its edges is swapped (§3.5.3)."""


EXAMPLES = 3


@dataclass
class Sides:
    """How often a head was on the left and on the right, with examples."""

    left: int = 0
    right: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, side: Direction, example: str) -> None:
        setattr(self, side, getattr(self, side) + 1)
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)

    def majority_side(self, otherwise: Direction) -> Direction:
        if self.left == self.right:
            return otherwise
        return "left" if self.left > self.right else "right"

    def as_json(self) -> dict[str, Any]:
        return {"left": self.left, "right": self.right, "examples": self.examples}


@dataclass
class Swaps:
    """How often an E edge of a pair of tags is reversed in F."""

    swapped: int = 0
    total: int = 0
    sentences: int = 0
    examples: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"swapped": self.swapped, "total": self.total, "sentences": self.sentences, "examples": self.examples}


@dataclass
class Rules:
    """Counts behind the three corrections; the thresholds are applied when they are used."""

    sentences: int = 0
    overall: Sides = field(default_factory=Sides)
    """Over all words of F: on which side the head is."""
    merge: dict[str, Sides] = field(default_factory=dict)
    """E tag → which end of a group of F words on one E word is the head."""
    spontaneous: dict[str, Sides] = field(default_factory=dict)
    """F word → on which side its head is."""
    swap: dict[tuple[str, str], Swaps] = field(default_factory=dict)
    """(child tag, parent tag) of E edges."""
    min_sentences: float = MIN_SENTENCES
    min_share: float = MIN_SHARE

    @property
    def headedness(self) -> Direction:
        return self.overall.majority_side("left")

    def kept_swaps(self) -> set[tuple[str, str]]:
        return {
            pair
            for pair, seen in self.swap.items()
            if seen.sentences >= self.min_sentences * self.sentences and seen.swapped >= self.min_share * seen.total
        }


def learn(pairs: Iterable[Pair], *, paper: bool = False) -> Rules:
    """Count merge, spontaneous and swap preferences in pairs with gold F trees.

    `paper` counts the swaps that Algorithm 5 makes, after its removals and merges (§3.5.3).
    """
    rules = Rules()
    for pair in pairs:
        rules.sentences += 1
        sentence = ProjectionInput.of(pair)
        _count_sides(rules, pair)
        _count_merges(rules, pair, sentence)
        _count_swaps(rules, pair, _swapped_edges(pair) if paper else None)
    return rules


def _count_sides(rules: Rules, pair: Pair) -> None:
    forms = pair.f.forms
    for word, head in pair.f.edges:
        side: Direction = "left" if head < word else "right"
        example = f"{pair.sent_id}: {forms[word - 1]} on {forms[head - 1]}"
        rules.overall.add(side, example)
        rules.spontaneous.setdefault(forms[word - 1].lower(), Sides()).add(side, example)


def _count_merges(rules: Rules, pair: Pair, sentence: ProjectionInput) -> None:
    tags = pair.e.tags()
    for e, words in sentence.groups.items():
        if len(words) < 2:
            continue
        tops = [w for w in words if pair.f.heads[w - 1] not in words]
        if len(tops) == 1 and tops[0] in (words[0], words[-1]):
            side: Direction = "left" if tops[0] == words[0] else "right"
            group = " ".join(pair.f.forms[w - 1] for w in words)
            example = f"{pair.sent_id}: {pair.f.forms[tops[0] - 1]} heads “{group}” = {pair.e.forms[e - 1]}"
            rules.merge.setdefault(tags[e - 1], Sides()).add(side, example)


def _swapped_edges(pair: Pair) -> set[tuple[int, int]]:
    """The E edges (child, parent) that Algorithm 5 swaps."""
    steps = alter(pair, paper=True).operations
    return {(step.child, step.parent) for step in steps if step.side == "e" and step.kind == "swap"}


def _count_swaps(rules: Rules, pair: Pair, swapped: set[tuple[int, int]] | None) -> None:
    """Count how often the edges of E are reversed in F.

    Departs: they are counted in the trees as they are, before anything is removed or merged, unless `swapped` names them.
    """
    tags, back, heads = pair.e.tags(), pair.links.backward, pair.f.heads
    seen_here = set()
    for child, parent in pair.e.edges:
        key = (tags[child - 1], tags[parent - 1])
        seen = rules.swap.setdefault(key, Swaps())
        seen.total += 1
        seen_here.add(key)
        images, above = back[child], back[parent]
        matched = any(heads[i - 1] in above for i in images)
        reversed_ = [(i, heads[i - 1]) for i in above if heads[i - 1] in images]
        if (child, parent) in swapped if swapped is not None else reversed_ and not matched:
            seen.swapped += 1
            if len(seen.examples) < EXAMPLES and reversed_:
                i, j = reversed_[0]
                f = pair.f.forms
                seen.examples.append(
                    f"{pair.sent_id}: {pair.e.forms[child - 1]} on {pair.e.forms[parent - 1]}, but {f[i - 1]} on {f[j - 1]}"
                )
    for key in seen_here:
        rules.swap[key].sentences += 1


def s2(
    sentence: ProjectionInput,
    rules: Rules,
    *,
    merge: bool = True,
    remove: bool = True,
    swap: set[tuple[str, str]] | bool = True,
    unlearned: Direction = "left",
    any_root: bool = False,
) -> Projection:
    """Systems S2-1 (all three), S2-2 (`swap=False`) and S2-3 (merge alone): projection with learned corrections.

    Departs: Table 4a ticks merge and swap for S2-2, but its figures (10 points above S2-3 in Hausa, 8 below S2-1 in Hindi, where swaps
    matter) are those of merge and remove. `unlearned` is the side of unlinked words where `remove` is off.

    `swap` may also be the pairs of tags to swap, as `rules.kept_swaps()` returns them.
    """

    def group_head(sentence: ProjectionInput, e: int, words: list[int]) -> int:
        seen = rules.merge.get(sentence.e.tags()[e - 1], Sides())
        side = seen.majority_side(rules.headedness) if merge else "right"
        return words[0] if side == "left" else words[-1]

    def side(sentence: ProjectionInput, word: int) -> Direction:
        if not remove:
            return unlearned
        return rules.spontaneous.get(sentence.forms[word - 1].lower(), Sides()).majority_side(rules.headedness)

    projection = project(sentence, group_head, side, any_root=any_root)
    if not swap:
        return projection
    return swap_edges(projection, rules.kept_swaps() if swap is True else swap)


def swap_edges(projection: Projection, kept: set[tuple[str, str]]) -> Projection:
    """Swap head and dependent (operation O3) of projected edges whose E edge has one of these pairs of tags, top down."""
    if not kept:
        return projection
    sentence = projection.sentence
    tags, e_heads = sentence.e.tags(), sentence.e_heads
    edges = [(e, up) for e, up in enumerate(e_heads) if up > 0 and (tags[e - 1], tags[up - 1]) in kept]
    if not edges:
        return projection
    heads = [-1, *projection.heads]
    reasons: list[Reason] = ["guess", *projection.reasons]
    for child, parent in sorted(edges, key=lambda edge: (sentence.e_depths[edge[0]], edge[0])):
        below = [w for w in sentence.groups.get(child, ()) if heads[w] > 0 and sentence.anchors[heads[w]] == parent]
        for word in below[:1]:
            up = heads[word]
            heads[word], heads[up] = heads[up], word
            reasons[word] = reasons[up] = "swap"
    one_root(heads, reasons)
    return Projection(sentence, tuple(heads[1:]), tuple(reasons[1:]), deprels=projection.deprels)
