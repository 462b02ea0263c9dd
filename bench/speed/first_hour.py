"""A stranger's first hour, step by step as the pages Install, Tutorial and “I use FLEx” have it, in a fresh folder; seconds of each step.

python bench/speed/first_hour.py [--proj PROGRAM]

Without `--proj`, a wheel is built from this checkout and installed into an empty environment; what it depends on is taken from the environment
that runs this script, so nothing is fetched. `--proj proj` takes a program that is installed already. The compiled parts are made anew.
Every step must end with exit code 0, and the checks between the steps must hold: trees for every sentence, trees that come back
from the FLEx file as they were, cells of the notebook that run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import venv
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import ROOT, Table

SENTENCES = 36


def install(place: Path) -> tuple[Path, Path]:
    """Build the wheel and install it into an empty environment; return its `proj` and its Python."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(place), str(ROOT)], check=True)
    [wheel] = place.glob("divproj-*.whl")
    venv.create(place / "env", with_pip=False, symlinks=os.name != "nt")
    scripts = place / "env" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([*pip, "--python", str(scripts / "python"), "install", "--no-deps", "--no-index", str(wheel)], check=True)
    packages = subprocess.run(
        [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        check=True,
        capture_output=True,
        text=True,
    )
    ours = [sysconfig.get_paths()["purelib"], *(path for path in sys.path if path.endswith("site-packages"))]
    # the packages that the wheel depends on, but not the checkout that may be installed beside them
    (Path(packages.stdout.strip()) / "dependencies.pth").write_text("\n".join(dict.fromkeys(ours)) + "\n", encoding="utf-8")
    return scripts / "proj", scripts / "python"


def review(proj: Path, folder: Path, env: dict[str, str]) -> None:
    """Open the page of corrections as a reader does, and close it."""
    command = [str(proj), "review", "trees.conllu", "--e", "e.conllu", "--links", "links.txt"]
    server = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        url: list[str] = []
        reader = threading.Thread(target=lambda: url.append(server.stdout.readline().strip()), daemon=True)
        reader.start()
        reader.join(300)
        with urlopen(url[0]) as page:
            assert page.status == 200
            assert b"</html>" in page.read()
    finally:
        server.terminate()
        server.wait(60)


def notebook(python: Path, folder: Path, env: dict[str, str]) -> None:
    """Run the cells of the tutorial's notebook one after the other."""
    book = json.loads((folder / "tutorial.ipynb").read_text(encoding="utf-8"))
    code = "\n\n".join("".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code")
    subprocess.run([str(python), "-c", code], cwd=folder, env=env, check=True, capture_output=True)


def heads(path: Path) -> list[str]:
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line[:1].isdigit())
    return [row[6] for row in rows if row[0].isdigit()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--proj", help="a program that is installed already")
    given = parser.parse_args().proj
    with (
        Table("first_hour", "Seconds of each step of a stranger's first hour", "step", "page", "s") as table,
        tempfile.TemporaryDirectory(prefix="first-hour-") as home,
    ):
        place = Path(home)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DIVPROJ", "VIRTUAL_ENV"))}
        env |= {"NUMBA_CACHE_DIR": str(place / "compiled"), "PYTHONUTF8": "1"}
        total = 0.0

        def step(name: str, page: str, action: Callable[[], object]) -> None:
            nonlocal total
            began = time.monotonic()
            action()
            seconds = time.monotonic() - began
            total += seconds
            table.add(name, page, f"{seconds:.1f}")

        program: list[Path] = []
        if given:
            program = [Path(shutil.which(given) or given), Path(sys.executable)]
        else:
            step("build and install the wheel", "Install", lambda: program.extend(install(place)))
        proj, python = program
        folder = place / "turkish"

        def call(*words: str) -> Callable[[], object]:
            return lambda: subprocess.run(
                [str(proj), "-q", *words], cwd=folder if folder.exists() else place, env=env, check=True
            )

        step("`proj --version`", "Install", call("--version"))
        step("`proj tutorial`: copy the files", "Tutorial", call("tutorial", "turkish"))
        step("`proj check` of the FLEx file", "I use FLEx", call("check", "turkish.flextext", "-o", "report.txt"))
        out = ("-o", "trees.conllu", "--html", "trees.html", "--e-out", "e.conllu", "--links-out", "links.txt")
        step(
            "`proj project`, the first one: numeric parts are compiled", "I use FLEx", call("project", "turkish.flextext", *out)
        )
        step("`proj project`, from then on", "I use FLEx", call("project", "turkish.flextext", *out))
        assert (folder / "trees.conllu").read_text(encoding="utf-8").count("# sent_id = ") == SENTENCES
        step("`proj review`: the page is open", "I use FLEx", lambda: review(proj, folder, env))
        back = ("convert", "trees.conllu", "with-trees.flextext", "--into", "turkish.flextext")
        step("`proj convert --into`: trees into the FLEx file", "I use FLEx", call(*back))
        step("`proj convert`: and out of it again", "I use FLEx", call("convert", "with-trees.flextext", "again.conllu"))
        assert heads(folder / "again.conllu") == heads(folder / "trees.conllu")
        step("`proj evaluate` against the gold trees", "Tutorial", call("evaluate", "gold.conllu", "trees.conllu"))
        if not given:
            step("the notebook, all cells", "Tutorial", lambda: notebook(python, folder, env))
        table.add("all steps", "", f"{total:.1f}")


if __name__ == "__main__":
    main()
