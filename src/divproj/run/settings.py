"""Numbers of a run that are set by hand.

Each has a sentence below it: what it is, its unit, and where it was chosen.
"""

SAME_TEXT = 0.9
"""Share of a text's sentences that another text must have for the two to be one; not tuned."""
