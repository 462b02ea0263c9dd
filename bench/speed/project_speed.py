"""Projected sentences a minute on one core, from files to file, and memory as the corpus grows.

python bench/speed/project_speed.py [--corpus cdt-da] [--sentences 20000]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, measure, need
from bench.speed.analyze_speed import repeated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", default="odin/ger")
    parser.add_argument("--sentences", type=int, default=20_000)
    options = parser.parse_args()
    source = need(DATA / options.corpus)
    have = sum(1 for _ in (source / "align.txt").open())
    proj = str(Path(sys.executable).parent / "proj")
    caption = f"`proj project` on {options.corpus} repeated, files to file, one core"
    with (
        Table("project_speed", caption, "system", "sentences", "s", "sentences a minute", "MB") as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        rules = str(Path(folder) / "rules.json")
        measure(proj, "-q", "learn", str(repeated(source, Path(folder) / "gold", 1)), "-o", rules)
        for wanted in (options.sentences // 10, options.sentences):
            corpus = repeated(source, Path(folder) / "corpus", max(1, wanted // have))
            count = have * max(1, wanted // have)
            for system in ("s1-r", "s2-1", "s2+"):
                out = str(Path(folder) / "out.conllu")
                usage = measure(proj, "-q", "project", str(corpus), "--rules", rules, "--system", system, "-o", out)
                speed = f"{60 * count / usage.seconds:,.0f}"
                table.add(system, f"{count:,}", f"{usage.seconds:.1f}", speed, f"{usage.memory:.0f}")


if __name__ == "__main__":
    main()
