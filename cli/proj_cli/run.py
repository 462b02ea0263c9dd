"""`proj run` and `proj new`: the whole way from text to report, and a config to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.pipeline.runner import Outcome, Step


def run(
    config: Annotated[Path, typer.Argument(metavar="[CONFIG]", help="What is to be done; `proj new` writes one.")] = Path(
        "divproj.toml"
    ),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Results folder, in place of the config's.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done and why, and do nothing.")] = False,
    force: Annotated[
        list[str] | None, typer.Option("--force", metavar="STAGE", help="Do this stage again even if nothing has changed.")
    ] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="STAGE", help="Do this stage and all after it again.")] = None,
    jobs: Annotated[int, typer.Option("-j", "--jobs", help="Processes for the cross-validation; -1 for all cores.")] = -1,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """From raw text to trees, rules, a model, scores and a report, as a config says.

    Stages: read, parse, align, gold, learn, train, project, evaluate, analyze, draw, report. What has not changed is kept;
    a run that was cut off goes on where it stopped.

    Example: proj run divproj.toml
    """
    talk.set(quiet, verbose)
    from divproj.pipeline.config import load
    from divproj.pipeline.runner import Run

    found = Run(load(config, output), force=force or (), start=start or "", jobs=jobs)
    if dry_run:
        _plan(list(found.plan()))
        return
    with _Bar() as bar:

        def tell(step: Step, seconds: float) -> None:
            told = "kept" if step.state == "kept" else f"{seconds:6.1f} s  ({step.why})"
            talk.say(f"{step.stage:<9}{told}")

        made = found.execute(tell, talk.warn, bar)
    _close(made)


def _plan(steps: list[Step]) -> None:
    shown = common.table("What would be done", "stage", "", "why", left=3)
    for step in steps:
        shown.add_row(step.stage, step.state, common.harmless(step.why))
    common.stdout().print(shown)


def _close(made: Outcome) -> None:
    """What came out, in a few lines, and where to look."""
    for name in made.kept_files:
        talk.say(f"a result that you had changed was kept as {made.folder / name}")
    if made.warnings:
        talk.say(f"{made.warnings} warning{'s' * (made.warnings != 1)}, in the report")
    project = made.facts["project"]
    talk.say(f"{project['sentences']} sentences projected by {project['system']}: {made.folder / 'trees.conllu'}")
    talk.say(f"report: {made.folder / 'report.html'}")


class _Bar:
    """What a stage is doing, on a terminal."""

    def __init__(self) -> None:
        import sys

        self.shown = not talk.quiet and sys.stderr.isatty()
        self.bar: Any = None

    def __enter__(self) -> _Bar:
        if self.shown:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task("starting", total=None)
        return self

    def __call__(self, what: str, count: int, total: int) -> None:
        if self.bar:
            self.bar.update(self.task, description=f"{what} {count:,}" + (f" of {total:,}" if total else ""))

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()


def new(
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="The language of your texts, as the report names it.")],
    folder: Annotated[Path, typer.Option("--folder", metavar="DIR", help="Where your files lie.")] = Path(),
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Write a config for your folder, with the files that lie there filled in; nothing is overwritten.

    Example: proj new Hausa --folder hausa
    """
    talk.set(quiet, verbose)
    from divproj.pipeline.start import CONFIG, begin

    made = begin(language, folder)
    for line in made.told:
        talk.say(line)
    talk.say(f"config: {folder / CONFIG}; read it, then `proj run {folder / CONFIG}`")
