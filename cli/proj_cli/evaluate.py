"""`proj evaluate` and `proj experiment`: how good are the trees? `proj paper`: the papers' tables.

`proj evaluate --brackets`: unlabelled bracketing, with baselines.

`proj evaluate --phrases`: phrase pairs against gold pairs, or against annotators (SPADE, ESPADA).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import ProjError, Where, plural
from divproj.core.options import EvaluateOptions, ExperimentOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from collections.abc import Collection

    from divproj.evaluation.trees import TreeScores


@options.command
def evaluate(
    *,
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="CoNLL-U with gold trees (--word-links: Pharaoh links).")],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="The file to score: the same sentences in the same order.")],
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="[OTHER]",
            help="A second file, to test whether the difference is significant; with --agreement, the file that both started from.",
        ),
    ] = None,
    word_links: Annotated[bool, typer.Option("--word-links", help="Score word links: precision, recall, F1, AER.")] = False,
    brackets: Annotated[
        bool, typer.Option("--brackets", help="Score unlabelled brackets (CoNLL-U, Penn, TIGER-XML, forests), with baselines.")
    ] = False,
    phrases: Annotated[
        bool, typer.Option("--phrases", help="Score phrase pairs of `proj align` (GOLD: JSON lines, or a folder of SPADE XML).")
    ] = False,
    agreement: Annotated[
        bool,
        typer.Option("--agreement", help="Compare two annotators, side by side: UAS, LAS, agreement and kappa of each column."),
    ] = False,
    merge: Annotated[
        Path | None,
        typer.Option(
            "--merge", metavar="FILE", help="Write one file of the reviews of two annotators; disagreements are marked."
        ),
    ] = None,
    how: EvaluateOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score trees against gold trees: UAS and LAS, by part of speech, source of the head and confidence.

    Example: proj evaluate gold.conllu trees.conllu

    Example: proj evaluate ada.conllu tom.conllu --agreement --merge both.conllu
    """
    if agreement or merge:
        _agreement(gold, system, other, merge, how.subtypes, as_json)
        return
    if word_links:
        _links(gold, system, as_json)
        return
    if brackets:
        evaluate_brackets(gold, system, other, how.seed, as_json)
        return
    if phrases:
        evaluate_phrases(gold, system, other, how.seed, as_json)
        return
    from divproj.evaluation.experiment import approximate_randomisation
    from divproj.evaluation.trees import las_kind, score_trees, scored_pairs

    results = [
        score_trees(scored_pairs(gold, path, common.faults_for(False)), punctuation=how.punctuation, subtypes=how.subtypes)
        for path in (system, *([other] if other else []))
    ]
    counted = {"punct": "yes" if how.punctuation else "no", "las": las_kind(how.subtypes)}
    sign = common.signature(cmd="evaluate", **counted, seed=how.seed)
    p = approximate_randomisation(results[0].sentences, results[1].sentences, seed=how.seed) if other else None
    if as_json:
        record: dict[str, Any] = {"signature": sign, **results[0].as_json()}
        if other:
            record |= {"other": results[1].as_json(), "p": p}
        print(json.dumps(record, ensure_ascii=False))  # noqa: T201
        return
    _print(results[0], sign)
    if other:
        a, b = results[0].overall, results[1].overall
        comparison = f"{system} {a.uas:.2f}, {other} {b.uas:.2f}: difference {a.uas - b.uas:+.2f}, p = {p:.4f}"
        common.note(comparison)


def _print(scores: TreeScores, sign: str) -> None:
    console = common.stdout()
    shown = common.table("Attachment", "", "UAS", "LAS", "words")
    shown.add_row("all", f"{scores.overall.uas:.2f}", f"{scores.overall.las:.2f}", str(scores.overall.total))
    for title, part in (("tag", scores.by_pos), ("source", scores.by_source)):
        for name, score in sorted(part.items(), key=lambda item: -item[1].total):
            shown.add_row(f"{title} {common.harmless(name)}", f"{score.uas:.2f}", f"{score.las:.2f}", str(score.total))
    console.print(shown)
    error = scores.calibration_error()
    if error is not None:
        shown = common.table("Confidence", "mean confidence", "UAS", "words", left=0)
        for score, total in zip(scores.by_confidence, scores.confidence, strict=True):
            if score.total:
                shown.add_row(f"{100 * total / score.total:.1f}", f"{score.uas:.1f}", str(score.total))
        console.print(shown)
        console.print(f"expected calibration error {100 * error:.2f} points")
    console.print(sign, highlight=False, soft_wrap=True)


def _agreement(one: str, two: str, base: str | None, merge: Path | None, subtypes: bool, as_json: bool) -> None:
    """What two annotators agree on and where they differ; their reviews as one file."""
    from divproj.evaluation.agreement import by_sentence, compare, merge_files
    from divproj.evaluation.trees import las_kind
    from divproj.io.files import writing
    from divproj.io.trees import conllu

    faults = common.faults_for(False)
    files = [[s for s in conllu.load(path, faults) if s is not None] for path in (one, two, *([base] if base else []))]
    result = compare(files[0], files[1], subtypes=subtypes)
    sign = common.signature(cmd="agreement", las=las_kind(subtypes))
    if as_json:
        print(json.dumps({"signature": sign, **result.as_json()}, ensure_ascii=False))  # noqa: T201
    else:
        console = common.stdout()
        for name, differences in by_sentence(result.differences).items():
            shown = common.table(common.harmless(name), "", "word", "column", Path(one).name, Path(two).name, left=5)
            for each in differences:
                shown.add_row(str(each.word or ""), *map(common.harmless, (each.form, each.column, each.one, each.other)))
            console.print(shown)
        shown = common.table("Agreement", "", "percent", "kappa")
        shown.add_row("UAS", f"{result.uas:.2f}", "")
        shown.add_row("LAS", f"{result.las:.2f}", "")
        for name, column in result.columns.items():
            kappa = column.kappa
            shown.add_row(name, f"{column.share:.2f}", "–" if kappa is None else f"{kappa:.3f}")
        console.print(shown)
        left = [f"{result.unconfirmed} not confirmed by both"] * bool(result.unconfirmed)
        left += [f"{len(result.divided)} with other words"] * bool(result.divided) + [
            f"{len(result.alone)} in one file only"
        ] * bool(result.alone)
        compared = f"{plural(result.sentences, 'sentence')}, {plural(result.words, 'word')} compared"
        common.note(f"{compared}{'; left out: ' if left else ''}{', '.join(left)}")
        console.print(sign, highlight=False, soft_wrap=True)
    talk.summary(faults)
    if merge is not None:
        count = 0
        with writing(merge) as out:
            for sentence, disagreements in merge_files(*files):
                out.write(conllu.dumps(sentence).rstrip("\n") + "\n\n")
                count += bool(disagreements)
        talk.say(f"Merged into {merge}: {plural(count, 'sentence')} on which both disagree (# state = second, # disagreement)")


def _links(gold_path: str, system_path: str, as_json: bool) -> None:
    from divproj.evaluation.trees import score_files

    score = score_files(gold_path, system_path)
    sign = common.signature(cmd="evaluate-links")
    if as_json:
        print(json.dumps({"signature": sign, **score.as_json()}))  # noqa: T201
        return
    shown = common.table("Links, percent", "precision", "recall", "F1", "AER", "found", "sure", left=0)
    numbers = (score.precision, score.recall, score.f1, 100 * score.aer)
    shown.add_row(*(f"{x:.2f}" for x in numbers), str(score.system), str(score.sure))
    common.stdout().print(shown)
    common.stdout().print(sign, highlight=False)


@options.command
def experiment(
    *,
    corpora: options.CorpusArguments = None,
    how: ExperimentOptions,
    scoring: Annotated[EvaluateOptions, "punctuation subtypes"],
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the learning curve.")] = None,
    latex: Annotated[
        Path | None, typer.Option("--latex", metavar="FILE", help="Write UAS and LAS as a table for LaTeX (booktabs).")
    ] = None,
    jobs: options.Jobs = 1,
    ignore_ids: options.IgnoreIds = False,
    trees: options.EStyle,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per corpus, with all folds.")] = False,
    strict: options.Strict = False,
) -> None:
    """Compare systems by cross-validation on corpora with gold F trees.

    Example: proj experiment hin-eng deu-eng --systems s1-r,s2-1,s2+,s4+
    """
    from divproj.evaluation.experiment import cross_families, cross_validate, with_gloss_links
    from divproj.evaluation.trees import las_kind
    from divproj.projection.systems import SYSTEM_NAMES

    wanted = [name.strip() for name in how.systems.split(",") if name.strip()]
    for name in wanted:
        options.one_of("--systems", name.partition(":")[0], SYSTEM_NAMES)
    sizes = _sizes(how.train_sizes)
    if how.paper and how.by != "sentence":
        raise typer.BadParameter("--paper is for folds of sentences, as in the paper (--by sentence)")
    if how.families and how.by != "family":
        raise typer.BadParameter("--families is for --by family")
    rows, labelled, table = [], [], []
    read: dict[str, tuple[list[Any], str]] = {}
    for corpus in options.corpora(corpora, ignore_ids=ignore_ids, strict=strict):
        pairs = common.gold_pairs(corpus, trees.e_style)
        if len(pairs) < 2:
            from divproj.core.errors import ProjError, Where

            raise ProjError(f"{len(pairs)} usable pairs, 2 or more expected", Where(corpus.path))
        if how.gloss_links:
            pairs = with_gloss_links(pairs)
        sign = common.signature(
            cmd="experiment", **({"folds": how.folds} if how.by == "sentence" else {"by": how.by}), seed=how.seed, punct="yes" if scoring.punctuation else "no",
            las=las_kind(scoring.subtypes), links="gloss" if how.gloss_links else "given", style=trees.e_style, **({"paper": "yes"} if how.paper else {}), input=corpus.digests[-1],
        )  # fmt: skip
        read[corpus.name] = pairs, sign
    kin = _families(how.families, read) if how.by == "family" else {}
    given: dict[str, Any] = {"seed": how.seed, "punctuation": scoring.punctuation, "subtypes": scoring.subtypes, "jobs": jobs}
    for size in sizes:
        if how.by != "sentence":
            together = cross_families(
                {name: sentence_pairs for name, (sentence_pairs, _) in read.items()}, kin, wanted, train_size=size, **given
            )
        for corpus_name, (pairs, sign) in read.items():
            if how.by == "sentence":
                results = cross_validate(pairs, wanted, train_size=size, folds=how.folds, paper=how.paper, **given)
            else:
                results = together[corpus_name]
            rows.append((corpus_name, size, {name: result.scores.overall.uas for name, result in results.items()}))
            table += [
                [corpus_name, str(size or "all"), name, f"{one.uas:.1f}", f"{one.las:.1f}", str(one.total)]
                for name, one in ((name, result.scores.overall) for name, result in results.items())
            ]
            labelled.append((corpus_name, size, {name: result.scores.overall.las for name, result in results.items()}))
            if as_json:
                record = {
                    "signature": sign,
                    "corpus": corpus_name,
                    **({"family": kin.get(corpus_name, corpus_name)} if how.by != "sentence" else {}),
                    "train_size": size or "all",
                    "systems": {name: result.as_json() for name, result in results.items()},
                }
                print(json.dumps(record), flush=True)  # noqa: T201
    rows.sort(key=lambda row: list(read).index(row[0]))
    labelled.sort(key=lambda row: list(read).index(row[0]))
    learned = (
        f"{how.folds} folds"
        if how.by == "sentence"
        else f"learned from the other {'families' if how.by == 'family' else 'corpora'}"
    )
    if not as_json:
        _print_experiment("UAS", rows, wanted, learned, how.seed)
        _print_experiment("LAS", labelled, wanted, learned, how.seed)
    if latex:
        _write_latex(latex, table, learned, how.seed, sign, scoring.subtypes)
    if plot:
        from divproj.drawing.plot import learning_curves

        learning_curves(plot, rows)
        talk.say(f"plot: {plot}")


@options.command
def paper(
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="A table, such as georgi-4; none lists them.", show_default=False)
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA]...",
            help="Corpus folders, a folder of them, or GER=FOLDER to name the paper's column; arase-3 also takes JSON lines "
            "with trees and gold pairs, or SPADE.  \\[default: sample corpora]",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of folds and samplers.")] = ExperimentOptions.seed,
    runs: Annotated[int, typer.Option("--runs", min=1, metavar="N", help="Average over N seeds.")] = 1,
    jobs: options.Jobs = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a table of the three papers on your data, or on the sample corpora, beside the paper's figures.

    Example: proj paper; proj paper georgi-4 deu-eng hin-eng
    """
    from divproj.evaluation import papers

    console = common.stdout()
    if name is None:
        shown = common.table("Tables of the papers", "table", "shows", "of", left=3)
        figures = papers.paper_figures()
        for table_name in papers.TABLES:
            shown.add_row(
                table_name, figures[table_name]["title"], figures["papers"][table_name.partition("-")[0]].partition(":")[0]
            )
        console.print(shown)
        return
    made = papers.paper_table(name, data or (), seed=seed, runs=runs, jobs=jobs)
    sign = common.signature(cmd="paper", table=made.name, seed=seed, runs=runs)
    if as_json:
        print(json.dumps({"signature": sign, **made.as_json()}, ensure_ascii=False))  # noqa: T201
        return
    shown = common.table(made.title, *made.keys, "ours", "paper", "difference", left=len(made.keys))
    for row in made.rows:
        cells = ("–" if value is None else f"{value:.{made.digits}f}" for value in (row.ours, row.paper))
        difference = "" if row.difference is None else f"{row.difference:+.{made.digits}f}"
        shown.add_row(*map(common.harmless, row.keys), *cells, difference)
    console.print(shown)
    for line in (made.source, *made.notes, sign):
        common.note(line)


def _write_latex(path: Path, rows: list[list[str]], how: str, seed: int, sign: str, subtypes: bool) -> None:
    from divproj.drawing.text import table
    from divproj.io.files import writing

    caption = f"Attachment scores in cross-validation ({how}, seed {seed}): percentage of words with the right head (UAS), and with the right head and {'' if subtypes else 'universal '}relation (LAS)."
    with writing(path) as out:
        out.write(table(["corpus", "trained on", "system", "UAS", "LAS", "words"], rows, caption, left=3, note=sign))
    talk.say(f"table: {path}")


LARGEST_TABLE = 1 << 20
"""Bytes that are read of a table of families."""


def _families(text: str | None, corpora: Collection[str]) -> dict[str, str]:
    """The family of each corpus, from a list or a table; names that are no corpus are refused."""
    from divproj.io.files import reading

    if text is None:
        raise typer.BadParameter(
            "--by family needs --families deu-eng=Germanic,… or a table; --by corpus takes each for itself"
        )
    if Path(text).is_file():
        with reading(text) as stream:
            content = stream.read(LARGEST_TABLE)
        try:
            rows = [line.split("\t") for line in content.decode("utf-8-sig").splitlines() if line.strip()]
        except UnicodeDecodeError:
            raise ProjError(
                "is not UTF-8 text", Where(text), "save the table as UTF-8: a corpus, a tab and its family in each line"
            ) from None
    else:
        rows = [part.split("=") for part in text.split(",") if part.strip()]
    if wrong := [row for row in rows if len(row) != 2 or not all(cell.strip() for cell in row)]:
        raise typer.BadParameter(f"--families: '{'='.join(wrong[0]):.60}' is no corpus with its family")
    family_of = {name.strip(): family.strip() for name, family in rows}
    if unknown := sorted(set(family_of) - set(corpora)):
        raise typer.BadParameter(f"--families: no corpus {unknown[0]}; there are {', '.join(corpora)}")
    return family_of


def _sizes(text: str | None) -> list[int | None]:
    if text is None:
        return [None]
    try:
        return [None if part.strip() == "all" else int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a list of sizes such as 5,10,20,all") from None


def _print_experiment(
    measure: str, rows: list[tuple[str, int | None, dict[str, float]]], systems: list[str], how: str, seed: int
) -> None:
    shown = common.table(f"{measure}, {how}, seed {seed}", "corpus", "trained on", *systems, left=2)
    for name, size, scores in rows:
        shown.add_row(common.harmless(name), str(size or "all"), *(f"{scores[s]:.2f}" for s in systems))
    sizes = {size for _, size, _ in rows}
    if len({name for name, _, _ in rows}) > 1:
        for size in sorted(sizes, key=lambda s: s or 1 << 30):
            group = [scores for _, other, scores in rows if other == size]
            shown.add_row("average", str(size or "all"), *(f"{sum(g[s] for g in group) / len(group):.2f}" for s in systems))
    common.stdout().print(shown)


def evaluate_brackets(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    from divproj.evaluation.brackets import baselines, f1_randomisation, score_brackets
    from divproj.evaluation.brackets import rows as rows_of

    rows = [list(rows_of(gold, path, common.faults_for(False))) for path in (system, *([other] if other else []))]
    scores = {path: score_brackets(of) for path, of in zip((system, other), rows, strict=False) if path}
    scores |= baselines(rows[0], seed=seed)
    sign = common.signature(cmd="evaluate-brackets", seed=seed)
    p = f1_randomisation(scores[system].sentences, scores[other].sentences, seed=seed) if other else None
    if as_json:
        record: dict[str, Any] = {"signature": sign, **{name: score.as_json() for name, score in scores.items()}}
        print(json.dumps(record | ({"p": p} if other else {}), ensure_ascii=False))  # noqa: T201
        return
    limits = [k for k, score in scores[system].up_to.items() if score.gold]
    shown = common.table("Unlabelled brackets, percent", "", "precision", "recall", "F1", *(f"F1 ≤ {k}" for k in limits))
    for name, score in scores.items():
        numbers = (score.overall.precision, score.overall.recall, score.overall.f1, *(score.up_to[k].f1 for k in limits))
        shown.add_row(common.harmless(name), *(f"{x:.2f}" for x in numbers))
    console = common.stdout()
    console.print(shown)
    if other:
        a, b = scores[system].overall.f1, scores[other].overall.f1
        comparison = f"{system} {a:.2f}, {other} {b:.2f}: difference {a - b:+.2f}, p = {p:.4f}"
        common.note(comparison)
    console.print(
        f"{plural(sum(n > 1 for n in scores[system].lengths), 'sentence')} of two words or more; {sign}", highlight=False
    )


def evaluate_phrases(gold: str, system: str, other: str | None, seed: int, as_json: bool) -> None:
    """Scores of what `proj align` wrote; GOLD is JSON lines, or a folder with s-*.xml and t-*.xml."""
    from divproj.evaluation.phrases import against_annotators, against_constituents, significance

    score = against_annotators if Path(gold).is_dir() else against_constituents
    scores = {path: score(gold, path) for path in (system, *([other] if other else []))}
    sign = common.signature(cmd="evaluate-phrases", seed=seed)
    p = {}
    if other:
        p = {name: significance(scores[system][name], scores[other][name], seed=seed) for name in scores[system]}
    if as_json:
        record = {path: {name: part.as_json() for name, part in parts.items()} for path, parts in scores.items()}
        print(json.dumps({"signature": sign, **record, **({"p": p} if other else {})}, ensure_ascii=False))  # noqa: T201
        return
    console = common.stdout()
    shown = common.table("Phrase pairs, percent", "", "pairs", "recall", "precision", "F1", "found", "wanted", left=2)
    for path, parts in scores.items():
        for name, part in parts.items():
            numbers = part.as_json()
            shown.add_row(common.harmless(path), name, *(f"{numbers[k]:.2f}" for k in ("recall", "precision", "f1")), str(numbers["given"]), str(numbers["wanted"]))  # fmt: skip
    console.print(shown)
    for name, value in p.items():
        console.print(f"{name}: p = {value:.4f}", highlight=False)
    console.print(sign, highlight=False, soft_wrap=True)
