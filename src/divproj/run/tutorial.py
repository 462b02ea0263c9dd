"""The files of the tutorial, copied to where the user wants to work with them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from divproj.data.errors import ProjError, Where
from divproj.runtime.resources import folder


@dataclass
class Copied:
    """Names of the files that were copied, and of those that were there already and stayed as they are."""

    copied: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


def copy_tutorial(target: Path) -> Copied:
    """Copy the tutorial into a folder, which is made; nothing there is replaced."""
    source, made = folder("tutorial"), Copied()
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.iterdir()):
            place = target / path.name
            if not path.is_file():
                continue
            if place.exists():
                made.kept.append(path.name)
                continue
            shutil.copyfile(path, place)
            made.copied.append(path.name)
    except OSError as error:
        raise ProjError(
            f"cannot be written: {error.strerror}", Where(str(error.filename or target)), "name another folder"
        ) from None
    return made
