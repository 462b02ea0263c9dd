"""Running `proj` as a user does: a process, a pipe."""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
from pathlib import Path

from cli.forks import Forks

ROOT = Path(__file__).resolve().parents[2]
POOLS = {"-j", "--jobs", "--scheduler"}
"""Options that start processes and threads: these commands begin in a process that knows nothing of forks."""
PATH = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
"""With the commands of the environment that runs the tests, in case that is not the active one."""
turns = itertools.cycle((0, 1))


@functools.cache
def forks(turn: int) -> Forks:
    """One of two, taken in turns: what a test runs twice has two seeds of `hash`, as in two fresh processes."""
    return Forks()


def proj(
    *args: object, stdin: str | bytes = b"", cwd: Path | None = None, fresh: bool = False
) -> subprocess.CompletedProcess[str]:
    """The command's exit code, standard output and standard error; `fresh` for an interpreter of its own from the start."""
    words, env = list(map(str, args)), {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "PATH": PATH}
    given = stdin.encode() if isinstance(stdin, str) else stdin
    if fresh or sys.platform != "linux" or POOLS.intersection(words):
        done = subprocess.run([sys.executable, "-m", "divproj", *words], input=given, capture_output=True, cwd=cwd, env=env)
        code, told, said = done.returncode, done.stdout, done.stderr
    else:
        code, told, said = forks(next(turns)).run(words, given, cwd or Path.cwd(), env)
    out, err = told.decode("utf-8", "replace"), said.decode("utf-8", "replace")
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(words, code, out, err)
