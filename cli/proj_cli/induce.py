"""`proj induce`: grammars from bitext or tagged text alone; `proj induce parse`: brackets for new sentences."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from divproj.core.errors import plural
from divproj.core.options import InduceOptions
from proj_cli import common, options
from proj_cli.common import talk


class Induce(options.Group):
    """`proj induce CORPUS` is short for `proj induce train CORPUS`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["train", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Induce,
    help="Find grammars from bitext alone: binary trees of both languages, from tags and links.\n\n"
    "Example: proj induce my-corpus -o model; proj induce parse text.conllu --model model",
    no_args_is_help=True,
)


@app.command("train", short_help="(the default) learn from a corpus folder, or from CoNLL-U of one language")
@options.command
def train(
    *,
    source: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="Folder with f.conllu, e.conllu, align.txt; or one language: CoNLL-U, Penn or TIGER trees."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model and its checkpoints.")],
    how: InduceOptions,
    jobs: options.Place = "1",
    keep: options.CheckpointOptions,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
) -> None:
    """Learn binary trees of both languages of a bitext (or of one language) from tags and word links.

    Ctrl-C keeps the last sweep; --resume continues from there, with the same result.

    Example: proj induce my-corpus -o model --sweeps 100 --chains 4 -j 2
    """
    from divproj.induction.reading import sentences, tag_pairs
    from divproj.induction.training import CHAINS, Induction, sampler_settings

    lengths = _lengths(how.max_length)
    single = source == "-" or Path(source).is_file()
    settings = options.usage("", sampler_settings, how, single)
    faults, folders = common.faults_for(strict), _folders(output, lengths)
    run = Induction(settings, how.tags, keep, options.workers(jobs), talk.say, _SweepReport(), common.signature)
    if single:
        text = [s.tags for s in sentences(source, faults, how.tags)]
        talk.summary(faults)
        for length, folder in folders.items():
            run.one_language(text, source, folder, length)
        return
    pairs = tag_pairs(
        source, faults, tags=how.tags, links=how.links, more=how.more_links, min_prob=how.min_prob, ignore_ids=ignore_ids
    )
    talk.summary(faults)
    for length, folder in folders.items():
        if not run.two_languages(pairs, folder, length, how.chains or (1 if how.paper else CHAINS), _links_name(how)):
            talk.say("proj: stopped; what the last sweep found is kept, --resume goes on from there")
            raise typer.Exit(130)


def _links_name(how: InduceOptions) -> str:
    """Where links come from, for the signature."""
    return "both" if how.more_links else "words" if how.links == "auto" else "file" if how.links else "corpus"


class _SweepReport:
    """Prints what a sweep found every half minute, where there is no progress bar."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, said: str) -> None:
        if not talk.bar and not talk.quiet and (talk.verbose or time.monotonic() - self.last > 30):
            self.last = time.monotonic()
            talk.say(said)


def _lengths(text: str) -> list[int]:
    from divproj.induction.inducer import LONGEST

    try:
        lengths = [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--max-length {text}: numbers with commas expected, such as 10,20,30") from None
    if not all(1 <= length <= LONGEST for length in lengths):
        raise typer.BadParameter(
            f"--max-length {text}: from 1 to {LONGEST} words; one sweep over longer pairs would take too long"
        )
    return lengths


def _folders(output: Path, lengths: list[int]) -> dict[int, Path]:
    """Where the model of each length goes; asked before long work."""
    from divproj.induction.training import BESIDE
    from divproj.runtime.modelfile import check_place

    return {n: check_place(output / str(n) if len(lengths) > 1 else output, BESIDE) for n in lengths}


@app.command("parse")
@options.command
def parse(
    *,
    source: Annotated[str, typer.Argument(metavar="TEXT", help="CoNLL-U with tags (- is stdin), Penn or TIGER trees.")],
    model: Annotated[Path, typer.Option("--model", metavar="MODEL", help="A model made by `proj induce`.")],
    output: Annotated[Path, options.output("FILE", "Output file; - is stdout.")] = Path("-"),
    side: Annotated[str, typer.Option(help="Which language of the training corpus: f or e.")] = "f",
    forest: Annotated[
        bool, typer.Option("--forest", help="Write the whole chart as packed forests with probabilities (JSON lines).")
    ] = False,
    prune: Annotated[float, typer.Option(min=0, max=1, help="With --forest: leave out edges that are less probable.")] = 0.001,
    decode: Annotated[
        str, typer.Option(help="viterbi (as in the paper), mbr (most expected brackets), or auto (mbr for several chains).")
    ] = "auto",
    tags: Annotated[str | None, typer.Option("--tags", help="Tags: upos, xpos or auto.  \\[default: as the model]")] = None,
    strict: options.Strict = False,
) -> None:
    """Bracket new sentences of one language.

    Example: proj induce parse text.conllu --model model --side f -o trees.txt
    """
    from divproj.induction.reading import forest_of, phrase_tree
    from divproj.induction.training import grammar_for
    from divproj.io.files import writing
    from divproj.io.trees import brackets
    from divproj.io.trees import forest as forest_file

    faults = common.faults_for(strict)
    grammar, text = grammar_for(model, side, source, tags, faults, talk.caution)
    with writing(output) as out:
        if forest:
            charts = zip(text, grammar.charts([s.tags for s in text]), strict=True)
            forest_file.dump((forest_of(s, chart, prune) for s, chart in charts), out)
        else:
            for sentence, tree in zip(text, grammar.parse([s.tags for s in text], decode), strict=True):
                out.write(brackets.dumps(phrase_tree(sentence, tree)).rstrip("\n") + "\n")
    talk.summary(faults)
    if str(output) != "-":
        talk.say(f"{plural(len(text), 'sentence')} parsed: {output}")
