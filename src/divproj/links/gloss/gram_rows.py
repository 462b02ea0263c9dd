"""Rows of a table of grams: what stands in each column, and person, number, gender and case in a label."""

from __future__ import annotations

import re
from typing import NamedTuple

from divproj.data.errors import FormatError, Where
from divproj.io.igt_parts import UPOS

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


def key(label: str) -> str:
    """Spelling variants of a gram fall together.

    >>> key("1PL.excl") == key("1pl-EXCL")
    True
    """
    return "".join(filter(str.isalnum, label.casefold()))


def person(label: str) -> frozenset[str]:
    """Person, number, gender and case in one label; empty when it has no person.

    >>> sorted(person("3sgf")), sorted(person("1PL.EXCL")), person("2nd")
    (['3', 'F', 'SG'], ['1', 'EXCL', 'PL'], frozenset())
    """
    name = key(label)
    match = _PERSON.fullmatch(name) if len(name) < 20 else None  # a person is short; the pattern is slow on what is not one
    if not match:
        return frozenset()
    before, number, after = match.groups()
    found = {number}
    for name in ([before] if before else []) + _FEATURE.findall(after):
        feature = _FEATURES[name]
        if not (feature in ("SG", "PL", "DU") and found & {"SG", "PL", "DU"}):
            found.add(feature)
    if "POSS" in found:
        found -= {"NOM", "ACC"}  # the case of the thing possessed
    if number == "3" and found & {"M", "F", "N"} and not found & {"SG", "PL", "DU"}:
        found.add("SG")
    return frozenset(found)


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


def row(columns: list[str], fields: list[str], where: Where) -> Gram:
    if len(fields) < 2 or len(fields) > len(columns):
        raise FormatError(f"{len(fields)} columns, 2 to {len(columns)} expected", where, "columns are separated by tabs")
    cells = dict(zip(columns, fields, strict=False))
    if not key(cells["gram"]):
        raise FormatError(f"'{cells['gram']}' is not a gram, letters or digits expected", where)
    kind = cells.get("kind", "")
    if kind and kind not in KINDS:
        raise FormatError(f"kind '{kind}' is not known, one of {', '.join(sorted(KINDS))} expected", where)
    if not kind and person(cells["gram"]):
        kind = "person"
    feats = _checked_feats(cells.get("feats", ""), where)
    if kind == POS and not (feats.startswith("UPOS=") and UPOS.issuperset(feats[len("UPOS=") :].split(","))):
        what = f"label '{cells['gram']}' has '{feats}' in the column feats, UPOS= and universal tags expected"
        raise FormatError(what, where, "write UPOS=NOUN, or UPOS=NOUN,PROPN where both are possible")
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
    found = sorted(filter(None, text.split("|")), key=str.casefold)
    for feature in found:
        if not _FEAT.fullmatch(feature):
            raise FormatError(
                f"feature '{feature}' is not of the form Name=Value", where, "write UD features, Case=Acc|Number=Sing"
            )
    return "|".join(found)
