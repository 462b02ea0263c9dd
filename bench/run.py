"""Run the commands of the results again, and make the pages of figures from what they write.

python bench/run.py                          # accuracy and speed, hours
python bench/run.py --list                   # the commands, none is run
python bench/run.py --only growth fuzz       # those that have one of these words in them, robustness among them
python bench/run.py --place WORK=../work CHECKOUT=../before

The commands are those that `bench/results` names. One with a name in capitals needs a place on this machine (`--place`), and is left out without.
A script that fails leaves the results that it had.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.common import PLACE, ROOT, Result
from bench.report import pages, questions

UNATTENDED = ("bench/accuracy/", "bench/speed/")
"""What runs when nothing is chosen: fuzzing and release checks run for as long as one likes."""


def commands(results: Iterable[Result], only: Iterable[str] = ()) -> list[str]:
    """Return the commands of results, each once; those with one of the words of `only` if there are some."""
    every = list(dict.fromkeys(result.command for result in results))
    words = tuple(only)
    if words:
        return [command for command in every if any(word in command for word in words)]
    return [command for command in every if any(folder in command for folder in UNATTENDED)]


def located(command: str, places: dict[str, str]) -> list[str] | None:
    """Return the words of a command with its places put in; None where one is not known.

    >>> located("python bench/accuracy/x.py --model WORK/Chadic", {"WORK": "/tmp/w"})
    ['bench/accuracy/x.py', '--model', '/tmp/w/Chadic']
    """
    words = []
    for word in shlex.split(command)[1:]:
        name, slash, rest = word.partition("/")
        if PLACE.fullmatch(word) and name not in places:
            return None
        words.append(f"{places[name]}{slash}{rest}" if PLACE.fullmatch(word) else word)
    return words


def execute(words: list[str]) -> int:
    """Run a script from the root of the repository and return its exit code."""
    return subprocess.run([sys.executable, *words], cwd=ROOT).returncode


def run_all(
    chosen: Iterable[str], places: dict[str, str], run: Callable[[list[str]], int] = execute
) -> tuple[list[str], list[str]]:
    """Run commands; return those that failed and those that were left out for want of a place."""
    failed, left_out = [], []
    for command in chosen:
        words = located(command, places)
        if words is None:
            left_out.append(command)
            continue
        print(command, flush=True)
        start = time.perf_counter()
        code = run(words)
        print(f"  {f'exit code {code}' if code else 'done'}, {time.perf_counter() - start:,.0f} s", flush=True)
        failed += [command] * bool(code)
    return failed, left_out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="commands that have one of these in them")
    parser.add_argument("--list", action="store_true", help="show the commands and run none")
    parser.add_argument("--place", nargs="+", default=[], metavar="NAME=FOLDER", help="what a name in capitals stands for")
    options = parser.parse_args()
    places = {}
    for text in options.place:
        name, equals, folder = text.partition("=")
        if not equals:
            parser.error(f"--place {text}: a name, =, and a folder were expected, as in WORK=../work")
        places[name] = str(Path(folder).resolve())
    results = [Result.load(name) for question in questions() for name in question.results]
    chosen = commands(results, options.only)
    if not chosen:
        sys.exit(f"no command has {' or '.join(options.only)} in it; --list shows all")
    if options.list:
        print("\n".join(chosen))
        return
    failed, left_out = run_all(chosen, places)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
    if left_out:
        print(f"left out, since --place does not say where their folders are: {'; '.join(left_out)}")
    if failed:
        sys.exit(f"failed, old figures kept: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
