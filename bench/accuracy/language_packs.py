"""The language packs in one table: accuracy on the development part, size, load time and speed, each in a process with one thread.

python bench/accuracy/language_packs.py [CODE=PACK …] [--treebanks FOLDER]

The folder has `fr/dev.conllu.gz` and so on. Without packs, those of the checkout are measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

ROWS = {
    "uas": "UAS",
    "las": "LAS",
    "uas_plain": "UAS without punctuation",
    "las_plain": "LAS without punctuation",
    "upos": "UPOS",
    "lemmas": "lemmas",
    "tokens": "tokens of running text, F1",
    "multiword": "multiword tokens, F1",
    "error": "calibration error, points",
    "size": "size, MB",
    "load": "load, CPU s",
    "speed": "sentences/s in batches, CPU",
}


def measure(pack: Path, dev: Path) -> dict[str, float]:
    """Return the figures of a pack; times are of the processor, after a first call."""
    from divproj.core.errors import Faults
    from divproj.io.trees import conllu
    from divproj.parsing.language import Language

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "parser"))
    import card

    start = time.process_time()
    language = Language.load(pack)
    load = time.process_time() - start
    forms = [s.forms for s in conllu.load(dev, Faults(strict=False)) if s is not None]
    language.parse(forms[:50] * 10)
    start = time.process_time()
    language.parse(forms)
    speed = len(forms) / (time.process_time() - start)
    size = sum(path.stat().st_size for path in pack.iterdir()) / 1e6
    return {**card.judge(pack, dev), "size": size, "load": load, "speed": speed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packs", nargs="*", help="CODE=PACK")
    parser.add_argument("--treebanks", type=Path, default=DATA / "treebanks")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        code, _, pack = options.only.partition("=")
        print(json.dumps(measure(Path(pack), need(options.treebanks / code / "dev.conllu.gz"))))
        return
    from divproj.parsing.language import PACKAGES, available

    packs = options.packs or [f"{code}={place}" for code, place in available().items() if code in PACKAGES]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    tables = {}
    for pack in packs:
        command = [sys.executable, __file__, "--treebanks", str(options.treebanks), "--only", pack]
        done = subprocess.run(command, env={**os.environ, **threads}, stdout=subprocess.PIPE, text=True, check=True)
        tables[pack.partition("=")[0]] = json.loads(done.stdout.splitlines()[-1])
    with Table("language_packs", "Language packs on the development parts of their treebanks", "figure", *tables) as table:
        for key, title in ROWS.items():
            table.add(title, *(f"{row[key]:.4g}" if key in row else "" for row in tables.values()))


if __name__ == "__main__":
    main()
