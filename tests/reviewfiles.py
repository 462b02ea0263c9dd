"""A small projected file to review, and a client for its server."""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from divproj import Pair
from divproj.io.trees import conllu
from divproj.projection.direct import ProjectionInput, s1
from divproj.projection.pipeline import annotate
from divproj.review.document import Document
from divproj.review.server import Review, Server
from divproj.review.session import Session
from divproj.runtime.resources import folder

TEXT = """\
# sent_id = a1
# text = ni na ga karen
# text_en = I saw the dog .
# speaker = Umma
# projection = s2+ coverage=1.00 links=4
1\tni\t_\tPRON\t_\t_\t3\tnsubj\t_\tGloss=1SG|Proj=projected|ProjConf=0.97
2-3\tnaga\t_\t_\t_\t_\t_\t_\t_\t_
2\tna\t_\tAUX\t_\t_\t3\taux\t_\tGloss=PFV|Proj=merge|ProjConf=0.41
3\tga\t_\tVERB\t_\t_\t0\troot\t_\tGloss=see|Proj=projected|ProjConf=0.88
4\tkaren\t_\tNOUN\t_\t_\t1\tobj\t_\tGloss=dog.DEF|SpaceAfter=No|Proj=guess|ProjConf=0.30

# sent_id = a2
# text_en = The rain stopped .
1\truwa\t_\tNOUN\t_\t_\t2\tnsubj\t2:nsubj\tGloss=rain|Proj=projected|ProjConf=0.99
2\tya\t_\tAUX\t_\t_\t3\taux\t_\tGloss=3M|Proj=spontaneous|ProjConf=0.95
3\ttsaya\t_\tVERB\t_\t_\t0\troot\t_\tGloss=stop|Proj=projected|ProjConf=0.93


# sent_id = a3
# gold = yes
1\tto\t_\tINTJ\t_\t_\t0\troot\t_\t_

# sent_id = a4
1\tsai\t_\t_\t_\t_\t2\tdep\t_\t_
2\tgobe\t_\t_\t_\t_\t7\tdep\t_\t_
3\tda\t_\t_\t_\t_\t_\t_\t_\t_
"""


# A file that tries to be code in every field.
MARKS = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</title></svg><script>alert(3)</script>")
TRICK = "</text><script>alert('x')</script><g onload=alert(4)>"


def _row(k: int, head: int) -> str:
    form = MARKS[(k - 1) % 3].replace(" ", "\u00a0")
    trick = TRICK.replace(" ", "\u00a0")
    return "\t".join(
        (str(k), form, trick, trick, trick, trick, str(head), trick, "_", f"Gloss={trick}|Proj={trick}|ProjConf={trick}")
    )


HOSTILE = (
    f"# sent_id = {MARKS[0]}\n# text = {MARKS[1]}\n# text_en = {MARKS[2]}\n# {TRICK}\n# projection = {TRICK}\n"
    + "\n".join((_row(1, 0), _row(2, 1), _row(3, 1)))
    + "\n\n# sent_id = \u202ejavascript:alert(5)\n1\t\u202e\x1b[31m\x7f\t_\t_\t_\t_\t0\troot\t_\t_\n"
)


def session_of(text: str | bytes = TEXT, path: str = "trees.conllu") -> Session:
    return Session(Document(text if isinstance(text, bytes) else text.encode(), path))


def projected(pairs: Sequence[Pair]) -> tuple[Session, dict[int, ProjectionInput]]:
    """A review of what S1 makes of the pairs, and their bitexts."""
    rows = conllu.load(folder("corpora") / "hin-eng" / "f.conllu")
    made = [annotate(row, s1(ProjectionInput.of(pair)), "s1-r") for row, pair in zip(rows, pairs, strict=False) if row]
    return session_of("".join(map(conllu.dumps, made))), {n: ProjectionInput.of(pair) for n, pair in enumerate(pairs)}


def correct(session: Session, pairs: Sequence[Pair], places: Sequence[int]) -> None:
    """Do what a person would: the gold tree, and the mark."""
    for n in places:
        root = pairs[n].f.root
        assert root is not None
        session.set_head(n, root, 0)
        for _ in range(2):  # an order in which no cycle comes up exists, or the second round finds it
            for word, head in enumerate(pairs[n].f.heads, 1):
                session.set_head(n, word, head, pairs[n].f.deprels[word - 1] if head else "", fix=True)
        assert session.states[n].heads == pairs[n].f.heads
        session.set_gold(n, True)


class Client:
    """Speaks to a server as the page does, or as somebody else would."""

    def __init__(self, url: str) -> None:
        base, _, self.token = url.partition("/?token=")
        self.host = base.removeprefix("http://")
        self.port = int(self.host.rpartition(":")[2])

    def raw(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, Any, Any]:
        """Status, headers and body; only the headers given are sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            data = answer.read()
        kind = answer.getheader("Content-Type", "")
        return answer.status, answer.headers, json.loads(data) if kind == "application/json" and data else data

    def headers(self, **other: str | None) -> dict[str, str]:
        """Those of the page; `Host=None` leaves one out."""
        made = {
            "Host": self.host,
            "Origin": f"http://{self.host}",
            "X-Review-Token": self.token,
            "Content-Type": "application/json",
        }
        changed = {**made, **{name.replace("_", "-"): value for name, value in other.items()}}
        return {name: value for name, value in changed.items() if value is not None}

    def get(self, path: str) -> tuple[int, Any]:
        status, _, data = self.raw("GET", path, self.headers())
        return status, data

    def post(self, path: str, body: Any = None, **other: str | None) -> tuple[int, Any]:
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        headers = self.headers(**{"Content_Length": str(len(data)), **other})
        status, _, answer = self.raw("POST", path, headers, data)
        return status, answer

    def edit(self, n: int, version: int, kind: str, **fields: Any) -> tuple[int, Any]:
        return self.post("/api/edit", {"n": n, "version": version, "kind": kind, **fields})


@contextlib.contextmanager
def serving(review: Review) -> Iterator[Server]:
    """The server at work in a thread."""
    server = Server(review)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reviewed(path: Path, text: str | bytes = TEXT, **more: Any) -> Review:
    """A review without a journal."""
    return Review(session_of(text), path / "trees.reviewed.conllu", **more)


class Command:
    """`proj review` as a process."""

    def __init__(
        self, *args: object, cwd: Path | None = None, program: Path | None = None, env: dict[str, str] | None = None
    ) -> None:
        """`program` is another `proj` than that of the checkout, `env` its environment."""
        start = [str(program)] if program else [sys.executable, "-m", "divproj"]
        self.process = subprocess.Popen(
            [*start, "review", *map(str, args)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=cwd,
            env={"BROWSER": "true", **(env or os.environ), "NO_COLOR": "1", "TERM": "dumb", "OMP_NUM_THREADS": "1"},
            preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # jobs in the background are deaf to it
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()
        """Empty when it has ended with a message instead."""

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Exit code and what was said on stderr."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        _, said = self.process.communicate(timeout=300)
        return self.process.returncode, said
