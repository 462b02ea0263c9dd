"""What commands share: talk on stderr, work shared out to processes, tables on stdout."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from divproj.data.errors import Faults, ProjError
    from divproj.data.pair import Pair
    from divproj.io.corpus import Corpus
    from divproj.io.trees import Trees
    from divproj.runtime.engine import Read, Work
    from proj_cli.progress import Bar

B = TypeVar("B")
T = TypeVar("T")
SHOWN = 5
ARGUMENTS = "e e_parser f f_forests format fresh grams ignore_ids into lang links markers max_length misaligned model paraphrases phrases port resume rules shards side system tags tiers"
_ARGUMENT = re.compile(rf"`({'|'.join(ARGUMENTS.split())})(?:=([^`]*))?`")
"""Arguments that messages of the library name, which here are options."""


class Talk:
    """What the user hears beside the data: all of it goes to stderr."""

    def __init__(self) -> None:
        self.quiet = self.verbose = False
        self.warned = 0
        self.bar: Bar | None = None

    def set(self, quiet: bool, verbose: bool) -> None:
        """How much to say; called first by every command, so the progress bar begins here."""
        self.quiet, self.verbose, self.warned = self.quiet or quiet, self.verbose or verbose, 0
        if self.bar is None and not self.quiet:
            from proj_cli.progress import Bar, wanted

            if wanted():
                self.bar = Bar("starting")
                self.bar.start()
        elif self.bar and self.quiet:
            self.bar.stop()

    def _clear(self) -> None:
        if self.bar:
            self.bar.clear()

    def error(self, text: str) -> None:
        self._clear()
        print(f"proj: {harmless(as_options(text))}", file=sys.stderr)  # noqa: T201

    def say(self, text: str) -> None:
        if not self.quiet:
            self._clear()
            print(harmless(as_options(text)), file=sys.stderr)  # noqa: T201

    def caution(self, text: str) -> None:
        """What no sentence is to blame for."""
        self.say(f"proj: warning: {text}")

    def warn(self, fault: ProjError) -> None:
        self.warned += 1
        if self.verbose or self.warned <= SHOWN or fault.always_shown:
            self.caution(str(fault))
        elif self.warned == SHOWN + 1:
            self.say("proj: more warnings follow; -v shows them all")

    def summary(self, faults: Faults) -> None:
        """After reading: how much was left out."""
        words = f"{faults.words} word{'s' * (faults.words != 1)} or link{'s' * (faults.words != 1)}" if faults.words else ""
        pairs = f"{faults.sentences} sentence pair{'s' * (faults.sentences != 1)}" if faults.sentences else ""
        if words or pairs:
            self.say(f"proj: left out {' and '.join(filter(None, (pairs, words)))} with faults; --strict stops at the first")

    def unchecked(self, count: int) -> None:
        """After reading trees to learn from."""
        if count:
            trees = f"{count} projected tree{'s' * (count != 1)}"
            self.say(f"proj: {trees} without the comment `# gold = yes` left out: nobody has looked at them")

    def progress(self, items: Iterable[T], what: str, weight: Callable[[T], int] = lambda _: 1) -> Iterator[T]:
        """Pass items through, counting them (each for its weight) on the progress bar."""
        from divproj.runtime.announce import passing

        return passing(items, what, 0, weight)

    def idle(self) -> None:
        """From here on the command waits for the user: nothing is under way."""
        if self.bar:
            self.bar.stop()


talk = Talk()


def as_options(text: str) -> str:
    """A message of the library with the names of arguments as the options that they are here.

    >>> as_options("name the format with `format=elan`, or give `e_parser`")
    'name the format with --format elan, or give --e-parser'
    """
    named = {"lang": "gloss-lang"}  # --lang is the language of a parser
    return _ARGUMENT.sub(lambda m: f"--{named.get(m[1], m[1].replace('_', '-'))}" + (f" {m[2]}" if m[2] else ""), text)


def harmless(text: str) -> str:
    """Control characters shown, not sent to the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def faults_for(strict: bool) -> Faults:
    from divproj.data.errors import Faults

    return Faults(strict, tell=talk.warn)


def gold_pairs(corpus: Corpus, style: str = "as-is") -> list[Pair]:
    """The pairs of a corpus to learn from, E trees in a style; what is not fit for that is said."""
    from dataclasses import replace

    from divproj.data.head_style import in_style

    pairs = list(talk.progress(corpus, f"{corpus.name}: pairs"))
    gold = [pair for pair in pairs if pair.sentence is None or not pair.sentence.unchecked]
    talk.summary(corpus.faults)
    talk.unchecked(len(pairs) - len(gold))
    return gold if style == "as-is" else [replace(pair, e=in_style(pair.e, style)) for pair in gold]


def spread(work: Work[B, T], read: Read[B], faults: Faults, jobs: int, scheduler: str | None) -> Iterator[T]:
    """The engine's loop, where the options say."""
    from divproj.runtime import engine

    return engine.run(work, read, faults, engine.Place(jobs, scheduler), talk.caution)


Workers = tuple[int, str | None, Path | None]
"""Processes here, or a scheduler; and a folder for shards."""


def trees_from(work: Work[B, Trees], read: Read[B], faults: Faults, where: Workers) -> Iterator[Trees]:
    """Trees by the engine's loop; with a folder for shards through files there."""
    jobs, scheduler, folder = where
    if folder is None or (jobs == 1 and scheduler is None):
        return spread(work, read, faults, jobs, scheduler)
    from divproj.io.shards import in_shards
    from divproj.runtime.engine import Place

    return in_shards(work, read, faults, Place(jobs, scheduler), folder, talk.caution)


def end(summary: Any, output: Path, as_json: bool, sign: str) -> None:
    """The last lines of a command that makes trees: what it did, as text and, where asked for, as JSON; its exit code."""
    import json

    import typer

    from divproj.data.wording import shell_word

    told = summary.as_json()
    if as_json:
        print(json.dumps({"signature": sign, "output": str(output), **told}, ensure_ascii=False))  # noqa: T201
    for line in summary.lines():
        talk.say(line)
    if str(output) != "-":
        talk.say(f"trees: {output}; `proj review {shell_word(output)}` shows them and takes corrections")
    if told["exit_code"]:
        raise typer.Exit(told["exit_code"])


def signature(**parts: Any) -> str:
    """`divproj:0.1.0|cmd:analyze|…`, as sacrebleu does."""
    from divproj import __version__

    return "|".join(f"{key}:{value}" for key, value in {"divproj": __version__, **parts}.items())


def stdout() -> Console:
    """The console for tables: as wide as the terminal, and never cut in a pipe. `[x]` is text there, not markup."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 200, markup=False, emoji=False)


def table(title: str, *columns: str, left: int = 1) -> Table:
    """An empty table; the first `left` columns are text, the rest numbers."""
    from rich import box
    from rich.table import Table

    made = Table(title=harmless(title), box=box.SIMPLE, title_justify="left", title_style="bold", pad_edge=False)
    for k, name in enumerate(columns):
        made.add_column(harmless(name), justify="left" if k < left else "right", no_wrap=True)
    return made
