"""Where the shipped `rules/`, `corpora/`, `languages/` and `tutorial/` lie: inside the installed package, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from divproj.core.errors import ProjError


def folder(kind: Literal["rules", "corpora", "languages", "tutorial"]) -> Path:
    """The folder with the shipped rules, corpora, languages or tutorial files."""
    here = Path(__file__).resolve().parents[1]
    for candidate in (here / "shipped" / kind, here.parents[1] / kind):
        if candidate.is_dir():
            return candidate
    raise ProjError(f"the shipped {kind} are missing from this installation", remedy="install divproj again")
