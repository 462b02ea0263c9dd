"""Facts about the words of a glossed sentence that do not depend on its language: gloss, grams, links, and given tags.

`Glosses` analyses glosses into English words and grams:

    read-PRS.3SG  ->  words (read), grams (PRS, 3SG), kinds (tense, person)
    3SG.PST       ->  no words, grams (3SG, PST), role aux
    COP           ->  no words, grams (COP), role cop

`words_of` returns the facts of all words of a sentence, and `usage_of` what a whole text shows about its word types.
`given_tags` are the tags that the user allows, by universal tags or by part-of-speech labels. The usual parts of speech of
English words come from a treebank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.io.interlinear.languages import gloss_language
from divproj.links.grams import GlossPart, Gram, Grams
from divproj.parsing.language import load_pack, pack
from divproj.projection.direct import ProjectionInput
from divproj.runtime.vectors import WordVectors
from divproj.text.stems import english_words
from divproj.ud.tagsets import UPOS, universal

CAPITALS = 0.7
"""Share of glosses in capitals from which all capitals of a text mean nothing."""
GIVEN_TAG = 0.98
"""Probability of a tag that the user has given."""
TYPE_TAG = 0.98
"""Probability that a word has one of the tags that the user has given its type."""
LABEL_TRUST = 0.95
"""Probability that a word has one of the tags that its part-of-speech label allows; set by hand, not tuned."""
KNOWN_LABELS = 0.5
"""Share of the part-of-speech labels of a text that must be known for any of them to be used; set by hand, not tuned."""


_ENDINGS = (
    ("ly", "ADV"), ("ing", "VERB"), ("ed", "VERB"), ("tion", "NOUN"), ("ness", "NOUN"), ("ment", "NOUN"), ("ity", "NOUN"),
    ("er", "NOUN"), ("ous", "ADJ"), ("ful", "ADJ"), ("able", "ADJ"), ("ish", "ADJ"), ("ize", "VERB"), ("s", "NOUN"),
)  # fmt: skip


@dataclass(frozen=True)
class EnglishLexicon:
    """Words in lower case with their usual tag, the second one ('' for none) and how usual the first is, in tenths.

    It is of English, or of another language that glosses are written in (`lexicon_of`).
    """

    words: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    endings: tuple[tuple[str, str], ...] = _ENDINGS
    """Endings of words that are not known, and the tags that they suggest."""

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, str, str]], least: int = 2) -> EnglishLexicon:
        """From (form, lemma, UPOS) of a treebank; words seen less often than `least` are left out."""
        seen: dict[str, Counter[str]] = {}
        for form, lemma, tag in tokens:
            if tag in UPOS and tag != "PUNCT":
                for word in {form.lower(), lemma.lower()}:
                    seen.setdefault(word, Counter())[tag] += 1
        entries = {}
        for word, tags in sorted(seen.items()):
            total = tags.total()
            if total >= least:
                ranked = sorted(tags.items(), key=lambda item: (-item[1], item[0]))
                second = ranked[1][0] if len(ranked) > 1 and ranked[1][1] * 10 >= total else ""
                entries[word] = ranked[0][0], second, min(9, 10 * ranked[0][1] // total)
        return cls(entries)

    def __contains__(self, word: str) -> bool:
        return word in self.words

    def tags(self, word: str) -> tuple[str, str, int]:
        """The usual tags of a word; of an unknown one what its ending suggests.

        >>> EnglishLexicon().tags("slowly"), EnglishLexicon().tags("blorp")
        (('ADV', '', 0), ('', '', 0))
        """
        entry = self.words.get(word)
        if entry is None:
            tag = next((tag for ending, tag in self.endings if word.endswith(ending) and len(word) > len(ending) + 2), "")
            entry = tag, "", 0
        return entry


OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "NUM", "PROPN", "VERB")
WORD_TAGS = frozenset(UPOS) - {"PUNCT", "SYM", "X"}
"""Tags that a language pack may give a gloss word that it sees without context."""
ALONE = 6
"""How usual the tag of a word is that was tagged without context, in tenths; set by hand."""
WIDEST = 30_000
"""Words of a table of vectors that get a tag."""


def extend_vocabulary(counted: EnglishLexicon, rare: EnglishLexicon, vectors: WordVectors) -> EnglishLexicon:
    """`counted` with words that a treebank has seldom or never: tags by their vectors, learned from words with one tag.

    `rare` has all words of the treebank.
    """
    from sklearn.linear_model import LogisticRegression

    known = [
        (word, tags[0]) for word, tags in sorted(rare.words.items()) if tags[0] in OPEN and tags[2] >= 6 and word in vectors
    ]
    learned = LogisticRegression(C=3.0, max_iter=300).fit([vectors.vector(w) for w, _ in known], [tag for _, tag in known])
    more = [w for w in vectors.words[:WIDEST] if w.isalpha() and w not in counted]
    entries = dict(counted.words)
    for word, probabilities in zip(more, learned.predict_proba([vectors.vector(w) for w in more]), strict=True):
        order = sorted(range(len(probabilities)), key=lambda k: -probabilities[k])
        first, second = (str(learned.classes_[k]) for k in order[:2])
        if first == "PROPN" and probabilities[order[0]] < 0.6:
            first, second = second, ""
        first = rare.words[word][0] if word in rare else first
        entries[word] = (
            first,
            second if probabilities[order[1]] > 0.2 and second != first else "",
            int(5 * probabilities[order[0]]),
        )
    return EnglishLexicon(entries)


CASES = frozenset({"case", "core", "genitive"})
VERBAL = frozenset({"verbal", "clause", "infinitive", "relative"})
TENSES = frozenset({"tense", "aspect", "mood", "modal", "voice", "causative"})


META = frozenset(
    [
        "marker",
        "particle",
        "aspect",
        "tense",
        "mood",
        "case",
        "clitic",
        "suffix",
        "prefix",
        "affix",
        "copula",
        "article",
        "classifier",
        "auxiliary",
    ]
)
"""Words by which an author names a gram instead of abbreviating it."""
TERMS = (
    TENSES
    | CASES
    | VERBAL
    | {"negation", "copula", "auxiliary", "topic", "question", "number", "conjunction", "particle", "classifier"}
)
SPELLED = {
    "negative": "NEG", "negation": "NEG", "expletive": "EXPL", "perfect": "PRF", "perfective": "PFV", "imperfective": "IPFV",
    "future": "FUT", "plural": "PL", "collective": "COLL", "copula": "COP", "particle": "PTCL", "interjection": "INTJ",
    "diminutive": "DIM", "question": "Q", "topic": "TOP", "focus": "FOC", "definite": "DEF", "classifier": "CLF", "genitive": "GEN",
    "final": "PTCL", "factive": "REAL", "auxiliary": "AUX",
}  # fmt: skip
ABBREVIATED = frozenset(
    [
        "cop",
        "aux",
        "neg",
        "foc",
        "gen",
        "def",
        "det",
        "art",
        "nom",
        "acc",
        "dat",
        "loc",
        "erg",
        "abs",
        "cl",
        "clf",
        "comp",
        "rel",
        "conj",
        "ptcl",
        "prt",
        "foc",
        "emph",
        "pl",
        "sg",
        "indf",
        "pst",
        "prs",
        "fut",
    ]
)
"""Grams that are grams in small letters too, though English has such words."""
ROLES = (
    ("copula", "cop"), ("auxiliary", "aux"), ("tense", "aux"), ("aspect", "aux"), ("mood", "aux"), ("modal", "aux"), ("voice", "aux"),
    ("causative", "aux"), ("negation", "neg"), ("question", "ask"), ("relative", "rel"), ("conjunction", "cc"), ("clause", "mark"),
    ("infinitive", "mark"), ("demonstrative", "dem"), ("pronoun", "pron"), ("reflexive", "refl"), ("impersonal", "pron"), ("person", "pron"),
    ("case", "case"), ("core", "case"), ("genitive", "gen"), ("article", "det"), ("quantifier", "num"), ("classifier", "clf"), ("linker", "link"),
    ("topic", "top"), ("particle", "part"), ("number", "pl"), ("verbal", "vbl"), ("direction", "dir"),
)  # fmt: skip
"""What a word is whose gloss has grams alone, by the first of these kinds that is among them."""
_OPTIONAL = re.compile(r"(?<=\w)\([^)]*\)|(?<=\w)\[[^\]]*\]$(?<!\d\])")
_GLUED = re.compile(r"([A-Z]{2,}\d?|[A-Z]+\d)([a-z]{2}[a-z.\-A-Z\d]*)")


class Gloss(NamedTuple):
    """The analysis of a gloss: English words, grams by their names in the table, and the kinds of the grams."""

    words: tuple[str, ...] = ()
    grams: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()

    @property
    def shape(self) -> str:
        """S words alone, G grams alone, B both, - nothing."""
        return "B" if self.words and self.grams else "S" if self.words else "G" if self.grams else "-"

    @property
    def role(self) -> str:
        """What a word without a lexical gloss is: `3SG.PST` and `PST` are both auxiliaries, `3SG` a pronoun; '' for others."""
        if self.words or not self.grams:
            return ""
        if "person" in self.kinds and "clause" in self.kinds:
            return "aux"  # a subjunctive that shows its subject
        return next((role for kind, role in ROLES if kind in self.kinds), "?")

    def first(self, kinds: frozenset[str]) -> str:
        """The first gram of one of these kinds, '' for none."""
        for gram, kind in zip(self.grams, self.kinds, strict=True):
            if kind in kinds:
                return gram
        return ""


@dataclass
class Glosses:
    """Analyses glosses, and caches the analyses."""

    grams: Grams
    english: EnglishLexicon
    capitals: bool = False
    """Whether the text has its glosses in capitals, so that capitals do not mark grams."""
    _known: dict[str, Gloss] = field(default_factory=dict, repr=False)

    def __call__(self, gloss: str) -> Gloss:
        analysis = self._known.get(gloss)
        if analysis is None:
            analysis = self._known[gloss] = self._apart(gloss)
        return analysis

    def _apart(self, gloss: str) -> Gloss:
        if not gloss or gloss == "_":
            return Gloss()
        text = _OPTIONAL.sub("", gloss.lower() if self.capitals else gloss) or gloss
        if "," in text.strip(","):
            text = text.strip(",").partition(",")[0]
        glued = _GLUED.fullmatch(text)
        if glued and glued[2].partition(".")[0].partition("-")[0] in self.english:
            text = f"{glued[1]}-{glued[2]}"
        pieces = [
            piece for part in self.grams.split(text) for piece in self._unglue(part, text) if any(map(str.isalnum, piece.text))
        ]
        about = any(part.text in META for part in pieces) and len(pieces) > 1
        words, grams, kinds, persons = [], [], [], []
        for k, part in enumerate(pieces):
            gram = self._gram_by_term(part.text) if about or len(pieces) == 1 else None
            if gram is None and part.text in META and about:
                continue
            gram = gram or part.gram
            if about or gram is not part.gram or self._is_gram(part, text, first=k == 0):
                grams.append(gram.name if gram else part.text.upper())
                kinds.append("person" if part.features else gram.kind if gram else "?")
                if part.features:
                    persons.append("".join(sorted(part.features)))
            else:
                words.append(part.text.rstrip("0123456789") or part.text)
        return Gloss(tuple(words), tuple(grams), tuple(kinds), tuple(persons))

    def _unglue(self, part: GlossPart, gloss: str) -> Iterable[GlossPart]:
        """Grams that are written as one, `AUXFUT`, or onto an English word, `auxthen`."""
        text = part.text
        if part.gram or part.features or len(text) < 4 or not text.isalnum() or text in self.english:
            return (part,)
        if text.upper() in gloss and not self.capitals:
            for k in range(2, len(text) - (text[-1] != "q")):
                both = self.grams.get(text[:k]), self.grams.get(text[k:])
                if all(both) and (k > 2 or text[:k].isdigit() or len(text) - k > 2):
                    return [*self.grams.split(text[:k].upper()), *self.grams.split(text[k:].upper())]
            if text[0].isdigit() and (gram := self.grams.get(text[1:])):
                return [*self.grams.split(text[0]), GlossPart(text[1:], gram, False)]
        if text[:3] in ("aux", "cop") and text[3:] in self.english and len(text) > 5:
            return [GlossPart(text[:3], self.grams.get(text[:3]), False), GlossPart(text[3:])]
        return (part,)

    def _gram_by_term(self, text: str) -> Gram | None:
        """The gram that is written out as a term of grammar: `copula`, `perfective`."""
        return self._terms.get(text)

    @cached_property
    def _terms(self) -> dict[str, Gram]:
        rows = {row.meaning: row for row in reversed(self.grams.rows) if row.kind in TERMS and row.meaning.isalpha()}
        return {**rows, **{word: row for word, name in SPELLED.items() if (row := self.grams.get(name))}}

    def _is_gram(self, part: GlossPart, gloss: str, *, first: bool) -> bool:
        text = part.text
        if part.features:
            return not (text.isdecimal() and gloss == text)
        known = text in self.english
        at = gloss.casefold().find(text)
        shown = gloss[at : at + len(text)] if at >= 0 else text
        if part.gram is not None:
            if self.capitals:
                return not known or text in ABBREVIATED
            if not part.plain or (shown[:1].isupper() and text != "i"):
                return True
            return text in ABBREVIATED or (not known and len(text) < 6)
        if self.capitals or known:
            return False
        if shown.isupper():
            return len(text) < 8 and not text.isdecimal()
        return shown[:1].isupper() and not first and len(text) < 6


class WordFacts(NamedTuple):
    """Facts of a word; all are names that features are made of."""

    form: str
    gloss: Gloss
    lexical: str
    """Usual tag of the gloss as an English word."""
    doubt: str
    """Second tag and share of the first."""
    mark: bool
    """Punctuation."""
    e_tag: str
    e_rel: str
    link: str
    """U no link, S one E word for one, M shares its E word, G several E words."""

    @property
    def stem(self) -> str:
        return ".".join(self.gloss.words)


def is_mark(form: str, gloss: str = "") -> bool:
    """Punctuation, or what its author glosses as such."""
    return not any(map(str.isalnum, form)) or gloss.upper() in ("PUNCT", "PUNC")


def in_capitals(texts: Sequence[ProjectionInput]) -> bool:
    """Whether a text has nearly all its glosses in capitals."""
    glosses = [g for b in texts for g in b.glosses if any(map(str.isalpha, g))]
    return len(glosses) > 0 and sum(g.isupper() for g in glosses) > CAPITALS * len(glosses)


def words_of(sentence: ProjectionInput, glosses: Glosses) -> list[WordFacts]:
    """Facts of the words of a sentence."""
    gloss_column = sentence.glosses or ("",) * len(sentence)
    tags = [universal(tag) for tag in sentence.e.tags()]
    deprels = sentence.e.deprels or ("",) * len(sentence.e)
    facts = []
    for k, (form, gloss) in enumerate(zip(sentence.forms, gloss_column, strict=True), 1):
        apart, anchor, mark = glosses(gloss), sentence.anchors[k], is_mark(form, gloss)
        lexical, doubt = lexical_tags(apart, glosses.english)
        link = (
            "U"
            if not anchor
            else "M"
            if len(sentence.groups[anchor]) > 1
            else "G"
            if len(sentence.links.forward[k]) > 1
            else "S"
        )
        e_tag, e_rel = (tags[anchor - 1], deprels[anchor - 1].partition(":")[0]) if anchor else ("", "")
        facts.append(WordFacts(form, apart, lexical, doubt, mark, e_tag, e_rel, link))
    return facts


def foreign_language(text: Sequence[ProjectionInput]) -> str:
    """Return the language of the words in the glosses of a text: where it cannot be told, that of most translations; '' for English.

    Authors often gloss in English and translate into the language of the country, or the other way round.
    """
    counts = Counter(sentence.e_language for sentence in text if sentence.e.forms)
    code = gloss_language(text) or (counts.most_common(1)[0][0] if counts else "")
    return "" if code == "en" else code


def lexicon_of(
    text: Sequence[ProjectionInput], grams: Grams, language: str, english: EnglishLexicon | None = None
) -> EnglishLexicon:
    """Return the words of glosses in another language than English, with the tags that the translations show.

    Words of glosses that are in no translation are tagged by the language pack, each by itself; without a pack they have the tag of what they
    are in English.
    """
    tokens = [
        (form, form, universal(tag))
        for sentence in text
        if sentence.e_language == language
        for form, tag in zip(sentence.e.forms, sentence.e.tags(), strict=True)
    ]
    lexicon = EnglishLexicon.of(tokens, least=1)
    parts = [part for sentence in text for gloss in sentence.glosses if not gloss.isupper() for part in grams.split(gloss)]
    unseen = sorted({part.text for part in parts if part.plain and not part.gram and part.text.isalpha()} - set(lexicon.words))
    if unseen and pack(language):
        tags = load_pack(language).tag([(word,) for word in unseen])
        lexicon.words.update(
            {word: (tag, "", ALONE) for word, [(tag, _)] in zip(unseen, tags, strict=True) if tag in WORD_TAGS}
        )
    elif english:
        meanings = {word: each for word in unseen for each in english_words(word, language)[:1] if each in english}
        lexicon.words.update({word: english.tags(each) for word, each in meanings.items()})
    return EnglishLexicon(lexicon.words, ())


def lexical_tags(gloss: Gloss, english: EnglishLexicon) -> tuple[str, str]:
    """Usual tag of the English words of a gloss and its doubt; of several words that of the word they turn on."""
    if not gloss.words:
        return "", ""
    candidates = [english.tags(word) for word in gloss.words]
    best = candidates[0]
    if len(candidates) > 1 and best[0] not in ("VERB", "AUX"):
        while len(candidates) > 1 and candidates[-1][0] in ("ADP", "PART", "DET", "SCONJ"):
            candidates.pop()
        best = candidates[0] if best[0] == "ADP" and len(candidates) < len(gloss.words) else candidates[-1]
    return best[0], f"{best[1]}{min(best[2], 9) // 2}"


class Usage(NamedTuple):
    """How often a word type occurs in a text, where, and how it is linked."""

    share: int
    """Bucket of its share of the text's words."""
    e_tag: str
    """The tag it is mostly linked to."""
    linked: int
    """Quarters of its occurrences that are linked."""
    first: int
    """Quarters of its occurrences that begin a sentence; 0 to 3."""
    last: int


def usage_of(sentences: Sequence[Sequence[WordFacts]]) -> dict[str, Usage]:
    """Usage of all word types, by form in lower case."""
    seen: Counter[str] = Counter()
    ends: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    tags: dict[str, Counter[str]] = {}
    for words in sentences:
        real = [w for w in words if not w.mark]
        for w in real:
            seen[w.form.lower()] += 1
            tags.setdefault(w.form.lower(), Counter())[w.e_tag] += 1
        if len(real) > 1:
            ends[0][real[0].form.lower()] += 1
            ends[1][real[-1].form.lower()] += 1
    total = max(1, seen.total())
    usage = {}
    for form, count in seen.items():
        e_tags = tags[form]
        linked = count - e_tags[""]
        best = min((t for t in e_tags if t), key=lambda t: (-e_tags[t], t), default="")
        share = sum(count / total > limit for limit in (0.002, 0.006, 0.015, 0.04)) if count > 1 else 0
        usage[form] = Usage(share, best, 4 * linked // count, *(min(3, 4 * end[form] // count) for end in ends))
    return usage


Floats = NDArray[np.float64]


def understood(text: Iterable[ProjectionInput], grams: Grams) -> bool:
    """Whether the labels of a text are mostly ones that the table knows; those of another tag set say something else."""
    labels = [label for sentence in text for label in sentence.labels if label != "_"]
    return bool(labels) and sum(bool(grams.classes(label)) for label in labels) >= KNOWN_LABELS * len(labels)


@dataclass(frozen=True)
class GivenTags:
    """Tags that the user allows for the words of a sentence."""

    allowed: NDArray[np.bool_]
    """[word, tag]; everything where nothing is said."""
    trust: Floats
    """How far that holds, for each word."""
    fixed: Floats | None = None
    """Probabilities [word, tag] that take the place of all others, where they are known already."""

    def of(self, words: Sequence[int]) -> GivenTags:
        """Those of some words, counted from 1."""
        places = np.array(words, np.int64) - 1
        return GivenTags(self.allowed[places], self.trust[places])

    def apply(self, probabilities: Floats) -> Floats:
        """Return probabilities of tags [word, tag] restricted to the allowed tags, as far as these are trusted."""
        if self.fixed is not None:
            return self.fixed
        kept = np.maximum(probabilities, 1e-9) * self.allowed
        trust = self.trust[:, None]
        mixed: Floats = trust * kept / kept.sum(1, keepdims=True) + (1 - trust) * probabilities
        return mixed


def given_tags(sentence: ProjectionInput, grams: Grams, labelled: bool = True) -> GivenTags | None:
    """Universal tags first, then those of types, then labels, if `labelled`; None where nothing is given."""
    labels = sentence.labels if labelled else ()
    if not (sentence.tags or labels or sentence.answers):
        return None
    given = GivenTags(np.ones((len(sentence), len(UPOS)), np.bool_), np.zeros(len(sentence)))
    classes = [(grams.classes(label), LABEL_TRUST) for label in labels or ("_",) * len(sentence)]
    for k, answer in enumerate(sentence.answers):
        if answer and answer.tags:
            classes[k] = answer.tags, TYPE_TAG
    for k, tag in enumerate(sentence.tags):
        if tag in UPOS:
            classes[k] = (tag,), GIVEN_TAG
    for k, (allowed, trust) in enumerate(classes):
        if allowed:
            given.allowed[k] = False
            given.allowed[k, [UPOS.index(tag) for tag in allowed]] = True
            given.trust[k] = trust
    return given
