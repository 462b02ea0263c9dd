"""`bench/run.py` rewrites generated parts of RESULTS.md and leaves what was written by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
TEXT = """# Results

Newest first.

## Young

A remark before.

<!-- bench: young.py --size 3 -->

| old |
|---|
| 1 |

<!-- end -->

A remark after; with <!-- a comment --> too.

## Elder

<!-- bench: elder.py -->
<!-- end -->
"""
SCRIPT = """\"\"\"A tiny benchmark.\"\"\"
import sys
print("| new |\\n|---|\\n| " + " ".join(sys.argv[1:]) + " |")
sys.exit("no data" if "fail" in sys.argv else 0)
"""


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(BENCH))
    for name in ("run", "common"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import run

    monkeypatch.setattr(run, "HERE", tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    (tmp_path / "RESULTS.md").write_text(TEXT)
    for name in ("young", "elder", "new"):
        (tmp_path / f"{name}.py").write_text(SCRIPT)
    return run


def test_what_is_there(bench):
    assert bench.commands(TEXT) == ["elder.py", "young.py --size 3"]
    assert bench.missing(TEXT, ["young.py", "other.py"]) == ["other.py"]


def test_a_part_is_made_new_and_remarks_stay(bench, tmp_path: Path):
    results = tmp_path / "RESULTS.md"
    assert bench.renew(results, ["young.py --size 3"]) == []
    text = results.read_text()
    assert "| new |\n|---|\n| --size 3 |\n\n*`python bench/young.py --size 3`, " in text
    assert ", commit " in text
    assert "| old |" not in text
    before, after = TEXT.split("<!-- bench: young.py --size 3 -->")[0], TEXT.split("| 1 |\n\n")[1]
    assert text.startswith(before)
    assert text.endswith(after)
    once = bench.PART.sub("", text)
    assert bench.renew(results, ["young.py --size 3"]) == []
    assert bench.PART.sub("", results.read_text()) == once
    assert results.read_text().count("| new |") == 1


def test_a_script_that_fails_keeps_the_old_figures(bench, tmp_path: Path):
    results = tmp_path / "RESULTS.md"
    results.write_text(TEXT.replace("young.py --size 3", "young.py fail"))
    for _ in range(2):  # the remark is not repeated
        assert bench.renew(results, ["young.py fail"]) == ["young.py fail"]
    text = results.read_text()
    assert text.count("`python bench/young.py fail` failed (exit code 1); the figures below are older.*") == 1
    assert "| old |\n|---|\n| 1 |" in text
    assert "| new |" not in text
    assert "A remark after" in text


def test_a_script_without_a_section_gets_one_on_top(bench, tmp_path: Path):
    results = tmp_path / "RESULTS.md"
    assert bench.renew(results, ["new.py"]) == []
    text = results.read_text()
    assert text.startswith("# Results\n\nNewest first.\n\n## A tiny benchmark\n\n<!-- bench: new.py -->\n\n| new |")
    assert text.endswith(TEXT[TEXT.index("## Young") :])


def test_silence_is_a_failure(bench, tmp_path: Path):
    (tmp_path / "elder.py").write_text('"""Nothing."""\n')
    assert bench.renew(tmp_path / "RESULTS.md", ["elder.py"]) == ["elder.py"]
    assert "failed (it printed nothing)" in (tmp_path / "RESULTS.md").read_text()


def test_every_script_of_the_folder_is_run():
    done = subprocess.run([sys.executable, str(BENCH / "run.py"), "--list"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = {line.split()[0] for line in done.stdout.splitlines()}
    others = {
        "common.py",
        "cluster_killed.py",
        "fuzz.py",
        "fuzz_cli.py",
        "generate.py",
        "lock.py",
        "phrases_data.py",
        "run.py",
        "soak.py",
        "outputs.py",
        "output_cases.py",
        "before_after.py",
    }
    assert listed | others == {path.name for path in BENCH.glob("*.py")}
    done = subprocess.run([sys.executable, str(BENCH / "run.py"), "--only", "nonesuch"], capture_output=True, text=True)
    assert "no command has nonesuch in it; --list shows all" in done.stderr


def test_outputs_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Recordings differ where a file does, and where one lacks a case; what is volatile is blotted out."""
    monkeypatch.syspath_prepend(str(BENCH))
    import outputs

    for side, tree in (("old", "1\tHund\n2\tbellt\n"), ("new", "1\tHund\n2\tBellt\n")):
        for case, text in (("same", "x\n"), ("other", tree)):
            (tmp_path / side / case / "1").mkdir(parents=True)
            (tmp_path / side / case / "1" / "stdout").write_text(text)
    assert outputs.compare(tmp_path / "old", tmp_path / "old", []) == 0
    (tmp_path / "new" / "alone").mkdir()
    assert outputs.compare(tmp_path / "old", tmp_path / "new", []) == 2
    said = capsys.readouterr().out
    assert "line 2: 2\tbellt\n      but: 2\tBellt\n" in said
    assert said.endswith("3 cases, 2 differ\n")
    recorder = outputs.Recorder.__new__(outputs.Recorder)
    recorder.work, recorder.source, recorder.new_names = tmp_path, BENCH.parent, True
    told = f"divproj:1.2.0|cmd:run {tmp_path}/out, 0.53 s".encode()
    assert recorder.settled(told) == b"divproj:VERSION|cmd:run WORK/out, TIME s"
    assert recorder.settled(b"PK\xff 0.53 s") == b"PK\xff 0.53 s"
    monkeypatch.setitem(outputs.RENAMED, "project", {"--align": "--links"})
    assert recorder.named(["project", "x", "--align", "y"]) == ["project", "x", "--links", "y"]
    assert recorder.named(["analyze", "--align", "y"]) == ["analyze", "--align", "y"]


def test_outputs_have_cases_for_every_command(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCH))
    from output_cases import CASES, INPUTS

    from proj_cli import app

    names = {x.name or x.callback.__name__ for x in app.registered_commands if x.callback}
    names |= {x.name for x in app.registered_groups if x.name}
    assert names <= {command.removeprefix("-q ").split()[0] for case in CASES for command in case.commands}
    assert all(case.needs <= set(INPUTS) for case in CASES)


def test_no_script_hides_a_standard_module():
    """Scripts have their folder first on the path: a `numbers.py` beside them would break numpy."""
    assert not {path.stem for path in BENCH.glob("*.py")} & sys.stdlib_module_names
