"""Every block of the README runs as it stands, in a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli.commands import ROOT
from cli.pages import Shell, blocks

README = ROOT / "README.md"


def test_every_block(tmp_path: Path):
    """Commands first, then the code, which uses the files that they made."""
    with Shell(tmp_path) as shell:
        shell.page(README)
        folder = shell.cwd
    assert (tmp_path / "trees.html").is_file()
    codes = blocks(README, "python")
    assert codes
    for code in codes:
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
