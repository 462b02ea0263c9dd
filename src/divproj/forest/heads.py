"""Head rules: which child is the lexical head of a phrase, and which the semantic one.

Lexical heads of Penn phrases after Magerman and Collins (1999, appendix A). Semantic heads skip auxiliaries, modals, infinitive
markers, prepositions and complementisers: the head lies in what they introduce (Arase & Tsujii 2017, section 5.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from divproj.forest.categories import bare_label


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
