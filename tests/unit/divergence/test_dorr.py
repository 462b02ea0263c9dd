"""Dorr's types."""

from __future__ import annotations

import pytest
from corpusfiles import tree

from divproj.divergence.analysis import MEANING, TYPES, edge_text, is_modifier


def test_every_type_has_a_meaning():
    assert list(MEANING) == list(TYPES)
    assert len(TYPES) == 6


@pytest.mark.parametrize(
    ("tag", "rel", "modifies"),
    [
        ("ADV", "_", True),
        ("RB", "dep", True),
        ("JJ", "_", True),
        ("_", "advmod", True),
        ("NOUN", "advmod:emph", True),
        ("VERB", "xcomp", False),
        ("NOUN", "obj", False),
        ("_", "_", False),
    ],
)
def test_is_modifier(tag, rel, modifies):
    assert is_modifier(tag, rel) is modifies


def test_edge_text():
    given = tree((2, 0), ("nsubj", "_"), (), ("she", "swims"))
    assert edge_text(given, 1, 2) == "she ←nsubj─ swims"
    assert edge_text(given, 2, 0) == "swims ←─ ROOT"
    assert edge_text(tree((2, 0), forms=("she", "swims")), 1, 2) == "she ←─ swims"
    assert edge_text(given, 1, -1) == "she ←nsubj─ ROOT"
