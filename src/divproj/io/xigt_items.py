"""Items of a Xigt instance: what they say, and which words they lead to.

References are ids with spans, `p1[0:6]`; a comma between them joins with a blank, a plus with nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from divproj.data.errors import Faults, FormatError, Where
from divproj.io.igt_xml import Node

_TERM = re.compile(r"([+,\s]*)([A-Za-z_][\w.-]*)(?:\[([^\]]*)\])?")
_SPAN = re.compile(r"([+,]?)\s*(-?\d*):(-?\d*)")
_FOLDS = re.compile(r"\s*\n\s*")
DEEPEST = 100
"""References that follow one another; more make a cycle."""
LONGEST = 100_000
"""Characters of one item; references that double one another could ask for any number."""
WAYS = ("alignment", "segmentation", "content")


class Items:
    """The tiers and items of one `igt` element."""

    def __init__(self, igt: Node, where: Where, faults: Faults) -> None:
        self.where, self.faults = where, faults
        self.tiers = igt.all("tier")
        self.by_id: dict[str, Node] = {}
        self.tier_of: dict[str, Node] = {}
        for tier in self.tiers:
            for item in tier.all("item"):
                self.by_id.setdefault(item.get("id"), item)
                self.tier_of.setdefault(item.get("id"), tier)
        self._texts: dict[int, str] = {}
        self._refs: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        self._words: dict[tuple[int, str], list[int]] = {}

    def of(self, kind: str) -> list[Node]:
        """Tiers of a type; the plural is optional."""
        return [tier for tier in self.tiers if tier.get("type").lower().rstrip("s") == kind.rstrip("s")]

    def text(self, item: Node) -> str:
        """What an item says, in one line."""
        return _FOLDS.sub(" ", self.raw(item)).strip(" \t\r\n")

    def raw(self, item: Node, depth: int = 0) -> str:
        """Its own text, else what its `content` or its `segmentation` selects; spans count characters of this."""
        known = self._texts.get(id(item))
        if known is None:
            known = item.text if item.text.strip() else ""
            way = next((item.get(name) for name in ("content", "segmentation") if item.get(name)), "")
            if not known and way:
                self._texts[id(item)] = ""  # a cycle ends here
                known = self._evaluated(way, item, depth)
            self._texts[id(item)] = known
        return known

    def _evaluated(self, expression: str, item: Node, depth: int) -> str:
        if depth > DEEPEST:
            self._fault(item, f"'{expression}' leads through more than {DEEPEST} references, a cycle?")
            return ""
        found = ""
        for delimiter, name, selection in _TERM.findall(expression):
            target = self.by_id.get(name)
            if target is None or target is item:
                self._fault(item, f"'{expression}' refers to '{name}', which is " + ("itself" if target else "not there"))
                continue
            blank = " " if "," in delimiter or (delimiter.strip() == "" and delimiter) else ""
            found += (blank if found else "") + self._selected(self.raw(target, depth + 1), selection, item)
            if len(found) > LONGEST:
                self._fault(item, f"'{expression}' makes more than {LONGEST} characters", "cut there")
                return found[:LONGEST]
        return found

    def _selected(self, text: str, selection: str, item: Node) -> str:
        if not selection:
            return text
        parts = ""
        for delimiter, start, end in _SPAN.findall(selection):
            low, high = int(start or 0), int(end or len(text))
            if high > len(text):
                self._fault(item, f"[{selection}] reaches past the {len(text)} characters of '{text[:30]}'")
            parts += (" " if delimiter == "," and parts else "") + text[low:high]
        return parts

    def _fault(self, item: Node, what: str, remedy: str = "left out") -> None:
        where = replace(self.where, line=item.line)
        self.faults.word(FormatError(f"item {item.get('id') or '?'}: {what}", where, remedy))

    def refs(self, item: Node, *ways: str) -> list[str]:
        """Ids that these attributes of an item name."""
        key = (id(item), ways)
        if key not in self._refs:
            self._refs[key] = [name for way in ways if way in item.attrs for _, name, _ in _TERM.findall(item.attrs[way])]
        return self._refs[key]

    def kind_below(self, tier: Node) -> str:
        """Type of the tier that this one is about: what its items refer to first, or else what it says itself."""
        for item in tier.all("item")[:1]:
            for name in self.refs(item, *WAYS):
                if name in self.tier_of:
                    tag = self.by_id[name].get("tag")[:1].upper()
                    return "translations" if tag == "T" else self.tier_of[name].get("type")
        named = next((tier.get(way) for way in ("segmentation", "alignment", "content") if tier.get(way)), "")
        return next((other.get("type") for other in self.tiers if other.get("id") == named), "")

    def words(self, start: str, index: dict[str, int]) -> list[int]:
        """Words (by their number in `index`) that an id leads to, through whatever it is aligned with."""
        key = (id(index), start)
        if key in self._words:
            return self._words[key]
        found: list[int] = []
        queue, seen = [start], {start}
        for name in queue:
            if name in index:
                found.append(index[name])
            elif name in self.by_id:
                fresh = [ref for ref in self.refs(self.by_id[name], *WAYS) if ref not in seen]
                seen.update(fresh)
                queue += fresh
        self._words[key] = sorted(set(found))
        return self._words[key]

    def brackets(self, tier: Node) -> str:
        """A tier of constituents as one bracketed line; every item is used once."""
        children = {item.get("id"): self.refs(item, "children") for item in tier.all("item")}
        below = {child for kids in children.values() for child in kids}
        used: set[str] = set()

        def shown(name: str, depth: int) -> str:
            item = self.by_id.get(name)
            if item is None or name in used or depth > DEEPEST:
                return ""
            used.add(name)
            leaves = (self.text(self.by_id[ref]) for ref in self.refs(item, "alignment") if ref in self.by_id)
            parts = (shown(child, depth + 1) for child in children.get(name, ()))
            return "(" + " ".join(part for part in (self.text(item) or "_", *leaves, *parts) if part) + ")"

        return " ".join(filter(None, (shown(name, 0) for name in children if name not in below)))
