"""Headed phrases of a dependency tree.

A word and its dependents make phrases from the word outward: compounds, then modifiers and objects, then coordination, the
subject, markers and prepositions, punctuation last. So the phrase without subject, or without preposition, is a phrase of its
own; steps between are virtual. Where heads are content words (Universal Dependencies) they are semantic heads as they stand.
"""

from __future__ import annotations

from collections.abc import Sequence

from divproj.core.errors import FormatError, Where
from divproj.core.tree import DepTree
from divproj.forest.charts import Packer
from divproj.forest.heads import category, phrase_label
from divproj.forest.hypergraph import Forest, Node

_LEVELS = (
    "compound flat fixed goeswith",
    "",  # all others
    "conj",
    "nsubj csubj expl",
    "case mark cc",
    "punct vocative discourse parataxis dislocated",
)
_LEVEL = {rel: level for level, rels in enumerate(_LEVELS) for rel in rels.split()}
_SUBJECTS = frozenset(_LEVELS[3].split())
_FUNCTION = frozenset(("ADP", "AUX", "SCONJ", "CCONJ", "PART", "DET"))


def from_dependencies(tree: DepTree, *, lemmas: Sequence[str] = (), sent_id: str = "", where: Where | None = None) -> Forest:
    """The forest of the one tree of headed phrases.

    Words without a head attach to the root; arcs that cross others are moved to the next head up until none cross.

    >>> the = DepTree(("A", "dog", "barks"), (2, 3, 0), ("det", "nsubj", "root"), ("DET", "NOUN", "VERB"))
    >>> print(from_dependencies(the).to_nltk())
    (S (NP (DET A) (NOUN dog)) (VERB barks))
    """
    n = len(tree)
    if not n:
        raise FormatError("the sentence has no words", where)
    heads = projective(_with_one_root(tree.heads))
    tags = tree.tags()
    deprels = [rel.partition(":")[0] for rel in tree.deprels] or ["_"] * n
    kids: list[list[int]] = [[] for _ in range(n + 1)]
    for k, head in enumerate(heads, 1):
        kids[head].append(k)
    order = list(kids[0])
    for k in order:
        order.extend(kids[k])
    packer = Packer()
    tops: dict[int, int] = {}
    for word in reversed(order):
        tops[word] = _grow(packer, word, kids[word], tops, tags, deprels)
    return packer.forest(tree.forms, tops[kids[0][0]], lemmas=tuple(lemmas), tags=tags, sent_id=sent_id, where=where or Where())


def _grow(
    packer: Packer, word: int, kids: Sequence[int], tops: dict[int, int], tags: Sequence[str], deprels: Sequence[str]
) -> int:
    """The phrase of a word (counted from 1) and all its dependents; the number of its topmost node."""
    here = packer.node(Node(word - 1, word, tags[word - 1], word - 1, word - 1))
    label, sem_head = phrase_label(tags[word - 1]), word - 1
    left = sorted((k for k in kids if k < word), reverse=True)
    right = sorted(k for k in kids if k > word)
    subject = any(deprels[k - 1] in _SUBJECTS for k in kids)
    levels = {k: _level(k, deprels, packer.nodes[tops[k]].label, subject) for k in kids}
    steps = []
    a = b = 0
    while a < len(left) or b < len(right):  # the side whose next word belongs closer to the head, else the left one
        if b >= len(right) or (a < len(left) and levels[left[a]] <= levels[right[b]]):
            steps.append(left[a])
            a += 1
        else:
            steps.append(right[b])
            b += 1
    reached = 0
    for number, kid in enumerate(steps):
        reached = max(reached, levels[kid])
        other = packer.nodes[tops[kid]]
        label = _label(label, deprels[kid - 1], tags[kid - 1])
        if tags[sem_head] in _FUNCTION and tags[other.sem_head] not in _FUNCTION and other.label != "PUNCT":
            sem_head = other.sem_head
        more = number + 1 < len(steps)
        virtual = more and levels[steps[number + 1]] <= max(reached, 1)
        pair = (tops[kid], here) if kid < word else (here, tops[kid])
        start, end = packer.nodes[pair[0]].start, packer.nodes[pair[1]].end
        here = packer.node(Node(start, end, label, word - 1, sem_head, virtual))
        packer.edge(here, *pair)
    return here


def _level(kid: int, deprels: Sequence[str], label: str, subject: bool) -> int:
    """A conjunct that is a clause of its own joins the whole clause."""
    level = _LEVEL.get(deprels[kid - 1], 1)
    return 4 if level == 2 and subject and label in ("S", "SBAR") else level


def _label(label: str, rel: str, tag: str) -> str:
    if rel in _SUBJECTS:
        return "S"
    if rel == "case":
        return "PP"
    if rel == "cop":
        return "VP"
    if rel == "mark" and tag not in ("PART", "TO") and category(tag) != "V":
        return "SBAR"
    return label


def _with_one_root(heads: Sequence[int]) -> list[int]:
    """One root: the first word with head 0, or else the first without a head; other such words hang on it."""
    root = heads.index(0) + 1 if 0 in heads else next(k for k, head in enumerate(heads, 1) if head < 0)
    return [0 if k == root else root if head <= 0 else head for k, head in enumerate(heads, 1)]


def projective(heads: Sequence[int]) -> list[int]:
    """Heads with the arcs that cross others lifted, the shortest first (Nivre & Nilsson 2005), until none do.

    >>> projective([3, 4, 0, 3])
    [3, 3, 0, 3]
    """
    heads = list(heads)
    while True:
        crossing = _crossing(heads)
        if not crossing:
            return heads
        word = min(crossing, key=lambda k: (abs(heads[k - 1] - k), k))
        heads[word - 1] = heads[heads[word - 1] - 1]


def _crossing(heads: Sequence[int]) -> list[int]:
    """Words whose arc spans a word that does not descend from its head."""
    n = len(heads)
    if _continuous(heads):
        return []
    above: list[set[int]] = []
    for k in range(1, n + 1):
        chain, h = set(), k
        while h:
            chain.add(h)
            h = heads[h - 1]
        above.append(chain)
    words = []
    for k, head in enumerate(heads, 1):
        between = range(min(k, head) + 1, max(k, head))
        if head and any(head not in above[x - 1] for x in between):
            words.append(k)
    return words


def _continuous(heads: Sequence[int]) -> bool:
    """Whether every subtree is a span of words."""
    n = len(heads)
    low, high, size = list(range(n + 1)), list(range(n + 1)), [1] * (n + 1)
    waiting = [0] * (n + 1)
    for head in heads:
        waiting[head] += 1
    ready = [k for k in range(1, n + 1) if not waiting[k]]
    for k in ready:
        if size[k] != high[k] - low[k] + 1:
            return False
        h = heads[k - 1]
        low[h], high[h], size[h] = min(low[h], low[k]), max(high[h], high[k]), size[h] + size[k]
        waiting[h] -= 1
        if h and not waiting[h]:
            ready.append(h)
    return True
