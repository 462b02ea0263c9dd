"""Names that UD gives: tags, relations, and which go together. No arrays: whoever writes rows needs nothing else."""

from __future__ import annotations

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
LABELS = (
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound", "conj", "cop", "csubj", "dep", "det",
    "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "mark", "nmod", "nsubj", "nummod", "obj", "obl",
    "orphan", "parataxis", "reparandum", "vocative", "xcomp",
)  # fmt: skip
"""Relations of UD without subtypes; `root` and `punct` follow from the tree and the words."""
ONLY = {
    "aux": {"AUX"}, "cop": {"AUX", "PRON", "DET", "SYM"}, "det": {"DET", "PRON"}, "nummod": {"NUM", "NOUN", "SYM"}, "expl": {"PRON", "DET", "PART"},
    "advmod": {"ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"}, "clf": {"NOUN", "PART", "NUM", "X"},
}  # fmt: skip
"""Relations that only words of these tags have."""
RIGHTWARD = frozenset({"conj", "fixed", "flat", "goeswith", "appos"})
"""Relations whose head comes first."""
