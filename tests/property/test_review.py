"""Reviews as a whole: any edits, undone, give the file back; a journal, replayed, gives the session back; trees stay trees."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from reviewfiles import TEXT

from divproj.core.tree import cycles
from divproj.review.document import Document, Journal
from divproj.review.session import EditError, LearnedTree, Session, incomplete

ABOUT = {"sha256": "x"}
place = st.integers(0, 3)
word = st.integers(0, 5)
relation = st.sampled_from(["", "obj", "nmod:poss", "root", "a b"])
edits = st.one_of(
    st.tuples(st.just("head"), place, word, word, relation, st.booleans()),
    st.tuples(st.just("relation"), place, word, relation),
    st.tuples(st.just("gold"), place, st.booleans()),
    st.tuples(st.just("learn"), place, st.integers(0, 3)),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
)


def chain(size: int, root: int) -> LearnedTree:
    """Every word depends on the next towards the root."""
    root = root % size
    heads = tuple(0 if k == root else k + 2 if k < root else k for k in range(size))
    return LearnedTree(heads, ("dep",) * size, ("guess",) * size, (0.5,) * size, "# projection = x")


def perform(session: Session, edit: tuple[Any, ...]) -> bool:
    """Whether the edit could be made."""
    kind, *rest = edit
    acts: dict[str, Callable[..., Any]] = {
        "head": lambda n, k, head, rel, fix: session.set_head(n, k, head, rel, fix=fix),
        "relation": session.set_relation,
        "gold": session.set_gold,
        "learn": lambda n, root: session.learn([(n, chain(len(session.states[n].heads), root))], "learned"),
        "undo": session.undo,
        "redo": session.redo,
    }
    before = session.render()
    try:
        acts[kind](*rest)
    except EditError:
        assert session.render() == before
        return False
    return True


def sound(session: Session) -> None:
    for state in session.states:
        assert not cycles(state.heads)
        assert state.heads.count(0) <= 1
        if state.gold:
            assert not incomplete(state)


@given(st.lists(edits, max_size=25))
def test_undoing_all_gives_the_file_back(todo: list[tuple[Any, ...]]):
    session = Session(Document(TEXT.encode()))
    seen = {0: session.render()}
    for edit in todo:
        if perform(session, edit):
            sound(session)
            if edit[0] not in ("undo", "redo"):
                seen[len(session.history)] = session.render()
    while session.history:
        assert session.render() == seen[len(session.history)]
        session.undo()
    assert session.render() == TEXT.encode()
    while session.undone:
        session.redo()
        sound(session)


@given(st.lists(edits, max_size=20), st.data())
def test_a_journal_replayed_gives_the_session_back(todo: list[tuple[Any, ...]], data: st.DataObject):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        session = Session(Document(TEXT.encode()), Journal(path, ABOUT))
        assert session.journal
        after = [(path.stat().st_size, session.render())]
        for edit in todo:
            perform(session, edit)
            after.append((path.stat().st_size, session.render()))
        session.journal.close()
        again = Session(Document(TEXT.encode()), Journal(path, ABOUT))
        assert again.journal
        assert (again.states, again.machine, again.history, again.undone) == (
            session.states,
            session.machine,
            session.history,
            session.undone,
        )
        again.journal.close()
        cut = data.draw(st.integers(after[0][0], after[-1][0]))  # a crash in the middle of a write
        path.write_bytes(path.read_bytes()[:cut])
        crashed = Session(Document(TEXT.encode()), Journal(path, ABOUT))
        assert crashed.journal
        assert crashed.render() == [text for size, text in after if size <= cut][-1]
        crashed.journal.close()


@given(st.lists(edits, max_size=12))
def test_what_was_saved_can_be_reviewed_again(todo: list[tuple[Any, ...]]):
    session = Session(Document(TEXT.encode()))
    for edit in todo:
        perform(session, edit)
    again = Session(Document(session.render()))
    for state, saved in zip(session.states, again.states, strict=True):
        assert (saved.heads, saved.deprels, saved.gold) == (state.heads, state.deprels, state.gold)
        assert (saved.reasons, saved.machine_confidence) == (state.reasons, state.machine_confidence)
    assert again.render() == session.render()
