"""Costs of `PhraseAligner` that do best on a development set: random search, or Bayesian with a Gaussian process.

python bench/accuracy/phrases_tune.py DEV.jsonl [--model MODEL] [-o TUNED] [--trials 30] [--method bayes] [--multiword] [--seed 1]

DEV has a pair of trees a line (`stree`, `ttree`) with its gold phrase pairs (`tight`, `loose`), as `proj evaluate --phrases` reads them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import Faults, ModelError
from divproj.evaluation.phrases import PhraseScore, constituent_row, gold_rows
from divproj.io.trees.forests import ForestOptions
from divproj.phrases.aligner import ForestPair, PhraseAligner, WordLinks
from divproj.phrases.reading import ForestPairs, load_lexicon
from divproj.phrases.results import PhraseAlignment

METHODS = ("bayes", "random")
Floats = NDArray[np.float64]
Metric = Callable[[Sequence[PhraseAlignment]], float]
SEARCH_SPACE: dict[str, tuple[float, float]] = {"null_cost": (0.0, 6.0), "pair_cost": (-4.0, 4.0), "noncomp_cost": (0.0, 5.0)}
"""What is searched by default, and within which bounds."""
FIRST_TRIALS = 8
"""Random trials before the process is asked."""
LENGTH_SCALE, NOISE = 0.25, 1e-3
"""Of the Gaussian process: the length scale in shares of a parameter's range, and the variance of the noise."""


@dataclass(frozen=True)
class Trial:
    """Parameters tried, and how good they were."""

    params: dict[str, float]
    value: float


def search(score: Callable[[dict[str, float]], float], space: Mapping[str, tuple[float, float]], trials: int = 30, *, method: str = "bayes", seed: int = 1, first: Mapping[str, float] | None = None, watch: Callable[[Trial], None] | None = None) -> list[Trial]:  # fmt: skip
    """Trials in order; `first` is tried before all others. The best is `max(…, key=lambda t: t.value)`, the earliest of equals.

    >>> best = max(search(lambda p: -(p["x"] - 2) ** 2, {"x": (0, 5)}, 20), key=lambda t: t.value)
    >>> round(best.params["x"], 1)
    2.0
    """
    if method not in METHODS:
        raise ModelError(f"no method '{method}'", remedy=f"choose one of {', '.join(METHODS)}")
    if trials < 1 or not space:
        raise ModelError("there is nothing to try", remedy="give at least one trial and one parameter with bounds")
    for name, (a, b) in space.items():
        if not a < b or not math.isfinite(b - a):
            raise ModelError(f"bounds {a}…{b} of {name}, a lower and a higher number expected")
    chance = np.random.default_rng(seed)
    low, high = (np.array([bounds[k] for bounds in space.values()], float) for k in (0, 1))
    points: list[Floats] = []
    done: list[Trial] = []
    for k in range(trials):
        if k == 0 and first is not None:
            point = np.clip((np.array([first[name] for name in space], float) - low) / (high - low), 0, 1)
        elif method == "random" or k < FIRST_TRIALS:
            point = chance.random(len(space))
        else:
            point = _promising(np.array(points), np.array([t.value for t in done]), chance)
        params = {name: round(float(x), 6) for name, x in zip(space, low + point * (high - low), strict=True)}
        points.append(point)
        done.append(Trial(params, float(score(params))))
        if watch:
            watch(done[-1])
    return done


def _promising(points: Floats, values: Floats, chance: np.random.Generator) -> Floats:
    """The point of highest expected improvement by a Gaussian process, among random ones and neighbours of the best."""
    from scipy.stats import norm
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import Matern

    scaled = (values - values.mean()) / (values.std() or 1.0)
    process = GaussianProcessRegressor(Matern(LENGTH_SCALE, nu=2.5), alpha=NOISE, optimizer=None).fit(points, scaled)
    near = np.clip(points[scaled.argmax()] + 0.08 * chance.standard_normal((500, points.shape[1])), 0, 1)
    asked = np.vstack((chance.random((1500, points.shape[1])), near))
    mean, spread = process.predict(asked, return_std=True)
    z = (mean - scaled.max()) / np.maximum(spread, 1e-6)
    best: Floats = asked[int(np.argmax(spread * (z * norm.cdf(z) + norm.pdf(z))))]
    return best


def tune(aligner: PhraseAligner, pairs: Iterable[ForestPair], candidates: Iterable[WordLinks], metric: Metric, *, space: Mapping[str, tuple[float, float]] | None = None, trials: int = 30, method: str = "bayes", seed: int = 1, watch: Callable[[Trial], None] | None = None) -> tuple[PhraseAligner, list[Trial]]:  # fmt: skip
    """The aligner with the costs that do best by `metric` on these pairs, and all trials; the present costs are the first."""
    known = aligner.get_params()
    space = dict(space or SEARCH_SPACE)
    for name in space:
        if not isinstance(known.get(name), (int, float)) or isinstance(known.get(name), bool):
            raise ModelError(f"'{name}' cannot be tuned", remedy=f"choose among {', '.join(SEARCH_SPACE)}")
    pairs, candidates = list(pairs), list(candidates)

    def score(params: dict[str, float]) -> float:
        return metric(with_params(aligner, params).predict(pairs, candidates))

    done = search(score, space, trials, method=method, seed=seed, first={name: known[name] for name in space}, watch=watch)
    best = max(done, key=lambda trial: trial.value)
    return with_params(aligner, best.params), done


def with_params(aligner: PhraseAligner, params: Mapping[str, float]) -> PhraseAligner:
    """The same model with other costs."""
    return replace(aligner, **{name: int(value) if name in ("gap", "beam") else value for name, value in params.items()})  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dev")
    parser.add_argument("--model", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("phrases-model"))
    parser.add_argument("--trials", type=int, default=30)
    parser.add_argument("--method", default="bayes", choices=METHODS)
    parser.add_argument("--multiword", action="store_true", help="score phrases of several words only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faults = Faults(strict=False)
    words = load_lexicon(("en", "en"), None, None, None, 0.8, faults)
    given = ForestPairs(options.dev, None, words, True, None, ForestOptions(), None, faults)
    rows, gold = list(given.pairs()), gold_rows(Path(options.dev))
    aligner = PhraseAligner.load(options.model, words.relation) if options.model else PhraseAligner(relation=words.relation)

    def f1(alignments: Sequence[PhraseAlignment]) -> float:
        total = PhraseScore()
        for place, alignment in zip(given.places, alignments, strict=True):
            found = {(*pair.src, *pair.tgt) for pair in alignment.visible}
            total.add(constituent_row(found, *gold[place], "both" if options.multiword else ""))
        return total.f1

    def say(trial: Trial) -> None:
        print(f"{trial.value:.2f}  " + "  ".join(f"{name} {value:.3f}" for name, value in trial.params.items()), flush=True)

    best, done = tune(
        aligner, [(s, t) for s, t, _ in rows], [links for _, _, links in rows], f1,
        trials=options.trials, method=options.method, seed=options.seed, watch=say,
    )  # fmt: skip
    best.save(options.output)
    print(f"model: {options.output}, F1 {max(trial.value for trial in done):.2f} (before: {done[0].value:.2f})")


if __name__ == "__main__":
    main()
