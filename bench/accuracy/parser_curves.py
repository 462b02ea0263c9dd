"""S3-1, S4-1, s2+ and s4+ on Danish and UD PUD with 50, 200 and 1,000 training sentences; UAS without punctuation.

    python bench/accuracy/parser_curves.py [--sizes 50,200,1000] [--rows bench/out/curves.jsonl] [--plot docs/parser-curves.png]

One split a corpus: the last fifth is tested on, the training sentences are drawn from the rest with the seed. Rows that the file
already has are not measured again.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, OUT, RowLog, Table, need

from divproj import Corpus, Faults
from divproj.core.pair import Pair
from divproj.drawing.plot import learning_curves
from divproj.evaluation.trees import score_trees
from divproj.projection.direct import ProjectionInput
from divproj.projection.systems import train

SYSTEMS = ("s3-1", "s4-1", "s2+", "s4+")


def uas(system: str, learned: list[Pair], tested: list[Pair], seed: int) -> float:
    project = train(system, learned, seed=seed)
    made = [(pair.f, project(ProjectionInput.of(pair)).tree, (), ()) for pair in tested]
    return score_trees(made, punctuation=False).overall.uas


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="50,200,1000")
    parser.add_argument("--corpora", default="cdt-da,pud/fr,pud/ru,pud/zh")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--rows", type=Path, default=OUT / "curves.jsonl")
    options = parser.parse_args()
    kept = RowLog(options.rows)
    rows = {(name, size): scores for name, size, scores in kept.rows}
    caption = "UAS without punctuation on the last fifth, gold links and E trees"
    with Table("parser_curves", caption, "corpus", "trained on", *SYSTEMS, seed=options.seed) as table:
        for name in options.corpora.split(","):
            pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
            cut = len(pairs) * 4 // 5
            for size in (min(int(text), cut) for text in options.sizes.split(",")):
                if (name, size) not in rows:
                    drawn = sorted(random.Random(f"{options.seed}/{size}").sample(range(cut), size))
                    rows[name, size] = {s: uas(s, [pairs[k] for k in drawn], pairs[cut:], options.seed) for s in SYSTEMS}
                    kept.add([name, size, rows[name, size]])
                table.add(name, size, *(f"{rows[name, size][s]:.2f}" for s in SYSTEMS))
    if options.plot:
        curves = [(name, size if size < 700 else 1000, scores) for (name, size), scores in sorted(rows.items())]
        learning_curves(options.plot, curves)


if __name__ == "__main__":
    main()
