"""Rules said in words, with counts and examples: findings one can cite."""

from __future__ import annotations

from collections.abc import Iterator

from divproj.data.wording import plural
from divproj.projection.rules import Rules, Sides
from divproj.projection.systems import Corrections

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
    """A line a finding, the most telling first; `weights` adds the strongest of the model's, which are no words."""
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
