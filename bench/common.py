"""What the benchmark scripts share: where the data is, commands timed with their memory, a signature line."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DIVPROJ_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "bench" / "out"


def need(path: Path) -> Path:
    """The path, or leave with a message."""
    if not path.exists():
        sys.exit(f"{path} is not there; set DIVPROJ_DATA to a folder with the data of bench/README.md")
    return path


def run(*command: str) -> tuple[float, float, str]:
    """Seconds, peak memory in MB, and standard output of a command in a process of its own."""
    watcher = (
        "import os,resource,subprocess,sys,time\n"
        "t=time.perf_counter()\n"
        "p=subprocess.run(sys.argv[1:],stdout=subprocess.PIPE)\n"
        "s=time.perf_counter()-t\n"
        "m=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1024\n"
        "sys.stderr.write(f'{s} {m} {p.returncode}')\n"
        "sys.stdout.buffer.write(p.stdout)\n"
    )
    done = subprocess.run([sys.executable, "-c", watcher, *command], capture_output=True, text=True, check=True)
    seconds, memory, code = done.stderr.split()[-3:]
    if code != "0":
        sys.exit(f"{' '.join(command)} ended with {code}: {done.stderr}")
    return float(seconds), float(memory), done.stdout


def about() -> str:
    """Commit, machine and time of this run."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT).stdout.strip()
    cores = os.cpu_count()
    return f"commit {commit or '?'}, Python {platform.python_version()}, {cores} cores, {time.strftime('%Y-%m-%d')}"
