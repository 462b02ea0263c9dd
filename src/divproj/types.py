"""Sentences, trees, alignments and pairs: frozen values without input or output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from divproj import views
from divproj.errors import AlignmentError, FormatError, Where

if TYPE_CHECKING:
    import networkx as nx
    import nltk

NO_HEAD = -1
"""Head of a word whose head is not known (left out of every score)."""

Columns = tuple[tuple[str, ...], ...]
PROJECTED = "# projection = "
"""What the comment begins with that projection leaves."""


def is_gold(comment: str) -> bool:
    """Whether a comment says that somebody has looked at the tree and found it right."""
    name, _, value = comment[1:].partition("=")
    return name.strip() == "gold" and value.strip() == "yes"


@dataclass(frozen=True)
class Sentence:
    """A CoNLL-U sentence as read: comment lines, ten columns, and where it stood."""

    comments: tuple[str, ...]
    columns: Columns
    where: Where = field(default=Where(), compare=False)
    end: str = field(default="\n\n", compare=False)
    """Line ends after the last row, as they stood in the file."""

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """All rows, multiword and empty ones too, ten fields each."""
        return tuple(zip(*self.columns, strict=True))

    @cached_property
    def word_rows(self) -> tuple[int, ...]:
        """Indices of the rows that are words: those with an integer id."""
        return tuple(k for k, row_id in enumerate(self.columns[0]) if row_id.isdecimal())

    def column(self, k: int) -> tuple[str, ...]:
        """Column `k` (0 = ID … 9 = MISC) of the words alone."""
        values = self.columns[k]
        if len(self.word_rows) == len(values):
            return values
        return tuple(values[r] for r in self.word_rows)

    def with_columns(self, new: dict[int, tuple[str, ...]]) -> Sentence:
        """The sentence with other values in some columns of its words; multiword and empty rows stay."""
        columns = list(self.columns)
        for k, values in new.items():
            if len(self.word_rows) == len(columns[k]):
                columns[k] = values
            else:
                made = list(columns[k])
                for row, value in zip(self.word_rows, values, strict=True):
                    made[row] = value
                columns[k] = tuple(made)
        return replace(self, columns=tuple(columns))

    @property
    def unchecked(self) -> bool:
        """Whether its tree was projected and nobody has marked it gold: nothing to learn from.

        >>> made = "# projection = s5 coverage=1.00 links=2"
        >>> [Sentence(comments, ((),) * 10).unchecked for comments in ((), (made,), (made, "# gold = yes"))]
        [False, True, False]
        """
        return any(c.startswith(PROJECTED) for c in self.comments) and not any(map(is_gold, self.comments))

    @property
    def forms(self) -> tuple[str, ...]:
        return self.column(1)

    @property
    def glosses(self) -> tuple[str, ...]:
        """`Gloss=` of each word ('' where it has none); empty when no word has one."""
        misc = self.column(9)
        if not any("Gloss=" in cell for cell in misc):
            return ()
        found = tuple(misc_value(cell, "Gloss") for cell in misc)
        return found if any(found) else ()

    def comment(self, key: str) -> str | None:
        """Value of the first comment `# key = value`; None when there is none."""
        for line in self.comments:
            name, eq, value = line[1:].partition("=")
            if eq and name.strip() == key:
                return value.strip()
        return None

    @property
    def sent_id(self) -> str:
        return self.where.sent_id or self.comment("sent_id") or ""

    @cached_property
    def tree(self) -> DepTree:
        """The dependency tree; FormatError when the heads do not make one."""
        tree, faults = self.usable_tree()
        if faults:
            raise faults[0]
        return tree

    def usable_tree(self) -> tuple[DepTree, list[FormatError]]:
        """The tree without the heads that cannot be right, and why each was left out.

        A word whose HEAD is missing, out of range, itself, on a cycle or a second root gets `NO_HEAD`.
        """
        texts = self.column(6)
        n = len(texts)
        faults: list[FormatError] = []

        def leave_out(k: int, what: str) -> None:
            row = self.word_rows[k - 1]
            line = self.where.line + len(self.comments) + row if self.where.line else 0
            where = replace(self.where, line=line, sent_id=self.sent_id)
            faults.append(FormatError(what, where))

        digits = "".join(texts)
        if digits.isdecimal() and digits.isascii() and all(0 < len(text) < 19 for text in texts):
            heads = list(map(int, texts))
        else:
            heads = []
            for k, text in enumerate(texts, 1):
                if text.isdecimal() and text.isascii() and len(text) < 19:
                    heads.append(int(text))
                else:
                    heads.append(NO_HEAD)
                    leave_out(k, f"HEAD of word {k} is '{text}', a number from 0 to {n} expected")
        roots = 0
        for k, head in enumerate(heads, 1):
            if head == k:
                leave_out(k, f"word {k} is its own head")
            elif head > n:
                leave_out(k, f"HEAD is {head} but the sentence has {n} words")
            elif head == 0:
                roots += 1
                if roots == 1:
                    continue
                leave_out(k, f"word {k} is a second root, one root expected")
            else:
                continue
            heads[k - 1] = NO_HEAD
        for cycle in cycles(heads):
            shown = " → ".join(map(str, (*cycle[:12], *(["…"] if len(cycle) > 12 else []), cycle[0])))
            for k in cycle:
                heads[k - 1] = NO_HEAD
            leave_out(cycle[0], f"heads make a cycle {shown}, a tree expected")
        if not roots and n and not faults:
            leave_out(1, "no word has HEAD 0, one root expected")
        return (
            DepTree(self.forms, tuple(heads), self.column(7), self.column(3), self.column(4), self.glosses),
            faults,
        )


def misc_value(misc: str, key: str) -> str:
    """
    >>> misc_value("Gloss=dog|SpaceAfter=No", "Gloss")
    'dog'
    """
    for item in misc.split("|"):
        name, eq, value = item.partition("=")
        if eq and name == key:
            return value
    return ""


def confidence_of(misc: str) -> str:
    """What MISC says of how sure a head is, be it projected or parsed.

    >>> confidence_of("Gloss=dog|ParseConf=0.81")
    '0.81'
    """
    return misc_value(misc, "ProjConf") or misc_value(misc, "ParseConf")


def cycles(heads: Sequence[int]) -> list[list[int]]:
    """The cycles among 1-based words with these heads, each from its lowest word on.

    >>> cycles([2, 1, 0])
    [[1, 2]]
    """
    mark = [0] * (len(heads) + 1)  # 0 not seen, -1 done, k on the path that began at k
    found = []
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
            found.append(cycle[low:] + cycle[:low])
        for k in path:
            mark[k] = -1
    return found


@dataclass(frozen=True)
class DepTree:
    """A dependency tree over words 1..n; word 0 is the root.

    `heads[k-1]` is the head of word k, `NO_HEAD` when it is not known. The other tuples are as long as `forms` or empty.
    """

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    rels: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    glosses: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.forms)

    @cached_property
    def head_array(self) -> NDArray[np.intp]:
        """`heads` for the numeric core: shape (n+1,), the root at 0 with head -1."""
        return np.array((-1, *self.heads), dtype=np.intp)

    @property
    def edges(self) -> Iterator[tuple[int, int]]:
        """(child, head) of every edge between two words; the root edge is not one."""
        return ((k, h) for k, h in enumerate(self.heads, 1) if h > 0)

    @property
    def root(self) -> int | None:
        """The word whose head is 0."""
        return self.heads.index(0) + 1 if 0 in self.heads else None

    def children(self, word: int) -> tuple[int, ...]:
        return tuple(k for k, h in enumerate(self.heads, 1) if h == word)

    def tags(self, kind: str = "auto") -> tuple[str, ...]:
        """One tag a word: `upos`, `xpos`, or the first of the two that is filled (`auto`).

        >>> DepTree(("a",), (0,), xpos=("DT",)).tags()
        ('DT',)
        """
        for name in ("upos", "xpos") if kind == "auto" else (kind,):
            tags: tuple[str, ...] = getattr(self, name)
            if kind != "auto" or any(tag != "_" for tag in tags):
                return tags or ("_",) * len(self)
        return ("_",) * len(self)

    def with_heads(self, heads: Iterable[int], rels: Iterable[str] | None = None) -> DepTree:
        return replace(self, heads=tuple(heads), rels=self.rels if rels is None else tuple(rels))

    def to_networkx(self) -> nx.DiGraph[int]:
        """A directed graph, edges from head to child, words with their attributes."""
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        for k, form in enumerate(self.forms, 1):
            graph.add_node(k, form=form, upos=_at(self.upos, k), xpos=_at(self.xpos, k))
        graph.add_edges_from((h, k, {"rel": _at(self.rels, k)}) for k, h in self.edges)
        return graph

    def to_nltk(self) -> nltk.parse.DependencyGraph:
        from nltk.parse import DependencyGraph

        lines = (
            f"{k}\t{form}\t_\t{_at(self.upos, k)}\t{_at(self.xpos, k)}\t_\t{max(head, 0)}\t{_at(self.rels, k)}\t_\t_"
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
        return views.nested(self.forms, self.heads)

    @classmethod
    def from_nltk_tree(cls, tree: nltk.Tree) -> DepTree:
        """A tree of words in depth-first order: NLTK's trees do not keep word order."""
        return cls(*views.unnested(tree))


def _at(values: tuple[str, ...], k: int) -> str:
    return values[k - 1] if values else "_"


@dataclass(frozen=True)
class Alignment:
    """Word links (i, j), both counted from 1, between a sentence of `shape[0]` words and one of `shape[1]`.

    `possible` marks links that an annotator was not sure of; they are links too.
    """

    links: frozenset[tuple[int, int]]
    shape: tuple[int, int]
    possible: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self) -> None:
        n, m = self.shape
        for i, j in self.links:
            if not (0 < i <= n and 0 < j <= m):
                raise AlignmentError(f"link {i}-{j} (counted from 1) is out of range: the sentences have {n} and {m} words")

    def __len__(self) -> int:
        return len(self.links)

    @property
    def sure(self) -> frozenset[tuple[int, int]]:
        return self.links - self.possible

    @cached_property
    def matrix(self) -> NDArray[np.bool_]:
        """Shape (n+1, m+1); row and column 0 are empty."""
        dense = np.zeros((self.shape[0] + 1, self.shape[1] + 1), dtype=bool)
        if self.links:
            dense[tuple(np.array(sorted(self.links)).T)] = True
        return dense

    @cached_property
    def forward(self) -> tuple[tuple[int, ...], ...]:
        """R_{F→E} (eq. 8): for each word 0..n its images in order."""
        images: list[list[int]] = [[] for _ in range(self.shape[0] + 1)]
        for i, j in sorted(self.links):
            images[i].append(j)
        return tuple(map(tuple, images))

    @cached_property
    def backward(self) -> tuple[tuple[int, ...], ...]:
        """R_{E→F} (eq. 9)."""
        return self.transposed.forward

    @cached_property
    def transposed(self) -> Alignment:
        """The same links seen from the other side.

        >>> Alignment(frozenset({(1, 2)}), (1, 2)).transposed.links
        frozenset({(2, 1)})
        """
        flip = frozenset((j, i) for i, j in self.links)
        return Alignment(flip, (self.shape[1], self.shape[0]), frozenset((j, i) for i, j in self.possible))

    def to_nltk(self) -> nltk.translate.Alignment:
        from nltk.translate import Alignment as NltkAlignment

        return NltkAlignment((i - 1, j - 1) for i, j in self.links)

    @classmethod
    def from_nltk(cls, links: nltk.translate.Alignment, shape: tuple[int, int]) -> Alignment:
        return cls(frozenset((i + 1, j + 1) for i, j, *_ in links if j is not None), shape)


@dataclass(frozen=True)
class TreePair:
    """An aligned tree pair (F, E, A): the poor language, the rich one, and links (f, e)."""

    f: DepTree
    e: DepTree
    alignment: Alignment
    sent_id: str = ""

    @property
    def mirrored(self) -> TreePair:
        """The pair with the roles of F and E exchanged."""
        return TreePair(self.e, self.f, self.alignment.transposed, self.sent_id)

    def _repr_svg_(self) -> str:
        from divproj.draw.svg import pair_svg  # the one arrow that bends: a notebook shows the picture

        return pair_svg(self)

    def _repr_html_(self) -> str:
        return self._repr_svg_()
