"""The array core, function by function, plain and compiled."""

from __future__ import annotations

import numpy as np
import pytest

from divproj.divergence import kernel


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


@pytest.fixture(params=["plain", "compiled"])
def version(request):
    """Either version of a kernel, by name."""
    return lambda name: getattr(getattr(kernel, name), request.param)


def test_index_links(version):
    start, images = version("index_links")(ints(1, 1, 3), ints(2, 5, 1), 4)
    grouped = [images[start[w] : start[w + 1]].tolist() for w in range(5)]
    assert grouped == [[], [2, 5], [], [1], []]


def test_index_links_of_none(version):
    start, images = version("index_links")(ints(), ints(), 2)
    assert len(images) == 0
    assert not start.any()


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ((0, 1, 2, 1), (0, 1, 2, 1)),
        ((2, 3, 4, 0), (3, 2, 1, 0)),
        ((0, 0, 1), (0, 0, 1)),
        ((kernel.NONE, 1), (0, 1)),
        ((), ()),
    ],
)
def test_depths(version, heads, expected):
    assert version("depths")(ints(-1, *heads))[1:].tolist() == list(expected)


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([], []),
        ([(1, 1)], [(1, 1)]),
        ([(2, 1), (1, 2), (2, 1), (1, 1)], [(1, 1), (1, 2), (2, 1)]),
        ([(3, 3)] * 5, [(3, 3)]),
    ],
)
def test_distinct(version, links, expected):
    a, b = version("distinct")(ints(*(i for i, _ in links)), ints(*(j for _, j in links)))
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("links", "other_heads", "expected"),
    [
        ([(1, 1), (2, 2)], (2, 0), (kernel.MATCH, kernel.RELABELLED)),
        ([(1, 1), (2, 3)], (3, 3, 0), (kernel.MATCH, kernel.RELABELLED)),
        ([(1, 2), (2, 3)], (3, 3, 0), (kernel.MATCH, kernel.LABELLED)),
        ([(1, 1), (1, 2), (2, 3)], (3, 3, 0), (kernel.MATCH, kernel.LABELLED)),
        ([(2, 1)], (0,), (kernel.UNALIGNED, kernel.NONE)),
        ([(1, 1), (2, 1)], (0,), (kernel.MERGE, kernel.NONE)),
        ([(1, 1), (2, 2)], (0, 1), (kernel.SWAP, kernel.NONE)),
        ([(1, 1), (2, 2)], (0, 0), (kernel.OTHER, kernel.NONE)),
        ([(1, 1)], (0,), (kernel.OTHER, kernel.NONE)),
    ],
)
def test_edge_class(version, links, other_heads, expected):
    """The edge (1, 2) of label 5; the other side has labels 6, 5, 4."""
    start, images = kernel.index_links.plain(ints(*(i for i, _ in links)), ints(*(j for _, j in links)), 2)
    other_rels = ints(-1, 6, 5, 4)[: len(other_heads) + 1]
    found = version("edge_class")(1, 2, start, images, ints(-1, *other_heads), ints(-1, 5, 5), other_rels)
    assert tuple(found) == expected


@pytest.mark.parametrize(
    ("links", "other_heads", "expected"),
    [
        ([(1, 1), (2, 2), (2, 1)], (2, 0), kernel.MATCH),
        ([(1, 1), (2, 2), (2, 3)], (2, 3, 0), kernel.MATCH),
        ([(1, 1), (2, 2), (2, 3)], (2, 1, 0), kernel.MATCH),
        ([(1, 1), (2, 2), (2, 1)], (0, 1), kernel.MERGE),
        ([(1, 3), (2, 2)], (0, 3, 1), kernel.SWAP),
        ([(1, 1), (2, 3)], (2, 3, 0), kernel.OTHER),
    ],
    ids=["match before merge", "match of one image", "match before swap", "merge before swap", "swap", "grandmother"],
)
def test_order_of_classes(version, links, other_heads, expected):
    """An edge of several classes has the first: match, unaligned, merge, swap, other. Word 1 depends on word 2."""
    start, images = kernel.index_links.plain(ints(*(i for i, _ in sorted(links))), ints(*(j for _, j in sorted(links))), 2)
    labels = np.full(5, -1, np.int32)
    found, _ = version("edge_class")(1, 2, start, images, ints(-1, *other_heads), labels, labels)
    assert found == expected
