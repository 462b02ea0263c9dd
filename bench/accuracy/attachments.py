"""What attachments and relations of other languages give to s5, with glosses and without: glossed treebanks, families held out.

    python bench/accuracy/attachments.py --work WORK [--cap 200] [--banks arh,yor]

WORK is that of `train/glossed/build.py`. Plain s5 and s5 as users have it: with glosses; with glosses hidden; without links besides; with glosses hidden and the gold
tags given as a user's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import numpy as np
from bench.accuracy.glossbanks import PLACE, judged
from bench.common import DATA, about, need

from divproj.data.links import Links
from divproj.data.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.projection.phrasal.projector import PhraseProjector
from divproj.projection.universal.attachments import AttachedProjector, Attachments
from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.training import Bank
from divproj.runtime.vectors import shipped as shipped_vectors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import banks, fold

VIEWS: dict[str, Callable[[ProjectionInput, DepTree], ProjectionInput]] = {
    "glosses": lambda bitext, gold: bitext,
    "hidden": lambda bitext, gold: replace(bitext, glosses=()),
    "no links": lambda bitext, gold: replace(bitext, glosses=(), links=Links(frozenset(), bitext.links.shape)),
    "tags given": lambda bitext, gold: replace(bitext, glosses=(), tags=gold.upos),
}
"""What the systems see of a sentence."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=PLACE)
    parser.add_argument("--cap", type=int, default=200)
    parser.add_argument("--banks", default="")
    options = parser.parse_args()
    print(f"UAS / LAS / UPOS without punctuation, plain s5 and s5; {about()}\n")
    names = [f"{view}: {system}" for view in VIEWS for system in ("plain", "s5")]
    print(f"| bank | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    rows = []
    for bank in banks(need(DATA), options.cap, shipped_vectors("en"), set(filter(None, options.banks.split(",")))):
        model = GlossModel.load(options.work / fold(bank.family))
        row = []
        for view in VIEWS.values():
            seen = [view(bitext, gold) for bitext, gold in zip(bank.bitexts, bank.gold, strict=True)]
            some = Bank(bank.name, bank.family, seen, bank.gold)
            for system in (PhraseProjector(), AttachedProjector(table=Attachments(model))):
                system.observe(seen)
                uas, las, _, upos = judged(some, [*map(system.project, seen)])
                row.append((uas, las, upos))
        rows.append(row)
        print(f"| {bank.name} | {' | '.join(map(_cell, row))} |", flush=True)
    print(f"| mean | {' | '.join(map(_cell, np.mean(rows, 0)))} |")


def _cell(found: tuple[float, float, float]) -> str:
    return " / ".join(f"{value:.1f}" for value in found)


if __name__ == "__main__":
    main()
