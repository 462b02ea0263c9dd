"""Build the wheels of the language packs and of the encoder: `divproj-fr` from `languages/fr`, `divproj-encoder-en`, and so on.

    python train/wheels.py --outdir dist [fr es encoder-en …]

A wheel has one package, `divproj_fr`, whose files are those of the pack. Its entry point in the group `divproj.languages` (encoders:
`divproj.encoders`) tells divproj where it is.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from divproj import __version__
from divproj.parsing.language import GROUP, PACKAGES, describe
from divproj.text import encoder

ENCODER = "encoder-"
"""Begins the names of encoders; what follows is their language."""
TOP = Path(__file__).resolve().parents[1]
PROJECT = """[build-system]
requires = ["hatchling>=1.25"]
build-backend = "hatchling.build"

[project]
name = "divproj-{code}"
version = "{version}"
description = "{language} for divproj: {content}"
readme = "README.md"
license = {{ text = "{licence}" }}
authors = [{{ name = "The divproj developers" }}]
requires-python = ">=3.11"
dependencies = ["divproj>={version}"]

[project.entry-points."{group}"]
{entry} = "{package}"

[tool.hatch.build.targets.wheel]
packages = ["{package}"]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "codes", nargs="*", default=(*PACKAGES, f"{ENCODER}en"), help="languages and encoders; all where none is named"
    )
    parser.add_argument("--outdir", type=Path, default=TOP / "dist", help="folder of the wheels")
    options = parser.parse_args()
    for code in options.codes:
        build(code, TOP / "languages" / code, options.outdir)


def build(code: str, pack: Path, target: Path) -> None:
    """Build the wheel of a pack."""
    about, name, is_encoder = describe(pack), f"divproj_{code.replace('-', '_')}", code.startswith(ENCODER)
    with tempfile.TemporaryDirectory() as place:
        project = Path(place)
        package = project / name
        shutil.copytree(pack, package)
        (package / "__init__.py").write_text(f'"""{about["language"]} for divproj."""\n', encoding="utf-8")
        shutil.copy(pack / "README.md", project / "README.md")
        content = "vectors of words in their sentence" if is_encoder else "tokenizer, tagger, lemmatiser and parser"
        facts = {"code": code, "version": __version__, "group": encoder.GROUP if is_encoder else GROUP, "package": name}
        facts |= {"entry": code.removeprefix(ENCODER), "content": content, **{k: about[k] for k in ("language", "licence")}}
        (project / "pyproject.toml").write_text(PROJECT.format(**facts), encoding="utf-8")
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target.resolve()), str(project)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
