"""The workbench's server: the same checks of host, origin and token as a review's, other things to ask for."""

from __future__ import annotations

from http import HTTPStatus
from subprocess import SubprocessError

from divproj.data.errors import ProjError
from divproj.drawing.workbench import page
from divproj.review import http
from divproj.review.http import Act, Answer, Fields, PageHandler, PageServer, text
from divproj.review.workbench import LARGEST, Workbench, decoded


def _export(bench: Workbench, fields: Fields) -> Answer:
    name, trees = bench.export(text(fields, "name"))
    return HTTPStatus.OK, {"name": name, "text": trees}


GETS: dict[str, Act] = {
    "/api/state": lambda bench, _: (HTTPStatus.OK, bench.state()),
    "/api/divergence": lambda bench, fields: (HTTPStatus.OK, bench.divergence(text(fields, "name"))),
    "/api/rules": lambda bench, _: (HTTPStatus.OK, {"rules": bench.rules()}),
    "/api/export": _export,
}
POSTS: dict[str, Act] = {
    "/api/add": lambda bench, fields: (HTTPStatus.OK, {"told": bench.add(text(fields, "name"), decoded(fields.get("data")))}),
    "/api/project": lambda bench, fields: (HTTPStatus.OK, {"told": bench.project(text(fields, "name"))}),
    "/api/open": lambda bench, fields: (HTTPStatus.OK, {"url": bench.open(text(fields, "name"))}),
    "/api/learn": lambda bench, _: (HTTPStatus.OK, {"told": bench.learn()}),
    "/api/find": lambda bench, fields: (HTTPStatus.OK, bench.find(text(fields, "query"))),
}


class WorkbenchHandler(PageHandler):
    """Asks a workbench, to which files may be sent."""

    server: WorkbenchServer
    gets, posts = GETS, POSTS
    leads_here = True

    @property
    def largest(self) -> int:
        return LARGEST * 4 // 3 + http.LARGEST if self.path == "/api/add" else http.LARGEST

    def act(self, act: Act, fields: Fields) -> Answer:
        try:
            return act(self.server.bench, fields)
        except ProjError as error:
            return HTTPStatus.CONFLICT, {"error": str(error)}
        except (OSError, SubprocessError) as error:
            return HTTPStatus.INSUFFICIENT_STORAGE, {"error": str(error)}


class WorkbenchServer(PageServer):
    """Serves a workbench; `url` is the address to open."""

    def __init__(self, bench: Workbench, port: int = 0) -> None:
        self.bench = bench
        super().__init__(page(bench.folder.resolve().name), port, WorkbenchHandler)
        bench.home = self.url
