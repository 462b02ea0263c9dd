"""Links of one sentence as they grow, and how well a new one would fit those around it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from divproj.data.igt import Igt
from divproj.links.gloss.gloss_tokens import Lemmas, Target, Token, punctuation, tokens
from divproj.links.gloss.grams import Grams
from divproj.links.settings import FOLLOWING, PASS_SCORES, PRECEDING, PRECEDING_LEANING, SKEW

if TYPE_CHECKING:
    from divproj.links.gloss.meaning import Meaning

LEANING = frozenset({"article", "auxiliary", "case", "copula", "demonstrative", "infinitive", "modal"})
"""Kinds of function words that belong to what follows them."""


class Neighbours:
    """One sentence and its links so far; words are counted from 0 here."""

    def __init__(self, igt: Igt, target: Target, grams: Grams, lemmas: Lemmas, meaning: Meaning | None = None) -> None:
        self.likenesses = meaning
        self.igt, self.e, self.grams, self.lemmas = igt, target, grams, lemmas
        self.rows = tokens(igt, grams)
        self.tokens = [token for row in self.rows for token in row]
        self.starts = list(accumulate(map(len, self.rows), initial=0))
        self.n, self.m = len(igt.words), len(target)
        self.f_of: list[list[int]] = [[] for _ in range(self.m)]
        self.e_of: list[list[int]] = [[] for _ in range(self.n)]
        self.done: set[int] = set()
        """Indices of the tokens that have a link."""
        self.found: dict[tuple[int, int], tuple[float, str]] = {}

    def link(self, i: int, j: int, source: str, k: int = -1, factor: float = 1.0) -> None:
        """Link word i with word j, on behalf of token k."""
        if (i, j) not in self.found:
            self.found[i, j] = (PASS_SCORES[source] * factor, source)
            self.f_of[j].append(i)
            self.e_of[i].append(j)
        self.done.add(k)

    def waiting(self) -> Iterable[tuple[int, Token]]:
        """Tokens that are words and have no link yet."""
        return (
            (k, t) for k, t in enumerate(self.tokens) if t.part.plain and k not in self.done and not punctuation(t.part.text)
        )

    def skew(self, i: int, j: int) -> float:
        """How far apart two words are in their sentences, from 0 to 1."""
        return abs((i + 0.5) / self.n - (j + 0.5) / self.m)

    def near(self, i: int, j: int) -> float:
        """How well a link fits those of the words around it."""
        total = -self.skew(i, j)
        for d in (-1, 1, -2, 2):
            if 0 <= i + d < self.n:
                for other in self.e_of[i + d]:
                    total += 1 / (abs(d) + abs(other - j))
        return total

    def beside(self, j: int, step: int, reach: int) -> list[int]:
        """What the first linked content word after (step 1) or before (-1) word j translates."""
        k = j + step
        for _ in range(reach):
            if not 0 <= k < self.m or self.e.marks[k]:
                break
            if self.f_of[k] and self.e.content[k]:
                return self.f_of[k]
            k += step
        return []

    def head(self, j: int) -> list[int]:
        """What the word that function word j belongs to translates."""
        return self.beside(j, 1, 5)

    def gap(self, i: int, j: int) -> int:
        """Distance of word i from what word j belongs to; 0 when that is not known."""
        return min((abs(other - i) for other in self.head(j)), default=0)

    def anchor(self, i: int, j: int) -> float:
        """How near word i is to what the content words around function word j translate."""
        score = -SKEW * self.skew(i, j)
        for step, reach, weight in ((1, 5, FOLLOWING), (-1, 4, PRECEDING_LEANING if self.e.kinds[j] & LEANING else PRECEDING)):
            around = self.beside(j, step, reach)
            if around:
                score += weight / (1 + min(other - i if other >= i else i - other + 0.5 for other in around))
        return score
