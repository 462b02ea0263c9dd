"""Whole corpora through the compiled kernel and through the brute force: every count, tree and operation is the same."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import bruteforce
import pytest
from shared import need, pairs_of

from divproj import Corpus, alter, analyze
from divproj.runtime import resources

SHIPPED = sorted(path.name for path in resources.folder("corpora").iterdir() if path.is_dir())
STAGES = ("initial", "remove", "merge", "swap")


def compare(pairs):
    """The pairs one by one, then their sum against `analyze`."""
    pairs = list(pairs)
    totals = {(d, stage): Counter() for d in ("e_to_f", "f_to_e") for stage in STAGES}
    operations, thematic = Counter(), 0
    for pair in pairs:
        found, expected = alter(pair, compiled=True), bruteforce.run(pair)
        assert found.counts == expected.counts, pair.sent_id
        assert found.links == expected.links, pair.sent_id
        steps = [(s.side, s.kind, s.child, None if s.kind == "remove" else s.parent, s.before) for s in found.operations]
        assert steps == expected.log, pair.sent_id
        for side in ("f", "e"):
            assert {s: bruteforce.edges_of(heads) for s, heads in found.heads[side].items()} == expected.edges[side]
        for (direction, stage), total in totals.items():
            total.update(expected.counts[direction][stage])
        operations.update((step[0], step[1]) for step in expected.log)
        thematic += bruteforce.relabelled(pair)
    result = analyze(pairs)
    assert result.sentences == len(pairs)
    for (direction, stage), total in totals.items():
        row = next(row for row in result.stage_counts(direction) if row["stage"] == stage)
        assert row == {"stage": stage, **total}
    assert +result.operations == operations
    assert result.dorr["thematic"] == thematic


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_corpora(name):
    compare(Corpus.at(resources.folder("corpora") / name))


@pytest.mark.parametrize("name", ["odin/ger", "odin/gli", "odin/hua", "odin/kkn", "smultron/en-de", "smultron/sv-de"])
def test_small_corpora(name):
    compare(pairs_of(need(name)))


@pytest.mark.parametrize("name", ["cdt-da", "pud/fr", "pud/ru", "pud/zh"])
def test_large_corpora(name):
    """Every fourth pair: brute force takes its time."""
    compare(islice(pairs_of(need(name)), 0, None, 4))
