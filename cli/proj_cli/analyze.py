"""`proj analyze`: measure how two languages diverge; `proj draw`: draw one pair of trees."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import plural
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.core.pair import Pair
    from divproj.divergence.analysis import Analysis
    from divproj.io.corpus import Corpus
    from divproj.runtime.engine import Workers


LEAST_SHARE = 0.05
"""Of all cases: rows of the breakdown with less are not printed; `--csv` and `--json` have them."""
PAIRS_SHOWN = 2000
"""Of the most divergent pairs, in a report."""


class Tags(StrEnum):
    auto = "auto"
    upos = "upos"
    xpos = "xpos"


@options.command
def analyze(
    *,
    corpora: options.CorpusArguments = None,
    ignore_ids: options.IgnoreIds = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per corpus, with counts.")] = False,
    sentences: Annotated[
        bool, typer.Option("--sentences", help="Print one JSON object per sentence pair: edge classes and operations.")
    ] = False,
    edges: Annotated[bool, typer.Option("--edges", help="Print one line per edge, made for grep.")] = False,
    csv_folder: Annotated[Path | None, typer.Option("--csv", metavar="DIR", help="Write the tables as CSV files.")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report to open in a browser.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a dendrogram of several corpora by how they diverge.")
    ] = None,
    tags: Annotated[Tags, typer.Option(help="Part-of-speech column for the breakdown.")] = Tags.auto,
    trees: options.EStyle,
    extended: Annotated[bool, typer.Option("--extended", help="Add a stage that merges edges on both sides at once.")] = False,
    paper: options.Paper = False,
    min_count: Annotated[int, typer.Option(min=1, help="Hide rows of the breakdown with fewer cases.")] = 3,
    strict: options.Strict = False,
    jobs: options.Place = "1",
) -> None:
    """Measure how the trees of two languages diverge: match, remove, merge and swap, in both directions.

    Several corpora give an overview, one row each, the most divergent first.

    Example: proj analyze hin-eng --html report.html
    """
    from divproj.core.errors import ProjError, Where
    from divproj.divergence.analysis import analyze_corpus, write_tables
    from divproj.io.files import name_of

    inputs, e_style = options.corpora(corpora, ignore_ids=ignore_ids, strict=strict), trees.e_style
    if html and len(inputs) > 1:
        raise typer.BadParameter("--html takes one corpus")
    if plot and len(inputs) < 2:
        raise typer.BadParameter("--plot compares corpora: give two or more")
    if sentences or edges:
        for corpus in inputs:
            _stream(corpus, sentences, extended, paper, e_style, options.workers(jobs))
        return
    results = []
    for corpus in inputs:
        most, workers = PAIRS_SHOWN if html else 0, options.workers(jobs)
        how: dict[str, Any] = {
            "extended": extended,
            "paper": paper,
            "tags": tags.value,
            "style": e_style,
            "most": most,
            "workers": workers,
            "on_message": talk.caution,
        }
        result, pairs = analyze_corpus(corpus, **how)
        talk.summary(corpus.faults)
        if not result.sentences:
            raise ProjError("no usable sentence pair", Where(name_of(corpus.path)), "the warnings above say why")
        if html:
            _write_html(html, corpus, result, e_style, pairs)
        results.append(result)
    names = [corpus.name for corpus in inputs]
    signs = [_signature(corpus, result, e_style) for corpus, result in zip(inputs, results, strict=True)]
    if as_json:
        for name, sign, result in zip(names, signs, results, strict=True):
            print(json.dumps({"signature": sign, "corpus": name, **result.as_json()}, ensure_ascii=False))  # noqa: T201
    elif len(results) == 1:
        _print_one(results[0], signs[0], min_count)
    else:
        _print_overview(names, results, signs)
    if csv_folder:
        talk.say(f"tables: {csv_folder}/{', '.join(write_tables(csv_folder, names, results))}")
    if plot:
        from divproj.drawing.plot import dendrogram

        dendrogram(plot, names, [result.profile() for result in results])
        talk.say(f"plot: {plot}")


def _stream(corpus: Corpus, as_json: bool, extended: bool, paper: bool, style: str, workers: Workers) -> None:
    from divproj.drawing.text import edges_of

    work = partial(edges_of, as_json, extended, paper, style)
    batches = common.spread(work, partial(corpus.chunks, size=None), corpus.faults, workers)
    for _, text in talk.progress(batches, f"{corpus.name}: pairs", lambda item: item[0]):
        sys.stdout.write(text)
    talk.summary(corpus.faults)


def _signature(corpus: Corpus, result: Analysis, style: str) -> str:
    return common.signature(
        cmd="analyze",
        tags=result.tags,
        extended="yes" if result.extended else "no",
        **({"paper": "yes"} if result.paper else {}),
        **({} if style == "as-is" else {"style": style}),
        mode="strict" if corpus.faults.strict else "lenient",
        left_out=f"{corpus.faults.sentences}s+{corpus.faults.words}w",
        input=corpus.digests[-1],
    )


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f}" if total else "–"


STAGE_NAMES = {
    "initial": "as given",
    "remove": "after remove",
    "merge": "after merge",
    "extended": "after extended merge",
    "swap": "after swap",
}


def _print_one(result: Analysis, sign: str, min_count: int) -> None:
    from divproj.divergence import analysis
    from divproj.divergence.operations import CLASSES

    console = common.stdout()
    for direction, title in (("e_to_f", "E → F: edges of E"), ("f_to_e", "F → E: edges of F")):
        shown = common.table(f"{title}, percent", "", *CLASSES, "labelled", "edges")
        for row in result.stage_counts(direction):
            cells = [_percent(row[name], row["edges"]) for name in (*CLASSES, "labelled")]
            shown.add_row(STAGE_NAMES[row["stage"]], *cells, str(row["edges"]))
        console.print(shown)
    patterns = result.patterns(min_count, LEAST_SHARE)
    if patterns:
        shown = common.table(
            "Operations by part of speech", "side", "operation", "child", "parent", "percent", "count", "of", left=4
        )
        for p in patterns:
            texts = (p.side.upper(), p.kind, p.child, p.parent or "", f"{100 * p.share:.1f}", str(p.count), str(p.total))
            shown.add_row(*map(common.harmless, texts))
        console.print(shown)
    shown = common.table("Differences by type", "type", "what it is", "example", "count", left=3)
    for name in analysis.TYPES:
        example = result.examples[name][0] if result.examples[name] else None
        text = f"{example.sent_id}: {example.text}" if example else ""
        shown.add_row(analysis.LABELS[name], analysis.MEANING[name], common.harmless(text), str(result.dorr[name]))
    console.print(shown)
    common.note(f"{analysis.ABOUT_TYPES}\n")
    words = ", ".join(plural(result.words[side], f"{side.upper()} word") for side in "fe")
    console.print(f"{plural(result.sentences, 'sentence pair')}, {words}")
    console.print(common.harmless(sign), highlight=False, soft_wrap=True)


def _print_overview(names: list[str], results: list[Analysis], signs: list[str]) -> None:
    console = common.stdout()
    stages = [stage for _, stage in results[0].stages]
    shown = common.table(
        "Matched edges E → F, percent, most divergent first", "corpus", "pairs", *(STAGE_NAMES[s] for s in stages)
    )
    order = sorted(range(len(results)), key=lambda k: (results[k].match_percentages()["initial"], names[k]))
    for k in order:
        row = results[k].match_percentages()
        shown.add_row(common.harmless(names[k]), str(results[k].sentences), *(f"{row[s]:.1f}" for s in stages))
    console.print(shown)
    for k in order:
        console.print(common.harmless(f"{names[k]}: {signs[k]}"), highlight=False, soft_wrap=True)


def _write_html(path: Path, corpus: Corpus, result: Analysis, style: str, pairs: list[Pair]) -> None:
    from divproj.divergence.operations import alter
    from divproj.drawing.html import write_report
    from divproj.io.files import writing

    altered = (
        alter(pair, extended=result.extended, paper=result.paper, compiled=len(pairs) > 300)
        for pair in talk.progress(pairs, "drawing pair")
    )
    with writing(path) as out:
        faults, sign = [str(fault) for fault in corpus.faults.noted], _signature(corpus, result, style)
        write_report(result, altered, out, title=corpus.name, signature=sign, faults=faults)
    talk.say(f"report: {path}")


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
    legend: Annotated[bool, typer.Option("--legend", help="Explain the lines and signs below the picture.")] = False,
    ignore_ids: options.IgnoreIds = False,
) -> None:
    """Draw a tree, or a pair of trees: the translation (E) above, the language you study (F) below, with links and divergences.

    A CoNLL-U file alone gives one tree with glosses and translation. -o x.svg, x.pdf, x.png and x.tex (tikz-dependency) are what they say.

    Example: proj draw deu-eng --sent deu-010 -o pair.svg

    Example: proj draw trees.conllu --sent tur-08 -o cat.pdf
    """
    from divproj.core.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.io.trees.conllu import is_conllu

    kind = "txt" if text else output.suffix.lower().removeprefix(".") if str(output) != "-" else "svg"
    if kind not in ("svg", "pdf", "png", "tex", "txt") and not induced:
        remedy = "give a name with one of these endings; --text draws with characters"
        raise ProjError(
            f"'{output.suffix}' is no kind of picture, .svg, .pdf, .png or .tex expected", Where(str(output)), remedy
        )
    if (
        corpus
        and len(corpus) == 1
        and not induced
        and (corpus[0] == "-" or (Path(corpus[0]).is_file() and is_conllu(corpus[0])))
    ):
        _draw_tree(corpus[0], sent, output, kind, legend)
        return
    if induced:
        if not corpus or len(corpus) > 1:
            raise typer.BadParameter("give the corpus that the model was learned from")
        from divproj.drawing.phrases import draw_induced

        picture = draw_induced(corpus[0], induced, sent, common.faults_for(False), text=text)
        with writing(output) as out:
            out.write(picture + "\n")
        return
    from divproj.divergence.operations import alter
    from divproj.drawing.svg import pair_svg
    from divproj.drawing.text import pair_text

    inputs = options.corpora(corpus, ignore_ids=ignore_ids)
    if len(inputs) > 1:
        raise typer.BadParameter("give one corpus")
    pair = inputs[0].find(sent)
    altered = alter(pair, extended=stage is Stage.extended)
    if kind == "tex":
        raise ProjError(
            "pairs of trees are not drawn for LaTeX", Where(str(output)), "write .pdf and include that, or draw one tree"
        )
    if kind != "txt":
        from divproj.drawing.plot import write_picture

        write_picture(pair_svg(pair, altered, stage=stage.value, legend=legend), output)
        return
    with writing(output) as out:
        out.write(pair_text(pair, altered, stage=stage.value) + "\n")


def _draw_tree(file: str, sent: str | None, output: Path, kind: str, legend: bool) -> None:
    """Draw one tree of a CoNLL-U file."""
    from divproj.core.sentence import confidence_of, misc_value
    from divproj.drawing.plot import write_picture
    from divproj.drawing.svg import tree_svg
    from divproj.drawing.text import tree_text
    from divproj.io.files import writing
    from divproj.io.interlinear.rows import from_sentence
    from divproj.io.interlinear.typeset import tikz_tree
    from divproj.io.trees.conllu import find

    rows = find(file, sent, common.faults_for(False))
    tree = rows.usable_tree()[0]
    said = [confidence_of(cell) for cell in rows.column(9)]
    confidence = [float(each) for each in said] if all(each.replace(".", "", 1).isdecimal() for each in said) else []
    if kind in ("txt", "tex"):
        with writing(output) as out:
            shown = tree_text(tree, rows.glosses) if kind == "txt" else "\n".join(tikz_tree(tree, rows.glosses, confidence))
            out.write(shown + "\n")
        return
    reasons = [misc_value(cell, "Proj") or "given" for cell in rows.column(9)]
    picture = tree_svg(
        tree, glosses=rows.glosses, translation=from_sentence(rows).translation, reasons=reasons, confidence=confidence, name=rows.sent_id, legend=legend
    )  # fmt: skip
    write_picture(picture, output)
