"""Files in and out, one module a format.

Each has `load`, `loads`, `dump` and `dumps` after `json`; `load` yields, so corpora stream.
Values of `data` and `forest` come out, and only they go in.
"""

PUBLIC: dict[str, tuple[str, ...]] = {
    "brackets": ("dumps",),
    "cldf": ("dump",),
    "cldf_metadata": ("names",),
    "conllu": (
        "dumps",
        "is_conllu",
        "load",
    ),
    "corpus": ("Corpus", "read"),
    "elan": ("shown",),
    "files": (
        "in_folder",
        "is_stream",
        "located",
        "name_of",
        "reading",
        "writing",
    ),
    "forest": ("dump",),
    "forests": (
        "FORMATS",
        "Options",
    ),
    "igt": (
        "dump",
        "load",
    ),
    "igt_back": ("write_into",),
    "igt_conllu": ("dump",),
    "igt_text": ("ReaderOptions",),
    "igt_words": ("rejoined",),
    "shards": ("in_shards",),
    "trees": (
        "Trees",
        "written",
    ),
    "xigt": ("dump",),
}
"""Names that the command line and scripts may rely on, by module; all else may change."""
