"""Read and write CLDF tables of examples (`examples.csv`) with their metadata.

    ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text
    1,canes latrant,can-es<TAB>latr-ant,dog-PL<TAB>bark-3PL,Dogs bark.

Words within a cell are separated by tabs, or by a backslash and a `t` as some exports write them. Columns that CLDF does not
have are kept as metadata of the sentence. The JSON file beside a table says which of its columns is which, what separates the
words, and in which table the languages are; `dump` returns the text of such files for the table that it writes.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO
from urllib.parse import unquote

from divproj.core.errors import Faults, FormatError, Reading, Where
from divproj.core.sentence import Sentence, morphs
from divproj.io.files import Source
from divproj.io.interlinear.languages import ISO_CODE, UNKNOWN_LANGUAGE, find_language
from divproj.io.interlinear.parts import (
    Options,
    choose_translation,
    from_file,
    from_text,
    instance,
    lines,
    normalize_space,
    one_line,
    tokens,
    without_judgement,
)

MOST_BESIDE = 50 << 20
"""Bytes of metadata or of a table of languages that are read."""
TERMS_URL = "http://cldf.clld.org/v1.0/terms.rdf#"
CONFORMANCE = "LGR_Conformance"
TERMS = {
    "id": "ID", "primaryText": "Primary_Text", "analyzedWord": "Analyzed_Word", "gloss": "Gloss", "translatedText": "Translated_Text",
    "languageReference": "Language_ID", "metaLanguageReference": "Meta_Language_ID", "lgrConformance": CONFORMANCE,
}  # fmt: skip
"""Terms of CLDF's ontology, and the names that columns usually have."""


@dataclass(frozen=True)
class ExampleTable:
    """What the metadata say about one table of examples."""

    names: Mapping[str, str] = field(default_factory=dict)
    """CLDF's usual name by the name that a column has."""
    separators: Mapping[str, str] = field(default_factory=dict)
    """What stands between the words in a column, by CLDF's usual name."""
    delimiter: str = ""
    """What stands between columns; '' when that is not said."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """ISO code, or the name, of each language id."""
    named: bool = False
    """Whether the metadata name this very file."""


def of_file(path: str) -> ExampleTable:
    """Return what the files beside a table say about it; an empty one if there are none or they cannot be read."""
    if path in ("", "-") or not (folder := Path(path).parent).is_dir():
        return ExampleTable()
    name = Path(path).name.removesuffix(".gz")
    for file in sorted(folder.glob("*-metadata.json")):
        try:
            table = _table(json.loads(_text(file)).get("tables", []), name, folder)
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
            continue
        if table is not None:
            return table
    return ExampleTable(languages=_languages(folder / "languages.csv", {}))


def _text(file: Path) -> str:
    if not file.is_file() or file.stat().st_size > MOST_BESIDE:  # nothing comes out of a pipe or a device
        raise OSError
    return file.read_text("utf-8-sig")


def _url(table: Mapping[str, Any]) -> str:
    return unquote(str(table.get("url", ""))).removesuffix(".zip").removesuffix(".gz")


def _is(table: Mapping[str, Any], kind: str) -> bool:
    return str(table.get("dc:conformsTo", "")).endswith(f"#{kind}")


def _columns(table: Mapping[str, Any]) -> dict[str, str]:
    """Name of each column by the term it is in CLDF's ontology."""
    columns = table["tableSchema"]["columns"]
    return {str(c["propertyUrl"]).rpartition("#")[2]: str(c["name"]) for c in columns if "#" in str(c.get("propertyUrl", ""))}


def _table(tables: Sequence[Mapping[str, Any]], name: str, folder: Path) -> ExampleTable | None:
    examples = [table for table in tables if _is(table, "ExampleTable")]
    table = next((table for table in examples if _url(table) == name), None)
    if table is None and len(examples) == 1 and not any((folder / f"{_url(examples[0])}{gz}").exists() for gz in ("", ".gz")):
        table = examples[0]  # of a table that is not there: this may be it under another name
    if table is None:
        return None
    terms = _columns(table)
    usual = {terms[term]: TERMS[term] for term in TERMS if term in terms}
    separators = {
        usual[str(c["name"])]: str(c["separator"]) for c in table["tableSchema"]["columns"] if c.get("separator") and str(c.get("name")) in usual
    }  # fmt: skip
    languages: dict[str, str] = {}
    beside = next((table for table in tables if _is(table, "LanguageTable")), None)
    if beside is not None:
        languages = _languages(folder / Path(_url(beside)).name, _columns(beside))
    delimiter = str((table.get("dialect") or {}).get("delimiter", ""))
    return ExampleTable(usual, separators, delimiter if len(delimiter) == 1 else "", languages, _url(table) == name)


def _languages(file: Path, terms: Mapping[str, str]) -> dict[str, str]:
    key = {term: terms.get(term, usual) for term, usual in (("id", "ID"), ("iso639P3code", "ISO639P3code"), ("name", "Name"))}
    try:
        rows = list(csv.DictReader(io.StringIO(_text(file))))
    except (csv.Error, OSError, UnicodeDecodeError):
        return {}
    return {
        row[key["id"]]: row.get(key["iso639P3code"]) or row.get(key["name"]) or row[key["id"]] for row in rows if row.get(key["id"])
    }  # fmt: skip


def names(table: str) -> tuple[str, str]:
    """Return the names of the files beside a table: metadata and languages."""
    stem = table.removesuffix(".gz").removesuffix(".csv")
    return f"{stem}-metadata.json", f"{stem}-languages.csv"


def metadata_files(table: str, header: Sequence[str], languages: Iterable[str]) -> dict[str, str]:
    """The files that make a table of examples a CLDF data set, by name: its metadata, and its languages with their codes when there are any."""
    metadata, beside = names(table)
    distinct_languages = list(dict.fromkeys(filter(None, languages)))
    back = {usual: term for term, usual in TERMS.items()}
    schema: dict[str, Any] = {"columns": [_column(name, back) for name in header], "primaryKey": ["ID"]}
    tables: list[dict[str, Any]] = [{"url": table, "dc:conformsTo": f"{TERMS_URL}ExampleTable", "tableSchema": schema}]
    files = {}
    if distinct_languages:
        known = {"ID": "id", "Name": "name", "Glottocode": "glottocode", "ISO639P3code": "iso639P3code"}
        tables.append(
            {
                "url": beside,
                "dc:conformsTo": f"{TERMS_URL}LanguageTable",
                "tableSchema": {"columns": [_column(name, known) for name in known], "primaryKey": ["ID"]},
            }
        )
        schema["foreignKeys"] = [
            {"columnReference": [name], "reference": {"resource": beside, "columnReference": ["ID"]}}
            for name in ("Language_ID", "Meta_Language_ID")
            if name in header
        ]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(known)
        for name in distinct_languages:
            codes = find_language(name)
            writer.writerow([name, codes.name, codes.glottocode, codes.iso639_3 if name != UNKNOWN_LANGUAGE else ""])
        files[beside] = out.getvalue()
    data = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:conformsTo": f"{TERMS_URL}Generic",
        "tables": tables,
    }
    return {metadata: json.dumps(data, ensure_ascii=False, indent=1) + "\n", **files}


def _column(name: str, terms: Mapping[str, str]) -> dict[str, str]:
    column = {"name": name, "datatype": "string"}
    if name in terms:
        column["propertyUrl"] = TERMS_URL + terms[name]
    if name in ("Analyzed_Word", "Gloss"):
        column["separator"] = "\t"
    return column


COLUMNS = {
    "id": "sent_id", "primary_text": "text", "analyzed_word": "words", "gloss": "glosses", "translated_text": "translation",
    "lgr_conformance": "conformance", "unaligned_gloss": "loose", "language_id": "language", "meta_language_id": "meta_language", "grammaticality": "judgement", "grammaticality_judgement": "judgement",
}  # fmt: skip
"""CLDF's names, in lower case, of the columns that make an instance."""
UNALIGNED = "Unaligned_Gloss"
"""Column of the glosses that are not as many as the words, which CLDF does not allow in its own column."""
COLUMN_NAMES = (
    "ID",
    "Language_ID",
    "Primary_Text",
    "Analyzed_Word",
    "Gloss",
    "Translated_Text",
    "Meta_Language_ID",
    CONFORMANCE,
)
_OTHER = re.compile(r"(?i)(?:alt_?translation|translated_text|translation|free_translation)_?(?:\d+|([a-z]{2,3}))")
"""Columns with translations into more languages."""
ROWS = 200
"""Lines that one quoted cell may span; more, and its quote was never closed."""


def load(source: Source, faults: Faults | None = None, **options: Any) -> Iterator[Sentence]:
    return from_file(read, source, faults, options)


def loads(text: str, faults: Faults | None = None, **options: Any) -> list[Sentence]:
    """
    >>> loads("ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\\n1,canes,can-es,dog-PL,dogs\\n")[0].glosses
    ('dog-PL',)
    """
    return from_text(read, text, faults, options)


def conformance(igt: Sentence) -> str:
    """Return how words and glosses line up, in CLDF's terms.

    >>> conformance(Sentence(("canes",), ("can-es",), ("dog-PL",))), conformance(Sentence(("can-es",), (), ("dog",)))
    ('MORPHEME_ALIGNED', 'WORD_ALIGNED')
    """
    if not igt.lines_up:
        return ""
    parts = igt.segments if len(igt.segments) == len(igt.words) else igt.words
    by_morpheme = all(len(morphs(part)) == len(morphs(gloss)) for part, gloss in zip(parts, igt.glosses, strict=True))
    return "MORPHEME_ALIGNED" if by_morpheme else "WORD_ALIGNED"


def dump(instances: Iterable[Sentence], out: TextIO, table: str = "examples.csv", language: str = "") -> dict[str, str]:
    """A table of examples; words and glosses between tabs, translations into other languages in columns of their own.

    `language` is that of sentences which do not say theirs.
    Given back are the files that belong beside a table of this name, by name: its metadata and its languages.
    """
    sentences = list(instances)
    codes = list(
        dict.fromkeys(code for igt in sentences for code, text in igt.translations if text != igt.translation and code)
    )
    extra = [f"Translated_Text_{code}" for code in codes]
    keys = list(dict.fromkeys(key for igt in sentences for key, _ in igt.meta))
    writer = csv.writer(out, lineterminator="\n")
    loose = any(igt.glosses and len(igt.glosses) != len(igt.words) for igt in sentences)
    header = [*COLUMN_NAMES, *extra, *([UNALIGNED] if loose else []), "Grammaticality", *keys]
    writer.writerow(header)
    for k, igt in enumerate(sentences, 1):
        codes_of = {text: code for code, text in igt.translations}
        others = {code: text for code, text in igt.translations if text != igt.translation}
        parts = igt.segments if len(igt.segments) == len(igt.words) else igt.words
        meta: dict[str, list[str]] = {}
        for key, value in igt.meta:
            meta.setdefault(key, []).append(value)
        writer.writerow(
            [
                igt.sent_id or str(k),
                igt.language or language or UNKNOWN_LANGUAGE,
                igt.text or " ".join(igt.words),
                "\t".join(parts),
                "\t".join(gloss or "_" for gloss in igt.glosses) if len(igt.glosses) == len(parts) else "",
                igt.translation,
                codes_of.get(igt.translation, "en" if igt.translation else ""),
                conformance(igt),
                *(others.get(code, "") for code in codes),
                *(["\t".join(igt.glosses) if len(igt.glosses) != len(parts) else ""] if loose else []),
                igt.judgement,
                *(" ; ".join(meta.get(key, [])) for key in keys),
            ]
        )
    spoken = [igt.language or language or UNKNOWN_LANGUAGE for igt in sentences]
    said = [code for igt in sentences for code, _ in igt.translations] or ["en"] * any(igt.translation for igt in sentences)
    return metadata_files(table, header, [*spoken, *said])


def dumps(instances: Iterable[Sentence]) -> str:
    """
    >>> dumps([Sentence(("canes",), ("can-es",), ("dog-PL",), translation="dogs")]).splitlines()[1]
    '1,und,canes,can-es,dog-PL,dogs,en,MORPHEME_ALIGNED,'
    """
    out = io.StringIO()
    dump(instances, out)
    return out.getvalue()


def read(stream: BinaryIO, path: str, faults: Faults, options: Options) -> Iterator[Sentence]:
    table = of_file(path)
    rows = csv_rows(lines(stream, path, faults, options.encoding), path, faults, table.delimiter)
    header = next(rows, (0, []))[1]
    names = [table.names.get(name.strip(), name.strip()) for name in header]
    if not {"primary_text", "analyzed_word"} & {name.lower() for name in names}:
        problem = f"the first line names the columns {', '.join(names)[:80]}, Primary_Text or Analyzed_Word expected"
        raise FormatError(problem, Where(path, 1), "is this a CLDF table of examples?")
    counts: Counter[str] = Counter()
    held: Sentence | None = None
    for number, row in rows:
        if len(row) != len(names):
            problem = f"{len(row)} cells, {len(names)} expected as in the first line"
            faults.file(
                FormatError(problem, Where(path, number), "missing cells are empty, others kept; is a comma not quoted?")
            )
        cells = {name: cell for name, cell in zip(names, row, strict=False) if name}
        cells |= {f"cell_{k}": cell for k, cell in enumerate(row[len(names) :], len(names) + 1)}
        for name, mark in table.separators.items():
            if mark.strip() and cells.get(name):  # a separator of blanks alone is what `_parts` looks for
                cells[name] = "\t".join(part.strip() for part in cells[name].split(mark.strip()))
        said = {COLUMNS.get(name.lower()) for name, cell in cells.items() if cell.strip()}
        counts.update(name for name, cell in cells.items() if cell.strip())
        main = next((cell.strip() for name, cell in cells.items() if name.lower() == "main_example_id"), "")
        if main and held is not None and held.sent_id == main:
            held = _with_translation(held, cells, options)
            continue
        if said & {"text", "words", "glosses", "translation"}:
            if held is not None:
                yield held
            held = _instance(cells, Where(path, number), options, table.languages)
        elif any(cell.strip() for cell in cells.values()):
            faults.reading.omit("rows without text", line=number)
    if held is not None:
        yield held
    _describe(faults.reading, counts, header, names)


def _describe(reading: Reading, counts: Counter[str], header: Sequence[str], names: Sequence[str]) -> None:
    """Say which columns were read as what."""
    shown = {usual: name.strip() for usual, name in zip(names, header, strict=False)}
    for role, said in (("text", "text"), ("words", "words"), ("glosses", "glosses"), ("translation", "translation")):
        columns = [shown[name] for name in names if COLUMNS.get(name.lower()) == role and counts[name]]
        if role == "translation":
            columns += [shown[name] for name in names if _OTHER.fullmatch(name) and name not in columns and counts[name]]
        if columns:
            reading.parts[said] = list(dict.fromkeys(columns))
    used = {name for columns in reading.parts.values() for name in columns}
    reading.kept += [
        shown[name]
        for name in names
        if counts[name] and shown[name] not in used and name.lower() not in COLUMNS and shown[name]
    ]


def _with_translation(igt: Sentence, cells: Mapping[str, str], options: Options) -> Sentence:
    """The example with the translation of a row that names it as its `Main_Example_ID`."""
    row = _instance(dict(cells), igt.where, options, {})
    codes = igt.translations or ((("en", igt.translation),) if igt.translation else ())
    more = row.translations or ((("", row.translation),) if row.translation else ())
    translation, translations = choose_translation([*codes, *more], options.lang, stated=True)
    return replace(igt, translation=translation, translations=translations)


def csv_rows(numbered: Iterator[tuple[int, str]], path: str, faults: Faults, mark: str = "") -> Iterator[tuple[int, list[str]]]:
    """(line, cells): a cell in quotes may go on over lines; a quote that is never closed costs its own line only."""
    waiting: deque[tuple[int, str]] = deque()
    width = 0
    while first := waiting.popleft() if waiting else next(numbered, None):
        if not first[1].strip():
            continue
        mark = mark or max(",\t;", key=first[1].count)
        row, taken = _row([first[1]], mark, width), 0
        while row is None and taken < ROWS and (taken < len(waiting) or _more(numbered, waiting)):
            taken += 1
            row = _row([first[1], *(line for _, line in islice(waiting, taken))], mark, width)
        if row is None:
            where = Where(path, first[0])
            faults.file(FormatError("a quote opens and is not closed", where, "read without quotes; write two for one"))
            row, taken = first[1].replace('"', "").split(mark), 0
        for _ in range(taken):
            waiting.popleft()
        width = width or len(row)
        yield first[0], row


def _more(numbered: Iterator[tuple[int, str]], waiting: deque[tuple[int, str]]) -> bool:
    before = len(waiting)
    waiting.extend(islice(numbered, 1))
    return len(waiting) > before


def _row(texts: list[str], mark: str, width: int) -> list[str] | None:
    """Cells of lines that are one row; None when a quote is still open."""
    try:
        rows = list(csv.reader(io.StringIO("\n".join(texts)), delimiter=mark, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 and (len(texts) == 1 or len(rows[0]) == width) else None


def _instance(cells: dict[str, str], where: Where, options: Options, languages: Mapping[str, str]) -> Sentence:
    known: dict[str, str] = {}
    meta = []
    for name, value in cells.items():
        role = COLUMNS.get(name.lower())
        if role:
            known[role] = value
        else:
            meta.append((name, normalize_space(value)))
    primary = normalize_space(known.get("text", ""))
    segments, glosses = _parts(known.get("words", ""), known.get("glosses", "") or known.get("loose", ""))
    glosses = tuple("" if gloss == "_" else gloss for gloss in glosses)
    judgement, bare = without_judgement(primary)
    if judgement and not known.get("judgement", "").strip():
        known["judgement"], primary = judgement, bare
        segments = (without_judgement(segments[0])[1], *segments[1:]) if segments else segments
    words = tokens(primary)
    if not segments and len(glosses) == 1 and len(tokens(glosses[0])) == len(words):
        glosses = tokens(glosses[0])
    if not words or (segments and len(words) != len(segments)):
        words = segments or words
    code = known.get("meta_language", "")
    free = [(code, one_line(known.get("translation", "")))]
    for name, value in [pair for pair in meta if _OTHER.fullmatch(pair[0]) and pair[1]]:
        match = _OTHER.fullmatch(name)
        assert match
        free.append((match[1] or "", value))
        meta.remove((name, value))
    translation, translations = choose_translation(free, options.lang, stated=True)
    if not translations and code and code.lower() not in ("en", "eng", "stan1293"):
        meta.append(("Meta_Language_ID", code))
    sent_id = known.get("sent_id", "").strip()
    return instance(
        words,
        segments,
        glosses,
        text=primary,
        translation=translation,
        translations=translations,
        sent_id=sent_id,
        judgement=known.get("judgement", "").strip(),
        language=_language(known.get("language", "").strip(), languages),
        meta=meta,
        where=Where(where.path, where.line, sent_id),
    )


def _language(named: str, languages: Mapping[str, str]) -> str:
    return "" if named == UNKNOWN_LANGUAGE else named if ISO_CODE.fullmatch(named) else languages.get(named, named)


def _parts(words: str, glosses: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words and glosses: cells between tabs, real or spelled, and blanks where they line up better."""
    cells = [tuple(cell.strip() for cell in _tabs(text).split("\t")) if text.strip() else () for text in (words, glosses)]
    split = [tokens(_tabs(text)) for text in (words, glosses)]
    if "\t" not in _tabs(words) + _tabs(glosses):
        for mark in ("|", ";"):  # a separator that no metadata names
            if mark in words and words.count(mark) == glosses.count(mark) and len(split[0]) == 1 == len(split[1]):
                cells = [tuple(cell.strip() for cell in text.split(mark)) for text in (words, glosses)]
        if len(split[0]) == len(split[1]) > 1:
            return split[0], split[1]
    return cells[0], cells[1]


def _tabs(text: str) -> str:
    r"""
    >>> _tabs(r"canes\tlatrant") == "canes\tlatrant"
    True
    """
    return text.replace("\\t", "\t") if "\t" not in text else text
