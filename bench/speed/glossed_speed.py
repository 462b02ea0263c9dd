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
from bench.common import DATA, ROOT, about, measured, need

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
    print(f"CPU seconds, the least of {options.times} turns, up to {options.cap} sentences a bank; {about()}")
    with tempfile.TemporaryDirectory() as folder:
        files = [str(bare(need(DATA / "glossbanks" / name), options.cap, Path(folder))[0]) for name in names]
        for system in options.systems.split(","):
            _table(system, names, [_best(path, system, files, options.times) for path in checkouts])


def _best(checkout: Path, system: str, files: list[str], times: int) -> list[tuple[float, int, str]]:
    """Seconds, sentences and digest of each file."""
    path = os.pathsep.join(str(checkout / part) for part in ("src", "cli"))
    env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    turns = [json.loads(measured(sys.executable, "-c", RUN, system, *files, env=env).text) for _ in range(times)]
    return [min(map(tuple, rows)) for rows in zip(*turns, strict=True)]


def _table(system: str, names: list[str], found: list[list[tuple[float, int, str]]]) -> None:
    titles = ("before", "now") if len(found) > 1 else ("now",)
    cells = " | ".join(f"{title}, s | sentences/s" for title in titles)
    print(f"\n{system}\n\n| bank | sentences | {cells} | same bytes |\n|---|---|{'---|---|' * len(found)}---|")
    for name, *rows in zip(names, *found, strict=True):
        _row(name, [(seconds, count) for seconds, count, _ in rows], len({digest for *_, digest in rows}) == 1)
    _row("all", [(sum(row[0] for row in rows), sum(row[1] for row in rows)) for rows in found])


def _row(name: str, runs: list[tuple[float, int]], same: bool | None = None) -> None:
    cells = " | ".join(f"{seconds:.2f} | {count / seconds:.0f}" for seconds, count in runs)
    verdict = "" if same is None or len(runs) < 2 else "yes" if same else "**no**"
    print(f"| {name} | {runs[-1][1]} | {cells} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
