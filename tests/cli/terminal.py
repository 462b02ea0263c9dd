"""A terminal of any width, in which tests run commands."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
"""Colours, and movements of the cursor."""


def in_terminal(*words: object, width: int, cwd: Path | None = None, colour: bool = False) -> tuple[int, str]:
    """Run `proj` in a terminal of a width; return its exit code and the text of the screen, without colours."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(sys.path)}
    env = {name: value for name, value in env.items() if name not in ("COLUMNS", "NO_COLOR")} | (
        {} if colour else {"NO_COLOR": "1"}
    )
    command = [sys.executable, "-m", "divproj", *map(str, words)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=side, stderr=side, env=env, cwd=cwd)
    os.close(side)
    parts = []
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    with contextlib.suppress(OSError):
        os.close(main)
    return process.wait(), CODES.sub("", b"".join(parts).decode()).replace("\r\n", "\n")
