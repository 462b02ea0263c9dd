"""`--jobs` and `--scheduler` change nothing but the time, even when a worker is killed; full disks and busy folders lose nothing."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from corpusfiles import block, write
from typer.testing import CliRunner

from divproj.core.errors import Faults, ProjError
from divproj.io import corpus as chunks
from divproj.io import output
from divproj.io.output import Trees
from proj_cli import app

pytestmark = pytest.mark.long

PARSER = """
import os, pathlib, signal, sys
mark = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    if "kill" in line and not mark.exists():
        mark.touch()
        os.kill(os.getppid(), signal.SIGKILL)  # the worker that asked for this tree
    for k, word in enumerate(line.split(), 1):
        print(k, word, *"____", k - 1, "root" if k == 1 else "dep", *"__", sep="\\t")
    print()
"""


def interlinear(path: Path, count: int = 500) -> Path:
    """Instances with translations that have no trees; one in the middle knows how to kill, one cannot be read."""
    texts = []
    for k in range(count):
        verb = "kill" if k == count // 2 else "see"
        gloss = f"{verb} dog" if k != 7 else f"{verb} dog too many"
        texts.append(f"mira wan{k}\n{gloss}\n'{verb} dog {k}'\n")
    path.write_text("\n".join(texts))
    return path


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path, Path]:
    """Arguments of a job that kills one of its workers unless the mark is there, the mark, and what one core makes of it."""
    tmp_path = tmp_path_factory.mktemp("job")
    parser, mark, out = tmp_path / "parser.py", tmp_path / "mark", tmp_path / "one.conllu"
    parser.write_text(PARSER)
    command = [
        "project",
        str(interlinear(tmp_path / "text.txt")),
        "--system",
        "s1-r",
        "--e-parser",
        f"{sys.executable} {parser} {mark}",
    ]
    mark.touch()
    alone = proj(*command, "-o", out, "-j", 1)
    assert alone.returncode == 0, alone.stderr
    return command, mark, out


def test_a_killed_worker_changes_nothing(job, tmp_path):
    command, mark, alone = job
    mark.unlink()
    found = proj(*command, "-o", tmp_path / "two.conllu", "-j", 2)
    assert found.returncode == 0, found.stderr
    assert "proj: warning: a worker process was killed" in found.stderr
    assert mark.exists()
    assert (tmp_path / "two.conllu").read_bytes() == alone.read_bytes()


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two workers, which puts new ones in the place of those that die."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": "ERROR"}
    with distributed.LocalCluster(**options) as made:
        yield made


def test_a_cluster_and_a_killed_worker_change_nothing(job, cluster, tmp_path):
    command, mark, alone = job
    mark.unlink()
    found = proj(*command, "-o", tmp_path / "two.conllu", "--scheduler", cluster.scheduler_address)
    assert found.returncode == 0, found.stderr
    assert mark.exists()
    assert (tmp_path / "two.conllu").read_bytes() == alone.read_bytes()


def test_workers_write_their_own_shards(job, cluster, tmp_path):
    """Also where one of them is killed; nothing of them is left."""
    command, mark, alone = job
    for place in (["-j", 2], ["--scheduler", cluster.scheduler_address]):
        mark.unlink()
        found = proj(*command, "-o", tmp_path / "two.conllu", *place, "--shards", tmp_path)
        assert found.returncode == 0, found.stderr
        assert mark.exists()
        assert (tmp_path / "two.conllu").read_bytes() == alone.read_bytes()
        assert os.listdir(tmp_path) == ["two.conllu"]


def test_shards_that_cannot_be(job, tmp_path):
    found = proj(*job[0], "-j", 2, "--shards", tmp_path / "none")
    assert (found.returncode, found.stdout) == (1, "")
    seen = "every worker must see the folder `shards` under the same path"
    asked = seen.replace("`shards`", "--shards")
    assert f"none: no shards can be written here: No such file or directory; {asked}" in found.stderr
    trees = Trees(1, "text")
    with pytest.raises(ProjError, match=f"a worker does not see the folder for its shard; {seen}"):
        output.write_shard(lambda *_: trees, tmp_path / "none", [], Faults())
    made = output.write_shard(lambda *_: trees, tmp_path, [], Faults())
    assert made.text == ""
    assert output.read_shard(made) == trees
    with pytest.raises(ProjError, match=f"the shard of a worker is not here: No such file or directory; {seen}"):
        output.read_shard(made)


def test_no_scheduler_answers(tmp_path):
    pytest.importorskip("distributed")
    text = interlinear(tmp_path / "text.txt")
    with socket.socket() as mine:  # nobody listens here
        mine.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{mine.getsockname()[1]}"
        found = proj("project", text, "--system", "s1-r", "--e-parser", "cat", "--scheduler", address)
    assert found.returncode == 1
    assert found.stderr.startswith(f"proj: {address}: no Dask scheduler answers: [Errno ")
    assert found.stderr.endswith("; start one with `dask scheduler`, and give the address that it prints\n")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Pairs with faults here and there."""
    sides = []
    for side in range(2):
        heads = [(2, 0, 2), (0, 1), (2, 0, 5), (3, 1, 0)]
        sides.append("".join(block(heads[(k + side * k // 3) % 4], f"s{k}") for k in range(60)))
    sides[0] = sides[0].replace("# sent_id = s30\n1\t", "# sent_id = s30\n7\t")
    return write(tmp_path / "corpus", *sides, "".join(f"0-0 {k % 2}-1 {k % 5}-{k % 3}\n" for k in range(60)))


@pytest.mark.parametrize("options", [["--json"], ["--sentences"], ["--edges"], ["--html", "report.html"]])
def test_analyze_is_the_same_in_pieces(corpus, options, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    seen = []
    for chunk, jobs in ((1 << 20, "1"), (300, "1"), (300, "2")):
        monkeypatch.setattr(chunks, "CHUNK", chunk)
        found = CliRunner().invoke(app, ["-v", "analyze", "corpus", *options, "-j", jobs])
        assert found.exit_code == 0, found.output
        page = Path("report.html").read_bytes() if "--html" in options else b""
        seen.append((found.stdout, found.stderr, page))
    assert seen[0] == seen[1] == seen[2]
    assert "sent_id s30): ID is 7, 1 expected" in seen[0][1]


def test_parse_is_the_same(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("divproj.parsing.batch.SIZE", 10)
    Path("text.txt").write_text("".join(f"The dogs of {k} friends do not bite.\n" for k in range(40)))
    made = []
    for jobs in "12":
        found = CliRunner().invoke(
            app, ["parse", "text.txt", "--lang", "en", "-o", "out.conllu", "--forest", "f.jsonl", "-j", jobs, "--shards", "."]
        )
        assert found.exit_code == 0, found.output
        made.append((Path("out.conllu").read_bytes(), Path("f.jsonl").read_bytes()))
    assert made[0] == made[1]
    assert made[0][0].count(b"\n\n") == 40


def test_align_is_the_same(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("divproj.phrases.reading.BATCH", 2)
    trees = "(S (NP (NNS farmers)) (VP (VBP grow) (NP (JJ {}) (NNS apples))))\n"
    Path("old.mrg").write_text("".join(trees.format(f"red{k}") for k in range(8)))
    Path("new.mrg").write_text("".join(trees.format(f"red{k // 2}") for k in range(8)))
    made = []
    for jobs in "12":
        found = CliRunner().invoke(app, ["align", "old.mrg", "new.mrg", "-o", "out.jsonl", "-j", jobs])
        assert found.exit_code == 0, found.output
        made.append((Path("out.jsonl").read_bytes(), found.stderr))
    assert made[0] == made[1]
    assert made[0][0].count(b"\n") == 8


@pytest.fixture(scope="module")
def bitext(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], bytes]:
    """Arguments of `proj words` on a text of six shards, and what one core makes of it."""
    folder, chance = tmp_path_factory.mktemp("bitext"), random.Random(1)
    lines = [[f"w{min(int(chance.expovariate(0.1)), 40)}" for _ in range(12)] for _ in range(600)]
    (folder / "f.txt").write_text("".join(" ".join(line) + "\n" for line in lines))
    (folder / "e.txt").write_text("".join(" ".join(word.replace("w", "v") for word in line) + "\n" for line in lines))
    command = ["words", str(folder / "f.txt"), str(folder / "e.txt"), "--shard", "100", "--probs", "-o"]
    done = proj(*command, folder / "one")
    assert done.returncode == 0, done.stderr
    return command, (folder / "one").read_bytes()


def test_words_are_the_same(bitext, tmp_path):
    command, expected = bitext
    done = proj(*command, tmp_path / "two", "--save", tmp_path / "model", "-j", 2)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "two").read_bytes() == expected
    assert expected.count(b"\n") == 600
    assert (tmp_path / "model" / "weights.npz").exists()


def test_words_on_a_cluster_and_a_killed_worker(bitext, cluster, tmp_path):
    command, expected = bitext
    program = [sys.executable, "-m", "divproj", *command, tmp_path / "two", "--scheduler", cluster.scheduler_address]
    workers = cluster.scheduler.workers
    run = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
    busy = ""
    while run.poll() is None and not busy:
        busy = next((worker.address for worker in list(workers.values()) if worker.processing), "")
        time.sleep(0.002)
    busy = busy or next(iter(workers))  # a quick run may be over before a worker is seen at it
    os.kill(next(nanny.pid for nanny in cluster.workers.values() if nanny.worker_address == busy), signal.SIGKILL)
    said = run.communicate(timeout=600)[1]
    assert run.returncode == 0, said
    assert (tmp_path / "two").read_bytes() == expected


def small_disk() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))  # writing past that is an error, as on a full disk


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
@pytest.mark.parametrize("name", ["out.conllu", "out.conllu.gz"])
def test_a_full_disk_leaves_what_was_there(tmp_path, name):
    out = tmp_path / "made" / name
    out.parent.mkdir()
    out.write_text("old")
    command = [sys.executable, "-m", "divproj", "project", ROOT / "corpora" / "hin-eng", "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=small_disk)
    assert (done.returncode, done.stderr) == (1, f"proj: {out}: could not be written: File too large\n")
    assert out.read_text() == "old"
    assert os.listdir(out.parent) == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_files_that_belong_together_on_a_full_disk(tmp_path):
    """The links fit and the trees do not: links of other trees would be worse than none."""
    outputs = {"-o": tmp_path / "t.conllu", "--e-out": tmp_path / "e.conllu", "--links-out": tmp_path / "l.txt"}
    for path in outputs.values():
        path.write_text("old")
    words = [str(word) for pair in outputs.items() for word in pair]
    command = [sys.executable, "-m", "divproj", "-q", "project", str(ROOT / "corpora" / "hin-eng"), *words]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=small_disk)
    assert done.returncode == 1
    assert "could not be written: File too large" in done.stderr
    assert {path.read_text() for path in outputs.values()} == {"old"}
    assert len(os.listdir(tmp_path)) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of files")
def test_the_tutorial_on_a_full_disk(tmp_path):
    command = [sys.executable, "-m", "divproj", "tutorial", tmp_path / "t"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=small_disk)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    written = [path for path in (tmp_path / "t").rglob("*") if path.is_file()]
    whole = {path: (ROOT / "tutorial" / path.relative_to(tmp_path / "t")).read_bytes() for path in written}
    assert {path: path.read_bytes() for path in written} == whole


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chain-1.npz", ("induce", "--sweeps", "2", "--chains", "1")),
        (".checkpoint", ("align", "train", "--no-lexical", "--epochs", "1")),
    ],
)
def test_a_checkpoint_that_cannot_be_written_ends_no_work(tmp_path, name, words):
    model = tmp_path / "m"
    blocked = model / name if name.endswith("npz") else model.with_name(f"m{name}")
    inside = blocked / "in the way" / "x" if name.endswith("npz") else blocked
    inside.parent.mkdir(parents=True, exist_ok=True)
    inside.write_text("")
    command, *options = words
    first, rest = ([options[0]], options[1:]) if command == "align" else ([], options)
    done = proj(command, *first, ROOT / "corpora" / "deu-eng", "-o", model, *rest)
    assert done.returncode == 0, done.stderr
    assert "no checkpoint: " in done.stderr
    assert (model / "model.json").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_standard_output_is_full():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "divproj", "analyze", ROOT / "corpora" / "hin-eng", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "proj: No space left on device\n")


def test_a_folder_that_is_read_only(tmp_path):
    (tmp_path / "out.conllu").write_text("old")
    tmp_path.chmod(0o500)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("root may write anywhere")
        found = proj("project", ROOT / "corpora" / "hin-eng", "-o", tmp_path / "out.conllu")
        tables = proj("analyze", ROOT / "corpora" / "hin-eng", "--csv", tmp_path / "tables")
    finally:
        tmp_path.chmod(0o700)
    assert (found.returncode, found.stderr) == (1, f"proj: {tmp_path / 'out.conllu'}: cannot write here: Permission denied\n")
    assert (tables.returncode, tables.stderr) == (1, f"proj: {tmp_path / 'tables'}: Permission denied\n")
    assert (tmp_path / "out.conllu").read_text() == "old"


def test_runs_at_the_same_time_in_one_folder(tmp_path):
    """Several write the same file: it is always one of theirs, whole, and nothing else is left."""
    out = tmp_path / "out.conllu"
    corpora = [ROOT / "corpora" / name for name in ("hin-eng", "deu-eng")]
    expected = []
    for corpus in corpora:
        assert proj("project", corpus, "-o", out).returncode == 0
        expected.append(out.read_bytes())
    runs = [
        subprocess.Popen([sys.executable, "-m", "divproj", "-q", "project", corpora[k % 2], "-o", out], stderr=subprocess.PIPE)
        for k in range(3)
    ]
    while any(run.poll() is None for run in runs):
        assert out.read_bytes() in expected
    assert [run.communicate()[1] for run in runs] == [b""] * 3
    assert out.read_bytes() in expected
    assert os.listdir(tmp_path) == ["out.conllu"]


KERNEL = """
import numpy as np
from divproj.io import fast
text = np.frombuffer(bytearray(b"abcabc"), np.uint8)
print(fast.same_bytes.compiled(text, 0, 3, text, 3, 6))
"""


def test_runs_at_the_same_time_share_the_cache_of_compiled_code(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [subprocess.Popen([sys.executable, "-c", KERNEL], stdout=subprocess.PIPE, env=env) for _ in range(2)]
    assert [run.communicate()[0] for run in runs] == [b"True\n"] * 2
