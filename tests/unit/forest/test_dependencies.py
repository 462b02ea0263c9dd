"""Headed phrases of dependency trees, and charts of them."""

import numpy as np
import pytest

from divproj.core.errors import FormatError
from divproj.core.tree import NO_HEAD, DepTree
from divproj.forest import build, parses
from divproj.forest.dependencies import projective

GAVE = DepTree(
    ("The", "old", "man", "gave", "a", "book", "to", "Mary", "."),
    (3, 3, 4, 0, 6, 4, 8, 4, 4),
    ("det", "amod", "nsubj", "root", "det", "obj", "case", "obl", "punct"),
    ("DET", "ADJ", "NOUN", "VERB", "DET", "NOUN", "ADP", "PROPN", "PUNCT"),
)


def test_phrases_of_a_clause() -> None:
    forest = build.from_dependencies(GAVE).check()
    assert forest.is_tree
    text = " ".join(str(forest.to_nltk()).split())
    assert text == (
        "(S (S (NP (DET The) (ADJ old) (NOUN man)) (VP (VERB gave) (NP (DET a) (NOUN book)) (PP (ADP to) (PROPN Mary)))) (PUNCT .))"
    )
    assert forest.nodes[forest.root].head == 3


def test_clauses_are_coordinated_whole() -> None:
    tree = DepTree(
        ("He", "came", "and", "she", "left"), (2, 0, 5, 5, 2), ("nsubj", "root", "cc", "nsubj", "conj"),
        ("PRON", "VERB", "CCONJ", "PRON", "VERB"),
    )  # fmt: skip
    text = " ".join(str(build.from_dependencies(tree).to_nltk()).split())
    assert text == "(S (S (PRON He) (VERB came)) (S (CCONJ and) (S (PRON she) (VERB left))))"
    shared = DepTree(
        ("He", "came", "and", "left"), (2, 0, 4, 2), ("nsubj", "root", "cc", "conj"), ("PRON", "VERB", "CCONJ", "VERB")
    )
    text = " ".join(str(build.from_dependencies(shared).to_nltk()).split())
    assert text == "(S (PRON He) (VP (VERB came) (VP (CCONJ and) (VERB left))))"


def test_copulas_and_markers() -> None:
    tree = DepTree(("if", "it", "is", "red"), (4, 4, 4, 0), ("mark", "nsubj", "cop", "root"), ("SCONJ", "PRON", "AUX", "ADJ"))
    text = " ".join(str(build.from_dependencies(tree).to_nltk()).split())
    assert text == "(SBAR (SCONJ if) (S (PRON it) (VP (AUX is) (ADJ red))))"


def test_function_heads_have_content_semantic_heads() -> None:
    tree = DepTree(("in", "Rome"), (0, 1), ("root", "nobj"), ("ADP", "PROPN"))
    root = build.from_dependencies(tree).nodes[-1]
    assert (root.head, root.sem_head) == (0, 1)


def test_crossing_arcs_are_lifted() -> None:
    assert projective([3, 4, 0, 3]) == [3, 3, 0, 3]
    crossing = DepTree(("a", "b", "c", "d"), (3, 4, 0, 3))
    assert build.from_dependencies(crossing).check().is_tree


def test_words_without_heads_hang_on_the_root() -> None:
    forest = build.from_dependencies(DepTree(("a", "b", "c"), (NO_HEAD, 3, 0))).check()
    assert forest.is_tree
    assert build.from_dependencies(DepTree(("a", "b"), (NO_HEAD, NO_HEAD))).check().is_tree
    with pytest.raises(FormatError, match="the sentence has no words"):
        build.from_dependencies(DepTree((), ()))


@pytest.mark.parametrize("step", [1, -1])
def test_long_chains(step: int) -> None:
    heads = tuple(range(5000)) if step > 0 else (*range(2, 5001), 0)
    forest = build.from_dependencies(DepTree(("w",) * 5000, heads)).check()
    assert forest.is_tree


def test_an_arc_forest_prefers_the_heavier_arcs() -> None:
    scores = np.full((4, 4), -9.0)
    scores[0, 3] = scores[3, 2] = scores[2, 1] = 0.0
    forest = build.from_arc_scores(["A", "dog", "barks"], ["DET", "NOUN", "VERB"], scores, sent_id="s1").check()
    best = forest.tree(parses.viterbi(forest).edges)
    assert [(n.span, n.label, n.head) for n in best.nodes if n.end - n.start > 1] == [((0, 2), "NP", 1), ((0, 3), "VP", 2)]
    small = build.from_arc_scores(["A", "dog", "barks"], ["DET", "NOUN", "VERB"], scores, at_least=0.5)
    assert small.check().is_tree
    kept = build.from_arc_scores(["A", "dog", "barks"], ["DET", "NOUN", "VERB"], scores, keep=scores > -1)
    assert kept.check().is_tree
    one = build.from_arc_scores(["Go"], ["VERB"], np.zeros((2, 2)))
    assert (one.forms, one.root) == (("Go",), 0)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], r"no combination of the chart makes the whole sentence \(0, 2\)"),
        ([((0, 2, 2), (0, 1, 0), (1, 2, 1), 0.0)], r"chart item \(0, 2, 2\): start ≤ head < end ≤ 2 expected"),
        ([((0, 2, 0), (0, 1, 0), (0, 2, 1), 0.0)], r"\(0, 1, 0\) and \(0, 2, 1\) do not make \(0, 2, 0\); spans must meet"),
    ],
)
def test_charts_that_cannot_be(items: list[object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        build.from_headed_chart(["a", "b"], ["X", "X"], items)  # type: ignore[arg-type]


def test_a_chart_without_a_complete_tree() -> None:
    items = [((0, 3, 0), (0, 1, 0), (1, 3, 1), 0.0)]
    with pytest.raises(FormatError, match="the chart has no complete tree over its 3 words"):
        build.from_headed_chart(["a", "b", "c"], [], items)
    with pytest.raises(FormatError, match=r"arc scores of shape \(2, 2\) for 2 words, \(3, 3\) expected"):
        build.from_arc_scores(["a", "b"], [], np.zeros((2, 2)))


def test_roots_of_a_chart() -> None:
    items = [((0, 2, 0), (0, 1, 0), (1, 2, 1), 0.0), ((0, 2, 1), (0, 1, 0), (1, 2, 1), 0.0)]
    forest = build.from_headed_chart(["a", "b"], ["NN", "VB"], items, roots={0: -5.0, 1: 0.0})
    assert forest.nodes[forest.root].head == 1
    only = build.from_headed_chart(["a", "b"], ["NN", "VB"], items, roots={0: 0.0})
    assert only.nodes[only.root].head == 0
