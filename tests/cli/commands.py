"""Running `proj` as a user does: a process, a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def proj(*args: object, stdin: str | bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command's exit code, standard output and standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "divproj", *map(str, args)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
    )
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
