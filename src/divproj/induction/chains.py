"""Several chains of the bilingual sampler, one after the other or side by side through the engine, into one model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from divproj.data.errors import Faults
from divproj.induction import modelfile
from divproj.induction.ccm import Told
from divproj.induction.consensus import Consensus
from divproj.induction.gold import TagPair
from divproj.induction.inducer import BilingualInducer
from divproj.runtime import engine
from divproj.runtime.engine import HERE, Place

Watch = Callable[[int, Told], None]
"""Called with the number of a chain and what its sweep reports."""


@dataclass(frozen=True)
class Plan:
    """How a run is kept: the folder, what identifies it, minutes between checkpoints, whether to go on from one."""

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
    plan: Plan | None = None,
    *,
    place: Place = HERE,
    watch: Watch | None = None,
) -> tuple[list[BilingualInducer], bool]:
    """Chain k has the seed of `settings` plus k - 1, wherever it runs.

    Ctrl-C: then the second value is False. In this process the chain ends after its sweep, and chains that had not begun are
    not there; elsewhere chains that had not ended are as their checkpoints have them. `watch` hears of every sweep here, and
    of the last one of chains that ran elsewhere.
    """
    plan = plan or Plan()
    made = [BilingualInducer(**settings) for _ in range(chains)]  # type: ignore[arg-type]
    for k, chain in enumerate(made):
        chain.random_state += k
    complete = _here(made, pairs, plan, watch) if place.here or chains < 2 else _elsewhere(made, pairs, plan, place, watch)
    return [chain for chain in made if hasattr(chain, "state_")], complete


def _here(made: list[BilingualInducer], pairs: Sequence[TagPair], plan: Plan, watch: Watch | None) -> bool:
    """One after the other, in a thread: so Ctrl-C falls between two sweeps."""
    stop = Event()

    def all_chains() -> None:
        for number, chain in enumerate(made, 1):
            if not stop.is_set():
                _run(chain, pairs, plan, number, stop, watch)

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(all_chains)
        try:
            while wait([running], timeout=0.2).not_done:  # short waits: a long one does not hear Ctrl-C everywhere
                pass
        except KeyboardInterrupt:
            stop.set()
        running.result()
    return not stop.is_set()


def _elsewhere(made: list[BilingualInducer], pairs: Sequence[TagPair], plan: Plan, place: Place, watch: Watch | None) -> bool:
    """Each chain in a worker of the engine."""

    def read(faults: Faults) -> Iterator[tuple[int, BilingualInducer]]:
        yield from enumerate(list(made), 1)

    try:
        for k, chain in enumerate(engine.run(partial(_chain, tuple(pairs), plan), read, place=place)):
            if k:
                chain.bitext_ = made[0].bitext_  # in memory once
            made[k] = chain
            if watch:
                watch(k + 1, chain.history_[-1])
    except KeyboardInterrupt:
        for number, chain in enumerate(made, 1):
            path = plan.path(number)
            if not hasattr(chain, "state_") and path and path.exists():
                chain.begin(pairs, fresh=False)
                chain.run(modelfile.load_chain(path, chain, plan.about), chain.done_)
        return False
    return True


def _chain(pairs: tuple[TagPair, ...], plan: Plan, numbered: tuple[int, BilingualInducer], faults: Faults) -> BilingualInducer:
    number, chain = numbered
    _run(chain, pairs, plan, number, Event(), None)
    return chain


def _run(chain: BilingualInducer, pairs: Sequence[TagPair], plan: Plan, number: int, stop: Event, watch: Watch | None) -> None:
    path = plan.path(number)
    goes_on = path is not None and plan.resume and path.exists()
    chain.begin(pairs, fresh=not goes_on)
    first = modelfile.load_chain(path, chain, plan.about) if path and goes_on else 0
    saved = time.monotonic()

    def ended() -> bool:
        nonlocal saved
        if path and time.monotonic() - saved > 60 * plan.minutes:
            modelfile.save_chain(path, chain, first, plan.about)
            saved = time.monotonic()
        return stop.is_set()

    chain.run(first, chain.sweeps, lambda told: watch(number, told) if watch else None, ended)
    if not stop.is_set():
        chain.learn_alone(pairs)
    if path:
        modelfile.save_chain(path, chain, first, plan.about)


def joined(chains: Sequence[BilingualInducer]) -> dict[str, Consensus]:
    """One grammar for each side, of all chains that have made a sweep, and of the CCMs of the language alone that they have beside them."""
    ready = [chain for chain in chains if chain.done_] or list(chains)
    made = {}
    for k, side in enumerate("fe"):
        members = [(chain.grammars_[k], 1.0 - chain.alone if chain.alone_ else 1.0) for chain in ready]
        members += [(chain.alone_[k], chain.alone) for chain in ready if chain.alone_]
        grammars, weights = zip(*members, strict=True)
        made[side] = Consensus(grammars, weights if any(chain.alone_ for chain in ready) else ())
    return made
