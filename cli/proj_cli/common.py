"""What commands share: options, talk on stderr, corpora from arguments, tables on stdout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from divproj.data.errors import Faults, ProjError
    from divproj.data.pair import Pair
    from divproj.io.corpus import Corpus
    from divproj.io.igt_text import ReaderOptions
    from divproj.io.trees import Trees
    from divproj.runtime.checkpoint import Checkpoint
    from divproj.runtime.engine import Read, Work
    from proj_cli.progress import Bar

B = TypeVar("B")
T = TypeVar("T")
SHOWN = 5

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Say nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object on stdout; needs -o FILE.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show every warning.")]
CorpusArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CORPUS]...",
        help="A folder with f.conllu, e.conllu and align.txt, or the name of a shipped corpus.",
        show_default=False,
    ),
]
FOption = Annotated[str | None, typer.Option("--f", metavar="FILE", help="CoNLL-U of the language you study (F); - is stdin.")]
EOption = Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U of the translations (E).")]
LinksOption = Annotated[
    str | None, typer.Option("--links", metavar="FILE", help="Word links F-E in Pharaoh form, one line per sentence.")
]
OldAlign = Annotated[str | None, typer.Option("--align", hidden=True)]
OldStyle = Annotated[str | None, typer.Option("--e-manner", hidden=True)]
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
EStyle = Annotated[
    str,
    typer.Option("--e-style", help="Heads of E trees: ud (content words), function, adpositions, determiners; or as-is."),
]
FStyle = Annotated[
    str, typer.Option("--style", help="Heads of the trees that go out: ud (content words), or function (function words).")
]
Grams = Annotated[list[Path] | None, typer.Option("--grams", metavar="FILE", help="Your own gloss abbreviations (TSV).")]


class IgtFormat(StrEnum):
    """Formats of interlinear text."""

    plain = "plain"
    conllu = "conllu"
    xigt = "xigt"
    odin = "odin"
    toolbox = "toolbox"
    flextext = "flextext"
    elan = "elan"
    cldf = "cldf"
    sigmorphon = "sigmorphon"
    latex = "latex"


FormatOption = Annotated[
    IgtFormat | None, typer.Option("--format", "-f", help="Format of the text; guessed from the content when not given.")
]
TiersOption = Annotated[
    list[str] | None,
    typer.Option("--tiers", metavar="ROLE=TIER,…", help="ELAN: the tiers of text, words, morphs, glosses, pos, translation."),
]
MarkersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--markers", metavar="ROLE=MARKER,…", help="Toolbox: markers of record, words, morphs, glosses, pos, translation."
    ),
]
LangOption = Annotated[str, typer.Option("--lang", metavar="CODE", help="Preferred language of glosses and translations.")]
EncodingOption = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Of the file, when it is not UTF-8 and does not say.")
]
KeepHyphens = Annotated[
    bool, typer.Option("--keep-hyphens", help="Leave the boundaries of morphemes in the words (hart-es, not hartes).")
]
Misaligned = Annotated[
    bool, typer.Option("--misaligned", help="Read a file even if most sentences do not have a gloss under each word.")
]
MaxMb = Annotated[int, typer.Option("--max-mb", min=1, help="An XML file with more megabytes is not read.")]


def reader_options(
    format: IgtFormat | None = None,  # noqa: A002
    tiers: list[str] | None = None,
    markers: list[str] | None = None,
    lang: str = "en",
    encoding: str = "",
    *,
    keep_hyphens: bool = False,
    misaligned: bool = False,
    max_mb: int = 200,
) -> ReaderOptions:
    """The options above as the value that `divproj.io.igt.load` takes as `reader`."""
    from divproj.io.igt_text import ReaderOptions

    return ReaderOptions.of(
        {
            "format": format.value if format else "",
            "lang": lang,
            "encoding": encoding,
            "max_bytes": max_mb << 20,
            "tiers": roles_of(tiers, "--tiers"),
            "markers": roles_of(markers, "--markers"),
            "keep_hyphens": keep_hyphens,
            "misaligned": misaligned,
        }
    )


def roles_of(given: list[str] | None, option: str) -> dict[str, str]:
    """`words=tx,glosses=ge` as a mapping."""
    found: dict[str, str] = {}
    for pair in (part for text in given or () for part in text.split(",") if part.strip()):
        role, eq, name = pair.partition("=")
        if not eq or not name.strip():
            raise typer.BadParameter(f"{option} takes ROLE=NAME, separated by commas, not '{pair}'")
        found[role.strip()] = name.strip()
    return found


class Talk:
    """What the user hears beside the data: all of it goes to stderr."""

    def __init__(self) -> None:
        self.quiet = self.verbose = False
        self.warned = 0
        self.bar: Bar | None = None

    def set(self, quiet: bool, verbose: bool) -> None:
        """How much to say; called first by every command, so the progress bar begins here."""
        self.quiet, self.verbose = self.quiet or quiet, self.verbose or verbose
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
        print(f"proj: {harmless(text)}", file=sys.stderr)  # noqa: T201

    def say(self, text: str) -> None:
        if not self.quiet:
            self._clear()
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


def harmless(text: str) -> str:
    """Control characters shown, not sent to the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def faults_for(strict: bool) -> Faults:
    from divproj.data.errors import Faults

    return Faults(strict, tell=talk.warn)


def corpora_from(
    folders: list[str] | None, f: str | None, e: str | None, align: str | None, *, strict: bool, ignore_ids: bool,
    style: str = "as-is",
) -> list[Corpus]:  # fmt: skip
    """The corpora that arguments and options name; usage errors where they do not name one."""
    from divproj.io.corpus import Corpus
    from divproj.io.sources import located

    check_style(style)
    by_files = [x is not None for x in (f, e, align)]
    if any(by_files) and (folders or not all(by_files)):
        raise typer.BadParameter("give corpus folders, or all three of --f --e --links")
    if any(by_files):
        assert f is not None
        assert e is not None
        assert align is not None
        if [f, e, align].count("-") > 1:
            raise typer.BadParameter("only one of --f --e --links can be stdin (-)")
        return [Corpus(f, e, align, "corpus", not ignore_ids, faults_for(strict), style=style)]
    if not folders:
        raise typer.BadParameter("give a corpus folder, or --f --e --links")
    return [Corpus.at(located(name), faults=faults_for(strict), same_ids=not ignore_ids, style=style) for name in folders]


def gold_pairs(corpus: Corpus) -> list[Pair]:
    """The pairs of a corpus to learn from; what is not fit for that is said."""
    from dataclasses import replace

    checked = replace(corpus, checked=True)
    pairs = list(talk.progress(checked, f"{corpus.name}: pairs"))
    talk.summary(corpus.faults)
    talk.unchecked(len(checked.left_out))
    return pairs


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


def renamed(new: T, old: T | None, names: str) -> T:
    """The value of an option that may have been given under its old name, which is said."""
    if old is None:
        return new
    talk.say(f"proj: {names.split()[0]} is now called {names.split()[1]}; the old name will go in the next version")
    return old


def checkpoint(output: Path, resume: bool, minutes: float) -> Checkpoint:
    """Where long work for this output is kept: beside it; nowhere for standard output."""
    from divproj.runtime.checkpoint import NOTHING, Checkpoint

    if str(output) == "-":
        return NOTHING
    beside = output.with_name(output.name + ".checkpoint")
    made = Checkpoint(beside, resume=resume, seconds=60 * minutes, tell=talk.caution)
    if made.there and not resume:
        talk.caution(f"{beside} is of an interrupted run and will be replaced; --resume goes on from it")
    elif resume and not made.there:
        talk.caution(f"there is no {beside} to go on from: starting anew")
    return made


def check_style(style: str) -> None:
    from divproj.data.head_style import STYLES

    if style not in STYLES:
        raise typer.BadParameter(f"no head style {style}; there are {', '.join(STYLES)}")


def check_json(as_json: bool, output: Path) -> None:
    if as_json and str(output) == "-":
        raise typer.BadParameter("--json prints the summary on stdout: give the trees a file with -o")


def end(summary: Any, output: Path, as_json: bool, sign: str) -> None:
    """The last lines of a command that makes trees: what it did, as text and, where asked for, as JSON; its exit code."""
    import json

    told = summary.as_json()
    if as_json:
        print(json.dumps({"signature": sign, "output": str(output), **told}, ensure_ascii=False))  # noqa: T201
    for line in summary.lines():
        talk.say(line)
    if str(output) != "-":
        talk.say(f"trees: {output}")
    if told["exit_code"]:
        raise typer.Exit(told["exit_code"])


def check_f_style(style: str) -> None:
    from divproj.projection.output import STYLES

    if style not in STYLES:
        raise typer.BadParameter(f"no head style {style} to write; there are {', '.join(STYLES)}")


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
