"""From trees as read to phrases with heads: unary chains collapsed, heads found, still any number of children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from divproj.forest import heads
from divproj.forest.trees import PhraseTree


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


def collapsed(tree: PhraseTree) -> list[Phrase]:
    """Phrases with children before parents; a chain A → B → words is one phrase with labels (A, B).

    Chains are collapsed to their lowest member's category (pre-terminals too), which loses no span.
    """
    found: list[Phrase] = []
    above: dict[int, list[int]] = {}  # members of a chain above its lowest, from below
    place: list[int] = []  # phrase of each constituent
    for k, node in enumerate(tree.nodes):
        if len(node.children) == 1:
            place.append(place[node.children[0]])
            above.setdefault(place[-1], []).append(k)
        else:
            place.append(len(found))
            found.append(_phrase(tree, k, found, place))
    for at, members in above.items():
        chain = [tree.nodes[k] for k in reversed(members)]
        ids = (*(node.id for node in chain), *(found[at].ids or ("",)))
        found[at] = replace(found[at], labels=(*(node.label for node in chain), found[at].label), ids=ids if any(ids) else ())
    return found


def _phrase(tree: PhraseTree, k: int, found: Sequence[Phrase], place: Sequence[int]) -> Phrase:
    node = tree.nodes[k]
    ids = (node.id,) if node.id else ()
    if not node.children:
        return Phrase(node.start, node.end, (node.label,), ids, (), (), node.start, node.start, 0)
    below = tuple(place[c] for c in node.children)
    kids = [found[at] for at in below]
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
