"""Pictures of pairs and trees, and small figures, as SVG without outside references.

`pair_svg` draws E with its arcs above, F with its arcs below, and the links between; `stages_svg` all stages of a pair in one
picture. Every edge is a `<g>` that names its class and its partners on the other side, so that a page can highlight them
together.

`scenes` says what is drawn after each stage: edges with class, label and partners, links, and the stage's operations. `fan`
and `columns` say where: columns wide enough for their words, stems and labels; arcs stacked by nesting. `learning_svg` and
`reliability_svg` draw a learning curve with its errors, and accuracy against confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from divproj.core.errors import plural
from divproj.core.links import Links
from divproj.core.pair import Pair
from divproj.core.tree import NO_HEAD, DepTree
from divproj.divergence.analysis import edge_text
from divproj.divergence.operations import GONE, Altered, Operation, Stage, alter
from divproj.drawing.measure import escape, runs_rtl, text_width

SURE_EDGE = 0.95
"""Confidence from which on a picture does not print it."""


LinkPairs = Iterable[tuple[int, int]]
Images = Mapping[int, Sequence[int]]
GLYPHS = {
    "match": "=",
    "unaligned": "✕",
    "merge": "⊕",
    "swap": "⇄",
    "other": "≠",
    "remove": "✕",
    "extended": "⊕",
    "projected": "↓",
    "spontaneous": "∅",
    "guess": "?",
    "parsed": "◆",
    "learned": "✓",
    "corrected": "✎",
}
"""A sign for every class of edges, every operation and every reason of a projected head."""
UNSIGNED = ("match", "projected", "given", "root")
"""Edges that bear no sign in a picture: the usual ones."""
INVERSE = "⁻¹"
"""Ends the label of an edge that a swap has turned round."""


class DrawnEdge(NamedTuple):
    """An edge of one side; `partners` name edges (`f2-4`: child 2, head 4) or words (`f2`) of the other."""

    side: str
    child: int
    head: int
    kind: str
    partners: tuple[str, ...]
    label: str
    turned: bool = False
    """Whether a swap has turned it round."""
    confidence: float | None = None
    """How sure a projection is of it."""

    @property
    def sign(self) -> str:
        """The glyph before its label."""
        return GLYPHS["swap"] if self.turned else "" if self.kind in UNSIGNED else GLYPHS[self.kind]

    @property
    def number(self) -> str:
        """The confidence after its label, where it is not `SURE_EDGE`.

        >>> DrawnEdge("f", 1, 2, "guess", (), "dep", confidence=0.431).number
        '43\u202f%'
        """
        return "" if self.confidence is None or self.confidence >= SURE_EDGE else f"{100 * self.confidence:.0f}\u202f%"


class Scene(NamedTuple):
    """A pair after one stage."""

    stage: Stage
    edges: dict[str, list[DrawnEdge]]
    heads: dict[str, tuple[int, ...]]
    moved: set[tuple[str, int]]
    """(side, child) of the edges that this stage gave another head."""
    links: frozenset[tuple[int, int]]
    operations: list[Operation]
    """Those of this stage alone."""
    marks: Mapping[tuple[str, int], DrawnEdge] = {}
    """(side, word) → the root's mark, where it says more than that."""

    def roots(self, side: str) -> list[DrawnEdge]:
        """The marks of the words without a head above them."""
        root_words = (k for k, head in enumerate(self.heads[side], 1) if head == 0)
        return [self.marks.get((side, k)) or DrawnEdge(side, k, 0, "root", (), "root") for k in root_words]

    def share(self, side: str) -> tuple[int, int]:
        """How many of the side's edges match, and how many there are."""
        return sum(edge.kind == "match" for edge in self.edges[side]), len(self.edges[side])


def other(side: str) -> str:
    return "f" if side == "e" else "e"


def altered_side(direction: str) -> str:
    """The side whose edges are compared, and which the swaps change.

    >>> altered_side("e_to_f")
    'e'
    """
    if direction not in ("e_to_f", "f_to_e"):
        raise ValueError(f"direction is '{direction}', e_to_f or f_to_e expected")
    return direction[0]


def scenes(altered: Altered, direction: str = "e_to_f", stages: Sequence[str] | None = None) -> list[Scene]:
    """The pair after each stage (or after those asked for).

    Swaps change one side at a time: after "swap" the side that `direction` starts from is changed, the other is not.
    """
    changed = altered_side(direction)
    known = list(altered.heads["e"])
    for stage in stages or ():
        if stage not in known:
            raise ValueError(f"stage is '{stage}', one of {', '.join(known)} expected")
    shown_scenes: list[Scene] = []
    last: Scene | None = None
    links, images = altered.pair.links.links, _image_lists(altered.pair.links.links)
    labels = {side: list(_labels(getattr(altered.pair, side))) for side in "fe"}
    for stage in known:
        done = [op for op in altered.operations if op.kind == stage and (stage != "swap" or op.side == changed)]
        if last and not done:
            last = Scene(stage, last.edges, last.heads, set(), links, done)
        else:
            heads = {side: altered.heads[side][stage] for side in "fe"}
            kinds: dict[str, Sequence[str | None]] = {side: altered.classes[side][stage] for side in "fe"}
            if stage in ("merge", "extended"):
                links = _fold_links(links, done)
                images = _image_lists(links)
            elif last and stage == "swap":
                heads[other(changed)] = last.heads[other(changed)]
                kinds[other(changed)] = (None,) * len(heads[other(changed)])
                _swap_labels(labels[changed], done)
            edges = {side: _edges(side, kinds[side], heads, labels[side], images["fe".index(side)]) for side in "fe"}
            if stage == "swap":
                turned = {(op.parent, op.child) for op in done}
                edges[changed] = [e._replace(turned=True) if (e.child, e.head) in turned else e for e in edges[changed]]
            were = last.heads if last else heads
            moved = {(side, e.child) for side in "fe" for e in edges[side] if e.head != were[side][e.child - 1]}
            last = Scene(stage, edges, heads, moved, links, done)
        if stages is None or stage in stages:
            shown_scenes.append(last)
    return shown_scenes


def _edges(
    side: str, kinds: Sequence[str | None], heads: Mapping[str, Sequence[int]], labels: Sequence[str], images: Images
) -> list[DrawnEdge]:
    theirs = heads[other(side)]
    return [
        DrawnEdge(side, child, head, *_class_and_partners(kind, side, child, head, images, theirs), label)
        for child, (head, kind, label) in enumerate(zip(heads[side], kinds, labels, strict=True), 1)
        if head > 0
    ]


def _class_and_partners(
    kind: str | None, side: str, child: int, head: int, images: Images, heads: Sequence[int]
) -> tuple[str, tuple[str, ...]]:
    """Class and partners of an edge; `heads` are the other side's. A class not given is tested as in `kernel.edge_class`."""
    a_words, b_words = images.get(child, ()), images.get(head, ())
    side = other(side)
    if kind in (None, "match") and (names := [f"{side}{a}-{b}" for a in a_words for b in b_words if heads[a - 1] == b]):
        return "match", tuple(names)
    if kind in (None, "merge") and (names := [f"{side}{a}" for a in a_words if a in b_words]):
        return "merge", tuple(names)
    if kind in (None, "swap") and (names := [f"{side}{b}-{a}" for a in a_words for b in b_words if heads[b - 1] == a]):
        return "swap", tuple(names)
    return kind or ("other" if a_words else "unaligned"), ()


def _image_lists(links: LinkPairs) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Images of the words of F and of E."""
    of_f: dict[int, list[int]] = {}
    of_e: dict[int, list[int]] = {}
    for i, j in sorted(links):
        of_f.setdefault(i, []).append(j)
        of_e.setdefault(j, []).append(i)
    return of_f, of_e


def _fold_links(links: LinkPairs, merges: Sequence[Operation]) -> frozenset[tuple[int, int]]:
    """The links after these merges: those of a child go to its parent, as in `kernel.fold`."""
    into: dict[str, dict[int, int]] = {"f": {}, "e": {}}
    for op in reversed(merges):
        into[op.side][op.child] = into[op.side].get(op.parent, op.parent)
    return frozenset((into["f"].get(i, i), into["e"].get(j, j)) for i, j in links)


def _labels(tree: DepTree) -> Iterable[str]:
    return ("" if rel == "_" else rel for rel in tree.deprels) if tree.deprels else ("",) * len(tree)


def _swap_labels(labels: list[str], swaps: Sequence[Operation]) -> None:
    """A child takes its parent's label along with its place; the edge turned round keeps its own, marked as inverse."""
    for op in swaps:
        label = labels[op.child - 1]
        labels[op.child - 1] = labels[op.parent - 1]
        turned = label.removesuffix(INVERSE) if label.endswith(INVERSE) else label + INVERSE
        labels[op.parent - 1] = turned if label else ""


WORD, TAG, LABEL, NUMBER, GLOSS = 15.0, 9.5, 10.5, 9.5, 12.0
"""Font sizes in pixels of a form, its part of speech, a relation, a confidence and a gloss."""
STEP, GAP, LEVEL, ROUND = 7, 16, 21, 7
"""Pixels between stems at a word, between words, between levels of arcs, and the radius of an arc's shoulders."""


class DrawnArc(NamedTuple):
    """An edge with its level (1 is next to the words) and the places of its stems, in pixels from the words' middles."""

    edge: DrawnEdge
    level: int
    at_head: float
    at_child: float


class Fan(NamedTuple):
    """The arcs of one side after one stage."""

    arcs: list[DrawnArc]
    roots: dict[int, tuple[int, float]]
    """Word → level and place of the root's mark."""
    height: int
    stems: dict[int, int]


def fan(edges: Sequence[DrawnEdge], roots: Sequence[int], at: Sequence[int]) -> Fan:
    """Levels and stems; `at[k]` is the place of word k counted from the left.

    An arc lies above those it covers or crosses. The stems at a word are ordered so that nested arcs do not cross:
    arcs to the left with the outermost at the right, the root's mark, arcs to the right with the outermost at the left.
    """
    sky = [0] * len(at)
    spans = sorted((abs(at[e.child] - at[e.head]), min(at[e.child], at[e.head]), k) for k, e in enumerate(edges))
    level = [0] * len(edges)
    slots: dict[int, list[tuple[int, int, int]]] = {}
    for length, left, k in spans:
        height = max(sky[left : left + length]) + 1
        sky[left : left + length] = [height] * length
        level[k] = height
        edge = edges[k]
        to_right = at[edge.child] > at[edge.head]
        slots.setdefault(edge.head, []).append((1, -height, k) if to_right else (-1, height, k))
        slots.setdefault(edge.child, []).append((-1, height, k) if to_right else (1, -height, k))
    marks: dict[int, int] = {}
    for word in roots:
        marks[word] = max(sky[max(at[word] - 1, 0) : at[word] + 1]) + 1
        slots.setdefault(word, []).append((0, 0, -word))
    place_of: dict[tuple[int, int], float] = {}
    for word, here in slots.items():
        here.sort()
        first = -STEP * (len(here) - 1) / 2
        for slot, (_, _, k) in enumerate(here):
            place_of[word, k] = first + STEP * slot
    arcs = [DrawnArc(e, level[k], place_of[e.head, k], place_of[e.child, k]) for k, e in enumerate(edges)]
    tops = {word: (height, place_of[word, -word]) for word, height in marks.items()}
    return Fan(arcs, tops, max((*level, *marks.values(), 0)), {word: len(here) for word, here in slots.items()})


def label_width(edge: DrawnEdge) -> float:
    """Pixels that the label, its sign and its number take."""
    sign = 15.0 if edge.sign else 0.0
    return text_width(edge.label) * LABEL + sign + (text_width(edge.number) * NUMBER + 5 if edge.number else 0.0)


def columns(
    forms: Sequence[str],
    tags: Sequence[str],
    fans: Sequence[Fan],
    at: Sequence[int],
    root: float = 24.0,
    least: Sequence[float] = (),
) -> tuple[list[float], float]:
    """Middle of each word's column in pixels, indexed by word (place 0 is not used), and the width of them all.

    Columns are moved apart until no word touches the next and every arc is wide enough for its label, in every fan.
    A root's mark is `root` pixels wide, and word k takes `least[k-1]` at least.
    """
    n = len(forms)
    width = [12.0] * n
    for k, (form, tag) in enumerate(zip(forms, tags, strict=True), 1):
        width[at[k]] = max(12.0, text_width(form) * WORD, text_width(tag) * TAG, *least[k - 1 : k])
    for f in fans:
        for k, stems in f.stems.items():
            width[at[k]] = max(width[at[k]], STEP * stems, root if k in f.roots else 0.0)
    ending: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for f in fans:
        for edge, _, at_head, at_child in f.arcs:
            left, right = at[edge.head], at[edge.child]
            lean = at_head - at_child
            if left > right:
                left, right, lean = right, left, -lean
            ending[right].append((left, label_width(edge) + 2 * ROUND + 4 + lean))
    x = [0.0] * n
    for place in range(n):
        x[place] = x[place - 1] + (width[place - 1] + width[place]) / 2 + GAP if place else width[0] / 2
        for left, need in ending[place]:
            x[place] = max(x[place], x[left] + need)
    return [0.0, *(x[at[k]] for k in range(1, n + 1))], x[-1] + width[-1] / 2 if n else 0.0


def spread(xs: Sequence[float], at: Sequence[int], row_width: float, extent: float, most: float = 28.0) -> list[int]:
    """Columns of a row `own` pixels wide pulled apart (by `most` pixels a word) towards `extent` and centred in it."""
    gaps = len(xs) - 2
    more = min((extent - row_width) / gaps, most) if gaps > 0 else 0.0
    start = (extent - row_width - more * max(gaps, 0)) / 2
    return [0, *(round(xs[k] + start + more * at[k]) for k in range(1, len(xs)))]


STYLE = """\
.divproj{--bg:#fff;--ink:#1b1f24;--soft:#5b6470;--line:#8b95a1;--link:#b9c1cb;--remove:#8431a8;--merge:#0b5cad;--swap:#b45309;\
--other:#a8172b;font-family:system-ui,"Noto Sans",sans-serif;color:var(--ink)}
@media (prefers-color-scheme:dark){.divproj{--bg:#15181d;--ink:#e8eaed;--soft:#a9b2bd;--line:#7d8793;--link:#4a535e;\
--remove:#cf94ea;--merge:#6db3f8;--swap:#f5a742;--other:#ff8590}}
.divproj .bg{fill:var(--bg)}
.divproj text{text-anchor:middle;fill:var(--ink)}
.divproj .form{font-size:15px}
.divproj .pos{font-size:9.5px;fill:var(--soft);letter-spacing:.02em}
.divproj .gloss{font-size:12px;fill:var(--soft)}
.divproj .free{font-size:12px;font-style:italic;text-anchor:start}
.divproj .edge.key .meaning{text-anchor:start;fill:var(--soft)}
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


class DrawnRow(NamedTuple):
    """One side of the picture: what it says and where."""

    side: str
    tree: DepTree
    glosses: tuple[str, ...]
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
    legend: bool = False,
) -> str:
    """The pair after one stage.

    After "swap" the side that `direction` starts from is shown changed. `standalone` pictures carry their style and ground.
    `width` scales the picture to so many pixels.
    """
    shown = scenes(altered or alter(pair), direction, [stage])
    return "".join(_picture(pair, shown, standalone, True, width, legend=legend))


def stages_svg(altered: Altered, *, direction: str = "e_to_f", standalone: bool = False, titles: bool = True) -> str:
    """The pair after every stage in one picture; its `data-stage` says which is seen.

    Words stay where they are from stage to stage, and what does not change is there once.
    """
    return "".join(_picture(altered.pair, scenes(altered, direction), standalone, titles, None))


def scene_svg(
    pair: Pair, scene: Scene, *, standalone: bool = False, sources: Mapping[tuple[int, int], str] | None = None
) -> str:
    """Draw a pair with the edges of a scene; `sources` tell where links come from."""
    return "".join(_picture(pair, [scene], standalone, True, None, sources or {}))


def tree_svg(
    tree: DepTree,
    *,
    standalone: bool = True,
    glosses: Sequence[str] = (),
    translation: str = "",
    reasons: Sequence[str] = (),
    confidence: Sequence[float] = (),
    name: str = "",
    legend: bool = False,
) -> str:
    """One tree alone, its arcs above the words, with glosses and translation below; `reasons` and `confidence` of the heads where they are known."""
    labels = tree.deprels or ("",) * len(tree)
    kinds = [kind if kind in GLYPHS else "given" for kind in reasons] or ["given"] * len(tree)
    edges = [
        DrawnEdge("e", k, head, kinds[k - 1], (), "" if labels[k - 1] == "_" else labels[k - 1], confidence=confidence[k - 1] if confidence else None)
        for k, head in tree.edges
    ]  # fmt: skip
    scene = Scene("initial", {"e": edges, "f": []}, {"e": tree.heads, "f": ()}, set(), frozenset(), [])
    row = _row("e", tree, [scene], least=[text_width(gloss) * GLOSS for gloss in glosses])
    base = 10 + row.height * LEVEL + 18
    low = base + (14 if any(row.tags) else 0)
    gloss_y, free_y = low + 17, low + (17 if any(glosses) else 0) + 24
    extent = max(row.width, text_width(translation) * GLOSS)
    xs = spread(row.xs, row.at, row.width, extent, 0.0)
    wide, high = round(extent) + 2 * MARGIN, (free_y if translation else free_y - 24) + 10
    title = escape(f"Dependency tree of {name}" if name else "Dependency tree")
    keys, high = _legend([edge.kind for edge in edges], high, wide) if legend else ([], high)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="divproj" viewBox="{-MARGIN} 0 {wide} {high}" '
        f'width="{wide}" height="{high}" role="group" aria-label="{title}" data-stage="initial">'
    ]
    if standalone:
        parts.append(f'<style>{STYLE}</style><rect class="bg" x="{-MARGIN}" width="{wide}" height="{high}"/>')
    pair = Pair(DepTree((), ()), tree, Links(frozenset(), (0, len(tree))))
    parts += ['<g class="side" data-side="e">', *_words(row, [scene], xs, base, True)]
    parts += [
        f'<text class="gloss" x="{xs[k]}" y="{gloss_y}">{escape(gloss)}</text>' for k, gloss in enumerate(glosses, 1) if gloss
    ]
    parts += [*_edge_parts(row, [scene], xs, base - 16, pair, True), "</g>"]
    if translation:
        parts.append(f'<text class="free" x="0" y="{free_y}">{escape(translation)}</text>')
    return "".join([*parts, *keys, "</svg>"])


LEGEND = {
    "match": "the same edge in both trees",
    "unaligned": "without a partner: the word has no link",
    "merge": "both ends linked to one word",
    "swap": "the other way round",
    "other": "another edge",
    "projected": "projected from the translation",
    "spontaneous": "the word has no link",
    "guess": "a guess",
    "parsed": "chosen by the parser",
    "learned": "learned from gold sentences",
    "corrected": "corrected by hand",
}
"""What the classes of edges mean, in the words of a legend."""


def _legend(kinds: Iterable[str], top: int, wide: int) -> tuple[list[str], int]:
    """The lines of a legend below a picture, for the classes of edges in it, and where they end."""
    parts, x, y = [], 0.0, top + 14
    for kind in [kind for kind in LEGEND if kind in set(kinds)]:
        text = LEGEND[kind]
        sign = "" if kind in UNSIGNED else GLYPHS[kind]
        need = 52 + text_width(text) * LABEL
        if x and x + need > wide - 2 * MARGIN:
            x, y = 0.0, y + 18
        parts.append(
            f'<g class="edge {kind} key"><path d="M{x:.0f} {y - 4}h28"/><text class="sign" x="{x + 37:.0f}" y="{y}"><tspan class="glyph">{sign}</tspan></text>'
            f'<text class="meaning" x="{x + 46:.0f}" y="{y}">{text}</text></g>'
        )
        x += need + 16
    return parts, y + 10 if parts else top


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
    legend: bool = False,
) -> Iterator[str]:
    e, f = _row("e", pair.e, shown), _row("f", pair.f, shown, pair.glosses)
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
    drawn = [edge.kind for scene in shown for side in "ef" for edge in scene.edges[side]]
    keys, high = _legend(drawn, high, wide) if legend else ([], high)
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
        yield from _edge_parts(row, shown, xs, base - 16 if row.side == "e" else base + 7, pair, titles)
        yield "</g>"
    yield from keys
    yield "</svg>"


def _row(
    side: str, tree: DepTree, shown: Sequence[Scene], glosses: tuple[str, ...] = (), least: Sequence[float] = ()
) -> DrawnRow:
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
    xs, width = columns(tree.forms, tags, list({id(f): f for f in fans}.values()), at, mark, least)
    return DrawnRow(side, tree, glosses, tags, rtl, at, fans, xs, width)


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
        confidence = "link possible" if (i, j) in pair.links.possible else "link"
        x, y = e_xs[j], f_xs[i]
        path = f'<path class="{confidence}" data-f="{i}" data-e="{j}"{stages} d="M{x} {top}C{x} {mid} {y} {mid} {y} {end}"'
        link_text = f"{pair.e.forms[j - 1]} ~ {pair.f.forms[i - 1]}{f' · {sources[i, j]}' if (i, j) in sources else ''}"
        yield f"{path}><title>{escape(link_text)}</title></path>" if titles else path + "/>"
    yield "</g>"


def _words(row: DrawnRow, shown: Sequence[Scene], xs: Sequence[int], base: int, titles: bool) -> Iterator[str]:
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
            gloss = f" ‘{row.glosses[k - 1]}’" if row.glosses and row.glosses[k - 1] else ""
            description = f"{k} {form}{gloss} {tag}{', head not known' if unknown else ''}"
            description = "; ".join((description, *_operation_texts(row.tree, k, ops.get(k, ()))))
            yield f"<title>{escape(description)}</title>"
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


def _operation_texts(tree: DepTree, word: int, ops: Sequence[Operation]) -> Iterator[str]:
    for op in ops:
        if op.kind == "remove":
            yield "removed"
        elif op.child == word:
            yield f"merged into {tree.forms[op.parent - 1]}"
        else:
            yield f"takes in {tree.forms[op.child - 1]}"


def _edge_parts(
    row: DrawnRow, shown: Sequence[Scene], xs: Sequence[int], edge_y: int, pair: Pair, titles: bool
) -> Iterator[str]:
    up = -1 if row.side == "e" else 1
    drawn: dict[tuple[DrawnEdge, str], list[str]] = {}
    moved: dict[tuple[DrawnEdge, str], str] = {}
    last: Fan | None = None
    keys: list[tuple[DrawnEdge, str]] = []
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


def edge_title(edge: DrawnEdge, pair: Pair) -> str:
    """Return the tooltip of an edge."""
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


def arc_shape(arc: DrawnArc, xs: Sequence[int], edge_y: int, up: int) -> str:
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


def _label(edge: DrawnEdge) -> str:
    """Sign, relation and number, as many as there are."""
    text = f'<tspan class="glyph">{edge.sign}</tspan>' if edge.sign else ""
    if edge.label:
        text += f'<tspan dx="4">{escape(edge.label)}</tspan>' if text else escape(edge.label)
    if edge.number:
        text += f'<tspan class="number" dx="{4 if text else 0}">{edge.number}</tspan>'
    return text


def root_shape(edge: DrawnEdge, level: int, lean: float, xs: Sequence[int], edge_y: int, up: int) -> str:
    x, y = round(xs[edge.child] + lean), edge_y + up * (level * LEVEL - 6)
    tip = edge_y + up * TIP
    return (
        f'<path d="M{x} {y}V{tip + up * 5}"/><path class="tip" d="M{x} {tip}l-3 {up * 6}h6z"/>'
        f'<text x="{x}" y="{y + (-3 if up < 0 else 10)}">{_label(edge)}</text>'
    )


WIDE, HIGH, LEFT, LOW = 320, 186, 42, 42
"""Pixels: of the figure, and of the space for numbers at its left and below it."""


CurvePoint = tuple[float, float, float]
"""Gold sentences, share of right heads, standard error."""
Bin = tuple[float, float, int]
"""Mean confidence, share of right heads, words."""


def learning_svg(points: Sequence[CurvePoint]) -> str:
    """Heads right (percent) against gold sentences learned from; bars are two standard errors."""
    most = max(1.0, *(x for x, _, _ in points))
    low = max(0.0, min(y - 2 * e for _, y, e in points) - 0.03)
    high = min(1.0, max(y + 2 * e for _, y, e in points) + 0.03)
    low, high = _round_range(low, high)
    summary = ", ".join(f"{100 * y:.0f} % after {x:.0f}" for x, y, _ in points)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + 8 + (WIDE - LEFT - 20) * x / most, 8 + (HIGH - LOW - 16) * (high - y) / max(high - low, 1e-9)

    parts = [_frame("curve", f"Learning curve, heads right by gold sentences: {summary}")]
    parts += _levels(low, high, lambda y: at(0, y)[1])
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(x, y) for x, y, _ in points))
    parts.append(f'<polyline class="line" points="{line}"/>')
    for x, y, e in points:
        px, py = at(x, y)
        top, end = at(x, min(1.0, y + 2 * e))[1], at(x, max(0.0, y - 2 * e))[1]
        parts.append(f'<path class="error" d="M{px:.1f} {top:.1f}V{end:.1f}"/><circle cx="{px:.1f}" cy="{py:.1f}" r="3.5">')
        parts.append(f"<title>{plural(round(x), 'gold sentence')}: {100 * y:.1f} % ± {200 * e:.1f}</title></circle>")
        parts.append(f'<text x="{px:.1f}" y="{HIGH - 24}">{x:.0f}</text>')
    parts.append(_below("gold sentences learned from; heads right in others", WIDE - 6))
    return "".join((*parts, "</svg>"))


def reliability_svg(bins: Sequence[Bin], error: float | None) -> str:
    """Right heads against confidence; on the diagonal a confidence means what it says."""
    side = HIGH - LOW - 16
    most = max((words for _, _, words in bins), default=1)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + 8 + side * 1.4 * x, 8 + side * (1 - y)

    summary = ", ".join(f"{100 * c:.0f} % sure: {100 * y:.0f} % right ({plural(n, 'word')})" for c, y, n in bins)
    parts = [_frame("reliability", f"Confidence and what is right: {summary}")]
    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    parts += _levels(0.0, 1.0, lambda y: at(0, y)[1], x1)
    parts.append(f'<path class="diagonal" d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"/>')
    for confidence, right, words in bins:
        x, y = at(confidence, right)
        radius = 2.5 + 5 * (words / most) ** 0.5
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{100 * confidence:.0f} % sure: ')
        parts.append(f"{100 * right:.1f} % right, {plural(words, 'word')}</title></circle>")
    for k in (0, 50, 100):
        parts.append(f'<text x="{at(k / 100, 0)[0]:.1f}" y="{HIGH - 24}">{k} %</text>')
    parts.append(_below("confidence; at the left, heads right", x1))
    return "".join((*parts, "</svg>"))


def _frame(kind: str, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure {kind}" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" role="img" '
        f'aria-label="{escape(label)}"><title>{escape(label)}</title>'
    )


def _round_range(low: float, high: float) -> tuple[float, float]:
    """Whole tens of percent around a range.

    >>> _round_range(0.52, 0.71)
    (0.5, 0.8)
    """
    return int(low * 10 + 1e-9) / 10, min(10, -int(-high * 10 // 1)) / 10


def _below(text: str, right: float) -> str:
    """What the axes are."""
    return f'<text x="{(LEFT + right) / 2:.1f}" y="{HIGH - 6}">{text}</text>'


def _levels(low: float, high: float, y_of: Callable[[float], float], right: float = WIDE - 6) -> Iterator[str]:
    """Lines at round shares: five at most."""
    for tens in _round_levels(low, high):
        y = y_of(tens / 10)
        yield f'<path class="level" d="M{LEFT} {y:.1f}H{right:.1f}"/><text class="side" x="{LEFT - 5}" y="{y + 4:.1f}">{10 * tens} %</text>'


def _round_levels(low: float, high: float) -> list[int]:
    """Tens of percent.

    >>> _round_levels(0.1, 1.0), _round_levels(0.5, 0.8), _round_levels(0.0, 1.0)
    ([2, 4, 6, 8, 10], [5, 6, 7, 8], [0, 5, 10])
    """
    first, last = round(low * 10), round(high * 10)
    every = next(k for k in (1, 2, 5) if (last - first) / k < 5)
    return [k for k in range(first, last + 1) if k % every == 0]
