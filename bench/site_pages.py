"""Pages of the documentation site that live elsewhere in the repository: all result tables, and the changes.

A hook of MkDocs (`mkdocs.yml`). Links in these files that lead out of the site become plain text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"all-results.md": "bench/RESULTS.md", "changes.md": "CHANGELOG.md"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages."""
    from mkdocs.structure.files import File

    for name, path in PAGES.items():
        files.append(File.generated(config, name, content=inside((ROOT / path).read_text(encoding="utf-8"))))
    return files


def on_post_page(output: str, **_: Any) -> str:
    """What the theme would fetch for searching from files comes from the site itself."""
    return re.sub(r"https://unpkg\.com/iframe-worker/shim", "assets/iframe-worker.js", output)


on_post_template = on_post_page


def inside(text: str) -> str:
    """Links to files of the repository become their text, pictures of `docs` stay."""
    text = re.sub(r"(!\[[^]]*\]\()(?:\.\./)?docs/", r"\1", text)
    return re.sub(r"(?<!!)\[([^]]+)\]\((?!https?://|#)[^)]+\)", r"\1", text)
