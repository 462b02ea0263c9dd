"""The documentation: every command and piece of code on its pages runs, links lead somewhere, words are spelt as in a dictionary."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from cli.pages import DOCS, Block, Shell, all_blocks, blocks

from divproj.forest import parses
from divproj.io.interlinear import formats, guess
from divproj.io.trees import forests
from divproj.links.grams import Grams
from divproj.parsing.language import PACKAGES
from divproj.projection.glossed.word_types import WordTypes
from divproj.projection.phrasal import phrase_pairs
from divproj.run import config

PAGES = sorted(DOCS.glob("*.md"))
FRONT = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tutorial" / "README.md"]
WITH_COMMANDS = [page for page in PAGES if page.name != "tutorial.md" and blocks(page, "console")]
"""The tutorial is done with the wheel, in `test_wheel.py`; the README in `test_readme.py`."""
WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
OTHERS = [
    pytest.param(block, id=f"{page.stem}-{block.line}")
    for page in [*PAGES, *FRONT]
    for block in all_blocks(page)
    if block.kind not in ("console", "python")
]
"""Blocks that are neither: samples of files, and commands that install or build."""
OURS = Path(__file__).parent / "words.txt"
"""Words of the field that no dictionary has."""
AVOIDED = (
    "manner",
    "eke",
    "eked",
    "mended",
    "and leave.",
    "told",
    "a line a ",
    "a sentence a ",
    "by a hair",
    "poor language",
    "rich language",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tutorial's folder after its third step."""
    folder = tmp_path_factory.mktemp("turkish")
    assert proj("tutorial", folder).returncode == 0
    done = proj("project", "turkish.txt", "-o", "trees.conllu", "--e-out", "e.conllu", "--links-out", "links.txt", cwd=folder)
    assert done.returncode == 0, done.stderr
    (folder / "turkish.types.tsv").write_text("gloss\ttag\n")
    (folder / "old.mrg").write_text("(S (NP (DT the) (NN dog)) (VP (VBD slept)))\n")
    (folder / "left.txt").write_text("the dog slept\nshe bought a house\n")
    (folder / "right.txt").write_text("the dog was asleep\na house was bought by her\n")
    (folder / "texts").mkdir()
    for name in ("turkish.txt", "es/quechua.txt"):
        sentences = (folder / name).read_text(encoding="utf-8").split("\n\n")[:3]
        (folder / "texts" / Path(name).name).write_text("\n\n".join(sentences) + "\n", encoding="utf-8")
    (folder / "bitext").mkdir()
    for side in "fe":
        rows = (ROOT / "corpora" / "deu-eng" / f"{side}.conllu").read_text(encoding="utf-8")
        lines = [line[9:] for line in rows.splitlines() if line.startswith("# text = ")]
        (folder / "bitext" / f"{side}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shutil.copytree(ROOT / "corpora" / "deu-eng", folder / "corpora" / "deu-eng")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "here")
    return tmp_path / "here"


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_commands(page: Path, folder: Path):
    with Shell(folder) as shell:
        shell.page(page)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.stem)
def test_python(page: Path, folder: Path):
    for code in blocks(page, "python"):
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{code}\n{done.stderr}"


@pytest.mark.parametrize("block", OTHERS)
def test_other_blocks(block: Block, tmp_path: Path):
    """Samples are read by the reader that they are about; commands that install and build are tried as far as that is quick."""
    if block.kind in _READERS:
        _READERS[block.kind](block.text, tmp_path)
    else:
        _interlinear(block)


def _interlinear(block: Block) -> None:
    """One sentence, recognised as what it is, with a gloss under each word and a translation."""
    assert guess.guess(block.text.encode()) == block.kind
    [one] = formats.loads(block.text, block.kind)
    assert one.lines_up
    assert one.translation


def _phrases(text: str, folder: Path) -> None:
    if '"gloss"' in text:
        [one] = formats.loads(text)
        assert one.lines_up
        assert one.translation
        return
    (folder / "pairs.jsonl").write_text(" ".join(text.split()), encoding="utf-8")
    [one] = phrase_pairs.load(folder / "pairs.jsonl")
    assert one.pairs


def _nbest(text: str, folder: Path) -> None:
    [forest] = forests.forests_of(text)
    assert parses.count_trees(forest) == len(re.findall(r"^-\d", text, re.M))


def _grams(text: str, folder: Path) -> None:
    if text.startswith("tag\t"):
        assert WordTypes.loads(text.encode()).answers
        return
    table = Grams.loads(text)
    assert len(table.rows) + len(table.labels) == text.count("\n") - 1


def _config(text: str, folder: Path) -> None:
    """A config whose files are there."""
    said = tomllib.loads(text)
    (folder / "my-texts").mkdir()
    for name in re.findall(r'"([\w-]+\.(?:txt|flextext|conllu|tsv))"', text):
        (folder / name).write_text("")
    made = config.loads(text, folder / "divproj.toml")
    assert made.language == said["language"]


def _built(text: str, folder: Path) -> None:
    """Targets that make knows; packages that pip would install, without fetching anything."""
    for line in text.splitlines():
        program, *words = shlex.split(line, comments=True) or [""]
        if not program or program in ("brew", "sudo", "python3", "proj") or words[:1] in (["ensurepath"], ["uninstall"]):
            assert program != "proj" or words == ["--version"]
            continue  # programs of the reader's system
        if program in ("pipx", "uv"):
            program, words = "pip", [word for word in words if word not in ("tool", "--force")]
        words = [word.replace("./divproj", ".") for word in words]
        if program == "make":
            done = subprocess.run(["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True)
        elif program == "pip" and words[-1].startswith("divproj-"):
            assert words[-1].removeprefix("divproj-") in PACKAGES  # which are not on this machine
            continue
        elif program == "pip":
            offline = ["--dry-run", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
            done = subprocess.run([sys.executable, "-m", "pip", *words, *offline], cwd=ROOT, capture_output=True, text=True)
        else:
            assert (program, words) in (("source", ["divproj-env/bin/activate"]), ("source", [".venv/bin/activate"]))
            continue
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def _powershell(text: str, folder: Path) -> None:
    """Programs that are there once the lines above have run; what is installed is the folder of the source code."""
    for line in text.splitlines():
        assert re.match(
            r"#|py -m (pip|pipx|venv) |pipx |proj --version|divproj-env\\Scripts\\Activate\.ps1|pip install ", line
        ), line
        if "install ." in line:
            assert line.split()[-1] == r".\divproj"


_READERS: dict[str, Callable[[str, Path], None]] = {
    "powershell": _powershell,
    "json": _phrases,
    "brackets": _nbest,
    "tsv": _grams,
    "toml": _config,
    "shell": _built,
}


def _headings(page: Path) -> set[str]:
    """The anchors of a page, as the site makes them."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text.replace("`", "")).strip().lower()) for text in found}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links(page: Path):
    generated = {"all-results.md", "changes.md"}
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        assert place.exists() or path in generated, target
        if anchor and place.suffix == ".md" and place.exists():
            assert anchor in _headings(place), target


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_files_of_the_source_code_that_are_named_exist(page: Path):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.])(?:tests|bench|rules|languages|train|src|cli)/[\w./-]+\w", text)
    made = ("bench/out/",)
    assert [name for name in named if not (ROOT / name).exists() and not name.startswith(made)] == []


@pytest.mark.parametrize(
    "page", [*PAGES, *FRONT, *sorted((ROOT / "bench").rglob("*.md")), ROOT / "CHANGELOG.md"], ids=lambda page: page.name
)
def test_rows_of_tables_are_as_long_as_their_heading(page: Path):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        cells = [re.sub(r"\\\|", "", row).count("|") for row in table.splitlines()]
        assert len(set(cells)) == 1, table


def _prose(text: str) -> str:
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|https?://\S+", " ", text)
    text = re.sub(r"\*[^*\n]+\*", " ", text.replace("**", ""))  # words in italics are examples
    return re.sub(r"^:::.*$|^ {4}.*$", "", text, flags=re.M)


def test_spelling():
    checker = pytest.importorskip("spellchecker").SpellChecker(language="en")
    checker.word_frequency.load_words(OURS.read_text(encoding="utf-8").split())
    wrong: Counter[str] = Counter()
    for page in [*PAGES, ROOT / "README.md"]:
        words = re.findall(r"[A-Za-z]+(?:'[a-z]+)?", _prose(page.read_text(encoding="utf-8")))
        plain = {w for w in words if w.islower() and len(w) > 3 and not w.endswith("'s")}
        wrong.update(f"{page.name}: {word}" for word in checker.unknown(plain))
    assert sorted(wrong) == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_words_to_avoid(page: Path):
    text = _prose(page.read_text(encoding="utf-8"))
    assert [word for word in AVOIDED if re.search(rf"\b{re.escape(word)}", text)] == []
