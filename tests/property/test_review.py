"""Reviews as a whole: any edits, undone, give the file back; a journal, replayed, gives the session back; trees stay trees."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from reviewfiles import TEXT

from divproj import Faults
from divproj.core.tree import cycles
from divproj.io.trees import conllu
from divproj.review.document import Document, Journal
from divproj.review.edits import EditError
from divproj.review.session import LearnedTree, Session, incomplete
from divproj.search.query import find_in, parse
from divproj.search.replace import parse_changes

ABOUT = {"sha256": "x"}
place = st.integers(0, 5)
word = st.integers(0, 5)
cells = st.dictionaries(
    st.sampled_from(["upos", "xpos", "lemma", "feats", "gloss", "note", "form"]),
    st.sampled_from(["", "NOUN", "Case=Nom", "Number=Sing|Case=Acc", "a|b", "dog"]),
    max_size=2,
)
relation = st.sampled_from(["", "obj", "nmod:poss", "root", "a b"])
edits = st.one_of(
    st.tuples(st.just("head"), place, word, word, relation, st.booleans()),
    st.tuples(st.just("relation"), place, word, relation),
    st.tuples(st.just("gold"), place, st.booleans()),
    st.tuples(st.just("learn"), place, st.integers(0, 3)),
    st.tuples(st.just("cells"), place, word, cells),
    st.tuples(st.just("comment"), place, st.sampled_from(["note", "text_en", "sent_id"]), st.sampled_from(["", "x y", "é"])),
    st.tuples(st.just("state"), place, st.sampled_from(["draft", "corrected", "second", "gold", "?"])),
    st.tuples(st.just("split word"), place, word, st.lists(st.sampled_from(["n", "i", "na", ""]), max_size=3), st.booleans()),
    st.tuples(st.just("join words"), place, word, st.sampled_from(["", "abc"])),
    st.tuples(st.just("token"), place, word, word),
    st.tuples(st.just("no token"), place, word),
    st.tuples(st.just("split sentence"), place, word),
    st.tuples(st.just("join sentences"), place),
    st.tuples(st.just("keep"), place),
    st.tuples(st.just("take"), place, st.integers(0, 2), st.booleans()),
    st.tuples(st.just("links"), place, st.lists(st.tuples(word, word), max_size=3)),
    st.tuples(
        st.just("replace"),
        st.sampled_from(["upos=NOUN", "rel=dep", "gloss"]),
        st.sampled_from(["upos=X", "head=head.head", "feats.Case=Nom"]),
    ),
    st.tuples(st.just("undo")),
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
        "learn": lambda n, root: session.learn(
            [(n, chain(len(session.states[n].heads), root))] if n in session.places else [], "learned"
        ),
        "cells": session.set_cells,
        "comment": session.set_comment,
        "state": session.set_state,
        "split word": lambda n, k, parts, token: session.split_word(n, k, parts, token=token),
        "join words": session.join_words,
        "token": session.set_token,
        "no token": session.drop_token,
        "split sentence": session.split_sentence,
        "join sentences": session.join_sentences,
        "keep": session.keep_alternative,
        "take": lambda n, at, drop: session.take_alternative(n, at, drop=drop),
        "links": session.set_links,
        "replace": lambda query, change: replace_all(session, query, change),
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


def replace_all(session: Session, query: str, change: str) -> None:
    changes = parse_changes(change)
    words = {n: find_in(session.sentence(n), parse(query)) for n in session.places}
    session.replace_all({n: (some, changes) for n, some in words.items() if some}, "replaced")


def sound(session: Session) -> None:
    """Trees are trees, columns are as many as words, and what is written is read as it is."""
    written = conllu.loads(session.render().decode(), Faults(strict=False))
    assert [row.columns for row in written] == [session.sentence(n).columns for n in session.places]
    for n in session.places:
        state = session.states[n]
        assert len(state.heads) == len(state.sentence.forms) > 0
        assert all(0 < k <= len(state.heads) for k in (*state.hand, *(k for k, _ in state.cells)))
        ids = [name for name in state.sentence.columns[0] if name.isdecimal()]
        assert ids == [str(k) for k in range(1, len(ids) + 1)]
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
        assert (again.layout, again.states, again.machine, again.history, again.undone) == (
            session.layout,
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
    for n, saved in zip(session.places, again.states, strict=True):
        state = session.states[n]
        assert (saved.heads, saved.deprels, saved.gold) == (state.heads, state.deprels, state.gold)
        assert (saved.reasons, saved.machine_confidence) == (state.reasons, state.machine_confidence)
    assert again.render() == session.render()
