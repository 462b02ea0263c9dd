"""CoNLL-U: what is read, what is refused, with which words and where."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys

import pytest

from divproj import Faults, FormatError, Where
from divproj.core.sentence import Rows
from divproj.io.trees import conllu


def row(row_id: object = 1, form: str = "w", head: object = 0, rel: str = "root") -> str:
    return f"{row_id}\t{form}\t_\t_\t_\t_\t{head}\t{rel}\t_\t_"


def block(*forms: str, comments: tuple[str, ...] = ()) -> str:
    """A sentence whose words depend on the first."""
    rows = (row(k, form, int(k > 1)) for k, form in enumerate(forms, 1))
    return "\n".join((*comments, *rows)) + "\n\n"


def read(data: bytes | str, faults: Faults | None = None, **options) -> list[Rows | None]:
    data = data.encode() if isinstance(data, str) else data
    return list(conllu.read(io.BytesIO(data), "a.conllu", faults, **options))


def bytes_of(sentences) -> str:
    out = io.StringIO()
    conllu.dump(sentences, out)
    return out.getvalue()


def message(data: bytes | str) -> str:
    with pytest.raises(FormatError) as caught:
        read(data)
    return str(caught.value)


TWO = block("One", "two", comments=("# sent_id = s1", "# text = One two")) + block("Three", comments=("# sent_id = s2",))


class TestReading:
    def test_sentences_and_places(self):
        first, second = read(TWO)
        assert (first.forms, second.forms) == (("One", "two"), ("Three",))
        assert first.where == Where("a.conllu", 1, "s1")
        assert second.where == Where("a.conllu", 6, "s2")
        assert first.comments == ("# sent_id = s1", "# text = One two")
        assert first.tree.heads == (0, 1)

    def test_files(self, tmp_path, monkeypatch):
        (tmp_path / "a.conllu").write_text(TWO)
        (tmp_path / "a.conllu.gz").write_bytes(gzip.compress(TWO.encode()))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(TWO.encode()))))
        plain, packed, piped = (list(conllu.load(p)) for p in (tmp_path / "a.conllu", tmp_path / "a.conllu.gz", "-"))
        assert plain == packed == piped == read(TWO)
        assert [s.where.path for s in (plain[0], piped[0])] == [str(tmp_path / "a.conllu"), "<stdin>"]

    def test_load_streams(self, tmp_path):
        (tmp_path / "a").write_text(TWO + "broken\n\n")
        stream = conllu.load(tmp_path / "a")
        assert next(stream).sent_id == "s1"

    def test_digest(self, tmp_path):
        (tmp_path / "a").write_text(TWO)
        digest = hashlib.sha256()
        list(conllu.load(tmp_path / "a", digest=digest))
        assert digest.hexdigest() == hashlib.sha256(TWO.encode()).hexdigest()

    @pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
    def test_nothing_in_it(self, data):
        assert read(data) == []

    def test_byte_order_mark(self):
        assert read(b"\xef\xbb\xbf" + TWO.encode()) == read(TWO)

    def test_windows_line_ends(self):
        found = read(TWO.replace("\n", "\r\n"))
        assert found == read(TWO)
        assert [s.where for s in found] == [s.where for s in read(TWO)]
        assert bytes_of(found) == TWO

    @pytest.mark.parametrize("form", ["a b", "\u2028", "\u0085x", "\x0b", "\x1c", "\u00a0", "#", "\ufeff", "a\rb", "🦊", "_"])
    def test_odd_forms(self, form):
        text = block(form, "x")
        assert read(text)[0].forms == (form, "x")
        assert bytes_of(read(text)) == text

    def test_multiword_tokens_and_empty_nodes(self):
        ids = ["0.1", "1-2", "1", "2", "2.1", "2.2", "3", "4-4", "4"]
        text = "\n".join(row(i, head="_" if set("-.") & set(i) else 0) for i in ids) + "\n\n"
        found = read(text)[0]
        assert [r[0] for r in found.lines] == ids
        assert found.column(0) == ("1", "2", "3", "4")
        assert bytes_of([found]) == text

    def test_loads_of_a_text(self):
        assert conllu.loads(TWO) == read(TWO)
        assert conllu.loads(TWO)[1].where == Where("", 6, "s2")

    def test_loads_of_half_a_character(self):
        """A lone surrogate cannot be written as UTF-8 and is told as what it would be."""
        with pytest.raises(FormatError, match="<text>:1: byte 0xed is not UTF-8 text"):
            conllu.loads(block("\ud800"))


class TestWriting:
    @pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n\n"])
    @pytest.mark.parametrize("between", ["\n\n", "\n\n\n"])
    def test_byte_for_byte(self, between, end):
        text = TWO.rstrip("\n").replace("\n\n", between) + end
        assert bytes_of(read(text)) == text

    def test_blank_lines_before_the_first_sentence_are_no_part_of_it(self):
        found = read("\n\n" + TWO)
        assert found[0].where.line == 3
        assert bytes_of(found) == TWO

    def test_files_without_a_blank_line_at_their_end_can_be_joined(self):
        parts = [read(TWO.rstrip("\n") + end) for end in ("\n", "", "\n\n")]
        assert bytes_of([*parts[0], *parts[1], *parts[2]]) == TWO * 3

    def test_dumps_one(self):
        assert conllu.dumps(read(TWO)[1]) == block("Three", comments=("# sent_id = s2",))

    def test_a_made_sentence(self):
        made = Rows(("# x",), tuple(zip(*[row(k, head=k - 1).split("\t") for k in (1, 2)], strict=True)))
        assert conllu.loads(conllu.dumps(made)) == [made]


@pytest.mark.parametrize("size", [3, 4, 5, 7, 16, 64, 100, 101])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_chunk_borders_do_not_matter(monkeypatch, size, line_end):
    text = "\ufeff" + "\n" + TWO * 3 + "\n\n" + block("ünïcödé", "语言", "🦊") + block("last").rstrip("\n")
    data = text.replace("\n", line_end).encode()
    whole = read(data)
    monkeypatch.setattr(conllu, "CHUNK", size)
    parts = read(data)
    assert parts == whole
    assert [s.where for s in parts] == [s.where for s in whole]
    assert [s.end for s in parts] == [s.end for s in whole]


@pytest.mark.parametrize("size", [3, 10, 50, 1000])
def test_chunk_borders_and_broken_sentences(monkeypatch, size):
    data = TWO.encode() + b"1\t\xff\n\n" + TWO.encode() + b"oops\n\n" + TWO.encode() + b"\xfe"
    whole = Faults(strict=False)
    found = read(data, whole, keep_places=True)
    monkeypatch.setattr(conllu, "CHUNK", size)
    parts = Faults(strict=False)
    assert read(data, parts, keep_places=True) == found
    assert list(map(str, parts.noted)) == list(map(str, whole.noted))
    assert [s is None for s in found] == [False, False, True, False, False, True, False, False, True]


GOOD = block("good", comments=("# sent_id = s1",))  # three lines


@pytest.mark.parametrize(
    ("bad", "line", "what"),
    [
        (row()[:-2], 1, "9 columns, 10 expected"),
        (row() + "\t_", 1, "11 columns, 10 expected"),
        ("word", 1, "1 column, 10 expected"),
        (row().replace("\t", " "), 1, "1 column, 10 expected; columns are separated by tabs, not spaces"),
        (row() + "\n" + row(2)[:-2], 2, "9 columns, 10 expected"),
        (row() + "\n \n" + row(2), 2, "1 column, 10 expected"),
        ("1\tx\t_\t_\n_\t_\t0\troot\t_", 1, "4 columns, 10 expected"),
        ("1\tx\t_\n_\t_\t_\t0\troot\t_\n" + row(2), 1, "3 columns, 10 expected"),
        (row(form=""), 1, "column 2 is empty, '_' expected where there is no value"),
        (row()[:-1], 1, "column 10 is empty, '_' expected where there is no value"),
        (row(head=""), 1, "column 7 is empty, '_' expected where there is no value"),
        (row(2), 1, "ID is 2, 1 expected"),
        (row() + "\n" + row(3), 2, "ID is 3, 2 expected"),
        (row() + "\n" + row(1), 2, "ID is 1, 2 expected; is a blank line missing above?"),
        (row("01"), 1, "ID is 01, 1 expected"),
        (row("x"), 1, "ID is 'x', 1 (or 1-… or 0.…) expected"),
        (row("١"), 1, "ID is '١', 1 (or 1-… or 0.…) expected"),
        (row("2-3"), 1, "ID is '2-3', 1 (or 1-… or 0.…) expected"),
        (row("1.1"), 1, "ID is '1.1', 1 (or 1-… or 0.…) expected"),
        (row("1-"), 1, "ID is '1-', 1 (or 1-… or 0.…) expected"),
        (row() + "\n" + row("2-1"), 2, "ID is '2-1', 2 (or 2-… or 1.…) expected"),
        (row("1-3") + "\n" + row() + "\n" + row("2-3") + "\n" + row(2), 3, "ID is '2-3', 2 (or 2-… or 1.…) expected"),
        (row("1-3") + "\n" + row() + "\n" + row(2), 3, "a multiword ID reaches to 3 but the sentence has 2 words"),
        (row("1-3") + "\n" + row(), 2, "a multiword ID reaches to 3 but the sentence has 1 words"),
        ("# only\n# comments", 1, "comments without a sentence; remove them or add the word rows"),
        (
            row() + "\n# late\n" + row(2),
            2,
            "comment after the first word row, before it expected; is a blank line missing above?",
        ),
        (row(form="a\0b"), 1, "NUL byte in the line; the file is damaged or is not text"),
        ("# a\0b\n" + row(), 1, "NUL byte in the line; the file is damaged or is not text"),
    ],
)
def test_bad_sentences(bad, line, what):
    named = f"# sent_id = bad\n{bad}"
    assert (
        message(GOOD + named + "\n\n" + GOOD)
        == f"a.conllu:{line + (3 if what.startswith('comments') else 4)} (sent_id bad): {what}"
    )
    faults = Faults(strict=False)
    assert [s and s.sent_id for s in read(GOOD + bad + "\n\n" + GOOD, faults, keep_places=True)] == ["s1", None, "s1"]
    assert [str(fault) for fault in faults.noted] == [f"a.conllu:{line + 3}: {what}"]
    assert faults.sentences == 1
    assert len(read(GOOD + bad + "\n\n" + GOOD, Faults(strict=False))) == 2, "without places the others close up"


def test_id_with_thousands_of_digits():
    assert "ID " in message(row("1-" + "9" * 5000) + "\n" + row() + "\n\n")


@pytest.mark.parametrize("bad", ["9" * 5000, "1." + "9" * 5000, "0." + "9" * 5000 + "x"])
def test_other_ids_with_thousands_of_digits(bad):
    assert ":1: ID is " in message(row(bad) + "\n\n")


class TestBrokenUtf8:
    bad = b"# sent_id = bad\n" + row().encode() + b"\n2\tna\xefve\t_\t_\t_\t_\t1\tx\t_\t_\n\n"

    def test_the_good_ones_survive(self):
        faults = Faults(strict=False)
        found = read(GOOD.encode() + self.bad + GOOD.encode(), faults, keep_places=True)
        assert [s and s.where.line for s in found] == [1, None, 8]
        told = "a.conllu:6 (sent_id bad): byte 0xef is not UTF-8 text; save the file as UTF-8"
        assert [str(fault) for fault in faults.noted] == [told]

    def test_strict(self):
        assert message(self.bad).startswith("a.conllu:3 (sent_id bad): byte 0xef is not UTF-8 text")

    @pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n\n\n"])
    def test_whatever_the_end_of_the_file(self, end):
        data = GOOD.encode() + self.bad + GOOD.encode().rstrip(b"\n") + end
        found = read(data, Faults(strict=False))
        assert [s.forms for s in found] == [("good",), ("good",)]

    def test_in_a_comment(self):
        bad = b"# text = \xff\n# sent_id = s9\n" + row().encode() + b"\n\n"
        assert message(bad).startswith("a.conllu:1 (sent_id s9): byte 0xff")

    def test_utf_16(self):
        told = message(TWO.encode("utf-16"))
        assert told.startswith("a.conllu:1: byte 0xff is not UTF-8 text")


def test_no_blank_line_in_a_huge_file(monkeypatch):
    monkeypatch.setattr(conllu, "LONGEST", 1 << 20)
    told = message(b"x" * ((1 << 20) + 1) + b"\n" + b"y" * (1 << 20))
    assert told == "a.conllu:1: no blank line in 1 MB; is this a CoNLL-U file?"


def test_a_sentence_of_20000_words():
    n = 20_000
    rows = [row(k, f"w{k}", k // 2) for k in range(1, n + 1)]
    found = conllu.loads("\n".join(rows) + "\n\n")[0]
    assert len(found.tree) == n
    assert found.tree.heads[-1] == n // 2


@pytest.mark.parametrize("step", [-1, 1])
def test_a_chain_of_5000_words(step):
    n = 5000
    heads = {-1: lambda k: k - 1, 1: lambda k: (k + 1) % (n + 1)}[step]
    found = conllu.loads("\n".join(row(k, "w", heads(k)) for k in range(1, n + 1)) + "\n\n")[0]
    assert found.tree.root == (1 if step < 0 else n)


def test_a_cycle_of_5000_words():
    n = 5000
    found = conllu.loads("\n".join(row(k, "w", k % n + 1) for k in range(1, n + 1)) + "\n\n")[0]
    tree, faults = found.usable_tree()
    assert set(tree.heads) == {-1}
    assert len(faults) == 1
