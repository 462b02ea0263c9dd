"""Time and memory of `proj words` as the text grows: Danish repeated, shuffled, a tenth of the words exchanged.

python bench/speed/words_growth.py [--pairs 1000,10000,100000] [--plot docs/words-growth.png]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, ROOT, Table, log_axes, measure, need

from divproj import Corpus, Faults
from divproj.drawing.plot import pyplot, save


def longer(pairs: list, count: int, folder: Path, seed: int = 1) -> tuple[Path, Path]:
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
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "words-growth.png")
    options = parser.parse_args()
    sizes = [int(x) for x in options.pairs.split(",")]
    pairs = list(Corpus.at(need(DATA / "cdt-da"), faults=Faults(strict=False)))
    proj = str(Path(sys.executable).parent / "proj")
    rows = []
    columns = ("pairs", "s", "s a 1,000 pairs", "MB", "s with -j 2", "MB of a process")
    with (
        Table("words_growth", "`proj words`, Danish repeated with substitutions", *columns, seed=1) as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        for size in sizes:
            f, e = longer(pairs, size, Path(folder))
            outs = [Path(folder) / name for name in ("one", "two")]
            command = (proj, "-q", "words", str(f), str(e), "-o")
            alone, shared = measure(*command, str(outs[0])), measure(*command, str(outs[1]), "-j", "2")
            assert outs[0].read_bytes() == outs[1].read_bytes()
            rows.append((size, alone.seconds, alone.memory))
            each = f"{1000 * alone.seconds / size:.2f}"
            table.add(
                f"{size:,}",
                f"{alone.seconds:.1f}",
                each,
                f"{alone.memory:.0f}",
                f"{shared.seconds:.1f}",
                f"{shared.memory:.0f}",
            )
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for panel, k, label in ((panels[0], 1, "seconds"), (panels[1], 2, "MB")):
        panel.plot([r[0] for r in rows], [r[k] for r in rows], marker="o")
        log_axes(panel, label)
    save(figure, options.plot)


if __name__ == "__main__":
    main()
