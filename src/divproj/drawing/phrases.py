"""Pictures of aligned phrases.

`proj align` writes one offline page: two sentences facing each other, every phrase a bar over its words, partners lit together.
`proj draw --induced` draws two induced trees and the nodes that the model aligned: E above its words, F below its own, the same
number on both. Strings out: SVG without outside references, or lines for the terminal.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from divproj.core.errors import Faults, ModelError, ProjError, Where
from divproj.drawing.measure import escape, runs_rtl, text_width, visible
from divproj.drawing.page import Spool, document, head, number, percent, picture, tools
from divproj.drawing.svg import GAP, MARGIN, STYLE, TAG, WORD
from divproj.forest.hypergraph import Forest
from divproj.induction.reading import kept_words, tree_pairs
from divproj.io.files import LINKS_FILE, in_folder, reading
from divproj.phrases.results import PhraseAlignment, PhrasePair

UNSURE_PAIR = 0.5
"""Pairs less probable than this are drawn with a broken line."""


BAR, STEP, BETWEEN, ROW = 15, 19, 56, 22
"""Pixels: height of a bar, from one level to the next, between the two rows of words, of a row of words."""
PHRASE_STYLE = """\
.divproj .phrase rect{fill:var(--bg);stroke:var(--merge);stroke-width:1.4}
.divproj .phrase text{font-size:10px;text-anchor:start;fill:var(--merge)}
.divproj .phrase.alone rect{stroke:var(--link);stroke-dasharray:2 3}
.divproj .phrase.alone text{fill:var(--soft)}
.divproj .phrase.free rect{stroke:var(--swap);stroke-width:2}
.divproj .phrase.free text{fill:var(--swap)}
.divproj .phrase.unsure rect{stroke-dasharray:6 3}
.divproj .phrase.forced rect{stroke:var(--other)}
.divproj .token.alone .form{fill:var(--soft)}
.divproj .tie{fill:none;stroke:var(--link);stroke-width:1.6}
.divproj .tie.wide{stroke-dasharray:4 3}
"""
Boxes = list[tuple[float, float]]


def write_alignments(alignments: Iterable[PhraseAlignment], out: TextIO, *, title: str, signature: str) -> None:
    """Write the page to `out`; the pairs wait in a temporary file, so memory stays flat."""
    with tempfile.TemporaryFile(prefix="divproj-") as file:
        pieces = Spool(file)
        facts = {"phrase pairs": 0, "of several words": 0, "roots not reached": 0, "cut short": 0}
        for alignment in alignments:
            facts["phrase pairs"] += len(alignment.visible)
            facts["of several words"] += sum(pair.words > 1 for pair in alignment.visible)
            facts["roots not reached"] += not alignment.reachable
            facts["cut short"] += alignment.truncated
            pieces.add(len(pieces), _piece(alignment, len(pieces) + 1))
        for part in document("phrases", title, _body(pieces, facts, title, signature), PHRASE_STYLE):
            out.write(part)


def _body(pieces: Spool, facts: dict[str, int], title: str, signature: str) -> Iterator[str]:
    yield head(title, signature, "Phrases aligned on parse trees", {"pairs": "Pairs"}, "pairs") + "<main>\n"
    yield '<dl class="facts">'
    for name, value in {"sentence pairs": len(pieces), **facts}.items():
        yield f"<div><dt>{name}</dt><dd>{number(value)}</dd></div>"
    yield "</dl>\n"
    yield (
        '<section id="pairs" class="list" tabindex="-1"><h2>Pairs</h2><p class="note">A bar is a phrase; bars above the upper and '
        "below the lower sentence nest as the phrases do. Point at a bar or a word, or reach it with Tab, to light its partner; "
        "click to hold the light. Grey and dotted: no partner. Broken bar: less probable than not. Broken link: a word that goes with a phrase. Orange: more or fewer than two "
        f'phrases support it.</p>\n{tools("pairs", len(pieces))}<div id="list">\n'
    )
    yield from pieces.in_order()
    yield '</div><p id="none" hidden>No pair has all of this.</p></section>\n</main>\n'


def _piece(alignment: PhraseAlignment, place: int) -> Iterator[str]:
    yield f'<article class="pair" id="n{place}" tabindex="-1"><h3>{escape(alignment.sent_id) or f"pair {place}"}</h3>'
    facts = [f"<b>{number(len(alignment.visible))}</b> phrase pairs"]
    if math.isfinite(alignment.log_alpha):
        facts.append(f"log α {alignment.log_alpha:.1f}")
    facts += ["root not reached"] * (not alignment.reachable) + ["cut short"] * alignment.truncated
    yield f'<p class="share"><span>{", ".join(facts)}</span></p>'
    for forms in (alignment.src.forms, alignment.tgt.forms):
        yield f'<p class="text line" dir="auto"><bdi>{escape(" ".join(forms))}</bdi></p>'
    words = max(len(alignment.src.forms), len(alignment.tgt.forms))
    yield f"{picture(words, lambda: alignment_svg(alignment, standalone=False))}</article>\n"


def alignment_svg(alignment: PhraseAlignment, *, standalone: bool = True) -> str:
    """The picture of one pair: source with its bars above, target with its bars below, word links between."""
    sides = (alignment.src, alignment.tgt)
    rows = [_boxes(forest.forms) for forest in sides]
    wide = max(boxes[-1][1] if not runs_rtl(f.forms) else boxes[0][1] for boxes, f in zip(rows, sides, strict=True))
    spread: list[Boxes] = []
    for boxes in rows:
        width = max(high for _, high in boxes)
        spread.append([(a + (wide - width) / 2, b + (wide - width) / 2) for a, b in boxes])
    levels = [_levels(forest, tree) for forest, tree in zip(sides, (alignment.src_tree, alignment.tgt_tree), strict=True)]
    tops = [max(heights.values(), default=0) for heights in levels]
    first = 10 + STEP * tops[0] + ROW
    second = first + BETWEEN
    high = second + 12 + STEP * tops[1] + 10
    name = escape(f"Aligned phrases of {alignment.sent_id}" if alignment.sent_id else "Aligned phrases of a pair")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide + 2 * MARGIN:.0f} {high}" '
        f'width="{wide + 2 * MARGIN:.0f}" height="{high}" role="group" aria-label="{name}"><title>{name}</title>'
        f"{f'<style>{STYLE}{PHRASE_STYLE}</style>' if standalone else ''}"
        f'<rect class="bg" x="{-MARGIN}" width="{wide + 2 * MARGIN:.0f}" height="{high}"/>'
    ]
    parts += _ties(alignment, spread, first, second)
    for side, base, up in ((0, first - ROW, -1), (1, second + 8, 1)):
        parts += _bars(alignment, side, spread[side], levels[side], base, up)
    for side, y in ((0, first), (1, second)):
        parts += _words(alignment, side, spread[side], y)
    return "".join(parts) + "</svg>"


def _boxes(forms: tuple[str, ...]) -> Boxes:
    """Left and right end of each word, in its order of reading."""
    order = range(len(forms) - 1, -1, -1) if runs_rtl(forms) else range(len(forms))
    boxes, x = [(0.0, 0.0)] * len(forms), 0.0
    for k in order:
        width = max(20.0, text_width(forms[k]) * WORD + 4)
        boxes[k] = (x, x + width)
        x += width + GAP
    return boxes


def _levels(forest: Forest, tree: tuple[int, ...]) -> dict[int, int]:
    """Height of each real phrase of several words: one more than the highest inside it."""
    levels: dict[int, int] = {}
    phrases = [k for k in tree if not forest.nodes[k].virtual and forest.nodes[k].end - forest.nodes[k].start > 1]
    last = [0] * len(forest.forms)  # the highest bar over each word so far
    for k in sorted(phrases, key=lambda k: (forest.nodes[k].end - forest.nodes[k].start, k)):
        span = range(forest.nodes[k].start, forest.nodes[k].end)
        levels[k] = 1 + max(last[w] for w in span)
        for w in span:
            last[w] = levels[k]
    return levels


def _pair_description(alignment: PhraseAlignment, pair: PhrasePair) -> str:
    """What a reader is told of a pair."""
    texts = [" ".join(f.forms[a:b]) for f, (a, b) in ((alignment.src, pair.src), (alignment.tgt, pair.tgt))]
    confidence = f", {percent(pair.posterior)}" if math.isfinite(pair.posterior) else ""
    kind = "" if pair.kind in ("word", "phrase") else f", {pair.kind}"
    return escape(f"{pair.src_label} ‘{texts[0]}’ ~ {pair.tgt_label} ‘{texts[1]}’{confidence}{kind}")


def _partners(alignment: PhraseAlignment, side: int) -> dict[int, int]:
    """Number of the pair that each node is in."""
    return {(p.tgt_node if side else p.src_node): k for k, p in enumerate(alignment.visible)}


def _classes(pair: PhrasePair) -> str:
    classes = "phrase"
    if pair.kind == "non-compositional":
        classes += " free"
    if pair.kind == "forced":
        classes += " forced"
    return classes + (" unsure" if pair.posterior < UNSURE_PAIR else "")


def _bars(alignment: PhraseAlignment, side: int, boxes: Boxes, levels: dict[int, int], base: float, up: int) -> Iterator[str]:
    forest = alignment.tgt if side else alignment.src
    numbers = _partners(alignment, side)
    for node, level in sorted(levels.items(), key=lambda item: -item[1]):
        phrase = forest.nodes[node]
        ends = [boxes[w] for w in range(phrase.start, phrase.end)]
        left, right = min(a for a, _ in ends), max(b for _, b in ends)
        y = base + up * STEP * level + (0 if up < 0 else -BAR + 4)
        label = "/".join(phrase.chain[:2])
        fits = escape(label) if text_width(label) * TAG < right - left - 6 else ""
        box = f'<rect x="{left:.0f}" y="{y:.0f}" width="{right - left:.0f}" height="{BAR}" rx="3"/>'
        text = f'<text x="{left + 4:.0f}" y="{y + BAR - 4:.0f}">{fits}</text>' if fits else ""
        words = f'data-side="{side}" data-from="{phrase.start}" data-to="{phrase.end}"'
        if node in numbers:
            pair = alignment.visible[numbers[node]]
            description = _pair_description(alignment, pair)
            yield f'<g class="{_classes(pair)}" data-pair="{numbers[node]}" {words} tabindex="0" role="img" aria-label="{description}"><title>{description}</title>{box}{text}</g>'
        else:
            description = escape(f"{phrase.label} ‘{forest.text(node)}’ has no partner")
            yield f'<g class="phrase alone" {words}><title>{description}</title>{box}{text}</g>'


def _words(alignment: PhraseAlignment, side: int, boxes: Boxes, y: float) -> Iterator[str]:
    forest = alignment.tgt if side else alignment.src
    numbers = {(p.tgt if side else p.src)[0]: k for k, p in enumerate(alignment.visible) if _single(p, side)}
    for k, (form, (a, b)) in enumerate(zip(forest.forms, boxes, strict=True)):
        known = numbers.get(k)
        label = f'<text class="form" x="{(a + b) / 2:.0f}" y="{y - 6 if side == 0 else y + 4:.0f}">{escape(form)}</text>'
        if known is None:
            yield f'<g class="token alone" data-side="{side}" data-word="{k}">{label}</g>'
        else:
            pair = alignment.visible[known]
            description = _pair_description(alignment, pair)
            yield f'<g class="token" data-side="{side}" data-word="{k}" data-pair="{known}" data-from="{k}" data-to="{k + 1}"><title>{description}</title>{label}</g>'


def _single(pair: PhrasePair, side: int) -> bool:
    a, b = pair.tgt if side else pair.src
    return b - a == 1


def _ties(alignment: PhraseAlignment, spread: list[Boxes], first: float, second: float) -> Iterator[str]:
    for k, pair in enumerate(alignment.visible):
        single = _single(pair, 0), _single(pair, 1)
        if any(single):  # a word that goes with a phrase is tied to its middle
            a, b = ((spread[side][x][0] + spread[side][y - 1][1]) / 2 for side, (x, y) in ((0, pair.src), (1, pair.tgt)))
            kind = "tie" if all(single) else "tie wide"
            low, high = first, second - 12
            bend = (low + high) / 2
            yield f'<path class="{kind}" data-pair="{k}" d="M{a:.0f} {low:.0f}C{a:.0f} {bend:.0f} {b:.0f} {bend:.0f} {b:.0f} {high:.0f}"/>'


Span = tuple[int, int]
Pairs = Sequence[tuple[Span, Span]]
LEVEL, DOT, BETWEEN_TREES = 26, 4, 84
"""Pixels between levels of a tree, radius of a node, pixels between the two rows of words."""
INDUCED_STYLE = """\
.divproj .branch{fill:none;stroke:var(--line);stroke-width:1.3}
.divproj .node circle{fill:var(--bg);stroke:var(--line);stroke-width:1.4}
.divproj .node.mate circle{fill:var(--merge);stroke:var(--merge)}
.divproj .node.mate text{font-size:9.5px;font-weight:700;fill:var(--merge);text-anchor:start}
"""


def induced_svg(
    forms: tuple[Sequence[str], Sequence[str]],
    tags: tuple[Sequence[str], Sequence[str]],
    trees: tuple[Sequence[Span], Sequence[Span]],
    aligned: Pairs,
    links: Sequence[tuple[int, int]] = (),
    name: str = "",
) -> str:
    """F and E (forms, tags, spans of two words or more), aligned spans, and word links (f, e) from 1."""
    rows = [_columns(f, t) for f, t in zip(forms, tags, strict=True)]
    wide = max(width for _, width in rows)
    xs = [[x + (wide - width) / 2 for x in at] for at, width in rows]
    depth = [_heights(tree, len(f)) for tree, f in zip(trees, forms, strict=True)]
    top = 16 + LEVEL * max(depth[1].values(), default=0)
    bottom = top + 34 + BETWEEN_TREES
    high = bottom + 24 + LEVEL * max(depth[0].values(), default=0) + 16
    title = escape(f"Induced trees of {name}" if name else "Induced trees of a pair")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide + 2 * MARGIN:.0f} {high}" '
        f'width="{wide + 2 * MARGIN:.0f}" height="{high}" role="group" aria-label="{title}"><title>{title}</title>'
        f'<style>{STYLE}{INDUCED_STYLE}</style><rect class="bg" x="{-MARGIN}" width="{wide + 2 * MARGIN:.0f}" height="{high}"/>'
    ]
    for i, j in sorted(links):
        a, b = xs[1][j - 1], xs[0][i - 1]
        parts.append(
            f'<path class="link" d="M{a:.0f} {top + 36}C{a:.0f} {top + 70} {b:.0f} {bottom - 64} {b:.0f} {bottom - 30}"/>'
        )
    numbers = [{pair[side]: k for k, pair in enumerate(_aligned_phrases(aligned), 1)} for side in (0, 1)]
    for side, base, up in ((1, top, -1), (0, bottom, 1)):
        parts += _tree(trees[side], forms[side], xs[side], depth[side], base + (10 if up > 0 else 0), up, numbers[side])
        parts += _leaves(forms[side], tags[side], xs[side], top + 18 if up < 0 else bottom - 2, up)
    return "".join(parts) + "</svg>"


def _aligned_phrases(aligned: Pairs) -> list[tuple[Span, Span]]:
    """Aligned phrases, the largest first; pairs of words alone get no number."""
    kept = [pair for pair in aligned if max(j - i for i, j in pair) > 1]
    return sorted(kept, key=lambda pair: (-sum(j - i for i, j in pair), pair))


def _columns(forms: Sequence[str], tags: Sequence[str]) -> tuple[list[float], float]:
    """Middle of each word, in its order of reading, and the width of the row."""
    order = range(len(forms) - 1, -1, -1) if runs_rtl(forms) else range(len(forms))
    xs, x = [0.0] * len(forms), 0.0
    for k in order:
        width = max(20.0, text_width(forms[k]) * WORD, text_width(tags[k]) * TAG)
        xs[k] = x + width / 2
        x += width + GAP
    return xs, max(x - GAP, 0.0)


def _heights(tree: Sequence[Span], n: int) -> dict[Span, int]:
    """Levels above the words: 0 for a word, else one more than the higher kid."""
    heights: dict[Span, int] = {(k, k + 1): 0 for k in range(n)}
    for i, j in sorted(tree, key=lambda span: span[1] - span[0]):
        heights[i, j] = 1 + max(heights[kid] for kid in _kids((i, j), heights))
    return heights


def _kids(span: Span, known: dict[Span, int]) -> tuple[Span, Span]:
    i, j = span
    return next(((i, k), (k, j)) for k in range(i + 1, j) if (i, k) in known and (k, j) in known)


def _tree(
    tree: Sequence[Span],
    forms: Sequence[str],
    xs: Sequence[float],
    heights: dict[Span, int],
    base: int,
    up: int,
    numbers: dict[Span, int],
) -> Iterator[str]:
    place = {(k, k + 1): (x, float(base)) for k, x in enumerate(xs)}
    nodes = []
    for span in sorted(tree, key=lambda s: s[1] - s[0]):
        kids = _kids(span, heights)
        x, y = sum(place[kid][0] for kid in kids) / 2, float(base + up * LEVEL * heights[span])
        place[span] = (x, y)
        for kid in kids:
            a, b = place[kid]
            yield f'<path class="branch" d="M{a:.0f} {b:.0f}L{x:.0f} {y:.0f}"/>'
        nodes.append(span)
    for span in [*nodes, *(s for s in numbers if s[1] - s[0] == 1)]:
        x, y = place[span]
        text = escape(" ".join(forms[span[0] : span[1]]))
        number = numbers.get(span)
        label = f'<text x="{x + 6:.0f}" y="{y - 5 if up < 0 else y + 12:.0f}">{number}</text>' if number else ""
        kind = f'node mate" data-pair="{number}' if number else "node"
        yield f'<g class="{kind}"><circle cx="{x:.0f}" cy="{y:.0f}" r="{DOT}"/>{label}<title>{text}</title></g>'


def _leaves(forms: Sequence[str], tags: Sequence[str], xs: Sequence[float], y: int, up: int) -> Iterator[str]:
    for form, tag, x in zip(forms, tags, xs, strict=True):
        shown = "" if tag == "_" else f'<text class="pos" x="{x:.0f}" y="{y + (13 if up < 0 else -15)}">{escape(tag)}</text>'
        yield f'<text class="form" x="{x:.0f}" y="{y}">{escape(form)}</text>{shown}'


def induced_text(
    forms: tuple[Sequence[str], Sequence[str]], trees: tuple[Sequence[Span], Sequence[Span]], aligned: Pairs, name: str = ""
) -> str:
    """Both trees as brackets, then the aligned phrases by number.

    >>> print(induced_text((("a", "b"), ("x", "y")), (((0, 2),), ((0, 2),)), [((0, 2), (0, 2))]))
    F [a b]
    E [x y]
    1 a b ~ x y
    """
    lines = [f"# {visible(name)}"] if name else []
    for side, words, tree in zip("FE", forms, trees, strict=True):
        opens, closes = [0] * len(words), [0] * len(words)
        for i, j in tree:
            opens[i] += 1
            closes[j - 1] += 1
        shown = (f"{'[' * a}{visible(w)}{']' * b}" for a, w, b in zip(opens, words, closes, strict=True))
        lines.append(f"{side} {' '.join(shown)}")
    for k, (f, e) in enumerate(_aligned_phrases(aligned), 1):
        lines.append(f"{k} {visible(' '.join(forms[0][f[0] : f[1]]))} ~ {visible(' '.join(forms[1][e[0] : e[1]]))}")
    return "\n".join(lines)


def draw_induced(corpus: str, model: Path, sent: str | None, faults: Faults, *, text: bool = False) -> str:
    """The pair `sent` (id, or number among the pairs that a model was learned from) with its induced trees, as SVG or as lines."""
    path = model / "pairs.jsonl"
    row: dict[str, Any] | None = None
    with reading(path) as stream:
        for k, line in enumerate(stream, 1):
            try:
                entry = json.loads(line)
                if sent in (None, entry["sent_id"]) or (sent == str(k) and row is None):
                    row = entry
                    if sent != str(k):
                        break
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ModelError("not a list of induced pairs", Where(str(path), k), "train the model again") from None
    if row is None:
        raise ProjError(f"the model was not learned from a pair with id or number {sent}", Where(str(path)))
    linked = in_folder(Path(corpus), LINKS_FILE) is not None or not Path(corpus).exists()
    pair = next((p for p in tree_pairs(corpus, faults, linked) if p.sent_id == row["sent_id"]), None)
    if pair is None:
        raise ProjError(f"no pair with sent_id {row['sent_id']}", Where(corpus), "give the corpus the model was learned from")
    kept = kept_words(pair.f), kept_words(pair.e)
    sides = (pair.f, pair.e)
    forms: Any = tuple(tuple(tree.forms[k - 1] for k in words) for tree, words in zip(sides, kept, strict=True))
    tags: Any = tuple(tuple(tree.tags()[k - 1] for k in words) for tree, words in zip(sides, kept, strict=True))
    trees: Any = tuple(tuple((int(i), int(j)) for i, j in row[side]) for side in "fe")
    if any((0, len(words)) not in tree and len(words) > 1 for words, tree in zip(forms, trees, strict=True)):
        raise ModelError(
            f"the trees of {row['sent_id']} do not fit its words",
            Where(str(path)),
            "give the corpus the model was learned from",
        )
    aligned = [((f[0], f[1]), (e[0], e[1])) for f, e in row["aligned"]]
    place = [{word: k for k, word in enumerate(words, 1)} for words in kept]
    links = [(place[0][i], place[1][j]) for i, j in pair.links.links if i in place[0] and j in place[1]]
    if text:
        return induced_text(forms, trees, aligned, pair.sent_id)
    return induced_svg(forms, tags, trees, aligned, links, pair.sent_id)
