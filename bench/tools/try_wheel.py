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


def main(wheel: Path, packs: list[Path]) -> int:
    for file, most in ((wheel, MOST_MB), *((pack, PACK_MB) for pack in packs)):
        size = file.stat().st_size / 1e6
        print(f"wheel {file.name}: {size:.1f} MB")
        if size > most:
            print(f"larger than {most} MB")
            return 1
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "env"
        venv.create(home, with_pip=True)
        bare = _megabytes(home)
        python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.resolve()], check=True)
        print(f"environment with all that it needs: {_megabytes(home) - bare:.0f} MB")
        work = Path(place) / "work"
        work.mkdir()
        if not all(_works(python, work, words) for words in SMOKE):
            return 1
        for pack in packs:
            code = pack.name.split("-")[0].removeprefix("divproj_")
            (work / "text.txt").write_text(SENTENCES[code] + "\n", encoding="utf-8")
            parse = ("parse", "text.txt", "--lang", code, "-o", f"{code}.conllu")
            if _works(python, work, parse, fails="pip install divproj-"):
                print(f"{code} was there before it was installed")
                return 1
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", pack.resolve()], check=True)
            if not _works(python, work, parse):
                return 1
        return 0 if _works(python, work, ("languages",)) else 1


def _works(python: Path, work: Path, words: tuple[str, ...], fails: str = "") -> bool:
    """Whether a command does its work; where it is to fail with some words, whether it did not."""
    began = time.monotonic()
    done = subprocess.run([python, "-m", "divproj", *words], cwd=work, capture_output=True, text=True)
    if fails and done.returncode and fails in done.stderr:
        return False
    print(f"{time.monotonic() - began:6.2f} s  proj {' '.join(words)}")
    if done.returncode:
        print(done.stderr)
    return not done.returncode


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
