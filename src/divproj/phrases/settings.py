"""Numbers of phrase alignment that are set by hand, but for the costs: their one table is `scoring.Costs`.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

STALLED = 1e-4
"""Relative gain of an epoch below which it counts as none."""
NEAR_COSINE = 0.8
"""For the vectors of the English parser; chosen on the dev part of the Edinburgh paraphrases."""
SEARCH_SPACE: dict[str, tuple[float, float]] = {
    "null_cost": (0.0, 6.0),
    "pair_cost": (-4.0, 4.0),
    "noncomp_cost": (0.0, 5.0),
    "parse_share": (0.0, 0.9),
}
"""What is searched by default, and within which bounds."""
FIRST_TRIALS = 8
"""Random trials before the process is asked."""
LENGTH_SCALE, NOISE = 0.25, 1e-3
"""Of the Gaussian process: the length scale in shares of a parameter's range, and the variance of the noise; where they were chosen is not recorded."""
