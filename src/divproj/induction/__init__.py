"""Grammar induction: binary trees over tags, from one language alone (CCM) or from bitext (Snyder et al. 2009).

Tag sequences and word links come in; bracketings, charts and a model of each language go out. No gold tree is needed.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "inducer": ("LONGEST",),
    "modelfile": ("BESIDE",),
    "output": (
        "forest_of",
        "phrase_tree",
    ),
    "reading": (
        "sentences",
        "tag_pairs",
    ),
    "settings": ("EDGE_CUE",),
    "training": (
        "Induction",
        "grammar_for",
    ),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
