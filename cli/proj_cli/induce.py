"""`proj induce`: grammars from bitext or tagged text alone; `proj induce parse`: brackets for new sentences."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from divproj.data.wording import plural
from proj_cli import common
from proj_cli.common import talk

if TYPE_CHECKING:
    from divproj.induction.gold import TagPair
    from divproj.induction.modelfile import Model
    from divproj.runtime.engine import Place


class Induce(TyperGroup):
    """`proj induce CORPUS` is short for `proj induce train CORPUS`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["train", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=Induce,
    help="Grammars from bitext alone: binary trees over tags, of two languages at once.\n\n"
    "Example: proj induce my-corpus -o model; proj induce parse text.conllu --model model",
    no_args_is_help=True,
)
CHAINS = 4
"""Chains of a bilingual model: their posteriors are averaged."""
Tags = Annotated[str, typer.Option("--tags", help="upos, xpos, auto, or projected (F has the tags of linked E words).")]


@app.command("train", short_help="(the default) learn from a corpus folder, or from CoNLL-U of one language")
def train(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help="Folder with f.conllu, e.conllu, align.txt; or one language: CoNLL-U, Penn or TIGER trees."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="Folder for the model and its checkpoints.")],
    sweeps: Annotated[int, typer.Option(min=1, help="Sweeps of the sampler.")] = 100,
    chains: Annotated[
        int | None,
        typer.Option(
            min=1, help="Chains with seeds of their own; trees are those their mean expects.  \\[default: 4, --paper 1]"
        ),
    ] = None,
    max_length: Annotated[
        str, typer.Option("--max-length", metavar="10,20,30", help="Longest sentences learned from; several: a model each.")
    ] = "40",
    tags: Tags = "auto",
    links: Annotated[
        str, typer.Option("--links", help="corpus (align.txt), words (made here, as by `proj words`), or both.")
    ] = "corpus",
    min_prob: Annotated[
        float, typer.Option("--min-prob", min=0, max=1, help="With --links words: links less probable are left out.")
    ] = 0.5,
    soft: Annotated[bool, typer.Option("--soft", help="With --links words: links count with their probabilities.")] = False,
    moves: Annotated[str, typer.Option(help="How trees are proposed: pair (as in the paper), single, both, guided.")] = "both",
    mode: Annotated[str, typer.Option(help="What is summed over: trees or matchings.")] = "trees",
    method: Annotated[str, typer.Option(help="For one language: gibbs or em.")] = "gibbs",
    prior: Annotated[str, typer.Option(metavar="C,D", help="Pseudo-counts of constituents and distituents, a type.")] = "2,20",
    empty: Annotated[bool, typer.Option("--empty/--no-empty", help="Whether empty spans count as distituents.")] = False,
    contradiction: Annotated[
        float, typer.Option(min=0, help="Log weight against phrases that links contradict (bitext).")
    ] = 6.0,
    edges: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Weight against phrases that begin or end with tags which sentences do not.  \\[default: 0.75 for bitext, else 0]",
        ),
    ] = None,
    strength: Annotated[float, typer.Option(min=0, max=1, help="Power of what binds the two trees.")] = 0.1,
    start: Annotated[
        str, typer.Option(help="First trees: short (short sentences lead) or uniform splits; auto: short for bitext.")
    ] = "auto",
    restarts: Annotated[int, typer.Option(min=1, help="Begin with the best of so many starts.")] = 6,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Snyder et al.'s model: 2,8 --empty --contradiction 0 --edges 0 --strength 1 --start uniform --restarts 1 --average 0 --alone 0 --chains 1.",
        ),
    ] = False,
    average: Annotated[float, typer.Option(min=0, max=1, help="Share of the sweeps averaged at the end; 0: the last.")] = 0.5,
    alone: Annotated[
        float, typer.Option(min=0, max=0.99, help="Share of a model of each language alone in the mean of the chains (bitext).")
    ] = 0.25,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 1,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=0, help="Processes, a chain each; 0 is one per core.")] = 1,
    scheduler: common.Scheduler = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoints in MODEL.")] = False,
    checkpoint: Annotated[float, typer.Option(min=0, metavar="MINUTES", help="Between checkpoints.")] = 3.0,
    ignore_ids: common.IgnoreIds = False,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Learn binary trees of both languages of a bitext (or of one language) from tags and word links.

    Ctrl-C keeps the last sweep; --resume goes on from there to the same model.

    Example: proj induce my-corpus -o model --sweeps 100 --chains 4 -j 2
    """
    talk.set(quiet, verbose)
    from divproj.induction.span_weights import EDGES

    if paper:
        prior, empty, contradiction, edges, strength, average = "2,8", True, 0.0, 0.0, 1.0, 0.0
        start, restarts, alone, chains = "uniform", 1, 0.0, chains or 1
    lengths, pseudo = _lengths(max_length), _prior(prior)
    if links not in ("corpus", "words", "both"):
        raise typer.BadParameter(f"--links {links}: corpus, words or both expected")
    single = source == "-" or Path(source).is_file()
    if start == "auto":
        start = "uniform" if single else "short"
    if edges is None:
        edges = 0.0 if single else EDGES
    settings: dict[str, Any] = {
        "sweeps": sweeps, "constituent": pseudo[0], "distituent": pseudo[1], "count_empty": empty, "average": average,
        "random_state": seed, "start": start, "restarts": restarts, "edges": edges,
    }  # fmt: skip
    if single:
        _alone(source, output, lengths, tags, settings | {"method": method}, strict)
        return
    from divproj.induction.reading import tag_pairs
    from divproj.runtime.engine import Place

    folders = _folders(output, lengths)
    faults = common.faults_for(strict)
    pairs = tag_pairs(source, faults, tags=tags, links=links, min_prob=min_prob, soft=soft, ignore_ids=ignore_ids)
    talk.summary(faults)
    about = {
        "cmd": "induce", "links": links, "tags": tags, "moves": moves, "mode": mode, "prior": prior, "empty": "yes" if empty else "no",
        "contradiction": contradiction, "edges": edges, "strength": strength, "start": start, "restarts": restarts, "alone": alone, "seed": seed,
    }  # fmt: skip
    settings |= {
        "moves": moves,
        "mode": mode,
        "contradiction": contradiction,
        "strength": strength,
        "alone": alone,
        "anneal": 0.0 if paper else 0.25,
    }
    for length, folder in folders.items():
        chosen = _short(pairs, length)
        _bilingual(
            chosen,
            folder,
            chains or CHAINS,
            settings | {"moves": moves, "mode": mode},
            about | {"max_length": length},
            _Keep(resume, checkpoint, Place(jobs, scheduler)),
        )


@dataclass(frozen=True)
class _Keep:
    resume: bool
    minutes: float
    place: Place


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


def _short(pairs: list[TagPair], length: int) -> list[TagPair]:
    """Pairs with words on both sides and none too long; what is left out is said."""
    from divproj.data.errors import ProjError

    empty = sum(1 for p in pairs if not p.f or not p.e)
    long = sum(1 for p in pairs if max(len(p.f), len(p.e)) > length)
    if empty:
        talk.say(f"proj: {empty} pair{'s' * (empty != 1)} without words on both sides left out")
    if long:
        talk.say(
            f"proj: {long} pair{'s' * (long != 1)} with a sentence of more than {length} words left out; --max-length sets the limit"
        )
    chosen = [p for p in pairs if p.f and p.e and max(len(p.f), len(p.e)) <= length]
    if not chosen:
        raise ProjError(f"no pair of sentences of 1 to {length} words to learn from", remedy="raise --max-length")
    return chosen


def _bilingual(
    pairs: list[TagPair], folder: Path, chains: int, settings: dict[str, Any], about: dict[str, Any], keep: _Keep
) -> None:
    import hashlib

    from divproj.induction import modelfile
    from divproj.induction.chains import Plan, joined, run_chains
    from divproj.io.files import writing

    digest = hashlib.sha256(repr([(p.f, p.e, sorted(p.links.items())) for p in pairs]).encode()).hexdigest()[:24]
    sign = common.signature(**about, chains=chains, input=digest)
    plan = Plan(
        folder, common.signature(**{k: v for k, v in about.items() if k != "cmd"}, input=digest), keep.minutes, keep.resume
    )
    with _Bar(chains, settings["sweeps"], len(pairs)) as bar:
        made, complete = run_chains(pairs, chains, settings, plan, place=keep.place, watch=bar)
    if not made:
        raise KeyboardInterrupt  # before the first sweep: there is nothing to keep
    told = [{key: round(value, 4) for key, value in chain.history_[-1].items()} for chain in made if chain.history_]
    notes = {"signature": sign, "tags": about["tags"], "pairs": len(pairs), "settings": settings, "chains": told}
    modelfile.save(folder, modelfile.Model(joined(made), notes))
    with writing(folder / "pairs.jsonl") as out:
        _write_pairs(out, pairs, made[0])
    _say(told, folder, len(pairs))
    if not complete:
        talk.say("proj: stopped; what the last sweep found is kept, --resume goes on from there")
        raise typer.Exit(130)


def _write_pairs(out: Any, pairs: list[TagPair], chain: Any) -> None:
    """Trees of the training pairs and aligned nodes, of the first chain's last sweep: for `proj draw --induced`."""
    import json

    trees = [forest.trees() for forest in chain.state_.forests]
    for k, pair in enumerate(pairs):
        row = {"sent_id": pair.sent_id, "f": trees[0][k], "e": trees[1][k], "aligned": chain.state_.aligned(k)}
        out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _say(told: list[dict[str, float]], folder: Path, pairs: int) -> None:
    for k, last in enumerate(told, 1):
        talk.say(
            f"chain {k}: sweep {last['sweep']:.0f}, log-joint {last['log_joint']:,.0f}, accepted {100 * last['acceptance']:.1f} %, "
            f"{last['aligned']:.1f} aligned pairs a sentence"
        )
    talk.say(f"model from {plural(pairs, 'pair')}: {folder}")


def _alone(source: str, folder: Path, lengths: list[int], tags: str, settings: dict[str, Any], strict: bool) -> None:
    from divproj.data.errors import ProjError, Where
    from divproj.induction import modelfile
    from divproj.induction.ccm import CCM
    from divproj.induction.consensus import Consensus
    from divproj.induction.reading import sentences

    faults = common.faults_for(strict)
    folders = _folders(folder, lengths)
    text = [s.tags for s in sentences(source, faults, tags)]
    talk.summary(faults)
    for length, where in folders.items():
        chosen = [s for s in text if 0 < len(s) <= length]
        if not chosen:
            raise ProjError(f"no sentence of 1 to {length} words to learn from", Where(source), "raise --max-length")
        if len(chosen) < len(text):
            talk.say(
                f"proj: {plural(len(text) - len(chosen), 'sentence')} empty or of more than {length} words left out; --max-length sets the limit"
            )
        with _Bar(1, settings["sweeps"], len(chosen)) as bar:
            model = CCM(**settings).fit(chosen, watch=partial(bar, 1))
        sign = common.signature(
            cmd="induce", method=settings["method"], tags=tags, seed=settings["random_state"], max_length=length
        )
        notes = {"signature": sign, "tags": tags, "sentences": len(chosen), "settings": settings}
        modelfile.save(where, modelfile.Model({"f": Consensus((model.grammar_,))}, notes))
        talk.say(f"model from {plural(len(chosen), 'sentence')}: {where}")


class _Bar:
    """Progress on a terminal; in a file one line every half minute."""

    def __init__(self, chains: int, sweeps: int, pairs: int) -> None:
        from divproj.runtime.announce import stage

        self.opened = stage("inducing grammars, sweep", chains * sweeps)
        self.told = time.monotonic()

    def __enter__(self) -> _Bar:
        self.stage = self.opened.__enter__()
        return self

    def __call__(self, chain: int, told: dict[str, float]) -> None:
        said = f"chain {chain} sweep {told['sweep']:.0f} log-joint {told['log_joint']:,.0f}"
        if "acceptance" in told:
            said += f" accepted {100 * told['acceptance']:.1f} %, {told['aligned']:.1f} aligned per sentence"
        self.stage.advance(1, said)
        if not talk.bar and not talk.quiet and (talk.verbose or time.monotonic() - self.told > 30):
            self.told = time.monotonic()
            talk.say(said)

    def __exit__(self, *_: object) -> None:
        self.opened.__exit__(None, None, None)


@app.command("parse")
def parse(
    source: Annotated[str, typer.Argument(metavar="TEXT", help="CoNLL-U with tags (- is stdin), Penn or TIGER trees.")],
    model: Annotated[Path, typer.Option("--model", metavar="MODEL", help="Folder that `proj induce` made.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is stdout.", allow_dash=True)
    ] = Path("-"),
    side: Annotated[str, typer.Option(help="The language: f or e of the training corpus.")] = "f",
    forest: Annotated[
        bool, typer.Option("--forest", help="Write the whole chart as packed forests with probabilities (JSON lines).")
    ] = False,
    prune: Annotated[float, typer.Option(min=0, max=1, help="With --forest: edges of a lower marginal are left out.")] = 0.001,
    decode: Annotated[
        str, typer.Option(help="viterbi (as in the paper) or mbr (most expected brackets); auto: mbr for several chains.")
    ] = "auto",
    tags: Annotated[str | None, typer.Option("--tags", help="upos, xpos or auto.  \\[default: as the model]")] = None,
    strict: common.Strict = False,
    quiet: common.Quiet = False,
    verbose: common.Verbose = False,
) -> None:
    """Bracket new sentences of one language.

    Example: proj induce parse text.conllu --model model --side f -o trees.txt
    """
    talk.set(quiet, verbose)
    from divproj.data.errors import ModelError, ProjError, Where
    from divproj.induction import modelfile
    from divproj.induction.output import forest_of, phrase_tree
    from divproj.induction.reading import sentences
    from divproj.io import brackets
    from divproj.io import forest as forest_file
    from divproj.io.files import writing

    found: Model = modelfile.load(model)
    grammar = found.side(side)
    faults = common.faults_for(strict)
    kind = tags or str(found.about.get("tags", "auto"))
    text = sentences(source, faults, "auto" if kind == "projected" else kind)
    if not text:
        raise ProjError("no sentence to parse", Where(source))
    unknown = grammar.unknown_tags(s.tags for s in text)
    if unknown:
        shown = ", ".join(sorted(unknown)[:8])
        seen = {tag for s in text for tag in s.tags}
        if unknown == seen:
            raise ModelError(
                f"none of the tags of the text ({shown}) is known to the model, which has {', '.join(grammar.inventory.tags[:12])}",
                Where(source), "choose the other column with --tags, or the other --side",
            )  # fmt: skip
        talk.caution(f"tags that training never saw: {shown}")
    with writing(output) as out:
        if forest:
            forest_file.dump((forest_of(s, chart, prune) for s, chart in _charts(grammar, text)), out)
        else:
            for sentence, tree in zip(text, grammar.parse([s.tags for s in text], decode), strict=True):
                out.write(brackets.dumps(phrase_tree(sentence, tree)).rstrip("\n") + "\n")
    talk.summary(faults)
    if str(output) != "-":
        talk.say(f"{plural(len(text), 'sentence')} parsed: {output}")


def _charts(grammar: Any, text: list[Any]) -> Iterator[tuple[Any, Any]]:
    yield from zip(text, grammar.charts([s.tags for s in text]), strict=True)
