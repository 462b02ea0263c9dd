"""Categories of several treebanks as the eight classes of Arase & Tsujii (2017), section 5.2."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from divproj.forest.hypergraph import Forest

CLASSES = ("N", "V", "ADJ", "ADV", "PREP", "COORD", "NULL", "OTHER")
NULL = CLASSES.index("NULL")
OTHER = CLASSES.index("OTHER")
_FUNCTION = re.compile(r"(?<=[^-=|])[-=|].*", re.DOTALL)

_SCHEMES: dict[str, dict[str, str]] = {
    "penn": {
        "N": "NN NNS NNP NNPS PRP PRP$ WP WP$ EX CD NP NX NAC WHNP QP NML $ #",
        "V": "VB VBD VBG VBN VBP VBZ MD VP S SQ SINV SBARQ RRC",
        "ADJ": "JJ JJR JJS ADJP WHADJP JJP",
        "ADV": "RB RBR RBS WRB ADVP WHADVP",
        "PREP": "IN TO RP PP WHPP PRT",
        "COORD": "CC CONJP UCP",
        "OTHER": "DT PDT WDT POS FW LS SYM UH SBAR FRAG INTJ PRN LST X ROOT TOP S1 . , : `` '' -LRB- -RRB- -NONE- HYPH NFP ADD AFX",
    },
    "enju": {
        "N": "N NP NX",
        "V": "V VP VX S",
        "ADJ": "ADJ ADJP",
        "ADV": "ADV ADVP",
        "PREP": "P PP PX PRT",
        "COORD": "CONJ CONJP COOD",
        "OTHER": "D DP C CP CX SC SCP UNK PN DX",
    },
    "ud": {
        "N": "NOUN PROPN PRON NUM NP",
        "V": "VERB AUX VP S",
        "ADJ": "ADJ ADJP",
        "ADV": "ADV ADVP",
        "PREP": "ADP PP",
        "COORD": "CCONJ CONJP",
        "OTHER": "DET SCONJ PART INTJ PUNCT SYM X SBAR FRAG",
    },
    "tiger": {
        "N": "NN NE NNE PPER PIS PDS PPOSS PRELS PRF PWS CARD NP PN MPN CNP NM",
        "V": "VVFIN VVIMP VVINF VVIZU VVPP VAFIN VAIMP VAINF VAPP VMFIN VMINF VMPP VP VZ S CVP CVZ CS VROOT",
        "ADJ": "ADJA ADJD AP CAP MTA AA",
        "ADV": "ADV PWAV PROAV PAV AVP CAVP PTKNEG PTKA PTKVZ",
        "PREP": "APPR APPRART APPO APZR PP CPP CAC",
        "COORD": "KON KOKOM CO CCP",
        "OTHER": "ART PDAT PIAT PIDAT PPOSAT PRELAT PWAT KOUS KOUI FM ITJ TRUNC XY PTKZU PTKANT UNKNOWN DL CH ISU QL "
        "$. $, $( -- DM",
    },
    "suc": {
        "N": "NN PM PN HP RG RO NP CNP NM",
        "V": "VBFIN VBIMP VBINF VBSUP VB VP VZ S CVP CS",
        "ADJ": "JJ PC AP CAP MTA",
        "ADV": "AB HA PL AVP CAVP",
        "PREP": "PR PP CPP CAC",
        "COORD": "KN CO CCP",
        "OTHER": "DT HD HS PS SN IE IN UO XY DL CH ISU QL UNKNOWN --",
    },
}
_PHRASE = {"N": "NP", "V": "VP", "ADJ": "ADJP", "ADV": "ADVP", "PREP": "PP", "COORD": "CONJP"}
SCHEMES = tuple(_SCHEMES)
_CLASS_OF = {
    scheme: {label: CLASSES.index(name) for name, labels in classes.items() for label in labels.split()}
    for scheme, classes in _SCHEMES.items()
}


@lru_cache(maxsize=20_000)
def bare_label(label: str) -> str:
    """Without function tags and indices.

    >>> bare_label("NP-SBJ-1"), bare_label("-NONE-"), bare_label("-LRB-"), bare_label("NP=2")
    ('NP', '-NONE-', '-LRB-', 'NP')
    """
    return label if label.startswith("-") else _FUNCTION.sub("", label)


@lru_cache(maxsize=4096)
def category(label: str, scheme: str = "") -> str:
    """Class of a label; without a scheme the first in `SCHEMES` that knows it decides.

    >>> category("VBD"), category("NP-SBJ"), category("IN"), category("IN", "suc"), category("APPRART")
    ('V', 'N', 'PREP', 'OTHER', 'PREP')
    """
    return CLASSES[_code(bare_label(label), scheme)]


def _code(label: str, scheme: str) -> int:
    if scheme:
        return _CLASS_OF[scheme].get(label, OTHER)
    return next((known[label] for known in _CLASS_OF.values() if label in known), OTHER)


def phrase_label(tag: str) -> str:
    """Category of a phrase whose head has that tag.

    >>> phrase_label("NOUN"), phrase_label("VBZ"), phrase_label("DET")
    ('NP', 'VP', 'X')
    """
    return _PHRASE.get(category(tag), "X")


def scheme_of(labels: Iterable[str]) -> str:
    """The scheme that knows most of these labels, the first of equals.

    >>> scheme_of(["NN", "APPR", "NP", "S"]), scheme_of(["NN", "PR", "PM", "VBFIN"]), scheme_of(["NP", "NX", "VX", "PX"])
    ('tiger', 'suc', 'enju')
    """
    bare = [bare_label(label) for label in labels]
    return max(SCHEMES, key=lambda name: sum(label in _CLASS_OF[name] for label in bare))


def forest_scheme(forest: Forest) -> str:
    return scheme_of(label for node in forest.nodes for label in node.chain)


def class_codes(forest: Forest, scheme: str = "") -> NDArray[np.int8]:
    """Index in `CLASSES` of each node's category; the scheme is guessed from all labels when none is named."""
    named = scheme or forest_scheme(forest)
    return np.array([_code(bare_label(node.label), named) for node in forest.nodes], dtype=np.int8)
