"""The report: complete, self-contained, in order, and inert whatever the words are."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zlib
from collections.abc import Iterable
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pagefiles import NASTY, Tags

from divproj import Corpus, DepTree, Links, Pair, alter, analyze
from divproj.divergence.analysis import LABELS, TYPES
from divproj.drawing.html import write_report
from divproj.drawing.measure import clean
from divproj.runtime.resources import folder


def report(pairs: Iterable[Pair], *, extended: bool = False, faults: tuple[str, ...] = (), title: str = "T") -> str:
    pairs = list(pairs)
    out = io.StringIO()
    altered = (alter(pair, extended=extended) for pair in pairs)
    write_report(analyze(pairs, extended=extended), altered, out, title=title, signature="divproj:x|y", faults=faults)
    return out.getvalue()


@pytest.fixture(scope="module")
def hindi() -> list[Pair]:
    return list(Corpus.at(folder("corpora") / "hin-eng"))


@pytest.fixture(scope="module")
def page(hindi: list[Pair]) -> str:
    return report(hindi, title="Hindi", faults=("f.conllu:3: bad",))


def test_tables_say_what_the_analysis_says(page: str, hindi: list[Pair]) -> None:
    analysis = analyze(hindi)
    plain = " ".join(re.sub("<[^>]*>", " ", page.partition("<main>")[2]).split())
    for direction in ("e_to_f", "f_to_e"):
        for stage, share in analysis.match_percentages(direction).items():
            assert f"{share:.1f} %" in plain, stage
    for name in TYPES:
        assert f"{LABELS[name]} " in plain
        for example in analysis.examples[name]:
            assert example.text in plain
    top = max(analysis.patterns(), key=lambda p: p.count)
    assert f"{top.child} {top.count} {top.total} {100 * top.share:.1f} %" in plain
    assert "1 fault in the data" in plain
    assert "f.conllu:3: bad" in plain


def test_pairs_come_least_matched_first(page: str, hindi: list[Pair]) -> None:
    shares = []
    for pair in hindi:
        counts = alter(pair).counts["e_to_f"]["initial"]
        shares.append((counts["match"] / counts["edges"] if counts["edges"] else 1.0, pair.sent_id))
    assert re.findall("<h3>(.*?)</h3>", page) == [sent_id for _, sent_id in sorted(shares)]


def test_pictures_unpack(page: str, hindi: list[Pair]) -> None:
    packed = re.findall('data-z="([^"]*)"><svg width="([0-9]+)" height="([0-9]+)"></svg>', page)
    assert len(packed) == len(hindi)
    for text, wide, high in packed:
        svg = ElementTree.fromstring(zlib.decompress(base64.b64decode(text)))
        assert (svg.get("width"), svg.get("height"), svg.get("data-stage")) == (wide, high, "initial")
        assert not [x for x in svg.iter() if x.tag.endswith("style")]


def test_size(page: str, hindi: list[Pair]) -> None:
    assert len(page.encode()) / len(hindi) < 6000


def test_policy_names_the_only_script_and_style(page: str) -> None:
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    found = Tags(page)
    assert not [attrs for _, attrs in found.tags if "style" in attrs or any(a.startswith("on") for a in attrs)]
    assert not [attrs for _, attrs in found.tags if "src" in attrs]
    assert {attrs["href"] for tag, attrs in found.tags if "href" in attrs and not str(attrs["href"]).startswith("#")} == {
        "data:,"
    }
    assert "http:" not in page
    assert "https:" not in page


def test_anchors_and_filters_lead_somewhere(page: str) -> None:
    found = Tags(page)
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for attrs in found.all("a"):
        assert str(attrs["href"])[1:] in ids
    rows = {attrs["data-key"] for attrs in found.all("tr") if "data-key" in attrs}
    used = {key for attrs in found.all("article") for key in str(attrs["data-k"]).split()}
    assert rows == used


def test_some_of_the_pairs(hindi: list[Pair]) -> None:
    out = io.StringIO()
    write_report(analyze(hindi), map(alter, hindi[:5]), out, title="T", signature="S")
    assert "The 5 least matched (E→F) of 66, least first." in out.getvalue()
    assert "Of the 5 pairs below." in out.getvalue()
    found = Tags(out.getvalue())
    rows = {attrs["data-key"] for attrs in found.all("tr") if "data-key" in attrs}
    assert rows == {key for attrs in found.all("article") for key in str(attrs["data-k"]).split()}
    assert len(found.all("article")) == 5


def test_extended_stage() -> None:
    f = DepTree(("a", "b", "c"), (0, 1, 2), ("root", "x", "y"))
    e = DepTree(("a", "b", "c"), (0, 1, 1), ("root", "x", "y"))
    pair = Pair(f, e, Links(frozenset({(1, 1), (1, 2), (2, 1), (3, 3)}), (3, 3)), "s")
    text = report([pair], extended=True)
    assert 'data-stage="extended"' in text
    assert "merged on both sides" in text
    assert len(re.findall('data-m="([^"]*)"', text)[0].split()) == 5
    assert 'data-stage="extended"' not in report([pair])


def test_pairs_without_edges_ids_or_relations() -> None:
    bare = DepTree(("x",), (0,))
    text = report([Pair(bare, bare, Links(frozenset(), (1, 1)))] * 2)
    assert "<h3>pair 1</h3>" in text
    assert "100.0 %" in text
    assert "No edge with a relation diverges" in text
    assert "0 pairs" in report([])


def test_many_tags_are_cut() -> None:
    made = []
    for k in range(230):
        f = DepTree(("a", "b"), (0, 1), ("root", f"r{k}"), ("X", f"T{k}"))
        made.append(Pair(f, f, Links(frozenset({(1, 1)}), (2, 2)), f"s{k}"))
    text = report(made)
    assert text.count("and 260 rarer ones") == 2
    assert text.count('<tr data-key="p') == text.count('<tr data-key="r') == 200


def test_written_in_pieces() -> None:
    class Out(io.StringIO):
        largest = 0

        def write(self, text: str) -> int:
            self.largest = max(self.largest, len(text))
            return len(text)

    f = DepTree(("a", "b"), (0, 1), ("root", "x"))
    pairs = [Pair(f, f, Links(frozenset({(1, 1)}), (2, 2)), f"s{k}") for k in range(300)]
    out = Out()
    write_report(analyze(pairs), map(alter, pairs), out, title="T", signature="S")
    assert out.largest < 40_000


TEXT = st.text(st.characters(codec=None), max_size=10)
KNOWN = {
    "details", "summary", "g", "path", "text", "tspan", "title", "b", "code",
    "html", "head", "meta", "link", "style", "body", "a", "header", "h1", "p", "nav", "main", "ul", "li", "section", "h2", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "small", "svg", "rect",
    "button", "bdi", "label", "input", "output", "noscript", "article", "h3", "template", "script",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT | st.sampled_from(NASTY), min_size=7, max_size=7))
def test_any_text_is_shown_and_nothing_else_happens(texts: list[str]) -> None:
    a, b, rel, tag, sent_id, title, fault = texts
    f = DepTree((a, b, "z"), (0, 1, 1), (rel, rel, "dep"), (tag, "X", tag))
    e = DepTree((b, a, "z"), (0, 1, 1), ("root", "dep", rel), ("X", tag, "Y"))
    text = report([Pair(f, e, Links(frozenset({(1, 2), (2, 1)}), (3, 3)), sent_id)], faults=(fault,), title=title)
    text.encode()
    found = Tags(text)
    assert {tag for tag, _ in found.tags} <= KNOWN
    assert len(found.all("script")) == len(found.all("article")) == 1
    assert not [attrs for _, attrs in found.tags if any(name.startswith("on") for name in attrs)]
    shown = "".join(found.text)
    for word in (a, b, title, fault):
        assert clean(word) in shown
