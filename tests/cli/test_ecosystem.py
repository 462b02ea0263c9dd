"""What we write is read by others as it should be: udapi and conllu."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.commands import ROOT, proj

from divproj.io.trees import conllu as ours


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trees") / "trees.conllu"
    done = proj("project", ROOT / "tutorial" / "turkish.txt", "-o", path)
    assert done.returncode == 0, done.stderr
    return path


def test_conllu(trees: Path):
    conllu = pytest.importorskip("conllu")
    theirs = conllu.parse(trees.read_text(encoding="utf-8"))
    mine = [s for s in ours.load(trees) if s is not None]
    assert len(theirs) == len(mine) == 36
    for their, my in zip(theirs, mine, strict=True):
        assert tuple(token["form"] for token in their) == my.forms
        assert tuple(str(token["head"]) for token in their) == my.column(6)
        assert tuple(token["deprel"] for token in their) == my.column(7)
        assert their.metadata["sent_id"] == my.sent_id
        assert their.metadata["text"] == my.comment("text")  # as Arborator and Grew show it
        assert [token["misc"]["Gloss"] for token in their] == list(my.glosses)


def test_udapi(trees: Path):
    core = pytest.importorskip("udapi.core.document")
    document = core.Document()
    document.load_conllu(str(trees))
    mine = [s for s in ours.load(trees) if s is not None]
    for bundle, my in zip(document.bundles, mine, strict=True):
        tree = bundle.get_tree()
        nodes = tree.descendants
        assert tuple(node.form for node in nodes) == my.forms
        assert tuple(str(node.parent.ord) for node in nodes) == my.column(6)
        assert tuple(node.misc["Gloss"] for node in nodes) == my.glosses
        assert tree.text == my.comment("text")
        assert tree.compute_text() == my.comment("text")  # SpaceAfter agrees with the text
