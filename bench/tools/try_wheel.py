"""Install a wheel into an empty environment and try it there: size of both, start-up, first trees. For `make release-check`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import Table

MOST_MB = 20
"""Largest wheel that we publish."""
SMOKE = (
    ("--version",),
    ("--help",),
    ("systems",),
    ("tutorial", "turkish"),
    ("check", "turkish/turkish.flextext"),
    ("project", "turkish/turkish.txt", "-o", "trees.conllu", "--html", "trees.html"),
    ("find", "rel=root", "trees.conllu", "--count"),
    ("analyze", "deu-eng"),
)


def main(wheel: Path) -> int:
    size = wheel.stat().st_size / 1e6
    if size > MOST_MB:
        print(f"{wheel}: {size:.1f} MB; at most {MOST_MB} MB are published")
        return 1
    caption = "The wheel in an empty environment, seconds by the clock"
    with Table("try_wheel", caption, "step", "MB", "s") as table, tempfile.TemporaryDirectory() as place:
        table.add("wheel", f"{size:.1f}", "")
        home = Path(place) / "env"
        venv.create(home, with_pip=True)
        bare = _megabytes(home)
        python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.resolve()], check=True)
        table.add("environment with all that it needs", f"{_megabytes(home) - bare:.0f}", "")
        work = Path(place) / "work"
        work.mkdir()
        for words in SMOKE:
            began = time.monotonic()
            done = subprocess.run([python, "-m", "divproj", *words], cwd=work, capture_output=True, text=True)
            table.add(f"`proj {' '.join(words)}`", "", f"{time.monotonic() - began:.2f}")
            if done.returncode:
                sys.exit(done.stderr)
    return 0


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
