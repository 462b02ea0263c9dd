"""Learning from corrections: a real system, learners of other kinds, and a job that is stopped, fails or finds nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from reviewfiles import TEXT, session_of

from divproj import Corpus, ProjError, TreePair
from divproj.io import conllu
from divproj.projection.output import annotated
from divproj.projection.s1 import Bitext, s1
from divproj.resources import folder
from divproj.review.retrain import Bitexts, Example, Job, ProjectionLearner, Tell, checked, share_right
from divproj.review.session import Learned, Session


@pytest.fixture(scope="module")
def pairs() -> list[TreePair]:
    return list(Corpus.at(folder("corpora") / "hin-eng"))


def projected(pairs: Sequence[TreePair]) -> tuple[Session, dict[int, Bitext]]:
    """A review of what S1 makes of the pairs, and their bitexts."""
    rows = conllu.load(folder("corpora") / "hin-eng" / "f.conllu")
    made = [annotated(row, s1(Bitext.of(pair)), "s1-r") for row, pair in zip(rows, pairs, strict=False) if row]
    return session_of("".join(map(conllu.dumps, made))), {n: Bitext.of(pair) for n, pair in enumerate(pairs)}


def correct(session: Session, pairs: Sequence[TreePair], places: Sequence[int]) -> None:
    """Do what a person would: the gold tree, and the mark."""
    for n in places:
        root = pairs[n].f.root
        assert root is not None
        session.set_head(n, root, 0)
        for _ in range(2):  # an order in which no cycle comes up exists, or the second round finds it
            for word, head in enumerate(pairs[n].f.heads, 1):
                session.set_head(n, word, head, pairs[n].f.rels[word - 1] if head else "", mend=True)
        assert session.states[n].heads == pairs[n].f.heads
        session.set_gold(n, True)


def test_a_real_system_learns(pairs: list[TreePair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(40))
    session.set_relation(41, 1, "mine")
    job = Job(session, ProjectionLearner("s2+"), Bitexts(bitexts), "s2+")
    assert job.start()
    job.wait(60)
    status = job.status
    assert status["state"] == "done", status
    assert status["told"].startswith("s2+ learned from 40 sentences; on those that it had not seen ")
    assert status["told"].endswith(". 25 sentences projected anew; 1 sentence corrected but not gold stayed as you left them")
    right = [a == b for n in range(42, 66) for a, b in zip(session.states[n].heads, pairs[n].f.heads, strict=True)]
    were = [a == b for n in range(42, 66) for a, b in zip(s1(bitexts[n]).heads, pairs[n].f.heads, strict=True)]
    assert sum(right) > sum(were)
    assert session.states[41].rels[0] == "mine"
    assert all(session.states[n].heads == pairs[n].f.heads for n in range(40))
    assert session.order()[0] >= 42
    assert b"# projection = s2+ coverage=" in session.bytes()
    session.undo()
    assert session.states[50].reasons == s1(bitexts[50]).reasons


def test_systems_that_do_not_learn():
    for name in ("s1-r", "oracle", "magic"):
        with pytest.raises(ProjError, match=f"system '{name}' does not learn; choose one of s2-3, s2-2, s2-1"):
            ProjectionLearner(name)


def test_a_system_without_confidences(pairs: list[TreePair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(4))
    job = Job(session, ProjectionLearner("s2-1"), Bitexts(bitexts), "s2-1")
    job.start()
    job.wait(60)
    assert job.status["told"] == "s2-1 learned from 4 sentences. 62 sentences projected anew"
    assert session.states[60].confidence is None


class Reversing:
    """A learner that needs no bitext: every word hangs on the next."""

    def __init__(self, fault: Exception | None = None, hold: threading.Event | None = None) -> None:
        self.fault, self.hold = fault, hold

    def __call__(self, gold: Sequence[Example], rest: Sequence[Example], tell: Tell) -> Iterator[tuple[int, Learned]]:
        if self.fault:
            raise self.fault
        for k, example in enumerate(rest):
            tell("turning round", k, len(rest))
            if self.hold:
                self.hold.wait(20)
                tell("turning round", k, len(rest))
            size = len(example.tree)
            yield example.n, Learned((*range(2, size + 1), 0), ("dep",) * size, ("guess",) * size, (0.25,) * size)


def job_of(session: Session, learner: Any) -> Job:
    job = Job(session, learner, Bitexts(), "mine")
    assert job.status["state"] == "idle"
    job.start()
    return job


def ended(job: Job) -> dict[str, Any]:
    job.wait(20)
    return job.status


def test_any_callable_is_a_learner():
    session = session_of()
    assert ended(job_of(session, Reversing()))["told"] == "mine learned from 1 sentence. 3 sentences projected anew"
    assert session.states[3].heads == (2, 3, 0)
    assert session.states[3].confidence == 0.25


def test_what_is_edited_while_it_learns_stays():
    session, hold = session_of(), threading.Event()
    job = job_of(session, Reversing(hold=hold))
    assert not job.start()  # it is at work already
    session.set_head(0, 4, 3)
    hold.set()
    assert ended(job)["told"].startswith("mine learned from 1 sentence. 2 sentences projected anew; 1 sentence left as before")
    assert session.states[0].heads == (3, 3, 0, 3)


def test_stopping():
    session, hold = session_of(), threading.Event()
    job = job_of(session, Reversing(hold=hold))
    job.stop()
    hold.set()
    assert ended(job) == {"state": "idle", "told": "learning was stopped; nothing has changed", "done": 0, "total": 0}
    assert session.bytes() == TEXT.encode()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ProjError("no luck", remedy="try again"), "no luck; try again"),
        (ZeroDivisionError("oh"), "learning failed: ZeroDivisionError: oh"),
    ],
)
def test_a_learner_that_fails(fault: Exception, told: str):
    session = session_of()
    assert ended(job_of(session, Reversing(fault))) == {"state": "failed", "told": told, "done": 0, "total": 0}
    assert session.bytes() == TEXT.encode()


def test_nothing_to_learn_from_or_to_do():
    session = session_of()
    session.set_gold(2, False)
    told = ended(job_of(session, Reversing()))["told"]
    assert told == "there is nothing to learn from yet; mark sentences gold first"
    only = session_of(TEXT.split("\n\n\n")[1].split("\n\n")[0])
    told = ended(job_of(only, Reversing()))["told"]
    assert told == "there is nothing to do: every sentence is gold or corrected by hand"
    session.set_gold(0, True)
    told = ended(job_of(session, ProjectionLearner()))["told"]
    assert told == "no gold sentence has a tree of its translation; mark other sentences gold"


def test_worse_trees_are_not_taken(pairs: list[TreePair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(6))
    before = session.bytes()
    job = Job(session, Reversing(), Bitexts(bitexts), "mine")
    job.start()
    told = ended(job)["told"]
    assert told.startswith("mine learned from 6 sentences; on those that it had not seen ")
    assert told.endswith(": the old trees stay, mark more sentences gold and try again")
    assert session.bytes() == before


def test_folds_that_cannot_be_learned_from_are_left_out():
    session = session_of()
    gold = [Example(n, None, session.document.blocks[n].sentence.usable_tree()[0]) for n in (0, 1)]
    assert checked(Reversing(ProjError("none")), gold, lambda *_: None) == {}
    found = checked(Reversing(), gold, lambda *_: None)
    assert share_right(gold, {n: tree.heads for n, tree in found.items()}) == pytest.approx(4 / 7)
    assert share_right(gold, {}) == 0


def test_bitexts_are_read_once_and_only_for_learning(pairs: list[TreePair]):
    session, found = projected(pairs)
    reads: list[int] = []

    def read() -> dict[int, Bitext]:
        reads.append(1)
        return found

    bitexts = Bitexts(read=read)
    assert bitexts
    assert not Bitexts()
    job = Job(session, ProjectionLearner("s2-1"), bitexts, "s2-1")
    job.start()
    assert "nothing to learn from" in ended(job)["told"]
    assert reads == []
    correct(session, pairs, range(2))
    for _ in range(2):
        job.start()
        assert ended(job)["state"] == "done"
    assert reads == [1]
