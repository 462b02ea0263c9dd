"""How two words are related: by form, lemma, stem, derivation, WordNet, a user's list, vectors.

Answers are remembered. Everything that only English has (rules, lists, WordNet) is asked when both sides are English.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.data.errors import Faults, FormatError, Where
from divproj.forest.categories import category
from divproj.forest.hypergraph import Forest
from divproj.io.files import Source, name_of, reading
from divproj.phrases import features
from divproj.phrases.embeddings import Embeddings
from divproj.phrases.function_words import is_preposition, is_stop, mark_class, same_kind
from divproj.phrases.settings import NEAR_COSINE
from divproj.phrases.wordnet import WordNet
from divproj.text import stems

EXACT, LEMMA, STEM, DERIVED, SYNONYM, WN_DERIVED, TABLE, NEAR, LINK, POSTERIOR, PREPOSITION, KIND, CONTEXT = (
    1 << k for k in range(13)
)
"""Sources of a word candidate, as bits."""
SOURCE_NAMES = (
    "exact", "lemma", "stem", "derivation", "synonym", "wordnet-derivation", "table", "embedding", "link", "posterior", "preposition", "kind", "context",
)  # fmt: skip
REMEMBERED = 1_000_000
_WANT_E = ("v", "at", "iz", "c", "u", "e", "dg", "rg", "ang", "ais", "ens")
_KEPT = frozenset(("not", "no", "can"))
_ABBREVIATIONS = (
    "%:percent $:dollar us$:dollar dollars:dollar £:pound pounds:pound €:euro euros:euro &:and mr:mister dr:doctor st:saint "
    "co:company corp:corporation inc:incorporated ltd:limited gov:governor sen:senator rep:representative lt:lieutenant "
    "gen:general sgt:sergeant prof:professor dept:department govt:government intl:international natl:national vs:versus "
    "jan:january feb:february mar:march apr:april jun:june jul:july aug:august sep:september sept:september oct:october "
    "nov:november dec:december mon:monday tue:tuesday tues:tuesday wed:wednesday thu:thursday thur:thursday thurs:thursday "
    "fri:friday sat:saturday sun:sunday mln:million bn:billion km:kilometre kilometer:kilometre kg:kilogram"
)
_IN_FULL = dict(pair.split(":") for pair in _ABBREVIATIONS.split())
_WORDNET_POS = {"N": "n", "V": "v", "ADJ": "a", "ADV": "r"}


class Word(NamedTuple):
    """A word in lower case, with its lemma and its tag."""

    form: str
    lemma: str
    tag: str = ""


@dataclass
class Lexicon:
    """Everything that is known about words."""

    languages: tuple[str, str] = ("en", "en")
    wordnet: WordNet | None = None
    embeddings: Embeddings | None = None
    threshold: float = NEAR_COSINE
    """Cosine from which words are near (`embeddings.threshold` finds it for other vectors than ours)."""
    table: frozenset[tuple[str, str]] = frozenset()
    """Pairs of words or lemmas in lower case."""
    kinds: bool = False
    """Departs: English function words of one kind (two determiners, two auxiliaries …) are candidates, not prepositions alone.

    Keeps more word links; multiword pairs gain nothing.
    """

    context: bool = True
    """Departs: where nothing is known of two content words, but much of their neighbours, they are candidates (`candidates.contexts`)."""

    def __post_init__(self) -> None:
        self._sources: dict[tuple[Word, Word], int] = {}
        self._relations: dict[tuple[str, str], int] = {}

    @property
    def english(self) -> bool:
        return self.languages == ("en", "en")

    def relation(self, a: str, b: str) -> int:
        """Flags of `features` for two lemmas: SURFACE, WORDNET (synonym or derivation), EMBEDDING."""
        known = self._relations.get((a, b))
        if known is None:
            known = features.surface(a, b) if self.languages[0] == self.languages[1] or a == b else 0
            if a != b and (self._lexical(a, b) or (a, b) in self.table):
                known |= features.WORDNET
            if self.near(a, b):
                known |= features.EMBEDDING
            if len(self._relations) < REMEMBERED:
                self._relations[a, b] = known
        return known

    def near(self, a: str, b: str) -> bool:
        return self.embeddings is not None and a != b and self.embeddings.cosine(a, b) >= self.threshold

    def _lexical(self, a: str, b: str) -> int:
        """SYNONYM, WN_DERIVED and DERIVED of two English lemmas; of function words nothing."""
        if not self.english or not (a[:1].isalpha() and b[:1].isalpha()):
            return 0
        found = 0
        if stems.derived(a, b):
            found |= DERIVED
        if stems.synonyms(a, b):
            found |= SYNONYM
        if self.wordnet is not None:
            if b in self.wordnet.synonyms(a) or a in self.wordnet.synonyms(b):
                found |= SYNONYM
            if b in self.wordnet.derivations(a) or a in self.wordnet.derivations(b):
                found |= WN_DERIVED
        return found

    def sources(self, a: Word, b: Word) -> int:
        """Which sources make the two words candidates; vectors are not asked here.

        Punctuation goes with punctuation of its kind, a function word with itself or, both being prepositions, with another.
        """
        known = self._sources.get((a, b))
        if known is None:
            known = self._ask(a, b)
            if len(self._sources) < REMEMBERED:
                self._sources[a, b] = known
        return known

    def _ask(self, a: Word, b: Word) -> int:
        marks = mark_class(a.form), mark_class(b.form)
        if any(marks):
            return (EXACT if a.form == b.form else LEMMA) if marks[0] == marks[1] else 0
        found = 0
        if {(a.form, b.form), (a.lemma, b.lemma)} & self.table:
            found |= TABLE
        same = a.form == b.form or (self.english and _spelling(a.form) == _spelling(b.form))
        if self.languages[0] != self.languages[1]:
            return found | (EXACT if same and (len(a.form) > 3 or any(c.isdigit() for c in a.form)) else 0)
        found |= (EXACT if same else 0) | (LEMMA if a.lemma == b.lemma else 0)
        if self.is_stop(a, 0) or self.is_stop(b, 1):
            both = is_preposition(a.form, a.tag, self.languages[0]) and is_preposition(b.form, b.tag, self.languages[1])
            kind = self.kinds and self.english and same_kind(a.form, b.form)
            return found or (PREPOSITION if both else KIND if kind else 0)
        stemmed = stems.stemmer(self.languages[0])
        if not same and not stemmed(a.form).isdisjoint(stemmed(b.form)):
            found |= STEM
        return found | (0 if same else self._lexical(a.lemma, b.lemma) | self._lexical(a.form, b.form))

    def is_stop(self, word: Word, side: int) -> bool:
        return is_stop(word.form, word.tag, self.languages[side])

    def is_content(self, word: Word, side: int) -> bool:
        return not mark_class(word.form) and not self.is_stop(word, side)

    def near_matrix(self, src: Sequence[Word], tgt: Sequence[Word]) -> NDArray[np.bool_]:
        """Content words that vectors find near one another."""
        if self.embeddings is None or not src or not tgt:
            return np.zeros((len(src), len(tgt)), bool)
        cosines = self.embeddings.rows([w.form for w in src]) @ self.embeddings.rows([w.form for w in tgt]).T
        usable = np.outer([self.is_content(w, 0) for w in src], [self.is_content(w, 1) for w in tgt])
        return np.asarray((cosines >= self.threshold) & usable)

    def words(self, forest: Forest, side: int) -> list[Word]:
        lemmas = forest.lemmas or self.lemmas(forest, side)
        tags = forest.tags or ("",) * len(forest.forms)
        rows = zip(forest.forms, lemmas, tags, strict=True)
        return [Word(form.lower(), (form if lemma in ("", "_") else lemma).lower(), tag) for form, lemma, tag in rows]

    def lemmas(self, forest: Forest, side: int) -> tuple[str, ...]:
        """Lemmas of the words: WordNet's, or by rules where there is no WordNet; other languages keep their forms."""
        if self.languages[side] != "en":
            return tuple(form.lower() for form in forest.forms)
        tags = forest.tags or ("",) * len(forest.forms)
        return tuple(self._lemma(form.lower(), tag) for form, tag in zip(forest.forms, tags, strict=True))

    def _lemma(self, form: str, tag: str) -> str:
        pos = _WORDNET_POS.get(category(tag), "") if tag else ""
        if tag in ("NNP", "NNPS", "PROPN"):
            return form
        listed = "" if form in _KEPT else stems.irregular(form)
        if listed and (is_stop(form, tag, "en") or pos == "v"):
            return listed
        if self.wordnet is not None and form.isalpha():
            found = self.wordnet.lemmas(form, pos)
            return found[0] if found else form
        return listed or (_by_rule(form) if tag in ("NNS", "VBD", "VBG", "VBN", "VBZ", "") else form)

    def lemmatised(self, forest: Forest, side: int) -> Forest:
        """The forest with lemmas, when it has none of its own."""
        return forest if forest.lemmas else replace(forest, lemmas=self.lemmas(forest, side))


@lru_cache(maxsize=100_000)
def _spelling(form: str) -> str:
    """What is left of a word without dots and hyphens, signs and abbreviations in full.

    >>> _spelling("semi-circle"), _spelling("u.s."), _spelling("%"), _spelling("feb."), _spelling("...")
    ('semicircle', 'us', 'percent', 'february', '...')
    """
    bare = form.replace("-", "").replace(".", "") or form
    return _IN_FULL.get(bare, bare)


def _by_rule(form: str) -> str:
    """The likeliest stem that -s, -ed and -ing leave.

    >>> _by_rule("stopped"), _by_rule("cities"), _by_rule("making"), _by_rule("walked"), _by_rule("bus")
    ('stop', 'city', 'make', 'walk', 'bus')
    """
    found = [stem for stem in stems.lemmas(form) if stem != form]
    if not found:
        return form
    shortest = min(found, key=lambda stem: (len(stem), stem))
    if len(shortest) > 2 and shortest[-1] == shortest[-2] and shortest[-1] not in "lsz":
        return shortest[:-1]
    if len(found) == 2 and shortest + "e" in found:
        vowels = "aeiou"
        closed = (
            len(shortest) > 2 and shortest[-1] not in vowels + "wxy" and shortest[-2] in vowels and shortest[-3] not in vowels
        )
        cluster = shortest[-1:] == "l" and shortest[-2:-1] not in vowels + "lr"
        return shortest + "e" if shortest.endswith(_WANT_E) or cluster or (closed and len(shortest) < 5) else shortest
    return shortest if not form.endswith("ies") else form[:-3] + "y"


def read_table(source: Source, faults: Faults | None = None) -> frozenset[tuple[str, str]]:
    """A user's pairs: two words a line, separated by a tab; more columns and `#` lines are left alone."""
    faults = faults or Faults()
    found = set()
    with reading(source) as stream:
        for number, raw in enumerate(stream, 1):
            line = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip("\r\n")
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip().lower() for field in line.split("\t")]
            if len(fields) < 2 or not fields[0] or not fields[1]:
                faults.word(
                    FormatError(f"'{line[:40]}': two words with a tab between them expected", Where(name_of(source), number))
                )
                continue
            found.add((fields[0], fields[1]))
    return frozenset(found)
