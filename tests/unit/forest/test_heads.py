"""Head rules and category classes."""

import pytest

from divproj.forest import heads
from divproj.forest.heads import CLASSES, category, class_codes, scheme_of
from divproj.io.trees.forests import forests_of


@pytest.mark.parametrize(
    ("label", "kids", "head", "semantic"),
    [
        ("NP", "DT NN", 1, 1),
        ("NP", "NP POS", 0, 0),
        ("NP", "NP CC NP", 0, 0),
        ("NP", "NP , NP CC NP", 0, 0),
        ("NP", "NNP CC NNP", 2, 2),
        ("NP", "NP PP", 0, 0),
        ("NP", "DT CD", 1, 1),
        ("NP", "DT JJ", 1, 1),
        ("NP-SBJ", "NP-1 SBAR", 0, 0),
        ("NP", ", DT", 1, 1),
        ("VP", "MD RB VP", 0, 2),
        ("VP", "TO VP", 0, 1),
        ("VP", "VBD NP PP", 0, 0),
        ("VP", "VBZ ADJP", 0, 0),
        ("VP", "VP CC VP", 0, 0),
        ("S", "NP VP .", 1, 1),
        ("SBAR", "IN S", 0, 1),
        ("SBAR", "WHNP S", 0, 1),
        ("SQ", "VBZ NP VP", 0, 2),
        ("PP", "IN NP", 0, 1),
        ("PP", "IN", 0, 0),
        ("WHPP", "IN WHNP", 0, 1),
        ("ADVP", "RB RB", 1, 1),
        ("QP", "IN CD NNS", 0, 0),
        ("XYZ", ", NN", 1, 1),
        ("X", ", .", 1, 1),
        ("UCP", "NP CC ADJP", 2, 2),
    ],
)
def test_penn(label: str, kids: str, head: int, semantic: int) -> None:
    assert heads.penn_head(label, kids.split()) == head
    assert heads.penn_semantic_head(label, kids.split()) == semantic


@pytest.mark.parametrize(
    ("label", "kids", "edges", "head", "semantic"),
    [
        ("NP", "ART ADJA NN", "NK NK NK", 2, 2),
        ("MPN", "NE NE", "PNC PNC", 1, 1),
        ("PP", "APPR ART NN", "AC NK NK", 2, 2),
        ("PP", "APPR NP", "HD NK", 0, 1),
        ("S", "NP VAFIN VP", "SB HD OC", 1, 2),
        ("S", "NP VAFIN AP", "SB HD PD", 1, 1),
        ("CNP", "NN KON NN", "CJ CD CJ", 0, 0),
        ("NP", "NP PP", "-- --", -1, -1),
    ],
)
def test_marked_edges(label: str, kids: str, edges: str, head: int, semantic: int) -> None:
    assert heads.edge_head(kids.split(), edges.split()) == head
    assert heads.edge_semantic_head(label, kids.split(), edges.split()) == semantic


@pytest.mark.parametrize(
    ("label", "scheme", "expected"),
    [
        ("NNS", "penn", "N"), ("PRP$", "penn", "N"), ("CC", "", "COORD"), ("WHADVP", "", "ADV"), ("-LRB-", "", "OTHER"),
        ("VX", "enju", "V"), ("COOD", "", "COORD"), ("DP", "", "OTHER"), ("PX", "", "PREP"),
        ("ADP", "ud", "PREP"), ("PROPN", "", "N"), ("CCONJ", "", "COORD"),
        ("VVFIN", "", "V"), ("CNP", "tiger", "N"), ("KON", "", "COORD"), ("$.", "tiger", "OTHER"),
        ("AB", "suc", "ADV"), ("PM", "suc", "N"), ("PR", "suc", "PREP"), ("?!", "", "OTHER"),
    ],
)  # fmt: skip
def test_classes(label: str, scheme: str, expected: str) -> None:
    assert category(label, scheme) == expected


def test_a_forest_is_of_one_scheme() -> None:
    (forest,) = forests_of("(S (NP (PM Anna)) (VBFIN ser) (PP (PR in) (NP (NN skogen))))")
    assert scheme_of(n.label for n in forest.nodes) == "suc"
    assert [CLASSES[k] for k in class_codes(forest)] == [category(n.label, "suc") for n in forest.nodes]
