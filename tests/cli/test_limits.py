"""Input without end or bottom: endless sentences, nested JSON, text of NULs."""

from __future__ import annotations

import pytest
from cli.commands import proj

from divproj.core.errors import LONGEST_SENTENCE

LONG = (
    "".join(f"{k}\tw\tw\tNOUN\tNN\t_\t{k - 1}\t{'dep' if k > 1 else 'root'}\t_\t_\n" for k in range(1, LONGEST_SENTENCE + 2))
    + "\n"
)
SHORT = "1\ta\ta\tDET\tDT\t_\t2\tdet\t_\t_\n2\tdog\tdog\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n3\tbarks\tbark\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
SAID = f"{LONGEST_SENTENCE + 1} words, at most {LONGEST_SENTENCE} expected; cut it into sentences"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "t.conllu"
    path.write_text(SHORT + LONG + SHORT)
    return path


def test_parsers_do_not_learn_from_endless_sentences(text, tmp_path):
    found = proj("train", text, "-o", tmp_path / "model", "--epochs", 1, "--set", "bits=10")
    assert found.returncode == 0, found.stderr
    assert f"t.conllu:5: {SAID}" in found.stderr
    assert "model of 2 sentences" in found.stderr


def test_brackets_of_endless_sentences_are_not_scored(text):
    found = proj("evaluate", "--brackets", text, text)
    assert found.returncode == 0, found.stderr
    assert f"t.conllu (sent_id sentence 2): {SAID}" in found.stderr
    assert "2 sentences of two words or more" in found.stdout


def test_endless_sentences_are_not_aligned(text):
    found = proj("align", text, text, "--no-lexical")
    assert f"t.conllu:5: {SAID}" in found.stderr


def test_endless_sentences_are_not_searched(text):
    found = proj("find", "descendant.upos=VERB", text, "--count")
    assert f"t.conllu:5: {SAID}" in found.stderr
    assert found.stdout.split()[:1] == ["0"]


def test_endless_glosses_are_not_linked(tmp_path):
    path, n = tmp_path / "t.txt", LONGEST_SENTENCE + 1
    path.write_text(
        f"{'a ' * n}\n{'dog ' * n}\n‘{'dog ' * n}’\n\nadam geldi\nman come-PST\n‘The man came.’\n", encoding="utf-8"
    )
    found = proj("project", path)
    assert found.returncode == 0, found.stderr
    assert f"t.txt:1 (sent_id 1): {SAID}" in found.stderr
    assert found.stdout.count("\troot\t") == 1


@pytest.mark.parametrize("command", ["analyze", "project"])
def test_endless_sentences_are_not_drawn(command, text, tmp_path):
    folder, page = tmp_path / "c", tmp_path / "page.html"
    folder.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (folder / name).write_bytes(text.read_bytes())
    (folder / "align.txt").write_text("0-0 1-1 2-2\n0-0\n0-0 1-1 2-2\n")
    found = proj(command, folder, "--html", page, *(["-o", tmp_path / "out"] if command == "project" else []))
    assert found.returncode == 0, found.stderr
    shown = page.read_text(encoding="utf-8")
    assert shown.count(f"Not drawn: {LONGEST_SENTENCE + 1} words, at most {LONGEST_SENTENCE} expected.") == 1
    assert shown.count("data-z=") == 2


def test_json_without_a_bottom(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000 + "\n")
    for words in (
        ["align", path, "--strict"],
        ["evaluate", "--phrases", path, path],
    ):
        found = proj(*words)
        assert found.returncode == 1, found.stderr
        assert "deep.jsonl:1: not JSON: nested too deeply" in found.stderr


def test_nothing_to_align(tmp_path):
    path, out = tmp_path / "bad.jsonl", tmp_path / "out.jsonl"
    path.write_text("[\n")
    found = proj("align", path, "-o", out)
    assert found.returncode == 1
    assert f"proj: {path}: no usable pair of trees; the warnings above say why" in found.stderr
    assert not out.exists()


def test_text_of_nuls(tmp_path):
    path = tmp_path / "nul.txt"
    path.write_bytes(b"\0\0\0\n")
    found = proj("parse", path, "--lang", "en", "-o", tmp_path / "out.conllu")
    assert (found.returncode, found.stderr) == (1, f"proj: {path}: no sentence to parse; is it empty, or not text?\n")
    assert not (tmp_path / "out.conllu").exists()


def test_a_long_line_is_parsed_in_parts(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("the dog barks and " * 110 + "\n")
    found = proj("parse", path, "--lang", "en", "--keep-lines", "--no-confidence")
    assert found.returncode == 0, found.stderr
    assert "long.txt:1 (sent_id 1): 440 words: parsed in parts of at most 150" in found.stderr
    assert found.stdout.count("\troot\t") == 1
