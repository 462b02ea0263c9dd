"""`proj project` with s5 and several sources."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import ROOT, proj

from divproj import Corpus

CORPUS = ROOT / "corpora" / "deu-eng"


def test_s5_needs_no_rules(tmp_path: Path):
    out, links = tmp_path / "trees.conllu", tmp_path / "links.txt"
    done = proj("project", CORPUS, "--system", "s5", "--links-out", links, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by s5" in done.stderr
    assert "ProjConf=" in out.read_text(encoding="utf-8")
    scores = json.loads(proj("evaluate", CORPUS / "f.conllu", out, "--json").stdout)
    assert scores["uas"] > 75
    assert len(links.read_text(encoding="utf-8").splitlines()) == 66


def test_two_sources_vote_and_must_have_the_same_words(tmp_path: Path):
    out = tmp_path / "trees.conllu"
    done = proj("project", CORPUS, "--system", "s1-r", "--also", CORPUS, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by s1-r" in done.stderr
    other = proj("project", CORPUS, "--also", ROOT / "corpora" / "kor-eng", "-o", out)
    assert other.returncode == 1
    assert "where the first source has 'Der" in other.stderr
    assert "every source must have the same F sentences in the same order" in other.stderr


def some(text: str, count: int) -> str:
    return "\n\n".join(text.split("\n\n")[:count]) + "\n\n"


def test_forests_of_f_help_s5(tmp_path: Path):
    """Right-branching brackets of all sentences but the first."""
    trees = list(Corpus.at(CORPUS))
    brackets = ["(X " + " (X ".join(f"(W {form})" for form in pair.f.forms) + ")" * len(pair.f) for pair in trees]
    forests, out = tmp_path / "trees.mrg", tmp_path / "trees.conllu"
    forests.write_text("\n".join(brackets[1:]) + "\n", encoding="utf-8")
    done = proj("project", CORPUS, "--system", "s5", "--f-forests", forests, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "no forest has the words of sentence 1" in done.stderr
    assert "66 sentences projected by s5" in done.stderr
    wrong = proj("project", CORPUS, "--system", "s1-r", "--f-forests", forests, "-o", out)
    assert wrong.returncode == 2
    assert "--f-forests is for s5" in wrong.stderr


def test_phrases_feed_projection(tmp_path: Path):
    """Pairs of a file, pairs aligned here, and with trees of F."""
    out, pairs = tmp_path / "trees.conllu", tmp_path / "pairs.jsonl"
    few = tmp_path / "few"
    few.mkdir()
    for name in ("f.conllu", "e.conllu"):
        (few / name).write_text(some((CORPUS / name).read_text(encoding="utf-8"), 12), encoding="utf-8")
    lines = (CORPUS / "align.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (few / "align.txt").write_text("".join(lines[:12]), encoding="utf-8")
    words = tmp_path / "words.txt"
    words.write_text("".join(lines[:12]), encoding="utf-8")
    done = proj("align", few / "f.conllu", few / "e.conllu", "--links", words, "--languages", "de-en", "-o", pairs)
    assert done.returncode == 0, done.stderr
    found = {}
    for name, options in (
        ("file", ("--phrases", pairs)),
        ("auto", ("--phrases", "auto")),
        ("trees", ("--phrases", "auto", "--f-forests", few / "f.conllu")),
    ):
        done = proj("project", few, *options, "-o", out)
        assert done.returncode == 0, done.stderr
        assert f"12 sentences projected by {'s5 (trees or forests of F' if name == 'trees' else 's6'}" in done.stderr
        found[name] = json.loads(proj("evaluate", few / "f.conllu", out, "--json").stdout)["uas"]
    assert found["trees"] > 95
    assert min(found.values()) > 70
    wrong = proj("project", few, "--system", "s1-r", "--phrases", "auto", "-o", out)
    assert wrong.returncode == 2
    assert "--phrases is for s5, s6, and models of s5+" in wrong.stderr


def test_from_a_parsed_sentence_to_its_paraphrase(tmp_path: Path):
    new, old, out = tmp_path / "new.conllu", tmp_path / "old.conllu", tmp_path / "trees.conllu"
    rows = [("old", 2, "ADJ"), ("dogs", 3, "NOUN"), ("sleep", 0, "VERB"), ("here", 3, "ADV")]
    old.write_text(
        "".join(f"{k}\t{w}\t_\t{t}\t_\t_\t{h}\t_\t_\t_\n" for k, (w, h, t) in enumerate(rows, 1)) + "\n", encoding="utf-8"
    )
    words = ["here", "old", "dogs", "sleep"]
    new.write_text("".join(f"{k}\t{w}\t_\t_\t_\t_\t_\t_\t_\t_\n" for k, w in enumerate(words, 1)) + "\n", encoding="utf-8")
    done = proj("project", new, "--e", old, "--paraphrases", "-o", out)
    assert done.returncode == 0, done.stderr
    heads = [line.split("\t")[6] for line in out.read_text(encoding="utf-8").splitlines() if line and line[0].isdigit()]
    assert heads == ["4", "3", "4", "0"]
