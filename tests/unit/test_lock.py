"""`requirements.lock` fits what pyproject.toml asks for, and is complete."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
LINES = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
LOCK = dict(line.split("==") for line in LINES)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WANTED = [Requirement(text) for text in PROJECT["dependencies"]]


def test_lines_are_exact_versions_in_order():
    assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", line) for line in LINES)
    assert sorted(LOCK) == list(LOCK)
    assert len(LOCK) == len(LINES)


@pytest.mark.parametrize("wanted", WANTED, ids=str)
def test_the_lock_fits_the_project(wanted: Requirement):
    assert LOCK[canonicalize_name(wanted.name)] in wanted.specifier


@pytest.mark.parametrize("name", LOCK)
def test_the_lock_is_complete_and_fits_itself(name: str):
    """What a locked package needs is locked too; read from the metadata of the installed one where it is that version."""
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed here")
    if found != LOCK[name]:
        pytest.skip(f"{name} {found} is installed here")
    for text in metadata.requires(name) or ():
        needed = Requirement(text)
        if not needed.marker or needed.marker.evaluate({"extra": ""}):
            assert LOCK[canonicalize_name(needed.name)] in needed.specifier


def test_every_dependency_has_a_lower_bound():
    extras = [Requirement(text) for texts in PROJECT["optional-dependencies"].values() for text in texts]
    for wanted in (*WANTED, *extras):
        if wanted.name != "divproj":
            bounds = [part for part in wanted.specifier if part.operator == ">="]
            assert len(bounds) == 1, wanted
            assert Version(bounds[0].version) >= Version("0.1"), wanted
