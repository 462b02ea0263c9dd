"""Input without end or bottom, and odd values of options: endless sentences, words of marks, nested JSON, text of NULs, encodings that are none."""

from __future__ import annotations

import json
import os
import re

import pytest
from cli.commands import ROOT, proj

from divproj.core.errors import LONGEST_SENTENCE

CORPUS = ROOT / "corpora" / "deu-eng"

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


def test_a_word_of_marks(tmp_path):
    """Putting 400,000 marks in order took time that grew with their square."""
    word = "a" + 200_000 * "\u0301\u0323"
    text, trees = tmp_path / "t.txt", tmp_path / "t.conllu"
    text.write_text(f"{word} geldi\nman come-PST\n‘The man came.’\n\n", encoding="utf-8")
    trees.write_text(f"1\t{word}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    for words in (["check", text], ["project", text], ["evaluate", trees, trees], ["check", "--ud", trees]):
        done = proj(*words)
        assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-16", "t.txt:1: this is no UTF-16 text: there is no byte-order mark and no NUL byte in the first line"),
        ("hex", "unknown encoding 'hex'"),
        ("idna", "unknown encoding 'idna'"),
        ("rot13", "unknown encoding 'rot13'"),
        ("a\0b", "unknown encoding 'a\\x00b'"),
        ("x" * 300, "unknown encoding"),
    ],
)
def test_encodings_that_are_none(tmp_path, encoding, message):
    (tmp_path / "t.txt").write_text("adam geldi\nman come-PST\n‘The man came.’\n", encoding="utf-8")
    config = tmp_path / "divproj.toml"
    config.write_text(f'[input]\ntext = "t.txt"\nencoding = {json.dumps(encoding)}\n')
    for words in ([] if "\0" in encoding else ["check", tmp_path / "t.txt", "--encoding", encoding]), ["run", config]:
        if words:
            done = proj(*words)
            assert done.returncode == 1, done.stderr
            assert message in done.stderr


def test_utf_16_and_32_without_a_mark(tmp_path):
    text = "adam geldi\nman come-PST\n‘The man came.’\n"
    xml = '<?xml version="1.0"?><document version="2"></document>'
    for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        (tmp_path / "t.txt").write_bytes(text.encode(codec))
        done = proj("check", tmp_path / "t.txt")
        assert f"every second byte is NUL: {codec[:6].upper()} without a byte-order mark" in done.stderr + done.stdout
        (tmp_path / "t.flextext").write_bytes(xml.encode(codec))
        done = proj("check", tmp_path / "t.flextext")
        assert "�" not in done.stdout + done.stderr
    (tmp_path / "t.flextext").write_bytes(b"\xff\xfe\0\0" + xml.encode("utf-32-le"))
    done = proj("check", tmp_path / "t.flextext")
    assert done.returncode == 1
    assert "�" not in done.stdout + done.stderr


def test_digits_without_end(tmp_path):
    many = "9" * 20
    for words in (
        ["words", CORPUS, "--shard", many],
        ["words", CORPUS, "--seed", many],
        ["induce", CORPUS, "-o", tmp_path / "m", "--seed", many],
        ["train", CORPUS, "-o", tmp_path / "m", "--seed", many],
        ["evaluate", CORPUS / "f.conllu", CORPUS / "f.conllu", "--seed", many],
        ["experiment", CORPUS, "--seed", many],
        ["parse", CORPUS / "e.conllu", "--lang", "en", "--nbest", many],
    ):
        done = proj(*words)
        assert done.returncode == 2, (words, done.stderr)
        assert re.search(r"is not in the range|should be less than or equal", done.stderr), done.stderr
    done = proj("draw", CORPUS, "--sent", many, "--text")
    assert done.returncode == 1, done.stderr
    assert many in done.stderr


def test_a_parser_without_a_command(tmp_path):
    (tmp_path / "t.txt").write_text("adam geldi\nman come-PST\n‘The man came.’\n", encoding="utf-8")
    for empty in (" ", "\t"):
        done = proj("project", tmp_path / "t.txt", "--e-parser", empty)
        assert done.returncode in (1, 2), done.stderr
        assert "parser" in done.stderr, done.stderr


def test_families_that_are_no_text(tmp_path):
    table = tmp_path / "families.tsv"
    table.write_bytes("deu-eng\tGermánic\nhin-eng\tIndic\n".encode("latin-1"))
    done = proj("experiment", "deu-eng", "hin-eng", "--by", "family", "--families", table)
    assert done.returncode == 1, done.stderr
    assert (
        "families.tsv: is not UTF-8 text; save the table as UTF-8: a corpus, a tab and its family in each line" in done.stderr
    )


def test_a_chain_of_words_is_searched_in_linear_time(tmp_path):
    """All ways from word to word took minutes and gigabytes."""
    rows = "".join(f"{k}\tw\tw\tX\t_\t_\t{k - 1}\t{'dep' if k > 1 else 'root'}\t_\t_\n" for k in range(1, 901))
    (tmp_path / "t.conllu").write_text(rows + "\n")
    for query in ("descendant.descendant.form=zz", "ancestor.ancestor.ancestor.form=zz", "descendant(descendant(form=zz))"):
        done = proj("find", query, tmp_path / "t.conllu", "--count")
        assert (done.returncode, done.stdout.split()[:1]) == (0, ["0"]), done.stderr


@pytest.mark.parametrize("broken", ['["x"]', '{"f": 3}', '{"f": [1], "e": {}}', "null", '{"f": {"forms": null}}', "[" * 5000])
def test_damaged_pairs_of_trees(tmp_path, broken):
    path = tmp_path / "pairs.jsonl"
    path.write_text(broken + "\n")
    for words in (["align", path], ["evaluate", "--phrases", path, path], ["align", "train", path, path, "-o", tmp_path / "m"]):
        done = proj(*words)
        assert done.returncode in (1, 2), done.stderr
        assert "pairs.jsonl" in done.stderr, (words, done.stderr)


@pytest.mark.parametrize("kind", ["pipe", "device", "deep"])
def test_metadata_that_never_ends(tmp_path, kind):
    (tmp_path / "examples.csv").write_text("ID,Primary_Text,Analyzed_Word,Gloss,Translated_Text\n1,Sena,sena,sister,So.\n")
    metadata = tmp_path / "a-metadata.json"
    if kind == "pipe":
        os.mkfifo(metadata)
    elif kind == "device":
        metadata.symlink_to("/dev/zero")
    else:
        metadata.write_text('{"tables":' * 50_000)
    done = proj("check", tmp_path / "examples.csv")
    assert done.returncode == 0, done.stderr
    assert "1 sentence" in done.stdout


def test_a_model_whose_file_is_nested_too_deeply(tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    (model / "model.json").write_text("[" * 100_000)
    (model / "weights.npz").write_bytes(b"")
    for words in (["parse", CORPUS / "f.conllu", "--model", model], ["words", CORPUS, "--model", model]):
        done = proj(*words)
        assert done.returncode == 1, done.stderr
        assert re.search(r"model.*nested too deeply", done.stderr), done.stderr
