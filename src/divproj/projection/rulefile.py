"""Rule files: corrections as JSON that a person can read, edit and cite."""

from __future__ import annotations

import json
from typing import Any, TextIO

from divproj.data.errors import ModelError, Where, why
from divproj.projection.candidates import Lexicon
from divproj.projection.loglinear import HeadModel
from divproj.projection.rules import Rules, Sides, Swaps
from divproj.projection.systems import CORRECTED, DEFAULT, RULED, Corrections

FORMAT, VERSION = "divproj-rules", 1


def dumps(corrections: Corrections) -> str:
    rules, model = corrections.rules, corrections.model
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "about": corrections.about,
            "system": corrections.system,
            "sentences": rules.sentences,
            "thresholds": {"min_sentences": rules.min_sentences, "min_share": rules.min_share},
            "headedness": rules.overall.as_json(),
            "merge": {tag: sides.as_json() for tag, sides in sorted(rules.merge.items())},
            "swap": [
                {"child": child, "parent": parent, **swaps.as_json()}
                for (child, parent), swaps in sorted(rules.swap.items(), key=lambda item: (-item[1].swapped, item[0]))
            ],
            "spontaneous": {word: sides.as_json() for word, sides in sorted(rules.spontaneous.items())},
            "model": {
                "weights": dict(sorted(model.weights.items())),
                "f_tags": dict(sorted(model.lexicon.f_tags.items())),
                "e_tags": dict(sorted(model.lexicon.e_tags.items())),
                "f_rels": dict(sorted(model.lexicon.f_rels.items())),
            },
        },
        ensure_ascii=False,
        indent=1,
    )


def dump(corrections: Corrections, out: TextIO) -> None:
    """Write corrections as a rule file."""
    out.write(dumps(corrections) + "\n")


def loads(text: str, path: str = "") -> Corrections:
    """Corrections from a rule file; ModelError says what is missing or wrong, and where."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise ModelError(f"not JSON: {why(error)}", Where(path, line), "rule files are made by `proj learn`") from None
    check = _Checked(data, Where(path))
    if check.value("format", str) != FORMAT:
        raise ModelError(f"format is '{data['format']}', '{FORMAT}' expected", Where(path))
    version = check.value("version", int)
    if version != VERSION:
        raise ModelError(f"version is {version}, {VERSION} expected", Where(path), "learn the rules again with `proj learn`")
    thresholds = check.inside("thresholds")
    rules = Rules(
        check.value("sentences", int),
        check.inside("headedness").sides(),
        {tag: check.inside("merge").inside(tag).sides() for tag in check.value("merge", dict)},
        {word: check.inside("spontaneous").inside(word).sides() for word in check.value("spontaneous", dict)},
        dict(_Checked(row, Where(path), f"swap[{k}].").swap() for k, row in enumerate(check.value("swap", list))),
        thresholds.number("min_sentences"),
        thresholds.number("min_share"),
    )
    model = check.inside("model")
    known = model.inside("weights")
    weights = {name: known.number(name) for name in known.data}
    tags = [
        {word: table.value(word, str) for word in table.data} for table in map(model.inside, ("f_tags", "e_tags", "f_rels"))
    ]
    about = check.value("about", dict)
    system = check.value("system", str) if "system" in data else CORRECTED if about.get("prior") == "s6" else DEFAULT
    if system not in RULED:
        raise ModelError(f"'system' is {system!r:.40}, one of {', '.join(RULED)} expected", Where(path))
    return Corrections(rules, HeadModel(weights, Lexicon(*tags)), about, system)


class _Checked:
    """A JSON object whose values are looked at before they are used."""

    def __init__(self, data: Any, where: Where, prefix: str = "") -> None:
        self.data, self.where, self.prefix = data, where, prefix
        if not isinstance(data, dict):
            raise ModelError(f"{prefix.rstrip('.') or 'the file'} is {type(data).__name__}, an object expected", where)

    def value(self, key: str, kind: type) -> Any:
        if key not in self.data:
            raise ModelError(f"'{self.prefix}{key}' is missing", self.where, "rule files are made by `proj learn`")
        found = self.data[key]
        if not isinstance(found, kind) or isinstance(found, bool):
            raise ModelError(f"'{self.prefix}{key}' is {found!r:.40}, {kind.__name__} expected", self.where)
        return found

    def number(self, key: str) -> float:
        found = self.value(key, object)
        if isinstance(found, bool) or not isinstance(found, int | float) or found != found or abs(found) > 1e6:
            raise ModelError(f"'{self.prefix}{key}' is {found!r:.40}, a number expected", self.where)
        return float(found)

    def inside(self, key: str) -> _Checked:
        return _Checked(self.value(key, object), self.where, f"{self.prefix}{key}.")

    def count(self, key: str) -> int:
        found = self.value(key, int)
        if found < 0:
            raise ModelError(f"'{self.prefix}{key}' is {found}, 0 or more expected", self.where)
        return int(found)

    def sides(self) -> Sides:
        return Sides(self.count("left"), self.count("right"), self.examples())

    def swap(self) -> tuple[tuple[str, str], Swaps]:
        counts = (self.count("swapped"), self.count("total"), self.count("sentences"))
        pair = (self.value("child", str), self.value("parent", str))
        return pair, Swaps(*counts, self.examples())

    def examples(self) -> list[str]:
        return [str(x) for x in self.value("examples", list)] if "examples" in self.data else []
