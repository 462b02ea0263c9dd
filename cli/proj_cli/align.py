"""`proj align`: phrase pairs on parse trees; `proj align train` and `proj align tune`: weights and costs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from divproj.data.wording import plural
from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.data.errors import Faults
    from divproj.phrases.aligner import PhraseAligner
    from divproj.phrases.batch import PhrasePlan
    from divproj.phrases.em import State
    from divproj.phrases.reading import ForestPairs
    from divproj.phrases.results import PhraseAlignment
    from divproj.phrases.tune import Trial

BATCH = 20
"""Pairs that are aligned at a time."""


class Align(TyperGroup):
    """`proj align SOURCE TARGET` is short for `proj align pairs SOURCE TARGET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["pairs", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Align,
    help="Nested phrase pairs of two parsed texts, paraphrases or translations.\n\n"
    "Example: proj align old.mrg new.mrg -o pairs.jsonl --html pairs.html",
    no_args_is_help=True,
)
Source = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="Trees: Penn brackets, Enju or TIGER-XML, CoNLL-U, forests; or JSON lines of pairs."),
]
Target = Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Trees of the other side, in the same order.")]
Format = Annotated[str | None, typer.Option("--format", help="brackets, enju, tiger, conllu or json; guessed when not given.")]
Binarise = Annotated[str, typer.Option("--binarise", help="Flat phrases: all (a forest of all ways), head, left or right.")]
Punctuation = Annotated[str, typer.Option("--punctuation", help="keep, final (without the last mark) or drop.")]
Words = Annotated[
    str | None,
    typer.Option(
        "--links",
        metavar="FILE",
        help="Word links in Pharaoh form, one line per pair; auto: made here, as by `proj words`.",
    ),
]
OldWords = Annotated[str | None, typer.Option("--words", hidden=True)]
Lexical = Annotated[
    bool | None, typer.Option("--lexical/--no-lexical", help="Candidates by form, lemma and WordNet; default: without --links.")
]
WordNet = Annotated[
    Path | None,
    typer.Option("--wordnet", metavar="DIR", help="Folder of WordNet's files; else looked for where it usually is."),
]
Table = Annotated[Path | None, typer.Option("--candidates", metavar="TSV", help="Word pairs, two columns.")]
Vectors = Annotated[
    str | None,
    typer.Option(
        "--embeddings", metavar="FILE", help="Word vectors: .npz, word2vec text, none, or `en`, ours, the default for English."
    ),
]
Threshold = Annotated[float, typer.Option("--threshold", min=0, max=1, help="Cosine from which words are candidates.")]
Languages = Annotated[str, typer.Option("--languages", metavar="S-T", help="Languages of the two sides, such as de-en.")]
Costs = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A cost or setting: null_cost, pair_cost, noncomp_cost, word_cost, parse_share, gap …",
    ),
]
MaxSeconds = Annotated[
    float, typer.Option("--max-seconds", min=0, help="Seconds for one pair; then the best found so far is taken.")
]


@app.command("pairs", short_help="(the default) align the phrases of two parsed texts")
def pairs(
    source: Source,
    target: Target = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="JSON lines; - is stdout.", allow_dash=True)
    ] = Path("-"),
    text: Annotated[
        bool, typer.Option("--text", help="Pairs of surface strings, --- for a phrase alone, a blank line a pair.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="A page in which a phrase lights its partner.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help="A corpus folder of the chosen trees and word links, for `proj analyze`."),
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", metavar="DIR", help="Weights and costs from train or tune.")] = None,
    words: Words = None,
    old_words: OldWords = None,
    lexical: Lexical = None,
    wordnet: WordNet = None,
    candidates: Table = None,
    embeddings: Vectors = None,
    threshold: Threshold = 0.8,
    languages: Languages = "en-en",
    file_format: Format = None,
    binarise: Binarise = "all",
    punctuation: Punctuation = "keep",
    noncomp: Annotated[
        str | None, typer.Option(help="Non-compositional pairs: climb, trace (the paper's, slow) or off.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="chart (exact) or packs (Algorithm B.1 with a beam).")] = None,
    settings: Costs = None,
    max_seconds: MaxSeconds = 10.0,
    strict: common.Strict = False,
    jobs: common.Jobs = 1,
    scheduler: common.Scheduler = None,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Align the phrases of two parsed texts, sentence by sentence.

    Example: proj align old.mrg new.mrg -o pairs.jsonl --html pairs.html
    """
    talk.set(quiet, verbose)
    from contextlib import ExitStack

    from divproj.io.files import writing

    given = _given(
        source, target, words=common.renamed(words, old_words, "--words --links"), lexical=lexical, wordnet=wordnet, table=candidates, vectors=embeddings, threshold=threshold,
        languages=languages, file_format=file_format, binarise=binarise, punctuation=punctuation, strict=strict,
    )  # fmt: skip
    chosen = {"noncomp": noncomp, "search": search, "max_seconds": max_seconds}
    aligner = _aligner(model, given, settings, {name: value for name, value in chosen.items() if value is not None})
    sign = common.signature(cmd="align", **_told(aligner), input=given.digest)
    counts = {"pairs": 0, "unreachable": 0, "truncated": 0}
    with ExitStack() as stack:
        out = stack.enter_context(writing(output))
        how = _how(aligner, given, model, wordnet, candidates, embeddings, threshold)
        made = _written(_aligned(how, given, jobs, scheduler), out, text, sign, counts)
        if corpus:
            made = iter(_kept(made, corpus))
        if html:
            from divproj.drawing.phrases import write_alignments

            page = stack.enter_context(writing(html))
            write_alignments(made, page, title=f"Phrases of {Path(source).name}", signature=sign)
        else:
            for _ in made:
                pass
    talk.summary(given.faults)
    talk.say(
        f"{plural(counts['pairs'], 'pair')} aligned, {counts['unreachable']} without a reachable root, {counts['truncated']} cut short"
    )
    given.finish()


def _given(
    source: str, target: str | None, *, words: str | None, lexical: bool | None, wordnet: Path | None, table: Path | None,
    vectors: str | None, threshold: float, languages: str, file_format: str | None, binarise: str, punctuation: str, strict: bool,
) -> ForestPairs:  # fmt: skip
    """What the options say is to be aligned; usage errors where they cannot be right."""
    from divproj.forest.build import BINARISATIONS
    from divproj.io.forests import FORMATS, Options
    from divproj.phrases import wordnet as wordnets
    from divproj.phrases.reading import ForestPairs, lexicon

    for name, value, known in (
        ("--binarise", binarise, BINARISATIONS),
        ("--punctuation", punctuation, ("keep", "final", "drop")),
        ("--format", file_format or "brackets", FORMATS),
    ):
        if value not in known:
            raise typer.BadParameter(f"{name} {value}: one of {', '.join(known)} expected")
    if source == target == "-":
        raise typer.BadParameter("only one side can be stdin (-)")
    one, dash, two = languages.lower().partition("-")
    if not dash or not one or not two:
        raise typer.BadParameter(f"--languages {languages}: two languages such as de-en expected")
    faults = common.faults_for(strict)
    found = lexicon((one, two), wordnet, table, vectors, threshold, faults)
    if found.wordnet is None and (one, two) == ("en", "en"):
        talk.say(f"proj: no WordNet found, so synonyms are not candidates; {wordnets.REMEDY}")
    use = words is None if lexical is None else lexical
    return ForestPairs(source, target, found, use, words, Options(binarise, punctuation=punctuation), file_format, faults)


def _how(
    aligner: PhraseAligner, given: ForestPairs, model: Path | None, wordnet: Path | None, table: Path | None, vectors: str | None,
    threshold: float,
) -> PhrasePlan:  # fmt: skip
    """The aligner as told to workers; this process has it already."""
    from divproj.phrases.batch import PhrasePlan, phrase_aligners
    from divproj.runtime.engine import stamp

    params = tuple((name, value) for name, value in aligner.get_params().items() if name != "relation")
    files = [path.absolute() if path else None for path in (wordnet, table, model)]
    stamps = tuple(stamp(path) for path in (*files, vectors) if path and path not in ("en", "none"))
    how = PhrasePlan(given.lexicon.languages, files[0], files[1], vectors, threshold, files[2], params, stamps)
    phrase_aligners[how] = aligner
    return how


def _aligned(how: PhrasePlan, given: ForestPairs, jobs: int, scheduler: str | None) -> Iterator[PhraseAlignment]:
    from divproj.phrases.batch import aligned

    def read(faults: Faults) -> Iterator[list[Any]]:
        rows = replace(given, faults=faults)
        pairs = rows.pairs()
        while some := list(islice(pairs, BATCH)):
            yield some
        given.ends = rows.ends

    found = common.spread(partial(aligned, how), read, given.faults, jobs, scheduler)
    return chain.from_iterable(found)


def _written(
    alignments: Iterable[PhraseAlignment], out: Any, text: bool, sign: str, counts: dict[str, int]
) -> Iterator[PhraseAlignment]:
    for alignment in talk.progress(alignments, "pairs"):
        counts["pairs"] += 1
        counts["unreachable"] += not alignment.reachable
        counts["truncated"] += alignment.truncated
        if text:
            out.write(alignment.to_text() + "\n\n")
        else:
            out.write(json.dumps({**alignment.to_json(), "signature": sign}, ensure_ascii=False) + "\n")
        yield alignment


def _kept(alignments: Iterable[PhraseAlignment], corpus: Path) -> list[PhraseAlignment]:
    """The alignments, after their trees went to a corpus folder."""
    from divproj.projection.phrasal.paraphrases import tree_pair, write_corpus

    found = list(alignments)
    talk.say(f"corpus of {write_corpus(map(tree_pair, found), corpus)} tree pairs: {corpus}")
    return found


def _told(aligner: PhraseAligner) -> dict[str, Any]:
    names = ("search", "noncomp", "null_cost", "pair_cost", "noncomp_cost", "parse_share", "gap")
    words = {"word_cost": aligner.costs.word_cost}
    return {name: getattr(aligner, name) for name in names} | words | {"trained": "yes" if aligner.history_ else "no"}


def _aligner(model: Path | None, given: ForestPairs, settings: list[str] | None, chosen: dict[str, Any]) -> PhraseAligner:
    from divproj.phrases.aligner import PhraseAligner

    relation = given.lexicon.relation
    aligner = PhraseAligner.load(model, relation) if model else PhraseAligner(relation=relation)
    known = aligner.get_params()
    for text in settings or ():
        name, equals, value = text.partition("=")
        if not equals or name not in known or name == "relation":
            names = ", ".join(sorted(set(known) - {"relation"}))
            raise typer.BadParameter(f"--set {text}: NAME=VALUE expected with one of {names}")
        chosen[name] = _value(text, value, known[name])
    return aligner.set_params(**chosen)


def _value(text: str, value: str, now: Any) -> Any:
    try:
        if isinstance(now, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[value.lower()]
        return type(now)(value)
    except (ValueError, KeyError):
        raise typer.BadParameter(f"--set {text}: {type(now).__name__} expected") from None


@app.command("train", short_help="learn weights from parsed pairs, without gold")
def train(
    source: Source,
    target: Target = None,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model.")] = Path(
        "phrases-model"
    ),
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted training.")] = False,
    em: Annotated[str, typer.Option("--em", help="viterbi or soft.")] = "viterbi",
    epochs: Annotated[int, typer.Option(min=0, help="Passes over the pairs.")] = 6,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Pairs in a mini-batch.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 1,
    words: Words = None,
    old_words: OldWords = None,
    lexical: Lexical = None,
    wordnet: WordNet = None,
    candidates: Table = None,
    embeddings: Vectors = None,
    threshold: Threshold = 0.8,
    languages: Languages = "en-en",
    file_format: Format = None,
    binarise: Binarise = "all",
    punctuation: Punctuation = "keep",
    settings: Costs = None,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Learn weights by feature-enhanced EM from parsed pairs; no gold is needed.

    A checkpoint is kept beside MODEL; after Ctrl-C, --resume goes on from there to the same bytes.

    Example: proj align train a.mrg b.mrg -o model; proj align a.mrg b.mrg --model model
    """
    talk.set(quiet, verbose)
    from divproj.runtime.modelfile import check_place

    check_place(output)
    given = _given(
        source, target, words=common.renamed(words, old_words, "--words --links"), lexical=lexical, wordnet=wordnet, table=candidates, vectors=embeddings, threshold=threshold,
        languages=languages, file_format=file_format, binarise=binarise, punctuation=punctuation, strict=strict,
    )  # fmt: skip
    aligner = _aligner(None, given, settings, {"em": em, "epochs": epochs, "batch_size": batch, "random_state": seed})
    rows = list(talk.progress(given.pairs(), "pairs"))
    talk.summary(given.faults)
    given.need(rows)
    beside = output.with_name(output.name + ".checkpoint")
    aligner.fit([(s, t) for s, t, _ in rows], [links for _, _, links in rows], watch=_watch, checkpoint=beside, resume=resume)
    aligner.save(output)
    for file in sorted(beside.glob("*")):
        file.unlink()
    beside.rmdir()
    talk.say(f"model: {output} ({plural(len(rows), 'pair')}, {plural(len(aligner.history_), 'epoch')})")
    given.finish()


def _watch(state: State) -> None:
    if not state.batch:
        talk.say(f"epoch {state.epoch}: mean log α {state.history[-1]:.3f}")


@app.command("tune", short_help="find costs on pairs with gold phrase pairs")
def tune(
    source: Source,
    target: Target = None,
    gold: Annotated[
        Path | None,
        typer.Option("--gold", metavar="JSONL", help="Gold phrase pairs; not needed when SOURCE is JSON lines that have them."),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the tuned model.")] = Path(
        "phrases-model"
    ),
    model: Annotated[Path | None, typer.Option("--model", metavar="DIR", help="Weights to start from.")] = None,
    trials: Annotated[int, typer.Option(min=1, help="Settings tried.")] = 30,
    method: Annotated[str, typer.Option(help="bayes or random.")] = "bayes",
    over: Annotated[str, typer.Option(metavar="NAME=LOW:HIGH,…", help="What is searched, and within which bounds.")] = "",
    multiword: Annotated[bool, typer.Option("--multiword", help="Score pairs of several words alone.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Decides which settings are tried.")] = 1,
    words: Words = None,
    old_words: OldWords = None,
    lexical: Lexical = None,
    wordnet: WordNet = None,
    candidates: Table = None,
    embeddings: Vectors = None,
    threshold: Threshold = 0.8,
    languages: Languages = "en-en",
    file_format: Format = None,
    binarise: Binarise = "all",
    punctuation: Punctuation = "keep",
    settings: Costs = None,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Find the costs that do best on a development set, by Bayesian or random search.

    Example: proj align tune dev.jsonl --model model -o tuned --trials 30
    """
    talk.set(quiet, verbose)
    from divproj.evaluation.phrase_files import gold_rows, metric
    from divproj.phrases.tune import SPACE
    from divproj.phrases.tune import tune as search
    from divproj.runtime.modelfile import check_place

    check_place(output)
    given = _given(
        source, target, words=common.renamed(words, old_words, "--words --links"), lexical=lexical, wordnet=wordnet, table=candidates, vectors=embeddings, threshold=threshold,
        languages=languages, file_format=file_format, binarise=binarise, punctuation=punctuation, strict=strict,
    )  # fmt: skip
    aligner = _aligner(model, given, settings, {})
    rows = list(talk.progress(given.pairs(), "pairs"))
    talk.summary(given.faults)
    given.need(rows)
    score = metric(gold_rows(gold or Path(source)), given.places, "both" if multiword else "", str(gold or source))
    space = _space(over) or {name: bounds for name, bounds in SPACE.items() if name != "parse_share"}

    def told(trial: Trial) -> None:
        talk.say(f"{trial.value:.2f}  " + "  ".join(f"{name} {value:.3f}" for name, value in trial.params.items()))

    pairs_of, links_of = [(s, t) for s, t, _ in rows], [links for _, _, links in rows]
    best, done = search(aligner, pairs_of, links_of, score, space=space, trials=trials, method=method, seed=seed, watch=told)
    best.save(output)
    talk.say(f"model: {output}, F1 {max(trial.value for trial in done):.2f} (before: {done[0].value:.2f})")
    given.finish()


def _space(text: str) -> dict[str, tuple[float, float]]:
    made = {}
    for part in filter(None, text.split(",")):
        name, _, bounds = part.partition("=")
        low, colon, high = bounds.partition(":")
        try:
            if not colon:
                raise ValueError
            made[name.strip()] = (float(low), float(high))
        except ValueError:
            raise typer.BadParameter(f"--over {part}: NAME=LOW:HIGH expected") from None
    return made
