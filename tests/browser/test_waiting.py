"""Waiting for a page: an expression may be asked while its page is being left, and is then not true yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

New = Callable[[], Any]


def test_waiting_survives_a_change_of_page(new_page: New, tmp_path: Path):
    pages = [tmp_path / f"{n}.html" for n in range(3)]
    for n, path in enumerate(pages):
        path.write_text(f"<!doctype html><title>{n}</title><p id=p{n}>{n}</p>")
    page = new_page()
    page.open(pages[0].as_uri())
    for n in (1, 2):
        going = f"new Promise(() => location.assign('{pages[n].as_uri()}'))"  # never kept: the answer is lost with the page
        with pytest.raises(RuntimeError, match=r"navigated or closed|was collected|destroyed") as left:
            page.js(going)
        assert type(left.value).__name__ == "PageLeft"
        page.wait(f"document.querySelector('#p{n}')")
        assert page.js("document.title") == str(n)


def test_the_last_error_is_said(new_page: New):
    with pytest.raises(TimeoutError, match=r"not true within 0 s: nobody.knows .*nobody is not defined"):
        new_page().wait("nobody.knows", 0.1)
