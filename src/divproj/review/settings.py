"""Numbers of learning from corrections that are set by hand.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

TRUST = 3.0
"""`a`: log odds of the head in use against one other candidate, before anything is learned."""
PENALTY = 4.0
"""Chosen, with `TRUST`, on Hausa, Ika, Bokota and ODIN German: 2 gains as much but loses in some draws, 16 moves nothing."""
MIN_COUNT = 2
"""Words of gold sentences in which a feature must occur."""
ITERATIONS = 40
"""Steps of L-BFGS at most."""
AGREEING, AGREEING_SHARE = 2, 0.8
"""Gold words (twice as many for a class as for a form), and the share of them, that make a label usual."""
CONFIDENCE_BINS = (0.3, 0.5, 0.7, 0.85, 0.95, 0.99)
"""Borders of the bins into which confidences are put, for features."""
CHECK_FOLDS = 10
"""Parts of the gold sentences, each judged by what the others teach."""
FEW_GOLD = 5
"""Gold sentences below which the check says little: only changes that the odds are strongly for are made."""
MOST_ASKED = 50
"""More gold sentences than this are never asked for at once."""
CURVE_SHARES = (0.25, 0.5, 0.75)
"""Shares of the gold sentences that the points of the learning curve are learned from."""
UNKNOWN_CONFIDENCE = 0.6
"""Confidence of a head of which nothing is said."""
READING_COST = 0.1
"""Cost of reading a word, in heads changed."""
WORTH_NAMING = 0.2
"""What a form that no gold sentence has must be worth, in heads, to be named as a reason."""
CAUTIONS = (0.0, 1.0, 2.0)
"""Log odds by which another head must surpass the one in use; the check on the gold sentences chooses."""
WRITE_DELAY = 0.5
"""Seconds between a change and writing the file; the journal has it at once."""
START_PATIENCE = 60.0
"""Seconds until a review must have said its address."""
