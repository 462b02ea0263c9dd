"""Trees of files against gold trees of another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from unicodedata import normalize

from divproj.data.errors import AlignmentError, Faults
from divproj.data.sentence import confidence_of, misc_value
from divproj.data.tree import DepTree
from divproj.io import conllu


def scored_pairs(
    gold_path: str, system_path: str, faults: Faults
) -> Iterator[tuple[DepTree, DepTree, tuple[str, ...], tuple[float, ...]]]:
    """(gold tree, tree, where its edges came from, confidence) of two files of the same text, sentence by sentence."""
    for gold, system in zip_longest(conllu.load(gold_path, faults), conllu.load(system_path, faults)):
        if gold is None or system is None:
            shorter = system_path if system is None else gold_path
            raise AlignmentError(f"{shorter} has fewer sentences than its partner", remedy="score files of the same text")
        if gold.forms != system.forms and _bare(gold.forms) != _bare(system.forms):
            raise AlignmentError(
                f"the words differ from {gold.where}: {' '.join(system.forms[:8])} … for {' '.join(gold.forms[:8])} …",
                system.where,
                "score files of the same text in the same order",
            )
        misc = system.column(9)
        sources = tuple(misc_value(cell, "Proj") for cell in misc)
        texts = [confidence_of(cell) for cell in misc]
        confidence = tuple(float(t) for t in texts) if all(t.replace(".", "", 1).isdecimal() for t in texts) else ()
        yield gold.usable_tree()[0], system.usable_tree()[0], sources if any(sources) else (), confidence


def _bare(forms: tuple[str, ...]) -> list[str]:
    """Words without morpheme boundaries, characters composed: interlinear lines are often segmented, and UD wants composed ones."""
    return [normalize("NFC", "".join(c for c in form if c not in "-=~").lower()) for form in forms]
