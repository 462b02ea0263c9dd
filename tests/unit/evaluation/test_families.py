"""Experiments in which whole families of languages are held out."""

from __future__ import annotations

import pytest

from divproj import DepTree, Links, Pair
from divproj.core.errors import ProjError
from divproj.evaluation.experiment import cross_families

E = DepTree(("dogs", "bark"), (2, 0), ("nsubj", "root"), ("NOUN", "VERB"))


def corpus(heads: tuple[int, int]) -> list[Pair]:
    rels = tuple("root" if head == 0 else "nsubj" for head in heads)
    return [Pair(DepTree((f"a{k}", "b"), heads, rels), E, Links.of([(1, 1), (2, 2)], (2, 2)), str(k)) for k in range(4)]


def test_a_family_is_learned_about_from_the_others():
    corpora = {"one": corpus((2, 0)), "two": corpus((2, 0)), "three": corpus((0, 1))}
    found = cross_families(corpora, {"one": "x", "two": "x"}, ["s1-r", "s2-1"])
    assert list(found) == ["one", "two", "three"]
    assert [found[name]["s1-r"].scores.uas for name in found] == [100.0, 100.0, 0.0]
    assert found["three"]["s2-1"].scores.uas == 0.0  # nobody of another family turns heads
    assert found["one"]["s2-1"].scores.overall.total == 8


def test_one_family_is_not_enough():
    with pytest.raises(ProjError, match="all corpora are of one family, x: nothing is left to learn from"):
        cross_families({"one": corpus((2, 0)), "two": corpus((2, 0))}, {"one": "x", "two": "x"}, ["s1-r"])
