"""Divergence of a corpus: edge classes after each stage, operations by part of speech, Dorr's types, examples.

`analyze` takes pairs with trees and links and returns an `Analysis`: the counts of Table 2 (`stage_counts`), the operations
that Table 3 breaks down by tag (`patterns`), and Dorr's (1994) divergence types as far as trees, tags and links show them
(§3.7). Pairs are analysed in batches laid end to end, so that the kernel sees arrays and memory use stays constant.
`analyze_corpus` shares chunks of a corpus out to workers, and also returns the most divergent pairs.
"""

from __future__ import annotations

import csv
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from divproj.core.errors import Faults
from divproj.core.pair import Ints, Pair, PairBatch, SideArrays, in_batches
from divproj.core.tree import DepTree
from divproj.divergence import kernel
from divproj.divergence.operations import CLASSES, KINDS, STAGES, variant
from divproj.io.corpus import Chunk, Corpus, pairs_of
from divproj.io.files import writing
from divproj.runtime.announce import passing
from divproj.runtime.engine import HERE, Say, Workers, run
from divproj.ud.head_style import in_style

TYPES = ("promotional", "demotional", "structural", "conflational", "categorial", "thematic")
MEANING = {
    "promotional": "a modifier in E heads its E head in F (swap)",
    "demotional": "a head in E depends on its E dependent in F (swap)",
    "structural": "a word of one side has no partner (remove)",
    "conflational": "several words of one side are one on the other (merge)",
    "categorial": "linked words differ in UPOS",
    "thematic": "a matched edge bears another relation",
}
LABELS = {
    "promotional": "modifier becomes head",
    "demotional": "head becomes dependent",
    "structural": "word without a partner",
    "conflational": "several words for one",
    "categorial": "other part of speech",
    "thematic": "other relation",
}
"""What tables call them: each is wider than the type of Dorr's that it is named for."""
ABOUT_TYPES = (
    "Counted by rule from trees and links. The divergences that Dorr (1994) calls promotional, demotional, structural, conflational, "
    "categorial and thematic are among these cases, in this order; not every case is one."
)
_MODIFIERS = frozenset(["ADV", "ADJ", "RB", "RBR", "RBS", "JJ", "JJR", "JJS", "WRB"])
_MODIFYING = frozenset(["advmod", "amod", "advcl", "neg", "mod"])


def is_modifier(tag: str, rel: str) -> bool:
    """Whether a dependent with this tag and relation modifies: then its promotion makes a head swap promotional.

    >>> is_modifier("ADV", "_"), is_modifier("NOUN", "pobj")
    (True, False)
    """
    return tag in _MODIFIERS or rel.partition(":")[0] in _MODIFYING


def edge_text(tree: DepTree, child: int, parent: int) -> str:
    """
    >>> edge_text(DepTree(("she", "swims"), (2, 0), ("nsubj", "root")), 1, 2)
    'she ←nsubj─ swims'
    """
    rel = tree.deprels[child - 1] if tree.deprels else ""
    head = tree.forms[parent - 1] if parent > 0 else "ROOT"
    return f"{tree.forms[child - 1]} ←{'' if rel == '_' else rel}─ {head}"


@dataclass(frozen=True)
class Pattern:
    """`count` operations on `total` words (removals) or edges (merges, swaps) with these tags in the trees as given.

    A pair of tags can be operated on more often than it was given: removals and merges make new edges.
    """

    side: str
    kind: str
    child: str
    parent: str | None
    count: int
    total: int

    @property
    def share(self) -> float:
        """Share of all cases; 1.0 at most.

        >>> Pattern("e", "remove", "DT", None, 19, 22).share
        0.8636...
        """
        return min(1.0, self.count / self.total) if self.total else 1.0

    def as_json(self) -> dict[str, Any]:
        direction = "e_to_f" if self.side == "e" else "f_to_e"
        return {
            "direction": direction,
            "side": self.side,
            "operation": self.kind,
            "child": self.child,
            "parent": self.parent,
            "count": self.count,
            "total": self.total,
        }


DIRECTIONS = ("e_to_f", "f_to_e")
EXAMPLES = 5


@dataclass(frozen=True)
class Example:
    sent_id: str
    text: str


@dataclass
class Analysis:
    """What `analyze` found; grows batch by batch.

    >>> import divproj as dp
    >>> found = dp.analyze("deu-eng")
    >>> found.sentences > 0, list(found.match_percentages())[:2]
    (True, ['initial', 'remove'])
    """

    extended: bool = False
    tags: str = "auto"
    paper: bool = False
    """Whether Algorithm 5 was run as printed."""
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
    examples: dict[str, list[Example]] = field(default_factory=lambda: {name: [] for name in TYPES})

    def __repr__(self) -> str:
        """
        >>> Analysis(sentences=2)
        Analysis of 2 pairs: E → F 0.0 % of 0 edges match, F → E 0.0 % of 0 edges match
        """
        parts = []
        for direction, name in zip(DIRECTIONS, ("E → F", "F → E"), strict=True):
            row = self.stage_counts(direction)[0]
            parts.append(f"{name} {100 * row['match'] / max(row['edges'], 1):.1f} % of {row['edges']:,} edges match")
        return f"Analysis of {self.sentences:,} pair{'s' * (self.sentences != 1)}: {', '.join(parts)}"

    def _repr_html_(self) -> str:
        """Both tables of stages, for notebooks."""
        tables = []
        for direction, name in zip(DIRECTIONS, ("E → F: edges of E", "F → E: edges of F"), strict=True):
            rows = "".join(
                f"<tr><th>{row['stage']}</th>"
                + "".join(f"<td>{100 * row[kind] / max(row['edges'], 1):.1f}</td>" for kind in CLASSES)
                + f"<td>{row['edges']:,}</td></tr>"
                for row in self.stage_counts(direction)
            )
            heads = "".join(f"<th>{kind}</th>" for kind in ("stage", *CLASSES, "edges"))
            tables.append(f"<table><caption>{name}, percent</caption><tr>{heads}</tr>{rows}</table>")
        return f"<div><p>{self.sentences:,} pairs</p>{''.join(tables)}</div>"

    def note(self, name: str, pair: Pair, text: str) -> None:
        """Keep an example of one of Dorr's types."""
        self.examples[name].append(Example(pair.sent_id, text))

    def add(self, part: Analysis) -> None:
        """Add the analysis of the pairs that follow."""
        self.sentences += part.sentences
        self.counts += part.counts
        for side, count in part.words.items():
            self.words[side] += count
        for name in ("operations", "tagged", "tagged_edges", "operated", "dorr"):
            getattr(self, name).update(getattr(part, name))
        for name, new_examples in part.examples.items():
            self.examples[name] += new_examples[: EXAMPLES - len(self.examples[name])]

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
        all_patterns = []
        for (side, kind, child, parent), count in self.operated.items():
            total = self.tagged[side, child] if kind == "remove" else self.tagged_edges[side, child, parent]
            all_patterns.append(Pattern(side, kind, child, parent or None, count, total))
        kept = (p for p in all_patterns if p.count >= min_count and p.share >= min_share)
        return sorted(kept, key=lambda p: (p.side, KINDS.index(p.kind), -p.count, p.child, p.parent or ""))

    def profile(self) -> list[float]:
        """Return a vector for comparing language pairs: shares of the edge classes in both directions, before any operation."""
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
                for name in TYPES
            },
        }


def analyze(
    pairs: Iterable[Pair],
    *,
    extended: bool = False,
    paper: bool = False,
    tags: str = "auto",
    each: Callable[[Pair, float], None] | None = None,
) -> Analysis:
    """Algorithms 1-5 over a corpus, both directions.

    `tags` names the column for the breakdown by part of speech: upos, xpos, or auto for the first that is filled.
    `paper` runs Algorithm 5 as printed: merges in one pass, with the link deleted.
    `each` is called with every pair and the share of its E edges that match as given.
    """
    batches = pairs.batches() if hasattr(pairs, "batches") else in_batches(pairs)  # a Corpus has a faster way
    return analyze_batches(batches, extended=extended, paper=paper, tags=tags, each=each)


def analyze_batches(
    batches: Iterable[PairBatch],
    *,
    extended: bool = False,
    paper: bool = False,
    tags: str = "auto",
    each: Callable[[Pair, float], None] | None = None,
) -> Analysis:
    """`analyze` for pairs that are arrays already."""
    result = Analysis(extended, tags, paper)
    for batch in batches:
        counts = _add_batch(result, batch)
        if each:
            as_given = counts[:, 0, kernel.INITIAL, :5]
            edges = as_given.sum(axis=1)
            shares = np.where(edges, as_given[:, kernel.MATCH] / np.maximum(edges, 1), 1.0)
            for k, share in enumerate(shares.tolist()):
                each(batch.pair(k), share)
    return result


def _add_batch(result: Analysis, batch: PairBatch) -> Ints:
    """Analyse a batch, add to the result, and return counts[pair, direction, stage, class]."""
    f, e = batch.f, batch.e
    labels = batch.book.label_codes()
    names = batch.book.names
    counts = np.zeros((len(batch), 2, 5, kernel.COUNTS), np.int64)
    f_states, e_states = (np.zeros((5, len(side.heads)), np.int32) for side in (f, e))
    f_classes, e_classes = (np.full((5, len(side.heads)), -1, np.int8) for side in (f, e))
    ops = np.zeros((2 * (len(f.heads) + len(e.heads) + len(batch.ends)) + 1, kernel.OP_FIELDS), np.int32)
    op_at = np.zeros(len(batch) + 1, np.int64)
    kernel.analyze_batch.for_work(batch.words + sum(result.words.values()), batch.longest)(
        f.heads, f.at, e.heads, e.at, batch.ends[:, 0].copy(), batch.ends[:, 1].copy(), batch.link_at,
        labels[f.deprels], labels[e.deprels], variant(result.extended, result.paper),
        counts, f_states, e_states, f_classes, e_classes, ops, op_at,
    )  # fmt: skip
    result.sentences += len(batch)
    result.counts += counts.sum(axis=0)
    for name, side in (("f", f), ("e", e)):
        result.words[name] += len(side.heads) - len(batch)
        _count_tags(result, name, side, names)
    steps = ops[: op_at[-1]]
    of_pair = np.repeat(np.arange(len(batch)), np.diff(op_at))
    _count_operations(result, batch, steps, of_pair)
    _count_swaps(result, batch, steps, of_pair)
    _count_taken(result, batch, steps, of_pair)
    _count_categorial(result, batch)
    relabelled = counts[:, 0, kernel.INITIAL, kernel.RELABELLED]
    result.dorr["thematic"] += int(relabelled.sum())
    for k in _example_rows(result, "thematic", np.flatnonzero(relabelled)):
        result.note("thematic", batch.pair(k), _relabelled_text(batch.pair(k)))
    return counts


def _tally(keys: Ints) -> Iterator[tuple[int, int]]:
    values, counts = np.unique(keys, return_counts=True)
    return zip(values.tolist(), counts.tolist(), strict=True)


def _count_tags(result: Analysis, name: str, side: SideArrays, names: list[str]) -> None:
    tags = side.tags(result.tags)
    word = np.ones(len(side.heads), bool)
    word[side.at[:-1]] = False
    for tag, count in enumerate(np.bincount(tags[word]).tolist()):
        if count:
            result.tagged[name, names[tag]] += count
    edge = np.flatnonzero(word & (side.heads > 0))
    base = np.repeat(side.at[:-1], np.diff(side.at))
    keys = tags[edge].astype(np.int64) << 32 | tags[base[edge] + side.heads[edge]]
    for key, count in _tally(keys):
        result.tagged_edges[name, names[key >> 32], names[key & 0xFFFFFFFF]] += count


def _count_operations(result: Analysis, batch: PairBatch, steps: Ints, of_pair: Ints) -> None:
    names = batch.book.names
    for s, (name, side) in enumerate((("f", batch.f), ("e", batch.e))):
        tags = side.tags(result.tags)
        for k, kind in enumerate(KINDS):
            which = np.flatnonzero((steps[:, 0] == s) & (steps[:, 1] == k))
            result.operations[name, kind] += len(which)
            base = side.at[of_pair[which]]
            child = tags[base + steps[which, 2]].astype(np.int64)
            parent = 0 if kind == "remove" else tags[base + steps[which, 3]]
            for key, count in _tally(child << 32 | parent):
                result.operated[name, kind, names[key >> 32], "" if kind == "remove" else names[key & 0xFFFFFFFF]] += count


def _example_rows(result: Analysis, name: str, rows: Ints) -> list[int]:
    """Return the first rows, as many as examples are still missing."""
    wanted: list[int] = rows[: max(0, EXAMPLES - len(result.examples[name]))].tolist()
    return wanted


def _count_swaps(result: Analysis, batch: PairBatch, steps: Ints, of_pair: Ints) -> None:
    """Head swaps seen from E: promotional where the E dependent is a modifier, demotional otherwise."""
    which = np.flatnonzero((steps[:, 0] == 1) & (steps[:, 1] == kernel.OP_SWAP))
    at = batch.e.at[of_pair[which]] + steps[which, 2]
    pairs_of_codes = zip(batch.e.tags("auto")[at].tolist(), batch.e.deprels[at].tolist(), strict=True)
    names = batch.book.names
    promoted = np.array([is_modifier(names[tag], names[rel]) for tag, rel in pairs_of_codes], bool)
    for name, rows in (("promotional", which[promoted]), ("demotional", which[~promoted])):
        result.dorr[name] += len(rows)
        for row in _example_rows(result, name, rows):
            pair = batch.pair(int(of_pair[row]))
            result.note(name, pair, _partners_text(pair, int(steps[row, 2]), int(steps[row, 3])))


def _count_taken(result: Analysis, batch: PairBatch, steps: Ints, of_pair: Ints) -> None:
    """Removals are structural, merges conflational."""
    kinds = steps[:, 1]
    for name, rows in (
        ("structural", np.flatnonzero(kinds == kernel.OP_REMOVE)),
        ("conflational", np.flatnonzero((kinds == kernel.OP_MERGE) | (kinds == kernel.OP_EXTENDED))),
    ):
        result.dorr[name] += len(rows)
        for row in _example_rows(result, name, rows):
            pair = batch.pair(int(of_pair[row]))
            side, tree = ("E", pair.e) if steps[row, 0] else ("F", pair.f)
            result.note(name, pair, f"{side}: {edge_text(tree, int(steps[row, 2]), int(steps[row, 3]))}")


def _count_categorial(result: Analysis, batch: PairBatch) -> None:
    of_pair = np.repeat(np.arange(len(batch)), np.diff(batch.link_at))
    f_tag = batch.f.upos[batch.f.at[of_pair] + batch.ends[:, 0]]
    e_tag = batch.e.upos[batch.e.at[of_pair] + batch.ends[:, 1]]
    rows = np.flatnonzero((f_tag != e_tag) & (f_tag > 0) & (e_tag > 0))
    result.dorr["categorial"] += len(rows)
    for row in _example_rows(result, "categorial", rows):
        pair = batch.pair(int(of_pair[row]))
        i, j = batch.ends[row].tolist()
        text = f"{pair.f.forms[i - 1]} {pair.f.upos[i - 1]} ~ {pair.e.forms[j - 1]} {pair.e.upos[j - 1]}"
        result.note("categorial", pair, text)


def _partners_text(pair: Pair, child: int, parent: int) -> str:
    """An E edge and the F edge that it is reversed in."""
    back, heads = pair.links.backward, pair.f.heads
    for i in back[parent]:
        if heads[i - 1] in back[child]:
            return f"{edge_text(pair.e, child, parent)} ~ {edge_text(pair.f, i, heads[i - 1])}"
    return edge_text(pair.e, child, parent)


def _relabelled_text(pair: Pair) -> str:
    """The first E edge that matches F edges of other relations alone."""
    back, heads = pair.links.backward, pair.f.heads
    for child, parent in pair.e.edges:
        partners = [i for i in back[child] if heads[i - 1] in back[parent]]
        label = pair.e.deprels[child - 1].partition(":")[0]
        labels = {pair.f.deprels[i - 1].partition(":")[0] for i in partners} - {"_", "dep"}
        if labels and label not in ("_", "dep") and label not in labels:
            return f"{edge_text(pair.e, child, parent)} ~ {edge_text(pair.f, partners[0], heads[partners[0] - 1])}"
    return ""


Worst = list[tuple[float, int, Pair]]
"""Divergent pairs: the share of E edges that match, the place in the chunk, the pair."""


def analyze_chunk(
    extended: bool, paper: bool, tags: str, style: str, most: int, chunk: Chunk, faults: Faults
) -> tuple[Analysis, Worst]:
    """The analysis of a chunk and its most divergent pairs, so many of them, in order."""
    pairs: Worst = []
    keep = (lambda pair, share: pairs.append((share, len(pairs), pair))) if most else None
    result = analyze_batches(batches_in_style(chunk, style, faults), extended=extended, paper=paper, tags=tags, each=keep)
    return result, sorted(heapq.nsmallest(most, pairs, key=lambda item: item[:2]), key=lambda item: item[1])


def batches_in_style(chunk: Chunk, style: str, faults: Faults) -> Iterator[PairBatch]:
    """The pairs of a chunk as arrays, with the heads of E trees in a style (`ud.head_style`)."""
    if style == "as-is":
        return chunk.batches(faults)
    pairs = pairs_of(replace(chunk, complete=True), faults, trees=True)
    return in_batches(replace(pair, e=in_style(pair.e, style)) for pair in pairs)


def analyze_corpus(
    corpus: Corpus,
    *,
    extended: bool = False,
    paper: bool = False,
    tags: str = "auto",
    style: str = "as-is",
    most: int = 0,
    workers: Workers = HERE,
    on_message: Say | None = None,
) -> tuple[Analysis, list[Pair]]:
    """The analysis of a corpus, shared out to workers, and its `most` divergent pairs, the most divergent first."""
    result = Analysis(extended, tags, paper)
    worst: list[tuple[float, int, Pair]] = []  # a heap, the least divergent on top
    work = partial(analyze_chunk, extended, paper, tags, style, most)
    analyses = run(work, partial(corpus.chunks, size=None), corpus.faults, workers, on_message)
    for part, pairs in passing(analyses, f"{corpus.name}: pairs", 0, lambda item: item[0].sentences):
        for share, where, pair in pairs:
            (heapq.heappush if len(worst) < most else heapq.heappushpop)(worst, (-share, -result.sentences - where, pair))
        result.add(part)
    return result, [pair for _, _, pair in sorted(worst, key=lambda item: (-item[0], -item[1]))]


def write_tables(folder: Path, names: list[str], results: list[Analysis]) -> list[str]:
    """The counts of corpora as CSV files; their names."""
    tables: dict[str, list[dict[str, Any]]] = {"stages.csv": [], "by_pos.csv": [], "dorr.csv": []}
    stages, patterns, types = tables.values()
    for name, result in zip(names, results, strict=True):
        for direction in ("e_to_f", "f_to_e"):
            stages += [{"corpus": name, "direction": direction, **row} for row in result.stage_counts(direction)]
        patterns += [{"corpus": name, **p.as_json()} for p in result.patterns()]
        types += [{"corpus": name, "type": kind, "count": result.dorr[kind]} for kind in result.examples]
    folder.mkdir(parents=True, exist_ok=True)
    for file, rows in tables.items():
        with writing(folder / file) as out:
            writer = csv.DictWriter(out, list(rows[0]) if rows else ["corpus"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return list(tables)
