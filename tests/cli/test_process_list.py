"""What other users of the machine can read in the list of processes: no token of a review or workbench."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from cli.test_cluster import alive, wait_for
from reviewfiles import TEXT, Client, Command

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="/proc shows the processes")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with trees, and a Python file that nobody may run."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "trees.conllu").write_text(TEXT, encoding="utf-8")
    for name in ("struct", "random", "numpy", "divproj", "sitecustomize"):
        (tmp_path / "texts" / f"{name}.py").write_text(f"open({str(tmp_path / 'ran.txt')!r}, 'w')\n")
    return tmp_path / "texts"


def commands() -> dict[int, str]:
    """The words of each process, by its number."""
    lines = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines[int(path.parent.name)] = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:  # it has ended
            continue
    return lines


def token(url: str) -> str:
    return parse_qs(urlsplit(url).query)["token"][0]


def review_of(texts: Path) -> int:
    """The process that reviews the text."""
    numbers = [pid for pid, line in commands().items() if str(texts) in line and " review " in line and "--workbench" in line]
    assert len(numbers) == 1
    return numbers[0]


def test_a_workbench_and_its_reviews(texts: Path):
    command = Command(texts, cwd=texts, env=os.environ | {"PYTHONSAFEPATH": "1"})
    try:
        status, answer = Client(command.url).post("/api/open", {"name": "trees.conllu"})
        assert status == 200, answer
        tokens = {token(command.url), token(answer["url"])}
        assert len(tokens) == 2
        child = review_of(texts)
        assert not [line for line in commands().values() if any(each in line for each in tokens)]
        page = http.client.HTTPConnection(urlsplit(answer["url"]).netloc, timeout=120)
        page.request("GET", f"/?token={token(answer['url'])}")
        assert token(command.url) in page.getresponse().read().decode(), "the review leads back to the workbench"
    finally:
        command.end(signal.SIGKILL)
    wait_for(lambda: not alive(child))  # and gives the journal free
    again = Command(texts / "divproj-work" / "trees.conllu" / "trees.conllu")
    assert again.url
    assert again.end()[0] == 0
    assert not (texts.parent / "ran.txt").exists()


def test_the_browser_is_told_a_file(texts: Path, tmp_path: Path):
    """A file that leads to the page and that only its user can read; the words of the browser's process have no token."""
    browser, words = tmp_path / "browser.py", tmp_path / "words.json"
    browser.write_text(
        "import json, os, sys, urllib.parse, urllib.request\n"
        "path = urllib.request.url2pathname(urllib.parse.urlsplit(sys.argv[1]).path)\n"
        "facts = [sys.argv[1], open(path).read(), os.stat(path).st_mode & 0o777, os.stat(os.path.dirname(path)).st_mode & 0o777]\n"
        f"json.dump(facts, open({str(words) + '.part'!r}, 'w'))\n"
        f"os.rename({str(words) + '.part'!r}, {str(words)!r})\n"
    )
    for source in (texts / "trees.conllu", texts):
        words.unlink(missing_ok=True)
        command = Command(source, "--open", cwd=tmp_path, env=os.environ | {"BROWSER": f"{sys.executable} {browser} %s"})
        try:
            wait_for(words.exists)
            url, text, mode, folder_mode = json.loads(words.read_text())
            assert url.startswith("file://")
            assert (mode, folder_mode) == (0o600, 0o700)
            assert token(command.url) not in url
            assert f'content="0; url={command.url}"' in text
        finally:
            assert command.end()[0] == 0
        assert not list(texts.glob("proj-review-*"))
