"""Cross-validation of systems on pairs with gold F trees (Table 4, learning curves), and significance tests.

`cross_validate` trains on all folds but one and tests on that one; `cross_families` trains on corpora of other language
families. `approximate_randomisation` tests whether the difference of two systems could be chance.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from divproj.core.errors import Faults, ModelError, ProjError
from divproj.core.options import EvaluateOptions, ExperimentOptions
from divproj.core.pair import Pair
from divproj.core.sentence import Sentence
from divproj.evaluation.trees import TreeScores, score_trees
from divproj.projection.confidence import CalibrationSample, MapChoice, calibrate, choose_map
from divproj.projection.direct import ProjectionInput
from divproj.projection.prepare import Preparation
from divproj.projection.projector import Projector
from divproj.projection.systems import OBSERVING, UNTRAINED, train
from divproj.runtime.announce import passing
from divproj.runtime.engine import Workers, run


def approximate_randomisation(
    a: Sequence[tuple[int, int]], b: Sequence[tuple[int, int]], *, rounds: int = 10_000, seed: int = 0
) -> float:
    """p-value for the difference of two micro-averaged scores, sentences exchanged at random (Noreen 1989).

    `a` and `b` hold (right, total) a sentence, in the same order.

    >>> approximate_randomisation([(1, 1)] * 20, [(1, 1)] * 20)
    1.0
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} sentences, the same number expected")
    left, right = np.array(a, float).reshape(-1, 2), np.array(b, float).reshape(-1, 2)

    def difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        scores = [np.where(t[..., 1], t[..., 0] / np.maximum(t[..., 1], 1e-9), 0.0) for t in (x, y)]
        return np.asarray(np.abs(scores[0] - scores[1]))

    seen = difference(left.sum(axis=0), right.sum(axis=0))
    probability = np.random.default_rng(seed)
    at_least = 0
    for start in range(0, rounds, 500):
        swap = probability.random((min(500, rounds - start), len(left))) < 0.5
        moved = swap @ (right - left)
        at_least += int((difference(left.sum(axis=0) + moved, right.sum(axis=0) - moved) >= seen - 1e-12).sum())
    return (at_least + 1) / (rounds + 1)


def make_folds(count: int, folds: int, seed: int, groups: Sequence[Hashable] | None = None) -> list[list[int]]:
    """Indices shuffled by the seed and dealt out; each fold sorted. Sentences of one group (a text, a speaker) stay together.

    >>> make_folds(5, 2, seed=1)
    [[1, 2, 4], [0, 3]]
    >>> make_folds(4, 2, seed=1, groups=["a", "b", "a", "b"])
    [[0, 2], [1, 3]]
    """
    if groups is not None:
        from sklearn.model_selection import GroupKFold

        names = {name: k for k, name in enumerate(dict.fromkeys(groups))}
        if len(names) < 2:
            raise ModelError(f"{len(names)} group of sentences, 2 or more expected for folds")
        kept = GroupKFold(min(folds, len(names)), shuffle=True, random_state=seed)
        splits = kept.split(range(count), groups=[names[name] for name in groups])
        return sorted(sorted(map(int, held)) for _, held in splits)
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return [sorted(order[k::folds]) for k in range(folds)]


@dataclass
class SystemResult:
    """One system over all folds."""

    scores: TreeScores
    folds: list[dict[str, Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        overall = self.scores.overall
        return {
            "uas": overall.uas,
            "las": overall.las,
            "correct": overall.heads,
            "total": overall.total,
            "calibration_error": self.scores.calibration_error(),
            "folds": self.folds,
        }


def cross_validate(
    pairs: Sequence[Pair],
    systems: Sequence[str],
    *,
    folds: int = ExperimentOptions.folds,
    seed: int = ExperimentOptions.seed,
    punctuation: bool = EvaluateOptions.punctuation,
    subtypes: bool = EvaluateOptions.subtypes,
    train_size: int | None = None,
    jobs: int = 1,
    groups: Sequence[Hashable] | None = None,
    paper: bool = ExperimentOptions.paper,
) -> dict[str, SystemResult]:
    """Train on all folds but one (or on `train_size` of their sentences), test on that one; scores over all words.

    s5, s5+ and s6 also adapt to the bitext of the whole corpus, the test fold included, without F trees: users who want
    trees for a text have just that. `jobs` processes share the folds; 0 is one per core. Pairs of one of the
    `groups` (one name for each pair) are never learned from and tested on at once. `paper` makes S1 and S2 to the letter of their paper.
    """
    parts = make_folds(len(pairs), min(folds, len(pairs)), seed, groups)
    tasks = [(system, k) for system in systems for k in range(len(parts))]
    work = partial(_one_fold, pairs, parts, seed, train_size, paper)
    done = run(work, lambda _: tasks, workers=Workers(max(jobs, 0)))
    results: dict[str, SystemResult] = {}
    counted = passing(done, f"cross-validating {', '.join(systems)}: fold", len(tasks))
    for (system, k), outcome in zip(tasks, counted, strict=True):
        results.setdefault(system, SystemResult(TreeScores()))
        fold_scores = score_trees(outcome, punctuation=punctuation, subtypes=subtypes)
        results[system].folds.append(
            {
                "uas": fold_scores.overall.uas,
                "correct": fold_scores.overall.heads,
                "total": fold_scores.overall.total,
                "test": parts[k],
            }
        )
        _merge(results[system].scores, fold_scores)
    return results


def _one_fold(
    pairs: Sequence[Pair],
    parts: list[list[int]],
    seed: int,
    train_size: int | None,
    paper: bool,
    task: tuple[str, int],
    faults: Faults,
) -> list[Any]:
    """(gold tree, tree, reasons, confidence) of the sentences of a fold, by a system that learned from the other folds."""
    system, k = task
    held_out = set(parts[k])
    rest = [i for i in range(len(pairs)) if i not in held_out]
    if train_size is not None and train_size < len(rest) and system not in (*UNTRAINED, *OBSERVING):
        rest = sorted(random.Random(f"{seed}/{k}/{train_size}").sample(rest, train_size))
    text = [ProjectionInput.of(pair) for pair in pairs] if system.startswith(("s5", "s6")) else ()
    project = train(system, [pairs[i] for i in rest], peek=[pairs[i] for i in parts[k]], seed=seed, text=text, paper=paper)
    rows = []
    for i in parts[k]:
        projection = calibrate(project(ProjectionInput.of(pairs[i])), system)
        rows.append((pairs[i].f, projection.tree, projection.reasons, projection.confidence))
    return rows


def cross_families(
    corpora: Mapping[str, Sequence[Pair]],
    families: Mapping[str, str],
    systems: Sequence[str],
    *,
    seed: int = ExperimentOptions.seed,
    punctuation: bool = EvaluateOptions.punctuation,
    subtypes: bool = EvaluateOptions.subtypes,
    train_size: int | None = None,
    jobs: int = 1,
) -> dict[str, dict[str, SystemResult]]:
    """Each corpus by systems that learned from the corpora of other families alone; a corpus without a family is one of its own.

    So it shows what to expect of a language that nobody has annotated. Systems that adapt to a text see the tested one,
    without its trees. Results are by corpus and system.
    """
    kin = {name: families.get(name) or name for name in corpora}
    if len(set(kin.values())) < 2:
        message = f"all corpora are of one family, {next(iter(kin.values()), 'none')}: nothing is left to learn from"
        raise ProjError(message, remedy="give corpora of two families or more")
    tasks = [(name, system) for name in corpora for system in systems]
    done = run(partial(_one_corpus, corpora, kin, seed, train_size), lambda _: tasks, workers=Workers(max(jobs, 0)))
    results: dict[str, dict[str, SystemResult]] = {}
    counted = passing(done, f"cross-validating {', '.join(systems)} by family: part", len(tasks))
    for (name, system), outcome in zip(tasks, counted, strict=True):
        scores = score_trees(outcome, punctuation=punctuation, subtypes=subtypes)
        results.setdefault(name, {})[system] = SystemResult(scores)
    return results


def _one_corpus(
    corpora: Mapping[str, Sequence[Pair]],
    kin: Mapping[str, str],
    seed: int,
    train_size: int | None,
    task: tuple[str, str],
    _: Faults,
) -> list[Any]:
    name, system = task
    tested = corpora[name]
    rest = [pair for other, pairs in corpora.items() if kin[other] != kin[name] for pair in pairs]
    if train_size is not None and train_size < len(rest) and system not in (*UNTRAINED, *OBSERVING):
        rest = random.Random(f"{seed}/{train_size}").sample(rest, train_size)
    text = [ProjectionInput.of(pair) for pair in tested]
    project = train(system, rest, peek=tested, seed=seed, text=text if system.startswith(("s5", "s6")) else ())
    rows = []
    for pair, given in zip(tested, text, strict=True):
        projection = calibrate(project(given), system)
        rows.append((pair.f, projection.tree, projection.reasons, projection.confidence))
    return rows


def calibration_map(
    pairs: Sequence[Pair],
    system: str,
    projector: Projector | None = None,
    *,
    folds: int = 5,
    seed: int = ExperimentOptions.seed,
) -> MapChoice:
    """Fit confidences of a system to pairs with gold F trees (`proj calibrate`).

    A system that learns is trained on all folds but one and judged on that one, unless a `projector` brings what it has learned elsewhere.
    """
    parts = make_folds(len(pairs), min(folds, len(pairs)), seed)
    text = [ProjectionInput.of(pair) for pair in pairs]
    state = projector.adapt(pairs) if projector else None
    rows: list[tuple[Any, Any]] = []
    for part in passing(parts, f"projecting by {system}: fold", len(parts)):
        if projector:
            projections = [projector.raw_projection(pairs[k], state) for k in part]
        else:
            held = set(part)
            learned = [pair for k, pair in enumerate(pairs) if k not in held]
            project = train(system, learned, seed=seed, text=text if system.startswith(("s5", "s6")) else ())
            projections = [project(text[k]) for k in part]
        for k, projection in zip(part, projections, strict=True):
            sample = CalibrationSample.of("", "", [(pairs[k].f, projection)])
            rows.append((sample.table, sample.right))
    rows = [row for row in rows if len(row[1])]
    return choose_map(system, [table for table, _ in rows], [right for _, right in rows], folds=folds)


def _merge(into: TreeScores, more: TreeScores) -> None:
    for totals, new in ((into.by_pos, more.by_pos), (into.by_source, more.by_source)):
        for name, score in new.items():
            totals.setdefault(name, type(score)()).merge(score)
    into.overall.merge(more.overall)
    for own_bin, new_bin in zip(into.by_confidence, more.by_confidence, strict=True):
        own_bin.merge(new_bin)
    into.confidence = [a + b for a, b in zip(into.confidence, more.confidence, strict=True)]
    into.sentences += more.sentences


def better(results: dict[str, SystemResult], a: str, b: str, seed: int = 0) -> float:
    """p-value of the difference between two systems of one experiment."""
    return approximate_randomisation(results[a].scores.sentences, results[b].scores.sentences, seed=seed)


def with_gloss_links(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with links of the gloss aligner in place of their own."""
    how = Preparation()
    instances = (Sentence(pair.f.forms, glosses=pair.glosses, sent_id=pair.sent_id) for pair in pairs)
    return [
        replace(pair, links=how.aligner(pair.e_language).align(igt, pair.e.forms, pair.e.tags()).links)
        for pair, igt in zip(pairs, instances, strict=True)
    ]
