r"""Read and write Toolbox files (SFM): records of lines `\marker value`; words, morphemes, glosses and tags are aligned in columns.

    \ref kolu.001          record
    \tx kolut   uvana      words
    \mb kolu -t uva -na    morphs
    \ge dog  PL run PST    glosses
    \ft The dogs ran.      translation

Columns are measured in bytes or characters, whichever fits; lines that wrap come as several blocks in one record. The role of
a marker is given by the option `markers` (`record words morphs glosses pos translation`) or looked up in `MARKERS`; in a file
whose markers are unknown it is guessed from their values (`by_shape`).
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple, TextIO

from divproj.core.errors import Faults, FormatError, ProjError, Reading, Where
from divproj.core.sentence import Sentence
from divproj.io.files import Source
from divproj.io.interlinear.elan import DISTINCT, MOSTLY_IDS, SENTENCE_WIDTH, TRANSLATION_GRAMS
from divproj.io.interlinear.languages import lang_code
from divproj.io.interlinear.parts import (
    EDGES,
    Options,
    choose_translation,
    from_file,
    from_text,
    glue,
    group_morphemes,
    instance,
    join_morphemes,
    lines,
    normalize_space,
    one_line,
    tokens,
)
from divproj.io.interlinear.words import aligned, pieces_of, rejoin, translations_by_code, tree_lines
from divproj.text import language_id

COMMON_MARKER = 0.2
"""Share of the lines of the most frequent marker that another must have to be considered."""
MARKER_GRAMS = 0.15
"""Share of values with abbreviations of grammar from which a marker has glosses."""
TEXT_WIDTH = 1.2
"""Words of a value, on average, from which a marker can hold the text."""
WHOLE_WORDS, AFFIXED = 0.5, 0.3
"""Shares of values with affixes: words stay below the first, morphs are above the second."""
UNDER_EACH = 0.5
"""Share of the values of a marker that must have about as many words as a line above, for it to hold glosses."""
DICTIONARY_MARKERS = 4
"""Markers of a dictionary from which on a file that begins records with a headword, or with none of a text, is one."""
ALL_TAGS, SAME_WIDTH = 0.95, 0.01
"""Share of words that look like tags, and how far their number may be from that of the glosses, in a marker of parts of speech."""


LINES = 4000
"""Lines that are examined before the first record is read."""
_FIELD = re.compile(r"\\([A-Za-z_+?][\w+?@.-]*)(?:[ \t](.*)|\s*)$", re.DOTALL)
_GRAM = re.compile(r"(?:^|[-=~.:–])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–])")
_AFFIX = re.compile(r"^[-=]\w|\w[-=]$")
_TAG = re.compile(r"-?=?[a-z]{1,5}(?:[.>][a-z]{1,5})*-?")
_ASIDE = frozenset({
    "nt", "dt", "rem", "cmt", "com", "note", "lt", "ur", "ph", "sp", "src", "so", "au", "date", "aud", "snd", "cf", "xv", "xe", "id",
    "cm", "hd", "rl", "wav", "sound", "media", "sf",
})  # fmt: skip
"""Markers of remarks, dates and the like, which are no line of the text where other markers are known."""
_NEVER = frozenset({"hd", "rl", "wav", "sound", "media", "aud", "snd", "sf", "dt", "date"})
"""Markers that are no line of any text: trees that were written back, sound files, dates."""
_DICTIONARY = frozenset({
    "lx", "hm", "sn", "se", "de", "dn", "re", "rn", "lf", "lv", "le", "xv", "xe", "xn", "sd", "mn", "va", "ve", "bw", "et", "pd", "ue", "lc",
})  # fmt: skip
"""Markers of MDF, the layout of dictionaries."""
_ID = re.compile(r"[\w.:-]*\d[\w.:-]*$|\S+$")


class MarkerProfile(NamedTuple):
    """Statistics of the values of one marker."""

    lines: int
    filled: int
    width: float
    """Words in a value."""
    grams: float
    """Share of values with an abbreviation of grammar."""
    affixes: float
    """Share of values with a morpheme that stands apart or a boundary."""
    language: str
    ids: float
    """Share of values of one word; 0 when a value comes twice in ten."""
    tags: float
    """Share of words that look like tags of word classes: short, of small letters."""


def fields(numbered: Iterable[tuple[int, str]]) -> list[tuple[str, str]]:
    """(marker, value) of lines, in order."""
    matches = (_FIELD.match(text.lstrip("\ufeff")) for _, text in numbered)
    return [(match[1], (match[2] or "").strip()) for match in matches if match]


def looks(pairs: list[tuple[str, str]]) -> dict[str, MarkerProfile]:
    values: dict[str, list[str]] = {}
    for marker, value in pairs:
        values.setdefault(marker, []).append(value)
    return {marker: _look(marker_values) for marker, marker_values in values.items() if not marker.startswith("_")}


def _look(values: list[str]) -> MarkerProfile:
    filled = [value for value in values if value]
    n = max(1, len(filled))
    rows = [tokens(value) for value in filled]
    single = sum(len(row) == 1 and bool(_ID.match(row[0])) for row in rows) / n
    return MarkerProfile(
        len(values),
        len(filled),
        sum(map(len, rows)) / n,
        sum(any(_GRAM.search(token) for token in row) for row in rows) / n,
        sum(any(_AFFIX.search(token) or re.search(r"\w[-=~]\w", token) for token in row) for row in rows) / n,
        language_id.of_lines(filled[:300]).code if filled else "",
        single if len(set(filled)) > DISTINCT * len(filled) else 0.0,
        sum(bool(_TAG.fullmatch(token)) for row in rows for token in row) / max(1, sum(map(len, rows))),
    )


def by_shape(pairs: list[tuple[str, str]], named: dict[str, str], path: str) -> dict[str, str]:
    """Role by marker, for a file whose markers are in no list; FormatError when no line can be the text."""
    profiles = {marker: look for marker, look in looks(pairs).items() if marker not in _NEVER}
    most = max((look.lines for look in profiles.values()), default=0)
    common = {marker: look for marker, look in profiles.items() if look.filled >= COMMON_MARKER * most and look.filled}
    roles: dict[str, str] = {marker: role for role, names in named.items() for marker in names.split(",")}
    left = {marker: look for marker, look in common.items() if marker not in roles}
    order = list(dict.fromkeys(marker for marker, _ in pairs))
    taken = set(named)
    if "record" not in taken:
        first = next((marker for marker in order if marker in left and left[marker].ids > MOSTLY_IDS), None)
        if first is not None:
            roles[first] = "record"
            del left[first]
    if "translation" not in taken:
        for marker in [
            m for m in left if left[m].language and left[m].width > SENTENCE_WIDTH and left[m].grams < TRANSLATION_GRAMS
        ]:
            roles[marker] = "translation"
            del left[marker]
    if "glosses" not in taken:
        grammatical = sorted((m for m in left if left[m].grams > MARKER_GRAMS), key=lambda m: -left[m].grams)
        best = next((marker for marker in grammatical if _stands_under(pairs, marker, left)), None)
        if best is not None:
            roles[best] = "glosses"
            del left[best]
    wide = [marker for marker in order if marker in left and left[marker].width > TEXT_WIDTH]
    free = [marker for marker in order if roles.get(marker) == "translation"]
    if not {"words", "morphs", "translation"} & taken and not wide and len(free) > 1:  # the text looks like some language too
        wide = free[:1]
        left[free[0]] = profiles[free[0]]
    if "words" not in taken and wide:
        words = next((m for m in wide if left[m].affixes < WHOLE_WORDS), wide[0])
        roles[words] = "words"
        wide.remove(words)
    if "morphs" not in taken and wide and left[wide[0]].affixes > AFFIXED and "glosses" in roles.values():
        roles[wide[0]] = "morphs"
    if "pos" not in taken and "glosses" in roles.values():
        widths = [profiles[marker].width for marker, role in roles.items() if role in ("glosses", "morphs")]
        tags = [
            m
            for m in left
            if m not in roles and left[m].tags > ALL_TAGS and any(abs(left[m].width - w) < SAME_WIDTH for w in widths)
        ]
        roles |= dict.fromkeys(tags[:1], "pos")
    if not {"words", "morphs"} & set(roles.values()):
        shown = ", ".join(f"\\{marker} ({look.lines})" for marker, look in profiles.items())
        problem = f"no marker looks like the text; the markers are {shown}"
        raise FormatError(problem, Where(path), "name them, as in `markers=record=…,words=…,glosses=…,translation=…`")
    return roles


def _same_letters(pairs: Sequence[tuple[str, str]], marker: str, other: str) -> bool:
    """Whether two markers have the same words, one of them perhaps in morphemes."""
    letters = [
        "".join(char for name, value in pairs if name == one for char in value.casefold() if char.isalnum())[:600]
        for one in (marker, other)
    ]
    return SequenceMatcher(None, letters[0], letters[1], autojunk=False).ratio() > SAME_LETTERS


SAME_LETTERS = 0.8
"""Likeness of letters from which on a line has the morphemes of the words above it."""


def _stands_under(pairs: Sequence[tuple[str, str]], marker: str, lines_above: Container[str]) -> bool:
    """Whether most values of a marker have about as many words as another line of their record: glosses do."""
    latest: dict[str, int] = {}
    fitting = total = 0
    for name, value in pairs:
        n = len(tokens(value))
        if name == marker and n:
            total += 1
            fitting += any(abs(n - m) <= NEAR * n for m in latest.values())
            latest = {}
        elif name in lines_above and n:
            latest[name] = n
    return fitting > UNDER_EACH * total


NEAR = 0.2
"""Share by which the words of two lines that belong under one another may differ in number."""


def is_dictionary(pairs: Sequence[tuple[str, str]]) -> str:
    r"""Return why lines are those of a dictionary; '' when they are not.

    >>> is_dictionary([("lx", "umbwa"), ("ge", "dog"), ("lx", "paka"), ("ge", "cat")])
    'records begin with \\lx: this is a dictionary, not a text'
    """
    counts = Counter(marker.partition("_")[0] for marker, _ in pairs)
    records = max(counts[marker] for marker in _SENTENCES)
    if counts["lx"] > records:
        return "records begin with \\lx: this is a dictionary, not a text"
    if headword := headword_marker(pairs):
        return f"records begin with \\{headword}, a word each: this is a dictionary, not a text"
    shape = [value for marker, value in pairs[:5] if marker == "_sh"]
    markers = [marker for marker in _DICTIONARY if counts[marker]]
    if (shape and re.search(r"MDF|dictionar|lexi[ck]", shape[0], re.IGNORECASE)) or len(markers) >= DICTIONARY_MARKERS:
        usual = max((counts[marker] for marker in markers), default=0)
        if usual > records:
            shown = ", ".join(f"\\{marker}" for marker in sorted(markers))
            return f"the markers {shown} are those of a dictionary, not of a text"
    return ""


def headword_marker(pairs: Sequence[tuple[str, str]]) -> str:
    r"""The marker that begins records and has one word in each, which is never a number: that of headwords, whatever its name.

    >>> headword_marker([pair for word in ("umbwa", "paka", "simba", "samaki", "ndege") for pair in (("wrd", word), ("ge", "dog"))])
    'wrd'
    """
    counts = Counter(marker for marker, _ in pairs if not marker.startswith("_"))
    most = max(counts.values(), default=0)
    first = next((m for m, _ in pairs if counts[m] >= max(FEWEST_ENTRIES, BEGINS_RECORDS * most)), "")
    name = first.partition("@")[0]
    if not first or name in MARKERS["record"] or (name in MARKERS["words"] and name not in ("w", "wd")):
        return ""
    values = [value for marker, value in pairs if marker == first and value]
    single = sum(len(value.split()) == 1 and not any(map(str.isdigit, value)) for value in values)
    sentences = max(counts[marker] for marker in _SENTENCES)
    if sentences >= len(values) or single < ONE_WORD * len(values) or len(set(values)) < DIFFERENT * len(values):
        return ""
    glossed = {marker for marker in counts if marker in MARKERS["glosses"] or marker in _DICTIONARY or _MEANING.match(marker)}
    return first if any(counts[marker] >= len(values) / 2 for marker in glossed) else ""


FEWEST_ENTRIES = 5
"""Entries from which on a file may be a dictionary by their shape alone."""
BEGINS_RECORDS = 0.3
"""Share of the lines of the most frequent marker that the one has which begins records."""
ONE_WORD, DIFFERENT = 0.8, 0.6
"""Shares of records that begin with one word, and of these that differ, in a dictionary."""
_SENTENCES = ("ref", "tx", "t", "txt", "utterance_id")
"""Markers that no dictionary has: `rf` is the source of an entry there."""
_MEANING = re.compile(r"gl|sig|def|mean|sens|engl|eng|esp|span|trad|trans", re.IGNORECASE)


def guess_missing_roles(pairs: list[tuple[str, str]], known: dict[str, str], missing: set[str]) -> dict[str, str]:
    """Roles that no known marker has, of markers that come about as often as the text."""
    profiles = looks(pairs)
    text = max(profiles[marker].filled for marker, role in known.items() if role in ("words", "morphs"))
    left = {m: look for m, look in profiles.items() if m not in {*known, *_ASIDE, *_NEVER} and 2 * look.filled >= text > 1}
    roles: dict[str, str] = {}

    def take(role: str, candidates: list[str]) -> None:
        if role in missing and candidates:
            roles[candidates[0]] = role
            del left[candidates[0]]

    order = list(dict.fromkeys(marker for marker, _ in pairs))
    first = order.index(next(marker for marker in order if known.get(marker) in ("words", "morphs")))
    take("record", [m for m in order[:first] if m in left and left[m].ids > MOSTLY_IDS])
    take(
        "translation",
        [m for m in left if left[m].language and left[m].width > SENTENCE_WIDTH and left[m].grams < TRANSLATION_GRAMS],
    )
    lines_above = {m: profiles[m] for m, role in known.items() if role in ("words", "morphs")}
    grammatical = [m for m in left if left[m].grams > MARKER_GRAMS and _stands_under(pairs, m, lines_above)]
    take("glosses", sorted(grammatical, key=lambda m: -left[m].grams))
    words = next((m for m in order if known.get(m) == "words"), "")
    take("morphs", [m for m in left if words and left[m].affixes > AFFIXED and _same_letters(pairs, m, words)])
    segmented = [profiles[m].affixes for m, role in known.items() if role == "morphs"]
    if segmented and "words" not in known.values():
        take("words", [m for m in order[:first] if m in left and left[m].width > TEXT_WIDTH and left[m].affixes < WHOLE_WORDS])
    return roles


BLOCK = "block"
"""The marker with which ELAN begins a record."""
MARKERS = {
    "record": ("ref", "utterance_id", "rf", "recid", "sid", "reg", "enr", "rec", BLOCK),
    "words": ("tx", "t", "txt", "wd", "w", "utterance", "text", "tx_orth", "ut", "texte", "texto", "satz", "frase", "phrase"),
    "morphs": ("mb", "mr", "m", "mph", "morph", "gramm_units", "mo", "mbr", "morf", "morphe", "morfema", "seg"),
    "glosses": (
        "ge", "gl", "g", "gls", "gloss", "rp_gloss", "gle", "mg", "gn", "gf", "gr", "gs", "gp", "gd", "glosa", "glose", "glosse",
    ),
    "pos": ("ps", "p", "pos", "cat", "ctg", "ct", "wa"),
    "translation": (
        "ft", "fe", "f", "fte", "ftr_en", "free", "tr", "trans", "tfe", "fg", "eng", "ftf", "ftr", "fts", "fn", "nt_ft",
        "ftn", "fp", "fd", "trad", "tradu", "traduccion", "traduction", "traducao", "uebers", "ueb", "tl", "tf", "l",
    ),
}  # fmt: skip
"""Markers of each role in the order they are looked for; a language code may follow, `ge_en`."""
_LANGUAGES = {"ge": "en", "gle": "en", "fe": "en", "fte": "en", "tfe": "en", "eng": "en", "gf": "fr", "ftf": "fr", "gr": "ru",
              "ftr": "ru", "gs": "es", "fts": "es", "gp": "pt", "gd": "de"}  # fmt: skip
LITERAL = frozenset(("l", "lt", "lit"))
"""Markers of a literal translation, which is the translation only where there is no other."""
_TOKEN = re.compile(rb"[^ \t]+")
TEXT = ("id", "textid", "itm")
"""Markers that begin a text; what follows up to the first record is said of all its records."""


@dataclass
class _Record:
    """Fields as they stand, with their lines."""

    line: int
    fields: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass(frozen=True)
class _Token:
    """A token of a line, and where it begins: in bytes, in characters, in characters that take room."""

    text: str
    places: tuple[int, int, int]


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    r"""
    >>> loads("\\ref 1\n\\tx umbwa\n\\mb u- mbwa\n\\ge CL- dog\n\\ft dog\n")[0].glosses
    ('CL-dog',)
    """
    return from_text(read, text, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    roles = _Roles(options)
    header: list[tuple[str, str]] = []
    numbered = lines(stream, path, faults, options.encoding)
    first = list(islice(numbered, LINES))
    roles.learn(fields(first), path)
    counts: Counter[str] = Counter()
    reading = faults.reading
    in_header = True
    try:
        for record in _records(chain(first, numbered), path, faults, roles):
            if any(marker in roles.titles for marker, _, _ in record.fields):
                header, in_header = [], True
            said = [roles.of(marker) for marker, value, _ in record.fields if value.strip()]
            counts.update({marker for marker, value, _ in record.fields if value.strip()})
            if any(role in ("words", "morphs") for role in said):
                in_header = False
                yield _instance(record, header, path, roles, options)
            elif "glosses" in said or "translation" in said:
                reading.omit(f"records without text (\\{roles.marker_for('words')})", line=record.line)
            elif in_header:
                more = [
                    ("text-id" if marker in roles.titles else marker, value)
                    for marker, value, _ in record.fields
                    if not marker.startswith("_")
                ]
                header += more[: max(0, LONGEST_HEADER - len(header))]
            elif any(value.strip() for _, value, _ in record.fields):
                reading.omit("records of remarks only", sentences=False)
    finally:
        roles.describe(reading, counts)


LONGEST_HEADER = 100
"""Lines above the first record of a text that are said of all its records."""


class MarkerRow(NamedTuple):
    """A marker as `proj check --markers list` shows it."""

    marker: str
    lines: int
    role: str
    why: str


def list_markers(stream: BinaryIO, path: str, faults: Faults, options: Options) -> list[MarkerRow]:
    """The markers of the beginning of a file, and what each is read as."""
    pairs = fields(islice(lines(stream, path, faults, options.encoding), LINES))
    roles = _Roles(options)
    roles.learn(pairs, path)
    counts = Counter(marker for marker, _ in pairs)
    return [
        MarkerRow(f"\\{marker}", counts[marker], *roles.why(marker)) for marker in dict.fromkeys(marker for marker, _ in pairs)
    ]


class _Roles:
    """The role of each marker."""

    def __init__(self, options: Options) -> None:
        unknown = sorted(set(options.tiers) - set(MARKERS))
        if unknown:
            raise ProjError(f"unknown role {unknown[0]!r} of a marker, one of {', '.join(MARKERS)} expected")
        self.named = {role: marker.replace("\\", "") for role, marker in options.tiers.items()}
        self.lang = lang_code(options.lang)
        self.shaped: dict[str, str] = {}
        self.guessed: frozenset[str] = frozenset()
        self.headword = "lx"
        self.titles = frozenset(TEXT)
        self._known: dict[str, str] = {}

    def learn(self, pairs: list[tuple[str, str]], path: str) -> None:
        """Markers by their shape: of all when none of those known is the text, otherwise of those that are in no list."""
        if not any(not marker.startswith("_") for marker, _ in pairs):
            return
        self.headword = headword_marker(pairs) or "lx"
        if "words" not in self.named and (problem := is_dictionary(pairs)):
            raise FormatError(problem, Where(path), f"`markers=record={self.headword},words=…` reads its example sentences")
        self.titles -= {marker for marker in TEXT if self._inside(marker, pairs)}
        known = {marker: self.of(marker) for marker, _ in pairs if self.of(marker)}
        if not {"words", "morphs"} & set(known.values()):
            self.shaped = by_shape(pairs, self.named, path)
            self.guessed = frozenset(self.shaped)
            self._known = {}
        elif missing := {"record", "words", "morphs", "glosses", "translation"} - set(known.values()) - set(self.named):
            more = guess_missing_roles(pairs, known, missing)
            self.shaped = {**known, **more} if more else {}
            self.guessed = frozenset(more)
            self._known = {}

    def _inside(self, marker: str, pairs: Sequence[tuple[str, str]]) -> bool:
        """Whether a marker that elsewhere begins a text is a line of each record: numbers of morphemes, say."""
        lines, inner = 0, 0
        for k, (name, _) in enumerate(pairs):
            if name == marker:
                lines += 1
                following = next((role for later, _ in pairs[k + 1 : k + 10] if (role := self.of(later))), "")
                inner += following not in ("", "record", "words")
        return 2 * inner > lines

    def why(self, marker: str) -> tuple[str, str]:
        """(role, reason) of a marker."""
        role = self.of(marker)
        if marker in LITERAL and role in ("", "translation"):
            return "literal translation", "a marker in use, where another translates"
        if not role:
            return "", "kept as remark" if not marker.startswith("_") else ""
        named = any(marker in names.split(",") for names in self.named.values())
        return role, "named" if named else "guessed from its lines" if marker in self.guessed else "a marker in use"

    def describe(self, reading: Reading, counts: Mapping[str, int]) -> None:
        """Say which markers were read as what."""
        for role, shown in (
            ("words", "words"),
            ("morphs", "morphemes"),
            ("glosses", "glosses"),
            ("pos", "tags"),
            ("translation", "translation"),
        ):
            markers = sorted((m for m in counts if self.of(m) == role), key=self.rank)
            literal = [m for m in markers if m in LITERAL and len(markers) > 1] if role == "translation" else []
            others = literal or (markers[1:] if role not in ("translation", "words") else [])
            reading.kept += [f"\\{marker}" for marker in others]
            markers = [m for m in markers if m not in others]
            codes = {m: self.language(m) if role in ("glosses", "translation") else "" for m in markers}
            if markers:
                reading.parts[shown] = [f"\\{m} ({codes[m]})" if codes[m] else f"\\{m}" for m in markers]
        reading.kept += [
            f"\\{m}" for m in counts if not self.of(m) and not m.startswith("_") and m not in (*self.titles, "hd", "rl")
        ]

    def marker_for(self, role: str) -> str:
        return self.named.get(role, "").partition(",")[0] or next(
            (m for m, r in self.shaped.items() if r == role), MARKERS[role][0]
        )

    def of(self, marker: str) -> str:
        """The role of a marker, '' for none."""
        if marker not in self._known:
            self._known[marker] = self._of(marker)
        return self._known[marker]

    def _of(self, marker: str) -> str:
        if self.shaped:
            return self.shaped.get(marker, "")
        if self.named.get("record") == self.headword:  # the glosses of a dictionary are those of its headwords
            return next((role for role, names in self.named.items() if marker in names.split(",")), "")
        for role, known in MARKERS.items():
            if role in self.named:
                if marker in self.named[role].split(","):
                    return role
            elif not any(marker in names.split(",") for names in self.named.values()) and (
                marker in known or (self._base(marker) in known and (role != "record" or "@" in marker))
            ):
                return role
        return ""

    def _base(self, marker: str) -> str:
        """A marker without a code of a language, and without the speaker that ELAN writes after it: `ge_en`, `ge@Ana`."""
        marker = marker.partition("@")[0]
        base, mark, code = marker.partition("_")
        return base if mark and re.fullmatch(r"[A-Za-z]{2,3}", code) else marker

    def language(self, marker: str) -> str:
        marker = marker.partition("@")[0]
        base, mark, code = marker.partition("_")
        return lang_code(code) if mark and base == self._base(marker) else _LANGUAGES.get(marker, "")

    def rank(self, marker: str) -> tuple[bool, int]:
        """Sorts the markers of one role: the preferred language first, then as in `MARKERS`."""
        known = MARKERS.get(self.of(marker), ())
        base = self._base(marker)
        place = known.index(base) if base in known else -1
        return self.language(marker) not in (self.lang, ""), place


def _records(numbered: Iterator[tuple[int, str]], path: str, faults: Faults, roles: _Roles) -> Iterator[_Record]:
    """Records begin at their marker; without one, at a word line after a translation or a blank line."""
    record = _Record(0)
    blank = marked = translated = False
    beginning = ""
    for number, text in numbered:
        match = _FIELD.match(text.lstrip("\ufeff"))
        if not text.strip():
            blank = True
            continue
        if not match:
            if record.fields:
                marker, value, line = record.fields[-1]
                record.fields[-1] = (marker, f"{value} {text.strip()}".strip(), line)
            else:
                faults.file(
                    FormatError(f"'{text[:30]}' stands before any marker", Where(path, number), "is this a Toolbox file?")
                )
                record.fields.append(("note", text.strip(), number))
            continue
        marker, value = match[1], match[2] or ""
        role = roles.of(marker)
        begins_block = (
            beginning == BLOCK and role == "record" and not any(roles.of(m) in ("words", "morphs") for m, _, _ in record.fields)
        )
        starts = (
            (role == "record" and (marker == BLOCK or not begins_block)) or marker in roles.titles or marker.startswith("_")
        )
        if role == "words" and translated:
            starts = True
            if marked:
                problem = f"\\{marker} after a translation, a record marker expected before it"
                faults.file(FormatError(problem, Where(path, number), "read as a new record"))
        starts = starts or (
            role == "words" and blank and not marked and any(roles.of(m) == "words" for m, _, _ in record.fields)
        )
        if starts:
            if record.fields:
                yield record
            record = _Record(number)
            marked, translated, beginning = role == "record", False, marker
        translated = translated or role == "translation"
        blank = False
        record.line = record.line or number
        record.fields.append((marker, value, number))
    if record.fields:
        yield record


def _instance(record: _Record, header: list[tuple[str, str]], path: str, roles: _Roles, options: Options) -> Sentence:
    by_marker: dict[str, list[str]] = {}
    for marker, value, _ in record.fields:
        by_marker.setdefault(marker, []).append(value)
    chosen: dict[str, str] = {}
    for role in ("words", "morphs", "glosses", "pos"):
        markers = sorted((m for m in by_marker if roles.of(m) == role), key=roles.rank)
        if markers:
            chosen[role] = markers[0]
    words: list[str] = []
    segments: list[str] = []
    glosses: list[str] = []
    tags: list[str] = []
    count = max([len(by_marker[marker]) for marker in chosen.values()], default=0)
    for k in range(count):
        texts = {role: by_marker[marker][k] if k < len(by_marker[marker]) else "" for role, marker in chosen.items()}
        for whole, part in zip((words, segments, glosses, tags), _block(texts), strict=True):
            whole += part
    free = sorted((m for m in by_marker if roles.of(m) == "translation" and any(map(str.strip, by_marker[m]))), key=roles.rank)
    literal = [m for m in free if m in LITERAL and len(free) > 1]
    blocks = max(1, len(by_marker.get(chosen.get("words", chosen.get("morphs", "")), ())))
    said = {m: [value for value in by_marker[m] if value.strip()] for m in free}
    said_once = {
        m: said[m][:1] if blocks == 1 else said[m] for m in free
    }  # a second line under one of text says something else
    translations = [(roles.language(m), normalize_space(" ".join(said_once[m]))) for m in free if m not in literal]
    translation, all_of_them = choose_translation(translations, options.lang, stated=True)
    meta = list(header)
    meta += [("lit", normalize_space(" ".join(by_marker[m]))) for m in literal]
    meta += [(m, normalize_space(value)) for m in free for value in said[m][len(said_once[m]) :] if m not in literal]
    sent_id = named = ""
    block_id = False
    for marker, values in by_marker.items():
        role = roles.of(marker)
        if role == "record" and (not sent_id or block_id):
            sent_id, block_id = values[0].strip(), marker == BLOCK
        elif role == "glosses" and marker != chosen.get("glosses"):
            meta.append((f"gloss_{roles.language(marker) or marker}", normalize_space(" ".join(values))))
        elif marker in roles.titles:
            named = values[0].strip()
            meta.append(("text-id", named))
        elif role != "translation" and marker not in chosen.values():
            meta += [(marker, normalize_space(value)) for value in values]
    sent_id = sent_id or named
    where = Where(path, record.line, sent_id)
    return instance(
        words or segments,
        segments,
        glosses,
        tags,
        translation=translation,
        translations=all_of_them,
        sent_id=sent_id,
        meta=meta,
        where=where,
    )


def _block(texts: dict[str, str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Words, segmented words, glosses and tags of one block of lines."""
    rows = {role: _tokens(text) for role, text in texts.items()}
    for role in ("morphs", "glosses", "pos"):
        if rows.get(role) and rows[role][0].text == "#":
            rows[role] = rows[role][1:]
    _join_lone_hyphens(rows)
    words = rows.get("words", [])
    pieces = [_parsed(piece) for piece in rows.get("morphs", [])]
    if not pieces:
        return [word.text for word in words], [], _cells(words, rows.get("glosses", [])), _cells(words, rows.get("pos", []))
    groups = _groups(words, pieces)
    marks = [glue([pieces[k].text for k in group])[1] for group in groups]
    segments = [join_morphemes([pieces[k].text for k in group]) for group in groups]
    aligned_rows: list[list[str]] = []
    for role in ("glosses", "pos"):
        row = rows.get(role, [])
        cells = _cells(pieces, row)
        if len(cells) == len(pieces):
            values = [[cells[k] for k in group] for group in groups]
            if role == "pos":  # one tag under a word of several morphemes is that of the word
                values = [[max(of_word)] if len([*filter(None, of_word)]) == 1 else of_word for of_word in values]
            aligned_rows.append([join_morphemes(of_word, mark) for of_word, mark in zip(values, marks, strict=True)])
        elif len(row) == len(groups):
            aligned_rows.append([token.text for token in row])
        else:
            aligned_rows.append(
                [join_morphemes([row[k].text for k in group]) for group in group_morphemes([token.text for token in row])]
            )
    return [word.text for word in words], segments, aligned_rows[0], aligned_rows[1]


def _join_lone_hyphens(rows: dict[str, list[_Token]]) -> None:
    """Join `kolu - t` to `kolu -t` where the glosses have as many hyphens that stand alone: they are no morphemes."""
    morphs, glosses = rows.get("morphs", []), rows.get("glosses", [])
    lone = [token.text for token in morphs if token.text in ("-", "=")]
    if not lone or lone != [token.text for token in glosses if token.text in ("-", "=")]:
        return
    for role in ("morphs", "glosses", "pos"):
        if lone != [token.text for token in rows.get(role, []) if token.text in ("-", "=")]:
            continue
        joined: list[_Token] = []
        for token in rows[role]:
            if joined and joined[-1].text in ("-", "="):
                joined[-1] = _Token(joined[-1].text + token.text, joined[-1].places)
            else:
                joined.append(token)
        rows[role] = joined


def _parsed(piece: _Token) -> _Token:
    """A morpheme without the star that Toolbox puts before what it could not analyse."""
    bare = piece.text.lstrip("*")
    return _Token(bare, piece.places) if bare and bare != piece.text else piece


def _tokens(text: str) -> list[_Token]:
    raw = text.encode("utf-8", "surrogatepass")
    line_tokens = []
    at = characters = room = 0
    for match in _TOKEN.finditer(raw):
        before = raw[at : match.start()].decode("utf-8", "surrogatepass")
        at = match.start()
        characters += len(before)
        room += sum(not unicodedata.combining(char) for char in before)
        line_tokens.append(_Token(match[0].decode("utf-8", "surrogatepass"), (at, characters, room)))
    return line_tokens


def _fitting(above: Sequence[_Token], below: Sequence[_Token]) -> int | None:
    """By which of their places tokens begin under those above; None when by none."""
    best: tuple[int, int] | None = None
    for way in range(3):
        tops = {token.places[way] for token in above}
        unders = {token.places[way] for token in below}
        if tops <= unders or unders <= tops:
            shared = len(tops & unders)
            if best is None or shared > best[0]:
                best = (shared, way)
    return best[1] if best and best[0] else None


def _groups(words: list[_Token], pieces: list[_Token]) -> list[list[int]]:
    """Which morphemes make each word: by columns, or, where these do not fit, by hyphens."""
    by_marks = group_morphemes([piece.text for piece in pieces])
    if not words:
        return by_marks
    way = _fitting(words, pieces)
    tops = {piece.places[way] for piece in pieces} if way is not None else set()
    if way is None or not all(word.places[way] in tops for word in words) or pieces[0].places[way] < words[0].places[way]:
        return [[k] for k in range(len(pieces))] if len(pieces) == len(words) else by_marks
    groups: list[list[int]] = [[] for _ in words]
    starts = [word.places[way] for word in words]
    for k, piece in enumerate(pieces):
        groups[max(j for j, start in enumerate(starts) if start <= piece.places[way])].append(k)
    if len(by_marks) == len(words) and _likeness(words, pieces, by_marks) > _likeness(words, pieces, groups):
        return by_marks  # columns that fit by chance
    return groups


def _likeness(words: Sequence[_Token], pieces: Sequence[_Token], groups: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Words that have the letters of their morphemes, and words that do not begin with an affix."""
    texts = [[pieces[k].text for k in group] for group in groups]
    same = sum(_letters("".join(row)) == _letters(word.text) for row, word in zip(texts, words, strict=True))
    return same, sum(bool(row) and row[0][:1] not in EDGES for row in texts)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _cells(above: list[_Token], below: list[_Token]) -> list[str]:
    """What stands under each token: by columns, else one each when there are as many; otherwise the tokens as they are."""
    if not below:
        return []
    way = _fitting(above, below)
    if way is not None and below[0].places[way] >= above[0].places[way]:
        starts = [token.places[way] for token in above]
        cells: list[list[str]] = [[] for _ in above]
        for token in below:
            cells[max(j for j, start in enumerate(starts) if start <= token.places[way])].append(token.text)
        filled = sum(bool(cell) for cell in cells)
        if filled == len(above) or len(below) != len(above):
            return [" ".join(cell) for cell in cells]
    return [token.text for token in below]


def dump(instances: Iterable[Sentence], out: TextIO) -> None:
    r"""Write a new file for Toolbox: records with `\ref \tx \mb \ge \ps \ft`, aligned in bytes as Toolbox aligns them; trees in `\hd` and `\rl`.

    A translation into another language than the first is `\ft_es`.
    """
    out.write("\\_sh v3.0  400  Text\n")
    title = None
    for number, igt in enumerate(instances, 1):
        named = dict(igt.meta).get("text-title") or dict(igt.meta).get("text-id") or ""
        if named != title:
            out.write(f"\n\\id {one_line(named)}\n" if named else "")
            title = named
        out.write(
            "\n"
            + "".join(
                f"\\{marker} {one_line(value) if marker not in _ALIGNED else value}\n" for marker, value in _record(igt, number)
            )
        )


def dumps(instances: Iterable[Sentence]) -> str:
    r"""
    >>> print(dumps([Sentence(("Hunde", "bellen"), ("Hund-e", "bellen"), ("dog-PL", "bark"), translation="Dogs bark.", sent_id="a1")]), end="")
    \_sh v3.0  400  Text
    <BLANKLINE>
    \ref a1
    \tx Hunde    bellen
    \mb Hund -e  bellen
    \ge dog  -PL bark
    \ft Dogs bark.
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


_ALIGNED = ("tx", "mb", "ge", "ps")


def _record(igt: Sentence, number: int) -> Iterator[tuple[str, str]]:
    """Markers and values of a record."""
    tree = tree_lines(igt)
    yield "ref", igt.sent_id or str(number)
    whole = aligned(igt if tree else rejoin(igt, boundaries=False))
    blocks = []
    for word, segment, gloss, tag in zip(whole.words, whole.segments, whole.glosses, whole.tags, strict=True):
        pieces = pieces_of(segment.replace(" ", "."), gloss.replace(" ", "."))
        glosses = [
            f"{form[0] * (k > 0 and form[0] in EDGES)}{text}{form[-1] * (form[-1] in EDGES and len(form) > 1)}"
            for k, (form, text) in enumerate(pieces)
        ]
        blocks.append((word.replace(" ", "."), [form for form, _ in pieces], glosses, tag.replace(" ", ".")))
    has = {
        "tx": True,
        "mb": any(forms != [word] for word, forms, _, _ in blocks),
        "ge": any(whole.glosses),
        "ps": any(whole.tags),
    }
    lines = dict.fromkeys(_ALIGNED, "")
    for word, forms, glosses, tag in blocks:
        start = max(_bytes(line) for line in lines.values())
        lines = {marker: line + " " * (start - _bytes(line)) for marker, line in lines.items()}
        lines["tx"] += f"{word} "
        lines["ps"] += f"{tag} " if tag else ""
        for form, gloss in zip(forms, glosses, strict=True):
            shown = gloss or "***" * (len(forms) > 1)
            width = max(_bytes(form), _bytes(shown)) + 1
            lines["mb"] += form + " " * (width - _bytes(form))
            lines["ge"] += shown + " " * (width - _bytes(shown))
    yield from ((marker, line.rstrip()) for marker, line in lines.items() if has[marker])
    for k, (code, text) in enumerate(translations_by_code(igt)):
        yield ("ft" if not k else f"ft_{code}"), text
    yield from ((key, value) for key, value in igt.meta if key in ("lit", "nt", "note"))
    if tree:
        yield "hd", tree[0]
        yield "rl", tree[1]


def _bytes(text: str) -> int:
    return len(text.encode())
