"""Figures as files: plots, which need matplotlib, and pictures of trees as PDF and PNG, which need typst; both are extras.

Pictures are SVG with a style sheet that browsers understand and that no converter does: variables, the dark scheme, negations. `with_attributes`
works the style out and writes it into the elements, as it is on white paper.
"""

from __future__ import annotations

import gzip
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import tostring

from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from divproj.core.errors import ProjError, Where
from divproj.io.files import is_stream, replacing, streaming, writing

DATE = "SOURCE_DATE_EPOCH"
"""The variable that gives programs another date than today's."""


def pyplot() -> Any:
    """matplotlib drawing to files; a clear message when it is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise ProjError("plots need matplotlib, which is not installed", remedy="pip install 'divproj[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def save(figure: Any, path: Path) -> None:
    """Write the figure whole or not at all; the ending names the format. The same figure gives the same bytes."""
    kind = path.suffix.removeprefix(".") or "png"
    try:
        drawn = _drawn(figure, "svg" if kind == "svgz" else kind)
    except ValueError as error:
        raise ProjError(f"could not be written: {error}", Where(str(path))) from None
    with streaming(path) if is_stream(path) else replacing(path) as out:
        out.write(gzip.compress(drawn, mtime=0) if kind == "svgz" else drawn)


def _drawn(figure: Any, kind: str) -> bytes:
    """The bytes of a figure, without clock and chance: matplotlib writes the date, and names in SVG are drawn by lot."""
    import matplotlib

    drawn, date = io.BytesIO(), os.environ.get(DATE)
    os.environ[DATE] = date or "0"
    try:
        with matplotlib.rc_context({"svg.hashsalt": "divproj"}):
            figure.savefig(drawn, format=kind, bbox_inches="tight", dpi=150)
    finally:
        os.environ.pop(DATE)
        if date is not None:
            os.environ[DATE] = date
    return drawn.getvalue()


def dendrogram(path: Path, names: Sequence[str], profiles: Sequence[Sequence[float]]) -> None:
    """Corpora grouped by how alike their divergence profiles are (average linkage, Euclidean)."""
    from scipy.cluster import hierarchy

    plt = pyplot()
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.35 * len(names)))
    links = hierarchy.linkage(profiles, method="average", optimal_ordering=True)
    hierarchy.dendrogram(
        links, labels=list(names), orientation="left", ax=axes, color_threshold=0, above_threshold_color="#35618f"
    )
    axes.set_xlabel("distance between divergence profiles")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    save(figure, path)
    plt.close(figure)


def learning_curves(path: Path, rows: Sequence[tuple[str, int | None, dict[str, float]]]) -> None:
    """UAS against training sentences, a panel a corpus, a line a system; 'all' stands at the right."""
    plt = pyplot()
    corpora = list(dict.fromkeys(name for name, _, _ in rows))
    sizes = sorted({size for _, size, _ in rows}, key=lambda s: s or 1 << 30)
    figure, panels = plt.subplots(1, len(corpora), figsize=(4 * len(corpora) + 1, 3.6), sharey=True, squeeze=False)
    for panel, corpus in zip(panels[0], corpora, strict=True):
        scores_by_size = {size: scores for name, size, scores in rows if name == corpus}
        for system in next(iter(scores_by_size.values())):
            panel.plot(
                [sizes.index(s) for s in scores_by_size],
                [scores_by_size[s][system] for s in scores_by_size],
                marker="o",
                markersize=3,
                label=system,
            )
        panel.set_title(corpus)
        panel.set_xticks(range(len(sizes)), [str(s or "all") for s in sizes])
        panel.set_xlabel("training sentences")
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("UAS")
    panels[0][-1].legend(fontsize=8)
    save(figure, path)
    plt.close(figure)


class Rule(NamedTuple):
    """A rule of a style sheet: how specific, in which order, the parts of its selector from the outside in, and its declarations."""

    weight: tuple[int, int]
    parts: tuple[str, ...]
    declared: tuple[tuple[str, str], ...]


_AT = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r":not\(([^()]*)\)|\.([\w-]+)|\[([\w-]+)(?:(~?=)([\w-]+))?\]|([a-z]+)")
_SVG = "{http://www.w3.org/2000/svg}"
FONTS = "Noto Sans, DejaVu Sans, Arial, Liberation Sans"
"""Fonts of pictures, the first that there is; others are used for letters that it lacks."""
PIXELS_PER_INCH = 300
"""Of a PNG; in the picture, 96 pixels are an inch."""


def with_attributes(svg: str) -> str:
    """Return a picture whose style sheet is worked out: colours and lines as attributes, hidden parts and tooltips left out."""
    root = fromstring(svg)
    sheet = "".join(node.text or "" for node in root.iter(f"{_SVG}style"))
    rules = list(_rules(_AT.sub("", sheet)))
    variables = {
        name: value for rule in rules if rule.parts == (".divproj",) for name, value in rule.declared if name.startswith("--")
    }
    _apply(root, [], sorted(rules, key=lambda rule: rule.weight), variables, "#000")
    root.set("font-family", FONTS)  # what browsers call system-ui is no font
    return tostring(root, encoding="unicode").replace("ns0:", "").replace("xmlns:ns0", "xmlns")


def _rules(sheet: str) -> Iterator[Rule]:
    for order, (selectors, body) in enumerate(_RULE.findall(sheet)):
        declared = tuple(
            (name.strip(), value.strip()) for name, _, value in (item.partition(":") for item in body.split(";")) if value
        )
        for selector in re.split(r",(?![^(]*\))", selectors):
            parts = tuple(selector.split())
            weight = sum(bool(match[2] or match[3] or match[1]) for part in parts for match in _SIMPLE.finditer(part))
            yield Rule((weight, order), parts, declared)


def _fits(part: str, node: Any) -> bool:
    """Whether an element is what one part of a selector says: tag, classes, attributes, and none of those in `:not(…)`."""
    classes = node.get("class", "").split()
    for negated, name, attribute, operator, value, tag in _SIMPLE.findall(part):
        if negated:
            fits = not any(_fits(each, node) for each in negated.split(","))
        elif name:
            fits = name in classes
        elif attribute:
            given = node.get(attribute)
            fits = given is not None and (not operator or (value in given.split() if operator == "~=" else given == value))
        else:
            fits = node.tag == f"{_SVG}{tag}"
        if not fits:
            return False
    return True


def _selects(parts: Sequence[str], node: Any, above: Sequence[Any]) -> bool:
    if not _fits(parts[-1], node):
        return False
    left = list(parts[:-1])
    for ancestor in reversed(above):
        if left and _fits(left[-1], ancestor):
            left.pop()
    return not left


def _apply(node: Any, above: list[Any], rules: Sequence[Rule], variables: Mapping[str, str], color: str) -> None:
    style: dict[str, str] = {}
    for rule in rules:
        if _selects(rule.parts, node, above):
            style |= dict(rule.declared)
    style = {
        name: re.sub(r"var\((--[\w-]+)\)", lambda match: variables.get(match[1], "#000"), value)
        for name, value in style.items()
    }
    color = style.get("color", color)
    for name, value in style.items():
        if not name.startswith("--") and name not in ("color", "display"):
            node.set(name, color if value == "currentColor" else value)
    for child in list(node):
        hidden = child.tag in (f"{_SVG}title", f"{_SVG}style")
        _apply(child, [*above, node], rules, variables, color)
        if hidden or child.get("display") == "none":
            node.remove(child)
    if style.get("display") == "none":
        node.set("display", "none")


def picture_bytes(svg: str, kind: str) -> bytes:
    """Return a picture as PDF or PNG: the same picture gives the same bytes."""
    try:
        import typst
    except ImportError:
        remedy = "pip install 'divproj[pictures]', or write .svg or .tex"
        raise ProjError(f"pictures as .{kind} need typst, which is not installed", remedy=remedy) from None
    plain = with_attributes(svg)
    width = re.search(r'\bwidth="(\d+)', plain)
    quoted = plain.replace("\\", "\\\\").replace('"', '\\"')
    page = "#set document(date: none)\n#set page(width: auto, height: auto, margin: 0pt)\n"
    source = f'{page}#image(bytes("{quoted}"), format: "svg", width: {0.75 * int(width[1]) if width else 300}pt)\n'
    more = {"ppi": float(PIXELS_PER_INCH)} if kind == "png" else {}
    compile_page: Any = typst.compile
    return bytes(compile_page(source.encode(), format=kind, **more))


def write_picture(svg: str, path: Path) -> None:
    """Write a picture in the format that the file's ending names: .svg, .pdf or .png."""
    kind = path.suffix.lower().removeprefix(".")
    if str(path) == "-":
        with writing(path) as text:
            text.write(f"{svg}\n")
        return
    data = picture_bytes(svg, kind) if kind in ("pdf", "png") else f"{svg}\n".encode()
    with streaming(path) if is_stream(path) else replacing(path) as out:
        out.write(data)
