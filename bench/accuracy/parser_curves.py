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
from bench.common import DATA, OUT, RowLog, about, need

from divproj import Corpus, Faults
from divproj.data.pair import Pair
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
    print(f"UAS without punctuation, seed {options.seed}; {about()}")
    print(f"| corpus | trained on | {' | '.join(SYSTEMS)} |\n|{'---|' * (len(SYSTEMS) + 2)}")
    kept = RowLog(options.rows)
    rows = {(name, size): found for name, size, found in kept.rows}
    for name in options.corpora.split(","):
        pairs = list(Corpus.at(need(DATA / name), faults=Faults(strict=False)))
        cut = len(pairs) * 4 // 5
        for size in (min(int(text), cut) for text in options.sizes.split(",")):
            if (name, size) not in rows:
                drawn = sorted(random.Random(f"{options.seed}/{size}").sample(range(cut), size))
                rows[name, size] = {s: uas(s, [pairs[k] for k in drawn], pairs[cut:], options.seed) for s in SYSTEMS}
                kept.add([name, size, rows[name, size]])
            print(f"| {name} | {size} | {' | '.join(f'{rows[name, size][s]:.2f}' for s in SYSTEMS)} |", flush=True)
    if options.plot:
        learning_curves(
            options.plot, [(name, size if size < 700 else 1000, found) for (name, size), found in sorted(rows.items())]
        )


if __name__ == "__main__":
    main()
