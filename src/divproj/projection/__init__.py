"""Trees for F from trees of E through word links: plain projection, rules learned from gold, and a model that weighs them.

An E tree, links and F words come in; an F tree with the reason and the confidence of each edge goes out.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "batch": (
        "Plan",
        "corrections",
        "projected",
        "write_projections",
    ),
    "explain": ("say",),
    "output": ("STYLES",),
    "phrasal.paraphrases": (
        "tree_pair",
        "write_corpus",
    ),
    "phrasal.phrase_sources": ("PhraseSources",),
    "projector": ("Projector",),
    "registry": ("SYSTEMS",),
    "rulefile": ("dump",),
    "systems": (
        "Corrections",
        "SYSTEM_NAMES",
    ),
    "training": (
        "recipe",
        "train_language",
        "train_projection",
    ),
    "whole_text": (
        "parsed_by_model",
        "project_text",
    ),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
