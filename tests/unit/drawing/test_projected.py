"""The page of projections: true to them, in order, self-contained, and inert whatever the words are."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pagefiles import NASTY, Tags

from divproj import Corpus, DepTree, Links
from divproj.drawing.measure import clean
from divproj.drawing.projected import REASONS, projection_scene, projection_svg, running, write_projections
from divproj.projection.direct import Projection, ProjectionInput, s1
from divproj.projection.systems import train
from divproj.runtime.resources import folder

SVG = "{http://www.w3.org/2000/svg}"
ENGLISH = DepTree(
    ("The", "boy", "runs", "to", "school"),
    (2, 3, 0, 3, 4),
    ("det", "nsubj", "root", "prep", "pobj"),
    ("DET", "NOUN", "VERB", "ADP", "NOUN"),
)
BITEXT = ProjectionInput(
    ("laRkaa", "ne", "skuul", "ko", "dauRtaa", "hai"),
    ENGLISH,
    Links(frozenset({(1, 2), (3, 5), (4, 4), (5, 3), (6, 3)}), (6, 5)),
    ("boy", "ERG", "school", "to", "run", "be"),
    "s1",
)
PROJECTION = Projection(
    BITEXT,
    (5, 1, 5, 3, 0, 5),
    ("projected", "spontaneous", "guess", "swap", "projected", "merge"),
    (0.99, 0.5, 0.42, 0.96, 0.7, 1.0),
    ("nsubj", "dep", "dep", "dep", "root", "dep"),
)
PLAIN = s1(replace(BITEXT, glosses=(), sent_id="s2"))


def page_of(projections: Iterable[Projection], **more: Any) -> str:
    out = io.StringIO()
    named = {"title": "T", "signature": "divproj:x|y", "system": "s2+", **more}
    write_projections(projections, out, **named)
    return out.getvalue()


def pictures(page: str) -> Iterator[ElementTree.Element]:
    for text in re.findall('data-z="([^"]*)"', page):
        yield ElementTree.fromstring(zlib.decompress(base64.b64decode(text)))


def edges(svg: ElementTree.Element, side: str = "f") -> dict[str, ElementTree.Element]:
    found = (g for g in svg.iter(f"{SVG}g") if g.get("data-child") and g.get("data-side") == side)
    return {f"{g.get('data-child')}-{g.get('data-head')}": g for g in found}


def told(edge: ElementTree.Element) -> str:
    return next(edge.iter(f"{SVG}title")).text or ""


def label(edge: ElementTree.Element) -> str:
    return " ".join("".join(t.itertext()) for t in edge.iter(f"{SVG}text"))


def plain(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", page.partition("<main>")[2]).split())


@pytest.fixture(scope="module")
def hindi() -> list[Projection]:
    pairs = list(Corpus.at(folder("corpora") / "hin-eng"))
    project = train("s2+", pairs[:40])
    return [project(ProjectionInput.of(pair)) for pair in pairs[40:]]


@pytest.fixture(scope="module")
def page(hindi: list[Projection]) -> str:
    return page_of(hindi, title="Hindi")


def test_edges_bear_reason_sign_and_confidence() -> None:
    svg = ElementTree.fromstring(projection_svg(PROJECTION))
    found = edges(svg)
    kinds = {name: g.get("class") for name, g in found.items()}
    assert kinds == {
        "1-5": "edge projected",
        "2-1": "edge spontaneous",
        "3-5": "edge guess",
        "4-3": "edge swap",
        "5-0": "edge projected",
        "6-5": "edge merge",
    }
    assert {name: label(g) for name, g in found.items()} == {
        "1-5": "nsubj",  # sure enough to need no number
        "2-1": "∅dep50\u202f%",
        "3-5": "?dep42\u202f%",
        "4-3": "⇄dep",
        "5-0": "root70\u202f%",
        "6-5": "⊕dep",
    }
    assert told(found["1-5"]) == "laRkaa ←nsubj─ dauRtaa · projected ~ boy ←nsubj─ runs · 99.0 % sure"
    assert told(found["4-3"]) == "ko ←dep─ skuul · swap ~ school ←pobj─ to · 96.0 % sure"
    assert told(found["2-1"]) == "ne ←dep─ laRkaa · spontaneous · 50.0 % sure"
    assert told(found["5-0"]) == "dauRtaa: root · projected ~ runs · 70.0 % sure"
    assert {g.get("data-class") for name, g in edges(svg, "e").items() if name != "3-0"} == {"given"}
    assert told(edges(svg, "e")["2-3"]) == "boy ←nsubj─ runs ~ laRkaa ←nsubj─ dauRtaa"
    words = [next(g.iter(f"{SVG}title")).text for g in svg.iter(f"{SVG}g") if g.get("class") == "word"]
    assert "1 laRkaa ‘boy’ NOUN" in words


def test_partners_are_what_an_edge_came_from(hindi: list[Projection]) -> None:
    scene = projection_scene(PROJECTION)
    assert {edge.child: edge.partners for edge in scene.edges["f"]} == {
        1: ("e2-3",),
        2: (),
        3: ("e5-4", "e4-3"),  # school → to → runs
        4: ("e5-4",),
        6: ("e3",),
    }
    for projection in hindi:
        scene = projection_scene(projection)
        names = {side: {f"{side}{x.child}-{x.head}": x for x in scene.edges[side]} for side in "fe"}
        for side, other in ("fe", "ef"):
            for name, edge in names[side].items():
                for partner in (p for p in edge.partners if "-" in p):
                    assert name in names[other][partner].partners


def test_without_confidence_nothing_is_said_of_it() -> None:
    text = page_of([PLAIN], system="s1-r")
    svg = next(pictures(text))
    assert not [t for t in svg.iter(f"{SVG}tspan") if t.get("class") == "number"]
    assert not [t for g in edges(svg).values() for t in [told(g)] if "sure" in t]
    body = text.partition("<main>")[2].partition("<script>")[0]
    for name in ('id="below"', 'id="order"', 'id="confidence"', "data-c=", "sure", "onfidence", "<small><bdi>"):
        assert name not in body
    assert "83.3 % linked" in plain(text)
    assert page_of([PLAIN, replace(PLAIN, confidence=(0.9,) * 6)]).count("data-c=") == 1


def test_figures_and_table_are_those_of_the_projections(page: str, hindi: list[Projection]) -> None:
    text = plain(page)
    reasons = Counter(reason for projection in hindi for reason in projection.reasons)
    sure = [c for projection in hindi for c in projection.confidence]
    words = reasons.total()
    linked = sum(projection.coverage * len(projection.sentence) for projection in hindi)
    assert f"sentences {len(hindi)} words {words} of the words linked {100 * linked / words:.1f} %" in text
    assert f"words below 50 % confidence {sum(c < 0.5 for c in sure)} " in text
    assert "mean confidence" not in text  # a mean over a model's own numbers is no accuracy
    assert "How many heads are right is not known" in text
    for reason in REASONS:
        mine = [c for p in hindi for r, c in zip(p.reasons, p.confidence, strict=True) if r == reason]
        share = f"{100 * len(mine) / words:.1f} % {f'{100 * sum(mine) / len(mine):.1f} %' if mine else '–'}"
        assert f"{len(mine)} {share}" in text, reason
    bins = [int(n) for n in re.findall("<g><title>[0-9]+–[0-9]+ %: ([0-9]+) words?", page)]
    assert len(bins) == 20
    assert sum(bins) == words
    assert bins[-1] == sum(c >= 0.95 for c in sure)


def test_least_confident_first(page: str, hindi: list[Projection]) -> None:
    means = [(sum(p.confidence) / len(p.confidence), k, p.sentence.sent_id) for k, p in enumerate(hindi)]
    assert re.findall("<h3>(.*?)</h3>", page) == [sent_id for _, _, sent_id in sorted(means)]
    assert re.findall('id="n([0-9]+)"', page) == [str(k + 1) for _, k, _ in sorted(means)]
    same = [replace(PLAIN, sentence=replace(PLAIN.sentence, sent_id=f"x{k}")) for k in (3, 1, 2)]
    assert re.findall("<h3>(.*?)</h3>", page_of(same)) == ["x3", "x1", "x2"]


def test_interlinear_text_and_translation() -> None:
    text = page_of([PROJECTION])
    columns = re.findall(r"<li><bdi>(.*?)</bdi>\n<small><bdi>(.*?)</bdi></small></li>", text)
    assert columns == list(zip(BITEXT.forms, BITEXT.glosses, strict=True))
    assert "‘<bdi>The boy runs to school</bdi>’" in text
    (article,) = re.findall("<article[^>]*>", text)
    assert 'data-r="024301"' in article
    assert 'data-c="990 500 420 960 700 1000"' in article
    arabic = ProjectionInput(("كتب", "الولد"), DepTree(("a",), (0,)), Links(frozenset({(1, 1)}), (2, 1)))
    assert '<ol class="text igt" dir="rtl">' in page_of([s1(arabic)])


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("I ca n't swim , can I ?", "I can't swim, can I?"),
        ("Mary 's dog ( a big one ) .", "Mary's dog (a big one)."),
        ("' quoted ' text", "' quoted ' text"),
        ("", ""),
    ],
)
def test_running_text(tokens: str, text: str) -> None:
    assert running(tokens.split()) == text


def test_sources_of_links() -> None:
    sources = {(1, 2): "lemma", (3, 5): "exact", (4, 4): "exact"}
    text = page_of([PROJECTION, PLAIN], link_sources=[sources, {}])
    assert "3 links: exact 66.7 %, lemma 33.3 %" in plain(text)
    links = [p for p in next(pictures(text)).iter(f"{SVG}path") if (p.get("class") or "").startswith("link")]
    assert [told(link) for link in links][:2] == ["boy ~ laRkaa · lemma", "school ~ skuul · exact"]
    assert "links:" not in plain(page_of([PROJECTION]))
    with pytest.raises(ValueError, match="shorter"):
        page_of([PROJECTION, PLAIN], link_sources=[sources])


def test_pictures_unpack(page: str, hindi: list[Projection]) -> None:
    sizes = re.findall('data-z="[^"]*"><svg width="([0-9]+)" height="([0-9]+)"></svg>', page)
    drawn = list(pictures(page))
    assert [(svg.get("width"), svg.get("height")) for svg in drawn] == sizes
    assert len(drawn) == len(hindi)
    counts = Counter(g.get("data-class") for svg in drawn for g in edges(svg).values())
    assert counts == Counter(reason for projection in hindi for reason in projection.reasons)


def test_policy_names_the_only_script_and_style(page: str) -> None:
    (policy,) = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "http:" not in page
    assert "https:" not in page
    found = Tags(page)
    assert not [attrs for _, attrs in found.tags if {"style", "src"} & set(attrs) or any(a.startswith("on") for a in attrs)]
    ids = [str(attrs["id"]) for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {str(attrs["href"]) for _, attrs in found.tags if "href" in attrs}
    assert links <= {"data:,", *(f"#{name}" for name in ids)}


def test_none_and_empty_sentences() -> None:
    assert "0 sentences" in page_of([])
    empty = ProjectionInput((), DepTree((), ()), Links(frozenset(), (0, 0)))
    text = page_of([Projection(empty, (), ()), PROJECTION])
    assert re.findall("<h3>(.*?)</h3>", text) == ["s1", "sentence 1"]


def test_written_in_pieces() -> None:
    class Out(io.StringIO):
        largest = 0

        def write(self, text: str) -> int:
            self.largest = max(self.largest, len(text))
            return len(text)

    out = Out()
    write_projections((PROJECTION for _ in range(300)), out, title="T", signature="S", system="s2+")
    assert out.largest < 40_000


def test_size(page: str, hindi: list[Projection]) -> None:
    assert len(page.encode()) / len(hindi) < 6000


TEXT = st.text(st.characters(codec=None), max_size=10)
KNOWN = {
    "details", "summary", "g", "path", "text", "tspan", "title", "b", "code",
    "html", "head", "meta", "link", "style", "body", "a", "header", "h1", "p", "nav", "main", "section", "h2", "div", "ul",
    "table", "thead", "tbody", "tr", "th", "td", "span", "small", "svg", "rect", "button", "bdi", "label",
    "input", "output", "noscript", "article", "h3", "script", "dl", "dt", "dd", "ol", "li", "fieldset", "legend",
}  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT | st.sampled_from(NASTY), min_size=8, max_size=8))
def test_any_text_is_shown_and_nothing_else_happens(texts: list[str]) -> None:
    a, b, gloss, rel, sent_id, title, system, source = texts
    e = DepTree((b, a), (0, 1), ("root", rel))
    bitext = ProjectionInput((a, b, "z"), e, Links(frozenset({(1, 2), (2, 1)}), (3, 2)), (gloss, "", a), sent_id)
    made = Projection(bitext, (2, 0, 2), ("projected", "guess", "spontaneous"), (0.4, 0.5, 0.99))
    text = page_of([made], title=title, system=system, link_sources=[{(1, 2): source}])
    text.encode()
    found = Tags(text)
    names = [tag for tag, _ in found.tags]
    assert set(names) <= KNOWN
    assert names.count("script") == names.count("article") == 1
    assert not [attrs for _, attrs in found.tags if any(name.startswith("on") for name in attrs)]
    shown = "".join(found.text)
    for word in (a, b, gloss, title, system, source):
        assert clean(word) in shown
    for svg in pictures(text):
        assert {x.tag.removeprefix(SVG) for x in svg.iter()} <= {"svg", "g", "path", "text", "tspan", "title"}
