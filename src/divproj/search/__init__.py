"""Searching trees with a small query language: `upos=NOUN & head.upos=VERB & rel=obj`.

`query` turns text into a condition, `match` tests it on the words of a sentence; sentences come in, matches go out.
"""

from divproj.search.match import Match, View, find, find_in
from divproj.search.query import Query, QueryError, parse

__all__ = ["Match", "Query", "QueryError", "View", "find", "find_in", "parse"]
