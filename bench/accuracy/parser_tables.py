"""Table 5b of Georgi et al.: parsing systems by ten-fold cross-validation on ODIN, beside the paper's values.

python bench/accuracy/parser_tables.py [--seed 1] [--jobs 2]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, about, need

from divproj import Corpus, Faults
from divproj.evaluation.experiment import better, cross_validate

SYSTEMS = ("oracle", "s4-1", "s4-2", "s4-3", "s3-1", "s3-2", "s3-3", "s3-4", "s3-5")
PAPER = {
    "ger": (98.07, 92.93, 90.48, 90.48, 81.09, 78.78, 77.14, 77.69, 56.05),
    "gli": (95.63, 81.35, 80.95, 80.95, 66.67, 59.92, 61.51, 56.75, 51.98),
    "hua": (99.31, 88.74, 87.59, 89.20, 86.44, 85.29, 68.05, 73.33, 48.51),
    "kkn": (99.17, 92.96, 92.35, 90.95, 82.49, 83.30, 82.49, 81.09, 77.06),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="Systems, with commas.")
    options = parser.parse_args()
    systems = tuple(options.only.split(",")) if options.only else (*SYSTEMS, "s2+", "s4+")
    print(f"UAS, 10 folds, seed {options.seed}, gold links and E trees; ours / paper; {about()}")
    print(f"| language | {' | '.join(systems)} |\n|{'---|' * (len(systems) + 1)}")
    sums, chances = dict.fromkeys(systems, 0.0), []
    for name, paper in PAPER.items():
        pairs = list(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False)))
        results = cross_validate(pairs, systems, seed=options.seed, jobs=options.jobs)
        cells = []
        for system in systems:
            uas = results[system].scores.overall.uas
            sums[system] += uas / len(PAPER)
            cells.append(f"{uas:.2f}" + (f" / {paper[SYSTEMS.index(system)]:.2f}" if system in SYSTEMS else ""))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
        if {"s2+", "s4+"} <= set(systems):
            chances.append(f"{name} {better(results, 's4+', 's2+'):.3f}")
    print(f"| average | {' | '.join(f'{x:.2f}' for x in sums.values())} |")
    if chances:
        print(f"\ns4+ against s2+, p: {', '.join(chances)}")
    if {"s3-1", "s4-1"} <= set(systems):
        reduction = (sums["s4-1"] - sums["s3-1"]) / (100 - sums["s3-1"])
        print(f"\nError reduction of S4-1 over S3-1: {100 * reduction:.1f} %")


if __name__ == "__main__":
    main()
