"""Time and memory as a corpus grows 1×, 10×, 100×: reading and the commands that learn or walk, on generated pairs; udapi as peer.

python bench/speed/growth.py [--pairs 100000] [--seed 1] [--plot docs/growth.png] [--only reading|commands|learning]
python bench/speed/growth.py --only glossed [--pairs 100000]

Seconds are those of processors, start of Python included; memory is that of the largest process. s2+, parse and words get a tenth of the
pairs, align, induce and train a hundredth. `--only glossed` is glossed text, through `project` with the default system and `run`, a tenth of the pairs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table, Usage, log_axes, measure
from bench.tools.generate import generate, glossed

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
Row = tuple[int, Usage]
CAPTION = "generated pairs of 21 words, CPU seconds with the start of Python"
LEARNING = ("align", "induce", "train")
"""Commands that learn, in a table of their own."""


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
    part = corpus / name
    part.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (part / name).write_text("\n\n".join((corpus / name).read_text("utf-8").split("\n\n")[:pairs]) + "\n\n", "utf-8")
    links = (corpus / "align.txt").read_text("utf-8").splitlines(keepends=True)
    (part / "align.txt").write_text("".join(links[:pairs]), "utf-8")
    return part


def reading(corpus: Path, small: Path) -> tuple[Usage, float, Usage, float]:
    """The fast reader and udapi on the same two files: what each took, and words a second once it runs."""
    ours = measure(sys.executable, "-c", READ, str(corpus), str(small))
    theirs = measure(sys.executable, "-c", UDAPI, str(corpus / "f.conllu"), str(corpus / "e.conllu"))
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
        "train, a treebank": (few, ["train", str(bit / "f.conllu"), "-o", str(corpus / "parser"), "--set", "gold_tags=yes"]),
    }  # fmt: skip


def glossed_rows(folder: Path, sizes: list[int], seed: int) -> dict[str, list[Row]]:
    """Glossed text of an invented language through the commands that learn from it as they project."""
    commands: dict[str, list[Row]] = defaultdict(list)
    for size in sizes:
        here = folder / f"glossed-{size}"
        glossed(here, size, seed)
        (here / "divproj.toml").write_text('[input]\ntext = "igt.txt"\n')
        for name, words in {
            "project, glossed": ("project", str(here / "igt.txt"), "-o"),
            "run, glossed": ("run", str(here / "divproj.toml"), "-j", "1", "-o"),
        }.items():
            if size == sizes[0]:
                measure(PROJ, "-q", *words, str(here / f"warm {name}"))  # compiled code is on disk after this
            commands[name].append((size, measure(PROJ, "-q", *words, str(here / f"out {name}"))))
    return commands


def table_of(name: str, commands: dict[str, list[Row]], seed: int) -> None:
    caption = CAPTION.replace("pairs of 21 words", "glossed sentences") if name == "growth-glossed" else CAPTION
    with Table(name, caption, "command", "pairs", "CPU s", "s", "ms a pair, CPU", "MB", seed=seed) as table:
        for command, rows in commands.items():
            for pairs, usage in rows:
                each = f"{1000 * usage.cpu / pairs:.3f}"
                table.add(command, f"{pairs:,}", f"{usage.cpu:.1f}", f"{usage.seconds:.1f}", each, f"{usage.memory:.0f}")


def plot(commands: dict[str, list[Row]], path: Path) -> None:
    plt = pyplot()
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, label in ((panels[0], "CPU seconds"), (panels[1], "MB, largest process")):
        for name, rows in commands.items():
            values = [took.cpu if label.startswith("CPU") else took.memory for _, took in rows]
            panel.plot([pairs for pairs, _ in rows], values, marker="o", label=name)
        log_axes(panel, label)
    panels[0].legend(fontsize=8)
    save(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, default=ROOT / "docs" / "growth.png")
    parser.add_argument(
        "--only", choices=("reading", "commands", "learning", "glossed"), help="One of the tables; the plot is of `commands`."
    )
    options = parser.parse_args()
    parts = (options.only,) if options.only else ("reading", "commands", "learning")
    sizes = [options.pairs // 100, options.pairs // 10, options.pairs]
    commands: dict[str, list[Row]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        if options.only in (None, "glossed"):
            table_of("growth-glossed", glossed_rows(Path(folder), [size // 10 for size in sizes], options.seed), options.seed)
        if options.only == "glossed":
            return
        small = Path(folder) / "small"
        generate(small, 1000, options.seed + 1, **RATES)
        measure(PROJ, "-q", "learn", str(small), "-o", str(small / "rules.json"))
        corpora = {pairs: Path(folder) / f"corpus-{pairs}" for pairs in sizes}
        for pairs, corpus in corpora.items():
            generate(corpus, pairs, options.seed, **RATES)
        if "reading" in parts:
            read(corpora, small, options.seed)
        for pairs, corpus in corpora.items():
            for name, (count, command) in jobs(corpus, small, pairs).items():
                if ("learning" if name.startswith(LEARNING) else "commands") not in parts:
                    continue
                if pairs == sizes[0]:
                    measure(PROJ, "-q", *command)  # compiled code is on disk after this
                commands[name].append((count, measure(PROJ, "-q", *command)))
    for part in parts[-2:]:
        chosen = {name: rows for name, rows in commands.items() if name.startswith(LEARNING) == (part == "learning")}
        if chosen:
            table_of(f"growth-{part}", chosen, options.seed)
        if chosen and part == "commands":
            plot(chosen, options.plot)


def read(corpora: dict[int, Path], small: Path, seed: int) -> None:
    columns = [f"{reader}, {unit}" for reader in ("divproj", "udapi") for unit in ("words/s", "CPU s", "MB")]
    with Table("growth-reading", f"Reading f.conllu and e.conllu; {CAPTION}", "pairs", *columns, "times", seed=seed) as table:
        for pairs, corpus in corpora.items():
            ours, speed, theirs, slow = reading(corpus, small)
            cells = [
                f"{speed:,.0f}",
                f"{ours.cpu:.1f}",
                f"{ours.memory:.0f}",
                f"{slow:,.0f}",
                f"{theirs.cpu:.1f}",
                f"{theirs.memory:.0f}",
            ]
            table.add(f"{pairs:,}", *cells, f"{speed / slow:.0f}")


if __name__ == "__main__":
    main()
