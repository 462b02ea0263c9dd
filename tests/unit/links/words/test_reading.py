"""Bitext for the word aligner is read as all bitext is."""

from __future__ import annotations

from pathlib import Path

from divproj.core.errors import Faults
from divproj.links.word_corpus import word_rows


def test_lines_of_plain_text(tmp_path: Path):
    """A byte-order mark is no letter, empty lines stay in step, and the text can be read twice."""
    (tmp_path / "f.txt").write_bytes("\ufeffder  Hund\n\nschläft\n".encode())
    (tmp_path / "e.txt").write_text("the dog\n\nsleeps\n")
    rows, known = word_rows(str(tmp_path / "f.txt"), str(tmp_path / "e.txt"), Faults(strict=True))
    assert known == {}
    for _ in range(2):
        assert [(row.f, row.e) for row in rows] == [(["der", "Hund"], ["the", "dog"]), ([], []), (["schläft"], ["sleeps"])]
