"""`proj types`, and the commands that find its table."""

from __future__ import annotations

import json
from pathlib import Path

from cli.commands import proj

TEXT = """\
Bola nga dako
ball LNK big
'a big ball'

Mituo siya nga mikaon ang bata
believe 3SG COMP eat NOM child
'He believes that the child ate.'

Gamay nga bola
small LNK ball
'a small ball'
"""


def rows(path: Path) -> list[dict[str, str]]:
    header, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [dict(zip(header, line, strict=True)) for line in lines]


def tags(text: str, gloss: str) -> set[tuple[str, str]]:
    """Tags and relations of the words with this gloss."""
    lines = [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]
    return {(line[3], line[7]) for line in lines if f"Gloss={gloss}" in line[9].split("|")}


def test_from_the_table_to_the_trees(tmp_path: Path) -> None:
    text = tmp_path / "story.txt"
    text.write_text(TEXT, encoding="utf-8")
    done = proj("types", text)
    assert done.returncode == 0, done.stderr
    table = tmp_path / "story.types.tsv"
    assert f"10 word types written to {table}: 10 open, 0 tagged" in done.stderr
    assert "the first 10 open ones are expected to have" in done.stderr
    listed = rows(table)
    assert {row["gloss"] for row in listed} == {"ball", "LNK", "big", "believe", "3SG", "COMP", "eat", "NOM", "child", "small"}

    lines = table.read_text(encoding="utf-8").split("\n")
    filled = [f"PART\tlinker{line[1:]}" if line.startswith("\t\tLNK\t") else line for line in lines]
    filled = [f"NUON{line}" if line.startswith("\t\tbig\t") else line for line in filled]
    table.write_text("\r\n".join(filled), encoding="utf-8-sig")
    number = 1 + next(k for k, line in enumerate(filled) if line.startswith("NUON"))

    done = proj("project", text, "-o", tmp_path / "trees.conllu", "--json")
    assert f"{table}:{number}: 'NUON' is no tag" in done.stderr
    assert "1 word type tagged in story.types.tsv" in json.loads(done.stdout)["types"]
    assert {tag for tag, _ in tags((tmp_path / "trees.conllu").read_text(encoding="utf-8"), "LNK")} == {"PART"}
    assert proj("project", text, "--types", "none", "--json", "-o", tmp_path / "bare.conllu").stdout.count('"types": null') == 1

    done = proj("types", text)
    assert "10 open" not in done.stderr
    assert rows(table)[-1]["status"] == "answered"
    assert rows(table)[-1]["relation"] == "linker"


def test_a_run_finds_the_table_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "divproj.toml").write_text('[input]\ntext = "story.txt"\n[project]\nsystem = "s6"\n', encoding="utf-8")
    (tmp_path / "story.types.tsv").write_text("gloss\ttag\nLNK\tSCONJ\n", encoding="utf-8")
    done = proj("run", tmp_path / "divproj.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    trees = tmp_path / "results" / "trees.conllu"
    assert {tag for tag, _ in tags(trees.read_text(encoding="utf-8"), "LNK")} == {"SCONJ"}

    (tmp_path / "story.types.tsv").write_text("gloss\ttag\nLNK\tPART\n", encoding="utf-8")
    assert proj("run", tmp_path / "divproj.toml", cwd=tmp_path).returncode == 0
    assert {tag for tag, _ in tags(trees.read_text(encoding="utf-8"), "LNK")} == {"PART"}


def test_a_text_that_is_not_there(tmp_path: Path) -> None:
    done = proj("types", tmp_path / "none.txt")
    assert done.returncode == 1
    assert "none.txt" in done.stderr
