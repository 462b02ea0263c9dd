"""`proj align`: phrase pairs on parse trees; `proj align train`: weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divproj.core.errors import plural
from divproj.core.options import AlignOptions, AlignTrainOptions
from proj_cli import common, options
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.phrases.aligner import PhraseAligner
    from divproj.phrases.em import EmState
    from divproj.phrases.reading import ForestPairs
    from divproj.phrases.results import PhraseAlignment


class Align(options.Group):
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


Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="Trees: Penn brackets, Enju or TIGER-XML, CoNLL-U, forests; or a corpus folder, or JSON lines of pairs.",
    ),
]
Target = Annotated[str | None, typer.Argument(metavar="[TARGET]", help="Trees of the other side, in the same order.")]


def _read(
    source: str, target: str | None, how: AlignOptions, strict: bool, ignore_ids: bool, paper: bool = False
) -> ForestPairs:
    """The pairs of trees that are to be aligned. The paper's method has no encoder."""
    from divproj.phrases import wordnet
    from divproj.phrases.reading import read_pairs

    if source == target == "-":
        raise typer.BadParameter("only one side can be stdin (-)")
    pairs = read_pairs(source, target, how, common.faults_for(strict), same_ids=not ignore_ids, with_encoder=not paper)
    if pairs.lexicon.wordnet is None and pairs.lexicon.english:
        talk.say(f"proj: no WordNet found, so synonyms are not candidates; {wordnet.REMEDY}")
    return pairs


def _aligner(
    pairs: ForestPairs, how: AlignOptions, model: Path | None = None, paper: bool = False, **chosen: Any
) -> PhraseAligner:
    """The aligner, or a saved one, with the settings that were requested."""
    from divproj.core.options import parse_settings
    from divproj.phrases.aligner import PAPER, PhraseAligner

    relation = pairs.lexicon.relation
    aligner = PhraseAligner.load(model, relation) if model else PhraseAligner(relation=relation)
    known = {name: value for name, value in aligner.get_params().items() if name != "relation"}
    letter = PAPER if paper else {}
    return aligner.set_params(**{**chosen, **letter, **options.usage("", parse_settings, known, how.settings)})


@app.command("pairs", short_help="(the default) align the phrases of two parsed texts")
@options.command
def pairs(
    *,
    source: Source,
    target: Target = None,
    how: AlignOptions,
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
    paper: options.Paper = False,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
    jobs: options.Place = "1",
) -> None:
    """Align the phrases of two parsed texts, sentence by sentence.

    Example: proj align old.mrg new.mrg -o pairs.jsonl --html pairs.html
    """
    from contextlib import ExitStack

    from divproj.core.errors import AlignmentError, Where
    from divproj.io.files import writing
    from divproj.phrases.reading import align_forests, plan_of

    if corpus:
        from divproj.projection.phrasal.evidence import check_new_corpus

        check_new_corpus(corpus)
    given = _read(source, target, how, strict, ignore_ids, paper)
    aligner = _aligner(given, how, model, paper)
    sign = common.signature(cmd="align", **aligner.signature_facts, **given.signature_facts, input=given.digest)
    counts = {"pairs": 0, "unreachable": 0, "truncated": 0}
    with ExitStack() as stack:
        out = stack.enter_context(writing(output))
        plan = plan_of(aligner, given, model, how.wordnet, how.candidates, how.embeddings, how.threshold)
        alignments = align_forests(plan, given, options.workers(jobs), talk.caution)
        written_alignments = _write_each(alignments, out, text, sign, counts)
        if corpus:
            written_alignments = iter(_write_tree_corpus(written_alignments, corpus))
        if html:
            from divproj.drawing.phrases import write_alignments

            page = stack.enter_context(writing(html))
            write_alignments(written_alignments, page, title=f"Phrases of {Path(source).name}", signature=sign)
        for _ in written_alignments:
            pass
        talk.summary(given.faults)
        if not counts["pairs"]:
            raise AlignmentError("no usable pair of trees", Where(source), "the warnings above say why")
    details = f"{counts['unreachable']} without a reachable root, {counts['truncated']} cut short"
    talk.say(f"{plural(counts['pairs'], 'pair')} aligned, {details}")
    given.finish()


def _write_each(
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


def _write_tree_corpus(alignments: Iterable[PhraseAlignment], corpus: Path) -> list[PhraseAlignment]:
    """Write the trees of alignments to a corpus folder, and return the alignments."""
    from divproj.projection.phrasal.evidence import tree_pair, write_corpus

    rows = list(alignments)
    talk.say(f"corpus of {write_corpus(map(tree_pair, rows), corpus)} tree pairs: {corpus}")
    return rows


@app.command("train", short_help="learn weights from parsed pairs, without gold")
@options.command
def train(
    *,
    source: Source,
    target: Target = None,
    how: AlignOptions,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model.")] = MODEL,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted training from its checkpoint.")] = False,
    learning: AlignTrainOptions,
    paper: options.Paper = False,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
) -> None:
    """Learn weights by feature-enhanced EM from parsed pairs; no gold is needed.

    A checkpoint is kept beside MODEL; after Ctrl-C, --resume continues from there, with the same result.

    Example: proj align train a.mrg b.mrg -o model; proj align a.mrg b.mrg --model model
    """
    from shutil import rmtree

    from divproj.runtime.modelfile import check_place

    check_place(output)
    given = _read(source, target, how, strict, ignore_ids, paper)
    aligner = _aligner(given, how, paper=paper, epochs=learning.epochs, random_state=learning.seed)
    rows = list(talk.progress(given.pairs(), "pairs"))
    talk.summary(given.faults)
    given.need(rows)
    forests, links = [(s, t) for s, t, _ in rows], [links for _, _, links in rows]
    beside = output.with_name(output.name + ".checkpoint")
    aligner.fit(forests, links, watch=_watch, checkpoint=beside, resume=resume, on_message=talk.caution)
    aligner.save(output)
    rmtree(beside, ignore_errors=True)
    talk.say(f"model: {output} ({plural(len(forests), 'pair')}, {plural(len(aligner.history_), 'epoch')})")
    given.finish()


def _watch(state: EmState) -> None:
    if not state.batch:
        talk.say(f"epoch {state.epoch}: mean log α {state.history[-1]:.3f}")
