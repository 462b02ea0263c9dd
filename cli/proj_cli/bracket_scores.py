"""`proj evaluate --brackets`: unlabelled bracketing, with baselines."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from proj_cli import common

if TYPE_CHECKING:
    from collections.abc import Iterator

    from divproj.errors import Faults
    from divproj.forest.trees import PhraseTree
    from divproj.types import DepTree


class Bracketed(NamedTuple):
    """Words, spans over all of them, and which words are neither punctuation nor symbols."""

    forms: tuple[str, ...]
    spans: frozenset[tuple[int, int]]
    kept: tuple[int, ...]


def evaluate_brackets(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    from divproj.evaluate.brackets import baselines, f1_randomisation, score_brackets

    rows = [list(_rows(gold, path)) for path in (system, *([other] if other else []))]
    scores = {path: score_brackets(of) for path, of in zip((system, other), rows, strict=False) if path}
    scores |= baselines(rows[0], seed=seed)
    sign = common.signature(cmd="evaluate-brackets", seed=seed)
    p = f1_randomisation(scores[system].sentences, scores[other].sentences, seed=seed) if other else None
    if as_json:
        found: dict[str, Any] = {"signature": sign, **{name: score.as_json() for name, score in scores.items()}}
        print(json.dumps(found | ({"p": p} if other else {}), ensure_ascii=False))  # noqa: T201
        return
    limits = [k for k, score in scores[system].up_to.items() if score.gold]
    shown = common.table("Unlabelled brackets, percent", "", "precision", "recall", "F1", *(f"F1 ≤ {k}" for k in limits))
    for name, score in scores.items():
        numbers = (score.overall.precision, score.overall.recall, score.overall.f1, *(score.up_to[k].f1 for k in limits))
        shown.add_row(common.harmless(name), *(f"{x:.2f}" for x in numbers))
    console = common.stdout()
    console.print(shown)
    if other:
        a, b = scores[system].overall.f1, scores[other].overall.f1
        told = f"{system} {a:.2f}, {other} {b:.2f}: difference {a - b:+.2f}, p = {p:.4f}"
        console.print(common.harmless(told), soft_wrap=True)
    console.print(f"{sum(n > 1 for n in scores[system].lengths)} sentences of two words or more; {sign}", highlight=False)


def _rows(gold_path: str, system_path: str) -> Iterator[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]:
    from divproj.errors import AlignmentError, Where

    for k, (gold, system) in enumerate(zip_longest(read(gold_path), read(system_path)), 1):
        if gold is None or system is None:
            shorter = system_path if system is None else gold_path
            raise AlignmentError(f"{shorter} has fewer sentences than its partner", remedy="score files of the same text")
        if len(system.forms) == len(gold.forms):
            spans = _without(system.spans, gold.kept)
        elif len(system.forms) == len(gold.kept):
            spans = sorted(system.spans)
        else:
            what = f"sentence {k} has {len(system.forms)} words, {len(gold.forms)} (or {len(gold.kept)} without punctuation) expected"
            raise AlignmentError(what, Where(system_path), "score files of the same text in the same order")
        yield len(gold.kept), _without(gold.spans, gold.kept), spans


def _without(spans: frozenset[tuple[int, int]], kept: tuple[int, ...]) -> list[tuple[int, int]]:
    """Spans counted in kept words alone."""
    from bisect import bisect_left

    return sorted({(bisect_left(kept, i), bisect_left(kept, j)) for i, j in spans})


def read(path: str) -> Iterator[Bracketed]:
    """Brackets of CoNLL-U (maximal projections), Penn trees, TIGER-XML or forests (their best tree)."""
    from divproj.errors import Faults
    from divproj.io import brackets, conllu, forest
    from divproj.io.files import reading
    from divproj.io.forests import guess

    with reading(path) as stream:
        kind = guess(stream.read(1 << 16))
    if kind == "conllu":
        for sentence in conllu.load(path, Faults()):
            assert sentence is not None
            yield _projections(sentence.usable_tree()[0])
    elif kind == "json":
        for found in forest.load(path, Faults()):
            assert found is not None
            for item in brackets.loads(str(found.to_nltk()).replace("\n", " ")):
                yield _phrases(item.trees[0])
    else:
        for tree in phrase_trees(path, kind, Faults()):
            yield _phrases(tree)


def phrase_trees(path: str, kind: str, faults: Faults) -> Iterator[PhraseTree]:
    """Trees of a file of TIGER-XML or Penn brackets; of several for one sentence the first."""
    from divproj.io import brackets, tiger

    if kind == "tiger":
        yield from (tree for tree in tiger.load(path, faults) if tree is not None)
    else:
        yield from (n_best.trees[0] for n_best in brackets.load(path, faults) if n_best is not None)


def _projections(tree: DepTree) -> Bracketed:
    from divproj.induction.gold import constituents, kept_words

    kept = tuple(k - 1 for k in kept_words(tree))
    return Bracketed(tree.forms, frozenset((kept[i], kept[j - 1] + 1) for i, j in constituents(tree)), kept)


def _phrases(tree: PhraseTree) -> Bracketed:
    return Bracketed(tree.forms, frozenset((node.start, node.end) for node in tree.nodes), kept_leaves(tree))


def kept_leaves(tree: PhraseTree) -> tuple[int, ...]:
    """Words that are neither punctuation nor symbols, from 0."""
    from divproj.forest.heads import PUNCTUATION

    tags = tree.tags or ("_",) * len(tree.forms)
    marks = PUNCTUATION | {"SYM", "PUNCT", "--"}
    return tuple(
        k
        for k, (form, tag) in enumerate(zip(tree.forms, tags, strict=True))
        if tag not in marks and not (tag in ("_", "") and not any(map(str.isalnum, form)))
    )
