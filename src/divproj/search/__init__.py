"""Searching trees with a small query language: `upos=NOUN & head.upos=VERB & rel=obj`.

`query` turns text into a condition, `match` tests it on the words of a sentence; sentences come in, matches go out.
"""

from divproj.search.query import Match, Query, QueryError, SentenceView, find, find_in, parse

__all__ = ["Match", "Query", "QueryError", "SentenceView", "find", "find_in", "parse"]
