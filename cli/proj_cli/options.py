"""Options that several commands share, each declared once; and groups of them, which a command takes as one parameter.

    @command
    def words(source: Source, reader: Reader) -> None: ...

has the options `--format --tiers --markers --gloss-lang --encoding` of the group `Reader`, and `--quiet` and `--verbose` as every command.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from proj_cli.common import faults_for, talk

if TYPE_CHECKING:
    from divproj.io.corpus import Corpus
    from divproj.io.igt_text import ReaderOptions
    from divproj.runtime.checkpoint import Checkpoint

T = TypeVar("T")
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print errors only.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show every warning.")]
CorpusArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CORPUS]...",
        help="A folder with f.conllu, e.conllu and align.txt, or the name of a sample corpus.",
        show_default=False,
    ),
]
EFile = Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U with the trees of the translations.")]
LinksFile = Annotated[
    str | None, typer.Option("--links", metavar="FILE", help="Word links F-E in Pharaoh format, one line per sentence.")
]
Strict = Annotated[
    bool, typer.Option("--strict/--lenient", help="Stop at the first fault, or leave faulty sentences out with a warning.")
]
Jobs = Annotated[
    int,
    typer.Option("-j", "--jobs", min=0, metavar="N", help="Number of processes; 0 means one per core. The output is the same."),
]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="tcp://…", help="Run on the Dask cluster of this scheduler.")
]
Shards = Annotated[
    Path | None,
    typer.Option(
        "--shards", metavar="DIR", help="A folder that all workers share; they write their trees there instead of sending them."
    ),
]
IgnoreIds = Annotated[bool, typer.Option("--ignore-ids", help="Pair sentences by their order even if their ids differ.")]
Grams = Annotated[list[Path] | None, typer.Option("--grams", metavar="FILE", help="Your own gloss abbreviations (TSV).")]
KeepHyphens = Annotated[
    bool, typer.Option("--keep-hyphens", help="Keep morpheme boundaries in the words (hart-es, not hartes).")
]
Misaligned = Annotated[
    bool, typer.Option("--misaligned", help="Read a file even if most sentences do not have a gloss under each word.")
]
MaxMb = Annotated[int, typer.Option("--max-mb", min=1, help="Largest XML file that is read, in megabytes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object on stdout; needs -o FILE.")]
EStyle = Annotated[
    str,
    typer.Option("--e-style", help="Heads of E trees: ud (content words), function, adpositions, determiners; or as-is."),
]
FStyle = Annotated[str, typer.Option("--style", help="Heads in the output: ud (content words) or function (function words).")]


def output(metavar: str, about: str) -> Any:
    """`-o FILE`, which may be `-` for standard output."""
    return typer.Option("-o", "--output", metavar=metavar, help=about, allow_dash=True)


def seed(about: str = "The same seed gives the same output.") -> Any:
    return typer.Option("--seed", min=0, help=about)


IgtFormat = StrEnum("IgtFormat", "plain conllu xigt odin toolbox flextext elan cldf sigmorphon latex")
"""Formats of interlinear text."""


@dataclass
class Reader:
    """How interlinear text is read."""

    format: Annotated[
        IgtFormat | None, typer.Option("--format", "-f", help="Format of the text; by default recognised from its content.")
    ] = None
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tiers", metavar="ROLE=TIER,…", help="ELAN: the tiers of text, words, morphs, glosses, pos, translation."
        ),
    ] = None
    markers: Annotated[
        list[str] | None,
        typer.Option(
            "--markers", metavar="ROLE=MARKER,…", help="Toolbox: markers of record, words, morphs, glosses, pos, translation."
        ),
    ] = None
    gloss_lang: Annotated[
        str, typer.Option("--gloss-lang", metavar="CODE", help="Preferred language of glosses and translations.")
    ] = "en"
    encoding: Annotated[
        str, typer.Option("--encoding", metavar="NAME", help="Encoding of a file that is not UTF-8 and does not name it.")
    ] = ""

    def options(self, *, max_mb: int = 200, **more: Any) -> ReaderOptions:
        """The value that `divproj.io.igt.load` takes as `reader`."""
        from divproj.io.igt_text import ReaderOptions

        roles = {"tiers": roles_of(self.tiers, "--tiers"), "markers": roles_of(self.markers, "--markers")}
        format_ = self.format.value if self.format else ""
        given = {"format": format_, "lang": self.gloss_lang, "encoding": self.encoding, "max_bytes": max_mb << 20}
        return ReaderOptions.of({**given, **roles, **more})

    def unused(self, why: str) -> None:
        """A usage error where an option was given, since nothing is read that it is about."""
        if self != type(self)():
            raise typer.BadParameter(f"--format, --tiers, --markers, --gloss-lang and --encoding are for {why}")


def roles_of(given: list[str] | None, option: str) -> dict[str, str]:
    """`words=tx,glosses=ge` as a mapping."""
    found: dict[str, str] = {}
    for pair in (part for text in given or () for part in text.split(",") if part.strip()):
        role, eq, name = pair.partition("=")
        if not eq or not name.strip():
            raise typer.BadParameter(f"{option} takes ROLE=NAME, separated by commas, not '{pair}'")
        found[role.strip()] = name.strip()
    return found


@dataclass
class CorpusFiles:
    """A corpus by its files, where no folder is given."""

    f: Annotated[str | None, typer.Option("--f", metavar="FILE", help="CoNLL-U of the language you study (F); - is stdin.")] = (
        None
    )
    e: Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U of the translations (E).")] = None
    links: LinksFile = None
    ignore_ids: IgnoreIds = False

    def corpora(self, folders: list[str] | None, *, strict: bool = False) -> list[Corpus]:
        """The corpora that arguments and options name; usage errors where they do not name one."""
        from divproj.io.corpus import Corpus

        given = [each for each in (self.f, self.e, self.links) if each is not None]
        if given and (folders or len(given) < 3):
            raise typer.BadParameter("give corpus folders, or all three of --f --e --links")
        if given.count("-") > 1:
            raise typer.BadParameter("only one of --f --e --links can be stdin (-)")
        if given:
            f, e, links = given
            return [Corpus(f, e, links, same_ids=not self.ignore_ids, faults=faults_for(strict), complete=True)]
        if not folders:
            raise typer.BadParameter("give a corpus folder, or --f --e --links")
        same = not self.ignore_ids
        return [Corpus.at(name, faults=faults_for(strict), same_ids=same) for name in folders]


@dataclass
class Keep:
    """Checkpoints of long work."""

    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run from its checkpoint.")] = False
    checkpoint: Annotated[float, typer.Option("--checkpoint", min=0, metavar="MINUTES", help="Time between checkpoints.")] = 1.0

    def beside(self, output: Path) -> Checkpoint:
        """Where long work for this output is kept: beside it; nowhere for standard output."""
        from divproj.runtime.checkpoint import NOTHING, Checkpoint

        if str(output) == "-":
            return NOTHING
        path = output.with_name(output.name + ".checkpoint")
        made = Checkpoint(path, resume=self.resume, seconds=60 * self.checkpoint, tell=talk.caution)
        if made.there and not self.resume:
            talk.caution(f"{path} is of an interrupted run and will be replaced; --resume goes on from it")
        elif self.resume and not made.there:
            talk.caution(f"there is no {path} to go on from: starting anew")
        return made


def checked_style(style: str) -> str:
    """The head style; a usage error that lists them for one that is not known."""
    from divproj.data.head_style import STYLES

    if style not in STYLES:
        raise typer.BadParameter(f"no head style {style}; there are {', '.join(STYLES)}")
    return style


def checked_f_style(style: str) -> str:
    """The head style of trees that go out; a usage error that lists them for one that is not known."""
    from divproj.projection.output import STYLES

    if style not in STYLES:
        raise typer.BadParameter(f"no head style {style} to write; there are {', '.join(STYLES)}")
    return style


def check_json(as_json: bool, output: Path) -> None:
    if as_json and str(output) == "-":
        raise typer.BadParameter("--json prints the summary on stdout: give the trees a file with -o")


def one_of(option: str, value: str, known: Any) -> None:
    """A usage error that lists what there is."""
    if value not in known:
        raise typer.BadParameter(f"{option} {value}: one of {', '.join(known)} expected")


def usage(option: str, parse: Callable[..., T], *given: Any) -> T:
    """What options say, as the library reads it; what is wrong with it is a usage error."""
    from divproj.data.errors import ProjError

    try:
        return parse(*given)
    except (ValueError, ProjError) as error:
        raise typer.BadParameter(f"{option}{error}") from None


class command:  # noqa: N801 - used as a decorator
    """A command in which every parameter that is a group stands for the options of the group, worked out when asked for."""

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    @cached_property
    def _groups(self) -> dict[str, tuple[Any, list[str]]]:
        hints = get_type_hints(self._function, include_extras=True)
        return {name: (kind, [f.name for f in fields(kind)]) for name, kind in hints.items() if is_dataclass(kind)}

    @cached_property
    def __signature__(self) -> Signature:
        hints = get_type_hints(self._function, include_extras=True)
        shown: dict[str, Parameter] = {}
        for name, given in signature(self._function).parameters.items():
            if name in self._groups:
                own = get_type_hints(hints[name], include_extras=True)
                shown |= {f.name: _parameter(f.name, own[f.name], f.default) for f in fields(hints[name])}
            else:
                shown[name] = _parameter(name, hints[name], given.default)
        for name, kind in (("quiet", Quiet), ("verbose", Verbose)):
            shown[name] = _parameter(name, kind, False)
        return Signature([*shown.values()])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: each.annotation for name, each in self.__signature__.parameters.items()}

    def __call__(self, *args: Any, **named: Any) -> None:
        shown = self.__signature__.parameters
        defaults = {name: each.default for name, each in shown.items() if each.default is not Parameter.empty}
        given = {**defaults, **dict(zip(shown, args, strict=False)), **named}
        talk.set(given.pop("quiet"), given.pop("verbose"))
        for name, (kind, names) in self._groups.items():
            given[name] = kind(**{each: given.pop(each) for each in names})
        self._function(**given)


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    empty = default in (MISSING, Parameter.empty)
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=Parameter.empty if empty else default)
