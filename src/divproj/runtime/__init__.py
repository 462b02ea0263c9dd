"""What carries the work: workers, compiled kernels, checkpoints, model files, shipped resources.

Knows nothing of sentences or trees.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "announce": (
        "Stage",
        "passing",
        "stage",
        "stages",
    ),
    "checkpoint": (
        "Checkpoint",
        "NOTHING",
    ),
    "engine": (
        "Place",
        "Read",
        "Work",
        "run",
        "stamp",
    ),
    "jit": ("compile_all",),
    "modelfile": ("check_place",),
    "resources": ("folder",),
    "safe_path": ("protect",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
