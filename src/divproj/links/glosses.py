"""Word alignment through glosses: links between a glossed sentence and its translation (Lewis & Xia 2010).

    words         Ana-ka    bita-lu
    glosses       Ana-NOM   eat-PST
    translation   Ana       ate

*Ana-ka* is linked with *Ana*, as the name stands in both sentences (pass `name`), and *bita-lu* with *ate*, a form of its
gloss *eat* (pass `lemma`). The passes run in a fixed order:

    punctuation, names
    content words     the gloss word itself or another form of it; then derivation, synonyms and similar spelling
    function words    where several would do, the one whose neighbours are linked with the neighbours of the gloss
    grams             words that may stand for a gram, such as *will* for FUT; adpositions; progressives
    the rest          words of similar meaning by word vectors; then words that are the only ones left of their class

A pass adds links to those of the passes before it and removes none. Each link has a score (`PASS_SCORES`) and the name of
its pass. `GlossAligner.align` returns them as a `GlossAlignment`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import CUT, LONGEST_SENTENCE, AlignmentError, ProjError
from divproj.core.links import Links
from divproj.core.sentence import Sentence, morphs
from divproj.links.grams import GlossPart, Grams, casefold_all
from divproj.runtime.vectors import WordVectors, shipped_vectors
from divproj.text.stems import english_words, relation, senses, stemmer
from divproj.text.tokens import normal_form

PASS_SCORES = {
    "gold": 1.0, "name": 0.99, "punctuation": 0.99, "exact": 0.98, "lemma": 0.95, "derived": 0.93, "synonym": 0.9, "spelling": 0.9,
    "gram": 0.85, "meaning": 0.7, "adposition": 0.65, "progressive": 0.65, "left over": 0.6,
}  # fmt: skip
"""Passes and the score of their links, from the most to the least reliable."""
COMMON_DIRECTIONS = 3
"""Main directions that all vectors share (frequency, not meaning); they are taken out."""
SIMILAR_MEANING = 0.5
"""Likeness from which two words may be linked; chosen on development banks (specs of the gloss model)."""
CLASS_MISFIT, PLACE_FIT = 0.2, 0.1
"""What a contradicting word class takes from the likeness of two words, and linked neighbours add to it at most; set by hand."""
SKIPPED_WORD, SKIPPED_GLOSS = 0.55, 0.6
"""Cost of a word without a gloss, and of a gloss without a word, where a sentence has more of one than of the other."""
OTHER_FORM, MORPHS_APART = 0.2, 0.25
"""Cost of a word and a gloss that differ in their first morph, and of each morph that one has more than the other (three at most)."""
SKEW = 0.2
"""What the distance of two words from the diagonal takes from how near they are."""
FOLLOWING, PRECEDING, PRECEDING_LEANING = 2.0, 1.0, 0.4
"""What linked content words after a function word count, and those before it; the last is for words that lean on what follows."""
SECOND_LINK = 0.9
"""What a gloss's link to a word that has one already is worth, as a share of a first link."""
GRAM_RANK, NEGATION_RANK = 0.1, 0.3
"""What each place in the list of words that a gram may be translated by costs."""


Lemmas = Callable[[str], frozenset[str]]


FUNCTION = frozenset({
    "article", "auxiliary", "case", "clause", "conjunction", "copula", "demonstrative", "genitive", "infinitive", "linker", "modal",
    "negation", "person", "pronoun", "question", "relative",
})  # fmt: skip
"""Kinds of grams whose words are function words: they are linked by the links of their neighbours."""
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


class GlossToken(NamedTuple):
    """A part of the gloss of word `word` (counted from 0)."""

    word: int
    part: GlossPart
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
    bare = "".join(c for c in normal_form("NFD", word.casefold()) if not unicodedata.combining(c))
    return bare.strip(_OUTER + "-'‘’").replace("’", "'")


class TranslationWords:
    """Words of the translation, counted from 0, with lemmas, function-word kinds and classes."""

    def __init__(self, words: Sequence[str], tags: Sequence[str], grams: Grams, lemmas: Lemmas) -> None:
        self.words = words
        self.marks = [punctuation(word) for word in words]
        self.forms = [word.casefold().strip(_OUTER).replace("’", "'") for word in words]
        self.classes = [word_class(tag) for tag in tags] if len(tags) == len(words) else [""] * len(words)
        closed = grams.kinds_by_word
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


def tokens(igt: Sentence, grams: Grams) -> list[list[GlossToken]]:
    """Parts of the gloss of each word."""
    rows: list[list[GlossToken]] = [[] for _ in igt.words]
    closed = grams.kinds_by_word
    for word, gloss in spread(igt):
        for part in grams.split(gloss):
            function = not part.plain or not FUNCTION.isdisjoint(closed.get(part.text, _NOTHING))
            rows[word].append(GlossToken(word, part, function))
    return rows


def spread(igt: Sentence) -> list[tuple[int, str]]:
    """(word, gloss) pairs; where the counts differ, a monotone pairing by punctuation, names and number of morphemes.

    Lines of many hundreds of words, which no author glosses by hand, are paired in order.

    >>> spread(Sentence(("Ana-ka", "la", "suma-ti", "."), glosses=("Ana-NOM", "sing-PST", ".")))
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
    pairs: list[tuple[int, str]] = []
    i, k = n, m
    while k:
        if i and cost[i][k] == cost[i - 1][k - 1] + misfit[i - 1][k - 1]:
            i, k = i - 1, k - 1
            pairs.append((i, glosses[k]))
        elif i and cost[i][k] == cost[i - 1][k] + SKIPPED_WORD:
            i -= 1
        else:
            k -= 1
            ahead = i < n and (not i or not punctuation(words[i]))
            pairs.append((i if ahead else i - 1, glosses[k]))
    return pairs[::-1]


def _misfit(word: str, gloss: str) -> float:
    """How badly a gloss fits a word, from 0 to 2."""
    marks = punctuation(word), punctuation(gloss)
    if any(marks):
        return 0.0 if marks[0] == marks[1] else 2.0
    ours, theirs = morphs(word), morphs(gloss)
    if plain(ours[0]) == plain(theirs[0]):
        return 0.0
    return OTHER_FORM + MORPHS_APART * min(abs(len(ours) - len(theirs)), 3)


LEANING = frozenset({"article", "auxiliary", "case", "copula", "demonstrative", "infinitive", "modal"})
"""Kinds of function words that belong to what follows them."""


class Neighbours:
    """One sentence and its links so far; words are counted from 0 here."""

    def __init__(
        self,
        igt: Sentence,
        target: TranslationWords,
        grams: Grams,
        lemmas: Lemmas,
        meaning: WordSimilarity | None = None,
        gloss_language: str = "",
    ) -> None:
        """`gloss_language`: that of the glosses, where it is another one than that of the translation."""
        self.likenesses = meaning
        self.gloss_language = gloss_language
        self.igt, self.e, self.grams, self.lemmas = igt, target, grams, lemmas
        self.rows = tokens(igt, grams)
        self.tokens = [token for row in self.rows for token in row]
        self.starts = list(accumulate(map(len, self.rows), initial=0))
        self.n, self.m = len(igt.words), len(target)
        self.f_of: list[list[int]] = [[] for _ in range(self.m)]
        self.e_of: list[list[int]] = [[] for _ in range(self.n)]
        self.done: set[int] = set()
        """Indices of the tokens that have a link."""
        self.scored_links: dict[tuple[int, int], tuple[float, str]] = {}

    def link(self, i: int, j: int, source: str, k: int = -1, factor: float = 1.0) -> None:
        """Link word i with word j, on behalf of token k."""
        if (i, j) not in self.scored_links:
            self.scored_links[i, j] = (PASS_SCORES[source] * factor, source)
            self.f_of[j].append(i)
            self.e_of[i].append(j)
        self.done.add(k)

    def waiting(self) -> Iterable[tuple[int, GlossToken]]:
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


TENSE = frozenset({"aspect", "auxiliary", "mood", "tense", "verbal", "voice"})
CLAUSE = frozenset({"clause", "conjunction", "question", "relative"})
SUBJECT = TENSE | CLAUSE
"""Kinds that make a word with a person a mark of the subject."""
BOUND = frozenset({"article", "case", "core", "infinitive", "linker"})
"""Kinds whose affixes are words before the same noun or verb."""
PARTICIPLES = {"en": ("ing",), "es": ("ando", "iendo", "yendo")}
"""Endings of the form that goes with a progressive auxiliary."""


Option = tuple[int, str]
"""A word of the translation and the pass that proposes it."""
Proposal = tuple[int, int, list[Option]]
"""A token (negative: a whole gloss), its word, and its options."""


class GlossPasses(Neighbours):
    """The passes; each adds links to those of the passes before it."""

    def run(self) -> dict[tuple[int, int], tuple[float, str]]:
        """Score and pass of each link."""
        if self.n and self.m:
            self.punctuation()
            self.names()
            proposed = [(k, t.word, options) for k, t in self.waiting() if (options := self.options(t.part.text))]
            self.words([*proposed, *self.compounds()], function=False)
            self.relations()
            self.words(proposed, function=True)
            self.gram_words()
            self.adpositions()
            self.progressives()
            self.meanings()
            self.left_over()
        return self.scored_links

    def punctuation(self) -> None:
        """Each mark to the same mark, from the end when there are more on one side."""
        ours: dict[str, list[int]] = {}
        theirs: dict[str, list[int]] = {}
        for i, word in enumerate(self.igt.words):
            if mark := punctuation(word):
                ours.setdefault(mark, []).append(i)
        for j, mark in enumerate(self.e.marks):
            if mark:
                theirs.setdefault(mark, []).append(j)
        for mark, places in ours.items():
            for i, j in zip(reversed(places), reversed(theirs.get(mark, ())), strict=False):
                self.link(i, j, "punctuation")

    def names(self) -> None:
        """Names and numbers that the sentence itself shares with its translation, with or without case endings."""
        named: dict[str, list[int]] = {}
        for j, word in enumerate(self.e.words):
            if self.e.forms[j] and not self.e.marks[j] and (word[0].isdigit() or word != word.lower()):
                named.setdefault(plain(word), []).append(j)
        if not named:
            return
        segments = self.igt.segments if len(self.igt.segments) == self.n else self.igt.words
        pairs: set[tuple[int, int]] = set()
        for i, word in enumerate(segments):
            if word == word.lower() and not any(map(str.isdigit, word)):
                continue
            whole, first = plain(word), plain(morphs(word)[0])
            spelled = {whole, first} | {
                name
                for name in named
                if len(name) > 3 and name.isalpha() and first.startswith(name) and len(first) - len(name) < 4
            }
            row = self.rows[i]
            letter = row[0].part.text if len(row) == 1 else ""
            if len(letter) == 1 and letter.isalpha() and letter not in self.e.by_form and not row[0].part.gram:
                spelled |= {name for name in named if name.startswith(letter)}
            for name in spelled:
                if len(name) > 1 or name.isdigit():
                    pairs |= {(i, j) for j in named.get(name, ()) if not self.has_other_match(i, j)}
        left: set[int] = set()
        for i, j in sorted(pairs, key=lambda pair: (-self.near(*pair), pair)):
            if i not in left and not self.f_of[j]:
                left.add(i)
                self.link(i, j, "name")

    def has_other_match(self, i: int, j: int) -> bool:
        """Whether the gloss of word i is another word of the translation."""
        texts = [token.part.text for token in self.rows[i] if token.part.plain]
        return any(
            j not in self.e.by_form.get(text, ()) and (text in self.e.by_form or text in self.e.by_lemma) for text in texts
        )

    def options(self, text: str) -> list[Option]:
        """Words of the translation that are a gloss word or a form of it."""
        bare = text.rstrip("0123456789")
        if len(bare) > 1 and bare != text and text not in self.e.by_form:  # `man2`, the second sense of a word
            text = bare
        sources = dict.fromkeys(self.e.by_form.get(text, ()), "exact")
        for lemma in self.lemmas(text):
            for j in self.e.by_lemma.get(lemma, ()):
                sources.setdefault(j, "lemma")
        if self.gloss_language and not sources:
            sources = dict.fromkeys((j for j in range(self.m) if self.translates(text, j)), "synonym")
        return [(j, sources[j]) for j in sorted(sources) if not self.e.supports(j)]

    def translates(self, text: str, j: int) -> bool:
        """Whether a gloss word in another language may mean what word j of the translation means."""
        ours = senses(text, self.gloss_language)
        forms = {self.e.forms[j], *self.lemmas(self.e.forms[j])} if ours else ()
        return any(not ours.isdisjoint(senses(form, self.grams.language)) for form in forms)

    def words(self, proposed: Iterable[Proposal], *, function: bool) -> None:
        """Gloss words that are in the translation, as they stand or in another form."""
        proposals: list[Proposal] = []
        rivals: Counter[int] = Counter()
        for k, i, all_options in proposed:
            options = [option for option in all_options if self.e.content[option[0]] != function] if k not in self.done else []
            if options:
                proposals.append((k, i, options))
                rivals.update(j for j, _ in options)
        taken: set[int] = set()
        hard: list[Proposal] = []
        for k, i, options in proposals:
            j, source = options[0]
            if len(options) == 1 and rivals[j] == 1:
                self.link(i, j, source, k)
                taken.add(j)
            else:
                hard.append((k, i, options))
        fit = self.anchor if function else self.near
        ranked = sorted((source != "exact", -fit(i, j), i, j, k, source) for k, i, options in hard for j, source in options)
        for _, _, i, j, k, source in ranked:
            if k not in self.done and j not in taken and not self.is_far_from_noun(i, j):
                self.link(i, j, source, k)
                taken.add(j)
        for _, _, i, j, k, source in ranked:
            if k not in self.done and not self.e_of[i] and (not function or "negation" in self.e.kinds[j]):
                self.link(i, j, source, k, SECOND_LINK)

    def compounds(self) -> list[Proposal]:
        """Glosses of several parts that the translation writes as one word."""
        proposals = []
        for i, row in enumerate(self.rows):
            parts = [token.part.text for token in row if token.part.plain]
            if len(parts) > 1:
                places = self.e.by_form.get("".join(parts)) or self.e.by_lemma.get("".join(parts))
                if places:
                    proposals.append((-2 - i, i, [(j, "exact") for j in places]))
        return proposals

    def is_far_from_noun(self, i: int, j: int) -> bool:
        """Whether an article is far from the noun that it belongs to."""
        return "article" in self.e.kinds[j] and self.gap(i, j) > 3

    def relations(self) -> None:
        """Derivation, synonyms, spelling: content words still without a link."""
        free = [j for j in range(self.m) if self.e.content[j] and not self.f_of[j]]
        if not free:
            return
        ranked = []
        for k, token in self.waiting():
            text = token.part.text
            for j in free if len(text) > 1 else ():
                source = relation(text, self.e.forms[j], name=self.e.words[j][:1].isupper(), language=self.grams.language)
                if source:
                    ranked.append((-PASS_SCORES[source], -self.near(token.word, j), k, j, source))
        for _, _, k, j, source in sorted(ranked):
            if k not in self.done and not self.f_of[j]:
                self.link(self.tokens[k].word, j, source, k)

    def gram_words(self) -> None:
        """Grams and the words that stand for them: possessors on their noun, independent words, then other affixes."""
        ranked = []
        for k, token in enumerate(self.tokens):
            kind, words = self.meaning(token) if k not in self.done else ("", ())
            if not words:
                continue
            i = token.word
            free = self.is_free(i)
            for rank, word in enumerate(casefold_all(words)):
                for j in self.e.by_form.get(word, ()):
                    if self.fits(token, j, kind, rank, free):
                        is_possessor = (
                            not free and kind == "person" and i in self.head(j) and self.e.forms[j] in self.grams.possessives
                        )
                        order = -self.anchor(i, j) + (NEGATION_RANK if kind == "negation" else GRAM_RANK) * rank
                        if kind == "person" and not is_possessor:
                            other = self.e.forms[j] in self.grams.possessives and "POSS" not in token.part.features
                            order += other + ("article" in self.e.kinds[j])
                        ranked.append((0 if is_possessor else 1 if free else 2, order, k, j, kind))
        for _, _, k, j, kind in sorted(ranked):
            if k not in self.done and (not self.f_of[j] or kind == "negation"):
                self.link(self.tokens[k].word, j, "gram", k)

    def is_free(self, i: int) -> bool:
        """Whether the gloss of word i is grams alone."""
        row = enumerate(self.rows[i], self.starts[i])
        return all(not token.part.plain or (token.part.gram and k not in self.done) for k, token in row)

    def meaning(self, token: GlossToken) -> tuple[str, tuple[str, ...]]:
        """Kind and words of a gram; plain pronouns, negations and the like may stand for others of their kind."""
        part = token.part
        if part.gram:
            return part.gram.kind, part.gram.words
        kinds = self.grams.kinds_by_word.get(part.text, frozenset())
        if "person" in kinds:
            for lemma in sorted(self.lemmas(part.text)):
                if lemma in self.grams.pronouns:
                    return "person", self.grams.pronouns[lemma]
        for kind, name in (("negation", "NEG"), ("relative", "REL"), ("genitive", "GEN"), ("article", "INDF")):
            if kind in kinds and part.text in (words := self.grams.words(name)):
                return kind, words
        return "", ()

    def fits(self, token: GlossToken, j: int, kind: str, rank: int, free: bool) -> bool:
        """Whether a gram of this kind may go to word j."""
        form, i = self.e.forms[j], token.word
        if kind == "negation":
            return "negation" in self.e.kinds[j]
        if self.f_of[j] or (self.e.content[j] and kind in FUNCTION):
            return False
        row = self.rows[i]
        alone = free and not row[0].part.features
        if kind == "person":
            return self.fits_person(row, i, j)
        if kind in TENSE and self.e.content[j]:
            return self.e.classes[j] in ("", "R")
        if kind in TENSE:
            if alone:
                return any(abs(other - i) <= 2 for other in self.head(j) + self.beside(j, -1, 4))
            return (
                kind == "tense"
                and token.part.gram is not None
                and token.part.gram.name == "FUT"
                and rank < 3
                and (i in self.head(j) or not self.e_of[i])
            )
        if kind in CLAUSE:
            return alone and not (kind == "question" and self.e.classes[j] == "V")
        if kind == "genitive":
            if form.startswith("'"):
                return j > 0 and any(abs(other - i) <= (2 if free else 0) for other in self.f_of[j - 1])
            return free or (self.grams.language != "en" and i in self.head(j))
        if kind in BOUND:
            if free or (kind == "article" and all(t.function for t in row)):
                return not self.is_far_from_noun(i, j)
            return (
                i in self.head(j)
                and not all(t.function for t in row)
                and not (token.part.gram and token.part.gram.name == "DAT")
            )
        return True

    def fits_person(self, row: list[GlossToken], i: int, j: int) -> bool:
        """A subject mark is no possessor, nor an object behind its verb or a preposition; an affix is no article."""
        if "article" in self.e.kinds[j] and self.e.classes[j] != "P" and any(not t.function for t in row):
            return False
        subject = any(t.part.gram and t.part.gram.kind in SUBJECT for t in row) and not any(
            t.part.plain and not t.part.gram for t in row
        )
        if not subject:
            return True
        if self.e.forms[j] in self.grams.possessives and i not in self.head(j):
            return False
        if not j:
            return True
        return "case" not in self.e.kinds[j - 1] and not (
            self.e.content[j - 1] and any(other > i for other in self.f_of[j - 1])
        )

    def adpositions(self) -> None:
        """One preposition for another, before the same noun."""
        free = [j for j in range(self.m) if self.is_preposition(j) and not self.f_of[j] and self.head(j)]
        ranked = []
        for k, token in enumerate(self.tokens if free else ()):
            part, i = token.part, token.word
            kinds = self.grams.kinds_by_word.get(part.text, frozenset()) if part.plain else frozenset()
            label = bool(part.gram and part.gram.kind == "case" and self.is_free(i))
            bound = any(not t.function for t in self.rows[i])
            if k not in self.done and (label or ("case" in kinds and not (bound and "genitive" in kinds))):
                ranked += [(label, self.gap(i, j), -j, k) for j in free if self.gap(i, j) <= (0 if bound else 2)]
        for _, _, j, k in sorted(ranked):
            if k not in self.done and not self.f_of[-j]:
                self.link(self.tokens[k].word, -j, "adposition", k)

    def is_preposition(self, j: int) -> bool:
        """Whether word j is a preposition, not the *to* of an infinitive nor a conjunction."""
        kinds = self.e.kinds[j]
        if "case" not in kinds or "conjunction" in kinds or self.e.content[j]:
            return False
        return not ("infinitive" in kinds and j + 1 < self.m and self.e.classes[j + 1] == "V")

    def progressives(self) -> None:
        """A word that is the progressive alone goes with its verb."""
        endings = PARTICIPLES.get(self.grams.language)
        for k, token in enumerate(self.tokens):
            gram, i = token.part.gram, token.word
            if (
                endings
                and not self.e_of[i]
                and gram
                and gram.name in ("PROG", "CONT", "DUR")
                and not any(t.part.features for t in self.rows[i])
            ):
                verbs = [
                    j
                    for other in (i + 1, i - 1)
                    if 0 <= other < self.n
                    for j in self.e_of[other]
                    if self.e.forms[j].endswith(endings)
                ]
                if verbs:
                    self.link(i, verbs[0], "progressive", k)

    def meanings(self) -> None:
        """Content words without a link and free words of the translation that mean about the same."""
        if self.likenesses is None:
            return
        free = [j for j in range(self.m) if self.e.content[j] and not self.f_of[j]]
        waiting: dict[int, list[str]] = {}
        for _, token in self.waiting():
            if not token.function and not self.e_of[token.word] and not self.is_label(token.word):
                waiting.setdefault(token.word, []).append(token.part.text)
        ranked = []
        for i, texts in waiting.items() if free else ():
            for j in free:
                fit = self.likenesses.likeness(*self.both_in_english(texts, j))
                score = (
                    fit - (0.0 if self.same_class(i, j) else CLASS_MISFIT) + PLACE_FIT * min(1.0, max(-1.0, self.near(i, j)))
                )
                if score >= SIMILAR_MEANING:
                    ranked.append((-score, i, j))
        for _, i, j in sorted(ranked):
            if not self.e_of[i] and not self.f_of[j]:
                self.link(i, j, "meaning")

    def both_in_english(self, texts: list[str], j: int) -> tuple[str, str]:
        """The words of a gloss, and word j of the translation; both in English where they are in two languages."""
        if not self.gloss_language:
            return ".".join(texts), self.e.forms[j]
        english = [word for text in texts for word in english_words(text, self.gloss_language)[:1]]
        return ".".join(english), ".".join(english_words(self.e.forms[j], self.grams.language)[:1])

    def left_over(self) -> None:
        """Content words that nothing else fits: of one class and the only ones, or between linked neighbours."""
        ours = sorted(
            {
                token.word
                for _, token in self.waiting()
                if not token.function and not self.e_of[token.word] and not self.is_label(token.word)
            }
        )
        theirs = [j for j in range(self.m) if not self.f_of[j] and self.e.content[j]]
        pairs = [(i, j) for i in ours for j in theirs if self.same_class(i, j)]
        choices = Counter(i for i, _ in pairs), Counter(j for _, j in pairs)
        for i, j in pairs:
            if (choices[0][i] == choices[1][j] == 1 or self.between(i, j)) and not self.e_of[i] and not self.f_of[j]:
                self.link(i, j, "left over")

    def is_label(self, i: int) -> bool:
        """Whether the gloss of word i is in capitals: a gram that the table does not know."""
        glosses = self.igt.glosses
        return len(glosses) == self.n and glosses[i].isupper() and not self.igt.words[i].isupper()

    def between(self, i: int, j: int) -> bool:
        """Whether both neighbours of word i are linked with those of word j."""
        left = j - 1 in self.e_of[i - 1] if i and j else i == j
        right = j + 1 in self.e_of[i + 1] if i + 1 < self.n and j + 1 < self.m else self.n - i == self.m - j
        return left and right

    def same_class(self, i: int, j: int) -> bool:
        """Whether the gloss of word i has nothing against the class of word j."""
        letter = self.e.classes[j]
        if not letter:
            return True
        kinds = {t.part.gram.kind for t in self.rows[i] if t.part.gram}
        if kinds & TENSE or any(t.part.plain and t.part.text.endswith(("ed", "ing")) for t in self.rows[i]):
            return letter in "VJ"
        return letter in "NQ" if kinds & {"case", "core", "genitive"} else True


class GlossLink(NamedTuple):
    """Word `f` of the sentence and word `e` of the translation (from 1), its score, and the pass that made it."""

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

    >>> igt = Sentence(("Ana-ka", "bita-lu"), glosses=("Ana-NOM", "eat-PST"))
    >>> [(link.f, link.e, link.source) for link in GlossAligner().align(igt, ("Ana", "ate")).scored]
    [(1, 1, 'name'), (2, 2, 'lemma')]
    """

    def __init__(
        self,
        grams: Grams | None = None,
        meaning: WordSimilarity | None = None,
        lemmas: Lemmas | None = None,
        gloss_language: str = "",
    ) -> None:
        """`meaning` and `lemmas` are of the language of the translations; None: those of English, and stems for other languages.

        `gloss_language` is that of the glosses; '' where it is that of the translations, or not known. Of two languages the words are
        compared by what they are in English.
        """
        self.grams = Grams.load_shipped() if grams is None else grams
        self.gloss_language = "" if gloss_language == self.grams.language else gloss_language
        self.meaning = english() if self.gloss_language or (meaning is None and self.grams.language == "en") else meaning
        self._lemmas = lemmas or stemmer(self.grams.language)

    @staticmethod
    def takes(igt: Sentence, e_words: Sequence[str]) -> bool:
        """Whether both are short enough: every gloss is compared with every word."""
        return max(len(igt.words), len(e_words)) <= LONGEST_SENTENCE

    def align(self, igt: Sentence, e_words: Sequence[str], e_tags: Sequence[str] = ()) -> GlossAlignment:
        """Links between one sentence and its translation; gold links in the sentence are kept.

        `e_tags` are Penn or universal tags; they help, but are not needed.
        """
        shape = (len(igt.words), len(e_words))
        if igt.links is not None:
            links = tuple(GlossLink(f, e, PASS_SCORES["gold"], "gold") for f, e in sorted(igt.links))
        elif not self.takes(igt, e_words):
            raise AlignmentError(f"{max(shape)} words, at most {LONGEST_SENTENCE} expected", igt.where, CUT)
        else:
            scored = GlossPasses(
                igt,
                TranslationWords(e_words, e_tags, self.grams, self._lemmas),
                self.grams,
                self._lemmas,
                self.meaning,
                self.gloss_language,
            ).run()
            links = tuple(GlossLink(i + 1, j + 1, *scored[i, j]) for i, j in sorted(scored))
        try:
            weights = tuple(((link.f, link.e), link.score) for link in links)
            alignment = Links(frozenset((link.f, link.e) for link in links), shape, weights=weights)
        except AlignmentError as error:
            raise AlignmentError(
                f"gold {error.message}", igt.where, "the translation must be in the words of the gold links"
            ) from None
        return GlossAlignment(links, alignment)


class WordSimilarity:
    """Cosines of vectors without their mean and main directions.

    >>> rows = np.array([[90, 10, 5, 1], [80, 20, 6, 2], [-90, 30, 0, 1], [5, -60, 9, 0]], np.int8)
    >>> some = WordSimilarity(WordVectors(["a", "b", "c", "d"], rows, np.ones(4, np.float32)), common=0)
    >>> some.likeness("a", "b") > some.likeness("a", "c"), some.likeness("a", "zzz")
    (True, 0.0)
    """

    def __init__(self, vectors: WordVectors, common: int = COMMON_DIRECTIONS) -> None:
        self.place = vectors.place
        rows = vectors.rows.astype(np.float32) * vectors.units[:, None]
        rows -= rows.mean(0)
        if common:
            directions = np.linalg.eigh(rows.T @ rows)[1][:, -common:]
            rows -= (rows @ directions) @ directions.T
        self._rows: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def vector(self, words: str) -> NDArray[np.float32] | None:
        """The direction of a word, or of several joined by dots, hyphens or underscores; None when all are unknown."""
        places = [self.place[w] for w in words.replace("_", ".").replace("-", ".").split(".") if w in self.place]
        if not places:
            return None
        mean: NDArray[np.float32] = self._rows[places].mean(0)
        return mean / max(float(np.linalg.norm(mean)), 1e-9)

    def likeness(self, a: str, b: str) -> float:
        """The cosine of two words, 0 where one is unknown."""
        u, v = self.vector(a), self.vector(b)
        return 0.0 if u is None or v is None else float(u @ v)


@lru_cache(maxsize=1)
def english() -> WordSimilarity | None:
    """Of the shipped vectors; None where the installed language has none."""
    try:
        return WordSimilarity(shipped_vectors("en"))
    except ProjError:
        return None
