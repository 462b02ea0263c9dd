"""What part-of-speech labels of interlinear text (n, v, adj …) give to projection: glossed treebanks, families held out.

    python bench/accuracy/pos_labels.py --work WORK [--cap 200] [--banks arh,yor] [--wrong 0.1]

WORK is that of `train/glossed/build.py`. The labels are made from the gold tags of the banks, in the coarse terms of FLEx's own catalogue, so they agree with
the treebank better than those of a real text would; `--wrong` replaces that share of the words' labels by others of the text.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import PLACE, judged
from bench.common import DATA, about, need

from divproj.projection.universal.attachments import AttachedProjector, Attachments
from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import Universal
from divproj.projection.universal.training import Bank
from divproj.runtime.vectors import shipped as shipped_vectors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

LABELS = {
    "NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "adj", "ADV": "adv", "PRON": "pro", "DET": "det", "NUM": "num", "ADP": "adp",
    "CCONJ": "conj", "SCONJ": "conj", "PART": "prt", "INTJ": "interj",
}  # fmt: skip
"""The coarse label of each gold tag; other words have none."""


def labelled(bank: Bank, wrong: float) -> Bank:
    """The bank with labels, a share of them drawn from those of the whole bank."""
    chance = np.random.default_rng(1)
    every = [label for tree in bank.gold for tag in tree.upos if (label := LABELS.get(tag))]
    made = []
    for bitext, tree in zip(bank.bitexts, bank.gold, strict=True):
        own = [LABELS.get(tag, "_") for tag in tree.upos]
        own = [every[chance.integers(len(every))] if label != "_" and chance.random() < wrong else label for label in own]
        made.append(replace(bitext, labels=tuple(own)))
    return Bank(bank.name, bank.family, made, bank.gold)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=PLACE)
    parser.add_argument("--cap", type=int, default=200)
    parser.add_argument("--banks", default="")
    parser.add_argument("--wrong", type=float, default=0.1)
    options = parser.parse_args()
    print(f"UAS / LAS / UPOS without punctuation; {options.wrong:.0%} of the labels wrong in the last columns; {about()}\n")
    names = [f"{system}{kind}" for kind in ("", ", labels", ", some wrong") for system in ("s5", "s6")]
    print(f"| bank | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    rows = []
    for bank in banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(",")))):
        model = GlossModel.load(options.work / fold(bank.family))
        row = []
        for some in (bank, labelled(bank, 0.0), labelled(bank, options.wrong)):
            for system in (AttachedProjector(table=Attachments(model)), Universal(model)):
                system.observe(some.bitexts)
                uas, las, _, upos = judged(some, [*map(system.project, some.bitexts)])
                row.append((uas, las, upos))
        rows.append(row)
        print(f"| {bank.name} | {' | '.join(map(_cell, row))} |", flush=True)
    print(f"| mean | {' | '.join(map(_cell, np.mean(rows, 0)))} |")


def _cell(found: tuple[float, float, float]) -> str:
    return " / ".join(f"{value:.1f}" for value in found)


if __name__ == "__main__":
    main()
