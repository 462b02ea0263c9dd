"""Pairs as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from corpusfiles import pair, tree

from divproj import DepTree, FormatError, Links, Pair, alter
from divproj.core.pair import LabelCodes, PairBatch, SideArrays, in_batches


class TestBook:
    def test_codes(self):
        book = LabelCodes()
        assert book.encode(("_", "obj", "_", "nsubj", "obj")) == [0, book.code("obj"), 0, book.code("nsubj"), book.code("obj")]
        assert book.names[0] == "_"
        assert {book.names[code] for code in book.encode(("obj", "nsubj"))} == {"obj", "nsubj"}

    def test_labels_lose_their_subtype(self):
        book = LabelCodes()
        names = ("nsubj:pass", "nsubj", "obj", "dep", "_", "dep:x", "iobj:a")
        codes = dict(zip(names, book.encode(names), strict=True))
        labels = book.label_codes()
        of = {name: labels[code] for name, code in codes.items()}
        assert of["nsubj:pass"] == of["nsubj"]
        assert of["dep"] == of["_"] == of["dep:x"] == -1
        assert len({of["nsubj"], of["obj"], of["iobj:a"]}) == 3
        assert of["iobj:a"] == book.label_codes()[book.code("iobj")]


class TestSide:
    trees = (
        DepTree(("a", "b"), (2, 0), ("x", "y"), ("_", "_"), ("NN", "VB")),
        DepTree((), ()),
        DepTree(("c",), (0,), (), ("NOUN",), ("NN",)),
    )

    def test_laid_end_to_end(self):
        side = SideArrays.of(self.trees, LabelCodes())
        assert side.at.tolist() == [0, 3, 4, 6]
        assert side.heads.tolist() == [-1, 2, 0, -1, -1, 0]
        assert side.deprels[[0, 3, 4, 5]].tolist() == [0, 0, 0, 0]

    @pytest.mark.parametrize(
        ("kind", "names"), [("upos", "_____N"), ("xpos", "_NV__N"), ("auto", "_NV__N")], ids=["upos", "xpos", "auto"]
    )
    def test_tags(self, kind, names):
        book = LabelCodes()
        side = SideArrays.of(self.trees, book)
        assert "".join(book.names[code][0] for code in side.tags(kind)) == names


class TestPairBatch:
    pairs = (pair((0, 1), (0,), [(2, 1), (1, 1)], "a"), pair((0,), (0, 1), [], "b"), pair((0,), (0,), [(1, 1)], "c"))

    def test_of(self):
        batch = PairBatch.of(self.pairs, LabelCodes())
        assert len(batch) == 3
        assert batch.words == 8
        assert batch.link_at.tolist() == [0, 2, 2, 3]
        assert batch.ends.tolist() == [[1, 1], [2, 1], [1, 1]]
        assert batch.ends.dtype == np.int32
        assert [batch.pair(k).sent_id for k in range(3)] == ["a", "b", "c"]

    def test_without_links(self):
        assert PairBatch.of([self.pairs[1]], LabelCodes()).ends.shape == (0, 2)

    def test_batched(self):
        found = list(in_batches(iter(self.pairs), 2))
        assert [len(batch) for batch in found] == [2, 1]
        assert found[0].book is found[1].book
        assert list(in_batches([])) == []

    def test_default_size(self):
        one = pair(tree((0,)), tree((0,)), [])
        assert sum(len(batch) for batch in in_batches([one] * 1100)) == 1100


@pytest.mark.parametrize("heads", [(2, 1), (1,), (5, 0)])
def test_heads_that_make_no_tree_are_refused(heads):
    tree = DepTree(("a", "b")[: len(heads)], heads)
    with pytest.raises(FormatError, match="make no tree of"):
        alter(Pair(tree, tree, Links(frozenset(), (len(tree), len(tree)))))
