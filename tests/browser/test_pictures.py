"""Pictures and tables in a real browser, as a linguist meets them.

RTL text and pictures start at the right · long sentences can be zoomed, made to fit, and wrapped · clipped tables hint that they
scroll · without a translation there is no gap and no pair of quotes · one sentence is called one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from divproj import DepTree, Links
from divproj.drawing.projected import write_projections
from divproj.projection.direct import Projection, ProjectionInput, s1

New = Callable[[], Any]
PIC = "document.querySelector('.pair .pic')"
SVG = f"{PIC}.querySelector('svg.divproj')"
LONG = 24


def shown(new_page: New, path: Path, *projections: Projection, width: int = 900) -> Any:
    with path.open("w", encoding="utf-8") as out:
        write_projections(projections, out, title="Pictures", signature="divproj:test", system="s1-r")
    page = new_page()
    page.resize(width)
    page.open(path.as_uri())
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait(f"{SVG} && {SVG}.querySelector('.edge')")
    return page


def projection(forms: tuple[str, ...], sent_id: str = "s1") -> Projection:
    """Words that depend on each other in threes, beside an English sentence of the same shape."""
    n = len(forms)
    heads = tuple(0 if k == 1 else k - 1 if k % 3 else max(k - 4, 1) for k in range(1, n + 1))
    e = DepTree(tuple(f"word{k}" for k in range(1, n + 1)), heads, ("root", *("dep",) * (n - 1)), ("NOUN",) * n)
    links = Links(frozenset((k, k) for k in range(1, n + 1)), (n, n))
    return s1(ProjectionInput(forms, e, links, tuple(f"gloss{k}" for k in range(1, n + 1)), sent_id))


def test_right_to_left_starts_at_the_right(new_page: New, tmp_path: Path):
    forms = tuple(["كتب", "ولد", "بيت", "نهر", "سوق", "رجل", "باب", "نور"] * 3)
    page = shown(new_page, tmp_path / "rtl.html", projection(forms), projection(forms[:3], "s2"), width=700)
    # the interlinear line begins at the right edge of its box, in the short sentence as in the long one
    ends = "(k => { const o = [...document.querySelectorAll('.igt')][k].getBoundingClientRect(); const w = [...document.querySelectorAll('.igt')][k].querySelector('li').getBoundingClientRect(); return [o.right - w.right, w.left - o.left]; })"
    for k in (0, 1):
        right, left = page.js(f"{ends}({k})")
        assert abs(right) < 12 < left
    # the picture is wider than its box and is scrolled to its right end, where the first word stands
    assert page.js(f"{PIC}.scrollWidth > {PIC}.clientWidth")
    first = page.js(f"(() => {{ const b = {PIC}.getBoundingClientRect(), w = {SVG}.querySelector('.word[data-side=f][data-word=\"1\"]').getBoundingClientRect(); return [w.right <= b.right + 1, w.left > b.left + b.width / 2]; }})()")  # fmt: skip
    assert first == [True, True]
    # a short picture stands at the right, too
    page.js("document.querySelectorAll('.pair')[1].scrollIntoView()")
    page.wait("document.querySelectorAll('.pair')[1].querySelector('svg.divproj')")
    gap = "(() => { const p = document.querySelectorAll('.pair')[1].querySelector('.pic'), s = p.querySelector('svg'); return p.getBoundingClientRect().right - s.getBoundingClientRect().right; })()"
    assert abs(page.js(gap)) < 2


def test_long_pictures_zoom_fit_and_wrap(new_page: New, tmp_path: Path):
    page = shown(new_page, tmp_path / "long.html", projection(tuple(f"fword{k}" for k in range(LONG))))
    wide = page.js(f"{SVG}.getBoundingClientRect().width")
    assert wide > page.js(f"{PIC}.clientWidth")
    zoom = "(v => { const z = document.querySelector('#zoom'); z.value = v; z.dispatchEvent(new Event('input')); return new Promise(requestAnimationFrame); })"
    page.js(f"{zoom}(50)")
    assert abs(page.js(f"{SVG}.getBoundingClientRect().width") - wide / 2) < 3
    page.js(f"{zoom}(25)")  # the least: it fits the window
    assert page.js(f"{PIC}.scrollWidth <= {PIC}.clientWidth")
    assert page.js("document.querySelector('#zoom').getAttribute('aria-valuetext')") == "fits the window"
    page.js(f"{zoom}(100)")
    page.js("document.querySelector('#wrap').click()")
    assert page.js(f"{PIC}.scrollWidth <= {PIC}.clientWidth")
    rows = page.js(f"{SVG}.querySelectorAll('svg.row').length")
    assert rows >= 2
    # every word is whole in some row
    whole = f"""(() => {{ const seen = new Set(); for (const row of {SVG}.querySelectorAll('svg.row')) {{
        const view = row.viewBox.baseVal;
        for (const w of row.querySelectorAll('.word')) {{ const b = w.getBBox();
            if (b.x >= view.x - 1 && b.x + b.width <= view.x + view.width + 1) seen.add(w.dataset.side + w.dataset.word); }} }}
        return seen.size; }})()"""
    assert page.js(whole) == 2 * LONG
    # keys pass each edge once; an edge that goes on in the next row is lit in both
    keyed = f"[...{SVG}.querySelectorAll('.edge:not(.again)')].map(e => e.dataset.side + e.dataset.child)"
    assert len(page.js(keyed)) == len(set(page.js(keyed))) == 2 * LONG
    cut = page.js(f"(e => [e.dataset.side, e.dataset.child])({SVG}.querySelector('.edge.again'))")
    page.js(f"page.light({SVG}, {SVG}.querySelector('.edge:not(.again)[data-side={cut[0]}][data-child=\"{cut[1]}\"]'))")
    lit = f"{SVG}.querySelectorAll('.edge.lit[data-side={cut[0]}][data-child=\"{cut[1]}\"]').length"
    assert page.js(lit) >= 2
    page.resize(1500)
    page.wait(f"{SVG}.querySelectorAll('svg.row').length < {rows}")
    page.js("document.querySelector('#wrap').click()")
    assert page.js(f"{SVG}.querySelectorAll('svg.row').length") == 0
    assert abs(page.js(f"{SVG}.getBoundingClientRect().width") - wide) < 1
    assert page.troubles() == []


def test_wrapped_right_to_left_begins_with_the_first_words(new_page: New, tmp_path: Path):
    forms = tuple(["كتب", "ولد", "بيت", "نهر", "سوق", "رجل", "باب", "نور"] * 3)
    page = shown(new_page, tmp_path / "rtl.html", projection(forms), width=700)
    page.js("document.querySelector('#wrap').click()")
    first = f"[...{SVG}.querySelector('svg.row').querySelectorAll('.word[data-side=f]:not(.again)')].map(w => Number(w.dataset.word))"
    found = page.js(first)
    assert found[0] == 1
    assert len(found) < len(forms)


def test_without_a_translation_no_gap_and_no_quotes(new_page: New, tmp_path: Path):
    alone = s1(ProjectionInput(("aba", "we", "kai"), DepTree((), ()), Links(frozenset(), (3, 0)), (), "s1"))
    page = shown(new_page, tmp_path / "alone.html", alone)
    assert "‘" not in page.js("document.querySelector('.pair').textContent")
    assert page.js("document.querySelectorAll('.pair .free').length") == 0
    top = f"Math.min(...[...{SVG}.querySelectorAll('text')].map(t => t.getBoundingClientRect().top)) - {SVG}.getBoundingClientRect().top"
    assert page.js(top) < 30
    assert page.js("document.querySelector('#count').textContent") == "1 sentence"
    assert page.js("document.querySelector('.facts dt').textContent") == "sentence"


def test_clipped_tables_hint_that_they_scroll(new_page: New, tmp_path: Path):
    page = shown(new_page, tmp_path / "table.html", projection(("aba", "we", "kai")), width=300)
    box = "document.querySelector('#reasons .scroll')"
    page.js(f"{box}.style.width = '160px'")
    assert page.js(f"{box}.scrollWidth > {box}.clientWidth")
    assert page.js(f"{box}.tabIndex") == 0
    # a shadow at the edge that stays while the table moves, and covers that move with it
    style = page.js(f"(s => [s.backgroundImage, s.backgroundAttachment])(getComputedStyle({box}))")
    assert style[0].count("linear-gradient") == 4
    assert style[1].split(", ") == ["local", "local", "scroll", "scroll"]
    pictures = page.js("getComputedStyle(document.querySelector('.pic')).backgroundAttachment")
    assert pictures.split(", ") == ["local", "local", "scroll", "scroll"]
