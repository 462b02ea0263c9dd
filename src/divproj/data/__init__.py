"""Values without input or output: sentences, trees, links, pairs, interlinear text, errors.

Everything may come in here and nothing of the other rooms does; arrays for kernels are built from these values.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "errors": (
        "AlignmentError",
        "Faults",
        "FormatError",
        "ProjError",
        "Where",
    ),
    "head_style": ("STYLES",),
    "igt": ("Igt",),
    "pair": ("Pair",),
    "sentence": (
        "Sentence",
        "misc_value",
    ),
    "wording": ("plural",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
