"""Numbers of phrase alignment that are set by hand, but for the costs: their one table is `scoring.Costs`.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

STALLED = 1e-4
"""Relative gain of an epoch below which it counts as none."""
NEAR_COSINE = 0.8
"""For the vectors of the English parser; chosen on the dev part of the Edinburgh paraphrases."""
