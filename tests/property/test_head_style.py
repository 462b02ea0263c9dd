"""Turning function words into heads and back loses nothing, for any tree."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, trees

from divproj import DepTree
from divproj.core.tree import cycles
from divproj.ud.head_style import KINDS, content_heads, function_heads

RELS = [
    "case",
    "mark",
    "aux",
    "aux:pass",
    "cop",
    "det",
    "nsubj",
    "nsubj:outer",
    "punct",
    "conj",
    "cc",
    "obl",
    "advmod",
    "fixed",
    "goeswith",
    "expl",
]
ANY = st.one_of(trees(max_size=12), forests())
KIND_SETS = st.sampled_from([KINDS, ("case",), ("case", "det"), ("mark", "aux", "cop", "case", "det")])


@st.composite
def labelled(draw, shapes=ANY):
    tree = draw(shapes)
    rels = draw(st.lists(st.sampled_from(RELS), min_size=len(tree), max_size=len(tree)))
    return replace(tree, deprels=tuple(rels))


@st.composite
def projective(draw):
    """A tree without crossing edges: each stretch has a head, the rest is cut into its dependents' stretches."""
    n = draw(st.integers(1, 12))
    heads = [0] * (n + 1)

    def grow(first, last, head):
        if first > last:
            return
        cut = draw(st.integers(first, last)) if last > first and draw(st.booleans()) else last
        top = draw(st.integers(first, cut))
        heads[top] = head
        grow(first, top - 1, top)
        grow(top + 1, cut, top)
        grow(cut + 1, last, head)

    top = draw(st.integers(1, n))
    grow(1, top - 1, top)
    grow(top + 1, n, top)
    return DepTree(tuple(f"w{k}" for k in range(1, n + 1)), tuple(heads[1:]))


def crossing(tree):
    edges = [(min(k, h), max(k, h)) for k, h in tree.edges] + [(0, k) for k, h in enumerate(tree.heads, 1) if h == 0]
    return any(a < c < b < d for a, b in edges for c, d in edges)


@given(labelled(), KIND_SETS)
def test_there_and_back(tree, kinds):
    turned = function_heads(tree, kinds)
    assert content_heads(turned) == tree
    assert not cycles(turned.heads)
    assert sorted(h for h in turned.heads if h <= 0) == sorted(h for h in tree.heads if h <= 0)


@given(labelled(projective()), KIND_SETS)
def test_projective_stays_projective(tree, kinds):
    assert not crossing(tree)
    assert not crossing(function_heads(tree, kinds))


@given(labelled())
def test_no_function_word_is_left_below(tree):
    """A function word without function words of its own governs a `comp:` of its relation."""
    turned = function_heads(tree)
    of = {turned.heads[k - 1]: rel for k, rel in enumerate(turned.deprels, 1) if rel.startswith("comp:")}
    for k, head in enumerate(tree.heads, 1):
        rel = tree.deprels[k - 1]
        alone = all(tree.deprels[c - 1].partition(":")[0] not in KINDS for c in tree.children(k))
        if rel.partition(":")[0] in KINDS and head > 0 and alone:
            assert of[k] == f"comp:{rel}"


@given(labelled(), st.data())
def test_any_relations_give_a_tree_back(tree, data):
    marks = st.sampled_from(["comp:case", "comp:aux", "own:det", "up:fixed", "obj"])
    rels = data.draw(st.lists(marks, min_size=len(tree), max_size=len(tree)))
    back = content_heads(replace(tree, deprels=tuple(rels)))
    assert not cycles(back.heads)
    assert sorted(h for h in back.heads if h <= 0) == sorted(h for h in tree.heads if h <= 0)
    assert not any(rel.startswith(("comp:", "own:", "up:")) for rel in back.deprels)
