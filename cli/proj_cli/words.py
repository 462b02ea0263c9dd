"""`proj words`: word links from raw bitext."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import plural
from divproj.core.options import WordsOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.runtime.announce import Stage


@options.command
def words(
    *,
    source: Annotated[
        str, typer.Argument(metavar="F", help="One sentence per line, CoNLL-U, interlinear text, or a corpus folder.")
    ],
    target: Annotated[
        str | None, typer.Argument(metavar="[E]", help="The translation (E); not needed for a folder or interlinear text.")
    ] = None,
    output: Annotated[Path, options.output("FILE", "Links F-E, one line per pair; - is stdout.")] = Path("-"),
    probs: Annotated[bool, typer.Option("--probs", help="Write each link with its probability: 0-1:0.93.")] = False,
    how: WordsOptions,
    model: Annotated[Path | None, typer.Option("--model", metavar="DIR", help="Start from a saved model.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="DIR", help="Save what was learned, together with what --model knew.")
    ] = None,
    dictionary: Annotated[
        list[Path] | None, typer.Option("--dictionary", metavar="FILE", help="Known word pairs (TSV).")
    ] = None,
    glossed: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Interlinear text of the same language, to learn from too.")
    ] = None,
    reader: options.Reader,
    jobs: options.Place = "1",
    keep: options.CheckpointOptions,
    ignore_ids: options.IgnoreIds = False,
) -> None:
    """Align the words of a bitext (IBM Model 1, HMM and a Bayesian model with fertility, in both directions).

    Long work is saved in FILE.checkpoint; --resume continues from there, with the same result.

    A text of more than 10,000 pairs is split into shards, which --jobs distributes.

    Example: proj words french.txt english.txt -o links.txt
    """
    from divproj.core.errors import AlignmentError, Where
    from divproj.io.files import writing
    from divproj.links.word_corpus import WordText, align_text, known_pairs, word_rows
    from divproj.links.word_model import LONGEST, WordAligner
    from divproj.runtime.announce import stage
    from divproj.runtime.modelfile import check_place

    if keep.resume and str(output) == "-":
        raise typer.BadParameter("--resume needs -o FILE, whose checkpoint it goes on from")
    if save:
        check_place(save)
    faults = common.faults_for(False)
    rows, known = word_rows(source, target, faults, reader.options(), same_ids=not ignore_ids)
    text = WordText.of(rows, how.shard)
    talk.summary(faults)
    if not text.usable + text.too_long:
        raise AlignmentError("no pair has words on both sides", Where(source))
    if text.too_long:
        talk.caution(f"{plural(text.too_long, 'pair')} with a sentence of more than {LONGEST} words got no links")
    known = known_pairs(known, dictionary or (), glossed or (), common.faults_for(False))
    aligner = WordAligner.load(model) if model else WordAligner()
    aligner.threshold, aligner.method, aligner.random_state = how.threshold, how.method, how.seed
    if how.fast:
        aligner.settings = replace(aligner.settings, sweeps=0)
    workers, steps = options.workers(jobs), aligner.settings.for_pairs(text.usable)
    more: dict[str, Any] = {"learn": save is not None or model is None, "workers": workers, "checkpoint": keep.beside(output)}
    turns = 2 * (text.shard_count if text.shard_count > 1 else steps.ibm1 + steps.hmm + steps.all_sweeps)
    with stage("aligning words", turns) as under_way, writing(output) as out:
        for links in align_text(
            aligner, text, known, watch=partial(_show_progress, under_way), on_message=talk.caution, **more
        ):
            for linked in links:
                out.write(_line(linked.probabilities, probs) + "\n")
    if save:
        aligner.save(save)
        talk.say(f"model: {save}")
    more["checkpoint"].remove()
    if str(output) != "-":
        talk.say(f"{plural(text.pairs, 'pair')} aligned: {output}")


def _line(probabilities: dict[tuple[int, int], float], probs: bool) -> str:
    links = sorted(probabilities.items())
    return " ".join(f"{i - 1}-{j - 1}:{c:.2f}" if probs else f"{i - 1}-{j - 1}" for (i, j), c in links)


def _show_progress(under_way: Stage, stage: str, turn: int, likelihood: float) -> None:
    """Progress of both directions with the log-likelihood, or of the shards of a long text."""
    from divproj.links.word_direction import TURN

    shard = f"shard {turn} {stage}" if stage in ("learned", "linked") else stage
    said = shard if likelihood != likelihood else f"{stage}, log-likelihood {likelihood:,.0f}"
    under_way.advance(TURN if stage == "sampling" else 1, said)
