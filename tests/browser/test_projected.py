"""The page of projections in a real browser: filters, order, lights, keys; and words that try to be code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pagefiles import EVIL, EVIL_SHOWN, light_and_dark, nothing_ran

from divproj import Corpus, DepTree, Links
from divproj.drawing.projected import write_projections
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.systems import train
from divproj.runtime.resources import folder

New = Callable[[], Any]


def write(projections: Iterable[Projection], path: Path, title: str = "Projections") -> str:
    with path.open("w", encoding="utf-8") as out:
        write_projections(projections, out, title=title, signature="divproj:test", system="s2+")
    return path.as_uri()


@pytest.fixture(scope="session")
def projections() -> list[Projection]:
    pairs = list(Corpus.at(folder("corpora") / "hin-eng"))
    project = train("s2+", pairs[:40])
    return [project(ProjectionInput.of(pair)) for pair in pairs[40:]]


@pytest.fixture(scope="session")
def url(projections: list[Projection], tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(projections, tmp_path_factory.mktemp("projected") / "hin.html")


@pytest.fixture
def page(new_page: New, url: str) -> Any:
    page = new_page()
    page.open(url)
    return page


SHOWN = "[...document.querySelectorAll('.pair')].filter(p => !p.hidden).map(p => p.querySelector('h3').textContent)"
DRAWN = "document.querySelector('.pair:not([hidden])').querySelector('.pic svg.divproj')"


def ids(projections: Iterable[Projection]) -> set[str]:
    return {projection.sentence.sent_id for projection in projections}


def limit(page: Any, value: int) -> None:
    page.js(
        f"(() => {{ const b = document.querySelector('#below'); b.value = {value}; b.dispatchEvent(new Event('input'));"
        "return new Promise(requestAnimationFrame); })()"
    )


def by_reason(projections: Iterable[Projection], wanted: Iterable[str], below: float = 2.0) -> set[str]:
    """Ids of the sentences that have every reason among their words below the limit."""
    return {
        p.sentence.sent_id
        for p in projections
        if set(wanted) <= {r for r, c in zip(p.reasons, p.confidence, strict=True) if c < below}
    }


def test_reasons_and_confidence_filter_and_combine(page: Any, projections: list[Projection]) -> None:
    everything = page.js(SHOWN)
    assert len(everything) == len(projections) == 26
    page.point('tr[data-key="1"] td:nth-child(4)', click=True)  # anywhere in the row
    assert set(page.js(SHOWN)) == by_reason(projections, ["merge"])
    page.point('tr[data-key="2"] button', click=True)
    assert set(page.js(SHOWN)) == by_reason(projections, ["merge", "spontaneous"])
    assert page.js("[...document.querySelectorAll('#chosen button')].map(b => b.textContent)") == ["merge ✕", "spontaneous ✕"]
    page.point("#chosen button", click=True)
    assert set(page.js(SHOWN)) == by_reason(projections, ["spontaneous"])
    limit(page, 70)
    left = page.js(SHOWN)
    assert set(left) == by_reason(projections, ["spontaneous"], 0.7)
    assert page.js("document.querySelector('#count').textContent") == f"{len(left)} of 26 sentences"
    assert page.js("document.querySelector('#limit').textContent") == "70 %"
    page.point('tr[data-key="2"] button', click=True)
    assert set(page.js(SHOWN)) == ids(p for p in projections if min(p.confidence) < 0.7)
    page.point("#clear", click=True)
    assert page.js(SHOWN) == everything
    assert page.js("document.querySelector('#limit').textContent") == "any"
    assert page.js("document.querySelectorAll('.found, tr.chosen, [aria-pressed=true]').length") == 0
    assert page.troubles() == []


def test_what_is_asked_for_is_marked(page: Any, projections: list[Projection]) -> None:
    page.js("document.querySelector('#sentences').scrollIntoView()")
    page.wait(DRAWN)
    limit(page, 60)
    first = next(p for p in projections if p.sentence.sent_id == page.js(SHOWN)[0])
    weak = [str(k) for k, c in enumerate(first.confidence, 1) if c < 0.6]
    assert weak
    here = ".pair:not([hidden])"
    marked = f"[...document.querySelector('{here}').querySelectorAll('.edge.found')].map(e => e.dataset.child).sort()"
    assert page.js(marked) == sorted(weak)
    words = f"[...document.querySelector('{here}').querySelectorAll('.igt li')].flatMap((w, k) => w.matches('.found') ? [k + 1] : [])"
    assert page.js(words) == [int(k) for k in weak]
    limit(page, 30)  # a picture drawn after the choice is marked as well
    page.js("[...document.querySelectorAll('.pair')].filter(p => !p.hidden).at(-1).scrollIntoView()")
    page.wait("[...document.querySelectorAll('.pair')].filter(p => !p.hidden).at(-1).querySelector('.edge.found')")


def test_order(page: Any, projections: list[Projection]) -> None:
    means = sorted((sum(p.confidence) / len(p.confidence), k) for k, p in enumerate(projections))
    least = [projections[k].sentence.sent_id for _, k in means]
    assert page.js(SHOWN) == least
    page.point("#order label:last-of-type", click=True)
    assert page.js(SHOWN) == [p.sentence.sent_id for p in projections]
    page.press("ArrowLeft")
    assert page.js(SHOWN) == least
    page.point('tr[data-key="2"] button', click=True)
    few = page.js(SHOWN)
    page.point("#order label:last-of-type", click=True)
    assert page.js(SHOWN) == sorted(few)
    page.js("document.querySelector('#sentences').scrollIntoView()")
    page.wait(DRAWN)
    assert page.troubles() == []


def test_search_finds_words_glosses_translations_and_ids(page: Any) -> None:
    for text in ("bicycle", "पिताजी", "give-CAUS", "HIN-041", "shopkeeper 1SG-DAT"):
        page.js(f"document.querySelector('#search').value = {text!r}")
        page.js("document.querySelector('#search').dispatchEvent(new Event('input'))")
        assert "hin-041" in page.js(SHOWN), text
        assert len(page.js(SHOWN)) < 26, text
    page.js("document.querySelector('#search').focus()")
    page.js("document.querySelector('#search').select()")
    page.call("Input.insertText", text="no such word")
    assert page.js(SHOWN) == []
    assert not page.js("document.querySelector('#none').hidden")


FOCUS = "document.activeElement.id || document.activeElement.value || document.activeElement.tagName"


def test_keyboard(page: Any) -> None:
    page.js("document.querySelector('#reasons button').focus()")
    page.press("Tab", "Enter")  # merge
    assert page.js("document.querySelector('tr[data-key=\"1\"]').matches('.chosen')")
    merged = page.js(SHOWN)
    assert 0 < len(merged) < 26
    page.press(" ")
    assert len(page.js(SHOWN)) == 26
    page.js("document.querySelector('#search').focus()")
    page.press("Tab")
    assert page.js(FOCUS) == "below"
    page.press("Home")
    assert page.js("document.querySelector('#below').getAttribute('aria-valuetext')") == "1 %"
    page.js("new Promise(requestAnimationFrame)")
    assert page.js(SHOWN) == []
    page.press("End")
    page.js("new Promise(requestAnimationFrame)")
    page.press("ArrowLeft")
    assert page.js("document.querySelector('#limit').textContent") == "99 %"
    page.press("ArrowRight")
    page.js("new Promise(requestAnimationFrame)")  # "Clear", next in line, is hidden now
    page.press("Tab")
    assert page.js(FOCUS) == "sure"
    assert page.js("getComputedStyle(document.activeElement.closest('label')).outlineStyle") == "solid"
    page.press("ArrowRight")
    assert page.js(FOCUS) == "file"
    page.press("Tab")
    page.js("new Promise(requestAnimationFrame)")
    assert page.js(FOCUS) == "all"
    page.wait(DRAWN)
    for _ in range(5):  # zoom and fit come before the picture
        page.press("Tab")
        if page.js("document.activeElement.matches('.pic .edge[data-side=e]')"):
            break
    assert page.js("document.activeElement.matches('.pic .edge[data-side=e]')")
    page.press("ArrowDown")
    assert page.js("document.activeElement.dataset.side") == "f"
    assert page.js("document.activeElement.getAttribute('role')") == "img"
    assert "% sure" in page.js("document.activeElement.querySelector('title').textContent")
    before = page.js("document.activeElement.dataset.child")
    page.press("ArrowRight")
    assert page.js("document.activeElement.dataset.child") != before
    assert page.js("document.querySelectorAll('.igt li.lit').length") >= 1
    page.press("Escape")
    assert page.js("document.querySelectorAll('.lit').length") == 0
    assert page.troubles() == []


def test_pointing_lights_words_and_origin(page: Any) -> None:
    page.js("document.querySelector('#order input[value=file]').click()")
    page.js("document.querySelector('#n1').scrollIntoView()")
    page.wait("document.querySelector('#n1 .edge')")
    page.point('#n1 .edge.projected[data-child="1"] text')
    lit = "[...document.querySelectorAll('#n1 .edge.lit')].map(e => e.dataset.side).sort().join('')"
    assert page.js(lit) == "ef"
    assert page.js("[...document.querySelectorAll('#n1 .igt li')].map(w => w.matches('.lit'))").count(True) == 2
    page.point("#n1 .igt li:nth-child(2)")
    assert page.js("document.querySelector('#n1 .word[data-side=f][data-word=\"2\"]').matches('.lit')")
    page.point("h1")
    assert page.js("document.querySelectorAll('.lit, svg.on').length") == 0


def test_without_confidence(new_page: New, projections: list[Projection], tmp_path: Path) -> None:
    page = new_page()
    page.open(write((s1(p.sentence) for p in projections), tmp_path / "s1.html"))
    assert page.js("document.querySelectorAll('#below, #order, #confidence').length") == 0
    assert page.js(SHOWN) == [p.sentence.sent_id for p in projections]
    page.point('tr[data-key="1"] button', click=True)
    assert 0 < len(page.js(SHOWN)) < 26
    page.wait(DRAWN)
    page.point("#clear", click=True)
    assert len(page.js(SHOWN)) == 26
    assert page.troubles() == []


def test_a_thousand_sentences(new_page: New, projections: list[Projection], tmp_path: Path) -> None:
    made = (
        replace(p, sentence=replace(p.sentence, sent_id=f"{p.sentence.sent_id}-{k}")) for k in range(39) for p in projections
    )
    page = new_page()
    page.open(write((p for p, _ in zip(made, range(1000), strict=False)), tmp_path / "many.html"))
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait(DRAWN)
    assert page.js("document.querySelectorAll('.pic svg.divproj').length") < 60
    for act in (
        "const b = document.querySelector('#below'); b.value = 50; b.dispatchEvent(new Event('input'));"
        "await new Promise(requestAnimationFrame)",
        "document.querySelector('#order input[value=file]').click()",
        "const s = document.querySelector('#search'); s.value = 'है'; s.dispatchEvent(new Event('input'))",
    ):
        took = page.js(
            f"(async () => {{ const t = performance.now(); {act}; document.body.offsetHeight; return performance.now() - t; }})()"
        )
        assert took < 2000, act
    assert 0 < len(page.js(SHOWN)) < 1000
    page.js("[...document.querySelectorAll('.pair:not([hidden])')].at(-1).scrollIntoView()")
    page.wait("[...document.querySelectorAll('.pair:not([hidden])')].at(-1).querySelector('svg.divproj')")
    assert page.troubles() == []


def test_words_do_not_run(new_page: New, tmp_path: Path) -> None:
    evil = EVIL
    n = len(evil)
    e = DepTree(evil[::-1], (0, *(1,) * (n - 1)), evil, evil)
    bitext = ProjectionInput(evil, e, Links(frozenset((k, k) for k in range(1, n)), (n, n)), evil[::-1], evil[1])
    made = Projection(bitext, (0, *(1,) * (n - 1)), ("guess",) * n, (0.5,) * n, evil)
    page = new_page()
    page.open(write([made], tmp_path / "evil.html", title=evil[0]))
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait(DRAWN)
    page.point(".pick tbody tr button", click=True)
    page.point(".pic .edge.guess text")
    nothing_ran(page)
    assert page.js("[...document.querySelectorAll('.igt li > bdi')].map(t => t.textContent)") == EVIL_SHOWN
    assert page.js("[...document.querySelectorAll('.igt small')].map(t => t.textContent)") == EVIL_SHOWN[::-1]


@pytest.mark.parametrize("width", [1200, 360])
def test_light_dark_and_narrow(page: Any, width: int) -> None:
    light_and_dark(page, width)
