"""How much the relation of two paired phrases weighs, for words linked by hand or given, linked by us, and not at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from divproj.projection.phrasal.chart import RELATIONS
from divproj.projection.settings import GIVEN_LINKS, INDUCED_LINKS, UNLINKED_WORDS

UNLINKED, GIVEN, FOUND = 0, 1, 2
"""Kinds of words: no link, links that came with the text, links that the observed text suggests."""


@dataclass(frozen=True)
class Weights:
    """Logarithms: a nested pair costs nothing, what departs from E's tree costs more the further it goes.

    Set once by hand, the same for every language; nothing here is learned from trees of F.
    """

    given: tuple[tuple[str, float], ...] = tuple(GIVEN_LINKS.items())
    found: tuple[tuple[str, float], ...] = tuple(INDUCED_LINKS.items())
    unlinked: tuple[tuple[str, float], ...] = tuple(UNLINKED_WORDS.items())

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """[kind, relation] for the chart."""
        made = np.zeros((3, len(RELATIONS)))
        for kind, values in ((UNLINKED, self.unlinked), (GIVEN, self.given), (FOUND, self.found)):
            for name, value in values:
                made[kind, RELATIONS.index(name)] = value
        return made
