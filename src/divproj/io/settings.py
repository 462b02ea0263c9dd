"""Shares and scores by which readers guess what a file, a tier, a marker or a line is.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
The readers are measured on files they were not written for (bench/RESULTS.md, "Linguists' files").
"""

from __future__ import annotations

# ELAN
WITHIN_TEXT = 0.8
"""Share of annotations within those of the text, in a tier of words that belongs to it."""
TIER_SAMPLE = 300
"""Annotations of a tier that are looked at."""
SEGMENTATION_LIKENESS = 0.4
"""Likeness of letters below which a tier is no segmentation of the words."""
SAME_TIMES = 0.7
"""Share of annotations that begin when one of the text does, in a tier that translates it."""
SAME_SPEAKER = 0.1
"""What a tier of the same speaker has ahead of others, in that share."""
TIER_GRAMS = 0.2
"""Share of annotations with abbreviations of grammar, from which a tier below words is one of glosses."""

# ELAN and Toolbox: what the values of a tier or marker look like
DISTINCT, MOSTLY_IDS = 0.9, 0.8
"""Shares of values that differ from all others, and that look like numbers or ids, in a tier or marker of sentence ids."""
SENTENCE_WIDTH = 1.5
"""Words of a value, on average, that divide sentences from single words."""
TRANSLATION_GRAMS = 0.3
"""Share of values with abbreviations of grammar that a translation stays below."""

# Toolbox files whose markers are in no list
COMMON_MARKER = 0.2
"""Share of the lines of the most frequent marker that another must have to be looked at."""
MARKER_GRAMS = 0.15
"""Share of values with abbreviations of grammar from which a marker has glosses."""
TEXT_WIDTH = 1.2
"""Words of a value, on average, from which a marker can hold the text."""
WHOLE_WORDS, AFFIXED = 0.5, 0.3
"""Shares of values with affixes: words stay below the first, morphs are above the second."""
ALL_TAGS, SAME_WIDTH = 0.95, 0.01
"""Share of words that look like tags, and how far their number may be from that of the glosses, in a marker of parts of speech."""

# What kind of file
LEAST_SCORE = 0.25
"""Score below which no format fits."""
CLOSE_SCORES = 0.1
"""Scores that differ by less leave open which format it is."""
LONGEST_BLOCK = 14
"""Lines without a blank one in plain text; more are a list or a table."""

# Lines of interlinear text
FEWEST_GLOSSED = 4
"""Glossed sentences from which on a file may be refused for lines that do not fit."""
ENOUGH_TRANSLATIONS, SAME_LANGUAGE = 20, 0.8
"""Translations, and the share of those decided, that speak against the language which the file names."""
NEAR_COUNT = 0.2
"""Share of words by which the number of glosses may differ in a line that is still read as what it seems to be."""
MOST_WRAPPED = 40
"""Lines of one sentence that goes on over several pairs of lines."""
REWRITTEN = 0.5
"""Likeness of letters from which on a line is another writing of the one above it."""
SPARSE_LINE = 0.4
"""Share of empty words from which on a line is a remark on some words rather than a gloss of all."""
GLOSS_GRAMS, SAME_WORDS = 0.3, 0.4
"""Share of words with abbreviations of grammar from which the second line is the gloss; likeness of letters from which it has the same words
as the first."""
LETTER_SHARE = 0.005
"""Share of the words of a text that have a mark between letters, from which the mark is a letter of its writing."""
UNFAMILIAR_WORDS = 60
"""Words of translations, none of which is recognised, from which on too few frequent words of English speak against English."""
BELIEVED_TRANSLATIONS = 3
"""Translations from which on their language is believed."""
