"""Table 2b of Georgi et al. (E→F match after each stage) on ODIN, beside the paper's values.

python bench/accuracy/match_table.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, about, need

from divproj import Corpus, Faults, analyze

PAPER = {
    "gli": (72.0, 87.8, 92.5, 94.1),
    "ger": (76.7, 93.9, 95.4, 96.8),
    "hua": (54.4, 95.7, 97.5, 97.5),
    "kkn": (56.0, 88.1, 95.4, 96.1),
}


def main() -> None:
    print(f"Match E→F in percent, ours / paper; {about()}")
    print(
        "| language | pairs | as given | after remove | after merge | after swap | largest difference |\n|---|---|---|---|---|---|---|"
    )
    for name, paper in PAPER.items():
        result = analyze(Corpus.at(need(DATA / "odin" / name), faults=Faults(strict=False)))
        ours = list(result.match_percentages().values())
        cells = [f"{a:.1f} / {b:.1f}" for a, b in zip(ours, paper, strict=True)]
        worst = max(abs(a - b) for a, b in zip(ours, paper, strict=True))
        print(f"| {name} | {result.sentences} | {' | '.join(cells)} | {worst:.1f} |")


if __name__ == "__main__":
    main()
