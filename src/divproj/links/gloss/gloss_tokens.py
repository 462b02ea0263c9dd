"""The two sides that the gloss aligner compares: parts of glosses, and words of the translation with what is known of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from divproj.data.igt import Igt, morphs
from divproj.links.gloss.grams import Grams, Part
from divproj.links.settings import MORPHS_APART, OTHER_FORM, SKIPPED_GLOSS, SKIPPED_WORD

Lemmas = Callable[[str], frozenset[str]]

FUNCTION = frozenset({
    "article", "auxiliary", "case", "clause", "conjunction", "copula", "demonstrative", "genitive", "infinitive", "linker", "modal",
    "negation", "person", "pronoun", "question", "relative",
})  # fmt: skip
"""Kinds of grams whose words are function words: they are linked by the company they keep."""
AUXILIARY = frozenset({"auxiliary", "copula"})
MOST_CELLS = 250_000
"""Words times glosses of a sentence that are paired by how they fit: time and memory grow with them."""
_NOTHING: frozenset[str] = frozenset()
_CLASSES = {
    "NN": "N", "NO": "N", "PROPN": "N", "VB": "V", "VE": "V", "AUX": "V", "JJ": "J", "ADJ": "J", "RB": "R", "ADV": "R", "MD": "M",
    "IN": "I", "TO": "I", "ADP": "I", "RP": "I", "DT": "D", "PDT": "D", "DET": "D", "PRP": "P", "PRON": "P", "EX": "P", "WP": "W",
    "WDT": "W", "WRB": "W", "CC": "C", "SCONJ": "C", "POS": "S", "CD": "Q", "NUM": "Q", "PART": "T",
}  # fmt: skip
_MARKS = {
    "।": ".", "॥": ".", "。": ".", "．": ".", "،": ",", "、": ",", "，": ",", "？": "?", "؟": "?", "！": "!", "“": '"', "”": '"',
    "``": '"', "''": '"', "«": '"', "»": '"', "’": "'", "‘": "'", "`": "'", "…": "...", "–": "-", "—": "-", "--": "-",
}  # fmt: skip
_OUTER = '()[]{}<>"“”„«».,;:!?*…'


class Token(NamedTuple):
    """A part of the gloss of word `word` (counted from 0)."""

    word: int
    part: Part
    function: bool
    """Whether it is a function word of the translation's language, or a gram."""


@lru_cache(maxsize=10_000)
def word_class(tag: str) -> str:
    """One letter for a Penn or universal tag, '' when it says nothing.

    >>> word_class("VBZ"), word_class("NOUN"), word_class("PRP$"), word_class("_")
    ('V', 'N', 'P', '')
    """
    for size in (5, 4, 3, 2):
        if tag[:size] in _CLASSES:
            return _CLASSES[tag[:size]]
    return ""


@lru_cache(maxsize=10_000)
def punctuation(token: str) -> str:
    """The token in plain punctuation, '' when it has a letter or digit.

    >>> punctuation("।"), punctuation("a.")
    ('.', '')
    """
    if not token or any(map(str.isalnum, token)):
        return ""
    return _MARKS.get(token, "..." if len(token) > 1 and set(token) == {"."} else token)


@lru_cache(maxsize=50_000)
def plain(word: str) -> str:
    """Lower case without accents and outer punctuation, for comparing names across spellings.

    >>> plain("(Zoë's,")
    "zoe's"
    """
    bare = "".join(c for c in unicodedata.normalize("NFD", word.casefold()) if not unicodedata.combining(c))
    return bare.strip(_OUTER + "-'‘’").replace("’", "'")


class Target:
    """Words of the translation, counted from 0, with lemmas, function-word kinds and classes."""

    def __init__(self, words: Sequence[str], tags: Sequence[str], grams: Grams, lemmas: Lemmas) -> None:
        self.words = words
        self.marks = [punctuation(word) for word in words]
        self.forms = [word.casefold().strip(_OUTER).replace("’", "'") for word in words]
        self.classes = [word_class(tag) for tag in tags] if len(tags) == len(words) else [""] * len(words)
        closed = grams.closed
        self.kinds = [closed.get(form, _NOTHING) & FUNCTION for form in self.forms]
        self.content = [not mark and self._has_content(j) for j, mark in enumerate(self.marks)]
        self.by_form: dict[str, list[int]] = {}
        self.by_lemma: dict[str, list[int]] = {}
        for j, form in enumerate(self.forms):
            if self.marks[j]:
                continue
            self.by_form.setdefault(form, []).append(j)
            for lemma in lemmas(form):
                self.by_lemma.setdefault(lemma, []).append(j)
            if "-" in form:
                for part in {form.replace("-", ""), *form.split("-")}:
                    if len(part) > 2:
                        self.by_lemma.setdefault(part, []).append(j)

    def __len__(self) -> int:
        return len(self.words)

    def _has_content(self, j: int) -> bool:
        letter, kinds = self.classes[j], self.kinds[j]
        if kinds & AUXILIARY or (letter and letter in "MDPWCS"):
            return False
        return not kinds or (bool(letter) and letter in "NVJ")

    def supports(self, j: int) -> bool:
        """Whether word j is the *do* of a question or negation."""
        if self.forms[j] not in ("do", "does", "did"):
            return False
        after = range(j + 1, min(j + 5, len(self)))
        return any(self.classes[k] == "V" for k in after) or any(self.forms[k] in ("n't", "not") for k in after)


def tokens(igt: Igt, grams: Grams) -> list[list[Token]]:
    """Parts of the gloss of each word."""
    found: list[list[Token]] = [[] for _ in igt.words]
    closed = grams.closed
    for word, gloss in spread(igt):
        for part in grams.split(gloss):
            function = not part.plain or not FUNCTION.isdisjoint(closed.get(part.text, _NOTHING))
            found[word].append(Token(word, part, function))
    return found


def spread(igt: Igt) -> list[tuple[int, str]]:
    """(word, gloss) pairs; where the counts differ, a monotone pairing by punctuation, names and number of morphemes.

    Lines of many hundreds of words, which no author glosses by hand, are paired in order.

    >>> spread(Igt(("Ana-ka", "la", "suma-ti", "."), glosses=("Ana-NOM", "sing-PST", ".")))
    [(0, 'Ana-NOM'), (2, 'sing-PST'), (3, '.')]
    """
    words = igt.segments if len(igt.segments) == len(igt.words) else igt.words
    glosses = igt.glosses
    n, m = len(words), len(glosses)
    if n == m or not n:
        return list(zip(range(n), glosses, strict=False))
    if n * m > MOST_CELLS:
        return [(min(k, n - 1), gloss) for k, gloss in enumerate(glosses)]
    misfit = [[_misfit(word, gloss) for gloss in glosses] for word in words]
    cost = [[k * SKIPPED_GLOSS for k in range(m + 1)]]
    for i in range(1, n + 1):
        row = [i * SKIPPED_WORD]
        for k in range(1, m + 1):
            row.append(
                min(cost[i - 1][k - 1] + misfit[i - 1][k - 1], cost[i - 1][k] + SKIPPED_WORD, row[k - 1] + SKIPPED_GLOSS)
            )
        cost.append(row)
    found: list[tuple[int, str]] = []
    i, k = n, m
    while k:
        if i and cost[i][k] == cost[i - 1][k - 1] + misfit[i - 1][k - 1]:
            i, k = i - 1, k - 1
            found.append((i, glosses[k]))
        elif i and cost[i][k] == cost[i - 1][k] + SKIPPED_WORD:
            i -= 1
        else:
            k -= 1
            ahead = i < n and (not i or not punctuation(words[i]))
            found.append((i if ahead else i - 1, glosses[k]))
    return found[::-1]


def _misfit(word: str, gloss: str) -> float:
    """How badly a gloss fits a word, from 0 to 2."""
    marks = punctuation(word), punctuation(gloss)
    if any(marks):
        return 0.0 if marks[0] == marks[1] else 2.0
    ours, theirs = morphs(word), morphs(gloss)
    if plain(ours[0]) == plain(theirs[0]):
        return 0.0
    return OTHER_FORM + MORPHS_APART * min(abs(len(ours) - len(theirs)), 3)
