"""Every block of the README runs, with the corpora of the repo in place of the reader's own files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = [
    [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.S)
]
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "corpora", tmp_path / "corpora")
    shutil.copytree(ROOT / "corpora" / "hin-eng", tmp_path / "my-corpus", ignore=shutil.ignore_patterns("*.toml"))
    for name, source in (
        ("hindi.conllu", "hin-eng/f.conllu"),
        ("english.conllu", "hin-eng/e.conllu"),
        ("links.txt", "hin-eng/align.txt"),
    ):
        shutil.copy(ROOT / "corpora" / source, tmp_path / name)
    shutil.copy(ROOT / "corpora" / "hin-eng" / "igt.txt", tmp_path / "text.txt")
    return tmp_path


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0])
def test_block(block: list[str], folder: Path):
    for command in block:
        first, _, rest = command.partition(" | ")
        words = first.split()
        assert words[0] == "proj"
        done = proj(*words[1:], cwd=folder)
        assert done.returncode == 0, done.stderr
        if rest:
            assert rest.startswith("grep ")
            assert rest.removeprefix("grep ") in done.stdout


@pytest.mark.parametrize("code", PYTHON)
def test_python(code: str, folder: Path):
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_files_it_points_to_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (ROOT / target).exists(), target
