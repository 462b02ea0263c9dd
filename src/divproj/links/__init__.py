"""Steps that add word links to a pair: from glosses (`gloss`), from bitext alone (`words`)."""

PUBLIC: dict[str, tuple[str, ...]] = {
    "gloss.grade": (
        "Grade",
        "KINDS",
        "LEVELS",
        "grade",
        "known_names",
    ),
    "words.corpus": ("align_text",),
    "words.direction": ("TURN",),
    "words.model": (
        "LONGEST",
        "WordAligner",
    ),
    "words.reading": (
        "known_pairs",
        "word_rows",
    ),
    "words.symmetrize": ("METHODS",),
    "words.text": ("Text",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
