"""Plots: the same numbers give the same bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from divproj.core.errors import ProjError
from divproj.drawing import plot

pytest.importorskip("matplotlib")
NAMES, PROFILES = ["Hindi", "Korean", "Spanish"], [[0.1, 0.2], [0.5, 0.9], [0.2, 0.2]]


@pytest.mark.parametrize("kind", ["svg", "svgz", "pdf", "eps", "png"])
def test_the_same_bytes_at_any_time(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(plot.DATE, raising=False)
    plot.dendrogram(tmp_path / f"one.{kind}", NAMES, PROFILES)
    monkeypatch.setattr(time, "time", lambda: 2e9)
    plot.dendrogram(tmp_path / f"two.{kind}", NAMES, PROFILES)
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert plot.DATE not in os.environ


def test_a_date_that_was_given_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(plot.DATE, str(24 * 3600 * 366))
    plot.learning_curves(tmp_path / "curve.svg", [("a", 5, {"s1": 0.5}), ("a", None, {"s1": 0.6})])
    assert "1971-01-02" in (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert os.environ[plot.DATE] == str(24 * 3600 * 366)


def test_an_ending_that_is_no_format(tmp_path: Path):
    with pytest.raises(ProjError, match=r"tree\.docx: could not be written: Format 'docx' is not supported"):
        plot.dendrogram(tmp_path / "tree.docx", NAMES, PROFILES)
    assert not (tmp_path / "tree.docx").exists()
