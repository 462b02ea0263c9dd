"""Build forests from a phrase tree, an n-best list, a dependency tree or a chart of headed phrases.

Trees come in with any number of children. First unary chains become one phrase each and heads are found (`Phrase`), then
phrases are binarised and packed: equal nodes and edges are kept once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from divproj.core.errors import FormatError, ProjError
from divproj.core.options import BINARISATIONS
from divproj.forest import heads
from divproj.forest.dependencies import Packer, from_arc_scores, from_dependencies, from_headed_chart
from divproj.forest.hypergraph import Forest, Node
from divproj.forest.trees import PhraseTree
from divproj.runtime.jit import log_add


@dataclass(frozen=True)
class Phrase:
    """A collapsed unary chain. `child_labels` are those of the tree, for head rules on parts of the phrase."""

    start: int
    end: int
    labels: tuple[str, ...]
    ids: tuple[str, ...]
    children: tuple[int, ...]
    child_labels: tuple[str, ...]
    head: int
    sem_head: int
    head_child: int
    """Which child has the head."""

    @property
    def label(self) -> str:
        return self.labels[-1]


def collapse(tree: PhraseTree) -> list[Phrase]:
    """Phrases with children before parents; a chain A → B → words is one phrase with labels (A, B).

    Chains are collapsed to their lowest member's category (pre-terminals too), which loses no span.
    """
    phrases: list[Phrase] = []
    above: dict[int, list[int]] = {}  # members of a chain above its lowest, from below
    place: list[int] = []  # phrase of each constituent
    for k, node in enumerate(tree.nodes):
        if len(node.children) == 1:
            place.append(place[node.children[0]])
            above.setdefault(place[-1], []).append(k)
        else:
            place.append(len(phrases))
            phrases.append(_phrase(tree, k, phrases, place))
    for at, members in above.items():
        chain = [tree.nodes[k] for k in reversed(members)]
        ids = (*(node.id for node in chain), *(phrases[at].ids or ("",)))
        phrases[at] = replace(
            phrases[at], labels=(*(node.label for node in chain), phrases[at].label), ids=ids if any(ids) else ()
        )
    return phrases


def _phrase(tree: PhraseTree, k: int, phrases: Sequence[Phrase], place: Sequence[int]) -> Phrase:
    node = tree.nodes[k]
    ids = (node.id,) if node.id else ()
    if not node.children:
        return Phrase(node.start, node.end, (node.label,), ids, (), (), node.start, node.start, 0)
    below = tuple(place[c] for c in node.children)
    kids = [phrases[at] for at in below]
    labels = tuple(tree.nodes[c].label for c in node.children)
    edges = [tree.nodes[c].edge for c in node.children]
    head = node.head if node.head >= 0 else kids[_head(node.label, labels, edges)].head
    sem_head = node.sem_head if node.sem_head >= 0 else kids[_semantic(node.label, labels, edges)].sem_head
    main = next(k for k, kid in enumerate(kids) if head < kid.end)
    return Phrase(node.start, node.end, (node.label,), ids, below, labels, head, sem_head, main)


def _head(label: str, kids: Sequence[str], edges: Sequence[str]) -> int:
    marked = heads.edge_head(kids, edges) if any(edges) else -1
    return marked if marked >= 0 else heads.penn_head(label, kids)


def _semantic(label: str, kids: Sequence[str], edges: Sequence[str]) -> int:
    marked = heads.edge_semantic_head(label, kids, edges) if any(edges) else -1
    return marked if marked >= 0 else heads.penn_semantic_head(label, kids)


__all__ = ["from_arc_scores", "from_dependencies", "from_headed_chart", "from_n_best", "from_tree"]


MOST_CHILDREN = 100
"""Of a phrase that is binarised in all ways, for their number grows with the third power; one that has more is binarised from its head."""
Range = tuple[int, int]
Split = tuple[Range, Range, Range]
"""A range of children and the two ranges it is made of."""


def from_tree(tree: PhraseTree, *, binarise: str = "head") -> Forest:
    """A forest of one tree, or with `binarise="all"` of all binary trees that have its phrases, each as likely.

    Unary chains are one node. A phrase of more than two children is binarised from its head outward, left sisters first
    (`head`), by one side always (`left`: ((a b) c), `right`: (a (b c))), or in all ways (one of more than a hundred children from
    its head); nodes made so are virtual.
    """
    if binarise not in BINARISATIONS:
        raise ProjError(f"binarise={binarise!r}, one of {', '.join(BINARISATIONS)} expected")
    packer = Packer()
    root = _add(packer, collapse(tree), binarise)
    _share_out(packer)
    return packer.forest(tree.forms, root, lemmas=tree.lemmas, tags=tree.tags, sent_id=tree.sent_id, where=tree.where)


def from_n_best(
    trees: Sequence[PhraseTree], scores: Sequence[float] = (), *, binarise: str = "head", pack: str = "nodes"
) -> Forest:
    """One forest of several parses of a sentence, with log scores (none: all alike).

    pack="nodes": phrases alike in span, labels and heads are one node, so the forest also has trees that mix parts of
    those given; pack="trees": only equal subtrees are shared, and the forest has exactly the trees given. Either way the
    marginals of nodes and edges are the shares of the trees (softmax of the scores) that have them, and the sum is 1.
    The root is one node even where labels differ: it gets those of the heavier trees.
    """
    if not trees:
        raise FormatError("an n-best list without trees")
    if binarise not in BINARISATIONS or pack not in ("nodes", "trees"):
        raise ProjError(f"binarise={binarise!r}, pack={pack!r}: {', '.join(BINARISATIONS)} and nodes or trees expected")
    if binarise == "all" and pack == "trees":
        raise ProjError("binarise='all' makes new trees, pack='nodes' expected with it")
    logs = _log_shares(scores or [0.0] * len(trees), len(trees))
    for k, tree in enumerate(trees[1:], 2):
        _same_words(trees[0], tree, k)
    packer = Packer()
    tops: dict[Node, float] = {}
    for tree, share in zip(trees, logs, strict=True):
        _add(packer, collapse(tree), binarise, share, "" if pack == "nodes" else "subtrees", tops)
    root = packer.keys["root"]
    packer.nodes[root] = max(tops, key=lambda node: tops[node])
    _share_out(packer)
    best = trees[max(range(len(trees)), key=lambda k: (logs[k], -k))]
    return packer.forest(best.forms, root, lemmas=best.lemmas, tags=best.tags, sent_id=best.sent_id, where=trees[0].where)


def _log_shares(scores: Sequence[float], count: int) -> list[float]:
    if len(scores) != count:
        raise FormatError(f"{len(scores)} scores for {count} trees, as many expected")
    top = max(scores)
    if math.isnan(sum(scores)) or not math.isfinite(top):
        raise FormatError(f"the scores of an n-best list have the maximum {top}, logarithms expected")
    total = top + math.log(sum(math.exp(score - top) for score in scores))
    return [score - total for score in scores]


def _same_words(first: PhraseTree, tree: PhraseTree, number: int) -> None:
    if tree.forms == first.forms:
        return
    for k, (a, b) in enumerate(zip(first.forms, tree.forms, strict=False), 1):
        if a != b:
            raise FormatError(f"word {k} of tree {number} is '{b}', but '{a}' in the first tree of the list", tree.where)
    raise FormatError(f"tree {number} has {len(tree)} words, but the first tree of the list has {len(first)}", tree.where)


def _share_out(packer: Packer) -> None:
    """Edge weights that are expected counts become shares of their parents: p(edge | parent)."""
    mass: dict[int, float] = {}
    for (parent, _, _), weight in packer.weights.items():
        mass[parent] = float(log_add(mass[parent], weight)) if parent in mass else weight
    packer.weights = {edge: min(weight - mass[edge[0]], 0.0) for edge, weight in packer.weights.items()}


def _add(
    packer: Packer,
    phrases: Sequence[Phrase],
    binarise: str,
    weight: float = 0.0,
    pack: str = "",
    tops: dict[Node, float] | None = None,
) -> int:
    """Puts a tree into the forest; the number of its root. Each edge is weighted with how often it is expected.

    With `pack="subtrees"` the children are part of a node's identity. With `tops` the root is known as "root".
    """
    phrase_nodes: list[int] = []
    for number, phrase in enumerate(phrases):
        here: dict[Range, int] = {(k, k + 1): phrase_nodes[child] for k, child in enumerate(phrase.children)}
        full = (0, len(phrase.children))
        last = number == len(phrases) - 1 and tops is not None
        if not phrase.children:
            here[full] = packer.node(_node(phrase, full, phrases), "root" if last else None)
        for whole, left, right in _splits(phrase, binarise):
            if whole not in here:
                node = _node(phrase, whole, phrases)
                key = (node, here[left], here[right]) if pack else None
                here[whole] = packer.node(node, "root" if last and whole == full else key)
            often = _share(full[1], whole, left, right) if binarise == "all" and full[1] <= MOST_CHILDREN else 0.0
            packer.edge(here[whole], here[left], here[right], weight + often)
        if last and tops is not None:
            top = _node(phrase, full, phrases)
            tops[top] = float(log_add(tops.get(top, -math.inf), weight))
        phrase_nodes.append(here[full])
    return phrase_nodes[-1]


def _share(n: int, whole: Range, left: Range, right: Range) -> float:
    """log of the share of binary trees over n children that make `whole` of these two parts."""
    widths = [end - start for start, end in (left, right)]
    around = n - (whole[1] - whole[0])
    return sum(_log_catalan(width - 1) for width in widths) + _log_catalan(around) - _log_catalan(n - 1)


@cache
def _log_catalan(n: int) -> float:
    """
    >>> [round(math.exp(_log_catalan(n))) for n in range(6)]
    [1, 1, 2, 5, 14, 42]
    """
    return math.lgamma(2 * n + 1) - math.lgamma(n + 2) - math.lgamma(n + 1)


def _node(phrase: Phrase, part: Range, phrases: Sequence[Phrase]) -> Node:
    """The node of a phrase, or the virtual one of some of its children."""
    if part == (0, len(phrase.children)):
        labels = phrase.labels if len(phrase.labels) > 1 else ()
        return Node(phrase.start, phrase.end, phrase.label, phrase.head, phrase.sem_head, False, labels, phrase.ids)
    kids = [phrases[c] for c in phrase.children[part[0] : part[1]]]
    start, end = kids[0].start, kids[-1].end
    labels = phrase.child_labels[part[0] : part[1]]
    inside = (start <= phrase.head < end, start <= phrase.sem_head < end)
    head = phrase.head if inside[0] else kids[heads.penn_head(phrase.label, labels)].head
    sem_head = phrase.sem_head if inside[1] else kids[heads.penn_semantic_head(phrase.label, labels)].sem_head
    return Node(start, end, phrase.label, head, sem_head, True)


def _splits(phrase: Phrase, binarise: str) -> list[Split]:
    """How ranges of children are made of smaller ones, smaller before larger."""
    n = len(phrase.children)
    if n < 2:
        return []
    if binarise == "all" and n <= MOST_CHILDREN:
        return [
            ((i, i + w), (i, k), (k, i + w)) for w in range(2, n + 1) for i in range(n - w + 1) for k in range(i + 1, i + w)
        ]
    if binarise == "right":
        return [((i, n), (i, i + 1), (i + 1, n)) for i in range(n - 2, -1, -1)]
    first = 0 if binarise == "left" else phrase.head_child
    splits: list[Split] = [((i, first + 1), (i, i + 1), (i + 1, first + 1)) for i in range(first - 1, -1, -1)]
    return splits + [((0, j + 1), (0, j), (j, j + 1)) for j in range(first + 1, n)]
