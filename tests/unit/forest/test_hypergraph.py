"""Forests as values: what is refused and why, views for other libraries."""

from dataclasses import replace

import numpy as np
import pytest

from divproj.core.errors import FormatError, Where
from divproj.forest import build, parses
from divproj.forest.hypergraph import Edge, Forest, Node
from divproj.io.trees import brackets

TEXT = "(S (NP (DT The) (JJ old) (NN dog)) (VP (VBD barked) (ADVP (RB loudly))) (. .))"


def forest(text: str = TEXT, **options: str) -> Forest:
    return build.from_tree(brackets.loads(text)[0].trees[0], **options).check()


def test_arrays_are_sorted_by_parent() -> None:
    one = forest(binarise="all")
    a = one.arrays
    assert np.all(np.diff(a.edge_parent) >= 0)
    assert a.edge_first[-1] == len(one.edges)
    for k, node in enumerate(one.nodes):
        assert set(a.edge_parent[a.edge_first[k] : a.edge_first[k + 1]]) <= {k}
        assert a.is_leaf[k] == (node.end - node.start == 1)
        assert a.virtual[k] == node.virtual
    assert [one.edges[k].weight for k in a.edge_order] == list(a.edge_weight)
    assert a.head.dtype == np.int32
    assert a.edge_weight.dtype == np.float64


def test_unary_chains_are_one_node_with_all_labels() -> None:
    one = forest("(ROOT (S (NP (PRP I)) (VP (VBP run))))")
    assert [(node.label, node.chain) for node in one.nodes] == [
        ("PRP", ("NP", "PRP")),
        ("VBP", ("VP", "VBP")),
        ("S", ("ROOT", "S")),
    ]


def test_nltk_and_back() -> None:
    one = forest()
    assert str(one.to_nltk()).split() == TEXT.replace("(", " (").split()
    assert Forest.from_nltk(one.to_nltk()) == replace(one, sent_id="")
    import nltk

    with pytest.raises(FormatError, match="a leaf of the NLTK tree is 3, a string was expected"):
        Forest.from_nltk(nltk.Tree("S", [3]))


def test_the_best_tree_of_a_forest_is_shown() -> None:
    trees = [brackets.loads(t)[0].trees[0] for t in ("(S (A a) (X (B b) (C c)))", "(S (X (A a) (B b)) (C c))")]
    assert build.from_n_best(trees, [-3.0, -1.0]).to_nltk() == trees[1].to_nltk()


def test_networkx_has_phrases_and_edges() -> None:
    one = forest()
    graph = one.to_networkx()
    assert graph.number_of_nodes() == len(one.nodes) + len(one.edges)
    assert graph.number_of_edges() == 3 * len(one.edges)
    assert graph.nodes[one.root]["label"] == "S"


def test_one_word() -> None:
    one = forest("(NP (NN Dogs))")
    assert one.is_tree
    assert one.root == 0
    assert parses.count_trees(one) == 1
    assert parses.viterbi(one).edges == ()
    assert [p.edges for p in parses.k_best(one, 3)] == [()]
    assert [p.edges for p in parses.sample(one, 2, 0)] == [(), ()]


LEAVES = (Node(0, 1, "A"), Node(1, 2, "B"))
GOOD = Forest(("a", "b"), (*LEAVES, Node(0, 2, "S")), (Edge(2, 0, 1),), 2)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (replace(GOOD, forms=()), "the sentence has no words"),
        (replace(GOOD, tags=("A",)), "1 tags for 2 words, as many expected"),
        (replace(GOOD, root=5), "the root is node 5, but there are 3 nodes"),
        (replace(GOOD, root=0), r"the root spans \[0, 1\), the whole sentence \[0, 2\) expected"),
        (replace(GOOD, nodes=(*LEAVES, Node(0, 3, "S"))), r"node 2 spans \[0, 3\), a part of \[0, 2\) expected"),
        (
            replace(GOOD, nodes=(Node(0, 1, "A", 1), *GOOD.nodes[1:])),
            r"the head of node 0 is word 1, outside its span \[0, 1\)",
        ),
        (replace(GOOD, nodes=(Node(0, 1, "A", 0, 1), *GOOD.nodes[1:])), "the semantic head of node 0 is word 1"),
        (replace(GOOD, edges=(Edge(2, 0, 2),)), "edge 0 is 2 -> 0 2, children before their parent expected"),
        (replace(GOOD, edges=(Edge(2, 1, 0),)), r"edge 0 joins \[1, 2\) and \[0, 1\), which do not make \[0, 2\)"),
        (replace(GOOD, edges=(Edge(2, 0, 1, float("nan")),)), "the weight of edge 0 is nan, a logarithm expected"),
        (replace(GOOD, edges=(Edge(2, 0, 1), Edge(2, 0, 1))), r"edge 1 \(2 -> 0 1\) stands twice"),
        (replace(GOOD, edges=()), "node 2 spans 2 words and has no edge"),
    ],
)
def test_what_is_no_forest(bad: Forest, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        bad.check()


def test_a_word_without_leaf() -> None:
    bad = Forest(("a", "b", "c"), (Node(0, 1, "A"), Node(1, 3, "B"), Node(0, 3, "S")), (Edge(2, 0, 1),), 2)
    with pytest.raises(FormatError, match="node 1 spans 2 words and has no edge"):
        bad.check()
    twice = Forest(("a",), (), (), 0)
    with pytest.raises(FormatError, match="the root is node 0, but there are 0 nodes"):
        twice.check()


def test_the_place_is_said() -> None:
    with pytest.raises(FormatError, match=r"x.json:4 \(sent_id s1\): the sentence has no words"):
        replace(GOOD, forms=(), sent_id="s1", where=Where("x.json", 4)).check()


def test_restricted_and_tree() -> None:
    both = build.from_tree(brackets.loads("(S (A a) (B b) (C c))")[0].trees[0], binarise="all")
    for parse in parses.k_best(both, 5):
        one = both.tree(parse.edges).check()
        assert one.is_tree
        assert parses.contains(both, one)
    assert not parses.contains(both, GOOD)
    assert not parses.contains(both, replace(one, nodes=tuple(replace(n, label="Z") for n in one.nodes)))
