"""Dependency trees over words counted from 1; word 0 is the root.

Trees in the shapes of other libraries: nested trees of NLTK.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx
    import nltk
    import numpy as np
    from numpy.typing import NDArray


def nltk_tree(forms: Sequence[str], heads: Sequence[int]) -> nltk.Tree:
    """The tree as NLTK draws dependency trees: a word with children is a node over them."""
    import nltk

    kids: dict[int, list[int]] = {}
    for k, h in enumerate(heads, 1):
        kids.setdefault(max(h, 0), []).append(k)
    built: dict[int, Any] = {}
    order = [0]
    for k in order:
        order.extend(kids.get(k, ()))
    for k in reversed(order):
        form = forms[k - 1] if k else "ROOT"
        built[k] = nltk.Tree(form, [built[c] for c in kids[k]]) if k in kids else form
    top = kids.get(0, [])
    if len(top) != 1:
        return built[0] if isinstance(built[0], nltk.Tree) else nltk.Tree("ROOT", [])
    only = built[top[0]]
    return only if isinstance(only, nltk.Tree) else nltk.Tree(only, [])


def words_and_heads(tree: nltk.Tree) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Words and heads in depth-first order: NLTK's trees do not keep word order."""
    forms: list[str] = []
    heads: list[int] = []
    stack: list[tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, head = stack.pop()
        label = getattr(node, "label", None)
        forms.append(str(label() if label else node))
        heads.append(head)
        if label:
            here = len(forms)
            stack.extend((child, here) for child in reversed(list(node)))
    return tuple(forms), tuple(heads)


NO_HEAD = -1
"""Head of a word whose head is not known (left out of every score)."""


def cycles(heads: Sequence[int]) -> list[list[int]]:
    """The cycles among 1-based words with these heads, each from its lowest word on.

    >>> cycles([2, 1, 0])
    [[1, 2]]
    """
    mark = [0] * (len(heads) + 1)  # 0 not seen, -1 done, k on the path that began at k
    loops = []
    for start in range(1, len(heads) + 1):
        if mark[start]:
            continue
        path = []
        k = start
        while k > 0 and not mark[k]:
            mark[k] = start
            path.append(k)
            k = heads[k - 1]
        if k > 0 and mark[k] == start:
            cycle = path[path.index(k) :]
            low = cycle.index(min(cycle))
            loops.append(cycle[low:] + cycle[:low])
        for k in path:
            mark[k] = -1
    return loops


@dataclass(frozen=True)
class DepTree:
    """A dependency tree over words 1..n; word 0 is the root.

    `heads[k-1]` is the head of word k, `NO_HEAD` when it is not known. The other tuples are as long as `forms` or empty.

    >>> tree = DepTree(("Dogs", "bark"), (2, 0), ("nsubj", "root"), ("NOUN", "VERB"))
    >>> len(tree), tree.heads[0], tree.deprels[0]
    (2, 2, 'nsubj')
    """

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = field(default=(), compare=False)
    feats: tuple[str, ...] = field(default=(), compare=False)
    confidence: tuple[float, ...] = field(default=(), compare=False)
    """Probability of each head according to the parser that found it; empty: not known, as of trees that a person made."""

    @classmethod
    def from_words(cls, forms: Iterable[str], **columns: Any) -> DepTree:
        """Words whose heads are not known yet.

        >>> DepTree.from_words(["Hunde", "bellen"]).tree is None
        True
        """
        words = tuple(forms)
        return cls(words, (NO_HEAD,) * len(words), **columns)

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def tree(self) -> DepTree | None:
        """The tree itself; None if no head is known."""
        return self if any(head != NO_HEAD for head in self.heads) else None

    def to_conllu(self, sent_id: str = "", glosses: Sequence[str] = ()) -> str:
        """Return the tree as CoNLL-U with a blank line after it; glosses go to MISC.

        >>> print(DepTree(("bark",), (0,), ("root",), ("VERB",)).to_conllu(), end="")
        # text = bark
        1	bark	_	VERB	_	_	0	root	_	_
        <BLANKLINE>
        """
        lines = [f"# sent_id = {sent_id}"] if sent_id else []
        lines.append(f"# text = {' '.join(self.forms)}")
        for k, (form, head) in enumerate(zip(self.forms, self.heads, strict=True), 1):
            gloss = _at(glosses, k)
            cells = (
                str(k), form, _at(self.lemmas, k), _at(self.upos, k), _at(self.xpos, k), _at(self.feats, k),
                "_" if head == NO_HEAD else str(head), _at(self.deprels, k), "_", f"Gloss={gloss}" if gloss not in ("", "_") else "_",
            )  # fmt: skip
            lines.append("\t".join(" ".join(cell.split()) or "_" for cell in cells))
        return "\n".join(lines) + "\n\n"

    def _repr_svg_(self) -> str:
        from divproj.drawing.svg import tree_svg  # imported late: core needs drawing only in notebooks

        return tree_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()

    @cached_property
    def head_array(self) -> NDArray[np.intp]:
        """`heads` for the numeric core: shape (n+1,), the root at 0 with head -1."""
        import numpy as np  # most who make trees have no use for arrays

        return np.array((-1, *self.heads), dtype=np.intp)

    @property
    def edges(self) -> Iterator[tuple[int, int]]:
        """(dependent, head) of every edge between two words, without the edge to the root."""
        return ((k, h) for k, h in enumerate(self.heads, 1) if h > 0)

    @property
    def root(self) -> int | None:
        """The word whose head is 0."""
        return self.heads.index(0) + 1 if 0 in self.heads else None

    def children(self, word: int) -> tuple[int, ...]:
        """The dependents of this word.

        >>> DepTree(("Dogs", "bark"), (2, 0)).children(2)
        (1,)
        """
        return tuple(k for k, h in enumerate(self.heads, 1) if h == word)

    def tags(self, kind: str = "auto") -> tuple[str, ...]:
        """One tag per word: `upos`, `xpos`, or the first of the two that has values (`auto`).

        >>> DepTree(("a",), (0,), xpos=("DT",)).tags()
        ('DT',)
        """
        for name in ("upos", "xpos") if kind == "auto" else (kind,):
            tags: tuple[str, ...] = getattr(self, name)
            if kind != "auto" or any(tag != "_" for tag in tags):
                return tags or ("_",) * len(self)
        return ("_",) * len(self)

    def with_heads(self, heads: Iterable[int], deprels: Iterable[str] | None = None) -> DepTree:
        """The same words with other heads, and other relations where they are given."""
        return replace(self, heads=tuple(heads), deprels=self.deprels if deprels is None else tuple(deprels))

    def to_networkx(self) -> nx.DiGraph[int]:
        """A directed graph, edges from head to child, words with their attributes."""
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        for k, form in enumerate(self.forms, 1):
            graph.add_node(k, form=form, upos=_at(self.upos, k), xpos=_at(self.xpos, k))
        graph.add_edges_from((h, k, {"rel": _at(self.deprels, k)}) for k, h in self.edges)
        return graph

    def to_nltk(self) -> nltk.parse.DependencyGraph:
        """The tree as NLTK's dependency graph."""
        from nltk.parse import DependencyGraph

        lines = (
            f"{k}\t{form}\t_\t{_at(self.upos, k)}\t{_at(self.xpos, k)}\t_\t{max(head, 0)}\t{_at(self.deprels, k)}\t_\t_"
            for k, (form, head) in enumerate(zip(self.forms, self.heads, strict=True), 1)
        )
        return DependencyGraph("\n".join(lines), cell_separator="\t", top_relation_label="root")

    @classmethod
    def from_nltk(cls, graph: nltk.parse.DependencyGraph) -> DepTree:
        nodes = [graph.nodes[k] for k in sorted(graph.nodes) if k]
        return cls(
            tuple(str(node["word"]) for node in nodes),
            tuple(NO_HEAD if node["head"] is None else int(node["head"]) for node in nodes),
            tuple(str(node["rel"] or "_") for node in nodes),
            tuple(str(node["ctag"] or "_") for node in nodes),
            tuple(str(node["tag"] or "_") for node in nodes),
        )

    def to_nltk_tree(self) -> nltk.Tree:
        """The tree as NLTK draws dependency trees: a word with children is a node over them."""
        return nltk_tree(self.forms, self.heads)

    @classmethod
    def from_nltk_tree(cls, tree: nltk.Tree) -> DepTree:
        """A tree of words in depth-first order: NLTK's trees do not keep word order."""
        return cls(*words_and_heads(tree))


def _at(values: Sequence[str], k: int) -> str:
    return values[k - 1] if values else "_"
