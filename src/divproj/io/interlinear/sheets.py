r"""Read tables of interlinear text: `.csv`, `.tsv`, `.xlsx`, `.ods`, and the tables of documents.

A table has one of three layouts, which `sentences` tells apart:

    a row is a sentence            a row is a word              the lines stand under one another
    Text      | Gloss    | Free    No | Word | Gloss | Free     (1) | kolu | uva-n
    kolu uvan | fish swim| …       1  | kolu | fish  | …            | fish | swim-PST
                                      | uvan | swim  |              | The fish swam.

The first row that names columns in one of several languages gives the roles (`role_of`); the option `columns` names them by
their headings or letters. A table without headings is read by the content of its columns, or line by line (`stack`).
"""

from __future__ import annotations

import io
import re
import string
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import chain, groupby, islice, pairwise
from typing import Any, BinaryIO, NamedTuple, cast

from divproj.core.errors import Faults, FormatError, ProjError, Where
from divproj.core.sentence import Sentence
from divproj.io.files import DENSEST, SAFE, Source
from divproj.io.interlinear import elan, tex
from divproj.io.interlinear.cldf import csv_rows
from divproj.io.interlinear.languages import NAMES, lang_code
from divproj.io.interlinear.parts import (
    EDGES,
    Options,
    choose_translation,
    columns,
    from_file,
    glue,
    group_morphemes,
    instance,
    is_quoted,
    join_morphemes,
    lines,
    normalize_space,
    one_line,
    strip_quotes,
    tokens,
    without_judgement,
)
from divproj.io.interlinear.xml import Unit, XmlNode, units

SAMPLE = 1000
"""Rows that are examined before the first is read."""
HEADER_ROWS, LONGEST_HEADING = 15, 48
"""Rows in which the headings are looked for, and characters of a heading."""
ONE_TOKEN = 0.85
"""Share of cells of one word from which a column can hold a word in each row."""
REPEATED = 0.3
"""Share of rows that repeat the cell above, or leave it empty, in a column that is said once for several rows."""
LINED_UP = 0.5
"""Share of rows in which a column has as many tokens as the glosses, if it holds the words."""
CONTENT_GRAMS, CONTENT_TEXT = 0.25, 0.6
"""Shares of cells with abbreviations of grammar, and of filled rows, in a column of glosses without a heading."""
ALIKE = 0.6
"""Likeness of letters from which on a line is the segmentation of the one above it."""
WIDEST, MOST_REPEATED = 2000, 100
"""Columns of a table that are read, and copies of one row, which .ods may repeat a million times."""
LONGEST_STACK = 12
"""Rows of one example whose lines stand under one another."""

Row = tuple[int, list[str]]
"""Number of a row and its cells."""
ROLES = ("record", "text", "words", "morphs", "glosses", "pos", "translation", "speaker")
"""Roles that the option `columns` can give."""
_MAIN = frozenset(("text", "words", "morphs"))
_COLUMN_NAMES = (
    ("tree", r"^(hd|rl)$"),
    ("index", r"^(word|token|w|tok|morph\w*|palabra|mot|wort|слов\w*) ?(id|no|nr|num|number|index|idx|order|position)$|^(position|index|idx)$"),
    ("-", r"^text ?(id|no|nr|name|title|number)$|\btime\b|^(start|end|begin|duration)\b|\b(file|filename|audio|date|page|pages)\b|^(source|reference|quelle|fuente|fonte|источник|bibl\w*)$|creator|provider|\b[ck]ontext|контекст"),
    ("record", r"^(n|nr|no|nº|num|number|id|ids|ref|recid|sid|número|numero|numéro|nummer|номер)$"
               r"|^(sentence|sent|example|ex|utterance|utt|phrase|line|segment|record|item|oración|oracion|frase|enunciado|satz|beispiel|"
               r"предложени\w*|пример\w*|фраз\w*) ?(id|ids|no|nr|num|number|index|número|numero|numéro|nummer|номер)$|^(satz|beispiel)(nr|nummer)$"
               r"|^(id|no|nr|number|número|numéro|номер) (of |de |de la |du |d )?(sentence|example|oración|frase|phrase|exemple|предложения|примера)$"),
    ("language", r"^(language|lang|lg|idioma|lengua|langue|língua|lingua|sprache|язык|doculect|variety|dialect)( (id|name|code))?$|glottocode|iso ?639"),
    ("speaker", r"speaker|participant|hablante|locut|falante|sprecher|говорящ|информант|informant"),
    ("judgement", r"judge?ment|grammaticality|acceptab|grammatikal|gramaticalidad"),
    ("text2", r"transliter|romani[sz]|^(ipa|phonetic|phonemic|fonét|fonet|latin)"),
    ("morphs", r"analy[sz]|anális|analise|análise|разбор|parse|break|découp|decoup|zerleg|morphonol"),
    ("lit", r"(^|\W)lit(eral\w*|eralmente|téral\w*)?($|\W)|wörtlich|буквальн"),
)  # fmt: skip
_MORE_NAMES = (
    ("translation", r"tradu|vertal|çevir|翻[译譯訳]|[訳譯译]|번역|terjemah"),
    ("glosses", r"\b(meaning|bedeutung|значение|significado|signification|sens|sentido)\b"),
    ("glosses", r"注[释釋]|グロス|주석"),
    (
        "text",
        r"object language|(source )?language line|^data$|kalimat|esempio|^zin$|voorbeeld|cümle|örnek|例|原文|예문|текст|beispiel|example|ejemplo|exemple|exemplo|пример|original|vernacular|sample|фраза",
    ),
    ("words", r"\b(forms?|forma|forme|словоформ\w*|lexeme?)\b"),
)
_NUMBER = re.compile(r"\(?\s*(?:\d+(?:[.:]\d+)*\s*[a-z]?|[a-z]|[ivx]{1,4})'*\s*[.):]?\s*$|\[\d+[a-z]?\]$")
_NUMBERED = re.compile(r"\(\s*\d+(?:[.:]\d+)*\s*[a-z]?'*\s*\)\.?$|\d+(?:\.\d+)*[a-z]?[.)]$|\[\d+[a-z]?\]$")
_JUDGED = re.compile(r"[*?#%!^/\\:–—()=-]{1,6}$|ok$", re.IGNORECASE)
_GRAM = re.compile(r"(?:^|[-=~.:–<>(])(?:[A-Z]{2,}\w*|[123](?:SG|PL|DU|sg|pl|du|s|p)?)(?=$|[-=~.:–<>)])|\\textsc")
_GLOTTOCODE = re.compile(r"[a-z]{4}\d{4}$|[a-z]{3}$")
_MACRO = re.compile(r"\\[A-Za-z]+|\$.*\$|\{")
_MISSING = frozenset(("NA", "NULL", "None", "nan", "#N/A"))


class Layout(NamedTuple):
    """The roles of the columns of a table."""

    roles: dict[int, str]
    headings: list[str]

    def of(self, *roles: str) -> list[int]:
        """Columns of some roles, in the order of the roles."""
        return [column for role in roles for column, name in self.roles.items() if name == role]


@dataclass(frozen=True)
class Place:
    """Where a table is: its file, and its name if it is not the first."""

    path: str
    sheet: str = ""

    def at(self, line: int, sent_id: str = "") -> Where:
        return Where(self.path, line, sent_id)


@dataclass
class Word:
    """A word, its morphemes with their glosses, and what is said of the word as a whole."""

    form: str
    morphs: list[str] = field(default_factory=list)
    morph_glosses: list[str] = field(default_factory=list)
    gloss: str = ""
    tag: str = ""

    @property
    def segment(self) -> str:
        return join_morphemes(self.morphs)

    @property
    def full_gloss(self) -> str:
        """The glosses of the morphemes, joined as these are; or the gloss of the word."""
        if not any(self.morph_glosses):
            return self.gloss
        return join_morphemes(self.morph_glosses, glue(self.morphs)[1])


def sentence_of(words: Sequence[Word], **others: Any) -> Sentence:
    """A sentence of words that each have their morphemes and glosses."""
    return instance(
        [word.form or "".join(glue(word.morphs)[0]) or "_" for word in words],
        [word.segment for word in words],
        [word.full_gloss for word in words],
        [word.tag for word in words],
        **others,
    )


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    check_roles(options.tiers, ROLES, "a column")
    head = cast(Any, stream).peek(4)[:4]
    if head != b"PK\x03\x04":
        yield from sentences(_csv(stream, path, faults, options), Place(path), faults, options)
        return
    with seekable(stream) as file:
        archive = Archive(file, path, faults, options)
        tables = _ods(archive) if "content.xml" in archive.names else _xlsx(archive)
        count = 0
        left_out: list[tuple[str, FormatError]] = []
        for k, (name, rows) in enumerate(tables):
            try:
                for igt in sentences(rows, Place(path, name if k else ""), faults, options):
                    count += 1
                    yield igt
            except FormatError as error:
                left_out.append((name, error))
        if left_out and not count:
            raise left_out[0][1]
        for name, why in left_out:
            faults.file(FormatError(f"sheet {name!r}: {why.message}", Where(path), "this sheet is left out"))


def table_likeness(text: str) -> float:
    """From 0 to 1: how much the beginning of a text is a table of sentences or words with commas, semicolons or tabs."""
    shown = [line for line in text.split("\n") if line.strip()][:1]
    if not shown or max(shown[0].count(mark) for mark in ",;\t") < 1 or shown[0].startswith(("\\", "#", "%")):
        return 0.0
    numbered = enumerate(text.split("\n")[:400], 1)
    rows = [row for row in csv_rows(numbered, "", Faults(strict=False)) if any(cell.strip() for cell in row[1])][
        : -1 if len(text) > 60_000 else None
    ]
    widths = Counter(len(cells) for _, cells in rows)
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    if width < 2 or count < 0.8 * len(rows):
        return 0.0
    if layout_of(rows, Options()):
        return 0.95
    return 0.9 if width > 2 and by_content(rows) else 0.0


def check_roles(named: Mapping[str, str], roles: Sequence[str], what: str) -> None:
    """ProjError for a role that there is not."""
    unknown = sorted(set(named) - set(roles))
    if unknown:
        raise ProjError(f"unknown role {unknown[0]!r} of {what}, one of {', '.join(roles)} expected")


def _csv(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Row]:
    """Rows of a text file; a row without cells stands for blank lines."""
    following = 0
    for number, cells in csv_rows(lines(stream, path, faults, options.encoding), path, faults):
        if following and number > following:
            yield number - 1, []
        following = number + 1 + sum(cell.count("\n") for cell in cells)
        yield number, cells


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """The stream as a file in which one can go back; what comes through a pipe is kept on the disk."""
    with tempfile.SpooledTemporaryFile(max_size=8 << 20) as kept:
        while data := stream.read(1 << 20):
            kept.write(data)
        kept.seek(0)
        yield cast(BinaryIO, kept)


class _Bounded:
    """A member of a zip archive, which must not unpack to fill the machine."""

    def __init__(self, member: Any, packed: int, where: Where) -> None:
        self._member, self._limit, self._where, self._count = member, max(SAFE, DENSEST * packed), where, 0

    def _counted(self, data: bytes) -> bytes:
        self._count += len(data)
        if self._count > self._limit:
            raise ProjError(f"unpacks to more than {DENSEST} times its size, which text does not do", self._where, "unpack it")
        return data

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._member.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._counted(self._member.readline(size))


class Archive:
    """The XML parts of a zip archive, such as `.xlsx` and `.docx` are."""

    def __init__(self, file: BinaryIO, path: str, faults: Faults, options: Options) -> None:
        self.path, self.faults, self.options = path, faults, options
        try:
            self._zip = zipfile.ZipFile(file)
            self.names = self._zip.namelist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise FormatError(f"broken zip data: {error}", Where(path), "fetch the file again") from None

    def units(self, name: str, *tags: str, within: Container[str] = ()) -> Iterator[Unit]:
        """Elements of a part that have one of these tags (and are in one of `within`), each as soon as it is complete."""
        if name not in self.names:
            return
        where = Where(f"{self.path}/{name}")
        info = self._zip.getinfo(name)
        if info.flag_bits & 1:
            raise FormatError("the file is protected by a password", Where(self.path), "save it without one")
        try:
            with self._zip.open(info) as member:
                stream = cast(BinaryIO, _Bounded(member, info.compress_size, where))
                yield from units(
                    stream,
                    where.path,
                    self.faults,
                    self.options,
                    lambda tag, above: tag in tags and (not within or above in within),
                    frozenset(),
                )
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise FormatError(f"broken zip data: {error}", where, "fetch the file again") from None


def _xlsx(archive: Archive) -> Iterator[tuple[str, Iterator[Row]]]:
    """The sheets of a workbook, each with its name."""
    shared = [node_text(node) for node, _ in archive.units("xl/sharedStrings.xml", "si")]
    for name, member, _ in _worksheets(archive):
        yield name, _xlsx_rows(archive, member, shared)


def _worksheets(archive: Archive) -> list[tuple[str, str, str]]:
    """(name, part, id) of each sheet that is a table."""
    relations = archive.units("xl/_rels/workbook.xml.rels", "Relationship")
    targets = {node.get("Id"): node.get("Target") for node, _ in relations}
    places = []
    for sheet, _ in archive.units("xl/workbook.xml", "sheet"):
        target = targets.get(sheet.get("id"), "")
        member = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if "worksheet" in member and member in archive.names:
            places.append((sheet.get("name"), member, sheet.get("id")))
    return places


def _xlsx_rows(archive: Archive, member: str, shared: Sequence[str]) -> Iterator[Row]:
    number = 0
    for row, _ in archive.units(member, "row"):
        stated = row.get("r")
        following = int(stated) if stated.isdecimal() and stated.isascii() and len(stated) < 9 else number + 1
        if number and following > number + 1:
            yield following - 1, []
        number = following
        cells: list[str] = []
        for cell in row.all("c"):
            column = _column(cell.get("r"), len(cells))
            if column < WIDEST:
                cells.extend([""] * (column + 1 - len(cells)))
                cells[column] = _xlsx_value(cell, shared)
        yield number, cells


def members(workbook: bytes, path: str) -> dict[str, str]:
    """Parts of a workbook, by the names of its sheets; empty for a file of another kind."""
    archive = Archive(cast(BinaryIO, io.BytesIO(workbook)), path, Faults(strict=False), Options())
    return {name: member for name, member, _ in _worksheets(archive)}


def headings(workbook: bytes, path: str, options: Options) -> dict[str, tuple[int, int]]:
    """The row of headings, and the first column that is free, in each sheet that has them; ProjError where trees are in it."""
    archive = Archive(cast(BinaryIO, io.BytesIO(workbook)), path, Faults(strict=False), options)
    places = {}
    for name, rows in _xlsx(archive):
        held = list(rows)
        while held and not any(cell.strip() for cell in held[0][1]):
            del held[0]
        headed = layout_of(held, options)
        if headed and headed[0] >= 0:
            if headed[1].of("tree"):
                problem = f"sheet {name!r} has columns hd and rl already"
                raise ProjError(problem, Where(path), "delete these columns first")
            places[name] = (held[headed[0]][0], max(len(cells) for _, cells in held))
    return places


def letters(column: int) -> str:
    """
    >>> letters(0), letters(27)
    ('A', 'AB')
    """
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = string.ascii_uppercase[rest] + text
    return text


def node_text(node: XmlNode) -> str:
    """Text of a string of a workbook, without the readings that stand above Chinese characters."""
    out, stack = "", [node]
    while stack:
        at = stack.pop()
        if at.tag not in ("rPh", "rPr", "phoneticPr"):
            out += at.text if at.tag == "t" else ""
            stack.extend(reversed(at.children))
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda match: chr(int(match[1], 16)) if int(match[1], 16) < 32 else match[0], out)


def _column(reference: str, following: int) -> int:
    """
    >>> _column("C7", 0), _column("AA1", 0), _column("", 4)
    (2, 26, 4)
    """
    letters = re.match(r"[A-Z]{1,3}", reference)
    if not letters:
        return following
    number = 0
    for letter in letters[0]:
        number = 26 * number + string.ascii_uppercase.index(letter) + 1
    return number - 1


def _xlsx_value(cell: XmlNode, shared: Sequence[str]) -> str:
    value = "".join(node.text for node in cell.all("v")).strip()
    kind = cell.get("t")
    if kind == "inlineStr":
        return "".join(map(node_text, cell.all("is")))
    if kind == "s":
        return shared[int(value)] if value.isdecimal() and len(value) < 12 and int(value) < len(shared) else ""
    if kind == "e":
        return ""
    return value.removesuffix(".0")


def _ods(archive: Archive) -> Iterator[tuple[str, Iterator[Row]]]:
    """The tables of a spreadsheet of OpenDocument, each with its name."""
    nodes = ((node, above) for node, above in archive.units("content.xml", "table-row") if any(x.tag == "table" for x in above))
    for table, rows in groupby(nodes, lambda pair: next(node for node in pair[1] if node.tag == "table")):
        yield table.get("name"), _ods_rows(node for node, _ in rows)


def _ods_rows(nodes: Iterable[XmlNode]) -> Iterator[Row]:
    number = 0
    for node in nodes:
        cells: list[str] = []
        for cell in node.children:
            if cell.tag in ("table-cell", "covered-table-cell"):
                text = "\n".join("".join(flow(paragraph)) for paragraph in cell.all("p"))
                cells.extend([text] * max(0, min(_count(cell.get("number-columns-repeated")), WIDEST - len(cells))))
        while cells and not cells[-1]:
            cells.pop()
        copies = _count(node.get("number-rows-repeated"))
        for copy in range(min(copies, MOST_REPEATED) if cells else 1):
            yield number + copy + 1, list(cells)
        number += copies


def _count(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and 0 < len(text) < 9 else 1


def flow(node: XmlNode) -> Iterator[str]:
    """Text of an element of OpenDocument and of those within it, in order; notes and annotations are left out."""
    if node.tag in ("note", "annotation", "annotation-end", "tracked-changes"):
        return
    if node.tag in ("s", "tab", "line-break"):
        yield {"s": " " * min(_count(node.get("c")), 100), "tab": "\t", "line-break": "\n"}[node.tag]
    yield from node.flow(flow)


# Roles of columns.


def role_of(heading: str) -> str:
    """Return the role that a heading names; '' when it says nothing, '-' for what is no line of the text.

    >>> [role_of(name) for name in ("Texto", "Глоссы", "Traduction libre", "Wort", "sentence_id", "Date")]
    ['text', 'glosses', 'translation', 'words', 'record', '-']
    """
    name = re.sub(r"[\W_]+", " ", heading.casefold()).strip()
    if not name:
        return "record" if heading.strip() in ("№", "#") else ""
    for role, pattern in _COLUMN_NAMES:
        if re.search(pattern, name):
            return role
    role = elan.by_name(elan.Tier(name, "", "", "", ""))[0]
    if role:
        return role
    return next((role for role, pattern in _MORE_NAMES if re.search(pattern, name)), "")


def layout_of(first: Sequence[Row], options: Options) -> tuple[int, Layout] | None:
    """The row of headings, as an index, and the roles; None when no row names columns."""
    named = {name.casefold(): role for role, name in options.tiers.items()}
    known = {*_MAIN, "glosses", "translation"}
    for k, (_, cells) in enumerate(first[:HEADER_ROWS]):
        headings = [normalize_space(one_line(cell)) for cell in cells]
        filled = [heading for heading in headings if heading]
        if len(filled) < 2 or max(map(len, filled)) > LONGEST_HEADING:
            continue
        by_name = {heading.casefold() for heading in filled}
        if named and set(named) <= by_name:
            roles = {c: named.get(heading.casefold()) or role_of(heading) for c, heading in enumerate(headings) if heading}
        else:
            roles = {c: role_of(heading) for c, heading in enumerate(headings) if heading}
            labelled = sum(role_of(row[0]) in known for _, row in first[k + 1 : k + 9] if row) > 1  # lines under one another
            prose = any(" " in heading and heading[-1] in ".?!,;’»”'\"" for heading in filled)
            if known & {*roles.values()} and not labelled and not prose:
                roles = _with_content(roles, first[k + 1 :])
        given = set(roles.values())
        if (given & _MAIN and given & {"glosses", "translation", "pos"}) or (named and set(named) <= by_name):
            return k, Layout(_with_named(roles, options, named), headings)
    if named and all(_letter(name) >= 0 for name in options.tiers.values()):
        return -1, Layout({_letter(name): role for role, name in options.tiers.items()}, [])
    if named:
        shown = "; ".join(", ".join(cells)[:80] for _, cells in first[:3])
        problem = f"no row names the columns {', '.join(options.tiers.values())}; the table begins {shown}"
        raise FormatError(problem, remedy="name headings that stand in one row, or letters of columns (text=B,glosses=C)")
    return None


FEWEST_ROWS = 4
"""Rows below the headings from which on their content tells what a column is."""
ONE_WORD, DIFFERENT = 1.5, 0.5
"""Words of a cell, on average, and share of cells that differ, below which a column called text has the name of the text."""


def _with_content(roles: dict[int, str], body: Sequence[Row]) -> dict[int, str]:
    """Roles of columns whose headings say too little, by what is in them; a text of numbers is the number of the example."""
    values = {column: [_cell(cells, column) for _, cells in body[:SAMPLE]] for column in roles}
    looks = {column: elan.content(_tier(cells)) for column, cells in values.items()}
    if max((look.filled for look in looks.values()), default=0) < FEWEST_ROWS:
        return roles
    if sum(role in _MAIN for role in roles.values()) > 1:
        roles = {c: "record" if role in _MAIN and looks[c].ids > elan.MOSTLY_IDS else role for c, role in roles.items()}
    texts = [column for column, role in roles.items() if role == "text"]
    if any(looks[column].width > elan.SENTENCE_WIDTH for column in texts):  # another is the name of the text
        roles = {c: "-" if c in texts and 0 < looks[c].width < ONE_WORD and len(set(values[c])) < DIFFERENT * len(values[c]) else role for c, role in roles.items()}  # fmt: skip
    counts = {column: [len(tokens(cell)) for cell in cells] for column, cells in values.items()}

    def lined_up(column: int, other: int) -> float:
        filled = [(a, b) for a, b in zip(counts[column], counts[other], strict=True) if a and b]
        return sum(a == b for a, b in filled) / len(filled) if filled else 0.0

    def choose(role: str, among: Sequence[str], fits: Mapping[int, float]) -> None:
        best = max(((share, -column) for column, share in fits.items() if share and roles[column] in among), default=None)
        if best and role not in roles.values():
            roles[-best[1]] = role

    main = next((column for role in ("words", "morphs", "text") for column in roles if roles[column] == role), None)
    grams = {c: looks[c].grams if looks[c].grams > CONTENT_GRAMS and (main is None or lined_up(c, main) > LINED_UP) else 0.0 for c in roles if c != main}  # fmt: skip
    choose("glosses", ("", "lit"), grams)
    free = {c: look.width if look.width > elan.SENTENCE_WIDTH and look.grams < elan.TRANSLATION_GRAMS and (look.language or sum(map(is_quoted, values[c])) > LINED_UP * look.filled) else 0.0 for c, look in looks.items()}  # fmt: skip
    choose("translation", ("",), free)
    gloss = next((column for column in roles if roles[column] == "glosses"), None)
    if main is None and gloss is not None:
        choose("words", ("",), {c: share if (share := lined_up(c, gloss)) > LINED_UP and not looks[c].ids > elan.MOSTLY_IDS else 0.0 for c in roles if c != gloss})  # fmt: skip
    return roles


def _is_heading(cells: Sequence[str], layout: Layout, body: Sequence[Row]) -> bool:
    """Whether the first row of a table whose headings say nothing names its columns: a word or two over whole sentences."""
    wide = layout.of(*_MAIN, "glosses", "translation")
    widths = [len(tokens(_cell(row, column))) for _, row in body for column in wide]
    short = all(0 < len(tokens(_cell(cells, column))) <= 2 and not _GRAM.search(_cell(cells, column)) for column in wide)
    marked = any(_cell(cells, column)[-1:] in tuple(".?!…,;”’»'\"") for column in wide)
    return (
        short
        and not marked
        and len(widths) > 0
        and sum(widths) > 2 * len(widths)
        and not any(map(_NUMBER.match, filter(None, cells)))
    )


def _with_named(roles: dict[int, str], options: Options, named: Mapping[str, str]) -> dict[int, str]:
    """Roles that were named leave no other column with the same role, save for translations."""
    given = {column for column, heading in enumerate(named) if heading}
    del given
    chosen: dict[int, str] = {}
    seen: set[str] = set()
    for column, role in roles.items():
        single = role in options.tiers and role != "translation"
        chosen[column] = "-" if single and role in seen else role
        seen.add(role)
    return chosen


def _letter(name: str) -> int:
    """The column that a letter or number names; -1 for what is neither.

    >>> _letter("B"), _letter("3"), _letter("Gloss")
    (1, 2, -1)
    """
    if re.fullmatch(r"[A-Za-z]{1,2}", name):
        return _column(name.upper(), -1)
    return int(name) - 1 if re.fullmatch(r"[1-9]\d{0,2}", name) else -1


# Sentences of a table.


def sentences(rows: Iterator[Row], place: Place, faults: Faults, options: Options) -> Iterator[Sentence]:
    """The sentences of a table; FormatError when no column or line looks like the text."""
    first = list(islice(rows, SAMPLE))
    while first and not any(cell.strip() for cell in first[0][1]):
        first = first[1:]
    if not first:
        raise FormatError("an empty table", place.at(0))
    if not options.tiers and _has_labels_second(first):
        yield from _stacked(_labels_first(chain(first, rows)), place, faults, options)
        return
    try:
        headed = layout_of(first, options)
    except FormatError as error:
        raise FormatError(error.message, place.at(first[0][0]), error.remedy) from None
    begin, layout = headed or (-1, by_content(first) or Layout({}, []))
    if not headed and layout.roles and _is_heading(first[0][1], layout, first[1:]):
        headings_ = [normalize_space(one_line(cell)) for cell in first[0][1]]
        roles = {c: role if role != "-" else role_of(headings_[c]) for c, role in layout.roles.items() if c < len(headings_)}
        begin, layout = 0, Layout(roles, headings_)
    if barred := [c for c in layout.of(*_MAIN, "glosses") if _has_bars(first[begin + 1 :], c)]:
        first = [(number, _without_bars(cells, barred)) for number, cells in first]
        rows = ((number, _without_bars(cells, barred)) for number, cells in rows)
    body = chain(first[begin + 1 :], rows)
    if not layout.roles:
        yield from _stacked(body, place, faults, options)
        return
    sample = first[begin + 1 :]
    keys = _keys(sample, layout)
    _describe(faults, layout, sample)
    if keys is None:
        _refuse_lists(sample, layout, place)
        for number, cells in body:
            if igt := _row_sentence(number, cells, layout, place, faults, options):
                yield igt
        return
    for group in _groups(body, layout, keys):
        if igt := _rows_sentence(group, layout, place, options):
            yield igt


def _has_labels_second(sample: Sequence[Row]) -> bool:
    """Whether the second column says what each row is (`text`, `gloss`, `translation`), below numbers or nothing in the first."""
    rows = [cells for _, cells in sample if any(map(str.strip, cells))]
    labels = Counter(role_of(_cell(cells, 1)) for cells in rows)
    lines_ = sum(labels[role] for role in (*_MAIN, "glosses", "translation"))
    repeated = any(labels[role] > 1 for role in _MAIN) and labels["glosses"] > 1
    return repeated and lines_ > ONE_TOKEN * len(rows) and not any(role_of(_cell(cells, 0)) in _MAIN for cells in rows)


def _labels_first(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows without their first column, whose numbers are rows of their own above those of their sentence."""
    before, begun = "", False
    for number, cells in rows:
        name = _cell(cells, 0)
        begun = begun or role_of(_cell(cells, 1)) in _MAIN
        if not begun and any(map(str.strip, cells)):
            continue  # the headings
        if name and name != before:
            yield number, []
            yield number, ["ID", name]
        before = name or before
        yield number, list(cells[1:])


def _has_bars(sample: Sequence[Row], column: int) -> bool:
    """Whether the words of a column stand between bars, `kolu|uva-n`."""
    filled = [text for _, cells in sample if (text := _cell(cells, column))]
    return sum("|" in text and " " not in text.replace(" | ", "|") for text in filled) > LINED_UP * len(filled)


def _without_bars(cells: list[str], columns: Sequence[int]) -> list[str]:
    return [cell.replace("|", " ") if c in columns else cell for c, cell in enumerate(cells)]


def _describe(faults: Faults, layout: Layout, sample: Sequence[Row]) -> None:
    """Say which columns were read as what."""
    reading = faults.reading
    for column, role in layout.roles.items():
        if not any(_cell(cells, column) for _, cells in sample):
            continue
        heading = layout.headings[column] if column < len(layout.headings) else ""
        name = heading or f"column {letters(column)}"
        if role in (*_MAIN, "glosses", "pos", "translation", "lit"):
            reading.assign(role, name)
        elif role in ("", "-", "text2") and name not in reading.kept:
            reading.kept.append(name)


def _cell(cells: Sequence[str], column: int) -> str:
    text = cells[column].strip() if 0 <= column < len(cells) else ""
    return "" if text in _MISSING else text


def _first(cells: Sequence[str], columns_: Iterable[int]) -> str:
    return next((text for column in columns_ if (text := _cell(cells, column))), "")


def _keys(sample: Sequence[Row], layout: Layout) -> list[int] | None:
    """Columns that are said once for several rows, in a table with a word in each row; None where a row is a sentence."""
    word = layout.of("words", "morphs", "text")[:1]
    held = [cells for _, cells in sample if _first(cells, layout.of("words", "morphs") or word)]
    if len(held) < 2:
        return None
    single = sum(len(tokens(_first(cells, layout.of("words", "morphs") or word))) <= 1 for cells in held)
    if single < ONE_TOKEN * len(held):
        return None
    above = [column for column in layout.of("record", "text", "translation") if column not in word]
    keys = []
    for column in above:
        values = [_cell(cells, column) for cells in held]
        said = sum(not value or value == before for before, value in pairwise(values))
        if any(values) and said >= REPEATED * (len(values) - 1) and any(values[1:] + values[:1]):
            keys.append(column)
    counted = [int(text) for cells in held if (text := _first(cells, layout.of("index"))).isdecimal() and len(text) < 9]
    restarts = sum(later <= before for before, later in pairwise(counted))
    if keys or restarts > 1 or (counted and len(counted) == len(held) > 1 and len(above) and restarts):
        return keys
    if any(not any(map(str.strip, cells)) for _, cells in sample[:-1]) and not any(
        len(tokens(_cell(cells, column))) > 1 for cells in held for column in layout.of("translation")
    ):
        return []  # blank rows between the sentences
    return None


def _refuse_lists(sample: Sequence[Row], layout: Layout, place: Place) -> None:
    """FormatError for a list of words with their meanings."""
    held = [cells for _, cells in sample if _first(cells, layout.of("text", "words", "morphs"))]
    wide = sum(len(tokens(_first(cells, layout.of("text", "words", "morphs")))) > 1 for cells in held)
    if len(held) > 20 and wide < (1 - ONE_TOKEN) * len(held):
        remedy = "if a column says which words are one sentence, name it: `columns=record=…,words=…,glosses=…`"
        raise FormatError("one word in each row and nothing that joins rows: a word list, not a text", place.at(0), remedy)


def _groups(rows: Iterable[Row], layout: Layout, keys: Sequence[int]) -> Iterator[list[Row]]:
    """Rows of one sentence: until a blank row, another value in one of the key columns, or words that are counted anew."""
    group: list[Row] = []
    said: dict[int, str] = {}
    count = 0
    index = layout.of("index")
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            if group and not any(column in layout.of("record") for column in keys):
                yield group
                group, said, count = [], {}, 0
            continue
        values = {column: value for column in keys if (value := _cell(cells, column))}
        position = int(text) if (text := _first(cells, index)).isdecimal() and len(text) < 9 else 0
        again = bool(position and count and position < count)
        if group and (again or any(said.get(column, value) != value for column, value in values.items())):
            yield group
            group, said = [], {}
        if group and not said and values and not all(_cell(group[0][1], column) for column in values):
            yield group  # what was said of none begins to be said
            group = []
        said |= values
        count = position
        group.append((number, cells))
    if group:
        yield group


def _rows_sentence(group: list[Row], layout: Layout, place: Place, options: Options) -> Sentence | None:
    """A sentence whose words, or morphemes, have a row each."""
    word_at, morph_at = layout.of("words") or ([] if layout.of("morphs") else layout.of("text")), layout.of("morphs")
    gloss_at, tag_at, index = layout.of("glosses"), layout.of("pos"), layout.of("index")
    gloss_at = gloss_at[:1]
    words: list[Word] = []
    before = ""
    for _, cells in group:
        form, morph = _first(cells, word_at), _first(cells, morph_at[:1])
        gloss, tag, position = _first(cells, gloss_at), _first(cells, tag_at), _first(cells, index)
        same = (
            bool(words) and bool(morph_at) and (not form or (bool(position) and position == before and form == words[-1].form))
        )
        if not word_at and words and morph and (morph[:1] in EDGES or words[-1].morphs[-1][-1:] in EDGES) and len(morph) > 1:
            same = True
        before = position or before
        if same and morph:
            words[-1].morphs.append(morph)
            words[-1].morph_glosses.append(gloss)
            words[-1].tag = words[-1].tag or tag
        elif form or morph:
            words.append(Word(form, [morph] if morph else [], [gloss] if morph else [], gloss, tag))
    if not words:
        return None
    rows = [cells for _, cells in group]
    said = {
        column: values
        for column in layout.roles
        if (values := list(dict.fromkeys(filter(None, (_cell(c, column) for c in rows)))))
    }
    text = next((said[column][0] for column in layout.of("text") if column in said and column not in word_at), "")
    constant = {column: values[0] for column, values in said.items() if len(values) == 1}
    return sentence_of(words, text=normalize_space(one_line(text)), **_about(constant, layout, place, group[0][0], options))


def _about(said: Mapping[int, str], layout: Layout, place: Place, number: int, options: Options) -> dict[str, Any]:
    """What a sentence has besides its words: translations, id, language, speaker, and the columns that are no line of it."""
    free, meta = [], []
    for column, value in said.items():
        role, heading = layout.roles.get(column, "-"), layout.headings[column] if column < len(layout.headings) else ""
        if role == "translation":
            free.append((_language_of(heading), strip_quotes(one_line(value))[0]))
        elif role in ("lit", "speaker"):
            meta.append((role, normalize_space(one_line(value))))
        elif role == "tree":
            meta.append((heading.lower(), value))
        elif role in ("-", "", "text2") and heading:
            meta.append((heading, normalize_space(one_line(value))))
    translation, translations = choose_translation(free, options.lang, stated=True)
    sent_id = next((said[column] for column in layout.of("record") if column in said), "").strip("()[]. ")
    if place.sheet:
        meta.append(("sheet", place.sheet))
    return {
        "translation": translation,
        "translations": translations,
        "sent_id": sent_id,
        "language": next((said[column] for column in layout.of("language") if column in said), ""),
        "judgement": next((said[column] for column in layout.of("judgement") if column in said), ""),
        "meta": meta,
        "where": place.at(number, sent_id),
    }


def _language_of(heading: str) -> str:
    """The language that a heading names, as a code: `Translation (fr)`, `Traducción_es`, `English`."""
    for part in reversed(re.findall(r"[^\W\d_]+", heading)):
        code = lang_code(part)
        if code in NAMES:
            return code
    return ""


def _row_sentence(
    number: int, cells: Sequence[str], layout: Layout, place: Place, faults: Faults, options: Options
) -> Sentence | None:
    """The sentence of a row."""
    said = {column: text for column in layout.roles if (text := _cell(cells, column))}
    lines_ = {role: _first(cells, layout.of(role)) for role in ("text", "words", "morphs", "glosses", "pos")}
    lines_["text"] = lines_["text"] or _first(cells, layout.of("text2"))
    if not (lines_["text"] or lines_["words"] or lines_["morphs"]):
        if any(layout.roles[column] in ("glosses", "translation") for column in said):
            faults.reading.omit("rows without text", line=number)
        return None
    if any(map(_MACRO.search, said.values())):
        lines_ = {role: tex.plain(text, gloss=role == "glosses") for role, text in lines_.items()}
        said = {column: text if layout.roles[column] == "tree" else tex.plain(text) for column, text in said.items()}
    about = _about(said, layout, place, number, options)
    judgement, text = without_judgement(normalize_space(one_line(lines_["text"])))
    about["judgement"] = about["judgement"] or judgement
    return aligned({**lines_, "text": text}, about)


def aligned(lines_: Mapping[str, str], about: Mapping[str, Any]) -> Sentence:
    """A sentence of lines: words, morphemes and glosses that line up by their blanks or tabs.

    >>> aligned({"text": "Kolut uvan.", "morphs": "kolu -t uva -n", "glosses": "fish PL swim PST"}, {}).glosses
    ('fish-PL', 'swim-PST')
    """
    text = lines_.get("text", "")
    rows = {role: tuple(map(str.strip, cell)) for role, cell in _cells(lines_).items()}
    words, pieces, glosses, tags = (rows.get(role, ()) for role in ("words", "morphs", "glosses", "pos"))
    words = words or tokens(text)
    if (
        not pieces
        and any(word[:1] in EDGES or word[-1:] in EDGES for word in words if len(word) > 1)
        and len(glosses) == len(words)
    ):
        words, pieces = (), words  # affixes that stand apart
    if pieces and (len(pieces) != len(words) or not words):
        groups = group_morphemes(pieces)
        if not words or len(groups) == len(words):
            marks = [glue([pieces[k] for k in group])[1] for group in groups]
            values = []
            for line in (glosses, tags):
                joined = [join_morphemes([line[k] for k in group], mark) for group, mark in zip(groups, marks, strict=True)] if len(line) == len(pieces) else line  # fmt: skip
                values.append(tuple(joined))
            glosses, tags = values
            pieces = tuple(join_morphemes([pieces[k] for k in group]) for group in groups)
            words = words or pieces
    return instance(words, pieces, glosses, tags, text=normalize_space(one_line(text)), **about)


def _cells(lines_: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Tokens of the lines that line up: parts between tabs or written `\t`, if all have as many, otherwise words."""
    given = {role: text.replace("\\t", "\t") for role, text in lines_.items() if role != "text" and text.strip()}
    if not given:
        return {}
    rows = columns([one_line(text) for text in given.values()])
    split = dict(zip(given, rows, strict=True))
    if "words" not in split and lines_.get("text") and any("\t" in text for text in given.values()):
        words = tokens(lines_["text"])
        if all(len(tokens(text)) == len(words) for text in given.values()):
            return {role: tokens(text) for role, text in given.items()}
    return split


# Columns without headings.


def by_content(first: Sequence[Row]) -> Layout | None:
    """The roles of columns without headings, by what is in them; None when they do not look like sentences, a row each."""
    rows = [cells for _, cells in first if any(map(str.strip, cells))]
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    if width < 2 or len(rows) < 3 or 2 * sum(len(cells) == width for cells in rows) < len(rows):
        return None
    values = [[_cell(cells, column) for cells in rows] for column in range(width)]
    filled = [sum(map(bool, column)) / len(rows) for column in values]
    looks = [elan.content(_tier(column)) for column in values]
    grams = [sum(any(_GRAM.search(token) for token in tokens(cell)) for cell in column) / len(rows) for column in values]
    candidates = [k for k in range(width) if filled[k] > CONTENT_TEXT]
    gloss = max((k for k in candidates if grams[k] > CONTENT_GRAMS), key=lambda k: grams[k], default=-1)
    quoted = [sum(map(is_quoted, column)) / len(rows) for column in values]
    free = max(
        (k for k in candidates if k != gloss and (quoted[k] > LINED_UP or (looks[k].language and looks[k].width > elan.SENTENCE_WIDTH and grams[k] < elan.TRANSLATION_GRAMS))),
        key=lambda k: (quoted[k], looks[k].width),
        default=-1,
    )  # fmt: skip
    if gloss < 0:
        return _two_columns(looks, candidates, free)
    counts = [[len(tokens(tex.plain(cell) if _MACRO.search(cell) else cell)) for cell in column] for column in values]
    lined = {
        k: sum(a == b > 0 for a, b in zip(counts[k], counts[gloss], strict=True)) / len(rows)
        for k in candidates
        if k not in (gloss, free)
    }
    words = max(lined, key=lambda k: lined[k], default=-1)
    if words < 0 or lined[words] < LINED_UP or max(counts[gloss]) < 2:
        return None
    roles = {words: "words", gloss: "glosses"} | ({free: "translation"} if free >= 0 else {})
    for k in candidates:
        if k not in roles and sum(bool(_GLOTTOCODE.match(cell)) for cell in values[k]) > CONTENT_TEXT * len(rows):
            roles[k] = "language"
            break
    return Layout(
        dict(sorted(roles.items())) | {k: "-" for k in range(width) if k not in roles},
        [f"column {letters(k)}" for k in range(width)],
    )


def _two_columns(looks: Sequence[elan.Content], candidates: Sequence[int], free: int) -> Layout | None:
    """A text and its translation without glosses, where these are the only columns of sentences."""
    wide = [k for k in candidates if looks[k].width > 2 * elan.SENTENCE_WIDTH]
    if len(wide) != 2 or free not in wide or looks[wide[0]].language == looks[wide[1]].language:
        return None
    text = wide[0] if free == wide[1] else wide[1]
    roles = dict.fromkeys(range(len(looks)), "-") | {text: "text", free: "translation"}
    return Layout(roles, [f"column {letters(k)}" for k in range(len(looks))])


def _tier(values: Iterable[str]) -> elan.Tier:
    return elan.Tier("", "", "", "", "", [elan.Annotation("", value, 0) for value in values])


# Lines under one another.


def _stacked(rows: Iterable[Row], place: Place, faults: Faults, options: Options) -> Iterator[Sentence]:
    """The examples of a table whose lines stand under one another; FormatError if there are none."""
    count = 0
    missed: list[int] = []
    shown: list[str] = []
    for block in example_blocks(rows):
        igt = stack(block, place, options)
        if igt is None:
            missed.append(block[0][0])
            shown = shown or [cell for _, cells in block for cell in cells if cell.strip()][:6]
        else:
            count += 1
            yield igt
    if not count:
        problem = f"no column looks like a text; the table begins {', '.join(shown)[:200]}"
        raise FormatError(
            problem,
            place.at(0),
            "name the columns by their headings or letters, as in `columns=text=B,glosses=C,translation=D`",
        )
    for line in missed:
        faults.reading.omit("groups of rows that are no example", line=line)


def example_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows of one example each: until a blank row, a number in front, or words after a line in one cell alone."""
    block: list[Row] = []
    labels: set[str] = set()
    for number, cells in rows:
        filled = [k for k, cell in enumerate(cells) if cell.strip()]
        if not filled:
            if block:
                yield block
            block, labels = [], set()
            continue
        first = cells[filled[0]].strip()
        numbered = filled[0] == 0 and bool(_NUMBERED.match(first) or (_NUMBER.match(first) and len(filled) > 1))
        label = role_of(first) if filled[0] == 0 and len(first) <= LONGEST_HEADING and len(filled) > 1 else ""
        closed = len(block) > 1 and _is_wide(cells) and not _is_wide(block[-1][1]) and any(_is_wide(c) for _, c in block)
        if block and (
            numbered or (label not in ("", "-") and label in labels and label in _MAIN) or closed or len(block) >= LONGEST_STACK
        ):
            yield block
            block, labels = [], set()
        if label:
            labels.add(label)
        block.append((number, cells))
    if block:
        yield block


def _is_wide(cells: Sequence[str]) -> bool:
    """Whether a row has several words, each in a cell."""
    return sum(bool(cell.strip()) and not _NUMBER.match(cell.strip()) for cell in cells) > 1


def stack(block: Sequence[Row], place: Place, options: Options) -> Sentence | None:
    """The sentence of lines that stand under one another, a word in each cell; None when they are none."""
    rows = [[normalize_space(one_line(cell)).replace("\u00a0", " ").strip() for cell in cells] for _, cells in block]
    width = max(map(len, rows), default=0)
    rows = [row + [""] * (width - len(row)) for row in rows]
    labelled = _labelled(rows)
    front = 1 if labelled else _front(rows)
    notes = [cell for row in rows for cell in row[:front] if _is_note(cell)] if not labelled else []
    bodies = [
        row[front:] if labelled or _is_wide(row) else [cell for k, cell in enumerate(row) if k >= front or not _is_note(cell)]
        for row in rows
    ]
    about: dict[str, Any] = {"meta": [], "where": place.at(block[0][0])}
    if place.sheet:
        about["meta"].append(("sheet", place.sheet))
    number = "".join(re.sub(r"[^\w.]", "", note).strip(".") for note in notes if _NUMBER.match(note))
    judgement = next((note for note in notes if _JUDGED.match(note) and not _NUMBER.match(note)), "")
    if labelled:
        wide = [(role, body) for role, body in zip(labelled, bodies, strict=True) if role in (*_MAIN, "glosses", "pos")]
        if all(sum(map(bool, body)) <= 1 for _, body in wide):
            named = {role: next(filter(None, body), "") for role, body in reversed(wide)}
            free = [next(filter(None, body), "") for role, body in zip(labelled, bodies, strict=True) if role == "translation"]
            if not {"glosses", "translation"} & {*named, *(("translation",) if free else ())}:
                return None
            return complete(aligned(named, {}), free, number, judgement, about, options)
        named_lines = [body for _, body in wide]
        roles = [role for role, _ in wide]
        free = [" ".join(filter(None, body)) for role, body in zip(labelled, bodies, strict=True) if role == "translation"]
        for role, body in zip(labelled, bodies, strict=True):
            if role == "record":
                number = " ".join(filter(None, body))
        head: list[str] = []
    else:
        filled = [sum(map(bool, body)) for body in bodies]
        if sum(n > 1 for n in filled) < 2:
            return _single_cells(bodies, number, judgement, about, options)
        begin = next(k for k, n in enumerate(filled) if n > 1)
        end = len(filled) - next(k for k, n in enumerate(reversed(filled)) if n > 1)
        named_lines = [body for body, n in zip(bodies[begin:end], filled[begin:end], strict=True) if n > 1]
        head = [" ".join(filter(None, body)) for body in bodies[:begin]]
        free = [" ".join(filter(None, body)) for body in bodies[end:] if any(body)]
        named_lines, wrapped = _unwrap(named_lines)
        roles = line_roles(named_lines)
        del wrapped
        if not is_example(named_lines, roles, free):
            return None
    igt = grid(named_lines, roles)
    if igt is None:
        return None
    about["meta"] += [("heading", line) for line in head if line]
    return complete(igt, free, number, judgement, about, options)


def complete(
    igt: Sentence, free: Sequence[str], number: str, judgement: str, about: dict[str, Any], options: Options
) -> Sentence:
    texts: list[tuple[str, str]] = []
    meta: list[tuple[str, str]] = list(about["meta"])
    for line in filter(None, free):
        text, source = strip_quotes(line)
        if texts and not is_quoted(line):
            meta.append(("note", line))
            continue
        texts.append(("", text))
        meta += [("source", source)] if source else []
    translation, translations = choose_translation(texts, options.lang)
    where = about["where"]
    first = igt.words[0] if igt.words else ""
    mark, rest = without_judgement(first)
    words = (rest, *igt.words[1:]) if mark and rest else igt.words
    segments = (without_judgement(igt.segments[0])[1], *igt.segments[1:]) if igt.segments and mark else igt.segments
    return replace(
        igt, words=words, segments=segments, translation=translation, translations=translations, sent_id=number,
        judgement=judgement or mark, meta=(*igt.meta, *meta), where=replace(where, sent_id=number),
    )  # fmt: skip


def _labelled(rows: Sequence[Sequence[str]]) -> list[str]:
    """Roles of lines that are named in the first cell of each; empty where they are not."""
    labels = [row[0] for row in rows]
    roles = [
        role_of(label) if 0 < len(label) <= LONGEST_HEADING and any(row[1:]) else ""
        for label, row in zip(labels, rows, strict=True)
    ]
    known = [role for role in roles if role not in ("", "-")]
    if len(known) < 2 or not _MAIN & set(known) or not {"glosses", "translation"} & set(known) or len(known) < len(rows) / 2:
        return []
    return roles


def _front(rows: Sequence[Sequence[str]]) -> int:
    """Columns in front of the words: numbers, labels, judgements, or nothing in any line."""
    wide = [row for row in rows if _is_wide(row)]
    if len(wide) < 2:
        filled = [next((k for k, cell in enumerate(row) if cell), 0) for row in rows]
        first = rows[0][filled[0]] if filled else ""
        return filled[0] + 1 if _NUMBER.match(first) and sum(map(bool, rows[0])) > 1 else 0
    starts = [next(k for k, cell in enumerate(row) if cell) for row in wide[1:]]
    least = min(starts)
    if all(_is_note(cell) for row in wide for cell in row[:least] if cell):
        return least
    return 1 if all(not row[0] or _NUMBER.match(row[0]) for row in wide) else 0


def _is_note(cell: str) -> bool:
    """Whether a cell in front of the words is a number, a label or a judgement."""
    return bool(_NUMBER.match(cell) or _JUDGED.match(cell))


def _unwrap(lines_: list[list[str]]) -> tuple[list[list[str]], bool]:
    """Lines that go on in further pairs of lines, joined."""
    n = len(lines_)
    grams = [gram_share(line) for line in lines_]
    if n >= 4 and n % 2 == 0 and min(grams[1::2]) > 2 * max(grams[0::2]):
        ends = [max(k for line in lines_[i : i + 2] for k, cell in enumerate(line) if cell) + 1 for i in range(0, n, 2)]
        return [[cell for i, end in zip(range(k, n, 2), ends, strict=True) for cell in lines_[i][:end]] for k in (0, 1)], True
    return lines_, False


def gram_share(line: Sequence[str]) -> float:
    cells = [cell for cell in line if cell]
    return sum(bool(_GRAM.search(token)) for cell in cells for token in tokens(cell)[:1]) / max(1, len(cells))


def line_roles(lines_: Sequence[Sequence[str]]) -> list[str]:
    """Roles of lines that line up: words, the same words segmented, glosses, parts of speech."""
    n = len(lines_)
    if n <= 2:
        return ["words", "glosses"][:n]
    letters = ["".join(char for cell in line for char in cell.casefold() if char.isalpha())[:200] for line in lines_]
    alike = SequenceMatcher(None, letters[0], letters[1], autojunk=False).ratio() > ALIKE
    glossy = max(range(1, n), key=lambda k: (gram_share(lines_[k]), k))
    if n == 3:
        return ["words", "morphs", "glosses"] if alike or glossy == 2 else ["words", "glosses", "pos"]
    if alike:
        return ["words", "morphs", "glosses", "pos", *["-"] * (n - 4)]
    return ["text", "words", "morphs", "glosses", *["-"] * (n - 4)]


def is_example(lines_: Sequence[Sequence[str]], roles: Sequence[str], free: Sequence[str]) -> bool:
    """Whether lines look like words with their glosses, rather than a table of forms or numbers."""
    by_role = dict(zip(roles, lines_, strict=True))
    words, glosses = by_role.get("words", ()), by_role.get("glosses", ())
    letters = sum(any(char.isalpha() for char in cell) for cell in words)
    if not letters or 2 * letters < sum(map(bool, words)):
        return False
    if any(re.fullmatch(r"[\d.]+", a) and re.fullmatch(r"[\d.]+", b) and a != b for a, b in zip(words, glosses, strict=False)):
        return False  # numbers of chapters, or figures
    width = [sum(map(bool, line)) for line in (words, glosses)]
    if min(width) < LINED_UP * max(width):
        return False
    if len(free) in (1, 2) and (is_quoted(free[0]) or len(tokens(free[0])) > 1):
        return True
    return gram_share(glosses) > elan.TIER_GRAMS and not any(len(tokens(cell)) > 3 for cell in words)


def grid(lines_: Sequence[Sequence[str]], roles: Sequence[str]) -> Sentence | None:
    """The sentence of lines whose cells stand under one another; a word may stand over the cells of several morphemes."""
    by_role = {role: list(line) for role, line in zip(roles, lines_, strict=True) if role in (*_MAIN, "glosses", "pos")}
    words, pieces = by_role.get("words") or by_role.get("text"), by_role.get("morphs")
    basis = words or pieces
    if basis is None:
        return None
    width = max((k + 1 for line in by_role.values() for k, cell in enumerate(line) if cell), default=0)
    made: list[Word] = []
    for k in range(width):
        at = {role: line[k] if k < len(line) else "" for role, line in by_role.items()}
        form, piece = at.get("words") or (at.get("text", "") if words is by_role.get("text") else ""), at.get("morphs", "")
        gloss, tag = at.get("glosses", ""), at.get("pos", "")
        goes_on = bool(made) and not form and bool(piece or gloss) and words is not None and pieces is not None
        apart = bool(made) and pieces is None and len(form) > 1 and (form[:1] in "-=" or made[-1].form[-1:] in "-=")
        if goes_on:
            made[-1].morphs.append(piece)
            made[-1].morph_glosses.append(gloss)
        elif apart:
            made[-1].morphs = [*(made[-1].morphs or [made[-1].form]), form]
            made[-1].morph_glosses = [*(made[-1].morph_glosses or [made[-1].gloss]), gloss]
            made[-1].form = join_morphemes(made[-1].morphs)
        elif form or piece:
            made.append(Word(form, [piece] if piece else [], [gloss] if piece else [], gloss, tag))
        elif gloss and made:
            made[-1].gloss = f"{made[-1].gloss} {gloss}".strip()
    text = " ".join(filter(None, by_role["text"])) if "text" in by_role and words is not by_role["text"] else ""
    return sentence_of(made, text=text)


def _single_cells(
    bodies: Sequence[Sequence[str]], number: str, judgement: str, about: dict[str, Any], options: Options
) -> Sentence | None:
    """The example of lines that fill one cell each."""
    texts = [text for body in bodies if (text := " ".join(filter(None, body)))]
    if not 3 <= len(texts) <= 6:
        return None
    example = lines_example(texts)
    if example is None:
        return None
    named, free, head = example
    about["meta"] += [("heading", line) for line in head]
    return complete(aligned(named, {}), free, number, judgement, about, options)


def lines_example(texts: Sequence[str]) -> tuple[dict[str, str], list[str], list[str]] | None:
    """(lines by role, translations, lines above) of lines of text that line up; None when they do not.

    >>> lines_example(["Kolu uva-n.", "fish swim-PST", "‘The fish swam.’"])
    ({'words': 'Kolu uva-n.', 'glosses': 'fish swim-PST'}, ['‘The fish swam.’'], [])
    """
    counts = [len(tokens(text)) for text in texts]
    for begin in range(min(3, len(texts) - 1)):
        end = begin + 1
        while end < len(texts) and counts[end] == counts[begin] and not is_quoted(texts[end]):
            end += 1
        if end - begin < 2:
            continue
        free = list(texts[end:])
        roles = line_roles([tokens(text) for text in texts[begin:end]])
        named = dict(zip(roles, texts[begin:end], strict=True))
        if not free and end - begin > 2 and gram_share(tokens(texts[end - 1])) < elan.TIER_GRAMS:
            free, named = (
                [texts[end - 1]],
                dict(zip(line_roles([tokens(t) for t in texts[begin : end - 1]]), texts[begin : end - 1], strict=True)),
            )
        glossed = gram_share(tokens(named.get("glosses", "")))
        if (free and is_quoted(free[0])) or glossed > elan.TIER_GRAMS:
            return named, free, list(texts[:begin])
    return None
