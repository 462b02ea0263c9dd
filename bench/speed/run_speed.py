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
from bench.common import ROOT, about, run

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
        print(f"proj run on {options.sentences} sentences, {options.system}; {about()}")
        print("| run | s | processor s | MB | stages, s |\n|---|---|---|---|---|")
        for what in ("from nothing", "again", "folds = 0"):
            if what == "folds = 0":
                (folder / "divproj.toml").write_text(config.replace("[evaluate]", "[evaluate]\nfolds = 0"), encoding="utf-8")
            (folder / "results" / "log.txt").unlink(missing_ok=True)
            before = _processor()
            seconds, memory, _ = run(proj, "-q", "run", str(folder / "divproj.toml"))
            stages = re.findall(
                r"(\w+): (?:run|may run) .*?, ([\d.]+) s, \d+ warnings", (folder / "results" / "log.txt").read_text()
            )
            told = ", ".join(f"{stage} {float(spent):.1f}" for stage, spent in stages) or "all kept"
            print(f"| {what} | {seconds:.1f} | {_processor() - before:.1f} | {memory:.0f} | {told} |", flush=True)


def _processor() -> float:
    """Processor seconds of all processes started so far."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
