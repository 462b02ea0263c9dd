"""Names of files that begin with a dash, have newlines or blanks, or are as long as file systems allow."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

import pytest
from cli.commands import proj
from reviewfiles import TEXT, Client, Command

from divproj.core.errors import shell_word
from divproj.runtime.leftovers import name_beside

INSTANCE = "miko dal-i\ndog bark-PST\n'The dog barked.'\n"
LONG = [245, 250, 255]
ODD = ["-t", "--rules=x", "a\nb", "my text", "it's", "$(touch ran)", "tab\tand\\slash", "`x`", "ə;ls"]


@pytest.mark.parametrize("name", ODD)
def test_commands_that_are_suggested_can_be_pasted(name: str, tmp_path: Path):
    path = f"{name}.conllu"
    done = proj("project", "-o", path, "--", "-text.txt", cwd=_with_text(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / path).exists()
    last = done.stderr.splitlines()[-1]
    command = re.search(r"(?<=correct them: proj review ).*", last)
    assert command, done.stderr
    shown = subprocess.run(
        ["bash", "-c", f"printf '%s' {command[0]}"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert not shown.startswith("-")
    assert (tmp_path / shown).samefile(tmp_path / path)
    assert not (tmp_path / "ran").exists()


def _with_text(folder: Path) -> Path:
    (folder / "-text.txt").write_text(INSTANCE)
    return folder


def test_a_review_of_a_text_whose_name_is_no_option(tmp_path: Path):
    command = Command("--", "-text.txt", cwd=_with_text(tmp_path))
    assert command.url, command.end()
    code, said = command.end()
    assert code == 0, said
    assert {"-text.txt", "-text.txt.trees.conllu", "-text.txt.trees.reviewed.conllu"} <= set(os.listdir(tmp_path))
    assert "proj convert ./-text.txt.trees.reviewed.conllu OUT --into FILE" in said


@pytest.mark.parametrize("size", LONG)
def test_long_names_of_what_is_reviewed(size: int, tmp_path: Path):
    """The names of the results are longer, so they are cut; the same file has the same."""
    source = tmp_path / ("x" * (size - 7) + ".conllu")
    source.write_text(TEXT, encoding="utf-8")
    for version in range(2):
        command = Command(source)
        assert command.url, command.end()
        assert Client(command.url).edit(0, version, "relation", word=1, relation=f"r{version}")[0] == 200
        code, said = command.end(signal.SIGINT)
        assert code == 0, said
    assert "1 change of an earlier review taken up" in said
    (reviewed,) = (path for path in tmp_path.iterdir() if path.name.endswith(".reviewed.conllu"))
    assert "r1" in reviewed.read_text(encoding="utf-8")


@pytest.mark.parametrize("size", LONG)
def test_long_names_of_outputs(size: int, tmp_path: Path):
    for side in "fe":
        (tmp_path / side).write_text(f"{side}1 {side}2\n{side}1\n")
    links = tmp_path / ("y" * size)
    done = proj("words", tmp_path / "f", tmp_path / "e", "--fast", "--checkpoint", 0, "-o", links)
    assert (done.returncode, len(links.read_text().splitlines())) == (0, 2), done.stderr
    assert "checkpoint" not in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["e", "f", links.name]


def test_names_beside_others_differ():
    names = {name_beside(letter * 250, ".journal") for letter in "ab"} | {name_beside("ä" * 127, ".journal")}
    assert len(names) == 3
    assert all(len(name.encode()) <= 255 and name.endswith(".journal") for name in names)
    assert name_beside("a" * 247, ".journal") == "a" * 247 + ".journal"


@pytest.mark.parametrize("name", ODD)
def test_a_word_of_a_shell(name: str):
    word = shell_word(name)
    assert "\n" not in word
    if not word.startswith("$"):
        assert shlex.split(word)[0].removeprefix("./") == name
