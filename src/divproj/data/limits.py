"""How long a sentence may be. What takes the second or third power of its length in time or memory stops here, and says so.

The longest sentences of large UD treebanks have some 400 words.
"""

from __future__ import annotations

from divproj.data.errors import FormatError, Where

PARSED_WHOLE, PART = 400, 150
"""Words up to which a sentence is parsed as one; a longer one is parsed in parts of at most so many."""
LONGEST = 1000
"""Words of a sentence from which parsers learn, whose phrases are aligned or whose brackets are scored; longer ones are left out."""
CUT = "cut it into sentences"


def too_long(words: int, where: Where) -> FormatError:
    """The fault of a sentence that is left out."""
    return FormatError(f"{words} words, at most {LONGEST} expected", where, CUT)


def in_parts(words: int, where: Where) -> FormatError:
    """The fault of a sentence that is parsed in parts."""
    what = f"{words} words: parsed in parts of at most {PART}, whose roots hang on the first"
    return FormatError(what, where, CUT)
