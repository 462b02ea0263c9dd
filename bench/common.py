"""What the benchmark scripts share: where the data is, commands timed with their memory, a signature line."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DIVPROJ_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "bench" / "out"


def need(path: Path) -> Path:
    """The path, or leave with a message."""
    if not path.exists():
        sys.exit(f"{path} is not there; set DIVPROJ_DATA to a folder with the data of bench/README.md")
    return path


class Measured(NamedTuple):
    """What a command took: seconds by the clock and of processors, peak memory in MB; and what it printed."""

    seconds: float
    cpu: float
    memory: float
    text: str


WATCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write(f"{seconds} {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024} {done.returncode}")
sys.stdout.buffer.write(done.stdout)
"""


def measured(*command: str, env: dict[str, str] | None = None) -> Measured:
    """Run a command in a process of its own; leave with a message where it fails."""
    watched = [sys.executable, "-c", WATCHER, *command]
    done = subprocess.run(watched, capture_output=True, text=True, check=True, env=env)
    seconds, cpu, memory, code = done.stderr.split()[-4:]
    if code != "0":
        sys.exit(f"{' '.join(command)} ended with {code}: {done.stderr}")
    return Measured(float(seconds), float(cpu), float(memory), done.stdout)


def run(*command: str) -> tuple[float, float, str]:
    """Seconds by the clock, peak memory in MB, and standard output of a command."""
    found = measured(*command)
    return found.seconds, found.memory, found.text


def commit() -> str:
    """The short name of the commit that is measured, + where files differ from it."""
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain", "--", "src", "cli"], capture_output=True, text=True).stdout
    return f"{name or '?'}{'+' if changed.strip() else ''}"


def about() -> str:
    """Commit, machine and time of this run."""
    return f"commit {commit()}, Python {platform.python_version()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}"


class Kept:
    """Rows of a long run in a file, so that one that was cut goes on; rows of another commit are no longer true."""

    def __init__(self, path: Path) -> None:
        self.path, self.commit = path, commit()
        lines = path.read_text().splitlines() if path.exists() else []
        found = [row for row in map(json.loads, lines) if isinstance(row, dict)]
        self.rows = [row["row"] for row in found if row.get("commit") == self.commit and "row" in row]

    def add(self, row: Any) -> None:
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as out:
            out.write(json.dumps({"commit": self.commit, "row": row}) + "\n")


def grown(panel: Any, what: str) -> None:
    """Axes for how something grows with sentence pairs: logarithms with plain numbers at the ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.set_xscale("log")
    panel.set_yscale("log")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.set_xlabel("sentence pairs")
    panel.set_ylabel(what)
    panel.grid(alpha=0.3)
