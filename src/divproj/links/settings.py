"""Weights and thresholds of the gloss aligner and of the word aligner that are set by hand.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
Those of the word aligner that a caller can choose are fields of `words.direction.Settings`.
"""

from __future__ import annotations

# Links through glosses
PASS_SCORES = {
    "gold": 1.0, "name": 0.99, "punctuation": 0.99, "exact": 0.98, "lemma": 0.95, "derived": 0.93, "synonym": 0.9, "spelling": 0.9,
    "gram": 0.85, "meaning": 0.7, "adposition": 0.65, "progressive": 0.65, "left over": 0.6,
}  # fmt: skip
"""The passes in the order of their trust, and how sure a link of each is."""
COMMON_DIRECTIONS = 3
"""Main directions that all vectors share (frequency, not meaning); they are taken out."""
SIMILAR_MEANING = 0.5
"""Likeness from which two words may be linked; chosen on development banks (specs of the gloss model)."""
CLASS_MISFIT, PLACE_FIT = 0.2, 0.1
"""What a contradicting word class takes from the likeness of two words, and linked neighbours add to it at most; set by hand."""
SKIPPED_WORD, SKIPPED_GLOSS = 0.55, 0.6
"""Cost of a word without a gloss, and of a gloss without a word, where a sentence has more of one than of the other."""
OTHER_FORM, MORPHS_APART = 0.2, 0.25
"""Cost of a word and a gloss that differ in their first morph, and of each morph that one has more than the other (three at most)."""
SKEW = 0.2
"""What the distance of two words from the diagonal takes from how near they are."""
FOLLOWING, PRECEDING, PRECEDING_LEANING = 2.0, 1.0, 0.4
"""What linked content words after a function word count, and those before it; the last is for words that lean on what follows."""
SECOND_LINK = 0.9
"""What a gloss's link to a word that has one already is worth, as a share of a first link."""
GRAM_RANK, NEGATION_RANK = 0.1, 0.3
"""What each place in the list of words that a gram may be translated by costs."""

# Word alignment of bitext
SAME_STRING = 1.0
"""Pseudo-count of a string that stands on both sides: names, numbers, punctuation."""
DICTIONARY_ENTRY = 2.0
"""Pseudo-count of a dictionary entry."""
JUMP_COUNT, JUMP_DECAY, JUMP_FLOOR = 2, 0.7, 0.01
"""Pseudo-counts of jumps: of the jump by one word, how fast they fall away from it (in logarithms), and what every jump has."""
FERTILITY = (0.6, 1.2, 0.3, 0.1, 0.03, 0.01, 0.005, 0.003)
"""Pseudo-counts of 0, 1, 2 … words that a word is linked to."""
