"""A headless Chromium spoken to over a pipe (Chrome DevTools protocol): nothing to install but the browser."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
LAUNCH = """
import os, sys
from fcntl import F_DUPFD, fcntl
pipe = [fcntl(int(fd), F_DUPFD, 10) for fd in sys.argv[1:3]]
for fd, place in zip(pipe, (3, 4)):
    os.dup2(fd, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Puts the two pipes where the browser looks for them and becomes the browser."""
PATIENCE = 60.0
LEFT = (
    "navigated or closed",
    "Promise was collected",
    "context was destroyed",
    "Cannot find context",
    "Cannot find default execution context",
)
"""What Chromium says of an expression whose page was left while it was being computed."""


class PageLeft(RuntimeError):
    """The page went elsewhere in the middle of a call."""


class Browser:
    """One browser process; messages are JSON ended by a NUL, written to its fd 3 and read from its fd 4."""

    def __init__(self, program: str, home: str) -> None:
        their_in, self.out = os.pipe()
        self.inn, their_out = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(their_in), str(their_out), program, *FLAGS, f"--user-data-dir={home}"],
            pass_fds=(their_in, their_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self.buffer = b""
        self.last = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        self.last += 1
        message: dict[str, Any] = {"id": self.last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            answer = self._read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    said = answer["error"]["message"]
                    raise (PageLeft if any(text in said for text in LEFT) else RuntimeError)(f"{method}: {said}")
                return answer["result"]  # type: ignore[no-any-return]
            self.events.append(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            if not select.select([self.inn], [], [], PATIENCE)[0]:
                raise TimeoutError(f"chromium did not answer within {PATIENCE:.0f} s")
            chunk = os.read(self.inn, 1 << 16)
            if not chunk:
                raise ConnectionError("chromium has ended")
            self.buffer += chunk
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)  # type: ignore[no-any-return]

    def close(self) -> None:
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inn)


class Page:
    """A tab."""

    def __init__(self, browser: Browser, width: int = 1100, height: int = 800) -> None:
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session: str = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, **params)

    def resize(self, width: int, height: int = 800) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, on: bool = True) -> None:
        value = "dark" if on else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        self.wait(f"location.href.startsWith({json.dumps(url[:60])}) && document.readyState === 'complete'")

    def js(self, expression: str) -> Any:
        """The value of an expression, a promise's when it gives one."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 120.0) -> None:
        """Until the expression is true; one that fails, since its page is being left or is not complete, is not true yet."""
        end, error = time.monotonic() + seconds, ""
        while True:
            try:
                if self.js(f"Boolean({condition})"):
                    return
                error = ""
            except RuntimeError as fault:
                error = f" ({fault})"
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {seconds:.0f} s: {condition}{error}")
            time.sleep(0.02)

    def leave(self, action: str) -> None:
        """Run what leads to another page; the answer may be lost on the way."""
        with contextlib.suppress(PageLeft):
            self.js(f"void ({action})")

    def press(self, *keys: str) -> None:
        for key in keys:
            code = {"Tab": 9, "Enter": 13, " ": 32, "Home": 36, "End": 35, "Escape": 27}.get(key, 0)
            code = code or {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(key, 0)
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            for kind in ("keyDown", "keyUp"):
                extra = {"text": text} if text and kind == "keyDown" else {}
                with contextlib.suppress(PageLeft):  # a key may lead to another page
                    self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **extra)

    def point(self, selector: str, click: bool = False) -> None:
        """Move the mouse onto the middle of an element, and click there."""
        place = f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
        box = self.js(place + "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        at = {"x": box[0], "y": box[1]}
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **at)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def shot(self, path: Path, full: bool = False) -> None:
        """A picture of the tab, for people."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        path.write_bytes(base64.b64decode(data))

    def troubles(self) -> list[str]:
        """What the tab complained of: script errors, blocked or attempted requests, dialogs."""
        found = []
        for event in self.browser.events:
            name, params = event.get("method"), event.get("params", {})
            if event.get("sessionId") != self.session:
                continue
            if name == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"].get("exception", {}).get("description")))
            elif name == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif name == "Page.javascriptDialogOpening":
                found.append(f"dialog: {params['message']}")
            elif name == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "about:", "data:")):
                found.append(f"request: {params['request']['url']}")
        return found

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("chromium is not installed")
    if os.name != "posix":
        pytest.skip("the pipe to chromium needs a POSIX system")
    home = tempfile.mkdtemp(prefix="divproj-browser-")
    chromium = Browser(program, home)
    yield chromium
    chromium.close()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[[], Page]]:
    pages: list[Page] = []

    def make() -> Page:
        pages.append(Page(browser))
        return pages[-1]

    yield make
    for page in pages:
        page.close()
