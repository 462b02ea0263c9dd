"""The table of contents: every command, grouped, and how errors end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any

import typer

from proj_cli import (
    about,
    align,
    analyze,
    common,
    draw,
    evaluate,
    find,
    guard,
    induce,
    interlinear,
    options,
    parse,
    project,
    review,
    run,
    signals,
    tutorial,
    words,
)
from proj_cli.panels import Grouped

app = typer.Typer(
    name="proj",
    help="Syntax for languages without treebanks: see how two languages diverge, and project trees from one to the other.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
SEE, TREES = "See how two languages diverge", "Trees from interlinear text"
COMMANDS: dict[str, tuple[Callable[..., None], ...]] = {
    "The whole way": (run.new, run.run),
    SEE: (analyze.analyze, draw.draw, find.find),
    TREES: (project.project, project.learn, review.review, words.words),
    "Parsers": (parse.train, parse.parse),
    "Interlinear files": (interlinear.check, interlinear.convert),
    "How good is it?": (evaluate.evaluate, evaluate.experiment),
    "About divproj": (tutorial.tutorial, about.corpora, about.languages, about.systems, about.warm, about.cite),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(align.app, name="align", rich_help_panel=SEE)
app.add_typer(project.rules_app, name="rules", rich_help_panel=TREES)
app.add_typer(induce.app, name="induce", rich_help_panel=TREES)


class Command(guard.Guarded, Grouped):
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
    guard.streams()
    _lighten(next((word for word in sys.argv[1:] if not word.startswith("-")), ""))
    with signals.heard() as numbers:
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
        from divproj.data.errors import ProjError  # here, so that `proj --help` does without numpy

        if not isinstance(error, ProjError):
            if numbers:  # Ctrl-C in the middle of an import is often another error
                sys.exit(128 + numbers[0])
            raise
        common.talk.error(str(error))
        sys.exit(1)


def _lighten(name: str) -> None:
    """Leave the command that was asked for, or for help the names alone: Typer works out all options that it has, each time."""
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
    """What is left to write to standard output goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
