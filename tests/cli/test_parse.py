"""`proj parse` through a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from cli.commands import proj
from toybank import TOY, TREEBANK

from divproj import ModelError, ProjError
from divproj.core.sentence import misc_value
from divproj.io.trees import conllu
from divproj.parsing.language import Language
from proj_cli.parse import parse

TEXT = "the old dog sleeps softly. Mara mends nets.\n\nthe child whistles"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "toy"
    Language.train(TREEBANK, bits=14, epochs=4).save(folder)
    return folder


def test_plain_text(model: Path):
    done = proj("parse", "-", "--model", model, stdin=TEXT)
    assert done.returncode == 0, done.stderr
    found = list(conllu.loads(done.stdout))
    assert [s.comment("text") for s in found] == ["the old dog sleeps softly.", "Mara mends nets.", "the child whistles"]
    assert [s.sent_id for s in found] == ["1", "2", "3"]
    assert found[0].column(3) == ("DET", "ADJ", "NOUN", "VERB", "ADV", "PUNCT")
    assert found[0].tree.heads == (3, 3, 4, 0, 4, 4)
    assert found[0].column(9)[4].startswith("SpaceAfter=No|ParseConf=")
    kept = proj("parse", "-", "--model", model, "--keep-lines", "--no-confidence", stdin=TEXT)
    assert [s.comment("text") for s in conllu.loads(kept.stdout)] == [
        "the old dog sleeps softly. Mara mends nets.",
        "the child whistles",
    ]
    assert "ParseConf" not in kept.stdout


def test_the_best_trees_and_forests(model: Path, tmp_path: Path):
    (tmp_path / "toy.conllu").write_text("".join(map(conllu.dumps, TREEBANK[:4])))
    done = proj(
        "parse", tmp_path / "toy.conllu", "--model", model, "--nbest", 2, "--forest", tmp_path / "f.jsonl", "-o",
        tmp_path / "out.conllu",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "4 sentences parsed by " in done.stderr
    found = list(conllu.load(tmp_path / "out.conllu"))
    assert [s.sent_id for s in found] == [f"toy-{k}" for k in (1, 1, 2, 2, 3, 3, 4, 4)]
    assert [s.tree.heads for s in found[::2]] == [tree.heads for tree in TOY[:4]]
    forests = [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert [tuple(forest["forms"]) for forest in forests] == [tree.forms for tree in TOY[:4]]


def test_function_words_as_heads(model: Path, tmp_path: Path):
    (tmp_path / "toy.conllu").write_text(conllu.dumps(TREEBANK[3]))
    done = proj("parse", tmp_path / "toy.conllu", "--model", model, "--style", "function", "--keep-tags")
    [found] = conllu.loads(done.stdout)
    assert found.tree.heads == (2, 0, 2, 2, 6, 4), "the adposition heads its noun"
    assert misc_value(found.column(9)[0], "ParseConf")


def test_bad_input(model: Path, tmp_path: Path):
    (tmp_path / "bad.txt").write_bytes(b"the dog sleeps.\n\xff\nMara sleeps.\n")
    done = proj("parse", tmp_path / "bad.txt", "--model", model)
    assert done.returncode == 0
    assert "bad.txt:2: the line is not UTF-8 text" in done.stderr
    assert len(list(conllu.loads(done.stdout))) == 2, "a bad line does not lose the good ones"
    done = proj("parse", tmp_path / "none.txt", "--model", model)
    assert done.returncode == 1
    assert "none.txt: no such file" in done.stderr


def test_usage(model: Path):
    with pytest.raises(typer.BadParameter, match="give --lang or --model"):
        parse("-")
    with pytest.raises(typer.BadParameter, match="give --lang or --model"):
        parse("-", lang="en", model=model)
    with pytest.raises(typer.BadParameter, match="--style odd: one of as-is, ud, function, adpositions, determiners expected"):
        parse("-", model=model, style="odd")


def test_models_that_cannot_be_used(model: Path, tmp_path: Path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "model.json").write_bytes((model / "model.json").read_bytes())
    (other / "weights.npz").write_bytes((model / "weights.npz").read_bytes()[:5000])
    done = proj("parse", "-", "--model", other, "-o", tmp_path / "out.conllu", stdin="the dog\n")
    assert done.returncode == 1
    assert "proj: " in done.stderr
    assert "weights.npz: cannot be read: " in done.stderr
    assert "train it again" in done.stderr
    assert not (tmp_path / "out.conllu").exists()
    with pytest.raises(ModelError, match="none: is not there; a model is a folder"):
        parse("-", model=tmp_path / "none")
    with pytest.raises(ProjError, match="no language pack 'xx' is installed"):
        parse("-", lang="xx")
