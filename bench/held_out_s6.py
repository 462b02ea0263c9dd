"""s6 as it is without a language's family: five models, each learned without one group of families, its curve as well.

python bench/held_out_s6.py [--cap 150]

Other benchmarks load them (`held_out`), so that no figure of s6 rests on trees that it was learned from. The shipped model
has seen all of these banks.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from common import OUT, need
from glossbanks import FAMILIES, GROUPS, Said, banks, held_out, judged, lexicon

from divproj.links.gloss.grams import Grams
from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import Universal
from divproj.projection.universal.training import calibrate, learn
from divproj.runtime.vectors import shipped as shipped_vectors

PLACE = OUT / "held-out-s6"


def group_of(bank: str) -> tuple[str, ...]:
    """The families held out together with that of a bank."""
    return next(group for group in GROUPS if FAMILIES["hau" if bank == "hausa" else bank] in group)


def place_of(bank: str) -> Path:
    return PLACE / group_of(bank)[0].replace(" ", "-")


def without_family(bank: str) -> Universal:
    """s6 as it is for a language whose family it has never seen."""
    return Universal(GlossModel.load(need(place_of(bank))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cap", type=int, default=150)
    options = parser.parse_args()
    start = time.process_time()
    vectors, grams = shipped_vectors("en"), Grams.shipped()
    found = banks(options.cap, vectors, set())
    for bank in found:
        bank.family = "+".join(group_of(bank.name))
    model, folds = learn(found, lexicon(vectors), grams, lambda text: print(text, f"{time.process_time() - start:.0f} s"))
    said: dict[str, Said] = {}
    for bank in found:  # raw chances: curves are learned from them
        s6 = held_out(bank, folds[bank.family], GlossModel(model.english, *[model.tagger] * 4), grams)
        judged(bank, [s6.project(b) for b in bank.bitexts], said.setdefault(bank.family, []))
    for family, fold in folds.items():
        own = GlossModel(model.english, fold.tagger, fold.plain, fold.linked, fold.labels)
        calibrate(own, {"s6": [row for other, rows in said.items() if other != family for row in rows]})
        own.about = {"without": family.split("+"), "made by": "bench/held_out_s6.py"}
        own.save(PLACE / family.split("+")[0].replace(" ", "-"))
    print(f"written: {PLACE}, {time.process_time() - start:.0f} CPU s")


if __name__ == "__main__":
    main()
