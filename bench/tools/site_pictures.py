"""Makes pictures of the documentation anew: a projected sentence, a forest, an induced pair; with `--pages` those of our pages in a browser.

python bench/tools/site_pictures.py [--pages]

For `--pages` headless Chromium must be installed. Each page is opened as a reader would see it, in a window of 1,100 pixels.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
DOCS = Path(__file__).resolve().parents[2] / "docs"
PROJ = [sys.executable, "-m", "divproj"]
STYLE = (
    "text{font:15px system-ui,'Noto Sans',sans-serif;text-anchor:middle;fill:#1b1f24}.tag{font-size:12px;fill:#5b6470}"
    "line{stroke:#8b95a1;stroke-width:1.3}.one{stroke:#0b5cad;stroke-width:2.2}.two{stroke:#b45309;stroke-width:2.2;stroke-dasharray:6 4}"
    ".of1{fill:#0b5cad;font-size:12px}.of2{fill:#b45309;font-size:12px}rect{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#e8eaed}.tag{fill:#a9b2bd}rect{fill:#15181d}.one{stroke:#6db3f8}.two{stroke:#f5a742}"
    ".of1{fill:#6db3f8}.of2{fill:#f5a742}}"
)
WORDS = {"She": 40, "saw": 110, "the": 180, "man": 240, "with": 310, "glasses": 390}
NODES = {
    "S": (130, 25),
    "VP": (230, 70),
    "VP′": (165, 125),
    "NP′": (365, 118),
    "NP": (210, 180),
    "PP": (350, 180),
}
PLAIN = "S She, S VP, NP the, NP man, PP with, PP glasses"
FIRST, SECOND = "VP VP′, VP PP, VP′ saw, VP′ NP", "VP saw, VP NP′, NP′ NP, NP′ PP"


def forest() -> str:
    """Two readings of one sentence in one picture: what they share is drawn once."""
    places = {**NODES, **{word: (x, 235) for word, x in WORDS.items()}}
    lines = []
    for kind, pairs in (("", PLAIN), ("one", FIRST), ("two", SECOND)):
        for pair in pairs.split(", "):
            (x, y), (u, v) = (places[name] for name in pair.split())
            lines.append(f'<line class="{kind}" x1="{x}" y1="{y + 6}" x2="{u}" y2="{v - 15}"/>')
    names = [f'<text class="tag" x="{x}" y="{y}">{name.strip("′")}</text>' for name, (x, y) in NODES.items()]
    words = [f'<text x="{x}" y="240">{word}</text>' for word, x in WORDS.items()]
    keys = [
        '<text class="of1" x="105" y="272">she used the glasses: 0.6</text>',
        '<text class="of2" x="330" y="272">the man wears them: 0.4</text>',
    ]
    body = "".join([*lines, *names, *words, *keys])
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 440 284" width="440" height="284" role="img" '
        'aria-label="Two parses of one sentence in one forest"><title>A forest with two parses</title>'
        f'<style>{STYLE}</style><rect width="440" height="284"/>{body}</svg>\n'
    )


def main() -> None:
    (DOCS / "forest.svg").write_text(forest(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:

        def proj(*words: str) -> None:
            subprocess.run([*PROJ, *words], cwd=folder, check=True)

        proj("tutorial", ".")
        proj("project", "turkish.txt", "-o", "trees.conllu", "--e-out", "e.conllu", "--links-out", "links.txt")
        proj(
            "draw",
            "trees.conllu",
            "e.conllu",
            "links.txt",
            "--sent",
            "tur-08",
            "-o",
            str(DOCS / "projected.svg"),
        )
        proj("induce", "deu-eng", "-o", "model")
        proj("draw", "deu-eng", "--induced", "model", "--sent", "deu-010", "-o", str(DOCS / "induced.svg"))


def pages() -> None:
    """The page of trees, the workbench, the page of corrections and the report on divergence."""
    from browser.conftest import NAMES, Browser, Page
    from reviewfiles import Command

    program = next(filter(None, map(shutil.which, NAMES)), None)
    assert program, "chromium is not installed"
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "turkish"
        subprocess.run([*PROJ, "tutorial", "turkish"], cwd=home, check=True)
        commands = (
            (
                "project",
                "turkish.flextext",
                "-o",
                "trees.conllu",
                "--html",
                "trees.html",
                "--e-out",
                "e.conllu",
                "--links-out",
                "links.txt",
            ),
            ("draw", "trees.conllu", "--sent", "turkish.tur-08", "-o", str(DOCS / "cat-tree.svg")),
            ("analyze", "deu-eng", "--html", "divergence.html"),
        )
        for words in commands:
            subprocess.run([*PROJ, *words], cwd=folder, check=True)
        shelf = Path(home) / "texts"
        shelf.mkdir()
        shutil.copy(folder / "turkish.flextext", shelf / "village.flextext")
        shutil.copy(folder / "es" / "quechua.txt", shelf / "quechua.txt")
        browser = Browser(program, f"{home}/profile")
        try:
            for name, words in (("trees-page", ("trees.html",)), ("divergence-page", ("divergence.html",))):
                page = Page(browser, 1100, 900)
                page.open((folder / words[0]).as_uri())
                page.wait("document.querySelector('.example svg path') !== null")
                page.shot(DOCS / f"{name}.png")
                page.close()
            for name, words, ready in (
                (
                    "review-page",
                    ("review", "trees.conllu", "--e", "e.conllu", "--links", "links.txt"),
                    "document.querySelector('svg .edge')",
                ),
                ("workbench-page", ("review", str(shelf)), "document.querySelector('#texts .how')"),
            ):
                command = Command(*words[1:], cwd=folder)
                page = Page(browser, 1100, 720 if name == "review-page" else 420)
                page.open(command.url)
                page.wait(ready)
                page.js(
                    f"for (const e of document.querySelectorAll('p')) if (e.textContent.startsWith({home!r})) e.textContent = 'texts'"
                )
                page.shot(DOCS / f"{name}.png")
                page.close()
                command.end()
        finally:
            browser.close()


if __name__ == "__main__":
    pages() if "--pages" in sys.argv[1:] else main()
