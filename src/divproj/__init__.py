"""divproj: syntax for languages without treebanks."""

from divproj.divergence.analysis import Analysis, analyze
from divproj.divergence.match import corpus_match, edge_classes, sent_match
from divproj.divergence.operations import Altered, Operation, alter, merge, remove, swap
from divproj.errors import AlignmentError, Faults, FormatError, ModelError, ProjError, Where
from divproj.io.corpus import Corpus
from divproj.types import Alignment, DepTree, Sentence, TreePair

__version__ = "0.1.0"

__all__ = [
    "Alignment",
    "AlignmentError",
    "Altered",
    "Analysis",
    "Corpus",
    "DepTree",
    "Faults",
    "FormatError",
    "ModelError",
    "Operation",
    "ProjError",
    "Sentence",
    "TreePair",
    "Where",
    "alter",
    "analyze",
    "corpus_match",
    "edge_classes",
    "merge",
    "remove",
    "sent_match",
    "swap",
]
