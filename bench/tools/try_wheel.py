"""Install the wheels into an empty environment and try them there: sizes, start-up, first trees. For `make release-check`.

python bench/tools/try_wheel.py DIVPROJ.whl [PACK.whl …]

Language packs are installed after divproj has been tried alone, and each parses a sentence.
"""

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
    ("languages",),
)
PACK_MB = 6
"""Largest language pack that we publish."""
SENTENCES = {
    "de": "Der Hund geht zum Fluss.",
    "es": "El perro va al río.",
    "fr": "Le chien va au marché.",
    "id": "Anjing itu pergi ke sungai.",
    "pt": "O cachorro foi ao rio.",
    "ru": "Собака идёт к реке.",
}


def main(wheel: Path, packs: list[Path]) -> None:
    columns = ("step", "MB", "s")
    with (
        Table("try_wheel", "The wheels in an empty environment, seconds by the clock", *columns) as table,
        tempfile.TemporaryDirectory() as place,
    ):
        for file, most in ((wheel, MOST_MB), *((pack, PACK_MB) for pack in packs)):
            size = file.stat().st_size / 1e6
            if size > most:
                sys.exit(f"{file}: {size:.1f} MB; at most {most} MB are published")
            table.add(f"wheel {file.name.split('-')[0]}", f"{size:.1f}", "")
        home = Path(place) / "env"
        venv.create(home, with_pip=True)
        bare = _megabytes(home)
        python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.resolve()], check=True)
        table.add("environment with all that it needs", f"{_megabytes(home) - bare:.0f}", "")
        work = Path(place) / "work"
        work.mkdir()
        for words in SMOKE:
            run(table, python, work, words)
        for pack in packs:
            code = pack.name.split("-")[0].removeprefix("divproj_")
            (work / "text.txt").write_text(SENTENCES[code] + "\n", encoding="utf-8")
            parse = ("parse", "text.txt", "--lang", code, "-o", f"{code}.conllu")
            done = subprocess.run([python, "-m", "divproj", *parse], cwd=work, capture_output=True, text=True)
            if not done.returncode or "pip install divproj-" not in done.stderr:
                sys.exit(
                    f"{code}: before its pack was installed, a message that names it was expected, and came: {done.stderr}"
                )
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", pack.resolve()], check=True)
            run(table, python, work, parse)
        run(table, python, work, ("languages",), " with the packs")


def run(table: Table, python: Path, work: Path, words: tuple[str, ...], remark: str = "") -> None:
    """Add a row with the seconds of a command; leave with its message if it fails."""
    began = time.monotonic()
    done = subprocess.run([python, "-m", "divproj", *words], cwd=work, capture_output=True, text=True)
    table.add(f"`proj {' '.join(words)}`{remark}", "", f"{time.monotonic() - began:.2f}")
    if done.returncode:
        sys.exit(f"proj {' '.join(words)}: exit code {done.returncode}: {done.stderr}")


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
