"""s6 as it is without a language's family, for benchmarks: no figure of s6 rests on trees that it was learned from.

The models are those that `train/glossed/build.py` makes on its way, with `--work` as printed here. The shipped model has seen all banks.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.glossbanks import PLACE
from bench.common import need

from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import Universal

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "train" / "glossed"))
from banks import FAMILIES, fold


def place_of(bank: str) -> Path:
    return PLACE / fold(FAMILIES["hau" if bank == "hausa" else bank])


def without_family(bank: str) -> Universal:
    """s6 as it is for a language whose family it has never seen."""
    return Universal(GlossModel.load(need(place_of(bank))))


if __name__ == "__main__":
    print(f"python train/glossed/build.py DATA --work {PLACE} -o languages/glossed")
