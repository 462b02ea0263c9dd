"""Where the shipped `rules/`, `corpora/` and `languages/` lie: inside the installed package, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from divproj.errors import ProjError


def folder(kind: Literal["rules", "corpora", "languages"]) -> Path:
    """The folder with the shipped rules, corpora or languages."""
    here = Path(__file__).resolve().parent
    for candidate in (here / "data" / kind, here.parents[1] / kind):
        if candidate.is_dir():
            return candidate
    raise ProjError(f"the shipped {kind} are missing from this installation", remedy="install divproj again")
