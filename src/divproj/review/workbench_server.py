"""The workbench's server: the same checks of host, origin and token as a review's, other things to ask for."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from subprocess import SubprocessError
from typing import Any
from urllib.parse import parse_qs

from divproj.data.errors import ProjError, Where
from divproj.drawing.workbench import page
from divproj.review.server import HOST, JSON, Handler, Server
from divproj.review.workbench import LARGEST, Answer, Workbench, as_json, decoded

Fields = Mapping[str, Any]
OK = HTTPStatus.OK


def _export(bench: Workbench, fields: Fields) -> Answer:
    name, text = bench.export(_text(fields, "name"))
    return OK, {"name": name, "text": text}


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is text")
    return value


Act = Callable[[Workbench, Fields], Answer]
GETS: dict[str, Act] = {
    "/api/state": lambda bench, _: (OK, bench.state()),
    "/api/divergence": lambda bench, fields: (OK, bench.divergence(_text(fields, "name"))),
    "/api/rules": lambda bench, _: (OK, {"rules": bench.rules()}),
    "/api/export": _export,
}
POSTS: dict[str, Act] = {
    "/api/add": lambda bench, fields: (OK, {"told": bench.add(_text(fields, "name"), decoded(fields.get("data")))}),
    "/api/project": lambda bench, fields: (OK, {"told": bench.project(_text(fields, "name"))}),
    "/api/open": lambda bench, fields: (OK, {"url": bench.open(_text(fields, "name"))}),
    "/api/learn": lambda bench, _: (OK, {"told": bench.learn()}),
    "/api/find": lambda bench, fields: (OK, bench.find(_text(fields, "query"))),
}


class WorkbenchServer(Server):
    """Serves a workbench; `url` is the address to open."""

    def __init__(self, bench: Workbench, port: int = 0) -> None:
        self.bench = bench
        self.token = secrets.token_urlsafe(24)
        self.page = page(bench.folder.resolve().name)
        try:
            ThreadingHTTPServer.__init__(self, (HOST, port), WorkbenchHandler)
        except OSError as error:
            raise ProjError(f"cannot listen: {error.strerror}", Where(f"{HOST}:{port}"), "choose another `port`") from None
        bench.home = self.url


class WorkbenchHandler(Handler):
    """Checks as a review does."""

    server: WorkbenchServer
    largest = LARGEST * 4 // 3 + (64 << 10)

    def do_GET(self) -> None:  # noqa: N802
        path, _, query = self.path.partition("?")
        try:
            fields = parse_qs(query, max_num_fields=8)
        except ValueError:
            fields = {}
        if not self._trusted(fields.get("token", [""])[0] if path == "/" else self.headers.get("X-Review-Token", "")):
            return
        if path == "/":
            self._send(OK, "text/html; charset=utf-8", self.server.page.html.encode("utf-8", "replace"))
        elif path in GETS:
            self._answer(GETS[path], {name: values[0] for name, values in fields.items()})
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")

    def do_POST(self) -> None:  # noqa: N802
        if not self._trusted(self.headers.get("X-Review-Token", ""), posting=True):
            return
        path = self.path.partition("?")[0]
        if path not in POSTS:
            self._refuse(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        fields = self._body()
        if fields is not None:
            self._answer(POSTS[path], fields)

    @property
    def _neighbours(self) -> tuple[str, ...]:
        """A review leads back to the page."""
        return ("same-site",) if self.command == "GET" and self.path.partition("?")[0] == "/" else ()

    def _answer(self, act: Act, fields: Fields) -> None:
        try:
            status, data = act(self.server.bench, fields)
        except ValueError as error:
            status, data = HTTPStatus.BAD_REQUEST, {"error": str(error)}
        except ProjError as error:
            status, data = HTTPStatus.CONFLICT, {"error": str(error)}
        except (OSError, SubprocessError) as error:
            status, data = HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}
        self._send(status, JSON, as_json(data))

    def _fault(self) -> tuple[HTTPStatus, str] | None:
        size = self.headers.get("Content-Length", "")
        if self.path == "/api/add" and size.isascii() and size.isdecimal() and len(size) <= 9 and int(size) <= self.largest:
            kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind == JSON and "Transfer-Encoding" not in self.headers:
                return None
        return super()._fault()
