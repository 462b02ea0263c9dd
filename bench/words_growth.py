"""Time and memory of `proj words` as the text grows: Danish repeated, shuffled, a tenth of the words exchanged.

python bench/words_growth.py [--pairs 1000,10000,100000]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from common import DATA, OUT, about, need, run

from divproj import Corpus, Faults
from divproj.draw.plot import pyplot, save


def grown(pairs: list, count: int, folder: Path, seed: int = 1) -> tuple[Path, Path]:
    """So many pairs; one word in ten becomes a new one, on both sides alike in kind."""
    chance = random.Random(seed)
    paths = folder / "f.txt", folder / "e.txt"
    with paths[0].open("w", encoding="utf-8") as f_out, paths[1].open("w", encoding="utf-8") as e_out:
        for _ in range(count):
            pair = pairs[chance.randrange(len(pairs))]
            for tree, out in ((pair.f, f_out), (pair.e, e_out)):
                words = (f"{w}{chance.randrange(count // 10)}" if chance.random() < 0.1 else w for w in tree.forms)
                out.write(" ".join(words) + "\n")
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", default="1000,10000,100000")
    sizes = [int(x) for x in parser.parse_args().pairs.split(",")]
    pairs = list(Corpus.at(need(DATA / "cdt-da"), faults=Faults(strict=False)))
    proj = str(Path(sys.executable).parent / "proj")
    print(f"proj words, Danish repeated with substitutions, seed 1; {about()}")
    print("| pairs | s | s a 1,000 pairs | MB |\n|---|---|---|---|")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            f, e = grown(pairs, size, Path(folder))
            seconds, memory, _ = run(proj, "-q", "words", str(f), str(e), "-o", str(Path(folder) / "links"))
            rows.append((size, seconds, memory))
            print(f"| {size:,} | {seconds:.1f} | {1000 * seconds / size:.2f} | {memory:.0f} |", flush=True)
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for panel, k, label in ((panels[0], 1, "seconds"), (panels[1], 2, "MB")):
        panel.loglog([r[0] for r in rows], [r[k] for r in rows], marker="o")
        panel.set_xlabel("pairs")
        panel.set_ylabel(label)
        panel.grid(alpha=0.3)
    OUT.mkdir(exist_ok=True)
    save(figure, OUT / "words_growth.png")


if __name__ == "__main__":
    main()
