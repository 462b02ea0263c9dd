"""Train grammars and keep them in folders: the steps behind `proj induce`.

`Induction` learns a model of one or two languages from tag sequences. A bilingual model has several chains of the sampler,
run one after the other or in workers (`run_chains`). Their grammars become one `Consensus`: chains fall into different modes,
and a mean of their counts is none of them. But the mean of their posteriors for a sentence is a distribution over its trees,
and the tree that on average has most brackets in common with it (minimum Bayes risk) is seldom worse than the best chain's.
The CCM of each language alone has a small share in that mean: brackets of which it is certain stay, unless the bilingual
chains are certain of others.

A model is a folder with `model.json` and `weights.npz`; checkpoints are `chain-K.npz`. Never pickle.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np

from divproj.core.errors import Faults, ModelError, ProjError, Where, plural
from divproj.core.options import InduceOptions, parse_settings
from divproj.induction.ccm import CCM, SweepReport, TreeArrays
from divproj.induction.grammar import DECODERS, Floats, Grammar, Inventory, SpanChart, SpanCounts, Tags, Tree, best
from divproj.induction.inducer import BilingualInducer, parse_priors
from divproj.induction.reading import TagPair, sentences
from divproj.runtime import engine, modelfile
from divproj.runtime.announce import stage
from divproj.runtime.engine import HERE, Workers
from divproj.runtime.leftovers import new_part


@dataclass(frozen=True)
class Consensus:
    """Grammars of the same inventory, one for each chain. With one member it is that grammar."""

    members: tuple[Grammar, ...]
    weights: tuple[float, ...] = ()
    """What each member counts; empty: all the same."""

    def __post_init__(self) -> None:
        if not self.members:
            raise ModelError("no chain to learn a grammar from")

    @property
    def shares(self) -> Floats:
        """Weights of the members that sum to 1."""
        given = np.array(self.weights or (1.0,) * len(self.members))
        fractions: Floats = given / given.sum()
        return fractions

    @property
    def inventory(self) -> Inventory:
        return self.members[0].inventory

    @property
    def mean(self) -> Grammar:
        """The grammar of the mean counts, for trees by Viterbi."""
        total = SpanCounts.empty(self.inventory)
        for member, share in zip(self.members, self.shares.tolist(), strict=True):
            total = total + member.counts.multiply(share)
        return self.members[0].with_counts(total)

    def unknown_tags(self, sentences: Iterable[Tags]) -> set[str]:
        return self.members[0].unknown_tags(sentences)

    def charts(self, sentences: Iterable[Tags]) -> Iterator[SpanChart]:
        """Mean probabilities of spans, and of their splits: p(k | i, j) = mean p(i, k, j) / mean p(i, j).

        A forest with these splits has the mean span probabilities exactly.
        """
        text = list(sentences)
        for charts in zip(*(member.charts(text) for member in self.members), strict=True):
            yield charts[0] if len(charts) == 1 else _mean(charts, self.shares)

    def parse(self, sentences: Iterable[Tags], decode: str = "auto") -> list[Tree]:
        """The best binary trees: `mbr` of the mean posteriors, `viterbi` of the mean counts; auto is mbr for several chains."""
        if decode == "auto":
            decode = "mbr" if len(self.members) > 1 else "viterbi"
        if decode not in DECODERS:
            raise ModelError(f"no way to decode '{decode}'", remedy=f"choose one of auto, {', '.join(DECODERS)}")
        if decode == "viterbi" or len(self.members) == 1:
            return self.mean.parse(sentences, decode)
        text = list(sentences)
        words = sum(map(len, text))
        return [best(chart.marginals, words) for chart in self.charts(text)]


def _mean(charts: tuple[SpanChart, ...], shares: Floats) -> SpanChart:
    """One chart of the mean: its splits, log p(k | i, j), are those that `reading.forest_of` uses."""
    spans: Floats = np.tensordot(shares, [chart.marginals for chart in charts], 1)
    n = len(spans) - 1
    splits = np.zeros((n + 1, n + 1, n + 1))
    for chart, share in zip(charts, shares.tolist(), strict=True):
        for i in range(n):
            for j in range(i + 2, n + 1):
                if chart.marginals[i, j] > 0:
                    splits[i, j, i + 1 : j] += share * chart.marginals[i, j] * np.exp(chart.splits(i, j))
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(splits) - np.log(spans)[:, :, None]
    return SpanChart(spans, np.zeros_like(spans), spans, logs)


FORMAT, VERSION = "divproj-induction", 1
ARRAYS = ("keys", "yields", "contexts", "totals")
MOST = 1e9
"""Pseudo-count or weight of a stored model; anything larger is damage."""
MOST_CHAINS = 1000
PAIRS = "pairs.jsonl"
BESIDE = (PAIRS, "chain-*.npz", ".chain-*.npz.part")
"""Files that stand beside those of a model: trees of the training pairs, checkpoints."""


@dataclass(frozen=True)
class InducedGrammars:
    """Grammars by side ("f", "e"; a model of one language has "f" alone) and how they came about."""

    grammars: dict[str, Consensus]
    about: dict[str, Any] = field(default_factory=dict)

    def side(self, name: str) -> Consensus:
        if name not in self.grammars:
            raise ModelError(f"the model has no side '{name}'", remedy=f"choose {' or '.join(self.grammars)}")
        return self.grammars[name]


def save(folder: Path, model: InducedGrammars, pairs: Iterable[str] | None = None) -> None:
    """Write the model, and the trees of the training `pairs` beside it where they are given, whole or not at all."""
    arrays: dict[str, Any] = {}
    sides: dict[str, Any] = {}
    for name, grammar in model.grammars.items():
        inventory, first = grammar.inventory, grammar.members[0]
        counts = [member.counts for member in grammar.members]
        tables = ([c.yields for c in counts], [c.contexts for c in counts], [c.totals for c in counts])
        values = (inventory.keys, *map(np.concatenate, tables))
        arrays |= {f"{name}_{key}": value for key, value in zip(ARRAYS, values, strict=True)}
        sides[name] = {
            "tags": inventory.tags,
            "contexts": inventory.contexts,
            "constituent": first.constituent,
            "distituent": first.distituent,
            "count_empty": first.count_empty,
            "chains": len(grammar.members),
            **({"weights": list(grammar.weights)} if grammar.weights else {}),
        }
    texts = None if pairs is None else {PAIRS: pairs}
    modelfile.save(folder, FORMAT, VERSION, {"sides": sides, **model.about}, arrays, BESIDE, texts)


def load(folder: Path) -> InducedGrammars:
    """A saved model; ModelError when it is not one, of another version, or broken."""
    stored = modelfile.load(folder, FORMAT, VERSION)
    grammars = {str(name): _grammar(str(name), side, stored) for name, side in stored.fact("sides", dict).items()}
    return InducedGrammars(grammars, {k: v for k, v in stored.about.items() if k not in ("format", "version", "sides")})


def _grammar(name: str, side: Any, stored: modelfile.ModelFolder) -> Consensus:
    facts = modelfile.ModelFolder(stored.kind, side if isinstance(side, dict) else {}, where=stored.where)
    tags = facts.fact("tags", list)
    if not all(isinstance(tag, str) for tag in tags):
        raise ModelError(f"side '{name}' has tags that are not texts", stored.where, modelfile.REMEDY)
    inventory = Inventory(tuple(tags), stored.array(f"{name}_keys", "i", None).astype(np.int64), facts.fact("contexts", int))
    chains = facts.fact("chains", int) if "chains" in facts.about else 1
    if not 0 < chains <= MOST_CHAINS:
        raise ModelError(f"side '{name}' has {chains} chains, 1 to {MOST_CHAINS} expected", stored.where, modelfile.REMEDY)
    yields = stored.array(f"{name}_yields", "f", 2 * chains, inventory.yields).astype(np.float64)
    contexts = stored.array(f"{name}_contexts", "f", 2 * chains, inventory.context_ids).astype(np.float64)
    totals = stored.array(f"{name}_totals", "f", 2 * chains).astype(np.float64)
    numbers = (int, float)
    priors = float(facts.fact("constituent", numbers)), float(facts.fact("distituent", numbers))
    if not all(0 < x < MOST for x in (*priors, inventory.contexts)):
        message = f"side '{name}' has priors {priors} and {inventory.contexts} contexts, numbers above 0 expected"
        raise ModelError(message, stored.where, modelfile.REMEDY)
    if min(x.min(initial=0) for x in (inventory.keys, yields, contexts, totals)) < 0:
        raise ModelError(f"side '{name}' has counts below 0", stored.where, modelfile.REMEDY)
    counts = (SpanCounts(*(table[k : k + 2] for table in (yields, contexts, totals))) for k in range(0, 2 * chains, 2))
    empty = facts.fact("count_empty", bool)
    weights = facts.fact("weights", list) if "weights" in facts.about else []
    if weights and (len(weights) != chains or not all(isinstance(x, numbers) and 0 < x < MOST for x in weights)):
        message = f"side '{name}' has the weights {weights!r:.40}, {chains} numbers above 0 expected"
        raise ModelError(message, stored.where, modelfile.REMEDY)
    return Consensus(tuple(Grammar(inventory, each, *priors, empty) for each in counts), tuple(map(float, weights)))


def save_chain(path: Path, chain: BilingualInducer, first: int, about: str) -> None:
    """Write a checkpoint: trees, alignments and sums so far. Counts follow from the trees."""
    state = chain.state_
    arrays: dict[str, Any] = {"mate": state.mate, "place": np.array([first, chain.done_, chain.kept_])}
    for side, forest, sums, nodes in zip("fe", state.forests, chain.sums_, chain.nodes_, strict=True):
        arrays |= {f"{side}_{k}": array for k, array in enumerate(forest.nodes)}
        arrays |= {f"{side}_yields": sums.yields, f"{side}_contexts": sums.contexts, f"{side}_totals": sums.totals}
        arrays[f"{side}_nodes"] = nodes
    names = list(chain.history_[0]) if chain.history_ else []
    history_rows = [[entry[key] for key in names] for entry in chain.history_]
    arrays |= {"history": np.array(history_rows, float), "names": np.array(names, "U20"), "about": np.array(about)}
    _save_arrays(path, arrays)


def load_chain(path: Path, chain: BilingualInducer, about: str) -> int:
    """Restore a chain on the same pairs from a checkpoint; return the sweep at which its run had begun."""
    where = Where(str(path))
    arrays = modelfile.read_arrays(path)
    try:
        if str(arrays["about"].item()) != about:
            raise ModelError(
                "the checkpoint is of another corpus or other settings", where, "give the same ones, or start without `resume`"
            )
        f, e = (
            TreeArrays(side, (arrays[f"{name}_0"], arrays[f"{name}_1"], arrays[f"{name}_2"], arrays[f"{name}_3"]))
            for name, side in zip("fe", chain.bitext_.sides, strict=True)
        )
        chain._restore((f, e), arrays["mate"])
        sums = [SpanCounts(*(arrays[f"{name}_{key}"] for key in ARRAYS[1:])) for name in "fe"]
        chain.sums_ = (sums[0], sums[1])
        chain.nodes_ = tuple(arrays[f"{name}_nodes"] for name in "fe")
        first, chain.done_, chain.kept_ = (int(x) for x in arrays["place"])
        names = arrays["names"].tolist()
        chain.history_ = [dict(zip(names, row, strict=True)) for row in arrays["history"].tolist()]
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(f"a broken checkpoint: {error}", where, "start without `resume`") from None
    return first


def _save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = new_part(path)
        try:
            modelfile.write_arrays(part, arrays)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
    except OSError as error:
        raise ModelError(f"could not be written: {error.strerror}", Where(str(path))) from None


ChainWatch = Callable[[int, SweepReport], None]
"""Called with the number of a chain and what its sweep reports."""


@dataclass(frozen=True)
class ChainPlan:
    """Checkpoints of a run: folder, what identifies the run, minutes between checkpoints, whether to resume from one."""

    folder: Path | None = None
    about: str = ""
    minutes: float = 3.0
    resume: bool = False

    def path(self, number: int) -> Path | None:
        """Where the checkpoint of a chain is."""
        return self.folder / f"chain-{number}.npz" if self.folder else None


def run_chains(
    pairs: Sequence[TagPair],
    chains: int,
    settings: dict[str, object],
    plan: ChainPlan | None = None,
    *,
    workers: Workers = HERE,
    watch: ChainWatch | None = None,
    tell: Say | None = None,
) -> tuple[list[BilingualInducer], bool]:
    """Chain k has the seed of `settings` plus k - 1, wherever it runs.

    Ctrl-C: then the second value is False. In this process the chain ends after its sweep, and chains that had not begun are
    missing; in workers, unfinished chains are restored from their checkpoints. `watch` is called after every sweep in this
    process, and with the last sweep of chains that ran in workers. `tell` hears why a checkpoint cannot be written; the chain goes on without.
    """
    plan = plan or ChainPlan()
    inducers = [BilingualInducer(**settings) for _ in range(chains)]  # type: ignore[arg-type]
    for k, chain in enumerate(inducers):
        chain.random_state += k
    complete = (
        _here(inducers, pairs, plan, watch, tell)
        if workers.here or chains < 2
        else _elsewhere(inducers, pairs, plan, workers, watch, tell)
    )
    return [chain for chain in inducers if hasattr(chain, "state_")], complete


def _here(
    inducers: list[BilingualInducer], pairs: Sequence[TagPair], plan: ChainPlan, watch: ChainWatch | None, tell: Say | None
) -> bool:
    """Run the chains one after the other in a thread, so that Ctrl-C takes effect between two sweeps."""
    stop = Event()

    def all_chains() -> None:
        for number, chain in enumerate(inducers, 1):
            if not stop.is_set():
                _run(chain, pairs, plan, number, stop, watch, tell)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(all_chains)
        try:
            while wait([running], timeout=0.2).not_done:  # short waits: a long one does not hear Ctrl-C everywhere
                pass
        except KeyboardInterrupt:
            stop.set()
        running.result()
    return not stop.is_set()


def _elsewhere(
    inducers: list[BilingualInducer],
    pairs: Sequence[TagPair],
    plan: ChainPlan,
    workers: Workers,
    watch: ChainWatch | None,
    tell: Say | None,
) -> bool:
    """Each chain in a worker of the engine."""

    def read(faults: Faults) -> Iterator[tuple[int, BilingualInducer]]:
        yield from enumerate(list(inducers), 1)

    faults = Faults(strict=False, tell=lambda error: tell(str(error)) if tell else None)
    try:
        for k, chain in enumerate(engine.run(partial(_chain, tuple(pairs), plan), read, faults, workers)):
            if k:
                chain.bitext_ = inducers[0].bitext_  # in memory once
            inducers[k] = chain
            if watch:
                watch(k + 1, chain.history_[-1])
    except KeyboardInterrupt:
        for number, chain in enumerate(inducers, 1):
            path = plan.path(number)
            if not hasattr(chain, "state_") and path and path.exists():
                chain.begin(pairs, fresh=False)
                chain.run(load_chain(path, chain, plan.about), chain.done_)
        return False
    return True


def _chain(
    pairs: tuple[TagPair, ...], plan: ChainPlan, numbered: tuple[int, BilingualInducer], faults: Faults
) -> BilingualInducer:
    number, chain = numbered
    _run(chain, pairs, plan, number, Event(), None, lambda text: faults.file(ProjError(text)))
    return chain


def _run(
    chain: BilingualInducer,
    pairs: Sequence[TagPair],
    plan: ChainPlan,
    number: int,
    stop: Event,
    watch: ChainWatch | None,
    tell: Say | None,
) -> None:
    path = plan.path(number)
    goes_on = path is not None and plan.resume and path.exists()
    chain.begin(pairs, fresh=not goes_on)
    first = load_chain(path, chain, plan.about) if path and goes_on else 0
    saved = time.monotonic()

    def keep() -> None:
        nonlocal path, saved
        try:
            if path:
                save_chain(path, chain, first, plan.about)
        except ModelError as error:
            path = None
            if tell:
                tell(f"no checkpoint: {error}; the chain goes on without")
        saved = time.monotonic()

    def should_stop() -> bool:
        if path and time.monotonic() - saved > 60 * plan.minutes:
            keep()
        return stop.is_set()

    chain.run(first, chain.sweeps, lambda report: watch(number, report) if watch else None, should_stop)
    if not stop.is_set():
        chain.learn_alone(pairs)
    keep()


def merge_chains(chains: Sequence[BilingualInducer]) -> dict[str, Consensus]:
    """One grammar for each side, of all chains that have made a sweep, and of the CCMs of the language alone that they have beside them."""
    ready = [chain for chain in chains if chain.done_] or list(chains)
    by_side = {}
    for k, side in enumerate("fe"):
        members = [(chain.grammars_[k], 1.0 - chain.alone if chain.alone_ else 1.0) for chain in ready]
        members += [(chain.alone_[k], chain.alone) for chain in ready if chain.alone_]
        grammars, weights = zip(*members, strict=True)
        by_side[side] = Consensus(grammars, weights if any(chain.alone_ for chain in ready) else ())
    return by_side


Say = Callable[[str], None]
Watch = Callable[[int, dict[str, float]], None]


class Checkpointing(Protocol):
    """Options for checkpoints."""

    resume: bool
    checkpoint: float
    """Minutes between checkpoints."""


CHAINS = 4
"""Chains of a bilingual model: their posteriors are averaged."""
PAPER: dict[str, Any] = {
    "constituent": 2.0, "distituent": 8.0, "count_empty": True, "contradiction": 0.0, "edges": 0.0, "strength": 1.0, "anneal": 0.0,
    "start": "uniform", "restarts": 1, "average": 0.0, "alone": 0.0, "moves": "pair", "mode": "trees", "method": "gibbs",
}  # fmt: skip
"""Settings of the published model (Snyder et al. 2009), pseudo-counts as for Korean; for English and Chinese it has 20 and 80 (`prior`)."""
NAMES = ("sweeps", "constituent", "distituent", "count_empty", "average", "random_state", "start", "restarts", "edges")
NAMES_OF_ONE, NAMES_OF_PAIRS = ("method",), ("moves", "mode", "contradiction", "strength", "alone", "anneal")
"""Settings that a model names, whether they were chosen or not."""


def sampler_settings(how: InduceOptions, single: bool) -> dict[str, Any]:
    """Return the parameters of `CCM` (one language) or of `BilingualInducer`, as the options say."""
    known = (CCM() if single else BilingualInducer()).get_params()
    chosen = parse_settings(known, how.settings)
    paper = {name: value for name, value in PAPER.items() if how.paper and name in known}
    values = {**known, **paper, **chosen, "sweeps": how.sweeps, "random_state": how.seed}
    for name in ("constituent", "distituent"):
        if not 0 < values[name] < 1e9:
            raise ProjError(f"`set={name}={values[name]:g}`: a positive pseudo-count expected")
    if values.get("prior"):
        parse_priors(values["prior"])
    names = (*NAMES, *(NAMES_OF_ONE if single else NAMES_OF_PAIRS), *chosen)
    return {name: values[name] for name in dict.fromkeys(names)}


@dataclass
class Induction:
    """Models of sentences, each saved in a folder."""

    settings: dict[str, Any]
    """Parameters of the samplers."""
    tags: str
    checkpoint: Checkpointing
    workers: Workers
    on_message: Say
    """Called with messages for the user."""
    swept: Say
    """Called with a line about each sweep."""
    signature: Callable[..., str]

    def two_languages(self, pairs: list[TagPair], folder: Path, length: int, chains: int, links: str) -> bool:
        """The model of sentence pairs up to a length; False when it was stopped before its end."""
        pairs, settings = self._short(pairs, length), self.settings
        about = {"cmd": "induce", "links": links, **self._about(), "max_length": length}
        digest = hashlib.sha256(repr([(p.f, p.e, sorted(p.links.items())) for p in pairs]).encode()).hexdigest()[:24]
        sign = self.signature(**about, chains=chains, input=digest)
        identity = self.signature(**{k: v for k, v in about.items() if k != "cmd"}, input=digest)
        plan = ChainPlan(folder, identity, self.checkpoint.checkpoint, self.checkpoint.resume)
        with self._watch_progress(chains) as watch:
            inducers, complete = run_chains(
                pairs, chains, settings, plan, workers=self.workers, watch=watch, tell=self.on_message
            )
        if not inducers:
            raise KeyboardInterrupt  # before the first sweep: there is nothing to keep
        last = [{key: round(value, 4) for key, value in chain.history_[-1].items()} for chain in inducers if chain.history_]
        notes = {"signature": sign, "tags": about["tags"], "pairs": len(pairs), "settings": settings, "chains": last}
        save(folder, InducedGrammars(merge_chains(inducers), notes), _pair_lines(pairs, inducers[0]))
        for k, sweep in enumerate(last, 1):
            self.on_message(
                f"chain {k}: sweep {sweep['sweep']:.0f}, log-joint {sweep['log_joint']:,.0f}, "
                f"accepted {100 * sweep['acceptance']:.1f} %, {sweep['aligned']:.1f} aligned pairs a sentence"
            )
        self.on_message(f"model from {plural(len(pairs), 'pair')}: {folder}")
        return complete

    def one_language(self, text: list[tuple[str, ...]], source: str, folder: Path, length: int) -> None:
        """The model of tag sequences up to a length."""
        chosen = [s for s in text if 0 < len(s) <= length]
        if not chosen:
            raise ProjError(f"no sentence of 1 to {length} words to learn from", Where(source), "raise `max_length`")
        if left := len(text) - len(chosen):
            self.on_message(
                f"proj: {plural(left, 'sentence')} empty or of more than {length} words left out; `max_length` sets the limit"
            )
        settings, method = self.settings, self.settings["method"]
        with self._watch_progress(1) as watch:
            model = CCM(**settings).fit(chosen, watch=partial(watch, 1))
        seed = settings["random_state"]
        sign = self.signature(cmd="induce", method=method, tags=self.tags, seed=seed, max_length=length)
        notes = {"signature": sign, "tags": self.tags, "sentences": len(chosen), "settings": settings}
        save(folder, InducedGrammars({"f": Consensus((model.grammar_,))}, notes))
        self.on_message(f"model from {plural(len(chosen), 'sentence')}: {folder}")

    def _about(self) -> dict[str, Any]:
        """Return the settings as they appear in signatures."""
        given = self.settings
        prior = given.get("prior") or f"{given['constituent']:g},{given['distituent']:g}"
        named = {"tags": self.tags, "moves": given["moves"], "mode": given["mode"], "prior": prior}
        named["empty"] = "yes" if given["count_empty"] else "no"
        names = ("contradiction", "edges", "strength", "start", "restarts", "alone")
        more = [name for name in given if name not in (*NAMES, *NAMES_OF_PAIRS)]
        return {
            **named,
            **{name: given[name] for name in names},
            "seed": given["random_state"],
            **{name: given[name] for name in more},
        }

    def _short(self, pairs: list[TagPair], length: int) -> list[TagPair]:
        """Pairs with words on both sides and none too long; what is left out is said."""
        empty = sum(1 for p in pairs if not p.f or not p.e)
        long = sum(1 for p in pairs if max(len(p.f), len(p.e)) > length)
        if empty:
            self.on_message(f"proj: {empty} pair{'s' * (empty != 1)} without words on both sides left out")
        if long:
            message = f"{long} pair{'s' * (long != 1)} with a sentence of more than {length} words left out"
            self.on_message(f"proj: {message}; `max_length` sets the limit")
        chosen = [p for p in pairs if p.f and p.e and max(len(p.f), len(p.e)) <= length]
        if not chosen:
            raise ProjError(f"no pair of sentences of 1 to {length} words to learn from", remedy="raise `max_length`")
        return chosen

    @contextmanager
    def _watch_progress(self, chains: int) -> Iterator[Watch]:
        with stage("inducing grammars, sweep", chains * self.settings["sweeps"]) as under_way:

            def watch(chain: int, sweep: dict[str, float]) -> None:
                said = f"chain {chain} sweep {sweep['sweep']:.0f} log-joint {sweep['log_joint']:,.0f}"
                if "acceptance" in sweep:
                    said += f" accepted {100 * sweep['acceptance']:.1f} %, {sweep['aligned']:.1f} aligned per sentence"
                under_way.advance(1, said)
                self.swept(said)

            yield watch


def _pair_lines(pairs: list[TagPair], chain: Any) -> Iterator[str]:
    """Trees of the training pairs and aligned nodes, of the first chain's last sweep: for `proj draw --induced`."""
    trees = [forest.trees() for forest in chain.state_.forests]
    for k, pair in enumerate(pairs):
        row = {"sent_id": pair.sent_id, "f": trees[0][k], "e": trees[1][k], "aligned": chain.state_.aligned_spans(k)}
        yield json.dumps(row, ensure_ascii=False) + "\n"


def grammar_for(model: Path, side: str, source: str, tags: str | None, faults: Faults, caution: Say) -> tuple[Any, list[Any]]:
    """The grammar of a model's side, and the sentences of a file in tags that it knows."""
    grammars = load(model)
    grammar = grammars.side(side)
    kind = tags or str(grammars.about.get("tags", "auto"))
    text = sentences(source, faults, "auto" if kind == "projected" else kind)
    if not text:
        raise ProjError("no sentence to parse", Where(source))
    unknown = grammar.unknown_tags(s.tags for s in text)
    if unknown:
        shown = ", ".join(sorted(unknown)[:8])
        if unknown == {tag for s in text for tag in s.tags}:
            raise ModelError(
                f"none of the tags of the text ({shown}) is known to the model, which has {', '.join(grammar.inventory.tags[:12])}",
                Where(source), "choose the other column with `tags`, or the other `side`",
            )  # fmt: skip
        caution(f"tags that training never saw: {shown}")
    return grammar, text
