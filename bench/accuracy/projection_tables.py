"""Table 4b of Georgi et al.: projection systems by ten-fold cross-validation on ODIN, beside the paper's values.

python bench/accuracy/projection_tables.py [--gloss-links] [--seed 1] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, about, need

SYSTEMS = ("s1-r", "s1-l", "s2-3", "s2-2", "s2-1", "s2+")
PAPER = {
    "ger": (88.03, 88.03, 88.03, 88.71, 88.71),
    "gli": (86.90, 76.98, 86.90, 87.70, 87.70),
    "hua": (79.31, 79.54, 79.54, 90.11, 90.11),
    "kkn": (90.34, 88.93, 90.34, 91.55, 91.75),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--gloss-links", action="store_true")
    options = parser.parse_args()
    command = [
        str(Path(sys.executable).parent / "proj"),
        "-q",
        "experiment",
        *(str(need(DATA / "odin" / name)) for name in PAPER),
    ]
    command += ["--systems", ",".join(SYSTEMS), "--json", "--seed", options.seed, "--jobs", options.jobs]
    if options.gloss_links:
        command.append("--gloss-links")
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    print(f"UAS, 10 folds, seed {options.seed}, links: {'our gloss aligner' if options.gloss_links else 'gold'}; {about()}")
    print(f"| language | {' | '.join(SYSTEMS)} |\n|{'---|' * (len(SYSTEMS) + 1)}")
    sums = dict.fromkeys(SYSTEMS, 0.0)
    for line in done.stdout.splitlines():
        found = json.loads(line)
        cells = []
        for k, system in enumerate(SYSTEMS):
            uas = found["systems"][system]["uas"]
            sums[system] += uas / len(PAPER)
            cells.append(f"{uas:.2f}" + (f" / {PAPER[found['corpus']][k]:.2f}" if system != "s2+" else ""))
        print(f"| {found['corpus']} | {' | '.join(cells)} |")
    print(f"| average | {' | '.join(f'{x:.2f}' for x in sums.values())} |")


if __name__ == "__main__":
    main()
