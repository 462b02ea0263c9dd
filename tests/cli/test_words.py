"""`proj words` through a pipe."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

CORPUS = ROOT / "corpora" / "deu-eng"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "f.txt").write_text("das haus\n\ndas buch\nein buch\nein haus\n")
    (tmp_path / "e.txt").write_text("the house\nnothing\nthe book\na book\na house\n")
    return tmp_path


def test_empty_lines_keep_their_number(text: Path):
    done = proj("words", text / "f.txt", text / "e.txt")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert len(lines) == 6
    assert lines[1] == ""
    assert lines[0] == "0-0 1-1"


def test_probabilities_and_the_same_bytes_twice(text: Path):
    done = proj("words", text / "f.txt", text / "e.txt", "--probs")
    assert re.fullmatch(r"0-0:[01]\.\d\d", done.stdout.split()[0])
    assert proj("words", text / "f.txt", text / "e.txt", "--probs").stdout == done.stdout


def test_corpus_interlinear_text_and_model(tmp_path: Path):
    plain = proj("words", CORPUS, "--save", tmp_path / "m").stdout
    assert len(plain.splitlines()) == 66
    glossed = proj("words", CORPUS / "igt.txt").stdout
    assert len(glossed.splitlines()) == 66
    assert proj("words", CORPUS, "--model", tmp_path / "m").returncode == 0
    assert proj("words", CORPUS, "--glossed", CORPUS / "igt.txt").stdout != plain


def test_bad_input(text: Path):
    (text / "short.txt").write_text("one\n")
    done = proj("words", text / "f.txt", text / "short.txt")
    assert done.returncode == 1
    assert "different numbers of sentences: " in done.stderr
    (text / "empty.txt").write_text("\n\n\n\n\n")
    assert "no pair has words on both sides" in proj("words", text / "f.txt", text / "empty.txt").stderr
    (text / "bad.txt").write_bytes(b"das haus\n\xff\ndas buch\nein buch\nein haus\n")
    done = proj("words", text / "bad.txt", text / "e.txt")
    assert done.returncode == 0
    assert "bad.txt:2: the line is not UTF-8 text" in done.stderr
    assert len(done.stdout.splitlines()) == 5
    (text / "long.txt").write_text("das haus\n\ndas buch\nein buch\n" + "haus " * 3000 + "\n")
    done = proj("words", text / "long.txt", text / "e.txt")
    assert "1 pair with a sentence of more than 400 words got no links" in done.stderr
    assert proj("words", text / "f.txt", text / "e.txt", "--method", "best").returncode == 2
    assert proj("words", text / "f.txt", text / "e.txt", "--model", text / "none").returncode == 1


def test_a_long_text_is_cut(text: Path):
    whole = proj("words", text / "f.txt", text / "e.txt", "--shard", 2)
    assert whole.returncode == 0, whole.stderr
    assert len(whole.stdout.splitlines()) == 5
    piped = proj("words", "-", text / "e.txt", "--shard", 2, stdin=(text / "f.txt").read_bytes())
    assert piped.stdout == whole.stdout, "what can be read only once is held"
    os.mkfifo(text / "pipe")
    with ThreadPoolExecutor(1) as other:
        other.submit((text / "pipe").write_bytes, (text / "f.txt").read_bytes())
        assert proj("words", text / "pipe", text / "e.txt", "--shard", 2).stdout == whole.stdout
    (text / "bad.txt").write_bytes(b"das haus\n\xff\ndas buch\nein buch\nein haus\n")
    done = proj("words", text / "bad.txt", text / "e.txt", "--shard", 2)
    assert done.stderr.count("the line is not UTF-8 text") == 1, "told once, however often it is read"
    assert done.stdout == whole.stdout


def test_shards_of_trees_and_of_interlinear_text():
    for source in (CORPUS, CORPUS / "igt.txt"):
        done = proj("words", source, "--shard", 30)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == 66


def test_trees_are_recognised_by_their_content(tmp_path: Path):
    """A pipe has no name that tells what comes through it."""
    expected = proj("words", CORPUS, "--fast").stdout
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as other:
        other.submit((tmp_path / "pipe").write_bytes, (CORPUS / "f.conllu").read_bytes())
        assert proj("words", tmp_path / "pipe", CORPUS / "e.conllu", "--fast").stdout == expected


def test_standard_input_comes_once():
    done = proj("words", "-", "-", stdin=b"das haus\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "proj: <stdin>: this is read twice, but the text of a pipe comes once; give a file\n"


def test_other_sentences_get_no_links(tmp_path: Path):
    """A pair whose ids do not agree keeps its line, unless ids are to be ignored."""
    ids = {"f": "abc", "e": "axc"}
    for side, names in ids.items():
        rows = (f"# sent_id = {name}\n1\t{side}{k}\t_\t_\t_\t_\t0\troot\t_\t_\n\n" for k, name in enumerate(names))
        (tmp_path / f"{side}.conllu").write_text("".join(rows))
    done = proj("words", tmp_path, "--fast")
    assert [bool(line) for line in done.stdout.splitlines()] == [True, False, True]
    assert "F has sent_id b where E" in done.stderr
    done = proj("words", tmp_path, "--fast", "--ignore-ids")
    assert [bool(line) for line in done.stdout.splitlines()] == [True] * 3
    assert "sent_id" not in done.stderr
