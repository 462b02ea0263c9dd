"""`proj project` with s5, refined links and several sources."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import ROOT, proj

CORPUS = ROOT / "corpora" / "deu-eng"


def test_s5_needs_no_rules(tmp_path: Path):
    out, links = tmp_path / "trees.conllu", tmp_path / "links.txt"
    done = proj("project", CORPUS, "--system", "s5", "--refine-links", "--links-out", links, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by s5" in done.stderr
    assert "ProjConf=" in out.read_text(encoding="utf-8")
    scores = json.loads(proj("evaluate", CORPUS / "f.conllu", out, "--json").stdout)
    assert scores["uas"] > 75
    assert len(links.read_text(encoding="utf-8").splitlines()) == 66


def test_two_sources_vote_and_must_have_the_same_words(tmp_path: Path):
    out = tmp_path / "trees.conllu"
    done = proj("project", CORPUS, "--also", CORPUS, "-o", out)
    assert done.returncode == 0, done.stderr
    assert "66 sentences projected by s1-r" in done.stderr
    other = proj("project", CORPUS, "--also", ROOT / "corpora" / "kor-eng", "-o", out)
    assert other.returncode == 1
    assert "where the first source has 'Der" in other.stderr
    assert "every source must have the same F sentences in the same order" in other.stderr
