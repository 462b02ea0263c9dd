"""s6 as it is without a language's family, for benchmarks: no figure of s6 rests on trees that it was learned from.

The models are those that `train/glossed/build.py` makes on its way, with `--work` as printed here. The shipped model has seen all banks.
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import need
from glossbanks import PLACE

from divproj.projection.universal.model import GlossModel
from divproj.projection.universal.projector import S6

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train" / "glossed"))
from banks import FAMILIES, fold


def place_of(bank: str) -> Path:
    return PLACE / fold(FAMILIES["hau" if bank == "hausa" else bank])


def without_family(bank: str) -> S6:
    """s6 as it is for a language whose family it has never seen."""
    return S6(GlossModel.load(need(place_of(bank))))


if __name__ == "__main__":
    print(f"python train/glossed/build.py DATA --work {PLACE} -o languages/glossed")
