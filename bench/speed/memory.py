"""Peak memory and time of `proj analyze` and `proj project` as a generated corpus grows; less than 1 GB is wanted.

python bench/speed/memory.py [--pairs 1000000] [--jobs 1] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import about, measured
from bench.tools.generate import generate

WANTED = 1024
RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    proj, jobs = str(Path(sys.executable).parent / "proj"), str(options.jobs)
    print(f"memory of the largest process, --jobs {jobs}, seed {options.seed}; {about()}")
    print(
        "| pairs | words | analyze, s | CPU s | MB | project s1-r, s | CPU s | MB | under 1 GB |\n|---|---|---|---|---|---|---|---|---|"
    )
    for pairs in (options.pairs // 10, options.pairs):
        with tempfile.TemporaryDirectory() as folder:
            corpus, out = Path(folder) / "corpus", str(Path(folder) / "out.conllu")
            made = generate(corpus, pairs, options.seed, **RATES)
            analyzed = measured(proj, "-q", "analyze", str(corpus), "--json", "--jobs", jobs)
            found = json.loads(analyzed.text)
            assert found["sentences"] == pairs
            assert sum(found["words"].values()) == made["words"]
            for kind, sides in (("remove", "e"), ("merge", "ef"), ("swap", "e")):
                assert sum(found["operations"][side][kind] for side in sides) == made[kind]  # what was made is found
            projected = measured(proj, "-q", "project", str(corpus), "-o", out, "--jobs", jobs)
            fits = "yes" if max(analyzed.memory, projected.memory) < WANTED else "NO"
            took = [f"{x.seconds:.1f} | {x.cpu:.1f} | {x.memory:.0f}" for x in (analyzed, projected)]
            cells = (f"{pairs:,}", f"{made['words']:,}", *took, fits)
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
