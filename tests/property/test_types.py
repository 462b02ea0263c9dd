"""Trees and alignments against other libraries and against themselves."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st
from strategies import alignments, forests, pairs, trees

from divproj import DepTree
from divproj.core.links import Links
from divproj.core.sentence import Rows
from divproj.core.tree import cycles
from divproj.io.trees import pharaoh


@given(alignments())
def test_transposing_twice(alignment):
    assert alignment.transpose.transpose == alignment


@given(alignments())
def test_transposed_links(alignment):
    flipped = alignment.transpose
    assert flipped.links == {(j, i) for i, j in alignment.links}
    assert flipped.forward == alignment.backward
    assert (flipped.matrix == alignment.matrix.T).all()


@given(alignments())
def test_alignment_to_nltk_and_back(alignment):
    assert Links.from_nltk(alignment.to_nltk(), alignment.shape).links == alignment.links
    assert str(alignment.to_nltk()) == pharaoh.dumps(alignment).replace("?", "-")


@given(st.lists(alignments(), max_size=4))
def test_pharaoh_there_and_back(found):
    text = "".join(pharaoh.dumps(a) + "\n" for a in found)
    assert pharaoh.loads(text, [a.shape for a in found]) == found


@given(pairs())
def test_mirroring_twice(pair):
    assert pair.transpose.transpose == pair


@given(trees(min_size=1))
def test_tree_to_nltk_and_back(tree):
    back = DepTree.from_nltk(tree.to_nltk())
    assert (back.forms, back.heads) == (tree.forms, tree.heads)
    assert back.deprels == (tree.deprels or ("_",) * len(tree))
    assert back.tags("upos") == tree.tags("upos")
    assert back.tags("xpos") == tree.tags("xpos")


@given(trees(min_size=1))
def test_nltk_tree_and_back(tree):
    """Word order is lost, the shape is not."""
    back = DepTree.from_nltk_tree(tree.to_nltk_tree())
    assert back.to_nltk_tree() == tree.to_nltk_tree()
    named = {(tree.forms[k - 1], tree.forms[h - 1]) for k, h in tree.edges}
    assert {(back.forms[k - 1], back.forms[h - 1]) for k, h in back.edges} == named


@given(trees(min_size=1))
def test_networkx_tree(tree):
    graph = tree.to_networkx()
    assert nx.is_arborescence(graph)
    assert set(graph.edges) == {(h, k) for k, h in tree.edges}


@given(forests())
def test_networkx_forest(forest):
    graph = forest.to_networkx()
    assert len(graph) == len(forest)
    assert nx.is_directed_acyclic_graph(graph)


@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.integers(-1, n), min_size=n, max_size=n)))
def test_cycles_are_those_of_networkx(heads):
    graph = nx.DiGraph((k, h) for k, h in enumerate(heads, 1) if h > 0)
    expected = sorted(sorted(cycle) for cycle in nx.simple_cycles(graph))
    assert sorted(sorted(cycle) for cycle in cycles(heads)) == expected
    for cycle in cycles(heads):
        assert cycle[0] == min(cycle)
        assert [heads[k - 1] for k in cycle] == [*cycle[1:], cycle[0]]


@given(st.integers(1, 8).flatmap(lambda n: st.lists(st.integers(0, n + 1), min_size=n, max_size=n)))
def test_usable_trees_are_usable(heads):
    """Whatever the heads: what is left is acyclic, in range, has one root at most; a fault is told unless it is a tree."""
    rows = [(str(k), f"w{k}", "_", "_", "_", "_", str(h), "_", "_", "_") for k, h in enumerate(heads, 1)]
    tree, faults = Rows((), tuple(zip(*rows, strict=True))).usable_tree()
    assert cycles(tree.heads) == []
    assert tree.heads.count(0) <= 1
    assert all(-1 <= h <= len(heads) for h in tree.heads)
    fine = heads.count(0) == 1 and max(heads) <= len(heads) and not cycles(heads)
    assert fine == (not faults) == (tree.heads == tuple(heads))
