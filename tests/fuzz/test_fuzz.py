"""Damaged files through every reader and every model loader: read or refused in words, in bounded time.

`python bench/robustness/fuzz.py --seconds 600` goes on where these few examples end.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from fuzz.limits import SECONDS, Target, TooLong, seconds, survived
from fuzz.loaders import LOADERS
from fuzz.mutate import damaged
from fuzz.readers import READERS
from hypothesis import given, settings
from hypothesis import strategies as st

TARGETS = {target.name: target for target in (*READERS, *LOADERS)}
REGRESSIONS = sorted(p for p in (Path(__file__).parent / "regressions").iterdir() if p.name != "README.md")


@pytest.mark.parametrize("name", TARGETS)
def test_damage(name: str):
    target = TARGETS[name]
    for seed in target.seeds:  # before the clock runs: what is imported, compiled and cached
        target.use(seed)

    @given(st.randoms(use_true_random=False))
    @settings(max_examples=6)
    def tried(chance: Random) -> None:
        survived(target, damaged(target.seeds, chance, target.kind))

    tried()


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.name)
def test_what_once_went_wrong(path: Path):
    """`TARGET~WHAT`, a slash in the target's name written `+`, a blank `_`."""
    name, _, _ = path.name.partition("~")
    assert survived(TARGETS[name.replace("+", "/").replace("_", " ")], path.read_bytes()) in ("read", "refused")


def test_a_reader_that_hangs_is_noticed():
    def endless(_data: bytes) -> None:
        while True:
            pass

    with pytest.raises(TooLong, match=r"more than 0.05 s for one case"), seconds(0.05):
        endless(b"")
    assert SECONDS > 1


def test_an_error_that_is_none_of_ours_is_noticed():
    target = Target("bad", lambda data: data.decode("ascii"), lambda: [b"a"])
    assert survived(target, b"a") == "read"
    with pytest.raises(UnicodeDecodeError):
        survived(target, b"\xff")
