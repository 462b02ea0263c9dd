"""A pair as a picture: E with its arcs above, F with its arcs below, links between (SVG without outside references).

Every edge is a `<g>` that names its class and its partners on the other side, so that a page can light them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.tree import NO_HEAD, DepTree
from divproj.divergence.dorr import edge_text
from divproj.divergence.operations import GONE, Altered, Operation, alter
from divproj.drawing.layout import LEVEL, ROUND, WORD, Arc, Fan, columns, fan, label_width, spread
from divproj.drawing.measure import escape, runs_rtl, text_width
from divproj.drawing.scene import GLYPHS, Edge, Scene, scenes

STYLE = """\
.divproj{--bg:#fff;--ink:#1b1f24;--soft:#5b6470;--line:#8b95a1;--link:#b9c1cb;--remove:#8431a8;--merge:#0b5cad;--swap:#b45309;\
--other:#a8172b;font-family:system-ui,"Noto Sans",sans-serif;color:var(--ink)}
@media (prefers-color-scheme:dark){.divproj{--bg:#15181d;--ink:#e8eaed;--soft:#a9b2bd;--line:#7d8793;--link:#4a535e;\
--remove:#cf94ea;--merge:#6db3f8;--swap:#f5a742;--other:#ff8590}}
.divproj .bg{fill:var(--bg)}
.divproj text{text-anchor:middle;fill:var(--ink)}
.divproj .form{font-size:15px}
.divproj .pos{font-size:9.5px;fill:var(--soft);letter-spacing:.02em}
.divproj .link{fill:none;stroke:var(--link);stroke-width:1.6}
.divproj .possible{stroke-dasharray:2 3}
.divproj .edge{color:var(--line)}
.divproj .edge path{fill:none;stroke:currentColor;stroke-width:1.2}
.divproj .edge .tip{fill:currentColor;stroke:none}
.divproj .edge text{font-size:10.5px;fill:var(--soft);stroke:var(--bg);stroke-width:6px;stroke-linejoin:round;paint-order:stroke}
.divproj .edge:not(.match,.root,.given,.projected) text{fill:currentColor}
.divproj .unaligned,.divproj .spontaneous{color:var(--remove)}
.divproj .unaligned path,.divproj .spontaneous path{stroke-dasharray:5 3;stroke-width:1.5}
.divproj .merge{color:var(--merge)}
.divproj .merge path{stroke-width:3.2}
.divproj .swap{color:var(--swap)}
.divproj .swap path{stroke-width:2;stroke-dasharray:11 3 2 3}
.divproj .other,.divproj .guess{color:var(--other)}
.divproj .other path,.divproj .guess path{stroke-width:1.6;stroke-dasharray:.1 3.6;stroke-linecap:round}
.divproj .parsed,.divproj .learned{color:var(--soft)}
.divproj .parsed path{stroke-width:2;stroke-dasharray:2 2}
.divproj .root{color:var(--soft)}
.divproj .glyph,.divproj .op{font-family:"DejaVu Sans","Segoe UI Symbol","Apple Symbols","Noto Sans Math",sans-serif;font-weight:700}
.divproj .edge .number{font-size:9.5px;font-weight:700;fill:var(--ink)}
.divproj .swapped .glyph{fill:var(--swap)}
.divproj .op{font-size:12px}
.divproj .op.remove{fill:var(--remove)}
.divproj .op.merge,.divproj .op.extended{fill:var(--merge)}
.divproj .host{stroke:var(--merge);stroke-width:3}
"""
STAGE_STYLE = """\
.divproj[data-stage={0}] [data-stages]:not([data-stages~={0}]){{display:none}}
.divproj[data-stage={0}] [data-gone~={0}] .form{{opacity:.45;text-decoration:line-through}}
.divproj[data-stage={0}] [data-gone~={0}] .pos{{opacity:.45}}
.divproj[data-stage={0}] [data-moved={0}] text{{font-style:italic}}
"""
STYLE += "".join(STAGE_STYLE.format(stage) for stage in ("initial", "remove", "merge", "extended", "swap"))
MARGIN = 14
TIP = 3
"""Pixels between the arrow's point and its word."""


class Row(NamedTuple):
    """One side of the picture: what it says and where."""

    side: str
    tree: DepTree
    tags: tuple[str, ...]
    rtl: bool
    at: list[int]
    fans: list[Fan]
    xs: list[float]
    width: float

    @property
    def height(self) -> int:
        return max(f.height for f in self.fans)


def pair_svg(
    pair: Pair,
    altered: Altered | None = None,
    *,
    stage: str = "initial",
    direction: str = "e_to_f",
    standalone: bool = True,
    width: int | None = None,
) -> str:
    """The pair after one stage.

    After "swap" the side that `direction` starts from is shown changed. `standalone` pictures carry their style and ground.
    `width` scales the picture to so many pixels.
    """
    shown = scenes(altered or alter(pair), direction, [stage])
    return "".join(_picture(pair, shown, standalone, True, width))


def stages_svg(altered: Altered, *, direction: str = "e_to_f", standalone: bool = False, titles: bool = True) -> str:
    """The pair after every stage in one picture; its `data-stage` says which is seen.

    Words stay where they are from stage to stage, and what does not change is there once.
    """
    return "".join(_picture(altered.pair, scenes(altered, direction), standalone, titles, None))


def scene_svg(
    pair: Pair, scene: Scene, *, standalone: bool = False, sources: Mapping[tuple[int, int], str] | None = None
) -> str:
    """A pair as another view sees it; `sources` tell of links where they come from."""
    return "".join(_picture(pair, [scene], standalone, True, None, sources or {}))


def tree_svg(tree: DepTree, *, standalone: bool = True) -> str:
    """One tree alone, its arcs above the words."""
    labels = tree.rels or ("",) * len(tree)
    edges = [Edge("e", k, head, "given", (), "" if labels[k - 1] == "_" else labels[k - 1]) for k, head in tree.edges]
    scene = Scene("initial", {"e": edges, "f": []}, {"e": tree.heads, "f": ()}, set(), frozenset(), [])
    row = _row("e", tree, [scene])
    xs = spread(row.xs, row.at, row.width, row.width)
    base = 10 + row.height * LEVEL + 18
    wide, high = round(row.width) + 2 * MARGIN, base + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide} {high}" '
        f'width="{wide}" height="{high}" role="group" aria-label="Dependency tree" data-stage="initial">'
    ]
    if standalone:
        parts.append(f'<style>{STYLE}</style><rect class="bg" x="{-MARGIN}" width="{wide}" height="{high}"/>')
    pair = Pair(DepTree((), ()), tree, Links(frozenset(), (0, len(tree))))
    parts += ['<g class="side" data-side="e">', *_words(row, [scene], xs, base, True)]
    parts += [*_edges(row, [scene], xs, base - 16, pair, True), "</g></svg>"]
    return "".join(parts)


def size_of(svg: str) -> tuple[int, int]:
    """Width and height in pixels of a picture made here."""
    _, _, rest = svg.partition(' width="')
    wide, _, rest = rest.partition('" height="')
    return int(wide), int(rest.partition('"')[0])


def _picture(
    pair: Pair,
    shown: Sequence[Scene],
    standalone: bool,
    titles: bool,
    width: int | None,
    sources: Mapping[tuple[int, int], str] | None = None,
) -> Iterator[str]:
    e, f = _row("e", pair.e, shown), _row("f", pair.f, shown)
    extent = max(e.width, f.width)
    e_xs, f_xs = spread(e.xs, e.at, e.width, extent), spread(f.xs, f.at, f.width, extent)
    e_base = 10 + e.height * LEVEL + 18
    link_top = e_base + (22 if any(e.tags) else 8)
    links = {link: None for scene in shown for link in sorted(scene.links)}
    lean = max((abs(f_xs[i] - e_xs[j]) for i, j in links), default=0)
    link_end = link_top + 44 + min(90, lean // 6) if len(pair.e) else 0  # without a translation nothing lies above F
    f_base = link_end + (31 if any(f.tags) else 17)
    wide = round(extent) + 2 * MARGIN
    high = f_base + 8 + f.height * LEVEL + 12
    name = escape(f"Dependency trees of {pair.sent_id}" if pair.sent_id else "Dependency trees of a pair")
    across, down = (width, max(1, round(high * width / wide))) if width else (wide, high)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide} {high}" '
        f'width="{across}" height="{down}" role="group" aria-label="{name}" data-stage="{shown[0].stage}">'
    )
    if standalone:
        yield f'<title>{name}</title><style>{STYLE}</style><rect class="bg" x="{-MARGIN}" width="{wide}" height="{high}"/>'
    yield from _links(pair, shown, links, e_xs, f_xs, link_top, link_end, titles, sources or {})
    for row, xs, base in ((e, e_xs, e_base), (f, f_xs, f_base)):
        yield f'<g class="side" data-side="{row.side}">'
        yield from _words(row, shown, xs, base, titles)
        yield from _edges(row, shown, xs, base - 16 if row.side == "e" else base + 7, pair, titles)
        yield "</g>"
    yield "</svg>"


def _row(side: str, tree: DepTree, shown: Sequence[Scene]) -> Row:
    n = len(tree)
    rtl = runs_rtl(tree.forms)
    at = [0, *(range(n - 1, -1, -1) if rtl else range(n))]
    tags = tuple("" if tag == "_" else tag for tag in tree.tags())
    fans: list[Fan] = []
    mark = 24.0
    for k, scene in enumerate(shown):
        if k and scene.edges[side] is shown[k - 1].edges[side]:
            fans.append(fans[-1])
        else:
            roots = scene.roots(side)
            mark = max((mark, *(label_width(root) + 3 for root in roots)))
            fans.append(fan(scene.edges[side], [root.child for root in roots], at))
    xs, width = columns(tree.forms, tags, list({id(f): f for f in fans}.values()), at, mark)
    return Row(side, tree, tags, rtl, at, fans, xs, width)


def _links(
    pair: Pair,
    shown: Sequence[Scene],
    links: dict[tuple[int, int], None],
    e_xs: Sequence[int],
    f_xs: Sequence[int],
    top: int,
    end: int,
    titles: bool,
    sources: Mapping[tuple[int, int], str],
) -> Iterator[str]:
    yield '<g class="links">'
    mid = (top + end) // 2
    for i, j in links:
        when = [scene.stage for scene in shown if (i, j) in scene.links]
        stages = "" if len(when) == len(shown) else ' data-stages="' + " ".join(when) + '"'
        sure = "link possible" if (i, j) in pair.links.possible else "link"
        x, y = e_xs[j], f_xs[i]
        path = f'<path class="{sure}" data-f="{i}" data-e="{j}"{stages} d="M{x} {top}C{x} {mid} {y} {mid} {y} {end}"'
        told = f"{pair.e.forms[j - 1]} ~ {pair.f.forms[i - 1]}{f' · {sources[i, j]}' if (i, j) in sources else ''}"
        yield f"{path}><title>{escape(told)}</title></path>" if titles else path + "/>"
    yield "</g>"


def _words(row: Row, shown: Sequence[Scene], xs: Sequence[int], base: int, titles: bool) -> Iterator[str]:
    above = row.side == "e"
    tag_y = base + 14 if above else base - 18
    op_y = base - 20 if above else base + 21
    rtl = ' direction="rtl"' if row.rtl else ""
    ops: dict[int, list[Operation]] = {}
    for op in (op for scene in shown for op in scene.operations if op.side == row.side and op.kind != "swap"):
        ops.setdefault(op.child, []).append(op)
        if op.kind != "remove":
            ops.setdefault(op.parent, []).append(op)
    for k, form in enumerate(row.tree.forms, 1):
        out = " ".join(scene.stage for scene in shown if scene.heads[row.side][k - 1] == GONE)
        unknown = row.tree.heads[k - 1] == NO_HEAD
        tag = row.tags[k - 1]
        taken = f' data-gone="{out}"' if out else ""
        yield f'<g class="word" data-side="{row.side}" data-word="{k}"{taken}>'
        if titles:
            gloss = f" ‘{row.tree.glosses[k - 1]}’" if row.tree.glosses and row.tree.glosses[k - 1] else ""
            told = f"{k} {form}{gloss} {tag}{', head not known' if unknown else ''}"
            told = "; ".join((told, *_told(row.tree, k, ops.get(k, ()))))
            yield f"<title>{escape(told)}</title>"
        yield f'<text class="form"{rtl} x="{xs[k]}" y="{base}">{escape(form)}</text>'
        if tag or unknown:
            yield f'<text class="pos" x="{xs[k]}" y="{tag_y}">{escape(tag)}{" ?" if unknown else ""}</text>'
        for op in ops.get(k, ()):
            if op.child == k:
                arrow = "" if op.kind == "remove" else "→" if row.at[op.parent] > row.at[k] else "←"
                sign = arrow + GLYPHS[op.kind] if arrow == "←" else GLYPHS[op.kind] + arrow
                yield f'<text class="op {op.kind}" data-stages="{op.kind}" x="{xs[k]}" y="{op_y}">{sign}</text>'
            else:
                half = round(text_width(form) * WORD / 2)
                line = f"M{xs[k] - half} {base + 5}h{2 * half}"
                yield f'<path class="host" data-stages="{op.kind}" d="{line}"/>'
        yield "</g>"


def _told(tree: DepTree, word: int, ops: Sequence[Operation]) -> Iterator[str]:
    for op in ops:
        if op.kind == "remove":
            yield "removed"
        elif op.child == word:
            yield f"merged into {tree.forms[op.parent - 1]}"
        else:
            yield f"takes in {tree.forms[op.child - 1]}"


def _edges(row: Row, shown: Sequence[Scene], xs: Sequence[int], edge_y: int, pair: Pair, titles: bool) -> Iterator[str]:
    up = -1 if row.side == "e" else 1
    drawn: dict[tuple[Edge, str], list[str]] = {}
    moved: dict[tuple[Edge, str], str] = {}
    last: Fan | None = None
    keys: list[tuple[Edge, str]] = []
    for scene, f in zip(shown, row.fans, strict=True):
        if f is not last:
            keys = [(root, root_shape(root, *f.roots[root.child], xs, edge_y, up)) for root in scene.roots(row.side)]
            outer = sorted(f.arcs, key=lambda arc: -arc.level)  # so that a label lies over the stems that cross it
            keys += ((arc.edge, arc_shape(arc, xs, edge_y, up)) for arc in outer)
            last = f
        for key in keys:
            drawn.setdefault(key, []).append(scene.stage)
            if scene.moved and (row.side, key[0].child) in scene.moved:
                moved[key] = f' data-moved="{scene.stage}"'
    for key, when in drawn.items():
        edge, shape = key
        stages = "" if len(when) == len(shown) else ' data-stages="' + " ".join(when) + '"'
        partner = ' data-partner="' + " ".join(edge.partners) + '"' if edge.partners else ""
        mark = moved.get(key, "")
        turned = " swapped" if edge.turned else ""
        title = f"<title>{escape(edge_title(edge, pair))}</title>" if titles else ""
        yield (
            f'<g class="edge {edge.kind}{turned}" data-side="{edge.side}" '
            f'data-child="{edge.child}" data-head="{edge.head}" data-class="{edge.kind}"{partner}{stages}{mark}>'
            f"{title}{shape}</g>"
        )


def edge_title(edge: Edge, pair: Pair) -> str:
    """What hovering over an edge says."""
    ours, theirs = (pair.e, pair.f) if edge.side == "e" else (pair.f, pair.e)
    if edge.head == 0:
        label = f"{ours.forms[edge.child - 1]}: root"
    else:
        label = f"{ours.forms[edge.child - 1]} ←{edge.label}─ {ours.forms[edge.head - 1]}"
    if edge.kind not in ("root", "given"):
        label += f" · {edge.kind}"
    names = []
    for name in edge.partners:
        child, _, head = name[1:].partition("-")
        names.append(edge_text(theirs, int(child), int(head)) if head else theirs.forms[int(child) - 1])
    label += f" ~ {', '.join(names)}" if names else ""
    return label if edge.confidence is None else f"{label} · {100 * edge.confidence:.1f} % sure"


def arc_shape(arc: Arc, xs: Sequence[int], edge_y: int, up: int) -> str:
    """Path from the head over to the child, arrow head, label."""
    edge = arc.edge
    start, end = round(xs[edge.head] + arc.at_head), round(xs[edge.child] + arc.at_child)
    y = edge_y + up * arc.level * LEVEL
    r = ROUND if end > start else -ROUND
    tip = edge_y + up * TIP
    bend, back = (-ROUND, ROUND) if up < 0 else (ROUND, -ROUND)
    text = _label(edge)
    label = f'<text x="{(start + end) // 2}" y="{y + 4}">{text}</text>' if text else ""
    return (
        f'<path d="M{start} {edge_y}V{y - bend}q0 {bend} {r} {bend}H{end - r}q{r} 0 {r} {back}V{tip + up * 5}"/>'
        f'<path class="tip" d="M{end} {tip}l-3 {up * 6}h6z"/>{label}'
    )


def _label(edge: Edge) -> str:
    """Sign, relation and number, as many as there are."""
    text = f'<tspan class="glyph">{edge.sign}</tspan>' if edge.sign else ""
    if edge.label:
        text += f'<tspan dx="4">{escape(edge.label)}</tspan>' if text else escape(edge.label)
    if edge.number:
        text += f'<tspan class="number" dx="{4 if text else 0}">{edge.number}</tspan>'
    return text


def root_shape(edge: Edge, level: int, lean: float, xs: Sequence[int], edge_y: int, up: int) -> str:
    x, y = round(xs[edge.child] + lean), edge_y + up * (level * LEVEL - 6)
    tip = edge_y + up * TIP
    return (
        f'<path d="M{x} {y}V{tip + up * 5}"/><path class="tip" d="M{x} {tip}l-3 {up * 6}h6z"/>'
        f'<text x="{x}" y="{y + (-3 if up < 0 else 10)}">{_label(edge)}</text>'
    )
