"""Weights of induction that are set by hand; those that a caller can choose are parameters of `Inducer`.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

MONOLINGUAL_SHARE = 0.25
"""Share of the CCM of each language alone in the mean of chains; chosen on the `--tune` parts, and on six glossbanks."""
MONOLINGUAL_SWEEPS = 30
"""Sweeps of EM in the CCM of each language alone."""
LENGTH_STEPS = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100)
"""Lengths at which longer sentences join, where short ones go first."""
CONTRADICTION = 6.0
"""Log weight against a span whose words are linked into a block that links from outside the span share."""
EDGE_CUE = 0.75
"""Weight of the edge cue beside the CCM's own ratios."""
LEAST_EDGE_ODDS = -2.0
"""Smallest log odds of a tag at an edge: one that is never there shall not rule out a span."""
PASSES = 100
"""Passes over each word that induction makes at least, all its chains and sweeps: what compiled code is worth depends on it."""
