"""Sentences a second for glossed text without trees, English parse and links included, in checkouts in turns in one run.

    python bench/speed/glossed_speed.py [--before CHECKOUT] [--banks hau_s,kir,myv,yor] [--cap 200] [--systems s6] [--times 2]

Each bank comes without its trees and tags and is read, parsed, linked, projected and turned into rows, as `proj project` does it. Processor time of
one process per checkout and system, one thread, the least of so many turns; start, model files and kernels (compiled and on disk) come
before the clock. The last column says whether both checkouts wrote the same bytes. Goal of s6: 200 a second.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.ud_drafts import bare
from bench.common import DATA, ROOT, Table, measure, need

RUN = """
import hashlib, json, sys, time, warnings
from divproj import projector, read
warnings.simplefilter("ignore")

def drafts(path):
    return "".join(pair.sentence.to_conllu() for pair in projector(sys.argv[1]).pipe(read(path)))

for path in sys.argv[2:]:
    drafts(path)
found = []
for path in sys.argv[2:]:
    start = time.process_time()
    text = drafts(path)
    found.append((time.process_time() - start, text.count("\\n\\n"), hashlib.sha256(text.encode()).hexdigest()))
print(json.dumps(found))
"""
"""Everything is projected twice: the first time loads models and kernels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="An earlier checkout.")
    parser.add_argument("--banks", default="hau_s,kir,myv,yor", help="Names in glossbanks, or all.")
    parser.add_argument("--cap", type=int, default=200, help="Sentences of a bank: the first.")
    parser.add_argument("--systems", default="s6")
    parser.add_argument("--times", type=int, default=2)
    options = parser.parse_args()
    have = sorted(path for path in need(DATA / "glossbanks").iterdir() if path.is_dir())
    names = [path.name for path in have] if options.banks == "all" else options.banks.split(",")
    checkouts = [path.resolve() for path in (options.before, ROOT) if path]
    titles, systems = ("before", "now")[-len(checkouts) :], options.systems.split(",")
    with tempfile.TemporaryDirectory() as folder:
        files = [str(bare(need(DATA / "glossbanks" / name), options.cap, Path(folder))[0]) for name in names]
        runs = [[_best(path, system, files, options.times) for path in checkouts] for system in systems]
    columns = [f"{system} {title}, {unit}" for system in systems for title in titles for unit in ("s", "sentences/s")]
    caption = f"CPU seconds, the least of {options.times} turns, up to {options.cap} sentences a bank"
    with Table("glossed_speed", caption, "bank", "sentences", *columns, "same bytes") as table:
        for k, name in enumerate(names):
            rows = [run[k] for system in runs for run in system]
            equal = all(len({run[k][2] for run in system}) == 1 for system in runs)
            table.add(name, rows[0][1], *_cells(rows), "" if len(checkouts) < 2 else "yes" if equal else "no")
        sums = [(sum(row[0] for row in run), sum(row[1] for row in run), "") for system in runs for run in system]
        table.add("all", sums[0][1], *_cells(sums), "")


def _cells(rows: list[tuple[float, int, str]]) -> list[str]:
    return [cell for seconds, count, _ in rows for cell in (f"{seconds:.2f}", f"{count / seconds:.0f}")]


def _best(checkout: Path, system: str, files: list[str], times: int) -> list[tuple[float, int, str]]:
    """Seconds, sentences and digest of each file."""
    path = os.pathsep.join(str(checkout / part) for part in ("src", "cli"))
    env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    turns = [json.loads(measure(sys.executable, "-c", RUN, system, *files, env=env).text) for _ in range(times)]
    return [min(map(tuple, rows)) for rows in zip(*turns, strict=True)]


if __name__ == "__main__":
    main()
