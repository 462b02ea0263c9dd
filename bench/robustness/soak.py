"""Random commands over random damage to the sample corpora, as many as you like: nothing lost, exit codes right, outputs whole.

python bench/robustness/soak.py --count 500 --seed 1

Each command is a process forked from one that has the package loaded. Its files are copies of the sample corpora, damaged or not; now
and then its disk is full, its output folder shut, or it is interrupted (Ctrl-C) or killed. Afterwards must hold: exit code 0, 1
(and a line `proj: …` says why), 2 (wrong usage), 130 (Ctrl-C) or -9 (killed); no traceback; inputs untouched; an output is whole, or
what was there before is still there; no temporary file is left behind.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(ROOT / "tests"), str(ROOT)]
from bench.common import Table  # noqa: E402

OLD = "what was here before\n"
LIMIT = 300
"""Seconds for one command on a busy machine; more is a hang."""


@dataclass
class Job:
    """One command in a folder of its own."""

    arguments: list[str]
    outputs: dict[str, Callable[[Path], None]] = field(default_factory=dict)
    """What it writes, and what makes such a file whole."""
    allowed: tuple[int, ...] = (0, 1)


def whole_conllu(path: Path) -> None:
    from divproj.io.trees import conllu

    assert list(conllu.load(path))


def whole_html(path: Path) -> None:
    assert path.read_text(encoding="utf-8").endswith("</html>\n")


def whole_json(path: Path) -> None:
    json.loads(path.read_text(encoding="utf-8"))


def whole_lines(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        json.loads(line)


def whole_svg(path: Path) -> None:
    from defusedxml.ElementTree import fromstring

    fromstring(path.read_bytes())


def whole_model(path: Path) -> None:
    from divproj.runtime.modelfile import read_arrays

    json.loads((path / "model.json").read_text(encoding="utf-8"))
    read_arrays(path / "weights.npz")


def whole_results(path: Path) -> None:
    for name in ("trees.conllu", "report.html"):
        assert (path / name).stat().st_size
    whole_html(path / "report.html")


def whole_text(path: Path) -> None:
    assert path.read_bytes().endswith(b"\n")


def job(chance: random.Random) -> Job:
    """A command with options at random; `{c}` is a corpus, `{o}` a place for outputs."""
    system = chance.choice(("s1-r", "s1-l", "s2+", "s2-1", "s5", "nonsense"))
    shards = chance.choice(([], ["--shard", "20"], ["--shard", "20", "-j", "2"]))
    made = (
        Job(["analyze", "{c}", *chance.choice(([], ["--json"], ["--edges"], ["--sentences"], ["--extended"], ["--strict"]))]),
        Job(["analyze", "{c}", "--html", "{o}/a.html"], {"a.html": whole_html}),
        Job(["analyze", "{c}/f.conllu", "{c}/e.conllu", "{c}/align.txt", "--ignore-ids"]),
        Job(["draw", "{c}", "--sent", str(chance.randint(0, 12)), "-o", "{o}/d.svg"], {"d.svg": whole_svg}),
        Job(["draw", "{c}", "--text"]),
        Job(["project", "{c}", "--system", system, "--rules", "deu", "-o", "{o}/t.conllu", "--html", "{o}/p.html"],
            {"t.conllu": whole_conllu, "p.html": whole_html}, (0, 1, 2)),
        Job(["project", "{c}/igt.txt", "--e", "{c}/e.conllu", "-o", "{o}/t.conllu", "--links-out", "{o}/l.txt"],
            {"t.conllu": whole_conllu, "l.txt": whole_text}),
        Job(["learn", "{c}", "-o", "{o}/r.json"], {"r.json": whole_json}),
        Job(["check", "{c}/igt.txt", *chance.choice(([], ["--json"]))]),
        Job(["convert", "{c}/igt.txt", "{o}/x.conllu", "--force"], {"x.conllu": whole_conllu}),
        Job(["convert", "{c}/igt.txt", "{o}/x.xml", "--force"], {"x.xml": whole_svg}),
        Job(["evaluate", "{c}/f.conllu", "{c}/f.conllu", *chance.choice(([], ["--json"], ["{c}/e.conllu"], ["--brackets"]))]),
        Job(["words", "{c}", "--fast", "-o", "{o}/w.txt", "--save", "{o}/model", *shards],
            {"w.txt": whole_text, "model": whole_model}),
        Job(["parse", "{c}/e.conllu", "--lang", "en", "-o", "{o}/t.conllu"], {"t.conllu": whole_conllu}),
        Job(["align", "{c}/f.conllu", "{c}/e.conllu", "--links", "{c}/align.txt", "-o", "{o}/p.jsonl", "--html", "{o}/p.html"],
            {"p.jsonl": whole_lines, "p.html": whole_html}),
        Job(["induce", "{c}", "-o", "{o}/model", "--sweeps", "2", "--chains", "1"], {"model": whole_model}),
        Job(["train", "{c}", "-o", "{o}/model", "--epochs", "1", "--set", "bits=12", "--system", "s4-1"], {"model": whole_model}),
        Job(["run", "{c}/divproj.toml", "-o", "{o}/results", "-j", "1"], {"results": whole_results}),
        Job(["rules", "show", "{c}/igt.txt"], allowed=(1,)),
        Job(["analyze", "{c}", "--no-such-option"], allowed=(2,)),
        Job(["analyze", "{c}/nowhere"], allowed=(1,)),
        Job(["project"], allowed=(2,)),
    )  # fmt: skip
    return chance.choice(made)


def corpus(folder: Path, chance: random.Random) -> str:
    """A copy of a sample corpus, some of its files damaged; says which."""
    from fuzz.mutate import of_bytes

    name = chance.choice(sorted(p.name for p in (ROOT / "corpora").iterdir() if p.is_dir()))
    shutil.copytree(ROOT / "corpora" / name, folder)
    (folder / "divproj.toml").write_text(
        '[input]\ntext = "igt.txt"\ntrees = "e.conllu"\n[project]\nsystem = "s1-r"\n[report]\npictures = 2\n', encoding="utf-8"
    )
    told = name
    for file in ("f.conllu", "e.conllu", "align.txt", "igt.txt", "divproj.toml"):
        if chance.random() < 0.25:
            (folder / file).write_bytes(of_bytes((folder / file).read_bytes(), chance))
            told += f" {file}"
    return told


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def run(arguments: list[str], said: Path, trouble: str, chance: random.Random) -> int:
    """The command in a forked process; its exit code, or minus the signal that ended it. What it says goes through pipes."""
    pipes = {name: os.pipe() for name in ("out", "err")}
    child = os.fork()
    if not child:
        code = 70
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(pipes["out"][1], 1)
            os.dup2(pipes["err"][1], 2)
            if trouble == "full disk":
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
            sys.argv = ["proj", *arguments]
            from proj_cli import main

            main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except OSError:
                    code = code or 1
            os._exit(code)
    for reader, writer in pipes.values():
        os.close(writer)
        os.set_blocking(reader, False)
    began, moment = time.time(), chance.random() * 3 if trouble in ("Ctrl-C", "kill -9") else LIMIT
    try:
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            for name, (reader, _) in pipes.items():
                with (said / name).open("ab") as file:
                    while data := _now(reader):
                        file.write(data)
            if ended:
                return os.waitstatus_to_exitcode(status)
            if time.time() - began > moment:
                os.kill(child, signal.SIGINT if trouble == "Ctrl-C" else signal.SIGKILL)
                assert moment < LIMIT, f"no end after {LIMIT} s"
                moment = LIMIT
            time.sleep(0.02)
    finally:
        for reader, _ in pipes.values():
            os.close(reader)


def _now(reader: int) -> bytes:
    try:
        return os.read(reader, 1 << 16)
    except BlockingIOError:
        return b""


def judge(found: Job, code: int, here: Path, before: dict[str, str], trouble: str) -> None:
    """AssertionError where something that must hold does not."""
    err = (here / "said" / "err").read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in err, err[-1500:]
    allowed = {"Ctrl-C": (*found.allowed, 130), "kill -9": (*found.allowed, -9)}.get(trouble, found.allowed)
    if trouble in ("full disk", "shut folder"):
        allowed = (*allowed, 1)
    assert code in allowed, f"exit code {code}, {allowed} expected: {err[-500:]}"
    if code == 1:
        assert "proj: " in err, f"exit code 1 without a word: {err[-500:]}"
    assert digests(here / "corpus") == before, "an input was changed"
    for name, whole in found.outputs.items():
        path = here / "o" / name
        old = path.is_file() and path.read_text(encoding="utf-8", errors="replace") == OLD
        if code == 0:
            assert path.exists(), f"{name} is not there: {err[-500:]}"
            assert not old, f"{name} was not written"
            whole(path)
        elif path.is_file() and not old:
            whole(path)  # finished before what came after it failed
        elif path.is_dir() and (path / "model.json").exists() and (path / "weights.npz").exists():
            whole_model(path)
    left = [p.name for p in (here / "o").iterdir() if p.name.startswith(".")]
    assert not left or code == -9, f"left behind: {left}"


def one(number: int, seed: int, base: Path) -> tuple[str, str]:
    chance = random.Random(f"{seed}:{number}")
    here = base / str(number)
    (here / "said").mkdir(parents=True)
    (here / "o").mkdir()
    damage = corpus(here / "corpus", chance)
    before = digests(here / "corpus")
    found = job(chance)
    trouble = chance.choice(("", "", "", "", "", "", "full disk", "shut folder", "Ctrl-C", "kill -9"))
    if trouble == "shut folder":
        (here / "o").rmdir()
        (here / "o").write_text("a file where a folder should be")
    else:
        for name in found.outputs:
            if "." in name and chance.random() < 0.5:
                (here / "o" / name).write_text(OLD)
    arguments = [part.replace("{c}", str(here / "corpus")).replace("{o}", str(here / "o")) for part in found.arguments]
    code = run(arguments, here / "said", trouble, chance)
    if trouble == "shut folder":
        assert (here / "o").read_text() == "a file where a folder should be"
        (here / "o").unlink()
        (here / "o").mkdir()
        found.outputs.clear()
    try:
        judge(found, code, here, before, trouble)
    except Exception as error:
        kept = ROOT / "bench" / "out" / "soak" / f"{seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(here, kept, symlinks=True)
        shown = f"FAILED {number}: proj {' '.join(found.arguments)} ({trouble or 'no trouble'}; {damage}): {type(error).__name__} {error}"
        print(shown, flush=True)
        return trouble, "failed"
    finally:
        shutil.rmtree(here, ignore_errors=True)
    return trouble, str(code)


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--count", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="number of the first command, to run one again")
    given = options.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores Ctrl-C, and so would its children
    import proj_cli  # noqa: F401  loaded once, for all

    endings: Counter[tuple[str, str]] = Counter()
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="divproj-soak-") as base:
        for number in range(given.first, given.first + given.count):
            endings[one(number, given.seed, Path(base))] += 1
    codes = sorted({code for _, code in endings})
    caption = f"Exit codes of {given.count} commands over damaged corpora, by trouble"
    with Table("soak", caption, "trouble", *codes, seed=given.seed) as table:
        for trouble in sorted({trouble for trouble, _ in endings}):
            table.add(trouble or "none", *(endings[trouble, code] for code in codes))
        table.note(f"{time.time() - began:.0f} s")
    return bool(sum(count for (_, code), count in endings.items() if code == "failed"))


if __name__ == "__main__":
    sys.exit(main())
