"""Ctrl-C and SIGTERM at any moment: heard, without a traceback, with the right exit code, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from cli.commands import ROOT
from cli.test_cluster import alive, wait_for
from cli.test_jobs import interlinear

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")]
CORPUS = ROOT / "corpora" / "kor-eng"
AT_IMPORT = """
import os, signal, sys
count = [0]
def hook(event, args):
    if event == "import":
        if count[0] or args[0] == "proj_cli.commands":
            count[0] += 1
        if count[0] == {number}:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
from proj_cli import main
main()
"""
COMPILING = """
import hashlib, sys
from pathlib import Path
from divproj.runtime import jit
mark = Path(sys.argv.pop(1))
def compile(twin, stamp):
    mark.touch()
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2_000_000_000)  # without end, and deaf, as LLVM is for seconds
jit._cache = compile
from proj_cli import main
main()
"""
PARSER = "import os, pathlib, sys, time\npathlib.Path(sys.argv[1]).write_text(str(os.getppid()))\ntime.sleep(600)\n"


def start(*words: object, **options: object) -> subprocess.Popen[str]:
    """A process in a group of its own, as a terminal has it."""
    return subprocess.Popen(
        [sys.executable, "-P", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # jobs in the background are deaf to it
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize("number", [1, 20, 150, 400, 600])
def test_ctrl_c_while_modules_are_imported(number: int, tmp_path: Path):
    """The first moments of a command are imports, in the middle of which an interrupt can be lost or become another error."""
    process = start("-c", AT_IMPORT.format(number=number), "project", CORPUS, "-o", tmp_path / "out.conllu")
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_while_a_kernel_is_compiled(number: signal.Signals, code: int, tmp_path: Path):
    (tmp_path / "results").mkdir()
    words = ("words", CORPUS, "--fast", "-o", tmp_path / "results" / "links.txt")
    process = start("-c", COMPILING, tmp_path / "mark", *words)
    wait_for((tmp_path / "mark").exists)
    assert os.listdir(tmp_path / "results"), "something has begun"
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (code, "")
    assert os.listdir(tmp_path / "results") == []


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("send", [lambda pid: os.killpg(pid, signal.SIGINT), lambda pid: os.kill(pid, signal.SIGTERM)])
def test_at_work(send: Callable[[int], None], jobs: int, tmp_path: Path):
    """Ctrl-C goes to all processes of the terminal, SIGTERM to one."""
    (tmp_path / "results").mkdir()
    parser, mark, text = tmp_path / "parser.py", tmp_path / "mark", interlinear(tmp_path / "text.txt", 600)
    parser.write_text(PARSER)
    words = ("project", text, "--system", "s1-r", "--e-parser", f"{sys.executable} {parser} {mark}", "-j", jobs)
    process = start("-m", "divproj", *words, "-o", tmp_path / "results" / "out.conllu")
    wait_for(lambda: mark.exists() and mark.read_text())
    send(process.pid)
    _, err = process.communicate(timeout=300)
    assert process.returncode in (130, 143)
    assert "Traceback" not in err
    assert os.listdir(tmp_path / "results") == []
    wait_for(lambda: not alive(int(mark.read_text())))


def test_while_all_kernels_are_compiled(tmp_path: Path):
    cache = tmp_path / "cache"
    process = start("-m", "divproj", "warm", "-j", 2, env=os.environ | {"NUMBA_CACHE_DIR": str(cache)})
    wait_for(lambda: list(cache.rglob("*.nbi")))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (130, "")
