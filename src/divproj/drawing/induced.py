"""Two induced trees and the nodes that the model aligned: E above its words, F below its own, the same number on both.

Strings out: SVG without outside references, or lines for the terminal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from divproj.core.errors import Faults, ModelError, ProjError, Where
from divproj.drawing.measure import escape, runs_rtl, text_width, visible
from divproj.drawing.svg import GAP, MARGIN, STYLE, TAG, WORD
from divproj.induction.reading import kept_words, tree_pairs
from divproj.io.files import LINKS_FILE, in_folder, reading

Span = tuple[int, int]
Pairs = Sequence[tuple[Span, Span]]
LEVEL, DOT, BETWEEN = 26, 4, 84
"""Pixels between levels of a tree, radius of a node, pixels between the two rows of words."""
OWN_STYLE = """\
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
    bottom = top + 34 + BETWEEN
    high = bottom + 24 + LEVEL * max(depth[0].values(), default=0) + 16
    title = escape(f"Induced trees of {name}" if name else "Induced trees of a pair")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide + 2 * MARGIN:.0f} {high}" '
        f'width="{wide + 2 * MARGIN:.0f}" height="{high}" role="group" aria-label="{title}"><title>{title}</title>'
        f'<style>{STYLE}{OWN_STYLE}</style><rect class="bg" x="{-MARGIN}" width="{wide + 2 * MARGIN:.0f}" height="{high}"/>'
    ]
    for i, j in sorted(links):
        a, b = xs[1][j - 1], xs[0][i - 1]
        parts.append(
            f'<path class="link" d="M{a:.0f} {top + 36}C{a:.0f} {top + 70} {b:.0f} {bottom - 64} {b:.0f} {bottom - 30}"/>'
        )
    numbers = [{pair[side]: k for k, pair in enumerate(_aligned_phrases(aligned), 1)} for side in (0, 1)]
    for side, base, up in ((1, top, -1), (0, bottom, 1)):
        parts += _tree(trees[side], forms[side], xs[side], depth[side], base + (10 if up > 0 else 0), up, numbers[side])
        parts += _words(forms[side], tags[side], xs[side], top + 18 if up < 0 else bottom - 2, up)
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


def _words(forms: Sequence[str], tags: Sequence[str], xs: Sequence[float], y: int, up: int) -> Iterator[str]:
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
