"""The fenced blocks of our pages, and a shell that runs their commands."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from urllib.request import urlopen

from cli.commands import ROOT, proj
from reviewfiles import Command

DOCS = ROOT / "docs"
PORT = "8786"
"""The port of a Dask scheduler in our pages; a free one takes its place."""
_BLOCK = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block: what its fence says it is, its text, the line where it begins."""

    kind: str
    text: str
    line: int


def all_blocks(path: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    page = path.read_text(encoding="utf-8")
    return [Block(m[2].strip(), m[3], page[: m.start()].count("\n") + 1) for m in _BLOCK.finditer(page)]


def blocks(path: Path, kind: str) -> list[str]:
    """The texts of the blocks of a kind, in order."""
    return [block.text for block in all_blocks(path) if block.kind == kind]


@dataclass(frozen=True)
class Step:
    """A command of a `console` block, and the lines that the page says it prints."""

    command: str
    shown: tuple[str, ...]


def steps(path: Path) -> Iterator[Step]:
    """The commands of the `console` blocks."""
    for text in blocks(path, "console"):
        first, *parts = re.split(r"^\$ ", text, flags=re.M)
        assert not first.strip(), f"{path.name}: a console block begins with a command: {first}"
        for part in parts:
            command, *shown = part.rstrip().split("\n")
            yield Step(command, tuple(shown))


@dataclass
class Shell:
    """Runs the commands of a page one after the other, as a reader would.

    `proj` is that of the checkout, in this process's children, or with `program` that of another environment (`env`).
    """

    cwd: Path
    program: Path | None = None
    env: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    port: str = field(default_factory=lambda: _free_port())
    behind: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in reversed(self.behind):
            process.send_signal(signal.SIGTERM)
            process.wait(600)

    def page(self, path: Path) -> None:
        """Every command of a page."""
        for step in steps(path):
            self.run(step)

    def run(self, step: Step) -> None:
        """One command: it must end with exit code 0 and print what the page shows (whatever the numbers)."""
        command = step.command.replace(PORT, self.port)
        words = shlex.split(command, comments=True)
        if words[0] == "cd":
            self.cwd = self.cwd / words[1]
            return
        if words[-1] == "&":
            self._start(words[:-1])
            return
        if words[:2] == ["proj", "review"]:
            said = self._review(words[2:])
        elif words[0] == "proj" and not set(words) & {"|", ">", "&&"}:
            said = self._proj(words[1:])
        else:
            said = self._bash(command)
        for line in step.shown:
            assert any(re.fullmatch(_pattern(line), told.strip()) for told in said.splitlines()), (
                f"{command}\n{line}\n---\n{said}"
            )

    def _start(self, words: list[str]) -> None:
        """A part of a Dask cluster in the background."""
        assert words[:2] == ["PYTHONSAFEPATH=1", "dask"], words
        program, env = [sys.executable, "-m", *words[1:]], self._environment() | {"PYTHONSAFEPATH": "1"}
        self.behind.append(subprocess.Popen(program, cwd=self.cwd, env=env, stderr=subprocess.DEVNULL))
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", int(self.port)), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(words)

    def _proj(self, words: list[str]) -> str:
        if self.program:
            done = subprocess.run([self.program, *words], cwd=self.cwd, env=self.env, capture_output=True, text=True)
        else:
            done = proj(*words, cwd=self.cwd)
        assert done.returncode == 0, f"proj {shlex.join(words)}\n{done.stderr}"
        return done.stdout + done.stderr

    def _review(self, words: list[str]) -> str:
        """The server, asked for its page and ended with Ctrl-C."""
        command = Command(*words, cwd=self.cwd, program=self.program, env=self.env)
        assert command.url, f"proj review {shlex.join(words)}\n{command.end()[1]}"
        with urlopen(command.url) as answer:
            assert answer.status == 200
        code, said = command.end()
        assert code == 0, said
        return f"{command.url}\n{said}"

    def _bash(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command], cwd=self.cwd, env=self._environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout + done.stderr

    def _environment(self) -> dict[str, str]:
        """With the `proj` of the environment that runs the tests, or of the one that is tried."""
        folder = (self.program or Path(sys.executable)).parent
        return {**self.env, "PATH": os.pathsep.join((str(folder), self.env.get("PATH", "")))}


def _pattern(line: str) -> str:
    """A shown line as a pattern: any number for a number, anything for `…`."""
    parts = re.split(r"(…|\d+(?:[.,]\d+)*)", line.strip())
    return "".join(".*" if part == "…" else r"[\d.,]+" if part[:1].isdigit() else re.escape(part) for part in parts)


def _free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])
