"""Numbers of language identification that are set by hand.

Each has a sentence below it: what it is, its unit, and where it was chosen. Where that is not said, it was set when the code was
written and no table records a search.
"""

from __future__ import annotations

SURE_LANGUAGE = 0.9
"""Probability from which on a language is named; chosen on sentences written for the tests."""
FAMILIAR = 0.12
"""Share of words that must be frequent words of the language named, in a text of many words."""
TEMPER = 0.6
"""Words of a line are not independent: their log-odds count this much."""
COMMON_LANGUAGE = 0.1
"""Share of the decided lines of a file from which on a language is one of the file's."""
CERTAIN, LONG = 0.9999, 6
"""Probability, and words, of a line that is in a language which the rest of its file is not in."""
NO_TRIGRAM = -12.0
"""Log probability of three letters that the samples of a language do not have."""
WORD_SHARE = 0.1
"""Share of the most frequent word of a language, times its rank plus two, in a list of words by rank (Zipf's law)."""
SINGLE_LETTER = 0.05
"""Share of trigrams that are scored by their last letter alone, since the samples do not have them."""
JAPANESE = 0.05
"""Share of kana, beside Chinese characters, from which a text is Japanese."""
ONE_WORD = 8.0
"""Log odds that one word can speak against a language at most."""
ONE_READING = 0.98
"""Share of a written word's occurrences from which it always is, or never is, several words; the words beside it are not asked then."""
