"""`proj induce`: grammars from bitext or tagged text alone; `proj induce parse`: brackets for new sentences."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from divproj.data.wording import plural
from proj_cli import common, options
from proj_cli.common import talk


class Induce(TyperGroup):
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
CHAINS = 4
"""Chains of a bilingual model: their posteriors are averaged."""
Tags = Annotated[str, typer.Option("--tags", help="upos, xpos, auto, or projected (tags of linked E words).")]


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
    sweeps: Annotated[int, typer.Option(min=1, help="Number of sweeps of the sampler.")] = 100,
    chains: Annotated[
        int | None,
        typer.Option(min=1, help="Number of chains; their posteriors are averaged.  \\[default: 4, --paper 1]"),
    ] = None,
    max_length: Annotated[
        str, typer.Option("--max-length", metavar="10,20,30", help="Longest sentences to learn from; one model per value.")
    ] = "40",
    tags: Tags = "auto",
    links: Annotated[
        str | None, typer.Option("--links", metavar="FILE", help="Links instead of align.txt; auto makes them.")
    ] = None,
    more_links: Annotated[bool, typer.Option("--more-links", help="Add links for words that have none.")] = False,
    min_prob: Annotated[float, typer.Option("--min-prob", min=0, max=1, help="Lowest probability of links made here.")] = 0.5,
    soft: Annotated[bool, typer.Option("--soft", help="Weight links made here by their probabilities.")] = False,
    moves: Annotated[str, typer.Option(help="How trees are proposed: pair (as in the paper), single, both, guided.")] = "both",
    mode: Annotated[str, typer.Option(help="Sum over alignment trees, or over matchings.")] = "trees",
    method: Annotated[str, typer.Option(help="For one language: gibbs or em.")] = "gibbs",
    prior: Annotated[str, typer.Option(metavar="C,D", help="Pseudo-counts per type: constituents, distituents.")] = "2,20",
    empty: Annotated[bool, typer.Option("--empty/--no-empty", help="Whether empty spans count as distituents.")] = False,
    contradiction: Annotated[
        float, typer.Option(min=0, help="Log weight against phrases that links contradict (bitext only).")
    ] = 6.0,
    edges: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Weight against phrases with first or last tags that sentences seldom have there.  \\[default: 0.75 for bitext, else 0]",
        ),
    ] = None,
    strength: Annotated[float, typer.Option(min=0, max=1, help="Power of the factor that ties the two trees together.")] = 0.1,
    start: Annotated[
        str, typer.Option(help="First trees: short (short sentences first), uniform, or auto (short for bitext).")
    ] = "auto",
    restarts: Annotated[int, typer.Option(min=1, help="Number of short runs; the best one is continued.")] = 6,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="The published model (Snyder et al.): --prior 2,8 --empty --contradiction 0 --edges 0 --strength 1 --start uniform --restarts 1 --average 0 --alone 0 --chains 1.",
        ),
    ] = False,
    average: Annotated[float, typer.Option(min=0, max=1, help="Share of the sweeps to average; 0: the last one.")] = 0.5,
    alone: Annotated[
        float, typer.Option(min=0, max=0.99, help="Weight of a model of each language alone in the average (bitext only).")
    ] = 0.25,
    seed: Annotated[int, options.seed()] = 1,
    jobs: options.Jobs = 1,
    scheduler: options.Scheduler = None,
    keep: options.Keep,
    ignore_ids: options.IgnoreIds = False,
    strict: options.Strict = False,
) -> None:
    """Learn binary trees of both languages of a bitext (or of one language) from tags and word links.

    Ctrl-C keeps the last sweep; --resume continues from there, with the same result.

    Example: proj induce my-corpus -o model --sweeps 100 --chains 4 -j 2
    """
    from divproj.induction.reading import sentences, tag_pairs
    from divproj.induction.settings import EDGE_CUE
    from divproj.induction.training import Induction
    from divproj.runtime.engine import Place

    if paper:
        prior, empty, contradiction, edges, strength, average = "2,8", True, 0.0, 0.0, 1.0, 0.0
        start, restarts, alone, chains = "uniform", 1, 0.0, chains or 1
    lengths, pseudo = _lengths(max_length), _prior(prior)
    single = source == "-" or Path(source).is_file()
    if start == "auto":
        start = "uniform" if single else "short"
    if edges is None:
        edges = 0.0 if single else EDGE_CUE
    settings: dict[str, Any] = {
        "sweeps": sweeps, "constituent": pseudo[0], "distituent": pseudo[1], "count_empty": empty, "average": average,
        "random_state": seed, "start": start, "restarts": restarts, "edges": edges,
    }  # fmt: skip
    faults, folders = common.faults_for(strict), _folders(output, lengths)
    run = Induction(settings, tags, keep, Place(jobs, scheduler), talk.say, _Said(), common.signature)
    if single:
        text = [s.tags for s in sentences(source, faults, tags)]
        talk.summary(faults)
        for length, folder in folders.items():
            run.one_language(text, source, folder, length, method)
        return
    pairs = tag_pairs(
        source, faults, tags=tags, links=links, more=more_links, min_prob=min_prob, soft=soft, ignore_ids=ignore_ids
    )
    talk.summary(faults)
    linked = "both" if more_links else "words" if links == "auto" else "file" if links else "corpus"
    about = {
        "cmd": "induce", "links": linked, "tags": tags, "moves": moves, "mode": mode, "prior": prior, "empty": "yes" if empty else "no",
        "contradiction": contradiction, "edges": edges, "strength": strength, "start": start, "restarts": restarts, "alone": alone, "seed": seed,
    }  # fmt: skip
    more = {"moves": moves, "mode": mode, "contradiction": contradiction, "strength": strength, "alone": alone}
    more["anneal"] = 0.0 if paper else 0.25
    for length, folder in folders.items():
        if not run.two_languages(pairs, folder, length, chains or CHAINS, more, about):
            talk.say("proj: stopped; what the last sweep found is kept, --resume goes on from there")
            raise typer.Exit(130)


class _Said:
    """Where there is no progress bar, what a sweep found, every half minute."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, said: str) -> None:
        if not talk.bar and not talk.quiet and (talk.verbose or time.monotonic() - self.last > 30):
            self.last = time.monotonic()
            talk.say(said)


def _lengths(text: str) -> list[int]:
    from divproj.induction.inducer import LONGEST

    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--max-length {text}: numbers with commas expected, such as 10,20,30") from None
    if not all(1 <= length <= LONGEST for length in found):
        raise typer.BadParameter(
            f"--max-length {text}: from 1 to {LONGEST} words; one sweep over longer pairs would take too long"
        )
    return found


def _folders(output: Path, lengths: list[int]) -> dict[int, Path]:
    """Where the model of each length goes; asked before long work."""
    from divproj.induction.modelfile import BESIDE
    from divproj.runtime.modelfile import check_place

    return {n: check_place(output / str(n) if len(lengths) > 1 else output, BESIDE) for n in lengths}


def _prior(text: str) -> tuple[float, float]:
    try:
        c, d = (float(part) for part in text.split(","))
    except ValueError:
        c = d = 0.0
    if not (0 < c < 1e9 and 0 < d < 1e9):
        raise typer.BadParameter(f"--prior {text}: two positive numbers expected, such as 2,8")
    return c, d


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
    from divproj.induction.output import forest_of, phrase_tree
    from divproj.induction.training import grammar_for
    from divproj.io import brackets
    from divproj.io import forest as forest_file
    from divproj.io.files import writing

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
