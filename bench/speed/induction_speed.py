"""Speed of the bilingual sampler: compiled against plain Python, seconds a sweep as the text grows, memory over sweeps.

    python bench/speed/induction_speed.py [--pairs 500,1000,2000,4000] [--plain 12]

The pairs are real ones of 30 words or fewer, Danish, French, Russian and Chinese with English, UPOS tags, gold links.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, OUT, Table, need

from divproj import Corpus, Faults
from divproj.drawing.plot import pyplot, save
from divproj.induction import inducer
from divproj.induction.inducer import BilingualInducer
from divproj.induction.reading import TagPair, tag_pair

SETTINGS = {"start": "uniform"}


def pairs_of(count: int) -> list[TagPair]:
    corpora = [Corpus.at(need(DATA / name), faults=Faults(strict=False)) for name in ("pud/fr", "pud/ru", "pud/zh", "cdt-da")]
    made = [tag_pair(pair, "upos") for corpus in corpora for pair in corpus]
    return [p for p in made if p.f and p.e and max(len(p.f), len(p.e)) <= 30][:count]


def sweep_seconds(pairs: list[TagPair], sweeps: int, **more: object) -> tuple[BilingualInducer, list[float], list[float]]:
    """Seconds of processor time and peak megabytes after each sweep."""
    model = BilingualInducer(**SETTINGS | more).begin(pairs)
    model.last_ = sweeps
    seconds, memory = [], []
    for _ in range(sweeps):
        model.done_ += 1
        start = time.process_time()
        model._sweep()
        seconds.append(time.process_time() - start)
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return model, seconds, memory


def against_plain(count: int) -> str:
    pairs = pairs_of(4000)[:: 4000 // count][:count]
    found = {}
    for name in ("compiled", "plain"):
        inducer.fast = lambda kernel, words, name=name: getattr(kernel, name)
        found[name] = sweep_seconds(pairs, 2)
    inducer.fast = lambda kernel, words: kernel.compiled
    same = (found["plain"][0].state_.mate == found["compiled"][0].state_.mate).all()
    plain, fast = found["plain"][1][1], found["compiled"][1][1]
    _, many, _ = sweep_seconds(pairs * 40, 2)
    return (
        f"{count} pairs, second sweep: plain Python {plain:.2f} s, compiled {1000 * fast:.2f} ms: {plain / fast:.0f} times faster; "
        f"same trees and alignments: {'yes' if same else 'NO'} (the pairs 40 times over: {1000 * many[1] / 40:.2f} ms each)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", default="500,1000,2000,4000")
    parser.add_argument("--plain", type=int, default=12, help="pairs for the comparison with plain Python; 0: none")
    parser.add_argument("--sweeps", type=int, default=12)
    options = parser.parse_args()
    rows = []
    caption = "Bilingual sampler, pairs of 30 words or fewer, both moves, CPU time"
    columns = ("pairs", "s a sweep", "ms a pair", "MB after 2 sweeps", "MB at the end")
    with Table("induction_speed", caption, *columns, seed=1) as table:
        if options.plain:
            table.note(against_plain(options.plain))
        for size in map(int, options.pairs.split(",")):
            pairs = pairs_of(size)
            _, seconds, memory = sweep_seconds(pairs, options.sweeps)
            mean = sum(seconds[1:]) / len(seconds[1:])
            rows.append((len(pairs), mean))
            cells = (f"{mean:.2f}", f"{1000 * mean / len(pairs):.3f}", f"{memory[1]:.0f}", f"{memory[-1]:.0f}")
            table.add(f"{len(pairs):,}", *cells)
    plt = pyplot()
    figure, panel = plt.subplots(figsize=(4.2, 3.2), layout="constrained")
    panel.plot([r[0] for r in rows], [r[1] for r in rows], marker="o")
    panel.set_xlabel("pairs")
    panel.set_ylabel("seconds a sweep")
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    OUT.mkdir(exist_ok=True)
    save(figure, OUT / "induction_growth.png")


if __name__ == "__main__":
    main()
