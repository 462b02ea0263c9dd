"""Bracketings in files: gold and system side by side, for unlabelled scores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from divproj.data.errors import AlignmentError, Faults, Where
from divproj.data.limits import LONGEST, too_long
from divproj.data.tree import DepTree
from divproj.forest.trees import PhraseTree
from divproj.induction.gold import constituents, kept_leaves, kept_words
from divproj.io import brackets, conllu, forest
from divproj.io.files import reading
from divproj.io.forests import guess, phrase_trees


class Bracketed(NamedTuple):
    """Words, spans over all of them, and which words are neither punctuation nor symbols."""

    forms: tuple[str, ...]
    spans: frozenset[tuple[int, int]]
    kept: tuple[int, ...]


def rows(
    gold_path: str, system_path: str, faults: Faults | None = None
) -> Iterator[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]:
    """For each sentence of both files its length and the spans of each, punctuation left out; one too long to score is a fault."""
    for k, (gold, system) in enumerate(zip_longest(read(gold_path), read(system_path)), 1):
        if gold is None or system is None:
            shorter = system_path if system is None else gold_path
            raise AlignmentError(f"{shorter} has fewer sentences than its partner", remedy="score files of the same text")
        if max(len(gold.forms), len(system.forms)) > LONGEST:
            (faults or Faults()).sentence(too_long(len(gold.forms), Where(gold_path, sent_id=f"sentence {k}")))
            continue
        if len(system.forms) == len(gold.forms):
            spans = without_marks(system.spans, gold.kept)
        elif len(system.forms) == len(gold.kept):
            spans = sorted(system.spans)
        else:
            what = f"sentence {k} has {len(system.forms)} words, {len(gold.forms)} (or {len(gold.kept)} without punctuation) expected"
            raise AlignmentError(what, Where(system_path), "score files of the same text in the same order")
        yield len(gold.kept), without_marks(gold.spans, gold.kept), spans


def without_marks(spans: frozenset[tuple[int, int]], kept: tuple[int, ...]) -> list[tuple[int, int]]:
    """Spans counted in kept words alone."""
    return sorted({(bisect_left(kept, i), bisect_left(kept, j)) for i, j in spans})


def read(path: str) -> Iterator[Bracketed]:
    """Brackets of CoNLL-U (maximal projections), Penn trees, TIGER-XML or forests (their best tree)."""
    with reading(path) as stream:
        kind = guess(stream.read(1 << 16))
    if kind == "conllu":
        for sentence in conllu.load(path, Faults()):
            assert sentence is not None
            tree = sentence.usable_tree()[0]
            yield Bracketed(tree.forms, frozenset(), ()) if len(tree) > LONGEST else _projections(tree)
    elif kind == "json":
        for found in forest.load(path, Faults()):
            assert found is not None
            for item in brackets.loads(str(found.to_nltk()).replace("\n", " ")):
                yield of_phrases(item.trees[0])
    else:
        yield from map(of_phrases, phrase_trees(path, kind, Faults()))


def _projections(tree: DepTree) -> Bracketed:
    kept = tuple(k - 1 for k in kept_words(tree))
    return Bracketed(tree.forms, frozenset((kept[i], kept[j - 1] + 1) for i, j in constituents(tree)), kept)


def of_phrases(tree: PhraseTree) -> Bracketed:
    """The phrases of a tree."""
    return Bracketed(tree.forms, frozenset((node.start, node.end) for node in tree.nodes), kept_leaves(tree))
