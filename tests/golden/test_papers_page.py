"""docs/papers.md: every table, algorithm, definition and equation of the papers has a row, and what the rows name is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
FAULTS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text(encoding="utf-8"))["fault"]
NUMBERED = {
    "Georgi": [
        *(f"Table {k}" for k in ("1", "2a", "2b", "3", "4", "5", "6")),
        *(f"Algorithm {k}" for k in range(1, 6)),
        *(f"eq. {k}" for k in range(1, 14)),
        *(f"Figure {k}" for k in range(1, 16)),
    ],
    "Arase": [
        *(f"Table {k}" for k in range(1, 4)),
        "Algorithm 4.1", "Algorithm B.1", "Algorithm 4.2", "Algorithm C.1", "Definition 3.1", "Definition 3.2", "eq. 1",
        *(f"Figure {k}" for k in range(1, 6)),
    ],
    "Snyder": ["eq. 1", "Figure 1", "Figure 2", "Table 1"],
}  # fmt: skip
"""What the papers number."""


def rows(paper: str) -> list[list[str]]:
    [part] = [part for part in PAGE.split("\n## ") if part.startswith(paper)]
    lines = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| in the paper")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def expanded(cell: str) -> set[str]:
    """`Figures 13-15` and `eq. 8 and 9` as single names, `Figure 6a` also as Figure 6."""
    found = set()
    for kind, numbers in re.findall(
        r"(Table|Figure|Algorithm|Definition|eq\.)s? ((?:(?:[A-C]\.)?[\d.]+[a-c]?(?:-| and )?)+)", cell
    ):
        for first, last in re.findall(r"((?:[A-C]\.)?\d+(?:\.\d+)?[a-c]?)(?:-(\d+))?", numbers):
            span = range(int(first), int(last) + 1) if last else [first]
            found |= {f"{kind} {number}" for number in span}
            found |= {f"{kind} {str(number).rstrip('abc')}" for number in span}
    return found


@pytest.mark.parametrize("paper", NUMBERED)
def test_everything_numbered_has_a_row(paper: str):
    there = set().union(*(expanded(row[0]) for row in rows(paper)))
    assert [name for name in NUMBERED[paper] if name not in there] == []


@pytest.mark.parametrize("paper", NUMBERED)
def test_what_is_named_is_there(paper: str):
    named = 0
    for what, code, tests, *_ in rows(paper):
        paths = re.findall(r"`([\w/]+\.py)`", code)
        assert paths, what
        for path in paths:
            assert (ROOT / "src" / "divproj" / path).is_file(), path
        assert ids(tests), what
        named += len(ids(tests))
    assert named >= len(rows(paper))


def ids(cell: str) -> list[str]:
    """The tests that a row names, as pytest takes them."""
    names = re.findall(r"`([^`]*\.py(?:::[^`]*)?)`", cell)
    assert all(re.fullmatch(r"tests/[\w/]+\.py(::\w+){0,2}", name) for name in names), cell
    return names


def test_the_named_tests_are_collected():
    """By pytest itself, which refuses what is no test."""
    named = sorted({name for paper in NUMBERED for row in rows(paper) for name in ids(row[2])})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-n", "0", "-p", "no:cacheprovider", *named]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, [line for line in run.stdout.splitlines() + run.stderr.splitlines() if "ERROR" in line]
    lines = run.stdout.splitlines()
    assert [name for name in named if not any(re.match(rf"{name}(::|\[|$)", line) for line in lines)] == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["row"])
def test_faults_are_of_rows_and_modules(fault: dict[str, str]):
    named = [
        row for paper in NUMBERED for row in rows(paper) if row[0].startswith(fault["row"]) and fault["test"] in ids(row[2])
    ]
    assert len(named) == 1
    assert (ROOT / "src" / "divproj" / fault["module"]).read_text(encoding="utf-8").count(fault["old"]) == 1


@pytest.mark.long
def test_faults_are_noticed():
    """The test that a row names fails with its fault, for ten rows, each in a fork of one process."""
    command = [sys.executable, "bench/tools/mutants.py", "--faults", "tests/golden/faults.toml", "--sample", "10"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-1000:]
    assert json.loads(run.stdout) == {"tried": 10, "killed": 10, "survivors": []}


def test_ranges_are_expanded():
    assert expanded("Figures 13-15, eq. 8 and 9, Algorithms 4.1 and B.1, Table 2a") >= {
        "Figure 14", "eq. 9", "Algorithm 4.1", "Algorithm B.1", "Table 2a", "Table 2",
    }  # fmt: skip
