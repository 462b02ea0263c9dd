"""Learning from corrections: gold sentences in, new trees for the rest out.

A `Learner` is any callable of that kind. `AdaptingLearner` starts from the trees in use and adds to them; `ProjectionLearner`
trains a system of `projection.systems` on the gold sentences alone. Whichever it is, its trees are taken only when a check on
the gold sentences says that they are better than those in use (`checking`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from typing import Any

from divproj.data.errors import ProjError
from divproj.data.pair import Pair
from divproj.data.sentence import PROJECTED
from divproj.data.wording import plural
from divproj.projection import registry, systems
from divproj.projection.calibration import calibrated
from divproj.projection.direct import Projection, ProjectionInput
from divproj.review.adapting import Adapter, Case, InUse
from divproj.review.checking import Verdict, check
from divproj.review.examples import Example, Learner, ProjectionInputs, Tell, examples, usable
from divproj.review.session import Learned, Session
from divproj.review.settings import CAUTIONS


@dataclass(frozen=True)
class AdaptingLearner:
    """Corrections of the trees in use, whatever made them: rules, a pack or a model."""

    caution: float = 0.0
    _fitted: dict[tuple[int, ...], Adapter] = field(default_factory=dict, repr=False, compare=False)
    """The latest adapter by the places it was learned from: variants that differ in caution share it."""
    _cases: dict[int, tuple[Example, Case]] = field(default_factory=dict, repr=False, compare=False)

    def variants(self) -> list[AdaptingLearner]:
        return [replace(self, caution=caution) for caution in CAUTIONS]

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]:
        known = [example for example in gold if usable(example) and example.prior.heads]
        if not known:
            what = "no gold sentence has glosses or a tree of its translation"
            raise ProjError(what, remedy="mark other sentences gold")
        tell("learning from gold sentences", 0, len(known))
        adapter = self._adapter(known)
        wanted = [example for example in rest if usable(example) and example.prior.heads]
        for done, example in enumerate(wanted):
            tell("looking at the rest", done, len(wanted))
            yield example.n, self._learned(example, adapter)

    def _adapter(self, gold: Sequence[Example]) -> Adapter:
        places = tuple(example.n for example in gold)
        if places not in self._fitted:
            self._fitted.clear()
            self._fitted[places] = Adapter.fit([self._case(x) for x in gold], [x.tree for x in gold])
        return self._fitted[places]

    def _case(self, example: Example) -> Case:
        """Kept for gold sentences, which folds ask for again and again."""
        found = self._cases.get(example.n)
        if found is None or found[0] != example:
            found = self._cases[example.n] = (example, _case(example))
        return found[1]

    def _learned(self, example: Example, adapter: Adapter) -> Learned:
        case, prior = self._cases[example.n][1] if example.n in self._cases else _case(example), example.prior
        heads, sure = adapter.tree(case, self.caution)
        same = tuple(a == b for a, b in zip(heads, prior.heads, strict=True))
        reasons = tuple(old if kept else "learned" for old, kept in zip(prior.reasons, same, strict=True))
        mixed = [old if kept else new for old, new, kept in zip(prior.sure, sure, same, strict=True)]
        known = tuple(c for c in mixed if c is not None)
        rels = adapter.relations(case, heads)
        note = prior.note if all(same) and rels == prior.rels else _added(prior.note)
        return Learned(heads, rels, reasons, known if len(known) == len(heads) else (), note)


def _case(example: Example) -> Case:
    return Case(_input(example), example.prior)


def _added(note: str) -> str:
    """The comment on the projection, with what was added to it.

    >>> _added("# projection = s5 coverage=0.80 links=4"), _added("")
    ('# projection = s5 coverage=0.80 links=4 learned', '')
    """
    return note if not note or note.endswith(" learned") else f"{note} learned"


@dataclass(frozen=True)
class ProjectionLearner:
    """A system of projection trained on the gold sentences that have a translation's tree; `auto` goes by how many there are."""

    system: str = systems.DEFAULT

    def __post_init__(self) -> None:
        able = [code for code, system in registry.SYSTEMS.items() if system.learns]
        if self.system not in (registry.AUTO, *able):
            raise ProjError(f"system '{self.system}' does not learn", remedy=f"choose one of {', '.join(able)}")

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]:
        pairs = {example.n: _pair(example) for example in gold if _translated(example)}
        if not pairs:
            raise ProjError("no gold sentence has a tree of its translation", remedy="mark other sentences gold")
        tell("learning from gold sentences", 0, len(pairs))
        system = self.system
        if system == registry.AUTO:
            system = registry.choose(gold=len(pairs), glosses=any(pair.f.glosses for pair in pairs.values())).system
        wanted = {example.n: example for example in rest if _translated(example)}
        text = {n: ProjectionInput.of(pair) for n, pair in pairs.items()} | {n: _input(x) for n, x in wanted.items()}
        project = systems.train(system, [*pairs.values()], text=[text[n] for n in sorted(text)])
        for done, n in enumerate(wanted):
            tell("projecting the rest", done, len(wanted))
            yield n, _learned(calibrated(project(text[n]), system), system)


def check_rules(pairs: Sequence[Pair], system: str, tell: Tell) -> Verdict:
    """Return whether rules for a system make better trees than projection without rules.

    Both project pairs with gold trees of F: without rules the system that `auto` takes then, with rules one that has learned them from the
    other pairs.
    """
    text = [ProjectionInput.of(pair) for pair in pairs]
    without = registry.choose(glosses=systems.suits_s6(text)).system
    tell(f"projecting by {without}", 0, len(pairs))
    project = systems.train(without, (), text=text)
    gold = []
    for n, (pair, bitext) in enumerate(zip(pairs, text, strict=True)):
        found = project(bitext)
        gold.append(Example(n, bitext, pair.f, InUse(found.heads, found.tree.rels, found.reasons)))
    return check(ProjectionLearner(system), gold, tell, curve=False)


def _translated(example: Example) -> bool:
    """Whether there is a tree of the translation, which systems of projection need to learn."""
    return example.bitext is not None and len(example.bitext.e) > 0


def _learned(found: Projection, system: str) -> Learned:
    links = len(found.bitext.links)
    note = f"{PROJECTED}{system} coverage={found.coverage:.2f} links={links}{'' if links else ' unlinked'}"
    return Learned(found.heads, found.tree.rels, found.reasons, found.confidence, note)


def _input(example: Example) -> ProjectionInput:
    assert example.bitext is not None
    return example.bitext


def _pair(example: Example) -> Pair:
    """The sentence with its gold tree, to learn from."""
    given = _input(example)
    return Pair(example.tree, given.e, given.links, given.sent_id)


class Job:
    """Learning in a thread of its own; `status` says how far it is."""

    def __init__(self, session: Session, learner: Learner, bitexts: ProjectionInputs, name: str) -> None:
        self.session, self.learner, self.bitexts, self.name = session, learner, bitexts, name
        self._status: dict[str, Any] = {"state": "idle", "told": "", "done": 0, "total": 0}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.verdict: Verdict | None = None
        """What the latest check found."""

    @property
    def status(self) -> dict[str, Any]:
        return dict(self._status)

    def start(self) -> bool:
        """Begin; False when it is at work already."""
        with self._lock:
            if self._thread and self._thread.is_alive():
                if self._status["state"] == "running":
                    return False
                self._thread.join()  # it has said its last word
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
        if not rest:
            raise ProjError("there is nothing to do: every sentence is gold or corrected by hand")
        verdict = self.verdict = check(self.learner, gold, self._tell)
        if not verdict.better:
            return f"nothing has changed: {verdict.told}"
        trees = [(n, tree) for n, tree in verdict.learner(gold, rest, self._tell) if _differs(session, n, tree)]
        self._tell("taking the new trees", 0, 0)
        change = session.learn(trees, f"{self.name} learned from {sentences(len(gold))}", versions)
        heads = sum(a != b for n in change.after for a, b in _heads(change.before[n].heads, change.after[n].heads))
        kept = len(session) - len(gold) - len(rest)
        done = f"{plural(heads, 'head')} changed in {sentences(len(session.differing()))}" if heads else "no head changed"
        told = f"{verdict.told}. {done}"
        return told + (f"; {sentences(kept)} corrected but not gold stayed as you left them" if kept else "")


def _heads(before: Sequence[int], after: Sequence[int]) -> Iterator[tuple[int, int]]:
    return zip(before, after, strict=True)


def _differs(session: Session, n: int, tree: Learned) -> bool:
    state = session.states[n]
    sure = tuple(round(c, 2) for c in tree.confidence) or (None,) * len(state.sure)
    return (state.heads, state.rels, state.sure) != (tree.heads, tree.rels, sure)


def sentences(count: int) -> str:
    return f"{count} sentence{'s' * (count != 1)}"
