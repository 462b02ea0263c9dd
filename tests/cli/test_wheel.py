"""The wheel, installed where there is no checkout: the front door in Python, and `proj`, in an empty folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from cli.pages import DOCS, Shell

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = 24
"""Of the gold corpus: enough for `auto` to train a parser, few enough to be quick."""

EXAMPLE = """
import divproj as dp

pairs = dp.read("text.flextext")
trees = list(dp.projector("auto").pipe(pairs))
for pair in trees:
    assert pair.f.tree is not None and len(pair.f.tree.heads) == len(pair.f.forms)
    assert len(pair.reasons) == len(pair.confidence) == len(pair.f.forms)
    assert "<svg" in pair._repr_html_()
dp.write(trees, "trees.conllu")
print(len(trees), "trees")

gold = list(dp.read("gold"))
p = dp.projector("s5+").fit(dp.read("gold"))
learned = list(p.pipe(gold[:5]))
p.save("model")
again = list(dp.projector(model="model").pipe(gold[:5]))
assert [pair.f.heads for pair in again] == [pair.f.heads for pair in learned]
print(p.system_, len(learned))

found = dp.analyze(gold)
print(found.match_percentages())
aligned = list(dp.PhraseAligner().fit(gold[:5]).pipe(gold[:5]))
assert len(aligned) == 5
scores = dp.evaluate(gold[:5], learned)
assert 0 < scores.uas <= 100
assert next(iter(dp.read("hin-eng"))).f.tree is not None
assert set(dp.__all__) >= {"read", "write", "analyze", "projector", "evaluate", "Pair", "PhraseAligner"}
print(dp.__file__)
"""


def packages() -> Path:
    return Path(sysconfig.get_paths()["purelib"])


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment that has the wheel, and of ours what the wheel depends on."""
    if importlib.util.find_spec("hatchling") is None or importlib.util.find_spec("pip") is None:
        pytest.skip("pip and hatchling build the wheel")
    place = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", place, ROOT], check=True)
    [wheel] = place.glob("divproj-*.whl")
    venv.create(place / "venv", with_pip=False, symlinks=True)
    python = place / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    [site] = (place / "venv").rglob("site-packages")
    (site / "ours.pth").write_text(f"{packages()}\n", encoding="utf-8")  # found after its own; our .pth files are not read
    lend_kernels(ROOT / "src" / "divproj", site / "divproj")
    return python


def lend_kernels(source: Path, target: Path) -> None:
    """Machine code of the checkout for the same modules, so that the test need not wait for numba to make it anew."""
    for path in target.rglob("*.py"):
        same = source / path.relative_to(target)
        made = list(same.parent.glob(f"__pycache__/{same.stem}.*.nb[ic]"))
        if made and same.read_bytes() == path.read_bytes():
            shutil.copystat(same, path)  # numba looks at size and time of the source
            (path.parent / "__pycache__").mkdir(exist_ok=True)
            for file in made:
                shutil.copy2(file, path.parent / "__pycache__")


def outside() -> dict[str, str]:
    """An environment that knows nothing of the checkout."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "PYTEST_CURRENT_TEST")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A text, and a few sentences with gold trees."""
    shutil.copyfile(ROOT / "tests" / "fixtures" / "igt" / "new.flextext", tmp_path / "text.flextext")
    (tmp_path / "gold").mkdir()
    for name, between in (("f.conllu", "\n\n"), ("e.conllu", "\n\n"), ("align.txt", "\n")):
        parts = (ROOT / "corpora" / "deu-eng" / name).read_text(encoding="utf-8").split(between)
        (tmp_path / "gold" / name).write_text(between.join(parts[:SENTENCES]) + between, encoding="utf-8")
    return tmp_path


def test_the_front_door(python: Path, folder: Path):
    """The example of the plan of the house, from a text to trees, a model, phrases and scores."""
    done = subprocess.run([python, "-c", EXAMPLE], cwd=folder, env=outside(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second, *_, last = done.stdout.splitlines()
    assert first.endswith("trees")
    assert second == "s5+ 5"
    assert Path(last).is_relative_to(python.parents[1])
    assert (folder / "trees.conllu").read_text(encoding="utf-8").count("# sent_id") == int(first.split()[0])


def test_the_command(python: Path, tmp_path: Path):
    """`proj` has its sample corpora, rules and language inside."""
    proj = python.with_name("proj")
    done = subprocess.run([proj, "analyze", "deu-eng"], cwd=tmp_path, env=outside(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cmd:analyze" in done.stdout
    done = subprocess.run([proj, "rules", "show", "deu"], cwd=tmp_path, env=outside(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_tutorial(python: Path, tmp_path: Path):
    """Every command of the tutorial's page, in an empty folder."""
    with Shell(tmp_path, python.with_name("proj"), outside()) as shell:
        shell.page(DOCS / "tutorial.md")
        folder = shell.cwd
    made = (
        "trees.conllu",
        "trees.html",
        "cat.svg",
        "turkish.json",
        "better.conllu",
        "table.tex",
        "divergence.html",
        "figure.svg",
        "divproj.toml",
    )
    assert [name for name in made if not (folder / name).is_file()] == []
    assert (folder / "trees.conllu").read_text(encoding="utf-8").count("# sent_id") == 36
    assert "\\toprule" in (folder / "table.tex").read_text(encoding="utf-8")
