"""`proj find` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import ROOT, proj

GOLD = ROOT / "tutorial" / "gold.conllu"


def test_lines():
    done = proj("find", "rel=obj & gloss~melon", GOLD)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "tur-17\t4\tkavun ‘melon’ ←obj─ verdi\tSatıcı bize tatlı [kavun] verdi",
        "tur-18\t2\tkavunu ‘melon-ACC’ ←obj─ seçti\tBu [kavunu] kim seçti",
    ]
    assert done.stderr == "2 words in 2 sentences\n"


def test_counts_and_tallies():
    done = proj("find", "rel=root", GOLD, "--count")
    assert (done.stdout, done.stderr) == ("36\t36\n", "")  # once
    assert proj("find", "upos=DET", GOLD, "--by", "lemma").stdout == "4\tbir\n4\tbu\n1\ther\n"
    assert proj("find", "rel=root", GOLD, "--limit", "2", "--count").stdout == "2\t2\n"


def test_sentences_go_on(tmp_path: Path):
    assert proj("find", "sent_id=tur-08", GOLD, "--conllu", "-o", tmp_path / "one.conllu").returncode == 0
    text = (tmp_path / "one.conllu").read_text(encoding="utf-8")
    assert (
        text
        == "# sent_id = tur-08\n" + GOLD.read_text(encoding="utf-8").split("# sent_id = tur-08\n")[1].split("\n\n")[0] + "\n\n"
    )
    done = proj("find", "id=4", "-", "--json", stdin=text)
    assert json.loads(done.stdout)["forms"] == ["uyuyor"]


def test_sample_corpora_by_name():
    assert proj("find", "upos=ADP & side=right", "hin-eng", "--count").stdout.split("\t")[0] != "0"


def test_what_is_wrong_is_said():
    assert proj("find", "upos=", GOLD).stderr == "proj: query “upos=”, character 6: a value expected after =\n"
    assert "a word has no “colour”" in proj("find", "upos=NOUN", GOLD, "--by", "colour").stderr
    assert "give one of --count, --by" in proj("find", "upos=NOUN", GOLD, "--count", "--json").stderr
    assert "give a CoNLL-U file" in proj("find", "upos=NOUN").stderr
    assert proj("find", "upos=NOUN", "nowhere.conllu").stderr == "proj: nowhere.conllu: no such file\n"


TREES = "# sent_id = a\n1\tla\tla\tADP\t_\t_\t2\tdet\t_\t_\n2\tcasa\tcasa\tNOUN\t_\t_\t0\troot\t_\t_\n\n# sent_id = bad\n1\tx\ty\n\n# sent_id = c\n1\tsí\t_\tINTJ\t_\t_\t0\troot\t_\t_\n"


def test_changes_are_shown_and_written_only_when_asked(tmp_path: Path):
    file, new = tmp_path / "trees.conllu", tmp_path / "new.conllu"
    file.write_text(TREES, encoding="utf-8")
    words = ("find", "upos=ADP & rel=det", str(file), "--set", "upos=DET & feats.PronType=Art")
    done = proj(*words)
    assert done.stdout == "a\t1\tla\tUPOS\tADP\t→\tDET\na\t1\tla\tFEATS\t_\t→\tPronType=Art\n"
    assert "1 word changed in 1 sentence: nothing is written without -o FILE" in done.stderr
    assert file.read_text(encoding="utf-8") == TREES
    done = proj(*words, "-o", str(new))
    assert f"written to {new}" in done.stderr
    assert new.read_text(encoding="utf-8") == TREES.replace("ADP\t_\t_", "DET\t_\tPronType=Art"), "nothing else changes"
    assert proj(*words, "--conllu").stdout == new.read_text(encoding="utf-8")


def test_changes_that_cannot_be(tmp_path: Path):
    file = tmp_path / "trees.conllu"
    file.write_text(TREES, encoding="utf-8")
    done = proj("find", "upos=NOUN", str(file), "--set", "head=child", "-o", str(tmp_path / "new.conllu"))
    assert "a: left as it is" in done.stderr
    assert "0 words changed in 0 sentences; 1 sentence left as they are" in done.stderr
    assert (tmp_path / "new.conllu").read_text(encoding="utf-8") == TREES
    for more, message in (
        (["--set", "form=x"], "cannot be changed"),
        (["--set", "upos=X", "--count"], "--set goes with -o and --conllu only"),
        ([str(file), "--set", "upos=X", "-o", str(tmp_path / "n")], "--set writes one file"),
    ):
        done = proj("find", "upos=NOUN", str(file), *more)
        assert (done.returncode, message in " ".join(done.stderr.replace("│", " ").split())) == (2, True), done.stderr
    same = proj("find", "upos=NOUN", str(file), "--set", "upos=X", "-o", str(file))
    assert same.returncode == 1
