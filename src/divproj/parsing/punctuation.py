"""Where punctuation hangs in a tree of words: read off a treebank, as a table of a few choices.

The mark's neighbours on both sides are climbed as far as their heads stay on the same side; at the top of each climb is the highest
word that the mark can hang on without crossing an edge. Which of the two it takes, or the top of what a pair of marks encloses,
depends on the mark and on which top governs the other. A graph-based parser sees none of this; the treebank tells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from divproj.data.tree import DepTree

LEFT, RIGHT, INSIDE = "left", "right", "inside"
REL = "punct"
CLOSING = {")": "(", "]": "[", "}": "{", '"': '"', "'": "'", "»": "«", "''": "``", "”": "“", "’": "‘", "“": "„"}
OPENING = frozenset(CLOSING.values())


@dataclass(frozen=True)
class Place:
    """A mark in a tree: what it is called, and the words it may hang on."""

    key: tuple[str, str]
    options: dict[str, int]


@dataclass
class Punctuation:
    """The usual choice of each mark in each constellation."""

    choices: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def learn(cls, trees: Iterable[DepTree]) -> Punctuation:
        """Count the choices of gold trees; a constellation of any mark is kept under the mark ''."""
        seen: dict[tuple[str, str], Counter[str]] = {}
        for tree in trees:
            for word, place in _places(tree.forms, tree.heads, tree.rels):
                for option, head in place.options.items():
                    if head == tree.heads[word - 1]:
                        for key in (place.key, ("", place.key[1])):
                            seen.setdefault(key, Counter())[option] += 1
        return cls({key: _most(counts) for key, counts in sorted(seen.items()) if counts.total() > 1})

    def attached(self, tree: DepTree) -> DepTree:
        """The tree with its punctuation where it usually hangs; marks that govern something stay."""
        if not self.choices:
            return tree
        heads = list(tree.heads)
        for word, place in _places(tree.forms, tree.heads, tree.rels):
            choice = self.choices.get(place.key) or self.choices.get(("", place.key[1]), "")
            if choice in place.options:
                heads[word - 1] = place.options[choice]
        return tree.with_heads(heads)


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda option: (-counts[option], option))


def _places(forms: Sequence[str], heads: Sequence[int], rels: Sequence[str]) -> Iterable[tuple[int, Place]]:
    n = len(forms)
    governs = set(heads)
    mark = [False, *(rel == REL and k not in governs for k, rel in enumerate(rels, 1)), False]
    if not any(mark) or all(mark[1:-1]):
        return
    partners = _partners(forms, mark)
    for word in (k for k in range(1, n + 1) if mark[k]):
        left = _climb(heads, _next(mark, word, -1), word, n)
        right = _climb(heads, _next(mark, word, 1), word, n)
        options = {LEFT: left[-1]} if left else {}
        if right:
            options[RIGHT] = right[-1]
        partner = partners.get(word, 0)
        inside = (
            [k for k in (left if partner < word else right) if min(word, partner) < k < max(word, partner)] if partner else []
        )
        if inside:
            options[INSIDE] = inside[-1]
        shape = "first" if not left else "last" if not right else _between(heads, left, right)
        paired = "" if not inside else "closing" if partner < word else "opening"
        yield word, Place((forms[word - 1], f"{shape} {paired}"), options)


def _next(mark: Sequence[bool], word: int, step: int) -> int:
    """The nearest word that is no mark; 0 for none."""
    k = word + step
    while 0 < k < len(mark) - 1 and mark[k]:
        k += step
    return k if 0 < k < len(mark) - 1 else 0


def _climb(heads: Sequence[int], start: int, word: int, n: int) -> list[int]:
    """From a neighbour of a mark up, as long as heads are on the same side of it."""
    path: list[int] = []
    k = start
    while k > 0 and len(path) <= n:
        path.append(k)
        k = heads[k - 1]
        if (k > word) != (start > word):
            break
    return path


def _between(heads: Sequence[int], left: list[int], right: list[int]) -> str:
    """Which top hangs on the other side: the left one, the right one, or neither."""
    if heads[left[-1] - 1] in right:
        return "left under top" if heads[left[-1] - 1] == right[-1] else "left under"
    if heads[right[-1] - 1] in left:
        return "right under top" if heads[right[-1] - 1] == left[-1] else "right under"
    return "apart"


def _partners(forms: Sequence[str], mark: Sequence[bool]) -> dict[int, int]:
    """Brackets and quotation marks that belong together, both ways."""
    found: dict[int, int] = {}
    open_: list[int] = []
    for k, form in enumerate(forms, 1):
        if not mark[k]:
            continue
        match = next((o for o in reversed(open_) if forms[o - 1] == CLOSING.get(form)), 0)
        if match:
            found[k], found[match] = match, k
            del open_[open_.index(match) :]
        elif form in OPENING:
            open_.append(k)
    return found
