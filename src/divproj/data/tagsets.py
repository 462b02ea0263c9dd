"""Penn Treebank tags as universal ones."""

from __future__ import annotations

_UNIVERSAL = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN",
    "ADV": "RB RBR RBS WRB EX",
    "AUX": "MD",
    "CCONJ": "CC",
    "DET": "DT PDT WDT",
    "INTJ": "UH",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "POS RP TO",
    "PRON": "PRP PRP$ WP WP$",
    "PROPN": "NNP NNPS",
    "PUNCT": ". , : `` '' -LRB- -RRB- HYPH \"",
    "SYM": "SYM $ #",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "X": "FW LS ADD AFX GW NFP XX",
}
PENN = {penn: universal for universal, tags in _UNIVERSAL.items() for penn in tags.split()}


def universal(tag: str) -> str:
    """The universal tag for a Penn tag; any other tag as it is.

    >>> universal("VBD"), universal("NOUN"), universal("APPRART")
    ('VERB', 'NOUN', 'APPRART')
    """
    return PENN.get(tag, tag)
