"""Trees and n-best lists to forests."""

from math import exp, log

import pytest

from divproj.core.errors import FormatError, ProjError
from divproj.forest import build, parses
from divproj.forest.trees import PhraseTree
from divproj.io.trees import brackets


def tree(text: str) -> PhraseTree:
    return brackets.loads(text)[0].trees[0]


FLAT = "(NP (DT the) (JJ big) (NN dog) (PP (IN of) (NN war)))"


def spans(text: str, binarise: str) -> set[tuple[int, int]]:
    return {node.span for node in build.from_tree(tree(text), binarise=binarise).nodes if node.virtual}


def test_head_outward_takes_left_sisters_first() -> None:
    assert spans(FLAT, "head") == {(1, 3), (0, 3)}
    assert spans(FLAT, "left") == {(0, 2), (0, 3)}
    assert spans(FLAT, "right") == {(2, 5), (1, 5)}
    assert spans(FLAT, "all") == {(0, 2), (0, 3), (1, 3), (1, 5), (2, 5)}


def test_virtual_nodes_have_category_and_head_of_the_phrase() -> None:
    for binarise in ("head", "all"):
        made = build.from_tree(tree(FLAT), binarise=binarise)
        for node in made.nodes:
            if node.virtual:
                assert node.label == "NP"
                if node.start <= 2 < node.end:
                    assert made.forms[node.head] == "dog"
    pair = next(node for node in made.nodes if node.span == (0, 2))
    assert pair.head == 1


def test_semantic_heads_skip_function_words() -> None:
    made = build.from_tree(tree("(S (NP (NN Tim)) (VP (MD will) (VP (VB go) (PP (TO to) (NP (NNP Rome))))))"))
    heads = {
        node.chain[0]: (made.forms[node.head], made.forms[node.sem_head]) for node in made.nodes if node.end - node.start > 1
    }
    assert heads["PP"] == ("to", "Rome")
    assert heads["S"] == ("will", "go")


def test_shares_of_an_n_best_list() -> None:
    one, two = tree("(S (A a) (X (B b) (C c)))"), tree("(S (X (A a) (B b)) (C c))")
    forest = build.from_n_best([one, two, one], [log(1), log(3), log(2)])
    rho = parses.marginals(forest)
    share = {node.span: rho.node[k] for k, node in enumerate(forest.nodes)}
    assert share[1, 3] == pytest.approx(0.5)
    assert share[0, 2] == pytest.approx(0.5)
    assert parses.count_trees(forest) == 2
    assert sum(exp(p.weight) for p in parses.k_best(forest, 9)) == pytest.approx(1)


def test_shared_subtrees_stand_once() -> None:
    one = tree("(S (NP (DT a) (NN b)) (VP (V c) (NP (D d) (N e))))")
    two = tree("(S (X (NP (DT a) (NN b)) (V c)) (NP (D d) (N e)))")
    forest = build.from_n_best([one, two])
    assert [node.span for node in forest.nodes].count((0, 2)) == 1
    assert [node.span for node in forest.nodes].count((3, 5)) == 1
    assert len(forest.nodes) == 5 + 2 + 2 + 1


def test_packing_nodes_mixes_and_packing_trees_does_not() -> None:
    left = "(X (A a) (Y (B b) (C c)))", "(X (Y (A a) (B b)) (C c))"
    right = "(Z (D d) (W (E e) (F f)))", "(Z (W (D d) (E e)) (F f))"
    trees = [tree(f"(S {left[0]} {right[0]})"), tree(f"(S {left[1]} {right[1]})")]
    assert parses.count_trees(build.from_n_best(trees)) == 4
    assert parses.count_trees(build.from_n_best(trees, pack="trees")) == 2


def test_roots_of_different_labels_are_one_node() -> None:
    trees = [tree("(ROOT (S (A a) (B b)))"), tree("(ROOT (FRAG (A a) (B b)))")]
    forest = build.from_n_best(trees, [-5.0, -1.0]).check()
    assert forest.nodes[forest.root].chain == ("ROOT", "FRAG")
    assert parses.count_trees(forest) == 1


def test_a_tree_with_next_to_no_weight_stays() -> None:
    trees = [tree("(S (A a) (X (B b) (C c)))"), tree("(S (X (A a) (B b)) (C c))")]
    forest = build.from_n_best(trees, [0.0, -5000.0]).check()
    assert parses.contains(forest, build.from_tree(trees[1]))
    assert parses.marginals(forest).log_sum == pytest.approx(0)


def test_different_tags_make_different_leaves() -> None:
    forest = build.from_n_best([tree("(S (NN a) (VB b))"), tree("(S (JJ a) (VB b))")], [0, -1]).check()
    assert [(node.span, node.label) for node in forest.nodes if node.start == 0][:2] == [((0, 1), "NN"), ((0, 1), "JJ")]
    assert forest.tags == ("NN", "VB")


@pytest.mark.parametrize(
    ("texts", "scores", "message"),
    [
        ([], [], "an n-best list without trees"),
        (["(S (A a))", "(S (A b))"], [], "word 1 of tree 2 is 'b', but 'a' in the first tree of the list"),
        (["(S (A a))", "(S (A a) (B b))"], [], "tree 2 has 2 words, but the first tree of the list has 1"),
        (["(S (A a))"], [1.0, 2.0], "2 scores for 1 trees, as many expected"),
        (["(S (A a))"], [float("nan")], "maximum nan, logarithms expected"),
        (["(S (A a))"], [float("-inf")], "maximum -inf, logarithms expected"),
    ],
)
def test_lists_that_cannot_be(texts: list[str], scores: list[float], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        build.from_n_best([tree(text) for text in texts], scores)


def test_unknown_ways() -> None:
    with pytest.raises(ProjError, match="binarise='up', pack='nodes': head, left, right, all and nodes or trees expected"):
        build.from_n_best([tree("(S (A a))")], binarise="up")
    with pytest.raises(ProjError, match="binarise='all' makes new trees, pack='nodes' expected with it"):
        build.from_n_best([tree("(S (A a))")], binarise="all", pack="trees")
    with pytest.raises(ProjError, match="binarise='up', one of head, left, right, all expected"):
        build.from_tree(tree("(S (A a) (B b) (C c))"), binarise="up")


@pytest.mark.parametrize("depth", [1000, 10_000])
def test_deep_trees(depth: int) -> None:
    """No recursion anywhere: right-branching, and a chain over one word."""
    words = "".join(f"(X (N w{k}) " for k in range(depth)) + "(N last)" + ")" * depth
    made = build.from_tree(tree(words)).check()
    assert len(made.forms) == depth + 1
    assert parses.count_trees(made) == 1
    assert len(parses.viterbi(made).edges) == depth
    assert len(list(parses.k_best(made, 2))) == 1
    assert parses.marginals(made).node.min() == 1
    chain = build.from_tree(tree("(X " * depth + "(N w)" + ")" * depth))
    assert len(chain.nodes) == 1
    assert len(chain.nodes[0].labels) == depth + 1
    made.to_nltk()


def test_without() -> None:
    one = tree("(S (NP (NN a)) (X (, ,) (. .)))")
    assert one.without(lambda form, tag: tag in ",.").to_nltk().pformat() == "(S (NP (NN a)))"
    with pytest.raises(FormatError, match="no word is left in the tree"):
        one.without(lambda form, tag: True)


def test_pruned_and_normalised() -> None:
    trees = [tree("(S (A a) (X (B b) (C c)))"), tree("(S (X (A a) (B b)) (C c))")]
    forest = build.from_n_best(trees, [0.0, -4.0])
    small = parses.prune(forest, 0.1).check()
    assert small.is_tree
    assert parses.contains(small, build.from_tree(trees[0]))
    assert parses.prune(forest) == forest


def test_sampling_is_by_weight_and_seeded() -> None:
    trees = [tree("(S (A a) (X (B b) (C c)))"), tree("(S (X (A a) (B b)) (C c))")]
    forest = build.from_n_best(trees, [log(0.8), log(0.2)])
    drawn = parses.sample(forest, 2000, 3)
    assert drawn == parses.sample(forest, 2000, 3)
    best = parses.viterbi(forest)
    assert sum(set(p.edges) == set(best.edges) for p in drawn) == pytest.approx(1600, abs=80)


def test_compiled_kernels_agree() -> None:
    forest = build.from_tree(tree(FLAT), binarise="all")
    assert parses.inside(forest, fast=True) == pytest.approx(parses.inside(forest))
    assert parses.outside(forest, fast=True) == pytest.approx(parses.outside(forest))
    assert parses.marginals(forest, fast=True).edge == pytest.approx(parses.marginals(forest).edge)
    assert parses.viterbi(forest, fast=True) == parses.viterbi(forest)
    assert parses.sample(forest, 20, 1, fast=True) == parses.sample(forest, 20, 1)


def test_nothing_to_draw() -> None:
    from dataclasses import replace

    forest = build.from_tree(tree("(S (A a) (B b))"))
    dead = replace(forest, edges=tuple(replace(e, weight=float("-inf")) for e in forest.edges))
    with pytest.raises(ProjError, match="every tree of the forest has weight 0, none can be drawn"):
        parses.sample(dead, 1, 0)
    assert parses.marginals(dead).node.sum() == 0
