"""The English parsers on sentences of the kind that grammars are written with: our own, with trees made by hand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from shared import DATA

from divproj.core.errors import Faults
from divproj.io.trees import conllu
from divproj.parsing.language import load_pack

TREES = [s.tree for s in conllu.load(Path(__file__).parent / "textbook.conllu", Faults(strict=True)) if s is not None]


def plain(text: str) -> str:
    return text.lower().strip(" .!?\n")


def test_there_are_two_hundred_and_all_are_trees():
    assert len(TREES) >= 200
    assert all(tree.heads.count(0) == 1 for tree in TREES)


@pytest.mark.parametrize(("language", "share"), [("en", 0.95), ("en-fast", 0.93)])
def test_heads(language, share):
    found = load_pack(language).parse([tree.forms for tree in TREES])
    pairs = [pair for gold, tree in zip(TREES, found, strict=True) for pair in zip(gold.heads, tree.heads, strict=True)]
    assert sum(a == b for a, b in pairs) / len(pairs) >= share


def test_a_man_who_sleeps_is_no_compound():
    [tree] = load_pack("en").parse([("The", "man", "sleeps", ".")])
    assert tree.heads == (2, 3, 0, 3)
    assert tree.deprels[:3] == ("det", "nsubj", "root")


def test_none_is_in_the_treebank():
    files = sorted((DATA / "ewt").glob("*.conllu*"))
    if not files:
        pytest.skip("UD English EWT is not there")
    theirs = set()
    for path in files:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        theirs.update(plain(line[9:]) for line in text.decode().splitlines() if line.startswith("# text = "))
    ours = [s.comment("text") or "" for s in conllu.load(Path(__file__).parent / "textbook.conllu", Faults(strict=True)) if s]
    assert [text for text in ours if plain(text) in theirs] == []
