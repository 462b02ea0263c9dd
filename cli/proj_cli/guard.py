"""One guard for all commands: no output takes the place of an input or of another output. And streams as data wants them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

OUTPUTS = ("output", "html", "csv_folder", "plot", "latex", "forest", "links_out", "e_out", "save")
"""Parameters that name what a command writes, whichever command; those of other names are read."""
ALSO = (("convert", "target"), ("pairs", "corpus"))
"""Parameters of one command that it writes."""
CORPUS = ("f.conllu", "e.conllu", "align.txt", "igt.txt", "gold.txt")
MODEL = ("model.json", "weights.npz")


class Guarded(TyperCommand):
    """A command that compares the files of its options before it runs."""

    def invoke(self, ctx: Any) -> Any:
        check(self.name or "", {param.name: (param.opts[-1], ctx.params.get(param.name)) for param in self.params})
        return super().invoke(ctx)


def check(command: str, options: dict[Any, tuple[str, Any]]) -> None:
    """Refuse outputs that are inputs, or each other; `options` is what was given to each parameter, and how that is spelt."""
    written: dict[str, str] = {}
    outputs = {name for name in options if name in OUTPUTS or (command, name) in ALSO}
    for name in sorted(outputs, reverse=True):
        label, value = options[name]
        for path in paths(value):
            if (real := place(path)) is not None:
                if real in written:
                    raise refused(f"{label} and {written[real]} would both be written there", path)
                written[real] = label
    for name in set(options) - outputs:
        for path in paths(options[name][1]):
            for file in files(path):
                if taken := written.get(place(file) or ""):
                    raise refused(f"{taken} would take the place of an input", file)


def refused(what: str, path: str) -> Exception:
    from divproj.data.errors import ProjError, Where

    return ProjError(what, Where("standard output" if path == "-" else path), "give another name")


def paths(value: Any) -> Iterator[str]:
    """What may be paths in the value of a parameter."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from paths(each)
    elif isinstance(value, str | Path) and str(value):
        yield str(value)


def place(path: str) -> str | None:
    """What is the same for two names of one file; None for devices and pipes."""
    try:
        if path == "-":
            return path
        found = Path(path) if Path(path).exists() else Path(os.path.realpath(path))  # `no/../f` is f: `no` will be made
        if not found.exists() or found.is_dir():
            return os.path.realpath(found)
        about = found.stat()
        return f"{about.st_dev}:{about.st_ino}" if found.is_file() else None
    except (OSError, ValueError):
        return None


def files(path: str) -> Iterator[str]:
    """What a command may read by this name: the file, or those of a corpus or model in the folder."""
    try:
        if path == "-":
            return
        if Path(path).is_dir():
            known = (*CORPUS, *(f"{name}.gz" for name in CORPUS), *MODEL)
            yield from (str(file) for name in known if (file := Path(path) / name).is_file())
        elif Path(path).is_file():
            yield path
    except (OSError, ValueError):
        return


def streams() -> None:
    """Data on standard output is UTF-8, whatever the locale; a closed stream is an empty one.

    What is no character (odd bytes of a file name) is escaped. The numbers 0 to 2 are taken, so that no file gets them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif name == "stdout" and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
