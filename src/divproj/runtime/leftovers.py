"""Temporary files and folders, and how a run removes those that killed runs of the same output left behind.

Whatever is not yet whole is locked by the process that writes it, as long as that lives.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART = ".part"
"""How the names of files and folders end that are not yet whole."""
_MADE = "[a-z0-9_]{8}"
"""What `tempfile` puts into a name."""
MOST = 255
"""Bytes of a name that file systems allow."""
LONGEST = 240
"""Bytes of an output's name that its part's name can hold: file systems allow 255, and the part's own letters need 15."""


def part_prefix(name: str) -> str:
    """How the names of an output's parts begin."""
    return f".{_cut(name, LONGEST)}."


def name_beside(name: str, ending: str) -> str:
    """Return the name of a file that belongs to another: with this ending, and not longer than file systems allow.

    >>> name_beside("links.txt", ".checkpoint"), len(name_beside(250 * "x", ".checkpoint"))
    ('links.txt.checkpoint', 87)
    """
    return _cut(name, MOST - len(os.fsencode(ending))) + ending


def _cut(name: str, longest: int) -> str:
    """A name that has more bytes is cut and told apart by its hash."""
    raw = os.fsencode(name)
    return (
        name
        if len(raw) <= longest
        else f"{raw[: LONGEST // 4].decode('ascii', 'ignore')}{hashlib.sha256(raw).hexdigest()[:16]}"
    )


def new_part(path: Path) -> tuple[int, Path]:
    """A new file beside a path, open and locked, after what killed runs left there is removed."""
    remove_parts(path)
    while True:
        handle, name = tempfile.mkstemp(prefix=part_prefix(path.name), suffix=PART, dir=path.parent)
        if _claim(handle) and os.fstat(handle).st_nlink:
            _ours[handle] = Path(name)
            return handle, Path(name)
        os.close(handle)  # somebody cleans up, or did before it was locked


@contextmanager
def new_folder(parent: Path, prefix: str, suffix: str = PART, mode: int = 0o700) -> Iterator[Path]:
    """A locked folder with a name of its own, removed at the end; and before the start those that killed runs left."""
    remove_matching(parent, re.escape(prefix) + _MADE + re.escape(suffix))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=parent))
        try:
            handle = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue
        if _claim(handle) and folder.is_dir():
            break
        os.close(handle)
    _ours[handle] = folder
    try:
        folder.chmod(mode)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


_ours: dict[int, Path] = {}
"""Files and folders that this process has begun, by the number under which each is open."""


def remove_ours() -> None:
    """Remove what this process has begun and not finished: for one that is about to end without unwinding."""
    for handle, path in list(_ours.items()):
        with suppress(OSError):
            if os.path.samestat(os.fstat(handle), path.stat()):
                _remove_tree(path)


def remove_parts(path: Path) -> None:
    """Remove what killed runs left beside an output."""
    remove_matching(path.parent, re.escape(part_prefix(path.name)) + _MADE + re.escape(PART))


def remove_matching(folder: Path, pattern: str) -> None:
    """Remove files and folders of such names that no process holds."""
    with suppress(OSError):
        for path in folder.iterdir():
            if re.fullmatch(pattern, path.name):
                _remove(path)


def _remove(path: Path) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            if not try_lock(handle):
                return
            _remove_tree(path)
        finally:
            os.close(handle)


def _remove_tree(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _claim(handle: int) -> bool:
    """Lock what was just made; False where another process holds it, and so is about to remove it."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # no locks here, so nobody cleans up either
        return True
    return True


def try_lock(handle: int) -> bool:
    """Lock an open file or folder for as long as it is open; False where another has it, or there are no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
