"""Correcting projected trees in a browser, and learning from the corrections.

A CoNLL-U file comes in; a page on 127.0.0.1 shows it, a journal keeps every change, and the file goes out again with
nothing but the changes. `document` knows bytes, `session` trees and edits, `journal` the disk, `retrain` the learning.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "document": ("Document",),
    "http": ("PageServer",),
    "journal": ("keep_other",),
    "opening": (
        "beside",
        "journal_for",
        "sentences_to_learn_with",
    ),
    "retrain": (
        "AdaptingLearner",
        "ProjectionLearner",
    ),
    "server": (
        "Review",
        "Server",
    ),
    "session": ("Session",),
    "workbench": ("Workbench",),
    "workbench_server": ("WorkbenchServer",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
