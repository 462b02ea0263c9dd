"""Divergence of a corpus piece by piece: what a worker of the engine is asked to do."""

from __future__ import annotations

import csv
import heapq
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from divproj.data.errors import Faults
from divproj.data.head_style import in_style
from divproj.data.pair import Pair
from divproj.data.pair_arrays import PairBatch, batched
from divproj.divergence.analysis import Analysis, analyze_batches
from divproj.io.corpus import Chunk, Corpus, pairs_of
from divproj.io.files import writing
from divproj.runtime.announce import passing
from divproj.runtime.engine import HERE, Place, Say, run

Worst = list[tuple[float, int, Pair]]
"""Divergent pairs: the share of E edges that match, the place in the chunk, the pair."""


def analysed(extended: bool, tags: str, style: str, most: int, chunk: Chunk, faults: Faults) -> tuple[Analysis, Worst]:
    """The analysis of a chunk and its most divergent pairs, so many of them, in order."""
    pairs: Worst = []
    keep = (lambda pair, share: pairs.append((share, len(pairs), pair))) if most else None
    result = analyze_batches(batches_in_style(chunk, style, faults), extended=extended, tags=tags, each=keep)
    return result, sorted(heapq.nsmallest(most, pairs, key=lambda item: item[:2]), key=lambda item: item[1])


def batches_in_style(chunk: Chunk, style: str, faults: Faults) -> Iterator[PairBatch]:
    """The pairs of a chunk as arrays, with the heads of E trees in a style (`data.head_style`)."""
    if style == "as-is":
        return chunk.batches(faults)
    pairs = pairs_of(replace(chunk, complete=True), faults, trees=True)
    return batched(replace(pair, e=in_style(pair.e, style)) for pair in pairs)


def analyze_corpus(
    corpus: Corpus,
    *,
    extended: bool = False,
    tags: str = "auto",
    style: str = "as-is",
    most: int = 0,
    place: Place = HERE,
    say: Say | None = None,
) -> tuple[Analysis, list[Pair]]:
    """The analysis of a corpus, shared out to workers, and its `most` divergent pairs, the most divergent first."""
    result = Analysis(extended, tags)
    worst: list[tuple[float, int, Pair]] = []  # a heap, the least divergent on top
    work = partial(analysed, extended, tags, style, most)
    found = run(work, partial(corpus.chunks, size=None), corpus.faults, place, say)
    for part, pairs in passing(found, f"{corpus.name}: pairs", 0, lambda item: item[0].sentences):
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
