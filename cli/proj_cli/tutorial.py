"""`proj tutorial`: the files of the tutorial, copied to where you want to work with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proj_cli import options
from proj_cli.common import talk


@options.command
def tutorial(
    *,
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Folder to create; files that are there already are not replaced.")
    ] = Path("turkish"),
) -> None:
    """Copy the tutorial's files into a folder: 36 glossed Turkish sentences in three formats, gold trees, a notebook.

    Example: proj tutorial turkish
    """
    from divproj.run.tutorial import copy_tutorial

    made = copy_tutorial(folder)
    for name in made.kept:
        talk.say(f"{folder / name} is there already and was left as it is")
    talk.say(f"{len(made.copied)} file{'s' * (len(made.copied) != 1)} copied to {folder}; begin with {folder / 'README.md'}")
