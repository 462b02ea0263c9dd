"""Dorr's (1994) divergence types as far as trees, tags and links show them (§3.7)."""

from __future__ import annotations

from divproj.data.tree import DepTree

TYPES = ("promotional", "demotional", "structural", "conflational", "categorial", "thematic")
MEANING = {
    "promotional": "a modifier in E heads its E head in F (swap)",
    "demotional": "a head in E depends on its E dependent in F (swap)",
    "structural": "a word of one side has no partner (remove)",
    "conflational": "several words of one side are one on the other (merge)",
    "categorial": "linked words differ in UPOS",
    "thematic": "a matched edge bears another relation",
}
_MODIFIERS = frozenset(["ADV", "ADJ", "RB", "RBR", "RBS", "JJ", "JJR", "JJS", "WRB"])
_MODIFYING = frozenset(["advmod", "amod", "advcl", "neg", "mod"])


def is_modifier(tag: str, rel: str) -> bool:
    """Whether a dependent with this tag and relation modifies: then its promotion makes a head swap promotional.

    >>> is_modifier("ADV", "_"), is_modifier("NOUN", "pobj")
    (True, False)
    """
    return tag in _MODIFIERS or rel.partition(":")[0] in _MODIFYING


def edge_text(tree: DepTree, child: int, parent: int) -> str:
    """
    >>> edge_text(DepTree(("she", "swims"), (2, 0), ("nsubj", "root")), 1, 2)
    'she ←nsubj─ swims'
    """
    rel = tree.rels[child - 1] if tree.rels else ""
    head = tree.forms[parent - 1] if parent > 0 else "ROOT"
    return f"{tree.forms[child - 1]} ←{'' if rel == '_' else rel}─ {head}"
