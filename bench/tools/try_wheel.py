"""Install the wheels into an empty environment and try them there: sizes, start-up, first trees. For `make release-check`.

python bench/tools/try_wheel.py DIVPROJ.whl [PACK.whl …]

Language packs are installed after divproj has been tried alone, and each parses a sentence. Texts that are glossed and translated in the
language of a pack are projected before and after it is installed: from the glosses alone, with a message that names the pack, and then
with the translations. No option is given. They are the texts of the tutorial, and where the data of the benchmarks is there,
those of `bench/accuracy/working_languages.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.accuracy.working_languages import FOLDER, hide, score
from bench.common import ROOT, Table

from divproj.core.errors import Faults
from divproj.core.sentence import Rows
from divproj.io.trees import conllu
from divproj.projection.pipeline import NOTHING_PROJECTED

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
OUTSIDE = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
"""An environment that knows nothing of the checkout."""
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
TEXTS = {
    "es": {"Quechua": ROOT / "tutorial" / "es" / "gold.conllu", "Highland Puebla Nahuatl": FOLDER / "azz" / "azz.conllu"},
    "fr": {"Bambara": ROOT / "tutorial" / "fr" / "gold.conllu", "Haitian Creole": FOLDER / "hat" / "hat.conllu"},
    "ru": {"Abaza": FOLDER / "abq" / "abq.conllu"},
}
"""Texts with gold trees by the language that they are translated into."""


def main(wheel: Path, packs: list[Path]) -> None:
    columns = ("step", "MB", "s", "UAS / LAS")
    with (
        Table("try_wheel", "The wheels in an empty environment, seconds by the clock", *columns) as table,
        tempfile.TemporaryDirectory() as place,
    ):
        for file, most in ((wheel, MOST_MB), *((pack, PACK_MB) for pack in packs)):
            size = file.stat().st_size / 1e6
            if size > most:
                sys.exit(f"{file}: {size:.1f} MB; at most {most} MB are published")
            table.add(f"wheel {file.name.split('-')[0]}", f"{size:.1f}", "", "")
        home = Path(place) / "env"
        venv.create(home, with_pip=True)
        bare = _megabytes(home)
        python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheel.resolve()], env=OUTSIDE, check=True)
        table.add("environment with all that it needs", f"{_megabytes(home) - bare:.0f}", "", "")
        work = Path(place) / "work"
        work.mkdir()
        for words in SMOKE:
            run(table, python, work, words)
        for pack in packs:
            code = pack.name.split("-")[0].removeprefix("divproj_")
            (work / "text.txt").write_text(SENTENCES[code] + "\n", encoding="utf-8")
            parse = ("parse", "text.txt", "--lang", code, "-o", f"{code}.conllu")
            done = subprocess.run([python, "-m", "divproj", *parse], cwd=work, env=OUTSIDE, capture_output=True, text=True)
            if not done.returncode or "pip install divproj-" not in done.stderr:
                sys.exit(
                    f"{code}: before its pack was installed, a message that names it was expected, and came: {done.stderr}"
                )
            texts = {name: gold for name, path in TEXTS.get(code, {}).items() if path.is_file() for gold in [bank(path)]}
            for name, gold in texts.items():
                said = project(table, python, work, gold, f"{name}, before its pack is installed")
                if f"pip install divproj-{code}" not in said:
                    sys.exit(f"{name}: a message that names the pack was expected, and came: {said}")
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", pack.resolve()], env=OUTSIDE, check=True)
            run(table, python, work, parse)
            for name, gold in texts.items():
                said = project(table, python, work, gold, f"{name}, with its pack")
                if "no parser" in said:
                    sys.exit(f"{name}: the pack is installed, and not used: {said}")
        run(table, python, work, ("languages",), " with the packs")


def bank(path: Path) -> list[Rows]:
    """Return the sentences of a text with gold trees; English translations are taken out."""
    kept = [rows for rows in conllu.load(path, Faults(strict=False)) if rows is not None]
    return [replace(rows, comments=tuple(c for c in rows.comments if not c.startswith("# text_en"))) for rows in kept]


def project(table: Table, python: Path, work: Path, gold: list[Rows], name: str) -> str:
    """Add a row with the accuracy of a text that is projected without options; return what the command said."""
    text = "".join(conllu.dumps(hide(rows, translated=True)) for rows in gold)
    (work / "glossed.conllu").write_text(text, encoding="utf-8")
    began = time.monotonic()
    command = [python, "-m", "divproj", "project", "glossed.conllu", "-o", "trees.conllu"]
    done = subprocess.run(command, cwd=work, env=OUTSIDE, capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode not in (0, NOTHING_PROJECTED):
        sys.exit(f"{name}: exit code {done.returncode}: {done.stderr}")
    trees = [rows.usable_tree()[0] for rows in conllu.load(work / "trees.conllu") if rows is not None]
    table.add(
        f"`proj project`: {name}",
        "",
        f"{seconds:.2f}",
        score([(rows.usable_tree()[0], tree) for rows, tree in zip(gold, trees, strict=True)]),
    )
    return done.stderr


def run(table: Table, python: Path, work: Path, words: tuple[str, ...], remark: str = "") -> None:
    """Add a row with the seconds of a command; leave with its message if it fails."""
    began = time.monotonic()
    done = subprocess.run([python, "-m", "divproj", *words], cwd=work, env=OUTSIDE, capture_output=True, text=True)
    table.add(f"`proj {' '.join(words)}`{remark}", "", f"{time.monotonic() - began:.2f}", "")
    if done.returncode:
        sys.exit(f"proj {' '.join(words)}: exit code {done.returncode}: {done.stderr}")


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
