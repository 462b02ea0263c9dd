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
    assert proj("find", "rel=root", GOLD, "--count").stdout == "36\t36\n"
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
