"""Progress: work announces its stages here, and the command line shows them as progress bars.

The library prints nothing. A stage has a name, a count and, where it is known, a total; stages may lie inside one another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(eq=False)
class Stage:
    """Work under way: `done` of `total` (0: not known), and a note on its state."""

    name: str
    total: float = 0
    done: float = 0
    note: str = ""
    at_work: float = 0
    """Of `done`, what is being worked on and not finished."""
    began: float = field(default_factory=time.monotonic)

    def advance(self, count: float = 1, note: str | None = None) -> None:
        self.done += count
        if note is not None:
            self.note = note

    @property
    def left(self) -> float | None:
        """Seconds that are left if the work goes on as it did; None when nobody can know.

        >>> stage = Stage("passes", 4, 1, began=time.monotonic() - 10)
        >>> round(stage.left)
        30
        """
        finished = self.done - self.at_work
        if not 0 < finished <= self.total:
            return None
        return (time.monotonic() - self.began) * (self.total - finished) / finished


stages: list[Stage] = []
"""The stages under way, the outermost first."""


@contextmanager
def stage(name: str, total: float = 0) -> Iterator[Stage]:
    """Announce work while it is being done.

    >>> with stage("reading", 2) as reading:
    ...     reading.advance()
    ...     [(each.name, each.done) for each in stages]
    [('reading', 1)]
    >>> stages
    []
    """
    current = Stage(name, total)
    stages.append(current)
    try:
        yield current
    finally:
        if current in stages:
            stages.remove(current)


def passing(items: Iterable[T], name: str, total: float = 0, weight: Callable[[T], float] = lambda _: 1) -> Iterator[T]:
    """Pass items through and count them, each for its weight.

    >>> list(passing("ab", "letters"))
    ['a', 'b']
    """
    with stage(name, total) as counted:
        for item in items:
            counted.at_work = weight(item)
            counted.advance(counted.at_work)
            yield item
