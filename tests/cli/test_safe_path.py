"""Python files that lie among the texts are never run: not by `proj`, not by a process that it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.commands import ROOT
from cli.test_cluster import scheduler, wait_for_workers
from cli.test_jobs import interlinear

from divproj.runtime.safe_path import OURS, VARIABLE, original_environment, protect

pytestmark = pytest.mark.long

PLANTED = ("struct", "random", "numpy", "joblib", "typing_extensions", "divproj", "proj_cli", "sitecustomize", "usercustomize")
PARSER = f"{sys.executable} -P {Path(__file__).parents[1] / 'rootparser.py'}"
"""A parser that is quick: what is looked at here are processes."""
SCRIPT = "import sys\nfrom proj_cli import main\nsys.exit(main())\n"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with modules that leave their name in `ran.txt` beside it when somebody runs them."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in PLANTED:
        (folder / f"{name}.py").write_text(
            f"with open({str(tmp_path / 'ran.txt')!r}, 'a') as out:\n    out.write('{name} ')\nraise ImportError('planted')\n"
        )
    interlinear(folder / "text.txt", 600)
    return folder


def ran(folder: Path) -> str:
    """The planted modules that were run."""
    path = folder.parent / "ran.txt"
    return path.read_text() if path.exists() else ""


@pytest.fixture
def script(tmp_path: Path) -> list[str]:
    """The command as `pip` installs it: a script in a folder of scripts."""
    path = tmp_path / "bin" / "proj"
    path.parent.mkdir()
    path.write_text(SCRIPT)
    return [sys.executable, str(path)]


def call(command: list[str], *words: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *map(str, words)], cwd=cwd, capture_output=True, text=True, env=clean_environment() | environment
    )


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", VARIABLE)} | {"NO_COLOR": "1"}


def test_workers_of_project(texts: Path, script: list[str]):
    done = call(script, "project", "text.txt", "-j", 2, "-o", "out.conllu", "--system", "s1-r", "--e-parser", PARSER, cwd=texts)
    assert (ran(texts), done.returncode) == ("", 0), done.stderr
    assert (texts / "out.conllu").exists()


def test_workers_of_words(texts: Path, script: list[str]):
    for side in "fe":
        (texts / f"{side}.txt").write_text("".join(f"{side}{k % 7} {side}{k % 5} {side}{k % 3}\n" for k in range(60)))
    done = call(script, "words", "f.txt", "e.txt", "--shard", 20, "--fast", "-j", 2, "-o", "links.txt", cwd=texts)
    assert (ran(texts), done.returncode) == ("", 0), done.stderr


def test_workers_of_experiment(texts: Path, script: list[str]):
    corpus = ROOT / "corpora" / "kor-eng"
    done = call(script, "experiment", corpus, "--systems", "s1-r", "--folds", 2, "-j", 2, cwd=texts)
    assert (ran(texts), done.returncode) == ("", 0), done.stderr


def test_a_run_without_options(texts: Path, script: list[str]):
    """It uses all cores; on a machine with one core there are no workers to look at."""
    interlinear(texts / "text.txt", 1200)
    (texts / "divproj.toml").write_text(
        f'[input]\ntext = "text.txt"\n[parse]\ncommand = "{PARSER}"\n[project]\nsystem = "s1-r"\n'
    )
    done = call(script, "run", cwd=texts)
    assert (ran(texts), done.returncode) == ("", 0), done.stderr


def test_python_m_divproj(texts: Path):
    """Python itself finds `divproj` in the working folder first; what follows is up to us."""
    (texts / "divproj.py").unlink()
    command = [sys.executable, "-m", "divproj"]
    done = call(
        command, "project", "text.txt", "-j", 2, "-o", "out.conllu", "--system", "s1-r", "--e-parser", PARSER, cwd=texts
    )
    assert (ran(texts), done.returncode) == ("", 0), done.stderr


def test_an_empty_entry_of_pythonpath(texts: Path, script: list[str]):
    """`PYTHONPATH=$PYTHONPATH:x` with nothing before it means the working folder, for this process and all that it starts."""
    for name in ("sitecustomize", "usercustomize", "divproj", "proj_cli", "typing_extensions"):  # run before any of our code
        (texts / f"{name}.py").unlink()
    empty = os.pathsep + str(texts.parent / "nothing")
    words = ("project", "text.txt", "-j", 2, "-o", "out.conllu", "--system", "s1-r", "--e-parser", PARSER)
    done = call(script, *words, cwd=texts, PYTHONPATH=empty)
    assert (ran(texts), done.returncode) == ("", 0), done.stderr


def test_the_users_own_parser_has_the_users_path(tmp_path: Path, script: list[str]):
    """A parser given as a command is the user's: `python -m` finds it in the working folder, with any number of jobs."""
    interlinear(tmp_path / "text.txt", 600)
    (tmp_path / "my_parser.py").write_text((ROOT / "tests" / "rootparser.py").read_text())
    command = f"{sys.executable} -m my_parser"
    for jobs in (1, 2):
        words = ("project", "text.txt", "--system", "s1-r", "--e-parser", command, "-j", jobs, "-o", f"{jobs}.conllu")
        done = call(script, *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "1.conllu").read_bytes() == (tmp_path / "2.conllu").read_bytes()


@contextmanager
def dask_worker(address: str, folder: Path, *options: str, **environment: str) -> Iterator[None]:
    words = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--death-timeout", "300", *options]
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=clean_environment() | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(300)


def test_a_dask_worker_among_the_texts(texts: Path, script: list[str]):
    """As the documentation starts it, with a nanny; the process that works is started by that."""
    pytest.importorskip("distributed")
    words = ("project", "text.txt", "--system", "s1-r", "--e-parser", PARSER, "-o", "out.conllu")
    with scheduler(texts.parent) as (_, address), dask_worker(address, texts, **{VARIABLE: "1"}):
        wait_for_workers(address)
        done = call(script, *words, "--scheduler", address, cwd=texts)
    assert (ran(texts), done.returncode, done.stderr.count("done here")) == ("", 0, 0), done.stderr


def test_a_dask_worker_that_was_started_without_a_safe_path(texts: Path, script: list[str]):
    """What Dask imports is its own matter; divproj is not looked for in the working folder, nor is what it imports."""
    pytest.importorskip("distributed")
    for name in set(PLANTED) - {"divproj", "proj_cli"}:
        (texts / f"{name}.py").unlink()
    words = ("project", "text.txt", "--system", "s1-r", "--e-parser", PARSER, "-o", "out.conllu")
    with scheduler(texts.parent) as (_, address), dask_worker(address, texts, "--no-nanny"):
        wait_for_workers(address)
        done = call(script, *words, "--scheduler", address, cwd=texts)
    assert (ran(texts), done.returncode, done.stderr.count("done here")) == ("", 0, 0), done.stderr


def test_a_local_dask_cluster(texts: Path, script: list[str]):
    """Started by a program of the user's from another folder, working on these texts."""
    pytest.importorskip("distributed")
    code = (
        "import sys, distributed\n"
        "if __name__ == '__main__':\n"
        "    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:\n"
        "        print(cluster.scheduler_address, flush=True)\n"
        "        sys.stdin.read()\n"
    )
    program = texts.parent / "bin" / "cluster.py"
    program.write_text(code)
    process = subprocess.Popen(
        [sys.executable, str(program)],
        cwd=texts,
        env=clean_environment() | {VARIABLE: "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        words = ("project", "text.txt", "--system", "s1-r", "--e-parser", PARSER, "-o", "out.conllu", "--scheduler", address)
        done = call(script, *words, cwd=texts)
    finally:
        process.communicate()
    assert (ran(texts), done.returncode, done.stderr.count("done here")) == ("", 0, 0), done.stderr


def test_what_is_set_and_what_is_taken_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    elsewhere = str(tmp_path / "elsewhere")
    monkeypatch.setattr(sys, "path", [str(tmp_path), elsewhere, "", "/usr/lib/python"])
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("", elsewhere)))
    protect()
    assert sys.path == [elsewhere, "/usr/lib/python"]
    assert (os.environ[VARIABLE], os.environ["PYTHONPATH"]) == (OURS, elsewhere)
    assert VARIABLE not in original_environment(os.environ)
    monkeypatch.setenv(VARIABLE, "1")
    protect()
    assert original_environment(os.environ)[VARIABLE] == os.environ[VARIABLE] == "1"


def test_the_folder_of_the_package_stays(monkeypatch: pytest.MonkeyPatch):
    """Who works on divproj itself may start it in its folder."""
    monkeypatch.chdir(ROOT / "src")
    monkeypatch.setattr(sys, "path", [str(ROOT / "src"), "/usr/lib/python"])
    protect()
    assert sys.path == [str(ROOT / "src"), "/usr/lib/python"]
