"""Where people wait: commands and the parser of an earlier checkout and of this one, in turns.

python bench/speed/waiting.py --before CHECKOUT [--times 3] [--only train,project]

CPU seconds, the best of so many turns each (training: of two). Kernels are on disk but for the first runs ever, which start with an
empty cache. udapi's reading of the same two files is the peer of `analyze`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, ROOT, about, measured, need
from bench.speed.analyze_speed import LOAD, repeated
from bench.speed.growth import cut

PARSER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from bench.accuracy.parser_ewt import trees
from divproj.parsing.parser import MstParser
train, dev = trees("train")[: int(sys.argv[2])], trees("dev")
MstParser(order=2, epochs=1).fit(train[:3]).predict(dev[:3])
start = time.process_time()
parser = MstParser(order=2).fit(train)
trained = time.process_time()
found = parser.predict(dev)
took = time.process_time() - trained
right = sum(a == b for x, y in zip(found, dev) for a, b in zip(x.heads, y.heads))
print(trained - start, len(dev) / took, 100 * right / sum(map(len, dev)))
"""
SENTENCES = 500
"""Training sentences of the second-order parser."""


class Two:
    """The two checkouts, each measured in turns; the best of each."""

    def __init__(self, before: Path, times: int, folder: Path) -> None:
        self.sources, self.times, self.folder = (before, ROOT), times, folder

    def python(self, *arguments: str, times: int = 0, cold: bool = False) -> list[tuple[float, str]]:
        """CPU seconds and output of both."""
        best: list[tuple[float, str]] = [(float("inf"), "")] * 2
        for turn in range(times or self.times):
            for k, source in enumerate(self.sources):
                path = os.pathsep.join(str(source / name) for name in ("src", "cli"))
                env = {**os.environ, "PYTHONPATH": path}
                if cold:
                    env["NUMBA_CACHE_DIR"] = str(self.folder / f"cache-{k}-{turn}")
                took = measured(sys.executable, *arguments, env=env)
                best[k] = min(best[k], (took.cpu, took.text))
        return best

    def proj(self, *arguments: str, times: int = 0, cold: bool = False) -> list[float]:
        return [cpu for cpu, _ in self.python("-m", "divproj", "-q", *arguments, times=times, cold=cold)]


def row(name: str, wanted: str, before: float, after: float, form: str = ".2f", larger: bool = False) -> None:
    times = after / before if larger else before / after
    print(f"| {name} | {before:{form}} | {after:{form}} | {times:.2f} | {wanted} |", flush=True)


def parts(two: Two, here: Path) -> Iterator[tuple[str, object]]:
    """What can be measured, by name."""
    out = str(here / "out")

    def train() -> None:
        corpus = cut(repeated(need(DATA / "pud" / "fr"), here / "fr", 1), 120, "part")
        a, b = two.proj("train", str(corpus), "-o", str(here / "model"), times=2)
        row("`train` (s4+), 120 pairs of PUD French, s", "15", a, b)

    def project() -> None:
        source, times = need(DATA / "odin" / "ger"), 40
        rules, corpus = str(here / "rules.json"), repeated(source, here / "ger", times)
        two.proj("learn", str(source), "-o", rules, times=1)
        count = times * sum(1 for _ in (source / "align.txt").open())
        a, b = (60 * count / s for s in two.proj("project", str(corpus), "--system", "s2+", "--rules", rules, "-o", out))
        row(
            f"`project`, s2+, {count:,} sentences of ODIN German: sentences a minute, start included",
            "100,000",
            a,
            b,
            ",.0f",
            True,
        )

    def first() -> None:
        a, b = two.proj("project", str(ROOT / "tutorial" / "turkish.flextext"), "-o", out, times=1, cold=True)
        row("first run ever: `project` of the tutorial's FLEx file, s", "8", a, b)
        lines = [x[9:] for x in next((DATA / "ewt").glob("*dev*")).read_text("utf-8").splitlines() if x.startswith("# text = ")]
        text = here / "text.txt"
        text.write_text("\n".join(lines[:500]), "utf-8")
        a, b = two.proj("parse", str(text), "--lang", "en", "-o", out, times=1, cold=True)
        row("first run ever: `parse` of 500 lines of English, s", "8", a, b)

    def parser() -> None:
        found = two.python("-c", PARSER, str(ROOT / "bench"), str(SENTENCES))
        (fit, speed, uas), (new_fit, new_speed, new_uas) = (map(float, text.split()) for _, text in found)
        row(f"second-order parser: training on {SENTENCES} sentences of EWT, s", "", fit, new_fit)
        row("the same: sentences a second", "2,000", speed, new_speed, ",.0f", True)
        row("the same: UAS (must not change)", "", uas, new_uas, larger=True)

    def analyze() -> None:
        corpus = repeated(need(DATA / "cdt-da"), here / "da", 1)
        two.proj("analyze", str(corpus), "--json", times=1)
        a, b = two.proj("analyze", str(corpus), "--json")
        peer = min(
            measured(sys.executable, "-c", LOAD, *(str(corpus / x) for x in ("f.conllu", "e.conllu"))).cpu
            for _ in range(two.times)
        )
        row("`analyze`, 2,000 pairs of Danish, s", f"{peer:.2f} (udapi)", a, b)

    yield from (("train", train), ("project", project), ("first", first), ("parser", parser), ("analyze", analyze))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--before", type=Path, required=True, help="An earlier checkout.")
    asked.add_argument("--times", type=int, default=3)
    asked.add_argument("--only", default="")
    options = asked.parse_args()
    print(f"CPU seconds, before and after in turns; {about()}\n")
    print("| what | before | after | times better | wanted |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for part, measure in parts(Two(options.before.resolve(), options.times, Path(name)), Path(name)):
            if not options.only or part in options.only.split(","):
                measure()  # type: ignore[operator]


if __name__ == "__main__":
    main()
