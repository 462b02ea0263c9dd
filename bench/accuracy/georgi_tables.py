"""Tables 2b, 4b and 5b of Georgi et al. on ODIN, beside the paper's values.

python bench/accuracy/georgi_tables.py [2b] [4b] [gloss-links] [5b] [--seed 1] [--jobs 2]

2b: match of E with F after each stage. 4b: projection systems in ten folds, with gold links; `gloss-links`: the same with those of the
gloss aligner. 5b: parsing systems in ten folds. Without a name all are made.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj import Corpus, Faults, Pair, analyze
from divproj.evaluation.experiment import better, cross_validate

MATCH = {
    "gli": (72.0, 87.8, 92.5, 94.1),
    "ger": (76.7, 93.9, 95.4, 96.8),
    "hua": (54.4, 95.7, 97.5, 97.5),
    "kkn": (56.0, 88.1, 95.4, 96.1),
}
PROJECTING = ("s1-r", "s1-l", "s2-3", "s2-2", "s2-1", "s2+")
PROJECTED = {
    "ger": (88.03, 88.03, 88.03, 88.71, 88.71),
    "gli": (86.90, 76.98, 86.90, 87.70, 87.70),
    "hua": (79.31, 79.54, 79.54, 90.11, 90.11),
    "kkn": (90.34, 88.93, 90.34, 91.55, 91.75),
}
PARSING = ("oracle", "s4-1", "s4-2", "s4-3", "s3-1", "s3-2", "s3-3", "s3-4", "s3-5")
PARSED = {
    "ger": (98.07, 92.93, 90.48, 90.48, 81.09, 78.78, 77.14, 77.69, 56.05),
    "gli": (95.63, 81.35, 80.95, 80.95, 66.67, 59.92, 61.51, 56.75, 51.98),
    "hua": (99.31, 88.74, 87.59, 89.20, 86.44, 85.29, 68.05, 73.33, 48.51),
    "kkn": (99.17, 92.96, 92.35, 90.95, 82.49, 83.30, 82.49, 81.09, 77.06),
}


def corpus(name: str) -> list[Pair]:
    return list(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False)))


def table_2b(options: argparse.Namespace) -> None:
    stages = ("as given", "after remove", "after merge", "after swap")
    with Table(
        "georgi_tables-2b", "Match E→F in percent, ours / paper", "language", "pairs", *stages, "largest difference"
    ) as table:
        for name, paper in MATCH.items():
            result = analyze(corpus(name))
            ours = list(result.match_percentages().values())
            cells = [f"{a:.1f} / {b:.1f}" for a, b in zip(ours, paper, strict=True)]
            table.add(name, result.sentences, *cells, f"{max(abs(a - b) for a, b in zip(ours, paper, strict=True)):.1f}")


def table_4b(options: argparse.Namespace, gloss_links: bool = False) -> None:
    proj = str(Path(sys.executable).parent / "proj")
    command = [
        proj,
        "-q",
        "experiment",
        *(str(need(DATA / "odin" / name)) for name in PROJECTED),
        "--systems",
        ",".join(PROJECTING),
    ]
    command += ["--json", "--seed", str(options.seed), "--jobs", str(options.jobs), *(["--gloss-links"] if gloss_links else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    name = "georgi_tables-gloss-links" if gloss_links else "georgi_tables-4b"
    caption = f"UAS, 10 folds, gold E trees, links {'of the gloss aligner' if gloss_links else 'gold'}; ours / paper"
    with Table(name, caption, "language", *PROJECTING, seed=options.seed) as table:
        sums = dict.fromkeys(PROJECTING, 0.0)
        for row in map(json.loads, done.stdout.splitlines()):
            scores = [row["systems"][system]["uas"] for system in PROJECTING]
            sums = {system: sums[system] + uas / len(PROJECTED) for system, uas in zip(PROJECTING, scores, strict=True)}
            table.add(row["corpus"], *_beside(scores, PROJECTED[row["corpus"]]))
        table.add("average", *(f"{x:.2f}" for x in sums.values()))


def table_gloss_links(options: argparse.Namespace) -> None:
    table_4b(options, gloss_links=True)


def table_5b(options: argparse.Namespace) -> None:
    systems = (*PARSING, "s2+", "s4+")
    sums, tests = dict.fromkeys(systems, 0.0), []
    with Table(
        "georgi_tables-5b", "UAS, 10 folds, gold links and E trees; ours / paper", "language", *systems, seed=options.seed
    ) as table:
        for name, paper in PARSED.items():
            results = cross_validate(corpus(name), systems, seed=options.seed, jobs=options.jobs)
            scores = [results[system].scores.overall.uas for system in systems]
            sums = {system: sums[system] + uas / len(PARSED) for system, uas in zip(systems, scores, strict=True)}
            table.add(name, *_beside(scores, paper))
            tests.append(f"{name} {better(results, 's4+', 's2+'):.3f}")
        table.add("average", *(f"{x:.2f}" for x in sums.values()))
        table.note(f"s4+ against s2+, p: {', '.join(tests)}")
        reduction = (sums["s4-1"] - sums["s3-1"]) / (100 - sums["s3-1"])
        table.note(f"error reduction of S4-1 over S3-1: {100 * reduction:.1f} %")


def _beside(ours: list[float], paper: tuple[float, ...]) -> list[str]:
    """Return our figures, each with the paper's where it has one."""
    pairs = [f"{a:.2f} / {b:.2f}" for a, b in zip(ours, paper, strict=False)]
    return [*pairs, *(f"{x:.2f}" for x in ours[len(paper) :])]


TABLES = {"2b": table_2b, "4b": table_4b, "gloss-links": table_gloss_links, "5b": table_5b}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if unknown := [name for name in options.tables if name not in TABLES]:
        parser.error(f"no table {unknown[0]}; there are {', '.join(TABLES)}")
    for name in options.tables or TABLES:
        TABLES[name](options)


if __name__ == "__main__":
    main()
