"""The development data beside the checkout (`../shared/data`), where there is any; tests pass without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from divproj import Corpus, Faults, Pair

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"


def need(name: str) -> Path:
    """A file or folder of the development data; skips the test when it is not there."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"../shared/data/{name} is not there")
    return path


def pairs_of(folder: Path) -> Iterator[Pair]:
    """The usable pairs of a corpus folder, faults left out."""
    return Corpus.at(folder, faults=Faults(strict=False)).pairs()
