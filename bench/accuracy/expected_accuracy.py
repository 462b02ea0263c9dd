"""Expected accuracy, as `proj project` and `proj run` print it, against the true one: without gold trees, and with some.

Every bank is projected by s6 as it is without the bank's family (`glossbanks.py`), from glosses and translation alone. `none`: the
map of confidences (`projection.calibration`) is fitted on banks of other families, and its mean is compared with the share of
right heads. `some`: 30 sentences by chance are marked gold, as in a review; what they say of the others, joined with what the
calibration says, is compared with what is true of these.

python bench/accuracy/expected_accuracy.py [--most 150] [--gold 30] [--seed 1] [BANK ...]
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import FAMILIES, without_family
from bench.common import DATA, Table, need

from divproj.core.errors import Faults
from divproj.core.tree import DepTree
from divproj.io.corpus import Corpus
from divproj.projection.confidence import CalibrationSample, Expected, combine, held_out_probabilities, recalibrate
from divproj.projection.direct import Projection, ProjectionInput
from divproj.projection.prepare import Preparation, prepare_text
from divproj.projection.systems import AdaptedSystem

Found = tuple[DepTree, Projection]
NEAR = 0.05
"""A miss that is small enough."""


def load(name: str, most: int) -> list[Found]:
    """Gold trees and projections of every k-th sentence."""
    folder = need(DATA / ("ud-igt-hausa" if name == "hau" else f"glossbanks/{name}"))
    made = []
    for path in sorted(folder.glob("*.conllu")):
        for pair in prepare_text(Corpus(path), Preparation("en"), Faults(strict=False)):
            assert pair.f_rows is not None
            gold, faults = pair.f_rows.usable_tree()
            if not faults and len(gold):
                made.append((gold, ProjectionInput.of(pair)))
    if len(made) > most:
        made = [made[k * len(made) // most] for k in range(most)]
    system = AdaptedSystem.to(without_family(name), [bitext for _, bitext in made])
    return [(gold, system.project(bitext)) for gold, bitext in made]


def sampled(
    found: Sequence[Found], chances: Sequence[np.ndarray], prior: float, error: float, count: int, seed: int
) -> tuple[float, float]:
    """What some gold sentences and the calibration say of the other sentences, and what is true of these."""
    order = random.Random(seed).sample(range(len(found)), len(found))
    gold, rest = order[: min(count, len(found) // 2)], order[min(count, len(found) // 2) :]
    right = [[a == b for a, b in zip(tree.heads, p.heads, strict=True)] for tree, p in found]
    checked = [[*zip(chances[n].tolist(), right[n], strict=True)] for n in gold]
    own = recalibrate(checked, [c for n in rest for c in chances[n].tolist()], "gold sentences")
    known = combine(Expected(prior, error, "calibration"), own)
    assert known
    return known.share, fmean(x for n in rest for x in right[n])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("banks", nargs="*", default=[])
    parser.add_argument("--most", type=int, default=150)
    parser.add_argument("--gold", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = {name: load(name, options.most) for name in options.banks or FAMILIES}
    samples = [CalibrationSample.of(name, FAMILIES[name], some) for name, some in found.items()]
    held = held_out_probabilities(samples)
    misses = {s.name: float(held[s.name].mean() - s.right.mean()) for s in samples}
    caption = f"Share of right heads, s6, families held out, at most {options.most} sentences, {options.gold} gold"
    columns = ("bank", "expected, no gold", "true", "expected, some gold", "true of the others")
    near, near_some = 0, 0
    with Table("expected_accuracy", caption, *columns, seed=options.seed) as table:
        for sample in samples:
            some = found[sample.name]
            each = np.split(held[sample.name], np.cumsum([len(tree) for tree, _ in some])[:-1])
            guess, true = float(held[sample.name].mean()), float(sample.right.mean())
            others = [miss for name, miss in misses.items() if FAMILIES[name] != sample.family]
            error = float(np.sqrt(np.mean(np.square(others))))
            said, rest = sampled(some, each, guess, error, options.gold, options.seed)
            near += abs(guess - true) <= NEAR
            near_some += abs(said - rest) <= NEAR
            table.add(sample.name, *(f"{100 * value:.1f}" for value in (guess, true, said, rest)))
        table.note(
            f"within 5 points: {near} of {len(found)} without gold, {near_some} of {len(found)} with {options.gold} gold sentences"
        )
        table.note(f"standard error without gold: {100 * np.sqrt(np.mean(np.square([*misses.values()]))):.1f} points")


if __name__ == "__main__":
    main()
