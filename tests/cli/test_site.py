"""The documentation site: built without a warning, and without anything from the network."""

from __future__ import annotations

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.commands import ROOT

import divproj

pytestmark = pytest.mark.long


def test_the_site(tmp_path: Path):
    for name in ("mkdocs", "material", "mkdocstrings"):
        if importlib.util.find_spec(name) is None:
            pytest.skip("the extra docs is not installed")
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT / "cli")))}
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "-f",
        str(ROOT / "mkdocs.yml"),
        "-d",
        str(tmp_path / "site"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    pages = sorted((tmp_path / "site").glob("*.html"))
    assert {"index.html", "tutorial.html", "systems.html", "api.html", "glossary.html", "all-results.html"} <= {
        p.name for p in pages
    }
    for page in pages:
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="?(https?://[^">\s]+)', text)
        fetched += re.findall(r'<link[^>]*rel="?stylesheet"?[^>]*href="?(https?://[^">\s]+)', text)
        assert fetched == [], page.name
    assert (tmp_path / "site" / "search" / "search_index.js").is_file()  # search from files


def test_every_name_is_on_the_api_page():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in divproj.__all__ if not re.search(rf"\bdivproj\.{name}\b", page)] == []


def test_the_hook():
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "bench" / "tools" / "site_pages.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    assert doctest.testmod(hook).failed == 0
    assert (
        hook.on_page_content("<td><code>data/b.py::test_a</code></td>")
        == "<td><code>data/<wbr>b.py::<wbr>test_<wbr>a</code></td>"
    )
    assert hook.on_page_content("<td><code>upos=A\\|B</code></td>") == "<td><code>upos=A|B</code></td>"
    assert hook.on_page_content("<p><code>a/b.py</code></p>") == "<p><code>a/b.py</code></p>"
