"""Searching trees with a small query language, `upos=NOUN & head.upos=VERB & rel=obj`, and changing what it matches.

`query` turns text into a condition and tests it on the words of a sentence; sentences come in, matches go out. `replace` gives the
sentences before and after a change of the matching words.
"""

from divproj.search.query import Match, Query, QueryError, SentenceView, find, find_in, parse
from divproj.search.replace import Replacement, parse_changes, replace_all, replace_in

__all__ = [
    "Match",
    "Query",
    "QueryError",
    "Replacement",
    "SentenceView",
    "find",
    "find_in",
    "parse",
    "parse_changes",
    "replace_all",
    "replace_in",
]
