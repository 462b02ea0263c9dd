"""The tutorial: the notebook, the files in three formats. The page is tried with the wheel, in `test_wheel.py`."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from cli.commands import ROOT, proj

from divproj.core.errors import ProjError
from divproj.io.trees import conllu
from divproj.run.scaffold import copy_tutorial


def test_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copy_tutorial(tmp_path)
    monkeypatch.chdir(tmp_path)
    book = json.loads((tmp_path / "tutorial.ipynb").read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    scope: dict[str, Any] = {}
    out = io.StringIO()
    with redirect_stdout(out):
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                source = "".join(cell["source"])
                if source.startswith("import subprocess"):
                    exec(source, scope)
                    scope["proj"] = _in_process
                else:
                    exec(source, scope)
    assert "36 sentences" in out.getvalue()
    assert "<svg" in scope["cat"]._repr_html_()


def _in_process(*words: str) -> None:
    done = proj(*words, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr
    print(done.stdout, done.stderr)  # noqa: T201


def test_three_formats_say_the_same(tmp_path: Path):
    found = []
    for name in ("turkish.txt", "turkish.flextext", "turkish.sfm"):
        target = tmp_path / f"{name}.conllu"
        done = proj("convert", ROOT / "tutorial" / name, target)
        assert done.returncode == 0, done.stderr
        sentences = [s for s in conllu.load(target) if s is not None]
        found.append([(s.forms, s.glosses, s.comment("text_en")) for s in sentences])
    gold = [(s.forms, s.glosses, s.comment("text_en")) for s in conllu.load(ROOT / "tutorial" / "gold.conllu") if s is not None]
    assert found[0] == found[1] == found[2] == gold


def test_nothing_is_replaced(tmp_path: Path):
    (tmp_path / "turkish.txt").write_text("mine")
    done = proj("tutorial", tmp_path)
    assert done.returncode == 0
    assert "turkish.txt is there already" in done.stderr
    assert (tmp_path / "turkish.txt").read_text() == "mine"
    assert (tmp_path / "gold.conllu").is_file()


def test_a_file_in_the_place_of_the_folder(tmp_path: Path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(ProjError, match=r"taken: cannot be written: .*; name another folder"):
        copy_tutorial(tmp_path / "taken")
