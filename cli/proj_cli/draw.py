"""`proj draw`: one pair as a picture or as lines."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proj_cli import common, options

Stage = StrEnum("Stage", "initial remove merge extended swap")


@options.command
def draw(
    *,
    corpus: options.CorpusArguments = None,
    sent: Annotated[
        str | None, typer.Option("--sent", metavar="ID", help="Which pair: its sent_id, or its number from 1.")
    ] = None,
    output: Annotated[Path, options.output("FILE", "Where to; - is stdout.")] = Path("-"),
    text: Annotated[bool, typer.Option("--text", help="Lines for the terminal instead of a picture.")] = False,
    stage: Annotated[Stage, typer.Option(help="The trees as after this stage.")] = Stage.initial,
    induced: Annotated[
        Path | None, typer.Option("--induced", metavar="MODEL", help="Trees and aligned nodes of `proj induce` instead.")
    ] = None,
    files: options.CorpusFiles,
) -> None:
    """Draw one aligned tree pair as SVG: E above, F below, links between, divergence marked.

    Example: proj draw deu-eng --sent deu-010 -o pair.svg
    """
    from divproj.io.files import writing

    if induced:
        if not corpus or len(corpus) > 1:
            raise typer.BadParameter("give the corpus that the model was learned from")
        from divproj.drawing.induced import draw_induced

        made = draw_induced(corpus[0], induced, sent, common.faults_for(False), text=text)
        with writing(output) as out:
            out.write(made + "\n")
        return
    from divproj.divergence.operations import alter
    from divproj.drawing.svg import pair_svg
    from divproj.drawing.text import pair_text

    found = files.corpora(corpus)
    if len(found) > 1:
        raise typer.BadParameter("give one corpus")
    pair = found[0].find(sent)
    altered = alter(pair, extended=stage is Stage.extended)
    with writing(output) as out:
        out.write(pair_text(pair, altered, stage=stage.value) if text else pair_svg(pair, altered, stage=stage.value))
        out.write("\n")
