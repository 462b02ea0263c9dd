"""`proj new` and `proj run` through a pipe: from raw three-line text to a report in one command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from pipelinefiles import LEARNED, PLAIN, config, conllu, unlike, write

from divproj.parsing.language import pack
from divproj.runtime import resources


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser of the translations, learned from some of them."""
    folder = tmp_path_factory.mktemp("english")
    (folder / "treebank.conllu").write_text(conllu([item[3] for item in unlike(12)]), encoding="utf-8")
    done = proj("train", folder / "treebank.conllu", "-o", folder / "model", "--epochs", 2, "--set", "bits=12")
    assert done.returncode == 0, done.stderr
    return folder / "model"


def test_from_raw_text_to_report(english: Path, tmp_path: Path):
    folder = write(tmp_path / "tavi", 20, 10)
    for name in ("e.conllu", "links.txt"):
        (folder / name).unlink()
    done = proj("new", "Tavi", "--folder", folder)
    assert done.returncode == 0, done.stderr
    assert "text.txt: interlinear text" in done.stderr
    text = (folder / "divproj.toml").read_text(encoding="utf-8")
    assert 'gold = "gold.conllu"' in text
    text = text.replace("[parse]", f'[parse]\nparser = "{english}"').replace("folds = 5", "folds = 2")
    text = text.replace("[train]", "[train]\nepochs = 2\nbits = 12")
    (folder / "divproj.toml").write_text(text, encoding="utf-8")
    done = proj("run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "20 sentences projected by the trained parser with phrases (s5+)" in done.stderr
    assert done.stderr.rstrip().endswith("\nreport: results/report.html")
    results = folder / "results"
    assert {p.name for p in results.iterdir()} >= {
        "report.html",
        "results.json",
        "trees.conllu",
        "links.txt",
        "rules.json",
        "log.txt",
    }
    found = json.loads((results / "results.json").read_text(encoding="utf-8"))
    assert set(found["scores"]["cross_validation"]["systems"]) == {"s1-r", "s5+"}


def test_results_elsewhere_are_named_by_the_shortest_path(tmp_path: Path):
    folder = write(tmp_path / "tavi")
    done = proj("run", config(folder, PLAIN), "-o", folder / ".." / "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.rstrip().endswith("\nreport: out/report.html")


def test_dry_run_writes_nothing(tmp_path: Path):
    folder = write(tmp_path / "tavi")
    path = config(folder, LEARNED)
    done = proj("run", path, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "evaluate   run   not done yet" in done.stdout
    assert not (folder / "results").exists()


def test_results_elsewhere_and_force(tmp_path: Path):
    folder = write(tmp_path / "tavi")
    path = config(folder, PLAIN)
    assert proj("run", path, "-o", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "report.html").exists()
    (tmp_path / "out" / "trees.conllu").write_text("mine")
    done = proj("run", path, "-o", tmp_path / "out", "--again", "project", "--from", "draw")
    assert "project" in done.stderr
    assert "(--again project)" in done.stderr
    assert "(--from draw)" in done.stderr
    assert f"a result that you had changed was kept as {tmp_path / 'out' / 'trees.yours-1.conllu'}" in done.stderr


def test_warnings_are_told(tmp_path: Path):
    folder = write(tmp_path / "tavi")
    (folder / "links.txt").write_text("0-0 7-7\n" * 12)
    done = proj("run", config(folder, PLAIN + 'links = "links.txt"\n'))
    assert done.returncode == 0
    assert "links.txt:1 (sent_id 1): link 7-7 is out of range" in done.stderr
    assert "12 warnings, in the report" in done.stderr


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["run", "no.toml"], "proj: no.toml: no such file; `proj new LANGUAGE` writes a config"),
        (["run", "--again", "../etc"], "proj: no stage '../etc'; there are read, parse"),
        (["new", "Tavi", "--folder", "no"], "proj: no: no such folder"),
        (["new", "Tavi"], "there is a config already"),
    ],
)
def test_mistakes_end_with_one_line(tmp_path: Path, args: list[str], told: str):
    folder = write(tmp_path / "tavi")
    config(folder, PLAIN)
    done = proj(*args, cwd=folder)
    assert done.returncode == 1
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_parser_in_the_box(tmp_path: Path):
    """Three-line text and nothing else: `proj new`, `proj run`, trees."""
    if not (resources.folder("languages") / "en" / "model.json").exists():
        pytest.skip("no English model in this checkout")
    folder = write(tmp_path / "tavi")
    for name in ("e.conllu", "links.txt", "gold.conllu"):
        (folder / name).unlink()
    assert proj("new", "Tavi", "--folder", folder).returncode == 0
    done = proj("run", folder / "divproj.toml")
    assert done.returncode == 0, done.stderr
    assert "12 sentences projected by the gloss model (s6)" in done.stderr
    found = json.loads((folder / "results" / "results.json").read_text(encoding="utf-8"))
    assert found["stages"]["parse"]["parser"] == "en"
    assert "en/weights.npz" in found["inputs"]


@pytest.mark.parametrize(
    ("text", "code", "language"), [("fr/bambara.txt", "fr", "French (26)"), ("es/quechua.txt", "es", "Spanish (25)")]
)
def test_reports_name_the_language_of_the_translations(tmp_path: Path, text: str, code: str, language: str):
    """No option: the translations are parsed in their own language, and the summary and all pages that show trees say so."""
    if pack(code) is None:
        pytest.skip(f"no pack {code} in this checkout")
    (tmp_path / "text.txt").write_bytes((ROOT / "tutorial" / text).read_bytes())
    assert proj("new", "text.txt", cwd=tmp_path).returncode == 0
    done = proj("run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"translations parsed as {language}" in done.stderr
    for page in ("report.html", "trees.html"):
        assert f"Translations parsed as {language}" in (tmp_path / "results" / page).read_text(encoding="utf-8")
