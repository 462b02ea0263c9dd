"""`proj words`, `train`, `align train` and `induce` killed at any moment and resumed end with the bytes of an undisturbed run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.commands import ROOT, proj
from cli.test_align import NEW, OLD
from cli.test_induce import LINKS, E, F, sentence
from corpusfiles import write
from killing import kill_and_resume
from toybank import TREEBANK

from divproj.io.trees import conllu

pytestmark = [pytest.mark.long, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]
CORPUS = ROOT / "corpora" / "deu-eng"
SEED = int(os.environ.get("DIVPROJ_KILL_SEED", "1"))
TIMES = int(os.environ.get("DIVPROJ_KILLS", "2"))
"""Deaths of each command; more with another seed in a long run."""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    (tmp_path / "toy.conllu").write_text("".join(map(conllu.dumps, TREEBANK)))
    return tmp_path / "toy.conllu"


def test_words(tmp_path: Path):
    done = kill_and_resume(["words", CORPUS, "-o", "OUT", "--probs"], tmp_path, SEED, TIMES)
    assert any("forward" in kept for _, kept in done["killed"])


def test_words_in_shards(tmp_path: Path):
    done = kill_and_resume(["words", CORPUS, "-o", "OUT", "--probs", "--shard", 25], tmp_path, SEED, TIMES)
    assert any("learned-1" in kept for _, kept in done["killed"])


def test_train_a_language(treebank: Path, tmp_path: Path):
    command = ["train", treebank, "-o", "OUT", "--dev", treebank, "--set", "bits=14", "--epochs", 4]
    done = kill_and_resume(command, tmp_path, SEED, TIMES)
    assert any("parser-edges" in kept for _, kept in done["killed"])


def test_train_on_a_corpus(tmp_path: Path):
    command = ["train", CORPUS, "-o", "OUT", "--system", "s3-1", "--set", "bits=14", "--epochs", 3]
    done = kill_and_resume(command, tmp_path, SEED, max(2, TIMES // 2))
    assert any("parser-1-edges" in kept for _, kept in done["killed"])


def test_align_train(tmp_path: Path):
    (tmp_path / "old.mrg").write_text(OLD)
    (tmp_path / "new.mrg").write_text(NEW)
    files = [tmp_path / "old.mrg", tmp_path / "new.mrg"]
    command = ["align", "train", *files, "-o", "OUT", "--epochs", 2, "--set", "batch_size=1"]
    done = kill_and_resume(command, tmp_path, SEED, TIMES, often=())
    assert any("weights" in kept for _, kept in done["killed"])


def test_induce(tmp_path: Path):
    texts = ("".join(sentence(tags, f"s{k}") for k, tags in enumerate(side, 1)) for side in (F, E))
    small = write(tmp_path / "small", *texts, LINKS)
    done = kill_and_resume(["induce", small, "-o", "OUT", "--sweeps", 4, "--chains", 2], tmp_path, SEED, TIMES)
    assert any("chain-1" in kept for _, kept in done["killed"])


def test_words_killed_by_the_clock(tmp_path: Path):
    """At any moment after the first checkpoint, in the middle of a sweep or of writing."""
    chance = random.Random(SEED)
    pairs = [[chance.choice("abcdefghij") + chance.choice("klmnopq") for _ in range(14)] for _ in range(900)]
    for name in "fe":
        (tmp_path / f"{name}.txt").write_text("".join(" ".join(pair) + "\n" for pair in pairs))
    command = ("words", tmp_path / "f.txt", tmp_path / "e.txt", "--checkpoint", 0, "-o")
    assert proj(*command, tmp_path / "whole").returncode == 0
    for _ in range(5):
        kept = _killed_soon(command, tmp_path / "out", chance.uniform(0, 0.2))
        if kept:
            break
    assert kept, "was done before it could be killed"
    assert not (tmp_path / "out").exists()
    done = proj(*command, tmp_path / "out", "--resume")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not (tmp_path / "out.checkpoint").exists()


def _killed_soon(command: tuple[object, ...], out: Path, later: float) -> bool:
    """Kill the command some time after its first checkpoint; whether there was one."""
    out.unlink(missing_ok=True)
    running = subprocess.Popen([sys.executable, "-m", "divproj", *map(str, (*command, out))], stderr=subprocess.DEVNULL)
    while running.poll() is None and not list(Path(f"{out}.checkpoint").glob("*.npz")):
        time.sleep(0.005)
    time.sleep(later)
    running.kill()
    return running.wait() == -signal.SIGKILL and bool(list(Path(f"{out}.checkpoint").glob("*.npz")))


def test_what_is_said(treebank: Path, tmp_path: Path):
    command = ("train", treebank, "-o", tmp_path / "m", "--set", "bits=12", "--epochs", 2)
    done = proj(*command, "--resume")
    assert "there is no " in done.stderr
    assert "m.checkpoint to go on from: starting anew" in done.stderr
    (tmp_path / "m.checkpoint").mkdir()
    (tmp_path / "m.checkpoint" / "tagger.npz").write_bytes(b"not an archive")
    done = proj(*command)
    assert done.returncode == 0, done.stderr
    assert "m.checkpoint is of an interrupted run and will be replaced; --resume goes on from it" in done.stderr
    assert not (tmp_path / "m.checkpoint").exists()
    assert proj("words", CORPUS, "--resume").returncode == 2
