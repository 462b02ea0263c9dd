"""The report of a run in a real browser: pictures are drawn, search works, words that try to be code stay words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipelinefiles import PLAIN, config, write

from divproj.run.config import load
from divproj.run.runner import Run

BAD = "<img src=x onerror=document.title='broken'>"


def test_report(new_page: Callable[[], Any], tmp_path: Path):
    folder = write(tmp_path / "tavi")
    text = (folder / "text.txt").read_text(encoding="utf-8").replace("see-PST", BAD.replace(" ", "_"))
    (folder / "text.txt").write_text(text, encoding="utf-8")
    Run(load(config(folder, f'language = "{BAD}"\n{PLAIN}'))).execute()
    page = new_page()
    page.open((folder / "results" / "report.html").as_uri())
    assert page.js("document.title") == BAD
    assert page.js("document.querySelectorAll('img').length") == 0
    assert page.js("document.querySelectorAll('.pair').length") == 12
    page.js("document.querySelector('.pair').scrollIntoView()")
    page.wait("document.querySelector('.pair .pic svg.divproj')")
    page.js(
        "(() => { const s = document.querySelector('#search'); s.value = 'forest'; s.dispatchEvent(new Event('input')); })()"
    )
    assert page.js("document.querySelector('#count').textContent").endswith(" of 12 sentences")
    assert page.js("[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))")
