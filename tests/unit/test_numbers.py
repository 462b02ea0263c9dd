"""A number that is set by hand stands in the settings of its room, with a name, and a sentence that says what it is."""

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
    found = list(script.numbers())
    assert len(found) > 50
    bare = [f"{number.module}: {number.name}" for number in found if not number.about]
    assert bare == [], "say what these are, their unit, and where they were chosen, in a docstring below each"


def test_every_number_set_by_hand_is_in_the_settings_of_its_room(script: ModuleType):
    stray = [f"{number.module}: {number.name}" for number in script.strays()]
    assert stray == [], "move these to settings.py of their room"
    assert [name for name in script.ELSEWHERE if not (script.SOURCE / name).exists()] == []


def test_each_name_is_set_in_one_place(script: ModuleType):
    names = [(number.room, number.name) for number in script.numbers()]
    assert len(set(names)) == len(names)
    assert {number.module.count("/") for number in script.numbers()} == {1}, "one module a room"


def test_what_is_found(script: ModuleType, tmp_path: Path):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "new.py").write_text('A = 0.5\nB = 1\nC = {"x": 0.1}\n"""Odds."""\nD = "0.5"\nE = 1e-9\nF = 1e30\n')
    (tmp_path / "room" / "settings.py").write_text('A = 0.5\nB = 1\n"""Of something."""\nC = {"x": 0.1, "y": "z"}\n')
    assert [(n.room, n.name, n.about) for n in script.strays(tmp_path)] == [("room", "A", ""), ("room", "C", "Odds.")]
    assert [(n.name, n.about) for n in script.numbers(tmp_path)] == [("A", ""), ("B", "Of something.")]
