"""Broken, hostile and slow requests to `proj review` and to the workbench: refused, and the server goes on answering its own page.

python bench/robustness/attack_servers.py --slow 400

Both servers are processes that listen on 127.0.0.1 alone; nothing else is contacted. Each raw request must be refused (4xx) or the connection
closed; never 2xx, never 5xx, and what is served stays as it was. Then so many connections send a byte now and then: the page must be answered
meanwhile, and the server must close each of them. At the end: no traceback, and exit code 0 at Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import resource
import socket
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]
from bench.common import Table  # noqa: E402

BYTE_EVERY = 5.0
"""Seconds between two bytes of a slow connection."""
GIVEN_UP = 150.0
"""Seconds after which a slow connection must have been closed; the server's own limit is 60."""


def raw_requests(host: str, token: str, posts: tuple[str, ...], gets: tuple[str, ...]) -> list[bytes]:
    """Requests that must not be obeyed; the token is given where something else is wrong."""
    good = f"Host: {host}\r\nOrigin: http://{host}\r\nX-Review-Token: {token}\r\n"
    typed = good + "Content-Type: application/json\r\n"

    def post(path: str, headers: str, body: bytes) -> bytes:
        return f"POST {path} HTTP/1.1\r\n{headers}\r\n".encode() + body

    def sized(path: str, body: bytes, headers: str = typed) -> bytes:
        return post(path, f"{headers}Content-Length: {len(body)}\r\n", body)

    requests = [
        b"", b"\r\n\r\n", b"\0" * 1000, b"\xff\xfe\xfd\r\n\r\n", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/x\r\n\r\n", b"BREW / HTTP/1.1\r\n\r\n", b"G" * 70_000, b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 500 + b"\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"CONNECT evil.example:443 HTTP/1.1\r\n\r\n",
        f"GET http://evil.example/ HTTP/1.1\r\n{good}\r\n".encode(), f"OPTIONS * HTTP/1.1\r\n{good}\r\n".encode(),
    ]  # fmt: skip
    for other in (
        "evil.example",
        "localhost",
        f"{host}.evil.example",
        f"{host}, evil.example",
        "127.0.0.1",
        "",
        f"{host}\r\nHost: {host}",
    ):
        requests.append(f"GET /?token={token} HTTP/1.1\r\nHost: {other}\r\n\r\n".encode())
    for wrong in (
        "",
        token[:-1],
        token + "x",
        token.swapcase(),
        "\xff" * 32,
        "%00",
        "' OR 1=1",
        token.replace(token[0], "\u0430", 1),
    ):
        requests.append(f"GET {gets[0]} HTTP/1.1\r\nHost: {host}\r\nX-Review-Token: {wrong}\r\n\r\n".encode())
    for origin in (
        "null",
        "http://evil.example",
        f"https://{host}",
        f"http://{host}.evil.example",
        "file://",
        f"http://{host}/",
    ):
        requests.append(
            sized(
                posts[0],
                b"{}",
                f"Host: {host}\r\nOrigin: {origin}\r\nX-Review-Token: {token}\r\nContent-Type: application/json\r\n",
            )
        )
        requests.append(
            f"GET {gets[0]} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nX-Review-Token: {token}\r\n\r\n".encode()
        )
    for site in ("cross-site", "same-site", "x"):
        requests.append(f"GET {gets[0]} HTTP/1.1\r\n{good}Sec-Fetch-Site: {site}\r\n\r\n".encode())
    for path in (
        "/etc/passwd",
        "/../../etc/passwd",
        "/%2e%2e/x",
        "//evil.example/",
        "/api",
        "/api/",
        "/api/none",
        "/\0",
        "/api/../x",
        "/?token=",
        "/favicon.ico",
        "/.git/config",
        "/trees.conllu",
        "/" + "a/" * 3000,
    ):
        requests.append(f"GET {path} HTTP/1.1\r\n{good}\r\n".encode())
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "HEAD", "get"):
        requests.append(f"{method} {gets[0]} HTTP/1.1\r\n{good}\r\n".encode())
    requests += [f"GET {path} HTTP/1.1\r\n{good}\r\n".encode() for path in posts]
    for body in (
        b"",
        b"[]",
        b"null",
        b"1",
        b'"x"',
        b"{",
        b"\xff",
        b"NaN",
        b"[" * 60_000,
        b'{"a":' * 12_000,
        b'{"name": {}, "n": "x", "query": [], "data": 3}',
    ):
        requests.append(sized(posts[0], body))
    for headers in (
        "Content-Length: -1",
        "Content-Length: 9" + "9" * 30,
        "Content-Length: 1e3",
        "Content-Length: +5",
        "Content-Length: ٣",
        "Transfer-Encoding: chunked",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Content-Length: 99999999",
        "X: y",
    ):
        requests.append(post(posts[0], f"{typed}{headers}\r\n", b"{}"))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        requests.append(sized(posts[0], b"{}", good + f"Content-Type: {kind}\r\n"))
    for n in (-1, 10**30, 1.5, True, None, "0", [], {}):
        requests.append(sized(posts[0], json.dumps({"n": n, "version": n, "kind": n, "name": n, "word": n}).encode()))
    return requests


def answer(port: int, data: bytes) -> bytes:
    """What the server says to these bytes; nothing where it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        said = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1 << 16):
                said += part
        except (ConnectionError, BrokenPipeError):
            pass
        return said


def attack(client: Any, posts: tuple[str, ...], gets: tuple[str, ...]) -> tuple[Counter[str], list[str]]:
    """Send every raw request; return how often each status came, and what should not have happened."""
    statuses, faults = Counter[str](), []
    before = client.get(gets[0])
    for number, data in enumerate(raw_requests(client.host, client.token, posts, gets)):
        first = answer(client.port, data).partition(b"\r\n")[0].decode("latin-1")
        status = first.split(" ")[1] if first.startswith("HTTP/1.1 ") else "closed"
        statuses["closed" if status == "closed" else status] += 1
        if not (status == "closed" or status.startswith("4") or status in ("501", "505")):
            faults.append(f"request {number}: {first!r} to {data[:200]!r}")
        if client.get(gets[0]) != before:
            faults.append(f"request {number} changed what is served: {data[:200]!r}")
    return statuses, faults


def slow(client: Any, count: int, path: str) -> tuple[int, int, list[str]]:
    """Open connections that trickle; return how many were closed, how often the page was answered meanwhile, and faults."""
    head = f"GET {path} HTTP/1.1\r\nHost: {client.host}\r\nX: ".encode()
    connections, faults, answered = [], [], 0
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=120)
        connection.sendall(head)
        connections.append(connection)
    until = time.monotonic() + GIVEN_UP
    waiting = list(connections)
    while waiting and time.monotonic() < until:
        still = []
        for connection in waiting:
            try:
                connection.setblocking(False)
                try:
                    if connection.recv(1 << 12):
                        still.append(connection)  # an answer; the end comes next
                        continue
                except BlockingIOError:
                    connection.send(b"y")
                    still.append(connection)
                    continue
            except OSError:
                pass
            connection.close()
        waiting = still
        if client.get(path)[0] != 200:
            faults.append("the page was not answered")
        answered += 1
        time.sleep(BYTE_EVERY)
    for connection in waiting:
        connection.close()
    return count - len(waiting), answered, faults


def memory(pid: int) -> int:
    rows = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(row.split()[1]) // 1024 for row in rows if row.startswith("VmHWM"))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--slow", type=int, default=400, help="Connections that send a byte now and then.")
    chosen = parser.parse_args()
    from reviewfiles import TEXT, Client, Command

    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * chosen.slow + 256,) * 2)
    columns = (
        "server",
        "raw requests",
        "answers",
        "slow connections",
        "closed by the server",
        "pages answered meanwhile",
        "MB at most",
        "faults",
    )
    total = 0
    with (
        Table("attack_servers", "Broken and slow requests to the servers of `proj review`", *columns) as table,
        tempfile.TemporaryDirectory() as folder,
    ):
        trees = Path(folder, "texts", "trees.conllu")
        trees.parent.mkdir()
        trees.write_text(TEXT, encoding="utf-8")
        servers = {
            "a review": (trees, ("/api/edit", "/api/undo", "/api/learn", "/api/stop"), ("/api/document", "/api/sentence?n=0")),
            "the workbench": (
                trees.parent,
                ("/api/add", "/api/project", "/api/open", "/api/find"),
                ("/api/state", "/api/rules"),
            ),
        }
        for name, (source, posts, gets) in servers.items():
            command = Command(source)
            try:
                client = Client(command.url)
                statuses, faults = attack(client, posts, gets)
                closed, answered, more = slow(client, chosen.slow, gets[0])
                faults += more
                if closed < chosen.slow:
                    faults.append(f"{chosen.slow - closed} slow connections were still open after {GIVEN_UP:.0f} s")
                most = memory(command.process.pid)
            finally:
                code, said = command.end()
            if code or "Traceback" in said:
                faults.append(f"exit code {code}: {said[-1000:]}")
            for fault in faults:
                print(f"{name}: {fault}", flush=True)
            shown = ", ".join(f"{status} {count}" for status, count in sorted(statuses.items()))
            table.add(name, sum(statuses.values()), shown, chosen.slow, closed, answered, most, len(faults))
            total += len(faults)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
