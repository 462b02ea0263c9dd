"""Every byte that `proj` writes, recorded and compared: what must not change when the code is moved.

python bench/tools/outputs.py record FOLDER [--src CHECKOUT] [--only NAME …] [--quick] [--new-names]
python bench/tools/outputs.py compare FOLDER OTHER [--only NAME …]

`record` runs every case of `output_cases.py` in a temporary folder with fixed relative names, and keeps in FOLDER/CASE what each command
printed, said and returned, and the files it wrote. Times, versions and temporary places are blotted out (`VOLATILE`). Commands
are forked from one process that has the package loaded (tests/cli/forks.py), those with several jobs are fresh.
`compare` prints the cases that differ, with the first lines that do, and returns 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.tools.output_cases import CASES, INPUTS, RENAMED, Case

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from cli.forks import Forks  # noqa: E402

VOLATILE = (
    (rb"divproj[: ]\d+\.\d+[\w.+-]*", b"divproj:VERSION"),
    (rb'("divproj"|"version"): "\d+\.\d+[\w.+-]*"', rb'\1: "VERSION"'),
    (rb" *\b\d+\.\d+ s\b", b" TIME s"),
    (rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?", b"DATE"),
)
"""What differs from run to run and means nothing; the temporary folder and the checkout are blotted out as well."""
PRINTED = {"stdout", "stderr", "code"}
SHOWN = 3
"""Differing lines shown for a file."""


def settings(source: Path) -> dict[str, str]:
    """The environment of all commands: this checkout's code, one thread, one width of lines, one seed of `hash`."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    fixed = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "120", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    return {**os.environ, **threads, **fixed, "PYTHONPATH": f"{source / 'src'}{os.pathsep}{source / 'cli'}"}


class Recorder:
    """Runs cases with the code of a checkout, one after the other, in one folder whose inputs are made once."""

    def __init__(self, source: Path, work: Path, new_names: bool = False) -> None:
        self.source, self.work, self.new_names = source, work, new_names
        self.env = settings(source)
        os.environ.update(self.env)
        self.forks = Forks()
        for name, make in INPUTS.items():
            make(work / "in" / name)

    def record(self, case: Case, folder: Path) -> None:
        """The commands of the case, and all they leave, into the folder."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(self.work / "out", ignore_errors=True)
        (self.work / "out").mkdir()
        folder.mkdir(parents=True)
        for number, command in enumerate(case.commands, 1):
            words, _, stdin = command.partition(" < ")
            given = (self.work / stdin.strip()).read_bytes() if stdin else b""
            code, printed, said = self.run(self.named(shlex.split(words)), given)
            place = folder / f"{number}"
            place.mkdir()
            for name, data in (("stdout", printed), ("stderr", said), ("code", b"%d\n" % code)):
                (place / name).write_bytes(self.settled(data))
        for path in sorted((self.work / "out").rglob("*")):
            if path.is_file() and path.name != ".lock":
                kept = folder / "files" / path.relative_to(self.work / "out")
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(self.settled(path.read_bytes()))

    def run(self, words: list[str], stdin: bytes) -> tuple[int, bytes, bytes]:
        if "-j" not in words or words[words.index("-j") + 1] == "1":
            return self.forks.run(words, stdin, self.work, self.env)
        command = [sys.executable, "-m", "divproj", *words]
        done = subprocess.run(command, input=stdin, capture_output=True, cwd=self.work, env=self.env)
        return done.returncode, done.stdout, done.stderr

    def named(self, words: list[str]) -> list[str]:
        """The command with the names that options have now, if these are wanted."""
        renamed = {**RENAMED.get("", {}), **RENAMED.get(words[0], {})} if self.new_names else {}
        return [renamed.get(word, word) for word in words]

    def settled(self, data: bytes) -> bytes:
        """Without what is volatile; bytes that are no text stay as they are."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        for place, name in ((self.work, b"WORK"), (self.source, b"CHECKOUT")):
            data = data.replace(os.fsencode(place.resolve()), name)
        for pattern, instead in VOLATILE:
            data = re.sub(pattern, instead, data, flags=re.M)
        return data


def chosen(only: list[str], quick: bool = False) -> Iterator[Case]:
    """Cases whose names have one of these in them; quick ones alone if wanted."""
    for case in CASES:
        if (not only or any(name in case.name for name in only)) and (case.quick or not quick):
            yield case


def record(folder: Path, source: Path, only: list[str], quick: bool, new_names: bool) -> None:
    began, used = time.perf_counter(), os.times()
    with tempfile.TemporaryDirectory(prefix="outputs-") as work:
        recorder = Recorder(source.resolve(), Path(work), new_names)
        there = {path.name for path in (Path(work) / "in").iterdir() if any(path.rglob("*"))}
        count = 0
        for case in chosen(only, quick):
            if case.needs <= there:
                start = time.perf_counter()
                recorder.record(case, folder / case.name)
                count += 1
                print(f"{time.perf_counter() - start:6.1f} s  {case.name}", file=sys.stderr, flush=True)
        recorder.forks.close()
    now = os.times()
    cpu = sum(now[:4]) - sum(used[:4])
    print(f"{count} cases in {folder}: {time.perf_counter() - began:.0f} s, {cpu:.0f} s of processors")


def compare(one: Path, other: Path, only: list[str]) -> int:
    """How many cases differ; says where."""
    names = {path.name for side in (one, other) for path in side.iterdir() if path.is_dir()}
    differing = 0
    for name in sorted(names):
        if only and not any(part in name for part in only):
            continue
        found = list(differences(one / name, other / name))
        differing += bool(found)
        if found:
            print("\n".join([name, *found]))
    print(f"{len(names)} cases, {differing} differ")
    return differing


def differences(one: Path, other: Path) -> Iterator[str]:
    """What is in one case and not in the other."""
    if not (one.is_dir() and other.is_dir()):
        yield f"  only in {(one if one.is_dir() else other).parent}"
        return
    files = {path.relative_to(side) for side in (one, other) for path in side.rglob("*") if path.is_file()}
    for file in sorted(files):
        here, there = one / file, other / file
        if not (here.exists() and there.exists()):
            yield f"  {file}: only in {(one if here.exists() else other).parent}"
        elif here.read_bytes() != there.read_bytes():
            yield f"  {file}"
            yield from (f"    {line}" for line in first_lines(here.read_bytes(), there.read_bytes()))


def first_lines(one: bytes, other: bytes) -> Iterable[str]:
    """The first lines that differ, each cut around the place where it does."""
    if b"\0" in one or b"\0" in other:
        return [f"bytes: {len(one)} and {len(other)}"]
    left, right = (data.decode("utf-8", "replace").splitlines() for data in (one, other))
    rows = [(k, *pair) for k, pair in enumerate(zip(left, right, strict=False), 1) if pair[0] != pair[1]]
    said = [f"line {k}: {around(a, b)}\n      but: {around(b, a)}" for k, a, b in rows[:SHOWN]]
    return said if rows else [f"{len(left)} lines and {len(right)} lines"]


def around(line: str, other: str, width: int = 110) -> str:
    same = next((k for k, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), min(len(line), len(other)))
    start = max(0, same - width // 3)
    return f"{'…' * (start > 0)}{line[start : start + width]}{'…' * (len(line) > start + width)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run the cases and keep what they write")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--src", type=Path, default=ROOT, metavar="CHECKOUT", help="whose code is run; this one")
    recording.add_argument("--quick", action="store_true", help="cases that take little time alone")
    recording.add_argument("--new-names", action="store_true", help="options by the names of RENAMED")
    comparing = commands.add_parser("compare", help="say which cases differ; exit 1 if any do")
    comparing.add_argument("folder", type=Path)
    comparing.add_argument("other", type=Path)
    for each in (recording, comparing):
        each.add_argument("--only", nargs="+", default=[], metavar="NAME", help="cases with one of these in their names")
    given = parser.parse_args()
    if given.command == "record":
        record(given.folder, given.src, given.only, given.quick, given.new_names)
    else:
        sys.exit(bool(compare(given.folder, given.other, given.only)))


if __name__ == "__main__":
    main()
