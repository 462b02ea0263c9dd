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
    output: Annotated[Path, options.output("FILE", "Output file; - is stdout.")] = Path("-"),
    text: Annotated[bool, typer.Option("--text", help="Draw with characters, for the terminal.")] = False,
    stage: Annotated[Stage, typer.Option(help="Draw the trees as they are after this stage.")] = Stage.initial,
    induced: Annotated[
        Path | None, typer.Option("--induced", metavar="MODEL", help="Draw trees and aligned nodes of a `proj induce` model.")
    ] = None,
    files: options.CorpusFiles,
) -> None:
    """Draw a pair of trees as SVG: the translation (E) above, the language you study (F) below, with links and divergences.

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
