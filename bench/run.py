"""Run every benchmark, one after the other, and print what belongs in RESULTS.md.

python bench/run.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPTS = (
    ("match_table.py",),
    ("analyze_speed.py",),
    ("gloss_alignment.py",),
    ("projection_tables.py",),
    ("projection_tables.py", "--gloss-links"),
    ("projection_large.py",),
    ("project_speed.py",),
    ("memory.py",),
    ("run_speed.py",),
    ("words_aer.py",),
    ("words_gloss_prior.py",),
    ("words_growth.py",),
    ("review_simulation.py", "--plot", "docs/review-curve.png"),
)


def main() -> None:
    here = Path(__file__).resolve().parent
    for script, *options in SCRIPTS:
        print(f"\n## python bench/{' '.join((script, *options))}\n", flush=True)
        subprocess.run([sys.executable, str(here / script), *options], check=False)


if __name__ == "__main__":
    main()
