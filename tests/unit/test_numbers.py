"""A number that is set by hand has a name, and a sentence that says what it is."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_number_set_by_hand_is_described(tmp_path: Path):
    spec = importlib.util.spec_from_file_location("set_by_hand", ROOT / "bench" / "set_by_hand.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    found = list(script.numbers())
    assert len(found) > 50
    bare = [f"{number.module}: {number.name}" for number in found if not number.about]
    assert bare == [], "say what these are, their unit, and where they were chosen, in a docstring below each"
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "new.py").write_text('A = 0.5\nB = 1\nC = {"x": 0.1}\n"""Odds."""\nD = "0.5"\n')
    assert [(n.room, n.name, n.about) for n in script.numbers(tmp_path)] == [("room", "A", ""), ("room", "C", "Odds.")]
