"""One tree as a picture, and pictures as PDF, PNG and LaTeX."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.commands import proj

from divproj.core.tree import DepTree
from divproj.drawing import plot
from divproj.drawing.plot import picture_bytes, with_attributes
from divproj.drawing.svg import LEGEND, pair_svg, size_of, tree_svg
from divproj.io.corpus import Corpus

TREE = DepTree(("Kedi", "pencerede", "uyuyor"), (3, 3, 0), ("nsubj", "obl", "root"), ("NOUN", "NOUN", "VERB"))
TREES = """\
# sent_id = a
# text_en = The cat <sleeps> at the window.
1\tKedi\tkedi\tNOUN\t_\t_\t3\tnsubj\t_\tGloss=cat|Proj=projected|ProjConf=0.91
2\tpencerede\tpencere\tNOUN\t_\t_\t3\tobl\t_\tGloss=window-LOC|Proj=guess|ProjConf=0.31
3\tuyuyor\tuyu\tVERB\t_\t_\t0\troot\t_\tGloss=sleep-PROG|Proj=projected|ProjConf=0.99

# sent_id = b
1\tevet\tevet\tINTJ\t_\t_\t0\troot\t_\t_

"""


def test_glosses_translation_and_legend():
    svg = tree_svg(TREE, glosses=("cat", "window-LOC", "sleep-PROG"), translation="The cat <sleeps>.", reasons=("projected", "guess", "projected"), confidence=(0.9, 0.3, 0.99), name="a", legend=True)  # fmt: skip
    assert 'class="gloss"' in svg
    assert "The cat &lt;sleeps&gt;." in svg
    assert f">{LEGEND['guess']}<" in svg
    assert f">{LEGEND['merge']}<" not in svg
    assert "30\u202f%" in svg
    assert size_of(svg)[1] > size_of(tree_svg(TREE))[1]


def test_a_long_legend_goes_over_lines():
    pair = Corpus.at("deu-eng").find("deu-010")
    plain, explained = (size_of(pair_svg(pair, legend=legend)) for legend in (False, True))
    assert explained[0] == plain[0]
    assert explained[1] > plain[1] + 20


def test_styles_become_attributes():
    plain = with_attributes(tree_svg(TREE, reasons=("projected", "guess", "projected"), legend=True))
    assert "<style" not in plain
    assert "var(" not in plain
    assert "currentColor" not in plain
    assert "<title" not in plain
    assert 'fill="#fff"' in plain
    assert 'stroke="#a8172b"' in plain, "a guess is red"
    assert 'stroke-dasharray=".1 3.6"' in plain


def test_what_a_stage_hides_is_left_out():
    pair = Corpus.at("deu-eng").find("deu-010")
    svg = pair_svg(pair, stage="merge")
    assert 'opacity=".45"' in with_attributes(svg), "the word that was removed"
    assert "line-through" in with_attributes(svg)


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF-"), ("png", b"\x89PNG")])
def test_pictures_are_what_they_say(kind: str, start: bytes):
    pytest.importorskip("typst", reason="typst is not installed")
    data = picture_bytes(tree_svg(TREE, glosses=('a"b', "c\\d", "")), kind)
    assert data.startswith(start)
    assert picture_bytes(tree_svg(TREE, glosses=('a"b', "c\\d", "")), kind) == data, "the same bytes"


def test_without_typst(monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(
        plot.ProjError, match=r"pictures as \.pdf need typst, which is not installed; pip install 'divproj\[pictures\]'"
    ):
        picture_bytes(tree_svg(TREE), "pdf")


def test_draw_takes_a_file_of_trees(tmp_path: Path):
    file = tmp_path / "trees.conllu"
    file.write_text(TREES, encoding="utf-8")
    done = proj("draw", str(file), "--sent", "a", "-o", str(tmp_path / "a.svg"), "--legend")
    assert done.returncode == 0, done.stderr
    assert "sleep-PROG" in (tmp_path / "a.svg").read_text()
    assert proj("draw", str(file), "--sent", "2", "--text").stdout == "evet ←root\n"
    proj("draw", str(file), "-o", str(tmp_path / "a.tex"))
    text = (tmp_path / "a.tex").read_text()
    assert r"\depedge[edge style={dotted}]{3}{2}{obl}" in text
    assert r"window-\textsc{loc}" in text
    for words, message in (
        (["--sent", "c"], "no sentence with id or number c"),
        (["-o", str(tmp_path / "a.gif")], "'.gif' is no kind of picture, .svg, .pdf, .png or .tex expected"),
    ):
        done = proj("draw", str(file), *words)
        assert (done.returncode, message in done.stderr) == (1, True)
    done = proj("draw", "deu-eng", "-o", str(tmp_path / "p.tex"))
    assert "pairs of trees are not drawn for LaTeX" in done.stderr
