"""`proj project`, `proj learn` and `proj rules`: trees for F, and the corrections behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from divproj.projection.s1 import Projection, Projector
    from divproj.projection.systems import Corrections
    from divproj.types import Sentence
    from proj_cli.bitexts import Sources

rules_app = typer.Typer(help="Look at learned rules.", no_args_is_help=True)


def _corrections(path: str | None) -> Corrections | None:
    """A rule file by path, or a shipped one by name (`deu`)."""
    if path is None:
        return None
    from divproj.io.files import reading
    from divproj.projection import rulefile
    from divproj.resources import folder

    shipped = folder("rules") / f"{path}.json"
    found = str(shipped) if not Path(path).exists() and shipped.exists() else path
    with reading(found) as stream:
        return rulefile.loads(stream.read().decode("utf-8", "replace"), found)


def project(
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Interlinear text, CoNLL-U, or a corpus folder; - is stdin.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="CoNLL-U to write; - is stdout.", allow_dash=True)
    ] = Path("-"),
    system: Annotated[
        str | None, typer.Option(help="s1-r, s1-l, s2-1, s2-2, s2-3 or s2+.  [default: s2+ with --rules, else s1-r]")
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
            "writes CoNLL-U.  [default: en where there are no trees]",
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
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page with both trees, links and reasons.")
    ] = None,
    strict: common.Strict = False,
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

    run, chosen = _projector(model, system, rules)
    sources = Sources(source, e, align, e_parser, format_, tuple(grams or ()), e_manner)
    _write(run, chosen, sources, output, html, links_out, strict)


def _projector(model: Path | None, system: str | None, rules: str | None) -> tuple[Projector, str]:
    """What projects, and its name."""
    if model is not None:
        from divproj.projection import parsedfile

        if system or rules:
            raise typer.BadParameter("--model brings its own rules and system")
        return parsedfile.load(model).project, f"model:{model.name}"
    from divproj.projection.systems import projector

    corrections = _corrections(rules)
    chosen = system or ("s2+" if corrections else "s1-r")
    return projector(chosen, corrections), chosen


def project_with(model: Path, source: str, output: Path, *, e: str | None, align: str | None, strict: bool) -> None:
    """`proj parse` with a parser that sees projections."""
    from proj_cli.bitexts import Sources

    run, chosen = _projector(model, None, None)
    _write(run, chosen, Sources(source, e, align), output, None, None, strict)


def _write(
    run: Projector, chosen: str, sources: Sources, output: Path, html: Path | None, links_out: Path | None, strict: bool
) -> None:
    """Project every sentence, and write what was asked for."""
    from divproj.errors import ProjError, Where
    from divproj.io import conllu, pharaoh
    from divproj.io.files import writing
    from divproj.projection.output import annotated
    from proj_cli.bitexts import bitexts

    faults = common.faults_for(strict)
    made: list[Projection] = []
    count = 0

    def projected() -> Iterator[Sentence]:
        nonlocal count
        for sentence, bitext in talk.progress(bitexts(sources, faults), "projecting sentence"):
            found = run(bitext)
            count += 1
            if html or links_out:
                made.append(found)
            yield annotated(sentence, found, chosen)

    with writing(output) as out:
        conllu.dump(projected(), out)
        if not count:
            talk.summary(faults)
            raise ProjError("no sentence could be projected", Where(sources.path), "the warnings above say why")
    talk.summary(faults)
    if links_out:
        with writing(links_out) as out:
            pharaoh.dump((found.bitext.alignment for found in made), out)
    if html:
        from divproj.draw.projected import write_projections

        sign = common.signature(cmd="project", system=chosen, manner=sources.manner)
        with writing(html) as out:
            write_projections(made, out, title=Path(sources.path).name, signature=sign, system=chosen)
        talk.say(f"page: {html}")
    if str(output) != "-":
        talk.say(f"{count} sentences projected by {chosen}: {output}")


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
    pairs = [pair for corpus in found for pair in talk.progress(corpus, f"{corpus.name}: pairs")]
    for corpus in found:
        talk.summary(corpus.faults)
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

    corrections = _corrections(path)
    assert corrections is not None
    for line in say(corrections, min_count=min_count):
        print(common.harmless(line))  # noqa: T201
