"""The page of aligned phrases in a real browser: pointing at a phrase lights its partner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from divproj.drawing.phrases import write_alignments
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.phrases.aligner import PhraseAligner

New = Callable[[], Any]
PAIRS = [
    ("(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))))",
     "(S (PP (IN in) (NP (DT the) (NN sun))) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)))"),
    ("(S (NN <img/src=x>) (NN b))", "(S (NN <img/src=x>) (NN b))"),
]  # fmt: skip
DRAWN = "document.querySelector('.pair').querySelector('.pic svg.divproj')"
BAR = f"[...{DRAWN}.querySelectorAll('.phrase[data-side=\"0\"][data-pair]')].find(g => g.dataset.from === '0' && g.dataset.to === '3')"


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = []
    for a, b in PAIRS:
        src, tgt = (forests_of(text, "brackets", None, ForestOptions("all"))[0] for text in (a, b))
        links = [(i, j) for i, x in enumerate(src.forms) for j, y in enumerate(tgt.forms) if x == y]
        made.append(PhraseAligner().align_pair(src, tgt, links))
    path = tmp_path_factory.mktemp("phrases") / "page.html"
    with path.open("w", encoding="utf-8") as out:
        write_alignments(made, out, title="Phrases", signature="divproj:test")
    return path.as_uri()


@pytest.fixture
def page(new_page: New, url: str) -> Any:
    page = new_page()
    page.open(url)
    page.wait(f"Boolean({DRAWN})")
    return page


def lit(page: Any) -> Any:
    return page.js(
        f"[...{DRAWN}.querySelectorAll('.phrase.lit')].map(g => g.dataset.side + g.dataset.from + '-' + g.dataset.to).sort()"
    )


def point(page: Any, kind: str = "pointerover") -> None:
    page.js(f"{BAR}.dispatchEvent(new PointerEvent('{kind}', {{bubbles: true}}))")


def test_pointing_lights_the_partner_and_its_words(page: Any) -> None:
    assert lit(page) == []
    point(page)
    assert lit(page) == ["00-3", "14-7"]
    words = page.js(f"[...{DRAWN}.querySelectorAll('.token.lit')].map(g => g.dataset.side + g.dataset.word).sort()")
    assert words == ["00", "01", "02", "14", "15", "16"]
    point(page, "pointerout")
    assert lit(page) == []


def test_a_click_holds_the_light_and_keys_reach_it(page: Any) -> None:
    page.js(f"{BAR}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    point(page, "pointerout")
    assert lit(page) == ["00-3", "14-7"]
    page.js(f"{BAR}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    point(page, "pointerout")
    assert lit(page) == []
    page.js(f"{BAR}.focus()")
    assert lit(page) == ["00-3", "14-7"]


def test_words_do_not_become_code(page: Any) -> None:
    page.js("document.querySelector('#all').click()")
    page.wait("document.querySelectorAll('.pic svg.divproj').length === 2")
    assert page.js("document.querySelectorAll('img').length") == 0
    assert "<img/src=x>" in page.js("document.querySelectorAll('.pair')[1].textContent")


def test_bars_are_drawn_in_their_style(page: Any) -> None:
    """The policy of the page must let the style through: without it bars are black."""
    assert page.js(f"getComputedStyle({BAR}.querySelector('rect')).fill") != "rgb(0, 0, 0)"
    assert page.js(f"getComputedStyle({BAR}.querySelector('rect')).stroke") != "none"
    assert page.js(f"{DRAWN}.querySelectorAll('style').length") == 0
