"""What every projection system is: `adapt` learns from a text and returns a state, `project` takes a sentence and that state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput

if TYPE_CHECKING:
    from divproj.forest.hypergraph import Forest
    from divproj.projection.phrasal.phrase_pairs import PhraseBook


@dataclass(frozen=True)
class TextEvidence:
    """What is known of a text besides words, links and E trees: parses of F, and phrase pairs."""

    forests: Sequence[Forest] = ()
    phrases: PhraseBook | None = None

    def __bool__(self) -> bool:
        return bool(self.forests or self.phrases)


NO_EVIDENCE = TextEvidence()


class System(Protocol):
    """One way to make trees of F.

    A system holds what it was made with and what it has learned from gold trees; it never changes. What it learns from the text
    that is to be projected is a value, the state: `adapt` returns it, and `project` takes it. So the tree of a sentence depends on
    the system, the sentence and the state alone, whatever was projected before.

    >>> from divproj.projection.systems import make
    >>> system: System = make("s1-r")
    >>> system.code, system.adapts
    ('s1-r', False)
    """

    @property
    def code(self) -> str:
        """The code of the system (s1-r … s6+), by which its confidences are calibrated."""

    @property
    def adapts(self) -> bool:
        """Whether it learns from the whole text before it projects a sentence of it."""

    def adapt(self, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE, /) -> Any:
        """Return what the system learns from a text without F trees; None for systems that learn nothing."""

    def project(self, sentence: ProjectionInput, state: Any, /) -> Projection:
        """Return the tree of one sentence, which may be of the text or not."""


@dataclass(frozen=True)
class PerSentence:
    """A system that looks at one sentence at a time.

    >>> from divproj.projection.direct import s1
    >>> PerSentence("s1-r", s1).adapts
    False
    """

    code: str
    function: ProjectFunction
    adapts: bool = False

    def adapt(self, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> None:
        """Nothing is learned from the text."""

    def project(self, sentence: ProjectionInput, state: None = None) -> Projection:
        """Return the tree of one sentence."""
        return self.function(sentence)


S = TypeVar("S", bound=System)


@dataclass(frozen=True)
class AdaptedSystem(Generic[S]):
    """A system together with its state for a text."""

    system: S
    state: Any

    @classmethod
    def to(cls, system: S, text: Sequence[ProjectionInput], evidence: TextEvidence = NO_EVIDENCE) -> AdaptedSystem[S]:
        """Return the system adapted to a text."""
        return cls(system, system.adapt(text, evidence))

    def project(self, sentence: ProjectionInput) -> Projection:
        """Return the tree of one sentence."""
        return self.system.project(sentence, self.state)
