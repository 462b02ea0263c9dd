"""Numbers of the parser and the tagger that are set by hand; those that a caller can choose are parameters of the estimators.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

FOREST_EDGE = 0.02
"""Probability from which an edge is part of the forest."""
CROSSING_SHARE = 0.10
"""Share of training trees with crossing edges from which `auto` lets them cross."""
LABEL_EPOCHS = 10
"""Passes over the training data in learning relations."""
FEW_WORDS = 20_000
"""Training words below which features seen once are kept and more passes are made."""
TAGGER_PASSES = (30, 14)
"""Passes over few words and over many."""
QUICK_PASSES = 7
"""Passes over many words in a fold: half the time for 0.1 points less."""
CLASSED = 4
"""Times a word must be seen before its tags count as known."""
RARE_TAG = 0.05
"""Share of a word's occurrences from which a tag is one of its known tags."""
TAGGING_FOLDS = 5
"""Parts of the treebank that are tagged in turn by a tagger of the others."""
WEAK_SENTENCE = 0.5
"""A sentence whose words are less sure than this, on average, is doubtful."""
