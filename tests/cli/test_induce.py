"""`proj induce`, `proj induce parse`, `proj evaluate --brackets` and `proj draw --induced` through a pipe."""

from __future__ import annotations

import functools
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import pytest
from cli.commands import ROOT, proj
from corpusfiles import write

entry = importlib.import_module("proj_cli.commands")
CORPUS = ROOT / "corpora" / "deu-eng"


def here(*args: object) -> subprocess.CompletedProcess[str]:
    """As `proj`, but in this process: much faster where only messages are looked at."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    words, old, code = ["proj", *map(str, args)], sys.argv, 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(entry, "_lighten"):  # which leaves one command for good
        try:
            sys.argv = words
            entry.main()
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            sys.argv = old
    told = []
    for stream in (out, err):
        stream.flush()
        told.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(words, code, *told)


def sentence(tags: str, sent_id: str) -> str:
    rows = [f"{k}\t{tag.lower()}{k}\t_\t{tag}\t{tag[0]}\t_\t_\t_\t_\t_" for k, tag in enumerate(tags.split(), 1)]
    return "\n".join([f"# sent_id = {sent_id}", *rows]) + "\n\n"


F = ("DET NOUN VERB", "DET ADJ NOUN VERB", "VERB DET NOUN PUNCT", "INTJ", "PUNCT")
E = ("DET NOUN VERB", "DET NOUN ADJ VERB", "DET NOUN VERB", "INTJ PUNCT", "NOUN")
LINKS = "0-0 1-1 2-2\n0-0 1-2 2-1 3-3\n0-2 2-1\n0-0\n\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """A tagged bitext without any head: five pairs, one with an empty side once punctuation is gone, one of single words."""
    texts = ("".join(sentence(tags, f"s{k}") for k, tags in enumerate(side, 1)) for side in (F, E))
    return write(tmp_path_factory.mktemp("small"), *texts, LINKS)


@pytest.fixture(scope="module")
def model(small: Path, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("induce") / "model"
    done = proj("induce", small, "-o", folder, "--sweeps", 6, "--chains", 2)
    assert done.returncode == 0, done.stderr
    assert "1 pair without words on both sides left out" in done.stderr
    assert "HEAD" not in done.stderr
    assert "chain 2: sweep 6, log-joint" in done.stderr
    assert "aligned pairs a sentence" in done.stderr
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_same_seed_gives_the_same_bytes(small: Path, model: Path, tmp_path: Path):
    assert here("induce", small, "-o", tmp_path / "m", "--sweeps", 6, "--chains", 2, "-j", 2).returncode == 0
    assert files(tmp_path / "m") == files(model)
    about = json.loads((model / "model.json").read_text())
    assert about["signature"].startswith("divproj:")
    assert len(about["chains"]) == 2


def test_resume_goes_on_to_the_same_bytes(small: Path, model: Path, tmp_path: Path):
    """A chain that was left in the middle (another has not begun) ends as if nothing had happened."""
    code = (
        "import sys; from divproj.induction import inducer; old = inducer.BilingualInducer._sweep\n"
        "def sweep(self):\n    told = old(self)\n    if self.done_ == 4: import _thread; _thread.interrupt_main()\n    return told\n"
        "inducer.BilingualInducer._sweep = sweep\nfrom proj_cli.commands import main; main()"
    )
    command = [sys.executable, "-c", code, "induce", str(small), "-o", str(tmp_path / "m"), "--sweeps", "6", "--chains", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert "what the last sweep found is kept, --resume goes on from there" in done.stderr
    assert (tmp_path / "m" / "model.json").exists()
    done = here("induce", small, "-o", tmp_path / "m", "--sweeps", 6, "--chains", 2, "--resume")
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "m") == files(model)
    other = here("induce", small, "-o", tmp_path / "m", "--sweeps", 6, "--set", "mode=matchings", "--resume")
    assert other.returncode == 1
    assert "the checkpoint is of another corpus or other settings" in other.stderr


@pytest.mark.skipif(os.name == "nt", reason="no signals")
def test_ctrl_c_keeps_the_last_sweep(tmp_path: Path):
    command = [
        sys.executable,
        "-m",
        "divproj",
        "induce",
        str(CORPUS),
        "-o",
        str(tmp_path / "m"),
        "--sweeps",
        "100000",
        "-v",
        "--set",
        "restarts=1",
    ]
    hearing = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # jobs in the background are deaf to it
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=hearing) as running:
        assert running.stderr
        for line in running.stderr:
            if "sweep 2 " in line:
                break
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        rest = running.stderr.read()
    assert running.returncode == 130, rest
    assert (tmp_path / "m" / "weights.npz").exists()
    assert here("induce", "parse", CORPUS / "f.conllu", "--model", tmp_path / "m").stdout.count("\n") == 66


def test_parse_brackets_and_forests(small: Path, model: Path, tmp_path: Path):
    done = here("induce", "parse", small / "f.conllu", "--model", model)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 5
    assert lines[3] == "(INTJ intj1)"
    assert lines[4] == "(PUNCT punct1)"
    assert "(PUNCT punct4)" in lines[2]
    forest = here("induce", "parse", small / "e.conllu", "--model", model, "--side", "e", "--forest")
    rows = [json.loads(line) for line in forest.stdout.splitlines()]
    assert len(rows) == 5
    assert rows[0]["format"] == "divproj-forest"
    (tmp_path / "f.txt").write_text(done.stdout)
    (tmp_path / "e.jsonl").write_text(forest.stdout)
    for path in ("f.txt", "e.jsonl"):
        assert here("evaluate", "--brackets", tmp_path / path, tmp_path / path, "--json").returncode == 0
    stdin = proj("induce", "parse", "-", "--model", model, "--decode", "mbr", stdin=(small / "f.conllu").read_bytes())
    assert stdin.stdout.count("\n") == 5


def test_words_with_blanks_and_brackets_are_scored(small: Path, model: Path, tmp_path: Path):
    """Numbers such as 10 000 are one word of CoNLL-U; so are smileys."""
    gold = tmp_path / "gold.conllu"
    text = (small / "f.conllu").read_text().replace("det1", "10 000").replace("verb3", "10\u00a0%").replace("noun2", ":(")
    gold.write_text(text, encoding="utf-8")
    for name, options in (("trees.txt", ()), ("forests.jsonl", ("--forest",))):
        done = here("induce", "parse", gold, "--model", model, "-o", tmp_path / name, *options)
        assert done.returncode == 0, done.stderr
        done = here("evaluate", "--brackets", gold, tmp_path / name, "--json")
        assert done.returncode == 0, done.stderr
    assert "(DET 10\\u0020000)" in (tmp_path / "trees.txt").read_text(encoding="utf-8")


def test_evaluate_brackets(tmp_path: Path):
    (tmp_path / "gold.txt").write_text("(S (NP (DT a) (NN b)) (VP (VBZ c) (NP (NN d))) (. .))\n(S (UH yes))\n")
    (tmp_path / "one.txt").write_text("(X (X (A a) (B b)) (X (C c) (D d) (. .)))\n(X (UH yes))\n")
    (tmp_path / "two.txt").write_text("(X (A a) (X (B b) (X (C c) (D d))))\n(UH yes)\n")
    done = here("evaluate", "--brackets", tmp_path / "gold.txt", tmp_path / "one.txt", tmp_path / "two.txt", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found[str(tmp_path / "one.txt")]["f1"] == 100
    assert found[str(tmp_path / "two.txt")]["right"] == 2
    assert found["upper bound"]["f1"] == 100
    assert found["p"] == 1.0 or found["p"] > 0.05
    table = here("evaluate", "--brackets", tmp_path / "gold.txt", tmp_path / "one.txt").stdout
    assert "right" in table
    assert "1 sentence of two words or more" in table
    done = here("evaluate", "--brackets", CORPUS / "f.conllu", CORPUS / "f.conllu", "--json")
    assert json.loads(done.stdout)[str(CORPUS / "f.conllu")]["f1"] == 100
    (tmp_path / "short.txt").write_text("(S (A a) (B b))\n(S (UH yes))\n")
    done = here("evaluate", "--brackets", tmp_path / "gold.txt", tmp_path / "short.txt")
    assert done.returncode == 1
    assert "sentence 1 has 2 words, 5 (or 4 without punctuation) expected" in done.stderr
    (tmp_path / "few.txt").write_text("(S (A a) (B b) (C c) (D d))\n")
    assert (
        "has fewer sentences than its partner"
        in here("evaluate", "--brackets", tmp_path / "gold.txt", tmp_path / "few.txt").stderr
    )


def test_paper_is_the_paper_s_sampler(small: Path, tmp_path: Path):
    options = ("--sweeps", 2, "--paper", "--set", "prior=2,8/20,80")
    done = here("induce", small, "-o", tmp_path / "m", *options)
    assert done.returncode == 0, done.stderr
    about = json.loads((tmp_path / "m" / "model.json").read_text())
    assert "|moves:pair|mode:trees|prior:2,8/20,80|empty:yes|" in about["signature"]
    assert {"moves": "pair", "strength": 1.0, "anneal": 0.0, "alone": 0.0}.items() <= about["settings"].items()
    priors = [(about["sides"][side]["constituent"], about["sides"][side]["distituent"]) for side in "fe"]
    assert priors == [(2, 8), (20, 80)]
    wrong = here("induce", small, "-o", tmp_path / "n", "--set", "prior=2")
    assert wrong.returncode == 2
    assert "positive pseudo-counts of" in wrong.stderr


def test_draw_induced(small: Path, model: Path, tmp_path: Path):
    done = here("draw", small, "--induced", model, "--sent", "s2", "--text")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# s2\nF [")
    assert here("draw", small, "--induced", model, "--sent", 2, "--text").stdout == done.stdout
    svg = here("draw", small, "--induced", model).stdout
    assert svg.startswith("<svg")
    missing = here("draw", small, "--induced", model, "--sent", "x9")
    assert missing.returncode == 1
    assert "the model was not learned from a pair with id or number x9" in missing.stderr
    assert "no pair with sent_id s1" in here("draw", CORPUS, "--induced", model).stderr
    assert here("draw", "--induced", model).returncode == 2
    (tmp_path / "pairs.jsonl").write_text("{}\n")
    assert "not a list of induced pairs" in here("draw", small, "--induced", tmp_path).stderr
    (tmp_path / "pairs.jsonl").write_text('{"sent_id": "s1", "f": [[0, 9]], "e": [], "aligned": []}\n')
    assert "the trees of s1 do not fit its words" in here("draw", small, "--induced", tmp_path).stderr


def test_one_language_and_several_lengths(small: Path, tmp_path: Path):
    done = here("induce", small / "f.conllu", "-o", tmp_path / "m", "--sweeps", 3, "--max-length", "3,4", "--set", "method=em")
    assert done.returncode == 0, done.stderr
    assert "2 sentences empty or of more than 3 words left out" in done.stderr
    assert here("induce", "parse", small / "f.conllu", "--model", tmp_path / "m" / "4").returncode == 0
    done = here(
        "induce", small, "-o", tmp_path / "b", "--sweeps", 2, "--max-length", "3,4", "--tags", "xpos", "--links", "auto"
    )
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (tmp_path / "b").iterdir()) == ["3", "4"]
    done = here("induce", small, "-o", tmp_path / "p", "--sweeps", 2, "--tags", "projected", "--links", "auto")
    assert done.returncode == 0, done.stderr


def test_tags_of_phrase_trees(tmp_path: Path):
    """Penn trees are tagged text, and gold at the same time."""
    gold = tmp_path / "gold.mrg"
    tree = "( (S (NP (DT a) (NN b)) (VP (VBZ c) (NP (-NONE- *T*)) (PP (IN d) (NP (DT e) (NN f)))) (. .)) )\n"
    gold.write_text(tree + "(S (NP (DT a) (NN b)) (VP (VBZ c)) (. .))\n(S (VP (VB c) (NP (DT a) (NN b))))\n")
    assert here("induce", gold, "-o", tmp_path / "m", "--sweeps", 5).returncode == 0
    done = here("induce", "parse", gold, "--model", tmp_path / "m", "-o", tmp_path / "found.mrg")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "found.mrg").read_text().count("(. .)") == 2
    assert here("evaluate", "--brackets", gold, tmp_path / "found.mrg", "--json").returncode == 0


def test_bad_input(small: Path, model: Path, tmp_path: Path):
    long = write(
        tmp_path / "long",
        sentence("NOUN " * 300, "a") + sentence("NOUN VERB", "b"),
        sentence("NOUN", "a") * 1 + sentence("NOUN VERB", "b"),
        "0-0\n5-0 1-1\n",
    )
    done = here("induce", long, "-o", tmp_path / "m", "--sweeps", 2)
    assert done.returncode == 0, done.stderr
    assert "1 pair with a sentence of more than 40 words left out; --max-length sets the limit" in done.stderr
    assert "link 5-0 is out of range: the sentences have 2 and 2 words" in done.stderr
    assert here("induce", long, "-o", tmp_path / "m", "--strict").returncode == 1
    done = here("induce", long, "-o", tmp_path / "m", "--max-length", "300")
    assert done.returncode == 2
    assert "from 1 to 200 words" in " ".join(done.stderr.split()).replace("│ ", "").replace(" │", "")
    assert here("induce", long, "-o", tmp_path / "m", "--max-length", "ten").returncode == 2
    for setting, said in (
        ("distituent=0", "--set distituent=0: a positive pseudo-count expected"),
        ("speed=3", "--set speed=3: NAME=VALUE expected with one of"),
        ("restarts=few", "--set restarts=few: int expected"),
    ):
        done = here("induce", long, "-o", tmp_path / "m", "--set", setting)
        assert done.returncode == 2
        assert said in " ".join(done.stderr.replace("│", " ").split())
    assert here("induce", long, "-o", tmp_path / "m", "--links", tmp_path / "none").returncode == 1
    assert "no pair of sentences of 1 to 1 words" in here("induce", long, "-o", tmp_path / "m", "--max-length", 1).stderr
    assert "no sentence of 1 to 1 words" in here("induce", long / "f.conllu", "-o", tmp_path / "m", "--max-length", 1).stderr
    assert "the folder holds other things (align.txt)" in here("induce", long, "-o", write(tmp_path / "x", "", "", "")).stderr
    (long / "align.txt").rename(tmp_path / "links.txt")
    assert here("induce", long, "-o", tmp_path / "m", "--sweeps", 2, "--links", tmp_path / "links.txt").returncode == 0
    assert (
        "the folder has no align.txt; name a file with --links, or make links here with --links auto"
        in here("induce", long, "-o", tmp_path / "m").stderr
    )
    assert "no such file, folder or sample corpus" in here("induce", tmp_path / "none", "-o", tmp_path / "m").stderr
    assert here("induce", small, "-o", tmp_path / "m", "--set", "moves=jump").returncode == 1
    assert here("induce", small / "f.conllu", "-o", tmp_path / "m", "--tags", "deep").returncode == 1


def test_other_tags_at_test_time(small: Path, model: Path, tmp_path: Path):
    (tmp_path / "new.conllu").write_text(sentence("DET NEW NOUN", "a"))
    done = here("induce", "parse", tmp_path / "new.conllu", "--model", model)
    assert done.returncode == 0
    assert "tags that training never saw: NEW" in done.stderr
    done = here("induce", "parse", small / "f.conllu", "--model", model, "--tags", "xpos")
    assert done.returncode == 1
    assert "none of the tags of the text" in done.stderr
    assert "choose the other column with --tags" in done.stderr
    (tmp_path / "bare.conllu").write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "the words have no tags" in here("induce", "parse", tmp_path / "bare.conllu", "--model", model).stderr
    assert "the model has no side 'x'" in here("induce", "parse", small / "f.conllu", "--model", model, "--side", "x").stderr
    assert (
        "is missing; is this the folder of a model?" in here("induce", "parse", small / "f.conllu", "--model", tmp_path).stderr
    )
    (tmp_path / "empty.conllu").write_text("")
    assert here("induce", "parse", tmp_path / "empty.conllu", "--model", model).returncode == 1
    long = tmp_path / "long.conllu"
    long.write_text(sentence("NOUN VERB " * 150, "a"))
    assert here("induce", "parse", long, "--model", model).stdout.count("VERB") == 150
