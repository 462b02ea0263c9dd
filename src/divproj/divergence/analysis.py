"""A corpus analysed: counts after each stage, operations, who takes part in them, and examples.

Pairs are laid end to end in batches, so that the kernel sees arrays and memory stays flat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from divproj.divergence import dorr, kernel
from divproj.divergence.operations import CLASSES, KINDS, STAGES, label_codes
from divproj.divergence.patterns import Pattern
from divproj.jit import WORTH
from divproj.types import DepTree, TreePair

Ints = NDArray[np.integer[Any]]
DIRECTIONS = ("e_to_f", "f_to_e")
BATCH = 500
EXAMPLES = 5


@dataclass(frozen=True)
class Example:
    sent_id: str
    text: str


@dataclass
class Analysis:
    """What `analyze` found; grows batch by batch."""

    extended: bool = False
    tags: str = "auto"
    sentences: int = 0
    words: dict[str, int] = field(default_factory=lambda: {"f": 0, "e": 0})
    counts: Ints = field(default_factory=lambda: np.zeros((2, 5, kernel.COUNTS), np.int64))
    operations: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(side, kind) → how many."""
    tagged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(side, tag) → words."""
    tagged_edges: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(side, child tag, parent tag) → edges of the trees as given."""
    operated: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    """(side, kind, child tag, parent tag) → operations; a removal has no parent tag."""
    dorr: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=lambda: {name: [] for name in dorr.TYPES})

    @property
    def stages(self) -> list[tuple[int, str]]:
        return [(s, stage) for s, stage in enumerate(STAGES) if self.extended or stage != "extended"]

    def stage_counts(self, direction: str) -> list[dict[str, Any]]:
        """Rows of Table 2: a dict a stage with edges, the five classes and labelled matches."""
        table = self.counts[DIRECTIONS.index(direction)]
        return [
            {
                "stage": stage,
                "edges": int(table[s, :5].sum()),
                **{name: int(table[s, c]) for c, name in enumerate(CLASSES)},
                "labelled": int(table[s, kernel.LABELLED]),
            }
            for s, stage in self.stages
        ]

    def match_percentages(self, direction: str = "e_to_f") -> dict[str, float]:
        """Match per stage in percent, a row of Table 2b."""
        rows = self.stage_counts(direction)
        return {row["stage"]: 100 * row["match"] / row["edges"] if row["edges"] else 100.0 for row in rows}

    def patterns(self, min_count: int = 1, min_share: float = 0.0) -> list[Pattern]:
        """Table 3: which tags and tag pairs an operation takes, most frequent first."""
        found = []
        for (side, kind, child, parent), count in self.operated.items():
            total = self.tagged[side, child] if kind == "remove" else self.tagged_edges[side, child, parent]
            found.append(Pattern(side, kind, child, parent or None, count, total))
        kept = (p for p in found if p.count >= min_count and p.share >= min_share)
        return sorted(kept, key=lambda p: (p.side, KINDS.index(p.kind), -p.count, p.child, p.parent or ""))

    def profile(self) -> list[float]:
        """Numbers that place a language pair among others: shares of the classes, both directions, as given."""
        shares = []
        for d in range(2):
            counts = self.counts[d, kernel.INITIAL, :5]
            shares += (counts / max(1, counts.sum())).tolist()
        return shares

    def as_json(self) -> dict[str, Any]:
        """The object that `proj analyze --json` prints, without its signature."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            **{direction: self.stage_counts(direction) for direction in DIRECTIONS},
            "operations": {
                side: {kind: self.operations[side, kind] for kind in KINDS if self.extended or kind != "extended"}
                for side in ("e", "f")
            },
            "by_pos": [pattern.as_json() for pattern in self.patterns()],
            "dorr": {
                name: {
                    "count": self.dorr[name],
                    "examples": [{"sent_id": x.sent_id, "text": x.text} for x in self.examples[name]],
                }
                for name in dorr.TYPES
            },
        }


def analyze(
    pairs: Iterable[TreePair],
    *,
    extended: bool = False,
    tags: str = "auto",
    each: Callable[[TreePair, float], None] | None = None,
) -> Analysis:
    """Algorithms 1-5 over a corpus, both directions.

    `tags` names the column for the breakdown by part of speech: upos, xpos, or auto for the first that is filled.
    `each` is called with every pair and the share of its E edges that match as given.
    """
    result = Analysis(extended, tags)
    codes: dict[str, int] = {"_": 0}
    labels: dict[str, int] = {}
    stream = iter(pairs)
    size, fast = 32, False  # a small first batch: a small corpus does without numba
    while batch := list(islice(stream, size)):
        fast = fast or len(batch) == size and size > 32 or sum(len(p.f) + len(p.e) for p in batch) >= WORTH
        counts = _add_batch(result, batch, codes, labels, fast)
        if each:
            as_given = counts[:, 0, kernel.INITIAL, :5]
            edges = as_given.sum(axis=1)
            shares = np.where(edges, as_given[:, kernel.MATCH] / np.maximum(edges, 1), 1.0)
            for pair, share in zip(batch, shares.tolist(), strict=True):
                each(pair, share)
        size = BATCH if fast else 300
    return result


@dataclass(frozen=True)
class _Side:
    """One side of a batch, laid end to end, with a place for each root."""

    at: Ints
    heads: Ints
    rels: Ints
    tags: Ints
    upos: Ints

    @classmethod
    def of(cls, trees: list[DepTree], kind: str, codes: dict[str, int], labels: dict[str, int]) -> _Side:
        at = np.zeros(len(trees) + 1, np.int64)
        np.cumsum([len(tree) + 1 for tree in trees], out=at[1:])
        heads: list[int] = []
        rels: list[int] = []
        tags: list[int] = []
        upos: list[int] = []
        for tree in trees:
            heads.append(-1)
            heads += tree.heads
            rels += label_codes(tree.rels, len(tree), labels)
            chosen = tree.tags(kind)
            here = [0, *(codes.setdefault(tag, len(codes)) for tag in chosen)]
            tags += here
            if chosen is tree.upos:
                upos += here
            else:
                upos += [0, *(codes.setdefault(tag, len(codes)) for tag in tree.upos or ("_",) * len(tree))]
        return cls(at, *(np.array(values, np.int32) for values in (heads, rels, tags, upos)))


def _add_batch(result: Analysis, batch: list[TreePair], codes: dict[str, int], labels: dict[str, int], fast: bool) -> Ints:
    f = _Side.of([pair.f for pair in batch], result.tags, codes, labels)
    e = _Side.of([pair.e for pair in batch], result.tags, codes, labels)
    links = [sorted(pair.alignment.links) for pair in batch]
    link_at = np.zeros(len(batch) + 1, np.int64)
    np.cumsum([len(x) for x in links], out=link_at[1:])
    ends = np.array([link for pair_links in links for link in pair_links], np.int32).reshape(-1, 2)
    f_ends, e_ends = ends[:, 0].copy(), ends[:, 1].copy()
    counts = np.zeros((len(batch), 2, 5, kernel.COUNTS), np.int64)
    f_states, e_states = (np.zeros((5, len(side.heads)), np.int32) for side in (f, e))
    f_classes, e_classes = (np.full((5, len(side.heads)), -1, np.int8) for side in (f, e))
    ops = np.zeros((2 * (len(f.heads) + len(e.heads)) + 2 * len(ends) + 1, kernel.OP_FIELDS), np.int32)
    op_at = np.zeros(len(batch) + 1, np.int64)
    run = kernel.analyze_batch.compiled if fast else kernel.analyze_batch
    run(
        f.heads, f.at, e.heads, e.at, f_ends, e_ends, link_at, f.rels, e.rels, result.extended,
        counts, f_states, e_states, f_classes, e_classes, ops, op_at,
    )  # fmt: skip
    result.sentences += len(batch)
    result.counts += counts.sum(axis=0)
    names = list(codes)
    for name, side in (("f", f), ("e", e)):
        result.words[name] += len(side.heads) - len(batch)
        _count_tags(result, name, side, names)
    logged = ops[: op_at[-1]]
    of_pair = np.repeat(np.arange(len(batch)), np.diff(op_at))
    _count_operations(result, logged, of_pair, f, e, names)
    _count_dorr(result, batch, logged, of_pair, counts, f, e, link_at, ends)
    return counts


def _count_tags(result: Analysis, name: str, side: _Side, names: list[str]) -> None:
    word = np.ones(len(side.heads), bool)
    word[side.at[:-1]] = False
    for tag, count in zip(*np.unique(side.tags[word], return_counts=True), strict=True):
        result.tagged[name, names[tag]] += int(count)
    edge = np.flatnonzero(word & (side.heads > 0))
    base = np.repeat(side.at[:-1], np.diff(side.at))
    keys = side.tags[edge].astype(np.int64) << 32 | side.tags[base[edge] + side.heads[edge]]
    for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
        result.tagged_edges[name, names[int(key) >> 32], names[int(key) & 0xFFFFFFFF]] += int(count)


def _count_operations(result: Analysis, logged: Ints, of_pair: Ints, f: _Side, e: _Side, names: list[str]) -> None:
    for s, (name, side) in enumerate((("f", f), ("e", e))):
        for k, kind in enumerate(KINDS):
            which = np.flatnonzero((logged[:, 0] == s) & (logged[:, 1] == k))
            if not len(which):
                continue
            result.operations[name, kind] += len(which)
            base = side.at[of_pair[which]]
            child = side.tags[base + logged[which, 2]].astype(np.int64)
            parent = side.tags[base + np.maximum(logged[which, 3], 0)]
            keys = child << 32 | (0 if kind == "remove" else parent)
            for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
                parent_name = "" if kind == "remove" else names[int(key) & 0xFFFFFFFF]
                result.operated[name, kind, names[int(key) >> 32], parent_name] += int(count)


def _count_dorr(
    result: Analysis,
    batch: list[TreePair],
    logged: Ints,
    of_pair: Ints,
    counts: Ints,
    f: _Side,
    e: _Side,
    link_at: Ints,
    ends: Ints,
) -> None:
    kinds = logged[:, 1]

    def note(name: str, k: int, text: str) -> None:
        result.examples[name].append(Example(batch[k].sent_id, text))

    def wanting(name: str, rows: Iterable[int]) -> Iterator[int]:
        return islice(rows, max(0, EXAMPLES - len(result.examples[name])))

    for row in np.flatnonzero((kinds == kernel.OP_SWAP) & (logged[:, 0] == 1)).tolist():
        k, child, parent = int(of_pair[row]), int(logged[row, 2]), int(logged[row, 3])
        tree = batch[k].e
        rel = tree.rels[child - 1] if tree.rels else "_"
        name = "promotional" if dorr.is_modifier(tree.tags()[child - 1], rel) else "demotional"
        result.dorr[name] += 1
        if len(result.examples[name]) < EXAMPLES:
            note(name, k, _partners_text(batch[k], child, parent))
    for name, which in (
        ("structural", np.flatnonzero(kinds == kernel.OP_REMOVE)),
        ("conflational", np.flatnonzero((kinds == kernel.OP_MERGE) | (kinds == kernel.OP_EXTENDED))),
    ):
        result.dorr[name] += len(which)
        for row in wanting(name, which.tolist()):
            k, side = int(of_pair[row]), "fe"[logged[row, 0]]
            tree = getattr(batch[k], side)
            note(name, k, f"{side.upper()}: {dorr.edge_text(tree, int(logged[row, 2]), int(logged[row, 3]))}")
    pair_of_link = np.repeat(np.arange(len(batch)), np.diff(link_at))
    f_tag = f.upos[f.at[pair_of_link] + ends[:, 0]]
    e_tag = e.upos[e.at[pair_of_link] + ends[:, 1]]
    differ = np.flatnonzero((f_tag != e_tag) & (f_tag > 0) & (e_tag > 0))
    result.dorr["categorial"] += len(differ)
    for row in wanting("categorial", differ.tolist()):
        pair = batch[pair_of_link[row]]
        i, j = int(ends[row, 0]), int(ends[row, 1])
        text = f"{pair.f.forms[i - 1]} {pair.f.upos[i - 1]} ~ {pair.e.forms[j - 1]} {pair.e.upos[j - 1]}"
        note("categorial", int(pair_of_link[row]), text)
    relabelled = counts[:, 0, kernel.INITIAL, kernel.RELABELLED]
    result.dorr["thematic"] += int(relabelled.sum())
    for k in wanting("thematic", np.flatnonzero(relabelled).tolist()):
        note("thematic", k, _relabelled_text(batch[k]))


def _partners_text(pair: TreePair, child: int, parent: int) -> str:
    """An E edge and the F edge that it is reversed in."""
    back, heads = pair.alignment.backward, pair.f.heads
    for i in back[parent]:
        if heads[i - 1] in back[child]:
            return f"{dorr.edge_text(pair.e, child, parent)} ~ {dorr.edge_text(pair.f, i, heads[i - 1])}"
    return dorr.edge_text(pair.e, child, parent)


def _relabelled_text(pair: TreePair) -> str:
    """The first E edge that matches F edges of other relations alone."""
    back, heads = pair.alignment.backward, pair.f.heads
    for child, parent in pair.e.edges:
        partners = [i for i in back[child] if heads[i - 1] in back[parent]]
        label = pair.e.rels[child - 1].partition(":")[0]
        labels = {pair.f.rels[i - 1].partition(":")[0] for i in partners} - {"_", "dep"}
        if labels and label not in ("_", "dep") and label not in labels:
            return f"{dorr.edge_text(pair.e, child, parent)} ~ {dorr.edge_text(pair.f, partners[0], heads[partners[0] - 1])}"
    return ""
