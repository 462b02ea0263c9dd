"""Tables 2b, 4b and 5b of Georgi et al. on ODIN, beside the paper's values.

python bench/accuracy/georgi_tables.py [2b] [4b] [gloss-links] [5b] [--seed 1] [--jobs 2]

2b: match of E with F after each stage. 4b: projection systems in ten folds, with gold links; `gloss-links`: the same with those of the
gloss aligner. 5b: parsing systems in ten folds. Without a name all are made.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj import analyze
from divproj.evaluation.experiment import better, cross_validate, with_gloss_links
from divproj.evaluation.papers import Dataset, Request, error_reduction, paper_figures

NAMES = ("gli", "ger", "hua", "kkn")
PROJECTING = ("s1-r", "s1-l", "s2-3", "s2-2", "s2-1", "s2+")
PARSING = ("oracle", "s4-1", "s4-2", "s4-3", "s3-1", "s3-2", "s3-3", "s3-4", "s3-5")


def corpora() -> list[Dataset]:
    return Request(tuple(str(need(DATA / "odin" / name)) for name in NAMES)).corpora()


def paper(table: str, column: str) -> dict[str, float]:
    about = paper_figures()[table]
    return dict(zip(about["columns"], about[column], strict=True))


def table_2b(options: argparse.Namespace) -> None:
    stages = ("as given", "after remove", "after merge", "after swap")
    with Table(
        "georgi_tables-2b", "Match E→F in percent, ours / paper", "language", "pairs", *stages, "largest difference"
    ) as table:
        for each in corpora():
            result = analyze(each.pairs)
            rows = zip(result.match_percentages().values(), paper("georgi-2b", each.column).values(), strict=True)
            both = list(rows)
            cells = [f"{a:.1f} / {b:.1f}" for a, b in both]
            table.add(each.column.lower(), result.sentences, *cells, f"{max(abs(a - b) for a, b in both):.1f}")


def table_4b(options: argparse.Namespace, gloss_links: bool = False) -> None:
    name = "georgi_tables-gloss-links" if gloss_links else "georgi_tables-4b"
    caption = f"UAS, 10 folds, gold E trees, links {'of the gloss aligner' if gloss_links else 'gold'}; ours / paper"
    sums = dict.fromkeys(PROJECTING, 0.0)
    with Table(name, caption, "language", *PROJECTING, seed=options.seed) as table:
        for each in sorted(corpora(), key=lambda data: data.column):
            pairs = with_gloss_links(each.pairs) if gloss_links else each.pairs
            results = cross_validate(pairs, PROJECTING, seed=options.seed, jobs=options.jobs)
            scores = {system: results[system].scores.overall.uas for system in PROJECTING}
            sums = {system: sums[system] + uas / len(NAMES) for system, uas in scores.items()}
            table.add(each.column.lower(), *_beside(scores, paper("georgi-4", each.column)))
        table.add("average", *(f"{x:.2f}" for x in sums.values()))


def table_gloss_links(options: argparse.Namespace) -> None:
    table_4b(options, gloss_links=True)


def table_5b(options: argparse.Namespace) -> None:
    systems = (*PARSING, "s2+", "s4+")
    sums, tests = dict.fromkeys(systems, 0.0), []
    with Table(
        "georgi_tables-5b", "UAS, 10 folds, gold links and E trees; ours / paper", "language", *systems, seed=options.seed
    ) as table:
        for each in sorted(corpora(), key=lambda data: data.column):
            results = cross_validate(each.pairs, systems, seed=options.seed, jobs=options.jobs)
            scores = {system: results[system].scores.overall.uas for system in systems}
            sums = {system: sums[system] + uas / len(NAMES) for system, uas in scores.items()}
            table.add(each.column.lower(), *_beside(scores, paper("georgi-5", each.column)))
            tests.append(f"{each.column.lower()} {better(results, 's4+', 's2+'):.3f}")
        table.add("average", *(f"{x:.2f}" for x in sums.values()))
        table.note(f"s4+ against s2+, p: {', '.join(tests)}")
        table.note(f"error reduction of S4-1 over S3-1: {error_reduction(sums['s4-1'], sums['s3-1']):.1f} %")


def _beside(ours: dict[str, float], theirs: dict[str, float]) -> list[str]:
    """Return our figures, each with the paper's where it has one."""
    return [f"{uas:.2f} / {theirs[system]:.2f}" if system in theirs else f"{uas:.2f}" for system, uas in ours.items()]


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
