"""Several sources, from Python."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import divproj as dp
from divproj.core.pair import Pair
from divproj.projection.base import AdaptedSystem
from divproj.projection.direct import ProjectionInput
from divproj.projection.pipeline import TextSource
from divproj.projection.projector import vote
from divproj.projection.systems import make


def some(count: int = 12) -> list[Pair]:
    return [pair for pair, _ in zip(dp.read("deu-eng"), range(count), strict=False)]


def without_some_links(pair: Pair) -> Pair:
    return replace(pair, links=dp.Links.of(sorted(pair.links)[1:], pair.links.shape))


def test_each_source_is_projected_by_what_was_learned_from_it():
    """What a system learns from one source says nothing of the other: its links and order of words may differ."""
    first = some()
    second = [without_some_links(pair) for pair in first]
    found = dp.projector("s5").projections(first, also=[(TextSource(), second)])
    made = []
    for source in (first, second):
        text = [*map(ProjectionInput.of, source)]
        system = AdaptedSystem.to(make("s5"), text)
        made.append([system.project(bitext) for bitext in text])
    assert [each.heads for _, each in found] == [vote(both).heads for both in zip(*made, strict=True)]


def test_sources_have_the_same_sentences():
    with pytest.raises(dp.AlignmentError, match="every source must have the same F sentences in the same order"):
        list(dp.projector("s1-r").pipe(some(), also=[some(3)]))


def test_styles_are_checked():
    with pytest.raises(dp.ModelError, match="no head style 'x' of E trees; choose one of as-is, ud, function"):
        dp.projector(style="x")


def test_phrases_need_a_system_that_looks_at_them(tmp_path: Path):
    with pytest.raises(dp.ModelError, match="`phrases` is given to system s1-r, which does not look at phrases; choose s5, s6"):
        list(dp.projector("s1-r", phrases="auto").pipe(some(3)))
