"""`proj align`, `proj align train` and `proj evaluate --phrases` through a pipe."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from cli.commands import ROOT, proj

from divproj.core.errors import Faults, FormatError, ModelError, ProjError
from divproj.core.options import AlignOptions
from divproj.evaluation.phrases import gold_rows
from divproj.phrases.reading import ForestPairs, read_pairs
from proj_cli import align

OLD = """(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))) (. .))
(S (NP (NNS farmers)) (VP (VBP grow) (NP (JJ red) (NNS apples))))
(S (NP (PRP she)) (VP (VBD gave) (NP (PRP him)) (NP (DT a) (NN book))))
"""
NEW = """(S (PP (IN in) (NP (DT the) (NN sun))) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)) (. .))
(S (NP (JJ red) (NNS apples)) (VP (VBP are) (VP (VBN grown) (PP (IN by) (NP (NNS farmers))))))
(S (NP (PRP she)) (VP (VBD gave) (NP (DT a) (NN book)) (PP (TO to) (NP (PRP him)))))
"""


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    (tmp_path / "old.mrg").write_text(OLD)
    (tmp_path / "new.mrg").write_text(NEW)
    return tmp_path


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_phrase_pairs_as_json_text_and_page(trees: Path):
    done = proj("align", trees / "old.mrg", trees / "new.mrg", "--html", trees / "page.html")
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert len(found) == 3
    assert "3 pairs aligned, 0 without a reachable root, 0 cut short" in done.stderr
    assert ["the old dog", "the old dog"] in [pair["text"] for pair in found[0]["pairs"]]
    assert "cmd:align" in found[0]["signature"]
    assert "page.html" not in done.stdout
    page = (trees / "page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count('<article class="pair"') == 3
    text = proj("-q", "align", trees / "old.mrg", trees / "new.mrg", "--text", "-o", trees / "out.txt")
    assert (text.stdout, text.stderr) == ("", "")
    assert "the old dog\tthe old dog" in (trees / "out.txt").read_text().splitlines()


def test_word_links_alone_and_stdin(trees: Path):
    (trees / "links").write_text("0-4 1-5 2-6 3-7 4-0 5-1 6-2 7-8\n0-5 1-3 2-0 3-1 0-99\n")
    done = proj("align", "-", trees / "new.mrg", "--links", trees / "links", "--languages", "de-en", stdin=OLD)
    assert done.returncode == 1
    found = rows(done.stdout)
    assert len(found) == 2
    assert {tuple(p["text"]) for p in found[1]["pairs"]} >= {("farmers", "farmers"), ("red apples", "red apples")}
    assert "WordNet" not in done.stderr
    assert "links:2: link 0-99 is out of range" in done.stderr
    assert "has 2 lines, but there are more pairs" in done.stderr
    done = proj("align", trees / "old.mrg", trees / "new.mrg", "--links", "auto", "--languages", "de-en")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3


def test_bad_trees_are_said_and_the_rest_is_done(trees: Path):
    one, two, three = OLD.splitlines()
    (trees / "bad.mrg").write_text("\n".join([one, two[:-1], three, "()", "(S (NP we) (VP sing))", one]) + "\n")
    (trees / "other.mrg").write_text(NEW + "(S (NP they) (VP sing))\n(S (NP we) (VP sing))\n")
    done = proj("align", trees / "bad.mrg", trees / "other.mrg", "-o", trees / "out.jsonl")
    assert done.returncode == 1
    assert "bad.mrg:2 (sent_id 2): 1 bracket of the tree not closed" in done.stderr
    assert "bad.mrg:4 (sent_id 4): the phrase (ROOT) is empty" in done.stderr
    assert "left out 2 sentence pairs" in done.stderr
    assert "bad.mrg has 6" in done.stderr
    assert "other.mrg has 5" in done.stderr
    found = rows((trees / "out.jsonl").read_text())
    assert [(row["source"][0], row["target"][-1]) for row in found] == [("the", "."), ("she", "him"), ("we", "sing")]


def test_trees_of_a_list_that_differ_in_their_words(trees: Path):
    lists = "# 2\n-1.0\n(S (NN a) (NN b))\n-2.0\n(S (NN a) (NN c))\n\n# 1\n-1.0\n(S (NN we) (VB sing))\n"
    (trees / "nbest.mrg").write_text(lists)
    (trees / "one.mrg").write_text("(S (NN a) (NN b))\n(S (NN we) (VB sing))\n")
    done = proj("align", trees / "nbest.mrg", trees / "one.mrg")
    assert done.returncode == 0
    assert "nbest.mrg:5 (sent_id 1): word 2 is 'c', 'b' in the other trees of the list; the tree is left out" in done.stderr
    assert [row["source"] for row in rows(done.stdout)] == [["a", "b"], ["we", "sing"]]


def test_long_and_deep_trees_take_bounded_time(trees: Path):
    flat = "(S " + " ".join(f"(NN w{k % 50})" for k in range(200)) + ")\n"
    deep = "(S " * 900 + "(NN deep) " + " ".join("(NN x))" for _ in range(900)) + "\n"
    (trees / "long.mrg").write_text(flat + deep + OLD.splitlines()[1] + "\n")
    done = proj("align", trees / "long.mrg", trees / "long.mrg", "--set", "max_seconds=0.001")
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert [len(row["source"]) for row in found] == [200, 901, 4]
    assert found[1]["truncated"]
    assert "cut short" in done.stderr
    assert all(row["pairs"][0]["source"] == [0, len(row["source"])] for row in found)


def test_training(trees: Path):
    done = proj("align", "train", trees / "old.mrg", trees / "new.mrg", "-o", trees / "m", "--epochs", "2")
    assert done.returncode == 0, done.stderr
    assert "epoch 2: mean log α" in done.stderr
    assert sorted(p.name for p in (trees / "m").iterdir()) == ["model.json", "weights.npz"]
    assert not (trees / "m.checkpoint").exists()
    used = proj("align", trees / "old.mrg", trees / "new.mrg", "--model", trees / "m", "-o", trees / "gold.jsonl")
    assert used.returncode == 0, used.stderr
    assert "trained:yes" in (trees / "gold.jsonl").read_text()


def test_pairs_as_json_lines_and_their_scores(trees: Path):
    made = []
    for k, (s, t) in enumerate(zip(OLD.splitlines(), NEW.splitlines(), strict=True)):
        made.append(json.dumps({"id": f"p{k}", "stree": s, "ttree": t, "tight": [[0, 1, 0, 1]]}))
    made.insert(1, "{not json")
    made.insert(2, '{"id": "x"}')
    (trees / "pairs.jsonl").write_text("\n".join(made) + "\n")
    done = proj("align", trees / "pairs.jsonl", "-o", trees / "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert "pairs.jsonl:2: not JSON" in done.stderr
    assert "pairs.jsonl:3: the line has no two trees, keys stree and ttree expected" in done.stderr
    assert [row["id"] for row in rows((trees / "out.jsonl").read_text())] == ["p0", "p1", "p2"]
    out = trees / "out.jsonl"
    scores = proj("evaluate", "--phrases", out, out, "--json")
    assert scores.returncode == 0, scores.stderr
    assert json.loads(scores.stdout)[str(out)]["all"]["f1"] == 100.0
    shown = proj("evaluate", "--phrases", out, out, out)
    assert "multiword" in shown.stdout
    assert "p = 1.0000" in shown.stdout
    (trees / "bad.jsonl").write_text('{"id": "p0"}\n')
    with pytest.raises(FormatError, match=r"bad.jsonl:1: no gold pairs"):
        gold_rows(trees / "bad.jsonl")


def given(trees: Path, **options: Any) -> ForestPairs:
    """What the command makes of its options, without a process."""
    how = AlignOptions(**{"languages": "de-en", **options})
    return read_pairs(str(trees / "old.mrg"), str(trees / "new.mrg"), how, Faults(strict=False))


def test_usage_and_files_that_are_not_there(trees: Path):
    old, new = trees / "old.mrg", trees / "new.mrg"
    done = proj("align", old, new, "--set", "binarise=both")
    assert done.returncode == 2, done.stderr
    assert "--set binarise=both: one of head, left, right, all expected" in " ".join(done.stderr.split())
    done = proj("align", old, trees / "none.mrg")
    assert done.returncode == 1
    assert done.stderr.startswith("proj: ")
    for options, said in (
        ({"languages": "english"}, "`languages=english`: two languages"),
        ({"tree_format": "pdf"}, "`tree_format=pdf`: one of brackets, enju"),
        ({"punctuation": "none"}, "`punctuation=none`: one of keep, final, drop expected"),
    ):
        with pytest.raises(ProjError, match=said):
            given(trees, **options)
    with pytest.raises(typer.BadParameter, match="only one side can be stdin"):
        align._read("-", "-", AlignOptions(languages="de-en"), False, False)
    for text, said in (("speed=3", "--set speed=3: NAME=VALUE expected"), ("gap=wide", "--set gap=wide: int expected")):
        with pytest.raises(typer.BadParameter, match=said):
            align._aligner(given(trees), AlignOptions(settings=(text,)))
    with pytest.raises(ModelError, match="none"):
        align._aligner(given(trees), AlignOptions(), trees / "none")
    with pytest.raises(ProjError, match="WordNet"):
        given(trees, wordnet=trees)
    (trees / "old.mrg").write_text("")
    with pytest.raises(FormatError, match=r"old.mrg: nothing in the file"):
        list(given(trees).pairs())


def test_a_corpus_folder_has_both_sides_and_links(tmp_path: Path):
    row = "1\tHund\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tschläft\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    for side, names in {"f": "abc", "e": "axc"}.items():
        (tmp_path / f"{side}.conllu").write_text("".join(f"# sent_id = {name}\n{row}" for name in names), encoding="utf-8")
    (tmp_path / "align.txt").write_text("0-0 1-1\n" * 3)
    done = proj("align", tmp_path, "--languages", "de-de")
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "c"], done.stderr
    assert "F has sent_id b where E" in done.stderr
    done = proj("align", tmp_path, "--languages", "de-de", "--ignore-ids")
    assert len(done.stdout.splitlines()) == 3
    (tmp_path / "e.conllu").unlink()
    assert "the folder has no e.conllu; name the files of F, E and the links" in proj("align", tmp_path).stderr


def test_a_corpus_that_is_there_is_not_replaced(tmp_path: Path):
    """Its files may be gold."""
    folder = tmp_path / "gold"
    shutil.copytree(ROOT / "corpora" / "deu-eng", folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = proj("align", folder, "--no-lexical", "--corpus", folder, "-o", tmp_path / "pairs.jsonl")
    assert (done.returncode, done.stderr) == (
        1,
        f"proj: {folder}/f.conllu: this file exists already; name a new folder for the corpus\n",
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
