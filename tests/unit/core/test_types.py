"""Sentences, trees, alignments and pairs as values, and as what other libraries call so."""

from __future__ import annotations

import dataclasses

import networkx as nx
import nltk
import numpy as np
import pytest
from nltk.parse import DependencyGraph
from nltk.translate import Alignment as NltkAlignment

from divproj import AlignmentError, DepTree, FormatError, Links, Pair, Where
from divproj.core.sentence import Rows
from divproj.core.tree import NO_HEAD, cycles
from divproj.io.trees import conllu

CAT = DepTree(
    ("the", "cat", "sleeps"), (2, 3, 0), ("det", "nsubj", "root"), ("DET", "NOUN", "VERB"), ("DT", "NN", "VBZ")
)  # fmt: skip


def sentence(*heads: object, comments: tuple[str, ...] = (), where: Where | None = None) -> Rows:
    rows = [(str(k), f"w{k}", "_", "X", "Y", "_", str(head), "rel", "_", "_") for k, head in enumerate(heads, 1)]
    return Rows(comments, tuple(zip(*rows, strict=True)), where or Where())


class TestSentence:
    text = (
        "# sent_id = s1\n# text = no-no\n# text = again\n#odd\n# = nameless\n# key=a=b\n"
        "1-2\tno-no\t_\t_\t_\t_\t_\t_\t_\t_\n1\tno\t_\tINTJ\tUH\t_\t0\troot\t_\t_\n"
        "1.1\tunsaid\t_\t_\t_\t_\t_\t_\t_\t_\n2\tno\t_\tINTJ\t_\t_\t1\tconj\t_\t_\n\n"
    )
    read = conllu.loads(text)[0]

    def test_rows_and_words(self):
        assert [row[0] for row in self.read.lines] == ["1-2", "1", "1.1", "2"]
        assert self.read.lines[3] == ("2", "no", "_", "INTJ", "_", "_", "1", "conj", "_", "_")
        assert self.read.word_rows == (1, 3)
        assert self.read.forms == ("no", "no")
        assert self.read.column(3) == ("INTJ", "INTJ")

    def test_column_without_other_rows_is_the_column(self):
        one = sentence(0)
        assert one.column(1) is one.columns[1]

    def test_comments(self):
        assert self.read.comment("text") == "no-no", "the first of two"
        assert self.read.comment("key") == "a=b"
        assert self.read.comment("odd") is None
        assert self.read.comment("none") is None

    def test_sent_id(self):
        assert self.read.sent_id == "s1"
        assert sentence(0).sent_id == ""
        assert sentence(0, comments=("#sent_id=x",)).sent_id == "x"
        assert sentence(0, comments=("# sent_id = x",), where=Where(sent_id="y")).sent_id == "y"

    def test_where_and_end_are_not_compared(self):
        assert sentence(0) == dataclasses.replace(sentence(0, where=Where("p", 3)), end="\n")
        assert sentence(0) != sentence(0, comments=("# x",))

    def test_tree(self):
        assert self.read.tree == DepTree(("no", "no"), (0, 1), ("root", "conj"), ("INTJ", "INTJ"), ("UH", "_"))

    @pytest.mark.parametrize(
        ("misc", "glosses"),
        [
            (("_", "_"), ()),
            (("Gloss=dog|SpaceAfter=No", "SpaceAfter=No|Gloss=bark-3SG"), ("dog", "bark-3SG")),
            (("_", "Gloss=a=b"), ("", "a=b")),
            (("Gloss=one|Gloss=two", "_"), ("one", "")),
            (("LGloss=perro", "_"), ()),
        ],
    )
    def test_glosses(self, misc, glosses):
        rows = [(str(k), "w", "_", "_", "_", "_", str(k - 1), "_", "_", cell) for k, cell in enumerate(misc, 1)]
        made = Rows((), tuple(zip(*rows, strict=True)))
        assert made.glosses == glosses

    def test_sentence_without_words(self):
        empty_node = conllu.loads("0.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n")[0]
        assert empty_node.tree == DepTree((), ())


@pytest.mark.parametrize(
    ("heads", "usable", "line", "what"),
    [
        (("0", "_", "1"), (0, NO_HEAD, 1), 12, "HEAD of word 2 is '_', a number from 0 to 3 expected"),
        (("0", "one"), (0, NO_HEAD), 12, "HEAD of word 2 is 'one', a number from 0 to 2 expected"),
        (("0", "-1"), (0, NO_HEAD), 12, "HEAD of word 2 is '-1', a number from 0 to 2 expected"),
        (("0", "1.5"), (0, NO_HEAD), 12, "HEAD of word 2 is '1.5', a number from 0 to 2 expected"),
        (("0", "٣"), (0, NO_HEAD), 12, "HEAD of word 2 is '٣', a number from 0 to 2 expected"),
        (("0", "²"), (0, NO_HEAD), 12, "HEAD of word 2 is '²', a number from 0 to 2 expected"),
        (("2", "0", "9"), (2, 0, NO_HEAD), 13, "HEAD is 9 but the sentence has 3 words"),
        (("2", "0", "3"), (2, 0, NO_HEAD), 13, "word 3 is its own head"),
        (("0", "1", "0"), (0, 1, NO_HEAD), 13, "word 3 is a second root, one root expected"),
        (("0", "3", "2"), (0, NO_HEAD, NO_HEAD), 12, "heads make a cycle 2 → 3 → 2, a tree expected"),
        (("3", "1", "2"), (NO_HEAD,) * 3, 11, "heads make a cycle 1 → 3 → 2 → 1, a tree expected"),
        (("2", "0", "4", "3", "3"), (2, 0, -1, -1, 3), 13, "heads make a cycle 3 → 4 → 3, a tree expected"),
    ],
)
def test_heads_that_make_no_tree(heads, usable, line, what):
    bad = sentence(*heads, comments=("# sent_id = s17",), where=Where("hi.conllu", 10, "s17"))
    tree, faults = bad.usable_tree()
    assert tree.heads == usable
    assert [str(fault) for fault in faults] == [f"hi.conllu:{line} (sent_id s17): {what}"]
    with pytest.raises(FormatError) as caught:
        _ = bad.tree
    assert str(caught.value) == str(faults[0])


def test_no_root():
    """All heads are words, none is 0: that is a cycle too, and said once."""
    _, faults = sentence(2, 1).usable_tree()
    assert [fault.message for fault in faults] == ["heads make a cycle 1 → 2 → 1, a tree expected"]


def test_head_with_thousands_of_digits():
    """Python refuses to make a number of more than 4,300 digits."""
    tree, faults = sentence("0", "9" * 5000).usable_tree()
    assert tree.heads == (0, NO_HEAD)
    assert len(faults) == 1


def test_several_faults_in_one_sentence():
    tree, faults = sentence("0", "x", "3", "0", "99", "7", "6").usable_tree()
    assert tree.heads == (0, *[NO_HEAD] * 6)
    assert [fault.message.split()[0] for fault in faults] == ["HEAD", "word", "word", "HEAD", "heads"]


def test_fault_of_a_text_has_no_line():
    _, faults = sentence("5").usable_tree()
    assert str(faults[0]) == "<text>: HEAD is 5 but the sentence has 1 words"


def test_faults_count_rows_not_words():
    text = "# c\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n2\tb\t_\t_\t_\t_\t2\t_\t_\t_\n\n"
    _, faults = conllu.loads(text)[0].usable_tree()
    assert str(faults[0]) == "<text>:4: word 2 is its own head"


def test_a_long_cycle_is_shortened():
    n = 30
    _, faults = sentence(*[k % n + 1 for k in range(1, n + 1)]).usable_tree()
    shown = " → ".join(map(str, range(1, 13)))
    assert faults[0].message == f"heads make a cycle {shown} → … → 1, a tree expected"


@pytest.mark.parametrize(
    ("heads", "found"),
    [
        ([], []),
        ([0, 1, 2], []),
        ([2, 1, 0], [[1, 2]]),
        ([1], [[1]]),
        ([NO_HEAD, 1], []),
        ([3, 1, 2, 5, 4, 1, 0], [[1, 3, 2], [4, 5]]),
        ([2, 3, 4, 3], [[3, 4]]),
    ],
)
def test_cycles(heads, found):
    assert cycles(heads) == found


class TestDepTree:
    def test_is_a_value(self):
        assert hash(CAT) == hash(dataclasses.replace(CAT))
        with pytest.raises(dataclasses.FrozenInstanceError):
            CAT.heads = ()  # type: ignore[misc]

    def test_parts(self):
        assert len(CAT) == 3
        assert list(CAT.edges) == [(1, 2), (2, 3)]
        assert CAT.root == 3
        assert CAT.children(2) == (1,)
        assert CAT.children(0) == (3,)
        assert CAT.head_array.tolist() == [-1, 2, 3, 0]
        assert CAT.head_array.dtype == np.intp

    def test_without_root_or_words(self):
        assert DepTree(("a",), (NO_HEAD,)).root is None
        assert list(DepTree(("a", "b"), (NO_HEAD, 0)).edges) == []
        assert len(DepTree((), ())) == 0

    @pytest.mark.parametrize(
        ("upos", "xpos", "kind", "tags"),
        [
            (("DET", "_"), ("DT", "NN"), "auto", ("DET", "_")),
            (("_", "_"), ("DT", "NN"), "auto", ("DT", "NN")),
            (("_", "_"), ("_", "_"), "auto", ("_", "_")),
            ((), (), "auto", ("_", "_")),
            (("DET", "NOUN"), ("DT", "NN"), "xpos", ("DT", "NN")),
            (("_", "_"), ("DT", "NN"), "upos", ("_", "_")),
            ((), ("DT", "NN"), "upos", ("_", "_")),
        ],
    )
    def test_tags(self, upos, xpos, kind, tags):
        assert DepTree(("a", "b"), (2, 0), (), upos, xpos).tags(kind) == tags

    def test_with_heads(self):
        new = CAT.with_heads([0, 1, 1])
        assert new == dataclasses.replace(CAT, heads=(0, 1, 1))
        assert CAT.with_heads(iter((0, 1, 1)), iter("abc")).deprels == ("a", "b", "c")
        assert CAT.heads == (2, 3, 0)


class TestNetworkx:
    def test_to_networkx(self):
        graph = CAT.to_networkx()
        assert nx.is_arborescence(graph)
        assert dict(graph.nodes[2]) == {"form": "cat", "upos": "NOUN", "xpos": "NN"}
        assert sorted(graph.edges(data="rel")) == [(2, 1, "det"), (3, 2, "nsubj")]

    def test_bare_tree_and_unknown_heads(self):
        graph = DepTree(("a", "b"), (NO_HEAD, 1)).to_networkx()
        assert dict(graph.nodes[1]) == {"form": "a", "upos": "_", "xpos": "_"}
        assert list(graph.edges(data="rel")) == [(1, 2, "_")]
        assert len(DepTree((), ()).to_networkx()) == 0


class TestNltk:
    def test_there_and_back(self):
        graph = CAT.to_nltk()
        assert graph.root["word"] == "sleeps"
        assert list(graph.triples()) == [
            (("sleeps", "VERB"), "nsubj", ("cat", "NOUN")),
            (("cat", "NOUN"), "det", ("the", "DET")),
        ]
        assert DepTree.from_nltk(graph) == CAT

    def test_bare_tree(self):
        bare = DepTree(("a", "b"), (2, 0))
        back = DepTree.from_nltk(bare.to_nltk())
        assert (back.forms, back.heads) == (bare.forms, bare.heads)
        assert set(back.deprels + back.upos + back.xpos) == {"_"}

    @pytest.mark.parametrize("form", ["New York", "a\u2028b", "\u00a0", "x\u0085", "-LRB-", "١", '"'])
    def test_odd_forms(self, form):
        tree = DepTree((form, "b"), (2, 0), ("nsubj", "root"))
        assert DepTree.from_nltk(tree.to_nltk()).forms == (form, "b")

    def test_from_a_graph_of_nltk(self):
        graph = DependencyGraph("the DT 2 det\ncat NN 3 nsubj\nsleeps VBZ 0 ROOT")
        tree = DepTree.from_nltk(graph)
        assert (tree.forms, tree.heads, tree.deprels) == (CAT.forms, CAT.heads, ("det", "nsubj", "ROOT"))
        assert tree.tags() == CAT.xpos

    def test_graph_with_a_headless_node(self):
        graph = DependencyGraph()
        graph.add_node({"address": 1, "word": "a", "head": None, "rel": None, "ctag": None, "tag": None})
        assert DepTree.from_nltk(graph) == DepTree(("a",), (NO_HEAD,), ("_",), ("_",), ("_",))

    def test_empty_tree(self):
        assert DepTree.from_nltk(DepTree((), ()).to_nltk()) == DepTree((), ())

    def test_tree_there_and_back(self):
        drawn = CAT.to_nltk_tree()
        assert drawn == nltk.Tree("sleeps", [nltk.Tree("cat", ["the"])])
        assert DepTree.from_nltk_tree(drawn) == DepTree(("sleeps", "cat", "the"), (0, 1, 2))
        assert drawn == CAT.to_nltk().tree(), "as NLTK's own graph gives it"

    def test_tree_of_one_word_and_of_none(self):
        assert DepTree(("a",), (0,)).to_nltk_tree() == nltk.Tree("a", [])
        assert DepTree((), ()).to_nltk_tree() == nltk.Tree("ROOT", [])
        assert DepTree.from_nltk_tree(nltk.Tree("a", [])) == DepTree(("a",), (0,))

    def test_tree_with_several_roots(self):
        drawn = DepTree(("a", "b", "c"), (0, NO_HEAD, 2)).to_nltk_tree()
        assert drawn == nltk.Tree("ROOT", ["a", nltk.Tree("b", ["c"])])

    def test_tree_keeps_the_order_of_children(self):
        drawn = nltk.Tree("x", ["a", nltk.Tree("y", ["b", "c"]), "d"])
        tree = DepTree.from_nltk_tree(drawn)
        assert tree.forms == ("x", "a", "y", "b", "c", "d")
        assert tree.to_nltk_tree() == drawn

    def test_deep_trees_need_no_recursion(self):
        n = 5000
        chain = DepTree(tuple(map(str, range(n))), tuple(range(n)))
        assert DepTree.from_nltk_tree(chain.to_nltk_tree()) == chain


class TestAlignment:
    a = Links(frozenset({(1, 1), (2, 3), (2, 1)}), (2, 3), frozenset({(2, 1)}))

    def test_parts(self):
        assert len(self.a) == 3
        assert self.a.sure == {(1, 1), (2, 3)}
        assert self.a.forward == ((), (1,), (1, 3))
        assert self.a.backward == ((), (1, 2), (), (2,))
        assert self.a.transpose == Links(frozenset({(1, 1), (3, 2), (1, 2)}), (3, 2), frozenset({(1, 2)}))

    def test_matrix(self):
        assert self.a.matrix.shape == (3, 4)
        assert {tuple(link) for link in np.argwhere(self.a.matrix).tolist()} == self.a.links
        assert not Links(frozenset(), (1, 2)).matrix.any()

    @pytest.mark.parametrize("link", [(0, 1), (1, 0), (3, 1), (1, 4), (-1, 1)])
    def test_out_of_range(self, link):
        with pytest.raises(AlignmentError) as caught:
            Links(frozenset({link}), (2, 3))
        told = f"link {link[0]}-{link[1]} (counted from 1) is out of range: the sentences have 2 and 3 words"
        assert str(caught.value) == told

    def test_nltk_there_and_back(self):
        assert self.a.to_nltk() == NltkAlignment.fromstring("0-0 1-2 1-0")
        assert Links.from_nltk(self.a.to_nltk(), (2, 3)).links == self.a.links

    def test_nltk_null_links(self):
        assert Links.from_nltk(NltkAlignment([(0, None), (1, 0)]), (2, 1)).links == {(2, 1)}

    def test_nltk_links_with_more_than_two_parts(self):
        """NLTK's links may carry further values, such as sure or possible."""
        assert Links.from_nltk(NltkAlignment([(0, 0, "S"), (1, 0, "P")]), (2, 1)).links == {(1, 1), (2, 1)}

    def test_nltk_out_of_range(self):
        with pytest.raises(AlignmentError, match=r"link 3-1 .* out of range"):
            Links.from_nltk(NltkAlignment([(2, 0)]), (2, 1))


def test_a_notebook_shows_a_pair_as_a_picture():
    pytest.importorskip("divproj.drawing.svg")
    shown = Pair(CAT, CAT, Links(frozenset({(1, 1)}), (3, 3)))._repr_html_()
    assert "<svg" in shown
    assert "sleeps" in shown


def test_pair_mirrored():
    other = DepTree(("a", "b"), (0, 1))
    pair = Pair(CAT, other, Links(frozenset({(3, 1)}), (3, 2)), "s1")
    assert pair.transpose == Pair(other, CAT, Links(frozenset({(1, 3)}), (2, 3)), "s1")
    assert pair.transpose.transpose == pair
