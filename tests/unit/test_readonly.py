"""An install that cannot be written to: compiled kernels go to the user's cache folder, or are compiled for one run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import divproj

RUN = """
import numpy as np
import divproj

from divproj.forest.parses import best
assert divproj.__file__.startswith({place!r}), divproj.__file__
first = np.array([0, 0, 0, 1], np.int32)
out, back = np.zeros(3), np.zeros(3, np.int32)
best.compiled(first, np.array([0], np.int32), np.array([1], np.int32), np.array([-0.5]), out, back)
print(out.tolist())
"""


@pytest.fixture(scope="module")
def install(tmp_path_factory) -> Path:
    """A copy of the package in which no `__pycache__` can be made, not even by root: a file has the name."""
    place = tmp_path_factory.mktemp("install")
    shutil.copytree(Path(divproj.__file__).parent, place / "divproj", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [path for path in (place / "divproj").rglob("*") if path.is_dir()] + [place / "divproj"]:
        (folder / "__pycache__").write_text("")
    return place


def run(install: Path, cache: Path) -> list[str]:
    """Compile a kernel there; the names of what lies in the cache folder afterwards."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    environment |= {
        "PYTHONPATH": str(install),
        "XDG_CACHE_HOME": str(cache),
        "HOME": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    code = RUN.format(place=str(install))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[0.0, 0.0, -0.5]\n"
    assert not list(install.rglob("*.nb?")), "nothing is written beside the source"
    return sorted(path.suffix for path in cache.rglob("*.nb?")) if cache.is_dir() else []


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache folder is elsewhere")
def test_the_cache_folder_of_the_user_is_used(install: Path, tmp_path: Path):
    assert run(install, tmp_path / "cache") == [".nbc", ".nbi"]


@pytest.mark.skipif(sys.platform != "linux", reason="the user's cache folder is elsewhere")
def test_without_any_place_it_still_runs(install: Path, tmp_path: Path):
    (tmp_path / "cache").write_text("no folder")
    assert run(install, tmp_path / "cache") == []
