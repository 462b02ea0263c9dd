"""How long the first word takes: `proj --help`, `proj analyze` warm, and cold with nothing compiled yet.

python bench/speed/startup.py [--times 5]

Wanted: help in 0.4 s, a warm analysis of the sample corpora in 1.5 s, a cold first run in 15 s.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table, measure
from bench.tools.generate import generate

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
PROJ = str(Path(sys.executable).parent / "proj")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    samples = [str(ROOT / "corpora" / f"{name}-eng") for name in ("hin", "deu", "spa", "kor")]
    caption = f"Fastest of {times} runs (first run ever: one), by the clock and of processors"
    with (
        Table("startup", caption, "command", "wanted, s", "s", "CPU s", "MB") as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        large = Path(folder) / "large"
        generate(large, 2000, 1, **RATES)
        rows = [
            ("`proj --help`", 0.4, ["--help"], False),
            ("`proj analyze corpora/deu-eng`", 1.5, ["-q", "analyze", samples[1]], False),
            ("`proj analyze` of the four sample corpora", 1.5, ["-q", "analyze", *samples], False),
            ("`proj analyze`, 2,000 pairs, kernels on disk", 1.5, ["-q", "analyze", str(large)], False),
            ("`proj analyze`, 2,000 pairs, first run ever", 15, ["-q", "analyze", str(large)], True),
        ]
        for name, wanted, command, cold in rows:
            measure(PROJ, *command)
            runs = []
            for k in range(1 if cold else times):
                env = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / f"cache-{k}")} if cold else None
                runs.append(measure(PROJ, *command, env=env))
            best = min(runs, key=lambda usage: usage.seconds)
            table.add(name, wanted, f"{best.seconds:.2f}", f"{best.cpu:.2f}", f"{best.memory:.0f}")


if __name__ == "__main__":
    main()
