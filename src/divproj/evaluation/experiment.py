"""Cross-validation of systems on pairs with gold F trees: Table 4, learning curves."""

from __future__ import annotations

import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from divproj.data.pair import Pair
from divproj.evaluation.significance import approximate_randomisation
from divproj.evaluation.trees import TreeScores, score_trees
from divproj.projection.calibration import calibrated
from divproj.projection.direct import ProjectionInput
from divproj.projection.systems import OBSERVING, UNTRAINED, train
from divproj.runtime.announce import passing


def make_folds(count: int, folds: int, seed: int) -> list[list[int]]:
    """Indices shuffled by the seed and dealt out; each fold sorted.

    >>> make_folds(5, 2, seed=1)
    [[1, 2, 4], [0, 3]]
    """
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
    folds: int = 10,
    seed: int = 1,
    punctuation: bool = True,
    train_size: int | None = None,
    jobs: int = 1,
) -> dict[str, SystemResult]:
    """Train on all folds but one (or on `train_size` of their sentences), test on that one; scores over all words.

    s5 and s5+ also observe the bitext of the whole corpus, the fold's too, without F trees: that is what a user has who
    wants trees for a text.
    """
    parts = make_folds(len(pairs), min(folds, len(pairs)), seed)
    tasks = [(system, k) for system in systems for k in range(len(parts))]
    with warnings.catch_warnings():  # loky starts another worker where one had to go, and says so
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        return _gathered(pairs, systems, parts, tasks, seed, punctuation, train_size, jobs)


def _gathered(
    pairs: Sequence[Pair], systems: Sequence[str], parts: list[list[int]], tasks: list[tuple[str, int]], seed: int,
    punctuation: bool, train_size: int | None, jobs: int,
) -> dict[str, SystemResult]:  # fmt: skip
    """All folds of all systems, put together as they come."""
    from joblib import Parallel, delayed

    done = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_one_fold)(pairs, parts, system, k, seed, punctuation, train_size) for system, k in tasks
    )
    results: dict[str, SystemResult] = {}
    counted = passing(done, f"cross-validating {', '.join(systems)}: fold", len(tasks))
    for (system, k), outcome in zip(tasks, counted, strict=True):
        results.setdefault(system, SystemResult(TreeScores()))
        fold_scores = score_trees(outcome, punctuation=punctuation)
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
    pairs: Sequence[Pair], parts: list[list[int]], system: str, k: int, seed: int, punctuation: bool, train_size: int | None
) -> list[Any]:
    held_out = set(parts[k])
    rest = [i for i in range(len(pairs)) if i not in held_out]
    if train_size is not None and train_size < len(rest) and system not in (*UNTRAINED, *OBSERVING):
        rest = sorted(random.Random(f"{seed}/{k}/{train_size}").sample(rest, train_size))
    text = [ProjectionInput.of(pair) for pair in pairs] if system.startswith("s5") else ()
    project = train(system, [pairs[i] for i in rest], peek=[pairs[i] for i in parts[k]], seed=seed, text=text)
    found = []
    for i in parts[k]:
        made = calibrated(project(ProjectionInput.of(pairs[i])), system)
        found.append((pairs[i].f, made.tree, made.reasons, made.confidence))
    return found


def _merge(into: TreeScores, more: TreeScores) -> None:
    for own, new in ((into.by_pos, more.by_pos), (into.by_source, more.by_source)):
        for name, score in new.items():
            own.setdefault(name, type(score)()).merge(score)
    into.overall.merge(more.overall)
    for own_bin, new_bin in zip(into.by_confidence, more.by_confidence, strict=True):
        own_bin.merge(new_bin)
    into.confidence = [a + b for a, b in zip(into.confidence, more.confidence, strict=True)]
    into.sentences += more.sentences


def better(results: dict[str, SystemResult], a: str, b: str, seed: int = 0) -> float:
    """p-value of the difference between two systems of one experiment."""
    return approximate_randomisation(results[a].scores.sentences, results[b].scores.sentences, seed=seed)
