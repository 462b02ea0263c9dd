"""A forked command is what a fresh one is; every command is started fresh somewhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import ROOT, forks, proj
from cli.forks import Forks
from cli.pages import DOCS, steps
from cli.test_readme import README

from proj_cli import app

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are forked on Linux only")
CORPUS = ROOT / "corpora" / "deu-eng"
SMALLEST: dict[str, tuple[tuple[object, ...], str]] = {
    "cite": ((), "Georgi"),
    "corpora": ((), "hin-eng"),
    "evaluate": ((CORPUS / "f.conllu", CORPUS / "f.conllu"), "100"),
    "review": (("none.conllu",), "none.conllu: no such file"),
    "warm": (("--help",), "kernel"),
}
"""What the pages may not show."""
KILLER = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"


def run(*args: object, stdin: bytes = b"", cwd: Path = ROOT, **env: str) -> tuple[int, bytes, bytes]:
    """Forked, with what `proj` does not let through."""
    return forks(0).run(list(map(str, args)), stdin, cwd, {**os.environ, "NO_COLOR": "1", "TERM": "dumb", **env})


@pytest.mark.parametrize(
    ("args", "stdin"),
    [
        (("analyze", CORPUS, "--json"), b""),
        (("check", "-"), b"\xff\xfe \x1b[31m\n"),
        (("words",), b""),
    ],
)
def test_the_same_as_fresh(args, stdin):
    forked, fresh = proj(*args, stdin=stdin), proj(*args, stdin=stdin, fresh=True)
    assert (forked.returncode, forked.stdout, forked.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)


def test_folder_and_environment_are_those_asked_for(tmp_path):
    (tmp_path / "mine").symlink_to(CORPUS)
    assert [run("analyze", "mine", cwd=folder)[0] for folder in (tmp_path, ROOT)] == [0, 1]
    assert b"\x1b[" in run("analyze", FORCE_COLOR="1", TERM="xterm", NO_COLOR="")[2]


def test_more_than_a_pipe_holds():
    text = b"mira wan\nsee dog\n'see dog'\n\n" * 3000
    code, out, _ = run("convert", "-", "-", "--to", "conllu", stdin=text)
    assert code == 0
    assert len(out) > len(text) > 1 << 16


def test_input_that_nobody_reads():
    assert run("analyze", "nowhere", stdin=bytes(1 << 20))[0] == 1


def test_an_end_by_a_signal_is_told_and_the_next_command_runs(tmp_path):
    (tmp_path / "killer.py").write_text(KILLER)
    command = ("project", CORPUS / "igt.txt", "--e-parser", f"{sys.executable} {tmp_path / 'killer.py'}")
    assert run(*command)[0] == -signal.SIGKILL
    assert run("--version")[0] == 0


def test_taken_in_turns(monkeypatch):
    """So that what is run twice meets two orders of sets."""
    asked = []
    monkeypatch.setattr(Forks, "run", lambda self, *_: (asked.append(self.process.pid), (0, b"", b""))[1])
    for _ in range(4):
        proj("cite")
    assert asked[0] != asked[1]
    assert asked[2:] == asked[:2]


def test_pools_and_clusters_are_not_forked(monkeypatch):
    monkeypatch.setattr(Forks, "run", None)
    monkeypatch.setattr(subprocess, "run", lambda args, **_: subprocess.CompletedProcess(args, 7, b"", b""))
    for words in (("-j", 2), ("--jobs", 0), ("--scheduler", "tcp://127.0.0.1:1")):
        assert proj("analyze", "nowhere", *words).returncode == 7


def test_every_command_is_started_fresh():
    """The blocks of README and the pages do it for all commands but these."""
    pages = [README, *sorted(DOCS.glob("*.md"))]
    shown = {step.command.split()[1] for page in pages for step in steps(page) if step.command.startswith("proj ")}
    there = {each.name or each.callback.__name__ for each in app.registered_commands if each.callback}
    there |= {each.name for each in app.registered_groups if each.name}
    assert there <= shown | set(SMALLEST), there - shown - set(SMALLEST)


@pytest.mark.parametrize("name", SMALLEST)
def test_smallest_call(name: str):
    args, told = SMALLEST[name]
    done = proj(name, *args, fresh=True)
    assert told in done.stdout + done.stderr
