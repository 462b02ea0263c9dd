"""The workbench in a real browser: a FLEx file is dropped, projected, corrected by keyboard alone, learned from, exported, opened again."""

from __future__ import annotations

import base64
import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from divproj.io.trees import conllu
from divproj.review.workbench import Workbench, WorkbenchServer
from divproj.runtime.resources import folder
from proj_cli.review import texts

SENTENCES = 6
New = Callable[[], Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WorkbenchServer]:
    bench = Workbench(tmp_path, (sys.executable, "-m", "divproj"), texts)
    made = WorkbenchServer(bench)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()
    bench.close()


def flex() -> bytes:
    """The first sentences of the tutorial as FLEx exports them."""
    text = (folder("tutorial") / "turkish.flextext").read_text(encoding="utf-8")
    head, *paragraphs = text.split("      <paragraph>\n")
    tail = paragraphs[-1].split("      </paragraph>\n")[1]
    return (
        head
        + "".join(
            "      <paragraph>\n" + p.split("      </paragraph>\n")[0] + "      </paragraph>\n" for p in paragraphs[:SENTENCES]
        )
        + tail
    ).encode()


def drop(page: Any, name: str, data: bytes) -> None:
    """A file falls on the page."""
    page.js(
        f"(() => {{ const bytes = Uint8Array.from(atob({json.dumps(base64.b64encode(data).decode())}), c => c.charCodeAt(0));"
        f"const given = new DataTransfer(); given.items.add(new File([bytes], {json.dumps(name)}));"
        "window.dispatchEvent(new DragEvent('drop', {dataTransfer: given, bubbles: true, cancelable: true})); })()"
    )


def text_of(page: Any, selector: str) -> str:
    return page.js(f"document.querySelector({json.dumps(selector)}).textContent")  # type: ignore[no-any-return]


def troubles(page: Any) -> list[str]:
    mine = ("request: http://127.0.0.1:", "Failed to load resource: the server responded with a status of 409")
    return [text for text in page.troubles() if not text.startswith(mine)]


def test_from_a_flex_file_to_rules(new_page: New, server: WorkbenchServer, tmp_path: Path):
    page = new_page()
    page.open(server.url)
    page.wait("document.querySelector('#empty') && !document.querySelector('#empty').hidden")
    drop(page, "field.flextext", flex())
    page.wait("document.querySelector('#texts li')")
    assert (tmp_path / "field.flextext").read_bytes() == flex()
    page.wait("document.activeElement.dataset.does === 'Project'")
    page.press("p")
    page.wait("document.querySelector('[data-does=Correct]:not(:disabled)')", 120)
    assert text_of(page, "#texts .how") == f"{SENTENCES} sentences, 0 gold"
    page.wait("document.querySelector('#texts .job')")
    assert f"{SENTENCES} sentences projected by the gloss model (s6)" in text_of(
        page, "#texts .job"
    )  # the whole summary, but no path of ours
    assert "trees.conllu" not in text_of(page, "#texts .job")
    page.press("ArrowDown")
    page.wait("document.activeElement.dataset.does === 'Correct'")
    page.press("Enter")
    page.wait("document.querySelector('.tree .word')", 60)
    assert "field.flextext" in text_of(page, "h1")
    # the review, by keyboard alone: word 1 of the first sentence shown gets another head and another relation
    first = page.js("review.here.now.id")
    heads = page.js("review.here.now.heads")
    page.press("Home")
    page.press("r")
    page.wait("review.here.now.heads[0] === 0")
    page.press("u")
    page.wait(f"JSON.stringify(review.here.now.heads) === '{json.dumps(heads, separators=(',', ':'))}'")
    wanted = next(k for k in range(2, len(heads) + 1) if k != heads[0] and 1 not in _above(heads, k))
    page.press("Enter", *str(wanted), "Enter")
    page.wait(f"review.here.now.heads[0] === {wanted}")
    page.press("l")
    page.wait("document.activeElement.matches('input')")
    page.press(*"vocative", "Enter")
    page.wait("review.here.now.rels[0] === 'vocative'")
    for count in (1, 2, 3):
        page.press("G")
        page.wait(f"document.querySelector('#count').textContent.startsWith('{count} of') && !review.here.now.gold")
    page.press("s")
    reviewed = tmp_path / "divproj-work" / "field.flextext" / "trees.reviewed.conllu"
    page.wait("document.querySelector('#told').textContent.startsWith('written')")
    assert reviewed.read_text(encoding="utf-8").count("# gold = yes") == 3
    # back, learn (too little to check, so nothing changes), look at rules, search, save as a file
    page.press("b")
    page.wait("document.querySelector('#texts .how b')")
    assert text_of(page, "#texts .how") == f"{SENTENCES} sentences, 3 gold"
    page.press("l")
    page.wait("document.querySelector('#told').textContent.includes('checked from 5 gold sentences on: 2 more are needed')", 60)
    assert not page.js("bench.state().rules")
    shutil.copyfile(folder("rules") / "deu.json", tmp_path / "divproj-work" / "rules.json")
    page.press("l")
    page.wait("bench.state().rules", 60)
    page.press("r")
    page.wait("!document.querySelector('#panel').hidden", 60)
    assert "Learned for s2+ from 66 sentence pairs" in text_of(page, "#panelbody")
    page.press("Escape")
    page.press("d")
    page.wait("document.querySelector('#panelbody td')", 60)
    assert text_of(page, "#panelname") == "Divergence: field.flextext"
    page.press("/")
    page.press(*"rel=root", "Enter")
    page.wait("document.querySelector('#matches li')")
    assert text_of(page, "#found") == f"{SENTENCES} words found"
    page.press("Escape")
    downloads = tmp_path / "downloads"
    page.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    page.press("e")
    page.wait("document.querySelector('#told').textContent.includes('saved where your browser keeps downloads')")
    saved = _arrived(downloads / "field.flextext.trees.reviewed.conllu")
    [tree] = [s for s in saved if s.sent_id == first]
    assert len(saved) == SENTENCES
    assert tree.lines[0][6:8] == (str(wanted), "vocative")
    # opened again: the corrections are there
    page.press("ArrowDown")
    page.press("Enter")
    page.wait("document.querySelector('#count') && document.querySelector('#count').textContent.startsWith('3 of')", 60)
    # a sentence that was found is opened
    page.wait("document.querySelector('.tree .word')", 60)
    page.press("b")
    page.wait("bench.state().texts.length && document.querySelector('#query')")
    page.press("/")
    page.press(*"rel=vocative", "Enter")
    page.wait("document.querySelector('#matches .link')")
    page.leave("document.querySelector('#matches .link').click()")
    page.wait(f"document.querySelector('.tree .word') && review.here.now.id === {json.dumps(first)}", 60)
    assert troubles(page) == []


def _above(heads: list[int], word: int) -> set[int]:
    """The words above a word, itself included."""
    found = set()
    while word and word not in found:
        found.add(word)
        word = heads[word - 1]
    return found


def _arrived(path: Path) -> list[Any]:
    """The sentences of a file that the browser is saving."""
    for _ in range(200):
        if path.is_file() and path.stat().st_size:
            return list(conllu.loads(path.read_text(encoding="utf-8")))
        time.sleep(0.05)
    raise AssertionError(list(path.parent.iterdir()))


def test_what_is_refused_is_said(new_page: New, server: WorkbenchServer, tmp_path: Path):
    page = new_page()
    page.open(server.url)
    page.wait("bench.state()")
    drop(page, "song.mp3", b"\x00\x01\x02")
    page.wait("document.querySelector('#told').classList.contains('bad')")
    assert text_of(page, "#told") == "song.mp3 is no text that can be read; see the page Formats of the documentation"
    assert list(tmp_path.iterdir()) == []
    page.press("/")
    page.js("document.querySelector('#query').value = 'colour=red'")
    page.press("Enter")
    page.wait("document.querySelector('#told').textContent.includes('a word has no “colour”')")


def test_wide_narrow_dark(new_page: New, server: WorkbenchServer, tmp_path: Path):
    (tmp_path / "a <b>story<b>.txt").write_bytes((folder("tutorial") / "turkish.txt").read_bytes())
    page = new_page()
    page.open(server.url)
    page.wait("document.querySelector('#texts li')")
    assert text_of(page, "#texts .name") == "a <b>story<b>.txt"  # names are text
    for width in (360, 1100):
        page.resize(width)
        assert page.js("document.documentElement.scrollWidth <= innerWidth")
    light = page.js("getComputedStyle(document.body).backgroundColor")
    page.dark()
    assert page.js("getComputedStyle(document.body).backgroundColor") != light
    unnamed = "[...document.querySelectorAll('button, input:not([type=file]), a')].filter(x => !(x.textContent.trim() || x.getAttribute('aria-label') || x.labels?.length)).length"
    assert page.js(unnamed) == 0
    page.press("?")
    assert page.js("document.querySelector('#helpbox').open")
    page.press("Escape")
    assert troubles(page) == []
