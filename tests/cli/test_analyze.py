"""`proj analyze` and `proj draw` through a pipe."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from cli.commands import ROOT, proj

CORPUS = ROOT / "corpora" / "deu-eng"
F = "# sent_id = a\n1\tja\t_\tADV\t_\t_\t2\tadvmod\t_\t_\n2\tkomm\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
E = "# sent_id = a\n1\tdo\t_\tAUX\t_\t_\t2\taux\t_\t_\n2\tcome\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "f.conllu").write_text(F)
    (tmp_path / "e.conllu").write_text(E)
    (tmp_path / "align.txt").write_text("0-0 1-1\n")
    return tmp_path


def test_help_is_a_table_of_contents():
    done = proj("--help", fresh=True)
    assert done.returncode == 0
    for word in ("analyze", "draw", "corpora", "cite"):
        assert word in done.stdout


def test_version():
    assert proj("--version", fresh=True).stdout.startswith("divproj 0.")


def test_tables_of_one_corpus():
    done = proj("analyze", CORPUS)
    assert done.returncode == 0
    assert done.stderr == ""
    for text in (
        "as given",
        "after swap",
        "E → F",
        "Differences by type",
        "word without a partner",
        "66 sentence pairs",
        "divproj:",
    ):
        assert text in done.stdout


def test_json_has_counts_that_add_up():
    found = json.loads(proj("analyze", CORPUS, "--json").stdout)
    assert found["sentences"] == 66
    assert found["signature"].startswith("divproj:")
    for direction in ("e_to_f", "f_to_e"):
        assert [row["stage"] for row in found[direction]] == ["initial", "remove", "merge", "swap"]
        for row in found[direction]:
            assert row["edges"] == sum(row[name] for name in ("match", "unaligned", "merge", "swap", "other"))
    assert set(found["dorr"]) == {"promotional", "demotional", "structural", "conflational", "categorial", "thematic"}
    assert found["operations"]["e"]["swap"] == found["dorr"]["promotional"]["count"] + found["dorr"]["demotional"]["count"]


def test_extended_merge_is_a_stage_of_its_own():
    found = json.loads(proj("analyze", CORPUS, "--json", "--extended").stdout)
    assert [row["stage"] for row in found["e_to_f"]] == ["initial", "remove", "merge", "extended", "swap"]


def test_shipped_corpora_go_by_name():
    done = proj("analyze", "hin-eng", "deu-eng", "kor-eng")
    rows = [line.split()[0] for line in done.stdout.splitlines() if "-eng " in line and ":" not in line.split()[0]]
    assert rows == ["kor-eng", "hin-eng", "deu-eng"]


def test_sentences_are_json_lines():
    lines = [json.loads(line) for line in proj("analyze", CORPUS, "--sentences").stdout.splitlines()]
    assert len(lines) == 66
    assert lines[0]["sent_id"] == "deu-001"
    assert {"operations", "f", "e", "counts", "sent_match"} <= set(lines[0])


def test_edges_are_lines_for_grep():
    out = proj("analyze", CORPUS, "--edges").stdout
    assert "⇄ swap  swim ←xcomp─ like ~ gern ←advmod─ schwimme" in out.splitlines()


def test_csv_and_html(tmp_path: Path):
    done = proj("analyze", CORPUS, "--csv", tmp_path / "tables", "--html", tmp_path / "report.html")
    assert done.returncode == 0
    assert "report:" in done.stderr
    rows = list(csv.DictReader((tmp_path / "tables" / "stages.csv").open()))
    assert len(rows) == 8
    assert (tmp_path / "tables" / "by_pos.csv").exists()
    assert (tmp_path / "tables" / "dorr.csv").exists()
    assert (tmp_path / "report.html").read_text().count("deu-0") >= 66


def test_dendrogram(tmp_path: Path):
    pytest.importorskip("matplotlib")
    done = proj("analyze", "hin-eng", "deu-eng", "spa-eng", "--plot", tmp_path / "tree.svg")
    assert done.returncode == 0
    assert "<svg" in (tmp_path / "tree.svg").read_text()


def test_plot_of_one_corpus_is_a_usage_error(tmp_path: Path):
    done = proj("analyze", CORPUS, "--plot", tmp_path / "tree.svg")
    assert done.returncode == 2
    assert "two or more" in done.stderr


def test_files_and_stdin(corpus: Path):
    done = proj("analyze", "-", corpus / "e.conllu", corpus / "align.txt", "--json", stdin=F)
    assert done.returncode == 0
    assert json.loads(done.stdout)["sentences"] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "give a corpus folder, or three files: F, E and links"),
        (("-", "-", "z"), "only one of F, E and links can be stdin (-)"),
        (("deu-eng", "-"), "- is a file: give a corpus folder, or three files"),
    ],
)
def test_usage_errors(args: tuple[str, ...], message: str):
    done = proj("analyze", *args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", "").split())


def test_unknown_folder():
    done = proj("analyze", "nowhere")
    assert done.returncode == 1
    assert done.stderr.startswith("proj: nowhere: no such folder; give a folder with f.conllu")
    assert done.stdout == ""


def test_lenient_leaves_out_and_says_so(corpus: Path):
    (corpus / "f.conllu").write_text(F.replace("\t2\tadvmod", "\t9\tadvmod"))
    done = proj("analyze", corpus, "--json")
    assert done.returncode == 0
    assert "f.conllu:2 (sent_id a): HEAD is 9 but the sentence has 2 words" in done.stderr
    assert "left out 1 word or link" in done.stderr
    assert proj("-q", "analyze", corpus, "--json").stderr == ""


def test_strict_stops_and_writes_nothing(corpus: Path, tmp_path: Path):
    (corpus / "f.conllu").write_text(F.replace("\t2\tadvmod", "\t9\tadvmod"))
    report = tmp_path / "report.html"
    done = proj("analyze", corpus, "--strict", "--html", report)
    assert done.returncode == 1
    assert done.stderr.startswith("proj: ")
    assert not report.exists()
    assert done.stdout == ""


def test_nothing_usable(corpus: Path):
    (corpus / "f.conllu").write_text("only\ttwo\n\n")
    done = proj("analyze", corpus)
    assert done.returncode == 1
    assert "2 columns, 10 expected" in done.stderr
    assert "no usable sentence pair" in done.stderr


@pytest.mark.parametrize(("name", "content", "said"), [
    ("f.conllu", b"", "no sentence in the file"),
    ("f.conllu", F.encode().replace(b"ja", b"\xff"), "is not UTF-8 text"),
    ("f.conllu", F.encode().replace(b"ja", b"\0"), "NUL byte"),
    ("align.txt", b"0-0 1-7\n", "link 1-7 is out of range"),
    ("e.conllu", (E + E.replace("= a", "= b")).encode(), "different numbers of sentences"),
])  # fmt: skip
def test_bad_files(corpus: Path, name: str, content: bytes, said: str):
    (corpus / name).write_bytes(content)
    done = proj("analyze", corpus, "--strict")
    assert done.returncode == 1
    assert said in done.stderr


def test_terminal_escapes_in_forms_are_harmless(corpus: Path):
    (corpus / "f.conllu").write_text(F.replace("ja", "\x1b[31mja"))
    done = proj("analyze", corpus, "--edges")
    assert "\x1b" not in done.stdout


def test_draw(tmp_path: Path):
    done = proj("draw", CORPUS, "--sent", "deu-010")
    assert done.stdout.startswith("<svg")
    assert proj("draw", CORPUS, "--sent", "10").stdout == done.stdout
    proj("draw", CORPUS, "--sent", "deu-010", "-o", tmp_path / "pair.svg")
    assert (tmp_path / "pair.svg").read_text() == done.stdout
    assert "gern" in proj("draw", CORPUS, "--sent", "deu-010", "--text").stdout


def test_draw_unknown_sentence():
    done = proj("draw", CORPUS, "--sent", "nobody")
    assert done.returncode == 1
    assert "no sentence with id or number nobody" in done.stderr


def test_corpora_and_cite():
    assert "hin-eng" in proj("corpora").stdout
    assert "Georgi" in proj("cite").stdout
