"""Aligned phrases as tree pairs and corpus folders."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from divproj import Corpus, ProjError
from divproj.core.tree import DepTree
from divproj.forest.build import from_tree
from divproj.forest.dependencies import from_dependencies
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.forest.trees import PhraseTree
from divproj.io.trees import pharaoh
from divproj.phrases.aligner import PhraseAligner
from divproj.projection.phrasal.evidence import dependencies, tree_pair, write_corpus

OLD = DepTree(("the", "old", "boat", "sank"), (3, 3, 4, 0), ("det", "amod", "nsubj", "root"), ("DET", "ADJ", "NOUN", "VERB"))
NEW = DepTree(("sank", "the", "boat"), (0, 3, 1), ("root", "det", "nsubj"), ("VERB", "DET", "NOUN"))


def test_dependencies_come_back_from_headed_phrases():
    forest = from_dependencies(OLD)
    assert dependencies(forest, range(len(forest))).heads == OLD.heads
    assert dependencies(forest, range(len(forest))).xpos == OLD.upos


def test_a_phrase_without_a_head_takes_its_last_part():
    nodes = (Node(0, 1, "A"), Node(1, 2, "B"), Node(0, 2, "C"))
    found = dependencies(Forest(("a", "b"), nodes, (Edge(2, 0, 1),), 2), range(3))
    assert found.heads == (2, 0)
    assert found.xpos == ("A", "B")


def test_alignment_to_corpus_and_back(tmp_path: Path):
    links = np.array([(0, 1), (2, 2), (3, 0)])
    found = PhraseAligner().align_pair(from_dependencies(OLD, sent_id="s1"), from_dependencies(NEW, sent_id="s1"), links)
    pair = tree_pair(found)
    assert (pair.f.heads, pair.e.heads) == (OLD.heads, NEW.heads)
    assert {(3, 3), (4, 1)} <= pair.links.links
    assert write_corpus([pair], tmp_path / "made") == 1
    [again] = Corpus.at(tmp_path / "made")
    assert (again.f.heads, again.e.heads, again.links.links) == (OLD.heads, NEW.heads, pair.links.links)


def test_a_corpus_is_written_whole_and_never_over_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pair = tree_pair(PhraseAligner().align_pair(from_dependencies(OLD), from_dependencies(NEW), np.array([(0, 1)])))
    with monkeypatch.context() as patched:
        patched.setattr(pharaoh, "dump", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
        with pytest.raises((OSError, ProjError)):
            write_corpus([pair], tmp_path / "full")
    assert list((tmp_path / "full").iterdir()) == []
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "align.txt").write_text("1-1\n")
    with pytest.raises(ProjError, match=r"align.txt: this file exists already; name a new folder for the corpus"):
        write_corpus([pair], tmp_path / "gold")
    assert (tmp_path / "gold" / "align.txt").read_text() == "1-1\n"


def test_a_penn_tree_gives_a_tree_with_one_root():
    import nltk

    forest = from_tree(
        PhraseTree.from_nltk(nltk.Tree.fromstring("(S (NP (DT the) (NN boat)) (VP (VBD sank) (ADVP (RB fast))))"))
    )
    heads = dependencies(forest, range(len(forest))).heads
    assert heads.count(0) == 1
    assert heads == (2, 3, 0, 3)
