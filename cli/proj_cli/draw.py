"""`proj draw`: one pair as a picture or as lines."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proj_cli import common
from proj_cli.common import talk


class Stage(StrEnum):
    initial = "initial"
    remove = "remove"
    merge = "merge"
    extended = "extended"
    swap = "swap"


def draw(
    corpus: common.CorpusArguments = None,
    sent: Annotated[
        str | None, typer.Option("--sent", metavar="ID", help="Which pair: its sent_id, or its number from 1.")
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is stdout.", allow_dash=True)
    ] = Path("-"),
    text: Annotated[bool, typer.Option("--text", help="Lines for the terminal instead of a picture.")] = False,
    stage: Annotated[Stage, typer.Option(help="The trees as after this stage.")] = Stage.initial,
    induced: Annotated[
        Path | None, typer.Option("--induced", metavar="MODEL", help="Trees and aligned nodes of `proj induce` instead.")
    ] = None,
    f: common.FOption = None,
    e: common.EOption = None,
    links: common.LinksOption = None,
    align: common.OldAlign = None,
    ignore_ids: common.IgnoreIds = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Draw one aligned tree pair as SVG: E above, F below, links between, divergence marked.

    Example: proj draw deu-eng --sent deu-010 -o pair.svg
    """
    talk.set(quiet, verbose)
    if induced:
        from proj_cli.induce_draw import draw_induced

        draw_induced(corpus, induced, sent, output, text)
        return
    from divproj.data.errors import ProjError, Where
    from divproj.divergence.operations import alter
    from divproj.drawing.svg import pair_svg
    from divproj.drawing.text import pair_text
    from divproj.io.files import writing

    found = common.corpora_from(
        corpus, f, e, common.renamed(links, align, "--align --links"), strict=False, ignore_ids=ignore_ids
    )
    if len(found) > 1:
        raise typer.BadParameter("give one corpus")
    number = int(sent) if sent and sent.isdecimal() else 1 if sent is None else 0
    by_number = None
    for k, pair in enumerate(found[0], 1):
        if pair.sent_id == sent:
            break
        if k == number:
            by_number = pair
            if sent is None:
                break
    else:
        if by_number is None:
            raise ProjError(
                f"no sentence with id or number {sent}", Where(str(found[0].f)), "`proj analyze --edges` lists the ids"
            )
        pair = by_number
    altered = alter(pair, extended=stage is Stage.extended)
    with writing(output) as out:
        out.write(pair_text(pair, altered, stage=stage.value) if text else pair_svg(pair, altered, stage=stage.value))
        out.write("\n")
