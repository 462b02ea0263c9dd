"""What a file says never becomes code: not in a page or picture, and not in what a terminal is sent."""

from __future__ import annotations

import base64
import re
import unicodedata
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from fuzz.hostile import HTML, TERMINAL, write
from typer.testing import CliRunner

from divproj.core.errors import ProjError
from proj_cli import app

FOREIGN = ("img", "iframe", "object", "embed", "base", "form", "textarea", "foreignobject", "animate", "set", "use", "image")


class Page(HTMLParser):
    """The elements and attributes of a page, and its packed pictures."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts = 0
        self.pictures: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in FOREIGN, tag
        self.scripts += tag == "script"
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert re.fullmatch(r"[a-zA-Z][\w:-]*", name), (tag, name)
            if name in ("href", "src", "action", "xlink:href"):
                assert not (value or "").lower().lstrip().startswith(("javascript", "vbscript")), value
            if name == "data-z":
                self.pictures.append(zlib.decompress(base64.b64decode(value or "")).decode())


def check_svg(text: str) -> None:
    top = fromstring(text.strip())
    for element in top.iter():
        name = element.tag.rpartition("}")[2].lower()
        assert name not in (*FOREIGN, "script"), name
        for key, value in element.attrib.items():
            assert not key.rpartition("}")[2].startswith("on"), key
            assert not value.lower().startswith("javascript"), value


def check_page(path: Path, pictures: bool = True) -> None:
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.scripts == 1, "our own"
    assert "Content-Security-Policy" in text
    assert bool(page.pictures) or not pictures
    for picture in page.pictures:
        check_svg(picture)
    for mark in HTML[:3]:
        assert mark not in text
        assert mark.replace("\u00a0", " ") not in text


def run(*arguments: object) -> str:
    """What a command says, on either stream."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    if done.exception and not isinstance(done.exception, (SystemExit, ProjError)):
        raise done.exception
    assert done.exit_code in (0, 1), done.output
    said = f"proj: {done.exception}" if isinstance(done.exception, ProjError) else ""
    return done.output + (common_harmless(said) if said else "")


def common_harmless(text: str) -> str:
    from proj_cli.common import harmless

    return harmless(text)


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("pages") / "<b>x&'", HTML)


@pytest.fixture(scope="module")
def escapes(tmp_path_factory) -> Path:
    return write(tmp_path_factory.mktemp("escapes") / "c\x1b[31m[", TERMINAL)


def test_analyze(pages: Path, tmp_path: Path):
    run("analyze", pages, "--html", tmp_path / "a.html")
    check_page(tmp_path / "a.html")


def test_project(pages: Path, tmp_path: Path):
    run("project", pages, "--system", "s1-r", "-o", tmp_path / "t.conllu", "--html", tmp_path / "p.html")
    check_page(tmp_path / "p.html")


def test_draw(pages: Path, tmp_path: Path):
    run("draw", pages, "-o", tmp_path / "d.svg")
    check_svg((tmp_path / "d.svg").read_text(encoding="utf-8"))


def test_run(pages: Path, tmp_path: Path):
    run("run", pages / "divproj.toml", "-o", tmp_path / "results", "-j", 1)
    found = sorted((tmp_path / "results").glob("*.html"))
    assert len(found) >= 2
    for path in found:
        check_page(path, pictures=False)


def test_induced(pages: Path, tmp_path: Path):
    run("induce", pages, "-o", tmp_path / "m", "--sweeps", 2, "--chains", 1)
    run("draw", pages, "--induced", tmp_path / "m", "-o", tmp_path / "i.svg")
    check_svg((tmp_path / "i.svg").read_text(encoding="utf-8"))


SHOWN = (
    "analyze C", "analyze C C", "analyze C --edges", "analyze C --strict", "analyze C/\x1b[31m", "draw C --text", "draw C --sent \x1b[31m",
    "check C/f.conllu", "check C/align.txt", "evaluate C/f.conllu C/e.conllu C/f.conllu", "evaluate C/align.txt C/align.txt --word-links",
    "evaluate --brackets C/e.conllu C/e.conllu", "learn C -o OUT", "rules show OUT", "rules show \x1b[31m", "run C/divproj.toml --dry-run",
    "run C/\x1b[2J.toml", "induce C -o MODEL --sweeps 2 --chains 1",
)  # fmt: skip
DATA = (
    "analyze C --json",
    "analyze C --sentences",
    "draw C",
    "check C/f.conllu --json",
    "evaluate C/f.conllu C/e.conllu --json",
    "learn C",
)


def said_by(command: str, corpus: Path, base: Path) -> str:
    places = {"C": str(corpus), "OUT": str(base / "rules.json"), "MODEL": str(base / "model")}
    return run(*(re.sub(r"^(C|OUT|MODEL)(?=$|/)", lambda found: places[found[1]], part) for part in command.split(" ")))


def test_terminals_are_sent_no_codes(escapes: Path, tmp_path: Path):
    """Tables, lines and messages have no control characters and nothing that turns the direction of writing."""
    for command in SHOWN:
        said = said_by(command, escapes, tmp_path)
        assert said, command
        bad = sorted({c for c in said if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t\r"})
        assert not bad, (command, [hex(ord(c)) for c in bad])


@pytest.mark.parametrize("command", DATA)
def test_data_begin_no_code(command: str, escapes: Path, tmp_path: Path):
    """JSON and SVG on standard output keep what is in the file, but for the character that begins a code."""
    assert "\x1b" not in said_by(command, escapes, tmp_path)
