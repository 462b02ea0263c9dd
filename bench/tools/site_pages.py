"""Pages of the documentation site that live elsewhere in the repository: all result tables, and the changes.

A hook of MkDocs (`mkdocs.yml`). Links in these files that lead out of the site become plain text; headings keep their title, and
what stands in brackets after it (command, seed, commit, date) becomes the line below. Paths in tables may break after a slash.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHORT = 16
"""Code in tables that never breaks, in characters."""
PAGES = {"all-results.md": "bench/RESULTS.md", "changes.md": "CHANGELOG.md"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages."""
    from mkdocs.structure.files import File

    for name, path in PAGES.items():
        files.append(File.generated(config, name, content=inside((ROOT / path).read_text(encoding="utf-8"))))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Long paths in tables break where a reader would break them, not in the middle of a word."""
    return re.sub(r"<td[^>]*>.*?</td>", lambda cell: re.sub(r"<code>(.*?)</code>", _breakable, cell[0]), html, flags=re.S)


def _breakable(code: re.Match[str]) -> str:
    text = code[1].replace("\\|", "|")  # escaped, since elsewhere a bar in a table would end the cell
    if len(text) > SHORT:
        text = re.sub(r"(/|::|_)(?=\w)", r"\1<wbr>", text)
    return f"<code>{text}</code>"


def on_post_page(output: str, **_: Any) -> str:
    """What the theme would fetch for searching from files comes from the site itself."""
    return re.sub(r"https://unpkg\.com/iframe-worker/shim", "assets/iframe-worker.js", output)


on_post_template = on_post_page


def inside(text: str) -> str:
    """Links to files of the repository become their text, pictures of `docs` stay, headings are short.

    >>> inside("## Speed (`python bench/x.py`, seed 1)\\nSee [x](../bench/x.py).")
    '## Speed\\n\\n`python bench/x.py`, seed 1\\n{ .how }\\n\\nSee x.'
    """
    text = re.sub(r"^(##+ [^(\n]+?) \((.*`.*|.*\d{4}-\d\d-\d\d.*)\)\n", r"\1\n\n\2\n{ .how }\n\n", text, flags=re.M)
    text = re.sub(r"(!\[[^]]*\]\()(?:\.\./)?docs/", r"\1", text)
    return re.sub(r"(?<!!)\[([^]]+)\]\((?!https?://|#)[^)]+\)", r"\1", text)
