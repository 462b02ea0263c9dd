"""What commands share: messages on stderr, distributed work, tables on stdout, and the progress bar.

The progress bar is one line at the bottom of the terminal (on stderr) that says what is being done, how far it is and how long
it will take. It appears when a command has taken longer than half a second, and disappears when the command writes or ends.
Its stages come from `divproj.runtime.announce`. It does without rich, since it must work before anything heavy is imported.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar, cast

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

    from divproj.core.errors import Faults, ProjError
    from divproj.core.pair import Pair
    from divproj.io.corpus import Corpus
    from divproj.io.output import Trees
    from divproj.runtime.engine import Read, Work, Workers


B = TypeVar("B")
T = TypeVar("T")
SHOWN = 5
ARGUMENTS = "columns e e_parser f_forests format fresh grams ignore_ids into lang links markers max_length misaligned model paraphrases phrases port resume rules shards side system tags tiers"
_ARGUMENT = re.compile(rf"`({'|'.join(ARGUMENTS.split())})(?:=([^`]*))?`")
"""Arguments that messages of the library name, which here are options."""


class Reporter:
    """Messages to the user; all of them go to stderr."""

    def __init__(self) -> None:
        self.quiet = self.verbose = False
        self.warned = 0
        self.bar: Bar | None = None

    def set(self, quiet: bool, verbose: bool) -> None:
        """Set how much is said; every command calls this first, so the progress bar starts here."""
        self.quiet, self.verbose, self.warned = self.quiet or quiet, self.verbose or verbose, 0
        if self.bar is None and not self.quiet:
            if has_terminal():
                self.bar = Bar("starting")
                self.bar.start()
        elif self.bar and self.quiet:
            self.bar.stop()

    def _clear(self) -> None:
        if self.bar:
            self.bar.clear()

    def error(self, text: str) -> None:
        self._clear()
        print(wrap(f"proj: {harmless(as_options(text))}", sys.stderr), file=sys.stderr)  # noqa: T201

    def say(self, text: str) -> None:
        if not self.quiet:
            self._clear()
            print(wrap(harmless(as_options(text)), sys.stderr), file=sys.stderr)  # noqa: T201

    def caution(self, text: str) -> None:
        """Print a warning that is not about one sentence."""
        self.say(f"proj: warning: {text}")

    def warn(self, fault: ProjError) -> None:
        self.warned += 1
        if self.verbose or self.warned <= SHOWN or fault.always_shown:
            self.caution(str(fault))
        elif self.warned == SHOWN + 1:
            self.say("proj: more warnings follow; with -v all are shown")

    def summary(self, faults: Faults) -> None:
        """Report how much was left out in reading."""
        words = f"{faults.words} word{'s' * (faults.words != 1)} or link{'s' * (faults.words != 1)}" if faults.words else ""
        pairs = f"{faults.sentences} sentence pair{'s' * (faults.sentences != 1)}" if faults.sentences else ""
        if words or pairs:
            self.say(f"proj: left out {' and '.join(filter(None, (pairs, words)))} with errors; --strict stops at the first")

    def report_omissions(self, count: int) -> None:
        """Report how many projected trees were left out of those to learn from."""
        if count:
            trees = f"{count} projected tree{'s' * (count != 1)}"
            self.say(f"proj: {trees} without the comment `# gold = yes` left out: nobody has looked at them")

    def progress(self, items: Iterable[T], label: str, weight: Callable[[T], int] = lambda _: 1) -> Iterator[T]:
        """Pass items through, counting them (each for its weight) on the progress bar."""
        from divproj.runtime.announce import passing

        return passing(items, label, 0, weight)

    def idle(self) -> None:
        """From here on the command waits for the user: nothing is under way."""
        if self.bar:
            self.bar.stop()


talk = Reporter()


def as_options(text: str) -> str:
    """A message of the library with the names of arguments as the options that they are here.

    >>> as_options("name the format with `format=elan`, or give `e_parser`")
    'name the format with --format elan, or give --e-parser'
    """
    named = {"lang": "gloss-lang"}  # --lang is the language of a parser
    return _ARGUMENT.sub(lambda m: f"--{named.get(m[1], m[1].replace('_', '-'))}" + (f" {m[2]}" if m[2] else ""), text)


def harmless(text: str) -> str:
    """Return a text with control characters escaped."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def faults_for(strict: bool) -> Faults:
    from divproj.core.errors import Faults

    return Faults(strict, tell=talk.warn)


def gold_pairs(corpus: Corpus, style: str = "as-is") -> list[Pair]:
    """Return the pairs of a corpus to learn from, with E trees in a head style; report what is left out."""
    from dataclasses import replace

    from divproj.ud.head_style import in_style

    pairs = list(talk.progress(corpus, f"{corpus.name}: pairs"))
    gold = [pair for pair in pairs if pair.f_rows is None or not pair.f_rows.is_draft]
    talk.summary(corpus.faults)
    talk.report_omissions(len(pairs) - len(gold))
    return gold if style == "as-is" else [replace(pair, e=in_style(pair.e, style)) for pair in gold]


def spread(work: Work[B, T], read: Read[B], faults: Faults, workers: Workers) -> Iterator[T]:
    """Run work in processes or on a cluster, as the options say."""
    from divproj.runtime import engine

    return engine.run(work, read, faults, workers, talk.caution)


def trees_from(work: Work[B, Trees], read: Read[B], faults: Faults, where: tuple[Workers, Path | None]) -> Iterator[Trees]:
    """Yield trees from work shared among workers; with a folder for shards, through files there."""
    workers, folder = where
    if folder is None or workers.here:
        return spread(work, read, faults, workers)
    from divproj.io.output import in_shards

    return in_shards(work, read, faults, workers, folder, talk.caution)


def end(summary: Any, output: Path, as_json: bool, sign: str) -> None:
    """The last lines of a command that makes trees: what it did, as text and, where asked for, as JSON; its exit code."""
    import json

    import typer

    from divproj.core.errors import shell_word

    facts = summary.as_json()
    if as_json:
        print(json.dumps({"signature": sign, "output": str(output), **facts}, ensure_ascii=False))  # noqa: T201
    for line in summary.lines():
        talk.say(line)
    if str(output) != "-":
        talk.say(f"Trees written to {output}. To check and correct them: proj review {shell_word(output)}")
    if facts["exit_code"]:
        raise typer.Exit(facts["exit_code"])


def signature(**parts: Any) -> str:
    """`divproj:0.1.0|cmd:analyze|…`, as sacrebleu does."""
    from divproj import __version__

    return "|".join(f"{key}:{value}" for key, value in {"divproj": __version__, **parts}.items())


def stdout() -> Console:
    """The console for tables: as wide as the terminal, and never cut in a pipe. `[x]` is text there, not markup."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, markup=False, emoji=False)


def wrap(text: str, stream: IO[str]) -> str:
    """A message with line breaks between words where the terminal would break inside of them; in a pipe as it is."""
    import textwrap

    if not stream.isatty():
        return text
    width = max(shutil.get_terminal_size().columns if stream is sys.stdout else columns(), LEAST_WIDTH)
    parts = (
        textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        if len(line) > width
        else line
        for line in text.split("\n")
    )
    return "\n".join(parts)


def note(text: str) -> None:
    """Print an explanation below a table."""
    print(wrap(harmless(text), sys.stdout))  # noqa: T201


def table(title: str, *columns: str, left: int = 1) -> Table:
    """An empty table; the first `left` columns are text, the rest numbers.

    Text is wrapped where the terminal is narrow, numbers never. Where that does not suffice, each row is a block of lines instead,
    `column: cell`.
    """
    from rich import box
    from rich.table import Table

    class Adaptable(Table):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            if _least_width(self) > options.max_width:
                yield from _blocks(self)
            else:
                yield from super().__rich_console__(console, options)

    grid = Adaptable(title=harmless(title), box=box.SIMPLE, title_justify="left", title_style="bold", pad_edge=False)
    for k, name in enumerate(columns):
        grid.add_column(harmless(name), justify="left" if k < left else "right", no_wrap=k == 0 or k >= left)
    return grid


def _least_width(grid: Table) -> int:
    """The characters that a table needs to be read: all of its numbers and names, and a few words of its texts."""
    widths = []
    for column in grid.columns:
        longest = max((len(line) for cell in (column.header, *column.cells) for line in str(cell).split("\n")), default=0)
        widths.append(longest if column.no_wrap else min(longest, LEAST_TEXT))
    return sum(widths) + 3 * len(widths)


def _blocks(grid: Table) -> Iterator[Any]:
    """The rows of a table as lines `column: cell`, each row under its first cell."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text(str(grid.title), style="bold")
    names = [str(column.header) for column in grid.columns]
    for cells in zip(*(column.cells for column in grid.columns), strict=True):
        first, *rest = map(str, cells)
        yield Text(first or names[0] or "–", style="bold")
        for name, cell in zip(names[1:], rest, strict=True):
            if cell:
                yield Padding(Text(f"{name}: {cell}" if name else cell), (0, 0, 0, 2))
    yield Text("")


PIPE_WIDTH = 200
"""Characters of a line of a table that goes to a file or a pipe."""
LEAST_TEXT = 16
"""Characters of a column of text; a table without room for them is shown as blocks."""
LEAST_WIDTH = 20
"""Characters of a line below which messages are not wrapped further."""
MOMENT = 0.5
"""Seconds before the line appears."""
TURN = 0.15
"""Seconds between two pictures of the line."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
WIDTH = 24
"""Characters of the bar."""
CLEAR = "\r\x1b[2K"


class Bar:
    """Draws the announced stages until it is stopped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.began = time.monotonic()
        self.drawn = False
        self.lock = threading.RLock()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._draw, name="progress", daemon=True)

    def start(self) -> None:
        if sys.stdout.isatty():
            sys.stdout = cast(TextIO, _BarEndingStream(sys.stdout, self))
        atexit.register(self.stop)
        self.thread.start()

    def stop(self) -> None:
        """Remove the line for good."""
        self.ended.set()
        self.clear()

    def clear(self) -> None:
        """Take the line away, so that something else can be written there."""
        with self.lock:
            if self.drawn:
                self.drawn = False
                _write(CLEAR)

    def _draw(self) -> None:
        turn = 0
        while not self.ended.wait(TURN if turn else MOMENT):
            turn += 1
            with self.lock:
                if not self.ended.is_set():
                    _write(CLEAR + self.line(turn, columns() - 1))
                    self.drawn = True

    def line(self, turn: int, width: int) -> str:
        """The line as it is now, no longer than `width`."""
        from divproj.runtime.announce import stages

        under_way = list(stages)
        spin = SPINNER[turn % len(SPINNER)]
        if not under_way:
            return f"{spin} {self.name} {clock(time.monotonic() - self.began)}"[:width]
        inner = under_way[-1]
        shown = next((each for each in under_way if each.total), inner)
        names = " · ".join(
            each.name + (f" {each.done:,.0f}" + f" of {each.total:,.0f}" * bool(each.total)) * bool(each.done or each.total)
            for each in under_way
        )
        parts = [spin]
        if shown.total:
            full = round(WIDTH * min(1.0, shown.done / shown.total))
            parts.append("█" * full + "░" * (WIDTH - full))
        spent = clock(time.monotonic() - under_way[0].began)
        left = shown.left
        parts.append(f"{spent}, about {clock(left)} left:" if left is not None else f"{spent}:")
        parts += [names, f"({inner.note})"] if inner.note else [names]
        return " ".join(parts)[:width]


class _BarEndingStream:
    """Standard output on a terminal; writing to it ends the progress bar."""

    def __init__(self, stream: Any, bar: Bar) -> None:
        self._stream, self._bar = stream, bar

    def write(self, text: str) -> int:
        if not self._bar.ended.is_set():
            self._bar.stop()
        return self._stream.write(text)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        if name == "buffer" and not self._bar.ended.is_set():
            self._bar.stop()
        return getattr(self._stream, name)


def clock(seconds: float) -> str:
    """
    >>> clock(7), clock(95), clock(3725)
    ('0:07', '1:35', '1:02:05')
    """
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def columns() -> int:
    """Width of the terminal that the line is drawn on; standard output may be a file, and COLUMNS that of another window."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or shutil.get_terminal_size().columns
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def has_terminal() -> bool:
    """Whether there is a terminal to draw on."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):  # the terminal is gone
        pass
