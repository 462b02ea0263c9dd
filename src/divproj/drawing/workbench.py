"""The page of the workbench: its frame, as a review's; the script fetches what is in it."""

from __future__ import annotations

from divproj.drawing.measure import escape
from divproj.drawing.review import Page, page_of

KEYS = (
    ("↑ ↓", "previous text, next text"),
    ("Enter", "correct the trees of the text"),
    ("P", "project the text"),
    ("E", "save its trees as a file"),
    ("D", "show how it diverges from the translation"),
    ("L", "learn rules from all gold sentences, if a test shows that they help"),
    ("R", "show the rules in words"),
    ("A", "add a file"),
    ("/", "search the trees"),
    ("?", "this help; Esc closes it"),
)
"""What the keyboard does."""


def page(title: str) -> Page:
    """The page and the policy under which it works."""
    return page_of("workbench", title, ("workbench",), KEYS, {"title": escape(title)})
