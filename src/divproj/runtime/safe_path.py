"""Python processes that do not import modules from the folder in which they are started.

Python puts the working folder first on `sys.path` for `python -m` and `python -c`, and that is how joblib, multiprocessing and Dask
start processes. A file `struct.py` among the texts would be run by each of them. A process that has `PYTHONSAFEPATH` in its
environment does not do this, nor do the processes that it starts:

    proj project text.txt -j 2                     sys.path[0] is the folder of the script `proj`
      python -m joblib.externals.loky…             PYTHONSAFEPATH=divproj: the working folder is not on sys.path
        python -m my_parser                        a command of the user's (`e_parser`): `original_environment`, so it may be found there
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

VARIABLE, OURS = "PYTHONSAFEPATH", "divproj"
"""Any text but an empty one will do for Python; by this one we know that it was not the user who set it."""
HOMES = {os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))}  # noqa: PTH100, PTH120  pathlib costs time
"""Folders that this package was imported from: they stay on the path even if they are the working folder."""


def protect() -> None:
    """Keep this process, and each that it starts, from importing modules of the working folder. For programs, at their start."""
    here = _working_folder()
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if "" in entries and len(entries) > 1:  # an empty entry is the working folder
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, entries))
        sys.path[:] = [entry for entry in sys.path if entry != here or here in HOMES]
    if sys.path[:1] == [here] and here not in HOMES:  # put there for `-m`
        del sys.path[0]
    sys.path[:] = filter(None, sys.path)
    os.environ[VARIABLE] = os.environ.get(VARIABLE) or OURS


@contextmanager
def protected_children() -> Iterator[None]:
    """Within this block new Python processes do not import modules of the working folder. For the library."""
    if os.environ.get(VARIABLE):
        yield
        return
    os.environ[VARIABLE] = OURS
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def original_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment as it was before `protect`, for commands that are the user's own.

    >>> original_environment({"PYTHONSAFEPATH": "divproj", "LANG": "C"}), original_environment({"PYTHONSAFEPATH": "1"})
    ({'LANG': 'C'}, {'PYTHONSAFEPATH': '1'})
    """
    return {name: value for name, value in environment.items() if (name, value) != (VARIABLE, OURS)}


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:  # it was removed
        return ""
