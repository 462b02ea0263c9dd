"""The public names."""

from __future__ import annotations

import subprocess
import sys

import divproj


def test_public_names_are_sorted_and_there():
    assert divproj.__all__ == sorted(divproj.__all__)
    assert all(hasattr(divproj, name) for name in divproj.__all__)


def test_version():
    assert all(part.isdecimal() for part in divproj.__version__.split("."))


def test_heavy_libraries_are_imported_only_when_used():
    """A command that reads a small corpus does without numba, NLTK and networkx."""
    code = "import sys, divproj; print(sorted({'numba', 'nltk', 'networkx', 'sklearn', 'matplotlib'} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
