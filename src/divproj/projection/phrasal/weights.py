"""How much the relation of two paired phrases weighs, for words linked by hand or given, linked by us, and not at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from divproj.projection.phrasal.chart import RELATIONS

UNLINKED, GIVEN, FOUND = 0, 1, 2
"""Kinds of words: no link, links that came with the text, links that the observed text suggests."""
_GIVEN = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -5.0, "sister": -5.0, "kid": -6.0, "far": -7.5,
    "loose": -6.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -7.5,
}  # fmt: skip
"""Log weights of the relation of two paired phrases, by relation, for words whose links came with the text; set once by hand, see `Weights`."""
_FOUND = {
    "mother": 0.0, "out": -0.6, "same": 0.0, "above": -4.0, "sister": -3.5, "kid": -4.5, "far": -5.0,
    "loose": -5.0, "gap": -3.0, "top": 0.0, "top-out": -0.6, "root": -6.5,
}  # fmt: skip
"""The same for words whose links the observed text suggests: what departs from E's tree costs less."""
_UNLINKED = {"mother": 0.0, "loose": -2.5, "root": -4.0}
"""The same for words without a link."""


@dataclass(frozen=True)
class Weights:
    """Logarithms: a nested pair costs nothing, what departs from E's tree costs more the further it goes.

    Set once by hand, the same for every language; nothing here is learned from trees of F.
    """

    given: tuple[tuple[str, float], ...] = tuple(_GIVEN.items())
    found: tuple[tuple[str, float], ...] = tuple(_FOUND.items())
    unlinked: tuple[tuple[str, float], ...] = tuple(_UNLINKED.items())

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """[kind, relation] for the chart."""
        made = np.zeros((3, len(RELATIONS)))
        for kind, values in ((UNLINKED, self.unlinked), (GIVEN, self.given), (FOUND, self.found)):
            for name, value in values:
                made[kind, RELATIONS.index(name)] = value
        return made
