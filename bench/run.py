"""Run benchmarks and put what they print into RESULTS.md; what was written there by hand stays.

python bench/run.py                     # all of them, hours
python bench/run.py --list
python bench/run.py --only memory growth    # those whose commands have one of these in them

A generated part stands between `<!-- bench: memory.py --pairs 50000 -->` and `<!-- end -->`: the comment names the script of this
folder and its options. A script that fails keeps the old figures, and a line says so. A script that no part names gets a section
of its own at the top: newest first.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, commit

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
NO_BENCHMARKS = {
    "cluster_killed",
    "common",
    "fuzz",
    "fuzz_cli",
    "generate",
    "lock",
    "output_cases",
    "outputs",
    "phrases_data",
    "run",
    "soak",
}
"""Modules that others use, and tests that run for as long as one likes (see docs/reliability.md)."""
PART = re.compile(r"<!-- bench: (?P<command>[^\n]*?) -->\n(?P<body>.*?)<!-- end -->", re.DOTALL)
FAILED = re.compile(r"^\*\d{4}-\d\d-\d\d: `[^`]*` failed .*\*\n\n", re.MULTILINE)
TABLE, _APART = re.compile(r"^([^|\n].*)\n(?=\|)", re.MULTILINE), r"\1\n\n"
"""A line right before a table: Markdown wants them apart."""
FIRST = re.compile(r"^## ", re.MULTILINE)


@dataclass(frozen=True)
class Ended:
    """What a script printed, how it ended, how long it took."""

    text: str
    code: int
    seconds: float
    why: str = ""


def commands(text: str) -> list[str]:
    """Commands of the generated parts, from the last section to the first: so the newest stays on top."""
    return [part["command"] for part in PART.finditer(text)][::-1]


def missing(text: str, scripts: Iterable[str]) -> list[str]:
    """Scripts that no part names."""
    named = {command.split()[0] for command in commands(text)}
    return sorted(set(scripts) - named)


def put(text: str, command: str, ended: Ended, stamp: str) -> str:
    """The results with the part of this command made new; with old figures and a remark where it failed."""
    what = f"`python bench/{command}`"

    def renewed(part: re.Match[str]) -> str:
        if part["command"] != command:
            return part[0]
        if ended.code:
            kept = FAILED.sub("", part["body"]).lstrip("\n")
            body = f"*{stamp[:10]}: {what} failed ({ended.why}); the figures below are older.*\n\n{kept}"
        else:
            body = f"{TABLE.sub(_APART, ended.text.strip())}\n\n*{what}, {ended.seconds:,.0f} s, {stamp}*\n"
        return f"<!-- bench: {command} -->\n\n{body.rstrip()}\n\n<!-- end -->"

    return PART.sub(renewed, text)


def with_section(text: str, command: str, title: str) -> str:
    """The results with an empty section for a command, before the others."""
    section = f"## {title}\n\n<!-- bench: {command} -->\n<!-- end -->\n\n"
    first = FIRST.search(text)
    return text[: first.start()] + section + text[first.start() :] if first else f"{text.rstrip()}\n\n{section}"


def title_of(script: Path) -> str:
    """The first line of a script's docstring."""
    return script.read_text(encoding="utf-8").split('"""')[1].splitlines()[0].rstrip(".")


def execute(command: str) -> Ended:
    """Run a script of this folder; its errors are seen as they come."""
    start = time.perf_counter()
    script, *options = shlex.split(command)
    done = subprocess.run([sys.executable, str(HERE / script), *options], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    seconds = time.perf_counter() - start
    empty = not done.returncode and not done.stdout.strip()
    code = done.returncode or int(empty)
    return Ended(done.stdout, code, seconds, "it printed nothing" if empty else f"exit code {done.returncode}")


def write(path: Path, text: str) -> None:
    """Whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def renew(path: Path, chosen: Iterable[str], run: Callable[[str], Ended] = execute) -> list[str]:
    """Run these commands and write each result at once; returns those that failed."""
    failed = []
    for command in chosen:
        print(f"python bench/{command}", flush=True)
        ended = run(command)
        text = path.read_text(encoding="utf-8")  # read again: somebody may have written remarks while it ran
        if command not in commands(text):
            text = with_section(text, command, title_of(HERE / command.split()[0]))
        stamp = f"{time.strftime('%Y-%m-%d')}, commit {commit()}"
        write(path, put(text, command, ended, stamp))
        print(f"  {ended.why if ended.code else 'done'}, {ended.seconds:,.0f} s", flush=True)
        failed += [command] * bool(ended.code)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="commands that have one of these in them")
    parser.add_argument("--list", action="store_true", help="show the commands and run none")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    text = options.results.read_text(encoding="utf-8")
    scripts = [path.name for path in HERE.glob("*.py") if path.stem not in NO_BENCHMARKS]
    known = [*commands(text), *missing(text, scripts)]
    chosen = [c for c in known if not options.only or any(name in c for name in options.only)]
    if not chosen:
        sys.exit(f"no command has {' or '.join(options.only)} in it; --list shows all")
    if options.list:
        print("\n".join(chosen))
        return
    if failed := renew(options.results, chosen):
        sys.exit(f"failed, old figures kept: {', '.join(failed)}")


if __name__ == "__main__":
    main()
