"""`proj align`: phrase pairs on parse trees; `proj align train`: weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from divproj.data.wording import plural
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.phrases.aligner import PhraseAligner
    from divproj.phrases.em import State
    from divproj.phrases.reading import ForestPairs
    from divproj.phrases.results import PhraseAlignment


class Align(TyperGroup):
    """`proj align SOURCE TARGET` is short for `proj align pairs SOURCE TARGET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["pairs", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Align,
    help="Align the phrases of two parsed texts: translations or paraphrases.\n\n"
    "Example: proj align old.mrg new.mrg -o pairs.jsonl --html pairs.html",
    no_args_is_help=True,
)
MODEL = Path("phrases-model")


@dataclass
class PhraseInput:
    """What is aligned, what makes words of the two sides candidates for each other, and the costs."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Trees: Penn brackets, Enju or TIGER-XML, CoNLL-U, forests; or a corpus folder, or JSON lines of pairs.",
        ),
    ]
    target: Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Trees of the other side, in the same order.")] = None
    links: Annotated[
        str | None,
        typer.Option(
            "--links",
            metavar="FILE",
            help="Word links in Pharaoh format, one line per pair; auto makes them, as `proj words` does.",
        ),
    ] = None
    lexical: Annotated[
        bool | None,
        typer.Option("--lexical/--no-lexical", help="Find candidates by form, lemma and WordNet; the default without --links."),
    ] = None
    wordnet: Annotated[
        Path | None,
        typer.Option("--wordnet", metavar="DIR", help="Folder with WordNet's files, if not in a usual place."),
    ] = None
    candidates: Annotated[Path | None, typer.Option("--candidates", metavar="TSV", help="Your own word pairs.")] = None
    embeddings: Annotated[
        str | None,
        typer.Option(
            "--embeddings",
            metavar="FILE",
            help="Word vectors: .npz, word2vec text, none, or en (shipped; the default for English).",
        ),
    ] = None
    threshold: Annotated[float, typer.Option("--threshold", min=0, max=1, help="Lowest cosine of candidates.")] = 0.8
    languages: Annotated[str, typer.Option("--languages", metavar="S-T", help="Languages of the two sides, such as de-en.")] = (
        "en-en"
    )
    tree_format: Annotated[
        str | None, typer.Option("--tree-format", help="brackets, enju, tiger, conllu or json; by default recognised.")
    ] = None
    binarise: Annotated[
        str, typer.Option("--binarise", help="How to binarise flat phrases: all (a forest), head, left or right.")
    ] = "all"
    punctuation: Annotated[str, typer.Option("--punctuation", help="keep, final (leave out the last mark) or drop.")] = "keep"
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A cost or setting: null_cost, pair_cost, noncomp_cost, word_cost, parse_share, gap …",
        ),
    ] = None
    ignore_ids: options.IgnoreIds = False
    strict: options.Strict = False

    def read(self) -> ForestPairs:
        """What the options say is to be aligned; usage errors where they cannot be right."""
        from divproj.forest.build import BINARISATIONS
        from divproj.io.forests import FORMATS, Options
        from divproj.phrases import wordnet as wordnets
        from divproj.phrases.reading import ForestPairs, forest_files, lexicon

        options.one_of("--binarise", self.binarise, BINARISATIONS)
        options.one_of("--punctuation", self.punctuation, ("keep", "final", "drop"))
        options.one_of("--tree-format", self.tree_format or "brackets", FORMATS)
        if self.source == self.target == "-":
            raise typer.BadParameter("only one side can be stdin (-)")
        one, dash, two = self.languages.lower().partition("-")
        if not dash or not one or not two:
            raise typer.BadParameter(f"--languages {self.languages}: two languages such as de-en expected")
        faults = common.faults_for(self.strict)
        source, target, links = forest_files(self.source, self.target, self.links)
        found = lexicon((one, two), self.wordnet, self.candidates, self.embeddings, self.threshold, faults)
        if found.wordnet is None and (one, two) == ("en", "en"):
            talk.say(f"proj: no WordNet found, so synonyms are not candidates; {wordnets.REMEDY}")
        use = links is None if self.lexical is None else self.lexical
        how = Options(self.binarise, punctuation=self.punctuation)
        return ForestPairs(source, target, found, use, links, how, self.tree_format, faults, not self.ignore_ids)

    def aligner(self, given: ForestPairs, model: Path | None = None, **chosen: Any) -> PhraseAligner:
        """The aligner, or a saved one, with the settings that were asked for."""
        from divproj.phrases.tune import parsed_settings

        from divproj.phrases.aligner import PhraseAligner

        relation = given.lexicon.relation
        made = PhraseAligner.load(model, relation) if model else PhraseAligner(relation=relation)
        chosen |= options.usage("--set ", parsed_settings, made, self.settings or ())
        return made.set_params(**chosen)

    def rows(self, given: ForestPairs) -> tuple[list[Any], list[Any]]:
        """All pairs of forests, and their links."""
        rows = list(talk.progress(given.pairs(), "pairs"))
        talk.summary(given.faults)
        given.need(rows)
        return [(s, t) for s, t, _ in rows], [links for _, _, links in rows]


@app.command("pairs", short_help="(the default) align the phrases of two parsed texts")
@options.command
def pairs(
    *,
    wanted: PhraseInput,
    output: Annotated[Path, options.output("FILE", "JSON lines; - is stdout.")] = Path("-"),
    text: Annotated[bool, typer.Option("--text", help="Write phrases as text, with --- where there is no partner.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page that shows the phrase pairs.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help="Write chosen trees and links as a corpus folder."),
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", metavar="DIR", help="A model from `proj align train`.")] = None,
    noncomp: Annotated[
        str | None, typer.Option(help="Non-compositional pairs: climb, trace (the paper's, slow) or off.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="Search: chart (exact) or packs (Algorithm B.1, with a beam).")] = None,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=0, help="Time limit for one pair; then the best so far is taken.")
    ] = 10.0,
    jobs: options.Jobs = 1,
    scheduler: options.Scheduler = None,
) -> None:
    """Align the phrases of two parsed texts, sentence by sentence.

    Example: proj align old.mrg new.mrg -o pairs.jsonl --html pairs.html
    """
    from contextlib import ExitStack

    from divproj.data.errors import AlignmentError, Where
    from divproj.io.files import writing
    from divproj.phrases.batch import align_forests, plan_of
    from divproj.runtime.engine import Place

    given = wanted.read()
    chosen = {"noncomp": noncomp, "search": search, "max_seconds": max_seconds}
    aligner = wanted.aligner(given, model, **{name: value for name, value in chosen.items() if value is not None})
    sign = common.signature(cmd="align", **aligner.described, input=given.digest)
    counts = {"pairs": 0, "unreachable": 0, "truncated": 0}
    with ExitStack() as stack:
        out = stack.enter_context(writing(output))
        plan = plan_of(aligner, given, model, wanted.wordnet, wanted.candidates, wanted.embeddings, wanted.threshold)
        found = align_forests(plan, given, Place(jobs, scheduler), talk.caution)
        made = _written(found, out, text, sign, counts)
        if corpus:
            made = iter(_kept(made, corpus))
        if html:
            from divproj.drawing.phrases import write_alignments

            page = stack.enter_context(writing(html))
            write_alignments(made, page, title=f"Phrases of {Path(wanted.source).name}", signature=sign)
        for _ in made:
            pass
        talk.summary(given.faults)
        if not counts["pairs"]:
            raise AlignmentError("no usable pair of trees", Where(wanted.source), "the warnings above say why")
    told = f"{counts['unreachable']} without a reachable root, {counts['truncated']} cut short"
    talk.say(f"{plural(counts['pairs'], 'pair')} aligned, {told}")
    given.finish()


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


@app.command("train", short_help="learn weights from parsed pairs, without gold")
@options.command
def train(
    *,
    wanted: PhraseInput,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model.")] = MODEL,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted training from its checkpoint.")] = False,
    em: Annotated[str, typer.Option("--em", help="Kind of EM: viterbi or soft.")] = "viterbi",
    epochs: Annotated[int, typer.Option(min=0, help="Number of passes over the pairs.")] = 6,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Number of pairs in a mini-batch.")] = 200,
    seed: Annotated[int, options.seed()] = 1,
) -> None:
    """Learn weights by feature-enhanced EM from parsed pairs; no gold is needed.

    A checkpoint is kept beside MODEL; after Ctrl-C, --resume continues from there, with the same result.

    Example: proj align train a.mrg b.mrg -o model; proj align a.mrg b.mrg --model model
    """
    from shutil import rmtree

    from divproj.runtime.modelfile import check_place

    check_place(output)
    given = wanted.read()
    aligner = wanted.aligner(given, em=em, epochs=epochs, batch_size=batch, random_state=seed)
    forests, links = wanted.rows(given)
    beside = output.with_name(output.name + ".checkpoint")
    aligner.fit(forests, links, watch=_watch, checkpoint=beside, resume=resume)
    aligner.save(output)
    rmtree(beside, ignore_errors=True)
    talk.say(f"model: {output} ({plural(len(forests), 'pair')}, {plural(len(aligner.history_), 'epoch')})")
    given.finish()


def _watch(state: State) -> None:
    if not state.batch:
        talk.say(f"epoch {state.epoch}: mean log α {state.history[-1]:.3f}")
