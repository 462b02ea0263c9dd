"""What a system's probability of an edge is worth: a rising curve learned on languages that the model did not see."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Curve:
    """Knots of a piecewise linear, never falling map of probabilities.

    >>> Curve((0.0, 0.5, 1.0), (0.2, 0.4, 0.9))(0.75)
    0.65
    """

    said: tuple[float, ...]
    true: tuple[float, ...]

    def __call__(self, chance: float) -> float:
        k = min(max(bisect_right(self.said, chance), 1), len(self.said) - 1)
        low, high = self.said[k - 1], self.said[k]
        share = min(1.0, max(0.0, (chance - low) / (high - low))) if high > low else 1.0
        return round(self.true[k - 1] + share * (self.true[k] - self.true[k - 1]), 6)


def fit_curve(said: Sequence[float], right: Sequence[bool], weights: Sequence[float] | None = None, knots: int = 12) -> Curve:
    """Isotonic regression, read off at a few knots."""
    from sklearn.isotonic import IsotonicRegression

    found = IsotonicRegression(y_min=0.01, y_max=0.995, out_of_bounds="clip").fit(said, np.asarray(right, float), weights)
    places = np.unique(np.concatenate([[0.0], np.quantile(np.asarray(said), np.linspace(0.02, 0.98, knots - 2)), [1.0]]))
    width = 0.02
    smooth = [float(np.mean(found.predict(np.clip([p - width, p, p + width], 0, 1)))) for p in places]
    return Curve(tuple(np.round(places, 4).tolist()), tuple(np.round(np.maximum.accumulate(smooth), 4).tolist()))
