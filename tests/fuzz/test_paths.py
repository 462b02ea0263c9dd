"""Path tricks: a config, a corpus or a model names only what its user could name, and outputs stay in their folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pipelinefiles import PLAIN, config, snapshot, write

from divproj.core.errors import ProjError
from divproj.run.cache import Store
from divproj.run.config import load
from divproj.run.runner import Run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write(tmp_path / "work", 4, 2)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(ProjError) as caught:
        load(config(folder, text))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (PLAIN.replace("text.txt", "a" * 300), "aaaaa"),  # cannot be looked for, or (since Python 3.14) is not there
        (PLAIN.replace("text.txt", "~nobody-of-that-name/x"), "cannot be looked for: "),
        (PLAIN.replace("text.txt", "a\\u0000b"), "cannot hold the character 0"),
        (PLAIN.replace("text.txt", "."), "'.' is a folder, a file expected"),
        (PLAIN.replace("text.txt", "../work"), "is a folder, a file expected"),
        (PLAIN.replace("text.txt", "../../../../../../etc/no-such-file"), "there is no file"),
        ('results = "."\n' + PLAIN, "lies in the results folder"),
        ('results = "../work"\n' + PLAIN, "lies in the results folder"),
        ('results = "text.txt/x"\n' + PLAIN, ""),
        ('results = "text.txt"\n' + PLAIN, "text.txt"),
        ("seed = " + "9" * 5000 + "\n" + PLAIN, "not TOML: "),
        (PLAIN + '[project]\nrules = "../../etc/passwd"\n', "there is no rule file"),
    ],
)
def test_names_that_are_tricks(place: Path, text: str, why: str):
    if why:
        assert why in refused(place, text)
    else:
        with pytest.raises(ProjError):
            Run(load(config(place, text))).execute()


def test_links_in_a_circle(place: Path):
    (place / "loop").symlink_to("loop")
    assert "there is no file 'loop'" in refused(place, PLAIN.replace("text.txt", "loop"))


def test_a_results_folder_of_others_is_left_alone(place: Path):
    other = place / "thesis"
    other.mkdir()
    (other / "chapter.tex").write_text("…")
    with pytest.raises(ProjError, match=r"the folder holds other things \(chapter.tex\)"):
        Run(load(config(place, PLAIN), other)).execute()
    assert (other / "chapter.tex").read_text() == "…"


def test_a_list_of_results_names_nothing_outside(tmp_path: Path):
    """`published.json` says what may be removed: names with a slash, or of hidden files, are no names of results."""
    store = Store(tmp_path / "results")
    store.stages.mkdir(parents=True)
    (tmp_path / "mine").write_text("keep")
    (store.folder / ".lock").write_text("keep")
    names = {"../mine": ["0"], str(tmp_path / "mine"): ["0"], ".lock": ["0"], "": ["0"]}
    (store.stages / "published.json").write_text(json.dumps(names))
    assert store.publish({}) == []
    assert (tmp_path / "mine").read_text() == (store.folder / ".lock").read_text() == "keep"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(place: Path, tmp_path: Path):
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o500)
    with pytest.raises(ProjError, match="could not be written: Permission denied"):
        Run(load(config(place, PLAIN), shut / "results")).execute()
    assert snapshot(shut) == {}
