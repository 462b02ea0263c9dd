"""divproj: syntax for languages without treebanks.

`read` reads sentence pairs from any file, `projector` returns a system that makes trees for them, `write` saves them;
`analyze`, `evaluate` and `draw` measure and show them. Names are imported when they are first used, so that importing
divproj costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from divproj.core.errors import AlignmentError, Faults, FormatError, ModelError, ProjError, Where
    from divproj.core.links import Links
    from divproj.core.pair import Pair
    from divproj.core.sentence import Sentence
    from divproj.core.tree import DepTree
    from divproj.divergence.analysis import Analysis
    from divproj.divergence.operations import (
        Altered,
        Operation,
        alter,
        corpus_match,
        edge_classes,
        merge,
        remove,
        sent_match,
        swap,
    )
    from divproj.front import analyze, draw, evaluate, parser, write
    from divproj.induction.inducer import BilingualInducer as Inducer
    from divproj.io.corpus import Corpus, read
    from divproj.links.glosses import GlossAligner
    from divproj.links.word_model import WordAligner
    from divproj.phrases.aligner import PhraseAligner
    from divproj.projection.projector import Projector, projector
    from divproj.projection.systems import SYSTEMS, System

__version__ = "0.1.0"

_PLACES = {
    "divproj.core.errors": ("AlignmentError", "Faults", "FormatError", "ModelError", "ProjError", "Where"),
    "divproj.core.links": ("Links",),
    "divproj.core.pair": ("Pair",),
    "divproj.core.sentence": ("Sentence",),
    "divproj.core.tree": ("DepTree",),
    "divproj.divergence.analysis": ("Analysis",),
    "divproj.divergence.operations": (
        "Altered",
        "Operation",
        "alter",
        "corpus_match",
        "edge_classes",
        "merge",
        "remove",
        "sent_match",
        "swap",
    ),
    "divproj.front": ("analyze", "draw", "evaluate", "parser", "write"),
    "divproj.induction.inducer": ("Inducer",),
    "divproj.io.corpus": ("Corpus", "read"),
    "divproj.links.glosses": ("GlossAligner",),
    "divproj.links.word_model": ("WordAligner",),
    "divproj.phrases.aligner": ("PhraseAligner",),
    "divproj.projection.projector": ("Projector", "projector"),
    "divproj.projection.systems": ("SYSTEMS", "System"),
}
_PLACE = {name: module for module, names in _PLACES.items() for name in names}
_CALLED = {"Inducer": "BilingualInducer"}
"""Public names that are longer in their module."""

__all__ = [  # noqa: RUF022  plain order
    "AlignmentError", "Altered", "Analysis", "Corpus", "DepTree", "Faults", "FormatError", "GlossAligner", "Inducer", "Links", "ModelError", "Operation", "Pair", "PhraseAligner", "ProjError", "Projector", "SYSTEMS", "Sentence", "System", "Where", "WordAligner", "alter", "analyze", "corpus_match", "draw", "edge_classes", "evaluate", "merge", "parser", "projector", "read", "remove", "sent_match", "swap", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"module 'divproj' has no attribute '{name}'")
    member = getattr(importlib.import_module(_PLACE[name]), _CALLED.get(name, name))
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
