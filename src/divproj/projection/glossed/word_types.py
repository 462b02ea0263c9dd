"""Words first: the word types of a glossed text as a table, in which a linguist confirms or corrects how s6 reads them.

`list_types` lists the types of a text, the most useful question first; `dump` writes them, `WordTypes.load` reads the answers,
and `WordTypes.apply` gives them to the sentences. A type is a gloss, or a form where there is no gloss:

    tag    relation        gloss    form      guess  count  doubt  gain  attaches to
    PART   linker          LNK      nga, ng   DET    41     0.45   18.4  det of the next NOUN (20 of 41)
    ok                     house    balay     NOUN   12     0.21   2.5   obl of the verb before (5 of 12)

The linguist fills in `tag` and `relation`: a universal tag, a usual label of a part of speech (`n`, `adv`), or `ok` for the guess; a
relation in plain words (`RELATIONS`) or as UD names it. The gain of an answer is the number of words of the text that are expected to
have a wrong tag now, Σ (1 − P(best tag)). Any program may edit the table: columns may be in any order, separated by tabs, semicolons
or commas. A line that cannot be read is reported and left out. An answer that everything else speaks against is used all the same, and
asked again (`status` is `sure?`) until its status is `sure`.
"""

from __future__ import annotations

import csv
import difflib
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np

from divproj.core.errors import Faults, FormatError, Where, plural
from divproj.core.pair import Pair, WordAnswer
from divproj.io.files import Source, name_of, reading
from divproj.links.grams import Grams
from divproj.projection.direct import ProjectionInput
from divproj.runtime.leftovers import name_beside
from divproj.ud.rows import features, shipped_grams
from divproj.ud.tagsets import LABELS, UPOS

if TYPE_CHECKING:
    from divproj.projection.glossed.s6 import S6, GlossState

COLUMNS = (
    "tag", "relation", "gloss", "form", "guess", "features", "count", "doubt", "gain", "attaches to", "example", "status",
)  # fmt: skip
"""Columns of the table; the first two and the last are for the linguist."""
ENDING = ".types.tsv"
YES = frozenset({"ok", "y", "yes", "+", "=", "✓", "✔"})
"""Answers that confirm the guess."""
SURE, ASKED_AGAIN, ANSWERED = "sure", "sure?", "answered"
AGAINST = 0.02
"""Mean probability of an answered tag, read without the answers, below which it is asked again."""
AGAINST_COUNT = 3
"""Words of a type from which its answer may be asked again: of one or two words too little is known."""
LAS_OF_TAG = 0.43
"""Correctly labelled edges for each wrong tag that is expected and corrected: the slope in `bench/results/glossbanks-gains.json`."""
LAS_OF_TEN_TREES = 3.4
"""Points of LAS that ten trees of the language bring s6+, mean of treebanks (`bench/results/glossbanks-own-50-types.json`)."""
SHOWN_FORMS = 3
LONGEST_EXAMPLE = 120


class LinguistsRelation(NamedTuple):
    """A relation of a closed class in the words of linguists: what it means in UD."""

    names: tuple[str, ...]
    tags: tuple[str, ...]
    """Tags of such words, the usual one first; the column `tag` goes before."""
    deprel: str
    heads: str
    """What such words attach to: `nominal`, `verbal` or '' for anything."""
    meaning: str


RELATIONS = (
    LinguistsRelation(("case marker", "case", "case particle"), ("ADP",), "case", "nominal", "marks the role of a noun phrase"),
    LinguistsRelation(("adposition", "preposition", "postposition"), ("ADP",), "case", "nominal", "of, in, with"),
    LinguistsRelation(("article", "determiner", "demonstrative", "definite marker"), ("DET",), "det", "nominal", "the, this"),
    LinguistsRelation(("classifier",), ("NOUN",), "clf", "nominal", "stands with a numeral or a demonstrative"),
    LinguistsRelation(
        ("subject marker", "person-aspect marker", "agreement marker"), ("AUX",), "aux", "verbal", "shows the subject beside the verb"
    ),
    LinguistsRelation(("subject pronoun",), ("PRON",), "nsubj", "verbal", "is the subject itself"),
    LinguistsRelation(("object pronoun",), ("PRON",), "obj", "verbal", "is the object itself"),
    LinguistsRelation(("possessive pronoun", "possessor"), ("PRON",), "nmod", "nominal", "my, your"),
    LinguistsRelation(("auxiliary", "tense marker", "aspect marker", "mood marker", "tam marker"), ("AUX",), "aux", "verbal", "will, has"),
    LinguistsRelation(("copula",), ("AUX",), "cop", "", "be"),
    LinguistsRelation(("complementiser", "complementizer", "subordinator"), ("SCONJ",), "mark", "verbal", "that, if, when"),
    LinguistsRelation(("relativiser", "relativizer", "relative marker"), ("SCONJ",), "mark", "verbal", "opens a relative clause"),
    LinguistsRelation(("infinitive marker",), ("PART",), "mark", "verbal", "to"),
    LinguistsRelation(("linker", "ligature"), ("PART", "ADP"), "case", "nominal", "stands between a noun and what modifies it"),
    LinguistsRelation(("coordinator", "conjunction"), ("CCONJ",), "cc", "", "and, or, but"),
    LinguistsRelation(("negator", "negation", "negative"), ("PART", "ADV"), "advmod", "verbal", "not"),
    LinguistsRelation(("question marker", "question particle"), ("PART",), "discourse", "verbal", "makes a question"),
    LinguistsRelation(
        ("topic marker", "focus marker", "topic particle", "focus particle"), ("PART",), "discourse", "", "marks topic or focus"
    ),
    LinguistsRelation(("discourse particle", "particle"), ("PART",), "discourse", "", "well, indeed"),
    LinguistsRelation(("interjection",), ("INTJ",), "discourse", "", "oh"),
    LinguistsRelation(("adverb",), ("ADV",), "advmod", "", "now, again"),
)  # fmt: skip
"""Relations of closed classes in the words of linguists."""
_BY_NAME = {name: row for row in RELATIONS for name in row.names}
_PLURALS = {f"{name}s": row for name, row in _BY_NAME.items()}
HEADS = {row.deprel: row.heads for row in reversed(RELATIONS)}


def type_key(form: str, gloss: str = "") -> str:
    """Return what words of one type have in common: the gloss, or the form where there is none.

    >>> type_key("Balay", "house"), type_key("Balay", "_")
    ('house', '\\tbalay')
    """
    return gloss if gloss not in ("", "_") else f"\t{form.lower()}"


def types_file(source: str) -> Path:
    """Return where the types of a text are kept: beside it.

    >>> types_file("texts/story.flextext").as_posix(), types_file("story.txt.gz").as_posix()
    ('texts/story.types.tsv', 'story.types.tsv')
    """
    path = Path(source)
    if path.is_dir():
        return path / ENDING.lstrip(".")
    stem = Path(path.name.removesuffix(".gz")).stem
    return path.with_name(name_beside(stem or path.name, ENDING))


@dataclass(frozen=True)
class Answer:
    """The answer of the linguist for a type."""

    tags: tuple[str, ...] = ()
    relation: str = ""
    """As it was written."""
    deprel: str = ""
    written: str = ""
    """The tag as it was written."""
    sure: bool = False
    """Whether the linguist stands by it against everything."""


@dataclass(frozen=True)
class WordTypes:
    """Answers by type; `apply` gives them to the words of a pair."""

    answers: Mapping[str, Answer] = field(default_factory=dict)
    name: str = ""
    """The file that they are from."""

    def __len__(self) -> int:
        return len(self.answers)

    def __add__(self, other: WordTypes) -> WordTypes:
        """Return the answers of both tables; where they differ, those of the first."""
        return WordTypes({**other.answers, **self.answers}, ", ".join(filter(None, (self.name, other.name))))

    def __str__(self) -> str:
        """
        >>> str(WordTypes({"LNK": Answer(("PART",))}, "story.types.tsv"))
        '1 word type tagged in story.types.tsv'
        """
        return f"{plural(len(self), 'word type')} tagged in {self.name}" if self else ""

    @classmethod
    def load(cls, source: Source, faults: Faults | None = None, grams: Grams | None = None) -> WordTypes:
        """Return the answers in a table; lines that cannot be read go to `faults`, and are left out."""
        with reading(source) as stream:
            return cls.loads(stream.read(), faults, grams, name_of(source))

    @classmethod
    def loads(cls, data: bytes, faults: Faults | None = None, grams: Grams | None = None, path: str = "") -> WordTypes:
        """Return the answers in the bytes of a table.

        >>> table = "form;gloss;Tag\\nnga;LNK;part\\nbalay;house;\\n"
        >>> WordTypes.loads(table.encode()).answers
        {'LNK': Answer(tags=('PART',), relation='', deprel='', written='part', sure=False)}
        """
        faults = faults or Faults()
        rows = csv.reader(io.StringIO(_decode(data, path, faults), newline=""), delimiter=_delimiter(data, path))
        columns: list[str] = []
        answers: dict[str, Answer] = {}
        lines: dict[str, int] = {}
        while True:
            where = Where(path, rows.line_num + 1)
            try:
                cells = [cell.strip() for cell in next(rows)]
            except StopIteration:
                break
            except csv.Error as error:
                faults.kept(FormatError(f"a line that is no row of a table: {error}; left out", where))
                continue
            if not any(cells):
                continue
            if not columns:
                columns = _header(cells, where)
                continue
            row = dict(zip(columns, cells, strict=False))
            try:
                answer = parse_answer(row, where, grams or shipped_grams())
                gloss, form = _unescape(row.get("gloss", "")), _unescape(row.get("form", ""))
                if answer is None:
                    continue
                if gloss in ("", "_") and not form:
                    raise FormatError("neither a gloss nor a form, one of them expected", where, "the line is left out")
                key = type_key(form, gloss)
                if key in answers and answers[key] != answer:
                    message = f"'{gloss or form}' has another answer in line {lines[key]}, which counts"
                    raise FormatError(message, where, "leave one of them out")
            except FormatError as error:
                faults.kept(error)
                continue
            answers[key] = answer
            lines.setdefault(key, where.line)
        if not columns:
            raise FormatError(
                "the table is empty, a line with the names of the columns expected", Where(path), "make it with `proj types`"
            )
        return cls(answers, Path(path).name)

    def apply(self, pair: Pair) -> Pair:
        """Return the pair with the answers for its words."""
        if not self.answers:
            return pair
        return replace(pair, answers=self.of_words(pair.f.forms, pair.glosses))

    def of_words(self, forms: Sequence[str], glosses: Sequence[str]) -> tuple[WordAnswer | None, ...]:
        """Return the answer for each word; nothing where there is none at all."""
        by_type = (
            self.answers.get(type_key(form, gloss)) for form, gloss in zip(forms, glosses or ("",) * len(forms), strict=True)
        )
        answers = tuple(WordAnswer(answer.tags, answer.deprel) if answer else None for answer in by_type)
        return answers if any(answers) else ()


NO_TYPES = WordTypes()
NONE = "none"
"""Asks for no table, where there is one beside the text."""


def types_for(source: str, given: str | None = None, faults: Faults | None = None, grams: Grams | None = None) -> WordTypes:
    """Return the answers in the table that was given, or else in the one beside the text; nothing where there is none."""
    if given:
        return NO_TYPES if given == NONE else WordTypes.load(given, faults, grams)
    path = types_file(source) if source != "-" else None
    return WordTypes.load(path, faults, grams) if path and path.is_file() else NO_TYPES


def parse_answer(row: Mapping[str, str], where: Where, grams: Grams) -> Answer | None:
    """Return the answer in a row of the table; None where there is none, FormatError where it cannot be understood."""
    tag, relation, status = (row.get(name, "") for name in ("tag", "relation", "status"))
    sure = tag.endswith("!") or status.casefold() == SURE
    tag = tag.rstrip("! ")
    if tag.casefold() in YES:
        tag = row.get("guess", "")
        if not tag:
            raise FormatError(
                "the guess is confirmed, but there is no column `guess`", where, "write the tag itself; the line is left out"
            )
    if not (tag or relation):
        return None
    known = _relation(relation, where) if relation else None
    tags = _tags(tag, where, grams) if tag else known.tags if known else ()
    return Answer(tags, relation, known.deprel if known else "", tag, sure)


def _tags(text: str, where: Where, grams: Grams) -> tuple[str, ...]:
    """Universal tags that a cell allows: tags of UD, or a label of a part of speech."""
    tags: list[str] = []
    for part in filter(None, text.replace("|", "/").replace(",", "/").split("/")):
        name = part.strip()
        some = (name.upper(),) if name.upper() in UPOS and name.upper() != "PUNCT" else grams.classes(name)
        if not some:
            near = difflib.get_close_matches(name.upper(), UPOS, 1, 0.6)
            remedy = f"did you mean {near[0]}? " if near else ""
            raise FormatError(
                f"'{text}' is no tag, {', '.join(UPOS[:4])} … or a label such as n, v, adv expected",
                where,
                f"{remedy}the line is left out",
            )
        tags += some
    return tuple(dict.fromkeys(tags))


def _relation(text: str, where: Where) -> LinguistsRelation:
    """The relation that a cell names, in the words of linguists or of UD."""
    name = " ".join(text.casefold().replace("_", " ").split())
    known = _BY_NAME.get(name) or _PLURALS.get(name) or _BY_NAME.get(name.replace("-", " "))
    if known:
        return known
    deprel = name.partition(":")[0]
    if deprel in LABELS:
        return LinguistsRelation((), (), deprel, HEADS.get(deprel, ""), "")
    near = difflib.get_close_matches(name, _BY_NAME, 1, 0.6)
    remedy = f"did you mean '{near[0]}'? " if near else ""
    raise FormatError(
        f"'{text}' is no relation, such as case marker, linker, complementiser, or one of UD expected",
        where,
        f"{remedy}the line is left out",
    )


def _decode(data: bytes, path: str, faults: Faults) -> str:
    """The text of a table, as spreadsheets save it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        faults.file(FormatError("not UTF-8, read as Windows-1252", Where(path), "save the table as UTF-8 (CSV UTF-8 in Excel)"))
        return data.decode("cp1252", "replace")


def _delimiter(data: bytes, path: str) -> str:
    """What separates the columns: what the header has most of."""
    head = _decode(data[:4000], path, Faults(strict=False)).lstrip().partition("\n")[0]
    return max("\t;,", key=head.count)


def _header(cells: list[str], where: Where) -> list[str]:
    columns = [" ".join(cell.casefold().split()) for cell in cells]
    if "tag" not in columns and "relation" not in columns:
        message = f"the first line has the columns {', '.join(cells[:6])}; `tag` or `relation`, and `gloss` or `form` expected"
        raise FormatError(message, where, "make the table with `proj types`")
    if "gloss" not in columns and "form" not in columns:
        raise FormatError("the table has no column `gloss` nor `form`", where, "make the table with `proj types`")
    return columns


def _escape(cell: str) -> str:
    """A cell that spreadsheets do not take for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "'") else cell


def _unescape(cell: str) -> str:
    """
    >>> _unescape(_escape("=FOC")), _unescape("'tis")
    ('=FOC', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and cell[1:2] in ("=", "+", "-", "@", "'") else cell


@dataclass(frozen=True)
class WordType:
    """A type of a text, as s6 reads it."""

    key: str
    gloss: str
    forms: tuple[str, ...]
    """The commonest first."""
    count: int
    tags: tuple[float, ...]
    """Mean probabilities of `UPOS`."""
    gain: float
    """Words of this type that are expected to have a wrong tag."""
    attaches: str
    example: str
    answer: Answer | None = None
    against: bool = False
    """Whether everything speaks against the answer."""

    @property
    def guess(self) -> str:
        """The tag that s6 gives it, without the answer."""
        return UPOS[int(np.argmax(self.tags))]

    @property
    def doubt(self) -> float:
        """Share of the words of this type that are expected to have a wrong tag."""
        return self.gain / max(self.count, 1)

    @property
    def status(self) -> str:
        """What has become of the question."""
        if self.answer is None:
            return ""
        return SURE if self.answer.sure else ASKED_AGAIN if self.against else ANSWERED


def list_types(text: Sequence[ProjectionInput], system: S6, answers: WordTypes | None = None) -> list[WordType]:
    """Return the types of a text, in the order in which answers are useful.

    First come answers that everything speaks against, then open questions by gain, then what is answered. What a type is read as
    comes without its answers, gains of the open questions with them.
    """
    known = answers or NO_TYPES
    bare = [replace(sentence, answers=()) for sentence in text]
    rows = _collect(bare, system, system.adapt(bare))
    if known.answers and bare != list(text):
        given = _collect(text, system, system.adapt(text))
        rows = {key: replace(row, gain=given[key].gain, attaches=given[key].attaches) for key, row in rows.items()}
    types = []
    for key, row in rows.items():
        answer = known.answers.get(key)
        belief = sum(row.tags[UPOS.index(tag)] for tag in answer.tags) if answer and answer.tags else 1.0
        types.append(replace(row, answer=answer, against=row.count >= AGAINST_COUNT and belief < AGAINST))
    return sorted(types, key=lambda row: (row.status != ASKED_AGAIN, row.answer is not None, -row.gain, -row.count, row.key))


def expected_gain(types: Sequence[WordType], count: int) -> float:
    """Return how many points of LAS the tags of the first open questions are expected to bring."""
    first = [row for row in types if row.answer is None][:count]
    words = sum(row.count for row in types)
    return 100 * LAS_OF_TAG * sum(row.gain for row in first) / max(words, 1)


def _collect(text: Sequence[ProjectionInput], system: S6, state: GlossState) -> dict[str, WordType]:
    counts: Counter[str] = Counter()
    glosses: dict[str, str] = {}
    forms: dict[str, Counter[str]] = {}
    tags: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    gains: Counter[str] = Counter()
    ways: dict[str, Counter[str]] = {}
    examples: dict[str, str] = {}
    for sentence in text:
        analysis = system.analyze(sentence, state) if len(sentence) > 0 else None
        if analysis is None or not analysis.edge_input.real:
            continue
        tree = system.project(sentence, state)
        column = sentence.glosses or ("",) * len(sentence)
        for word, row in zip(analysis.edge_input.real, analysis.tags, strict=True):
            if analysis.edge_input.words[word - 1].mark:
                continue
            form, gloss = sentence.forms[word - 1], column[word - 1]
            key = type_key(form, gloss)
            counts[key] += 1
            glosses.setdefault(key, gloss)
            forms.setdefault(key, Counter())[form.lower()] += 1
            tags[key] = tags.get(key, np.zeros(len(UPOS))) + row
            gains[key] += 1.0 - float(row.max())  # type: ignore[assignment]
            ways.setdefault(key, Counter())[_way(word, tree.heads[word - 1], tree.deprels[word - 1], tree.upos)] += 1
            if key not in examples:
                examples[key] = _example(sentence, word)
    types = {}
    for key, count in counts.items():
        [(way, often)] = ways[key].most_common(1)
        shown = tuple(form for form, _ in forms[key].most_common(SHOWN_FORMS))
        mean = tuple((tags[key] / count).tolist())
        types[key] = WordType(
            key, glosses[key], shown, count, mean, float(gains[key]), f"{way} ({often} of {count})", examples[key]
        )
    return types


def _way(word: int, head: int, deprel: str, tags: Sequence[str]) -> str:
    """How a word attaches, in words.

    >>> _way(2, 3, "case", ("VERB", "ADP", "NOUN")), _way(3, 1, "obj", ("VERB", "ADP", "NOUN")), _way(1, 0, "root", ("VERB",))
    ('case of the next NOUN', 'obj of a VERB before', 'root')
    """
    if not head:
        return "root"
    if abs(head - word) == 1:
        return f"{deprel} of the {'next' if head > word else 'previous'} {tags[head - 1]}"
    return f"{deprel} of a {tags[head - 1]} {'after' if head > word else 'before'}"


def _example(sentence: ProjectionInput, word: int) -> str:
    """A sentence with the word in brackets, and its translation."""
    words = [f"[{form}]" if k == word else form for k, form in enumerate(sentence.forms, 1)]
    low, high = max(0, word - 7), min(len(words), word + 6)
    shown = " ".join(words[low:high])
    shown = f"{'… ' * (low > 0)}{shown}{' …' * (high < len(words))}"
    translation = " ".join(sentence.e.forms)
    text = f"{shown} ‘{translation}’" if translation else shown
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[: LONGEST_EXAMPLE - 1]}…"


def dump(types: Iterable[WordType], out: TextIO, grams: Grams | None = None) -> None:
    """Write a table of types, tab-separated."""
    table = grams or shipped_grams()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in types:
        answer = row.answer or Answer()
        feats = features(row.gloss, row.guess, table) if row.gloss else "_"
        cells = (
            answer.written, answer.relation, row.gloss, ", ".join(row.forms) if row.gloss not in ("", "_") else row.forms[0],
            row.guess, "" if feats == "_" else feats, row.count, f"{row.doubt:.2f}", f"{row.gain:.1f}", row.attaches, row.example, row.status,
        )  # fmt: skip
        writer.writerow([_escape(cell) if isinstance(cell, str) else cell for cell in cells])
