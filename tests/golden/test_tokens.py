"""Words of a hundred lines as linguists write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from divproj.text.tokens import tokenize

LINES = [
    line.split(" || ")
    for line in (Path(__file__).parent / "tokens.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def test_there_are_a_hundred():
    assert len(LINES) >= 100


@pytest.mark.parametrize(("text", "words"), LINES)
def test_words(text, words):
    assert " ".join(tokenize(text)) == words
