"""Remove, merge and swap (Algorithms 2-4), Algorithm 5 on one pair, and the match metric (§3.2).

An edge of one tree matches if its words are linked to two words with an edge in the other tree. `alter` takes a pair through
all stages and records the heads, the class of every edge, the counts and each operation. An example, with the links
kam-come and er-he:

    F  kam er           heads 0 1      er ← kam
    E  he did come      heads 3 3 0    he ← come, did ← come

    stage      edges of E   match   operation
    initial             2       1   did ← come is "unaligned": `did` has no link
    remove              1       1   remove `did`; its dependents, if there were any, would go to `come`
    merge               1       1   none; it would fold two words of one side that are linked to the same word
    swap                1       1   none; it would turn round an edge that is reversed on the other side
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from divproj.core.errors import ProjError
from divproj.core.pair import LabelCodes, Pair, PairBatch
from divproj.core.tree import DepTree
from divproj.divergence import kernel

Stage = Literal["initial", "remove", "merge", "extended", "swap"]
STAGES: tuple[Stage, ...] = ("initial", "remove", "merge", "extended", "swap")
CLASSES = ("match", "unaligned", "merge", "swap", "other")
KINDS = ("remove", "merge", "extended", "swap")
GONE = kernel.GONE
"""Head of a word that an operation took out of the tree."""


def remove(word: int, tree: DepTree) -> DepTree:
    """O1, Algorithm 2: the word is removed, and its dependents are attached to its head.

    >>> remove(2, DepTree(("a", "b", "c"), (0, 1, 2))).heads
    (0, -2, 1)
    """
    up = tree.heads[word - 1]
    return tree.with_heads(GONE if k == word else up if h == word else h for k, h in enumerate(tree.heads, 1))


def merge(child: int, parent: int, tree: DepTree) -> DepTree:
    """O2, Algorithm 3: a word is folded into its head, which takes over its dependents.

    >>> merge(2, 1, DepTree(("a", "b", "c"), (0, 1, 2))).heads
    (0, -2, 1)
    """
    return tree.with_heads(GONE if k == child else parent if h == child else h for k, h in enumerate(tree.heads, 1))


def swap(child: int, parent: int, tree: DepTree) -> DepTree:
    """O3, Algorithm 4: a word and its head change places; other dependents stay.

    >>> swap(2, 1, DepTree(("a", "b", "c"), (0, 1, 2))).heads
    (2, 0, 2)
    """
    up = tree.heads[parent - 1]
    return tree.with_heads(child if k == parent else up if k == child else h for k, h in enumerate(tree.heads, 1))


@dataclass(frozen=True)
class Operation:
    """One step of Algorithm 5; `before` is the class that the edge had, None if there was no edge.

    >>> Operation("f", "remove", 2, 1, "unaligned").kind
    'remove'
    """

    side: Literal["f", "e"]
    kind: str
    child: int
    parent: int
    before: str | None


@dataclass(frozen=True)
class Altered:
    """A pair, and the states of its trees after each stage.

    `heads[side][stage]` and `classes[side][stage]` (a class or None a word) are as after that stage; after "swap" each
    side is as in the run that alters it. `links` are those left after the merges. `counts[direction][stage]` counts edges.

    >>> import divproj as dp
    >>> altered = dp.alter(next(iter(dp.read("deu-eng"))))
    >>> 0 <= altered.match_share <= 1, sorted(altered.counts)
    (True, ['e_to_f', 'f_to_e'])
    """

    pair: Pair
    heads: dict[str, dict[Stage, tuple[int, ...]]]
    classes: dict[str, dict[Stage, tuple[str | None, ...]]]
    counts: dict[str, dict[Stage, dict[str, int]]]
    links: frozenset[tuple[int, int]]
    operations: tuple[Operation, ...]

    @property
    def match_share(self) -> float:
        """Share of E edges that match as given; 1.0 for a sentence without edges."""
        return _share(self.counts["e_to_f"]["initial"])

    def as_json(self) -> dict[str, Any]:
        """The line that `proj analyze --sentences` prints for the pair."""
        pair = self.pair
        return {
            "sent_id": pair.sent_id,
            "sent_match": {d: _share(stages["initial"]) for d, stages in self.counts.items()},
            "counts": self.counts,
            **{
                side: [
                    {"word": k, "form": form, "head": head, "class": name}
                    for k, (form, head, name) in enumerate(
                        zip(tree.forms, tree.heads, self.classes[side]["initial"], strict=True), 1
                    )
                ]
                for side, tree in (("f", pair.f), ("e", pair.e))
            },
            "operations": [asdict(step) | {"tags": self._tags(step)} for step in self.operations],
        }

    def _tags(self, step: Operation) -> list[str]:
        tags = (self.pair.f if step.side == "f" else self.pair.e).tags()
        return [tags[w - 1] for w in (step.child, step.parent) if w > 0]


def _share(counts: dict[str, int]) -> float:
    return counts["match"] / counts["edges"] if counts["edges"] else 1.0


def alter(pair: Pair, *, extended: bool = False, paper: bool = False, compiled: bool = False) -> Altered:
    """Algorithm 5 on one pair, both directions, with counts after every stage.

    Departs: words are merged until no merge is left, and a merged word keeps the links of both; the paper merges in one pass and
    deletes the link, as `paper` does. `compiled` pays when thousands of pairs follow one another.

    >>> from divproj import DepTree, Links, Pair
    >>> f, e = DepTree(("kam", "er"), (0, 1)), DepTree(("he", "did", "come"), (3, 3, 0))
    >>> [step.kind for step in alter(Pair(f, e, Links.of([(1, 3), (2, 1)], (2, 3)))).operations]
    ['remove']
    """
    batch = PairBatch.of([pair], LabelCodes())
    labels = batch.book.label_codes()
    f, e = batch.f, batch.e
    counts = np.zeros((2, 5, kernel.COUNTS), np.int64)
    f_states, e_states = (np.zeros((5, len(side.heads)), np.int32) for side in (f, e))
    f_classes, e_classes = (np.full((5, len(side.heads)), -1, np.int8) for side in (f, e))
    ops = np.zeros((2 * (len(f.heads) + len(e.heads) + len(batch.ends)) + 1, kernel.OP_FIELDS), np.int32)
    run = kernel.analyze_pair.compiled if compiled else kernel.analyze_pair.for_work(batch.words, batch.longest)
    n_ops, a, b = run(
        f.heads, e.heads, batch.ends[:, 0].copy(), batch.ends[:, 1].copy(), labels[f.deprels], labels[e.deprels], variant(extended, paper),
        counts, f_states, e_states, f_classes, e_classes, 0, 0, ops, 0,
    )  # fmt: skip
    return Altered(
        pair,
        {"f": _by_stage(f_states, extended), "e": _by_stage(e_states, extended)},
        {"f": _class_names(f_classes, extended), "e": _class_names(e_classes, extended)},
        {
            direction: {stage: _edge_counts(counts[d, s]) for s, stage in _kept(extended)}
            for d, direction in enumerate(("e_to_f", "f_to_e"))
        },
        frozenset(zip(a.tolist(), b.tolist(), strict=True)) - {(0, 0)},
        tuple(operation(row) for row in ops[:n_ops].tolist()),
    )


def variant(extended: bool, paper: bool) -> int:
    """The number of a variant of Algorithm 5 in the kernel."""
    if extended and paper:
        raise ProjError("the paper's algorithm has no extended merges", remedy="leave out `extended` or `paper`")
    return kernel.PAPER if paper else kernel.MERGE_BOTH if extended else kernel.PLAIN


def operation(row: Sequence[int]) -> Operation:
    """A row of the kernel's log."""
    side, kind, child, parent, before = row
    return Operation("fe"[side], KINDS[kind], child, parent, CLASSES[before] if before >= 0 else None)  # type: ignore[arg-type]


def _kept(extended: bool) -> list[tuple[int, Stage]]:
    return [(s, stage) for s, stage in enumerate(STAGES) if extended or stage != "extended"]


def _by_stage(states: NDArray[Any], extended: bool) -> dict[Stage, tuple[int, ...]]:
    return {stage: tuple(states[s, 1:].tolist()) for s, stage in _kept(extended)}


def _class_names(classes: NDArray[Any], extended: bool) -> dict[Stage, tuple[str | None, ...]]:
    return {stage: tuple(CLASSES[c] if c >= 0 else None for c in classes[s, 1:].tolist()) for s, stage in _kept(extended)}


def _edge_counts(counts: NDArray[Any]) -> dict[str, int]:
    values = counts.tolist()
    return {"edges": sum(values[:5]), **dict(zip(CLASSES, values[:5], strict=True)), "labelled": values[kernel.LABELLED]}


def is_match(child: int, parent: int, pair: Pair) -> bool:
    """Whether the F edge (child, parent) matches some E edge.

    Georgi et al., eq. 10:  ∃ a ∈ R(child), b ∈ R(parent) : (a, b) ∈ T_E
    """
    images, heads = pair.links.forward, pair.e.heads
    return any(heads[a - 1] == b for a in images[child] for b in images[parent])


def edge_classes(pair: Pair) -> tuple[str | None, ...]:
    """Class of each F word's edge: match, unaligned, merge, swap or other (C1-C4); None for the root's.

    The classes are tested in that order, so that each edge has exactly one.

    >>> from divproj import DepTree, Links, Pair
    >>> f, e = DepTree(("Hunde", "bellen"), (2, 0)), DepTree(("Dogs", "bark"), (2, 0))
    >>> edge_classes(Pair(f, e, Links.of([(1, 1), (2, 2)], (2, 2))))
    ('match', None)
    """
    return alter(pair).classes["f"]["initial"]


def sent_match(pair: Pair) -> float:
    """SentMatch(F, E, A): share of F edges that match; 1.0 for a sentence without edges.

    >>> from divproj import DepTree, Links, Pair
    >>> sent_match(Pair(DepTree(("Geh",), (0,)), DepTree(("Go",), (0,)), Links.of([(1, 1)], (1, 1))))
    1.0
    """
    counts = alter(pair).counts["f_to_e"]["initial"]
    return counts["match"] / counts["edges"] if counts["edges"] else 1.0


def corpus_match(pairs: Iterable[Pair]) -> float:
    """CorpusMatch_{F→E}(C), eq. 11: matched F edges over all F edges; `pair.mirrored` gives the other direction.

    >>> import divproj as dp
    >>> 0.5 < corpus_match(dp.read("deu-eng")) < 1
    True
    """
    edges = matches = 0
    for pair in pairs:
        counts = alter(pair).counts["f_to_e"]["initial"]
        edges += counts["edges"]
        matches += counts["match"]
    return matches / edges if edges else 1.0
