"""Head rules: which child is the lexical head of a phrase, and which the semantic one.

Lexical heads of Penn phrases after Magerman and Collins (1999, appendix A). Semantic heads skip auxiliaries, modals, infinitive
markers, prepositions and complementisers: the head lies in what they introduce (Arase & Tsujii 2017, section 5.2).

`category` maps the labels of several treebanks to the eight classes of Arase & Tsujii (2017, section 5.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


PUNCTUATION = _names(". , : `` '' -LRB- -RRB- HYPH NFP PUNCT $. $, $( DL")
NOT_HEADS = PUNCTUATION | {"-NONE-"}


# label: direction in which children are tried, and the labels in order of preference
_PENN: dict[str, tuple[str, str]] = {
    "ADJP": ("left", "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": ("right", "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": ("right", "CC RB IN"),
    "FRAG": ("right", "S SINV SQ SBAR VP NP PP ADJP ADVP"),
    "INTJ": ("left", "UH INTJ"),
    "LST": ("right", "LS :"),
    "NAC": ("left", "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": ("right", "IN TO VBG VBN RP FW PP"),
    "PRN": ("left", "S SBAR SINV SQ NP PP VP ADJP ADVP"),
    "PRT": ("right", "RP RB IN"),
    "QP": ("left", "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": ("right", "VP NP ADVP ADJP PP"),
    "S": ("left", "TO VP S SBAR ADJP UCP NP PP"),
    "SBAR": ("left", "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": ("left", "SQ S SINV SBARQ FRAG"),
    "SINV": ("left", "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": ("left", "VBZ VBD VBP VB MD VP SQ"),
    "UCP": ("right", ""),
    "VP": ("left", "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NNP NP SBAR S PP"),
    "WHADJP": ("left", "CC WRB JJ ADJP"),
    "WHADVP": ("right", "CC WRB"),
    "WHNP": ("left", "WDT WP WP$ WHADJP WHPP WHNP NN NNS NP"),
    "WHPP": ("right", "IN TO FW"),
    "X": ("right", ""),
    "ROOT": ("left", "S SINV SQ SBARQ SBAR VP NP FRAG"),
}
_PENN |= {"TOP": _PENN["ROOT"], "S1": _PENN["ROOT"], "": _PENN["ROOT"]}
_NOUNS = _names("NN NNP NNPS NNS NX NML POS JJR")
_INTRODUCED = {
    "PP": _names("NP S SBAR ADJP ADVP PP UCP QP VP NX NN NNS NNP NNPS CD PRP JJ RB"),
    "WHPP": _names("WHNP WHADVP NP"),
    "SBAR": _names("S SQ SINV SBAR FRAG VP UCP"),
    "SBARQ": _names("SQ S SINV"),
}
_AUXILIARY = _names("MD TO VB VBD VBP VBZ VBG VBN AUX AUXG")
_GERMAN_NOUNS = _names("NN NE NNE NP PN MPN CNP PPER PIS PDS PPOSS PRELS PRF PWS CARD NM PM HP")
_ADPOSITIONS = _names("APPR APPRART APPO APZR PR")
_VERBAL = frozenset({"VP", "UCP"})


def penn_head(label: str, kids: Sequence[str]) -> int:
    """The lexical head.

    >>> penn_head("VP", ["VBD", "RB", "VP"]), penn_head("NP", ["DT", "JJ", "NN", "PP"]), penn_head("PP", ["IN", "NP"])
    (0, 2, 0)
    """
    return _penn_head(label, tuple(kids))


@lru_cache(maxsize=20_000)
def _penn_head(label: str, kids: tuple[str, ...]) -> int:
    label, bare = bare_label(label), [bare_label(kid) for kid in kids]
    if label in ("NP", "NX", "NML"):
        return _noun_head(bare)
    direction, preferred = _PENN.get(label, ("left", ""))
    order = list(range(len(bare))) if direction == "left" else list(range(len(bare)))[::-1]
    for wanted in preferred.split():
        for k in order:
            if bare[k] == wanted:
                return k
    if direction == "left" and label in bare:
        return bare.index(label)
    return next((k for k in order if bare[k] not in NOT_HEADS), order[0])


def _noun_head(kids: Sequence[str]) -> int:
    """Collins: the last noun, then the first NP, then the last of weaker classes."""
    last = range(len(kids) - 1, -1, -1)
    if "CC" in kids and "NP" in kids:
        return kids.index("NP")  # coordination: its first member
    if kids[-1] == "POS" and len(kids) > 1:
        return next((k for k in last if kids[k] in _NOUNS - {"POS"} or kids[k] == "NP"), len(kids) - 1)
    for k in last:
        if kids[k] in _NOUNS:
            return k
    if "NP" in kids:
        return kids.index("NP")
    for wanted in ({"$", "ADJP", "PRN"}, {"CD"}, {"JJ", "JJS", "RB", "QP"}):
        for k in last:
            if kids[k] in wanted:
                return k
    return next((k for k in last if kids[k] not in NOT_HEADS), len(kids) - 1)


def penn_semantic_head(label: str, kids: Sequence[str]) -> int:
    """The semantic head.

    >>> penn_semantic_head("VP", ["VBD", "RB", "VP"]), penn_semantic_head("PP", ["IN", "NP"]), penn_semantic_head("S", ["NP", "VP"])
    (2, 1, 1)
    """
    return _penn_semantic_head(label, tuple(kids))


@lru_cache(maxsize=20_000)
def _penn_semantic_head(label: str, kids: tuple[str, ...]) -> int:
    head = _penn_head(label, kids)
    label, bare = bare_label(label), [bare_label(kid) for kid in kids]
    for k, kid in enumerate(bare):
        if label in _INTRODUCED and kid in _INTRODUCED[label]:
            return k
        if k > head and kid in _VERBAL and label in ("VP", "SQ", "SINV", "S") and bare[head] in _AUXILIARY:
            return k
    return head


def edge_head(kids: Sequence[str], edges: Sequence[str]) -> int:
    """The child marked as head by its edge (TIGER, NEGRA, SMULTRON); -1 when none is.

    >>> edge_head(["ART", "NN"], ["NK", "HD"]), edge_head(["NP", "KON", "NP"], ["CJ", "CD", "CJ"]), edge_head(["NN"], ["--"])
    (1, 0, -1)
    """
    for wanted in ("HD", "PH", "CJ", "DH", "PNC"):
        if wanted in edges:
            return edges.index(wanted) if wanted != "PNC" else len(edges) - 1 - edges[::-1].index(wanted)
    nominal = [k for k, (kid, edge) in enumerate(zip(kids, edges, strict=True)) if edge == "NK" and kid in _GERMAN_NOUNS]
    return nominal[-1] if nominal else -1


def edge_semantic_head(label: str, kids: Sequence[str], edges: Sequence[str]) -> int:
    """What an auxiliary verb or a preposition introduces; -1 when edges do not say.

    >>> edge_semantic_head("S", ["PPER", "VAFIN", "VP"], ["SB", "HD", "OC"]), edge_semantic_head("PP", ["APPR", "NN"], ["AC", "NK"])
    (2, 1)
    """
    head = edge_head(kids, edges)
    if label in ("PP", "CPP"):
        inner = [k for k in range(len(kids)) if edges[k] in ("NK", "HD", "PNC") and kids[k] not in _ADPOSITIONS]
        nouns = [k for k in inner if kids[k] in _GERMAN_NOUNS]
        return (nouns or inner or [head])[-1]
    if head >= 0 and (kids[head].startswith(("VA", "VM")) or kids[head] in ("PTKZU", "IE")):
        verbal = [k for k in range(len(kids)) if edges[k] == "OC" and kids[k][:1] in ("V", "C")]
        return verbal[0] if verbal else head
    return head
