"""An interlinear instance: words, their segmentation and glosses, and a translation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from divproj.data.errors import Where
from divproj.data.links import Links
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree

if TYPE_CHECKING:
    from divproj.data.pair import Pair

BOUNDARY = re.compile(r"(?<=[^-=~<>\s])[-=~–‐‑−](?=[^-=~<>\s])")
"""Between two morphemes of a token: hyphen (or the dash that a word processor made of it), clitic boundary, reduplication."""


def morphs(token: str) -> tuple[str, ...]:
    """Morphemes of a segmented word or of a gloss.

    >>> morphs("give-CAUS=3SG"), morphs("-")
    (('give', 'CAUS', '3SG'), ('-',))
    """
    return tuple(BOUNDARY.split(token))


@dataclass(frozen=True)
class Igt:
    """One glossed sentence as its author wrote it; words and glosses need not line up.

    `words` is the language line, one string a word. `segments` has each word as segmented (`dil-vā-yī`), `glosses` the
    gloss of each (`give-CAUS-PST`), `tags` a part of speech each; any of the three may be empty or of another length:
    `gloss.grade` says what does not fit. Readers leave `segments` empty where the words themselves are segmented.
    `translation` is the free translation, `translations` those in all languages by code. `e_words`, `e_tags`, `links`
    (f, e from 1), `tree` and `e_tree` are there when the source has them.

    >>> igt = Igt(("Hund-e", "bell-en"), glosses=("dog-PL", "bark-3PL"), translation="Dogs bark.")
    >>> igt.lines_up, igt.glosses[0]
    (True, 'dog-PL')
    """

    words: tuple[str, ...]
    segments: tuple[str, ...] = ()
    glosses: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    translation: str = ""
    text: str = ""
    """The sentence as written, with punctuation; empty when the source has only words."""
    sent_id: str = ""
    language: str = ""
    """ISO 639-3 code, or the name when the source has no code."""
    translations: tuple[tuple[str, str], ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    """Anything else the source says of the instance, in order (speaker, source, comment …)."""
    e_words: tuple[str, ...] = ()
    links: frozenset[tuple[int, int]] | None = None
    tree: DepTree | None = None
    e_tree: DepTree | None = None
    judgement: str = ""
    """`*`, `?`, `#` or `%` before the sentence."""
    e_tags: tuple[str, ...] = ()
    sentence: Sentence | None = field(default=None, compare=False)
    """The CoNLL-U rows it came from, so that gold is never lost."""
    where: Where = field(default=Where(), compare=False)

    @property
    def lines_up(self) -> bool:
        """Whether every word has a gloss."""
        return len(self.glosses) == len(self.words) > 0

    def pair(self) -> Pair:
        """The sentence and its translation as a pair; without a tree in the source, E has only words.

        >>> Igt(("Hunde", "bellen"), glosses=("dog.PL", "bark"), e_words=("Dogs", "bark")).pair().f.glosses
        ('dog.PL', 'bark')
        """
        from divproj.data.pair import Pair  # which knows of this type

        glosses = self.glosses if self.lines_up else ()
        f = replace(self.tree, glosses=glosses) if self.tree else DepTree.unparsed(self.words, glosses=glosses)
        e = self.e_tree or DepTree.unparsed(self.e_words or self.translation.split())
        shape = (len(f), len(e))
        links = Links(self.links, shape) if self.links is not None else Links(frozenset(), shape, known=False)
        return Pair(f, e, links, self.sent_id, self.translation, sentence=self.sentence, igt=self, where=self.where)
