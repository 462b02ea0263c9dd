"""`proj train` through a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from cli.commands import ROOT, proj
from toybank import TREEBANK

from divproj.io.trees import conllu
from proj_cli.parse import train

CORPUS = ROOT / "corpora" / "hin-eng"
SMALL = ("--set", "bits=14", "--epochs", 3)


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    (tmp_path / "toy.conllu").write_text("".join(map(conllu.dumps, TREEBANK)))
    return tmp_path / "toy.conllu"


def test_a_language_and_the_same_bytes_twice(treebank: Path, tmp_path: Path):
    done = proj("train", treebank, "-o", tmp_path / "toy", "--dev", treebank, "-v", *SMALL)
    assert done.returncode == 0, done.stderr
    assert "pass 3 of 3: wrong heads " in done.stderr
    assert ", dev UAS " in done.stderr
    assert "model of 16 sentences, " in done.stderr
    assert done.stdout == ""
    about = json.loads((tmp_path / "toy" / "model.json").read_text())
    assert about["format"] == "divproj-language"
    assert about["about"]["source"] == "toy.conllu"
    assert "random_state:1" in about["about"]["signature"]
    assert str(tmp_path) not in json.dumps(about)
    assert proj("train", treebank, "-o", tmp_path / "again", "--dev", treebank, "-q", *SMALL).stderr == ""
    for name in ("model.json", "weights.npz"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "toy" / name).read_bytes()


def test_a_system_of_a_corpus(tmp_path: Path):
    options = ("--projection", "s1-r", "--features", "proj,align,pos", *SMALL)
    done = proj("train", CORPUS, "-o", tmp_path / "model", *options)
    assert done.returncode == 0, done.stderr
    assert "model of 66 pairs, " in done.stderr
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    assert "|features:proj,align,pos|projection:s1-r|" in about["about"]["signature"]
    assert "system:" not in about["about"]["signature"]
    recipe = about["recipe"]
    assert recipe["features"] == ["proj", "single", "merge", "together"]
    assert recipe["projection"] == "s1-r"
    done = proj("parse", CORPUS, "--model", tmp_path / "model")
    assert done.returncode == 0, done.stderr
    found = list(conllu.loads(done.stdout))
    assert len(found) == 66
    assert all("ProjConf=" in cell for cell in found[0].column(9))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"system": "s9"}, "no system s9 to train"),
        ({"system": "oracle"}, "no system oracle to train"),
        ({"projection": "gold"}, "no projection system gold"),
        ({"trees": "s9"}, "no projection system s9"),
        ({"features": "pos,weather"}, "no features 'weather'"),
        (
            {"system": "s4-1", "features": "match"},
            "--system s4-1 says what the parser learns from and sees, --features match says it otherwise",
        ),
        (
            {"system": "s4+", "trees": "gold"},
            "--trees gold says it otherwise; give a system, or trees, features and projection of your own",
        ),
        ({"system": "s3-1", "projection": "s1-r"}, "--projection s1-r says it otherwise"),
    ],
)
def test_usage(options: dict[str, str], why: str, tmp_path: Path):
    with pytest.raises(typer.BadParameter, match=why):
        train(str(CORPUS), tmp_path / "model", **options)


def test_what_cannot_be_trained(treebank: Path, tmp_path: Path):
    done = proj("train", CORPUS, "-o", tmp_path / "model", "--system", "s9")
    assert done.returncode == 2
    assert "no system s9 to train" in done.stderr
    (tmp_path / "bare.conllu").write_text("1\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    done = proj("train", tmp_path / "bare.conllu", "-o", tmp_path / "model")
    assert done.returncode == 1
    assert "no word has a head to learn from; give a treebank in CoNLL-U" in done.stderr
    assert not (tmp_path / "model").exists()


def test_the_place_is_looked_at_before_the_work(treebank: Path, tmp_path: Path):
    done = proj("train", treebank, "-o", tmp_path)
    assert done.returncode == 1
    assert "the folder holds other things (toy.conllu); give a new folder for the model" in done.stderr
