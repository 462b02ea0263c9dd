"""Which words of two sentences may be linked, and why: form, lemma, stem, derivation, WordNet, a user's list, word vectors.

`Lexicon.sources(a, b)` returns the sources that make two words candidates, as bits (`EXACT`, `LEMMA` …), and
`Lexicon.relation(a, b)` the features of two lemmas. Results are cached. Rules, lists and WordNet are for English and are
consulted only when both sides are English. Punctuation, function words and prepositions are recognised by spelling in
English, by tag elsewhere.

`Embeddings` are word vectors: those of the English parser, or read from a file (`.npz`, word2vec or GloVe text). All are
unit vectors, so that a product is a cosine. No neural library is needed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import Faults, FormatError, ModelError, Where
from divproj.forest.heads import category
from divproj.forest.hypergraph import Forest
from divproj.io.files import Source, name_of, reading
from divproj.phrases import model
from divproj.phrases.wordnet import WordNet
from divproj.runtime.modelfile import read_arrays
from divproj.text import stems
from divproj.text.encoder import ContextEncoder, WordKinds

NEAR_COSINE = 0.8
"""For the vectors of the English parser; chosen on the dev part of the Edinburgh paraphrases."""


ENCODER_LEAST = 0.3
"""Probability from which the encoder makes words candidates; chosen on the train part of the Edinburgh paraphrases, in folds."""
Floats = NDArray[np.float32]
WIDEST = 1 << 16
"""Largest size of a vector: an unknown word gets a vector of zeros of that size, so a wrong header must not ask for more."""


class Embeddings:
    """Unit vectors of words; unknown words have the zero vector, whose cosine with every other is 0."""

    def __init__(self, size: int, vector: Callable[[str], Floats | None], name: str = "") -> None:
        if size > WIDEST:
            raise FormatError(f"vectors of {size} numbers, at most {WIDEST} expected", Where(name))
        self.size, self.name = size, name
        self._vector = vector
        self._known: dict[str, Floats] = {}

    def vector(self, word: str) -> Floats:
        unit_vector = self._known.get(word)
        if unit_vector is None:
            raw_vector = self._vector(word)
            unit_vector = np.zeros(self.size, np.float32) if raw_vector is None else _unit(raw_vector)
            self._known[word] = unit_vector
        return unit_vector

    def has(self, word: str) -> bool:
        return bool(self.vector(word).any())

    def rows(self, words: Sequence[str]) -> Floats:
        return np.stack([self.vector(word) for word in words]) if words else np.zeros((0, self.size), np.float32)

    def cosine(self, a: str, b: str) -> float:
        return float(self.vector(a) @ self.vector(b))

    @classmethod
    def of(cls, words: Sequence[str], matrix: Floats, name: str = "") -> Embeddings:
        """
        >>> two = Embeddings.of(["a", "b"], np.array([[2, 0], [1, 1]], np.float32))
        >>> round(two.cosine("a", "b"), 3), two.cosine("a", "c")
        (0.707, 0.0)
        """
        place = {word: k for k, word in reversed(list(enumerate(words)))}
        return cls(matrix.shape[1], lambda word: matrix[place[word]] if word in place else None, name)


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    usable = 0 < length < np.inf
    return np.asarray(vector / length if usable else np.zeros_like(vector), dtype=np.float32)


def load(source: Source, vocabulary: Collection[str] | None = None) -> Embeddings:
    """Vectors of a file: `.npz` with `words` and `vectors`, or text with a word and its numbers a line.

    With a `vocabulary` only its words are kept, so that large text files need little memory.
    """
    path = name_of(source)
    with reading(source) as stream:
        start = stream.peek(4)[:4] if hasattr(stream, "peek") else b""
        if start[:2] != b"PK":
            return _text(stream, path, vocabulary)
    return _npz(path)


def _npz(path: str) -> Embeddings:
    where = Where(path)
    try:
        data = read_arrays(Path(path))
    except ModelError as error:
        reason = error.message.removeprefix("cannot be read: ")
        raise ModelError(
            f"not a file of vectors that can be used: {reason}", where, "words must be text, not objects"
        ) from None
    if "words" not in data or "vectors" not in data:
        raise ModelError(f"arrays {str(sorted(data))[:200]} in the file, 'words' and 'vectors' expected", where)
    words, vectors = data["words"], data["vectors"]
    if vectors.ndim != 2 or words.shape != vectors.shape[:1] or words.dtype.kind != "U" or vectors.dtype.kind != "f":
        raise ModelError(
            f"words {words.dtype!s:.40} {words.shape}, vectors {vectors.dtype!s:.40} {vectors.shape}: they do not fit", where
        )
    return Embeddings.of([str(word) for word in words], vectors.astype(np.float32), path)


def _text(stream: Iterable[bytes], path: str, vocabulary: Collection[str] | None) -> Embeddings:
    words: list[str] = []
    rows: list[Floats] = []
    size = 0
    for number, raw in enumerate(stream, 1):
        fields = raw.decode("utf-8", "replace").rstrip().split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdecimal() and len(field) < 19 for field in fields):
            size = int(fields[1])
            continue
        size = size or len(fields) - 1
        if len(fields) <= size or size < 1:
            raise FormatError(
                f"{len(fields) - 1} numbers, {size or 'some'} expected", Where(path, number), "is it word2vec text?"
            )
        word = " ".join(fields[:-size])
        if vocabulary is not None and word not in vocabulary:
            continue
        try:
            with np.errstate(over="ignore"):  # such a word counts as one without a vector
                rows.append(np.array(fields[-size:], dtype=np.float32))
        except ValueError:
            raise FormatError(f"the vector of '{word[:40]}' has a field that is not a number", Where(path, number)) from None
        words.append(word)
    return Embeddings.of(words, np.stack(rows) if rows else np.zeros((0, max(size, 1)), np.float32), path)


def shipped_vectors(language: str = "en") -> Embeddings:
    """The vectors that come with a language, those of its parser."""
    from divproj.runtime import vectors

    parser_vectors = vectors.shipped_vectors(language)
    return Embeddings(parser_vectors.size, parser_vectors.vector, language)


def threshold(
    embeddings: Embeddings, pairs: Iterable[tuple[Sequence[str], Sequence[str]]], rank: int = 100, low: float = 0.4
) -> float:
    """The `rank`-th highest cosine of different words that stand in sentence pairs (Arase & Tsujii 2017, section 6.1).

    Each pair of words counts once; never below `low`, which is what comes out when there are fewer pairs.
    """
    best: dict[tuple[str, str], float] = {}
    for src, tgt in pairs:
        one, two = sorted({w.lower() for w in src}), sorted({w.lower() for w in tgt})
        cosines = embeddings.rows(one) @ embeddings.rows(two).T
        for i, j in zip(*np.nonzero(cosines >= low), strict=True):
            if one[i] != two[j]:
                best[min(one[i], two[j]), max(one[i], two[j])] = float(cosines[i, j])
    ranked = sorted(best.values(), reverse=True)
    return ranked[rank - 1] if len(ranked) >= rank else low


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PREPOSITIONS = _names("""about above across after against along amid among amongst around as at before behind below beneath beside besides between
    beyond by despite down during except for from in inside into like near of off on onto out outside over past per round since
    through throughout till to toward towards under underneath until unto up upon versus via with within without""")
STOP_WORDS = PREPOSITIONS | _names("""a an the this that these those some any no every each either neither another such both all i me my mine myself you your
    yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they them their theirs
    themselves who whom whose which what there here be am is are was were been being 'm 're 's 've 'd 'll have has had having
    do does did doing will would shall should can could may might must ought and or but nor so yet if whether because although
    though while when where why how than then not n't too also very just only even still already again ever never s t""")
_KINDS = {
    "determiner": "a an the this that these those my your his her its our their some any no every each another such both all 's",
    "auxiliary": "be am is are was were been being 'm 're 's have has had having 've 'd do does did will would 'll shall should "
    "can could may might must",
    "conjunction": "and or but nor yet so however while whereas though although because since as if when whether that",
    "relative": "who whom whose which that what where when",
    "negation": "not n't no never neither nor",
    "degree": "just only even also too still again already very",
}
_KIND: dict[str, frozenset[str]] = {}
for _kind, _words in _KINDS.items():
    for _word in _words.split():
        _KIND[_word] = _KIND.get(_word, frozenset()) | {_kind}
_FUNCTION_TAGS = _names("""ADP AUX CCONJ DET PART PRON SCONJ PUNCT APPR APPRART APPO APZR ART KON KOKOM KOUS KOUI PDAT PDS PIAT PIDAT PIS PPER PPOSAT
    PPOSS PRELAT PRELS PRF PTKZU PTKNEG PWAT PWAV PWS VAFIN VAINF VAPP VAIMP VMFIN VMINF VMPP KN SN IE PN PS HP HD HS HA PR
    PRP PRP$ CC IN TO MD EX WDT WP WP$ WRB POS""")
_ADPOSITION_TAGS = _names("ADP APPR APPRART APPO APZR PR")
_READ = frozenset("% $ £ € ¥ & + = @ # ° §".split())  # noqa: SIM905
_MARKS = {"``": "quote", "''": "quote", "--": "dash", "...": "stop", "-lrb-": "open", "-rrb-": "close"}
_CLASSES = {"stop": ".!?…;:", "comma": ",", "quote": "\"'“”„‘’«»‹›`", "dash": "-–—", "open": "([{", "close": ")]}"}
_CLASS = {mark: name for name, marks in _CLASSES.items() for mark in marks}


def mark_class(form: str) -> str:
    """What kind of punctuation it is; '' for words and signs that are read as words, a mark's own spelling if it is of no kind.

    >>> mark_class("."), mark_class("“"), mark_class("--"), mark_class("'s"), mark_class("%"), mark_class("§§")
    ('stop', 'quote', 'dash', '', '', '§§')
    """
    lower = form.lower()
    if lower in _MARKS or lower in _CLASS:
        return _MARKS.get(lower) or _CLASS[lower]
    if not form or lower in _READ or not all(unicodedata.category(c)[0] in "PS" for c in form):
        return ""
    return _CLASS.get(form[0], form) if len(set(form)) == 1 else form


def is_stop(form: str, tag: str, language: str) -> bool:
    """
    >>> is_stop("the", "", "en"), is_stop("der", "ART", "de"), is_stop("us", "NNP", "en")
    (True, True, False)
    """
    if language == "en":
        return form in STOP_WORDS and tag not in ("NNP", "NNPS", "PROPN", "CD")
    return tag in _FUNCTION_TAGS


def word_kinds(forms: Sequence[str]) -> WordKinds:
    """Which English words are marks and which are function words, by their spelling alone.

    >>> word_kinds(["The", "dog", "."])
    WordKinds(marks=array([False, False,  True]), function=array([ True, False, False]))
    """
    marks = np.array([bool(mark_class(form)) for form in forms], bool)
    return WordKinds(marks, np.array([is_stop(form.lower(), "", "en") for form in forms], bool) & ~marks)


def same_kind(a: str, b: str) -> bool:
    """Whether two English function words can stand for one another: both determiners, both auxiliaries …

    >>> same_kind("a", "the"), same_kind("has", "was"), same_kind("the", "was")
    (True, True, False)
    """
    return not _KIND.get(a, frozenset()).isdisjoint(_KIND.get(b, frozenset()))


def is_preposition(form: str, tag: str, language: str) -> bool:
    return form in PREPOSITIONS if language == "en" else tag in _ADPOSITION_TAGS


EXACT, LEMMA, STEM, DERIVED, SYNONYM, WN_DERIVED, TABLE, NEAR, LINK, POSTERIOR, PREPOSITION, KIND, CONTEXT, ENCODER = (
    1 << k for k in range(14)
)
"""Sources of a word candidate, as bits."""
SOURCE_NAMES = (
    "exact", "lemma", "stem", "derivation", "synonym", "wordnet-derivation", "table", "embedding", "link", "posterior", "preposition", "kind", "context", "encoder",
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


class LexicalWord(NamedTuple):
    """A word in lower case, with its lemma and its tag."""

    form: str
    lemma: str
    tag: str = ""


TWO_LANGUAGES = ("f", "e")
"""Any two languages that differ: their words are alike only if they are the same."""


@dataclass
class Lexicon:
    """All sources of knowledge about words, for a pair of languages."""

    languages: tuple[str, str] = ("en", "en")
    wordnet: WordNet | None = None
    embeddings: Embeddings | None = None
    threshold: float = NEAR_COSINE
    """Smallest cosine of similar words (the function `threshold` estimates it for other vectors).

    Departs: it is fixed; the paper takes the 100th highest similarity of words in the training corpus."""
    table: frozenset[tuple[str, str]] = frozenset()
    """Pairs of words or lemmas in lower case."""
    kinds: bool = False
    """Departs: English function words of one kind (two determiners, two auxiliaries …) are candidates, not prepositions alone.

    Keeps more word links; multiword pairs gain nothing.
    """

    encoder: ContextEncoder | None = None
    """Departs: two English words are candidates if they mean the same in their sentences by this encoder (`ENCODER_LEAST`); the other
    sources, apart from the table, then make no candidates."""
    context: bool = True
    """Departs: two content words without a source are candidates if their neighbours are (`reading.contexts`)."""

    def __post_init__(self) -> None:
        self._sources: dict[tuple[LexicalWord, LexicalWord], int] = {}
        self._relations: dict[tuple[str, str], int] = {}

    @property
    def english(self) -> bool:
        return self.languages == ("en", "en")

    def relation(self, a: str, b: str) -> int:
        """Flags of `features` for two lemmas: SURFACE, WORDNET (synonym or derivation), EMBEDDING."""
        known = self._relations.get((a, b))
        if known is None:
            known = model.surface(a, b) if self.languages[0] == self.languages[1] or a == b else 0
            if a != b and (self._lexical(a, b) or (a, b) in self.table):
                known |= model.WORDNET
            if self.near(a, b):
                known |= model.EMBEDDING
            if len(self._relations) < REMEMBERED:
                self._relations[a, b] = known
        return known

    def near(self, a: str, b: str) -> bool:
        return self.embeddings is not None and a != b and self.embeddings.cosine(a, b) >= self.threshold

    def _lexical(self, a: str, b: str) -> int:
        """SYNONYM, WN_DERIVED and DERIVED of two English lemmas; of function words nothing."""
        if not self.english or not (a[:1].isalpha() and b[:1].isalpha()):
            return 0
        flags = 0
        if stems.share_stem(a, b):
            flags |= DERIVED
        if stems.synonyms(a, b):
            flags |= SYNONYM
        if self.wordnet is not None:
            if b in self.wordnet.synonyms(a) or a in self.wordnet.synonyms(b):
                flags |= SYNONYM
            if b in self.wordnet.derivations(a) or a in self.wordnet.derivations(b):
                flags |= WN_DERIVED
        return flags

    def sources(self, a: LexicalWord, b: LexicalWord) -> int:
        """Return the sources that make the two words candidates, except vectors.

        Punctuation goes with punctuation of its kind, a function word with itself or, both being prepositions, with another.
        """
        known = self._sources.get((a, b))
        if known is None:
            known = self._ask(a, b)
            if len(self._sources) < REMEMBERED:
                self._sources[a, b] = known
        return known

    def _ask(self, a: LexicalWord, b: LexicalWord) -> int:
        marks = mark_class(a.form), mark_class(b.form)
        if any(marks):
            return (EXACT if a.form == b.form else LEMMA) if marks[0] == marks[1] else 0
        flags = 0
        if {(a.form, b.form), (a.lemma, b.lemma)} & self.table:
            flags |= TABLE
        same = a.form == b.form or (self.english and _spelling(a.form) == _spelling(b.form))
        if self.languages[0] != self.languages[1]:
            return flags | (EXACT if same and (len(a.form) > 3 or any(c.isdigit() for c in a.form)) else 0)
        flags |= (EXACT if same else 0) | (LEMMA if a.lemma == b.lemma else 0)
        if self.is_stop(a, 0) or self.is_stop(b, 1):
            both = is_preposition(a.form, a.tag, self.languages[0]) and is_preposition(b.form, b.tag, self.languages[1])
            kind = self.kinds and self.english and same_kind(a.form, b.form)
            return flags or (PREPOSITION if both else KIND if kind else 0)
        stemmed = stems.stemmer(self.languages[0])
        if not same and not stemmed(a.form).isdisjoint(stemmed(b.form)):
            flags |= STEM
        return flags | (0 if same else self._lexical(a.lemma, b.lemma) | self._lexical(a.form, b.form))

    def is_stop(self, word: LexicalWord, side: int) -> bool:
        return is_stop(word.form, word.tag, self.languages[side])

    def is_content(self, word: LexicalWord, side: int) -> bool:
        return not mark_class(word.form) and not self.is_stop(word, side)

    def near_matrix(self, src: Sequence[LexicalWord], tgt: Sequence[LexicalWord]) -> NDArray[np.bool_]:
        """Content words that vectors find near one another."""
        if self.embeddings is None or not src or not tgt:
            return np.zeros((len(src), len(tgt)), bool)
        cosines = self.embeddings.rows([w.form for w in src]) @ self.embeddings.rows([w.form for w in tgt]).T
        usable = np.outer([self.is_content(w, 0) for w in src], [self.is_content(w, 1) for w in tgt])
        return np.asarray((cosines >= self.threshold) & usable)

    def encoder_matrix(self, src: Sequence[str], tgt: Sequence[str]) -> NDArray[np.bool_] | None:
        """Words that mean the same in their sentences; None without an encoder, and for other languages than English."""
        if self.encoder is None or not self.english:
            return None
        return np.asarray(self.encoder.matches(src, tgt, word_kinds(src), word_kinds(tgt)) >= ENCODER_LEAST)

    def words(self, forest: Forest, side: int) -> list[LexicalWord]:
        lemmas = forest.lemmas or self.lemmas(forest, side)
        tags = forest.tags or ("",) * len(forest.forms)
        rows = zip(forest.forms, lemmas, tags, strict=True)
        return [LexicalWord(form.lower(), (form if lemma in ("", "_") else lemma).lower(), tag) for form, lemma, tag in rows]

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
            candidates = self.wordnet.lemmas(form, pos)
            return candidates[0] if candidates else form
        return listed or (_by_rule(form) if tag in ("NNS", "VBD", "VBG", "VBN", "VBZ", "") else form)

    def with_lemmas(self, forest: Forest, side: int) -> Forest:
        """The forest with lemmas: its own, or where it has none those of the lexicon; words of two languages are compared by form."""
        if self.languages[0] != self.languages[1]:
            return replace(forest, lemmas=())
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
    candidates = [stem for stem in stems.lemmas(form) if stem != form]
    if not candidates:
        return form
    shortest = min(candidates, key=lambda stem: (len(stem), stem))
    if len(shortest) > 2 and shortest[-1] == shortest[-2] and shortest[-1] not in "lsz":
        return shortest[:-1]
    if len(candidates) == 2 and shortest + "e" in candidates:
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
    pairs = set()
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
            pairs.add((fields[0], fields[1]))
    return frozenset(pairs)
