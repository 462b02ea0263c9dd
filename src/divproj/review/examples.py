"""Sentences for learning, and what a learner is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from divproj.data.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.review.adapting import InUse
from divproj.review.session import Learned, Session

Tell = Callable[[str, int, int], None]
"""Told what is being done, how much of it, and of how much; raises `CancelledError` to end the work."""


class Example(NamedTuple):
    """A sentence for a learner: its place, what projection may see of it, its tree, and the tree in use."""

    n: int
    bitext: ProjectionInput | None
    tree: DepTree
    prior: InUse = InUse()


class ProjectionInputs:
    """What projection may see of sentences, by their places: given, or read when learning first asks for it."""

    def __init__(
        self,
        found: Mapping[int, ProjectionInput] | None = None,
        read: Callable[[], Mapping[int, ProjectionInput]] | None = None,
    ) -> None:
        self.found: Mapping[int, ProjectionInput] = found or {}
        self._read = read

    def __bool__(self) -> bool:
        return bool(self.found) or self._read is not None

    def all(self) -> Mapping[int, ProjectionInput]:
        if self._read is not None:
            self.found, self._read = self._read(), None
        return self.found


class Learner(Protocol):
    """Learns from `gold` and yields (place, new tree) for the sentences of `rest` for which it has one."""

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]: ...


def usable(example: Example) -> bool:
    """Whether there is more to learn from than the words: a tree of the translation, or glosses."""
    return example.bitext is not None and (len(example.bitext.e) > 0 or any(example.bitext.glosses))


def examples(session: Session, places: Sequence[int], bitexts: Mapping[int, ProjectionInput]) -> list[Example]:
    """Sentences as they are now, with the trees that the file came with."""
    made = []
    for n in places:
        sentence, state = session.document.blocks[n].sentence, session.states[n]
        bitext = bitexts.get(n)
        glosses = bitext.glosses if bitext else sentence.glosses
        tree = DepTree(sentence.forms, state.heads, state.rels, sentence.column(3), sentence.column(4), glosses)
        made.append(Example(n, bitext, tree, in_use(session, n)))
    return made


def in_use(session: Session, n: int) -> InUse:
    """The tree that the system in use made of a sentence; none where a person had changed it before the review began."""
    first = session.document.blocks[n].initial
    if first.gold or first.hand or min(first.heads, default=0) < 0 or first.heads.count(0) != 1:
        return InUse()
    tags = session.document.blocks[n].sentence.column(3)
    return InUse(first.heads, first.rels, first.reasons, first.sure, tags, first.note)
