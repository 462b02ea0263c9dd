"""Learning from corrections: gold sentences in, new trees for the rest out.

A `Learner` is any callable of that kind; `ProjectionLearner` trains a system of `projection.systems` on the gold
sentences and projects the rest, so a system added there is at hand here by its name.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from divproj.errors import ProjError
from divproj.projection import systems
from divproj.projection.s1 import Bitext, Projection
from divproj.review.session import Learned, Session
from divproj.types import PROJECTED, DepTree, TreePair

FOLDS = 5
FEW = 5
"""Gold sentences below which the check by folds says nothing."""
Tell = Callable[[str, int, int], None]
"""Told what is being done, how much of it, and of how much; raises `CancelledError` to end the work."""


class Example(NamedTuple):
    """A sentence for a learner: its place, what projection may see of it, and its tree."""

    n: int
    bitext: Bitext | None
    tree: DepTree


class Bitexts:
    """What projection may see of sentences, by their places: given, or read when learning first asks for it."""

    def __init__(
        self, found: Mapping[int, Bitext] | None = None, read: Callable[[], Mapping[int, Bitext]] | None = None
    ) -> None:
        self.found: Mapping[int, Bitext] = found or {}
        self._read = read

    def __bool__(self) -> bool:
        return bool(self.found) or self._read is not None

    def all(self) -> Mapping[int, Bitext]:
        if self._read is not None:
            self.found, self._read = self._read(), None
        return self.found


class Learner(Protocol):
    """Learns from `gold` and yields (place, new tree) for the sentences of `rest` for which it has one."""

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]: ...


@dataclass(frozen=True)
class ProjectionLearner:
    """A system of projection trained on the gold sentences that have a translation's tree."""

    system: str = systems.DEFAULT

    def __post_init__(self) -> None:
        able = [name for name in systems.SYSTEMS if name not in (*systems.UNTRAINED, "oracle")]
        if self.system not in able:
            raise ProjError(f"system '{self.system}' does not learn", remedy=f"choose one of {', '.join(able)}")

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]:
        pairs = [_pair(example) for example in gold if usable(example)]
        if not pairs:
            raise ProjError("no gold sentence has a tree of its translation", remedy="mark other sentences gold")
        tell("learning from gold sentences", 0, len(pairs))
        project = systems.train(self.system, pairs)
        wanted = [example for example in rest if usable(example)]
        for done, example in enumerate(wanted):
            tell("projecting the rest", done, len(wanted))
            assert example.bitext is not None
            yield example.n, self._learned(project(example.bitext))

    def _learned(self, found: Projection) -> Learned:
        links = len(found.bitext.alignment)
        note = f"{PROJECTED}{self.system} coverage={found.coverage:.2f} links={links}{'' if links else ' unlinked'}"
        return Learned(found.heads, found.tree.rels, found.reasons, found.confidence, note)


def usable(example: Example) -> bool:
    return example.bitext is not None and len(example.bitext.e) > 0


def _pair(example: Example) -> TreePair:
    assert example.bitext is not None
    return TreePair(example.tree, example.bitext.e, example.bitext.alignment, example.bitext.sent_id)


def examples(session: Session, places: Sequence[int], bitexts: Mapping[int, Bitext]) -> list[Example]:
    """Sentences as they are now."""
    made = []
    for n in places:
        sentence, state = session.document.blocks[n].sentence, session.states[n]
        bitext = bitexts.get(n)
        glosses = bitext.glosses if bitext else sentence.glosses
        tree = DepTree(sentence.forms, state.heads, state.rels, sentence.column(3), sentence.column(4), glosses)
        made.append(Example(n, bitext, tree))
    return made


def checked(learner: Learner, gold: Sequence[Example], tell: Tell) -> dict[int, Learned]:
    """Trees for the gold sentences by folds: each by a learner that did not see it."""
    found: dict[int, Learned] = {}
    for k in range(FOLDS):

        def told(what: str, done: int, total: int, k: int = k) -> None:
            tell(f"check {k + 1} of {FOLDS} on the gold sentences", done, total)

        held = gold[k::FOLDS]
        seen = [example for place, example in enumerate(gold) if place % FOLDS != k]
        with contextlib.suppress(ProjError):  # a fold may leave nothing to learn from
            found.update(learner(seen, held, told))
    return found


def share_right(gold: Sequence[Example], heads: Mapping[int, Sequence[int]]) -> float:
    """Share of the words, in sentences that have `heads`, whose head is that of the gold tree."""
    pairs = [pair for x in gold if x.n in heads for pair in zip(x.tree.heads, heads[x.n], strict=True)]
    return sum(a == b for a, b in pairs) / max(1, len(pairs))


class Job:
    """Learning in a thread of its own; `status` says how far it is."""

    def __init__(self, session: Session, learner: Learner, bitexts: Bitexts, name: str) -> None:
        self.session, self.learner, self.bitexts, self.name = session, learner, bitexts, name
        self._status: dict[str, Any] = {"state": "idle", "told": "", "done": 0, "total": 0}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def status(self) -> dict[str, Any]:
        return dict(self._status)

    def start(self) -> bool:
        """Begin; False when it is at work already."""
        with self._lock:
            if self._thread and self._thread.is_alive():
                return False
            self._stop.clear()
            self._status = {"state": "running", "told": "beginning", "done": 0, "total": 0}
            self._thread = threading.Thread(target=self._run, name="learning", daemon=True)
            self._thread.start()
            return True

    def stop(self) -> None:
        self._stop.set()

    def wait(self, seconds: float | None = None) -> None:
        if self._thread:
            self._thread.join(seconds)

    def _tell(self, what: str, done: int, total: int) -> None:
        if self._stop.is_set():
            raise CancelledError
        self._status = {"state": "running", "told": what, "done": done, "total": total}

    def _run(self) -> None:
        try:
            told = self._learned()
        except CancelledError:
            self._end("idle", "learning was stopped; nothing has changed")
        except ProjError as error:
            self._end("failed", str(error))
        except Exception as error:  # the server lives on, and the page says what happened
            self._end("failed", f"learning failed: {type(error).__name__}: {error}")
        else:
            self._end("done", told)

    def _end(self, state: str, told: str) -> None:
        self._status = {"state": state, "told": told, "done": 0, "total": 0}

    def _learned(self) -> str:
        session = self.session
        if not session.gold:
            raise ProjError("there is nothing to learn from yet", remedy="mark sentences gold first")
        self._tell("reading the translations", 0, 0)
        bitexts = self.bitexts.all()
        with session.lock:
            gold = examples(session, session.gold, bitexts)
            rest = examples(session, session.free, bitexts)
            versions = list(session.versions)
            before = {x.n: session.machine[x.n].heads for x in gold}
        if not rest:
            raise ProjError("there is nothing to do: every sentence is gold or corrected by hand")
        told = f"{self.name} learned from {_sentences(len(gold))}"
        checks = self._compared(gold, before)
        if checks:
            told += "; on those that it had not seen {:.0f} % of the heads are right, before {:.0f} %".format(*checks)
            if checks[0] < checks[1]:
                return f"{told}: the old trees stay, mark more sentences gold and try again"
        trees = list(self.learner(gold, rest, self._tell))
        self._tell("taking the new trees", 0, 0)
        changed = len(session.learn(trees, f"{self.name} learned from {_sentences(len(gold))}", versions).after)
        kept, left = len(session) - len(gold) - len(rest), len(rest) - changed
        told += f". {_sentences(changed)} projected anew"
        told += f"; {_sentences(left)} left as before" if left else ""
        return told + (f"; {_sentences(kept)} corrected but not gold stayed as you left them" if kept else "")

    def _compared(self, gold: Sequence[Example], before: Mapping[int, Sequence[int]]) -> tuple[float, float] | None:
        """Percent of right heads after learning, by folds, and before it; None with too few sentences to tell."""
        if len(gold) < FEW:
            return None
        fresh = {n: tree.heads for n, tree in checked(self.learner, gold, self._tell).items()}
        return 100 * share_right(gold, fresh), 100 * share_right(gold, {n: before[n] for n in fresh})


def _sentences(count: int) -> str:
    return f"{count} sentence{'s' * (count != 1)}"
