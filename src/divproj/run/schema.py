"""What a config may say: its keys, their kinds and defaults; and where in the file a key stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal

from divproj.data.options import EvaluateOptions, Options, ProjectOptions, ReaderOptions, TrainOptions, WordsOptions, option_of

Kind = Literal["text", "path", "paths", "whole", "share", "flag", "texts", "share or path"]
EXPECTED: dict[Kind, str] = {
    "text": 'a text in quotes, such as "Hausa"',
    "path": 'the name of a file in quotes, such as "trees.conllu"',
    "paths": 'the name of a file in quotes, or a list of them, such as ["a.txt", "b.txt"]',
    "whole": "a whole number",
    "share": "a number from 0 to 1",
    "flag": "true or false",
    "texts": 'a list of texts, such as ["s1-r", "s2+"]',
    "share or path": 'a number from 0 to 0.9, or the name of a file in quotes, such as "test.conllu"',
}


@dataclass(frozen=True)
class Key:
    """A key of the config: what may stand there, and what holds when nothing does."""

    kind: Kind
    default: Any
    low: int = 0
    high: int = 1 << 31
    choices: tuple[str, ...] = ()


KINDS: dict[str, Kind] = {
    "int": "whole", "float": "share", "bool": "flag", "str": "text", "str | None": "text", "Path | None": "path", "tuple[str, ...]": "paths",
    "Mapping[str, str]": "text",
}  # fmt: skip
"""What a key holds whose option has this type."""


def key_of(options: type[Options], name: str) -> Key:
    """The key of a field of a step's options.

    >>> key_of(TrainOptions, "order")
    Key(kind='whole', default=2, low=1, high=3, choices=())
    """
    each = next(each for each in fields(options) if each.name == name)
    about = option_of(each)
    assert about is not None
    default, low, high = (
        "" if each.default in (None, MISSING) else each.default,
        int(about.low or 0),
        int(about.high or 1 << 31),
    )
    return Key(KINDS[str(each.type)], default, low, high, about.choices)


METHODS = ("auto", "gloss", "words", "given")
KEYS: dict[str, dict[str, Key]] = {
    "": {
        "language": Key("text", ""),
        "results": Key("path", "results"),
        "seed": Key("whole", 1),
        "strict": Key("flag", False),
    },
    "input": {
        "text": Key("paths", ()),
        **{name: key_of(ReaderOptions, name) for name in ("format", "lang", "encoding", "tiers", "markers")},
        "f": Key("path", ""),
        "e": Key("path", ""),
        "trees": Key("paths", ()),
        "links": Key("paths", ()),
        "gold": Key("paths", ()),
    },
    "align": {
        "method": Key("text", "auto", choices=METHODS),
        "grams": Key("paths", ()),
        "dictionary": Key("paths", ()),
        "threshold": key_of(WordsOptions, "threshold"),
    },
    "parse": {
        "parser": Key("text", ""),
        "command": Key("text", ""),
        "style": key_of(ProjectOptions, "e_style"),
    },
    "project": {
        name: key_of(ProjectOptions, name)
        for name in ("system", "rules", "model", "style", "phrases", "f_forests", "paraphrases", "also", "min_coverage")
    },
    "train": {name: key_of(TrainOptions, name) for name in ("epochs", "order", "bits")},
    "evaluate": {
        "systems": Key("texts", ()),
        "folds": Key("whole", 5, 0, 1000),
        "held_out": Key("share or path", 0.0),
        **{name: key_of(EvaluateOptions, name) for name in ("punctuation", "subtypes")},
    },
    "report": {
        "pictures": Key("whole", 500, 0, 100_000),
    },
}
"""Tables of the config and their keys."""

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, table: str, key: str = "") -> int:
    """The line where a key of a table stands (without a key: the table); 0 where it cannot be told.

    >>> line_of("seed = 1\\n[align]\\nmethod = 'words'\\n", "align", "method")
    3
    """
    wanted = [part for part in (table, key) if part]
    return next((number for number, path in _places(text) if path[: len(wanted)] == wanted), 0)


def _places(text: str) -> Iterator[tuple[int, list[str]]]:
    inside: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            inside = _parts(header[1])
            yield number, inside
        elif found := _KEY.match(line):
            yield number, inside + _parts(found[1])


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
