"""`proj run` from raw three-line text to report, cold and then with one change: seconds, processor seconds, memory, stages.

The text is made of the Hindi sample corpus: its own sentences, which have gold trees, and others put together from them.

python bench/speed/run_speed.py [--sentences 1000] [--system s4+] [--parser en]
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table, measure

CORPUS = ROOT / "corpora" / "hin-eng"
CONFIG = """\
language = "Hindi, {sentences} sentences"
[input]
text = "text.txt"
gold = "gold.conllu"
[parse]
parser = {parser}
[project]
system = "{system}"
[evaluate]
held_out = 0.2
"""


def text(count: int, seed: int = 1) -> str:
    """Three lines a sentence: the corpus, then pairs of its sentences joined by `and`."""
    blocks = [block.split("\n") for block in (CORPUS / "igt.txt").read_text(encoding="utf-8").strip().split("\n\n")]
    known = [(words, glosses, free) for words, _, glosses, free in blocks]
    chance = random.Random(seed)
    made = known[:count]
    plain = [(w[:-2], g[:-2], f[:-1]) for w, g, f in known if w.endswith(" ।") and f.endswith(".")]
    while len(made) < count:
        (w1, g1, f1), (w2, g2, f2) = chance.sample(plain, 2)
        second = f2 if f2.startswith("I ") or f2[:2].isupper() else f2[0].lower() + f2[1:]
        made.append((f"{w1} और {w2} ।", f"{g1} and {g2} ।", f"{f1} and {second}."))
    return "\n".join(f"{words}\n{glosses}\n{free}\n" for words, glosses, free in made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--system", default="s4+")
    parser.add_argument("--parser", default="en", help="en, or the folder of a model")
    options = parser.parse_args()
    proj = str(Path(sys.executable).parent / "proj")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "text.txt").write_text(text(options.sentences), encoding="utf-8")
        (folder / "gold.conllu").write_bytes((CORPUS / "f.conllu").read_bytes())
        model = f'"{options.parser}"' if options.parser in ("en", "en-fast") else f'"{Path(options.parser).resolve()}"'
        config = CONFIG.format(sentences=options.sentences, parser=model, system=options.system)
        (folder / "divproj.toml").write_text(config, encoding="utf-8")
        caption = f"`proj run` on {options.sentences:,} sentences, {options.system}"
        with Table("run_speed", caption, "run", "s", "CPU s", "MB", "stages, s") as table:
            for change in ("from nothing", "again", "folds = 0"):
                if change == "folds = 0":
                    (folder / "divproj.toml").write_text(
                        config.replace("[evaluate]", "[evaluate]\nfolds = 0"), encoding="utf-8"
                    )
                log = folder / "results" / "log.txt"
                log.unlink(missing_ok=True)
                usage = measure(proj, "-q", "run", str(folder / "divproj.toml"))
                stages = re.findall(r"(\w+): (?:run|may run) .*?, ([\d.]+) s, \d+ warnings", log.read_text())
                spent = ", ".join(f"{stage} {float(seconds):.1f}" for stage, seconds in stages) or "all kept"
                table.add(change, f"{usage.seconds:.1f}", f"{usage.cpu:.1f}", f"{usage.memory:.0f}", spent)


if __name__ == "__main__":
    main()
