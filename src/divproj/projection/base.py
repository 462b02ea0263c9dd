"""What every system is to the rest of the house: something that projects, perhaps after it has observed the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput

if TYPE_CHECKING:
    from divproj.forest.hypergraph import Forest
    from divproj.projection.phrasal.phrase_pairs import PhraseBook


class Engine(Protocol):
    """A system at work. `divproj.projection.systems` makes one by name; `Projector` is what users see of it."""

    @property
    def observes(self) -> bool:
        """Whether it goes through the whole text before it projects a sentence of it."""

    def observe(
        self, bitexts: Sequence[ProjectionInput], forests: Sequence[Forest] = (), phrases: PhraseBook | None = None, /
    ) -> Any:
        """Go through a text, with parses of F and phrase pairs where there are some; what was observed before is forgotten."""

    def project(self, bitext: ProjectionInput, /) -> Projection:
        """The tree of one sentence."""


@dataclass(frozen=True)
class Alone:
    """A system that projects each sentence for itself.

    >>> from divproj.projection.direct import s1
    >>> Alone(s1).observes
    False
    """

    run: ProjectFunction
    observes: bool = False

    def observe(
        self, bitexts: Sequence[ProjectionInput], forests: Sequence[Forest] = (), phrases: PhraseBook | None = None
    ) -> Alone:
        """Nothing is learned from the text."""
        return self

    def project(self, bitext: ProjectionInput) -> Projection:
        return self.run(bitext)


def code_of(engine: Engine | None, name: str) -> str:
    """The code of a system, by which its confidences are calibrated: that which a trained model was made for, or its name."""
    return str(getattr(engine, "system", name))
