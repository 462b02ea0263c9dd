"""S1, S2-1 and s2+ on Danish (all words linked) and UD PUD (content words linked), UAS without punctuation.

    python bench/accuracy/projection_large.py [--folds 5] [--sentences 500]

Error reduction is that of s2+ over the better S1.
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

from divproj import Corpus, Faults
from divproj.evaluation.experiment import cross_validate

SYSTEMS = ("s1-r", "s1-l", "s2-1", "s2+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    caption = f"UAS without punctuation, {options.folds} folds, first {options.sentences:,} pairs"
    with Table("projection_large", caption, "corpus", *SYSTEMS, "error reduction", seed=1) as table:
        for name in ("cdt-da", "pud/fr", "pud/ru", "pud/zh"):
            pairs = list(islice(Corpus.at(need(DATA / name), faults=Faults(strict=False)), options.sentences))
            results = cross_validate(pairs, SYSTEMS, folds=options.folds, seed=1, punctuation=False, jobs=options.jobs)
            uas = [results[system].scores.overall.uas for system in SYSTEMS]
            reduction = (uas[3] - max(uas[:2])) / (100 - max(uas[:2]))
            table.add(name, *(f"{x:.2f}" for x in uas), f"{100 * reduction:.1f} %")


if __name__ == "__main__":
    main()
