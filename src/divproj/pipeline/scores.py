"""How good a run's trees and links are, where something is known to compare them with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from divproj.io import conllu
from divproj.pipeline import gold as golden
from divproj.pipeline.reading import LINKS, read_links
from divproj.types import Alignment, DepTree, confidence_of, misc_value

if TYPE_CHECKING:
    from divproj.pipeline.stages import Job

WORTH = 600
"""Sentences times folds times systems from which other processes pay for their start."""


def cross_validation(job: Job, folds: int) -> dict[str, Any]:
    """Systems on the gold part, each fold by what was learned from the others; the last against the first."""
    from divproj.evaluate.experiment import better, cross_validate

    config, pairs = job.config, job.gold_pairs()
    systems = config.systems
    job.tick(f"cross-validating {', '.join(systems)} on", len(pairs), 0)
    punctuation = config.value("evaluate", "punctuation")
    jobs = job.jobs if len(pairs) * min(folds, len(pairs)) * len(systems) >= WORTH else 1
    results = cross_validate(pairs, systems, folds=folds, seed=config.seed, punctuation=punctuation, jobs=jobs)
    found: dict[str, Any] = {
        "folds": min(folds, len(pairs)),
        "pairs": len(pairs),
        "systems": {name: results[name].as_json() for name in systems},
    }
    if len(systems) > 1:
        found["p"] = better(results, systems[0], systems[-1], seed=config.seed)
        found["compared"] = [systems[0], systems[-1]]
    return found


def held_out(job: Job) -> dict[str, Any]:
    """The run's own trees of the sentences that nothing was learned from."""
    from divproj.evaluate.trees import score_trees

    made = {row.sent_id: row for row in conllu.load(job.before["project"] / "trees.conllu") if row is not None}
    triples = []
    for pair in golden.read_pairs(job.before["gold"] / golden.HELD):
        row = made[pair.sent_id]
        misc = row.column(9)
        texts = [confidence_of(cell) for cell in misc]
        sure = tuple(map(float, texts)) if all(texts) else ()
        triples.append((pair.f, row.usable_tree()[0], tuple(misc_value(cell, "Proj") for cell in misc), sure))
    scores = score_trees(triples, punctuation=job.config.value("evaluate", "punctuation"), subtypes=False)
    return {"sentences": len(triples), **scores.as_json()}


def link_scores(job: Job) -> dict[str, Any]:
    """Links that were found against those that the text came with."""
    from divproj.evaluate.links import LinkScore

    text, trees = job.text(), job.trees()
    found = job.links(text, trees)
    if job.config.links:
        given: list[Alignment | None] = [*read_links(job.before["read"] / LINKS, text, trees)]
    else:
        given = [_own(igt.links, tree, len(igt.words)) for igt, tree in zip(text.instances, trees, strict=True)]
    score, count = LinkScore(), 0
    for gold, made, tree in zip(given, found, trees, strict=True):
        if gold is not None and tree is not None:
            score.add(gold, made)
            count += 1
    return {"sentences": count, **score.as_json()}


def _own(links: frozenset[tuple[int, int]] | None, tree: DepTree | None, words: int) -> Alignment | None:
    if links is None or tree is None or any(i > words or j > len(tree) for i, j in links):
        return None
    return Alignment(links, (words, len(tree)))
