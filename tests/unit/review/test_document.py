"""The file as bytes: what is not changed stays, what is changed is one cell or one comment."""

from __future__ import annotations

import difflib
import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from reviewfiles import TEXT

from divproj import Faults, FormatError, ProjError
from divproj.review import document as module
from divproj.review.document import Document, SentenceState
from divproj.review.session import Session


def rendered(document: Document, states: list[SentenceState] | None = None) -> bytes:
    return b"".join(document.render((state,) for state in states or [block.initial for block in document.blocks]))


def changed(before: bytes, after: bytes) -> list[str]:
    """The lines that differ, `-` and `+`."""
    lines = difflib.ndiff(before.decode().split("\n"), after.decode().split("\n"))
    return [line for line in lines if line[0] in "+-"]


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"\n\n\n" + TEXT.encode().rstrip(b"\n"),
        TEXT.encode() + b"\n\n\n",
        TEXT.replace("\n\n\n", "\n\r\n\n").encode(),
    ],
)
def test_untouched_files_are_the_same_bytes(data: bytes):
    document = Document(data, "a.conllu")
    assert rendered(document) == data
    assert [block.sentence.sent_id for block in document.blocks] == ["a1", "a2", "a3", "a4"]


def test_what_the_file_says():
    first, _, third, fourth = (block.initial for block in Document(TEXT.encode()).blocks)
    assert first.heads == (3, 3, 0, 1)
    assert first.reasons == ("projected", "merge", "projected", "guess")
    assert first.machine_confidence == (0.97, 0.41, 0.88, 0.30)
    assert first.confidence == pytest.approx(0.64)
    assert first.note == "# projection = s2+ coverage=1.00 links=4"
    assert (first.gold, third.gold) == (False, True)
    assert fourth.heads == (2, -1, -1)
    assert fourth.confidence is None


def test_one_head_is_one_line():
    document = Document(TEXT.encode())
    states = [block.initial for block in document.blocks]
    states[0] = replace(
        states[0],
        heads=(3, 3, 0, 3),
        reasons=(*states[0].reasons[:3], "corrected"),
        machine_confidence=(*states[0].machine_confidence[:3], None),
    )
    assert changed(TEXT.encode(), rendered(document, states)) == [
        "- 4\tkaren\t_\tNOUN\t_\t_\t1\tobj\t_\tGloss=dog.DEF|SpaceAfter=No|Proj=guess|ProjConf=0.30",
        "+ 4\tkaren\t_\tNOUN\t_\t_\t3\tobj\t_\tGloss=dog.DEF|SpaceAfter=No|Proj=corrected",
    ]


def test_deps_that_repeat_the_tree_follow_it():
    document = Document(TEXT.encode())
    states = [block.initial for block in document.blocks]
    states[1] = replace(states[1], heads=(3, 3, 0), deprels=("obj", "aux", "root"))
    new = [line for line in changed(TEXT.encode(), rendered(document, states)) if line.startswith("+")]
    assert new == ["+ 1\truwa\t_\tNOUN\t_\t_\t3\tobj\t3:obj\tGloss=rain|Proj=projected|ProjConf=0.99"]
    states[1] = replace(states[1], heads=(-1, 3, 0))
    assert b"1\truwa\t_\tNOUN\t_\t_\t_\tobj\t_\t" in rendered(document, states)


def test_gold_is_a_comment():
    data = TEXT.replace("\n", "\r\n").encode()
    document = Document(data)
    states = [block.initial for block in document.blocks]
    states[0], states[2] = replace(states[0], gold=True), replace(states[2], gold=False)
    assert changed(data, rendered(document, states)) == ["+ # gold = yes\r", "- # gold = yes\r"]
    assert Document(rendered(document, states)).blocks[0].initial.gold


def test_a_note_is_replaced_added_or_removed():
    document = Document(TEXT.encode())
    states = [block.initial for block in document.blocks]
    note = "# projection = s2+ coverage=0.50 links=2"
    states[0], states[1] = replace(states[0], note=note), replace(states[1], note=note)
    again = Document(rendered(document, states))
    assert [block.sentence.comments[-1] for block in again.blocks[:2]] == [note, note]
    assert len(again.blocks[0].sentence.comments) == 5
    states[0] = replace(states[0], note="")
    assert b"# projection" not in Document(rendered(document, states)).blocks[0].lines[4]


def test_a_sentence_without_comments_and_without_a_line_end():
    document = Document(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_")
    state = replace(document.blocks[0].initial, gold=True)
    assert rendered(document, [state]) == b"# gold = yes\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_"


def test_bad_sentences_stay_as_they_are_and_are_told():
    bad = b"# sent_id = b\n1\tonly\tthree\n\n# sent_id = c\n1\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    faults = Faults(strict=False)
    document = Document(bad + TEXT.encode(), "x.conllu", faults)
    assert [str(fault) for fault in faults.noted] == [
        "x.conllu:2 (sent_id b): 3 columns, 10 expected",
        "x.conllu:5 (sent_id c): byte 0xff is not UTF-8 text; save the file as UTF-8",
    ]
    states = [replace(block.initial, gold=True) for block in document.blocks]
    assert rendered(document, states).startswith(bad)
    with pytest.raises(FormatError, match=r"x.conllu:2 \(sent_id b\): 3 columns, 10 expected"):
        Document(bad, "x.conllu")


def test_a_file_without_sentences():
    with pytest.raises(ProjError, match=r"empty.conllu: no sentence in the file; is it CoNLL-U, as `proj project` writes it?"):
        Document(b"\n\n", "empty.conllu")


def test_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "t.conllu.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert rendered(Document.open(path)) == TEXT.encode()
    monkeypatch.setattr(module, "LARGEST", 1 << 9)
    with pytest.raises(ProjError, match=r"t.conllu.gz: the file is larger than 0 MB; review it in parts"):
        Document.open(path)


def test_a_confidence_out_of_range_is_none():
    row = "1\ta\t_\t_\t_\t_\t0\troot\t_\tProjConf={}\n"
    for text in ("nan", "1.5", "-1", "x", "inf"):
        assert Document(row.format(text).encode()).blocks[0].initial.machine_confidence == (None,)


def test_confidences_of_a_parser_count_too():
    document = Document(b"1\ta\t_\t_\t_\t_\t0\troot\t_\tParseConf=0.75|X=1\n2\tb\t_\t_\t_\t_\t1\tx\t_\tParseConf=0.25\n")
    session = Session(document)
    assert session.states[0].confidence == 0.5
    session.set_head(0, 2, 0)
    assert session.render() == b"1\ta\t_\t_\t_\t_\t2\tx\t_\tX=1|Proj=corrected\n2\tb\t_\t_\t_\t_\t0\troot\t_\tProj=corrected\n"
