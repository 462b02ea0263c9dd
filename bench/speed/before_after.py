"""Processor time of the same commands in two checkouts, in turns in one run; the ratio tells whether a change made them slower.

python bench/speed/before_after.py BEFORE AFTER [--times 3] [--pairs 10000] [--sentences 2000] [--only help project …]

The rows are those of startup.py, analyze_speed.py and project_speed.py. The least of the runs counts: other work on the machine only adds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, ROOT, about, measured, need
from bench.speed.analyze_speed import repeated
from bench.tools.generate import generate

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs=2, type=Path, metavar="CHECKOUT")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--sentences", type=int, default=2_000)
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        metavar="WORD",
        help="rows with one of these words, and `learn`, whose rules others need",
    )
    options = parser.parse_args()
    before, after = (path.resolve() for path in options.checkouts)
    samples = [str(ROOT / "corpora" / f"{name}-eng") for name in ("hin", "deu", "spa", "kor")]
    print(f"processor time, least of {options.times} runs in turns; {about()}\n")
    print("| command | before, CPU s | after, CPU s | ratio | before, MB | after, MB |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "large", 2000, 1, **RATES)
        danish, german = need(DATA / "cdt-da"), need(DATA / "odin" / "ger")
        pairs = repeated(danish, folder / "danish", max(1, options.pairs // _lines(danish)))
        text = repeated(german, folder / "german", max(1, options.sentences // _lines(german)))
        gold, out = repeated(german, folder / "gold", 1), str(folder / "out.conllu")
        rows: list[tuple[str, list[str]]] = [
            ("`proj --help`", ["--help"]),
            ("`proj analyze` of the four sample corpora", ["-q", "analyze", *samples]),
            ("`proj analyze`, 2,000 made pairs", ["-q", "analyze", str(folder / "large")]),
            (f"`proj analyze`, {_lines(pairs):,} pairs of cdt-da", ["-q", "analyze", str(pairs), "--json"]),
            ("`proj learn`, odin/ger", ["-q", "learn", str(gold), "-o", "RULES"]),
        ]
        for system in ("s1-r", "s2-1", "s2+"):
            command = ["-q", "project", str(text), "--rules", "RULES", "--system", system, "-o", out]
            rows.append((f"`proj project --system {system}`, {_lines(text):,} sentences", command))
        for title, command in rows:
            if options.only and not any(word in title for word in (*options.only, "learn")):
                continue
            took: dict[Path, list[tuple[float, float]]] = {before: [], after: []}
            for k in range(options.times + 1):
                for checkout in took:
                    rules = str(folder / f"{checkout == after}.json")
                    found = measured(*_proj(checkout, [rules if word == "RULES" else word for word in command]))
                    if k:  # the first run compiles
                        took[checkout].append((found.cpu, found.memory))
            (old, old_mb), (new, new_mb) = (min(runs) for runs in took.values())
            print(f"| {title} | {old:.2f} | {new:.2f} | {new / old:.2f} | {old_mb:.0f} | {new_mb:.0f} |", flush=True)


def _lines(corpus: Path) -> int:
    return sum(1 for _ in (corpus / "align.txt").open(encoding="utf-8"))


def _proj(checkout: Path, words: list[str]) -> list[str]:
    """The command with the sources of a checkout."""
    path = [str(checkout / part) for part in ("src", "cli")]
    code = f"import sys; sys.path[:0] = {path!r}; sys.argv[0] = 'proj'; from proj_cli import main; sys.exit(main())"
    return [sys.executable, "-c", code, *words]


if __name__ == "__main__":
    main()
