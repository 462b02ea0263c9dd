"""The workbench without a browser: what it knows of a folder, what it refuses, who may ask."""

from __future__ import annotations

import base64
import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divproj import Corpus, Faults
from divproj.core.errors import ProjError
from divproj.io.trees import conllu
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.pipeline import annotate
from divproj.projection.prepare import Preparation, prepare_text
from divproj.review.workbench import WORK, CommandJob, Workbench, WorkbenchServer, WorkError, decode_upload, for_page
from divproj.runtime.resources import folder
from proj_cli.review import COMMAND, texts

TREES = "# sent_id = a\n# gold = yes\n1\ta\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tb\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"

BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<document><interlinear-text>&b;</interlinear-text></document>"""


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


def test_a_search_that_python_would_never_end(bench: Workbench):
    """One thread of the server would hold all of them."""
    (bench.folder / "own.conllu").write_text(TREES.replace("1\ta\t", f"1\t{'a' * 60}b\t"))
    assert bench.find("form~/^(a+)+$/")["words"] == 0
    assert bench.find("form~/(a+)+b$/")["words"] == 1


def test_trees_are_saved_into_a_copy_of_the_users_file(bench: Workbench):
    own = folder("tutorial") / "turkish.sfm"
    (bench.folder / "tale.sfm").write_bytes(own.read_bytes())
    pairs = [pair for pair in prepare_text(Corpus(own), Preparation(), Faults(strict=False)) if pair.f_rows]
    work = bench.work("tale.sfm")
    work.mkdir(parents=True)
    rows = (annotate(pair.f_rows, s1(ProjectionInput.of(pair)), "s1-r") for pair in pairs if pair.f_rows)
    (work / "trees.conllu").write_text("".join(map(conllu.dumps, rows)), encoding="utf-8")
    (bench.folder / "story.txt").unlink()  # the same text
    assert [text["into"] for text in bench.state()["texts"] if text["name"] == "tale.sfm"] == [True]
    name, content = bench.save_into("tale.sfm")
    assert name == "tale.with-trees.sfm"
    assert len(content) > len(own.read_bytes())
    assert content.count(b"\n\\ref ") == own.read_bytes().count(b"\n\\ref ")
    assert (bench.folder / "tale.sfm").read_bytes() == own.read_bytes()
    with pytest.raises(WorkError, match=r"own\.conllu is of no format that trees can be written into"):
        bench.save_into("own.conllu")


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda b: b.save_into("story.txt"), "story.txt has no trees yet: project it first"),
        (lambda b: b.project("nowhere.txt"), "there is no text nowhere.txt"),
        (lambda b: b.open("story.txt"), "story.txt has no trees yet: project it first"),
        (lambda b: b.export("story.txt"), "story.txt has no trees yet: project it first"),
        (lambda b: b.divergence("story.txt"), "story.txt has no trees and links yet: project it first"),
        (lambda b: b.learn(), "there is no gold sentence yet"),
        (lambda b: b.add("../x.txt", b""), "cannot be the name of a file"),
        (lambda b: b.add(".x", b""), "cannot be the name of a file"),
        (lambda b: b.add("é" * 150 + ".conllu", TREES.encode()), "cannot be the name of a file"),
        (lambda b: b.add("own.conllu", TREES.encode()), "own.conllu is there already; rename the new file"),
        (lambda b: b.add("bomb.flextext", BOMB), "bomb.flextext is no text that can be read"),
        (lambda b: b.add("zweite.txt", (b.folder / "story.txt").read_bytes()), "has the sentences of zweite.txt already"),
        (lambda b: b.add("noise.bin", b"\0\1"), "noise.bin is no text that can be read"),
    ],
)
def test_what_is_refused(bench: Workbench, act: Any, told: str):
    before = sorted(bench.folder.rglob("*"))
    with pytest.raises(WorkError) as caught:
        act(bench)
    assert told in str(caught.value)
    assert sorted(bench.folder.rglob("*")) == before


def test_reviewed_trees_are_not_replaced(bench: Workbench):
    work = bench.folder / WORK / "story.txt"
    work.mkdir(parents=True)
    (work / "trees.reviewed.conllu").write_text(TREES)
    with pytest.raises(WorkError, match="its trees are not replaced"):
        bench.project("story.txt")


def test_a_full_disk_leaves_no_half_file(bench: Workbench, monkeypatch: pytest.MonkeyPatch):
    whole = Path.open

    def full(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        if mode != "xb":
            return whole(path, mode, *rest, **more)
        path.touch()
        return whole(Path("/dev/full"), "wb")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(WorkError, match=r"new\.conllu could not be saved: No space left on device"):
        bench.add("new.conllu", TREES.encode())
    assert sorted(path.name for path in bench.folder.iterdir()) == ["own.conllu", "story.txt"]


def test_a_name_is_no_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file can be called `--e-parser=…`, and that would run a command."""
    monkeypatch.chdir(tmp_path)
    begun: list[Any] = []
    monkeypatch.setattr(Workbench, "_begin", lambda self, name, what, words: begun.append(self._argv(words)) or what)
    bench = Workbench(Path("."), COMMAND, texts)
    bench.add("--rules=x.conllu", TREES.encode())
    bench.project("--rules=x.conllu")
    assert not [word for word in begun[0][len(COMMAND) :] if word.startswith("--rules")]


def test_rules_are_checked_before_texts_are_projected_with_them(bench: Workbench, monkeypatch: pytest.MonkeyPatch):
    begun: list[list[str]] = []
    monkeypatch.setattr(Workbench, "_begin", lambda self, name, what, words: begun.append(self._argv(words)) or what)
    work = bench.folder / WORK / "own.conllu"
    work.mkdir(parents=True)
    (work / "align.txt").write_text("0-0 1-1\n")
    bench.learn()
    assert begun[0][-5:] == ["learn", str(work), "--check", "-o", str(bench.folder / WORK / "rules.json")]


def test_modules_among_the_texts_are_not_run(tmp_path: Path):
    (tmp_path / "typer.py").write_text("raise SystemExit('run')")
    done = subprocess.run([*COMMAND, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_folder_is_read_again_only_when_it_has_changed(tmp_path: Path):
    calls: list[Path] = []
    bench = Workbench(tmp_path, COMMAND, lambda folder: calls.append(folder) or texts(folder))
    assert (bench.names(), bench.names(), len(calls)) == ([], [], 1)
    (tmp_path / "own.conllu").write_text(TREES)
    assert (bench.names(), len(calls)) == (["own.conllu"], 2)


def test_no_folder(tmp_path: Path):
    with pytest.raises(WorkError, match="there is no such folder"):
        Workbench(tmp_path / "nowhere", (), texts)


def test_base64():
    assert decode_upload(base64.b64encode(b"x").decode()) == b"x"
    for wrong in ("?", None, 3):
        with pytest.raises(ValueError, match="data is base64"):
            decode_upload(wrong)


@pytest.fixture
def server(bench: Workbench) -> Iterator[WorkbenchServer]:
    made = WorkbenchServer(bench)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def ask(server: WorkbenchServer, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
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
    (server.bench.folder / WORK).write_text("in the way")
    status, told = ask(server, "POST", "/api/project", {"name": "new.conllu"})
    assert status == 507
    assert WORK in told["error"]


def test_messages_of_commands_name_no_options():
    """The page cannot take them; what happened is said."""
    script = "import sys; sys.stderr.write('left out 2 pairs; --strict stops at the first\\nproj: more follow; with -v all are shown\\n')"
    job = CommandJob("projecting")
    Workbench._do(job, [sys.executable, "-c", script])
    assert (job.message, job.failed) == ("left out 2 pairs\nproj: more follow", False)
    assert for_page("two parsers fit; choose en with --e-parser") == "two parsers fit"
    assert for_page("a-b.txt:3: the gloss x-y; kept as it is") == "a-b.txt:3: the gloss x-y; kept as it is"


def test_a_text_that_is_open_is_not_projected_anew(bench: Workbench):
    """Its review would look at trees that are no longer there, and could not be opened again."""
    work = bench.work("own.conllu")
    url = bench.open("own.conllu")
    try:
        with pytest.raises(ProjError, match=r"another `proj review` has this file open"):
            bench.project("own.conllu")
        assert bench.open("own.conllu") == url
    finally:
        process, _ = bench.reviews["own.conllu"]
        process.kill()
        process.wait()
    (work / "trees.reviewed.conllu").unlink(missing_ok=True)  # killed before it was saved for the first time
    (work / "trees.conllu").write_text(TREES.replace("nsubj", "obj"))
    assert bench.open("own.conllu").startswith("http://127.0.0.1:"), "other trees, and no edit of the earlier ones"
    bench.close()


def test_a_dropped_file_takes_no_text_s_place(bench: Workbench):
    """The same sentences under a name that sorts first: the text that was there stays."""
    (bench.folder / "story.conllu").write_text(TREES.replace("sent_id = a", "sent_id = b"))
    before = bench.names()
    for name in ("a.txt", "zweite.txt"):
        with pytest.raises(WorkError, match=f"has the sentences of {name} already"):
            bench.add(name, (bench.folder / "story.txt").read_bytes())
        assert bench.names() == before
