"""Time and memory as a corpus grows 1×, 10×, 100×: reading and the commands that learn or walk, on generated pairs; udapi as peer.

python bench/speed/growth.py [--pairs 100000] [--seed 1] [--plot docs/growth.png] [--only align,induce,train]

Seconds are those of processors, start of Python included; memory is that of the largest process. s2+, parse and words get a tenth of the
pairs, align, induce and train a hundredth.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Measured, about, grown, measured
from bench.tools.generate import generate

from divproj.drawing.plot import pyplot, save

RATES = {"remove": 0.1, "merge": 0.1, "swap": 0.05}
PROJ = str(Path(sys.executable).parent / "proj")
READ = """
import sys, time
from divproj import Corpus
list(Corpus.at(sys.argv[2]).batches())
start = time.process_time()
words = sum(batch.words for batch in Corpus.at(sys.argv[1]).batches())
print(words, time.process_time() - start)
"""
UDAPI = """
import sys, time
from udapi.core.document import Document
start, words = time.process_time(), 0
for path in sys.argv[1:]:
    document = Document()
    document.load_conllu(path)
    words += sum(len(tree.descendants) for bundle in document.bundles for tree in bundle.trees)
print(words, time.process_time() - start)
"""
Row = tuple[int, Measured]


def columns(corpus: Path, name: str, column: int, pairs: int) -> Path:
    """A column of the first sentences of a CoNLL-U file as text, a sentence a line."""
    out = corpus / f"{name}.txt"
    with (corpus / f"{name}.conllu").open(encoding="utf-8") as rows, out.open("w", encoding="utf-8") as text:
        words: list[str] = []
        for row in rows:
            if row.startswith("#"):
                continue
            if row.strip():
                words.append(row.split("\t")[column])
            elif words:
                text.write(" ".join(words) + "\n")
                words, pairs = [], pairs - 1
                if not pairs:
                    break
    return out


def cut(corpus: Path, pairs: int, name: str) -> Path:
    """The first pairs of a corpus, as one of their own."""
    made = corpus / name
    made.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (made / name).write_text("\n\n".join((corpus / name).read_text("utf-8").split("\n\n")[:pairs]) + "\n\n", "utf-8")
    links = (corpus / "align.txt").read_text("utf-8").splitlines(keepends=True)
    (made / "align.txt").write_text("".join(links[:pairs]), "utf-8")
    return made


def reading(corpus: Path, small: Path) -> tuple[Measured, float, Measured, float]:
    """The fast reader and udapi on the same two files: what each took, and words a second once it runs."""
    ours = measured(sys.executable, "-c", READ, str(corpus), str(small))
    theirs = measured(sys.executable, "-c", UDAPI, str(corpus / "f.conllu"), str(corpus / "e.conllu"))
    speeds = [int(words) / float(seconds) for words, seconds in (ours.text.split(), theirs.text.split())]
    return ours, speeds[0], theirs, speeds[1]


def jobs(corpus: Path, small: Path, pairs: int) -> dict[str, tuple[int, list[str]]]:
    """Commands by what they are called, with the number of pairs each gets."""
    tenth, few = pairs // 10, max(1, pairs // 100)
    f, e = columns(corpus, "f", 1, tenth), columns(corpus, "e", 1, tenth)
    part, bit = cut(corpus, tenth, "part"), cut(corpus, few, "bit")
    out, rules = str(corpus / "out"), str(small / "rules.json")
    return {
        "analyze": (pairs, ["analyze", str(corpus), "--json"]),
        "project s1-r": (pairs, ["project", str(corpus), "--system", "s1-r", "-o", out]),
        "project s2+": (tenth, ["project", str(part), "--rules", rules, "--system", "s2+", "-o", out]),
        "parse": (tenth, ["parse", str(e), "--lang", "en", "--keep-lines", "-o", out]),
        "words": (tenth, ["words", str(f), str(e), "-o", out]),
        "align": (few, ["align", "pairs", *(str(bit / name) for name in ("f.conllu", "e.conllu")), "--links", str(bit / "align.txt"), "-o", out]),
        "induce, 10 sweeps": (few, ["induce", "train", str(bit), "-o", str(corpus / "grammar"), "--sweeps", "10"]),
        "train, a treebank": (few, ["train", str(bit / "f.conllu"), "-o", str(corpus / "parser"), "--gold-tags"]),
    }  # fmt: skip


def table(found: dict[str, list[Row]]) -> None:
    print("\n| command | pairs | CPU s | s | ms a pair, CPU | MB |\n|---|---|---|---|---|---|")
    for name, rows in found.items():
        for pairs, took in rows:
            each = f"{1000 * took.cpu / pairs:.3f}"
            print(f"| {name} | {pairs:,} | {took.cpu:.1f} | {took.seconds:.1f} | {each} | {took.memory:.0f} |", flush=True)


def plot(found: dict[str, list[Row]], path: Path) -> None:
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, label in ((panels[0], "CPU seconds"), (panels[1], "MB, largest process")):
        for name, rows in found.items():
            values = [took.cpu if label.startswith("CPU") else took.memory for _, took in rows]
            panel.plot([pairs for pairs, _ in rows], values, marker="o", label=name)
        grown(panel, label)
    panels[0].legend(fontsize=8)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "growth.png")
    parser.add_argument("--only", default="", help="Commands, by how their names begin; nothing is plotted then.")
    options = parser.parse_args()
    only = tuple(filter(None, options.only.split(",")))
    sizes = [options.pairs // 100, options.pairs // 10, options.pairs]
    print(f"generated pairs of 21 words, seed {options.seed}, CPU seconds with the start of Python; {about()}\n")
    found: dict[str, list[Row]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small"
        generate(small, 1000, options.seed + 1, **RATES)
        measured(PROJ, "-q", "learn", str(small), "-o", str(small / "rules.json"))
        if not only:
            print("| reading f.conllu, e.conllu | divproj, words/s | CPU s | MB | udapi, words/s | CPU s | MB | times |")
            print("|---|---|---|---|---|---|---|---|")
        for pairs in sizes:
            corpus = Path(folder) / f"corpus-{pairs}"
            generate(corpus, pairs, options.seed, **RATES)
            if not only:
                ours, speed, theirs, slow = reading(corpus, small)
                cells = (
                    f"{speed:,.0f} | {ours.cpu:.1f} | {ours.memory:.0f} | {slow:,.0f} | {theirs.cpu:.1f} | {theirs.memory:.0f}"
                )
                print(f"| {pairs:,} pairs | {cells} | {speed / slow:.0f} |", flush=True)
            for name, (count, command) in jobs(corpus, small, pairs).items():
                if only and not name.startswith(only):
                    continue
                if pairs == sizes[0]:
                    measured(PROJ, "-q", *command)  # compiled code is on disk after this
                found[name].append((count, measured(PROJ, "-q", *command)))
        table(found)
    if not only:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
