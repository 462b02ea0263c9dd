"""Options of the steps as Typer's parameters, and options that several commands share.

    @command
    def words(source: Source, words: WordsOptions, reader: Reader) -> None: ...

has an option for each field of `WordsOptions` (divproj/core/options.py), the options
`--format --tiers --gloss-lang --encoding` of
the group `Reader`, and `--quiet` and `--verbose` as every command. The function gets one object a group.
`Annotated[ProjectOptions, "e_style"]` takes the named fields alone; the others have their defaults.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from divproj.core.options import (
    IGT_FORMATS,
    MOST_SEED,
    Options,
    ProjectOptions,
    ReaderOptions,
    apply_settings,
    option_of,
    parse_roles,
)
from proj_cli.common import faults_for, talk

if TYPE_CHECKING:
    from divproj.io.corpus import Corpus
    from divproj.runtime.checkpoint import Checkpoint
    from divproj.runtime.engine import Workers

T = TypeVar("T")
_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print errors only.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Show every warning.")]
CorpusArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CORPUS",
        help="A folder with f.conllu, e.conllu and align.txt, the name of a sample corpus, or three files: F, E and links.",
        show_default=False,
    ),
]
EFile = Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U with the trees of the translations.")]
LinksFile = Annotated[
    str | None, typer.Option("--links", metavar="FILE", help="Word links F-E in Pharaoh format, one line per sentence.")
]
Strict = Annotated[
    bool, typer.Option("--strict/--lenient", help="Stop at the first error, or leave faulty sentences out with a warning.")
]
Jobs = Annotated[
    int,
    typer.Option("-j", "--jobs", min=0, metavar="N", help="Number of processes; 0 means one per core. The output is the same."),
]
Place = Annotated[
    str,
    typer.Option(
        "-j",
        "--jobs",
        "--scheduler",
        metavar="N|tcp://…",
        help="Number of processes, 0 for one per core; or the Dask scheduler of a cluster. The output is the same.",
    ),
]
"""Where work is done, for `workers`."""
Shards = Annotated[
    Path | None,
    typer.Option(
        "--shards", metavar="DIR", help="A folder that all workers share; they write their trees there instead of sending them."
    ),
]
Paper = Annotated[bool, typer.Option("--paper", help="Do as the paper says to the letter, without divproj's departures.")]
IgnoreIds = Annotated[bool, typer.Option("--ignore-ids", help="Pair sentences by their order even if their ids differ.")]
Grams = Annotated[list[Path] | None, typer.Option("--grams", metavar="FILE", help="Your own gloss abbreviations (TSV).")]
MaxMb = Annotated[int, typer.Option("--max-mb", min=1, help="Largest XML file that is read, in megabytes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object on stdout; needs -o FILE.")]
EStyle = Annotated[ProjectOptions, "e_style"]


def output(metavar: str, about: str) -> Any:
    """`-o FILE`, which may be `-` for standard output."""
    return typer.Option("-o", "--output", metavar=metavar, help=about, allow_dash=True)


def workers(place: str) -> Workers:
    """Return the workers that `-j` names: a number of processes, or the address of a Dask scheduler."""
    from divproj.runtime.engine import Workers

    if place.isdecimal() and len(place) < 7:
        return Workers(int(place))
    if "://" not in place:
        raise typer.BadParameter(f"--jobs {place}: a number of processes or the address of a Dask scheduler expected (tcp://…)")
    return Workers(scheduler=place)


def seed(about: str = "The same seed gives the same output.") -> Any:
    return typer.Option("--seed", min=0, max=MOST_SEED, help=about)


def typer_option(kind: type[Options], name: str) -> Any:
    """The option that a field of the step's options declares."""
    each = next(each for each in fields(kind) if each.name == name)
    about = option_of(each)
    assert about is not None
    flag = f"--{each.name.replace('_', '-')}"
    return typer.Option(
        *(about.names or (flag,)), metavar=about.metavar or None, min=about.low, max=about.high, help=about.help
    )


KeepHyphens = Annotated[bool, typer_option(ReaderOptions, "keep_hyphens")]
Misaligned = Annotated[bool, typer_option(ReaderOptions, "misaligned")]
IgtFormat = StrEnum("IgtFormat", IGT_FORMATS)  # type: ignore[misc]
"""Formats of interlinear text."""


@dataclass
class Reader:
    """How interlinear text is read: `ReaderOptions` as users write them."""

    format: Annotated[IgtFormat | None, typer_option(ReaderOptions, "format")] = None
    tiers: Annotated[list[str] | None, typer_option(ReaderOptions, "tiers")] = None
    gloss_lang: Annotated[str, typer_option(ReaderOptions, "lang")] = ReaderOptions.lang
    encoding: Annotated[str, typer_option(ReaderOptions, "encoding")] = ReaderOptions.encoding

    def options(self, *, max_mb: int = 200, **more: Any) -> ReaderOptions:
        """The value that `divproj.io.interlinear.formats.load` takes as `reader`."""
        roles = usage("", parse_roles, "tiers", self.tiers or ())
        format_ = self.format.value if self.format else ""
        given = {"format": format_, "lang": self.gloss_lang, "encoding": self.encoding, "max_bytes": max_mb << 20}
        return ReaderOptions.of({**given, "tiers": roles, **more})

    def forbid(self, why: str) -> None:
        """Raise a usage error if one of the options was given, since the input is of another kind."""
        if self != type(self)():
            raise typer.BadParameter(f"--format, --tiers, --gloss-lang and --encoding are for {why}")


def corpora(arguments: list[str] | None, *, ignore_ids: bool = False, strict: bool = False) -> list[Corpus]:
    """Return the corpora that arguments name: folders and sample corpora, or one corpus by its three files."""
    from divproj.io.corpus import Corpus

    if not arguments:
        raise typer.BadParameter("give a corpus folder, or three files: F, E and links")
    if arguments.count("-") > 1:
        raise typer.BadParameter("only one of F, E and links can be stdin (-)")
    same = not ignore_ids
    if len(arguments) == 3 and any(name == "-" or Path(name).is_file() for name in arguments):
        f, e, links = arguments
        return [Corpus(f, e, links, same_ids=same, faults=faults_for(strict), complete=True)]
    if files := [name for name in arguments if name == "-" or Path(name).is_file()]:
        raise typer.BadParameter(f"{files[0]} is a file: give a corpus folder, or three files: F, E and links")
    return [Corpus.at(name, faults=faults_for(strict), same_ids=same) for name in arguments]


@dataclass
class CheckpointOptions:
    """Checkpoints of long work."""

    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run from its checkpoint.")] = False
    checkpoint: Annotated[float, typer.Option("--checkpoint", min=0, metavar="MINUTES", help="Time between checkpoints.")] = 1.0

    def beside(self, output: Path) -> Checkpoint:
        """Return the checkpoint of long work, beside its output; none for standard output."""
        from divproj.runtime.checkpoint import NOTHING, Checkpoint
        from divproj.runtime.leftovers import name_beside

        if str(output) == "-":
            return NOTHING
        path = output.with_name(name_beside(output.name, ".checkpoint"))
        checkpoint = Checkpoint(path, resume=self.resume, seconds=60 * self.checkpoint, tell=talk.caution)
        if checkpoint.there and not self.resume:
            talk.caution(f"{path} is of an interrupted run and will be replaced; --resume goes on from it")
        elif self.resume and not checkpoint.there:
            talk.caution(f"there is no {path} to go on from: starting anew")
        return checkpoint


def check_json(as_json: bool, output: Path) -> None:
    if as_json and str(output) == "-":
        raise typer.BadParameter("--json prints the summary on stdout: give the trees a file with -o")


def one_of(option: str, value: str, known: Any) -> None:
    """A usage error that lists what there is."""
    if value not in known:
        raise typer.BadParameter(f"{option} {value}: one of {', '.join(known)} expected")


def usage(option: str, parse: Callable[..., T], *given: Any, **named: Any) -> T:
    """Return what options say, parsed by the library; its errors become usage errors."""
    from divproj.core.errors import ProjError

    try:
        return parse(*given, **named)
    except (ValueError, ProjError) as error:
        raise typer.BadParameter(_ARGUMENT.sub(_as_option, f"{option}{error}")) from None


def _as_option(match: re.Match[str]) -> str:
    """
    >>> _ARGUMENT.sub(_as_option, "`tree_format=pdf`: one of brackets, enju expected")
    '--tree-format pdf: one of brackets, enju expected'
    """
    return f"--{match[1].replace('_', '-')} {match[2]}"


class Group(TyperGroup):
    """A group of commands; its flags take no value, and its help says so."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class command:  # noqa: N801 - used as a decorator
    """A command in which every parameter that is a dataclass stands for the options of its fields, worked out when asked for."""

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._function, include_extras=True)

    @cached_property
    def _groups(self) -> dict[str, tuple[Any, list[str]]]:
        """By parameter, its dataclass and the fields that are options here."""
        groups = {}
        for name, hint in self._hints.items():
            kind, *names = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            if is_dataclass(kind):
                shown = [f.name for f in fields(kind) if not ((about := option_of(f)) and about.by_set)]
                groups[name] = kind, names[0].split() if names else shown
        return groups

    @cached_property
    def __signature__(self) -> Signature:
        parameters: dict[str, Parameter] = {}
        for name, given in signature(self._function).parameters.items():
            if name in self._groups:
                kind, names = self._groups[name]
                hints = get_type_hints(kind, include_extras=True)
                chosen = {f.name: f for f in fields(kind) if f.name in names}
                parameters |= {each: _field_parameter(kind, chosen[each], hints[each]) for each in names}
            else:
                parameters[name] = _parameter(name, self._hints[name], given.default)
        for name, flag in (("quiet", Quiet), ("verbose", Verbose)):
            parameters[name] = _parameter(name, flag, False)
        return Signature([*parameters.values()])

    @property
    def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
        return {name: each.annotation for name, each in self.__signature__.parameters.items()}

    def __call__(self, *args: Any, **named: Any) -> None:
        parameters = self.__signature__.parameters
        defaults = {name: each.default for name, each in parameters.items() if each.default is not Parameter.empty}
        given = {**defaults, **dict(zip(parameters, args, strict=False)), **named}
        talk.set(given.pop("quiet"), given.pop("verbose"))
        for name, (kind, names) in self._groups.items():
            given[name] = _group(kind, {each: given.pop(each) for each in names})
        self._function(**given)


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    empty = default in (MISSING, Parameter.empty)
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=Parameter.empty if empty else default)


def _field_parameter(kind: Any, each: Field[Any], hint: Any) -> Parameter:
    """The parameter of a field: as `option` declares it, or as its annotation says."""
    if option_of(each) is None:
        return _parameter(each.name, hint, each.default)
    declared = typer_option(kind, each.name)
    if get_origin(hint) is tuple:
        return _parameter(each.name, Annotated[list[get_args(hint)[0]] | None, declared], None)  # type: ignore[misc]
    return _parameter(each.name, Annotated[hint, declared], each.default)


def _group(kind: Any, given: dict[str, Any]) -> Any:
    """The object of a group; what it refuses is a usage error."""
    if not issubclass(kind, Options):
        return kind(**given)
    values = {
        each.name: tuple(given[each.name] or ()) if isinstance(each.default, tuple) else given[each.name]
        for each in fields(kind)
        if each.name in given
    }
    return usage("", apply_settings, usage("", kind, **values))
