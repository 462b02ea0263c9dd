"""A number that is set by hand stands beside its formula, with a name, and a sentence that says what it is."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("set_by_hand", ROOT / "bench" / "tools" / "set_by_hand.py")
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_number_set_by_hand_is_described(script: ModuleType):
    assert len(list(script.numbers())) > 150
    bare = [f"{number.module}: {number.name}" for path in sorted(script.SOURCE.rglob("*.py")) for number in script.bare(path)]
    assert bare == [], "say what these are, their unit, and where they were chosen, in a docstring below each"
    assert [name for name in script.ELSEWHERE if not (script.SOURCE / name).exists()] == []


def test_numbers_are_listed(script: ModuleType, tmp_path: Path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "new.py").write_text('A = 0.5\nB = 1\nC = {"x": 0.1}\n"""Odds."""\nD = "0.5"\nE = 1e-9\nF = 1e30\n')
    assert [(n.package, n.name, n.about) for n in script.numbers(tmp_path)] == [("package", "A", ""), ("package", "C", "Odds.")]
