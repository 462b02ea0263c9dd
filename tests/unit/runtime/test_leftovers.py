"""What killed runs leave is removed; what is being made is not, even where somebody cleans up at that very moment."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from divproj.runtime import leftovers


def test_a_folder_that_another_is_about_to_remove_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("fcntl")
    made, held = [], []
    real = tempfile.mkdtemp

    def mkdtemp(**how: str) -> str:
        made.append(real(**how))
        if len(made) == 1:  # a cleaner has seen it before its maker could lock it
            held.append(os.open(made[0], os.O_RDONLY))
            assert leftovers.try_lock(held[0])
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
    with leftovers.new_folder(tmp_path, ".model.") as folder:
        assert str(folder) == made[1]
    os.close(held[0])
    assert not Path(made[1]).exists()
