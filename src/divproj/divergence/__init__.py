"""How two aligned trees diverge: the match metric, remove, merge and swap, and what they say of a language pair.

Tree pairs come in, counts and logs go out; `kernel` knows arrays alone, `analysis` walks a corpus.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "analysis": ("Analysis",),
    "batch": (
        "analyze_corpus",
        "write_tables",
    ),
    "dorr": (
        "MEANING",
        "TYPES",
    ),
    "operations": (
        "CLASSES",
        "alter",
    ),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
