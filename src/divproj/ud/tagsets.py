"""Tags and relations of UD, and defaults for words that have none.

`universal` converts Penn Treebank tags. For a word without a link `class_of` takes the tag from its gloss, and
`relation_of` the relation from its tag and that of its head. `ONLY` and `RIGHTWARD` say which relations go with which tags
and orders. No arrays are imported here, so that writing rows stays quick.
"""

from __future__ import annotations

import re
from functools import lru_cache

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


CONTENT = ("NOUN", "PROPN", "VERB")
"""Classes that head a sentence before all others."""
FUNCTION = ("DET", "ADP", "AUX", "CCONJ", "SCONJ", "PART", "PUNCT", "NUM")
_PIECES = re.compile(r"[-=~.:/+()\[\]<>_\\]+")


_GRAMS = {
    "DET": "DEF INDF INDEF ART DET DEM PROX DIST CLF CL",
    "ADP": "ACC DAT GEN LOC ERG ABL INS INSTR COM ALL INE ADE ILL ESS PREP POSTP ADP OBL",
    "AUX": "AUX COP PST PRS FUT PFV IPFV PROG PERF PRF HAB TAM TNS ASP",
    "PRON": "PRO PRON REFL RECP RECIP 1 2 3",
    "CCONJ": "CONJ COORD CCONJ CNJ",
    "SCONJ": "COMP SUBORD SUB SBRD CMPL COMPL SCONJ REL",
    "PART": "NEG Q INT TOP FOC PTCL PRT PART EMPH",
    "INTJ": "INTJ EXCL IDEO",
}
_WORDS = {
    "DET": "the a an this that these those no",
    "ADP": "of in on at to from with by for about into onto under over",
    "AUX": "be is are was were been am will would shall should can could may might must",
    "PRON": "i me you he him she her it we us they them who what which",
    "CCONJ": "and or but nor",
    "SCONJ": "if because when while although since whether",
    "PART": "not",
}
_BY_GRAM = {gram: tag for tag, grams in _GRAMS.items() for gram in grams.split()}
_BY_WORD = {word: tag for tag, words in _WORDS.items() for word in words.split()}


@lru_cache(maxsize=50_000)
def class_of(form: str, gloss: str) -> str:
    """The class of a word without a link, as its gloss shows it; '' where it does not.

    >>> class_of("le", "DEF.SG"), class_of("na", "of"), class_of("yi", "3PL"), class_of("gida", "house"), class_of("!", "")
    ('DET', 'ADP', 'PRON', '', 'PUNCT')
    """
    if not any(map(str.isalnum, form)):
        return "PUNCT"
    pieces = [piece for piece in _PIECES.split(gloss) if piece]
    if len(pieces) == 1 and pieces[0].lower() in _BY_WORD:
        return _BY_WORD[pieces[0].lower()]
    if not pieces or not all(piece.isupper() or piece[0].isdigit() for piece in pieces):
        return ""
    tags = (_BY_GRAM.get(piece) or _BY_GRAM.get(piece[0]) for piece in pieces)
    return next((tag for tag in tags if tag), "")


def relation_of(tag: str, head: str, before: bool) -> str:
    """The usual relation of a word of a class under a head of a class; '' where the classes do not tell.

    >>> relation_of("DET", "NOUN", True), relation_of("ADP", "VERB", True), relation_of("PRON", "VERB", False)
    ('det', 'mark', 'obj')
    >>> relation_of("AUX", "NOUN", True), relation_of("X", "VERB", True)
    ('cop', '')
    """
    verbal = head in ("VERB", "AUX")
    match tag:
        case "ADP":
            return "mark" if verbal else "case"
        case "AUX":
            return "aux" if verbal else "cop" if head else "aux"
        case "PRON":
            return ("nsubj" if before else "obj") if verbal or not head else "nmod"
        case "NOUN" | "PROPN":
            return "obl" if verbal else "nmod" if head else ""
        case "ADJ":
            return "amod" if head in ("NOUN", "PROPN", "PRON") else "advcl" if verbal else ""
        case "VERB":
            return "advcl" if verbal else "acl" if head else ""
    return _PLAIN.get(tag, "")


_PLAIN = {
    "DET": "det",
    "CCONJ": "cc",
    "SCONJ": "mark",
    "PART": "advmod",
    "ADV": "advmod",
    "NUM": "nummod",
    "INTJ": "discourse",
    "PUNCT": "punct",
}


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
