"""Projection of a whole text: by rules, by what the system observes in the text, or by a parser on several cores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from divproj.projection.direct import ProjectFunction, Projection, ProjectionInput

if TYPE_CHECKING:
    from divproj.projection.parser_systems import ParsedSystem
    from divproj.projection.systems import Corrections

PIECE = 125
"""Sentences that a process takes at a time."""
WORTH = 4 * PIECE
"""Sentences from which other processes pay for their start."""


def corrections(path: Path) -> Corrections:
    from divproj.projection import rulefile

    return rulefile.loads(path.read_text(encoding="utf-8"), str(path))


def by_rules(system: str, rules: Path | None, bitexts: Sequence[ProjectionInput]) -> Iterator[Projection]:
    """A system without a parser; those that observe go through the whole text first."""
    from divproj.projection.systems import OBSERVING, projector

    run: ProjectFunction = projector(system, corrections(rules) if rules else None)
    if system in OBSERVING:
        owner: Any = run.__self__  # type: ignore[attr-defined]
        run = owner.observe(bitexts).project
    return map(run, bitexts)


def by_model(folder: Path, bitexts: Sequence[ProjectionInput], jobs: int) -> Iterator[Projection]:
    """A trained parser; on several cores where that pays, with the same trees in the same order."""
    system = _loaded(folder)
    if jobs == 1 or len(bitexts) < WORTH or system.recipe.phrases:
        system.observe(bitexts)
        yield from map(system.project, bitexts)
        return
    from joblib import Parallel, delayed

    pieces = [bitexts[k : k + PIECE] for k in range(0, len(bitexts), PIECE)]
    with warnings.catch_warnings():  # loky starts another worker where one had to go, and says so
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        for found in Parallel(n_jobs=jobs, return_as="generator")(delayed(_piece)(folder, piece) for piece in pieces):
            yield from found


@lru_cache(maxsize=1)
def _load(folder: Path, changed: int) -> ParsedSystem:
    from divproj.projection import parser_files

    return parser_files.load(folder)


def _loaded(folder: Path) -> ParsedSystem:
    return _load(folder, (folder / "model.json").stat().st_mtime_ns)


def _piece(folder: Path, bitexts: Sequence[ProjectionInput]) -> list[Projection]:
    return [*map(_loaded(folder).project, bitexts)]
