"""Runs killed at any moment (SIGKILL) and runs at the same time end with the bytes of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pipelinefiles import LEARNED, config, snapshot, write

pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]
TESTS = Path(__file__).resolve().parents[2]
DRIVER = """
import os, random, signal, sys
from pathlib import Path
from divproj.run.config import load
from divproj.run.runner import Run
from divproj.core.errors import ProjError
from pipelinefiles import snapshot

TOUCH = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "shutil.copyfile", "shutil.copytree"}
path, base, mode = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def run(folder):
    Run(load(path, folder)).execute()


def child(work):
    pid = os.fork()
    if not pid:
        try:
            work()
            os._exit(0)
        except ProjError as error:
            print(error, file=sys.stderr)
            os._exit(1)
        finally:
            os._exit(70)
    return pid


def touches(folder, at):
    # counts what is done to the disk below the folder; at that count, the process ends itself as kill -9 does
    seen = [0]

    def hook(event, args):
        if event in TOUCH and args and str(args[0]).startswith(str(folder)):
            seen[0] += 1
            if seen[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    return seen


run(base / "reference")
want = snapshot(base / "reference")
if mode == "kill":
    def count():
        seen = touches(base / "counted", 0)
        run(base / "counted")
        (base / "count").write_text(str(seen[0]))

    os.waitpid(child(count), 0)
    total = int((base / "count").read_text())
    assert total > 100, total
    chosen = sorted(random.Random(int(sys.argv[4])).sample(range(2, total), int(sys.argv[5])))
    for at in chosen:
        folder = base / f"killed-{at}"

        def killed():
            touches(folder, at)
            run(folder)

        assert os.waitpid(child(killed), 0)[1] == signal.SIGKILL, at
        for part in folder.rglob("*"):  # what was being written may have been cut anywhere
            if ".part" in str(part) and part.is_file():
                part.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
        run(folder)
        got = snapshot(folder)
        assert got == want, (at, sorted(set(got) ^ set(want)), [n for n in want if got.get(n) != want[n]])
    print("killed at", *chosen, "of", total)
else:
    folder = base / "shared"
    ends = [os.waitpid(pid, 0)[1] for pid in [child(lambda: run(folder)) for _ in range(4)]]
    assert 0 in ends, ends
    assert all(end in (0, 256) for end in ends), ends
    run(folder)
    assert snapshot(folder) == want
    print("refused", sum(end != 0 for end in ends))
"""


def drive(folder: Path, *args: object) -> subprocess.CompletedProcess[str]:
    """The driver in a process of its own with one thread, so that it may fork."""
    path = config(write(folder / "tavi"), LEARNED)
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", DRIVER, str(path), str(folder), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_killed_at_any_moment(tmp_path: Path):
    done = drive(tmp_path, "kill", 7, 8)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("killed at")


def test_several_at_once(tmp_path: Path):
    done = drive(tmp_path, "together")
    assert done.returncode == 0, done.stderr
    if not done.stdout.startswith("refused 0"):
        assert "another run is at work here (process" in done.stderr


def test_killed_by_the_clock(tmp_path: Path):
    """A real kill from outside, at a moment that nobody chose; then the same command again."""
    path = config(write(tmp_path / "tavi"), LEARNED)
    command = [sys.executable, "-m", "divproj", "-q", "run", str(path), "-j", "1", "-o"]
    started = subprocess.Popen([*command, str(tmp_path / "killed")], stderr=subprocess.DEVNULL)
    try:
        started.wait(0.3 + random.Random(os.getpid()).random())
    except subprocess.TimeoutExpired:
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
    for name in ("killed", "whole"):
        subprocess.run([*command, str(tmp_path / name)], check=True)
    assert snapshot(tmp_path / "killed") == snapshot(tmp_path / "whole")
