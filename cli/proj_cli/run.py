"""`proj run` and `proj new`: run the whole pipeline from a config, and write a config to begin with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divproj.core.options import F_STYLES
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.run.runner import Outcome, Step


@options.command
def run(
    *,
    config: Annotated[Path, typer.Argument(metavar="[CONFIG]", help="The config; `proj new` writes one.")] = Path(
        "divproj.toml"
    ),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="DIR", help="Results folder, instead of the one in the config.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be done and why, without doing it.")] = False,
    again: Annotated[
        list[str] | None, typer.Option("--again", metavar="STAGE", help="Do this stage again even if nothing has changed.")
    ] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="STAGE", help="Do this and all later stages again.")] = None,
    style: Annotated[
        str | None, typer.Option("--style", help="Heads in the output, instead of the config's choice: ud or function.")
    ] = None,
    jobs: options.Place = "0",
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object on stdout.")] = False,
) -> None:
    """Make trees, rules, a model, scores and a report from raw text, as a config says.

    Stages: read, parse, align, gold, learn, train, project, evaluate, analyze, draw, report. Stages whose input
    has not changed are skipped; an interrupted run continues where it stopped.

    Example: proj run divproj.toml
    """
    from divproj.run.config import load
    from divproj.run.runner import Run
    from divproj.runtime.announce import stage

    if style:
        options.one_of("--style", style, F_STYLES)
    pipeline = Run(load(config, output, style), force=again or (), start=start or "", workers=options.workers(jobs))
    if dry_run:
        _plan(list(pipeline.plan()))
        return
    with stage("preparing") as under_way:

        def tell(step: Step, seconds: float) -> None:
            why = "" if step.why == "not done yet" else f"  ({step.why})"
            text = "kept" if step.state == "kept" else f"done in {seconds:.1f} s{why}"
            talk.say(f"{step.stage:<9}{text}")

        def tick(message: str, count: int, total: int) -> None:
            under_way.name, under_way.done, under_way.total = message, count, total

        outcome = pipeline.execute(tell, talk.warn, tick, talk.caution)
    if as_json:
        from divproj.run.runner import summary

        where = {"output": str(outcome.folder / "trees.conllu"), "report": str(outcome.folder / "report.html")}
        record = {"signature": outcome.signature, **where, "warnings": outcome.warnings, **summary(outcome.facts)}
        print(json.dumps(record, ensure_ascii=False))  # noqa: T201
    _close(outcome)


def _plan(steps: list[Step]) -> None:
    shown = common.table("What would be done", "stage", "", "why", left=3)
    for step in steps:
        shown.add_row(step.stage, step.state, common.harmless(step.why))
    common.stdout().print(shown)


def _close(outcome: Outcome) -> None:
    """Print in a few lines what the run did, and where its results are."""
    from divproj.run.runner import summary_lines

    place = outcome.folder.resolve()
    folder = place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place
    for name in outcome.kept_files:
        talk.say(f"a result that you had changed was kept as {folder / name}")
    if outcome.warnings:
        talk.say(f"{outcome.warnings} warning{'s' * (outcome.warnings != 1)}, in the report")
    for line in summary_lines(outcome.facts):
        talk.say(line)
    talk.say(f"trees: {folder / 'trees.conllu'}")
    talk.say(f"report: {folder / 'report.html'}")
    if code := outcome.facts["project"]["summary"]["exit_code"]:
        raise typer.Exit(code)


@options.command
def new(
    *,
    language: Annotated[str, typer.Argument(metavar="LANGUAGE", help="Name of the language, for the report.")],
    folder: Annotated[Path, typer.Option("--folder", metavar="DIR", help="The folder with your files.")] = Path(),
) -> None:
    """Write a config for the files in your folder; nothing is overwritten.

    Example: proj new Hausa --folder hausa
    """
    from divproj.core.errors import shell_word
    from divproj.run.scaffold import CONFIG, begin

    contents = begin(language, folder)
    for line in contents.messages:
        talk.say(line)
    talk.say(f"config: {folder / CONFIG}; read it, then `proj run {shell_word(folder / CONFIG)}`")
