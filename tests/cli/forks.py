"""Commands without the second that Python, numpy and numba take to start: a process that has them forks for each command.

A forked command is a process of its own, with its own pipes, folder, environment and exit code, and ends as any program
does. What it does not show is a start: modules that are missing, what is read while modules are imported. README's blocks
and tests of starts, signals and limits have a fresh interpreter.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import json
import os
import pkgutil
import random
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PACKAGES = ("divproj", "proj_cli")
HEAVY = ("numba", "scipy.optimize", "scipy.sparse", "rich.console", "rich.progress", "rich.table", "typer.rich_utils")
STREAMS = (("stdin", "r", -1), ("stdout", "w", -1), ("stderr", "w", 1))
"""Name, mode and buffering, as Python opens them."""


class Forks:
    """The process that forks, as its user sees it."""

    def __init__(self) -> None:
        self.line, theirs = socket.socketpair()
        alone = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}  # only one thread may fork
        command = [sys.executable, str(Path(__file__).resolve()), str(theirs.fileno())]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=os.environ | alone)
        theirs.close()
        atexit.register(self.close)

    def run(self, args: list[str], stdin: bytes, cwd: Path, env: dict[str, str]) -> tuple[int, bytes, bytes]:
        """Exit code (minus the signal for a command that one ended), standard output and standard error."""
        (theirs_in, into), (out, theirs_out), (err, theirs_err) = os.pipe(), os.pipe(), os.pipe()
        request = json.dumps({"args": args, "cwd": str(cwd), "env": env}).encode() + b"\n"
        theirs = (theirs_in, theirs_out, theirs_err)
        self.line.sendmsg([request[:1]], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", theirs))])
        self.line.sendall(request[1:])
        for fd in theirs:
            os.close(fd)
        with ThreadPoolExecutor(3) as pool:
            _, told, said = (pool.submit(*work) for work in ((_write, into, stdin), (_read, out), (_read, err)))
            answer = self.line.makefile().readline()
        if not answer:
            raise RuntimeError(f"the process that forks has ended with code {self.process.wait()}")
        return int(answer), told.result(), said.result()

    def close(self) -> None:
        self.line.close()
        self.process.wait()


def _write(fd: int, data: bytes) -> None:
    try:
        with open(fd, "wb") as pipe:
            pipe.write(data)
    except BrokenPipeError:  # the command did not want to hear more
        pass


def _read(fd: int) -> bytes:
    with open(fd, "rb") as pipe:
        return pipe.read()


def warm() -> None:
    """Import what commands import late, and have numba set itself up."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in HEAVY:
        importlib.import_module(name)
    sys.modules["numba"].njit("i8(i8)")(lambda number: number + 1)
    threads = os.listdir("/proc/self/task")
    assert len(threads) == 1, f"{len(threads)} threads: forking is not safe"
    gc.freeze()  # or each fork looks at (and so copies) all of it


def serve(line: socket.socket) -> list[str]:
    """Fork for every request until the other end is closed; returns in the forked process, with the arguments of its command."""
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests; they close the line
    while True:
        first, ancillary, *_ = line.recvmsg(1, socket.CMSG_SPACE(12))
        if not first:
            os._exit(0)
        request = first
        while not request.endswith(b"\n"):
            request += line.recv(1 << 16)
        fds = array.array("i", ancillary[0][2])
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGINT, heard)
            line.close()
            return become(json.loads(request), fds)
        for fd in fds:
            os.close(fd)
        line.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def become(request: dict[str, object], fds: array.array[int]) -> list[str]:
    """The forked process as Python would have started it."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(str(request["cwd"]))
    sys.path.insert(0, os.getcwd())
    for place, (fd, (name, mode, buffering)) in enumerate(zip(fds, STREAMS, strict=True)):
        old = getattr(sys, name)
        os.dup2(fd, place)
        os.close(fd)
        new = open(place, mode, buffering, encoding=old.encoding, errors=old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    random.seed()
    sys.modules["numpy"].random.seed()
    return list(request["args"])


def perform() -> int:
    """Run the command and end as Python does, but for the modules: to take them down one by one lasts half a second."""
    code: object = 0
    try:
        runpy.run_module("divproj", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    assert code is None or isinstance(code, int), code
    return code or 0


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file
    warm()
    sys.argv[1:] = serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(perform())
