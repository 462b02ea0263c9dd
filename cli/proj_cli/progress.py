"""The one progress bar: a line at the bottom of the terminal that says what is being done, how far it is and how long it will take.

It appears on a terminal's stderr when a command has taken longer than a moment, and goes when the command writes or ends.
Stages come from `divproj.runtime.announce`. No rich here: the line must be there before anything heavy is imported.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import threading
import time
from typing import Any, TextIO, cast

MOMENT = 0.5
"""Seconds before the line appears."""
TURN = 0.15
"""Seconds between two pictures of the line."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
WIDTH = 24
"""Characters of the bar."""
CLEAR = "\r\x1b[2K"


class Bar:
    """Draws the announced stages until it is stopped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = time.monotonic()
        self.drawn = False
        self.lock = threading.RLock()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._draw, name="progress", daemon=True)

    def start(self) -> None:
        if sys.stdout.isatty():
            sys.stdout = cast(TextIO, _Giving(sys.stdout, self))
        atexit.register(self.stop)
        self.thread.start()

    def stop(self) -> None:
        """For good: the line goes and does not come back."""
        self.ended.set()
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be written there."""
        with self.lock:
            if self.drawn:
                self.drawn = False
                _write(CLEAR)

    def _draw(self) -> None:
        turn = 0
        while not self.ended.wait(TURN if turn else MOMENT):
            turn += 1
            with self.lock:
                if not self.ended.is_set():
                    _write(CLEAR + self.line(turn, columns() - 1))
                    self.drawn = True

    def line(self, turn: int, width: int) -> str:
        """The line as it is now, no longer than `width`."""
        from divproj.runtime.announce import stages

        under_way = list(stages)
        spin = SPINNER[turn % len(SPINNER)]
        if not under_way:
            return f"{spin} {self.name} {clock(time.monotonic() - self.began)}"[:width]
        inner = under_way[-1]
        shown = next((each for each in under_way if each.total), inner)
        names = " · ".join(
            each.what + (f" {each.done:,.0f}" + f" of {each.total:,.0f}" * bool(each.total)) * bool(each.done or each.total)
            for each in under_way
        )
        parts = [spin]
        if shown.total:
            full = round(WIDTH * min(1.0, shown.done / shown.total))
            parts.append("█" * full + "░" * (WIDTH - full))
        spent = clock(time.monotonic() - under_way[0].began)
        left = shown.left
        parts.append(f"{spent}, about {clock(left)} left:" if left is not None else f"{spent}:")
        parts += [names, f"({inner.note})"] if inner.note else [names]
        return " ".join(parts)[:width]


class _Giving:
    """Standard output on a terminal: what is written there ends the progress bar, for it is progress itself."""

    def __init__(self, stream: Any, bar: Bar) -> None:
        self._stream, self._bar = stream, bar

    def write(self, text: str) -> int:
        if not self._bar.ended.is_set():
            self._bar.stop()
        return self._stream.write(text)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name == "buffer" and not self._bar.ended.is_set():
            self._bar.stop()
        return getattr(self._stream, name)


def clock(seconds: float) -> str:
    """
    >>> clock(7), clock(95), clock(3725)
    ('0:07', '1:35', '1:02:05')
    """
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def columns() -> int:
    """Width of the terminal that the line is drawn on; standard output may be a file, and COLUMNS that of another window."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or shutil.get_terminal_size().columns
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def wanted() -> bool:
    """Whether there is a terminal to draw on."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # the terminal is gone
        pass
