"""Learning from corrections: a real system, learners of other kinds, and a job that is stopped, fails or finds nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from reviewfiles import TEXT, correct, projected, session_of

from divproj import Corpus, DepTree, Links, Pair, ProjError
from divproj.projection.direct import ProjectionInput, s1
from divproj.review.learning import (
    AdaptingLearner,
    LearningJob,
    ProjectionInputs,
    ProjectionLearner,
    ReviewedSentence,
    Tell,
    check_rules,
    in_use,
    predict_by_folds,
)
from divproj.review.session import LearnedTree, Session
from divproj.runtime.resources import folder


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return list(Corpus.at(folder("corpora") / "hin-eng"))


def right(session: Session, pairs: Sequence[Pair], places: Sequence[int]) -> list[int]:
    """Right heads of each sentence."""
    return [sum(a == b for a, b in zip(session.states[n].heads, pairs[n].f.heads, strict=True)) for n in places]


def test_learning_adds_to_the_trees_in_use(pairs: list[Pair]):
    session, bitexts = projected(pairs)
    before = list(session.states)
    were = sum(right(session, pairs, range(22, 66)))
    correct(session, pairs, range(20))
    session.set_relation(21, 1, "mine")
    job = LearningJob(session, AdaptingLearner(), ProjectionInputs(bitexts), "the review")
    assert job.start()
    job.wait(600)
    status = job.status
    assert status["state"] == "done", status
    assert status["told"].startswith("checked on 20 gold sentences that it had not seen, learning puts ")
    assert status["told"].endswith("; 1 sentence corrected but not gold stayed as you left them")
    assert sum(right(session, pairs, range(22, 66))) > were + 10
    assert session.states[21].deprels[0] == "mine"
    assert all(session.states[n].heads == pairs[n].f.heads for n in range(20))
    changed = session.differing()
    assert changed
    for n, (old, new) in changed.items():
        assert old == before[n]
        for k, reason in enumerate(new.reasons):
            assert (reason == "learned") == (old.heads[k] != new.heads[k])
            if reason != "learned" and old.deprels[k] == "punct":
                assert new.deprels[k] == "punct"
    assert b"# projection = s1-r coverage=" in session.render()
    verdict = job.verdict
    assert verdict is not None
    assert [point.gold for point in verdict.curve] == [0, 5, 10, 15, 20]
    assert verdict.curve[-1].known.share > verdict.curve[0].known.share
    session.undo()
    assert session.states[50] == before[50]


def test_a_tree_of_learning_can_be_refused(pairs: list[Pair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(20))
    job = LearningJob(session, AdaptingLearner(), ProjectionInputs(bitexts), "the review")
    job.start()
    job.wait(600)
    n = next(iter(session.differing()))
    old, new = session.differing()[n]
    session.refuse(n)
    assert session.states[n] == old
    assert session.machine[n] == old
    assert n not in session.differing()
    with pytest.raises(ProjError, match="this tree is not one of the latest learning"):
        session.refuse(n)
    session.undo()
    assert session.states[n] == new
    session.set_head(n, 1, 0, fix=True)
    with pytest.raises(ProjError, match="this tree is not one of the latest learning"):
        session.refuse(n)


@pytest.mark.parametrize("first", [0, 7, 30])
def test_one_gold_sentence_makes_no_tree_worse(pairs: list[Pair], first: int):
    session, bitexts = projected(pairs)
    others = [n for n in range(66) if n != first]
    were = right(session, pairs, others)
    labels = [state.deprels for state in session.states]
    correct(session, pairs, [first])
    job = LearningJob(session, AdaptingLearner(), ProjectionInputs(bitexts), "the review")
    job.start()
    job.wait(600)
    told = job.status["told"]
    assert "1 gold sentence cannot be checked (4 more are needed), so only what the odds are strongly for is changed" in told
    assert all(now >= was for now, was in zip(right(session, pairs, others), were, strict=True))
    assert all(session.states[n].deprels.count("dep") <= labels[n].count("dep") for n in others)


def test_too_few_sentences_for_a_system_that_starts_anew(pairs: list[Pair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(4))
    before = session.render()
    job = LearningJob(session, ProjectionLearner("s2-1"), ProjectionInputs(bitexts), "s2-1")
    job.start()
    job.wait(600)
    assert job.status["told"] == "nothing has changed: learning can be checked from 5 gold sentences on: 1 more is needed"
    assert session.render() == before


def reversed_pairs(count: int) -> list[Pair]:
    """Pairs without glosses whose adpositions are heads, unlike those of the translation."""
    made = []
    for k in range(count):
        f = DepTree((f"mo{k}", "sa", f"run{k}"), (2, 3, 0), ("obl", "case", "root"))
        e = DepTree(("ran", "in", f"town{k}"), (0, 3, 1), ("root", "case", "obl"), ("VERB", "ADP", "NOUN"))
        made.append(Pair(f, e, Links(frozenset({(1, 3), (2, 2), (3, 1)}), (3, 3)), f"s{k}"))
    return made


def test_rules_are_checked_before_they_are_taken():
    verdict = check_rules(reversed_pairs(12), "s2+", lambda what, done, total: None)
    assert verdict.better
    assert verdict.explanation == "checked on 12 gold sentences that it had not seen, learning puts 24 heads right and 0 wrong"
    few = check_rules(reversed_pairs(4), "s2+", lambda what, done, total: None)
    assert (few.better, few.explanation) == (False, "learning can be checked from 5 gold sentences on: 1 more is needed")


def test_rules_that_teach_nothing_are_not_taken():
    straight = [replace(pair, f=replace(pair.f, heads=(3, 1, 0))) for pair in reversed_pairs(12)]
    verdict = check_rules(straight, "s2+", lambda what, done, total: None)
    assert not verdict.better
    assert "learning puts 0 heads right and 0 wrong, which is no clear gain" in verdict.explanation


def test_a_system_that_observes_sees_the_gold_sentences_too(pairs: list[Pair], monkeypatch: pytest.MonkeyPatch):
    """s6+ that had gone through a fold alone knew less of the word order than the trees that it is compared with."""
    texts: list[list[str]] = []

    def train(system: str, gold: Sequence[Pair], text: Sequence[ProjectionInput] = ()) -> Any:
        texts.append([bitext.sent_id for bitext in text])
        return s1

    monkeypatch.setattr("divproj.review.learning.systems.train", train)
    gold = [ReviewedSentence(n, ProjectionInput.of(pair), pair.f) for n, pair in enumerate(pairs[:6])]
    assert predict_by_folds(ProjectionLearner("s6+"), gold, lambda what, done, total: None)
    assert texts == [[pair.sent_id for pair in pairs[:6]]] * 6


def test_systems_that_do_not_learn():
    for name in ("s1-r", "oracle", "magic"):
        with pytest.raises(ProjError, match=f"system '{name}' does not learn; choose one of s2-3, s2-2, s2-1"):
            ProjectionLearner(name)


def test_a_system_without_confidences_of_its_own_has_calibrated_ones(pairs: list[Pair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(10))
    job = LearningJob(session, ProjectionLearner("s2-1"), ProjectionInputs(bitexts), "s2-1")
    job.start()
    job.wait(600)
    assert "learning puts" in job.status["told"]
    sure = session.states[60].confidence
    assert sure is not None
    assert 0 < sure < 1


class Reversing:
    """A learner that needs no bitext: every word depends on the next."""

    def __init__(self, fault: Exception | None = None, hold: threading.Event | None = None) -> None:
        self.fault, self.hold = fault, hold

    def variants(self) -> list[Reversing]:
        return [self, self]

    def __call__(
        self, gold: Sequence[ReviewedSentence], rest: Sequence[ReviewedSentence], tell: Tell
    ) -> Iterator[tuple[int, LearnedTree]]:
        if self.fault:
            raise self.fault
        for k, example in enumerate(rest):
            tell("turning round", k, len(rest))
            if self.hold:
                self.hold.wait(20)
                tell("turning round", k, len(rest))
            size = len(example.tree)
            yield example.n, LearnedTree((*range(2, size + 1), 0), ("dep",) * size, ("guess",) * size, (0.25,) * size)


def job_of(session: Session, learner: Any) -> LearningJob:
    job = LearningJob(session, learner, ProjectionInputs(), "mine")
    assert job.status["state"] == "idle"
    job.start()
    return job


def ended(job: LearningJob) -> dict[str, Any]:
    job.wait(20)
    return job.status


def test_any_callable_is_a_learner():
    session = session_of()
    session.set_gold(1, True)
    told = ended(job_of(session, Reversing()))["told"]
    assert told == (
        "1 gold sentence cannot be checked (4 more are needed), so only what the odds are strongly for is changed. 5 heads changed in 2 sentences"
    )
    assert session.states[3].heads == (2, 3, 0)
    assert session.states[3].confidence == 0.25


def test_what_is_edited_while_it_learns_stays():
    session, hold = session_of(), threading.Event()
    session.set_gold(1, True)
    job = job_of(session, Reversing(hold=hold))
    assert not job.start()  # it is at work already
    session.set_head(0, 4, 3)
    hold.set()
    assert ended(job)["told"].endswith("changed in 1 sentence")
    assert session.states[0].heads == (3, 3, 0, 3)


def test_stopping():
    session, hold = session_of(), threading.Event()
    session.set_gold(1, True)
    before = session.render()
    job = job_of(session, Reversing(hold=hold))
    job.stop()
    hold.set()
    assert ended(job) == {"state": "idle", "told": "learning was stopped; nothing has changed", "done": 0, "total": 0}
    assert session.render() == before


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (ProjError("no luck", remedy="try again"), "no luck; try again"),
        (ZeroDivisionError("oh"), "learning failed: ZeroDivisionError: oh"),
    ],
)
def test_a_learner_that_fails(fault: Exception, told: str):
    session = session_of()
    session.set_gold(1, True)
    before = session.render()
    assert ended(job_of(session, Reversing(fault))) == {"state": "failed", "told": told, "done": 0, "total": 0}
    assert session.render() == before


def test_nothing_to_learn_from_or_to_do():
    session = session_of()
    session.set_gold(2, False)
    told = ended(job_of(session, Reversing()))["told"]
    assert told == "there is nothing to learn from yet; mark sentences gold first"
    only = session_of(TEXT.split("\n\n\n")[1].split("\n\n")[0])
    told = ended(job_of(only, Reversing()))["told"]
    assert told == "there is nothing to do: every sentence is gold or corrected by hand"
    session.set_gold(0, True)
    told = ended(job_of(session, AdaptingLearner()))["told"]
    assert told == "no gold sentence has glosses or a tree of its translation; mark other sentences gold"


def test_worse_trees_are_not_taken(pairs: list[Pair]):
    session, bitexts = projected(pairs)
    correct(session, pairs, range(6))
    before = session.render()
    job = LearningJob(session, Reversing(), ProjectionInputs(bitexts), "mine")
    job.start()
    told = ended(job)["told"]
    assert told.startswith("nothing has changed: checked on 6 gold sentences that it had not seen, learning puts ")
    assert told.endswith("wrong, which is no clear gain; about 6 more gold sentences are needed")
    assert session.render() == before


def test_folds_that_cannot_be_learned_from_are_left_out():
    session = session_of()
    gold = [ReviewedSentence(n, None, session.document.blocks[n].sentence.usable_tree()[0]) for n in (0, 1)]
    assert predict_by_folds(Reversing(ProjError("none")), gold, lambda *_: None) == {}
    found = predict_by_folds(Reversing(), gold, lambda *_: None)
    assert found[0].heads == (2, 3, 4, 0)


def test_trees_of_a_person_are_no_prior():
    session = session_of()
    assert in_use(session, 0).heads == (3, 3, 0, 1)
    assert in_use(session, 2).heads == ()  # gold in the file
    assert in_use(session, 3).heads == ()  # not a tree
    told = ended(job_of(session, AdaptingLearner()))["told"]
    assert told == (
        "nothing has changed: learning can be checked from 5 gold sentences on: 5 more are needed (1 gold sentence came with "
        "a person's tree, so what it was corrected from is not known)"
    )


def test_bitexts_are_read_once_and_only_for_learning(pairs: list[Pair]):
    session, found = projected(pairs)
    reads: list[int] = []

    def read() -> dict[int, ProjectionInput]:
        reads.append(1)
        return found

    bitexts = ProjectionInputs(read=read)
    assert bitexts
    assert not ProjectionInputs()
    job = LearningJob(session, ProjectionLearner("s2-1"), bitexts, "s2-1")
    job.start()
    assert "nothing to learn from" in ended(job)["told"]
    assert reads == []
    correct(session, pairs, range(2))
    for _ in range(2):
        job.start()
        assert ended(job)["state"] == "done"
    assert reads == [1]
