"""Files cut between sentences: every byte comes in some part, and every sentence is counted once."""

from __future__ import annotations

import gzip
import io

import pytest
from corpusfiles import block, lenient, write

from divproj import FormatError, ProjError
from divproj.io import corpus
from divproj.io.corpus import Blocks
from divproj.io.trees import conllu

ONE, TWO, THREE = (block((0, 1), name) for name in "abc")


def parts(text: str | bytes, count: int, chunk: int = 1 << 20, monkeypatch: pytest.MonkeyPatch | None = None) -> list:
    if monkeypatch:
        monkeypatch.setattr(corpus, "CHUNK", chunk)
    blocks = Blocks(io.BytesIO(text if isinstance(text, bytes) else text.encode()))
    found = []
    while (part := blocks.take(count)).count:
        found.append(part)
    return found


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
@pytest.mark.parametrize(
    "change", [str, lambda t: "\n\n" + t, lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff\n" + t + "\n\n", str.rstrip]
)
def test_parts_are_the_sentences(change, chunk, monkeypatch):
    text = change(ONE + "\n" + TWO + THREE)
    found = parts(text, 2, chunk, monkeypatch)
    assert [part.count for part in found] == [2, 1]
    whole = b"".join(part.text for part in found)
    assert text.encode().startswith(whole)
    assert not text.encode()[len(whole) :].strip()
    read = [s for part in found for s in conllu.read(io.BytesIO(part.text), "", None, line=part.line)]
    assert read == list(conllu.read(io.BytesIO(text.encode()), "", None))
    assert [s.where for s in read] == [s.where for s in conllu.read(io.BytesIO(text.encode()), "", None)]


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "\r\n\r\n"])
def test_nothing(text):
    assert parts(text, 5) == []


def test_a_sentence_without_end(monkeypatch):
    monkeypatch.setattr(corpus, "LONGEST", 1 << 20)
    with pytest.raises(FormatError, match=r"x\.conllu:1: no blank line in 1 MB; is this a CoNLL-U file"):
        Blocks(io.BytesIO(b"1\tx\n" * (1 << 20)), "x.conllu").fill()


def test_a_broken_file_is_named(tmp_path):
    """Whichever of the three files, which are open at once, it is."""
    folder = write(tmp_path / "corpus", ONE, b"", "0-0\n")
    (folder / "e.conllu").write_bytes(gzip.compress(ONE.encode())[:-9])
    for read in (lambda c: c.pairs(), lambda c: c.chunks()):
        with pytest.raises(ProjError, match=r"e\.conllu: broken gzip data: .*; unpack it or fetch it again"):
            list(read(lenient(folder)))


def test_chunks_end_as_pairs_do(tmp_path):
    folder = write(tmp_path / "corpus", ONE + TWO, ONE, "0-0\n\n\n")
    one, two = lenient(folder), lenient(folder)
    assert len(list(one.pairs())) == sum(len(batch) for chunk in two.chunks() for batch in chunk.batches(two.faults)) == 1
    assert [*map(str, one.faults.noted)] == [*map(str, two.faults.noted)]
    assert "f.conllu has 2" in str(two.faults.noted[-1])
    assert one.digests == two.digests
