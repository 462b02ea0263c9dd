"""A toy treebank: invented sentences of a regular little language that every learner must be able to learn."""

from __future__ import annotations

from divproj import DepTree
from divproj.core.sentence import Rows

LINES = """
the|DET|det|2 dog|NOUN|nsubj|3 sleeps|VERB|root|0
the|DET|det|3 old|ADJ|amod|3 miller|NOUN|nsubj|4 whistles|VERB|root|0 softly|ADV|advmod|4
a|DET|det|2 child|NOUN|nsubj|3 draws|VERB|root|0 the|DET|det|6 yellow|ADJ|amod|6 bridge|NOUN|obj|3
Mara|PROPN|nsubj|2 mends|VERB|root|0 nets|NOUN|obj|2 in|ADP|case|6 the|DET|det|6 harbour|NOUN|obl|2
softly|ADV|advmod|3 Mara|PROPN|nsubj|3 sleeps|VERB|root|0
the|DET|det|2 bridge|NOUN|nsubj|6 in|ADP|case|5 the|DET|det|5 harbour|NOUN|nmod|2 sleeps|VERB|root|0
go|VERB|root|0
old|ADJ|amod|2 nets|NOUN|nsubj|5 and|CCONJ|cc|4 bridges|NOUN|conj|2 creak|VERB|root|0 softly|ADV|advmod|5 .|PUNCT|punct|5
"""
CROSSING = """
nets|NOUN|obj|4 Mara|PROPN|nsubj|3 hopes|VERB|root|0 mend|VERB|xcomp|3
bridges|NOUN|obj|4 Ilo|PROPN|nsubj|3 hopes|VERB|root|0 paint|VERB|xcomp|3 softly|ADV|advmod|4
"""


def tree_of(line: str) -> DepTree:
    """A tree from `form|UPOS|relation|head` words."""
    forms, upos, rels, heads = zip(*(word.split("|") for word in line.split()), strict=True)
    return DepTree(forms, tuple(map(int, heads)), rels, upos)


TOY = [tree_of(line) for line in LINES.strip().splitlines()]
CROSSED = [tree_of(line) for line in CROSSING.strip().splitlines()]
SMALL = {"bits": 14, "epochs": 12}
"""Options that make parsers quickly."""


def sentence_of(tree: DepTree, sent_id: str = "") -> Rows:
    """The tree as a CoNLL-U sentence with lemmas and fine tags."""
    none = ("_",) * len(tree)
    columns = (
        tuple(str(k) for k in range(1, len(tree) + 1)),
        tree.forms,
        tuple(form.removesuffix("s") if tag == "VERB" else form for form, tag in zip(tree.forms, tree.upos, strict=True)),
        tree.upos,
        tuple(tag[:2] for tag in tree.upos),
        none,
        tuple(map(str, tree.heads)),
        tree.deprels,
        none,
        none,
    )
    return Rows((f"# sent_id = {sent_id}",) if sent_id else (), columns)


TREEBANK = [sentence_of(tree, f"toy-{k}") for k, tree in enumerate(TOY * 2, 1)]
