"""Errors say where, what and how to fix it; faults stop or go on."""

from __future__ import annotations

import pytest

from divproj.core.errors import AlignmentError, Faults, FormatError, ModelError, ProjError, Where


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where("hi.conllu", 412, "s17"), "hi.conllu:412 (sent_id s17)"),
        (Where("hi.conllu", 412), "hi.conllu:412"),
        (Where("hi.conllu"), "hi.conllu"),
        (Where("hi.conllu", sent_id="s17"), "hi.conllu (sent_id s17)"),
        (Where("", 3), "<text>:3"),
        (Where(), "<text>"),
    ],
)
def test_where(where, text):
    assert str(where) == text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ProjError("what"), "what"),
        (ProjError("what", Where("p", 1)), "p:1: what"),
        (ProjError("what", None, "fix it"), "what; fix it"),
        (ProjError("what", Where("p", 1, "s"), "fix it"), "p:1 (sent_id s): what; fix it"),
    ],
)
def test_message(error, text):
    assert str(error) == text


@pytest.mark.parametrize("kind", [FormatError, AlignmentError, ModelError])
def test_one_family(kind):
    error = kind("what", Where("p"), "fix it")
    assert isinstance(error, ProjError)
    assert (error.message, error.where, error.remedy) == ("what", Where("p"), "fix it")


@pytest.mark.parametrize("report", ["word", "sentence", "file"])
def test_strict_faults_stop(report):
    faults = Faults()
    with pytest.raises(FormatError, match="bad"):
        getattr(faults, report)(FormatError("bad"))
    assert faults.noted == []


def test_lenient_faults_count_note_and_tell():
    told = []
    faults = Faults(strict=False, tell=told.append)
    one, two, three = (ProjError(text) for text in ("word", "sentence", "file"))
    faults.word(one)
    faults.sentence(two)
    faults.file(three)
    assert (faults.words, faults.sentences) == (1, 1)
    assert faults.noted == told == [one, two, three]


def test_notes_stay_bounded_but_all_are_counted_and_told():
    told = []
    faults = Faults(strict=False, tell=told.append)
    for k in range(1500):
        faults.word(ProjError(str(k)))
    assert (faults.words, len(faults.noted), len(told)) == (1500, 1000, 1500)


def test_faults_of_a_part_are_added_in_order():
    told = []
    whole, part = Faults(strict=False, tell=told.append), Faults(strict=False)
    one, two = ProjError("one"), ProjError("two")
    part.word(one)
    part.sentence(two)
    apart = part.split_off()
    assert (part.noted, part.words, part.sentences) == ([], 0, 0)
    whole.take(apart)
    assert (whole.noted, whole.words, whole.sentences) == ([one, two], 1, 1)
    assert told == [one, two]


def test_only_so_many_are_kept():
    faults = Faults(strict=False, most=2)
    for _ in range(5):
        faults.word(ProjError("bad"))
    assert (len(faults.noted), faults.words) == (2, 5)


def test_a_message_is_not_as_long_as_a_damaged_line():
    shown = str(FormatError("x" * 100_000, Where("a.txt", 3), "fix it"))
    assert len(shown) < 2000
    assert shown.startswith("a.txt:3: xxx")
    assert shown.endswith("xxx; fix it")


def test_faults_of_files_are_not_kept_without_end():
    """Nine million lines that belong to nothing took 4 GB. Faults of sentences leave room for them."""
    faults = Faults(strict=False, most=3)
    for k in range(9):
        faults.sentence(FormatError(f"sentence {k}"))
    for k in range(9):
        faults.file(FormatError(f"file {k}"))
    assert [str(error) for error in faults.noted] == [f"{kind} {k}" for kind in ("sentence", "file") for k in range(3)]
    assert faults.sentences == 9
