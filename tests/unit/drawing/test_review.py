"""The page of a review as text: the tree as a list of words, confidence in class and words, everything escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from divproj.drawing.review import KEYS, DrawnSentence, band, page, sentence_svg, word_description

SHOWN = DrawnSentence(
    ("ni", "na", "ga", "<b>"),
    ("1SG", "", "see", "a&b"),
    ("PRON", "_", "VERB", "_"),
    (3, 3, 0, -1),
    ("nsubj", "_", "root", "_"),
    ("projected", "merge", "corrected", "other tool"),
    (0.97, 0.41, None, 0.6),
    frozenset({3}),
)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(shown: DrawnSentence) -> ElementTree.Element:
    return ElementTree.fromstring(sentence_svg(shown))


def parts(svg: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [g for g in svg.iter(f"{SVG}g") if kind in g.get("class", "").split()]


def test_words_are_options_that_say_all_about_themselves():
    svg = drawn(SHOWN)
    assert svg.get("role") == "listbox"
    words = parts(svg, "word")
    assert [w.get("role") for w in words] == ["option"] * 4
    assert [w.get("aria-label") for w in words] == [
        "1 ni ‘1SG’ PRON, head 3 ga, relation nsubj, projected, 97 % sure",
        "2 na, head 3 ga, merge, 41 % sure",
        "3 ga ‘see’ VERB, the root, corrected",
        "4 <b> ‘a&b’, no head, other tool, 60 % sure",
    ]
    assert word_description(SHOWN, 4) == words[3].get("aria-label")
    assert ["loose" in w.get("class", "") for w in words] == [False, False, False, True]


def test_edges_bear_confidence_as_class_and_number():
    edges = {edge.get("data-child"): edge for edge in parts(drawn(SHOWN), "edge")}
    assert set(edges) == {"1", "2", "3"}
    assert [edges[k].get("class") for k in "123"] == ["edge good", "edge weak", "edge plain hand"]
    text = {k: "".join(edges[k].find(f"{SVG}text").itertext()) for k in "123"}  # type: ignore[union-attr]
    assert text == {"1": "nsubj", "2": "⊕41\u202f%", "3": "✎root"}


def test_bands():
    assert [band(x) for x in (0.0, 0.49, 0.5, 0.79, 0.8, 1.0, None)] == [
        "weak",
        "weak",
        "fair",
        "fair",
        "good",
        "good",
        "plain",
    ]


def test_right_to_left():
    shown = DrawnSentence(("ولد", "كتب"), (), ("_", "_"), (2, 0), ("nsubj", "root"), ("", ""), (None, None))
    first, second = parts(drawn(shown), "word")
    x = [float(w.find(f"{SVG}text").get("x", "")) for w in (first, second)]  # type: ignore[union-attr]
    assert x[0] > x[1]
    assert first.find(f"{SVG}text").get("direction") == "rtl"  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [1, 2, 60])
def test_words_do_not_overlap(size: int):
    glosses = tuple("a-very-long-gloss" if k % 2 else "" for k in range(size))
    shown = DrawnSentence(
        ("x",) * size, glosses, ("_",) * size, tuple(range(size)), ("d",) * size, ("",) * size, (None,) * size
    )
    boxes = [w.find(f"{SVG}rect") for w in parts(drawn(shown), "word")]
    spans = [(float(b.get("x", "")), float(b.get("width", ""))) for b in boxes if b is not None]
    assert all(x + width <= after for (x, width), (after, _) in pairwise(spans))


def test_the_page_stands_under_its_policy():
    made = page("<i>trees</i>")
    assert "<i>trees" not in made.html
    (css,) = re.findall("<style>(.*?)</style>", made.html, re.DOTALL)
    (js,) = re.findall("<script>(.*?)</script>", made.html, re.DOTALL)
    for kind, text in (("style", css), ("script", js)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in made.policy
    assert "{{" not in made.html
    assert not re.search(r'\son\w+="|\sstyle="|https?://(?!www\.w3\.org)', made.html)


def test_every_control_has_a_name_and_every_key_is_told():
    html = page("t").html
    for key, what in KEYS:
        assert all(f"<kbd>{name}</kbd>" in html for name in key.split(" or "))
        assert what.replace("’", "’") in html
    for button in re.findall(r"<button.*?</button>", html, re.DOTALL):
        text = re.sub("<[^>]*>", "", re.sub('<span aria-hidden="true">.*?</span>', "", button)).strip()
        assert text or "aria-label=" in button, button
