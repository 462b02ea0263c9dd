"""divproj: syntax for languages without treebanks.

`read` pairs from any file, `projector` makes trees for them, `write` keeps them; `analyze`, `evaluate` and `draw` tell about
them. Names load when they are first used, so that `import divproj` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from divproj.data.errors import AlignmentError, Faults, FormatError, ModelError, ProjError, Where
    from divproj.data.igt import Igt
    from divproj.data.links import Links
    from divproj.data.pair import Pair
    from divproj.data.sentence import Sentence
    from divproj.data.tree import DepTree
    from divproj.divergence.analysis import Analysis
    from divproj.divergence.match import corpus_match, edge_classes, sent_match
    from divproj.divergence.operations import Altered, Operation, alter, merge, remove, swap
    from divproj.front import analyze, draw, evaluate, parser, write
    from divproj.induction.inducer import BilingualInducer as Inducer
    from divproj.io.corpus import Corpus, read
    from divproj.links.gloss.aligner import GlossAligner
    from divproj.links.words.model import WordAligner
    from divproj.phrases.aligner import PhraseAligner
    from divproj.projection.projector import Projector, projector
    from divproj.projection.registry import SYSTEMS, System

__version__ = "0.1.0"

_PLACES = {
    "divproj.data.errors": ("AlignmentError", "Faults", "FormatError", "ModelError", "ProjError", "Where"),
    "divproj.data.igt": ("Igt",),
    "divproj.data.links": ("Links",),
    "divproj.data.pair": ("Pair",),
    "divproj.data.sentence": ("Sentence",),
    "divproj.data.tree": ("DepTree",),
    "divproj.divergence.analysis": ("Analysis",),
    "divproj.divergence.match": ("corpus_match", "edge_classes", "sent_match"),
    "divproj.divergence.operations": ("Altered", "Operation", "alter", "merge", "remove", "swap"),
    "divproj.front": ("analyze", "draw", "evaluate", "parser", "write"),
    "divproj.induction.inducer": ("Inducer",),
    "divproj.io.corpus": ("Corpus", "read"),
    "divproj.links.gloss.aligner": ("GlossAligner",),
    "divproj.links.words.model": ("WordAligner",),
    "divproj.phrases.aligner": ("PhraseAligner",),
    "divproj.projection.projector": ("Projector", "projector"),
    "divproj.projection.registry": ("SYSTEMS", "System"),
}
_PLACE = {name: module for module, names in _PLACES.items() for name in names}
_CALLED = {"Inducer": "BilingualInducer"}
"""Names that are longer in their room."""

__all__ = [  # noqa: RUF022  plain order
    "AlignmentError", "Altered", "Analysis", "Corpus", "DepTree", "Faults", "FormatError", "GlossAligner", "Igt", "Inducer", "Links", "ModelError", "Operation", "Pair", "PhraseAligner", "ProjError", "Projector", "SYSTEMS", "Sentence", "System", "Where", "WordAligner", "alter", "analyze", "corpus_match", "draw", "edge_classes", "evaluate", "merge", "parser", "projector", "read", "remove", "sent_match", "swap", "write",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"module 'divproj' has no attribute '{name}'")
    found = getattr(importlib.import_module(_PLACE[name]), _CALLED.get(name, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
