"""The report in a real browser: filters, steps, lights, keys; and words that try to be code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pagefiles import EVIL, light_and_dark, nothing_ran

from divproj import Corpus, DepTree, Links, Pair, alter, analyze
from divproj.drawing.html import write_report
from divproj.runtime.resources import folder

New = Callable[[], Any]


def write(pairs: list[Pair], path: Path) -> str:
    with path.open("w", encoding="utf-8") as out:
        write_report(analyze(pairs), map(alter, pairs), out, title="Report", signature="divproj:test")
    return path.as_uri()


@pytest.fixture(scope="session")
def hindi(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(list(Corpus.at(folder("corpora") / "hin-eng")), tmp_path_factory.mktemp("report") / "hin.html")


@pytest.fixture
def page(new_page: New, hindi: str) -> Any:
    page = new_page()
    page.open(hindi)
    return page


SHOWN = "[...document.querySelectorAll('.pair')].filter(p => !p.hidden).map(p => p.querySelector('h3').textContent)"
NEAR = "document.querySelector('.pair .steps')"


def draw(page: Any, sent_id: str = "hin-001") -> str:
    """Bring one pair into view, drawn; its selector."""
    page.js(
        f"(() => {{ const p = [...document.querySelectorAll('.pair')].find(p => p.querySelector('h3').textContent === '{sent_id}');"
        "p.classList.add('here'); p.scrollIntoView(); })()"
    )
    page.wait("document.querySelector('.here .steps')")
    return ".here"


def test_rows_filter_pairs_and_combine(page: Any) -> None:
    everything = page.js(SHOWN)
    assert len(everything) == 66
    page.point('tr[data-key="p0"] td:nth-child(2)', click=True)  # anywhere in the row
    first = page.js(SHOWN)
    assert 0 < len(first) < 66
    assert page.js("document.querySelector('tr[data-key=p0] button').getAttribute('aria-pressed')") == "true"
    page.point('tr[data-key="p1"] button', click=True)
    both = page.js(SHOWN)
    assert set(both) < set(first)
    expected = page.js(
        "[...document.querySelectorAll('.pair')].filter(p => ['p0', 'p1'].every(k => p.dataset.k.split(' ').includes(k)))"
        ".map(p => p.querySelector('h3').textContent)"
    )
    assert both == expected
    assert page.js("document.querySelector('#count').textContent") == f"{len(both)} of 66 pairs"
    page.point('tr[data-key="p0"] button', click=True)  # again: undone
    assert len(page.js("[...document.querySelectorAll('#chosen button')]")) == 1
    page.point("#clear", click=True)
    assert page.js(SHOWN) == everything
    assert page.js("document.querySelectorAll('tr.chosen, [aria-pressed=true]').length") == 0
    assert page.troubles() == []


def test_search_and_relation(page: Any) -> None:
    page.js("document.querySelector('#search').focus()")
    page.call("Input.insertText", text="GARDEN")
    found = page.js(SHOWN)
    assert "hin-001" in found
    assert len(found) < 66
    page.point('#relations tr[data-key="r0"] button', click=True)
    assert set(page.js(SHOWN)) <= set(found)
    page.js("document.querySelector('#search').select()")
    page.call("Input.insertText", text="no such word")
    assert page.js(SHOWN) == []
    assert not page.js("document.querySelector('#none').hidden")
    page.point("#clear", click=True)
    assert len(page.js(SHOWN)) == 66


def test_steps_by_mouse_and_keys(page: Any) -> None:
    here = draw(page)
    stage = f"document.querySelector('{here} .pic svg').dataset.stage"
    struck = (
        f"[...document.querySelectorAll('{here} .form')].filter(t => getComputedStyle(t).textDecorationLine === 'line-through')"
        ".map(t => t.textContent)"
    )
    assert page.js(stage) == "initial"
    assert page.js(struck) == []
    page.point(f'{here} [data-stage="remove"]', click=True)
    assert page.js(stage) == "remove"
    assert page.js(struck) == ["The", "the"]
    page.press("ArrowRight")
    assert page.js(stage) == "merge"
    assert page.js(struck) == ["The", "the", "रहे"]
    page.press("End")
    assert page.js(stage) == "swap"
    assert page.js("document.activeElement.getAttribute('aria-checked')") == "true"
    seen = f"[...document.querySelectorAll('{here} .edge.swap')].filter(e => e.getBoundingClientRect().width).length"
    assert page.js(seen) == 0
    page.press("ArrowRight", "Home")
    assert page.js(stage) == "initial"
    assert page.js(seen) == 2
    assert page.troubles() == []


LIT = (
    "[...document.querySelectorAll('.here .edge.lit')].map(e => e.dataset.side + e.dataset.child + '-' + e.dataset.head).sort()"
)
LINKS = "[...document.querySelectorAll('.here .link.lit')].map(l => l.dataset.f + '-' + l.dataset.e).sort()"


def test_hovering_lights_the_partner(page: Any) -> None:
    draw(page)
    page.point('.here .edge[data-side="e"].swap text')
    assert page.js(LIT) == ["e7-5", "f3-2"]
    assert page.js(LINKS) == ["2-7", "3-5"]
    page.point('.here .edge[data-side="f"].merge text')
    assert page.js(LIT) == ["f5-4"]
    assert page.js("document.querySelectorAll('.here .word.lit').length") == 3
    page.point('.here .word[data-side="e"][data-word="4"] .form')
    assert page.js(LINKS) == ["4-4", "5-4"]
    page.point("h1")
    assert page.js(LIT) == []
    assert not page.js("document.querySelector('.here svg.on')")


def test_keyboard_reaches_edges_and_partners(page: Any) -> None:
    draw(page)
    page.js("document.querySelector('.here .steps button').focus()")
    page.press("Tab")
    assert page.js("document.activeElement.matches('.here .edge')")
    assert page.js("document.activeElement.getAttribute('role')") == "img"
    assert page.js("getComputedStyle(document.activeElement.querySelector('text')).textDecorationLine") == "underline"
    assert len(page.js(LIT)) >= 1
    sides = "document.activeElement.dataset.side"
    page.press("ArrowRight", "ArrowRight")
    assert page.js(sides) == "e"
    page.js("document.querySelector('.here .edge[data-side=e].swap').focus()")
    page.press("ArrowDown")
    assert page.js("document.activeElement.dataset.side + document.activeElement.dataset.child") == "f3"
    assert page.js(LIT) == ["e7-5", "f3-2"]
    page.press("Escape")
    assert page.js(LIT) == []
    page.js("document.querySelector('#tags button').focus()")
    page.press("Enter")
    assert len(page.js(SHOWN)) < 66


def test_focus_is_visible_and_examples_lead_to_pairs(page: Any) -> None:
    page.js("document.querySelector('#search').focus()")
    page.call("Input.insertText", text="zzz")
    assert page.js(SHOWN) == []
    page.point("#dorr .examples a", click=True)
    assert len(page.js(SHOWN)) == 66  # a hidden pair is brought back
    assert page.js("document.activeElement.id || location.hash").lstrip("#").startswith("n")
    page.js("document.querySelector('#search').focus()")
    page.press("Tab")
    assert page.js("document.activeElement.id") == "all"
    assert page.js("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_thousand_pairs_are_drawn_on_demand(new_page: New, tmp_path: Path) -> None:
    base = list(Corpus.at(folder("corpora") / "deu-eng"))
    pairs = [Pair(p.f, p.e, p.links, f"{p.sent_id}-{k}") for k in range(16) for p in base][:1000]
    url = write(pairs, tmp_path / "many.html")
    page = new_page()
    page.open(url)
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait(NEAR)
    assert page.js("document.querySelectorAll('.pic svg.divproj').length") < 60
    page.js("[...document.querySelectorAll('.pair')].at(-1).scrollIntoView()")
    page.wait("[...document.querySelectorAll('.pair')].at(-1).querySelector('.steps')")
    took = page.js(
        "(() => { const t = performance.now(); const s = document.querySelector('#search'); s.value = 'der';"
        "s.dispatchEvent(new Event('input')); document.body.offsetHeight; return performance.now() - t; })()"
    )
    assert took < 2000
    assert page.troubles() == []


def test_words_do_not_run(new_page: New, tmp_path: Path) -> None:
    evil = EVIL
    n = len(evil)
    f = DepTree(evil, (0, *(1,) * (n - 1)), evil[::-1], evil)
    e = DepTree(evil[::-1], (0, *(1,) * (n - 1)), evil, evil)
    pair = Pair(f, e, Links(frozenset((k, k) for k in range(1, n)), (n, n)), evil[1])
    path = tmp_path / "evil.html"
    with path.open("w", encoding="utf-8") as out:
        write_report(analyze([pair]), [alter(pair)], out, title=evil[0], signature=evil[1], faults=evil)
    page = new_page()
    page.open(path.as_uri())
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait(NEAR)
    page.point(".pick tbody tr button", click=True)
    page.point(".pic .edge text")
    nothing_ran(page)


@pytest.mark.parametrize("width", [1200, 360])
def test_light_dark_and_narrow(page: Any, width: int) -> None:
    light_and_dark(page, width)
