"""Where a case lies when a reader wants to open it itself, and who hears what is wrong with it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from divproj.core.errors import Faults


def lenient() -> Faults:
    return Faults(strict=False, tell=str)


@cache
def place() -> Path:
    """A folder for files that a reader wants to open itself."""
    _places.append(tempfile.TemporaryDirectory(prefix="divproj-fuzz-"))
    return Path(_places[-1].name)


_places: list[tempfile.TemporaryDirectory[str]] = []


def file(data: bytes, name: str = "case") -> Path:
    path = place() / name
    path.write_bytes(data)
    return path
