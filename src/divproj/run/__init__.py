"""From raw text to trees, scores and a report in one run: a config in, a results folder out.

Stages with cached outputs; what has not changed is not done again, and what was cut off leaves nothing half done.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "config": ("load",),
    "pages": (
        "said",
        "summary",
    ),
    "runner": (
        "Outcome",
        "Run",
        "Step",
    ),
    "scaffold": (
        "CONFIG",
        "begin",
        "look",
    ),
    "tutorial": ("copy_tutorial",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
