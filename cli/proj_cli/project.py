"""`proj project`, `proj learn` and `proj rules`: trees for F, and the corrections behind them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divproj.data.wording import plural
from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.data.errors import Faults
    from divproj.io.sources import Sources
    from divproj.io.trees import Trees
    from divproj.projection.direct import Projection
    from divproj.projection.phrasal.phrase_sources import PhraseSources
    from divproj.projection.projector import Projector

rules_app = typer.Typer(help="Look at learned rules.", no_args_is_help=True)


def project(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Interlinear text, CoNLL-U, or a corpus folder; - is stdin.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="CoNLL-U to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    system: Annotated[
        str, typer.Option(help="A system of `proj systems`; auto takes the best that what is there allows.")
    ] = "auto",
    gold: Annotated[
        str | None, typer.Option("--gold", metavar="CORPUS", help="Pairs with gold trees of F to learn from first.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="A parser of `proj train CORPUS`, which sees the projection.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option("--rules", metavar="FILE", help="Rules of `proj learn`, or a shipped set by name.")
    ] = None,
    e: Annotated[str | None, typer.Option("--e", metavar="FILE", help="CoNLL-U with the trees of the translations.")] = None,
    links: common.LinksOption = None,
    align: common.OldAlign = None,
    e_parser: Annotated[
        str | None,
        typer.Option(
            "--e-parser",
            metavar="NAME",
            help="Parses the translations: a language (en), a model of `proj train`, or a command that reads one sentence per line "
            "and writes CoNLL-U.  \\[default: en where there are no trees]",
        ),
    ] = None,
    e_style: common.EStyle = "as-is",
    old_style: common.OldStyle = None,
    style: common.FStyle = "ud",
    format_: common.FormatOption = None,
    tiers: common.TiersOption = None,
    markers: common.MarkersOption = None,
    lang: common.LangOption = "en",
    encoding: common.EncodingOption = "",
    keep_hyphens: common.KeepHyphens = False,
    misaligned: common.Misaligned = False,
    grams: common.Grams = None,
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
            "--e-best",
            min=1,
            max=100,
            metavar="N",
            help="Choose among the parser's N best E trees the one that fits the links best.",
        ),
    ] = 1,
    f_forests: Annotated[
        Path | None,
        typer.Option(
            "--f-forests",
            metavar="FILE",
            help="Trees or forests of F for s5: TIGER-XML, brackets, CoNLL-U, `proj parse --forest`, `proj induce parse --forest`.",
        ),
    ] = None,
    phrases: Annotated[
        str | None,
        typer.Option(
            "--phrases",
            metavar="FILE|auto",
            help="Phrase pairs for s5: of `proj align`, or aligned here (auto) on the forests of both sides.",
        ),
    ] = None,
    paraphrases: Annotated[
        bool,
        typer.Option(
            "--paraphrases",
            help="INPUT paraphrases the sentences of --e in the same language: phrases are aligned, also without links.",
        ),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page with both trees, links and reasons.")
    ] = None,
    min_coverage: Annotated[
        float,
        typer.Option(
            "--min-coverage", min=0, max=1, metavar="SHARE", help="Leave out trees with a smaller share of linked words."
        ),
    ] = 0.0,
    as_json: common.AsJson = False,
    strict: common.Strict = False,
    jobs: common.Jobs = 1,
    scheduler: common.Scheduler = None,
    shards: common.Shards = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Trees for the language you study (F), projected from the trees of the translations (E).

    English translations without trees are parsed by the parser in the box. Links come from --links, from the input, or from the
    glosses. Every word gets a head; MISC says where its edge came from (Proj=) and how sure it is (ProjConf=). At the end stands
    what was projected and what is a guess; exit code 3 means that every tree is a guess.

    Example: proj project text.txt -o trees.conllu --html trees.html
    """
    talk.set(quiet, verbose)
    from divproj.io.sources import Sources, located
    from divproj.projection.phrasal.phrase_sources import PhraseSources
    from divproj.projection.whole_text import PhraseOptions

    common.check_json(as_json, output)
    links = common.renamed(links, align, "--align --links")
    e_style = common.renamed(e_style, old_style, "--e-manner --e-style")
    common.check_style(e_style)
    common.check_f_style(style)
    known = PhraseSources(phrases, paraphrases, str(f_forests) if f_forests else None)
    projector = _projector(system, gold, model, rules, e_parser, grams, e_style, known, style)
    path = str(located(source)) if source != "-" else source
    reader = common.reader_options(format_, tiers, markers, lang, encoding, keep_hyphens=keep_hyphens, misaligned=misaligned)
    sources = Sources(path, e, links, e_parser, format_, tuple(grams or ()), e_style, reader)
    others = tuple(Sources(str(located(name)), e_parser=e_parser, style=e_style) for name in also or ())
    options = PhraseOptions(refine, e_best, known)
    if e_best > 1:
        sources, others = _parsed_by_model(sources), tuple(map(_parsed_by_model, others))
    if known and not projector.looks_at_text:
        raise typer.BadParameter(f"--{known.asked} is for s5, s6, and models of s5+")
    faults = common.faults_for(strict)
    if others or options != PhraseOptions() or projector.looks_at_text or gold:
        from divproj.projection.whole_text import project_text
        from divproj.runtime.engine import Place

        place = Place(jobs, scheduler)
        found = project_text(projector, (sources, *others), options, faults, min_coverage, place, talk.caution)
    else:
        wanted = (any((links_out, e_out)), html is not None, min_coverage)
        found = _by_workers(projector, sources, wanted, faults, (jobs, scheduler, shards))
    _write(found, projector, sources, output, html, (links_out, e_out), faults, min_coverage, as_json)


def _projector(
    system: str, gold: str | None, model: Path | None, rules: str | None, e_parser: str | None, grams: list[Path] | None,
    e_style: str, known: PhraseSources | None = None, style: str = "ud",
) -> Projector:  # fmt: skip
    """What projects: loaded and trained here, so that what is wrong with it is said before anything is read."""
    from divproj.io.sources import read
    from divproj.projection.projector import Projector

    if model is not None and (system != "auto" or rules or gold):
        raise typer.BadParameter("--model brings its own rules and system")
    more = asdict(known) if known else {}
    made = Projector(system, rules=rules, model=model, parser=e_parser, grams=grams or (), style=e_style, f_style=style, **more)
    if gold:
        made.fit(talk.progress(read(gold, faults=common.faults_for(False)), "gold pairs"))
        talk.say(f"{made.system_} learned from {plural(made.gold_, 'gold sentence')} of {gold}")
    elif made.needs_gold:
        made.demand()
    return made


def _by_workers(
    projector: Projector, sources: Sources, wanted: tuple[bool, bool, float], faults: Faults, where: common.Workers
) -> Iterator[Trees]:
    from divproj.io.sources import pieces
    from divproj.projection.batch import Plan, projected

    plan = Plan.of(projector.system_, Path(projector.model) if projector.model else None, projector.rules)
    return common.trees_from(partial(projected, plan, projector.f_style, *wanted), partial(pieces, sources), faults, where)


def _parsed_by_model(sources: Sources) -> Sources:
    """The sources with E parsed by a model, which can give several trees."""
    from divproj.parsing.translations import language_named

    if given := sources.file(sources.e, "e.conllu"):
        raise typer.BadParameter(f"--e-best chooses among trees of a parser, but {given} gives one a sentence")
    parser = sources.e_parser or "en"
    if parser.startswith("corenlp:") or language_named(parser) is None:
        raise typer.BadParameter(f"--e-best needs a language or a model as --e-parser: `{parser}` gives one tree")
    return replace(sources, e_parser=parser)


def project_with(
    model: Path, source: str, output: Path, *, e: str | None, links: str | None, strict: bool, where: common.Workers,
    as_json: bool,
) -> None:  # fmt: skip
    """`proj parse` with a parser that sees projections."""
    from divproj.io.sources import Sources
    from divproj.projection.whole_text import PhraseOptions, project_text

    projector = _projector("auto", None, model, None, None, None, "as-is")
    sources, faults = Sources(source, e, links), common.faults_for(strict)
    if projector.looks_at_text:
        found = project_text(projector, (sources,), PhraseOptions(), faults)
    else:
        found = _by_workers(projector, sources, (False, False, 0.0), faults, where)
    _write(found, projector, sources, output, None, (None, None), faults, as_json=as_json)


def _write(
    found: Iterator[Trees], projector: Projector, sources: Sources, output: Path, html: Path | None,
    beside: tuple[Path | None, Path | None], faults: Faults, least: float = 0.0, as_json: bool = False,
) -> None:  # fmt: skip
    """Write every tree as it comes, what was asked for beside (links and E trees, a page), and say what was done."""
    from divproj.data.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.io.trees import written
    from divproj.projection.summary import Summary

    made: list[Projection] = []
    summary = Summary(least=least)
    with ExitStack() as files:
        out = files.enter_context(writing(output))
        links, e_trees = (files.enter_context(writing(path)) if path else None for path in beside)
        count = 0
        for trees in written(talk.progress(found, "projecting sentence", lambda trees: trees.count), out):
            count += trees.count
            if trees.summary:
                summary.merge(trees.summary)
            if html:
                made += trees.projections
            if links:
                links.write(trees.links)
            if e_trees:
                e_trees.write(trees.e_trees)
        talk.summary(faults)
        if not count and summary.uncovered:
            what = f"no tree has {100 * least:.0f} % of its words linked"
            raise ProjError(what, Where(sources.path), "give a lower --min-coverage")
        if not count:
            raise ProjError("no sentence could be projected", Where(sources.path), "the warnings above say why")
    system = projector.system_
    summary.system, summary.why, summary.left_out = system, projector.why_, faults.sentences
    if html:
        from divproj.drawing.projected import write_projections

        sign = common.signature(
            cmd="project", system=system, why=projector.why_, e_style=sources.style, style=projector.f_style
        )
        with writing(html) as out:
            name = Path(sources.path).name
            write_projections(made, out, title=name, signature=sign, system=system, expected=summary.accuracy)
        talk.say(f"page: {html}")
    common.end(
        summary, output, as_json, common.signature(cmd="project", system=system, e_style=sources.style, style=projector.f_style)
    )


def learn(
    corpora: common.CorpusArguments = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Rule file to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    f: common.FOption = None,
    e: common.EOption = None,
    links: common.LinksOption = None,
    align: common.OldAlign = None,
    strict: common.Strict = False,
    ignore_ids: common.IgnoreIds = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Learn corrections from sentence pairs with gold trees on both sides.

    Example: proj learn my-gold -o my-language.json
    """
    talk.set(quiet, verbose)
    from divproj.data.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.projection import rulefile
    from divproj.projection.systems import Corrections

    found = common.corpora_from(
        corpora, f, e, common.renamed(links, align, "--align --links"), strict=strict, ignore_ids=ignore_ids
    )
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
        talk.say(f"rules from {plural(len(pairs), 'pair')}: {output}")


@rules_app.command("show")
def show(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A rule file, or a shipped set by name.")],
    min_count: Annotated[int, typer.Option(min=1, help="Findings with fewer cases are not said.")] = 2,
) -> None:
    """Say the rules in words, with counts and examples."""
    from divproj.projection.batch import corrections
    from divproj.projection.explain import say

    for line in say(corrections(path), min_count=min_count):
        print(common.harmless(line))  # noqa: T201
