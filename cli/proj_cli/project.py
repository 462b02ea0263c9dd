"""`proj project`, `proj learn` and `proj rules`: trees for F, and the corrections behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from divproj.core.errors import plural
from divproj.core.options import ProjectOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.core.errors import Faults
    from divproj.core.pair import Pair
    from divproj.io.corpus import Corpus
    from divproj.io.output import Trees
    from divproj.projection.pipeline import Summary
    from divproj.projection.projector import Projector
    from divproj.runtime.engine import Workers

Beside = tuple[Path | None, Path | None]
"""Files for links and for trees of translations."""
FIRST_TYPES = 20
"""Types that are asked for at a time."""
rules_app = typer.Typer(help="Show learned rules.", no_args_is_help=True)


@options.command
def project(
    *,
    source: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT…",
            help="Interlinear text, CoNLL-U, or a corpus folder; - is stdin. Also several texts, or a folder of them.",
        ),
    ],
    output: Annotated[
        Path, options.output("FILE", "CoNLL-U to write; - is stdout. For several texts, a folder gets one file each.")
    ] = Path("-"),
    gold: Annotated[
        str | None, typer.Option("--gold", metavar="CORPUS", help="Sentence pairs with gold F trees to learn from first.")
    ] = None,
    e: options.EFile = None,
    links: options.LinksFile = None,
    how: ProjectOptions,
    reader: options.Reader,
    keep_hyphens: options.KeepHyphens = False,
    misaligned: options.Misaligned = False,
    grams: options.Grams = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Systems s1-r to s2-1 as their paper's text has them, without divproj's departures.")
    ] = False,
    links_out: Annotated[
        Path | None, typer.Option("--links-out", metavar="FILE", help="Write the links, in Pharaoh format.")
    ] = None,
    e_out: Annotated[Path | None, typer.Option("--e-out", metavar="FILE", help="Write the E trees, as CoNLL-U.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write a page with both trees, links and reasons; for several texts, a folder."
        ),
    ] = None,
    as_json: options.AsJson = False,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
    jobs: options.Place = "1",
    shards: options.Shards = None,
) -> None:
    """Project trees from the translations (E) to the language you study (F).

    Translations without trees are parsed by the parser of their language; without one, only the glosses are used. Links come from --links, from the input, or from the
    glosses. Every word gets a head; MISC says where it came from (Proj=) and how probable it is (ProjConf=). The last lines say
    what was projected and what is a guess; exit code 3 means that every tree is a guess.

    Several texts, or a folder of them, give one file each in the folder -o, or one file with all of them; a text that cannot be
    read does not stop the others.

    Example: proj project text.txt -o trees.conllu --html trees.html

    Example: proj project texts/ -o trees/
    """
    options.check_json(as_json, output)
    reading = reader.options(keep_hyphens=keep_hyphens, misaligned=misaligned)
    workers = options.workers(jobs)

    def trees_of(text: str, target: Path, page: Path | None, projector: Projector, beside: Beside = (None, None)) -> Summary:
        from divproj.io.corpus import Corpus
        from divproj.io.interlinear.languages import lang_code, names_language
        from divproj.projection.pipeline import CorpusOutput, project_corpus

        corpus = Corpus(text, e, links, format=reader.format, reader=reading, same_ids=not ignore_ids)
        languages = tuple(name for name in how.also if names_language(name))
        others = tuple(Corpus(name, same_ids=not ignore_ids) for name in how.also if name not in languages)
        if projector.phrases and not projector.looks_at_text:
            raise typer.BadParameter(f"--{projector.phrases.first_option} is for s5, s6, and models of s5+")
        faults = common.faults_for(strict)
        wanted = CorpusOutput(how.style, projector.conventions, any(beside), page is not None, how.min_coverage)
        trees = project_corpus(
            projector, (corpus, *others), wanted, faults, workers, talk.caution, shards, [*map(lang_code, languages)]
        )
        return _write(trees, projector, corpus, target, page, beside, faults, how.min_coverage)

    texts = _texts(source)
    if texts is None:
        projector = _projector(how, gold, grams, source[0], paper)
        summary = trees_of(source[0], output, html, projector, (links_out, e_out))
        common.end(summary, output, as_json, _signature(projector))
        return
    single = {"--e": e, "--links": links, "--links-out": links_out, "--e-out": e_out}
    if given := next((name for name, value in single.items() if value), None):
        raise typer.BadParameter(f"{given} is for one text; here are {len(texts)}")
    trained = _projector(how, gold, grams, paper=paper) if gold else None
    _project_texts(
        texts, output, html, lambda text: trained or _projector(how, gold, grams, text, paper), trees_of, as_json, strict
    )


def _texts(source: list[str]) -> list[str] | None:
    """Return the texts that the arguments name, patterns and folders of texts taken apart; None where there is one INPUT."""
    from divproj.core.errors import ProjError, Where
    from divproj.io.files import F_FILE, IGT_FILE, in_folder

    names: list[str] = []
    for given in map(Path, source):  # PowerShell and cmd.exe pass patterns on as they are
        pattern = "*" in given.name and not given.exists()
        names += sorted(map(str, given.parent.glob(given.name))) if pattern else [str(given)]
    texts: list[str] = []
    for name in names:
        folder = Path(name)
        if name == "-" or not folder.is_dir() or any(in_folder(folder, file) for file in (F_FILE, IGT_FILE)):
            texts.append(name)
            continue
        from divproj.run.scaffold import look

        contents = look(folder)
        for message in contents.messages:
            if "left out" in message:
                talk.say(message)
        some = {*contents.text, *(path.name for path in folder.iterdir() if path.suffix.lower() in TEXT_SUFFIXES)}
        twice = {message.partition(": has the same")[0] for message in contents.messages if ": has the same" in message}
        texts += [str(folder / text) for text in sorted(some - twice)]
        if not some:
            raise ProjError("no text in this folder", Where(name), "`proj check FILE` says what is read of a file")
    if not texts:
        raise ProjError("no such file", Where(source[0]))
    return None if len(texts) == len(source) == 1 and texts[0] == str(Path(source[0])) else texts


TEXT_SUFFIXES = (".flextext", ".eaf", ".sfm")
"""Ends of names of files that are texts, even if they cannot be read."""


def _project_texts(
    texts: list[str], output: Path, html: Path | None, projector_for: Callable[[str], Projector],
    trees_of: Callable[..., Summary], as_json: bool, strict: bool,
) -> None:  # fmt: skip
    """Project several texts: into a folder, one file each, or into one file; one that cannot be read is reported at the end, too."""
    import json
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    from divproj.core.errors import ProjError, Where, shell_word
    from divproj.io.files import writing
    from divproj.projection.pipeline import NOTHING_PROJECTED

    apart = str(output) != "-" and (output.is_dir() or not output.suffix or str(output).endswith(("/", "\\")))
    if html is not None and html.suffix:
        raise typer.BadParameter(f"--html {html}: a folder expected, since there are {len(texts)} texts")
    for folder in (output if apart else None, html):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    stems = [Path(text).stem for text in texts]
    failed, sentences, guessed = [], 0, True
    with ExitStack() as stack:
        everything = None if apart else stack.enter_context(writing(output))
        place = output if apart else Path(stack.enter_context(TemporaryDirectory(prefix="divproj-")))
        ids: set[str] = set()
        for text, stem in zip(texts, stems, strict=True):
            name = stem if stems.count(stem) == 1 else Path(text).name
            target, page = place / f"{name}.conllu", html / f"{name}.html" if html is not None else None
            if apart and any(target.exists() and Path(each).exists() and target.samefile(each) for each in texts):
                raise ProjError("-o would take the place of an input", Where(str(target)), "give another folder")
            talk.say(f"{text}:")
            try:
                projector = projector_for(text)
                summary = trees_of(text, target, page, projector)
            except ProjError as error:
                if strict:
                    raise
                talk.say(f"  not projected: {error}")
                failed.append(text)
                continue
            for line in summary.lines():
                talk.say(f"  {line}")
            if as_json:
                about = {"signature": _signature(projector), "input": text, "output": str(target if apart else output)}
                print(json.dumps({**about, **summary.as_json()}, ensure_ascii=False))  # noqa: T201
            sentences, guessed = sentences + summary.tree_count, guessed and summary.exit_code != 0
            if everything is not None:
                _append(target, name, everything, ids)
                target.unlink()
    done = len(texts) - len(failed)
    talk.say(f"{plural(sentences, 'sentence')} of {plural(done, 'text')} projected")
    if failed:
        talk.caution(f"{plural(len(failed), 'text')} not projected, for the reasons above: {', '.join(failed)}")
    if str(output) != "-" and done:
        talk.say(f"Trees written to {output}. To check and correct them: proj review {shell_word(output)}")
    if failed or guessed:
        raise typer.Exit(1 if failed else NOTHING_PROJECTED)


def _append(source: Path, name: str, out: TextIO, ids: set[str]) -> None:
    """Append a text to a file of several: its name as `newdoc id`, and ids that occur before with the name in front."""
    mark = "# sent_id = "
    with source.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if not number:
                out.write(f"# newdoc id = {name}\n")
            if line.startswith(mark):
                sent_id = line[len(mark) :].strip()
                if sent_id in ids:
                    line = f"{mark}{name}.{sent_id}\n"
                ids.add(line[len(mark) :].strip())
            out.write(line)


def _projector(
    how: ProjectOptions, gold: str | None = None, grams: list[Path] | None = None, source: str = "-", paper: bool = False
) -> Projector:
    """Return the projector, loaded and trained here, so that its errors come before anything is read."""
    from divproj.io.corpus import read
    from divproj.projection.glossed.word_types import types_for
    from divproj.projection.prepare import Preparation
    from divproj.projection.projector import Projector

    if how.model is not None and (how.system != "auto" or how.rules or gold):
        raise typer.BadParameter("--model brings its own rules and system")
    if how.rules and gold:
        raise typer.BadParameter("--rules and --gold: rules are given, or learned from gold trees; leave one of them out")
    faults = common.faults_for(False)
    types = types_for(source, how.types, faults, Preparation(grams=tuple(grams or ())).table)
    projector = Projector.of(how, grams=grams or (), types=types, paper=paper)
    if gold:
        projector.fit(talk.progress(read(gold, faults=common.faults_for(False)), "gold pairs"))
        talk.say(f"{projector.system_} learned from {plural(projector.gold_, 'gold sentence')} of {gold}")
    elif projector.needs_gold:
        projector.demand()
    return projector


@options.command
def types(
    *,
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Interlinear text, CoNLL-U, or a corpus folder.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Table to write.  \\[default: NAME.types.tsv beside INPUT]"),
    ] = None,
    reader: options.Reader,
    grams: options.Grams = None,
    strict: options.Strict = False,
) -> None:
    """List the word types of a glossed text as a table, to be tagged by you: the doubtful ones first.

    Fill in the columns tag (NOUN, n, or ok for the guess) and relation (case marker, linker …) in any program, and save it under its name:
    `proj project`, `proj run` and `proj review` find it beside the text. Twenty types are worth about as much as ten trees.
    Run the command again to see what is still open; your answers stay.

    Example: proj types story.flextext
    """
    from divproj.core.errors import ProjError, Where
    from divproj.io.corpus import Corpus
    from divproj.io.files import writing
    from divproj.projection.direct import ProjectionInput
    from divproj.projection.glossed import word_types
    from divproj.projection.glossed.s6 import S6
    from divproj.projection.pipeline import ADAPT_LIMIT
    from divproj.projection.prepare import Preparation, prepare_text
    from divproj.runtime.announce import stage

    faults = common.faults_for(strict)
    how = Preparation(grams=tuple(grams or ()))
    target = output or word_types.types_file(source)
    earlier = target if str(target) != "-" and target.is_file() else None
    known = word_types.types_for(source, str(earlier) if earlier else None, faults, how.table)
    how = replace(how, types=known)
    corpus = Corpus(source, format=reader.format, reader=reader.options())
    pairs = talk.progress(prepare_text(corpus, how, faults), "reading sentence")
    text = [ProjectionInput.of(pair) for pair in islice(pairs, ADAPT_LIMIT)]
    talk.summary(faults)
    with stage("reading glosses"):
        rows = word_types.list_types(text, S6(grams=how.table), known)
    if not rows:
        raise ProjError("no sentence with words that could be read", Where(source), "the warnings above say why")
    with writing(target) as out:
        word_types.dump(rows, out, how.table)
    again = sum(row.status == word_types.ASKED_AGAIN for row in rows)
    open_ = [row for row in rows if row.answer is None]
    talk.say(f"{plural(len(rows), 'word type')} written to {target}: {len(open_)} open, {len(rows) - len(open_)} tagged")
    if again:
        talk.say(f"{plural(again, 'answer')} asked again, first in the table: everything else speaks against them")
    first = open_[:FIRST_TYPES]
    if first:
        gain, words = sum(row.gain for row in first), sum(row.count for row in rows)
        talk.say(
            f"the first {len(first)} open ones are expected to have {gain:.0f} wrong tags among {plural(words, 'word')}; your answers should bring "
            f"{word_types.expected_gain(rows, FIRST_TYPES):.1f} points of correctly labelled edges, ten corrected trees about {word_types.LAS_OF_TEN_TREES:.1f}"
        )


def project_with(
    model: Path, corpus: Corpus, output: Path, *, strict: bool, where: tuple[Workers, Path | None], as_json: bool
) -> None:
    """`proj parse` with a parser that sees projections."""
    from divproj.projection.pipeline import CorpusOutput, project_corpus

    projector = _projector(ProjectOptions(model=model))
    faults = common.faults_for(strict)
    workers, shards = where
    trees = project_corpus(projector, (corpus,), CorpusOutput(), faults, workers, talk.caution, shards)
    summary = _write(trees, projector, corpus, output, None, (None, None), faults)
    common.end(summary, output, as_json, _signature(projector))


def _write(
    trees: Iterator[Trees], projector: Projector, corpus: Corpus, output: Path, html: Path | None,
    beside: Beside, faults: Faults, least: float = 0.0,
) -> Summary:  # fmt: skip
    """Write every tree as it comes, and what was requested beside (links and E trees, a page); return what was done."""
    from divproj.core.errors import Where
    from divproj.parsing.translations import report_foreign
    from divproj.projection.pipeline import write_projections

    counted = talk.progress(trees, "projecting sentence", lambda some: some.count)

    def done() -> None:
        report_foreign(faults, Where(corpus.path))
        talk.summary(faults)

    summary, projections = write_projections(counted, corpus.path, output, beside, least, done)
    system = projector.system_
    summary.close(system, projector.why_, faults)
    summary.types = str(projector.preparation.types)
    if html:
        from divproj.drawing.projected import write_projections as write_page
        from divproj.io.files import writing

        with writing(html) as out:
            name = Path(corpus.path).name
            sign = _signature(projector)
            write_page(projections, out, title=name, signature=sign, system=system, expected=summary.accuracy)
        talk.say(f"page: {html}")
    return summary


def _signature(projector: Projector) -> str:
    styles = {"e_style": projector.preparation.style, "style": projector.f_style}
    return common.signature(cmd="project", system=projector.system_, why=projector.why_, **styles)


@options.command
def learn(
    *,
    corpora: options.CorpusArguments = None,
    output: Annotated[Path, options.output("FILE", "Rule file to write; - is stdout.")] = Path("-"),
    system: Annotated[
        str,
        typer.Option(
            help="The system that the rules are for: s6+, s2+, s2-1, s2-2 or s2-3; auto takes s6+ for glossed text and s2+ for other."
        ),
    ] = "auto",
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Test first, on gold sentences held back; write the rules only if they make better trees."
        ),
    ] = False,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
) -> None:
    """Learn corrections from sentence pairs with gold trees on both sides.

    Example: proj learn my-gold -o my-language.json --check
    """
    from divproj.core.errors import ProjError, Where
    from divproj.io.files import writing
    from divproj.projection import rulefile
    from divproj.projection.systems import RULED, Corrections

    options.one_of("--system", system, ("auto", *RULED))
    inputs = options.corpora(corpora, ignore_ids=ignore_ids, strict=strict)
    pairs = [pair for corpus in inputs for pair in common.gold_pairs(corpus)]
    if not pairs:
        raise ProjError("no usable sentence pair to learn from", Where(inputs[0].path))
    about = {
        "corpora": [corpus.name for corpus in inputs],
        "signature": common.signature(cmd="learn", input="+".join(c.digests[-1] for c in inputs)),
    }
    rules = Corrections.learn(pairs, system, about=about)
    if check and not _better(pairs, rules.system):
        return
    with writing(output) as out:
        rulefile.dump(rules, out)
    if str(output) != "-":
        talk.say(f"Rules for {rules.system}, learned from {plural(len(pairs), 'pair')}, written to {output}")


@options.command
def calibrate(
    *,
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Sentence pairs with gold trees of F: a corpus, or CoNLL-U.")],
    output: Annotated[Path, options.output("FILE", "The calibration to write; - is stdout.")] = Path("-"),
    how: Annotated[ProjectOptions, "system rules model"],
) -> None:
    """Fit the confidences of a system to your own gold trees, so that heads called 80 % probable are right 80 % of the time.

    Three maps are compared in folds of sentences: the shipped one, the shipped one with another shift and slope, and a new one; the
    likeliest is written. A system that learns from gold trees is trained on the other folds.

    Example: proj calibrate gold.conllu --system s6 -o my.calibration; proj project new.txt --system s6 --calibration my.calibration
    """
    from divproj.evaluation.experiment import calibration_map
    from divproj.io.corpus import read
    from divproj.projection import confidence
    from divproj.projection.projector import Projector

    projector, faults = Projector.of(how), common.faults_for(False)
    pairs = projector.gold_pairs(talk.progress(read(gold, faults=faults), "gold pairs"))
    talk.summary(faults)
    system = projector.choose_system(pairs).code if not projector.needs_gold else projector.system
    choice = calibration_map(pairs, system, None if projector.needs_gold else projector)
    sign = common.signature(cmd="calibrate", system=system, kind=choice.kind)
    confidence.save({system: choice.calibration}, output, {"made by": sign, "gold": Path(gold).name})
    errors = ", ".join(f"{name} {100 * error:.1f}" for name, error in choice.errors.items())
    talk.say(
        f"{system}: {plural(choice.words, 'word')}, {100 * choice.right:.1f} % of the heads right; calibration error in points: {errors}"
    )
    kinds = ", ".join(f"{name} {value:.4f}" for name, value in choice.likelihoods.items())
    talk.say(f"log likelihood a word in folds: {kinds}; the {choice.kind} map was taken")
    if str(output) != "-":
        talk.say(f"calibration: {output}. To use it: proj project --system {system} --calibration {output}")


def _better(pairs: list[Pair], system: str) -> bool:
    """Return whether rules for a system make better trees, and report the comparison."""
    from divproj.review.learning import check_rules
    from divproj.runtime.announce import stage

    with stage("checking rules") as under_way:

        def tell(message: str, done: int, total: int) -> None:
            under_way.name, under_way.done, under_way.total = message, done, total

        verdict = check_rules(pairs, system, tell)
    talk.say(f"Rules for {system}: {verdict.explanation}" if verdict.better else f"No rules written: {verdict.explanation}")
    return verdict.better


@rules_app.command("show")
def show(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A rule file, or the name of a shipped set.")],
    min_count: Annotated[int, typer.Option(min=1, help="Hide findings with fewer cases.")] = 2,
    weights: Annotated[
        bool, typer.Option("--weights", help="Also show the strongest weights of the model behind s2+ or s6+.")
    ] = False,
) -> None:
    """Show rules in words, with counts and examples.

    Example: proj rules show deu
    """
    from divproj.projection.pipeline import corrections
    from divproj.projection.rulefile import say

    for line in say(corrections(path), min_count=min_count, weights=weights):
        common.note(line)
