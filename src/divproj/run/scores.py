"""How good a run's trees and links are, where something is known to compare them with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from divproj.data.head_style import in_style
from divproj.data.links import Links
from divproj.data.sentence import confidence_of, misc_value
from divproj.data.tree import DepTree
from divproj.data.wording import plural
from divproj.io import conllu
from divproj.projection.expected import Expected, combined, counted, expected_accuracy
from divproj.run import gold as golden
from divproj.run.reading import LINKS, OUTPUT, instance, read_links

if TYPE_CHECKING:
    from divproj.evaluation.experiment import SystemResult
    from divproj.run.stages import Job

WORTH = 600
"""Sentences times folds times systems from which other processes pay for their start."""


def cross_validation(job: Job, folds: int) -> dict[str, Any]:
    """Systems on the gold part, each fold by what was learned from the others; the last against the first."""
    from divproj.evaluation.experiment import better, cross_validate

    config, pairs = job.config, job.gold_pairs()
    systems = config.systems
    job.tick(f"cross-validating {', '.join(systems)} on", len(pairs), 0)
    counted = {key: config.value("evaluate", key) for key in ("punctuation", "subtypes")}
    jobs = job.jobs if len(pairs) * min(folds, len(pairs)) * len(systems) >= WORTH else 1
    results = cross_validate(pairs, systems, folds=folds, seed=config.seed, jobs=jobs, **counted)
    found: dict[str, Any] = {
        "folds": min(folds, len(pairs)),
        "pairs": len(pairs),
        "systems": {
            name: {**results[name].as_json(), "sentences_right": results[name].scores.sentences, **_bins(results[name])}
            for name in systems
        },
    }
    if len(systems) > 1:
        found["p"] = better(results, systems[0], systems[-1], seed=config.seed)
        found["compared"] = [systems[0], systems[-1]]
    return found


def _bins(result: SystemResult) -> dict[str, Any]:
    """Confidence against what is right."""
    return {"calibration": result.scores.as_json()["calibration"]}


def held_out(job: Job) -> dict[str, Any]:
    """The run's own trees of the sentences that nothing was learned from."""
    from divproj.evaluation.trees import score_trees

    made = {row.sent_id: row for row in conllu.load(job.before["project"] / OUTPUT) if row is not None}
    turned = "ud" if job.config.value("project", "style") == "function" else "as-is"
    triples = []
    for pair in golden.read_pairs(job.before["gold"] / golden.HELD):
        if pair.sent_id not in made:
            continue  # left out for its coverage
        row = made[pair.sent_id]
        misc = row.column(9)
        texts = [confidence_of(cell) for cell in misc]
        sure = tuple(map(float, texts)) if all(texts) else ()
        triples.append((pair.f, in_style(row.usable_tree()[0], turned), tuple(misc_value(cell, "Proj") for cell in misc), sure))
    scores = score_trees(triples, **{key: job.config.value("evaluate", key) for key in ("punctuation", "subtypes")})
    return {"sentences": len(triples), "sentences_right": scores.sentences, **scores.as_json()}


def expected(job: Job, found: dict[str, Any]) -> Expected | None:
    """Heads that are right in sentences that nothing was learned from: by held-out ones, by the folds, and by the calibration."""
    counts: list[tuple[int, int]] = []
    sources = []
    if held := found.get("held_out"):
        counts += [tuple(pair) for pair in held["sentences_right"]]
        sources.append(plural(held["sentences"], "held-out sentence"))
    folded = found.get("cross_validation", {})
    if own := folded.get("systems", {}).get(job.config.system):
        counts += [tuple(pair) for pair in own["sentences_right"]]
        sources.append(f"{plural(folded['folds'], 'fold')} of {plural(folded['pairs'], 'gold sentence')}")
    return combined(_calibration(job), counted(counts, " and ".join(sources)))


def _calibration(job: Job) -> Expected | None:
    """What the calibration says of projected sentences that were not learned from; of those that were, it would say too much."""
    learned = set(job.earlier.get("gold", {}).get(f"{golden.GOLD}_ids", ()))
    made = job.earlier["project"]["summary"]
    if not learned or not made["expected"]:
        return Expected.from_json(made["expected"])
    linked = {pair.sent_id for pair in job.pairs() if len(pair.links)} - learned
    rows = [row for row in conllu.load(job.before["project"] / OUTPUT) if row is not None and row.sent_id in linked]
    sure = [[float(text) for text in map(confidence_of, row.column(9)) if text] for row in rows]
    return expected_accuracy(sure, made["system"])


def link_scores(job: Job) -> dict[str, Any]:
    """Links that were found against those that the text came with."""
    from divproj.evaluation.links import LinkScore

    text, trees = job.text(), job.trees()
    found = job.links(text, trees)
    if job.config.links:
        given: list[Links | None] = [*read_links(job.before["read"] / LINKS, text, trees)]
    else:
        given = [_own(instance(pair).links, tree, len(pair.f)) for pair, tree in zip(text, trees, strict=True)]
    score, count = LinkScore(), 0
    for gold, made, tree in zip(given, found, trees, strict=True):
        if gold is not None and tree is not None:
            score.add(gold, made)
            count += 1
    return {"sentences": count, **score.as_json()}


def _own(links: frozenset[tuple[int, int]] | None, tree: DepTree | None, words: int) -> Links | None:
    if links is None or tree is None or any(i > words or j > len(tree) for i, j in links):
        return None
    return Links(links, (words, len(tree)))
