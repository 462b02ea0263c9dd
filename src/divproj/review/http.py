"""Serve one page to one person on 127.0.0.1.

Every request must name this host, carry the token and come from this origin. The only paths are `/` and those of `gets` and
`posts`; none of them gives access to a file.
"""

from __future__ import annotations

import hmac
import io
import json
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from divproj.core.errors import ProjError, Where
from divproj.drawing.review import Page
from divproj.runtime.leftovers import new_folder

HOST = "127.0.0.1"
LARGEST = 64 << 10
"""Bytes of a request's body."""
PATIENCE = 30
"""Seconds a client may be silent in the middle of a request."""
OPENING = "proj-review-"
"""How the name begins of the folder with the file that the browser opens; a hidden one could not be read by all browsers."""
LONGEST = 60
"""Seconds until a request must have arrived, however it trickles."""
JSON = "application/json"
Answer = tuple[HTTPStatus, dict[str, Any]]
Fields = Mapping[str, Any]
Act = Callable[[Any, Fields], Answer]
"""The handler of a path: called with the served object and the fields of the request."""


class PageServer(ThreadingHTTPServer):
    """Serves a page; `url` is the address to open."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, page: Page, port: int, handler: type[PageHandler]) -> None:
        self.page = page
        self.opened = False
        """Whether a file of ours (`leading_file`) leads to the page."""
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((HOST, port), handler)
        except OSError as error:
            raise ProjError(f"cannot listen: {error.strerror}", Where(f"{HOST}:{port}"), "choose another `port`") from None

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/?token={self.token}"

    @contextmanager
    def leading_file(self, folder: Path) -> Iterator[Path]:
        """Write a page that leads to this one, which only the user can read: in the folder or, if need be, a temporary one."""
        with ExitStack() as opened:
            try:
                place = opened.enter_context(new_folder(folder.absolute(), OPENING))
            except OSError:
                place = opened.enter_context(new_folder(Path(tempfile.gettempdir()), OPENING))
            path, url = place / "review.html", escape(self.url)
            path.touch(0o600)
            path.write_text(
                f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}">\n<a href="{url}">Open</a>\n',
                encoding="utf-8",
            )
            self.opened = True
            yield path

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; print the traceback of other errors."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _DeadlineStream(io.RawIOBase):
    """The bytes of a connection, which have until `deadline` to arrive."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.deadline = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        usual = self.connection.gettimeout() or float(PATIENCE)
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self.connection.settimeout(min(usual, left))
        try:
            return self.connection.recv_into(buffer)
        finally:
            self.connection.settimeout(usual)


class PageHandler(BaseHTTPRequestHandler):
    """Checks host, origin and token of a request, then calls the handler of its path."""

    server: PageServer
    gets: Mapping[str, Act] = {}
    posts: Mapping[str, Act] = {}
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "divproj", ""

    def setup(self) -> None:
        super().setup()
        self.arriving = _DeadlineStream(self.connection)
        self.rfile.close()
        self.rfile = io.BufferedReader(self.arriving)

    def handle_one_request(self) -> None:
        """Handle a request, with a deadline for clients that send very slowly."""
        self.arriving.deadline = time.monotonic() + LONGEST
        super().handle_one_request()

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        try:
            fields = parse_qs(query, max_num_fields=8)
        except ValueError:
            fields = {}
        if not self._authorise(fields.get("token", [""])[0] if path == "/" else self.headers.get("X-Review-Token", "")):
            return
        if path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page.html.encode("utf-8", "replace"))
        elif path in self.gets:
            self._answer(self.gets[path], {name: values[0] for name, values in fields.items()})
        elif path in self.posts:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "POST expected", {"Allow": "POST"})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_POST(self) -> None:
        if not self._authorise(self.headers.get("X-Review-Token", ""), posting=True):
            return
        path = self.path.partition("?")[0]
        if path not in self.posts:
            known = path == "/" or path in self.gets
            status = HTTPStatus.METHOD_NOT_ALLOWED if known else HTTPStatus.NOT_FOUND
            self._refuse(status, "GET expected" if known else "there is nothing here", {"Allow": "GET"} if known else {})
            return
        fields = self._body()
        if fields is not None:
            self._answer(self.posts[path], fields)

    def _other(self) -> None:
        if self._authorise(self.headers.get("X-Review-Token", "")):
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "GET or POST expected", {"Allow": "GET, POST"})

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = do_TRACE = do_CONNECT = _other  # noqa: N815

    def _authorise(self, token: str, *, posting: bool = False) -> bool:
        """Check host, origin and token; if one is wrong, send an error and return False."""
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
        """What else `Sec-Fetch-Site` may say: another port of this host, or a file, that knows the token may lead to the page itself."""
        if self.command != "GET" or self.path.partition("?")[0] != "/":
            return ()
        return ("same-site",) * self.leads_here + ("cross-site",) * self.server.opened

    @property
    def leads_here(self) -> bool:
        """Whether another page of ours leads to this one."""
        return False

    @property
    def largest(self) -> int:
        """Bytes of the body of this request."""
        return LARGEST

    def _body(self) -> dict[str, Any] | None:
        """Return the JSON object of a request; if there is none, send an error and return None."""
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
        if len(size) > 9 or int(size) > self.largest:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {self.largest} bytes expected"
        return None

    def _answer(self, act: Act, fields: Fields) -> None:
        try:
            status, data = self.act(act, fields)
        except ValueError as error:
            status, data = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        self._send(status, JSON, json.dumps(data).encode("utf-8", "replace"))

    def act(self, act: Act, fields: Fields) -> Answer:
        """Do what a path is for; a ValueError says what is wrong with the fields."""
        raise NotImplementedError

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


def whole(fields: Fields, name: str) -> int:
    """Return a field that must be a whole number."""
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} is a whole number")
    return value


def text(fields: Fields, name: str) -> str:
    """Return a text field; '' if it is missing."""
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is text")
    return value
