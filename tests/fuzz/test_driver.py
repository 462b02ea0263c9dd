"""bench/robustness/fuzz.py tells what it tried: a target that did not run is no success."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench" / "robustness" / "fuzz.py"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", ["", *sys.path])  # it puts a folder in the place of the first
    spec = importlib.util.spec_from_file_location("bench_fuzz", BENCH)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script.Table, "write", lambda _: Path("fuzz.json"))  # the kept results stay
    return script


@pytest.mark.parametrize(
    ("counts", "faults", "told", "code"),
    [
        ({"a": Counter(read=2), "b": Counter(refused=1)}, [], "0 faults; 2 of 2 targets ran\n", 0),
        ({"a": Counter(read=2), "b": Counter()}, [], "0 faults; 1 of 2 targets ran; these did not: b\n", 1),
        ({"a": Counter(read=1, failed=1)}, ["fault a~1.0.0"], "1 faults; 1 of 1 targets ran\n", 1),
    ],
)
def test_report(bench, capsys, counts, faults, told, code):
    with bench.Table("fuzz", "Damaged files", *bench.COLUMNS) as table:
        assert bench.report(table, counts, faults) == code
    assert capsys.readouterr().out.endswith(told)


@pytest.mark.parametrize(
    ("log", "ended", "row", "code"),
    [
        ("{}\n#25\tDONE   cov: 340 ft: 378\nstat::number_of_executed_units: 30\n", 0, "| a | 30 | 340 | ok |", 0),
        ("ValueError: no seed\n", 1, "| a | 0 | 0 | not run, see ", 1),
        ("{}\n#25\tDONE   corp: 1/1b\n", 0, "| a | 25 | 0 | not run, see ", 1),
        ("{}\n#25\tNEW    cov: 3\nfault a~guided.1 KeyError\n#30\tDONE   cov: 3\n", 0, "| a | 30 | 3 | 1 faults |", 1),
        ("{}\n#2\tINITED cov: 3\n", 77, "fault a ended with 77, see ", 1),
    ],
)
def test_guided_report(bench, monkeypatch, tmp_path, capsys, log, ended, row, code):
    """What a guided process said, as libFuzzer writes it; without branches nothing guides."""
    monkeypatch.setattr(bench, "OUT", tmp_path)
    monkeypatch.setattr(bench, "forked", lambda name, seconds, path: path.write_text(log.format(bench.BEGUN)) and ended)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert bench.drive_guided(["a"], 1) == code
    out = capsys.readouterr().out
    assert row in out
    assert f"{int('not run' not in row)} of 1 targets ran" in out


def test_kernels_are_not_instrumented(bench):
    found = bench.kernel_modules()
    assert {"divproj.parsing.features", "divproj.links.word_direction", "divproj.io.fast"} <= set(found)
    assert not {
        "divproj.runtime.modelfile",
        "divproj.runtime.checkpoint",
        "divproj.parsing.language",
        "divproj.io.corpus",
    } & set(found)
