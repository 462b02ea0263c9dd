"""Pictures: well-formed whatever the words are, and true to the trees."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divproj import Corpus, DepTree, Links, Pair, alter
from divproj.drawing.measure import clean, escape, runs_rtl, text_width, visible
from divproj.drawing.svg import LABEL, DrawnEdge, columns, fan, pair_svg, scenes, size_of, spread, stages_svg
from divproj.runtime.resources import folder

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("hin-eng", "deu-eng", "spa-eng", "kor-eng")


def tree(forms: str, heads: list[int], rels: str = "", upos: str = "") -> DepTree:
    return DepTree(tuple(forms.split()), tuple(heads), tuple(rels.split()), tuple(upos.split()))


def pair_of(f: DepTree, e: DepTree, links: set[tuple[int, int]], sent_id: str = "s1") -> Pair:
    return Pair(f, e, Links(frozenset(links), (len(f), len(e))), sent_id)


LIKES = pair_of(
    tree("hon simmar gärna", [2, 0, 2], "nsubj root advmod", "PRON VERB ADV"),
    tree("she likes to swim", [2, 0, 4, 2], "nsubj root mark xcomp", "PRON VERB PART VERB"),
    {(1, 1), (2, 4), (2, 3), (3, 2)},
)
ARABIC = pair_of(
    tree("يقرأ الولد كتابا .", [0, 1, 1, 1], "root nsubj obj punct"),
    tree("The boy reads a book .", [2, 3, 0, 5, 3, 3], "det nsubj root det obj punct"),
    {(1, 3), (2, 2), (2, 1), (3, 5), (4, 6)},
)


def pairs() -> Iterator[Pair]:
    yield LIKES
    yield ARABIC
    for name in NAMES:
        yield from itertools.islice(Corpus.at(folder("corpora") / name), 0, None, 3)


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def edges(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    found = {}
    for g in root.iter(f"{SVG}g"):
        if (g.get("class") or "").startswith("edge ") and g.get("data-class") != "root":
            found[f"{g.get('data-side')}{g.get('data-child')}-{g.get('data-head')}"] = g
    return found


def words(root: ElementTree.Element, side: str) -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{SVG}g") if g.get("class") == "word" and g.get("data-side") == side]


def word_xs(root: ElementTree.Element, side: str) -> list[float]:
    return [float(next(g.iter(f"{SVG}text")).get("x", "")) for g in words(root, side)]


@pytest.mark.parametrize("extended", [False, True])
def test_pictures_agree_with_the_analysis(extended: bool) -> None:
    for pair in pairs():
        altered = alter(pair, extended=extended)
        for stage, direction in itertools.product(altered.heads["e"], ("e_to_f", "f_to_e")):
            root = parsed(pair_svg(pair, altered, stage=stage, direction=direction))
            counts = altered.counts[direction][stage]
            kinds = [g.get("data-class") for k, g in edges(root).items() if k[0] == direction[0]]
            assert {kind: kinds.count(kind) for kind in set(kinds)} == {k: v for k, v in counts.items() if v and k in kinds}
            assert len(kinds) == counts["edges"]


def test_partners_exist_and_are_mutual() -> None:
    for pair in pairs():
        altered = alter(pair, extended=True)
        for stage, direction in itertools.product(altered.heads["e"], ("e_to_f", "f_to_e")):
            root = parsed(pair_svg(pair, altered, stage=stage, direction=direction))
            found = edges(root)
            for name, g in found.items():
                kind, partners = g.get("data-class"), (g.get("data-partner") or "").split()
                assert bool(partners) == (kind in ("match", "merge", "swap"))
                for partner in partners:
                    assert partner[0] != name[0]
                    if kind == "merge":
                        assert int(partner[1:]) <= len(pair.f if partner[0] == "f" else pair.e)
                    elif found[partner].get("data-class") == kind:
                        assert name in (found[partner].get("data-partner") or "").split()


def test_partner_of_each_class() -> None:
    found = edges(parsed(pair_svg(LIKES)))
    assert found["e3-4"].get("data-class") == "merge"
    assert found["e3-4"].get("data-partner") == "f2"
    assert found["e4-2"].get("data-class") == "swap"
    assert found["e4-2"].get("data-partner") == "f3-2"
    assert found["f3-2"].get("data-partner") == "e4-2"
    assert found["e1-2"].get("data-class") == "other"
    swapped = edges(parsed(pair_svg(LIKES, stage="swap")))
    assert swapped["e2-4"].get("data-class") == "match"
    assert swapped["e2-4"].get("data-partner") == "f3-2"
    assert swapped["e2-4"].get("class") == "edge match swapped"
    assert "".join(swapped["e2-4"].itertext()).endswith("⇄xcomp⁻¹")


def test_links_after_merges_are_those_of_the_kernel() -> None:
    for pair in pairs():
        for extended in (False, True):
            altered = alter(pair, extended=extended)
            assert scenes(altered)[-1].links == altered.links


def test_words_taken_out_are_marked() -> None:
    pair = next(iter(Corpus.at(folder("corpora") / "hin-eng")))  # The children are playing in the garden.
    altered = alter(pair)
    gone = {
        stage: [
            g.get("data-word")
            for g in words(parsed(pair_svg(pair, altered, stage=stage)), "e")
            if stage in (g.get("data-gone") or "").split()
        ]
        for stage in altered.heads["e"]
    }
    assert gone == {"initial": [], "remove": ["1", "6"], "merge": ["1", "6"], "swap": ["1", "6"]}
    remove = parsed(pair_svg(pair, altered, stage="remove"))
    marks = [t.text for t in remove.iter(f"{SVG}text") if t.get("class") == "op remove"]
    assert marks == ["✕", "✕"]
    merge = parsed(pair_svg(pair, altered, stage="merge"))
    assert [t.text for t in merge.iter(f"{SVG}text") if t.get("class") == "op merge"] == ["←⊕"]
    assert [p.get("data-stages") for p in merge.iter(f"{SVG}path") if p.get("class") == "host"] == ["merge"]


def test_all_stages_in_one_picture_show_what_each_picture_shows() -> None:
    for pair in itertools.islice(pairs(), 60):
        altered = alter(pair)
        together = parsed(stages_svg(altered))
        for stage in altered.heads["e"]:
            alone = {
                (g.get("data-side"), g.get("data-child"), g.get("data-head"), g.get("class"), g.get("data-partner"))
                for g in parsed(pair_svg(pair, altered, stage=stage)).iter(f"{SVG}g")
                if g.get("data-child")
            }
            here = {
                (g.get("data-side"), g.get("data-child"), g.get("data-head"), g.get("class"), g.get("data-partner"))
                for g in together.iter(f"{SVG}g")
                if g.get("data-child") and stage in (g.get("data-stages") or stage).split()
            }
            assert here == alone


def test_right_to_left_and_left_to_right() -> None:
    root = parsed(pair_svg(ARABIC))
    assert word_xs(root, "f") == sorted(word_xs(root, "f"), reverse=True)
    assert word_xs(root, "e") == sorted(word_xs(root, "e"))
    assert {t.get("direction") for g in words(root, "f") for t in g.iter(f"{SVG}text")} == {"rtl"}
    assert {t.get("direction") for g in words(root, "e") for t in g.iter(f"{SVG}text")} == {None}
    assert runs_rtl(["שלום", "x", "12"])
    assert not runs_rtl(["hello", "ש", "עם"][:2])


def test_widths() -> None:
    assert text_width("") == 0
    assert text_width("学生") == 2
    assert text_width("가나") == 2
    assert text_width("e\u0301\u0323") == text_width("e")
    assert text_width("मौसम") < 4 * 0.7
    assert text_width("iii") < text_width("mmm")
    assert text_width("\u200d\u200c") == 0


def label_boxes(pair: Pair, stage: str) -> Iterator[list[tuple[float, float, float]]]:
    (scene,) = scenes(alter(pair), stages=[stage])
    for side, tree_ in (("e", pair.e), ("f", pair.f)):
        at = [0, *range(len(tree_))]
        roots = [k for k, h in enumerate(scene.heads[side], 1) if h == 0]
        arcs = fan(scene.edges[side], roots, at)
        xs, _ = columns(tree_.forms, tree_.tags(), [arcs], at)
        boxes = []
        for edge, level, at_head, at_child in arcs.arcs:
            left, right = sorted((xs[edge.head] + at_head, xs[edge.child] + at_child))
            half = text_width(edge.label) * LABEL / 2 + (0 if edge.kind == "match" else 7)
            assert right - left >= 2 * half, (edge, left, right)
            boxes.append((float(level), left, right))
        yield boxes


def test_labels_fit_their_arcs_and_arcs_of_a_level_do_not_meet() -> None:
    for pair in pairs():
        for stage in ("initial", "swap"):
            for boxes in label_boxes(pair, stage):
                for (level, a, b), (other, c, d) in itertools.combinations(boxes, 2):
                    assert level != other or b <= c or d <= a


def test_stems_at_a_word_keep_nested_arcs_apart() -> None:
    made = [DrawnEdge("e", child, 1, "match", (), "x") for child in (2, 3, 4)]
    arcs = fan(made, [1], [0, 0, 1, 2, 3])
    assert [arc.level for arc in arcs.arcs] == [1, 2, 3]
    stems = [arc.at_head for arc in arcs.arcs]
    assert stems == sorted(stems, reverse=True)
    assert len(set(stems)) == 3
    assert arcs.roots[1][1] < min(stems)


def test_height_is_nesting_not_length() -> None:
    far = [DrawnEdge("e", 9, 1, "match", (), ""), DrawnEdge("e", 12, 10, "match", (), "")]
    assert {arc.level for arc in fan(far, [], [0, *range(12)]).arcs} == {1}


def test_spread_keeps_order_and_centres() -> None:
    assert spread([0.0, 10.0, 30.0], [0, 0, 1], 40.0, 60.0) == [0, 10, 50]
    assert spread([0.0, 10.0], [0, 0], 20.0, 100.0) == [0, 50]
    assert spread([0.0], [0], 0.0, 10.0) == [0]


TEXT = st.text(st.characters(codec=None), max_size=12)
NASTY = [
    "<script>alert(1)</script>",
    "</script>",
    '"onload=alert(1)',
    "]]>",
    "&amp;",
    "\x00\x1b[2J",
    "\ud800",
    "\ufffe",
    "'--",
    "a\nb",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT | st.sampled_from(NASTY), min_size=3, max_size=3), TEXT, TEXT, TEXT)
def test_any_text_makes_well_formed_xml(forms: list[str], rel: str, tag: str, sent_id: str) -> None:
    side = DepTree(tuple(forms), (2, 0, 2), (rel,) * 3, (tag,) * 3)
    pair = pair_of(side, side, {(1, 1), (2, 3), (3, 2)}, sent_id)
    svg = pair_svg(pair)
    svg.encode()
    root = parsed(svg)
    shown = ["".join(next(g.iter(f"{SVG}text")).itertext()) for g in words(root, "e")]
    assert shown == [re.sub("\r\n?", "\n", clean(form)) for form in forms]
    assert not list(root.iter(f"{SVG}script"))
    assert {a for x in root.iter() for a in x.attrib if a.startswith("on")} == set()


def test_escaping() -> None:
    assert escape("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;"
    assert escape("plain ünï") == "plain ünï"
    assert clean("\ud800\x07\uffff") == "\ufffd" * 3
    assert visible("a\u200db") == "a\u200db"


def test_nothing_comes_from_outside() -> None:
    svg = pair_svg(LIKES)
    assert svg.count("http") == 1  # the name space
    assert not re.search(r"href|url\(|@import|<image|<script", svg)


def test_size_and_style() -> None:
    wide, high = size_of(pair_svg(LIKES))
    assert size_of(pair_svg(LIKES, width=2 * wide)) == (2 * wide, 2 * high)
    assert "<style>" in pair_svg(LIKES)
    assert "prefers-color-scheme:dark" in pair_svg(LIKES)
    bare = pair_svg(LIKES, standalone=False)
    assert "<style>" not in bare
    assert 'class="bg"' not in bare
    assert "<title>" not in stages_svg(alter(LIKES), titles=False)
    assert LIKES._repr_html_() == pair_svg(LIKES)


def test_unknown_heads_possible_links_and_bare_trees() -> None:
    f = DepTree(("a", "b"), (0, -1))
    pair = Pair(f, f, Links(frozenset({(1, 1)}), (2, 2), frozenset({(1, 1)})))
    svg = pair_svg(pair)
    assert 'class="link possible"' in svg
    assert "head not known" in svg
    assert svg.count(" ?</text>") == 2
    for n in (0, 1):
        small = DepTree(("x",) * n, (0,) * n)
        parsed(pair_svg(Pair(small, small, Links(frozenset(), (n, n)))))


def test_wrong_names_are_told() -> None:
    with pytest.raises(ValueError, match="stage is 'later', one of initial, remove, merge, swap expected"):
        pair_svg(LIKES, stage="later")
    with pytest.raises(ValueError, match="direction is 'f', e_to_f or f_to_e expected"):
        pair_svg(LIKES, direction="f")


@pytest.mark.parametrize("shape", ["chain", "star", "nested"])
def test_very_long_sentences(shape: str) -> None:
    n = 400
    spiral = [k for low in range(1, n // 2 + 1) for k in (low, n + 1 - low)]
    parent = dict(zip(spiral[1:], spiral, strict=False))
    heads = {
        "chain": range(n),
        "star": (0, *(1,) * (n - 1)),
        "nested": (parent.get(k, 0) for k in range(1, n + 1)),
    }[shape]
    long = DepTree(tuple(f"w{k}" for k in range(n)), tuple(heads), ("nsubj",) * n)
    pair = Pair(long, long, Links(frozenset((k, k) for k in range(1, n + 1)), (n, n)))
    altered = alter(pair)
    start = time.process_time()
    parsed(stages_svg(altered))
    assert time.process_time() - start < 5
