"""`proj train` and `proj parse`: parsers, of a language alone or with its translations in view."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.data.wording import plural
from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.data.errors import Faults, Where
    from divproj.parsing.batch import Parsing
    from divproj.parsing.parser import Progress
    from divproj.runtime.checkpoint import Checkpoint

GROUPS = {
    "match": ("proj", "match", "undirected", "distance", "confidence", "reason"),
    "align": ("single", "merge", "together"),
    "pos": (),
}
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")]


def train(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A treebank (CoNLL-U), or a corpus folder with gold F trees.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder to write.")],
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Treebank to judge each pass by; the best is kept.")] = None,
    system: Annotated[str, typer.Option(help="For a corpus: s3-1 … s3-5, s4-1 … s4-3 or s4+.")] = "s4+",
    trees: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="For a corpus: learn from gold trees, or from those of a projection.")
    ] = None,
    features: Annotated[
        str | None, typer.Option(metavar="match,align,pos", help="For a corpus: what the parser sees of the translation.")
    ] = None,
    projection: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="For a corpus: the projection whose edges the parser sees.")
    ] = None,
    unannotated: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="For a corpus: text of the same language without trees, to learn from too."),
    ] = None,
    order: Annotated[int, typer.Option(min=1, max=3, help="1 edges, 2 and siblings, 3 and grandparents.")] = 2,
    learner: Annotated[str, typer.Option(help="mira, perceptron or crf.")] = "mira",
    decoder: Annotated[str, typer.Option(help="proj, nonproj or auto.")] = "auto",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the sentences.")] = 10,
    bits: Annotated[int, typer.Option(min=10, max=28, help="Size of the table of weights, as a power of two.")] = 22,
    gold_tags: Annotated[bool, typer.Option("--gold-tags", help="Train the parser on the treebank's own tags.")] = False,
    seed: Seed = 1,
    resume: common.Resume = False,
    checkpoint: common.Minutes = 1.0,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Train a parser: of a language from a UD treebank, or of interlinear text from gold trees and their translations.

    Ctrl-C ends training early and keeps the best so far. Long work is kept in MODEL.checkpoint: after a break --resume goes on
    from there to the same bytes.

    Example: proj train es_gsd-ud-train.conllu --dev es_gsd-ud-dev.conllu -o spanish
    """
    talk.set(quiet, verbose)
    options = {"order": order, "learner": learner, "decoder": decoder, "epochs": epochs, "bits": bits, "random_state": seed}
    from divproj.runtime.modelfile import check_place

    check_place(output)
    keep = common.checkpoint(output, resume, checkpoint)
    if Path(source).is_dir() or not _is_treebank(source):
        _train_projection(source, output, system, trees, features, projection, unannotated, strict, keep, options)
    else:
        _train_language(source, output, dev, gold_tags, strict, keep, options)
    keep.remove()


def _is_treebank(source: str) -> bool:
    return Path(source).exists() or source == "-" or source.removesuffix(".gz").endswith(".conllu")


def _train_language(
    source: str, output: Path, dev: str | None, gold_tags: bool, strict: bool, keep: Checkpoint, options: dict[str, Any]
) -> None:
    from dataclasses import replace

    from divproj.data.errors import ProjError, Where
    from divproj.io import conllu
    from divproj.parsing.language import Language

    faults = common.faults_for(strict)
    found = [s for s in conllu.load(source, faults) if s is not None]
    sentences = [s for s in found if not s.unchecked and _fits(len(s.forms), replace(s.where, sent_id=s.sent_id), faults)]
    talk.summary(faults)
    talk.unchecked(sum(s.unchecked for s in found))
    if not any(head.isdecimal() for s in sentences for head in s.column(6)):
        raise ProjError("no word has a head to learn from", Where(source), "give a treebank in CoNLL-U")
    held = [s for s in conllu.load(dev, common.faults_for(strict)) if s is not None] if dev else []
    about = {"source": Path(source).name, "sentences": len(sentences), "signature": common.signature(cmd="train", **options)}
    made = Language.train(sentences, dev=held, progress=_heard, about=about, gold_tags=gold_tags, keep=keep, **options)
    made.save(output)
    talk.say(f"model of {plural(len(sentences), 'sentence')}, {_size(output)}: {output}")


def _train_projection(
    source: str, output: Path, system: str, trees: str | None, features: str | None, projection: str | None,
    unannotated: str | None, strict: bool, keep: Checkpoint, options: dict[str, Any],
) -> None:  # fmt: skip
    from divproj.data.errors import ProjError, Where
    from divproj.projection import parser_files, parser_systems
    from divproj.projection.systems import PARSERS

    if system not in PARSERS or system == "oracle":
        raise typer.BadParameter(f"no system {system} to train; there are {', '.join(s for s in PARSERS if s != 'oracle')}")
    recipe: Any = parser_systems.RECIPES[system]
    if trees or features or projection:
        recipe = _recipe(trees or "gold", features, projection)
    [corpus] = common.corpora_from([source], None, None, None, strict=strict, ignore_ids=False)
    pairs = [
        pair
        for pair in common.gold_pairs(corpus)
        if _fits(max(len(pair.f), len(pair.e)), Where(str(corpus.f), 0, pair.sent_id), corpus.faults)
    ]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", Where(source))
    about = {"corpus": corpus.name, "pairs": len(pairs), "signature": common.signature(cmd="train", system=system, **options)}
    more = _bitexts(unannotated, strict) if unannotated else []
    parser_files.save(parser_systems.fit(recipe, pairs, unannotated=more, keep=keep, **options), output, about)
    talk.say(f"model of {plural(len(pairs), 'pair')}, {_size(output)}: {output}")


def _fits(words: int, where: Where, faults: Faults) -> bool:
    """Whether a sentence is short enough to learn from; else its fault is noted."""
    from divproj.data.limits import LONGEST, too_long

    if words > LONGEST:
        faults.sentence(too_long(words, where))
    return words <= LONGEST


def _bitexts(source: str, strict: bool) -> list[Any]:
    """Sentences without F trees, read as `proj project` reads them."""
    from divproj.io.sources import Sources
    from divproj.projection.direct import ProjectionInput
    from divproj.projection.prepare import prepared_text

    faults = common.faults_for(strict)
    found = [
        ProjectionInput.of(pair) for pair in talk.progress(prepared_text(Sources(source), faults), "sentences without trees")
    ]
    talk.summary(faults)
    return found


def _recipe(trees: str, features: str | None, projection: str | None) -> Any:
    """The recipe that the options describe."""
    from divproj.projection.edges import FEATURES
    from divproj.projection.parser_systems import Recipe
    from divproj.projection.systems import PROJECTIONS

    groups = [name.strip() for name in (features or "match,align,pos").split(",") if name.strip()]
    if unknown := [name for name in groups if name not in GROUPS and name not in FEATURES]:
        raise typer.BadParameter(f"no features '{unknown[0]}'; there are {', '.join(dict.fromkeys((*GROUPS, *FEATURES)))}")
    for name in (projection or "s2+", "s2+" if trees == "gold" else trees):
        if name not in PROJECTIONS:
            raise typer.BadParameter(f"no projection system {name}; there are {', '.join(PROJECTIONS)}")
    wanted = {name for group in groups for name in GROUPS.get(group, (group,))}
    chosen = tuple(name for name in FEATURES if name in wanted)
    return Recipe(trees, (projection or "s2+") if chosen else "", chosen, tags="pos" in groups)


def _size(folder: Path) -> str:
    return f"{sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.1f} MB"


def _heard(stage: str, state: Progress | None) -> None:
    """With --verbose: loss and UAS of each pass."""
    if state is not None and talk.verbose:
        said = f"pass {state.epoch} of {state.epochs}: wrong heads {100 * state.loss:.1f} %"
        if state.dev_uas is not None:
            said += f", dev UAS {state.dev_uas:.2f}"
        talk.say(said)


def parse(
    source: Annotated[
        str,
        typer.Argument(metavar="INPUT", help="Text (a paragraph a line), CoNLL-U, interlinear text or a corpus; - is stdin."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="CoNLL-U to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    lang: Annotated[str | None, typer.Option(metavar="en", help="A language that comes with divproj.")] = None,
    model: Annotated[Path | None, typer.Option(metavar="MODEL", help="A model of `proj train`.")] = None,
    keep_tags: Annotated[bool, typer.Option("--keep-tags", help="Use the tags of the CoNLL-U input.")] = False,
    keep_lines: Annotated[bool, typer.Option("--keep-lines", help="Each line of the text is one sentence.")] = False,
    style: Annotated[str, typer.Option(help="Heads: ud (content words), function, adpositions or determiners.")] = "ud",
    old_style: Annotated[str | None, typer.Option("--manner", hidden=True)] = None,
    nbest: Annotated[int, typer.Option(min=1, metavar="K", help="The K best trees of each sentence.")] = 1,
    forest: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write packed forests with probabilities (JSON lines), for `proj align`."),
    ] = None,
    confidence: Annotated[bool, typer.Option("--confidence/--no-confidence", help="How sure each head is, in MISC.")] = True,
    e: Annotated[
        str | None, typer.Option("--e", metavar="FILE", help="With a model of a corpus: trees of the translations.")
    ] = None,
    links: common.LinksOption = None,
    align: common.OldAlign = None,
    as_json: common.AsJson = False,
    strict: common.Strict = False,
    jobs: common.Jobs = 1,
    scheduler: common.Scheduler = None,
    shards: common.Shards = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Parse sentences: plain ones with a language's model, interlinear ones with a model of their projection.

    At the end stands what was parsed, how many heads should be right, and which sentences to look at first.

    Example: echo 'The dogs that bark do not bite.' | proj parse - --lang en
    """
    talk.set(quiet, verbose)
    from divproj.parsing.batch import Parsing, language
    from divproj.parsing.language import KIND
    from divproj.runtime.engine import stamp

    if (lang is None) == (model is None):
        raise typer.BadParameter("give --lang or --model, one of the two")
    common.check_json(as_json, output)
    style = common.renamed(style, old_style, "--manner --style")
    common.check_style(style)
    if model is not None and _kind(model) != KIND:
        from proj_cli.project import project_with

        links = common.renamed(links, align, "--align --links")
        project_with(model, source, output, e=e, links=links, strict=strict, where=(jobs, scheduler, shards), as_json=as_json)
        return
    place = model.absolute() if model is not None else None
    how = Parsing(lang, place, stamp(place) if place else "", keep_tags, style, nbest, forest is not None, confidence)
    language(how)  # here, so that what is wrong with it is said before anything is read
    _parse_plain(how, source, keep_lines, output, forest, strict, (jobs, scheduler, shards), as_json)


def _kind(model: Path) -> str:
    """What sort of model a folder holds; '' where it cannot be read, which loading will say better."""
    import json

    try:
        about = json.loads((model / "model.json").read_text(encoding="utf-8"))
        return str(about.get("format"))
    except (OSError, ValueError, AttributeError):
        from divproj.parsing.language import KIND

        return KIND


def _parse_plain(
    how: Parsing, source: str, keep_lines: bool, output: Path, forest: Path | None, strict: bool, where: common.Workers,
    as_json: bool,
) -> None:  # fmt: skip
    from contextlib import ExitStack

    from divproj.data.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.io.trees import written
    from divproj.parsing.batch import batches, language, parsed
    from divproj.parsing.summary import ParseSummary

    faults = common.faults_for(strict)
    found = common.trees_from(partial(parsed, how), partial(batches, source, keep_lines), faults, where)
    summary = ParseSummary(how.name, hasattr(language(how).parser, "reader"))
    with ExitStack() as stack:
        extra = stack.enter_context(writing(forest)) if forest else None
        out = stack.enter_context(writing(output))
        for trees in written(talk.progress(found, "parsing sentence", lambda trees: trees.count), out):
            summary.merge(trees.summary)
            if extra is not None:
                extra.write(trees.forests)
        talk.summary(faults)
        if not summary.parsed:
            why = "the warnings above say why" if faults.sentences else "is it empty, or not text?"
            raise ProjError("no sentence to parse", Where(source), why)
    summary.left_out = faults.sentences
    common.end(summary, output, as_json, common.signature(cmd="parse", parser=how.name, style=how.style))
