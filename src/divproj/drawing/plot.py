"""Plots that need matplotlib, an extra."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from divproj.core.errors import ProjError, Where
from divproj.io.files import is_stream, replacing, streaming

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
