"""Aligned phrases as tree pairs: what `proj analyze`, `proj learn` and `proj project` take, from paraphrases too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from divproj.data.errors import Where
from divproj.data.links import Links
from divproj.data.pair import Pair
from divproj.data.sentence import Sentence
from divproj.data.tree import DepTree
from divproj.forest.hypergraph import Forest
from divproj.io import conllu, pharaoh
from divproj.io.files import writing
from divproj.phrases.results import PhraseAlignment


def dependencies(forest: Forest, nodes: Iterable[int]) -> DepTree:
    """The dependency tree of the phrase tree that these nodes make: a phrase hangs on the head of the one around it.

    A phrase that does not know its head has that of its last part.
    """
    chosen = set(nodes)
    heads = [0] * len(forest.forms)
    known: dict[int, int] = {}
    for k in sorted(chosen):  # children before parents
        node = forest.nodes[k]
        parts = next(
            ((e.left, e.right) for i in forest.edges_of[k] for e in [forest.edges[i]] if {e.left, e.right} <= chosen), ()
        )
        ends = [known[part] for part in parts]
        known[k] = node.head if node.head >= 0 and (not ends or node.head in ends) else ends[-1] if ends else node.start
        for end in ends:
            if end != known[k]:
                heads[end] = known[k] + 1
    tags = forest.tags or tuple(_tag(forest, word, chosen) for word in range(len(forest.forms)))
    return DepTree(forest.forms, tuple(heads), ("_",) * len(heads), xpos=tags)


def _tag(forest: Forest, word: int, chosen: set[int]) -> str:
    return next((forest.nodes[k].label for k in sorted(chosen) if forest.nodes[k].span == (word, word + 1)), "_")


def tree_pair(found: PhraseAlignment) -> Pair:
    """The two trees that the alignment chose, source as F and target as E, linked where words are paired.

    A word paired with a phrase is linked to the phrase's head.
    """
    links = set()
    for pair in found.pairs:
        if 1 in (pair.src[1] - pair.src[0], pair.tgt[1] - pair.tgt[0]):
            ends = (found.src.nodes[pair.src_node], found.tgt.nodes[pair.tgt_node])
            i, j = (node.sem_head if node.sem_head >= 0 else node.end - 1 for node in ends)
            links.add((i + 1, j + 1))
    f, e = dependencies(found.src, found.src_tree), dependencies(found.tgt, found.tgt_tree)
    return Pair(f, e, Links(frozenset(links), (len(f), len(e))), found.sent_id)


def write_corpus(pairs: Iterable[Pair], folder: Path) -> int:
    """A corpus folder (f.conllu, e.conllu, align.txt) of tree pairs; how many there were."""
    made = list(pairs)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("f", "e"):
        with writing(folder / f"{name}.conllu") as out:
            conllu.dump((_sentence(getattr(pair, name), pair.sent_id or str(k)) for k, pair in enumerate(made, 1)), out)
    with writing(folder / "align.txt") as out:
        pharaoh.dump((pair.links for pair in made), out)
    return len(made)


def _sentence(tree: DepTree, sent_id: str) -> Sentence:
    n = len(tree)
    blank = ("_",) * n
    columns = (
        tuple(str(k) for k in range(1, n + 1)), tree.forms, blank, tree.upos or blank, tree.xpos or blank, blank,
        tuple(map(str, tree.heads)), tuple("root" if not h else r if r != "_" else "dep" for h, r in zip(tree.heads, tree.rels or blank, strict=True)),
        blank, blank,
    )  # fmt: skip
    return Sentence((f"# sent_id = {sent_id}", f"# text = {' '.join(tree.forms)}"), columns, Where(sent_id=sent_id))
