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
from bench.common import Table, measure
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
    columns = [f"{command}, {unit}" for command in ("analyze", "project s1-r") for unit in ("s", "CPU s", "MB")]
    table = Table(
        "memory", "Memory of the largest process, one job", "pairs", "words", *columns, "under 1 GB", seed=options.seed
    )
    with table:
        measure_sizes(table, options, proj, jobs)


def measure_sizes(table: Table, options: argparse.Namespace, proj: str, jobs: str) -> None:
    """Add a row for a tenth of the pairs and one for all of them; leave with an error if a divergence is not found."""
    for pairs in (options.pairs // 10, options.pairs):
        with tempfile.TemporaryDirectory() as folder:
            corpus, out = Path(folder) / "corpus", str(Path(folder) / "out.conllu")
            generated = generate(corpus, pairs, options.seed, **RATES)
            analyzed = measure(proj, "-q", "analyze", str(corpus), "--json", "--jobs", jobs)
            counts = json.loads(analyzed.text)
            assert counts["sentences"] == pairs
            assert sum(counts["words"].values()) == generated["words"]
            for kind, sides in (("remove", "e"), ("merge", "ef"), ("swap", "e")):
                assert sum(counts["operations"][side][kind] for side in sides) == generated[kind]
            projected = measure(proj, "-q", "project", str(corpus), "--system", "s1-r", "-o", out, "--jobs", jobs)
            fits = "yes" if max(analyzed.memory, projected.memory) < WANTED else "NO"
            cells = [f for x in (analyzed, projected) for f in (f"{x.seconds:.1f}", f"{x.cpu:.1f}", f"{x.memory:.0f}")]
            table.add(f"{pairs:,}", f"{generated['words']:,}", *cells, fits)


if __name__ == "__main__":
    main()
