"""Grams, the abbreviations in glosses, and part-of-speech labels of interlinear text.

`Grams` is a table of grams, for translations in one language: the words that may stand for each gram in the translation,
its kind, and its features in UD. `Grams.split` takes a gloss apart and looks up each part:

    give-CAUS.PST    give (may be a word of the translation), caus and pst (grams)
    3SG.F            one part, with the features 3, SG and F; words: she, her

The tables are `rules/grams*.tsv`. Users may add tables with the same columns, whose rows replace ours.

`Grams.classes` says which universal tags a linguist's label of a part of speech allows (`rules/pos.tsv`). A label may be
composed like its word: `v-v:(TAM)` is a verb with an inflection, `adj>adv` an adverb made from an adjective, `n=foc` a noun
with a clitic.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from divproj.core.errors import FormatError, ProjError, Where
from divproj.io.files import Source, name_of, reading
from divproj.io.interlinear.parts import UPOS, unescape
from divproj.runtime.resources import folder
from divproj.text.tokens import normal_form

COLUMNS = ("gram", "meaning", "words", "synonyms", "kind", "feats")
KINDS = frozenset({
    "agreement", "article", "aspect", "auxiliary", "case", "causative", "classifier", "clause", "conjunction", "copula", "core",
    "degree", "demonstrative", "direction", "gender", "genitive", "impersonal", "infinitive", "linker", "modal", "mood", "negation",
    "number", "other", "particle", "person", "politeness", "pos", "pronoun", "quantifier", "question", "reflexive", "relative", "tense",
    "topic", "verbal", "voice", "word class",
})  # fmt: skip
POS = "pos"
"""Kind of the rows that are labels of parts of speech."""


_FEATURES = {
    name: feature
    for feature, names in {
        "SG": "sg sing s",
        "PL": "pl plu plur p",
        "DU": "du dl dual d",
        "M": "m masc msc",
        "F": "f fem fm",
        "N": "n neut nt",
        "C": "c an inan",
        "INCL": "incl inc in",
        "EXCL": "excl exc ex",
        "HON": "hon h pol fam hum",
        "NOM": "nom sbj subj erg a",
        "ACC": "acc ac obj dat obl abs o io do",
        "POSS": "gen poss pos ps px",
        "REFL": "refl",
    }.items()
    for name in names.split()
}
_NAMES = "|".join(sorted(_FEATURES, key=len, reverse=True))
_FEATURE = re.compile(_NAMES)
_PERSON = re.compile(rf"(?!1st$|2nd$|3rd$|3d$)(sg|pl|s|p)?(12|13|23|[0-4])(?:person|per|p(?=s))?((?:{_NAMES})*)")
ABSORBED = {name for name in _FEATURES if len(name) > 1 and name not in ("in", "ex", "an", "do", "io")} | {
    "s",
    "p",
    "m",
    "f",
    "n",
}
GENDERS = {"m", "masc", "f", "fem", "n", "neut"}
CASES = {"NOM", "ACC", "POSS"}


_FEAT = re.compile(r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*")


class Gram(NamedTuple):
    """A row of the table."""

    name: str
    meaning: str
    words: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    kind: str = ""
    feats: str = ""
    """Features of UD, `Name=Value` joined by `|`."""


def gram_key(label: str) -> str:
    """Spelling variants of a gram fall together.

    >>> gram_key("1PL.excl") == gram_key("1pl-EXCL")
    True
    """
    return "".join(filter(str.isalnum, label.casefold()))


def person(label: str) -> frozenset[str]:
    """Person, number, gender and case in one label; empty when it has no person.

    >>> sorted(person("3sgf")), sorted(person("1PL.EXCL")), person("2nd")
    (['3', 'F', 'SG'], ['1', 'EXCL', 'PL'], frozenset())
    """
    name = gram_key(label)
    match = _PERSON.fullmatch(name) if len(name) < 20 else None  # a person is short; the pattern is slow on what is not one
    if not match:
        return frozenset()
    before, number, after = match.groups()
    features = {number}
    for name in ([before] if before else []) + _FEATURE.findall(after):
        feature = _FEATURES[name]
        if not (feature in ("SG", "PL", "DU") and features & {"SG", "PL", "DU"}):
            features.add(feature)
    if "POSS" in features:
        features -= {"NOM", "ACC"}  # the case of the thing possessed
    if number == "3" and features & {"M", "F", "N"} and not features & {"SG", "PL", "DU"}:
        features.add("SG")
    return frozenset(features)


SHORTEST = 3
"""Letters of an abbreviation from which on its meaning is guessed; set by hand."""
_VOWELS = frozenset("aeiouyаеёиоуыэюя")


def is_short_for(name: str, word: str) -> bool:
    """Return whether a label is the beginning of a word, or its first letter and consonants after it in order; accents do not count.

    >>> is_short_for("enf", "enfático"), is_short_for("accp", "accompli"), is_short_for("прш", "прошедшее"), is_short_for("casa", "causativo")
    (True, True, True, False)
    """
    short, whole = (
        "".join(c for c in normal_form("NFD", text.casefold()) if not unicodedata.combining(c)) for text in (name, word)
    )
    if not SHORTEST <= len(short) < len(whole) or short[0] != whole[0]:
        return False
    letters = iter(whole)
    return whole.startswith(short) or (_VOWELS.isdisjoint(short[1:]) and all(letter in letters for letter in short))


def header(fields: list[str], where: Where) -> list[str]:
    columns = [name.casefold() for name in fields]
    for name in columns:
        if name not in COLUMNS:
            raise FormatError(
                f"column '{name}' is not known, some of {', '.join(COLUMNS)} expected",
                where,
                "the first line names the columns, separated by tabs",
            )
    if columns[0] != "gram" or len(set(columns)) != len(columns):
        raise FormatError("the header does not begin with 'gram' or names a column twice", where)
    return columns


def parse_row(columns: list[str], fields: list[str], where: Where) -> Gram:
    if len(fields) < 2 or len(fields) > len(columns):
        raise FormatError(f"{len(fields)} columns, 2 to {len(columns)} expected", where, "columns are separated by tabs")
    cells = dict(zip(columns, fields, strict=False))
    if not gram_key(cells["gram"]):
        raise FormatError(f"'{cells['gram']}' is not a gram, letters or digits expected", where)
    kind = cells.get("kind", "")
    if kind and kind not in KINDS:
        raise FormatError(f"kind '{kind}' is not known, one of {', '.join(sorted(KINDS))} expected", where)
    if not kind and person(cells["gram"]):
        kind = "person"
    feats = _checked_feats(cells.get("feats", ""), where)
    if kind == POS and not (feats.startswith("UPOS=") and UPOS.issuperset(feats[len("UPOS=") :].split(","))):
        message = f"label '{cells['gram']}' has '{feats}' in the column feats, UPOS= and universal tags expected"
        raise FormatError(message, where, "write UPOS=NOUN, or UPOS=NOUN,PROPN where both are possible")
    return Gram(
        cells["gram"],
        cells.get("meaning", ""),
        tuple(cells.get("words", "").split()),
        tuple(cells.get("synonyms", "").split()),
        kind,
        feats,
    )


def _checked_feats(text: str, where: Where) -> str:
    """Features as UD writes them, in order."""
    features = sorted(filter(None, text.split("|")), key=str.casefold)
    for feature in features:
        if not _FEAT.fullmatch(feature):
            raise FormatError(
                f"feature '{feature}' is not of the form Name=Value", where, "write UD features, Case=Acc|Number=Sing"
            )
    return "|".join(features)


OPEN = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
_PIECES = re.compile(r"[-=+~]+")
_ASIDE = re.compile(r"(?:\\s|\s|\().*", re.S)


def label_key(label: str) -> str:
    """Spelling variants of a label fall together.

    >>> label_key("V.tr") == label_key("vtr")
    True
    """
    return "".join(filter(str.isalnum, label.casefold()))


def classes_of(label: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Universal tags that a word with this label may have, the usual one first; () where the table does not know it.

    >>> table = {"n": ("NOUN", "PROPN"), "v": ("VERB", "AUX"), "nprop": ("PROPN",), "adv": ("ADV",), "det": ("DET",)}
    >>> classes_of("n-n:(Num)", table), classes_of("n>v", table), classes_of("n.prop", table), classes_of("n.anim", table)
    (('NOUN', 'PROPN'), ('VERB', 'AUX'), ('PROPN',), ('NOUN', 'PROPN'))
    >>> classes_of("det=n", table), classes_of("v:Any", table)
    (('NOUN', 'PROPN'), ())

    A noun that is inflected as a verb may be either.

    >>> classes_of("n-v:(TAM)", table)
    ('NOUN', 'PROPN', 'VERB', 'AUX')
    """
    whole = table.get(label_key(label))
    if whole:
        return whole
    classes: list[tuple[str, ...]] = []
    inflected: tuple[str, ...] = ()
    for piece in _PIECES.split(label):
        _, separator, after = piece.rpartition(">")
        category, affix, _ = piece.partition(":")
        if affix and not separator:
            inflected = _of_piece(category, table) or inflected
        elif tags := _of_piece(after, table):
            classes = [tags] if separator else [*classes, tags]
    stem = next((tags for tags in classes if tags[0] in OPEN), classes[0] if classes else ())
    return tuple(dict.fromkeys((*stem, *inflected))) if stem else ()


def _of_piece(piece: str, table: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """By the whole label, else by what stands before its subclasses."""
    piece = _ASIDE.sub("", piece.strip())
    while piece:
        tags = table.get(label_key(piece))
        if tags:
            return tags
        cut = max(map(piece.rfind, "._/"))
        piece = piece[:cut] if cut > 0 else ""
    return ()


LANGUAGES = {"en": "", "de": ".de", "es": ".es", "fr": ".fr", "id": ".id", "pt": ".pt", "ru": ".ru"}
_CODES = {
    "eng": "en",
    "english": "en",
    "spa": "es",
    "spanish": "es",
    "español": "es",
    "fra": "fr",
    "french": "fr",
    "français": "fr",
    "por": "pt",
    "portuguese": "pt",
    "português": "pt",
    "rus": "ru",
    "russian": "ru",
    "русский": "ru",
    "ind": "id",
    "indonesian": "id",
    "deu": "de",
    "ger": "de",
    "german": "de",
    "deutsch": "de",
}


_CUT = re.compile(r"[-.:/()=+_~\[\]<>{}|,;*#\s\\\"“”„«»‹›`\u00ad‐‑‒–—−∅Ø]+|(?<!\w)['‘’]|['‘’](?!\w)")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+[^\W\d_]*|[^\W\d_]+")
_ROMAN = re.compile(r"(?=[IVX])X?(?:IX|IV|V?I{0,3})")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ENDING = re.compile(r"(?<=\w)(?:['’]s|n['’]t|['’]ll|['’]re|['’]ve|['’]d|['’]m)$", re.I)
REMEMBERED = 50_000
"""Glosses whose parts are kept in mind; then all are forgotten."""


class GlossPart(NamedTuple):
    """A part of a gloss, in lower case.

    `gram` is what the table says of it, `plain` whether it can be a word of the translation (GEN cannot, `past` can),
    `features` are person, number, gender and case of a pronoun or an agreement mark.
    """

    text: str
    gram: Gram | None = None
    plain: bool = True
    features: frozenset[str] = frozenset()


@lru_cache(maxsize=10_000)
def casefold_all(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words in lower case."""
    return tuple(word.casefold() for word in words)


@lru_cache(maxsize=1)
def shipped_labels() -> tuple[Gram, ...]:
    """The part-of-speech labels that come with divproj; few texts have any, so they are read when one is asked for."""
    return Grams.load(Path(folder("rules")) / "pos.tsv").labels


@dataclass(frozen=True)
class Grams:
    """A table of grams; look-up does not mind case, dots, hyphens and usual spelling variants.

    >>> table = Grams.loads("gram\\twords\\tsynonyms\\n3SG.F\\tshe her\\nNEG\\tnot\\tNG\\n")
    >>> table.words("3sgf"), table.words("ng"), table.words("3SG.F.NOM")
    (('she', 'her'), ('not',), ('she', 'her'))
    """

    rows: tuple[Gram, ...]
    language: str = "en"
    labels: tuple[Gram, ...] = ()
    """Part-of-speech labels besides the shipped ones, rows of kind `pos`: they may be spelled like a gram."""
    _memo: dict[str, tuple[GlossPart, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _labelled: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _by_language: dict[str, Grams] = field(default_factory=dict, init=False, repr=False, compare=False)
    native: tuple[Gram, ...] = ()
    """Rows whose meaning is written in the language of the table; of the others it is in English."""
    known: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Lemmas and features that this table gave to words (`ud.rows`)."""

    @classmethod
    def loads(cls, text: str, language: str = "en", path: str = "") -> Grams:
        """The table in a text; FormatError says which line cannot be used."""
        rows: dict[tuple[bool, str], Gram] = {}
        columns: list[str] = []
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            where = Where(path, number)
            if not line.strip() or line.startswith("#"):
                continue
            fields = [cell.strip() for cell in line.split("\t")]
            if not columns:
                columns = header(fields, where)
                continue
            gram = parse_row(columns, fields, where)
            place = gram.kind == POS, gram_key(gram.name)
            if place in rows:
                raise FormatError(f"gram '{gram.name}' is here twice, one row a gram expected", where, "join the two rows")
            rows[place] = gram
        if not columns:
            raise FormatError("the table is empty, a header line with column names expected", Where(path))
        labels = tuple(row for (label, _), row in rows.items() if label)
        return cls(tuple(row for (label, _), row in rows.items() if not label), language, labels)

    @classmethod
    def load(cls, source: Source, language: str = "en") -> Grams:
        """The table in a file; `language` is that of its words."""
        with reading(source) as stream:
            data = stream.read()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            where = Where(name_of(source), data[: error.start].count(b"\n") + 1)
            raise FormatError("not UTF-8 text", where, "save the table as UTF-8") from None
        return cls.loads(text, language, name_of(source))

    @classmethod
    def load_shipped(cls, language: str = "en") -> Grams:
        """The table that comes with divproj for translations in this language (code or name)."""
        name = language.casefold()
        code = _CODES.get(name, name)
        if code not in LANGUAGES:
            raise ProjError(
                f"no table of grams for language '{language}', one of {', '.join(LANGUAGES)} expected",
                remedy="write one and give it with `grams`",
            )
        return cls.load(Path(folder("rules")) / f"grams{LANGUAGES[code]}.tsv", code)

    @classmethod
    def for_translations(cls, language: str = "en") -> Grams:
        """The table for translations in a language (code or name), with all grams of the English one: glosses mix both.

        A gram that the table of the language does not list keeps its kind and has no words.

        >>> table = Grams.for_translations("fr")
        >>> table.words("neg")[:2], table.get("ABL").kind, table.words("ABL")
        (('pas', 'ne'), 'case', ('de', "d'", 'du', 'depuis'))
        """
        name = language.casefold()
        english = cls.load_shipped("en")
        if _CODES.get(name, name) not in LANGUAGES or _CODES.get(name, name) == "en":
            return english
        table = cls.load_shipped(language)
        old = {gram_key(row.name): row for row in english.rows}
        rows = {key: row._replace(words=()) for key, row in old.items() if row.kind != "person" and table.get(row.name) is None}
        for row in table.rows:
            key = gram_key(row.name)
            spelled = old[key].synonyms if key in old else ()
            feats = row.feats or (old[key].feats if key in old else "")
            rows[key] = row._replace(synonyms=(*spelled, *row.synonyms), feats=feats)
        return cls(tuple(rows.values()), table.language, table.labels, table.rows)

    def in_language(self, language: str) -> Grams:
        """Return the table for glosses in another language than English; the user's rows stay. Itself where there is no such table.

        >>> russian = Grams.load_shipped().in_language("ru")
        >>> russian.get("ПРОШ").name, russian.get("МН").feats, Grams.load_shipped().get("ПРОШ")
        ('PST', 'Number=Plur', None)
        """
        if self.language != "en" or language not in LANGUAGES or language == "en":
            return self
        if language not in self._by_language:
            shipped = set(Grams.load_shipped().rows)
            users = Grams(tuple(row for row in self.rows if row not in shipped), labels=self.labels)
            self._by_language[language] = Grams.for_translations(language).merge(users)
        return self._by_language[language]

    def merge(self, *others: Grams) -> Grams:
        """This table with the rows of others; a later row takes the place of an earlier one for the same gram."""
        rows = {gram_key(row.name): row for row in self.rows}
        for other in others:
            for row in other.rows:
                old = rows.pop(gram_key(row.name), None)
                if old:
                    row = row._replace(kind=row.kind or old.kind, feats=row.feats or old.feats)
                rows[gram_key(row.name)] = row
        labels = {gram_key(row.name): row for table in (self, *others) for row in table.labels}
        return replace(self, rows=tuple(rows.values()), labels=tuple(labels.values()))

    @cached_property
    def _index(self) -> dict[str, Gram]:
        spelled = {gram_key(name): row for row in self.rows for name in row.synonyms}
        return spelled | {gram_key(row.name): row for row in self.rows}

    @cached_property
    def _classes(self) -> dict[str, tuple[str, ...]]:
        """Universal tags by the spellings of labels."""
        tags = {gram_key(tag): (tag,) for tag in UPOS}
        rows = [(row, tuple(row.feats.removeprefix("UPOS=").split(","))) for row in (*shipped_labels(), *self.labels)]
        spelled = {gram_key(name): upos for row, upos in rows for name in row.synonyms}
        return tags | spelled | {gram_key(row.name): upos for row, upos in rows}

    def classes(self, label: str) -> tuple[str, ...]:
        """Universal tags that a word with this part-of-speech label may have, the usual one first; () where it is not known.

        >>> Grams.load_shipped().classes("v-v:(TAM)"), Grams.load_shipped().classes("n.prop")
        (('VERB', 'AUX'), ('PROPN', 'NOUN'))
        """
        if label in ("", "_"):
            return ()
        tags = self._labelled.get(label)
        if tags is None:
            tags = self._labelled[label] = classes_of(label, self._classes)
        return tags

    @cached_property
    def _persons(self) -> dict[frozenset[str], Gram]:
        return {features: row for row in self.rows if (features := person(row.name))}

    @cached_property
    def kinds_by_word(self) -> dict[str, frozenset[str]]:
        """Words of the table, lower case, and the kinds of the grams that they may stand for."""
        kinds: dict[str, set[str]] = {}
        for row in self.rows:
            for word in row.words:
                kinds.setdefault(word.casefold(), set()).add(row.kind)
        return {word: frozenset(word_kinds) for word, word_kinds in kinds.items()}

    @cached_property
    def pronouns(self) -> dict[str, tuple[str, ...]]:
        """Pronouns of the same person, number and gender, by their first form."""
        rows = sorted(self._persons.items(), key=lambda item: len(item[0]))
        return {
            row.words[0].casefold(): row.words
            for features, row in rows
            if row.words and not features & CASES and features & {"SG", "PL", "2"}
        }

    @cached_property
    def possessives(self) -> frozenset[str]:
        """Words of possessors that are no object forms, or that are possessors first of all."""
        rows = [(features, [word.casefold() for word in row.words]) for features, row in self._persons.items()]
        objects = {word for features, words in rows if "ACC" in features for word in words}
        owners = [words for features, words in rows if "POSS" in features]
        return frozenset(word for words in owners for k, word in enumerate(words) if k < 2 or word not in objects)

    def get(self, label: str) -> Gram | None:
        """What the table says of a gram, None when it is not known."""
        name = gram_key(label)
        gram = self._index.get(name)
        if gram is None and name[:1].isalnum():
            features = person(label)
            if features:
                gram = self._by_person(features)
            elif name[0] == "n":
                bare = name[3:] if name.startswith("non") else name[1:]
                base = self._index.get(bare) if len(bare) > 1 else None
                if base and base.kind in ("tense", "number", "aspect", "mood", "gender"):
                    gram = Gram(label, f"not {base.meaning}", (), (), base.kind)
            if gram is None and self.native and label.isupper() and name.isalpha():
                gram = self._by_meaning(name)
        return gram

    def _by_meaning(self, name: str) -> Gram | None:
        """The gram whose meaning an author may have shortened to this; None where grams of several kinds would do.

        >>> table = Grams.for_translations("ru")
        >>> table.get("ПРШ").name, table.get("ИМЕНИТ").name, table.get("ДОМ"), table.get("прш")
        ('PST', 'NOM', None, None)
        """
        rows = [row for row, words in self._meanings if any(is_short_for(name, word) for word in words)]
        return rows[0] if len({row.kind for row in rows}) == 1 else None

    @cached_property
    def _meanings(self) -> list[tuple[Gram, list[str]]]:
        """The rows of `native`, and the long words of their meanings; persons are written with digits."""
        rows = [row for row in self.native if row.kind != "person"]
        return [(row, [word for word in re.findall(r"[^\W\d_]+", row.meaning) if len(word) > SHORTEST]) for row in rows]

    def _by_person(self, features: frozenset[str]) -> Gram | None:
        """The row that fits most of the features and contradicts none."""
        best, size = None, (0, 0)
        for known, row in self._persons.items():
            if known <= features:
                rank = (len(known), len(known & CASES))
                if rank > size:
                    best, size = row, rank
        return best

    def words(self, label: str) -> tuple[str, ...]:
        """Words of the translation that the gram may stand for, the likeliest first."""
        gram = self.get(label)
        return gram.words if gram else ()

    def split(self, gloss: str) -> tuple[GlossPart, ...]:
        """Parts of a gloss, each with its gram.

        >>> [part.text for part in Grams(()).split("give-CAUS.PST")]
        ['give', 'caus', 'pst']
        >>> [part.text for part in Grams.load_shipped().split("write2sg.Imp")]
        ['write', '2sg', 'imp']
        """
        parts = self._memo.get(gloss)
        if parts is None:
            if len(self._memo) >= REMEMBERED:
                self._memo.clear()
            parts = self._memo[gloss] = self._split(gloss)
        return parts

    def _split(self, gloss: str) -> tuple[GlossPart, ...]:
        text = unescape(gloss) if "&" in gloss else gloss
        if _NUMBER.fullmatch(text) and len(text) > 1:
            return (GlossPart(text),)
        pieces = [piece for chunk in _CUT.split(text) if chunk for piece in self._pieces(chunk)]
        if not pieces:
            return (GlossPart(text.casefold()),) if text else ()
        return tuple(self._join(pieces))

    def _pieces(self, chunk: str) -> list[str]:
        """A stretch without boundaries, cut where a gram is written onto something else."""
        ending = _ENDING.search(chunk)
        if ending:
            return [*self._runs(chunk[: ending.start()]), ending.group().replace("’", "'")]
        return self._runs(chunk)

    def _runs(self, chunk: str) -> list[str]:
        known = self.get(chunk) is not None
        if known or (chunk.isalpha() and (chunk.islower() or chunk.isupper())):
            return [chunk]
        runs = _CAMEL.findall(chunk)
        if len(runs) < 2 or "".join(runs) != chunk or not any(len(run) > 1 and self.get(run) for run in runs):
            return [chunk]
        return list(runs)

    def _join(self, pieces: list[str]) -> Iterable[GlossPart]:
        """Parts, where person takes in its number, gender and case, and a reflexive its person."""
        keys = [gram_key(piece) for piece in pieces]
        parts: list[GlossPart] = []
        k = 0
        while k < len(pieces):
            features = person(pieces[k])
            end = k + 1
            if features:
                while end < len(pieces) and keys[end] in ABSORBED:
                    end += 1
            elif keys[k] in GENDERS and end < len(pieces) and person(pieces[end]):
                keys[end], pieces[end] = keys[end] + keys[k], pieces[end] + keys[k]
                k += 1
                continue
            if end - k > 1:
                features = person("".join(keys[k:end])) or features
            parts.append(
                self._part(pieces[k], "".join(keys[k:end]) if end - k > 1 else pieces[k], features, len(pieces) == 1, k == 0)
            )
            k = end
        if any(part.gram and part.gram.kind == "reflexive" for part in parts):
            parts = [part for part in parts if not part.features] or parts
        return parts

    def _part(self, shown: str, label: str, features: frozenset[str], alone: bool, first: bool) -> GlossPart:
        text = label.casefold()
        if "'" in text:
            return GlossPart(text)
        gram = self._by_person(features) if features else self.get(label)
        if features:
            return GlossPart(text, gram, label.isdecimal(), features)
        if not first and len(shown) <= 4 and _ROMAN.fullmatch(shown):
            return GlossPart(text, None, False)
        if not first and len(shown) == 1 and shown.isupper():
            return GlossPart(text, gram, False)
        marked = shown.isupper() if first or alone else shown != text
        return GlossPart(text, gram, not (gram and marked and len(shown) > 1))
