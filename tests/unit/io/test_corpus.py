"""Corpora: three files read side by side, and what is said when they do not fit."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys

import pytest
from corpusfiles import block, lenient, write

from divproj import AlignmentError, Corpus, Faults, FormatError, ProjError
from divproj.data.tree import NO_HEAD

F = block((0, 1), "a") + block((2, 0, 2), "b") + block((0,), "c")
E = block((0,), "a") + block((0, 1), "b") + block((2, 0), "c")
LINKS = "0-0 1-0\n0-1\n\n"


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "xyz-eng", F, E, LINKS)


def message(corpus: Corpus) -> str:
    with pytest.raises(ProjError) as caught:
        list(corpus)
    return str(caught.value)


class TestReading:
    def test_pairs(self, folder):
        corpus = Corpus.at(folder)
        pairs = list(corpus)
        assert corpus.name == "xyz-eng"
        assert [p.sent_id for p in pairs] == ["a", "b", "c"]
        assert [(len(p.f), len(p.e), len(p.links)) for p in pairs] == [(2, 1, 2), (3, 2, 1), (1, 2, 0)]
        assert pairs[1].links.links == {(1, 2)}
        assert pairs[1].f.rels == ("dep", "root", "dep")
        assert list(corpus) == pairs, "iterating reads anew"

    def test_batches_hold_the_same_pairs(self, folder):
        corpus = Corpus.at(folder)
        batches = list(corpus.batches())
        assert [batch.pair(k) for batch in batches for k in range(len(batch))] == list(corpus)

    def test_gzip(self, folder):
        expected = list(Corpus.at(folder))
        for name in ("f.conllu", "align.txt"):
            (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
            (folder / name).unlink()
        assert list(Corpus.at(folder)) == expected

    def test_plain_files_come_before_gzip(self, folder):
        (folder / "f.conllu.gz").write_bytes(b"not read")
        assert len(list(Corpus.at(folder))) == 3

    def test_files_by_name_and_standard_input(self, folder, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LINKS.encode()))))
        corpus = Corpus(folder / "f.conllu", str(folder / "e.conllu"), "-")
        assert list(corpus) == list(Corpus.at(folder))
        assert corpus.name == "corpus"

    def test_byte_order_marks_and_windows_line_ends(self, tmp_path, folder):
        f, e, links = (b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() for text in (F, E, LINKS))
        assert list(Corpus.at(write(tmp_path / "windows", f, e, links))) == list(Corpus.at(folder))

    @pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
    def test_blank_lines_at_the_end_of_the_links(self, tmp_path, folder, end):
        again = write(tmp_path / "more", F, E, LINKS + end)
        assert list(Corpus.at(again)) == list(Corpus.at(folder))

    def test_without_ids_the_line_of_the_links_names_a_pair(self, tmp_path):
        folder = write(tmp_path / "a", block() * 2, block() * 2, "0-0\n0-0\n")
        assert [p.sent_id for p in Corpus.at(folder)] == ["1", "2"]

    def test_ids_on_one_side(self, tmp_path):
        folder = write(tmp_path / "a", block() * 2, block(sent_id="x") + block(), "\n\n")
        assert [p.sent_id for p in Corpus.at(folder)] == ["x", "2"]

    def test_digests(self, folder):
        corpus = Corpus.at(folder)
        list(corpus)
        list(corpus)
        expected = "".join(hashlib.sha256(text.encode()).hexdigest()[:8] for text in (F, E, LINKS))
        assert corpus.digests == [expected] * 2

    def test_no_digest_of_half_a_reading(self, folder):
        corpus = Corpus.at(folder)
        next(iter(corpus))
        assert corpus.digests == []


class TestFolders:
    remedy = (
        "give a folder with f.conllu, e.conllu and align.txt, `f`, `e` and `links`, or a sample corpus: "
        "deu-eng, hin-eng, kor-eng, spa-eng"
    )

    def at(self, path) -> str:
        with pytest.raises(ProjError) as caught:
            Corpus.at(path)
        return str(caught.value)

    def test_missing(self, tmp_path):
        assert self.at(tmp_path / "none") == f"{tmp_path / 'none'}: no such folder; {self.remedy}"

    def test_a_file(self, folder):
        path = folder / "f.conllu"
        assert self.at(path) == f"{path}: this is a file, a corpus folder was expected; {self.remedy}"

    @pytest.mark.parametrize("name", ["f.conllu", "e.conllu", "align.txt"])
    def test_without_a_file(self, folder, name):
        (folder / name).unlink()
        assert self.at(folder) == f"{folder}: the folder has no {name}; or name the files with `f`, `e` and `links`"

    def test_empty(self, tmp_path):
        assert self.at(tmp_path) == f"{tmp_path}: the folder has no f.conllu; or name the files with `f`, `e` and `links`"

    @pytest.mark.parametrize("way", ["pairs", "batches"])
    def test_missing_file_by_name(self, folder, way):
        corpus = Corpus(folder / "f.conllu", folder / "none", folder / "align.txt")
        with pytest.raises(ProjError) as caught:
            list(getattr(corpus, way)())
        assert str(caught.value) == f"{folder / 'none'}: no such file"


class TestCounts:
    @pytest.mark.parametrize("name", ["f.conllu", "e.conllu", "align.txt"])
    @pytest.mark.parametrize("strict", [True, False])
    def test_empty_file(self, folder, name, strict):
        (folder / name).write_bytes(b"")
        told = message(Corpus.at(folder, faults=Faults(strict=strict)))
        assert told == f"{folder / name}: no sentence in the file; is it empty?"

    @pytest.mark.parametrize(
        ("f", "e", "links", "counts"),
        [
            (F + block(), E, LINKS, (4, 3, 3)),
            (F, E + block(), LINKS, (3, 4, 3)),
            (F, E, LINKS + "0-0\n", (3, 3, 4)),
            (F, E, LINKS + "\n0-0\n", (3, 3, 4)),
            (F, E, "0-0\n", (3, 3, 1)),
            (F + block(), E + block(), LINKS, (4, 4, 3)),
        ],
    )
    def test_different_numbers(self, tmp_path, f, e, links, counts):
        folder = write(tmp_path / "a", f, e, links)
        names = [folder / name for name in ("f.conllu", "e.conllu", "align.txt")]
        told = ", ".join(f"{name} has {count}" for name, count in zip(names, counts, strict=True))
        expected = f"different numbers of sentences: {told}; pairs after the shortest were not read"
        assert message(Corpus.at(folder)) == expected
        corpus = lenient(folder)
        assert len(list(corpus)) == min(counts)
        assert [str(fault) for fault in corpus.faults.noted] == [expected]
        assert isinstance(corpus.faults.noted[0], AlignmentError)
        assert (corpus.faults.words, corpus.faults.sentences) == (0, 0)

    def test_a_broken_sentence_is_counted(self, tmp_path):
        folder = write(tmp_path / "a", block(sent_id="a") + "broken\n\n" + block(sent_id="c"), E, "0-0\n\n\n")
        corpus = lenient(folder)
        assert [p.sent_id for p in corpus] == ["a", "c"]
        assert [str(fault) for fault in corpus.faults.noted] == [f"{folder / 'f.conllu'}:4: 1 column, 10 expected"]

    def test_nothing_usable(self, tmp_path):
        corpus = lenient(write(tmp_path / "a", "x\n\n", "y\n\n", "z\n"))
        assert list(corpus) == []
        assert corpus.faults.sentences == 2


class TestFaults:
    def test_heads(self, tmp_path):
        folder = write(tmp_path / "a", block((2, 1, 0, 9), "s1"), block((0, 0), "s1"), "0-0\n")
        corpus = lenient(folder)
        (found,) = corpus
        assert (found.f.heads, found.e.heads) == ((NO_HEAD, NO_HEAD, 0, NO_HEAD), (0, NO_HEAD))
        assert list(map(str, corpus.faults.noted)) == [
            f"{folder / 'f.conllu'}:5 (sent_id s1): HEAD is 9 but the sentence has 4 words",
            f"{folder / 'f.conllu'}:2 (sent_id s1): heads make a cycle 1 → 2 → 1, a tree expected",
            f"{folder / 'e.conllu'}:3 (sent_id s1): word 2 is a second root, one root expected",
        ]
        assert corpus.faults.words == 3
        with pytest.raises(FormatError):
            list(Corpus.at(folder))

    def test_links(self, tmp_path):
        folder = write(tmp_path / "a", block((0,), "s1"), block((0,), "s1"), "0-0 x 0-5\n")
        corpus = lenient(folder)
        assert next(iter(corpus)).links.links == {(1, 1)}
        places = [str(fault).partition(": ")[0] for fault in corpus.faults.noted]
        assert places == [f"{folder / 'align.txt'}:1 (sent_id s1)"] * 2
        with pytest.raises(AlignmentError, match="'x' is not a link"):
            list(Corpus.at(folder))

    def test_broken_utf8_in_the_middle(self, tmp_path):
        middle = block((0, 1), "b").encode().replace(b"w2", b"w\xff")
        folder = write(tmp_path / "a", block((0,), "a").encode() + middle + block((0,), "c").encode(), E, "\n" * 3)
        corpus = lenient(folder)
        assert [p.sent_id for p in corpus] == ["a", "c"]
        assert list(map(str, corpus.faults.noted)) == [
            f"{folder / 'f.conllu'}:6 (sent_id b): byte 0xff is not UTF-8 text; save the file as UTF-8",
        ]

    def test_nul_bytes(self, tmp_path):
        folder = write(tmp_path / "a", F.replace("w3", "w\0"), E, LINKS)
        corpus = lenient(folder)
        assert [p.sent_id for p in corpus] == ["a", "c"]
        assert "NUL byte in the line" in str(corpus.faults.noted[0])

    def test_both_sides_broken_is_told_of_both(self, tmp_path):
        corpus = lenient(write(tmp_path / "a", "x\n\n" + block(), "y\n\n" + block(), "\n\n"))
        assert len(list(corpus)) == 1
        assert corpus.faults.sentences == 2


class TestIds:
    def corpus(self, tmp_path, f_ids, e_ids, **options):
        f, e = ("".join(block((0,), x) for x in ids) for ids in (f_ids, e_ids))
        return lenient(write(tmp_path / "a", f, e, "0-0\n" * len(f_ids)), **options)

    def told(self, corpus, line, f_id, e_id) -> str:
        return (
            f"{corpus.f}:{line} (sent_id {f_id}): F has sent_id {f_id} where E ({corpus.e}:{line}) has {e_id}, the same "
            "expected; put the sentences in one order, or `ignore_ids` to pair them by order"
        )

    def test_two_sentences_exchanged(self, tmp_path):
        corpus = self.corpus(tmp_path, "abcd", "acbd")
        assert [p.sent_id for p in corpus] == ["a", "d"]
        assert list(map(str, corpus.faults.noted)) == [self.told(corpus, 4, "b", "c"), self.told(corpus, 7, "c", "b")]
        assert corpus.faults.sentences == 2
        assert message(Corpus.at(tmp_path / "a")) == self.told(corpus, 4, "b", "c")

    def test_exchanged_from_the_start(self, tmp_path):
        corpus = self.corpus(tmp_path, "abcd", "bacd")
        assert [p.sent_id for p in corpus][-2:] == ["c", "d"]
        assert corpus.faults.sentences >= 1

    def test_one_missing_shifts_the_rest(self, tmp_path):
        corpus = self.corpus(tmp_path, "abcdef", "abdefg")
        assert [p.sent_id for p in corpus] == ["a", "b"]
        assert corpus.faults.sentences == 4

    def test_two_schemes_are_paired_by_order_and_told_once(self, tmp_path):
        corpus = self.corpus(tmp_path, ["f1", "f2", "f3"], ["e1", "e2", "e3"])
        assert [p.sent_id for p in corpus] == ["f1", "f2", "f3"]
        assert list(map(str, corpus.faults.noted)) == [self.told(corpus, 1, "f1", "e1")]
        assert corpus.faults.sentences == 0
        assert message(Corpus.at(tmp_path / "a")) == self.told(corpus, 1, "f1", "e1")

    def test_ids_ignored(self, tmp_path):
        self.corpus(tmp_path, "abc", "cba")
        assert len(list(Corpus.at(tmp_path / "a", same_ids=False))) == 3

    def test_ids_seen_long_ago_are_forgotten(self, tmp_path):
        n = 1500
        corpus = self.corpus(tmp_path, [f"f{k}" for k in range(n)] + ["late"], [f"e{k}" for k in range(n)] + ["f0"])
        assert len(list(corpus)) == n + 1


def test_a_sentence_of_20000_words(tmp_path):
    n = 20_000
    flat = block((0, *[1] * (n - 1)), "s1")
    folder = write(tmp_path / "a", flat, flat, " ".join(f"{k}-{k}" for k in range(n)) + "\n")
    (found,) = Corpus.at(folder)
    assert len(found.f) == len(found.links) == n
