"""`proj align`, `proj align train`, `proj align tune` and `proj evaluate --phrases` through a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import proj

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
    assert proj("-q", "align", trees / "old.mrg", trees / "new.mrg").stdout == done.stdout
    text = proj("align", trees / "old.mrg", trees / "new.mrg", "--text", "-o", trees / "out.txt")
    assert text.stdout == ""
    assert "the old dog\tthe old dog" in (trees / "out.txt").read_text().splitlines()


def test_word_links_alone_and_stdin(trees: Path):
    (trees / "links").write_text("0-4 1-5 2-6 3-7 4-0 5-1 6-2 7-8\n0-5 1-3 2-0 3-1\n0-0 1-1 2-5 3-2 4-3\n")
    done = proj("align", "-", trees / "new.mrg", "--words", trees / "links", "--languages", "de-en", stdin=OLD)
    assert done.returncode == 0, done.stderr
    found = rows(done.stdout)
    assert {tuple(p["text"]) for p in found[1]["pairs"]} >= {("farmers", "farmers"), ("red apples", "red apples")}
    assert "WordNet" not in done.stderr
    done = proj("align", trees / "old.mrg", trees / "new.mrg", "--words", "auto", "--languages", "de-en")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3
    (trees / "links").write_text("0-4 1-5\n0-99\n")
    done = proj("align", trees / "old.mrg", trees / "new.mrg", "--words", trees / "links")
    assert done.returncode == 1
    assert "links:2: link 0-99 is out of range" in done.stderr
    assert "has 2 lines, but there are more pairs" in done.stderr
    assert len(done.stdout.splitlines()) == 2


def test_bad_trees_are_said_and_the_rest_is_done(trees: Path):
    lines = OLD.splitlines()
    (trees / "bad.mrg").write_text("\n".join([lines[0][:-1], lines[1], lines[2]]) + "\n")
    done = proj("align", trees / "bad.mrg", trees / "new.mrg")
    assert "bad.mrg:1" in done.stderr
    assert len(done.stdout.splitlines()) >= 1
    (trees / "empty.mrg").write_text("\n".join([lines[0], "()", lines[2]]) + "\n")
    done = proj("align", trees / "empty.mrg", trees / "new.mrg")
    assert "empty.mrg:2" in done.stderr
    assert [row["source"][0] for row in rows(done.stdout)] == ["the", "she"]


def test_sides_of_unequal_length(trees: Path):
    (trees / "short.mrg").write_text("\n".join(NEW.splitlines()[:2]) + "\n")
    done = proj("align", trees / "old.mrg", trees / "short.mrg", "-o", trees / "out.jsonl")
    assert done.returncode == 1
    assert "old.mrg: 3 trees, but" in done.stderr
    assert "short.mrg has 2" in done.stderr
    assert len((trees / "out.jsonl").read_text().splitlines()) == 2


def test_trees_of_a_list_that_differ_in_their_words(trees: Path):
    text = "# 2\n-1.0\n(S (NN a) (NN b))\n-2.0\n(S (NN a) (NN c))\n\n"
    (trees / "nbest.mrg").write_text(text)
    (trees / "one.mrg").write_text("(S (NN a) (NN b))\n")
    done = proj("align", trees / "nbest.mrg", trees / "one.mrg")
    assert "nbest.mrg" in done.stderr
    assert "proj: " in done.stderr


def test_long_and_deep_trees_take_bounded_time(trees: Path):
    flat = "(S " + " ".join(f"(NN w{k})" for k in range(200)) + ")\n"
    deep = "(S " * 1000 + "(NN deep) " + " ".join("(NN x))" for _ in range(1000)) + "\n"
    (trees / "long.mrg").write_text(flat + deep + OLD.splitlines()[1] + "\n")
    done = proj("align", trees / "long.mrg", trees / "long.mrg", "--max-seconds", "2", "--binarise", "all", "-v")
    assert done.returncode in (0, 1), done.stderr
    found = rows(done.stdout)
    assert found[-1]["source"][0] == "farmers"
    assert any(row["truncated"] for row in found)


def test_training_resuming_and_tuning(trees: Path):
    done = proj("align", "train", trees / "old.mrg", trees / "new.mrg", "-o", trees / "m", "--epochs", "2")
    assert done.returncode == 0, done.stderr
    assert "epoch 2: mean log α" in done.stderr
    assert sorted(p.name for p in (trees / "m").iterdir()) == ["model.json", "weights.npz"]
    assert not (trees / "m.checkpoint").exists()
    again = proj("align", "train", trees / "old.mrg", trees / "new.mrg", "-o", trees / "n", "--epochs", "2", "--resume")
    assert again.returncode == 0, again.stderr
    assert (trees / "m" / "weights.npz").read_bytes() == (trees / "n" / "weights.npz").read_bytes()
    used = proj("align", trees / "old.mrg", trees / "new.mrg", "--model", trees / "m", "-o", trees / "gold.jsonl")
    assert used.returncode == 0, used.stderr
    assert "trained:yes" in (trees / "gold.jsonl").read_text()
    tuned = proj("align", "tune", trees / "old.mrg", trees / "new.mrg", "--gold", trees / "gold.jsonl", "--model", trees / "m", "-o", trees / "t", "--trials", "2")  # fmt: skip
    assert tuned.returncode == 0, tuned.stderr
    assert "F1 100.00 (before: 100.00)" in tuned.stderr
    assert (trees / "t" / "model.json").exists()


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
    scores = proj("evaluate", "--phrases", trees / "out.jsonl", trees / "out.jsonl", "--json")
    assert scores.returncode == 0, scores.stderr
    assert json.loads(scores.stdout)[str(trees / "out.jsonl")]["all"]["f1"] == 100.0
    shown = proj("evaluate", "--phrases", trees / "out.jsonl", trees / "out.jsonl", trees / "out.jsonl")
    assert "multiword" in shown.stdout
    assert "p = 1.0000" in shown.stdout
    (trees / "bad.jsonl").write_text('{"id": "p0"}\n')
    assert "no gold pairs" in proj("evaluate", "--phrases", trees / "bad.jsonl", trees / "out.jsonl").stderr


def test_usage_and_files_that_are_not_there(trees: Path):
    old, new = trees / "old.mrg", trees / "new.mrg"
    for extra, said in (
        (("--binarise", "both"), "--binarise both"),
        (("--languages", "english"), "--languages english"),
        (("--set", "speed=3"), "--set speed=3"),
        (("--set", "gap=wide"), "int expected"),
        (("--format", "pdf"), "--format pdf"),
    ):
        done = proj("align", old, new, *extra)
        assert done.returncode == 2, done.stderr
        assert said in " ".join(done.stderr.split())
    for wrong in (("align", old, trees / "none.mrg"), ("align", old, new, "--model", trees / "none"), ("align", old, new, "--wordnet", trees)):  # fmt: skip
        done = proj(*wrong)
        assert done.returncode == 1
        assert done.stderr.startswith("proj: ")
    (trees / "void.mrg").write_text("")
    assert "nothing in the file" in proj("align", trees / "void.mrg", new).stderr
    assert proj("align", "-", "-").returncode == 2
