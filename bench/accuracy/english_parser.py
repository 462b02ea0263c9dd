"""The English parsers in one run: accuracy on EWT dev and the textbook sentences, speed, load time, memory, size, calibration.

Every parser is measured in a process of its own with one thread. The shipped `en` has learned from dev too, so nothing on dev is
said of it; that is what its twin is for, made in the same way from the training part alone (`train/parser/build.py` leaves it in its
work folder as `language-twin`). Probabilities are judged on every other sentence of dev, those that the scale was not fitted on.

python bench/accuracy/english_parser.py [--twin WORK/language-twin] [--sentences 2001]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import DATA, Table, need

LANGUAGES = ("en", "en-fast")
TWIN = "twin of en"
SINGLE = 400
"""Sentences that are parsed one at a time."""
BINS = 10
TEXTBOOK = Path(__file__).resolve().parents[2] / "tests" / "golden" / "textbook.conllu"
ROWS = {
    "uas": "EWT dev UAS",
    "las": "LAS",
    "upos": "UPOS",
    "xpos": "XPOS",
    "lemmas": "lemmas",
    "uas_plain": "UAS without punctuation",
    "las_plain": "LAS without punctuation",
    "textbook": "heads of the textbook sentences",
    "textbook_whole": "textbook trees all right",
    "error": "expected calibration error, points",
    "batched": "sentences/s in batches",
    "with_confidence": "sentences/s in batches, all columns and probabilities",
    "single": "sentences/s one at a time",
    "load": "load, s",
    "memory": "memory, MB",
    "size": "size, MB",
}


def measured(place: Path, count: int) -> dict[str, float]:
    """All figures of a language; times are of the processor, after a first call."""
    from divproj.core.errors import Faults
    from divproj.io.trees import conllu
    from divproj.parsing.language import Language

    start = time.process_time()
    language = Language.load(place)
    made: dict[str, float] = {"load": time.process_time() - start}
    dev = need(DATA / "ewt" / "en_ewt-ud-dev.conllu")
    gold = [s for s in conllu.load(dev, Faults(strict=False)) if s is not None][:count]
    forms = [s.forms for s in gold]
    language.parse(forms[:50] * 10)
    start = time.process_time()
    trees = language.parse(forms)
    made["batched"] = len(forms) / (time.process_time() - start)
    language = Language.load(place)
    start = time.process_time()
    found = list(language.annotate(gold))
    made["with_confidence"] = len(forms) / (time.process_time() - start)
    language = Language.load(place)
    start = time.process_time()
    for words in forms[:SINGLE]:
        language.parse([words])
    made["single"] = min(len(forms), SINGLE) / (time.process_time() - start)
    if "development" not in language.about["source"]:
        made |= accuracy([s.tree for s in gold], trees)
        lemmas = [p for a, b in zip(gold, found, strict=True) for p in zip(a.column(2), b.column(2), strict=True)]
        made["lemmas"] = share(lemmas)
        made["error"] = calibration(gold[1::2], found[1::2])
    book = [s.tree for s in conllu.load(TEXTBOOK, Faults(strict=True)) if s is not None]
    own = language.parse([tree.forms for tree in book])
    made["textbook"] = share([p for a, b in zip(book, own, strict=True) for p in zip(a.heads, b.heads, strict=True)])
    made["textbook_whole"] = sum(a.heads == b.heads for a, b in zip(book, own, strict=True))
    made["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    made["size"] = sum(path.stat().st_size for path in place.iterdir()) / 1e6
    return made


def accuracy(gold: list[Any], trees: list[Any]) -> dict[str, float]:
    rows = [
        row
        for a, b in zip(gold, trees, strict=True)
        for row in zip(a.heads, b.heads, a.deprels, b.deprels, a.upos, b.upos, a.xpos, b.xpos, strict=True)
    ]
    words = [row for row in rows if row[4] != "PUNCT"]
    return {
        "uas": share([row[:2] for row in rows]),
        "las": share([(row[0:3:2], row[1:4:2]) for row in rows]),
        "upos": share([row[4:6] for row in rows]),
        "xpos": share([row[6:8] for row in rows]),
        "uas_plain": share([row[:2] for row in words]),
        "las_plain": share([(row[0:3:2], row[1:4:2]) for row in words]),
    }


def share(pairs: list[Any]) -> float:
    return 100 * sum(a == b for a, b in pairs) / len(pairs)


def calibration(gold: list[Any], found: list[Any]) -> float:
    """Expected calibration error (Naeini et al. 2015) of ParseConf in ten bins, in points."""
    bins = [[0.0, 0, 0] for _ in range(BINS)]
    for a, b in zip(gold, found, strict=True):
        for head, own, misc in zip(a.column(6), b.column(6), b.column(9), strict=True):
            sure = float(next(item[10:] for item in misc.split("|") if item.startswith("ParseConf=")))
            cell = bins[min(BINS - 1, int(sure * BINS))]
            cell[0] += sure
            cell[1] += head == own
            cell[2] += 1
    total = sum(count for _, _, count in bins)
    return 100 * sum(abs(sure - right) for sure, right, _ in bins) / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=100_000, help="of dev, from the beginning")
    parser.add_argument("--twin", type=Path, help="the twin of en, which did not learn from dev")
    parser.add_argument("--only", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(measured(options.only, options.sentences)))
        return
    from divproj.runtime.resources import folder

    places = {name: folder("languages") / name for name in LANGUAGES}
    if options.twin:
        places = {TWIN: options.twin, **places}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    tables = {}
    for name, place in places.items():
        command = [sys.executable, __file__, "--only", str(place), "--sentences", str(options.sentences)]
        done = subprocess.run(command, env={**os.environ, **threads}, stdout=subprocess.PIPE, text=True, check=True)
        tables[name] = json.loads(done.stdout)
    with Table("english_parser", "English parsers, sentences a second of processor time", "figure", *places) as table:
        for key, title in ROWS.items():
            table.add(title, *(f"{figures[key]:.4g}" if key in figures else "" for figures in tables.values()))


if __name__ == "__main__":
    main()
