"""Phrases of dependency trees, in two views.

Projection asks for **headed phrases** (`from_dependencies`): a word takes its dependents one by one, compounds first, then modifiers and
objects, coordination, the subject, markers and prepositions, punctuation last, so that each edge of the forest is one dependency.

Alignment asks for **constituents** (`phrase_tree`, `phrase_forest`), layer by layer as in a constituency treebank:

    The old man has given Mary a book .

    layer of objects      (VP given Mary (NP a book))
    layer of auxiliaries  (VP has (VP given Mary (NP a book)))
    layer of the subject  (S (NP The old man) (VP has (VP given Mary (NP a book))) .)

So every complete subtree is a phrase, and so is every layer of its head: the verb phrase without its subject, the noun phrase without
its preposition. What joins only some words of a layer (`given Mary`) is made by binarisation and is virtual. Conjunctions and
punctuation at the edge of a phrase belong to the phrase above.

Where heads are content words (Universal Dependencies) they are semantic heads as they stand.

`Packer` collects the nodes and edges of a forest, equal ones once, and puts children before parents; `from_headed_chart` makes forests
of charts of headed phrases, such as a projective dependency parser has.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import FormatError, Where
from divproj.core.tree import DepTree
from divproj.forest.heads import category, phrase_label
from divproj.forest.hypergraph import Arc, Edge, Forest, Node
from divproj.forest.parses import Parse, inside, k_best, normalise, prune
from divproj.forest.trees import Constituent, PhraseTree
from divproj.runtime.jit import log_add

BASE, AFTER, JOINED, CASE, COPULA, AUXILIARY, SUBJECT, MARK, CLAUSES = 1, 2, 3, 4, 5, 6, 1000, 1001, 1002
"""Layers from the word outward; each auxiliary has one of its own, from AUXILIARY on."""
_CLAUSE = frozenset(("parataxis", "vocative", "discourse", "dislocated"))
_AFTER_NOUNS = frozenset(("nmod", "acl", "appos", "obl", "advcl", "ccomp", "advmod"))
_FLAT = frozenset(("compound", "flat", "fixed", "goeswith", "appos"))
_BRACKETS = frozenset(("()", "[]", "{}", "-LRB--RRB-", "``''", '""', "“”", "«»", "„“", "''''"))
_LABELS = {CASE: "PP", COPULA: "VP", SUBJECT: "S", MARK: "SBAR"}


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


def phrase_tree(tree: DepTree, *, lemmas: Sequence[str] = (), sent_id: str = "", where: Where | None = None) -> PhraseTree:
    """The phrases of a dependency tree.

    Words without a head attach to the root; arcs that cross others are moved to the next head up until none cross.
    """
    n = len(tree)
    if not n:
        raise FormatError("the sentence has no words", where)
    heads = projective(_with_one_root(tree.heads))
    kids: list[list[int]] = [[] for _ in range(n + 1)]
    for k, head in enumerate(heads, 1):
        kids[head].append(k)
    order = list(kids[0])
    for k in order:
        order.extend(kids[k])
    layers = _Layers(tree, kids)
    for word in reversed(order):
        layers.grow(word)
    top = layers.whole(order[0])
    nodes = layers.nodes
    place: dict[int, int] = {}
    stack: list[int] = [top]
    kept: list[int] = []
    while stack:  # children before parents
        kept.append(stack.pop())
        stack.extend(nodes[kept[-1]].children)
    for k in reversed(kept):
        place[k] = len(place)
    ordered = tuple(
        Constituent(x.label, x.start, x.end, tuple(place[c] for c in x.children), x.head, x.sem_head)
        for x in (nodes[k] for k in reversed(kept))
    )
    return PhraseTree(tree.forms, ordered, tuple(lemmas), tree.tags(), sent_id, where or Where())


class _Layers:
    """Phrases of the words of a tree, made from the leaves up."""

    def __init__(self, tree: DepTree, kids: Sequence[Sequence[int]]) -> None:
        self.forms, self.tags, self.kids = tree.forms, tree.tags(), kids
        self.fine = tree.xpos or self.tags
        self.deprels = [rel.partition(":")[0] for rel in tree.deprels] or ["_"] * len(tree)
        self.nodes: list[Constituent] = []
        self.parts: dict[int, tuple[list[int], int, list[int]]] = {}
        """For each word what its phrase leaves to the phrase above on the left, the phrase, and what it leaves on the right."""

    def whole(self, word: int) -> int:
        """The phrase of a word with all that belongs to the phrase above, of which there is none."""
        left, here, right = self.parts[word]
        return self._node([*left, here, *right], self.nodes[here].label, word) if left or right else here

    def grow(self, word: int) -> None:
        """Make the phrases of a word whose dependents have theirs."""
        leaf = Constituent(self.tags[word - 1], word - 1, word, (), word - 1, word - 1)
        self.nodes.append(leaf)
        here = len(self.nodes) - 1
        layers = self._layers(word)
        left = sorted((k for k in layers if k < word), reverse=True)
        right = sorted(k for k in layers if k > word)
        top = self.deprels[word - 1] == "root"
        edge = ([], []) if top else (self._edge(left), self._edge(right))
        if edge[0] and edge[1] and self.forms[edge[0][-1] - 1] + self.forms[edge[1][-1] - 1] in _BRACKETS:
            edge = ([], [])
        left, right = left[: len(left) - len(edge[0])], right[: len(right) - len(edge[1])]
        label = phrase_label(self.tags[word - 1])
        for layer in sorted({layers[k] for k in (*left, *right)}):
            before = [k for k in reversed(left) if layers[k] == layer]
            after = [k for k in right if layers[k] == layer]
            label = self._label(label, layer, before)
            children = [x for k in before for x in self._splice(k)] + [here] + [x for k in after for x in self._splice(k)]
            here = self._node(children, label, word)
        hoisted = [[x for k in sorted(some) for x in self._splice(k)] for some in edge]
        self.parts[word] = hoisted[0], here, hoisted[1]

    def _splice(self, kid: int) -> list[int]:
        """What a dependent gives to the phrase above: parts of names and compounds each on their own."""
        before, here, after = self.parts[kid]
        flat = self.deprels[kid - 1] in _FLAT and not (before or after)
        return [*before, *((flat and self.nodes[here].children) or (here,)), *after]

    def _edge(self, side: Sequence[int]) -> list[int]:
        """Marks and conjunctions at the end of a side (nearest first): they belong to the phrase above."""
        count = 0
        while count < len(side) and self.deprels[side[-1 - count] - 1] in ("punct", "cc"):
            count += 1
        return list(side[len(side) - count :])

    def _node(self, children: list[int], label: str, word: int) -> int:
        start, end = self.nodes[children[0]].start, self.nodes[children[-1]].end
        self.nodes.append(Constituent(label, start, end, tuple(children), word - 1, self._content(children, word - 1)))
        return len(self.nodes) - 1

    def _content(self, children: Sequence[int], head: int) -> int:
        """The semantic head: of a function word's phrase the first content word that it introduces."""
        parts = [self.nodes[k] for k in children]
        sem_head = next(x.sem_head for x in parts if x.start <= head < x.end)
        if self.tags[sem_head] not in _FUNCTION:
            return sem_head
        others = (x.sem_head for x in parts if self.tags[x.sem_head] not in (*_FUNCTION, "PUNCT"))
        return next(others, sem_head)

    def _label(self, label: str, layer: int, before: Sequence[int]) -> str:
        if AUXILIARY <= layer < SUBJECT:
            return "VP"
        return _LABELS.get(layer, label)

    def _layers(self, word: int) -> dict[int, int]:
        """The layer of each dependent; none is below that of one nearer to the word."""
        kids, deprels = self.kids[word], self.deprels
        clause = category(self.tags[word - 1]) == "V" or any(deprels[k - 1] in ("cop", *_SUBJECTS) for k in kids)
        copula = any(deprels[k - 1] == "cop" for k in kids)
        subject = any(deprels[k - 1] in _SUBJECTS for k in kids) or (clause and deprels[word - 1] == "root")
        layers: dict[int, int] = {}
        count = 0
        for side in (sorted((k for k in kids if k < word), reverse=True), sorted(k for k in kids if k > word)):
            raw = []
            for k in side:
                layer = self._layer(k, word, clause, copula)
                if layer == AUXILIARY:
                    layer += count
                    count += 1
                raw.append(layer)
            outer = SUBJECT if subject else BASE  # marks and adverbs belong to what is further out
            for at in range(len(side) - 1, -1, -1):
                if raw[at] == 0:
                    raw[at] = outer
                else:
                    outer = raw[at]
            reached = BASE
            for k, layer in zip(side, raw, strict=True):
                reached = layers[k] = max(layer, reached)
        if not clause and kids:
            most = max(layers.values())
            for k in sorted(kids, reverse=True):
                if k < word or deprels[k - 1] != "punct":
                    break
                layers[k] = most
        return layers

    def _layer(self, kid: int, word: int, clause: bool, copula: bool) -> int:
        """The layer of one dependent; 0: that of the next dependent further out."""
        rel, tag, left = self.deprels[kid - 1], self.tags[kid - 1], kid < word
        verb = category(self.tags[word - 1]) == "V"
        if rel in ("punct", "cc"):
            return 0
        if rel == "aux" or (rel == "mark" and tag == "PART"):
            return AUXILIARY
        if rel == "cop":
            return COPULA
        if rel == "case":
            return CASE if left or clause else BASE if self.fine[kid - 1] == "POS" else CASE
        if rel == "mark":
            return MARK
        if rel in _SUBJECTS or rel in _CLAUSE:
            return SUBJECT
        if rel == "conj":
            return self._conjunct(kid)
        if left and clause:
            if rel == "advmod" and (verb or tag == "PART"):
                return 0
            if rel in ("obl", "advcl", "ccomp", "obj", "xcomp", "dep") and (verb or copula):
                return SUBJECT
        if not left and not verb:
            if copula and rel in ("obl", "advcl"):
                return COPULA
            if rel in _AFTER_NOUNS and category(self.tags[word - 1]) == "N":
                return AFTER
        return BASE

    def _conjunct(self, kid: int) -> int:
        rels = [self.deprels[k - 1] for k in self.kids[kid]]
        if not _SUBJECTS.isdisjoint(rels):
            return CLAUSES
        return SUBJECT - 1 if "aux" in rels or "cop" in rels else JOINED


TREES = 20
"""Parses of a packed forest that `phrase_forest` makes phrases of, the most probable ones. On a third of the training pairs of the Edinburgh paraphrases
20 and 5 give the same multiword F1 (67.4 and 67.3), and the best tree alone more (68.1; bench/notes/2026-11-18-forests.md)."""


def phrase_forest(forest: Forest, *, binarise: str = "head", count: int = TREES) -> Forest:
    """The forest of the constituents of the best parses of a packed forest of dependency trees with `arcs`.

    Phrases that several parses have are one node, whose marginal is their share of the probability; parses are mixed.
    """
    from divproj.forest.build import from_n_best

    arcs = {(arc.head, arc.dependent): arc for arc in forest.arcs}
    trees, weights = [], []
    for parse in k_best(forest, count):
        heads = _heads_of(forest, parse, arcs)
        deprels = tuple(arcs[h, k].relation if (h, k) in arcs else "dep" for k, h in enumerate(heads, 1))
        tree = DepTree(forest.forms, heads, deprels, forest.tags)
        trees.append(phrase_tree(tree, lemmas=forest.lemmas, sent_id=forest.sent_id, where=forest.where))
        weights.append(parse.weight)
    return from_n_best(trees, weights, binarise=binarise)


def _heads_of(forest: Forest, parse: Parse, arcs: Mapping[tuple[int, int], Arc]) -> tuple[int, ...]:
    """The heads that a parse says; the root node is one for all heads, and the more probable of the two is taken."""

    def probability(head: int, dependent: int) -> float:
        return arcs[head, dependent].probability if (head, dependent) in arcs else 0.0

    heads = [0] * len(forest.forms)
    for k in parse.edges:
        edge = forest.edges[k]
        left, right = forest.nodes[edge.left].head + 1, forest.nodes[edge.right].head + 1
        head = forest.nodes[edge.parent].head + 1
        if edge.parent == forest.root:
            one, two = (probability(0, x) * probability(x, y) for x, y in ((left, right), (right, left)))
            head = left if one > two else right if two > one else head if head in (left, right) else left
        heads[left + right - head - 1] = head
    return tuple(heads)


def _with_one_root(heads: Sequence[int]) -> list[int]:
    """One root: the first word with head 0, or else the first without a head; other such words depend on it."""
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


class Packer:
    """Nodes by key, edges by (parent, left, right); weights of equal edges are added as probabilities."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.keys: dict[Hashable, int] = {}
        self.weights: dict[tuple[int, int, int], float] = {}
        self.place: dict[int, int] = {}  # number here -> number in the forest made

    def node(self, node: Node, key: Hashable = None) -> int:
        """Its number; a node with the same key (by default the node itself) is the same."""
        number = self.keys.setdefault(node if key is None else key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def edge(self, parent: int, left: int, right: int, weight: float = 0.0) -> None:
        key = (parent, left, right)
        self.weights[key] = float(log_add(self.weights[key], weight)) if key in self.weights else weight

    def forest(self, forms: tuple[str, ...], root: int, **fields: Any) -> Forest:
        """Nodes by end, then by start from the right: of a tree, this is post-order."""
        order = sorted(range(len(self.nodes)), key=lambda k: (self.nodes[k].end, -self.nodes[k].start, k))
        new = {old: k for k, old in enumerate(order)}
        self.place = new
        edges = sorted((new[p], new[a], new[b], weight) for (p, a, b), weight in self.weights.items())
        nodes = tuple(self.nodes[k] for k in order)
        return Forest(forms, nodes, tuple(Edge(*edge) for edge in edges), new[root], **fields)


Item = tuple[int, int, int]
"""A headed phrase (start, end, head): words [start, end), all counted from 0."""
Combination = tuple[Item, Item, Item, float]
"""(parent, left, right, log weight); the parent's head is the head of left or right."""


def from_headed_chart(
    forms: Sequence[str],
    tags: Sequence[str],
    items: Iterable[Combination],
    *,
    lemmas: Sequence[str] = (),
    roots: dict[int, float] | None = None,
    sent_id: str = "",
    at_least: float = 0.0,
) -> Forest:
    """A forest of all trees that the combinations make.

    Each says that a phrase is made of two adjacent ones, with a log weight; one-word phrases (k, k+1, k) need no mention.
    The whole sentence may have several heads: `roots` gives a log weight to each (none: 0). All its phrases (0, n, h) become
    one root node. Combinations that no tree of the whole sentence uses are left out, and so are edges with a marginal below
    `at_least`. Weights come out normalised: the sum over all trees is 1.

    >>> chart = [((0, 2, 1), (0, 1, 0), (1, 2, 1), 0.0), ((0, 3, 1), (0, 2, 1), (2, 3, 2), 0.0)]
    >>> [(x.start, x.end, x.label, x.head) for x in from_headed_chart("a dog barks".split(), ["DT", "NN", "VBZ"], chart).nodes]
    [(0, 1, 'DT', 0), (1, 2, 'NN', 1), (0, 2, 'NP', 1), (2, 3, 'VBZ', 2), (0, 3, 'NP', 1)]
    """
    n = len(forms)
    packer = Packer()
    for k in range(n):
        packer.node(Node(k, k + 1, tags[k] if tags else "_", k, k), (k, k + 1, k))
    tops: list[tuple[int, int, int, float]] = []  # head, left, right, weight of each way to make the sentence
    for parent, left, right, weight in sorted(items):
        _check(parent, left, right, n)
        whole = parent[:2] == (0, n)
        if whole:
            weight += (roots or {}).get(parent[2], 0.0 if roots is None else -np.inf)
            if weight == -np.inf:
                continue
        numbers = [_number(packer, item, tags, n) for item in (parent, left, right)]
        if whole:
            tops.append((parent[2], numbers[1], numbers[2], weight))
        packer.edge(numbers[0], numbers[1], numbers[2], float(weight))
    if n == 1:
        return packer.forest(tuple(forms), 0, lemmas=tuple(lemmas), tags=tuple(tags), sent_id=sent_id)
    if not tops:
        raise FormatError(f"no combination of the chart makes the whole sentence (0, {n})")
    _drop_incomplete(packer)
    if not any(parent == packer.keys["root"] for parent, _, _ in packer.weights):
        raise FormatError(f"the chart has no complete tree over its {n} words")
    forest = packer.forest(tuple(forms), packer.keys["root"], lemmas=tuple(lemmas), tags=tuple(tags), sent_id=sent_id)
    head = _heaviest_head(forest, packer, tops)
    label = phrase_label(tags[head]) if tags else "X"
    nodes = list(forest.nodes)
    nodes[forest.root] = Node(0, n, label, head, head)
    return normalise(prune(replace(forest, nodes=tuple(nodes)), at_least))


def _check(parent: Item, left: Item, right: Item, n: int) -> None:
    for start, end, head in (parent, left, right):
        if not 0 <= start <= head < end <= n:
            raise FormatError(f"chart item ({start}, {end}, {head}): start ≤ head < end ≤ {n} expected")
    if (left[0], left[1], right[1]) != (parent[0], right[0], parent[1]) or parent[2] not in (left[2], right[2]):
        raise FormatError(
            f"chart items {left} and {right} do not make {parent}", remedy="spans must meet and the head be one of theirs"
        )


def _number(packer: Packer, item: Item, tags: Sequence[str], n: int) -> int:
    start, end, head = item
    key = "root" if (start, end) == (0, n) and n > 1 else item
    if key in packer.keys:
        return packer.keys[key]
    label = phrase_label(tags[head]) if tags else "X"
    return packer.node(Node(start, end, label, head, head), key)


def _drop_incomplete(packer: Packer) -> None:
    """Takes out edges over phrases that no combination makes."""
    complete = {k for k, node in enumerate(packer.nodes) if node.end - node.start == 1}
    for parent, left, right in sorted(packer.weights, key=lambda edge: packer.nodes[edge[0]].end - packer.nodes[edge[0]].start):
        if left in complete and right in complete:
            complete.add(parent)
    packer.weights = {edge: weight for edge, weight in packer.weights.items() if complete.issuperset(edge)}


def _heaviest_head(forest: Forest, packer: Packer, tops: Iterable[tuple[int, int, int, float]]) -> int:
    """The head of the sentence in most of its trees, by weight."""
    beta = inside(forest)
    mass: dict[int, float] = {}
    for head, left, right, weight in tops:
        if (packer.keys["root"], left, right) in packer.weights:
            more = weight + float(beta[packer.place[left]] + beta[packer.place[right]])
            mass[head] = float(log_add(mass[head], more)) if head in mass else more
    return max(mass, key=lambda head: (mass[head], -head))


def from_arc_scores(
    forms: Sequence[str],
    tags: Sequence[str],
    scores: NDArray[np.float64],
    *,
    keep: NDArray[np.bool_] | None = None,
    lemmas: Sequence[str] = (),
    sent_id: str = "",
    at_least: float = 0.0,
) -> Forest:
    """The packed projective forest of an arc-factored parser.

    `scores[h, d]` is the log weight of the arc from head h to dependent d, both counted from 1, row 0 the root; −∞ or `keep`
    False leaves an arc out. Heads take left dependents first, then right ones, so each dependency tree is made in one way.
    """
    n = len(forms)
    if scores.shape != (n + 1, n + 1):
        raise FormatError(f"arc scores of shape {scores.shape} for {n} words, ({n + 1}, {n + 1}) expected")
    usable = np.isfinite(scores) if keep is None else np.isfinite(scores) & keep
    combinations = _combinations(n, usable.tolist(), scores.tolist())
    roots = {k: float(scores[0, k + 1]) for k in range(n) if usable[0, k + 1]}
    return from_headed_chart(forms, tags, combinations, lemmas=lemmas, roots=roots, sent_id=sent_id, at_least=at_least)


def _combinations(n: int, usable: list[list[bool]], scores: list[list[float]]) -> list[Combination]:
    """All headed phrases that usable arcs make, left dependents first."""
    combinations: list[Combination] = []
    starting: list[dict[int, list[int]]] = [{k + 1: [k]} for k in range(n)]  # start -> end -> heads
    for end in range(2, n + 1):
        for start in range(end - 2, -1, -1):
            here: set[int] = set()
            for middle, heads in starting[start].items():
                if middle >= end or end not in starting[middle]:
                    continue
                for a in heads:
                    for b in starting[middle][end]:
                        if usable[a + 1][b + 1]:
                            here.add(a)
                            combinations.append(((start, end, a), (start, middle, a), (middle, end, b), scores[a + 1][b + 1]))
                        if b == end - 1 and usable[b + 1][a + 1]:
                            here.add(b)
                            combinations.append(((start, end, b), (start, middle, a), (middle, end, b), scores[b + 1][a + 1]))
            if here:
                starting[start][end] = sorted(here)
    wanted = {(0, n, head) for head in starting[0].get(n, ())}
    kept = []
    for combination in reversed(combinations):  # only what the whole sentence can be made of
        if combination[0] in wanted:
            wanted.update(combination[1:3])
            kept.append(combination)
    return kept
