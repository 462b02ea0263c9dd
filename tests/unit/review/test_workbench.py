"""The workbench without a browser: what it knows of a folder, what it refuses, who may ask."""

from __future__ import annotations

import base64
import http.client
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divproj.review.workbench import WORK, Workbench, WorkError, decoded
from divproj.review.workbench_server import WorkbenchServer
from divproj.runtime.resources import folder
from proj_cli.workbench import texts

TREES = "# sent_id = a\n# gold = yes\n1\ta\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tb\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    (tmp_path / "own.conllu").write_text(TREES)
    (tmp_path / "story.txt").write_bytes((folder("tutorial") / "turkish.txt").read_bytes())
    return Workbench(tmp_path, (sys.executable, "-m", "divproj"), texts)


def test_the_folder(bench: Workbench):
    state = bench.state()
    assert [(t["name"], t["trees"], t["sentences"], t["gold"]) for t in state["texts"]] == [
        ("own.conllu", True, 1, 1),
        ("story.txt", False, 0, 0),
    ]
    assert not state["rules"]
    assert bench.rules() == []
    assert bench.find("upos=VERB") == {
        "words": 1,
        "rows": [{"text": "own.conllu", "id": "a", "forms": ("a", "b"), "words": (2,)}],
    }
    assert bench.export("own.conllu") == ("own.conllu", TREES)


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda b: b.project("nowhere.txt"), "there is no text nowhere.txt"),
        (lambda b: b.open("story.txt"), "story.txt has no trees yet: project it first"),
        (lambda b: b.export("story.txt"), "story.txt has no trees yet: project it first"),
        (lambda b: b.divergence("story.txt"), "story.txt has no trees and links yet: project it first"),
        (lambda b: b.learn(), "there is no gold sentence yet"),
        (lambda b: b.add("../x.txt", b""), "cannot be the name of a file"),
        (lambda b: b.add(".x", b""), "cannot be the name of a file"),
        (lambda b: b.add("story.txt", b""), "story.txt is there already; rename the new file"),
        (lambda b: b.add("noise.bin", b"\0\1"), "noise.bin is no text that can be read"),
    ],
)
def test_what_is_refused(bench: Workbench, act: Any, told: str):
    with pytest.raises(WorkError) as caught:
        act(bench)
    assert told in str(caught.value)


def test_reviewed_trees_are_not_replaced(bench: Workbench):
    work = bench.folder / WORK / "story.txt"
    work.mkdir(parents=True)
    (work / "trees.reviewed.conllu").write_text(TREES)
    with pytest.raises(WorkError, match="its trees are not replaced"):
        bench.project("story.txt")


def test_no_folder(tmp_path: Path):
    with pytest.raises(WorkError, match="there is no such folder"):
        Workbench(tmp_path / "nowhere", (), texts)


def test_base64():
    assert decoded(base64.b64encode(b"x").decode()) == b"x"
    for wrong in ("?", None, 3):
        with pytest.raises(ValueError, match="data is base64"):
            decoded(wrong)


@pytest.fixture
def server(bench: Workbench) -> Iterator[WorkbenchServer]:
    made = WorkbenchServer(bench)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def ask(server: WorkbenchServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    sent = {"X-Review-Token": server.token, "Origin": server.origin, "Content-Type": "application/json", **headers}
    connection.request(method, path, None if body is None else json.dumps(body), sent)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_who_may_ask(server: WorkbenchServer):
    assert ask(server, "GET", "/api/state")[0] == 200
    assert ask(server, "GET", "/api/state", **{"X-Review-Token": "wrong"})[0] == 403
    assert ask(server, "POST", "/api/learn", {}, Origin="http://evil.example")[0] == 403
    assert ask(server, "GET", "/../../etc/passwd")[0] == 404
    assert ask(server, "POST", "/api/nothing", {})[0] == 404
    assert ask(server, "POST", "/api/find", {"query": 3}) == (400, {"error": "query is text"})
    assert ask(server, "POST", "/api/find", {"query": "x" * (70 << 10)})[0] == 413
    assert ask(server, "POST", "/api/project", {"name": "../own.conllu"})[0] == 409
    status, told = ask(
        server, "POST", "/api/add", {"name": "new.conllu", "data": base64.b64encode(TREES.encode() * 1000).decode()}
    )
    assert (status, told) == (200, {"told": "new.conllu added"})
    assert ask(server, "GET", "/api/export?name=new.conllu")[1]["text"].startswith("# sent_id = a\n")
