"""`proj new`: what is recognised in a folder, what is written, and that nothing is overwritten."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipelinefiles import write

from divproj import ProjError
from divproj.run.config import load
from divproj.run.scaffold import FolderContents, begin, config_text, look, toml_string
from divproj.runtime.resources import folder as shipped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "tavi")


def test_what_lies_there(folder: Path):
    (folder / "notes.md").write_text("# Notes\n\nto do\n")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / ".hidden.txt").write_text("x\n")
    (folder / "empty.txt").write_text("")
    (folder / "below").mkdir()
    found = look(folder)
    assert (found.text, found.gold, found.trees, found.links) == (["text.txt"], ["gold.conllu"], ["e.conllu"], ["links.txt"])
    assert found.messages == [
        "e.conllu: trees of translations",
        "gold.conllu: gold trees",
        "links.txt: word links",
        "text.txt: interlinear text",
    ]


def test_the_config_can_be_run(folder: Path):
    begin("Tavi", folder)
    found = load(folder / "divproj.toml")
    assert (found.language, found.system) == ("Tavi", "s5+")
    assert (folder / "README.md").read_text(encoding="utf-8").startswith("# Tavi: from interlinear text to trees")


def test_a_corpus_of_ours():
    found = look(shipped("corpora") / "hin-eng")
    assert (found.text, found.gold, found.trees, found.links) == (["igt.txt"], ["f.conllu"], ["e.conllu"], ["align.txt"])


def test_a_treebank_that_is_interlinear_text(tmp_path: Path):
    row = "1\tmiko\t_\tNOUN\t_\t_\t0\troot\t_\tGloss=dog"
    (tmp_path / "tavi.conllu").write_text(f"# text_en = A dog.\n{row}\n\n", encoding="utf-8")
    assert (look(tmp_path).text, look(tmp_path).gold) == (["tavi.conllu"], ["tavi.conllu"])
    (tmp_path / "tavi.conllu").write_text(f"# text_en = A dog.\n{row.replace('0	root', '_	_')}\n\n", encoding="utf-8")
    assert (look(tmp_path).text, look(tmp_path).gold) == (["tavi.conllu"], [])


def test_one_text_in_two_formats_is_read_once(tmp_path: Path):
    (tmp_path / "story.sfm").write_text("\\ref 1\n\\tx Miko dalti\n\\ge dog see\n\\ft The dog sees.\n", encoding="utf-8")
    (tmp_path / "story.txt").write_text("miko dal-ti\ndog see-PST\n‘The dog saw.’\n\ntesu nip\ncat sleep\n‘A cat slept.’\n")
    (tmp_path / "other.txt").write_text("nip dal\nsleep see\n‘Sleep sees.’\n")
    found = look(tmp_path)
    assert found.text == ["other.txt", "story.txt"]
    assert found.messages[-1] == "story.sfm: has the same sentences as story.txt and is left out"


def test_projected_trees_are_not_gold(tmp_path: Path):
    tree = "# text_en = A dog.\n{}1\tmiko\t_\tNOUN\t_\t_\t0\troot\t_\tGloss=dog\n\n"
    made = tree.format("# projection = s6\n")
    (tmp_path / "trees.conllu").write_text(made)
    assert (look(tmp_path).text, look(tmp_path).gold) == (["trees.conllu"], [])
    (tmp_path / "story.txt").write_text("miko\ndog\n‘A dog.’\n")
    found = look(tmp_path)
    assert (found.text, found.gold) == (["story.txt"], [])
    assert found.messages[-1] == "trees.conllu: projected trees; mark sentences as gold in `proj review` to learn from them"
    (tmp_path / "trees.conllu").write_text(made + tree.format("# projection = s6\n# gold = yes\n"))
    assert look(tmp_path).gold == ["trees.conllu"]


def test_files_of_no_use(tmp_path: Path):
    (tmp_path / "bad.conllu").write_text("x\n")
    (tmp_path / "none.conllu").write_text("")
    (tmp_path / "bare.conllu").write_text("1\ta" + "\t_" * 8 + "\n\n")
    (tmp_path / "paper.tex").write_text("\\documentclass{article}\n\\begin{document}\nno examples\n\\end{document}\n")
    (tmp_path / "page.xml").write_text("<html></html>")
    (tmp_path / "list.dat").write_text("a\nb\n")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    found = look(tmp_path)
    assert (found.text, found.gold, found.trees, found.links, found.bitext) == ([], [], [], [], None)


def test_other_formats_and_bitext(tmp_path: Path):
    (tmp_path / "story.sfm").write_text("\\ref 1\n\\tx miko\n\\ge dog\n\\ft A dog.\n", encoding="utf-8")
    assert look(tmp_path).text == ["story.sfm"]
    (tmp_path / "story.sfm").unlink()
    (tmp_path / "f.txt").write_text("miko-na dal-ti\ntesu-na nip-ti\n", encoding="utf-8")
    (tmp_path / "e.txt").write_text("A dog saw it all\nThe cat heard\n", encoding="utf-8")
    assert look(tmp_path).bitext == ("f.txt", "e.txt")
    begin("Tavi", tmp_path)
    found = load(tmp_path / "divproj.toml")
    assert (found.f, found.e) == (tmp_path / "f.txt", tmp_path / "e.txt")


def test_nothing_is_overwritten(folder: Path):
    (folder / "README.md").write_text("mine")
    found = begin("Tavi", folder)
    assert "README.md is there already and was left as it is" in found.messages
    assert (folder / "README.md").read_text() == "mine"
    (folder / "divproj.toml").write_text("mine too")
    with pytest.raises(ProjError, match="there is a config already; rename it if you want a new one; nothing was changed"):
        begin("Tavi", folder)
    assert (folder / "divproj.toml").read_text() == "mine too"


def test_folders_that_will_not_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(ProjError, match="no such folder; make it, and put your texts there"):
        begin("Tavi", tmp_path / "no")
    found = begin("Tavi", tmp_path)
    assert "no interlinear text was recognised: name yours in the config" in found.messages
    with pytest.raises(ProjError, match=r"input\.text: there is no file 'texts\.txt'"):
        load(tmp_path / "divproj.toml")
    (tmp_path / "divproj.toml").unlink()

    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ProjError, match="cannot write here: Permission denied"):
        begin("Tavi", tmp_path)


@given(st.text(st.characters(exclude_categories=("Cs",))), st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_any_names_make_a_config(language: str, file: str):
    found = tomllib.loads(config_text(language, FolderContents(text=[file, "b"], gold=[file])))
    assert found["language"] == " ".join(language.split())
    assert found["input"]["text"] == [file, "b"]
    assert found["input"]["gold"] == file
    assert tomllib.loads(f"a = {toml_string(file)}")["a"] == file


def test_lines_without_a_blank_one_are_a_bitext(tmp_path: Path):
    """Running text whose first lines happen to be as long as each other is no glossed sentence of sixty lines."""
    for side in "fe":
        rows = (shipped("corpora") / "deu-eng" / f"{side}.conllu").read_text(encoding="utf-8").splitlines()
        sentences = [" ".join(row.split("\t")[1] for row in part) for part in _sentences(rows)]
        (tmp_path / f"{side}.txt").write_text("\n".join(sentences) + "\n", encoding="utf-8")
    contents = look(tmp_path)
    assert contents.bitext == ("f.txt", "e.txt")
    assert contents.text == []


def _sentences(rows: list[str]) -> list[list[str]]:
    """The rows of words, sentence by sentence."""
    parts: list[list[str]] = [[]]
    for row in rows:
        if not row:
            parts.append([])
        elif row[:1].isdigit():
            parts[-1].append(row)
    return [part for part in parts if part]
