"""Plots that need matplotlib, an extra."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from divproj.errors import ProjError, Where


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
    """Write the figure whole or not at all; the ending names the format."""
    part = path.with_name(f".{path.stem}.part{path.suffix or '.png'}")
    try:
        figure.savefig(part, bbox_inches="tight", dpi=150)
        part.replace(path)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        raise ProjError(f"could not be written: {error}", Where(str(path))) from None


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
