"""The journal: nothing acknowledged is lost, nothing damaged is believed; files appear whole."""

from __future__ import annotations

import errno
import gzip
import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from reviewfiles import TEXT

from divproj import Faults, ProjError
from divproj.core.errors import ModelError
from divproj.review import document as module
from divproj.review.document import (
    Document,
    Journal,
    beside,
    carry_over,
    journal_for,
    keep_other,
    refuse_if_open,
    save,
    set_aside,
)
from divproj.review.session import Session

ABOUT = {"input": "trees.conllu", "sha256": "abc"}


def written(path: Path, count: int = 3) -> bytes:
    journal = Journal(path, ABOUT)
    for k in range(count):
        journal.append({"op": "gold", "n": k, "told": "é\n\u2028"})
    journal.close()
    return path.read_bytes()


def entries(path: Path) -> list[int]:
    journal = Journal(path, ABOUT)
    journal.close()
    return [entry["n"] for _, entry in journal.entries]


def test_entries_come_back(tmp_path: Path):
    path = tmp_path / "j"
    data = written(path)
    assert data.count(b"\n") == 4
    journal = Journal(path, ABOUT)
    assert journal.entries[1] == (3, {"op": "gold", "n": 1, "told": "é\n\u2028"})
    journal.append({"n": 9})
    journal.close()
    assert entries(path) == [0, 1, 2, 9]


def test_cut_anywhere_only_the_last_entry_goes(tmp_path: Path):
    data = written(tmp_path / "j")
    ends = [k for k, byte in enumerate(data) if byte == 10]
    for cut in range(len(data)):
        path = tmp_path / "cut"
        path.write_bytes(data[:cut])
        whole = sum(end < cut for end in ends)
        assert entries(path) == [0, 1, 2][: max(whole - 1, 0)], cut
        assert path.read_bytes() == data[: ends[max(whole - 1, 0)] + 1]  # what is left is sound again


def test_zeros_at_the_end_go(tmp_path: Path):
    path = tmp_path / "j"
    data = written(path)
    path.write_bytes(data + b"\0" * 300 + b"\n")
    assert entries(path) == [0, 1, 2]
    assert path.read_bytes() == data


def test_damage_in_the_middle_is_told(tmp_path: Path):
    path = tmp_path / "j"
    lines = written(path).split(b"\n")
    lines[2] = lines[2].replace(b"gold", b"gild")
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(ModelError, match=r"j:3: this line is damaged; put a copy of the journal back"):
        Journal(path, ABOUT)
    assert path.read_bytes() == b"\n".join(lines)


@pytest.mark.parametrize("data", [b"my notes\n", b"my notes, unended", b"1\n2\n", b'00000000 {"format":"other"}\n'])
def test_some_other_file_is_left_alone(tmp_path: Path, data: bytes):
    path = tmp_path / "j"
    path.write_bytes(data)
    with pytest.raises(ModelError, match="j: this is no journal of `proj review`; move it away"):
        Journal(path, ABOUT)
    assert path.read_bytes() == data


def test_another_format_or_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "j"
    monkeypatch.setattr(module, "VERSION", 7)
    written(path)
    monkeypatch.undo()
    with pytest.raises(ModelError, match="j: version 7 of the journal, 1 expected"):
        Journal(path, ABOUT)
    other = tmp_path / "k"
    monkeypatch.setattr(module, "FORMAT", "shopping list")
    written(other)
    monkeypatch.undo()
    with pytest.raises(ModelError, match="k: this is no journal"):
        Journal(other, ABOUT)


def test_a_changed_input_is_told(tmp_path: Path):
    path = tmp_path / "j"
    written(path)
    with pytest.raises(
        ProjError, match=r"j: trees.conllu has changed since its review began; put the earlier file back, or begin"
    ):
        Journal(path, {**ABOUT, "sha256": "other"})


@pytest.mark.skipif(module.fcntl is None, reason="no file locks here")
def test_one_review_at_a_time(tmp_path: Path):
    first = Journal(tmp_path / "j", ABOUT)
    with pytest.raises(ProjError, match="another `proj review` has this file open; use its page, or end it first"):
        Journal(tmp_path / "j", ABOUT)
    first.write_address("http://127.0.0.1:1/")
    assert oct((tmp_path / ".j.address").stat().st_mode)[-3:] == "600"
    with pytest.raises(ProjError, match=rf"has this file open \(process {os.getpid()}, http://127.0.0.1:1/\); use its page"):
        Journal(tmp_path / "j", ABOUT)
    with pytest.raises(ProjError, match="has this file open"):
        refuse_if_open(tmp_path / "j")
    first.close()
    assert not (tmp_path / ".j.address").exists()
    refuse_if_open(tmp_path / "j")
    Journal(tmp_path / "j", ABOUT).close()


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(ProjError, match="the journal cannot be opened: No such file or directory"):
        Journal(tmp_path / "no" / "j", ABOUT)


def full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "j"
    journal = Journal(path, ABOUT)
    journal.append({"n": 1})
    before = path.read_bytes()
    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(ProjError, match="the change could not be journalled: No space left on device"):
        journal.append({"n": 2})
    assert path.read_bytes() == before
    monkeypatch.undo()
    journal.append({"n": 3})
    journal.close()
    assert entries(path) == [1, 3]


def test_a_journal_that_cannot_be_mended_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    journal = Journal(tmp_path / "j", ABOUT)
    real = journal._file

    class Broken:
        def fileno(self) -> int:
            return real.fileno()

        write = truncate = staticmethod(full)

    journal._file = Broken()  # type: ignore[assignment]
    with pytest.raises(ProjError, match="could not be journalled"):
        journal.append({"n": 1})
    with pytest.raises(ProjError, match="the journal is no longer written to: No space left on device"):
        journal.append({"n": 2})
    real.close()


def test_saving_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "out.conllu"
    save(path, [b"one", b" two"])
    assert path.read_bytes() == b"one two"
    path.chmod(0o600)
    save(path, [b"three"])
    assert path.stat().st_mode & 0o777 == 0o600

    def failing() -> Any:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(path, failing())
    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(ProjError, match=r"out.conllu: could not be written: No space left on device"):
        save(path, [b"four"])
    assert path.read_bytes() == b"three"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ProjError, match="cannot write here: No such file or directory"):
        save(tmp_path / "no" / "out", [b""])


def test_saving_packed(tmp_path: Path):
    save(tmp_path / "a.gz", [b"text"])
    save(tmp_path / "b.gz", [b"text"])
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_setting_aside(tmp_path: Path):
    path = tmp_path / "a"
    assert set_aside(path) is None
    for name in ("a.old", "a.old2", "a.old3"):
        path.write_text(name)
        kept = set_aside(path)
        assert kept == tmp_path / name
        assert kept.read_text() == name


def test_a_journal_cut_at_any_byte_is_refused_where_a_reviewed_file_is(tmp_path: Path):
    path, reviewed = tmp_path / "t.journal", tmp_path / "t.conllu"
    with closing(Journal(path, ABOUT, reviewed)) as journal:  # nothing is there yet
        journal.append({"kind": "x"})
    whole = path.read_bytes()
    reviewed.write_text("corrected")
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        if size <= whole.index(b"\n"):
            with pytest.raises(
                ModelError, match=r"the journal is empty or cut off, and t\.conllu has what it cannot give back; put a copy"
            ):
                Journal(path, ABOUT, reviewed)
            assert path.stat().st_size == size
        else:  # the beginning is there, the change is not: `keep_other` keeps the reviewed file
            with closing(Journal(path, ABOUT, reviewed)) as journal:
                assert journal.entries == [], size
    path.write_bytes(b"")
    reviewed.unlink()
    Journal(path, ABOUT, reviewed).close()


def test_a_reviewed_file_that_its_journal_does_not_give_is_kept(tmp_path: Path):
    path = tmp_path / "t.conllu"
    assert keep_other(path, b"x".__eq__) is None
    path.write_bytes(b"more corrections")
    assert keep_other(path, b"more corrections".__eq__) is None
    kept = keep_other(path, b"fewer".__eq__)
    assert kept == tmp_path / "t.conllu.old"
    assert kept.read_bytes() == path.read_bytes() == b"more corrections"


def test_what_a_person_set_goes_over_to_a_file_made_anew(tmp_path: Path):
    trees, said = tmp_path / "trees.conllu", []
    trees.write_text(TEXT, encoding="utf-8")
    document, target = Document.open(str(trees), Faults()), beside(trees)
    journal = journal_for(document, target, fresh=False, on_message=said.append)
    with closing(journal):
        session = Session(document, journal)
        session.set_cells(0, 4, {"upos": "PROPN", "lemma": "kar", "note": "a name?"})
        session.set_comment(0, "note", "look again")
        session.set_state(0, "second", "Ada")
        session.set_cells(0, 1, {"upos": "DET"})
        session.undo()
        session.save(target)
    trees.write_text(
        TEXT.replace("\tkaren\t_\tNOUN", "\tkaren\t_\tVERB").replace("\tni\t_\tPRON", "\tni\t_\tNUM"), encoding="utf-8"
    )
    later = journal.path.stat().st_mtime + 10
    os.utime(target, (later, later))
    document = Document.open(str(trees), Faults())
    carried = carry_over(document, target, said.append)
    assert list(carried) == [0, 2]  # the other is gold in the file
    assert "2 corrected sentences taken over from the earlier review" in said[-1]
    session = Session(document)
    session.take_over(0, carried[0])
    sentence = session.sentence(0)
    assert (sentence.column(3)[0], sentence.column(3)[3], sentence.column(2)[3]) == ("NUM", "PROPN", "kar")
    assert "Note=a name?" in sentence.column(9)[3]
    assert [sentence.comment(key) for key in ("state", "annotator", "note")] == ["second", "Ada", "look again"]
    assert session.states[0].cells == {(4, 2), (4, 3)}
