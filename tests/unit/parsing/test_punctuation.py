"""Where punctuation hangs, read off trees and put back."""

from __future__ import annotations

from divproj.core.tree import DepTree
from divproj.parsing.language import INSIDE, LEFT, RIGHT, Punctuation

COMMA = DepTree(
    ("When", "it", "rained", ",", "we", "left", "."),
    (3, 3, 6, 3, 6, 0, 6),
    ("mark", "nsubj", "advcl", "punct", "nsubj", "root", "punct"),
)
BRACKETS = DepTree(
    ("Ann", "(", "my", "aunt", ")", "sings", "."),
    (6, 4, 4, 1, 4, 0, 6),
    ("nsubj", "punct", "nmod", "appos", "punct", "root", "punct"),
)


def scattered(tree: DepTree) -> DepTree:
    """The tree with every mark on the first word that is none."""
    first = tree.deprels.index(next(rel for rel in tree.deprels if rel != "punct")) + 1
    return tree.with_heads(first if rel == "punct" else head for head, rel in zip(tree.heads, tree.deprels, strict=True))


def test_marks_return_to_where_the_treebank_has_them():
    learned = Punctuation.learn([COMMA, COMMA, BRACKETS, BRACKETS])
    for tree in (COMMA, BRACKETS):
        assert learned.attach(scattered(tree)) == tree


def test_choices_are_few_words():
    learned = Punctuation.learn([COMMA, COMMA, BRACKETS, BRACKETS])
    assert set(learned.choices.values()) <= {LEFT, RIGHT, INSIDE}
    assert learned.choices[".", "last "] == LEFT
    assert {choice for (mark, _), choice in learned.choices.items() if mark == ")"} == {INSIDE}


def test_a_constellation_seen_with_another_mark_helps():
    learned = Punctuation.learn([COMMA, COMMA])
    other = DepTree((*COMMA.forms[:3], ";", *COMMA.forms[4:]), COMMA.heads, COMMA.deprels)
    assert learned.attach(scattered(other)) == other


def test_what_was_seen_once_or_never_stays():
    assert Punctuation.learn([COMMA]).attach(scattered(COMMA)) == scattered(COMMA)
    assert Punctuation().attach(COMMA) == COMMA


def test_marks_that_govern_stay_and_sentences_of_marks_are_left_alone():
    learned = Punctuation.learn([COMMA, COMMA])
    odd = DepTree(("-", "yes"), (0, 1), ("punct", "dep"))
    assert learned.attach(odd) == odd
    marks = DepTree(("!", "?"), (0, 1), ("root", "punct"))
    assert learned.attach(DepTree(("…",), (0,), ("punct",))).heads == (0,)
    assert learned.attach(marks).heads == (0, 1)
