"""The page of the workbench: its frame, as a review's; the script fetches what is in it."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from divproj.drawing.measure import escape
from divproj.drawing.review import Page
from divproj.drawing.svg import STYLE

KEYS = (
    ("↑ ↓", "the text before, the text after"),
    ("Enter", "correct the trees of the text"),
    ("P", "project the text"),
    ("E", "save its trees as a file"),
    ("D", "how it diverges from the translation"),
    ("L", "learn rules from all gold sentences"),
    ("R", "what was learned"),
    ("A", "add a file"),
    ("/", "search the trees"),
    ("?", "this help; Esc closes it"),
)
"""What the keyboard does."""


def page(title: str) -> Page:
    """The page and the policy under which it works."""
    here = resources.files("divproj.drawing")
    css = STYLE + "".join(here.joinpath(f"{name}.css").read_text("utf-8") for name in ("page", "workbench"))
    js = here.joinpath("workbench.js").read_text("utf-8")
    body = here.joinpath("workbench.html").read_text("utf-8")
    keys = "".join(f'<tr><th scope="row"><kbd>{escape(key)}</kbd></th><td>{escape(what)}</td></tr>' for key, what in KEYS)
    for mark, text in (("{{keys}}", keys), ("{{title}}", escape(title))):
        body = body.replace(mark, text)
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(js)}; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )
    return Page(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        'initial-scale=1"><meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,"><title>{escape(title)} · workbench</title>\n<style>{css}</style></head>\n'
        f'<body class="divproj workbench">{body}<script>{js}</script>\n</body></html>\n',
        policy,
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
