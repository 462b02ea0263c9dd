"""Table 3: how often an operation takes words of a tag, or edges of a pair of tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pattern:
    """`count` operations on `total` words (removals) or edges (merges, swaps) with these tags in the trees as given.

    A pair of tags can be operated on more often than it was given: removals and merges make new edges.
    """

    side: str
    kind: str
    child: str
    parent: str | None
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share of all cases; 1.0 at most.

        >>> Pattern("e", "remove", "DT", None, 19, 22).share
        0.8636...
        """
        return min(1.0, self.count / self.total) if self.total else 1.0

    def as_json(self) -> dict[str, Any]:
        direction = "e_to_f" if self.side == "e" else "f_to_e"
        return {
            "direction": direction,
            "side": self.side,
            "operation": self.kind,
            "child": self.child,
            "parent": self.parent,
            "count": self.count,
            "total": self.total,
        }
