"""The progress bar on a real terminal: there within a second, never still, gone at the end; nothing of it in a pipe."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

from divproj.runtime.announce import stage, stages
from proj_cli.common import Bar, clock

PATIENCE = 300.0
Screen = Callable[[], str]
WRITTEN = "written"
"""The file of everything that a command wrote to its terminal."""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[[str], Screen]]:
    """A command on a terminal of 110 columns; what it shows now, with the exit code when it has ended."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")
    name = f"divproj-{uuid.uuid4().hex[:8]}"
    tmux = ["tmux", "-L", name, "-f", "/dev/null"]
    env = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}
    env.pop("NO_COLOR", None)

    def run(command: str) -> Screen:
        whole = f"COLUMNS=80 {command}; echo ended $?; sleep 60"
        start = ["new-session", "-d", "-x", "110", "-y", "30", "-s", "one", whole]
        keep = ["pipe-pane", "-t", "one", f"cat > {tmp_path / WRITTEN}"]
        subprocess.run([*tmux, *start, ";", *keep], check=True, cwd=tmp_path, env=env)
        return lambda: (
            subprocess.run([*tmux, "capture-pane", "-p", "-t", "one"], capture_output=True, text=True, check=True).stdout
        )

    yield run
    subprocess.run([*tmux, "kill-server"], capture_output=True)


def at_the_end(screen: Screen) -> str:
    """The screen when the command has ended."""
    began = time.monotonic()
    while "ended" not in (last := screen()):
        assert time.monotonic() - began < PATIENCE, last
        time.sleep(0.05)
    return last


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("experiment {corpora}/deu-eng --systems s2+,s4+ --folds 2", r"cross-validating s2\+, s4\+: fold \d of 4"),
        ("train {corpora}/kor-eng -o model --epochs 2", r"learning corrections: part|training the parser: pass"),
        (
            "induce {corpora}/deu-eng -o grammar --sweeps 400 --chains 1",
            r"inducing grammars, sweep|compiling kernels|loading kernels",
        ),
    ],
    ids=lambda text: text.split()[0],
)
def test_long_commands_say_what_they_do(terminal: Callable[[str], Screen], tmp_path: Path, command: str, says: str):
    given = command.format(corpora=ROOT / "corpora")
    last = at_the_end(terminal(f"{sys.executable} -m divproj {given}"))
    assert "ended 0" in last, last
    written = (tmp_path / WRITTEN).read_text(encoding="utf-8")
    assert re.search(says, written), written
    assert not any(mark in last for mark in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏█░")  # the line has gone


def test_nothing_of_it_in_a_pipe_or_when_quiet(tmp_path: Path):
    done = proj("find", "upos=NOUN", "deu-eng", "--count")
    assert done.returncode == 0
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr


def test_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    bar = Bar("starting")
    bar.began -= 65
    assert bar.line(1, 80) == "⠙ starting 1:05"
    with stage("training", 10) as outer:
        outer.began = 960.0
        outer.advance(4)
        with stage("compiling kernels (first run only)", 30) as inner:
            inner.advance(3, "epoch")
            line = bar.line(0, 200)
    assert re.fullmatch(
        r"⠋ █{10}░{14} 0:40, about 1:00 left: training 4 of 10 · compiling kernels \(first run only\) 3 of 30 \(epoch\)",
        line,
    )
    assert len(bar.line(0, 20)) <= 20
    assert stages == []


def test_clock():
    assert [clock(x) for x in (0, 59.9, 60, 3600)] == ["0:00", "0:59", "1:00", "1:00:00"]
