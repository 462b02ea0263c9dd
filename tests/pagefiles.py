"""What tests of pages share: a page as tags and text, words that try to be code, and how a browser looks at them."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

NASTY = [
    "<script>alert(1)</script>", "</script>", '"onload="alert(1)', "</title>", "-->", "<!--", "&lt;", "\x00", "\ud800",
    "<svg/onload=x>", "</bdi><b>",
]  # fmt: skip
"""Words that must stay words."""
EVIL = (
    "<script>window.ran=1</script>",
    "</script><script>window.ran=1</script>",
    '"onload="window.ran=1',
    "<img src=x onerror=window.ran=1>",
    "&lt;b&gt;",
    "\x00\x1b\ud800",
)
"""Words that would leave a mark if they ran."""
EVIL_SHOWN = [*EVIL[:5], "\ufffd\ufffd\ufffd"]
"""How a page shows them."""


class Tags(HTMLParser):
    """Tags, attributes and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        found = (attrs for name, attrs in self.tags if name == tag)
        return [attrs for attrs in found if all(attrs.get(k.strip("_")) == v for k, v in wanted.items())]


def nothing_ran(page: Any) -> None:
    """After `EVIL` words were shown in a browser: they are text."""
    assert page.js("window.ran") is None
    assert page.js("document.querySelectorAll('script').length") == 1
    assert page.js("document.querySelectorAll('img').length") == 0
    assert page.js("document.querySelector('h1').textContent") == EVIL[0]
    forms = page.js("[...document.querySelectorAll('.pic [data-side=f].word .form')].map(t => t.textContent)")
    assert forms == EVIL_SHOWN
    assert page.troubles() == []


def light_and_dark(page: Any, width: int) -> None:
    """In both, and as narrow as this, nothing runs over the edge; the two differ."""
    page.resize(width)
    grounds = set()
    for dark in (False, True):
        page.dark(dark)
        grounds.add(page.js("getComputedStyle(document.body).backgroundColor"))
        assert page.js("document.documentElement.scrollWidth") <= width
    assert len(grounds) == 2
