"""The picture and the page of aligned phrases."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

from divproj.drawing.phrases import alignment_svg, write_alignments
from divproj.io.trees.forests import ForestOptions, forests_of
from divproj.phrases.aligner import PhraseAligner

OLD = "(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept) (PP (IN in) (NP (DT the) (NN sun)))))"
NEW = "(S (PP (IN in) (NP (DT the) (NN sun))) (, ,) (NP (DT the) (JJ old) (NN dog)) (VP (VBD slept)))"
EVIL = "(S (NN <script>alert(1)</script>) (NN \"&'x))".replace("(1)", "-1-")


def aligned(a, b, **params):
    src, tgt = (forests_of(text, "brackets", None, ForestOptions("all"))[0] for text in (a, b))
    links = [(i, j) for i, x in enumerate(src.forms) for j, y in enumerate(tgt.forms) if x == y]
    return PhraseAligner(**params).align_pair(src, tgt, links)


def parts(alignment):
    root = ET.fromstring(alignment_svg(alignment))
    return [x for x in root.iter() if x.tag.endswith("}g")]


def test_partners_bear_the_same_number_and_bars_nest():
    groups = parts(aligned(OLD, NEW))
    bars = [g for g in groups if "phrase" in g.get("class", "").split() and g.get("data-pair")]
    by_side = {side: {g.get("data-pair"): g for g in bars if g.get("data-side") == side} for side in "01"}
    assert set(by_side["0"]) == set(by_side["1"])
    for side, up in (("0", -1), ("1", 1)):
        for a in by_side[side].values():
            for b in by_side[side].values():
                (a0, a1), (b0, b1) = ((int(x.get("data-from")), int(x.get("data-to"))) for x in (a, b))
                if (a0, a1) != (b0, b1) and b0 <= a0 and a1 <= b1:
                    y, z = (float(next(r for r in x if r.tag.endswith("rect")).get("y")) for x in (a, b))
                    assert (z - y) * up > 0  # the larger phrase lies farther out
    tokens = [g for g in groups if "token" in g.get("class", "").split()]
    assert len(tokens) == 7 + 8
    assert [g for g in tokens if "alone" in g.get("class", "")]


def test_kinds_are_to_be_seen():
    crossed = aligned(
        "(S (NP (NN a) (NN b)) (VP (NN c) (NN d)))", "(S (NP (NN a) (NN c)) (VP (NN b) (NN d)))", noncomp_cost=0.0
    )
    assert any("free" in g.get("class", "") for g in parts(crossed))
    apart = aligned("(S (NN a) (NN b))", "(S (NN c) (NN d))")
    assert any("forced" in g.get("class", "") for g in parts(apart))


def test_the_page_escapes_everything_and_counts():
    out = io.StringIO()
    write_alignments([aligned(OLD, NEW), aligned(EVIL, EVIL)], out, title="<b>x</b>", signature="divproj:<i>")
    page = out.getvalue()
    assert page.count('<article class="pair"') == 2
    assert "<b>x</b>" not in page
    assert "<i>" not in page
    assert "<script>alert" not in page
    assert "Content-Security-Policy" in page
    assert "sentence pairs</dt><dd>2<" in page


def test_text_from_right_to_left():
    found = aligned("(S (NN כלב) (NN ישן))", "(S (NN כלב) (NN ישן))")
    svg = alignment_svg(found)
    assert ET.fromstring(svg).tag.endswith("svg")
    assert "כלב" in svg
