"""Ctrl-C and polite requests to end, heard from the first moment on, also where Python would not hear them.

Python runs a handler between two of its own instructions. While it imports, an interrupt can come out as another error; while the
compiler (LLVM) runs, nothing is heard for seconds. So:

    imports of `proj`      Ctrl-C ends the process: nothing has begun (`leave_at_once`)
    a command              Ctrl-C is a KeyboardInterrupt, SIGTERM and SIGHUP a SystemExit: what is not whole is removed on the way out (`handle_signals`)
    compiling a kernel     a thread waits for the same signals; if the compiler is still at it a moment later, it removes what is not
                           whole and ends the process
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MOMENT = 0.3
"""Seconds that the compiler has to let Python hear a signal."""
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def leave_at_once() -> None:
    """End at Ctrl-C without a word, until `handle_signals`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler and _in_main_thread():
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))


@contextmanager
def handle_signals() -> Iterator[list[int]]:
    """Hear signals while a command runs; the list has the numbers of those that came.

    Signals that are ignored (commands in the background, `nohup`) stay so.
    """
    if not _in_main_thread():
        yield []
        return
    numbers: list[int] = []

    def handle(number: int, frame: Any) -> None:
        numbers.append(number)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    old = {number: signal.getsignal(number) for number in (signal.SIGINT, *ENDING)}
    for number, before in old.items():
        if before not in (signal.SIG_IGN, None):
            signal.signal(number, handle)
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours,), name="signals", daemon=True).start()
    try:
        yield numbers
    finally:
        signal.set_wakeup_fd(wakeup)
        theirs.close()
        for number, before in old.items():
            if before is not None:
                signal.signal(number, before)


def _watch(line: socket.socket) -> None:
    """Wait for signals, whose numbers come as bytes; end a process that is busy compiling."""
    with line:
        while number := line.recv(1):
            time.sleep(MOMENT)
            if number[0] in (signal.SIGINT, *ENDING) and _is_compiling():
                from divproj.runtime.leftovers import remove_ours

                remove_ours()
                os._exit(128 + number[0])


def _is_compiling() -> bool:
    """Whether the main thread makes a kernel ready."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_globals.get("__name__") == "divproj.runtime.jit" and frame.f_code.co_name == "_build":
            return True
        frame = frame.f_back
    return False


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
