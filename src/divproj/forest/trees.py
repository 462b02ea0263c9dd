"""Constituency trees as they are read: any number of children, unary chains, discontinuities already mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from divproj.core.errors import FormatError, Where

if TYPE_CHECKING:
    import nltk

UNTAGGED = "_"
"""Label of a word that stands in a phrase without a tag of its own."""


@dataclass(frozen=True)
class Constituent:
    """A phrase over words [start, end); without children it is a pre-terminal over one word."""

    label: str
    start: int
    end: int
    children: tuple[int, ...] = ()
    head: int = -1
    """Word that is its head, -1: to be found by head rules."""
    sem_head: int = -1
    id: str = ""
    edge: str = ""
    """Label of the edge to the phrase above, in treebanks that have them (HD, NK …)."""


@dataclass(frozen=True)
class PhraseTree:
    """A tree over `forms`: constituents with children before parents, so the root stands last."""

    forms: tuple[str, ...]
    nodes: tuple[Constituent, ...]
    lemmas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sent_id: str = ""
    where: Where = field(default=Where(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What was changed on reading to make it a tree."""

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def root(self) -> int:
        return len(self.nodes) - 1

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of the phrase above each constituent, -1 for the root."""
        above = [-1] * len(self.nodes)
        for k, node in enumerate(self.nodes):
            for child in node.children:
                above[child] = k
        return tuple(above)

    def brackets(self) -> Iterator[tuple[str, int]]:
        """Opening ("(", node), word ("w", word) and closing (")", node) signs from left to right."""
        stack = [("(", self.root)]
        while stack:
            sign, k = stack.pop()
            yield sign, k
            if sign == "(":
                node = self.nodes[k]
                stack.append((")", k))
                if node.children:
                    stack += [("(", child) for child in reversed(node.children)]
                else:
                    stack.append(("w", node.start))

    def without(self, drop: Callable[[str, str], bool]) -> PhraseTree:
        """The tree without the words for which `drop(form, tag)` holds and the phrases that become empty.

        FormatError when no word is left.
        """
        tags = self.tags or ("",) * len(self)
        kept = [k for k, (form, tag) in enumerate(zip(self.forms, tags, strict=True)) if not drop(form, tag)]
        if len(kept) == len(self):
            return self
        if not kept:
            raise FormatError("no word is left in the tree", self.where)
        before = [0]  # words kept before each place
        wanted = set(kept)
        for k in range(len(self)):
            before.append(before[-1] + (k in wanted))
        place: dict[int, int] = {}
        nodes: list[Constituent] = []
        for k, node in enumerate(self.nodes):
            start, end = before[node.start], before[node.end]
            if start == end:
                continue
            place[k] = len(nodes)
            heads = [before[h] if h in wanted else -1 for h in (node.head, node.sem_head)]
            kids = tuple(place[c] for c in node.children if c in place)
            nodes.append(replace(node, start=start, end=end, children=kids, head=heads[0], sem_head=heads[1]))
        pick = [tuple(row[k] for k in kept) if row else () for row in (self.forms, self.lemmas, self.tags)]
        return replace(self, forms=pick[0], nodes=tuple(nodes), lemmas=pick[1], tags=pick[2])

    def to_nltk(self) -> nltk.Tree:
        import nltk

        built: list[Any] = []
        for node in self.nodes:
            kids = [built[c] for c in node.children] or [self.forms[node.start]]
            bare = node.label == UNTAGGED and not node.children
            built.append(self.forms[node.start] if bare else nltk.Tree(node.label, kids))
        return built[-1] if isinstance(built[-1], nltk.Tree) else nltk.Tree("", [built[-1]])

    @classmethod
    def from_nltk(cls, tree: nltk.Tree) -> PhraseTree:
        builder = TreeBuilder()
        stack: list[Any] = [tree]
        while stack:
            item = stack.pop()
            if item is None:
                builder.close()
            elif isinstance(item, str):
                builder.word(item)
            elif hasattr(item, "label"):
                builder.open(str(item.label()))
                stack.append(None)
                stack.extend(reversed(list(item)))
            else:
                raise FormatError(f"a leaf of the NLTK tree is {item!r}, a string was expected")
        return builder.tree()


class TreeBuilder:
    """Makes a PhraseTree from brackets in the order they are read; depth costs no recursion."""

    def __init__(self) -> None:
        self.forms: list[str] = []
        self.tags: list[str] = []
        self.nodes: list[Constituent] = []
        self.stack: list[tuple[str, int, list[int], list[int]]] = []  # label, first word, children, bare words

    @property
    def depth(self) -> int:
        return len(self.stack)

    def open(self, label: str) -> None:
        self.stack.append((label, len(self.forms), [], []))

    def word(self, form: str) -> None:
        """A word directly in the phrase that is open; it becomes a pre-terminal when it is not alone there."""
        k = len(self.forms)
        self.forms.append(form)
        self.tags.append(UNTAGGED)
        if self.stack:
            self.stack[-1][3].append(k)
            self.stack[-1][2].append(len(self.nodes))
        self.nodes.append(Constituent(UNTAGGED, k, k + 1))

    def close(self) -> None:
        """FormatError when the phrase is empty."""
        label, start, kids, bare = self.stack.pop()
        end = len(self.forms)
        if start == end:
            raise FormatError(f"the phrase ({label}) is empty")
        if len(kids) == 1 and bare:  # one word and nothing else: a pre-terminal
            self.nodes[-1] = Constituent(label, start, end)
            self.tags[start] = label
        else:
            self.nodes.append(Constituent(label, start, end, tuple(kids)))
        if self.stack:
            self.stack[-1][2].append(len(self.nodes) - 1)

    def tree(self, sent_id: str = "", where: Where | None = None) -> PhraseTree:
        """The tree that was closed last; FormatError when there is none or it is still open."""
        if self.stack or not self.nodes:
            raise FormatError("the tree is not complete" if self.stack else "there is no tree")
        return PhraseTree(tuple(self.forms), tuple(self.nodes), (), tuple(self.tags), sent_id, where or Where())
