"""Pictures, plain lines and reports of tree pairs.

Values come in (`Pair`, `Altered`, `Analysis`), strings go out: `svg` draws, `text` prints, `html` writes a report.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "html": ("write_report",),
    "induced": ("draw_induced",),
    "latex": ("table",),
    "phrases": ("write_alignments",),
    "plot": (
        "dendrogram",
        "learning_curves",
    ),
    "projected": ("write_projections",),
    "svg": ("pair_svg",),
    "text": (
        "edges_of",
        "pair_text",
    ),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
