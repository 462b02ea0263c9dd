"""Links between the words of a glossed sentence and those of its translation, found through the gloss (Lewis & Xia 2010).

A sieve of passes, the surest first; each link keeps its score and the pass it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from divproj.data.errors import AlignmentError
from divproj.data.igt import Igt
from divproj.data.limits import CUT, LONGEST
from divproj.data.links import Links
from divproj.links.gloss.gloss_tokens import Target
from divproj.links.gloss.grams import Grams
from divproj.links.gloss.passes import Sieve
from divproj.links.settings import PASS_SCORES
from divproj.text.stems import stemmer

if TYPE_CHECKING:
    from divproj.links.gloss.meaning import Meaning


class GlossLink(NamedTuple):
    """Word `f` of the sentence and word `e` of the translation (from 1), how sure the link is and which pass found it."""

    f: int
    e: int
    score: float
    source: str


@dataclass(frozen=True)
class GlossAlignment:
    """Links in order, with scores and passes, and as `Links`."""

    scored: tuple[GlossLink, ...]
    links: Links


class GlossAligner:
    """Links words with words of the translation through their glosses. The table of grams is for the language of the translations.

    >>> igt = Igt(("Ana-ka", "bita-lu"), glosses=("Ana-NOM", "eat-PST"))
    >>> [(link.f, link.e, link.source) for link in GlossAligner().align(igt, ("Ana", "ate")).scored]
    [(1, 1, 'name'), (2, 2, 'lemma')]
    """

    def __init__(self, grams: Grams | None = None, meaning: Meaning | None = None) -> None:
        from divproj.links.gloss.meaning import english  # needs numpy, and texts with links need neither

        self.grams = Grams.shipped() if grams is None else grams
        self.meaning = meaning or (english() if self.grams.language == "en" else None)
        self._lemmas = stemmer(self.grams.language)

    @staticmethod
    def takes(igt: Igt, e_words: Sequence[str]) -> bool:
        """Whether both are short enough: every gloss is compared with every word."""
        return max(len(igt.words), len(e_words)) <= LONGEST

    def align(self, igt: Igt, e_words: Sequence[str], e_tags: Sequence[str] = ()) -> GlossAlignment:
        """Links between one sentence and its translation; gold links in the sentence are kept.

        `e_tags` are Penn or universal tags; they help, but are not needed.
        """
        shape = (len(igt.words), len(e_words))
        if igt.links is not None:
            links = tuple(GlossLink(f, e, PASS_SCORES["gold"], "gold") for f, e in sorted(igt.links))
        elif not self.takes(igt, e_words):
            raise AlignmentError(f"{max(shape)} words, at most {LONGEST} expected", igt.where, CUT)
        else:
            found = Sieve(igt, Target(e_words, e_tags, self.grams, self._lemmas), self.grams, self._lemmas, self.meaning).run()
            links = tuple(GlossLink(i + 1, j + 1, *found[i, j]) for i, j in sorted(found))
        try:
            weights = tuple(((link.f, link.e), link.score) for link in links)
            alignment = Links(frozenset((link.f, link.e) for link in links), shape, weights=weights)
        except AlignmentError as error:
            raise AlignmentError(
                f"gold {error.what}", igt.where, "the translation must be in the words of the gold links"
            ) from None
        return GlossAlignment(links, alignment)
