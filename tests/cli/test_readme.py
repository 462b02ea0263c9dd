"""Every block of the README runs as it stands, in a checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import ROOT
from cli.pages import blocks, commands, run

README = ROOT / "README.md"


def test_commands(tmp_path: Path):
    folder = tmp_path
    for command in commands(README):
        folder = run(command, folder)
    assert (tmp_path / "trees.html").is_file()


@pytest.mark.parametrize("code", blocks(README, "python"))
def test_python(code: str, tmp_path: Path):
    shutil.copytree(ROOT / "corpora", tmp_path / "corpora")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 90
