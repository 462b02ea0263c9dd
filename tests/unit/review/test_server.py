"""The server: what the page gets, and what nobody else gets."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from reviewfiles import HOSTILE, MARKS, TEXT, Client, correct, projected, reviewed, serving, session_of

from divproj import Corpus, DepTree, Links, ProjError
from divproj.projection.direct import ProjectionInput
from divproj.review import http
from divproj.review import server as module
from divproj.review.http import LARGEST
from divproj.review.learning import AdaptingLearner, ProjectionInputs, ProjectionLearner
from divproj.review.server import Review, Server
from divproj.review.session import EditError
from divproj.runtime.resources import folder


@pytest.fixture
def review(tmp_path: Path) -> Review:
    return reviewed(tmp_path)


@pytest.fixture
def client(review: Review) -> Iterator[Client]:
    with serving(review) as server:
        yield Client(server.url)


def test_the_page(client: Client):
    status, headers, body = client.raw("GET", f"/?token={client.token}", {"Host": client.host})
    assert status == 200
    assert body.startswith(b"<!doctype html>")
    policy = headers["Content-Security-Policy"]
    for part in (
        "default-src 'none'",
        "script-src 'sha256-",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in headers
    assert "Python" not in headers["Server"]


def test_document_and_sentence(client: Client):
    _, found = client.get("/api/document")
    assert found["order"] == [0, 1, 3, 2]
    assert found["sentences"][0] == {
        "id": "a1",
        "words": "ni na ga karen",
        "sure": pytest.approx(0.64),
        "gold": False,
        "hand": 0,
    }
    assert found["learn"]["possible"] is False
    assert "only correction is possible" in found["learn"]["told"]
    _, view = client.get("/api/sentence?n=0")
    assert view["heads"] == [3, 3, 0, 1]
    assert view["translations"] == [["", "I saw the dog ."]]
    assert view["glosses"] == ["1SG", "PFV", "see", "dog.DEF"]
    assert view["why"][3] == "guess: not the head that the translation suggests, or it suggests none · 30 % sure"
    assert view["svg"].startswith("<svg")
    assert view["pair"] == ""
    for n in ("4", "-1", "", "x", "1e3", "²", "99999999999"):
        assert client.get(f"/api/sentence?n={n}".replace("²", "%C2%B2"))[0] == 404


def test_edits(client: Client, review: Review):
    status, answer = client.edit(0, 0, "head", word=4, head=3)
    assert status == 200
    assert answer["told"] == "karen (4) is now attached to ga (3)"
    assert answer["sentence"]["heads"] == [3, 3, 0, 3]
    assert answer["sentence"]["version"] == 1
    assert answer["items"]["0"]["hand"] == 1
    assert answer["document"]["undo"] is True
    status, answer = client.edit(0, 1, "head", word=3, head=1)
    assert status == 409
    assert answer["offer"] == "swap"
    assert answer["error"].startswith("that would make a cycle")
    status, answer = client.edit(0, 1, "head", word=3, head=1, fix=True)
    assert (status, answer["word"]) == (200, 3)
    assert client.edit(0, 2, "relation", word=1, relation="parataxis")[1]["told"] == "ni (1) is now parataxis"
    status, answer = client.edit(0, 2, "gold", gold=True)
    assert status == 409
    assert "changed elsewhere" in answer["error"]
    assert answer["sentence"]["version"] == 3  # how it is now
    assert client.edit(0, 3, "gold", gold=True)[1]["sentence"]["gold"] is True
    assert client.post("/api/undo")[1]["told"] == "undone: marked gold"
    assert client.post("/api/redo")[1]["told"] == "done again: marked gold"
    status, answer = client.post("/api/save")
    assert (status, answer["told"]) == (200, f"written: {review.output}")
    assert review.output.read_bytes() == review.session.render()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"n": 0},
        {"n": "0", "version": 0, "kind": "head", "word": 4, "head": 3},
        {"n": True, "version": 0, "kind": "head", "word": 4, "head": 3},
        {"n": 0, "version": 0, "kind": "head", "word": 4.0, "head": 3},
        {"n": 0, "version": 0, "kind": "head", "word": 4},
        {"n": 0, "version": 0, "kind": "head", "word": 4, "head": 3, "relation": 5},
        {"n": 0, "version": 0, "kind": "relation", "word": 4, "relation": ["x"]},
        {"n": 0, "version": 0, "kind": "gold", "gold": 1},
        {"n": 0, "version": 0, "kind": "delete"},
        {"n": 0, "version": 0, "kind": ["head"]},
    ],
)
def test_bodies_that_make_no_sense(client: Client, review: Review, body: Any):
    status, answer = client.post("/api/edit", body)
    assert status == 400
    assert answer["error"]
    assert review.session.render() == TEXT.encode()


@pytest.mark.parametrize("data", [b"", b"[]", b"3", b"null", b"{", b"\xff", b"[" * 60_000, b'{"n":1e999}', b'"x"'])
def test_bodies_that_are_no_object(client: Client, data: bytes):
    status, answer = client.post("/api/edit", data)
    assert status == 400
    assert answer["error"]


EVERYWHERE = [("GET", "/"), ("GET", "/api/document"), ("GET", "/api/sentence?n=0"), ("GET", "/api/job"), ("GET", "/nowhere")]
EVERYWHERE += [("POST", f"/api/{name}") for name in ("edit", "undo", "redo", "save", "learn", "stop", "nothing")]
EVERYWHERE += [(method, "/api/document") for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "HEAD", "TRACE")]


@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
def test_every_request_needs_token_host_and_origin(client: Client, method: str, path: str):
    def ask(**other: str | None) -> tuple[int, Any]:
        mark = "&" if "?" in path else "?"
        full = path + (f"{mark}token={client.token}" if path == "/" and "X_Review_Token" not in other else "")
        headers = client.headers(Content_Length="2" if method == "POST" else None, **other)
        status, _, data = client.raw(method, full, headers, b"{}" if method == "POST" else None)
        return status, data

    assert ask()[0] != 403
    for other, why in (
        ({"X_Review_Token": None}, "the token is missing or wrong"),
        ({"X_Review_Token": client.token[:-1]}, "the token"),
        ({"X_Review_Token": client.token + "A"}, "the token"),
        ({"X_Review_Token": "\u00e9".encode().decode("latin-1")}, "the token"),
        ({"Host": None}, "this server has another name"),
        ({"Host": "evil.example"}, "another name"),
        ({"Host": f"evil.example:{client.port}"}, "another name"),
        ({"Host": "127.0.0.1"}, "another name"),
        ({"Host": f"localhost:{client.port}"}, "another name"),
        ({"Origin": "http://evil.example"}, "requests from another origin are not accepted"),
        ({"Origin": "null"}, "another origin"),
        ({"Origin": f"https://127.0.0.1:{client.port}"}, "another origin"),
        ({"Origin": f"http://127.0.0.1:{client.port}.evil.example"}, "another origin"),
        ({"Sec_Fetch_Site": "cross-site"}, "requests from another site are not accepted"),
        ({"Sec_Fetch_Site": "same-site"}, "another site"),
    ):
        status, data = ask(**other)
        assert status == 403, other
        if method != "HEAD":
            assert why in data["error"]
    if method == "POST":
        assert ask(Origin=None)[0] == 403


def test_a_file_of_ours_may_lead_to_the_page_and_to_nothing_else(tmp_path: Path):
    """Browsers call a way from a file to a server cross-site."""
    with serving(reviewed(tmp_path)) as server:
        client = Client(server.url)

        def ask(path: str) -> int:
            return client.raw("GET", path, client.headers(Origin=None, Sec_Fetch_Site="cross-site"))[0]

        assert ask(f"/?token={client.token}") == 403
        with server.leading_file(tmp_path / "nowhere") as path:
            assert f'content="0; url={server.url}"' in path.read_text()
        assert not path.exists()
        assert ask(f"/?token={client.token}") == 200
        assert ask("/?token=wrong") == ask("/") == ask("/api/document") == 403
        assert client.post("/api/undo", Sec_Fetch_Site="cross-site")[0] == 403


def test_the_token_of_the_address_is_no_token_for_the_rest(client: Client):
    status, _, _ = client.raw("GET", f"/api/document?token={client.token}", {"Host": client.host})
    assert status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/trees.conllu", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/api/../trees.conllu", "/api/document/",
        "/api/sentence/../document", "/.", "/api", "/static/review.js", "file:///etc/passwd", "http://evil.example/", "/\\..\\x", "*",
        "/api/document%00", "//[", "/api/%64ocument",
    ],
)  # fmt: skip
def test_there_are_no_other_paths(client: Client, path: str):
    status, answer = client.get(path)
    assert (status, answer["error"]) == (404, "there is nothing here")
    assert client.post(path)[0] == 404


def test_a_query_cannot_name_a_file(client: Client):
    assert client.get("/api/sentence?n=../../etc/passwd")[0] == 404
    assert client.get("/api/sentence?n=0&path=/etc/passwd")[1]["id"] == "a1"
    assert client.get("/api/sentence?" + "&".join(f"a{k}=1" for k in range(50)))[0] == 404


def test_wrong_methods(client: Client):
    assert client.get("/api/edit") == (405, {"error": "POST expected"})
    assert client.post("/api/document") == (405, {"error": "GET expected"})
    assert client.post("/") == (405, {"error": "GET expected"})
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
        status, headers, data = client.raw(method, "/api/document", client.headers())
        assert (status, headers["Allow"], data) == (405, "GET, POST", {"error": "GET or POST expected"})
        assert "Access-Control-Allow-Methods" not in headers
    assert client.raw("HEAD", "/api/document", client.headers())[0] == 405
    assert client.raw("BREW", "/", client.headers())[0] == 501


def test_content_types_and_sizes(client: Client, review: Review):
    for kind in (None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"):
        assert client.post("/api/undo", {}, Content_Type=kind) == (415, {"error": "application/json expected"})
    assert client.post("/api/undo", {}, Content_Type="Application/JSON; charset=utf-8")[0] == 409
    for size in (None, "-1", "x", "١"):
        other = {"Content_Length": size.encode().decode("latin-1") if size else None}
        assert client.post("/api/undo", {}, **other)[0] == 411
    assert client.post("/api/undo", {}, Content_Length=None, Transfer_Encoding="chunked")[0] == 411
    for size in (str(LARGEST + 1), "9" * 30):
        assert client.post("/api/undo", b"", Content_Length=size) == (413, {"error": f"at most {LARGEST} bytes expected"})
    assert client.post("/api/edit", b" " * LARGEST)[0] == 400
    assert client.raw("GET", "/" + "a" * 70_000, client.headers())[0] == 414
    assert review.session.render() == TEXT.encode()


def test_a_body_is_not_taken_for_the_next_request(client: Client):
    smuggled = f"GET /api/document HTTP/1.1\r\nHost: {client.host}\r\nX-Review-Token: {client.token}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=120) as line:
        start = f"POST /api/undo HTTP/1.1\r\nHost: {client.host}\r\nContent-Length: {len(smuggled)}\r\n\r\n"
        line.sendall(start.encode() + smuggled)
        received = b""
        while chunk := line.recv(65536):
            received += chunk
    assert received.count(b"HTTP/1.1") == 1
    assert b"403" in received


@pytest.mark.parametrize(
    "start", [b"GET / HTTP/1.1\r\nX: ", b"POST /api/undo HTTP/1.1\r\nHost: {}\r\nX-Review-Token: {}\r\nOrigin: http://{}\r\n"]
)
def test_a_request_that_trickles_is_left(client: Client, monkeypatch: pytest.MonkeyPatch, start: bytes):
    """Headers or a body of which a byte comes now and then; the time between two bytes alone was limited."""
    monkeypatch.setattr(http, "LONGEST", 1)
    head = start
    if start.startswith(b"POST"):
        head = start.decode().format(client.host, client.token, client.host).encode()
        head += b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=120) as line:
        line.sendall(head)
        with pytest.raises(OSError):  # noqa: PT012  closed by the server, sooner or later
            for _ in range(5000):
                line.sendall(b" ")
                time.sleep(0.02)
    assert client.get("/api/document")[0] == 200


def test_only_this_machine_and_a_token_of_its_own(review: Review):
    with serving(review) as one, serving(review) as two:
        assert one.server_address[0] == "127.0.0.1"
        assert one.token != two.token
        assert len(one.token) >= 32
        assert Client(one.url).raw("GET", f"/?token={two.token}", {"Host": Client(one.url).host})[0] == 403
        with pytest.raises(ProjError, match=rf"127.0.0.1:{one.server_port}: cannot listen: .*; choose another `port`"):
            Server(review, one.server_port)


def test_hostile_text_is_only_text(tmp_path: Path):
    review = reviewed(tmp_path, HOSTILE)
    with serving(review) as server:
        client = Client(server.url)
        _, view = client.get("/api/sentence?n=0")
        raw = json.dumps(client.get("/api/document")[1])
    assert MARKS[0] in raw
    assert not any(mark in view["svg"] for mark in MARKS)
    drawn = list(ElementTree.fromstring(view["svg"]).iter())
    assert {element.tag.rpartition("}")[2] for element in drawn} <= {"svg", "g", "rect", "text", "tspan", "title", "path"}
    assert not any(name.startswith("on") or "href" in name for element in drawn for name in element.attrib)


def test_a_hostile_file_name(tmp_path: Path):
    session = session_of(TEXT, "<script>alert(1)</script>{{keys}}.conllu")
    with serving(Review(session, tmp_path / "o.conllu")) as server:
        client = Client(server.url)
        page = client.raw("GET", f"/?token={client.token}", {"Host": client.host})[2].decode()
    assert "<script>alert(1)" not in page
    assert "script&gt;{{keys}}.conllu" in page


def wait_until(happens: Callable[[], object]) -> None:
    """As long as a busy machine may need."""
    for _ in range(12_000):
        if happens():
            return
        time.sleep(0.01)
    raise AssertionError("waited in vain")


def test_the_file_is_written_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WRITE_DELAY", 0.01)
    review = reviewed(tmp_path)
    review.session.set_gold(0, True)
    wait_until(review.output.exists)
    assert review.output.read_bytes() == review.session.render()
    review.close()


def test_a_file_that_cannot_be_written_is_told_and_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WRITE_DELAY", 0.01)
    session = session_of()
    review = Review(session, tmp_path / "no" / "out.conllu")
    session.set_gold(0, True)
    wait_until(lambda: review.error)
    with serving(review) as server:
        client = Client(server.url)
        assert "not written: " in client.get("/api/document")[1]["saved"]["error"]
        assert client.post("/api/save")[0] == 507
        (tmp_path / "no").mkdir()
        wait_until(lambda: not review.error)
        assert client.get("/api/document")[1]["saved"]["error"] == ""
    assert review.output.read_bytes() == session.render()


def test_learning_without_anything_to_learn_with(client: Client):
    status, answer = client.post("/api/learn")
    assert status == 409
    assert answer["error"].startswith("only correction is possible")
    assert client.post("/api/stop")[0] == 200
    assert client.get("/api/job") == (200, {"job": {"state": "idle", "told": "", "done": 0, "total": 0}})


def test_learning(tmp_path: Path):
    pairs = list(Corpus.at(folder("corpora") / "hin-eng"))
    session, bitexts = projected(pairs)
    correct(session, pairs, range(12))
    review = Review(
        session, tmp_path / "o.conllu", learner=AdaptingLearner(), sentences=ProjectionInputs(bitexts), name="the review"
    )
    with serving(review) as server:
        client = Client(server.url)
        found = client.get("/api/document")[1]
        assert found["learn"] == {"possible": True, "told": "the review learns from the sentences marked gold"}
        assert found["known"]["told"].startswith("In the 54 sentences that nobody has corrected, about ")
        assert found["known"]["told"].endswith("of the heads are right (12 gold sentences)")
        assert found["differing"] == 0
        assert client.get("/api/changes") == (200, {"changes": []})
        chosen = client.get("/api/next")[1]
        assert chosen["n"] == chosen["order"][0] >= 12
        assert chosen["why"]
        assert sorted(chosen["order"]) == list(range(66))
        assert client.get("/api/sentence?n=0")[1]["pair"].startswith("<svg")
        status, answer = client.post("/api/learn")
        assert (status, answer["job"]["state"]) == (200, "running")
        assert client.get("/api/sentence?n=5")[0] == 200  # it answers meanwhile
        assert review.job is not None
        review.job.wait(600)
        assert client.get("/api/job")[1]["job"]["told"].startswith("checked on 12 gold sentences that it had not seen, ")
        changes = client.get("/api/changes")[1]["changes"]
        assert client.get("/api/document")[1]["differing"] == len(changes) > 1
        assert client.get("/api/document")[1]["known"]["curve"].startswith("<svg")
        assert changes[0]["heads"][0]["old"] != changes[0]["heads"][0]["new"]
        n = changes[0]["n"]
        status, answer = client.post("/api/refuse", {"n": n})
        assert (status, answer["told"]) == (200, "the tree before learning is back")
        assert client.post("/api/refuse", {"n": n})[1]["error"] == "this tree is not one of the latest learning"
        assert client.post("/api/refuse", {"n": "x"})[1]["error"] == "n is a whole number"
        assert client.post("/api/undo")[0] == 200
        status, answer = client.post("/api/undo")
        assert (status, answer["told"], answer["items"]) == (200, "undone: the review learned from 12 sentences", {})
        assert "sentence" not in answer
    review.close()
    assert (tmp_path / "o.conllu").read_bytes() == session.render()


def test_learning_twice_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bitext = ProjectionInput(("to",), DepTree(("well",), (0,)), Links(frozenset(), (1, 1)))
    review = reviewed(tmp_path, learner=ProjectionLearner(), sentences=ProjectionInputs({2: bitext}), name="s2+")
    assert review.job is not None
    monkeypatch.setattr(review.job, "start", lambda: False)
    with serving(review) as server:
        assert Client(server.url).post("/api/learn") == (409, {"error": "learning is at work already"})


def test_a_bug_stays_a_traceback(review: Review, capfd: pytest.CaptureFixture[str]):
    with serving(review) as server:
        try:
            raise EditError("a bug")
        except EditError:
            server.handle_error(None, ("127.0.0.1", 1))
        assert "EditError: a bug" in capfd.readouterr().err
        try:
            raise ConnectionResetError
        except OSError:
            server.handle_error(None, ("127.0.0.1", 1))
        assert capfd.readouterr().err == ""


def test_edits_of_every_kind_and_what_makes_no_sense(tmp_path: Path):
    review = reviewed(tmp_path)
    with serving(review) as server:
        client = Client(server.url)
        for version, (kind, fields) in enumerate(
            [
                ("cells", {"word": 4, "values": {"upos": "PROPN"}}),
                ("comment", {"key": "note", "text": "sic"}),
                ("state", {"state": "second", "annotator": "Ana"}),
                ("links", {"links": [[1, 1]]}),
                ("split word", {"word": 4, "parts": ["kar", "en"]}),
                ("token", {"word": 4, "last": 5, "form": "karen"}),
                ("no token", {"word": 4}),
                ("join words", {"word": 4, "form": "karen"}),
                ("keep", {}),
                ("take", {"at": 0, "drop": True}),
                ("split sentence", {"word": 4}),
                ("join sentences", {}),
            ]
        ):
            status, data = client.edit(0, version, kind, **fields)
            assert (status, data["sentence"]["version"]) == (200, version + 1), kind
        for kind, fields, why in (
            ("cells", {"word": 1, "values": "x"}, "values is an object of texts"),
            ("split word", {"word": 1, "parts": "x"}, "parts is a list of texts"),
            ("links", {"links": [[1]]}, "links is a list of pairs of numbers"),
            ("nonsense", {}, "kind is head, relation, gold, cells"),
        ):
            status, data = client.edit(0, 12, kind, **fields)
            assert status == 400
            assert data["error"].startswith(why)
        assert client.get("/api/types") == (409, {"error": "words at once need a text with glosses"})
        assert client.post("/api/types/answers", {"answers": {}})[0] == 409
        query = {"query": "upos=AUX", "changes": "lemma=x"}
        status, data = client.post("/api/replace", query)
        assert (status, data["words"], data["sentences"], data["gold"]) == (200, 2, 2, 0)
        assert data["rows"][0]["changes"] == [{"word": 2, "form": "na", "old": "_", "new": "x"}]
        assert client.post("/api/replace", {**query, "do": True, "stamp": -1})[0] == 409
        assert client.post("/api/replace", {"query": "upos=", "changes": ""})[0] == 409
        status, answer = client.post("/api/replace", {**query, "do": True, "stamp": data["stamp"]})
        assert (status, answer["told"]) == (200, "lemma=x where upos=AUX: 2 sentences")
        assert client.post("/api/undo")[1]["told"] == "undone: lemma=x where upos=AUX: 2 sentences"
        review.session.set_relation(0, 1, "aux")
        status, data = client.edit(0, 15, "gold", gold=True)
        assert (status, data["offer"], data["offered"]) == (409, "gold", "Mark it gold all the same")
        assert client.edit(0, 15, "state", state="gold", fix=True)[0] == 200
    review.close()
