"""Plain lines: one an edge, harmless to a terminal."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj import DepTree, Links, Pair, alter
from divproj.drawing.text import pair_text


def pair_of(f: DepTree, e: DepTree, links: set[tuple[int, int]], sent_id: str = "s1") -> Pair:
    return Pair(f, e, Links(frozenset(links), (len(f), len(e))), sent_id)


LIKES = pair_of(
    DepTree(("jag", "simmar", "gärna", "."), (2, 0, 2, 2), ("nsubj", "root", "advmod", "punct")),
    DepTree(("she", "does", "like", "swimming"), (3, 3, 0, 3), ("nsubj", "aux", "root", "xcomp")),
    {(1, 1), (2, 4), (3, 3), (3, 2)},
)


def edge_lines(*given: Any, **options: Any) -> list[str]:
    """The edges alone."""
    return [line for line in pair_text(*given, **options).splitlines() if not line.startswith(("# ", "- "))]


def test_lines_of_both_directions() -> None:
    assert (edge_lines(LIKES)) == [
        "≠ other  she ←nsubj─ like",
        "⊕ merge  does ←aux─ like ~ gärna",
        "⇄ swap  swimming ←xcomp─ like ~ gärna ←advmod─ simmar",
    ]
    assert (edge_lines(LIKES, direction="f_to_e")) == [
        "≠ other  jag ←nsubj─ simmar",
        "⇄ swap  gärna ←advmod─ simmar ~ swimming ←xcomp─ like",
        "✕ unaligned  . ←punct─ simmar",
    ]


def test_lines_after_each_stage() -> None:
    altered = alter(LIKES)
    assert len(edge_lines(LIKES, altered, "f_to_e", "remove")) == 2
    assert (edge_lines(LIKES, altered, stage="merge")) == [
        "≠ other  she ←nsubj─ like",
        "⇄ swap  swimming ←xcomp─ like ~ gärna ←advmod─ simmar",
    ]
    assert (edge_lines(LIKES, altered, stage="swap")) == [
        "≠ other  she ←nsubj─ like",
        "= match  like ←xcomp⁻¹─ swimming ~ gärna ←advmod─ simmar",
    ]


def test_pair_text() -> None:
    assert pair_text(LIKES).splitlines() == [
        "# sent_id = s1",
        "# e = she does like swimming",
        "# f = jag simmar gärna .",
        "# e_to_f initial = 0/3 edges match (0.0 %)",
        *edge_lines(LIKES),
    ]
    done = [line for line in pair_text(LIKES, stage="merge").splitlines() if line.startswith("- ")]
    assert done == ["- E: ⊕ merge  does ←aux─ like"]
    assert [line for line in pair_text(LIKES, stage="remove").splitlines() if line.startswith("- ")] == [
        "- F: ✕ remove  . ←punct─ simmar"
    ]
    assert "- E: ⇄ swap  swimming ←xcomp─ like" in pair_text(LIKES, stage="swap").splitlines()
    alone = pair_of(DepTree(("x",), (0,)), DepTree(("y",), (0,)), set())
    assert pair_text(alone).splitlines()[-1] == "# e_to_f initial = 0/0 edges match (100.0 %)"


def test_control_characters_are_shown() -> None:
    evil = DepTree(("\x1b[2J", "a\nb", "\u202ec\x9b"), (2, 0, 2), ("a\tb", "root", "\x07"))
    lines = pair_text(pair_of(evil, evil, {(1, 1), (2, 2)}, "\x1b]0;x\x07")).splitlines()
    assert lines[0] == "# sent_id = ␛]0;x␇"
    assert lines[4:] == [
        "= match  ␛[2J ←a␉b─ a␊b ~ ␛[2J ←a␉b─ a␊b",
        "✕ unaligned  <U+202E>c<U+009B> ←␇─ a␊b",
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=8), min_size=2, max_size=2), st.text(st.characters(codec=None)))
def test_any_text_is_one_harmless_line_an_edge(forms: list[str], rel: str) -> None:
    tree = DepTree(tuple(forms), (2, 0), (rel, "root"))
    lines = pair_text(pair_of(tree, tree, {(1, 1), (2, 2)}, rel)).splitlines()
    assert len(lines) == 5
    for line in lines:
        line.encode()
        assert not [c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", line)


def test_wrong_names_are_told() -> None:
    with pytest.raises(ValueError, match="stage is 'end'"):
        (edge_lines(LIKES, stage="end"))
    with pytest.raises(ValueError, match="direction is 'e'"):
        pair_text(LIKES, direction="e")
