"""Tables, messages and help texts in terminals of 80 and 60 columns: key columns are there, no line is broken inside of a word."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from cli.terminal import in_terminal

CODE = re.compile(r"divproj:\d\S*")
"""A signature, which is one word."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight sentences of the tutorial with their gold trees, and a text with things that do not line up."""
    here = tmp_path_factory.mktemp("terminal")
    for name in ("turkish.txt", "gold.conllu", "turkish.sfm"):
        text = (ROOT / "tutorial" / name).read_text(encoding="utf-8")
        (here / name).write_text("\n\n".join(text.split("\n\n")[:8]) + "\n\n", encoding="utf-8")
    done = proj("project", "turkish.txt", "-o", "trees.conllu", "--e-out", "e.conllu", "--links-out", "links.txt", cwd=here)
    assert done.returncode == 0, done.stderr
    wrong = "Kedi uyuyor burada\nkedi uyu-yor\ncat-ZZZ sleep-QQQ\n‘The cat is sleeping here.’\n"
    (here / "wrong.txt").write_text((here / "turkish.txt").read_text(encoding="utf-8") + wrong, encoding="utf-8")
    (here / "two.txt").write_text("- 0-0 1-1\n", encoding="utf-8")
    return here


TABLES = {
    "systems": ("s6", "gloss model", "70.6", "gold trees"),
    "systems --papers": ("s4-2", "91.8"),
    "languages": ("en", "English", "CC BY-SA 4.0", "89.9"),
    "corpora": ("deu-eng", "German", "66"),
    "analyze deu-eng": ("as given", "after swap", "unaligned", "79.6", "word without a partner", "37", "percent", "divproj:"),
    "analyze deu-eng hin-eng": ("deu-eng", "hin-eng", "after swap", "79.6"),
    "evaluate gold.conllu trees.conllu": ("UAS", "LAS", "tag NOUN", "mean confidence"),
    "evaluate gold.conllu trees.conllu trees.conllu": ("UAS", "p = "),
    "evaluate --agreement gold.conllu trees.conllu": ("Agreement", "kappa", "percent"),
    "evaluate --word-links links.txt links.txt": ("precision", "recall", "AER", "100.00"),
    "experiment gold.conllu e.conllu links.txt --systems s1-r,s2+ --folds 2": ("s1-r", "s2+", "UAS", "LAS"),
    "paper": ("shows",),
    "check wrong.txt": ("Leipzig level", "abbreviations known", "What does not fit", "Unknown abbreviations", "ZZZ", "percent"),
    "check turkish.sfm --markers list": ("Markers", "\\tx", "words", "a marker in use"),
    "project turkish.txt -o x.conllu": ("gloss model (s6)", "words linked", "heads should be right", "proj review"),
    "types turkish.txt -o x.tsv": ("word types written",),
    "convert turkish.txt x.xml --force": ("8 sentences written",),
    "find rel=root trees.conllu --by upos": ("VERB",),
    "rules show deu": ("word",),
    "cite": ("Georgi",),
    "project nothing.txt": ("nothing.txt: no such file",),
}
"""Commands, and what must be on the screen whatever its width."""


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("command", TABLES)
def test_key_columns(command: str, width: int, folder: Path):
    code, screen = in_terminal(*command.split(), width=width, cwd=folder)
    assert code == (1 if "nothing" in command else 0), screen
    text = " ".join(screen.split())
    for expected in TABLES[command]:
        assert expected in text, screen
    assert "…" not in text.replace("s1-r …", ""), screen  # nothing is cut
    if command != "cite":
        for line in _written(screen):
            assert len(line) <= width or CODE.search(line) or " " not in line.strip(), line


def _written(screen: str) -> list[str]:
    """The lines that stay, without the progress bar."""
    return [line.rpartition("\r")[2] for line in screen.splitlines()]


def test_colours_change_nothing(folder: Path):
    plain, coloured = (in_terminal("systems", width=60, cwd=folder, colour=each)[1] for each in (False, True))
    assert _written(plain) == _written(coloured)


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("words", ["project", "align pairs", "induce", "check", "evaluate", "", "run", "train"])
def test_help(words: str, width: int):
    code, screen = in_terminal(*words.split(), "-h", width=width)
    assert code == 0
    assert max(map(len, screen.splitlines())) <= width
    assert not re.search(r"<\w+>|<\w+\|", screen)  # no types of Python
    for name in re.findall(r"--\w[\w-]*", screen):
        assert not name.endswith("-"), name  # not broken


def test_rare_options_are_shown_when_asked_for():
    usual, everything = proj("project", "--help").stdout, proj("project", "--help-all").stdout
    assert len(usual.splitlines()) < 75 < len(everything.splitlines())
    assert "--shards" not in usual
    assert "--shards" in everything
    assert "--help-all lists them" in usual
    assert "--help-all lists them" not in everything
    assert proj("corpora", "--help-all").returncode == 2  # a command without rare options


def test_a_pipe_is_not_wrapped(folder: Path):
    done = proj("project", "turkish.txt", "-o", "y.conllu", cwd=folder)
    assert any(len(line) > 80 for line in done.stderr.splitlines())
    shutil.rmtree(folder / "nothing", ignore_errors=True)
