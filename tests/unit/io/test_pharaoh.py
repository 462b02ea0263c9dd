"""Pharaoh links."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys

import pytest

from divproj import AlignmentError, Faults, Links, Where
from divproj.io.trees import pharaoh

PLACE = Where("align.txt", 7, "s7")


def links(text: str, shape=(3, 3)) -> set:
    return set(pharaoh.parse(text, shape).links)


def message(text: str, shape=(3, 2)) -> str:
    with pytest.raises(AlignmentError) as caught:
        pharaoh.parse(text, shape, PLACE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", set()),
        (" \t\r\n", set()),
        ("0-0", {(1, 1)}),
        ("2-0 0-2\n", {(3, 1), (1, 3)}),
        ("  0-0\t1-1 \r\n", {(1, 1), (2, 2)}),
        ("0-0 0-0", {(1, 1)}),
        ("0-1:0.93 1-0:1e-5", {(1, 2), (2, 1)}),
        ("0?1", {(1, 2)}),
    ],
)
def test_links(text, found):
    assert links(text) == found


def test_possible_links():
    found = pharaoh.parse("0-0 1?0 1?1:0.5", (2, 2))
    assert found == Links(frozenset({(1, 1), (2, 1), (2, 2)}), (2, 2), frozenset({(2, 1), (2, 2)}))
    assert pharaoh.dumps(found) == "0-0 1?0 1?1"


@pytest.mark.parametrize("order", ["0-0 0?0", "0?0 0-0"])
def test_a_link_that_is_sure_and_possible_is_one_link(order):
    assert links(order) == {(1, 1)}


@pytest.mark.parametrize(
    "bad", ["x", "0", "0-", "-0", "0-x", "0.5-1", "0–1", "-1-0", "0-0-0", "0:0", "?", "1_0-1", "+1-0", "1-+1", "٢-1", "²-1"]
)
def test_malformed(bad):
    told = message(f"0-0 {bad} 1-1", (20, 20))
    assert told == f"align.txt:7 (sent_id s7): '{bad}' is not a link, 'i-j' expected (two numbers counted from 0)"


def test_malformed_by_length():
    assert "is not a link" in message("9" * 5000 + "-0")


@pytest.mark.parametrize(
    ("bad", "remedy"),
    [
        ("3-1", "; links are F-E and counted from 0"),
        ("1-2", "; links are F-E and counted from 0"),
        ("0-2", "; links are F-E and counted from 0"),
        ("1-9", ""),
        ("9-9", ""),
    ],
)
def test_out_of_range(bad, remedy):
    expected = "the sentences have 3 and 2 words, so 0-0 to 2-1 expected"
    assert message(bad) == f"align.txt:7 (sent_id s7): link {bad} is out of range: {expected}{remedy}"


def test_link_of_an_empty_sentence():
    assert "the sentences have 0 and 2 words" in message("0-0", (0, 2))


def test_lenient_leaves_the_link_out():
    faults = Faults(strict=False)
    found = pharaoh.parse("0-0 x 9-9 1-1", (2, 2), PLACE, faults)
    assert found.links == {(1, 1), (2, 2)}
    assert faults.words == 2
    assert all(str(fault).startswith("align.txt:7 (sent_id s7): ") for fault in faults.noted)


def test_loads_and_dump():
    text = "0-0 1?0\n\n1-1\n"
    shapes = [(2, 1), (1, 1), (2, 2)]
    found = pharaoh.loads(text, shapes)
    assert [len(a) for a in found] == [2, 0, 1]
    out = io.StringIO()
    pharaoh.dump(found, out)
    assert out.getvalue() == text


def test_loads_says_the_line():
    with pytest.raises(AlignmentError, match="<text>:2: 'y' is not a link"):
        pharaoh.loads("0-0\ny\n", [(1, 1), (1, 1)])


@pytest.mark.parametrize("shapes", [[], [(1, 1)] * 3])
def test_loads_wants_a_shape_a_line(shapes):
    with pytest.raises(ValueError, match="zip"):
        pharaoh.loads("0-0\n0-0\n", shapes)


def test_dumps_is_sorted():
    assert pharaoh.dumps(Links(frozenset({(2, 1), (1, 10), (1, 2)}), (2, 10))) == "0-1 0-9 1-0"
    assert pharaoh.dumps(Links(frozenset(), (0, 0))) == ""


class TestLoad:
    data = b"0-0\r\n\n1-1"

    def lines(self, source, digest=None):
        return [(where.line, line.strip()) for where, line in pharaoh.load(source, digest)]

    def test_plain_gzip_and_standard_input(self, tmp_path, monkeypatch):
        (tmp_path / "a").write_bytes(self.data)
        (tmp_path / "a.gz").write_bytes(gzip.compress(self.data))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(self.data))))
        expected = [(1, "0-0"), (2, ""), (3, "1-1")]
        assert self.lines(tmp_path / "a") == self.lines(tmp_path / "a.gz") == self.lines("-") == expected

    def test_places_and_digest(self, tmp_path):
        (tmp_path / "a").write_bytes(self.data)
        digest = hashlib.sha256()
        assert next(pharaoh.load(tmp_path / "a"))[0] == Where(str(tmp_path / "a"), 1)
        self.lines(tmp_path / "a", digest)
        assert digest.hexdigest() == hashlib.sha256(self.data).hexdigest()

    def test_byte_order_mark(self, tmp_path):
        (tmp_path / "a").write_bytes(b"\xef\xbb\xbf0-0\n")
        (_, line) = next(pharaoh.load(tmp_path / "a"))
        assert pharaoh.parse(line, (1, 1)).links == {(1, 1)}

    def test_broken_utf8_is_a_malformed_link(self, tmp_path):
        (tmp_path / "a").write_bytes(b"0-0 \xff\n")
        ((where, line),) = pharaoh.load(tmp_path / "a")
        with pytest.raises(AlignmentError, match=":1: '\ufffd' is not a link"):
            pharaoh.parse(line, (1, 1), where)
