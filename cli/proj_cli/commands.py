"""The application `proj`: its commands, the panels of their options, and what happens on errors.

Before a command runs, outputs that would overwrite an input or each other are refused (`Guarded`). An error in the data is one
line on stderr and exit code 1; a bug keeps its traceback.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from copy import copy
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from divproj.io.files import E_FILE, F_FILE, IGT_FILE, LINKS_FILE
from proj_cli import (
    about,
    align,
    analyze,
    common,
    evaluate,
    find,
    induce,
    interlinear,
    options,
    parse,
    project,
    review,
    run,
    signals,
    words,
)

OUTPUTS = ("output", "html", "csv_folder", "plot", "latex", "forest", "links_out", "e_out", "save", "merge")
"""Parameters that name what a command writes, whichever command; those of other names are read."""
ALSO = (("convert", "target"), ("pairs", "corpus"))
"""Parameters of one command that it writes."""
CORPUS = (F_FILE, E_FILE, LINKS_FILE, IGT_FILE, "gold.txt")
MODEL = ("model.json", "weights.npz")


class Guarded(TyperCommand):
    """A command that compares the files of its options before it runs."""

    def invoke(self, ctx: Any) -> Any:
        check(self.name or "", {param.name: (param.opts[-1], ctx.params.get(param.name)) for param in self.params})
        return super().invoke(ctx)


def check(command: str, options: dict[Any, tuple[str, Any]]) -> None:
    """Refuse outputs that are inputs, or each other; `options` is what was given to each parameter, and how that is spelt."""
    written: dict[str, str] = {}
    outputs = {name for name in options if name in OUTPUTS or (command, name) in ALSO}
    for name in sorted(outputs, reverse=True):
        label, value = options[name]
        for path in paths(value):
            if (real := place(path)) is not None:
                if real in written:
                    raise refusal(f"{label} and {written[real]} would both be written there", path)
                written[real] = label
    for name in set(options) - outputs:
        for path in paths(options[name][1]):
            for file in files(path):
                if taken := written.get(place(file) or ""):
                    raise refusal(f"{taken} would take the place of an input", file)


def refusal(message: str, path: str) -> Exception:
    from divproj.core.errors import ProjError, Where

    return ProjError(message, Where("standard output" if path == "-" else path), "give another name")


def paths(value: Any) -> Iterator[str]:
    """Yield the strings in a parameter's value that may be paths."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from paths(each)
    elif isinstance(value, str | Path) and str(value):
        yield str(value)


def place(path: str) -> str | None:
    """Return a key that is the same for all names of a file; None for devices and pipes."""
    try:
        if path == "-":
            return path
        target = Path(path) if Path(path).exists() else Path(os.path.realpath(path))  # `no/../f` is f: `no` will be made
        if not target.exists() or target.is_dir():
            return os.path.realpath(target)
        about = target.stat()
        return f"{about.st_dev}:{about.st_ino}" if target.is_file() else None
    except (OSError, ValueError):
        return None


def files(path: str) -> Iterator[str]:
    """What a command may read by this name: the file, or those of a corpus or model in the folder."""
    try:
        if path == "-":
            return
        if Path(path).is_dir():
            known = (*CORPUS, *(f"{name}.gz" for name in CORPUS), *MODEL)
            yield from (str(file) for name in known if (file := Path(path) / name).is_file())
        elif Path(path).is_file():
            yield path
    except (OSError, ValueError):
        return


def streams() -> None:
    """Data on standard output is UTF-8, whatever the locale; a closed stream is an empty one.

    What is no character (odd bytes of a file name) is escaped. The numbers 0 to 2 are taken, so that no file gets them.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8", errors="backslashreplace"))  # noqa: SIM115
        elif name == "stdout" and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


INPUT, LINKS, TREE_PANEL, LEARNING, OUTPUT, RUNNING = "Input", "Links", "Trees", "Learning", "Output", "Running"
PANELS = {
    INPUT: "f e origin format tiers lang gloss_lang encoding max_mb ignore_ids glossed dictionary candidates grams "
    "keep_lines keep_tags punctuation binarise gold dev languages tags max_length keep_hyphens folder tree_format misaligned paraphrases",
    LINKS: "links more_links gloss_links threshold method min_prob embeddings wordnet lexical fast min_coverage",
    TREE_PANEL: "system systems rules types model e_parser e_style style conventions also f_forests calibration project.phrases order decoder trees projection features "
    "nbest stage extended induced side decode prune",
    LEARNING: "check families epochs bits gold_tags train_sizes folds runs sweeps chains start paper settings words.model experiment.by",
    OUTPUT: "language treebank legend agreement merge changes papers output html csv_folder plot latex as_json json sentences edges min_count weights min_share max_pairs text probs subtypes bare to "
    "corpus confidence ud into word_links brackets phrases count by conllu limit sent force show save links_out e_out forest",
    RUNNING: "strict jobs scheduler shards shard seed resume checkpoint max_seconds quiet verbose help dry_run port fresh again run.start "
    "install_completion show_completion version help_all",
}
_PANEL = {name: panel for panel, names in PANELS.items() for name in names.split()}
ORDER = (INPUT, LINKS, TREE_PANEL, LEARNING, OUTPUT, RUNNING)


def examples_first(text: str) -> str:
    """A docstring with its examples right after the first paragraph; lines of other paragraphs are joined, to be wrapped anew.

    >>> examples_first("Draws.\\n\\nMore\\nlines.\\n\\nExample: proj draw")
    'Draws.\\n\\nExample: proj draw\\n\\nMore lines.'
    """
    first, *rest = (part if _is_example(part) else " ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join([first, *sorted(rest, key=lambda part: not _is_example(part))])


def _is_example(paragraph: str) -> bool:
    return paragraph.lstrip().startswith("Example")


RARE_NAMES = (
    "paraphrases encoding keep_hyphens misaligned ignore_ids min_coverage max_mb calibration e_style conventions f_forests also shards seed "
    "checkpoint resume settings paper latex project.rules project.model project.style project.phrases project.as_json project.grams "
    "project.gloss_lang review.system review.rules review.model review.grams review.gloss_lang review.style shard "
    "chains side epochs csv_folder extended tags min_count plot.edges changes agreement.by parse.style parse.gloss_lang parse.as_json "
    "train.features train.projection train.trees"
)
RARE = frozenset(RARE_NAMES.split())
"""Options that few users need, whichever command, or of one; they are shown by `--help-all`."""
METAVARS = {"str": "NAME", "int": "N", "float": "NUMBER", "Path": "FILE"}
"""What stands for a value whose option does not say it, by the type."""
LONGEST_METAVAR = 24
WIDEST_NAMES = 30
"""Columns of the names of options; longer ones are wrapped between words."""
ALL_OPTIONS = "divproj.all_options"
"""Key under which a context says that rare options are to be shown, too."""


class Grouped(TyperCommand):
    """A command whose options are shown in groups, in the same order everywhere; the rare ones only by `--help-all`."""

    def __init__(self, *args: Any, **given: Any) -> None:
        params = given.get("params") or []
        self.rare: set[str] = set()
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""  # takes no value
            if param.param_type_name == "option":
                here = f"{given.get('name')}.{param.name}"  # `edges` is one thing in `analyze`, another in `induce`
                param.rich_help_panel = _PANEL.get(here) or _PANEL.get(param.name or "", TREE_PANEL)
                if not RARE.isdisjoint((param.name, here)):
                    self.rare.add(param.name)
        params.sort(key=lambda p: -1 if p.param_type_name != "option" else ORDER.index(p.rich_help_panel))
        given["help"] = examples_first(given.get("help") or "")
        super().__init__(*args, **given)

    def get_params(self, ctx: Any) -> list[Any]:
        """All parameters, and `--help-all` where some options are rare."""
        params: list[Any] = super().get_params(ctx)
        option = self.get_help_option(ctx)
        if self.rare and option is not None:
            everything = copy(option)
            everything.name, everything.opts, everything.callback = "help_all", ["--help-all"], _help_all
            everything.help = "Show this message with all options, also the rare ones, and exit."
            params = [*params, everything]
        return params

    def get_help_option(self, ctx: Any) -> Any:
        return _plain_help_option(super().get_help_option(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help: usage, what the command does, its arguments and the panels of its options."""
        from rich import box
        from rich.console import Console
        from rich.padding import Padding
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        console = Console(markup=False, emoji=False, highlight=False)
        rare = set() if ctx.meta.get(ALL_OPTIONS) else self.rare
        console.print(Padding(Text(self.get_usage(ctx), style="bold"), (1, 1)))
        for paragraph in (self.help or "").split("\n\n"):
            console.print(Padding(Text(_without_escapes(paragraph)), (0, 1, 1, 1)))
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            if param.name not in rare and (record := param.get_help_record(ctx)):
                is_option = param.param_type_name == "option"
                panels.setdefault(param.rich_help_panel if is_option else "Arguments", []).append(_plain_record(*record))
        for panel, rows in panels.items():
            grid = Table.grid(padding=(0, 2, 0, 0))
            longest = max(len(word) for names, _ in rows for word in names.split())
            grid.add_column(style="cyan", max_width=max(longest, min(WIDEST_NAMES, console.width // 3)))
            grid.add_column(ratio=1)
            for names, text in rows:
                grid.add_row(Text(names), Text(_without_escapes(text)))
            console.print(Panel(grid, title=panel, title_align="left", border_style="dim", box=box.ROUNDED))
        if rare:
            console.print(Padding(Text("Options that are rarely needed are not shown here: --help-all lists them."), (0, 1)))


def _without_escapes(text: str) -> str:
    """A help text without the marks that keep brackets from being read as markup."""
    return text.replace("\\[", "[")


def _plain_record(names: str, about: str) -> tuple[str, str]:
    """The names and the help of a parameter in plain words: no types of Python, no long lists of values, no formulas.

    >>> _plain_record("-f, --format <str>", "The format."), _plain_record("--share <float>", "A share.  [0<=x<=1]")
    (('-f, --format NAME', 'The format.'), ('--share NUMBER', 'A share.  [from 0 to 1]'))
    """
    kind = re.search(r"<([^<>]+)>$", names) or re.search(r"(?<!^)\[([^\[\]]+)\]$", names)
    if kind and "|" not in kind[1]:
        plain = next((metavar for name, metavar in METAVARS.items() if name in kind[1]), "NAME") if names[:1] == "-" else ""
        names = f"{names[: kind.start()]}{plain}".strip()
    elif kind and len(kind[1]) > LONGEST_METAVAR:
        names = f"{names[: kind.start()]}NAME"
        about = f"{about.rstrip()}  One of {', '.join(kind[1].split('|'))}."
    about = re.sub(r"(-?[\d.]+)<=x<=(-?[\d.]+)", r"from \1 to \2", about)
    return names, re.sub(r"x>=(-?[\d.]+)", r"from \1 on", about)


def _help_all(ctx: Any, _: Any, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        ctx.meta[ALL_OPTIONS] = True
        typer.echo(ctx.get_help(), nl=False)
        ctx.exit()


def _plain_help_option(option: Any) -> Any:
    if option is not None:
        option.metavar, option.rich_help_panel = "", RUNNING
    return option


app = typer.Typer(
    name="proj",
    cls=options.Group,
    help="Syntax for languages without treebanks: see how two languages diverge, and project trees from one to the other.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
SEE, TREES = "See how two languages diverge", "Trees from interlinear text"
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "The whole way": (run.new, run.run),
    SEE: (analyze.analyze, analyze.draw, find.find),
    TREES: (project.project, project.types, project.learn, project.calibrate, review.review, words.words),
    "Parsers": (parse.train, parse.parse),
    "Interlinear files": (interlinear.check, interlinear.convert, interlinear.release),
    "How good is it?": (evaluate.evaluate, evaluate.experiment, evaluate.paper),
    "About divproj": (about.tutorial, about.corpora, about.languages, about.systems, about.warm, about.cite),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(align.app, name="align", rich_help_panel=SEE)
app.add_typer(project.rules_app, name="rules", cls=options.Group, rich_help_panel=TREES)
app.add_typer(induce.app, name="induce", rich_help_panel=TREES)


class Command(Guarded, Grouped):
    """Refuses outputs that would overwrite inputs, and shows its options in groups."""


below = [group.typer_instance.registered_commands for group in app.registered_groups if group.typer_instance]
for info in chain(app.registered_commands, *below):
    info.cls = Command


def _version(wanted: bool) -> None:
    if wanted:
        from divproj import __version__

        typer.echo(f"divproj {__version__}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    common.talk.set(quiet, verbose)


def main() -> None:
    """Entry point: data errors are one line on stderr and exit 1; a bug stays a traceback."""
    streams()
    _lighten(next((word for word in sys.argv[1:] if not word.startswith("-")), ""))
    with signals.handle_signals() as numbers:
        _run(numbers)


def _run(numbers: list[int]) -> None:
    """Run the command; `numbers` are those of the signals that came."""
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # a full disk is to be told here, not while Python shuts down
    except BrokenPipeError:  # the reader of our output has left
        _drop_output()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # of the machine: no room, no permission
        _drop_output()
        place = f"{error.filename}: " if error.filename else ""
        common.talk.error(f"{place}{error.strerror or error}")
        sys.exit(1)
    except Exception as error:
        from divproj.core.errors import ProjError  # here, so that `proj --help` does without numpy

        if not isinstance(error, ProjError):
            if numbers:  # Ctrl-C in the middle of an import is often another error
                sys.exit(128 + numbers[0])
            raise
        common.talk.error(str(error))
        sys.exit(1)


def _lighten(name: str) -> None:
    """Drop what this call does not need: other commands, or, for help, all options; Typer would work them out each time."""
    if "_PROJ_COMPLETE" in os.environ:  # a shell asks what could be typed
        return
    commands = [x for x in app.registered_commands if x.callback and (x.name or x.callback.__name__) == name]
    groups = [x for x in app.registered_groups if x.name == name]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups
    elif not name:
        below = [x.typer_instance.registered_commands for x in app.registered_groups if x.typer_instance]
        for info in chain(app.registered_commands, *below):
            info.callback = _bare(info.callback)


def _bare(command: Any) -> Callable[[], None]:
    """A command without its options."""

    def bare() -> None: ...

    bare.__name__, bare.__doc__ = command.__name__, command.__doc__
    return bare


def _drop_output() -> None:
    """Discard what is still to be written to standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
