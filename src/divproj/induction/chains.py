"""Several chains of the bilingual sampler side by side, with checkpoints, into one model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from divproj.induction import modelfile
from divproj.induction.ccm import Told
from divproj.induction.gold import TagPair
from divproj.induction.grammar import Counts, Grammar
from divproj.induction.inducer import BilingualInducer

Watch = Callable[[int, Told], None]
"""Called with the number of a chain and what its sweep told."""


@dataclass(frozen=True)
class Plan:
    """How a run is kept: the folder, what identifies it, minutes between checkpoints, whether to go on from one."""

    folder: Path | None = None
    about: str = ""
    minutes: float = 3.0
    resume: bool = False


def run_chains(
    pairs: Sequence[TagPair],
    chains: int,
    settings: dict[str, object],
    plan: Plan | None = None,
    *,
    jobs: int = 1,
    watch: Watch | None = None,
) -> tuple[list[BilingualInducer], bool]:
    """Chain k has the seed of `settings` plus k - 1. Ctrl-C ends every chain after its sweep: then the second value is False,
    and chains that had not begun are not there.

    Threads, not processes: the kernels hold no lock, and the pairs are in memory once.
    """
    plan = plan or Plan()
    stop = Event()
    made = [BilingualInducer(**settings) for _ in range(chains)]  # type: ignore[arg-type]
    for k, chain in enumerate(made):
        chain.random_state += k

    def one(k: int) -> None:
        if not stop.is_set():
            _run(made[k], pairs, plan, k + 1, stop, watch)

    with ThreadPoolExecutor(max(1, min(jobs, chains))) as threads:
        running = [threads.submit(one, k) for k in range(chains)]
        try:
            while wait(running, timeout=0.2).not_done:  # short waits: a long one does not hear Ctrl-C everywhere
                pass
        except KeyboardInterrupt:
            stop.set()
            wait(running)
        for task in running:
            task.result()
    return [chain for chain in made if hasattr(chain, "state_")], not stop.is_set()


def _run(chain: BilingualInducer, pairs: Sequence[TagPair], plan: Plan, number: int, stop: Event, watch: Watch | None) -> None:
    path = plan.folder / f"chain-{number}.npz" if plan.folder else None
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
    if path:
        modelfile.save_chain(path, chain, first, plan.about)


def joined(chains: Sequence[BilingualInducer]) -> dict[str, Grammar]:
    """One grammar a side: the mean of the chains' counts. Spans need no matching between chains, so a mean makes sense."""
    ready = [chain for chain in chains if chain.done_] or list(chains)
    found = {}
    for k, side in enumerate("fe"):
        total = Counts.empty(ready[0].bitext_.inventories[k])
        for chain in ready:
            total = total + chain.grammars_[k].counts
        found[side] = ready[0].grammars_[k].with_counts(total.scaled(1 / len(ready)))
    return found
