"""Phrase alignment on parse forests after Arase & Tsujii (2017).

Comes in: two `forest.hypergraph.Forest` and word candidates. Goes out: nested phrase pairs. `chart` knows arrays only.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "aligner": ("PhraseAligner",),
    "batch": (
        "align_forests",
        "plan_of",
    ),
    "em": ("State",),
    "reading": (
        "ForestPairs",
        "lexicon",
    ),
    "results": ("PhraseAlignment",),
    "settings": ("SEARCH_SPACE",),
    "tune": (
        "Trial",
        "parsed_settings",
        "parsed_space",
        "tune",
    ),
    "wordnet": ("REMEDY",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
