"""How many heads of projected trees are right, as far as that can be known before anybody has looked at them.

Two things tell: gold sentences that were not learned from, counted (`counted`, `recalibrated`), and the calibrated confidences
of the words (`divproj.projection.calibration`): `expected_accuracy`. Where there are both, `combined` weighs them by their errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from divproj.projection.calibration import calibration_of, log_odds
from divproj.projection.settings import RECALIBRATION, SAMPLES, WIDE_ERROR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Counts = tuple[int, int]
"""Right heads and words of a sentence."""


@dataclass(frozen=True)
class Expected:
    """The share of heads expected to be right, its standard error, and what both rest on."""

    share: float
    error: float
    source: str

    def __str__(self) -> str:
        """
        >>> print(Expected(0.784, 0.041, "5 folds of 40 gold sentences"))
        78 % of the heads (± 8; 5 folds of 40 gold sentences)
        """
        return f"{100 * self.share:.0f} % of the heads (± {200 * self.error:.0f}; {self.source})"

    def as_json(self) -> dict[str, Any]:
        return {"uas": round(100 * self.share, 2), "standard_error": round(100 * self.error, 2), "source": self.source}

    @classmethod
    def from_json(cls, found: Mapping[str, Any] | None) -> Expected | None:
        """What `as_json` gave."""
        return cls(found["uas"] / 100, found["standard_error"] / 100, found["source"]) if found else None


def counted(sentences: Iterable[Counts], source: str) -> Expected | None:
    """From trees that were compared with gold ones; the error treats a sentence, not a word, as one observation.

    >>> counted([(3, 4), (5, 6), (1, 2)], "3 gold sentences")
    Expected(share=0.75, error=0.150..., source='3 gold sentences')
    """
    found = [pair for pair in sentences if pair[1]]
    words = sum(total for _, total in found)
    if not words:
        return None
    share = sum(right for right, _ in found) / words
    count = len(found)
    if count == 1:
        return Expected(share, WIDE_ERROR, source)
    spread = sum((right - share * total) ** 2 for right, total in found)
    sampled = math.sqrt(spread * count / (count - 1)) / words
    least = math.sqrt((share * (1 - share) + 1 / words) / words)  # few sentences may agree by chance
    return Expected(share, max(sampled, least), source)


def combined(calibration: Expected | None, gold: Expected | None) -> Expected | None:
    """What the calibration and what gold sentences say, weighted by their precision; the two are independent.

    >>> print(combined(Expected(0.7, 0.05, "calibrated on 19 treebanks"), Expected(0.8, 0.05, "30 gold sentences")))
    75 % of the heads (± 7; calibration and 30 gold sentences)
    """
    if calibration is None or gold is None:
        return calibration or gold
    a, b = (1 / max(x.error, 1e-3) ** 2 for x in (calibration, gold))
    share = (a * calibration.share + b * gold.share) / (a + b)
    return Expected(share, (a + b) ** -0.5, f"calibration and {gold.source}")


def recalibrated(
    checked: Sequence[Sequence[tuple[float, bool]]], rest: Sequence[float], source: str, *, seed: int = 1
) -> Expected | None:
    """The share of heads that are right among words of these confidences (`rest`), judged by checked sentences.

    The log odds of being right are a + b·(log odds of the confidence), with a ~ N(0, 2²) and b ~ N(1, ½²), fitted to
    (confidence, right) of the words of checked sentences. So it does not matter that a person looks at the least sure
    sentences first. The error is that over samples of the checked sentences with replacement.
    """
    import numpy as np

    sentences = [list(words) for words in checked if words]
    if not sentences or not rest:
        return None
    rng = np.random.default_rng(seed)
    x = [log_odds(np.array([c for c, _ in words])) for words in sentences]
    y = [np.array([right for _, right in words], float) for words in sentences]
    there = log_odds(np.array(rest))
    found = []
    for k in range(SAMPLES + 1):
        chosen = range(len(x)) if k == 0 else rng.integers(0, len(x), len(x))
        a, b = _logistic(np.concatenate([x[i] for i in chosen]), np.concatenate([y[i] for i in chosen]))
        found.append(float((1 / (1 + np.exp(-(a + b * there)))).mean()))
    few = WIDE_ERROR / len(sentences)  # few sentences agree by chance
    return Expected(found[0], float(np.hypot(np.std(found[1:]), few)), source)


def _logistic(x: Floats, y: Floats) -> tuple[float, float]:
    """The two parameters of `recalibrated`, by Newton's method."""
    import numpy as np

    w = np.array([0.0, 0.0])
    design = np.stack([np.ones_like(x), x])
    strength, centre = np.array(RECALIBRATION), np.array([0.0, 1.0])
    for _ in range(20):
        p = 1 / (1 + np.exp(-(w @ design)))
        slope = design @ (p - y) + strength * (w - centre)
        curve = (design * (p * (1 - p))) @ design.T + np.diag(strength)
        step = np.linalg.solve(curve, slope)
        w = w - step / max(1.0, float(np.abs(step).max()))  # no step is long: far out the curve is flat
    return float(w[0]), float(w[1])


def expected_accuracy(confidences: Iterable[Sequence[float]], system: str) -> Expected | None:
    """The share of heads expected to be right in a set of trees, from the calibrated confidences of their words.

    One sequence of probabilities for each tree, as `Projection.confidence` or `ProjConf=` has them, and the system that made
    them. The error joins two: how far the map of the system was off in treebanks of other families, and that of the draw.
    None for no words, or a system without a map.

    >>> expected_accuracy([], "s6") is None
    True
    """
    own = calibration_of(system)
    total = spread = 0.0
    words = 0
    for tree in confidences:
        words += len(tree)
        total += sum(tree)
        spread += sum(p * (1 - p) for p in tree)
    return expected_of_sums(total, spread, words, system) if own and words else None


def expected_of_sums(total: float, spread: float, words: int, system: str) -> Expected | None:
    """`expected_accuracy` from sums over words, kept while sentences stream: of p, and of p·(1 - p)."""
    own = calibration_of(system)
    if own is None or not words:
        return None
    return Expected(total / words, math.hypot(own.error, math.sqrt(spread) / words), own.source)
