"""Rule files: learned corrections as JSON that a person can read, edit and cite, and as English sentences (`say`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from divproj.core.errors import ModelError, Where, plural, why
from divproj.projection.candidates import TagLexicon
from divproj.projection.correction import HeadModel
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
    check = _JsonObject(data, Where(path))
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
        dict(_JsonObject(row, Where(path), f"swap[{k}].").swap() for k, row in enumerate(check.value("swap", list))),
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
    return Corrections(rules, HeadModel(weights, TagLexicon(*tags)), about, system)


class _JsonObject:
    """A JSON object whose values are validated when they are read."""

    def __init__(self, data: Any, where: Where, prefix: str = "") -> None:
        self.data, self.where, self.prefix = data, where, prefix
        if not isinstance(data, dict):
            raise ModelError(f"{prefix.rstrip('.') or 'the file'} is {type(data).__name__}, an object expected", where)

    def value(self, key: str, kind: type) -> Any:
        if key not in self.data:
            raise ModelError(f"'{self.prefix}{key}' is missing", self.where, "rule files are made by `proj learn`")
        entry = self.data[key]
        if not isinstance(entry, kind) or isinstance(entry, bool):
            raise ModelError(f"'{self.prefix}{key}' is {entry!r:.40}, {kind.__name__} expected", self.where)
        return entry

    def number(self, key: str) -> float:
        entry = self.value(key, object)
        if isinstance(entry, bool) or not isinstance(entry, int | float) or entry != entry or abs(entry) > 1e6:
            raise ModelError(f"'{self.prefix}{key}' is {entry!r:.40}, a number expected", self.where)
        return float(entry)

    def inside(self, key: str) -> _JsonObject:
        return _JsonObject(self.value(key, object), self.where, f"{self.prefix}{key}.")

    def count(self, key: str) -> int:
        entry = self.value(key, int)
        if entry < 0:
            raise ModelError(f"'{self.prefix}{key}' is {entry}, 0 or more expected", self.where)
        return int(entry)

    def sides(self) -> Sides:
        return Sides(self.count("left"), self.count("right"), self.examples())

    def swap(self) -> tuple[tuple[str, str], Swaps]:
        counts = (self.count("swapped"), self.count("total"), self.count("sentences"))
        pair = (self.value("child", str), self.value("parent", str))
        return pair, Swaps(*counts, self.examples())

    def examples(self) -> list[str]:
        return [str(x) for x in self.value("examples", list)] if "examples" in self.data else []


NAMES = {
    "ADJ": "adjectives", "ADP": "adpositions", "ADV": "adverbs", "AUX": "auxiliaries", "CCONJ": "coordinators", "DET": "determiners",
    "INTJ": "interjections", "NOUN": "nouns", "NUM": "numerals", "PART": "particles", "PRON": "pronouns", "PROPN": "names",
    "PUNCT": "punctuation", "SCONJ": "subordinators", "VERB": "verbs",
    "IN": "prepositions", "TO": "to", "DT": "determiners", "NN": "nouns", "NNS": "plural nouns", "NNP": "names", "MD": "modals",
    "JJ": "adjectives", "RB": "adverbs", "PRP": "pronouns", "PRP$": "possessives", "VB": "base verbs", "VBD": "past verbs",
    "VBZ": "present verbs", "VBP": "present verbs", "VBN": "participles", "VBG": "ing-forms", "CC": "coordinators",
}  # fmt: skip
SHOWN = 20


def name(tag: str) -> str:
    return NAMES.get(tag, f"words tagged {tag}")


def say(corrections: Corrections, *, min_count: int = 2, weights: bool = False) -> Iterator[str]:
    """Yield one line for each rule, with counts and an example, most frequent first; `weights` adds the model's strongest."""
    rules = corrections.rules
    yield f"Learned for {corrections.system} from {plural(rules.sentences, 'sentence pair')}."
    yield from _headedness(rules)
    yield ""
    yield from _swaps(rules, min_count)
    yield from _merges(rules, min_count)
    yield from _spontaneous(rules, min_count)
    if weights and corrections.model.weights:
        yield f"The model of {corrections.system} has {len(corrections.model.weights):,} weights; the strongest:"
        strongest = sorted(corrections.model.weights.items(), key=lambda item: (-abs(item[1]), item[0]))
        yield from (f"  {weight:+.2f}  {feature}" for feature, weight in strongest[:10])


def _headedness(rules: Rules) -> Iterator[str]:
    left, right = rules.overall.left, rules.overall.right
    if left + right:
        side, count = ("before", left) if left >= right else ("after", right)
        yield f"Heads stand mostly {side} their dependents: {count} of {left + right} edges."


def _swaps(rules: Rules, min_count: int) -> Iterator[str]:
    kept = rules.kept_swaps()
    for (child, parent), seen in sorted(rules.swap.items(), key=lambda item: (-item[1].swapped, item[0])):
        if seen.swapped < min_count:
            continue
        used = "" if (child, parent) in kept else " (too rare or too mixed for s2-1)"
        yield f"{name(child).capitalize()} head their {name(parent)}, the reverse of E: {seen.swapped} of {seen.total}{used}, e.g. {_first(seen.examples)}"


def _merges(rules: Rules, min_count: int) -> Iterator[str]:
    for tag, seen in sorted(rules.merge.items(), key=lambda item: (-(item[1].left + item[1].right), item[0])):
        total = seen.left + seen.right
        if total >= min_count:
            side, count = ("first", seen.left) if seen.left >= seen.right else ("last", seen.right)
            yield f"Of several words for one of the {name(tag)} of E, the {side} is the head: {count} of {total}, e.g. {_first(seen.examples)}"


def _spontaneous(rules: Rules, min_count: int) -> Iterator[str]:
    def sure(seen: Sides) -> int:
        return max(seen.left, seen.right)

    often = [(word, seen) for word, seen in rules.spontaneous.items() if seen.left + seen.right >= max(3, min_count)]
    often.sort(key=lambda item: (-sure(item[1]), item[0]))
    for word, seen in often[:SHOWN]:
        side = "left" if seen.left >= seen.right else "right"
        yield f"“{word}” attaches to the {side}: {sure(seen)} of {seen.left + seen.right}"


def _first(examples: list[str]) -> str:
    return examples[0] if examples else "–"
