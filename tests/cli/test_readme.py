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
SENTENCES = 24
"""Of the Hindi corpus that stands in for the reader's own: blocks are to run, not to be learned from."""
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "corpora", tmp_path / "corpora")
    (tmp_path / "my-corpus").mkdir()
    for name, own, between in (
        ("f.conllu", "hindi.conllu", "\n\n"),
        ("e.conllu", "english.conllu", "\n\n"),
        ("align.txt", "links.txt", "\n"),
        ("igt.txt", "text.txt", "\n\n"),
    ):
        text = (ROOT / "corpora" / "hin-eng" / name).read_text(encoding="utf-8")
        some = between.join(text.split(between)[:SENTENCES]) + between
        for place in (tmp_path / own, tmp_path / "my-corpus" / name):
            place.write_text(some, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[0])
def test_block(block: list[str], folder: Path):
    for command in block:
        first, _, rest = command.partition(" | ")
        words = first.split()
        assert words[0] == "proj"
        done = proj(*words[1:], cwd=folder, fresh=True)
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
