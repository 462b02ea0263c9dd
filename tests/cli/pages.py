"""Commands and code in our pages, and running them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from cli.commands import ROOT, proj

DOCS = ROOT / "docs"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)


def blocks(path: Path, kind: str) -> list[str]:
    """The fenced blocks of a kind, in order."""
    return [body for name, body in _BLOCK.findall(path.read_text(encoding="utf-8")) if name == kind]


def commands(path: Path) -> list[str]:
    """The commands of the `console` blocks."""
    return [line[2:] for block in blocks(path, "console") for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, cwd: Path) -> Path:
    """Run a command as the page has it; the folder in which the next one runs."""
    words = shlex.split(command)
    piped = words.index("|") if "|" in words else len(words)
    words, rest = words[:piped], " ".join(words[piped + 1 :])
    if words[0] == "cd":
        return cwd / words[1]
    if words[0] == "echo":
        text, target = words[1], words[3]
        (cwd / target).write_text(text + "\n", encoding="utf-8")
        return cwd
    assert words[0] == "proj", command
    done = proj(*words[1:], cwd=cwd)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    if rest:
        assert rest.startswith("grep "), command
        assert rest.removeprefix("grep ") in done.stdout
    return cwd
