"""Annotations of an ELAN file by what they hang on: an annotation of the tier above, or what is spoken at the same time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from divproj.data.errors import Faults, FormatError, Where
from divproj.io.elan_roles import Annotation, Tier, topmost


def tiers_above(tiers: dict[str, Tier], name: str) -> list[str]:
    """The tier and those above it."""
    found = [name]
    while (above := tiers[found[-1]].parent) in tiers and above not in found:
        found.append(above)
    return found


def depth_of(tiers: dict[str, Tier], name: str) -> int:
    return len(tiers_above(tiers, name))


def overlaps(made: Annotation, top: Annotation) -> bool:
    """Whether more than half of an annotation is within the time of another."""
    middle = (made.begin + max(made.end, made.begin)) / 2
    return top.begin <= middle < max(top.end, top.begin + 1)


class Annotations:
    """Annotations of all tiers, found by what they hang on."""

    def __init__(self, tiers: dict[str, Tier], path: str, faults: Faults) -> None:
        self.tiers, self.path, self.faults = tiers, path, faults
        self.by_id = {made.id: made for tier in tiers.values() for made in tier.annotations}
        self.up: dict[str, str] = {}
        self._by_time: dict[str, tuple[list[Annotation], list[int]]] = {}
        self._indexes: dict[tuple[str, str], dict[str, list[Annotation]]] = {}
        for tier in tiers.values():
            self._hang(tier)

    def _hang(self, tier: Tier) -> None:
        """Parents of the annotations: by reference, or the one above at that time."""
        above, starts = self._timed(tier.parent) if tier.parent in self.tiers else ([], [])
        for made in tier.annotations:
            if made.parent:
                self.up[made.id] = made.parent
                if made.parent not in self.by_id:
                    what = f"annotation {made.id} on tier {tier.name} hangs on {made.parent}, which is not there"
                    self.faults.word(FormatError(what, Where(self.path, made.line), "left out"))
            elif above and made.begin >= 0:
                self.up[made.id] = above[max(0, bisect_right(starts, made.begin) - 1)].id

    def under(self, name: str, top: Annotation, top_tier: str) -> list[Annotation]:
        """Annotations of a tier that hang on one above, in order; by time where the tiers are not related."""
        tier = self.tiers[name]
        if name == top_tier:
            return [top]
        if top_tier in tiers_above(self.tiers, name):
            return self._ordered(self.index(name, top_tier).get(top.id, []), tier)
        if topmost(self.tiers, name) != topmost(self.tiers, top_tier):
            timed, starts = self._timed(name)
            at = max(0, bisect_left(starts, max(top.begin, 0)) - 1)  # one may begin a little earlier than the text
            return [a for a in timed[at : bisect_left(starts, max(top.end, top.begin + 1))] if overlaps(a, top)]
        root, root_tier = self._climb(top.id)[-1], topmost(self.tiers, name)
        first = self.index(top_tier, root_tier).get(root, [])[:1]
        return self.index(name, root_tier).get(root, []) if first == [top] else []

    def _timed(self, name: str) -> tuple[list[Annotation], list[int]]:
        """Annotations of a tier that have a time, by it, and their times."""
        if name not in self._by_time:
            found = sorted((a for a in self.tiers[name].annotations if a.begin >= 0), key=lambda a: a.begin)
            self._by_time[name] = (found, [a.begin for a in found])
        return self._by_time[name]

    def index(self, name: str, top_tier: str) -> dict[str, list[Annotation]]:
        """Annotations of a tier by the annotation of a higher tier that they hang on."""
        key = (name, top_tier)
        if key not in self._indexes:
            tops = {made.id for made in self.tiers[top_tier].annotations}
            found: dict[str, list[Annotation]] = {}
            for made in self.tiers[name].annotations:
                top = next((at for at in self._climb(made.id) if at in tops), "")
                found.setdefault(top, []).append(made)
            self._indexes[key] = found
        return self._indexes[key]

    def _climb(self, start: str) -> list[str]:
        """The annotation and those it hangs on."""
        found = [start]
        while (above := self.up.get(found[-1], "")) in self.by_id and above not in found:
            found.append(above)
        return found

    def hangs(self, made: Annotation, top: str) -> bool:
        return top in self._climb(made.id)

    def _ordered(self, made: list[Annotation], tier: Tier) -> list[Annotation]:
        """In the order of their parents and, under one parent, of PREVIOUS_ANNOTATION."""
        groups: dict[str, list[Annotation]] = {}
        for a in made:
            groups.setdefault(self.up.get(a.id, ""), []).append(a)
        parents = [self.by_id[key] for key in groups if key in self.by_id]
        if len(parents) > 1 and tier.parent in self.tiers:
            parents = self._ordered(parents, self.tiers[tier.parent])
        order = {a.id: k for k, a in enumerate(parents)}
        found: list[Annotation] = []
        for key in sorted(groups, key=lambda parent: order.get(parent, len(order))):
            found += self._chained(groups[key], tier)
        return found

    def _chained(self, group: list[Annotation], tier: Tier) -> list[Annotation]:
        after = {a.previous: a for a in group if a.previous}
        chain: dict[str, Annotation] = {}
        for first in sorted((a for a in group if not a.previous), key=lambda a: a.begin):
            at: Annotation | None = first
            while at is not None and at.id not in chain:
                chain[at.id] = at
                at = after.get(at.id)
        rest = [a for a in group if a.id not in chain]
        if rest:
            what = f"the order of {len(rest)} annotations on tier {tier.name} is broken at {rest[0].id}"
            self.faults.word(FormatError(what, Where(self.path, rest[0].line), "read in the order of the file"))
        return [*chain.values(), *rest]
