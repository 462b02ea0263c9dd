"""Scores that carry their signature: trees, links, and whether one system really is better than another."""

PUBLIC: dict[str, tuple[str, ...]] = {
    "bracket_files": ("rows",),
    "brackets": (
        "baselines",
        "f1_randomisation",
        "score_brackets",
    ),
    "experiment": (
        "cross_families",
        "cross_validate",
        "gloss_linked",
    ),
    "links": ("score_files",),
    "phrase_files": (
        "against_annotators",
        "against_constituents",
        "gold_rows",
        "metric",
    ),
    "phrases": ("significance",),
    "significance": ("approximate_randomisation",),
    "tree_files": ("scored_pairs",),
    "trees": (
        "TreeScores",
        "score_trees",
    ),
    "ud_check": ("check_text",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
