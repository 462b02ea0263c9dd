"""The page's server: one file, one person, on 127.0.0.1 alone.

Every request must name this host, bear the token and come from this origin; there are no paths but `/` and those of
`GETS` and `POSTS`, and none leads to a file.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from divproj.data.errors import ProjError, Where
from divproj.drawing.review import page
from divproj.review.examples import Learner, ProjectionInputs
from divproj.review.retrain import Job
from divproj.review.session import Change, EditError, Session
from divproj.review.settings import WRITE_DELAY
from divproj.review.views import changes, choice, item, known, sentence_view, word_of

HOST = "127.0.0.1"
LARGEST = 64 << 10
"""Bytes of a request's body."""
PATIENCE = 30
"""Seconds a client may be silent in the middle of a request."""
JSON = "application/json"
Answer = tuple[HTTPStatus, dict[str, Any]]
Fields = Mapping[str, Any]


class Review:
    """A session with a file to save it to, and perhaps something to learn with."""

    home = ""
    """The address of the workbench that the review was opened from."""

    def __init__(
        self,
        session: Session,
        output: Path,
        *,
        learner: Learner | None = None,
        bitexts: ProjectionInputs | None = None,
        name: str = "",
        why_not: str = "",
    ) -> None:
        self.session, self.output = session, output
        self.title = Path(session.document.path).name
        self.bitexts = bitexts or ProjectionInputs()
        self.job = Job(session, learner, self.bitexts, name) if learner and self.bitexts else None
        self.why_not = why_not or "only correction is possible: there are no trees of the translations to learn with"
        self.error = ""
        self._dirty, self._ended = threading.Event(), threading.Event()
        self._saving = threading.Lock()
        session.changed = self._dirty.set
        self._saver = threading.Thread(target=self._save_soon, name="saving", daemon=True)
        self._saver.start()

    def save(self) -> None:
        """Write the file now."""
        with self._saving:
            self._dirty.clear()
            try:
                self.session.save(self.output)
            except ProjError as error:
                self.error = f"not written: {error}"
                raise
            self.error = ""

    def _save_soon(self) -> None:
        while not self._ended.is_set():
            self._dirty.wait()
            if self._ended.wait(WRITE_DELAY):
                return
            try:
                self.save()
            except ProjError:  # the page says so; the journal has every change
                self._ended.wait(10 * WRITE_DELAY)
                self._dirty.set()

    def close(self) -> None:
        """Stop learning and write the file."""
        if self.job:
            self.job.stop()
        self._ended.set()
        self._dirty.set()
        self.save()

    # What the page may ask for.

    def document(self, _: Fields) -> Answer:
        session = self.session
        with session.lock:
            return HTTPStatus.OK, {
                **self._summary(),
                "title": self.title,
                "order": session.order(),
                "gain": choice(session)["order"],
                "sentences": [item(session, n) for n in range(len(session))],
                "relations": session.relations(),
                "job": self._status(),
            }

    def sentence(self, fields: Fields) -> Answer:
        n = fields["n"]
        if not n.isascii() or not n.isdecimal() or len(n) > 9 or int(n) >= len(self.session):
            return HTTPStatus.NOT_FOUND, {"error": "there is no such sentence"}
        return HTTPStatus.OK, self._view(int(n))

    def progress(self, _: Fields) -> Answer:
        return HTTPStatus.OK, {"job": self._status()}

    def differing(self, _: Fields) -> Answer:
        """What the latest learning changed."""
        with self.session.lock:
            return HTTPStatus.OK, {"changes": changes(self.session)}

    def choose(self, _: Fields) -> Answer:
        """The sentence that it pays most to correct next, and why."""
        with self.session.lock:
            return HTTPStatus.OK, choice(self.session)

    # What the page may do.

    def edit(self, fields: Fields) -> Answer:
        session = self.session
        n, seen = _whole(fields, "n"), _whole(fields, "version")
        kind = fields.get("kind")
        if kind == "head":
            word, head = _whole(fields, "word"), _whole(fields, "head")
            mend = fields.get("mend") is True
            return self._done(n, session.set_head(n, word, head, _text(fields, "relation"), mend=mend, seen=seen), word)
        if kind == "relation":
            word = _whole(fields, "word")
            return self._done(n, session.set_relation(n, word, _text(fields, "relation"), seen=seen), word)
        if kind == "gold" and isinstance(fields.get("gold"), bool):
            return self._done(n, session.set_gold(n, fields["gold"], seen=seen), 0)
        raise ValueError("kind is head, relation or gold")

    def refuse(self, fields: Fields) -> Answer:
        """Put back the tree that a sentence had before the latest learning."""
        n = _whole(fields, "n")
        return self._done(n, self.session.refuse(n), 0)

    def undo(self, _: Fields) -> Answer:
        return self._done(None, self.session.undo(), 0, "undone: ")

    def redo(self, _: Fields) -> Answer:
        return self._done(None, self.session.redo(), 0, "done again: ")

    def save_now(self, _: Fields) -> Answer:
        self.save()
        return HTTPStatus.OK, {"told": f"written: {self.output}", "document": self._summary()}

    def learn(self, _: Fields) -> Answer:
        if self.job is None:
            return HTTPStatus.CONFLICT, {"error": self.why_not}
        if not self.job.start():
            return HTTPStatus.CONFLICT, {"error": "learning is at work already"}
        return HTTPStatus.OK, {"told": "learning has begun", "job": self._status()}

    def stop(self, _: Fields) -> Answer:
        if self.job:
            self.job.stop()
        return HTTPStatus.OK, {"told": "stopping", "job": self._status()}

    # Parts of answers.

    def refused(self, error: EditError, fields: Fields) -> Answer:
        """Why an edit cannot be made, the way to mend it, and the sentence anew for one that saw an old one."""
        more: dict[str, Any] = {"sentence": self._view(fields["n"])} if error.stale else {}
        return HTTPStatus.CONFLICT, {"error": str(error), "offer": error.offer, "offered": error.offered, **more}

    def _done(self, n: int | None, change: Change, word: int, before: str = "") -> Answer:
        few = change.op != "learn"
        if n is None and few:
            n = next(iter(change.after), None)
        return HTTPStatus.OK, {
            "told": before + change.told,
            "word": word or word_of(change),
            "items": {k: item(self.session, k) for k in change.after} if few else {},
            "document": self._summary(),
            **({"sentence": self._view(n)} if n is not None else {}),
        }

    def _view(self, n: int) -> dict[str, Any]:
        with self.session.lock:
            return sentence_view(self.session, n, self.bitexts.found.get(n))

    def _summary(self) -> dict[str, Any]:
        session = self.session
        job = self.job
        told = f"{job.name} learns from the sentences marked gold" if job else self.why_not
        return {
            "epoch": session.epoch,
            "undo": bool(session.history),
            "redo": bool(session.undone),
            "learn": {"possible": job is not None, "told": told},
            "known": known(session, job.verdict if job else None),
            "differing": len(session.differing()),
            "saved": {"told": f"Saved as {self.output.name}", "error": self.error},
        }

    def _status(self) -> dict[str, Any]:
        return self.job.status if self.job else {"state": "idle", "told": "", "done": 0, "total": 0}


def _whole(fields: Fields, name: str) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} is a whole number")
    return value


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is text")
    return value


Act = Callable[[Review, Fields], Answer]
GETS: dict[str, tuple[Act, tuple[str, ...]]] = {
    "/api/document": (Review.document, ()),
    "/api/sentence": (Review.sentence, ("n",)),
    "/api/job": (Review.progress, ()),
    "/api/changes": (Review.differing, ()),
    "/api/next": (Review.choose, ()),
}
POSTS: dict[str, Act] = {
    "/api/edit": Review.edit,
    "/api/refuse": Review.refuse,
    "/api/undo": Review.undo,
    "/api/redo": Review.redo,
    "/api/save": Review.save_now,
    "/api/learn": Review.learn,
    "/api/stop": Review.stop,
}


class Server(ThreadingHTTPServer):
    """Serves a review; `url` is the address to open."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, review: Review, port: int = 0) -> None:
        self.review = review
        self.token = secrets.token_urlsafe(24)
        self.page = page(review.title, review.home)
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            raise ProjError(f"cannot listen: {error.strerror}", Where(f"{HOST}:{port}"), "choose another `port`") from None

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; a bug stays a traceback."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Checks first, then looks up what to do."""

    server: Server
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "divproj", ""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        try:
            fields = parse_qs(query, max_num_fields=8)
        except ValueError:
            fields = {}
        if not self._trusted(fields.get("token", [""])[0] if path == "/" else self.headers.get("X-Review-Token", "")):
            return
        if path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page.html.encode("utf-8", "replace"))
        elif path in GETS:
            act, names = GETS[path]
            self._act(act, {name: fields.get(name, [""])[0] for name in names})
        elif path in POSTS:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "POST expected", {"Allow": "POST"})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_POST(self) -> None:
        if not self._trusted(self.headers.get("X-Review-Token", ""), posting=True):
            return
        path = self.path.partition("?")[0]
        if path not in POSTS:
            known = path == "/" or path in GETS
            status = HTTPStatus.METHOD_NOT_ALLOWED if known else HTTPStatus.NOT_FOUND
            self._refuse(status, "GET expected" if known else "there is nothing here", {"Allow": "GET"} if known else {})
            return
        fields = self._body()
        if fields is not None:
            self._act(POSTS[path], fields)

    def _other(self) -> None:
        if self._trusted(self.headers.get("X-Review-Token", "")):
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "GET or POST expected", {"Allow": "GET, POST"})

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = do_TRACE = do_CONNECT = _other  # noqa: N815

    def _trusted(self, token: str, *, posting: bool = False) -> bool:
        """Host, origin and token; answers and gives False when one is wrong."""
        origin = self.headers.get("Origin")
        if self.headers.get_all("Host") != [self.server.origin.removeprefix("http://")]:
            why = "this server has another name"
        elif origin != self.server.origin and (posting or origin is not None):
            why = "requests from another origin are not accepted"
        elif self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin", *self._neighbours):
            why = "requests from another site are not accepted"
        elif not hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            why = "the token is missing or wrong"
        else:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, why)
        return False

    @property
    def _neighbours(self) -> tuple[str, ...]:
        """From a workbench, another port of this host that knows the token, the page itself may be opened too."""
        home = getattr(getattr(self.server, "review", None), "home", "")
        return ("same-site",) if home and self.command == "GET" and self.path.partition("?")[0] == "/" else ()

    def _body(self) -> dict[str, Any] | None:
        """The JSON object of a request; answers and gives None when there is none."""
        fault = self._fault()
        if fault is None:
            try:
                fields = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            except (ValueError, RecursionError):
                fields = None
            if isinstance(fields, dict):
                return fields
            fault = HTTPStatus.BAD_REQUEST, "a JSON object expected"
        self._refuse(*fault)
        return None

    def _fault(self) -> tuple[HTTPStatus, str] | None:
        """What is wrong with the headers that announce a body."""
        size = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type", "").partition(";")[0].strip().lower() != JSON:
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"{JSON} expected"
        if "Transfer-Encoding" in self.headers or not (size.isascii() and size.isdecimal()):
            return HTTPStatus.LENGTH_REQUIRED, "Content-Length expected"
        if len(size) > 9 or int(size) > LARGEST:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST} bytes expected"
        return None

    def _act(self, act: Act, fields: Fields) -> None:
        review = self.server.review
        try:
            status, data = act(review, fields)
        except EditError as error:
            status, data = review.refused(error, fields)
        except ValueError as error:
            status, data = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except ProjError as error:
            status, data = HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}
        self._send(status, JSON, json.dumps(data).encode())

    def _refuse(self, status: HTTPStatus, why: str, more: Mapping[str, str] | None = None) -> None:
        self.close_connection = True  # a body that was not read must not be taken for a request
        self._send(status, JSON, json.dumps({"error": why}).encode(), {"Connection": "close", **(more or {})})

    def _send(self, status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": self.server.page.policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            **(more or {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is logged: the address bears the token."""
