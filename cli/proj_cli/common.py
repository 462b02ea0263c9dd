"""What commands share: options, talk on stderr, corpora from arguments, tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from divproj.checkpoint import Checkpoint
    from divproj.engine import Read, Work
    from divproj.errors import Faults, ProjError
    from divproj.io.corpus import Corpus
    from divproj.types import TreePair
    from proj_cli.tasks import Trees

B = TypeVar("B")
T = TypeVar("T")
SHOWN = 5

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show every warning.")]
CorpusArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CORPUS]...",
        help="A folder with f.conllu, e.conllu and align.txt, or the name of a shipped corpus.",
        show_default=False,
    ),
]
FOption = Annotated[str | None, typer.Option("--f", metavar="FILE", help="CoNLL-U of the poor language; - is stdin.")]
EOption = Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U of the rich language.")]
AlignOption = Annotated[str | None, typer.Option("--align", metavar="FILE", help="Links F-E, Pharaoh, a line a sentence.")]
Strict = Annotated[
    bool, typer.Option("--strict/--lenient", help="Stop at the first fault, or leave out what is bad and say so.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "-j", "--jobs", min=0, metavar="N", help="Processes to share the work; 0 is one a core. The output is the same."
    ),
]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="tcp://…", help="Run on the Dask cluster of this scheduler.")
]
Shards = Annotated[
    Path | None,
    typer.Option(
        "--shards", metavar="DIR", help="A folder that all workers see: they write their trees there, not over the net."
    ),
]
IgnoreIds = Annotated[bool, typer.Option("--ignore-ids", help="Pair sentences by order even where their ids differ.")]

Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")]
Minutes = Annotated[float, typer.Option("--checkpoint", min=0, metavar="MINUTES", help="Between checkpoints.")]
EManner = Annotated[
    str,
    typer.Option("--e-manner", help="Heads of E trees: ud (content words), function, adpositions, determiners; or as-is."),
]


class Talk:
    """What the user hears beside the data: all of it goes to stderr."""

    def __init__(self) -> None:
        self.quiet = self.verbose = False
        self.warned = 0

    def set(self, quiet: bool, verbose: bool) -> None:
        self.quiet, self.verbose = self.quiet or quiet, self.verbose or verbose

    def error(self, text: str) -> None:
        print(f"proj: {harmless(text)}", file=sys.stderr)  # noqa: T201

    def say(self, text: str) -> None:
        if not self.quiet:
            print(harmless(text), file=sys.stderr)  # noqa: T201

    def caution(self, text: str) -> None:
        """What no sentence is to blame for."""
        self.say(f"proj: warning: {text}")

    def warn(self, fault: ProjError) -> None:
        self.warned += 1
        if self.verbose or self.warned <= SHOWN:
            self.caution(str(fault))
        elif self.warned == SHOWN + 1:
            self.say("proj: more warnings follow; -v shows them all")

    def summary(self, faults: Faults) -> None:
        """After reading: how much was left out."""
        if faults.words or faults.sentences:
            self.say(
                f"proj: left out {faults.sentences} sentence pair{'s' * (faults.sentences != 1)} and "
                f"{faults.words} word{'s' * (faults.words != 1)} or link{'s' * (faults.words != 1)} with faults; --strict stops at the first"
            )

    def unchecked(self, count: int) -> None:
        """After reading trees to learn from."""
        if count:
            trees = f"{count} projected tree{'s' * (count != 1)}"
            self.say(f"proj: {trees} without the comment `# gold = yes` left out: nobody has looked at them")

    def progress(self, items: Iterable[T], what: str, weight: Callable[[T], int] = lambda _: 1) -> Iterator[T]:
        """Pass items through, counting them (each for its weight) on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            yield from items
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,.0f}"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=None)
            for item in items:
                bar.advance(task, weight(item))
                yield item


talk = Talk()


def harmless(text: str) -> str:
    """Control characters shown, not sent to the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def faults_for(strict: bool) -> Faults:
    from divproj.errors import Faults

    return Faults(strict, tell=talk.warn)


def corpora_from(
    folders: list[str] | None, f: str | None, e: str | None, align: str | None, *, strict: bool, ignore_ids: bool,
    manner: str = "as-is",
) -> list[Corpus]:  # fmt: skip
    """The corpora that arguments and options name; usage errors where they do not name one."""
    from divproj.io.corpus import Corpus
    from divproj.resources import folder

    check_manner(manner)
    by_files = [x is not None for x in (f, e, align)]
    if any(by_files) and (folders or not all(by_files)):
        raise typer.BadParameter("give corpus folders, or all three of --f --e --align")
    if any(by_files):
        assert f is not None
        assert e is not None
        assert align is not None
        if [f, e, align].count("-") > 1:
            raise typer.BadParameter("only one of --f --e --align can be stdin (-)")
        return [Corpus(f, e, align, "corpus", not ignore_ids, faults_for(strict), manner=manner)]
    if not folders:
        raise typer.BadParameter("give a corpus folder, or --f --e --align")
    found = []
    for name in folders:
        path: Path = Path(name)
        if not path.exists() and "/" not in name and (folder("corpora") / name).is_dir():
            path = folder("corpora") / name
        found.append(Corpus.at(path, faults=faults_for(strict), same_ids=not ignore_ids, manner=manner))
    return found


def gold_pairs(corpus: Corpus) -> list[TreePair]:
    """The pairs of a corpus to learn from; what is not fit for that is said."""
    from dataclasses import replace

    checked = replace(corpus, checked=True)
    pairs = list(talk.progress(checked, f"{corpus.name}: pairs"))
    talk.summary(corpus.faults)
    talk.unchecked(len(checked.left_out))
    return pairs


def spread(work: Work[B, T], read: Read[B], faults: Faults, jobs: int, scheduler: str | None) -> Iterator[T]:
    """The engine's loop, where the options say."""
    from divproj import engine

    return engine.run(work, read, faults, engine.Place(jobs, scheduler), talk.caution)


Workers = tuple[int, str | None, Path | None]
"""Processes here, or a scheduler; and a folder for shards."""


def trees_from(work: Work[B, Trees], read: Read[B], faults: Faults, where: Workers) -> Iterator[Trees]:
    """Trees by the engine's loop; with a folder for shards through files there."""
    jobs, scheduler, folder = where
    if folder is None or (jobs == 1 and scheduler is None):
        return spread(work, read, faults, jobs, scheduler)
    from proj_cli.shards import spread_in_shards

    return spread_in_shards(work, read, faults, jobs, scheduler, folder)


def written(trees: Iterable[Trees], out: TextIO) -> Iterator[Trees]:
    """Write trees as they come, and pass them on."""
    last = "\n\n"
    for some in trees:
        if some.text:
            out.write("\n\n"[len(last) :])  # as `conllu.dump` does between sentences
            out.write(some.text)
            last = some.end
        yield some


def checkpoint(output: Path, resume: bool, minutes: float) -> Checkpoint:
    """Where long work for this output is kept: beside it; nowhere for standard output."""
    from divproj.checkpoint import NOTHING, Checkpoint

    if str(output) == "-":
        return NOTHING
    beside = output.with_name(output.name + ".checkpoint")
    made = Checkpoint(beside, resume=resume, seconds=60 * minutes, tell=talk.caution)
    if made.there and not resume:
        talk.caution(f"{beside} is of an interrupted run and will be replaced; --resume goes on from it")
    elif resume and not made.there:
        talk.caution(f"there is no {beside} to go on from: starting anew")
    return made


def check_manner(manner: str) -> None:
    from divproj.manners import MANNERS

    if manner not in MANNERS:
        raise typer.BadParameter(f"no manner {manner}; there are {', '.join(MANNERS)}")


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
