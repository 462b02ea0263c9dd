"""The systems by name: what each learns from gold pairs, and how it projects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from divproj.errors import ModelError
from divproj.projection.plus import HeadModel
from divproj.projection.rules import Rules, learn, s2
from divproj.projection.s1 import Bitext, Projection, s1
from divproj.types import TreePair

UNTRAINED = ("s1-r", "s1-l")
SYSTEMS = (*UNTRAINED, "s2-3", "s2-2", "s2-1", "s2+")
DEFAULT = "s2+"
Projector = Callable[[Bitext], Projection]


@dataclass
class Corrections:
    """All that is learned from gold F trees of a language pair: counted rules and the model of s2+."""

    rules: Rules
    model: HeadModel
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def learn(cls, pairs: Sequence[TreePair], *, model: bool = True, about: dict[str, Any] | None = None) -> Corrections:
        return cls(learn(pairs), HeadModel.fit(pairs) if model else HeadModel(), about or {})


def projector(system: str, corrections: Corrections | None = None) -> Projector:
    """The function that projects by this system; ModelError where it needs corrections and has none."""
    if system == "s1-r":
        return lambda bitext: s1(bitext, "right")
    if system == "s1-l":
        return lambda bitext: s1(bitext, "left")
    if system not in SYSTEMS:
        raise ModelError(f"no system '{system}'", remedy=f"choose one of {', '.join(SYSTEMS)}")
    if corrections is None:
        raise ModelError(
            f"system {system} needs rules learned from gold trees",
            remedy="give --rules FILE (`proj learn` makes one), or --system s1-r, which needs none",
        )
    rules = corrections.rules
    if system == "s2+":
        return corrections.model.project
    swaps = rules.kept_swaps() if system == "s2-1" else False
    return lambda bitext: s2(bitext, rules, remove=system != "s2-3", swap=swaps)


def train(system: str, pairs: Sequence[TreePair]) -> Projector:
    """The system after learning from these pairs."""
    if system in UNTRAINED:
        return projector(system)
    return projector(system, Corrections.learn(pairs, model=system == "s2+"))
