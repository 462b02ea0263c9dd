"""Processor time of the same commands in two checkouts, in turns in one run: whether a change made them slower.

python bench/speed/before_after.py BEFORE AFTER [--times 3] [--pairs 10000] [--sentences 2000] [--only help project …]

The least of the runs counts: other work on the machine only adds. Kernels are compiled and on disk, but for the first runs ever, which
begin with an empty cache and are measured once.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, ROOT, Table, Usage, measure, need
from bench.speed.analyze_speed import repeated
from bench.speed.growth import cut
from bench.tools.generate import generate

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
RULES, OUTPUT = "RULES", "OUTPUT"
"""Words of a command that stand for files of each checkout."""


class Command(NamedTuple):
    """A command of `proj` to be timed; `cold`: with nothing compiled yet."""

    title: str
    words: list[str]
    cold: bool = False


def commands(folder: Path, pairs: int, sentences: int) -> Iterator[Command]:
    """Yield what is measured; `learn` comes before the commands that use its rules."""
    danish, german, french = (need(DATA / name) for name in ("cdt-da", "odin/ger", "pud/fr"))
    generate(folder / "large", 2000, 1, **RATES)
    samples = [str(ROOT / "corpora" / f"{name}-eng") for name in ("hin", "deu", "spa", "kor")]
    corpus = repeated(danish, folder / "danish", max(1, pairs // _lines(danish)))
    text = repeated(german, folder / "german", max(1, sentences // _lines(german)))
    few = cut(repeated(french, folder / "french", 1), 120, "part")
    lines = [
        line[9:]
        for line in next(need(DATA / "ewt").glob("*dev*")).read_text("utf-8").splitlines()
        if line.startswith("# text = ")
    ]
    (folder / "english.txt").write_text("\n".join(lines[:500]), "utf-8")
    yield Command("`proj --help`", ["--help"])
    yield Command("`proj analyze` of the four sample corpora", ["-q", "analyze", *samples])
    yield Command("`proj analyze`, 2,000 generated pairs", ["-q", "analyze", str(folder / "large")])
    yield Command(f"`proj analyze`, {_lines(corpus):,} pairs of cdt-da", ["-q", "analyze", str(corpus), "--json"])
    yield Command("`proj learn`, odin/ger", ["-q", "learn", str(repeated(german, folder / "gold", 1)), "-o", RULES])
    for system in ("s1-r", "s1-l", "s2+"):
        rules = ["--rules", RULES] if system == "s2+" else []
        words = ["-q", "project", str(text), *rules, "--system", system, "-o", OUTPUT]
        yield Command(f"`proj project --system {system}`, {_lines(text):,} sentences", words)
    yield Command("`proj project` of glossed text, odin/ger", ["-q", "project", str(german / "igt.txt"), "-o", OUTPUT])
    sides = [str(german / name) for name in ("f.conllu", "e.conllu")]
    yield Command("`proj words`, 2,000 generated pairs", ["-q", "words", str(folder / "large"), "-o", OUTPUT])
    yield Command(
        "`proj align`, odin/ger", ["-q", "align", "pairs", *sides, "--links", str(german / "align.txt"), "-o", OUTPUT]
    )
    parse = ["-q", "parse", str(folder / "english.txt"), "--lang", "en", "-o", OUTPUT]
    yield Command("`proj parse`, 500 lines of English", parse)
    yield Command("`proj train` (s4+), 120 pairs of pud/fr", ["-q", "train", str(few), "-o", f"{OUTPUT}-model"])
    flex = str(ROOT / "tutorial" / "turkish.flextext")
    yield Command(
        "first run ever: `proj project` of the tutorial's FLEx file", ["-q", "project", flex, "-o", OUTPUT], cold=True
    )
    yield Command("first run ever: `proj parse`, 500 lines of English", parse, cold=True)


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
    columns = ("before, CPU s", "after, CPU s", "ratio", "before, MB", "after, MB")
    caption = f"CPU time, the least of {options.times} runs in turns"
    with Table("before_after", caption, "command", *columns) as table, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command in commands(folder, options.pairs, options.sentences):
            if options.only and not any(word in command.title for word in (*options.only, "learn")):
                continue
            usages: dict[Path, list[Usage]] = {before: [], after: []}
            for k in range(1 if command.cold else options.times + 1):
                for checkout, runs in usages.items():
                    usage = timed(command, checkout, folder / ("before" if checkout == before else "after"))
                    if k or command.cold:  # the first run compiles
                        runs.append(usage)
            old, new = (min(runs, key=lambda usage: usage.cpu) for runs in usages.values())
            table.add(
                command.title,
                f"{old.cpu:.2f}",
                f"{new.cpu:.2f}",
                f"{new.cpu / old.cpu:.2f}",
                f"{old.memory:.0f}",
                f"{new.memory:.0f}",
            )


def timed(command: Command, checkout: Path, place: Path) -> Usage:
    """Return what a command takes with the code of a checkout; `place` begins the names of its files."""
    files = {RULES: f"{place}-rules.json", OUTPUT: f"{place}-output", f"{OUTPUT}-model": f"{place}-model"}
    path = [str(checkout / part) for part in ("src", "cli")]
    code = f"import sys; sys.path[:0] = {path!r}; sys.argv[0] = 'proj'; from proj_cli import main; sys.exit(main())"
    env = {**os.environ, "NUMBA_CACHE_DIR": tempfile.mkdtemp(dir=place.parent)} if command.cold else None
    return measure(sys.executable, "-c", code, *(files.get(word, word) for word in command.words), env=env)


def _lines(corpus: Path) -> int:
    return sum(1 for _ in (corpus / "align.txt").open(encoding="utf-8"))


if __name__ == "__main__":
    main()
