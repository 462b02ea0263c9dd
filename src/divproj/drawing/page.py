"""Shared parts of all pages: one offline file under a strict policy, pictures packed until they are seen, bars and signs.

A page is `page.css` and `page.js` with a style and a script of its own; nothing is fetched, all text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from typing import IO, Any

from divproj.core.errors import LONGEST_SENTENCE
from divproj.drawing.measure import escape
from divproj.drawing.svg import GLYPHS, STYLE, size_of


class Spool:
    """Pieces of a page, kept in a file until their order is known."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.index: list[tuple[Any, int, int]] = []

    def __len__(self) -> int:
        return len(self.index)

    def add(self, order: Any, pieces: Iterable[str]) -> None:
        piece = "".join(pieces).encode()
        self.index.append((order, self.file.tell(), len(piece)))
        self.file.write(piece)

    def in_order(self) -> Iterator[str]:
        """The pieces by their `order`, equals as they came."""
        self.index.sort()
        for _, start, length in self.index:
            self.file.seek(start)
            yield self.file.read(length).decode()


def document(name: str, title: str, body: Iterable[str], pictures: str = "") -> Iterator[str]:
    """The page `name` (its style and script are `name.css` and `name.js`), in pieces.

    `pictures` is the style of its own kind of pictures: the page's policy allows no style inside of them.
    """
    here = resources.files("divproj.drawing")
    css = STYLE + pictures + "".join(here.joinpath(f"{part}.css").read_text("utf-8") for part in ("page", name))
    js = "".join(here.joinpath(f"{part}.js").read_text("utf-8") for part in ("page", name))
    policy = (
        f"default-src 'none'; style-src {_hash(css)}; script-src {_hash(js)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; object-src 'none'"
    )
    yield (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">\n'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title>\n<style>{css}</style></head>\n<body class="divproj">'
    )
    yield from body
    yield f"<script>{js}</script>\n</body></html>\n"


def head(title: str, signature: str, about: str, parts: Mapping[str, str], last: str) -> str:
    """The top of a page; `parts` are the names of its sections by id, `last` the one that a link skips to."""
    links = " ".join(f'<a href="#{part}">{name}</a>' for part, name in parts.items())
    return (
        f'<a class="skip" href="#{last}">Skip to the {parts[last].lower()}</a>\n<header><h1>{escape(title)}</h1><p>{about}</p>'
        f'<nav aria-label="Parts">{links}</nav><details class="signature"><summary>How this page was made</summary>'
        f"<p>Give this line with figures from the page: <code>{escape(signature)}</code></p></details></header>\n"
    )


def tools(noun: str, count: int, more: str = "") -> str:
    """The bar above the list: search, `more`, what is chosen, and how many are shown."""
    return (
        '<div class="tools"><label>Search <input type="search" id="search" autocomplete="off" '
        f'spellcheck="false" placeholder="words or id"></label>{more}<span id="chosen"></span>'
        '<button type="button" id="clear" hidden>Clear</button><button type="button" id="all" title="Draws the pictures of all '
        f'{noun} shown, as printing needs them">Draw all</button>'
        '<label title="Size of the pictures; the smallest fits the window">Zoom <input type="range" id="zoom" min="25" max="150" '
        'value="100" step="5" autocomplete="off"></label>'
        '<label title="Breaks long pictures into lines that fit the window"><input type="checkbox" id="wrap" autocomplete="off">Wrap</label>'
        f'<output id="count" data-noun="{noun}" aria-live="polite">{quantity(count, noun)}</output></div>\n'
        '<noscript><p class="note">The pictures need JavaScript.</p></noscript>\n'
    )


def picture(words: int, draw: Callable[[], str], rtl: bool = False) -> str:
    """A box of the picture's size that the page fills when it comes into view; one that runs to the left starts at the right.

    A sentence of too many `words` gets none.
    """
    if words > LONGEST_SENTENCE:
        return f'<div class="pic"><p class="note">Not drawn: {words} words, at most {LONGEST_SENTENCE} expected.</p></div>'
    svg = draw()
    wide, high = size_of(svg)
    packed = base64.b64encode(zlib.compress(svg.encode(), 9)).decode()
    return f'<div class="pic{" rtl" if rtl else ""}" data-z="{packed}"><svg width="{wide}" height="{high}"></svg></div>'


EXAMPLE_WORDS = 12
"""Words of a sentence that is short enough for the example at the top of a page."""


def example(svg: str, kinds: Mapping[str, str], note: str) -> str:
    """The first picture of a page, with what it shows in words and what lines and signs mean: the legend of all pictures below."""
    inside = svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)  # which a page does not need
    items = "".join(
        f'<li>{sample(kind)}<span><b class="{kind}">{sign(kind)} {kind}</b> {text}</span></li>' for kind, text in kinds.items()
    )
    return (
        f'<section id="legend"><h2>How to read the pictures</h2><div class="example">{inside}</div><p class="note">{note}</p>'
        f'<ul class="legend" aria-label="Legend">{items}</ul></section>\n'
    )


def scroll(name: str, classes: str = "scroll") -> str:
    """A box for a table that may be too large for the window; the keyboard can scroll it."""
    return f'<div class="{classes}" role="region" aria-label="{name}" tabindex="0">'


def bar(counts: Mapping[str, int], kinds: Sequence[str]) -> str:
    """A line of a hundred units, one part a kind."""
    total = sum(counts[kind] for kind in kinds)
    parts, x = [], 0.0
    for kind in kinds:
        width = 100 * counts[kind] / total if total else 0.0
        if width:
            parts.append(f'<rect class="{kind}" x="{x:.4g}" width="{width:.4g}" height="8"/>')
        x += width
    label = ", ".join(f"{kind} {counts[kind]}" for kind in kinds)
    return (
        f'<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(parts)}</svg>"
    )


def sample(kind: str) -> str:
    """A short edge, for a legend."""
    line = '<path d="M2 9q0-7 7-7h22q7 0 7 7V14"/><path class="tip" d="M38 19l-3-6h6z"/>'
    return f'<svg width="44" height="20" aria-hidden="true"><g class="edge {kind}">{line}</g></svg>'


def button(name: str, label: str) -> str:
    """What chooses the row of a table; `told` names the choice elsewhere."""
    return f'<button type="button" aria-pressed="false" data-name="{escape(label)}">{escape(name)}</button>'


def sign(kind: str) -> str:
    return f'<span class="glyph" aria-hidden="true">{GLYPHS[kind]}</span>'


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def number(count: int) -> str:
    return f"{count:,}".replace(",", "\u202f")


def quantity(count: int, nouns: str) -> str:
    """
    >>> quantity(1, "sentences"), quantity(2, "pairs")
    ('1 sentence', '2 pairs')
    """
    return f"{number(count)} {noun_for(count, nouns)}"


def noun_for(count: int, nouns: str) -> str:
    """The noun that goes with a count."""
    return nouns.removesuffix("s") if count == 1 else nouns


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
