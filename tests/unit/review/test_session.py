"""Edits: what each does, what is refused, what is offered, undo and redo, and taking up a journal."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from reviewfiles import TEXT, session_of

from divproj import ProjError
from divproj.core.errors import ModelError
from divproj.projection import confidence
from divproj.review.document import Document, Journal
from divproj.review.learning import accuracy
from divproj.review.session import EditError, LearnedTree, Session, incomplete

ABOUT = {"sha256": "x"}
NEW = LearnedTree((2, 3, 0), ("det", "aux", "root"), ("guess", "guess", "projected"), (0.512, 0.7, 0.9), "# projection = s2+ x")


def test_a_new_head():
    session = session_of()
    change = session.set_head(0, 4, 3)
    assert change.message == "karen (4) is now attached to ga (3)"
    state = session.states[0]
    assert state.heads == (3, 3, 0, 3)
    assert (state.deprels[3], state.reasons[3], state.machine_confidence[3]) == ("obj", "corrected", None)
    assert state.hand == {4}
    session.set_head(0, 4, 1, "nmod")
    assert session.states[0].deprels[3] == "nmod"
    assert b"4\tkaren\t_\tNOUN\t_\t_\t1\tnmod\t" in session.render()


def test_a_cycle_is_refused_and_a_swap_offered():
    session = session_of()
    with pytest.raises(EditError) as caught:
        session.set_head(0, 3, 4)
    assert caught.value.offer == "swap"
    assert str(caught.value) == "that would make a cycle: karen (4) is below ga (3) (karen (4) → ni (1) → ga (3))"
    assert (
        caught.value.offered
        == "Let karen (4) take the place of ga (3): karen (4) becomes the root, and ga (3) is attached to karen (4)"
    )
    assert session.render() == TEXT.encode()
    change = session.set_head(0, 3, 4, fix=True)
    assert change.message == "karen (4) took the place of ga (3)"
    assert session.states[0].heads == (3, 3, 4, 0)
    assert session.states[0].deprels == ("nsubj", "aux", "obj", "root")
    with pytest.raises(EditError) as caught:
        session.set_head(0, 3, 1)
    assert "ni (1) is attached to karen (4), and ga (3) is attached to ni (1)" in caught.value.offered
    session.set_head(0, 3, 1, "ccomp", fix=True)
    assert session.states[0].heads == (4, 3, 1, 0)
    assert session.states[0].deprels == ("obj", "aux", "ccomp", "root")


def test_a_cycle_below_a_word_without_a_head():
    session = session_of()
    with pytest.raises(EditError, match="cycle") as caught:
        session.set_head(3, 2, 1)
    assert "sai (1) stays without a head" in caught.value.offered


def test_a_new_root_takes_the_old_one_under_it():
    session = session_of()
    told = session.set_head(0, 1, 0).message
    assert told == "ni (1) is now the root, ga (3) is attached to it"
    assert session.states[0].heads == (0, 3, 1, 1)
    assert session.states[0].deprels == ("root", "aux", "nsubj", "obj")  # the two trade relations
    session.set_head(0, 2, 0)
    assert session.states[0].deprels == ("dep", "root", "nsubj", "obj")
    session.set_head(3, 3, 0)
    assert session.states[3].heads == (2, -1, 0)


def test_a_word_that_was_root_is_no_longer_called_so():
    session = session_of(TEXT.replace("7\tdep", "0\troot"))
    session.set_head(3, 2, 3)  # word 3 has no head, so this makes no cycle
    assert session.states[3].deprels == ("dep", "dep", "_")
    assert incomplete(session.states[3]) == "1 word has no head"


@pytest.mark.parametrize(
    ("rel", "why"),
    [
        ("x" * 61, "a relation has at most 60 characters"),
        ("a b", "a relation has no blanks and no control characters"),
        ("a\tb", "no blanks"),
        ("a\x1bb", "no control characters"),
        ("\u2028", "no blanks"),
        ("root", "only the word without a head is root; make this word the root instead"),
        ("", "a relation has at least one letter"),
    ],
)
def test_relations(rel: str, why: str):
    session = session_of()
    with pytest.raises(EditError, match=why):
        session.set_relation(0, 1, rel)
    if rel:
        with pytest.raises(EditError, match=why):
            session.set_head(0, 4, 3, rel)
    assert session.set_relation(0, 1, "nsubj:pass").message == "ni (1) is now nsubj:pass"
    assert session.states[0].machine_confidence[0] == 0.97  # the head is still the machine's
    assert session.states[0].hand == {1}


def test_what_is_not_there():
    session = session_of()
    for edit, why in (
        (lambda: session.set_head(9, 1, 2), "there is no sentence 9"),
        (lambda: session.set_head(-1, 1, 2), "there is no sentence -1"),
        (lambda: session.set_head(0, 5, 2), "there is no word 5"),
        (lambda: session.set_head(0, 0, 2), "there is no word 0"),
        (lambda: session.set_head(0, 1, 5), "there is no word 5"),
        (lambda: session.set_head(0, 1, -1), "there is no word -1"),
        (lambda: session.set_head(0, 1, 1), r"ni \(1\) cannot be its own head"),
        (lambda: session.set_gold(3, True), "not gold yet: 2 words have no head"),
        (session.undo, "there is nothing to undo"),
        (session.redo, "there is nothing to redo"),
    ):
        with pytest.raises(EditError, match=why):
            edit()
    assert session.history == []


def test_a_file_that_lags_behind_the_journal_is_known(tmp_path: Path):
    """After a crash it is what the journal gave half a second before; anything else is somebody's."""
    session = Session(Document(TEXT.encode(), "trees.conllu"), Journal(tmp_path / "j", ABOUT))
    files = [session.render()]
    session.set_gold(0, True)
    files.append(session.render())
    session.set_relation(0, 1, "iobj")
    session.undo()
    session.set_head(0, 4, 3)
    files.append(session.render())
    assert session.journal
    session.journal.close()
    again = Session(Document(TEXT.encode(), "trees.conllu"), Journal(tmp_path / "j", ABOUT))
    assert again.render() == files[-1]
    assert all(map(again.has_been, files))
    for other in (
        b"mine",
        b"",
        files[1] + b"\n",
        files[2].replace(b"\tobj\t", b"\tobl\t", 1),
        TEXT.encode().partition(b"\n\n")[2],
    ):
        assert other not in files
        assert not again.has_been(other)


def test_no_change_is_no_entry():
    session = session_of()
    assert session.set_head(0, 4, 1).message == "nothing to change"
    session.set_relation(0, 4, "obj")
    session.set_gold(2, True)
    assert session.history == []
    assert session.set_head(0, 4, 1, "iobj").message == "karen (4) is now iobj"


def test_a_tree_without_root_is_not_gold():
    session = session_of("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n")
    with pytest.raises(EditError, match="not gold yet: 2 words have no head"):
        session.set_gold(0, True)
    session.set_head(0, 1, 2)
    session.set_head(0, 2, 0)
    session.set_gold(0, True)
    assert session.render().startswith(b"# gold = yes\n1\ta\t_\t_\t_\t_\t2\tx\t")


def test_an_edit_of_what_has_changed_meanwhile():
    session = session_of()
    session.set_gold(0, True, seen=0)
    with pytest.raises(EditError, match="changed elsewhere meanwhile") as caught:
        session.set_head(0, 4, 3, seen=0)
    assert caught.value.stale
    session.set_head(0, 4, 3, seen=1)


def test_undo_and_redo():
    session = session_of()
    bytes_at = [session.render()]
    for edit in (lambda: session.set_head(0, 4, 3), lambda: session.set_gold(0, True), lambda: session.set_head(1, 1, 3)):
        edit()
        bytes_at.append(session.render())
    for k in (2, 1, 0):
        session.undo()
        assert session.render() == bytes_at[k]
    for k in (1, 2, 3):
        session.redo()
        assert session.render() == bytes_at[k]
    session.undo()
    assert session.set_gold(1, True).message == "marked gold"
    with pytest.raises(EditError, match="nothing to redo"):
        session.redo()


def test_order():
    session = session_of()
    assert session.order() == [0, 1, 3, 2]  # by confidence, then unknown, then gold
    session.set_gold(0, True)
    assert session.order() == [1, 3, 0, 2]
    assert session.relations()[:2] == ["root", "aux"]
    assert "_" not in session.relations()


def test_learning_changes_only_what_nobody_touched():
    session = session_of()
    session.set_head(0, 4, 3)
    versions = list(session.versions)
    trees = [
        (n, NEW._replace(heads=h, deprels=("x",) * len(h), reasons=("guess",) * len(h), confidence=()))
        for n, h in ((0, (0, 1, 1, 1)), (2, (0,)))
    ]
    change = session.learn([*trees, (1, NEW)], "learned")
    assert list(change.after) == [1]
    assert session.states[1].machine_confidence == (0.51, 0.7, 0.9)
    assert session.machine[1] == session.states[1]
    assert (
        b"# projection = s2+ x\n1\truwa\t_\tNOUN\t_\t_\t2\tdet\t2:det\tGloss=rain|Proj=guess|ProjConf=0.51\n"
        in session.render()
    )
    assert session.epoch == 1
    assert list(session.learn([(1, NEW)], "again", versions).after) == []
    session.undo()
    session.undo()
    assert session.states[1].machine_confidence[0] == 0.99
    assert session.machine[1] == session.states[1]


@pytest.mark.parametrize("heads", [(2, 1, 0), (0, 0, 1), (2, 3, 4), (1, 2), (-1, 3, 0)])
def test_a_learner_cannot_break_a_tree(heads: tuple[int, ...]):
    session = session_of()
    with pytest.raises(EditError, match=r"the heads do not make a tree|a tree of another length"):
        session.learn([(1, NEW._replace(heads=heads))], "learned")
    assert session.render() == TEXT.encode()


@pytest.mark.parametrize(
    ("place", "value"), [(1, ["2", 3, 0]), (2, [{}, "x", "y"]), (3, [1, None, []]), (4, ["0.5", 0.5, 0.5]), (5, 7)]
)
def test_a_journal_whose_values_are_of_other_kinds(place: int, value: object, tmp_path: Path):
    """A journal may be forged, with a checksum that fits."""
    opened(tmp_path / "j").learn([(1, NEW)], "learned")
    header, line = (tmp_path / "j").read_bytes().splitlines()
    entry = json.loads(line[9:])
    entry["trees"][0][place] = value
    text = json.dumps(entry).encode()
    (tmp_path / "j").write_bytes(header + b"\n%08x %s\n" % (zlib.crc32(text), text))
    with pytest.raises(ProjError, match=r"j:2: .*(texts|numbers|tree)"):
        opened(tmp_path / "j")


def opened(path: Path) -> Session:
    return Session(Document(TEXT.encode(), "trees.conllu"), Journal(path, ABOUT))


def test_a_journal_gives_the_same_bytes_and_the_same_undo(tmp_path: Path):
    session = opened(tmp_path / "j")
    session.set_head(0, 3, 4, fix=True)
    session.set_relation(0, 2, "aux:pass")
    session.learn([(1, NEW)], "learned")
    session.set_gold(1, True)
    session.undo()
    session.undo()
    session.redo()
    session.journal.close()  # type: ignore[union-attr]
    again = opened(tmp_path / "j")
    assert again.render() == session.render()
    assert again.states == session.states
    assert again.machine == session.machine
    assert again.undone == session.undone
    assert again.redo().message == "marked gold"
    while again.history:
        again.undo()
    assert again.render() == TEXT.encode()


@pytest.mark.parametrize(
    "entry",
    [
        {"op": "edit", "n": 99, "words": [], "told": ""},
        {"op": "edit", "n": 0, "words": [[9, 1, "x"]], "told": ""},
        {"op": "edit", "n": 0, "words": [[1, 9, "x"]], "told": ""},
        {"op": "edit", "n": 0, "words": [[3, 1, "x"]], "told": ""},
        {"op": "edit", "n": 0, "words": [[1, 0, "x"]], "told": ""},
        {"op": "edit", "n": True, "words": 3},
        {"op": "gold"},
        {"op": "redo"},
        {"op": "learn", "trees": [[0]], "told": ""},
        {"op": "nonsense", "n": 0, "told": ""},
        {},
    ],
)
def test_entries_that_do_not_fit(tmp_path: Path, entry: dict[str, object]):
    journal = Journal(tmp_path / "j", ABOUT)
    journal.append({"op": "gold", "n": 0, "on": True, "told": "marked gold"})
    journal.append(entry)
    journal.close()
    with pytest.raises(ModelError, match=r"j:3: an entry that does not fit the file .*; put a copy of the journal back"):
        opened(tmp_path / "j")


def test_what_cannot_be_journalled_is_not_done(tmp_path: Path):
    session = opened(tmp_path / "j")
    session.journal.broken = "disk gone"  # type: ignore[union-attr]
    with pytest.raises(ProjError, match="the journal is no longer written to: disk gone"):
        session.set_gold(0, True)
    assert session.render() == TEXT.encode()
    assert not session.history


NUMBERED = "".join(
    f"# sent_id = {n}\n# projection = s6 coverage=1.00 links=2\n"
    "1\ta\t_\tNOUN\t_\t_\t2\tnsubj\t_\tProj=projected|ProjConf=0.80\n"
    "2\tb\t_\tVERB\t_\t_\t0\troot\t_\tProj=projected|ProjConf=0.90\n\n"
    for n in range(6)
)


def test_expected_accuracy_joins_calibration_and_gold(monkeypatch: pytest.MonkeyPatch):
    own = confidence.Calibration((0.0,) * len(confidence.NAMES), 0.05, "calibrated on 9 treebanks")
    monkeypatch.setattr(confidence, "shipped_calibrations", lambda: {"s6": own})
    session = session_of(NUMBERED)
    prior = accuracy(session, {})
    assert prior is not None
    assert (prior.share, prior.source) == (pytest.approx(0.85), "calibrated on 9 treebanks")
    for n in (0, 1):
        session.set_head(n, 1, 0)  # both heads were wrong
        session.set_gold(n, True)
    known = accuracy(session, {})
    assert known is not None
    assert known.source.endswith("calibrated on 9 treebanks, and checked on 2 gold sentences")
    assert 0.3 < known.share < prior.share
    mixed = session_of(NUMBERED.replace("s6 ", "s9 ", 1))
    assert accuracy(mixed, {}) is None  # of two systems the calibration does not speak
    mixed.set_gold(1, True)
    alone = accuracy(mixed, {})
    assert alone is not None
    assert alone.source == "1 gold sentence"
