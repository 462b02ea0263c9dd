"""A cluster that changes under way: workers with other code or another model, a scheduler that dies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from cli.test_jobs import interlinear

pytestmark = pytest.mark.long

pytest.importorskip("distributed")

PARSER = """
import os, pathlib, signal, sys, time
mark, target = pathlib.Path(sys.argv[1]), int(sys.argv[2])
time.sleep(0.2)
for line in sys.stdin:
    if "kill" in line and target and not mark.exists():
        mark.touch()
        os.kill(target, signal.SIGKILL)
        time.sleep(1)
    for k, word in enumerate(line.split(), 1):
        print(k, word, *"____", k - 1, "root" if k == 1 else "dep", *"__", sep="\\t")
    print()
"""


@contextmanager
def started(*arguments, env=None):
    made = subprocess.Popen(
        [sys.executable, "-m", *map(str, arguments)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield made
    finally:
        made.kill()
        made.wait()


@contextmanager
def scheduler(tmp_path: Path):
    file = tmp_path / "scheduler.json"
    with started("distributed.cli.dask_scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", file) as made:
        for _ in range(3000):
            if file.exists() and file.read_text().strip().endswith("}"):
                break
            time.sleep(0.1)
        yield made, json.loads(file.read_text())["address"]


def worker(address, env=None):
    return started(
        "distributed.cli.dask_worker", address, "--nthreads", 1, "--no-dashboard", "--no-nanny", "--death-timeout", 300, env=env
    )


def wait_for_workers(address: str, count: int = 1) -> None:
    """As long as a busy machine may need to start them."""
    from distributed import Client

    with Client(address, timeout=300) as client:
        client.wait_for_workers(count, timeout=300)


def paths(*tops: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, tops))}


def test_a_worker_with_other_code_works_on_nothing(tmp_path):
    """It joins while the job runs: what it is given is done again here, and said."""
    strange = tmp_path / "strange"
    shutil.copytree(ROOT / "src" / "divproj", strange / "divproj", ignore=shutil.ignore_patterns("__pycache__"))
    with open(strange / "divproj" / "projection" / "direct.py", "a") as source:
        source.write("\nOTHER = True\n")
    parser = tmp_path / "parser.py"
    parser.write_text(PARSER)
    command = [
        "project",
        "--system",
        "s1-r",
        interlinear(tmp_path / "text.txt", 3000),
        "--e-parser",
        f"{sys.executable} {parser} {tmp_path / 'mark'} 0",
    ]
    assert proj(*command, "-o", tmp_path / "one.conllu").returncode == 0
    alike, unlike = paths(ROOT / "src", ROOT / "cli"), paths(strange, ROOT / "cli")
    with scheduler(tmp_path) as (_, address), worker(address, alike), worker(address, unlike):
        wait_for_workers(address, 2)
        found = proj(*command, "-o", tmp_path / "two.conllu", "--scheduler", address)
    assert found.returncode == 0, found.stderr
    assert "has other code: its sentences are done here; every worker needs the divproj that you have here" in found.stderr
    assert (tmp_path / "two.conllu").read_bytes() == (tmp_path / "one.conllu").read_bytes()


def test_a_scheduler_that_dies_is_blamed(tmp_path):
    """Not the file that was being written, and without a traceback of Dask."""
    parser = tmp_path / "parser.py"
    parser.write_text(PARSER)
    text = interlinear(tmp_path / "text.txt", 3000)
    with scheduler(tmp_path) as (process, address), worker(address, paths(ROOT / "src", ROOT / "cli")):
        wait_for_workers(address)
        command = f"{sys.executable} {parser} {tmp_path / 'mark'} {process.pid}"
        found = proj(
            "project", text, "--system", "s1-r", "--e-parser", command, "-o", tmp_path / "two.conllu", "--scheduler", address
        )
    assert found.returncode == 1, found.stderr
    assert found.stderr.startswith(f"proj: {address}: the Dask scheduler is lost")
    assert found.stderr.count("\n") == 1
    assert not (tmp_path / "two.conllu").exists()
    assert not list(tmp_path.glob(".*.part"))


def test_a_parent_that_is_killed_takes_its_workers_along(tmp_path):
    parser, mark = tmp_path / "parser.py", tmp_path / "mark"
    parser.write_text(
        "import os, sys, time, pathlib\npathlib.Path(sys.argv[1]).write_text(str(os.getppid()))\ntime.sleep(20)\n"
    )
    arguments = [
        "project",
        "--system",
        "s1-r",
        interlinear(tmp_path / "text.txt", 500),
        "--e-parser",
        f"{sys.executable} {parser} {mark}",
    ]
    with started("divproj", *arguments, "-j", 2, "-o", tmp_path / "two.conllu", env=paths(ROOT / "src", ROOT / "cli")) as made:
        wait_for(lambda: mark.exists() and mark.read_text())
        child = int(mark.read_text())
        assert list(tmp_path.glob(".two.conllu.*.part"))
        made.send_signal(signal.SIGKILL)
        made.wait()
    wait_for(lambda: not alive(child))
    assert proj("project", ROOT / "corpora" / "deu-eng", "-o", tmp_path / "two.conllu").returncode == 0
    assert not list(tmp_path.glob(".two.conllu.*.part"))


def wait_for(happens) -> None:
    for _ in range(3000):
        if happens():
            return
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
