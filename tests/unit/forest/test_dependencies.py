"""Headed phrases of dependency trees, and charts of them."""

from dataclasses import replace

import numpy as np
import pytest

from divproj.core.errors import FormatError
from divproj.core.tree import NO_HEAD, DepTree
from divproj.forest import build, parses
from divproj.forest.dependencies import phrase_forest, phrase_tree, projective
from divproj.forest.hypergraph import Arc
from divproj.io.trees import forest as forest_json
from divproj.io.trees.forests import ForestOptions, forests_of

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


HAS_GIVEN = DepTree(
    ("The", "man", "has", "given", "Mary", "a", "book", "about", "cats", "and", "dogs", "."),
    (2, 4, 4, 0, 4, 7, 4, 9, 7, 11, 9, 4),
    ("det", "nsubj", "aux", "root", "iobj", "det", "obj", "case", "nmod", "cc", "conj", "punct"),
    ("DET", "NOUN", "AUX", "VERB", "PROPN", "DET", "NOUN", "ADP", "NOUN", "CCONJ", "NOUN", "PUNCT"),
)


def constituents(tree: DepTree) -> str:
    return " ".join(str(build.from_tree(phrase_tree(tree)).to_nltk()).split())


def test_constituents_are_the_layers_of_a_head() -> None:
    assert constituents(HAS_GIVEN) == (
        "(S (NP (DET The) (NOUN man)) (VP (AUX has) (VP (VERB given) (PROPN Mary) (NP (NP (DET a) (NOUN book)) "
        "(PP (ADP about) (NP (NOUN cats) (CCONJ and) (NOUN dogs)))))) (PUNCT .))"
    )


def test_parts_of_a_layer_are_virtual() -> None:
    forest = build.from_tree(phrase_tree(HAS_GIVEN), binarise="all").check()
    virtual = {forest.text(k) for k, node in enumerate(forest.nodes) if node.virtual}
    real = {forest.text(k) for k, node in enumerate(forest.nodes) if not node.virtual}
    assert {"given Mary", "The man has given Mary a book about cats and dogs", "cats and"} <= virtual
    assert {"has given Mary a book about cats and dogs", "cats and dogs", "a book"} <= real
    assert not virtual & real


@pytest.mark.parametrize(
    ("tree", "brackets"),
    [
        (
            DepTree(("if", "it", "is", "very", "red"), (5, 5, 5, 5, 0), ("mark", "nsubj", "cop", "advmod", "root"),
                ("SCONJ", "PRON", "AUX", "ADV", "ADJ")),
            "(SBAR (SCONJ if) (S (PRON it) (VP (AUX is) (ADJP (ADV very) (ADJ red)))))",
        ),
        (
            DepTree(("He", "came", ",", "and", "she", "left"), (2, 0, 6, 6, 6, 2),
                ("nsubj", "root", "punct", "cc", "nsubj", "conj"), ("PRON", "VERB", "PUNCT", "CCONJ", "PRON", "VERB")),
            "(S (S (PRON He) (VERB came)) (PUNCT ,) (CCONJ and) (S (PRON she) (VERB left)))",
        ),
        (
            DepTree(("He", "never", "came", "and", "left"), (3, 3, 0, 5, 3), ("nsubj", "advmod", "root", "cc", "conj"),
                ("PRON", "ADV", "VERB", "CCONJ", "VERB")),
            "(S (PRON He) (ADV never) (VP (VERB came) (CCONJ and) (VERB left)))",
        ),
        (
            DepTree(("New", "York", "(", "state", ")"), (2, 0, 4, 2, 4), ("compound", "root", "punct", "appos", "punct"),
                ("PROPN", "PROPN", "PUNCT", "NOUN", "PUNCT")),
            "(NP (NP (PROPN New) (PROPN York)) (PUNCT () (NOUN state) (PUNCT )))",
        ),
    ],
)  # fmt: skip
def test_kinds_of_constituents(tree: DepTree, brackets: str) -> None:
    assert constituents(tree) == brackets


def test_long_chains_of_constituents() -> None:
    tree = phrase_tree(DepTree(("w",) * 5000, tuple(range(5000))))
    assert len(tree.nodes) == 9999


def packed() -> build.Forest:
    """*saw stars with telescopes* with both attachments, three to one."""
    scores = np.full((5, 5), -np.inf)
    scores[0, 1] = scores[1, 2] = scores[4, 3] = 0.0
    scores[1, 4], scores[2, 4] = np.log(0.75), np.log(0.25)
    forest = build.from_arc_scores(["saw", "stars", "with", "telescopes"], ["VERB", "NOUN", "ADP", "NOUN"], scores)
    arcs = (Arc(0, 1, "root"), Arc(1, 2, "obj"), Arc(1, 4, "obl", 0.75), Arc(2, 4, "nmod", 0.25), Arc(4, 3, "case"))
    return replace(forest, arcs=arcs)


def test_a_packed_forest_has_the_constituents_of_its_parses() -> None:
    forest = phrase_forest(packed()).check()
    shares = parses.marginals(forest).node
    real = {(forest.text(k), x.label): round(float(shares[k]), 2) for k, x in enumerate(forest.nodes) if not x.virtual}
    assert real["stars with telescopes", "NP"] == 0.25
    assert real["with telescopes", "PP"] == 1.0
    assert parses.count_trees(forest) == 2
    assert {forest.text(k) for k, x in enumerate(forest.nodes) if x.virtual} == {"saw stars"}


def test_forests_keep_their_dependencies_and_align_reads_constituents() -> None:
    text = forest_json.dumps(packed())
    assert forest_json.loads(text) == [packed()]
    assert forests_of(text) == [packed()]
    [read] = forests_of(text, options=ForestOptions(constituents=True))
    assert any(node.virtual for node in read.nodes)
    plain = "".join(f"{k}\t{f}\t{f}\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for k, f, t, h, r in zip(
        range(1, 13), HAS_GIVEN.forms, HAS_GIVEN.upos, HAS_GIVEN.heads, HAS_GIVEN.deprels, strict=True))  # fmt: skip
    [tree] = forests_of(plain + "\n", options=ForestOptions("all", constituents=True))
    assert tree == replace(
        build.from_tree(phrase_tree(HAS_GIVEN, lemmas=HAS_GIVEN.forms), binarise="all"), sent_id=tree.sent_id
    )


@pytest.mark.parametrize(
    ("arc", "message"),
    [
        ('[0, 9, "root", 1.0]', "an arc from word 0 to word 9, words 1 to 4 and the root 0 expected"),
        ("[0, 1, 2, 1.0]", "the relation of an arc is 2, a string expected"),
        ('[0, 1, "root", 7]', "the probability of an arc is 7, a number from 0 to 1 expected"),
    ],
)
def test_arcs_that_cannot_be(arc: str, message: str) -> None:
    text = forest_json.dumps(packed())
    broken = text[: text.index('"arcs"')] + f'"arcs": [{arc}]}}\n'
    with pytest.raises(FormatError, match=message):
        forest_json.loads(broken)
