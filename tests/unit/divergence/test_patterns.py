"""Rows of Table 3."""

from __future__ import annotations

import pytest

from divproj.divergence.analysis import Pattern


@pytest.mark.parametrize(("count", "total", "share"), [(1, 4, 0.25), (4, 4, 1.0), (5, 4, 1.0), (2, 0, 1.0), (0, 3, 0.0)])
def test_share(count, total, share):
    assert Pattern("e", "merge", "A", "B", count, total).share == share


def test_json():
    assert Pattern("e", "swap", "NOUN", "ADP", 2, 3).as_json() == {
        "direction": "e_to_f",
        "side": "e",
        "operation": "swap",
        "child": "NOUN",
        "parent": "ADP",
        "count": 2,
        "total": 3,
    }
    removal = Pattern("f", "remove", "ADP", None, 2, 3).as_json()
    assert (removal["direction"], removal["parent"]) == ("f_to_e", None)
