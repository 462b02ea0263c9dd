"""Corpora: three files read side by side, and what is said when they do not fit."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
from threading import Thread

import pytest
from corpusfiles import block, lenient, write

from divproj import AlignmentError, Corpus, Faults, FormatError, ProjError, read
from divproj.core.tree import NO_HEAD

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
        assert pairs[1].f.deprels == ("dep", "root", "dep")
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
        assert corpus.name == "f"

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
        "give a folder with f.conllu, e.conllu and align.txt, or the files of F, E and the links, or the name of a sample corpus: "
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

    @pytest.mark.parametrize("name", ["e.conllu", "align.txt"])
    def test_without_a_file(self, folder, name):
        (folder / name).unlink()
        assert self.at(folder) == f"{folder}: the folder has no {name}; name the files of F, E and the links"

    def test_empty(self, tmp_path):
        assert (
            self.at(tmp_path)
            == f"{tmp_path}: the folder has neither f.conllu nor igt.txt; name the files of F, E and the links"
        )

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
        expected = f"different numbers of sentences: {told}; sentences after the shortest have no partner"
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
            f"{corpus.f[0]}:{line} (sent_id {f_id}): F has sent_id {f_id} where E ({corpus.e[0]}:{line}) has {e_id}, the same "
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


class TestAgain:
    """What `read` gives is no generator: it can be looped over again, indexed, and shows itself."""

    def test_a_second_loop(self, folder):
        pairs = read(folder)
        assert [pair.sent_id for pair in pairs] == [pair.sent_id for pair in pairs] == ["a", "b", "c"]

    def test_places_and_slices(self, folder):
        pairs = read(folder)
        assert (pairs[0].sent_id, pairs[-1].sent_id) == ("a", "c")
        assert [[p.sent_id for p in pairs[part]] for part in (slice(1, None), slice(-1), slice(0, 3, 2))] == [
            ["b", "c"],
            ["a", "b"],
            ["a", "c"],
        ]
        with pytest.raises(IndexError, match="there is no pair 3 in xyz-eng"):
            pairs[3]

    def test_faults_are_noted_once(self, tmp_path):
        pairs = read(write(tmp_path / "a", "broken\n\n" + F, block() + E, "\n" + LINKS), faults=Faults(strict=False))
        assert len(list(pairs)) == 3
        assert [pairs[k].sent_id for k in range(3)] == ["a", "b", "c"]
        repr(pairs)
        assert len(pairs.faults.noted) == 1

    def test_streams(self, folder):
        """The first pair is there before the rest is read."""
        pairs = iter(read(folder / "f.conllu"))
        assert next(pairs).sent_id == "a"

    def test_it_shows_itself(self, folder, tmp_path):
        assert repr(read(folder)) == "Corpus xyz-eng, 3 pairs: w1 w2 | w1 w2 w3 | w1"
        assert repr(Corpus(tmp_path / "none")) == f"Corpus none: {tmp_path / 'none'}: no such file"
        many = write(tmp_path / "many", block() * 1001, block().replace("w1", "x") * 1001, "\n" * 1001)
        assert repr(read(many)) == "Corpus many, more than 1,000 pairs, translations in en: w1 | w1 | w1 | …"
        glossed = "# language = deu\nHunde bellen\ndog.PL bark\n'Dogs bark.'\n"
        assert repr(read(glossed)) == "Corpus corpus, 1 pair, deu: Hunde bellen"
        shown = read(folder)._repr_html_()
        assert "xyz-eng, 3 pairs" in shown
        assert shown.count("<svg") == 3

    def test_a_text_in_memory(self):
        pairs = read("Hunde bellen\ndog.PL bark\n'Dogs bark.'\n")
        assert [p.f.forms for p in pairs] == [p.f.forms for p in pairs] == [("Hunde", "bellen")]
        assert repr(pairs) == "Corpus corpus, 1 pair: Hunde bellen"


class TestWhatIsGiven:
    def test_one_file(self, folder):
        """A treebank alone has trees of F, and pairs without a translation."""
        [first, *_] = Corpus(folder / "f.conllu")
        assert (first.f.heads, first.e.tree, first.links.known) == ((0, 1), None, False)

    def test_files_by_name_are_the_folder(self, folder):
        files = [folder / name for name in ("f.conllu", "e.conllu", "align.txt")]
        assert list(read(files[0], e=files[1], links=files[2])) == list(read(folder)) == list(Corpus.at(folder))
        assert list(Corpus.at(files[0], files[1], files[2])) == list(Corpus.at(folder))

    def test_interlinear_text_with_all_that_is_needed(self, tmp_path):
        """A folder with igt.txt is a corpus where trees and links come along."""
        folder = write(tmp_path / "a", F, E, LINKS)
        (folder / "f.conllu").unlink()
        (folder / "igt.txt").write_text("# sent_id = a\nmiko dalti\ndog see\n‘The dog sees.’\n", encoding="utf-8")
        corpus = lenient(folder)
        assert list(corpus) == []
        assert str(corpus.faults.noted[0]) == f"{folder / 'igt.txt'}:2 (sent_id a): no tree of F"

    def test_what_is_missing_is_said(self, tmp_path):
        path = tmp_path / "text.txt"
        path.write_text("# sent_id = a\nmiko dalti\ndog see\n‘The dog sees.’\n", encoding="utf-8")
        corpus = Corpus.at(path, faults=Faults(strict=False))
        assert list(corpus) == []
        assert str(corpus.faults.noted[0]) == (
            f"{path}:2 (sent_id a): no tree of F; no tree of the translation: give trees with `e`; "
            "no links: give them with `links`"
        )
        with pytest.raises(ProjError, match=r"text\.txt: there is no file of E for this text; name the files of F"):
            corpus.need("e")
        with pytest.raises(ProjError, match=r"none: no such file or folder; give a folder with"):
            Corpus.at(tmp_path / "none", "e.conllu", "align.txt")
        with pytest.raises(ProjError, match=r"none: no such file, folder or sample corpus; sample corpora are deu-eng"):
            read(tmp_path / "none")


class TestPipes:
    """Files are recognised by what is in them, and pipes are read once."""

    def pipe(self, path, data):
        os.mkfifo(path)
        Thread(target=path.write_bytes, args=(data,), daemon=True).start()
        return path

    def test_trees_of_the_translations_from_a_pipe(self, tmp_path, folder):
        e = self.pipe(tmp_path / "pipe", E.encode())
        assert [p.e for p in read(folder / "f.conllu", e=e)] == [p.e for p in read(folder)]

    def test_packed(self, tmp_path, folder):
        sides = [self.pipe(tmp_path / name, gzip.compress(text.encode())) for name, text in (("f", F), ("e", E))]
        assert list(Corpus(*sides, folder / "align.txt")) == list(Corpus.at(folder))

    def test_trees_under_another_name(self, tmp_path, folder):
        (tmp_path / "trees.txt").write_text(E)
        assert [p.e for p in read(folder / "f.conllu", e=tmp_path / "trees.txt")] == [p.e for p in read(folder)]

    def test_a_pipe_comes_once(self, tmp_path):
        pairs = read(self.pipe(tmp_path / "pipe", F.encode()))
        assert len(list(pairs)) == 3
        assert message(pairs) == f"{tmp_path / 'pipe'}: this is read twice, but the text of a pipe comes once; give a file"

    def test_standard_input_comes_once(self, folder, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(F.encode()))))
        corpus = Corpus("-", "-", folder / "align.txt")
        assert message(corpus) == "<stdin>: this is read twice, but the text of a pipe comes once; give a file"
