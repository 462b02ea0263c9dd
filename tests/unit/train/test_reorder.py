"""Banks in another word order: trees, glosses and links stay together."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from divproj.core.links import Links
from divproj.core.tree import DepTree
from divproj.projection.direct import ProjectionInput
from divproj.projection.glossed.training import GlossedTreebank

FOLDER = Path(__file__).resolve().parents[3] / "train" / "glossed"
TREE = DepTree(
    ("ni", "na", "ona", "mbwa", "mkubwa"),
    (3, 3, 0, 3, 4),
    ("nsubj", "aux", "root", "obj", "amod"),
    ("PRON", "AUX", "VERB", "NOUN", "ADJ"),
)


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    sys.modules.pop("reorder", None)


def test_moved_relations_change_sides_with_their_subtrees() -> None:
    from reorder import new_order

    assert new_order(TREE, set()) == [1, 2, 3, 4, 5]
    assert new_order(TREE, {"obj"}) == [1, 2, 4, 5, 3]
    assert new_order(TREE, {"obj", "amod", "nsubj", "aux"}) == [5, 4, 3, 2, 1]


def test_a_missing_head_gives_no_order() -> None:
    from reorder import new_order

    assert new_order(TREE.with_heads((3, 3, 0, -1, 4)), {"obj"}) == []


def test_words_keep_glosses_links_and_heads() -> None:
    from reorder import reordered

    e = DepTree(("I", "see", "a", "big", "dog"), (2, 0, 5, 5, 2))
    links = {(1, 1), (3, 2), (5, 4), (4, 5)}
    bitext = ProjectionInput(TREE.forms, e, Links.of(links, (5, 5)), ("1SG", "PRS", "see", "dog", "big"), "s")
    for seed in range(20):
        made = reordered(GlossedTreebank("swa", "Bantu", [bitext], [TREE]), seed)
        [moved], [tree] = made.sentences, made.gold
        assert moved.forms == tree.forms
        assert {(f, g) for f, g in zip(moved.forms, moved.glosses, strict=True)} == set(
            zip(bitext.forms, bitext.glosses, strict=True)
        )
        assert {(moved.forms[i - 1], j) for i, j in moved.links} == {(TREE.forms[i - 1], j) for i, j in links}
        names = ("", *tree.forms)
        assert {(f, names[h], r) for f, h, r in zip(tree.forms, tree.heads, tree.deprels, strict=True)} == {
            (f, ("", *TREE.forms)[h], r) for f, h, r in zip(TREE.forms, TREE.heads, TREE.deprels, strict=True)
        }
