"""Grammars from files to files: what `proj induce` does with the sentences it has read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from divproj.data.errors import Faults, ModelError, ProjError, Where
from divproj.data.options import InduceOptions, parse_settings
from divproj.data.wording import plural
from divproj.induction import modelfile
from divproj.induction.ccm import CCM
from divproj.induction.chains import Plan, joined, run_chains
from divproj.induction.consensus import Consensus
from divproj.induction.gold import TagPair
from divproj.induction.inducer import BilingualInducer
from divproj.induction.reading import sentences
from divproj.io.files import writing
from divproj.runtime.announce import stage
from divproj.runtime.engine import Place

Say = Callable[[str], None]
Watch = Callable[[int, dict[str, float]], None]


class Keep(Protocol):
    """How long work is kept."""

    resume: bool
    checkpoint: float
    """Minutes between checkpoints."""


CHAINS = 4
"""Chains of a bilingual model: their posteriors are averaged."""
PAPER: dict[str, Any] = {
    "constituent": 2.0, "distituent": 8.0, "count_empty": True, "contradiction": 0.0, "edges": 0.0, "strength": 1.0, "anneal": 0.0,
    "start": "uniform", "restarts": 1, "average": 0.0, "alone": 0.0,
}  # fmt: skip
"""Settings of the published model (Snyder et al. 2009)."""
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
    names = (*NAMES, *(NAMES_OF_ONE if single else NAMES_OF_PAIRS), *chosen)
    return {name: values[name] for name in dict.fromkeys(names)}


@dataclass
class Induction:
    """Models of sentences, each saved in a folder."""

    settings: dict[str, Any]
    """Parameters of the samplers."""
    tags: str
    keep: Keep
    place: Place
    say: Say
    """What the user is to know."""
    swept: Say
    """What the latest sweep found."""
    signature: Callable[..., str]

    def two_languages(self, pairs: list[TagPair], folder: Path, length: int, chains: int, links: str) -> bool:
        """The model of sentence pairs up to a length; False when it was stopped before its end."""
        pairs, settings = self._short(pairs, length), self.settings
        about = {"cmd": "induce", "links": links, **self._about(), "max_length": length}
        digest = hashlib.sha256(repr([(p.f, p.e, sorted(p.links.items())) for p in pairs]).encode()).hexdigest()[:24]
        sign = self.signature(**about, chains=chains, input=digest)
        own = self.signature(**{k: v for k, v in about.items() if k != "cmd"}, input=digest)
        plan = Plan(folder, own, self.keep.checkpoint, self.keep.resume)
        with self._watched(chains) as watch:
            made, complete = run_chains(pairs, chains, settings, plan, place=self.place, watch=watch)
        if not made:
            raise KeyboardInterrupt  # before the first sweep: there is nothing to keep
        last = [{key: round(value, 4) for key, value in chain.history_[-1].items()} for chain in made if chain.history_]
        notes = {"signature": sign, "tags": about["tags"], "pairs": len(pairs), "settings": settings, "chains": last}
        modelfile.save(folder, modelfile.Model(joined(made), notes))
        _write_pairs(folder / "pairs.jsonl", pairs, made[0])
        for k, sweep in enumerate(last, 1):
            self.say(
                f"chain {k}: sweep {sweep['sweep']:.0f}, log-joint {sweep['log_joint']:,.0f}, "
                f"accepted {100 * sweep['acceptance']:.1f} %, {sweep['aligned']:.1f} aligned pairs a sentence"
            )
        self.say(f"model from {plural(len(pairs), 'pair')}: {folder}")
        return complete

    def one_language(self, text: list[tuple[str, ...]], source: str, folder: Path, length: int) -> None:
        """The model of tag sequences up to a length."""
        chosen = [s for s in text if 0 < len(s) <= length]
        if not chosen:
            raise ProjError(f"no sentence of 1 to {length} words to learn from", Where(source), "raise `max_length`")
        if left := len(text) - len(chosen):
            self.say(
                f"proj: {plural(left, 'sentence')} empty or of more than {length} words left out; `max_length` sets the limit"
            )
        settings, method = self.settings, self.settings["method"]
        with self._watched(1) as watch:
            model = CCM(**settings).fit(chosen, watch=partial(watch, 1))
        seed = settings["random_state"]
        sign = self.signature(cmd="induce", method=method, tags=self.tags, seed=seed, max_length=length)
        notes = {"signature": sign, "tags": self.tags, "sentences": len(chosen), "settings": settings}
        modelfile.save(folder, modelfile.Model({"f": Consensus((model.grammar_,))}, notes))
        self.say(f"model from {plural(len(chosen), 'sentence')}: {folder}")

    def _about(self) -> dict[str, Any]:
        """The settings as signatures have them."""
        given = self.settings
        prior = f"{given['constituent']:g},{given['distituent']:g}"
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
            self.say(f"proj: {empty} pair{'s' * (empty != 1)} without words on both sides left out")
        if long:
            what = f"{long} pair{'s' * (long != 1)} with a sentence of more than {length} words left out"
            self.say(f"proj: {what}; `max_length` sets the limit")
        chosen = [p for p in pairs if p.f and p.e and max(len(p.f), len(p.e)) <= length]
        if not chosen:
            raise ProjError(f"no pair of sentences of 1 to {length} words to learn from", remedy="raise `max_length`")
        return chosen

    @contextmanager
    def _watched(self, chains: int) -> Iterator[Watch]:
        with stage("inducing grammars, sweep", chains * self.settings["sweeps"]) as under_way:

            def watch(chain: int, sweep: dict[str, float]) -> None:
                said = f"chain {chain} sweep {sweep['sweep']:.0f} log-joint {sweep['log_joint']:,.0f}"
                if "acceptance" in sweep:
                    said += f" accepted {100 * sweep['acceptance']:.1f} %, {sweep['aligned']:.1f} aligned per sentence"
                under_way.advance(1, said)
                self.swept(said)

            yield watch


def _write_pairs(path: Path, pairs: list[TagPair], chain: Any) -> None:
    """Trees of the training pairs and aligned nodes, of the first chain's last sweep: for `proj draw --induced`."""
    trees = [forest.trees() for forest in chain.state_.forests]
    with writing(path) as out:
        for k, pair in enumerate(pairs):
            row = {"sent_id": pair.sent_id, "f": trees[0][k], "e": trees[1][k], "aligned": chain.state_.aligned(k)}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def grammar_for(model: Path, side: str, source: str, tags: str | None, faults: Faults, caution: Say) -> tuple[Any, list[Any]]:
    """The grammar of a model's side, and the sentences of a file in tags that it knows."""
    found = modelfile.load(model)
    grammar = found.side(side)
    kind = tags or str(found.about.get("tags", "auto"))
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
