"""Data is UTF-8 on every stream, closed streams end no command in a traceback, and outputs never take the place of inputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from cli.commands import ROOT, proj

from proj_cli import app, commands

KOREAN = ROOT / "corpora" / "kor-eng"


def shell(command: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        ["sh", "-c", command.replace("proj", f"{sys.executable} -m divproj", 1)], env={**os.environ, **env}, capture_output=True
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done


@pytest.mark.parametrize(
    "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "latin-1"}]
)
def test_standard_output_is_utf8(env):
    found = shell(f"proj project {KOREAN}", **env)
    assert found.returncode == 0, found.stderr
    assert "먹었어요" in found.stdout.decode("utf-8")


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (f"proj -q project {KOREAN} >&-", 0, b""),
        ("proj rules show deu 2>&- <&-", 0, b""),
        ("proj parse - --lang en <&-", 1, b"proj: <stdin>: standard input is closed; give a file, or something to read\n"),
        ("proj nonsense <&- >&- 2>&-", 2, b""),
    ],
)
def test_closed_streams(command, code, said):
    found = shell(command)
    assert (found.returncode, found.stderr) == (code, said)


def test_names_that_are_not_utf8_and_no_standard_output(tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    shutil.copytree(KOREAN, odd)
    found = shell(f"cd {tmp_path}; proj -q learn caf* -o - >&-")
    assert (found.returncode, found.stderr) == (0, b"")


def test_names_that_are_not_utf8(tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    shutil.copytree(KOREAN, odd)
    found = proj("analyze", odd, "--csv", tmp_path / "tables")
    assert found.returncode == 0, found.stderr
    assert "caf\\udce9" in (tmp_path / "tables" / "stages.csv").read_text(encoding="utf-8")
    rules = odd / "rules.json"
    assert proj("learn", odd, "-o", rules).returncode == 0
    assert json.loads(rules.read_text(encoding="utf-8"))["about"]["corpora"] == ["caf\udce9"]
    assert json.loads(proj("analyze", odd, "--json").stdout)["corpus"] == "caf\udce9"


def test_run_where_names_are_not_utf8(tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    shutil.copytree(KOREAN, odd)
    config = odd / "divproj.toml"
    config.write_text('[input]\ntext = "igt.txt"\ntrees = "e.conllu"\n[project]\nsystem = "s1-r"\n', encoding="utf-8")
    found = proj("run", config, "-o", tmp_path / "results")
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("words c -o c/f.conllu", "c/f.conllu: --output would take the place of an input; give another name"),
        ("learn c -o c/align.txt", "c/align.txt: --output would take the place of an input"),
        ("analyze c --html c/f.conllu", "c/f.conllu: --html would take the place of an input"),
        ("analyze c --html link", "c/f.conllu: --html would take the place of an input"),
        ("analyze c --html c/new/../f.conllu", "c/f.conllu: --html would take the place of an input"),
        ("project c -o x --html x", "x: --html and --output would both be written there"),
        ("project c --links-out -", "standard output: --links-out and --output would both be written there"),
        ("convert c/f.conllu ./c/f.conllu --force", "c/f.conllu: target would take the place of an input"),
        ("evaluate c/f.conllu c/f.conllu", ""),
        ("project c -o /dev/null --html /dev/null", ""),
    ],
)
def test_outputs_take_the_place_of_nothing(words, message, tmp_path):
    shutil.copytree(KOREAN, tmp_path / "c")
    (tmp_path / "link").symlink_to("c/f.conllu")
    before = {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()}
    found = proj(*words.split(), cwd=tmp_path)
    assert found.returncode == bool(message), found.stderr
    assert not message or found.stderr.startswith(f"proj: {message}")
    assert {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()} == before


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    found = proj("learn", KOREAN, "-o", "a", cwd=tmp_path)
    assert (found.returncode, found.stderr.startswith("proj: a: cannot write here: Too many levels")) == (1, True), found.stderr


def test_every_output_is_guarded():
    """What an option says it writes is known as an output."""
    below = [("", app), *((group.name, group.typer_instance) for group in app.registered_groups)]
    for _, each in below:
        for name, command in typer.main.get_group(each).commands.items():
            for param in getattr(command, "params", ()):
                if (
                    param.metavar in ("FILE", "DIR")
                    and (getattr(param, "help", None) or "").startswith(("Write ", "Save ", "A page "))
                    and (name, param.name) != ("convert", "into")
                ):  # what is read, and written elsewhere
                    assert param.name in commands.OUTPUTS or (name, param.name) in commands.ALSO, (name, param.name)
