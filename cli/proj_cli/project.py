"""`proj project`, `proj learn` and `proj rules`: trees for F, and the corrections behind them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.projection.s1 import Projection
    from proj_cli.bitexts import Sources
    from proj_cli.bridges import Looks
    from proj_cli.tasks import System

rules_app = typer.Typer(help="Look at learned rules.", no_args_is_help=True)


def project(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Interlinear text, CoNLL-U, or a corpus folder; - is stdin.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="CoNLL-U to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    system: Annotated[
        str | None, typer.Option(help="s1-r, s1-l, s2-1, s2-2, s2-3, s2+ or s5.  \\[default: s2+ with --rules, else s1-r]")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="A parser of `proj train CORPUS`, which sees the projection.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="FILE", help="Rules of `proj learn`, or a shipped set by name.")
    ] = None,
    e: Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U with the trees of the translations.")] = None,
    align: common.AlignOption = None,
    e_parser: Annotated[
        str | None,
        typer.Option(
            "--e-parser",
            metavar="NAME",
            help="Parses the translations: a language (en), a model of `proj train`, or a command that reads a sentence a line and "
            "writes CoNLL-U.  \\[default: en where there are no trees]",
        ),
    ] = None,
    e_manner: common.EManner = "as-is",
    format_: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Format of INPUT; guessed when not given.")
    ] = None,
    grams: Annotated[
        list[Path] | None, typer.Option("--grams", metavar="FILE", help="Your own gloss abbreviations (TSV).")
    ] = None,
    links_out: Annotated[
        Path | None, typer.Option("--links-out", metavar="FILE", help="Write the links used, in Pharaoh form.")
    ] = None,
    e_out: Annotated[Path | None, typer.Option("--e-out", metavar="FILE", help="Write the E trees used, as CoNLL-U.")] = None,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="CORPUS2", help="A folder with the same F sentences and another E: their trees vote."),
    ] = None,
    refine: Annotated[
        bool, typer.Option("--refine-links", help="Let aligned phrases veto links and propose others, then project.")
    ] = False,
    e_best: Annotated[
        int,
        typer.Option(
            "--e-best", min=1, max=100, metavar="N", help="Of so many E trees by the parser take the one that F agrees with."
        ),
    ] = 1,
    f_forests: Annotated[
        Path | None,
        typer.Option(
            "--f-forests", metavar="FILE", help="Parses of F for s5: forests of `proj induce parse` or `proj parse`, or trees."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page with both trees, links and reasons.")
    ] = None,
    strict: common.Strict = False,
    jobs: common.Jobs = 1,
    scheduler: common.Scheduler = None,
    shards: common.Shards = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Trees for the language line, projected from the trees of the translations.

    English translations without trees are parsed by the parser in the box. Links come from --align, from the input, or from the glosses. Every word gets a head; MISC says where its edge came
    from (Proj=) and how sure it is (ProjConf=).

    Example: proj project text.txt --rules deu -o trees.conllu
    """
    talk.set(quiet, verbose)
    from proj_cli.bitexts import Sources
    from proj_cli.bridges import Looks

    chosen = _system(model, system, rules)
    sources = Sources(source, e, align, e_parser, format_, tuple(grams or ()), e_manner)
    others = tuple(Sources(path, e_parser=e_parser, manner=e_manner) for path in also or ())
    looks = Looks(refine, e_best, str(f_forests) if f_forests else None)
    if e_best > 1:
        sources, others = _parsed_by_model(sources), tuple(map(_parsed_by_model, others))
    if f_forests and not _observes(chosen):
        raise typer.BadParameter("--f-forests is for s5, and for models of s5+")
    _write(chosen, sources, output, html, (links_out, e_out), strict, (jobs, scheduler, shards), others, looks)


def _parsed_by_model(sources: Sources) -> Sources:
    """The sources with E parsed by a model, which can give several trees."""
    from divproj.pipeline.translations import language_named

    if given := sources.file(sources.e, "e.conllu"):
        raise typer.BadParameter(f"--e-best chooses among trees of a parser, but {given} gives one a sentence")
    parser = sources.e_parser or "en"
    if parser.startswith("corenlp:") or language_named(parser) is None:
        raise typer.BadParameter(f"--e-best needs a language or a model as --e-parser: `{parser}` gives one tree")
    return replace(sources, e_parser=parser)


def _observes(system: System) -> bool:
    from proj_cli.tasks import projector

    return bool(getattr(getattr(projector(system), "__self__", None), "observes", False))


def _system(model: Path | None, system: str | None, rules: str | None) -> System:
    """What projects: loaded here, so that what is wrong with it is said before anything is read."""
    from divproj.engine import stamp
    from proj_cli.tasks import System, projector

    if model is not None:
        if system or rules:
            raise typer.BadParameter("--model brings its own rules and system")
        found = System(f"model:{model.name}", model.absolute(), None, stamp(model))
    else:
        path = str(Path(rules).absolute()) if rules and Path(rules).exists() else rules
        found = System(system or ("s2+" if rules else "s1-r"), None, path, stamp(path) if path else "")
    projector(found)
    return found


def project_with(
    model: Path, source: str, output: Path, *, e: str | None, align: str | None, strict: bool, where: common.Workers = (1, None, None),
) -> None:  # fmt: skip
    """`proj parse` with a parser that sees projections."""
    from proj_cli.bitexts import Sources

    _write(_system(model, None, None), Sources(source, e, align), output, None, (None, None), strict, where)


def _write(
    system: System, sources: Sources, output: Path, html: Path | None, beside: tuple[Path | None, Path | None], strict: bool,
    where: common.Workers, others: tuple[Sources, ...] = (), looks: Looks | None = None,
) -> None:  # fmt: skip
    """Project every sentence, and write what was asked for; `beside` the trees, links and E trees."""
    from divproj.errors import ProjError, Where
    from divproj.io.files import writing
    from proj_cli.bitexts import pieces
    from proj_cli.tasks import projected

    faults = common.faults_for(strict)
    made: list[Projection] = []
    from proj_cli.bridges import Looks, whole

    looks = looks or Looks()
    if others or looks != Looks() or _observes(system):
        found = whole(system, (sources, *others), looks, faults)
    else:
        work = partial(projected, system, any(beside), html is not None)
        found = common.trees_from(work, partial(pieces, sources), faults, where)
    with ExitStack() as files:
        out = files.enter_context(writing(output))
        links, e_trees = (files.enter_context(writing(path)) if path else None for path in beside)
        count = 0
        for trees in common.written(talk.progress(found, "projecting sentence", lambda trees: trees.count), out):
            count += trees.count
            made += trees.projections
            if links:
                links.write(trees.links)
            if e_trees:
                e_trees.write(trees.e_trees)
        talk.summary(faults)
        if not count:
            raise ProjError("no sentence could be projected", Where(sources.path), "the warnings above say why")
    if html:
        from divproj.draw.projected import write_projections

        sign = common.signature(cmd="project", system=system.name, manner=sources.manner)
        with writing(html) as out:
            write_projections(made, out, title=Path(sources.path).name, signature=sign, system=system.name)
        talk.say(f"page: {html}")
    if str(output) != "-":
        talk.say(f"{count} sentences projected by {system.name}: {output}")


def learn(
    corpora: common.CorpusArguments = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Rule file to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    f: common.FOption = None,
    e: common.EOption = None,
    align: common.AlignOption = None,
    strict: common.Strict = False,
    ignore_ids: common.IgnoreIds = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Learn corrections from sentence pairs with gold trees on both sides.

    Example: proj learn my-gold -o my-language.json
    """
    talk.set(quiet, verbose)
    from divproj.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.projection import rulefile
    from divproj.projection.systems import Corrections

    found = common.corpora_from(corpora, f, e, align, strict=strict, ignore_ids=ignore_ids)
    pairs = [pair for corpus in found for pair in common.gold_pairs(corpus)]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", Where(str(found[0].f)))
    about = {
        "corpora": [corpus.name for corpus in found],
        "signature": common.signature(cmd="learn", input="+".join(c.digests[-1] for c in found)),
    }
    with writing(output) as out:
        rulefile.dump(Corrections.learn(pairs, about=about), out)
    if str(output) != "-":
        talk.say(f"rules from {len(pairs)} pairs: {output}")


@rules_app.command("show")
def show(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A rule file, or a shipped set by name.")],
    min_count: Annotated[int, typer.Option(min=1, help="Findings with fewer cases are not said.")] = 2,
) -> None:
    """Say the rules in words, with counts and examples."""
    from divproj.projection.words import say
    from proj_cli.tasks import corrections

    for line in say(corrections(path), min_count=min_count):
        print(common.harmless(line))  # noqa: T201
