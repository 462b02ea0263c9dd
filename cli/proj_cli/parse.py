"""`proj train` and `proj parse`: parsers, of a language alone or with its translations in view."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import plural
from divproj.core.options import ParseOptions, TrainOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.parsing.batch import Parsing
    from divproj.parsing.parser import Progress
    from divproj.runtime.engine import Workers


@options.command
def train(
    *,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A treebank (CoNLL-U), or a corpus folder with gold F trees.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model.")],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Development treebank; decides which pass is kept.")] = None,
    training: TrainOptions,
    keep: options.CheckpointOptions,
    strict: options.Strict = False,
) -> None:
    """Train a parser from a UD treebank, or a parser of interlinear text from gold trees and their translations.

    Ctrl-C ends training early and keeps the best model so far. Long work is saved in MODEL.checkpoint; --resume continues
    from there, with the same result.

    Example: proj train es_gsd-ud-train.conllu --dev es_gsd-ud-dev.conllu -o spanish
    """
    from divproj.io.trees.conllu import is_conllu
    from divproj.projection.parsers import DEFAULT_SYSTEM, recipe, train_language, train_projection
    from divproj.runtime.modelfile import check_place

    check_place(output)
    kept, faults = keep.beside(output), common.faults_for(strict)
    how: dict[str, Any] = {name: getattr(training, name) for name in ("order", "decoder", "epochs", "bits")}
    how |= {"random_state": training.seed}
    treebank = not Path(source).is_dir() and (Path(source).exists() or source == "-" or is_conllu(source))
    if treebank:
        sign, held = common.signature(cmd="train", **how), common.faults_for(strict)
        done = train_language(
            source,
            output,
            sign,
            faults,
            dev=dev,
            held=held,
            progress=_report_pass,
            gold_tags=training.gold_tags,
            checkpoint=kept,
            **how,
        )
    else:
        wanted = options.usage("", recipe, training.system, training.trees, training.features, training.projection)
        named = {"system": training.system or DEFAULT_SYSTEM}
        parts = {name: value for name in ("trees", "features", "projection") if (value := getattr(training, name))}
        sign = common.signature(cmd="train", **(parts or named), **how)
        [corpus] = options.corpora([source], strict=strict)
        done = train_projection(corpus, output, wanted, sign, checkpoint=kept, **how)
        faults = corpus.faults
    talk.summary(faults)
    talk.report_omissions(done.unchecked)
    talk.say(f"model of {plural(done.count, 'sentence' if treebank else 'pair')}, {_size(output)}: {output}")
    kept.remove()


def _size(folder: Path) -> str:
    return f"{sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.1f} MB"


def _report_pass(stage: str, state: Progress | None) -> None:
    """With --verbose: loss and UAS of each pass."""
    if state is not None and talk.verbose:
        said = f"pass {state.epoch} of {state.epochs}: wrong heads {100 * state.loss:.1f} %"
        if state.dev_uas is not None:
            said += f", dev UAS {state.dev_uas:.2f}"
        talk.say(said)


@options.command
def parse(
    *,
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="Running text, CoNLL-U, interlinear text or a corpus; - is stdin."),
    ],
    output: Annotated[Path, options.output("FILE", "CoNLL-U to write; - is stdout.")] = Path("-"),
    how: ParseOptions,
    forest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write packed forests with probabilities (JSON lines), for `proj align`."),
    ] = None,
    e: Annotated[
        str | None, typer.Option("--e", metavar="FILE", help="For interlinear text: trees of the translations.")
    ] = None,
    links: options.LinksFile = None,
    reader: options.Reader,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
    jobs: options.Place = "1",
    shards: options.Shards = None,
) -> None:
    """Parse plain sentences with the model of a language, or interlinear text with a parser that sees the projection.

    The last lines say what was parsed, how many heads are expected to be right, and which sentences to look at first.

    Example: echo 'The dogs that bark do not bite.' | proj parse - --lang en
    """
    from divproj.parsing.batch import Parsing, language
    from divproj.parsing.language import KIND
    from divproj.runtime.engine import stamp

    model = how.model
    if (how.lang is None) == (model is None):
        raise typer.BadParameter("give --lang or --model, one of the two")
    options.check_json(as_json, output)
    if model is not None and _kind(model) != KIND:
        from divproj.io.corpus import Corpus
        from proj_cli.project import project_with

        corpus = Corpus(source, e, links, format=reader.format, reader=reader.options())
        project_with(model, corpus, output, strict=strict, where=(options.workers(jobs), shards), as_json=as_json)
        return
    reader.forbid("interlinear text, which models of `proj train CORPUS` read")
    place = model.absolute() if model is not None else None
    parsing = Parsing(
        how.lang, place, stamp(place) if place else "", how.keep_tags, how.style, how.nbest, forest is not None, how.confidence
    )
    language(parsing)  # here, so that what is wrong with it is said before anything is read
    _parse_plain(parsing, source, how.keep_lines, output, forest, strict, (options.workers(jobs), shards), as_json)


def _kind(model: Path) -> str:
    """What sort of model a folder holds; '' where it cannot be read, which loading will say better."""
    import json

    try:
        about = json.loads((model / "model.json").read_text(encoding="utf-8"))
        return str(about.get("format"))
    except (OSError, ValueError, AttributeError, RecursionError):
        from divproj.parsing.language import KIND

        return KIND


def _parse_plain(
    how: Parsing, source: str, keep_lines: bool, output: Path, forest: Path | None, strict: bool, where: tuple[Workers, Path | None],
    as_json: bool,
) -> None:  # fmt: skip
    from contextlib import ExitStack

    from divproj.core.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.io.output import write_trees
    from divproj.parsing.batch import ParseSummary, batches, language, parse_batch

    faults = common.faults_for(strict)
    tree_batches = common.trees_from(partial(parse_batch, how), partial(batches, how, source, keep_lines), faults, where)
    summary = ParseSummary(how.name, language(how).calibration_error)
    with ExitStack() as stack:
        extra = stack.enter_context(writing(forest)) if forest else None
        out = stack.enter_context(writing(output))
        for trees in write_trees(talk.progress(tree_batches, "parsing sentence", lambda trees: trees.count), out):
            summary.merge(trees.summary)
            if extra is not None:
                extra.write(trees.forests)
        talk.summary(faults)
        if not summary.parsed:
            why = "the warnings above say why" if faults.sentences else "is it empty, or not text?"
            raise ProjError("no sentence to parse", Where(source), why)
    summary.left_out = faults.sentences
    common.end(summary, output, as_json, common.signature(cmd="parse", parser=how.name, style=how.style))
