"""What the benchmark scripts share: where the data is, tables that are printed and kept as JSON, commands timed with their memory.

A script prints a table row by row and writes it to `bench/results/NAME.json` when it is whole:

    with Table("match", "Match E→F in percent", "language", "match", seed=1) as table:
        table.add("ger", f"{match:.1f}")

    {"caption": "Match E→F in percent", "command": "python bench/accuracy/match.py", "commit": "c06b71e", "date": "2026-11-18",
     "machine": "Python 3.11.7, 2 cores", "seed": 1, "notes": [], "rows": [{"language": "ger", "match": 76.8}]}

`bench/report.py` makes `RESULTS.md` and the tables of `docs/results.md` from these files. A number is kept with the digits it was printed with.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("DIVPROJ_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "bench" / "out"
RESULTS = ROOT / "bench" / "results"
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
"""What JSON takes for a number."""
PLACE = re.compile(r"[A-Z]{2,}(?:/[\w-]+)*")
"""A word of a command that stands for a file or folder of whoever runs it: WORK, CHECKOUT, WORK/Chadic."""


def need(path: Path) -> Path:
    """Return the path, or leave with a message if nothing is there."""
    if not path.exists():
        sys.exit(f"{path} is not there; set DIVPROJ_DATA to a folder with the data of bench/README.md")
    return path


@dataclass(frozen=True)
class Result:
    """A table of figures, with the command that made it and the commit and date it was made at."""

    name: str
    caption: str
    command: str
    commit: str
    date: str
    machine: str
    seed: str
    notes: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    @classmethod
    def load(cls, name: str, folder: Path = RESULTS) -> Result:
        """Return the result of this name; numbers are text, with the digits that the file has."""
        path = folder / f"{name}.json"
        if not path.is_file():
            raise ValueError(f"{path}: not there; `python bench/run.py --list` shows the commands that write results")
        data = json.loads(path.read_text(encoding="utf-8"), parse_float=str, parse_int=str)
        missing = [key for key in ("caption", "command", "commit", "date", "seed", "rows") if key not in data]
        if missing:
            raise ValueError(f"{path}: no {', '.join(missing)}; run its script again")
        rows = tuple({column: "" if cell is None else cell for column, cell in row.items()} for row in data["rows"])
        heads = {tuple(row) for row in rows}
        if len(heads) != 1:
            raise ValueError(
                f"{path}: rows with other columns than the first ({len(heads)} kinds), or no row; all must have the same"
            )
        given = {key: data.get(key) or "" for key in ("caption", "command", "commit", "date", "machine", "seed")}
        return cls(name, notes=tuple(data.get("notes", ())), rows=rows, **given)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.rows[0])

    def text(self) -> str:
        """Return the JSON, with a row a line."""
        facts = {key: getattr(self, key) for key in ("caption", "command", "commit", "date", "machine")}
        lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in facts.items()]
        lines.append(f'  "seed": {_literal(self.seed) if self.seed else "null"},')
        lines.append(f'  "notes": {json.dumps(self.notes, ensure_ascii=False)},')
        rows = [", ".join(f"{_literal(column, True)}: {_literal(cell)}" for column, cell in row.items()) for row in self.rows]
        return "\n".join(["{", *lines, '  "rows": [', ",\n".join(f"    {{{row}}}" for row in rows), "  ]", "}", ""])


def _literal(cell: str, key: bool = False) -> str:
    return cell if NUMBER.fullmatch(cell) and not key else json.dumps(cell, ensure_ascii=False)


class Table:
    """A table that is printed as Markdown while it grows, and kept as a result when the `with` block ends well.

    A command with other options than those of the kept result is somebody's trial: its table goes to `bench/out`.
    """

    def __init__(self, name: str, caption: str, *columns: str, seed: object = "") -> None:
        assert len(set(columns)) == len(columns), f"two columns of one name: {columns}"
        self.name, self.caption, self.columns, self.seed = name, caption, columns, str(seed)
        self.rows: list[dict[str, str]] = []
        self.notes: list[str] = []

    def __enter__(self) -> Table:
        print(f"\n{self.caption}{f'; seed {self.seed}' if self.seed else ''}; {about()}\n\n{markdown_row(self.columns)}")
        print(f"|{'---|' * len(self.columns)}", flush=True)
        return self

    def add(self, *cells: object) -> None:
        """Add and print a row; emphasis (`**`) is printed and not kept."""
        given = [str(cell) for cell in cells]
        assert len(given) == len(self.columns), f"{len(given)} cells for {len(self.columns)} columns: {given}"
        self.rows.append(dict(zip(self.columns, (cell.replace("**", "") for cell in given), strict=True)))
        print(markdown_row(given), flush=True)

    def note(self, text: str) -> None:
        """Add a sentence that belongs to the table."""
        self.notes.append(text)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            return
        print("".join(f"\n{note}\n" for note in self.notes), end="", flush=True)
        path = self.write()
        trial = "" if path.parent == RESULTS else f"; bench/results/{path.name}, made with other options, is kept"
        print(f"written to {os.path.relpath(path)}{trial}", file=sys.stderr)

    def write(self, folder: Path = RESULTS, words: Sequence[str] = ()) -> Path:
        """Write the result and return its path; `words` are those of the command line."""
        command = portable(words or sys.argv)
        path = folder / f"{self.name}.json"
        if path.is_file():
            kept = Result.load(self.name, folder).command
            if not same_command(kept, command):
                path = OUT / "results" / path.name
            else:
                command = kept
        about_now = (command, commit(), time.strftime("%Y-%m-%d"), machine(), self.seed)
        result = Result(self.name, self.caption, *about_now, tuple(self.notes), tuple(self.rows))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_text(result.text(), encoding="utf-8")
        part.replace(path)
        return path


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def portable(words: Sequence[str]) -> str:
    """Return the command line as it can be given on another machine.

    >>> portable(["bench/speed/growth.py", "--pairs", "100", "--work", "/home/me/work"])
    'python bench/speed/growth.py --pairs 100 --work PLACE'
    """
    script, *options = words
    path = Path(script).resolve()
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    shown = ["PLACE" if Path(word).is_absolute() else word for word in options]
    return " ".join(["python", name, *(word if re.fullmatch(r"[\w./,:=+-]+", word) else shlex.quote(word) for word in shown)])


def same_command(kept: str, command: str) -> bool:
    """Whether two commands have the same options; a name in capitals stands for any place, and a final … for any further words.

    >>> same_command("python bench/x.py --work WORK --cap 200", "python bench/x.py --work ../w --cap 200")
    True
    """
    old, new = shlex.split(kept), shlex.split(command)
    if old[-1] == "…":
        old, new = old[:-1], new[: len(old) - 1]
    return len(old) == len(new) and all(a == b or PLACE.fullmatch(a) for a, b in zip(old, new, strict=True))


class Usage(NamedTuple):
    """What a command took: seconds by the clock and of processors, peak memory in MB; and what it printed."""

    seconds: float
    cpu: float
    memory: float
    text: str


WATCHER = """
import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write(f"{seconds} {used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024} {done.returncode}")
sys.stdout.buffer.write(done.stdout)
"""


def measure(*command: str, env: dict[str, str] | None = None) -> Usage:
    """Run a command in a process of its own; leave with a message where it fails."""
    watched = [sys.executable, "-c", WATCHER, *command]
    done = subprocess.run(watched, capture_output=True, text=True, check=True, env=env)
    seconds, cpu, memory, code = done.stderr.split()[-4:]
    if code != "0":
        sys.exit(f"{' '.join(command)} ended with {code}: {done.stderr}")
    return Usage(float(seconds), float(cpu), float(memory), done.stdout)


def commit() -> str:
    """The short name of the commit that is measured, + where files differ from it."""
    git = ["git", "-C", str(ROOT)]
    name = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain", "--", "src", "cli"], capture_output=True, text=True).stdout
    return f"{name or '?'}{'+' if changed.strip() else ''}"


def machine() -> str:
    return f"Python {platform.python_version()}, {os.cpu_count()} cores"


def about() -> str:
    """Commit, machine and date of this run."""
    return f"commit {commit()}, {machine()}, {time.strftime('%Y-%m-%d')}"


class RowLog:
    """Rows of a long run in a file, so that one that was cut goes on; rows of another commit are no longer true."""

    def __init__(self, path: Path) -> None:
        self.path, self.commit = path, commit()
        lines = path.read_text().splitlines() if path.exists() else []
        rows = [row for row in map(json.loads, lines) if isinstance(row, dict)]
        self.rows = [row["row"] for row in rows if row.get("commit") == self.commit and "row" in row]

    def add(self, row: Any) -> None:
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as out:
            out.write(json.dumps({"commit": self.commit, "row": row}) + "\n")


def log_axes(panel: Any, label: str) -> None:
    """Axes for how something grows with sentence pairs: logarithms with plain numbers at the ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.set_xscale("log")
    panel.set_yscale("log")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_formatter(NullFormatter())
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.set_xlabel("sentence pairs")
    panel.set_ylabel(label)
    panel.grid(alpha=0.3)
