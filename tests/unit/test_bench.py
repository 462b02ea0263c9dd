"""Benchmarks keep their tables as JSON, and the pages of figures are made from these."""

from __future__ import annotations

import ast
import doctest
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
SCRIPTS = sorted(path for kind in ("accuracy", "speed", "robustness", "tools") for path in (BENCH / kind).glob("*.py"))


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(ROOT))
    from bench import common, report, run

    monkeypatch.setattr(common, "OUT", Path("nowhere"))
    return SimpleNamespace(common=common, report=report, run=run)


def table_of(bench: SimpleNamespace, *rows: tuple[str, ...]):
    table = bench.common.Table("trees", "UAS", "corpus", "s5", "s6", seed=1)
    for row in rows:
        table.add(*row)
    return table


def test_a_table_is_printed_and_kept(bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table = table_of(bench, ("ger", "88.10", "**90.00**"), ("mean", "66.0 / 45.5", "+1.0"))
    table.note("two runs")
    path = table.write(tmp_path, ["bench/accuracy/trees.py", "--cap", "20"])
    assert "| ger | 88.10 | **90.00** |\n| mean | 66.0 / 45.5 | +1.0 |\n" in capsys.readouterr().out
    data = json.loads(path.read_text())
    assert data["rows"] == [{"corpus": "ger", "s5": 88.1, "s6": 90.0}, {"corpus": "mean", "s5": "66.0 / 45.5", "s6": "+1.0"}]
    assert (data["command"], data["seed"], data["notes"]) == ("python bench/accuracy/trees.py --cap 20", 1, ["two runs"])
    assert set(data) == {"caption", "command", "commit", "date", "machine", "seed", "notes", "rows"}
    result = bench.common.Result.load("trees", tmp_path)
    assert result.rows[0] == {"corpus": "ger", "s5": "88.10", "s6": "90.00"}, "digits are kept"
    assert result.text() == path.read_text()


def test_a_command_with_other_options_is_a_trial(bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bench.common, "OUT", tmp_path / "out")
    first = table_of(bench, ("ger", "1", "2")).write(tmp_path, ["bench/accuracy/trees.py", "--work", "/home/me/work"])
    kept = first.read_text().replace("--work PLACE", "--work WORK")
    assert "/home/me" not in kept
    first.write_text(kept)
    again = table_of(bench, ("ger", "3", "4")).write(tmp_path, ["bench/accuracy/trees.py", "--work", "../work"])
    assert again == first
    assert '"command": "python bench/accuracy/trees.py --work WORK"' in first.read_text()
    trial = table_of(bench, ("ger", "5", "6")).write(tmp_path, ["bench/accuracy/trees.py", "--work", "../work", "--cap", "3"])
    assert trial == tmp_path / "out" / "results" / "trees.json"
    assert bench.common.Result.load("trees", tmp_path).rows[0]["s5"] == "3"
    assert bench.common.same_command("python bench/x.py WHEEL …", "python bench/x.py a.whl b.whl")
    assert not bench.common.same_command("python bench/x.py WHEEL …", "python bench/y.py a.whl b.whl")


def test_a_script_that_fails_keeps_the_old_table(bench, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bench.common.Table, "write", lambda *_: pytest.fail("written"))
    with pytest.raises(ZeroDivisionError), bench.common.Table("x", "y", "a") as table:
        table.add(1 / 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"caption": "", "command": "x"}', "x.json: no commit, date, seed, rows; run its script again"),
        (
            '{"caption": "", "command": "", "commit": "", "date": "", "seed": 1, "rows": [{"a": 1}, {"b": 1}]}',
            "x.json: rows with other columns than the first (2 kinds), or no row; all must have the same",
        ),
    ],
)
def test_results_that_are_refused(bench, tmp_path: Path, text: str, message: str):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError) as error:
        bench.common.Result.load("x", tmp_path)
    assert str(error.value).endswith(message)
    with pytest.raises(ValueError, match=r"y\.json: not there; `python bench/run\.py --list` shows the commands"):
        bench.common.Result.load("y", tmp_path)


def test_tables_of_pages(bench, tmp_path: Path):
    rows = [("ger", "88.10", "90.0 / 80.5 (70.1)"), ("gli", "1", "2 / 3 (4)"), ("mean", "3", "-5.5 / 6 (7)")]
    table_of(bench, *rows).write(tmp_path, ["bench/x.py"])
    mark = '<!-- result: trees rows="mean|s5=88.10" columns="corpus=language|s6[1]=LAS" -->\n'
    page = f"Before.\n\n{mark}stale\n<!-- end -->\n\nAfter.\n"
    filled = bench.report.fill(page, tmp_path)
    assert (
        filled == f"Before.\n\n{mark}\n| language | LAS |\n|---|---|\n| mean | 6 |\n| ger | 80.5 |\n\n<!-- end -->\n\nAfter.\n"
    )
    assert bench.report.fill(filled, tmp_path) == filled
    with pytest.raises(ValueError, match="trees: no row hua; there are ger, gli, mean"):
        bench.report.fill(page.replace("mean|", "hua|"), tmp_path)
    with pytest.raises(ValueError, match="trees: no column s7; there are corpus, s5, s6"):
        bench.report.fill(page.replace("s6[1]", "s7[1]"), tmp_path)


def test_pages_are_what_the_results_say(bench):
    """RESULTS.md, the table of README.md and the tables of docs/results.md."""
    for path, text in bench.report.pages().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run python bench/report.py"
    lines = (BENCH / "RESULTS.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= bench.report.MOST_LINES, "shorten it: what was tried goes to bench/notes"


def test_a_page_that_disagrees_is_named(bench, monkeypatch: pytest.MonkeyPatch):
    page = ROOT / "docs" / "results.md"
    monkeypatch.setattr(sys, "argv", ["report.py", "--check"])
    bench.report.main()
    monkeypatch.setattr(bench.report, "pages", lambda: {page: "other"})
    with pytest.raises(SystemExit, match=r"not what bench/results says: docs/results.md; run python bench/report.py"):
        bench.report.main()


def test_benchmarks_say_what_they_need(bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from bench.accuracy import phrases_data

    monkeypatch.setattr(phrases_data.wordnet, "find", lambda: None)
    phrases_data.lexicon.cache_clear()
    with pytest.raises(SystemExit, match="WordNet is not there, and the kept figures were measured with it; set WNHOME"):
        phrases_data.lexicon()
    with pytest.raises(
        SystemExit, match=r"nowhere is not there; set DIVPROJ_DATA to a folder with the data of bench/README.md"
    ):
        bench.common.need(tmp_path / "nowhere")


def test_every_result_answers_a_question(bench):
    asked = bench.report.questions()
    named = [name for question in asked for name in question.results]
    assert len(set(named)) == len(named)
    assert set(named) == {path.stem for path in (BENCH / "results").glob("*.json")}
    notes = {path.stem for path in (BENCH / "notes").glob("2*.md")}
    assert {name for question in asked for name in question.notes} <= notes


def test_every_script_writes_results_that_are_known(bench):
    """The scripts that results name exist; every script that measures keeps tables, and each of these belongs to a result."""
    results = [bench.common.Result.load(path.stem) for path in (BENCH / "results").glob("*.json")]
    assert {ROOT / result.command.split()[1] for result in results} <= set(SCRIPTS)
    helpers = {"phrases_data.py", "phrases_tune.py"}
    for script in SCRIPTS:
        if script.parent.name != "tools" and script.name not in helpers:
            assert "Table(" in script.read_text(encoding="utf-8"), script
            assert any(result.name.startswith(script.stem) for result in results), script
    for result in results:
        assert result.name.startswith(Path(result.command.split()[1]).stem), result.name
        assert str(Path.home()) not in result.text()


def test_scripts_and_tools_are_in_the_readme():
    readme = (BENCH / "README.md").read_text(encoding="utf-8")
    used = {"phrases_data.py"}
    assert [script.name for script in SCRIPTS if script.name not in used and script.name not in readme] == []


def test_commands_are_run_again(bench, capsys: pytest.CaptureFixture[str]):
    names = ("glossbanks", "growth-commands", "growth-reading", "fuzz")
    results = [bench.common.Result.load(name) for name in names]
    growth, glossbanks = "python bench/speed/growth.py", "python bench/accuracy/glossbanks.py --work WORK --cap 200"
    assert bench.run.commands(results) == [glossbanks, growth]
    assert bench.run.commands(results, ["fuzz", "growth"]) == [growth, results[-1].command]
    words: list[list[str]] = []
    failed, left_out = bench.run.run_all([glossbanks, growth], {}, lambda some: words.append(some) or 3)
    assert (failed, left_out, words) == ([growth], [glossbanks], [["bench/speed/growth.py"]])
    assert bench.run.run_all([glossbanks], {"WORK": "/w"}, lambda some: words.append(some) or 0) == ([], [])
    assert words[-1] == ["bench/accuracy/glossbanks.py", "--work", "/w", "--cap", "200"]
    assert "exit code 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--only", "nonesuch"), "no command has nonesuch in it; --list shows all"),
        (("--place", "WORK"), "--place WORK: a name, =, and a folder were expected, as in WORK=../work"),
    ],
)
def test_run_refuses(words: tuple[str, ...], message: str):
    done = subprocess.run([sys.executable, str(BENCH / "run.py"), *words], capture_output=True, text=True)
    assert done.returncode
    assert message in done.stderr


def test_doctests(bench):
    from bench.speed import growth  # noqa: F401  a script is importable with the repository on the path

    for module in (bench.common, bench.report, bench.run):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_imports_of_scripts_exist(script: Path):
    """What a script imports from the library is there: scripts are not run by the tests."""
    import importlib

    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("divproj", "proj_cli"):
            module = importlib.import_module(node.module or "")
            for alias in node.names:
                if not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")


def test_no_script_hides_a_standard_module():
    """Scripts have their folder first on the path: a `numbers.py` beside them would break numpy."""
    assert not {path.stem for path in SCRIPTS} & sys.stdlib_module_names


def test_outputs_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Recordings differ where a file does, and where one lacks a case; what is volatile is blotted out."""
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.tools import outputs

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
    recorder.work, recorder.source, recorder.new_names = tmp_path, ROOT, True
    told = f"divproj:1.2.0|cmd:run {tmp_path}/out, 0.53 s".encode()
    assert recorder.settled(told) == b"divproj:VERSION|cmd:run WORK/out, TIME s"
    assert recorder.settled(b"PK\xff 0.53 s") == b"PK\xff 0.53 s"
    monkeypatch.setitem(outputs.RENAMED, "project", {"--align": "--links"})
    assert recorder.named(["project", "x", "--align", "y"]) == ["project", "x", "--links", "y"]
    assert recorder.named(["analyze", "--align", "y"]) == ["analyze", "--align", "y"]


def test_outputs_have_cases_for_every_command(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.tools.output_cases import CASES, INPUTS

    from proj_cli import app

    names = {x.name or x.callback.__name__ for x in app.registered_commands if x.callback}
    names |= {x.name for x in app.registered_groups if x.name}
    assert names <= {command.removeprefix("-q ").split()[0] for case in CASES for command in case.commands}
    assert all(case.needs <= set(INPUTS) for case in CASES)


CODE = {
    "src/divproj/__init__.py": "",
    "src/divproj/a.py": "from divproj import b\nclass Part: pass\ndef gathered(what): return [own for own in what]\n",
    "src/divproj/b.py": "class Part: pass\nclass _Own: pass\ndef read():\n    return 'f.conllu', (found := 1)\n",
    "src/divproj/c.py": "import divproj.a, divproj.b\ndef held(): return old()\ndef hold(): return 'other.conllu'\n",
    "cli/proj_cli/d.py": "NAME = 'f.conllu'\nfrom divproj import a\n",
}


def test_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(ROOT))
    from bench.tools import count

    for name, text in CODE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    code = count.modules(tmp_path)
    assert [module.name for module in code] == ["divproj", "divproj.a", "divproj.b", "divproj.c", "proj_cli.d"]
    assert list(count.double_classes(code)) == ["Part: divproj.a, divproj.b"]
    assert list(count.one_importer(code)) == []
    (tmp_path / "src/divproj/c.py").write_text("import divproj.a\ndef held(): return 1\n")
    code = count.modules(tmp_path)
    assert list(count.one_importer(code)) == ["src/divproj/b.py (by src/divproj/a.py)"]
    assert [name.split()[-1] for name in count.participles(code)] == ["gathered"]
    assert sorted(name.split()[-1] for name in count.vague_variables(code)) == ["found", "own", "what"]
    assert list(count.pair_folders(code)) == ["src/divproj/b.py read", "cli/proj_cli/d.py (module)"]
    option = SimpleNamespace(param_type_name="option", opts=["-o", "--output"], hidden=True)
    quiet = SimpleNamespace(param_type_name="option", opts=["--quiet"], hidden=False)
    inner = SimpleNamespace(params=[option, quiet, SimpleNamespace(param_type_name="argument")])
    outer = SimpleNamespace(commands={"group": SimpleNamespace(params=[], commands={"run": inner})})
    assert list(count.options(outer)) == ["proj group run --output (hidden)"]


def test_the_code_is_within_its_limits():
    from bench.tools import count

    above = [f"{each.title}: {len(each.names)} (at most {each.limit})" for each in count.counts(count.ROOT) if each.is_above]
    assert above == []



def test_the_code_is_within_its_limits():
    from bench.tools import count

    above = [f"{each.title}: {len(each.names)} (at most {each.limit})" for each in count.counts(count.ROOT) if each.is_above]
    assert above == []



def test_counts_of_this_checkout():
    """The script runs; whether the limits hold is for `--check`."""
    done = subprocess.run([sys.executable, str(BENCH / "tools" / "count.py"), "--list"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "\n| modules | " in done.stdout
    assert "\n## pair folders\n" in done.stdout
