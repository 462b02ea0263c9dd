"""Pages that `proj review` serves: frame, style and script in one, and the policy under which they work."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import NamedTuple

from divproj.drawing.measure import escape
from divproj.drawing.svg import STYLE

Keys = Sequence[tuple[str, str]]
"""What the keyboard does: keys, and what happens."""


class Page(NamedTuple):
    """A page, and the Content-Security-Policy under which it works."""

    html: str
    policy: str


def page_of(name: str, title: str, scripts: Sequence[str], keys: Keys, marks: Mapping[str, str]) -> Page:
    """The page `name`.html with its styles and scripts; `marks` are put in place of {{…}}."""
    css = STYLE + "".join(_file(f"{style}.css") for style in ("page", name))
    js = "".join(_file(f"{script}.js") for script in ("served", *scripts))
    rows = "".join(f'<tr><th scope="row">{_keys(key)}</th><td>{escape(what)}</td></tr>' for key, what in keys)
    body = _file(f"{name}.html")
    for mark, text in {"keys": rows, **marks}.items():
        body = body.replace(f"{{{{{mark}}}}}", text)
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(js)}; img-src data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )
    return Page(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        'initial-scale=1"><meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,"><title>{escape(title)} · {name}</title>\n<style>{css}</style></head>\n'
        f'<body class="divproj {name}">{body}<script>{js}</script>\n</body></html>\n',
        policy,
    )


def _file(name: str) -> str:
    return resources.files("divproj.drawing").joinpath(name).read_text("utf-8")


def _keys(names: str) -> str:
    """
    >>> _keys("U or Ctrl+Z")
    '<kbd>U</kbd> or <kbd>Ctrl+Z</kbd>'
    """
    return " or ".join(f"<kbd>{escape(name)}</kbd>" for name in names.split(" or "))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
