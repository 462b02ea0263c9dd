"""The metadata of a CLDF data set, which say what the columns of a table of examples are; read and written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

MOST_BESIDE = 50 << 20
"""Bytes of metadata or of a table of languages that are read."""
TERMS_URL = "http://cldf.clld.org/v1.0/terms.rdf#"
TERMS = {
    "id": "ID", "primaryText": "Primary_Text", "analyzedWord": "Analyzed_Word", "gloss": "Gloss", "translatedText": "Translated_Text",
    "languageReference": "Language_ID", "metaLanguageReference": "Meta_Language_ID",
}  # fmt: skip
"""Terms of CLDF's ontology, and the names that columns usually have."""


@dataclass(frozen=True)
class Table:
    """What is said of one table of examples."""

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


def of_file(path: str) -> Table:
    """What the files beside a table say of it; nothing when there are none or they cannot be read."""
    if path in ("", "-") or not (folder := Path(path).parent).is_dir():
        return Table()
    name = Path(path).name.removesuffix(".gz")
    for file in sorted(folder.glob("*-metadata.json")):
        try:
            found = _table(json.loads(_text(file)).get("tables", []), name, folder)
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue
        if found is not None:
            return found
    return Table(languages=_languages(folder / "languages.csv", {}))


def _text(file: Path) -> str:
    if file.stat().st_size > MOST_BESIDE:
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


def _table(tables: Sequence[Mapping[str, Any]], name: str, folder: Path) -> Table | None:
    examples = [table for table in tables if _is(table, "ExampleTable")]
    table = next((table for table in examples if _url(table) == name), examples[0] if examples else None)
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
    return Table(usual, separators, delimiter if len(delimiter) == 1 else "", languages, _url(table) == name)


def _languages(file: Path, terms: Mapping[str, str]) -> dict[str, str]:
    key = {term: terms.get(term, usual) for term, usual in (("id", "ID"), ("iso639P3code", "ISO639P3code"), ("name", "Name"))}
    try:
        rows = list(csv.DictReader(io.StringIO(_text(file)))) if file.is_file() else []
    except (csv.Error, OSError, UnicodeDecodeError):
        return {}
    return {
        row[key["id"]]: row.get(key["iso639P3code"]) or row.get(key["name"]) or row[key["id"]] for row in rows if row.get(key["id"])
    }  # fmt: skip


def names(table: str) -> tuple[str, str]:
    """What the files beside a table are called: metadata and languages."""
    stem = table.removesuffix(".gz").removesuffix(".csv")
    return f"{stem}-metadata.json", f"{stem}-languages.csv"


def written(table: str, header: Sequence[str], languages: Iterable[str]) -> dict[str, str]:
    """The files that make a table of examples a CLDF data set, by name: its metadata, and its languages when there are any."""
    metadata, beside = names(table)
    found = list(dict.fromkeys(filter(None, languages)))
    back = {usual: term for term, usual in TERMS.items()}
    tables: list[dict[str, Any]] = [
        {
            "url": table,
            "dc:conformsTo": f"{TERMS_URL}ExampleTable",
            "tableSchema": {"columns": [_column(name, back) for name in header], "primaryKey": ["ID"]},
        }
    ]
    files = {}
    if found:
        known = {"ID": "id", "Name": "name", "ISO639P3code": "iso639P3code"}
        tables.append(
            {
                "url": beside,
                "dc:conformsTo": f"{TERMS_URL}LanguageTable",
                "tableSchema": {"columns": [_column(name, known) for name in known], "primaryKey": ["ID"]},
            }
        )
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(known)
        writer.writerows([name, name, name if len(name) == 3 and name.isalpha() else ""] for name in found)
        files[beside] = out.getvalue()
    data = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:conformsTo": f"{TERMS_URL}Generic",
        "tables": tables,
    }
    return {metadata: json.dumps(data, ensure_ascii=False, indent=1) + "\n", **files}


def _column(name: str, terms: Mapping[str, str]) -> dict[str, str]:
    made = {"name": name, "datatype": "string"}
    if name in terms:
        made["propertyUrl"] = TERMS_URL + terms[name]
    if name in ("Analyzed_Word", "Gloss"):
        made["separator"] = "\t"
    return made
